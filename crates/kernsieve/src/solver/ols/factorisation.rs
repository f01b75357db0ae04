//! The Cholesky factorisation whose pivots are the chosen candidates.

use super::press::Press;
use super::{PENALTY, shrinkage};
use crate::linalg::{Matrix, View, dot, gemm_into};
use rayon::prelude::*;

/// A column with a smaller share of its squared norm left depends on the chosen ones.
pub(super) const DEPENDENT: f64 = 1e-12;
/// When the best gain is a smaller share of the first one, the responses are explained and only
/// rounding errors are left.
const NOTHING: f64 = 1e-14;
/// Gains that differ by a smaller share are tied.
pub(super) const TIE: f64 = 1e-8;
/// Steps between two updates of the Schur complement.
pub(super) const BLOCK: usize = 64;

/// The factorisation in progress. Positions `0..t` hold the chosen candidates, in order. All fields
/// are permuted alike.
pub(super) struct State {
    /// Lower triangle. Columns before the current block hold the factor; the others hold the Schur
    /// complement at the start of the block.
    a: Matrix,
    /// Factor columns of the current block, `m x BLOCK`, row by row.
    panel: Matrix,
    /// Remaining products with the responses, `m x c`.
    b: Matrix,
    /// Remaining squared norms.
    left: Vec<f64>,
    /// Squared norms at the start.
    whole: Vec<f64>,
    /// Candidate at each position.
    pub(super) order: Vec<usize>,
    /// Rank of each candidate.
    ranks: Vec<usize>,
    /// Gain of each position; minus infinity where the candidate is dependent.
    gains: Vec<f64>,
    /// The best gain of the first step.
    first: Option<f64>,
}

impl State {
    pub(super) fn new(a: Matrix, b: Matrix, ranks: Vec<usize>) -> Self {
        let m = a.rows();
        let whole: Vec<f64> = (0..m).map(|i| a[(i, i)]).collect();
        Self {
            panel: Matrix::zeros(m, BLOCK),
            left: whole.clone(),
            whole,
            order: (0..m).collect(),
            ranks,
            gains: vec![f64::NEG_INFINITY; m],
            first: None,
            a,
            b,
        }
    }

    pub(super) fn candidates(&self) -> usize {
        self.a.rows()
    }

    /// Position of the best remaining candidate. Ties, which include gains that differ by rounding
    /// only, go to the least rank. `None` when all candidates are dependent or nothing is left to
    /// explain.
    pub(super) fn best(&mut self, from: usize) -> Option<usize> {
        let mut most = f64::NEG_INFINITY;
        for i in from..self.candidates() {
            let dependent = self.left[i] <= DEPENDENT * self.whole[i] || self.left[i] <= 0.0;
            let row = self.b.row(i);
            let gain = dot(row, row) / (self.left[i] + PENALTY);
            let usable = !dependent && gain.is_finite();
            self.gains[i] = if usable { gain } else { f64::NEG_INFINITY };
            most = most.max(self.gains[i]);
        }
        let first = *self.first.get_or_insert(most);
        if !most.is_finite() || most < NOTHING * first {
            return None;
        }
        let tied = (from..self.candidates()).filter(|&i| self.gains[i] >= most * (1.0 - TIE));
        tied.min_by_key(|&i| self.ranks[self.order[i]])
    }

    /// Position of the remaining candidate of least PRESS; `None` when no candidate makes it less.
    pub(super) fn best_by(&self, from: usize, press: &mut Press) -> Option<usize> {
        let usable = (from..self.candidates()).filter_map(|i| {
            let dependent = self.left[i] <= DEPENDENT * self.whole[i] || self.left[i] <= 0.0;
            (!dependent).then(|| (i, self.order[i], self.left[i], self.b.row(i)))
        });
        press.best(usable, shrinkage, |j| self.ranks[j], TIE)
    }

    /// Position of the first candidate of an order that remains and is independent.
    pub(super) fn next_of(&self, from: usize, order: &[usize]) -> Option<usize> {
        let place = |j: &usize| (from..self.candidates()).find(|&i| self.order[i] == *j);
        let mut places = order.iter().filter_map(place);
        places.find(|&i| self.left[i] > DEPENDENT * self.whole[i] && self.left[i] > 0.0)
    }

    /// Products of the other candidates with the unit vector of the pivot at `start + k`.
    pub(super) fn along(&self, start: usize, k: usize) -> Vec<(usize, f64)> {
        let rest = start + k + 1..self.candidates();
        rest.map(|i| (self.order[i], self.panel[(i, k)])).collect()
    }

    /// Exchanges positions `t` and `s > t`; `k` columns of the panel are filled.
    pub(super) fn swap(&mut self, t: usize, s: usize, k: usize) {
        if t == s {
            return;
        }
        let m = self.candidates();
        self.order.swap(t, s);
        self.left.swap(t, s);
        self.whole.swap(t, s);
        swap_row_parts(&mut self.b, t, s, usize::MAX);
        swap_row_parts(&mut self.panel, t, s, k);
        swap_row_parts(&mut self.a, t, s, t);
        let (tt, ss) = (self.a[(t, t)], self.a[(s, s)]);
        self.a[(t, t)] = ss;
        self.a[(s, s)] = tt;
        for i in t + 1..s {
            let (x, y) = (self.a[(i, t)], self.a[(s, i)]);
            self.a[(i, t)] = y;
            self.a[(s, i)] = x;
        }
        let data = self.a.as_mut_slice();
        for i in s + 1..m {
            data.swap(i * m + t, i * m + s);
        }
    }

    /// Makes position `start + k` the next column of the factor. Returns the pivot's length and its
    /// products with the responses.
    pub(super) fn eliminate(&mut self, start: usize, k: usize) -> (f64, Vec<f64>) {
        let m = self.candidates();
        let t = start + k;
        let length = self.left[t].sqrt();
        let responses: Vec<f64> = self.b.row(t).iter().map(|v| v / length).collect();
        let pivot: Vec<f64> = self.panel.row(t)[..k].to_vec();
        self.panel[(t, k)] = length;
        let c = self.b.cols();
        let (a, left) = (&self.a, &mut self.left[t + 1..]);
        let panel = &mut self.panel.as_mut_slice()[(t + 1) * BLOCK..];
        let b = &mut self.b.as_mut_slice()[(t + 1) * c..];
        // For one remaining candidate: its new entry of the factor, and its remaining norm and
        // products.
        let one = |i: usize, row: &mut [f64], left: &mut f64, b: &mut [f64]| {
            let l = (a[(t + 1 + i, t)] - dot(&row[..k], &pivot)) / length;
            row[k] = l;
            *left -= l * l;
            b.iter_mut().zip(&responses).for_each(|(v, u)| *v -= l * u);
        };
        if (m - t) * (k + c) > 1 << 16 {
            panel
                .par_chunks_mut(BLOCK * 256)
                .zip(left.par_chunks_mut(256))
                .zip(b.par_chunks_mut(c * 256))
                .enumerate()
                .for_each(|(chunk, ((panel, left), b))| {
                    for (i, ((row, left), b)) in panel
                        .chunks_exact_mut(BLOCK)
                        .zip(left.iter_mut())
                        .zip(b.chunks_exact_mut(c))
                        .enumerate()
                    {
                        one(chunk * 256 + i, row, left, b);
                    }
                });
        } else {
            for (i, ((row, left), b)) in panel
                .chunks_exact_mut(BLOCK)
                .zip(left.iter_mut())
                .zip(b.chunks_exact_mut(c))
                .enumerate()
            {
                one(i, row, left, b);
            }
        }
        (length, responses)
    }

    /// `q_k'p` of the pivot at `start + k`: first the factor columns of earlier blocks, then those
    /// of the panel.
    pub(super) fn projections(&self, start: usize, k: usize) -> Vec<f64> {
        let t = start + k;
        let mut row = self.a.row(t)[..start].to_vec();
        row.extend_from_slice(&self.panel.row(t)[..k]);
        row
    }

    /// Stores the panel's columns in the factor and removes them from the lower half of the Schur
    /// complement, by matrix products.
    pub(super) fn update(&mut self, start: usize, width: usize) {
        const TILE: usize = 128;
        let m = self.candidates();
        let end = start + width;
        let panel = self.panel.as_slice();
        let rows = &mut self.a.as_mut_slice()[start * m..];
        rows.par_chunks_mut(m).enumerate().for_each(|(i, row)| {
            row[start..end]
                .copy_from_slice(&panel[(start + i) * BLOCK..(start + i) * BLOCK + width]);
        });
        if end >= m {
            return;
        }
        let below = &mut self.a.as_mut_slice()[end * m..];
        below
            .par_chunks_mut(TILE * m)
            .enumerate()
            .for_each(|(t, chunk)| {
                let count = chunk.len() / m;
                let first = end + t * TILE;
                let upto = first + count - end;
                gemm_into(
                    &mut chunk[end..],
                    m,
                    View::new(&panel[first * BLOCK..], count, width, BLOCK),
                    View::new(&panel[end * BLOCK..], upto, width, BLOCK).t(),
                    -1.0,
                    true,
                );
            });
    }
}

/// Exchanges the first `columns` entries of two rows.
fn swap_row_parts(m: &mut Matrix, a: usize, b: usize, columns: usize) {
    let width = m.cols();
    let columns = columns.min(width);
    let (low, high) = (a.min(b), a.max(b));
    let (head, tail) = m.as_mut_slice().split_at_mut(high * width);
    head[low * width..low * width + columns].swap_with_slice(&mut tail[..columns]);
}
