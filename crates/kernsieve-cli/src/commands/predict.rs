//! `kernsieve predict`: classes, probabilities and outputs for the rows of a file, block by block.

use super::{keep_input, load_model, unused_columns};
use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::view::csv::{self, Wanted};
use crate::view::json::{self, Predictions};
use crate::view::summary::Overflow;
use crate::view::terminal::Terminal;
use crate::view::words::clean;
use kernsieve::model::Model;
use kernsieve::model_file::AtomicFile;
use kernsieve_io::{Missing, ScoringOptions, ScoringReader, Source, TargetColumn};
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// Runs the command.
pub fn run(args: &PredictArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    if args.scoring.missing == Some(Missing::Drop) {
        return Err(Failure::Usage(
            "every row gets a prediction: --missing is error or mean here".into(),
        ));
    }
    if let Some(path) = &args.output {
        keep_input("--output", path, &[&args.scoring.model, &args.scoring.data])?;
    }
    let model = load_model(&args.scoring.model, Some(&args.scoring.data))?;
    let source = Source::from_arg(&args.scoring.data);
    let options = ScoringOptions {
        unused: unused_columns(&model),
        keep: args.keep.clone(),
        ..args.scoring.options(TargetColumn::Ignore)
    };
    if model.is_density() && args.proba {
        return Err(Failure::Usage(
            "a density has no classes and no probabilities; without --proba its log densities \
             are written"
                .into(),
        ));
    }
    if model.is_density() && !args.keep.is_empty() {
        return Err(Failure::Usage(
            "--keep goes with predicted classes; log densities are written alone".into(),
        ));
    }
    let mut reader = ScoringReader::open(&source, &model.schema, &options)?;
    if !terminal.json {
        check_names(&reader.kept_columns(), &wanted(args).names(&model))?;
    }
    let mut overflow = Overflow::default();
    let rows = if terminal.json {
        predict_json(args, &model, &mut reader, &mut overflow, terminal)?
    } else if let Some(path) = &args.output {
        predict_file(path, |file| {
            predict_csv(args, &model, &mut reader, &mut overflow, false, file)
        })?
    } else {
        let is_seen = terminal.is_seen;
        predict_csv(
            args,
            &model,
            &mut reader,
            &mut overflow,
            is_seen,
            terminal.out,
        )?
    };
    terminal.notices(reader.notices());
    terminal.notices(&Vec::from_iter(overflow.notice()));
    if let (Some(path), false) = (&args.output, terminal.json) {
        terminal.notices(&[format!("{rows} predictions written to {}", path.display())]);
    }
    Ok(())
}

/// Columns that are carried through must not be called as those of the answer.
fn check_names(kept: &[String], own: &[String]) -> Result<(), Failure> {
    match kept.iter().find(|name| own.contains(name)) {
        None => Ok(()),
        Some(name) => Err(Failure::Usage(format!(
            "--keep: the answer has a column '{name}' of its own; name the other columns to keep, \
             such as --keep id,name, or rename that of the file"
        ))),
    }
}

/// Writes a file whole or not at all.
pub fn predict_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<usize, Failure>,
) -> Result<usize, Failure> {
    let mut file = AtomicFile::create(path)?;
    let rows = write(&mut file).map_err(|e| match e {
        Failure::CouldNot(m) if m.starts_with("cannot write") => {
            Failure::CouldNot(format!("{}: {m}", path.display()))
        }
        other => other,
    })?;
    file.finish()?;
    Ok(rows)
}

fn wanted(args: &PredictArgs) -> Wanted {
    Wanted {
        proba: args.proba,
        variates: args.variates,
    }
}

/// The answer as CSV. Names are data and stay as they are, except on a terminal, which could obey
/// control characters in them.
fn predict_csv(
    args: &PredictArgs,
    model: &Model,
    reader: &mut ScoringReader,
    overflow: &mut Overflow,
    is_seen: bool,
    out: &mut dyn Write,
) -> Result<usize, Failure> {
    if model.is_density() {
        return write_log_densities(model, reader, out, |_| ());
    }
    let cell = |name: &String| {
        if is_seen {
            csv::field(&clean(name, usize::MAX))
        } else {
            csv::field(name)
        }
    };
    let classes: Vec<String> = model.classes.iter().map(cell).collect();
    let mut names = reader.kept_columns();
    names.extend(wanted(args).names(model));
    let names: Vec<String> = names.iter().map(cell).collect();
    let mut rows = 0;
    // The header is written with the first rows, so that a file that cannot be read leaves standard
    // output empty.
    let mut text = names.join(",") + "\n";
    for block in reader {
        let block = block?;
        let prediction = model.predict(&block.x);
        overflow.add(&prediction.outputs);
        let kept: Vec<Vec<String>> = block
            .kept
            .iter()
            .map(|row| row.iter().map(cell).collect())
            .collect();
        csv::predictions(wanted(args), &prediction, &classes, &kept, &mut text);
        out.write_all(text.as_bytes())?;
        text.clear();
        rows += prediction.posterior.rows();
    }
    Ok(rows)
}

/// Writes the log density of every row, and passes it to `each`.
pub fn write_log_densities(
    model: &Model,
    reader: &mut ScoringReader,
    out: &mut dyn Write,
    mut each: impl FnMut(f64),
) -> Result<usize, Failure> {
    let mut rows = 0;
    let mut text = String::from(csv::LOG_DENSITY);
    for block in reader {
        let z = model.outputs(&block?.x);
        z.as_slice().iter().for_each(|v| each(*v));
        csv::numbers(z.as_slice(), &mut text);
        out.write_all(text.as_bytes())?;
        text.clear();
        rows += z.rows();
    }
    Ok(rows)
}

fn predict_json(
    args: &PredictArgs,
    model: &Model,
    reader: &mut ScoringReader,
    overflow: &mut Overflow,
    terminal: &mut Terminal<'_>,
) -> Result<usize, Failure> {
    if model.is_density() {
        let mut logs: Vec<f64> = Vec::new();
        for block in reader {
            logs.extend(model.outputs(&block?.x).as_slice());
            let bytes = logs.len() * std::mem::size_of::<Value>();
            args.scoring.hold(bytes, "one JSON object", "write CSV")?;
        }
        return finish_json(args, &json::log_densities(&logs), logs.len(), terminal);
    }
    let mut predictions = Predictions::new(wanted(args), model, reader.kept_columns());
    for block in reader {
        let block = block?;
        let prediction = model.predict(&block.x);
        overflow.add(&prediction.outputs);
        predictions.add(&prediction, block.kept);
        let bytes = predictions.n_rows() * predictions.row_bytes();
        args.scoring.hold(bytes, "one JSON object", "write CSV")?;
    }
    let rows = predictions.n_rows();
    finish_json(args, &predictions.into_json(&model.classes), rows, terminal)
}

/// Writes the object to the place that was asked for.
fn finish_json(
    args: &PredictArgs,
    object: &Value,
    rows: usize,
    terminal: &mut Terminal<'_>,
) -> Result<usize, Failure> {
    match &args.output {
        Some(path) => {
            let mut file = AtomicFile::create(path)?;
            serde_json::to_writer(&mut file, object).map_err(std::io::Error::from)?;
            file.finish()?;
            terminal.object(&json::predicted(&path.display().to_string(), rows))?;
        }
        None => terminal.object(object)?,
    }
    Ok(rows)
}
