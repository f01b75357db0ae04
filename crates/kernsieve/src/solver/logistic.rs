//! Kernel logistic regression on a Gram matrix (Ghosh & Wang, eq. 9, 16, 20, 24).
//!
//! ```text
//! H(A) = sum_i s_i loss_i(K A) + lambda tr(A'KA),        s_i = w_i / sum w
//! ```
//! Two classes: one column, `f = K a` the log odds of the second class, `loss = ln(1 + exp(-y f))`
//! with `y` in {-1, 1}. More classes: one column a class, `loss = ln sum_c exp(f_c) - f_y`. With
//! `p` the probabilities and `b = s (y - p)` (`y` the 0/1 indicators), the gradient is `K r`, `r =
//! 2 lambda A - b`, so `A = b / (2 lambda)` at the solution: the columns of several classes sum to
//! zero without being told.
//!
//! **Newton.** `K` cancels from the Newton equations, which leaves `(W K + 2 lambda I) D = -r` with
//! `W` the curvature of the loss. That operator is self-adjoint in the inner product `<u, v> =
//! u'Kv`, so conjugate gradients run in it directly: one product with `K` a step, nothing is
//! factorised, singular `K` do no harm, and the condition number is at most `1 + 1 / (4 lambda)`
//! (two classes, `K_ii = 1`). Step halving on `H`.
//!
//! **Bounds.** By duality, for any probabilities `q`,
//! ```text
//! H* >= sum_i s_i entropy(q_i) - lambda tr(A'KA)        with A = s (y - q) / (2 lambda)
//! ```
//! with equality at the solution. Every iterate gives such a bound for free, and a problem whose
//! bound exceeds what the caller can use is given up.
//!
//! [Ghosh & Wang] "Feature import vector machine: a general classifier with flexible feature
//! selection", SADM 8 (2015).

pub use super::likelihood::Likelihood;

use crate::linalg::{dot, symmetric_times};

/// Largest `|r_i| / s_i`, relative to the largest `|y - p|`, at which a solution is accepted: where
/// `|K_ij| <= 1`, the gradient of `H` is at most this.
const TOLERANCE: f64 = 1e-12;
/// Newton steps before giving up.
const NEWTON_STEPS: usize = 100;
/// Conjugate gradient steps in one Newton step.
const INNER_STEPS: usize = 1000;
/// Below this ridge the probabilities of an iterate give a poor dual value: mixtures with those
/// that its coefficients stand for are tried too.
const SMALL_RIDGE: f64 = 0.05;
const MIXTURES: [f64; 3] = [0.0, 0.1, 0.3];
/// Halvings of a step.
const HALVINGS: usize = 40;

/// A solution of kernel logistic regression.
#[derive(Clone, Debug)]
pub struct Solution {
    /// `A`, one column after the other.
    pub coef: Vec<f64>,
    /// Probabilities of the rows, as [`Likelihood::evaluate`] leaves them.
    pub probabilities: Vec<f64>,
    /// `H`.
    pub objective: f64,
    /// `H` after each Newton step, the start first.
    pub trace: Vec<f64>,
    /// Largest entry of the gradient `K r`, relative to the largest of the terms `K b` that it is
    /// the difference of.
    pub gradient: f64,
    /// Products with `K`.
    pub products: usize,
    /// Whether the gradient is below 1e-10, relatively; always so where a gap was asked for
    /// instead.
    pub converged: bool,
}

/// How a solve ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// At the solution.
    Solved(Solution),
    /// Given up, as the objective cannot be below this, which is more than the caller can use.
    Above(f64),
}

/// Where a solve has been.
struct Point {
    objective: f64,
    residual: f64,
    gradient: f64,
    coef: Vec<f64>,
}

impl Point {
    fn is_better_than(&self, other: &Self) -> bool {
        let equal = 1e-12 * other.objective.abs();
        self.objective < other.objective - equal
            || (self.objective <= other.objective + equal && self.residual < other.residual)
    }
}

/// Vectors that solves of one size can share.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    f: Vec<f64>,
    p: Vec<f64>,
    gap: Vec<f64>,
    r: Vec<f64>,
    kr: Vec<f64>,
    step: Vec<f64>,
    inner: Vec<f64>,
    k_inner: Vec<f64>,
    direction: Vec<f64>,
    k_direction: Vec<f64>,
    image: Vec<f64>,
    trial: Vec<f64>,
}

impl Workspace {
    fn resize(&mut self, m: usize) {
        for v in [
            &mut self.f,
            &mut self.p,
            &mut self.gap,
            &mut self.r,
            &mut self.kr,
            &mut self.step,
            &mut self.inner,
            &mut self.k_inner,
            &mut self.direction,
            &mut self.k_direction,
            &mut self.image,
            &mut self.trial,
        ] {
            v.resize(m, 0.0);
        }
    }
}

/// An upper and a lower bound on the least objective, from the coefficients of another problem: two
/// products with `k`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// `H` at the given coefficients.
    pub upper: f64,
    /// The dual value at the probabilities they give.
    pub lower: f64,
}

/// Bounds from the coefficients `start`, leaving `f`, `p`, `r` and `K r` in the workspace.
pub fn bounds(
    k: &[f64],
    likelihood: &Likelihood,
    ridge: f64,
    start: &[f64],
    work: &mut Workspace,
) -> Bounds {
    work.resize(start.len());
    symmetric_times(k, likelihood.n_rows(), start, &mut work.f);
    let (loss, entropy) = likelihood.evaluate(&work.f, &mut work.p, &mut work.gap);
    bounds_here(k, likelihood, ridge, start, loss, entropy, work)
}

/// With `f` and `p` in place.
fn bounds_here(
    k: &[f64],
    likelihood: &Likelihood,
    ridge: f64,
    a: &[f64],
    loss: f64,
    entropy: f64,
    work: &mut Workspace,
) -> Bounds {
    likelihood.residual(ridge, a, &work.gap, &mut work.r);
    symmetric_times(k, likelihood.n_rows(), &work.r, &mut work.kr);
    let penalty = ridge * dot(a, &work.f);
    // The dual coefficients of a mixture are A - share r / (2 lambda): their penalty needs no
    // further product.
    let (rf, rkr) = (
        dot(&work.r, &work.f),
        dot(&work.r, &work.kr) / (4.0 * ridge),
    );
    let value = |share: f64, entropy: f64| entropy - (penalty - share * rf + share * share * rkr);
    // What rounding may add to a difference of such terms.
    let doubt = |entropy: f64| 1e-14 * (entropy + penalty.abs() + rf.abs() + rkr.abs());
    let mut lower = value(1.0, entropy) - doubt(entropy);
    if ridge < SMALL_RIDGE {
        for share in MIXTURES {
            if let Some(entropy) = likelihood.mixed_entropy(ridge, a, &work.p, share) {
                lower = lower.max(value(share, entropy) - doubt(entropy));
            }
        }
    }
    Bounds {
        upper: loss + penalty,
        lower,
    }
}

/// When a solve may end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Relative gap between `H` and its dual bound that is good enough; 0 asks for the solution to
    /// the last digits.
    pub gap: f64,
    /// The solve is given up when the objective cannot be at most this.
    pub above: f64,
}

impl Stop {
    /// At the solution.
    pub const EXACT: Self = Self {
        gap: 0.0,
        above: f64::INFINITY,
    };
    /// Where predictions are the solution's for all that validation can see.
    pub const FOLD: Self = Self {
        gap: 1e-11,
        above: f64::INFINITY,
    };
}

/// Minimises `H` for the symmetric positive semidefinite `k` (row-major), from the coefficients
/// `start`.
pub fn solve(
    k: &[f64],
    likelihood: &Likelihood,
    ridge: f64,
    start: &[f64],
    stop: Stop,
    work: &mut Workspace,
) -> Outcome {
    let n = likelihood.n_rows();
    let mut a = start.to_vec();
    work.resize(a.len());
    symmetric_times(k, n, &a, &mut work.f);
    let (mut loss, mut entropy) = likelihood.evaluate(&work.f, &mut work.p, &mut work.gap);
    let mut products = 1;
    // Coefficients of another problem can be far worse than none, where the loss is flat and Newton
    // steps lead nowhere.
    let none = (likelihood.classes as f64).ln();
    let value = loss + ridge * dot(&a, &work.f);
    if value.is_nan() || value > none {
        a.fill(0.0);
        work.f.fill(0.0);
        (loss, entropy) = likelihood.evaluate(&work.f, &mut work.p, &mut work.gap);
    }
    let mut trace = Vec::new();
    // The point of least objective, and where rounding makes objectives equal, of least residual.
    let mut best: Option<Point> = None;
    let (mut least, mut stalled) = (f64::INFINITY, 0);
    loop {
        let now = bounds_here(k, likelihood, ridge, &a, loss, entropy, work);
        products += 1;
        trace.push(now.upper);
        if now.lower > stop.above {
            return Outcome::Above(now.lower);
        }
        let largest = work
            .gap
            .iter()
            .fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let residual = likelihood.relative_size(&work.r) / largest;
        // K b = 2 lambda f - K r: the terms that the gradient is the difference of.
        let size =
            |value: f64, (f, kr): (&f64, &f64)| f64::max(value, (2.0 * ridge * f - kr).abs());
        let terms = work.f.iter().zip(&work.kr).fold(f64::MIN_POSITIVE, size);
        let steepest = work.kr.iter().fold(0.0, |m, v| f64::max(m, v.abs()));
        let gradient = steepest / terms;
        // The part of the residual that K sees; the rest of it only the dual coefficients below can
        // mend.
        let seen = dot(&work.r, &work.kr).max(0.0);
        stalled = if seen < 0.25 * least { 0 } else { stalled + 1 };
        least = least.min(seen);
        let point = Point {
            objective: now.upper,
            residual,
            gradient,
            coef: vec![],
        };
        if best.as_ref().is_none_or(|b| point.is_better_than(b)) {
            let coef = a.clone();
            best = Some(Point { coef, ..point });
        }
        let small_gap = (now.upper - now.lower).abs() <= 1e-10 * now.upper.abs();
        let good_enough = stop.gap > 0.0 && now.upper - now.lower <= stop.gap * now.upper;
        if residual <= TOLERANCE
            || good_enough
            || trace.len() > NEWTON_STEPS
            || (stalled > 3 && small_gap)
        {
            break;
        }
        // Near the solution the dual coefficients have almost the same outputs. They satisfy the
        // equations in the directions that K does not see as well, where conjugate gradients leave
        // everything as it was.
        let shift = steepest / (2.0 * ridge);
        if shift <= TOLERANCE || (shift <= 1e-5 && residual > 100.0 * shift) {
            a.iter_mut()
                .zip(&work.r)
                .for_each(|(a, r)| *a -= r / (2.0 * ridge));
            symmetric_times(k, n, &a, &mut work.f);
            products += 1;
            (loss, entropy) = likelihood.evaluate(&work.f, &mut work.p, &mut work.gap);
            continue;
        }
        products += newton_direction(k, likelihood, ridge, residual, work);
        // Slope of H along the step: (K r)' d.
        let slope = dot(&work.kr, &work.step);
        let negligible = slope.abs() <= 1e-13 * now.upper.abs();
        let (mut size, mut accepted) = (1.0, false);
        for _ in 0..HALVINGS {
            work.trial
                .iter_mut()
                .zip(a.iter().zip(&work.step))
                .for_each(|(t, (a, d))| *t = a + size * d);
            symmetric_times(k, n, &work.trial, &mut work.f);
            products += 1;
            (loss, entropy) = likelihood.evaluate(&work.f, &mut work.p, &mut work.gap);
            let value = loss + ridge * dot(&work.trial, &work.f);
            accepted = negligible || value <= now.upper + 1e-4 * size * slope;
            if accepted {
                break;
            }
            size *= 0.5;
        }
        if !accepted {
            break;
        }
        a.copy_from_slice(&work.trial);
    }
    let (gradient, coef) = best.map_or((f64::INFINITY, a), |b| (b.gradient, b.coef));
    symmetric_times(k, n, &coef, &mut work.f);
    let (loss, _) = likelihood.evaluate(&work.f, &mut work.p, &mut work.gap);
    let objective = loss + ridge * dot(&coef, &work.f);
    Outcome::Solved(Solution {
        probabilities: work.p.clone(),
        objective,
        trace,
        gradient,
        products: products + 1,
        converged: gradient <= 1e-10 || stop.gap > 0.0,
        coef,
    })
}

/// Conjugate gradients in the inner product `u'Kv` on `(W K + 2 lambda I) d = -r`; `d` is left in
/// `work.step`. Gives the number of products.
fn newton_direction(
    k: &[f64],
    likelihood: &Likelihood,
    ridge: f64,
    residual: f64,
    work: &mut Workspace,
) -> usize {
    let n = likelihood.n_rows();
    work.step.fill(0.0);
    work.inner
        .iter_mut()
        .zip(&work.r)
        .for_each(|(o, r)| *o = -r);
    work.k_inner
        .iter_mut()
        .zip(&work.kr)
        .for_each(|(o, r)| *o = -r);
    work.direction.copy_from_slice(&work.inner);
    work.k_direction.copy_from_slice(&work.k_inner);
    let first = dot(&work.inner, &work.k_inner);
    let mut norm = first;
    // Tighter as the solution comes near: the outer steps then converge quadratically.
    let target = first * residual.clamp(1e-8, 0.1).powi(2);
    let mut products = 0;
    for _ in 0..INNER_STEPS {
        if norm.is_nan() || norm <= target || norm <= 0.0 {
            break;
        }
        likelihood.curvature_times(&work.p, &work.k_direction, &mut work.image);
        work.image
            .iter_mut()
            .zip(&work.direction)
            .for_each(|(o, d)| *o += 2.0 * ridge * d);
        let curvature = dot(&work.image, &work.k_direction);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let size = norm / curvature;
        for (s, d) in work.step.iter_mut().zip(&work.direction) {
            *s += size * d;
        }
        for (r, i) in work.inner.iter_mut().zip(&work.image) {
            *r -= size * i;
        }
        symmetric_times(k, n, &work.inner, &mut work.k_inner);
        products += 1;
        let next = dot(&work.inner, &work.k_inner);
        let keep = next / norm;
        norm = next;
        for (d, r) in work.direction.iter_mut().zip(&work.inner) {
            *d = r + keep * *d;
        }
        for (d, r) in work.k_direction.iter_mut().zip(&work.k_inner) {
            *d = r + keep * *d;
        }
    }
    products
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Classes;
    use crate::kernel::{Kernel, gram};
    use crate::linalg::Matrix;
    use crate::testing::{problem, random};
    use proptest::prelude::*;

    fn example(n: usize, classes: usize, seed: u64) -> (Matrix, Classes) {
        let p = problem(n, 3, classes, seed);
        (
            gram(&Kernel::Gaussian { bandwidth: 1.1 }, &p.x),
            p.classes(),
        )
    }

    fn solved(k: &Matrix, classes: &Classes, ridge: f64) -> Solution {
        let likelihood = Likelihood::new(classes);
        let start = vec![0.0; likelihood.columns() * classes.n_rows()];
        let mut work = Workspace::default();
        match solve(
            k.as_slice(),
            &likelihood,
            ridge,
            &start,
            Stop::EXACT,
            &mut work,
        ) {
            Outcome::Solved(s) => s,
            Outcome::Above(_) => panic!("nothing to give up for"),
        }
    }

    /// `H` as the paper writes it, from scratch.
    fn objective(k: &Matrix, classes: &Classes, ridge: f64, a: &[f64]) -> f64 {
        let n = classes.n_rows();
        let column = |c: usize| &a[c * n..(c + 1) * n];
        let f = |c: usize, i: usize| -> f64 { (0..n).map(|j| k[(i, j)] * column(c)[j]).sum() };
        let q = a.len() / n;
        let mut h = 0.0;
        for i in 0..n {
            let y = classes.codes()[i];
            let loss = if q == 1 {
                let sign = if y == 1 { 1.0 } else { -1.0 };
                (1.0 + f64::exp(-sign * f(0, i))).ln()
            } else {
                (0..q).map(|c| f(c, i).exp()).sum::<f64>().ln() - f(y, i)
            };
            h += classes.weight(i) / classes.total() * loss;
        }
        let norm: f64 = (0..q)
            .map(|c| (0..n).map(|i| column(c)[i] * f(c, i)).sum::<f64>())
            .sum();
        h + ridge * norm
    }

    #[test]
    fn the_gradient_of_the_stated_objective_vanishes() {
        for c in [2, 3, 5] {
            let (k, classes) = example(40, c, 3);
            for ridge in [1.0, 0.01, 1e-5] {
                let s = solved(&k, &classes, ridge);
                assert!(s.converged, "{c} {ridge}: {}", s.gradient);
                assert!(
                    (objective(&k, &classes, ridge, &s.coef) - s.objective).abs()
                        < 1e-12 * (1.0 + s.objective)
                );
                // K r, with r from the definition of the probabilities; eq. 16 and 24.
                let n = classes.n_rows();
                let likelihood = Likelihood::new(&classes);
                let mut r = vec![0.0; s.coef.len()];
                let (mut f, mut p, mut gap) = (r.clone(), r.clone(), r.clone());
                symmetric_times(k.as_slice(), n, &s.coef, &mut f);
                likelihood.evaluate(&f, &mut p, &mut gap);
                assert_eq!(p, s.probabilities);
                likelihood.residual(ridge, &s.coef, &gap, &mut r);
                let mut gradient = vec![0.0; r.len()];
                symmetric_times(k.as_slice(), n, &r, &mut gradient);
                let worst = gradient.iter().fold(0.0, |m, g| f64::max(m, g.abs()));
                assert!(worst < 1e-10, "{c} {ridge}: {worst}");
                // And central differences agree that it is a minimum: the gradient is nowhere else
                // than where we say.
                for j in [0, 7, s.coef.len() - 1] {
                    let scale = 1e-4 * s.coef.iter().fold(0.0, |m, a| f64::max(m, a.abs()));
                    let at = |t: f64| {
                        let mut a = s.coef.clone();
                        a[j] += t;
                        objective(&k, &classes, ridge, &a)
                    };
                    assert!(
                        (at(scale) - at(-scale)).abs() <= 1e-7 * scale + 1e-14,
                        "{c} {ridge} {j}"
                    );
                    assert!(at(scale) >= s.objective - 1e-15 && at(-scale) >= s.objective - 1e-15);
                }
                assert!(
                    s.trace.windows(2).all(|t| t[1] <= t[0] + 1e-12),
                    "{:?}",
                    s.trace
                );
            }
        }
    }

    #[test]
    fn the_dual_value_bounds_from_below_and_meets_the_objective() {
        for classes in [2, 4] {
            let (k, classes) = example(36, classes, 5);
            let likelihood = Likelihood::new(&classes);
            let s = solved(&k, &classes, 0.02);
            let mut work = Workspace::default();
            for seed in 0..20 {
                let start = random(1, s.coef.len(), seed).into_vec();
                let b = bounds(k.as_slice(), &likelihood, 0.02, &start, &mut work);
                assert!(
                    b.lower <= s.objective + 1e-13 && b.upper >= s.objective - 1e-13,
                    "{b:?}"
                );
            }
            let b = bounds(k.as_slice(), &likelihood, 0.02, &s.coef, &mut work);
            assert!((b.upper - b.lower).abs() < 1e-13, "{b:?}");
            // Giving up happens exactly above the objective.
            let start = vec![0.0; s.coef.len()];
            let try_below = |limit: f64, work: &mut Workspace| {
                let stop = Stop {
                    above: limit,
                    ..Stop::EXACT
                };
                solve(k.as_slice(), &likelihood, 0.02, &start, stop, work)
            };
            assert!(
                matches!(try_below(s.objective - 1e-6, &mut work), Outcome::Above(v) if v <= s.objective + 1e-13)
            );
            assert!(matches!(
                try_below(s.objective + 1e-6, &mut work),
                Outcome::Solved(_)
            ));
        }
    }

    #[test]
    fn two_classes_as_many_are_the_binary_problem_at_half_the_ridge() {
        let (k, classes) = example(50, 2, 8);
        let binary = solved(&k, &classes, 0.01);
        // The same rows with a third class that no row has would add a column; so the multinomial
        // form is made by hand.
        let mut likelihood = Likelihood::new(&classes);
        likelihood.classes = 3;
        let n = classes.n_rows();
        let mut work = Workspace::default();
        let Outcome::Solved(three) = solve(
            k.as_slice(),
            &likelihood,
            0.02,
            &vec![0.0; 3 * n],
            Stop::EXACT,
            &mut work,
        ) else {
            panic!("solves")
        };
        // Columns sum to zero, whatever the number of classes.
        for i in 0..n {
            let sum: f64 = (0..3).map(|c| three.coef[c * n + i]).sum();
            assert!(sum.abs() < 1e-11);
        }
        // (f, -f) / 2 has half the squared norm of f: (24) at lambda is (16) at lambda / 2.
        let half: Vec<f64> = binary.coef.iter().map(|a| 0.5 * a).collect();
        let both: Vec<f64> = half
            .iter()
            .map(|a| -a)
            .chain(half.iter().copied())
            .collect();
        let value = objective(&k, &classes, 0.02, &both);
        assert!(
            (value - binary.objective).abs() < 1e-12,
            "{value} {}",
            binary.objective
        );
        for (j, scale) in [(3, 1e-3), (60, 1e-3)] {
            let at = |t: f64| {
                let mut a = both.clone();
                a[j] += t;
                objective(&k, &classes, 0.02, &a)
            };
            assert!(at(scale) > value && at(-scale) > value);
        }
    }

    #[test]
    fn separable_and_singular_problems_are_solved() {
        // Rows of one class are all alike, far apart: K is singular and the margins are huge.
        let n = 30;
        let codes: Vec<usize> = (0..n).map(|i| usize::from(i >= 10)).collect();
        let x = Matrix::from_fn(n, 1, |i, _| if i >= 10 { 1e3 } else { -1e3 });
        let k = gram(&Kernel::Gaussian { bandwidth: 1.0 }, &x);
        let classes = Classes::new(&codes, None, 2);
        for ridge in [1.0, 1e-4, 1e-9, 1e-14] {
            let s = solved(&k, &classes, ridge);
            assert!(s.converged, "{ridge}: {}", s.gradient);
            assert_eq!(
                Likelihood::new(&classes).training_error(&s.probabilities),
                0.0
            );
            // One equation for each class: 2 lambda f = (share of the class) (1 - p).
            let f: f64 = (10..n).map(|i| s.coef[i]).sum();
            let right = 2.0 / 3.0 / (1.0 + f.exp()) / (2.0 * ridge);
            assert!((f - right).abs() < 1e-7 * f, "{ridge}: {f} {right}");
        }
        let linear = gram(&Kernel::Linear, &random(60, 2, 4));
        let classes = Classes::new(&(0..60).map(|i| i % 3).collect::<Vec<_>>(), None, 3);
        let s = solved(&linear, &classes, 1e-3);
        // Labels that the rows say nothing about: the terms of the gradient all but cancel, and
        // rounding shows.
        assert!(s.gradient < 1e-10, "{} {:?}", s.gradient, s.trace);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn weights_are_repetitions_and_order_does_not_matter(seed in 0u64..1000, c in 2usize..5, ridge in -5.0f64..0.5) {
            let ridge = 10f64.powf(ridge);
            let (k, classes) = example(24, c, seed);
            let n = classes.n_rows();
            let times: Vec<f64> = (0..n).map(|i| 1.0 + ((i * 7 + seed as usize) % 3) as f64).collect();
            let rows: Vec<usize> = (0..n).flat_map(|i| vec![i; times[i] as usize]).rev().collect();
            let repeated = Matrix::from_fn(rows.len(), rows.len(), |i, j| k[(rows[i], rows[j])]);
            let codes: Vec<usize> = rows.iter().map(|&i| classes.codes()[i]).collect();
            let a = solved(&k, &Classes::new(classes.codes(), Some(&times), c), ridge);
            let b = solved(&repeated, &Classes::new(&codes, None, c), ridge);
            prop_assert!((a.objective - b.objective).abs() < 1e-11);
            let m = rows.len();
            for c in 0..a.coef.len() / n {
                for (at, &i) in rows.iter().enumerate() {
                    let (one, all) = (b.probabilities[c * m + at], a.probabilities[c * n + i]);
                    prop_assert!((one - all).abs() < 1e-8, "{one} {all}");
                }
            }
        }
    }
}
