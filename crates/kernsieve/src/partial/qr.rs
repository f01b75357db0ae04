//! The triangular factor of tall matrices, by stacking.

use super::bytes::{Kind, Reader, Writer, require_fit};
use crate::error::Result;
use crate::linalg::{Matrix, triangular_factor};

/// The triangular factor `R` of `[1 Phi Y]` (a constant, columns, class indicators), rows scaled by
/// the roots of their weights: `R'R` are all their products, and `R` itself keeps the digits that
/// products lose. Factors of parts are stacked and factorised again. `2 n (m + c)^2` flops.
#[derive(Clone, Debug, PartialEq)]
pub struct TallQr {
    r: Matrix,
    n_classes: usize,
}

/// What least squares needs to know of all rows: as many rows as there are columns, with the same
/// products once the means are taken off.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// Weight of all rows.
    pub total: f64,
    /// Weight of each class.
    pub totals: Vec<f64>,
    /// Means of the columns.
    pub means: Vec<f64>,
    /// Means of the columns in each class, classes x columns.
    pub class_means: Matrix,
    /// Centred columns, `(m + c) x m`.
    pub x: Matrix,
    /// Centred class indicators, `(m + c) x c`.
    pub y: Matrix,
}

impl TallQr {
    /// Of no rows.
    pub fn new(columns: usize, n_classes: usize) -> Self {
        let width = 1 + columns + n_classes;
        Self {
            r: Matrix::zeros(width, width),
            n_classes,
        }
    }

    /// Adds rows of columns with their classes and weights.
    pub fn update(&mut self, phi: &Matrix, codes: &[usize], weights: Option<&[f64]>) {
        let (width, m) = (self.r.rows(), phi.cols());
        self.stack(phi.rows(), |i, row| {
            let root = weights.map_or(1.0, |w| w[i].sqrt());
            row[..width].fill(0.0);
            row[0] = root;
            let own = row[1..=m].iter_mut();
            own.zip(phi.row(i)).for_each(|(a, b)| *a = root * b);
            row[1 + m + codes[i]] = root;
        });
    }

    /// Adds the factor of other rows.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        require_fit(self.r.rows() == other.r.rows() && self.n_classes == other.n_classes)?;
        self.stack(other.r.rows(), |i, row| row.copy_from_slice(other.r.row(i)));
        Ok(())
    }

    fn stack(&mut self, rows: usize, mut fill: impl FnMut(usize, &mut [f64])) {
        let own = std::mem::replace(&mut self.r, Matrix::zeros(0, 0));
        let width = own.rows();
        self.r = triangular_factor(width + rows, width, |i, row| match i.checked_sub(width) {
            None => row.copy_from_slice(own.row(i)),
            Some(i) => fill(i, row),
        });
    }

    /// The rows that stand for all.
    pub fn reduced(&self) -> Reduced {
        let (width, c) = (self.r.rows(), self.n_classes);
        let m = width - 1 - c;
        // The first column of the factor belongs to the constant: the first row holds means times
        // the root of the total, and what is below it belongs to centred columns.
        let corner = self.r[(0, 0)];
        let total = corner * corner;
        let mean = |j: usize| self.r[(0, j)] / corner;
        let totals: Vec<f64> = (0..c).map(|k| total * mean(1 + m + k)).collect();
        let products = |a: usize, b: usize| -> f64 {
            let rows = 0..=a.min(b);
            rows.map(|i| self.r[(i, a)] * self.r[(i, b)]).sum()
        };
        Reduced {
            total,
            means: (1..=m).map(mean).collect(),
            class_means: Matrix::from_fn(c, m, |k, j| {
                products(1 + j, 1 + m + k) / totals[k].max(f64::MIN_POSITIVE)
            }),
            x: Matrix::from_fn(m + c, m, |i, j| self.r[(1 + i, 1 + j)]),
            y: Matrix::from_fn(m + c, c, |i, k| self.r[(1 + i, 1 + m + k)]),
            totals,
        }
    }

    /// The factor itself.
    pub(crate) fn triangle(&self) -> &Matrix {
        &self.r
    }

    /// From the factor itself, of so many columns. Square, upper triangular, finite, of some rows.
    pub(crate) fn of_triangle(r: Matrix, columns: usize, n_classes: usize) -> Result<Self> {
        let width = 1 + columns + n_classes;
        let upper = |i: usize| r.row(i)[..i].iter().all(|v| *v == 0.0);
        require_fit(
            r.rows() == width
                && r.cols() == width
                && (0..width).all(upper)
                && r.as_slice().iter().all(|v| v.is_finite())
                && r[(0, 0)] != 0.0,
        )?;
        Ok(Self { r, n_classes })
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Kind::Qr);
        out.count(self.n_classes as u64);
        out.matrix(&self.r);
        out.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut input = Reader::open(bytes, Kind::Qr)?;
        let (n_classes, r) = (input.count()?, input.matrix()?);
        input.end()?;
        require_fit(r.rows() == r.cols() && n_classes < r.rows() as u64)?;
        Ok(Self {
            r,
            n_classes: n_classes as usize,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Classes;
    use crate::linalg::{center_columns_weighted, least_squares, matmul};
    use crate::testing::random;

    #[test]
    fn reduced_rows_have_the_regression_of_all_rows() {
        let (n, m, c) = (400, 6, 3);
        let phi = random(n, m, 2);
        let codes: Vec<usize> = (0..n).map(|i| (i * 7) % 5 % 3).collect();
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let mut qr = TallQr::new(m, c);
        for range in [0..100, 100..101, 101..400] {
            let rows: Vec<usize> = range.clone().collect();
            let mut part = TallQr::new(m, c);
            let own = &weights[range.clone()];
            part.update(&phi.select_rows(&rows), &codes[range], Some(own));
            let part = TallQr::from_bytes(&part.to_bytes()).expect("whole");
            qr.merge(&part).expect("fits");
        }
        let found = qr.reduced();
        let classes = Classes::new(&codes, Some(&weights), c);
        let mut x = phi.clone();
        let means = center_columns_weighted(&mut x, Some(&weights));
        let shares = classes.shares();
        let mut y = Matrix::from_fn(n, c, |i, k| f64::from(codes[i] == k) - shares[k]);
        let class_means = classes.means(&phi);
        classes.scale_rows(&mut x);
        classes.scale_rows(&mut y);
        let whole = least_squares(&x, &y, 0.0).expect("finite").coef;
        let reduced = least_squares(&found.x, &found.y, 0.0).expect("finite").coef;
        let close = |a: &[f64], b: &[f64]| {
            assert_eq!(a.len(), b.len());
            a.iter()
                .zip(b)
                .for_each(|(u, v)| assert!((u - v).abs() < 1e-12, "{u} {v}"));
        };
        close(whole.as_slice(), reduced.as_slice());
        close(&means, &found.means);
        close(class_means.as_slice(), found.class_means.as_slice());
        assert!((found.total - classes.total()).abs() < 1e-10);
        let squares = |y: &Matrix| matmul(y.view().t(), y.view());
        for (u, v) in squares(&y)
            .as_slice()
            .iter()
            .zip(squares(&found.y).as_slice())
        {
            assert!((u - v).abs() < 1e-10);
        }
    }

    #[test]
    fn nearly_dependent_columns_keep_their_digits() {
        // Two columns that differ by 1e-6: products lose twelve digits of what tells them apart.
        let base = random(500, 2, 3);
        let phi = Matrix::from_fn(500, 2, |i, j| base[(i, 0)] + 1e-6 * base[(i, 1)] * j as f64);
        let codes: Vec<usize> = (0..500).map(|i| usize::from(base[(i, 1)] > 0.0)).collect();
        let mut whole = TallQr::new(2, 2);
        whole.update(&phi, &codes, None);
        let mut parts = TallQr::new(2, 2);
        for start in (0..500).step_by(50) {
            let rows: Vec<usize> = (start..start + 50).collect();
            parts.update(&phi.select_rows(&rows), &codes[start..start + 50], None);
        }
        let solve = |qr: &TallQr| {
            let r = qr.reduced();
            least_squares(&r.x, &r.y, 0.0).expect("finite").coef
        };
        let (a, b) = (solve(&whole), solve(&parts));
        for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((u - v).abs() < 1e-8 * a.max_abs(), "{u} {v}");
        }
    }
}
