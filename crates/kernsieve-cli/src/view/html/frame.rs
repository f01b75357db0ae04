//! What every page shares: its frame, and the only ways in which text from data gets into it.

use super::digest::sha256_base64;
use crate::view::words::clean;
use serde::Serialize;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
/// Colours, then axes, marks and tooltips; what a page draws with them comes after.
const PALETTE: &str = include_str!("palette.js");
const PLOT: &str = include_str!("plot.js");
/// What the script draws; names in it are written as text only, never as HTML.
const READ: &str = "const data = JSON.parse(document.getElementById(\"data\").textContent);";

/// Names longer than this end in an ellipsis, even in tooltips.
const LONGEST: usize = 400;
/// Names up to this length are never broken.
const SHORT: usize = 12;

/// A part of a page under its own heading.
pub struct Section {
    /// Where the table of contents jumps to.
    pub id: &'static str,
    /// Heading.
    pub title: String,
    /// HTML.
    pub body: String,
}

/// A page that needs no other file.
pub struct Page<'a, T> {
    /// Plain text.
    pub title: &'a str,
    /// HTML under the title.
    pub lead: &'a str,
    /// In order.
    pub sections: &'a [Section],
    /// What the script draws.
    pub data: &'a T,
    /// The script that draws it.
    pub script: &'a str,
}

impl<T: Serialize> Page<'_, T> {
    /// The file.
    pub fn html(&self) -> String {
        let title = escape(&clean(self.title, LONGEST));
        // Browsers see line ends as one character, and so must the digest.
        let script = format!(
            "\n(() => {{\n\"use strict\";\n{READ}\n{PALETTE}\n{PLOT}\n{}\n}})();\n",
            self.script
        )
        .replace('\r', "");
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
             http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta \
             name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1 \
             dir=\"auto\" title=\"{title}\">{title}</h1>\n{}\n</header>\n",
            policy(&script),
            self.lead
        );
        if self.sections.len() > 2 {
            page.push_str("<nav aria-label=\"Sections\">");
            for s in self.sections {
                let _ = write!(page, "<a href=\"#{}\">{}</a> ", s.id, escape(&s.title));
            }
            page.push_str("</nav>\n");
        }
        page.push_str("<main>\n");
        for s in self.sections {
            let _ = writeln!(
                page,
                "<section id=\"{0}\" aria-labelledby=\"h-{0}\">\n<h2 \
                 id=\"h-{0}\">{1}</h2>\n{2}\n</section>",
                s.id,
                escape(&s.title),
                s.body
            );
        }
        let _ = write!(
            page,
            "</main>\n<noscript><p class=\"note\">The pictures are drawn by a script in this \
             file; with scripts off the text and the tables remain.</p></noscript>\n\
             <script type=\"application/json\" \
             id=\"data\">{}</script>\n<script>{script}</script>\n</body>\n</html>\n",
            embed(self.data)
        );
        page
    }
}

/// Nothing is loaded and nothing is sent, and only the script with the known digest runs. Text from
/// the data would not run even if it ended up where a script can be. Style attributes are allowed;
/// they set the width of bars.
fn policy(script: &str) -> String {
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        sha256_base64(script)
    )
}

/// Text escaped for HTML, in elements and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A name from the data: the style cuts it to the available width, the tooltip shows it whole, and
/// it has its own writing direction.
pub fn name(text: &str) -> String {
    let text = escape(&plain(text));
    // Where it wraps, rather between its parts than inside them. Entities hold neither character.
    let parts = text.replace('_', "_<wbr>").replace('.', ".<wbr>");
    // A short one stays in a line.
    let short = if text.len() <= SHORT { " short" } else { "" };
    format!("<bdi class=\"name{short}\" title=\"{text}\">{parts}</bdi>")
}

/// A file by its name, with its path in the tooltip.
pub fn file(source: &str) -> String {
    format!(
        "<bdi class=\"name\" title=\"{}\">{}</bdi>",
        escape(&plain(source)),
        escape(&plain(file_name(source)))
    )
}

/// The last part of a path; the whole text if it is not a path.
pub fn file_name(source: &str) -> &str {
    std::path::Path::new(source)
        .file_name()
        .and_then(|f| f.to_str())
        .unwrap_or(source)
}

/// A name as the script gets it.
pub fn plain(text: &str) -> String {
    let text = clean(text, LONGEST);
    if text.trim().is_empty() {
        "(empty)".into()
    } else {
        text
    }
}

/// JSON for a script element: no character in it can end the element or a line.
pub fn embed<T: Serialize>(data: &T) -> String {
    // Numbers, strings and lists of them cannot fail to become JSON.
    let json = serde_json::to_string(data).unwrap_or_else(|_| "null".into());
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// A place for a picture, with a description for those who cannot see it.
pub fn figure(plot: &str, words: &str, caption: &str) -> String {
    format!(
        "<figure data-plot=\"{plot}\" \
         data-words=\"{}\"><figcaption>{caption}</figcaption></figure>",
        escape(words)
    )
}

/// A table that scrolls by itself if it is wider than the page. Titles and cells are HTML; columns
/// marked `true` hold numbers.
pub fn table(head: &[(&str, bool)], rows: &[Vec<String>], class: &str) -> String {
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table \
         class=\"{class}\">\n<thead><tr>"
    );
    for (title, number) in head {
        let _ = write!(
            out,
            "<th scope=\"col\"{}>{}</th>",
            number_class(*number),
            title
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let number = number_class(head.get(i).is_some_and(|h| h.1));
            let _ = match i {
                0 => write!(out, "<th scope=\"row\"{number}>{cell}</th>"),
                _ => write!(out, "<td{number}>{cell}</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

fn number_class(number: bool) -> &'static str {
    if number { " class=\"num\"" } else { "" }
}

/// A bar that fills 0 to 1 of its width, in a cell of a table.
pub fn bar(share: f64) -> String {
    let width = 100.0 * share.abs().clamp(0.0, 1.0);
    let sign = if share < 0.0 { " minus" } else { "" };
    format!("<span class=\"bar{sign}\"><span style=\"width:{width:.1}%\"></span></span>")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NASTY: &str = "</script><script>alert(1)</script>\u{2028}<!--&'\"";

    #[test]
    fn no_text_leaves_its_place() {
        let json = embed(&[NASTY]);
        assert!(!json.contains(['<', '>', '&', '\u{2028}']), "{json}");
        let back: Vec<String> = serde_json::from_str(&json).expect("still JSON");
        assert_eq!(back, [NASTY]);
        for text in [escape(NASTY), name(NASTY), figure("a", NASTY, "")] {
            let inside = text
                .replace("<bdi class=\"name\" title=\"", "")
                .replace("\">", "")
                .replace("</bdi>", "");
            let inside = inside
                .replace("<figure data-plot=\"a\" data-words=\"", "")
                .replace("<figcaption></figcaption></figure>", "");
            assert!(!inside.contains(['<', '>', '"', '\'']), "{inside}");
        }
    }

    #[test]
    fn a_page_has_one_script_and_lets_nothing_else_in() {
        let sections = [Section {
            id: "a",
            title: NASTY.into(),
            body: name(NASTY),
        }];
        let page = Page {
            title: NASTY,
            lead: "",
            sections: &sections,
            data: &NASTY,
            script: "",
        };
        let html = page.html();
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(html.contains("default-src 'none'"));
        assert!(!html.contains("<script>alert"));
    }

    #[test]
    fn long_and_empty_names() {
        assert!(plain(&"x".repeat(3000)).chars().count() <= LONGEST + 1);
        assert_eq!(plain("  "), "(empty)");
        assert_eq!(plain("a\tb"), "a\u{fffd}b");
    }
}
