//! Bounds on the least objective, by the duality in the documentation of the module above.

use super::{Likelihood, Workspace};
use crate::linalg::{dot, symmetric_times};

/// Below this ridge the probabilities of an iterate give a poor dual value. Mixtures with the
/// probabilities that correspond to its coefficients are tried as well.
const SMALL_RIDGE: f64 = 0.05;
const MIXTURES: [f64; 3] = [0.0, 0.1, 0.3];

/// An upper and a lower bound on the least objective, from any coefficients, such as those of
/// another problem. They cost two products with `k`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// `H` at the given coefficients.
    pub upper: f64,
    /// The dual value at the probabilities of these coefficients.
    pub lower: f64,
}

/// Bounds from the coefficients `start`; leaves `f`, `p`, `r` and `K r` in the workspace.
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

/// The same once `f` and `p` are in the workspace.
pub(super) fn bounds_here(
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
    // The dual coefficients of a mixture are A - share r / (2 lambda), so their penalty needs no
    // further product.
    let (rf, rkr) = (
        dot(&work.r, &work.f),
        dot(&work.r, &work.kr) / (4.0 * ridge),
    );
    let value = |share: f64, entropy: f64| entropy - (penalty - share * rf + share * share * rkr);
    // Bound on the rounding error of a difference of such terms.
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
