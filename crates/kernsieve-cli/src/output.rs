//! Where results and remarks go: data to standard output, talk to standard error.

use crate::colour;
use crate::failure::Failure;
use crate::progress::Progress;
use serde_json::ser::{Formatter, Serializer};
use std::io::Write;
use std::time::Duration;
use unicode_width::UnicodeWidthStr;

/// Columns of a terminal that every table and line fits into.
pub const COLUMNS: usize = 80;

/// What a command writes to.
pub struct Terminal<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Somebody looks at standard output, it is not a file or a pipe.
    pub is_seen: bool,
    /// One JSON object instead of text.
    pub json: bool,
    /// No progress and no notices.
    pub quiet: bool,
}

impl Terminal<'_> {
    /// Prints a JSON object.
    pub fn object(&mut self, value: &serde_json::Value) -> Result<(), Failure> {
        let mut serializer = Serializer::with_formatter(&mut *self.out, Escaping);
        serde::Serialize::serialize(value, &mut serializer).map_err(std::io::Error::from)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// Says something the user should know, on standard error.
    pub fn notices<S: AsRef<str>>(&self, notices: &[S]) {
        if !self.quiet {
            let mut err = std::io::stderr().lock();
            for n in notices {
                // Nobody left to tell is no reason to stop.
                let _ = writeln!(
                    err,
                    "{} {}",
                    colour::note("note:"),
                    clean(n.as_ref(), usize::MAX)
                );
            }
        }
    }

    /// Shows progress on standard error, if that is a terminal.
    pub fn progress(&self, what: &str) -> Progress {
        if self.quiet || self.json {
            Progress::hidden()
        } else {
            Progress::new(what)
        }
    }
}

/// JSON in which characters that a terminal would obey are escaped, not only those that the
/// standard asks for.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> std::io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| !is_visible(*c)) {
            out.write_all(&rest.as_bytes()[..at])?;
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
}

/// 0.0273 as `2.7 %`.
pub fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// A coefficient to three decimals, or its size where they would all be zero.
pub fn coefficient(w: f64) -> String {
    if w != 0.0 && w.abs() < 5e-4 {
        format!("{w:.0e}")
    } else {
        format!("{w:.3}")
    }
}

/// A number in few characters: four significant digits, no exponent where it can be helped.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    if !(-4.0..6.0).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let decimals = (3.0 - magnitude).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// Seconds as people say them.
pub fn seconds(value: f64) -> String {
    if value < 0.0995 {
        format!("{:.0} ms", 1000.0 * value)
    } else if value < 99.5 {
        format!("{value:.1} s")
    } else {
        format!("{:.0} min {:02.0} s", (value / 60.0).floor(), value % 60.0)
    }
}

/// Seconds in at most six characters.
pub fn seconds_short(value: f64) -> String {
    match value {
        v if v < 0.000_995 => format!("{:.0} us", 1e6 * v),
        v if v < 0.0995 => format!("{:.0} ms", 1000.0 * v),
        v if v < 99.5 => format!("{v:.1} s"),
        v if v < 99.5 * 60.0 => format!("{:.0} min", v / 60.0),
        v => format!("{:.0} h", v / 3600.0),
    }
}

/// A time to come, as people say it: seconds below two minutes, minutes below two hours.
pub fn duration_words(time: Duration) -> String {
    match time.as_secs() {
        s @ 0..120 => format!("{s} s"),
        s @ 120..7200 => format!("{} min", s / 60),
        s => format!("{} h", s / 3600),
    }
}

/// Bytes in at most eight characters.
pub fn size(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, "B");
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1023.5 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" || value >= 99.95 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// `1 split`, `2 splits`.
pub fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Columns that a text takes on a terminal: two for wide characters, none for combining ones.
pub fn width(text: &str) -> usize {
    text.width()
}

/// A text with blanks after it, `columns` wide.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The beginning of a text that takes at most so many columns; marks stay with the letter they are
/// on.
fn beginning(text: &str, columns: usize) -> &str {
    if columns == usize::MAX || (text.len() <= columns && text.is_ascii()) {
        return text;
    }
    let mut fits = 0;
    // A letter with more than a few marks on it is not for reading.
    for (at, c) in text
        .char_indices()
        .take(columns.saturating_mul(8).saturating_add(8))
    {
        let end = at + c.len_utf8();
        if width(&text[..end]) > columns {
            break;
        }
        fits = end;
    }
    &text[..fits]
}

/// A text of at most so many columns, the last of which says that something is missing where that
/// is so.
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

/// `Label    text`, the text in lines that begin below each other.
pub fn field(label: &str, text: &str, out: &mut dyn Write) -> std::io::Result<()> {
    const INDENT: &str = "         ";
    let lines = wrapped(text, INDENT);
    let rest = lines.strip_prefix(INDENT).unwrap_or_default();
    let pad = " ".repeat(INDENT.len().saturating_sub(width(label)));
    writeln!(out, "{}{pad}{rest}", colour::label(label))
}

/// Rows of cells as aligned columns: the first column to the left, the others to the right. Words
/// are cut where the line would be too long.
pub fn table(header: &[&str], rows: &[Vec<String>], out: &mut dyn Write) -> std::io::Result<()> {
    marked_table(
        header,
        rows,
        |row| row.first().is_some_and(|c| c == "*"),
        out,
    )
}

/// A table with some rows of note.
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

/// Text from a file on one line and of bearable length: control characters (line breaks, terminal
/// escapes) are replaced.
pub fn clean(text: &str, longest: usize) -> String {
    let visible: String = text
        .chars()
        .map(|c| if is_visible(c) { c } else { '\u{fffd}' })
        .collect();
    let shown = beginning(&visible, longest);
    if shown.len() < visible.len() {
        format!("{shown}…")
    } else {
        visible
    }
}

/// A message of several lines, which may quote names from a file: as [`clean`], but line breaks
/// stay.
pub fn clean_lines(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c == '\n' || is_visible(c) {
                c
            } else {
                '\u{fffd}'
            }
        })
        .collect()
}

/// Neither a control character nor one that changes the direction or the line of the text around
/// it.
fn is_visible(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// As many of the first words as fit into `columns`, at least one, and how many were left out.
pub fn fitting(words: &[String], columns: usize) -> (&[String], usize) {
    let mut used = 0;
    let fit = words
        .iter()
        .take_while(|w| {
            used += width(w) + 2;
            used <= columns.saturating_add(2)
        })
        .count()
        .clamp(1.min(words.len()), words.len());
    (&words[..fit], words.len() - fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.012345, "0.01235"),
            (123456.0, "123456"),
            (1.5e-7, "1.50e-7"),
        ];
        for (v, text) in cases {
            assert_eq!(short(v), text);
        }
        assert_eq!(short(2.0), "2");
        assert_eq!(seconds(0.012), "12 ms");
        assert_eq!(seconds(3.12), "3.1 s");
        assert_eq!(seconds(125.0), "2 min 05 s");
        assert_eq!(percent(0.0266), "2.7 %");
    }

    #[test]
    fn escapes_do_not_reach_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\n", 40), "a\u{fffd}[31mb\u{fffd}");
        assert_eq!(clean("abcdef", 3), "abc…");
        assert_eq!(clean("a\u{202e}b", usize::MAX), "a\u{fffd}b");
        assert_eq!(clean_lines("a\u{1b}\nb"), "a\u{fffd}\nb");
    }

    #[test]
    fn times_and_sizes_in_few_columns() {
        for (value, text) in [
            (0.0004, "400 us"),
            (0.001, "1 ms"),
            (0.099, "99 ms"),
            (99.4, "99.4 s"),
            (100.0, "2 min"),
            (5400.0, "90 min"),
            (36000.0, "10 h"),
        ] {
            assert_eq!(seconds_short(value), text);
        }
        assert_eq!(size(1023), "1023 B");
        for (bytes, text) in [
            (0, "0 B"),
            (1024, "1.0 KiB"),
            (102_400, "100 KiB"),
            (1 << 20, "1.0 MiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert!(
            (0..1 << 45)
                .step_by(1_234_567_891_011)
                .all(|b| size(b).len() <= 8)
        );
        assert_eq!(size((1 << 20) - 1), "1.0 MiB");
        for (seconds, text) in [
            (0, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (7199, "119 min"),
            (7200, "2 h"),
        ] {
            assert_eq!(duration_words(Duration::from_secs(seconds)), text);
        }
        assert_eq!(
            (plural(1, "split"), plural(2, "split")),
            ("1 split".into(), "2 splits".into())
        );
    }

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

    #[test]
    fn json_holds_no_escapes_of_a_terminal() {
        let names = ["a\u{9b}31m", "\u{1b}[0m", "b\u{202e}c\u{7f}", "日本\n\"\\"];
        let mut out = Vec::new();
        let mut terminal = Terminal {
            out: &mut out,
            is_seen: false,
            json: true,
            quiet: true,
        };
        assert!(terminal.object(&serde_json::json!(names)).is_ok());
        let text = String::from_utf8(out).expect("text");
        assert!(text.trim_end().chars().all(is_visible), "{text:?}");
        let back: Vec<String> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, names);
    }

    #[test]
    fn lists_end_where_the_line_does() {
        let words = ["abc", "defg", "hi"].map(String::from);
        for (width, shown) in [(0, 1), (3, 1), (8, 1), (9, 2), (12, 2), (13, 3), (99, 3)] {
            assert_eq!(
                fitting(&words, width),
                (&words[..shown], 3 - shown),
                "{width}"
            );
        }
        assert_eq!(fitting(&[], 9), (&[][..], 0));
    }
}
