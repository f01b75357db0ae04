//! Parameters and settings.

use super::search::{Form, Plan};
use crate::kernel::Kernel;
use crate::method::{Setting, Size};
use crate::params::{Fallback, Kind, Param, Preparation, Range};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A learnt kernel on few features and few samples.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel` | chosen by the data | | Gaussian, Laplacian or radial Laplacian |
/// | `linear` | chosen by the data | in, out | a linear part beside the kernel |
/// | `rounds` | chosen by the data | 0 to 5 | rounds of learning feature weights |
/// | `ridge` | chosen by the data | above 0 | penalty, relative to the variance of a function |
/// | `max_support` | all | 1 or more | at most this many samples |
/// | `max_features` | all | 1 or more | at most this many features |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sieve {
    pub(super) kernel: Option<Shape>,
    pub(super) linear: Option<Linear>,
    pub(super) rounds: Option<usize>,
    pub(super) ridge: Option<f64>,
    pub(super) max_support: Option<usize>,
    pub(super) max_features: Option<usize>,
    /// A setting to take instead of a search, made smaller where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) like: Option<SieveSetting>,
}

/// The shape of a kernel, without its bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// [`Kernel::Gaussian`].
    Gaussian,
    /// [`Kernel::Laplacian`], a product over features.
    Laplacian,
    /// [`Kernel::RadialLaplacian`].
    RadialLaplacian,
}

/// Whether there is a linear part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linear {
    /// There is one.
    In,
    /// There is none.
    Out,
}

impl Sieve {
    /// Everything chosen by the data, for accuracy.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this shape of kernel.
    pub fn kernel(mut self, shape: Shape) -> Self {
        self.kernel = Some(shape);
        self
    }

    /// With or without a linear part.
    pub fn linear(mut self, linear: Linear) -> Self {
        self.linear = Some(linear);
        self
    }

    /// With this many rounds of learning weights.
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.rounds = Some(rounds);
        self
    }

    /// With this ridge.
    pub fn ridge(mut self, ridge: f64) -> Self {
        self.ridge = Some(ridge);
        self
    }

    /// With at most this many samples.
    pub fn max_support(mut self, samples: usize) -> Self {
        self.max_support = Some(samples);
        self
    }

    /// With at most this many features.
    pub fn max_features(mut self, features: usize) -> Self {
        self.max_features = Some(features);
        self
    }

    /// With the setting of another model instead of a search; the other parameters make it smaller.
    pub fn like(mut self, setting: SieveSetting) -> Self {
        self.like = Some(setting);
        self
    }
}

/// A setting of [`Sieve`]. Weights of features, bandwidth (around the one given here) and ridge are
/// learnt anew from the rows that are fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SieveSetting {
    /// The kernel; its bandwidth, in units of the median distance, is where the search begins.
    pub kernel: Kernel,
    /// How features are prepared.
    pub prepare: Preparation,
    /// Where the search for the ridge begins.
    pub ridge: f64,
    /// Whether there is a linear part.
    pub linear: bool,
    /// Rounds of learning weights.
    pub rounds: usize,
    /// Features kept.
    pub n_features: usize,
    /// Samples kept.
    pub size: usize,
    /// Ridge of the softmax refit relative to that of the least squares; `None` keeps the least
    /// squares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub softmax: Option<f64>,
    /// With what features were dropped, if not with the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
    /// Whether weights begin with the slopes of a quadratic function, and not all alike.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guided: bool,
    /// Features that folds kept, and how many of them did, if features were dropped there: the fit
    /// on all rows keeps what most folds do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<(usize, usize)>,
}

/// The form of the function while features are dropped: many features of noise want another kernel
/// than the few that are left at last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// The kernel with which features are dropped.
    pub kernel: Kernel,
    /// The ridge that goes with it.
    pub ridge: f64,
    /// Whether there is a linear part.
    pub linear: bool,
    /// From this number of features down, the form is the one of the setting.
    pub until: usize,
}

impl SieveSetting {
    /// The form at this number of features.
    fn own(&self) -> Form {
        Form {
            kernel: self.kernel,
            ridge: self.ridge,
            linear: self.linear,
        }
    }

    /// The form with which the fit begins.
    fn first(&self) -> Form {
        self.before.map_or(self.own(), |b| Form {
            kernel: b.kernel,
            ridge: b.ridge,
            linear: b.linear,
        })
    }

    pub(super) fn plan(&self) -> Plan {
        Plan {
            prepare: self.prepare,
            rounds: self.rounds,
            form: self.first(),
            later: self.before.map(|b| (b.until, self.own())),
            fewer: None,
            guided: self.guided,
        }
    }
}

impl Setting for SieveSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn size(&self) -> Size {
        Size {
            samples: Some(self.size),
            features: Some(self.n_features),
        }
    }

    /// Fewer numbers in the model.
    fn simpler(&self, other: &Self) -> Ordering {
        let numbers = |s: &Self| (s.size + usize::from(s.linear)) * s.n_features;
        numbers(self)
            .cmp(&numbers(other))
            .then(self.rounds.cmp(&other.rounds))
    }

    fn same_path(&self, other: &Self) -> bool {
        let fixed = |s: &Self| (s.n_features, s.before, s.own());
        self.same_search(other) && fixed(self) == fixed(other)
    }

    /// Features and samples go by rules that do not look for the least error; the readout does.
    fn is_rival(&self, other: &Self) -> bool {
        let own = |s: &Self| (s.n_features, s.size, s.before);
        own(self) == own(other)
    }

    fn same_search(&self, other: &Self) -> bool {
        let fixed = |s: &Self| (s.first(), s.prepare, s.rounds, s.guided, s.softmax);
        fixed(self) == fixed(other)
    }
}

/// The parameters, described.
pub(super) const PARAMS: &[Param] = &[
    Param::new(
        "kernel",
        Kind::Word(&["gaussian", "laplacian", "radial-laplacian"], ""),
        Fallback::Absent("chosen by the data"),
        "Kernel",
    )
    .usual(),
    Param::new(
        "linear",
        Kind::Word(&["in", "out"], ""),
        Fallback::Absent("chosen by the data"),
        "Linear part beside the kernel",
    ),
    Param::new(
        "rounds",
        Kind::Count {
            least: 0,
            most: 5,
            letter: "R",
        },
        Fallback::Absent("chosen by the data"),
        "Rounds of learning feature weights; 0 weighs all features alike",
    ),
    Param::new(
        "ridge",
        Kind::Number {
            range: Range::Positive,
            letter: "G",
        },
        Fallback::Absent("chosen by the data"),
        "Squared-norm penalty",
    ),
    Param::new(
        "max_support",
        Kind::Count {
            least: 1,
            most: u64::MAX,
            letter: "N",
        },
        Fallback::Absent("all"),
        "Most samples to retain",
    )
    .usual(),
    Param::new(
        "max_features",
        Kind::Count {
            least: 1,
            most: u64::MAX,
            letter: "N",
        },
        Fallback::Absent("all"),
        "Most features to retain",
    )
    .usual(),
];
