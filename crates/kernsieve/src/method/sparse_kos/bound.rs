//! Whether a move is worth a factorisation: a lower bound of the loss at other weights from the
//! factor at hand.
//!
//! The loss is at least `(a/n) Y'(M + a I)^-1 Y`, the maximum over `u` of the concave function
//! `(a/n) (2 u'Y - u'(M + a I) u)`. Any `u` gives a lower bound. Conjugate gradients climb from
//! the maximiser at the weights at hand, with the factor there as the preconditioner; every value
//! on the way is a bound. A step costs two passes over a matrix, where a factorisation costs `n /
//! 3` of them. A move whose bound exceeds what it must fall below is refused for certain.

use crate::linalg::{Cholesky, Matrix, dot};

/// Steps that are taken at most. A move that is undecided by then is evaluated.
const STEPS: usize = 8;
/// A climb ends if so many more steps like the last one would not reach the goal.
const PATIENCE: f64 = 6.0;

/// The climb of one output.
struct Climb {
    u: Vec<f64>,
    /// `y - (M + a I) u`.
    left: Vec<f64>,
    direction: Vec<f64>,
    /// `left' P^-1 left` of the last step, `P` the preconditioner.
    size: f64,
    /// `u'y + u'left`, which is `2 u'y - u'(M + a I) u`.
    value: f64,
}

impl Climb {
    fn new(u: Vec<f64>, y: &[f64], times: &impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let left: Vec<f64> = y.iter().zip(times(&u)).map(|(y, t)| y - t).collect();
        Self {
            value: dot(&u, y) + dot(&u, &left),
            direction: vec![0.0; u.len()],
            size: 0.0,
            left,
            u,
        }
    }

    fn step(&mut self, y: &[f64], factor: &Cholesky, times: &impl Fn(&[f64]) -> Vec<f64>) {
        let mut z = Matrix::from_vec(self.left.clone(), self.left.len(), 1);
        factor.solve_in_place(&mut z);
        let size = dot(&self.left, z.as_slice());
        let keep = if self.size > 0.0 {
            size / self.size
        } else {
            0.0
        };
        for (d, z) in self.direction.iter_mut().zip(z.as_slice()) {
            *d = z + keep * *d;
        }
        let product = times(&self.direction);
        let length = size / dot(&self.direction, &product);
        // All left is zero, or rounding is all that is left.
        if !length.is_finite() {
            return;
        }
        self.size = size;
        for (u, d) in self.u.iter_mut().zip(&self.direction) {
            *u += length * d;
        }
        for (l, p) in self.left.iter_mut().zip(&product) {
            *l -= length * p;
        }
        self.value = dot(&self.u, y) + dot(&self.u, &self.left);
    }
}

/// Whether `Y'(M + a I)^-1 Y`, summed over the columns of `y`, exceeds `goal` for certain. `times`
/// multiplies by `M + a I`; `start` has the climb's beginning in its columns, and `factor` is the
/// one of a similar matrix.
pub(super) fn exceeds(
    goal: f64,
    y: &Matrix,
    start: &Matrix,
    factor: &Cholesky,
    times: impl Fn(&[f64]) -> Vec<f64>,
) -> bool {
    let ys: Vec<Vec<f64>> = (0..y.cols()).map(|l| y.column(l)).collect();
    let mut climbs: Vec<Climb> = ys
        .iter()
        .enumerate()
        .map(|(l, y)| Climb::new(start.column(l), y, &times))
        .collect();
    let value = |climbs: &[Climb]| climbs.iter().map(|c| c.value).sum::<f64>();
    let mut reached = value(&climbs);
    for _ in 0..STEPS {
        if reached > goal {
            return true;
        }
        for (climb, y) in climbs.iter_mut().zip(&ys) {
            climb.step(y, factor, &times);
        }
        let now = value(&climbs);
        if now + PATIENCE * (now - reached) < goal {
            return false;
        }
        reached = now;
    }
    reached > goal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{cholesky_shifted, matmul, symmetric_product};
    use crate::testing::random;

    /// The bound is one: nothing is refused that is not above the goal. It is sharp: what is clearly
    /// above it is refused without a factor of its own.
    #[test]
    fn only_what_exceeds_the_goal_is_refused_and_most_of_that_is() {
        let n = 60;
        let mut refused = 0;
        for seed in 0..20 {
            let g = random(n, n, seed);
            let near = symmetric_product(g.view());
            let other = random(n, 3, seed + 100);
            let change = symmetric_product(other.view());
            let there = Matrix::from_fn(n, n, |i, j| near[(i, j)] + 0.3 * change[(i, j)]);
            let y = random(n, 2, seed + 200);
            let factor = cholesky_shifted(near, 2.0).expect("definite");
            let own = cholesky_shifted(there.clone(), 2.0).expect("definite");
            let mut start = y.clone();
            factor.solve_in_place(&mut start);
            let mut u = y.clone();
            own.solve_in_place(&mut u);
            let value = dot(y.as_slice(), u.as_slice());
            let times = |v: &[f64]| {
                let column = Matrix::from_vec(v.to_vec(), n, 1);
                let product = matmul(there.view(), column.view()).into_vec();
                product.iter().zip(v).map(|(p, v)| p + 2.0 * v).collect()
            };
            let is = |share: f64| exceeds(share * value, &y, &start, &factor, times);
            assert!(!is(1.0 + 1e-9), "{seed}");
            refused += usize::from(is(0.99));
        }
        assert!(refused >= 18, "{refused} of 20");
    }
}
