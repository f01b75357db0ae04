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

mod evidence;
mod followers;
mod grid;
mod ground;
mod params;
mod penalised;
pub(crate) mod recursive;
mod streaming;
#[cfg(test)]
mod tests;

pub(super) use ground::row_ranks;
pub use params::{RidgeRule, Select, Smkda, SmkdaSetting};

use super::klr::require_definite;
use super::lda::limit_components;
use super::{
    About, Candidacy, CvEntry, Fit, FitReport, Fold, Footprint, Grid, HeldOut, LeftOutRows, Method,
    PathStep, Problem, Refinement, Sparse, beyond_the_edge, kernels_around_median, some, stretched,
};
use crate::decision::{Decision, argmax};
use crate::error::{Error, Result, require};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, gram};
use crate::linalg::{add_to_rows, matmul};
use crate::notice::Notice;
use crate::params::{
    BANDWIDTHS, COMPONENTS, DEGREE, Fallback, KERNEL, Kind, L1_RATIO, LANDMARKS, POSTERIOR,
    POSTERIOR_SPARSITY, Param, Protocol, SHIFT, SIMPLEX, SLOPE,
};
use crate::partial::Passes;
use crate::solver::ols::Coefficients;
use crate::solver::optimal_scoring::{canonical, response_means, scored_responses};
use followers::{Followers, LeftOut, read_arm};
use ground::Ground;
use params::{SELECT, SELECTION_RIDGES, SELECTION_RULE, STOP_ERROR, UPDATABLE};
use penalised::{Penalised, relative_residual};

/// Bandwidths to try first, as multiples of the median distance; the grid is widened when the best
/// is at an edge.
const BANDWIDTH_MULTIPLES: [f64; 9] = [2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125];
/// Training errors along the final path cost `n n_s^2 / 2 + 10 n_s c^3` operations; beyond this
/// limit they are left out.
const MOST_WORK: f64 = 2e10;

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
            Param {
                help: "Choose among only M samples, drawn by class, to handle many rows",
                ..LANDMARKS
            },
            SELECT,
            SELECTION_RIDGES,
            SELECTION_RULE,
            STOP_ERROR,
            UPDATABLE,
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
        )?;
        require(
            "exact",
            "one of them",
            !(self.exact && (self.has_ridge() || self.updatable)),
            "given without a ridge and without `updatable`, which need more digits",
        )?;
        require(
            "select",
            "'press' with `candidates`",
            self.by() != Select::Press || self.candidates.is_none(),
            "'ols' where samples are chosen among `candidates`: PRESS needs every row at once",
        )?;
        match self.has_ridge() {
            true => require_definite(&self.kernel),
            false => Ok(()),
        }
    }

    fn family(&self) -> Family {
        self.kernel.family()
    }

    /// Twice as many rows as landmarks, at least 4000: if there are far fewer landmarks than rows,
    /// a sample tells as much about the settings.
    /// With landmarks the cube is that of the rows to tune on.
    fn seconds(&self, n: f64, p: f64, c: f64) -> f64 {
        let Some(m) = self.candidates else {
            let every_row = match self.by() {
                Select::Ols | Select::Lasso => 0.0,
                Select::Press => 5e-10 * n * n * n.min(1000.0) * (c + 2.0),
            };
            return (Self::ABOUT.seconds)(n, p, c) + every_row;
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
        Footprint::gram(match self.by() {
            Select::Ols => 6,
            // What is left of every column, row by row.
            Select::Press => 8,
            // The products once more.
            Select::Lasso => 7,
        })
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
            .map(|kernel| {
                let ridges = self.tried(&kernel, problem);
                self.arm(kernel, &ridges, longest, problem.labels.n_classes())
            })
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
        .map(|f| {
            // The same ridges as beside the chosen bandwidth.
            let mut ridges: Vec<Option<f64>> = Vec::new();
            for s in tried.iter().filter(|s| s.kernel == chosen.kernel) {
                if !ridges.contains(&s.ridge) {
                    ridges.push(s.ridge);
                }
            }
            self.arm(
                stretched(&chosen.kernel, *f),
                &ridges,
                usize::MAX,
                n_classes,
            )
        })
        .collect()
    }

    /// Where the path ends by itself, the setting learns where it does on all rows.
    fn refine(
        &self,
        problem: &Problem,
        _: &Protocol,
        grid: &[CvEntry<SmkdaSetting>],
        chosen: usize,
    ) -> Result<Refinement<SmkdaSetting>> {
        let setting = grid[chosen].setting;
        if !self.ends_itself() || self.candidates.is_some_and(|m| m < problem.n()) {
            return Ok(Refinement::Keep);
        }
        let k = gram(&setting.kernel, &problem.x);
        let mut ground = Ground::new(self, k, problem, None);
        let most = setting.size.min(problem.n());
        let (ridge, most) = self.settled(&mut ground, &setting, problem, most);
        let size = ground.walk(self, ridge, true, most, |_, _| true);
        let told = SmkdaSetting {
            size: size.max(1),
            ridge,
            ..setting
        };
        Ok(Refinement::Told(chosen, told))
    }

    fn held_out(&self, fold: &Fold, arm: &[SmkdaSetting]) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let (mut k, mut kv) = fold.grams(&first.kernel)?;
        let few = self.candidates.filter(|&m| m < fold.train.n());
        let candidates = few.map(|m| super::landmarks::by_class(&fold.train, m));
        if let Some(candidates) = &candidates {
            (k, kv) = (k.select_columns(candidates), kv.select_columns(candidates));
        }
        let longest = arm.iter().map(|s| s.size).max().unwrap_or(1).min(kv.cols());
        let mut ground = Ground::new(self, k, &fold.train, candidates.as_deref());
        let means = ground.means.clone();
        let follower = || Followers::new(&kv, &means, &fold.train, longest, self.components);
        read_arm(self, &mut ground, &fold.train, arm, longest, follower)
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
        let mut ground = Ground::new(self, k.clone(), problem, None);
        let longest = arm
            .iter()
            .map(|s| s.size)
            .max()
            .unwrap_or(1)
            .min(problem.n());
        let means = ground.means.clone();
        let left_out = || {
            let followers = Followers::new(&k, &means, problem, longest, self.components);
            LeftOut::new(followers, y.clone(), &classes)
        };
        read_arm(self, &mut ground, problem, arm, longest, left_out)
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
        let mut ground = Ground::new(self, k.clone(), problem, None);
        let (ridge, size) = self.settled(&mut ground, setting, problem, size);

        // The selection. The training rows follow it for their error at every size.
        let work = n as f64 * (size as f64).powi(2) / 2.0 + 10.0 * size as f64 * (c as f64).powi(3);
        let follow = work <= MOST_WORK;
        let means = ground.means.clone();
        let mut followers = Followers::new(
            &k,
            &means,
            problem,
            if follow { size } else { 0 },
            self.components,
        );
        let mut path: Vec<PathStep> = Vec::with_capacity(size);
        let mut failed = None;
        ground.walk(self, ridge, true, size, |step, at| {
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
                ..PathStep::new(step.size, at.left.max(0.0))
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
        let penalty = Penalised::new(ridge, || columns.select_rows(&chosen))?;
        let Coefficients { coef, gradient } =
            penalty.coefficients(n, chosen.len(), c, |i, row| {
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
        let objective = classes.squared_distance(&y, &fitted) + penalty.value(&coef);
        let residual = relative_residual(&columns, &means, &y, &fitted, &gradient, &classes);
        let cv = canonical(&coef, &offset, &fitted, &classes, self.components)?;
        let output = Output::Linear {
            coef: cv.coef,
            offset: cv.offset,
        };
        let support = problem.x.select_rows(&chosen);
        let factor = recursive::factor(self, &columns, &classes);
        let fit = Fit::new(
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
                ridge,
                eigenvalues: cv.eigenvalues,
                path,
                ..FitReport::default()
            },
        );
        Ok(Fit { factor, ..fit })
    }
}
