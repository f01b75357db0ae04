//! The elastic net without absolute values: ridge regression, in closed form for all penalties.

use super::Solution;
use crate::error::Result;
use crate::linalg::{Matrix, dot, least_squares, matmul, right_singular};
use crate::solver::coordinate_descent::Penalty;

/// Coefficients below this share of the largest are rounding errors, such as those of a constant
/// feature.
const DUST: f64 = 1e-13;

/// Minimises `|t - X w|^2 / 2 + l2 |w|^2 / 2` for several targets (columns) at every penalty,
/// indexed `[target][penalty]`: with `X = U S V'`,
/// ```text
/// w = (X'X + l2 I)^-1 X't = V diag(1 / (s^2 + l2)) V'X't
/// ```
/// One singular value decomposition serves all; `l2 = 0` gives the least squares of least norm. The
/// objective is `l2`-strongly convex, so that its distance from the minimum is at most
/// `|X'(t - X w) - l2 w|^2 / (2 l2)`. Complexity: `n p min(n, p)`, then `n p` per solution.
pub fn ridge_path(x: &Matrix, targets: &Matrix, penalties: &[f64]) -> Result<Vec<Vec<Solution>>> {
    let (values, v) = right_singular(x)?;
    let rotated = matmul(v.view().t(), matmul(x.view().t(), targets.view()).view());
    let mut solutions = vec![Vec::with_capacity(penalties.len()); targets.cols()];
    for &l2 in penalties {
        let coef = if l2 > 0.0 {
            let shrunk = Matrix::from_fn(rotated.rows(), rotated.cols(), |i, k| {
                rotated[(i, k)] / (values[i] * values[i] + l2)
            });
            matmul(v.view(), shrunk.view())
        } else {
            least_squares(x, targets, 0.0)?.coef
        };
        let fitted = matmul(x.view(), coef.view());
        let residuals = Matrix::from_fn(x.rows(), targets.cols(), |i, k| {
            targets[(i, k)] - fitted[(i, k)]
        });
        let slopes = matmul(x.view().t(), residuals.view());
        for (k, own) in solutions.iter_mut().enumerate() {
            let (w, r) = (coef.column(k), residuals.column(k));
            let broken = w.iter().zip(slopes.column(k)).map(|(w, q)| q - l2 * w);
            let square: f64 = broken.map(|b| b * b).sum();
            let residual = dot(&r, &r);
            let dust = DUST * w.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let kept = w.iter().copied().enumerate();
            let (support, coef) = kept.filter(|(_, v)| v.abs() > dust).unzip();
            own.push(Solution {
                support,
                coef,
                residual,
                objective: 0.5 * residual + Penalty { l1: 0.0, l2 }.of(&w),
                gap: (l2 > 0.0).then(|| square / (2.0 * l2)),
                sweeps: 0,
                converged: true,
            });
        }
    }
    Ok(solutions)
}
