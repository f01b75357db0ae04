//! Logistic regression with an L1 penalty, for two classes or more.
//!
//! ```text
//! min_{W,b}  sum_i -log p_{y_i}(x_i) + lambda sum_k (r |w_k|_1 + (1 - r) |w_k|^2 / 2),
//! p = softmax(W x + b)
//! ```
//! with one row of coefficients for two classes (the log odds of the second class) and one row per
//! class for more. The offsets are not penalised. The loss is not divided by the number of rows, so
//! `lambda` has the same meaning as in [`super::lasso`].
//!
//! Rows of coefficients are improved in turn. The quadratic model of the objective in one row is a
//! weighted lasso, which [`super::coordinate_descent`] solves on a working set of features. The
//! step towards its solution is halved until the objective falls. Along a list of falling
//! penalties, each penalty starts from the solution of the one before. Complexity: `n p` per row
//! for the slopes, and `n s^2` for the quadratic model on `s` features.

mod polish;
mod shift;

use super::coordinate_descent::{Descent, Penalty, violation};
use super::lasso::GROWTH;
use super::likelihood::Likelihood;
use crate::classes::Classes;
use crate::linalg::{Matrix, dot, matmul_sequential, symmetric_product};

/// The solution at one penalty of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Coefficients, outputs x features.
    pub coef: Matrix,
    /// Offsets, one per output.
    pub offset: Vec<f64>,
    /// The objective.
    pub objective: f64,
    /// Largest violation of the optimality conditions, relative to the largest slope at zero.
    pub violation: f64,
    /// Number of passes over the rows of coefficients.
    pub passes: usize,
    /// Whether the violation is within the tolerance.
    pub converged: bool,
}

/// Most passes.
const PASSES: usize = 300;
/// Least curvature of a row in the quadratic model, as a share of its weight. Without it, rows
/// whose class is almost certain would not count at all.
const LEAST_CURVATURE: f64 = 1e-7;
/// Coefficients below this share of the largest are rounding errors.
const DUST: f64 = 1e-10;
/// Passes between two Newton steps in all outputs at once.
const POLISH_EVERY: usize = 4;
/// Most halvings of a step.
const HALVINGS: usize = 30;

/// Solutions at every penalty; the penalties must fall. The optimality conditions hold to within
/// `tol` times the largest slope at zero.
pub fn path(x: &Matrix, classes: &Classes, penalties: &[Penalty], tol: f64) -> Vec<Solution> {
    let mut walk = Walk::new(x, classes);
    penalties
        .iter()
        .map(|&penalty| walk.solve(penalty, tol))
        .collect()
}

struct Walk {
    likelihood: Likelihood,
    /// Total weight of the rows.
    total: f64,
    /// `X'`.
    features: Matrix,
    /// Outputs, column by column; then the probabilities `p` and `y - p` at these outputs.
    outputs: Vec<f64>,
    p: Vec<f64>,
    gap: Vec<f64>,
    /// Sum of the losses at these outputs.
    loss: f64,
    coef: Matrix,
    offset: Vec<f64>,
    /// Largest slope when all coefficients are zero.
    steepest: f64,
}

impl Walk {
    fn new(x: &Matrix, classes: &Classes) -> Self {
        let (n, total) = (x.rows(), classes.total());
        let likelihood = Likelihood::new(classes);
        let q = likelihood.columns();
        let shares: Vec<f64> = classes.shares().iter().map(|share| share.ln()).collect();
        let offset = if q == 1 {
            vec![shares[1] - shares[0]]
        } else {
            shares
        };
        let mut walk = Self {
            likelihood,
            total,
            features: x.transpose(),
            outputs: offset.iter().flat_map(|&b| vec![b; n]).collect(),
            p: vec![0.0; n * q],
            gap: vec![0.0; n * q],
            loss: 0.0,
            coef: Matrix::zeros(q, x.cols()),
            offset,
            steepest: 0.0,
        };
        walk.loss = total
            * walk
                .likelihood
                .evaluate(&walk.outputs, &mut walk.p, &mut walk.gap)
                .0;
        for k in 0..q {
            let (residual, _) = walk.residual(k);
            let slopes = walk.features.iter_rows().map(|f| dot(f, &residual).abs());
            walk.steepest = slopes.fold(walk.steepest, f64::max);
        }
        walk
    }

    /// `weight (y - p)` and the curvature `weight p (1 - p)` of every row, for output `k`.
    fn residual(&self, k: usize) -> (Vec<f64>, Vec<f64>) {
        let n = self.likelihood.n_rows();
        let own = k * n..(k + 1) * n;
        let rows = self.gap[own.clone()].iter().zip(&self.p[own]);
        rows.zip(&self.likelihood.shares)
            .map(|((gap, p), share)| {
                let w = self.total * share;
                (w * gap, w * (p * (1.0 - p)).max(LEAST_CURVATURE))
            })
            .unzip()
    }

    fn solve(&mut self, penalty: Penalty, tol: f64) -> Solution {
        let q = self.coef.rows();
        let bound = tol * self.steepest.max(f64::MIN_POSITIVE);
        let mut worst = f64::INFINITY;
        let mut passes = 0;
        while passes < PASSES && worst > bound {
            passes += 1;
            worst = 0.0;
            let mut moved = false;
            for k in 0..q {
                let (residual, curvature) = self.residual(k);
                let slopes: Vec<f64> = self
                    .features
                    .iter_rows()
                    .map(|f| dot(f, &residual))
                    .collect();
                let total: f64 = residual.iter().sum();
                let broken = violation(self.coef.row(k), &slopes, penalty).max(total.abs());
                worst = worst.max(broken);
                if broken > 0.5 * bound {
                    moved |= self.improve(k, penalty, &slopes, total, &curvature, 0.05 * broken);
                }
            }
            if !moved {
                break;
            }
            self.shift(penalty);
            if worst > bound && passes.is_multiple_of(POLISH_EVERY) {
                self.polish(penalty);
            }
        }
        let own: f64 = self.coef.iter_rows().map(|w| penalty.of(w)).sum();
        // A coefficient that only rounding keeps from zero, because another feature does the same
        // job, is set to zero.
        let dust = DUST * self.coef.max_abs();
        let mut coef = self.coef.clone();
        coef.as_mut_slice()
            .iter_mut()
            .filter(|w| w.abs() <= dust)
            .for_each(|w| *w = 0.0);
        Solution {
            coef,
            offset: self.offset.clone(),
            objective: self.loss + own,
            violation: worst / self.steepest.max(f64::MIN_POSITIVE),
            passes,
            converged: worst <= bound,
        }
    }

    /// Moves output `k` towards the solution of its quadratic model. Returns whether the objective
    /// fell.
    fn improve(
        &mut self,
        k: usize,
        penalty: Penalty,
        slopes: &[f64],
        total: f64,
        curvature: &[f64],
        tol: f64,
    ) -> bool {
        let row = self.coef.row(k).to_vec();
        let mut set: Vec<usize> = (0..row.len()).filter(|&j| row[j] != 0.0).collect();
        let mut new: Vec<usize> = (0..row.len())
            .filter(|&j| row[j] == 0.0 && slopes[j].abs() > penalty.l1)
            .collect();
        new.sort_by(|&a, &b| slopes[b].abs().total_cmp(&slopes[a].abs()).then(a.cmp(&b)));
        new.truncate(set.len().max(GROWTH));
        set.extend(new);
        set.sort_unstable();
        // The offset is eliminated: features are centred by their curvature-weighted mean.
        let weight: f64 = curvature.iter().sum();
        let mut scaled = self.features.select_rows(&set);
        let means: Vec<f64> = scaled
            .iter_rows()
            .map(|f| dot(f, curvature) / weight)
            .collect();
        let roots: Vec<f64> = curvature.iter().map(|d| d.sqrt()).collect();
        let n = roots.len();
        for (f, mean) in scaled.as_mut_slice().chunks_exact_mut(n).zip(&means) {
            f.iter_mut()
                .zip(&roots)
                .for_each(|(v, r)| *v = (*v - mean) * r);
        }
        let mut descent = Descent::default();
        let own: Vec<f64> = set
            .iter()
            .zip(&means)
            .map(|(&j, m)| slopes[j] - m * total)
            .collect();
        descent.extend(&symmetric_product(scaled.view()), &own);
        descent.w = set.iter().map(|&j| row[j]).collect();
        descent.run(penalty, tol, |w, q| violation(w, q, penalty));
        let step: Vec<f64> = set
            .iter()
            .zip(&descent.w)
            .map(|(&j, w)| w - row[j])
            .collect();
        let offset_step = total / weight - dot(&step, &means);
        let used = self.features.select_rows(&set);
        let direction = Matrix::from_vec(step.clone(), 1, step.len());
        let mut shift = matmul_sequential(direction.view(), used.view()).into_vec();
        shift.resize(n, 0.0);
        shift.iter_mut().for_each(|v| *v += offset_step);
        let before = self.loss + penalty.of(&row);
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let mut moved = row.clone();
            set.iter()
                .zip(&step)
                .for_each(|(&j, d)| moved[j] += share * d);
            if share == 1.0 {
                // Zeros of the model's solution are exact.
                set.iter().zip(&descent.w).for_each(|(&j, w)| moved[j] = *w);
            }
            let mut outputs = self.outputs.clone();
            let own = outputs[k * n..(k + 1) * n].iter_mut();
            own.zip(&shift).for_each(|(z, s)| *z += share * s);
            let (mut p, mut gap) = (self.p.clone(), self.gap.clone());
            let loss = self.total * self.likelihood.evaluate(&outputs, &mut p, &mut gap).0;
            // Near the minimum the objective changes by less than its rounding error.
            if loss + penalty.of(&moved) <= before * (1.0 + 4.0 * f64::EPSILON) {
                self.coef.row_mut(k).copy_from_slice(&moved);
                self.offset[k] += share * offset_step;
                (self.outputs, self.p, self.gap, self.loss) = (outputs, p, gap, loss);
                return true;
            }
            share *= 0.5;
        }
        false
    }
}

/// The smallest penalty on absolute values at which all coefficients are zero.
pub fn largest_penalty(x: &Matrix, classes: &Classes) -> f64 {
    Walk::new(x, classes).steepest
}

#[cfg(test)]
mod tests;
