//! Coefficients of the chosen samples under the ridge of the selection.

use crate::classes::Classes;
use crate::error::Result;
use crate::linalg::{Matrix, add_scaled, dot, matmul, symmetric_eigen};
use crate::solver::ols::{Coefficients, coefficients};

/// The penalty `r tr(A' K_SS A)` of the chosen samples, or none.
pub(super) struct Penalised(Option<Rows>);

/// Rows that make it a part of the sum of squares.
struct Rows {
    /// `r K_SS`.
    matrix: Matrix,
    /// `root' root = r K_SS`.
    root: Matrix,
}

impl Penalised {
    /// `own` gives the kernel matrix of the samples. What rounding made negative of it is left out.
    pub(super) fn new(ridge: Option<f64>, own: impl FnOnce() -> Matrix) -> Result<Self> {
        let Some(ridge) = ridge else {
            return Ok(Self(None));
        };
        let mut matrix = own();
        let s = matrix.rows();
        let at = |m: &Matrix, i: usize, j: usize| 0.5 * ridge * (m[(i, j)] + m[(j, i)]);
        matrix = Matrix::from_fn(s, s, |i, j| at(&matrix, i, j));
        let e = symmetric_eigen(&matrix)?;
        let root = Matrix::from_fn(s, s, |i, j| e.values[i].max(0.0).sqrt() * e.vectors[(j, i)]);
        Ok(Self(Some(Rows { matrix, root })))
    }

    /// [`coefficients`] of `rows` rows and the penalty: `min_A |Y - P_S A|^2 + r tr(A' K_SS A)`.
    pub(super) fn coefficients(
        &self,
        rows: usize,
        chosen: usize,
        responses: usize,
        mut fill: impl FnMut(usize, &mut [f64]),
    ) -> Result<Coefficients> {
        let Some(penalty) = &self.0 else {
            return coefficients(rows, chosen, responses, fill);
        };
        let all = rows + chosen;
        let mut found = coefficients(all, chosen, responses, |i, row| match i.checked_sub(rows) {
            None => fill(i, row),
            Some(i) => {
                row[..chosen].copy_from_slice(penalty.root.row(i));
                row[chosen..].fill(0.0);
            }
        })?;
        // At the solution `P'(Y - P A) = r K_SS A`.
        let pull = matmul(penalty.matrix.view(), found.coef.view());
        add_scaled(&mut found.gradient, &pull, 1.0);
        Ok(found)
    }

    /// `r tr(A' K_SS A)`.
    pub(super) fn value(&self, coef: &Matrix) -> f64 {
        self.0.as_ref().map_or(0.0, |penalty| {
            let pull = matmul(penalty.matrix.view(), coef.view());
            dot(pull.as_slice(), coef.as_slice())
        })
    }
}

/// How far `P'(Y - fitted)`, for the centred chosen columns, is from the value that the penalty
/// implies (zero up to rounding if columns are longer than 3e-5), relative to the size of its
/// terms.
pub(super) fn relative_residual(
    columns: &Matrix,
    means: &[f64],
    y: &Matrix,
    fitted: &Matrix,
    expected: &Matrix,
    classes: &Classes,
) -> f64 {
    let r = Matrix::from_fn(y.rows(), y.cols(), |i, j| {
        classes.weight(i) * (y[(i, j)] - fitted[(i, j)])
    });
    let p = Matrix::from_fn(columns.rows(), columns.cols(), |i, j| {
        columns[(i, j)] - means[j]
    });
    let gradient = matmul(p.view().t(), r.view());
    let gap = gradient.as_slice().iter().zip(expected.as_slice());
    gap.fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
        / (p.max_abs() * y.max_abs() * classes.total()).max(f64::MIN_POSITIVE)
}
