//! L2 kernel classification: the difference of two densities, sparse by a quadratic program (Kim & Scott).
//!
//! Class densities are kernel estimates with free weights, `f_c(x) = sum_{i in c} a_i k_sigma(x, x_i)`, `a >= 0`, each class summing to 1. The weights minimise an unbiased estimate of the
//! integrated squared error of the difference `f_+ - gamma f_-` (eq. 7):
//! ```text
//! min_a  sum_ij a_i a_j Y_i Y_j k_rho(x_i, x_j) / 2 - (1 / eta) sum_i a_i Y_i h_i,      Y = 1 or -gamma
//! ```
//! with `h_i` the leave-one-out estimate of the difference at `x_i`, seen through the kernel of bandwidth `tau` (section 2.1). Both kernels are normalised. `rho^2 = 2 sigma^2 + 2 lambda^2`, `tau^2 = sigma^2
//! + 2 lambda^2`, `lambda = smoothing * sigma` (section 5.1); `eta = balance` keeps the linear term from taking over in many dimensions (section 5.5). A row goes to the class of larger
//! `f_+` or `gamma f_-`, with `gamma` the ratio of the priors; as both densities are known the probabilities are theirs.
//!
//! Only ratios of normalising constants occur, and they are kept as logarithms: hundreds of dimensions neither underflow nor overflow. Predictions are sums of exponentials in the log domain.
//!
//! Several classes (`multiclass`): one difference a class, it against all others (`rest`), on one kernel matrix; or every density by itself, `gamma = 0` (`joint`, section 3.5).
//! Departures from the paper: decisions in the log domain, where the printed rule has ties as soon as both densities underflow.
//! Complexity: `n^2 p` for the distances, `2 n^2` exponentials a bandwidth, `2 n` a step of [`crate::solver::smo`], of which there are a few for each weight that is not zero.
//!
//! [Kim & Scott] "L2 kernel classification", IEEE TPAMI 32 (2010).

use super::{
    Arm, Candidate, ClassBandwidths, Fit, FitReport, Fold, Footprint, HeldOut, Method, MulticlassKind, Options,
    Problem, require_candidates,
};
use crate::data::Rng;
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output, OwnWidths, add_log_terms};
use crate::kernel::{Family, Kernel, log_grid, symmetric_base};
use crate::linalg::Matrix;
use crate::solver::smo::{Group, Solution, Whole, minimise};
use rayon::prelude::*;

/// Gaps that end the program, relative to the largest entries of its matrix and its linear term: of final fits, and in folds.
const EXACT: f64 = 1e-8;
const FOLD: f64 = 1e-4;
/// Weights below this are rounding.
const SMALLEST_WEIGHT: f64 = 1e-9;
/// From this dimension on the balance is tuned when it is not given (section 5.5).
const MANY_DIMENSIONS: usize = 16;

/// L2 kernel classification.
#[derive(Clone, Debug)]
pub struct L2qp {
    options: Options,
}

/// What the program is made of, before classes are set against each other. Logarithms of constants are relative to the largest one of the quadratic term.
struct Terms {
    /// The quadratic term's kernel of all pairs of rows, its constant relative to the largest.
    quadratic: Matrix,
    /// Weighted sums over each class of the linear term's kernel without its constant, rows x classes.
    sums: Matrix,
    /// Logarithm of the linear term's constant, one per class.
    log_ratios: Vec<f64>,
    /// Logarithm of the largest constant of the quadratic term.
    log_constant: f64,
}

/// One program: a class (or several) against others, or alone.
struct Contrast {
    positive: Vec<usize>,
    negative: Vec<usize>,
    gamma: f64,
    /// Outputs that the weights of both sides belong to.
    outputs: (usize, usize),
}

/// Rows and weights of every output.
type Densities = Vec<Vec<(usize, f64)>>;

impl L2qp {
    /// Takes over the options.
    pub fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
        }
    }

    /// Kernel of each class.
    fn kernels(&self, candidate: &Candidate, classes: usize) -> Vec<Kernel> {
        match &candidate.class_bandwidths {
            Some(widths) if widths.len() == classes => {
                widths.iter().map(|&b| candidate.kernel.with_bandwidth(b)).collect()
            }
            _ => vec![candidate.kernel; classes],
        }
    }

    /// Kernels of the quadratic and the linear term. The Laplacian's own convolution is no kernel of the family: see [`quadratic_term`].
    fn widths(&self, kernel: &Kernel) -> (Kernel, Kernel) {
        let k2 = 2.0 * self.options.smoothing * self.options.smoothing;
        match *kernel {
            Kernel::Gaussian { bandwidth } => (
                Kernel::Gaussian {
                    bandwidth: bandwidth * (2.0 + k2).sqrt(),
                },
                Kernel::Gaussian {
                    bandwidth: bandwidth * (1.0 + k2).sqrt(),
                },
            ),
            Kernel::Cauchy { bandwidth, .. } => (kernel.with_bandwidth(2.0 * bandwidth), *kernel),
            other => (other, other),
        }
    }

    fn terms(&self, candidate: &Candidate, base: &Matrix, problem: &Problem) -> Result<Terms> {
        let d = problem.n_active();
        let groups = problem.groups();
        let codes = groups.codes();
        let kernels = self.kernels(candidate, groups.n_classes());
        let not_a_density =
            || Error::Data("l2qp needs a kernel that is a density: gaussian, laplacian or cauchy".into());
        // Kernels of the quadratic term by the classes of a pair, and their constants.
        let pair = |a: &Kernel, b: &Kernel| if a == b { self.widths(a).0 } else { convolution(a, b) };
        let table: Vec<Vec<Kernel>> = kernels
            .iter()
            .map(|a| kernels.iter().map(|b| pair(a, b)).collect())
            .collect();
        let logs: Vec<Vec<f64>> = (kernels.iter().zip(&table))
            .map(|(kernel, row)| {
                row.iter()
                    .map(|rho| log_constant(kernel, rho, d))
                    .collect::<Option<_>>()
            })
            .collect::<Option<_>>()
            .ok_or_else(not_a_density)?;
        let log_constant = logs.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let linear: Vec<Kernel> = kernels.iter().map(|k| self.widths(k).1).collect();
        let log_ratios = linear.iter().map(|tau| Some(tau.log_normalizer(d)? - log_constant));
        let log_ratios: Vec<f64> = log_ratios.collect::<Option<_>>().ok_or_else(not_a_density)?;
        let mut sums = Matrix::zeros(base.rows(), groups.n_classes());
        sums.as_mut_slice()
            .par_chunks_mut(groups.n_classes())
            .zip(base.as_slice().par_chunks(base.cols()))
            .enumerate()
            .for_each(|(i, (sums, row))| {
                let mut values = row.to_vec();
                linear[codes[i]].apply(&mut values);
                for (j, v) in values.into_iter().enumerate() {
                    sums[codes[j]] += groups.weight(j) * v;
                }
            });
        let quadratic = if candidate.class_bandwidths.is_none() {
            quadratic_term(&kernels[0], &table[0][0], base, &problem.x)
        } else {
            let mut values = base.clone();
            let n = base.cols().max(1);
            values
                .as_mut_slice()
                .par_chunks_mut(n)
                .enumerate()
                .for_each(|(i, row)| {
                    for (v, &code) in row.iter_mut().zip(codes) {
                        let mut one = [*v];
                        table[codes[i]][code].apply_log(&mut one);
                        *v = (one[0] + logs[codes[i]][code] - log_constant).exp();
                    }
                });
            values
        };
        Ok(Terms {
            quadratic,
            sums,
            log_ratios,
            log_constant,
        })
    }

    /// The programs of a problem.
    fn contrasts(&self, problem: &Problem) -> Vec<Contrast> {
        let codes = problem.labels.codes();
        let members = |keep: &dyn Fn(usize) -> bool| (0..codes.len()).filter(|&i| keep(codes[i])).collect::<Vec<_>>();
        let c = problem.labels.n_classes();
        if self.options.multiclass == MulticlassKind::Joint {
            let alone = |k: usize| Contrast {
                positive: members(&|code| code == k),
                negative: vec![],
                gamma: 0.0,
                outputs: (k, k),
            };
            return (0..c).map(alone).collect();
        }
        if c == 2 {
            return vec![Contrast {
                positive: members(&|code| code == 1),
                negative: members(&|code| code == 0),
                gamma: self.class_ratio(problem),
                outputs: (1, 0),
            }];
        }
        let against_rest = |k: usize| Contrast {
            positive: members(&|code| code == k),
            negative: members(&|code| code != k),
            gamma: (1.0 - problem.priors[k]) / problem.priors[k],
            outputs: (2 * k, 2 * k + 1),
        };
        (0..c).map(against_rest).collect()
    }

    /// `gamma` of two classes: the weight of the first one's density against the second's.
    fn class_ratio(&self, problem: &Problem) -> f64 {
        self.options
            .class_ratio
            .unwrap_or(problem.priors[0] / problem.priors[1])
    }

    fn decision(&self, problem: &Problem) -> Decision {
        let c = problem.labels.n_classes();
        if c == 2 {
            let gamma = self.class_ratio(problem);
            return Decision::LogDensity {
                log_priors: vec![(gamma / (1.0 + gamma)).ln(), (1.0 / (1.0 + gamma)).ln()],
            };
        }
        match self.options.multiclass {
            MulticlassKind::Joint => Decision::LogDensity {
                log_priors: problem.log_priors(),
            },
            MulticlassKind::Rest => Decision::OneAgainstRest {
                log_odds: problem.priors.iter().map(|p| (p / (1.0 - p)).ln()).collect(),
            },
        }
    }

    /// Bandwidth of each class as a multiple of the kernel's, where they have their own.
    fn bandwidth_ratios(&self, problem: &Problem) -> Result<Option<Vec<f64>>> {
        let c = problem.labels.n_classes();
        match &self.options.class_bandwidths {
            ClassBandwidths::Common => Ok(None),
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
                    let rows: Vec<usize> = (0..problem.n()).filter(|&i| problem.labels.codes()[i] == k).collect();
                    median_distance(&problem.x.select_rows(&rows), self.options.seed)
                };
                let spreads: Vec<f64> = (0..c).map(spread).collect();
                // The geometric mean of the ratios is 1.
                let mean = spreads.iter().map(|s| s.ln()).sum::<f64>() / c as f64;
                Ok(Some(spreads.iter().map(|s| s / mean.exp()).collect()))
            }
        }
    }

    fn n_outputs(&self, classes: usize) -> usize {
        match self.options.multiclass {
            MulticlassKind::Rest if classes > 2 => 2 * classes,
            _ => classes,
        }
    }

    /// Weights of every output, and the solutions of the programs with the logarithm of what their objectives were divided by.
    fn solve(
        &self,
        terms: &Terms,
        problem: &Problem,
        balance: f64,
        tol: f64,
        starts: &mut Vec<Vec<f64>>,
    ) -> (Densities, Vec<(Solution, f64)>) {
        let contrasts = self.contrasts(problem);
        let mut densities: Densities = vec![vec![]; self.n_outputs(problem.labels.n_classes())];
        let mut solutions = Vec::with_capacity(contrasts.len());
        starts.resize(contrasts.len(), vec![]);
        for (contrast, start) in contrasts.iter().zip(starts) {
            let (solution, log_scale) = contrast.solve(terms, problem, balance, self.options.relaxed, tol, start);
            let keep = |side: &[usize]| {
                let weighted = side.iter().map(|&i| (i, solution.weights[i]));
                weighted.filter(|(_, w)| *w > SMALLEST_WEIGHT).collect::<Vec<_>>()
            };
            densities[contrast.outputs.0] = keep(&contrast.positive);
            if !contrast.negative.is_empty() {
                densities[contrast.outputs.1] = keep(&contrast.negative);
            }
            start.clone_from(&solution.weights);
            solutions.push((solution, log_scale));
        }
        (densities, solutions)
    }
}

impl Contrast {
    /// The program with both of its terms divided by the larger one's size.
    fn solve(
        &self,
        terms: &Terms,
        problem: &Problem,
        balance: f64,
        relaxed: bool,
        tol: f64,
        start: &[f64],
    ) -> (Solution, f64) {
        let n = problem.n();
        let groups = problem.groups();
        let mut side = vec![0.0; n];
        self.positive.iter().for_each(|&i| side[i] = 1.0);
        self.negative.iter().for_each(|&i| side[i] = -self.gamma);
        let total = |members: &[usize]| members.iter().map(|&i| groups.weight(i)).sum::<f64>();
        let (positive, negative) = (total(&self.positive), total(&self.negative));
        let on_side: [Vec<bool>; 2] = {
            let mut on = [vec![false; groups.n_classes()], vec![false; groups.n_classes()]];
            self.positive.iter().for_each(|&i| on[0][groups.codes()[i]] = true);
            self.negative.iter().for_each(|&i| on[1][groups.codes()[i]] = true);
            on
        };
        // Leave-one-out: a row's own kernel value, 1, does not count on its side.
        let mean = |i: usize, which: usize, total: f64| {
            let sum = terms
                .sums
                .row(i)
                .iter()
                .zip(&on_side[which])
                .filter(|(_, on)| **on)
                .map(|(s, _)| s);
            let own = f64::from(on_side[which][groups.codes()[i]] && side[i] != 0.0);
            (sum.sum::<f64>() - own).max(0.0) / (total - own).max(f64::MIN_POSITIVE)
        };
        let linear: Vec<f64> = (0..n)
            .map(|i| {
                if side[i] == 0.0 {
                    return 0.0;
                }
                let against = if self.gamma > 0.0 {
                    self.gamma * mean(i, 1, negative)
                } else {
                    0.0
                };
                side[i] * (mean(i, 0, positive) - against)
            })
            .collect();
        // exp(log ratio of the class) / balance times that is c; whichever of Q and c is larger becomes of size 1.
        let logs: Vec<f64> = terms.log_ratios.iter().map(|r| r - balance.ln()).collect();
        let log_of = |i: usize| logs[groups.codes()[i]];
        // Rows that see nobody have no linear term, and no say in its size.
        let sizes = (0..n)
            .filter(|&i| linear[i] != 0.0)
            .map(|i| log_of(i) + linear[i].abs().ln());
        let log_scale = sizes.fold(0.0, f64::max);
        let linear: Vec<f64> = (0..n).map(|i| linear[i] * (log_of(i) - log_scale).exp()).collect();
        let shrink = (-0.5 * log_scale).exp();
        let program: Vec<Group> = [(&self.positive, shrink), (&self.negative, -self.gamma * shrink)]
            .into_iter()
            .filter(|(members, _)| !members.is_empty())
            .map(|(members, sign)| Group {
                members: members.clone(),
                sign,
            })
            .collect();
        let mut rows = Whole {
            gram: terms.quadratic.as_slice(),
            size: n,
        };
        let start = (start.len() == n).then_some(start);
        let solution = minimise(&mut rows, &linear, &program, start, relaxed, tol);
        (solution, log_scale)
    }
}

/// The convolution of two kernels of a family, of which only the bandwidths differ.
fn convolution(a: &Kernel, b: &Kernel) -> Kernel {
    let (s, t) = (a.bandwidth().unwrap_or(1.0), b.bandwidth().unwrap_or(1.0));
    match a {
        Kernel::Cauchy { .. } => a.with_bandwidth(s + t),
        _ => a.with_bandwidth(s.hypot(t)),
    }
}

/// Logarithm of the constant of the quadratic term's kernel.
fn log_constant(kernel: &Kernel, rho: &Kernel, d: usize) -> Option<f64> {
    match *kernel {
        Kernel::Laplacian { bandwidth } => Some(-(d as f64) * (4.0 * bandwidth).ln()),
        _ => rho.log_normalizer(d),
    }
}

/// Values of the quadratic term's kernel without its constant: `k_rho`, or for the Laplacian `prod_l (1 + |x_l - y_l| / sigma) exp(-|x - y|_1 / sigma)` (section 5.4).
fn quadratic_term(kernel: &Kernel, rho: &Kernel, base: &Matrix, x: &Matrix) -> Matrix {
    let mut values = base.clone();
    let n = values.cols().max(1);
    values
        .as_mut_slice()
        .par_chunks_mut(n)
        .enumerate()
        .for_each(|(i, row)| {
            if let Kernel::Laplacian { bandwidth } = *kernel {
                for (j, v) in row.iter_mut().enumerate() {
                    // Logarithms of a few factors at a time.
                    let gaps = x
                        .row(i)
                        .iter()
                        .zip(x.row(j))
                        .map(|(a, b)| 1.0 + (a - b).abs() / bandwidth);
                    let (mut product, mut log, mut count) = (1.0, 0.0, 0);
                    for gap in gaps {
                        product *= gap;
                        count += 1;
                        if count % 8 == 0 {
                            log += f64::ln(product);
                            product = 1.0;
                        }
                    }
                    *v = (log + product.ln() - *v / bandwidth).exp();
                }
            } else {
                rho.apply(row);
            }
        });
    values
}

/// What a bandwidth other than the kernel's does to distances and to the logarithm of the constant.
fn own_width(kernel: &Kernel, width: f64, d: usize) -> (f64, f64) {
    let ratio = kernel.bandwidth().unwrap_or(1.0) / width;
    let log = |k: &Kernel| k.log_normalizer(d).unwrap_or(0.0);
    (ratio * ratio, log(&kernel.with_bandwidth(width)) - log(kernel))
}

/// Median distance of pairs of rows, of a sample of them if there are many; 1 where it is zero.
fn median_distance(x: &Matrix, seed: u64) -> f64 {
    const PAIRS: usize = 4000;
    let mut rng = Rng::new(seed);
    let n = x.rows();
    let distance = |i: usize, j: usize| {
        let squares = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    };
    let mut distances: Vec<f64> = if n * (n - 1) / 2 <= PAIRS {
        (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| distance(i, j))
            .collect()
    } else {
        (0..PAIRS).map(|_| distance(rng.below(n), rng.below(n))).collect()
    };
    distances.sort_by(f64::total_cmp);
    distances
        .get(distances.len() / 2)
        .copied()
        .filter(|m| *m > 0.0)
        .unwrap_or(1.0)
}

/// A class of one has nothing left when it is left out.
fn require_two(problem: &Problem) -> Result<()> {
    let counts = problem.labels.counts();
    match counts.iter().position(|&k| k < 2) {
        Some(c) => Err(Error::Data(format!(
            "class '{}' has one row, and l2qp needs two of each; parzen does not",
            problem.labels.classes()[c]
        ))),
        None => Ok(()),
    }
}

impl Method for L2qp {
    fn name(&self) -> &'static str {
        "l2qp"
    }

    fn family(&self) -> Family {
        self.options.kernel
    }

    fn footprint(&self) -> Footprint {
        Footprint::gram(1)
    }

    /// Section 6: 50 bandwidths from 1e-2 to 1e1; with the balance tuned 11 of them times 10 balances from 1 to `sqrt(2)^d`.
    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>> {
        require_two(problem)?;
        let d = problem.n_active();
        let mut balances = self.options.balances.clone();
        if balances.is_empty() && d >= MANY_DIMENSIONS {
            let top = 0.5 * (d as f64).min(2000.0) * 2f64.ln();
            balances = (0..10).map(|k| (top * k as f64 / 9.0).exp()).collect();
        } else if balances.is_empty() {
            balances = vec![1.0];
        }
        // The larger the balance, the denser the solution: sparse ones first.
        balances.sort_by(f64::total_cmp);
        balances.dedup();
        let kernels = match self.options.fixed_kernels(d)? {
            Some(fixed) => fixed,
            None => {
                let top = 10.0 * (d as f64 / 100.0).sqrt().max(1.0);
                let grid = log_grid(1e-2, top, if balances.len() > 1 { 11 } else { 50 })
                    .into_iter()
                    .rev();
                grid.map(|b| self.options.kernel_with(b, d)).collect::<Result<_>>()?
            }
        };
        let ratios = self.bandwidth_ratios(problem)?;
        let arm = |kernel: Kernel| -> Arm {
            let width = kernel.bandwidth().unwrap_or(1.0);
            let with = |&balance: &f64| Candidate {
                balance: Some(balance),
                class_bandwidths: ratios.as_ref().map(|r| r.iter().map(|v| v * width).collect()),
                ..Candidate::new(kernel)
            };
            balances.iter().map(with).collect()
        };
        let kernels = match &self.options.class_bandwidths {
            // Given ones are what they are.
            ClassBandwidths::Given(widths) => vec![self.options.kernel_with(widths[0], d)?],
            _ => kernels,
        };
        let arms: Vec<Arm> = kernels.into_iter().map(arm).collect();
        require_candidates(&arms)?;
        Ok(arms)
    }

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        let (Some(base), Some(against), Some(first)) = (&fold.train_base, &fold.held_out_base, arm.first()) else {
            return Err(Error::Data("l2qp needs the distances of a fold".into()));
        };
        if require_two(&fold.train).is_err() {
            return Ok(vec![None; arm.len()]);
        }
        let terms = self.terms(first, base, &fold.train)?;
        let widths = first
            .class_bandwidths
            .as_ref()
            .filter(|w| w.len() == fold.train.labels.n_classes());
        let own = |j: usize| {
            widths.map_or((1.0, 0.0), |w| {
                own_width(&first.kernel, w[fold.train.labels.codes()[j]], fold.train.n_active())
            })
        };
        let own: Vec<(f64, f64)> = (0..fold.train.n()).map(own).collect();
        let decision = self.decision(&fold.train);
        let mut starts = Vec::new();
        Ok(arm
            .iter()
            .map(|candidate| {
                let balance = candidate.balance.unwrap_or(1.0);
                let (densities, _) = self.solve(&terms, &fold.train, balance, FOLD, &mut starts);
                let mut z = Matrix::zeros(against.rows(), densities.len());
                for i in 0..against.rows() {
                    let row = against.row(i);
                    for (c, density) in densities.iter().enumerate() {
                        let mut logs: Vec<f64> = density.iter().map(|&(j, _)| row[j] * own[j].0).collect();
                        let weights: Vec<f64> = density.iter().map(|&(_, w)| w).collect();
                        candidate.kernel.apply_log(&mut logs);
                        logs.iter_mut().zip(density).for_each(|(l, &(j, _))| *l += own[j].1);
                        let (mut top, mut sum) = (f64::NEG_INFINITY, 0.0);
                        add_log_terms(&mut logs, &weights, &mut top, &mut sum);
                        z[(i, c)] = top + sum.ln();
                    }
                }
                Some(decision.scores(&z).into())
            })
            .collect())
    }

    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit> {
        require_two(problem)?;
        let terms = self.terms(candidate, &symmetric_base(self.family(), &problem.x), problem)?;
        let balance = candidate.balance.unwrap_or(1.0);
        let (densities, solutions) = self.solve(&terms, problem, balance, EXACT, &mut Vec::new());
        let d = problem.n_active();
        let constant = candidate.kernel.log_normalizer(d).unwrap_or(f64::NAN);
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
            own: candidate.class_bandwidths.as_ref().map(|widths| {
                let of = |&i: &usize| own_width(&candidate.kernel, widths[problem.labels.codes()[i]], d);
                let (scales, shifts) = rows.iter().map(of).unzip();
                OwnWidths { scales, shifts }
            }),
        };
        let support = problem.x.select_rows(&rows);
        let mut retained = rows;
        retained.sort_unstable();
        retained.dedup();
        let objectives = solutions
            .iter()
            .map(|(s, log)| s.objective * (log + terms.log_constant).exp());
        Ok(Fit {
            discriminant: None,
            expansion: KernelExpansion::new(candidate.kernel, problem.feature_weights.clone(), &support, output),
            decision: self.decision(problem),
            report: FitReport {
                objective: Some(objectives.sum::<f64>()).filter(|v| v.is_finite()),
                iterations: solutions.iter().map(|(s, _)| s.iterations).sum(),
                converged: solutions.iter().all(|(s, _)| s.converged),
                residual: Some(solutions.iter().map(|(s, _)| s.gap).fold(0.0, f64::max)),
                retained_rows: retained,
                ..FitReport::default()
            },
        })
    }
}
