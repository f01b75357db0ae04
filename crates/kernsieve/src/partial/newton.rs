//! Gradient and Hessian of the log likelihood of softmax and logistic regression.

use super::bytes::{Kind, Reader, Writer, require_fit};
use crate::decision::softmax_in_place;
use crate::error::Result;
use crate::linalg::{Matrix, add_scaled, matmul};

/// Sums over rows of `-log p_y(x)`, of its gradient and of its Hessian with respect to the
/// coefficients `A` of `f = phi(x)'A`. Two classes have one output, the log odds of the second;
/// more have one each. `n m^2 q (q + 1)` flops for `m` columns and `q` outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Newton {
    /// `sum w (p - y) phi`, `m x q`.
    pub gradient: Matrix,
    /// `sum w (diag(p) - p p') (x) phi phi'`, `q m x q m`, output by output.
    pub hessian: Matrix,
    /// `sum w (-log p_y)`.
    pub loss: f64,
    /// Weight of all rows.
    pub total: f64,
}

/// Outputs of this many classes.
pub(super) fn n_outputs(n_classes: usize) -> usize {
    if n_classes == 2 { 1 } else { n_classes }
}

impl Newton {
    /// Of no rows.
    pub fn new(columns: usize, n_classes: usize) -> Self {
        let q = n_outputs(n_classes);
        Self {
            gradient: Matrix::zeros(columns, q),
            hessian: Matrix::zeros(q * columns, q * columns),
            loss: 0.0,
            total: 0.0,
        }
    }

    /// Adds rows of columns with their classes and weights, at these coefficients.
    pub fn update(
        &mut self,
        phi: &Matrix,
        coef: &Matrix,
        codes: &[usize],
        weights: Option<&[f64]>,
    ) {
        let (n, m, q) = (phi.rows(), phi.cols(), coef.cols());
        let outputs = matmul(phi.view(), coef.view());
        let mut p = Matrix::zeros(n, q);
        let mut gaps = Matrix::zeros(n, q);
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let mut scores = vec![0.0; q.max(2)];
        for (i, &c) in codes.iter().enumerate() {
            match outputs.row(i) {
                [odds] => scores.copy_from_slice(&[0.0, *odds]),
                all => scores.copy_from_slice(all),
            }
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let log_sum = scores.iter().map(|s| (s - top).exp()).sum::<f64>().ln() + top;
            self.loss += weight(i) * (log_sum - scores[c]);
            self.total += weight(i);
            softmax_in_place(&mut scores);
            let first = scores.len() - q;
            for k in 0..q {
                p[(i, k)] = scores[first + k];
                gaps[(i, k)] = weight(i) * (scores[first + k] - f64::from(c == first + k));
            }
        }
        add_scaled(
            &mut self.gradient,
            &matmul(phi.view().t(), gaps.view()),
            1.0,
        );
        let mut scaled = Matrix::zeros(n, m);
        for a in 0..q {
            for b in 0..=a {
                for i in 0..n {
                    let v = p[(i, a)] * (f64::from(a == b) - p[(i, b)]) * weight(i);
                    let to = scaled.row_mut(i).iter_mut();
                    to.zip(phi.row(i)).for_each(|(s, f)| *s = v * f);
                }
                let part = matmul(phi.view().t(), scaled.view());
                for j in 0..m {
                    for l in 0..m {
                        self.hessian[(a * m + j, b * m + l)] += part[(j, l)];
                        if a != b {
                            self.hessian[(b * m + l, a * m + j)] += part[(j, l)];
                        }
                    }
                }
            }
        }
    }

    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let shape = |n: &Self| (n.gradient.rows(), n.gradient.cols());
        require_fit(shape(self) == shape(other))?;
        add_scaled(&mut self.gradient, &other.gradient, 1.0);
        add_scaled(&mut self.hessian, &other.hessian, 1.0);
        self.loss += other.loss;
        self.total += other.total;
        Ok(())
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Kind::Newton);
        out.matrix(&self.gradient);
        out.matrix(&self.hessian);
        out.number(self.loss);
        out.number(self.total);
        out.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut input = Reader::open(bytes, Kind::Newton)?;
        let (gradient, hessian) = (input.matrix()?, input.matrix()?);
        let (loss, total) = (input.number()?, input.number()?);
        input.end()?;
        let size = gradient.rows().checked_mul(gradient.cols());
        require_fit(size == Some(hessian.rows()) && hessian.cols() == hessian.rows())?;
        Ok(Self {
            gradient,
            hessian,
            loss,
            total,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn derivatives_match_finite_differences() {
        for c in [2, 3] {
            let (n, m, q) = (40, 4, n_outputs(c));
            let phi = random(n, m, 1);
            let coef = random(m, q, 2);
            let codes: Vec<usize> = (0..n).map(|i| i % c).collect();
            let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 2) as f64).collect();
            let at = |coef: &Matrix| {
                let mut sums = Newton::new(m, c);
                for range in [0..15, 15..40] {
                    let rows: Vec<usize> = range.clone().collect();
                    let mut part = Newton::new(m, c);
                    let own = &weights[range.clone()];
                    part.update(&phi.select_rows(&rows), coef, &codes[range], Some(own));
                    let part = Newton::from_bytes(&part.to_bytes()).expect("whole");
                    sums.merge(&part).expect("fits");
                }
                sums
            };
            let here = at(&coef);
            let step = 1e-5;
            for j in 0..m {
                for k in 0..q {
                    let moved = |by: f64| {
                        let mut coef = coef.clone();
                        coef[(j, k)] += by;
                        at(&coef)
                    };
                    let (up, down) = (moved(step), moved(-step));
                    let slope = (up.loss - down.loss) / (2.0 * step);
                    assert!((slope - here.gradient[(j, k)]).abs() < 1e-7 * (1.0 + slope.abs()));
                    for l in 0..m {
                        for o in 0..q {
                            let rise = up.gradient[(l, o)] - down.gradient[(l, o)];
                            let second = rise / (2.0 * step);
                            let own = here.hessian[(o * m + l, k * m + j)];
                            assert!((second - own).abs() < 1e-6 * (1.0 + own.abs()));
                        }
                    }
                }
            }
        }
    }
}
