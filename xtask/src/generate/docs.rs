//! Tables of the documentation: methods and options. They stand between markers in pages that are
//! otherwise written by hand.

use super::{Page, name_in_python};
use kernsieve::catalogue::{self, CATALOGUE};
use kernsieve::params::{Fallback, Kind, Param, written};
use std::path::Path;

const END: &str = "<!-- /generated -->";

/// The pages with their generated parts as they should be.
pub fn pages(root: &Path) -> Result<Vec<Page>, String> {
    let places = [
        ("README.md", "methods", methods("")),
        ("docs/guide/index.md", "methods", methods(".md")),
        ("docs/reference/options.md", "options", options()),
    ];
    places
        .into_iter()
        .map(|(path, part, text)| with(root, path, part, &text))
        .collect()
}

/// A page with a new part between its markers.
fn with(root: &Path, path: &str, part: &str, text: &str) -> Result<Page, String> {
    let page = std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
    let begin = format!("<!-- generated: {part} -->");
    let missing = || format!("{path}: there is no '{begin}' with '{END}' after it");
    let (before, rest) = page.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(Page {
        path: path.into(),
        text: format!("{before}{begin}\n{text}{END}{after}"),
    })
}

/// The table of methods; names link to pages with this ending, if there are any.
fn methods(ending: &str) -> String {
    let mut text = String::from(
        "| `--method` | what it is | keeps few | tuned | paper |\n|---|---|---|---|---|\n",
    );
    for about in CATALOGUE.iter().map(|e| e.about) {
        let name = match ending {
            "" => format!("`{}`", about.name),
            ending => format!("[`{0}`]({0}{ending})", about.name),
        };
        text.push_str(&format!(
            "| {name} | {} | {} | {} | {} |\n",
            about.plain,
            about.sparse.words(),
            about.tuned,
            about.paper
        ));
    }
    text
}

/// Every option with its values, its default, its meaning and the methods that have it.
fn options() -> String {
    let mut text = String::from(
        "| option | Python | values | default | meaning | methods |\n|---|---|---|---|---|---|\n",
    );
    for (param, methods) in catalogue::params() {
        let methods = match methods.is_empty() {
            true => "all".into(),
            false => methods.join(", "),
        };
        text.push_str(&format!(
            "| {} | `{}` | {} | {} | {} | {methods} |\n",
            flags(&param),
            name_in_python(&param),
            values(&widest(&param)),
            default(&param),
            cell(param.help),
        ));
    }
    text
}

fn flags(param: &Param) -> String {
    let flag = |id: &str| format!("`--{}`", id.replace('_', "-"));
    match (param.kind, param.singular()) {
        (Kind::On(off), _) => flag(off),
        (_, Some(one)) => format!("{}, {}", flag(one), flag(param.id)),
        (_, None) => flag(param.id),
    }
}

/// The parameter as the method has it that takes most words, where it means the same.
fn widest(param: &Param) -> Param {
    let own = CATALOGUE.iter().filter_map(|e| e.about.param(param.id));
    let own = own.filter(|p| p.help == param.help);
    let words = |p: &Param| match p.kind {
        Kind::Word(words, _) => words.len(),
        _ => 0,
    };
    own.fold(
        *param,
        |best, p| {
            if words(p) > words(&best) { *p } else { best }
        },
    )
}

fn values(param: &Param) -> String {
    match param.kind {
        Kind::Off | Kind::On(_) => String::new(),
        Kind::Count { least, most, .. } => match (least, most) {
            (0, u64::MAX) => "whole".into(),
            (least, u64::MAX) => format!("whole, {least} or more"),
            (least, most) => format!("whole, {least} to {most}"),
        },
        Kind::Number { range, .. } | Kind::Grid { range, .. } => range.words().into(),
        Kind::List { range, .. } => format!("one per class, {}", range.words()),
        Kind::Word(words, _) => words.join(", "),
        Kind::WordOrList(words, range, _) => {
            format!("{}, or one per class, {}", words.join(", "), range.words())
        }
        Kind::Text { .. } => String::new(),
    }
}

fn default(param: &Param) -> String {
    match (param.default, param.kind) {
        (Fallback::Absent(words), _) => cell(words),
        (Fallback::Word(word), _) => word.into(),
        (Fallback::Count(n), _) => n.to_string(),
        (Fallback::Number(v), _) => v.to_string(),
        (Fallback::Kind, Kind::On(_)) => "on".into(),
        (Fallback::Kind, _) => "off".into(),
    }
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    let text = written(text, |id, value| match value {
        None => format!("`--{}`", id.replace('_', "-")),
        Some(value) => format!("`--{} {value}`", id.replace('_', "-")),
    });
    text.replace('|', "\\|").replace('<', "&lt;")
}
