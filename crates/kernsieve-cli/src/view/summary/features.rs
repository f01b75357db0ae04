//! The features of a model: their weights, their coefficients, and the path along which they were
//! added or dropped.

use super::coefficients::{ClassCoefficients, CoefficientKind, coefficients};
use super::{settings, trial};
use kernsieve::model::{CurvePoint, Importance, Model};

/// The features of a model.
pub struct Features<'m> {
    /// Their names.
    pub names: Vec<String>,
    /// Their weights; 0 means that the model does not use the feature.
    pub weights: &'m [f64],
    /// Whether the method learned the weights.
    pub is_weighted: bool,
    /// Whether the folds had a vote on them.
    pub is_voted: bool,
    /// In how many folds each was kept; empty where that was not counted.
    pub folds: &'m [usize],
    /// In order of import, where they are imported.
    pub imported: &'m [usize],
    /// What the coefficients are of, where there are any, and these class by class.
    pub coefficients: Option<(CoefficientKind, Vec<ClassCoefficients>)>,
    /// What each feature is worth on rows that a fit has not seen, most important first; empty
    /// where that was not measured.
    pub importances: &'m [Importance],
    /// The linear part beside the kernel: features that are used x outputs, row by row.
    pub linear: Option<Vec<&'m [f64]>>,
    /// The steps of a selection of rows or features, or of a path of penalties.
    pub path: Vec<Step<'m>>,
}

/// A step of a selection, or a penalty of a path.
pub struct Step<'m> {
    /// Rows, features or coefficients after it.
    pub size: usize,
    /// The row that entered.
    pub row: Option<usize>,
    /// The feature that entered.
    pub feature: Option<usize>,
    /// The feature that would have entered in its place, and the objective with it.
    pub runner_up: Option<(usize, f64)>,
    /// The features that it stands for.
    pub associated: &'m [usize],
    /// The penalty.
    pub penalty: Option<f64>,
    /// Features with their weights.
    pub weights: &'m [(usize, f64)],
    /// The objective after it.
    pub objective: f64,
    /// Error on the training rows.
    pub train_error: Option<f64>,
    /// The cross-validation result at this size.
    pub point: Option<&'m CurvePoint>,
    /// The cross-validated error at this penalty.
    pub error_at_penalty: Option<f64>,
}

impl Step<'_> {
    /// The cross-validated error after it.
    pub fn cv_error(&self) -> Option<f64> {
        match self.penalty {
            None => self.point.map(|p| p.error),
            Some(_) => self.error_at_penalty,
        }
    }
}

impl<'m> Features<'m> {
    /// Reads them from a model.
    pub fn new(model: &'m Model) -> Self {
        let cv = model.record.cv.as_ref();
        Self {
            names: model.feature_names(),
            weights: model.feature_weights(),
            is_weighted: settings::learns_weights(model),
            is_voted: settings::is_voted(model),
            folds: cv
                .filter(|cv| cv.folds > 1)
                .map_or(&[], |cv| &cv.best().feature_folds),
            imported: &model.record.report.imported,
            coefficients: coefficients(model),
            importances: &model.record.importances,
            linear: linear(model),
            path: path(model),
        }
    }

    /// How many there are.
    pub fn total(&self) -> usize {
        self.weights.len()
    }

    /// Those that the model uses.
    pub fn used(&self) -> Vec<usize> {
        let all = 0..self.weights.len();
        all.filter(|&j| self.weights[j] != 0.0).collect()
    }

    /// Those that it does not use.
    pub fn dropped(&self) -> Vec<usize> {
        let all = 0..self.weights.len();
        all.filter(|&j| self.weights[j] == 0.0).collect()
    }

    /// Those that the model uses, most important first where that was measured, then by weight.
    pub fn ranked(&self) -> Vec<usize> {
        let mut ranked: Vec<usize> = self.importances.iter().map(|i| i.feature).collect();
        ranked.retain(|&j| self.weights[j] != 0.0);
        let mut rest = self.used();
        rest.retain(|j| !ranked.contains(j));
        rest.sort_by(|&a, &b| self.weights[b].abs().total_cmp(&self.weights[a].abs()));
        ranked.extend(rest);
        ranked
    }

    /// What a feature is worth, where that was measured.
    pub fn importance(&self, feature: usize) -> Option<&'m Importance> {
        self.importances.iter().find(|i| i.feature == feature)
    }

    /// The weight of a feature relative to the largest.
    pub fn relative_weight(&self, feature: usize) -> f64 {
        let largest = self.weights.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        match largest > 0.0 {
            true => self.weights[feature].abs() / largest,
            false => 0.0,
        }
    }

    /// Rows in order of selection with what each explains: the share of the variance of the class
    /// indicators by which the unexplained part falls, and all that is explained so far.
    pub fn explained(&self) -> Vec<Explained> {
        // What the linear part explains by itself is not recorded.
        let mut before = self.linear.is_none().then_some(1.0);
        let steps = self.path.iter().filter_map(|s| Some((s.row?, s.objective)));
        let explained = steps.map(|(row, left)| Explained {
            row,
            own: before.replace(left).map(|b| b - left),
            so_far: 1.0 - left,
        });
        explained.collect()
    }

    /// Whether features entered one at a time.
    pub fn is_imported(&self) -> bool {
        !self.imported.is_empty()
    }
}

/// What a row adds when it is selected.
pub struct Explained {
    /// The row.
    pub row: usize,
    /// Share that it explains beyond the rows before it; unknown for the first beside a linear
    /// part.
    pub own: Option<f64>,
    /// Share that is explained after it.
    pub so_far: f64,
}

fn linear(model: &Model) -> Option<Vec<&[f64]>> {
    let linear = model.expansion.linear.as_ref()?;
    Some((0..linear.rows()).map(|i| linear.row(i)).collect())
}

fn path(model: &Model) -> Vec<Step<'_>> {
    let cv = model.record.cv.as_ref();
    let curve = cv.map_or(&[][..], |cv| &cv.curve);
    let steps = model.record.report.path.iter();
    steps
        .map(|step| Step {
            size: step.size,
            row: step.row,
            feature: step.feature,
            runner_up: step.runner_up,
            associated: &step.associated,
            penalty: step.sparsity,
            weights: &step.weights,
            objective: step.objective,
            train_error: step.train_error,
            point: curve.iter().find(|p| p.size == step.size),
            error_at_penalty: trial::error_at(model, step.sparsity.unwrap_or(0.0)),
        })
        .collect()
}
