//! Class posteriors by logistic regression with an L1 penalty.

use super::Penalised;
use super::regression::{
    arm_of, linear_expansion, linear_outputs, nonzero_count, penalties, penalties_of, used_features,
};
use crate::decision::Decision;
use crate::error::Result;
use crate::kernel::Family;
use crate::method::{
    About, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, PathStep, Problem,
};
use crate::params::Protocol;
use crate::solver::coordinate_descent::Penalty;
use crate::solver::sparse_logistic::{Solution, largest_penalty, path};
use serde::{Deserialize, Serialize};

/// Exponents of 2 of the penalties to try. For separable classes the loss has no minimum, so very
/// small penalties are of no use.
const EXPONENTS: std::ops::RangeInclusive<i32> = -6..=10;
/// Tolerance of the optimality conditions: in final fits, and in folds.
const EXACT: f64 = 1e-9;
const FOLD: f64 = 1e-4;

/// Logistic regression with an L1 penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct L1Logistic {
    sparsity: Option<f64>,
    l1_ratio: f64,
}

impl Default for L1Logistic {
    fn default() -> Self {
        Self {
            sparsity: None,
            l1_ratio: 1.0,
        }
    }
}

impl L1Logistic {
    /// A tuned penalty with the L1 norm only.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this penalty.
    pub fn sparsity(mut self, sparsity: f64) -> Self {
        self.sparsity = Some(sparsity);
        self
    }

    /// With this share of the L1 norm in the penalty; the rest is half the squared norm.
    pub fn l1_ratio(mut self, ratio: f64) -> Self {
        self.l1_ratio = ratio;
        self
    }

    fn solve(&self, problem: &Problem, sparsities: &[f64], tol: f64) -> Vec<Solution> {
        let penalties: Vec<Penalty> = sparsities
            .iter()
            .map(|&s| Penalty::mixed(s, self.l1_ratio))
            .collect();
        path(&problem.x, &problem.classes(), &penalties, tol)
    }

    /// The penalties to try.
    fn penalties(&self, problem: &Problem) -> Vec<f64> {
        let largest = match self.sparsity {
            Some(_) => 0.0,
            None => largest_penalty(&problem.x, &problem.classes()) / self.l1_ratio,
        };
        penalties(self.sparsity, largest, EXPONENTS)
    }
}

fn decision(problem: &Problem) -> Decision {
    Decision::Logits {
        shifts: vec![0.0; problem.labels.n_classes()],
    }
}

impl Method for L1Logistic {
    type Setting = Penalised;

    const ABOUT: About = About::part("logistic");

    fn family(&self) -> Family {
        Family::Linear
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::NONE
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<Penalised>> {
        Ok(vec![arm_of(self.penalties(problem))])
    }

    fn held_out(&self, fold: &Fold, arm: &[Penalised]) -> Result<Vec<Option<HeldOut>>> {
        let decision = decision(&fold.train);
        let solutions = self
            .solve(&fold.train, &penalties_of(arm), FOLD)
            .into_iter();
        Ok(solutions
            .map(|s| {
                Some(HeldOut {
                    scores: decision.scores(&linear_outputs(&fold.held_out, &s.coef, &s.offset)),
                    weights: Some(used_features(&s.coef)),
                })
            })
            .collect())
    }

    /// Walks down to the chosen penalty.
    fn fit(&self, problem: &Problem, setting: &Penalised) -> Result<Fit> {
        let chosen = setting.sparsity;
        let mut sparsities = self.penalties(problem);
        sparsities.retain(|s| *s > chosen);
        sparsities.push(chosen);
        let mut solutions = self.solve(problem, &sparsities, EXACT);
        let path = sparsities
            .iter()
            .zip(&solutions)
            .map(|(&sparsity, s)| PathStep {
                sparsity: Some(sparsity),
                ..PathStep::new(nonzero_count(&s.coef), s.objective)
            });
        let path: Vec<PathStep> = path.collect();
        let Some(s) = solutions.pop() else {
            return Err(crate::error::Error::NoConvergence("logistic regression"));
        };
        Ok(Fit::new(
            linear_expansion(&s.coef, s.offset),
            decision(problem),
            FitReport {
                objective: Some(s.objective),
                iterations: s.passes,
                converged: s.converged,
                residual: Some(s.violation),
                path,
                ..FitReport::default()
            },
        ))
    }
}
