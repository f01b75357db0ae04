//! Sparse multinomial kernel discriminant analysis: the discriminant keeps few samples (Harrison &
//! Pasupa, section 2.3).
//!
//! Orthogonal least squares picks, one at a time, the columns of `[K 1]` that explain the scored
//! class indicators best (the offset is in from the start). With the `n_s` samples chosen, the
//! regression gives canonical variates as in [`super::lda`] (eq. 6, 7, 11), and a row goes to the
//! class of least Mahalanobis distance with priors (eq. 12).
//!
//! One run of the selection gives every `n_s` up to its length, also for held-out rows: in
//! orthogonal coordinates, the matrix whose eigenvectors make the variates is `M = sum_k u_k u_k' /
//! n`, `u_k = q_k'Y_0`, and a held-out row's regression is a sum over the same terms. So
//! cross-validation over bandwidth and `n_s` is one selection per (fold, bandwidth). With
//! `candidates = m` only `m` samples, drawn by class, may be chosen: `K'K` is then a sum over
//! blocks of rows, memory does not grow with `n`, and time grows linearly. Complexity: `n^3` flops
//! for `K'K`, `n^3 / 3` for a full selection, `O(n_val n_s + c^3)` per step for the held-out rows.
//!
//! [Harrison & Pasupa] "Sparse multinomial kernel discriminant analysis (sMKDA)", Pattern
//! Recognition 42 (2009).

mod followers;
mod params;
mod streaming;
#[cfg(test)]
mod tests;

pub use params::{Smkda, SmkdaSetting};

use super::lda::limit_components;
use super::{
    About, Candidacy, Fit, FitReport, Fold, Footprint, Grid, HeldOut, LeftOutRows, Method,
    PathStep, Problem, Sparse, beyond_the_edge, kernels_around_median, some, stretched,
};
use crate::classes::Classes;
use crate::decision::{Decision, argmax};
use crate::error::{Error, Result, require};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, gram};
use crate::linalg::{Matrix, add_to_rows, center_columns_weighted, dot, matmul, symmetric_product};
use crate::notice::Notice;
use crate::params::{
    BANDWIDTHS, COMPONENTS, DEGREE, Fallback, KERNEL, Kind, L1_RATIO, POSTERIOR,
    POSTERIOR_SPARSITY, Param, Protocol, SHIFT, SIMPLEX, SLOPE, Validation,
};
use crate::partial::Passes;
use crate::solver::ols::{Coefficients, coefficients, ranked_selection};
use crate::solver::optimal_scoring::{
    canonical, canonical_of_means, response_means, scored_responses,
};
use followers::{Followers, LeftOut, read_sizes};
use std::cmp::Ordering;

/// Bandwidths to try first, as multiples of the median distance; the grid is widened when the best
/// is at an edge.
const BANDWIDTH_MULTIPLES: [f64; 9] = [2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125];
/// The path is not followed further than this unless asked to, since the model should be sparse.
const LONGEST_PATH: usize = 1000;
/// Training errors along the final path cost `n n_s^2 / 2 + 10 n_s c^3` operations; beyond this
/// limit they are left out.
const MOST_WORK: f64 = 2e10;

/// From this number of classes on, fewer sizes are scored.
const MANY_CLASSES: usize = 40;

/// Sizes that are scored along a path: every one up to 200, then ever fewer. Each score takes an
/// eigendecomposition of order `c`, so with many classes the sizes grow by a fifth at a time.
fn sizes(longest: usize, n_classes: usize) -> Vec<usize> {
    let share = if n_classes <= MANY_CLASSES { 100 } else { 5 };
    let mut sizes = Vec::new();
    let mut size = 1;
    while size <= longest {
        sizes.push(size);
        size += (size / share).saturating_sub(1).max(1);
    }
    sizes
}

/// Centred columns of a Gram matrix, their means, and the products that the selection needs.
struct Prepared {
    /// `m x m`: products of the centred columns.
    gram: Matrix,
    /// `m x c`: products of the centred columns with the responses.
    products: Matrix,
    /// Means of the columns before centring.
    means: Vec<f64>,
}

fn prepare(mut k: Matrix, y: &Matrix, classes: &Classes) -> Prepared {
    let means = center_columns_weighted(&mut k, classes.weights());
    let mut y = y.clone();
    classes.scale_rows(&mut k);
    classes.scale_rows(&mut y);
    // The Gram matrix is symmetric but its centred columns are not: products of columns are those
    // of the transpose's rows.
    let products = matmul(k.view().t(), y.view());
    let gram = symmetric_product(k.view().t());
    Prepared {
        gram,
        products,
        means,
    }
}

/// The rank of every row in lexicographic order of the features; equal rows keep their order.
pub(super) fn row_ranks(x: &Matrix) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.rows()).collect();
    order.sort_by(|&a, &b| {
        let mut pairs = x.row(a).iter().zip(x.row(b));
        pairs
            .find_map(|(u, v)| Some(u.total_cmp(v)).filter(|o| o.is_ne()))
            .unwrap_or(Ordering::Equal)
    });
    let mut ranks = vec![0; order.len()];
    order
        .iter()
        .enumerate()
        .for_each(|(rank, &row)| ranks[row] = rank);
    ranks
}

impl Smkda {
    fn arm(&self, kernel: Kernel, longest: usize, n_classes: usize) -> Vec<SmkdaSetting> {
        match self.max_support {
            Some(size) => vec![SmkdaSetting { kernel, size }],
            None => sizes(
                longest
                    .min(self.longest_path())
                    .min(self.candidates.unwrap_or(usize::MAX)),
                n_classes,
            )
            .into_iter()
            .map(|size| SmkdaSetting { kernel, size })
            .collect(),
        }
    }

    fn longest_path(&self) -> usize {
        self.path_limit.unwrap_or(LONGEST_PATH)
    }

    /// The largest number of samples that a fold's training part allows.
    fn longest(&self, n: usize, protocol: &Protocol) -> usize {
        if protocol.validation == Validation::LeaveOneOut {
            // With more samples than that, a row mostly determines its own fit, and the formula
            // says little.
            return (n / 2).max(1);
        }
        (n - n.div_ceil(protocol.folds.clamp(2, n.max(2)))).max(1)
    }
}

impl Method for Smkda {
    type Setting = SmkdaSetting;

    const ABOUT: About = About {
        name: "smkda",
        class: "SMKDA",
        title: "sparse kernel discriminant analysis, few samples retained",
        plain: "kernel discriminant analysis on few rows (sMKDA)",
        summary: "Kernel discriminant analysis on few retained samples. Orthogonal least squares \
                  picks them one at a time.",
        paper: "Harrison & Pasupa 2009",
        tuned: "bandwidth, samples",
        decides: "Mahalanobis distance and priors",
        sparse: Sparse::Samples,
        calibrated: true,
        class_weight_is_cost: true,
        precomputed: true,
        params: &[
            KERNEL,
            BANDWIDTHS,
            DEGREE,
            SLOPE,
            SHIFT,
            Param::new(
                "max_support",
                Kind::Count {
                    least: 1,
                    most: u64::MAX,
                    letter: "N",
                },
                Fallback::Absent("tuned"),
                "Samples to retain, n_s",
            )
            .usual(),
            Param::new(
                "path_limit",
                Kind::Count {
                    least: 1,
                    most: u64::MAX,
                    letter: "N",
                },
                Fallback::Absent("1000"),
                "Longest path to follow when n_s is tuned",
            ),
            Param::new(
                "candidates",
                Kind::Count {
                    least: 2,
                    most: u64::MAX,
                    letter: "M",
                },
                Fallback::Absent("all"),
                "Choose among only M samples, drawn by class, to handle many rows",
            ),
            COMPONENTS,
            Param::new(
                "exact",
                Kind::Off,
                Fallback::Kind,
                "Round kernel values to 20 bits and sum integers, so that the model is the same \
                 however the rows are divided (with `candidates`)",
            ),
            POSTERIOR,
            POSTERIOR_SPARSITY,
            L1_RATIO,
            SIMPLEX,
        ],
        auto: Candidacy::Asked,
        seconds: |n, _, c| 6e-10 * n * n * n * (1.0 + c / 6.0) + 5e-7 * n * n,
        ..About::BLANK
    };

    fn adapt(&mut self, n_classes: usize) -> Vec<Notice> {
        limit_components(&mut self.components, n_classes)
    }

    fn check(&self) -> Result<()> {
        require(
            "candidates",
            "nothing",
            !self.exact || self.candidates.is_some(),
            "a number of landmarks, such as 1000, where `exact` is given",
        )?;
        let family = self.kernel.family();
        require(
            "kernel",
            format!("{:?}", family.name()),
            !self.exact || family.has_bandwidth(),
            "gaussian, cauchy, laplacian or radial-laplacian where `exact` is given: their values \
             are at most 1",
        )
    }

    fn family(&self) -> Family {
        self.kernel.family()
    }

    /// Twice as many rows as landmarks, at least 4000: if there are far fewer landmarks than rows,
    /// a sample tells as much about the settings.
    /// With landmarks the cube is that of the rows to tune on.
    fn seconds(&self, n: f64, p: f64, c: f64) -> f64 {
        let Some(m) = self.candidates else {
            return (Self::ABOUT.seconds)(n, p, c);
        };
        let tuned = self.tuning_rows(n as usize).unwrap_or(0) as f64;
        let sums = 2e-11 * n * (m as f64).powi(2);
        (Self::ABOUT.seconds)(n.min(tuned), p, c) + sums
    }

    fn tuning_rows(&self, _n: usize) -> Option<usize> {
        self.candidates.map(|m| (2 * m).max(4000))
    }

    fn at_bandwidth(&self, bandwidth: f64) -> Option<Self> {
        if self.candidates.is_some() {
            return None;
        }
        let kernel = self.kernel.clone().with_bandwidths([bandwidth]);
        Some(self.clone().kernel(kernel))
    }

    fn footprint(&self, _n: usize) -> Footprint {
        // Besides the products and what is left of them: the chosen columns, their coefficients and
        // held-out values, which grow with the path.
        Footprint::gram(6)
    }

    /// With landmarks, rows are processed in blocks.
    fn final_footprint(&self, n: usize) -> Footprint {
        match self.candidates {
            Some(m) => Footprint::of_landmarks(m, n),
            None => self.footprint(n),
        }
    }

    fn grid(&self, problem: &Problem, protocol: &Protocol) -> Result<Grid<SmkdaSetting>> {
        let kernels = kernels_around_median(&self.kernel, problem, &BANDWIDTH_MULTIPLES)?;
        let longest = self.longest(problem.n(), protocol);
        let arms = kernels
            .into_iter()
            .map(|kernel| self.arm(kernel, longest, problem.labels.n_classes()))
            .map(|mut arm: Vec<SmkdaSetting>| {
                let most = self.candidates.unwrap_or(usize::MAX).min(problem.n());
                arm.iter_mut().for_each(|s| s.size = s.size.min(most));
                arm
            })
            .collect();
        some(arms)
    }

    fn widen(
        &self,
        tried: &[SmkdaSetting],
        chosen: &SmkdaSetting,
        n_classes: usize,
    ) -> Grid<SmkdaSetting> {
        beyond_the_edge(
            &self.kernel,
            tried,
            &chosen.kernel,
            &[0.7, 0.5],
            &[1.4, 2.0],
        )
        .iter()
        .map(|f| self.arm(stretched(&chosen.kernel, *f), usize::MAX, n_classes))
        .collect()
    }

    fn held_out(&self, fold: &Fold, arm: &[SmkdaSetting]) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let (mut k, mut kv) = fold.grams(&first.kernel)?;
        let mut ranks = row_ranks(&fold.train.x);
        if let Some(m) = self.candidates.filter(|&m| m < fold.train.n()) {
            let candidates = super::landmarks::by_class(&fold.train, m);
            (k, kv) = (
                k.select_columns(&candidates),
                kv.select_columns(&candidates),
            );
            ranks = row_ranks(&fold.train.x.select_rows(&candidates));
        }
        let classes = fold.train.classes();
        let y = scored_responses(&classes);
        let p = prepare(k, &y, &classes);
        let longest = arm.iter().map(|s| s.size).max().unwrap_or(1).min(kv.cols());
        let mut followers = Followers::new(&kv, &p.means, &fold.train, longest, self.components);
        read_sizes(p.gram, p.products, &ranks, longest, arm, &mut followers)
    }

    fn leaves_one_out(&self) -> bool {
        self.candidates.is_none()
    }

    fn leave_one_out(
        &self,
        problem: &Problem,
        arm: &[SmkdaSetting],
    ) -> Result<Vec<Option<LeftOutRows>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let classes = problem.classes();
        let y = scored_responses(&classes);
        let k = gram(&first.kernel, &problem.x);
        let p = prepare(k.clone(), &y, &classes);
        let longest = arm
            .iter()
            .map(|s| s.size)
            .max()
            .unwrap_or(1)
            .min(problem.n());
        let followers = Followers::new(&k, &p.means, problem, longest, self.components);
        let mut left_out = LeftOut::new(followers, y, &classes);
        read_sizes(
            p.gram,
            p.products,
            &row_ranks(&problem.x),
            longest,
            arm,
            &mut left_out,
        )
    }

    fn streams(&self) -> bool {
        self.candidates.is_some()
    }

    fn scaled_by_some(&self) -> bool {
        self.exact
    }

    fn fit_by_passes(
        &self,
        some: &Problem,
        setting: &SmkdaSetting,
        rows: &mut dyn Passes,
    ) -> Result<Fit> {
        streaming::fit_by_passes(self, some, setting, rows)
    }

    fn fit(&self, problem: &Problem, setting: &SmkdaSetting) -> Result<Fit> {
        let n = problem.n();
        if self.candidates.is_some_and(|m| m < n || self.exact) {
            return streaming::fit(self, problem, setting);
        }
        let classes = problem.classes();
        let codes = classes.codes();
        let c = classes.n_classes();
        let y = scored_responses(&classes);
        let k = gram(&setting.kernel, &problem.x);
        let size = setting.size.min(n);
        let p = prepare(k.clone(), &y, &classes);

        // The selection. The training rows follow it for their error at every size.
        let work = n as f64 * (size as f64).powi(2) / 2.0 + 10.0 * size as f64 * (c as f64).powi(3);
        let follow = work <= MOST_WORK;
        let mut followers = Followers::new(
            &k,
            &p.means,
            problem,
            if follow { size } else { 0 },
            self.components,
        );
        let mut path: Vec<PathStep> = Vec::with_capacity(size);
        // |Y_0|^2 less what the offset explains: n c - n.
        let mut rss = classes.total() * (c - 1) as f64;
        let mut failed = None;
        ranked_selection(p.gram, p.products, &row_ranks(&problem.x), size, |step| {
            let (s, u2) = (step.shrinkage, dot(step.responses, step.responses));
            rss -= s * (2.0 - s) * u2;
            let mut train_error = None;
            if follow {
                followers.follow(step);
                match followers.scores() {
                    Ok(p) => {
                        let wrong = (0..n).filter(|&i| argmax(p.row(i)) != codes[i]);
                        train_error =
                            Some(wrong.map(|i| classes.weight(i)).sum::<f64>() / classes.total());
                    }
                    Err(e) => failed = Some(e),
                }
            }
            path.push(PathStep {
                row: Some(step.candidate),
                train_error,
                ..PathStep::new(step.size, rss.max(0.0))
            });
            failed.is_none()
        });
        if let Some(e) = failed {
            return Err(e);
        }
        let chosen: Vec<usize> = path.iter().filter_map(|s| s.row).collect();
        if chosen.is_empty() {
            return Err(Error::Data(
                "no column of the kernel matrix varies: there is nothing to select".into(),
            ));
        }

        // Coefficients from the chosen columns themselves.
        let columns = k.select_columns(&chosen);
        let means = classes.column_means(&columns);
        let y_mean = response_means(&classes);
        let Coefficients { coef, gradient } = coefficients(n, chosen.len(), c, |i, row| {
            let root = classes.weight(i).sqrt();
            row[..chosen.len()]
                .iter_mut()
                .zip(columns.row(i).iter().zip(&means))
                .for_each(|(o, (v, m))| *o = root * (v - m));
            row[chosen.len()..]
                .iter_mut()
                .zip(y.row(i).iter().zip(&y_mean))
                .for_each(|(o, (v, m))| *o = root * (v - m));
        })?;
        let offset: Vec<f64> = (0..c)
            .map(|j| {
                y_mean[j]
                    - means
                        .iter()
                        .enumerate()
                        .map(|(s, m)| m * coef[(s, j)])
                        .sum::<f64>()
            })
            .collect();
        let mut fitted = matmul(columns.view(), coef.view());
        add_to_rows(&mut fitted, &offset);
        let objective = classes.squared_distance(&y, &fitted);
        let residual = relative_residual(&columns, &means, &y, &fitted, &gradient, &classes);
        let cv = canonical(&coef, &offset, &fitted, &classes, self.components)?;
        let output = Output::Linear {
            coef: cv.coef,
            offset: cv.offset,
        };
        let support = problem.x.select_rows(&chosen);
        Ok(Fit::new(
            KernelExpansion::new(
                setting.kernel,
                problem.feature_weights.clone(),
                &support,
                output,
            ),
            Decision::Mahalanobis {
                means: cv.means,
                log_priors: problem.log_priors(),
            },
            FitReport {
                objective: Some(objective),
                iterations: chosen.len(),
                converged: true,
                residual: Some(residual),
                retained_rows: chosen,
                eigenvalues: cv.eigenvalues,
                path,
                ..FitReport::default()
            },
        ))
    }
}

/// How far `P'(Y - fitted)`, for the centred chosen columns, is from the value that the penalty
/// implies (zero up to rounding if columns are longer than 3e-5), relative to the size of its
/// terms.
fn relative_residual(
    columns: &Matrix,
    means: &[f64],
    y: &Matrix,
    fitted: &Matrix,
    expected: &Matrix,
    classes: &Classes,
) -> f64 {
    let r = Matrix::from_fn(y.rows(), y.cols(), |i, j| {
        classes.weight(i) * (y[(i, j)] - fitted[(i, j)])
    });
    let p = Matrix::from_fn(columns.rows(), columns.cols(), |i, j| {
        columns[(i, j)] - means[j]
    });
    let gradient = matmul(p.view().t(), r.view());
    let gap = gradient.as_slice().iter().zip(expected.as_slice());
    gap.fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
        / (p.max_abs() * y.max_abs() * classes.total()).max(f64::MIN_POSITIVE)
}
