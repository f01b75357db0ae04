//! The softmax refit on selected samples.
//!
//! ```text
//! min sum_i w_i (-log p_{y_i}(x_i)) + ridge (sum_c A_c'K_SS A_c + |a_c|^2 / tau)
//! ```
//! with the offset free. It gives probabilities by likelihood and repairs what least squares does
//! badly: rows far on the right side of a border count for little.

use super::judge::linear_variance;
use super::learn::Learnt;
use super::path::{Coefficients, Path};
use super::sample::unit_classes;
use crate::error::Result;
use crate::kernel::{cross_gram, gram};
use crate::linalg::Matrix;
use crate::method::{FitReport, Problem};
use crate::partial::weighted;
use crate::solver::softmax::{Softmax, softmax};

/// The rows on which a refit is fitted: a problem with its prepared rows.
pub(super) struct Rows<'a> {
    pub problem: &'a Problem,
    pub x: &'a Matrix,
}

/// Refits on the first samples of a path, for each of these sizes, which ascend. The ridge is
/// relative to that of the least squares.
pub(super) fn refit(
    rows: &Rows<'_>,
    learnt: &Learnt,
    path: &Path,
    sizes: &[usize],
    ridge: f64,
    tolerance: f64,
) -> Result<Vec<(Coefficients, FitReport)>> {
    let verdict = &learnt.verdict;
    let centres = path.centres(sizes.last().copied().unwrap_or(0));
    let u = weighted(rows.x, &learnt.weights);
    let s = centres.rows();
    let p = if verdict.linear { u.cols() } else { 0 };
    let k = cross_gram(&verdict.kernel, &u, &centres);
    let phi = Matrix::from_fn(u.rows(), 1 + p + s, |i, j| match j {
        0 => 1.0,
        j if j <= p => u[(i, j - 1)],
        j => k[(i, j - 1 - p)],
    });
    let own = gram(&verdict.kernel, &centres);
    let tau = linear_variance(&learnt.weights);
    let ridge = 2.0 * ridge * verdict.ridge;
    let penalty = Matrix::from_fn(1 + p + s, 1 + p + s, |i, j| {
        if i > p && j > p {
            ridge * own[(i - 1 - p, j - 1 - p)]
        } else if i == j && i > 0 {
            ridge / tau
        } else {
            0.0
        }
    });
    let classes = unit_classes(rows.problem);
    let counts: Vec<usize> = sizes.iter().map(|size| 1 + p + size.min(&s)).collect();
    let found = softmax(&phi, &classes, &penalty, &counts, tolerance)?;
    Ok(found.into_iter().map(|f| parts(f, p)).collect())
}

/// The coefficients of a solution: offset, `p` linear ones, those of the samples.
fn parts(found: Softmax, p: usize) -> (Coefficients, FitReport) {
    let part = |from: usize, to: usize| {
        let rows: Vec<usize> = (from..to).collect();
        found.coef.select_rows(&rows)
    };
    let parts = Coefficients {
        offset: found.coef.row(0).to_vec(),
        linear: (p > 0).then(|| part(1, 1 + p)),
        coef: part(1 + p, found.coef.rows()),
    };
    let report = FitReport {
        objective: Some(found.objective),
        iterations: found.steps,
        converged: found.converged,
        residual: Some(found.gradient),
        ..FitReport::default()
    };
    (parts, report)
}
