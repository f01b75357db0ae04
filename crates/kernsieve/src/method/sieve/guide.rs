//! Where weights begin on many rows: the slopes of a quadratic function.
//!
//! A kernel that sees all features alike finds a product of two of them late among many others: its
//! landmarks cannot span all products. Covariances can. With the residual `r` of a linear
//! regression, `b` its coefficients and `H_ij = mean r x_i x_j`, which for independent normal
//! features is the mean curvature of what is left (Li, "On principal Hessian directions", JASA 87
//! (1992)), the mean squared slope of `b'x + x'Hx / 2` is `b_j^2 + sum_i H_ij^2`. Every term is
//! lowered by what noise makes of it among so many. Complexity: `4 n p^2` flops a response.

use super::sample::Sample;
use crate::error::Result;
use crate::expansion::nonzero;
use crate::linalg::{Matrix, add_scaled, cholesky_shifted, matmul, symmetric_product};

/// Ridge of the linear regression, relative to the rows.
const RIDGE: f64 = 1e-3;
/// Multiplications that this may take.
const MOST: f64 = 5e10;

/// The squared slopes of every feature, above noise; `None` if that would take too long.
pub(super) fn quadratic_slopes(sample: &Sample) -> Result<Option<Vec<f64>>> {
    let used = nonzero(&sample.active);
    let (n, p, q) = (sample.n(), used.len(), sample.y.cols());
    if (n * q) as f64 * (p * p) as f64 > MOST {
        return Ok(None);
    }
    let total = sample.classes.total();
    let share = |i: usize| sample.classes.weight(i) / total;
    let x = centred(&sample.x.select_columns(&used), share);
    let mut r = centred(&sample.y, share);
    let shares = |m: &Matrix| Matrix::from_fn(m.rows(), m.cols(), |i, j| share(i) * m[(i, j)]);
    let roots = Matrix::from_fn(n, p, |i, j| share(i).sqrt() * x[(i, j)]);
    let factor = cholesky_shifted(symmetric_product(roots.view().t()), RIDGE)?;
    let mut b = matmul(shares(&x).view().t(), r.view());
    factor.solve_in_place(&mut b);
    add_scaled(&mut r, &matmul(x.view(), b.view()), -1.0);
    let mut inverse = Matrix::from_fn(p, p, |i, j| f64::from(i == j));
    factor.solve_in_place(&mut inverse);
    // The largest of so many squared terms of noise is about this many times their variance.
    let terms = (p * (p + 3) / 2) as f64;
    let bound = 2.0 * terms.ln().max(1.0) / n as f64;
    let squares = Matrix::from_fn(n, p, |i, j| x[(i, j)] * x[(i, j)]);
    let mut slopes = vec![0.0; sample.active.len()];
    for c in 0..q {
        let variance: f64 = (0..n).map(|i| share(i) * r[(i, c)] * r[(i, c)]).sum();
        let by = |m: &Matrix, f: &dyn Fn(usize) -> f64| {
            let scaled = Matrix::from_fn(n, p, |i, j| f(i) * m[(i, j)]);
            matmul(scaled.view().t(), m.view())
        };
        let curvature = by(&x, &|i| share(i) * r[(i, c)]);
        let spread = by(&squares, &|i| share(i) * r[(i, c)] * r[(i, c)]);
        for (k, &j) in used.iter().enumerate() {
            let above = |square: f64, variance: f64| (square - bound * variance).max(0.0);
            slopes[j] += above(b[(k, c)] * b[(k, c)], variance * inverse[(k, k)]);
            let pairs = curvature.row(k).iter().zip(spread.row(k));
            slopes[j] += pairs.map(|(h, s)| above(h * h, *s)).sum::<f64>();
        }
    }
    Ok(Some(slopes))
}

/// Columns less their means, with these shares of the rows.
fn centred(m: &Matrix, share: impl Fn(usize) -> f64) -> Matrix {
    let mut means = vec![0.0; m.cols()];
    for (i, row) in m.iter_rows().enumerate() {
        let add = |(mean, v): (&mut f64, &f64)| *mean += share(i) * v;
        means.iter_mut().zip(row).for_each(add);
    }
    Matrix::from_fn(m.rows(), m.cols(), |i, j| m[(i, j)] - means[j])
}
