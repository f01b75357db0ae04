//! Kernel optimal scoring (two classes as published; any number by orthogonal scores).
//!
//! ```text
//! min_alpha (1/n) |Y theta - M alpha|^2 + gamma alpha' (M + jitter I) alpha,   M = C K C   (eq. 4)
//! alpha = (M^2 + n gamma (M + jitter I))^-1 M Y theta                                      (eq. 5)
//! ```
//! A row is projected by `P(x) = (K(X, x)' - 1'K/n) C alpha` (eq. 6) and assigned to the nearest
//! class centroid (section 2.4), shifted by the priors. For `c` classes there are `c - 1`
//! orthogonal scores with the same ridge, rotated so that the first separates most; with two
//! classes this is exactly the paper. Eq. 5 is solved by partial fractions: `M^2` is never formed.
//! Departures from the paper: the distances to the centroids are weighed against the class priors,
//! as in the authors' R package, which classifies the projections by linear discriminant analysis.
//! As printed (`priors = uniform`), the rule errs on 27 % of the blood donations, where always
//! saying "no" errs on 24 %; with the priors it errs on the published 22 %. `gamma` from the
//! stabilization rule is read as `n gamma = gamma-hat` (its formula 5.2 has no `n`);
//! [`RidgeRule::StabilizationLiteral`] is the printed reading. Complexity: two Cholesky
//! factorisations, `2 n^3 / 3` flops, and `n^2 p` for the Gram matrix. Dense in samples. With
//! `candidates = m` the function lives in the span of `m` landmarks: `n m^2` flops,
//! and no matrix of the size of the data.
//!
//! [Lapanowski & Gaynanova] "Sparse feature selection in kernel discriminant analysis via optimal
//! scoring", AISTATS 2019.

mod landmarks;
mod params;
#[cfg(test)]
mod tests;

pub(super) use landmarks::gamma;
pub(super) use params::{GAMMA, Scoring};
pub use params::{Kos, KosSetting, RidgeChoice, RidgeRule};

use super::{
    About, Candidacy, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Outputs, Problem,
    kernels_around_median, some,
};
use crate::classes::Classes;
use crate::decision::{Decision, nearest_centroid};
use crate::error::{Error, Result, require};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{
    Family, Kernel, between_class_bandwidths, center_gram_weighted, gram, log_grid,
};
use crate::linalg::{Matrix, add_to_rows, matmul, symmetric_eigen};
use crate::params::{
    BANDWIDTHS, DEGREE, KERNEL, L1_RATIO, LANDMARKS, MAHALANOBIS, POSTERIOR, POSTERIOR_SPARSITY,
    Protocol, RIDGE_RULE, SHIFT, SIMPLEX, SLOPE,
};
use crate::solver::optimal_scoring::{contrast_responses, sign_of_largest};
use crate::solver::ridge::{
    Shifted, center_coefficients, generalized_cross_validation, optimal_scoring_coefficients,
    scale_gram, stabilization,
};

/// The `epsilon` of eq. 5.
pub const JITTER: f64 = 1e-5;
/// Quantiles of the squared distances between classes that give the bandwidths (section 5.1).
pub const BANDWIDTH_QUANTILES: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 0.5];

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

/// Solves eq. 5 for one Gram matrix that the caller provides and several ridges. `definite` says
/// whether the matrix is known to be positive semidefinite; if not, its negative part is left out.
///
/// With weights `w` of the rows and `D = diag(sqrt(w))`, `D M D` and `D Y theta` replace `M` and `Y
/// theta`, and the total weight of the rows replaces `n`: a row of weight 2 counts as two rows.
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

/// The ridges to choose among, largest first.
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

impl Scoring {
    /// The kernels to try: section 5.1 for the Gaussian; other kernels of distance take multiples
    /// of the median distance.
    pub(super) fn kernels(&self, problem: &Problem) -> Result<Vec<Kernel>> {
        let quantiles = |q: &[f64]| {
            between_class_bandwidths(
                &problem.x,
                &problem.labels,
                problem.weights.as_deref(),
                q,
                problem.seed,
            )
        };
        match self.kernel.fixed(problem.n_active())? {
            Some(fixed) => Ok(fixed),
            None if self.kernel.family() == Family::Gaussian => {
                let widths = quantiles(&BANDWIDTH_QUANTILES);
                if widths.is_empty() {
                    return Err(Error::Data(
                        "all rows are equal: there is nothing to tell the classes apart by".into(),
                    ));
                }
                widths
                    .into_iter()
                    .map(|b| self.kernel.with(b, problem.n_active()))
                    .collect()
            }
            None => kernels_around_median(&self.kernel, problem, &[0.35, 0.5, 0.7, 1.0, 1.4]),
        }
    }

    pub(super) fn decision(
        &self,
        scores: &Matrix,
        problem: &Problem,
    ) -> Result<(Decision, Option<Matrix>)> {
        let classes = &problem.classes();
        if !self.mahalanobis {
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

/// `T` with `T' S T = I` for the pooled within-class covariance `S` of the scores. Directions
/// without variance are treated as having very little.
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
    type Setting = KosSetting;

    const ABOUT: About = About {
        name: "kos",
        class: "KOS",
        title: "kernel optimal scoring",
        plain: "kernel optimal scoring (KOS)",
        summary: "Kernel optimal scoring: discriminant scores with one closed form per bandwidth.",
        paper: "Lapanowski & Gaynanova 2019",
        tuned: "bandwidth; ridge by formula",
        decides: "nearest centroid and priors",
        outputs: Outputs::Scores,
        calibrated: true,
        class_weight_is_cost: true,
        precomputed: true,
        params: &[
            KERNEL,
            BANDWIDTHS,
            DEGREE,
            SLOPE,
            SHIFT,
            GAMMA,
            RIDGE_RULE,
            MAHALANOBIS,
            LANDMARKS,
            POSTERIOR,
            POSTERIOR_SPARSITY,
            L1_RATIO,
            SIMPLEX,
        ],
        auto: Candidacy::Asked,
        seconds: |n, _, _| 2.3e-10 * n * n * n + 1e-7 * n * n,
        ..About::BLANK
    };

    fn check(&self) -> Result<()> {
        let family = self.scoring.kernel.family();
        require(
            "candidates",
            format!("with a {} kernel", family.name()),
            self.candidates.is_none() || family.is_definite(),
            "given with a positive definite kernel: any but sigmoid",
        )
    }

    fn family(&self) -> Family {
        self.scoring.kernel.family()
    }

    fn at_bandwidth(&self, bandwidth: f64) -> Option<Self> {
        if self.candidates.is_some() {
            return None;
        }
        let kernel = self.scoring.kernel.clone().with_bandwidths([bandwidth]);
        Some(self.clone().kernel(kernel))
    }

    /// With landmarks the square is theirs.
    fn seconds(&self, n: f64, p: f64, c: f64) -> f64 {
        let Some(m) = self.candidates.map(|m| m as f64) else {
            return (Self::ABOUT.seconds)(n, p, c);
        };
        let tuned = self.tuning_rows(n as usize).map_or(n, |r| n.min(r as f64));
        2e-11 * (n + 25.0 * tuned) * m * m
    }

    fn tuning_rows(&self, _n: usize) -> Option<usize> {
        self.candidates.map(|m| (2 * m).max(4000))
    }

    fn footprint(&self, n: usize) -> Footprint {
        match self.candidates {
            Some(m) => Footprint::of_landmarks(m, n),
            None => Footprint::gram(3),
        }
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<KosSetting>> {
        let ridges = self.scoring.ridge.tried();
        let arm = |kernel: Kernel| {
            let setting = |&ridge: &Option<f64>| KosSetting { kernel, ridge };
            ridges.iter().map(setting).collect()
        };
        some(
            self.scoring
                .kernels(problem)?
                .into_iter()
                .map(arm)
                .collect(),
        )
    }

    fn held_out(&self, fold: &Fold, arm: &[KosSetting]) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        if let Some(m) = self.candidates {
            return self.held_out_on_landmarks(fold, arm, m);
        }
        let (k, kv) = fold.grams(&first.kernel)?;
        let ridges: Vec<Ridge> = arm.iter().map(|s| self.scoring.ridge.at(s.ridge)).collect();
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
                let (rule, transform) = self.scoring.decision(&s.scores, &fold.train)?;
                if let Some(t) = transform {
                    z = matmul(z.view(), t.view());
                }
                Ok(Some(rule.scores(&z).into()))
            })
            .collect()
    }

    fn fit(&self, problem: &Problem, setting: &KosSetting) -> Result<Fit> {
        if let Some(m) = self.candidates.filter(|m| *m < problem.n()) {
            return self.fit_on_landmarks(problem, setting, m);
        }
        let k = gram(&setting.kernel, &problem.x);
        let mut solved = solve_gram(
            &k,
            setting.kernel.family().is_definite(),
            &problem.classes(),
            &[self.scoring.ridge.at(setting.ridge)],
        )?;
        let s = solved
            .pop()
            .unwrap_or(Err(Error::NoConvergence("the ridge solve")))?;
        let (decision, transform) = self.scoring.decision(&s.scores, problem)?;
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
        Ok(Fit::new(
            KernelExpansion::new(
                setting.kernel,
                problem.feature_weights.clone(),
                &problem.x,
                output,
            ),
            decision,
            FitReport {
                objective: Some(s.objective),
                iterations: 1,
                converged: true,
                residual: Some(s.residual),
                retained_rows: (0..problem.n()).collect(),
                ridge: Some(s.gamma),
                ..FitReport::default()
            },
        ))
    }
}
