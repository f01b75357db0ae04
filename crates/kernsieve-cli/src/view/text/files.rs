//! Files that a command has written.

use super::layout::field;
use crate::failure::Failure;
use crate::view::summary::Saved;
use crate::view::words::clean;
use kernsieve::model::Model;
use kernsieve::tuning::for_people;
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

/// A model that has taken in rows.
pub fn updated(path: &str, rows: usize, model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    let all = model.record.n_rows;
    let samples = model.support_rows().len();
    field(
        "Rows",
        &format!("{rows} added, {all} in all; the same {samples} samples"),
        out,
    )?;
    writeln!(out, "Model    {}", clean(path, usize::MAX))?;
    Ok(())
}

/// A page about a saved model.
pub fn reported(path: &str, n_rows: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let name = clean(path, usize::MAX);
    writeln!(out, "Report   {name} ({n_rows} rows)")?;
    Ok(())
}
