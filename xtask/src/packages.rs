//! The crates as the registry would have them: packaged, and used by a project outside the
//! workspace.

use super::{cargo, run as step, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates to publish, each after those that it uses.
pub const CRATES: [&str; 5] = [
    "kernsieve-dense",
    "kernsieve",
    "kernsieve-io",
    "kernsieve-onnx",
    "kernsieve-cli",
];
/// A registry takes no larger ones.
const LARGEST: u64 = 10_000_000;

/// Packages the crates, checks what is in them, and builds a project that depends on them.
pub fn run(root: &Path, version: &str) -> Result<Vec<PathBuf>, String> {
    let named: String = CRATES.iter().map(|name| format!(" -p {name}")).collect();
    step(&mut cargo(&format!(
        "package --locked --no-verify --quiet{named}"
    )))?;
    let folder = target(root).join("package");
    let files: Vec<PathBuf> = CRATES
        .iter()
        .map(|name| folder.join(format!("{name}-{version}.crate")))
        .collect();
    let scratch = std::env::temp_dir().join(format!("kernsieve-packages-{}", std::process::id()));
    std::fs::create_dir_all(scratch.join("src")).map_err(|e| e.to_string())?;
    let used = unpack(&files, &scratch).and_then(|()| use_them(root, &scratch, version));
    let _ = std::fs::remove_dir_all(&scratch);
    used.map(|()| files)
}

fn unpack(files: &[PathBuf], folder: &Path) -> Result<(), String> {
    for file in files {
        let bytes = std::fs::metadata(file).map_err(|e| format!("{}: {e}", file.display()))?;
        if bytes.len() > LARGEST {
            return Err(format!("{}: {} bytes", file.display(), bytes.len()));
        }
        step(
            Command::new("tar")
                .arg("xzf")
                .arg(file)
                .arg("-C")
                .arg(folder),
        )?;
        let own = folder.join(file.file_stem().unwrap_or_default());
        for needed in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"] {
            if !own.join(needed).is_file() {
                return Err(format!("{}: has no {needed}", file.display()));
            }
        }
    }
    Ok(())
}

/// A project outside the workspace trains a model with the fewest features, then with all of them.
fn use_them(root: &Path, scratch: &Path, version: &str) -> Result<(), String> {
    let manifest = scratch.join("Cargo.toml");
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
    };
    write(&manifest, &project(version))?;
    let program = root.join("release/scratch.rs");
    std::fs::copy(&program, scratch.join("src/main.rs"))
        .map_err(|e| format!("{}: {e}", program.display()))?;
    // The same versions as here, as far as they are needed.
    std::fs::copy(root.join("Cargo.lock"), scratch.join("Cargo.lock"))
        .map_err(|e| format!("Cargo.lock: {e}"))?;
    for features in ["", " --features all"] {
        let mut run = cargo(&format!("run --quiet{features}"));
        // Crates from the registry are compiled once for both.
        step(
            run.current_dir(scratch)
                .env("CARGO_TARGET_DIR", target(root)),
        )?;
    }
    Ok(())
}

fn project(version: &str) -> String {
    let patches: String = CRATES
        .iter()
        .map(|name| format!("{name} = {{ path = \"{name}-{version}\" }}\n"))
        .collect();
    format!(
        "[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [features]\n\
         all = [\"dep:kernsieve-onnx\", \"dep:kernsieve-cli\", \"kernsieve-io/parquet\"]\n\n\
         [dependencies]\n\
         kernsieve = {{ version = \"={version}\", default-features = false }}\n\
         kernsieve-io = {{ version = \"={version}\", default-features = false }}\n\
         kernsieve-onnx = {{ version = \"={version}\", optional = true }}\n\
         kernsieve-cli = {{ version = \"={version}\", optional = true }}\n\n\
         [workspace]\n\n[profile.dev]\nopt-level = 2\ndebug = \"line-tables-only\"\n\n\
         # In place of the registry: the packages.\n[patch.crates-io]\n{patches}"
    )
}
