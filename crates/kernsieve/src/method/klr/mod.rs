//! Kernel logistic regression (Ghosh & Wang, sections 4.1 and 6).
//!
//! ```text
//! min_A (1/n) sum_i -log p_{y_i}(x_i) + lambda sum_c a_c'K a_c    (eq. 16; 24 for several classes)
//! ```
//! without an offset, as in the paper. [`crate::solver::logistic`] says how it is solved.
//! Probabilities are those of the model itself, `softmax(f)`: the fit maximises the (penalised)
//! likelihood, so no calibration follows. Priors other than the proportions in the training rows
//! shift the logits by `log(prior / proportion)`.
//!
//! `max_support` asks for few samples: the import vector machine of Zhu & Hastie,
//! [`crate::solver::import_vectors`]. `candidates` asks for functions of few samples from the start,
//! which takes memory and time linear in the rows (`landmarks`).
//!
//! Tuning: bandwidths around the median distance, ridges from 2^-2 down to 2^-14 with warm starts,
//! by cross-validation; both grids are widened while the best lies at an edge. Complexity: `2 n^2`
//! flops per conjugate gradient step and column of coefficients, with 20 to 200 steps per solve;
//! `n^2 p` for the Gram matrix. Dense in the samples unless `max_support` is given.
//!
//! [Ghosh & Wang] "Feature import vector machine: a general classifier with flexible feature
//! selection", SADM 8 (2015).

mod landmarks;

use super::{
    About, Candidacy, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Outputs, PathStep,
    Problem, Ranking, Ridged, Sparse, beyond_the_edge, descending, kernels_around_median, some,
    stretched,
};
use crate::decision::Decision;
use crate::error::{Result, require};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, gram};
use crate::linalg::{Matrix, matmul};
use crate::params::{
    BANDWIDTHS, DEFINITE_KERNEL, DEGREE, IMPORT_VECTORS, KernelChoice, L1_RATIO, LANDMARKS,
    POSTERIOR, POSTERIOR_SPARSITY, Protocol, RIDGES, SIMPLEX,
};
use crate::partial::Passes;
use crate::solver::import_vectors::import_vectors;
use crate::solver::logistic::{Likelihood, Outcome, Solution, Stop, Workspace, solve};
use serde::{Deserialize, Serialize};

/// Bandwidths to try, as multiples of the median distance; smooth ones first.
const BANDWIDTH_MULTIPLES: [f64; 6] = [4.0, 2.0, 1.4, 1.0, 0.7, 0.4];
/// Exponents of 2 of the ridges to try: large ones first, each solution the start of the next.
const RIDGE_EXPONENTS: [i32; 7] = [-2, -4, -6, -8, -10, -12, -14];
/// The grid of ridges is not widened beyond these.
const RIDGE_RANGE: (f64, f64) = (1e-5, 10.0);
/// Imports of samples end when the objective is within this fraction of its minimum over all
/// samples.
pub(super) const SAMPLE_TOLERANCE: f64 = 1e-3;

/// Kernel logistic regression.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths`, `degree` | Gaussian, tuned | | the kernel, any but sigmoid |
/// | `ridges` | tuned | above 0 | penalties to choose among, `lambda` of eq. 16 |
/// | `max_support` | all | 1 or more | the model keeps at most this many samples |
/// | `candidates` | all | 2 or more | landmarks: functions of only this many samples |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Klr {
    #[serde(flatten)]
    kernel: KernelChoice,
    ridges: Vec<f64>,
    max_support: Option<usize>,
    candidates: Option<usize>,
}

impl Klr {
    /// A Gaussian kernel, everything tuned, all samples.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// With these ridges to choose among; a single one is used as given.
    pub fn ridges(mut self, ridges: impl Into<Vec<f64>>) -> Self {
        self.ridges = ridges.into();
        self
    }

    /// With at most this many samples in the model.
    pub fn max_support(mut self, samples: usize) -> Self {
        self.max_support = Some(samples);
        self
    }

    /// With functions of only this many samples, drawn by class, for many rows.
    pub fn candidates(mut self, landmarks: usize) -> Self {
        self.candidates = Some(landmarks);
        self
    }

    pub(super) fn choice(&self) -> &KernelChoice {
        &self.kernel
    }
}

/// Coefficients and the rows they belong to.
pub(super) struct Carried {
    pub(super) rows: Vec<usize>,
    /// Rows x outputs.
    pub(super) coef: Matrix,
    pub(super) report: FitReport,
}

/// Row-major coefficients from columns one after the other.
pub(super) fn by_row(coef: &[f64], n: usize) -> Matrix {
    Matrix::from_fn(n, coef.len() / n.max(1), |i, c| coef[c * n + i])
}

/// The softmax rule, shifted if the priors are not the proportions of the training rows.
pub(super) fn logits(problem: &Problem) -> Decision {
    let classes = problem.classes();
    let total = classes.total();
    let shifts = classes
        .totals()
        .iter()
        .zip(&problem.priors)
        // Exactly 0 for empirical priors, because they are computed by the same division.
        .map(|(t, prior)| {
            let own = t / total;
            if own == *prior {
                0.0
            } else {
                (prior / own).ln()
            }
        })
        .collect();
    Decision::Logits { shifts }
}

/// The solution on all rows, or on the few that `max_support` allows.
pub(super) fn carry(
    k: &Matrix,
    likelihood: &Likelihood,
    ridge: f64,
    start: Option<&Solution>,
    max_support: Option<usize>,
    stop: Stop,
) -> Result<Carried> {
    let n = k.rows();
    if let Some(limit) = max_support {
        let few = import_vectors(k, likelihood, ridge, limit, SAMPLE_TOLERANCE)?;
        let path = few
            .rows
            .iter()
            .enumerate()
            .map(|(i, &row)| PathStep {
                row: Some(row),
                train_error: Some(few.train_errors[i]),
                ..PathStep::new(i + 1, few.objectives[i])
            })
            .collect();
        return Ok(Carried {
            report: FitReport {
                objective: few.objectives.last().copied(),
                iterations: few.rows.len(),
                converged: few.gradient < 1e-8,
                residual: Some(few.gradient),
                retained_rows: few.rows.clone(),
                ridge: Some(ridge),
                path,
                ..FitReport::default()
            },
            rows: few.rows,
            coef: few.coef,
        });
    }
    let zeros;
    let start = match start {
        Some(s) => &s.coef,
        None => {
            zeros = vec![0.0; n * likelihood.columns()];
            &zeros
        }
    };
    let mut work = Workspace::default();
    let solution = solution(solve(
        k.as_slice(),
        likelihood,
        ridge,
        start,
        stop,
        &mut work,
    ))?;
    Ok(Carried {
        rows: (0..n).collect(),
        coef: by_row(&solution.coef, n),
        report: FitReport {
            objective: Some(solution.objective),
            iterations: solution.trace.len() - 1,
            converged: solution.converged,
            residual: Some(solution.gradient),
            retained_rows: (0..n).collect(),
            ridge: Some(ridge),
            ..FitReport::default()
        },
    })
}

/// The result of a solve without a bound, which is never given up.
pub(super) fn solution(outcome: Outcome) -> Result<Solution> {
    match outcome {
        Outcome::Solved(s) if s.objective.is_finite() => Ok(s),
        _ => Err(crate::error::Error::NoConvergence(
            "kernel logistic regression",
        )),
    }
}

/// The ridges that the user gave, or these powers of 2; large ones first.
pub(super) fn ridges(given: &[f64], exponents: &[i32]) -> Vec<f64> {
    descending(given, || exponents.iter().map(|&e| 2f64.powi(e)).collect())
}

/// A likelihood needs a kernel with a norm.
pub(super) fn require_definite(kernel: &KernelChoice) -> Result<()> {
    let name = format!("{:?}", kernel.family().name());
    require(
        "kernel",
        name,
        kernel.family().is_definite(),
        "positive definite: any but sigmoid",
    )
}

impl Method for Klr {
    type Setting = Ridged;

    const ABOUT: About = About {
        name: "klr",
        class: "KLR",
        title: "kernel logistic regression",
        plain: "kernel logistic regression (KLR)",
        summary: "Kernel logistic regression: probabilities by maximum likelihood. It keeps few \
                  samples with `max_support` (Zhu & Hastie 2005).",
        paper: "Ghosh & Wang 2015, Zhu & Hastie 2005",
        tuned: "bandwidth, ridge",
        decides: "softmax",
        sparse: Sparse::SamplesOnRequest,
        outputs: Outputs::Logits,
        precomputed: true,
        params: &[
            DEFINITE_KERNEL,
            BANDWIDTHS,
            DEGREE,
            RIDGES,
            IMPORT_VECTORS,
            LANDMARKS,
            POSTERIOR,
            POSTERIOR_SPARSITY,
            L1_RATIO,
            SIMPLEX,
        ],
        auto: Candidacy::First,
        // With more classes, more steps are needed for the same residual.
        seconds: |n, _, c| 1.2e-10 * n * n * n * c + 2e-7 * n * n * c * (1.0 + c / 20.0).min(5.0),
        slow_for_many_classes: true,
        ..About::BLANK
    };

    fn check(&self) -> Result<()> {
        require_definite(&self.kernel)?;
        require(
            "candidates",
            "with `max_support`",
            self.candidates.is_none() || self.max_support.is_none(),
            "given without it: all of them are kept",
        )
    }

    fn family(&self) -> Family {
        self.kernel.family()
    }

    /// With landmarks the cube is that of the rows to tune on.
    fn seconds(&self, n: f64, p: f64, c: f64) -> f64 {
        let Some(m) = self.candidates else {
            return (Self::ABOUT.seconds)(n, p, c);
        };
        let tuned = self.tuning_rows(n as usize).unwrap_or(0) as f64;
        let sums = 1e-10 * n * c * (m as f64).powi(2);
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

    fn footprint(&self, n: usize) -> Footprint {
        match (self.candidates, self.max_support) {
            (Some(m), _) => Footprint::of_landmarks(m, n),
            (None, Some(_)) => Footprint::gram(2),
            (None, None) => Footprint::gram(1),
        }
    }

    fn ranking(&self) -> Ranking {
        Ranking::LogLoss
    }

    fn races(&self) -> bool {
        true
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<Ridged>> {
        let kernels = kernels_around_median(&self.kernel, problem, &BANDWIDTH_MULTIPLES)?;
        let ridges = ridges(&self.ridges, &RIDGE_EXPONENTS);
        some(
            kernels
                .into_iter()
                .map(|k| Ridged::arm(k, &ridges))
                .collect(),
        )
    }

    /// Wider or narrower kernels when the chosen one is the widest or narrowest; more ridges when
    /// the chosen one is the largest or the smallest.
    fn widen(&self, tried: &[Ridged], chosen: &Ridged, _: usize) -> Grid<Ridged> {
        let own = ridges(&self.ridges, &RIDGE_EXPONENTS);
        let factors = beyond_the_edge(
            &self.kernel,
            tried,
            &chosen.kernel,
            &[0.7, 0.5],
            &[2.0, 4.0],
        );
        let kernels = factors.iter().map(|f| stretched(&chosen.kernel, *f));
        let mut arms: Grid<Ridged> = kernels.map(|kernel| Ridged::arm(kernel, &own)).collect();
        if self.ridges.is_empty() {
            let ridge = chosen.ridge;
            let same = tried.iter().filter(|c| c.kernel == chosen.kernel);
            let others: Vec<f64> = same.map(|c| c.ridge).collect();
            if ridge > RIDGE_RANGE.0 && others.iter().all(|r| *r >= ridge) {
                arms.push(Ridged::arm(chosen.kernel, &[ridge / 4.0, ridge / 16.0]));
            } else if ridge < RIDGE_RANGE.1 && others.iter().all(|r| *r <= ridge) {
                arms.push(Ridged::arm(chosen.kernel, &[ridge * 16.0, ridge * 4.0]));
            }
        }
        arms
    }

    fn held_out(&self, fold: &Fold, arm: &[Ridged]) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        if let Some(m) = self.candidates {
            return landmarks::held_out(fold, arm, m);
        }
        let (k, kv) = fold.grams(&first.kernel)?;
        let likelihood = Likelihood::new(&fold.train.classes());
        let decision = logits(&fold.train);
        let mut work = Workspace::default();
        let mut coef = vec![0.0; k.rows() * likelihood.columns()];
        let mut held_out = Vec::with_capacity(arm.len());
        for setting in arm {
            let ridge = setting.ridge;
            let (rows, values) = if self.max_support.is_some() {
                let few = carry(&k, &likelihood, ridge, None, self.max_support, Stop::FOLD)?;
                (Some(few.rows), few.coef)
            } else {
                match solution(solve(
                    k.as_slice(),
                    &likelihood,
                    ridge,
                    &coef,
                    Stop::FOLD,
                    &mut work,
                )) {
                    Ok(s) => coef = s.coef,
                    Err(_) => {
                        held_out.push(None);
                        continue;
                    }
                }
                (None, by_row(&coef, k.rows()))
            };
            let z = match rows {
                None => matmul(kv.view(), values.view()),
                Some(rows) => matmul(kv.select_columns(&rows).view(), values.view()),
            };
            held_out.push(Some(decision.scores(&z).into()));
        }
        Ok(held_out)
    }

    fn streams(&self) -> bool {
        self.candidates.is_some()
    }

    fn fit_by_passes(
        &self,
        some: &Problem,
        setting: &Ridged,
        rows: &mut dyn Passes,
    ) -> Result<Fit> {
        landmarks::fit_by_passes(some, setting, self.candidates.unwrap_or(some.n()), rows)
    }

    fn fit(&self, problem: &Problem, setting: &Ridged) -> Result<Fit> {
        if let Some(m) = self.candidates {
            return landmarks::fit(problem, setting, m);
        }
        let k = gram(&setting.kernel, &problem.x);
        let likelihood = Likelihood::new(&problem.classes());
        let ridge = setting.ridge;
        let carried = carry(&k, &likelihood, ridge, None, self.max_support, Stop::EXACT)?;
        let q = carried.coef.cols();
        let output = Output::Linear {
            coef: carried.coef,
            offset: vec![0.0; q],
        };
        let rows = problem.x.select_rows(&carried.rows);
        Ok(Fit::new(
            KernelExpansion::new(
                setting.kernel,
                problem.feature_weights.clone(),
                &rows,
                output,
            ),
            logits(problem),
            carried.report,
        ))
    }
}
