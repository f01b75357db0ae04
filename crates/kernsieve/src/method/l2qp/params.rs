//! Parameters and settings.

//! L2 kernel classification: the difference of two densities, sparse by a quadratic program (Kim &
//! Scott).
//!
//! Class densities are kernel estimates with free weights, `f_c(x) = sum_{i in c} a_i k_sigma(x,
//! x_i)`, `a >= 0`, each class summing to 1. The weights minimise an unbiased estimate of the
//! integrated squared error of the difference `f_+ - gamma f_-` (eq. 7):
//! ```text
//! min_a  sum_ij a_i a_j Y_i Y_j k_rho(x_i, x_j) / 2 - (1 / eta) sum_i a_i Y_i h_i,      Y = 1 or -gamma
//! ```
//! with `h_i` the leave-one-out estimate of the difference at `x_i`, seen through the kernel of
//! bandwidth `tau` (section 2.1). Both kernels are normalised. `rho^2 = 2 sigma^2 + 2 lambda^2`,
//! `tau^2 = sigma^2 + 2 lambda^2`, `lambda = smoothing * sigma` (section 5.1); `eta = balance`
//! keeps the linear term from taking over in many dimensions (section 5.5). A row goes to the class
//! of larger `f_+` or `gamma f_-`, with `gamma` the ratio of the priors; as both densities are
//! known the probabilities are theirs.
//!
//! Only ratios of normalising constants occur, and they are kept as logarithms: hundreds of
//! dimensions neither underflow nor overflow. Predictions are sums of exponentials in the log
//! domain.
//!
//! Several classes (`multiclass`): one difference a class, it against all others (`rest`), on one
//! kernel matrix; or every density by itself, `gamma = 0` (`joint`, section 3.5). Departures from
//! the paper: decisions in the log domain, where the printed rule has ties as soon as both
//! densities underflow. Complexity: `n^2 p` for the distances, `2 n^2` exponentials a bandwidth, `2
//! n` a step of [`crate::solver::smo`], of which there are a few for each weight that is not zero.
//!
//! [Kim & Scott] "L2 kernel classification", IEEE TPAMI 32 (2010).

use crate::kernel::Kernel;
use crate::method::Setting;
use crate::params::{
    BANDWIDTHS, CLASS_RATIO, DENSITY_KERNEL, Fallback, KernelChoice, Kind, Param, Range, SMOOTHING,
};
use serde::{Deserialize, Serialize};

/// L2 kernel classification.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths` | Gaussian, tuned | | the kernel, a density |
/// | `balances` | 1; tuned from 16 features on | above 0 | `eta` of section 5.5 |
/// | `smoothing` | 0 | 0 or more | `k` of L2QP-k |
/// | `class_bandwidths` | common | above 0 | common, by the spread of each class, or given |
/// | `relaxed` | no | | weights of a class may sum to less than 1 |
/// | `class_ratio` | ratio of the priors | above 0 | `gamma`, two classes |
/// | `multiclass` | rest | | each class against the rest, or every density by itself |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct L2qp {
    #[serde(flatten)]
    pub(super) kernel: KernelChoice,
    pub(super) balances: Vec<f64>,
    pub(super) smoothing: f64,
    pub(super) class_bandwidths: ClassBandwidths,
    pub(super) relaxed: bool,
    pub(super) class_ratio: Option<f64>,
    pub(super) multiclass: Multiclass,
}

/// Bandwidths of the classes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenWidths", into = "WrittenWidths")]
pub enum ClassBandwidths {
    /// One for all.
    #[default]
    Common,
    /// In proportion to the median distance within each class.
    Spread,
    /// Given, in the order of the classes.
    Given(Vec<f64>),
}

/// As options and files write them: a word, numbers, or (in older files) `{"given": [..]}`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenWidths {
    List(Vec<f64>),
    Word(WidthsWord),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WidthsWord {
    Common,
    Spread,
    Given(Vec<f64>),
}

impl From<WrittenWidths> for ClassBandwidths {
    fn from(written: WrittenWidths) -> Self {
        match written {
            WrittenWidths::Word(WidthsWord::Common) => Self::Common,
            WrittenWidths::Word(WidthsWord::Spread) => Self::Spread,
            WrittenWidths::List(w) | WrittenWidths::Word(WidthsWord::Given(w)) => Self::Given(w),
        }
    }
}

impl From<ClassBandwidths> for WrittenWidths {
    fn from(widths: ClassBandwidths) -> Self {
        Self::Word(match widths {
            ClassBandwidths::Common => WidthsWord::Common,
            ClassBandwidths::Spread => WidthsWord::Spread,
            ClassBandwidths::Given(w) => WidthsWord::Given(w),
        })
    }
}

/// How several classes are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Multiclass {
    /// One difference of densities per class: it against all others.
    #[default]
    Rest,
    /// Every density by itself.
    Joint,
}

/// A setting of L2 kernel classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct L2qpSetting {
    /// The kernel; of the first class, where each has its own bandwidth.
    pub kernel: Kernel,
    /// Balance of the quadratic and the linear term, `eta`.
    pub balance: f64,
    /// Bandwidth of each class, where they have their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_bandwidths: Option<Vec<f64>>,
}

impl Setting for L2qpSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

impl L2qp {
    /// A Gaussian kernel, the bandwidth tuned.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// With these balances to choose among; one is used as it is.
    pub fn balances(mut self, balances: impl Into<Vec<f64>>) -> Self {
        self.balances = balances.into();
        self
    }

    /// With this smoothing of the target.
    pub fn smoothing(mut self, smoothing: f64) -> Self {
        self.smoothing = smoothing;
        self
    }

    /// With these bandwidths of the classes.
    pub fn class_bandwidths(mut self, widths: ClassBandwidths) -> Self {
        self.class_bandwidths = widths;
        self
    }

    /// With weights of a class that may sum to less than 1.
    pub fn relaxed(mut self, relaxed: bool) -> Self {
        self.relaxed = relaxed;
        self
    }

    /// With this weight of the first density against the second.
    pub fn class_ratio(mut self, ratio: f64) -> Self {
        self.class_ratio = Some(ratio);
        self
    }

    /// With this way to tell several classes apart.
    pub fn multiclass(mut self, multiclass: Multiclass) -> Self {
        self.multiclass = multiclass;
        self
    }
}

pub(super) const PARAMS: &[Param] = &[
    DENSITY_KERNEL,
    BANDWIDTHS,
    Param::new(
        "balances",
        Kind::Grid {
            range: Range::Positive,
            letter: "E",
        },
        Fallback::Absent("1; tuned from 16 features on"),
        "Balance of the quadratic against the linear term, eta",
    )
    .usual(),
    SMOOTHING,
    Param::new(
        "class_bandwidths",
        Kind::WordOrList(&["common", "spread"], Range::Positive, "B"),
        Fallback::Word("common"),
        "Bandwidths of the classes: one for all, in proportion to the median distance within each, or \
         one per class",
    ),
    Param::new(
        "relaxed",
        Kind::Off,
        Fallback::Kind,
        "Let the weights of a class sum to less than 1 (the set A' of section 5.2)",
    ),
    CLASS_RATIO,
    Param::new(
        "multiclass",
        Kind::Word(&["rest", "joint"], ""),
        Fallback::Word("rest"),
        "Several classes: each against all others, or every density by itself",
    ),
];
