//! `kernsieve density`: a sparse kernel density of the rows of a file, and of new rows with it.

use super::fit::{check_writable, kernel_cell};
use super::predict::{predict_file, write_log_densities};
use super::{keep_input, keeps_words, kernel_of, samples_words};
use crate::args::DensityArgs;
use crate::failure::Failure;
use crate::output::{Terminal, clean, field, seconds, short, table};
use kernsieve::data::Schema;
use kernsieve::expansion::Output;
use kernsieve::method::density::{Criterion, DensityRecord};
use kernsieve::model::Model;
use kernsieve::model_file;
use kernsieve::tuning::{DensityData, for_people, train_density};
use kernsieve_io::{Missing, ScoringOptions, ScoringReader, Source, read_features};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Runs the command.
pub fn run(args: &DensityArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    let options = args.options();
    options
        .check_density()
        .map_err(|e| Failure::Usage(e.to_string()))?;
    if args.file.data == "-" && args.test.as_deref() == Some("-") {
        return Err(Failure::Usage(
            "standard input can be the data or the new rows, not both".into(),
        ));
    }
    if args.model.is_some() && args.model == args.output {
        return Err(Failure::Usage(
            "--model and --output name the same file; each needs one of its own".into(),
        ));
    }
    let inputs = [
        Path::new(&args.file.data),
        Path::new(args.test.as_deref().unwrap_or("-")),
    ];
    for (option, path) in [("--model", &args.model), ("--output", &args.output)] {
        if let Some(path) = path {
            keep_input(option, path, &inputs)?;
            check_writable(path)?;
        }
    }
    let source = Source::from_arg(&args.file.data);
    let input = read_features(&source, &args.file.read_options())?;
    terminal.notices(&input.notices);
    // Opened before the long part, so that a wrong name or a missing column costs no time.
    let test = match &args.test {
        None => None,
        Some(test) => Some(open_new_rows(test, args, &input.schema)?),
    };
    let read_seconds = started.elapsed().as_secs_f64();
    let progress = terminal.progress("tuning the bandwidth");
    let control = progress.control(args.file.memory);
    let data = DensityData {
        x: &input.x,
        weights: input.weights.as_deref(),
        schema: &input.schema,
    };
    let trained = train_density(&data, &options, args.criterion.into(), &control);
    progress.finish();
    let mut trained = trained?;
    terminal.notices(&trained.notices);
    // Rows of the file, not of what was left after dropping.
    trained.model.record.report.rename_rows(&input.rows);
    let model = &trained.model;
    if let Some(path) = &args.model {
        model_file::save(model, path)?;
    }
    let test = match test {
        None => None,
        Some(mut reader) => Some(new_rows(&mut reader, args, model, terminal)?),
    };
    if terminal.json {
        let mut object = density_json(model);
        let mut notices = input.notices;
        notices.extend(trained.notices.clone());
        object["test"] = test
            .map(|t| json!({ "n_rows": t.rows, "log_density": t.mean }))
            .unwrap_or_default();
        object["notices"] = json!(notices);
        object["seconds"] = json!({ "read": read_seconds, "tune": trained.tune_seconds, "fit": trained.fit_seconds });
        object["model"] = json!(args.model.as_ref().map(|p| p.display().to_string()));
        object["output"] = json!(args.output.as_ref().map(|p| p.display().to_string()));
        return terminal.object(&object);
    }
    let out = &mut *terminal.out;
    let p = input.x.cols();
    let words = format!(
        "{source}: {} rows, {p} {}",
        input.x.rows(),
        if p == 1 { "feature" } else { "features" }
    );
    field("Data", &clean(&words, usize::MAX), out)?;
    if let Some(density) = model.record.density.as_ref().filter(|d| d.grid.len() > 1) {
        let time = seconds(trained.tune_seconds);
        field(
            "Tuning",
            &format!(
                "{} bandwidths x {} folds in {time}",
                density.grid.len(),
                density.folds
            ),
            out,
        )?;
        writeln!(out)?;
        print_grid(density, out)?;
        writeln!(out)?;
    }
    print_density(model, out)?;
    if let Some(test) = test {
        let name = clean(args.test.as_deref().unwrap_or_default(), usize::MAX);
        field(
            "",
            &format!("{} on {name} ({} rows)", short(test.mean), test.rows),
            out,
        )?;
        if let Some(path) = &args.output {
            field(
                "Written",
                &clean(&path.display().to_string(), usize::MAX),
                out,
            )?;
        }
    }
    match &args.model {
        Some(path) => {
            let size = std::fs::metadata(path)
                .map(|m| for_people(m.len()))
                .unwrap_or_default();
            field(
                "Model",
                &format!(
                    "{} ({size})",
                    clean(&path.display().to_string(), usize::MAX)
                ),
                out,
            )?;
        }
        None => field("Model", "not saved; --model FILE keeps it", out)?,
    }
    Ok(())
}

/// What the density says of new rows.
struct NewRows {
    rows: usize,
    /// Mean log density.
    mean: f64,
}

/// Opens the file of new rows.
fn open_new_rows(
    test: &str,
    args: &DensityArgs,
    schema: &Schema,
) -> Result<ScoringReader, Failure> {
    let options = ScoringOptions {
        format: args.file.format,
        // Every row gets an answer here.
        missing: match args.file.missing {
            Missing::Drop => Missing::Error,
            other => other,
        },
        no_header: args.file.no_header,
        ..ScoringOptions::default()
    };
    Ok(ScoringReader::open(
        &Source::from_arg(test),
        schema,
        &options,
    )?)
}

/// Log densities of new rows, written out where that is asked for.
fn new_rows(
    reader: &mut ScoringReader,
    args: &DensityArgs,
    model: &Model,
    terminal: &Terminal<'_>,
) -> Result<NewRows, Failure> {
    let mut sum = 0.0;
    let mut each = |out: &mut dyn Write| write_log_densities(model, reader, out, |v| sum += v);
    let rows = match &args.output {
        Some(path) => predict_file(path, each)?,
        None => each(&mut std::io::sink())?,
    };
    terminal.notices(reader.notices());
    Ok(NewRows {
        rows,
        mean: sum / rows as f64,
    })
}

/// The best bandwidths of the table, widest first.
fn print_grid(density: &DensityRecord, out: &mut dyn Write) -> Result<(), Failure> {
    const SHOWN: usize = 8;
    // Those next to the chosen one.
    let first = density
        .chosen
        .saturating_sub(SHOWN / 2)
        .min(density.grid.len().saturating_sub(SHOWN));
    let rows: Vec<Vec<String>> = (first..density.grid.len().min(first + SHOWN))
        .map(|i| {
            let e = &density.grid[i];
            let number = |v: Option<f64>| v.map(short).unwrap_or_default();
            vec![
                if i == density.chosen {
                    "*".into()
                } else {
                    String::new()
                },
                kernel_cell(&kernsieve::method::Candidate::new(e.kernel)),
                number(e.ise),
                number(e.log_density),
                format!("{:.1}", e.retained),
            ]
        })
        .collect();
    table(
        &["", "kernel", "CV ISE", "log density", "rows kept"],
        &rows,
        out,
    )?;
    if density.grid.len() > rows.len() {
        writeln!(
            out,
            "  ... {} more in the model (kernsieve inspect --json)",
            density.grid.len() - rows.len()
        )?;
    }
    Ok(())
}

/// What a density is and how good, in a few lines.
pub fn print_density(model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(density) = &model.record.density else {
        return Ok(());
    };
    let chosen = &density.grid[density.chosen];
    field("Chosen", &kernel_of(model), out)?;
    field("Keeps", &keeps_words(model), out)?;
    if let Some(rows) = samples_words(model) {
        field("", &rows, out)?;
    }
    let number = |v: Option<f64>| v.map_or_else(|| "beyond floating point".into(), short);
    writeln!(
        out,
        "ISE      {} leave-one-out, {} in {}-fold cross-validation",
        number(density.loo_ise),
        number(chosen.ise),
        density.folds
    )?;
    if let Some(equal) = density.equal_loo_ise {
        field(
            "",
            &format!(
                "{} leave-one-out with equal weights on all rows",
                short(equal)
            ),
            out,
        )?;
    }
    field(
        "",
        "(up to a constant, the integral of the squared true density; lower is better)",
        out,
    )?;
    field(
        "Density",
        &format!(
            "mean log density {} in cross-validation",
            number(chosen.log_density)
        ),
        out,
    )?;
    Ok(())
}

/// The fields of a density that `density` and `inspect` share.
pub fn density_json(model: &Model) -> Value {
    let record = &model.record;
    let density = record.density.as_ref();
    let chosen = density.map(|d| &d.grid[d.chosen]);
    json!({
        "method": record.method,
        "n_rows": record.n_rows,
        "n_features": model.feature_names().len(),
        "feature_names": model.feature_names(),
        "kernel": model.expansion.kernel,
        "params": {
            "criterion": density.map_or(Criterion::Ise, |d| d.criterion),
            "folds": record.options.folds,
            "seed": record.options.seed,
            "standardize": record.options.standardize,
        },
        "selected_features": model.selected_features(),
        "retained_samples": {
            "count": record.report.retained_rows.len(),
            "rows": record.report.retained_rows,
            "weights": match &model.expansion.output {
                Output::LogDensity { weights, .. } => json!(weights),
                Output::Linear { .. } => Value::Null,
            },
        },
        "cv": density.map(|d| json!({
            "folds": d.folds,
            "ise": chosen.and_then(|c| c.ise),
            "log_density": chosen.and_then(|c| c.log_density),
            "grid": d.grid,
        })),
        "loo_ise": density.and_then(|d| d.loo_ise),
        "equal_loo_ise": density.and_then(|d| d.equal_loo_ise),
        "objective": record.report.objective,
        "iterations": record.report.iterations,
        "converged": record.report.converged,
        "residual": record.report.residual,
        "version": record.version,
    })
}
