//! Rows that stand for all others.

use super::Problem;
use crate::data::stratified_sample;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::linalg::Matrix;
use crate::partial::{Columns, InMemory, Passes, Sums};
use crate::solver::ols::forward_selection;

/// Size of the pool that a selection chooses from: at least this many rows, and this many per
/// chosen row.
const POOL: (usize, usize) = (1000, 3);

/// `m` rows, drawn by class.
pub(super) fn by_class(problem: &Problem, m: usize) -> Vec<usize> {
    stratified_sample(&problem.labels, m, problem.seed)
}

/// `m` rows by orthogonal least squares from a larger pool drawn by class. If fewer rows of the
/// pool are independent, others of it make up the number.
pub(super) fn by_selection(problem: &Problem, kernel: &Kernel, m: usize) -> Result<Vec<usize>> {
    let pool = by_class(problem, (POOL.1 * m).max(POOL.0).min(problem.n()));
    let classes = problem.classes();
    let mut rows = InMemory {
        x: &problem.x,
        classes: &classes,
    };
    let sums = rows.sums(Columns::Kernel {
        kernel: *kernel,
        scores: None,
        weights: vec![1.0; problem.x.cols()],
        centres: problem.x.select_rows(&pool),
        linear: false,
    })?;
    let mut chosen = Vec::with_capacity(m);
    forward_selection(sums.centred_gram(), scored_products(&sums), m, |step| {
        chosen.push(pool[step.candidate]);
        true
    });
    // If fewer are independent, the next rows of the pool make up the number.
    let mut rest = pool
        .iter()
        .filter(|r| !chosen.contains(r))
        .copied()
        .collect::<Vec<_>>()
        .into_iter();
    while chosen.len() < m {
        let Some(row) = rest.next() else { break };
        chosen.push(row);
    }
    Ok(chosen)
}

/// Products of centred columns with the scored responses, which are `sqrt(n / n_j)` in the column
/// of the class: what a selection needs beside the products of the columns.
pub(super) fn scored_products(sums: &Sums) -> Matrix {
    let (means, total) = (sums.means(), sums.total());
    Matrix::from_fn(means.len(), sums.totals.len(), |i, k| {
        let own = sums.totals[k];
        (sums.by_class[(i, k)] - means[i] * own) * (total / own).sqrt()
    })
}
