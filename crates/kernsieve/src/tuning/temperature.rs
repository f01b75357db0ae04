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
        self.smoothed_loss(temperature, 0.0)
    }

    /// The same if a share of the row belonged to all classes alike.
    fn smoothed_loss(&self, temperature: f64, share: f64) -> f64 {
        let inverse = 1.0 / temperature;
        let all = self.scores.iter().copied();
        let top = all.clone().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = all.clone().map(|v| ((v - top) * inverse).exp()).sum();
        let mut own = (self.scores[self.own] - top) * inverse;
        if share > 0.0 {
            let mean = all.map(|v| v - top).sum::<f64>() / self.scores.len() as f64;
            own = (1.0 - share) * own + share * mean * inverse;
        }
        self.weight * (total.ln() - own)
    }

    /// The largest difference of two scores.
    pub(super) fn widest(&self) -> f64 {
        let all = self.scores.iter().copied();
        let low = all.clone().fold(f64::INFINITY, f64::min);
        let gap = all.fold(f64::NEG_INFINITY, f64::max) - low;
        if gap.is_finite() { gap } else { 0.0 }
    }

    /// The weight if the class of the highest score is another one.
    pub(super) fn wrong(&self) -> f64 {
        f64::from(argmax(&self.scores) != self.own) * self.weight
    }
}

/// Temperatures lie between these, where no two scores of a row differ by more than the second.
const RANGE: (f64, f64) = (0.25, 100.0);

/// The same range, up to the largest difference of two scores of a row: a fit that interpolates its
/// training rows has scores of any size, and at that temperature their odds are short.
pub(super) fn reaching(range: (f64, f64), rows: &[Scored]) -> (f64, f64) {
    (
        range.0,
        rows.iter().map(Scored::widest).fold(range.1, f64::max),
    )
}

/// Minimises a loss over temperatures in a range; returns the temperature and the loss there. The
/// log loss is convex in the inverse temperature, so a golden section search on a logarithmic scale
/// finds the minimum.
pub(super) fn best_temperature(loss: impl Fn(f64) -> f64, range: (f64, f64)) -> (f64, f64) {
    let loss = |log_t: f64| loss(log_t.exp());
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = (range.0.ln(), range.1.ln());
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

/// The temperature of least log loss, as if a share `1 / (n + 2)` of every row belonged to all
/// classes alike (Platt 2000): rows that are all on the right side do not make probabilities of 0
/// and 1. 1 where there are no rows.
pub(super) fn smoothed_temperature(rows: &[Scored]) -> f64 {
    if rows.is_empty() {
        return 1.0;
    }
    // A row of weight 2 is two rows.
    let n: f64 = rows.iter().map(|row| row.weight).sum();
    let share = 1.0 / (n + 2.0);
    let loss = |t: f64| sum(rows, |row| row.smoothed_loss(t, share));
    best_temperature(loss, reaching(RANGE, rows)).0
}

/// A sum over the rows, the same for any number of threads.
fn sum(rows: &[Scored], of: impl Fn(&Scored) -> f64 + Sync) -> f64 {
    let of = &of;
    let chunks = rows.par_chunks(1024).map(|c| c.iter().map(of).sum::<f64>());
    chunks.collect::<Vec<f64>>().iter().sum()
}

/// The log loss at the temperature of least loss, summed over the rows.
pub(super) fn least_log_loss(rows: &[Scored]) -> f64 {
    best_temperature(|t| sum(rows, |row| row.loss(t)), reaching(RANGE, rows)).1
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
    if rows.is_empty() {
        return (1.0, 0.0);
    }
    let loss = |t: f64| sum(rows, |row| row.loss(t));
    best_temperature(loss, reaching((lowest.clamp(1e-6, 1.0), 1000.0), rows))
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
        let t = smoothed_temperature(&rows);
        assert!((t - 3.0).abs() < 0.15, "{t}");
        let best = sum(&rows, |r| r.loss(t));
        assert!(
            [0.9, 1.1]
                .iter()
                .all(|f| sum(&rows, |r| r.loss(f * t)) > best)
        );
        assert_eq!(smoothed_temperature(&[]), 1.0);
        // All rows on the right side by the same odds: those of one wrong row in n.
        let right = Scored {
            scores: vec![2.0, 0.0],
            own: 0,
            weight: 1.0,
        };
        let p = 1.0 / (1.0 + (-2.0 / smoothed_temperature(&vec![right; 50])).exp());
        assert!((p - (1.0 - 0.5 / 52.0)).abs() < 1e-3, "{p}");
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
