//! Sparse weights of a nonconvex loss: `min_w F(w) + lambda |w|_1` with `0 <= w_j <= 1` (the sign
//! of a weight has no meaning). `F(w)` is the loss of a regression with optimal coefficients.
//!
//! Lapanowski & Gaynanova (section 4.1) alternate between coefficients and weights. The weights
//! come from a lasso on a box, for the kernel linearised at the last weights (eq. 14-16).
//! [`Steps::Linearised`] does this, with a line search so that the objective never rises. For even
//! kernels a weight at zero never returns, because `dK / dw_j` is proportional to `w_j`, so a long
//! linearised step removes relevant features for good. The default, [`Steps::Projected`], therefore
//! * models `F` with the coefficients eliminated (variable projection, Gauss-Newton) plus rank-one
//!   corrections from the gradients it meets (SR1), within a trust region on `max |dw_j|`, which
//!   starts small;
//! * before it stops, tries to drop each weight, and to bring back each zero weight whose slope in
//!   `v_j = w_j^2`, which does not vanish at zero, outweighs the penalty. It continues from the
//!   best such move.
//!
//! A path of penalties is walked upwards from `w = 1`. Each penalty starts from the last solution.

mod iterate;

use super::box_quadratic::Curvature;
use crate::error::Result;
use iterate::Iterate;
use serde::{Deserialize, Serialize};

/// A loss as a function of weights.
pub trait WeightedLoss {
    /// Intermediate results of an evaluation, which the derivatives reuse.
    type State;

    /// Number of weights.
    fn n_weights(&self) -> usize;

    /// The value at `w = 0`, where no feature is used.
    fn empty(&self) -> f64;

    /// Whether the loss is a function of `v_j = w_j^2`. If not, it is one of `|w_j|`.
    fn is_even(&self) -> bool {
        true
    }

    /// The value at `w`.
    fn evaluate(&self, w: &[f64]) -> Result<(f64, Self::State)>;

    /// The value at `w`, or `None` once it is known to exceed `bound`.
    fn evaluate_below(&self, w: &[f64], _bound: f64) -> Result<Option<(f64, Self::State)>> {
        self.evaluate(w).map(Some)
    }

    /// The same, where the state at similar weights may tell sooner.
    fn evaluate_near(
        &self,
        w: &[f64],
        bound: f64,
        _near: &Self::State,
    ) -> Result<Option<(f64, Self::State)>> {
        self.evaluate_below(w, bound)
    }

    /// Derivatives at `w`.
    fn slopes(&self, w: &[f64], state: &Self::State) -> Result<Slopes>;

    /// Slopes that decide which weights at zero may return. `None` stands for [`Slopes::at_zero`].
    fn returning(&self, _w: &[f64], _state: &Self::State) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }
}

/// Derivatives of a loss.
#[derive(Clone, Debug)]
pub struct Slopes {
    /// `dF / dw_j`.
    pub gradient: Vec<f64>,
    /// Slope that does not vanish at `w_j = 0`: `dF / dv_j` with `v_j = w_j^2` for even kernels,
    /// one-sided `dF / dw_j` otherwise.
    pub at_zero: Vec<f64>,
    /// Gauss-Newton model of the second derivatives, with the coefficients eliminated.
    pub curvature: Curvature,
    /// `2 Q` of eq. 15: the same model with the coefficients held fixed.
    pub linearised: Option<Curvature>,
}

/// How the weights are updated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// Trust region on the loss with its coefficients eliminated, plus drops and returns.
    #[default]
    Projected,
    /// Eq. 14-16 as published, with a line search.
    Linearised,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Stopping {
    /// Largest `|w_j - clip(w_j - dObj/dw_j)|` over the nonzero weights that counts as stationary.
    pub tolerance: f64,
    /// Smallest decrease that justifies a step.
    pub least_gain: f64,
    /// Most steps for one penalty.
    pub most_steps: usize,
    /// Most rounds of drops and returns for one penalty.
    pub rounds: usize,
    /// A drop is not tried if the model predicts that it raises the loss by at least this share of
    /// the loss at `w = 0`.
    pub hopeless: f64,
    /// Radius of the trust region below which the search ends.
    pub least_radius: f64,
}

impl Stopping {
    /// For the fits of a cross-validation and on the way to the last penalty. Drops and returns
    /// seldom lower an error there, but they keep features that a long step would have lost.
    pub const FOLD: Self = Self {
        tolerance: 1e-3,
        least_gain: 1e-5,
        most_steps: 60,
        rounds: 3,
        hopeless: 0.05,
        least_radius: 1e-4,
    };
    /// For the final fit.
    pub const FINAL: Self = Self {
        tolerance: 1e-6,
        least_gain: 1e-13,
        most_steps: 300,
        rounds: 10,
        // As in the folds, so that what they measured is what is fitted.
        hopeless: 0.05,
        least_radius: 1e-9,
    };
    /// For further starts, which are compared by their objective alone: every drop is tried.
    pub const THOROUGH: Self = Self {
        hopeless: f64::INFINITY,
        ..Self::FINAL
    };
}

/// The solution at one penalty of a path.
pub struct Solution<S> {
    /// The penalty.
    pub penalty: f64,
    /// The weights, each from 0 to 1.
    pub weights: Vec<f64>,
    /// `F(w) + lambda |w|_1`.
    pub objective: f64,
    /// Largest `|w_j - clip(w_j - dObj/dw_j)|` over the nonzero weights.
    pub residual: f64,
    /// Steps taken.
    pub steps: usize,
    /// Objective after each step.
    pub trace: Vec<f64>,
    /// The state of the last evaluation.
    pub state: S,
    /// `F(w)` and its derivatives, for the next penalty.
    value: f64,
    slopes: Slopes,
}

/// Minimises for one penalty, from a start.
pub fn solve<L: WeightedLoss>(
    loss: &L,
    penalty: f64,
    start: &[f64],
    steps: Steps,
    stopping: &Stopping,
) -> Result<Solution<L::State>> {
    let (value, state) = loss.evaluate(start)?;
    let slopes = loss.slopes(start, &state)?;
    solve_from(
        loss,
        Iterate::new(penalty, start.to_vec(), value, state, slopes),
        steps,
        stopping,
    )
}

fn solve_from<L: WeightedLoss>(
    loss: &L,
    mut at: Iterate<L::State>,
    steps: Steps,
    stopping: &Stopping,
) -> Result<Solution<L::State>> {
    match steps {
        Steps::Linearised => at.linearised_steps(loss, stopping)?,
        Steps::Projected => {
            at.trust_region(loss, stopping)?;
            for _ in 0..stopping.rounds {
                if !at.best_move(loss, stopping)? {
                    break;
                }
                at.trust_region(loss, stopping)?;
            }
        }
    }
    // Using no feature at all may be better than this solution.
    if at.objective > loss.empty() + 1e-12 {
        let nothing = vec![0.0; loss.n_weights()];
        let (value, state) = loss.evaluate(&nothing)?;
        at.go(loss, nothing, value, state)?;
    }
    Ok(Solution {
        penalty: at.penalty,
        residual: at.residual(),
        weights: at.w,
        objective: at.objective,
        steps: at.steps,
        trace: at.trace,
        state: at.state,
        value: at.value,
        slopes: at.slopes,
    })
}

/// Walks the penalties upwards, each from the last solution. `observe` sees every solution and
/// returns whether to continue. Once all weights are zero, they stay zero.
pub fn path<L: WeightedLoss>(
    loss: &L,
    penalties: &[f64],
    start: &[f64],
    steps: Steps,
    stopping: &Stopping,
    mut observe: impl FnMut(&Solution<L::State>) -> Result<bool>,
) -> Result<()> {
    let mut last: Option<Solution<L::State>> = None;
    for &penalty in penalties {
        let solution = match last {
            None => solve(loss, penalty, start, steps, stopping)?,
            // The loss at the last weights does not depend on the penalty, so nothing is evaluated
            // twice.
            Some(s) => solve_from(
                loss,
                Iterate::new(penalty, s.weights, s.value, s.state, s.slopes),
                steps,
                stopping,
            )?,
        };
        if !observe(&solution)? {
            break;
        }
        last = Some(solution);
    }
    Ok(())
}
