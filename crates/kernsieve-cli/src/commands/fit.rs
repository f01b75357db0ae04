//! `kernsieve fit`: tune, fit, measure, save.

use super::input::{self, Input};
use super::parts::{Parts, measure, other_rows, training_rows};
use super::{check_writable, is_stdin, keep_input, like, load_classifier, this_command};
use crate::args::{FitArgs, MethodChoice};
use crate::failure::Failure;
use crate::view::html::{Rows, Subject, page};
use crate::view::summary::{DataFacts, Evaluation, Measured, Run, Saved, Seconds, Summary};
use crate::view::terminal::Terminal;
use crate::view::words::in_words;
use crate::view::{json, text};
use kernsieve::catalogue::{self, Among, Made};
use kernsieve::data::{Dataset, Schema};
use kernsieve::linalg::Matrix;
use kernsieve::model::Model;
use kernsieve::model_file;
use kernsieve::tuning::{
    Contest, Control, Dependence, LearningPoint, Trained, partial_dependence, run_contest,
};
use kernsieve::{Notice, Protocol};
use kernsieve_io::{RowFiles, ScoringOptions, ScoringReader, Source, TargetColumn};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs the command.
pub fn run(args: &FitArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    let method = chosen_method(args, terminal)?;
    let protocol = method.protocol(args).estimate(!args.no_cv);
    check_files(args)?;
    let Input {
        source,
        name,
        data: mut input,
        mut files,
    } = input::read(args, method.streams(), terminal)?;
    let read_seconds = started.elapsed().as_secs_f64();
    method.check_columns(args, &source, &input.schema)?;
    terminal.notices(&input.notices);
    // Opened before the long part, so that a wrong name or a missing column is found early.
    let test = match &args.test {
        None => None,
        Some(test) => Some(open_test(test, args, &input.schema)?),
    };
    let model_path = model_path(args, terminal, &source);
    let schema = input.schema.clone();
    let mut notices = std::mem::take(&mut input.notices);
    let parts = Parts::new(input, args)?;
    terminal.notices(&Vec::from_iter(time_to_expect(method.seconds(&parts.data))));
    let progress = terminal.progress(&doing(args));
    let control = progress.control(args.data.file.memory);
    let fit = Training {
        args,
        data: &parts.data,
        schema: &schema,
        protocol: &protocol,
        control: &control,
    };
    let trained = match &mut files {
        None => method.train(&fit),
        Some(files) => method.train_streamed(&fit, files),
    };
    let explained = trained.and_then(|t| explain(args, t, &parts.data, &control));
    progress.finish();
    let (mut trained, learning) = explained?;
    let told = told(
        &trained.notices,
        method
            .validated_all_the_same(args, &trained)
            .or(unused_score(&protocol, &trained)),
    );
    terminal.notices(&told);
    notices.extend(told);
    // Rows of the file, not of what was left after dropping and splitting.
    trained.model.record.report.rename_rows(&parts.rows);

    // Saved before anything else can go wrong: a bad row of another file does not cost the fit.
    let saved = save(args, model_path.as_deref(), &trained.model, terminal)?;
    let measured = measure(
        args,
        &trained.model,
        test,
        parts.held_out.as_ref(),
        terminal,
    );
    let (evaluation, others) = measured.inspect_err(|_| tell_of_saved(saved.as_ref(), terminal))?;
    let mut data = DataFacts::new(&name, &parts.data);
    data.is_part = args.holdout.is_some();
    if files.is_some() {
        data.count_all(&trained.model);
    }
    let mut run = run_of(
        args,
        data,
        read_seconds,
        &trained,
        &notices,
        evaluation.as_ref(),
        saved,
    );
    run.seconds.explain = learning.seconds;
    run.learning_curve = learning.curve.as_deref();
    let summary = Summary::new(&trained.model);
    // As the model sees them.
    let x = parts.data.all_features_by(&trained.model.schema);
    let along = match terminal.json {
        true => dependence(&trained.model, &summary, &parts.data, &x),
        false => vec![],
    };
    run.dependence = &along;
    let summary = summary.with_run(run);
    if let Some(path) = &args.report {
        let other = others.matrix();
        let sets = other_rows(args, &source, &other, &others);
        let mut sets: Vec<Rows<'_>> = sets.into_iter().collect();
        // These fits serve the page alone, so they run only if nothing better is available.
        let by_folds = match sets.is_empty() {
            true => catalogue::out_of_fold(&trained, &parts.data, &control)?,
            false => None,
        };
        sets.push(training_rows(
            &source,
            &parts.data,
            &x,
            &parts.rows,
            by_folds,
        ));
        let page = page(Subject {
            model: &trained.model,
            summary: &summary,
            command: &this_command(),
            notices: &notices,
            sets,
        });
        model_file::write_atomic(path, page.as_bytes())?;
    }
    if terminal.json {
        return terminal.object(&json::fit(&summary));
    }
    text::fit(&summary, terminal.out)
}

/// What the run adds to the model.
fn run_of<'a>(
    args: &'a FitArgs,
    data: DataFacts,
    read_seconds: f64,
    trained: &'a Trained,
    notices: &'a [String],
    evaluation: Option<&'a Evaluation>,
    saved: Option<Saved>,
) -> Run<'a> {
    Run {
        data,
        notices,
        seconds: Seconds {
            read: read_seconds,
            tune: trained.tune_seconds,
            fit: trained.fit_seconds,
            explain: 0.0,
        },
        dependence: &[],
        learning_curve: None,
        measured: evaluation.map(|evaluation| Measured {
            file: args.test.as_deref().map(Path::to_string_lossy),
            evaluation,
        }),
        new_rows: None,
        model: saved,
        report: args.report.as_ref().map(|p| p.display().to_string()),
        output: None,
    }
}

/// Where the model goes: to the file that was named, or to one named after the data. A program that
/// reads JSON names its files.
fn model_path(args: &FitArgs, terminal: &Terminal<'_>, source: &Source) -> Option<PathBuf> {
    if args.model.is_some() || args.no_model || terminal.json {
        return args.model.clone();
    }
    let name = match source {
        Source::Path(path) => stem(path),
        Source::Stdin | Source::Bytes { .. } => "model".into(),
    };
    let numbered = (2..).map(|k| format!("{name}-{k}.ks"));
    let mut names = std::iter::once(format!("{name}.ks")).chain(numbered);
    names.find(|n| !Path::new(n).exists()).map(PathBuf::from)
}

/// The name of a file without its folder and extensions.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let known = [
        "gz", "csv", "tsv", "txt", "parquet", "libsvm", "svmlight", "arff", "data",
    ];
    let mut name = name.as_ref();
    while let Some((rest, extension)) = name.rsplit_once('.') {
        if rest.is_empty() || !known.contains(&extension.to_lowercase().as_str()) {
            break;
        }
        name = rest;
    }
    name.into()
}

/// Saves the model. A file that nobody named may fail: the fit is not lost for it.
fn save(
    args: &FitArgs,
    path: Option<&Path>,
    model: &Model,
    terminal: &Terminal<'_>,
) -> Result<Option<Saved>, Failure> {
    let Some(path) = path else {
        return Ok(None);
    };
    match model_file::save(model, path) {
        Ok(()) => Ok(Some(Saved::at(path))),
        Err(e) if args.model.is_some() => Err(e.into()),
        Err(e) => {
            terminal.notices(&[format!(
                "the model is not saved: {e}; --model names another file"
            )]);
            Ok(None)
        }
    }
}

/// Where the model is, although what comes after the fit has failed.
fn tell_of_saved(saved: Option<&Saved>, terminal: &Terminal<'_>) {
    if let Some(saved) = saved {
        let words = format!("the model is saved as {} all the same", saved.path);
        terminal.notices(&[words]);
    }
}

/// A word of warning before something that takes long; seconds of one core.
fn time_to_expect(seconds: f64) -> Option<String> {
    const LONG: f64 = 10.0;
    let threads = rayon::current_num_threads().max(1) as f64;
    let wall = seconds / (0.25 + 0.75 * threads);
    (wall > LONG).then(|| {
        let time = match wall {
            s if s < 90.0 => format!("{:.0} s", (s / 5.0).round() * 5.0),
            s => format!("{:.0} min", (s / 60.0).ceil()),
        };
        format!("this takes about {time}; Ctrl-C stops it")
    })
}

/// What a fit that has been chosen still has to learn.
struct Explained {
    /// The learning curve, where it was asked for.
    curve: Option<Vec<LearningPoint>>,
    /// How long all of it took.
    seconds: f64,
}

/// What the features are worth to the model that was chosen, and what more rows would be.
fn explain(
    args: &FitArgs,
    mut trained: Trained,
    data: &Dataset,
    control: &Control,
) -> kernsieve::Result<(Trained, Explained)> {
    let started = Instant::now();
    trained.model.record.importances = catalogue::importances(&trained.model, data, control)?;
    let curve = match args.learning_curve {
        true => Some(catalogue::learning_curve(&trained.model, data, control)?),
        false => None,
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok((trained, Explained { curve, seconds }))
}

/// How predictions depend on the most important features.
fn dependence(model: &Model, summary: &Summary<'_>, data: &Dataset, x: &Matrix) -> Vec<Dependence> {
    let mut features = summary.features.ranked();
    features.truncate(Dependence::FEATURES);
    partial_dependence(model, x, data.weights(), &features)
}

/// What takes long, in words.
fn doing(args: &FitArgs) -> String {
    match &args.like {
        Some(path) => format!("fitting like {}", path.display()),
        None => format!("tuning {}", args.method.name()),
    }
}

/// What a method is trained with.
struct Training<'a> {
    args: &'a FitArgs,
    data: &'a Dataset,
    schema: &'a Schema,
    protocol: &'a Protocol,
    control: &'a Control,
}

/// What is trained.
enum Chosen {
    /// A method by name.
    One(Made),
    /// The method and the setting of a model with these columns, fitted in this way.
    Like(Made, Schema, Protocol),
    /// The method that suits the data.
    Auto(Contest),
}

impl Chosen {
    /// How it is trained. A setting means what it did only for features that are prepared as they
    /// were.
    fn protocol(&self, args: &FitArgs) -> Protocol {
        let given = args.options.protocol.clone();
        match self {
            Self::Like(_, _, own) => Protocol {
                prepare: given.prepare.or(own.prepare),
                standardize: given.standardize && own.standardize,
                ..given
            },
            _ => given,
        }
    }

    fn train(&self, fit: &Training<'_>) -> kernsieve::Result<Trained> {
        let (data, schema, protocol, control) = (fit.data, fit.schema, fit.protocol, fit.control);
        match self {
            Self::One(made) | Self::Like(made, ..) => made.train(data, schema, protocol, control),
            Self::Auto(contest) => {
                run_contest(contest, data, schema, protocol, fit.args.budget, control)
            }
        }
    }

    /// Whether it can be fitted to rows that are read in passes.
    fn streams(&self) -> bool {
        match self {
            Self::One(made) | Self::Like(made, ..) => made.method.streams(),
            Self::Auto(contest) => contest.methods.iter().any(|m| m.streams()),
        }
    }

    /// The same on rows that are read in passes, of which some are at hand.
    fn train_streamed(
        &self,
        fit: &Training<'_>,
        files: &mut RowFiles,
    ) -> kernsieve::Result<Trained> {
        match self {
            Self::One(made) | Self::Like(made, ..) => {
                made.train_streamed(fit.data, fit.schema, files, fit.protocol, fit.control)
            }
            Self::Auto(contest) => catalogue::train_auto_streamed(
                contest,
                fit.data,
                fit.schema,
                files,
                fit.protocol,
                fit.args.budget,
                fit.control,
            ),
        }
    }

    /// About how many seconds of one core it takes.
    fn seconds(&self, data: &Dataset) -> f64 {
        match self {
            Self::One(made) => made.method.seconds(data),
            Self::Like(made, ..) => 0.2 * made.method.seconds(data),
            Self::Auto(contest) => contest.seconds(data),
        }
    }

    /// Data for the setting of a model must have its columns.
    fn check_columns(
        &self,
        args: &FitArgs,
        source: &Source,
        schema: &Schema,
    ) -> Result<(), Failure> {
        match (self, &args.like) {
            (Self::Like(_, own, _), Some(path)) => like::check_columns(own, path, source, schema),
            _ => Ok(()),
        }
    }

    /// A notice if cross-validation was not wanted but something is left to choose.
    fn validated_all_the_same(&self, args: &FitArgs, trained: &Trained) -> Option<String> {
        let Self::One(made) = self else { return None };
        trained.model.record.cv.as_ref().filter(|_| args.no_cv)?;
        let open = made
            .method
            .still_open()
            .unwrap_or("settings are left to choose");
        Some(format!(
            "{}, so cross-validation runs anyway",
            in_words(open)
        ))
    }
}

/// The method with its options; wrong options are an error.
fn chosen_method(args: &FitArgs, terminal: &Terminal<'_>) -> Result<Chosen, Failure> {
    let given = &args.options.given;
    if let Some(path) = &args.like {
        let model = load_classifier(path, None)?;
        let made = like::method(&model, path, &args.options)?;
        let protocol = model.record.options.protocol;
        return Ok(Chosen::Like(made, model.schema, protocol));
    }
    if let MethodChoice::One(name) = args.method {
        let made = catalogue::find(name)?.make(given);
        let made = made.map_err(|e| Failure::usage(&e))?;
        for (given, option) in [
            (args.budget.is_some(), "--budget"),
            (!args.methods.is_empty(), "--methods"),
            (args.thorough, "--thorough"),
        ] {
            if given {
                return Err(Failure::Usage(format!("{option} is for --method auto")));
            }
        }
        return Ok(Chosen::One(made));
    }
    if args.no_cv {
        return Err(Failure::Usage(
            "without --method the methods are compared by cross-validation; name one, or leave \
             out --no-cv"
                .into(),
        ));
    }
    let among = match (args.methods.as_slice(), args.thorough) {
        ([], false) => Among::First,
        ([], true) => Among::Thorough,
        (names, _) => Among::Named(names.to_vec()),
    };
    let contest = catalogue::contest(given, &among).map_err(|e| Failure::usage(&e))?;
    if let ([only], Some(_)) = (contest.methods.as_slice(), args.budget) {
        terminal.notices(&[format!(
            "only {} uses all options given; it always finishes, so --budget changes nothing",
            only.about().name
        )]);
    }
    Ok(Chosen::Auto(contest))
}

/// A notice if settings were to be chosen for a measure, and nothing was measured.
fn unused_score(protocol: &Protocol, trained: &Trained) -> Option<String> {
    let score = protocol.score?;
    let is_measured = trained.model.record.cv.is_some();
    (!is_measured).then(|| {
        format!(
            "--score {} changes nothing: there is no setting to choose, and --no-cv measures none",
            score.name()
        )
    })
}

/// Notices of the library, and one more, in words.
fn told(notices: &[Notice], more: Option<String>) -> Vec<String> {
    let words = notices.iter().map(|n| in_words(&n.to_string()));
    words.chain(more).collect()
}

/// Checks before the long part that all files can be written and none overwrites an input.
fn check_files(args: &FitArgs) -> Result<(), Failure> {
    if is_stdin(&args.data.file.data) && args.test.as_deref().is_some_and(is_stdin) {
        return Err(Failure::Usage(
            "standard input can be the data or the test file, not both".into(),
        ));
    }
    if args.model.is_some() && args.model == args.report {
        return Err(Failure::Usage(
            "--report and --model name the same file; each needs its own".into(),
        ));
    }
    let test = args.test.as_deref().unwrap_or(Path::new("-"));
    for (option, path) in [("--model", &args.model), ("--report", &args.report)] {
        if let Some(path) = path {
            let data = args.data.file.data.as_path();
            let like = args.like.as_deref().unwrap_or(test);
            keep_input(option, path, &[data, test, like])?;
            check_writable(path)?;
        }
    }
    Ok(())
}

/// Opens the file to measure the error on.
fn open_test(test: &Path, args: &FitArgs, schema: &Schema) -> Result<ScoringReader, Failure> {
    let options = ScoringOptions {
        format: args.data.file.format,
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
