//! The Newton step on the nonzero coordinates, with a Cholesky factor that outlives small changes.

use super::{Descent, Penalty};
use crate::linalg::{Cholesky, Matrix};

/// A factor is reused while at most one in this many of its coordinates has entered or left.
const CHANGED_SHARE: usize = 16;
/// Added to the diagonal of a Newton step, relative to the largest entry, because columns may be
/// copies of each other.
const JITTER: f64 = 1e-13;

/// How far a Newton step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Newton {
    /// To the minimum.
    Whole,
    /// To the point where a coordinate becomes zero.
    ToZero,
}

/// Cholesky factor of `G + l2 I` on some coordinates.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    coordinates: Vec<usize>,
    l2: f64,
    /// What else was added to the diagonal.
    jitter: f64,
    cholesky: Cholesky,
    /// Columns for the coordinates that changed since, solved with the factor. Consecutive steps
    /// share most of them.
    changes: Vec<(Change, Vec<f64>)>,
}

/// A difference between the coordinates of a factor and those of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// This coordinate entered: a column of `G`.
    Came(usize),
    /// The coordinate at this position left: a column of `I`.
    Left(usize),
}

impl Descent {
    /// Whether the factor at hand covers these coordinates, up to a few changes.
    pub(super) fn has_factor_for(&self, active: &[usize], l2: f64) -> bool {
        self.factor.as_ref().is_some_and(|f| {
            f.l2 == l2 && difference(&f.coordinates, active) <= f.coordinates.len() / CHANGED_SHARE
        })
    }

    /// Moves the nonzero coordinates to the minimum for their current signs, or as far as these
    /// signs hold. Returns `None` without a move when there is no usable factor, and then drops it.
    pub(super) fn newton(&mut self, active: &[usize], penalty: Penalty) -> Option<Newton> {
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
            // First the whole step, with coordinates that would change sign set to zero. This
            // nearly always lowers the objective. If not, the step ends at the first such
            // coordinate.
            let mut all_the_way = step.clone();
            crossing.iter().for_each(|&k| all_the_way[k] = -from[k]);
            let (w, slope) = (self.w.clone(), self.slope.clone());
            let before = penalty.of(&w);
            self.advance(active, &all_the_way);
            let moved = active.iter().zip(&all_the_way);
            // f(w + d) - f(w) = -q'd + d'Gd / 2, and G d is the decrease of the slopes.
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

    /// Solves `(G + l2 I) u = b` on the coordinates of a step with a factor `F` for slightly
    /// different ones: a few, `D`, have left and a few, `E`, have entered. With `B = [G_E, I_D]`
    /// and multipliers for the entries that must be zero, this is a small system (the Schur
    /// complement), whose order is the number of changes. It is built from `F^-1 b` and the columns
    /// of `F^-1 B`.
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
        // The right-hand side and the new columns, one per row, are solved together.
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
}

/// The number of coordinates that are in only one of two ascending lists.
fn difference(a: &[usize], b: &[usize]) -> usize {
    let shared = a.iter().filter(|j| b.binary_search(j).is_ok()).count();
    a.len() + b.len() - 2 * shared
}

/// Solves a small system by Gaussian elimination with partial pivoting. `None` when it is singular.
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
