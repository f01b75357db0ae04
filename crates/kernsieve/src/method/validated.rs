//! What a validation says of candidates.

use super::Candidate;
use serde::{Deserialize, Serialize};

/// What cross-validation says of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CvEntry {
    /// The settings.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// After how many folds it was given up because others were clearly better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_after: Option<usize>,
    /// What decides where it is not the error: error plus log loss, see [`super::Ranking`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Misclassified held-out rows over all rows; `None` when the candidate could not be fitted in
    /// some fold, or was given up.
    pub error: Option<f64>,
    /// Standard error of the mean over folds.
    pub standard_error: f64,
    /// Mean of `-log p` of the true class over held-out rows.
    pub log_loss: Option<f64>,
    /// Error in each fold.
    pub fold_errors: Vec<f64>,
    /// In how many folds each feature had a weight that is not zero; of the chosen candidate only,
    /// where weights are learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feature_folds: Vec<usize>,
    /// Leave-one-out by formula: mean squared residual of the scored responses (PRESS / n), which
    /// is what decides then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub press: Option<Press>,
}

/// A mean of squared leave-one-out residuals, with its standard error over the rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Press {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl CvEntry {
    /// What candidates are compared by: the error, the score where the method has one, or PRESS in
    /// leave-one-out; infinite where the candidate failed.
    pub fn criterion(&self) -> f64 {
        let own = self.press.map(|p| p.mean).or(self.score);
        own.or(self.error).unwrap_or(f64::INFINITY)
    }

    /// Standard error of [`Self::criterion`].
    pub fn criterion_error(&self) -> f64 {
        self.press.map_or(self.standard_error, |p| p.standard_error)
    }
}
