//! Conjugate gradients for several shifts of one symmetric positive semidefinite matrix at once.
//!
//! `(A + s I) x = b` has the same Krylov spaces for every shift `s`, so one product with `A` per
//! step serves all of them (Jegerlehner 1996, "Krylov space solvers for shifted linear systems"):
//! the residuals of the larger shifts are multiples `zeta_s r` of the residual `r` of the smallest,
//! and `zeta` obeys a three-term recurrence. Larger shifts converge first. Complexity: `2 n^2`
//! flops per step and right-hand side, and `O(n)` per shift.

use crate::linalg::{dot, symmetric_times};

/// Solutions for every shift.
pub struct Solutions {
    /// For every shift, in the given order, the solutions of all right-hand sides, one after the
    /// other.
    pub x: Vec<Vec<f64>>,
    /// Whether all residuals of a shift are within the tolerance.
    pub converged: Vec<bool>,
    /// Number of steps.
    pub steps: usize,
}

/// One shift of one right-hand side.
struct Shift {
    /// Excess over the smallest shift.
    above: f64,
    zeta: f64,
    zeta_before: f64,
    p: Vec<f64>,
    x: Vec<f64>,
    /// Whether its residual is within the tolerance, and whether it needs no more steps.
    converged: bool,
    done: bool,
}

/// One right-hand side.
struct System {
    /// What it was divided by, because squares of tiny numbers would vanish.
    scale: f64,
    r: Vec<f64>,
    p: Vec<f64>,
    /// `|r|^2`, now and at the start.
    rho: f64,
    rho_start: f64,
    /// Coefficients of the last step.
    alpha: f64,
    beta: f64,
    shifts: Vec<Shift>,
}

/// Solves `(A + s I) x = b` for every shift (each above 0) and every right-hand side (each of
/// length `n`, one after the other), until all residuals are at most `tol |b|` or `most` steps are
/// done. `a` holds both triangles of the matrix.
pub fn solve(a: &[f64], n: usize, shifts: &[f64], rhs: &[f64], tol: f64, most: usize) -> Solutions {
    let least = shifts.iter().copied().fold(f64::INFINITY, f64::min);
    let mut systems: Vec<System> = rhs
        .chunks_exact(n.max(1))
        .map(|b| System::new(b, shifts, least))
        .collect();
    let (mut p, mut product) = (vec![0.0; rhs.len()], vec![0.0; rhs.len()]);
    let mut steps = 0;
    while steps < most && systems.iter().any(|s| !s.done()) {
        p.chunks_exact_mut(n)
            .zip(&systems)
            .for_each(|(p, s)| p.copy_from_slice(&s.p));
        symmetric_times(a, n, &p, &mut product);
        for (system, ap) in systems.iter_mut().zip(product.chunks_exact(n)) {
            if !system.done() {
                system.step(ap, least, tol);
            }
        }
        steps += 1;
    }
    let gather = |k: usize| {
        let scaled = |s: &System| {
            s.shifts[k]
                .x
                .iter()
                .map(|x| x * s.scale)
                .collect::<Vec<_>>()
        };
        systems.iter().flat_map(scaled).collect()
    };
    Solutions {
        x: (0..shifts.len()).map(gather).collect(),
        converged: (0..shifts.len())
            .map(|k| systems.iter().all(|s| s.shifts[k].converged))
            .collect(),
        steps,
    }
}

impl System {
    fn new(b: &[f64], shifts: &[f64], least: f64) -> Self {
        let largest = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let b: Vec<f64> = b.iter().map(|v| v / scale).collect();
        let rho = dot(&b, &b);
        let shift = |&s: &f64| Shift {
            above: s - least,
            zeta: 1.0,
            zeta_before: 1.0,
            p: b.clone(),
            x: vec![0.0; b.len()],
            converged: rho == 0.0,
            done: rho == 0.0,
        };
        Self {
            shifts: shifts.iter().map(shift).collect(),
            scale,
            r: b.clone(),
            p: b,
            rho,
            rho_start: rho,
            alpha: 1.0,
            beta: 0.0,
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
                / (alpha * self.beta * (before - zeta)
                    + before * self.alpha * (1.0 + alpha * shift.above));
            let ratio = next / zeta;
            for ((x, p), r) in shift.x.iter_mut().zip(&mut shift.p).zip(&self.r) {
                *x += alpha * ratio * *p;
                *p = next * r + beta * ratio * ratio * *p;
            }
            (shift.zeta_before, shift.zeta) = (zeta, next);
            let left = next * next * rho;
            shift.converged = left <= tol * tol * self.rho_start;
            // After a breakdown no further step helps.
            shift.done = shift.converged || left.is_nan();
        }
        for (p, r) in self.p.iter_mut().zip(&self.r) {
            *p = r + beta * *p;
        }
        (self.rho, self.alpha, self.beta) = (rho, alpha, beta);
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
        fn every_shift_equals_its_own_direct_solution(
            n in 1usize..80, q in 1usize..4, width in 0.1f64..2.0, seed in 0u64..500,
        ) {
            let a = gram(&Kernel::Gaussian { bandwidth: width }, &random(n, 2, seed));
            let mut rhs = random(q, n, seed + 1);
            if q == 2 {
                // Squares of these are zero.
                rhs.row_mut(0).iter_mut().for_each(|v| *v *= 1e-200);
            }
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
                        let largest = (0..n).map(|i| exact[(i, c)].abs()).fold(0.0, f64::max);
                        let own = exact[(i, c)];
                        prop_assert!((x - own).abs() <= 1e-7 * largest, "shift {s}: {x} {own}");
                    }
                }
            }
        }
    }
}
