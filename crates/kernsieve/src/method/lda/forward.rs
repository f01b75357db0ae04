//! Linear discriminant analysis on few features, chosen one at a time: orthogonal least squares as
//! for the samples of [`crate::method::smkda`], with features in place of kernel columns.

use super::{Lda, SMALLEST_DEVIATION};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg::{Matrix, center_columns_weighted};
use crate::method::{Fit, HeldOut, PathStep, Problem, Setting, Size};
use crate::solver::ols::{Taken, by_columns};
use crate::solver::optimal_scoring::{response_means, scored_responses};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A setting of linear discriminant analysis: the number of features where they are chosen. In files
/// it is written with a linear kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LdaSetting {
    kernel: Kernel,
    /// The number of features, if they are chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_features: Option<usize>,
}

impl Default for LdaSetting {
    fn default() -> Self {
        Self {
            kernel: Kernel::Linear,
            n_features: None,
        }
    }
}

impl LdaSetting {
    /// With this many features.
    pub fn of(n_features: usize) -> Self {
        Self {
            n_features: Some(n_features),
            ..Self::default()
        }
    }
}

impl Setting for LdaSetting {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn size(&self) -> Size {
        Size {
            samples: None,
            features: self.n_features,
        }
    }

    /// Fewer features first.
    fn preferred(&self, other: &Self) -> Ordering {
        self.n_features.cmp(&other.n_features)
    }

    fn same_path(&self, _: &Self) -> bool {
        true
    }
}

impl Lda {
    /// The features in the order in which they explain the scored class indicators, up to `most`. A
    /// feature that is a combination of those before, to within the deviation that counts as
    /// constant, is left out.
    pub(super) fn order(&self, problem: &Problem, most: usize) -> Vec<Taken> {
        let classes = problem.classes();
        let mut x = problem.x.clone();
        center_columns_weighted(&mut x, classes.weights());
        let means = response_means(&classes);
        let mut y = scored_responses(&classes);
        for row in y.as_mut_slice().chunks_exact_mut(means.len()) {
            row.iter_mut().zip(&means).for_each(|(v, m)| *v -= m);
        }
        classes.scale_rows(&mut x);
        classes.scale_rows(&mut y);
        let dependent = SMALLEST_DEVIATION * SMALLEST_DEVIATION;
        by_columns(x.transpose(), y.transpose(), most, dependent)
    }

    /// The analysis on these features alone.
    pub(super) fn solve_on(&self, problem: &Problem, order: &[Taken]) -> Result<Fit> {
        if order.is_empty() {
            return Err(Error::Data(
                "no feature tells the classes apart: there is nothing to choose".into(),
            ));
        }
        let imported: Vec<usize> = order.iter().map(|t| t.candidate).collect();
        let mut used = imported.clone();
        used.sort_unstable();
        let few = Problem {
            x: problem.x.select_columns(&used),
            feature_weights: vec![1.0; used.len()],
            ..problem.clone()
        };
        let mut fit = self.solve(&few)?;
        fit.expansion.feature_weights = mask(&used, problem.x.cols());
        let mut left = problem.classes().total() * (problem.labels.n_classes() - 1) as f64;
        let path = order.iter().enumerate().map(|(k, taken)| {
            left -= taken.explained;
            PathStep {
                feature: Some(taken.candidate),
                ..PathStep::new(k + 1, left.max(0.0))
            }
        });
        fit.report.path = path.collect();
        fit.report.iterations = order.len();
        fit.report.imported = imported;
        Ok(fit)
    }

    /// Scores of held-out rows on the first features of an order, for every setting of an arm.
    pub(super) fn along(
        &self,
        train: &Problem,
        held_out: &Matrix,
        arm: &[LdaSetting],
    ) -> Result<Vec<Option<HeldOut>>> {
        let size = |s: &LdaSetting| s.n_features.unwrap_or(usize::MAX);
        let longest = arm.iter().map(size).max().unwrap_or(0);
        let order = self.order(train, longest);
        let one = |setting: &LdaSetting| {
            // Where fewer are found, those are the model.
            let fit = self.solve_on(train, &order[..size(setting).min(order.len())])?;
            let rule = &fit.decision;
            Ok(Some(HeldOut {
                scores: rule.scores(&fit.expansion.evaluate(held_out)),
                weights: Some(fit.expansion.feature_weights.clone()),
            }))
        };
        arm.iter().map(one).collect()
    }
}

/// 1 for the features used, 0 for the others.
fn mask(used: &[usize], all: usize) -> Vec<f64> {
    let mut mask = vec![0.0; all];
    used.iter().for_each(|&j| mask[j] = 1.0);
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;
    use crate::testing::{problem, random};

    /// Residual sum of squares of the scored indicators on these features and a constant.
    fn rss(problem: &Problem, features: &[usize]) -> f64 {
        let classes = problem.classes();
        let y = scored_responses(&classes);
        let n = problem.n();
        let design = Matrix::from_fn(n, features.len() + 1, |i, j| {
            let own = features.get(j).map_or(1.0, |&f| problem.x[(i, f)]);
            classes.weight(i).sqrt() * own
        });
        let right = Matrix::from_fn(n, y.cols(), |i, j| classes.weight(i).sqrt() * y[(i, j)]);
        let coef = crate::linalg::least_squares(&design, &right, 0.0);
        let fitted = crate::linalg::matmul(design.view(), coef.expect("finite").coef.view());
        let both = right.as_slice().iter().zip(fitted.as_slice());
        both.map(|(a, b)| (a - b) * (a - b)).sum()
    }

    #[test]
    fn every_feature_is_the_best_one_and_the_rest_is_the_plain_analysis() {
        let mut problem = problem(60, 7, 3, 2);
        problem.weights = Some((0..60).map(|i| 1.0 + (i % 2) as f64).collect());
        let lda = Lda::new().forward_features(4);
        let fit = lda.fit(&problem, &LdaSetting::of(4)).expect("fits");
        let order = &fit.report.imported;
        for (t, step) in fit.report.path.iter().enumerate() {
            let with = |j: usize| rss(&problem, &[&order[..t], &[j]].concat());
            let others = (0..7).filter(|j| !order[..t].contains(j));
            let best = others.map(with).fold(f64::INFINITY, f64::min);
            assert!(
                (step.objective - best).abs() < 1e-9 * best,
                "{step:?} {best}"
            );
        }
        // The model is that of the chosen columns alone, and the others may hold anything.
        let mut used = order.clone();
        used.sort_unstable();
        let mut few = problem.clone();
        few.x = problem.x.select_columns(&used);
        few.feature_weights = vec![1.0; 4];
        let plain = Lda::new().solve(&few).expect("fits");
        let new = random(20, 7, 4);
        let mut odd = new.clone();
        for j in (0..7).filter(|j| !used.contains(j)) {
            (0..20).for_each(|i| odd[(i, j)] = 1e6);
        }
        let own = fit.outputs(&odd);
        let direct = plain.outputs(&new.select_columns(&used));
        assert_eq!(own, direct);
        // All features are the analysis without a choice.
        let all = Lda::new().forward_features(7);
        let all = all.fit(&problem, &LdaSetting::of(7)).expect("fits");
        let whole = Lda::new()
            .fit(&problem, &LdaSetting::default())
            .expect("fits");
        let (a, b) = (all.outputs(&new), whole.outputs(&new));
        for (u, v) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((u - v).abs() < 1e-9 * b.max_abs());
        }
    }

    #[test]
    fn held_out_rows_see_what_a_fit_of_that_size_says() {
        let train = problem(50, 5, 3, 6);
        let new = random(15, 5, 7);
        for lda in [
            Lda::new(),
            Lda::new().metric(crate::method::lda::Metric::Total),
        ] {
            let lda = lda.forward_features(5);
            let arm: Vec<LdaSetting> = (1..=5).map(LdaSetting::of).collect();
            let along = lda.along(&train, &new, &arm).expect("works");
            for (setting, scores) in arm.iter().zip(along) {
                let fit = lda.fit(&train, setting).expect("fits");
                assert_eq!(
                    fit.report.imported.len(),
                    setting.n_features.expect("given")
                );
                let direct = fit.decision.scores(&fit.outputs(&new));
                assert_eq!(scores.expect("fitted").scores, direct);
            }
        }
    }
}
