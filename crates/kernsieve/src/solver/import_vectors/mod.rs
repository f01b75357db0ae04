//! The import vector machine (Zhu & Hastie 2005): kernel logistic regression carried by a few
//! samples.
//!
//! ```text
//! H(A) = sum_i s_i loss_i(K_S A) + lambda tr(A' K_SS A)
//! ```
//!
//! over coefficients of the samples in `S` only. `S` grows greedily. The sample that enters is the
//! one for which a single Newton step from the current solution lowers `H` most (their Algorithm 2;
//! for several classes, with the block-diagonal part of the curvature). Then `H` is minimised for
//! the larger `S`.
//!
//! The selection stops when `H` is within a share `epsilon` of its minimum over all samples, at
//! `limit` samples, or when no sample lowers `H` any more. Zhu & Hastie stop when the last import
//! changes `H` by little. With a wide kernel and classes of equal size, that would already be the
//! case at the very first import.
//!
//! Complexity of import `m`: `2 m n^2` flops per class for the gains of all candidates (one matrix
//! product), and `n (m c)^2` per Newton step.
//!
//! [Zhu & Hastie] "Kernel logistic regression and the import vector machine", JCGS 14 (2005).

use super::logistic::{Likelihood, Outcome, Stop, Workspace, solve};
use crate::error::Result;
use crate::linalg::{Cholesky, Matrix, cholesky_shifted, dot, matmul, symmetric_times};

/// Most Newton steps for one set of samples.
const NEWTON_STEPS: usize = 100;
/// A set counts as solved when the predicted decrease of `H`, relative to `H`, is at most this:
/// `ON_THE_WAY` while samples enter, `EXACT` at the end.
const ON_THE_WAY: f64 = 1e-9;
const EXACT: f64 = 1e-26;

/// A kernel logistic regression on few samples.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Samples in the order in which they entered.
    pub rows: Vec<usize>,
    /// Coefficients, samples x columns.
    pub coef: Matrix,
    /// `H` after each import.
    pub objectives: Vec<f64>,
    /// Training error after each import.
    pub train_errors: Vec<f64>,
    /// Largest entry of the gradient of `H` at the end.
    pub gradient: f64,
}

/// Imports samples for the Gram matrix `k`.
pub fn import_vectors(
    k: &Matrix,
    likelihood: &Likelihood,
    ridge: f64,
    limit: usize,
    epsilon: f64,
) -> Result<Imported> {
    let start = vec![0.0; k.rows() * likelihood.columns()];
    let mut work = Workspace::default();
    let whole = match solve(
        k.as_slice(),
        likelihood,
        ridge,
        &start,
        Stop::FOLD,
        &mut work,
    ) {
        Outcome::Solved(s) => s.objective,
        Outcome::Above(value) => value,
    };
    let mut state = State::new(k, likelihood, ridge);
    let (mut objectives, mut train_errors) = (vec![], vec![]);
    let mut last = state.objective;
    while state.rows.len() < limit.min(k.rows()) {
        let Some(row) = state.best_candidate()? else {
            break;
        };
        state.import(row)?;
        // An import that has no effect, because of rounding, is not kept.
        if state.objective >= last && !objectives.is_empty() {
            break;
        }
        objectives.push(state.objective);
        train_errors.push(likelihood.training_error(&state.p));
        if state.objective - whole < epsilon * whole.abs() {
            break;
        }
        last = state.objective;
    }
    let kept = objectives.len();
    if let (Some(objective), Some(error)) = (objectives.last_mut(), train_errors.last_mut()) {
        state.keep(kept);
        state.minimise(EXACT)?;
        (*objective, *error) = (state.objective, likelihood.training_error(&state.p));
    }
    Ok(Imported {
        coef: state.coef_matrix(),
        rows: state.rows,
        objectives,
        train_errors,
        gradient: state.gradient,
    })
}

struct State<'a> {
    k: &'a Matrix,
    likelihood: &'a Likelihood,
    ridge: f64,
    rows: Vec<usize>,
    /// Coefficients, column by column.
    coef: Vec<f64>,
    f: Vec<f64>,
    p: Vec<f64>,
    gap: Vec<f64>,
    objective: f64,
    gradient: f64,
}

impl<'a> State<'a> {
    fn new(k: &'a Matrix, likelihood: &'a Likelihood, ridge: f64) -> Self {
        let size = k.rows() * likelihood.columns();
        let mut state = Self {
            k,
            likelihood,
            ridge,
            rows: vec![],
            coef: vec![],
            f: vec![0.0; size],
            p: vec![0.0; size],
            gap: vec![0.0; size],
            objective: 0.0,
            gradient: 0.0,
        };
        state.objective = likelihood
            .evaluate(&state.f, &mut state.p, &mut state.gap)
            .0;
        state
    }

    fn coef_matrix(&self) -> Matrix {
        let m = self.rows.len();
        Matrix::from_fn(m, self.likelihood.columns(), |i, c| self.coef[c * m + i])
    }

    /// Curvature `s p (1 - p)` of a column.
    fn curvature(&self, c: usize) -> Vec<f64> {
        let n = self.k.rows();
        let p = &self.p[c * n..(c + 1) * n];
        p.iter()
            .zip(&self.likelihood.shares)
            .map(|(p, s)| s * p * (1.0 - p))
            .collect()
    }

    /// `sqrt(w) K_S`, rows x samples.
    fn weighted_columns(&self, root: &[f64]) -> Matrix {
        Matrix::from_fn(self.k.rows(), self.rows.len(), |i, j| {
            root[i] * self.k[(i, self.rows[j])]
        })
    }

    /// The sample for which a single Newton step lowers `H` most; the first one on a tie.
    fn best_candidate(&self) -> Result<Option<usize>> {
        let (n, q, m) = (self.k.rows(), self.likelihood.columns(), self.rows.len());
        // Gradient of H in the coefficient of every sample, entered or not: 2 lambda f - K b.
        let b: Vec<f64> = (0..n * q)
            .map(|t| self.likelihood.shares[t % n] * self.gap[t])
            .collect();
        let mut kb = vec![0.0; n * q];
        symmetric_times(self.k.as_slice(), n, &b, &mut kb);
        let mut gains = vec![0.0; n];
        for c in 0..q {
            let w = self.curvature(c);
            let root: Vec<f64> = w.iter().map(|w| w.sqrt()).collect();
            // The curvature of each sample's column that the columns of S do not explain.
            let mut left: Vec<f64> = (0..n)
                .map(|l| {
                    let row = self.k.row(l);
                    row.iter().zip(&w).map(|(k, w)| w * k * k).sum::<f64>()
                        + 2.0 * self.ridge * row[l]
                })
                .collect();
            let before = left.clone();
            if m > 0 {
                let columns = self.weighted_columns(&root);
                let factor = self.factor(&matmul(columns.view().t(), columns.view()))?;
                let mut cross = matmul(
                    Matrix::from_fn(m, n, |j, i| root[i] * columns[(i, j)]).view(),
                    self.k.view(),
                );
                for (j, &s) in self.rows.iter().enumerate() {
                    let row = self.k.row(s);
                    cross
                        .row_mut(j)
                        .iter_mut()
                        .zip(row)
                        .for_each(|(v, k)| *v += 2.0 * self.ridge * k);
                }
                factor.solve_lower_in_place(&mut cross);
                for j in 0..m {
                    left.iter_mut()
                        .zip(cross.row(j))
                        .for_each(|(l, v)| *l -= v * v);
                }
            }
            for l in 0..n {
                let g = 2.0 * self.ridge * self.f[c * n + l] - kb[c * n + l];
                // A sample in the span of S cannot lower H.
                if left[l] > 1e-10 * before[l] {
                    gains[l] += 0.5 * g * g / left[l];
                }
            }
        }
        let mut best: Option<usize> = None;
        for l in (0..n).filter(|l| !self.rows.contains(l)) {
            if gains[l] > best.map_or(1e-15, |b| gains[b]) {
                best = Some(l);
            }
        }
        Ok(best)
    }

    /// Cholesky factor of a curvature plus the penalty of one column.
    fn factor(&self, curvature: &Matrix) -> Result<Cholesky> {
        let m = self.rows.len();
        let system = Matrix::from_fn(m, m, |i, j| {
            curvature[(i, j)] + 2.0 * self.ridge * self.k[(self.rows[i], self.rows[j])]
        });
        factor_with_jitter(system)
    }

    /// Adds a sample and minimises `H` for the larger set.
    fn import(&mut self, row: usize) -> Result<()> {
        let (q, m) = (self.likelihood.columns(), self.rows.len());
        self.rows.push(row);
        let mut coef = vec![0.0; (m + 1) * q];
        for c in 0..q {
            coef[c * (m + 1)..c * (m + 1) + m].copy_from_slice(&self.coef[c * m..(c + 1) * m]);
        }
        self.coef = coef;
        self.minimise(ON_THE_WAY)
    }

    /// Keeps the first samples only, with their coefficients as a start.
    fn keep(&mut self, size: usize) {
        let (m, q) = (self.rows.len(), self.likelihood.columns());
        if size < m {
            self.rows.truncate(size);
            let old = std::mem::take(&mut self.coef);
            self.coef = (0..q)
                .flat_map(|c| old[c * m..c * m + size].to_vec())
                .collect();
        }
    }

    /// Minimises `H` for the current samples.
    fn minimise(&mut self, tolerance: f64) -> Result<()> {
        let (n, q, m) = (self.k.rows(), self.likelihood.columns(), self.rows.len());
        let mut coef = std::mem::take(&mut self.coef);
        let ks = Matrix::from_fn(n, m, |i, j| self.k[(i, self.rows[j])]);
        let kss = ks.select_rows(&self.rows);
        let norm = |coef: &[f64]| -> f64 {
            (0..q)
                .map(|c| {
                    let a = &coef[c * m..(c + 1) * m];
                    (0..m).map(|i| a[i] * dot(kss.row(i), a)).sum::<f64>()
                })
                .sum()
        };
        let mut objective = self.outputs(&ks, &coef) + self.ridge * norm(&coef);
        for _ in 0..NEWTON_STEPS {
            // Gradient: K_S'(-b) + 2 lambda K_SS a.
            let mut gradient = Matrix::zeros(m * q, 1);
            for c in 0..q {
                let a = &coef[c * m..(c + 1) * m];
                for j in 0..m {
                    gradient[(c * m + j, 0)] = 2.0 * self.ridge * dot(kss.row(j), a);
                }
                for i in 0..n {
                    let b = self.likelihood.shares[i] * self.gap[c * n + i];
                    let row = ks.row(i);
                    (0..m).for_each(|j| gradient[(c * m + j, 0)] -= b * row[j]);
                }
            }
            self.gradient = gradient.max_abs();
            let factor = factor_with_jitter(self.hessian(&ks, &kss))?;
            let mut step = gradient.clone();
            factor.solve_in_place(&mut step);
            let slope = dot(gradient.as_slice(), step.as_slice());
            if slope.is_nan() || slope <= tolerance * objective.abs() {
                break;
            }
            let mut size = 1.0;
            let moved = loop {
                let trial: Vec<f64> = coef
                    .iter()
                    .zip(step.as_slice())
                    .map(|(a, d)| a - size * d)
                    .collect();
                let loss = self.outputs(&ks, &trial);
                let value = loss + self.ridge * norm(&trial);
                // Close to the solution the decrease is below the rounding error.
                if value <= objective - 1e-4 * size * slope || slope <= 1e-13 * objective.abs() {
                    objective = value;
                    coef = trial;
                    break true;
                }
                size *= 0.5;
                if size < 1e-12 {
                    break false;
                }
            };
            if !moved {
                self.outputs(&ks, &coef);
                break;
            }
        }
        self.coef = coef;
        self.objective = objective;
        Ok(())
    }

    /// Computes the outputs and probabilities of coefficients, and returns the mean loss.
    fn outputs(&mut self, ks: &Matrix, coef: &[f64]) -> f64 {
        let (n, m) = (ks.rows(), ks.cols());
        for (c, a) in coef.chunks_exact(m).enumerate() {
            for i in 0..n {
                self.f[c * n + i] = dot(ks.row(i), a);
            }
        }
        self.likelihood
            .evaluate(&self.f, &mut self.p, &mut self.gap)
            .0
    }

    /// The whole second derivative, all columns coupled.
    fn hessian(&self, ks: &Matrix, kss: &Matrix) -> Matrix {
        let (n, q, m) = (self.k.rows(), self.likelihood.columns(), self.rows.len());
        let mut hessian = Matrix::zeros(m * q, m * q);
        for c in 0..q {
            for d in 0..=c {
                let weight = |i: usize| {
                    let (s, p) = (self.likelihood.shares[i], self.p[c * n + i]);
                    s * p * (f64::from(u8::from(c == d)) - self.p[d * n + i])
                };
                let weighted = Matrix::from_fn(n, m, |i, j| weight(i) * ks[(i, j)]);
                let block = matmul(weighted.view().t(), ks.view());
                for i in 0..m {
                    for j in 0..m {
                        let penalty = if c == d {
                            2.0 * self.ridge * kss[(i, j)]
                        } else {
                            0.0
                        };
                        hessian[(c * m + i, d * m + j)] = block[(i, j)] + penalty;
                        hessian[(d * m + j, c * m + i)] = block[(i, j)] + penalty;
                    }
                }
            }
        }
        hessian
    }
}

/// Cholesky factor with the least addition to the diagonal that works. Samples that are almost
/// alike make the matrix numerically singular.
fn factor_with_jitter(system: Matrix) -> Result<Cholesky> {
    let scale = (0..system.rows()).fold(f64::MIN_POSITIVE, |m, i| f64::max(m, system[(i, i)]));
    let mut jitter = 1e-15 * scale;
    loop {
        match cholesky_shifted(system.clone(), jitter) {
            Ok(factor) => return Ok(factor),
            Err(e) if jitter > 1e-3 * scale => return Err(e),
            Err(_) => jitter *= 10.0,
        }
    }
}

#[cfg(test)]
mod tests;
