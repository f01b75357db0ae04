//! Ridge regression in a centred Gram matrix `M = C K C`, never forming `M^2`.
//!
//! Kernel optimal scoring (Lapanowski & Gaynanova, eq. 5) is `alpha = (M^2 + g (M + e I))^-1 M y`
//! with `g = n gamma`. On an eigenvalue `l` of `M` this is `l / (l^2 + g l + g e)`. With
//! `a + b = g` and `a b = g e` it splits into `(a / (l + a) - b / (l + b)) / (a - b)`, so two
//! shifted positive definite solves suffice.

use crate::classes::Classes;
use crate::error::Result;
use crate::linalg::{Matrix, SymmetricEigen, cholesky_shifted, matmul, symmetric_eigen};
use std::cell::OnceCell;

/// A symmetric matrix prepared for solves with several shifts.
pub struct Shifted {
    matrix: Matrix,
    /// Whether the matrix is positive semidefinite up to rounding.
    definite: bool,
    eigen: OnceCell<SymmetricEigen>,
}

impl Shifted {
    /// Takes a symmetric matrix that is positive semidefinite up to rounding, such as the Gram
    /// matrix of a kernel.
    pub fn new(matrix: Matrix) -> Self {
        Self {
            matrix,
            definite: true,
            eigen: OnceCell::new(),
        }
    }

    /// Takes a symmetric matrix that may be indefinite (a sigmoid "kernel", or the caller's own
    /// similarity). All solves are then restricted to the span of the eigenvectors with positive
    /// eigenvalues. This replaces the matrix by the nearest positive semidefinite one, which acts
    /// like the matrix itself on these solutions.
    pub fn indefinite(matrix: Matrix) -> Self {
        Self {
            matrix,
            definite: false,
            eigen: OnceCell::new(),
        }
    }

    /// The matrix.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// Solves `(M + shift I) X = B` by a Cholesky factorisation, `n^3 / 3` flops. Where rounding
    /// makes this fail, and for an indefinite matrix, the solution is restricted to the eigenvalues
    /// that are positive beyond rounding.
    pub fn solve(&self, shift: f64, b: &Matrix) -> Result<Matrix> {
        if self.definite
            && self.eigen.get().is_none()
            && let Ok(factor) = cholesky_shifted(self.matrix.clone(), shift)
        {
            let mut x = b.clone();
            factor.solve_in_place(&mut x);
            if x.as_slice().iter().all(|v| v.is_finite()) {
                return Ok(x);
            }
        }
        self.filter(|l| 1.0 / (l + shift), b)
    }

    /// The solution of least norm of the unpenalised problem, `M^+ B`: eigenvalues up to 1e-10 of
    /// the largest count as 0. Smaller ones are mostly rounding errors, and dividing by them would
    /// leave few digits of `M M^+ B`.
    pub fn least_norm(&self, b: &Matrix) -> Result<Matrix> {
        let largest = self.eigen()?.values.first().copied().unwrap_or(0.0);
        let cut = 1e-10 * largest;
        self.filter(|l| if l > cut { 1.0 / l } else { 0.0 }, b)
    }

    /// `V diag(f(l)) V' B` over the eigenpairs of `M` whose eigenvalue is positive beyond rounding.
    pub fn filter(&self, f: impl Fn(f64) -> f64, b: &Matrix) -> Result<Matrix> {
        let e = self.eigen()?;
        let floor = rounding_floor(e);
        let mut vb = matmul(e.vectors.view().t(), b.view());
        for (i, &l) in e.values.iter().enumerate() {
            let factor = if l > floor { f(l) } else { 0.0 };
            vb.row_mut(i).iter_mut().for_each(|v| *v *= factor);
        }
        Ok(matmul(e.vectors.view(), vb.view()))
    }

    /// Eigenvalues and eigenvectors, computed on the first call.
    pub fn eigen(&self) -> Result<&SymmetricEigen> {
        if let Some(e) = self.eigen.get() {
            return Ok(e);
        }
        let e = symmetric_eigen(&self.matrix)?;
        Ok(self.eigen.get_or_init(|| e))
    }
}

/// Eigenvalues up to this are rounding errors: `n eps` times the largest.
fn rounding_floor(e: &SymmetricEigen) -> f64 {
    let largest = e.values.first().copied().unwrap_or(0.0).max(0.0);
    largest * e.values.len() as f64 * f64::EPSILON
}

/// `alpha = (M^2 + g (M + jitter I))^-1 M Y` for every column of `y`.
pub fn optimal_scoring_coefficients(
    m: &Shifted,
    g: f64,
    jitter: f64,
    y: &Matrix,
) -> Result<Matrix> {
    // Below 4 jitter the roots are complex, and just above it they are so close that their
    // difference loses digits.
    if g <= 100.0 * jitter || !m.definite {
        return m.filter(|l| l / (l * l + g * (l + jitter)), y);
    }
    let root = (g * g - 4.0 * g * jitter).sqrt();
    let a = 0.5 * (g + root);
    let b = g * jitter / a; // the product of the roots: no cancellation
    let (xa, xb) = (m.solve(a, y)?, m.solve(b, y)?);
    let mut alpha = xa;
    for (v, w) in alpha.as_mut_slice().iter_mut().zip(xb.as_slice()) {
        *v = (a * *v - b * w) / root;
    }
    Ok(alpha)
}

/// `D M D` for the square roots `D` of the weights.
pub fn scale_gram(m: &mut Matrix, classes: &Classes) {
    let Some(weights) = classes.weights() else {
        return;
    };
    for (i, &w) in weights.iter().enumerate() {
        m.row_mut(i)
            .iter_mut()
            .zip(weights)
            .for_each(|(v, other)| *v *= (w * other).sqrt());
    }
}

/// `C'a` for every column: turns coefficients of centred rows into coefficients of the rows
/// themselves.
pub fn center_coefficients(a: &mut Matrix, classes: &Classes) {
    let n = classes.total();
    let sums: Vec<f64> = (0..a.cols()).map(|l| a.column(l).iter().sum()).collect();
    for i in 0..a.rows() {
        let share = classes.weight(i) / n;
        a.row_mut(i)
            .iter_mut()
            .zip(&sums)
            .for_each(|(v, s)| *v -= share * s);
    }
}

/// The stabilization rule (Lapanowski & Gaynanova, section 5.2) on the centred Gram matrix:
/// `gamma-hat = t / (1 - t)` with `t = n / (n - 2) (|diag M|^2 - |M|_F^2 / n) / |M|_F^2`. It is the
/// factor of `M + jitter I` in `M^2 + gamma (M + jitter I)`.
///
/// `t = 1` (a kernel matrix that is the identity) would make it infinite, and `t <= 0` would leave
/// no penalty at all. Therefore `t` is kept between 1e-8 and 1 - 1e-6.
///
/// With weights, `m` is `D M D` with `D = diag(sqrt(w))`, and the rule is the one for rows repeated
/// as often as they weigh.
pub fn stabilization(m: &Matrix, weights: Option<&[f64]>) -> f64 {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let n: f64 = (0..m.rows()).map(weight).sum();
    let diagonal: f64 = (0..m.rows())
        .map(|i| m[(i, i)] * m[(i, i)] / weight(i))
        .sum();
    let total: f64 = m
        .as_slice()
        .chunks(4096)
        .map(|c| c.iter().map(|v| v * v).sum::<f64>())
        .sum();
    let t = if total > 0.0 && n > 2.0 {
        n / (n - 2.0) * (diagonal - total / n) / total
    } else {
        1.0
    };
    let t = t.clamp(1e-8, 1.0 - 1e-6);
    t / (1.0 - t)
}

/// Generalised cross-validation over `grid` of `g`: the value that minimises
/// `|(I - H) Y|^2 / n / (tr(I - H) / n)^2` with `H = 11'/n + M (M^2 + g (M + jitter I))^-1 M`. The
/// constant belongs to `H`: it is fitted exactly and must not count as a remaining degree of
/// freedom. One eigendecomposition serves all values. Ties go to the larger `g`. `n` is the total
/// weight of the rows. Where it exceeds the number of rows, the additional copies of rows add
/// directions without variance.
pub fn generalized_cross_validation(
    m: &Shifted,
    jitter: f64,
    y: &Matrix,
    grid: &[f64],
    n: f64,
) -> Result<f64> {
    let e = m.eigen()?;
    let vy = matmul(e.vectors.view().t(), y.view());
    let energy: Vec<f64> = vy
        .iter_rows()
        .map(|r| r.iter().map(|v| v * v).sum())
        .collect();
    let others = n - e.values.len() as f64;
    let mut best = (f64::INFINITY, f64::NAN);
    let mut sorted = grid.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    for g in sorted {
        let (mut rss, mut trace) = (0.0, 0.0);
        for (&l, &w) in e.values.iter().zip(&energy) {
            let l = l.max(0.0);
            // 1 - l^2 / (l^2 + g (l + jitter)), without cancellation
            let left = g * (l + jitter) / (l * l + g * (l + jitter));
            rss += left * left * w;
            trace += left;
        }
        // The constant is an eigenvector of eigenvalue 0, which the sum has counted as remaining.
        let score = rss / n / ((trace + others - 1.0) / n).powi(2);
        if score < best.0 {
            best = (score, g);
        }
    }
    Ok(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rng;
    use crate::kernel::center_gram;
    use crate::linalg::symmetric_product;

    fn centred(n: usize, rank: usize, seed: u64) -> Matrix {
        let mut rng = Rng::new(seed);
        let a = Matrix::from_fn(n, rank, |_, _| rng.normal());
        let mut k = symmetric_product(a.view());
        center_gram(&mut k);
        k
    }

    fn response(n: usize, q: usize, seed: u64) -> Matrix {
        let mut rng = Rng::new(seed);
        let mut y = Matrix::from_fn(n, q, |_, _| rng.normal());
        for j in 0..q {
            let mean = y.column(j).iter().sum::<f64>() / n as f64;
            (0..n).for_each(|i| y[(i, j)] -= mean);
        }
        y
    }

    #[test]
    fn partial_fractions_satisfy_equation_5() {
        for (n, rank) in [(30, 40), (40, 5)] {
            let m = centred(n, rank, 1);
            let y = response(n, 2, 2);
            let shifted = Shifted::new(m.clone());
            // From vanishing penalties (complex roots), across the switch, to large ones.
            for g in [1e-9, 3e-5, 4.000_001e-5, 5e-5, 1e-2, 1.0, 300.0] {
                let alpha = optimal_scoring_coefficients(&shifted, g, 1e-5, &y).expect("solvable");
                let ma = matmul(m.view(), alpha.view());
                let mma = matmul(m.view(), ma.view());
                let my = matmul(m.view(), y.view());
                let scale = m.max_abs().powi(2) * n as f64 * alpha.max_abs();
                for i in 0..n {
                    for j in 0..2 {
                        let left = mma[(i, j)] + g * (ma[(i, j)] + 1e-5 * alpha[(i, j)]);
                        let gap = (left - my[(i, j)]).abs();
                        // Backward stable: a residual of rounding size relative to the terms that
                        // make it up.
                        assert!(
                            gap <= 1e-12 * scale.max(1.0),
                            "g = {g}: {gap:e} of {scale:e}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn cholesky_and_eigenvalues_agree() {
        let m = centred(25, 30, 3);
        let y = response(25, 3, 4);
        let (a, b) = (Shifted::new(m.clone()), Shifted::new(m));
        b.eigen().expect("finite"); // forces the eigenvalue path
        let (x, z) = (
            a.solve(0.3, &y).expect("solvable"),
            b.solve(0.3, &y).expect("solvable"),
        );
        for (u, v) in x.as_slice().iter().zip(z.as_slice()) {
            assert!((u - v).abs() < 1e-10);
        }
    }

    #[test]
    fn gcv_shrinks_noise() {
        // A response that has nothing to do with M: the least penalty must not win.
        let n = 60;
        let shifted = Shifted::new(centred(n, 80, 7));
        let grid: Vec<f64> = (-6..5).map(|k| 10f64.powi(k)).collect();
        let chosen =
            generalized_cross_validation(&shifted, 1e-5, &response(n, 1, 8), &grid, n as f64)
                .expect("finite");
        assert!(chosen > 1.0, "{chosen}");
    }

    #[test]
    fn an_indefinite_matrix_is_solved_in_its_positive_part() {
        let m = centred(20, 25, 9);
        // Shift the spectrum: some eigenvalues become negative.
        let e = symmetric_eigen(&m).expect("finite");
        let cut = e.values[10];
        let mut shifted = m.clone();
        (0..20).for_each(|i| shifted[(i, i)] -= cut);
        let y = response(20, 2, 10);
        let s = Shifted::indefinite(shifted.clone());
        for r in [1e-3, 1.0, 1e3] {
            let x = s.solve(r, &y).expect("solves");
            // M X + r X = the part of Y in the positive eigenvectors.
            let mx = matmul(shifted.view(), x.view());
            let positive = s.filter(|_| 1.0, &y).expect("finite");
            for (i, v) in mx.as_slice().iter().enumerate() {
                assert!((v + r * x.as_slice()[i] - positive.as_slice()[i]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn stabilization_by_hand_and_at_its_limits() {
        // M = diag(2, 1, 1): |diag|^2 = 6 = |M|^2, n = 3: t = 3 (6 - 2) / 6 = 2, so clipped just
        // below 1.
        let m = Matrix::from_fn(3, 3, |i, j| if i == j { [2.0, 1.0, 1.0][i] } else { 0.0 });
        assert!((stabilization(&m, None) - (1e6 - 1.0)).abs() < 1.0);
        // n = 4, all entries 1: |diag|^2 = 4, |M|^2 = 16: t = 2 (4 - 4) / 16 = 0.
        let ones = Matrix::from_fn(4, 4, |_, _| 1.0);
        assert!(stabilization(&ones, None) < 1.1e-8);
        // n = 4, unit diagonal, 0.5 elsewhere: 4 and 4 + 3 = 7: t = 2 (4 - 7/4) / 7 = 9/14, gamma =
        // 9/5.
        let half = Matrix::from_fn(4, 4, |i, j| if i == j { 1.0 } else { 0.5 });
        assert!((stabilization(&half, None) - 1.8).abs() < 1e-12);
    }

    #[test]
    fn gcv_picks_the_minimum_of_its_formula() {
        let n = 20;
        let m = centred(n, 25, 5);
        let y = response(n, 1, 6);
        let shifted = Shifted::new(m.clone());
        let grid: Vec<f64> = (-6..4).map(|k| 10f64.powi(k)).collect();
        let chosen =
            generalized_cross_validation(&shifted, 1e-5, &y, &grid, n as f64).expect("finite");
        // The definition, with H column by column from the solver under test elsewhere.
        let score = |g: f64| {
            let h = matmul(
                m.view(),
                optimal_scoring_coefficients(&shifted, g, 1e-5, &Matrix::identity(n))
                    .expect("solvable")
                    .view(),
            );
            let hy = matmul(h.view(), y.view());
            let rss: f64 = (0..n).map(|i| (y[(i, 0)] - hy[(i, 0)]).powi(2)).sum();
            let trace: f64 = (0..n).map(|i| 1.0 - 1.0 / n as f64 - h[(i, i)]).sum();
            rss / n as f64 / (trace / n as f64).powi(2)
        };
        let best = grid
            .iter()
            .copied()
            .min_by(|a, b| score(*a).total_cmp(&score(*b)))
            .expect("not empty");
        assert_eq!(chosen, best);
    }
}
