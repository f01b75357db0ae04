//! A Newton step in all outputs at once, to speed up the last digits.

use super::{LEAST_CURVATURE, Walk};
use crate::linalg::{Cholesky, Matrix, View, dot, matmul};
use crate::solver::coordinate_descent::Penalty;

/// Most flops that such a step may take.
const POLISH_FLOPS: f64 = 2e10;

impl Walk {
    /// Takes one Newton step in all nonzero coefficients, with their current signs, and in all
    /// offsets. The step is halved until the objective falls, and coefficients that would change
    /// sign become zero. Improving one output at a time converges slowly near the solution; this
    /// step does not, but it needs to know which coefficients are zero.
    pub(super) fn polish(&mut self, penalty: Penalty) {
        let (q, n) = (self.coef.rows(), self.likelihood.n_rows());
        let sets: Vec<Vec<usize>> = (0..q)
            .map(|k| {
                (0..self.coef.cols())
                    .filter(|&j| self.coef[(k, j)] != 0.0)
                    .collect()
            })
            .collect();
        let starts: Vec<usize> = (0..=q)
            .map(|k| sets[..k].iter().map(|s| s.len() + 1).sum())
            .collect();
        let size = starts[q];
        if (n * size) as f64 * size as f64 > POLISH_FLOPS {
            return;
        }
        // Features of each output; the last one is constant and stands for the offset.
        let columns: Vec<Matrix> = sets
            .iter()
            .map(|set| {
                let values = set
                    .iter()
                    .flat_map(|&j| self.features.row(j).iter().copied());
                Matrix::from_vec(values.chain(vec![1.0; n]).collect(), set.len() + 1, n)
            })
            .collect();
        let mut hessian = Matrix::zeros(size, size);
        let mut downhill = Matrix::zeros(size, 1);
        for k in 0..q {
            let (residual, _) = self.residual(k);
            for (r, row) in columns[k].iter_rows().enumerate() {
                let own = sets[k].get(r).map_or(0.0, |&j| {
                    let w = self.coef[(k, j)];
                    penalty.l2 * w + penalty.l1 * w.signum()
                });
                downhill[(starts[k] + r, 0)] = dot(row, &residual) - own;
            }
            for l in 0..=k {
                let mut scaled = columns[k].clone();
                let weights: Vec<f64> = (0..n)
                    .map(|i| {
                        let (a, b) = (self.p[k * n + i], self.p[l * n + i]);
                        let w = self.total * self.likelihood.shares[i];
                        if k == l {
                            w * (a * (1.0 - a)).max(LEAST_CURVATURE)
                        } else {
                            -w * a * b
                        }
                    })
                    .collect();
                for row in scaled.as_mut_slice().chunks_exact_mut(n) {
                    row.iter_mut().zip(&weights).for_each(|(v, w)| *v *= w);
                }
                let block = matmul(scaled.view(), columns[l].view().t());
                for r in 0..block.rows() {
                    for c in 0..block.cols() {
                        hessian[(starts[k] + r, starts[l] + c)] = block[(r, c)];
                        hessian[(starts[l] + c, starts[k] + r)] = block[(r, c)];
                    }
                }
            }
        }
        // A shift that all classes share changes only the penalty, so a little curvature is added
        // for it.
        let largest = (0..size).map(|i| hessian[(i, i)]).fold(0.0, f64::max);
        for i in 0..size {
            hessian[(i, i)] += 1e-9 * largest;
        }
        for k in 0..q {
            (starts[k]..starts[k + 1] - 1).for_each(|i| hessian[(i, i)] += penalty.l2);
        }
        let Ok(factor) = Cholesky::new(hessian) else {
            return;
        };
        factor.solve_in_place(&mut downhill);
        let before = self.loss + self.coef.iter_rows().map(|w| penalty.of(w)).sum::<f64>();
        let mut share = 1.0;
        for _ in 0..8 {
            let (mut coef, mut offset, mut outputs) =
                (self.coef.clone(), self.offset.clone(), self.outputs.clone());
            for k in 0..q {
                let mut step: Vec<f64> = (starts[k]..starts[k + 1])
                    .map(|i| share * downhill[(i, 0)])
                    .collect();
                for (s, &j) in step.iter_mut().zip(&sets[k]) {
                    let w = coef[(k, j)];
                    if w * (w + *s) < 0.0 {
                        *s = -w;
                    }
                    coef[(k, j)] = w + *s;
                }
                offset[k] += step[step.len() - 1];
                let moved = matmul(
                    View::new(&step, 1, step.len(), step.len()),
                    columns[k].view(),
                );
                let own = outputs[k * n..(k + 1) * n].iter_mut();
                own.zip(moved.as_slice()).for_each(|(z, m)| *z += m);
            }
            let (mut p, mut gap) = (self.p.clone(), self.gap.clone());
            let loss = self.total * self.likelihood.evaluate(&outputs, &mut p, &mut gap).0;
            if loss + coef.iter_rows().map(|w| penalty.of(w)).sum::<f64>() < before {
                (self.coef, self.offset, self.outputs) = (coef, offset, outputs);
                (self.p, self.gap, self.loss) = (p, gap, loss);
                return;
            }
            share *= 0.5;
        }
    }
}
