//! L2 kernel density estimation: few samples with weights in place of all of them (Kim & Scott,
//! section 3.5).
//!
//! ```text
//! f(x) = sum_i a_i k_sigma(x, x_i),      a >= 0, sum a = 1,
//! min_a  sum_ij a_i a_j k_{sqrt2 sigma}(x_i, x_j) / 2 - sum_i a_i h_i,
//! h_i = 1 / (n - 1) sum_{j != i} k_sigma(x_i, x_j)
//! ```
//! This is the program of [`super::l2qp`] with `gamma = 0`. Twice its value is the leave-one-out
//! estimate of the integrated squared error `integral (f - true f)^2`, less `integral (true f)^2`,
//! which does not depend on `f`. Laplacian and Cauchy kernels have their own convolutions (section
//! 5.4). Complexity: as [`super::l2qp`].
//!
//! [Kim & Scott] "L2 kernel classification", IEEE TPAMI 32 (2010).

use super::l2_criterion::{
    Contrast, Distances, Minimum, SMALLEST_WEIGHT, Terms, in_memory, row_cache,
};
use crate::classes::Classes;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Kernel, symmetric_base};
use crate::linalg::{Matrix, dot};
use crate::params::{BANDWIDTHS, DENSITY_KERNEL, Fallback, KernelChoice, Kind, Param, Params};
use serde::{Deserialize, Serialize};

/// The criterion that chooses a bandwidth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// The integrated squared error: `integral f^2 - 2 mean f(held-out row)`.
    #[default]
    Ise,
    /// The mean log density of held-out rows.
    Likelihood,
}

/// The parameters of a density.
pub const PARAMS: &[Param] = &[
    DENSITY_KERNEL,
    BANDWIDTHS,
    Param::new(
        "criterion",
        Kind::Word(&["ise", "likelihood"], ""),
        Fallback::Word("ise"),
        "Choose the bandwidth by the cross-validated integrated squared error, or by the mean log \
         density of held-out rows",
    ),
];

/// L2 kernel density estimation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Density {
    /// The kernel, a density.
    #[serde(flatten)]
    pub(crate) kernel: KernelChoice,
    /// What the bandwidth is chosen by.
    #[serde(skip)]
    pub(crate) criterion: Criterion,
}

impl Density {
    /// A Gaussian kernel with the bandwidth of least integrated squared error.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// With a bandwidth chosen by this criterion.
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.criterion = criterion;
        self
    }

    /// The estimate that these parameters ask for.
    pub fn from_params(given: &Params) -> Result<Self> {
        let mut params = Params::from_iter([("kernel".to_string(), "gaussian".into())]);
        for (id, value) in given.iter().filter(|(_, v)| !v.is_null()) {
            match (id.as_str(), value) {
                ("bandwidth", one) => params.insert("bandwidths".into(), vec![one.clone()].into()),
                _ => params.insert(id.clone(), value.clone()),
            };
        }
        for param in PARAMS {
            params.get(param.id).map_or(Ok(()), |v| param.check(v))?;
        }
        let criterion = params.remove("criterion").map(serde_json::from_value);
        let wrong = |e| Error::Data(format!("parameters of a density: {e}"));
        let density: Self = serde_json::from_value(params.into()).map_err(wrong)?;
        Ok(density.criterion(criterion.transpose().map_err(wrong)?.unwrap_or_default()))
    }

    /// Checks that the kernel is a density and that its bandwidths are valid.
    pub(crate) fn check(&self) -> Result<()> {
        super::parzen::require_density(&self.kernel)?;
        BANDWIDTHS.numbers(self.kernel.bandwidths()).map(drop)
    }
}

/// A bandwidth that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DensityEntry {
    /// The kernel.
    pub kernel: Kernel,
    /// Cross-validated integrated squared error, less the integral of the squared true density;
    /// `None` if it is beyond floating point.
    pub ise: Option<f64>,
    /// Mean log density of the held-out rows.
    pub log_density: Option<f64>,
    /// Rows with a nonzero weight, averaged over folds.
    pub retained: f64,
}

/// How a density was found. Errors are integrated squared errors in units of the data, less the
/// integral of the squared true density, which the data cannot tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DensityRecord {
    /// What the bandwidth was chosen by.
    pub criterion: Criterion,
    /// Number of folds.
    pub folds: usize,
    /// Every bandwidth that was tried, widest first.
    pub grid: Vec<DensityEntry>,
    /// Position of the chosen one.
    pub chosen: usize,
    /// Leave-one-out estimate of the error, which the weights minimise.
    pub loo_ise: Option<f64>,
    /// The same with equal weights on all rows: the usual kernel density estimate with this
    /// bandwidth.
    pub equal_loo_ise: Option<f64>,
}

/// Rows of one density.
pub(crate) struct Sample<'a> {
    /// Standardised features.
    pub(crate) x: &'a Matrix,
    /// All rows in one class, with their weights.
    pub(crate) classes: &'a Classes,
    /// 1 for a feature that is used, 0 for a constant one.
    pub(crate) feature_weights: &'a [f64],
    /// Densities of the standardised features are divided by the exponential of this to become
    /// densities of the data.
    pub(crate) log_volume: f64,
}

/// An estimate.
pub(crate) struct Estimate {
    /// Log densities of the data as a function of a standardised row.
    pub(crate) expansion: KernelExpansion,
    /// The rows with a nonzero weight, heaviest first.
    pub(crate) rows: Vec<usize>,
    /// The solution, in the units of the data.
    pub(crate) minimum: Minimum,
    /// The criterion with the same weight on all rows, in the same unit, if it was asked for.
    pub(crate) equal: Option<f64>,
}

impl Sample<'_> {
    /// Distances of all pairs, if they are held in memory.
    pub(crate) fn base(&self, kernel: &Kernel) -> Option<Matrix> {
        in_memory(self.x.rows()).then(|| symmetric_base(kernel.family(), self.x))
    }

    /// The estimate with this kernel to a gap of `tol`; `base` is what [`Sample::base`] gives. With
    /// `equal`, the criterion of the usual estimate is computed as well.
    pub(crate) fn estimate(
        &self,
        kernel: &Kernel,
        base: Option<&Matrix>,
        tol: f64,
        equal: bool,
    ) -> Result<Estimate> {
        let n = self.x.rows();
        let d = self.feature_weights.iter().filter(|w| **w != 0.0).count();
        let alone = Contrast {
            positive: (0..n).collect(),
            negative: vec![],
            gamma: 0.0,
            ratios: vec![1.0],
        };
        let distances = Distances::new(base, kernel.family(), self.x);
        let mut terms = Terms::new(
            &[*kernel],
            0.0,
            d,
            self.x,
            self.classes,
            distances,
            row_cache(n),
        )?;
        let mut minimum = alone.minimise(&mut terms, 1.0, false, tol, &[]);
        let log_ratio = terms.log_ratio(0) + terms.log_constant - minimum.log_scale;
        let (targets, unit) = (
            alone.targets(&terms),
            (terms.log_constant - minimum.log_scale).exp(),
        );
        let share = |i: usize| self.classes.weight(i) / self.classes.total();
        let equal = equal.then(|| {
            let shares: Vec<f64> = (0..n).map(share).collect();
            0.5 * unit * terms.square(&shares) - log_ratio.exp() * dot(&targets, &shares)
        });
        minimum.log_scale -= self.log_volume;
        let weights = &minimum.solution.weights;
        let mut rows: Vec<usize> = (0..n).filter(|&i| weights[i] > SMALLEST_WEIGHT).collect();
        rows.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        let constant = kernel.log_normalizer(d).unwrap_or(f64::NAN) - self.log_volume;
        let output = Output::LogDensity {
            weights: rows.iter().map(|&i| minimum.solution.weights[i]).collect(),
            starts: vec![0, rows.len()],
            offset: vec![constant],
            own: None,
        };
        let (support, weights) = (self.x.select_rows(&rows), self.feature_weights.to_vec());
        Ok(Estimate {
            expansion: KernelExpansion::new(*kernel, weights, &support, output),
            rows,
            minimum,
            equal,
        })
    }
}
