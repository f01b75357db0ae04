//! Parameters and settings.

use crate::kernel::Kernel;
use crate::method::{Setting, Size};
use crate::params::{Fallback, KernelChoice, Kind, Param, RIDGES, Range};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Sparse multinomial kernel discriminant analysis.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths`, `degree`, `slope`, `shift` | Gaussian, tuned | | the kernel |
/// | `max_support` | tuned | 1 or more | retained samples, `n_s` |
/// | `path_limit` | 1000 | 1 or more | longest path when `n_s` is tuned |
/// | `candidates` | all | 2 or more | landmarks: samples to choose among, drawn by class |
/// | `components` | classes - 1 | 1 or more | canonical variates to keep |
/// | `ridges` | none | above 0 | `r` of a penalty `r tr(A' K_SS A)`; tuned if several are given |
/// | `ridge_rule` | none | | how ridge and number of samples are found if not given |
/// | `select` | ols | | by what samples are chosen |
/// | `stop_error` | none | above 0, at most 1 | share of the error at which the path ends |
/// | `updatable` | no | | keep what [`crate::Model::update`] needs |
/// | `exact` | off | | with `candidates`: sums of integers, the same for any division of the rows |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Smkda {
    #[serde(flatten)]
    pub(super) kernel: KernelChoice,
    pub(super) max_support: Option<usize>,
    pub(super) path_limit: Option<usize>,
    pub(super) candidates: Option<usize>,
    pub(super) components: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) exact: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ridges: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ridge_rule: Option<RidgeRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) select: Option<Select>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) updatable: bool,
}

/// By what samples are chosen, one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    /// Orthogonal least squares: the squared error of the scored classes.
    Ols,
    /// The squared error of every row predicted from the others (PRESS).
    Press,
    /// The order in which samples enter a lasso path of all responses together (group lasso).
    Lasso,
}

/// How the ridge of a selection is found if none is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RidgeRule {
    /// By the Bayesian evidence, which also chooses the number of samples.
    Evidence,
    /// By cross-validation, together with the bandwidth and the number of samples.
    Cv,
}

/// A setting of sparse kernel discriminant analysis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmkdaSetting {
    /// The kernel.
    pub kernel: Kernel,
    /// Retained samples, `n_s`; at most so many if something else ends the path.
    pub size: usize,
    /// The ridge; `None` if there is none, or if the evidence chooses it in every fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<f64>,
}

impl SmkdaSetting {
    /// This many samples without a ridge.
    pub fn of(kernel: Kernel, size: usize) -> Self {
        Self {
            kernel,
            size,
            ridge: None,
        }
    }
}

impl Setting for SmkdaSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn size(&self) -> Size {
        Size {
            samples: Some(self.size),
            features: None,
        }
    }

    fn ridge(&self) -> Option<f64> {
        self.ridge
    }

    /// Ties go to fewer samples, then to the larger ridge, then to the smaller bandwidth.
    fn preferred(&self, other: &Self) -> Ordering {
        let width = |s: &Self| s.kernel.bandwidth().unwrap_or(0.0);
        let ridge = |s: &Self| s.ridge.unwrap_or(0.0);
        let narrower = || width(self).total_cmp(&width(other));
        self.size
            .cmp(&other.size)
            .then_with(|| ridge(other).total_cmp(&ridge(self)))
            .then_with(narrower)
    }

    fn same_path(&self, other: &Self) -> bool {
        self.kernel == other.kernel && self.ridge == other.ridge
    }
}

impl Smkda {
    /// A Gaussian kernel; bandwidth and number of samples tuned.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// With this many retained samples.
    pub fn max_support(mut self, samples: usize) -> Self {
        self.max_support = Some(samples);
        self
    }

    /// With paths of at most this many samples when their number is tuned.
    pub fn path_limit(mut self, samples: usize) -> Self {
        self.path_limit = Some(samples);
        self
    }

    /// With this many landmarks, drawn by class, to choose the samples among.
    pub fn candidates(mut self, landmarks: usize) -> Self {
        self.candidates = Some(landmarks);
        self
    }

    /// With at most this many canonical variates.
    pub fn components(mut self, components: usize) -> Self {
        self.components = Some(components);
        self
    }

    /// With kernel values rounded to multiples of `2^-20` in the fit to all rows, and sums of
    /// integers: the model does not depend on how the rows are divided, to the last bit. Needs
    /// `candidates`.
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// With this ridge.
    pub fn ridge(self, ridge: f64) -> Self {
        self.ridges([ridge])
    }

    /// With the best of these ridges.
    pub fn ridges(mut self, ridges: impl Into<Vec<f64>>) -> Self {
        self.ridges = ridges.into();
        self
    }

    /// With a ridge found by this rule.
    pub fn ridge_rule(mut self, rule: RidgeRule) -> Self {
        self.ridge_rule = Some(rule);
        self
    }

    /// With paths that end where this share of the squared error is left.
    pub fn stop_error(mut self, share: f64) -> Self {
        self.stop_error = Some(share);
        self
    }

    /// With samples chosen by this.
    pub fn select(mut self, by: Select) -> Self {
        self.select = Some(by);
        self
    }

    /// With what further rows need later.
    pub fn updatable(mut self, yes: bool) -> Self {
        self.updatable = yes;
        self
    }

    /// By what samples are chosen.
    pub(super) fn by(&self) -> Select {
        self.select.unwrap_or(Select::Ols)
    }

    /// Whether the regression is penalised.
    pub(super) fn has_ridge(&self) -> bool {
        !self.ridges.is_empty() || self.ridge_rule.is_some()
    }

    /// Whether the evidence chooses the number of samples, and the ridge among several.
    pub(super) fn by_evidence(&self) -> bool {
        self.ridge_rule == Some(RidgeRule::Evidence)
    }

    /// Whether something else than cross-validation ends the path.
    pub(super) fn ends_itself(&self) -> bool {
        self.by_evidence() || self.stop_error.is_some()
    }
}

/// By what samples are chosen.
pub(super) const SELECT: Param = Param::new(
    "select",
    Kind::Word(&["ols", "press", "lasso"], ""),
    Fallback::Word("ols"),
    "How samples are chosen: the next one makes the squared error of the scored classes least, or \
     that of every row predicted from the others (PRESS); or all in the order in which they enter \
     a lasso of all classes together",
);

/// Ridges of a selection.
pub(super) const SELECTION_RIDGES: Param = Param {
    default: Fallback::Absent("none"),
    help: "Squared-norm penalty inside the selection and on its coefficients, the r of R = r K",
    ..RIDGES
};

/// How the ridge of a selection is found.
pub(super) const SELECTION_RULE: Param = Param::new(
    "ridge_rule",
    Kind::Word(&["evidence", "cv"], ""),
    Fallback::Absent("no ridge"),
    "How the ridge is found when it is not given: by the Bayesian evidence, which also chooses \
     the number of samples, or by cross-validation",
);

/// Where a path ends.
pub(super) const STOP_ERROR: Param = Param::new(
    "stop_error",
    Kind::Number {
        range: Range::Share,
        letter: "E",
    },
    Fallback::Absent("no such end"),
    "Take samples until this share of the squared error of the scored classes is left, at most \
     `max_support` of them",
);

/// Whether a model can take in more rows.
pub(super) const UPDATABLE: Param = Param::new(
    "updatable",
    Kind::Off,
    Fallback::Kind,
    "Keep in the model what it needs to take in more rows later",
);
