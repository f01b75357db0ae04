//! Predictions compared with the truth.

use kernsieve::decision::argmax;
use kernsieve::linalg::Matrix;
use kernsieve::metrics::{balanced_accuracy, confusion, error_rate, log_loss_of};
use kernsieve::model::Model;
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
    /// Costs of the model's classes, if there are any.
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

    /// Mean over the classes of the share predicted rightly.
    pub fn balanced(&self) -> f64 {
        balanced_accuracy(&self.predicted, &self.truth, self.classes.len())
    }

    /// Mean of `-log p` of the true class.
    pub fn mean_log_loss(&self) -> Option<f64> {
        (self.n_rows() > 0).then(|| self.log_loss / self.n_rows() as f64)
    }

    /// Classes that only the data have.
    pub fn unknown_classes(&self) -> &[String] {
        &self.classes[self.known..]
    }

    /// Classes of the model.
    pub fn known_classes(&self) -> &[String] {
        &self.classes[..self.known]
    }

    /// Whether the model knows the class of none of the rows.
    pub fn is_foreign(&self) -> bool {
        self.n_rows() > 0 && self.truth.iter().all(|&t| t >= self.known)
    }
}
