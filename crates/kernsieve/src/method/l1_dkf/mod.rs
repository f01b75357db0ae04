//! Discriminant analysis with the discriminant kernel of sparse posteriors (Hidaka & Kurita).
//!
//! 1. One lasso per class on its indicator, outputs brought to the simplex: posteriors `P(C_k | x)`
//!    (eq. 19 to 21), sparse in the coefficients ([`crate::solver::lasso`]).
//! 2. The kernel `k(x, y) = sum_k P(C_k | x) P(C_k | y) / P(C_k)` (eq. 16 and 22),
//!    [`crate::discriminant_kernel`]. Its Gram matrix has rank `K` at most, so nothing of the size
//!    of the data is formed: the features `psi(x) = P(C_k | x) / sqrt(P(C_k))` stand for it.
//! 3. Discriminant analysis with it, which is linear discriminant analysis of `psi` in the range of
//!    its covariance; or (`mapping = onda`) Otsu's optimum mapping from the posteriors alone, eq. 6
//!    to 13 ([`crate::solver::onda`]).
//! 4. The nearest mean, shifted by the priors, in the within-class covariance (`metric`, `priors`).
//!    The paper's rule is `metric = total` with equal priors.
//!
//! Any estimate of the posteriors can be used (`posterior`): logistic regression with an L1
//! penalty, kernel logistic regression, kernel densities. The last two make the discriminant
//! nonlinear in `x`. `l1_ratio = 0` is the ridge penalty in place of the L1 norm: a closed form for
//! the regressions ([`crate::solver::lasso::ridge_path`]), dense in the coefficients.
//!
//! Departures from the paper: `lambda` where its eq. 19 has `1 / lambda`; the penalty is found by
//! cross-validation, not on the test rows. Tuning: penalties `2^10, 2^9, .., 2^-15` and larger ones
//! if there are so many rows that some coefficients are still nonzero at `2^10`; ties go to the
//! larger penalty. Complexity: that of the regressions, then `n K^2`.
//!
//! [Hidaka & Kurita] "Sparse discriminant analysis based on the Bayesian posterior probability
//! obtained by L1 regression", SSPR & SPR (2012).

mod onda;

pub use onda::Onda;

use super::lda::{Lda, LdaSetting, Metric, limit_components};
use super::{
    About, Candidacy, Discriminant, Fit, Fold, Footprint, Grid, HeldOut, Method, NoSetting,
    Posterior, Problem, Sparse, WithPosterior,
};
use crate::error::{Error, Result};
use crate::kernel::Family;
use crate::notice::Notice;
use crate::params::{
    BANDWIDTHS, COMPONENTS, DEGREE, Fallback, IMPORT_VECTORS, KERNEL, KernelChoice, Kind, L1_RATIO,
    METRIC, POSTERIOR, POSTERIOR_SPARSITY, Param, Protocol, RIDGES, SHIFT, SIMPLEX, SLOPE,
};
use crate::partial::Passes;
use serde::{Deserialize, Serialize};

/// Discriminant analysis with the discriminant kernel of class posteriors.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `posterior` | l1 | | estimate of the posteriors |
/// | `sparsity` | tuned | 0 or more | L1 penalty of l1 and logistic posteriors, `lambda` |
/// | `l1_ratio` | 1 | 0 to 1 | share of the L1 norm in it; 0 is ridge regression |
/// | `simplex` | clip | | how outputs of l1 posteriors become posteriors |
/// | `kernel`, `bandwidths`, ... | Gaussian, tuned | | kernel of klr and parzen posteriors |
/// | `ridges`, `max_support` | tuned, all | | of klr posteriors |
/// | `mapping` | lda | | discriminant analysis with the kernel, or Otsu's mapping itself |
/// | `metric` | within | | with `mapping = lda`: covariance of the nearest mean |
/// | `components` | classes - 1 | 1 or more | variates to keep |
pub type L1Dkf = Discriminant<Mapping>;

impl L1Dkf {
    /// One lasso per class with a tuned penalty, and discriminant analysis with their kernel.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this estimate of the posteriors.
    pub fn posterior(self, posterior: Posterior) -> Self {
        self.outer().clone().with_posterior(posterior)
    }

    /// With this mapping to the variates.
    pub fn mapping(self, mapping: Mapping) -> Self {
        mapping.with_posterior(self.estimate().clone())
    }
}

/// How posteriors become variates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mapping", rename_all = "kebab-case")]
pub enum Mapping {
    /// Discriminant analysis with the discriminant kernel, from the classes of the training rows
    /// (Hidaka & Kurita, section 4.2).
    Lda(Lda),
    /// The optimum nonlinear discriminant mapping, from the posteriors alone (section 2.3).
    Onda(Onda),
}

impl Default for Mapping {
    fn default() -> Self {
        Self::Lda(Lda::default())
    }
}

impl Mapping {
    /// Discriminant analysis in this metric.
    pub fn lda(metric: Metric) -> Self {
        Self::Lda(Lda::new().metric(metric))
    }

    /// The optimum mapping.
    pub fn onda() -> Self {
        Self::Onda(Onda::default())
    }
}

const PARAMS: &[Param] = &[
    Param {
        default: Fallback::Word("l1"),
        ..POSTERIOR
    },
    POSTERIOR_SPARSITY,
    L1_RATIO,
    SIMPLEX,
    KERNEL,
    BANDWIDTHS,
    DEGREE,
    SLOPE,
    SHIFT,
    Param {
        help: "Squared-norm penalty of klr posteriors",
        ..RIDGES
    },
    Param {
        help: "Keep at most N samples in klr posteriors",
        ..IMPORT_VECTORS
    },
    Param::new(
        "mapping",
        Kind::Word(&["lda", "onda"], ""),
        Fallback::Word("lda"),
        "Discriminant analysis with the kernel, or Otsu's optimum mapping of the posteriors",
    ),
    METRIC,
    COMPONENTS,
];

impl Method for Mapping {
    type Setting = NoSetting;

    const ABOUT: About = About {
        name: "l1-dkf",
        class: "L1DKF",
        title: "discriminant analysis with the kernel of class posteriors",
        plain: "discriminants of lasso class probabilities (L1 DKF)",
        summary: "Discriminant analysis with the discriminant kernel of sparse class posteriors: \
                  one lasso per class, or another estimate.",
        paper: "Hidaka & Kurita 2012",
        tuned: "penalty",
        decides: "nearest mean and priors",
        sparse: Sparse::Coefficients,
        calibrated: true,
        class_weight_is_cost: true,
        params: PARAMS,
        auto: Candidacy::First,
        seconds: |n, p, c| 1e-9 * n * p * n.min(p) + 3e-7 * n * p * c,
        ..About::BLANK
    };

    fn adapt(&mut self, n_classes: usize) -> Vec<Notice> {
        let components = match self {
            Self::Lda(lda) => &mut lda.components,
            Self::Onda(onda) => &mut onda.components,
        };
        limit_components(components, n_classes)
    }

    fn family(&self) -> Family {
        Family::Linear
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::NONE
    }

    fn grid(&self, _: &Problem, _: &Protocol) -> Result<Grid<NoSetting>> {
        Ok(vec![vec![NoSetting]])
    }

    fn held_out(&self, fold: &Fold, arm: &[NoSetting]) -> Result<Vec<Option<HeldOut>>> {
        match self {
            Self::Lda(lda) => lda.held_out(fold, &vec![LdaSetting::default(); arm.len()]),
            Self::Onda(onda) => onda.held_out(fold, arm),
        }
    }

    fn fit(&self, problem: &Problem, setting: &NoSetting) -> Result<Fit> {
        match self {
            Self::Lda(lda) => lda.fit(problem, &LdaSetting::default()),
            Self::Onda(onda) => onda.fit(problem, setting),
        }
    }

    fn streams(&self) -> bool {
        matches!(self, Self::Lda(_))
    }

    fn fit_by_passes(&self, some: &Problem, _: &NoSetting, rows: &mut dyn Passes) -> Result<Fit> {
        match self {
            Self::Lda(lda) => lda.fit_by_passes(some, &LdaSetting::default(), rows),
            Self::Onda(_) => Err(Error::Data(
                "the mapping onda needs the posteriors of all rows; use `mapping=lda`".into(),
            )),
        }
    }
}

impl WithPosterior for Mapping {
    /// Its only kernel is that of the posteriors.
    fn with_kernel(self, _: KernelChoice) -> Self {
        self
    }

    fn streams_features(&self) -> bool {
        matches!(self, Self::Lda(_))
    }
}
