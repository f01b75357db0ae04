//! Ridge regression on the kernel functions of landmarks, judged by leaving out each row.
//!
//! With landmarks `z_l`, `K_mm = L L'`, the features of a row are `psi(x) = [L^-1 k_m(x), sqrt(tau)
//! u]`, where `u = w*x` is the linear part if there is one. With all rows as landmarks, a ridge
//! regression on `psi` is kernel ridge regression. Left-out residuals are `e_i / (1 - h_i)` with
//! the leverages `h_i`; rows that belong together are left out together. Complexity: `2 n m^2`
//! flops per bandwidth, and `n m^2 + m^3 / 3` per ridge.

use super::sample::Sample;
use super::search::Form;
use crate::error::{Error, Result};
use crate::kernel::{Family, Kernel, Pairs, gram_from_base};
use crate::linalg::{
    Cholesky, Matrix, add_scaled, center_columns_weighted, cholesky_shifted, matmul,
    symmetric_product,
};
use crate::partial::weighted;

/// Ridges of a first look: the variance of the noise relative to that of a function.
pub(super) const RIDGES: [f64; 6] = [10.0, 2.0, 0.4, 0.08, 0.01, 1e-3];
/// Variance of the linear part relative to that of the kernel part.
const LINEAR_VARIANCE: f64 = 1.0;
/// The squared residual counts for this much beside the error, each relative to its least.
const BRIER: f64 = 3.0;
/// Added to the Gram matrix of the landmarks, so that equal landmarks do no harm.
const JITTER: f64 = 1e-8;

/// A kernel with a ridge, and how it does on rows that are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    pub kernel: Kernel,
    pub ridge: f64,
    pub linear: bool,
    /// Share of rows that are classified wrongly.
    pub error: f64,
    /// Mean squared residual.
    pub brier: f64,
    /// Rows behind it.
    pub rows: f64,
}

impl Verdict {
    /// A form that nothing is known of yet.
    pub fn start(form: &Form) -> Self {
        Self {
            kernel: form.kernel,
            ridge: form.ridge,
            linear: form.linear,
            error: 1.0,
            brier: 1.0,
            rows: 1.0,
        }
    }
}

/// The best of some verdicts: error and squared residual each relative to its least. Ties go to the
/// first.
pub(super) fn best(verdicts: &[Verdict]) -> Option<usize> {
    let half = |v: &Verdict| 0.5 / v.rows;
    let error = verdicts.iter().map(|v| v.error + half(v));
    let least_error = error.clone().fold(f64::INFINITY, f64::min);
    let least_brier = verdicts
        .iter()
        .map(|v| v.brier)
        .fold(f64::INFINITY, f64::min)
        .max(f64::MIN_POSITIVE);
    let costs = error
        .zip(verdicts)
        .map(|(e, v)| e / least_error + BRIER * v.brier / least_brier);
    let mut chosen: Option<(usize, f64)> = None;
    for (i, cost) in costs.enumerate() {
        if cost.is_finite() && chosen.is_none_or(|(_, c)| cost < c) {
            chosen = Some((i, cost));
        }
    }
    chosen.map(|(i, _)| i)
}

/// Weighted rows and their distances to the landmarks, shared by all bandwidths of a family.
pub(super) struct Ground<'a> {
    sample: &'a Sample,
    family: Family,
    /// `w*x` in the features whose weight is not zero.
    pub u: Matrix,
    /// Base values, landmarks x rows.
    base: Matrix,
    /// Variance of a linear coefficient.
    pub tau: f64,
}

/// Coefficients of a fit on landmarks.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// Landmarks x responses.
    pub coef: Matrix,
    /// Features used x responses.
    pub linear: Option<Matrix>,
}

/// The features `psi` of all rows, features x rows: centred, and scaled by the roots of the
/// weights.
struct Features {
    psi: Matrix,
    landmarks: Cholesky,
}

impl<'a> Ground<'a> {
    /// Distances with these weights of the features.
    pub fn new(sample: &'a Sample, family: Family, weights: &[f64]) -> Self {
        let u = weighted(&sample.x, weights);
        let marks = u.select_rows(&sample.marks);
        let base = Pairs::new(family.base(), u.clone()).all(&marks, |_| ());
        Self {
            sample,
            family,
            u,
            base,
            tau: linear_variance(weights),
        }
    }

    fn features(&self, kernel: &Kernel, linear: bool) -> Result<Features> {
        let (n, m) = (self.sample.n(), self.sample.marks.len());
        let mut k = gram_from_base(kernel, &self.base);
        let own = k.select_columns(&self.sample.marks);
        let landmarks = [1.0, 1e3, 1e6]
            .iter()
            .find_map(|f| cholesky_shifted(own.clone(), f * JITTER).ok())
            .ok_or(Error::NoConvergence("the factorisation of the landmarks"))?;
        landmarks.solve_lower_in_place(&mut k);
        let mut psi = k;
        if linear {
            let root = self.tau.sqrt();
            let p = self.u.cols();
            let mut all = psi.into_vec();
            all.reserve(n * p);
            for j in 0..p {
                all.extend((0..n).map(|i| root * self.u[(i, j)]));
            }
            psi = Matrix::from_vec(all, m + p, n);
        }
        let classes = &self.sample.classes;
        for row in psi.as_mut_slice().chunks_exact_mut(n) {
            let mean = weighted_mean(row, classes.weights());
            row.iter_mut().for_each(|v| *v -= mean);
            if let Some(w) = classes.weights() {
                row.iter_mut().zip(w).for_each(|(v, w)| *v *= w.sqrt());
            }
        }
        Ok(Features { psi, landmarks })
    }

    /// Each of these ridges with this bandwidth, and the fits.
    pub fn judge(
        &self,
        bandwidth: f64,
        linear: bool,
        ridges: &[f64],
    ) -> Result<Vec<(Verdict, Solution)>> {
        let kernel = of_family(self.family, bandwidth);
        let Features { psi, landmarks } = self.features(&kernel, linear)?;
        let products = symmetric_product(psi.view());
        let centred = self.centred_responses();
        let right = matmul(psi.view(), centred.view());
        let mut verdicts = Vec::with_capacity(ridges.len());
        for &ridge in ridges {
            let factor = cholesky_shifted(products.clone(), ridge)?;
            let mut along = right.clone();
            factor.solve_in_place(&mut along);
            let fitted = matmul(psi.view().t(), along.view());
            let mut residuals = centred.clone();
            add_scaled(&mut residuals, &fitted, -1.0);
            let mut half = psi.clone();
            factor.solve_lower_in_place(&mut half);
            match &self.sample.blocks {
                None => self.without_rows(&half, &mut residuals),
                Some(blocks) => self.without_blocks(blocks, &half, &mut residuals)?,
            }
            self.sample.classes.unscale_rows(&mut residuals);
            let verdict = self.verdict(kernel, ridge, linear, &residuals);
            verdicts.push((verdict, self.solution(&along, &landmarks, linear)));
        }
        Ok(verdicts)
    }

    /// Residuals of rows that are left out: `e_i / (1 - h_i)`, where `half'half` is the hat matrix
    /// without the offset.
    fn without_rows(&self, half: &Matrix, residuals: &mut Matrix) {
        let (classes, n) = (&self.sample.classes, half.cols());
        let mut leverages: Vec<f64> = (0..n)
            .map(|i| classes.weight(i) / classes.total())
            .collect();
        for row in half.iter_rows() {
            leverages.iter_mut().zip(row).for_each(|(h, v)| *h += v * v);
        }
        for (i, h) in leverages.iter().enumerate() {
            let left = (1.0 - h).max(1e-9);
            residuals.row_mut(i).iter_mut().for_each(|v| *v /= left);
        }
    }

    /// Residuals of rows whose whole block is left out: `(I - H_bb)^-1 e_b`.
    fn without_blocks(
        &self,
        blocks: &[Vec<usize>],
        half: &Matrix,
        residuals: &mut Matrix,
    ) -> Result<()> {
        let total = self.sample.classes.total();
        let root = |i: usize| self.sample.classes.weight(i).sqrt();
        for block in blocks {
            let hat = symmetric_product(half.select_columns(block).view().t());
            let left = Matrix::from_fn(block.len(), block.len(), |a, b| {
                f64::from(a == b) - hat[(a, b)] - root(block[a]) * root(block[b]) / total
            });
            let mut e = residuals.select_rows(block);
            cholesky_shifted(left, 1e-9)?.solve_in_place(&mut e);
            for (row, &i) in e.iter_rows().zip(block) {
                residuals.row_mut(i).copy_from_slice(row);
            }
        }
        Ok(())
    }

    fn verdict(&self, kernel: Kernel, ridge: f64, linear: bool, residuals: &Matrix) -> Verdict {
        let classes = &self.sample.classes;
        let (codes, c) = (classes.codes(), self.sample.y.cols());
        let (mut wrong, mut square) = (0.0, 0.0);
        for (i, &own) in codes.iter().enumerate() {
            let e = residuals.row(i);
            let weight = classes.weight(i);
            let fit = |j: usize| self.sample.y[(i, j)] - e[j];
            let predicted = if c == 1 {
                usize::from(fit(0) > 0.5)
            } else {
                (1..c).fold(0, |b, j| if fit(j) > fit(b) { j } else { b })
            };
            wrong += if predicted == own { 0.0 } else { weight };
            square += weight * e.iter().map(|v| v * v).sum::<f64>();
        }
        Verdict {
            kernel,
            ridge,
            linear,
            error: wrong / classes.total(),
            brier: square / classes.total(),
            rows: self.sample.n() as f64,
        }
    }

    /// Coefficients of a regression on the features.
    fn solution(&self, along: &Matrix, landmarks: &Cholesky, linear: bool) -> Solution {
        let (m, c) = (self.sample.marks.len(), along.cols());
        let mut coef = Matrix::from_fn(m, c, |l, j| along[(l, j)]);
        landmarks.solve_upper_in_place(&mut coef);
        let linear = linear.then(|| {
            let root = self.tau.sqrt();
            Matrix::from_fn(self.u.cols(), c, |j, l| root * along[(m + j, l)])
        });
        Solution { coef, linear }
    }

    /// The landmarks, weighted.
    pub fn landmarks(&self) -> Matrix {
        self.u.select_rows(&self.sample.marks)
    }

    /// Kernel values, landmarks x rows.
    pub fn values(&self, kernel: &Kernel) -> Matrix {
        gram_from_base(kernel, &self.base)
    }

    /// Responses less their means, scaled by the roots of the weights.
    fn centred_responses(&self) -> Matrix {
        let mut y = self.sample.y.clone();
        let classes = &self.sample.classes;
        center_columns_weighted(&mut y, classes.weights());
        classes.scale_rows(&mut y);
        y
    }
}

/// A kernel of one of the families of the method.
pub(super) fn of_family(family: Family, bandwidth: f64) -> Kernel {
    match family {
        Family::Laplacian => Kernel::Laplacian { bandwidth },
        Family::RadialLaplacian => Kernel::RadialLaplacian { bandwidth },
        _ => Kernel::Gaussian { bandwidth },
    }
}

/// `tau`: the variance of a linear coefficient, so that the linear part as a whole has its variance.
pub(super) fn linear_variance(weights: &[f64]) -> f64 {
    LINEAR_VARIANCE
        / weights
            .iter()
            .map(|w| w * w)
            .sum::<f64>()
            .max(f64::MIN_POSITIVE)
}

fn weighted_mean(values: &[f64], weights: Option<&[f64]>) -> f64 {
    match weights {
        None => values.iter().sum::<f64>() / values.len() as f64,
        Some(w) => {
            let sum: f64 = values.iter().zip(w).map(|(v, w)| v * w).sum();
            sum / w.iter().sum::<f64>()
        }
    }
}
