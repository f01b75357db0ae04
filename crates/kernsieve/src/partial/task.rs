//! What is to be summed, and who does it.

use super::bytes::{Kind, Reader, Writer, require_fit};
use super::frame::{read_scores, write_scores};
use super::newton::n_outputs;
use super::{ExactSums, Newton, Sums, TallQr};
use crate::classes::Classes;
use crate::data::NormalScores;
use crate::decision::{Decision, Simplex};
use crate::discriminant_kernel::{posteriors, psi};
use crate::error::{Error, Result};
use crate::expansion::nonzero;
use crate::kernel::{Kernel, TILE_ROWS, cross_gram};
use crate::linalg::{Matrix, add_to_rows, matmul};

/// Columns `phi(x)` of a scaled row.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// The features themselves.
    Features,
    /// Kernel values with centres.
    Kernel {
        /// The kernel.
        kernel: Kernel,
        /// Normal scores of the features, if these come first.
        scores: Option<NormalScores>,
        /// Weights of the features; those of weight 0 have no part.
        weights: Vec<f64>,
        /// Centres, weighted, without features of weight 0.
        centres: Matrix,
        /// Whether the weighted features are columns, too, after the kernel values.
        linear: bool,
    },
    /// Posteriors of linear regressions on class indicators, over the roots of the class shares:
    /// the features of a discriminant kernel.
    Posteriors {
        /// Coefficients, classes x features.
        coef: Matrix,
        /// One per class.
        offset: Vec<f64>,
        /// How outputs become posteriors.
        kind: Simplex,
        /// Shares of the classes.
        shares: Vec<f64>,
    },
}

impl Columns {
    /// How many there are of so many features.
    pub fn count(&self, n_features: usize) -> usize {
        match self {
            Self::Features => n_features,
            Self::Kernel {
                centres, linear, ..
            } => centres.rows() + if *linear { centres.cols() } else { 0 },
            Self::Posteriors { offset, .. } => offset.len(),
        }
    }

    /// The columns of some rows.
    pub fn of(&self, x: &Matrix) -> Matrix {
        match self {
            Self::Features => x.clone(),
            Self::Kernel {
                kernel,
                scores,
                weights,
                centres,
                linear,
            } => {
                let u = prepared(x, scores.as_ref(), weights);
                let k = cross_gram(kernel, &u, centres);
                if *linear { beside(&k, &u) } else { k }
            }
            Self::Posteriors {
                coef,
                offset,
                kind,
                shares,
            } => {
                let mut z = matmul(x.view(), coef.view().t());
                add_to_rows(&mut z, offset);
                let decision = Decision::Simplex {
                    kind: *kind,
                    log_priors: shares.iter().map(|s| s.ln()).collect(),
                };
                let raw = matches!(kind, Simplex::None);
                psi(posteriors(decision.scores(&z), raw), shares)
            }
        }
    }
}

impl Columns {
    /// The columns of some rows, computed in whole tiles: products of another shape may round
    /// differently, and the values of a row must not depend on the rows that come with it.
    fn of_whole_tiles(&self, x: &Matrix) -> Matrix {
        let (n, p) = (x.rows(), x.cols());
        let padded = n.next_multiple_of(TILE_ROWS);
        let mut data = x.as_slice().to_vec();
        data.resize(padded * p, 0.0);
        let phi = self.of(&Matrix::from_vec(data, padded, p));
        let m = phi.cols();
        let mut values = phi.into_vec();
        values.truncate(n * m);
        Matrix::from_vec(values, n, m)
    }
}

/// Rows as a weighted kernel sees them.
fn prepared(x: &Matrix, scores: Option<&NormalScores>, weights: &[f64]) -> Matrix {
    let scored = scores.map(|scores| {
        let mut x = x.clone();
        scores.apply_in_place(&mut x);
        x
    });
    weighted(scored.as_ref().unwrap_or(x), weights)
}

/// The features with a nonzero weight, times their weights.
pub(crate) fn weighted(x: &Matrix, weights: &[f64]) -> Matrix {
    let used = nonzero(weights);
    Matrix::from_fn(x.rows(), used.len(), |i, k| {
        x[(i, used[k])] * weights[used[k]]
    })
}

/// Columns of two matrices with the same rows.
fn beside(a: &Matrix, b: &Matrix) -> Matrix {
    let mut data = Vec::with_capacity(a.rows() * (a.cols() + b.cols()));
    for i in 0..a.rows() {
        data.extend_from_slice(a.row(i));
        data.extend_from_slice(b.row(i));
    }
    Matrix::from_vec(data, a.rows(), a.cols() + b.cols())
}

/// What is summed of the columns.
#[derive(Clone, Debug, PartialEq)]
pub enum Collect {
    /// [`Sums`].
    Sums,
    /// [`ExactSums`].
    Exact,
    /// [`TallQr`].
    Qr,
    /// [`Newton`] at these coefficients.
    Newton(Matrix),
}

/// Columns, and what is summed of them: all that whoever holds rows needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The columns.
    pub columns: Columns,
    /// The sums.
    pub collect: Collect,
}

/// Scaled rows with their classes and weights.
#[derive(Clone, Debug)]
pub struct Block {
    /// Scaled features, in the units of the kernel.
    pub x: Matrix,
    /// Classes.
    pub codes: Vec<usize>,
    /// Weights, where rows differ.
    pub weights: Option<Vec<f64>>,
}

/// The sums of a task over some rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Of [`Collect::Sums`].
    Sums(Sums),
    /// Of [`Collect::Exact`].
    Exact(ExactSums),
    /// Of [`Collect::Qr`].
    Qr(TallQr),
    /// Of [`Collect::Newton`].
    Newton(Newton),
}

impl Part {
    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (Self::Sums(a), Self::Sums(b)) => a.merge(b),
            (Self::Exact(a), Self::Exact(b)) => a.merge(b),
            (Self::Qr(a), Self::Qr(b)) => a.merge(b),
            (Self::Newton(a), Self::Newton(b)) => a.merge(b),
            _ => require_fit(false),
        }
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Sums(s) => s.to_bytes(),
            Self::Exact(s) => s.to_bytes(),
            Self::Qr(s) => s.to_bytes(),
            Self::Newton(s) => s.to_bytes(),
        }
    }
}

impl Task {
    /// The sums over no rows.
    pub fn part(&self, n_features: usize, n_classes: usize) -> Part {
        let m = self.columns.count(n_features);
        match self.collect {
            Collect::Sums => Part::Sums(Sums::new(m, n_classes)),
            Collect::Exact => Part::Exact(ExactSums::new(m, n_classes)),
            Collect::Qr => Part::Qr(TallQr::new(m, n_classes)),
            Collect::Newton(_) => Part::Newton(Newton::new(m, n_classes)),
        }
    }

    /// Adds rows to the sums.
    pub fn update(&self, part: &mut Part, rows: &Block) -> Result<()> {
        let (codes, weights) = (rows.codes.as_slice(), rows.weights.as_deref());
        if let (Part::Exact(s), Collect::Exact) = (&mut *part, &self.collect) {
            if weights.is_some() {
                return Err(Error::Data(
                    "exact sums count every row once; leave out the weights of rows, or `exact`"
                        .into(),
                ));
            }
            return s.update(&self.columns.of_whole_tiles(&rows.x), codes);
        }
        let phi = self.columns.of(&rows.x);
        match (part, &self.collect) {
            (Part::Sums(s), Collect::Sums) => s.update(phi, codes, weights),
            (Part::Qr(s), Collect::Qr) => s.update(&phi, codes, weights),
            (Part::Newton(s), Collect::Newton(coef)) => s.update(&phi, coef, codes, weights),
            _ => return require_fit(false),
        }
        Ok(())
    }

    /// The sums of this task from bytes.
    pub fn read_part(&self, bytes: &[u8]) -> Result<Part> {
        Ok(match self.collect {
            Collect::Sums => Part::Sums(Sums::from_bytes(bytes)?),
            Collect::Exact => Part::Exact(ExactSums::from_bytes(bytes)?),
            Collect::Qr => Part::Qr(TallQr::from_bytes(bytes)?),
            Collect::Newton(_) => Part::Newton(Newton::from_bytes(bytes)?),
        })
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Kind::Task);
        match &self.columns {
            Columns::Features => out.text("features"),
            Columns::Kernel {
                kernel,
                scores,
                weights,
                centres,
                linear,
            } => {
                out.text("kernel");
                out.text(&serde_json::to_string(kernel).unwrap_or_default());
                out.numbers(weights);
                out.matrix(centres);
                out.count(u64::from(*linear));
                write_scores(&mut out, scores.as_ref());
            }
            Columns::Posteriors {
                coef,
                offset,
                kind,
                shares,
            } => {
                out.text("posteriors");
                out.matrix(coef);
                out.numbers(offset);
                out.text(&serde_json::to_string(kind).unwrap_or_default());
                out.numbers(shares);
            }
        }
        match &self.collect {
            Collect::Sums => out.text("sums"),
            Collect::Exact => out.text("exact"),
            Collect::Qr => out.text("qr"),
            Collect::Newton(coef) => {
                out.text("newton");
                out.matrix(coef);
            }
        }
        out.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut input = Reader::open(bytes, Kind::Task)?;
        let odd = |what: &str| Error::Part(format!("the task has an unknown {what}"));
        let columns = match input.text()? {
            "features" => Columns::Features,
            "kernel" => {
                let kernel = serde_json::from_str(input.text()?).map_err(|_| odd("kernel"))?;
                let (weights, centres) = (input.numbers()?, input.matrix()?);
                let linear = input.count()? != 0;
                let scores = read_scores(&mut input)?;
                let fits = |s: &NormalScores| s.curves.len() == weights.len();
                require_fit(centres.cols() == nonzero(&weights).len())?;
                require_fit(scores.as_ref().is_none_or(fits))?;
                Columns::Kernel {
                    kernel,
                    scores,
                    weights,
                    centres,
                    linear,
                }
            }
            "posteriors" => {
                let (coef, offset) = (input.matrix()?, input.numbers()?);
                let kind = serde_json::from_str(input.text()?).map_err(|_| odd("simplex"))?;
                let shares = input.numbers()?;
                require_fit(coef.rows() == offset.len() && shares.len() == offset.len())?;
                Columns::Posteriors {
                    coef,
                    offset,
                    kind,
                    shares,
                }
            }
            _ => return Err(odd("kind of columns")),
        };
        let collect = match input.text()? {
            "sums" => Collect::Sums,
            "exact" => Collect::Exact,
            "qr" => Collect::Qr,
            "newton" => Collect::Newton(input.matrix()?),
            _ => return Err(odd("kind of sums")),
        };
        input.end()?;
        Ok(Self { columns, collect })
    }

    /// An error if rows of so many features and classes do not fit.
    pub fn check(&self, n_features: usize, n_classes: usize) -> Result<()> {
        require_fit(match &self.columns {
            Columns::Features => true,
            Columns::Kernel { weights, .. } => weights.len() == n_features,
            Columns::Posteriors { coef, offset, .. } => {
                coef.cols() == n_features && offset.len() == n_classes
            }
        })?;
        require_fit(match &self.collect {
            Collect::Newton(coef) => {
                coef.rows() == self.columns.count(n_features) && coef.cols() == n_outputs(n_classes)
            }
            _ => true,
        })
    }
}

/// Someone who holds all rows and sums over them.
pub trait Passes {
    /// Number of rows.
    fn rows(&self) -> u64;

    /// The sums of a task over all rows.
    fn run(&mut self, task: &Task) -> Result<Part>;

    /// [`Sums`] of columns.
    fn sums(&mut self, columns: Columns) -> Result<Sums> {
        let collect = Collect::Sums;
        match self.run(&Task { columns, collect })? {
            Part::Sums(sums) => Ok(sums),
            _ => Err(Error::Part("they are sums of another kind".into())),
        }
    }

    /// [`ExactSums`] of columns.
    fn exact(&mut self, columns: Columns) -> Result<ExactSums> {
        let collect = Collect::Exact;
        match self.run(&Task { columns, collect })? {
            Part::Exact(sums) => Ok(sums),
            _ => Err(Error::Part("they are sums of another kind".into())),
        }
    }

    /// The triangular factor of columns.
    fn factor(&mut self, columns: Columns) -> Result<TallQr> {
        let collect = Collect::Qr;
        match self.run(&Task { columns, collect })? {
            Part::Qr(qr) => Ok(qr),
            _ => Err(Error::Part("they are sums of another kind".into())),
        }
    }

    /// [`Reduced`](super::Reduced) rows of columns.
    fn reduced(&mut self, columns: Columns) -> Result<super::Reduced> {
        Ok(self.factor(columns)?.reduced())
    }

    /// [`Newton`] sums of columns at coefficients.
    fn newton(&mut self, columns: Columns, coef: Matrix) -> Result<Newton> {
        let collect = Collect::Newton(coef);
        match self.run(&Task { columns, collect })? {
            Part::Newton(sums) => Ok(sums),
            _ => Err(Error::Part("they are sums of another kind".into())),
        }
    }
}

/// Rows that are in memory.
pub struct InMemory<'a> {
    /// Scaled features.
    pub x: &'a Matrix,
    /// Classes and weights.
    pub classes: &'a Classes,
}

/// Rows whose columns are held at once.
pub(super) const BLOCK: usize = 4096;

impl Passes for InMemory<'_> {
    fn rows(&self) -> u64 {
        self.x.rows() as u64
    }

    fn run(&mut self, task: &Task) -> Result<Part> {
        let (n, c) = (self.x.rows(), self.classes.n_classes());
        task.check(self.x.cols(), c)?;
        let mut part = task.part(self.x.cols(), c);
        for start in (0..n).step_by(BLOCK) {
            let range = start..(start + BLOCK).min(n);
            let rows: Vec<usize> = range.clone().collect();
            let block = Block {
                x: self.x.select_rows(&rows),
                codes: self.classes.codes()[range.clone()].to_vec(),
                weights: self.classes.weights().map(|w| w[range].to_vec()),
            };
            task.update(&mut part, &block)?;
        }
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn tasks_travel_as_bytes() {
        let x = random(30, 3, 1);
        let tasks = [
            Task {
                columns: Columns::Features,
                collect: Collect::Qr,
            },
            Task {
                columns: Columns::Kernel {
                    kernel: Kernel::Laplacian { bandwidth: 1.5 },
                    scores: Some(NormalScores::fit(&x, None)),
                    weights: vec![1.0, 0.0, 2.0],
                    centres: random(4, 2, 2),
                    linear: true,
                },
                collect: Collect::Newton(random(6, 3, 3)),
            },
            Task {
                columns: Columns::Posteriors {
                    coef: random(3, 3, 4),
                    offset: vec![0.3, 0.3, 0.4],
                    kind: Simplex::Clip,
                    shares: vec![0.2, 0.3, 0.5],
                },
                collect: Collect::Sums,
            },
        ];
        let codes: Vec<usize> = (0..30).map(|i| i % 3).collect();
        let classes = Classes::new(&codes, None, 3);
        for task in tasks {
            let bytes = task.to_bytes();
            let back = Task::from_bytes(&bytes).expect("whole");
            assert_eq!(back, task);
            assert!(Task::from_bytes(&bytes[..bytes.len() - 1]).is_err());
            let mut rows = InMemory {
                x: &x,
                classes: &classes,
            };
            let part = rows.run(&task).expect("fits");
            assert_eq!(task.columns.of(&x).cols(), task.columns.count(3));
            let same = task.read_part(&part.to_bytes()).expect("whole");
            assert_eq!(same, part);
            assert!(task.check(2, 3).is_err() || task.columns == Columns::Features);
        }
    }
}
