//! Text from files, made safe for a terminal.

use unicode_width::UnicodeWidthStr;

/// Text from a file on one line and of limited length: control characters (line breaks, terminal
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
pub fn is_visible(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
        && !matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Columns that a text takes on a terminal: two for wide characters, none for combining ones.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The beginning of a text that takes at most this many columns; marks stay with the letter they
/// are on.
pub fn beginning(text: &str, columns: usize) -> &str {
    if columns == usize::MAX || (text.len() <= columns && text.is_ascii()) {
        return text;
    }
    let mut fits = 0;
    // A letter with more than a few marks cannot be read anyway.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_do_not_reach_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\n", 40), "a\u{fffd}[31mb\u{fffd}");
        assert_eq!(clean("abcdef", 3), "abc…");
        assert_eq!(clean("a\u{202e}b", usize::MAX), "a\u{fffd}b");
        assert_eq!(clean_lines("a\u{1b}\nb"), "a\u{fffd}\nb");
    }
}
