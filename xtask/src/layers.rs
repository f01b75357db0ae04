//! The rooms of the numerics crate and which of them a room may use. Test modules are exempt.

use std::path::Path;

/// Each room with the rooms it may use; `error` is open to all.
const ROOMS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("linalg", &[]),
    ("metrics", &[]),
    ("statistics", &[]),
    ("classes", &["linalg"]),
    ("data", &["classes", "linalg"]),
    ("kernel", &["data", "linalg"]),
    ("solver", &["classes", "linalg"]),
    ("expansion", &["kernel", "linalg"]),
    ("decision", &["classes", "linalg"]),
    ("discriminant_kernel", &["expansion", "decision", "linalg"]),
    (
        "method",
        &[
            "classes",
            "data",
            "kernel",
            "solver",
            "expansion",
            "decision",
            "discriminant_kernel",
            "linalg",
        ],
    ),
    (
        "model",
        &[
            "data",
            "expansion",
            "decision",
            "discriminant_kernel",
            "linalg",
            "method",
        ],
    ),
    (
        "model_file",
        &[
            "data",
            "kernel",
            "expansion",
            "decision",
            "discriminant_kernel",
            "linalg",
            "model",
        ],
    ),
    (
        "tuning",
        &[
            "classes",
            "data",
            "kernel",
            "expansion",
            "decision",
            "linalg",
            "method",
            "metrics",
            "model",
        ],
    ),
];

/// Fails when a `crate::` path points at a room that its own room may not use.
pub fn check(root: &Path) -> Result<(), String> {
    let source = root.join("crates/kernsieve/src");
    let mut wrong = Vec::new();
    let mut files = Vec::new();
    collect(&source, &mut files).map_err(|e| format!("{}: {e}", source.display()))?;
    for file in files {
        let relative = file.strip_prefix(&source).unwrap_or(&file);
        let room = relative
            .components()
            .next()
            .map(|c| {
                c.as_os_str()
                    .to_string_lossy()
                    .trim_end_matches(".rs")
                    .to_string()
            })
            .unwrap_or_default();
        if room == "lib" || room == "testing" {
            continue;
        }
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!(
                "{}: room '{room}' is not in the list",
                relative.display()
            ));
            continue;
        };
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let code = text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for used in line.split("crate::").skip(1) {
                let name: String = used
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let known = ROOMS.iter().any(|(r, _)| *r == name);
                if known && name != room && name != "error" && !allowed.contains(&name.as_str()) {
                    wrong.push(format!(
                        "{}:{}: {room} may not use {name}",
                        relative.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("layers:\n  {}", wrong.join("\n  ")))
    }
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> std::io::Result<()> {
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
mod tests {
    use super::*;

    #[test]
    fn the_list_has_no_circles() {
        // A room's own allowance must stand above it in the list, or be a room without further
        // dependencies.
        let position = |name: &str| ROOMS.iter().position(|(r, _)| *r == name);
        for (room, allowed) in ROOMS {
            for a in *allowed {
                assert!(position(a) < position(room), "{room} -> {a}");
            }
        }
    }

    #[test]
    fn the_workspace_keeps_to_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("workspace");
        assert_eq!(check(root), Ok(()));
    }
}
