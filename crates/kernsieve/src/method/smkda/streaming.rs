//! Selection among few candidates when there are many rows: everything the selection needs is a sum
//! over rows, wherever these are.

use super::{
    Coefficients, Decision, Error, Fit, FitReport, KernelExpansion, Output, PathStep, Problem,
    Result, SmkdaSetting, canonical_of_means, coefficients, dot, ranked_selection,
};
use crate::linalg::{Matrix, matmul};
use crate::method::landmarks::{by_class, scored_products};
use crate::partial::{Columns, InMemory, Passes, weighted};

/// Fits with `m` candidates drawn by class: two passes over the rows, `n m^2` and `2 n n_s^2`
/// flops.
pub(super) fn fit(
    problem: &Problem,
    setting: &SmkdaSetting,
    m: usize,
    components: Option<usize>,
) -> Result<Fit> {
    let classes = problem.classes();
    let mut rows = InMemory {
        x: &problem.x,
        classes: &classes,
    };
    fit_by_passes(problem, setting, m, components, &mut rows)
}

/// The same for rows that are summed over elsewhere; the candidates are some of the rows at hand.
pub(super) fn fit_by_passes(
    some: &Problem,
    setting: &SmkdaSetting,
    m: usize,
    components: Option<usize>,
    rows: &mut dyn Passes,
) -> Result<Fit> {
    let landmarks = by_class(some, m);
    let columns = |rows: &[usize]| Columns::Kernel {
        kernel: setting.kernel,
        scores: None,
        weights: some.feature_weights.clone(),
        centres: weighted(&some.x.select_rows(rows), &some.feature_weights),
        linear: false,
    };
    // First pass: K'K and K'Y.
    let sums = rows.sums(columns(&landmarks))?;
    let shares: Vec<f64> = sums.totals.iter().map(|t| t / sums.total()).collect();
    let centres = some.x.select_rows(&landmarks);
    let ranks = super::row_ranks(&centres);

    // The selection.
    let size = setting.size.min(m);
    let mut rss = sums.total() * (shares.len() - 1) as f64;
    let mut path: Vec<PathStep> = Vec::with_capacity(size);
    let mut chosen: Vec<usize> = Vec::with_capacity(size);
    ranked_selection(
        sums.centred_gram(),
        scored_products(&sums),
        &ranks,
        size,
        |step| {
            rss -= step.shrinkage * (2.0 - step.shrinkage) * dot(step.responses, step.responses);
            let row = landmarks[step.candidate];
            chosen.push(row);
            path.push(PathStep {
                row: Some(row),
                ..PathStep::new(step.size, rss.max(0.0))
            });
            true
        },
    );
    if chosen.is_empty() {
        return Err(Error::Data(
            "no column of the kernel matrix varies: there is nothing to select".into(),
        ));
    }

    // Second pass: coefficients from the chosen columns themselves, by a few rows that stand for
    // all.
    let reduced = rows.reduced(columns(&chosen))?;
    let (s, c) = (chosen.len(), shares.len());
    let scored = |i: usize, k: usize| reduced.y[(i, k)] / shares[k].sqrt();
    let Coefficients { coef, .. } = coefficients(reduced.x.rows(), s, c, |i, row| {
        row[..s].copy_from_slice(reduced.x.row(i));
        (0..c).for_each(|k| row[s + k] = scored(i, k));
    })?;
    let along = |row: &[f64], k: usize| (0..s).map(|j| row[j] * coef[(j, k)]).sum::<f64>();
    let offset: Vec<f64> = (0..c)
        .map(|k| shares[k].sqrt() - along(&reduced.means, k))
        .collect();
    let fitted = matmul(reduced.x.view(), coef.view());
    let gaps = (0..fitted.rows()).flat_map(|i| (0..c).map(move |k| (i, k)));
    let objective = gaps.map(|(i, k)| (scored(i, k) - fitted[(i, k)]).powi(2));
    let means = Matrix::from_fn(c, c, |g, k| {
        offset[k] + along(reduced.class_means.row(g), k)
    });
    let cv = canonical_of_means(&coef, &offset, &means, &shares, components)?;
    let output = Output::Linear {
        coef: cv.coef,
        offset: cv.offset,
    };
    let support = some.x.select_rows(&chosen);
    Ok(Fit::new(
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
            objective: Some(objective.sum()),
            iterations: s,
            converged: true,
            retained_rows: chosen,
            eigenvalues: cv.eigenvalues,
            path,
            ..FitReport::default()
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::super::{Method, Smkda};
    use super::*;
    use crate::kernel::Kernel;
    use crate::testing::problem;

    #[test]
    fn as_many_candidates_as_rows_give_the_same_model() {
        let problem = problem(90, 3, 3, 1);
        let setting = SmkdaSetting {
            kernel: Kernel::Gaussian { bandwidth: 1.0 },
            size: 15,
        };
        let whole = Smkda::new().fit(&problem, &setting).expect("fits");
        let streamed = fit(&problem, &setting, 90, None).expect("fits");
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
        let setting = SmkdaSetting {
            kernel: Kernel::Gaussian { bandwidth: 1.0 },
            size: 12,
        };
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
}
