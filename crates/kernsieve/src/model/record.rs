//! How a model was trained: what was asked for, what was tried, what was chosen.

use crate::method::density::DensityRecord;
use crate::method::{Chosen, CvEntry, FitReport, Setting};
use crate::params::{Params, Protocol, Rule};
use serde::{Deserialize, Serialize};

/// How a model was trained. It holds no times or dates: the same data, seed and version give the
/// same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// Version of kernsieve that trained it.
    pub version: String,
    /// Method, by its name on the command line.
    pub method: String,
    /// What was asked for.
    pub options: Asked,
    /// The setting that was chosen.
    #[serde(rename = "candidate")]
    pub setting: Chosen,
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
    /// How the method was chosen, if that was left open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<AutoRecord>,
    /// What each feature is worth, where that was measured; most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub importances: Vec<Importance>,
    /// How the density was found, if the model is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<DensityRecord>,
}

/// What shuffling a feature costs on rows that a fit has not seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// The feature.
    pub feature: usize,
    /// Increase of the error.
    pub error: f64,
    /// Its standard error over folds.
    pub error_se: f64,
    /// Increase of the mean log loss.
    pub log_loss: f64,
    /// Its standard error over folds.
    pub log_loss_se: f64,
}

/// What was asked for: the protocol, and the parameters of the method by id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The settings that all methods share.
    #[serde(flatten)]
    pub protocol: Protocol,
    /// Parameters of the method. Older files have those of all methods.
    #[serde(flatten)]
    pub params: Params,
}

impl Asked {
    /// A parameter that is a number.
    pub fn number(&self, id: &str) -> Option<f64> {
        self.params.get(id)?.as_f64()
    }

    /// A parameter that is a whole number.
    pub fn count(&self, id: &str) -> Option<usize> {
        self.params
            .get(id)?
            .as_u64()
            .and_then(|v| v.try_into().ok())
    }

    /// A parameter that is a word.
    pub fn word(&self, id: &str) -> Option<&str> {
        self.params.get(id)?.as_str()
    }
}

/// How a method was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutoRecord {
    /// What was tried, round by round; the best of each round comes first.
    pub entries: Vec<AutoEntry>,
    /// Why this one, in words.
    pub why: String,
}

/// A method in a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutoEntry {
    /// Its name.
    pub method: String,
    /// Rows of the round.
    pub rows: usize,
    /// Cross-validated error of its best setting, if it finished.
    pub error: Option<f64>,
    /// By how much that error is too small because it is the least of many ([`CvTable::optimism`]);
    /// methods are compared by the sum.
    #[serde(default)]
    pub optimism: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// How many numbers its model holds.
    pub size: Option<usize>,
    /// Why it was left out or dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The whole table of a cross-validation, settings in order of preference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "S: serde::de::DeserializeOwned"))]
pub struct CvTable<S = Chosen> {
    /// Number of folds.
    pub folds: usize,
    /// One entry per setting, preferred ones first.
    pub grid: Vec<CvEntry<S>>,
    /// Position of the chosen setting.
    pub chosen: usize,
    /// How it was chosen.
    pub rule: Rule,
    /// By how much the least error of the table is too small on average because it is the least of
    /// many: the mean over folds of the chosen candidate's error less the smallest error in that
    /// fold (Tibshirani & Tibshirani 2009).
    pub optimism: f64,
    /// Error against size for the chosen kernel and ridge, where sizes were tried; `grid` then
    /// holds the best size of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// Error against the number of features, each at its best number of samples, where both were
    /// tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feature_curve: Vec<CurvePoint>,
}

/// A point of the curve of error against size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Retained samples, or imported features.
    pub size: usize,
    /// Cross-validated error.
    pub error: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Cross-validated log loss.
    pub log_loss: f64,
    /// Mean of squared leave-one-out residuals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub press: Option<f64>,
}

impl<S: Clone> CvTable<S> {
    /// The same table, with the error of the chosen entry taken from another validation of that
    /// setting alone.
    pub(crate) fn with_error_of(mut self, other: &Self) -> Self {
        let (from, to) = (other.best().clone(), &mut self.grid[self.chosen]);
        (to.error, to.standard_error, to.log_loss) =
            (from.error, from.standard_error, from.log_loss);
        to.fold_errors = from.fold_errors;
        self.folds = other.folds;
        // No optimism: the setting was not chosen by this error.
        self.optimism = 0.0;
        self
    }

    /// The chosen entry.
    pub fn best(&self) -> &CvEntry<S> {
        &self.grid[self.chosen]
    }
}

impl<S: Setting> CvTable<S> {
    /// The same with the type of the settings erased.
    pub(crate) fn erased(self) -> CvTable {
        CvTable {
            folds: self.folds,
            grid: self.grid.into_iter().map(CvEntry::erased).collect(),
            chosen: self.chosen,
            rule: self.rule,
            optimism: self.optimism,
            curve: self.curve,
            feature_curve: self.feature_curve,
        }
    }
}

/// The optimism of choosing entry `chosen`: zero for a single setting.
pub(crate) fn optimism<S>(grid: &[CvEntry<S>], chosen: usize) -> f64 {
    let best = &grid[chosen];
    let fitted: Vec<&CvEntry<S>> = grid.iter().filter(|e| e.error.is_some()).collect();
    let gaps = (0..best.fold_errors.len()).map(|k| {
        let least = fitted
            .iter()
            .map(|e| e.fold_errors[k])
            .fold(f64::INFINITY, f64::min);
        best.fold_errors[k] - least
    });
    gaps.sum::<f64>() / best.fold_errors.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(fold_errors: Vec<f64>) -> CvEntry {
        CvEntry {
            error: Some(fold_errors.iter().sum::<f64>() / fold_errors.len() as f64),
            fold_errors,
            ..CvEntry::failed(Chosen::default())
        }
    }

    #[test]
    fn optimism_is_the_gap_to_each_folds_own_best() {
        let grid = vec![entry(vec![0.1, 0.3]), entry(vec![0.3, 0.2])];
        assert!((optimism(&grid, 0) - 0.05).abs() < 1e-15);
    }

    #[test]
    fn protocol_and_parameters_share_one_object() {
        let asked: Asked = serde_json::from_value(json!({
            "folds": 7, "seed": 3, "ridge": 0.5, "kernel": "gaussian", "priors": {"given": [0.5, 0.5]},
        }))
        .expect("reads");
        assert_eq!((asked.protocol.folds, asked.protocol.seed), (7, 3));
        assert_eq!(asked.number("ridge"), Some(0.5));
        assert!(!asked.params.contains_key("folds"));
        let again = serde_json::to_value(&asked).expect("plain");
        assert_eq!(
            serde_json::from_value::<Asked>(again).expect("reads"),
            asked
        );
    }
}
