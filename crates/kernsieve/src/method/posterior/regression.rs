//! Class posteriors by one lasso per class on its indicator (Hidaka & Kurita, eq. 19 to 21).

use super::Penalised;
use crate::classes::Classes;
use crate::decision::{Decision, Simplex};
use crate::error::Result;
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel};
use crate::linalg::{Matrix, center_columns_weighted, matmul};
use crate::method::{
    About, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, PathStep, Problem,
};
use crate::params::Protocol;
use crate::partial::{Columns, Passes, Reduced};
use crate::solver::coordinate_descent::Penalty;
use crate::solver::lasso::{Design, Solution, Stop, path, ridge_path};
use serde::{Deserialize, Serialize};

/// Exponents of 2 of the penalties to try (section 5).
const EXPONENTS: std::ops::RangeInclusive<i32> = -15..=10;

/// Class posteriors by one lasso per class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct L1Regression {
    sparsity: Option<f64>,
    l1_ratio: f64,
    simplex: Simplex,
}

impl Default for L1Regression {
    fn default() -> Self {
        Self {
            sparsity: None,
            l1_ratio: 1.0,
            simplex: Simplex::default(),
        }
    }
}

/// What the regressions of one problem share.
struct Regressions {
    /// Centred features, rows scaled by the roots of their weights.
    x: Matrix,
    /// Centred indicators, rows x targets. Two classes have one target: the coefficients of the
    /// other class are the negatives.
    targets: Matrix,
    /// Means of the features, and shares of the classes.
    means: Vec<f64>,
    shares: Vec<f64>,
}

impl Regressions {
    fn new(x: &Matrix, classes: &Classes) -> Self {
        let mut x = x.clone();
        let means = center_columns_weighted(&mut x, classes.weights());
        let shares = classes.shares();
        let columns = if shares.len() == 2 { 1 } else { shares.len() };
        let mut targets = Matrix::from_fn(x.rows(), columns, |i, k| {
            f64::from(classes.codes()[i] == k) - shares[k]
        });
        classes.scale_rows(&mut x);
        classes.scale_rows(&mut targets);
        Self {
            x,
            targets,
            means,
            shares,
        }
    }

    /// The same regressions on a few rows that stand for all: products of centred columns are what
    /// a lasso sees.
    fn of_reduced(reduced: &Reduced) -> Self {
        let c = reduced.totals.len();
        let targets = match c {
            2 => reduced.y.select_columns(&[0]),
            _ => reduced.y.clone(),
        };
        Self {
            x: reduced.x.clone(),
            targets,
            means: reduced.means.clone(),
            shares: reduced.totals.iter().map(|t| t / reduced.total).collect(),
        }
    }

    fn solve(&self, sparsities: &[f64], ratio: f64, stop: Stop) -> Result<Vec<Vec<Solution>>> {
        if ratio == 0.0 {
            return ridge_path(&self.x, &self.targets, sparsities);
        }
        // A small penalty is reached through larger ones: starting from zero can take a hundred
        // times as long.
        let first = sparsities.first().copied().unwrap_or(f64::INFINITY);
        let lead = std::iter::successors(Some(self.largest(ratio) / 4.0), |s| Some(s / 4.0));
        let lead: Vec<f64> = lead
            .take_while(|s| *s > 1.5 * first && *s > f64::MIN_POSITIVE)
            .take(60)
            .collect();
        let all = lead
            .iter()
            .chain(sparsities)
            .map(|&s| Penalty::mixed(s, ratio));
        let penalties: Vec<Penalty> = all.collect();
        let mut solutions = path(&Design::new(&self.x), &self.targets, &penalties, stop);
        solutions
            .iter_mut()
            .for_each(|s| drop(s.drain(..lead.len())));
        Ok(solutions)
    }

    /// The smallest penalty at which every coefficient is zero. A ridge makes none zero: there it
    /// is the trace of `X'X`, which shrinks every coefficient to less than half.
    fn largest(&self, ratio: f64) -> f64 {
        if ratio == 0.0 {
            return squared_size(&self.x);
        }
        matmul(self.targets.view().t(), self.x.view()).max_abs() / ratio
    }

    /// Coefficients, classes x features, and offsets.
    fn coefficients(&self, solutions: &[&Solution]) -> (Matrix, Vec<f64>) {
        let (p, c) = (self.means.len(), self.shares.len());
        let mut coef = Matrix::zeros(c, p);
        for (k, s) in solutions.iter().enumerate() {
            for (&j, &w) in s.support.iter().zip(&s.coef) {
                coef[(k, j)] = w;
                if solutions.len() < c {
                    coef[(1, j)] = -w;
                }
            }
        }
        let offset = (0..c)
            .map(|k| {
                self.shares[k]
                    - coef
                        .row(k)
                        .iter()
                        .zip(&self.means)
                        .map(|(w, m)| w * m)
                        .sum::<f64>()
            })
            .collect();
        (coef, offset)
    }
}

impl L1Regression {
    /// A tuned penalty with the L1 norm only; outputs are clipped.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this penalty.
    pub fn sparsity(mut self, sparsity: f64) -> Self {
        self.sparsity = Some(sparsity);
        self
    }

    /// With this share of the L1 norm in the penalty; the rest is half the squared norm. 0 is ridge
    /// regression.
    pub fn l1_ratio(mut self, ratio: f64) -> Self {
        self.l1_ratio = ratio;
        self
    }

    /// With this way of mapping outputs to the simplex.
    pub fn simplex(mut self, simplex: Simplex) -> Self {
        self.simplex = simplex;
        self
    }

    /// Whether outputs are taken as they are.
    pub(in crate::method) fn is_raw(&self) -> bool {
        self.simplex == Simplex::None
    }

    fn decision(&self, problem: &Problem) -> Decision {
        Decision::Simplex {
            kind: self.simplex,
            log_priors: problem.log_priors(),
        }
    }
}

/// The trace of `X'X`.
pub(super) fn squared_size(x: &Matrix) -> f64 {
    x.as_slice().iter().map(|v| v * v).sum()
}

/// Powers of 2. The usual grid is extended upwards to a penalty that leaves no coefficient (or next to nothing of them), and
/// moved down if its lower end is not far enough below that penalty.
pub(super) fn penalties(
    fixed: Option<f64>,
    largest: f64,
    exponents: std::ops::RangeInclusive<i32>,
) -> Vec<f64> {
    if let Some(sparsity) = fixed {
        return vec![sparsity];
    }
    let top = largest.max(f64::MIN_POSITIVE).log2().ceil() as i32;
    let (low, high) = (*exponents.start(), *exponents.end());
    let range = if top < low + 10 {
        top - (high - low)..=top
    } else {
        low..=top.clamp(high, 60)
    };
    range.rev().map(|e| 2f64.powi(e)).collect()
}

/// One setting per penalty, large ones first.
pub(super) fn arm_of(penalties: Vec<f64>) -> Vec<Penalised> {
    penalties
        .into_iter()
        .map(|sparsity| Penalised { sparsity })
        .collect()
}

/// The penalties of an arm.
pub(super) fn penalties_of(arm: &[Penalised]) -> Vec<f64> {
    arm.iter().map(|s| s.sparsity).collect()
}

/// 1 for a feature that any output uses.
pub(super) fn used_features(coef: &Matrix) -> Vec<f64> {
    let used = |j: usize| coef.iter_rows().any(|w| w[j] != 0.0);
    (0..coef.cols()).map(|j| f64::from(used(j))).collect()
}

/// Number of coefficients that are not zero.
pub(super) fn nonzero_count(coef: &Matrix) -> usize {
    coef.as_slice().iter().filter(|w| **w != 0.0).count()
}

/// An expansion with a linear kernel: one support row per output, which holds its coefficients.
pub(super) fn linear_expansion(coef: &Matrix, offset: Vec<f64>) -> KernelExpansion {
    let output = Output::Linear {
        coef: Matrix::identity(coef.rows()),
        offset,
    };
    KernelExpansion::new(Kernel::Linear, used_features(coef), coef, output)
}

/// `offset + coef x` of every row.
pub(super) fn linear_outputs(x: &Matrix, coef: &Matrix, offset: &[f64]) -> Matrix {
    let mut z = matmul(x.view(), coef.view().t());
    crate::linalg::add_to_rows(&mut z, offset);
    z
}

impl Method for L1Regression {
    type Setting = Penalised;

    const ABOUT: About = About::part("l1");

    fn family(&self) -> Family {
        Family::Linear
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::NONE
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<Penalised>> {
        let largest = match self.sparsity {
            Some(_) => 0.0,
            None => Regressions::new(&problem.x, &problem.classes()).largest(self.l1_ratio),
        };
        Ok(vec![arm_of(penalties(self.sparsity, largest, EXPONENTS))])
    }

    fn held_out(&self, fold: &Fold, arm: &[Penalised]) -> Result<Vec<Option<HeldOut>>> {
        let regressions = Regressions::new(&fold.train.x, &fold.train.classes());
        let solutions = regressions.solve(&penalties_of(arm), self.l1_ratio, Stop::FOLD)?;
        let decision = self.decision(&fold.train);
        Ok((0..arm.len())
            .map(|l| {
                let at: Vec<&Solution> = solutions.iter().map(|s| &s[l]).collect();
                let (coef, offset) = regressions.coefficients(&at);
                Some(HeldOut {
                    scores: decision.scores(&linear_outputs(&fold.held_out, &coef, &offset)),
                    weights: Some(used_features(&coef)),
                })
            })
            .collect())
    }

    fn fit(&self, problem: &Problem, setting: &Penalised) -> Result<Fit> {
        let regressions = Regressions::new(&problem.x, &problem.classes());
        self.walk(&regressions, setting.sparsity, problem)
    }

    fn streams(&self) -> bool {
        true
    }

    /// The penalty stands beside a sum over rows, so one that was found on some of them grows with
    /// the rows; a given one is taken as it is.
    fn fit_by_passes(
        &self,
        some: &Problem,
        setting: &Penalised,
        rows: &mut dyn Passes,
    ) -> Result<Fit> {
        let reduced = rows.reduced(Columns::Features)?;
        let more = reduced.total / some.classes().total();
        let sparsity = self.sparsity.unwrap_or(setting.sparsity * more);
        self.walk(&Regressions::of_reduced(&reduced), sparsity, some)
    }
}

impl L1Regression {
    /// The path of penalties down to the chosen one.
    fn walk(&self, regressions: &Regressions, chosen: f64, problem: &Problem) -> Result<Fit> {
        let mut sparsities =
            penalties(self.sparsity, regressions.largest(self.l1_ratio), EXPONENTS);
        sparsities.retain(|s| *s > chosen);
        sparsities.push(chosen);
        let solutions = regressions.solve(&sparsities, self.l1_ratio, Stop::EXACT)?;
        let at = |l: usize| solutions.iter().map(|s| &s[l]).collect::<Vec<_>>();
        // Two classes have the same regression up to its sign.
        let copies = (regressions.shares.len() / regressions.targets.cols()) as f64;
        let steps = sparsities.iter().enumerate().map(|(l, &sparsity)| {
            let (coef, _) = regressions.coefficients(&at(l));
            PathStep {
                sparsity: Some(sparsity),
                ..PathStep::new(
                    nonzero_count(&coef),
                    copies * at(l).iter().map(|s| s.objective).sum::<f64>(),
                )
            }
        });
        let path: Vec<PathStep> = steps.collect();
        let here = at(sparsities.len() - 1);
        let (coef, offset) = regressions.coefficients(&here);
        let mut each: Vec<(f64, Option<f64>)> = here.iter().map(|s| (s.objective, s.gap)).collect();
        if each.len() < regressions.shares.len() {
            each.push(each[0]);
        }
        let half: Vec<f64> = (0..regressions.targets.cols())
            .map(|k| {
                0.5 * regressions
                    .targets
                    .column(k)
                    .iter()
                    .map(|t| t * t)
                    .sum::<f64>()
            })
            .collect();
        // Unknown if the gap of any class is.
        let residual = here.iter().zip(&half).try_fold(0.0, |most, (s, h)| {
            let own = s.gap? / h.max(f64::MIN_POSITIVE);
            Some(f64::max(most, own))
        });
        Ok(Fit::new(
            linear_expansion(&coef, offset),
            self.decision(problem),
            FitReport {
                objective: Some(each.iter().map(|e| e.0).sum()),
                iterations: here.iter().map(|s| s.sweeps).sum(),
                converged: here.iter().all(|s| s.converged),
                residual,
                regressions: each,
                path,
                ..FitReport::default()
            },
        ))
    }
}
