//! Files that a command has written.

use super::layout::{field, wrapped};
use crate::failure::Failure;
use crate::view::summary::Saved;
use crate::view::words::clean;
use kernsieve::model::Model;
use kernsieve::tuning::for_people;
use kernsieve_onnx::{INPUT, Precision, output_names};
use std::io::Write;

/// Where the model is, or how to keep it.
pub fn model_file(saved: Option<&Saved>, out: &mut dyn Write) -> Result<(), Failure> {
    match saved {
        Some(file) => {
            let size = file.bytes.map(for_people).unwrap_or_default();
            let name = clean(&file.path, usize::MAX);
            field("Model", &format!("{name} ({size})"), out)?;
        }
        None => field("Model", "not saved; --model FILE keeps it", out)?,
    }
    Ok(())
}

/// Where a page is. The name stays in one line, whatever its length.
pub fn page_file(path: &str, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "Report   {}", clean(path, usize::MAX))?;
    Ok(())
}

/// A page about a saved model.
pub fn reported(path: &str, n_rows: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let name = clean(path, usize::MAX);
    writeln!(out, "Report   {name} ({n_rows} rows)")?;
    Ok(())
}

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
