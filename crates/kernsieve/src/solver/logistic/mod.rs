//! Kernel logistic regression on a Gram matrix (Ghosh & Wang, eq. 9, 16, 20, 24).
//!
//! ```text
//! H(A) = sum_i s_i loss_i(K A) + lambda tr(A'KA),        s_i = w_i / sum w
//! ```
//! Two classes have one column: `f = K a` are the log odds of the second class, and
//! `loss = ln(1 + exp(-y f))` with `y` in {-1, 1}. More classes have one column per class, and
//! `loss = ln sum_c exp(f_c) - f_y`. Let `p` be the probabilities, `y` the 0/1 indicators and
//! `b = s (y - p)`. Then the gradient is `K r` with `r = 2 lambda A - b`, so `A = b / (2 lambda)`
//! at the solution. It follows that the columns of several classes sum to zero; no constraint is
//! needed.
//!
//! **Newton.** `K` cancels from the Newton equations, which leaves `(W K + 2 lambda I) D = -r`,
//! where `W` is the curvature of the loss. This operator is self-adjoint in the inner product
//! `<u, v> = u'Kv`, so conjugate gradients run in that inner product: one product with `K` per
//! step, no factorisation, and a singular `K` does no harm. The condition number is at most
//! `1 + 1 / (4 lambda)` (two classes, `K_ii = 1`). Steps are halved until `H` falls.
//!
//! **Bounds.** By duality, for any probabilities `q`,
//! ```text
//! H* >= sum_i s_i entropy(q_i) - lambda tr(A'KA)        with A = s (y - q) / (2 lambda)
//! ```
//! with equality at the solution. Every iterate yields such a bound at no extra cost. A problem
//! whose bound exceeds what the caller can use is abandoned.
//!
//! [Ghosh & Wang] "Feature import vector machine: a general classifier with flexible feature
//! selection", SADM 8 (2015).

mod bounds;
mod newton;
mod workspace;

pub use super::likelihood::Likelihood;
pub use bounds::{Bounds, bounds};
pub use workspace::Workspace;

use crate::linalg::{dot, symmetric_times};
use bounds::bounds_here;
use newton::newton_direction;

/// A solution is accepted when the largest `|r_i| / s_i` is at most this, relative to the largest
/// `|y - p|`. Where `|K_ij| <= 1`, this also bounds the gradient of `H`.
const TOLERANCE: f64 = 1e-12;
/// Most Newton steps.
const NEWTON_STEPS: usize = 100;
/// Most halvings of a step.
const HALVINGS: usize = 40;

/// A solution of kernel logistic regression.
#[derive(Clone, Debug)]
pub struct Solution {
    /// `A`, column by column.
    pub coef: Vec<f64>,
    /// Probabilities of the rows, in the layout of [`Likelihood::evaluate`].
    pub probabilities: Vec<f64>,
    /// `H` at the solution.
    pub objective: f64,
    /// `H` at the start and after each Newton step.
    pub trace: Vec<f64>,
    /// Largest entry of the gradient `K r = 2 lambda K A - K b`, relative to the largest entry of
    /// `K b`.
    pub gradient: f64,
    /// Number of products with `K`.
    pub products: usize,
    /// Whether the relative gradient is below 1e-10; always true where a gap was requested instead.
    pub converged: bool,
}

/// How a solve ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The solution was found.
    Solved(Solution),
    /// Abandoned: the objective cannot be below this bound, which is more than the caller can use.
    Above(f64),
}

/// A point that a solve has visited.
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

/// When a solve ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Relative gap between `H` and its dual bound at which a solve ends; 0 asks for full accuracy.
    pub gap: f64,
    /// The solve is abandoned once the objective is known to exceed this.
    pub above: f64,
}

impl Stop {
    /// Full accuracy.
    pub const EXACT: Self = Self {
        gap: 0.0,
        above: f64::INFINITY,
    };
    /// For the folds of a cross-validation: predictions are indistinguishable from those of the
    /// solution.
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
    // A start from another problem can be far worse than zero: the loss may be flat there, and
    // Newton steps lead nowhere.
    let none = (likelihood.classes as f64).ln();
    let value = loss + ridge * dot(&a, &work.f);
    if value.is_nan() || value > none {
        a.fill(0.0);
        work.f.fill(0.0);
        (loss, entropy) = likelihood.evaluate(&work.f, &mut work.p, &mut work.gap);
    }
    let mut trace = Vec::new();
    // The point of least objective; among objectives that rounding makes equal, of least residual.
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
        // K b = 2 lambda f - K r: the size of the terms whose difference is the gradient.
        let size =
            |value: f64, (f, kr): (&f64, &f64)| f64::max(value, (2.0 * ridge * f - kr).abs());
        let terms = work.f.iter().zip(&work.kr).fold(f64::MIN_POSITIVE, size);
        let steepest = work.kr.iter().fold(0.0, |m, v| f64::max(m, v.abs()));
        let gradient = steepest / terms;
        // The part of the residual that K sees. Only the dual coefficients below can remove the
        // rest.
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
        // Near the solution the dual coefficients have almost the same outputs. They also satisfy
        // the equations in the directions that K does not see, which conjugate gradients leave
        // unchanged.
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

#[cfg(test)]
mod tests;
