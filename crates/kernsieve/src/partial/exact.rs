//! Products of kernel columns as integers, which add up to the same bits in any order.

use super::Reduced;
use super::bytes::{Kind, Reader, Writer, require_fit};
use super::task::BLOCK;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, symmetric_eigen, symmetric_product};

/// Kernel values are rounded to multiples of `2^-BITS`.
const BITS: i32 = 20;
/// A column is told from others while the mean square of what they leave of it is this: 10,000 times
/// that of the rounding, which is a twelfth of the square of the unit.
pub(crate) const LEAST_LEFT: f64 = 1e4 / 12.0 / (1u64 << (2 * BITS)) as f64;
/// Rows of a product: integers up to `2^20` times each other, added up over so many rows, stay
/// below `2^53` and are exact in double precision.
const ROWS: usize = 1 << 12;
const _: () = assert!(BLOCK <= ROWS);

/// `Phi'Phi` and `Phi'Y` of columns of at most 1 in absolute value, rounded to multiples of `2^-20`:
/// sums of integers, so that every division of the rows into parts gives the same bits. `n m^2`
/// flops for `m` columns, and 16 bytes for every product.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactSums {
    /// Lower triangle of `Phi'Phi` in units of `2^-40`, row by row.
    gram: Vec<i128>,
    /// `Phi'Y` in units of `2^-20`, `m x classes`.
    by_class: Vec<i128>,
    /// Rows of each class.
    counts: Vec<u64>,
    columns: usize,
}

/// Where the lower triangle has the product of two columns.
fn at(i: usize, j: usize) -> usize {
    let (i, j) = (i.max(j), i.min(j));
    i * (i + 1) / 2 + j
}

impl ExactSums {
    /// Of no rows.
    pub fn new(columns: usize, n_classes: usize) -> Self {
        Self {
            gram: vec![0; columns * (columns + 1) / 2],
            by_class: vec![0; columns * n_classes],
            counts: vec![0; n_classes],
            columns,
        }
    }

    /// Adds rows of columns with their classes.
    pub fn update(&mut self, phi: &Matrix, codes: &[usize]) -> Result<()> {
        if !phi.as_slice().iter().all(|v| v.abs() <= 1.0) {
            return Err(Error::Data(
                "exact sums need kernel values of at most 1; take the kernel gaussian, cauchy, \
                 laplacian or radial-laplacian"
                    .into(),
            ));
        }
        let (m, c) = (self.columns, self.counts.len());
        require_fit(phi.cols() == m && phi.rows() == codes.len())?;
        let unit = f64::from(1 << BITS);
        for start in (0..phi.rows()).step_by(ROWS) {
            let rows = start..(start + ROWS).min(phi.rows());
            let whole = Matrix::from_fn(rows.len(), m, |i, j| {
                (phi[(start + i, j)] * unit).round_ties_even()
            });
            let products = symmetric_product(whole.view().t());
            for i in 0..m {
                let own = &mut self.gram[at(i, 0)..=at(i, i)];
                let products = own.iter_mut().zip(products.row(i));
                products.for_each(|(sum, v)| *sum += *v as i128);
            }
            for (row, &code) in whole.iter_rows().zip(&codes[rows]) {
                self.counts[code] += 1;
                let values = row.iter().enumerate();
                values.for_each(|(j, v)| self.by_class[j * c + code] += *v as i128);
            }
        }
        Ok(())
    }

    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        require_fit(self.columns == other.columns && self.counts.len() == other.counts.len())?;
        let pairs = |a: &mut [i128], b: &[i128]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        pairs(&mut self.gram, &other.gram);
        pairs(&mut self.by_class, &other.by_class);
        let counts = self.counts.iter_mut().zip(&other.counts);
        counts.for_each(|(a, b)| *a += b);
        Ok(())
    }

    /// Rows of each class.
    pub fn totals(&self) -> Vec<f64> {
        self.counts.iter().map(|&n| n as f64).collect()
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Sum of a column over all rows, in units of `2^-20`.
    fn column(&self, j: usize) -> i128 {
        let c = self.counts.len();
        self.by_class[j * c..(j + 1) * c].iter().sum()
    }

    /// Means of the columns.
    pub fn means(&self) -> Vec<f64> {
        let unit = self.rows() as f64 * 2f64.powi(BITS);
        (0..self.columns)
            .map(|j| self.column(j) as f64 / unit)
            .collect()
    }

    /// Products of centred columns, `(n <phi_i, phi_j> - s_i s_j) / n`: the difference is one of
    /// integers, and loses nothing.
    pub fn centred_gram(&self) -> Matrix {
        let m = self.columns;
        let sums: Vec<i128> = (0..m).map(|j| self.column(j)).collect();
        let n = i128::from(self.rows());
        let scale = (self.rows() as f64) * 2f64.powi(2 * BITS);
        Matrix::from_fn(m, m, |i, j| {
            (n * self.gram[at(i, j)] - sums[i] * sums[j]) as f64 / scale
        })
    }

    /// Products of centred columns with the indicators of the classes.
    pub fn centred_by_class(&self) -> Matrix {
        let (m, c, n) = (self.columns, self.counts.len(), i128::from(self.rows()));
        let sums: Vec<i128> = (0..m).map(|j| self.column(j)).collect();
        let scale = (self.rows() as f64) * 2f64.powi(BITS);
        Matrix::from_fn(m, c, |j, k| {
            let own = i128::from(self.counts[k]);
            (n * self.by_class[j * c + k] - sums[j] * own) as f64 / scale
        })
    }

    /// Rows that stand for all, for some of the columns: what [`TallQr`](super::TallQr) gives, from
    /// the Cholesky factor of the products.
    pub fn reduced(&self, columns: &[usize]) -> Result<Reduced> {
        let (s, c) = (columns.len(), self.counts.len());
        let (gram, products) = (self.centred_gram(), self.centred_by_class());
        let own = Matrix::from_fn(s, s, |i, j| gram[(columns[i], columns[j])]);
        let alike = |column: usize| {
            Error::Data(format!(
                "kernel values rounded to 20 bits do not tell sample {} from those before it; take \
                 fewer samples or a smaller bandwidth, or leave out `exact`",
                column + 1
            ))
        };
        let (totals, total) = (self.totals(), self.rows() as f64);
        let factor = Cholesky::new(own.clone()).map_err(|e| alike(e.pivot))?;
        // R = L^-1 (L L').
        let mut r = own;
        factor.solve_lower_in_place(&mut r);
        if let Some(j) = (0..s).find(|&j| r[(j, j)].powi(2) < LEAST_LEFT * total) {
            return Err(alike(j));
        }
        // R^-T Phi'Y above; below it a root of what is left of Y'Y.
        let mut top = products.select_rows(columns);
        factor.solve_lower_in_place(&mut top);
        let left = Matrix::from_fn(c, c, |a, b| {
            let explained: f64 = (0..s).map(|i| top[(i, a)] * top[(i, b)]).sum();
            f64::from(a == b) * totals[a] - totals[a] / total * totals[b] - explained
        });
        let eigen = symmetric_eigen(&left)?;
        let root = |k: usize, j: usize| eigen.values[k].max(0.0).sqrt() * eigen.vectors[(j, k)];
        let unit = 2f64.powi(-BITS);
        Ok(Reduced {
            total,
            means: columns
                .iter()
                .map(|&j| self.column(j) as f64 * unit / total)
                .collect(),
            class_means: Matrix::from_fn(c, s, |k, j| {
                self.by_class[columns[j] * c + k] as f64 * unit / totals[k].max(1.0)
            }),
            x: Matrix::from_fn(s + c, s, |i, j| if i <= j { r[(i, j)] } else { 0.0 }),
            y: Matrix::from_fn(
                s + c,
                c,
                |i, k| if i < s { top[(i, k)] } else { root(i - s, k) },
            ),
            totals,
        })
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Kind::Exact);
        out.count(self.columns as u64);
        out.count(self.counts.len() as u64);
        self.counts.iter().for_each(|n| out.count(*n));
        self.by_class
            .iter()
            .chain(&self.gram)
            .for_each(|v| out.whole(*v));
        out.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut input = Reader::open(bytes, Kind::Exact)?;
        // A column has at least a product, and a class its count.
        let (columns, classes) = (input.count()?, input.length(8)?);
        let counts = (0..classes)
            .map(|_| input.count())
            .collect::<Result<Vec<_>>>()?;
        let columns = usize::try_from(columns).ok();
        let columns = columns.filter(|m| m.saturating_mul(m + 1) / 2 <= bytes.len() / 16);
        let columns =
            columns.ok_or_else(|| Error::Part("a count is larger than what follows".into()))?;
        let mut sums = Self::new(columns, classes);
        for v in sums.by_class.iter_mut().chain(&mut sums.gram) {
            *v = input.whole()?;
        }
        input.end()?;
        Ok(Self { counts, ..sums })
    }
}

#[cfg(test)]
mod tests {
    use super::super::TallQr;
    use super::*;
    use crate::linalg::least_squares;
    use crate::testing::random;

    /// Columns between -1 and 1, and classes.
    fn columns(n: usize, m: usize) -> (Matrix, Vec<usize>) {
        let x = random(n, m, 5);
        let phi = Matrix::from_fn(n, m, |i, j| (x[(i, j)] - 0.3 * x[(i, 0)]).sin());
        (phi, (0..n).map(|i| (i * i) % 7 % 3).collect())
    }

    fn sums(phi: &Matrix, codes: &[usize], cuts: &[usize]) -> ExactSums {
        let mut whole = ExactSums::new(phi.cols(), 3);
        let mut start = 0;
        for &end in cuts {
            let rows: Vec<usize> = (start..end).collect();
            let mut part = ExactSums::new(phi.cols(), 3);
            part.update(&phi.select_rows(&rows), &codes[start..end])
                .expect("fits");
            let part = ExactSums::from_bytes(&part.to_bytes()).expect("whole");
            whole.merge(&part).expect("fits");
            start = end;
        }
        whole
    }

    #[test]
    fn every_division_of_the_rows_gives_the_same_bits() {
        let (phi, codes) = columns(9000, 6);
        let whole = sums(&phi, &codes, &[9000]);
        assert_eq!(whole, sums(&phi, &codes, &[0, 1, 17, 17, 4096, 9000]));
        let backwards: Vec<usize> = (0..9000).rev().collect();
        let turned: Vec<usize> = backwards.iter().map(|&i| codes[i]).collect();
        assert_eq!(
            whole,
            sums(&phi.select_rows(&backwards), &turned, &[5000, 9000])
        );
        assert_eq!(whole.rows(), 9000);
    }

    #[test]
    fn regressions_are_those_of_the_rows_up_to_the_rounding_of_the_values() {
        let (phi, codes) = columns(3000, 6);
        let exact = sums(&phi, &codes, &[1000, 3000]);
        let mut qr = TallQr::new(4, 3);
        qr.update(&phi.select_columns(&[4, 1, 0, 3]), &codes, None);
        let (a, b) = (
            exact.reduced(&[4, 1, 0, 3]).expect("independent"),
            qr.reduced(),
        );
        let coef = |r: &Reduced| least_squares(&r.x, &r.y, 0.0).expect("finite").coef;
        // Values are off by 5e-7 at most, and independently of the responses.
        let close = |a: &[f64], b: &[f64], most: f64| {
            assert_eq!(a.len(), b.len());
            a.iter()
                .zip(b)
                .for_each(|(u, v)| assert!((u - v).abs() < most, "{u} {v}"));
        };
        close(coef(&a).as_slice(), coef(&b).as_slice(), 1e-6);
        close(&a.means, &b.means, 1e-6);
        close(a.class_means.as_slice(), b.class_means.as_slice(), 1e-6);
        close(&a.totals, &b.totals, 1e-6);
        let squares = |r: &Reduced| symmetric_product(r.y.view().t());
        close(squares(&a).as_slice(), squares(&b).as_slice(), 1e-8);
    }

    #[test]
    fn what_cannot_be_exact_is_refused() {
        let mut sums = ExactSums::new(1, 2);
        for odd in [1.5, f64::NAN, f64::INFINITY] {
            let e = sums.update(&Matrix::from_vec(vec![odd], 1, 1), &[0]);
            assert!(e.unwrap_err().to_string().contains("at most 1"));
        }
        // A column twice.
        let (phi, codes) = columns(100, 1);
        let mut sums = ExactSums::new(2, 3);
        sums.update(&phi.select_columns(&[0, 0]), &codes)
            .expect("fits");
        let e = sums.reduced(&[0, 1]).unwrap_err().to_string();
        assert!(e.contains("sample 2") && e.contains("`exact`"), "{e}");
        let bytes = sums.to_bytes();
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(
                ExactSums::from_bytes(&bad).is_err()
                    && ExactSums::from_bytes(&bytes[..at]).is_err()
            );
        }
    }
}
