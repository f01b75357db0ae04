//! Error rates, losses and intervals, computed from plain slices.

mod cuts;
mod tally;

pub use cuts::{Cut, Cuts, auc, macro_auc, mean_auc};
pub use tally::Tally;

/// Fraction of predictions that differ from the truth; 0 if there are no rows.
pub fn error_rate(predicted: &[usize], truth: &[usize]) -> f64 {
    weighted_error_rate(predicted, truth, None)
}

/// The weighted fraction of predictions that differ from the truth; 0 if there are no rows.
pub fn weighted_error_rate(predicted: &[usize], truth: &[usize], weights: Option<&[f64]>) -> f64 {
    let (mut wrong, mut total) = (0.0, 0.0);
    for (i, (p, t)) in predicted.iter().zip(truth).enumerate() {
        let w = weights.map_or(1.0, |w| w[i]);
        total += w;
        wrong += if p == t { 0.0 } else { w };
    }
    if total > 0.0 { wrong / total } else { 0.0 }
}

/// Mean of the per-class hit rates, over the classes that occur.
pub fn balanced_accuracy(predicted: &[usize], truth: &[usize], n_classes: usize) -> f64 {
    let (mut hits, mut counts) = (vec![0usize; n_classes], vec![0usize; n_classes]);
    for (&p, &t) in predicted.iter().zip(truth) {
        counts[t] += 1;
        hits[t] += usize::from(p == t);
    }
    let rates: Vec<f64> = (0..n_classes)
        .filter(|&c| counts[c] > 0)
        .map(|c| hits[c] as f64 / counts[c] as f64)
        .collect();
    rates.iter().sum::<f64>() / rates.len().max(1) as f64
}

/// Log loss of one row, `-log p`. A probability counts as at least 1e-15, so that one impossible
/// event does not make a mean infinite.
pub fn log_loss_of(probability: f64) -> f64 {
    -probability.clamp(1e-15, 1.0).ln()
}

/// Counts of observed (rows) against predicted (columns) classes.
pub fn confusion(predicted: &[usize], truth: &[usize], n_classes: usize) -> Vec<Vec<usize>> {
    let mut table = vec![vec![0; n_classes]; n_classes];
    for (&p, &t) in predicted.iter().zip(truth) {
        table[t][p] += 1;
    }
    table
}

/// The standard normal quantile of two-sided 95 % intervals.
const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// The 95 % interval of a proportion, given `count` successes in `n` trials (Wilson 1927). With
/// `z = 1.96`, its ends are the solutions `p` of `|count / n - p| = z sqrt(p (1 - p) / n)`. Unlike
/// the proportion plus or minus two standard errors, it stays within 0 and 1 and does not shrink to
/// a point when `count` is 0 or `n`. For `n = 0` it is all of `[0, 1]`.
pub fn wilson_interval(count: usize, n: usize) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (low, high) = wilson_of_share(count.min(n) as f64 / n as f64, n as f64);
    // Rounding must not keep an end from being exactly 0 or 1.
    let low = if count == 0 { 0.0 } else { low };
    let high = if count >= n { 1.0 } else { high };
    (low, high)
}

/// The same for a share of `n` trials that need not be a whole number of them.
pub fn wilson_of_share(share: f64, n: f64) -> (f64, f64) {
    if n <= 0.0 {
        return (0.0, 1.0);
    }
    let z2 = TWO_SIDED_95 * TWO_SIDED_95;
    let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half =
        TWO_SIDED_95 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// The 95 % interval of an error rate with a known standard error, `mean +- 1.96 standard_error`,
/// within 0 and 1.
pub fn normal_interval(mean: f64, standard_error: f64) -> (f64, f64) {
    let half = TWO_SIDED_95 * standard_error;
    ((mean - half).max(0.0), (mean + half).min(1.0))
}

/// Brier score of one row, `sum_c (p_c - y_c)^2`, where `y_c` is 1 for the observed class and 0 for
/// the others. It lies between 0 and 2. A `truth` beyond the end of the slice counts as a class
/// with probability 0.
pub fn brier_of(probabilities: &[f64], truth: usize) -> f64 {
    let others: f64 = probabilities.iter().map(|p| p * p).sum();
    let own = probabilities.get(truth).copied().unwrap_or(0.0);
    others + 1.0 - 2.0 * own
}

/// Rows with about the same claimed probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// Mean of the claimed probabilities.
    pub claimed: f64,
    /// Number of rows.
    pub count: usize,
    /// Number of rows whose claim came true.
    pub happened: usize,
}

/// Sorts claims (probability, whether it came true) into `bins` bins of equal width from 0 to 1.
/// Empty bins are left out.
pub fn calibration_bins(
    claims: impl Iterator<Item = (f64, bool)>,
    bins: usize,
) -> Vec<CalibrationBin> {
    let mut table = vec![(0.0, 0, 0); bins.max(1)];
    for (p, came_true) in claims.filter(|(p, _)| p.is_finite()) {
        let bin = ((p * bins as f64) as usize).min(table.len() - 1);
        table[bin].0 += p;
        table[bin].1 += 1;
        table[bin].2 += usize::from(came_true);
    }
    let filled = table.into_iter().filter(|(_, count, _)| *count > 0);
    filled
        .map(|(sum, count, happened)| CalibrationBin {
            claimed: sum / count as f64,
            count,
            happened,
        })
        .collect()
}

/// Mean and its standard error, `sqrt(sum (v - mean)^2 / (n - 1) / n)`. The error is 0 for fewer
/// than two values.
pub fn mean_and_standard_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    if values.is_empty() {
        return (f64::NAN, 0.0);
    }
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, 0.0);
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// The standard error of an error over folds; of a single fold of `rows` rows, that of a proportion.
pub(crate) fn standard_error_of_folds(errors: &[f64], rows: f64) -> f64 {
    match errors {
        [only] => (only * (1.0 - only) / rows.max(1.0)).sqrt(),
        all => mean_and_standard_error(all).1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_cases_by_hand() {
        let (p, t) = ([0, 1, 1, 2], [0, 1, 2, 2]);
        assert_eq!(error_rate(&p, &t), 0.25);
        assert!((balanced_accuracy(&p, &t, 4) - (1.0 + 1.0 + 0.5) / 3.0).abs() < 1e-15);
        assert_eq!(confusion(&p, &t, 3), [[1, 0, 0], [0, 1, 0], [0, 1, 1]]);
        let (m, se) = mean_and_standard_error(&[1.0, 2.0, 3.0]);
        assert_eq!(m, 2.0);
        assert!((se - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((log_loss_of(0.5) - 2f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn wilson_intervals_solve_their_equation() {
        // Both ends p satisfy |count / n - p| = z sqrt(p (1 - p) / n).
        for (count, n) in [(3, 45), (22, 45), (44, 45), (1, 2)] {
            let (low, high) = wilson_interval(count, n);
            let share = count as f64 / n as f64;
            assert!(low < share && share < high);
            for p in [low, high] {
                let off = (share - p).abs() - TWO_SIDED_95 * (p * (1.0 - p) / n as f64).sqrt();
                assert!(off.abs() < 1e-14, "{count} of {n}: {off}");
            }
        }
        let (low, high) = wilson_interval(0, 10);
        let z2 = TWO_SIDED_95 * TWO_SIDED_95;
        assert!(low == 0.0 && (high - z2 / (10.0 + z2)).abs() < 1e-15);
        assert_eq!(wilson_interval(10, 10).1, 1.0);
        assert_eq!(wilson_interval(0, 0), (0.0, 1.0));
        assert_eq!(normal_interval(0.01, 0.1).0, 0.0);
        assert!((normal_interval(0.4, 0.1).1 - 0.595_996_398_454_005_4).abs() < 1e-15);
    }

    #[test]
    fn brier_scores_by_hand() {
        assert_eq!(brier_of(&[0.0, 1.0], 1), 0.0);
        assert_eq!(brier_of(&[0.0, 1.0], 0), 2.0);
        assert!((brier_of(&[0.2, 0.5, 0.3], 2) - (0.04 + 0.25 + 0.49)).abs() < 1e-15);
        // A class unknown to the model: no probability was right.
        assert!((brier_of(&[0.5, 0.5], 2) - 1.5).abs() < 1e-15);
    }

    #[test]
    fn claims_are_binned_by_probability_and_counted_once() {
        let claims = [
            (0.05, false),
            (0.0, true),
            (1.0, true),
            (0.95, false),
            (0.4, true),
            (f64::NAN, true),
        ];
        let bins = calibration_bins(claims.into_iter(), 10);
        let counts: Vec<(usize, usize)> = bins.iter().map(|b| (b.count, b.happened)).collect();
        assert_eq!(counts, [(2, 1), (1, 1), (2, 1)]);
        assert!((bins[0].claimed - 0.025).abs() < 1e-15 && (bins[2].claimed - 0.975).abs() < 1e-15);
        assert!(calibration_bins(std::iter::empty(), 10).is_empty());
    }
}
