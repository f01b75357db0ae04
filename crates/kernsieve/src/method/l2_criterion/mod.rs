//! The criterion of L2 kernel methods (Kim & Scott, eqs. 3 and 7): an unbiased estimate of the
//! integrated squared error of a difference of densities.
//!
//! With `f_c(x) = sum_{i in c} a_i k_sigma(x, x_i)` and `Y = 1` on one side, `-gamma` on the other,
//! half of that estimate is, up to a constant,
//! ```text
//! sum_ij a_i a_j Y_i Y_j k_rho(x_i, x_j) / 2 - (1 / eta) sum_i a_i Y_i h_i
//! ```
//! where `h_i` is the leave-one-out estimate of the difference at `x_i` with the kernel of
//! bandwidth `tau` (section 2.1). `rho^2 = 2 (sigma^2 + lambda^2)`, `tau^2 = sigma^2 + 2 lambda^2`,
//! `lambda = smoothing * sigma` (section 5.1); `eta = balance` (section 5.5). All kernels are
//! normalised, but only ratios of their constants occur, and those are kept as logarithms: hundreds
//! of dimensions neither underflow nor overflow.
//!
//! Rows of the quadratic term are computed when a step needs them and kept in a cache of bounded
//! size: a sparse solution never needs most of them. With few rows ([`in_memory`]) the distances of
//! all pairs are held. With many, they are computed in blocks for `h`, and again for every row of
//! the quadratic term.

mod convolution;
mod radial;
#[cfg(test)]
mod tests;

use super::Problem;
use crate::classes::Classes;
use crate::error::{Error, Result, require};
use crate::kernel::{Family, Kernel, Pairs};
use crate::linalg::{Matrix, dot};
use crate::notice::Notice;
use crate::params::KernelChoice;
use crate::solver::row_cache::RowCache;
use crate::solver::smo::{Group, KernelRows, Solution, minimise};
use convolution::{Overlap, class_sums, convolution, log_constant, widths};
use rayon::prelude::*;

/// Gaps at which the program ends, relative to the larger of its terms: in final fits, and in
/// folds.
pub(crate) const EXACT: f64 = 1e-8;
pub(crate) const FOLD: f64 = 1e-4;
/// Weights below this are rounding errors.
pub(crate) const SMALLEST_WEIGHT: f64 = 1e-9;
/// Memory of one solve: the distances of all pairs and the cache, or the cache alone.
pub(crate) const WORK_BYTES: u64 = 512 << 20;
/// Rows to tune on when there are many more.
pub(crate) const TUNING_ROWS: usize = 5000;
/// Rows of distances that are computed at a time.
const BLOCK_ROWS: usize = 32;

/// Whether the distances of all pairs of `n` rows are held in memory.
pub(crate) fn in_memory(n: usize) -> bool {
    16 * (n as u64) * (n as u64) <= WORK_BYTES
}

/// Memory that one solve with `n` rows takes.
pub(crate) fn work_bytes(n: usize) -> u64 {
    WORK_BYTES.min(16 * (n as u64) * (n as u64))
}

/// The cache of a solve with `n` rows.
pub(crate) fn row_cache(n: usize) -> RowCache {
    RowCache::new(
        n,
        if in_memory(n) {
            WORK_BYTES / 2
        } else {
            WORK_BYTES
        },
    )
}

/// Distances between rows: in memory, or computed when asked for.
pub(crate) enum Distances<'a> {
    Held(&'a Matrix),
    OnDemand(Pairs),
}

impl<'a> Distances<'a> {
    /// The distances of rows `x`; `held` are those in memory, if any.
    pub(crate) fn new(held: Option<&'a Matrix>, family: Family, x: &Matrix) -> Self {
        match held {
            Some(base) => Self::Held(base),
            None => Self::OnDemand(Pairs::new(family.base(), x.clone())),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Held(base) => base.rows(),
            Self::OnDemand(pairs) => pairs.len(),
        }
    }

    /// Distances of the rows from `first` on to all rows; as many as `out` has room for.
    fn rows(&self, first: usize, out: &mut [f64]) {
        match self {
            Self::Held(base) => {
                out.copy_from_slice(&base.as_slice()[first * base.cols()..][..out.len()])
            }
            Self::OnDemand(pairs) => pairs.own_rows(first, out),
        }
    }
}

/// The kernel of the quadratic term without the largest of its constants: `k_rho` for the classes
/// of a pair, or the [`Overlap`] of a Laplacian with itself.
struct Quadratic<'a> {
    x: &'a Matrix,
    codes: &'a [usize],
    /// Kernels and logarithms of constants by the classes of a pair.
    table: Vec<Vec<(Kernel, f64)>>,
    /// Whether all of those are the same.
    alike: bool,
    /// What takes their place for Laplacian kernels.
    overlap: Option<Overlap>,
}

impl Quadratic<'_> {
    /// Replaces the distances of row `i` to all rows by values of the quadratic term.
    fn apply(&self, i: usize, row: &mut [f64]) {
        let kernels = &self.table[self.codes[i]];
        if let Some(overlap) = &self.overlap {
            overlap.apply(self.x, i, row);
        } else if self.alike {
            kernels[0].0.apply(row);
        } else {
            for (v, &code) in row.iter_mut().zip(self.codes) {
                let mut one = [*v];
                kernels[code].0.apply_log(&mut one);
                *v = (one[0] + kernels[code].1).exp();
            }
        }
    }

    fn diagonal(&self, i: usize) -> f64 {
        let code = self.codes[i];
        self.table[code][code].1.exp()
    }
}

/// Rows of the quadratic term.
struct Rows<'a> {
    quadratic: Quadratic<'a>,
    distances: Distances<'a>,
    cache: RowCache,
}

impl KernelRows for Rows<'_> {
    fn len(&self) -> usize {
        self.distances.len()
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.quadratic.diagonal(i)
    }

    fn row(&mut self, i: usize) -> &[f64] {
        self.cache.get(i, |row| {
            self.distances.rows(i, row);
            self.quadratic.apply(i, row);
        })
    }
}

/// The parts of the criterion, before classes are set against each other. Logarithms of constants
/// are relative to the largest one of the quadratic term.
pub(crate) struct Terms<'a> {
    rows: Rows<'a>,
    classes: &'a Classes,
    /// Weighted sums over each class of the linear term's kernel without its constant, each row
    /// left out of its own, rows x classes.
    sums: Matrix,
    /// Logarithm of the linear term's constant, one per class.
    log_ratios: Vec<f64>,
    /// Logarithm of the largest constant of the quadratic term.
    pub(crate) log_constant: f64,
}

impl<'a> Terms<'a> {
    /// The terms for kernels, one per class, of a family that is a density in `d` dimensions. The
    /// memory of `cache` is reused.
    pub(crate) fn new(
        kernels: &[Kernel],
        smoothing: f64,
        d: usize,
        x: &'a Matrix,
        classes: &'a Classes,
        distances: Distances<'a>,
        cache: RowCache,
    ) -> Result<Self> {
        let not_a_density = || {
            Error::Data(
                "this method needs a kernel that is a density: gaussian, laplacian, \
                 radial-laplacian or cauchy"
                    .into(),
            )
        };
        let logs: Option<Vec<Vec<(Kernel, f64)>>> = kernels
            .iter()
            .map(|a| {
                let pair = |b: &Kernel| {
                    let rho = if a == b {
                        widths(a, smoothing).0
                    } else {
                        convolution(a, b)
                    };
                    Some((rho, log_constant(a, &rho, d)?))
                };
                kernels.iter().map(pair).collect()
            })
            .collect();
        let mut table = logs.ok_or_else(not_a_density)?;
        let log_constant = table
            .iter()
            .flatten()
            .map(|t| t.1)
            .fold(f64::NEG_INFINITY, f64::max);
        table.iter_mut().flatten().for_each(|t| t.1 -= log_constant);
        let linear: Vec<Kernel> = kernels.iter().map(|k| widths(k, smoothing).1).collect();
        let log_ratios = linear
            .iter()
            .map(|tau| Some(tau.log_normalizer(d)? - log_constant));
        let log_ratios: Vec<f64> = log_ratios
            .collect::<Option<_>>()
            .ok_or_else(not_a_density)?;
        let sums = class_sums(&linear, &distances, classes);
        let quadratic = Quadratic {
            x,
            codes: classes.codes(),
            alike: kernels.iter().all(|k| *k == kernels[0]),
            overlap: kernels.first().and_then(|k| Overlap::of(k, d)),
            table,
        };
        Ok(Self {
            rows: Rows {
                quadratic,
                distances,
                cache: cache.cleared(),
            },
            classes,
            sums,
            log_ratios,
            log_constant,
        })
    }

    /// `a'Qa` for weights on all rows of one side, without the constant.
    pub(crate) fn square(&self, weights: &[f64]) -> f64 {
        let n = self.rows.len();
        let term = |i: usize| {
            let mut row = vec![0.0; n];
            self.rows.distances.rows(i, &mut row);
            self.rows.quadratic.apply(i, &mut row);
            weights[i] * dot(&row, weights)
        };
        // Collected first, so that the sum does not depend on how threads share the rows.
        let terms: Vec<f64> = (0..n).into_par_iter().map(term).collect();
        terms.iter().sum()
    }

    /// The whole matrix of the quadratic term.
    pub(crate) fn matrix(&self) -> Matrix {
        let n = self.rows.len();
        let mut values = Matrix::zeros(n, n);
        let rows = values.as_mut_slice().par_chunks_mut(n.max(1)).enumerate();
        rows.for_each(|(i, row)| {
            self.rows.distances.rows(i, row);
            self.rows.quadratic.apply(i, row);
        });
        values
    }

    /// The memory, for reuse.
    pub(crate) fn into_cache(self) -> RowCache {
        self.rows.cache
    }

    /// Logarithm of the linear term's constant for a row.
    pub(crate) fn log_ratio(&self, i: usize) -> f64 {
        self.log_ratios[self.classes.codes()[i]]
    }
}

/// One difference of densities: some rows against others, or one density alone.
pub(crate) struct Contrast {
    pub(crate) positive: Vec<usize>,
    pub(crate) negative: Vec<usize>,
    pub(crate) gamma: f64,
    /// Factor of the rows of each class in the density of a side with several classes: its prior
    /// divided by its share of the rows.
    pub(crate) ratios: Vec<f64>,
}

impl Contrast {
    /// `h` of every row of the two sides without the constant of its kernel, 0 elsewhere.
    pub(crate) fn targets(&self, terms: &Terms<'_>) -> Vec<f64> {
        let classes = terms.classes;
        let side = |members: &[usize]| {
            let (mut shares, mut total) = (vec![0.0; classes.n_classes()], 0.0);
            for &i in members {
                let code = classes.codes()[i];
                shares[code] = self.ratios[code];
                total += self.ratios[code] * classes.weight(i);
            }
            (shares, total)
        };
        let (positive, negative) = (side(&self.positive), side(&self.negative));
        // Leave-one-out: a row, or one of its copies, does not count on its own side.
        let mean = |i: usize, (shares, total): &(Vec<f64>, f64)| {
            let own = shares[classes.codes()[i]] * classes.weight(i).min(1.0);
            dot(terms.sums.row(i), shares) / (total - own).max(f64::MIN_POSITIVE)
        };
        let mut targets = vec![0.0; classes.n_rows()];
        for &i in self.positive.iter().chain(&self.negative) {
            let against = if self.gamma > 0.0 {
                self.gamma * mean(i, &negative)
            } else {
                0.0
            };
            targets[i] = mean(i, &positive) - against;
        }
        targets
    }

    /// The weights of least criterion: at least 0, each side summing to 1 (with `relaxed` to less,
    /// section 5.2).
    pub(crate) fn minimise(
        &self,
        terms: &mut Terms<'_>,
        balance: f64,
        relaxed: bool,
        tol: f64,
        start: &[f64],
    ) -> Minimum {
        let mut linear = self.targets(terms);
        self.negative.iter().for_each(|&i| linear[i] *= -self.gamma);
        // c is exp(log ratio of the class) / balance times that. The larger of Q and c is scaled to
        // size 1.
        let n = linear.len();
        let logs: Vec<f64> = (0..n).map(|i| terms.log_ratio(i) - balance.ln()).collect();
        // Rows without any neighbour have no linear term, so they do not affect its size.
        let sizes = (0..n).filter(|&i| linear[i] != 0.0);
        let log_scale = sizes
            .map(|i| logs[i] + linear[i].abs().ln())
            .fold(0.0, f64::max);
        linear
            .iter_mut()
            .zip(&logs)
            .for_each(|(c, log)| *c *= (log - log_scale).exp());
        let shrink = (-0.5 * log_scale).exp();
        let program: Vec<Group> = [
            (&self.positive, shrink),
            (&self.negative, -self.gamma * shrink),
        ]
        .into_iter()
        .filter(|(members, _)| !members.is_empty())
        .map(|(members, sign)| Group {
            members: members.clone(),
            sign,
        })
        .collect();
        let start = (start.len() == n).then_some(start);
        let solution = minimise(&mut terms.rows, &linear, &program, start, relaxed, tol);
        Minimum {
            square: 2.0 * (solution.objective + dot(&linear, &solution.weights)),
            log_scale: log_scale + terms.log_constant,
            solution,
        }
    }
}

impl Minimum {
    /// Fails if kernel values overflow, because nothing can be learned from them.
    pub(crate) fn check(&self) -> Result<()> {
        if self.solution.objective.is_finite() {
            return Ok(());
        }
        Err(Error::Data(
            "kernel values are beyond floating point at this bandwidth; use one closer to the \
             distances between rows"
                .into(),
        ))
    }
}

/// The weights that minimise the criterion. The objective is in units of the larger of its two
/// terms.
pub(crate) struct Minimum {
    pub(crate) solution: Solution,
    /// The integral of the squared difference in those units (if nothing is smoothed).
    pub(crate) square: f64,
    /// Logarithm of the unit.
    pub(crate) log_scale: f64,
}

/// The differences that tell classes apart: the second of two classes against the first, or each
/// class against all others.
pub(crate) fn against_rest(problem: &Problem, class_ratio: Option<f64>) -> Vec<Contrast> {
    let codes = problem.labels.codes();
    let shares = problem.classes().shares();
    let ratios: Vec<f64> = problem
        .priors
        .iter()
        .zip(&shares)
        .map(|(prior, share)| prior / share)
        .collect();
    let contrast = |k: usize, gamma: f64| {
        let (positive, negative) = (0..codes.len()).partition(|&i| codes[i] == k);
        Contrast {
            positive,
            negative,
            gamma,
            ratios: ratios.clone(),
        }
    };
    match problem.labels.n_classes() {
        2 => vec![contrast(1, odds(problem, class_ratio))],
        c => (0..c)
            .map(|k| contrast(k, (1.0 - problem.priors[k]) / problem.priors[k]))
            .collect(),
    }
}

/// `gamma` of two classes, the weight of the first one's density against the second's: the given
/// value, or the ratio of the priors.
pub(crate) fn odds(problem: &Problem, class_ratio: Option<f64>) -> f64 {
    class_ratio.unwrap_or(problem.priors[0] / problem.priors[1])
}

/// Only the Gaussian has kernels of other widths for convolutions with a smoothed target.
pub(crate) fn require_gaussian_smoothing(kernel: &KernelChoice, smoothing: f64) -> Result<()> {
    require(
        "smoothing",
        smoothing,
        smoothing == 0.0 || kernel.family() == Family::Gaussian,
        "0, unless the kernel is gaussian",
    )
}

/// A ratio of two classes has no meaning with more classes.
pub(crate) fn without_ratio(
    ratio: &mut Option<f64>,
    method: &str,
    n_classes: usize,
) -> Vec<Notice> {
    if n_classes == 2 || ratio.take().is_none() {
        return vec![];
    }
    vec![Notice::Unused {
        method: method.into(),
        params: vec!["class_ratio".into()],
    }]
}

/// A class of one row is empty once that row is left out. A row of weight 2 counts as two.
pub(crate) fn require_two(problem: &Problem, method: &str) -> Result<()> {
    two_of_each(problem, method, "")
}

/// The same in the training part of a fold: a class of two rows has one left there.
pub(crate) fn require_two_in_fold(train: &Problem, method: &str) -> Result<()> {
    two_of_each(train, method, " left when a fold is held out")
}

fn two_of_each(problem: &Problem, method: &str, when: &str) -> Result<()> {
    let (classes, counts) = (problem.classes(), problem.labels.counts());
    match (0..counts.len()).find(|&c| counts[c] < 2 && classes.totals()[c] <= 1.0) {
        Some(c) => Err(Error::Data(format!(
            "class '{}' has one row{when}, and {method} needs two of each; merge the class with \
             another, leave its rows out, or take the method parzen, which needs one",
            problem.labels.classes()[c]
        ))),
        None => Ok(()),
    }
}
