//! Predictions compared with the truth.

use super::areas::Areas;
use super::overflow::Overflow;
use kernsieve::decision::argmax;
use kernsieve::linalg::Matrix;
use kernsieve::metrics::{Tally, log_loss_of};
use kernsieve::model::Model;
use std::collections::HashMap;

/// Rows by observed class (also one that only the data have) and predicted class (of the model).
#[derive(Default)]
struct Counts(Vec<Vec<usize>>);

impl Counts {
    fn add(&mut self, observed: usize, predicted: usize, known: usize) {
        if self.0.len() <= observed {
            self.0.resize_with(observed + 1, || vec![0; known]);
        }
        self.0[observed][predicted] += 1;
    }

    /// How many rows of every pair of classes there are.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let rows = self.0.iter().enumerate();
        rows.flat_map(|(o, row)| row.iter().enumerate().map(move |(p, n)| (o, p, *n)))
    }

    fn observed(&self, class: usize) -> usize {
        self.0.get(class).map_or(0, |row| row.iter().sum())
    }

    fn tally(&self, n_classes: usize) -> Tally {
        let mut tally = Tally::new(n_classes);
        self.pairs().for_each(|(o, p, n)| tally.add(o, p, n as f64));
        tally
    }
}

/// Predictions compared with the truth, block by block, in memory that does not grow with the rows.
pub struct Evaluation {
    /// Classes of the model, then those that only the data have.
    classes: Vec<String>,
    code_of: HashMap<String, usize>,
    known: usize,
    counts: Counts,
    /// With what would be predicted without the costs; empty if there are none.
    costless: Counts,
    log_loss: f64,
    /// Of the probabilities before costs.
    areas: Areas,
    /// The positive one of two classes.
    positive: Option<usize>,
    /// Shares of the model's classes in its training.
    shares: Vec<f64>,
    /// Costs of the model's classes, if there are any.
    costs: Vec<f64>,
    /// Rows whose outputs overflow.
    pub overflow: Overflow,
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
            counts: Counts::default(),
            costless: Counts::default(),
            log_loss: 0.0,
            areas: Areas::new(model.classes.len()),
            positive: model.positive(),
            shares: model.class_shares(),
            costs: model.costs_of_errors().to_vec(),
            overflow: Overflow::default(),
        }
    }

    /// Adds rows of raw features and their labels.
    pub fn add(&mut self, model: &Model, x: &Matrix, labels: &[String]) {
        let prediction = model.predict(x);
        self.overflow.add(&prediction.outputs);
        let predicted = prediction.classes.iter();
        for ((row, &predicted), label) in
            prediction.posterior.iter_rows().zip(predicted).zip(labels)
        {
            let code = match self.code_of.get(label) {
                Some(code) => *code,
                None => self.new_class(label),
            };
            self.counts.add(code, predicted, self.known);
            // Losses beside those of the shares are of probabilities before costs, as shares are.
            let plain = model.without_costs(row);
            if !self.costs.is_empty() {
                self.costless.add(code, argmax(&plain), self.known);
            }
            // A class that the model does not know has probability 0.
            self.log_loss += log_loss_of(plain.get(code).copied().unwrap_or(0.0));
            self.areas.add(&plain, code);
        }
    }

    fn new_class(&mut self, label: &str) -> usize {
        self.code_of.insert(label.to_string(), self.classes.len());
        self.classes.push(label.to_string());
        self.classes.len() - 1
    }

    /// Rows seen.
    pub fn n_rows(&self) -> usize {
        self.counts.pairs().map(|(_, _, n)| n).sum()
    }

    /// Rows predicted wrongly.
    pub fn wrong(&self) -> usize {
        let wrong = self.counts.pairs().filter(|(o, p, _)| o != p);
        wrong.map(|(_, _, n)| n).sum()
    }

    /// Fraction predicted wrongly.
    pub fn error(&self) -> f64 {
        self.tally().error()
    }

    /// Rows counted by class.
    fn tally(&self) -> Tally {
        self.counts.tally(self.classes.len())
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
        self.areas.mean()
    }

    /// Error and log loss of always saying the class that was the largest in training, with the
    /// shares of the classes in training as probabilities.
    pub fn baseline(&self) -> Option<(&str, f64, f64)> {
        let largest = argmax(&self.shares);
        let n = self.n_rows() as f64;
        let other = n - self.counts.observed(largest) as f64;
        let loss = |class: usize| {
            let share = self.shares.get(class).copied().unwrap_or(0.0);
            self.counts.observed(class) as f64 * log_loss_of(share)
        };
        let losses: f64 = (0..self.classes.len()).map(loss).sum();
        (n > 0.0).then(|| (&*self.classes[largest], other / n, losses / n))
    }

    /// Mean cost of a row, where errors have costs.
    pub fn mean_cost(&self) -> Option<f64> {
        self.cost_of(&self.counts)
    }

    /// Error and mean cost of a row if the costs had no say in the predictions, where errors have
    /// costs.
    pub fn without_costs(&self) -> Option<(f64, f64)> {
        let cost = self.cost_of(&self.costless)?;
        Some((self.costless.tally(self.classes.len()).error(), cost))
    }

    fn cost_of(&self, counts: &Counts) -> Option<f64> {
        let wrong = counts.pairs().filter(|(o, p, _)| o != p);
        let total: f64 = wrong
            .map(|(o, _, n)| n as f64 * self.costs.get(o).copied().unwrap_or(1.0))
            .sum();
        (!self.costs.is_empty() && self.n_rows() > 0).then(|| total / self.n_rows() as f64)
    }

    /// Classes, those only in the data last.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Observed by predicted.
    pub fn confusion(&self) -> Vec<Vec<usize>> {
        let mut table = vec![vec![0; self.classes.len()]; self.classes.len()];
        self.counts.pairs().for_each(|(o, p, n)| table[o][p] = n);
        table
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
        self.n_rows() > 0 && (0..self.known).all(|class| self.counts.observed(class) == 0)
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
