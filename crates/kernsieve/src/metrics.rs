//! Error rates and losses over plain slices.

/// Fraction of predictions that differ from the truth; 0 for no rows.
pub fn error_rate(predicted: &[usize], truth: &[usize]) -> f64 {
    weighted_error_rate(predicted, truth, None)
}

/// The same with rows counting by their weight.
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

/// Minus the log of a probability, which counts as at least 1e-15 so that one impossible event does not make a mean infinite.
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

/// Mean and standard error of the mean; the error is 0 for fewer than two values.
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
}
