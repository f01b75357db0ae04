//! The discriminant kernel: the optimum kernel for nonlinear discriminant analysis, as Kurita
//! derived it from class posteriors.
//!
//! ```text
//! k(x, y) = sum_k P(C_k | x) P(C_k | y) / P(C_k)             (Hidaka & Kurita, eq. 16 and 22)
//! ```
//! This is the inner product of `psi(x) = (P(C_k | x) / sqrt(P(C_k)))_k`, so a method with a linear
//! kernel on `psi` is a method with this kernel on `x`. Any estimate of the posteriors defines such
//! a kernel.

use crate::decision::{Decision, Simplex, softmax_in_place};
use crate::error::{Error, Result};
use crate::expansion::KernelExpansion;
use crate::linalg::{Matrix, matmul};

/// An estimate of the posteriors, and the kernel that it defines.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscriminantKernel {
    /// Outputs from which the posteriors are estimated.
    pub expansion: KernelExpansion,
    /// The rule that turns these outputs into posteriors.
    pub decision: Decision,
    /// `P(C_k)`.
    pub priors: Vec<f64>,
}

impl DiscriminantKernel {
    /// `P(C_k | x)`, rows x classes.
    pub fn posteriors(&self, x: &Matrix) -> Matrix {
        posteriors(
            self.decision.scores(&self.expansion.evaluate(x)),
            is_raw(&self.decision),
        )
    }

    /// `psi(x)`, rows x classes.
    pub fn features(&self, x: &Matrix) -> Matrix {
        psi(self.posteriors(x), &self.priors)
    }

    /// Kernel values of the rows of `a` with those of `b`.
    pub fn gram(&self, a: &Matrix, b: &Matrix) -> Matrix {
        matmul(self.features(a).view(), self.features(b).view().t())
    }

    /// Checks that the parts fit together.
    pub fn check(&self) -> Result<()> {
        self.expansion.check()?;
        self.decision.check()?;
        let fits = self.decision.n_outputs() == self.expansion.n_outputs()
            && self.decision.n_classes() == self.priors.len()
            && self.priors.iter().all(|p| p.is_finite() && *p > 0.0);
        if fits {
            Ok(())
        } else {
            Err(Error::ModelFile(
                "the parts of the discriminant kernel do not fit".into(),
            ))
        }
    }
}

/// Outputs of an expansion of the rows themselves, or of their features under a discriminant
/// kernel.
pub(crate) fn outputs(
    kernel: Option<&DiscriminantKernel>,
    expansion: &KernelExpansion,
    x: &Matrix,
) -> Matrix {
    match kernel {
        None => expansion.evaluate(x),
        Some(kernel) => expansion.evaluate(&kernel.features(x)),
    }
}

/// Whether the outputs of a regression are used as they are.
fn is_raw(decision: &Decision) -> bool {
    matches!(
        decision,
        Decision::Simplex {
            kind: Simplex::None,
            ..
        }
    )
}

/// Probabilities of log scores; `raw` scores are used as they are.
pub(crate) fn posteriors(mut scores: Matrix, raw: bool) -> Matrix {
    let c = scores.cols();
    if !raw {
        scores
            .as_mut_slice()
            .chunks_exact_mut(c)
            .for_each(softmax_in_place);
    }
    scores
}

/// `p_k / sqrt(P_k)` for every row of posteriors.
pub(crate) fn psi(mut posteriors: Matrix, priors: &[f64]) -> Matrix {
    for row in posteriors.as_mut_slice().chunks_exact_mut(priors.len()) {
        row.iter_mut().zip(priors).for_each(|(v, p)| *v /= p.sqrt());
    }
    posteriors
}
