//! The Bayesian evidence of the samples chosen so far.
//!
//! The model behind a ridge `r` (Chen, Chng & Alkadhimi 1996 and Orr 1995, after MacKay 1992): each
//! of the `q = c - 1` independent columns of `Y_0` is `1 b + K_S a + e` with noise `e ~ N(0, s^2
//! I)` and coefficients `a ~ N(0, s^2 (r K_SS)^-1)`. The offset `b` has a flat prior and the
//! variance the density `1 / s^2`; all three are integrated out. Up to a constant that depends on
//! `n` and `q` only,
//!
//! ```text
//! log p(Y_0 | S, r) = -(q / 2) (log |K_S'C K_S + r K_SS| - log |r K_SS|)
//!                     - (q (n - 1) / 2) log E(S, r)
//! ```
//!
//! with `E = min_A |C (Y_0 - K_S A)|^2 + r tr(A' K_SS A)`, the penalised error along the path. The
//! first determinant is that of the factorisation which selects, the second that of the kernel
//! matrix of the samples, factorised along: `O(s^2)` per step.

use crate::linalg::{Matrix, dot};
use crate::solver::ols::Step;

/// The evidence along a path.
pub(super) struct Evidence<'a> {
    /// Kernel values among the candidates.
    own: &'a Matrix,
    ridge: f64,
    /// The samples so far, and the rows of the Cholesky factor of their kernel matrix.
    order: Vec<usize>,
    factor: Vec<Vec<f64>>,
    /// `log |K_S'C K_S + r K_SS| - log |r K_SS|`.
    log_determinant: f64,
    /// Weight of all rows, and number of independent responses.
    n: f64,
    q: f64,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(own: &'a Matrix, ridge: f64, n: f64, n_classes: usize) -> Self {
        Self {
            own,
            ridge,
            order: vec![],
            factor: vec![],
            log_determinant: 0.0,
            n,
            q: n_classes.saturating_sub(1) as f64,
        }
    }

    /// Takes in a step, after which the penalised error is `left`, and returns the log evidence.
    pub(super) fn follow(&mut self, step: &Step<'_>, left: f64) -> f64 {
        let j = step.candidate;
        let mut row: Vec<f64> = Vec::with_capacity(step.size);
        for (&i, earlier) in self.order.iter().zip(&self.factor) {
            let k = row.len();
            row.push((self.own[(j, i)] - dot(&row, &earlier[..k])) / earlier[k]);
        }
        let whole = self.own[(j, j)].abs();
        let pivot = (self.own[(j, j)] - dot(&row, &row)).max(f64::EPSILON * whole);
        row.push(pivot.sqrt());
        self.log_determinant += 2.0 * step.length.ln() - (self.ridge * pivot).ln();
        self.order.push(j);
        self.factor.push(row);
        self.log(left)
    }

    /// The log evidence where the penalised error is `left`.
    fn log(&self, left: f64) -> f64 {
        -0.5 * self.q * (self.log_determinant + (self.n - 1.0) * left.ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, gram};
    use crate::method::smkda::{RidgeRule, Smkda, ground::Ground};
    use crate::testing::problem;

    /// `log` of the integral of `exp(f)` over a grid of this step, from logs.
    fn log_integral(logs: impl Iterator<Item = f64>, step: f64) -> f64 {
        let logs: Vec<f64> = logs.collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most + (logs.iter().map(|l| (l - most).exp()).sum::<f64>() * step).ln()
    }

    /// The evidence of eight rows of two classes by the trapezoidal rule over offset, coefficients
    /// and log variance: no linear algebra.
    fn integrated(y: &[f64], k: &Matrix, chosen: &[usize], ridge: f64) -> f64 {
        let n = y.len();
        let grid = |from: f64, to: f64, count: usize| {
            (0..=count).map(move |i| from + (to - from) * i as f64 / count as f64)
        };
        let two_pi = 2.0 * std::f64::consts::PI;
        // Over log s^2 the density 1 / s^2 is flat.
        let over_variance = grid(-2.0, 5.0, 14).map(|t| {
            let s2 = t.exp();
            let root = s2.sqrt();
            // Whatever the variance, the integrand varies on the scale of its root.
            let likelihood = |b: f64, a: &[f64]| {
                let gaps = (0..n).map(|i| {
                    let f: f64 = chosen.iter().zip(a).map(|(&j, a)| a * k[(i, j)]).sum();
                    (y[i] - b - f).powi(2)
                });
                let mut penalty = 0.0;
                for (&i, u) in chosen.iter().zip(a) {
                    for (&j, v) in chosen.iter().zip(a) {
                        penalty += u * v * k[(i, j)];
                    }
                }
                let determinant = match *chosen {
                    [i] => k[(i, i)],
                    [i, j] => k[(i, i)] * k[(j, j)] - k[(i, j)] * k[(j, i)],
                    _ => 1.0,
                };
                let s = chosen.len() as f64;
                -0.5 * n as f64 * (two_pi * s2).ln()
                    - 0.5 * gaps.sum::<f64>() / s2
                    - 0.5 * s * (two_pi * s2 / ridge).ln()
                    + 0.5 * determinant.ln()
                    - 0.5 * ridge * penalty / s2
            };
            let reach = 2.0 + 4.5 * root;
            let count = (8.0 * reach / root) as usize;
            let step = 2.0 * reach / count as f64;
            let axis = || grid(-reach, reach, count);
            let over_b = axis().map(|b| match chosen.len() {
                1 => log_integral(axis().map(|a| likelihood(b, &[a])), step),
                _ => {
                    let inner = |a: f64| log_integral(axis().map(|c| likelihood(b, &[a, c])), step);
                    log_integral(axis().map(inner), step)
                }
            });
            log_integral(over_b, step)
        });
        log_integral(over_variance, 0.5)
    }

    #[test]
    fn is_the_integral_over_coefficients_offset_and_variance() {
        let mut problem = problem(8, 2, 2, 3);
        // Labels that the kernel cannot follow: the variance stays away from 0.
        let codes = vec![0, 1, 0, 1, 1, 0, 1, 0];
        let names = problem.labels.classes().to_vec();
        problem.labels = crate::data::Labels::from_codes(codes, names).expect("codes fit");
        let kernel = Kernel::Gaussian { bandwidth: 1.5 };
        let k = gram(&kernel, &problem.x);
        let classes = problem.classes();
        // One response: with two classes the columns of Y_0, centred, are u and -u, rotated.
        let y: Vec<f64> = (0..8)
            .map(|i| if classes.codes()[i] == 0 { 1.0 } else { -1.0 })
            .collect();
        let mut ours = Vec::new();
        let mut direct = Vec::new();
        for ridge in [0.05, 2.0, 40.0] {
            let smkda = Smkda::new().ridge(ridge).ridge_rule(RidgeRule::Evidence);
            let mut ground = Ground::new(&smkda, k.clone(), &problem, None);
            let mut chosen = Vec::new();
            ground.walk(&smkda, Some(ridge), false, 2, |step, at| {
                chosen.push(step.candidate);
                ours.push(at.evidence.expect("asked for"));
                if ridge != 2.0 && step.size == 2 {
                    return false;
                }
                direct.push(integrated(&y, &k, &chosen, ridge));
                true
            });
            if ridge != 2.0 {
                ours.pop();
            }
        }
        // One sample at three ridges, and two samples at one of them: differences do not know the
        // constant.
        assert_eq!(ours.len(), 4);
        for i in 1..4 {
            let (a, b) = (ours[i] - ours[0], direct[i] - direct[0]);
            assert!((a - b).abs() < 1e-3, "{i}: {a} {b}");
        }
        assert!((direct[3] - direct[0]).abs() > 0.05, "{direct:?}");
    }
}
