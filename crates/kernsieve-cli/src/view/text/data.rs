//! Data in a line.

use super::layout::{COLUMNS, INDENT};
use crate::view::summary::DataFacts;
use crate::view::words::{clean, first_of, width};

/// `iris.csv: 150 rows, 4 features, 3 classes (a 50, b 50, c 50)` after a beginning that ends in
/// `rows`.
pub fn data_words(beginning: &str, data: &DataFacts) -> String {
    let text = format!(
        "{}, {}, {} classes",
        clean(beginning, usize::MAX),
        feature_count(data.n_features),
        data.classes.len()
    );
    // What is left of two lines under a label, with room for the brackets, `... 12 more` and the
    // end of the first line that a name leaves blank.
    let room = (2 * (COLUMNS - INDENT)).saturating_sub(width(&text) + 28);
    let classes = data.classes.iter().map(|(c, n)| (c, *n));
    format!("{text} ({})", class_words(classes, room))
}

/// `1 feature`, `2 features`.
pub fn feature_count(n: usize) -> String {
    format!("{n} {}", if n == 1 { "feature" } else { "features" })
}

/// `setosa 50, versicolor 50, ...`, the first few classes that fit into `width` columns; all of
/// them if the width is not limited.
pub fn class_words<'a>(
    classes: impl ExactSizeIterator<Item = (&'a String, usize)>,
    width: usize,
) -> String {
    let total = classes.len();
    // More than these do not fit two lines.
    let shown = if width == usize::MAX { total } else { COLUMNS };
    let words: Vec<String> = classes
        .take(shown)
        .map(|(c, n)| format!("{} {n}", clean(c, 24)))
        .collect();
    first_of(&words, total, width)
}
