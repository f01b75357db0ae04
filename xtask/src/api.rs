//! The public interface of the crates as text that is committed, so that a change of it is seen, and
//! meant. The text is taken from the pages of rustdoc: what the compiler takes to be public is
//! listed, re-exports and derived implementations included.

use super::target;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Crates that people use. Their listings lie beside their manifests.
const CRATES: [&str; 5] = [
    "kernsieve",
    "kernsieve-cli",
    "kernsieve-dense",
    "kernsieve-io",
    "kernsieve-onnx",
];

/// Compares the committed listings with the pages that `cargo doc` has made, or writes them.
pub fn run(root: &Path, update: bool) -> Result<(), String> {
    let mut changes = String::new();
    for name in CRATES {
        let folder = target(root).join("doc").join(name.replace('-', "_"));
        let now = listing(&folder)?;
        let file = root.join("crates").join(name).join("public-api.txt");
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        if now == before {
            continue;
        }
        if update {
            std::fs::write(&file, &now).map_err(|e| format!("{}: {e}", file.display()))?;
            eprintln!("xtask: wrote {}", file.display());
        } else {
            changes.push_str(&difference(name, &before, &now));
        }
    }
    match changes.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "the public interface is not the listed one:\n{changes}cargo xtask api --update lists \
             it anew; a change that breaks users belongs in CHANGELOG.md"
        )),
    }
}

/// Lines that one listing has and the other has not, each below the item that it belongs to.
fn difference(name: &str, before: &str, now: &str) -> String {
    let numbered = |text: &str| -> BTreeMap<(String, String), usize> {
        let mut item = String::new();
        let mut lines = BTreeMap::new();
        for line in text.lines() {
            if !line.starts_with(' ') {
                item = line.into();
            }
            *lines.entry((item.clone(), line.into())).or_default() += 1;
        }
        lines
    };
    let (old, new) = (numbered(before), numbered(now));
    let only = |these: &BTreeMap<(String, String), usize>,
                others: &BTreeMap<(String, String), usize>,
                sign: char| {
        let missing = these.keys().filter(|line| !others.contains_key(*line));
        missing
            .map(|(item, line)| format!("  {sign} {name}: {item}: {}\n", line.trim()))
            .collect::<String>()
    };
    only(&old, &new, '-') + &only(&new, &old, '+')
}

/// The public items of a crate with their declarations, methods and implemented traits.
fn listing(folder: &Path) -> Result<String, String> {
    let mut pages = Vec::new();
    collect(folder, &mut pages).map_err(|e| {
        format!(
            "{}: {e}; cargo doc --workspace --no-deps makes the pages",
            folder.display()
        )
    })?;
    let mut items = BTreeMap::new();
    for page in pages {
        let text =
            std::fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
        let path = page.strip_prefix(folder).unwrap_or(&page);
        if let Some((name, lines)) = item(path, &text) {
            items.insert(name, lines);
        }
    }
    let mut text = String::new();
    for (name, lines) in items {
        text.push_str(&format!("{name}\n"));
        for line in lines {
            text.push_str(&format!("    {line}\n"));
        }
    }
    Ok(text)
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|e| e == "html") {
            pages.push(path);
        }
    }
    Ok(())
}

/// What a page says: the name of its item, and a line for each thing that a user can name. Pages
/// that only lead to others have none.
fn item(path: &Path, page: &str) -> Option<(String, Vec<String>)> {
    let stem = path.file_stem()?.to_str()?;
    let mut module: Vec<&str> = path.parent()?.iter().filter_map(|p| p.to_str()).collect();
    if stem == "index" {
        let uses = between(page, "id=\"reexport.", "</code>");
        let lines = uses.filter_map(|part| part.split_once("<code>").map(|(_, code)| plain(code)));
        let name = match module.is_empty() {
            true => "mod crate".into(),
            false => format!("mod {}", module.join("::")),
        };
        return Some((name, sorted(lines)));
    }
    let (kind, name) = stem.split_once('.')?;
    let declared = between(page, "<pre class=\"rust item-decl\">", "</pre>").next()?;
    module.push(name);
    let mut lines = vec![plain(declared)];
    let own = part(page, "id=\"implementations-list\"");
    lines.extend(sorted(headers(own)));
    lines.extend(sorted(
        headers(part(page, "id=\"trait-implementations-list\"")).filter(
            // Methods of traits belong to their traits.
            |line| line.starts_with("impl") || line.starts_with("unsafe impl"),
        ),
    ));
    Some((format!("{kind} {}", module.join("::")), lines))
}

/// A list of implementations: from its mark to the heading of the next one.
fn part<'a>(page: &'a str, mark: &str) -> &'a str {
    let Some((_, rest)) = page.split_once(mark) else {
        return "";
    };
    rest.split("<h2 id=").next().unwrap_or(rest)
}

/// Signatures and heads of implementations.
fn headers(html: &str) -> impl Iterator<Item = String> {
    // Closed by </h3> or </h4>, as deep as they stand.
    between(html, "class=\"code-header\">", "</h").map(plain)
}

fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines.dedup();
    lines
}

/// What stands between two marks, every time.
fn between<'a>(text: &'a str, begin: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(begin)
        .skip(1)
        .filter_map(move |rest| rest.split_once(end).map(|(inside, _)| inside))
}

/// Text without tags, with plain characters and single blanks.
fn plain(html: &str) -> String {
    let mut text = String::new();
    for (n, piece) in html.split('<').enumerate() {
        let words = match n {
            0 => piece,
            _ => piece.split_once('>').map_or("", |(_, words)| words),
        };
        text.push_str(words);
    }
    for (escape, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        text = text.replace(escape, character);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r##"<pre class="rust item-decl"><code>pub struct Grid&lt;T&gt; {
    pub <a>side</a>: f64,
}</code></pre><h2 id="implementations">..</h2><div id="implementations-list">
<section id="method.b"><h4 class="code-header">pub fn <a href="#">b</a>(&amp;self)</h4></section>
<section id="method.a"><h4 class="code-header">pub fn a()</h4></section></div>
<h2 id="trait-implementations">..</h2><div id="trait-implementations-list">
<h3 class="code-header">impl&lt;T&gt; Clone for Grid&lt;T&gt;</h3><h4 class="code-header">fn clone()</h4></div>
<h2 id="blanket-implementations">..</h2><h3 class="code-header">impl Any for Grid</h3>"##;

    #[test]
    fn a_page_becomes_lines() {
        let (name, lines) = item(Path::new("data/struct.Grid.html"), PAGE).expect("an item");
        assert_eq!(name, "struct data::Grid");
        assert_eq!(
            lines,
            [
                "pub struct Grid<T> { pub side: f64, }",
                "pub fn a()",
                "pub fn b(&self)",
                "impl<T> Clone for Grid<T>",
            ]
        );
    }

    #[test]
    fn a_change_names_its_item() {
        let told = difference(
            "c",
            "fn a\n    pub fn a()\n",
            "fn a\n    pub fn a(x: f64)\n",
        );
        assert_eq!(
            told,
            "  - c: fn a: pub fn a()\n  + c: fn a: pub fn a(x: f64)\n"
        );
    }
}
