//! `cargo xtask fuzz [--target NAME] [--seed S] [--runs N | --seconds N] [--first N]`: damaged
//! inputs for every reader, and a table of what they did.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use kernsieve_fuzz::campaign::{Tally, Until, run};
use kernsieve_fuzz::targets::{Target, all};
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

/// What was asked for.
struct Asked {
    target: Option<String>,
    seed: u64,
    first: u64,
    until: Until,
}

const USAGE: &str = "[--target NAME] [--seed S] [--first N] [--runs N | --seconds N]: N inputs, or \
                     inputs for N seconds, divided between the targets";

fn asked(words: &[String]) -> Result<Asked, String> {
    let mut asked = Asked {
        target: None,
        seed: 0,
        first: 0,
        until: Until::Inputs(10_000),
    };
    for pair in words.chunks(2) {
        let [option, value] = pair else {
            return Err(USAGE.into());
        };
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| format!("{value}? {USAGE}"))
        };
        match option.as_str() {
            "--target" => asked.target = Some(value.clone()),
            "--seed" => asked.seed = number()?,
            "--first" => asked.first = number()?,
            "--runs" => asked.until = Until::Inputs(number()?),
            "--seconds" => asked.until = Until::Time(Duration::from_secs(number()?)),
            _ => return Err(format!("{option}? {USAGE}")),
        }
    }
    Ok(asked)
}

/// The part of a target.
fn share(until: Until, targets: u64) -> Until {
    match until {
        Until::Inputs(n) => Until::Inputs(n.div_ceil(targets)),
        Until::Time(time) => Until::Time(time.div_f64(targets as f64)),
    }
}

fn tell(target: &Target, tally: &Tally) {
    println!(
        "{:<8} {:>9} {:>9} {:>6} {:>11.1} {:>9.1}",
        target.name,
        tally.inputs,
        tally.accepted,
        tally.found.len(),
        1e3 * tally.slowest.as_secs_f64(),
        tally.largest as f64 / (1 << 20) as f64
    );
}

/// Tells of the first ones that were found, and keeps them.
fn keep(target: &Target, tally: &Tally, seed: u64) -> Result<(), Box<dyn Error>> {
    let folder = std::path::Path::new("target/fuzz");
    for found in tally.found.iter().take(20) {
        std::fs::create_dir_all(folder)?;
        let file = folder.join(format!("{}-{seed}-{}", target.name, found.number));
        std::fs::write(&file, &found.input)?;
        let (number, name) = (found.number, target.name);
        eprintln!(
            "{name}: input {number} {} ({}; again: --target {name} --seed {seed} --first {number} \
             --runs 1)",
            found.what,
            file.display()
        );
    }
    Ok(())
}

fn work() -> Result<bool, Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = asked(&words)?;
    let wanted = |t: &Target| asked.target.as_ref().is_none_or(|name| *name == t.name);
    let targets: Vec<Target> = all()?.into_iter().filter(wanted).collect();
    if targets.is_empty() {
        return Err("there is no such target".into());
    }
    let until = share(asked.until, targets.len() as u64);
    println!("target      inputs  accepted  found  slowest, ms  most, MiB");
    let mut sound = true;
    for target in &targets {
        let tally = run(target, asked.seed, asked.first, until);
        tell(target, &tally);
        keep(target, &tally, asked.seed)?;
        sound &= tally.found.is_empty();
    }
    Ok(sound)
}

fn main() -> ExitCode {
    match work() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("fuzz: {e}");
            ExitCode::from(2)
        }
    }
}
