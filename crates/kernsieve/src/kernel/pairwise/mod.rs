//! Inner products and distances between rows, in tiles: one matrix product, then one pass over the
//! tile while it is in the cache. Squared distances are `|a|^2 + |b|^2 - 2 <a, b>`. Rows are first
//! centred at the mean of `b`, so that data far from the origin lose no digits.

use super::{Family, Kernel};
use crate::linalg::{Matrix, View, gemm_into};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows of a tile. A task computes one tile, and this is enough for the products to run at full
/// speed.
pub(crate) const TILE_ROWS: usize = 256;
/// Columns of a tile: 256 x 256 numbers are 512 KiB, which stays in the second-level cache.
const TILE_COLS: usize = 256;

/// The quantity that the value of a kernel is a function of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Base {
    /// `<a, b>`
    InnerProduct,
    /// `|a - b|^2`
    SquaredDistance,
    /// `|a - b|_1`
    AbsoluteDistance,
}

/// One side of a comparison, prepared once: the rows `b` with which other rows are compared.
#[derive(Clone, Debug)]
pub struct Pairs {
    base: Base,
    rows: Matrix,
    /// Subtracted from every row, on both sides (squared distances only).
    centre: Vec<f64>,
    /// `|b|^2` of the centred rows (squared distances only).
    norms: Vec<f64>,
}

impl Pairs {
    /// Prepares the rows of `b`.
    pub fn new(base: Base, mut b: Matrix) -> Self {
        let p = b.cols();
        let mut centre = vec![0.0; p];
        let mut norms = Vec::new();
        if base == Base::SquaredDistance && b.rows() > 0 {
            for row in b.iter_rows() {
                centre.iter_mut().zip(row).for_each(|(c, v)| *c += v);
            }
            let n = b.rows() as f64;
            centre.iter_mut().for_each(|c| *c /= n);
            centre_rows(b.as_mut_slice(), &centre);
            norms = squared_norms(&b);
        }
        Self {
            base,
            rows: b,
            centre,
            norms,
        }
    }

    /// Number of prepared rows.
    pub fn len(&self) -> usize {
        self.rows.rows()
    }

    /// Whether there are no prepared rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.rows.cols()
    }

    /// Prepares the rows `a` for [`Pairs::block`], in place, and returns their squared norms where
    /// these are needed. Working in the caller's buffer avoids an allocation per block.
    pub fn prepare(&self, a: &mut [f64]) -> Vec<f64> {
        if self.base != Base::SquaredDistance {
            return Vec::new();
        }
        centre_rows(a, &self.centre);
        a.chunks_exact(self.n_features().max(1))
            .map(|r| r.iter().map(|v| v * v).sum())
            .collect()
    }

    /// Base values of prepared rows `a` against rows `columns` of `b`; `out` is row-major, and its
    /// rows are `stride` apart.
    pub fn block(
        &self,
        a: View<'_>,
        a_norms: &[f64],
        columns: std::ops::Range<usize>,
        out: &mut [f64],
        stride: usize,
    ) {
        let b = self.rows.rows_view(columns.clone());
        let width = columns.len();
        match self.base {
            Base::InnerProduct => gemm_into(out, stride, a, b.t(), 1.0, false),
            Base::SquaredDistance => {
                gemm_into(out, stride, a, b.t(), -2.0, false);
                let b_norms = &self.norms[columns];
                for (i, &na) in a_norms.iter().enumerate() {
                    let row = &mut out[i * stride..i * stride + width];
                    for (v, &nb) in row.iter_mut().zip(b_norms) {
                        let d = *v + (na + nb);
                        // NaN means that squares overflowed: the rows are far apart.
                        *v = if d.is_nan() {
                            f64::INFINITY
                        } else {
                            d.max(0.0)
                        };
                    }
                }
            }
            Base::AbsoluteDistance => {
                let a = a.to_matrix();
                for i in 0..a.rows() {
                    let row = &mut out[i * stride..i * stride + width];
                    for (v, j) in row.iter_mut().zip(columns.clone()) {
                        *v = absolute_distance(a.row(i), self.rows.row(j));
                    }
                }
            }
        }
    }

    /// Base values of all rows of `a` against all prepared rows, in parallel. `finish` is applied
    /// to every finished row of a tile.
    pub fn all(&self, a: &Matrix, finish: impl Fn(&mut [f64]) + Sync) -> Matrix {
        let (n, s) = (a.rows(), self.len());
        let mut out = Matrix::zeros(n, s);
        if s == 0 {
            return out;
        }
        out.as_mut_slice()
            .par_chunks_mut(TILE_ROWS * s)
            .enumerate()
            .for_each(|(t, chunk)| {
                let rows = chunk.len() / s;
                self.row_tile(a, t * TILE_ROWS, rows, s, chunk, s, &finish);
            });
        out
    }

    /// Fills columns `0..upto` of one tile of rows.
    #[allow(clippy::too_many_arguments)]
    fn row_tile(
        &self,
        a: &Matrix,
        start: usize,
        rows: usize,
        upto: usize,
        chunk: &mut [f64],
        stride: usize,
        finish: &impl Fn(&mut [f64]),
    ) {
        let p = a.cols();
        let mut block = a.as_slice()[start * p..(start + rows) * p].to_vec();
        let norms = self.prepare(&mut block);
        let view = View::new(&block, rows, p, p);
        for c in (0..upto).step_by(TILE_COLS) {
            let end = (c + TILE_COLS).min(upto);
            self.block(view, &norms, c..end, &mut chunk[c..], stride);
            for i in 0..rows {
                finish(&mut chunk[i * stride + c..i * stride + end]);
            }
        }
    }

    /// Base values of some prepared rows against all of them, starting at row `first`, as many as
    /// fit into `out`. The distance of a row to itself is exactly zero.
    pub fn own_rows(&self, first: usize, out: &mut [f64]) {
        let (n, p) = (self.len(), self.n_features());
        let rows = out.len() / n.max(1);
        let norms = self.norms.get(first..first + rows).unwrap_or_default();
        let view = View::new(&self.rows.as_slice()[first * p..], rows, p, p);
        self.block(view, norms, 0..n, out, n);
        if self.base != Base::InnerProduct {
            (0..rows).for_each(|i| out[i * n + first + i] = 0.0);
        }
    }

    /// Base values of the prepared rows against themselves. Only half is computed, so the result is
    /// exactly symmetric. The distance of a row to itself is exactly zero.
    fn symmetric(&self, finish: impl Fn(&mut [f64]) + Sync) -> Matrix {
        let n = self.len();
        let mut out = Matrix::zeros(n, n);
        if n == 0 {
            return out;
        }
        // Tiles grow down the triangle. A short one and a long one together make tasks of equal
        // work.
        let mut tiles: Vec<(usize, &mut [f64])> = out
            .as_mut_slice()
            .chunks_mut(TILE_ROWS * n)
            .enumerate()
            .collect();
        let mut tasks = Vec::with_capacity(tiles.len().div_ceil(2));
        while let Some(long) = tiles.pop() {
            let short = if tiles.is_empty() {
                None
            } else {
                Some(tiles.remove(0))
            };
            tasks.push((long, short));
        }
        tasks
            .into_par_iter()
            .with_max_len(1)
            .for_each(|(long, short)| {
                for (t, chunk) in [Some(long), short].into_iter().flatten() {
                    self.symmetric_tile(t * TILE_ROWS, chunk, &finish);
                }
            });
        mirror_lower(out.as_mut_slice(), n, 0, n);
        out
    }

    /// The part of one tile of rows, starting at row `start`, that lies on or below the diagonal
    /// block.
    fn symmetric_tile(&self, start: usize, chunk: &mut [f64], finish: &impl Fn(&mut [f64])) {
        let (n, p) = (self.len(), self.n_features());
        let rows = chunk.len() / n;
        let norms: &[f64] = if self.norms.is_empty() {
            &[]
        } else {
            &self.norms[start..start + rows]
        };
        // The rows are already centred, so a plain view is enough.
        let view = View::new(&self.rows.as_slice()[start * p..], rows, p, p);
        let upto = start + rows;
        for c in (0..upto).step_by(TILE_COLS) {
            let end = (c + TILE_COLS).min(upto);
            self.block(view, norms, c..end, &mut chunk[c..], n);
            for i in 0..rows {
                let diagonal = start + i;
                if self.base != Base::InnerProduct && (c..end).contains(&diagonal) {
                    chunk[i * n + diagonal] = 0.0;
                }
                finish(&mut chunk[i * n + c..i * n + end]);
            }
        }
    }
}

/// Copies the lower triangle of rows and columns `from..to` onto the upper one. `rows` starts at
/// row `from`.
pub(crate) fn mirror_lower(rows: &mut [f64], stride: usize, from: usize, to: usize) {
    let n = to - from;
    // Small matrices stay on one thread and are copied in blocks that fit into the cache.
    if n <= 512 {
        for i0 in (0..n).step_by(32) {
            for j0 in (0..=i0).step_by(32) {
                for i in i0..(i0 + 32).min(n) {
                    for j in j0..(j0 + 32).min(i) {
                        rows[j * stride + from + i] = rows[i * stride + from + j];
                    }
                }
            }
        }
        return;
    }
    let half = n / 2;
    let (top, bottom) = rows.split_at_mut(half * stride);
    // Upper right block = transpose of the lower left one, 32 columns at a time for the cache.
    {
        let bottom = &*bottom;
        top.par_chunks_mut(32 * stride)
            .enumerate()
            .for_each(|(t, chunk)| {
                let count = chunk.len() / stride;
                for i0 in (0..n - half).step_by(32) {
                    for r in 0..count {
                        let j = t * 32 + r;
                        for i in i0..(i0 + 32).min(n - half) {
                            chunk[r * stride + from + half + i] = bottom[i * stride + from + j];
                        }
                    }
                }
            });
    }
    rayon::join(
        || mirror_lower(top, stride, from, from + half),
        || mirror_lower(bottom, stride, from + half, to),
    );
}

/// The Gram matrix of a kernel on the rows of `x`.
pub fn gram(kernel: &Kernel, x: &Matrix) -> Matrix {
    Pairs::new(kernel.family().base(), x.clone()).symmetric(|v| kernel.apply(v))
}

/// Base values of the rows of `x` against themselves, from which [`gram_from_base`] makes the Gram
/// matrix of any kernel of the family.
pub fn symmetric_base(family: Family, x: &Matrix) -> Matrix {
    Pairs::new(family.base(), x.clone()).symmetric(|_| ())
}

/// Kernel values of every row of `a` with every row of `b`.
pub fn cross_gram(kernel: &Kernel, a: &Matrix, b: &Matrix) -> Matrix {
    Pairs::new(kernel.family().base(), b.clone()).all(a, |v| kernel.apply(v))
}

/// Kernel values from base values, in parallel.
pub fn gram_from_base(kernel: &Kernel, base: &Matrix) -> Matrix {
    let mut out = base.clone();
    out.as_mut_slice()
        .par_chunks_mut(1 << 14)
        .for_each(|chunk| kernel.apply(chunk));
    out
}

fn centre_rows(data: &mut [f64], centre: &[f64]) {
    for row in data.chunks_exact_mut(centre.len().max(1)) {
        row.iter_mut().zip(centre).for_each(|(v, c)| *v -= c);
    }
}

fn squared_norms(m: &Matrix) -> Vec<f64> {
    m.iter_rows()
        .map(|r| r.iter().map(|v| v * v).sum())
        .collect()
}

/// `sum_j |a_j - b_j|` in eight partial sums, which the compiler can vectorise.
fn absolute_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut acc = [0.0; 8];
    let (ac, bc) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = ac
        .remainder()
        .iter()
        .zip(bc.remainder())
        .map(|(x, y)| (x - y).abs())
        .sum();
    for (x, y) in ac.zip(bc) {
        for l in 0..8 {
            acc[l] += (x[l] - y[l]).abs();
        }
    }
    acc.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests;
