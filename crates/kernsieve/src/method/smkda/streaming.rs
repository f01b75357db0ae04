//! Selection among few candidates when there are many rows: everything the selection needs is a sum
//! over rows.

use super::{
    Coefficients, Decision, Error, Fit, FitReport, KernelExpansion, Output, PathStep, Problem,
    Result, SmkdaSetting, canonical, coefficients, dot, ranked_selection, response_means,
};
use crate::linalg::Matrix;
use crate::method::landmarks::{BLOCK, Sums, by_class, kernel_rows};

/// Fits with `m` candidates drawn by class: two passes over the rows, `n m^2` and `2 n n_s^2`
/// flops.
pub(super) fn fit(
    problem: &Problem,
    setting: &SmkdaSetting,
    m: usize,
    components: Option<usize>,
) -> Result<Fit> {
    let n = problem.n();
    let classes = problem.classes();
    let codes = classes.codes();
    let (c, total) = (classes.n_classes(), classes.total());
    let landmarks = by_class(problem, m);
    let centres = problem.x.select_rows(&landmarks);
    // Scored responses row by row: sqrt(n / n_j) in the column of the class. Their means are
    // sqrt(n_j / n).
    let score: Vec<f64> = classes
        .totals()
        .iter()
        .map(|j| (total / j).sqrt())
        .collect();
    let y_mean = response_means(&classes);
    // First pass: K'K, K'Y and the column sums.
    let Sums {
        gram,
        products,
        means,
    } = Sums::new(problem, &setting.kernel, &centres);

    // The selection.
    let size = setting.size.min(m);
    let mut rss = total * (c - 1) as f64;
    let mut path: Vec<PathStep> = Vec::with_capacity(size);
    let mut chosen: Vec<usize> = Vec::with_capacity(size);
    ranked_selection(gram, products, &super::row_ranks(&centres), size, |step| {
        rss -= step.shrinkage * (2.0 - step.shrinkage) * dot(step.responses, step.responses);
        chosen.push(step.candidate);
        let row = landmarks[step.candidate];
        path.push(PathStep {
            row: Some(row),
            ..PathStep::new(step.size, rss.max(0.0))
        });
        true
    });
    if chosen.is_empty() {
        return Err(Error::Data(
            "no column of the kernel matrix varies: there is nothing to select".into(),
        ));
    }

    // Second pass: coefficients from the chosen columns themselves, a block of rows at a time.
    let support = centres.select_rows(&chosen);
    let own_means: Vec<f64> = chosen.iter().map(|&j| means[j]).collect();
    let s = chosen.len();
    let mut block = (0..0, Matrix::zeros(0, s));
    let Coefficients { coef, .. } = coefficients(n, s, c, |i, row| {
        if !block.0.contains(&i) {
            let range = i..(i + BLOCK).min(n);
            block = (
                range.clone(),
                kernel_rows(problem, &setting.kernel, &range, &support),
            );
        }
        let k = block.1.row(i - block.0.start);
        let root = classes.weight(i).sqrt();
        row[..s]
            .iter_mut()
            .zip(k.iter().zip(&own_means))
            .for_each(|(o, (v, mean))| *o = root * (v - mean));
        row[s..]
            .iter_mut()
            .enumerate()
            .for_each(|(j, o)| *o = root * (f64::from(codes[i] == j) * score[j] - y_mean[j]));
    })?;
    let offset: Vec<f64> = (0..c)
        .map(|j| {
            y_mean[j]
                - own_means
                    .iter()
                    .enumerate()
                    .map(|(k, v)| v * coef[(k, j)])
                    .sum::<f64>()
        })
        .collect();
    let regression = KernelExpansion::new(
        setting.kernel,
        problem.feature_weights.clone(),
        &support,
        Output::Linear {
            coef: coef.clone(),
            offset: offset.clone(),
        },
    );
    let fitted = regression.evaluate(&problem.x);
    let objective = (0..n)
        .map(|i| {
            let gap = |j: usize| f64::from(codes[i] == j) * score[j] - fitted[(i, j)];
            classes.weight(i) * (0..c).map(|j| gap(j) * gap(j)).sum::<f64>()
        })
        .sum();
    let cv = canonical(&coef, &offset, &fitted, &classes, components)?;
    Ok(Fit::new(
        KernelExpansion {
            output: Output::Linear {
                coef: cv.coef,
                offset: cv.offset,
            },
            ..regression
        },
        Decision::Mahalanobis {
            means: cv.means,
            log_priors: problem.log_priors(),
        },
        FitReport {
            objective: Some(objective),
            iterations: s,
            converged: true,
            retained_rows: chosen.iter().map(|&j| landmarks[j]).collect(),
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
