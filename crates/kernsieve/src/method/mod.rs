//! The methods. Each is one file (or folder) that follows the order of its paper; all of them
//! return the same [`Fit`].
//!
//! A method is a small struct of parameters. It knows its [settings](Setting), its grid of them,
//! its cost and its words ([`About`]). To write one of your own, implement [`Method`]; tuning,
//! saving and predicting then work as for the methods here. `examples/own_method.rs` is an example.

mod about;
pub mod density;
pub mod discriminant;
mod fit;
pub mod fivm;
mod grid;
pub mod klr;
pub mod kos;
pub mod l1_dkf;
pub(crate) mod l2_criterion;
pub mod l2le;
pub mod l2qp;
mod landmarks;
pub mod lda;
pub mod mkda;
pub mod parzen;
pub mod posterior;
mod problem;
mod setting;
pub mod sieve;
pub mod smkda;
pub mod sparse_kos;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_passes;

pub use about::{About, Candidacy, Outputs, Sparse};
pub use discriminant::{Discriminant, WithPosterior};
pub use fit::{Certificate, Fit, FitReport, PathStep, Singular};
pub use fivm::Fivm;
pub use grid::{CvEntry, Footprint, Grid, Once, Press, Ranking, Refinement};
pub(crate) use grid::{
    beyond_the_edge, density_kernels, descending, kernels_around_median, some, stretched,
};
pub use klr::Klr;
pub use kos::Kos;
pub use l1_dkf::L1Dkf;
pub use l2le::L2le;
pub use l2qp::L2qp;
pub use lda::Lda;
pub use mkda::Mkda;
pub use parzen::Parzen;
pub use posterior::Posterior;
pub use problem::{Fold, HeldOut, LeftOutRows, Problem};
pub use setting::{Chosen, NoSetting, OnlyKernel, Ridged, Setting, Size};
pub use sieve::Sieve;
pub use smkda::Smkda;
pub use sparse_kos::SparseKos;

use crate::error::{Error, Result};
use crate::kernel::Family;
use crate::notice::Notice;
use crate::params::{Params, Protocol};
use crate::partial::Passes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A solver with its decision rule, as a struct of parameters. Tuning, saving and predicting are
/// the same for all.
///
/// Serialised, a method is a flat map from the ids of its parameters to their values; parameters
/// that have no effect with the other values are left out. Its default is the method with no
/// parameter given.
pub trait Method: Clone + Default + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// What cross-validation chooses.
    type Setting: Setting;

    /// Name, words, parameters.
    const ABOUT: About;

    /// The method from what was given by id: its default, and what is given in its place.
    /// Parameters that it does not have, or that mean nothing with the others, change nothing.
    fn from_given(given: &Params) -> Result<Self> {
        method_from(given)
    }

    /// Checks constraints between parameters; their ranges are checked by their descriptions.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Reduces parameters that are too large for this many classes, and returns notices about them.
    fn adapt(&mut self, _n_classes: usize) -> Vec<Notice> {
        vec![]
    }

    /// Kernel family, which determines the base values that the settings share.
    fn family(&self) -> Family;

    /// Memory that scales with the square of the number `n` of rows.
    fn footprint(&self, n: usize) -> Footprint;

    /// Memory of the fit on all rows, if it is less than that.
    fn final_footprint(&self, n: usize) -> Footprint {
        self.footprint(n)
    }

    /// About how many seconds of one core it takes on `n` rows of `p` features and `c` classes.
    fn seconds(&self, n: f64, p: f64, c: f64) -> f64 {
        (Self::ABOUT.seconds)(n, p, c)
    }

    /// Number of the `n` rows to tune every setting on, if that is not all of them.
    fn tuning_rows(&self, _n: usize) -> Option<usize> {
        None
    }

    /// Which of the `n` rows to hold out once, in place of folds of fewer rows, if there are so many
    /// that these say more. What [`Self::grid`] sees is then the others.
    fn holds_out(&self, _n: usize) -> Option<Once> {
        None
    }

    /// The same method with this bandwidth fixed, for methods that take `n^3` operations per
    /// bandwidth and fold: trying bandwidths on many rows would take too long.
    fn at_bandwidth(&self, _bandwidth: f64) -> Option<Self> {
        None
    }

    /// The criterion by which cross-validation ranks settings.
    fn ranking(&self) -> Ranking {
        Ranking::Error
    }

    /// Whether arms that are clearly behind after some folds may skip the remaining folds.
    fn races(&self) -> bool {
        false
    }

    /// Whether later folds may leave out the last settings of an arm when they are clearly behind,
    /// in a race. It must not change what the others give.
    fn shortens(&self) -> bool {
        false
    }

    /// The settings that cross-validation chooses among.
    fn grid(&self, problem: &Problem, protocol: &Protocol) -> Result<Grid<Self::Setting>>;

    /// More arms to try if the chosen setting lies at an edge of the grid; none if it does not, or
    /// if the user fixed the grid.
    fn widen(
        &self,
        _tried: &[Self::Setting],
        _chosen: &Self::Setting,
        _n_classes: usize,
    ) -> Grid<Self::Setting> {
        vec![]
    }

    /// A revision of the chosen setting.
    fn refine(
        &self,
        _problem: &Problem,
        _protocol: &Protocol,
        _grid: &[CvEntry<Self::Setting>],
        _chosen: usize,
    ) -> Result<Refinement<Self::Setting>> {
        Ok(Refinement::Keep)
    }

    /// The scores of the held-out rows of a fold by every setting of an arm; `None` if a setting
    /// could not be fitted.
    fn held_out(&self, fold: &Fold, arm: &[Self::Setting]) -> Result<Vec<Option<HeldOut>>>;

    /// The scores of the held-out rows of a fold by a setting of the same size as this one, where
    /// the fold also learns what [`Self::grid`] learns from all rows; `None` if that is nothing, or
    /// too little to pay for.
    fn held_out_afresh(&self, _fold: &Fold, _like: &Self::Setting) -> Result<Option<HeldOut>> {
        Ok(None)
    }

    /// Whether [`Self::leave_one_out`] has a formula.
    fn leaves_one_out(&self) -> bool {
        false
    }

    /// The prediction of every row from the other rows, for every setting of an arm and without
    /// refitting.
    fn leave_one_out(
        &self,
        _problem: &Problem,
        _arm: &[Self::Setting],
    ) -> Result<Vec<Option<LeftOutRows>>> {
        Err(Error::Data(format!(
            "{} has no formula for leave-one-out; use folds",
            Self::ABOUT.name
        )))
    }

    /// Fits one setting.
    fn fit(&self, problem: &Problem, setting: &Self::Setting) -> Result<Fit>;

    /// Whether [`Self::fit_by_passes`] knows a way.
    fn streams(&self) -> bool {
        false
    }

    /// Whether features keep the units that the rows at hand give them, which do not depend on how
    /// all rows are divided, in place of the means and deviations of all rows.
    fn scaled_by_some(&self) -> bool {
        false
    }

    /// Fits one setting on rows that need not be in memory: whoever holds them says sums over them.
    /// `some` of them are at hand, at least one of every class, in the same units, with weights that
    /// give classes their shares of all rows, and with the priors.
    fn fit_by_passes(
        &self,
        _some: &Problem,
        _setting: &Self::Setting,
        _rows: &mut dyn Passes,
    ) -> Result<Fit> {
        Err(Error::Data(format!(
            "{} cannot be fitted by sums over rows",
            Self::ABOUT.name
        )))
    }

    /// Why these parameters need cross-validation although it was not asked for, in words for the
    /// user; `None` if they do not.
    fn still_open(&self) -> Option<&'static str> {
        None
    }
}

/// The parameters of a method by id.
pub fn params_of<M: Method>(method: &M) -> Params {
    match serde_json::to_value(method) {
        Ok(Value::Object(map)) => map,
        _ => Params::new(),
    }
}

/// What [`Method::from_given`] does unless a method knows better.
fn method_from<M: Method>(given: &Params) -> Result<M> {
    let mut params = params_of(&M::default());
    for (id, value) in given.iter().filter(|(_, v)| !v.is_null()) {
        let Some(param) = M::ABOUT.param(id) else {
            params.insert(id.clone(), value.clone());
            continue;
        };
        match (param.singular() == Some(id), value) {
            (true, Value::Array(_)) | (false, _) => {
                param.check(value)?;
                params.insert(param.id.into(), value.clone());
            }
            (true, one) => {
                let several = Value::Array(vec![one.clone()]);
                param.check(&several)?;
                params.insert(param.id.into(), several);
            }
        }
    }
    let method: M = serde_json::from_value(Value::Object(params))
        .map_err(|e| Error::Data(format!("parameters of {}: {e}", M::ABOUT.name)))?;
    method.check()?;
    Ok(method)
}
