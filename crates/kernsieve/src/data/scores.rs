//! Normal scores: every feature through its own distribution function and the normal quantile.
//!
//! A kernel sees distances, so the scale of a feature decides how much it says. Trees see only the
//! order of its values. Normal scores give a kernel the same: however skewed a feature is, its
//! score is nearly normal, and outliers end where the training rows end.

use crate::linalg::Matrix;
use crate::statistics::normal_quantile;

/// Most knots of a feature.
const MOST_KNOTS: usize = 256;

/// A score for every feature, linear between knots and constant beyond them.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalScores {
    /// One curve per feature; empty for a feature that is left as it is.
    pub curves: Vec<Curve>,
}

/// A curve through knots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Values of the feature, ascending.
    pub knots: Vec<f64>,
    /// Their scores, ascending, standardised on the training rows.
    pub scores: Vec<f64>,
}

impl NormalScores {
    /// Learns the scores of the columns of `x`. `weights`, if given, has one entry per row.
    ///
    /// The distribution function at a value is the share of rows below it plus half the share of
    /// rows at it (mid-ranks). One more knot lies beyond each end, by half the step to the next
    /// value, where half of the last share is left. If a feature has many values, the knots are
    /// those at evenly spaced ranks.
    pub fn fit(x: &Matrix, weights: Option<&[f64]>) -> Self {
        let curves = (0..x.cols())
            .map(|j| Curve::fit(&x.column(j), weights))
            .collect();
        Self { curves }
    }

    /// Replaces every value by its score.
    pub fn apply_in_place(&self, x: &mut Matrix) {
        let p = x.cols().max(1);
        for row in x.as_mut_slice().chunks_exact_mut(p) {
            row.iter_mut()
                .zip(&self.curves)
                .for_each(|(v, curve)| *v = curve.at(*v));
        }
    }

    /// Whether every curve can be followed.
    pub fn is_sound(&self) -> bool {
        let rising = |v: &[f64]| v.windows(2).all(|w| w[0] < w[1]);
        let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
        self.curves.iter().all(|c| {
            c.knots.len() == c.scores.len()
                && c.knots.len() != 1
                && finite(&c.knots)
                && finite(&c.scores)
                && rising(&c.knots)
                && c.scores.windows(2).all(|w| w[0] <= w[1])
        })
    }
}

impl Curve {
    fn fit(column: &[f64], weights: Option<&[f64]>) -> Self {
        let ladder = Ladder::new(column, weights);
        let (values, n) = (&ladder.values, ladder.values.len());
        if n < 2 {
            return Self::default();
        }
        let share = |i: usize| ladder.middle[i] / ladder.total;
        let mut knots = Vec::with_capacity(MOST_KNOTS);
        let mut scores = Vec::with_capacity(MOST_KNOTS);
        let first = values[0] - 0.5 * (values[1] - values[0]);
        let last = values[n - 1] + 0.5 * (values[n - 1] - values[n - 2]);
        if first < values[0] {
            knots.push(first);
            scores.push(normal_quantile(0.5 * share(0)));
        }
        for i in ladder.chosen() {
            knots.push(values[i]);
            scores.push(normal_quantile(share(i)));
        }
        if last > values[n - 1] {
            knots.push(last);
            scores.push(-normal_quantile(0.5 * (1.0 - share(n - 1))));
        }
        let mut curve = Self { knots, scores };
        curve.standardise(column, weights);
        curve
    }

    /// Mean zero and variance one of the scores of the training rows.
    fn standardise(&mut self, column: &[f64], weights: Option<&[f64]>) {
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let total: f64 = (0..column.len()).map(weight).sum();
        let scores: Vec<f64> = column.iter().map(|&v| self.at(v)).collect();
        let mean = |f: &dyn Fn(f64) -> f64| {
            let terms = scores.iter().enumerate();
            terms.map(|(i, s)| weight(i) * f(*s)).sum::<f64>() / total
        };
        let centre = mean(&|s| s);
        let deviation = mean(&|s| (s - centre) * (s - centre)).sqrt();
        if deviation > 0.0 {
            let scores = self.scores.iter_mut();
            scores.for_each(|s| *s = (*s - centre) / deviation);
        }
    }

    /// The score of a value; not a number if the value is none.
    pub fn at(&self, v: f64) -> f64 {
        let (knots, scores) = (&self.knots, &self.scores);
        let after = knots.partition_point(|k| *k <= v);
        match (after, knots.len()) {
            (_, 0) => v,
            _ if v.is_nan() => v,
            (0, _) => scores[0],
            (k, n) if k == n => scores[n - 1],
            (k, _) => {
                let share = (v - knots[k - 1]) / (knots[k] - knots[k - 1]);
                scores[k - 1] + share * (scores[k] - scores[k - 1])
            }
        }
    }
}

/// The distinct values of a feature, ascending, with the weight below the middle of each.
struct Ladder {
    values: Vec<f64>,
    middle: Vec<f64>,
    total: f64,
}

impl Ladder {
    fn new(column: &[f64], weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let mut order: Vec<usize> = (0..column.len()).collect();
        order.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
        let (mut values, mut own): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
        for &i in &order {
            match (values.last(), own.last_mut()) {
                (Some(last), Some(sum)) if *last == column[i] => *sum += weight(i),
                _ => {
                    values.push(column[i]);
                    own.push(weight(i));
                }
            }
        }
        let mut below = 0.0;
        let middle = own
            .iter()
            .map(|w| {
                below += w;
                below - 0.5 * w
            })
            .collect();
        Self {
            values,
            middle,
            total: below,
        }
    }

    /// Positions of the values that become knots: all, or those nearest to evenly spaced ranks, the
    /// ends included.
    fn chosen(&self) -> Vec<usize> {
        let (n, most) = (self.values.len(), MOST_KNOTS - 2);
        if n <= most {
            return (0..n).collect();
        }
        let (low, high) = (self.middle[0], self.middle[n - 1]);
        let mut chosen: Vec<usize> = (0..most)
            .map(|k| {
                let rank = low + (high - low) * k as f64 / (most - 1) as f64;
                self.middle.partition_point(|m| *m < rank).min(n - 1)
            })
            .collect();
        chosen.dedup();
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rng;

    #[test]
    fn scores_depend_on_the_order_alone() {
        let mut rng = Rng::new(3);
        let x: Vec<f64> = (0..200).map(|_| rng.normal()).collect();
        let cubed: Vec<f64> = x.iter().map(|v| (3.0 * v).exp()).collect();
        let score = |x: &[f64]| {
            let curve = Curve::fit(x, None);
            x.iter().map(|v| curve.at(*v)).collect::<Vec<f64>>()
        };
        for (a, b) in score(&x).iter().zip(score(&cubed)) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn training_rows_have_mean_zero_and_variance_one_and_ends_are_ends() {
        let mut rng = Rng::new(4);
        let x = Matrix::from_fn(3000, 2, |_, j| {
            let v = rng.normal();
            if j == 0 { v.exp() } else { (2.0 * v).floor() }
        });
        let scores = NormalScores::fit(&x, None);
        assert!(scores.is_sound());
        assert!(scores.curves.iter().all(|c| c.knots.len() <= MOST_KNOTS));
        let mut z = x.clone();
        scores.apply_in_place(&mut z);
        for j in 0..2 {
            let column = z.column(j);
            let mean = column.iter().sum::<f64>() / 3000.0;
            let square = column.iter().map(|v| v * v).sum::<f64>() / 3000.0;
            assert!(mean.abs() < 1e-12 && (square - 1.0).abs() < 1e-12);
            let curve = &scores.curves[j];
            assert_eq!(curve.at(1e300), curve.scores[curve.scores.len() - 1]);
            assert_eq!(curve.at(-1e300), curve.scores[0]);
        }
    }

    #[test]
    fn a_weight_counts_as_that_many_rows_and_two_levels_stay_two_levels() {
        let values = [1.0, 2.0, 5.0, 9.0];
        let weighted = Curve::fit(&values, Some(&[1.0, 3.0, 2.0, 1.0]));
        let repeated = Curve::fit(&[1.0, 2.0, 2.0, 2.0, 5.0, 5.0, 9.0], None);
        for v in [0.0, 1.0, 1.7, 2.0, 4.0, 5.0, 9.5, 20.0] {
            assert!((weighted.at(v) - repeated.at(v)).abs() < 1e-12);
        }
        let levels = Curve::fit(&[0.0, 1.0, 0.0, 0.0], None);
        // Standardised: the same as without scores.
        let (low, high) = (-(1.0f64 / 3.0).sqrt(), 3.0f64.sqrt());
        assert!((levels.at(0.0) - low).abs() < 1e-12 && (levels.at(1.0) - high).abs() < 1e-12);
        assert_eq!(Curve::fit(&[7.0, 7.0], None).at(3.0), 3.0);
        assert!(levels.at(f64::NAN).is_nan());
    }
}
