//! `kernsieve predict`: classes, probabilities and outputs for the rows of a file, block by block.

use super::{keep_input, unused_columns};
use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::output::{Terminal, clean};
use kernsieve::decision::argmax;
use kernsieve::model::{Model, Prediction};
use kernsieve::model_file::{self, AtomicFile};
use kernsieve_io::{Missing, ScoringOptions, ScoringReader, Source, TargetColumn};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

/// Runs the command.
pub fn run(args: &PredictArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    if args.scoring.missing == Missing::Drop {
        return Err(Failure::Usage(
            "every row gets a prediction: --missing is error or mean here".into(),
        ));
    }
    if let Some(path) = &args.output {
        keep_input(
            "--output",
            path,
            &[&args.scoring.model, Path::new(&args.scoring.data)],
        )?;
    }
    let model = model_file::load(&args.scoring.model)?;
    let source = Source::from_arg(&args.scoring.data);
    let options = ScoringOptions {
        unused: unused_columns(&model),
        ..args.scoring.options(TargetColumn::Ignore)
    };
    if model.is_density() && args.proba {
        return Err(Failure::Usage(
            "a density has no classes and no probabilities; without --proba its log densities are written".into(),
        ));
    }
    let mut reader = ScoringReader::open(&source, &model.schema, &options)?;
    let rows = if terminal.json {
        predict_json(args, &model, &mut reader, terminal)?
    } else if let Some(path) = &args.output {
        predict_file(path, |file| {
            predict_csv(args, &model, &mut reader, false, file)
        })?
    } else {
        predict_csv(args, &model, &mut reader, terminal.is_seen, terminal.out)?
    };
    terminal.notices(reader.notices());
    if let (Some(path), false) = (&args.output, terminal.json) {
        terminal.notices(&[format!("{rows} predictions written to {}", path.display())]);
    }
    Ok(())
}

/// Writes a file that is there whole or not at all.
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

/// The columns of the answer.
fn header(args: &PredictArgs, model: &Model) -> Vec<String> {
    let mut names = vec!["predicted".to_string()];
    if args.proba {
        names.extend(model.classes.iter().map(|c| format!("p_{c}")));
    }
    if args.variates {
        names.extend((1..=model.expansion.n_outputs()).map(|k| format!("z{k}")));
    }
    names
}

/// The answer as CSV. Names are data and stay as they are, unless a terminal is going to obey what
/// is in them.
fn predict_csv(
    args: &PredictArgs,
    model: &Model,
    reader: &mut ScoringReader,
    is_seen: bool,
    out: &mut dyn Write,
) -> Result<usize, Failure> {
    if model.is_density() {
        return write_log_densities(model, reader, out, |_| ());
    }
    let cell = |name: &String| {
        if is_seen {
            csv_field(&clean(name, usize::MAX))
        } else {
            csv_field(name)
        }
    };
    let classes: Vec<String> = model.classes.iter().map(cell).collect();
    let names: Vec<String> = header(args, model).iter().map(cell).collect();
    let mut rows = 0;
    // The header goes out with the first rows: a file that cannot be read leaves standard output
    // empty.
    let mut text = names.join(",") + "\n";
    for block in reader {
        let prediction = model.predict(&block?.x);
        for i in 0..prediction.posterior.rows() {
            write_row(args, &prediction, i, &classes, &mut text);
        }
        out.write_all(text.as_bytes())?;
        text.clear();
        rows += prediction.posterior.rows();
    }
    Ok(rows)
}

/// Writes the log density of every row, and shows it to `each`.
pub fn write_log_densities(
    model: &Model,
    reader: &mut ScoringReader,
    out: &mut dyn Write,
    mut each: impl FnMut(f64),
) -> Result<usize, Failure> {
    let mut rows = 0;
    let mut text = String::from("log_density\n");
    for block in reader {
        let z = model.outputs(&block?.x);
        for v in z.as_slice() {
            each(*v);
            number(*v, &mut text);
            text.push('\n');
        }
        out.write_all(text.as_bytes())?;
        text.clear();
        rows += z.rows();
    }
    Ok(rows)
}

fn write_row(
    args: &PredictArgs,
    prediction: &Prediction,
    i: usize,
    classes: &[String],
    text: &mut String,
) {
    let p = prediction.posterior.row(i);
    text.push_str(&classes[argmax(p)]);
    let mut numbers = |values: &[f64]| {
        for v in values {
            text.push(',');
            number(*v, text);
        }
    };
    if args.proba {
        numbers(p);
    }
    if args.variates {
        numbers(prediction.outputs.row(i));
    }
    text.push('\n');
}

/// The shortest text that reads back as the same number; writing to a string cannot fail.
fn number(v: f64, text: &mut String) {
    let _ = if v != 0.0 && v.abs() < 1e-5 {
        write!(text, "{v:e}")
    } else {
        write!(text, "{v}")
    };
}

fn predict_json(
    args: &PredictArgs,
    model: &Model,
    reader: &mut ScoringReader,
    terminal: &mut Terminal<'_>,
) -> Result<usize, Failure> {
    let names = header(args, model);
    if model.is_density() {
        let mut logs: Vec<f64> = Vec::new();
        for block in reader {
            logs.extend(model.outputs(&block?.x).as_slice());
        }
        let rows = logs.len();
        return finish_json(
            args,
            &json!({ "n_rows": rows, "log_density": logs }),
            rows,
            terminal,
        );
    }
    let mut predicted: Vec<&str> = Vec::new();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len() - 1];
    for block in reader {
        let prediction = model.predict(&block?.x);
        for i in 0..prediction.posterior.rows() {
            let p = prediction.posterior.row(i);
            predicted.push(&model.classes[argmax(p)]);
            let probabilities = p.iter().filter(|_| args.proba);
            let outputs = prediction.outputs.row(i).iter().filter(|_| args.variates);
            columns
                .iter_mut()
                .zip(probabilities.chain(outputs))
                .for_each(|(c, v)| c.push(*v));
        }
    }
    let mut object =
        json!({ "n_rows": predicted.len(), "classes": model.classes, "predicted": predicted });
    for (name, column) in names[1..].iter().zip(columns) {
        object[name.as_str()] = Value::from(column);
    }
    finish_json(args, &object, predicted.len(), terminal)
}

/// The object to where it is wanted.
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
            terminal.object(&json!({ "n_rows": rows, "output": path.display().to_string() }))?;
        }
        None => terminal.object(object)?,
    }
    Ok(rows)
}

/// A field of a CSV file, quoted where it has to be.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
