//! Weights of features from the fitted function itself: its average squared slopes (the diagonal of
//! the average gradient outer product; Radhakrishnan et al. 2024).

use super::judge::{Ground, Solution, Verdict};
use crate::data::spread_rows;
use crate::kernel::Kernel;
use crate::linalg::{Matrix, matmul};
use rayon::prelude::*;

/// Rows at which slopes are taken.
const ROWS: usize = 1000;

/// `mean_i sum_c (d f_c(x_i) / d u_j)^2` for every feature used, in weighted units `u = w*x`.
///
/// For kernels of the Euclidean distance `r`, `d f_c / d u_j = -(u_j s_c - t_cj)` with `s_c = S
/// A_c`, `t_cj = S (A_c * z_j)` and `S = k / b^2` (Gaussian) or `k / (b r)` (radial Laplacian): two
/// products. For the product Laplacian it is `-(1 / b) sum_l k_l A_lc sign(u_j - z_lj)`. Where a
/// Laplacian has no slope, at a landmark, that landmark contributes none.
pub(super) fn squared_slopes(
    ground: &Ground<'_>,
    verdict: &Verdict,
    solution: &Solution,
    row_weights: Option<&[f64]>,
) -> Vec<f64> {
    let values = ground.values(&verdict.kernel);
    let rows = spread_rows(ground.u.rows(), ROWS);
    let u = ground.u.select_rows(&rows);
    let k = values.select_columns(&rows).transpose();
    let marks = ground.landmarks();
    let mut sums = vec![0.0; u.cols()];
    let mut total = 0.0;
    let weight = |i: usize| row_weights.map_or(1.0, |w| w[rows[i]]);
    let slopes = slopes(&verdict.kernel, &u, &marks, k, solution);
    for i in 0..rows.len() {
        total += weight(i);
        for slopes in &slopes {
            for (s, g) in sums.iter_mut().zip(slopes.row(i)) {
                *s += weight(i) * g * g;
            }
        }
    }
    sums.iter_mut().for_each(|s| *s /= total);
    sums
}

/// `d f_c / d u_j` at the rows `u`, one matrix per response. `k` are kernel values, rows x
/// landmarks.
pub(super) fn slopes(
    kernel: &Kernel,
    u: &Matrix,
    marks: &Matrix,
    mut k: Matrix,
    solution: &Solution,
) -> Vec<Matrix> {
    let (n, m, p) = (u.rows(), marks.rows(), u.cols());
    let c = solution.coef.cols();
    let bandwidth = kernel.bandwidth().unwrap_or(1.0);
    let constant = |class: usize, j: usize| solution.linear.as_ref().map_or(0.0, |l| l[(j, class)]);
    if matches!(kernel, Kernel::Laplacian { .. }) {
        let mut out = vec![Matrix::zeros(n, p); c];
        let rows: Vec<Vec<f64>> = (0..n)
            .into_par_iter()
            .map(|i| {
                let mut sums = vec![0.0; c * p];
                let mut signs = vec![0.0; p];
                for l in 0..m {
                    let pairs = u.row(i).iter().zip(marks.row(l));
                    signs.iter_mut().zip(pairs).for_each(|(s, (a, b))| {
                        *s = f64::from(u8::from(a > b)) - f64::from(u8::from(a < b));
                    });
                    for (class, sums) in sums.chunks_exact_mut(p).enumerate() {
                        let f = -k[(i, l)] * solution.coef[(l, class)] / bandwidth;
                        sums.iter_mut().zip(&signs).for_each(|(v, s)| *v += f * s);
                    }
                }
                sums
            })
            .collect();
        for (i, row) in rows.iter().enumerate() {
            for (class, sums) in row.chunks_exact(p).enumerate() {
                for (j, (o, v)) in out[class].row_mut(i).iter_mut().zip(sums).enumerate() {
                    *o = v + constant(class, j);
                }
            }
        }
        return out;
    }
    for v in k.as_mut_slice() {
        *v = match kernel {
            // k / (b r) with r = -b log k.
            Kernel::RadialLaplacian { .. } if *v < 1.0 && *v > 0.0 => {
                *v / (-v.ln() * bandwidth * bandwidth)
            }
            Kernel::RadialLaplacian { .. } => 0.0,
            _ => *v / (bandwidth * bandwidth),
        };
    }
    (0..c)
        .map(|class| {
            let right = Matrix::from_fn(m, p + 1, |l, j| {
                let a = solution.coef[(l, class)];
                if j < p { a * marks[(l, j)] } else { a }
            });
            let products = matmul(k.view(), right.view());
            Matrix::from_fn(n, p, |i, j| {
                products[(i, j)] - u[(i, j)] * products[(i, p)] + constant(class, j)
            })
        })
        .collect()
}
