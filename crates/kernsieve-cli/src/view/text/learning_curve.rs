//! The error when fits see fewer rows.

use super::layout::{field, table};
use crate::failure::Failure;
use crate::view::words::percent;
use kernsieve::tuning::LearningPoint;
use std::io::Write;

/// The learning curve of the chosen setting.
pub fn print_learning_curve(curve: &[LearningPoint], out: &mut dyn Write) -> Result<(), Failure> {
    let words = "the chosen setting on fewer rows of the training part of each fold, error on the \
                 held-out part";
    field("Learning", words, out)?;
    writeln!(out)?;
    let row = |p: &LearningPoint| {
        let (error, se) = (percent(p.error), percent(p.standard_error));
        vec![p.rows.to_string(), format!("{error} +- {se}")]
    };
    let rows: Vec<Vec<String>> = curve.iter().map(row).collect();
    table(&["rows", "CV error"], &rows, out)?;
    writeln!(out)?;
    Ok(())
}
