//! Otsu's optimum nonlinear discriminant analysis: from posteriors to the mapping with the largest
//! discriminant criterion.
//!
//! With `phi(x) = P^-1/2 (P(C_k | x) - P(C_k))_k`, the mapping is `y = U~' phi(x)` (Hidaka &
//! Kurita, eq. 6 and 11). `U~` holds the eigenvectors of the mean of `phi phi'` over the training
//! rows (eq. 10 and 12; the latter lacks the `1 / N`). `U = P^-1/2 U~` solves the generalised
//! problem `Gamma U = P U Lambda` (eq. 7).

use crate::error::Result;
use crate::linalg::{Matrix, matmul, symmetric_eigen};
use crate::solver::optimal_scoring::sign_of_largest;

/// Eigenvalues below this share of the largest carry no information.
const SMALLEST: f64 = 1e-10;

/// The mapping.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// `U~`, classes x variates, orthonormal columns.
    pub directions: Matrix,
    /// `Lambda`, largest first.
    pub eigenvalues: Vec<f64>,
}

/// The mapping of the rows `phi` (rows x classes), which count by their weights, with at most
/// `components` variates. Without any variance, one direction of zeros remains.
pub fn mapping(
    phi: &Matrix,
    weight: impl Fn(usize) -> f64,
    components: Option<usize>,
) -> Result<Mapping> {
    let c = phi.cols();
    let total: f64 = (0..phi.rows()).map(&weight).sum();
    let weighted = Matrix::from_fn(phi.rows(), c, |i, j| phi[(i, j)] * weight(i) / total);
    let product = matmul(weighted.view().t(), phi.view());
    let gamma = Matrix::from_fn(c, c, |i, j| 0.5 * (product[(i, j)] + product[(j, i)]));
    let eigen = symmetric_eigen(&gamma)?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let most = components.unwrap_or(c).clamp(1, c);
    let carries = |v: &&f64| **v > SMALLEST * largest && **v > f64::MIN_POSITIVE;
    let kept = eigen.values.iter().take(most).take_while(carries).count();
    let mut directions = Matrix::zeros(c, kept.max(1));
    for k in 0..kept {
        let column = eigen.vectors.column(k);
        let sign = sign_of_largest(&column);
        (0..c).for_each(|j| directions[(j, k)] = sign * column[j]);
    }
    Ok(Mapping {
        directions,
        eigenvalues: eigen.values[..kept].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::softmax_in_place;
    use crate::testing::random;

    /// Posteriors on the simplex, priors, and `phi`.
    fn posteriors(n: usize, c: usize, seed: u64) -> (Matrix, Vec<f64>, Matrix) {
        let mut p = random(n, c, seed);
        p.as_mut_slice()
            .chunks_exact_mut(c)
            .for_each(softmax_in_place);
        let priors: Vec<f64> = (0..c)
            .map(|k| p.column(k).iter().sum::<f64>() / n as f64)
            .collect();
        let phi = Matrix::from_fn(n, c, |i, k| (p[(i, k)] - priors[k]) / priors[k].sqrt());
        (p, priors, phi)
    }

    #[test]
    fn primal_and_dual_have_the_same_eigenvalues() {
        for (n, c) in [(40, 3), (25, 6), (30, 2)] {
            let (_, _, phi) = posteriors(n, c, 3);
            let primal = mapping(&phi, |_| 1.0, None).expect("converges");
            // Eq. 13: Phi Phi' / N, n x n.
            let dual = matmul(phi.view(), phi.view().t());
            let dual = symmetric_eigen(&dual).expect("converges");
            assert_eq!(
                primal.eigenvalues.len(),
                c - 1,
                "posteriors sum to 1: rank K - 1"
            );
            for (a, b) in primal.eigenvalues.iter().zip(&dual.values) {
                assert!((a - b / n as f64).abs() < 1e-12);
            }
            assert!(dual.values[c - 1].abs() < 1e-10);
        }
    }

    #[test]
    fn representatives_solve_the_generalised_problem() {
        let (n, c) = (50, 4);
        let (p, priors, phi) = posteriors(n, c, 5);
        let m = mapping(&phi, |_| 1.0, None).expect("converges");
        // Gamma of eq. 8 with the training rows for the integral, U = P^-1/2 U~.
        let gamma = |i: usize, j: usize| {
            let rows = (0..n).map(|r| (p[(r, i)] - priors[i]) * (p[(r, j)] - priors[j]));
            rows.sum::<f64>() / n as f64
        };
        for (k, lambda) in m.eigenvalues.iter().enumerate() {
            let u: Vec<f64> = (0..c)
                .map(|j| m.directions[(j, k)] / priors[j].sqrt())
                .collect();
            for i in 0..c {
                let left: f64 = (0..c).map(|j| gamma(i, j) * u[j]).sum();
                assert!((left - lambda * priors[i] * u[i]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn no_mapping_of_the_posteriors_has_a_larger_criterion() {
        // The criterion of y = u'phi under the posteriors themselves is tr(Sigma_B) / tr(Sigma_T)
        // with class means weighted by posteriors.
        let (n, c) = (60, 3);
        let (p, _, phi) = posteriors(n, c, 8);
        let m = mapping(&phi, |_| 1.0, Some(1)).expect("converges");
        let criterion = |u: &[f64]| {
            let y: Vec<f64> = (0..n)
                .map(|i| (0..c).map(|k| u[k] * phi[(i, k)]).sum())
                .collect();
            let total: f64 = y.iter().map(|v| v * v).sum::<f64>() / n as f64;
            let between: f64 = (0..c)
                .map(|k| {
                    let mass: f64 = p.column(k).iter().sum();
                    let mean = p.column(k).iter().zip(&y).map(|(p, y)| p * y).sum::<f64>() / mass;
                    mass / n as f64 * mean * mean
                })
                .sum();
            between / total
        };
        let best = criterion(&m.directions.column(0));
        assert!(
            (best - m.eigenvalues[0]).abs() < 1e-12,
            "the criterion is the eigenvalue"
        );
        let other = random(200, c, 9);
        for row in other.iter_rows() {
            assert!(criterion(row) <= best + 1e-12);
        }
    }

    #[test]
    fn posteriors_that_say_nothing_leave_one_direction_of_zeros() {
        let m = mapping(&Matrix::zeros(5, 3), |_| 1.0, None).expect("converges");
        assert!(m.eigenvalues.is_empty());
        assert_eq!((m.directions.cols(), m.directions.max_abs()), (1, 0.0));
    }
}
