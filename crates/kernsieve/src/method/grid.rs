//! Grids of settings, and the results of their validation.

use super::{Chosen, Problem, Setting};
use crate::error::{Error, Result, require};
use crate::kernel::{Family, Kernel, log_grid, median_bandwidth};
use crate::metrics::mean_and_standard_error;
use crate::params::KernelChoice;
use serde::{Deserialize, Serialize};

/// The settings that cross-validation chooses among, in arms. The settings of an arm are fitted
/// together because they share work, such as one Gram matrix. They are listed in order of
/// preference: on a tie the earlier one wins.
pub type Grid<S> = Vec<Vec<S>>;

/// The criterion by which cross-validation ranks settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Share of held-out rows that are classified wrongly.
    Error,
    /// That share plus the mean log loss.
    LogLoss,
    /// That share plus the mean log loss at the temperature of least loss, found for each setting
    /// on all folds together. Unlike the log loss itself, it is unaffected when a large ridge
    /// shrinks all log odds equally.
    TemperedLogLoss,
}

/// Rows that are held out once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Once {
    /// Rows that take part, drawn by class.
    pub rows: usize,
    /// So many of them are held out.
    pub held_out: usize,
}

/// A revision of a choice.
#[derive(Clone, Debug, PartialEq)]
pub enum Refinement<S> {
    /// None.
    Keep,
    /// This entry of the table instead.
    Entry(usize),
    /// This entry of the table instead, with a setting that also says what the folds found.
    Told(usize, S),
    /// This setting, which is not in the table, provided that its error is at most the bound.
    Setting(S, f64),
}

/// The cross-validation result of one setting. Files do not keep the type of the setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "S: serde::de::DeserializeOwned"))]
pub struct CvEntry<S = Chosen> {
    /// The setting.
    #[serde(flatten)]
    pub setting: S,
    /// After how many folds it was dropped because others were clearly better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_after: Option<usize>,
    /// The criterion where it is not the error alone: error plus log loss, see [`Ranking`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The measure that settings are chosen for in each fold, as something to make small, where one
    /// was asked for ([`crate::params::Score`]); `score` is then that measure of all folds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fold_scores: Vec<f64>,
    /// The temperature at which that log loss is least, where it was found. Files do not keep it.
    #[serde(skip)]
    pub temperature: Option<f64>,
    /// That criterion of each held-out row, fold after fold. Files do not keep it.
    #[serde(skip)]
    pub row_scores: Vec<f64>,
    /// Misclassified held-out rows over all rows; `None` if the setting could not be fitted in some
    /// fold, or was dropped.
    pub error: Option<f64>,
    /// Standard error of the mean over folds.
    pub standard_error: f64,
    /// Mean of `-log p` of the true class over held-out rows.
    pub log_loss: Option<f64>,
    /// Error in each fold.
    pub fold_errors: Vec<f64>,
    /// In how many folds each feature had a nonzero weight. Kept for the chosen setting only, and
    /// only if weights are learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feature_folds: Vec<usize>,
    /// Leave-one-out by formula: mean squared residual of the scored responses (PRESS / n), which
    /// is then the criterion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub press: Option<Press>,
}

/// A mean of squared leave-one-out residuals, with its standard error over the rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Press {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl<S> CvEntry<S> {
    /// An entry for a setting that could not be fitted.
    pub fn failed(setting: S) -> Self {
        Self {
            setting,
            left_after: None,
            score: None,
            fold_scores: vec![],
            temperature: None,
            row_scores: vec![],
            error: None,
            standard_error: 0.0,
            log_loss: None,
            fold_errors: vec![],
            feature_folds: vec![],
            press: None,
        }
    }

    /// The value by which settings are compared: the error, the score if the method has one, or
    /// PRESS in leave-one-out. Infinite if the setting failed.
    pub fn criterion(&self) -> f64 {
        let own = self.press.map(|p| p.mean).or(self.score);
        own.or(self.error).unwrap_or(f64::INFINITY)
    }

    /// Standard error of [`Self::criterion`].
    pub fn criterion_error(&self) -> f64 {
        match self.press {
            Some(press) => press.standard_error,
            None if self.is_scored() => mean_and_standard_error(&self.fold_scores).1,
            None => self.standard_error,
        }
    }

    /// Whether it was measured by what the user asked for.
    pub fn is_scored(&self) -> bool {
        !self.fold_scores.is_empty()
    }
}

impl<S: Setting> CvEntry<S> {
    /// The same with the type of the setting forgotten.
    pub fn erased(self) -> CvEntry {
        CvEntry {
            setting: Chosen::of(&self.setting),
            left_after: self.left_after,
            score: self.score,
            fold_scores: self.fold_scores,
            temperature: None,
            row_scores: vec![],
            error: self.error,
            standard_error: self.standard_error,
            log_loss: self.log_loss,
            fold_errors: self.fold_errors,
            feature_folds: self.feature_folds,
            press: self.press,
        }
    }
}

/// How many `n x n` matrices a method needs, for the memory check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Whether the training Gram matrix is formed.
    pub train_base: bool,
    /// Whether held-out base values are formed.
    pub held_out_base: bool,
    /// Matrices of the size of the Gram matrix that one fit holds at once.
    pub copies: usize,
    /// Bytes that one fit may take in addition.
    pub cache: u64,
    /// Landmarks with which a final fit holds five matrices of `n x landmarks`.
    pub landmarks: usize,
}

impl Footprint {
    /// No `n x n` matrix.
    pub const NONE: Self = Self {
        train_base: false,
        held_out_base: false,
        copies: 0,
        cache: 0,
        landmarks: 0,
    };

    /// Base values of all pairs, and this many matrices made from them.
    pub const fn gram(copies: usize) -> Self {
        Self {
            train_base: true,
            held_out_base: true,
            copies,
            ..Self::NONE
        }
    }

    /// Products of `m` columns, made from blocks of at most `n` rows.
    pub fn of_landmarks(m: usize, n: usize) -> Self {
        const BLOCK: usize = 4096;
        let m = m.min(n);
        Self {
            cache: 8 * (4 * m * m + 2 * BLOCK.min(n) * m) as u64,
            ..Self::NONE
        }
    }
}

/// The kernels of densities to try if the user fixes no bandwidth, smooth ones first: from 1e-2 to
/// 1e1 on standardised data (Kim & Scott, section 6). With more than 100 features the range ends at
/// a wider one, since distances grow with the square root of their number.
pub(crate) fn density_kernels(
    choice: &KernelChoice,
    d: usize,
    count: usize,
) -> Result<Vec<Kernel>> {
    if let Some(fixed) = choice.fixed(d)? {
        return Ok(fixed);
    }
    let top = 10.0 * (d as f64 / 100.0).sqrt().max(1.0);
    let grid = log_grid(1e-2, top, count).into_iter().rev();
    grid.map(|b| choice.with(b, d)).collect()
}

/// The kernels of a family to try if the user fixes no bandwidth: multiples of the median distance,
/// smooth ones first. Families without a bandwidth give one kernel.
pub(crate) fn kernels_around_median(
    choice: &KernelChoice,
    problem: &Problem,
    multiples: &[f64],
) -> Result<Vec<Kernel>> {
    if let Some(fixed) = choice.fixed(problem.n_active())? {
        return Ok(fixed);
    }
    let weights = problem.weights.as_deref();
    let Some(median) = median_bandwidth(&problem.x, &problem.labels, weights, problem.seed) else {
        return Err(Error::Data(
            "all rows are equal: there is nothing to tell the classes apart by".into(),
        ));
    };
    let scale = match choice.family() {
        // |x - x'|_1 is about sqrt(p) times the Euclidean distance.
        Family::Laplacian => (problem.n_active() as f64).sqrt(),
        _ => 1.0,
    };
    multiples
        .iter()
        .map(|m| choice.with(median * scale * m, problem.n_active()))
        .collect()
}

/// Factors for the bandwidth of the chosen kernel if it is the narrowest or the widest tried. None
/// if it is neither, if it has no bandwidth, or if the user gave the bandwidths.
pub(crate) fn beyond_the_edge<'a, S: Setting>(
    choice: &KernelChoice,
    tried: &[S],
    chosen: &Kernel,
    narrower: &'a [f64],
    wider: &'a [f64],
) -> &'a [f64] {
    let (Some(width), true) = (chosen.bandwidth(), choice.bandwidths().is_empty()) else {
        return &[];
    };
    let widths = || tried.iter().filter_map(|s| s.kernel().bandwidth());
    if width <= widths().fold(f64::INFINITY, f64::min) {
        narrower
    } else if width >= widths().fold(0.0, f64::max) {
        wider
    } else {
        &[]
    }
}

/// A kernel with its bandwidth, if it has one, times a factor.
pub(crate) fn stretched(kernel: &Kernel, factor: f64) -> Kernel {
    kernel.with_bandwidth(kernel.bandwidth().unwrap_or(1.0) * factor)
}

/// The given values, or the method's own; large ones first, each once.
pub(crate) fn descending(given: &[f64], own: impl FnOnce() -> Vec<f64>) -> Vec<f64> {
    let mut values = if given.is_empty() {
        own()
    } else {
        given.to_vec()
    };
    values.sort_by(|a, b| b.total_cmp(a));
    values.dedup();
    values
}

/// A grid, or an error if it is empty.
pub(crate) fn some<S>(grid: Grid<S>) -> Result<Grid<S>> {
    require(
        "grid",
        grid.len(),
        !grid.is_empty(),
        "of at least one setting",
    )?;
    Ok(grid)
}
