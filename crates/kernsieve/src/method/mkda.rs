//! Multinomial kernel discriminant analysis with a ridge penalty (Harrison & Pasupa, section 2.2).
//!
//! ```text
//! min_{A, a} |Y_0 - K A - 1 a'|_F^2 + tr(A' R A)                                       (eq. 9, 10)
//! ```
//! with `R = r K` (default) or `R = r I`; the offset is not penalised. For `R = r K` and `M = C K
//! C` the solution is `(M + r I) A = C Y_0`, so that `Yhat_0 = Y_0 - r A`: one Cholesky
//! factorisation. For `R = r I` it is `(K C K + r I) A = K C Y_0`. Canonical variates, scaling and
//! rule are those of [`super::lda`]; with a penalty the variates have unit `Sigma_W + B'RB / n`. A
//! linear kernel and a vanishing ridge give linear discriminant analysis. Complexity: `n^3 / 3`
//! flops a ridge (plus `n^3` for `R = r I`) and `n^2 p` for the Gram matrix. Dense in the samples.
//!
//! [Harrison & Pasupa] "Sparse multinomial kernel discriminant analysis (sMKDA)", Pattern
//! Recognition 42 (2009).

use super::{
    Arm, Candidate, Fit, FitReport, Fold, Footprint, HeldOut, Method, Options, Penalty, Problem,
    kernels_around_median, require_candidates,
};
use crate::classes::Classes;
use crate::decision::Decision;
use crate::error::{Error, Result, require};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, center_gram_weighted, centred_scale, gram};
use crate::linalg::{Matrix, add_to_rows, matmul, symmetric_product};
use crate::solver::optimal_scoring::{Canonical, canonical, response_means, scored_responses};
use crate::solver::ridge::{Shifted, center_coefficients, scale_gram};

/// Bandwidths that are tried, as multiples of the median distance; smooth ones first.
const BANDWIDTH_MULTIPLES: [f64; 8] = [4.0, 2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25];
/// Ridges that are tried, as multiples of the trace of the centred Gram matrix: large ones first.
const RIDGE_MULTIPLES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// Multinomial kernel discriminant analysis.
#[derive(Clone, Debug)]
pub struct Mkda {
    options: Options,
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

/// Solves eq. 10 for one Gram matrix of the caller's and several ridges. `definite` says whether
/// the matrix is known to be positive semidefinite; if not, its negative part takes no part.
///
/// With weights `w` of the rows and `D = diag(sqrt(w))`, the squared norms are those of `D (Y_0 -
/// ..)` and `R = r I` penalises `D^-1 A`: rows that weigh 2 count as given twice.
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
            require("ridge", r, r.is_finite() && r > 0.0, "finite and above 0")?;
            let mut a = system.solve(r, &right)?;
            classes.scale_rows(&mut a);
            if penalty == Penalty::Kernel {
                // 1'A = 0 holds exactly; what rounding leaves of it would be multiplied by the
                // uncentred Gram matrix.
                center_coefficients(&mut a, classes);
            }
            let offset: Vec<f64> = (0..y.cols())
                .map(|k| y_mean[k] - (0..n).map(|i| means.columns[i] * a[(i, k)]).sum::<f64>())
                .collect();
            // What the model itself will say of the training rows: K A + 1 a'.
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

/// Eq. 10, to see how far a solution is from it.
struct Equations<'a> {
    k: &'a Matrix,
    y: &'a Matrix,
    classes: &'a Classes,
    penalty: Penalty,
    definite: bool,
}

impl Equations<'_> {
    /// In units of the responses: `|w (Y_0 - Yhat_0) - r A|` for `R = r K`. For `R = r I`, and in
    /// the positive part of an indefinite matrix, the gradient of eq. 9 relative to its terms.
    fn residual(&self, r: f64, a: &Matrix, fitted: &Matrix) -> f64 {
        let (y, classes) = (self.y, self.classes);
        let gap = Matrix::from_fn(y.rows(), y.cols(), |i, j| {
            classes.weight(i) * (y[(i, j)] - fitted[(i, j)])
        });
        if self.penalty == Penalty::Kernel && self.definite {
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
            // Only directions in the positive part can be asked for; those of the solution itself
            // are in it.
            gradient = matmul(a.view().t(), gradient.view());
            size *= a.max_abs() * y.rows() as f64;
        }
        gradient.max_abs() / size.max(f64::MIN_POSITIVE)
    }
}

impl Mkda {
    /// Takes over the options.
    pub fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
        }
    }

    fn ridge_of(&self, candidate: &Candidate, n: f64) -> f64 {
        candidate.ridge.unwrap_or(1e-3 * n)
    }
}

impl Method for Mkda {
    fn name(&self) -> &'static str {
        "mkda"
    }

    fn family(&self) -> Family {
        self.options.kernel
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::gram(3)
    }

    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>> {
        let kernels = kernels_around_median(&self.options, problem, &BANDWIDTH_MULTIPLES)?;
        let ridges = |kernel: &Kernel| match self.options.ridge {
            Some(r) => vec![r],
            None => {
                let trace = problem.classes().total()
                    * centred_scale(kernel, &problem.x, problem.weights.as_deref());
                RIDGE_MULTIPLES.iter().map(|m| m * trace).collect()
            }
        };
        let arms: Vec<Arm> = kernels
            .into_iter()
            .map(|kernel| {
                ridges(&kernel)
                    .into_iter()
                    .map(|r| Candidate::new(kernel).ridge(r))
                    .collect()
            })
            .collect();
        require_candidates(&arms)?;
        Ok(arms)
    }

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let (k, kv) = fold.grams(&first.kernel)?;
        let classes = fold.train.classes();
        let ridges: Vec<f64> = arm
            .iter()
            .map(|c| self.ridge_of(c, classes.total()))
            .collect();
        let solved = solve_gram(
            &k,
            first.kernel.family().is_definite(),
            &classes,
            &ridges,
            self.options.penalty,
            self.options.components,
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

    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit> {
        let k = gram(&candidate.kernel, &problem.x);
        let classes = problem.classes();
        let ridge = self.ridge_of(candidate, classes.total());
        let mut solved = solve_gram(
            &k,
            candidate.kernel.family().is_definite(),
            &classes,
            &[ridge],
            self.options.penalty,
            self.options.components,
        )?;
        let s = solved
            .pop()
            .unwrap_or(Err(Error::NoConvergence("the ridge solve")))?;
        let output = Output::Linear {
            coef: s.variates.coef,
            offset: s.variates.offset,
        };
        Ok(Fit {
            discriminant: None,
            expansion: KernelExpansion::new(
                candidate.kernel,
                problem.feature_weights.clone(),
                &problem.x,
                output,
            ),
            decision: Decision::Mahalanobis {
                means: s.variates.means,
                log_priors: problem.log_priors(),
            },
            report: FitReport {
                objective: Some(s.rss),
                iterations: 1,
                converged: true,
                residual: Some(s.residual),
                retained_rows: (0..problem.n()).collect(),
                ridge: Some(ridge),
                eigenvalues: s.variates.eigenvalues,
                ..FitReport::default()
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::method::lda::Lda;
    use crate::testing::problem;

    /// Eq. 10 by plain normal equations and Gaussian elimination: slow and obvious.
    fn regress(k: &Matrix, y: &Matrix, r: f64, penalty: Penalty) -> (Matrix, Vec<f64>) {
        let (n, c) = (k.rows(), y.cols());
        let aug = Matrix::from_fn(n, n + 1, |i, j| if j < n { k[(i, j)] } else { 1.0 });
        let mut m = matmul(aug.view().t(), aug.view());
        for i in 0..n {
            for j in 0..n {
                m[(i, j)] += match penalty {
                    Penalty::Kernel => r * k[(i, j)],
                    Penalty::Identity => r * f64::from(i == j),
                };
            }
        }
        let mut b = matmul(aug.view().t(), y.view());
        for col in 0..=n {
            let pivot = (col..=n)
                .max_by(|&a, &b| m[(a, col)].abs().total_cmp(&m[(b, col)].abs()))
                .expect("rows");
            for j in 0..=n {
                let t = m[(col, j)];
                m[(col, j)] = m[(pivot, j)];
                m[(pivot, j)] = t;
            }
            for j in 0..c {
                let t = b[(col, j)];
                b[(col, j)] = b[(pivot, j)];
                b[(pivot, j)] = t;
            }
            for i in 0..=n {
                if i != col {
                    let f = m[(i, col)] / m[(col, col)];
                    for j in 0..=n {
                        m[(i, j)] -= f * m[(col, j)];
                    }
                    for j in 0..c {
                        b[(i, j)] -= f * b[(col, j)];
                    }
                }
            }
        }
        let x = Matrix::from_fn(n + 1, c, |i, j| b[(i, j)] / m[(i, i)]);
        (Matrix::from_fn(n, c, |i, j| x[(i, j)]), x.row(n).to_vec())
    }

    #[test]
    fn equals_canonical_variates_of_the_brute_force_regression() {
        let problem = problem(30, 3, 3, 2);
        let k = gram(&Kernel::Gaussian { bandwidth: 1.2 }, &problem.x);
        let classes = problem.classes();
        let y = scored_responses(&classes);
        for penalty in [Penalty::Kernel, Penalty::Identity] {
            let (a, o) = regress(&k, &y, 0.3, penalty);
            let mut fitted = matmul(k.view(), a.view());
            add_to_rows(&mut fitted, &o);
            let expected = canonical(&a, &o, &fitted, &classes, None).expect("finite");
            let solved = solve_gram(&k, true, &classes, &[0.3], penalty, None).expect("solves");
            let s = solved
                .into_iter()
                .next()
                .expect("one")
                .expect("solved")
                .variates;
            for (u, v) in s.means.as_slice().iter().zip(expected.means.as_slice()) {
                assert!((u.abs() - v.abs()).abs() < 1e-7, "{u} {v}");
            }
            for (u, v) in s.eigenvalues.iter().zip(&expected.eigenvalues) {
                assert!((u - v).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn an_indefinite_kernel_keeps_its_promises() {
        // Class means and eigenvalues must be those of the model's own outputs, at any ridge.
        let problem = problem(60, 4, 3, 6);
        let kernel = Kernel::Sigmoid {
            slope: 0.5,
            shift: 0.1,
        };
        let mkda = Mkda::new(&Options {
            kernel: Family::Sigmoid,
            ..Options::default()
        });
        for r in [1e-3, 0.1, 1.0, 10.0] {
            let fit = mkda
                .fit(&problem, &Candidate::new(kernel).ridge(r))
                .expect("fits");
            let z = fit.expansion.evaluate(&problem.x);
            let means = problem.classes().means(&z);
            let Decision::Mahalanobis { means: claimed, .. } = &fit.decision else {
                panic!("wrong rule")
            };
            for (a, b) in means.as_slice().iter().zip(claimed.as_slice()) {
                assert!((a - b).abs() < 1e-6 * claimed.max_abs(), "r = {r}: {a} {b}");
            }
            // No worse than the offset alone, which leaves n (c - 1).
            assert!(fit.report.objective.expect("known") <= 120.0);
            assert!(fit.report.residual.expect("known") < 1e-9);
        }
    }

    #[test]
    fn linear_kernel_and_vanishing_ridge_are_lda() {
        let problem = problem(90, 4, 3, 3);
        let options = Options {
            kernel: Family::Linear,
            ..Options::default()
        };
        let mkda = Mkda::new(&options);
        let fit = mkda
            .fit(&problem, &Candidate::new(Kernel::Linear).ridge(1e-7))
            .expect("fits");
        let lda = Lda::new(&options).solve(&problem).expect("fits");
        let (za, zb) = (
            fit.expansion.evaluate(&problem.x),
            lda.expansion.evaluate(&problem.x),
        );
        let (pa, pb) = (fit.decision.posterior(&za), lda.decision.posterior(&zb));
        for (u, v) in pa.as_slice().iter().zip(pb.as_slice()) {
            assert!((u - v).abs() < 1e-6, "{u} {v}");
        }
    }
}
