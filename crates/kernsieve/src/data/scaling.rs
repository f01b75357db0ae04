//! Standardisation: zero mean and unit variance on the training rows; then, where they are asked
//! for, normal scores.

use super::NormalScores;
use crate::linalg::Matrix;

/// `x -> (x - mean) / scale`, feature by feature, then the normal score of that if there are
/// scores. A constant feature gets `active = false` and is ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Mean of each feature over the training rows (0 when features are not standardised).
    pub mean: Vec<f64>,
    /// Standard deviation with divisor `n` (1 when not standardised, and for a constant feature).
    pub scale: Vec<f64>,
    /// Whether the feature varies at all over the training rows.
    pub active: Vec<bool>,
    /// Normal scores of the standardised features.
    pub scores: Option<NormalScores>,
}

impl Scaling {
    /// Learns mean and standard deviation (divisor `n`) from the rows of `x` listed in `rows`.
    /// `weights`, if given, has one entry per row of `x`.
    ///
    /// A feature counts as constant when all its values are equal, or when its deviation is lost in
    /// the rounding error of its mean. Very large and very small units neither overflow nor
    /// underflow.
    pub fn fit(x: &Matrix, rows: &[usize], weights: Option<&[f64]>, standardize: bool) -> Self {
        let p = x.cols();
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let n: f64 = rows.iter().map(|&i| weight(i)).sum();
        let (mut low, mut high) = (vec![f64::INFINITY; p], vec![f64::NEG_INFINITY; p]);
        for &i in rows {
            for (j, &v) in x.row(i).iter().enumerate() {
                low[j] = low[j].min(v);
                high[j] = high[j].max(v);
            }
        }
        // Every value becomes its position between the smallest and the largest, from 0 to 1, so
        // large offsets lose no digits. Halves are used because the range itself may overflow.
        let half: Vec<f64> = low
            .iter()
            .zip(&high)
            .map(|(l, h)| h * 0.5 - l * 0.5)
            .collect();
        let place = |j: usize, v: f64| {
            if half[j] > 0.0 {
                (v * 0.5 - low[j] * 0.5) / half[j]
            } else {
                0.0
            }
        };
        let mut mean = vec![0.0; p];
        for &i in rows {
            for (j, &v) in x.row(i).iter().enumerate() {
                mean[j] += weight(i) * place(j, v);
            }
        }
        mean.iter_mut().for_each(|m| *m /= n);
        let mut variance = vec![0.0; p];
        for &i in rows {
            for (j, &v) in x.row(i).iter().enumerate() {
                let d = place(j, v) - mean[j];
                variance[j] += weight(i) * d * d;
            }
        }
        let deviation: Vec<f64> = variance
            .iter()
            .zip(&half)
            .map(|(v, h)| 2.0 * (v / n).sqrt() * h)
            .collect();
        let mean: Vec<f64> = (0..p)
            .map(|j| low[j] + half[j] * mean[j] + half[j] * mean[j])
            .collect();
        // (high > low) can hold while the deviation is rounding error only: 1e16, 1e16 + 2, ...
        let active: Vec<bool> = (0..p)
            .map(|j| high[j] > low[j] && deviation[j] > 4.0 * f64::EPSILON * mean[j].abs())
            .collect();
        let mut scaling = Self {
            mean: vec![0.0; p],
            scale: vec![1.0; p],
            active,
            scores: None,
        };
        if standardize {
            for j in 0..p {
                scaling.mean[j] = mean[j];
                let scale = deviation[j];
                if scaling.active[j] && scale > 0.0 {
                    scaling.scale[j] = scale;
                } else {
                    scaling.active[j] = false;
                }
            }
        }
        scaling
    }

    /// Adds the normal scores of the training rows to a scaling of them.
    pub fn with_scores(mut self, x: &Matrix, rows: &[usize], weights: Option<&[f64]>) -> Self {
        let own: Option<Vec<f64>> = weights.map(|w| rows.iter().map(|&i| w[i]).collect());
        self.scores = Some(NormalScores::fit(&self.apply(x, rows), own.as_deref()));
        self
    }

    /// The rows of `x` listed in `rows`, scaled. Inactive features become 0.
    pub fn apply(&self, x: &Matrix, rows: &[usize]) -> Matrix {
        let mut out = x.select_rows(rows);
        self.apply_in_place(&mut out);
        out
    }

    /// Scales all rows. Inactive features become 0.
    pub fn apply_in_place(&self, x: &mut Matrix) {
        let p = x.cols();
        for row in x.as_mut_slice().chunks_exact_mut(p.max(1)) {
            for (j, v) in row.iter_mut().enumerate() {
                *v = if self.active[j] {
                    (*v - self.mean[j]) / self.scale[j]
                } else {
                    0.0
                };
            }
        }
        if let Some(scores) = &self.scores {
            scores.apply_in_place(x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn training_rows_have_mean_zero_and_variance_one() {
        let x = Matrix::from_fn(40, 3, |i, j| match j {
            0 => 1e200 * (i as f64 + 1.0),
            1 => 1e-200 * ((i * i) % 17) as f64,
            _ => 5.0,
        });
        let rows: Vec<usize> = (0..30).collect();
        let s = Scaling::fit(&x, &rows, None, true);
        assert_eq!(s.active, [true, true, false]);
        let z = s.apply(&x, &rows);
        for j in 0..2 {
            let column = z.column(j);
            let mean = column.iter().sum::<f64>() / 30.0;
            let var = column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 30.0;
            assert!(
                mean.abs() < 1e-13 && (var - 1.0).abs() < 1e-13,
                "{mean} {var}"
            );
        }
        assert!(z.column(2).iter().all(|&v| v == 0.0));
    }

    #[test]
    fn a_large_offset_loses_no_digits() {
        let n = 20_000;
        let x = Matrix::from_fn(n, 1, |i, _| 1e12 + ((i * 37) % 1000) as f64);
        let rows: Vec<usize> = (0..n).collect();
        let s = Scaling::fit(&x, &rows, None, true);
        // 0..999, each twenty times: mean 499.5, variance (1000^2 - 1) / 12.
        assert!((s.mean[0] - (1e12 + 499.5)).abs() < 1e-3);
        assert!((s.scale[0] - (999_999.0f64 / 12.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn without_standardisation_only_constant_features_are_touched() {
        let x = Matrix::from_fn(5, 2, |i, j| if j == 0 { i as f64 } else { 3.0 });
        let s = Scaling::fit(&x, &[0, 1, 2, 3, 4], None, false);
        let z = s.apply(&x, &[4]);
        assert_eq!(z.row(0), [4.0, 0.0]);
    }
}
