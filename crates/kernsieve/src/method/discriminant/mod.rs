//! Any method with a discriminant kernel. The posteriors are estimated first; the method then works
//! on the features whose inner products are their kernel.

#[cfg(test)]
mod tests;

use super::posterior::{Posterior, PosteriorSetting};
use super::{
    About, Certificate, Fit, Fold, Footprint, Grid, HeldOut, Klr, Kos, Method, Mkda, Problem,
    Ranking, Setting, Size, Smkda, params_of,
};
use crate::decision::Decision;
use crate::discriminant_kernel::{DiscriminantKernel, posteriors, psi};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output, nonzero};
use crate::kernel::{Family, Kernel, Pairs, symmetric_base};
use crate::linalg::{Matrix, matmul};
use crate::notice::Notice;
use crate::params::{KERNEL_PARAMS, KernelChoice, Params, Protocol};
use crate::partial::{Columns, Part, Passes, Task};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Features of the kernel that vary less than this are constant up to rounding.
const SMALLEST_DEVIATION: f64 = 1e-9;

/// Inside another method, only every third penalty of linear posteriors is tried.
const OUTER_STEP: usize = 3;

/// A method whose kernel can be the discriminant kernel of class posteriors. Methods that weigh
/// features, and densities, need the features themselves.
pub trait WithPosterior: Method {
    /// The same method with this kernel.
    fn with_kernel(self, kernel: KernelChoice) -> Self;

    /// Whether [`Method::fit_by_passes`] asks for nothing but the features themselves, so that the
    /// features of a discriminant kernel can take their place.
    fn streams_features(&self) -> bool {
        false
    }

    /// The same method with the discriminant kernel of these posteriors.
    fn with_posterior(self, posterior: Posterior) -> Discriminant<Self> {
        Discriminant {
            posterior,
            outer: self.with_kernel(KernelChoice::Linear),
        }
    }
}

/// Methods with an explicit kernel parameter.
macro_rules! with_posterior {
    ($($method:ident),+) => {$(
        impl WithPosterior for $method {
            fn with_kernel(self, kernel: KernelChoice) -> Self {
                self.kernel(kernel)
            }
        }
    )+};
}

with_posterior!(Mkda, Smkda, Kos, Klr);

/// A method whose kernel is the discriminant kernel of estimated posteriors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Params",
    into = "Params",
    bound(serialize = "M: WithPosterior", deserialize = "M: WithPosterior")
)]
pub struct Discriminant<M> {
    /// Estimates the posteriors.
    posterior: Posterior,
    /// The outer method, which sees the kernel as a linear one.
    outer: M,
}

impl<M: WithPosterior> Default for Discriminant<M> {
    fn default() -> Self {
        M::default().with_posterior(Posterior::default())
    }
}

impl<M: WithPosterior> TryFrom<Params> for Discriminant<M> {
    type Error = Error;

    fn try_from(params: Params) -> Result<Self> {
        let outer = M::from_given(&params)?;
        let inside = !outer.is_closed_form();
        let posterior = Posterior::from_params(&params, inside)?;
        Ok(outer.with_posterior(posterior))
    }
}

impl<M: WithPosterior> From<Discriminant<M>> for Params {
    fn from(method: Discriminant<M>) -> Self {
        let mut params = params_of(&method.outer);
        KERNEL_PARAMS.iter().for_each(|id| drop(params.remove(*id)));
        params.extend(method.posterior.to_params(!method.outer.is_closed_form()));
        params
    }
}

/// Whether a method forms no `n x n` matrix. The posteriors then take most of the time.
trait ClosedForm {
    fn is_closed_form(&self) -> bool;
}

impl<M: Method> ClosedForm for M {
    fn is_closed_form(&self) -> bool {
        self.footprint(1) == Footprint::NONE
    }
}

/// A setting of the outer method with one of the posteriors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "S: Setting"))]
pub struct DiscriminantSetting<S> {
    /// Of the outer method.
    #[serde(flatten)]
    pub outer: S,
    /// Of the posteriors.
    pub posterior: PosteriorSetting,
}

impl<S: Setting> Setting for DiscriminantSetting<S> {
    fn kernel(&self) -> &Kernel {
        self.posterior.kernel()
    }

    fn size(&self) -> Size {
        self.outer.size()
    }

    fn penalty(&self) -> f64 {
        self.posterior.penalty()
    }

    fn ridge(&self) -> Option<f64> {
        self.outer.ridge().or(self.posterior.ridge())
    }

    fn preferred(&self, other: &Self) -> Ordering {
        self.outer.preferred(&other.outer)
    }

    fn same_path(&self, other: &Self) -> bool {
        self.outer.same_path(&other.outer) && self.posterior == other.posterior
    }
}

impl<M: WithPosterior> Discriminant<M> {
    /// The estimate of the posteriors.
    pub fn estimate(&self) -> &Posterior {
        &self.posterior
    }

    /// The outer method, which uses the kernel.
    pub fn outer(&self) -> &M {
        &self.outer
    }

    /// The problem that the outer method sees: `psi` of every row in place of the row. Features
    /// that are constant up to rounding are left out.
    fn outer_problem(&self, problem: &Problem, mut psi: Matrix, priors: &[f64]) -> Problem {
        let classes = problem.classes();
        let means = classes.column_means(&psi);
        let mut squares = vec![0.0; means.len()];
        let total = classes.total();
        for (i, row) in psi.iter_rows().enumerate() {
            let w = classes.weight(i) / total;
            for (s, (v, m)) in squares.iter_mut().zip(row.iter().zip(&means)) {
                *s += w * (v - m) * (v - m);
            }
        }
        let varies = |(s, p): (&f64, &f64)| f64::from(s.sqrt() > SMALLEST_DEVIATION / p.sqrt());
        let feature_weights: Vec<f64> = squares.iter().zip(priors).map(varies).collect();
        for row in psi.as_mut_slice().chunks_exact_mut(means.len()) {
            row.iter_mut()
                .zip(&feature_weights)
                .for_each(|(v, w)| *v *= w);
        }
        Problem {
            x: psi,
            labels: problem.labels.clone(),
            weights: problem.weights.clone(),
            priors: problem.priors.clone(),
            feature_weights,
            blocks: problem.blocks.clone(),
            may_score: false,
            seed: problem.seed,
        }
    }

    /// The fold that the outer method sees: the training rows, then the held-out rows, as the
    /// posteriors with these log scores show them.
    fn outer_fold(&self, fold: &Fold, scores: Matrix) -> Fold {
        let priors = fold.train.classes().shares();
        let n = fold.train.n();
        let all: Vec<usize> = (0..n + fold.held_out.rows()).collect();
        let psi = psi(posteriors(scores, self.posterior.is_raw()), &priors);
        let train = self.outer_problem(&fold.train, psi.select_rows(&all[..n]), &priors);
        let held_out = psi.select_rows(&all[n..]);
        let footprint = self.outer.footprint(train.n());
        Fold {
            train_base: footprint
                .train_base
                .then(|| symmetric_base(Family::Linear, &train.x)),
            held_out_base: footprint
                .held_out_base
                .then(|| Pairs::new(Family::Linear.base(), train.x.clone()).all(&held_out, |_| ())),
            train,
            held_out,
            held_out_classes: fold.held_out_classes.clone(),
            held_out_weights: fold.held_out_weights.clone(),
        }
    }

    /// A fold whose held-out rows are its training rows, then its held-out rows: the estimate of
    /// the posteriors is asked about both.
    fn with_training_rows(&self, fold: &Fold) -> Fold {
        let n = fold.train.n();
        let classes = fold.train.classes();
        let codes = classes.codes().iter().map(|&c| Some(c));
        Fold {
            train: with_own_priors(&fold.train),
            held_out: stacked(&fold.train.x, &fold.held_out),
            held_out_classes: codes.chain(fold.held_out_classes.iter().copied()).collect(),
            held_out_weights: (0..n)
                .map(|i| classes.weight(i))
                .chain(fold.held_out_weights.iter().copied())
                .collect(),
            train_base: fold.train_base.clone(),
            held_out_base: match (&fold.train_base, &fold.held_out_base) {
                (Some(a), Some(b)) => Some(stacked(a, b)),
                _ => None,
            },
        }
    }
}

/// The problem with the shares of its rows as priors: the posteriors are those of the training
/// rows, and other priors are applied at the end.
fn with_own_priors(problem: &Problem) -> Problem {
    Problem {
        priors: problem.classes().shares(),
        ..problem.clone()
    }
}

fn stacked(a: &Matrix, b: &Matrix) -> Matrix {
    let values = a.as_slice().iter().chain(b.as_slice()).copied().collect();
    Matrix::from_vec(values, a.rows() + b.rows(), a.cols())
}

impl<M: WithPosterior> Method for Discriminant<M> {
    type Setting = DiscriminantSetting<M::Setting>;

    const ABOUT: About = M::ABOUT;

    fn from_given(given: &Params) -> Result<Self> {
        let method = Self::try_from(given.clone())?;
        method.check()?;
        Ok(method)
    }

    fn check(&self) -> Result<()> {
        self.outer.check()?;
        self.posterior.check()
    }

    fn adapt(&mut self, n_classes: usize) -> Vec<Notice> {
        self.outer.adapt(n_classes)
    }

    fn family(&self) -> Family {
        self.posterior.family()
    }

    fn footprint(&self, n: usize) -> Footprint {
        let (inner, outer) = (self.posterior.footprint(n), self.outer.footprint(n));
        // The base values among the training rows appear in both halves of this fold. The outer
        // method has its own Gram matrix.
        let doubled = if inner.held_out_base { 2 } else { 0 };
        Footprint {
            train_base: inner.train_base || inner.held_out_base,
            held_out_base: inner.held_out_base,
            copies: inner.copies + doubled + outer.copies + usize::from(outer.train_base),
            cache: inner.cache + outer.cache,
            landmarks: 0,
        }
    }

    fn tuning_rows(&self, n: usize) -> Option<usize> {
        self.outer.tuning_rows(n)
    }

    fn ranking(&self) -> Ranking {
        self.outer.ranking()
    }

    fn races(&self) -> bool {
        self.posterior.races() || self.outer.races()
    }

    /// Every setting of the posteriors with every setting of the outer method.
    fn grid(&self, problem: &Problem, protocol: &Protocol) -> Result<Grid<Self::Setting>> {
        // The grid of the outer method is made with the best possible posteriors: the classes
        // themselves.
        let priors = problem.classes().shares();
        let codes = problem.labels.codes();
        let certain = Matrix::from_fn(problem.n(), priors.len(), |i, k| f64::from(codes[i] == k));
        let seen = self.outer_problem(problem, psi(certain, &priors), &priors);
        let outer = self.outer.grid(&seen, protocol)?;
        let mut inner = self.posterior.grid(problem, protocol)?;
        if self.posterior.is_regression() && !self.outer.is_closed_form() {
            // An outer method that works with n x n matrices cannot afford all penalties.
            for arm in &mut inner {
                *arm = arm.iter().step_by(OUTER_STEP).copied().collect();
            }
        }
        Ok(inner.iter().map(|arm| product(arm, &outer)).collect())
    }

    fn widen(
        &self,
        tried: &[Self::Setting],
        chosen: &Self::Setting,
        n_classes: usize,
    ) -> Grid<Self::Setting> {
        let with = |posterior: &PosteriorSetting| -> Vec<M::Setting> {
            let same = tried.iter().filter(|s| s.posterior == *posterior);
            same.map(|s| s.outer.clone()).collect()
        };
        let inner: Vec<PosteriorSetting> = tried.iter().map(|s| s.posterior).collect();
        let more = self.posterior.widen(&inner, &chosen.posterior, n_classes);
        let outer = [with(&tried[0].posterior)];
        let mut arms: Grid<Self::Setting> = more.iter().map(|arm| product(arm, &outer)).collect();
        // Then the outer method's own grid, with these posteriors.
        let own = with(&chosen.posterior);
        let wider = self.outer.widen(&own, &chosen.outer, n_classes);
        let here = std::slice::from_ref(&chosen.posterior);
        arms.extend(wider.into_iter().map(|arm| product(here, &[arm])));
        arms
    }

    fn held_out(&self, fold: &Fold, arm: &[Self::Setting]) -> Result<Vec<Option<HeldOut>>> {
        // Runs of settings share the same posteriors, which are estimated once.
        let runs: Vec<&[Self::Setting]> = arm.chunk_by(|a, b| a.posterior == b.posterior).collect();
        let settings: Vec<PosteriorSetting> = runs.iter().map(|r| r[0].posterior).collect();
        let asked = self.with_training_rows(fold);
        let estimated = self.posterior.held_out(&asked, &settings)?;
        let mut results = Vec::with_capacity(arm.len());
        for (run, estimate) in runs.into_iter().zip(estimated) {
            let Some(estimate) = estimate else {
                results.extend(vec![None; run.len()]);
                continue;
            };
            let outer = self.outer_fold(fold, estimate.scores);
            let run: Vec<M::Setting> = run.iter().map(|s| s.outer.clone()).collect();
            for answer in self.outer.held_out(&outer, &run)? {
                results.push(answer.map(|h| HeldOut {
                    scores: h.scores,
                    weights: estimate.weights.clone(),
                }));
            }
        }
        Ok(results)
    }

    fn streams(&self) -> bool {
        self.posterior.streams() && self.outer.streams_features()
    }

    fn fit_by_passes(
        &self,
        some: &Problem,
        setting: &Self::Setting,
        rows: &mut dyn Passes,
    ) -> Result<Fit> {
        let own = with_own_priors(some);
        let estimate = self
            .posterior
            .fit_by_passes(&own, &setting.posterior, rows)?;
        let seen = |kernel: &DiscriminantKernel| -> Option<Columns> {
            let (coef, offset) = estimate_of_regression(&kernel.expansion)?;
            let Decision::Simplex { kind, .. } = kernel.decision else {
                return None;
            };
            Some(Columns::Posteriors {
                coef,
                offset,
                kind,
                shares: kernel.priors.clone(),
            })
        };
        self.finish(some, estimate.clone(), |kernel, outer| {
            let columns = seen(kernel).ok_or_else(|| {
                Error::Data("these posteriors cannot be computed row by row elsewhere".into())
            })?;
            let mut mapped = Mapped { rows, columns };
            self.outer.fit_by_passes(outer, &setting.outer, &mut mapped)
        })
    }

    fn fit(&self, problem: &Problem, setting: &Self::Setting) -> Result<Fit> {
        let own = with_own_priors(problem);
        let estimate = self.posterior.fit(&own, &setting.posterior)?;
        self.finish(problem, estimate, |_, outer| {
            self.outer.fit(outer, &setting.outer)
        })
    }
}

/// Rows whose features are those of a discriminant kernel.
struct Mapped<'a> {
    rows: &'a mut dyn Passes,
    columns: Columns,
}

impl Passes for Mapped<'_> {
    fn rows(&self) -> u64 {
        self.rows.rows()
    }

    fn run(&mut self, task: &Task) -> Result<Part> {
        if task.columns != Columns::Features {
            return Err(Error::Data(
                "kernels of a discriminant kernel cannot be summed over rows".into(),
            ));
        }
        self.rows.run(&Task {
            columns: self.columns.clone(),
            collect: task.collect.clone(),
        })
    }
}

/// Coefficients (outputs x features) and offsets of an expansion that is linear in the features.
fn estimate_of_regression(expansion: &KernelExpansion) -> Option<(Matrix, Vec<f64>)> {
    let Output::Linear { coef, offset } = &expansion.output else {
        return None;
    };
    if expansion.kernel != Kernel::Linear {
        return None;
    }
    // Support rows have the features of nonzero weight only, already weighted by 1.
    let used = nonzero(&expansion.feature_weights);
    let own = matmul(coef.view().t(), expansion.support.view());
    let mut all = Matrix::zeros(own.rows(), expansion.feature_weights.len());
    for (k, &j) in used.iter().enumerate() {
        (0..own.rows()).for_each(|i| all[(i, j)] = own[(i, k)]);
    }
    Some((all, offset.clone()))
}

impl<M: WithPosterior> Discriminant<M> {
    /// The fit with an estimate of the posteriors, where the outer one is made so.
    fn finish(
        &self,
        problem: &Problem,
        estimate: Fit,
        outer_fit: impl FnOnce(&DiscriminantKernel, &Problem) -> Result<Fit>,
    ) -> Result<Fit> {
        let kernel = DiscriminantKernel {
            expansion: estimate.expansion,
            decision: estimate.decision,
            priors: problem.classes().shares(),
        };
        let outer = self.outer_problem(problem, kernel.features(&problem.x), &kernel.priors);
        let fit = outer_fit(&kernel, &outer)?;
        let mut report = fit.report;
        // The model carries the rows of both.
        let mut there = vec![false; problem.n()];
        report
            .retained_rows
            .iter()
            .for_each(|&row| there[row] = true);
        let others = estimate.report.retained_rows.into_iter();
        report
            .retained_rows
            .extend(others.filter(|&row| !there[row]));
        if self.outer.is_closed_form() {
            // Only the posteriors are solved step by step.
            report.objective = estimate.report.objective;
            report.residual = estimate.report.residual;
        }
        report.iterations += estimate.report.iterations;
        report.converged &= estimate.report.converged;
        report.regressions = estimate.report.regressions;
        if report.path.is_empty() {
            report.path = estimate.report.path;
        }
        Ok(Fit {
            discriminant: Some(kernel),
            certificate: match self.posterior.is_regression() {
                true => Certificate::Regressions,
                false => fit.certificate,
            },
            report,
            ..fit
        })
    }
}

/// Every setting of the posteriors with every arm of the outer method.
fn product<S: Setting>(
    inner: &[PosteriorSetting],
    outer: &[Vec<S>],
) -> Vec<DiscriminantSetting<S>> {
    let with = |posterior: PosteriorSetting, outer: &S| DiscriminantSetting {
        outer: outer.clone(),
        posterior,
    };
    let pairs = inner
        .iter()
        .flat_map(|&p| outer.iter().flatten().map(move |s| with(p, s)));
    pairs.collect()
}
