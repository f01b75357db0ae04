//! The feature import vector machine (Ghosh & Wang, sections 4 to 6): kernel logistic regression on
//! the few features that matter, imported one at a time; any number of classes.
//!
//! `import` is Algorithm 1: at each step the feature with which [`super::klr`] reaches the least
//! `H` enters. `H` ranks the candidates of one step and cannot be compared across steps (section
//! 4.3), so stopping needs a rule of its own:
//!
//! - [`Stopping::Cv`] (default): the number of features is tuned with bandwidth and ridge. Every
//!   fold walks its own path, selection included. A fold's path ends `patience` imports after the
//!   log loss of its held-out rows was least.
//! - [`Stopping::Accuracy`]: the paper's rule. With `p_k` the training accuracy after `k` imports,
//!   stop when `|p_k - p_{k - lag}| / p_k < tol` for `patience` imports in a row (the paper: one),
//!   which are taken back.
//! - [`Stopping::None`]: `max_features` imports.
//!
//! Features that say the same (`associated`): an import stands for all that correlate with it by so
//! much, which then are no candidates any more. Folds vote on such groups: one that imported another
//! member confirms it, too.
//!
//! `max_features` bounds all three. With `max_support` the model of the imported features is
//! carried by few samples ([`crate::solver::import_vectors`]), so it is sparse both ways.
//!
//! Complexity of one import: `p n^2 / 2` kernel values and `4 p n^2` flops for the bounds that rule
//! most candidates out; `2 n^2` flops per conjugate gradient step for the others.
//!
//! [Ghosh & Wang] "Feature import vector machine: a general classifier with flexible feature
//! selection", SADM 8 (2015).

mod import;
mod params;
#[cfg(test)]
mod tests;

pub use params::{Fivm, FivmSetting, Stopping};

use super::klr::{by_row, carry, logits, require_definite, ridges};
use super::{
    About, Candidacy, CvEntry, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Outputs,
    PathStep, Problem, Ranking, Refinement, Sparse, some,
};
use crate::decision::softmax_in_place;
use crate::error::Result;
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, gram};
use crate::linalg::{Matrix, matmul};
use crate::params::{Protocol, Rule};
use crate::solver::logistic::{Likelihood, Stop};
use import::{Followers, Ground, Import, Walk};
use params::PARAMS;

/// Bandwidths to try, smooth ones first. The features are standardised and the kernel sees few of
/// them.
const WIDTHS: [f64; 4] = [4.0, 2.0, 1.0, 0.5];
/// Exponents of 2 of the ridges to try, large ones first.
const RIDGE_EXPONENTS: [i32; 4] = [-1, -4, -7, -9];
/// Longest path if `max_features` is not given.
const LONGEST: usize = 30;
/// Imports without a better held-out log loss after which a fold's path ends. The path of the model
/// goes this far beyond the chosen size.
const PATIENCE: usize = 5;

impl Fivm {
    fn ground<'a>(
        &self,
        problem: &Problem,
        kernel: Kernel,
        likelihood: &'a Likelihood,
    ) -> Ground<'a> {
        Ground::new(problem, kernel, likelihood).associated(self.associated)
    }

    fn longest(&self, n_features: usize) -> usize {
        let most = match self.stop {
            Stopping::None => n_features,
            _ => LONGEST,
        };
        self.max_features.unwrap_or(most).min(n_features)
    }

    fn patience(&self) -> usize {
        match self.stop {
            Stopping::Cv { patience, .. } => patience.unwrap_or(PATIENCE),
            Stopping::Accuracy { patience, .. } => patience.unwrap_or(1),
            Stopping::None => PATIENCE,
        }
    }

    /// How many of these imports are kept, if the rule of section 4.3 ends the path here.
    fn stopped(&self, path: &[Import]) -> Option<usize> {
        let Stopping::Accuracy { tol, lag, .. } = self.stop else {
            return None;
        };
        let (k, patience) = (path.len(), self.patience());
        let accuracy = |k: usize| 1.0 - path[k - 1].train_error;
        let still =
            |k: usize| k > lag && (accuracy(k) - accuracy(k - lag)).abs() < tol * accuracy(k);
        (k > patience && (k - patience + 1..=k).all(still)).then(|| k - patience)
    }

    /// Outputs of held-out rows for the model as it stands.
    fn outputs(
        &self,
        walk: &Walk<'_>,
        followers: &Followers<'_>,
        ground: &Ground<'_>,
        ridge: f64,
    ) -> Result<Matrix> {
        let values = followers.kernel_values(&ground.kernel);
        if self.max_support.is_some() {
            let few = carry(
                &walk.gram(),
                ground.likelihood,
                ridge,
                None,
                self.max_support,
                Stop::FOLD,
            )?;
            return Ok(matmul(
                values.select_columns(&few.rows).view(),
                few.coef.view(),
            ));
        }
        Ok(matmul(
            values.view(),
            by_row(&walk.model.coef, values.cols()).view(),
        ))
    }

    /// One path in one fold, and its scores of the held-out rows at each size of the arm.
    fn follow(
        &self,
        fold: &Fold,
        ground: &Ground<'_>,
        arm: &[FivmSetting],
        ridge: f64,
    ) -> Result<Vec<Option<HeldOut>>> {
        let decision = logits(&fold.train);
        let mut walk = Walk::new(ground, ridge)?;
        let mut followers = Followers::new(fold);
        let (mut path, mut at_size): (Vec<Import>, Vec<HeldOut>) = (vec![], vec![]);
        let mut losses = vec![];
        let longest = self.longest(ground.n_features());
        let mut kept = None;
        while path.len() < longest && kept.is_none() {
            let Some(import) = walk.import(false)? else {
                break;
            };
            followers.import(import.feature, ground.kernel.family().base());
            path.push(import);
            let scores = decision.scores(&self.outputs(&walk, &followers, ground, ridge)?);
            losses.push(log_loss(&scores, fold));
            at_size.push(HeldOut {
                scores,
                weights: Some(indicator(&walk.features(), fold.train.x.cols())),
            });
            kept = self.stopped(&path);
            if matches!(self.stop, Stopping::Cv { .. }) && self.is_past_its_best(&losses) {
                break;
            }
        }
        let kept = kept.unwrap_or(at_size.len());
        Ok(arm
            .iter()
            .map(|c| {
                at_size
                    .get(c.n_features.unwrap_or(kept).wrapping_sub(1))
                    .cloned()
            })
            .collect())
    }

    /// Whether the last `patience` imports have not lowered the log loss of the held-out rows.
    fn is_past_its_best(&self, losses: &[f64]) -> bool {
        let best = (0..losses.len()).fold(0, |b, i| if losses[i] < losses[b] { i } else { b });
        losses.len() - 1 - best >= self.patience()
    }
}

/// `-log p` of the classes that the fold knows, summed over the held-out rows.
fn log_loss(scores: &Matrix, fold: &Fold) -> f64 {
    let rows = scores
        .iter_rows()
        .zip(&fold.held_out_classes)
        .zip(&fold.held_out_weights);
    let one = |((row, truth), weight): ((&[f64], &Option<usize>), &f64)| {
        let Some(c) = *truth else { return 0.0 };
        let mut p = row.to_vec();
        softmax_in_place(&mut p);
        -weight * p[c].max(1e-300).ln()
    };
    rows.map(one).sum()
}

/// 1 for features in the set, else 0.
fn indicator(features: &[usize], p: usize) -> Vec<f64> {
    let mut weights = vec![0.0; p];
    features.iter().for_each(|&j| weights[j] = 1.0);
    weights
}

impl Method for Fivm {
    type Setting = FivmSetting;

    const ABOUT: About = About {
        name: "fivm",
        class: "FIVM",
        title: "kernel logistic regression on features imported one at a time",
        plain: "logistic regression on imported features (FIVM)",
        summary: "Kernel logistic regression on the few features that matter, imported one at a \
                  time.",
        paper: "Ghosh & Wang 2015",
        tuned: "bandwidth, ridge, features",
        decides: "softmax",
        sparse: Sparse::Features,
        outputs: Outputs::Logits,
        params: PARAMS,
        auto: Candidacy::Asked,
        seconds: |n, p, c| 1.25e-6 * n * n * p * c,
        slow_for_many_classes: true,
        ..About::BLANK
    };

    fn check(&self) -> Result<()> {
        require_definite(&self.kernel)
    }

    /// Tuning walks hundreds of paths.
    fn tuning_rows(&self, _n: usize) -> Option<usize> {
        let open = self.ridges.len() != 1 || self.kernel.bandwidths().len() != 1;
        open.then_some(1500)
    }

    fn still_open(&self) -> Option<&'static str> {
        matches!(self.stop, Stopping::Cv { .. })
            .then_some("the number of features is left to choose (`stop=none` fixes it)")
    }

    fn family(&self) -> Family {
        self.kernel.family()
    }

    fn footprint(&self, _n: usize) -> Footprint {
        // Base values of the path and of the held-out rows, and a Gram matrix for each thread.
        Footprint {
            copies: 4,
            ..Footprint::NONE
        }
    }

    fn ranking(&self) -> Ranking {
        Ranking::TemperedLogLoss
    }

    fn races(&self) -> bool {
        true
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<FivmSetting>> {
        // One dimension, whatever the number of features: the same kernel serves sets of all sizes.
        let kernels: Vec<Kernel> = match self.kernel.fixed(1)? {
            Some(kernels) => kernels,
            None => WIDTHS
                .iter()
                .map(|&b| self.kernel.with(b, 1))
                .collect::<Result<_>>()?,
        };
        let sizes: Vec<Option<usize>> = match self.stop {
            Stopping::Cv { .. } => (1..=self.longest(problem.n_active())).map(Some).collect(),
            _ => vec![None],
        };
        let mut arms = Vec::new();
        for kernel in kernels {
            for &ridge in &ridges(&self.ridges, &RIDGE_EXPONENTS) {
                let setting = |&n_features: &Option<usize>| FivmSetting {
                    kernel,
                    ridge,
                    n_features,
                };
                arms.push(sizes.iter().map(setting).collect());
            }
        }
        some(arms)
    }

    /// Features that most folds do not confirm are not imported. The number of features is cut to
    /// those before the first unconfirmed one and settings are chosen again with that limit, until
    /// all features are confirmed.
    fn refine(
        &self,
        problem: &Problem,
        protocol: &Protocol,
        grid: &[CvEntry<FivmSetting>],
        chosen: usize,
    ) -> Result<Refinement<FivmSetting>> {
        let votes = matches!(self.stop, Stopping::Cv { vote: true, .. });
        if !votes || protocol.rule != Rule::Min {
            return Ok(Refinement::Keep);
        }
        let likelihood = Likelihood::new(&problem.classes());
        let bound = grid[chosen].criterion() + grid[chosen].criterion_error();
        let mut now = chosen;
        loop {
            let setting = &grid[now].setting;
            let size = setting.n_features.unwrap_or(1);
            let ground = self.ground(problem, setting.kernel, &likelihood);
            let mut walk = Walk::new(&ground, setting.ridge)?;
            let mut confirmed = 0;
            while confirmed < size {
                let Some(import) = walk.import(false)? else {
                    break;
                };
                let folds = grid[now]
                    .feature_folds
                    .get(import.feature)
                    .copied()
                    .unwrap_or(0);
                if 2 * folds < grid[now].fold_errors.len() {
                    break;
                }
                confirmed += 1;
            }
            if confirmed >= size || size == 1 {
                break;
            }
            let small = |i: &usize| {
                grid[*i]
                    .setting
                    .n_features
                    .is_some_and(|k| k <= confirmed.max(1))
            };
            let better = |a: &usize, b: &usize| {
                grid[*a]
                    .criterion()
                    .total_cmp(&grid[*b].criterion())
                    .then(a.cmp(b))
            };
            match (0..grid.len()).filter(small).min_by(better) {
                Some(next) if grid[next].criterion() <= bound => now = next,
                _ => break,
            }
        }
        Ok(if now == chosen {
            Refinement::Keep
        } else {
            Refinement::Entry(now)
        })
    }

    fn held_out(&self, fold: &Fold, arm: &[FivmSetting]) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let likelihood = Likelihood::new(&fold.train.classes());
        let ground = self.ground(&fold.train, first.kernel, &likelihood);
        match self.follow(fold, &ground, arm, first.ridge) {
            Err(crate::error::Error::NoConvergence(_)) => Ok(vec![None; arm.len()]),
            other => other,
        }
    }

    fn fit(&self, problem: &Problem, setting: &FivmSetting) -> Result<Fit> {
        let likelihood = Likelihood::new(&problem.classes());
        let ground = self.ground(problem, setting.kernel, &likelihood);
        let ridge = setting.ridge;
        let mut walk = Walk::new(&ground, ridge)?;
        let longest = self.longest(ground.n_features());
        // The path goes on for a while after the chosen size, to show what was left out.
        let end = setting
            .n_features
            .map_or(longest, |k| (k + self.patience()).min(longest));
        let (mut path, mut models, mut kept): (Vec<Import>, _, Option<usize>) =
            (vec![], vec![], None);
        while path.len() < end && kept.is_none() {
            let Some(import) = walk.import(true)? else {
                break;
            };
            path.push(import);
            models.push(walk.model.clone());
            kept = self.stopped(&path);
        }
        let chosen = setting.n_features.filter(|k| *k <= path.len());
        let size = chosen.or(kept).unwrap_or(path.len());
        let features: Vec<usize> = path[..size].iter().map(|i| i.feature).collect();
        let k = gram(&setting.kernel, &problem.x.select_columns(&features));
        let start = size.checked_sub(1).and_then(|last| models.get(last));
        let carried = carry(&k, &likelihood, ridge, start, self.max_support, Stop::EXACT)?;
        let q = carried.coef.cols();
        let weights = indicator(&features, problem.x.cols());
        let rows = problem.x.select_rows(&carried.rows);
        let steps: Vec<PathStep> = path
            .iter()
            .enumerate()
            .map(|(i, import)| PathStep {
                feature: Some(import.feature),
                runner_up: import.runner_up,
                associated: import.associated.clone(),
                train_error: Some(import.train_error),
                ..PathStep::new(i + 1, import.objective)
            })
            .collect();
        let output = Output::Linear {
            coef: carried.coef,
            offset: vec![0.0; q],
        };
        Ok(Fit::new(
            KernelExpansion::new(setting.kernel, weights, &rows, output),
            logits(problem),
            FitReport {
                iterations: steps.len(),
                path: steps,
                imported: features,
                ..carried.report
            },
        ))
    }
}
