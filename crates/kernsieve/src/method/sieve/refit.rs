//! The softmax refit on selected samples.
//!
//! ```text
//! min sum_i w_i (-log p_{y_i}(x_i)) + ridge (sum_c A_c'K_SS A_c + |a_c|^2 / tau)
//! ```
//! with the offset free. It gives probabilities by likelihood and repairs what least squares does
//! badly: rows far on the right side of a border count for little.

use super::judge::{linear_variance, weighted};
use super::learn::Learnt;
use super::path::{Coefficients, Path};
use super::sample::unit_weights;
use crate::classes::Classes;
use crate::error::Result;
use crate::kernel::{Kernel, cross_gram, gram};
use crate::linalg::{Matrix, matmul};
use crate::method::Problem;
use crate::solver::softmax::softmax;

/// A softmax refit on the samples of a path.
pub(super) struct Refit {
    /// Weighted samples.
    centres: Matrix,
    pub parts: Coefficients,
    pub objective: f64,
    pub steps: usize,
    pub converged: bool,
    pub gradient: f64,
}

impl Refit {
    pub fn new(
        problem: &Problem,
        x: &Matrix,
        learnt: &Learnt,
        path: &Path,
        size: usize,
        ridge: f64,
        tolerance: f64,
    ) -> Result<Self> {
        let verdict = &learnt.verdict;
        let centres = path.centres(size);
        let u = weighted(x, &learnt.weights);
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
        let weights = unit_weights(problem);
        let codes = problem.labels.codes();
        let classes = Classes::new(codes, weights.as_deref(), problem.labels.n_classes());
        let found = softmax(&phi, &classes, &penalty, tolerance)?;
        let q = found.coef.cols();
        let parts = Coefficients {
            offset: found.coef.row(0).to_vec(),
            linear: (p > 0).then(|| Matrix::from_fn(p, q, |i, j| found.coef[(1 + i, j)])),
            coef: Matrix::from_fn(s, q, |i, j| found.coef[(1 + p + i, j)]),
        };
        Ok(Self {
            centres,
            parts,
            objective: found.objective,
            steps: found.steps,
            converged: found.converged,
            gradient: found.gradient,
        })
    }

    pub fn outputs(&self, kernel: &Kernel, u: &Matrix) -> Matrix {
        let k = cross_gram(kernel, u, &self.centres);
        let mut z = matmul(k.view(), self.parts.coef.view());
        crate::linalg::add_to_rows(&mut z, &self.parts.offset);
        if let Some(linear) = &self.parts.linear {
            let part = matmul(u.view(), linear.view());
            let data = z.as_mut_slice().iter_mut();
            data.zip(part.as_slice()).for_each(|(a, b)| *a += b);
        }
        z
    }
}
