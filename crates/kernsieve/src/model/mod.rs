//! A trained model: everything that prediction needs, and a record of how it was trained.

mod check;
mod linear;
mod record;
mod update;

pub use crate::method::{CvEntry, Press};
pub use linear::LinearScores;
pub(crate) use record::optimism;
pub use record::{
    Asked, Assessment, AutoEntry, AutoRecord, Baseline, Calibrated, CurvePoint, CutPoint, Cutting,
    CvTable, Expected, Importance, TrainingRecord,
};

use crate::data::{Scaling, Schema};
use crate::decision::{Decision, argmax, softmax_in_place, softmax_rows};
use crate::discriminant_kernel::{DiscriminantKernel, outputs};
use crate::expansion::KernelExpansion;
use crate::linalg::Matrix;
use crate::partial::TallQr;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A trained classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Class labels as the user wrote them.
    pub classes: Vec<String>,
    /// Input columns.
    pub schema: Schema,
    /// Standardisation of the features.
    pub scaling: Scaling,
    /// The map from a standardised row to what the expansion sees, if that is not the row itself
    /// but the features of a discriminant kernel.
    pub discriminant: Option<DiscriminantKernel>,
    /// Outputs as a function of that.
    pub expansion: KernelExpansion,
    /// Classes as a function of the outputs.
    pub decision: Decision,
    /// Log scores are divided by this before they become probabilities: 1, or the value of least
    /// cross-validated log loss. It changes no predicted class.
    pub temperature: f64,
    /// Added to the log scores of each class after that: a multiple of its log share, where the
    /// shares alone predict held-out rows better than the scores. Empty otherwise. The most probable
    /// class is predicted all the same, which need not be that of the largest score.
    pub shifts: Vec<f64>,
    /// Cost of an error on a row of each class. Probabilities are multiplied by it and scaled to
    /// sum to 1 again, so that the largest one marks the class of least expected cost. Empty if all
    /// costs are equal.
    pub costs: Vec<f64>,
    /// Two classes: where they are divided, if not at equal probabilities.
    pub threshold: Option<Threshold>,
    /// The triangular factor of the training rows' columns, if further rows can be added
    /// ([`Model::update`]).
    pub factor: Option<TallQr>,
    /// How the model was trained.
    pub record: TrainingRecord,
}

/// A row is of the positive class if the probability of that is at least a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    /// Position of the positive class.
    pub positive: usize,
    /// The least probability, above 0 and below 1.
    pub value: f64,
}

/// The predictions of a model for some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Outputs `z` (canonical variates, scores or log densities), rows x outputs.
    pub outputs: Matrix,
    /// Class probabilities, rows x classes.
    pub posterior: Matrix,
    /// The predicted class of each row: the one of the largest probability, the first one on a tie;
    /// or by the threshold of the model.
    pub classes: Vec<usize>,
}

impl Model {
    /// Predicts rows of raw features (`n x n_features`, in the units of the file).
    pub fn predict(&self, x: &Matrix) -> Prediction {
        let outputs = self.outputs(x);
        let posterior = self.posterior(&outputs);
        Prediction {
            classes: posterior.iter_rows().map(|p| self.class_of(p)).collect(),
            outputs,
            posterior,
        }
    }

    /// The predicted class of every row, by name.
    pub fn predict_classes(&self, x: &Matrix) -> Vec<&str> {
        let posterior = self.posterior(&self.outputs(x));
        let name = |row: &[f64]| self.classes[self.class_of(row)].as_str();
        posterior.iter_rows().map(name).collect()
    }

    /// The class that goes with probabilities: the most probable one, or by the threshold.
    pub fn class_of(&self, probabilities: &[f64]) -> usize {
        match self.threshold {
            Some(t) if probabilities[t.positive] >= t.value => t.positive,
            Some(t) => 1 - t.positive,
            None => argmax(probabilities),
        }
    }

    /// The training rows that the model keeps, in order of selection if there is one.
    pub fn support_rows(&self) -> &[usize] {
        &self.record.report.retained_rows
    }

    /// Outputs `z` of rows of raw features.
    pub fn outputs(&self, x: &Matrix) -> Matrix {
        let mut scaled = x.clone();
        self.scaling.apply_in_place(&mut scaled);
        outputs(self.discriminant.as_ref(), &self.expansion, &scaled)
    }

    /// Class probabilities of rows of outputs, times the costs if there are any.
    pub fn posterior(&self, outputs: &Matrix) -> Matrix {
        let mut scores = self.log_scores(outputs);
        softmax_rows(&mut scores);
        scores
    }

    /// Probabilities before costs.
    pub fn without_costs<'p>(&self, probabilities: &'p [f64]) -> Cow<'p, [f64]> {
        if self.costs.is_empty() {
            return probabilities.into();
        }
        let both = probabilities.iter().zip(&self.costs);
        let mut plain: Vec<f64> = both.map(|(p, cost)| p / cost).collect();
        let total: f64 = plain.iter().sum();
        plain.iter_mut().for_each(|p| *p /= total);
        plain.into()
    }

    /// What errors on rows of each class cost, whether that weighs the probabilities or has found the
    /// threshold; empty if all cost the same.
    pub fn costs_of_errors(&self) -> &[f64] {
        match self.costs.is_empty() {
            true => &self.record.costs,
            false => &self.costs,
        }
    }

    /// Probabilities from the log scores of a rule that knows only some of the classes, those at
    /// `places`; the others get probability 0. Calibration and costs are those of the model.
    pub(crate) fn probabilities_among(&self, scores: &[f64], places: &[usize]) -> Vec<f64> {
        let mut own: Vec<f64> = scores.iter().map(|s| s / self.temperature).collect();
        for (s, &c) in own.iter_mut().zip(places) {
            *s += self.shifts.get(c).copied().unwrap_or(0.0);
            *s += self.costs.get(c).map_or(0.0, |cost| cost.ln());
        }
        softmax_in_place(&mut own);
        let mut all = vec![0.0; self.classes.len()];
        own.into_iter().zip(places).for_each(|(p, &c)| all[c] = p);
        all
    }

    /// The softmax of the scores: `exp(score) / sum(exp(score))`.
    pub fn log_scores(&self, outputs: &Matrix) -> Matrix {
        let mut scores = self.decision.scores(outputs);
        if self.temperature != 1.0 {
            scores
                .as_mut_slice()
                .iter_mut()
                .for_each(|s| *s /= self.temperature);
        }
        if !self.shifts.is_empty() {
            for row in scores.as_mut_slice().chunks_exact_mut(self.classes.len()) {
                row.iter_mut().zip(&self.shifts).for_each(|(s, v)| *s += v);
            }
        }
        if !self.costs.is_empty() {
            for row in scores.as_mut_slice().chunks_exact_mut(self.classes.len()) {
                row.iter_mut()
                    .zip(&self.costs)
                    .for_each(|(s, cost)| *s += cost.ln());
            }
        }
        scores
    }

    /// The positive one of two classes: that of the threshold, or the second unless another was
    /// named in training.
    pub fn positive(&self) -> Option<usize> {
        let asked = self.record.options.protocol.positive_of(&self.classes);
        match self.threshold {
            Some(t) => Some(t.positive),
            None => asked.ok().flatten(),
        }
    }

    /// Shares of the classes in training.
    pub fn class_shares(&self) -> Vec<f64> {
        let counts = &self.record.class_counts;
        let total = counts.iter().sum::<usize>().max(1) as f64;
        counts.iter().map(|&c| c as f64 / total).collect()
    }

    /// Whether it is a density: its outputs are log densities, and it has no classes to tell apart.
    pub fn is_density(&self) -> bool {
        self.record.density.is_some()
    }

    /// Names of the features, dropped ones included.
    pub fn feature_names(&self) -> Vec<String> {
        self.schema.feature_names()
    }

    /// The expansion that reads the features themselves.
    pub fn reader(&self) -> &KernelExpansion {
        self.discriminant
            .as_ref()
            .map_or(&self.expansion, |k| &k.expansion)
    }

    /// Weight of every feature; zero drops it.
    pub fn feature_weights(&self) -> &[f64] {
        &self.reader().feature_weights
    }

    /// Features with a nonzero weight, largest weight first (for linear posteriors: largest
    /// coefficient); ties are in the order of the columns.
    pub fn selected_features(&self) -> Vec<String> {
        let names = self.feature_names();
        let w = self.feature_weights();
        if !self.record.report.imported.is_empty() {
            return self
                .record
                .report
                .imported
                .iter()
                .map(|&j| names[j].clone())
                .collect();
        }
        let used: Vec<usize> = (0..w.len()).filter(|&j| w[j] != 0.0).collect();
        let posterior = self.record.setting.posterior();
        let regression = posterior.is_some_and(|p| p.number("sparsity").is_some());
        let size = |k: usize| match regression {
            // Support rows of linear posteriors are their coefficients.
            true => self
                .reader()
                .support
                .iter_rows()
                .fold(0.0, |m, row| f64::max(m, row[k].abs())),
            false => w[used[k]].abs(),
        };
        let mut order: Vec<usize> = (0..used.len()).collect();
        order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
        order.into_iter().map(|k| names[used[k]].clone()).collect()
    }
}
