//! Where results and remarks go: data to standard output, talk to standard error.

use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use kernsieve::tuning::Control;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// What a command writes to.
pub struct Terminal<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// One JSON object instead of text.
    pub json: bool,
    /// No progress and no notices.
    pub quiet: bool,
}

impl Terminal<'_> {
    /// Prints a JSON object.
    pub fn object(&mut self, value: &serde_json::Value) -> Result<(), Failure> {
        serde_json::to_writer(&mut *self.out, value).map_err(std::io::Error::from)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// Says something the user should know, on standard error.
    pub fn notices<S: AsRef<str>>(&self, notices: &[S]) {
        if !self.quiet {
            let mut err = std::io::stderr().lock();
            for n in notices {
                // Nobody left to tell is no reason to stop.
                let _ = writeln!(err, "note: {}", clean(n.as_ref(), usize::MAX));
            }
        }
    }

    /// Shows progress on standard error, if that is a terminal.
    pub fn progress(&self, what: &str) -> ProgressBar {
        if self.quiet || self.json || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg:20} {bar:30} {pos}/{len}  {elapsed} gone, {eta} to go");
        let bar = ProgressBar::new(1);
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.set_message(what.to_string());
        bar.enable_steady_tick(Duration::from_millis(250));
        bar
    }

    /// A control that moves a progress bar and keeps to the memory limit.
    pub fn control(&self, bar: &ProgressBar, memory: Option<u64>) -> Control {
        let shown = bar.clone();
        let control = Control::new().on_progress(move |p| {
            shown.set_length(p.total as u64);
            shown.set_position(p.done as u64);
        });
        match memory {
            Some(bytes) => control.memory_limit(bytes),
            None => control,
        }
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

/// Rows of cells as aligned columns: the first column to the left, the others to the right.
pub fn table(header: &[&str], rows: &[Vec<String>], out: &mut dyn Write) -> std::io::Result<()> {
    let mut widths: Vec<usize> = header.iter().map(|h| h.chars().count()).collect();
    for row in rows {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(cell.chars().count());
        }
    }
    let line = |cells: Vec<&str>| {
        let mut text = String::new();
        for (i, (cell, &w)) in cells.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(w.saturating_sub(cell.chars().count()));
            match i {
                0 => text.push_str(&format!("  {cell}{pad}")),
                _ => text.push_str(&format!("  {pad}{cell}")),
            }
        }
        text.trim_end().to_string()
    };
    writeln!(out, "{}", line(header.to_vec()))?;
    for row in rows {
        writeln!(out, "{}", line(row.iter().map(String::as_str).collect()))?;
    }
    Ok(())
}

/// Text from a file on one line and of bearable length: control characters (line breaks, terminal escapes) are replaced.
pub fn clean(text: &str, longest: usize) -> String {
    let mut shown: String = text
        .chars()
        .map(|c| if is_visible(c) { c } else { '\u{fffd}' })
        .take(longest)
        .collect();
    if text.chars().count() > longest {
        shown.push('…');
    }
    shown
}

/// A message of several lines, which may quote names from a file: as [`clean`], but line breaks stay.
pub fn clean_lines(text: &str) -> String {
    text.chars()
        .map(|c| if c == '\n' || is_visible(c) { c } else { '\u{fffd}' })
        .collect()
}

/// Neither a control character nor one that changes the direction or the line of the text around it.
fn is_visible(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// As many of the first words as fit into `width` columns, at least one, and how many were left out.
pub fn fitting(words: &[String], width: usize) -> (&[String], usize) {
    let mut used = 0;
    let fit = words
        .iter()
        .take_while(|w| {
            used += w.chars().count() + 2;
            used <= width + 2
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
    fn lists_end_where_the_line_does() {
        let words = ["abc", "defg", "hi"].map(String::from);
        for (width, shown) in [(0, 1), (3, 1), (8, 1), (9, 2), (12, 2), (13, 3), (99, 3)] {
            assert_eq!(fitting(&words, width), (&words[..shown], 3 - shown), "{width}");
        }
        assert_eq!(fitting(&[], 9), (&[][..], 0));
    }
}
