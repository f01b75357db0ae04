//! Which of the settings tried is taken.
//!
//! All settings are judged by the same rows, so differences between them are known better than their
//! values: the standard error of a difference is that of the differences in the rows. The reference
//! is the model of all samples. It has all features unless fewer are clearly better, and the readout
//! of the lower error or, where errors are about the same, of the lower criterion: a rare class has
//! hardly any part in the error. For accuracy, the samples are then the fewest that are better than all of
//! them by a standard error (with many rows: not worse); for a small model, the fewest that are not
//! worse by one. Among many settings the least value is the luckiest one, and taking it costs
//! accuracy on small data. Where settings are chosen for a measure of the user's, it takes the place
//! of the error, and standard errors are those over folds if the rows have no part of it each.

use super::SieveSetting;
use crate::method::{CvEntry, Setting};
use crate::params::Prefer;

/// Fewer features are clearly better by this many standard errors.
const CLEARLY: f64 = 2.0;
/// Numbers of features are about as good within this many standard errors.
const ABOUT: f64 = 0.5;
/// Fewer samples may be worse by this many standard errors: for accuracy on few rows and on many,
/// and for a small model.
const WORSE: [f64; 3] = [-1.0, 0.0, 1.0];
/// So many rows are many.
const MANY_ROWS: usize = 1000;
/// For a small model, features may cost this much error...
const ERROR_FOR_SMALL: f64 = 0.01;
/// ... and this much of error and log loss together.
const CRITERION_FOR_SMALL: f64 = 0.1;

type Entry = CvEntry<SieveSetting>;

/// The setting to take, by position.
pub(super) fn choose(grid: &[Entry], prefer: Prefer) -> Option<usize> {
    let readouts = readouts(grid);
    let references = readouts.iter().filter_map(|r| reference(grid, *r));
    let mut best = references.min_by(|a, b| match a.is_scored() || about_equal(a, b) {
        true => a.criterion().total_cmp(&b.criterion()),
        false => error(a).total_cmp(&error(b)),
    })?;
    if prefer == Prefer::Small {
        let fewer = tops(grid, best.setting.softmax).filter(|e| affordable(e, best));
        best = fewer
            .min_by(|a, b| {
                let fewer = a.setting.n_features.cmp(&b.setting.n_features);
                fewer.then(a.criterion().total_cmp(&b.criterion()))
            })
            .unwrap_or(best);
    }
    let worse = match prefer {
        Prefer::Accuracy if best.row_scores.len() < MANY_ROWS => WORSE[0],
        Prefer::Accuracy => WORSE[1],
        Prefer::Small => WORSE[2],
    };
    // A path may end sooner than asked for, and longer ones are then the same.
    let enough = (0..grid.len()).filter(|&i| {
        let e = &grid[i];
        let same = e.row_scores == best.row_scores;
        e.setting.same_path(&best.setting) && (same || excess(e, best) <= worse)
    });
    enough.min_by_key(|&i| grid[i].setting.size)
}

/// The readouts tried: least squares, and softmax at ridges.
fn readouts(grid: &[Entry]) -> Vec<Option<f64>> {
    let mut readouts: Vec<Option<f64>> = vec![];
    for e in grid {
        if !readouts.contains(&e.setting.softmax) {
            readouts.push(e.setting.softmax);
        }
    }
    readouts
}

/// For every number of features and form, the most samples of a readout.
fn tops(grid: &[Entry], softmax: Option<f64>) -> impl Iterator<Item = &Entry> {
    let own = move |e: &&Entry| e.setting.softmax == softmax && e.criterion().is_finite();
    grid.iter().filter(own).filter(move |e| {
        let rivals = grid.iter().filter(own);
        !rivals
            .filter(|r| r.setting.same_path(&e.setting))
            .any(|r| r.setting.size > e.setting.size)
    })
}

/// All samples with all features. If fewer features are clearly better: the best number of them, or
/// rather the largest about as good.
fn reference(grid: &[Entry], softmax: Option<f64>) -> Option<&Entry> {
    let most = |e: &&Entry| e.setting.n_features;
    let all = tops(grid, softmax).max_by_key(most)?;
    let better = || tops(grid, softmax).filter(|e| excess(e, all) < -CLEARLY);
    let Some(best) = better().min_by(|a, b| a.criterion().total_cmp(&b.criterion())) else {
        return Some(all);
    };
    let about = better().filter(|e| excess(e, best) <= ABOUT);
    about.max_by(|a, b| {
        let worse = b.criterion().total_cmp(&a.criterion());
        most(a).cmp(&most(b)).then(worse)
    })
}

fn error(e: &Entry) -> f64 {
    e.error.unwrap_or(1.0)
}

/// Whether errors differ by less than half of the standard error that they can have at most, which
/// is that of rows on which only one of the two errs.
fn about_equal(a: &Entry, b: &Entry) -> bool {
    let rows = a.row_scores.len() as f64;
    let most = ((error(a) + error(b)) / rows).sqrt();
    (error(a) - error(b)).abs() <= 0.5 * most
}

fn affordable(e: &Entry, best: &Entry) -> bool {
    e.setting.n_features <= best.setting.n_features
        && error(e) <= error(best) + ERROR_FOR_SMALL
        && e.criterion() <= best.criterion() + CRITERION_FOR_SMALL
}

/// How much worse `e` is than `best`, in standard errors of the difference.
fn excess(e: &Entry, best: &Entry) -> f64 {
    let gap = e.criterion() - best.criterion();
    if gap == 0.0 {
        return 0.0;
    }
    let (own, others) = match e.is_scored() {
        true => (&e.fold_scores, &best.fold_scores),
        false => (&e.row_scores, &best.row_scores),
    };
    let rows = own.iter().zip(others);
    let gaps: Vec<f64> = rows.map(|(a, b)| a - b).collect();
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / n;
    let square: f64 = gaps.iter().map(|g| (g - mean).powi(2)).sum();
    let spread = (square / (n - 1.0) / n).sqrt();
    gap / spread.max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::params::Preparation;

    /// An entry with this error, and these scores of the rows.
    fn entry(
        features: usize,
        size: usize,
        softmax: Option<f64>,
        e: f64,
        scores: [f64; 4],
    ) -> Entry {
        let setting = SieveSetting {
            kernel: Kernel::Gaussian { bandwidth: 1.0 },
            prepare: Preparation::Standardize,
            ridge: 0.1,
            linear: false,
            rounds: 1,
            n_features: features,
            size,
            softmax,
            before: None,
            guided: false,
            votes: vec![],
        };
        CvEntry {
            error: Some(e),
            score: Some(scores.iter().sum::<f64>() / 4.0),
            row_scores: scores.to_vec(),
            ..CvEntry::failed(setting)
        }
    }

    /// Features, samples and readout of the choice.
    fn chosen(grid: &[Entry], prefer: Prefer) -> (usize, usize, Option<f64>) {
        let s = &grid[choose(grid, prefer).expect("there are settings")].setting;
        (s.n_features, s.size, s.softmax)
    }

    #[test]
    fn samples_go_where_that_is_better_or_where_it_is_not_worse() {
        let mut grid = vec![
            // Worse in every row, though by less than the rows differ from each other.
            entry(4, 10, None, 0.2, [0.31, 0.51, 0.71, 0.91]),
            // Worse on average, and better in some rows.
            entry(4, 50, None, 0.2, [0.32, 0.49, 0.71, 0.89]),
            entry(4, 100, None, 0.2, [0.30, 0.50, 0.70, 0.90]),
        ];
        assert_eq!(chosen(&grid, Prefer::Accuracy), (4, 100, None));
        assert_eq!(chosen(&grid, Prefer::Small), (4, 50, None));
        // The path ends at 80 samples.
        grid.push(entry(4, 80, None, 0.2, [0.30, 0.50, 0.70, 0.90]));
        assert_eq!(chosen(&grid, Prefer::Accuracy), (4, 80, None));
        grid.push(entry(4, 70, None, 0.2, [0.29, 0.49, 0.69, 0.89]));
        assert_eq!(chosen(&grid, Prefer::Accuracy), (4, 70, None));
    }

    #[test]
    fn features_go_only_where_that_is_clearly_better() {
        let mut grid = vec![
            entry(8, 100, None, 0.2, [0.30, 0.50, 0.70, 0.90]),
            entry(4, 100, None, 0.2, [0.25, 0.55, 0.60, 0.95]),
        ];
        assert_eq!(chosen(&grid, Prefer::Accuracy).0, 8);
        // No point of error is lost, so a small model takes them.
        assert_eq!(chosen(&grid, Prefer::Small).0, 4);
        // Two features and three clearly beat eight, and two are about as good as three.
        grid.push(entry(3, 100, None, 0.1, [0.20, 0.40, 0.60, 0.80]));
        grid.push(entry(2, 100, None, 0.1, [0.19, 0.41, 0.60, 0.798]));
        assert_eq!(chosen(&grid, Prefer::Accuracy).0, 3);
    }

    #[test]
    fn readouts_are_compared_by_errors_that_differ_and_else_by_log_loss() {
        let softmax = Some(0.125);
        let with_errors = |squares: f64, other: f64| {
            let mut grid = [
                entry(4, 100, None, squares, [0.40; 4]),
                entry(4, 100, softmax, other, [0.41; 4]),
            ];
            for e in &mut grid {
                e.row_scores = e.row_scores.repeat(50);
            }
            chosen(&grid, Prefer::Accuracy)
        };
        // Of 200 rows, ten errors more are something, and two are nothing.
        assert_eq!(with_errors(0.10, 0.05), (4, 100, softmax));
        assert_eq!(with_errors(0.10, 0.09), (4, 100, None));
    }

    #[test]
    fn a_small_model_costs_at_most_a_point() {
        let grid = [
            entry(8, 100, None, 0.200, [0.5; 4]),
            entry(4, 100, None, 0.205, [0.52; 4]),
            entry(2, 100, None, 0.220, [0.53; 4]),
            entry(1, 100, None, 0.205, [0.90; 4]),
        ];
        assert_eq!(chosen(&grid, Prefer::Small).0, 4);
        assert_eq!(chosen(&grid, Prefer::Accuracy).0, 8);
    }
}
