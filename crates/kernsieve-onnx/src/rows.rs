//! Rows as a kernel sees them, `u = (x - origin) * factor` feature by feature, and the retained
//! samples in the same coordinates.
//!
//! The library computes `w (x - mean) / scale`. Here `factor = w / scale`, and `origin` is a number
//! that the graph's precision holds exactly, near the mean of the retained samples (distances) or
//! of the training rows (inner products), standardised or not. Therefore `x - origin` loses no
//! digits, however far the data lie from zero: single precision keeps seven digits of the
//! deviation, not of the value. The difference from the library's own origin,
//! `shift = (origin - mean) * factor`, is compensated in the constants.
//!
//! Normal scores take the place of `x` where a model has them; their mean is 0 and their scale 1.

use crate::Precision;
use crate::graph::{Graph, int};
use crate::scores;
use kernsieve::data::Scaling;
use kernsieve::expansion::KernelExpansion;
use kernsieve::kernel::Base;
use kernsieve::linalg::Matrix;
use kernsieve::{Error, Result};

/// The rows that an expansion reads.
pub struct Source<'a> {
    /// The rows x features value.
    pub rows: &'a str,
    /// How they are scaled.
    pub scaling: &'a Scaling,
    /// Names of the features, for errors.
    pub names: &'a [String],
    /// A typical value of each feature in the training rows, as far as it is known.
    pub typical: &'a [f64],
}

/// Rows and retained samples as a kernel sees them.
pub struct Seen {
    /// `u`, rows x features used.
    pub rows: String,
    /// Retained samples, support x features used: those of [`Base::InnerProduct`] as the library
    /// has them, `w * x_i`; else in the coordinates of `u`.
    pub support: Matrix,
    /// `w x = u + shift`.
    pub shift: Vec<f64>,
    /// Positions of the features used among those with a nonzero weight.
    pub used: Vec<usize>,
}

impl Seen {
    /// Adds the operators that make `u`.
    pub fn new(
        graph: &mut Graph,
        source: &Source<'_>,
        expansion: &KernelExpansion,
    ) -> Result<Self> {
        let Columns {
            features,
            origin,
            factor,
            shift,
            mut support,
            used,
        } = columns(graph.precision(), source, expansion)?;
        if expansion.kernel.family().base() != Base::InnerProduct {
            for row in support.as_mut_slice().chunks_exact_mut(features.len()) {
                row.iter_mut().zip(&shift).for_each(|(v, s)| *v -= s);
            }
        }
        let p = features.len();
        let mut rows = source.rows.to_string();
        if features
            .iter()
            .ne((0..source.names.len()).collect::<Vec<_>>().iter())
        {
            let index: Vec<i64> = features.iter().map(|&j| j as i64).collect();
            let index = graph.integers(&index);
            rows = graph.op_with("Gather", &[&rows, &index], vec![int("axis", 1)]);
        }
        if let Some(scores) = &source.scaling.scores {
            rows = scores::of_rows(graph, &rows, source.scaling, scores, &features)?;
        }
        let origin = graph.numbers("the means of the features", &origin, &[p])?;
        let factor = graph.numbers("the factors of the features", &factor, &[p])?;
        rows = graph.op("Sub", &[&rows, &origin]);
        rows = graph.op("Mul", &[&rows, &factor]);
        // Clipped coordinates have finite squares, so that no row, however far away, gives infinity
        // minus infinity.
        let bound = graph.precision().farthest();
        let low = graph.number("the bounds", -bound)?;
        let high = graph.number("the bounds", bound)?;
        rows = graph.op("Clip", &[&rows, &low, &high]);
        Ok(Self {
            rows,
            support,
            shift,
            used,
        })
    }

    /// `<shift, x_i>` of every retained sample: the part that inner products with `u` lack.
    pub fn missing_products(&self) -> Vec<f64> {
        let product = |row: &[f64]| row.iter().zip(&self.shift).map(|(v, s)| v * s).sum();
        self.support.iter_rows().map(product).collect()
    }
}

struct Columns {
    features: Vec<usize>,
    origin: Vec<f64>,
    factor: Vec<f64>,
    shift: Vec<f64>,
    /// `w * x_i`
    support: Matrix,
    used: Vec<usize>,
}

fn columns(
    precision: Precision,
    source: &Source<'_>,
    expansion: &KernelExpansion,
) -> Result<Columns> {
    let (w, s) = (&expansion.feature_weights, source.scaling);
    let weighted: Vec<usize> = (0..w.len()).filter(|&j| w[j] != 0.0).collect();
    let is_zero = |k: usize| expansion.support.iter_rows().all(|row| row[k] == 0.0);
    // A feature that was constant in training is zero in every row. Retained samples are zero there
    // as well, so it has no effect.
    let used: Vec<usize> = (0..weighted.len())
        .filter(|&k| s.active[weighted[k]] || !is_zero(k))
        .collect();
    let mut columns = Columns {
        features: used.iter().map(|&k| weighted[k]).collect(),
        origin: vec![],
        factor: vec![],
        shift: vec![],
        support: expansion.support.select_columns(&used),
        used,
    };
    if columns.features.is_empty() {
        // Without any feature, one that is zero everywhere stands in, so that all rows are alike.
        columns.features = vec![0];
        columns.support = Matrix::zeros(expansion.support.rows(), 1);
    }
    let distances = expansion.kernel.family().base() != Base::InnerProduct;
    // Scores have mean zero and scale one.
    let is_scored = s.scores.is_some();
    let mean = |j: usize| if is_scored { 0.0 } else { s.mean[j] };
    let scale = |j: usize| if is_scored { 1.0 } else { s.scale[j] };
    let typical = |j: usize| if is_scored { 0.0 } else { source.typical[j] };
    for (k, &j) in columns.features.iter().enumerate() {
        let factor = if s.active[j] { w[j] / scale(j) } else { 0.0 };
        if factor != 0.0 && !precision.holds(factor) {
            return Err(Error::Data(format!(
                "feature '{}' has a standard deviation of {:e}, \
                 which {precision} precision cannot hold; {}",
                source.names[j],
                scale(j),
                match precision {
                    Precision::F32 => "export in double precision",
                    Precision::F64 => "train with other units",
                }
            )));
        }
        let origin = if factor == 0.0 {
            0.0
        } else if distances {
            let n = columns.support.rows().max(1) as f64;
            mean(j) + scale(j) * (columns.support.column(k).iter().sum::<f64>() / n)
        } else {
            typical(j)
        };
        let origin = precision.round(origin);
        columns.origin.push(origin);
        columns.factor.push(factor);
        columns.shift.push(if factor == 0.0 {
            0.0
        } else {
            (origin - mean(j)) * factor
        });
    }
    let weights: Vec<f64> = columns.features.iter().map(|&j| w[j]).collect();
    for row in columns
        .support
        .as_mut_slice()
        .chunks_exact_mut(weights.len())
    {
        row.iter_mut().zip(&weights).for_each(|(v, w)| *v *= w);
    }
    Ok(columns)
}
