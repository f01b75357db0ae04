//! Centring in feature space.

use crate::linalg::Matrix;
use rayon::prelude::*;

/// Least number of entries per task, so that a small matrix stays on one thread.
const TASK: usize = 1 << 16;

/// Means of a Gram matrix before it was centred.
#[derive(Clone, Debug, PartialEq)]
pub struct GramMeans {
    /// Mean of each column (and of each row, as the matrix is symmetric).
    pub columns: Vec<f64>,
    /// Mean of all entries.
    pub grand: f64,
}

/// Replaces `K` by `C K C`, `C = I - 11'/n` (Lapanowski & Gaynanova, section 2.3), without forming
/// `C`.
pub fn center_gram(k: &mut Matrix) -> GramMeans {
    center_gram_weighted(k, None)
}

/// The same around the weighted mean of the rows: `C K C'` with `C = I - 1w'/sum(w)`.
pub fn center_gram_weighted(k: &mut Matrix, weights: Option<&[f64]>) -> GramMeans {
    let n = k.rows();
    if n == 0 {
        return GramMeans {
            columns: vec![],
            grand: 0.0,
        };
    }
    let rows = (TASK / n).max(1);
    let columns: Vec<f64> = k
        .as_slice()
        .par_chunks(rows * n)
        .flat_map_iter(|rows| rows.chunks_exact(n).map(|row| mean(row, weights)))
        .collect();
    let grand = mean(&columns, weights);
    k.as_mut_slice()
        .par_chunks_mut(rows * n)
        .zip(columns.par_chunks(rows))
        .for_each(|(rows, means)| {
            for (row, mean) in rows.chunks_exact_mut(n).zip(means) {
                // The two means are added first. Their sum is the same for (i, j) and (j, i), so
                // the result is exactly symmetric.
                for (v, &other) in row.iter_mut().zip(&columns) {
                    *v = *v - (mean + other) + grand;
                }
            }
        });
    GramMeans { columns, grand }
}

/// The sum, in eight partial sums that the processor can overlap.
fn sum(values: &[f64]) -> f64 {
    let mut parts = [0.0; 8];
    let chunks = values.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().sum();
    for c in chunks {
        parts.iter_mut().zip(c).for_each(|(p, v)| *p += v);
    }
    parts.iter().sum::<f64>() + rest
}

fn mean(values: &[f64], weights: Option<&[f64]>) -> f64 {
    match weights {
        None => sum(values) / values.len() as f64,
        Some(w) => values.iter().zip(w).map(|(v, w)| v * w).sum::<f64>() / w.iter().sum::<f64>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{matmul, symmetric_product};

    #[test]
    fn equals_the_product_with_the_centring_matrix() {
        let n = 23;
        let a = Matrix::from_fn(n, 4, |i, j| ((i * 5 + j * 3) % 11) as f64);
        let k = symmetric_product(a.view());
        let c = Matrix::from_fn(n, n, |i, j| f64::from(i == j) - 1.0 / n as f64);
        let expected = matmul(matmul(c.view(), k.view()).view(), c.view());
        let mut m = k.clone();
        let means = center_gram(&mut m);
        for i in 0..n {
            assert!((means.columns[i] - k.row(i).iter().sum::<f64>() / n as f64).abs() < 1e-12);
            assert!(m.row(i).iter().sum::<f64>().abs() < 1e-10);
            for j in 0..n {
                assert!((m[(i, j)] - expected[(i, j)]).abs() < 1e-11);
                assert_eq!(m[(i, j)], m[(j, i)]);
            }
        }
    }
}
