//! Bandwidths of the classes, if they have their own.

use crate::data::Rng;
use crate::kernel::Kernel;
use crate::linalg::Matrix;

/// The effect of a bandwidth other than the kernel's on distances and on the logarithm of the
/// constant.
pub(super) fn own_width(kernel: &Kernel, width: f64, d: usize) -> (f64, f64) {
    let ratio = kernel.bandwidth().unwrap_or(1.0) / width;
    let log = |k: &Kernel| k.log_normalizer(d).unwrap_or(0.0);
    (
        ratio * ratio,
        log(&kernel.with_bandwidth(width)) - log(kernel),
    )
}

/// Median distance of pairs of rows, or of a sample if there are many; 1 if it is zero.
pub(super) fn median_distance(x: &Matrix, seed: u64) -> f64 {
    const PAIRS: usize = 4000;
    let mut rng = Rng::new(seed);
    let n = x.rows();
    let distance = |i: usize, j: usize| {
        let squares = x
            .row(i)
            .iter()
            .zip(x.row(j))
            .map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    };
    let mut distances: Vec<f64> = if n * (n - 1) / 2 <= PAIRS {
        (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| distance(i, j))
            .collect()
    } else {
        (0..PAIRS)
            .map(|_| distance(rng.below(n), rng.below(n)))
            .collect()
    };
    distances.sort_by(f64::total_cmp);
    distances
        .get(distances.len() / 2)
        .copied()
        .filter(|m| *m > 0.0)
        .unwrap_or(1.0)
}
