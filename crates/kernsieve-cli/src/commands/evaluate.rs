//! `kernsieve evaluate`: how good a saved model is on rows whose classes are known.

use super::{load_classifier, open_labelled, print_confusion};
use crate::args::EvaluateArgs;
use crate::failure::Failure;
use crate::output::{Terminal, clean, percent, short, wrapped};
use kernsieve::decision::argmax;
use kernsieve::linalg::Matrix;
use kernsieve::metrics::{balanced_accuracy, confusion, error_rate, log_loss_of};
use kernsieve::model::Model;
use kernsieve_io::{Missing, ScoringReader};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Predictions compared with the truth, block by block.
pub struct Evaluation {
    /// Classes of the model, then those that only the data have.
    classes: Vec<String>,
    code_of: HashMap<String, usize>,
    known: usize,
    predicted: Vec<usize>,
    truth: Vec<usize>,
    log_loss: f64,
    /// Costs of the model's classes, where there are any.
    costs: Vec<f64>,
}

impl Evaluation {
    /// Nothing seen yet.
    pub fn new(model: &Model) -> Self {
        let code_of = model
            .classes
            .iter()
            .cloned()
            .enumerate()
            .map(|(i, c)| (c, i))
            .collect();
        Self {
            classes: model.classes.clone(),
            code_of,
            known: model.classes.len(),
            predicted: vec![],
            truth: vec![],
            log_loss: 0.0,
            costs: model.costs.clone(),
        }
    }

    /// Adds rows of raw features and their labels.
    pub fn add(&mut self, model: &Model, x: &Matrix, labels: &[String]) {
        let p = model.predict(x).posterior;
        for (row, label) in p.iter_rows().zip(labels) {
            let code = *self.code_of.entry(label.clone()).or_insert_with(|| {
                self.classes.push(label.clone());
                self.classes.len() - 1
            });
            self.truth.push(code);
            self.predicted.push(argmax(row));
            // A class that the model does not know has probability 0.
            self.log_loss += log_loss_of(row.get(code).copied().unwrap_or(0.0));
        }
    }

    /// Rows seen.
    pub fn n_rows(&self) -> usize {
        self.truth.len()
    }

    /// Rows predicted wrongly.
    pub fn wrong(&self) -> usize {
        self.predicted
            .iter()
            .zip(&self.truth)
            .filter(|(p, t)| p != t)
            .count()
    }

    /// Fraction predicted wrongly.
    pub fn error(&self) -> f64 {
        error_rate(&self.predicted, &self.truth)
    }

    /// Mean cost of a row, where errors have costs.
    pub fn mean_cost(&self) -> Option<f64> {
        let wrong = self
            .predicted
            .iter()
            .zip(&self.truth)
            .filter(|(p, t)| p != t);
        let total: f64 = wrong
            .map(|(_, &t)| self.costs.get(t).copied().unwrap_or(1.0))
            .sum();
        (!self.costs.is_empty() && self.n_rows() > 0).then(|| total / self.n_rows() as f64)
    }

    /// Classes, those only in the data last.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Observed by predicted.
    pub fn confusion(&self) -> Vec<Vec<usize>> {
        confusion(&self.predicted, &self.truth, self.classes.len())
    }

    fn balanced(&self) -> f64 {
        balanced_accuracy(&self.predicted, &self.truth, self.classes.len())
    }

    fn mean_log_loss(&self) -> Option<f64> {
        (self.n_rows() > 0).then(|| self.log_loss / self.n_rows() as f64)
    }

    /// The object of `evaluate --json`.
    pub fn to_json(&self) -> Value {
        json!({
            "n_rows": self.n_rows(),
            "accuracy": 1.0 - self.error(),
            "error": self.error(),
            "balanced_accuracy": self.balanced(),
            "log_loss": self.mean_log_loss(),
            "mean_cost": self.mean_cost(),
            "classes": self.classes,
            "confusion": self.confusion(),
        })
    }

    fn notices(&self) -> Vec<String> {
        let unknown = &self.classes[self.known..];
        if unknown.is_empty() {
            return vec![];
        }
        let names: Vec<String> = unknown.iter().take(8).map(|c| clean(c, 40)).collect();
        vec![format!(
            "the model knows no class {}; rows of it count as wrong",
            names.join(", ")
        )]
    }
}

/// Evaluates a model on the rows of a file, of which there is at least one; `see` is shown each
/// block of them.
pub fn evaluate_rows(
    model: &Model,
    reader: &mut ScoringReader,
    terminal: &Terminal<'_>,
    mut see: impl FnMut(&Matrix, &[String]),
) -> Result<Evaluation, Failure> {
    let mut evaluation = Evaluation::new(model);
    for block in reader.by_ref() {
        let block = block?;
        let labels = block.labels.unwrap_or_default();
        see(&block.x, &labels);
        evaluation.add(model, &block.x, &labels);
    }
    terminal.notices(reader.notices());
    if evaluation.truth.iter().all(|&t| t >= evaluation.known) && evaluation.n_rows() > 0 {
        let names = |classes: &[String]| {
            classes
                .iter()
                .take(4)
                .map(|c| clean(c, 40))
                .collect::<Vec<_>>()
                .join(", ")
        };
        return Err(Failure::CouldNot(format!(
            "none of the classes in the data ({}, ...) is one of the model's ({}, ...); is the target column the right one?",
            names(&evaluation.classes[evaluation.known..]),
            names(&evaluation.classes[..evaluation.known])
        )));
    }
    terminal.notices(&evaluation.notices());
    Ok(evaluation)
}

/// Runs the command.
pub fn run(args: &EvaluateArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    if args.scoring.missing == Missing::Drop {
        return Err(Failure::Usage(
            "every row is measured: --missing is error or mean here".into(),
        ));
    }
    let model = load_classifier(&args.scoring.model)?;
    let (source, mut reader) = open_labelled(&args.scoring, args.target.as_ref(), &model)?;
    let e = evaluate_rows(&model, &mut reader, terminal, |_, _| ())?;
    if terminal.json {
        terminal.object(&e.to_json())?;
    } else {
        let words = format!(
            "{}: {} rows, accuracy {}, error {}, balanced accuracy {}, log loss {:.4}",
            clean(&source.to_string(), usize::MAX),
            e.n_rows(),
            percent(1.0 - e.error()),
            percent(e.error()),
            percent(e.balanced()),
            e.mean_log_loss().unwrap_or(f64::NAN)
        );
        writeln!(terminal.out, "{}", wrapped(&words, ""))?;
        if let Some(cost) = e.mean_cost() {
            writeln!(terminal.out, "mean cost of a row {}", short(cost))?;
        }
        writeln!(terminal.out)?;
        print_confusion(e.classes(), &e.confusion(), terminal)?;
    }
    match args.fail_under {
        Some(least) if 1.0 - e.error() < least => Err(Failure::Under(format!(
            "the accuracy is {}, below the {} asked for",
            percent(1.0 - e.error()),
            percent(least)
        ))),
        _ => Ok(()),
    }
}
