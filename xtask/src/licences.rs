//! The licences of everything that is compiled into the program and the wheels.

use super::cargo;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Licences under which code may be passed on inside a program under MIT or Apache-2.0, with a
/// notice at most.
const ALLOWED: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];
/// What users compile or install.
const OURS: [&str; 2] = ["kernsieve-cli", "kernsieve-py"];
const PAGE: &str = "docs/reference/licences.md";
const BEGIN: &str = "<!-- generated: licences -->\n";
const END: &str = "<!-- /generated -->";

/// Writes the table of licences, or checks that it is current; a licence that is not allowed is an
/// error in both cases.
pub fn run(root: &Path, check: bool) -> Result<(), String> {
    let output = cargo("metadata --format-version 1 --locked")
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let licences = compiled(&metadata)?;
    let refused: Vec<String> = licences
        .iter()
        .filter(|(_, licence)| !is_allowed(licence))
        .map(|(name, licence)| format!("{name} ({licence})"))
        .collect();
    if !refused.is_empty() {
        return Err(format!(
            "licences that are not allowed: {}; use another crate, or add the licence to \
             xtask/src/licences.rs if it may be passed on",
            refused.join(", ")
        ));
    }
    let file = root.join(PAGE);
    let page = std::fs::read_to_string(&file).map_err(|e| format!("{PAGE}: {e}"))?;
    let lost = || {
        format!(
            "{PAGE}: there is no '{}' with '{END}' after it",
            BEGIN.trim()
        )
    };
    let (before, rest) = page.split_once(BEGIN).ok_or_else(lost)?;
    let (_, after) = rest.split_once(END).ok_or_else(lost)?;
    let now = format!("{before}{BEGIN}{}{END}{after}", table(&licences));
    match (now == page, check) {
        (true, _) => Ok(()),
        (false, true) => Err(format!("{PAGE} is not current; run cargo xtask licences")),
        (false, false) => std::fs::write(&file, now).map_err(|e| format!("{PAGE}: {e}")),
    }
}

/// Crates from elsewhere that our programs are compiled from, with their licences.
fn compiled(metadata: &Value) -> Result<BTreeMap<String, String>, String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|p| (text(&p["id"]), p))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|n| (text(&n["id"]), n))
        .collect();
    let ours = |id: &String| OURS.contains(&text(&packages[id]["name"]).as_str());
    let mut todo: Vec<String> = packages.keys().filter(|id| ours(id)).cloned().collect();
    let mut seen: BTreeSet<String> = todo.iter().cloned().collect();
    while let Some(id) = todo.pop() {
        for dependency in nodes.get(&id).map(|n| list(&n["deps"])).unwrap_or_default() {
            let kinds = list(&dependency["dep_kinds"]);
            let next = text(&dependency["pkg"]);
            if kinds.iter().any(|k| k["kind"] != "dev") && seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    let others = seen.iter().filter_map(|id| packages.get(id));
    others
        .filter(|p| !p["source"].is_null())
        .map(|p| match p["license"].as_str() {
            Some(licence) => Ok((text(&p["name"]), licence.replace('/', " OR "))),
            None => Err(format!("{}: names no licence", text(&p["name"]))),
        })
        .collect()
}

/// Licences with the crates that have them.
fn table(licences: &BTreeMap<String, String>) -> String {
    let mut by_licence: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, licence) in licences {
        by_licence.entry(licence).or_default().push(name);
    }
    let mut text = String::from("| licence | crates |\n|---|---|\n");
    for (licence, names) in by_licence {
        text.push_str(&format!("| {licence} | {} |\n", names.join(", ")));
    }
    text
}

/// Whether an expression of licences can be met with allowed ones.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.trim();
    if let Some(parts) = split(expression, " OR ") {
        return parts.iter().any(|part| is_allowed(part));
    }
    if let Some(parts) = split(expression, " AND ") {
        return parts.iter().all(|part| is_allowed(part));
    }
    match expression
        .strip_prefix('(')
        .and_then(|e| e.strip_suffix(')'))
    {
        Some(inner) => is_allowed(inner),
        None => ALLOWED.contains(&expression),
    }
}

/// The parts of an expression between words that stand in no brackets, if there are any.
fn split<'a>(expression: &'a str, word: &str) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    let (mut depth, mut begin) = (0, 0);
    for (at, character) in expression.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && at >= begin && expression[at..].starts_with(word) => {
                parts.push(&expression[begin..at]);
                begin = at + word.len();
            }
            _ => {}
        }
    }
    if parts.is_empty() {
        return None;
    }
    parts.push(&expression[begin..]);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_choice_is_enough_and_every_part_is_needed() {
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "GPL-2.0 OR (ISC AND (Zlib OR GPL-2.0))",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT AND GPL-3.0) OR LGPL-2.1",
            "GPL-2.0 WITH Classpath-exception-2.0",
            "",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
}
