//! Imports one feature after another into kernel logistic regression (Ghosh & Wang, Algorithm 1).
//!
//! The base values (squared distances, say) of a set of features are the sum over the features, so
//! a candidate's Gram matrix is one pass over `n (n + 1) / 2` pairs; for the Gaussian that is the
//! elementwise product `K_S * K_l`. The candidate of least `H` enters:
//!
//! 1. every candidate gets an upper and a lower bound on its `H` from the coefficients of the
//!    current model, by two products with its Gram matrix;
//! 2. candidates whose lower bound exceeds the least upper bound are out;
//! 3. the others are solved in order of their lower bounds, each given up as soon as its dual value
//!    exceeds the least `H` found.
//!
//! The bounds are rigorous, so the choice is the same as if all candidates were solved. Work is cut
//! into batches of a fixed size: neither the choice nor the work depends on the number of threads.
//! Ties (within 1e-12) go to the feature that comes first.
//!
//! Features that are associated with each other (`associated = R`) are not told apart by the
//! likelihood: an import stands for every candidate that correlates with it by at least `R` in
//! absolute value, and these are no candidates any more.

#[cfg(test)]
mod tests;

use super::{Fold, Problem};
use crate::error::Result;
use crate::kernel::{Base, Kernel, mirror_lower};
use crate::linalg::{Matrix, dot};
use crate::method::klr::solution;
use crate::solver::logistic::{Likelihood, Outcome, Solution, Stop, Workspace, bounds, solve};
use rayon::prelude::*;
use std::sync::Mutex;

/// Objectives that differ by less than this count as equal, so that rounding does not decide.
const TIE: f64 = 1e-12;
/// A bound must exceed an objective by this much to rule a candidate out.
const MARGIN: f64 = 1e-11;
/// Candidates that are solved at once.
const BATCH: usize = 16;

/// The training rows by column, with what all paths share.
pub(super) struct Ground<'a> {
    /// Columns of the features that are used.
    columns: Vec<(usize, Vec<f64>)>,
    n: usize,
    /// Correlation from which on a feature stands for another, and the weights of the rows.
    associated: Option<f64>,
    weights: Option<Vec<f64>>,
    pub(super) kernel: Kernel,
    pub(super) likelihood: &'a Likelihood,
    /// Gram matrices of candidates, reused from one candidate to the next; there are as many as
    /// work at once. Allocating a large one takes as long as filling it.
    scratch: Mutex<Vec<(Vec<f64>, Workspace)>>,
    /// Whether candidates are ruled out by their bounds; only a test turns this off.
    prune: bool,
}

impl<'a> Ground<'a> {
    pub(super) fn new(problem: &Problem, kernel: Kernel, likelihood: &'a Likelihood) -> Self {
        let t = problem.x.transpose();
        let taking_part = (0..t.rows()).filter(|&j| problem.feature_weights[j] != 0.0);
        Self {
            columns: taking_part.map(|j| (j, t.row(j).to_vec())).collect(),
            n: problem.n(),
            associated: None,
            weights: problem.weights.clone(),
            kernel,
            likelihood,
            scratch: Mutex::default(),
            prune: true,
        }
    }

    /// The same where an import stands for the features that correlate with it by so much.
    pub(super) fn associated(mut self, correlation: Option<f64>) -> Self {
        self.associated = correlation;
        self
    }

    /// Positions of those among some columns that a column stands for.
    fn stood_for_by(&self, column: usize, among: &[usize]) -> Vec<usize> {
        let Some(least) = self.associated else {
            return vec![];
        };
        let own = self.standardised(column);
        let others = among.par_iter().filter(|&&j| {
            let correlation = dot(&own, &self.standardised(j));
            // Rounding must not part a feature from its copy.
            correlation.abs() >= least - 1e-12
        });
        others.copied().collect()
    }

    /// A column of weighted mean 0 and length 1, whose products are correlations.
    fn standardised(&self, column: usize) -> Vec<f64> {
        let values = &self.columns[column].1;
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |w| w[i]);
        let total: f64 = (0..self.n).map(weight).sum();
        let sum: f64 = values.iter().enumerate().map(|(i, v)| weight(i) * v).sum();
        let centred = values.iter().enumerate();
        let mut centred: Vec<f64> = centred
            .map(|(i, v)| weight(i).sqrt() * (v - sum / total))
            .collect();
        let length = dot(&centred, &centred).sqrt().max(f64::MIN_POSITIVE);
        centred.iter_mut().for_each(|v| *v /= length);
        centred
    }

    /// Number of features to choose among.
    pub(super) fn n_features(&self) -> usize {
        self.columns.len()
    }

    /// The lower triangle of `base` plus the base values of a column.
    fn add_column(&self, base: &[f64], column: &[f64], out: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let x = column[i];
            let (from, to) = (&base[i * n..i * n + i + 1], &mut out[i * n..i * n + i + 1]);
            let pairs = to.iter_mut().zip(from.iter().zip(column));
            match self.kernel.family().base() {
                Base::SquaredDistance => pairs.for_each(|(o, (b, y))| *o = b + (x - y) * (x - y)),
                Base::AbsoluteDistance => pairs.for_each(|(o, (b, y))| *o = b + (x - y).abs()),
                Base::InnerProduct => pairs.for_each(|(o, (b, y))| *o = b + x * y),
            }
        }
    }

    /// Kernel values from the base values in the lower triangle, in place, both triangles.
    fn kernel_values(&self, gram: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            self.kernel.apply(&mut gram[i * n..i * n + i + 1]);
        }
        mirror_lower(gram, n, 0, n);
    }
}

/// A path in progress.
pub(super) struct Walk<'a> {
    ground: &'a Ground<'a>,
    ridge: f64,
    /// Positions among the columns, in order of import.
    chosen: Vec<usize>,
    /// Positions of those that the chosen ones stand for.
    stood_for: Vec<usize>,
    /// Base values of the chosen features, lower triangle.
    base: Vec<f64>,
    /// The model of the chosen features.
    pub(super) model: Solution,
    /// Number of candidates so far that were solved, to the end or until given up.
    #[cfg(test)]
    solved: usize,
}

/// One import.
pub(super) struct Import {
    /// The feature, as a column of the problem.
    pub(super) feature: usize,
    pub(super) objective: f64,
    pub(super) train_error: f64,
    /// The second-best feature and its `H`, if it was asked for.
    pub(super) runner_up: Option<(usize, f64)>,
    /// The features that it stands for.
    pub(super) associated: Vec<usize>,
}

impl<'a> Walk<'a> {
    /// The path before its first step: a model without features, which cannot tell rows apart.
    pub(super) fn new(ground: &'a Ground<'a>, ridge: f64) -> Result<Self> {
        let n = ground.n;
        let base = vec![0.0; n * n];
        let mut gram = base.clone();
        ground.kernel_values(&mut gram);
        let start = vec![0.0; n * ground.likelihood.columns()];
        let mut work = Workspace::default();
        let model = solution(solve(
            &gram,
            ground.likelihood,
            ridge,
            &start,
            Stop::EXACT,
            &mut work,
        ))?;
        Ok(Self {
            ground,
            ridge,
            chosen: vec![],
            stood_for: vec![],
            base,
            model,
            #[cfg(test)]
            solved: 0,
        })
    }

    /// Imports the feature of least `H`; `None` when all are in. `runner_up` also asks for the next
    /// best one, which takes a few more solves.
    pub(super) fn import(&mut self, runner_up: bool) -> Result<Option<Import>> {
        let ground = self.ground;
        let mut best = self.least(if runner_up { 2 } else { 1 }).into_iter();
        let Some((j, model)) = best.next() else {
            return if self.left().is_empty() {
                Ok(None)
            } else {
                Err(crate::error::Error::NoConvergence(
                    "kernel logistic regression",
                ))
            };
        };
        let before = self.base.clone();
        ground.add_column(&before, &ground.columns[j].1, &mut self.base);
        self.chosen.push(j);
        self.model = model;
        let group = ground.stood_for_by(j, &self.left());
        self.stood_for.extend(&group);
        Ok(Some(Import {
            associated: group.iter().map(|&k| ground.columns[k].0).collect(),
            feature: ground.columns[j].0,
            objective: self.model.objective,
            train_error: ground.likelihood.training_error(&self.model.probabilities),
            runner_up: best.next().map(|(k, s)| (ground.columns[k].0, s.objective)),
        }))
    }

    /// The candidates that are left.
    fn left(&self) -> Vec<usize> {
        let is_out = |j: &usize| self.chosen.contains(j) || self.stood_for.contains(j);
        (0..self.ground.columns.len())
            .filter(|j| !is_out(j))
            .collect()
    }

    /// The `wanted` candidates of least `H`, best first.
    fn least(&mut self, wanted: usize) -> Vec<(usize, Solution)> {
        let ground = self.ground;
        let left = self.left();
        let bounds: Vec<_> = if ground.prune {
            left.par_iter()
                .map(|&j| {
                    self.with_gram(j, |gram, work| {
                        bounds(gram, ground.likelihood, self.ridge, &self.model.coef, work)
                    })
                })
                .collect()
        } else {
            vec![]
        };
        // No candidate above this can be among the best.
        let mut uppers: Vec<f64> = bounds.iter().map(|b| b.upper).collect();
        uppers.sort_by(f64::total_cmp);
        let mut limit = uppers.get(wanted - 1).copied().unwrap_or(f64::INFINITY);
        let mut order: Vec<(usize, f64)> = left
            .iter()
            .enumerate()
            .map(|(i, &j)| (j, bounds.get(i).map_or(f64::NEG_INFINITY, |b| b.lower)))
            .collect();
        order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let mut best: Vec<(usize, Solution)> = vec![];
        for batch in order.chunks(BATCH) {
            let batch: Vec<usize> = batch
                .iter()
                .filter(|b| b.1 <= limit + MARGIN)
                .map(|b| b.0)
                .collect();
            if batch.is_empty() {
                break;
            }
            #[cfg(test)]
            {
                self.solved += batch.len();
            }
            let stop = Stop {
                above: if ground.prune {
                    limit + MARGIN
                } else {
                    f64::INFINITY
                },
                ..Stop::EXACT
            };
            let outcomes: Vec<Outcome> = batch
                .par_iter()
                .map(|&j| {
                    self.with_gram(j, |gram, work| {
                        solve(
                            gram,
                            ground.likelihood,
                            self.ridge,
                            &self.model.coef,
                            stop,
                            work,
                        )
                    })
                })
                .collect();
            for (j, outcome) in batch.into_iter().zip(outcomes) {
                let Outcome::Solved(s) = outcome else {
                    continue;
                };
                if s.objective.is_nan() {
                    continue;
                }
                let better = |(b, t): &(usize, Solution)| {
                    s.objective < t.objective - TIE || (s.objective <= t.objective + TIE && j < *b)
                };
                let place = best.iter().position(better).unwrap_or(best.len());
                best.insert(place, (j, s));
                best.truncate(wanted);
                if let Some((_, worst)) = best.get(wanted - 1) {
                    limit = limit.min(worst.objective);
                }
            }
        }
        best
    }

    /// Calls a function with the Gram matrix of the chosen features and one more.
    fn with_gram<T>(&self, j: usize, act: impl FnOnce(&[f64], &mut Workspace) -> T) -> T {
        let n = self.ground.n;
        let pool = &self.ground.scratch;
        let free = pool.lock().ok().and_then(|mut p| p.pop());
        let (mut gram, mut work) = free.unwrap_or_default();
        // The old values are overwritten.
        gram.resize(n * n, 0.0);
        self.ground
            .add_column(&self.base, &self.ground.columns[j].1, &mut gram);
        self.ground.kernel_values(&mut gram);
        let result = act(&gram, &mut work);
        if let Ok(mut pool) = pool.lock() {
            pool.push((gram, work));
        }
        result
    }

    /// The features so far and those that they stand for, as columns of the problem.
    pub(super) fn features(&self) -> Vec<usize> {
        let all = self.chosen.iter().chain(&self.stood_for);
        all.map(|&j| self.ground.columns[j].0).collect()
    }

    /// The Gram matrix of the chosen features.
    pub(super) fn gram(&self) -> Matrix {
        let mut gram = self.base.clone();
        self.ground.kernel_values(&mut gram);
        Matrix::from_vec(gram, self.ground.n, self.ground.n)
    }
}

/// Held-out rows that follow a path.
pub(super) struct Followers<'a> {
    fold: &'a Fold,
    base: Matrix,
}

impl<'a> Followers<'a> {
    pub(super) fn new(fold: &'a Fold) -> Self {
        Self {
            fold,
            base: Matrix::zeros(fold.held_out.rows(), fold.train.n()),
        }
    }

    /// Adds a feature.
    pub(super) fn import(&mut self, feature: usize, base: Base) {
        let (x, y) = (
            self.fold.held_out.column(feature),
            self.fold.train.x.column(feature),
        );
        for (i, x) in x.into_iter().enumerate() {
            let pairs = self.base.row_mut(i).iter_mut().zip(&y);
            match base {
                Base::SquaredDistance => pairs.for_each(|(o, y)| *o += (x - y) * (x - y)),
                Base::AbsoluteDistance => pairs.for_each(|(o, y)| *o += (x - y).abs()),
                Base::InnerProduct => pairs.for_each(|(o, y)| *o += x * y),
            }
        }
    }

    /// Kernel values with the training rows.
    pub(super) fn kernel_values(&self, kernel: &Kernel) -> Matrix {
        let mut values = self.base.clone();
        kernel.apply(values.as_mut_slice());
        values
    }
}
