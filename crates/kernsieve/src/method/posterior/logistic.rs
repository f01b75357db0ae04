//! Class posteriors by logistic regression with an L1 penalty.

use super::Penalised;
use super::regression::{
    arm_of, linear_expansion, linear_outputs, nonzero_count, penalties, penalties_of, squared_size,
    used_features,
};
use crate::decision::Decision;
use crate::error::Result;
use crate::kernel::Family;
use crate::linalg::{Matrix, matmul, right_singular};
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
/// Coefficients below this share of the largest are rounding errors.
const DUST: f64 = 1e-13;

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

    /// With this share of the L1 norm in the penalty; the rest is half the squared norm. 0 is a ridge
    /// alone.
    pub fn l1_ratio(mut self, ratio: f64) -> Self {
        self.l1_ratio = ratio;
        self
    }

    fn solve(&self, problem: &Problem, sparsities: &[f64], tol: f64) -> Result<Vec<Solution>> {
        let penalties: Vec<Penalty> = sparsities
            .iter()
            .map(|&s| Penalty::mixed(s, self.l1_ratio))
            .collect();
        if self.l1_ratio > 0.0 {
            return Ok(path(&problem.x, &problem.classes(), &penalties, tol));
        }
        // The squared norm is the same in rotated coordinates: the features turned to their
        // principal axes are no more than the rows, and not correlated.
        let (_, axes) = right_singular(&problem.x)?;
        let turned = matmul(problem.x.view(), axes.view());
        let mut solutions = path(&turned, &problem.classes(), &penalties, tol);
        for s in &mut solutions {
            s.coef = matmul(s.coef.view(), axes.view().t());
            without_dust(&mut s.coef);
        }
        Ok(solutions)
    }

    /// The penalties to try.
    fn penalties(&self, problem: &Problem) -> Vec<f64> {
        let largest = match self.sparsity {
            Some(_) => 0.0,
            // A ridge makes no coefficient zero. Curvatures are at most 1/4, and a penalty above
            // the trace of the Hessian leaves next to nothing of them.
            None if self.l1_ratio == 0.0 => {
                let mut x = problem.x.clone();
                problem.classes().scale_rows(&mut x);
                0.25 * squared_size(&x)
            }
            None => largest_penalty(&problem.x, &problem.classes()) / self.l1_ratio,
        };
        penalties(self.sparsity, largest, EXPONENTS)
    }
}

/// Sets to zero what only rounding keeps from it, such as the coefficients of a constant feature.
fn without_dust(coef: &mut Matrix) {
    let dust = DUST * coef.max_abs();
    let small = coef.as_mut_slice().iter_mut().filter(|w| w.abs() <= dust);
    small.for_each(|w| *w = 0.0);
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
            .solve(&fold.train, &penalties_of(arm), FOLD)?
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
        let mut solutions = self.solve(problem, &sparsities, EXACT)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::softmax_in_place;
    use crate::linalg::dot;
    use crate::testing::problem;

    #[test]
    fn a_ridge_meets_the_conditions_of_a_minimum_in_the_features_themselves() {
        for (n, p, c) in [(50, 4, 2), (20, 60, 2), (30, 45, 3)] {
            let problem = problem(n, p, c, 7);
            let ridge = L1Logistic::new().l1_ratio(0.0);
            let ladder = ridge.penalties(&problem);
            assert!(ladder.iter().all(|l| l.is_finite()) && ladder.len() < 40);
            let solved = ridge.solve(&problem, &ladder, EXACT).expect("finite");
            // At the upper end next to nothing is left.
            assert!(solved[0].coef.max_abs() < 0.5);
            for (s, &l2) in solved.iter().zip(&ladder) {
                assert!(s.converged, "{n} x {p}, {c} classes, {l2}: {}", s.violation);
                let q = s.coef.rows();
                let mut slopes = Matrix::zeros(q, p);
                for i in 0..n {
                    let row = problem.x.row(i);
                    let z = (0..q).map(|k| s.offset[k] + dot(s.coef.row(k), row));
                    let mut prob: Vec<f64> = z.collect();
                    if q == 1 {
                        prob.insert(0, 0.0);
                    }
                    softmax_in_place(&mut prob);
                    for k in 0..q {
                        let class = if q == 1 { 1 } else { k };
                        let r = f64::from(problem.labels.codes()[i] == class) - prob[class];
                        (0..p).for_each(|j| slopes[(k, j)] += r * row[j]);
                    }
                }
                for (slope, w) in slopes.as_slice().iter().zip(s.coef.as_slice()) {
                    // Slopes at zero are of the order of n.
                    assert!((slope - l2 * w).abs() < 1e-6, "{slope} {}", l2 * w);
                }
            }
        }
    }
}
