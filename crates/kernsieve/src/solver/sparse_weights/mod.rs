//! Sparse weights of a nonconvex loss: `min_w F(w) + lambda |w|_1`, `0 <= w_j <= 1` (the sign of a
//! weight is meaningless), where `F` is what is left of a regression once its coefficients are
//! optimal.
//!
//! Lapanowski & Gaynanova (section 4.1) alternate coefficients and weights, the weights by a lasso
//! on a box for the kernel linearised at the last weights (eq. 14-16); [`Steps::Linearised`] is
//! that, with a line search so that the objective never rises. For even kernels a weight at zero
//! never comes back (`dK / dw_j` is proportional to `w_j`), and a long linearised step kills true
//! features for good. The default, [`Steps::Projected`], therefore
//! * models `F` with the coefficients eliminated (variable projection, Gauss-Newton) plus rank-one
//!   corrections from the slopes it meets (SR1), within a trust region on `max |dw_j|`, which
//!   starts small;
//! * before it stops, tries to drop each weight and to bring back each zero whose slope in `v_j =
//!   w_j^2`, which does not vanish at zero, outweighs the penalty, and goes on from the best such
//!   move.
//!
//! A path of penalties is walked upwards from `w = 1`, each start being the last solution.

mod iterate;

use super::box_quadratic::Curvature;
use crate::error::Result;
use iterate::Iterate;
use serde::{Deserialize, Serialize};

/// A loss of weights.
pub trait WeightedLoss {
    /// What an evaluation leaves behind for the derivatives.
    type State;

    /// Number of weights.
    fn n_weights(&self) -> usize;

    /// The value at `w = 0`, which knows no feature.
    fn empty(&self) -> f64;

    /// The value at `w`.
    fn evaluate(&self, w: &[f64]) -> Result<(f64, Self::State)>;

    /// The value at `w`, or `None` once it is known to exceed `bound`.
    fn evaluate_below(&self, w: &[f64], _bound: f64) -> Result<Option<(f64, Self::State)>> {
        self.evaluate(w).map(Some)
    }

    /// Derivatives at `w`.
    fn slopes(&self, w: &[f64], state: &Self::State) -> Result<Slopes>;

    /// Slopes that speak for the return of weights at zero; [`Slopes::at_zero`] where the loss
    /// knows no better.
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
    /// Gauss-Newton model of the second derivatives, coefficients eliminated.
    pub curvature: Curvature,
    /// `2 Q` of eq. 15: the same with the coefficients held fixed.
    pub linearised: Option<Curvature>,
}

/// How weights are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// Trust region on the loss with its coefficients eliminated, with drops and re-entries.
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
    /// Smallest decrease worth a step.
    pub least_gain: f64,
    /// Most steps for one penalty.
    pub most_steps: usize,
    /// Rounds of drops and returns for one penalty.
    pub rounds: usize,
    /// Drops that the model says would raise the loss by this share of what there is to explain are
    /// not tried.
    pub hopeless: f64,
    /// Trust region where it gives up.
    pub least_radius: f64,
}

impl Stopping {
    /// For the fits of a cross-validation and on the way to the last penalty: drops and returns
    /// lower the objective here and there and seldom an error, but keep features that a long step
    /// would have lost.
    pub const FOLD: Self = Self {
        tolerance: 1e-4,
        least_gain: 1e-7,
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
        // As in the folds: what they measured is what is fitted.
        hopeless: 0.05,
        least_radius: 1e-9,
    };
    /// For further starts, whose only judge is the objective: every drop is tried.
    pub const THOROUGH: Self = Self {
        hopeless: f64::INFINITY,
        ..Self::FINAL
    };
}

/// A point of a path.
pub struct Solution<S> {
    /// The penalty.
    pub penalty: f64,
    /// The weights, from 0 to 1.
    pub weights: Vec<f64>,
    /// `F(w) + lambda |w|_1`.
    pub objective: f64,
    /// Largest `|w_j - clip(w_j - dObj/dw_j)|` over the nonzero weights.
    pub residual: f64,
    /// Steps taken.
    pub steps: usize,
    /// Objective after each step.
    pub trace: Vec<f64>,
    /// What the last evaluation left.
    pub state: S,
    /// `F(w)` and its derivatives, for the next penalty.
    value: f64,
    slopes: Slopes,
}

/// Minimises for one penalty from a start.
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
    // Knowing no feature at all may be better than all this.
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

/// Walks penalties upwards, each solution being the start of the next; `observe` sees every one and
/// says whether to go on. Once all weights are zero they stay so.
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
            // The loss at the last weights does not depend on the penalty: nothing is evaluated
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
