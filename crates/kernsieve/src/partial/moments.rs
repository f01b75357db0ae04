//! Means, deviations and ranges of features, and totals of classes.

use super::bytes::{Kind, Reader, Writer, require_fit};
use crate::data::Scaling;
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// Moments of features and totals of classes. Deviations are summed about running means and
/// combined as by Chan, Golub & LeVeque (1983), so that large offsets lose no digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    rows: u64,
    weight: f64,
    mean: Vec<f64>,
    /// Sums of squared deviations from the mean.
    squares: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    counts: Vec<u64>,
    totals: Vec<f64>,
}

impl Moments {
    /// Of no rows.
    pub fn new(n_features: usize, n_classes: usize) -> Self {
        Self {
            rows: 0,
            weight: 0.0,
            mean: vec![0.0; n_features],
            squares: vec![0.0; n_features],
            low: vec![f64::INFINITY; n_features],
            high: vec![f64::NEG_INFINITY; n_features],
            counts: vec![0; n_classes],
            totals: vec![0.0; n_classes],
        }
    }

    /// Adds rows with their classes and weights.
    pub fn update(&mut self, x: &Matrix, codes: &[usize], weights: Option<&[f64]>) {
        let p = self.mean.len();
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let mut own = Self::new(p, self.counts.len());
        own.rows = x.rows() as u64;
        for (i, &c) in codes.iter().enumerate() {
            own.counts[c] += 1;
            own.totals[c] += weight(i);
        }
        own.weight = (0..x.rows()).map(weight).sum();
        for (i, row) in x.iter_rows().enumerate() {
            for (j, &v) in row.iter().enumerate() {
                own.mean[j] += weight(i) / own.weight * v;
                own.low[j] = own.low[j].min(v);
                own.high[j] = own.high[j].max(v);
            }
        }
        for (i, row) in x.iter_rows().enumerate() {
            for (j, &v) in row.iter().enumerate() {
                let gap = v - own.mean[j];
                own.squares[j] += weight(i) * gap * gap;
            }
        }
        self.add(&own);
    }

    /// Adds the moments of other rows.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let same = |a: usize, b: usize| require_fit(a == b);
        same(self.mean.len(), other.mean.len())?;
        same(self.counts.len(), other.counts.len())?;
        self.add(other);
        Ok(())
    }

    fn add(&mut self, other: &Self) {
        let all = self.weight + other.weight;
        if other.weight > 0.0 {
            for j in 0..self.mean.len() {
                let gap = other.mean[j] - self.mean[j];
                let share = other.weight / all;
                self.mean[j] += share * gap;
                self.squares[j] += other.squares[j] + self.weight * share * gap * gap;
                self.low[j] = self.low[j].min(other.low[j]);
                self.high[j] = self.high[j].max(other.high[j]);
            }
        }
        self.weight = all;
        self.rows += other.rows;
        for (a, b) in self.counts.iter_mut().zip(&other.counts) {
            *a += b;
        }
        for (a, b) in self.totals.iter_mut().zip(&other.totals) {
            *a += b;
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows of each class.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Weight of each class.
    pub fn totals(&self) -> &[f64] {
        &self.totals
    }

    /// The scaling that [`Scaling::fit`] learns from the same rows, up to rounding.
    pub fn scaling(&self, standardize: bool) -> Result<Scaling> {
        let p = self.mean.len();
        let deviation: Vec<f64> = self
            .squares
            .iter()
            .map(|s| (s / self.weight).sqrt())
            .collect();
        if let Some(j) = (0..p).find(|&j| !(deviation[j].is_finite() && self.mean[j].is_finite())) {
            return Err(Error::Data(format!(
                "the squares of feature {j} overflow; write it in larger units"
            )));
        }
        let varies = |j: usize| {
            self.high[j] > self.low[j] && deviation[j] > 4.0 * f64::EPSILON * self.mean[j].abs()
        };
        let active: Vec<bool> = (0..p).map(varies).collect();
        let or =
            |j: usize, own: f64, other: f64| if standardize && active[j] { own } else { other };
        Ok(Scaling {
            mean: (0..p)
                .map(|j| if standardize { self.mean[j] } else { 0.0 })
                .collect(),
            scale: (0..p).map(|j| or(j, deviation[j], 1.0)).collect(),
            active,
            scores: None,
        })
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Kind::Moments);
        out.count(self.rows);
        out.number(self.weight);
        for values in [
            &self.mean,
            &self.squares,
            &self.low,
            &self.high,
            &self.totals,
        ] {
            out.numbers(values);
        }
        self.counts.iter().for_each(|c| out.count(*c));
        out.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut input = Reader::open(bytes, Kind::Moments)?;
        let (rows, weight) = (input.count()?, input.number()?);
        let mut next = || input.numbers();
        let (mean, squares, low, high, totals) = (next()?, next()?, next()?, next()?, next()?);
        let counts = totals.iter().map(|_| input.count());
        let counts: Vec<u64> = counts.collect::<Result<_>>()?;
        input.end()?;
        let p = mean.len();
        require_fit([&squares, &low, &high].iter().all(|v| v.len() == p))?;
        Ok(Self {
            rows,
            weight,
            mean,
            squares,
            low,
            high,
            counts,
            totals,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn parts_give_the_scaling_of_the_whole() {
        let mut x = random(1000, 4, 1);
        for i in 0..1000 {
            x[(i, 1)] = 1e9 + 3.0 * x[(i, 1)];
            x[(i, 2)] = 7.0;
        }
        let codes: Vec<usize> = (0..1000).map(|i| i % 3).collect();
        let weights: Vec<f64> = (0..1000).map(|i| 0.5 + (i % 4) as f64).collect();
        for w in [None, Some(weights.as_slice())] {
            let rows: Vec<usize> = (0..1000).collect();
            let whole = Scaling::fit(&x, &rows, w, true);
            let mut parts = Moments::new(4, 3);
            for range in [0..1, 1..400, 400..400, 400..1000] {
                let part: Vec<usize> = range.clone().collect();
                let mut own = Moments::new(4, 3);
                own.update(
                    &x.select_rows(&part),
                    &codes[range.clone()],
                    w.map(|w| &w[range]),
                );
                let own = Moments::from_bytes(&own.to_bytes()).expect("whole");
                parts.merge(&own).expect("fits");
            }
            let found = parts.scaling(true).expect("finite");
            assert_eq!(found.active, [true, true, false, true]);
            for j in [0, 1, 3] {
                assert!(
                    (found.mean[j] - whole.mean[j]).abs() < 1e-14 * (1.0 + whole.mean[j].abs())
                );
                assert!(
                    (found.scale[j] / whole.scale[j] - 1.0).abs() < 1e-7,
                    "feature {j}"
                );
            }
            assert_eq!((parts.rows(), parts.counts()), (1000, &[334, 333, 333][..]));
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let mut m = Moments::new(2, 2);
        m.update(&random(5, 2, 1), &[0, 1, 0, 1, 0], None);
        let bytes = m.to_bytes();
        assert_eq!(Moments::from_bytes(&bytes).expect("whole"), m);
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(Moments::from_bytes(&bad).is_err(), "byte {at}");
            assert!(Moments::from_bytes(&bytes[..at]).is_err());
        }
        assert!(super::super::TallQr::from_bytes(&bytes).is_err());
        let e = m.merge(&Moments::new(3, 2)).unwrap_err().to_string();
        assert!(e.contains("sizes"), "{e}");
    }
}
