//! The gradient of a weighted kernel with respect to the feature weights.

use super::{Kernel, cross_gram};
use crate::linalg::{Matrix, matmul};

/// `T_ij = sum_l a_l d k(w x_i, w z_l) / d w_j`, the matrix of Lapanowski & Gaynanova's section 4.1 for rows `x` (`n x p`),
/// rows `z` (`s x p`) and coefficients `a` (`s`).
///
/// Kernels of the squared distance need one product with `2 p + 1` columns, kernels of the inner product one with `p`;
/// the Laplacian goes pair by pair, `n s p` operations.
pub fn weight_gradient(kernel: &Kernel, x: &Matrix, z: &Matrix, weights: &[f64], a: &[f64]) -> Matrix {
    let (n, s, p) = (x.rows(), z.rows(), x.cols());
    let weighted = |m: &Matrix| Matrix::from_fn(m.rows(), p, |i, j| m[(i, j)] * weights[j]);
    let (wx, wz) = (weighted(x), weighted(z));
    match *kernel {
        Kernel::Gaussian { .. } | Kernel::Cauchy { .. } => {
            // dk/dw_j = slope(d2) * 2 w_j (x_j - z_j)^2 with slope = dk/d(d2); expand the square.
            let slope = match *kernel {
                Kernel::Gaussian { bandwidth } => {
                    let mut k = cross_gram(kernel, &wx, &wz);
                    k.as_mut_slice()
                        .iter_mut()
                        .for_each(|v| *v *= -0.5 / (bandwidth * bandwidth));
                    k
                }
                Kernel::Cauchy { bandwidth, dimension } => {
                    let e = 0.5 * (1.0 + dimension as f64);
                    let mut k = super::Pairs::new(super::Base::SquaredDistance, wz).all(&wx, |_| ());
                    k.as_mut_slice().iter_mut().for_each(|v| {
                        let t = *v / (bandwidth * bandwidth);
                        *v = -e / (bandwidth * bandwidth) * (-(e + 1.0) * t.ln_1p()).exp();
                    });
                    k
                }
                _ => unreachable!("matched above"),
            };
            let right = Matrix::from_fn(s, 2 * p + 1, |l, c| match c {
                0 => a[l],
                c if c <= p => a[l] * z[(l, c - 1)],
                c => a[l] * z[(l, c - p - 1)] * z[(l, c - p - 1)],
            });
            let g = matmul(slope.view(), right.view());
            Matrix::from_fn(n, p, |i, j| {
                let v = x[(i, j)];
                2.0 * weights[j] * (v * v * g[(i, 0)] - 2.0 * v * g[(i, 1 + j)] + g[(i, 1 + p + j)])
            })
        }
        Kernel::Linear | Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } => {
            // dk/dw_j = slope(<wx, wz>) * 2 w_j x_j z_j.
            let mut slope = cross_gram(&Kernel::Linear, &wx, &wz);
            for v in slope.as_mut_slice() {
                *v = match *kernel {
                    Kernel::Polynomial { degree } => f64::from(degree) * (1.0 + *v).powi(degree as i32 - 1),
                    Kernel::Sigmoid { slope, shift } => {
                        let t = (slope * *v + shift).tanh();
                        slope * (1.0 - t * t)
                    }
                    _ => 1.0,
                };
            }
            let right = Matrix::from_fn(s, p, |l, j| a[l] * z[(l, j)]);
            let g = matmul(slope.view(), right.view());
            Matrix::from_fn(n, p, |i, j| 2.0 * weights[j] * x[(i, j)] * g[(i, j)])
        }
        Kernel::Laplacian { bandwidth } => {
            // dk/dw_j = -k sign(w_j) |x_j - z_j| / bandwidth.
            let k = cross_gram(kernel, &wx, &wz);
            let mut t = Matrix::zeros(n, p);
            for i in 0..n {
                for l in 0..s {
                    let f = -k[(i, l)] * a[l] / bandwidth;
                    let row = t.row_mut(i);
                    for j in 0..p {
                        // At w_j = 0 the derivative is one-sided; 0 is the middle of its range.
                        let sign = if weights[j] == 0.0 { 0.0 } else { weights[j].signum() };
                        row[j] += f * sign * (x[(i, j)] - z[(l, j)]).abs();
                    }
                }
            }
            t
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rng;

    #[test]
    fn matches_central_differences_for_every_kernel() {
        let mut rng = Rng::new(11);
        let (n, s, p) = (6, 5, 4);
        let x = Matrix::from_fn(n, p, |_, _| rng.normal());
        let z = Matrix::from_fn(s, p, |_, _| rng.normal());
        let a: Vec<f64> = (0..s).map(|_| rng.normal()).collect();
        let w: Vec<f64> = vec![0.9, -0.4, 0.7, 0.2];
        for kernel in [
            Kernel::Linear,
            Kernel::Gaussian { bandwidth: 1.1 },
            Kernel::Polynomial { degree: 3 },
            Kernel::Sigmoid { slope: 0.3, shift: 0.2 },
            Kernel::Laplacian { bandwidth: 1.7 },
            Kernel::Cauchy {
                bandwidth: 1.4,
                dimension: p,
            },
        ] {
            let values = |w: &[f64]| {
                let scale = |m: &Matrix| Matrix::from_fn(m.rows(), p, |i, j| m[(i, j)] * w[j]);
                let k = cross_gram(&kernel, &scale(&x), &scale(&z));
                (0..n)
                    .map(|i| (0..s).map(|l| k[(i, l)] * a[l]).sum())
                    .collect::<Vec<f64>>()
            };
            let t = weight_gradient(&kernel, &x, &z, &w, &a);
            let h = 1e-6;
            for j in 0..p {
                let (mut up, mut down) = (w.clone(), w.clone());
                up[j] += h;
                down[j] -= h;
                for (i, (u, d)) in values(&up).iter().zip(values(&down)).enumerate() {
                    let numeric = (u - d) / (2.0 * h);
                    // Central differences: h^2 truncation and eps/h rounding, both near 1e-10.
                    assert!(
                        (t[(i, j)] - numeric).abs() < 1e-8 * (1.0 + numeric.abs()),
                        "{kernel:?} {i} {j}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_zero_weight_has_a_zero_column_for_even_kernels() {
        let x = Matrix::from_fn(4, 2, |i, j| (i + j) as f64);
        let t = weight_gradient(&Kernel::Gaussian { bandwidth: 1.0 }, &x, &x, &[0.5, 0.0], &[1.0; 4]);
        assert!((0..4).all(|i| t[(i, 1)] == 0.0));
    }
}
