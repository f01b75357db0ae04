//! The one object that every method fits:
//! `z(x) = b + B'(w*x) + sum_{i in support} A_i k(w*x, w*x_i)`. Most have no linear part `B`.

use crate::error::{Error, Result};
use crate::kernel::{Kernel, Pairs, exp_in_place};
use crate::linalg::{Matrix, View, gemm_into, matmul};
use rayon::prelude::*;

/// Rows that one task evaluates. Every product has this shape, so the result of a row does not
/// depend, to the last bit, on the rows evaluated with it. The number is small because a single row
/// costs as much as a whole block.
pub const BLOCK_ROWS: usize = 64;
/// Support rows per tile: 64 x 256 numbers are 128 KiB, which stays in the second-level cache.
const TILE: usize = 256;

/// A kernel expansion. Feature weights of zero drop features: `support` holds only the columns with
/// a nonzero weight.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelExpansion {
    /// The kernel used for prediction (the one used in training may differ).
    pub kernel: Kernel,
    /// Weight of every feature, `w`; zero drops the feature.
    pub feature_weights: Vec<f64>,
    /// Retained rows in standardised units, before weighting: support rows x features with a
    /// nonzero weight.
    pub support: Matrix,
    /// How kernel values become outputs.
    pub output: Output,
    /// Coefficients `B` of the weighted features, features with a nonzero weight x outputs, where
    /// there is a linear part. It needs no samples.
    pub linear: Option<Matrix>,
}

/// How kernel values become outputs `z`.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// `z = offset + coef' k`
    Linear {
        /// `A`, support rows x outputs.
        coef: Matrix,
        /// `b`, one per output.
        offset: Vec<f64>,
    },
    /// `z_c = offset_c + log sum_{i in class c} weight_i k_i`, summed in the log domain, so that
    /// nothing underflows in 3000 dimensions. Support rows are grouped by output.
    LogDensity {
        /// Weights of the support rows, all above 0.
        weights: Vec<f64>,
        /// Output `c` owns support rows `starts[c]..starts[c + 1]`.
        starts: Vec<usize>,
        /// Log of the normalising constant, one per output.
        offset: Vec<f64>,
        /// Bandwidths of the support rows, where these differ from the kernel's.
        own: Option<OwnWidths>,
    },
}

/// Support rows with bandwidths other than the kernel's.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnWidths {
    /// Factors above 0, one per support row: distances to it are multiplied by its factor before
    /// the kernel is applied.
    pub scales: Vec<f64>,
    /// Excess of the logarithm of its normalising constant over that of the kernel.
    pub shifts: Vec<f64>,
}

impl KernelExpansion {
    /// An expansion in the features of `rows` whose weight is not zero.
    pub fn new(kernel: Kernel, feature_weights: Vec<f64>, rows: &Matrix, output: Output) -> Self {
        let used = nonzero(&feature_weights);
        let support = rows.select_columns(&used);
        Self {
            kernel,
            feature_weights,
            support,
            output,
            linear: None,
        }
    }

    /// The same with a linear part: features with a nonzero weight x outputs.
    pub fn with_linear(mut self, coef: Matrix) -> Self {
        self.linear = Some(coef);
        self
    }

    /// Number of outputs.
    pub fn n_outputs(&self) -> usize {
        match &self.output {
            Output::Linear { offset, .. } | Output::LogDensity { offset, .. } => offset.len(),
        }
    }

    /// Number of features of an input row, including dropped ones.
    pub fn n_features(&self) -> usize {
        self.feature_weights.len()
    }

    /// Checks that the parts fit together.
    pub fn check(&self) -> Result<()> {
        let fail = |what: &str| Err(Error::ModelFile(what.to_string()));
        if let Err(e) = self.kernel.check() {
            return fail(&format!("its kernel is damaged: {e}"));
        }
        let s = self.support.rows();
        if self.support.cols() != nonzero(&self.feature_weights).len() {
            return fail("the support rows do not match the feature weights");
        }
        let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
        if !finite(&self.feature_weights) || !finite(self.support.as_slice()) {
            return fail("a support value or feature weight is not finite");
        }
        if let Some(linear) = &self.linear {
            let fits = linear.rows() == self.support.cols() && linear.cols() == self.n_outputs();
            if !fits || !finite(linear.as_slice()) {
                return fail("the linear part is damaged");
            }
            if !matches!(self.output, Output::Linear { .. }) {
                return fail("a density has no linear part");
            }
        }
        match &self.output {
            Output::Linear { coef, offset } => {
                if coef.rows() != s || coef.cols() != offset.len() || offset.is_empty() {
                    return fail("the coefficients do not match the support rows");
                }
                if !finite(coef.as_slice()) || !finite(offset) {
                    return fail("a coefficient is not finite");
                }
            }
            Output::LogDensity {
                weights,
                starts,
                offset,
                own,
            } => {
                if let Some(own) = own {
                    let fits = own.scales.len() == s && own.shifts.len() == s;
                    if !fits
                        || !finite(&own.shifts)
                        || !own.scales.iter().all(|v| v.is_finite() && *v > 0.0)
                    {
                        return fail("the bandwidths of the support rows are damaged");
                    }
                }
                let ordered = starts.windows(2).all(|w| w[0] < w[1]);
                if weights.len() != s
                    || starts.len() != offset.len() + 1
                    || starts.first() != Some(&0)
                    || starts.last() != Some(&s)
                    || !ordered
                {
                    return fail("the density groups do not match the support rows");
                }
                if !finite(weights) || !finite(offset) || weights.iter().any(|&w| w <= 0.0) {
                    return fail("a density weight is not above 0");
                }
                if self.kernel.log_normalizer(1).is_none() {
                    return fail("the kernel is not a density");
                }
            }
        }
        Ok(())
    }

    /// Outputs of every row of `x` (standardised, all features), `n x n_outputs`. Blocks of rows
    /// are evaluated in parallel, so memory beyond the result does not grow with the number of
    /// rows. The cost is `2 n s (p + q)` flops and `n s` kernel values.
    pub fn evaluate(&self, x: &Matrix) -> Matrix {
        let used = nonzero(&self.feature_weights);
        let mut weights: Vec<f64> = used.iter().map(|&j| self.feature_weights[j]).collect();
        let mut support = self.support.clone();
        let mut used = used;
        if used.is_empty() && self.n_features() > 0 {
            // Without any feature, one that is zero everywhere stands in, so that all rows are
            // alike.
            (used, weights) = (vec![0], vec![0.0]);
            support = Matrix::zeros(support.rows(), 1);
        }
        let p = used.len();
        for row in support.as_mut_slice().chunks_exact_mut(p.max(1)) {
            row.iter_mut().zip(&weights).for_each(|(v, w)| *v *= w);
        }
        let pairs = Pairs::new(self.kernel.family().base(), support);
        let q = self.n_outputs();
        let mut out = Matrix::zeros(x.rows(), q);
        out.as_mut_slice()
            .par_chunks_mut(BLOCK_ROWS * q)
            .enumerate()
            .for_each(|(t, z)| {
                let rows = z.len() / q;
                let start = t * BLOCK_ROWS;
                let mut block = Vec::with_capacity(BLOCK_ROWS * p);
                for i in start..start + rows {
                    let row = x.row(i);
                    block.extend(used.iter().zip(&weights).map(|(&j, w)| row[j] * w));
                }
                // The last block is padded. Products of another shape may round differently, and
                // the result of a row must not depend on the number of rows evaluated with it.
                block.resize(BLOCK_ROWS * p, 0.0);
                let linear = self.linear_block(&block, p);
                let norms = pairs.prepare(&mut block);
                let block = View::new(&block, BLOCK_ROWS, p, p);
                if rows == BLOCK_ROWS {
                    self.evaluate_block(&pairs, block, &norms, z);
                } else {
                    let mut full = vec![0.0; BLOCK_ROWS * q];
                    self.evaluate_block(&pairs, block, &norms, &mut full);
                    z.copy_from_slice(&full[..rows * q]);
                }
                z.iter_mut().zip(&linear).for_each(|(z, l)| *z += l);
            });
        out
    }

    /// Slopes (all features x outputs) and offsets of outputs that are linear in the features,
    /// `z = offset + slopes' x`; `None` if they are not.
    pub fn linear_outputs(&self) -> Option<(Matrix, Vec<f64>)> {
        let Output::Linear { coef, offset } = &self.output else {
            return None;
        };
        if self.kernel != Kernel::Linear && self.support.rows() > 0 {
            return None;
        }
        let weights = nonzero(&self.feature_weights).into_iter();
        let mut own = matmul(self.support.transpose().view(), coef.view());
        for (k, j) in weights.enumerate() {
            let weight = self.feature_weights[j];
            own.row_mut(k).iter_mut().for_each(|v| *v *= weight);
        }
        if let Some(linear) = &self.linear {
            let both = own.as_mut_slice().iter_mut().zip(linear.as_slice());
            both.for_each(|(v, l)| *v += l);
        }
        Some((self.slopes(&own), offset.clone()))
    }

    /// The same for the linear part alone, where there is one.
    pub fn linear_part(&self) -> Option<(Matrix, Vec<f64>)> {
        match (&self.linear, &self.output) {
            (Some(linear), Output::Linear { offset, .. }) => {
                Some((self.slopes(linear), offset.clone()))
            }
            _ => None,
        }
    }

    /// Coefficients of the weighted features that are used, as slopes of all features.
    fn slopes(&self, own: &Matrix) -> Matrix {
        let mut slopes = Matrix::zeros(self.n_features(), own.cols());
        for (k, j) in nonzero(&self.feature_weights).into_iter().enumerate() {
            let row = slopes.row_mut(j).iter_mut().zip(own.row(k));
            row.for_each(|(s, v)| *s = self.feature_weights[j] * v);
        }
        slopes
    }

    /// The linear part of a block of weighted rows; empty if there is none.
    fn linear_block(&self, block: &[f64], p: usize) -> Vec<f64> {
        let Some(linear) = self.linear.as_ref().filter(|l| l.rows() == p) else {
            return vec![];
        };
        let q = linear.cols();
        let mut out = vec![0.0; BLOCK_ROWS * q];
        let rows = View::new(block, BLOCK_ROWS, p, p);
        gemm_into(&mut out, q, rows, linear.view(), 1.0, false);
        out
    }

    fn evaluate_block(&self, pairs: &Pairs, a: View<'_>, norms: &[f64], z: &mut [f64]) {
        let (rows, s, q) = (a.rows(), pairs.len(), self.n_outputs());
        let mut tile = vec![0.0; rows * TILE.min(s.max(1))];
        match &self.output {
            Output::Linear { coef, offset } => {
                z.chunks_exact_mut(q)
                    .for_each(|row| row.copy_from_slice(offset));
                for c in (0..s).step_by(TILE) {
                    let end = (c + TILE).min(s);
                    let width = end - c;
                    pairs.block(a, norms, c..end, &mut tile, width);
                    self.kernel.apply(&mut tile[..rows * width]);
                    gemm_into(
                        z,
                        q,
                        View::new(&tile, rows, width, width),
                        coef.rows_view(c..end),
                        1.0,
                        true,
                    );
                }
            }
            Output::LogDensity {
                weights,
                starts,
                offset,
                own,
            } => {
                // Running maximum and sum of exponentials, output by output.
                for (class, group) in starts.windows(2).enumerate() {
                    let (mut top, mut sum) = (vec![f64::NEG_INFINITY; rows], vec![0.0; rows]);
                    for c in (group[0]..group[1]).step_by(TILE) {
                        let end = (c + TILE).min(group[1]);
                        let width = end - c;
                        pairs.block(a, norms, c..end, &mut tile, width);
                        if let Some(own) = own {
                            for row in tile[..rows * width].chunks_exact_mut(width) {
                                row.iter_mut()
                                    .zip(&own.scales[c..end])
                                    .for_each(|(v, s)| *v *= s);
                            }
                        }
                        self.kernel.apply_log(&mut tile[..rows * width]);
                        for i in 0..rows {
                            let row = &mut tile[i * width..(i + 1) * width];
                            if let Some(own) = own {
                                row.iter_mut()
                                    .zip(&own.shifts[c..end])
                                    .for_each(|(v, s)| *v += s);
                            }
                            add_log_terms(row, &weights[c..end], &mut top[i], &mut sum[i]);
                        }
                    }
                    for i in 0..rows {
                        z[i * q + class] = offset[class] + top[i] + sum[i].ln();
                    }
                }
            }
        }
    }
}

/// Adds `sum_i w_i exp(l_i)` to `exp(top) * sum`, keeping `top` the largest exponent so far. `logs`
/// is overwritten.
pub(crate) fn add_log_terms(logs: &mut [f64], weights: &[f64], top: &mut f64, sum: &mut f64) {
    let here = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if here == f64::NEG_INFINITY {
        return; // all terms are zero even in the log domain
    }
    if here > *top {
        *sum *= (*top - here).exp();
        *top = here;
    }
    logs.iter_mut().for_each(|l| *l -= *top);
    exp_in_place(logs);
    *sum += logs.iter().zip(weights).map(|(e, w)| e * w).sum::<f64>();
}

/// Positions of the nonzero entries.
pub(crate) fn nonzero(weights: &[f64]) -> Vec<usize> {
    (0..weights.len()).filter(|&j| weights[j] != 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn equals_the_sum_it_stands_for() {
        let (s, p, q) = (300, 5, 3);
        let (support, coef, x) = (random(s, p, 1), random(s, q, 2), random(700, p, 3));
        let w = vec![1.0, 0.0, 0.5, -0.7, 0.0];
        let offset = vec![0.1, -0.2, 0.3];
        let kernel = Kernel::Gaussian { bandwidth: 1.2 };
        let output = Output::Linear {
            coef: coef.clone(),
            offset: offset.clone(),
        };
        let e = KernelExpansion::new(kernel, w.clone(), &support, output);
        assert_eq!(e.support.cols(), 3);
        e.check().expect("parts fit");
        let z = e.evaluate(&x);
        for i in [0, 255, 256, 699] {
            for c in 0..q {
                let mut v = offset[c];
                for l in 0..s {
                    let d2: f64 = (0..p)
                        .map(|j| (w[j] * (x[(i, j)] - support[(l, j)])).powi(2))
                        .sum();
                    v += coef[(l, c)] * (-d2 / (2.0 * 1.2 * 1.2)).exp();
                }
                assert!((z[(i, c)] - v).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn log_densities_survive_where_densities_underflow() {
        let p = 300;
        let support = random(40, p, 5);
        let kernel = Kernel::Gaussian { bandwidth: 0.05 };
        let output = Output::LogDensity {
            weights: vec![0.05; 40],
            starts: vec![0, 20, 40],
            offset: vec![0.0; 2],
            own: None,
        };
        let e = KernelExpansion::new(kernel, vec![1.0; p], &support, output);
        e.check().expect("parts fit");
        let x = random(3, p, 6);
        let z = e.evaluate(&x);
        for i in 0..3 {
            for (c, rows) in [(0, 0..20), (1, 20..40)] {
                let logs: Vec<f64> = rows
                    .map(|l| {
                        let d2: f64 = (0..p).map(|j| (x[(i, j)] - support[(l, j)]).powi(2)).sum();
                        -d2 / (2.0 * 0.05 * 0.05) + 0.05f64.ln()
                    })
                    .collect();
                let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let expected = top + logs.iter().map(|l| (l - top).exp()).sum::<f64>().ln();
                assert!(
                    expected < -1e4,
                    "the density itself is zero in double precision"
                );
                assert!((z[(i, c)] - expected).abs() < 1e-9 * expected.abs());
            }
        }
    }

    #[test]
    fn rows_in_pieces_give_the_same_bits() {
        let e = KernelExpansion::new(
            Kernel::Gaussian { bandwidth: 1.0 },
            vec![1.0; 4],
            &random(100, 4, 1),
            Output::Linear {
                coef: random(100, 2, 2),
                offset: vec![0.0; 2],
            },
        );
        let n = 3 * BLOCK_ROWS;
        let x = random(n, 4, 3);
        let whole = e.evaluate(&x);
        for size in [1, 2, 7, 8, 31, BLOCK_ROWS, BLOCK_ROWS + 1, n] {
            for start in (0..n).step_by(size) {
                let rows: Vec<usize> = (start..(start + size).min(n)).collect();
                let part = e.evaluate(&x.select_rows(&rows));
                assert_eq!(
                    whole.as_slice()[2 * start..][..2 * rows.len()],
                    *part.as_slice(),
                    "{size}"
                );
            }
        }
    }
}
