//! The documentation site: the pages of `docs`, the Python package from its docstrings, the crates
//! from rustdoc, in `target/site`.

use super::{python, run as step, rustdoc, target};
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: &str = "site/requirements.txt";
/// What `cargo doc` writes beside the folders of the crates, and those of crates that nobody uses
/// from outside.
const NOT_SHOWN: [&str; 6] = [
    "_core",
    "kernsieve_bench",
    "xtask",
    "src",
    "help.html",
    "settings.html",
];

/// Where the site is.
pub fn folder(root: &Path) -> PathBuf {
    target(root).join("site")
}

/// Builds the site, with warnings as errors, and checks its links.
pub fn run(root: &Path) -> Result<(), String> {
    let python = python::environment(root, "site-tools", &[PACKAGES])?;
    let site = folder(root);
    step(
        Command::new(&python)
            .args(["-m", "mkdocs", "build", "--strict"])
            .args(["--config-file", "site/mkdocs.yml", "--site-dir"])
            .arg(&site)
            .env("NO_MKDOCS_2_WARNING", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(root),
    )?;
    rustdoc()?;
    let pages = target(root).join("doc");
    let skipped = |name: &str| NOT_SHOWN.contains(&name) || name.starts_with('.');
    copy(&pages, &site.join("rust"), &skipped).map_err(|e| format!("{}: {e}", pages.display()))?;
    step(
        Command::new(&python)
            .arg("site/check.py")
            .arg(&site)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(root),
    )
}

fn copy(from: &Path, to: &Path, skipped: &dyn Fn(&str) -> bool) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if skipped(&name.to_string_lossy()) {
            continue;
        }
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(&name), &|_| false)?;
        } else {
            std::fs::copy(entry.path(), to.join(&name))?;
        }
    }
    Ok(())
}
