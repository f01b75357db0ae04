//! Whether single precision is enough for an expansion.
//!
//! A kernel value that is rounded to single precision is off by up to `2^-24` of itself, so an output `sum_i A_i k_i` is off by about
//! `2^-24 sum_i |A_i k_i|`. Where coefficients are large and cancel, that can be more than outputs differ by from row to row. The
//! retained samples tell: they are rows, too.

use kernsieve::expansion::{KernelExpansion, Output};
use kernsieve::kernel::{Kernel, cross_gram};
use kernsieve::linalg::Matrix;
use kernsieve::{Error, Result};

/// Retained samples to look at.
const ROWS: usize = 200;
/// Largest error, as a part of what outputs differ by.
const LARGEST: f64 = 1e-3;

/// Fails when less than three digits of the outputs would be left.
pub fn check(expansion: &KernelExpansion) -> Result<()> {
    let Output::Linear { coef, .. } = &expansion.output else {
        return Ok(()); // terms of one sign: nothing cancels
    };
    // A linear kernel becomes one matrix, and nothing is left to cancel.
    if expansion.kernel == Kernel::Linear || coef.rows() < 2 || expansion.support.cols() == 0 {
        return Ok(());
    }
    let weights: Vec<f64> = expansion
        .feature_weights
        .iter()
        .copied()
        .filter(|w| *w != 0.0)
        .collect();
    let support = &expansion.support;
    let support = Matrix::from_fn(support.rows(), support.cols(), |i, k| support[(i, k)] * weights[k]);
    let step = support.rows().div_ceil(ROWS);
    let some: Vec<usize> = (0..support.rows()).step_by(step).collect();
    let values = cross_gram(&expansion.kernel, &support.select_rows(&some), &support);
    for c in 0..coef.cols() {
        let (mut low, mut high, mut error) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for row in values.iter_rows() {
            let (mut sum, mut size) = (0.0, 0.0);
            for (i, k) in row.iter().enumerate() {
                sum += k * coef[(i, c)];
                size += (k * coef[(i, c)]).abs();
            }
            (low, high) = (f64::min(low, sum), f64::max(high, sum));
            error = f64::max(error, size * 0.5 * f64::from(f32::EPSILON));
        }
        // Where outputs are all alike there is nothing to lose.
        if high > low && error > LARGEST * (high - low) && error > f64::from(f32::EPSILON) {
            return Err(Error::Data(format!(
                "single precision would be off by about {error:.0e} in outputs that differ by {:.0e}: the coefficients are large and \
                 cancel; export in double precision{}",
                high - low,
                match expansion.kernel {
                    Kernel::Polynomial { .. } => ", or train on standardised features",
                    _ => ", or train with a larger ridge",
                }
            )));
        }
    }
    Ok(())
}
