//! What may be depended on: `deny.toml`, as far as it can be checked here.

use std::path::Path;
use std::process::{Command, Stdio};

/// Checks that all dependencies come from one registry; and the whole policy where `cargo deny` is
/// installed, with known flaws where their database can be had.
pub fn run(root: &Path) -> Result<(), String> {
    let lock = root.join("Cargo.lock");
    let text = std::fs::read_to_string(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    sources(&text)?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let deny = |words: &[&str]| {
        let mut command = Command::new(&cargo);
        command.arg("deny").args(words).current_dir(root);
        command
    };
    let quiet = |words: &[&str]| {
        let status = deny(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|s| s.success())
    };
    if !quiet(&["--version"]) {
        eprintln!("xtask: skipped: deny.toml (there is no cargo-deny; cargo install cargo-deny)");
        return Ok(());
    }
    crate::run(&mut deny(&["check", "bans", "licenses", "sources"]))?;
    if !quiet(&["fetch", "db"]) {
        eprintln!("xtask: skipped: known flaws of dependencies (their database cannot be had)");
        return Ok(());
    }
    crate::run(&mut deny(&["check", "advisories"]))
}

/// All packages that are no part of the workspace come from the same registry.
fn sources(lock: &str) -> Result<(), String> {
    let mut sources: Vec<&str> = lock
        .lines()
        .filter_map(|l| l.strip_prefix("source = "))
        .collect();
    sources.sort_unstable();
    sources.dedup();
    match sources[..] {
        [] => Ok(()),
        [one] if one.starts_with("\"registry+") => Ok(()),
        _ => Err(format!(
            "Cargo.lock: dependencies from {}; all come from one registry",
            sources.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_from_elsewhere_are_refused() {
        let package =
            |source: &str| format!("[[package]]\nname = \"a\"\nsource = \"{source}\"\n\n");
        let registry = package("registry+https://one.example/index");
        assert!(sources("[[package]]\nname = \"own\"\n").is_ok());
        assert!(sources(&registry.repeat(3)).is_ok());
        for other in [
            "registry+https://two.example/index",
            "git+https://one.example/a",
        ] {
            assert!(
                sources(&(registry.clone() + &package(other))).is_err(),
                "{other}"
            );
        }
        assert!(sources(&package("git+https://one.example/a")).is_err());
    }
}
