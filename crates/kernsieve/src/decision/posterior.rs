//! From log scores to probabilities.

/// Replaces log scores by `exp(s_c) / sum exp(s)`. The result is finite even if scores are not: NaN
/// counts as impossible, and if the largest score is infinite, all scores equal to it share the
/// probability.
pub fn softmax_in_place(scores: &mut [f64]) {
    for s in scores.iter_mut() {
        if s.is_nan() {
            *s = f64::NEG_INFINITY;
        }
    }
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top.is_infinite() {
        let winners = scores.iter().filter(|&&s| s == top).count() as f64;
        scores
            .iter_mut()
            .for_each(|s| *s = if *s == top { 1.0 / winners } else { 0.0 });
        return;
    }
    let mut total = 0.0;
    for s in scores.iter_mut() {
        *s = (*s - top).exp();
        total += *s;
    }
    scores.iter_mut().for_each(|s| *s /= total);
}

/// Position of the largest value, the first one on a tie.
pub fn argmax(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, v) in values.iter().enumerate() {
        if *v > values[best] {
            best = i;
        }
    }
    best
}
