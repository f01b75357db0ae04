//! `cargo xtask`: what CI runs is what a contributor runs, and what a release needs.
#![allow(clippy::print_stderr)]

mod api;
mod browser;
mod deny;
mod docs;
mod fuzz;
mod generate;
mod layers;
mod licences;
mod packages;
mod python;
mod release;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask <command>

  test     everything below, in order: what CI runs
  rust     formatting, lints, documentation and tests of the workspace; the listed public interface
  layers   no module uses one above it
  deny     what may be depended on: deny.toml (parts that need cargo-deny or its database are skipped without them)
  generate Python estimators, the table of methods and the page of options from the catalogue; --check
  python   comparisons with NumPy, SciPy and scikit-learn, and the Python package (makes its own virtual environment)
  docs     the documentation site in target/site, every link checked
  browser  reports and the site in a headless Chromium (installs Debian's as root; without one the tests are skipped)

  api      the public interface of the crates beside the listed one; --update lists it anew
  wheels   wheels and the source distribution for this machine's users, tried in a fresh environment; --target TRIPLE
  release  --check: version, changes, licences, features, packages, wheels, site; prints what to upload
  licences the licences of all crates that users compile; --check, or writes docs/reference/licences.md

  fuzz     damaged inputs for every reader: --runs N or --seconds N, --target NAME, --seed S (test runs some)
  bench    speed next to scikit-learn and others: tables of ratios, growth and memory (test runs it with --short)
  tables   published tables next to ours: cargo xtask tables kos-2 --data DIR, or all (test runs some with --short)
  auto     the choice of a method next to every single method: cargo xtask auto --data DIR --splits DIR";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let result = match command.as_str() {
        "test" => rust()
            .and_then(|()| layers::check(&root()))
            .and_then(|()| deny::run(&root()))
            .and_then(|()| generate::run(&root(), true))
            .and_then(|()| python::run(&root()))
            .and_then(|()| docs::run(&root()))
            .and_then(|()| browser::run(&root())),
        "rust" => rust(),
        "layers" => layers::check(&root()),
        "generate" => generate::run(&root(), flag("--check")),
        "deny" => deny::run(&root()),
        "fuzz" => fuzz::run(&root(), std::env::args().skip(2)),
        "python" => python::run(&root()),
        "docs" => docs::run(&root()),
        "browser" => browser::run(&root()),
        "api" => rustdoc().and_then(|()| api::run(&root(), flag("--update"))),
        "wheels" => wheels::run(&root(), std::env::args().skip(2)),
        "licences" => licences::run(&root(), flag("--check")),
        "release" => release::run(&root(), std::env::args().skip(2)),
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

fn flag(name: &str) -> bool {
    std::env::args().skip(2).any(|a| a == name)
}

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Where cargo builds.
fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// `cargo`, with the words of a command, in the workspace.
fn cargo(words: &str) -> Command {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).current_dir(root());
    command
}

/// Formatting, lints, documentation, tests: what fails fast comes first.
fn rust() -> Result<(), String> {
    run(&mut cargo("fmt --all --check"))?;
    run(&mut cargo(
        "clippy --workspace --all-targets --locked -- -D warnings",
    ))?;
    run(&mut cargo("test --workspace --locked"))?;
    rustdoc()?;
    api::run(&root(), false)
}

/// The documentation of the crates.
fn rustdoc() -> Result<(), String> {
    run(cargo("doc --workspace --no-deps --locked").env("RUSTDOCFLAGS", "-D warnings"))
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
