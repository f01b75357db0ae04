//! What a model keeps.

use crate::view::summary::{Listing, Summary};
use crate::view::words::first_of;

/// How many rows and features it keeps.
pub fn keeps(model: &Summary<'_>) -> String {
    let samples = match model.retained.rows.len() {
        0 => "no training rows".into(),
        rows => format!("{rows} of {} rows", model.n_rows),
    };
    let features = &model.features;
    let (used, total) = (features.used().len(), features.total());
    format!("{samples}, {used} of {total} features")
}

/// The rows that it keeps, where it selects some: those that fit a line.
pub fn retained(model: &Summary<'_>) -> Option<String> {
    listed(model, 15, 40)
}

/// All rows that it keeps, where it selects some.
pub fn all_retained(model: &Summary<'_>) -> Option<String> {
    listed(model, usize::MAX, usize::MAX)
}

fn listed(model: &Summary<'_>, most: usize, room: usize) -> Option<String> {
    let rows = model.retained.rows;
    let order = match model.retained.order? {
        Listing::Unordered => "from 0",
        Listing::HeaviestFirst => "from 0, heaviest first",
        Listing::BySelection => "from 0, in order of selection",
    };
    let words: Vec<String> = rows.iter().take(most).map(usize::to_string).collect();
    let some = !rows.is_empty() && rows.len() < model.n_rows;
    let which = if rows.len() == 1 { "row" } else { "rows" };
    some.then(|| format!("{which} {} ({order})", first_of(&words, rows.len(), room)))
}
