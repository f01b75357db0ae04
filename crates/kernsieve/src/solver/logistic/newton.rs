//! The Newton direction, by conjugate gradients.

use super::{Likelihood, Workspace};
use crate::linalg::{dot, symmetric_times};

/// Most conjugate gradient steps within one Newton step.
const INNER_STEPS: usize = 1000;

/// Conjugate gradients in the inner product `u'Kv` on `(W K + 2 lambda I) d = -r`; leaves `d` in
/// `work.step` and returns the number of products.
pub(super) fn newton_direction(
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
    // The tolerance tightens near the solution, so that the outer steps converge quadratically.
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
