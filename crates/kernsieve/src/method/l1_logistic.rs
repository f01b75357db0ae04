//! Class posteriors by logistic regression with an L1 penalty.

use super::l1_regression::{
    arm_of, linear_expansion, linear_outputs, nonzero_count, penalties, penalties_of, used_features,
};
use super::{
    Arm, Candidate, Fit, FitReport, Fold, Footprint, HeldOut, Method, Options, PathStep, Problem,
};
use crate::decision::Decision;
use crate::error::Result;
use crate::kernel::Family;
use crate::solver::coordinate_descent::Penalty;
use crate::solver::sparse_logistic::{Solution, largest_penalty, path};

/// Exponents of 2 of the penalties that are tried. Classes that come apart have no smallest loss,
/// so there is nothing to be found far down.
const EXPONENTS: std::ops::RangeInclusive<i32> = -6..=10;
/// How far the conditions of a minimum hold: for final fits, and in folds.
const EXACT: f64 = 1e-9;
const FOLD: f64 = 1e-4;

/// Logistic regression with an L1 penalty.
pub(super) struct L1Logistic {
    sparsity: Option<f64>,
    ratio: f64,
}

impl L1Logistic {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            sparsity: options.sparsity,
            ratio: options.l1_ratio,
        }
    }

    fn solve(&self, problem: &Problem, sparsities: &[f64], tol: f64) -> Vec<Solution> {
        let penalties: Vec<Penalty> = sparsities
            .iter()
            .map(|&s| Penalty::mixed(s, self.ratio))
            .collect();
        path(&problem.x, &problem.classes(), &penalties, tol)
    }

    /// The penalties that are tried.
    fn grid(&self, problem: &Problem) -> Vec<f64> {
        let largest = match self.sparsity {
            Some(_) => 0.0,
            None => largest_penalty(&problem.x, &problem.classes()) / self.ratio,
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
    fn name(&self) -> &'static str {
        "logistic"
    }

    fn family(&self) -> Family {
        Family::Linear
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::NONE
    }

    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>> {
        Ok(vec![arm_of(self.grid(problem))])
    }

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
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
    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit> {
        let chosen = candidate.sparsity.unwrap_or(f64::NAN);
        let mut sparsities = self.grid(problem);
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
        Ok(Fit {
            discriminant: None,
            expansion: linear_expansion(&s.coef, s.offset),
            decision: decision(problem),
            report: FitReport {
                objective: Some(s.objective),
                iterations: s.passes,
                converged: s.converged,
                residual: Some(s.violation),
                path,
                ..FitReport::default()
            },
        })
    }
}
