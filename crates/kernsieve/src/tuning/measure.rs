//! What settings are chosen for, if the user named a measure: counted in every fold, then over all.

use super::temperature::{Scored, least_log_loss};
use crate::decision::{argmax, softmax_in_place};
use crate::linalg::Matrix;
use crate::metrics::{Tally, auc, log_loss_of, mean_auc};
use crate::params::Score;

/// A measure of held-out rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    pub(super) score: Score,
    /// Classes of the data.
    pub(super) n_classes: usize,
    /// The positive one, if there are two.
    pub(super) positive: Option<usize>,
    /// Whether probabilities get a temperature, so that the log loss is that at the best one.
    pub(super) tempered: bool,
}

/// What a fold adds to a measure.
#[derive(Clone, Debug)]
pub(super) enum Measured {
    /// Counts of classes.
    Counts(Tally),
    /// A mean over its rows; `None` where it has no value.
    Mean(Option<f64>),
}

/// The held-out rows of a fold: classes of the data to which scores belong, own classes, weights.
pub(super) struct HeldOutRows<'a> {
    pub(super) classes: &'a [usize],
    pub(super) truth: &'a [usize],
    pub(super) weights: &'a [f64],
}

impl Measure {
    /// Of log scores of held-out rows.
    pub(super) fn of(&self, scores: &Matrix, rows: &HeldOutRows<'_>) -> Measured {
        match self.score {
            Score::LogLoss => Measured::Mean(Some(self.log_loss(scores, rows))),
            Score::Auc => {
                let all: Vec<Vec<f64>> = scores
                    .iter_rows()
                    .map(|row| spread(row, rows.classes, self.n_classes))
                    .collect();
                // A fit orders no rows by a class that it does not know, nor rows of such a class.
                let knows = |class: usize| rows.classes.contains(&class);
                let known = (0..all.len()).filter(|&i| knows(rows.truth[i]));
                Measured::Mean(mean_auc(self.n_classes, |class| {
                    let rows_of = known.clone().filter(|_| knows(class));
                    auc(rows_of.map(|i| (all[i][class], rows.truth[i] == class, rows.weights[i])))
                }))
            }
            Score::Error | Score::Balanced | Score::F1 | Score::Mcc => {
                let mut tally = Tally::new(self.n_classes);
                for (i, row) in scores.iter_rows().enumerate() {
                    let predicted = rows.classes[argmax(row)];
                    tally.add(rows.truth[i], predicted, rows.weights[i]);
                }
                Measured::Counts(tally)
            }
        }
    }

    /// Of a fold whose training rows have one class.
    pub(super) fn of_one_class(&self, only: usize, rows: &HeldOutRows<'_>) -> Measured {
        match self.score {
            Score::LogLoss | Score::Auc => Measured::Mean(None),
            _ => {
                let mut tally = Tally::new(self.n_classes);
                let pairs = rows.truth.iter().zip(rows.weights);
                pairs.for_each(|(&t, &w)| tally.add(t, only, w));
                Measured::Counts(tally)
            }
        }
    }

    fn log_loss(&self, scores: &Matrix, rows: &HeldOutRows<'_>) -> f64 {
        let own = |t: usize| rows.classes.iter().position(|c| *c == t);
        let total: f64 = rows.weights.iter().sum();
        if self.tempered {
            let known = scores.iter_rows().enumerate().filter_map(|(i, row)| {
                let own = own(rows.truth[i])?;
                row.iter().all(|s| s.is_finite()).then(|| Scored {
                    scores: row.to_vec(),
                    own,
                    weight: rows.weights[i],
                })
            });
            let known: Vec<Scored> = known.collect();
            let seen: f64 = known.iter().map(|r| r.weight).sum();
            let unseen = (total - seen) * log_loss_of(0.0);
            return (least_log_loss(&known) + unseen) / total;
        }
        let losses = scores.iter_rows().enumerate().map(|(i, row)| {
            let mut p = row.to_vec();
            softmax_in_place(&mut p);
            rows.weights[i] * log_loss_of(own(rows.truth[i]).map_or(0.0, |c| p[c]))
        });
        losses.sum::<f64>() / total
    }

    /// Over all folds, as something to make small, and in each of them.
    pub(super) fn of_folds(&self, folds: &[&Measured], weights: &[f64]) -> Option<(f64, Vec<f64>)> {
        let loss = |v: f64| self.score.as_loss(v);
        let mut all = Tally::new(self.n_classes);
        let (mut each, mut sum, mut weight) = (vec![], 0.0, 0.0);
        for (fold, w) in folds.iter().zip(weights) {
            match fold {
                Measured::Counts(tally) => {
                    all.merge(tally);
                    each.push(loss(self.of_tally(tally)));
                }
                Measured::Mean(Some(v)) => {
                    each.push(loss(*v));
                    sum += w * v;
                    weight += w;
                }
                Measured::Mean(None) => {}
            }
        }
        if all.total() > 0.0 {
            return Some((loss(self.of_tally(&all)), each));
        }
        (weight > 0.0).then(|| (loss(sum / weight), each))
    }

    fn of_tally(&self, tally: &Tally) -> f64 {
        match (self.score, self.positive) {
            (Score::Balanced, _) => tally.balanced_accuracy(),
            (Score::Mcc, _) => tally.mcc(),
            (Score::F1, Some(class)) => tally.f1(class),
            (Score::F1, None) => tally.macro_f1(),
            _ => tally.error(),
        }
    }
}

/// Probabilities of all classes of the data from log scores of some of them.
fn spread(scores: &[f64], classes: &[usize], n_classes: usize) -> Vec<f64> {
    let mut own = scores.to_vec();
    softmax_in_place(&mut own);
    // Two classes are ordered by their odds, also where the probabilities are 0 and 1.
    if let ([a, b], 2) = (scores, n_classes)
        && (b - a).is_finite()
    {
        own = vec![a - b, b - a];
    }
    let mut all = vec![0.0; n_classes];
    own.into_iter().zip(classes).for_each(|(p, &c)| all[c] = p);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(score: Score, tempered: bool) -> Measure {
        Measure {
            score,
            n_classes: 2,
            positive: Some(1),
            tempered,
        }
    }

    #[test]
    fn counts_of_folds_add_up_and_means_are_weighted() {
        // Two folds: all right; and one of two positives missed among four.
        let right = Matrix::from_vec(vec![2.0, 0.0, 0.0, 2.0], 2, 2);
        let missed = Matrix::from_vec(vec![2.0, 0.0, 1.0, 0.0, 0.0, 2.0, 3.0, 0.0], 4, 2);
        let rows = |truth| HeldOutRows {
            classes: &[0, 1],
            truth,
            weights: &[1.0; 4],
        };
        let value = |score: Score| {
            let m = measure(score, false);
            let folds = [
                m.of(&right, &rows(&[0, 1])),
                m.of(&missed, &rows(&[0, 1, 1, 0])),
            ];
            let folds: Vec<&Measured> = folds.iter().collect();
            m.of_folds(&folds, &[2.0, 4.0]).expect("a value")
        };
        // In all: three positives of which two are found, no false alarm.
        assert!((value(Score::F1).0 - (1.0 - 0.8)).abs() < 1e-15);
        assert!((value(Score::Balanced).0 - (1.0 - (1.0 + 2.0 / 3.0) / 2.0)).abs() < 1e-15);
        let (error, folds) = value(Score::Error);
        assert!((error - 1.0 / 6.0).abs() < 1e-15 && folds == [0.0, 0.25]);
        // Areas: 1 in the first fold; three of four pairs and no tie in the second.
        let (auc, _) = value(Score::Auc);
        assert!((auc - (1.0 - (2.0 + 4.0) / 6.0)).abs() < 1e-15, "{auc}");
    }

    #[test]
    fn a_class_that_the_fold_does_not_know_has_no_area() {
        // Two of three classes are known and perfectly ordered; a row is of the third.
        let m = Measure {
            n_classes: 3,
            positive: None,
            ..measure(Score::Auc, false)
        };
        let scores = [3.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.5, 0.0];
        let rows = HeldOutRows {
            classes: &[0, 2],
            truth: &[0, 0, 2, 1],
            weights: &[1.0; 4],
        };
        let Measured::Mean(area) = m.of(&Matrix::from_vec(scores.to_vec(), 4, 2), &rows) else {
            panic!("a mean");
        };
        assert_eq!(area, Some(1.0));
    }

    #[test]
    fn a_tempered_log_loss_ignores_the_scale_of_scores() {
        let m = measure(Score::LogLoss, true);
        let rows = HeldOutRows {
            classes: &[0, 1],
            truth: &[0, 1, 1, 0, 1],
            weights: &[1.0; 5],
        };
        let scores = [1.0, -0.5, 2.0, 0.3, 0.7];
        let value = |scale: f64| {
            let x = Matrix::from_fn(5, 2, |i, j| scale * scores[i] * f64::from(j as u8));
            match m.of(&x, &rows) {
                Measured::Mean(Some(v)) => v,
                other => panic!("{other:?}"),
            }
        };
        assert!((value(1.0) - value(3.0)).abs() < 1e-6);
    }
}
