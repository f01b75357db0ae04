//! `cargo xtask test | rust | layers | deny | python | browser | fuzz | bench | tables`: what CI runs is what a
//! contributor runs.
#![allow(clippy::print_stderr)]

mod browser;
mod deny;
mod fuzz;
mod generate;
mod layers;
mod python;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask <command>

  test     everything below, in order: what CI runs
  rust     formatting, lints, documentation and tests of the workspace
  layers   no module uses one above it
  deny     what may be depended on: deny.toml (parts that need cargo-deny or its database are skipped without them)
  generate Python estimators, the table of methods and the page of options from the catalogue; --check
  python   comparisons with NumPy, SciPy and scikit-learn, and the Python package (makes its own virtual environment)
  browser  reports in a headless Chromium (installs Debian's as root; without one the tests are skipped)

  fuzz     damaged inputs for every reader: --runs N or --seconds N, --target NAME, --seed S (test runs some)
  bench    speed next to scikit-learn and others: tables of ratios, growth and memory (test runs it with --short)
  tables   published tables next to ours: cargo xtask tables kos-2 --data DIR, or all (test runs some with --short)
  auto     the choice of a method next to single methods, a support vector machine and a forest: cargo xtask auto --data DIR";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let result = match command.as_str() {
        "test" => rust()
            .and_then(|()| layers::check(&root()))
            .and_then(|()| deny::run(&root()))
            .and_then(|()| generate::run(&root(), true))
            .and_then(|()| python::run(&root()))
            .and_then(|()| browser::run(&root())),
        "rust" => rust(),
        "layers" => layers::check(&root()),
        "generate" => generate::run(&root(), std::env::args().any(|a| a == "--check")),
        "deny" => deny::run(&root()),
        "fuzz" => fuzz::run(&root(), std::env::args().skip(2)),
        "python" => python::run(&root()),
        "browser" => browser::run(&root()),
        "bench" => python::bench(&root(), std::env::args().skip(2)),
        "auto" => python::auto(&root(), std::env::args().skip(2)),
        "tables" => python::tables(&root(), std::env::args().skip(2)),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Formatting, lints, documentation, tests: what fails fast comes first.
fn rust() -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let step = |arguments: &[&str], flags: Option<(&str, &str)>| {
        let mut command = Command::new(&cargo);
        command.args(arguments).current_dir(root());
        if let Some((name, value)) = flags {
            command.env(name, value);
        }
        run(&mut command)
    };
    step(&["fmt", "--all", "--check"], None)?;
    step(
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ],
        None,
    )?;
    step(&["test", "--workspace", "--locked"], None)?;
    step(
        &["doc", "--workspace", "--no-deps", "--locked"],
        Some(("RUSTDOCFLAGS", "-D warnings")),
    )
}

/// Prints and runs a command.
fn run(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}").replace('"', "");
    eprintln!("xtask: {shown}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown} failed ({status})")),
        Err(e) => Err(format!("{shown}: {e}")),
    }
}
