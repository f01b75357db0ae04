//! Lists that end where the line does.

use super::width;

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

/// The first of `total` words as a list of about `width` columns, and how many more there are.
pub fn first_of(words: &[String], total: usize, width: usize) -> String {
    let (shown, _) = fitting(words, width);
    let mut text = shown.join(", ");
    if total > shown.len() {
        text.push_str(&format!(", ... {} more", total - shown.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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
