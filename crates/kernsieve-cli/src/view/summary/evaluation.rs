//! Predictions compared with the truth.

use kernsieve::decision::argmax;
use kernsieve::linalg::Matrix;
use kernsieve::metrics::{Tally, confusion, error_rate, log_loss_of, macro_auc};
use kernsieve::model::Model;
use std::collections::HashMap;

/// Predictions compared with the truth, block by block.
pub struct Evaluation {
    /// Classes of the model, then those that only the data have.
    classes: Vec<String>,
    code_of: HashMap<String, usize>,
    known: usize,
    predicted: Vec<usize>,
    /// What would be predicted without the costs; empty if there are none.
    costless: Vec<usize>,
    truth: Vec<usize>,
    log_loss: f64,
    /// Probabilities of the model's classes before costs, row by row.
    probabilities: Vec<f64>,
    /// The positive one of two classes.
    positive: Option<usize>,
    /// Shares of the model's classes in its training.
    shares: Vec<f64>,
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
            costless: vec![],
            truth: vec![],
            log_loss: 0.0,
            probabilities: vec![],
            positive: model.positive(),
            shares: model.class_shares(),
            costs: model.costs_of_errors().to_vec(),
        }
    }

    /// Adds rows of raw features and their labels.
    pub fn add(&mut self, model: &Model, x: &Matrix, labels: &[String]) {
        let prediction = model.predict(x);
        let p = &prediction.posterior;
        self.predicted.extend_from_slice(&prediction.classes);
        for (row, label) in p.iter_rows().zip(labels) {
            let code = *self.code_of.entry(label.clone()).or_insert_with(|| {
                self.classes.push(label.clone());
                self.classes.len() - 1
            });
            self.truth.push(code);
            // Losses beside those of the shares are of probabilities before costs, as shares are.
            let plain = model.without_costs(row);
            if !self.costs.is_empty() {
                self.costless.push(argmax(&plain));
            }
            // A class that the model does not know has probability 0.
            self.log_loss += log_loss_of(plain.get(code).copied().unwrap_or(0.0));
            self.probabilities.extend_from_slice(&plain);
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
        self.tally().error()
    }

    /// Rows counted by class.
    fn tally(&self) -> Tally {
        Tally::of(&self.predicted, &self.truth, self.classes.len())
    }

    /// F1 of the positive class, or the mean over many classes.
    pub fn f1(&self) -> f64 {
        let tally = self.tally();
        match self.positive {
            Some(class) => tally.f1(class),
            None => tally.macro_f1(),
        }
    }

    /// Matthews' correlation coefficient.
    pub fn mcc(&self) -> f64 {
        self.tally().mcc()
    }

    /// Found share of the positive one of two classes, and the share of its calls that are right.
    pub fn positive(&self) -> Option<Positive<'_>> {
        let class = self.positive?;
        let tally = self.tally();
        Some(Positive {
            class: &self.classes[class],
            recall: tally.recall(class),
            precision: tally.precision(class),
        })
    }

    /// Area below the receiver operating characteristic; for many classes the mean over each against
    /// the rest.
    pub fn auc(&self) -> Option<f64> {
        let c = self.known;
        let rows = self.probabilities.chunks_exact(c);
        macro_auc(rows, &self.truth, None, c)
    }

    /// Error and log loss of always saying the class that was the largest in training, with the
    /// shares of the classes in training as probabilities.
    pub fn baseline(&self) -> Option<(&str, f64, f64)> {
        let largest = argmax(&self.shares);
        let n = self.n_rows() as f64;
        let other = self.truth.iter().filter(|t| **t != largest).count() as f64;
        let share = |t: &usize| self.shares.get(*t).copied().unwrap_or(0.0);
        let losses = self.truth.iter().map(|t| log_loss_of(share(t)));
        (n > 0.0).then(|| (&*self.classes[largest], other / n, losses.sum::<f64>() / n))
    }

    /// Mean cost of a row, where errors have costs.
    pub fn mean_cost(&self) -> Option<f64> {
        self.cost_of(&self.predicted)
    }

    /// Error and mean cost of a row if the costs had no say in the predictions, where errors have
    /// costs.
    pub fn without_costs(&self) -> Option<(f64, f64)> {
        let cost = self.cost_of(&self.costless)?;
        Some((error_rate(&self.costless, &self.truth), cost))
    }

    fn cost_of(&self, predicted: &[usize]) -> Option<f64> {
        let wrong = predicted.iter().zip(&self.truth).filter(|(p, t)| p != t);
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
        self.tally().balanced_accuracy()
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

/// How the positive one of two classes is found.
pub struct Positive<'a> {
    /// Its name.
    pub class: &'a str,
    /// Share of its rows that are found.
    pub recall: Option<f64>,
    /// Share of its calls that are right.
    pub precision: Option<f64>,
}
