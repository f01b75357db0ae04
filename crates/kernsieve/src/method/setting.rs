//! Settings: what cross-validation chooses among. Every method has its own type, which can only
//! express settings that the method supports.

use crate::error::{Error, Result};
use crate::kernel::Kernel;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::fmt::Debug;

/// A setting of a method.
pub trait Setting: Clone + Debug + PartialEq + Send + Sync + Serialize + DeserializeOwned {
    /// The kernel that reads the features.
    fn kernel(&self) -> &Kernel;

    /// Samples and features that it keeps, where the method selects them step by step.
    fn size(&self) -> Size {
        Size::default()
    }

    /// Penalty that makes it sparse; 0 where there is none. Larger is simpler.
    fn penalty(&self) -> f64 {
        0.0
    }

    /// The squared-norm penalty, where it is part of the setting. Larger is smoother.
    fn ridge(&self) -> Option<f64> {
        None
    }

    /// The simpler of two settings comes first: the smaller one, then the one of larger penalty, of
    /// larger bandwidth, of larger ridge.
    fn simpler(&self, other: &Self) -> Ordering {
        let width = |s: &Self| s.kernel().bandwidth().unwrap_or(0.0);
        let ridge = |s: &Self| s.ridge().unwrap_or(0.0);
        self.size()
            .cmp(&other.size())
            .then_with(|| other.penalty().total_cmp(&self.penalty()))
            .then_with(|| width(other).total_cmp(&width(self)))
            .then_with(|| ridge(other).total_cmp(&ridge(self)))
    }

    /// Which of two settings of equal error is preferred, beyond the order in which the grid lists
    /// them: `Less` prefers this one.
    fn preferred(&self, _other: &Self) -> Ordering {
        Ordering::Equal
    }

    /// Whether two settings differ in size only, so that one run serves both.
    fn same_path(&self, other: &Self) -> bool {
        self == other
    }

    /// Whether this setting, once chosen, was the luckier one of the two: its error is then too small
    /// by what luck is worth. Not where a rule that does not look for the least error chose it.
    fn is_rival(&self, _other: &Self) -> bool {
        true
    }

    /// Whether two settings differ in numbers of samples and features only.
    fn same_search(&self, other: &Self) -> bool {
        self.same_path(other)
    }
}

/// Samples and features that a setting keeps; `None` where the method does not select them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Retained samples.
    pub samples: Option<usize>,
    /// Retained features.
    pub features: Option<usize>,
}

impl Size {
    /// The number along a path of samples, or of features; `None` for a method without one.
    pub fn step(&self) -> Option<usize> {
        self.samples.or(self.features)
    }
}

/// The setting of a method with nothing to choose. In files it is written as a linear kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "OnlyKernel", into = "OnlyKernel")]
pub struct NoSetting;

impl From<OnlyKernel> for NoSetting {
    fn from(_: OnlyKernel) -> Self {
        Self
    }
}

impl From<NoSetting> for OnlyKernel {
    fn from(_: NoSetting) -> Self {
        Self {
            kernel: Kernel::Linear,
        }
    }
}

impl Setting for NoSetting {
    fn kernel(&self) -> &Kernel {
        &Kernel::Linear
    }
}

/// A kernel and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlyKernel {
    /// The kernel.
    pub kernel: Kernel,
}

impl Setting for OnlyKernel {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

/// A kernel and a squared-norm penalty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ridged {
    /// The kernel.
    pub kernel: Kernel,
    /// The penalty.
    pub ridge: f64,
}

impl Ridged {
    /// One setting per ridge, all with the same kernel.
    pub fn arm(kernel: Kernel, ridges: &[f64]) -> Vec<Self> {
        ridges.iter().map(|&ridge| Self { kernel, ridge }).collect()
    }
}

impl Setting for Ridged {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn ridge(&self) -> Option<f64> {
        Some(self.ridge)
    }
}

/// A setting whose type is no longer known. Files keep it and front ends show it, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chosen(Map<String, Value>);

impl Chosen {
    /// A setting by names.
    pub fn of<S: Setting>(setting: &S) -> Self {
        match serde_json::to_value(setting) {
            Ok(Value::Object(map)) => Self(map),
            _ => Self::default(),
        }
    }

    /// The typed setting again.
    pub fn to<S: Setting>(&self) -> Result<S> {
        serde_json::from_value(Value::Object(self.0.clone()))
            .map_err(|e| Error::Data(format!("these are settings of another method ({e})")))
    }

    /// A value by name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|v| !v.is_null())
    }

    /// A number by name.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_f64()
    }

    /// A whole number by name.
    pub fn count(&self, name: &str) -> Option<usize> {
        self.get(name)?.as_u64().and_then(|v| v.try_into().ok())
    }

    /// Numbers by name.
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        self.get(name)?
            .as_array()?
            .iter()
            .map(Value::as_f64)
            .collect()
    }

    /// The features that were voted in, where folds vote.
    pub fn features(&self) -> Option<Vec<usize>> {
        let each = self.get("features")?.as_array()?.iter();
        each.map(|v| v.as_u64().and_then(|j| j.try_into().ok()))
            .collect()
    }

    /// The settings of the posteriors, if there is a discriminant kernel.
    pub fn posterior(&self) -> Option<Self> {
        self.get("posterior")?.as_object().cloned().map(Self)
    }

    /// The settings of the part that reads the features themselves: the posteriors, if there are
    /// any.
    pub fn reader(&self) -> Self {
        self.posterior().unwrap_or_else(|| self.clone())
    }

    /// The kernel that it names.
    pub fn kernel(&self) -> Option<Kernel> {
        serde_json::from_value(self.get("kernel")?.clone()).ok()
    }

    /// Samples and features that it keeps.
    pub fn size(&self) -> Size {
        Size {
            samples: self.count("size"),
            features: self.count("n_features"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_survive_the_loss_of_their_type() {
        let ridged = Ridged {
            kernel: Kernel::Gaussian {
                bandwidth: 0.1 + 0.2,
            },
            ridge: 1.0 / 3.0,
        };
        let chosen = Chosen::of(&ridged);
        assert_eq!(chosen.to::<Ridged>().expect("the same"), ridged);
        assert_eq!(chosen.number("ridge"), Some(1.0 / 3.0));
        assert_eq!(chosen.kernel(), Some(ridged.kernel));
        let nothing = Chosen::of(&NoSetting);
        assert_eq!(
            serde_json::to_value(&nothing).expect("plain"),
            json!({"kernel": {"family": "linear"}})
        );
        assert!(nothing.to::<Ridged>().is_err());
    }

    #[test]
    fn simpler_is_smoother_where_sizes_are_alike() {
        let at = |bandwidth: f64, ridge: f64| Ridged {
            kernel: Kernel::Gaussian { bandwidth },
            ridge,
        };
        assert_eq!(at(2.0, 0.1).simpler(&at(1.0, 0.2)), Ordering::Less);
        assert_eq!(at(1.0, 0.2).simpler(&at(1.0, 0.1)), Ordering::Less);
        assert_eq!(at(1.0, 0.1).simpler(&at(1.0, 0.1)), Ordering::Equal);
    }
}
