//! Parameters and settings.

use crate::kernel::Kernel;
use crate::method::{Setting, Size};
use crate::params::{
    BANDWIDTHS, DEFINITE_KERNEL, DEGREE, Fallback, IMPORT_VECTORS, KernelChoice, Kind, Param,
    RIDGES, Range, VOTE,
};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The feature import vector machine.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths`, `degree` | Gaussian, tuned | | the kernel, any but sigmoid |
/// | `ridges` | tuned | above 0 | penalties to choose among, `lambda` of eq. 16 |
/// | `max_features` | 30; with `stop = none` all | 1 or more | imports at most |
/// | `stop` | cv | | when imports end |
/// | `tol`, `lag` | 0.001, 1 | | epsilon and delta k of `stop = accuracy` |
/// | `patience` | 5; with `stop = accuracy` 1 | 1 or more | imports without progress |
/// | `vote` | yes | | with `stop = cv`: folds vote on the features |
/// | `max_support` | all | 1 or more | the model keeps at most this many samples |
/// | `associated` | off | above 0, at most 1 | correlation from which an import stands for another |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fivm {
    #[serde(flatten)]
    pub(super) kernel: KernelChoice,
    pub(super) ridges: Vec<f64>,
    pub(super) max_features: Option<usize>,
    #[serde(flatten)]
    pub(super) stop: Stopping,
    pub(super) max_support: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) associated: Option<f64>,
}

/// When imports end (Ghosh & Wang, section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stop", rename_all = "kebab-case")]
pub enum Stopping {
    /// At the number of features of least cross-validated error.
    Cv {
        /// Imports without progress after which a fold's path ends; `None` means 5.
        #[serde(default)]
        patience: Option<usize>,
        /// Whether folds vote on the features: imports that fewer than half of them confirm are
        /// left out.
        #[serde(default = "yes")]
        vote: bool,
    },
    /// When the training accuracy no longer changes by more than `tol`, relatively: the paper's
    /// rule.
    Accuracy {
        /// `epsilon`.
        #[serde(default = "thousandth")]
        tol: f64,
        /// `delta k`.
        #[serde(default = "one")]
        lag: usize,
        /// Imports in a row without a change; `None` means 1.
        #[serde(default)]
        patience: Option<usize>,
    },
    /// At `max_features`.
    None,
}

fn yes() -> bool {
    true
}

fn thousandth() -> f64 {
    1e-3
}

fn one() -> usize {
    1
}

impl Default for Stopping {
    fn default() -> Self {
        Self::Cv {
            patience: None,
            vote: true,
        }
    }
}

/// A setting of the feature import vector machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FivmSetting {
    /// The kernel.
    pub kernel: Kernel,
    /// The ridge.
    pub ridge: f64,
    /// Imported features; `None` if a rule ends the imports in every fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_features: Option<usize>,
}

impl Setting for FivmSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn size(&self) -> Size {
        Size {
            samples: None,
            features: self.n_features,
        }
    }

    fn ridge(&self) -> Option<f64> {
        Some(self.ridge)
    }

    /// Fewer features first.
    fn preferred(&self, other: &Self) -> Ordering {
        self.n_features.cmp(&other.n_features)
    }

    fn same_path(&self, other: &Self) -> bool {
        self.kernel == other.kernel && self.ridge == other.ridge
    }
}

impl Fivm {
    /// A Gaussian kernel; bandwidth, ridge and number of features tuned.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// With these ridges to choose among; a single one is used as given.
    pub fn ridges(mut self, ridges: impl Into<Vec<f64>>) -> Self {
        self.ridges = ridges.into();
        self
    }

    /// With at most this many imports.
    pub fn max_features(mut self, features: usize) -> Self {
        self.max_features = Some(features);
        self
    }

    /// With this rule for the end of the imports.
    pub fn stop(mut self, stop: Stopping) -> Self {
        self.stop = stop;
        self
    }

    /// With at most this many samples in the model.
    pub fn max_support(mut self, samples: usize) -> Self {
        self.max_support = Some(samples);
        self
    }

    /// Where an import stands for the features that correlate with it by at least this much, in
    /// absolute value.
    pub fn associated(mut self, correlation: f64) -> Self {
        self.associated = Some(correlation);
        self
    }
}

pub(super) const PARAMS: &[Param] = &[
    DEFINITE_KERNEL,
    BANDWIDTHS,
    DEGREE,
    RIDGES,
    Param::new(
        "max_features",
        Kind::Count {
            least: 1,
            most: u64::MAX,
            letter: "N",
        },
        Fallback::Absent("30; with `stop=none` all"),
        "Import at most N features",
    )
    .usual(),
    Param::new(
        "stop",
        Kind::Word(&["cv", "accuracy", "none"], ""),
        Fallback::Word("cv"),
        "When imports end: at the number of features of least cross-validated error, when the \
         training accuracy stands still, or at `max_features`",
    ),
    Param::new(
        "tol",
        Kind::Number {
            range: Range::NotNegative,
            letter: "E",
        },
        Fallback::Number(1e-3),
        "Relative change of the training accuracy that counts as standing still, epsilon \
         (`stop=accuracy`)",
    ),
    Param::new(
        "lag",
        Kind::Count {
            least: 1,
            most: u64::MAX,
            letter: "K",
        },
        Fallback::Count(1),
        "Imports over which that change is measured, delta k (`stop=accuracy`)",
    ),
    Param::new(
        "patience",
        Kind::Count {
            least: 1,
            most: u64::MAX,
            letter: "K",
        },
        Fallback::Absent("5; with `stop=accuracy` 1"),
        "Imports without progress after which the path ends",
    ),
    VOTE,
    IMPORT_VECTORS,
    Param::new(
        "associated",
        Kind::Number {
            range: Range::Share,
            letter: "R",
        },
        Fallback::Absent("off"),
        "An imported feature stands for those that correlate with it by at least R or at most -R: \
         they are not imported beside it, and are named",
    ),
];
