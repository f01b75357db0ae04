//! Kernels of the quadratic and the linear term, and their values from distances.

use super::radial::SelfConvolution;
use super::{BLOCK_ROWS, Distances};
use crate::classes::Classes;
use crate::kernel::Kernel;
use crate::linalg::{Matrix, dot};
use rayon::prelude::*;

/// Kernels of the quadratic and the linear term. The convolution of a Laplacian with itself, product
/// or radial, is not a kernel of its family: see [`Overlap`].
pub(super) fn widths(kernel: &Kernel, smoothing: f64) -> (Kernel, Kernel) {
    let k2 = 2.0 * smoothing * smoothing;
    match *kernel {
        Kernel::Gaussian { bandwidth } => (
            kernel.with_bandwidth(bandwidth * (2.0 + k2).sqrt()),
            kernel.with_bandwidth(bandwidth * (1.0 + k2).sqrt()),
        ),
        Kernel::Cauchy { bandwidth, .. } => (kernel.with_bandwidth(2.0 * bandwidth), *kernel),
        other => (other, other),
    }
}

/// The convolution of two kernels of a family that differ only in bandwidth.
pub(super) fn convolution(a: &Kernel, b: &Kernel) -> Kernel {
    let (s, t) = (a.bandwidth().unwrap_or(1.0), b.bandwidth().unwrap_or(1.0));
    match a {
        Kernel::Cauchy { .. } => a.with_bandwidth(s + t),
        _ => a.with_bandwidth(s.hypot(t)),
    }
}

/// Logarithm of the constant of the quadratic term's kernel.
pub(super) fn log_constant(kernel: &Kernel, rho: &Kernel, d: usize) -> Option<f64> {
    match *kernel {
        Kernel::Laplacian { bandwidth } => Some(-(d as f64) * (4.0 * bandwidth).ln()),
        Kernel::RadialLaplacian { .. } => Some(kernel.log_normalizer(d)? - d as f64 * 2f64.ln()),
        _ => rho.log_normalizer(d),
    }
}

/// How a Laplacian overlaps with itself, as a multiple of the overlap at distance 0.
pub(super) enum Overlap {
    /// The product kernel: `prod_l (1 + |x_l - y_l| / b) exp(-|x - y|_1 / b)` (section 5.4).
    Product(f64),
    /// The radial kernel, by a table.
    Radial(SelfConvolution),
}

impl Overlap {
    /// Of this kernel, if it is a Laplacian.
    pub(super) fn of(kernel: &Kernel, d: usize) -> Option<Self> {
        match *kernel {
            Kernel::Laplacian { bandwidth } => Some(Self::Product(bandwidth)),
            Kernel::RadialLaplacian { bandwidth } => {
                Some(Self::Radial(SelfConvolution::new(bandwidth, d)))
            }
            _ => None,
        }
    }

    /// Replaces the distances of row `i` to all rows by values.
    pub(super) fn apply(&self, x: &Matrix, i: usize, row: &mut [f64]) {
        match self {
            Self::Product(bandwidth) => {
                let own = x.row(i);
                for (j, v) in row.iter_mut().enumerate() {
                    *v = laplacian_convolution(own, x.row(j), *v, *bandwidth);
                }
            }
            Self::Radial(table) => row.iter_mut().for_each(|v| *v = table.value(*v)),
        }
    }
}

fn laplacian_convolution(a: &[f64], b: &[f64], distance: f64, bandwidth: f64) -> f64 {
    // Logarithms of a few factors at a time.
    let gaps = a
        .iter()
        .zip(b)
        .map(|(a, b)| 1.0 + (a - b).abs() / bandwidth);
    let (mut product, mut log, mut count) = (1.0, 0.0, 0);
    for gap in gaps {
        product *= gap;
        count += 1;
        if count % 8 == 0 {
            log += f64::ln(product);
            product = 1.0;
        }
    }
    (log + product.ln() - distance / bandwidth).exp()
}

/// Weighted sums over each class of the kernel (that of the row's own class) without the row
/// itself, rows x classes.
pub(super) fn class_sums(
    linear: &[Kernel],
    distances: &Distances<'_>,
    classes: &Classes,
) -> Matrix {
    let (n, c, codes) = (distances.len(), classes.n_classes(), classes.codes());
    let mut sums = Matrix::zeros(n, c);
    // With few classes, one dot product per class.
    let shares: Vec<Vec<f64>> = (0..if c <= 4 { c } else { 0 })
        .map(|k| {
            (0..n)
                .map(|j| {
                    if codes[j] == k {
                        classes.weight(j)
                    } else {
                        0.0
                    }
                })
                .collect()
        })
        .collect();
    let blocks = sums
        .as_mut_slice()
        .par_chunks_mut(c * BLOCK_ROWS)
        .enumerate();
    blocks.for_each(|(b, sums)| {
        let mut block = vec![0.0; sums.len() / c * n];
        distances.rows(b * BLOCK_ROWS, &mut block);
        for (k, (sums, row)) in sums
            .chunks_exact_mut(c)
            .zip(block.chunks_exact_mut(n))
            .enumerate()
        {
            let i = b * BLOCK_ROWS + k;
            linear[codes[i]].apply(row);
            // A row does not see itself. Subtracting 1 from the sum later would lose the others if
            // they are all far away.
            row[i] = 0.0;
            if shares.is_empty() {
                for (j, v) in row.iter().enumerate() {
                    sums[codes[j]] += classes.weight(j) * v;
                }
            } else {
                sums.iter_mut()
                    .zip(&shares)
                    .for_each(|(s, share)| *s = dot(row, share));
            }
            // It does see its copies, for which a weight stands.
            sums[codes[i]] += (classes.weight(i) - 1.0).max(0.0);
        }
    });
    sums
}
