//! Shifts that all classes share: they change the penalty but no probability.

use super::Walk;
use crate::solver::coordinate_descent::Penalty;

impl Walk {
    /// Adding the same number to a feature's coefficients in all classes changes no probability.
    /// This adds the number that minimises the penalty. Without it, steps in one class at a time
    /// would converge slowly along these directions.
    pub(super) fn shift(&mut self, penalty: Penalty) {
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
        // Offsets have no penalty: their mean is kept at zero.
        let mean = self.offset.iter().sum::<f64>() / q as f64;
        self.offset.iter_mut().for_each(|b| *b -= mean);
        self.outputs.iter_mut().for_each(|z| *z -= mean);
        self.loss = self.total
            * self
                .likelihood
                .evaluate(&self.outputs, &mut self.p, &mut self.gap)
                .0;
    }
}

/// The `c` that minimises `sum_k l1 |v_k - c| + l2 (v_k - c)^2 / 2`; among several, the one nearest
/// to zero. Sorts `values`.
fn cheapest_centre(values: &mut [f64], penalty: Penalty) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let slope = |c: f64, side: f64| {
        // Slope of the sum at c, from the left (-1) or from the right (1).
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
