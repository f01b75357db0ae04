//! The regression on chosen samples from a triangular factor: for rows that are summed over
//! elsewhere, and for rows that come later (recursive least squares).
//!
//! With `R` the triangular factor of `[1 K_S Y]`, rows scaled by the roots of their weights, `R'R`
//! holds all products that the regression and the class means need. A further row `[1 k y]` is
//! stacked below `R` and the whole factorised again, `O((s + c)^2)` flops a row: the samples stay,
//! and everything else is as if all rows had been there from the start. The scores of the classes,
//! `sqrt(n / n_j)`, change with the rows, so `Y` are the plain indicators.

use super::{Penalised, Smkda};
use crate::classes::Classes;
use crate::error::Result;
use crate::linalg::{Matrix, matmul};
use crate::partial::{Reduced, TallQr};
use crate::solver::ols::Coefficients;
use crate::solver::optimal_scoring::{Canonical, canonical_of_means};

/// The canonical variates of chosen samples.
pub(crate) struct Solved {
    pub variates: Canonical,
    /// Residual sum of squares of the scored responses, and the penalty.
    pub objective: f64,
}

/// The variates of the samples behind these rows, which stand for all.
pub(super) fn solve(
    reduced: &Reduced,
    penalty: &Penalised,
    components: Option<usize>,
) -> Result<Solved> {
    let shares: Vec<f64> = reduced.totals.iter().map(|t| t / reduced.total).collect();
    let (s, c) = (reduced.means.len(), shares.len());
    let scored = |i: usize, k: usize| reduced.y[(i, k)] / shares[k].sqrt();
    let Coefficients { coef, .. } = penalty.coefficients(reduced.x.rows(), s, c, |i, row| {
        row[..s].copy_from_slice(reduced.x.row(i));
        (0..c).for_each(|k| row[s + k] = scored(i, k));
    })?;
    let along = |row: &[f64], k: usize| (0..s).map(|j| row[j] * coef[(j, k)]).sum::<f64>();
    let offset: Vec<f64> = (0..c)
        .map(|k| shares[k].sqrt() - along(&reduced.means, k))
        .collect();
    let fitted = matmul(reduced.x.view(), coef.view());
    let gaps = (0..fitted.rows()).flat_map(|i| (0..c).map(move |k| (i, k)));
    let gaps = gaps.map(|(i, k)| (scored(i, k) - fitted[(i, k)]).powi(2));
    let objective = gaps.sum::<f64>() + penalty.value(&coef);
    let means = Matrix::from_fn(c, c, |g, k| {
        offset[k] + along(reduced.class_means.row(g), k)
    });
    Ok(Solved {
        variates: canonical_of_means(&coef, &offset, &means, &shares, components)?,
        objective,
    })
}

/// The variates from a factor. `own` is the kernel matrix of the samples.
pub(crate) fn solve_factor(
    factor: &TallQr,
    ridge: Option<f64>,
    own: impl FnOnce() -> Matrix,
    components: Option<usize>,
) -> Result<Solved> {
    solve(&factor.reduced(), &Penalised::new(ridge, own)?, components)
}

/// The factor of the chosen columns of all rows, where the model is to take in more.
pub(super) fn factor(smkda: &Smkda, columns: &Matrix, classes: &Classes) -> Option<TallQr> {
    smkda.updatable.then(|| {
        let mut factor = TallQr::new(columns.cols(), classes.n_classes());
        factor.update(columns, classes.codes(), classes.weights());
        factor
    })
}
