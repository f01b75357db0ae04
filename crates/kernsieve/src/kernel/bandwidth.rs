//! Grids and rules of thumb for the bandwidth.

use super::{Base, Kernel, Pairs, center_gram_weighted, gram};
use crate::data::{Labels, stratified_sample};
use crate::linalg::Matrix;

/// With more rows than this, distances are taken from a seeded, class-stratified sample. 2000 rows
/// give two million pairs, far more than a quantile needs.
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

/// Gaussian bandwidths from quantiles of the squared distances between rows of different classes
/// (Lapanowski & Gaynanova, section 5.1). Their `sigma^2` is the quantile, so
/// `bandwidth = sigma / sqrt 2`. Quantiles are interpolated linearly. Equal values are listed once.
/// A quantile of zero (duplicated rows) is replaced by the smallest positive distance. The result
/// is empty when all rows are equal.
pub fn between_class_bandwidths(
    x: &Matrix,
    labels: &Labels,
    weights: Option<&[f64]>,
    quantiles: &[f64],
    seed: u64,
) -> Vec<f64> {
    let d2 = Distances::sampled(x, labels, weights, seed, |a, b| a != b);
    let mut grid: Vec<f64> = Vec::new();
    if let Some(smallest) = d2.smallest_positive() {
        for &q in quantiles {
            let b = (d2.quantile(q).max(smallest) / 2.0).sqrt();
            if !grid.contains(&b) {
                grid.push(b);
            }
        }
    }
    grid
}

/// The median distance between rows, which is the scale on which kernels of a distance vary. `None`
/// when all rows are equal.
pub fn median_bandwidth(
    x: &Matrix,
    labels: &Labels,
    weights: Option<&[f64]>,
    seed: u64,
) -> Option<f64> {
    let d2 = Distances::sampled(x, labels, weights, seed, |_, _| true);
    Some(d2.quantile(0.5).max(d2.smallest_positive()?).sqrt())
}

/// Mean diagonal of the centred Gram matrix, `mean k(x, x) - mean k(x, x')`, from at most 500
/// evenly spread rows. This is the scale on which a ridge acts. It is never zero.
pub fn centred_scale(kernel: &Kernel, x: &Matrix, weights: Option<&[f64]>) -> f64 {
    const ROWS: usize = 500;
    let n = x.rows();
    let rows: Vec<usize> = if n <= ROWS {
        (0..n).collect()
    } else {
        (0..ROWS).map(|i| i * n / ROWS).collect()
    };
    let weights: Vec<f64> = rows
        .iter()
        .map(|&i| weights.map_or(1.0, |w| w[i]))
        .collect();
    let mut k = gram(kernel, &x.select_rows(&rows));
    center_gram_weighted(&mut k, Some(&weights));
    let total: f64 = weights.iter().sum();
    let mean = (0..rows.len())
        .map(|i| weights[i] * k[(i, i)].abs())
        .sum::<f64>()
        / total;
    if mean.is_finite() && mean > 0.0 {
        mean
    } else {
        1.0
    }
}

/// Squared distances between rows in ascending order, each with the number of pairs that it stands
/// for. This number is `w_i w_j` for rows of weights `w_i` and `w_j`. A row of weight `w` adds
/// `w (w - 1) / 2` distances of zero, so that a row of weight 2 counts like two equal rows.
struct Distances {
    values: Vec<f64>,
    /// Number of pairs up to and including each value.
    upto: Vec<f64>,
}

impl Distances {
    fn sampled(
        x: &Matrix,
        labels: &Labels,
        weights: Option<&[f64]>,
        seed: u64,
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let rows = stratified_sample(labels, SAMPLE, seed);
        let sample = x.select_rows(&rows);
        let class = |i: usize| labels.codes()[rows[i]];
        // Weights below 1 on average, such as shares, are scaled up so that pairs do not vanish.
        let mean = weights.map_or(1.0, |w| {
            rows.iter().map(|&i| w[i]).sum::<f64>() / rows.len() as f64
        });
        let weight = |i: usize| weights.map_or(1.0, |w| w[rows[i]] / mean.min(1.0));
        let d2 = Pairs::new(Base::SquaredDistance, sample.clone()).all(&sample, |_| ());
        let mut pairs = Vec::new();
        for i in 0..rows.len() {
            for j in (0..i).filter(|&j| wanted(class(i), class(j))) {
                pairs.push((d2[(i, j)], weight(i) * weight(j)));
            }
            if weight(i) > 1.0 && wanted(class(i), class(i)) {
                pairs.push((0.0, 0.5 * weight(i) * (weight(i) - 1.0)));
            }
        }
        Self::new(pairs)
    }

    fn new(mut pairs: Vec<(f64, f64)>) -> Self {
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut total = 0.0;
        Self {
            values: pairs.iter().map(|p| p.0).collect(),
            upto: pairs
                .iter()
                .map(|p| {
                    total += p.1;
                    total
                })
                .collect(),
        }
    }

    fn smallest_positive(&self) -> Option<f64> {
        // Two equal rows should give 0, but rounding leaves about 1e-15 of the largest value.
        let largest = *self.values.last()?;
        let mut values = self.values.iter().copied();
        values.find(|&v| v > 1e-12 * largest && v.is_finite())
    }

    /// Quantile `q` by linear interpolation between order statistics (type 7). There must be at
    /// least one value.
    fn quantile(&self, q: f64) -> f64 {
        let count = self.upto.last().copied().unwrap_or(0.0);
        let h = (count - 1.0).max(0.0) * q.clamp(0.0, 1.0);
        let at = |k: f64| {
            let place = self.upto.partition_point(|&u| u <= k);
            self.values[place.min(self.values.len() - 1)]
        };
        let low = at(h.floor());
        low + h.fract() * (at(h.ceil()) - low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let v = Distances::new([8.0, 1.0, 2.0, 4.0].map(|v| (v, 1.0)).to_vec());
        assert_eq!(v.quantile(0.0), 1.0);
        assert_eq!(v.quantile(1.0), 8.0);
        assert_eq!(v.quantile(0.5), 3.0);
        assert!((v.quantile(0.25) - 1.75).abs() < 1e-15);
    }

    #[test]
    fn only_distances_between_classes_count() {
        // Class a at 0 and 10, class b at 3: between-class squared distances 9 and 49.
        let x = Matrix::from_vec(vec![0.0, 10.0, 3.0], 3, 1);
        let labels = Labels::from_text(&["a", "a", "b"]);
        let b = between_class_bandwidths(&x, &labels, None, &[0.0, 0.5, 1.0], 0);
        let expected: Vec<f64> = [9.0f64, 29.0, 49.0]
            .iter()
            .map(|q| (q / 2.0).sqrt())
            .collect();
        for (u, v) in b.iter().zip(&expected) {
            assert!((u - v).abs() < 1e-12);
        }
        assert!((median_bandwidth(&x, &labels, None, 0).expect("rows differ") - 7.0).abs() < 1e-12);
    }

    #[test]
    fn a_row_of_weight_3_counts_as_three_rows() {
        let x = Matrix::from_fn(6, 2, |i, j| ((i * 5 + j * 3) % 7) as f64 * 0.7 + j as f64);
        let labels = Labels::from_text(&["a", "b", "a", "b", "c", "c"]);
        let weights = [1.0, 3.0, 2.0, 1.0, 4.0, 1.0];
        let rows: Vec<usize> = (0..6)
            .flat_map(|i| std::iter::repeat_n(i, weights[i] as usize))
            .collect();
        let (repeated, classes) = (x.select_rows(&rows), labels.select(&rows));
        let quantiles = [0.0, 0.05, 0.1, 0.3, 0.5, 0.77, 1.0];
        let own = between_class_bandwidths(&x, &labels, Some(&weights), &quantiles, 0);
        let other = between_class_bandwidths(&repeated, &classes, None, &quantiles, 0);
        assert_eq!(own.len(), other.len());
        own.iter()
            .zip(&other)
            .for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
        let median = |x, l, w| median_bandwidth(x, l, w, 0).expect("rows differ");
        let (a, b) = (
            median(&x, &labels, Some(&weights[..])),
            median(&repeated, &classes, None),
        );
        assert!((a - b).abs() < 1e-12, "{a} {b}");
        let shares = weights.map(|w| w / 12.0);
        let plain = between_class_bandwidths(&x, &labels, None, &quantiles, 0);
        let equal = between_class_bandwidths(&x, &labels, Some(&[1.0 / 6.0; 6]), &quantiles, 0);
        assert_eq!(plain, equal);
        assert!(median(&x, &labels, Some(&shares[..])) > 0.5 * a);
        let kernel = Kernel::Gaussian { bandwidth: 1.3 };
        let (a, b) = (
            centred_scale(&kernel, &x, Some(&weights)),
            centred_scale(&kernel, &repeated, None),
        );
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn duplicated_rows_never_give_a_zero_bandwidth() {
        let x = Matrix::from_vec(vec![1.0, 1.0, 1.0, 2.0], 4, 1);
        let labels = Labels::from_text(&["a", "b", "b", "b"]);
        let b = between_class_bandwidths(&x, &labels, None, &[0.05, 0.5], 0);
        assert_eq!(b.len(), 1);
        assert!(b[0] > 0.5);
        let same = Matrix::zeros(4, 1);
        assert!(between_class_bandwidths(&same, &labels, None, &[0.5], 0).is_empty());
        assert!(median_bandwidth(&same, &labels, None, 0).is_none());
    }

    #[test]
    fn log_grid_hits_both_ends() {
        let g = log_grid(1e-2, 10.0, 50);
        assert_eq!((g[0], g[49], g.len()), (1e-2, 10.0, 50));
        assert!((g[1] / g[0] - g[49] / g[48]).abs() < 1e-12);
    }
}
