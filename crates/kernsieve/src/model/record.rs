//! How a model was trained: what was asked for, what was tried, what was chosen.

use crate::method::density::DensityRecord;
use crate::method::{Chosen, CvEntry, FitReport, Setting};
use crate::metrics::{normal_interval, wilson_of_share};
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
    /// Costs of errors on rows of each class that the threshold was found for; empty where there are
    /// none, or where they weigh the probabilities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<f64>,
    /// Error on the training rows.
    pub train_error: f64,
    /// The whole cross-validation table.
    pub cv: Option<CvTable>,
    /// How held-out rows fared with the chosen setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Assessment>,
    /// How the method was chosen, if that was left open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<AutoRecord>,
    /// What each feature is worth, where that was measured; most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub importances: Vec<Importance>,
    /// Numbers of rows that were added later, one per update; the error and everything about
    /// settings belong to the rows before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<usize>,
    /// How the density was found, if the model is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<DensityRecord>,
}

/// How held-out rows fared: each predicted by a fit without its fold, with the calibration, the costs
/// and the threshold of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Rows that were held out.
    pub rows: usize,
    /// Share that was predicted wrongly.
    pub error: f64,
    /// Mean of `-log p` of the true class, over rows of classes that the fold knew, with the
    /// probabilities before costs. `None` if there are no such rows.
    pub log_loss: Option<f64>,
    /// Number of such rows, where they are not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_loss_rows: Option<usize>,
    /// Area below the receiver operating characteristic of these rows together; for many classes
    /// the mean of each against the rest, over rows of folds that knew the class.
    pub auc: Option<f64>,
    /// Mean share found of each class.
    pub balanced_accuracy: f64,
    /// F1 of the positive class; for many classes the mean.
    pub f1: f64,
    /// Matthews' correlation coefficient.
    pub mcc: f64,
    /// What always saying the same would have.
    pub baseline: Baseline,
    /// Classes that were never predicted, by position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_predicted: Vec<usize>,
    /// Two classes: what other thresholds would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutting: Option<Cutting>,
}

/// What needs no features: always the largest class, with the shares of the classes as
/// probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Position of the largest class.
    pub class: usize,
    /// Share of rows of other classes.
    pub error: f64,
    /// Log loss of the shares.
    pub log_loss: f64,
}

/// Two classes divided at different thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cutting {
    /// Position of the positive class.
    pub positive: usize,
    /// Average precision: the area below precision against recall.
    pub average_precision: f64,
    /// Share of positive rows, which is the precision of calling all rows positive.
    pub share: f64,
    /// Some thresholds, the highest first.
    pub points: Vec<CutPoint>,
    /// At the threshold of the model.
    pub chosen: CutPoint,
}

/// What a threshold does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CutPoint {
    /// The least probability of a row that is called positive.
    pub threshold: f64,
    /// Share of the positive rows that are called so.
    pub recall: f64,
    /// Share of the rows called positive that are.
    pub precision: f64,
    /// Share of the other rows that are called positive.
    pub false_alarms: f64,
}

/// The error to expect on new rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The cross-validated error, and what choosing the best of many settings adds.
    pub error: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl TrainingRecord {
    /// The error to expect on new rows: that of held-out rows plus the optimism of the choice. Its
    /// interval is the wider one of the normal one with the standard error over folds and that of a
    /// proportion of so many rows.
    pub fn expected(&self) -> Option<Expected> {
        let cv = self.cv.as_ref()?;
        let own = self.assessment.as_ref();
        // Costs and thresholds change the error; the optimism is that of the choice before them.
        let decided =
            self.options.protocol.threshold.is_some() || !self.options.protocol.costs.is_empty();
        let measured = own.map(|a| a.error).filter(|_| decided);
        let error = (measured.or(cv.error())? + cv.optimism).min(1.0);
        let rows = own.map_or(self.n_rows, |a| a.rows);
        let (low, high) = wilson_of_share(error, rows as f64);
        let (by_folds_low, by_folds_high) = normal_interval(error, cv.standard_error());
        Some(Expected {
            error,
            low: low.min(by_folds_low),
            high: high.max(by_folds_high),
        })
    }
}

/// What shuffling a feature costs on rows that a fit has not seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// The feature.
    pub feature: usize,
    /// Increase of the error.
    pub error: f64,
    /// Its standard error over folds, corrected for the training rows that they share.
    pub error_se: f64,
    /// Increase of the mean log loss.
    pub log_loss: f64,
    /// Its standard error over folds, corrected in the same way.
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
    /// The measure that methods are compared by, as something to make small, if it is not the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Log loss of held-out rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
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
    /// The error of the chosen setting with calibrated probabilities, where these decide otherwise
    /// than the scores; the entries have the errors of the scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<Calibrated>,
    /// By how much the least error of the table is too small on average because it is the least of
    /// many: the mean over folds of the chosen candidate's error less the smallest error in that
    /// fold (Tibshirani & Tibshirani 2009).
    pub optimism: f64,
    /// The same for the measure that settings are chosen for, if the user named one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub score_optimism: f64,
    /// Error against size for the chosen kernel and ridge, where sizes were tried; `grid` then
    /// holds the best size of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// Error against the number of features, each at its best number of samples, where both were
    /// tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feature_curve: Vec<CurvePoint>,
}

/// The cross-validated error of probabilities that lean on the shares of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibrated {
    /// Share of held-out rows whose most probable class is another one.
    pub error: f64,
    /// Its standard error.
    pub standard_error: f64,
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
        self.score_optimism = 0.0;
        self
    }

    /// The chosen entry.
    pub fn best(&self) -> &CvEntry<S> {
        &self.grid[self.chosen]
    }

    /// The cross-validated error of the model, before costs and a threshold.
    pub fn error(&self) -> Option<f64> {
        self.calibrated.map(|c| c.error).or(self.best().error)
    }

    /// Its standard error.
    pub fn standard_error(&self) -> f64 {
        let own = self.calibrated.map(|c| c.standard_error);
        own.unwrap_or(self.best().standard_error)
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
            calibrated: self.calibrated,
            optimism: self.optimism,
            score_optimism: self.score_optimism,
            curve: self.curve,
            feature_curve: self.feature_curve,
        }
    }
}

/// The optimism of choosing entry `chosen` by values in folds: zero for a single setting.
pub(crate) fn optimism<S: Setting>(
    grid: &[CvEntry<S>],
    chosen: usize,
    values: impl Fn(&CvEntry<S>) -> &[f64],
) -> f64 {
    let (own, setting) = (values(&grid[chosen]), &grid[chosen].setting);
    let fitted = grid.iter().filter(|e| e.error.is_some());
    let rivals: Vec<&[f64]> = fitted
        .filter(|e| setting.is_rival(&e.setting))
        .map(&values)
        .collect();
    let gaps = own.iter().enumerate().map(|(k, v)| {
        let others = rivals.iter().filter_map(|r| r.get(k).copied());
        v - others.fold(*v, f64::min)
    });
    gaps.sum::<f64>() / own.len().max(1) as f64
}

fn is_zero(v: &f64) -> bool {
    *v == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::method::OnlyKernel;
    use serde_json::json;

    fn entry(fold_errors: Vec<f64>) -> CvEntry<OnlyKernel> {
        CvEntry {
            error: Some(fold_errors.iter().sum::<f64>() / fold_errors.len() as f64),
            fold_errors,
            ..CvEntry::failed(OnlyKernel {
                kernel: Kernel::Linear,
            })
        }
    }

    #[test]
    fn optimism_is_the_gap_to_each_folds_own_best() {
        let grid = vec![entry(vec![0.1, 0.3]), entry(vec![0.3, 0.2])];
        assert!((optimism(&grid, 0, |e| &e.fold_errors) - 0.05).abs() < 1e-15);
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
