//! Kernel optimal scoring (two classes as published; any number by orthogonal scores).
//!
//! ```text
//! min_alpha (1/n) |Y theta - M alpha|^2 + gamma alpha' (M + jitter I) alpha,    M = C K C       (eq. 4)
//! alpha = (M^2 + n gamma (M + jitter I))^-1 M Y theta                                            (eq. 5)
//! ```
//! A row is projected by `P(x) = (K(X, x)' - 1'K/n) C alpha` (eq. 6) and assigned to the nearest
//! class centroid (section 2.4), shifted by the priors. For `c` classes there are `c - 1`
//! orthogonal scores with the same ridge, rotated so that the first separates most; two classes are
//! exactly the paper. Eq. 5 is solved by partial fractions: `M^2` is never formed. Departures from
//! the paper: the centroids' distances are weighed against the class priors, as in the authors' R
//! package, which classifies the projections by linear discriminant analysis. As printed (`--priors
//! uniform`) the rule errs on 27 % of the blood donations, where always saying "no" errs on 24 %;
//! with the priors it errs on the published 22 %. `gamma` from the stabilization rule is read as `n
//! gamma = gamma-hat` (its formula 5.2 has no `n`); [`RidgeRule::StabilizationLiteral`] is the
//! printed reading. Complexity: two Cholesky factorisations, `2 n^3 / 3` flops, and `n^2 p` for the
//! Gram matrix. Dense in samples.
//!
//! [Lapanowski & Gaynanova] "Sparse feature selection in kernel discriminant analysis via optimal
//! scoring", AISTATS 2019.

use super::{
    Arm, Candidate, Fit, FitReport, Fold, Footprint, HeldOut, Method, Options, Problem, RidgeRule,
    kernels_around_median, require_candidates,
};
use crate::classes::Classes;
use crate::decision::{Decision, nearest_centroid};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{
    Family, Kernel, between_class_bandwidths, center_gram_weighted, gram, log_grid,
};
use crate::linalg::{Matrix, add_to_rows, matmul, symmetric_eigen};
use crate::solver::optimal_scoring::{contrast_responses, sign_of_largest};
use crate::solver::ridge::{
    Shifted, center_coefficients, generalized_cross_validation, optimal_scoring_coefficients,
    scale_gram, stabilization,
};
use std::cmp::Ordering;

/// The `epsilon` of eq. 5.
pub const JITTER: f64 = 1e-5;
/// Quantiles of the squared distances between classes that give the bandwidths (section 5.1).
pub const BANDWIDTH_QUANTILES: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 0.5];

/// Kernel optimal scoring.
#[derive(Clone, Debug)]
pub struct Kos {
    options: Options,
}

/// How the ridge of one solve is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ridge {
    /// This `gamma`.
    Fixed(f64),
    /// By a rule from the Gram matrix.
    Rule(RidgeRule),
}

/// The solution on one Gram matrix.
#[derive(Clone, Debug)]
pub struct GramSolution {
    /// `C alpha`, `n x (c - 1)`.
    pub coef: Matrix,
    /// `-mean(K) C alpha`.
    pub offset: Vec<f64>,
    /// Projected training rows, `M alpha`.
    pub scores: Matrix,
    /// The ridge used, `gamma`.
    pub gamma: f64,
    /// Objective 4, summed over the scores.
    pub objective: f64,
    /// Relative residual of eq. 5.
    pub residual: f64,
}

/// Solves eq. 5 for one Gram matrix of the caller's and several ridges. `definite` says whether the
/// matrix is known to be positive semidefinite; if not, its negative part takes no part.
///
/// With weights `w` of the rows and `D = diag(sqrt(w))`, `D M D` and `D Y theta` take the places of
/// `M` and `Y theta`, and the weight of all rows that of `n`: rows that weigh 2 count as given
/// twice.
pub fn solve_gram(
    gram: &Matrix,
    definite: bool,
    classes: &Classes,
    ridges: &[Ridge],
) -> Result<Vec<Result<GramSolution>>> {
    let n = gram.rows();
    if n != gram.cols() || n != classes.n_rows() {
        return Err(Error::Data(format!(
            "a {n} x {} Gram matrix for {} rows",
            gram.cols(),
            classes.n_rows()
        )));
    }
    let y = contrast_responses(classes);
    let mut m = gram.clone();
    let means = center_gram_weighted(&mut m, classes.weights());
    scale_gram(&mut m, classes);
    let shifted = if definite {
        Shifted::new(m)
    } else {
        Shifted::indefinite(m)
    };
    Ok(ridges
        .iter()
        .map(|&ridge| {
            let gamma = ridge_value(ridge, &shifted, &y, classes)?;
            let g = classes.total() * gamma;
            let alpha = optimal_scoring_coefficients(&shifted, g, JITTER, &y)?;
            let fitted = matmul(shifted.matrix().view(), alpha.view());
            let (objective, residual) =
                objective_and_residual(&shifted, g, &alpha, &fitted, &y, classes.total());
            let rotation = rotation(&y, &fitted)?;
            let mut coef = matmul(alpha.view(), rotation.view());
            classes.scale_rows(&mut coef);
            center_coefficients(&mut coef, classes);
            let mut scores = matmul(fitted.view(), rotation.view());
            classes.unscale_rows(&mut scores);
            let offset = (0..coef.cols())
                .map(|l| -(0..n).map(|i| means.columns[i] * coef[(i, l)]).sum::<f64>())
                .collect();
            Ok(GramSolution {
                coef,
                offset,
                scores,
                gamma,
                objective,
                residual,
            })
        })
        .collect())
}

/// `gamma` by the rule (section 5.2).
pub(super) fn ridge_value(ridge: Ridge, m: &Shifted, y: &Matrix, classes: &Classes) -> Result<f64> {
    let n = classes.total();
    Ok(match ridge {
        Ridge::Fixed(gamma) => gamma,
        Ridge::Rule(RidgeRule::StabilizationLiteral) => {
            stabilization(m.matrix(), classes.weights())
        }
        Ridge::Rule(RidgeRule::Gcv) => {
            let grid: Vec<f64> = gamma_grid(25).iter().map(|v| v * n).collect();
            generalized_cross_validation(m, JITTER, y, &grid, n)? / n
        }
        Ridge::Rule(_) => stabilization(m.matrix(), classes.weights()) / n,
    })
}

/// Ridges to choose among, largest first.
pub(super) fn gamma_grid(count: usize) -> Vec<f64> {
    let mut grid = log_grid(1e-7, 1.0, count);
    grid.reverse();
    grid
}

/// Objective 4 and the residual of eq. 5 relative to the size of its terms.
fn objective_and_residual(
    m: &Shifted,
    g: f64,
    alpha: &Matrix,
    fitted: &Matrix,
    y: &Matrix,
    n: f64,
) -> (f64, f64) {
    let mut objective = 0.0;
    let mut right = y.clone();
    for ((r, f), a) in right
        .as_mut_slice()
        .iter_mut()
        .zip(fitted.as_slice())
        .zip(alpha.as_slice())
    {
        *r -= f;
        objective += *r * *r / n + g / n * a * (f + JITTER * a);
    }
    // M (y - M alpha) = g (M + jitter I) alpha
    let left = matmul(m.matrix().view(), right.view());
    let mut gap = 0.0f64;
    for ((l, f), a) in left
        .as_slice()
        .iter()
        .zip(fitted.as_slice())
        .zip(alpha.as_slice())
    {
        gap = gap.max((l - g * (f + JITTER * a)).abs());
    }
    let size = m.matrix().max_abs() * n * (fitted.max_abs() + y.max_abs()) + g * fitted.max_abs();
    (objective, gap / size.max(f64::MIN_POSITIVE))
}

/// The rotation of the scores that puts the directions of largest explained variance first:
/// eigenvectors of `Y'M alpha / n`. A single score is left as it is.
pub(super) fn rotation(y: &Matrix, fitted: &Matrix) -> Result<Matrix> {
    if y.cols() == 1 {
        return Ok(Matrix::identity(1));
    }
    let s = matmul(y.view().t(), fitted.view());
    let symmetric = Matrix::from_fn(s.rows(), s.rows(), |i, j| 0.5 * (s[(i, j)] + s[(j, i)]));
    let mut vectors = symmetric_eigen(&symmetric)?.vectors;
    for k in 0..vectors.cols() {
        let sign = sign_of_largest(&vectors.column(k));
        (0..vectors.rows()).for_each(|i| vectors[(i, k)] *= sign);
    }
    Ok(vectors)
}

impl Kos {
    /// Takes over the options.
    pub fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
        }
    }

    /// The kernels to try: section 5.1 for the Gaussian; other kernels of distance take multiples
    /// of the median distance.
    pub(super) fn kernels(&self, problem: &Problem) -> Result<Vec<Kernel>> {
        let quantiles = |q: &[f64]| {
            between_class_bandwidths(
                &problem.x,
                &problem.labels,
                problem.weights.as_deref(),
                q,
                self.options.seed,
            )
        };
        match self.options.fixed_kernels(problem.n_active())? {
            Some(fixed) => Ok(fixed),
            None if self.options.kernel == Family::Gaussian => {
                let widths = quantiles(&BANDWIDTH_QUANTILES);
                if widths.is_empty() {
                    return Err(Error::Data(
                        "all rows are equal: there is nothing to tell the classes apart by".into(),
                    ));
                }
                widths
                    .into_iter()
                    .map(|b| self.options.kernel_with(b, problem.n_active()))
                    .collect()
            }
            None => kernels_around_median(&self.options, problem, &[0.35, 0.5, 0.7, 1.0, 1.4]),
        }
    }

    pub(super) fn ridge_of(&self, candidate: &Candidate) -> Ridge {
        candidate
            .ridge
            .map_or(Ridge::Rule(self.options.ridge_rule), Ridge::Fixed)
    }

    pub(super) fn decision(
        &self,
        scores: &Matrix,
        problem: &Problem,
    ) -> Result<(Decision, Option<Matrix>)> {
        let classes = &problem.classes();
        if !self.options.mahalanobis {
            return Ok((
                nearest_centroid(scores, classes, problem.log_priors()),
                None,
            ));
        }
        // Whiten the scores so that the pooled within-class covariance is the identity, then eq. 12
        // of sMKDA.
        let transform = whitening(scores, classes)?;
        let z = matmul(scores.view(), transform.view());
        let means = classes.means(&z);
        Ok((
            Decision::Mahalanobis {
                means,
                log_priors: problem.log_priors(),
            },
            Some(transform),
        ))
    }
}

/// `T` with `T' S T = I` for the pooled within-class covariance `S` of the scores (directions
/// without variance count as having very little).
fn whitening(z: &Matrix, classes: &Classes) -> Result<Matrix> {
    let means = classes.means(z);
    let codes = classes.codes();
    let mut r = Matrix::from_fn(z.rows(), z.cols(), |i, j| z[(i, j)] - means[(codes[i], j)]);
    classes.scale_rows(&mut r);
    let mut s = matmul(r.view().t(), r.view());
    s.as_mut_slice()
        .iter_mut()
        .for_each(|v| *v /= classes.total());
    let e = symmetric_eigen(&s)?;
    let floor = 1e-12 * e.values.first().copied().unwrap_or(0.0).max(1e-300);
    Ok(Matrix::from_fn(z.cols(), z.cols(), |i, j| {
        e.vectors[(i, j)] / e.values[j].max(floor).sqrt()
    }))
}

impl Method for Kos {
    fn name(&self) -> &'static str {
        "kos"
    }

    fn family(&self) -> Family {
        self.options.kernel
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::gram(3)
    }

    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>> {
        let kernels = self.kernels(problem)?;
        let ridges: Vec<Option<f64>> = match (self.options.ridge, self.options.ridge_rule) {
            (Some(r), _) => vec![Some(r)],
            (None, RidgeRule::Cv) => gamma_grid(8).into_iter().map(Some).collect(),
            _ => vec![None],
        };
        let arms: Vec<Arm> = kernels
            .into_iter()
            .map(|kernel| {
                ridges
                    .iter()
                    .map(|&ridge| Candidate {
                        ridge,
                        ..Candidate::new(kernel)
                    })
                    .collect()
            })
            .collect();
        require_candidates(&arms)?;
        Ok(arms)
    }

    fn compare(&self, a: &Candidate, b: &Candidate) -> Ordering {
        // Ties go to the larger penalty, then to the smaller quantile, which is the order of the
        // arms.
        match (a.ridge, b.ridge) {
            (Some(x), Some(y)) => y.total_cmp(&x),
            _ => Ordering::Equal,
        }
    }

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let (k, kv) = fold.grams(&first.kernel)?;
        let ridges: Vec<Ridge> = arm.iter().map(|c| self.ridge_of(c)).collect();
        let solved = solve_gram(
            &k,
            first.kernel.family().is_definite(),
            &fold.train.classes(),
            &ridges,
        )?;
        solved
            .into_iter()
            .map(|s| {
                let Ok(s) = s else { return Ok(None) };
                let mut z = matmul(kv.view(), s.coef.view());
                add_to_rows(&mut z, &s.offset);
                let (rule, transform) = self.decision(&s.scores, &fold.train)?;
                if let Some(t) = transform {
                    z = matmul(z.view(), t.view());
                }
                Ok(Some(rule.scores(&z).into()))
            })
            .collect()
    }

    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit> {
        let k = gram(&candidate.kernel, &problem.x);
        let mut solved = solve_gram(
            &k,
            candidate.kernel.family().is_definite(),
            &problem.classes(),
            &[self.ridge_of(candidate)],
        )?;
        let s = solved
            .pop()
            .unwrap_or(Err(Error::NoConvergence("the ridge solve")))?;
        let (decision, transform) = self.decision(&s.scores, problem)?;
        let (coef, offset) = match transform {
            None => (s.coef, s.offset),
            Some(t) => {
                let offset = Matrix::from_vec(s.offset.clone(), 1, s.offset.len());
                (
                    matmul(s.coef.view(), t.view()),
                    matmul(offset.view(), t.view()).into_vec(),
                )
            }
        };
        let output = Output::Linear { coef, offset };
        Ok(Fit {
            discriminant: None,
            expansion: KernelExpansion::new(
                candidate.kernel,
                problem.feature_weights.clone(),
                &problem.x,
                output,
            ),
            decision,
            report: FitReport {
                objective: Some(s.objective),
                iterations: 1,
                converged: true,
                residual: Some(s.residual),
                retained_rows: (0..problem.n()).collect(),
                ridge: Some(s.gamma),
                ..FitReport::default()
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Labels, Rng};
    use crate::kernel::cross_gram;
    use crate::method::lda::Lda;
    use crate::solver::optimal_scoring::contrast_scores;
    use crate::testing::problem;

    #[test]
    fn folded_expansion_equals_equation_6_and_scores_have_mean_zero() {
        let problem = problem(41, 3, 2, 1);
        let kernel = Kernel::Gaussian { bandwidth: 1.1 };
        let kos = Kos::new(&Options::default());
        let fit = kos
            .fit(&problem, &Candidate::new(kernel).ridge(1e-2))
            .expect("fits");
        assert!(fit.report.residual.expect("known") < 1e-13);
        let k = gram(&kernel, &problem.x);
        let n = 41;
        // alpha by eq. 5 literally, M^2 and all, solved through the eigenvalues of the whole
        // left-hand side.
        let c = Matrix::from_fn(n, n, |i, j| f64::from(i == j) - 1.0 / n as f64);
        let m = matmul(matmul(c.view(), k.view()).view(), c.view());
        let mm = matmul(m.view(), m.view());
        let g = n as f64 * 1e-2;
        let left = Matrix::from_fn(n, n, |i, j| {
            mm[(i, j)] + g * (m[(i, j)] + JITTER * f64::from(i == j))
        });
        let theta = contrast_scores(problem.classes().totals());
        let y = Matrix::from_fn(n, 1, |i, _| theta[(problem.labels.codes()[i], 0)]);
        let right = matmul(m.view(), y.view());
        let e = symmetric_eigen(&left).expect("finite");
        let alpha = Shifted::new(left)
            .filter(|l| 1.0 / l, &right)
            .expect("solves");
        assert!(e.values.iter().all(|v| *v > 0.0));
        let calpha = matmul(c.view(), alpha.view());
        let mut rng = Rng::new(9);
        let test = Matrix::from_fn(5, 3, |_, _| rng.normal());
        let kx = cross_gram(&kernel, &test, &problem.x);
        let z = fit.expansion.evaluate(&test);
        for t in 0..5 {
            let p: f64 = (0..n)
                .map(|i| (kx[(t, i)] - k.row(i).iter().sum::<f64>() / n as f64) * calpha[(i, 0)])
                .sum();
            assert!((z[(t, 0)] - p).abs() < 1e-8, "{} {p}", z[(t, 0)]);
        }
        let own = fit.expansion.evaluate(&problem.x);
        assert!(own.column(0).iter().sum::<f64>().abs() < 1e-9);
    }

    #[test]
    fn linear_kernel_and_vanishing_ridge_give_the_direction_of_lda() {
        let problem = problem(70, 4, 2, 2);
        let options = Options {
            kernel: Family::Linear,
            ..Options::default()
        };
        let fit = Kos::new(&options)
            .fit(&problem, &Candidate::new(Kernel::Linear).ridge(1e-12))
            .expect("fits");
        let Output::Linear { coef, .. } = &fit.expansion.output else {
            panic!("linear output")
        };
        let direction = matmul(problem.x.view().t(), coef.view()).column(0);
        let lda = Lda::new(&options).solve(&problem).expect("fits");
        let reference = lda.expansion.support.row(0);
        let ratio = direction[0] / reference[0];
        for j in 1..4 {
            assert!((direction[j] / reference[j] / ratio - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn objective_is_least_at_the_solution() {
        let problem = problem(30, 2, 2, 3);
        let k = gram(&Kernel::Gaussian { bandwidth: 1.0 }, &problem.x);
        let classes = problem.classes();
        let gamma = 3e-3;
        let solved = solve_gram(&k, true, &classes, &[Ridge::Fixed(gamma)]).expect("solves");
        let s = solved.into_iter().next().expect("one").expect("solved");
        let mut m = k.clone();
        center_gram_weighted(&mut m, None);
        let theta = contrast_scores(classes.totals());
        let value = |a: &[f64]| {
            let n = 30;
            let mut total = 0.0;
            for i in 0..n {
                let ma: f64 = (0..n).map(|j| m[(i, j)] * a[j]).sum();
                let y = theta[(problem.labels.codes()[i], 0)];
                total += (y - ma).powi(2) / n as f64 + gamma * a[i] * (ma + JITTER * a[i]);
            }
            total
        };
        let a = s.coef.column(0);
        let at = value(&a);
        assert!((at - s.objective).abs() < 1e-10);
        let mut rng = Rng::new(4);
        for _ in 0..20 {
            let moved: Vec<f64> = a.iter().map(|v| v + 1e-3 * rng.normal()).collect();
            assert!(value(&moved) > at);
        }
    }

    #[test]
    fn permuting_three_classes_permutes_the_probabilities() {
        let a = problem(45, 3, 3, 5);
        let recode = [1, 2, 0];
        let mut b = a.clone();
        let codes: Vec<usize> = a.labels.codes().iter().map(|&c| recode[c]).collect();
        b.labels = Labels::from_codes(codes, a.labels.classes().to_vec()).expect("codes fit");
        let candidate = Candidate::new(Kernel::Gaussian { bandwidth: 1.0 });
        for mahalanobis in [false, true] {
            let kos = Kos::new(&Options {
                mahalanobis,
                ..Options::default()
            });
            let (fa, fb) = (
                kos.fit(&a, &candidate).expect("fits"),
                kos.fit(&b, &candidate).expect("fits"),
            );
            let pa = fa.decision.posterior(&fa.expansion.evaluate(&a.x));
            let pb = fb.decision.posterior(&fb.expansion.evaluate(&a.x));
            for i in 0..45 {
                for c in 0..3 {
                    assert!((pa[(i, c)] - pb[(i, recode[c])]).abs() < 1e-7);
                }
            }
        }
    }
}
