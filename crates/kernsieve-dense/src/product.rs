//! Matrix products, cut into tiles that do not depend on the number of threads.

use crate::matrix::{Matrix, View};
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

/// Rows of the result that one task computes.
const TILE: usize = 256;

/// `sum_i a_i b_i`, in eight independent partial sums so that the processor can overlap them.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut acc = [0.0; 8];
    let (ac, bc) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = ac
        .remainder()
        .iter()
        .zip(bc.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in ac.zip(bc) {
        for l in 0..8 {
            acc[l] += x[l] * y[l];
        }
    }
    ((acc[0] + acc[4]) + (acc[1] + acc[5])) + ((acc[2] + acc[6]) + (acc[3] + acc[7])) + tail
}

/// `dst = alpha a b` (or `dst += alpha a b`) on the calling thread; `dst` is row-major with rows
/// `stride` apart.
///
/// # Panics
/// When the shapes do not fit.
pub fn gemm_into(
    dst: &mut [f64],
    stride: usize,
    a: View<'_>,
    b: View<'_>,
    alpha: f64,
    accumulate: bool,
) {
    let (m, k, n) = (a.rows(), a.cols(), b.cols());
    assert_eq!(k, b.rows(), "inner dimensions of a product");
    if m == 0 || n == 0 {
        return;
    }
    assert!(
        stride >= n && dst.len() >= (m - 1) * stride + n,
        "destination of a product"
    );
    if k == 0 {
        if !accumulate {
            for i in 0..m {
                dst[i * stride..i * stride + n].fill(0.0);
            }
        }
        return;
    }
    let needed = (m - 1) * stride + n;
    let out = row_major_mut(&mut dst[..needed], m, n, stride);
    let accum = if accumulate {
        Accum::Add
    } else {
        Accum::Replace
    };
    faer::linalg::matmul::matmul(out, accum, a.backend(), b.backend(), alpha, Par::Seq);
}

/// The backend's writable view of a row-major buffer. (faer 0.24.4's own
/// `from_row_major_slice_with_stride_mut` swaps the two strides and so writes out of bounds; the
/// transposed column-major view is right.)
pub(crate) fn row_major_mut(
    data: &mut [f64],
    rows: usize,
    cols: usize,
    stride: usize,
) -> MatMut<'_, f64> {
    MatMut::from_column_major_slice_with_stride_mut(data, cols, rows, stride).transpose_mut()
}

/// `a b`, in parallel over blocks of rows.
pub fn matmul(a: View<'_>, b: View<'_>) -> Matrix {
    let (m, n) = (a.rows(), b.cols());
    let mut out = Matrix::zeros(m, n);
    if n > 0 {
        out.as_mut_slice()
            .par_chunks_mut(TILE * n)
            .enumerate()
            .for_each(|(t, chunk)| {
                let start = t * TILE;
                let rows = chunk.len() / n;
                gemm_into(chunk, n, a.row_range(start..start + rows), b, 1.0, false);
            });
    }
    out
}

/// `a b` on the calling thread.
pub fn matmul_sequential(a: View<'_>, b: View<'_>) -> Matrix {
    let mut out = Matrix::zeros(a.rows(), b.cols());
    let n = b.cols();
    gemm_into(out.as_mut_slice(), n.max(1), a, b, 1.0, false);
    out
}

/// `a a'`. The lower half is computed and mirrored, so the result is exactly symmetric.
pub fn symmetric_product(a: View<'_>) -> Matrix {
    let n = a.rows();
    let mut out = Matrix::zeros(n, n);
    if n == 0 {
        return out;
    }
    // Small results are cut into narrow tiles. This gives enough tiles for all threads, and less of
    // the upper half is computed in vain.
    let tile = if n <= 4 * TILE { TILE / 4 } else { TILE };
    out.as_mut_slice()
        .par_chunks_mut(tile * n)
        .enumerate()
        .for_each(|(t, chunk)| {
            let start = t * tile;
            let rows = chunk.len() / n;
            let upto = start + rows;
            gemm_into(
                chunk,
                n,
                a.row_range(start..upto),
                a.row_range(0..upto).t(),
                1.0,
                false,
            );
        });
    for i in 0..n {
        for j in 0..i {
            out[(j, i)] = out[(i, j)];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(rows: usize, cols: usize, seed: u64) -> Matrix {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Matrix::from_fn(rows, cols, |_, _| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        })
    }

    fn naive(a: View<'_>, b: View<'_>) -> Matrix {
        let (a, b) = (a.backend(), b.backend());
        Matrix::from_fn(a.nrows(), b.ncols(), |i, j| {
            (0..a.ncols()).map(|k| a[(i, k)] * b[(k, j)]).sum()
        })
    }

    fn distance(a: &Matrix, b: &Matrix) -> f64 {
        assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
        a.as_slice()
            .iter()
            .zip(b.as_slice())
            .fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs()))
    }

    #[test]
    fn products_match_the_definition_in_every_orientation() {
        for &(m, k, n) in &[
            (1, 1, 1),
            (3, 5, 2),
            (300, 17, 41),
            (257, 64, 1),
            (1, 200, 300),
            (5, 0, 4),
        ] {
            let (a, b) = (example(m, k, 1), example(k, n, 2));
            let (at, bt) = (a.transpose(), b.transpose());
            let expected = naive(a.view(), b.view());
            let tol = 1e-14 * (k.max(1) as f64);
            for (x, y) in [
                (a.view(), b.view()),
                (at.view().t(), b.view()),
                (a.view(), bt.view().t()),
                (at.view().t(), bt.view().t()),
            ] {
                assert!(distance(&matmul(x, y), &expected) <= tol);
                assert!(distance(&matmul_sequential(x, y), &expected) <= tol);
            }
        }
    }

    #[test]
    fn symmetric_product_is_symmetric_and_right() {
        let a = example(301, 23, 3);
        let s = symmetric_product(a.view());
        assert!(distance(&s, &naive(a.view(), a.view().t())) < 1e-13);
        assert_eq!(s, s.transpose());
    }

    #[test]
    fn dot_matches_a_plain_sum() {
        for n in 0..40 {
            let (a, b) = (example(1, n, 4), example(1, n, 5));
            let plain: f64 = a
                .as_slice()
                .iter()
                .zip(b.as_slice())
                .map(|(x, y)| x * y)
                .sum();
            assert!((dot(a.as_slice(), b.as_slice()) - plain).abs() < 1e-14);
        }
    }
}
