//! How good a model is, line by line.

use super::layout::field;
use crate::failure::Failure;
use crate::view::summary::Summary;
use crate::view::words::{before_costs, beside_baseline, expected_error, percent, threshold};
use std::io::Write;

/// The error to expect, beside the baseline and that of the training rows.
pub fn print_errors(model: &Summary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let on_training = format!("{} on the training rows", percent(model.train_error));
    let lines = [
        expected_error(model),
        before_costs(model),
        beside_baseline(model),
        Some(on_training),
    ];
    if let Some(words) = threshold(model) {
        field("Decides", &words, out)?;
    }
    for (k, words) in lines.into_iter().flatten().enumerate() {
        field(if k == 0 { "Error" } else { "" }, &words, out)?;
    }
    Ok(())
}
