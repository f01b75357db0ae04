//! Quadratic functions with an L1 penalty, by coordinate descent with Newton steps.
//!
//! ```text
//! min_w  w'Gw / 2 - c'w + l1 |w|_1 + l2 |w|^2 / 2
//! ```
//! A sweep minimises over one coordinate after the other and keeps the slope `q = c - G w` up to date: `O(m)` for a coordinate that moves, `O(1)` for one that
//! stays. Where sweeps creep (correlated columns, small penalties) a Newton step on the nonzero coordinates goes to the minimum for their present signs, or as
//! far as the first sign change, where that coordinate becomes zero: the objective never rises. The Cholesky factor of a step is kept while the set of nonzero
//! coordinates stays, so that along a path of penalties most steps cost two triangular solves.

use crate::linalg::{Cholesky, Matrix};

/// The penalties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// On absolute values.
    pub l1: f64,
    /// On half squares.
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
        w.iter().map(|v| self.l1 * v.abs() + 0.5 * self.l2 * v * v).sum()
    }
}

/// Sweeps before the descent is given up.
const SWEEPS: usize = 20_000;
/// Sweeps without progress, after which rounding must have the upper hand.
const PATIENCE: usize = 100;
/// A Newton step has to be paid for by this many times fewer flops in sweeps: its own run faster.
const NEWTON_RATE: usize = 128;
/// Added to the diagonal of a Newton step, relative to the largest entry: columns may be copies of each other.
const JITTER: f64 = 1e-13;

/// A descent under way: the matrix may grow, and a next penalty starts where the last one ended.
#[derive(Clone, Debug, Default)]
pub struct Descent {
    /// `G`, rows `stride` apart.
    gram: Vec<f64>,
    stride: usize,
    /// Present solution.
    pub w: Vec<f64>,
    /// `c - G w`.
    pub slope: Vec<f64>,
    factor: Option<Factor>,
}

/// How far a Newton step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Newton {
    /// All the way.
    Whole,
    /// Until a coordinate became zero.
    ToZero,
}

/// Cholesky factor of `G + l2 I` on some coordinates.
#[derive(Clone, Debug)]
struct Factor {
    coordinates: Vec<usize>,
    l2: f64,
    cholesky: Cholesky,
}

impl Descent {
    /// Number of coordinates.
    pub fn len(&self) -> usize {
        self.w.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.w.is_empty()
    }

    /// Takes in more coordinates, at zero. `rows` holds their rows of `G` (all old columns, then the new ones), `slopes` their entries of `c - G w`.
    pub fn extend(&mut self, rows: &Matrix, slopes: &[f64]) {
        let (old, new) = (self.len(), slopes.len());
        let size = old + new;
        if size > self.stride {
            let stride = (size + size / 2).next_multiple_of(8);
            let mut gram = vec![0.0; stride * stride];
            for i in 0..old {
                gram[i * stride..i * stride + old].copy_from_slice(&self.gram[i * self.stride..][..old]);
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
        // Positions stay, so a factor stays what it was.
    }

    fn row(&self, j: usize) -> &[f64] {
        &self.gram[j * self.stride..][..self.w.len()]
    }

    /// Sweeps until `measure(w, slope)` is at most `tol`, or no longer falls; gives the number of sweeps.
    pub fn run(&mut self, penalty: Penalty, tol: f64, measure: impl Fn(&[f64], &[f64]) -> f64) -> usize {
        let mut since_newton = 0;
        let (mut least, mut least_at) = (f64::INFINITY, 0);
        let mut newton_fails = false;
        for sweep in 1..=SWEEPS {
            let active: Vec<usize> = (0..self.len()).filter(|&j| self.w[j] != 0.0).collect();
            let ready = self
                .factor
                .as_ref()
                .is_some_and(|f| f.l2 == penalty.l2 && f.coordinates == active);
            let paid = since_newton * self.len() * NEWTON_RATE >= active.len() * active.len();
            if !active.is_empty() && !newton_fails && (ready || paid && since_newton > 1) {
                let mut active = active;
                // A step that ends at zero for a coordinate leaves a smaller set, whose minimum is elsewhere.
                while let Some(step) = self.newton(&active, penalty) {
                    if step == Newton::Whole {
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

    /// The best move of the nonzero coordinates with their present signs, or as much of it as keeps them. `None` when there is nothing to move, or no factor,
    /// which is then gone.
    fn newton(&mut self, active: &[usize], penalty: Penalty) -> Option<Newton> {
        let m = active.len();
        let ready = self
            .factor
            .as_ref()
            .is_some_and(|f| f.l2 == penalty.l2 && f.coordinates == active);
        if !ready {
            let largest = active.iter().map(|&j| self.row(j)[j]).fold(0.0, f64::max);
            let mut g = Matrix::zeros(m, m);
            for (i, &a) in active.iter().enumerate() {
                let row = self.row(a);
                g.row_mut(i).iter_mut().zip(active).for_each(|(v, &b)| *v = row[b]);
                g[(i, i)] += penalty.l2 + JITTER * largest;
            }
            self.factor = Cholesky::new(g).ok().map(|cholesky| Factor {
                coordinates: active.to_vec(),
                l2: penalty.l2,
                cholesky,
            });
        }
        let factor = self.factor.as_ref()?;
        let downhill = |&j: &usize| self.slope[j] - penalty.l2 * self.w[j] - penalty.l1 * self.w[j].signum();
        let mut step = Matrix::from_vec(active.iter().map(downhill).collect(), m, 1);
        factor.cholesky.solve_in_place(&mut step);
        let mut step = step.into_vec();
        if step.iter().any(|d| !d.is_finite()) {
            self.factor = None;
            return None;
        }
        let from: Vec<f64> = active.iter().map(|&j| self.w[j]).collect();
        let crossing: Vec<usize> = (0..m).filter(|&k| from[k] * (from[k] + step[k]) < 0.0).collect();
        if !crossing.is_empty() {
            // All the way, coordinates that would change their sign to zero: nearly always downhill. If not, as far as the first such coordinate.
            let mut all_the_way = step.clone();
            crossing.iter().for_each(|&k| all_the_way[k] = -from[k]);
            let (w, slope) = (self.w.clone(), self.slope.clone());
            let before = penalty.of(&w);
            self.advance(active, &all_the_way);
            let moved = active.iter().zip(&all_the_way);
            // f(w + d) - f(w) = -q'd + d'Gd / 2, and G d is by how much the slopes fell.
            let quadratic: f64 = moved.map(|(&j, d)| -0.5 * d * (slope[j] + self.slope[j])).sum();
            if quadratic + penalty.of(&self.w) - before <= 0.0 {
                return Some(Newton::Whole);
            }
            (self.w, self.slope) = (w, slope);
            let mut share = 1.0;
            let mut first = crossing[0];
            for k in crossing {
                if -from[k] / step[k] < share {
                    (share, first) = (-from[k] / step[k], k);
                }
            }
            step.iter_mut().for_each(|d| *d *= share);
            step[first] = -from[first];
            self.advance(active, &step);
            return Some(Newton::ToZero);
        }
        self.advance(active, &step);
        Some(Newton::Whole)
    }

    /// Moves some coordinates; a move to zero arrives there exactly.
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
        match pulp::Arch::new() {
            pulp::Arch::Scalar => task.all(|a, b, c| a * b + c),
            #[allow(unreachable_patterns)]
            arch => arch.dispatch(task),
        }
    }
}

/// `out -= sum_k by_k m_k` for some rows `m_k` of a matrix whose rows are `stride` apart.
pub(super) fn subtract_rows(out: &mut [f64], matrix: &[f64], stride: usize, rows: &[usize], by: &[f64]) {
    let task = Subtract {
        out,
        matrix,
        stride,
        rows,
        by,
    };
    match pulp::Arch::new() {
        // Without a fused multiply-add instruction `mul_add` would be a slow call.
        pulp::Arch::Scalar => task.all(|a, b, c| a * b + c),
        #[allow(unreachable_patterns)]
        arch => arch.dispatch(task),
    }
}

/// `out_j = m_j'v` for some rows `m_j` of a matrix whose rows are as long as `v`.
pub(super) fn row_products(out: &mut [f64], matrix: &[f64], rows: &[usize], v: &[f64]) {
    let task = Products { out, matrix, rows, v };
    match pulp::Arch::new() {
        pulp::Arch::Scalar => task.all(|a, b, c| a * b + c),
        #[allow(unreachable_patterns)]
        arch => arch.dispatch(task),
    }
}

// Named tasks, not closures: closures of this size are no longer inlined into the code for wide vectors.

struct Subtract<'a> {
    out: &'a mut [f64],
    matrix: &'a [f64],
    stride: usize,
    rows: &'a [usize],
    by: &'a [f64],
}

impl pulp::NullaryFnOnce for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.all(f64::mul_add);
    }
}

impl Subtract<'_> {
    #[inline(always)]
    fn all(self, fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
        for (&j, &d) in self.rows.iter().zip(self.by) {
            let row = &self.matrix[j * self.stride..][..self.out.len()];
            for (o, m) in self.out.iter_mut().zip(row) {
                *o = fma(-d, *m, *o);
            }
        }
    }
}

struct Products<'a> {
    out: &'a mut [f64],
    matrix: &'a [f64],
    rows: &'a [usize],
    v: &'a [f64],
}

impl pulp::NullaryFnOnce for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.all(f64::mul_add);
    }
}

impl Products<'_> {
    #[inline(always)]
    fn all(self, fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
        const LANES: usize = 8;
        let n = self.v.len();
        let whole = n / LANES * LANES;
        for &j in self.rows {
            let row = &self.matrix[j * n..][..n];
            let mut sums = [0.0; LANES];
            for (a, b) in row[..whole]
                .chunks_exact(LANES)
                .zip(self.v[..whole].chunks_exact(LANES))
            {
                for l in 0..LANES {
                    sums[l] = fma(a[l], b[l], sums[l]);
                }
            }
            let rest = row[whole..].iter().zip(&self.v[whole..]);
            let rest = rest.fold(0.0, |s, (a, b)| fma(*a, *b, s));
            self.out[j] = sums.iter().sum::<f64>() + rest;
        }
    }
}

struct Sweep<'a> {
    gram: &'a [f64],
    stride: usize,
    w: &'a mut [f64],
    slope: &'a mut [f64],
    penalty: Penalty,
}

impl pulp::NullaryFnOnce for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.all(f64::mul_add);
    }
}

impl Sweep<'_> {
    #[inline(always)]
    fn all(self, fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
        let Penalty { l1, l2 } = self.penalty;
        let size = self.w.len();
        for j in 0..size {
            let (old, q) = (self.w[j], self.slope[j]);
            if old == 0.0 && q.abs() <= l1 {
                continue;
            }
            let row = &self.gram[j * self.stride..][..size];
            let diagonal = row[j];
            let z = fma(diagonal, old, q);
            let to = if z > l1 {
                (z - l1) / (diagonal + l2)
            } else if z < -l1 {
                (z + l1) / (diagonal + l2)
            } else {
                0.0
            };
            let step = to - old;
            if step == 0.0 || !step.is_finite() {
                continue;
            }
            self.w[j] = to;
            for (q, g) in self.slope.iter_mut().zip(row) {
                *q = fma(-step, *g, *q);
            }
        }
    }
}

/// By how much the slopes break the conditions of a minimum: `slope - l2 w` must be `l1 sign(w)` where `w` is not zero and within `l1` of zero elsewhere.
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
