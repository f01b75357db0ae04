//! One number that makes log scores as confident as they should be.

use crate::decision::argmax;
use rayon::prelude::*;

/// A held-out row: its log scores, the position of its own class among them, its weight.
#[derive(Clone, Debug)]
pub(super) struct Scored {
    pub(super) scores: Vec<f64>,
    pub(super) own: usize,
    pub(super) weight: f64,
}

impl Scored {
    /// The log loss at a temperature, times the weight.
    pub(super) fn loss(&self, temperature: f64) -> f64 {
        let inverse = 1.0 / temperature;
        let top = self
            .scores
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = self
            .scores
            .iter()
            .map(|v| ((v - top) * inverse).exp())
            .sum();
        self.weight * (total.ln() - (self.scores[self.own] - top) * inverse)
    }

    /// The weight if the class of the highest score is another one.
    pub(super) fn wrong(&self) -> f64 {
        f64::from(argmax(&self.scores) != self.own) * self.weight
    }
}

/// Minimises the log loss over temperatures from `lowest` to 1000; returns the temperature and the
/// loss there, summed over the rows. The loss is convex in the inverse temperature, so a golden
/// section search on a logarithmic scale finds the minimum.
pub(super) fn best_temperature(rows: &[Scored], lowest: f64) -> (f64, f64) {
    if rows.is_empty() {
        return (1.0, 0.0);
    }
    let loss = |log_t: f64| log_loss_at(rows, log_t.exp());
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = (lowest.min(1000.0).ln(), 1000f64.ln());
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut fa, mut fb) = (loss(a), loss(b));
    while high - low > 1e-3 {
        if fa <= fb {
            (high, b, fb) = (b, a, fa);
            a = high - ratio * (high - low);
            fa = loss(a);
        } else {
            (low, a, fa) = (a, b, fb);
            b = low + ratio * (high - low);
            fb = loss(b);
        }
    }
    let middle = 0.5 * (low + high);
    (middle.exp(), loss(middle))
}

/// The log loss at a temperature, summed over the rows.
fn log_loss_at(rows: &[Scored], temperature: f64) -> f64 {
    let sum = |chunk: &[Scored]| chunk.iter().map(|row| row.loss(temperature)).sum();
    let chunks = rows.par_chunks(1024).map(sum);
    chunks.collect::<Vec<f64>>().iter().sum()
}

/// The temperature of least loss, and the log loss there, summed over the rows: how well the scores
/// order the rows, whatever their scale. Odds are lengthened only up to the number of rows, since the
/// rows cannot support longer ones.
pub(super) fn tempered_log_loss(rows: &[Scored]) -> (f64, f64) {
    let longest = rows.iter().fold(0.0, |m, row| {
        let top = row.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.scores.iter().fold(m, |m: f64, s| m.max(top - s))
    });
    let lowest = longest / (rows.len() as f64 + 1.0).ln();
    best_temperature(rows, lowest.clamp(1e-6, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_temperature_is_the_one_of_least_loss() {
        // Scores that are three times too confident: true log odds are a third of those claimed.
        let mut rng = crate::data::Rng::new(3);
        let rows: Vec<Scored> = (0..20_000)
            .map(|_| {
                let odds = 2.0 * rng.normal();
                let p = 1.0 / (1.0 + (-odds).exp());
                Scored {
                    scores: vec![3.0 * odds, 0.0],
                    own: usize::from(rng.uniform() >= p),
                    weight: 1.0,
                }
            })
            .collect();
        let t = best_temperature(&rows, 0.25).0;
        assert!((t - 3.0).abs() < 0.15, "{t}");
        assert_eq!(best_temperature(&[], 0.25).0, 1.0);
    }
    #[test]
    fn scores_that_are_log_odds_keep_their_temperature() {
        // Long odds, all of them borne out: what the number of rows supports is shorter.
        let row = |odds: f64, own: usize| Scored {
            scores: vec![odds, 0.0],
            own,
            weight: 1.0,
        };
        let rows: Vec<Scored> = (0..20)
            .map(|i| {
                if i % 2 == 0 {
                    row(9.0, 0)
                } else {
                    row(-9.0, 1)
                }
            })
            .collect();
        let (temperature, loss) = tempered_log_loss(&rows);
        assert!((temperature - 1.0).abs() < 1e-3, "{temperature}");
        assert!((loss - 20.0 * (-9f64).exp().ln_1p()).abs() < 1e-5, "{loss}");
    }
}
