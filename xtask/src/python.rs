//! Comparisons with NumPy, SciPy and scikit-learn, in separate virtual environments.

use super::{cargo, run as step, target};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

const TEST_PACKAGES: &str = "tests/python/requirements.txt";
const PEER_PACKAGES: &str = "benchmarks/peers/requirements.txt";
const SYSTEM_PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Builds the command line tool, the benchmark worker and the Python package, and runs
/// `tests/python` and `python/tests` with them.
pub fn run(root: &Path) -> Result<(), String> {
    let python = environment(root, "python", &[TEST_PACKAGES])?;
    install_package(root, &python, "dev")?;
    pytest(root, &["tests/python", "python/tests"], &[])
}

/// Runs folders of tests with the command line tool and the benchmark worker that `cargo build`
/// makes.
pub fn pytest(root: &Path, folders: &[&str], variables: &[(&str, &OsStr)]) -> Result<(), String> {
    // The whole workspace, whose crates are compiled for its tests already: with fewer of them,
    // third-party crates have other features and are compiled anew.
    build("--workspace --bins")?;
    let python = environment(root, "python", &[TEST_PACKAGES])?;
    // One after the other: each has a conftest.py, which one run would take for the same module.
    for tests in folders {
        let mut pytest = Command::new(&python);
        pytest
            .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", tests])
            .env("KERNSIEVE", built(root, "debug", "kernsieve"))
            .env("KERNSIEVE_BENCH", built(root, "debug", "kernsieve-bench"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .envs(variables.iter().copied())
            .current_dir(root);
        step(&mut pytest)?;
    }
    Ok(())
}

/// Installs the Python package as a user would, with a given profile: that of the tests, whose
/// crates are already compiled, or `release`.
fn install_package(root: &Path, python: &Path, profile: &str) -> Result<(), String> {
    let bin = python.parent().unwrap_or(root);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&path)),
    )
    .map_err(|e| e.to_string())?;
    step(
        Command::new(python)
            .args([
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                "--no-deps",
            ])
            .args([
                "--no-build-isolation",
                &format!("--config-settings=build-args=--locked --profile {profile}"),
                ".",
            ])
            // Where the build finds maturin.
            .env("PATH", path)
            .current_dir(root),
    )
}

/// kernsieve next to its peers, optimised: prints the tables of ratios, growth and memory.
pub fn bench(root: &Path, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    build("--release -p kernsieve-cli -p kernsieve-bench")?;
    let python = environment(root, "peers", &[PEER_PACKAGES, TEST_PACKAGES])?;
    install_package(root, &python, "release")?;
    let mut peers = Command::new(python);
    peers
        .arg("benchmarks/peers/run.py")
        .args(arguments)
        .env("KERNSIEVE", built(root, "release", "kernsieve"))
        .env("KERNSIEVE_BENCH", built(root, "release", "kernsieve-bench"))
        .current_dir(root);
    step(&mut peers)
}

/// The choice of a method next to single methods, a support vector machine and a random forest.
pub fn auto(root: &Path, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    build("--release -p kernsieve-cli")?;
    let mut table = Command::new(environment(root, "python", &[TEST_PACKAGES])?);
    table
        .arg("benchmarks/auto/run.py")
        .args(arguments)
        .env("KERNSIEVE", built(root, "release", "kernsieve"))
        .current_dir(root);
    step(&mut table)
}

/// Published tables next to ours. They need Python and nothing else.
pub fn tables(root: &Path, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    build("--release -p kernsieve-cli")?;
    let mut tables = Command::new(SYSTEM_PYTHON);
    tables
        .arg(root.join("benchmarks/tables/run.py"))
        .args(arguments)
        .env("KERNSIEVE", built(root, "release", "kernsieve"));
    step(&mut tables)
}

fn build(what: &str) -> Result<(), String> {
    step(&mut cargo(&format!("build --locked {what}")))
}

fn built(root: &Path, profile: &str, name: &str) -> PathBuf {
    target(root)
        .join(profile)
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The interpreter of an environment under `target` with the pinned packages of a file installed:
/// the first of some, which may include the others.
pub fn environment(root: &Path, name: &str, requirements: &[&str]) -> Result<PathBuf, String> {
    let folder = root.join("target").join(name);
    let python = if cfg!(windows) {
        folder.join("Scripts/python.exe")
    } else {
        folder.join("bin/python")
    };
    let mut wanted = String::new();
    for file in requirements {
        let text = std::fs::read_to_string(root.join(file)).map_err(|e| format!("{file}: {e}"))?;
        wanted.push_str(&text);
    }
    let stamp = folder.join("installed.txt");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|text| text == wanted) {
        return Ok(python);
    }
    step(
        Command::new(SYSTEM_PYTHON)
            .args(["-m", "venv", "--clear"])
            .arg(&folder),
    )
    .map_err(|e| {
        format!(
            "{e}\nPython 3 with the venv module is needed for these tests (Debian: python3-venv)"
        )
    })?;
    step(
        Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                "-r",
            ])
            .arg(root.join(requirements[0])),
    )?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}
