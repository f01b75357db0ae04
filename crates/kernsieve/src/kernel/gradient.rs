//! The gradient of a weighted kernel with respect to the feature weights.

use super::{Base, Kernel, cross_gram};
use crate::linalg::{Matrix, matmul};
use std::borrow::Cow;

/// `T_ij = sum_l a_l d k(w x_i, w z_l) / d w_j`, the matrix in section 4.1 of Lapanowski &
/// Gaynanova, for rows `x` (`n x p`), rows `z` (`s x p`) and coefficients `a` (`s`).
///
/// Kernels of the squared distance need one product with `2 p + 1` columns, and kernels of the
/// inner product one with `p` columns. The Laplacian is computed pair by pair, in `n s p`
/// operations.
pub fn weight_gradient(
    kernel: &Kernel,
    x: &Matrix,
    z: &Matrix,
    weights: &[f64],
    a: &[f64],
) -> Matrix {
    let k = cross_gram(kernel, &weighted(x, weights), &weighted(z, weights));
    let slopes = WeightSlopes::new(kernel, x, z, weights, &k);
    let mut t = slopes.directions(a);
    let p = x.cols();
    for row in t.as_mut_slice().chunks_exact_mut(p.max(1)) {
        row.iter_mut()
            .zip(weights)
            .for_each(|(v, &w)| *v *= slopes.factor(w));
    }
    t
}

fn weighted(m: &Matrix, weights: &[f64]) -> Matrix {
    Matrix::from_fn(m.rows(), m.cols(), |i, j| m[(i, j)] * weights[j])
}

/// Derivatives of a weighted kernel between two sets of rows, in a form that does not vanish at a
/// weight of zero.
///
/// All kernels except the Laplacian are functions of `sum_j v_j d_j` with `v_j = w_j^2`, so
/// `dk / dw_j = 2 w_j dk / dv_j`. At `w_j = 0` the former is zero for every feature, but the latter
/// is not. The Laplacian is a function of `sum_j |w_j| d_j`.
pub struct WeightSlopes<'a> {
    kernel: Kernel,
    x: &'a Matrix,
    z: &'a Matrix,
    /// `dk / d(base)` without the factor, `n x s`. For the Laplacian, these are the kernel values.
    slope: Cow<'a, Matrix>,
    factor: f64,
}

impl<'a> WeightSlopes<'a> {
    /// Derivatives at these weights, from the kernel values there (`n x s`).
    pub fn new(
        kernel: &Kernel,
        x: &'a Matrix,
        z: &'a Matrix,
        weights: &[f64],
        values: &'a Matrix,
    ) -> Self {
        let map = |m: &Matrix, f: &dyn Fn(f64) -> f64| {
            let mut out = m.clone();
            out.as_mut_slice().iter_mut().for_each(|v| *v = f(*v));
            Cow::Owned(out)
        };
        let (slope, factor) = match *kernel {
            Kernel::Gaussian { bandwidth } => {
                (Cow::Borrowed(values), -0.5 / (bandwidth * bandwidth))
            }
            Kernel::Laplacian { bandwidth } => (Cow::Borrowed(values), -1.0 / bandwidth),
            // d exp(-r / b) / d(r^2) = -exp(-r / b) / (2 b r), with r = -b log(value). At r = 0 the
            // kernel has no derivative; equal rows contribute none.
            Kernel::RadialLaplacian { bandwidth } => (
                map(values, &|v| if v < 1.0 { v / -v.ln() } else { 0.0 }),
                -0.5 / (bandwidth * bandwidth),
            ),
            Kernel::Linear => (map(values, &|_| 1.0), 1.0),
            Kernel::Cauchy {
                bandwidth,
                dimension,
            } => {
                // (1 + t)^-(e + 1) from the value (1 + t)^-e.
                let e = 0.5 * (1.0 + dimension as f64);
                (
                    map(values, &|v| v.powf((e + 1.0) / e)),
                    -e / (bandwidth * bandwidth),
                )
            }
            Kernel::Polynomial { degree } => {
                let d = degree as i32;
                let products = inner_products(x, z, weights);
                (map(&products, &|v| (1.0 + v).powi(d - 1)), f64::from(d))
            }
            Kernel::Sigmoid { slope, .. } => (map(values, &|v| 1.0 - v * v), slope),
        };
        Self {
            kernel: *kernel,
            x,
            z,
            slope,
            factor,
        }
    }

    /// The factor that turns a column of [`Self::directions`] into `d / d w_j`.
    pub fn factor(&self, weight: f64) -> f64 {
        match self.kernel {
            // At zero only one-sided derivatives exist; 0 lies halfway between them.
            Kernel::Laplacian { .. } if weight == 0.0 => 0.0,
            Kernel::Laplacian { .. } => weight.signum(),
            _ => 2.0 * weight,
        }
    }

    /// `sum_l a_l dk(w x_i, w z_l) / dv_j`, `n x p`. For the Laplacian, the derivative is with
    /// respect to `|w_j|`.
    pub fn directions(&self, a: &[f64]) -> Matrix {
        let a: Vec<f64> = a.iter().map(|a| self.factor * a).collect();
        let (n, s, p) = (self.x.rows(), self.z.rows(), self.x.cols());
        let (x, z) = (self.x, self.z);
        match self.kernel.family().base() {
            Base::SquaredDistance => {
                // The square (x_j - z_j)^2, expanded.
                let right = Matrix::from_fn(s, 2 * p + 1, |l, c| match c {
                    0 => a[l],
                    c if c <= p => a[l] * z[(l, c - 1)],
                    c => a[l] * z[(l, c - p - 1)] * z[(l, c - p - 1)],
                });
                let g = matmul(self.slope.view(), right.view());
                let mut out = Matrix::zeros(n, p);
                for i in 0..n {
                    let (row, g) = (x.row(i), g.row(i));
                    for (j, (o, v)) in out.row_mut(i).iter_mut().zip(row).enumerate() {
                        *o = v * v * g[0] - 2.0 * v * g[1 + j] + g[1 + p + j];
                    }
                }
                out
            }
            Base::InnerProduct => {
                let right = Matrix::from_fn(s, p, |l, j| a[l] * z[(l, j)]);
                let g = matmul(self.slope.view(), right.view());
                Matrix::from_fn(n, p, |i, j| x[(i, j)] * g[(i, j)])
            }
            Base::AbsoluteDistance => {
                let mut t = Matrix::zeros(n, p);
                for i in 0..n {
                    for (l, a) in a.iter().enumerate() {
                        let f = self.slope[(i, l)] * a;
                        let pairs = x.row(i).iter().zip(z.row(l));
                        t.row_mut(i)
                            .iter_mut()
                            .zip(pairs)
                            .for_each(|(t, (u, v))| *t += f * (u - v).abs());
                    }
                }
                t
            }
        }
    }
}

fn inner_products(x: &Matrix, z: &Matrix, weights: &[f64]) -> Matrix {
    cross_gram(
        &Kernel::Linear,
        &weighted(x, weights),
        &weighted(z, weights),
    )
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
            Kernel::Sigmoid {
                slope: 0.3,
                shift: 0.2,
            },
            Kernel::Laplacian { bandwidth: 1.7 },
            Kernel::RadialLaplacian { bandwidth: 1.3 },
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
        let t = weight_gradient(
            &Kernel::Gaussian { bandwidth: 1.0 },
            &x,
            &x,
            &[0.5, 0.0],
            &[1.0; 4],
        );
        assert!((0..4).all(|i| t[(i, 1)] == 0.0));
    }
}
