//! Damaged inputs for every reader: `cargo xtask fuzz --seconds 3600`, or `--runs 1000000`.

use std::path::Path;
use std::process::Command;

/// Hands the words on to the program that does it, built with checks of overflows.
pub fn run(root: &Path, words: impl Iterator<Item = String>) -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args([
            "run",
            "--quiet",
            "--locked",
            "--package",
            "kernsieve-fuzz",
            "--",
        ])
        .args(words)
        .current_dir(root);
    crate::run(&mut command)
}
