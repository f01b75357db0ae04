//! Dense linear algebra for the rest of the crate. Only `kernsieve-dense` names the backend.

mod least_squares;

pub use kernsieve_dense::{
    Cholesky, Matrix, SymmetricEigen, View, dot, gemm_into, matmul, matmul_sequential, solve_lower,
    solve_lower_transposed, symmetric_product, symmetric_times,
};
pub use least_squares::{LeastSquares, least_squares, right_singular};

use crate::error::{Error, Result};

/// The triangular factor of a tall matrix whose rows are written one by one.
pub fn triangular_factor(rows: usize, width: usize, fill: impl FnMut(usize, &mut [f64])) -> Matrix {
    kernsieve_dense::tall_qr(rows, width, 0, fill).r
}

/// Cholesky factor of `a + shift I`.
pub fn cholesky_shifted(mut a: Matrix, shift: f64) -> Result<Cholesky> {
    for i in 0..a.rows() {
        a[(i, i)] += shift;
    }
    Cholesky::new(a).map_err(|e| Error::NotPositiveDefinite {
        pivot: e.pivot,
        shift,
    })
}

/// Eigenvalues (largest first) and eigenvectors of a symmetric matrix.
pub fn symmetric_eigen(a: &Matrix) -> Result<SymmetricEigen> {
    kernsieve_dense::symmetric_eigen(a).ok_or(Error::NoConvergence("the eigendecomposition"))
}

/// Means of the columns.
pub fn column_means(m: &Matrix) -> Vec<f64> {
    weighted_column_means(m, None)
}

/// Means of the columns, with rows weighted.
pub fn weighted_column_means(m: &Matrix, weights: Option<&[f64]>) -> Vec<f64> {
    let mut means = vec![0.0; m.cols()];
    let mut total = 0.0;
    for (i, row) in m.iter_rows().enumerate() {
        let w = weights.map_or(1.0, |w| w[i]);
        total += w;
        means.iter_mut().zip(row).for_each(|(a, v)| *a += w * v);
    }
    let total = if total > 0.0 { total } else { 1.0 };
    means.iter_mut().for_each(|a| *a /= total);
    means
}

/// Subtracts its mean from every column, and returns the means.
pub fn center_columns(m: &mut Matrix) -> Vec<f64> {
    center_columns_weighted(m, None)
}

/// Subtracts its weighted mean from every column, and returns the means.
pub fn center_columns_weighted(m: &mut Matrix, weights: Option<&[f64]>) -> Vec<f64> {
    let means = weighted_column_means(m, weights);
    for row in m.as_mut_slice().chunks_exact_mut(means.len().max(1)) {
        row.iter_mut().zip(&means).for_each(|(v, mean)| *v -= mean);
    }
    means
}

/// Adds `factor` times a matrix of the same shape.
pub fn add_scaled(to: &mut Matrix, from: &Matrix, factor: f64) {
    let to = to.as_mut_slice().iter_mut();
    to.zip(from.as_slice()).for_each(|(a, b)| *a += factor * b);
}

/// Adds `offset` to every row.
pub fn add_to_rows(m: &mut Matrix, offset: &[f64]) {
    for row in m.as_mut_slice().chunks_exact_mut(offset.len().max(1)) {
        row.iter_mut().zip(offset).for_each(|(v, o)| *v += o);
    }
}
