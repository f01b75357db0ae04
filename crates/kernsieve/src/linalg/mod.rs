//! Dense linear algebra, as the rest of the crate sees it. The backend is named in `kernsieve-dense` alone.

mod least_squares;

pub use kernsieve_dense::{
    Cholesky, Matrix, SymmetricEigen, View, dot, gemm_into, matmul, matmul_sequential, symmetric_product,
};
pub use least_squares::{LeastSquares, least_squares};

use crate::error::{Error, Result};

/// Cholesky factor of `a + shift I`.
pub fn cholesky_shifted(mut a: Matrix, shift: f64) -> Result<Cholesky> {
    for i in 0..a.rows() {
        a[(i, i)] += shift;
    }
    Cholesky::new(a).map_err(|e| Error::NotPositiveDefinite { pivot: e.pivot, shift })
}

/// Eigenvalues (largest first) and eigenvectors of a symmetric matrix.
pub fn symmetric_eigen(a: &Matrix) -> Result<SymmetricEigen> {
    kernsieve_dense::symmetric_eigen(a).ok_or(Error::NoConvergence("the eigendecomposition"))
}

/// Means of the columns.
pub fn column_means(m: &Matrix) -> Vec<f64> {
    let mut means = vec![0.0; m.cols()];
    for row in m.iter_rows() {
        means.iter_mut().zip(row).for_each(|(a, v)| *a += v);
    }
    means.iter_mut().for_each(|a| *a /= m.rows().max(1) as f64);
    means
}

/// Subtracts from every column its mean and returns the means.
pub fn center_columns(m: &mut Matrix) -> Vec<f64> {
    let means = column_means(m);
    for row in m.as_mut_slice().chunks_exact_mut(means.len().max(1)) {
        row.iter_mut().zip(&means).for_each(|(v, mean)| *v -= mean);
    }
    means
}

/// Adds `offset` to every row.
pub fn add_to_rows(m: &mut Matrix, offset: &[f64]) {
    for row in m.as_mut_slice().chunks_exact_mut(offset.len().max(1)) {
        row.iter_mut().zip(offset).for_each(|(v, o)| *v += o);
    }
}

/// Means of the rows of each group, `n_groups x cols`; `groups` holds the group of every row. An empty group has mean 0.
pub fn group_means(m: &Matrix, groups: &[usize], n_groups: usize) -> Matrix {
    let mut means = Matrix::zeros(n_groups, m.cols());
    let mut counts = vec![0usize; n_groups];
    for (row, &g) in m.iter_rows().zip(groups) {
        counts[g] += 1;
        means.row_mut(g).iter_mut().zip(row).for_each(|(a, v)| *a += v);
    }
    for (g, &n) in counts.iter().enumerate() {
        means.row_mut(g).iter_mut().for_each(|a| *a /= n.max(1) as f64);
    }
    means
}
