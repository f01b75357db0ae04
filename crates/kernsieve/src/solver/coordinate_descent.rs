//! Quadratic functions with an L1 penalty, by coordinate descent with Newton steps.
//!
//! ```text
//! min_w  w'Gw / 2 - c'w + l1 |w|_1 + l2 |w|^2 / 2
//! ```
//! A sweep minimises over one coordinate after the other and keeps the slope `q = c - G w` up to
//! date: `O(m)` for a coordinate that moves, `O(1)` for one that stays. Where sweeps creep
//! (correlated columns, small penalties) a Newton step on the nonzero coordinates goes to the
//! minimum for their present signs, or as far as the first sign change, where that coordinate
//! becomes zero: the objective never rises. The Cholesky factor of a step is kept while few of the
//! nonzero coordinates leave or come, so that along a path of penalties most steps cost a few
//! triangular solves.

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
        w.iter()
            .map(|v| self.l1 * v.abs() + 0.5 * self.l2 * v * v)
            .sum()
    }
}

/// Sweeps before the descent is given up.
const SWEEPS: usize = 20_000;
/// Sweeps without progress, after which rounding must have the upper hand.
const PATIENCE: usize = 100;
/// A Newton step has to be paid for by this many times fewer flops in sweeps: its own run faster.
const NEWTON_RATE: usize = 128;
/// A factor serves while at most one in so many of its coordinates has left or come.
const CHANGED_SHARE: usize = 16;
/// Added to the diagonal of a Newton step, relative to the largest entry: columns may be copies of
/// each other.
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
    /// What was added to the diagonal besides.
    jitter: f64,
    cholesky: Cholesky,
    /// What became of coordinates since, solved with the factor: steps that follow each other have
    /// most of them in common.
    changes: Vec<(Change, Vec<f64>)>,
}

/// By what the coordinates of a factor differ from those of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// This coordinate came: a column of `G`.
    Came(usize),
    /// The one at this place left: a column of `I`.
    Left(usize),
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

    /// Takes in more coordinates, at zero. `rows` holds their rows of `G` (all old columns, then
    /// the new ones), `slopes` their entries of `c - G w`.
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
        // Positions stay, so a factor stays what it was.
    }

    fn row(&self, j: usize) -> &[f64] {
        &self.gram[j * self.stride..][..self.w.len()]
    }

    /// Sweeps until `measure(w, slope)` is at most `tol`, or no longer falls; gives the number of
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
            // With a factor at hand a step costs a few solves for every coordinate that left or
            // came.
            let ready = self.has_factor_for(&active, penalty.l2);
            let paid = since_newton * self.len() * NEWTON_RATE >= active.len() * active.len();
            if !active.is_empty() && !newton_fails && (ready || paid && since_newton > 1) {
                let mut active = active;
                // A step that ends at zero for a coordinate leaves a smaller set, whose minimum is
                // elsewhere. Large sets cannot afford many of them.
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

    /// Whether the factor at hand is that of these coordinates but for a few.
    fn has_factor_for(&self, active: &[usize], l2: f64) -> bool {
        self.factor.as_ref().is_some_and(|f| {
            f.l2 == l2 && difference(&f.coordinates, active) <= f.coordinates.len() / CHANGED_SHARE
        })
    }

    /// The best move of the nonzero coordinates with their present signs, or as much of it as keeps
    /// them. `None` when there is nothing to move, or no factor, which is then gone.
    fn newton(&mut self, active: &[usize], penalty: Penalty) -> Option<Newton> {
        let m = active.len();
        if !self.has_factor_for(active, penalty.l2) {
            let jitter = JITTER * active.iter().map(|&j| self.row(j)[j]).fold(0.0, f64::max);
            let mut g = Matrix::zeros(m, m);
            for (i, &a) in active.iter().enumerate() {
                let row = self.row(a);
                g.row_mut(i)
                    .iter_mut()
                    .zip(active)
                    .for_each(|(v, &b)| *v = row[b]);
                g[(i, i)] += penalty.l2 + jitter;
            }
            self.factor = Cholesky::new(g).ok().map(|cholesky| Factor {
                coordinates: active.to_vec(),
                l2: penalty.l2,
                jitter,
                cholesky,
                changes: vec![],
            });
        }
        let mut factor = self.factor.take()?;
        let downhill =
            |&j: &usize| self.slope[j] - penalty.l2 * self.w[j] - penalty.l1 * self.w[j].signum();
        let downhill: Vec<f64> = active.iter().map(downhill).collect();
        let step = self.solve(&mut factor, active, &downhill);
        let mut step = step.filter(|s| s.iter().all(|d| d.is_finite()))?;
        self.factor = Some(factor);
        let from: Vec<f64> = active.iter().map(|&j| self.w[j]).collect();
        let crossing: Vec<usize> = (0..m)
            .filter(|&k| from[k] * (from[k] + step[k]) < 0.0)
            .collect();
        if !crossing.is_empty() {
            // All the way, coordinates that would change their sign to zero: nearly always
            // downhill. If not, as far as the first such coordinate.
            let mut all_the_way = step.clone();
            crossing.iter().for_each(|&k| all_the_way[k] = -from[k]);
            let (w, slope) = (self.w.clone(), self.slope.clone());
            let before = penalty.of(&w);
            self.advance(active, &all_the_way);
            let moved = active.iter().zip(&all_the_way);
            // f(w + d) - f(w) = -q'd + d'Gd / 2, and G d is by how much the slopes fell.
            let quadratic: f64 = moved
                .map(|(&j, d)| -0.5 * d * (slope[j] + self.slope[j]))
                .sum();
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

    /// Solves `(G + l2 I) u = b` on some coordinates with the factor `F` of others, of which a few
    /// `D` left and a few `E` came: with `B = [G_E, I_D]` and multipliers for the entries that have
    /// to be zero it is a system of the order of the changes (its Schur complement), of `F^-1 b`
    /// and the columns of `F^-1 B`.
    fn solve(&self, factor: &mut Factor, active: &[usize], b: &[f64]) -> Option<Vec<f64>> {
        let old = &factor.coordinates;
        let came = active.iter().filter(|j| old.binary_search(j).is_err());
        let left = (0..old.len()).filter(|&k| active.binary_search(&old[k]).is_err());
        let changes: Vec<Change> = came
            .map(|&j| Change::Came(j))
            .chain(left.map(Change::Left))
            .collect();
        let column = |change: Change| -> Vec<f64> {
            match change {
                Change::Came(j) => old.iter().map(|&i| self.row(j)[i]).collect(),
                Change::Left(k) => (0..old.len()).map(|i| f64::from(i == k)).collect(),
            }
        };
        let place = |factor: &Factor, change: Change| {
            factor
                .changes
                .iter()
                .position(|(known, _)| *known == change)
        };
        let new: Vec<Change> = changes
            .iter()
            .copied()
            .filter(|&c| place(factor, c).is_none())
            .collect();
        let at = |j: usize| active.binary_search(&j).ok();
        // The right-hand side and the new columns at once, a row of this each.
        let mut rows: Vec<f64> = old.iter().map(|&j| at(j).map_or(0.0, |k| b[k])).collect();
        new.iter().for_each(|&c| rows.extend(column(c)));
        let mut solved = Matrix::from_vec(rows, 1 + new.len(), old.len()).transpose();
        factor.cholesky.solve_in_place(&mut solved);
        let solved = solved.transpose();
        let own = solved.row(0);
        factor.changes.extend(
            new.iter()
                .enumerate()
                .map(|(k, &c)| (c, solved.row(k + 1).to_vec())),
        );
        let columns: Vec<&[f64]> = changes
            .iter()
            .filter_map(|&c| place(factor, c).map(|k| factor.changes[k].1.as_slice()))
            .collect();
        // An entry of B'v.
        let old = &factor.coordinates;
        let with = |change: Change, v: &[f64]| match change {
            Change::Came(j) => old.iter().zip(v).map(|(&i, v)| self.row(j)[i] * v).sum(),
            Change::Left(k) => v[k],
        };
        let k = changes.len();
        let mut small = Matrix::from_fn(k, k, |r, c| {
            let between = match (changes[r], changes[c]) {
                (Change::Came(i), Change::Came(j)) => {
                    self.row(i)[j]
                        + if r == c {
                            factor.l2 + factor.jitter
                        } else {
                            0.0
                        }
                }
                _ => 0.0,
            };
            between - with(changes[r], columns[c])
        });
        let right = |change: Change| match change {
            Change::Came(j) => at(j).map_or(0.0, |p| b[p]),
            Change::Left(_) => 0.0,
        };
        let mut z: Vec<f64> = changes.iter().map(|&c| right(c) - with(c, own)).collect();
        eliminate(&mut small, &mut z)?;
        let mut u = vec![0.0; active.len()];
        for (i, &j) in old.iter().enumerate() {
            if let Some(p) = at(j) {
                u[p] = own[i] - columns.iter().zip(&z).map(|(c, z)| c[i] * z).sum::<f64>();
            }
        }
        for (change, z) in changes.iter().zip(&z) {
            if let Change::Came(j) = change
                && let Some(p) = at(*j)
            {
                u[p] = *z;
            }
        }
        Some(u)
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
        fused(task);
    }
}

/// How many coordinates are in one of two ascending lists only.
fn difference(a: &[usize], b: &[usize]) -> usize {
    let shared = a.iter().filter(|j| b.binary_search(j).is_ok()).count();
    a.len() + b.len() - 2 * shared
}

/// Solves a small system by Gaussian elimination with pivots; `None` when it is singular.
fn eliminate(a: &mut Matrix, b: &mut [f64]) -> Option<()> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).reduce(|p, r| {
            if a[(r, c)].abs() > a[(p, c)].abs() {
                r
            } else {
                p
            }
        })?;
        if a[(pivot, c)].abs() < f64::MIN_POSITIVE || !a[(pivot, c)].is_finite() {
            return None;
        }
        for k in 0..n {
            let (upper, lower) = (a[(c, k)], a[(pivot, k)]);
            (a[(c, k)], a[(pivot, k)]) = (lower, upper);
        }
        b.swap(c, pivot);
        for r in c + 1..n {
            let factor = a[(r, c)] / a[(c, c)];
            if factor != 0.0 {
                (c..n).for_each(|k| a[(r, k)] -= factor * a[(c, k)]);
                b[r] -= factor * b[c];
            }
        }
    }
    for r in (0..n).rev() {
        let known: f64 = (r + 1..n).map(|k| a[(r, k)] * b[k]).sum();
        b[r] = (b[r] - known) / a[(r, r)];
    }
    Some(())
}

/// `out -= sum_k by_k m_k` for some rows `m_k` of a matrix whose rows are `stride` apart.
pub(super) fn subtract_rows(
    out: &mut [f64],
    matrix: &[f64],
    stride: usize,
    rows: &[usize],
    by: &[f64],
) {
    let task = Subtract {
        out,
        matrix,
        stride,
        rows,
        by,
    };
    fused(task);
}

/// `out_j = m_j'v` for some rows `m_j` of a matrix whose rows are as long as `v`.
pub(super) fn row_products(out: &mut [f64], matrix: &[f64], rows: &[usize], v: &[f64]) {
    let task = Products {
        out,
        matrix,
        rows,
        v,
    };
    fused(task);
}

/// A loop over fused multiply-adds `a b + c`. A named type, not a closure: closures of this size
/// are no longer inlined into the code for wide vectors.
trait Fused {
    fn all(self, fma: impl Fn(f64, f64, f64) -> f64 + Copy);
}

struct Wide<T>(T);

impl<T: Fused> pulp::NullaryFnOnce for Wide<T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.all(f64::mul_add);
    }
}

/// Runs a loop on the widest vectors of the processor.
fn fused(task: impl Fused) {
    match pulp::Arch::new() {
        // Without a fused multiply-add instruction `mul_add` would be a slow call.
        pulp::Arch::Scalar => task.all(|a, b, c| a * b + c),
        #[allow(unreachable_patterns)]
        arch => arch.dispatch(Wide(task)),
    }
}

struct Subtract<'a> {
    out: &'a mut [f64],
    matrix: &'a [f64],
    stride: usize,
    rows: &'a [usize],
    by: &'a [f64],
}

impl Fused for Subtract<'_> {
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

impl Fused for Products<'_> {
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

impl Fused for Sweep<'_> {
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

/// By how much the slopes break the conditions of a minimum: `slope - l2 w` must be `l1 sign(w)`
/// where `w` is not zero and within `l1` of zero elsewhere.
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
