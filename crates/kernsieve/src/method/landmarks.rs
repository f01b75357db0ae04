//! Rows that stand for all others.

use super::Problem;
use crate::classes::Classes;
use crate::data::stratified_sample;
use crate::error::Result;
use crate::kernel::{Kernel, cross_gram};
use crate::linalg::{Matrix, add_scaled, matmul, symmetric_product};
use crate::solver::ols::forward_selection;
use crate::solver::optimal_scoring::response_means;
use std::ops::Range;

/// Rows whose kernel values are held at once.
pub(super) const BLOCK: usize = 4096;
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
    let sums = Sums::new(problem, kernel, &problem.x.select_rows(&pool));
    let mut chosen = Vec::with_capacity(m);
    forward_selection(sums.gram, sums.products, m, |step| {
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

/// Blocks of rows.
fn blocks(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n)
        .step_by(BLOCK)
        .map(move |start| start..(start + BLOCK).min(n))
}

/// Kernel values of a range of rows with some centres.
pub(super) fn kernel_rows(
    problem: &Problem,
    kernel: &Kernel,
    range: &Range<usize>,
    centres: &Matrix,
) -> Matrix {
    let p = problem.x.cols();
    let rows = problem.x.as_slice()[range.start * p..range.end * p].to_vec();
    cross_gram(kernel, &Matrix::from_vec(rows, range.len(), p), centres)
}

/// What a selection needs from the centred columns `k(., centre)`, summed over blocks of rows:
/// memory does not grow with the number of rows.
pub(super) struct Sums {
    /// Products of the centred columns, `m x m`.
    pub gram: Matrix,
    /// Products of the centred columns with the scored responses, `m x c`.
    pub products: Matrix,
    /// Means of the columns.
    pub means: Vec<f64>,
}

impl Sums {
    /// One pass over the rows, `n m^2` flops.
    pub fn new(problem: &Problem, kernel: &Kernel, centres: &Matrix) -> Self {
        let (n, m) = (problem.n(), centres.rows());
        let classes = problem.classes();
        let (codes, total, c) = (classes.codes(), classes.total(), classes.n_classes());
        // Scored responses row by row: sqrt(n / n_j) in the column of the class.
        let score: Vec<f64> = classes
            .totals()
            .iter()
            .map(|j| (total / j).sqrt())
            .collect();
        let y_mean = response_means(&classes);
        let (mut gram, mut products, mut means) =
            (Matrix::zeros(m, m), Matrix::zeros(m, c), vec![0.0; m]);
        for range in blocks(n) {
            let mut k = kernel_rows(problem, kernel, &range, centres);
            let mut y = Matrix::from_fn(range.len(), c, |i, j| {
                f64::from(codes[range.start + i] == j) * score[j]
            });
            let own = Classes::new(
                &codes[range.clone()],
                classes.weights().map(|w| &w[range.clone()]),
                c,
            );
            let share = own.total() / total;
            means
                .iter_mut()
                .zip(own.column_means(&k))
                .for_each(|(a, b)| *a += share * b);
            own.scale_rows(&mut k);
            own.scale_rows(&mut y);
            add_scaled(&mut gram, &symmetric_product(k.view().t()), 1.0);
            add_scaled(&mut products, &matmul(k.view().t(), y.view()), 1.0);
        }
        for i in 0..m {
            let mean = means[i];
            gram.row_mut(i)
                .iter_mut()
                .zip(&means)
                .for_each(|(v, other)| *v -= total * mean * other);
            products
                .row_mut(i)
                .iter_mut()
                .zip(&y_mean)
                .for_each(|(v, y)| *v -= total * mean * y);
        }
        Self {
            gram,
            products,
            means,
        }
    }
}
