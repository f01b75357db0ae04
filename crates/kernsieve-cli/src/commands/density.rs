//! `kernsieve density`: a sparse kernel density of the rows of a file, and of new rows with it.

use super::predict::{predict_file, write_log_densities};
use super::{check_writable, is_stdin, keep_input};
use crate::args::DensityArgs;
use crate::failure::Failure;
use crate::view::summary::{DataFacts, NewRows, Run, Saved, Seconds, Summary};
use crate::view::terminal::Terminal;
use crate::view::words::in_words;
use crate::view::{json, text};
use kernsieve::data::Schema;
use kernsieve::model::Model;
use kernsieve::model_file;
use kernsieve::tuning::{DensityData, train_density};
use kernsieve_io::{Missing, ScoringOptions, ScoringReader, Source, read_features};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Runs the command.
pub fn run(args: &DensityArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    check_files(args)?;
    let source = Source::from_arg(&args.file.data);
    let input = read_features(&source, &args.file.read_options())?;
    terminal.notices(&input.notices);
    // Opened before the long part, so that a wrong name or a missing column is found early.
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
    let trained = train_density(
        &args.options.density,
        &data,
        &args.options.protocol,
        &control,
    );
    progress.finish();
    let mut trained = trained?;
    let told: Vec<String> = trained
        .notices
        .iter()
        .map(|n| in_words(&n.to_string()))
        .collect();
    terminal.notices(&told);
    let notices: Vec<String> = input.notices.iter().cloned().chain(told).collect();
    // Rows of the file, not of what was left after dropping.
    trained.model.record.report.rename_rows(&input.rows);
    if let Some(path) = &args.model {
        model_file::save(&trained.model, path)?;
    }
    let new_rows = match test {
        None => None,
        Some(mut reader) => Some(new_rows(&mut reader, args, &trained.model, terminal)?),
    };
    let summary = Summary::new(&trained.model).with_run(Run {
        data: DataFacts::unlabelled(&source, &input.x),
        notices: &notices,
        dependence: &[],
        learning_curve: None,
        seconds: Seconds {
            explain: 0.0,
            read: read_seconds,
            tune: trained.tune_seconds,
            fit: trained.fit_seconds,
        },
        measured: None,
        new_rows,
        model: args.model.as_deref().map(Saved::at),
        report: None,
        output: args.output.as_ref().map(|p| p.display().to_string()),
    });
    if terminal.json {
        return terminal.object(&json::density(&summary));
    }
    text::density(&summary, terminal.out)
}

/// Checks before the long part that all files can be written and none overwrites an input.
fn check_files(args: &DensityArgs) -> Result<(), Failure> {
    if is_stdin(&args.file.data) && args.test.as_deref().is_some_and(is_stdin) {
        return Err(Failure::Usage(
            "standard input can be the data or the new rows, not both".into(),
        ));
    }
    if args.model.is_some() && args.model == args.output {
        return Err(Failure::Usage(
            "--model and --output name the same file; each needs its own".into(),
        ));
    }
    let inputs = [
        args.file.data.as_path(),
        args.test.as_deref().unwrap_or(Path::new("-")),
    ];
    for (option, path) in [("--model", &args.model), ("--output", &args.output)] {
        if let Some(path) = path {
            keep_input(option, path, &inputs)?;
            check_writable(path)?;
        }
    }
    Ok(())
}

/// Opens the file of new rows.
fn open_new_rows(
    test: &Path,
    args: &DensityArgs,
    schema: &Schema,
) -> Result<ScoringReader, Failure> {
    let options = ScoringOptions {
        format: args.file.format,
        // Every row gets an answer here.
        missing: Some(match args.file.missing {
            Missing::Drop => Missing::Error,
            other => other,
        }),
        no_header: args.file.no_header,
        ..ScoringOptions::default()
    };
    Ok(ScoringReader::open(
        &Source::from_arg(test),
        schema,
        &options,
    )?)
}

/// Log densities of new rows, written to a file if one is named.
fn new_rows<'a>(
    reader: &mut ScoringReader,
    args: &'a DensityArgs,
    model: &Model,
    terminal: &Terminal<'_>,
) -> Result<NewRows<'a>, Failure> {
    let mut sum = 0.0;
    let mut each = |out: &mut dyn Write| write_log_densities(model, reader, out, |v| sum += v);
    let rows = match &args.output {
        Some(path) => predict_file(path, each)?,
        None => each(&mut std::io::sink())?,
    };
    terminal.notices(reader.notices());
    Ok(NewRows {
        file: args
            .test
            .as_deref()
            .map_or("".into(), Path::to_string_lossy),
        rows,
        mean: sum / rows as f64,
    })
}
