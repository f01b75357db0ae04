//! The current weights, and the ways to update them.

use super::{Slopes, Stopping, WeightedLoss};
use crate::error::Result;
use crate::solver::box_quadratic::{Correction, box_lasso, minimise};

/// Weights below this are set to zero.
const ZERO: f64 = 1e-3;
/// Radius of the trust region: at the start of a penalty, and the largest one.
const RADIUS: (f64, f64) = (0.3, 1.0);
/// A step is taken if it gains more than this share of what was predicted.
const LEAST_RATIO: f64 = 1e-4;
/// Values that a returning weight may take.
const RETURNS: [f64; 4] = [0.02, 0.1, 0.3, 1.0];
/// Smallest gain of a drop or return.
const MOVE_GAIN: f64 = 1e-6;
/// The most drops, and the most returns, that a round tries: those that promise most.
const MOVES: usize = 12;

/// Weights with the loss and its derivatives there.
pub(super) struct Iterate<S> {
    pub(super) penalty: f64,
    pub(super) w: Vec<f64>,
    pub(super) state: S,
    pub(super) slopes: Slopes,
    /// `F(w)`.
    pub(super) value: f64,
    pub(super) objective: f64,
    pub(super) steps: usize,
    pub(super) trace: Vec<f64>,
}

/// `lambda |w|_1`.
fn cost(penalty: f64, w: &[f64]) -> f64 {
    penalty * w.iter().map(|v| v.abs()).sum::<f64>()
}

impl<S> Iterate<S> {
    pub(super) fn new(penalty: f64, w: Vec<f64>, value: f64, state: S, slopes: Slopes) -> Self {
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

    pub(super) fn go<L: WeightedLoss<State = S>>(
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
    pub(super) fn residual(&self) -> f64 {
        let gaps = self
            .w
            .iter()
            .zip(&self.slopes.gradient)
            .filter(|(w, _)| **w != 0.0);
        gaps.map(|(&w, g)| (w - (w - g - self.penalty).clamp(0.0, 1.0)).abs())
            .fold(0.0, f64::max)
    }

    pub(super) fn trust_region<L: WeightedLoss<State = S>>(
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
            // A step that gains next to nothing of what was predicted is refused, whatever it
            // gains.
            let own = cost(self.penalty, &w);
            let there = loss.evaluate_below(&w, self.objective - own + LEAST_RATIO * value)?;
            let ratio = there.as_ref().map_or(f64::NEG_INFINITY, |(loss, _)| {
                (self.objective - loss - own) / -value
            });
            if ratio > 0.75 && reach > 0.99 * radius {
                radius = (2.0 * radius).min(RADIUS.1);
            } else if ratio.is_nan() || ratio < 0.25 {
                radius = reach / 3.0;
            }
            if let Some((loss_there, state)) = there.filter(|_| ratio > LEAST_RATIO) {
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

    /// Solves eq. 14-16 at the current weights and halves the step until the objective falls.
    pub(super) fn linearised_steps<L: WeightedLoss<State = S>>(
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

    /// Takes the best of the drops and returns that lower the objective. Returns `false` when none
    /// does.
    pub(super) fn best_move<L: WeightedLoss<State = S>>(
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
                // The change that the quadratic model predicts for a drop to zero.
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
                    // The loss flattens out: what the slope at zero does not promise is not there.
                    let reach = if loss.is_even() { value * value } else { value };
                    if value > 0.0 && -speaks[j] * reach <= self.penalty * value {
                        continue;
                    }
                    let mut w = self.w.clone();
                    w[j] = value;
                    let cost = cost(self.penalty, &w);
                    if let Some((value, state)) =
                        loss.evaluate_near(&w, least - cost, &self.state)?
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
