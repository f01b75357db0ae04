//! A setting fitted again on some rows, to see what it says of others.

use super::control::Control;
use super::fold::prepare;
use crate::data::{Dataset, Split};
use crate::decision::{argmax, softmax_rows};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::method::{Fit, Method};
use crate::metrics::log_loss_of;
use crate::model::Model;
use crate::params::Protocol;
use rayon::prelude::*;

/// Folds that are fitted at most. Ten say how much a mean varies.
const FOLDS: usize = 10;
/// Folds of small data sets run in parallel; those of large ones use all threads, and much memory,
/// themselves.
const SIDE_BY_SIDE: usize = 2000;

/// The splits on which settings are fitted again: the folds of the protocol, ten of them at most.
pub(super) fn splits(data: &Dataset, protocol: &Protocol) -> Result<Vec<Split>> {
    let mut splits = data.folds(protocol.folds.min(FOLDS), protocol.seed)?;
    splits.truncate(FOLDS);
    Ok(splits)
}

/// Does something with every split, several at a time if they are small. It stops when the caller
/// asks to.
pub(super) fn for_each<T: Send>(
    splits: &[Split],
    control: &Control,
    one: impl Fn(usize, &Split) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let one = |(k, split): (usize, &Split)| {
        control.checkpoint()?;
        one(k, split)
    };
    let rows = splits.iter().map(|s| s.train.len()).max().unwrap_or(0);
    match rows <= SIDE_BY_SIDE {
        true => splits.par_iter().enumerate().map(one).collect(),
        false => splits.iter().enumerate().map(one).collect(),
    }
}

/// A fit and rows that it has not seen.
pub(super) struct Refit {
    fit: Fit,
    /// The rows, scaled as the fit needs them.
    pub(super) x: Matrix,
    /// The classes of the fit.
    classes: Vec<String>,
    /// Classes of the rows among those.
    truth: Vec<Option<usize>>,
    weights: Vec<f64>,
}

impl Refit {
    /// Fits the training rows of a split; `None` if they have only one class, or if the setting
    /// cannot be fitted on them.
    pub(super) fn new<M: Method>(
        method: &M,
        setting: &M::Setting,
        data: &Dataset,
        split: &Split,
        protocol: &Protocol,
    ) -> Result<Option<Self>> {
        let prepared = prepare(data, &split.train, protocol)?;
        if prepared.classes.len() < 2 {
            return Ok(None);
        }
        let fit = match method.fit(&prepared.problem, setting) {
            Ok(fit) => fit,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => return Ok(None),
        };
        let code = |i: &usize| data.labels().codes()[*i];
        let own = |i: &usize| prepared.classes.iter().position(|c| *c == code(i));
        let names = prepared.classes.iter();
        let names = names.map(|&c| data.labels().classes()[c].clone());
        Ok(Some(Self {
            classes: names.collect(),
            x: prepared.apply(data, &split.test),
            truth: split.test.iter().map(own).collect(),
            weights: split.test.iter().map(|&i| data.weight(i)).collect(),
            fit,
        }))
    }

    /// Error and mean log loss of the rows with these features in place of their own, with the
    /// calibration of a model.
    pub(super) fn loss(&self, x: &Matrix, model: &Model) -> (f64, f64) {
        let mut p = self.fit.decision.scores(&self.fit.outputs(x));
        let place = |class| model.classes.iter().position(|c| c == class);
        let shift = |class| model.shifts.get(place(class)?).copied();
        let shifts = self.classes.iter().map(|c| shift(c).unwrap_or(0.0));
        let shifts: Vec<f64> = shifts.collect();
        for row in p.as_mut_slice().chunks_exact_mut(shifts.len()) {
            let both = row.iter_mut().zip(&shifts);
            both.for_each(|(s, shift)| *s = *s / model.temperature + shift);
        }
        softmax_rows(&mut p);
        let total: f64 = self.weights.iter().sum();
        let (mut wrong, mut loss) = (0.0, 0.0);
        for (i, (&own, w)) in self.truth.iter().zip(&self.weights).enumerate() {
            let is_right = Some(argmax(p.row(i))) == own;
            wrong += if is_right { 0.0 } else { *w };
            loss += w * log_loss_of(own.map_or(0.0, |c| p[(i, c)]));
        }
        (wrong / total, loss / total)
    }
}
