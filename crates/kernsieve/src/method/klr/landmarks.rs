//! Kernel logistic regression on landmarks: functions of few samples, fitted to all rows.
//!
//! ```text
//! min_A (1/n) sum_i -log p_{y_i}(x_i) + lambda sum_c a_c'K_mm a_c,     f(x) = sum_l a_l k(x, z_l)
//! ```
//! with the landmarks `z_l` drawn by class. The penalty is the norm of eq. 16, so with all rows as
//! landmarks it is the regression on all samples. A solution on some of the rows is followed by
//! Newton steps on all of them, each of which is a sum over rows. Complexity: `n m^2 q^2` flops a
//! step for `q` outputs, and three or four steps.

use super::{Ridged, by_row, logits};
use crate::data::stratified_sample;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{cross_gram, gram};
use crate::linalg::{Matrix, add_scaled, cholesky_shifted, dot, matmul};
use crate::method::landmarks::by_class;
use crate::method::{Fit, FitReport, Fold, HeldOut, Problem};
use crate::partial::{Columns, InMemory, Newton, Passes, weighted};
use crate::solver::softmax::{Softmax, softmax};

/// Kernel values that the first solution may hold.
const FIRST_VALUES: usize = 10_000_000;
/// Coefficients at most: a Newton step takes their square in memory and their cube in operations.
const MOST_COEFFICIENTS: usize = 8000;
/// Newton steps at most.
const STEPS: usize = 30;
/// Length of the gradient, relative to its terms, at which a fit is done.
const TOLERANCE: f64 = 1e-9;
/// Length relative to that at zero in folds and for the first solution.
const ROUGH: f64 = 1e-5;
/// Added to the diagonal of the penalty, relative to its largest element: landmarks may be copies.
const JITTER: f64 = 1e-12;

/// Scores of the held-out rows of a fold, for settings that differ in the ridge alone.
pub(super) fn held_out(fold: &Fold, arm: &[Ridged], m: usize) -> Result<Vec<Option<HeldOut>>> {
    let Some(first) = arm.first() else {
        return Ok(vec![]);
    };
    let train = &fold.train;
    let centres = train.x.select_rows(&by_class(train, m));
    let phi = cross_gram(&first.kernel, &train.x, &centres);
    let new = cross_gram(&first.kernel, &fold.held_out, &centres);
    let (own, decision) = (gram(&first.kernel, &centres), logits(train));
    let one = |setting: &Ridged| -> Result<Option<HeldOut>> {
        let Ok(found) = solve(train, &phi, &own, setting.ridge, ROUGH) else {
            return Ok(None);
        };
        let z = matmul(new.view(), found.coef.view());
        Ok(Some(decision.scores(&z).into()))
    };
    arm.iter().map(one).collect()
}

/// The solution on rows at hand.
fn solve(
    problem: &Problem,
    phi: &Matrix,
    own: &Matrix,
    ridge: f64,
    tolerance: f64,
) -> Result<Softmax> {
    let classes = problem.classes();
    let penalty = penalty(own, ridge, classes.total());
    let found = softmax(phi, &classes, &penalty, &[phi.cols()], tolerance)?;
    let found = found.into_iter().next();
    found.ok_or(Error::NoConvergence("kernel logistic regression"))
}

/// `2 n lambda K_mm`: half of `a'Pa` stands beside the sum over rows.
fn penalty(own: &Matrix, ridge: f64, total: f64) -> Matrix {
    let top = (0..own.rows()).fold(0.0, |m, i| f64::max(m, own[(i, i)]));
    let factor = 2.0 * total * ridge;
    Matrix::from_fn(own.rows(), own.cols(), |i, j| {
        factor * (own[(i, j)] + if i == j { JITTER * top } else { 0.0 })
    })
}

/// The fit on the rows of a problem.
pub(super) fn fit(problem: &Problem, setting: &Ridged, m: usize) -> Result<Fit> {
    let classes = problem.classes();
    let mut rows = InMemory {
        x: &problem.x,
        classes: &classes,
    };
    fit_by_passes(problem, setting, m, &mut rows)
}

/// The fit on all rows, of which some are at hand.
pub(super) fn fit_by_passes(
    some: &Problem,
    setting: &Ridged,
    m: usize,
    rows: &mut dyn Passes,
) -> Result<Fit> {
    let landmarks = by_class(some, m);
    let q = match some.labels.n_classes() {
        2 => 1,
        c => c,
    };
    if landmarks.len() * q > MOST_COEFFICIENTS {
        return Err(Error::Data(format!(
            "{} landmarks for {q} classes are too many coefficients for Newton steps; \
             `candidates={}` can be fitted",
            landmarks.len(),
            (MOST_COEFFICIENTS / q).max(2)
        )));
    }
    let centres = weighted(&some.x.select_rows(&landmarks), &some.feature_weights);
    let own = gram(&setting.kernel, &centres);
    let columns = Columns::Kernel {
        kernel: setting.kernel,
        scores: None,
        weights: some.feature_weights.clone(),
        centres,
        linear: false,
    };
    let first = first_solution(some, &columns, &own, setting.ridge)?;
    let (coef, report) = newton(rows, &columns, &own, setting.ridge, first)?;
    let output = Output::Linear {
        coef,
        offset: vec![0.0; q],
    };
    let support = some.x.select_rows(&landmarks);
    let weights = some.feature_weights.clone();
    Ok(Fit::new(
        KernelExpansion::new(setting.kernel, weights, &support, output),
        logits(some),
        FitReport {
            retained_rows: landmarks,
            ridge: Some(setting.ridge),
            ..report
        },
    ))
}

/// A solution on some of the rows at hand, from which Newton steps begin.
fn first_solution(some: &Problem, columns: &Columns, own: &Matrix, ridge: f64) -> Result<Matrix> {
    let most = FIRST_VALUES / own.rows().max(1);
    let drawn = stratified_sample(&some.labels, most.min(some.n()), some.seed ^ 3);
    let part = some.select(&drawn);
    let phi = columns.of(&part.x);
    Ok(solve(&part, &phi, own, ridge, ROUGH)?.coef)
}

/// Newton steps, shorter where a whole one does not help.
fn newton(
    rows: &mut dyn Passes,
    columns: &Columns,
    own: &Matrix,
    ridge: f64,
    first: Matrix,
) -> Result<(Matrix, FitReport)> {
    let mut here = Point::at(rows, columns, own, ridge, first)?;
    let mut trace = vec![here.objective];
    while trace.len() <= STEPS && here.residual > TOLERANCE {
        let step = here.step()?;
        let mut length = 1.0;
        let next = loop {
            let mut trial = here.coef.clone();
            add_scaled(&mut trial, &step, length);
            let there = Point::at(rows, columns, own, ridge, trial)?;
            if there.objective < here.objective {
                break Some(there);
            }
            length *= 0.5;
            if length < 1e-3 {
                break None;
            }
        };
        // No step lowers the objective any more: rounding.
        let Some(next) = next else { break };
        here = next;
        trace.push(here.objective);
    }
    if !here.objective.is_finite() {
        return Err(Error::NoConvergence("kernel logistic regression"));
    }
    Ok((
        here.coef,
        FitReport {
            objective: Some(here.objective),
            iterations: trace.len() - 1,
            converged: here.residual < 1e-6,
            residual: Some(here.residual),
            trace,
            ..FitReport::default()
        },
    ))
}

/// Where the steps are.
struct Point {
    coef: Matrix,
    /// Of the penalised mean.
    objective: f64,
    gradient: Matrix,
    /// Its length relative to that of its two terms, which cancel at the solution.
    residual: f64,
    sums: Newton,
    penalty: Matrix,
}

impl Point {
    fn at(
        rows: &mut dyn Passes,
        columns: &Columns,
        own: &Matrix,
        ridge: f64,
        coef: Matrix,
    ) -> Result<Self> {
        let sums = rows.newton(columns.clone(), coef.clone())?;
        let penalty = penalty(own, ridge, sums.total);
        let pull = matmul(penalty.view(), coef.view());
        let mut gradient = sums.gradient.clone();
        add_scaled(&mut gradient, &pull, 1.0);
        let size = norm(&sums.gradient) + norm(&pull);
        let half = 0.5 * dot(pull.as_slice(), coef.as_slice());
        Ok(Self {
            objective: (sums.loss + half) / sums.total,
            residual: norm(&gradient) / size.max(f64::MIN_POSITIVE),
            coef,
            gradient,
            sums,
            penalty,
        })
    }

    /// `-(H + P)^-1 g`, coefficients output by output.
    fn step(&self) -> Result<Matrix> {
        let (m, q) = (self.coef.rows(), self.coef.cols());
        let mut bend = self.sums.hessian.clone();
        for a in 0..q {
            for j in 0..m {
                for l in 0..m {
                    bend[(a * m + j, a * m + l)] += self.penalty[(j, l)];
                }
            }
        }
        let top = (0..q * m).fold(0.0, |t, i| f64::max(t, bend[(i, i)]));
        let factor = cholesky_shifted(bend, JITTER * top)?;
        let mut step = Matrix::from_fn(q * m, 1, |i, _| -self.gradient[(i % m, i / m)]);
        factor.solve_in_place(&mut step);
        Ok(by_row(step.as_slice(), m))
    }
}

fn norm(m: &Matrix) -> f64 {
    dot(m.as_slice(), m.as_slice()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::{Klr, Method};
    use super::*;
    use crate::kernel::Kernel;
    use crate::testing::problem;

    #[test]
    fn with_all_rows_as_landmarks_it_is_the_regression_on_all_samples() {
        for c in [2, 3] {
            let problem = problem(70, 3, c, 5);
            let setting = Ridged {
                kernel: Kernel::Gaussian { bandwidth: 1.2 },
                ridge: 0.01,
            };
            let whole = Klr::new().fit(&problem, &setting).expect("fits");
            let few = fit(&problem, &setting, 70).expect("fits");
            let p = |f: &Fit| f.decision.posterior(&f.outputs(&problem.x));
            let (a, b) = (p(&whole), p(&few));
            for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
                assert!((u - v).abs() < 1e-6, "{u} {v}");
            }
            let (a, b) = (whole.report.objective, few.report.objective);
            assert!((a.expect("known") - b.expect("known")).abs() < 1e-8);
            assert!(few.report.converged, "{:?}", few.report.residual);
        }
    }

    #[test]
    fn the_objective_falls_and_no_coefficient_can_lower_it() {
        let problem = problem(300, 3, 3, 6);
        let setting = Ridged {
            kernel: Kernel::Gaussian { bandwidth: 1.0 },
            ridge: 0.002,
        };
        let found = fit(&problem, &setting, 25).expect("fits");
        let trace = &found.report.trace;
        assert!(trace.windows(2).all(|w| w[1] < w[0]), "{trace:?}");
        let kept = problem.x.select_rows(&found.report.retained_rows);
        let (k, own) = (
            cross_gram(&setting.kernel, &problem.x, &kept),
            gram(&setting.kernel, &kept),
        );
        let Output::Linear { coef, .. } = &found.expansion.output else {
            panic!("linear outputs")
        };
        // The objective from its definition.
        let value = |coef: &Matrix| {
            let f = matmul(k.view(), coef.view());
            let codes = problem.labels.codes().iter().enumerate();
            let losses = codes.map(|(i, &c)| {
                let sum: f64 = f.row(i).iter().map(|v| v.exp()).sum();
                sum.ln() - f[(i, c)]
            });
            let pull = matmul(own.view(), coef.view());
            losses.sum::<f64>() / 300.0 + 0.002 * dot(pull.as_slice(), coef.as_slice())
        };
        let here = value(coef);
        assert!((here - found.report.objective.expect("known")).abs() < 1e-9);
        for k in 0..coef.as_slice().len() {
            let moved = |by: f64| {
                let mut other = coef.clone();
                other.as_mut_slice()[k] += by;
                value(&other)
            };
            let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            assert!(slope.abs() < 1e-6, "{k}: {slope}");
        }
    }
}
