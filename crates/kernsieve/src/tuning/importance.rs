//! Permutation importance: what it costs to shuffle a feature of rows that a fit has not seen.
//!
//! Every fold is fitted at the chosen setting, then one feature after the other is shuffled among
//! the held-out rows. The increase of error and log loss is what the fit loses without the feature;
//! its standard error is that over folds. Features that stand for each other share their importance,
//! and each alone may seem to have little.

use super::control::Control;
use super::fold::prepare;
use super::sample::drawn;
use crate::data::{Dataset, Rng};
use crate::decision::{argmax, softmax_rows};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::method::{Fit, Method};
use crate::metrics::{log_loss_of, mean_and_standard_error};
use crate::model::{Importance, Model};
use crate::params::Protocol;
use rayon::prelude::*;

/// Rows from which importances are estimated.
const ROWS: usize = 1000;
/// Features of largest weight that are shuffled.
const FEATURES: usize = 64;
/// Shuffles of a feature in a fold.
const SHUFFLES: usize = 3;

/// Importances of the features that a model uses, most important first.
pub(super) fn importances<M: Method>(
    method: &M,
    setting: &M::Setting,
    model: &Model,
    data: &Dataset,
    protocol: &Protocol,
    control: &Control,
) -> Result<Vec<Importance>> {
    let sample = drawn(data, ROWS, protocol.seed)?.map(|(_, sample)| sample);
    let data = sample.as_ref().unwrap_or(data);
    let weights = model.feature_weights();
    let mut features: Vec<usize> = (0..weights.len()).filter(|&j| weights[j] != 0.0).collect();
    features.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()));
    features.truncate(FEATURES);
    let splits = data.folds(protocol.folds, protocol.seed)?;
    let folds: Vec<Option<Vec<(f64, f64)>>> = splits
        .par_iter()
        .enumerate()
        .map(|(k, split)| {
            control.checkpoint()?;
            let prepared = prepare(data, &split.train, protocol)?;
            if prepared.classes.len() < 2 {
                return Ok(None);
            }
            let fit = method.fit(&prepared.problem, setting)?;
            let rows = Rows {
                x: prepared.scaling.apply(data.x(), &split.test),
                truth: split
                    .test
                    .iter()
                    .map(|&i| {
                        let code = data.labels().codes()[i];
                        prepared.classes.iter().position(|c| *c == code)
                    })
                    .collect(),
                weights: split.test.iter().map(|&i| data.weight(i)).collect(),
                temperature: model.temperature,
            };
            let whole = rows.loss(&fit, &rows.x);
            let losses = features.iter().map(|&j| {
                let mut sums = (0.0, 0.0);
                for s in 0..SHUFFLES {
                    let stream = ((k * SHUFFLES + s) * weights.len() + j) as u64;
                    let mut rng = Rng::stream(protocol.seed ^ 0x1a9e, stream);
                    let (error, loss) = rows.loss(&fit, &rows.shuffled(j, &mut rng));
                    sums.0 += (error - whole.0) / SHUFFLES as f64;
                    sums.1 += (loss - whole.1) / SHUFFLES as f64;
                }
                sums
            });
            Ok(Some(losses.collect()))
        })
        .collect::<Result<_>>()?;
    let folds: Vec<Vec<(f64, f64)>> = folds.into_iter().flatten().collect();
    let mut all: Vec<Importance> = features
        .iter()
        .enumerate()
        .map(|(f, &feature)| {
            let over = |pick: &dyn Fn(&(f64, f64)) -> f64| {
                let values: Vec<f64> = folds.iter().map(|fold| pick(&fold[f])).collect();
                mean_and_standard_error(&values)
            };
            let ((error, error_se), (log_loss, log_loss_se)) = (over(&|v| v.0), over(&|v| v.1));
            Importance {
                feature,
                error,
                error_se,
                log_loss,
                log_loss_se,
            }
        })
        .filter(|i| i.error.is_finite() && i.log_loss.is_finite())
        .collect();
    all.sort_by(|a, b| b.log_loss.total_cmp(&a.log_loss));
    Ok(all)
}

/// The held-out rows of a fold.
struct Rows {
    x: Matrix,
    truth: Vec<Option<usize>>,
    weights: Vec<f64>,
    temperature: f64,
}

impl Rows {
    /// The rows with one feature shuffled among them.
    fn shuffled(&self, feature: usize, rng: &mut Rng) -> Matrix {
        let mut order: Vec<usize> = (0..self.x.rows()).collect();
        rng.shuffle(&mut order);
        let mut x = self.x.clone();
        for (i, &from) in order.iter().enumerate() {
            x[(i, feature)] = self.x[(from, feature)];
        }
        x
    }

    /// Error and mean log loss.
    fn loss(&self, fit: &Fit, x: &Matrix) -> (f64, f64) {
        let mut p = fit.decision.scores(&fit.outputs(x));
        p.as_mut_slice()
            .iter_mut()
            .for_each(|s| *s /= self.temperature);
        softmax_rows(&mut p);
        let total: f64 = self.weights.iter().sum();
        let (mut wrong, mut loss) = (0.0, 0.0);
        for (i, (&own, w)) in self.truth.iter().zip(&self.weights).enumerate() {
            wrong += if Some(argmax(p.row(i))) == own {
                0.0
            } else {
                *w
            };
            loss += w * log_loss_of(own.map_or(0.0, |c| p[(i, c)]));
        }
        (wrong / total, loss / total)
    }
}
