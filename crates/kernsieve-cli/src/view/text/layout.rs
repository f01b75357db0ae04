//! Lines and tables that fit a terminal.

use crate::colour;
use crate::view::words::{beginning, width};
use std::io::Write;

/// Columns of a terminal that every table and line fits into.
pub const COLUMNS: usize = 80;
/// Columns of a label, before the text that belongs to it.
pub const INDENT: usize = 9;

/// A text with blanks after it, `columns` wide.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A text of at most this many columns; if it was cut, the last column says so.
fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.into();
    }
    format!("{}…", beginning(text, columns.saturating_sub(1)))
}

/// Words in lines of at most 80 columns, each with the indent before it. A number stays with its
/// percent sign.
pub fn wrapped(text: &str, indent: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if word.starts_with('%') => last.push_str(&format!(" {word}")),
            _ => words.push(word.into()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&word) <= COLUMNS => {
                line.push_str(&format!(" {word}"))
            }
            _ => lines.push(format!("{indent}{word}")),
        }
    }
    lines.join("\n")
}

/// `Label    text`, with the lines of the text aligned.
pub fn field(label: &str, text: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let indent = " ".repeat(INDENT);
    let lines = wrapped(text, &indent);
    let rest = lines.strip_prefix(&indent).unwrap_or_default();
    let pad = " ".repeat(INDENT.saturating_sub(width(label)));
    writeln!(out, "{}{pad}{rest}", colour::label(label))
}

/// Rows of cells as aligned columns: the first column to the left, the others to the right. Words
/// are cut if the line would be too long.
pub fn table(header: &[&str], rows: &[Vec<String>], out: &mut dyn Write) -> std::io::Result<()> {
    marked_table(
        header,
        rows,
        |row| row.first().is_some_and(|c| c == "*"),
        out,
    )
}

/// A table with some highlighted rows.
pub fn marked_table(
    header: &[&str],
    rows: &[Vec<String>],
    is_marked: impl Fn(&[String]) -> bool,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut widths: Vec<usize> = header.iter().map(|h| width(h)).collect();
    for row in rows {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(width(cell));
        }
    }
    narrow(&mut widths, rows);
    let line = |cells: &[&str]| {
        let mut text = String::new();
        for (i, (cell, &w)) in cells.iter().zip(&widths).enumerate() {
            let cell = cut(cell, w);
            let pad = " ".repeat(w.saturating_sub(width(&cell)));
            match i {
                0 => text.push_str(&format!("  {cell}{pad}")),
                _ => text.push_str(&format!("  {pad}{cell}")),
            }
        }
        text.trim_end().to_string()
    };
    writeln!(out, "{}", colour::heading(&line(header)))?;
    for row in rows {
        let text = line(&row.iter().map(String::as_str).collect::<Vec<_>>());
        let text = if is_marked(row) {
            colour::chosen(&text)
        } else {
            text
        };
        writeln!(out, "{text}")?;
    }
    Ok(())
}

/// Takes columns from the widest columns of words until a line fits. Numbers are never cut.
fn narrow(widths: &mut [usize], rows: &[Vec<String>]) {
    const LEAST: usize = 8;
    let is_words = |j: usize| {
        let cells = rows.iter().filter_map(|r| r.get(j));
        cells
            .into_iter()
            .any(|c| c.chars().filter(|c| c.is_alphabetic()).count() > 4)
    };
    let words: Vec<usize> = (0..widths.len()).filter(|&j| is_words(j)).collect();
    while widths.iter().map(|w| w + 2).sum::<usize>() > COLUMNS {
        let widest = words
            .iter()
            .copied()
            .filter(|&j| widths[j] > LEAST)
            .max_by_key(|&j| widths[j]);
        match widest {
            Some(j) => widths[j] -= 1,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::words::clean;

    #[test]
    fn texts_are_cut_by_the_columns_they_take() {
        // Wide characters take two columns, combining marks none.
        assert_eq!(clean("日本語", 4), "日本…");
        assert_eq!(clean("日本語", 5), "日本…");
        assert_eq!(clean("日本語", 6), "日本語");
        assert_eq!(clean("e\u{301}a\u{308}x", 2), "e\u{301}a\u{308}…");
        assert_eq!(
            (cut("日本語", 5), cut("日本語", 4)),
            ("日本…".into(), "日…".into())
        );
        assert_eq!(width(&padded("日", 5)), 5);
        // However many marks there are, the rest of the line stays where it is.
        let marks = format!("a{}b", "\u{301}".repeat(100_000));
        assert!(clean(&marks, 5).chars().count() <= 5 * 8 + 9);
        let mut out = Vec::new();
        let rows = vec![
            vec!["日本語".to_string(), "1".into()],
            vec!["abc".into(), "22".into()],
        ];
        assert!(table(&["name", "n"], &rows, &mut out).is_ok());
        assert_eq!(
            String::from_utf8_lossy(&out),
            "  name     n\n  日本語   1\n  abc     22\n"
        );
    }

    #[test]
    fn tables_and_lines_fit_the_screen() {
        let row = |k: usize| {
            vec![
                "long name ".repeat(k),
                "12345.678".into(),
                "another long name".repeat(k),
            ]
        };
        let mut out = Vec::new();
        assert!(table(&["name", "number", "next"], &[row(9), row(1)], &mut out).is_ok());
        let text = String::from_utf8(out).expect("text");
        assert!(text.lines().all(|l| width(l) <= COLUMNS), "{text}");
        assert_eq!(text.matches("12345.678").count(), 2, "{text}");
        assert!(text.contains('…'));
        let mut out = Vec::new();
        assert!(field("Why", &"seven words that go on and on ".repeat(9), &mut out).is_ok());
        let text = String::from_utf8(out).expect("text");
        assert!(text.starts_with("Why      seven"));
        assert!(
            text.lines()
                .skip(1)
                .all(|l| l.starts_with("         ") && width(l) <= COLUMNS)
        );
        assert_eq!(text.split_whitespace().count(), 1 + 7 * 9);
    }
}
