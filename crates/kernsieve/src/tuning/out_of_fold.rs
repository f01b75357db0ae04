//! The predictions of a setting for every row by a fit that has not seen it: one pass over the
//! folds that serves the calibration of probabilities, the threshold, what is told about the model,
//! and the report.
//!
//! The setting was chosen with all rows, so the result is slightly optimistic, like any
//! cross-validated error of the best of many settings.

use super::control::Control;
use super::fold::PreparedFold;
use super::temperature::Scored;
use crate::data::{Dataset, Split};
use crate::decision::argmax;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::method::Method;
use crate::model::Model;
use crate::params::Protocol;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Folds of small data sets run in parallel; those of large ones use all threads, and much memory,
/// themselves.
const SIDE_BY_SIDE: usize = 2000;

/// Log scores of the held-out rows of the folds fitted so far, in the order of the folds.
#[derive(Clone, Debug, Default)]
pub struct OutOfFold {
    folds: Vec<FoldScores>,
}

/// The held-out rows of a fold.
#[derive(Clone, Debug)]
pub(super) struct FoldRows {
    /// The rows.
    pub(super) rows: Vec<usize>,
    /// Their classes, as codes of the data set.
    pub(super) truth: Vec<usize>,
    /// Their weights.
    pub(super) weights: Vec<f64>,
    /// The classes that the training part has, as codes of the data set, to which scores belong.
    pub(super) classes: Vec<usize>,
}

impl FoldRows {
    /// Of a split.
    pub(super) fn new(data: &Dataset, split: &Split) -> Self {
        let codes = data.labels().codes();
        let classes: BTreeSet<usize> = split.train.iter().map(|&i| codes[i]).collect();
        Self {
            rows: split.test.clone(),
            truth: split.test.iter().map(|&i| codes[i]).collect(),
            weights: split.test.iter().map(|&i| data.weight(i)).collect(),
            classes: classes.into_iter().collect(),
        }
    }

    /// The rows whose class the fold knows and whose scores are finite.
    pub(super) fn scored<'a>(&'a self, scores: &'a Matrix) -> impl Iterator<Item = Scored> + 'a {
        let rows = scores.iter_rows().zip(&self.truth).zip(&self.weights);
        rows.filter_map(|((row, truth), &weight)| {
            let own = self.classes.iter().position(|c| c == truth)?;
            let known = self.classes.len() > 1 && row.iter().all(|s| s.is_finite());
            known.then(|| Scored {
                scores: row.to_vec(),
                own,
                weight,
            })
        })
    }
}

/// The scores of the held-out rows of a fold.
#[derive(Clone, Debug)]
struct FoldScores {
    held_out: FoldRows,
    /// Rows x classes; `None` where the setting could not be fitted.
    scores: Option<Matrix>,
}

/// A held-out row as a model judges it.
#[derive(Clone, Debug)]
pub(super) struct JudgedRow {
    /// Its place in the data set.
    pub(super) row: usize,
    /// Position of its class among those of the model.
    pub(super) truth: usize,
    /// The fold that held it out.
    pub(super) fold: usize,
    /// Which classes of the model that fold knew.
    pub(super) knows: Arc<[bool]>,
    pub(super) weight: f64,
    /// Probabilities of the model's classes.
    pub(super) probabilities: Vec<f64>,
}

impl JudgedRow {
    /// Whether the fold knew the class of the row.
    pub(super) fn is_known(&self) -> bool {
        self.knows[self.truth]
    }
}

impl OutOfFold {
    /// From scores that cross-validation kept; `None` if it kept none.
    pub(super) fn known(held_out: Vec<FoldRows>, scores: Vec<Option<Matrix>>) -> Option<Self> {
        if scores.iter().all(Option::is_none) {
            return None;
        }
        let folds = held_out.into_iter().zip(scores);
        let folds = folds.map(|(held_out, scores)| FoldScores { held_out, scores });
        Some(Self {
            folds: folds.collect(),
        })
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
        let one = |split: &Split| -> Result<FoldScores> {
            control.checkpoint()?;
            let prepared = PreparedFold::new(method, data, split, protocol)?;
            Ok(FoldScores {
                held_out: FoldRows::new(data, split),
                scores: prepared.scores_of(method, setting)?,
            })
        };
        let asked: Vec<FoldScores> = if data.n_samples() <= SIDE_BY_SIDE {
            rest.par_iter().map(one).collect::<Result<_>>()?
        } else {
            rest.iter().map(one).collect::<Result<_>>()?
        };
        self.folds.extend(asked);
        Ok(())
    }

    /// Replaces scores by those of fits that learn everything inside their fold, where the method
    /// knows a way; says by how much the share of wrong rows grows.
    pub(super) fn learn_afresh<M: Method>(
        &mut self,
        method: &M,
        setting: &M::Setting,
        data: &Dataset,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<f64> {
        let splits = data.folds(protocol.folds, protocol.seed)?;
        let splits = &splits[..self.folds.len().min(splits.len())];
        let one = |split: &Split| -> Result<Option<Matrix>> {
            control.checkpoint()?;
            let prepared = PreparedFold::new(method, data, split, protocol)?;
            prepared.scores_afresh(method, setting)
        };
        let found: Vec<Option<Matrix>> = splits.par_iter().map(one).collect::<Result<_>>()?;
        if found.iter().all(Option::is_none) {
            return Ok(0.0);
        }
        let before = self.wrong();
        for (fold, scores) in self.folds.iter_mut().zip(found) {
            fold.scores = scores.or(fold.scores.take());
        }
        Ok(self.wrong() - before)
    }

    /// Share of rows whose own class has not the highest score.
    fn wrong(&self) -> f64 {
        let (mut wrong, mut total) = (0.0, 0.0);
        for FoldScores { held_out, scores } in &self.folds {
            let Some(scores) = scores else { continue };
            for (i, row) in scores.iter_rows().enumerate() {
                total += held_out.weights[i];
                if held_out.classes[argmax(row)] != held_out.truth[i] {
                    wrong += held_out.weights[i];
                }
            }
        }
        if total > 0.0 { wrong / total } else { 0.0 }
    }

    /// The rows from which a calibration can be learned, with the classes of the data set that
    /// their scores belong to.
    pub(super) fn scored(&self) -> Vec<(Scored, &[usize])> {
        let folds = self.folds.iter().flat_map(|f| {
            let scores = f.scores.iter();
            scores.flat_map(|m| f.held_out.scored(m).map(|s| (s, &*f.held_out.classes)))
        });
        folds.collect()
    }

    /// Every held-out row with the probabilities of a model. Rows that were held out several times
    /// are there as often.
    pub(super) fn judged(&self, model: &Model, data: &Dataset) -> Vec<JudgedRow> {
        // Position among the classes of the model, which are those of the data that have rows.
        let names = data.labels().classes().iter();
        let place: Vec<Option<usize>> = names
            .map(|c| model.classes.iter().position(|m| m == c))
            .collect();
        let mut rows = Vec::new();
        for (number, fold) in self.folds.iter().enumerate() {
            let held_out = &fold.held_out;
            let places: Vec<usize> = held_out.classes.iter().filter_map(|&c| place[c]).collect();
            let knows: Arc<[bool]> = (0..model.classes.len())
                .map(|c| places.contains(&c))
                .collect();
            let Some(scores) = &fold.scores else { continue };
            for (k, row) in scores.iter_rows().enumerate() {
                let Some(truth) = place[held_out.truth[k]] else {
                    continue;
                };
                rows.push(JudgedRow {
                    row: held_out.rows[k],
                    truth,
                    fold: number,
                    knows: knows.clone(),
                    weight: held_out.weights[k],
                    probabilities: model.probabilities_among(row, &places),
                });
            }
        }
        rows
    }

    /// Class probabilities of each row with the calibration and the costs of the model; `None` for
    /// rows of a fold that could not be fitted.
    pub(super) fn probabilities(&self, model: &Model, data: &Dataset) -> Vec<Option<Vec<f64>>> {
        let mut rows: Vec<Option<Vec<f64>>> = vec![None; data.n_samples()];
        for judged in self.judged(model, data) {
            rows[judged.row] = Some(judged.probabilities);
        }
        rows
    }
}
