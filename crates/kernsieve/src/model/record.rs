//! How a model came about: what was asked, what was tried, what was chosen.

use crate::method::{Candidate, FitReport, Options, Rule};
use serde::{Deserialize, Serialize};

/// How a model came about. Holds no times or dates: the same data, seed and version give the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// Version of kernsieve that trained it.
    pub version: String,
    /// Method, by its name on the command line.
    pub method: String,
    /// What the user asked for.
    pub options: Options,
    /// The settings that were chosen.
    pub candidate: Candidate,
    /// How the fit went.
    pub report: FitReport,
    /// Training rows.
    pub n_rows: usize,
    /// Training rows in each class.
    pub class_counts: Vec<usize>,
    /// Error on the training rows.
    pub train_error: f64,
    /// The whole cross-validation table.
    pub cv: Option<CvTable>,
}

/// The whole table of a cross-validation, candidates in order of preference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CvTable {
    /// Number of folds.
    pub folds: usize,
    /// One entry per candidate, preferred ones first.
    pub grid: Vec<CvEntry>,
    /// Position of the chosen candidate.
    pub chosen: usize,
    /// How it was chosen.
    pub rule: Rule,
}

/// What cross-validation says of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CvEntry {
    /// The settings.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Misclassified held-out rows over all rows; `None` when the candidate could not be fitted in some fold.
    pub error: Option<f64>,
    /// Standard error of the mean over folds.
    pub standard_error: f64,
    /// Mean of `-log p` of the true class over held-out rows.
    pub log_loss: Option<f64>,
    /// Error in each fold.
    pub fold_errors: Vec<f64>,
}

impl CvTable {
    /// The chosen entry.
    pub fn best(&self) -> &CvEntry {
        &self.grid[self.chosen]
    }

    /// By how much the least error of a table is too small on average because it is the least of many: the mean over folds
    /// of the chosen candidate's error less the smallest error in that fold (Tibshirani & Tibshirani 2009). Zero for a
    /// single candidate.
    pub fn optimism(&self) -> f64 {
        let best = self.best();
        let gaps: Vec<f64> = (0..best.fold_errors.len())
            .map(|k| {
                let least = self
                    .grid
                    .iter()
                    .filter(|e| e.error.is_some())
                    .filter_map(|e| e.fold_errors.get(k).copied())
                    .fold(f64::INFINITY, f64::min);
                best.fold_errors[k] - least
            })
            .collect();
        gaps.iter().sum::<f64>() / gaps.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    fn entry(fold_errors: Vec<f64>) -> CvEntry {
        CvEntry {
            candidate: Candidate {
                kernel: Kernel::Linear,
                ridge: None,
            },
            error: Some(fold_errors.iter().sum::<f64>() / fold_errors.len() as f64),
            standard_error: 0.0,
            log_loss: None,
            fold_errors,
        }
    }

    #[test]
    fn optimism_is_the_gap_to_each_folds_own_best() {
        let grid = vec![entry(vec![0.1, 0.3]), entry(vec![0.3, 0.2])];
        let table = CvTable {
            folds: 2,
            grid,
            chosen: 0,
            rule: Rule::Min,
        };
        assert!((table.optimism() - 0.05).abs() < 1e-15);
    }
}
