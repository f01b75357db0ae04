//! Products of columns with each other and with class indicators.

use super::bytes::{Kind, Reader, Writer, require_fit};
use crate::error::Result;
use crate::linalg::{Matrix, add_scaled, symmetric_product};

/// `Phi'W Phi`, and the sums of the columns over each class, which are `Phi'W Y`: what selection of
/// samples and ridge regression need to know of the rows. `n m^2` flops for `m` columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    /// `Phi'W Phi`, `m x m`.
    pub gram: Matrix,
    /// Sums of the columns over each class, `m x classes`.
    pub by_class: Matrix,
    /// Weight of each class.
    pub totals: Vec<f64>,
    /// Number of rows.
    pub rows: u64,
}

impl Sums {
    /// Of no rows.
    pub fn new(columns: usize, n_classes: usize) -> Self {
        Self {
            gram: Matrix::zeros(columns, columns),
            by_class: Matrix::zeros(columns, n_classes),
            totals: vec![0.0; n_classes],
            rows: 0,
        }
    }

    /// Adds rows of columns with their classes and weights.
    pub fn update(&mut self, mut phi: Matrix, codes: &[usize], weights: Option<&[f64]>) {
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        self.rows += phi.rows() as u64;
        // Classes x columns here, so that a row is added to a row.
        let mut sums = Matrix::zeros(self.totals.len(), phi.cols());
        for (i, &c) in codes.iter().enumerate() {
            let w = weight(i);
            self.totals[c] += w;
            let to = sums.row_mut(c).iter_mut();
            to.zip(phi.row(i)).for_each(|(a, b)| *a += w * b);
            if weights.is_some() {
                let root = w.sqrt();
                phi.row_mut(i).iter_mut().for_each(|v| *v *= root);
            }
        }
        add_scaled(&mut self.by_class, &sums.transpose(), 1.0);
        add_scaled(&mut self.gram, &symmetric_product(phi.view().t()), 1.0);
    }

    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        require_fit(
            self.gram.rows() == other.gram.rows() && self.totals.len() == other.totals.len(),
        )?;
        add_scaled(&mut self.gram, &other.gram, 1.0);
        add_scaled(&mut self.by_class, &other.by_class, 1.0);
        for (a, b) in self.totals.iter_mut().zip(&other.totals) {
            *a += b;
        }
        self.rows += other.rows;
        Ok(())
    }

    /// Weight of all rows.
    pub fn total(&self) -> f64 {
        self.totals.iter().sum()
    }

    /// Sums of the columns over all rows.
    pub fn columns(&self) -> Vec<f64> {
        self.by_class.iter_rows().map(|r| r.iter().sum()).collect()
    }

    /// Means of the columns over all rows.
    pub fn means(&self) -> Vec<f64> {
        let total = self.total();
        self.columns().iter().map(|c| c / total).collect()
    }

    /// Products of centred columns.
    pub fn centred_gram(&self) -> Matrix {
        let (columns, total) = (self.columns(), self.total());
        let m = columns.len();
        Matrix::from_fn(m, m, |i, j| {
            self.gram[(i, j)] - columns[i] / total * columns[j]
        })
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Kind::Sums);
        out.matrix(&self.gram);
        out.matrix(&self.by_class);
        out.numbers(&self.totals);
        out.count(self.rows);
        out.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut input = Reader::open(bytes, Kind::Sums)?;
        let (gram, by_class) = (input.matrix()?, input.matrix()?);
        let (totals, rows) = (input.numbers()?, input.count()?);
        input.end()?;
        let m = gram.rows();
        require_fit(gram.cols() == m && by_class.rows() == m && by_class.cols() == totals.len())?;
        Ok(Self {
            gram,
            by_class,
            totals,
            rows,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{center_columns_weighted, matmul};
    use crate::testing::random;

    #[test]
    fn parts_give_the_products_of_the_whole() {
        let phi = random(300, 5, 1);
        let codes: Vec<usize> = (0..300).map(|i| (i * i) % 3).collect();
        let weights: Vec<f64> = (0..300).map(|i| 1.0 + (i % 3) as f64).collect();
        let mut sums = Sums::new(5, 3);
        for range in [0..7, 7..250, 250..300] {
            let rows: Vec<usize> = range.clone().collect();
            let mut part = Sums::new(5, 3);
            let own = &weights[range.clone()];
            part.update(phi.select_rows(&rows), &codes[range], Some(own));
            let part = Sums::from_bytes(&part.to_bytes()).expect("whole");
            sums.merge(&part).expect("fits");
        }
        let halves = [0..150, 150..300].map(|range| {
            let rows: Vec<usize> = range.clone().collect();
            let mut part = Sums::new(5, 3);
            let own = &weights[range.clone()];
            part.update(phi.select_rows(&rows), &codes[range], Some(own));
            part.to_bytes()
        });
        let merged = super::super::merge_bytes(&halves[0], &halves[1]).expect("fits");
        let merged = Sums::from_bytes(&merged).expect("whole");
        assert!((merged.gram[(0, 0)] - sums.gram[(0, 0)]).abs() < 1e-10 * sums.gram[(0, 0)]);
        assert_eq!(merged.rows, 300);
        assert!(super::super::merge_bytes(&halves[0], &halves[1][1..]).is_err());
        let mut centred = phi.clone();
        center_columns_weighted(&mut centred, Some(&weights));
        let rooted = Matrix::from_fn(300, 5, |i, j| centred[(i, j)] * weights[i].sqrt());
        let expected = matmul(rooted.view().t(), rooted.view());
        let found = sums.centred_gram();
        for (a, b) in found.as_slice().iter().zip(expected.as_slice()) {
            assert!((a - b).abs() < 1e-11 * expected.max_abs());
        }
        let of_class = |c: usize| -> f64 {
            let rows = (0..300).filter(|&i| codes[i] == c);
            rows.map(|i| weights[i] * phi[(i, 2)]).sum()
        };
        for c in 0..3 {
            assert!((sums.by_class[(2, c)] - of_class(c)).abs() < 1e-11);
        }
    }
}
