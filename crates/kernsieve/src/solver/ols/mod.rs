//! Orthogonal least squares forward selection for many responses (Harrison & Pasupa, section 2.3).
//!
//! Candidate columns `p_j` and responses `y_c` are centred (the offset enters first and is never
//! penalised). Every step takes the candidate with the largest
//! `sum_c (p_j'y_c)^2 / (p_j'p_j + 1e-9)`, where `p_j` is the part of the candidate that is
//! orthogonal to the columns chosen before. This is the choice that textbook modified Gram-Schmidt
//! makes.
//!
//! The computation is a Cholesky factorisation of `G = P'P` in which this criterion picks the
//! pivot. The criterion only needs the squared norm of each remaining candidate and its products
//! with the responses, `O(m c)` per step. The Schur complement is updated by matrix products after
//! each block of steps. A full path costs `m^3 / 3` flops in addition to `G`.
//!
//! Forming `G` squares the condition number. Therefore a candidate with less than 1e-12 of its
//! squared norm left counts as dependent and is excluded, and the coefficients of the chosen
//! columns come from an orthogonal factorisation of those columns ([`coefficients()`]), not from
//! `G`.

mod coefficients;
mod columns;
mod factorisation;
mod press;

pub use coefficients::{Coefficients, coefficients};
pub use columns::{Taken, by_columns};
pub use press::Press;

use crate::linalg::Matrix;
use factorisation::{BLOCK, State};

/// Ridge penalty in orthogonal coordinates: it is added to the squared norms of the orthogonal
/// columns, which are not normalised.
pub const PENALTY: f64 = 1e-9;
/// A step of the selection, as an observer sees it.
pub struct Step<'a> {
    /// Number of columns chosen, this one included.
    pub size: usize,
    /// The candidate that was chosen.
    pub candidate: usize,
    /// Length of its orthogonal part, `|p|`.
    pub length: f64,
    /// Its products with the unit vectors chosen before, `q_k'p` for `k < size - 1`.
    pub projections: &'a [f64],
    /// Products of its unit vector with the responses, `q'y_c`.
    pub responses: &'a [f64],
    /// Share of `responses` that enters the fit: `|p|^2 / (|p|^2 + 1e-9)`.
    pub shrinkage: f64,
}

/// Selects up to `max` candidates. `gram` is `P'P` (`m x m`, centred columns; its lower triangle is
/// overwritten) and `products` is `P'Y` (`m x c`). `observe` is called after every step and may end
/// the selection by returning `false`. Returns the number of steps taken: fewer than `max` when no
/// independent candidate, or nothing to explain, is left.
///
/// Ties go to the first candidate.
pub fn forward_selection(
    gram: Matrix,
    products: Matrix,
    max: usize,
    observe: impl FnMut(&Step<'_>) -> bool,
) -> usize {
    let ranks: Vec<usize> = (0..gram.rows()).collect();
    ranked_selection(gram, products, &ranks, max, observe)
}

/// Like [`forward_selection`], but ties go to the candidate of least rank. With ranks derived from
/// the rows themselves, the choice does not depend on the order of the rows.
pub fn ranked_selection(
    gram: Matrix,
    products: Matrix,
    ranks: &[usize],
    max: usize,
    observe: impl FnMut(&Step<'_>) -> bool,
) -> usize {
    selection(gram, products, ranks, Criterion::Error, max, observe)
}

/// By what the next candidate is chosen.
pub enum Criterion {
    /// The squared error of all rows.
    Error,
    /// The squared error of every row predicted from the others. The selection ends where no
    /// candidate makes it less.
    Press(Press),
    /// This order, without candidates that depend on those before. The selection ends with it.
    Order(Vec<usize>),
}

/// Like [`ranked_selection`], by a criterion.
pub fn selection(
    gram: Matrix,
    products: Matrix,
    ranks: &[usize],
    mut criterion: Criterion,
    max: usize,
    mut observe: impl FnMut(&Step<'_>) -> bool,
) -> usize {
    let mut state = State::new(gram, products, ranks.to_vec());
    let mut size = 0;
    while size < max.min(state.candidates()) {
        let block = BLOCK.min(max.min(state.candidates()) - size);
        let start = size;
        for k in 0..block {
            let best = match &mut criterion {
                Criterion::Error => state.best(start + k),
                Criterion::Press(press) => state.best_by(start + k, press),
                Criterion::Order(order) => state.next_of(start + k, order),
            };
            let Some(best) = best else {
                return size;
            };
            state.swap(start + k, best, k);
            let (length, responses) = state.eliminate(start, k);
            size += 1;
            let projections = state.projections(start, k);
            let step = Step {
                size,
                candidate: state.order[start + k],
                length,
                projections: &projections,
                responses: &responses,
                shrinkage: shrinkage(length * length),
            };
            if let Criterion::Press(press) = &mut criterion {
                let others = state.along(start, k);
                press.choose(step.candidate, length, &responses, step.shrinkage, &others);
            }
            if !observe(&step) {
                return size;
            }
        }
        state.update(start, block);
    }
    size
}

/// Share of the responses along a column of this squared length that enters the fit.
fn shrinkage(squared: f64) -> f64 {
    squared / (squared + PENALTY)
}

#[cfg(test)]
mod tests;
