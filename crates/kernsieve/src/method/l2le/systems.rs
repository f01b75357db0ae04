//! The systems of a problem and their solution.

use crate::classes::Classes;
use crate::error::{Error, Result};
use crate::linalg::{
    Cholesky, Matrix, cholesky_shifted, dot, matmul, symmetric_eigen, symmetric_times,
};
use crate::method::Singular;
use crate::method::l2_criterion::{Contrast, Terms};
use crate::solver::shifted_cg;

/// Relative residual that ends the iteration in a final fit, and most steps, after which a
/// factorisation takes over.
const EXACT: f64 = 1e-12;
const EXACT_STEPS: usize = 1000;
/// A final fit with at most this relative residual needs no factorisation.
const TRUSTED: f64 = 1e-9;
/// Condition number beyond which a solution is refused, or made without the smallest eigenvalues.
const WORST_CONDITION: f64 = 1e12;

/// The systems of a problem: one matrix, and one right-hand side per difference.
pub(super) struct Systems {
    /// `K`, rows and columns multiplied by the roots of the rows' weights.
    pub(super) matrix: Matrix,
    /// Right-hand sides one after the other, multiplied likewise.
    pub(super) targets: Vec<f64>,
    /// Roots of the weights of the rows.
    roots: Vec<f64>,
    /// Logarithms of the constants of the quadratic and the linear term.
    pub(super) log_constant: f64,
    pub(super) log_ratio: f64,
}

/// A solution without a ridge.
pub(super) struct Exact {
    pub(super) x: Vec<f64>,
    /// What is wrong with the matrix, and the relative residual in the directions that it resolves.
    pub(super) singular: Option<(Singular, f64)>,
}

impl Systems {
    /// A row of weight 2 counts as two rows that share one coefficient: the ridge of a row is
    /// divided by its weight. Scaling by the roots of the weights keeps the matrix symmetric.
    pub(super) fn new(terms: &Terms<'_>, contrasts: &[Contrast], classes: &Classes) -> Self {
        let roots: Vec<f64> = (0..classes.n_rows())
            .map(|i| classes.weight(i).sqrt())
            .collect();
        let targets = contrasts
            .iter()
            .flat_map(|c| c.targets(terms))
            .zip(roots.iter().cycle());
        let targets = targets.map(|(t, root)| t * root).collect();
        let (log_constant, log_ratio) = (terms.log_constant, terms.log_ratio(0));
        let mut matrix = terms.matrix();
        if classes.weights().is_some() {
            for i in 0..matrix.rows() {
                let row = matrix.row_mut(i).iter_mut().zip(&roots);
                row.for_each(|(v, root)| *v *= roots[i] * root);
            }
        }
        Self {
            matrix,
            targets,
            roots,
            log_constant,
            log_ratio,
        }
    }

    pub(super) fn n(&self) -> usize {
        self.matrix.rows()
    }

    /// Coefficients `b` of all differences in columns, from a solution.
    pub(super) fn coefficients(&self, x: &[f64]) -> Matrix {
        let n = self.n();
        Matrix::from_fn(n, x.len() / n, |i, c| x[c * n + i] * self.roots[i])
    }

    /// The solution for a ridge, and the number of steps. Conjugate gradients run a second time on
    /// the true residual, which their recurrence has drifted from; a factorisation follows if that
    /// is not enough.
    pub(super) fn solve(&self, ridge: f64) -> Result<(Vec<f64>, usize)> {
        let (n, matrix) = (self.n(), self.matrix.as_slice());
        let (mut x, mut steps) = (vec![0.0; self.targets.len()], 0);
        for _ in 0..2 {
            let (left, _) = self.residual(&x, ridge);
            let found = shifted_cg::solve(matrix, n, &[ridge], &left, EXACT, EXACT_STEPS);
            x.iter_mut()
                .zip(&found.x[0])
                .for_each(|(x, more)| *x += more);
            steps += found.steps;
        }
        // The eigenvalues of K add up to the weight of all rows.
        let total: f64 = self.roots.iter().map(|r| r * r).sum();
        if self.relative(&self.residual(&x, ridge).0) <= TRUSTED && total / ridge <= WORST_CONDITION
        {
            return Ok((x, steps));
        }
        let refused = |condition: f64| {
            Error::Data(format!(
                "the equations of l2le have condition number {condition:.0e} at this bandwidth and \
                 ridge, more than the {WORST_CONDITION:.0e} that double precision allows; increase \
                 `ridge` or reduce `bandwidth`"
            ))
        };
        let factor =
            cholesky_shifted(self.matrix.clone(), ridge).map_err(|_| refused(total / ridge))?;
        let condition = self.condition(&factor, ridge);
        if condition.is_nan() || condition > WORST_CONDITION {
            return Err(refused(condition));
        }
        self.improve(&mut x, &factor, ridge);
        Ok((x, steps))
    }

    /// The solution without a ridge (eq. 10). Where the matrix is singular, it is the one of least
    /// norm in the directions that the matrix resolves.
    pub(super) fn solve_exactly(&self) -> Result<Exact> {
        let n = self.n();
        let mut x = vec![0.0; self.targets.len()];
        if let Ok(factor) = cholesky_shifted(self.matrix.clone(), 0.0) {
            // A comparison with NaN is false.
            if self.condition(&factor, 0.0) <= WORST_CONDITION {
                self.improve(&mut x, &factor, 0.0);
                return Ok(Exact { x, singular: None });
            }
        }
        let eigen = symmetric_eigen(&self.matrix)?;
        let largest = eigen.values.first().copied().unwrap_or(0.0);
        let smallest = eigen.values.iter().fold(largest, |m, v| m.min(v.abs()));
        let kept = eigen.values.iter();
        let rank = kept
            .take_while(|v| **v * WORST_CONDITION >= largest)
            .count();
        let inverse = |right: &[f64]| {
            let right = Matrix::from_vec(right.to_vec(), right.len() / n, n);
            let mut turned = matmul(right.view(), eigen.vectors.view());
            for row in turned.as_mut_slice().chunks_exact_mut(n) {
                let scaled = row.iter_mut().zip(&eigen.values).enumerate();
                scaled.for_each(|(k, (v, l))| *v = if k < rank { *v / l } else { 0.0 });
            }
            matmul(turned.view(), eigen.vectors.view().t()).into_vec()
        };
        for _ in 0..2 {
            let more = inverse(&self.residual(&x, 0.0).0);
            x.iter_mut().zip(&more).for_each(|(x, more)| *x += more);
        }
        // The part of the residual that the directions see, in units of the targets.
        let mut seen = vec![0.0; x.len()];
        let more = inverse(&self.residual(&x, 0.0).0);
        symmetric_times(self.matrix.as_slice(), n, &more, &mut seen);
        let singular = Singular {
            condition: (largest / smallest).min(1.0 / f64::EPSILON),
            rank,
        };
        Ok(Exact {
            singular: Some((singular, self.relative(&seen))),
            x,
        })
    }

    /// An estimate, from below, of the condition number of `matrix + ridge`.
    fn condition(&self, factor: &Cholesky, ridge: f64) -> f64 {
        let n = self.n();
        let largest = ridge
            + largest_eigenvalue(n, |v| {
                let from = v.to_vec();
                symmetric_times(self.matrix.as_slice(), n, &from, v);
            });
        largest * largest_eigenvalue(n, |v| solve_one(factor, v))
    }

    /// A few corrections by a factorisation.
    fn improve(&self, x: &mut [f64], factor: &Cholesky, ridge: f64) {
        for _ in 0..3 {
            let (mut left, _) = self.residual(x, ridge);
            let each = left.chunks_exact_mut(self.n());
            each.for_each(|v| solve_one(factor, v));
            x.iter_mut().zip(&left).for_each(|(x, more)| *x += more);
        }
    }

    /// The size of a residual relative to the targets.
    pub(super) fn relative(&self, left: &[f64]) -> f64 {
        let size = |v: &[f64]| v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        size(left) / size(&self.targets).max(f64::MIN_POSITIVE)
    }

    /// `targets - (matrix + ridge) x`, and `matrix x`.
    pub(super) fn residual(&self, x: &[f64], ridge: f64) -> (Vec<f64>, Vec<f64>) {
        let mut product = vec![0.0; x.len()];
        symmetric_times(self.matrix.as_slice(), self.n(), x, &mut product);
        let residual =
            (self.targets.iter().zip(&product).zip(x)).map(|((t, p), x)| t - p - ridge * x);
        (residual.collect(), product)
    }
}

/// Solves for one right-hand side in place.
fn solve_one(factor: &Cholesky, v: &mut [f64]) {
    let mut column = Matrix::from_vec(v.to_vec(), v.len(), 1);
    factor.solve_in_place(&mut column);
    v.copy_from_slice(column.as_slice());
}

/// A lower bound on the largest eigenvalue of a symmetric semidefinite matrix, by power iteration;
/// `times` multiplies by the matrix in place.
fn largest_eigenvalue(n: usize, times: impl Fn(&mut [f64])) -> f64 {
    const STEPS: usize = 30;
    let mut v: Vec<f64> = (0..n)
        .map(|i| 1.0 + 0.5 * ((7 * i) % 11) as f64 - ((3 * i) % 5) as f64)
        .collect();
    let mut norm = 0.0;
    for _ in 0..STEPS {
        let size = dot(&v, &v).sqrt();
        v.iter_mut().for_each(|x| *x /= size);
        times(&mut v);
        norm = dot(&v, &v).sqrt();
    }
    norm
}
