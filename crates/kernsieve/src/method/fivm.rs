//! The feature import vector machine (Ghosh & Wang, sections 4 to 6): kernel logistic regression on
//! the few features that matter, imported one at a time; any number of classes.
//!
//! `feature_import` is Algorithm 1: of all features the one with which [`super::klr`] reaches the
//! least `H` enters, again and again. `H` ranks candidates of one step and says nothing across
//! steps (section 4.3), so when to stop is a question of its own:
//!
//! - `StopRule::Cv` (default): the number of features is tuned with bandwidth and ridge. Every fold
//!   walks its own path, selection included. A fold's path ends `patience` imports after the log
//!   loss of its held-out rows was least.
//! - `StopRule::Accuracy`: the paper's. With `p_k` the training accuracy after `k` imports, stop
//!   when `|p_k - p_{k - lag}| / p_k < tol` for `patience` imports in a row (the paper: one), which
//!   are taken back.
//! - `StopRule::None`: `max_features` imports.
//!
//! `max_features` bounds all three. With `max_support` the model of the imported features is
//! carried by few samples ([`crate::solver::import_vectors`]), so it is sparse both ways.
//!
//! Complexity of one import: `p n^2 / 2` kernel values and `4 p n^2` flops for the bounds that rule
//! most candidates out; `2 n^2` flops a conjugate gradient step for the others.
//!
//! [Ghosh & Wang] "Feature import vector machine: a general classifier with flexible feature
//! selection", SADM 8 (2015).

use super::feature_import::{Followers, Ground, Import, Walk};
use super::klr::{by_row, carry, logits, ridges};
use super::{
    Arm, Candidate, CvEntry, Fit, FitReport, Fold, Footprint, HeldOut, Method, Options, PathStep,
    Problem, Ranking, Refinement, Rule, StopRule, require_candidates,
};
use crate::decision::softmax_in_place;
use crate::error::Result;
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, gram};
use crate::linalg::{Matrix, matmul};
use crate::solver::logistic::{Likelihood, Stop};
use std::cmp::Ordering;

/// Bandwidths that are tried: the features are standardised and the kernel sees few of them. Smooth
/// ones first.
const BANDWIDTHS: [f64; 4] = [4.0, 2.0, 1.0, 0.5];
/// Exponents of 2 of the ridges that are tried, large ones first.
const RIDGE_EXPONENTS: [i32; 4] = [-1, -4, -7, -9];
/// Longest path when `max_features` does not say.
const LONGEST: usize = 30;
/// Imports without a better held-out log loss after which a fold's path ends, and by which the path
/// of the model is longer than chosen.
const PATIENCE: usize = 5;

/// The feature import vector machine.
#[derive(Clone, Debug)]
pub struct Fivm {
    options: Options,
}

impl Fivm {
    /// Takes over the options.
    pub fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
        }
    }

    fn longest(&self, n_features: usize) -> usize {
        let most = match self.options.stop {
            StopRule::None => n_features,
            _ => LONGEST,
        };
        self.options.max_features.unwrap_or(most).min(n_features)
    }

    fn patience(&self) -> usize {
        self.options.patience.unwrap_or(match self.options.stop {
            StopRule::Accuracy => 1,
            _ => PATIENCE,
        })
    }

    /// How many of these imports stay, if the rule of section 4.3 ends the path here.
    fn stopped(&self, path: &[Import]) -> Option<usize> {
        if self.options.stop != StopRule::Accuracy {
            return None;
        }
        let (k, lag, patience) = (path.len(), self.options.lag, self.patience());
        let accuracy = |k: usize| 1.0 - path[k - 1].train_error;
        let still = |k: usize| {
            k > lag && (accuracy(k) - accuracy(k - lag)).abs() < self.options.tol * accuracy(k)
        };
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
        if self.options.max_support.is_some() {
            let few = carry(
                &walk.gram(),
                ground.likelihood,
                ridge,
                None,
                self.options.max_support,
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

    /// One path in one fold, and what it says of the held-out rows at each size of the arm.
    fn follow(
        &self,
        fold: &Fold,
        ground: &Ground<'_>,
        arm: &Arm,
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
            if self.options.stop == StopRule::Cv && self.is_past_its_best(&losses) {
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
    fn name(&self) -> &'static str {
        "fivm"
    }

    fn family(&self) -> Family {
        self.options.kernel
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

    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>> {
        // One dimension, whatever the number of features: the same kernel serves sets of all sizes.
        let kernels: Vec<Kernel> = match self.options.fixed_kernels(1)? {
            Some(kernels) => kernels,
            None => BANDWIDTHS
                .iter()
                .map(|&b| self.options.kernel_with(b, 1))
                .collect::<Result<_>>()?,
        };
        let sizes: Vec<Option<usize>> = match self.options.stop {
            StopRule::Cv => (1..=self.longest(problem.n_active())).map(Some).collect(),
            _ => vec![None],
        };
        let mut arms: Vec<Arm> = Vec::new();
        for kernel in kernels {
            for &ridge in &ridges(&self.options, &RIDGE_EXPONENTS) {
                let candidate = |&n_features: &Option<usize>| Candidate {
                    n_features,
                    ..Candidate::new(kernel).ridge(ridge)
                };
                arms.push(sizes.iter().map(candidate).collect());
            }
        }
        require_candidates(&arms)?;
        Ok(arms)
    }

    /// Fewer features first.
    fn compare(&self, a: &Candidate, b: &Candidate) -> Ordering {
        a.n_features.cmp(&b.n_features)
    }

    /// Features that most folds do not confirm are not imported: the number of features is cut to
    /// those before the first of them, and settings are chosen anew among so few, until all are
    /// confirmed.
    fn refine(&self, problem: &Problem, grid: &[CvEntry], chosen: usize) -> Result<Refinement> {
        if !self.options.vote || self.options.rule != Rule::Min || self.options.stop != StopRule::Cv
        {
            return Ok(Refinement::Keep);
        }
        let likelihood = Likelihood::new(&problem.classes());
        let bound = grid[chosen].criterion() + grid[chosen].criterion_error();
        let mut now = chosen;
        loop {
            let (candidate, size) = (
                &grid[now].candidate,
                grid[now].candidate.n_features.unwrap_or(1),
            );
            let ground = Ground::new(problem, candidate.kernel, &likelihood);
            let mut walk = Walk::new(&ground, candidate.ridge.unwrap_or(f64::NAN))?;
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
                    .candidate
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

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let likelihood = Likelihood::new(&fold.train.classes());
        let ground = Ground::new(&fold.train, first.kernel, &likelihood);
        match self.follow(fold, &ground, arm, first.ridge.unwrap_or(f64::NAN)) {
            Err(crate::error::Error::NoConvergence(_)) => Ok(vec![None; arm.len()]),
            other => other,
        }
    }

    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit> {
        let likelihood = Likelihood::new(&problem.classes());
        let ground = Ground::new(problem, candidate.kernel, &likelihood);
        let ridge = candidate.ridge.unwrap_or(f64::NAN);
        let mut walk = Walk::new(&ground, ridge)?;
        let longest = self.longest(ground.n_features());
        // The path goes on for a while after the chosen size, so that one can see what was left
        // out.
        let end = candidate
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
        let chosen = candidate.n_features.filter(|k| *k <= path.len());
        let size = chosen.or(kept).unwrap_or(path.len());
        let features: Vec<usize> = path[..size].iter().map(|i| i.feature).collect();
        let k = gram(&candidate.kernel, &problem.x.select_columns(&features));
        let start = size.checked_sub(1).and_then(|last| models.get(last));
        let carried = carry(
            &k,
            &likelihood,
            ridge,
            start,
            self.options.max_support,
            Stop::EXACT,
        )?;
        let q = carried.coef.cols();
        let weights = indicator(&features, problem.x.cols());
        let rows = problem.x.select_rows(&carried.rows);
        let steps: Vec<PathStep> = path
            .iter()
            .enumerate()
            .map(|(i, import)| PathStep {
                feature: Some(import.feature),
                runner_up: import.runner_up,
                train_error: Some(import.train_error),
                ..PathStep::new(i + 1, import.objective)
            })
            .collect();
        let output = Output::Linear {
            coef: carried.coef,
            offset: vec![0.0; q],
        };
        Ok(Fit {
            discriminant: None,
            expansion: KernelExpansion::new(candidate.kernel, weights, &rows, output),
            decision: logits(problem),
            report: FitReport {
                iterations: steps.len(),
                path: steps,
                imported: features,
                ..carried.report
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, Schema, simulate};
    use crate::method::{MethodKind, klr::Klr};
    use crate::testing::{problem, random};
    use crate::tuning::{Control, Trained, train};

    fn import(train_error: f64) -> Import {
        Import {
            feature: 0,
            objective: 0.0,
            train_error,
            runner_up: None,
        }
    }

    fn trained(data: &Dataset, options: &Options) -> Trained {
        let schema = Schema::numeric(data.feature_names());
        train(
            MethodKind::Fivm,
            options,
            data,
            &schema,
            true,
            &Control::new(),
        )
        .expect("trains")
    }

    #[test]
    fn the_rule_of_the_paper_takes_the_last_import_back() {
        let rule = |tol: f64, lag: usize, patience: Option<usize>, errors: &[f64]| {
            let fivm = Fivm::new(&Options {
                stop: StopRule::Accuracy,
                tol,
                lag,
                patience,
                ..Options::default()
            });
            let mut path = vec![];
            for e in errors {
                path.push(import(*e));
                if let Some(kept) = fivm.stopped(&path) {
                    return Some(kept);
                }
            }
            None
        };
        // Accuracies .7 .8 .8 .9 .9 .9: the first standstill is at the third import.
        let errors = [0.3, 0.2, 0.2, 0.1, 0.1, 0.1];
        assert_eq!(rule(1e-3, 1, None, &errors), Some(2));
        assert_eq!(rule(1e-3, 1, Some(2), &errors), Some(4));
        // Over two imports: .8 -> .9 is a change, .9 -> .9 is none.
        assert_eq!(rule(1e-3, 2, None, &errors), Some(5));
        // A large epsilon leaves one feature, as section 5.1 says.
        assert_eq!(rule(0.5, 1, None, &errors), Some(1));
        assert_eq!(rule(0.0, 1, None, &errors), None);
        // A fall of the accuracy by more than epsilon is a change too.
        assert_eq!(rule(1e-3, 1, None, &[0.2, 0.3, 0.2]), None);
    }

    #[test]
    fn all_features_are_kernel_logistic_regression() {
        for classes in [2, 4] {
            let p = problem(40, 4, classes, 3);
            let candidate = Candidate::new(Kernel::Gaussian { bandwidth: 1.7 }).ridge(0.02);
            let options = Options {
                stop: StopRule::None,
                ..Options::default()
            };
            let all = Fivm::new(&options).fit(&p, &candidate).expect("fits");
            let klr = Klr::new(&options).fit(&p, &candidate).expect("fits");
            assert_eq!(all.report.imported.len(), 4);
            let new = random(30, 4, 9);
            let (a, b) = (all.expansion.evaluate(&new), klr.expansion.evaluate(&new));
            for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
                assert!((u - v).abs() < 1e-9, "{u} {v}");
            }
            let (a, b) = (
                all.report.objective.expect("one"),
                klr.report.objective.expect("one"),
            );
            assert!((a - b).abs() < 1e-12);
            assert!((a - all.report.path[3].objective).abs() < 1e-12);
        }
    }

    #[test]
    fn two_informative_features_are_found_among_ten() {
        let mut exact = 0;
        for draw in 0..8 {
            let t = trained(&simulate::mixture(draw, 1, 100, 8), &Options::default());
            let report = &t.model.record.report;
            let mut kept = report.imported.clone();
            kept.sort_unstable();
            exact += usize::from(kept == [0, 1]);
            assert!(kept.starts_with(&[0, 1]), "{draw}: {kept:?}");
            assert!(
                report.path.len() > kept.len(),
                "the path goes on after the choice"
            );
        }
        assert!(exact >= 7, "{exact} of 8");
    }

    #[test]
    fn a_path_is_cut_by_max_features() {
        let data = simulate::mixture(1, 1, 40, 6);
        let options = Options {
            bandwidths: vec![1.0],
            ridge: Some(0.05),
            stop: StopRule::None,
            ..Options::default()
        };
        let whole = trained(&data, &options).model.record.report;
        assert_eq!(whole.imported.len(), 8);
        for k in [1, 3] {
            let cut = trained(
                &data,
                &Options {
                    max_features: Some(k),
                    ..options.clone()
                },
            );
            assert_eq!(cut.model.record.report.imported, whole.imported[..k]);
            assert_eq!(cut.model.record.report.path, whole.path[..k]);
        }
    }

    #[test]
    fn few_features_and_few_samples_at_once() {
        let (data, test) = (
            simulate::mixture(4, 1, 100, 8),
            simulate::mixture(4, 2, 500, 8),
        );
        let options = Options {
            max_support: Some(25),
            max_features: Some(3),
            bandwidths: vec![0.5],
            ridge: Some(2f64.powi(-9)),
            ..Options::default()
        };
        let sparse = trained(&data, &options);
        let dense = trained(
            &data,
            &Options {
                max_support: None,
                ..options
            },
        );
        assert!(sparse.model.record.report.retained_rows.len() <= 25);
        assert_eq!(
            sparse.model.expansion.support.rows(),
            sparse.model.record.report.retained_rows.len()
        );
        let error = |t: &Trained| {
            let p = t.model.predict(test.x()).posterior;
            let wrong = p.iter_rows().zip(test.labels().codes());
            wrong
                .filter(|(p, c)| crate::decision::argmax(p) != **c)
                .count() as f64
                / 1000.0
        };
        assert!(
            error(&sparse) < error(&dense) + 0.03,
            "{} {}",
            error(&sparse),
            error(&dense)
        );
    }
}
