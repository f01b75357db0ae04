//! The commands, one file each: what is read, what is fitted, and what is shown.

pub mod compare;
pub mod demo;
pub mod density;
pub mod evaluate;
#[cfg(feature = "onnx")]
pub mod export;
#[cfg(not(feature = "onnx"))]
#[path = "export_absent.rs"]
pub mod export;
pub mod fit;
mod input;
pub mod inspect;
mod like;
mod parts;
pub mod predict;
pub mod report;
pub mod shell;
pub mod update;

use crate::args::ScoringArgs;
use crate::failure::Failure;
use crate::view::html::shell_command;
use kernsieve::model::Model;
use kernsieve::model_file;
use kernsieve_io::{ScoringOptions, ScoringReader, Source, TargetColumn, is_table};
use std::io::Read;
use std::path::Path;

/// Refuses to write a result over a file that the command reads.
fn keep_input(option: &str, output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    // Files that do not exist yet have no canonical path, and cannot be an input.
    let place = |path: &Path| path.canonicalize().ok();
    let target = place(output);
    match inputs
        .iter()
        .find(|i| target.is_some() && place(i) == target)
    {
        Some(input) => Err(Failure::Usage(format!(
            "{option} would overwrite {}, which is read here; name another file",
            input.display()
        ))),
        None => Ok(()),
    }
}

/// Whether a name stands for standard input.
fn is_stdin(name: &Path) -> bool {
    name == Path::new("-")
}

/// Checks before the long part that the model can be saved after it.
fn check_writable(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::CouldNot(format!(
            "{}: is a directory; this takes the name of a file",
            path.display()
        )));
    }
    Ok(model_file::check_writable(path)?)
}

/// The command line, quoted for a shell.
fn this_command() -> String {
    let words = crate::WORDS.get().cloned().unwrap_or_default();
    shell_command(std::iter::once("kernsieve".into()).chain(words))
}

/// Opens a file whose rows have classes, for a saved model.
fn open_labelled(
    scoring: &ScoringArgs,
    target: Option<&String>,
    model: &Model,
) -> Result<(Source, ScoringReader), Failure> {
    let source = Source::from_arg(&scoring.data);
    let options = ScoringOptions {
        target_name: target.cloned(),
        unused: unused_columns(model),
        ..scoring.options(TargetColumn::Required)
    };
    let reader = ScoringReader::open(&source, &model.schema, &options)?;
    Ok((source, reader))
}

/// For every column of the data, whether the model does not need it: none of its features has a
/// weight.
fn unused_columns(model: &Model) -> Vec<bool> {
    let mut weights = model.feature_weights().iter();
    let columns = model.schema.columns.iter();
    columns
        .map(|c| weights.by_ref().take(c.width()).all(|w| *w == 0.0))
        .collect()
}

/// A saved model. If the file holds data instead, the error says how to get a model, or that the
/// data come second (`rows`, where a command takes both).
fn load_model(path: &Path, rows: Option<&Path>) -> Result<Model, Failure> {
    let error = match model_file::load(path) {
        Ok(model) => return Ok(model),
        Err(e @ kernsieve::Error::ModelFile(_)) => e,
        Err(other) => return Err(other.into()),
    };
    let name = path.display();
    let mut head = Vec::new();
    let begins = std::fs::File::open(path).and_then(|f| f.take(1 << 15).read_to_end(&mut head));
    if begins.is_err() || !is_table(&name.to_string(), &head) {
        return Err(error.into());
    }
    let remedy = match rows {
        Some(rows) if model_file::load(rows).is_ok() => {
            format!(
                "the model comes first, then the data: {} {name}",
                rows.display()
            )
        }
        Some(_) => format!(
            "the model comes first, then the data; kernsieve fit {name} --model OUT makes a model"
        ),
        None => format!("kernsieve fit {name} --model OUT makes a model of it"),
    };
    Err(Failure::CouldNot(format!(
        "not a usable model file: {name} is a data file, not a model; {remedy}"
    )))
}

/// A model that tells classes apart.
fn load_classifier(path: &Path, rows: Option<&Path>) -> Result<Model, Failure> {
    let model = load_model(path, rows)?;
    if model.is_density() {
        return Err(Failure::CouldNot(format!(
            "{}: a density has no classes; kernsieve predict gives the log densities of rows, \
             kernsieve inspect shows it",
            path.display()
        )));
    }
    Ok(model)
}
