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

use super::box_quadratic::{Correction, Curvature, box_lasso, minimise};
use crate::error::Result;
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

/// Weights below this are set to zero.
const ZERO: f64 = 1e-3;
/// Trust region: at the start of a penalty, and at most.
const RADIUS: (f64, f64) = (0.3, 1.0);
/// Values at which a weight may come back.
const RETURNS: [f64; 4] = [0.02, 0.1, 0.3, 1.0];
/// Smallest gain of a drop or return.
const MOVE_GAIN: f64 = 1e-6;
/// Drops, and returns, that are tried in a round: those that promise most.
const MOVES: usize = 12;

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

struct Iterate<S> {
    penalty: f64,
    w: Vec<f64>,
    state: S,
    slopes: Slopes,
    /// `F(w)`.
    value: f64,
    objective: f64,
    steps: usize,
    trace: Vec<f64>,
}

/// `lambda |w|_1`.
fn cost(penalty: f64, w: &[f64]) -> f64 {
    penalty * w.iter().map(|v| v.abs()).sum::<f64>()
}

impl<S> Iterate<S> {
    fn new(penalty: f64, w: Vec<f64>, value: f64, state: S, slopes: Slopes) -> Self {
        let objective = value + cost(penalty, &w);
        Self {
            penalty,
            slopes,
            w,
            state,
            value,
            objective,
            steps: 0,
            trace: vec![objective],
        }
    }

    fn go<L: WeightedLoss<State = S>>(
        &mut self,
        loss: &L,
        w: Vec<f64>,
        value: f64,
        state: S,
    ) -> Result<()> {
        self.slopes = loss.slopes(&w, &state)?;
        self.objective = value + cost(self.penalty, &w);
        self.w = w;
        self.state = state;
        self.value = value;
        self.steps += 1;
        self.trace.push(self.objective);
        Ok(())
    }

    /// Distance from stationarity over the nonzero weights.
    fn residual(&self) -> f64 {
        let gaps = self
            .w
            .iter()
            .zip(&self.slopes.gradient)
            .filter(|(w, _)| **w != 0.0);
        gaps.map(|(&w, g)| (w - (w - g - self.penalty).clamp(0.0, 1.0)).abs())
            .fold(0.0, f64::max)
    }

    fn trust_region<L: WeightedLoss<State = S>>(
        &mut self,
        loss: &L,
        stopping: &Stopping,
    ) -> Result<()> {
        let mut corrections: Vec<Correction> = Vec::new();
        let mut radius = RADIUS.0;
        for _ in 0..stopping.most_steps {
            if self.residual() < stopping.tolerance {
                break;
            }
            let slope: Vec<f64> = self
                .slopes
                .gradient
                .iter()
                .map(|g| g + self.penalty)
                .collect();
            let bound = |w: f64, far: f64| if w > 0.0 { far } else { 0.0 };
            let lower: Vec<f64> = self
                .w
                .iter()
                .map(|&w| bound(w, (-w).max(-radius)))
                .collect();
            let upper: Vec<f64> = self
                .w
                .iter()
                .map(|&w| bound(w, (1.0 - w).min(radius)))
                .collect();
            let (d, value) = minimise(&slope, &self.slopes.curvature, &corrections, &lower, &upper);
            if -value < stopping.least_gain {
                break;
            }
            let reach = d.iter().fold(0.0, |m, v| f64::max(m, v.abs()));
            let w: Vec<f64> = self
                .w
                .iter()
                .zip(&d)
                .map(|(w, d)| {
                    let to = (w + d).clamp(0.0, 1.0);
                    if to < ZERO { 0.0 } else { to }
                })
                .collect();
            let (loss_there, state) = loss.evaluate(&w)?;
            let ratio = (self.objective - loss_there - cost(self.penalty, &w)) / -value;
            if ratio > 0.75 && reach > 0.99 * radius {
                radius = (2.0 * radius).min(RADIUS.1);
            } else if ratio.is_nan() || ratio < 0.25 {
                radius = reach / 3.0;
            }
            if ratio > 1e-4 {
                let moved: Vec<f64> = w.iter().zip(&self.w).map(|(a, b)| a - b).collect();
                let before = std::mem::take(&mut self.slopes.gradient);
                self.go(loss, w, loss_there, state)?;
                corrections.extend(correction(&self.slopes, &before, &moved, &corrections));
            } else if radius < stopping.least_radius {
                break;
            }
        }
        Ok(())
    }

    /// Eq. 14-16 at the present weights, and back towards them until the objective falls.
    fn linearised_steps<L: WeightedLoss<State = S>>(
        &mut self,
        loss: &L,
        stopping: &Stopping,
    ) -> Result<()> {
        for _ in 0..stopping.most_steps {
            let Some(q2) = &self.slopes.linearised else {
                return Ok(());
            };
            // The gradient at fixed coefficients is 2 (Q w - beta): beta = Q w - gradient / 2.
            let q2w = q2.apply(&self.w);
            let beta2: Vec<f64> = q2w
                .iter()
                .zip(&self.slopes.gradient)
                .map(|(a, g)| a - g)
                .collect();
            let mut to = self.w.clone();
            box_lasso(q2, &beta2, self.penalty, &mut to, 1e-10);
            let mut share = 1.0;
            let gain = loop {
                let w: Vec<f64> = self
                    .w
                    .iter()
                    .zip(&to)
                    .map(|(a, b)| {
                        if share == 1.0 {
                            b.abs()
                        } else {
                            (a + share * (b - a)).abs()
                        }
                    })
                    .collect();
                let (value, state) = loss.evaluate(&w)?;
                let gain = self.objective - value - cost(self.penalty, &w);
                if gain > 0.0 {
                    self.go(loss, w, value, state)?;
                    break gain;
                }
                share *= 0.5;
                if share < 1e-6 {
                    break 0.0;
                }
            };
            if gain < stopping.least_gain || self.residual() < stopping.tolerance {
                break;
            }
        }
        Ok(())
    }

    /// Takes the best of the drops and returns that lower the objective; `false` when none does.
    fn best_move<L: WeightedLoss<State = S>>(
        &mut self,
        loss: &L,
        stopping: &Stopping,
    ) -> Result<bool> {
        let zeros = self.w.contains(&0.0);
        let better = if zeros {
            loss.returning(&self.w, &self.state)?
        } else {
            None
        };
        let speaks = better.as_ref().unwrap_or(&self.slopes.at_zero);
        let mut drops: Vec<(f64, usize)> = Vec::new();
        let mut returns: Vec<(f64, usize)> = Vec::new();
        for (j, &w) in self.w.iter().enumerate() {
            if w > 0.0 {
                // What the quadratic model says of going to zero.
                let slope = self.slopes.gradient[j] + self.penalty;
                let h = self.slopes.curvature.diagonal(j);
                let change = -slope * w + 0.5 * h * w * w;
                if change < stopping.hopeless * loss.empty() {
                    drops.push((change, j));
                }
            } else if -speaks[j] > self.penalty {
                returns.push((speaks[j], j));
            }
        }
        let mut best: Option<(Vec<f64>, f64, S)> = None;
        let mut least = self.objective - MOVE_GAIN;
        for (moves, values) in [(&mut drops, &[0.0][..]), (&mut returns, &RETURNS[..])] {
            moves.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &(_, j) in moves.iter().take(MOVES) {
                for &value in values {
                    let mut w = self.w.clone();
                    w[j] = value;
                    let cost = cost(self.penalty, &w);
                    if let Some((value, state)) = loss.evaluate_below(&w, least - cost)?
                        && value + cost < least
                    {
                        least = value + cost;
                        best = Some((w, value, state));
                    }
                }
            }
        }
        match best {
            None => Ok(false),
            Some((w, value, state)) => {
                self.go(loss, w, value, state)?;
                Ok(true)
            }
        }
    }
}

/// The symmetric rank-one correction that makes the model agree with the last change of the
/// gradient.
fn correction(
    new: &Slopes,
    before: &[f64],
    moved: &[f64],
    known: &[Correction],
) -> Option<Correction> {
    let hs = new.curvature.apply(moved);
    let mut r: Vec<f64> = (0..moved.len())
        .map(|j| new.gradient[j] - before[j] - hs[j])
        .collect();
    for k in known {
        let along = k.vector.iter().zip(moved).map(|(a, b)| a * b).sum::<f64>() / k.divisor;
        r.iter_mut()
            .zip(&k.vector)
            .for_each(|(r, v)| *r -= along * v);
    }
    let divisor: f64 = r.iter().zip(moved).map(|(a, b)| a * b).sum();
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    (divisor.abs() > 1e-8 * norm(&r) * norm(moved)).then_some(Correction { vector: r, divisor })
}
