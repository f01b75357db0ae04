//! Kernels: values in blocks by matrix products, gradients with respect to feature weights,
//! centring, and rules for the bandwidth.

mod bandwidth;
mod centring;
mod exp;
mod gradient;
mod pairwise;

pub use bandwidth::{between_class_bandwidths, centred_scale, log_grid, median_bandwidth};
pub use centring::{GramMeans, center_gram, center_gram_weighted};
pub use exp::exp_in_place;
pub use gradient::{WeightSlopes, weight_gradient};
pub use pairwise::{Base, Pairs, cross_gram, gram, gram_from_base, symmetric_base};
pub(crate) use pairwise::{TILE_ROWS, mirror_lower};

use crate::error::{Result, require};
use serde::{Deserialize, Serialize};

/// A kernel `k(x, x')` with its parameters. `bandwidth` always means the width in the formula
/// given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "lowercase")]
pub enum Kernel {
    /// `<x, x'>`
    Linear,
    /// `exp(-|x - x'|^2 / (2 bandwidth^2))`
    Gaussian {
        /// Width.
        bandwidth: f64,
    },
    /// `(1 + <x, x'>)^degree`
    Polynomial {
        /// Degree, at least 1.
        degree: u32,
    },
    /// `tanh(slope <x, x'> + shift)`; not positive definite in general.
    Sigmoid {
        /// Factor of the inner product: `c` in Lapanowski & Gaynanova, section 2.2.
        slope: f64,
        /// Constant inside the `tanh`: `t` in the same place.
        shift: f64,
    },
    /// `exp(-|x - x'|_1 / bandwidth)`, the product kernel of Kim & Scott, section 5.4.
    Laplacian {
        /// Width.
        bandwidth: f64,
    },
    /// `exp(-|x - x'| / bandwidth)`, the radial kernel of Kim & Scott, section 5.4.
    #[serde(rename = "radial-laplacian")]
    RadialLaplacian {
        /// Width.
        bandwidth: f64,
    },
    /// `(1 + |x - x'|^2 / bandwidth^2)^(-(1 + dimension) / 2)`, Kim & Scott, section 5.4.
    Cauchy {
        /// Width.
        bandwidth: f64,
        /// Number of features: `d` in the exponent.
        dimension: usize,
    },
}

/// A kernel family, without parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// See [`Kernel::Linear`].
    Linear,
    /// See [`Kernel::Gaussian`].
    Gaussian,
    /// See [`Kernel::Polynomial`].
    Polynomial,
    /// See [`Kernel::Sigmoid`].
    Sigmoid,
    /// See [`Kernel::Laplacian`].
    Laplacian,
    /// See [`Kernel::RadialLaplacian`].
    #[serde(rename = "radial-laplacian")]
    RadialLaplacian,
    /// See [`Kernel::Cauchy`].
    Cauchy,
}

impl Family {
    /// Whether the family has a bandwidth.
    pub fn has_bandwidth(self) -> bool {
        self.is_density()
    }

    /// Whether its values, normalised, are used as a density.
    pub fn is_density(self) -> bool {
        matches!(
            self,
            Self::Gaussian | Self::Laplacian | Self::RadialLaplacian | Self::Cauchy
        )
    }

    /// Its name, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Gaussian => "gaussian",
            Self::Polynomial => "polynomial",
            Self::Sigmoid => "sigmoid",
            Self::Laplacian => "laplacian",
            Self::RadialLaplacian => "radial-laplacian",
            Self::Cauchy => "cauchy",
        }
    }

    /// Whether all its Gram matrices are positive semidefinite.
    pub fn is_definite(self) -> bool {
        self != Self::Sigmoid
    }

    /// The quantity that its values are a function of.
    pub fn base(self) -> Base {
        match self {
            Self::Linear | Self::Polynomial | Self::Sigmoid => Base::InnerProduct,
            Self::Gaussian | Self::RadialLaplacian | Self::Cauchy => Base::SquaredDistance,
            Self::Laplacian => Base::AbsoluteDistance,
        }
    }
}

impl Kernel {
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

    /// The bandwidth, if the kernel has one.
    pub fn bandwidth(&self) -> Option<f64> {
        match *self {
            Self::Gaussian { bandwidth }
            | Self::Laplacian { bandwidth }
            | Self::RadialLaplacian { bandwidth }
            | Self::Cauchy { bandwidth, .. } => Some(bandwidth),
            _ => None,
        }
    }

    /// The same kernel with another bandwidth. A kernel without a bandwidth is returned unchanged.
    pub fn with_bandwidth(self, bandwidth: f64) -> Self {
        match self {
            Self::Gaussian { .. } => Self::Gaussian { bandwidth },
            Self::Laplacian { .. } => Self::Laplacian { bandwidth },
            Self::RadialLaplacian { .. } => Self::RadialLaplacian { bandwidth },
            Self::Cauchy { dimension, .. } => Self::Cauchy {
                bandwidth,
                dimension,
            },
            other => other,
        }
    }

    /// Checks that the parameters are in their ranges.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::Linear => Ok(()),
            Self::Gaussian { bandwidth: b }
            | Self::Laplacian { bandwidth: b }
            | Self::RadialLaplacian { bandwidth: b }
            | Self::Cauchy { bandwidth: b, .. } => require(
                "bandwidth",
                b,
                b.is_finite() && b > 0.0,
                "finite and above 0",
            ),
            Self::Polynomial { degree } => {
                require("degree", degree, (1..=64).contains(&degree), "from 1 to 64")
            }
            Self::Sigmoid { slope, shift } => {
                require(
                    "slope",
                    slope,
                    slope.is_finite() && slope > 0.0,
                    "finite and above 0",
                )?;
                require("shift", shift, shift.is_finite(), "finite")
            }
        }
    }

    /// Replaces base values (inner products or distances, see [`Family::base`]) by kernel values.
    pub fn apply(&self, base: &mut [f64]) {
        match *self {
            Self::Linear => {}
            Self::Polynomial { degree } => {
                let d = degree.min(i32::MAX as u32) as i32;
                base.iter_mut().for_each(|v| *v = (1.0 + *v).powi(d));
            }
            Self::Sigmoid { slope, shift } => base
                .iter_mut()
                .for_each(|v| *v = (slope * *v + shift).tanh()),
            Self::Gaussian { .. }
            | Self::Laplacian { .. }
            | Self::RadialLaplacian { .. }
            | Self::Cauchy { .. } => {
                self.apply_log(base);
                exp_in_place(base);
            }
        }
    }

    /// Replaces base values by the logarithm of the kernel value. It is meant for the kernels that
    /// are above zero (Gaussian, both Laplacians, Cauchy), where it does not underflow. For the
    /// others, it is NaN where the value is negative.
    pub fn apply_log(&self, base: &mut [f64]) {
        match *self {
            Self::Gaussian { bandwidth } => {
                let f = -0.5 / (bandwidth * bandwidth);
                base.iter_mut().for_each(|v| *v *= f);
            }
            Self::Laplacian { bandwidth } => {
                let f = -1.0 / bandwidth;
                base.iter_mut().for_each(|v| *v *= f);
            }
            Self::RadialLaplacian { bandwidth } => {
                let f = -1.0 / bandwidth;
                base.iter_mut().for_each(|v| *v = f * v.sqrt());
            }
            Self::Cauchy {
                bandwidth,
                dimension,
            } => {
                let (f, e) = (
                    1.0 / (bandwidth * bandwidth),
                    -0.5 * (1.0 + dimension as f64),
                );
                base.iter_mut().for_each(|v| *v = e * (f * *v).ln_1p());
            }
            Self::Linear | Self::Polynomial { .. } | Self::Sigmoid { .. } => {
                self.apply(base);
                base.iter_mut().for_each(|v| *v = v.ln());
            }
        }
    }

    /// Logarithm of the constant that makes the kernel a density in `p` dimensions (Kim & Scott,
    /// sections 2 and 5.4). `None` for kernels that are not densities.
    pub fn log_normalizer(&self, p: usize) -> Option<f64> {
        use std::f64::consts::PI;
        let d = p as f64;
        match *self {
            Self::Gaussian { bandwidth } => Some(-0.5 * d * (2.0 * PI).ln() - d * bandwidth.ln()),
            Self::Laplacian { bandwidth } => Some(-d * (2.0 * bandwidth).ln()),
            // The surface of the sphere times the integral of r^(d - 1) exp(-r / b).
            Self::RadialLaplacian { bandwidth } => Some(
                log_gamma_half(p)
                    - 2f64.ln()
                    - 0.5 * d * PI.ln()
                    - log_gamma_half(2 * p)
                    - d * bandwidth.ln(),
            ),
            Self::Cauchy { bandwidth, .. } => {
                Some(log_gamma_half(p + 1) - 0.5 * (d + 1.0) * PI.ln() - d * bandwidth.ln())
            }
            _ => None,
        }
    }
}

/// `log Gamma(k / 2)` for a positive integer `k`, by the recurrence from 1/2 or 1.
fn log_gamma_half(k: usize) -> f64 {
    let (mut at, mut sum) = if k.is_multiple_of(2) {
        (2, 0.0)
    } else {
        (1, 0.5 * std::f64::consts::PI.ln())
    };
    while at < k {
        sum += (at as f64 / 2.0).ln();
        at += 2;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_kernels_integrate_to_one_in_one_dimension() {
        for kernel in [
            Kernel::Gaussian { bandwidth: 0.7 },
            Kernel::Laplacian { bandwidth: 0.7 },
            Kernel::RadialLaplacian { bandwidth: 0.7 },
            Kernel::Cauchy {
                bandwidth: 0.7,
                dimension: 1,
            },
        ] {
            let c = kernel.log_normalizer(1).expect("a density").exp();
            // x = tan(t): the midpoint rule over all of the real line, tails of the Cauchy density
            // included.
            let m = 200_000;
            let total: f64 = (0..m)
                .map(|i| {
                    let t = std::f64::consts::PI * ((i as f64 + 0.5) / m as f64 - 0.5);
                    let x = t.tan();
                    let mut v = [if kernel.family() == Family::Laplacian {
                        x.abs()
                    } else {
                        x * x
                    }];
                    kernel.apply(&mut v);
                    v[0] * (1.0 + x * x) * std::f64::consts::PI / m as f64
                })
                .sum();
            assert!((c * total - 1.0).abs() < 1e-6, "{kernel:?}: {}", c * total);
        }
    }

    #[test]
    fn gamma_of_half_integers() {
        let pi = std::f64::consts::PI;
        for (k, value) in [
            (1, pi.sqrt()),
            (2, 1.0),
            (3, pi.sqrt() / 2.0),
            (8, 6.0),
            (11, 52.342_777_784_553_52),
        ] {
            assert!((log_gamma_half(k) - f64::ln(value)).abs() < 1e-13, "{k}");
        }
    }

    #[test]
    fn parameters_are_checked_and_nan_fails() {
        assert!(
            Kernel::Gaussian {
                bandwidth: f64::NAN
            }
            .check()
            .is_err()
        );
        assert!(Kernel::Laplacian { bandwidth: 0.0 }.check().is_err());
        assert!(Kernel::Polynomial { degree: 0 }.check().is_err());
        assert!(
            Kernel::Sigmoid {
                slope: 1.0,
                shift: f64::INFINITY
            }
            .check()
            .is_err()
        );
        assert!(Kernel::Gaussian { bandwidth: 1.0 }.check().is_ok());
    }
}
