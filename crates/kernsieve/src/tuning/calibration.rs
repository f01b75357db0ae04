//! Probabilities that are as confident as held-out rows allow, and never worse than the shares of
//! the classes.
//!
//! Log scores `s_c` become `s_c / temperature + blend * log share_c`. The blend is 0, so that the
//! most probable class stays what it is, unless the shares of the classes alone predict held-out
//! rows better than the scores at any temperature. Then both numbers are those of least loss, which
//! is a logistic regression on two features, and the most probable class, which is predicted, can be
//! another one than that of the largest score. Rows of classes that a fold has not seen say nothing
//! about the scores and do not count.

use super::temperature::{Scored, best_temperature, reaching, smoothed_temperature};

/// Blends that are tried.
const BLENDS: usize = 31;
/// Scores hardly count at a temperature of so many times the largest difference among them; their
/// order can still be told from the probabilities.
const SILENT: f64 = 1e8;

/// How log scores become those of probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Calibration {
    pub(super) temperature: f64,
    /// How much of the log shares of the classes is added.
    pub(super) blend: f64,
}

impl Calibration {
    /// Scores as they are.
    pub(super) const NONE: Self = Self {
        temperature: 1.0,
        blend: 0.0,
    };
}

/// The calibration of least loss. `shares` are those of the classes of the data. Without `tempered`
/// the temperature is 1 as long as that is better than the shares.
pub(super) fn calibrate(
    rows: &[(Scored, &[usize])],
    shares: &[f64],
    tempered: bool,
) -> Calibration {
    if rows.is_empty() {
        return Calibration::NONE;
    }
    let own: Vec<Scored> = rows.iter().map(|(row, _)| row.clone()).collect();
    let logs: Vec<Vec<f64>> = rows
        .iter()
        .map(|(_, classes)| logs(shares, classes))
        .collect();
    let loss = |temperature: f64, blend: f64| {
        let pairs = own.iter().zip(&logs);
        pairs
            .map(|(row, logs)| moved(row, logs, temperature, blend).loss(1.0))
            .sum::<f64>()
    };
    let silent = SILENT * reaching((0.0, 1.0), &own).1;
    let range = reaching((0.05, 1000.0), &own);
    let by_shares = loss(silent, 1.0);
    if !tempered && loss(1.0, 0.0) <= by_shares {
        return Calibration::NONE;
    }
    let temperature = smoothed_temperature(&own);
    if loss(temperature, 0.0) <= by_shares {
        return Calibration {
            temperature,
            blend: 0.0,
        };
    }
    // For every blend, the temperature of least loss.
    let mut best = (
        by_shares,
        Calibration {
            temperature: silent,
            blend: 1.0,
        },
    );
    for k in 0..BLENDS {
        let blend = 1.5 * k as f64 / (BLENDS - 1) as f64;
        let at = |t: f64| loss(t, blend);
        let (temperature, value) = best_temperature(at, range);
        if value < best.0 {
            best = (value, Calibration { temperature, blend });
        }
    }
    best.1
}

/// Log shares of some classes.
fn logs(shares: &[f64], classes: &[usize]) -> Vec<f64> {
    let own = classes.iter().map(|&c| shares[c].max(f64::MIN_POSITIVE));
    own.map(f64::ln).collect()
}

fn moved(row: &Scored, logs: &[f64], temperature: f64, blend: f64) -> Scored {
    let both = row.scores.iter().zip(logs);
    Scored {
        scores: both.map(|(s, l)| s / temperature + blend * l).collect(),
        ..*row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rng;

    const CLASSES: [usize; 2] = [0, 1];

    /// Rows of two classes, the second one rare, with scores that know the log odds or not.
    fn rows(n: usize, informed: bool, scale: f64) -> Vec<(Scored, &'static [usize])> {
        let mut rng = Rng::new(5);
        let row = |_| {
            let odds = 2.0 * rng.normal() - 3.0;
            let rare = rng.uniform() < 1.0 / (1.0 + (-odds).exp());
            let said = if informed { odds } else { 4.0 * rng.normal() };
            let scored = Scored {
                scores: vec![0.0, scale * said],
                own: usize::from(rare),
                weight: 1.0,
            };
            (scored, &CLASSES[..])
        };
        (0..n).map(row).collect()
    }

    fn loss(rows: &[(Scored, &[usize])], shares: &[f64], c: Calibration) -> f64 {
        let each = rows.iter().map(|(row, classes)| {
            moved(row, &logs(shares, classes), c.temperature, c.blend).loss(1.0)
        });
        each.sum::<f64>() / rows.len() as f64
    }

    fn shares(rows: &[(Scored, &[usize])]) -> Vec<f64> {
        let rare = rows.iter().filter(|(r, _)| r.own == 1).count() as f64 / rows.len() as f64;
        vec![1.0 - rare, rare]
    }

    #[test]
    fn good_scores_get_their_temperature_and_no_blend() {
        for scale in [0.4, 1.0, 5.0] {
            let rows = rows(20_000, true, scale);
            let found = calibrate(&rows, &shares(&rows), true);
            assert_eq!(found.blend, 0.0);
            assert!((found.temperature / scale - 1.0).abs() < 0.06, "{found:?}");
        }
        let rows = rows(2000, true, 1.0);
        assert_eq!(calibrate(&rows, &shares(&rows), false), Calibration::NONE);
    }

    #[test]
    fn scores_of_any_size_keep_what_they_know() {
        // A rule that interpolates its training rows divides by next to nothing.
        let rows = rows(2000, true, 1e12);
        let found = calibrate(&rows, &shares(&rows), true);
        assert_eq!(found.blend, 0.0);
        assert!((found.temperature / 1e12 - 1.0).abs() < 0.1, "{found:?}");
        let again = calibrate(&rows, &shares(&rows), false);
        assert_eq!(again, found);
    }

    #[test]
    fn nothing_is_worse_than_the_shares() {
        for (informed, scale) in [(false, 1.0), (false, 30.0), (true, -1.0)] {
            for tempered in [false, true] {
                let rows = rows(3000, informed, scale);
                let shares = shares(&rows);
                let found = calibrate(&rows, &shares, tempered);
                let silent = Calibration {
                    temperature: SILENT,
                    blend: 1.0,
                };
                let (ours, theirs) = (loss(&rows, &shares, found), loss(&rows, &shares, silent));
                assert!(ours <= theirs * (1.0 + 1e-8), "{found:?}: {ours} {theirs}");
            }
        }
        assert_eq!(calibrate(&[], &[0.5, 0.5], true), Calibration::NONE);
    }
}
