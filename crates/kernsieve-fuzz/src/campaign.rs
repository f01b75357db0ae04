//! Many inputs, and what they did.

use crate::counting::most_held;
use crate::targets::Target;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An input that takes longer, each of three times, is slow.
pub const SLOW: Duration = Duration::from_secs(1);
/// An input that holds more bytes is large.
pub const LARGE: usize = 1 << 30;

/// Whether a reader is at work: its panics are counted and told at the end, others at once.
static READING: AtomicBool = AtomicBool::new(false);

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After so many inputs.
    Inputs(u64),
    /// After so much time.
    Time(Duration),
}

/// An input that did what must not happen.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its number.
    pub number: u64,
    /// What happened.
    pub what: String,
    /// The input.
    pub input: Vec<u8>,
}

/// What the inputs of a target did.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Inputs.
    pub inputs: u64,
    /// Inputs that were accepted in spite of the damage.
    pub accepted: u64,
    /// What must not happen.
    pub found: Vec<Found>,
    /// The longest time that one took.
    pub slowest: Duration,
    /// The most bytes that one held.
    pub largest: usize,
}

/// What an input did.
struct Outcome {
    accepted: bool,
    panicked: Option<String>,
    time: Duration,
    bytes: usize,
}

fn once(target: &Target, seed: u64, number: u64) -> Outcome {
    let (input, mut rng) = target.input(seed, number);
    let started = Instant::now();
    let run = || catch_unwind(AssertUnwindSafe(|| target.read(&input, &mut rng)));
    READING.store(true, Ordering::Relaxed);
    let (answer, bytes) = most_held(run);
    READING.store(false, Ordering::Relaxed);
    let time = started.elapsed();
    let words = |e: Box<dyn std::any::Any + Send>| {
        let text = e.downcast_ref::<String>().cloned();
        text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_string()))
            .unwrap_or_else(|| "something".into())
    };
    let (accepted, panicked) = match answer {
        Ok(accepted) => (accepted, None),
        Err(e) => (false, Some(words(e))),
    };
    Outcome {
        accepted,
        panicked,
        time,
        bytes,
    }
}

/// From now on, panics of readers print nothing.
fn silence_readers() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !READING.load(Ordering::Relaxed) {
                before(info);
            }
        }));
    });
}

/// Gives a target the inputs of a seed from the number `first` on.
pub fn run(target: &Target, seed: u64, first: u64, until: Until) -> Tally {
    silence_readers();
    let started = Instant::now();
    let mut tally = Tally::default();
    let goes_on = |inputs: u64| match until {
        Until::Inputs(n) => inputs < n,
        Until::Time(limit) => started.elapsed() < limit,
    };
    while goes_on(tally.inputs) {
        let number = first + tally.inputs;
        let mut outcome = once(target, seed, number);
        // A machine that is busy is no slow reader.
        for _ in 0..2 {
            if outcome.time > SLOW {
                outcome.time = outcome.time.min(once(target, seed, number).time);
            }
        }
        tally.inputs += 1;
        tally.accepted += u64::from(outcome.accepted);
        tally.slowest = tally.slowest.max(outcome.time);
        tally.largest = tally.largest.max(outcome.bytes);
        let what = match &outcome.panicked {
            Some(words) => Some(format!("panics: {words}")),
            None if outcome.time > SLOW => Some(format!("takes {:.1?}", outcome.time)),
            None if outcome.bytes > LARGE => Some(format!("takes {} bytes", outcome.bytes)),
            None => None,
        };
        if let Some(what) = what {
            let (input, _) = target.input(seed, number);
            tally.found.push(Found {
                number,
                what,
                input,
            });
        }
    }
    tally
}
