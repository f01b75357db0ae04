//! Coefficients of the chosen columns.

use super::PENALTY;
use crate::error::Result;
use crate::linalg::{Matrix, matmul};
use kernsieve_dense::tall_qr;

/// Coefficients of chosen columns, from an orthogonal factorisation of the columns themselves.
///
/// `fill(i, row)` writes row `i` of `[P_S Y]`, centred, into `row`, so rows may be streamed. With
/// `P_S = Q R` and `s_k = r_kk^2 / (r_kk^2 + 1e-9)`, the coefficients are `R^-1 diag(s) Q'Y`.
pub fn coefficients(
    rows: usize,
    chosen: usize,
    responses: usize,
    fill: impl FnMut(usize, &mut [f64]),
) -> Result<Coefficients> {
    let qr = tall_qr(rows, chosen, responses, fill);
    let mut b = qr.z;
    let mut penalised = Matrix::zeros(chosen, responses);
    for k in 0..chosen {
        let r2 = qr.r[(k, k)] * qr.r[(k, k)];
        for (v, p) in b.row_mut(k).iter_mut().zip(penalised.row_mut(k)) {
            *p = *v * PENALTY / (r2 + PENALTY);
            *v *= r2 / (r2 + PENALTY);
        }
    }
    let gradient = matmul(qr.r.view().t(), penalised.view());
    // Back substitution, row by row from the bottom.
    for k in (0..chosen).rev() {
        let (head, tail) = b.as_mut_slice().split_at_mut((k + 1) * responses);
        let row = &mut head[k * responses..];
        for (j, below) in tail.chunks_exact(responses).enumerate() {
            let r = qr.r[(k, k + 1 + j)];
            row.iter_mut().zip(below).for_each(|(v, w)| *v -= r * w);
        }
        let pivot = qr.r[(k, k)];
        row.iter_mut()
            .for_each(|v| *v = if pivot == 0.0 { 0.0 } else { *v / pivot });
    }
    Ok(Coefficients { coef: b, gradient })
}

/// The result of [`coefficients`].
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// Chosen columns x responses.
    pub coef: Matrix,
    /// `P_S'(Y - P_S coef)` at the exact solution: `R' diag(1 - s) Q'Y`, which is zero apart from
    /// the penalty.
    pub gradient: Matrix,
}
