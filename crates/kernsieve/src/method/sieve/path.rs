//! The path of samples: orthogonal least squares on the learnt kernel, with the ridge and with the
//! offset and the linear part always in.
//!
//! The penalised regression on candidates `S`, `|y - b - u'a - K_S A|^2 + lambda (A'K_SS A + |a|^2 /
//! tau)`, has the normal equations of an ordinary one whose products of columns are `K'K + lambda
//! K_mm`. So the pivoted factorisation of [`crate::solver::ols`] selects samples for the penalised
//! fit too, and with all rows as candidates the end of the path is kernel ridge regression.
//! Complexity: `n m^2` flops for the sums and `m^2 s` for a path of `s` samples.

use super::learn::Learnt;
use super::sample::{responses, unit_classes};
use crate::data::NormalScores;
use crate::error::Result;
use crate::kernel::{Pairs, cross_gram, gram};
use crate::linalg::{Matrix, View, add_scaled, add_to_rows, cholesky_shifted, dot, matmul};
use crate::method::Problem;
use crate::method::smkda::row_ranks;
use crate::partial::{Columns, InMemory, Passes, Sums, weighted};
use crate::solver::ols::ranked_selection;

/// Rows whose kernel values are held at once.
pub(super) const BLOCK: usize = 4096;

/// A path of selected samples.
pub(super) struct Path {
    /// Selected samples, as rows of the problem.
    pub rows: Vec<usize>,
    /// Share of the variance of the responses that is explained after each step.
    pub explained: Vec<f64>,
    /// Variance of the responses, summed over rows.
    variance: f64,
    /// What they are compared with: weighted candidates.
    candidates: Matrix,
    /// The candidates in order of selection.
    order: Vec<usize>,
    /// Row `k` of the factor: products with the unit vectors before, and its own length.
    factor: Matrix,
    /// Products of the unit vectors with the responses, steps x responses.
    along: Matrix,
    /// Means of the candidates' columns, then of the linear ones.
    means: Vec<f64>,
    response_means: Vec<f64>,
    /// For the linear part: `C^-1 B` and `C^-1 u'Y`, features x candidates and features x
    /// responses.
    linear: Option<(Matrix, Matrix)>,
    learnt: Learnt,
}

/// Coefficients at a size of the path.
pub(super) struct Coefficients {
    /// Samples x responses.
    pub coef: Matrix,
    /// Features used x responses.
    pub linear: Option<Matrix>,
    pub offset: Vec<f64>,
}

impl Coefficients {
    /// `b + K A + u a` for kernel values with the samples (rows x samples) and weighted rows.
    pub fn outputs(&self, k: View<'_>, u: &Matrix) -> Matrix {
        let mut f = matmul(k, self.coef.view());
        add_to_rows(&mut f, &self.offset);
        if let Some(linear) = &self.linear {
            add_scaled(&mut f, &matmul(u.view(), linear.view()), 1.0);
        }
        f
    }

    /// Least squares fits as logits: the same map as [`sharpened`] in the coefficients.
    pub fn sharpen(&mut self) {
        let (factor, shift) = sharpening(self.coef.cols());
        let scale = |m: &mut Matrix| m.as_mut_slice().iter_mut().for_each(|v| *v *= factor);
        scale(&mut self.coef);
        self.linear.as_mut().into_iter().for_each(scale);
        self.offset
            .iter_mut()
            .for_each(|v| *v = factor * *v + shift);
    }
}

/// Least squares outputs, which lie between 0 and 1, become logits by this factor. The temperature
/// corrects it.
const SHARPNESS: f64 = 6.0;

/// Factor and shift that make logits of this many outputs. A single output is that of the second
/// class, and even odds are at a half.
fn sharpening(outputs: usize) -> (f64, f64) {
    match outputs {
        1 => (2.0 * SHARPNESS, -SHARPNESS),
        _ => (SHARPNESS, 0.0),
    }
}

/// Least squares fits as logits.
pub(super) fn sharpened(mut fitted: Matrix) -> Matrix {
    let (factor, shift) = sharpening(fitted.cols());
    for v in fitted.as_mut_slice() {
        *v = factor * *v + shift;
    }
    fitted
}

impl Path {
    /// Selects up to `longest` of the candidates, which are rows of the problem. `x` is the
    /// problem's rows as the method prepares them.
    pub fn new(
        problem: &Problem,
        x: &Matrix,
        learnt: &Learnt,
        candidates: &[usize],
        longest: usize,
    ) -> Result<Self> {
        let classes = problem.classes();
        let mut rows = InMemory {
            x,
            classes: &classes,
        };
        Self::by_passes(&mut rows, x, None, learnt, candidates, longest)
    }

    /// The same where the rows are summed over elsewhere. The candidates are rows of `x`, which are
    /// prepared; `scores` are the normal scores that the others still have to become.
    pub fn by_passes(
        rows: &mut dyn Passes,
        x: &Matrix,
        scores: Option<&NormalScores>,
        learnt: &Learnt,
        candidates: &[usize],
        longest: usize,
    ) -> Result<Self> {
        let verdict = &learnt.verdict;
        let centres = weighted(&x.select_rows(candidates), &learnt.weights);
        let sums = rows.sums(Columns::Kernel {
            kernel: verdict.kernel,
            scores: scores.cloned(),
            weights: learnt.weights.clone(),
            centres: centres.clone(),
            linear: verdict.linear,
        })?;
        Self::of_sums(&sums, centres, candidates, learnt, longest)
    }

    fn of_sums(
        sums: &Sums,
        centres: Matrix,
        candidates: &[usize],
        learnt: &Learnt,
        longest: usize,
    ) -> Result<Self> {
        let ridge = learnt.verdict.ridge;
        let own = &gram(&learnt.verdict.kernel, &centres);
        // Weights of mean one, so that a ridge means the same whatever the weights sum to.
        let unit = sums.rows as f64 / sums.total();
        let mut all = sums.centred_gram();
        all.as_mut_slice().iter_mut().for_each(|v| *v *= unit);
        let means = sums.means();
        // One response a class; two classes need only that of the second.
        let first = usize::from(sums.totals.len() == 2);
        let totals = &sums.totals[first..];
        let response_means: Vec<f64> = totals.iter().map(|t| t / sums.total()).collect();
        let products = Matrix::from_fn(means.len(), totals.len(), |i, j| {
            unit * (sums.by_class[(i, first + j)] - means[i] * totals[j])
        });
        let spread = response_means.iter().map(|m| m * (1.0 - m));
        let variance = sums.rows as f64 * spread.sum::<f64>();
        let (m, q) = (own.rows(), totals.len());
        let p = all.rows() - m;
        let mut g = Matrix::from_fn(m, m, |i, j| all[(i, j)] + ridge * own[(i, j)]);
        let mut b = Matrix::from_fn(m, q, |i, j| products[(i, j)]);
        let mut explained = 0.0;
        let linear = if p > 0 {
            let tau = super::judge::linear_variance(&learnt.weights);
            let c = Matrix::from_fn(p, p, |i, j| all[(m + i, m + j)]);
            let factor = cholesky_shifted(c, ridge / tau)?;
            let cross = Matrix::from_fn(p, m, |i, j| all[(m + i, j)]);
            let linear = Matrix::from_fn(p, q, |i, j| products[(m + i, j)]);
            let (mut to_columns, mut to_responses) = (cross.clone(), linear.clone());
            factor.solve_in_place(&mut to_columns);
            factor.solve_in_place(&mut to_responses);
            let less = matmul(cross.view().t(), to_columns.view());
            add_scaled(&mut g, &less, -1.0);
            let less = matmul(cross.view().t(), to_responses.view());
            add_scaled(&mut b, &less, -1.0);
            explained = dot(linear.as_slice(), to_responses.as_slice());
            Some((to_columns, to_responses))
        } else {
            None
        };
        let mut rows = Vec::new();
        let mut shares = Vec::new();
        let mut order = Vec::new();
        let mut factor: Vec<Vec<f64>> = Vec::new();
        let mut along: Vec<f64> = Vec::new();
        let ranks = row_ranks(&centres);
        ranked_selection(g, b, &ranks, longest.min(m), |step| {
            order.push(step.candidate);
            rows.push(candidates[step.candidate]);
            explained += dot(step.responses, step.responses);
            shares.push(explained / variance.max(f64::MIN_POSITIVE));
            let mut row = step.projections.to_vec();
            row.push(step.length);
            factor.push(row);
            along.extend_from_slice(step.responses);
            true
        });
        let s = order.len();
        let factor = Matrix::from_fn(s, s, |i, j| factor[i].get(j).copied().unwrap_or(0.0));
        Ok(Self {
            rows,
            explained: shares,
            variance,
            candidates: centres,
            order,
            factor,
            along: Matrix::from_vec(along, s, q),
            means,
            response_means,
            linear,
            learnt: learnt.clone(),
        })
    }

    /// Number of samples at the end.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Fitted responses of other rows (weighted) at each of these sizes, which ascend.
    pub fn follow(&self, u: &Matrix, sizes: &[usize]) -> Vec<Matrix> {
        let (n, q, m) = (u.rows(), self.along.cols(), self.candidates.rows());
        let chosen = self.candidates.select_rows(&self.order);
        let family = self.learnt.verdict.kernel.family();
        // Steps x rows, so that the triangular solve runs along the steps.
        let mut k = Pairs::new(family.base(), u.clone())
            .all(&chosen, |v| self.learnt.verdict.kernel.apply(v));
        let mut fitted = Matrix::from_fn(n, q, |_, j| self.response_means[j]);
        for (row, &l) in k.as_mut_slice().chunks_exact_mut(n.max(1)).zip(&self.order) {
            row.iter_mut().for_each(|v| *v -= self.means[l]);
        }
        if let Some((to_columns, to_responses)) = &self.linear {
            let p = u.cols();
            let centred = Matrix::from_fn(n, p, |i, j| u[(i, j)] - self.means[m + j]);
            let part = matmul(centred.view(), to_responses.view());
            add_scaled(&mut fitted, &part, 1.0);
            let columns = to_columns.select_columns(&self.order);
            let less = matmul(columns.view().t(), centred.view().t());
            add_scaled(&mut k, &less, -1.0);
        }
        crate::linalg::solve_lower(self.factor.view(), &mut k);
        let mut at = 0;
        sizes
            .iter()
            .map(|&size| {
                let size = size.min(self.len());
                if size > at {
                    let (steps, part) = (k.rows_view(at..size), self.along.rows_view(at..size));
                    add_scaled(&mut fitted, &matmul(steps.t(), part), 1.0);
                    at = size;
                }
                fitted.clone()
            })
            .collect()
    }

    /// The penalised squared error at the end of the path.
    pub fn objective(&self) -> f64 {
        let explained = self.explained.last().copied().unwrap_or(0.0);
        ((1.0 - explained) * self.variance).max(0.0)
    }

    /// How far the coefficients at the end are from their normal equations
    /// `K_S'W(y - f) = lambda K_SS A`, relative to the size of the terms.
    pub fn residual(&self, problem: &Problem, x: &Matrix, parts: &Coefficients) -> f64 {
        let classes = unit_classes(problem);
        let y = responses(&classes);
        let (kernel, centres) = (&self.learnt.verdict.kernel, self.centres(self.len()));
        let mut left = matmul(gram(kernel, &centres).view(), parts.coef.view());
        let ridge = self.learnt.verdict.ridge;
        left.as_mut_slice().iter_mut().for_each(|v| *v *= -ridge);
        let mut size = left.max_abs();
        for start in (0..x.rows()).step_by(BLOCK) {
            let range: Vec<usize> = (start..(start + BLOCK).min(x.rows())).collect();
            let u = weighted(&x.select_rows(&range), &self.learnt.weights);
            let k = cross_gram(kernel, &u, &centres);
            let f = parts.outputs(k.view(), &u);
            let gaps = Matrix::from_fn(range.len(), f.cols(), |i, j| {
                classes.weight(start + i) * (y[(start + i, j)] - f[(i, j)])
            });
            let pull = matmul(k.view().t(), gaps.view());
            let part = Matrix::from_fn(range.len(), f.cols(), |i, j| {
                classes.weight(start + i) * y[(start + i, j)]
            });
            size += matmul(k.view().t(), part.view()).max_abs();
            add_scaled(&mut left, &pull, 1.0);
        }
        left.max_abs() / size.max(f64::MIN_POSITIVE)
    }

    /// The selected candidates up to a size, weighted.
    pub fn centres(&self, size: usize) -> Matrix {
        self.candidates
            .select_rows(&self.order[..size.min(self.len())])
    }

    /// Coefficients at a size: `R A = Q'Y` by back substitution.
    pub fn coefficients(&self, size: usize) -> Coefficients {
        let s = size.min(self.len());
        let q = self.along.cols();
        let mut coef = Matrix::from_fn(s, q, |k, j| self.along[(k, j)]);
        let stride = self.factor.cols();
        let factor = View::new(self.factor.as_slice(), s, s, stride);
        crate::linalg::solve_lower_transposed(factor, &mut coef);
        let m = self.candidates.rows();
        let order = &self.order[..s];
        let linear = self.linear.as_ref().map(|(to_columns, to_responses)| {
            let less = matmul(to_columns.select_columns(order).view(), coef.view());
            Matrix::from_fn(to_responses.rows(), q, |i, j| {
                to_responses[(i, j)] - less[(i, j)]
            })
        });
        let mut offset = self.response_means.clone();
        for (j, o) in offset.iter_mut().enumerate() {
            *o -= (0..s)
                .map(|k| coef[(k, j)] * self.means[order[k]])
                .sum::<f64>();
            if let Some(linear) = &linear {
                *o -= (0..linear.rows())
                    .map(|i| linear[(i, j)] * self.means[m + i])
                    .sum::<f64>();
            }
        }
        Coefficients {
            coef,
            linear,
            offset,
        }
    }
}
