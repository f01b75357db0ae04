//! Selection by the leave-one-out error itself (Chen, Hong, Harris & Sharkey 2006).

use crate::linalg::{Matrix, dot};
use rayon::prelude::*;

/// The candidate that makes the PRESS statistic least, the sum of squared errors of every row
/// predicted from the others. With the unit vector `q` of a candidate's part that is orthogonal to
/// the chosen columns, residuals become `e - q (q'Y)` and leverages `h + q^2`, so that
///
/// ```text
/// PRESS = sum_i sum_c (e_ic - q_i u_c)^2 / (1 - h_i - q_i^2)^2
/// ```
///
/// With a ridge `q` is the part of the unit vector that belongs to rows, the rest of it belonging to
/// the rows that stand for the penalty. `O(n m c)` per step, and another `n m` numbers.
#[derive(Clone, Debug)]
pub struct Press {
    /// Parts of the candidates' columns that are orthogonal to the chosen ones, `m x n`.
    columns: Matrix,
    /// Residuals, `n x c`.
    residuals: Matrix,
    /// Leverages.
    leverages: Vec<f64>,
    /// The least sum found at the present step, and the one before.
    least: f64,
}

/// A row whose leverage is this close to 1 determines its own fit, and no formula says what the
/// others would make of it: such a candidate is not chosen.
const OWN: f64 = 1e-6;

impl Press {
    /// `columns` (`m x n`) holds the centred candidates in its rows, `responses` (`n x c`) the
    /// centred responses, both scaled by the roots of the weights; `leverages` are those of the
    /// offset alone, `w_i / n`.
    pub fn new(columns: Matrix, responses: Matrix, leverages: Vec<f64>) -> Self {
        let mut press = Self {
            columns,
            residuals: responses,
            leverages,
            least: f64::INFINITY,
        };
        press.least = press.now();
        press
    }

    /// PRESS of the columns chosen so far.
    pub fn now(&self) -> f64 {
        let rows = self.residuals.iter_rows().zip(&self.leverages);
        rows.map(|(e, h)| squared(dot(e, e), 1.0 - h)).sum()
    }

    /// PRESS with one more candidate, whose orthogonal part has this squared length and these
    /// products with the responses.
    fn with(&self, candidate: usize, left: f64, products: &[f64], shrinkage: f64) -> f64 {
        let column = self.columns.row(candidate);
        let rows = self.residuals.iter_rows().zip(&self.leverages);
        rows.zip(column)
            .map(|((e, h), v)| {
                let factor = v * shrinkage / left;
                let gap = e.iter().zip(products).map(|(e, u)| e - factor * u);
                squared(gap.map(|g| g * g).sum(), 1.0 - h - v * v * shrinkage / left)
            })
            .sum()
    }

    /// The position of the candidate with the least PRESS, if that is less than before. `usable`
    /// gives position, candidate, squared length and products.
    pub(super) fn best<'a>(
        &mut self,
        usable: impl Iterator<Item = (usize, usize, f64, &'a [f64])>,
        shrink: impl Fn(f64) -> f64 + Sync,
        rank: impl Fn(usize) -> usize,
        tie: f64,
    ) -> Option<usize> {
        let usable: Vec<_> = usable.collect();
        let sums: Vec<f64> = usable
            .par_iter()
            .map(|&(_, j, left, products)| self.with(j, left, products, shrink(left)))
            .collect();
        let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
        let falls = least < self.least * (1.0 - tie);
        if !falls {
            return None;
        }
        let tied = usable
            .iter()
            .zip(&sums)
            .filter(|(_, s)| **s <= least * (1.0 + tie));
        let best = tied.min_by_key(|((_, j, ..), _)| rank(*j));
        best.map(|((position, ..), _)| *position)
    }

    /// Takes in the chosen candidate: the length of its orthogonal part, its products with the
    /// responses as a unit vector, and for other candidates their products with that unit vector.
    pub(super) fn choose(
        &mut self,
        candidate: usize,
        length: f64,
        responses: &[f64],
        shrinkage: f64,
        others: &[(usize, f64)],
    ) {
        let unit: Vec<f64> = self
            .columns
            .row(candidate)
            .iter()
            .map(|v| v / length)
            .collect();
        for (i, q) in unit.iter().enumerate() {
            self.leverages[i] += shrinkage * q * q;
            let row = self.residuals.row_mut(i);
            row.iter_mut()
                .zip(responses)
                .for_each(|(e, u)| *e -= shrinkage * q * u);
        }
        self.least = self.now();
        let n = unit.len();
        let mut along = vec![0.0; self.columns.rows()];
        others.iter().for_each(|&(j, l)| along[j] = l);
        let rows = self.columns.as_mut_slice().par_chunks_mut(n.max(1));
        rows.zip(along)
            .filter(|(_, l)| *l != 0.0)
            .for_each(|(row, l)| row.iter_mut().zip(&unit).for_each(|(v, q)| *v -= l * q));
    }
}

/// The squared error of a row that is left out, where `1 - h` is `left`.
fn squared(error: f64, left: f64) -> f64 {
    match left > OWN {
        true => error / (left * left),
        false => f64::INFINITY,
    }
}
