//! The lasso and the elastic net, one design for many targets (Hidaka & Kurita, eq. 18 and 19,
//! whose `1 / lambda` has to be `lambda`).
//!
//! ```text
//! min_w  |t - X w|^2 / 2 + lambda (r |w|_1 + (1 - r) |w|^2 / 2)                     columns of X and t centred: the offset is free
//! ```
//! Walks down a list of penalties, each start the end of the one before. Of the features only a
//! *working set* takes part in the descent ([`super::coordinate_descent`]); when it is solved the
//! slopes of all others say which break the conditions of a minimum and have to come in. A solution
//! is accepted when the duality gap over *all* features is small enough, so nothing is left to the
//! choice of the working set. Features that the gap proves to be zero at this penalty (gap-safe
//! screening, Ndiaye et al. 2017) are not looked at again until the next one.
//!
//! When there are no more features than rows the Gram matrix `X'X` is formed once for all targets,
//! and slopes come from it (covariance updates); otherwise they come from the residuals, and of the
//! Gram matrix only the working set's part is formed. Complexity: `n p^2` for the Gram matrix, or
//! `n p` a check of the slopes; a sweep is at most the square of the working set.

mod duality;
mod walk;

use super::coordinate_descent::{Penalty, row_products};
use crate::linalg::{Matrix, dot, symmetric_product};
use rayon::prelude::*;
use walk::Walk;

pub(super) use walk::GROWTH;

/// Centred columns, rows scaled by the roots of their weights.
#[derive(Clone, Debug)]
pub struct Design {
    /// `X'`: a row is a feature.
    features: Matrix,
    /// `X'X`, where it pays.
    gram: Option<Matrix>,
    /// `|x_j|^2`.
    squares: Vec<f64>,
}

/// Up to this number of features the Gram matrix is formed whatever the number of rows.
const FEW_FEATURES: usize = 256;

impl Design {
    /// From `X` itself.
    pub fn new(x: &Matrix) -> Self {
        Self::with_gram(x, x.cols() <= x.rows().max(FEW_FEATURES))
    }

    /// From `X` itself; `gram` says whether `X'X` is formed.
    pub fn with_gram(x: &Matrix, gram: bool) -> Self {
        let features = x.transpose();
        let gram = gram.then(|| symmetric_product(features.view()));
        let squares = features.iter_rows().map(|f| dot(f, f)).collect();
        Self {
            features,
            gram,
            squares,
        }
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.features.rows()
    }

    /// `X't`.
    pub fn correlations(&self, target: &[f64]) -> Vec<f64> {
        let all: Vec<usize> = (0..self.n_features()).collect();
        let mut products = vec![0.0; all.len()];
        row_products(&mut products, self.features.as_slice(), &all, target);
        products
    }
}

/// When a solution is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Largest duality gap, relative to `|t|^2 / 2`.
    pub gap: f64,
    /// Largest break of the conditions of a minimum, relative to the largest entry of `X't`.
    pub slope: f64,
    /// Share of `|t|^2` left unexplained at which a path ends: smaller penalties get the last
    /// solution.
    pub explained: f64,
}

impl Stop {
    /// For final fits.
    pub const EXACT: Self = Self {
        gap: 1e-9,
        slope: 1e-9,
        explained: -1.0,
    };
    /// For folds: the gap alone decides.
    pub const FOLD: Self = Self {
        gap: 1e-7,
        slope: f64::INFINITY,
        explained: 1e-3,
    };
}

/// A point of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Features with a coefficient that is not zero, in order.
    pub support: Vec<usize>,
    /// Their coefficients.
    pub coef: Vec<f64>,
    /// `|t - X w|^2`.
    pub residual: f64,
    /// The objective.
    pub objective: f64,
    /// By how much it exceeds the minimum at most; NaN where the penalty is too small to tell.
    pub gap: f64,
    /// Sweeps of coordinate descent.
    pub sweeps: usize,
    /// Whether the gap and the slopes are small enough.
    pub converged: bool,
}

/// Solutions of several targets (columns of `targets`, centred and scaled like the design) at every
/// penalty: `[target][penalty]`. The penalties fall. Targets are solved in parallel, each by
/// itself.
pub fn path(
    design: &Design,
    targets: &Matrix,
    penalties: &[Penalty],
    stop: Stop,
) -> Vec<Vec<Solution>> {
    (0..targets.cols())
        .into_par_iter()
        .map(|k| {
            let mut walk = Walk::new(design, targets.column(k));
            let mut solutions: Vec<Solution> = Vec::with_capacity(penalties.len());
            for &penalty in penalties {
                // Where next to nothing is left to explain a smaller penalty changes no prediction
                // to speak of.
                let explained = |s: &&Solution| s.residual <= stop.explained * walk.square;
                match solutions.last().filter(explained).cloned() {
                    Some(last) => solutions.push(last),
                    None => solutions.push(walk.solve(penalty, stop)),
                }
            }
            solutions
        })
        .collect()
}

#[cfg(test)]
mod tests;
