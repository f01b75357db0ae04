//! Learning weights of features: rounds of fit, slopes, new weights; and dropping features.
//!
//! Weights minimise no objective, so their only judge is rows that are left out. They are scaled so
//! that the median distance between rows is 1: a bandwidth then means the same whatever the weights
//! are, in every fold and for every family.

use super::guide::quadratic_slopes;
use super::judge::{Ground, Solution, Verdict, best};
use super::sample::Sample;
use super::weights::squared_slopes;
use crate::data::spread_rows;
use crate::error::{Error, Result};
use crate::kernel::{Family, Pairs};
use crate::partial::weighted;
use rayon::prelude::*;

/// Rows from which the median distance is taken.
const ROWS_FOR_MEDIAN: usize = 500;
/// Bandwidths tried around the last best one.
pub(super) const AROUND: [f64; 3] = [1.6, 1.0, 0.6];
/// Ridges tried around the last best one.
const RIDGES_AROUND: [f64; 3] = [3.0, 1.0, 1.0 / 3.0];
/// The least weight to begin with, relative to the largest.
const LEAST_START: f64 = 0.1;
/// Ridges stay between these.
const RIDGE_RANGE: (f64, f64) = (1e-5, 100.0);

/// Weights of features, and the kernel that goes with them.
#[derive(Clone, Debug)]
pub(super) struct Learnt {
    /// One per feature, such that the median distance is 1; 0 drops a feature.
    pub weights: Vec<f64>,
    /// Kernel and ridge, and how they do on rows left out.
    pub verdict: Verdict,
    /// The fit with them, from which slopes come.
    pub solution: Solution,
}

/// Learns on one sample for one family of kernels.
pub(super) struct Learner<'a> {
    pub sample: &'a Sample,
    pub family: Family,
    /// The ridge, if the user gave one.
    pub ridge: Option<f64>,
    /// Features that others kept, and how many of them did: most of them stay longest.
    pub votes: &'a [(usize, usize)],
}

impl Learner<'_> {
    /// Judges bandwidths and ridges.
    pub fn judge(
        &self,
        weights: &[f64],
        widths: &[f64],
        linear: bool,
        ridges: &[f64],
    ) -> Result<Learnt> {
        let weights = self.unit(weights)?;
        let ground = Ground::new(self.sample, self.family, &weights);
        let given = self.ridge.map(|r| vec![r]);
        let ridges = given.as_deref().unwrap_or(ridges);
        let judged: Vec<Vec<(Verdict, Solution)>> = widths
            .par_iter()
            .map(|&b| ground.judge(b, linear, ridges))
            .collect::<Result<_>>()?;
        let (verdicts, mut solutions): (Vec<Verdict>, Vec<Solution>) =
            judged.into_iter().flatten().unzip();
        let chosen = best(&verdicts).ok_or(Error::NoConvergence("the search for a kernel"))?;
        Ok(Learnt {
            weights,
            verdict: verdicts[chosen],
            solution: solutions.swap_remove(chosen),
        })
    }

    /// Judges bandwidths (these multiples) and ridges around the last best ones.
    pub fn judge_around(&self, weights: &[f64], last: &Verdict, around: &[f64]) -> Result<Learnt> {
        let width = last.kernel.bandwidth().unwrap_or(1.0);
        let widths: Vec<f64> = around.iter().map(|f| f * width).collect();
        let ridges = RIDGES_AROUND.map(|f| (f * last.ridge).clamp(RIDGE_RANGE.0, RIDGE_RANGE.1));
        self.judge(weights, &widths, last.linear, &ridges)
    }

    /// The weights to begin with: all alike, or those of a quadratic function. No feature is out
    /// of sight there: it may matter in a way that such a function does not see.
    pub fn start(&self, guided: bool) -> Result<Vec<f64>> {
        let active = &self.sample.active;
        let Some(slopes) = guided.then(|| quadratic_slopes(self.sample)).transpose()? else {
            return Ok(active.clone());
        };
        let weights = slopes.map(|s| self.weights_of(&s, usize::MAX, true));
        let pairs = weights.iter().flatten().zip(active);
        let weights: Vec<f64> = pairs.map(|(w, a)| w.max(LEAST_START * a)).collect();
        Ok(if weights.is_empty() {
            active.clone()
        } else {
            weights
        })
    }

    /// Average squared slopes of the fitted function, in units of the features themselves.
    pub fn slopes(&self, now: &Learnt) -> Vec<f64> {
        let ground = Ground::new(self.sample, self.family, &now.weights);
        let rows = self.sample.classes.weights();
        let own = squared_slopes(&ground, &now.verdict, &now.solution, rows);
        let mut all = vec![0.0; now.weights.len()];
        let used = crate::expansion::nonzero(&now.weights);
        for (&j, g) in used.iter().zip(own) {
            all[j] = g * now.weights[j] * now.weights[j];
        }
        all
    }

    /// One round: new weights from the slopes, for the `keep` features of largest slopes.
    pub fn round(&self, now: &Learnt, keep: usize, weigh: bool, around: &[f64]) -> Result<Learnt> {
        let weights = self.weights_of(&self.slopes(now), keep, weigh);
        self.judge_around(&weights, &now.verdict, around)
    }

    /// Squared weights are proportional to `sqrt(G)` for kernels of the Euclidean distance, weights
    /// themselves for the product kernel.
    pub fn weights_of(&self, slopes: &[f64], keep: usize, weigh: bool) -> Vec<f64> {
        let top = slopes.iter().copied().fold(0.0, f64::max);
        if top.is_nan() || top <= 0.0 {
            return self.sample.active.clone();
        }
        let power = match self.family {
            Family::Laplacian => 0.5,
            _ => 0.25,
        };
        let mut order: Vec<usize> = (0..slopes.len()).filter(|&j| slopes[j] > 0.0).collect();
        let votes = |j: usize| {
            let own = self.votes.iter().find(|(k, _)| *k == j);
            own.map_or(0, |(_, n)| *n)
        };
        order.sort_by(|&a, &b| {
            let by_votes = votes(b).cmp(&votes(a));
            by_votes.then(slopes[b].total_cmp(&slopes[a]))
        });
        let mut weights = vec![0.0; slopes.len()];
        for &j in order.iter().take(keep) {
            weights[j] = if weigh {
                (slopes[j] / top).powf(power)
            } else {
                1.0
            };
        }
        weights
    }

    /// The same weights, scaled such that the median distance is 1.
    fn unit(&self, weights: &[f64]) -> Result<Vec<f64>> {
        let rows = spread_rows(self.sample.n(), ROWS_FOR_MEDIAN);
        let u = weighted(&self.sample.x.select_rows(&rows), weights);
        let base = Pairs::new(self.family.base(), u.clone()).all(&u, |_| ());
        let mut distances: Vec<f64> = (0..u.rows())
            .flat_map(|i| base.row(i)[..i].iter().copied())
            .collect();
        let positive = distances.iter().filter(|d| **d > 1e-20);
        let least = positive.clone().copied().fold(f64::INFINITY, f64::min);
        if !least.is_finite() {
            return Err(Error::Data(
                "all rows are equal: there is nothing to tell the classes apart by".into(),
            ));
        }
        let middle = distances.len() / 2;
        let (_, median, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
        // Most rows may be equal; the mean of the others is then the scale.
        let scale = if *median > 1e-20 {
            *median
        } else {
            let (sum, count) = distances
                .iter()
                .filter(|d| **d > 1e-20)
                .fold((0.0, 0.0), |(s, c), d| (s + d, c + 1.0));
            sum / count
        };
        let scale = match self.family {
            Family::Laplacian => scale,
            _ => scale.sqrt(),
        };
        Ok(weights.iter().map(|w| w / scale).collect())
    }
}
