//! Arms that are clearly behind after some folds skip the others.
//!
//! After two folds and each one after that, the setting with the fewest wrong rows leads. An arm
//! leaves when its best setting has more by over two standard deviations of the difference. By
//! chance, two rules that err on `a` and `b` rows differ with a standard deviation of at most
//! `sqrt(a + b)` rows. Where a method allows it, so do the last settings of an arm that stays.

use super::table::Score;

/// Folds that every arm runs.
const FOLDS_FOR_ALL: usize = 2;

pub(super) struct Race {
    /// Wrong rows so far of every setting of every arm; infinite for one that failed.
    wrong: Vec<Vec<f64>>,
    folds: usize,
    /// Mean weight of a row, to count rows rather than weights.
    unit: f64,
    /// Whether the last settings of an arm may leave before the others.
    shortens: bool,
    /// After how many folds each setting of each arm left.
    pub(super) left_after: Vec<Vec<Option<usize>>>,
}

impl Race {
    pub(super) fn new<S>(arms: &[Vec<S>], unit: f64, shortens: bool) -> Self {
        Self {
            wrong: arms.iter().map(|a| vec![0.0; a.len()]).collect(),
            folds: 0,
            unit,
            shortens,
            left_after: arms.iter().map(|a| vec![None; a.len()]).collect(),
        }
    }

    /// How many settings of an arm, from the first on, still run.
    pub(super) fn running(&self, arm: usize) -> usize {
        let left = &self.left_after[arm];
        left.iter().take_while(|l| l.is_none()).count()
    }

    /// Adds the scores of a fold, and drops what is behind.
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
        let lead = self.wrong.iter().flatten().copied();
        let lead = lead.fold(f64::INFINITY, f64::min);
        if !lead.is_finite() {
            return;
        }
        let behind = |wrong: f64| wrong - lead > 2.0 * (wrong + lead).sqrt();
        for (left, wrong) in self.left_after.iter_mut().zip(&self.wrong) {
            let last = wrong.iter().rposition(|w| !behind(*w));
            // An arm that stays keeps all settings where it must not become shorter.
            let stays = match last {
                None => 0,
                Some(last) if self.shortens => last + 1,
                Some(_) => wrong.len(),
            };
            for left in left.iter_mut().skip(stays).filter(|l| l.is_none()) {
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
        let all = [vec![None; 2], vec![None; 2], vec![None; 2]];
        let mut race = Race::new(&arms, 1.0, false);
        race.after_fold(&fold([1.0, 2.0, 30.0]));
        assert_eq!(race.left_after, all);
        race.after_fold(&fold([1.0, 2.0, 30.0]));
        let gone = [vec![None; 2], vec![None; 2], vec![Some(2); 2]];
        assert_eq!(race.left_after, gone);
        // Rescaled weights change nothing.
        let mut heavy = Race::new(&arms, 1000.0, false);
        for _ in 0..2 {
            heavy.after_fold(&fold([1000.0, 2000.0, 30_000.0]));
        }
        assert_eq!(heavy.left_after, race.left_after);
        race.after_fold(&fold([1.0, 2.0, 0.0]));
        assert_eq!(race.left_after, gone);
        // The second settings have ten wrong rows more than the first: too many against two.
        let mut shorter = Race::new(&arms, 1.0, true);
        (0..2).for_each(|_| shorter.after_fold(&fold([1.0, 2.0, 30.0])));
        let gone = [vec![None, Some(2)], vec![None, Some(2)], vec![Some(2); 2]];
        assert_eq!(shorter.left_after, gone);
        assert_eq!([0, 1, 2].map(|a| shorter.running(a)), [1, 1, 0]);
    }
}
