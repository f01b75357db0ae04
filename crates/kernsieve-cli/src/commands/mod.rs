//! The commands, one file each.

pub mod compare;
pub mod demo;
pub mod density;
pub mod evaluate;
pub mod export;
mod features;
pub mod fit;
pub mod inspect;
mod journal;
pub mod predict;
mod ranking;
pub mod report;
mod schedule;
pub mod shell;

use crate::args::ScoringArgs;
use crate::failure::Failure;
use crate::output::{COLUMNS, Terminal, clean, fitting, padded, percent, short, width};
use kernsieve::data::{ColumnKind, Dataset};
use kernsieve::expansion::Output;
use kernsieve::kernel::Kernel;
use kernsieve::method::{CvEntry, MethodKind, Options, PosteriorKind, Validation};
use kernsieve::model::{Model, TrainingRecord};
use kernsieve_io::{ScoringOptions, ScoringReader, Source, TargetColumn};
use serde_json::{Value, json};
use std::path::Path;

/// Refuses to write a result over a file that the command reads.
fn keep_input(option: &str, output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    // Files that are not there yet have no canonical path, and are nobody's input.
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

/// `k` classes have `k - 1` canonical variates: more cannot be kept, and nobody should believe they
/// are.
fn limit_components(options: &mut Options, classes: usize) -> Option<String> {
    let most = classes.saturating_sub(1).max(1);
    let asked = options.components.filter(|c| *c > most)?;
    options.components = Some(most);
    Some(format!(
        "--components {asked}: {classes} classes have {most} canonical {}, which {} kept",
        if most == 1 { "variate" } else { "variates" },
        if most == 1 { "is" } else { "are" }
    ))
}

/// What was typed, as a shell takes it back.
fn this_command() -> String {
    let words = std::env::args_os().skip(1);
    crate::report::shell_command(std::iter::once("kernsieve".into()).chain(words))
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

/// For every column of the data whether the model does without it: none of its features has a
/// weight.
fn unused_columns(model: &Model) -> Vec<bool> {
    let mut weights = model.feature_weights().iter();
    let features = |kind: &ColumnKind| match kind {
        ColumnKind::Numeric { .. } => 1,
        ColumnKind::Categorical { levels } => levels.len(),
    };
    let columns = model.schema.columns.iter();
    columns
        .map(|c| weights.by_ref().take(features(&c.kind)).all(|w| *w == 0.0))
        .collect()
}

/// A kernel in a few words.
fn kernel_words(kernel: &Kernel) -> String {
    match *kernel {
        Kernel::Linear => "linear kernel".into(),
        Kernel::Gaussian { bandwidth } => {
            format!("Gaussian kernel, bandwidth {}", short(bandwidth))
        }
        Kernel::Polynomial { degree } => format!("polynomial kernel, degree {degree}"),
        Kernel::Sigmoid { slope, shift } => format!(
            "sigmoid kernel, slope {}, shift {}",
            short(slope),
            short(shift)
        ),
        Kernel::Laplacian { bandwidth } => {
            format!("Laplacian kernel, bandwidth {}", short(bandwidth))
        }
        Kernel::Cauchy { bandwidth, .. } => {
            format!("Cauchy kernel, bandwidth {}", short(bandwidth))
        }
    }
}

/// The kernel of a model in a few words.
fn kernel_of(model: &Model) -> String {
    let Some(posterior) = posterior_of(model) else {
        return kernel_words(&model.expansion.kernel);
    };
    let own = match posterior {
        PosteriorKind::L1 => "L1 regression".into(),
        PosteriorKind::Logistic => "L1 logistic regression".into(),
        PosteriorKind::Klr | PosteriorKind::Parzen => {
            let kernel = &model.reader().kernel;
            let width = kernel
                .bandwidth()
                .map(|b| format!(", bandwidth {}", short(b)));
            format!("{}{}", posterior.name(), width.unwrap_or_default())
        }
    };
    format!("discriminant kernel, posteriors by {own}")
}

/// The estimate of the posteriors behind the kernel of a model.
fn posterior_of(model: &Model) -> Option<PosteriorKind> {
    let method = model.record.method.parse::<MethodKind>().ok()?;
    model.discriminant.as_ref()?;
    model.record.options.posterior_of(method)
}

/// A model that tells classes apart.
fn load_classifier(path: &Path) -> Result<Model, Failure> {
    let model = kernsieve::model_file::load(path)?;
    if model.is_density() {
        return Err(Failure::CouldNot(format!(
            "{}: a density has no classes; kernsieve predict gives the log densities of rows, kernsieve inspect shows it",
            path.display()
        )));
    }
    Ok(model)
}

/// What a method is, for people.
pub fn method_words(name: &str) -> &'static str {
    match name {
        "lda" => "linear discriminant analysis",
        "mkda" => "kernel discriminant analysis with a ridge",
        "smkda" => "sparse kernel discriminant analysis, few samples retained",
        "kos" => "kernel optimal scoring",
        "sparse-kos" => "kernel optimal scoring with feature weights, useless ones dropped",
        "klr" => "kernel logistic regression",
        "l2qp" => "difference of kernel densities, few samples retained",
        "density" => "L2 kernel density, few samples retained",
        "l2le" => "difference of kernel densities, unconstrained",
        "l1-dkf" => "discriminant analysis with the kernel of class posteriors",
        "fivm" => "kernel logistic regression on features imported one at a time",
        "parzen" => "plug-in kernel densities",
        _ => "",
    }
}

/// `setosa 50, versicolor 50, ...`, the first few classes that fit into `width` columns; all of
/// them where any width will do.
fn class_words(classes: &[String], counts: &[usize], width: usize) -> String {
    const SHOWN: usize = 6;
    let shown = if width == usize::MAX {
        usize::MAX
    } else {
        SHOWN
    };
    let words = classes.iter().zip(counts).take(shown);
    let words: Vec<String> = words
        .map(|(c, n)| format!("{} {n}", clean(c, 24)))
        .collect();
    first_of(&words, classes.len(), width)
}

/// The first of `total` words as a list of about `width` columns, and how many more there are.
fn first_of(words: &[String], total: usize, width: usize) -> String {
    let (shown, _) = fitting(words, width);
    let mut text = shown.join(", ");
    if total > shown.len() {
        text.push_str(&format!(", ... {} more", total - shown.len()));
    }
    text
}

/// `iris.csv: 150 rows, 4 features, 3 classes (a 50, b 50, c 50)` after a beginning that ends in
/// `rows`.
fn data_words(beginning: &str, data: &Dataset) -> String {
    let labels = data.labels();
    let text = format!(
        "{}, {} {}, {} classes",
        clean(beginning, usize::MAX),
        data.n_features(),
        if data.n_features() == 1 {
            "feature"
        } else {
            "features"
        },
        labels.n_classes()
    );
    // What is left of a line, with room for the brackets and `... 12 more`.
    let width = COLUMNS.saturating_sub(width(&text));
    format!(
        "{text} ({})",
        class_words(labels.classes(), &labels.counts(), width)
    )
}

/// How many rows and features a model keeps.
pub fn keeps_words(model: &Model) -> String {
    let rows = model.record.report.retained_rows.len();
    let used = model
        .feature_weights()
        .iter()
        .filter(|w| **w != 0.0)
        .count();
    let total = model.reader().n_features();
    let samples = if rows == 0 {
        "no training rows".into()
    } else {
        format!("{rows} of {} rows", model.record.n_rows)
    };
    format!("{samples}, {used} of {total} features")
}

/// The retained rows of a method that selects some.
fn samples_words(model: &Model) -> Option<String> {
    let rows = &model.record.report.retained_rows;
    let order = match model.record.method.as_str() {
        "l2qp" => "from 0",
        _ if rows.len() == 1 => "from 0",
        "density" => "from 0, heaviest first",
        _ => {
            model
                .record
                .candidate
                .size
                .or(model.record.options.max_support)?;
            "from 0, in order of selection"
        }
    };
    let words: Vec<String> = rows.iter().take(15).map(usize::to_string).collect();
    let some = !rows.is_empty() && rows.len() < model.record.n_rows;
    let which = if rows.len() == 1 { "row" } else { "rows" };
    some.then(|| format!("{which} {} ({order})", first_of(&words, rows.len(), 40)))
}

/// The chosen settings in words.
pub fn settings_words(model: &Model) -> String {
    let mut words = kernel_of(model);
    if let Some(r) = model.record.report.ridge {
        words.push_str(&format!(", ridge {}", short(r)));
    }
    if let Some(r) = model
        .record
        .candidate
        .posterior
        .as_ref()
        .and_then(|p| p.ridge)
    {
        words.push_str(&format!(", posterior ridge {}", short(r)));
    }
    if let Some(penalty) = model.record.candidate.reader().sparsity {
        words.push_str(&format!(", penalty {}", short(penalty)));
    }
    if let Some(balance) = model.record.candidate.balance.filter(|b| *b != 1.0) {
        words.push_str(&format!(", balance {}", short(balance)));
    }
    if let Some(widths) = &model.record.candidate.class_bandwidths {
        let widths: Vec<String> = widths.iter().map(|b| short(*b)).collect();
        words.push_str(&format!(
            ", bandwidths of the classes {}",
            first_of(&widths, widths.len(), 40)
        ));
    }
    if let Some(ratio) = model.record.options.class_ratio {
        words.push_str(&format!(", class ratio {}", short(ratio)));
    }
    if model.record.candidate.features.is_some() {
        words.push_str(", features by vote");
    }
    if !model.costs.is_empty() {
        let costs = model.classes.iter().zip(&model.costs);
        let costs: Vec<String> = costs
            .map(|(c, v)| format!("{} {}", clean(c, 24), short(*v)))
            .collect();
        words.push_str(&format!("; costs {}", first_of(&costs, costs.len(), 40)));
    }
    words
}

/// The cross-validated error in words.
pub fn cv_words(model: &Model) -> Option<String> {
    let cv = model.record.cv.as_ref()?;
    let best = cv.best();
    let how = match model.record.options.validation {
        Validation::Split => "on one tuning split".into(),
        _ => format!("in {}-fold cross-validation", cv.folds),
    };
    let how = if model.costs.is_empty() {
        how
    } else {
        format!("{how}, before costs")
    };
    let mut words = format!(
        "{} +- {} {how}",
        percent(best.error?),
        percent(best.standard_error)
    );
    if cv.optimism > 0.0 {
        words.push_str(&format!(
            "; about {} allowing for the choice",
            percent(best.error? + cv.optimism)
        ));
    }
    Some(words)
}

/// The fields of a model that `fit` and `inspect` share.
fn model_json(model: &Model) -> Value {
    let names = model.feature_names();
    let weights: serde_json::Map<String, Value> = names
        .iter()
        .zip(model.feature_weights())
        .map(|(n, w)| (n.clone(), json!(w)))
        .collect();
    let record = &model.record;
    let cv = record.cv.as_ref().map(|cv| {
        json!({
            "folds": cv.folds,
            "error": cv.best().error,
            "standard_error": cv.best().standard_error,
            "optimism": cv.optimism,
            "curve": cv.curve,
            "feature_folds": feature_folds(model, &cv.best().feature_folds),
            "rule": cv.rule,
            "grid": cv.grid,
        })
    });
    let curve = record
        .cv
        .as_ref()
        .map(|cv| cv.curve.as_slice())
        .unwrap_or_default();
    let path: Vec<Value> = record
        .report
        .path
        .iter()
        .map(|step| {
            let cv_error = match step.sparsity {
                None => curve.iter().find(|p| p.size == step.size).map(|p| p.error),
                Some(penalty) => cv_error_at(record, penalty),
            };
            let mut entry = json!({
                "size": step.size,
                "objective": step.objective,
                "train_error": step.train_error,
                "cv_error": cv_error,
            });
            if let Some(row) = step.row {
                entry["row"] = json!(row);
            }
            if let Some(j) = step.feature {
                entry["feature"] = json!(names[j]);
                if let Some((next, objective)) = step.runner_up {
                    entry["runner_up"] = json!({ "feature": names[next], "objective": objective });
                }
            }
            if let Some(penalty) = step.sparsity {
                entry["sparsity"] = json!(penalty);
                let weights = step
                    .weights
                    .iter()
                    .map(|(j, w)| (names[*j].clone(), json!(w)));
                entry["weights"] = Value::Object(weights.collect());
            }
            entry
        })
        .collect();
    json!({
        "method": record.method,
        "classes": model.classes,
        "class_counts": record.class_counts,
        "n_rows": record.n_rows,
        "n_features": names.len(),
        "feature_names": names,
        "kernel": kernel_json(model),
        "params": params_json(model),
        "selected_features": model.selected_features(),
        "feature_weights": weights,
        "coefficients": coefficients_json(model),
        "retained_samples": {
            "count": record.report.retained_rows.len(),
            "rows": record.report.retained_rows,
        },
        "path": path,
        "cv": cv,
        "temperature": model.temperature,
        "train_error": record.train_error,
        "objective": record.report.objective,
        "iterations": record.report.iterations,
        "converged": record.report.converged,
        "residual": record.report.residual,
        "eigenvalues": record.report.eigenvalues,
        "trace": record.report.trace,
        "start": record.report.start.map(|(start, _)| start),
        "auto": record.auto,
        "version": record.version,
    })
}

/// The settings of a model, chosen or given.
pub(crate) fn params_json(model: &Model) -> Value {
    let record = &model.record;
    json!({
            "ridge": record.report.ridge,
            "ridge_rule": record.options.ridge_rule,
            "penalty": record.options.penalty,
            "priors": record.options.priors,
            "costs": record.options.costs,
            "mahalanobis": record.options.mahalanobis,
            "components": record.options.components,
            "max_support": record.candidate.size.or(record.options.max_support),
            "n_features": record.candidate.n_features.or((!record.report.imported.is_empty()).then_some(record.report.imported.len())),
            "max_features": record.options.max_features,
            "stop": record.options.stop,
            "tol": record.options.tol,
            "lag": record.options.lag,
            "patience": record.options.patience,
            "sparsity": record.candidate.reader().sparsity,
            "balance": record.candidate.balance,
            "smoothing": record.options.smoothing,
            "class_bandwidths": record.candidate.class_bandwidths,
            "relaxed": record.options.relaxed,
            "class_ratio": record.options.class_ratio,
            "multiclass": record.options.multiclass,
            "l1_ratio": record.options.l1_ratio,
            "posterior": posterior_of(model),
            "posterior_ridge": record.candidate.posterior.as_ref().and_then(|p| p.ridge),
            "simplex": record.options.simplex,
            "mapping": record.options.mapping,
            "metric": record.options.metric,
            "sparsity_share": record.candidate.sparsity_share,
            "spacing": record.options.spacing,
            "weight_steps": record.options.weight_steps,
            "restarts": record.options.restarts,
            "vote": record.candidate.features.is_some(),
            "candidates": record.options.candidates,
            "folds": record.options.folds,
            "rule": record.options.rule,
            "seed": record.options.seed,
            "standardize": record.options.standardize,
    })
}

/// The kernel; for a discriminant kernel what its posteriors come from.
fn kernel_json(model: &Model) -> Value {
    match posterior_of(model) {
        None => json!(model.expansion.kernel),
        Some(posterior) => json!({
            "family": "discriminant",
            "posterior": posterior,
            "posterior_kernel": model.reader().kernel,
        }),
    }
}

/// Coefficients of the linear posteriors behind a discriminant kernel, in standardised units, one
/// entry an output; `null` for other models.
fn coefficients_json(model: &Model) -> Value {
    let Some(rows) = coefficients(model) else {
        return Value::Null;
    };
    let names = model.feature_names();
    let regressions = &model.record.report.regressions;
    let entry = |(k, row): (usize, ClassCoefficients)| {
        let coef = row.coef.iter().map(|&(j, w)| (names[j].clone(), json!(w)));
        json!({
            "class": row.class,
            "offset": row.offset,
            "nonzero": row.coef.len(),
            "zeros": names.len() - row.coef.len(),
            "objective": regressions.get(k).map(|r| r.0),
            "gap": regressions.get(k).map(|r| r.1),
            "coef": Value::Object(coef.collect()),
        })
    };
    json!(rows.into_iter().enumerate().map(entry).collect::<Vec<_>>())
}

/// What a linear posterior says of one class.
pub(crate) struct ClassCoefficients {
    pub(crate) class: String,
    offset: f64,
    /// Features with a coefficient that is not zero, largest first.
    pub(crate) coef: Vec<(usize, f64)>,
}

/// Coefficients of the linear posteriors behind a discriminant kernel. Logistic regression of two
/// classes has one output, the log odds of the second.
pub(crate) fn coefficients(model: &Model) -> Option<Vec<ClassCoefficients>> {
    matches!(
        posterior_of(model)?,
        PosteriorKind::L1 | PosteriorKind::Logistic
    )
    .then_some(())?;
    let reader = model.reader();
    let Output::Linear { offset, .. } = &reader.output else {
        return None;
    };
    let used: Vec<usize> = (0..reader.n_features())
        .filter(|&j| reader.feature_weights[j] != 0.0)
        .collect();
    let skipped = model.classes.len() - offset.len().min(model.classes.len());
    // By position: a matrix without columns has no rows to go through.
    let rows = offset.iter().enumerate().zip(&model.classes[skipped..]);
    let class = |((k, offset), class): ((usize, &f64), &String)| {
        let row = reader.support.row(k).iter().copied();
        let mut coef: Vec<(usize, f64)> = used.iter().copied().zip(row).collect();
        coef.retain(|(_, w)| *w != 0.0);
        coef.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        ClassCoefficients {
            class: class.clone(),
            offset: *offset,
            coef,
        }
    };
    Some(rows.map(class).collect())
}

/// The cross-validated error at a penalty of the path that was walked.
fn cv_error_at(record: &TrainingRecord, penalty: f64) -> Option<f64> {
    let chosen = &record.candidate;
    let same = |e: &&CvEntry| {
        let c = &e.candidate;
        let sparsity = c.reader().sparsity;
        c.kernel == chosen.kernel
            && c.ridge == chosen.ridge
            && c.step() == chosen.step()
            && sparsity.is_some_and(|s| (s - penalty).abs() <= 1e-9 * penalty)
    };
    record.cv.as_ref()?.grid.iter().find(same)?.error
}

/// In how many folds each feature was kept, by name; nothing where weights are not learned.
fn feature_folds(model: &Model, folds: &[usize]) -> Value {
    let pairs = model
        .feature_names()
        .into_iter()
        .zip(folds)
        .map(|(n, k)| (n, json!(k)));
    Value::Object(pairs.collect())
}

/// Observed against predicted classes, at most the first dozen and not more than a line can hold.
fn print_confusion(
    classes: &[String],
    confusion: &[Vec<usize>],
    terminal: &mut Terminal<'_>,
) -> Result<(), Failure> {
    const CORNER: &str = "observed \\ predicted";
    let names: Vec<String> = classes.iter().take(12).map(|c| clean(c, 14)).collect();
    // A column is as wide as its name or its widest count.
    let most = confusion
        .iter()
        .flatten()
        .max()
        .map_or(1, |n| n.to_string().len());
    let cells: Vec<String> = names.iter().map(|n| padded(n, most)).collect();
    let shown = fitting(&cells, COLUMNS - 4 - CORNER.len()).0.len();
    let names = &names[..shown];
    let mut header = vec![CORNER];
    header.extend(names.iter().map(String::as_str));
    let rows: Vec<Vec<String>> = (0..shown)
        .map(|i| {
            let mut row = vec![names[i].clone()];
            row.extend(confusion[i][..shown].iter().map(usize::to_string));
            row
        })
        .collect();
    crate::output::table(&header, &rows, terminal.out)?;
    if classes.len() > shown {
        writeln!(
            terminal.out,
            "  ({} more; --json has all {} classes)",
            classes.len() - shown,
            classes.len()
        )?;
    }
    Ok(())
}
