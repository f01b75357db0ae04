//! Permutation importance: what it costs to shuffle a feature of rows that a fit has not seen.
//!
//! Every fold of at most 1000 rows is fitted at the chosen setting, then one feature after the
//! other is shuffled among the held-out rows. With `L` the error or the mean log loss of the
//! held-out rows `X` of a fold and `X^(j)` the same rows with feature `j` shuffled,
//! ```text
//! importance_j = mean over folds and shuffles of  L(X^(j)) - L(X)
//! ```
//! is what the fit loses without the feature. Folds share most of their training rows, so what one
//! of them mistakes for a pattern the others do, too, and the spread over `k` folds of variance
//! `s^2` is too small a standard error; it is corrected as in Nadeau & Bengio ("Inference for the
//! generalization error", Machine Learning 52 (2003)):
//! ```text
//! se^2 = s^2 (1 / k + held-out rows / training rows)
//! ```
//! Features that are made of one column, such as the year and the month of a date, are shuffled
//! together and have the same importance: one of them alone would make rows that cannot be.
//! Features that stand for each other share their importance, and each alone may seem to have
//! little.
//!
//! The fits cost as much as one setting of a cross-validation, the shuffles a bounded number of
//! kernel values: of many features, or with many support rows, fewer shuffles are made and only the
//! features that seem strongest are tried.

use super::control::Control;
use super::refit::{Refit, for_each, splits};
use super::sample::drawn;
use crate::data::{Dataset, Rng, Split};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::method::Method;
use crate::metrics::mean_and_standard_error;
use crate::model::{Importance, Model};

/// Rows from which importances are estimated.
const ROWS: usize = 1000;
/// Features that are shuffled at most.
const FEATURES: usize = 64;
/// Features that are shuffled however long a prediction takes.
const LEAST_FEATURES: usize = 8;
/// Shuffles of a feature in a fold.
const SHUFFLES: usize = 3;
/// Multiplications that all shuffles together may take: about a second.
const WORK: f64 = 4e9;
/// What a kernel value costs beyond the features it reads, in multiplications.
const KERNEL_VALUE: usize = 8;

/// Importances of the features that a model uses, most important first.
pub(super) fn importances<M: Method>(
    method: &M,
    setting: &M::Setting,
    model: &Model,
    data: &Dataset,
    control: &Control,
) -> Result<Vec<Importance>> {
    let protocol = &model.record.options.protocol;
    let rows = method.tuning_rows(data.n_samples());
    let rows = rows.map_or(ROWS, |rows| rows.min(ROWS));
    let sample = drawn(data, rows, protocol.seed)?.map(|(_, sample)| sample);
    let data = sample.as_ref().unwrap_or(data);
    let (features, shuffles) = plan(model, data);
    let columns = column_of_features(model);
    let splits = splits(data, protocol)?;
    let growth = for_each(&splits, control, |k, split| {
        let Some(refit) = Refit::new(method, setting, data, split, protocol)? else {
            return Ok(None);
        };
        let whole = refit.loss(&refit.x, model);
        let one = |j: usize, together: &[usize]| -> Result<(f64, f64)> {
            control.checkpoint()?;
            let mut sums = (0.0, 0.0);
            for s in 0..shuffles {
                let stream = ((k * SHUFFLES + s) * data.n_features() + j) as u64;
                let mut rng = Rng::stream(protocol.seed ^ 0x1a9e, stream);
                let other = shuffled(&refit.x, together, &mut rng);
                let (error, loss) = refit.loss(&other, model);
                sums.0 += (error - whole.0) / shuffles as f64;
                sums.1 += (loss - whole.1) / shuffles as f64;
            }
            Ok(sums)
        };
        let mut growth: Vec<(f64, f64)> = Vec::with_capacity(features.len());
        for (f, &feature) in features.iter().enumerate() {
            let same = |other: &usize| columns[*other] == columns[feature];
            let known = features[..f]
                .iter()
                .position(same)
                .map(|first| growth[first]);
            growth.push(match known {
                Some(known) => known,
                None => {
                    let together = (0..columns.len()).filter(same).collect::<Vec<_>>();
                    one(feature, &together)?
                }
            });
        }
        Ok(Some(growth))
    })?;
    let growth: Vec<Vec<(f64, f64)>> = growth.into_iter().flatten().collect();
    let ratio = held_out_to_training(&splits);
    let mut all: Vec<Importance> = features
        .iter()
        .enumerate()
        .map(|(f, &feature)| {
            let (errors, losses): (Vec<f64>, Vec<f64>) = growth.iter().map(|fold| fold[f]).unzip();
            let (error, error_se) = corrected(&errors, ratio);
            let (log_loss, log_loss_se) = corrected(&losses, ratio);
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

/// The features to shuffle, and how often. The number of multiplications decides, not the time, so
/// that a machine's speed changes no result.
fn plan(model: &Model, data: &Dataset) -> (Vec<usize>, usize) {
    let used = model
        .feature_weights()
        .iter()
        .filter(|w| **w != 0.0)
        .count();
    let support = model
        .reader()
        .support
        .rows()
        .max(model.expansion.support.rows());
    let rows = data.n_samples();
    let values = rows * support.min(rows).max(1);
    let each = values as f64 * (used + KERNEL_VALUE) as f64;
    let most = (WORK / each) as usize;
    let features = used.min(FEATURES).min(most.max(LEAST_FEATURES));
    let shuffles = (most / features.max(1)).clamp(1, SHUFFLES);
    (strongest(model, data, features), shuffles)
}

/// The features of largest weight; among equal ones, those whose values, or whose squared
/// deviations from the mean, differ most between the classes.
fn strongest(model: &Model, data: &Dataset, most: usize) -> Vec<usize> {
    let weights = model.feature_weights();
    let mut features: Vec<usize> = (0..weights.len()).filter(|&j| weights[j] != 0.0).collect();
    if features.len() <= most {
        return features;
    }
    let separation: Vec<f64> = (0..weights.len())
        .map(|j| {
            if weights[j] == 0.0 {
                0.0
            } else {
                separation(data, j)
            }
        })
        .collect();
    features.sort_by(|&a, &b| {
        let by_weight = weights[b].abs().total_cmp(&weights[a].abs());
        by_weight.then(separation[b].total_cmp(&separation[a]))
    });
    features.truncate(most);
    features
}

/// The larger share of variance between classes, of a feature and of its squared deviations from
/// the mean: classes differ in where their values are, or in how far they spread.
fn separation(data: &Dataset, feature: usize) -> f64 {
    let column = data.x().column(feature);
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let squares: Vec<f64> = column.iter().map(|v| (v - mean).powi(2)).collect();
    let between = between_share(&column, data);
    between.max(between_share(&squares, data))
}

/// The share of the variance of some values that lies between the classes.
fn between_share(values: &[f64], data: &Dataset) -> f64 {
    let labels = data.labels();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut sums = vec![(0.0, 0.0); labels.n_classes()];
    for (v, &c) in values.iter().zip(labels.codes()) {
        sums[c].0 += 1.0;
        sums[c].1 += v - mean;
    }
    let between: f64 = sums
        .iter()
        .filter(|s| s.0 > 0.0)
        .map(|s| s.1 * s.1 / s.0)
        .sum();
    let total: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let share = between / total;
    if share.is_finite() { share } else { 0.0 }
}

/// Held-out rows over training rows, of all splits together.
fn held_out_to_training(splits: &[Split]) -> f64 {
    let held_out: usize = splits.iter().map(|s| s.test.len()).sum();
    let training: usize = splits.iter().map(|s| s.train.len()).sum();
    held_out as f64 / training.max(1) as f64
}

/// The mean over folds, and its standard error for folds that share training rows.
fn corrected(values: &[f64], held_out_to_training: f64) -> (f64, f64) {
    let (mean, se) = mean_and_standard_error(values);
    let factor = 1.0 + values.len() as f64 * held_out_to_training;
    (mean, se * factor.sqrt())
}

/// The position of the column that every feature is made of.
fn column_of_features(model: &Model) -> Vec<usize> {
    let columns = model.schema.columns.iter().enumerate();
    columns
        .flat_map(|(c, column)| std::iter::repeat_n(c, column.width()))
        .collect()
}

/// The rows with some features shuffled among them, together.
fn shuffled(x: &Matrix, features: &[usize], rng: &mut Rng) -> Matrix {
    let mut order: Vec<usize> = (0..x.rows()).collect();
    rng.shuffle(&mut order);
    let mut other = x.clone();
    for (i, &from) in order.iter().enumerate() {
        for &j in features {
            other[(i, j)] = x[(from, j)];
        }
    }
    other
}
