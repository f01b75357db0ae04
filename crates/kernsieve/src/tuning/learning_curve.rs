//! The learning curve: the error of the chosen setting when a fit sees fewer rows.
//!
//! Of the training part of every fold, an eighth, a quarter, a half and all rows are fitted, drawn
//! by class; the held-out part stays the same. The setting is that of the model throughout: the
//! curve says what more rows are worth to it, and a setting tuned for few rows might do better on
//! few.

use super::control::Control;
use super::refit::{Refit, for_each, splits};
use crate::data::{Dataset, Split, stratified_sample};
use crate::error::Result;
use crate::method::Method;
use crate::metrics::mean_and_standard_error;
use crate::model::Model;
use serde::Serialize;

/// Parts of the training rows of a fold: one in so many.
const PARTS: [usize; 4] = [8, 4, 2, 1];
/// Rows per class below which a point says nothing.
const ROWS_OF_A_CLASS: usize = 2;

/// A point of a learning curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LearningPoint {
    /// Rows that a fit sees, the mean over folds.
    pub rows: usize,
    /// Error on the held-out rows, the mean over folds.
    pub error: f64,
    /// Its standard error over folds.
    pub standard_error: f64,
}

/// The learning curve of a setting, fewest rows first.
pub(super) fn learning_curve<M: Method>(
    method: &M,
    setting: &M::Setting,
    model: &Model,
    data: &Dataset,
    control: &Control,
) -> Result<Vec<LearningPoint>> {
    let protocol = &model.record.options.protocol;
    let splits = splits(data, protocol)?;
    let mut curve = Vec::new();
    for (done, part) in PARTS.into_iter().enumerate() {
        control.report(done, PARTS.len());
        let smaller: Vec<Split> = splits
            .iter()
            .map(|split| Split {
                train: some_rows(data, &split.train, part, protocol.seed),
                test: split.test.clone(),
            })
            .collect();
        let rows = smaller.iter().map(|s| s.train.len()).sum::<usize>() / smaller.len().max(1);
        if rows < ROWS_OF_A_CLASS * model.classes.len() {
            continue;
        }
        let errors = for_each(&smaller, control, |_, split| {
            let refit = Refit::new(method, setting, data, split, protocol)?;
            Ok(refit.map(|r| r.loss(&r.x, model).0))
        })?;
        let errors: Vec<f64> = errors.into_iter().flatten().collect();
        if !errors.is_empty() {
            let (error, standard_error) = mean_and_standard_error(&errors);
            curve.push(LearningPoint {
                rows,
                error,
                standard_error,
            });
        }
    }
    control.report(PARTS.len(), PARTS.len());
    Ok(curve)
}

/// One in so many of some rows, drawn by class.
fn some_rows(data: &Dataset, rows: &[usize], part: usize, seed: u64) -> Vec<usize> {
    let labels = data.labels().select(rows);
    let places = stratified_sample(&labels, rows.len().div_ceil(part), seed);
    places.into_iter().map(|k| rows[k]).collect()
}
