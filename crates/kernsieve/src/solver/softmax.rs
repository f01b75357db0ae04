//! Penalised multinomial regression on given columns.
//!
//! ```text
//! min_T sum_i w_i (-log p_{y_i}(x_i)) + (1/2) sum_c t_c'P t_c,    p = softmax(Phi T)
//! ```
//! Two classes have one output, the log odds of the second class. The problem is solved in the
//! coordinates in which `(1/4) Phi'W Phi + P` is the identity (a bound on the curvature, Boehning
//! 1992), by Newton steps with conjugate gradients and a line search: a few products with `Phi`
//! each, however badly the columns are scaled.

use crate::classes::Classes;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, View, add_scaled, cholesky_shifted, dot, matmul, symmetric_product};

/// Newton steps at most.
const STEPS: usize = 50;
/// Conjugate gradient steps at most, per Newton step.
const INNER: usize = 60;

/// A solution.
#[derive(Clone, Debug)]
pub struct Softmax {
    /// Columns x outputs.
    pub coef: Matrix,
    /// The objective at the solution.
    pub objective: f64,
    /// Newton steps taken.
    pub steps: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
    /// Length of the gradient in the coordinates above, relative to that at zero.
    pub gradient: f64,
}

/// Fits the columns `phi` (rows x columns) with the penalty `penalty` (columns x columns): once for
/// each of `counts`, which ascend, with only so many of the first columns. A fit ends when the
/// gradient is `tolerance` times that at zero.
///
/// The coordinates of fewer columns are the first of those of more, so one factorisation serves all
/// counts, and each fit starts from the one before.
pub fn softmax(
    phi: &Matrix,
    classes: &Classes,
    penalty: &Matrix,
    counts: &[usize],
    tolerance: f64,
) -> Result<Vec<Softmax>> {
    let mut scaled = phi.clone();
    classes.scale_rows(&mut scaled);
    let mut bound = symmetric_product(scaled.view().t());
    for (b, p) in bound.as_mut_slice().iter_mut().zip(penalty.as_slice()) {
        *b = 0.25 * *b + p;
    }
    let largest = (0..bound.rows()).fold(0.0, |m, i| f64::max(m, bound[(i, i)]));
    let factor = cholesky_shifted(bound, 1e-10 * largest.max(f64::MIN_POSITIVE))?;
    let mut columns = phi.transpose();
    factor.solve_lower_in_place(&mut columns);
    let mut inner = penalty.clone();
    factor.solve_lower_in_place(&mut inner);
    let mut inner = inner.transpose();
    factor.solve_lower_in_place(&mut inner);
    let outputs = match classes.n_classes() {
        2 => 1,
        c => c,
    };
    let mut whitened = Whitened {
        columns,
        penalty: inner,
        classes,
        outputs,
        used: 0,
    };
    let mut beta = Matrix::zeros(0, outputs);
    let mut found = Vec::with_capacity(counts.len());
    for &count in counts {
        whitened.used = count;
        let (next, mut one) = whitened.minimise(&with_rows(&beta, count), tolerance)?;
        let mut coef = with_rows(&next, phi.cols());
        factor.solve_upper_in_place(&mut coef);
        one.coef = with_rows(&coef, count);
        found.push(one);
        beta = next;
    }
    Ok(found)
}

/// The first rows of a matrix, and zeros where it has fewer.
fn with_rows(m: &Matrix, rows: usize) -> Matrix {
    let mut data = m.as_slice().to_vec();
    data.resize(rows * m.cols(), 0.0);
    Matrix::from_vec(data, rows, m.cols())
}

/// The problem in coordinates of unit curvature.
struct Whitened<'a> {
    /// Columns x rows.
    columns: Matrix,
    penalty: Matrix,
    classes: &'a Classes,
    outputs: usize,
    /// So many of the first columns are used.
    used: usize,
}

/// Objective, probabilities and gradient at a point.
struct Point {
    objective: f64,
    /// Rows x outputs.
    probabilities: Matrix,
    gradient: Matrix,
}

impl Whitened<'_> {
    fn columns(&self) -> View<'_> {
        self.columns.rows_view(0..self.used)
    }

    fn penalty(&self) -> View<'_> {
        let stride = self.penalty.cols();
        View::new(self.penalty.as_slice(), self.used, self.used, stride)
    }

    fn at(&self, beta: &Matrix) -> Point {
        let mut f = matmul(self.columns().t(), beta.view());
        let (classes, q) = (self.classes, self.outputs);
        let mut gap = Matrix::zeros(f.rows(), q);
        let mut objective = 0.0;
        for (i, &own) in classes.codes().iter().enumerate() {
            let w = classes.weight(i);
            let row = f.row_mut(i);
            if q == 1 {
                let sign = if own == 1 { 1.0 } else { -1.0 };
                let margin = sign * row[0];
                objective += w * ((-margin.abs()).exp().ln_1p() + (-margin).max(0.0));
                row[0] = 1.0 / (1.0 + (-row[0]).exp());
                gap[(i, 0)] = w * (row[0] - f64::from(own == 1));
            } else {
                let value = row[own];
                let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                row.iter_mut().for_each(|v| *v = (*v - top).exp());
                let sum: f64 = row.iter().sum();
                objective += w * (top + sum.ln() - value);
                for (c, v) in row.iter_mut().enumerate() {
                    *v /= sum;
                    gap[(i, c)] = w * (*v - f64::from(own == c));
                }
            }
        }
        let mut gradient = matmul(self.columns(), gap.view());
        let pull = matmul(self.penalty(), beta.view());
        objective += 0.5 * dot(pull.as_slice(), beta.as_slice());
        add_scaled(&mut gradient, &pull, 1.0);
        Point {
            objective,
            probabilities: f,
            gradient,
        }
    }

    /// The Hessian times a direction.
    fn curvature(&self, p: &Matrix, v: &Matrix) -> Matrix {
        let mut f = matmul(self.columns().t(), v.view());
        for i in 0..f.rows() {
            let w = self.classes.weight(i);
            let (row, p) = (f.row_mut(i), p.row(i));
            if self.outputs == 1 {
                row[0] *= w * p[0] * (1.0 - p[0]);
            } else {
                let mean = dot(row, p);
                row.iter_mut()
                    .zip(p)
                    .for_each(|(v, p)| *v = w * p * (*v - mean));
            }
        }
        let mut out = matmul(self.columns(), f.view());
        add_scaled(&mut out, &matmul(self.penalty(), v.view()), 1.0);
        out
    }

    fn minimise(&self, start: &Matrix, tolerance: f64) -> Result<(Matrix, Softmax)> {
        let mut beta = start.clone();
        let mut here = self.at(&beta);
        let zero = Matrix::zeros(self.used, self.outputs);
        let first = norm(&self.at(&zero).gradient).max(f64::MIN_POSITIVE);
        let mut steps = 0;
        while steps < STEPS && norm(&here.gradient) > tolerance * first {
            let direction = self.newton_direction(&here, first);
            let slope = dot(direction.as_slice(), here.gradient.as_slice());
            if slope.is_nan() || slope >= 0.0 {
                break;
            }
            let mut length = 1.0;
            let next = loop {
                let mut trial = beta.clone();
                add_scaled(&mut trial, &direction, length);
                let there = self.at(&trial);
                if there.objective <= here.objective + 1e-4 * length * slope {
                    break Some((trial, there));
                }
                length *= 0.5;
                if length < 1e-8 {
                    break None;
                }
            };
            // No step decreases the objective any more: rounding.
            let Some((trial, there)) = next else { break };
            (beta, here) = (trial, there);
            steps += 1;
        }
        if !here.objective.is_finite() {
            return Err(Error::NoConvergence("the softmax regression"));
        }
        let gradient = norm(&here.gradient) / first;
        let found = Softmax {
            coef: Matrix::zeros(0, 0),
            objective: here.objective,
            steps,
            converged: gradient <= tolerance.max(1e-7),
            gradient,
        };
        Ok((beta, found))
    }

    /// Conjugate gradients on the Newton equations, less exact far from the solution.
    fn newton_direction(&self, here: &Point, first: f64) -> Matrix {
        let size = norm(&here.gradient);
        let enough = size * (size / first).sqrt().min(0.1);
        let mut x = Matrix::zeros(here.gradient.rows(), self.outputs);
        let mut r = here.gradient.clone();
        r.as_mut_slice().iter_mut().for_each(|v| *v = -*v);
        let mut d = r.clone();
        let mut rr = dot(r.as_slice(), r.as_slice());
        for _ in 0..INNER {
            let h = self.curvature(&here.probabilities, &d);
            let bend = dot(d.as_slice(), h.as_slice());
            if bend <= 0.0 {
                break;
            }
            let length = rr / bend;
            add_scaled(&mut x, &d, length);
            add_scaled(&mut r, &h, -length);
            let next = dot(r.as_slice(), r.as_slice());
            if next.sqrt() <= enough {
                break;
            }
            let keep = next / rr;
            rr = next;
            for (d, r) in d.as_mut_slice().iter_mut().zip(r.as_slice()) {
                *d = r + keep * *d;
            }
        }
        x
    }
}

fn norm(m: &Matrix) -> f64 {
    dot(m.as_slice(), m.as_slice()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rng;

    /// Columns, classes and a penalty that is positive definite but for the offset.
    fn random(n: usize, r: usize, c: usize, seed: u64) -> (Matrix, Classes, Matrix) {
        let mut rng = Rng::new(seed);
        let phi = Matrix::from_fn(n, r, |_, j| if j == 0 { 1.0 } else { rng.normal() });
        let codes: Vec<usize> = (0..n)
            .map(|i| if i < c { i } else { rng.below(c) })
            .collect();
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
        let half = Matrix::from_fn(r, r, |_, _| rng.normal());
        let mut penalty = symmetric_product(half.view());
        for j in 0..r {
            penalty[(0, j)] = 0.0;
            penalty[(j, 0)] = 0.0;
        }
        (phi, Classes::new(&codes, Some(&weights), c), penalty)
    }

    /// The objective, from its definition.
    fn objective(phi: &Matrix, classes: &Classes, penalty: &Matrix, coef: &Matrix) -> f64 {
        let f = matmul(phi.view(), coef.view());
        let mut sum = 0.0;
        for (i, &own) in classes.codes().iter().enumerate() {
            let logits: Vec<f64> = if coef.cols() == 1 {
                vec![0.0, f[(i, 0)]]
            } else {
                f.row(i).to_vec()
            };
            let total: f64 = logits.iter().map(|v| v.exp()).sum();
            sum += classes.weight(i) * (total.ln() - logits[own]);
        }
        let pull = matmul(penalty.view(), coef.view());
        sum + 0.5 * dot(pull.as_slice(), coef.as_slice())
    }

    fn whole(phi: &Matrix, classes: &Classes, penalty: &Matrix) -> Softmax {
        let mut found = softmax(phi, classes, penalty, &[phi.cols()], 1e-9).expect("solves");
        found.remove(0)
    }

    #[test]
    fn fits_on_the_first_columns_are_fits_of_their_own() {
        for c in [2, 4] {
            let (phi, classes, penalty) = random(70, 7, c, 11);
            let found = softmax(&phi, &classes, &penalty, &[2, 5, 7], 1e-9).expect("solves");
            for (one, count) in found.iter().zip([2, 5, 7]) {
                let first = Matrix::from_fn(70, count, |i, j| phi[(i, j)]);
                let own = Matrix::from_fn(count, count, |i, j| penalty[(i, j)]);
                let alone = whole(&first, &classes, &own);
                assert_eq!(one.coef.rows(), count);
                assert!((one.objective - alone.objective).abs() < 1e-8 * alone.objective);
                let value = objective(&first, &classes, &own, &one.coef);
                assert!((value - one.objective).abs() < 1e-9 * value);
            }
        }
    }

    #[test]
    fn no_direction_decreases_the_objective() {
        for (c, seed) in [(2, 1), (3, 2), (5, 3)] {
            let (phi, classes, penalty) = random(80, 6, c, seed);
            let found = whole(&phi, &classes, &penalty);
            assert!(found.converged, "{found:?}");
            let value = |coef: &Matrix| objective(&phi, &classes, &penalty, coef);
            assert!((value(&found.coef) - found.objective).abs() < 1e-9 * found.objective);
            // Central differences vanish in every coordinate.
            for k in 0..found.coef.as_slice().len() {
                let h = 1e-4;
                let (mut up, mut down) = (found.coef.clone(), found.coef.clone());
                up.as_mut_slice()[k] += h;
                down.as_mut_slice()[k] -= h;
                let slope = (value(&up) - value(&down)) / (2.0 * h);
                assert!(slope.abs() < 1e-5, "{c} {k} {slope}");
            }
        }
    }

    #[test]
    fn scaling_a_column_does_not_matter_if_the_penalty_follows() {
        let (phi, classes, penalty) = random(60, 4, 3, 7);
        let scales = [1.0, 1e4, 1e-3, 10.0];
        let scaled = Matrix::from_fn(60, 4, |i, j| phi[(i, j)] * scales[j]);
        let follows = Matrix::from_fn(4, 4, |i, j| penalty[(i, j)] * scales[i] * scales[j]);
        let a = whole(&phi, &classes, &penalty);
        let b = whole(&scaled, &classes, &follows);
        assert!((a.objective - b.objective).abs() < 1e-6 * a.objective);
    }
}
