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

#[cfg(test)]
mod tests;

use super::kos::{GAMMA, Kos, Ridge, RidgeRule, ridge_value, rotation};
use super::{
    About, Certificate, CvEntry, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Outputs,
    PathStep, Problem, Refinement, Setting, Sparse, landmarks, some,
};
use crate::data::Rng;
use crate::decision::{Decision, argmax};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, center_gram_weighted, cross_gram, gram};
use crate::linalg::{Matrix, add_to_rows, matmul};
use crate::params::{
    BANDWIDTHS, DEGREE, Fallback, KERNEL, KernelChoice, Kind, MAHALANOBIS, Param, Protocol,
    RIDGE_RULE, Range, Rule, SHIFT, SLOPE, VOTE,
};
use crate::solver::optimal_scoring::contrast_responses;
use crate::solver::ridge::{Shifted, scale_gram};
use crate::solver::sparse_weights::{Slopes, Solution, Steps, Stopping, WeightedLoss, path, solve};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

mod loss;
use loss::{ExactLoss, ExactState, LandmarkLoss, LandmarkState, LossSetting, Regression, weighted};

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
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths`, `degree`, `slope`, `shift` | Gaussian, tuned | | the kernel |
/// | `ridge`, `ridge_rule`, `mahalanobis` | | | as in [`super::kos`] |
/// | `sparsity` | tuned | 0 or more | penalty on the feature weights, `lambda` |
/// | `spacing` | log | | how the penalties that are tried are spaced |
/// | `weight_steps` | projected | | how the weights are moved |
/// | `restarts` | 0 | at most 1000 | starts besides the path, from ones and random weights |
/// | `vote` | yes | | features are those that most folds keep within one standard error |
/// | `candidates`, `landmarks` | all rows | 2 or more | landmarks, and how they are found |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SparseKos {
    #[serde(flatten)]
    kos: Kos,
    sparsity: Option<f64>,
    spacing: Spacing,
    weight_steps: Steps,
    restarts: usize,
    vote: bool,
    #[serde(flatten)]
    landmarks: LandmarkChoice,
}

impl Default for SparseKos {
    fn default() -> Self {
        Self {
            kos: Kos::default(),
            sparsity: None,
            spacing: Spacing::default(),
            weight_steps: Steps::default(),
            restarts: 0,
            vote: true,
            landmarks: LandmarkChoice::default(),
        }
    }
}

/// How the penalties are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Evenly in the logarithm, from a thousandth of the largest.
    #[default]
    Log,
    /// Evenly, from 1e-10 of the largest (Lapanowski & Gaynanova, section 5.3).
    Linear,
}

/// How landmarks are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landmarks {
    /// Drawn by class.
    #[default]
    Sample,
    /// Orthogonal least squares among three times as many.
    Ols,
}

/// What carries the function: all rows, or landmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenLandmarks", into = "WrittenLandmarks")]
enum LandmarkChoice {
    #[default]
    AllRows,
    Landmarks(usize, Landmarks),
}

#[derive(Serialize, Deserialize)]
struct WrittenLandmarks {
    #[serde(default)]
    candidates: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    landmarks: Option<Landmarks>,
}

impl From<WrittenLandmarks> for LandmarkChoice {
    fn from(written: WrittenLandmarks) -> Self {
        match written.candidates {
            None => Self::AllRows,
            Some(m) => Self::Landmarks(m, written.landmarks.unwrap_or_default()),
        }
    }
}

impl From<LandmarkChoice> for WrittenLandmarks {
    fn from(choice: LandmarkChoice) -> Self {
        match choice {
            LandmarkChoice::AllRows => Self {
                candidates: None,
                landmarks: None,
            },
            LandmarkChoice::Landmarks(m, how) => Self {
                candidates: Some(m),
                landmarks: Some(how),
            },
        }
    }
}

impl LandmarkChoice {
    /// The number of landmarks.
    fn count(self) -> Option<usize> {
        match self {
            Self::AllRows => None,
            Self::Landmarks(m, _) => Some(m),
        }
    }
}

/// A setting of sparse kernel optimal scoring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparseKosSetting {
    /// The kernel.
    pub kernel: Kernel,
    /// The ridge; `None` where a rule finds it in every fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<f64>,
    /// Penalty on the weights of the features.
    pub sparsity: f64,
    /// The same as a share of the penalty from which on all weights are zero at the first step;
    /// `None` for a penalty that the user gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparsity_share: Option<f64>,
    /// The only features that may have a weight; `None` is all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<usize>>,
}

impl Setting for SparseKosSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn penalty(&self) -> f64 {
        self.sparsity_share.unwrap_or(self.sparsity)
    }

    fn ridge(&self) -> Option<f64> {
        self.ridge
    }

    /// Ties go to the larger penalty, relative to the largest of its path, then to the smaller
    /// quantile: the order of the arms.
    fn preferred(&self, other: &Self) -> Ordering {
        other.penalty().total_cmp(&self.penalty())
    }
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

    fn setting(&self) -> &LossSetting<'_> {
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
    /// A Gaussian kernel; bandwidth and penalty tuned, the ridge by stabilization.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kos = self.kos.kernel(kernel);
        self
    }

    /// With the ridge and the rule of this method.
    pub fn scoring(mut self, kos: Kos) -> Self {
        self.kos = kos;
        self
    }

    /// With this penalty on the weights of the features.
    pub fn sparsity(mut self, sparsity: f64) -> Self {
        self.sparsity = Some(sparsity);
        self
    }

    /// With penalties so spaced.
    pub fn spacing(mut self, spacing: Spacing) -> Self {
        self.spacing = spacing;
        self
    }

    /// With weights that are moved in these steps.
    pub fn weight_steps(mut self, steps: Steps) -> Self {
        self.weight_steps = steps;
        self
    }

    /// With so many starts besides the path.
    pub fn restarts(mut self, restarts: usize) -> Self {
        self.restarts = restarts;
        self
    }

    /// With or without a vote of the folds on the features.
    pub fn vote(mut self, vote: bool) -> Self {
        self.vote = vote;
        self
    }

    /// With so many landmarks, found in this way, that carry the function.
    pub fn candidates(mut self, landmarks: usize, how: Landmarks) -> Self {
        self.landmarks = LandmarkChoice::Landmarks(landmarks, how);
        self
    }

    /// What a setting makes of these rows.
    fn ground_of<'a>(
        &self,
        problem: &'a Problem,
        setting: &SparseKosSetting,
    ) -> Result<Ground<'a>> {
        self.ground(
            problem,
            setting.kernel,
            setting.ridge,
            setting.features.as_deref(),
        )
    }

    /// The features, landmarks and ridge of a setting on these rows.
    fn ground<'a>(
        &self,
        problem: &'a Problem,
        kernel: Kernel,
        ridge: Option<f64>,
        features: Option<&[usize]>,
    ) -> Result<Ground<'a>> {
        let active: Vec<usize> = (0..problem.x.cols())
            .filter(|&j| problem.feature_weights[j] != 0.0)
            .collect();
        let features = match features {
            None => active,
            Some(own) => own.iter().copied().filter(|j| active.contains(j)).collect(),
        };
        let landmarks = match self.landmarks {
            LandmarkChoice::Landmarks(m, how) if m < problem.n() => Some(match how {
                Landmarks::Sample => landmarks::by_class(problem, m),
                Landmarks::Ols => landmarks::by_selection(problem, &kernel, m)?,
            }),
            _ => None,
        };
        let x = problem.x.select_columns(&features);
        let z = landmarks
            .as_ref()
            .map_or(Matrix::zeros(0, 0), |rows| x.select_rows(rows));
        Ok(Ground {
            gamma: self.gamma(problem, &kernel, ridge, landmarks.is_some())?,
            problem,
            kernel,
            features,
            x,
            landmarks,
            z,
        })
    }

    /// The ridge: given, or by a rule at `w = 1` with all features (section 5.2). With landmarks
    /// the rule sees a sample of the rows.
    fn gamma(
        &self,
        problem: &Problem,
        kernel: &Kernel,
        ridge: Option<f64>,
        sampled: bool,
    ) -> Result<f64> {
        let ridge = self.kos.ridge.at(ridge);
        if let Ridge::Fixed(gamma) = ridge {
            return Ok(gamma);
        }
        let sample = (sampled && problem.n() > RIDGE_ROWS)
            .then(|| landmarks::by_class(problem, RIDGE_ROWS))
            .map(|rows| problem.select(&rows));
        let seen = sample.as_ref().unwrap_or(problem);
        let classes = seen.classes();
        let mut m = gram(kernel, &seen.x);
        center_gram_weighted(&mut m, classes.weights());
        scale_gram(&mut m, &classes);
        let y = contrast_responses(&classes);
        let m = if kernel.family().is_definite() {
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
    fn starts(&self, problem: &Problem, p: usize) -> Vec<Vec<f64>> {
        let mut rng = Rng::stream(problem.seed, 17);
        (0..self.restarts)
            .map(|k| match k {
                0 => vec![1.0; p],
                _ => (0..p).map(|_| 0.05 + 0.95 * rng.uniform()).collect(),
            })
            .collect()
    }

    /// The shares of `lambda_max` that are tried, smallest first.
    fn shares(&self) -> Vec<f64> {
        match self.spacing {
            Spacing::Log => crate::kernel::log_grid(FLOOR.0, 1.0, PENALTIES),
            Spacing::Linear => (0..PENALTIES)
                .map(|i| FLOOR.1 + (1.0 - FLOOR.1) * i as f64 / (PENALTIES - 1) as f64)
                .collect(),
        }
    }

    /// The penalties on the way to that of a candidate, which is the last.
    fn penalties(&self, ground: &Ground<'_>, setting: &SparseKosSetting) -> Result<Vec<f64>> {
        let last = setting.sparsity;
        let most = match setting.sparsity_share {
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

    fn one_se_bound(entry: &CvEntry<SparseKosSetting>, n: f64) -> f64 {
        // Standard error of a count: that of a Poisson variable, which is not zero where no error
        // was seen.
        let errors = entry.error.unwrap_or(1.0) * n;
        (errors + (errors + 1.0).sqrt()) / n
    }
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
        let setting = LossSetting {
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

const PARAMS: &[Param] = &[
    KERNEL,
    BANDWIDTHS,
    DEGREE,
    SLOPE,
    SHIFT,
    GAMMA,
    RIDGE_RULE,
    MAHALANOBIS,
    Param::new(
        "sparsity",
        Kind::Number {
            range: Range::NotNegative,
            letter: "L",
        },
        Fallback::Absent("tuned"),
        "L1 penalty on the feature weights, lambda",
    )
    .usual(),
    Param::new(
        "spacing",
        Kind::Word(&["log", "linear"], ""),
        Fallback::Word("log"),
        "Spacing of the penalties that are tried; linear is the paper's",
    ),
    Param::new(
        "weight_steps",
        Kind::Word(&["projected", "linearised"], ""),
        Fallback::Word("projected"),
        "Steps of the weights; linearised is the paper's Algorithm 1 with a line search",
    ),
    Param::new(
        "restarts",
        Kind::Count {
            least: 0,
            most: 1000,
            letter: "R",
        },
        Fallback::Count(0),
        "Also start at the penalty itself, from R weightings, and keep the least objective",
    ),
    VOTE,
    Param::new(
        "candidates",
        Kind::Count {
            least: 2,
            most: u64::MAX,
            letter: "M",
        },
        Fallback::Absent("all rows"),
        "M landmarks carry the function, for many rows",
    ),
    Param::new(
        "landmarks",
        Kind::Word(&["sample", "ols"], ""),
        Fallback::Word("sample"),
        "How the landmarks of `candidates` are found: drawn by class, or by orthogonal least squares",
    ),
];

impl Method for SparseKos {
    type Setting = SparseKosSetting;

    const ABOUT: About = About {
        name: "sparse-kos",
        class: "SparseKOS",
        title: "kernel optimal scoring with feature weights, useless ones dropped",
        plain: "kernel scoring, weighted features (sparse KOS)",
        summary: "Kernel optimal scoring with a weight for every feature inside the kernel. Those of \
                  useless features are exactly zero.",
        paper: "Lapanowski & Gaynanova 2019",
        tuned: "bandwidth, penalty",
        decides: "nearest centroid and priors",
        sparse: Sparse::Features,
        outputs: Outputs::Scores,
        calibrated: true,
        class_weight_is_cost: true,
        params: PARAMS,
        auto: true,
        feasible: |n, p, _| n as f64 * n as f64 * p as f64 <= 1e6,
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
        // As good as the best, but for one row: a looser bound would trade accuracy for sparsity on
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
            discriminant: None,
            certificate: Certificate::Weights,
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
                start: (self.restarts > 0).then_some((start, self.restarts + 1)),
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
