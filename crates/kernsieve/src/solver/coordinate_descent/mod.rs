//! Quadratic functions with an L1 penalty, by coordinate descent with Newton steps.
//!
//! ```text
//! min_w  w'Gw / 2 - c'w + l1 |w|_1 + l2 |w|^2 / 2
//! ```
//!
//! A sweep minimises over one coordinate after the other and keeps the slope `q = c - G w` up to
//! date. This takes `O(m)` for a coordinate that moves and `O(1)` for one that stays.
//!
//! Sweeps converge slowly for correlated columns and small penalties. There, a Newton step on the
//! nonzero coordinates goes to the minimum for their current signs, or as far as the first sign
//! change, where that coordinate becomes zero. The objective never rises. The Cholesky factor of a
//! step is kept while few nonzero coordinates enter or leave, so along a path of penalties most
//! steps cost only a few triangular solves.

mod fused;
mod newton;

use crate::linalg::Matrix;
use fused::{Sweep, fused};
use newton::{Factor, Newton};

pub(super) use fused::{row_products, subtract_rows};

/// The penalty `l1 |w|_1 + l2 |w|^2 / 2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// Factor of the absolute values.
    pub l1: f64,
    /// Factor of half the squares.
    pub l2: f64,
}

impl Penalty {
    /// `sparsity * (ratio |w|_1 + (1 - ratio) |w|^2 / 2)`.
    pub fn mixed(sparsity: f64, ratio: f64) -> Self {
        Self {
            l1: sparsity * ratio,
            l2: sparsity * (1.0 - ratio),
        }
    }

    /// Its value at `w`.
    pub fn of(&self, w: &[f64]) -> f64 {
        w.iter()
            .map(|v| self.l1 * v.abs() + 0.5 * self.l2 * v * v)
            .sum()
    }
}

/// Most sweeps.
const SWEEPS: usize = 20_000;
/// Sweeps without progress after which only rounding errors can be left.
const PATIENCE: usize = 100;
/// A Newton step is taken once the sweeps since the last one have spent its flops divided by this:
/// its flops run that much faster.
const NEWTON_RATE: usize = 128;
/// A descent in progress. The matrix may grow, and the next penalty starts at the last solution.
#[derive(Clone, Debug, Default)]
pub struct Descent {
    /// `G`, rows `stride` apart.
    gram: Vec<f64>,
    stride: usize,
    /// Current solution.
    pub w: Vec<f64>,
    /// `c - G w`.
    pub slope: Vec<f64>,
    factor: Option<Factor>,
}

impl Descent {
    /// Number of coordinates.
    pub fn len(&self) -> usize {
        self.w.len()
    }

    /// Whether there are no coordinates.
    pub fn is_empty(&self) -> bool {
        self.w.is_empty()
    }

    /// Adds coordinates, which start at zero. `rows` holds their rows of `G` (all old columns, then
    /// the new ones), and `slopes` their entries of `c - G w`.
    pub fn extend(&mut self, rows: &Matrix, slopes: &[f64]) {
        let (old, new) = (self.len(), slopes.len());
        let size = old + new;
        if size > self.stride {
            let stride = (size + size / 2).next_multiple_of(8);
            let mut gram = vec![0.0; stride * stride];
            for i in 0..old {
                gram[i * stride..i * stride + old]
                    .copy_from_slice(&self.gram[i * self.stride..][..old]);
            }
            (self.gram, self.stride) = (gram, stride);
        }
        for (k, row) in rows.iter_rows().enumerate() {
            self.gram[(old + k) * self.stride..][..size].copy_from_slice(row);
            for (i, v) in row[..old].iter().enumerate() {
                self.gram[i * self.stride + old + k] = *v;
            }
        }
        self.w.resize(size, 0.0);
        self.slope.extend_from_slice(slopes);
        // Positions do not change, so a factor stays valid.
    }

    fn row(&self, j: usize) -> &[f64] {
        &self.gram[j * self.stride..][..self.w.len()]
    }

    /// Sweeps until `measure(w, slope)` is at most `tol` or no longer falls. Returns the number of
    /// sweeps.
    pub fn run(
        &mut self,
        penalty: Penalty,
        tol: f64,
        measure: impl Fn(&[f64], &[f64]) -> f64,
    ) -> usize {
        let mut since_newton = 0;
        let (mut least, mut least_at) = (f64::INFINITY, 0);
        let mut newton_fails = false;
        for sweep in 1..=SWEEPS {
            let active: Vec<usize> = (0..self.len()).filter(|&j| self.w[j] != 0.0).collect();
            // With a factor at hand, a step costs a few solves per coordinate that entered or left.
            let ready = self.has_factor_for(&active, penalty.l2);
            let paid = since_newton * self.len() * NEWTON_RATE >= active.len() * active.len();
            if !active.is_empty() && !newton_fails && (ready || paid && since_newton > 1) {
                let mut active = active;
                // A step that ends where a coordinate becomes zero leaves a smaller set with
                // another minimum. Large sets cannot afford many such steps.
                let most = if active.len() <= 128 {
                    2 * active.len()
                } else {
                    3
                };
                for _ in 0..most {
                    if self.newton(&active, penalty) != Some(Newton::ToZero) {
                        break;
                    }
                    active.retain(|&j| self.w[j] != 0.0);
                }
                newton_fails = self.factor.is_none();
                since_newton = 0;
            }
            self.sweep(penalty);
            since_newton += 1;
            let now = measure(&self.w, &self.slope);
            if now < 0.9 * least {
                (least, least_at) = (now, sweep);
            }
            if now <= tol || sweep >= least_at + PATIENCE {
                return sweep;
            }
        }
        SWEEPS
    }

    /// Moves some coordinates. A move to zero is exact.
    fn advance(&mut self, coordinates: &[usize], by: &[f64]) {
        for (&j, d) in coordinates.iter().zip(by) {
            self.w[j] += d;
        }
        subtract_rows(&mut self.slope, &self.gram, self.stride, coordinates, by);
    }

    fn sweep(&mut self, penalty: Penalty) {
        let task = Sweep {
            gram: &self.gram,
            stride: self.stride,
            w: &mut self.w,
            slope: &mut self.slope,
            penalty,
        };
        fused(task);
    }
}

/// Largest violation of the optimality conditions: `slope - l2 w` must equal `l1 sign(w)` where `w`
/// is not zero, and lie within `l1` of zero elsewhere.
pub fn violation(w: &[f64], slope: &[f64], penalty: Penalty) -> f64 {
    w.iter()
        .zip(slope)
        .map(|(&w, &q)| {
            if w == 0.0 {
                (q.abs() - penalty.l1).max(0.0)
            } else {
                (q - penalty.l2 * w - penalty.l1 * w.signum()).abs()
            }
        })
        .fold(0.0, f64::max)
}
