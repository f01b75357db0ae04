//! `kernsieve fit`: tune, fit, measure, save.

use super::evaluate::{Evaluation, evaluate_rows};
use super::features::{Limits, print_features, print_path};
use super::{
    cv_words, data_words, keep_input, keeps_words, limit_components, method_words, model_json,
    samples_words, settings_words, this_command,
};
use crate::args::{FitArgs, MethodChoice};
use crate::failure::Failure;
use crate::output::{Terminal, clean, field, percent, plural, seconds, short, table};
use crate::report::{Basis, Rows, Subject, page};
use kernsieve::data::{Dataset, Schema};
use kernsieve::linalg::Matrix;
use kernsieve::method::{Candidate, MethodKind, StopRule, Validation};
use kernsieve::model::{AutoEntry, AutoRecord, CvTable};
use kernsieve::model_file::{self, AtomicFile};
use kernsieve::tuning::{
    Control, Trained, auto_methods, for_people, held_out_probabilities, train, train_auto,
};
use kernsieve_io::{Missing, ScoringOptions, ScoringReader, Source, TargetColumn, read_training};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Runs the command.
pub fn run(args: &FitArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    if args.data.file.data == "-" && args.test.as_deref() == Some("-") {
        return Err(Failure::Usage(
            "standard input can be the data or the test file, not both".into(),
        ));
    }
    let mut options = args.options.options();
    if let MethodChoice::One(kind) = args.method {
        options
            .check(kind)
            .map_err(|e| Failure::Usage(e.to_string()))?;
        if args.budget.is_some() {
            return Err(Failure::Usage("--budget is for --method auto".into()));
        }
    } else if args.no_cv {
        return Err(Failure::Usage(
            "without --method the methods are compared by cross-validation; name one, or leave out --no-cv".into(),
        ));
    } else {
        let methods = auto_methods(&options).map_err(|e| Failure::Usage(e.to_string()))?;
        if let ([only], Some(_)) = (methods.as_slice(), args.budget) {
            terminal.notices(&[format!(
                "only {} uses all options given; it is finished whatever it takes, and --budget changes nothing",
                only.name()
            )]);
        }
    }
    if args.model.is_some() && args.model == args.report {
        return Err(Failure::Usage(
            "--report and --model name the same file; each needs one of its own".into(),
        ));
    }
    let test = Path::new(args.test.as_deref().unwrap_or("-"));
    for (option, path) in [("--model", &args.model), ("--report", &args.report)] {
        if let Some(path) = path {
            keep_input(option, path, &[Path::new(&args.data.file.data), test])?;
            check_writable(path)?;
        }
    }
    let source = Source::from_arg(&args.data.file.data);
    let mut input = read_training(&source, &args.data.read_options())?;
    let classes = input.dataset.labels().n_classes();
    input
        .notices
        .extend(limit_components(&mut options, classes));
    let read_seconds = started.elapsed().as_secs_f64();
    terminal.notices(&input.notices);
    // Opened before the long part, so that a wrong name or a missing column costs no time.
    let test = match &args.test {
        None => None,
        Some(test) => Some(open_test(test, args, &input.schema)?),
    };

    let (data, held_out, rows) = match args.holdout {
        None => (input.dataset, None, input.rows),
        Some(fraction) => {
            let split = input.dataset.held_out(fraction, args.options.seed)?;
            let held_out = input.dataset.x().select_rows(&split.test);
            let truth: Vec<String> = split
                .test
                .iter()
                .map(|&i| {
                    input.dataset.labels().classes()[input.dataset.labels().codes()[i]].clone()
                })
                .collect();
            let rows = split.train.iter().map(|&i| input.rows[i]).collect();
            let numbers: Vec<usize> = split.test.iter().map(|&i| input.rows[i]).collect();
            (
                input.dataset.select(&split.train)?,
                Some((held_out, truth, numbers)),
                rows,
            )
        }
    };

    let progress = terminal.progress(&format!("tuning {}", args.method.name()));
    let control = progress.control(args.data.file.memory);
    let trained = match args.method {
        MethodChoice::One(kind) => {
            train(kind, &options, &data, &input.schema, !args.no_cv, &control)
        }
        MethodChoice::Auto => train_auto(&options, &data, &input.schema, args.budget, &control),
    };
    progress.finish();
    let mut trained = trained?;
    if args.no_cv && trained.model.record.cv.is_some() {
        trained.notices.push(match args.method {
            MethodChoice::One(MethodKind::Fivm) if options.stop == StopRule::Cv => {
                "the number of features is left to choose (--stop none fixes it), so cross-validation runs all the same"
                    .into()
            }
            _ => "settings are left to choose, so cross-validation runs all the same".into(),
        });
    }
    terminal.notices(&trained.notices);
    trained.notices.splice(0..0, input.notices);
    // Rows of the file, not of what was left after dropping and splitting.
    trained.model.record.report.rename_rows(&rows);

    // Rows to measure the error on, kept for the page where there is one.
    let mut measured = Measured::default();
    let evaluation = match (test, held_out) {
        (Some(mut reader), _) => {
            let keep = |x: &Matrix, labels: &[String]| measured.add(x, labels);
            let evaluation = match &args.report {
                Some(_) => evaluate_rows(&trained.model, &mut reader, terminal, keep)?,
                None => evaluate_rows(&trained.model, &mut reader, terminal, |_, _| ())?,
            };
            Some(evaluation)
        }
        (None, Some((x, truth, numbers))) => {
            let mut evaluation = Evaluation::new(&trained.model);
            evaluation.add(&trained.model, &x, &truth);
            measured.add(&x, &truth);
            measured.numbers = numbers;
            Some(evaluation)
        }
        (None, None) => None,
    };
    if let Some(path) = &args.model {
        model_file::save(&trained.model, path)?;
    }
    if let Some(path) = &args.report {
        let text = report(args, &source, &data, rows, measured, &trained, &control)?;
        model_file::write_atomic(path, text.as_bytes())?;
    }
    if terminal.json {
        print_json(
            args,
            &data,
            &trained,
            evaluation.as_ref(),
            read_seconds,
            terminal,
        )
    } else {
        print_text(
            args,
            &source,
            &data,
            &trained,
            evaluation.as_ref(),
            terminal,
        )
    }
}

/// Rows outside the training, block after block.
#[derive(Default)]
struct Measured {
    values: Vec<f64>,
    columns: usize,
    labels: Vec<String>,
    /// Places in the file; empty where they are all of its rows.
    numbers: Vec<usize>,
}

impl Measured {
    fn add(&mut self, x: &Matrix, labels: &[String]) {
        self.columns = x.cols();
        self.values.extend_from_slice(x.as_slice());
        self.labels.extend_from_slice(labels);
    }
}

/// The page about a fit: errors on rows outside the training where there are any, else as
/// cross-validation sees the training rows.
fn report(
    args: &FitArgs,
    source: &Source,
    data: &Dataset,
    numbers: Vec<usize>,
    measured: Measured,
    trained: &Trained,
    control: &Control,
) -> Result<String, Failure> {
    let n = measured.labels.len();
    let x = Matrix::from_vec(measured.values, n, measured.columns);
    let mut sets = Vec::new();
    if n > 0 {
        let test = args
            .test
            .as_deref()
            .map(|t| Source::from_arg(t).to_string());
        sets.push(Rows {
            basis: if test.is_some() {
                Basis::Test
            } else {
                Basis::HeldOut
            },
            source: test.unwrap_or_else(|| source.to_string()),
            x: &x,
            labels: measured.labels,
            numbers: if measured.numbers.is_empty() {
                (0..n).collect()
            } else {
                measured.numbers
            },
            cross_validated: None,
        });
    }
    // Fits for the sake of the page alone, so only where nothing better is at hand.
    let cross_validated = match n {
        0 => held_out_probabilities(&trained.model, data, control)?,
        _ => None,
    };
    let labels = data.labels();
    sets.push(Rows {
        basis: if cross_validated.is_some() {
            Basis::CrossValidated
        } else {
            Basis::Training
        },
        source: source.to_string(),
        x: data.x(),
        labels: labels
            .codes()
            .iter()
            .map(|&c| labels.classes()[c].clone())
            .collect(),
        numbers,
        cross_validated,
    });
    Ok(page(Subject {
        model: &trained.model,
        command: &this_command(),
        notices: &trained.notices,
        sets,
    }))
}

/// Finds out before the long part whether the model can be saved after it.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::CouldNot(format!(
            "{}: is a directory; this takes the name of a file",
            path.display()
        )));
    }
    drop(AtomicFile::create(path)?);
    Ok(())
}

/// Opens the file to measure the error on. It has no rows to leave out, so `--missing drop` is for
/// the training data only.
fn open_test(test: &str, args: &FitArgs, schema: &Schema) -> Result<ScoringReader, Failure> {
    let missing = match args.data.file.missing {
        Missing::Drop => Missing::Error,
        other => other,
    };
    let options = ScoringOptions {
        format: args.data.file.format,
        missing,
        no_header: args.data.file.no_header,
        target: TargetColumn::Required,
        ..ScoringOptions::default()
    };
    Ok(ScoringReader::open(
        &Source::from_arg(test),
        schema,
        &options,
    )?)
}

fn print_json(
    args: &FitArgs,
    data: &Dataset,
    trained: &Trained,
    evaluation: Option<&Evaluation>,
    read_seconds: f64,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let mut object = model_json(&trained.model);
    object["test_error"] = json!(evaluation.map(Evaluation::error));
    object["test"] = evaluation.map(Evaluation::to_json).unwrap_or_default();
    object["groups"] = json!(data.n_blocks());
    object["notices"] = json!(trained.notices);
    object["seconds"] =
        json!({ "read": read_seconds, "tune": trained.tune_seconds, "fit": trained.fit_seconds });
    object["model"] = json!(args.model.as_ref().map(|p| p.display().to_string()));
    object["report"] = json!(args.report.as_ref().map(|p| p.display().to_string()));
    terminal.object(&object)
}

fn print_text(
    args: &FitArgs,
    source: &Source,
    data: &Dataset,
    trained: &Trained,
    evaluation: Option<&Evaluation>,
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    let model = &trained.model;
    let out = &mut *terminal.out;
    let mut held = String::from(if args.holdout.is_some() {
        " to train on"
    } else {
        ""
    });
    if let Some(weights) = data.weights() {
        held.push_str(&format!(
            " with weights adding up to {}",
            short(weights.iter().sum())
        ));
    }
    if let Some(blocks) = data.n_blocks() {
        held.push_str(&format!(" in {}", plural(blocks, "block")));
    }
    field(
        "Data",
        &data_words(&format!("{source}: {} rows{held}", data.n_samples()), data),
        out,
    )?;
    print_fit(trained, out)?;
    match evaluation {
        Some(e) => {
            let on = clean(
                args.test.as_deref().unwrap_or("the held-out rows"),
                usize::MAX,
            );
            field(
                "",
                &format!(
                    "{} on {on} ({} of {} wrong)",
                    percent(e.error()),
                    e.wrong(),
                    e.n_rows()
                ),
                out,
            )?;
            writeln!(out)?;
            super::print_confusion(e.classes(), &e.confusion(), terminal)?;
        }
        None if model.record.cv.is_none() => {
            field("", "not estimated; --holdout or --test measures it", out)?
        }
        None => {}
    }
    match &args.model {
        Some(path) => {
            let size = std::fs::metadata(path)
                .map(|m| for_people(m.len()))
                .unwrap_or_default();
            let name = clean(&path.display().to_string(), usize::MAX);
            field("Model", &format!("{name} ({size})"), terminal.out)?;
        }
        None => field("Model", "not saved; --model FILE keeps it", terminal.out)?,
    }
    if let Some(path) = &args.report {
        writeln!(
            terminal.out,
            "Report   {}",
            clean(&path.display().to_string(), usize::MAX)
        )?;
    }
    Ok(())
}

/// Method, tuning table, choice, error and size of a fit: what `fit` and `demo` have in common.
pub fn print_fit(trained: &Trained, out: &mut dyn Write) -> Result<(), Failure> {
    let model = &trained.model;
    let name = &model.record.method;
    if let Some(auto) = &model.record.auto {
        print_auto(auto, trained.tune_seconds, out)?;
    }
    field("Method", &format!("{name}: {}", method_words(name)), out)?;
    if let Some(cv) = model.record.cv.as_ref().filter(|cv| cv.grid.len() > 1) {
        // The time of a choice is that of all methods.
        let time = match model.record.auto {
            Some(_) => String::new(),
            None => format!(" in {}", seconds(trained.tune_seconds)),
        };
        let how = match model.record.options.validation {
            Validation::Folds => format!("{} folds", cv.folds),
            Validation::LeaveOneOut => "leave-one-out".into(),
            Validation::Split => "one split".into(),
        };
        field(
            "Tuning",
            &format!("{} settings x {how}{time}", cv.grid.len()),
            out,
        )?;
        writeln!(out)?;
        print_grid(cv, out)?;
        writeln!(out)?;
        if cv.curve.len() > 1 && model.record.report.imported.is_empty() {
            print_curve(cv, out)?;
            writeln!(out)?;
        }
    }
    field("Chosen", &settings_words(model), out)?;
    field("Keeps", &keeps_words(model), out)?;
    if let Some(rows) = samples_words(model) {
        field("", &rows, out)?;
    }
    print_features(model, &Limits::FIT, out)?;
    print_path(model, out)?;
    if model.record.candidate.reader().sparsity.is_some()
        || !model.record.report.imported.is_empty()
    {
        writeln!(out)?;
    }
    let error = cv_words(model)
        .unwrap_or_else(|| format!("{} on the training rows", percent(model.record.train_error)));
    field("Error", &error, out)?;
    if model.record.cv.is_some() {
        field(
            "",
            &format!("{} on the training rows", percent(model.record.train_error)),
            out,
        )?;
    }
    Ok(())
}

/// The methods that were tried, which were not, and why one was taken.
fn print_auto(auto: &AutoRecord, time: f64, out: &mut dyn Write) -> Result<(), Failure> {
    let tried: Vec<&AutoEntry> = auto.entries.iter().filter(|e| e.error.is_some()).collect();
    let rounds: BTreeSet<usize> = tried.iter().map(|e| e.rows).collect();
    let names: BTreeSet<&str> = tried.iter().map(|e| e.method.as_str()).collect();
    let rule = match names.len() {
        1 => "",
        _ => {
            "; taken is the smallest model within one standard error of the least error plus optimism"
        }
    };
    field(
        "Methods",
        &format!("{} tried in {}{rule}", names.len(), seconds(time)),
        out,
    )?;
    if names.len() > 1 {
        let row = |e: &&AutoEntry| {
            let number = |v: Option<f64>| v.map(percent).unwrap_or_default();
            let mut row = vec![
                e.method.clone(),
                number(e.error),
                number(e.optimism),
                number(e.standard_error),
                e.size.map(|s| s.to_string()).unwrap_or_default(),
                e.note.clone().unwrap_or_default(),
            ];
            if rounds.len() > 1 {
                row.insert(1, e.rows.to_string());
            }
            row
        };
        let mut header = vec!["method", "CV error", "optimism", "s.e.", "numbers", ""];
        if rounds.len() > 1 {
            header.insert(1, "rows");
        }
        writeln!(out)?;
        table(&header, &tried.iter().map(row).collect::<Vec<_>>(), out)?;
        writeln!(out)?;
    }
    field("Why", &clean(&auto.why, usize::MAX), out)?;
    for (k, words) in left_out(auto).iter().enumerate() {
        field(if k == 0 { "Left out" } else { "" }, words, out)?;
    }
    Ok(())
}

/// Methods without an error, those with the same reason together: `kos, l2qp: no time left`.
fn left_out(auto: &AutoRecord) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for e in auto.entries.iter().filter(|e| e.error.is_none()) {
        let mut why = e.note.as_deref().map(|n| clean(n, 300)).unwrap_or_default();
        // Some reasons begin with the name.
        if let Some(rest) = why.strip_prefix(&format!("{} ", e.method)) {
            why = rest.into();
        }
        if auto
            .entries
            .iter()
            .any(|o| o.method == e.method && o.error.is_some())
        {
            why.push_str(&format!(" (at {} rows)", e.rows));
        }
        match found.iter_mut().find(|(w, _)| *w == why) {
            Some((_, methods)) => methods.push(&e.method),
            None => found.push((why, vec![&e.method])),
        }
    }
    let words = |(why, methods): (String, Vec<&str>)| {
        let why = match why.strip_prefix("does not ") {
            Some(rest) if methods.len() > 1 => format!("do not {rest}"),
            _ => why,
        };
        format!("{}: {why}", methods.join(", "))
    };
    found.into_iter().map(words).collect()
}

/// The best settings of the table, in order of preference.
fn print_grid(cv: &CvTable, out: &mut dyn Write) -> Result<(), Failure> {
    const SHOWN: usize = 8;
    let mut order: Vec<usize> = (0..cv.grid.len()).collect();
    order.sort_by(|&a, &b| {
        let error = |i: usize| cv.grid[i].criterion();
        (a != cv.chosen)
            .cmp(&(b != cv.chosen))
            .then(error(a).total_cmp(&error(b)))
            .then(a.cmp(&b))
    });
    order.truncate(SHOWN);
    order.sort_unstable();
    let inner = |c: &Candidate| c.posterior.as_ref().and_then(|p| p.ridge);
    let with_ridge = cv.grid.iter().any(|e| e.candidate.ridge.is_some());
    let with_inner = cv.grid.iter().any(|e| inner(&e.candidate).is_some());
    let with_balance = cv
        .grid
        .iter()
        .any(|e| e.candidate.balance.is_some_and(|b| b != 1.0));
    let with_penalty = cv
        .grid
        .iter()
        .any(|e| e.candidate.reader().sparsity.is_some());
    let with_size = cv.grid.iter().any(|e| e.candidate.size.is_some());
    let with_features = cv.grid.iter().any(|e| e.candidate.n_features.is_some());
    let mut header = vec!["", "kernel"];
    if with_size {
        header.push("rows kept");
    }
    if with_features {
        header.push("features");
    }
    if with_ridge {
        header.push("ridge");
    }
    if with_inner {
        header.push("posterior ridge");
    }
    if with_balance {
        header.push("balance");
    }
    if with_penalty {
        header.push("penalty");
    }
    let by_press = cv.best().press.is_some();
    let by_score = cv.best().score.is_some();
    if by_press {
        header.extend(["PRESS", "s.e."]);
    } else {
        header.extend(["CV error", "s.e.", "log loss"]);
        if by_score {
            header.push("score");
        }
    }
    let rows: Vec<Vec<String>> = order
        .iter()
        .map(|&i| {
            let e = &cv.grid[i];
            let mut row = vec![
                if i == cv.chosen {
                    "*".into()
                } else {
                    String::new()
                },
                kernel_cell(&e.candidate),
            ];
            if with_size {
                row.push(e.candidate.size.map(|s| s.to_string()).unwrap_or_default());
            }
            if with_features {
                row.push(
                    e.candidate
                        .n_features
                        .map(|s| s.to_string())
                        .unwrap_or_default(),
                );
            }
            if with_ridge {
                row.push(e.candidate.ridge.map(short).unwrap_or_default());
            }
            if with_inner {
                row.push(inner(&e.candidate).map(short).unwrap_or_default());
            }
            if with_balance {
                row.push(e.candidate.balance.map(short).unwrap_or_default());
            }
            if with_penalty {
                let only = if e.candidate.features.is_some() {
                    ", voted"
                } else {
                    ""
                };
                row.push(
                    e.candidate
                        .reader()
                        .sparsity
                        .map(|p| format!("{}{only}", short(p)))
                        .unwrap_or_default(),
                );
            }
            if by_press {
                row.push(
                    e.press
                        .map_or("failed".into(), |p| format!("{:.4}", p.mean)),
                );
                row.push(
                    e.press
                        .map_or(String::new(), |p| format!("{:.4}", p.standard_error)),
                );
                return row;
            }
            row.push(match (e.error, e.left_after) {
                (Some(error), _) => percent(error),
                (None, Some(folds)) => format!("behind at {folds}"),
                (None, None) => "failed".into(),
            });
            row.push(e.error.map_or(String::new(), |_| percent(e.standard_error)));
            row.push(e.log_loss.map_or(String::new(), |l| format!("{l:.3}")));
            if by_score {
                row.push(e.score.map_or(String::new(), |s| format!("{s:.3}")));
            }
            row
        })
        .collect();
    table(&header, &rows, out)?;
    if cv.grid.len() > SHOWN {
        writeln!(
            out,
            "  ... {} more in the model (kernsieve inspect --json)",
            cv.grid.len() - SHOWN
        )?;
    }
    Ok(())
}

/// Error against size for the chosen kernel: about a dozen sizes, the chosen one among them.
fn print_curve(cv: &CvTable, out: &mut dyn Write) -> Result<(), Failure> {
    const SHOWN: usize = 12;
    let chosen = cv.best().candidate.size;
    let last = cv.curve.len() - 1;
    // Evenly spaced in the logarithm of the position.
    let mut shown: Vec<usize> = (0..SHOWN)
        .map(|i| ((last as f64 + 1.0).powf(i as f64 / (SHOWN - 1) as f64) - 1.0).round() as usize)
        .collect();
    shown.extend(cv.curve.iter().position(|p| Some(p.size) == chosen));
    shown.sort_unstable();
    shown.dedup();
    let rows: Vec<Vec<String>> = shown
        .into_iter()
        .map(|i| {
            let p = &cv.curve[i.min(last)];
            let mark = if Some(p.size) == chosen { "*" } else { "" };
            if let Some(press) = p.press {
                return vec![mark.into(), p.size.to_string(), format!("{press:.4}")];
            }
            vec![
                mark.into(),
                p.size.to_string(),
                percent(p.error),
                percent(p.standard_error),
                format!("{:.3}", p.log_loss),
            ]
        })
        .collect();
    let header: &[&str] = if cv.best().press.is_some() {
        &["", "rows kept", "PRESS"]
    } else {
        &["", "rows kept", "CV error", "s.e.", "log loss"]
    };
    table(header, &rows, out)?;
    Ok(())
}

pub fn kernel_cell(candidate: &Candidate) -> String {
    let kernel = &candidate.reader().kernel;
    match kernel.bandwidth() {
        Some(b) => format!("width {}", short(b)),
        None if candidate.posterior.is_some() => "discriminant".into(),
        None => super::kernel_words(kernel).replace(" kernel", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernsieve::data::simulate;
    use kernsieve::method::Options;

    #[test]
    fn a_fit_prints_its_choice_and_its_error() {
        let data = simulate::rings(0);
        let schema = Schema::numeric(data.feature_names());
        let trained = train(
            MethodKind::Kos,
            &Options::default(),
            &data,
            &schema,
            true,
            &Control::new(),
        )
        .expect("trains");
        let mut out = Vec::new();
        assert!(print_fit(&trained, &mut out).is_ok());
        let text = String::from_utf8(out).expect("text");
        let chosen = text.lines().filter(|l| l.trim_start().starts_with("* "));
        assert_eq!(chosen.filter(|l| l.contains("width")).count(), 1, "{text}");
        assert!(
            text.lines().all(|l| crate::output::width(l) <= 80),
            "{text}"
        );
    }
}
