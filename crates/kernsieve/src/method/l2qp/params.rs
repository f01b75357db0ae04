//! Parameters and settings.

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
/// | `class_bandwidths` | common | above 0 | common, by the spread of each class, tuned, or given |
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
    /// Each tuned by itself, one class at a time, from the best common one.
    Tuned,
    /// Given, in the order of the classes.
    Given(Vec<f64>),
}

/// As options and files spell them: a word, numbers, or (in older files) `{"given": [..]}`.
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
    Tuned,
    Given(Vec<f64>),
}

impl From<WrittenWidths> for ClassBandwidths {
    fn from(written: WrittenWidths) -> Self {
        match written {
            WrittenWidths::Word(WidthsWord::Common) => Self::Common,
            WrittenWidths::Word(WidthsWord::Spread) => Self::Spread,
            WrittenWidths::Word(WidthsWord::Tuned) => Self::Tuned,
            WrittenWidths::List(w) | WrittenWidths::Word(WidthsWord::Given(w)) => Self::Given(w),
        }
    }
}

impl From<ClassBandwidths> for WrittenWidths {
    fn from(widths: ClassBandwidths) -> Self {
        Self::Word(match widths {
            ClassBandwidths::Common => WidthsWord::Common,
            ClassBandwidths::Spread => WidthsWord::Spread,
            ClassBandwidths::Tuned => WidthsWord::Tuned,
            ClassBandwidths::Given(w) => WidthsWord::Given(w),
        })
    }
}

/// How several classes are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Multiclass {
    /// One difference of densities per class, against all others.
    #[default]
    Rest,
    /// Every density by itself.
    Joint,
}

/// A setting of L2 kernel classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct L2qpSetting {
    /// The kernel; that of the first class, if each has its own bandwidth.
    pub kernel: Kernel,
    /// Balance of the quadratic and the linear term, `eta`.
    pub balance: f64,
    /// Bandwidth of each class, if they have their own.
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

    /// With these balances to choose among; a single one is used as given.
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

    /// Lets the weights of a class sum to less than 1.
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
        Kind::WordOrList(&["common", "spread", "tuned"], Range::Positive, "B"),
        Fallback::Word("common"),
        "Bandwidths of the classes: one for all, in proportion to the median distance within each, \
         each tuned by itself, or one per class",
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
