//! Wheels and the source distribution of the Python package.

use super::{python, run as step, target};
use std::path::{Path, PathBuf};
use std::process::Command;

pub const TOOLS: &str = "release/requirements.txt";
/// The oldest C library of Linux that wheels run with.
const OLDEST: &str = "manylinux_2_17";

/// Where wheels are.
pub fn folder(root: &Path) -> PathBuf {
    target(root).join("wheels")
}

/// Builds a wheel for each `--target` (of this machine, if none is named) and the source
/// distribution, and tries what runs here.
pub fn run(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut targets = Vec::new();
    while let Some(word) = arguments.next() {
        match (word.as_str(), arguments.next()) {
            ("--target", Some(triple)) => targets.push(triple),
            _ => return Err("usage: cargo xtask wheels [--target TRIPLE ..]".into()),
        }
    }
    let python = python::environment(root, "release-tools", &[TOOLS])?;
    let out = folder(root);
    let native = targets.is_empty();
    if native {
        build(root, &python, &out, None)?;
    }
    for triple in &targets {
        build(root, &python, &out, Some(triple))?;
    }
    let mut sdist = maturin(root, &python)?;
    step(sdist.arg("sdist").arg("--out").arg(&out))?;
    check(root, if native { &["--try"] } else { &[] })
}

/// Measures the wheels that lie there, and with `--try` and `--offline` uses them.
pub fn check(root: &Path, options: &[&str]) -> Result<(), String> {
    let python = python::environment(root, "release-tools", &[TOOLS])?;
    let mut check = Command::new(python);
    step(
        check
            .arg("release/check_wheels.py")
            .arg(folder(root))
            .args(options)
            .env("CARGO_TARGET_DIR", target(root))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(root),
    )
}

fn build(root: &Path, python: &Path, out: &Path, triple: Option<&str>) -> Result<(), String> {
    let mut build = maturin(root, python)?;
    build
        .args(["build", "--release", "--locked", "--out"])
        .arg(out);
    if let Some(triple) = triple {
        build.args(["--target", triple]);
    }
    // Linked by zig, which brings old versions of the C library of Linux.
    if triple.map_or(cfg!(target_os = "linux"), |t| t.contains("linux")) {
        build.args(["--zig", "--compatibility", OLDEST]);
    }
    step(&mut build)
}

fn maturin(root: &Path, python: &Path) -> Result<Command, String> {
    let bin = python.parent().unwrap_or(root);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&path));
    let mut command = Command::new(python);
    command
        .args(["-m", "maturin"])
        .env(
            "PATH",
            std::env::join_paths(path).map_err(|e| e.to_string())?,
        )
        .current_dir(root);
    Ok(command)
}
