//! Least squares for many responses, by orthogonal factorisations. Rank deficiency is handled.

use super::{Matrix, matmul};
use crate::error::{Error, Result};
use kernsieve_dense::{tall_qr, thin_svd};

/// The solution of least norm of `min |Y - X B|_F`.
#[derive(Clone, Debug)]
pub struct LeastSquares {
    /// `B`, `p x q`.
    pub coef: Matrix,
    /// Numerical rank of `X`.
    pub rank: usize,
}

/// Solves `min |Y - X B|_F` for an `n x p` matrix `x` and an `n x q` matrix `y`.
///
/// A tall `x` is first reduced to its triangular factor (`2 n (p + q)^2` flops, constant memory).
/// Then a singular value decomposition gives the solution of least norm. Singular values up to
/// `tolerance` count as zero, as do those up to `4 max(n, p) eps` times the largest.
pub fn least_squares(x: &Matrix, y: &Matrix, tolerance: f64) -> Result<LeastSquares> {
    let (n, p, q) = (x.rows(), x.cols(), y.cols());
    let failed = || Error::NoConvergence("the singular value decomposition");
    let (svd, uty) = if n > p {
        let f = tall_qr(n, p, q, |i, row| {
            row[..p].copy_from_slice(x.row(i));
            row[p..].copy_from_slice(y.row(i));
        });
        let svd = thin_svd(&f.r).ok_or_else(failed)?;
        let uty = matmul(svd.u.view().t(), f.z.view());
        (svd, uty)
    } else {
        let svd = thin_svd(x).ok_or_else(failed)?;
        let uty = matmul(svd.u.view().t(), y.view());
        (svd, uty)
    };
    let largest = svd.values.first().copied().unwrap_or(0.0);
    let tolerance = tolerance.max(4.0 * largest * n.max(p) as f64 * f64::EPSILON);
    let rank = svd.values.iter().take_while(|&&s| s > tolerance).count();
    // V diag(1/s) U'Y over the singular values that count.
    let scaled = Matrix::from_fn(svd.values.len(), q, |i, j| {
        if i < rank {
            uty[(i, j)] / svd.values[i]
        } else {
            0.0
        }
    });
    Ok(LeastSquares {
        coef: matmul(svd.v.view(), scaled.view()),
        rank,
    })
}

/// Singular values, largest first, and right singular vectors (columns) of a matrix. A tall one is
/// first reduced to its triangular factor, row by row.
pub fn right_singular(x: &Matrix) -> Result<(Vec<f64>, Matrix)> {
    let svd = if x.rows() > x.cols() {
        let fill = |i: usize, row: &mut [f64]| row.copy_from_slice(x.row(i));
        thin_svd(&tall_qr(x.rows(), x.cols(), 0, fill).r)
    } else {
        thin_svd(x)
    };
    let svd = svd.ok_or(Error::NoConvergence("the singular value decomposition"))?;
    Ok((svd.values, svd.v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn residual_is_orthogonal_to_the_columns() {
        for (n, p) in [(50, 4), (2000, 7), (6, 6), (5, 9)] {
            let (x, y) = (random(n, p, 1), random(n, 3, 2));
            let fit = least_squares(&x, &y, 0.0).expect("finite");
            assert_eq!(fit.rank, n.min(p));
            let fitted = matmul(x.view(), fit.coef.view());
            let residual = Matrix::from_fn(n, 3, |i, j| y[(i, j)] - fitted[(i, j)]);
            let gradient = matmul(x.view().t(), residual.view());
            assert!(
                gradient.max_abs() < 1e-11 * (n * p) as f64,
                "{}",
                gradient.max_abs()
            );
        }
    }

    #[test]
    fn a_repeated_column_shares_its_coefficient() {
        let base = random(40, 3, 5);
        let y = random(40, 1, 6);
        let doubled = Matrix::from_fn(40, 4, |i, j| base[(i, j.min(2))]);
        let (a, b) = (
            least_squares(&base, &y, 0.0).expect("finite"),
            least_squares(&doubled, &y, 0.0).expect("finite"),
        );
        assert_eq!((a.rank, b.rank), (3, 3));
        assert!((b.coef[(2, 0)] - b.coef[(3, 0)]).abs() < 1e-12);
        assert!((b.coef[(2, 0)] + b.coef[(3, 0)] - a.coef[(2, 0)]).abs() < 1e-12);
    }
}
