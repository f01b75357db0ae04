//! Grids and rules of thumb for the bandwidth.

use super::{Base, Kernel, Pairs, center_gram, gram};
use crate::data::{Labels, stratified_sample};
use crate::linalg::Matrix;

/// Rows beyond which distances are taken from a seeded, class-stratified sample: 2000 rows give two million pairs, far
/// more than a quantile needs.
const SAMPLE: usize = 2000;

/// `count` values from `low` to `high`, evenly spaced in the logarithm, smallest first.
pub fn log_grid(low: f64, high: f64, count: usize) -> Vec<f64> {
    if count < 2 {
        return vec![low];
    }
    let (a, b) = (low.ln(), high.ln());
    (0..count)
        .map(|i| match i {
            0 => low,
            i if i + 1 == count => high,
            i => (a + (b - a) * i as f64 / (count - 1) as f64).exp(),
        })
        .collect()
}

/// Gaussian bandwidths from quantiles of the squared distances between rows of different classes (Lapanowski & Gaynanova,
/// section 5.1): their `sigma^2` is the quantile, and `bandwidth = sigma / sqrt 2`. Quantiles by linear interpolation.
/// Equal values are listed once; a quantile of zero (duplicated rows) is replaced by the smallest positive distance.
/// Empty when all rows are equal.
pub fn between_class_bandwidths(x: &Matrix, labels: &Labels, quantiles: &[f64], seed: u64) -> Vec<f64> {
    let mut d2 = sampled_squared_distances(x, labels, seed, |a, b| a != b);
    let mut grid: Vec<f64> = Vec::new();
    if let Some(smallest) = smallest_positive(&d2) {
        d2.sort_unstable_by(f64::total_cmp);
        for &q in quantiles {
            let b = (sorted_quantile(&d2, q).max(smallest) / 2.0).sqrt();
            if !grid.contains(&b) {
                grid.push(b);
            }
        }
    }
    grid
}

/// The median distance between rows: the scale on which kernels of distance vary. `None` when all rows are equal.
pub fn median_bandwidth(x: &Matrix, labels: &Labels, seed: u64) -> Option<f64> {
    let mut d2 = sampled_squared_distances(x, labels, seed, |_, _| true);
    let smallest = smallest_positive(&d2)?;
    d2.sort_unstable_by(f64::total_cmp);
    Some(sorted_quantile(&d2, 0.5).max(smallest).sqrt())
}

/// Mean diagonal of the centred Gram matrix, `mean k(x, x) - mean k(x, x')`, from at most 500 rows evenly spread: the scale on
/// which a ridge acts. Never zero.
pub fn centred_scale(kernel: &Kernel, x: &Matrix) -> f64 {
    const ROWS: usize = 500;
    let n = x.rows();
    let rows: Vec<usize> = if n <= ROWS {
        (0..n).collect()
    } else {
        (0..ROWS).map(|i| i * n / ROWS).collect()
    };
    let mut k = gram(kernel, &x.select_rows(&rows));
    center_gram(&mut k);
    let mean = (0..rows.len()).map(|i| k[(i, i)].abs()).sum::<f64>() / rows.len().max(1) as f64;
    if mean.is_finite() && mean > 0.0 { mean } else { 1.0 }
}

fn smallest_positive(values: &[f64]) -> Option<f64> {
    // Rounding leaves about 1e-15 of the largest value where two equal rows should give 0.
    let largest = values.iter().copied().fold(0.0, f64::max);
    values
        .iter()
        .copied()
        .filter(|&v| v > 1e-12 * largest && v.is_finite())
        .min_by(f64::total_cmp)
}

/// Quantile `q` of sorted values by linear interpolation between order statistics (type 7).
fn sorted_quantile(sorted: &[f64], q: f64) -> f64 {
    let h = (sorted.len() - 1) as f64 * q.clamp(0.0, 1.0);
    let (low, high) = (h.floor() as usize, h.ceil() as usize);
    sorted[low] + (h - low as f64) * (sorted[high] - sorted[low])
}

fn sampled_squared_distances(
    x: &Matrix,
    labels: &Labels,
    seed: u64,
    wanted: impl Fn(usize, usize) -> bool,
) -> Vec<f64> {
    let rows = stratified_sample(labels, SAMPLE, seed);
    let sample = x.select_rows(&rows);
    let codes: Vec<usize> = rows.iter().map(|&i| labels.codes()[i]).collect();
    let d2 = Pairs::new(Base::SquaredDistance, sample.clone()).all(&sample, |_| ());
    let mut out = Vec::new();
    for i in 0..rows.len() {
        for j in 0..i {
            if wanted(codes[i], codes[j]) {
                out.push(d2[(i, j)]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let v = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(sorted_quantile(&v, 0.0), 1.0);
        assert_eq!(sorted_quantile(&v, 1.0), 8.0);
        assert_eq!(sorted_quantile(&v, 0.5), 3.0);
        assert!((sorted_quantile(&v, 0.25) - 1.75).abs() < 1e-15);
    }

    #[test]
    fn only_distances_between_classes_count() {
        // Class a at 0 and 10, class b at 3: between-class squared distances 9 and 49.
        let x = Matrix::from_vec(vec![0.0, 10.0, 3.0], 3, 1);
        let labels = Labels::from_text(&["a", "a", "b"]);
        let b = between_class_bandwidths(&x, &labels, &[0.0, 0.5, 1.0], 0);
        let expected: Vec<f64> = [9.0f64, 29.0, 49.0].iter().map(|q| (q / 2.0).sqrt()).collect();
        for (u, v) in b.iter().zip(&expected) {
            assert!((u - v).abs() < 1e-12);
        }
        assert!((median_bandwidth(&x, &labels, 0).expect("rows differ") - 7.0).abs() < 1e-12);
    }

    #[test]
    fn duplicated_rows_never_give_a_zero_bandwidth() {
        let x = Matrix::from_vec(vec![1.0, 1.0, 1.0, 2.0], 4, 1);
        let labels = Labels::from_text(&["a", "b", "b", "b"]);
        let b = between_class_bandwidths(&x, &labels, &[0.05, 0.5], 0);
        assert_eq!(b.len(), 1);
        assert!(b[0] > 0.5);
        let same = Matrix::zeros(4, 1);
        assert!(between_class_bandwidths(&same, &labels, &[0.5], 0).is_empty());
        assert!(median_bandwidth(&same, &labels, 0).is_none());
    }

    #[test]
    fn log_grid_hits_both_ends() {
        let g = log_grid(1e-2, 10.0, 50);
        assert_eq!((g[0], g[49], g.len()), (1e-2, 10.0, 50));
        assert!((g[1] / g[0] - g[49] / g[48]).abs() < 1e-12);
    }
}
