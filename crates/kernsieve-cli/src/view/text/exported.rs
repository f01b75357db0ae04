//! A model that was written as an ONNX file.

use super::layout::wrapped;
use crate::failure::Failure;
use crate::view::words::clean;
use kernsieve::model::Model;
use kernsieve::tuning::for_people;
use kernsieve_onnx::{INPUT, Precision, output_names};
use std::io::Write;

/// A model in another format.
pub fn exported(
    path: &str,
    bytes: usize,
    precision: Precision,
    model: &Model,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let words = format!(
        "{} ({}), {precision} precision: {INPUT} with {} features -> {}",
        clean(path, usize::MAX),
        for_people(bytes as u64),
        model.schema.n_features(),
        output_names(model).join(", ")
    );
    writeln!(out, "{}", wrapped(&words, ""))?;
    Ok(())
}
