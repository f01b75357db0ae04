//! Arms that are clearly behind after some folds skip the others.
//!
//! After two folds and each one after that, the arm whose best setting has the fewest wrong rows
//! leads. An arm leaves when its best setting has more by over two standard deviations of the
//! difference. By chance, two rules that err on `a` and `b` rows differ with a standard deviation
//! of at most `sqrt(a + b)` rows.

use super::table::Score;

/// Folds that every arm runs.
const FOLDS_FOR_ALL: usize = 2;

pub(super) struct Race {
    /// Wrong rows so far of every setting of every arm; infinite for one that failed.
    wrong: Vec<Vec<f64>>,
    folds: usize,
    /// Mean weight of a row, to count rows rather than weights.
    unit: f64,
    /// After how many folds each arm left.
    pub(super) left_after: Vec<Option<usize>>,
}

impl Race {
    pub(super) fn new<S>(arms: &[Vec<S>], unit: f64) -> Self {
        Self {
            wrong: arms.iter().map(|a| vec![0.0; a.len()]).collect(),
            folds: 0,
            unit,
            left_after: vec![None; arms.len()],
        }
    }

    /// Adds the scores of a fold, and drops arms.
    pub(super) fn after_fold(&mut self, scores: &[Vec<Option<Score>>]) {
        self.folds += 1;
        for (total, fold) in self.wrong.iter_mut().zip(scores) {
            for (total, score) in total.iter_mut().zip(fold) {
                *total += score
                    .as_ref()
                    .map_or(f64::INFINITY, |s| s.wrong / self.unit);
            }
        }
        if self.folds < FOLDS_FOR_ALL {
            return;
        }
        let best: Vec<f64> = self
            .wrong
            .iter()
            .map(|w| w.iter().copied().fold(f64::INFINITY, f64::min))
            .collect();
        let lead = best.iter().copied().fold(f64::INFINITY, f64::min);
        for (left, wrong) in self.left_after.iter_mut().zip(best) {
            if left.is_none() && lead.is_finite() && wrong - lead > 2.0 * (wrong + lead).sqrt() {
                *left = Some(self.folds);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arms_that_are_clearly_behind_leave() {
        let arms = vec![vec![(); 2]; 3];
        let fold = |wrong: [f64; 3]| -> Vec<Vec<Option<Score>>> {
            let score = |w: f64| {
                Some(Score {
                    wrong: w,
                    log_loss: 0.0,
                    kept: None,
                    measured: None,
                    scores: None,
                })
            };
            wrong
                .iter()
                .map(|&w| vec![score(w), score(w + 5.0)])
                .collect()
        };
        let mut race = Race::new(&arms, 1.0);
        race.after_fold(&fold([1.0, 2.0, 30.0]));
        assert_eq!(race.left_after, [None; 3]);
        race.after_fold(&fold([1.0, 2.0, 30.0]));
        assert_eq!(race.left_after, [None, None, Some(2)]);
        // Rescaled weights change nothing.
        let mut heavy = Race::new(&arms, 1000.0);
        for _ in 0..2 {
            heavy.after_fold(&fold([1000.0, 2000.0, 30_000.0]));
        }
        assert_eq!(heavy.left_after, race.left_after);
        race.after_fold(&fold([1.0, 2.0, 0.0]));
        assert_eq!(race.left_after, [None, None, Some(2)]);
    }
}
