//! Probabilities that are as sure as they should be.

use super::control::Control;
use super::cross_validation::PreparedFold;
use super::temperature::{Scored, best_temperature};
use crate::data::{Dataset, Split};
use crate::error::Result;
use crate::method::{Candidate, Method, Options};
use rayon::prelude::*;

/// The temperature that makes the held-out probabilities of a candidate best in log loss: log
/// scores are divided by it, which changes no predicted class. 1 when the candidate cannot be
/// fitted in any fold.
pub fn calibrate(
    method: &dyn Method,
    data: &Dataset,
    candidate: &Candidate,
    options: &Options,
    control: &Control,
) -> Result<f64> {
    let arm = vec![candidate.clone()];
    // Folds of small data sets run side by side; those of large ones use all threads, and much
    // memory, themselves.
    const SIDE_BY_SIDE: usize = 2000;
    let mut splits = data.folds(options.folds, options.seed)?;
    // A single number is known well enough from a thousand rows.
    const ROWS: usize = 1000;
    let mut rows = 0;
    splits.retain(|s| {
        rows += s.test.len();
        rows - s.test.len() < ROWS
    });
    let one = |split: &Split| -> Result<Vec<Scored>> {
        control.checkpoint()?;
        let prepared = PreparedFold::new(method, data, split, options)?;
        let Some(fold) = &prepared.fold else {
            return Ok(vec![]);
        };
        let held_out = method.held_out(fold, &arm)?.into_iter().next().flatten();
        Ok(held_out.map_or(vec![], |h| prepared.scored(fold, &h.scores)))
    };
    let scored: Vec<Vec<Scored>> = if data.n_samples() <= SIDE_BY_SIDE {
        splits.par_iter().map(one).collect::<Result<_>>()?
    } else {
        splits.iter().map(one).collect::<Result<_>>()?
    };
    // From a quarter (underconfident) to a thousand.
    Ok(best_temperature(&scored.into_iter().flatten().collect::<Vec<_>>(), 0.25).0)
}
