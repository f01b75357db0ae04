//! The methods. Each is one file (or folder) that tells its paper's story in order; all of them
//! return the same [`Fit`].
//!
//! A method is a small struct of parameters. It knows its [settings](Setting), its grid of them, its
//! cost and its words ([`About`]). To write one of your own, implement [`Method`]; tuning, saving and
//! predicting are then the same as for those that are here. `examples/own_method.rs` is one.

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
pub mod smkda;
pub mod sparse_kos;
#[cfg(test)]
mod tests;

pub use about::{About, Outputs, Sparse};
pub use discriminant::{Discriminant, WithPosterior};
pub use fit::{Certificate, Fit, FitReport, PathStep};
pub use fivm::Fivm;
pub use grid::{CvEntry, Footprint, Grid, Press, Ranking, Refinement};
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
pub use smkda::Smkda;
pub use sparse_kos::SparseKos;

use crate::error::{Error, Result};
use crate::kernel::Family;
use crate::notice::Notice;
use crate::params::{Params, Protocol};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A solver with its decision rule, as a struct of parameters. Tuning, saving and predicting are the
/// same for all.
///
/// Serialised, a method is a flat map from the ids of its parameters to their values; parameters
/// that mean nothing with the others given are left out. Its default is a method with nothing said.
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

    /// Checks what parameters ask of each other; their ranges are checked by their descriptions.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// What of its parameters data with so many classes cannot have. It takes back what is too much,
    /// and says so.
    fn adapt(&mut self, _n_classes: usize) -> Vec<Notice> {
        vec![]
    }

    /// Kernel family, which says what base values the settings share.
    fn family(&self) -> Family;

    /// Memory that scales with the square of the number `n` of rows.
    fn footprint(&self, n: usize) -> Footprint;

    /// Memory of the fit on all rows, where it is less than that.
    fn final_footprint(&self, n: usize) -> Footprint {
        self.footprint(n)
    }

    /// Rows to tune every setting on, of `n`, if that is not all of them.
    fn tuning_rows(&self, _n: usize) -> Option<usize> {
        None
    }

    /// The same method with this bandwidth fixed, if a bandwidth takes so long to try that many rows
    /// should not be asked about it: `n^3` operations a bandwidth and fold.
    fn at_bandwidth(&self, _bandwidth: f64) -> Option<Self> {
        None
    }

    /// What cross-validation ranks settings by.
    fn ranking(&self) -> Ranking {
        Ranking::Error
    }

    /// Whether arms that are clearly behind after some folds may be left out of the others.
    fn races(&self) -> bool {
        false
    }

    /// What cross-validation chooses among.
    fn grid(&self, problem: &Problem, protocol: &Protocol) -> Result<Grid<Self::Setting>>;

    /// More arms to try when the chosen setting lies at an edge of the grid; none when it does not,
    /// or when the user fixed the grid.
    fn widen(
        &self,
        _tried: &[Self::Setting],
        _chosen: &Self::Setting,
        _n_classes: usize,
    ) -> Grid<Self::Setting> {
        vec![]
    }

    /// Second thoughts about the chosen setting.
    fn refine(
        &self,
        _problem: &Problem,
        _protocol: &Protocol,
        _grid: &[CvEntry<Self::Setting>],
        _chosen: usize,
    ) -> Result<Refinement<Self::Setting>> {
        Ok(Refinement::Keep)
    }

    /// What every setting of an arm says of the held-out rows of a fold; `None` where a setting
    /// could not be fitted.
    fn held_out(&self, fold: &Fold, arm: &[Self::Setting]) -> Result<Vec<Option<HeldOut>>>;

    /// Whether [`Self::leave_one_out`] has a formula.
    fn leaves_one_out(&self) -> bool {
        false
    }

    /// Every row as the other rows see it, for every setting of an arm and without refitting.
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

    /// What only some settings of the parameters cannot do without: a word for the user whose fit
    /// runs cross-validation although it was not asked for.
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
