//! Discriminant analysis with the discriminant kernel of sparse posteriors (Hidaka & Kurita).
//!
//! 1. One lasso a class on its indicator, outputs brought to the simplex: posteriors `P(C_k | x)`
//!    (eq. 19 to 21), sparse in the coefficients ([`crate::solver::lasso`]).
//! 2. The kernel `k(x, y) = sum_k P(C_k | x) P(C_k | y) / P(C_k)` (eq. 16 and 22),
//!    [`crate::discriminant_kernel`]. Its Gram matrix has rank `K` at most, so nothing of the size
//!    of the data is formed: the features `psi(x) = P(C_k | x) / sqrt(P(C_k))` stand for it.
//! 3. Discriminant analysis with it, which is linear discriminant analysis of `psi` in the range of
//!    its covariance; or (`mapping = onda`) Otsu's optimum mapping from the posteriors alone, eq. 6
//!    to 13 ([`crate::solver::onda`]).
//! 4. The nearest mean, shifted by the priors, in the within-class covariance (`metric`, `priors`).
//!    The paper's rule is `metric = total` with equal priors.
//!
//! Any estimate of the posteriors will do (`posterior`): logistic regression with an L1 penalty,
//! kernel logistic regression, kernel densities. The last two make the discriminant nonlinear in
//! `x`.
//!
//! Departures from the paper: `lambda` where its eq. 19 has `1 / lambda`; the penalty is found by
//! cross-validation, not on the test rows. Tuning: penalties `2^10, 2^9, .., 2^-15` and, where
//! there are so many rows that coefficients are still left at `2^10`, more above; ties go to the
//! larger one. Complexity: that of the regressions; then `n K^2`.
//!
//! [Hidaka & Kurita] "Sparse discriminant analysis based on the Bayesian posterior probability
//! obtained by L1 regression", SSPR & SPR (2012).

pub use super::discriminant::Discriminant;
