//! The rooms of the numerics crate, and which rooms each may use.
//!
//! A room is a module at the root of `crates/kernsieve/src`. The check follows every path in the
//! code through aliases, `super`, globs and re-exports to the rooms that it leads through. Test
//! code is exempt.

mod resolve;
mod source;

use resolve::Tree;
use source::Module;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each room with the rooms that it may use. A room stands below those that it uses.
const ROOMS: &[(&str, &str)] = &[
    ("error", ""),
    ("checksum", ""),
    ("linalg", ""),
    ("metrics", ""),
    ("notice", ""),
    ("statistics", ""),
    ("classes", "linalg"),
    ("data", "classes linalg statistics"),
    ("kernel", "data linalg"),
    ("params", "classes kernel"),
    ("solver", "classes linalg"),
    ("expansion", "kernel linalg"),
    ("decision", "classes linalg"),
    ("discriminant_kernel", "decision expansion linalg"),
    (
        "partial",
        "checksum classes data decision discriminant_kernel expansion kernel linalg",
    ),
    (
        "method",
        "classes data decision discriminant_kernel expansion kernel linalg metrics notice params \
         partial solver",
    ),
    (
        "model",
        "data decision discriminant_kernel expansion kernel linalg method metrics params partial",
    ),
    (
        "model_file",
        "checksum data decision discriminant_kernel expansion kernel linalg model partial",
    ),
    (
        "tuning",
        "classes data decision expansion kernel linalg method metrics model notice params partial",
    ),
    ("catalogue", "data method model notice params tuning"),
];

/// Rooms that every other may use.
const OPEN: &[&str] = &["error"];

/// Fails when a room of the workspace at `root` uses one that it may not.
pub fn check(root: &Path) -> Result<(), String> {
    let source = root.join("crates/kernsieve/src");
    let mut files = Vec::new();
    collect(&source, &mut files).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut texts = Vec::new();
    for file in files {
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let relative = file.strip_prefix(&source).unwrap_or(&file);
        texts.push((relative.to_string_lossy().replace('\\', "/"), text));
    }
    let wrong = violations(&texts);
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("layers:\n  {}", wrong.join("\n  ")))
    }
}

/// Uses in the files (path below `src`, text) that the table does not allow.
fn violations(files: &[(String, String)]) -> Vec<String> {
    let mut modules = Vec::new();
    let mut file_of = Vec::new();
    for (name, text) in files {
        for module in source::modules(&module_path(name), text) {
            file_of.push((module.path.clone(), name));
            modules.push(module);
        }
    }
    let tree = Tree::new(modules);
    let mut wrong = BTreeSet::new();
    for module in tree.modules() {
        let Some(room) = module.path.first() else {
            continue; // the root itself
        };
        if tree.is_test(&module.path) {
            continue;
        }
        let file = file_of.iter().find(|(path, _)| *path == module.path);
        let file = file.map_or("", |(_, name)| name.as_str());
        for (line, what) in violations_of(&tree, module, room) {
            wrong.insert((file, line, what));
        }
    }
    wrong
        .into_iter()
        .map(|(file, line, what)| format!("{file}:{line}: {what}"))
        .collect()
}

fn violations_of(tree: &Tree, module: &Module, room: &str) -> Vec<(usize, String)> {
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return vec![(1, format!("room '{room}' is not in the list"))];
    };
    let may_use =
        |name: &str| name == room || OPEN.contains(&name) || allowed.split(' ').any(|a| a == name);
    let mut wrong = Vec::new();
    for (line, path) in &module.paths {
        for name in tree.touched(&module.path, path) {
            if ROOMS.iter().any(|(r, _)| *r == name) && !may_use(&name) {
                wrong.push((*line, format!("{room} may not use {name}")));
            }
        }
    }
    for (line, path) in &module.glob_lines {
        if tree.is_root(&module.path, path) {
            let what = format!("{room} must name what it uses of the crate's root");
            wrong.push((*line, what));
        }
    }
    wrong
}

/// `solver/lasso/walk.rs` is the module `solver::lasso::walk`; `mod.rs` and `lib.rs` stand for
/// their folder.
fn module_path(file: &str) -> Vec<String> {
    let mut path: Vec<String> = file
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_string)
        .collect();
    if path.last().is_some_and(|l| l == "mod" || l == "lib") {
        path.pop();
    }
    path
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

#[cfg(test)]
mod tests;
