//! Whether single precision is enough for the sum of an expansion.
//!
//! Rounding a kernel value to single precision changes it by a share of up to `2^-24`, so an output
//! `sum_i A_i k_i` changes by up to `2^-24 sum_i |A_i k_i|`. Where large coefficients cancel, this
//! is much compared with the differences between the outputs of rows. The retained samples are rows
//! themselves, so they serve to measure it.
//!
//! The radial Laplacian is a function of the root of a sum of squares that cancel near a retained
//! sample: an error of `2^-24` in the square of the distance is one of `2^-12` in the distance, too
//! much in any case. In double precision it is `2^-26`, as in the library.

use kernsieve::expansion::{KernelExpansion, Output};
use kernsieve::kernel::{Kernel, cross_gram};
use kernsieve::linalg::Matrix;

/// Most retained samples to check.
const ROWS: usize = 200;
/// Largest acceptable bound on the error, as a share of the spread of the outputs. Actual errors
/// are mostly ten times smaller.
const LARGEST: f64 = 1e-5;

/// Whether kernel values of single precision would leave less than five digits of the outputs.
pub fn is_too_little(expansion: &KernelExpansion) -> bool {
    let Output::Linear { coef, .. } = &expansion.output else {
        return false; // terms of one sign: nothing cancels
    };
    if matches!(expansion.kernel, Kernel::RadialLaplacian { .. }) {
        return true;
    }
    // A linear kernel becomes one matrix, so nothing cancels.
    if expansion.kernel == Kernel::Linear || expansion.support.cols() == 0 {
        return false;
    }
    let weights: Vec<f64> = expansion
        .feature_weights
        .iter()
        .copied()
        .filter(|w| *w != 0.0)
        .collect();
    let support = &expansion.support;
    let support = Matrix::from_fn(support.rows(), support.cols(), |i, k| {
        support[(i, k)] * weights[k]
    });
    let step = support.rows().div_ceil(ROWS).max(1);
    let some: Vec<usize> = (0..support.rows()).step_by(step).collect();
    let values = cross_gram(&expansion.kernel, &support.select_rows(&some), &support);
    (0..coef.cols()).any(|c| {
        let (mut low, mut high, mut largest) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for row in values.iter_rows() {
            let (mut sum, mut size) = (0.0, 0.0);
            for (i, k) in row.iter().enumerate() {
                sum += k * coef[(i, c)];
                size += (k * coef[(i, c)]).abs();
            }
            (low, high, largest) = (
                f64::min(low, sum),
                f64::max(high, sum),
                f64::max(largest, size),
            );
        }
        largest * 0.5 * f64::from(f32::EPSILON) > LARGEST * (high - low)
    })
}
