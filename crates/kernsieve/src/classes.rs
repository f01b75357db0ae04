//! Classes of rows with their weights: the counts that every discriminant is based on.

use crate::linalg::{Matrix, weighted_column_means};

/// The class and weight of every row, and the total weight of each class. Without weights every row
/// counts 1. A row of weight 2 counts as if it were given twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    codes: Vec<usize>,
    weights: Option<Vec<f64>>,
    totals: Vec<f64>,
}

impl Classes {
    /// Classes `0..n_classes`; `weights`, if given, has one positive entry per row.
    pub fn new(codes: &[usize], weights: Option<&[f64]>, n_classes: usize) -> Self {
        let mut totals = vec![0.0; n_classes];
        for (i, &c) in codes.iter().enumerate() {
            totals[c] += weights.map_or(1.0, |w| w[i]);
        }
        Self {
            codes: codes.to_vec(),
            weights: weights.map(<[f64]>::to_vec),
            totals,
        }
    }

    /// Class of every row.
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }

    /// Weights, if they were given.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Weight of a row; 1 without weights.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[row])
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.codes.len()
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.totals.len()
    }

    /// Total weight of each class, `n_j`.
    pub fn totals(&self) -> &[f64] {
        &self.totals
    }

    /// Total weight of all rows, `n`.
    pub fn total(&self) -> f64 {
        self.totals.iter().sum()
    }

    /// Share of each class in the total weight, `n_j / n`.
    pub fn shares(&self) -> Vec<f64> {
        let total = self.total();
        self.totals.iter().map(|t| t / total).collect()
    }

    /// Means of the rows of each class, classes x columns; 0 for a class without rows.
    pub fn means(&self, m: &Matrix) -> Matrix {
        let mut means = Matrix::zeros(self.n_classes(), m.cols());
        for (i, (row, &g)) in m.iter_rows().zip(&self.codes).enumerate() {
            let w = self.weight(i);
            means
                .row_mut(g)
                .iter_mut()
                .zip(row)
                .for_each(|(a, v)| *a += w * v);
        }
        for (g, &total) in self.totals.iter().enumerate() {
            let total = if total > 0.0 { total } else { 1.0 };
            means.row_mut(g).iter_mut().for_each(|a| *a /= total);
        }
        means
    }

    /// Weighted means of the columns.
    pub fn column_means(&self, m: &Matrix) -> Vec<f64> {
        weighted_column_means(m, self.weights())
    }

    /// Multiplies every row by the square root of its weight, which turns weighted sums of squares
    /// into plain ones.
    pub fn scale_rows(&self, m: &mut Matrix) {
        let Some(weights) = &self.weights else { return };
        let cols = m.cols().max(1);
        for (row, w) in m.as_mut_slice().chunks_exact_mut(cols).zip(weights) {
            let root = w.sqrt();
            row.iter_mut().for_each(|v| *v *= root);
        }
    }

    /// Undoes [`Self::scale_rows`].
    pub fn unscale_rows(&self, m: &mut Matrix) {
        let Some(weights) = &self.weights else { return };
        let cols = m.cols().max(1);
        for (row, w) in m.as_mut_slice().chunks_exact_mut(cols).zip(weights) {
            let root = w.sqrt();
            row.iter_mut().for_each(|v| *v /= root);
        }
    }

    /// Weighted sum of squared differences of two matrices, `sum_i w_i |a_i - b_i|^2`.
    pub fn squared_distance(&self, a: &Matrix, b: &Matrix) -> f64 {
        a.iter_rows()
            .zip(b.iter_rows())
            .enumerate()
            .map(|(i, (u, v))| {
                self.weight(i) * u.iter().zip(v).map(|(u, v)| (u - v) * (u - v)).sum::<f64>()
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn a_weight_counts_as_the_row_given_so_often() {
        let m = random(4, 2, 1);
        let classes = Classes::new(&[0, 1, 1, 0], Some(&[1.0, 2.0, 1.0, 3.0]), 2);
        let rows = [0, 1, 1, 2, 3, 3, 3];
        let repeated = Classes::new(&[0, 1, 1, 1, 0, 0, 0], None, 2);
        let many = m.select_rows(&rows);
        assert_eq!(classes.totals(), repeated.totals());
        assert_eq!(classes.total(), 7.0);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(u, v)| (u - v).abs() < 1e-15);
        assert!(close(
            classes.means(&m).as_slice(),
            repeated.means(&many).as_slice()
        ));
        assert!(close(
            &classes.column_means(&m),
            &repeated.column_means(&many)
        ));
        let zero = |n| Matrix::zeros(n, 2);
        let (a, b) = (
            classes.squared_distance(&m, &zero(4)),
            repeated.squared_distance(&many, &zero(7)),
        );
        assert!((a - b).abs() < 1e-14);
        let mut scaled = m.clone();
        classes.scale_rows(&mut scaled);
        let own: f64 = scaled.as_slice().iter().map(|v| v * v).sum();
        assert!((own - a).abs() < 1e-14);
        classes.unscale_rows(&mut scaled);
        assert!(close(scaled.as_slice(), m.as_slice()));
    }
}
