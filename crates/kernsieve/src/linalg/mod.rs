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
