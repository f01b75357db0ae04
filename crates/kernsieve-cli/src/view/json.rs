//! Results as JSON. Programs read this: keys stay as they are.

use super::csv::Wanted;
use super::summary::{
    ClassCoefficients, ComparisonSummary, DemoSummary, Evaluation, Features, Run, Seconds,
    Standing, Step, Summary, ThresholdFacts, Tuning,
};
use kernsieve::method::density::{Criterion, DensityRecord};
use kernsieve::model::{Assessment, Importance, Model, Prediction};
use kernsieve::tuning::Dependence;
#[cfg(feature = "onnx")]
use kernsieve_onnx::{INPUT, Precision, output_names};
use serde_json::{Map, Value, json};

/// A fit that was just done.
pub fn fit(model: &Summary<'_>) -> Value {
    let mut object = fitted(model);
    if let Some(run) = &model.run {
        let test = run.measured.as_ref().map(|m| m.evaluation);
        object["test_error"] = json!(test.map(Evaluation::error));
        object["test"] = test.map(evaluation).unwrap_or_default();
        object["groups"] = json!(run.data.blocks);
        object["learning_curve"] = json!(run.learning_curve);
        object["partial_dependence"] = dependence(run.dependence, model);
        object["report"] = json!(run.report);
        add_run(&mut object, run);
    }
    object
}

/// A density that was just estimated.
pub fn density(model: &Summary<'_>) -> Value {
    let mut object = estimated(model);
    if let Some(run) = &model.run {
        object["test"] = run
            .new_rows
            .as_ref()
            .map(|t| json!({ "n_rows": t.rows, "log_density": t.mean }))
            .unwrap_or_default();
        object["output"] = json!(run.output);
        add_run(&mut object, run);
    }
    object
}

fn add_run(object: &mut Value, run: &Run<'_>) {
    let Seconds {
        read,
        tune,
        fit,
        explain,
    } = run.seconds;
    object["notices"] = json!(run.notices);
    object["seconds"] = json!({ "read": read, "tune": tune, "fit": fit, "explain": explain });
    object["model"] = json!(run.model.as_ref().map(|m| &m.path));
}

/// A saved model.
pub fn inspect(model: &Summary<'_>, path: &str, bytes: u64) -> Value {
    let mut object = if model.is_density() {
        estimated(model)
    } else {
        fitted(model)
    };
    object["model"] = json!(path);
    object["bytes"] = json!(bytes);
    object["decision"] = json!(model.decision);
    object["columns"] = json!(model.columns.schema.columns);
    object["target"] = json!(model.columns.schema.target);
    object["outputs"] = json!(model.n_outputs);
    object
}

/// The fields of a classifier that `fit` and `inspect` share.
fn fitted(model: &Summary<'_>) -> Value {
    let (features, solver) = (&model.features, &model.solver);
    let names = &features.names;
    let path: Vec<Value> = features.path.iter().map(|s| step(s, names)).collect();
    let coefficients = features.coefficients.as_ref().map(|(_, rows)| {
        let rows = rows.iter().map(|row| class_coefficients(row, names));
        rows.collect::<Vec<_>>()
    });
    json!({
        "method": model.method.name,
        "classes": model.classes,
        "class_counts": model.class_counts,
        "n_rows": model.n_rows,
        "n_features": names.len(),
        "feature_names": names,
        "kernel": model.kernel.json,
        "params": params(model),
        "selected_features": model.selected_features,
        "feature_weights": by_name(names, features.weights),
        "coefficients": coefficients,
        "linear": linear(features),
        "importances": importances(features),
        "retained_samples": {
            "count": model.retained.rows.len(),
            "rows": model.retained.rows,
        },
        "path": path,
        "cv": model.tuning.as_ref().map(|cv| tuning(cv, features)),
        "temperature": model.temperature,
        "threshold": model.quality.threshold.as_ref().map(threshold),
        "expected_error": model.quality.expected,
        "baseline": model.quality.baseline.map(baseline),
        "log_loss": model.quality.assessment.and_then(|a| a.log_loss),
        "auc": model.quality.assessment.and_then(|a| a.auc),
        "score": model.quality.score.map(|(s, v)| json!({ "name": s.name(), "value": v })),
        "out_of_fold": model.quality.assessment.map(|a| out_of_fold(a, model.classes)),
        "train_error": model.train_error,
        "objective": solver.objective,
        "iterations": solver.iterations,
        "converged": solver.converged,
        "residual": solver.residual,
        "eigenvalues": solver.eigenvalues,
        "trace": solver.trace,
        "start": solver.start,
        "auto": model.auto,
        "version": model.version,
    })
}

/// The settings of a model, chosen or given.
pub fn params(model: &Summary<'_>) -> Map<String, Value> {
    let settings = model.settings.iter();
    settings
        .map(|(name, value)| ((*name).into(), value.clone()))
        .collect()
}

fn by_name<T: serde::Serialize>(names: &[String], values: &[T]) -> Map<String, Value> {
    let pairs = names.iter().zip(values);
    pairs.map(|(n, v)| (n.clone(), json!(v))).collect()
}

fn weights_of(pairs: &[(usize, f64)], names: &[String]) -> Map<String, Value> {
    let pairs = pairs.iter().map(|(j, w)| (names[*j].clone(), json!(w)));
    pairs.collect()
}

/// Coefficients of the linear part by feature, one per output, in units of the weighted features.
fn linear(features: &Features<'_>) -> Option<Map<String, Value>> {
    let rows = features.linear.as_ref()?.iter();
    let used = features.used().into_iter();
    let pairs = used.zip(rows);
    Some(
        pairs
            .map(|(j, row)| (features.names[j].clone(), json!(row)))
            .collect(),
    )
}

/// What each feature is worth, most important first.
fn importances(features: &Features<'_>) -> Vec<Value> {
    let importance = |i: &Importance| {
        json!({
            "feature": features.names[i.feature],
            "error": i.error,
            "error_se": i.error_se,
            "log_loss": i.log_loss,
            "log_loss_se": i.log_loss_se,
        })
    };
    features.importances.iter().map(importance).collect()
}

fn threshold(t: &ThresholdFacts<'_>) -> Value {
    json!({ "value": t.value, "positive": t.positive, "rule": t.rule })
}

/// How held-out rows fared.
fn out_of_fold(a: &Assessment, classes: &[String]) -> Value {
    let mut object = json!(a);
    let names = a.never_predicted.iter().map(|&c| &classes[c]);
    object["never_predicted"] = json!(names.collect::<Vec<_>>());
    object["baseline"]["class"] = json!(classes[a.baseline.class]);
    if let Some(cutting) = &a.cutting {
        object["cutting"]["positive"] = json!(classes[cutting.positive]);
    }
    object
}

fn tuning(cv: &Tuning<'_>, features: &Features<'_>) -> Value {
    let best = cv.best();
    json!({
        "folds": cv.folds,
        "error": cv.error,
        "standard_error": cv.standard_error,
        "optimism": cv.optimism,
        "curve": cv.curve,
        "feature_curve": cv.feature_curve,
        "feature_folds": by_name(&features.names, best.feature_folds),
        "rule": cv.rule,
        "grid": cv.trials.iter().map(|t| t.to_json()).collect::<Vec<_>>(),
    })
}

fn step(step: &Step<'_>, names: &[String]) -> Value {
    let mut entry = json!({
        "size": step.size,
        "objective": step.objective,
        "train_error": step.train_error,
        "cv_error": step.cv_error(),
    });
    if let Some(row) = step.row {
        entry["row"] = json!(row);
    }
    if let Some(j) = step.feature {
        entry["feature"] = json!(names[j]);
        if let Some((next, objective)) = step.runner_up {
            entry["runner_up"] = json!({ "feature": names[next], "objective": objective });
        }
        if !step.associated.is_empty() {
            let others = step.associated.iter().map(|&j| &names[j]);
            entry["associated"] = json!(others.collect::<Vec<_>>());
        }
    }
    if let Some(penalty) = step.penalty {
        entry["sparsity"] = json!(penalty);
        entry["weights"] = json!(weights_of(step.weights, names));
    }
    entry
}

/// Coefficients of one class in the units of the prepared features, and of the data.
fn class_coefficients(row: &ClassCoefficients, names: &[String]) -> Value {
    json!({
        "class": row.class,
        "offset": row.offset,
        "nonzero": row.coef.len(),
        "zeros": names.len() - row.coef.len(),
        "objective": row.solved.map(|(objective, _)| objective),
        "gap": row.solved.and_then(|(_, gap)| gap),
        "coef": weights_of(&row.coef, names),
        "raw_offset": row.raw.as_ref().map(|(offset, _)| offset),
        "raw_coef": row.raw.as_ref().map(|(_, coef)| weights_of(coef, names)),
    })
}

/// Mean probabilities along features; of two classes, those of the second.
fn dependence(all: &[Dependence], model: &Summary<'_>) -> Value {
    let first = usize::from(model.classes.len() == 2);
    let one = |d: &Dependence| {
        let of = |c: usize| d.probabilities.column(c);
        let classes =
            (first..model.classes.len()).map(|c| (model.classes[c].clone(), json!(of(c))));
        json!({
            "feature": model.features.names[d.feature],
            "values": d.values,
            "probabilities": classes.collect::<Map<_, _>>(),
        })
    };
    all.iter().map(one).collect()
}

/// The fields of a density that `density` and `inspect` share.
fn estimated(model: &Summary<'_>) -> Value {
    let (density, solver, plan) = (model.density, &model.solver, model.plan);
    json!({
        "method": model.method.name,
        "n_rows": model.n_rows,
        "n_features": model.features.names.len(),
        "feature_names": model.features.names,
        "kernel": model.kernel.json,
        "params": {
            "criterion": density.map_or(Criterion::Ise, |d| d.criterion),
            "folds": plan.folds,
            "seed": plan.seed,
            "standardize": plan.standardize,
        },
        "selected_features": model.selected_features,
        "retained_samples": {
            "count": model.retained.rows.len(),
            "rows": model.retained.rows,
            "weights": model.retained.weights,
        },
        "cv": density.map(bandwidths),
        "loo_ise": density.and_then(|d| d.loo_ise),
        "equal_loo_ise": density.and_then(|d| d.equal_loo_ise),
        "objective": solver.objective,
        "iterations": solver.iterations,
        "converged": solver.converged,
        "residual": solver.residual,
        "version": model.version,
    })
}

fn bandwidths(density: &DensityRecord) -> Value {
    let chosen = &density.grid[density.chosen];
    json!({
        "folds": density.folds,
        "ise": chosen.ise,
        "log_density": chosen.log_density,
        "grid": density.grid,
    })
}

/// Predictions against the truth.
pub fn evaluation(e: &Evaluation) -> Value {
    json!({
        "n_rows": e.n_rows(),
        "accuracy": 1.0 - e.error(),
        "error": e.error(),
        "balanced_accuracy": e.balanced(),
        "log_loss": e.mean_log_loss(),
        "auc": e.auc(),
        "f1": e.f1(),
        "mcc": e.mcc(),
        "precision": e.positive().and_then(|p| p.precision),
        "recall": e.positive().and_then(|p| p.recall),
        "positive": e.positive().map(|p| p.class),
        "baseline": e.baseline().map(baseline),
        "mean_cost": e.mean_cost(),
        "classes": e.classes(),
        "confusion": e.confusion(),
    })
}

fn baseline((class, error, log_loss): (&str, f64, f64)) -> Value {
    json!({ "class": class, "error": error, "log_loss": log_loss })
}

/// A comparison of methods.
pub fn comparison(c: &ComparisonSummary<'_>) -> Value {
    let ranking = &c.ranking;
    json!({
        "methods": ranking.standings.iter().map(standing).collect::<Vec<_>>(),
        "best": ranking.best().map(|s| &s.method),
        "pick": ranking.picked().map(|s| &s.method),
        "splits": c.splits,
        "test_fraction": c.test_fraction,
        "test_to_train": c.test_to_train,
        "n_rows": c.data.n_rows,
        "n_features": c.data.n_features,
        "classes": c.data.class_names(),
        "outcomes": c.outcomes,
        "report": c.report,
    })
}

fn standing(s: &Standing) -> Value {
    let chosen: Map<String, Value> = s
        .chosen
        .iter()
        .map(|(m, n)| (m.clone(), json!(n)))
        .collect();
    json!({
        "method": s.method,
        "splits": s.errors.len(),
        "error_mean": s.error.0,
        "error_se": s.error.1,
        "error_splits": s.errors.iter().map(|e| e.1).collect::<Vec<_>>(),
        "difference_mean": s.test.map(|t| t.mean),
        "difference_se": s.test.map(|t| t.standard_error),
        "p_value": s.test.map(|t| t.p_value),
        "p_value_holm": s.p_value_holm,
        "retained_percent_mean": s.retained_percent,
        "features_mean": s.features,
        "seconds_mean": s.seconds,
        "predict_seconds_mean": s.predict_seconds,
        "model_bytes_mean": s.model_bytes,
        "chosen": if chosen.is_empty() { Value::Null } else { Value::Object(chosen) },
        "params": {
            "bandwidth_median": s.bandwidth,
            "ridge_median": s.ridge,
            "sparsity_median": s.sparsity,
        },
    })
}

/// A demonstration.
pub fn demo(d: &DemoSummary<'_>) -> Value {
    let method = |s: &Standing| json!({ "method": s.method, "error_mean": s.error.0 });
    json!({
        "demo": d.name,
        "n_rows": d.data.n_rows,
        "n_features": d.data.n_features,
        "classes": d.data.class_names(),
        "methods": d.ranking.standings.iter().map(method).collect::<Vec<_>>(),
        "method": d.model.method.name,
        "test_error": d.evaluation.error(),
        "test": evaluation(d.evaluation),
        "model_bytes": d.bytes,
        "reload_is_identical": d.is_identical,
        "saved": d.saved,
    })
}

/// Predictions of all rows, gathered column by column.
pub struct Predictions {
    names: Vec<String>,
    wanted: Wanted,
    predicted: Vec<usize>,
    columns: Vec<Vec<f64>>,
    /// Columns of the data that are carried through.
    kept: Vec<(String, Vec<String>)>,
}

impl Predictions {
    /// No rows yet.
    pub fn new(wanted: Wanted, model: &Model, kept: Vec<String>) -> Self {
        let names = wanted.names(model).split_off(1);
        Self {
            kept: kept.into_iter().map(|name| (name, vec![])).collect(),
            columns: vec![Vec::new(); names.len()],
            names,
            wanted,
            predicted: vec![],
        }
    }

    /// Adds rows.
    pub fn add(&mut self, p: &Prediction, kept: Vec<Vec<String>>) {
        for row in kept {
            let columns = self.kept.iter_mut();
            columns.zip(row).for_each(|((_, c), cell)| c.push(cell));
        }
        for i in 0..p.posterior.rows() {
            self.predicted.push(p.classes[i]);
            let numbers = self.wanted.numbers(p, i);
            let columns = self.columns.iter_mut();
            columns.zip(numbers).for_each(|(c, v)| c.push(v));
        }
    }

    /// Rows so far.
    pub fn n_rows(&self) -> usize {
        self.predicted.len()
    }

    /// About how many bytes a row takes in the object.
    pub fn row_bytes(&self) -> usize {
        let cells = 1 + self.names.len() + self.kept.len();
        cells * std::mem::size_of::<Value>() + 8 * self.names.len()
    }

    /// The object.
    pub fn into_json(self, classes: &[String]) -> Value {
        let predicted: Vec<&String> = self.predicted.iter().map(|&c| &classes[c]).collect();
        let mut object =
            json!({ "n_rows": predicted.len(), "classes": classes, "predicted": predicted });
        for (name, column) in self.names.iter().zip(self.columns) {
            object[name.as_str()] = Value::from(column);
        }
        if !self.kept.is_empty() {
            let kept = self
                .kept
                .into_iter()
                .map(|(name, c)| (name, Value::from(c)));
            object["kept"] = Value::Object(kept.collect());
        }
        object
    }
}

/// Log densities of all rows.
pub fn log_densities(values: &[f64]) -> Value {
    json!({ "n_rows": values.len(), "log_density": values })
}

/// Predictions that went to a file.
pub fn predicted(path: &str, n_rows: usize) -> Value {
    json!({ "n_rows": n_rows, "output": path })
}

/// A page that was written.
pub fn reported(path: &str, n_rows: usize) -> Value {
    json!({ "report": path, "n_rows": n_rows })
}

/// A model that has taken in rows.
pub fn updated(path: &str, rows: usize, model: &Model) -> Value {
    json!({
        "model": path,
        "added": rows,
        "n_rows": model.record.n_rows,
        "class_counts": model.record.class_counts,
        "objective": model.record.report.objective,
    })
}

/// A model in another format.
#[cfg(feature = "onnx")]
pub fn exported(path: &str, bytes: usize, precision: Precision, model: &Model) -> Value {
    json!({
        "output": path,
        "bytes": bytes,
        "precision": precision.to_string(),
        "inputs": [INPUT],
        "outputs": output_names(model),
        "feature_names": model.feature_names(),
    })
}

/// Completions of a shell.
pub fn completions(shell: &str, script: &[u8]) -> Value {
    json!({ "shell": shell, "script": String::from_utf8_lossy(script) })
}

/// A manual page.
pub fn manual(page: &[u8]) -> Value {
    json!({ "page": String::from_utf8_lossy(page) })
}
