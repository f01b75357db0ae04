//! Estimates of class posteriors, from which a discriminant kernel is made.

mod logistic;
mod regression;

pub use logistic::L1Logistic;
pub use regression::L1Regression;

use super::klr::require_definite;
use super::parzen::require_density;
use super::{
    About, Fit, Fold, Footprint, Grid, HeldOut, Klr, Method, OnlyKernel, Parzen, Problem, Ridged,
    Setting,
};
use crate::error::{Error, Result};
use crate::kernel::{Family, Kernel};
use crate::params::{KernelChoice, Params, Protocol};
use crate::partial::Passes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An estimate of class posteriors. Serialised, it is the flat map of its parameters with the kind
/// under `posterior`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "posterior", rename_all = "kebab-case")]
pub enum Posterior {
    /// One lasso per class on its indicator (Hidaka & Kurita, section 4.1).
    L1(L1Regression),
    /// Logistic regression with an L1 penalty.
    Logistic(L1Logistic),
    /// Kernel logistic regression.
    Klr(Klr),
    /// Plug-in kernel densities.
    Parzen(Parzen),
}

impl Default for Posterior {
    fn default() -> Self {
        Self::L1(L1Regression::default())
    }
}

/// The kind of an estimate, without its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PosteriorKind {
    /// [`Posterior::L1`].
    L1,
    /// [`Posterior::Logistic`].
    Logistic,
    /// [`Posterior::Klr`].
    Klr,
    /// [`Posterior::Parzen`].
    Parzen,
}

impl PosteriorKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::L1, Self::Logistic, Self::Klr, Self::Parzen];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Logistic => "logistic",
            Self::Klr => "klr",
            Self::Parzen => "parzen",
        }
    }

    /// An estimate of this kind with default parameters.
    pub fn estimate(self) -> Posterior {
        match self {
            Self::L1 => Posterior::L1(L1Regression::default()),
            Self::Logistic => Posterior::Logistic(L1Logistic::default()),
            Self::Klr => Posterior::Klr(Klr::default()),
            Self::Parzen => Posterior::Parzen(Parzen::default()),
        }
    }
}

impl Posterior {
    /// Its kind.
    pub fn kind(&self) -> PosteriorKind {
        match self {
            Self::L1(_) => PosteriorKind::L1,
            Self::Logistic(_) => PosteriorKind::Logistic,
            Self::Klr(_) => PosteriorKind::Klr,
            Self::Parzen(_) => PosteriorKind::Parzen,
        }
    }

    /// The estimate that these parameters ask for. Inside another method, the ridge and the number
    /// of samples belong to that method.
    pub(super) fn from_params(params: &Params, inside: bool) -> Result<Self> {
        let kind = params.get("posterior").filter(|v| !v.is_null());
        let kind: PosteriorKind = match kind {
            None => PosteriorKind::L1,
            Some(word) => serde_json::from_value(word.clone())
                .map_err(|e| Error::Data(format!("posterior: {e}")))?,
        };
        let made = match kind {
            PosteriorKind::L1 => L1Regression::from_given(params).map(Self::L1),
            PosteriorKind::Logistic => L1Logistic::from_given(params).map(Self::Logistic),
            PosteriorKind::Parzen => Parzen::from_given(params).map(Self::Parzen),
            PosteriorKind::Klr => {
                // Landmarks are for many rows, and belong to the outer method, too.
                let mut own = params.clone();
                own.remove("candidates");
                Klr::from_given(&own).map(|whole| match inside {
                    true => Self::Klr(Klr::new().kernel(whole.choice().clone())),
                    false => Self::Klr(whole),
                })
            }
        };
        made.map_err(|e| e.of(kind.name()))
    }

    /// Its parameters, the kind under `posterior`.
    pub(super) fn to_params(&self, inside: bool) -> Params {
        let mut params = match self {
            Self::L1(m) => super::params_of(m),
            Self::Logistic(m) => super::params_of(m),
            Self::Klr(m) => super::params_of(m),
            Self::Parzen(m) => super::params_of(m),
        };
        if inside {
            for id in ["ridges", "max_support"] {
                params.remove(id);
            }
        }
        params.remove("candidates");
        params.insert("posterior".into(), Value::from(self.kind().name()));
        params
    }

    /// Whether outputs are taken as they are.
    pub(super) fn is_raw(&self) -> bool {
        matches!(self, Self::L1(l1) if l1.is_raw())
    }

    /// Whether it is a regression with a penalty, whose coefficients are zero for some features.
    pub fn is_regression(&self) -> bool {
        matches!(self, Self::L1(_) | Self::Logistic(_))
    }

    fn kernel_choice(&self) -> Option<&KernelChoice> {
        match self {
            Self::Klr(klr) => Some(klr.choice()),
            Self::Parzen(parzen) => Some(parzen.choice()),
            _ => None,
        }
    }
}

/// The penalty of a regression. In files it is written with a linear kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenPenalty", into = "WrittenPenalty")]
pub struct Penalised {
    /// The penalty on the coefficients, `lambda`.
    pub sparsity: f64,
}

#[derive(Serialize, Deserialize)]
struct WrittenPenalty {
    kernel: Kernel,
    sparsity: f64,
}

impl From<WrittenPenalty> for Penalised {
    fn from(written: WrittenPenalty) -> Self {
        Self {
            sparsity: written.sparsity,
        }
    }
}

impl From<Penalised> for WrittenPenalty {
    fn from(setting: Penalised) -> Self {
        Self {
            kernel: Kernel::Linear,
            sparsity: setting.sparsity,
        }
    }
}

impl Setting for Penalised {
    fn kernel(&self) -> &Kernel {
        &Kernel::Linear
    }

    fn penalty(&self) -> f64 {
        self.sparsity
    }
}

/// A setting of an estimate of posteriors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PosteriorSetting {
    /// Of a regression.
    Penalised(Penalised),
    /// Of kernel logistic regression.
    Ridged(Ridged),
    /// Of kernel densities.
    Kernel(OnlyKernel),
}

impl Setting for PosteriorSetting {
    fn kernel(&self) -> &Kernel {
        match self {
            Self::Penalised(s) => s.kernel(),
            Self::Ridged(s) => s.kernel(),
            Self::Kernel(s) => s.kernel(),
        }
    }

    fn penalty(&self) -> f64 {
        match self {
            Self::Penalised(s) => s.penalty(),
            _ => 0.0,
        }
    }

    fn ridge(&self) -> Option<f64> {
        match self {
            Self::Ridged(s) => s.ridge(),
            _ => None,
        }
    }
}

impl From<PosteriorSetting> for Option<Penalised> {
    fn from(setting: PosteriorSetting) -> Self {
        match setting {
            PosteriorSetting::Penalised(s) => Some(s),
            _ => None,
        }
    }
}

impl From<PosteriorSetting> for Option<Ridged> {
    fn from(setting: PosteriorSetting) -> Self {
        match setting {
            PosteriorSetting::Ridged(s) => Some(s),
            _ => None,
        }
    }
}

impl From<PosteriorSetting> for Option<OnlyKernel> {
    fn from(setting: PosteriorSetting) -> Self {
        match setting {
            PosteriorSetting::Kernel(s) => Some(s),
            _ => None,
        }
    }
}

/// Settings of one kind, as the estimate of that kind knows them.
fn own<S>(arm: &[PosteriorSetting]) -> Result<Vec<S>>
where
    Option<S>: From<PosteriorSetting>,
{
    let own: Option<Vec<S>> = arm.iter().map(|&s| s.into()).collect();
    own.ok_or_else(|| Error::Data("these are settings of another estimate".into()))
}

/// Runs an expression with the estimate and the variant of its settings in scope.
macro_rules! each {
    ($self:ident, $estimate:ident, $variant:ident => $run:expr) => {
        match $self {
            Posterior::L1($estimate) => {
                let $variant = PosteriorSetting::Penalised;
                $run
            }
            Posterior::Logistic($estimate) => {
                let $variant = PosteriorSetting::Penalised;
                $run
            }
            Posterior::Klr($estimate) => {
                let $variant = PosteriorSetting::Ridged;
                $run
            }
            Posterior::Parzen($estimate) => {
                let $variant = PosteriorSetting::Kernel;
                $run
            }
        }
    };
}

fn wrapped<S>(grid: Grid<S>, variant: impl Fn(S) -> PosteriorSetting) -> Grid<PosteriorSetting> {
    let arm = |arm: Vec<S>| arm.into_iter().map(&variant).collect();
    grid.into_iter().map(arm).collect()
}

impl Method for Posterior {
    type Setting = PosteriorSetting;

    const ABOUT: About = About::part("posterior");

    fn check(&self) -> Result<()> {
        match (self, self.kernel_choice()) {
            (Self::Klr(_), Some(kernel)) => require_definite(kernel),
            (Self::Parzen(_), Some(kernel)) => require_density(kernel),
            _ => Ok(()),
        }
    }

    fn family(&self) -> Family {
        each!(self, estimate, _variant => estimate.family())
    }

    fn footprint(&self, n: usize) -> Footprint {
        each!(self, estimate, _variant => estimate.footprint(n))
    }

    fn races(&self) -> bool {
        each!(self, estimate, _variant => estimate.races())
    }

    fn grid(&self, problem: &Problem, protocol: &Protocol) -> Result<Grid<PosteriorSetting>> {
        each!(self, estimate, variant => {
            Ok(wrapped(estimate.grid(problem, protocol)?, variant))
        })
    }

    fn widen(
        &self,
        tried: &[PosteriorSetting],
        chosen: &PosteriorSetting,
        n_classes: usize,
    ) -> Grid<PosteriorSetting> {
        each!(self, estimate, variant => {
            match (own(tried), own(&[*chosen])) {
                (Ok(tried), Ok(chosen)) => {
                    wrapped(estimate.widen(&tried, &chosen[0], n_classes), variant)
                }
                _ => vec![],
            }
        })
    }

    fn held_out(&self, fold: &Fold, arm: &[PosteriorSetting]) -> Result<Vec<Option<HeldOut>>> {
        each!(self, estimate, _variant => estimate.held_out(fold, &own(arm)?))
    }

    fn fit(&self, problem: &Problem, setting: &PosteriorSetting) -> Result<Fit> {
        each!(self, estimate, _variant => estimate.fit(problem, &own(&[*setting])?[0]))
    }

    fn streams(&self) -> bool {
        each!(self, estimate, _variant => estimate.streams())
    }

    fn fit_by_passes(
        &self,
        some: &Problem,
        setting: &PosteriorSetting,
        rows: &mut dyn Passes,
    ) -> Result<Fit> {
        each!(self, estimate, _variant => {
            estimate.fit_by_passes(some, &own(&[*setting])?[0], rows)
        })
    }
}
