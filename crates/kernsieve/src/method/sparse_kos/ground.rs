//! A problem reduced to the features that may have a weight, and its loss.

use super::landmark_loss::{LandmarkLoss, LandmarkState};
use super::loss::{ExactLoss, ExactState, LossSetting, Regression, weighted};
use super::params::{LandmarkChoice, Landmarks, Spacing, SparseKos, SparseKosSetting};
use super::{FLOOR, PENALTIES};
use crate::data::Rng;
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::kernel::{Family, Kernel, cross_gram};
use crate::linalg::{Matrix, add_to_rows, matmul};
use crate::method::Problem;
use crate::method::kos::gamma;
use crate::method::landmarks;
use crate::solver::optimal_scoring::contrast_responses;
use crate::solver::sparse_weights::{Slopes, Steps, WeightedLoss};

/// The loss in either form.
pub(super) enum Loss<'a> {
    Exact(ExactLoss<'a>),
    Landmarks(LandmarkLoss<'a>),
}

pub(super) enum State {
    Exact(ExactState),
    Landmarks(LandmarkState),
}

impl Loss<'_> {
    pub(super) fn regression(&self, state: &State) -> Option<Regression> {
        match (self, state) {
            (Self::Exact(loss), State::Exact(state)) => Some(loss.regression(state)),
            (Self::Landmarks(loss), State::Landmarks(state)) => Some(loss.regression(state)),
            _ => None,
        }
    }

    pub(super) fn setting(&self) -> &LossSetting<'_> {
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

    fn is_even(&self) -> bool {
        self.setting().kernel.family() != Family::Laplacian
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

    fn evaluate_near(&self, w: &[f64], bound: f64, near: &State) -> Result<Option<(f64, State)>> {
        match (self, near) {
            (Self::Exact(loss), State::Exact(near)) => Ok(loss
                .evaluate_near(w, bound, near)?
                .map(|(v, s)| (v, State::Exact(s)))),
            _ => self.evaluate_below(w, bound),
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
pub(super) struct Ground<'a> {
    pub(super) problem: &'a Problem,
    pub(super) kernel: Kernel,
    pub(super) features: Vec<usize>,
    pub(super) x: Matrix,
    /// Rows that carry the function, if not all do.
    pub(super) landmarks: Option<Vec<usize>>,
    pub(super) z: Matrix,
    /// `gamma`.
    pub(super) gamma: f64,
}

/// Outputs as a function of kernel values, and the rule on them.
pub(super) struct ReadOut {
    pub(super) coef: Matrix,
    pub(super) offset: Vec<f64>,
    /// Outputs of the training rows.
    pub(super) own: Matrix,
    pub(super) decision: Decision,
}

impl ReadOut {
    /// Outputs of rows that have the features of the ground.
    pub(super) fn evaluate(&self, ground: &Ground<'_>, w: &[f64], rows: &Matrix) -> Matrix {
        let support = ground.support();
        let k = cross_gram(&ground.kernel, &weighted(rows, w), &weighted(support, w));
        let mut z = matmul(k.view(), self.coef.view());
        add_to_rows(&mut z, &self.offset);
        z
    }
}

impl Ground<'_> {
    pub(super) fn support(&self) -> &Matrix {
        if self.landmarks.is_some() {
            &self.z
        } else {
            &self.x
        }
    }

    pub(super) fn loss(&self, steps: Steps) -> Loss<'_> {
        self.loss_with(steps == Steps::Linearised)
    }

    pub(super) fn loss_with(&self, linearised: bool) -> Loss<'_> {
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

    /// `lambda_max = 2 max |beta|` at `w = 1` (section 5.3): at this penalty and above, the first
    /// step of Algorithm 1 sets all weights to zero.
    pub(super) fn largest_penalty(&self) -> Result<f64> {
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
    pub(super) fn embed(&self, w: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.problem.x.cols()];
        self.features.iter().zip(w).for_each(|(&j, &w)| all[j] = w);
        all
    }
}

impl SparseKos {
    /// The reduced problem of a setting on these rows.
    pub(super) fn ground_of<'a>(
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
    pub(super) fn ground<'a>(
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

    /// The ridge: given, or by a rule at `w = 1` with all features (section 5.2). With landmarks,
    /// the rule is applied to a sample of the rows.
    pub(super) fn gamma(
        &self,
        problem: &Problem,
        kernel: &Kernel,
        ridge: Option<f64>,
        sampled: bool,
    ) -> Result<f64> {
        gamma(self.kos.ridge.at(ridge), problem, kernel, sampled)
    }

    /// Starts besides the path: all ones, then random ones, as many as asked for. They are solved
    /// directly at the chosen penalty.
    pub(super) fn starts(&self, problem: &Problem, p: usize) -> Vec<Vec<f64>> {
        let mut rng = Rng::stream(problem.seed, 17);
        (0..self.restarts)
            .map(|k| match k {
                0 => vec![1.0; p],
                _ => (0..p).map(|_| 0.05 + 0.95 * rng.uniform()).collect(),
            })
            .collect()
    }

    /// The shares of `lambda_max` to try, smallest first.
    pub(super) fn shares(&self) -> Vec<f64> {
        match self.spacing {
            Spacing::Log => crate::kernel::log_grid(FLOOR.0, 1.0, PENALTIES),
            Spacing::Linear => (0..PENALTIES)
                .map(|i| FLOOR.1 + (1.0 - FLOOR.1) * i as f64 / (PENALTIES - 1) as f64)
                .collect(),
        }
    }

    /// The penalties of the path to a candidate's penalty, which is the last.
    pub(super) fn penalties(
        &self,
        ground: &Ground<'_>,
        setting: &SparseKosSetting,
    ) -> Result<Vec<f64>> {
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
}
