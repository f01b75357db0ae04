//! Multinomial kernel discriminant analysis with a ridge penalty (Harrison & Pasupa, section 2.2).
//!
//! ```text
//! min_{A, a} |Y_0 - K A - 1 a'|_F^2 + tr(A' R A)                                       (eq. 9, 10)
//! ```
//! with `R = r K` (default) or `R = r I`; the offset is not penalised. For `R = r K` and `M = C K
//! C` the solution is `(M + r I) A = C Y_0`, so that `Yhat_0 = Y_0 - r A`: one Cholesky
//! factorisation. For `R = r I` it is `(K C K + r I) A = K C Y_0`. Canonical variates, scaling and
//! the rule are those of [`super::lda`]; with a penalty the variates have unit `Sigma_W + B'RB /
//! n`. Without a penalty (`r = 0`) the solution is that of least norm, by the pseudo-inverse: `A =
//! M^+ C Y_0`, or `(K C K)^+ K C Y_0` for `R = r I`. These are the limits of the fitted function as
//! `r` falls to 0, and a linear kernel gives linear discriminant analysis. Complexity: `n^3 / 3`
//! flops per ridge (plus `n^3` for `R = r I`, about `9 n^3` for `r = 0`) and `n^2 p` for the Gram
//! matrix. Dense in the samples.
//!
//! [Harrison & Pasupa] "Sparse multinomial kernel discriminant analysis (sMKDA)", Pattern
//! Recognition 42 (2009).

#[cfg(test)]
mod tests;

use super::lda::limit_components;
use super::{
    About, Candidacy, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Problem, Ridged,
    kernels_around_median, some,
};
use crate::classes::Classes;
use crate::decision::Decision;
use crate::error::{Error, Result, require};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, center_gram_weighted, centred_scale, gram};
use crate::linalg::{Matrix, add_to_rows, matmul, symmetric_product};
use crate::notice::Notice;
use crate::params::{
    BANDWIDTHS, COMPONENTS, DEGREE, Fallback, KERNEL, KernelChoice, Kind, L1_RATIO, POSTERIOR,
    POSTERIOR_SPARSITY, Param, Protocol, RIDGE, Range, SHIFT, SIMPLEX, SLOPE,
};
use crate::solver::optimal_scoring::{Canonical, canonical, response_means, scored_responses};
use crate::solver::ridge::{Shifted, center_coefficients, scale_gram};
use serde::{Deserialize, Serialize};

/// Bandwidths to try, as multiples of the median distance; smooth ones first.
const BANDWIDTH_MULTIPLES: [f64; 8] = [4.0, 2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25];
/// Ridges to try, as multiples of the trace of the centred Gram matrix: large ones first.
pub(super) const RIDGE_MULTIPLES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// Multinomial kernel discriminant analysis.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `kernel`, `bandwidths`, `degree`, `slope`, `shift` | Gaussian, tuned | | the kernel |
/// | `ridge` | tuned | 0 or more | `r` of eq. 9; 0 takes the pseudo-inverse |
/// | `penalty` | kernel | | `R = r K` or `R = r I` |
/// | `components` | classes - 1 | 1 or more | canonical variates to keep |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mkda {
    #[serde(flatten)]
    kernel: KernelChoice,
    ridge: Option<f64>,
    penalty: Penalty,
    components: Option<usize>,
}

/// Penalty matrix `R` of multinomial kernel discriminant analysis (Harrison & Pasupa, eq. 9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    /// `R = r K`: the squared norm of the function.
    #[default]
    Kernel,
    /// `R = r I`: the squared norm of the coefficients.
    Identity,
}

/// The solution on one Gram matrix.
#[derive(Clone, Debug)]
pub struct GramSolution {
    /// Canonical variates: coefficients (`n x q`), offsets, class means, eigenvalues.
    pub variates: Canonical,
    /// Residual sum of squares of the scored responses.
    pub rss: f64,
    /// Relative residual of the equations.
    pub residual: f64,
}

/// Solves eq. 10 for one Gram matrix that the caller provides and several ridges. `definite` says
/// whether the matrix is known to be positive semidefinite; if not, its negative part is left out.
///
/// With weights `w` of the rows and `D = diag(sqrt(w))`, the squared norms are those of `D (Y_0 -
/// ..)` and `R = r I` penalises `D^-1 A`: a row of weight 2 counts as two rows.
pub fn solve_gram(
    gram: &Matrix,
    definite: bool,
    classes: &Classes,
    ridges: &[f64],
    penalty: Penalty,
    components: Option<usize>,
) -> Result<Vec<Result<GramSolution>>> {
    let n = gram.rows();
    if n != gram.cols() || n != classes.n_rows() {
        return Err(Error::Data(format!(
            "a {n} x {} Gram matrix for {} rows",
            gram.cols(),
            classes.n_rows()
        )));
    }
    let y = scored_responses(classes);
    let y_mean = response_means(classes);
    let mut y_centred = Matrix::from_fn(n, y.cols(), |i, j| y[(i, j)] - y_mean[j]);
    classes.scale_rows(&mut y_centred);
    let mut centred = gram.clone();
    let means = center_gram_weighted(&mut centred, classes.weights());
    scale_gram(&mut centred, classes);
    // The system matrix and right-hand side, by penalty.
    let (system, right) = match penalty {
        Penalty::Kernel if definite => (Shifted::new(centred), y_centred),
        Penalty::Kernel => (Shifted::indefinite(centred), y_centred),
        Penalty::Identity => {
            // K C K = (C K)'(C K): rows of (C K)' are the columns of K with their mean taken out.
            drop(centred);
            let mut ckt = Matrix::from_fn(n, n, |i, j| gram[(i, j)] - means.columns[i]);
            scale_gram(&mut ckt, classes);
            classes.scale_rows(&mut y_centred);
            let mut right = matmul(gram.view(), y_centred.view());
            classes.scale_rows(&mut right);
            (Shifted::new(symmetric_product(ckt.view())), right)
        }
    };
    let equations = Equations {
        k: gram,
        y: &y,
        classes,
        penalty,
        definite,
    };
    Ok(ridges
        .iter()
        .map(|&r| {
            require(
                "ridge",
                r,
                r.is_finite() && r >= 0.0,
                "finite and 0 or more",
            )?;
            let mut a = match r > 0.0 {
                true => system.solve(r, &right)?,
                false => system.least_norm(&right)?,
            };
            classes.scale_rows(&mut a);
            if penalty == Penalty::Kernel {
                // 1'A = 0 holds exactly. A rounding error in it would be multiplied by the
                // uncentred Gram matrix.
                center_coefficients(&mut a, classes);
            }
            let offset: Vec<f64> = (0..y.cols())
                .map(|k| y_mean[k] - (0..n).map(|i| means.columns[i] * a[(i, k)]).sum::<f64>())
                .collect();
            // The outputs of the model itself for the training rows: K A + 1 a'.
            let mut fitted = matmul(gram.view(), a.view());
            add_to_rows(&mut fitted, &offset);
            let rss = classes.squared_distance(&y, &fitted);
            let residual = equations.residual(r, &a, &fitted);
            let variates = canonical(&a, &offset, &fitted, classes, components)?;
            Ok(GramSolution {
                variates,
                rss,
                residual,
            })
        })
        .collect())
}

/// Eq. 10, to measure how far a solution is from satisfying it.
struct Equations<'a> {
    k: &'a Matrix,
    y: &'a Matrix,
    classes: &'a Classes,
    penalty: Penalty,
    definite: bool,
}

impl Equations<'_> {
    /// In units of the responses: `|w (Y_0 - Yhat_0) - r A|` for `R = r K`. For `R = r I`, for `r =
    /// 0`, and in the positive part of an indefinite matrix, the gradient of eq. 9 relative to its
    /// terms.
    fn residual(&self, r: f64, a: &Matrix, fitted: &Matrix) -> f64 {
        let (y, classes) = (self.y, self.classes);
        let gap = Matrix::from_fn(y.rows(), y.cols(), |i, j| {
            classes.weight(i) * (y[(i, j)] - fitted[(i, j)])
        });
        if self.penalty == Penalty::Kernel && self.definite && r > 0.0 {
            let worst = gap
                .as_slice()
                .iter()
                .zip(a.as_slice())
                .fold(0.0, |m, (g, a)| f64::max(m, (g - r * a).abs()));
            return worst / y.max_abs();
        }
        let mut gradient = matmul(self.k.view(), gap.view());
        let penalised = if self.penalty == Penalty::Kernel {
            matmul(self.k.view(), a.view())
        } else {
            Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] / classes.weight(i))
        };
        gradient
            .as_mut_slice()
            .iter_mut()
            .zip(penalised.as_slice())
            .for_each(|(g, p)| *g -= r * p);
        let mut size = self.k.max_abs() * classes.total() * y.max_abs();
        if !self.definite {
            // Only directions in the positive part can be checked; those of the solution itself are
            // in it.
            gradient = matmul(a.view().t(), gradient.view());
            size *= a.max_abs() * y.rows() as f64;
        }
        gradient.max_abs() / size.max(f64::MIN_POSITIVE)
    }
}

impl Mkda {
    /// A Gaussian kernel, everything tuned.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this kernel.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// With this ridge.
    pub fn ridge(mut self, ridge: f64) -> Self {
        self.ridge = Some(ridge);
        self
    }

    /// With this penalty.
    pub fn penalty(mut self, penalty: Penalty) -> Self {
        self.penalty = penalty;
        self
    }

    /// With at most this many canonical variates.
    pub fn components(mut self, components: usize) -> Self {
        self.components = Some(components);
        self
    }
}

impl Method for Mkda {
    type Setting = Ridged;

    const ABOUT: About = About {
        name: "mkda",
        class: "MKDA",
        title: "kernel discriminant analysis with a ridge",
        plain: "kernel discriminant analysis, any number of classes (MKDA)",
        summary: "Kernel discriminant analysis with a ridge, for any number of classes.",
        paper: "Harrison & Pasupa 2009",
        tuned: "bandwidth, ridge",
        decides: "Mahalanobis distance and priors",
        calibrated: true,
        class_weight_is_cost: true,
        precomputed: true,
        params: &[
            KERNEL,
            BANDWIDTHS,
            DEGREE,
            SLOPE,
            SHIFT,
            Param {
                kind: Kind::Number {
                    range: Range::NotNegative,
                    letter: "G",
                },
                help: "Squared-norm penalty, the r of R = r K; 0 is the solution of least norm, \
                       by the pseudo-inverse",
                ..RIDGE
            },
            Param::new(
                "penalty",
                Kind::Word(&["kernel", "identity"], ""),
                Fallback::Word("kernel"),
                "Penalise the norm of the function (R = r K) or of the coefficients (R = r I)",
            ),
            COMPONENTS,
            POSTERIOR,
            POSTERIOR_SPARSITY,
            L1_RATIO,
            SIMPLEX,
        ],
        auto: Candidacy::Asked,
        seconds: |n, _, _| 8e-10 * n * n * n + 1e-7 * n * n,
        ..About::BLANK
    };

    fn adapt(&mut self, n_classes: usize) -> Vec<Notice> {
        limit_components(&mut self.components, n_classes)
    }

    fn family(&self) -> Family {
        self.kernel.family()
    }

    fn at_bandwidth(&self, bandwidth: f64) -> Option<Self> {
        let kernel = self.kernel.clone().with_bandwidths([bandwidth]);
        Some(self.clone().kernel(kernel))
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::gram(3)
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<Ridged>> {
        let kernels = kernels_around_median(&self.kernel, problem, &BANDWIDTH_MULTIPLES)?;
        let ridges = |kernel: &Kernel| match self.ridge {
            Some(r) => vec![r],
            None => {
                let trace = problem.classes().total()
                    * centred_scale(kernel, &problem.x, problem.weights.as_deref());
                RIDGE_MULTIPLES.iter().map(|m| m * trace).collect()
            }
        };
        let arms = kernels
            .into_iter()
            .map(|kernel| Ridged::arm(kernel, &ridges(&kernel)));
        some(arms.collect())
    }

    fn held_out(&self, fold: &Fold, arm: &[Ridged]) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let (k, kv) = fold.grams(&first.kernel)?;
        let classes = fold.train.classes();
        let ridges: Vec<f64> = arm.iter().map(|s| s.ridge).collect();
        let solved = solve_gram(
            &k,
            first.kernel.family().is_definite(),
            &classes,
            &ridges,
            self.penalty,
            self.components,
        )?;
        Ok(solved
            .into_iter()
            .map(|s| {
                let s = s.ok()?.variates;
                let mut z = matmul(kv.view(), s.coef.view());
                add_to_rows(&mut z, &s.offset);
                let rule = Decision::Mahalanobis {
                    means: s.means,
                    log_priors: fold.train.log_priors(),
                };
                Some(rule.scores(&z).into())
            })
            .collect())
    }

    fn fit(&self, problem: &Problem, setting: &Ridged) -> Result<Fit> {
        let k = gram(&setting.kernel, &problem.x);
        let classes = problem.classes();
        let ridge = setting.ridge;
        let mut solved = solve_gram(
            &k,
            setting.kernel.family().is_definite(),
            &classes,
            &[ridge],
            self.penalty,
            self.components,
        )?;
        let s = solved
            .pop()
            .unwrap_or(Err(Error::NoConvergence("the ridge solve")))?;
        let output = Output::Linear {
            coef: s.variates.coef,
            offset: s.variates.offset,
        };
        Ok(Fit::new(
            KernelExpansion::new(
                setting.kernel,
                problem.feature_weights.clone(),
                &problem.x,
                output,
            ),
            Decision::Mahalanobis {
                means: s.variates.means,
                log_priors: problem.log_priors(),
            },
            FitReport {
                objective: Some(s.rss),
                iterations: 1,
                converged: true,
                residual: Some(s.residual),
                retained_rows: (0..problem.n()).collect(),
                ridge: Some(ridge),
                eigenvalues: s.variates.eigenvalues,
                ..FitReport::default()
            },
        ))
    }
}
