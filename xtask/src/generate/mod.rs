//! Files generated from the catalogue of methods: the Python estimators with their signatures and
//! docstrings, the table of methods and the page of options. `cargo xtask generate` writes them,
//! `cargo xtask generate --check` fails if one is not current.

mod docs;
mod python;

use kernsieve::params::Param;
use std::path::Path;

/// A file as it should be.
struct Page {
    /// Its place in the workspace.
    path: String,
    text: String,
}

/// Writes what is generated, or with `check` says what is not current.
pub fn run(root: &Path, check: bool) -> Result<(), String> {
    let mut pages = python::pages();
    pages.extend(docs::pages(root)?);
    let mut stale = Vec::new();
    for page in pages {
        let path = root.join(&page.path);
        let now = std::fs::read_to_string(&path).unwrap_or_default();
        if now == page.text {
            continue;
        }
        if check {
            stale.push(page.path);
        } else {
            std::fs::write(&path, page.text).map_err(|e| format!("{}: {e}", path.display()))?;
            eprintln!("xtask: wrote {}", page.path);
        }
    }
    match stale.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "not current: {}; run cargo xtask generate",
            stale.join(", ")
        )),
    }
}

/// The name of a parameter in Python, where one name serves a value and several to choose among.
fn name_in_python(param: &Param) -> &'static str {
    match (param.id, param.singular()) {
        ("components", _) => "n_components",
        ("seed", _) => "random_state",
        // Estimators have a method `score`.
        ("score", _) => "scoring",
        (_, Some(one)) => one,
        (id, None) => id,
    }
}

/// Text in lines of at most `width` characters, each after an indent.
fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut lines = vec![String::from(indent)];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let empty = lines[last].len() == indent.len();
        let length = lines[last].chars().count() + word.chars().count() + usize::from(!empty);
        if !empty && length > width {
            lines.push(format!("{indent}{word}"));
        } else {
            if !empty {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_generated_is_current() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("workspace");
        assert_eq!(run(root, true), Ok(()));
    }

    #[test]
    fn lines_are_not_longer_than_asked() {
        let text = "one two three four five six seven";
        assert_eq!(
            wrapped(text, 12, "  "),
            "  one two\n  three four\n  five six\n  seven"
        );
    }
}
