//! Parameters and settings.

use super::{Ridge, gamma_grid};
use crate::kernel::Kernel;
use crate::method::Setting;
use crate::params::{KernelChoice, Param, RIDGE};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The ridge of kernel optimal scoring, plain or sparse.
pub(in crate::method) const GAMMA: Param = Param {
    help: "Squared-norm penalty, gamma of eq. 4",
    ..RIDGE
};

/// Kernel optimal scoring.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths`, `degree`, `slope`, `shift` | Gaussian, tuned | | the kernel |
/// | `ridge` | by `ridge_rule` | above 0 | `gamma` of eq. 4 |
/// | `ridge_rule` | stabilization | | how the ridge is found |
/// | `mahalanobis` | no | | Mahalanobis distance to the centroids in place of Euclidean |
/// | `candidates` | all | 2 or more | landmarks: functions of only this many samples |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kos {
    #[serde(flatten)]
    pub(in crate::method) scoring: Scoring,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) candidates: Option<usize>,
}

/// What plain and sparse kernel optimal scoring have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::method) struct Scoring {
    #[serde(flatten)]
    pub(in crate::method) kernel: KernelChoice,
    #[serde(flatten)]
    pub(in crate::method) ridge: RidgeChoice,
    pub(super) mahalanobis: bool,
}

/// How the ridge of kernel optimal scoring is found (Lapanowski & Gaynanova, section 5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RidgeRule {
    /// Shrinkage of the Gram matrix, `n gamma = gamma-hat`: the reading in which the two formulas
    /// agree.
    #[default]
    Stabilization,
    /// `gamma = gamma-hat` put into eq. 5 as printed, `n` times as large: what the authors ran.
    StabilizationLiteral,
    /// Generalised cross-validation.
    Gcv,
    /// Cross-validation, together with the bandwidth.
    Cv,
}

/// The ridge: given, or by a rule. A rule has no effect if a ridge is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenRidge", into = "WrittenRidge")]
pub enum RidgeChoice {
    /// This `gamma`.
    Given(f64),
    /// By a rule.
    By(RidgeRule),
}

#[derive(Serialize, Deserialize)]
struct WrittenRidge {
    #[serde(default)]
    ridge: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ridge_rule: Option<RidgeRule>,
}

impl From<WrittenRidge> for RidgeChoice {
    fn from(written: WrittenRidge) -> Self {
        match written.ridge {
            Some(ridge) => Self::Given(ridge),
            None => Self::By(written.ridge_rule.unwrap_or_default()),
        }
    }
}

impl From<RidgeChoice> for WrittenRidge {
    fn from(choice: RidgeChoice) -> Self {
        match choice {
            RidgeChoice::Given(ridge) => Self {
                ridge: Some(ridge),
                ridge_rule: None,
            },
            RidgeChoice::By(rule) => Self {
                ridge: None,
                ridge_rule: Some(rule),
            },
        }
    }
}

impl Default for RidgeChoice {
    fn default() -> Self {
        Self::By(RidgeRule::default())
    }
}

impl RidgeChoice {
    /// The ridges to try; `None` if a rule finds one in every fit.
    pub(in crate::method) fn tried(self) -> Vec<Option<f64>> {
        match self {
            Self::Given(ridge) => vec![Some(ridge)],
            Self::By(RidgeRule::Cv) => gamma_grid(8).into_iter().map(Some).collect(),
            Self::By(_) => vec![None],
        }
    }

    /// The ridge of a setting from the grid.
    pub(in crate::method) fn at(self, ridge: Option<f64>) -> Ridge {
        match (ridge, self) {
            (Some(ridge), _) | (None, Self::Given(ridge)) => Ridge::Fixed(ridge),
            (None, Self::By(rule)) => Ridge::Rule(rule),
        }
    }
}

/// A setting of kernel optimal scoring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KosSetting {
    /// The kernel.
    pub kernel: Kernel,
    /// The ridge; `None` if a rule finds it in every fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<f64>,
}

impl Setting for KosSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn ridge(&self) -> Option<f64> {
        self.ridge
    }

    /// Ties go to the larger penalty, then to the smaller quantile, which is the order of the arms.
    fn preferred(&self, other: &Self) -> Ordering {
        match (self.ridge, other.ridge) {
            (Some(a), Some(b)) => b.total_cmp(&a),
            _ => Ordering::Equal,
        }
    }
}

impl Kos {
    /// A Gaussian kernel, with the ridge by stabilization.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.scoring.kernel = kernel;
        self
    }

    /// With this ridge.
    pub fn ridge(mut self, ridge: f64) -> Self {
        self.scoring.ridge = RidgeChoice::Given(ridge);
        self
    }

    /// With a ridge by this rule.
    pub fn ridge_rule(mut self, rule: RidgeRule) -> Self {
        self.scoring.ridge = RidgeChoice::By(rule);
        self
    }

    /// With Mahalanobis distances to the centroids.
    pub fn mahalanobis(mut self, mahalanobis: bool) -> Self {
        self.scoring.mahalanobis = mahalanobis;
        self
    }

    /// With functions of only this many samples, drawn by class, for many rows.
    pub fn candidates(mut self, landmarks: usize) -> Self {
        self.candidates = Some(landmarks);
        self
    }
}
