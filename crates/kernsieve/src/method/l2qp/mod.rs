//! L2 kernel classification: the difference of two densities, sparse by a quadratic program (Kim &
//! Scott).
//!
//! Class densities are kernel estimates with free weights, `f_c(x) = sum_{i in c} a_i k_sigma(x,
//! x_i)`, `a >= 0`, each class summing to 1. The weights minimise an unbiased estimate of the
//! integrated squared error of the difference `f_+ - gamma f_-` (eq. 7):
//! ```text
//! min_a  sum_ij a_i a_j Y_i Y_j k_rho(x_i, x_j) / 2 - (1 / eta) sum_i a_i Y_i h_i, Y = 1 or -gamma
//! ```
//! where `h_i` is the leave-one-out estimate of the difference at `x_i` with the kernel of
//! bandwidth `tau` (section 2.1). Both kernels are normalised. `rho^2 = 2 sigma^2 + 2 lambda^2`,
//! `tau^2 = sigma^2 + 2 lambda^2`, `lambda = smoothing * sigma` (section 5.1); `eta = balance`
//! keeps the linear term from dominating in many dimensions (section 5.5). A row goes to the class
//! with the larger of `f_+` and `gamma f_-`, with `gamma` the ratio of the priors. Both densities
//! are known, so probabilities follow from Bayes' rule.
//!
//! Only ratios of normalising constants occur, and they are kept as logarithms: hundreds of
//! dimensions neither underflow nor overflow. Predictions are sums of exponentials in the log
//! domain.
//!
//! Several classes (`multiclass`): one difference per class against all others (`rest`), on one
//! kernel matrix; or every density by itself, `gamma = 0` (`joint`, section 3.5). Departures from
//! the paper: decisions are made in the log domain, because the printed rule has ties as soon as
//! both densities underflow. Complexity: `n^2 p` for the distances, `2 n^2` exponentials per
//! bandwidth, and `2 n` flops per step of [`crate::solver::smo`], which takes a few steps per
//! nonzero weight.
//!
//! [Kim & Scott] "L2 kernel classification", IEEE TPAMI 32 (2010).

mod params;
mod widths;

pub use params::{ClassBandwidths, L2qp, L2qpSetting, Multiclass};

use super::l2_criterion::{
    Contrast, Distances, EXACT, FOLD, Minimum, SMALLEST_WEIGHT, TUNING_ROWS, Terms, WORK_BYTES,
    against_rest, in_memory, odds, require_gaussian_smoothing, require_two, require_two_in_fold,
    row_cache, without_ratio,
};
use super::parzen::require_density;
use super::{
    About, Candidacy, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Outputs, Problem,
    Sparse, density_kernels, some,
};
use crate::classes::Classes;
use crate::decision::Decision;
use crate::error::{Error, Result, require};
use crate::expansion::{KernelExpansion, Output, OwnWidths, add_log_terms};
use crate::kernel::{Family, Kernel, symmetric_base};
use crate::linalg::Matrix;
use crate::notice::Notice;
use crate::params::Protocol;
use crate::solver::row_cache::RowCache;
use params::PARAMS;
use widths::{median_distance, neighbours, own_width};

/// Candidates that are fitted one after the other.
const RUN: usize = 10;
/// From this dimension on, the balance is tuned unless it is given (section 5.5).
const MANY_DIMENSIONS: usize = 16;

/// Rows and weights of every output.
type Densities = Vec<Vec<(usize, f64)>>;

impl L2qp {
    /// Kernel of each class.
    fn kernels(&self, setting: &L2qpSetting, classes: usize) -> Vec<Kernel> {
        match &setting.class_bandwidths {
            Some(widths) if widths.len() == classes => widths
                .iter()
                .map(|&b| setting.kernel.with_bandwidth(b))
                .collect(),
            _ => vec![setting.kernel; classes],
        }
    }

    /// The terms of the criterion on the rows of a problem, whose distances may be in memory.
    fn terms<'a>(
        &self,
        setting: &L2qpSetting,
        held: Option<&'a Matrix>,
        problem: &'a Problem,
        classes: &'a Classes,
        cache: RowCache,
    ) -> Result<Terms<'a>> {
        let kernels = self.kernels(setting, classes.n_classes());
        let distances = Distances::new(held, self.family(), &problem.x);
        let (smoothing, d) = (self.smoothing, problem.n_active());
        Terms::new(
            &kernels, smoothing, d, &problem.x, classes, distances, cache,
        )
    }

    /// The differences of a problem, and the outputs to which the weights of both sides belong.
    fn contrasts(&self, problem: &Problem) -> Vec<(Contrast, [usize; 2])> {
        let codes = problem.labels.codes();
        let c = problem.labels.n_classes();
        if self.multiclass == Multiclass::Joint {
            let alone = |k: usize| Contrast {
                positive: (0..codes.len()).filter(|&i| codes[i] == k).collect(),
                negative: vec![],
                gamma: 0.0,
                ratios: vec![1.0; c],
            };
            return (0..c).map(|k| (alone(k), [k, k])).collect();
        }
        let outputs = |k: usize| if c == 2 { [1, 0] } else { [2 * k, 2 * k + 1] };
        let contrasts = against_rest(problem, self.class_ratio).into_iter();
        contrasts
            .enumerate()
            .map(|(k, contrast)| (contrast, outputs(k)))
            .collect()
    }

    fn decision(&self, problem: &Problem) -> Decision {
        let c = problem.labels.n_classes();
        if c == 2 {
            let gamma = odds(problem, self.class_ratio);
            return Decision::LogDensity {
                log_priors: vec![(gamma / (1.0 + gamma)).ln(), (1.0 / (1.0 + gamma)).ln()],
            };
        }
        match self.multiclass {
            Multiclass::Joint => Decision::LogDensity {
                log_priors: problem.log_priors(),
            },
            Multiclass::Rest => Decision::OneAgainstRest {
                log_odds: problem
                    .priors
                    .iter()
                    .map(|p| (p / (1.0 - p)).ln())
                    .collect(),
            },
        }
    }

    /// Bandwidth of each class as a multiple of the kernel's, if classes have their own.
    fn bandwidth_ratios(&self, problem: &Problem) -> Result<Option<Vec<f64>>> {
        let c = problem.labels.n_classes();
        match &self.class_bandwidths {
            ClassBandwidths::Common | ClassBandwidths::Tuned => Ok(None),
            ClassBandwidths::Given(widths) if widths.len() == c => {
                Ok(Some(widths.iter().map(|b| b / widths[0]).collect()))
            }
            ClassBandwidths::Given(widths) => Err(Error::Data(format!(
                "{} bandwidths for {c} classes; give one per class, in the order {}",
                widths.len(),
                problem.labels.classes().join(", ")
            ))),
            ClassBandwidths::Spread => {
                let spread = |k: usize| {
                    let rows: Vec<usize> = (0..problem.n())
                        .filter(|&i| problem.labels.codes()[i] == k)
                        .collect();
                    median_distance(&problem.x.select_rows(&rows), problem.seed)
                };
                let spreads: Vec<f64> = (0..c).map(spread).collect();
                // The geometric mean of the ratios is 1.
                let mean = spreads.iter().map(|s| s.ln()).sum::<f64>() / c as f64;
                Ok(Some(spreads.iter().map(|s| s / mean.exp()).collect()))
            }
        }
    }

    fn n_outputs(&self, classes: usize) -> usize {
        match self.multiclass {
            Multiclass::Rest if classes > 2 => 2 * classes,
            _ => classes,
        }
    }

    /// Weights of every output, and the solutions of the programs.
    fn solve(
        &self,
        terms: &mut Terms<'_>,
        problem: &Problem,
        balance: f64,
        tol: f64,
        starts: &mut Vec<Vec<f64>>,
    ) -> (Densities, Vec<Minimum>) {
        let contrasts = self.contrasts(problem);
        let mut densities: Densities = vec![vec![]; self.n_outputs(problem.labels.n_classes())];
        let mut solutions = Vec::with_capacity(contrasts.len());
        starts.resize(contrasts.len(), vec![]);
        for ((contrast, outputs), start) in contrasts.iter().zip(starts) {
            let minimum = contrast.minimise(terms, balance, self.relaxed, tol, start);
            let solution = &minimum.solution;
            let keep = |side: &[usize]| {
                let weighted = side.iter().map(|&i| (i, solution.weights[i]));
                weighted
                    .filter(|(_, w)| *w > SMALLEST_WEIGHT)
                    .collect::<Vec<_>>()
            };
            densities[outputs[0]] = keep(&contrast.positive);
            if !contrast.negative.is_empty() {
                densities[outputs[1]] = keep(&contrast.negative);
            }
            start.clone_from(&solution.weights);
            solutions.push(minimum);
        }
        (densities, solutions)
    }

    /// Log densities as a function of a row, and the rows that carry them.
    fn expansion(
        &self,
        problem: &Problem,
        setting: &L2qpSetting,
        densities: &Densities,
    ) -> (KernelExpansion, Vec<usize>) {
        let d = problem.n_active();
        let constant = setting.kernel.log_normalizer(d).unwrap_or(f64::NAN);
        let mut starts = vec![0];
        densities
            .iter()
            .for_each(|o| starts.push(starts[starts.len() - 1] + o.len()));
        let all: Vec<(usize, f64)> = densities.iter().flatten().copied().collect();
        let rows: Vec<usize> = all.iter().map(|(i, _)| *i).collect();
        let output = Output::LogDensity {
            weights: all.iter().map(|(_, w)| *w).collect(),
            starts,
            offset: vec![constant; densities.len()],
            own: setting.class_bandwidths.as_ref().map(|widths| {
                let of =
                    |&i: &usize| own_width(&setting.kernel, widths[problem.labels.codes()[i]], d);
                let (scales, shifts) = rows.iter().map(of).unzip();
                OwnWidths { scales, shifts }
            }),
        };
        let support = problem.x.select_rows(&rows);
        let weights = problem.feature_weights.clone();
        (
            KernelExpansion::new(setting.kernel, weights, &support, output),
            rows,
        )
    }

    /// Log densities of the held-out rows of a fold from their distances to the training rows.
    fn held_out_outputs(
        &self,
        fold: &Fold,
        against: &Matrix,
        setting: &L2qpSetting,
        densities: &Densities,
    ) -> Matrix {
        let (codes, d) = (fold.train.labels.codes(), fold.train.n_active());
        let widths = setting.class_bandwidths.as_ref();
        let own =
            |j: usize| widths.map_or((1.0, 0.0), |w| own_width(&setting.kernel, w[codes[j]], d));
        let own: Vec<Vec<(f64, f64)>> = densities
            .iter()
            .map(|o| o.iter().map(|&(j, _)| own(j)).collect())
            .collect();
        let weights: Vec<Vec<f64>> = densities
            .iter()
            .map(|o| o.iter().map(|&(_, w)| w).collect())
            .collect();
        let mut z = Matrix::zeros(against.rows(), densities.len());
        for i in 0..against.rows() {
            let row = against.row(i);
            for (c, density) in densities.iter().enumerate() {
                let mut logs: Vec<f64> = density
                    .iter()
                    .zip(&own[c])
                    .map(|(&(j, _), o)| row[j] * o.0)
                    .collect();
                setting.kernel.apply_log(&mut logs);
                logs.iter_mut().zip(&own[c]).for_each(|(l, o)| *l += o.1);
                let (mut top, mut sum) = (f64::NEG_INFINITY, 0.0);
                add_log_terms(&mut logs, &weights[c], &mut top, &mut sum);
                z[(i, c)] = top + sum.ln();
            }
        }
        z
    }
}

impl Method for L2qp {
    type Setting = L2qpSetting;

    const ABOUT: About = About {
        name: "l2qp",
        class: "L2QP",
        title: "difference of kernel densities, few samples retained",
        plain: "class densities on few rows, a quadratic program (L2QP)",
        summary: "The difference of class densities. A quadratic program finds the weights of the \
                  samples, most of which are zero.",
        paper: "Kim & Scott 2010",
        tuned: "bandwidth, balance",
        decides: "the larger weighted density",
        sparse: Sparse::Samples,
        outputs: Outputs::LogDensities,
        params: PARAMS,
        auto: Candidacy::Asked,
        seconds: |n, _, c| 3e-7 * n * n * c,
        slow_for_many_classes: true,
        ..About::BLANK
    };

    fn check(&self) -> Result<()> {
        require_density(&self.kernel)?;
        require_gaussian_smoothing(&self.kernel, self.smoothing)?;
        if self.class_bandwidths == ClassBandwidths::Common {
            return Ok(());
        }
        let family = self.kernel.family();
        require(
            "class_bandwidths",
            format!("{:?}", family.name()),
            matches!(family, Family::Gaussian | Family::Cauchy),
            "common, unless the kernel is gaussian or cauchy",
        )?;
        let smoothing = self.smoothing;
        require(
            "smoothing",
            smoothing,
            smoothing == 0.0,
            "0 with `class_bandwidths`",
        )
    }

    fn adapt(&mut self, n_classes: usize) -> Vec<Notice> {
        let mut notices = without_ratio(&mut self.class_ratio, Self::ABOUT.name, n_classes);
        let given = matches!(self.class_bandwidths, ClassBandwidths::Given(_));
        if given && !self.kernel.bandwidths().is_empty() {
            notices.push(Notice::Unused {
                method: Self::ABOUT.name.into(),
                params: vec!["bandwidth".into()],
            });
        }
        notices
    }

    /// Tunes on a sample if there are too many rows to keep their distances: hundreds of programs
    /// that compute rows again and again take hours.
    fn tuning_rows(&self, n: usize) -> Option<usize> {
        (!in_memory(n)).then_some(TUNING_ROWS)
    }

    fn family(&self) -> Family {
        self.kernel.family()
    }

    fn footprint(&self, n: usize) -> Footprint {
        if in_memory(n) {
            Footprint::gram(1)
        } else {
            Footprint {
                cache: WORK_BYTES,
                ..Footprint::NONE
            }
        }
    }

    /// Section 6: 50 bandwidths from 1e-2 to 1e1; if the balance is tuned, 11 of them times 10
    /// balances from 1 to `sqrt(2)^d`.
    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<L2qpSetting>> {
        require_two(problem, Self::ABOUT.name)?;
        let d = problem.n_active();
        let mut balances = self.balances.clone();
        if balances.is_empty() && d >= MANY_DIMENSIONS {
            let top = 0.5 * (d as f64).min(2000.0) * 2f64.ln();
            balances = (0..10).map(|k| (top * k as f64 / 9.0).exp()).collect();
        } else if balances.is_empty() {
            balances = vec![1.0];
        }
        // The larger the balance, the denser the solution: sparse ones first.
        balances.sort_by(f64::total_cmp);
        balances.dedup();
        let kernels = density_kernels(&self.kernel, d, if balances.len() > 1 { 11 } else { 50 })?;
        let ratios = self.bandwidth_ratios(problem)?;
        let with = |kernel: Kernel, balance: f64| {
            let width = kernel.bandwidth().unwrap_or(1.0);
            L2qpSetting {
                balance,
                class_bandwidths: ratios
                    .as_ref()
                    .map(|r| r.iter().map(|v| v * width).collect()),
                kernel,
            }
        };
        let kernels = match &self.class_bandwidths {
            // Given bandwidths are not tuned.
            ClassBandwidths::Given(widths) => vec![self.kernel.with(widths[0], d)?],
            _ => kernels,
        };
        // Each solution starts from the previous one: that of the same bandwidth, or of the next
        // larger one.
        let run = RUN.div_ceil(balances.len());
        let arms = kernels
            .chunks(run)
            .map(|run| {
                run.iter()
                    .flat_map(|&k| balances.iter().map(move |&b| with(k, b)))
                    .collect()
            })
            .collect();
        some(arms)
    }

    /// Bandwidths of classes are tuned one at a time, and the balance as one more, from the best so
    /// far; the paper (section 6, on Ringnorm) leaves open how.
    fn widen(
        &self,
        tried: &[L2qpSetting],
        chosen: &L2qpSetting,
        n_classes: usize,
    ) -> Grid<L2qpSetting> {
        if self.class_bandwidths != ClassBandwidths::Tuned {
            return vec![];
        }
        let Some(common) = chosen.kernel.bandwidth() else {
            return vec![];
        };
        let now = chosen.class_bandwidths.clone();
        let now = now.unwrap_or_else(|| vec![common; n_classes]);
        neighbours(&chosen.kernel, &now, chosen.balance, tried)
    }

    fn held_out(&self, fold: &Fold, arm: &[L2qpSetting]) -> Result<Vec<Option<HeldOut>>> {
        require_two_in_fold(&fold.train, Self::ABOUT.name)?;
        let classes = fold.train.classes();
        let decision = self.decision(&fold.train);
        let (mut results, mut starts) = (Vec::with_capacity(arm.len()), Vec::new());
        let mut cache = row_cache(fold.train.n());
        let alike = |a: &L2qpSetting, b: &L2qpSetting| {
            a.kernel == b.kernel && a.class_bandwidths == b.class_bandwidths
        };
        for same in arm.chunk_by(alike) {
            // If the fold lacks a class, the given bandwidths do not match its classes.
            let fits = |w: &Vec<f64>| w.len() == fold.train.labels.n_classes();
            let first = L2qpSetting {
                class_bandwidths: same[0].class_bandwidths.clone().filter(fits),
                ..same[0].clone()
            };
            let mut terms = self.terms(
                &first,
                fold.train_base.as_ref(),
                &fold.train,
                &classes,
                cache,
            )?;
            for setting in same {
                let balance = setting.balance;
                let (densities, solutions) =
                    self.solve(&mut terms, &fold.train, balance, FOLD, &mut starts);
                if solutions.iter().any(|m| m.check().is_err()) {
                    starts.clear();
                    results.push(None);
                    continue;
                }
                let z = match &fold.held_out_base {
                    Some(against) => self.held_out_outputs(fold, against, &first, &densities),
                    None => {
                        let (expansion, _) = self.expansion(&fold.train, &first, &densities);
                        expansion.evaluate(&fold.held_out)
                    }
                };
                results.push(Some(decision.scores(&z).into()));
            }
            cache = terms.into_cache();
        }
        Ok(results)
    }

    fn fit(&self, problem: &Problem, setting: &L2qpSetting) -> Result<Fit> {
        require_two(problem, Self::ABOUT.name)?;
        let base = in_memory(problem.n()).then(|| symmetric_base(self.family(), &problem.x));
        let classes = problem.classes();
        let mut terms = self.terms(
            setting,
            base.as_ref(),
            problem,
            &classes,
            row_cache(problem.n()),
        )?;
        let balance = setting.balance;
        let (densities, solutions) =
            self.solve(&mut terms, problem, balance, EXACT, &mut Vec::new());
        solutions.iter().try_for_each(Minimum::check)?;
        let (expansion, mut retained) = self.expansion(problem, setting, &densities);
        retained.sort_unstable();
        retained.dedup();
        let objectives = solutions
            .iter()
            .map(|m| m.solution.objective * m.log_scale.exp());
        Ok(Fit::new(
            expansion,
            self.decision(problem),
            FitReport {
                objective: Some(objectives.sum::<f64>()).filter(|v| v.is_finite()),
                iterations: solutions.iter().map(|m| m.solution.iterations).sum(),
                converged: solutions.iter().all(|m| m.solution.converged),
                residual: Some(solutions.iter().map(|m| m.solution.gap).fold(0.0, f64::max)),
                retained_rows: retained,
                ..FitReport::default()
            },
        ))
    }
}
