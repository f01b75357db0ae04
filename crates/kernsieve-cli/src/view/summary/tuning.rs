//! What was tried to choose the settings, and the results.

use super::settings;
use super::trial::{self, Cell, Column};
use kernsieve::method::{CvEntry, Press};
use kernsieve::model::{CurvePoint, CvTable, Model};
use kernsieve::params::{Rule, Score, Validation};
use serde_json::{Value, json};

/// A validation of settings.
pub struct Tuning<'m> {
    /// How they were compared.
    pub validation: Validation,
    /// What settings were chosen for, where the user said.
    pub score: Option<Score>,
    /// Whether log losses are before the calibration that the model has.
    pub uncalibrated: bool,
    /// Whether the errors of the table are before that calibration, too, which leans on shares.
    pub undecided: bool,
    /// Error of the model, before costs and a threshold.
    pub error: Option<f64>,
    /// Its standard error.
    pub standard_error: f64,
    /// Number of folds.
    pub folds: usize,
    /// By which rule one of them was taken.
    pub rule: Rule,
    /// By how much the least error is too small because it is the least of many.
    pub optimism: f64,
    /// Titles of the settings that differ, the kernel first.
    pub columns: Vec<&'static str>,
    /// What was tried, in order of preference.
    pub trials: Vec<Trial<'m>>,
    /// Position of the chosen one.
    pub chosen: usize,
    /// Error against size for the chosen kernel, where sizes were tried.
    pub curve: &'m [CurvePoint],
    /// Error against the number of features, where both sizes were tried.
    pub feature_curve: &'m [CurvePoint],
    /// Features that the chosen trial keeps, where their number was tried.
    pub chosen_features: Option<usize>,
    /// Rows that the chosen trial retains, where their number was tried.
    pub chosen_rows: Option<usize>,
    /// Rows or features of the model, where it takes them step by step.
    pub chosen_step: Option<usize>,
}

/// Settings that were tried.
pub struct Trial<'m> {
    /// Values under the titles of the table; `None` if the setting does not apply.
    pub cells: Vec<Option<Cell>>,
    /// The penalty that drops features.
    pub penalty: Option<f64>,
    /// The bandwidth of the kernel that reads the features.
    pub bandwidth: Option<f64>,
    /// The squared-norm penalty, or that of the posteriors.
    pub ridge: Option<f64>,
    /// Whether everything but the penalty is as in the chosen trial.
    pub is_on_path: bool,
    /// The value by which trials are compared; infinite if the trial failed.
    pub criterion: f64,
    /// Error; `None` if it failed or was dropped.
    pub error: Option<f64>,
    /// Its standard error.
    pub standard_error: f64,
    /// Mean of `-log p` of the true class.
    pub log_loss: Option<f64>,
    /// The criterion, if it is not the error.
    pub score: Option<f64>,
    /// Leave-one-out by formula.
    pub press: Option<Press>,
    /// After how many folds it was dropped.
    pub left_after: Option<usize>,
    /// In how many folds each feature was kept, of the chosen trial.
    pub feature_folds: &'m [usize],
    entry: &'m CvEntry,
}

impl Trial<'_> {
    /// Everything that is known about it.
    pub fn to_json(&self) -> Value {
        json!(self.entry)
    }
}

impl<'m> Tuning<'m> {
    /// Reads it from a model, if there is one.
    pub fn new(model: &'m Model) -> Option<Self> {
        let cv = model.record.cv.as_ref()?;
        let columns = trial::columns(cv);
        Some(Self {
            // One fold is a split, also where the method asked for it.
            validation: match settings::plan(model).validation {
                Validation::Folds if cv.folds == 1 => Validation::Split,
                asked => asked,
            },
            score: model.record.options.protocol.score,
            uncalibrated: model.temperature != 1.0 || !model.shifts.is_empty(),
            undecided: cv.calibrated.is_some(),
            error: cv.error(),
            standard_error: cv.standard_error(),
            folds: cv.folds,
            rule: cv.rule,
            optimism: cv.optimism,
            columns: columns.iter().map(|c| c.title).collect(),
            trials: cv.grid.iter().map(|e| trial(e, cv, &columns)).collect(),
            chosen: cv.chosen,
            curve: &cv.curve,
            feature_curve: &cv.feature_curve,
            chosen_features: trial::features(cv.best()),
            chosen_rows: trial::rows(cv.best()),
            chosen_step: settings::step(model),
        })
    }

    /// The chosen trial.
    pub fn best(&self) -> &Trial<'m> {
        &self.trials[self.chosen]
    }
}

fn trial<'m>(entry: &'m CvEntry, cv: &CvTable, columns: &[&Column]) -> Trial<'m> {
    Trial {
        cells: columns.iter().map(|c| c.cell(entry)).collect(),
        penalty: trial::penalty(entry),
        bandwidth: trial::bandwidth(entry),
        ridge: trial::ridge(entry),
        is_on_path: trial::is_same_but_for_penalty(entry, cv.best()),
        criterion: entry.criterion(),
        error: entry.error,
        standard_error: entry.standard_error,
        log_loss: entry.log_loss,
        score: entry.score,
        press: entry.press,
        left_after: entry.left_after,
        feature_folds: &entry.feature_folds,
        entry,
    }
}
