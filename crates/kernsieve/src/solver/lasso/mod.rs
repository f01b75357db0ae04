//! The lasso and the elastic net: one design, many targets (Hidaka & Kurita, eq. 18 and 19, where
//! `1 / lambda` should read `lambda`).
//!
//! ```text
//! min_w  |t - X w|^2 / 2 + lambda (r |w|_1 + (1 - r) |w|^2 / 2)
//! ```
//!
//! The columns of `X` and `t` are centred, so the offset is not penalised. The solver walks down a
//! list of penalties and starts each from the solution of the one before.
//!
//! Only a *working set* of features takes part in the descent ([`super::coordinate_descent`]). Once
//! it is solved, the slopes of all other features show which of them break the optimality
//! conditions and must enter. A solution is accepted when the duality gap over *all* features is
//! small enough, so the result does not depend on the choice of the working set. Features that the
//! gap proves to be zero at this penalty (gap-safe screening, Ndiaye et al. 2017) are skipped until
//! the next penalty.
//!
//! When there are no more features than rows, the Gram matrix `X'X` is formed once for all targets
//! and the slopes come from it (covariance updates). Otherwise the slopes come from the residuals,
//! and only the working set's part of the Gram matrix is formed. Complexity: `n p^2` for the Gram
//! matrix, or `n p` per check of the slopes; a sweep costs at most the square of the size of the
//! working set.
//!
//! Without the absolute values (`r = 0`) the solution has a closed form, [`ridge_path`].

mod duality;
mod ridge;
mod walk;

use super::coordinate_descent::{Penalty, row_products};
use crate::linalg::{Matrix, dot, symmetric_product};
use rayon::prelude::*;
use walk::Walk;

pub use ridge::ridge_path;
pub(super) use walk::GROWTH;

/// The design `X`: columns are centred, and rows are scaled by the square roots of their weights.
#[derive(Clone, Debug)]
pub struct Design {
    /// `X'`, one row per feature.
    features: Matrix,
    /// `X'X`, where forming it pays off.
    gram: Option<Matrix>,
    /// `|x_j|^2`.
    squares: Vec<f64>,
}

/// Up to this number of features the Gram matrix is always formed, whatever the number of rows.
const FEW_FEATURES: usize = 256;

impl Design {
    /// Prepares `X`, and forms `X'X` where that pays off.
    pub fn new(x: &Matrix) -> Self {
        Self::with_gram(x, x.cols() <= x.rows().max(FEW_FEATURES))
    }

    /// Prepares `X`; `gram` decides whether `X'X` is formed.
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

/// The accuracy at which a solution is accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Largest duality gap, relative to `|t|^2 / 2`.
    pub gap: f64,
    /// Largest violation of the optimality conditions, relative to the largest entry of `X't`.
    pub slope: f64,
    /// A path ends once this share of `|t|^2` is left unexplained: smaller penalties reuse the last
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
    /// For the folds of a cross-validation, where the gap alone decides.
    pub const FOLD: Self = Self {
        gap: 1e-7,
        slope: f64::INFINITY,
        explained: 1e-3,
    };
}

/// The solution at one penalty of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Features with a nonzero coefficient, in ascending order.
    pub support: Vec<usize>,
    /// Their coefficients.
    pub coef: Vec<f64>,
    /// `|t - X w|^2`.
    pub residual: f64,
    /// The objective.
    pub objective: f64,
    /// Upper bound on its distance from the minimum; `None` where the penalty is too small to tell.
    pub gap: Option<f64>,
    /// Sweeps of coordinate descent.
    pub sweeps: usize,
    /// Whether the gap and the slopes meet the requested accuracy.
    pub converged: bool,
}

/// Solves several targets (columns of `targets`, centred and scaled like the design) at every
/// penalty. The penalties must fall. The result is indexed `[target][penalty]`. Targets are
/// independent and are solved in parallel.
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
                // Once next to nothing is left to explain, a smaller penalty hardly changes a
                // prediction.
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
