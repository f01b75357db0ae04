//! Kernel optimal scoring on landmarks: a low-dimensional stand-in for the kernel matrix, of which
//! Lapanowski & Gaynanova speak in their discussion.
//!
//! The function lives in the span of `m` landmarks `z`. With `C_m` the centring of their
//! coefficients and `P = C K_nm C_m`,
//! ```text
//! min_b (1/n) |Y theta - P b|^2 + gamma b' (C_m K_mm C_m + jitter I) b
//! (P'P + n gamma (C_m K_mm C_m + jitter I)) b = P'Y theta
//! ```
//! With all rows as landmarks this is eq. 5 itself. `P'P` and `P'Y` are sums over rows
//! ([`crate::partial::Sums`]). Complexity: `n m^2` flops and memory for `m^2` numbers.

use super::{JITTER, Kos, KosSetting, Ridge, RidgeRule, ridge_value, rotation};
use crate::classes::Classes;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Kernel, center_gram_weighted, gram};
use crate::linalg::{Cholesky, Matrix, center_columns_weighted, cholesky_shifted, dot, matmul};
use crate::method::landmarks::by_class;
use crate::method::{Fit, FitReport, Fold, HeldOut, Problem};
use crate::partial::{Columns, InMemory, Passes, Sums, weighted};
use crate::solver::optimal_scoring::{contrast_responses, contrast_scores};
use crate::solver::ridge::{Shifted, center_coefficients, scale_gram};

/// Rows of the sample on which the rules for the ridge look at the Gram matrix.
const RIDGE_ROWS: usize = 2000;

/// The solution for one ridge.
pub(super) struct Solution {
    /// `C_m b`, `m x (c - 1)`.
    pub(super) coef: Matrix,
    pub(super) offset: Vec<f64>,
    pub(super) gamma: f64,
    pub(super) objective: f64,
    /// Relative residual of the equations.
    pub(super) residual: f64,
}

/// The equations of several ridges.
struct Equations {
    /// `P'P`, `C_m K_mm C_m` and `P'Y theta`, with the roots of the landmarks' weights.
    normal: Matrix,
    norm: Matrix,
    right: Matrix,
    /// Weights of the landmarks.
    classes: Classes,
    /// Means of the kernel values with the landmarks.
    means: Vec<f64>,
    total: f64,
}

impl Equations {
    fn new(problem: &Problem, kernel: &Kernel, landmarks: &[usize]) -> Result<Self> {
        let classes = problem.classes();
        let mut rows = InMemory {
            x: &problem.x,
            classes: &classes,
        };
        let centres = problem.x.select_rows(landmarks);
        let centres = weighted(&centres, &problem.feature_weights);
        let mut norm = gram(kernel, &centres);
        let sums = rows.sums(Columns::Kernel {
            kernel: *kernel,
            scores: None,
            weights: problem.feature_weights.clone(),
            centres,
            linear: false,
        })?;
        let own = problem.select(landmarks).classes();
        let (mut normal, mut right) = (sums.centred_gram(), products(&sums));
        for m in [&mut normal, &mut norm] {
            center_gram_weighted(m, own.weights());
            scale_gram(m, &own);
        }
        center_columns_weighted(&mut right, own.weights());
        own.scale_rows(&mut right);
        Ok(Self {
            normal,
            norm,
            right,
            classes: own,
            means: sums.means(),
            total: sums.total(),
        })
    }

    fn solve(&self, gamma: f64) -> Result<Solution> {
        let g = self.total * gamma;
        let mut left = self.normal.clone();
        let terms = left.as_mut_slice().iter_mut();
        terms
            .zip(self.norm.as_slice())
            .for_each(|(v, k)| *v += g * k);
        let factor = factored(&left, g * JITTER)?;
        let mut b = self.right.clone();
        factor.solve_in_place(&mut b);
        let fitted = matmul(left.view(), b.view());
        let gaps = fitted.as_slice().iter().zip(b.as_slice());
        let gaps = gaps.zip(self.right.as_slice());
        let gap = gaps.fold(0.0, |m, ((f, b), r)| {
            f64::max(m, (f + g * JITTER * b - r).abs())
        });
        let size = left.max_abs() * b.max_abs() * b.rows() as f64 + self.right.max_abs();
        // |Y theta|^2 is the weight of all rows for every score, and the rest follows from the
        // equations.
        let explained = dot(self.right.as_slice(), b.as_slice());
        let turned = rotation(&self.right, &b)?;
        let mut coef = matmul(b.view(), turned.view());
        self.classes.scale_rows(&mut coef);
        center_coefficients(&mut coef, &self.classes);
        let offset = (0..coef.cols()).map(|l| -dot(&self.means, &coef.column(l)));
        Ok(Solution {
            offset: offset.collect(),
            gamma,
            objective: b.cols() as f64 - explained / self.total,
            residual: gap / size.max(f64::MIN_POSITIVE),
            coef,
        })
    }
}

/// Products of centred columns with the scored responses.
fn products(sums: &Sums) -> Matrix {
    let (means, theta) = (sums.means(), contrast_scores(&sums.totals));
    let centred = Matrix::from_fn(means.len(), sums.totals.len(), |i, k| {
        sums.by_class[(i, k)] - means[i] * sums.totals[k]
    });
    matmul(centred.view(), theta.view())
}

/// A factor of `left + shift I`; where rounding is larger than the shift, of a larger one.
fn factored(left: &Matrix, mut shift: f64) -> Result<Cholesky> {
    let top = (0..left.rows()).fold(0.0, |m, i| f64::max(m, left[(i, i)]));
    loop {
        match cholesky_shifted(left.clone(), shift) {
            Err(_) if shift < 1e-6 * top => shift = (10.0 * shift).max(1e-15 * top),
            found => return found,
        }
    }
}

/// Solves for several ridges with these rows as landmarks.
pub(super) fn solve(
    problem: &Problem,
    kernel: &Kernel,
    landmarks: &[usize],
    ridges: &[Ridge],
) -> Result<Vec<Result<Solution>>> {
    let equations = Equations::new(problem, kernel, landmarks)?;
    let sampled = landmarks.len() < problem.n();
    let one = |&ridge: &Ridge| equations.solve(gamma(ridge, problem, kernel, sampled)?);
    Ok(ridges.iter().map(one).collect())
}

/// The ridge: given, or by a rule on all features (section 5.2). If `sampled`, the rule is applied to
/// a sample of the rows.
pub(in crate::method) fn gamma(
    ridge: Ridge,
    problem: &Problem,
    kernel: &Kernel,
    sampled: bool,
) -> Result<f64> {
    if let Ridge::Fixed(gamma) = ridge {
        return Ok(gamma);
    }
    let sample = (sampled && problem.n() > RIDGE_ROWS)
        .then(|| by_class(problem, RIDGE_ROWS))
        .map(|rows| problem.select(&rows));
    let seen = sample.as_ref().unwrap_or(problem);
    let classes = seen.classes();
    let mut m = gram(kernel, &seen.x);
    center_gram_weighted(&mut m, classes.weights());
    scale_gram(&mut m, &classes);
    let y = contrast_responses(&classes);
    let m = if kernel.family().is_definite() {
        Shifted::new(m)
    } else {
        Shifted::indefinite(m)
    };
    let gamma = ridge_value(ridge, &m, &y, &classes)?;
    // n gamma-hat of stabilization hardly depends on n once it is small (t is of order 1/n, and so
    // is gamma-hat itself).
    let ratio = classes.total() / problem.classes().total();
    Ok(match ridge {
        Ridge::Rule(RidgeRule::Gcv) => gamma,
        Ridge::Rule(RidgeRule::StabilizationLiteral) => gamma * ratio,
        _ => gamma * ratio * ratio,
    })
}

impl Kos {
    /// The scores as a function of a row, and the rule, from a solution.
    fn of_landmarks(
        &self,
        problem: &Problem,
        kernel: &Kernel,
        landmarks: &[usize],
        solution: Solution,
    ) -> Result<Fit> {
        let support = problem.x.select_rows(landmarks);
        let expansion = |coef: Matrix, offset: Vec<f64>| {
            let output = Output::Linear { coef, offset };
            let weights = problem.feature_weights.clone();
            KernelExpansion::new(*kernel, weights, &support, output)
        };
        let Solution {
            mut coef,
            mut offset,
            ..
        } = solution;
        let scores = expansion(coef.clone(), offset.clone()).evaluate(&problem.x);
        let (decision, transform) = self.scoring.decision(&scores, problem)?;
        if let Some(t) = transform {
            coef = matmul(coef.view(), t.view());
            let row = Matrix::from_vec(offset, 1, t.rows());
            offset = matmul(row.view(), t.view()).into_vec();
        }
        Ok(Fit::new(
            expansion(coef, offset),
            decision,
            FitReport {
                objective: Some(solution.objective),
                iterations: 1,
                converged: true,
                residual: Some(solution.residual),
                retained_rows: landmarks.to_vec(),
                ridge: Some(solution.gamma),
                ..FitReport::default()
            },
        ))
    }

    /// The fit with `m` landmarks, drawn by class.
    pub(super) fn fit_on_landmarks(
        &self,
        problem: &Problem,
        setting: &KosSetting,
        m: usize,
    ) -> Result<Fit> {
        let landmarks = by_class(problem, m);
        let ridge = self.scoring.ridge.at(setting.ridge);
        let mut solved = solve(problem, &setting.kernel, &landmarks, &[ridge])?;
        let solution = solved
            .pop()
            .unwrap_or(Err(Error::NoConvergence("the ridge solve")))?;
        self.of_landmarks(problem, &setting.kernel, &landmarks, solution)
    }

    /// Scores of the held-out rows of a fold, for settings that differ in the ridge alone.
    pub(super) fn held_out_on_landmarks(
        &self,
        fold: &Fold,
        arm: &[KosSetting],
        m: usize,
    ) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let landmarks = by_class(&fold.train, m);
        let ridges: Vec<Ridge> = arm.iter().map(|s| self.scoring.ridge.at(s.ridge)).collect();
        let solved = solve(&fold.train, &first.kernel, &landmarks, &ridges)?;
        let one = |solution: Result<Solution>| {
            let Ok(solution) = solution else {
                return Ok(None);
            };
            let fit = self.of_landmarks(&fold.train, &first.kernel, &landmarks, solution)?;
            let z = fit.expansion.evaluate(&fold.held_out);
            Ok(Some(fit.decision.scores(&z).into()))
        };
        solved.into_iter().map(one).collect()
    }
}
