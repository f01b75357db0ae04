//! Forward selection on the columns themselves, for few steps among many candidates.

use super::factorisation::TIE;
use crate::linalg::{Matrix, dot};
use rayon::prelude::*;

/// A step of [`by_columns`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// The candidate.
    pub candidate: usize,
    /// What it explains of `|Y|^2`.
    pub explained: f64,
}

/// Orthogonal least squares by modified Gram-Schmidt: up to `max` of the candidates, each the one
/// that explains most of what is left of the responses. `columns` (`m x n`) holds the centred
/// candidates in its rows, `responses` (`c x n`) the centred responses. A candidate with at most the
/// share `dependent` of its squared norm left is not chosen; ties go to the first one. `O(n (m + c))`
/// per step, no `m x m` matrix.
pub fn by_columns(
    mut columns: Matrix,
    mut responses: Matrix,
    max: usize,
    dependent: f64,
) -> Vec<Taken> {
    let n = columns.cols();
    let whole: Vec<f64> = columns.iter_rows().map(|row| dot(row, row)).collect();
    let all: f64 = responses.iter_rows().map(|row| dot(row, row)).sum();
    let mut taken: Vec<Taken> = Vec::new();
    while taken.len() < max.min(whole.len()) {
        let gains: Vec<f64> = (0..whole.len())
            .into_par_iter()
            .map(|j| {
                let column = columns.row(j);
                let left = dot(column, column);
                if left <= dependent * whole[j] || left <= 0.0 {
                    return f64::NEG_INFINITY;
                }
                let products = responses.iter_rows().map(|y| dot(column, y).powi(2));
                products.sum::<f64>() / left
            })
            .collect();
        let most = gains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // What is left to explain is rounding.
        let explains = most > f64::EPSILON * all;
        if !explains {
            break;
        }
        let Some(best) = gains.iter().position(|g| *g >= most * (1.0 - TIE)) else {
            break;
        };
        taken.push(Taken {
            candidate: best,
            explained: gains[best],
        });
        let column = columns.row(best);
        let length = dot(column, column).sqrt();
        let unit: Vec<f64> = column.iter().map(|v| v / length).collect();
        let without = |row: &mut [f64]| {
            let along = dot(row, &unit);
            row.iter_mut().zip(&unit).for_each(|(v, q)| *v -= along * q);
        };
        responses
            .as_mut_slice()
            .chunks_exact_mut(n)
            .for_each(without);
        columns
            .as_mut_slice()
            .par_chunks_exact_mut(n)
            .for_each(without);
        // Nothing but rounding is left of the chosen one.
        columns.row_mut(best).fill(0.0);
    }
    taken
}
