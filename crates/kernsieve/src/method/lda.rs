//! Linear discriminant analysis by optimal scoring (Harrison & Pasupa, section 2.1).
//!
//! Regresses the scored class indicators on the features and a constant,
//! ```text
//! min_B |Y_0 - [X 1] B|_F^2,     Y_0 = Y diag(sqrt(n / n_j))
//! ```
//! turns the coefficients into canonical variates (eq. 6, 7) and assigns a row to the class of
//! least `|z - mean_j|^2 - 2 log prior_j` (eq. 12). Linearly dependent features share their weight
//! (least-norm solution). The expansion has a linear kernel and one support row per variate, the
//! direction itself. Complexity: `2 n (p + c)^2 + O(p^3)`, or `O(n^2 p)` when there are more
//! features than rows.
//!
//! [Harrison & Pasupa] "Sparse multinomial kernel discriminant analysis (sMKDA)", Pattern
//! Recognition 42 (2009).

mod forward;

pub use forward::LdaSetting;

use super::{About, Candidacy, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Problem};
use crate::classes::Classes;
use crate::decision::{Decision, nearest_centroid, nearest_of_means};
use crate::error::Result;
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel};
use crate::linalg::{Matrix, add_to_rows, center_columns_weighted, least_squares, matmul};
use crate::notice::Notice;
use crate::params::{COMPONENTS, Fallback, Kind, METRIC, Param, Protocol};
use crate::partial::{Columns, Passes, Reduced};
use crate::solver::optimal_scoring::{
    Canonical, canonical, canonical_of_means, response_means, scored_responses,
};
use serde::{Deserialize, Serialize};

/// A combination of standardised features with a smaller deviation counts as constant. Two such
/// features correlate to within 1e-8, and their difference is the rounding of the file.
const SMALLEST_DEVIATION: f64 = 1e-4;

/// Features that are chosen one at a time.
const FORWARD_FEATURES: Param = Param::new(
    "forward_features",
    Kind::Count {
        least: 1,
        most: u64::MAX,
        letter: "N",
    },
    Fallback::Absent("all at once"),
    "Choose at most N features, one at a time by orthogonal least squares; cross-validation \
     chooses how many",
);

/// Linear discriminant analysis.
///
/// | parameter | default | range | meaning |
/// |---|---|---|---|
/// | `components` | classes - 1 | 1 or more | canonical variates to keep |
/// | `metric` | within | | covariance in which the nearest mean is found |
/// | `forward_features` | all at once | 1 or more | at most so many features, chosen one at a time |
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lda {
    pub(super) components: Option<usize>,
    pub(super) metric: Metric,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) forward_features: Option<usize>,
}

/// Covariance that the variates are scaled by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The pooled within-class covariance of the variates is the identity: the nearest mean is that
    /// of least Mahalanobis distance.
    #[default]
    Within,
    /// Their total covariance is the identity (Hidaka & Kurita, eq. 2).
    Total,
}

impl Lda {
    /// Linear discriminant analysis with all variates and the within-class metric.
    pub fn new() -> Self {
        Self::default()
    }

    /// With at most this many canonical variates.
    pub fn components(mut self, components: usize) -> Self {
        self.components = Some(components);
        self
    }

    /// With the nearest mean in this metric.
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metric = metric;
        self
    }

    /// With at most this many features, chosen one at a time.
    pub fn forward_features(mut self, features: usize) -> Self {
        self.forward_features = Some(features);
        self
    }

    /// Fits on all features: there is nothing to choose.
    pub fn solve(&self, problem: &Problem) -> Result<Fit> {
        let p = problem.x.cols();
        let classes = &problem.classes();
        let mut y = scored_responses(classes);
        // The constant is regressed out first: centred features, and the mean response as offset.
        let y_mean = response_means(classes);
        let mut x = problem.x.clone();
        let mean = center_columns_weighted(&mut x, classes.weights());
        let deviation = scale_columns(&mut x, classes);
        let (mut scaled, mut right) = (x.clone(), y.clone());
        add_to_rows(&mut right, &y_mean.iter().map(|v| -v).collect::<Vec<_>>());
        classes.scale_rows(&mut scaled);
        classes.scale_rows(&mut right);
        let regression =
            least_squares(&scaled, &right, SMALLEST_DEVIATION * classes.total().sqrt())?;
        let mut b = regression.coef;
        let mut fitted = matmul(x.view(), b.view());
        add_to_rows(&mut fitted, &y_mean);
        let rss = classes.squared_distance(&y, &fitted);
        let mut scaled_fit = fitted.clone();
        classes.scale_rows(&mut scaled_fit);
        classes.scale_rows(&mut y);
        let residual = normal_equations_residual(&scaled, &y, &scaled_fit);
        for (j, d) in deviation.iter().enumerate() {
            b.row_mut(j).iter_mut().for_each(|v| *v /= d);
        }
        let offset: Vec<f64> = (0..classes.n_classes())
            .map(|k| y_mean[k] - (0..p).map(|j| mean[j] * b[(j, k)]).sum::<f64>())
            .collect();
        let mut cv = canonical(&b, &offset, &fitted, classes, self.components)?;
        if self.metric == Metric::Total {
            to_total_metric(&mut cv);
        }
        let expansion = directions(&cv, &problem.feature_weights);
        let report = report(&cv, rss, residual);
        let decision = match self.metric {
            Metric::Within => mahalanobis(cv, problem),
            Metric::Total => nearest_centroid(
                &expansion.evaluate(&problem.x),
                classes,
                problem.log_priors(),
            ),
        };
        Ok(Fit::new(expansion, decision, report))
    }

    /// The same regression on the few rows that stand for all.
    fn solve_reduced(&self, some: &Problem, reduced: &Reduced) -> Result<Fit> {
        let (total, c) = (reduced.total, reduced.totals.len());
        let shares: Vec<f64> = reduced.totals.iter().map(|t| t / total).collect();
        let weights = &some.feature_weights;
        let (rows, p) = (reduced.x.rows(), weights.len());
        let mut x = Matrix::from_fn(rows, p, |i, j| weights[j] * reduced.x[(i, j)]);
        let deviation = scale_columns_of(&mut x, total);
        let right = Matrix::from_fn(rows, c, |i, k| reduced.y[(i, k)] / shares[k].sqrt());
        let mut b = least_squares(&x, &right, SMALLEST_DEVIATION * total.sqrt())?.coef;
        let fitted = matmul(x.view(), b.view());
        let gaps = right.as_slice().iter().zip(fitted.as_slice());
        let rss = gaps.map(|(a, b)| (a - b) * (a - b)).sum();
        let residual = normal_equations_residual(&x, &right, &fitted);
        for (j, d) in deviation.iter().enumerate() {
            b.row_mut(j).iter_mut().for_each(|v| *v /= d);
        }
        let along = |row: &[f64], k: usize| (0..p).map(|j| row[j] * b[(j, k)]).sum::<f64>();
        let offset: Vec<f64> = (0..c)
            .map(|k| shares[k].sqrt() - along(&reduced.means, k))
            .collect();
        let means = Matrix::from_fn(c, c, |g, k| {
            offset[k] + along(reduced.class_means.row(g), k)
        });
        let mut cv = canonical_of_means(&b, &offset, &means, &shares, self.components)?;
        let within = cv.eigenvalues.len() as f64;
        if self.metric == Metric::Total {
            to_total_metric(&mut cv);
        }
        let expansion = directions(&cv, weights);
        let report = report(&cv, rss, residual);
        let decision = match self.metric {
            Metric::Within => mahalanobis(cv, some),
            // In the total metric a variate has the variance `1 - lambda` within the classes.
            Metric::Total => {
                let left: f64 = cv.eigenvalues.iter().map(|lambda| 1.0 - lambda).sum();
                nearest_of_means(cv.means, left / within.max(1.0), some.log_priors())
            }
        };
        Ok(Fit::new(expansion, decision, report))
    }
}

/// An expansion with a linear kernel, one support row per variate.
fn directions(cv: &Canonical, feature_weights: &[f64]) -> KernelExpansion {
    let output = Output::Linear {
        coef: Matrix::identity(cv.coef.cols()),
        offset: cv.offset.clone(),
    };
    let rows = cv.coef.transpose();
    KernelExpansion::new(Kernel::Linear, feature_weights.to_vec(), &rows, output)
}

fn report(cv: &Canonical, rss: f64, residual: f64) -> FitReport {
    FitReport {
        objective: Some(rss),
        iterations: 1,
        converged: true,
        residual: Some(residual),
        eigenvalues: cv.eigenvalues.clone(),
        ..FitReport::default()
    }
}

fn mahalanobis(cv: Canonical, problem: &Problem) -> Decision {
    Decision::Mahalanobis {
        means: cv.means,
        log_priors: problem.log_priors(),
    }
}

impl Method for Lda {
    type Setting = LdaSetting;

    const ABOUT: About = About {
        name: "lda",
        class: "LDA",
        title: "linear discriminant analysis",
        plain: "linear discriminant analysis (LDA)",
        summary: "Linear discriminant analysis by optimal scoring: the classical linear rule.",
        paper: "Harrison & Pasupa 2009",
        decides: "Mahalanobis distance and priors",
        class_weight_is_cost: true,
        params: &[COMPONENTS, METRIC, FORWARD_FEATURES],
        auto: Candidacy::First,
        quick: true,
        ..About::BLANK
    };

    fn adapt(&mut self, n_classes: usize) -> Vec<Notice> {
        limit_components(&mut self.components, n_classes)
    }

    fn family(&self) -> Family {
        Family::Linear
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::NONE
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<LdaSetting>> {
        let Some(most) = self.forward_features else {
            return Ok(vec![vec![LdaSetting::default()]]);
        };
        let most = most.min(problem.n_active()).min(problem.n() - 1).max(1);
        Ok(vec![(1..=most).map(LdaSetting::of).collect()])
    }

    fn held_out(&self, fold: &Fold, arm: &[LdaSetting]) -> Result<Vec<Option<HeldOut>>> {
        if self.forward_features.is_some() {
            return self.along(&fold.train, &fold.held_out, arm);
        }
        Ok(self.solve(&fold.train)?.held_out(fold, arm))
    }

    fn fit(&self, problem: &Problem, setting: &LdaSetting) -> Result<Fit> {
        match setting.n_features {
            Some(features) => self.solve_on(problem, &self.order(problem, features)),
            None => self.solve(problem),
        }
    }

    fn streams(&self) -> bool {
        self.forward_features.is_none()
    }

    fn fit_by_passes(&self, some: &Problem, _: &LdaSetting, rows: &mut dyn Passes) -> Result<Fit> {
        self.solve_reduced(some, &rows.reduced(Columns::Features)?)
    }
}

/// `k` classes have `k - 1` canonical variates. If more are asked for, the number is reduced and
/// the user is told.
pub(super) fn limit_components(components: &mut Option<usize>, classes: usize) -> Vec<Notice> {
    let most = classes.saturating_sub(1).max(1);
    let Some(asked) = components.filter(|c| *c > most) else {
        return vec![];
    };
    *components = Some(most);
    vec![Notice::FewerComponents { asked, classes }]
}

/// Scales variates of within-class covariance `I` so that their total covariance is `I` instead
/// (Hidaka & Kurita, eq. 2): it was `1 / (1 - lambda)`.
fn to_total_metric(cv: &mut Canonical) {
    for (k, lambda) in cv.eigenvalues.iter().enumerate() {
        let scale = (1.0 - lambda).sqrt();
        cv.offset[k] *= scale;
        (0..cv.coef.rows()).for_each(|j| cv.coef[(j, k)] *= scale);
        (0..cv.means.rows()).for_each(|c| cv.means[(c, k)] *= scale);
    }
}

/// Gives every centred column unit variance and returns the deviations (1 for a column of zeros).
/// The variates do not depend on the units of the features, and the tolerance for dependent
/// features must not either.
fn scale_columns(x: &mut Matrix, classes: &Classes) -> Vec<f64> {
    let mut squares = vec![0.0; x.cols()];
    for (i, row) in x.iter_rows().enumerate() {
        let w = classes.weight(i);
        squares
            .iter_mut()
            .zip(row)
            .for_each(|(s, v)| *s += w * v * v);
    }
    unit_columns(x, &squares, classes.total())
}

/// The same for rows that need no weights, which stand for so many.
fn scale_columns_of(x: &mut Matrix, total: f64) -> Vec<f64> {
    let squares: Vec<f64> = (0..x.cols())
        .map(|j| x.column(j).iter().map(|v| v * v).sum())
        .collect();
    unit_columns(x, &squares, total)
}

/// Divides columns by their deviations, from their sums of squares over rows of this weight.
fn unit_columns(x: &mut Matrix, squares: &[f64], n: f64) -> Vec<f64> {
    let deviation: Vec<f64> = squares
        .iter()
        .map(|s| if *s > 0.0 { (s / n).sqrt() } else { 1.0 })
        .collect();
    for row in x.as_mut_slice().chunks_exact_mut(deviation.len().max(1)) {
        row.iter_mut().zip(&deviation).for_each(|(v, d)| *v /= d);
    }
    deviation
}

/// `|X'(Y - fitted)|_max` relative to the terms it is made of.
fn normal_equations_residual(x: &Matrix, y: &Matrix, fitted: &Matrix) -> f64 {
    let r = Matrix::from_fn(y.rows(), y.cols(), |i, j| y[(i, j)] - fitted[(i, j)]);
    let gradient = matmul(x.view().t(), r.view()).max_abs();
    gradient / (x.max_abs() * y.max_abs() * x.rows() as f64).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::testing::problem;

    /// Pooled within-class covariance (divisor n) of outputs.
    fn within(z: &Matrix, problem: &Problem) -> Matrix {
        let means = problem.classes().means(z);
        let r = Matrix::from_fn(z.rows(), z.cols(), |i, j| {
            z[(i, j)] - means[(problem.labels.codes()[i], j)]
        });
        let mut w = matmul(r.view().t(), r.view());
        w.as_mut_slice()
            .iter_mut()
            .for_each(|v| *v /= z.rows() as f64);
        w
    }

    #[test]
    fn within_class_covariance_of_the_variates_is_the_identity() {
        for (n, p, c) in [(60, 4, 3), (200, 7, 5), (50, 2, 4), (30, 1, 2)] {
            let problem = problem(n, p, c, 1);
            let fit = Lda::new().solve(&problem).expect("fits");
            let z = fit.expansion.evaluate(&problem.x);
            assert_eq!(z.cols(), p.min(c - 1));
            let w = within(&z, &problem);
            for i in 0..z.cols() {
                for j in 0..z.cols() {
                    assert!((w[(i, j)] - f64::from(i == j)).abs() < 1e-9, "{w:?}");
                }
            }
            assert!(fit.report.residual.expect("known") < 1e-12);
        }
    }

    #[test]
    fn in_the_total_metric_the_total_covariance_is_the_identity() {
        for (n, p, c) in [(60, 4, 3), (50, 2, 4), (30, 1, 2)] {
            let problem = problem(n, p, c, 1);
            let lda = Lda::new().metric(Metric::Total);
            let fit = lda.solve(&problem).expect("fits");
            let z = fit.expansion.evaluate(&problem.x);
            let mean = crate::linalg::column_means(&z);
            for a in 0..z.cols() {
                for b in 0..z.cols() {
                    let rows = (0..n).map(|i| (z[(i, a)] - mean[a]) * (z[(i, b)] - mean[b]));
                    let covariance = rows.sum::<f64>() / n as f64;
                    assert!((covariance - f64::from(a == b)).abs() < 1e-9);
                }
            }
            let Decision::NearestCentroid { means, .. } = &fit.decision else {
                panic!("wrong rule")
            };
            assert!((means[(0, 0)] - problem.classes().means(&z)[(0, 0)]).abs() < 1e-12);
        }
    }

    #[test]
    fn two_classes_give_fishers_direction() {
        let problem = problem(80, 3, 2, 2);
        let fit = Lda::new().solve(&problem).expect("fits");
        let w = fit.expansion.support.row(0).to_vec();
        // S_W w is proportional to the difference of the means: Fisher's condition, without solving
        // anything.
        let means = problem.classes().means(&problem.x);
        let sw = within(&problem.x, &problem);
        let left: Vec<f64> = (0..3)
            .map(|i| (0..3).map(|j| sw[(i, j)] * w[j]).sum())
            .collect();
        let right: Vec<f64> = (0..3).map(|j| means[(0, j)] - means[(1, j)]).collect();
        let ratio = left[0] / right[0];
        for j in 1..3 {
            assert!((left[j] / right[j] - ratio).abs() < 1e-9 * ratio.abs());
        }
    }

    #[test]
    fn duplicated_and_constant_features_change_nothing() {
        let a = problem(60, 3, 3, 3);
        let mut b = a.clone();
        b.x = Matrix::from_fn(60, 5, |i, j| match j {
            3 => a.x[(i, 0)],
            4 => 0.0,
            j => a.x[(i, j)],
        });
        b.feature_weights = vec![1.0, 1.0, 1.0, 1.0, 0.0];
        let lda = Lda::new();
        let (fa, fb) = (lda.solve(&a).expect("fits"), lda.solve(&b).expect("fits"));
        let pa = fa.decision.posterior(&fa.expansion.evaluate(&a.x));
        let pb = fb.decision.posterior(&fb.expansion.evaluate(&b.x));
        for (u, v) in pa.as_slice().iter().zip(pb.as_slice()) {
            assert!((u - v).abs() < 1e-9);
        }
    }

    #[test]
    fn permuting_rows_or_classes_permutes_the_answer() {
        let a = problem(45, 4, 3, 4);
        let mut b = a.clone();
        let order: Vec<usize> = (0..45).map(|i| (i * 7) % 45).collect();
        b.x = a.x.select_rows(&order);
        let recode = [2, 0, 1];
        let codes: Vec<usize> = order.iter().map(|&i| recode[a.labels.codes()[i]]).collect();
        b.labels = Labels::from_codes(codes, a.labels.classes().to_vec()).expect("codes fit");
        let lda = Lda::new();
        let (fa, fb) = (lda.solve(&a).expect("fits"), lda.solve(&b).expect("fits"));
        let pa = fa.decision.posterior(&fa.expansion.evaluate(&a.x));
        let pb = fb.decision.posterior(&fb.expansion.evaluate(&a.x));
        for i in 0..45 {
            for c in 0..3 {
                assert!((pa[(i, c)] - pb[(i, recode[c])]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn more_features_than_rows_still_separate() {
        let problem = problem(12, 40, 3, 5);
        let fit = Lda::new().solve(&problem).expect("fits");
        let p = fit.decision.posterior(&fit.expansion.evaluate(&problem.x));
        for (i, &c) in problem.labels.codes().iter().enumerate() {
            assert_eq!(crate::decision::argmax(p.row(i)), c);
        }
    }
}
