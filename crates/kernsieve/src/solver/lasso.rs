//! The lasso and the elastic net, one design for many targets (Hidaka & Kurita, eq. 18 and 19,
//! whose `1 / lambda` has to be `lambda`).
//!
//! ```text
//! min_w  |t - X w|^2 / 2 + lambda (r |w|_1 + (1 - r) |w|^2 / 2)                     columns of X and t centred: the offset is free
//! ```
//! Walks down a list of penalties, each start the end of the one before. Of the features only a
//! *working set* takes part in the descent ([`super::coordinate_descent`]); when it is solved the
//! slopes of all others say which break the conditions of a minimum and have to come in. A solution
//! is accepted when the duality gap over *all* features is small enough, so nothing is left to the
//! choice of the working set. Features that the gap proves to be zero at this penalty (gap-safe
//! screening, Ndiaye et al. 2017) are not looked at again until the next one.
//!
//! When there are no more features than rows the Gram matrix `X'X` is formed once for all targets,
//! and slopes come from it (covariance updates); otherwise they come from the residuals, and of the
//! Gram matrix only the working set's part is formed. Complexity: `n p^2` for the Gram matrix, or
//! `n p` a check of the slopes; a sweep is at most the square of the working set.

use super::coordinate_descent::{Descent, Penalty, row_products, subtract_rows, violation};
use crate::linalg::{Matrix, View, dot, gemm_into, symmetric_product};
use rayon::prelude::*;

/// Centred columns, rows scaled by the roots of their weights.
#[derive(Clone, Debug)]
pub struct Design {
    /// `X'`: a row is a feature.
    features: Matrix,
    /// `X'X`, where it pays.
    gram: Option<Matrix>,
    /// `|x_j|^2`.
    squares: Vec<f64>,
}

/// Up to this number of features the Gram matrix is formed whatever the number of rows.
const FEW_FEATURES: usize = 256;

impl Design {
    /// From `X` itself.
    pub fn new(x: &Matrix) -> Self {
        Self::with_gram(x, x.cols() <= x.rows().max(FEW_FEATURES))
    }

    /// From `X` itself; `gram` says whether `X'X` is formed.
    pub fn with_gram(x: &Matrix, gram: bool) -> Self {
        let features = x.transpose();
        let gram = gram.then(|| symmetric_product(features.view()));
        let squares = features.iter_rows().map(|f| dot(f, f)).collect();
        Self {
            features,
            gram,
            squares,
        }
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.features.rows()
    }

    /// `X't`.
    pub fn correlations(&self, target: &[f64]) -> Vec<f64> {
        let all: Vec<usize> = (0..self.n_features()).collect();
        let mut products = vec![0.0; all.len()];
        row_products(&mut products, self.features.as_slice(), &all, target);
        products
    }
}

/// When a solution is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Largest duality gap, relative to `|t|^2 / 2`.
    pub gap: f64,
    /// Largest break of the conditions of a minimum, relative to the largest entry of `X't`.
    pub slope: f64,
    /// Share of `|t|^2` left unexplained at which a path ends: smaller penalties get the last
    /// solution.
    pub explained: f64,
}

impl Stop {
    /// For final fits.
    pub const EXACT: Self = Self {
        gap: 1e-9,
        slope: 1e-9,
        explained: -1.0,
    };
    /// For folds: the gap alone decides.
    pub const FOLD: Self = Self {
        gap: 1e-7,
        slope: f64::INFINITY,
        explained: 1e-3,
    };
}

/// A point of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Features with a coefficient that is not zero, in order.
    pub support: Vec<usize>,
    /// Their coefficients.
    pub coef: Vec<f64>,
    /// `|t - X w|^2`.
    pub residual: f64,
    /// The objective.
    pub objective: f64,
    /// By how much it exceeds the minimum at most; NaN where the penalty is too small to tell.
    pub gap: f64,
    /// Sweeps of coordinate descent.
    pub sweeps: usize,
    /// Whether the gap and the slopes are small enough.
    pub converged: bool,
}

/// Solutions of several targets (columns of `targets`, centred and scaled like the design) at every
/// penalty: `[target][penalty]`. The penalties fall. Targets are solved in parallel, each by
/// itself.
pub fn path(
    design: &Design,
    targets: &Matrix,
    penalties: &[Penalty],
    stop: Stop,
) -> Vec<Vec<Solution>> {
    (0..targets.cols())
        .into_par_iter()
        .map(|k| {
            let mut walk = Walk::new(design, targets.column(k));
            let mut solutions: Vec<Solution> = Vec::with_capacity(penalties.len());
            for &penalty in penalties {
                // Where next to nothing is left to explain a smaller penalty changes no prediction
                // to speak of.
                let explained = |s: &&Solution| s.residual <= stop.explained * walk.square;
                match solutions.last().filter(explained).cloned() {
                    Some(last) => solutions.push(last),
                    None => solutions.push(walk.solve(penalty, stop)),
                }
            }
            solutions
        })
        .collect()
}

/// Working sets grow by at least this much.
pub(super) const GROWTH: usize = 32;
/// Coefficients this much below the largest (in units of the fit) are rounding.
const DUST: f64 = 1e-11;
/// Penalties this much below the one that leaves no coefficient have no dual point that rounding
/// would leave anything of.
const LEAST_PENALTY: f64 = 1e-10;
/// Rounds without progress, after which rounding must have the upper hand.
const IDLE: usize = 3;
/// Rounds of growth before a solution is taken as it is.
const ROUNDS: usize = 200;

/// One target on its way down.
struct Walk<'a> {
    design: &'a Design,
    target: Vec<f64>,
    /// `X't`.
    correlations: Vec<f64>,
    /// `|t|^2`.
    square: f64,
    /// The working set, in the order in which features came in.
    set: Vec<usize>,
    inside: Vec<bool>,
    descent: Descent,
}

/// What all features say of a solution.
struct Check {
    /// `x_j'(t - X w)`; 0 for features that were screened out.
    slopes: Vec<f64>,
    objective: f64,
    gap: f64,
    /// By how much the conditions of a minimum are broken.
    violation: f64,
    /// The dual point is the residual times this.
    scale: f64,
}

impl<'a> Walk<'a> {
    fn new(design: &'a Design, target: Vec<f64>) -> Self {
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

    fn solve(&mut self, penalty: Penalty, stop: Stop) -> Solution {
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
            // A penalty next to nothing leaves no dual point to speak of: then the slopes alone
            // decide.
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
                    solution.gap = f64::NAN;
                } else if stop.slope.is_finite() {
                    self.certify(&mut solution, penalty, tol, slope_tol);
                }
                return solution;
            }
            // |x_j' theta| < l1 at the best dual point theta, which is no farther than this from ours: then w_j is zero.
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

    /// Whether a feature outside the working set breaks the conditions.
    fn grows(&self, alive: &[usize], check: &Check, penalty: Penalty) -> bool {
        alive
            .iter()
            .any(|&j| !self.inside[j] && check.slopes[j].abs() > penalty.l1)
    }

    /// Takes in the features whose slopes break the conditions most.
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

    /// Slopes of the features that are alive, computed anew; objective and gap.
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
        // Rounding that gathered in the running slopes ends here.
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

    /// Objective, gap and conditions once more, from the residuals themselves: differences of the
    /// Gram matrix's products lose digits where the penalty is small.
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
        (solution.objective, solution.gap, _) = values(square, by_target, penalty.l1, &w, largest);
        solution.converged = solution.gap <= tol && violation(&w, &slopes, penalty) <= slope_tol;
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
        // What rounding has left of a feature that another one speaks for is zero.
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
            gap: check.gap,
            sweeps,
            converged,
        }
    }
}

/// The largest slope once the squared penalty is counted in.
fn steepest(w: &[f64], slopes: &[f64], penalty: Penalty) -> f64 {
    let slopes = w
        .iter()
        .zip(slopes)
        .map(|(w, q)| (q - penalty.l2 * w).abs());
    slopes.fold(0.0, f64::max)
}

/// Objective, duality gap, and the scale `s` of the dual point `s (r, -sqrt(l2) w)`, where `r = t -
/// X w`: the largest, at most the best, with which all slopes are within `l1`. An elastic net is a
/// lasso with rows `sqrt(l2) I` more.
fn duality(
    w: &[f64],
    slopes: &[f64],
    correlations: &[f64],
    square: f64,
    largest: f64,
    penalty: Penalty,
) -> (f64, f64, f64) {
    let own = dot(w, w);
    let target_by_residual = square - dot(w, correlations);
    let residual = (target_by_residual - dot(w, slopes)).max(0.0) + penalty.l2 * own;
    values(residual, target_by_residual, penalty.l1, w, largest)
}

/// The same from the squared residual (with `l2 |w|^2`) and its product with the target.
fn values(
    residual: f64,
    target_by_residual: f64,
    l1: f64,
    w: &[f64],
    largest: f64,
) -> (f64, f64, f64) {
    let objective = 0.5 * residual + l1 * w.iter().map(|v| v.abs()).sum::<f64>();
    let best = if residual > 0.0 {
        target_by_residual / residual
    } else {
        0.0
    };
    let feasible = if largest > 0.0 {
        l1 / largest
    } else {
        f64::INFINITY
    };
    let scale = best.clamp(-feasible, feasible);
    let dual = scale * target_by_residual - 0.5 * scale * scale * residual;
    (objective, objective - dual, scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{center_columns, least_squares};
    use crate::testing::random;
    use proptest::prelude::*;

    /// Centred features, the last a copy of the first where there are three or more, and centred
    /// targets.
    fn problem(n: usize, p: usize, k: usize, seed: u64) -> (Matrix, Matrix) {
        let noise = random(n, p, seed);
        let shared = random(n, 1, seed + 1);
        let mut x = Matrix::from_fn(n, p, |i, j| match j {
            _ if p >= 3 && j == p - 1 => noise[(i, 0)] + shared[(i, 0)],
            _ => noise[(i, j)] + shared[(i, 0)],
        });
        let mut t = Matrix::from_fn(n, k, |i, l| {
            f64::from(x[(i, l % p)] + noise[(i, 0)] > 0.3 * l as f64)
        });
        center_columns(&mut x);
        center_columns(&mut t);
        (x, t)
    }

    /// Slopes, penalised objective and dual value of a solution, from the data alone.
    fn by_hand(x: &Matrix, t: &[f64], s: &Solution, penalty: Penalty) -> (Vec<f64>, f64, f64) {
        let mut w = vec![0.0; x.cols()];
        s.support.iter().zip(&s.coef).for_each(|(&j, &v)| w[j] = v);
        let r: Vec<f64> = (0..x.rows()).map(|i| t[i] - dot(x.row(i), &w)).collect();
        let slopes: Vec<f64> = (0..x.cols()).map(|j| dot(&x.column(j), &r)).collect();
        let objective = 0.5 * dot(&r, &r) + penalty.of(&w);
        let steep = w
            .iter()
            .zip(&slopes)
            .map(|(w, q)| (q - penalty.l2 * w).abs());
        let largest = steep.fold(0.0, f64::max);
        let scale = (penalty.l1 / largest).min(1.0);
        // Lasso with the rows sqrt(l2) I added; dual max over theta = scale * residual of t'theta -
        // |theta|^2 / 2.
        let residual = dot(&r, &r) + penalty.l2 * dot(&w, &w);
        let dual = scale * dot(t, &r) - 0.5 * scale * scale * residual;
        let broken = violation(&w, &slopes, penalty);
        (slopes, objective, (objective - dual).max(broken))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn conditions_and_gap_hold_in_both_shapes(
            n in 4usize..40, p in 1usize..60, k in 1usize..4, seed in 0u64..1000, ratio in 0.2f64..1.0, pure in any::<bool>(),
        ) {
            let (x, t) = problem(n, p, k, seed);
            let ratio = if pure { 1.0 } else { ratio };
            let penalties: Vec<Penalty> = (-12..6).rev().map(|e| Penalty::mixed(2f64.powi(e), ratio)).collect();
            let solved = |gram: bool| path(&Design::with_gram(&x, gram), &t, &penalties, Stop::EXACT);
            for (l, (covariance, residual)) in solved(true).iter().zip(&solved(false)).enumerate() {
                let target = t.column(l);
                let scale = dot(&target, &target).max(1e-3);
                for (q, &penalty) in penalties.iter().enumerate() {
                    let (a, b) = (&covariance[q], &residual[q]);
                    for s in [a, b] {
                        prop_assert!(s.converged, "{s:?}");
                        let (_, objective, gap) = by_hand(&x, &target, s, penalty);
                        prop_assert!((objective - s.objective).abs() < 1e-9 * scale);
                        prop_assert!(gap < 1e-8 * scale.max(1.0), "{gap:e} {penalty:?}");
                    }
                    prop_assert!((a.objective - b.objective).abs() < 1e-9 * scale);
                }
            }
        }
    }

    #[test]
    fn orthogonal_features_are_thresholded() {
        // Columns of a Hadamard matrix without the constant one: centred, |x_j|^2 = 8.
        let x = Matrix::from_fn(8, 7, |i, j| {
            if (i & (j + 1)).count_ones() % 2 == 0 {
                1.0
            } else {
                -1.0
            }
        });
        let mut t = random(8, 1, 3);
        center_columns(&mut t);
        let t = t.column(0);
        let penalty = Penalty { l1: 1.5, l2: 0.5 };
        let s = &path(
            &Design::new(&x),
            &Matrix::from_vec(t.clone(), 8, 1),
            &[penalty],
            Stop::EXACT,
        )[0][0];
        for j in 0..7 {
            let c = dot(&x.column(j), &t);
            let expected = c.signum() * (c.abs() - 1.5).max(0.0) / 8.5;
            let own = s
                .support
                .iter()
                .position(|&k| k == j)
                .map_or(0.0, |k| s.coef[k]);
            assert!((own - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_largest_penalty_is_where_the_first_feature_comes_in() {
        let (x, t) = problem(30, 10, 1, 7);
        let design = Design::new(&x);
        let largest = design
            .correlations(&t.column(0))
            .iter()
            .fold(0.0f64, |m, v| m.max(v.abs()));
        let at = |share: f64| Penalty {
            l1: largest * share,
            l2: 0.0,
        };
        let s = &path(&design, &t, &[at(1.000_001), at(0.999)], Stop::EXACT)[0];
        assert!(s[0].support.is_empty());
        assert_eq!(s[1].support.len(), 1);
        assert!((s[0].objective - 0.5 * dot(&t.column(0), &t.column(0))).abs() < 1e-12);
    }

    #[test]
    fn without_a_penalty_it_is_least_squares() {
        let (x, t) = problem(40, 2, 2, 9);
        let expected = least_squares(&x, &t, 1e-12).expect("converges").coef;
        for (l, s) in path(
            &Design::new(&x),
            &t,
            &[Penalty { l1: 1e-12, l2: 0.0 }],
            Stop::EXACT,
        )
        .iter()
        .enumerate()
        {
            for (j, w) in s[0].support.iter().zip(&s[0].coef) {
                assert!((w - expected[(*j, l)]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_penalty_of_zero_and_a_target_of_zeros_end() {
        let (x, mut t) = problem(20, 5, 2, 11);
        (0..20).for_each(|i| t[(i, 1)] = 0.0);
        for gram in [true, false] {
            let s = path(
                &Design::with_gram(&x, gram),
                &t,
                &[Penalty { l1: 0.0, l2: 0.0 }],
                Stop::EXACT,
            );
            let (slopes, ..) = by_hand(&x, &t.column(0), &s[0][0], Penalty { l1: 0.0, l2: 0.0 });
            assert!(slopes.iter().all(|q| q.abs() < 1e-9), "{slopes:?}");
            assert!(s[1][0].support.is_empty() && s[1][0].converged);
        }
    }

    #[test]
    fn a_path_ends_where_a_cold_start_ends() {
        let (x, t) = problem(25, 80, 2, 13);
        let penalties: Vec<Penalty> = (0..12)
            .map(|e| Penalty::mixed(0.7f64.powi(e) * 4.0, 1.0))
            .collect();
        let design = Design::new(&x);
        let warm = path(&design, &t, &penalties, Stop::EXACT);
        let cold = path(&design, &t, &penalties[11..], Stop::EXACT);
        for (a, b) in warm.iter().zip(&cold) {
            // Copies of a feature may share its weight in any way, so the fits are compared.
            let fitted = |s: &Solution| -> Vec<f64> {
                let own = |i: usize| {
                    s.support
                        .iter()
                        .zip(&s.coef)
                        .map(|(&j, w)| w * x[(i, j)])
                        .sum()
                };
                (0..25).map(own).collect()
            };
            let (u, v) = (fitted(&a[11]), fitted(&b[0]));
            assert!(u.iter().zip(&v).all(|(u, v)| (u - v).abs() < 1e-5));
        }
    }
}
