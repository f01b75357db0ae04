//! Conjugate gradients for several shifts of one symmetric positive semidefinite matrix at once.
//!
//! `(A + s I) x = b` has the same Krylov spaces for every shift `s`, so one product with `A` a step serves all of them (Jegerlehner 1996, "Krylov space solvers for shifted linear
//! systems"): the residuals of the larger shifts are multiples `zeta_s r` of the residual `r` of the smallest, and `zeta` obeys a three-term recurrence. Larger shifts converge first.
//! Complexity: `2 n^2` flops a step and right-hand side, `O(n)` a shift.

use crate::error::Result;
use crate::linalg::{Matrix, dot, symmetric_eigen, symmetric_times};

/// Solutions for every shift.
pub struct Solutions {
    /// For every shift, in the order given, the solutions of all right-hand sides one after the other.
    pub x: Vec<Vec<f64>>,
    /// Whether the residuals of a shift are at most the tolerance.
    pub converged: Vec<bool>,
    /// Steps taken.
    pub steps: usize,
    /// Coefficients of the steps for the first right-hand side and the smallest shift.
    coefficients: Vec<(f64, f64)>,
}

/// One shift of one right-hand side.
struct Shift {
    /// What it exceeds the smallest one by.
    above: f64,
    zeta: f64,
    zeta_before: f64,
    p: Vec<f64>,
    x: Vec<f64>,
    done: bool,
}

/// One right-hand side.
struct System {
    r: Vec<f64>,
    p: Vec<f64>,
    /// `|r|^2`, now and at the start.
    rho: f64,
    rho_start: f64,
    /// Coefficients of the step before.
    alpha: f64,
    beta: f64,
    shifts: Vec<Shift>,
}

/// Solves `(A + s I) x = b` for every shift, above 0, and every right-hand side (of length `n` each, one after the other), until residuals are at most `tol |b|` or `most` steps are
/// done. `a` is the whole matrix.
pub fn solve(a: &[f64], n: usize, shifts: &[f64], rhs: &[f64], tol: f64, most: usize) -> Solutions {
    let least = shifts.iter().copied().fold(f64::INFINITY, f64::min);
    let mut systems: Vec<System> = rhs
        .chunks_exact(n.max(1))
        .map(|b| System::new(b, shifts, least))
        .collect();
    let (mut p, mut product) = (vec![0.0; rhs.len()], vec![0.0; rhs.len()]);
    let (mut steps, mut coefficients) = (0, Vec::new());
    while steps < most && systems.iter().any(|s| !s.done()) {
        p.chunks_exact_mut(n)
            .zip(&systems)
            .for_each(|(p, s)| p.copy_from_slice(&s.p));
        symmetric_times(a, n, &p, &mut product);
        for (k, (system, ap)) in systems.iter_mut().zip(product.chunks_exact(n)).enumerate() {
            if !system.done() {
                system.step(ap, least, tol);
                if k == 0 {
                    coefficients.push((system.alpha, system.beta));
                }
            }
        }
        steps += 1;
    }
    let gather = |k: usize| systems.iter().flat_map(|s| s.shifts[k].x.iter().copied()).collect();
    Solutions {
        x: (0..shifts.len()).map(gather).collect(),
        converged: (0..shifts.len())
            .map(|k| systems.iter().all(|s| s.shifts[k].done && s.rho.is_finite()))
            .collect(),
        steps,
        coefficients,
    }
}

impl System {
    fn new(b: &[f64], shifts: &[f64], least: f64) -> Self {
        let rho = dot(b, b);
        let shift = |&s: &f64| Shift {
            above: s - least,
            zeta: 1.0,
            zeta_before: 1.0,
            p: b.to_vec(),
            x: vec![0.0; b.len()],
            done: rho == 0.0,
        };
        Self {
            r: b.to_vec(),
            p: b.to_vec(),
            rho,
            rho_start: rho,
            alpha: 1.0,
            beta: 0.0,
            shifts: shifts.iter().map(shift).collect(),
        }
    }

    fn done(&self) -> bool {
        self.shifts.iter().all(|s| s.done)
    }

    /// One step, given `A p`.
    fn step(&mut self, ap: &[f64], least: f64, tol: f64) {
        let alpha = self.rho / (dot(&self.p, ap) + least * dot(&self.p, &self.p));
        for ((r, p), ap) in self.r.iter_mut().zip(&self.p).zip(ap) {
            *r -= alpha * (ap + least * p);
        }
        let rho = dot(&self.r, &self.r);
        let beta = rho / self.rho;
        for shift in self.shifts.iter_mut().filter(|s| !s.done) {
            let (zeta, before) = (shift.zeta, shift.zeta_before);
            let next = zeta * before * self.alpha
                / (alpha * self.beta * (before - zeta) + before * self.alpha * (1.0 + alpha * shift.above));
            let ratio = next / zeta;
            for ((x, p), r) in shift.x.iter_mut().zip(&mut shift.p).zip(&self.r) {
                *x += alpha * ratio * *p;
                *p = next * r + beta * ratio * ratio * *p;
            }
            (shift.zeta_before, shift.zeta) = (zeta, next);
            let left = next * next * rho;
            // Nothing more can be done about a breakdown.
            shift.done = left.is_nan() || left <= tol * tol * self.rho_start;
        }
        for (p, r) in self.p.iter_mut().zip(&self.r) {
            *p = r + beta * *p;
        }
        (self.rho, self.alpha, self.beta) = (rho, alpha, beta);
    }
}

impl Solutions {
    /// Estimate, from below, of the condition number of `A` plus the smallest shift: the ratio of the extreme eigenvalues of the tridiagonal matrix of the Lanczos process that
    /// the steps amount to.
    pub fn condition(&self) -> Result<f64> {
        let c = &self.coefficients;
        let mut t = Matrix::zeros(c.len(), c.len());
        for k in 0..c.len() {
            let (alpha, beta) = c[k];
            t[(k, k)] = 1.0 / alpha + if k > 0 { c[k - 1].1 / c[k - 1].0 } else { 0.0 };
            if k + 1 < c.len() {
                t[(k, k + 1)] = beta.sqrt() / alpha;
                t[(k + 1, k)] = t[(k, k + 1)];
            }
        }
        let values = symmetric_eigen(&t)?.values;
        let (least, largest) = values.iter().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), v| {
            (a.min(v.abs()), b.max(v.abs()))
        });
        Ok(largest / least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, gram};
    use crate::linalg::cholesky_shifted;
    use crate::testing::random;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn every_shift_equals_its_own_direct_solution(n in 1usize..80, q in 1usize..4, width in 0.1f64..2.0, seed in 0u64..500) {
            let a = gram(&Kernel::Gaussian { bandwidth: width }, &random(n, 2, seed));
            let mut rhs = random(q, n, seed + 1);
            if q == 3 {
                // Nothing to solve on one of them.
                rhs.row_mut(1).fill(0.0);
            }
            let shifts = [1e-2, 10.0, 1e-4, 0.5];
            let found = solve(a.as_slice(), n, &shifts, rhs.as_slice(), 1e-12, 100 * n + 100);
            for (k, &s) in shifts.iter().enumerate() {
                prop_assert!(found.converged[k], "{s}");
                let mut exact = rhs.transpose();
                cholesky_shifted(a.clone(), s).expect("definite").solve_in_place(&mut exact);
                for c in 0..q {
                    for i in 0..n {
                        let x = found.x[k][c * n + i];
                        prop_assert!((x - exact[(i, c)]).abs() <= 1e-7 * exact.max_abs().max(1.0), "shift {s}: {x} {}", exact[(i, c)]);
                    }
                }
            }
        }

        #[test]
        fn the_condition_number_is_that_of_the_matrix(n in 2usize..40, width in 0.1f64..1.0, seed in 0u64..200) {
            let a = gram(&Kernel::Gaussian { bandwidth: width }, &random(n, 2, seed));
            let found = solve(a.as_slice(), n, &[1e-3], random(1, n, seed + 1).as_slice(), 1e-13, 100 * n);
            let values = symmetric_eigen(&a).expect("decomposes").values;
            let (least, largest) = values.iter().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), v| (a.min(*v), b.max(*v)));
            let exact = (largest + 1e-3) / (least + 1e-3);
            let estimate = found.condition().expect("decomposes");
            prop_assert!(estimate < 1.01 * exact && estimate > 0.5 * exact, "{estimate} {exact}");
        }
    }
}
