//! The predictions of a setting for every row by a fit that has not seen it: one pass over the
//! folds that serves both the calibration of probabilities and the report.
//!
//! The setting was chosen with all rows, so the result is slightly optimistic, like any
//! cross-validated error of the best of many settings.

use super::control::Control;
use super::fold::PreparedFold;
use super::temperature::{Scored, best_temperature};
use crate::data::{Dataset, Split};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::method::Method;
use crate::model::Model;
use crate::params::Protocol;
use rayon::prelude::*;

/// Folds of small data sets run in parallel; those of large ones use all threads, and much memory,
/// themselves.
const SIDE_BY_SIDE: usize = 2000;
/// A thousand rows are enough to learn a single number.
const ROWS_FOR_TEMPERATURE: usize = 1000;

/// Log scores of the held-out rows of the folds fitted so far, in the order of the folds.
#[derive(Clone, Debug, Default)]
pub struct OutOfFold {
    folds: Vec<FoldScores>,
}

/// The scores of the held-out rows of a fold.
#[derive(Clone, Debug)]
struct FoldScores {
    /// The rows.
    rows: Vec<usize>,
    /// Class codes in the data set to which the scores belong.
    classes: Vec<usize>,
    /// Rows x classes; `None` where the setting could not be fitted.
    scores: Option<Matrix>,
    /// The rows from which a temperature can be learned.
    scored: Vec<Scored>,
}

impl OutOfFold {
    /// Fits the first folds, as many as hold enough rows for a temperature.
    pub(super) fn for_temperature<M: Method>(
        method: &M,
        setting: &M::Setting,
        data: &Dataset,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<Self> {
        let mut splits = data.folds(protocol.folds, protocol.seed)?;
        let mut rows = 0;
        splits.retain(|s| {
            rows += s.test.len();
            rows - s.test.len() < ROWS_FOR_TEMPERATURE
        });
        let mut pass = Self::default();
        pass.ask(&splits, method, setting, data, protocol, control)?;
        Ok(pass)
    }

    /// Fits the folds that were not fitted yet.
    pub(super) fn complete<M: Method>(
        &mut self,
        method: &M,
        setting: &M::Setting,
        data: &Dataset,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<()> {
        let splits = data.folds(protocol.folds, protocol.seed)?;
        let rest = splits.get(self.folds.len()..).unwrap_or_default();
        self.ask(rest, method, setting, data, protocol, control)
    }

    fn ask<M: Method>(
        &mut self,
        splits: &[Split],
        method: &M,
        setting: &M::Setting,
        data: &Dataset,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<()> {
        let one = |split: &Split| -> Result<FoldScores> {
            control.checkpoint()?;
            let prepared = PreparedFold::new(method, data, split, protocol)?;
            let scores = prepared.scores_of(method, setting)?;
            let scored = match (&prepared.fold, &scores) {
                (Some(fold), Some(scores)) => prepared.scored(fold, scores),
                _ => vec![],
            };
            Ok(FoldScores {
                rows: split.test.clone(),
                classes: prepared.classes,
                scores,
                scored,
            })
        };
        let asked: Vec<FoldScores> = if data.n_samples() <= SIDE_BY_SIDE {
            splits.par_iter().map(one).collect::<Result<_>>()?
        } else {
            splits.iter().map(one).collect::<Result<_>>()?
        };
        self.folds.extend(asked);
        Ok(())
    }

    /// The temperature of least log loss of these probabilities: log scores are divided by it,
    /// which changes no predicted class. From a quarter (underconfident) to a thousand; 1 when
    /// there is nothing to learn it from.
    pub(super) fn temperature(&self) -> f64 {
        let rows: Vec<Scored> = self.folds.iter().flat_map(|f| f.scored.clone()).collect();
        best_temperature(&rows, 0.25).0
    }

    /// Class probabilities of each row with the temperature and the costs of the model; `None` for
    /// rows of a fold that could not be fitted.
    pub(super) fn probabilities(&self, model: &Model, data: &Dataset) -> Vec<Option<Vec<f64>>> {
        let mut rows: Vec<Option<Vec<f64>>> = vec![None; data.n_samples()];
        // Position among the classes of the model, which are those of the data that have rows.
        let names = data.labels().classes().iter();
        let place: Vec<Option<usize>> = names
            .map(|c| model.classes.iter().position(|m| m == c))
            .collect();
        for fold in &self.folds {
            let places: Vec<usize> = fold.classes.iter().filter_map(|&c| place[c]).collect();
            let Some(scores) = &fold.scores else { continue };
            for (row, &i) in scores.iter_rows().zip(&fold.rows) {
                rows[i] = Some(model.probabilities_among(row, &places));
            }
        }
        rows
    }
}
