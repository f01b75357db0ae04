//! The walk of one target down its penalties: working sets, screening and the final check.

use super::duality::{duality, steepest, values};
use super::{Design, Solution, Stop};
use crate::linalg::{Matrix, View, dot, gemm_into};
use crate::solver::coordinate_descent::{Descent, Penalty, row_products, subtract_rows, violation};

/// A working set may grow by at least this many features at a time.
pub(in crate::solver) const GROWTH: usize = 32;
/// Coefficients below this share of the largest (in units of the fit) are rounding errors.
const DUST: f64 = 1e-11;
/// Penalties below this share of the one that makes all coefficients zero have no usable dual
/// point: rounding destroys it.
const LEAST_PENALTY: f64 = 1e-10;
/// Rounds without progress after which only rounding errors can be left.
const IDLE: usize = 3;
/// Rounds of growth before the solution is accepted as it is.
const ROUNDS: usize = 200;

/// One target on its way down the penalties.
pub(super) struct Walk<'a> {
    design: &'a Design,
    target: Vec<f64>,
    /// `X't`.
    correlations: Vec<f64>,
    /// `|t|^2`.
    pub(super) square: f64,
    /// The working set, in the order in which its features entered.
    set: Vec<usize>,
    inside: Vec<bool>,
    descent: Descent,
}

/// A solution checked against all features.
struct Check {
    /// `x_j'(t - X w)`; 0 for features that were screened out.
    slopes: Vec<f64>,
    objective: f64,
    gap: f64,
    /// Largest violation of the optimality conditions.
    violation: f64,
    /// The factor that turns the residual into the dual point.
    scale: f64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(design: &'a Design, target: Vec<f64>) -> Self {
        Self {
            design,
            correlations: design.correlations(&target),
            square: dot(&target, &target),
            target,
            set: vec![],
            inside: vec![false; design.n_features()],
            descent: Descent::default(),
        }
    }

    pub(super) fn solve(&mut self, penalty: Penalty, stop: Stop) -> Solution {
        let tol = 0.5 * stop.gap * self.square;
        let largest = self.correlations.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let slope_tol = if stop.slope.is_finite() {
            stop.slope * largest
        } else {
            f64::INFINITY
        };
        let mut alive: Vec<usize> = (0..self.design.n_features()).collect();
        let mut sweeps = 0;
        let (mut best, mut idle) = (f64::INFINITY, 0);
        for round in 1.. {
            let check = self.check(&alive, penalty);
            let now = check.gap.max(0.0) + check.violation.max(0.0);
            let progress = now < 0.5 * best || self.grows(&alive, &check, penalty);
            idle = if progress { 0 } else { idle + 1 };
            best = best.min(now);
            // A tiny penalty has no usable dual point: the slopes alone decide.
            let no_gap = penalty.l1 <= LEAST_PENALTY * largest;
            let slopes_hold = check.violation
                <= if no_gap {
                    slope_tol.min(1e-7 * largest)
                } else {
                    slope_tol
                };
            let done = slopes_hold && (no_gap || check.gap <= tol);
            if done || round == ROUNDS || idle > IDLE {
                let mut solution = self.solution(&check, penalty, sweeps, done);
                if no_gap {
                    solution.gap = None;
                } else if stop.slope.is_finite() {
                    self.certify(&mut solution, penalty, tol, slope_tol);
                }
                return solution;
            }
            // w_j is zero if |x_j' theta| < l1 at the best dual point theta, which is no farther
            // than this from ours.
            let radius = (2.0 * check.gap.max(0.0)).sqrt();
            alive.retain(|&j| {
                let norm = (self.design.squares[j] + penalty.l2).sqrt();
                let own = check.slopes[j].abs() * check.scale;
                self.inside[j] || own + norm * radius >= penalty.l1
            });
            self.grow(&alive, &check, penalty);
            let goal = (0.7 * tol).max(0.03 * check.gap);
            let slope_goal = (0.3 * slope_tol).max(0.05 * check.violation);
            let correlations: Vec<f64> = self.set.iter().map(|&j| self.correlations[j]).collect();
            let square = self.square;
            let measure = |w: &[f64], q: &[f64]| {
                let largest = steepest(w, q, penalty);
                let gap = duality(w, q, &correlations, square, largest, penalty).1;
                (gap / goal.max(f64::MIN_POSITIVE))
                    .max(violation(w, q, penalty) / slope_goal.max(f64::MIN_POSITIVE))
            };
            sweeps += self.descent.run(penalty, 1.0, measure);
        }
        unreachable!("the rounds are counted")
    }

    /// Whether a feature outside the working set violates the optimality conditions.
    fn grows(&self, alive: &[usize], check: &Check, penalty: Penalty) -> bool {
        alive
            .iter()
            .any(|&j| !self.inside[j] && check.slopes[j].abs() > penalty.l1)
    }

    /// Adds the features whose slopes violate the conditions most.
    fn grow(&mut self, alive: &[usize], check: &Check, penalty: Penalty) {
        let outside = alive.iter().copied().filter(|&j| !self.inside[j]);
        let mut new: Vec<usize> = outside
            .filter(|&j| check.slopes[j].abs() > penalty.l1)
            .collect();
        let steepness = |j: usize| check.slopes[j].abs();
        new.sort_by(|&a, &b| steepness(b).total_cmp(&steepness(a)).then(a.cmp(&b)));
        let carried = self.descent.w.iter().filter(|w| **w != 0.0).count();
        new.truncate(carried.max(GROWTH));
        if new.is_empty() {
            return;
        }
        new.sort_unstable();
        let all: Vec<usize> = self.set.iter().chain(&new).copied().collect();
        let mut rows = Matrix::zeros(new.len(), all.len());
        match &self.design.gram {
            Some(gram) => {
                for (k, &j) in new.iter().enumerate() {
                    let row = gram.row(j);
                    rows.row_mut(k)
                        .iter_mut()
                        .zip(&all)
                        .for_each(|(v, &l)| *v = row[l]);
                }
            }
            None => {
                let features = self.design.features.select_rows(&all);
                let (n, old) = (features.cols(), self.set.len());
                let own = View::new(&features.as_slice()[old * n..], new.len(), n, n);
                gemm_into(
                    rows.as_mut_slice(),
                    all.len(),
                    own,
                    features.view().t(),
                    1.0,
                    false,
                );
            }
        }
        let slopes: Vec<f64> = new.iter().map(|&j| check.slopes[j]).collect();
        self.descent.extend(&rows, &slopes);
        new.iter().for_each(|&j| self.inside[j] = true);
        self.set = all;
    }

    /// Recomputes the slopes of the features that are not screened out, and from them objective and
    /// gap.
    fn check(&mut self, alive: &[usize], penalty: Penalty) -> Check {
        let mut slopes;
        let moved = self
            .set
            .iter()
            .zip(&self.descent.w)
            .filter(|(_, w)| **w != 0.0);
        let (moved, by): (Vec<usize>, Vec<f64>) = moved.unzip();
        match &self.design.gram {
            Some(gram) => {
                slopes = self.correlations.clone();
                subtract_rows(&mut slopes, gram.as_slice(), gram.cols(), &moved, &by);
            }
            None => {
                let mut residual = self.target.clone();
                let features = &self.design.features;
                subtract_rows(
                    &mut residual,
                    features.as_slice(),
                    features.cols(),
                    &moved,
                    &by,
                );
                slopes = vec![0.0; self.correlations.len()];
                row_products(&mut slopes, features.as_slice(), alive, &residual);
            }
        }
        // Rounding errors that the running slopes have accumulated are discarded here.
        for (q, &j) in self.descent.slope.iter_mut().zip(&self.set) {
            *q = slopes[j];
        }
        let outside = alive.iter().filter(|&&j| !self.inside[j]);
        let elsewhere = outside.map(|&j| slopes[j].abs()).fold(0.0, f64::max);
        let largest = steepest(&self.descent.w, &self.descent.slope, penalty).max(elsewhere);
        let correlations: Vec<f64> = self.set.iter().map(|&j| self.correlations[j]).collect();
        let (objective, gap, scale) = duality(
            &self.descent.w,
            &self.descent.slope,
            &correlations,
            self.square,
            largest,
            penalty,
        );
        let broken = violation(&self.descent.w, &self.descent.slope, penalty);
        Check {
            slopes,
            objective,
            gap,
            violation: broken.max(elsewhere - penalty.l1),
            scale,
        }
    }

    /// Recomputes objective, gap and conditions from the residuals themselves, because differences
    /// of products with the Gram matrix lose digits where the penalty is small.
    fn certify(&self, solution: &mut Solution, penalty: Penalty, tol: f64, slope_tol: f64) {
        let features = &self.design.features;
        let mut residual = self.target.clone();
        subtract_rows(
            &mut residual,
            features.as_slice(),
            features.cols(),
            &solution.support,
            &solution.coef,
        );
        let all: Vec<usize> = (0..features.rows()).collect();
        let mut slopes = vec![0.0; all.len()];
        row_products(&mut slopes, features.as_slice(), &all, &residual);
        let mut w = vec![0.0; all.len()];
        solution
            .support
            .iter()
            .zip(&solution.coef)
            .for_each(|(&j, &v)| w[j] = v);
        let square = dot(&residual, &residual) + penalty.l2 * dot(&w, &w);
        let by_target = dot(&self.target, &residual);
        let largest = steepest(&w, &slopes, penalty);
        let (objective, gap, _) = values(square, by_target, penalty.l1, &w, largest);
        solution.objective = objective;
        solution.gap = Some(gap).filter(|g| g.is_finite());
        solution.converged = gap <= tol && violation(&w, &slopes, penalty) <= slope_tol;
    }

    fn solution(
        &self,
        check: &Check,
        penalty: Penalty,
        sweeps: usize,
        converged: bool,
    ) -> Solution {
        let mut kept: Vec<(usize, f64)> = self
            .set
            .iter()
            .copied()
            .zip(self.descent.w.iter().copied())
            .collect();
        // A coefficient that only rounding keeps from zero, because another feature does the same
        // job, is set to zero.
        let size = |j: usize, w: f64| w.abs() * self.design.squares[j].sqrt();
        let dust = DUST * kept.iter().map(|&(j, w)| size(j, w)).fold(0.0, f64::max);
        kept.retain(|&(j, w)| w != 0.0 && size(j, w) > dust);
        kept.sort_by_key(|(j, _)| *j);
        let (support, coef) = kept.into_iter().unzip();
        Solution {
            support,
            coef,
            residual: 2.0 * (check.objective - penalty.of(&self.descent.w)),
            objective: check.objective,
            gap: Some(check.gap).filter(|g| g.is_finite()),
            sweeps,
            converged,
        }
    }
}
