//! Logistic regression with an L1 penalty, for two classes or more.
//!
//! ```text
//! min_{W,b}  sum_i -log p_{y_i}(x_i) + lambda sum_k (r |w_k|_1 + (1 - r) |w_k|^2 / 2),      p = softmax(W x + b)
//! ```
//! with one row of coefficients for two classes (the log odds of the second) and one a class for
//! more. The offsets are free. The loss is not divided by the number of rows, so that `lambda`
//! means what it means in [`super::lasso`].
//!
//! Row by row: the quadratic model of the objective in one row of coefficients is a weighted lasso,
//! which [`super::coordinate_descent`] solves on a working set of features; a step towards its
//! solution is halved until the objective falls. Along a list of falling penalties each start is
//! the end of the one before. Complexity: `n p` a row for the slopes, `n s^2` for the quadratic
//! model on `s` features.

use super::coordinate_descent::{Descent, Penalty, violation};
use super::lasso::GROWTH;
use super::likelihood::Likelihood;
use crate::classes::Classes;
use crate::linalg::{Cholesky, Matrix, View, dot, matmul, matmul_sequential, symmetric_product};

/// A point of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Coefficients, outputs x features.
    pub coef: Matrix,
    /// One per output.
    pub offset: Vec<f64>,
    /// The objective.
    pub objective: f64,
    /// By how much the slopes break the conditions of a minimum, relative to the largest slope at
    /// zero.
    pub violation: f64,
    /// Passes over the rows of coefficients.
    pub passes: usize,
    /// Whether the violation is small enough.
    pub converged: bool,
}

/// Passes before a solution is taken as it is.
const PASSES: usize = 300;
/// Rows that are all but certain still count this much of their weight in the quadratic model.
const LEAST_CURVATURE: f64 = 1e-7;
/// Coefficients this much below the largest are rounding.
const DUST: f64 = 1e-10;
/// Passes between two Newton steps in all outputs at once, and the flops that one may take.
const POLISH_EVERY: usize = 4;
const POLISH_FLOPS: f64 = 2e10;
/// Halvings of a step.
const HALVINGS: usize = 30;

/// Solutions at every penalty (falling): conditions of a minimum hold to `tol` times the largest
/// slope at zero.
pub fn path(x: &Matrix, classes: &Classes, penalties: &[Penalty], tol: f64) -> Vec<Solution> {
    let mut walk = Walk::new(x, classes);
    penalties
        .iter()
        .map(|&penalty| walk.solve(penalty, tol))
        .collect()
}

struct Walk {
    likelihood: Likelihood,
    /// Weight of all rows.
    total: f64,
    /// `X'`.
    features: Matrix,
    /// Outputs, one after the other; probabilities and `y - p` there.
    outputs: Vec<f64>,
    p: Vec<f64>,
    gap: Vec<f64>,
    /// Sum of losses there.
    loss: f64,
    coef: Matrix,
    offset: Vec<f64>,
    /// Largest slope when all coefficients are zero.
    steepest: f64,
}

impl Walk {
    fn new(x: &Matrix, classes: &Classes) -> Self {
        let (n, total) = (x.rows(), classes.total());
        let likelihood = Likelihood::new(classes);
        let q = likelihood.columns();
        let shares: Vec<f64> = classes.shares().iter().map(|share| share.ln()).collect();
        let offset = if q == 1 {
            vec![shares[1] - shares[0]]
        } else {
            shares
        };
        let mut walk = Self {
            likelihood,
            total,
            features: x.transpose(),
            outputs: offset.iter().flat_map(|&b| vec![b; n]).collect(),
            p: vec![0.0; n * q],
            gap: vec![0.0; n * q],
            loss: 0.0,
            coef: Matrix::zeros(q, x.cols()),
            offset,
            steepest: 0.0,
        };
        walk.loss = total
            * walk
                .likelihood
                .evaluate(&walk.outputs, &mut walk.p, &mut walk.gap)
                .0;
        for k in 0..q {
            let (residual, _) = walk.residual(k);
            let slopes = walk.features.iter_rows().map(|f| dot(f, &residual).abs());
            walk.steepest = slopes.fold(walk.steepest, f64::max);
        }
        walk
    }

    /// `weight (y - p)` and the curvature `weight p (1 - p)` of every row in output `k`.
    fn residual(&self, k: usize) -> (Vec<f64>, Vec<f64>) {
        let n = self.likelihood.n_rows();
        let own = k * n..(k + 1) * n;
        let rows = self.gap[own.clone()].iter().zip(&self.p[own]);
        rows.zip(&self.likelihood.shares)
            .map(|((gap, p), share)| {
                let w = self.total * share;
                (w * gap, w * (p * (1.0 - p)).max(LEAST_CURVATURE))
            })
            .unzip()
    }

    fn solve(&mut self, penalty: Penalty, tol: f64) -> Solution {
        let q = self.coef.rows();
        let bound = tol * self.steepest.max(f64::MIN_POSITIVE);
        let mut worst = f64::INFINITY;
        let mut passes = 0;
        while passes < PASSES && worst > bound {
            passes += 1;
            worst = 0.0;
            let mut moved = false;
            for k in 0..q {
                let (residual, curvature) = self.residual(k);
                let slopes: Vec<f64> = self
                    .features
                    .iter_rows()
                    .map(|f| dot(f, &residual))
                    .collect();
                let total: f64 = residual.iter().sum();
                let broken = violation(self.coef.row(k), &slopes, penalty).max(total.abs());
                worst = worst.max(broken);
                if broken > 0.5 * bound {
                    moved |= self.improve(k, penalty, &slopes, total, &curvature, 0.05 * broken);
                }
            }
            if !moved {
                break;
            }
            self.shift(penalty);
            if worst > bound && passes.is_multiple_of(POLISH_EVERY) {
                self.polish(penalty);
            }
        }
        let own: f64 = self.coef.iter_rows().map(|w| penalty.of(w)).sum();
        // What rounding has left of a feature that another one speaks for is zero.
        let dust = DUST * self.coef.max_abs();
        let mut coef = self.coef.clone();
        coef.as_mut_slice()
            .iter_mut()
            .filter(|w| w.abs() <= dust)
            .for_each(|w| *w = 0.0);
        Solution {
            coef,
            offset: self.offset.clone(),
            objective: self.loss + own,
            violation: worst / self.steepest.max(f64::MIN_POSITIVE),
            passes,
            converged: worst <= bound,
        }
    }

    /// A Newton step of all coefficients that are not zero, with their present signs, and all
    /// offsets at once; halved until the objective falls, coefficients that would change their sign
    /// to zero. One output at a time is slow to the end; this is not, but has to know which
    /// coefficients are zero.
    fn polish(&mut self, penalty: Penalty) {
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
        // Features of each output, the last one constant: the offset.
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
        // The same shift in all classes changes nothing but the penalty: a little curvature there.
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

    /// Adding the same to a feature's coefficients in all classes changes no probability: what
    /// makes the penalty least is added. Without this the steps, one class at a time, would creep
    /// along these directions.
    fn shift(&mut self, penalty: Penalty) {
        let (q, n) = (self.coef.rows(), self.likelihood.n_rows());
        if q < 2 {
            return;
        }
        for j in 0..self.coef.cols() {
            let mut values: Vec<f64> = (0..q).map(|k| self.coef[(k, j)]).collect();
            let centre = cheapest_centre(&mut values, penalty);
            if centre == 0.0 {
                continue;
            }
            for k in 0..q {
                self.coef[(k, j)] -= centre;
                let moved = self.outputs[k * n..(k + 1) * n]
                    .iter_mut()
                    .zip(self.features.row(j));
                moved.for_each(|(z, x)| *z -= centre * x);
            }
        }
        // Offsets have no penalty: they stay around zero.
        let mean = self.offset.iter().sum::<f64>() / q as f64;
        self.offset.iter_mut().for_each(|b| *b -= mean);
        self.outputs.iter_mut().for_each(|z| *z -= mean);
        self.loss = self.total
            * self
                .likelihood
                .evaluate(&self.outputs, &mut self.p, &mut self.gap)
                .0;
    }

    /// One step of output `k` towards the solution of its quadratic model; whether the objective
    /// fell.
    fn improve(
        &mut self,
        k: usize,
        penalty: Penalty,
        slopes: &[f64],
        total: f64,
        curvature: &[f64],
        tol: f64,
    ) -> bool {
        let row = self.coef.row(k).to_vec();
        let mut set: Vec<usize> = (0..row.len()).filter(|&j| row[j] != 0.0).collect();
        let mut new: Vec<usize> = (0..row.len())
            .filter(|&j| row[j] == 0.0 && slopes[j].abs() > penalty.l1)
            .collect();
        new.sort_by(|&a, &b| slopes[b].abs().total_cmp(&slopes[a].abs()).then(a.cmp(&b)));
        new.truncate(set.len().max(GROWTH));
        set.extend(new);
        set.sort_unstable();
        // The offset is eliminated: features centred by their mean in the curvature.
        let weight: f64 = curvature.iter().sum();
        let mut scaled = self.features.select_rows(&set);
        let means: Vec<f64> = scaled
            .iter_rows()
            .map(|f| dot(f, curvature) / weight)
            .collect();
        let roots: Vec<f64> = curvature.iter().map(|d| d.sqrt()).collect();
        let n = roots.len();
        for (f, mean) in scaled.as_mut_slice().chunks_exact_mut(n).zip(&means) {
            f.iter_mut()
                .zip(&roots)
                .for_each(|(v, r)| *v = (*v - mean) * r);
        }
        let mut descent = Descent::default();
        let own: Vec<f64> = set
            .iter()
            .zip(&means)
            .map(|(&j, m)| slopes[j] - m * total)
            .collect();
        descent.extend(&symmetric_product(scaled.view()), &own);
        descent.w = set.iter().map(|&j| row[j]).collect();
        descent.run(penalty, tol, |w, q| violation(w, q, penalty));
        let step: Vec<f64> = set
            .iter()
            .zip(&descent.w)
            .map(|(&j, w)| w - row[j])
            .collect();
        let offset_step = total / weight - dot(&step, &means);
        let used = self.features.select_rows(&set);
        let direction = Matrix::from_vec(step.clone(), 1, step.len());
        let mut shift = matmul_sequential(direction.view(), used.view()).into_vec();
        shift.resize(n, 0.0);
        shift.iter_mut().for_each(|v| *v += offset_step);
        let before = self.loss + penalty.of(&row);
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let mut moved = row.clone();
            set.iter()
                .zip(&step)
                .for_each(|(&j, d)| moved[j] += share * d);
            if share == 1.0 {
                // Where the model says zero it is zero.
                set.iter().zip(&descent.w).for_each(|(&j, w)| moved[j] = *w);
            }
            let mut outputs = self.outputs.clone();
            let own = outputs[k * n..(k + 1) * n].iter_mut();
            own.zip(&shift).for_each(|(z, s)| *z += share * s);
            let (mut p, mut gap) = (self.p.clone(), self.gap.clone());
            let loss = self.total * self.likelihood.evaluate(&outputs, &mut p, &mut gap).0;
            // Near the minimum the objective changes by less than its rounding.
            if loss + penalty.of(&moved) <= before * (1.0 + 4.0 * f64::EPSILON) {
                self.coef.row_mut(k).copy_from_slice(&moved);
                self.offset[k] += share * offset_step;
                (self.outputs, self.p, self.gap, self.loss) = (outputs, p, gap, loss);
                return true;
            }
            share *= 0.5;
        }
        false
    }
}

/// The `c` that makes `sum_k l1 |v_k - c| + l2 (v_k - c)^2 / 2` least, of several the one nearest
/// to zero. `values` are sorted.
fn cheapest_centre(values: &mut [f64], penalty: Penalty) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let slope = |c: f64, side: f64| {
        // Of the sum at c, from the left (-1) or the right (1).
        let terms = values.iter().map(|&v| {
            let sign = if c > v || c == v && side > 0.0 {
                1.0
            } else {
                -1.0
            };
            penalty.l1 * sign + penalty.l2 * (c - v)
        });
        terms.sum::<f64>()
    };
    if slope(0.0, -1.0) <= 0.0 && slope(0.0, 1.0) >= 0.0 {
        return 0.0;
    }
    // The minimum is at a value where the slope changes its sign, or between two of them.
    let downhill = if slope(0.0, 1.0) < 0.0 { 1.0 } else { -1.0 };
    let ahead: Vec<f64> = match downhill > 0.0 {
        true => values.iter().copied().filter(|v| *v > 0.0).collect(),
        false => values.iter().rev().copied().filter(|v| *v < 0.0).collect(),
    };
    let mut from = 0.0;
    for v in ahead {
        // Between two values the slope is linear.
        let here = slope(from, downhill);
        if penalty.l2 > 0.0 {
            let at = from - here / (n * penalty.l2);
            if (at - from) * downhill > 0.0 && (v - at) * downhill >= 0.0 {
                return at;
            }
        }
        if slope(v, downhill) * downhill >= 0.0 {
            return v;
        }
        from = v;
    }
    from
}

/// The penalty on absolute values from which on all coefficients are zero.
pub fn largest_penalty(x: &Matrix, classes: &Classes) -> f64 {
    Walk::new(x, classes).steepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::softmax_in_place;
    use crate::testing::{problem, random};

    /// Slopes of the log likelihood by outputs x features, those of the offsets, and the objective,
    /// from the data alone.
    fn by_hand(
        x: &Matrix,
        classes: &Classes,
        s: &Solution,
        penalty: Penalty,
    ) -> (Matrix, Vec<f64>, f64) {
        let q = s.coef.rows();
        let mut slopes = Matrix::zeros(q, x.cols());
        let mut offsets = vec![0.0; q];
        let mut objective: f64 = s.coef.iter_rows().map(|w| penalty.of(w)).sum();
        for i in 0..x.rows() {
            let z: Vec<f64> = (0..q)
                .map(|k| s.offset[k] + dot(s.coef.row(k), x.row(i)))
                .collect();
            let mut p = if q == 1 { vec![0.0, z[0]] } else { z };
            softmax_in_place(&mut p);
            let w = classes.weight(i);
            objective -= w * p[classes.codes()[i]].ln();
            for k in 0..q {
                let class = if q == 1 { 1 } else { k };
                let r = w * (f64::from(classes.codes()[i] == class) - p[class]);
                offsets[k] += r;
                (0..x.cols()).for_each(|j| slopes[(k, j)] += r * x[(i, j)]);
            }
        }
        (slopes, offsets, objective)
    }

    #[test]
    fn the_conditions_of_a_minimum_hold_along_the_path() {
        for (n, p, c, ratio) in [
            (60, 5, 2, 1.0),
            (60, 5, 3, 1.0),
            (40, 70, 2, 1.0),
            (45, 60, 4, 0.6),
        ] {
            let problem = problem(n, p, c, 3);
            let classes = problem.classes();
            let largest = largest_penalty(&problem.x, &classes) / ratio;
            let penalties: Vec<Penalty> = [1.01, 0.5, 0.1, 0.02]
                .iter()
                .map(|s| Penalty::mixed(s * largest, ratio))
                .collect();
            let solutions = path(&problem.x, &classes, &penalties, 1e-9);
            assert_eq!(solutions[0].coef.max_abs(), 0.0);
            let mut last = f64::INFINITY;
            for (s, &penalty) in solutions.iter().zip(&penalties) {
                assert!(s.converged, "{n} {p} {c}: {}", s.violation);
                let (slopes, offsets, objective) = by_hand(&problem.x, &classes, s, penalty);
                assert!((objective - s.objective).abs() < 1e-8 * objective);
                for (k, offset) in offsets.iter().enumerate() {
                    let broken = violation(s.coef.row(k), slopes.row(k), penalty);
                    assert!(
                        broken.max(offset.abs()) < 1e-8 * largest,
                        "{broken} {offset}"
                    );
                }
                assert!(
                    objective < last,
                    "a smaller penalty has a smaller objective"
                );
                last = objective;
            }
        }
    }

    #[test]
    fn weights_are_repeated_rows() {
        let plain = problem(30, 4, 3, 5);
        let times: Vec<usize> = (0..30).map(|i| 1 + i % 3).collect();
        let rows: Vec<usize> = (0..30).flat_map(|i| vec![i; times[i]]).collect();
        let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
        let weighted = Classes::new(plain.labels.codes(), Some(&weights), 3);
        let codes: Vec<usize> = rows.iter().map(|&i| plain.labels.codes()[i]).collect();
        let penalty = [Penalty { l1: 2.0, l2: 0.0 }];
        let a = path(&plain.x, &weighted, &penalty, 1e-10).remove(0);
        let b = path(
            &plain.x.select_rows(&rows),
            &Classes::new(&codes, None, 3),
            &penalty,
            1e-10,
        )
        .remove(0);
        for (u, v) in a.coef.as_slice().iter().zip(b.coef.as_slice()) {
            assert!((u - v).abs() < 1e-7);
        }
    }

    #[test]
    fn classes_that_come_apart_end_all_the_same() {
        let x = Matrix::from_fn(20, 3, |i, j| {
            if j == 0 {
                i as f64 - 9.5
            } else {
                random(20, 3, 1)[(i, j)]
            }
        });
        let codes: Vec<usize> = (0..20).map(|i| usize::from(i >= 10)).collect();
        let s = path(
            &x,
            &Classes::new(&codes, None, 2),
            &[Penalty { l1: 1e-3, l2: 0.0 }],
            1e-6,
        )
        .remove(0);
        assert!(s.objective < 0.02 && s.coef[(0, 0)] > 1.0, "{s:?}");
    }
}
