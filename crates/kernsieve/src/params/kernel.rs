//! The kernel of a method, whose parameters may still be open.

use super::{Fallback, Kind, Param, Range};
use crate::error::Result;
use crate::kernel::{Family, Kernel};
use serde::{Deserialize, Serialize};

/// A kernel family with the parameters that the user fixed. Bandwidths that are not given are
/// tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kernel", rename_all = "lowercase")]
pub enum KernelChoice {
    /// [`Kernel::Linear`].
    Linear,
    /// [`Kernel::Gaussian`] with bandwidths to choose among.
    Gaussian {
        /// Empty: the method's own grid.
        #[serde(default)]
        bandwidths: Vec<f64>,
    },
    /// [`Kernel::Polynomial`].
    Polynomial {
        /// Degree, 3 unless given.
        #[serde(default = "three")]
        degree: u32,
    },
    /// [`Kernel::Sigmoid`].
    Sigmoid {
        /// `None` is one over the number of features.
        #[serde(default)]
        slope: Option<f64>,
        /// Constant inside.
        #[serde(default)]
        shift: f64,
    },
    /// [`Kernel::Laplacian`] with bandwidths to choose among.
    Laplacian {
        /// Empty: the method's own grid.
        #[serde(default)]
        bandwidths: Vec<f64>,
    },
    /// [`Kernel::RadialLaplacian`] with bandwidths to choose among.
    #[serde(rename = "radial-laplacian")]
    RadialLaplacian {
        /// Empty: the method's own grid.
        #[serde(default)]
        bandwidths: Vec<f64>,
    },
    /// [`Kernel::Cauchy`] with bandwidths to choose among.
    Cauchy {
        /// Empty: the method's own grid.
        #[serde(default)]
        bandwidths: Vec<f64>,
    },
}

fn three() -> u32 {
    3
}

impl Default for KernelChoice {
    fn default() -> Self {
        Self::Gaussian { bandwidths: vec![] }
    }
}

impl KernelChoice {
    /// A family with everything else left open.
    pub fn of(family: Family) -> Self {
        let bandwidths = vec![];
        match family {
            Family::Linear => Self::Linear,
            Family::Gaussian => Self::Gaussian { bandwidths },
            Family::Polynomial => Self::Polynomial { degree: three() },
            Family::Sigmoid => Self::Sigmoid {
                slope: None,
                shift: 0.0,
            },
            Family::Laplacian => Self::Laplacian { bandwidths },
            Family::RadialLaplacian => Self::RadialLaplacian { bandwidths },
            Family::Cauchy => Self::Cauchy { bandwidths },
        }
    }

    /// The family.
    pub fn family(&self) -> Family {
        match self {
            Self::Linear => Family::Linear,
            Self::Gaussian { .. } => Family::Gaussian,
            Self::Polynomial { .. } => Family::Polynomial,
            Self::Sigmoid { .. } => Family::Sigmoid,
            Self::Laplacian { .. } => Family::Laplacian,
            Self::RadialLaplacian { .. } => Family::RadialLaplacian,
            Self::Cauchy { .. } => Family::Cauchy,
        }
    }

    /// The bandwidths that the user fixed; empty where they are tuned, or there are none.
    pub fn bandwidths(&self) -> &[f64] {
        match self {
            Self::Gaussian { bandwidths }
            | Self::Laplacian { bandwidths }
            | Self::RadialLaplacian { bandwidths }
            | Self::Cauchy { bandwidths } => bandwidths,
            _ => &[],
        }
    }

    /// The same family with these bandwidths to choose among; itself if it has none.
    pub fn with_bandwidths(mut self, widths: impl Into<Vec<f64>>) -> Self {
        if let Self::Gaussian { bandwidths }
        | Self::Laplacian { bandwidths }
        | Self::RadialLaplacian { bandwidths }
        | Self::Cauchy { bandwidths } = &mut self
        {
            *bandwidths = widths.into();
        }
        self
    }

    /// A kernel of the family with this bandwidth.
    pub fn with(&self, bandwidth: f64, n_features: usize) -> Result<Kernel> {
        let kernel = match *self {
            Self::Linear => Kernel::Linear,
            Self::Gaussian { .. } => Kernel::Gaussian { bandwidth },
            Self::Polynomial { degree } => Kernel::Polynomial { degree },
            Self::Sigmoid { slope, shift } => Kernel::Sigmoid {
                slope: slope.unwrap_or(1.0 / n_features.max(1) as f64),
                shift,
            },
            Self::Laplacian { .. } => Kernel::Laplacian { bandwidth },
            Self::RadialLaplacian { .. } => Kernel::RadialLaplacian { bandwidth },
            Self::Cauchy { .. } => Kernel::Cauchy {
                bandwidth,
                dimension: n_features,
            },
        };
        kernel.check()?;
        Ok(kernel)
    }

    /// The kernels that the user fixed, smoothest first; `None` when the bandwidth is to be tuned
    /// on a grid.
    pub fn fixed(&self, n_features: usize) -> Result<Option<Vec<Kernel>>> {
        if !self.family().has_bandwidth() {
            return Ok(Some(vec![self.with(1.0, n_features)?]));
        }
        if self.bandwidths().is_empty() {
            return Ok(None);
        }
        let mut widths = self.bandwidths().to_vec();
        widths.sort_by(|a, b| b.total_cmp(a));
        widths.dedup();
        let kernels = widths.into_iter().map(|b| self.with(b, n_features));
        kernels.collect::<Result<Vec<_>>>().map(Some)
    }
}

const ALL: &[&str] = &[
    "linear",
    "gaussian",
    "polynomial",
    "sigmoid",
    "laplacian",
    "radial-laplacian",
    "cauchy",
];

/// The kernel family, any.
pub const KERNEL: Param = Param::new(
    "kernel",
    Kind::Word(ALL, ""),
    Fallback::Word("gaussian"),
    "Kernel",
)
.usual();

/// The kernel family of a method with a likelihood.
pub const DEFINITE_KERNEL: Param = Param {
    kind: Kind::Word(
        &[
            "linear",
            "gaussian",
            "polynomial",
            "laplacian",
            "radial-laplacian",
            "cauchy",
        ],
        "positive definite: any but sigmoid",
    ),
    ..KERNEL
};

/// The kernel family of a density.
pub const DENSITY_KERNEL: Param = Param {
    kind: Kind::Word(
        &["gaussian", "laplacian", "radial-laplacian", "cauchy"],
        "a density: gaussian, laplacian, radial-laplacian or cauchy",
    ),
    ..KERNEL
};

/// Bandwidths.
pub const BANDWIDTHS: Param = Param::new(
    "bandwidths",
    Kind::Grid {
        range: Range::Positive,
        letter: "B",
    },
    Fallback::Absent("tuned"),
    "Bandwidth b of the kernel, exp(-|x-x'|^2 / (2 b^2)) for the Gaussian",
)
.usual();

/// Degree of the polynomial kernel.
pub const DEGREE: Param = Param::new(
    "degree",
    Kind::Count {
        least: 1,
        most: 64,
        letter: "D",
    },
    Fallback::Count(3),
    "Degree of the polynomial kernel, (1 + <x,x'>)^degree",
);

/// Slope of the sigmoid kernel.
pub const SLOPE: Param = Param::new(
    "slope",
    Kind::Number {
        range: Range::Positive,
        letter: "S",
    },
    Fallback::Absent("1 / number of features"),
    "Slope of the sigmoid kernel, tanh(slope <x,x'> + shift)",
);

/// Shift of the sigmoid kernel.
pub const SHIFT: Param = Param::new(
    "shift",
    Kind::Number {
        range: Range::Finite,
        letter: "S",
    },
    Fallback::Number(0.0),
    "Shift of the sigmoid kernel",
);

/// Ids of the parameters of a kernel.
pub const KERNEL_PARAMS: &[&str] = &["kernel", "bandwidths", "degree", "slope", "shift"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_choice_carries_only_what_its_family_has() {
        let flat = |choice: &KernelChoice| serde_json::to_value(choice).expect("plain");
        assert_eq!(
            flat(&KernelChoice::of(Family::Polynomial)),
            json!({"kernel": "polynomial", "degree": 3})
        );
        let given = json!({"kernel": "laplacian", "degree": 5, "bandwidths": [1.0]});
        let choice: KernelChoice = serde_json::from_value(given).expect("fits");
        assert_eq!(
            choice,
            KernelChoice::Laplacian {
                bandwidths: vec![1.0]
            }
        );
        assert_eq!(
            flat(&choice),
            json!({"kernel": "laplacian", "bandwidths": [1.0]})
        );
    }

    #[test]
    fn fixed_kernels_come_smoothest_first_and_once() {
        let choice = KernelChoice::default().with_bandwidths([1.0, 3.0, 1.0]);
        let widths: Vec<Option<f64>> = choice
            .fixed(2)
            .expect("valid")
            .expect("fixed")
            .iter()
            .map(Kernel::bandwidth)
            .collect();
        assert_eq!(widths, [Some(3.0), Some(1.0)]);
        assert!(KernelChoice::default().fixed(2).expect("valid").is_none());
    }
}
