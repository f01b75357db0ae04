//! Symmetric eigendecomposition, thin singular value decomposition, and the triangular QR factor of
//! a tall matrix.

use crate::matrix::{Matrix, View};
use faer::Side;

/// `A = V diag(values) V'`, eigenvalues in descending order, eigenvectors as the columns of
/// `vectors`.
#[derive(Clone, Debug)]
pub struct SymmetricEigen {
    /// Eigenvalues, largest first.
    pub values: Vec<f64>,
    /// Column `j` belongs to `values[j]`.
    pub vectors: Matrix,
}

/// Eigendecomposition of a symmetric matrix (the lower triangle is read), about `9 n^3` flops.
/// `None` when the iteration does not converge, which in practice means that an entry is not
/// finite.
pub fn symmetric_eigen(a: &Matrix) -> Option<SymmetricEigen> {
    let n = a.rows();
    assert_eq!(n, a.cols(), "an eigendecomposition needs a square matrix");
    if n == 0 {
        return Some(SymmetricEigen {
            values: vec![],
            vectors: Matrix::zeros(0, 0),
        });
    }
    if a.as_slice().iter().any(|v| !v.is_finite()) {
        return None;
    }
    let eigen = sequential(|| a.view().backend().self_adjoint_eigen(Side::Lower)).ok()?;
    let (s, u) = (eigen.S(), eigen.U());
    let values = (0..n).rev().map(|j| s[j]).collect();
    let vectors = Matrix::from_fn(n, n, |i, j| u[(i, n - 1 - j)]);
    Some(SymmetricEigen { values, vectors })
}

/// `A = U diag(values) V'` with `min(rows, cols)` singular values, largest first.
#[derive(Clone, Debug)]
pub struct Svd {
    /// Left singular vectors, as columns.
    pub u: Matrix,
    /// Singular values, largest first.
    pub values: Vec<f64>,
    /// Right singular vectors, as columns.
    pub v: Matrix,
}

/// Thin singular value decomposition; `None` when an entry is not finite.
pub fn thin_svd(a: &Matrix) -> Option<Svd> {
    if a.as_slice().iter().any(|v| !v.is_finite()) {
        return None;
    }
    let k = a.rows().min(a.cols());
    if k == 0 {
        return Some(Svd {
            u: Matrix::zeros(a.rows(), 0),
            values: vec![],
            v: Matrix::zeros(a.cols(), 0),
        });
    }
    let svd = sequential(|| a.view().backend().thin_svd()).ok()?;
    let (u, s, v) = (svd.U(), svd.S(), svd.V());
    Some(Svd {
        u: Matrix::from_fn(a.rows(), k, |i, j| u[(i, j)]),
        values: (0..k).map(|j| s[j]).collect(),
        v: Matrix::from_fn(a.cols(), k, |i, j| v[(i, j)]),
    })
}

/// The part of `[A B] = Q [R Z; 0 *]` that [`tall_qr`] returns.
#[derive(Clone, Debug)]
pub struct Qr {
    /// The triangular factor of `A`, `cols(A) x cols(A)`.
    pub r: Matrix,
    /// `Q' B`, `cols(A) x cols(B)`.
    pub z: Matrix,
}

/// The triangular factor of a tall `A`, and `Q' B`, in `2 n (p + q)^2` flops. `fill(i, row)` writes
/// row `i` of `[A B]` into `row`. Rows are read one by one, so memory does not grow with their
/// number.
pub fn tall_qr(
    rows: usize,
    a_cols: usize,
    b_cols: usize,
    mut fill: impl FnMut(usize, &mut [f64]),
) -> Qr {
    let width = a_cols + b_cols;
    let chunk = (4 * width).max(1024);
    let mut carried = Matrix::zeros(0, width);
    let mut next = 0;
    while next < rows || carried.rows() < width {
        let take = chunk.min(rows - next);
        // At least `width` rows, so that R is square. Missing rows are zero and change nothing.
        let height = (carried.rows() + take).max(width);
        let mut stacked = Matrix::zeros(height, width);
        stacked.as_mut_slice()[..carried.rows() * width].copy_from_slice(carried.as_slice());
        for i in 0..take {
            fill(next + i, stacked.row_mut(carried.rows() + i));
        }
        next += take;
        let qr = sequential(|| stacked.view().backend().qr());
        let r = qr.thin_R();
        carried = Matrix::from_fn(width, width, |i, j| if j >= i { r[(i, j)] } else { 0.0 });
    }
    Qr {
        r: Matrix::from_fn(a_cols, a_cols, |i, j| carried[(i, j)]),
        z: Matrix::from_fn(a_cols, b_cols, |i, j| carried[(i, a_cols + j)]),
    }
}

/// The backend's high-level calls read a process-wide setting. Without the backend's own thread
/// pool, its default is one thread, which keeps results independent of the machine. This function
/// marks the places that rely on it.
fn sequential<T>(f: impl FnOnce() -> T) -> T {
    debug_assert!(matches!(faer::get_global_parallelism(), faer::Par::Seq));
    f()
}

impl View<'_> {
    /// A row-major copy of the view.
    pub fn to_matrix(self) -> Matrix {
        let b = self.backend();
        Matrix::from_fn(self.rows(), self.cols(), |i, j| b[(i, j)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{matmul, symmetric_product};

    fn example(rows: usize, cols: usize) -> Matrix {
        Matrix::from_fn(rows, cols, |i, j| {
            ((i * 31 + j * 17 + i * j * 3) % 23) as f64 / 23.0 - 0.5
        })
    }

    fn close(a: &Matrix, b: &Matrix, tol: f64) {
        assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
        for (x, y) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((x - y).abs() <= tol, "{x} {y}");
        }
    }

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        for n in [1, 2, 7, 60] {
            let a = symmetric_product(example(n, n + 1).view());
            let e = symmetric_eigen(&a).expect("finite");
            assert!(e.values.windows(2).all(|w| w[0] >= w[1]));
            let scaled = Matrix::from_fn(n, n, |i, j| e.vectors[(i, j)] * e.values[j]);
            close(
                &matmul(scaled.view(), e.vectors.view().t()),
                &a,
                1e-12 * n as f64,
            );
            close(
                &matmul(e.vectors.view().t(), e.vectors.view()),
                &Matrix::identity(n),
                1e-12,
            );
        }
        let mut bad = Matrix::identity(3);
        bad[(1, 1)] = f64::NAN;
        assert!(symmetric_eigen(&bad).is_none());
    }

    #[test]
    fn singular_vectors_rebuild_the_matrix() {
        for (m, n) in [(1, 1), (9, 4), (4, 9), (50, 50)] {
            let a = example(m, n);
            let s = thin_svd(&a).expect("finite");
            let scaled = Matrix::from_fn(m, s.values.len(), |i, j| s.u[(i, j)] * s.values[j]);
            close(&matmul(scaled.view(), s.v.view().t()), &a, 1e-12);
        }
    }

    #[test]
    fn tall_factor_has_the_right_cross_products() {
        for (n, p, q) in [(3000, 6, 2), (5, 3, 1), (2, 4, 2)] {
            let (a, b) = (
                example(n, p),
                Matrix::from_fn(n, q, |i, j| ((i * (j + 2)) % 7) as f64),
            );
            let f = tall_qr(n, p, q, |i, row| {
                row[..p].copy_from_slice(a.row(i));
                row[p..].copy_from_slice(b.row(i));
            });
            let tol = 1e-11 * n as f64;
            close(
                &matmul(f.r.view().t(), f.r.view()),
                &matmul(a.view().t(), a.view()),
                tol,
            );
            close(
                &matmul(f.r.view().t(), f.z.view()),
                &matmul(a.view().t(), b.view()),
                tol,
            );
        }
    }
}
