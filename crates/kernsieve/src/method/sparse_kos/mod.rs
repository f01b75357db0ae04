//! Sparse kernel optimal scoring: feature weights inside the kernel, the useless ones exactly zero
//! (Lapanowski & Gaynanova, section 4; two classes as published, any number by orthogonal scores
//! and one shared weight vector).
//!
//! ```text
//! min_{w, alpha} (1/n) |Y theta - M_w alpha|^2 + gamma alpha'(M_w + jitter I) alpha
//!                + lambda |w|_1,   |w_j| <= 1                                   (eq. 12, 13)
//! ```
//! with `M_w = C K_w C` and `K_w` the kernel of the weighted features. The path goes from small to
//! large penalties, starting at `w = 1`, with warm starts, in every fold and in the final fit;
//! [`crate::solver::sparse_weights`] says how one is solved. The coefficients returned are those of
//! the final weights (eq. 5). Decision as in [`super::kos`].
//!
//! Tuning (section 5): bandwidths from quantiles of the distances between classes, ridge by a rule
//! at `w = 1`, 20 penalties up to `lambda_max = 2 max |beta|`, jointly by cross-validation; ties go
//! to the larger penalty, then to the smaller quantile. Departures from the paper, each with an
//! option to undo it: penalties evenly spaced in the logarithm from `lambda_max / 1000` (`spacing =
//! linear` is the paper's grid, which has one point where the useful penalties of its second
//! simulation lie); the trust region of `sparse_weights` (`weight_steps = linearised` is Algorithm
//! 1); and a vote: the model is fitted on the features that are kept at the largest penalty within
//! one standard error, and in most folds there, if the cross-validated error does not rise by more
//! than one row (`vote = false` turns it off).
//!
//! With `candidates = m` the function lives in the span of `m` landmarks and one evaluation costs
//! `n m^2` instead of `n^3`. Complexity: `2 n^3 / 3 + 2 n^2 (2 p + 1)` flops per evaluation, with a
//! few to a dozen evaluations per penalty.
//!
//! [Lapanowski & Gaynanova] "Sparse feature selection in kernel discriminant analysis via optimal
//! scoring", AISTATS 2019.

mod bound;
mod ground;
mod landmark_loss;
mod loss;
mod params;
#[cfg(test)]
mod tests;

pub use params::{Landmarks, Spacing, SparseKos, SparseKosSetting};

use super::kos::rotation;
use super::{
    About, Candidacy, Certificate, CvEntry, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method,
    Outputs, PathStep, Problem, Refinement, Sparse, some,
};
use crate::decision::argmax;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::Family;
use crate::linalg::{Matrix, matmul};
use crate::params::{Protocol, Rule};
use crate::solver::sparse_weights::{Solution, Stopping, path, solve};
use ground::{Ground, Loss, ReadOut, State};
use params::PARAMS;

/// Penalties of a path.
const PENALTIES: usize = 20;
/// The smallest penalty of a logarithmic path as a share of the largest, and of a linear one
/// (section 5.3).
const FLOOR: (f64, f64) = (1e-3, 1e-10);
/// Number of features whose weights along the path are kept in the model.
const PATH_FEATURES: usize = 100;

impl SparseKos {
    /// Fits along the path to the penalties of an arm's candidates; `None` if no start converged.
    fn held_out_arm(&self, fold: &Fold, arm: &[SparseKosSetting]) -> Result<Vec<Option<HeldOut>>> {
        let Some(last) = arm.iter().max_by(|a, b| a.sparsity.total_cmp(&b.sparsity)) else {
            return Ok(vec![]);
        };
        let ground = self.ground_of(&fold.train, last)?;
        let loss = ground.loss(self.weight_steps);
        let penalties = self.penalties(&ground, last)?;
        let held_out = fold.held_out.select_columns(&ground.features);
        let mut answers: Vec<Option<HeldOut>> = vec![None; arm.len()];
        let mut least = vec![f64::INFINITY; arm.len()];
        let p = ground.features.len();
        let mut observe = |s: &Solution<State>| {
            for (c, setting) in arm.iter().enumerate() {
                let near = (setting.sparsity - s.penalty).abs() <= 1e-9 * s.penalty.abs();
                if near && s.objective < least[c] {
                    least[c] = s.objective;
                    let read = self.read_out(&ground, &loss, s)?;
                    answers[c] = Some(HeldOut {
                        scores: read
                            .decision
                            .scores(&read.evaluate(&ground, &s.weights, &held_out)),
                        weights: Some(ground.embed(&s.weights)),
                    });
                }
            }
            Ok(true)
        };
        let steps = self.weight_steps;
        path(
            &loss,
            &penalties,
            &vec![1.0; p],
            steps,
            &Stopping::FOLD,
            &mut observe,
        )?;
        for start in self.starts(&fold.train, p) {
            for setting in arm {
                observe(&solve(
                    &loss,
                    setting.sparsity,
                    &start,
                    steps,
                    &Stopping::FOLD,
                )?)?;
            }
        }
        Ok(answers)
    }

    /// Outputs and rule of a solution.
    fn read_out(
        &self,
        ground: &Ground<'_>,
        loss: &Loss<'_>,
        solution: &Solution<State>,
    ) -> Result<ReadOut> {
        let mut regression = loss
            .regression(&solution.state)
            .ok_or(Error::NoConvergence("the weighted regression"))?;
        let classes = ground.problem.classes();
        let y = &loss.setting().y;
        if solution.weights.iter().all(|w| *w == 0.0)
            || regression.fitted.max_abs() < 1e-9 * y.max_abs()
        {
            // No feature has a weight. Only rounding is left, which must not decide against the
            // priors.
            for m in [&mut regression.coef, &mut regression.fitted] {
                m.as_mut_slice().fill(0.0);
            }
            regression.offset.fill(0.0);
        }
        let mut scaled = regression.fitted.clone();
        classes.scale_rows(&mut scaled);
        let mut turn = rotation(y, &scaled)?;
        let mut own = matmul(regression.fitted.view(), turn.view());
        let (decision, transform) = self.kos.decision(&own, ground.problem)?;
        if let Some(t) = transform {
            turn = matmul(turn.view(), t.view());
            own = matmul(own.view(), t.view());
        }
        let offset = Matrix::from_vec(regression.offset.clone(), 1, regression.offset.len());
        Ok(ReadOut {
            coef: matmul(regression.coef.view(), turn.view()),
            offset: matmul(offset.view(), turn.view()).into_vec(),
            own,
            decision,
        })
    }

    fn one_se_bound(entry: &CvEntry<SparseKosSetting>, n: f64) -> f64 {
        // Standard error of a count: that of a Poisson variable, which is not zero even without any
        // error.
        let errors = entry.error.unwrap_or(1.0) * n;
        (errors + (errors + 1.0).sqrt()) / n
    }
}

impl Method for SparseKos {
    type Setting = SparseKosSetting;

    const ABOUT: About = About {
        name: "sparse-kos",
        class: "SparseKOS",
        title: "kernel optimal scoring with feature weights, useless ones dropped",
        plain: "kernel scoring with feature weights",
        summary: "Kernel optimal scoring with a weight for every feature inside the kernel. Those \
                  of useless features are exactly zero.",
        paper: "Lapanowski & Gaynanova 2019",
        tuned: "bandwidth, penalty",
        decides: "nearest centroid and priors",
        sparse: Sparse::Features,
        outputs: Outputs::Scores,
        calibrated: true,
        class_weight_is_cost: true,
        params: PARAMS,
        auto: Candidacy::Asked,
        seconds: |n, p, c| 4e-6 * n * n * p * (1.0 + c / 20.0),
        slow_for_many_classes: true,
        ..About::BLANK
    };

    fn tuning_rows(&self, _n: usize) -> Option<usize> {
        self.landmarks.count().map(|m| (2 * m).max(4000))
    }

    fn family(&self) -> Family {
        self.kos.kernel.family()
    }

    fn final_footprint(&self, n: usize) -> Footprint {
        Footprint {
            landmarks: self.landmarks.count().unwrap_or(0),
            ..self.footprint(n)
        }
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint {
            copies: if self.landmarks.count().is_some() {
                0
            } else {
                8
            },
            ..Footprint::NONE
        }
    }

    fn races(&self) -> bool {
        true
    }

    /// A path is walked from the smallest penalty: where it ends costs time, and nothing else.
    fn shortens(&self) -> bool {
        true
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<SparseKosSetting>> {
        let kernels = self.kos.kernels(problem)?;
        let ridges = self.kos.ridge.tried();
        let mut arms = Vec::new();
        for kernel in kernels {
            for &ridge in &ridges {
                let setting = |sparsity: f64, share: Option<f64>| SparseKosSetting {
                    kernel,
                    ridge,
                    sparsity,
                    sparsity_share: share,
                    features: None,
                };
                if let Some(sparsity) = self.sparsity {
                    arms.push(vec![setting(sparsity, None)]);
                    continue;
                }
                let ground = self.ground(problem, kernel, ridge, None)?;
                let most = ground.largest_penalty()?;
                let shares = self.shares().into_iter();
                arms.push(
                    shares
                        .map(|share| setting(share * most, Some(share)))
                        .collect(),
                );
            }
        }
        some(arms)
    }

    fn held_out(&self, fold: &Fold, arm: &[SparseKosSetting]) -> Result<Vec<Option<HeldOut>>> {
        self.held_out_arm(fold, arm)
    }

    fn refine(
        &self,
        problem: &Problem,
        protocol: &Protocol,
        grid: &[CvEntry<SparseKosSetting>],
        chosen: usize,
    ) -> Result<Refinement<SparseKosSetting>> {
        if !self.vote || protocol.rule != Rule::Min || self.sparsity.is_some() {
            return Ok(Refinement::Keep);
        }
        let best = &grid[chosen];
        let n = problem.classes().total();
        let bound = Self::one_se_bound(best, n);
        let same = |e: &&CvEntry<SparseKosSetting>| {
            e.setting.kernel == best.setting.kernel
                && e.setting.ridge == best.setting.ridge
                && e.setting.sparsity_share >= best.setting.sparsity_share
                && e.error.is_some_and(|v| v <= bound + 1e-12)
        };
        let Some(sparse) = grid
            .iter()
            .filter(same)
            .max_by(|a, b| a.setting.sparsity.total_cmp(&b.setting.sparsity))
        else {
            return Ok(Refinement::Keep);
        };
        let ground = self.ground_of(problem, &sparse.setting)?;
        let loss = ground.loss(self.weight_steps);
        let penalties = self.penalties(&ground, &sparse.setting)?;
        let (mut at_best, mut at_sparse) = (vec![], vec![]);
        let start = vec![1.0; ground.features.len()];
        path(
            &loss,
            &penalties,
            &start,
            self.weight_steps,
            &Stopping::FOLD,
            |s| {
                if s.penalty <= best.setting.sparsity * (1.0 + 1e-9) {
                    at_best = ground.embed(&s.weights);
                }
                at_sparse = ground.embed(&s.weights);
                Ok(true)
            },
        )?;
        let folds = best.fold_errors.len();
        let kept = |j: &usize| {
            at_sparse[*j] != 0.0 && 2 * sparse.feature_folds.get(*j).copied().unwrap_or(0) > folds
        };
        let features: Vec<usize> = (0..at_sparse.len()).filter(kept).collect();
        let before: Vec<usize> = (0..at_best.len()).filter(|&j| at_best[j] != 0.0).collect();
        if features.is_empty() || features == before {
            return Ok(Refinement::Keep);
        }
        let setting = SparseKosSetting {
            features: Some(features),
            ..best.setting.clone()
        };
        // As good as the best up to one row: a looser bound would trade accuracy for sparsity on
        // noisy data.
        let most = best.error.unwrap_or(1.0) + 1.0 / n;
        Ok(Refinement::Setting(setting, most))
    }

    fn fit(&self, problem: &Problem, setting: &SparseKosSetting) -> Result<Fit> {
        let ground = self.ground_of(problem, setting)?;
        let loss = ground.loss(self.weight_steps);
        let penalties = self.penalties(&ground, setting)?;
        let (steps, codes) = (self.weight_steps, problem.labels.codes());
        let classes = problem.classes();
        let mut walked: Vec<PathStep> = Vec::new();
        let mut last = vec![1.0; ground.features.len()];
        path(
            &loss,
            &penalties,
            &last.clone(),
            steps,
            &Stopping::FOLD,
            |s| {
                let read = self.read_out(&ground, &loss, s)?;
                let scores = read.decision.scores(&read.own);
                let wrong = (0..codes.len()).filter(|&i| argmax(scores.row(i)) != codes[i]);
                let weights = ground.embed(&s.weights);
                walked.push(PathStep {
                    size: weights.iter().filter(|w| **w != 0.0).count(),
                    row: None,
                    feature: None,
                    runner_up: None,
                    associated: vec![],
                    sparsity: Some(s.penalty),
                    weights: weights
                        .into_iter()
                        .enumerate()
                        .filter(|(_, w)| *w != 0.0)
                        .collect(),
                    objective: s.objective,
                    train_error: Some(
                        wrong.map(|i| classes.weight(i)).sum::<f64>() / classes.total(),
                    ),
                });
                last.clone_from(&s.weights);
                Ok(true)
            },
        )?;
        // The last penalty again, to a tighter tolerance, and from other starts if asked for.
        let end =
            |w: &[f64], stopping: &Stopping| solve(&loss, setting.sparsity, w, steps, stopping);
        let (mut solution, mut start) = (end(&last, &Stopping::FINAL)?, 0);
        for (k, w) in self.starts(problem, last.len()).iter().enumerate() {
            let other = end(w, &Stopping::THOROUGH)?;
            if other.objective < solution.objective {
                (solution, start) = (other, k + 1);
            }
        }
        if let Some(step) = walked.last_mut() {
            let weights = ground.embed(&solution.weights);
            step.objective = solution.objective;
            step.size = weights.iter().filter(|w| **w != 0.0).count();
            step.weights = weights
                .into_iter()
                .enumerate()
                .filter(|(_, w)| *w != 0.0)
                .collect();
        }
        thin(&mut walked);
        let read = self.read_out(&ground, &loss, &solution)?;
        let support = match &ground.landmarks {
            None => problem.x.clone(),
            Some(rows) => problem.x.select_rows(rows),
        };
        let output = Output::Linear {
            coef: read.coef,
            offset: read.offset,
        };
        let weights = ground.embed(&solution.weights);
        Ok(Fit {
            scores: None,
            discriminant: None,
            factor: None,
            certificate: Certificate::Weights,
            expansion: KernelExpansion::new(ground.kernel, weights, &support, output),
            decision: read.decision,
            report: FitReport {
                objective: Some(solution.objective),
                iterations: solution.steps,
                // An indefinite kernel has no exact slopes, so stationarity cannot be checked.
                converged: solution.residual <= 1e-5,
                residual: Some(solution.residual),
                retained_rows: ground
                    .landmarks
                    .clone()
                    .unwrap_or_else(|| (0..problem.n()).collect()),
                ridge: Some(ground.gamma),
                path: walked,
                trace: solution.trace,
                start: (self.restarts > 0).then_some((start, self.restarts + 1)),
                ..FitReport::default()
            },
        })
    }
}

/// Keeps the weights along the path of the features that stay longest.
fn thin(path: &mut [PathStep]) {
    let mut stays: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
    for (k, step) in path.iter().enumerate() {
        step.weights.iter().for_each(|(j, _)| {
            stays.insert(*j, k);
        });
    }
    if stays.len() <= PATH_FEATURES {
        return;
    }
    let mut order: Vec<(usize, usize)> = stays.into_iter().map(|(j, k)| (k, j)).collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let kept: std::collections::BTreeSet<usize> = order
        .into_iter()
        .take(PATH_FEATURES)
        .map(|(_, j)| j)
        .collect();
    for step in path {
        step.weights.retain(|(j, _)| kept.contains(j));
    }
}
