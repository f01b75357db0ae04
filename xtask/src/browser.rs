//! Reports and the site as a person sees them: opened in a headless Chromium, which is found or installed;
//! without one the tests are skipped.

use super::{docs, python, run as step};
use std::path::{Path, PathBuf};
use std::process::Command;

const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Runs `tests/browser`, or says why not.
pub fn run(root: &Path) -> Result<(), String> {
    let Some(browser) = find().or_else(install) else {
        eprintln!(
            "xtask: the browser tests are skipped: no Chromium on the path (Debian: apt-get \
             install chromium; or CHROMIUM names one)"
        );
        return Ok(());
    };
    python::pytest(
        root,
        &["tests/browser"],
        &[
            ("CHROMIUM", browser.as_os_str()),
            ("KERNSIEVE_SITE", docs::folder(root).as_os_str()),
        ],
    )
}

/// The one that `CHROMIUM` names, or the first on the path.
fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM").filter(|v| !v.is_empty()) {
        return Some(named.into());
    }
    on_path(&NAMES)
}

fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let files = names
        .iter()
        .flat_map(|name| folders.iter().map(move |f| f.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// Installs Debian's package if this runs as root, as in a container.
fn install() -> Option<PathBuf> {
    let apt = on_path(&["apt-get"])?;
    let user = Command::new("id").arg("-u").output().ok()?;
    if user.stdout.trim_ascii() != b"0" {
        return None;
    }
    let quiet = |arguments: &[&str]| {
        let mut command = Command::new(&apt);
        command
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive");
        step(&mut command)
    };
    quiet(&["update", "-q"])
        .and_then(|()| quiet(&["install", "-y", "-q", "--no-install-recommends", "chromium"]))
        .map_err(|e| eprintln!("xtask: {e}"))
        .ok()?;
    on_path(&NAMES)
}
