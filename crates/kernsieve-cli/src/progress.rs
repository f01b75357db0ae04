//! Progress with the time that is left, on standard error if that is a terminal.

use crate::view::words::duration_words;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use kernsieve::tuning::Control;
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When the end is expected, if that is known.
type End = Arc<Mutex<Option<Instant>>>;

/// A line that shows how far a command has got.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    end: End,
    started: Instant,
}

impl Progress {
    /// Shows nothing.
    pub fn hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            end: End::default(),
            started: Instant::now(),
        }
    }

    /// A line on standard error; nothing if that is not a terminal, or one that cannot move back in
    /// a line.
    pub fn new(what: &str) -> Self {
        let plain = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        if plain || !std::io::stderr().is_terminal() {
            return Self::hidden();
        }
        let progress = Self {
            // A bar of length 0 would be drawn full before anything is done.
            bar: ProgressBar::no_length(),
            ..Self::hidden()
        };
        let end = progress.end.clone();
        let left = move |_: &ProgressState, out: &mut dyn Write| {
            let end = *end.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(end) = end {
                let left = end.saturating_duration_since(Instant::now());
                let _ = write!(out, ", about {} left", duration_words(left));
            }
        };
        // 22 + 22 + 12 + 23 columns at the most.
        if let Ok(style) =
            ProgressStyle::with_template("{msg:22!} {bar:20} {pos}/{len}  {elapsed}{left}")
        {
            progress.bar.set_style(style.with_key("left", left));
        }
        progress.say(what);
        progress.bar.enable_steady_tick(Duration::from_millis(250));
        progress
    }

    /// Shows what is being done.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_string());
    }

    /// Shows how many steps are done, and how many there are.
    pub fn steps(&self, done: u64, total: u64) {
        match total {
            0 => self.bar.unset_length(),
            _ => self.bar.set_length(total),
        }
        self.bar.set_position(done);
    }

    /// Shows how long the rest will take.
    pub fn expect(&self, left: Option<Duration>) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = left.map(|l| Instant::now() + l);
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// A control that moves the line and keeps to the memory limit.
    pub fn control(&self, memory: Option<u64>) -> Control {
        let shown = self.clone();
        // A count that starts again is that of the next piece of work.
        let piece = Mutex::new((self.started, 0));
        let control = Control::new().on_progress(move |p| {
            let mut piece = piece.lock().unwrap_or_else(PoisonError::into_inner);
            if p.done < piece.1 {
                piece.0 = Instant::now();
            }
            piece.1 = p.done;
            if let Some(stage) = p.stage {
                shown.say(&format!("auto: {stage}"));
            }
            shown.steps(p.done as u64, p.total as u64);
            shown.expect(time_left(piece.0.elapsed(), p.done, p.total));
        });
        match memory {
            Some(bytes) => control.memory_limit(bytes),
            None => control,
        }
    }
}

/// The rest at the speed so far. Nothing before the first twentieth, which tells little.
fn time_left(gone: Duration, done: usize, total: usize) -> Option<Duration> {
    if done == 0 || done * 20 < total {
        return None;
    }
    let seconds = gone.as_secs_f64() * total.saturating_sub(done) as f64 / done as f64;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_the_beginning() {
        let gone = Duration::from_secs(30);
        assert_eq!(time_left(gone, 0, 10), None);
        assert_eq!(time_left(gone, 4, 100), None);
        assert_eq!(time_left(gone, 3, 10), Some(Duration::from_secs(70)));
        assert_eq!(time_left(gone, 10, 10), Some(Duration::ZERO));
    }
}
