//! Blocked Cholesky factorisation of a symmetric positive definite matrix, in place.

use crate::matrix::{Matrix, View};
use crate::product::{gemm_into, row_major_mut};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{self as llt, LltError};
use faer::{MatRef, Par};
use rayon::prelude::*;

/// Width of a panel: wide enough for the products to run at full speed, narrow enough for the panel
/// to be cheap.
const BLOCK: usize = 128;
/// Up to this order, the backend's own factorisation is faster than panels and parallel products.
const SMALL: usize = 512;

/// The matrix is not positive definite: a pivot is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositiveDefinite {
    /// 0-based row of the pivot.
    pub pivot: usize,
}

/// `A = L L'`.
#[derive(Clone, Debug)]
pub struct Cholesky {
    /// `L` in the lower triangle or, for small matrices, `L'` in the upper one; the other triangle
    /// is not referenced.
    factor: Matrix,
    upper: bool,
}

impl Cholesky {
    /// Factorises `a`, which must have both triangles filled. This takes `n^3 / 3` flops, nearly
    /// all of them in matrix products.
    pub fn new(mut a: Matrix) -> Result<Self, NotPositiveDefinite> {
        let n = a.rows();
        assert_eq!(n, a.cols(), "a Cholesky factor needs a square matrix");
        if n <= SMALL {
            return Self::small(a);
        }
        let mut panel = vec![0.0; n * BLOCK];
        for start in (0..n).step_by(BLOCK) {
            let width = BLOCK.min(n - start);
            let end = start + width;
            factor_diagonal_block(&mut a, start, width)
                .map_err(|i| NotPositiveDefinite { pivot: start + i })?;
            // A copy of L11, so that the rows below can be written while it is read.
            let mut diagonal = Vec::with_capacity(width * width);
            (start..end).for_each(|i| diagonal.extend_from_slice(&a.row(i)[start..end]));
            let below = &mut a.as_mut_slice()[end * n..];
            // L21 = A21 L11^-T, one block of rows at a time, copied into `panel` for the update.
            below
                .par_chunks_mut(BLOCK * n)
                .zip(panel.par_chunks_mut(BLOCK * width))
                .for_each(|(rows, copy)| {
                    let count = rows.len() / n;
                    solve_against(&diagonal, width, rows, n, start, count);
                    for (row, out) in rows.chunks_exact(n).zip(copy.chunks_exact_mut(width)) {
                        out.copy_from_slice(&row[start..end]);
                    }
                });
            // A22 -= L21 L21', lower half only.
            let panel = &panel[..(n - end) * width];
            below
                .par_chunks_mut(BLOCK * n)
                .enumerate()
                .for_each(|(t, rows)| {
                    let count = rows.len() / n;
                    let upto = t * BLOCK + count;
                    gemm_into(
                        &mut rows[end..],
                        n,
                        View::new(&panel[t * BLOCK * width..], count, width, width),
                        View::new(panel, upto, width, width).t(),
                        -1.0,
                        true,
                    );
                });
        }
        Ok(Self {
            factor: a,
            upper: false,
        })
    }

    /// Factorises on the calling thread. The backend prefers columns, and the transposed view of a
    /// symmetric matrix is the matrix itself.
    fn small(mut a: Matrix) -> Result<Self, NotPositiveDefinite> {
        let n = a.rows();
        let params = Default::default();
        let mut memory = MemBuffer::new(llt::cholesky_in_place_scratch::<f64>(n, Par::Seq, params));
        let columns = row_major_mut(a.as_mut_slice(), n, n, n).transpose_mut();
        let done = llt::cholesky_in_place(
            columns,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            params,
        );
        if let Err(LltError::NonPositivePivot { index }) = done {
            return Err(NotPositiveDefinite { pivot: index });
        }
        // NaN passes through the backend, but it is not a valid pivot.
        match (0..n).find(|&i| !(a[(i, i)] > 0.0 && a[(i, i)].is_finite())) {
            Some(pivot) => Err(NotPositiveDefinite { pivot }),
            None => Ok(Self {
                factor: a,
                upper: true,
            }),
        }
    }

    fn lower(&self) -> MatRef<'_, f64> {
        let whole = self.factor.view().backend();
        if self.upper { whole.transpose() } else { whole }
    }

    /// Solves `A x = b` for every column of `b`, in place.
    pub fn solve_in_place(&self, b: &mut Matrix) {
        let n = self.factor.rows();
        assert_eq!(n, b.rows(), "right-hand side of a solve");
        let cols = b.cols();
        if n == 0 || cols == 0 {
            return;
        }
        let l = self.lower();
        let mut x = row_major_mut(b.as_mut_slice(), n, cols, cols);
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(l, x.as_mut(), Par::Seq);
        faer::linalg::triangular_solve::solve_upper_triangular_in_place(
            l.transpose(),
            x.as_mut(),
            Par::Seq,
        );
    }

    /// Solves `L x = b` for every column of `b`, in place.
    pub fn solve_lower_in_place(&self, b: &mut Matrix) {
        let n = self.factor.rows();
        assert_eq!(n, b.rows(), "right-hand side of a solve");
        let cols = b.cols();
        if n == 0 || cols == 0 {
            return;
        }
        let x = row_major_mut(b.as_mut_slice(), n, cols, cols);
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(self.lower(), x, Par::Seq);
    }

    /// Solves `L' x = b` for every column of `b`, in place.
    pub fn solve_upper_in_place(&self, b: &mut Matrix) {
        let n = self.factor.rows();
        assert_eq!(n, b.rows(), "right-hand side of a solve");
        let cols = b.cols();
        if n == 0 || cols == 0 {
            return;
        }
        let x = row_major_mut(b.as_mut_slice(), n, cols, cols);
        faer::linalg::triangular_solve::solve_upper_triangular_in_place(
            self.lower().transpose(),
            x,
            Par::Seq,
        );
    }

    /// `log det A`.
    pub fn log_determinant(&self) -> f64 {
        (0..self.factor.rows())
            .map(|i| 2.0 * self.factor[(i, i)].ln())
            .sum()
    }
}

/// Solves `L x = b` for every column of `b`, in place; the lower triangle of `l` is read.
pub fn solve_lower(l: View<'_>, b: &mut Matrix) {
    let (n, cols) = (b.rows(), b.cols());
    assert_eq!(n, l.rows(), "right-hand side of a solve");
    if n == 0 || cols == 0 {
        return;
    }
    let x = row_major_mut(b.as_mut_slice(), n, cols, cols);
    faer::linalg::triangular_solve::solve_lower_triangular_in_place(l.backend(), x, Par::Seq);
}

/// Solves `L' x = b` for every column of `b`, in place; the lower triangle of `l` is read.
pub fn solve_lower_transposed(l: View<'_>, b: &mut Matrix) {
    let (n, cols) = (b.rows(), b.cols());
    assert_eq!(n, l.rows(), "right-hand side of a solve");
    if n == 0 || cols == 0 {
        return;
    }
    let x = row_major_mut(b.as_mut_slice(), n, cols, cols);
    let upper = l.backend().transpose();
    faer::linalg::triangular_solve::solve_upper_triangular_in_place(upper, x, Par::Seq);
}

/// Plain row-by-row factor of one diagonal block.
fn factor_diagonal_block(a: &mut Matrix, start: usize, width: usize) -> Result<(), usize> {
    let n = a.cols();
    let data = a.as_mut_slice();
    for i in 0..width {
        for j in 0..=i {
            let (head, tail) = data.split_at_mut((start + i) * n);
            let row_i = &mut tail[start..start + width];
            if i == j {
                let s: f64 = row_i[..i].iter().map(|v| v * v).sum();
                let d = row_i[i] - s;
                // Written so that NaN fails as well.
                if !(d > 0.0 && d.is_finite()) {
                    return Err(i);
                }
                row_i[i] = d.sqrt();
            } else {
                let row_j = &head[(start + j) * n + start..(start + j) * n + start + width];
                let s = crate::product::dot(&row_i[..j], &row_j[..j]);
                row_i[j] = (row_i[j] - s) / row_j[j];
            }
        }
    }
    Ok(())
}

/// Rows `x` of `rows` (columns `start..start + width`) become the solutions of `x L11' = a`.
fn solve_against(
    diagonal: &[f64],
    width: usize,
    rows: &mut [f64],
    stride: usize,
    start: usize,
    count: usize,
) {
    // x L11' = a means L11 x' = a': a triangular solve with `count` right-hand sides.
    let needed = (count - 1) * stride + width;
    let x = row_major_mut(&mut rows[start..start + needed], count, width, stride);
    let l = faer::MatRef::from_row_major_slice(diagonal, width, width);
    faer::linalg::triangular_solve::solve_lower_triangular_in_place(l, x.transpose_mut(), Par::Seq);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{matmul, symmetric_product};

    fn spd(n: usize) -> Matrix {
        let a = Matrix::from_fn(n, n + 3, |i, j| {
            ((i * 7 + j * 13 + i * j) % 17) as f64 / 17.0 - 0.4
        });
        let mut s = symmetric_product(a.view());
        for i in 0..n {
            s[(i, i)] += 0.5;
        }
        s
    }

    #[test]
    fn solves_to_the_residual_for_sizes_around_the_block() {
        for n in [1, 2, 5, 127, 128, 129, 300, 517] {
            let a = spd(n);
            let b = Matrix::from_fn(n, 3, |i, j| ((i + 2 * j) % 5) as f64 - 2.0);
            let factor = Cholesky::new(a.clone()).expect("positive definite");
            let mut x = b.clone();
            factor.solve_in_place(&mut x);
            let ax = matmul(a.view(), x.view());
            let worst = ax
                .as_slice()
                .iter()
                .zip(b.as_slice())
                .fold(0.0, |m, (p, q)| f64::max(m, (p - q).abs()));
            let scale = a.max_abs() * x.max_abs() * n as f64;
            assert!(
                worst <= 1e-14 * scale,
                "n = {n}: residual {worst:e}, scale {scale:e}"
            );
        }
    }

    #[test]
    fn says_where_a_matrix_is_not_positive_definite() {
        let mut a = spd(200);
        a[(150, 150)] = -1.0;
        assert_eq!(Cholesky::new(a).unwrap_err().pivot, 150);
        let mut a = spd(10);
        a[(4, 4)] = f64::NAN;
        assert_eq!(Cholesky::new(a).unwrap_err().pivot, 4);
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let a = spd(400);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("pool");
            pool.install(|| Cholesky::new(a.clone()).expect("positive definite").factor)
        };
        let (one, three) = (run(1), run(3));
        for i in 0..400 {
            assert_eq!(one.row(i)[..=i], three.row(i)[..=i]);
        }
    }
}
