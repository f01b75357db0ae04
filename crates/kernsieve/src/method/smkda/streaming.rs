//! Selection among few candidates when there are many rows: everything the selection needs is a sum
//! over rows, wherever these are.

use super::recursive::solve;
use super::{
    Decision, Error, Fit, FitReport, Ground, KernelExpansion, Output, PathStep, Penalised, Problem,
    Result, Smkda, SmkdaSetting,
};
use crate::kernel::gram;
use crate::linalg::Matrix;
use crate::method::landmarks::{by_class, scored_products};
use crate::partial::{Columns, ExactSums, InMemory, LEAST_LEFT, Passes, weighted};

/// Fits with candidates drawn by class: two passes over the rows, `n m^2` and `2 n n_s^2` flops.
/// An exact fit has the coefficients from the first pass.
pub(super) fn fit(smkda: &Smkda, problem: &Problem, setting: &SmkdaSetting) -> Result<Fit> {
    let classes = problem.classes();
    let mut rows = InMemory {
        x: &problem.x,
        classes: &classes,
    };
    fit_by_passes(smkda, problem, setting, &mut rows)
}

/// The same for rows that are summed over elsewhere; the candidates are some of the rows at hand.
pub(super) fn fit_by_passes(
    smkda: &Smkda,
    some: &Problem,
    setting: &SmkdaSetting,
    rows: &mut dyn Passes,
) -> Result<Fit> {
    let m = smkda.candidates.unwrap_or(some.n());
    let landmarks = by_class(some, m);
    let weighted_rows = |rows: &[usize]| weighted(&some.x.select_rows(rows), &some.feature_weights);
    let columns = |rows: &[usize]| Columns::Kernel {
        kernel: setting.kernel,
        scores: None,
        weights: some.feature_weights.clone(),
        centres: weighted_rows(rows),
        linear: false,
    };
    // First pass: K'K and K'Y.
    let first = First::new(smkda.exact, rows, columns(&landmarks))?;
    let own = |rows: &[usize]| gram(&setting.kernel, &weighted_rows(rows));
    let mut ground = Ground {
        gram: first.gram,
        products: first.products,
        means: first.means,
        own: smkda.has_ridge().then(|| own(&landmarks)),
        ranks: super::row_ranks(&some.x.select_rows(&landmarks)),
        total: first.totals.iter().sum(),
        n_classes: first.totals.len(),
        press: None,
    };

    // The selection.
    let (ridge, size) = smkda.settled(&mut ground, setting, some, setting.size.min(m));
    let mut path: Vec<PathStep> = Vec::with_capacity(size);
    let mut chosen: Vec<usize> = Vec::with_capacity(size);
    let mut places: Vec<usize> = Vec::with_capacity(size);
    let least = first
        .exact
        .as_ref()
        .map(|sums| LEAST_LEFT * sums.rows() as f64);
    ground.walk(smkda, ridge, true, size, |step, at| {
        if least.is_some_and(|least| step.length * step.length < least) {
            return false;
        }
        let row = landmarks[step.candidate];
        chosen.push(row);
        places.push(step.candidate);
        path.push(PathStep {
            row: Some(row),
            ..PathStep::new(step.size, at.left.max(0.0))
        });
        true
    });
    if chosen.is_empty() {
        return Err(Error::Data(
            "no column of the kernel matrix varies: there is nothing to select".into(),
        ));
    }

    // Second pass: coefficients from the chosen columns themselves, by a few rows that stand for
    // all.
    let (reduced, factor) = match &first.exact {
        Some(sums) => (sums.reduced(&places)?, None),
        None => {
            let factor = rows.factor(columns(&chosen))?;
            (factor.reduced(), smkda.updatable.then_some(factor))
        }
    };
    let penalty = Penalised::new(ridge, || own(&chosen))?;
    let solved = solve(&reduced, &penalty, smkda.components)?;
    let cv = solved.variates;
    let output = Output::Linear {
        coef: cv.coef,
        offset: cv.offset,
    };
    let support = some.x.select_rows(&chosen);
    let fit = Fit::new(
        KernelExpansion::new(
            setting.kernel,
            some.feature_weights.clone(),
            &support,
            output,
        ),
        Decision::Mahalanobis {
            means: cv.means,
            log_priors: some.log_priors(),
        },
        FitReport {
            objective: Some(solved.objective),
            iterations: chosen.len(),
            converged: true,
            retained_rows: chosen,
            ridge,
            eigenvalues: cv.eigenvalues,
            path,
            ..FitReport::default()
        },
    );
    Ok(Fit { factor, ..fit })
}

/// What the first pass tells.
struct First {
    /// Products of the centred columns of all candidates.
    gram: Matrix,
    /// Products of these with the scored responses.
    products: Matrix,
    /// Means of the columns.
    means: Vec<f64>,
    /// Weight of each class.
    totals: Vec<f64>,
    /// The sums themselves, where they are exact.
    exact: Option<ExactSums>,
}

impl First {
    fn new(exact: bool, rows: &mut dyn Passes, columns: Columns) -> Result<Self> {
        if !exact {
            let sums = rows.sums(columns)?;
            return Ok(Self {
                gram: sums.centred_gram(),
                products: scored_products(&sums),
                means: sums.means(),
                totals: sums.totals,
                exact: None,
            });
        }
        let sums = rows.exact(columns)?;
        let (totals, by_class) = (sums.totals(), sums.centred_by_class());
        let total: f64 = totals.iter().sum();
        let scored = |i, k| by_class[(i, k)] * (total / totals[k]).sqrt();
        Ok(Self {
            gram: sums.centred_gram(),
            products: Matrix::from_fn(by_class.rows(), by_class.cols(), scored),
            means: sums.means(),
            totals,
            exact: Some(sums),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;
    use crate::kernel::Kernel;
    use crate::partial::{Part, Task};
    use crate::testing::problem;

    #[test]
    fn as_many_candidates_as_rows_give_the_same_model() {
        let problem = problem(90, 3, 3, 1);
        let setting = SmkdaSetting::of(Kernel::Gaussian { bandwidth: 1.0 }, 15);
        let whole = Smkda::new().fit(&problem, &setting).expect("fits");
        let streamed = fit(&Smkda::new().candidates(90), &problem, &setting).expect("fits");
        assert_eq!(whole.report.retained_rows, streamed.report.retained_rows);
        let (a, b) = (
            whole.expansion.evaluate(&problem.x),
            streamed.expansion.evaluate(&problem.x),
        );
        for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((u - v).abs() < 1e-7 * a.max_abs());
        }
        let (r, q) = (
            whole.report.objective.expect("known"),
            streamed.report.objective.expect("known"),
        );
        assert!((r - q).abs() < 1e-8 * r);
    }

    #[test]
    fn chooses_among_the_candidates_only() {
        let problem = problem(200, 3, 2, 2);
        let setting = SmkdaSetting::of(Kernel::Gaussian { bandwidth: 1.0 }, 12);
        let smkda = Smkda::new().candidates(30);
        let fit = smkda.fit(&problem, &setting).expect("fits");
        let landmarks = by_class(&problem, 30);
        assert_eq!(fit.report.retained_rows.len(), 12);
        assert!(
            fit.report
                .retained_rows
                .iter()
                .all(|r| landmarks.contains(r))
        );
    }

    /// Rows in parts that are summed over one by one.
    struct Divided<'a>(&'a Problem, &'a [usize]);

    impl Passes for Divided<'_> {
        fn rows(&self) -> u64 {
            self.0.n() as u64
        }

        fn run(&mut self, task: &Task) -> Result<Part> {
            let mut whole: Option<Part> = None;
            let mut start = 0;
            for &end in self.1 {
                let problem = self.0.select(&(start..end).collect::<Vec<_>>());
                let classes = problem.classes();
                let (x, classes) = (&problem.x, &classes);
                let part = InMemory { x, classes }.run(task)?;
                match &mut whole {
                    Some(whole) => whole.merge(&part)?,
                    None => whole = Some(part),
                }
                start = end;
            }
            whole.ok_or(Error::NoConvergence("no parts"))
        }
    }

    #[test]
    fn exact_fits_are_the_same_bits_for_any_division_of_the_rows() {
        let problem = problem(600, 3, 3, 4);
        let setting = SmkdaSetting::of(Kernel::Gaussian { bandwidth: 0.8 }, 20);
        let smkda = Smkda::new().candidates(60);
        let usual = smkda.fit(&problem, &setting).expect("fits");
        let exact = smkda.exact().fit(&problem, &setting).expect("fits");
        let all = exact.expansion.evaluate(&problem.x);
        for cuts in [&[600][..], &[1, 300, 300, 600], &[37, 256, 512, 599, 600]] {
            let mut rows = Divided(&problem, cuts);
            let found = Smkda::new().candidates(60).exact();
            let found = fit_by_passes(&found, &problem, &setting, &mut rows).expect("fits");
            assert_eq!(found.report.retained_rows, exact.report.retained_rows);
            assert_eq!(found.expansion.evaluate(&problem.x), all);
        }
        // And it is the usual model up to the rounding of the kernel values.
        assert_eq!(usual.report.retained_rows, exact.report.retained_rows);
        let expected = usual.expansion.evaluate(&problem.x);
        for (a, b) in all.as_slice().iter().zip(expected.as_slice()) {
            assert!((a - b).abs() < 1e-4 * expected.max_abs(), "{a} {b}");
        }
    }

    #[test]
    fn exact_fits_end_where_rounded_values_tell_no_more_samples_apart() {
        let problem = problem(300, 2, 2, 4);
        let setting = SmkdaSetting::of(Kernel::Gaussian { bandwidth: 50.0 }, 60);
        let fit = |smkda: Smkda| smkda.fit(&problem, &setting).expect("fits");
        let exact = fit(Smkda::new().candidates(60).exact());
        let usual = fit(Smkda::new().candidates(60));
        let (few, many) = (&exact.report.retained_rows, &usual.report.retained_rows);
        assert!(
            few.len() < many.len() && few[..] == many[..few.len()],
            "{few:?} {many:?}"
        );
    }
}
