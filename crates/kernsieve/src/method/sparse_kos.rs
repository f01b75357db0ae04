//! Sparse kernel optimal scoring: feature weights inside the kernel, the useless ones exactly zero
//! (Lapanowski & Gaynanova, section 4; two classes as published, any number by orthogonal scores
//! and one shared weight vector).
//!
//! ```text
//! min_{w, alpha} (1/n) |Y theta - M_w alpha|^2 + gamma alpha'(M_w + jitter I) alpha + lambda |w|_1,   |w_j| <= 1   (eq. 12, 13)
//! ```
//! with `M_w = C K_w C` and `K_w` the kernel of the weighted features. Penalties are walked upwards
//! from `w = 1` with warm starts, in every fold and in the final fit;
//! [`crate::solver::sparse_weights`] says how one is solved. The coefficients returned are those of
//! the final weights (eq. 5). Decision as in [`super::kos`].
//!
//! Tuning (section 5): bandwidths from quantiles of the distances between classes, ridge by a rule
//! at `w = 1`, 20 penalties up to `lambda_max = 2 max
//! |beta|`, jointly by cross-validation; ties to the larger penalty, then the smaller quantile. Departures from the paper, each an option
//! away: penalties evenly spaced in the logarithm from `lambda_max / 1000` (`--spacing linear` is
//! the paper's grid, which has one point where the useful penalties of its second simulation lie);
//! the trust region of `sparse_weights` (`--weight-steps linearised` is Algorithm 1); and a vote:
//! features that are kept at the largest penalty within one standard error, and in most folds
//! there, are the ones the model is fitted on, if the cross-validated error does not rise by more
//! than one row (`--no-vote`).
//!
//! With `candidates = m` the function lives in the span of `m` landmarks and one evaluation costs
//! `n m^2` instead of `n^3`. Complexity: `2 n^3 / 3 + 2 n^2 (2 p + 1)` flops an evaluation, of
//! which a penalty takes a few to a dozen.
//!
//! [Lapanowski & Gaynanova] "Sparse feature selection in kernel discriminant analysis via optimal
//! scoring", AISTATS 2019.

use super::kos::{Kos, Ridge, gamma_grid, ridge_value, rotation};
use super::{
    Arm, Candidate, CvEntry, Fit, FitReport, Fold, Footprint, HeldOut, Landmarks, Method, Options,
    PathStep, Problem, Refinement, RidgeRule, Rule, Spacing, landmarks,
};
use crate::data::Rng;
use crate::decision::{Decision, argmax};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, center_gram_weighted, cross_gram, gram};
use crate::linalg::{Matrix, add_to_rows, matmul};
use crate::solver::optimal_scoring::contrast_responses;
use crate::solver::ridge::{Shifted, scale_gram};
use crate::solver::sparse_weights::{Slopes, Solution, Steps, Stopping, WeightedLoss, path, solve};
use std::cmp::Ordering;

#[path = "sparse_kos_loss.rs"]
mod loss;
use loss::{ExactLoss, ExactState, LandmarkLoss, LandmarkState, Regression, Setting, weighted};

/// Penalties of a path.
const PENALTIES: usize = 20;
/// The smallest penalty of a logarithmic path as a share of the largest, and of a linear one
/// (section 5.3).
const FLOOR: (f64, f64) = (1e-3, 1e-10);
/// Features whose weights are kept along the path in the model.
const PATH_FEATURES: usize = 100;
/// Rows of the sample that stands for all when the ridge of a landmark model is found.
const RIDGE_ROWS: usize = 2000;

/// Sparse kernel optimal scoring.
#[derive(Clone, Debug)]
pub struct SparseKos {
    options: Options,
    kos: Kos,
}

/// The loss in either form.
enum Loss<'a> {
    Exact(ExactLoss<'a>),
    Landmarks(LandmarkLoss<'a>),
}

enum State {
    Exact(ExactState),
    Landmarks(LandmarkState),
}

impl Loss<'_> {
    fn regression(&self, state: &State) -> Option<Regression> {
        match (self, state) {
            (Self::Exact(loss), State::Exact(state)) => Some(loss.regression(state)),
            (Self::Landmarks(loss), State::Landmarks(state)) => Some(loss.regression(state)),
            _ => None,
        }
    }

    fn setting(&self) -> &Setting<'_> {
        match self {
            Self::Exact(loss) => &loss.setting,
            Self::Landmarks(loss) => &loss.setting,
        }
    }
}

impl WeightedLoss for Loss<'_> {
    type State = State;

    fn n_weights(&self) -> usize {
        self.setting().x.cols()
    }

    fn empty(&self) -> f64 {
        match self {
            Self::Exact(loss) => loss.empty(),
            Self::Landmarks(loss) => loss.empty(),
        }
    }

    fn evaluate(&self, w: &[f64]) -> Result<(f64, State)> {
        Ok(match self {
            Self::Exact(loss) => {
                let (value, state) = loss.evaluate(w)?;
                (value, State::Exact(state))
            }
            Self::Landmarks(loss) => {
                let (value, state) = loss.evaluate(w)?;
                (value, State::Landmarks(state))
            }
        })
    }

    fn evaluate_below(&self, w: &[f64], bound: f64) -> Result<Option<(f64, State)>> {
        match self {
            Self::Exact(loss) => Ok(
                WeightedLoss::evaluate_below(loss, w, bound)?.map(|(v, s)| (v, State::Exact(s)))
            ),
            Self::Landmarks(_) => self.evaluate(w).map(Some),
        }
    }

    fn returning(&self, w: &[f64], state: &State) -> Result<Option<Vec<f64>>> {
        match (self, state) {
            (Self::Exact(loss), State::Exact(state)) => loss.returning(w, state),
            _ => Ok(None),
        }
    }

    fn slopes(&self, w: &[f64], state: &State) -> Result<Slopes> {
        match (self, state) {
            (Self::Exact(loss), State::Exact(state)) => loss.slopes(w, state),
            (Self::Landmarks(loss), State::Landmarks(state)) => loss.slopes(w, state),
            _ => Err(Error::NoConvergence("the weighted regression")),
        }
    }
}

/// A problem reduced to the features that may have a weight.
struct Ground<'a> {
    problem: &'a Problem,
    kernel: Kernel,
    features: Vec<usize>,
    x: Matrix,
    /// Rows that carry the function, when they are not all.
    landmarks: Option<Vec<usize>>,
    z: Matrix,
    /// `gamma`.
    gamma: f64,
}

impl SparseKos {
    /// Takes over the options.
    pub fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
            kos: Kos::new(options),
        }
    }

    /// The features, landmarks and ridge of a candidate on these rows.
    fn ground<'a>(&self, problem: &'a Problem, candidate: &Candidate) -> Result<Ground<'a>> {
        let active: Vec<usize> = (0..problem.x.cols())
            .filter(|&j| problem.feature_weights[j] != 0.0)
            .collect();
        let features = match &candidate.features {
            None => active,
            Some(own) => own.iter().copied().filter(|j| active.contains(j)).collect(),
        };
        let landmarks = match self.options.candidates.filter(|&m| m < problem.n()) {
            None => None,
            Some(m) => Some(match self.options.landmarks {
                Landmarks::Sample => landmarks::by_class(problem, m, self.options.seed),
                Landmarks::Ols => {
                    landmarks::by_selection(problem, &candidate.kernel, m, self.options.seed)?
                }
            }),
        };
        let x = problem.x.select_columns(&features);
        let z = landmarks
            .as_ref()
            .map_or(Matrix::zeros(0, 0), |rows| x.select_rows(rows));
        Ok(Ground {
            gamma: self.gamma(problem, candidate, landmarks.is_some())?,
            problem,
            kernel: candidate.kernel,
            features,
            x,
            landmarks,
            z,
        })
    }

    /// The ridge: given, or by a rule at `w = 1` with all features (section 5.2). With landmarks
    /// the rule sees a sample of the rows.
    fn gamma(&self, problem: &Problem, candidate: &Candidate, sampled: bool) -> Result<f64> {
        let ridge = self.kos.ridge_of(candidate);
        if let Ridge::Fixed(gamma) = ridge {
            return Ok(gamma);
        }
        let sample = (sampled && problem.n() > RIDGE_ROWS)
            .then(|| landmarks::by_class(problem, RIDGE_ROWS, self.options.seed))
            .map(|rows| problem.select(&rows));
        let seen = sample.as_ref().unwrap_or(problem);
        let classes = seen.classes();
        let mut m = gram(&candidate.kernel, &seen.x);
        center_gram_weighted(&mut m, classes.weights());
        scale_gram(&mut m, &classes);
        let y = contrast_responses(&classes);
        let m = if candidate.kernel.family().is_definite() {
            Shifted::new(m)
        } else {
            Shifted::indefinite(m)
        };
        let gamma = ridge_value(ridge, &m, &y, &classes)?;
        // n gamma-hat of stabilization hardly depends on n once it is small (t is of order 1/n, and
        // so is gamma-hat itself).
        Ok(match ridge {
            Ridge::Rule(RidgeRule::Gcv) => gamma,
            _ => {
                let ratio = classes.total() / problem.classes().total();
                match ridge {
                    Ridge::Rule(RidgeRule::StabilizationLiteral) => gamma * ratio,
                    _ => gamma * ratio * ratio,
                }
            }
        })
    }

    /// Starts besides the path: all ones, then random ones, as many as asked for. They start at the
    /// penalty itself.
    fn restarts(&self, p: usize) -> Vec<Vec<f64>> {
        let mut rng = Rng::stream(self.options.seed, 17);
        (0..self.options.restarts)
            .map(|k| match k {
                0 => vec![1.0; p],
                _ => (0..p).map(|_| 0.05 + 0.95 * rng.uniform()).collect(),
            })
            .collect()
    }

    /// The shares of `lambda_max` that are tried, smallest first.
    fn shares(&self) -> Vec<f64> {
        match self.options.spacing {
            Spacing::Log => crate::kernel::log_grid(FLOOR.0, 1.0, PENALTIES),
            Spacing::Linear => (0..PENALTIES)
                .map(|i| FLOOR.1 + (1.0 - FLOOR.1) * i as f64 / (PENALTIES - 1) as f64)
                .collect(),
        }
    }

    /// The penalties on the way to that of a candidate, which is the last.
    fn penalties(&self, ground: &Ground<'_>, candidate: &Candidate) -> Result<Vec<f64>> {
        let Some(last) = candidate.sparsity else {
            return Err(Error::NoConvergence("a path without a penalty"));
        };
        let most = match candidate.sparsity_share {
            Some(share) => last / share,
            None => ground.largest_penalty()?,
        };
        let mut penalties: Vec<f64> = self
            .shares()
            .into_iter()
            .map(|s| s * most)
            .filter(|p| *p < last * (1.0 - 1e-9))
            .collect();
        penalties.push(last);
        Ok(penalties)
    }

    /// Fits of the penalties on the way to those of an arm's candidates; `None` where no start
    /// reached one.
    fn held_out_arm(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        let Some(last) = arm.iter().max_by(|a, b| penalty(a).total_cmp(&penalty(b))) else {
            return Ok(vec![]);
        };
        let ground = self.ground(&fold.train, last)?;
        let loss = ground.loss(self.options.weight_steps);
        let penalties = self.penalties(&ground, last)?;
        let held_out = fold.held_out.select_columns(&ground.features);
        let mut answers: Vec<Option<HeldOut>> = vec![None; arm.len()];
        let mut least = vec![f64::INFINITY; arm.len()];
        let p = ground.features.len();
        let mut observe = |s: &Solution<State>| {
            for (c, candidate) in arm.iter().enumerate() {
                let near = (penalty(candidate) - s.penalty).abs() <= 1e-9 * s.penalty.abs();
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
        let steps = self.options.weight_steps;
        path(
            &loss,
            &penalties,
            &vec![1.0; p],
            steps,
            &Stopping::FOLD,
            &mut observe,
        )?;
        for start in self.restarts(p) {
            for candidate in arm {
                observe(&solve(
                    &loss,
                    penalty(candidate),
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
            // No feature says anything: what is left is rounding, which must not decide against the
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

    fn one_se_bound(entry: &CvEntry, n: f64) -> f64 {
        // Standard error of a count: that of a Poisson variable, which is not zero where no error
        // was seen.
        let errors = entry.error.unwrap_or(1.0) * n;
        (errors + (errors + 1.0).sqrt()) / n
    }
}

fn penalty(candidate: &Candidate) -> f64 {
    candidate.sparsity.unwrap_or(0.0)
}

/// Outputs as a function of kernel values, and the rule on them.
struct ReadOut {
    coef: Matrix,
    offset: Vec<f64>,
    /// Outputs of the training rows.
    own: Matrix,
    decision: Decision,
}

impl ReadOut {
    /// Outputs of rows that have the features of the ground.
    fn evaluate(&self, ground: &Ground<'_>, w: &[f64], rows: &Matrix) -> Matrix {
        let support = ground.support();
        let k = cross_gram(&ground.kernel, &weighted(rows, w), &weighted(support, w));
        let mut z = matmul(k.view(), self.coef.view());
        add_to_rows(&mut z, &self.offset);
        z
    }
}

impl Ground<'_> {
    fn support(&self) -> &Matrix {
        if self.landmarks.is_some() {
            &self.z
        } else {
            &self.x
        }
    }

    fn loss(&self, steps: Steps) -> Loss<'_> {
        self.loss_with(steps == Steps::Linearised)
    }

    fn loss_with(&self, linearised: bool) -> Loss<'_> {
        let classes = self.problem.classes();
        let y = contrast_responses(&classes);
        let setting = Setting {
            kernel: self.kernel,
            x: &self.x,
            g: classes.total() * self.gamma,
            classes,
            y,
            linearised,
        };
        if self.landmarks.is_some() {
            Loss::Landmarks(LandmarkLoss {
                setting,
                z: &self.z,
            })
        } else {
            Loss::Exact(ExactLoss {
                setting,
                definite: self.kernel.family().is_definite(),
            })
        }
    }

    /// `lambda_max = 2 max |beta|` at `w = 1` (section 5.3): from there on the first step of
    /// Algorithm 1 sets all weights to zero.
    fn largest_penalty(&self) -> Result<f64> {
        let loss = self.loss_with(true);
        let ones = vec![1.0; self.features.len()];
        let (_, state) = loss.evaluate(&ones)?;
        let slopes = loss.slopes(&ones, &state)?;
        let Some(q2) = slopes.linearised else {
            return Ok(0.0);
        };
        // beta = Q w - gradient / 2.
        let beta2 = q2
            .apply(&ones)
            .into_iter()
            .zip(&slopes.gradient)
            .map(|(q, g)| q - g);
        Ok(beta2.fold(0.0, |m, b| f64::max(m, b.abs())))
    }

    /// Weights of all features.
    fn embed(&self, w: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.problem.x.cols()];
        self.features.iter().zip(w).for_each(|(&j, &w)| all[j] = w);
        all
    }
}

impl Method for SparseKos {
    fn name(&self) -> &'static str {
        "sparse-kos"
    }

    fn family(&self) -> Family {
        self.options.kernel
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint {
            copies: if self.options.candidates.is_some() {
                0
            } else {
                8
            },
            ..Footprint::NONE
        }
    }

    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>> {
        let kernels = self.kos.kernels(problem)?;
        let ridges: Vec<Option<f64>> = match (self.options.ridge, self.options.ridge_rule) {
            (Some(r), _) => vec![Some(r)],
            (None, RidgeRule::Cv) => gamma_grid(8).into_iter().map(Some).collect(),
            _ => vec![None],
        };
        let mut arms = Vec::new();
        for kernel in kernels {
            for &ridge in &ridges {
                let base = Candidate {
                    ridge,
                    ..Candidate::new(kernel)
                };
                if let Some(sparsity) = self.options.sparsity {
                    arms.push(vec![Candidate {
                        sparsity: Some(sparsity),
                        ..base
                    }]);
                    continue;
                }
                let most = self.ground(problem, &base)?.largest_penalty()?;
                let arm = self.shares().into_iter().map(|share| Candidate {
                    sparsity: Some(share * most),
                    sparsity_share: Some(share),
                    ..base.clone()
                });
                arms.push(arm.collect());
            }
        }
        super::require_candidates(&arms)?;
        Ok(arms)
    }

    fn compare(&self, a: &Candidate, b: &Candidate) -> Ordering {
        // Ties go to the larger penalty, relative to the largest of its path, then to the smaller
        // quantile: the order of the arms.
        let share = |c: &Candidate| c.sparsity_share.or(c.sparsity).unwrap_or(0.0);
        share(b).total_cmp(&share(a))
    }

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        self.held_out_arm(fold, arm)
    }

    fn refine(&self, problem: &Problem, grid: &[CvEntry], chosen: usize) -> Result<Refinement> {
        if !self.options.vote || self.options.rule != Rule::Min || self.options.sparsity.is_some() {
            return Ok(Refinement::Keep);
        }
        let best = &grid[chosen];
        let n = problem.classes().total();
        let bound = Self::one_se_bound(best, n);
        let same = |e: &&CvEntry| {
            e.candidate.kernel == best.candidate.kernel
                && e.candidate.ridge == best.candidate.ridge
                && e.candidate.sparsity_share >= best.candidate.sparsity_share
                && e.error.is_some_and(|v| v <= bound + 1e-12)
        };
        let Some(sparse) = grid
            .iter()
            .filter(same)
            .max_by(|a, b| penalty(&a.candidate).total_cmp(&penalty(&b.candidate)))
        else {
            return Ok(Refinement::Keep);
        };
        let ground = self.ground(problem, &sparse.candidate)?;
        let loss = ground.loss(self.options.weight_steps);
        let penalties = self.penalties(&ground, &sparse.candidate)?;
        let (mut at_best, mut at_sparse) = (vec![], vec![]);
        let start = vec![1.0; ground.features.len()];
        path(
            &loss,
            &penalties,
            &start,
            self.options.weight_steps,
            &Stopping::FOLD,
            |s| {
                if s.penalty <= penalty(&best.candidate) * (1.0 + 1e-9) {
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
        let candidate = Candidate {
            features: Some(features),
            ..best.candidate.clone()
        };
        // As good as the best, but for one row: a looser bound would trade accuracy for sparsity on
        // noisy data.
        let most = best.error.unwrap_or(1.0) + 1.0 / n;
        Ok(Refinement::Candidate(Box::new(candidate), most))
    }

    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit> {
        let ground = self.ground(problem, candidate)?;
        let loss = ground.loss(self.options.weight_steps);
        let penalties = self.penalties(&ground, candidate)?;
        let (steps, codes) = (self.options.weight_steps, problem.labels.codes());
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
        // The last penalty once more, to a tighter tolerance, and from other starts if asked for.
        let end =
            |w: &[f64], stopping: &Stopping| solve(&loss, penalty(candidate), w, steps, stopping);
        let (mut solution, mut start) = (end(&last, &Stopping::FINAL)?, 0);
        for (k, w) in self.restarts(last.len()).iter().enumerate() {
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
            discriminant: None,
            expansion: KernelExpansion::new(ground.kernel, weights, &support, output),
            decision: read.decision,
            report: FitReport {
                objective: Some(solution.objective),
                iterations: solution.steps,
                // An indefinite kernel has no exact slopes to be stationary in.
                converged: solution.residual <= 1e-5,
                residual: Some(solution.residual),
                retained_rows: ground
                    .landmarks
                    .clone()
                    .unwrap_or_else(|| (0..problem.n()).collect()),
                ridge: Some(ground.gamma),
                path: walked,
                trace: solution.trace,
                start: (self.options.restarts > 0).then_some((start, self.options.restarts + 1)),
                ..FitReport::default()
            },
        })
    }
}

/// Keeps along the path the weights of the features that stay longest.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Labels, simulate};
    use crate::solver::box_quadratic::box_lasso;
    use crate::testing::{problem, random};

    fn candidate(bandwidth: f64, ridge: f64, sparsity: f64) -> Candidate {
        Candidate {
            sparsity: Some(sparsity),
            ..Candidate::new(Kernel::Gaussian { bandwidth }).ridge(ridge)
        }
    }

    /// A problem whose classes differ in the first features only.
    fn with_noise(n: usize, p: usize, c: usize, seed: u64) -> Problem {
        let mut problem = problem(n, c, c, seed);
        let noise = random(n, p - c, seed + 100);
        problem.x = Matrix::from_fn(n, p, |i, j| {
            if j < c {
                problem.x[(i, j)]
            } else {
                noise[(i, j - c)]
            }
        });
        problem.feature_weights = vec![1.0; p];
        problem
    }

    #[test]
    fn slopes_match_central_differences() {
        let mut weighed = with_noise(40, 4, 3, 1);
        weighed.weights = Some((0..40).map(|i| 1.0 + (i % 3) as f64).collect());
        let w = [0.9, 0.3, 0.6, 0.1];
        for family in [
            Family::Gaussian,
            Family::Polynomial,
            Family::Cauchy,
            Family::Laplacian,
            Family::Linear,
        ] {
            for candidates in [None, Some(12)] {
                let options = Options {
                    kernel: family,
                    degree: 2,
                    candidates,
                    ..Options::default()
                };
                let method = SparseKos::new(&options);
                let kernel = options.kernel_with(1.5, 4).expect("valid");
                let ground = method
                    .ground(&weighed, &Candidate::new(kernel).ridge(2e-2))
                    .expect("valid");
                let loss = ground.loss(Steps::Linearised);
                let (_, state) = loss.evaluate(&w).expect("solves");
                let slopes = loss.slopes(&w, &state).expect("known");
                for j in 0..4 {
                    let h = 1e-5;
                    let value = |d: f64| {
                        let mut w = w;
                        w[j] += d;
                        loss.evaluate(&w).expect("solves").0
                    };
                    let numeric = (value(h) - value(-h)) / (2.0 * h);
                    assert!(
                        (slopes.gradient[j] - numeric).abs() < 1e-6 * (1.0 + numeric.abs()),
                        "{family:?} {candidates:?} {j}: {} {numeric}",
                        slopes.gradient[j]
                    );
                    let even = if family == Family::Laplacian {
                        1.0
                    } else {
                        2.0 * w[j]
                    };
                    assert!((slopes.at_zero[j] * even - slopes.gradient[j]).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_objective_is_equation_13_at_the_coefficients_of_equation_5() {
        let problem = with_noise(35, 4, 2, 2);
        let (ridge, sparsity) = (1e-2, 0.02);
        let fit = SparseKos::new(&Options::default())
            .fit(&problem, &candidate(1.2, ridge, sparsity))
            .expect("fits");
        let w = &fit.expansion.feature_weights;
        let x = Matrix::from_fn(35, 4, |i, j| problem.x[(i, j)] * w[j]);
        let k = gram(&fit.expansion.kernel, &x);
        let kos =
            crate::method::kos::solve_gram(&k, true, &problem.classes(), &[Ridge::Fixed(ridge)])
                .expect("solves");
        let s = kos.into_iter().next().expect("one").expect("solved");
        let expected = s.objective + sparsity * w.iter().sum::<f64>();
        let objective = fit.report.objective.expect("known");
        assert!(
            (objective - expected).abs() < 1e-10,
            "{objective} {expected}"
        );
        // The scores, too: the coefficients belong to the final weights.
        let z = fit.expansion.evaluate(&problem.x);
        for i in 0..35 {
            assert!((z[(i, 0)] - s.scores[(i, 0)]).abs() < 1e-8);
        }
        assert!(fit.report.residual.expect("known") < 1e-6);
        assert!(fit.report.trace.windows(2).all(|t| t[1] <= t[0] + 1e-12));
    }

    #[test]
    fn a_weight_of_zero_equals_deleting_the_column() {
        let problem = with_noise(50, 5, 2, 3);
        let method = SparseKos::new(&Options::default());
        let whole = method
            .fit(&problem, &candidate(1.3, 1e-2, 0.15))
            .expect("fits");
        let w = whole.expansion.feature_weights.clone();
        let kept: Vec<usize> = (0..5).filter(|&j| w[j] != 0.0).collect();
        assert!(!kept.is_empty() && kept.len() < 5, "{w:?}");
        let ground = method
            .ground(&problem, &candidate(1.3, 1e-2, 0.15))
            .expect("valid");
        let few = Problem {
            x: problem.x.select_columns(&kept),
            feature_weights: vec![1.0; kept.len()],
            ..problem.clone()
        };
        let small = method
            .ground(&few, &candidate(1.3, 1e-2, 0.15))
            .expect("valid");
        let own: Vec<f64> = kept.iter().map(|&j| w[j]).collect();
        let (a, _) = ground.loss(Steps::Projected).evaluate(&w).expect("solves");
        let (b, _) = small.loss(Steps::Projected).evaluate(&own).expect("solves");
        assert!((a - b).abs() < 1e-12);
    }

    #[test]
    fn all_rows_as_landmarks_give_the_exact_loss() {
        let mut problem = with_noise(40, 3, 3, 4);
        problem.weights = Some((0..40).map(|i| 1.0 + (i % 2) as f64).collect());
        let method = SparseKos::new(&Options::default());
        let ground = method
            .ground(&problem, &candidate(1.5, 1e-2, 0.1))
            .expect("valid");
        let mut on_landmarks = method
            .ground(&problem, &candidate(1.5, 1e-2, 0.1))
            .expect("valid");
        on_landmarks.landmarks = Some((0..40).collect());
        on_landmarks.z = on_landmarks.x.clone();
        for w in [[1.0, 1.0, 1.0], [0.3, 0.0, 0.8], [0.0, 0.0, 0.0]] {
            let (a, sa) = ground.loss(Steps::Projected).evaluate(&w).expect("solves");
            let (b, sb) = on_landmarks
                .loss(Steps::Projected)
                .evaluate(&w)
                .expect("solves");
            assert!((a - b).abs() < 1e-4 * a, "{w:?}: {a} {b}");
            let (ra, rb) = (
                ground
                    .loss(Steps::Projected)
                    .slopes(&w, &sa)
                    .expect("known"),
                on_landmarks
                    .loss(Steps::Projected)
                    .slopes(&w, &sb)
                    .expect("known"),
            );
            for (u, v) in ra.gradient.iter().zip(&rb.gradient) {
                assert!((u - v).abs() < 1e-3 * (1.0 + u.abs()), "{w:?}: {u} {v}");
            }
        }
    }

    #[test]
    fn the_largest_penalty_is_exact_for_the_first_step() {
        let problem = with_noise(45, 4, 2, 5);
        let method = SparseKos::new(&Options::default());
        let ground = method
            .ground(&problem, &candidate(1.4, 1e-2, 0.1))
            .expect("valid");
        let most = ground.largest_penalty().expect("known");
        let loss = ground.loss(Steps::Linearised);
        let ones = vec![1.0; 4];
        let (_, state) = loss.evaluate(&ones).expect("solves");
        let slopes = loss.slopes(&ones, &state).expect("known");
        let q2 = slopes.linearised.expect("asked for");
        let beta2: Vec<f64> = q2
            .apply(&ones)
            .iter()
            .zip(&slopes.gradient)
            .map(|(q, g)| q - g)
            .collect();
        for (share, empty) in [(1.0 + 1e-12, true), (1.0 - 1e-6, false)] {
            let mut w = ones.clone();
            box_lasso(&q2, &beta2, share * most, &mut w, 1e-14);
            assert_eq!(w.iter().all(|v| *v == 0.0), empty, "{w:?}");
        }
    }

    #[test]
    fn published_steps_descend_and_ours_end_no_higher() {
        for seed in 0..4 {
            let data = simulate::sine(seed);
            let problem = Problem::new(data.x().clone(), data.labels().clone()).expect("valid");
            let rows: Vec<usize> = (0..120).collect();
            let problem = problem.select(&rows);
            let run = |weight_steps: Steps| {
                let options = Options {
                    weight_steps,
                    ..Options::default()
                };
                SparseKos::new(&options)
                    .fit(&problem, &candidate(1.0, 1e-3, 0.03))
                    .expect("fits")
                    .report
            };
            let (published, ours) = (run(Steps::Linearised), run(Steps::Projected));
            assert!(published.trace.windows(2).all(|t| t[1] <= t[0]));
            let (a, b) = (
                published.objective.expect("known"),
                ours.objective.expect("known"),
            );
            assert!(b <= a + 1e-6, "{b} {a}");
        }
    }

    #[test]
    fn restarts_do_no_harm_and_classes_may_be_permuted() {
        let problem = with_noise(60, 6, 3, 7);
        let fit = |problem: &Problem, restarts: usize| {
            let options = Options {
                restarts,
                ..Options::default()
            };
            SparseKos::new(&options)
                .fit(problem, &candidate(1.5, 3e-3, 0.05))
                .expect("fits")
        };
        let (one, more) = (fit(&problem, 0), fit(&problem, 3));
        assert!(more.report.objective <= one.report.objective);
        assert_eq!(more.report.start.expect("several").1, 4);
        let recode = [1, 2, 0];
        let codes: Vec<usize> = problem.labels.codes().iter().map(|&c| recode[c]).collect();
        let permuted = Problem {
            labels: Labels::from_codes(codes, problem.labels.classes().to_vec())
                .expect("codes fit"),
            ..problem.clone()
        };
        let other = fit(&permuted, 0);
        for (a, b) in one
            .expansion
            .feature_weights
            .iter()
            .zip(&other.expansion.feature_weights)
        {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
        let pa = one.decision.posterior(&one.expansion.evaluate(&problem.x));
        let pb = other
            .decision
            .posterior(&other.expansion.evaluate(&problem.x));
        for i in 0..60 {
            for c in 0..3 {
                assert!((pa[(i, c)] - pb[(i, recode[c])]).abs() < 1e-2);
            }
        }
    }

    #[test]
    fn an_enormous_penalty_leaves_the_priors() {
        let problem = with_noise(30, 3, 2, 9);
        let fit = SparseKos::new(&Options::default())
            .fit(&problem, &candidate(1.0, 1e-2, 100.0))
            .expect("fits");
        assert!(fit.expansion.feature_weights.iter().all(|w| *w == 0.0));
        assert!((fit.report.objective.expect("known") - 1.0).abs() < 1e-12);
        let p = fit.decision.posterior(&fit.expansion.evaluate(&problem.x));
        for row in p.iter_rows() {
            assert!((row[0] - problem.priors[0]).abs() < 1e-9);
        }
        // Classes of different size, too, where rounding could speak up.
        for seed in 0..20 {
            let mut uneven = with_noise(41, 3, 2, 20 + seed);
            let codes: Vec<usize> = (0..41).map(|i| usize::from(i % 3 == 0)).collect();
            uneven.labels =
                Labels::from_codes(codes, uneven.labels.classes().to_vec()).expect("codes fit");
            uneven.priors = vec![27.0 / 41.0, 14.0 / 41.0];
            let fit = SparseKos::new(&Options::default())
                .fit(&uneven, &candidate(1.0, 1e-2, 100.0))
                .expect("fits");
            let p = fit.decision.posterior(&fit.expansion.evaluate(&uneven.x));
            assert!(
                p.iter_rows()
                    .all(|r| (r[0] - uneven.priors[0]).abs() < 1e-9)
            );
        }
    }

    #[test]
    fn more_features_than_rows() {
        let problem = with_noise(30, 60, 2, 11);
        let fit = SparseKos::new(&Options::default())
            .fit(&problem, &candidate(6.0, 1e-2, 0.05))
            .expect("fits");
        let kept = fit
            .expansion
            .feature_weights
            .iter()
            .filter(|w| **w != 0.0)
            .count();
        assert!(kept > 0 && kept < 30, "{kept}");
        assert!(fit.report.residual.expect("known") < 1e-4);
    }
}
