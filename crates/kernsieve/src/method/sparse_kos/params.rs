//! Parameters and settings.

use crate::kernel::Kernel;
use crate::method::Setting;
use crate::method::kos::{GAMMA, Kos, Scoring};
use crate::params::{
    BANDWIDTHS, DEGREE, Fallback, KERNEL, KernelChoice, Kind, MAHALANOBIS, Param, RIDGE_RULE,
    Range, SHIFT, SLOPE, VOTE,
};
use crate::solver::sparse_weights::Steps;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Sparse kernel optimal scoring.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths`, `degree`, `slope`, `shift` | Gaussian, tuned | | the kernel |
/// | `ridge`, `ridge_rule`, `mahalanobis` | | | as in [`crate::method::kos`] |
/// | `sparsity` | tuned | 0 or more | penalty on the feature weights, `lambda` |
/// | `spacing` | log | | how the penalties to try are spaced |
/// | `weight_steps` | projected | | how the weights are updated |
/// | `restarts` | 0 | at most 1000 | starts besides the path, from ones and random weights |
/// | `vote` | yes | | features are those that most folds keep within one standard error |
/// | `candidates`, `landmarks` | all rows | 2 or more | landmarks, and how they are found |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SparseKos {
    #[serde(flatten)]
    pub(super) kos: Scoring,
    pub(super) sparsity: Option<f64>,
    pub(super) spacing: Spacing,
    pub(super) weight_steps: Steps,
    pub(super) restarts: usize,
    pub(super) vote: bool,
    #[serde(flatten)]
    pub(super) landmarks: LandmarkChoice,
}

impl Default for SparseKos {
    fn default() -> Self {
        Self {
            kos: Scoring::default(),
            sparsity: None,
            spacing: Spacing::default(),
            weight_steps: Steps::default(),
            restarts: 0,
            vote: true,
            landmarks: LandmarkChoice::default(),
        }
    }
}

/// How the penalties are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Evenly in the logarithm, from a thousandth of the largest.
    #[default]
    Log,
    /// Evenly, from 1e-10 of the largest (Lapanowski & Gaynanova, section 5.3).
    Linear,
}

/// How landmarks are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landmarks {
    /// Drawn by class.
    #[default]
    Sample,
    /// Orthogonal least squares among three times as many.
    Ols,
}

/// What carries the function: all rows, or landmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenLandmarks", into = "WrittenLandmarks")]
pub(super) enum LandmarkChoice {
    #[default]
    AllRows,
    Landmarks(usize, Landmarks),
}

#[derive(Serialize, Deserialize)]
struct WrittenLandmarks {
    #[serde(default)]
    candidates: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    landmarks: Option<Landmarks>,
}

impl From<WrittenLandmarks> for LandmarkChoice {
    fn from(written: WrittenLandmarks) -> Self {
        match written.candidates {
            None => Self::AllRows,
            Some(m) => Self::Landmarks(m, written.landmarks.unwrap_or_default()),
        }
    }
}

impl From<LandmarkChoice> for WrittenLandmarks {
    fn from(choice: LandmarkChoice) -> Self {
        match choice {
            LandmarkChoice::AllRows => Self {
                candidates: None,
                landmarks: None,
            },
            LandmarkChoice::Landmarks(m, how) => Self {
                candidates: Some(m),
                landmarks: Some(how),
            },
        }
    }
}

impl LandmarkChoice {
    /// The number of landmarks.
    pub(super) fn count(self) -> Option<usize> {
        match self {
            Self::AllRows => None,
            Self::Landmarks(m, _) => Some(m),
        }
    }
}

/// A setting of sparse kernel optimal scoring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparseKosSetting {
    /// The kernel.
    pub kernel: Kernel,
    /// The ridge; `None` if a rule finds it in every fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<f64>,
    /// Penalty on the weights of the features.
    pub sparsity: f64,
    /// The same as a share of the smallest penalty at which the first step makes all weights zero;
    /// `None` for a penalty that the user gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparsity_share: Option<f64>,
    /// The only features that may have a weight; `None` is all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<usize>>,
}

impl Setting for SparseKosSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn penalty(&self) -> f64 {
        self.sparsity_share.unwrap_or(self.sparsity)
    }

    fn ridge(&self) -> Option<f64> {
        self.ridge
    }

    /// Ties go to the larger penalty, relative to the largest of its path, then to the smaller
    /// quantile: the order of the arms.
    fn preferred(&self, other: &Self) -> Ordering {
        other.penalty().total_cmp(&self.penalty())
    }
}

impl SparseKos {
    /// A Gaussian kernel; bandwidth and penalty tuned, the ridge by stabilization.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kos.kernel = kernel;
        self
    }

    /// With the ridge and the rule of this method.
    pub fn scoring(mut self, kos: Kos) -> Self {
        self.kos = kos.scoring;
        self
    }

    /// With this penalty on the weights of the features.
    pub fn sparsity(mut self, sparsity: f64) -> Self {
        self.sparsity = Some(sparsity);
        self
    }

    /// With this spacing of the penalties.
    pub fn spacing(mut self, spacing: Spacing) -> Self {
        self.spacing = spacing;
        self
    }

    /// With these steps for the weights.
    pub fn weight_steps(mut self, steps: Steps) -> Self {
        self.weight_steps = steps;
        self
    }

    /// With this many starts besides the path.
    pub fn restarts(mut self, restarts: usize) -> Self {
        self.restarts = restarts;
        self
    }

    /// With or without a vote of the folds on the features.
    pub fn vote(mut self, vote: bool) -> Self {
        self.vote = vote;
        self
    }

    /// With this many landmarks, found in this way, to carry the function.
    pub fn candidates(mut self, landmarks: usize, how: Landmarks) -> Self {
        self.landmarks = LandmarkChoice::Landmarks(landmarks, how);
        self
    }
}

pub(super) const PARAMS: &[Param] = &[
    KERNEL,
    BANDWIDTHS,
    DEGREE,
    SLOPE,
    SHIFT,
    GAMMA,
    RIDGE_RULE,
    MAHALANOBIS,
    Param::new(
        "sparsity",
        Kind::Number {
            range: Range::NotNegative,
            letter: "L",
        },
        Fallback::Absent("tuned"),
        "L1 penalty on the feature weights, lambda",
    )
    .usual(),
    Param::new(
        "spacing",
        Kind::Word(&["log", "linear"], ""),
        Fallback::Word("log"),
        "Spacing of the penalties that are tried; linear is the paper's",
    ),
    Param::new(
        "weight_steps",
        Kind::Word(&["projected", "linearised"], ""),
        Fallback::Word("projected"),
        "Steps of the weights; linearised is the paper's Algorithm 1 with a line search",
    ),
    Param::new(
        "restarts",
        Kind::Count {
            least: 0,
            most: 1000,
            letter: "R",
        },
        Fallback::Count(0),
        "Also start directly at the chosen penalty, from R other weightings, and keep the least \
         objective",
    ),
    VOTE,
    Param::new(
        "candidates",
        Kind::Count {
            least: 2,
            most: u64::MAX,
            letter: "M",
        },
        Fallback::Absent("all rows"),
        "Let M landmarks carry the function, to handle many rows",
    ),
    Param::new(
        "landmarks",
        Kind::Word(&["sample", "ols"], ""),
        Fallback::Word("sample"),
        "How the landmarks of `candidates` are found: drawn by class, or by orthogonal least \
         squares",
    ),
];
