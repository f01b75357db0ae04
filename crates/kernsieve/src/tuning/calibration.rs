//! Probabilities that are as sure as they should be.

use super::control::Control;
use super::cross_validation::PreparedFold;
use crate::data::{Dataset, Split, stratified_folds};
use crate::error::Result;
use crate::method::{Candidate, Method, Options};
use rayon::prelude::*;

/// The temperature that makes the held-out probabilities of a candidate best in log loss: log scores are divided by it, which
/// changes no predicted class. 1 when the candidate cannot be fitted in any fold.
pub fn calibrate(
    method: &dyn Method,
    data: &Dataset,
    candidate: &Candidate,
    options: &Options,
    control: &Control,
) -> Result<f64> {
    let arm = vec![candidate.clone()];
    // Folds of small data sets run side by side; those of large ones use all threads, and much memory, themselves.
    const SIDE_BY_SIDE: usize = 2000;
    let splits = stratified_folds(data.labels(), options.folds, options.seed);
    let one = |split: &Split| -> Result<Vec<Scored>> {
        let mut rows: Vec<Scored> = Vec::new();
        control.checkpoint()?;
        let prepared = PreparedFold::new(method, data, split, options)?;
        let Some(fold) = &prepared.fold else { return Ok(rows) };
        if let Some(Some(held_out)) = method.held_out(fold, &arm)?.into_iter().next() {
            for ((row, &truth), weight) in held_out.scores.iter_rows().zip(&prepared.truth).zip(&prepared.weights) {
                if let (Some(own), true) = (prepared.own(truth), row.iter().all(|s| s.is_finite())) {
                    rows.push(Scored {
                        scores: row.to_vec(),
                        own,
                        weight: *weight,
                    });
                }
            }
        }
        Ok(rows)
    };
    let scored: Vec<Vec<Scored>> = if data.n_samples() <= SIDE_BY_SIDE {
        splits.par_iter().map(one).collect::<Result<_>>()?
    } else {
        splits.iter().map(one).collect::<Result<_>>()?
    };
    Ok(best_temperature(&scored.into_iter().flatten().collect::<Vec<_>>()))
}

/// A held-out row: its log scores, the position of its own class among them, its weight.
struct Scored {
    scores: Vec<f64>,
    own: usize,
    weight: f64,
}

/// Minimises the mean log loss over the temperature. It is convex in the inverse temperature, so a golden section search on a
/// logarithmic scale finds the minimum.
fn best_temperature(rows: &[Scored]) -> f64 {
    if rows.is_empty() {
        return 1.0;
    }
    let loss = |log_t: f64| -> f64 {
        let inverse = (-log_t).exp();
        rows.par_chunks(1024)
            .map(|chunk| {
                let one = |row: &Scored| {
                    let s = &row.scores;
                    let top = s.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let total: f64 = s.iter().map(|v| ((v - top) * inverse).exp()).sum();
                    row.weight * (total.ln() - (s[row.own] - top) * inverse)
                };
                chunk.iter().map(one).sum::<f64>()
            })
            .collect::<Vec<f64>>()
            .iter()
            .sum()
    };
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    // From a quarter (underconfident) to a thousand.
    let (mut low, mut high) = (0.25f64.ln(), 1000f64.ln());
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut fa, mut fb) = (loss(a), loss(b));
    while high - low > 1e-3 {
        if fa <= fb {
            (high, b, fb) = (b, a, fa);
            a = high - ratio * (high - low);
            fa = loss(a);
        } else {
            (low, a, fa) = (a, b, fb);
            b = low + ratio * (high - low);
            fb = loss(b);
        }
    }
    (0.5 * (low + high)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_temperature_is_the_one_of_least_loss() {
        // Scores three times too sure of themselves: true log odds are a third of those claimed.
        let mut rng = crate::data::Rng::new(3);
        let rows: Vec<Scored> = (0..20_000)
            .map(|_| {
                let odds = 2.0 * rng.normal();
                let p = 1.0 / (1.0 + (-odds).exp());
                Scored {
                    scores: vec![3.0 * odds, 0.0],
                    own: usize::from(rng.uniform() >= p),
                    weight: 1.0,
                }
            })
            .collect();
        let t = best_temperature(&rows);
        assert!((t - 3.0).abs() < 0.15, "{t}");
        assert_eq!(best_temperature(&[]), 1.0);
    }
}
