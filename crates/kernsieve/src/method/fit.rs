//! What a method returns.

use super::{Fold, HeldOut};
use crate::data::NormalScores;
use crate::decision::Decision;
use crate::discriminant_kernel::{DiscriminantKernel, outputs};
use crate::expansion::KernelExpansion;
use crate::linalg::Matrix;
use crate::partial::TallQr;
use serde::{Deserialize, Serialize};

/// A fitted classifier before it is wrapped into a model.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Normal scores of the rows of the problem, if that is what the expansion reads.
    pub scores: Option<NormalScores>,
    /// The map from a row to what the expansion sees, if that is not the row itself but the
    /// features of a discriminant kernel.
    pub discriminant: Option<DiscriminantKernel>,
    /// Outputs as a function of a row.
    pub expansion: KernelExpansion,
    /// Classes as a function of the outputs.
    pub decision: Decision,
    /// How the fit went.
    pub report: FitReport,
    /// Which condition `report.residual` measures.
    pub certificate: Certificate,
    /// The triangular factor of the expansion's columns on all rows, if more rows are to be added.
    pub factor: Option<TallQr>,
}

/// The condition that a solution satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The equations of a closed form or of a convex program: they hold up to rounding.
    Equations,
    /// Duality gaps of the regressions behind a discriminant kernel.
    Regressions,
    /// Stationary weights of features.
    Weights,
}

impl Fit {
    /// A fit that is an expansion and a rule, as most are.
    pub fn new(expansion: KernelExpansion, decision: Decision, report: FitReport) -> Self {
        Self {
            scores: None,
            discriminant: None,
            expansion,
            decision,
            report,
            certificate: Certificate::Equations,
            factor: None,
        }
    }

    /// Outputs of every row.
    pub fn outputs(&self, x: &Matrix) -> Matrix {
        let Some(scores) = &self.scores else {
            return outputs(self.discriminant.as_ref(), &self.expansion, x);
        };
        let mut scored = x.clone();
        scores.apply_in_place(&mut scored);
        outputs(self.discriminant.as_ref(), &self.expansion, &scored)
    }

    /// Its scores of the held-out rows of a fold, for every setting of an arm that leaves nothing
    /// to choose.
    pub(super) fn held_out<S>(&self, fold: &Fold, arm: &[S]) -> Vec<Option<HeldOut>> {
        let scores = self.decision.scores(&self.outputs(&fold.held_out));
        vec![Some(scores.into()); arm.len()]
    }
}

/// How a fit went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// The paper's objective at the solution, where there is one.
    pub objective: Option<f64>,
    /// Iterations of the solver; 1 for a closed form.
    pub iterations: usize,
    /// Whether the solver reached its tolerance.
    pub converged: bool,
    /// How far the solution is from satisfying its own equations, relative to the size of their
    /// terms.
    pub residual: Option<f64>,
    /// Training rows that the expansion holds, in order of selection if there is one.
    pub retained_rows: Vec<usize>,
    /// The squared-norm penalty used.
    pub ridge: Option<f64>,
    /// Eigenvalues of the discriminant, largest first, where the method has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub eigenvalues: Vec<f64>,
    /// The steps of a selection, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathStep>,
    /// Features in order of import, where they are imported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<usize>,
    /// Objective and duality gap of each regression, in the order of the classes, where posteriors
    /// come from regressions; there is no gap where the penalty is too small to have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regressions: Vec<(f64, Option<f64>)>,
    /// Objective after each step of the solver, where it takes several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<f64>,
    /// Which start gave the least objective (0 is the path, 1 all ones, then random ones), and how
    /// many starts there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<(usize, usize)>,
    /// What is wrong with equations that a pseudo-inverse solves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub singular: Option<Singular>,
}

/// Equations that double precision does not resolve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Singular {
    /// Their condition number, as far as rounding lets it be told.
    pub condition: f64,
    /// Directions that are resolved, of as many as there are equations.
    pub rank: usize,
}

impl FitReport {
    /// The same without numbers that are not finite: what overflowed tells nothing, and has no place
    /// in a model file.
    pub(crate) fn finite(mut self) -> Self {
        let finite = |v: &f64| v.is_finite();
        for value in [&mut self.objective, &mut self.residual, &mut self.ridge] {
            *value = value.filter(finite);
        }
        self.eigenvalues.retain(finite);
        self.trace.retain(finite);
        self.path.retain(|step| step.objective.is_finite());
        for step in &mut self.path {
            step.train_error = step.train_error.filter(finite);
            step.runner_up = step.runner_up.filter(|(_, v)| v.is_finite());
        }
        if !self
            .regressions
            .iter()
            .all(|(objective, _)| objective.is_finite())
        {
            self.regressions.clear();
        }
        self
    }

    /// Renames the rows for a caller who left some out: row `i` of the fit is row `rows[i]` of the
    /// caller.
    pub fn rename_rows(&mut self, rows: &[usize]) {
        let own = |row: &mut usize| *row = rows[*row];
        self.retained_rows.iter_mut().for_each(own);
        let steps = self.path.iter_mut();
        steps.filter_map(|s| s.row.as_mut()).for_each(own);
    }
}

/// One step of a selection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathStep {
    /// Samples or features retained.
    pub size: usize,
    /// The training row that entered, where samples are selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The feature that entered, where features are imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<usize>,
    /// The feature that would have entered in its place, and the objective with it, where features
    /// are imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<(usize, f64)>,
    /// The features that it stands for, where imports do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub associated: Vec<usize>,
    /// The penalty, where features are weighted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparsity: Option<f64>,
    /// Features with a nonzero weight, and their weights. If there are many, only those that stay
    /// longest are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<(usize, f64)>,
    /// The paper's objective after the step.
    pub objective: f64,
    /// Error on the training rows after the step, where it was computed.
    pub train_error: Option<f64>,
}

impl PathStep {
    /// A step with every other field empty.
    pub fn new(size: usize, objective: f64) -> Self {
        Self {
            size,
            row: None,
            feature: None,
            runner_up: None,
            associated: vec![],
            sparsity: None,
            weights: vec![],
            objective,
            train_error: None,
        }
    }
}
