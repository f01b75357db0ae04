//! Optimal scoring: from a regression on scored class indicators to canonical variates (Harrison &
//! Pasupa, section 2.1).
//!
//! Let `Theta_0 = diag(sqrt(n / n_j))` and `Y_0 = Y Theta_0`. A regression gives `B` and fitted
//! values `Yhat_0`. The eigenpairs `(w, lambda)` of `M = Y_0' Yhat_0 / n` turn `B` into the
//! canonical variates `B W D` with `D = diag(1 / sqrt(lambda (1 - lambda)))` (eq. 6). Their pooled
//! within-class covariance (divisor `n`) is the identity.
//!
//! The paper's example `Theta_0 = diag(1 / sqrt(n_j))` violates its own constraint
//! `Theta_0' Y'Y Theta_0 / n = I`. It would make the variates too small by a factor of `sqrt(n)`,
//! and the priors of eq. 12 would count `n` times too much.

use crate::classes::Classes;
use crate::error::Result;
use crate::linalg::{Matrix, dot, matmul, symmetric_eigen};

/// Directions with a smaller eigenvalue carry no information and are dropped.
const SMALLEST_EIGENVALUE: f64 = 1e-10;
/// Eigenvalues tend to 1 when classes separate completely; at 1 the scaling `D` would be infinite.
/// Rounding errors of about 1e-15 leave fewer than seven digits of a smaller `1 - lambda`.
const LARGEST_EIGENVALUE: f64 = 1.0 - 1e-8;
/// Eigenvalues that differ by a smaller share of `1 - lambda` count as equal: any rotation of their
/// eigenvectors is as good.
const EQUAL: f64 = 1e-7;

/// `Y_0`: row `i` holds `sqrt(n / n_j)` in the column of its class `j`, zero elsewhere.
pub fn scored_responses(classes: &Classes) -> Matrix {
    let n = classes.total();
    let mut y = Matrix::zeros(classes.n_rows(), classes.n_classes());
    for (i, &c) in classes.codes().iter().enumerate() {
        y[(i, c)] = (n / classes.totals()[c]).sqrt();
    }
    y
}

/// Means of the columns of `Y_0`: `sqrt(n_j / n)`, which is also the trivial eigenvector.
pub fn response_means(classes: &Classes) -> Vec<f64> {
    classes.shares().iter().map(|share| share.sqrt()).collect()
}

/// Canonical variates of a regression on [`scored_responses`].
#[derive(Clone, Debug)]
pub struct Canonical {
    /// `B W D`, regressors x variates.
    pub coef: Matrix,
    /// Offset of each variate.
    pub offset: Vec<f64>,
    /// Class means in the variates, classes x variates.
    pub means: Matrix,
    /// The eigenvalues, largest first; `lambda / (1 - lambda)` are those of `Sigma_W^-1 Sigma_B`.
    pub eigenvalues: Vec<f64>,
}

/// Turns regression coefficients (`coef` s x c, `offset` c) and fitted values (`n x c`) into
/// canonical variates, at most `components` of them.
///
/// The offset has an eigenvalue of 1 with the eigenvector `(sqrt(n_j / n))_j`. It is removed by
/// deflation, not by a search for the largest eigenvalue, since a genuine eigenvalue may tend to 1
/// as well. When no direction carries information, one variate of zeros remains and the priors
/// decide.
pub fn canonical(
    coef: &Matrix,
    offset: &[f64],
    fitted: &Matrix,
    classes: &Classes,
    components: Option<usize>,
) -> Result<Canonical> {
    let means = classes.means(fitted);
    canonical_of_means(coef, offset, &means, &classes.shares(), components)
}

/// The same from the means of the fitted values in each class (classes x classes) and the shares of
/// the classes.
pub fn canonical_of_means(
    coef: &Matrix,
    offset: &[f64],
    means: &Matrix,
    shares: &[f64],
    components: Option<usize>,
) -> Result<Canonical> {
    let c = shares.len();
    // M_jk = sqrt(n / n_j) / n * sum of fitted_k over class j; symmetric up to rounding.
    let trivial: Vec<f64> = shares.iter().map(|share| share.sqrt()).collect();
    let m = Matrix::from_fn(c, c, |j, k| {
        let entry = |a: usize, b: usize| trivial[a] * means[(a, b)];
        0.5 * (entry(j, k) + entry(k, j))
    });
    let (wd, eigenvalues) = scaled_eigenvectors(&deflate(&m, &trivial), components)?;
    let offset = Matrix::from_vec(offset.to_vec(), 1, c);
    Ok(Canonical {
        coef: matmul(coef.view(), wd.view()),
        offset: matmul(offset.view(), wd.view()).into_vec(),
        means: matmul(means.view(), wd.view()),
        eigenvalues,
    })
}

/// `W D` (classes x variates) of the matrix `M` without its trivial eigenvector, and the
/// eigenvalues that are kept: at most `components`, all above 1e-10, clipped just below 1. One
/// column of zeros when there are none.
pub fn scaled_eigenvectors(m: &Matrix, components: Option<usize>) -> Result<(Matrix, Vec<f64>)> {
    let c = m.rows();
    let mut eigen = symmetric_eigen(m)?;
    let most = components.unwrap_or(c - 1).clamp(1, (c - 1).max(1));
    let nonzero = eigen
        .values
        .iter()
        .take_while(|&&v| v > SMALLEST_EIGENVALUE)
        .count();
    let kept = nonzero.min(most);
    let clipped: Vec<f64> = eigen.values[..nonzero]
        .iter()
        .map(|v| v.min(LARGEST_EIGENVALUE))
        .collect();
    let mut first = 0;
    for end in 1..=nonzero {
        if end == nonzero || clipped[end - 1] - clipped[end] > EQUAL * (1.0 - clipped[end - 1]) {
            // A group that the cut divides is left as it is. After a rotation, its first directions
            // would only separate the first classes.
            if end <= kept {
                rotate_to_classes(&mut eigen.vectors, first, end);
            }
            first = end;
        }
    }
    let eigenvalues = clipped[..kept].to_vec();
    let mut wd = Matrix::zeros(c, kept.max(1));
    for (k, &lambda) in eigenvalues.iter().enumerate() {
        let column = eigen.vectors.column(k);
        let scale = sign_of_largest(&column) / (lambda * (1.0 - lambda)).sqrt();
        for j in 0..c {
            wd[(j, k)] = column[j] * scale;
        }
    }
    Ok((wd, eigenvalues))
}

/// Rotates columns `first..end`, eigenvectors of one eigenvalue, among themselves: to the basis in
/// which the first class depends on the first of them alone, the second on the first two, and so
/// on. Classes that separate completely have such eigenvalues (all 1), and the rotation that
/// rounding happens to produce would be arbitrary.
fn rotate_to_classes(vectors: &mut Matrix, first: usize, end: usize) {
    let width = end - first;
    if width < 2 {
        return;
    }
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(width);
    for j in 0..vectors.rows() {
        let mut row = vectors.row(j)[first..end].to_vec();
        let whole = dot(&row, &row);
        // Two passes are enough for orthogonality.
        for _ in 0..2 {
            for b in &basis {
                let part = dot(&row, b);
                row.iter_mut().zip(b).for_each(|(r, b)| *r -= part * b);
            }
        }
        let left = dot(&row, &row);
        if left > 1e-6 * whole && left > 1e-12 && basis.len() < width {
            row.iter_mut().for_each(|r| *r /= left.sqrt());
            basis.push(row);
        }
    }
    if basis.len() < width {
        return;
    }
    for j in 0..vectors.rows() {
        let row = vectors.row(j)[first..end].to_vec();
        let rotated = basis.iter().map(|b| dot(&row, b));
        vectors.row_mut(j)[first..end]
            .iter_mut()
            .zip(rotated)
            .for_each(|(v, r)| *v = r);
    }
}

/// The sign that makes the entry of largest size positive (the first one among entries that are
/// equal up to rounding). It is needed because the sign of an eigenvector is arbitrary.
pub fn sign_of_largest(vector: &[f64]) -> f64 {
    let largest = vector
        .iter()
        .copied()
        .fold(0.0f64, |a, b| if b.abs() > a.abs() + 1e-9 { b } else { a });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

/// `(I - w w') M (I - w w')` for a unit vector `w`.
fn deflate(m: &Matrix, w: &[f64]) -> Matrix {
    let c = w.len();
    let mw: Vec<f64> = (0..c)
        .map(|i| m.row(i).iter().zip(w).map(|(a, b)| a * b).sum())
        .collect();
    let wmw: f64 = mw.iter().zip(w).map(|(a, b)| a * b).sum();
    Matrix::from_fn(c, c, |i, j| {
        m[(i, j)] - w[i] * mw[j] - mw[i] * w[j] + w[i] * w[j] * wmw
    })
}

/// `c - 1` orthogonal scores: a `c x (c - 1)` matrix with `Theta' diag(n_j / n) Theta = I` and
/// `Theta' (n_j)_j = 0`. For two classes it is `(sqrt(n_2 / n_1), -sqrt(n_1 / n_2))`, the scores of
/// Lapanowski & Gaynanova (section 2.1); for more classes, each column contrasts a class with all
/// classes before it.
pub fn contrast_scores(totals: &[f64]) -> Matrix {
    let (c, n) = (totals.len(), totals.iter().sum::<f64>());
    let mut theta = Matrix::zeros(c, c.saturating_sub(1));
    let mut before = totals.first().copied().unwrap_or(0.0);
    for l in 1..c {
        let here = totals[l];
        let upto = before + here;
        for j in 0..l {
            theta[(j, l - 1)] = (n * here / (before * upto)).sqrt();
        }
        theta[(l, l - 1)] = -(n * before / (here * upto)).sqrt();
        before = upto;
    }
    theta
}

/// `Y theta` with [`contrast_scores`], rows scaled by the square roots of their weights:
/// `n x (c - 1)`.
pub fn contrast_responses(classes: &Classes) -> Matrix {
    let mut y = contrast_scores(classes.totals()).select_rows(classes.codes());
    classes.scale_rows(&mut y);
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_satisfy_the_constraints_of_optimal_scoring() {
        for counts in [
            vec![3.0, 7.0],
            vec![5.0, 1.0, 9.0, 2.0],
            vec![4.0, 4.0, 4.0],
        ] {
            let n: f64 = counts.iter().sum();
            let theta = contrast_scores(&counts);
            for a in 0..counts.len() - 1 {
                let mean: f64 = (0..counts.len()).map(|j| counts[j] * theta[(j, a)]).sum();
                assert!(mean.abs() < 1e-12);
                for b in 0..counts.len() - 1 {
                    let inner: f64 = (0..counts.len())
                        .map(|j| counts[j] / n * theta[(j, a)] * theta[(j, b)])
                        .sum();
                    assert!((inner - f64::from(a == b)).abs() < 1e-12);
                }
            }
        }
        let two = contrast_scores(&[3.0, 7.0]);
        assert!((two[(0, 0)] - (7.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((two[(1, 0)] + (3.0f64 / 7.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn scored_responses_satisfy_the_constraint() {
        let codes = [0, 1, 1, 2, 2, 2];
        let y = scored_responses(&Classes::new(&codes, None, 3));
        let yy = matmul(y.view().t(), y.view());
        for i in 0..3 {
            for j in 0..3 {
                assert!((yy[(i, j)] / 6.0 - f64::from(i == j)).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn equal_eigenvalues_have_one_basis() {
        // I - w w' has the eigenvalue 1 three times and 0 once; times 0.8, and rounded in two ways.
        let w = [0.5f64, 0.1, 0.7, 0.5];
        let norm = dot(&w, &w);
        let noisy = |size: f64| {
            Matrix::from_fn(4, 4, |i, j| {
                let noise = size * ((i * j + i + j) as f64).sin();
                0.8 * (f64::from(i == j) - w[i] * w[j] / norm) + noise
            })
        };
        let (a, values) = scaled_eigenvectors(&noisy(0.0), None).expect("finite");
        let (b, _) = scaled_eigenvectors(&noisy(1e-14), None).expect("finite");
        assert_eq!(values.len(), 3);
        for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((u - v).abs() < 1e-11, "{u} {v}");
        }
        // Still eigenvectors, of length 1 / sqrt(lambda (1 - lambda)), at right angles.
        let gram = matmul(a.view().t(), a.view());
        for i in 0..3 {
            for j in 0..3 {
                assert!((gram[(i, j)] - f64::from(i == j) / 0.16).abs() < 1e-10);
            }
        }
        assert!(a[(0, 1)].abs() < 1e-10 && a[(0, 2)].abs() < 1e-10 && a[(1, 2)].abs() < 1e-10);
    }

    #[test]
    fn a_regression_that_explains_nothing_leaves_the_priors() {
        let codes = [0, 0, 1, 1];
        // Fitted values of the offset alone.
        let mean = 2f64.sqrt() / 2.0;
        let fitted = Matrix::from_fn(4, 2, |_, _| mean);
        let c = canonical(
            &Matrix::zeros(3, 2),
            &[mean; 2],
            &fitted,
            &Classes::new(&codes, None, 2),
            None,
        )
        .expect("finite");
        assert!(c.eigenvalues.is_empty());
        assert_eq!((c.coef.cols(), c.means.max_abs()), (1, 0.0));
    }
}
