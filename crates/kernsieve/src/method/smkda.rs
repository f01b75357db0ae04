//! Sparse multinomial kernel discriminant analysis: few samples carry the discriminant (Harrison &
//! Pasupa, section 2.3).
//!
//! Orthogonal least squares picks, one at a time, the columns of `[K 1]` that explain the scored
//! class indicators best (the offset is in from the start). With the `n_s` samples chosen, the
//! regression gives canonical variates as in [`super::lda`] (eq. 6, 7, 11), and a row goes to the
//! class of least Mahalanobis distance with priors (eq. 12).
//!
//! One run of the selection gives every `n_s` up to its length, and held-out rows ride along: in
//! orthogonal coordinates the matrix whose eigenvectors make the variates is `M = sum_k u_k u_k' /
//! n`, `u_k = q_k'Y_0`, and a held-out row's regression is a sum over the same terms. So
//! cross-validation over bandwidth and `n_s` is one selection per (fold, bandwidth). With
//! `candidates = m` only `m` samples, drawn by class, may be chosen: `K'K` is then a sum over
//! blocks of rows, memory does not grow with `n`, and time grows linearly. Complexity: `n^3` flops
//! for `K'K`, `n^3 / 3` for a full selection, `O(n_val n_s + c^3)` a step for the held-out rows.
//!
//! [Harrison & Pasupa] "Sparse multinomial kernel discriminant analysis (sMKDA)", Pattern
//! Recognition 42 (2009).

use super::{
    Arm, Candidate, Fit, FitReport, Fold, Footprint, HeldOut, LeftOutRows, Method, Options,
    PathStep, Problem, Validation, beyond_the_edge, kernels_around_median, require_candidates,
    stretched,
};
use crate::classes::Classes;
use crate::decision::{Decision, argmax};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, Kernel, gram};
use crate::linalg::{Matrix, add_to_rows, center_columns_weighted, dot, matmul, symmetric_product};
use crate::solver::ols::{Coefficients, Step, coefficients, ranked_selection};
use crate::solver::optimal_scoring::{
    canonical, response_means, scaled_eigenvectors, scored_responses,
};
use rayon::prelude::*;
use std::cmp::Ordering;

#[path = "smkda_streaming.rs"]
mod streaming;

/// Bandwidths that are tried first, as multiples of the median distance; the grid is widened when
/// the best is at an edge.
const BANDWIDTH_MULTIPLES: [f64; 9] = [2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125];
/// The path is not followed further than this unless asked to: a sparse model is wanted.
const LONGEST_PATH: usize = 1000;
/// Training errors along the final path cost `n n_s^2 / 2 + 10 n_s c^3` operations; beyond this
/// they are left out.
const MOST_WORK: f64 = 2e10;

/// From this number of classes on fewer sizes are scored.
const MANY_CLASSES: usize = 40;

/// Sparse multinomial kernel discriminant analysis.
#[derive(Clone, Debug)]
pub struct Smkda {
    options: Options,
}

/// Sizes that are scored along a path: every one up to 200, then ever fewer. Every score takes an
/// eigendecomposition of order `c`, so with many classes sizes grow by a fifth instead.
fn sizes(longest: usize, n_classes: usize) -> Vec<usize> {
    let share = if n_classes <= MANY_CLASSES { 100 } else { 5 };
    let mut sizes = Vec::new();
    let mut size = 1;
    while size <= longest {
        sizes.push(size);
        size += (size / share).saturating_sub(1).max(1);
    }
    sizes
}

/// Centred columns of a Gram matrix, their means, and what the selection needs of them.
struct Prepared {
    /// `m x m`: products of the centred columns.
    gram: Matrix,
    /// `m x c`: products of the centred columns with the responses.
    products: Matrix,
    /// Means of the columns before.
    means: Vec<f64>,
}

fn prepare(mut k: Matrix, y: &Matrix, classes: &Classes) -> Prepared {
    let means = center_columns_weighted(&mut k, classes.weights());
    let mut y = y.clone();
    classes.scale_rows(&mut k);
    classes.scale_rows(&mut y);
    // The Gram matrix is symmetric but its centred columns are not: products of columns are those
    // of the transpose's rows.
    let products = matmul(k.view().t(), y.view());
    let gram = symmetric_product(k.view().t());
    Prepared {
        gram,
        products,
        means,
    }
}

/// The place of every row in the order of their values, feature by feature; equal rows in the order
/// in which they stand.
fn row_ranks(x: &Matrix) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.rows()).collect();
    order.sort_by(|&a, &b| {
        let mut pairs = x.row(a).iter().zip(x.row(b));
        pairs
            .find_map(|(u, v)| Some(u.total_cmp(v)).filter(|o| o.is_ne()))
            .unwrap_or(Ordering::Equal)
    });
    let mut ranks = vec![0; order.len()];
    order
        .iter()
        .enumerate()
        .for_each(|(rank, &row)| ranks[row] = rank);
    ranks
}

/// Rows that ride along with a selection: their outputs at every size.
struct Riders<'a> {
    /// Kernel values of the rows with the candidates.
    k: &'a Matrix,
    /// Means of the candidates' columns on the training rows.
    means: &'a [f64],
    /// Coordinates of the rows in the orthogonal basis, rows x steps so far (with room for all).
    coordinates: Matrix,
    /// Regression on the responses so far, without the offset, rows x classes.
    fitted: Matrix,
    /// `sum_k u_k u_k' / n` so far.
    m: Matrix,
    /// `sqrt(n / n_j)` of every class.
    class_scores: Vec<f64>,
    log_priors: Vec<f64>,
    n: f64,
    components: Option<usize>,
}

impl<'a> Riders<'a> {
    fn new(
        k: &'a Matrix,
        means: &'a [f64],
        problem: &Problem,
        longest: usize,
        components: Option<usize>,
    ) -> Self {
        let classes = problem.classes();
        let (n, c) = (classes.total(), classes.n_classes());
        Self {
            k,
            means,
            coordinates: Matrix::zeros(k.rows(), longest),
            fitted: Matrix::zeros(k.rows(), c),
            m: Matrix::zeros(c, c),
            class_scores: classes.totals().iter().map(|j| (n / j).sqrt()).collect(),
            log_priors: problem.log_priors(),
            n,
            components,
        }
    }

    /// Takes the rows one step further.
    fn follow(&mut self, step: &Step<'_>) {
        let (t, j) = (step.size - 1, step.candidate);
        let width = self.coordinates.cols();
        let c = self.fitted.cols();
        let (k, means) = (self.k, self.means);
        // A chunk of rows; each is computed by itself, so that threads change nothing.
        let some = |first: usize, coordinates: &mut [f64], fitted: &mut [f64]| {
            let rows = coordinates
                .chunks_exact_mut(width)
                .zip(fitted.chunks_exact_mut(c));
            for (i, (row, own)) in rows.enumerate() {
                let v =
                    (k[(first + i, j)] - means[j] - dot(&row[..t], step.projections)) / step.length;
                row[t] = v;
                own.iter_mut()
                    .zip(step.responses)
                    .for_each(|(f, u)| *f += v * step.shrinkage * u);
            }
        };
        let (coordinates, fitted) = (self.coordinates.as_mut_slice(), self.fitted.as_mut_slice());
        const CHUNK: usize = 512;
        if k.rows() * (t + c) > 1 << 16 {
            coordinates
                .par_chunks_mut(CHUNK * width)
                .zip(fitted.par_chunks_mut(CHUNK * c))
                .enumerate()
                .for_each(|(chunk, (coordinates, fitted))| {
                    some(chunk * CHUNK, coordinates, fitted)
                });
        } else {
            some(0, coordinates, fitted);
        }
        for (a, ua) in step.responses.iter().enumerate() {
            for (b, ub) in step.responses.iter().enumerate() {
                self.m[(a, b)] += step.shrinkage * ua * ub / self.n;
            }
        }
    }

    /// Log scores of the rows at the present size.
    fn scores(&self) -> Result<Matrix> {
        self.scores_of(&self.fitted)
    }

    /// Log scores at the present size of rows with this regression, which has no offset yet.
    fn scores_of(&self, fitted: &Matrix) -> Result<Matrix> {
        // Class means of the regression without its offset: row j of diag(sqrt(n / n_j)) M.
        let c = self.class_scores.len();
        let means = Matrix::from_fn(c, c, |j, k| self.class_scores[j] * self.m[(j, k)]);
        let (wd, _) = scaled_eigenvectors(&self.m, self.components)?;
        let rule = Decision::Mahalanobis {
            means: matmul(means.view(), wd.view()),
            log_priors: self.log_priors.clone(),
        };
        Ok(rule.scores(&matmul(fitted.view(), wd.view())))
    }
}

/// The training rows, each as the regression on all the others sees it. With leverages `h_i = w_i
/// (1/n + sum_k s_k v_ik^2)`, `v_ik` the row's coordinate in the orthogonal basis, the residual of
/// row `i` with the row left out is `(y_i - yhat_i) / (1 - h_i)`: the PRESS residual. The samples
/// chosen, the class means and the scaling of the variates stay those of all rows.
struct LeftOut<'a> {
    riders: Riders<'a>,
    y: Matrix,
    y_mean: Vec<f64>,
    weights: Vec<f64>,
    leverage: Vec<f64>,
}

impl<'a> LeftOut<'a> {
    fn new(riders: Riders<'a>, y: Matrix, classes: &Classes) -> Self {
        let weights: Vec<f64> = (0..classes.n_rows()).map(|i| classes.weight(i)).collect();
        Self {
            riders,
            y,
            y_mean: response_means(classes),
            leverage: weights.iter().map(|w| w / classes.total()).collect(),
            weights,
        }
    }

    fn follow(&mut self, step: &Step<'_>) {
        self.riders.follow(step);
        for (i, h) in self.leverage.iter_mut().enumerate() {
            let v = self.riders.coordinates[(i, step.size - 1)];
            *h += self.weights[i] * step.shrinkage * v * v;
        }
    }

    /// Regression of every row on the others, without the offset.
    fn fitted(&self) -> Matrix {
        let (y, f) = (&self.y, &self.riders.fitted);
        Matrix::from_fn(y.rows(), y.cols(), |i, j| {
            let gap = y[(i, j)] - self.y_mean[j] - f[(i, j)];
            // A row of leverage 1 says everything about itself and the others nothing about it:
            // they leave it at the mean. The penalty keeps leverages a little below 1, by up to
            // about 1e-9 over the squared length of a column.
            let left = 1.0 - self.leverage[i];
            if left > 1e-6 {
                y[(i, j)] - self.y_mean[j] - gap / left
            } else {
                0.0
            }
        })
    }

    fn rows(&self) -> Result<LeftOutRows> {
        let fitted = self.fitted();
        let squared = |i: usize| {
            let gap = |j: usize| self.y[(i, j)] - self.y_mean[j] - fitted[(i, j)];
            (0..fitted.cols()).map(|j| gap(j) * gap(j)).sum()
        };
        Ok(LeftOutRows {
            scores: self.riders.scores_of(&fitted)?,
            squared_residuals: (0..fitted.rows()).map(squared).collect(),
        })
    }
}

/// Rows that go along with a selection and can be read at any size.
trait Follower {
    type Answer;
    fn follow(&mut self, step: &Step<'_>);
    fn read(&self) -> Result<Self::Answer>;
}

impl Follower for Riders<'_> {
    type Answer = HeldOut;
    fn follow(&mut self, step: &Step<'_>) {
        Riders::follow(self, step);
    }
    fn read(&self) -> Result<HeldOut> {
        Ok(self.scores()?.into())
    }
}

impl Follower for LeftOut<'_> {
    type Answer = LeftOutRows;
    fn follow(&mut self, step: &Step<'_>) {
        LeftOut::follow(self, step);
    }
    fn read(&self) -> Result<LeftOutRows> {
        self.rows()
    }
}

/// Runs a selection and reads the follower at the size of every candidate.
fn read_sizes<F: Follower>(
    gram: Matrix,
    products: Matrix,
    ranks: &[usize],
    longest: usize,
    arm: &Arm,
    follower: &mut F,
) -> Result<Vec<Option<F::Answer>>> {
    let mut answers: Vec<Option<F::Answer>> = arm.iter().map(|_| None).collect();
    let mut failed = None;
    ranked_selection(gram, products, ranks, longest, |step| {
        follower.follow(step);
        for (candidate, out) in arm.iter().zip(&mut answers) {
            if candidate.size == Some(step.size) {
                match follower.read() {
                    Ok(answer) => *out = Some(answer),
                    Err(e) => failed = Some(e),
                }
            }
        }
        failed.is_none()
    });
    // A number of samples that was asked for and is not reached: the model is the one with those
    // that were found.
    if let [out @ None] = &mut answers[..]
        && failed.is_none()
    {
        *out = Some(follower.read()?);
    }
    failed.map_or(Ok(answers), Err)
}

impl Smkda {
    /// Takes over the options.
    pub fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
        }
    }

    fn arm(&self, kernel: Kernel, longest: usize, n_classes: usize) -> Arm {
        match self.options.max_support {
            Some(size) => vec![Candidate::new(kernel).size(size)],
            None => sizes(
                longest
                    .min(self.path_limit())
                    .min(self.options.candidates.unwrap_or(usize::MAX)),
                n_classes,
            )
            .into_iter()
            .map(|s| Candidate::new(kernel).size(s))
            .collect(),
        }
    }

    fn path_limit(&self) -> usize {
        self.options.path_limit.unwrap_or(LONGEST_PATH)
    }

    /// Most samples that a fold's training part can give.
    fn longest(&self, n: usize) -> usize {
        if self.options.validation == Validation::LeaveOneOut {
            // With more samples than that the rows mostly speak for themselves, and the formula has
            // little to say.
            return (n / 2).max(1);
        }
        (n - n.div_ceil(self.options.folds.clamp(2, n.max(2)))).max(1)
    }
}

impl Method for Smkda {
    fn name(&self) -> &'static str {
        "smkda"
    }

    fn family(&self) -> Family {
        self.options.kernel
    }

    fn footprint(&self, _n: usize) -> Footprint {
        Footprint::gram(2)
    }

    fn arms(&self, problem: &Problem) -> Result<Vec<Arm>> {
        let kernels = kernels_around_median(&self.options, problem, &BANDWIDTH_MULTIPLES)?;
        let longest = self.longest(problem.n());
        let arms: Vec<Arm> = kernels
            .into_iter()
            .map(|kernel| self.arm(kernel, longest, problem.labels.n_classes()))
            .map(|mut arm: Arm| {
                let most = self
                    .options
                    .candidates
                    .unwrap_or(usize::MAX)
                    .min(problem.n());
                arm.iter_mut()
                    .for_each(|c| c.size = c.size.map(|s| s.min(most)));
                arm
            })
            .collect();
        require_candidates(&arms)?;
        Ok(arms)
    }

    fn compare(&self, a: &Candidate, b: &Candidate) -> Ordering {
        // Ties go to fewer samples, then to the smaller bandwidth.
        let width = |c: &Candidate| c.kernel.bandwidth().unwrap_or(0.0);
        a.size
            .cmp(&b.size)
            .then_with(|| width(a).total_cmp(&width(b)))
    }

    fn widen(&self, tried: &[Candidate], chosen: &Candidate, n_classes: usize) -> Vec<Arm> {
        beyond_the_edge(
            &self.options,
            tried,
            &chosen.kernel,
            &[0.7, 0.5],
            &[1.4, 2.0],
        )
        .iter()
        .map(|f| self.arm(stretched(&chosen.kernel, *f), usize::MAX, n_classes))
        .collect()
    }

    fn held_out(&self, fold: &Fold, arm: &Arm) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let (mut k, mut kv) = fold.grams(&first.kernel)?;
        let mut ranks = row_ranks(&fold.train.x);
        if let Some(m) = self.options.candidates.filter(|&m| m < fold.train.n()) {
            let candidates = super::landmarks::by_class(&fold.train, m, self.options.seed);
            (k, kv) = (
                k.select_columns(&candidates),
                kv.select_columns(&candidates),
            );
            ranks = row_ranks(&fold.train.x.select_rows(&candidates));
        }
        let classes = fold.train.classes();
        let y = scored_responses(&classes);
        let p = prepare(k, &y, &classes);
        let longest = arm
            .iter()
            .filter_map(|c| c.size)
            .max()
            .unwrap_or(1)
            .min(kv.cols());
        let mut riders = Riders::new(&kv, &p.means, &fold.train, longest, self.options.components);
        read_sizes(p.gram, p.products, &ranks, longest, arm, &mut riders)
    }

    fn leave_one_out(
        &self,
        problem: &Problem,
        arm: &Arm,
    ) -> Result<Option<Vec<Option<LeftOutRows>>>> {
        let Some(first) = arm.first() else {
            return Ok(Some(vec![]));
        };
        let classes = problem.classes();
        let y = scored_responses(&classes);
        let k = gram(&first.kernel, &problem.x);
        let p = prepare(k.clone(), &y, &classes);
        let longest = arm
            .iter()
            .filter_map(|c| c.size)
            .max()
            .unwrap_or(1)
            .min(problem.n());
        let riders = Riders::new(&k, &p.means, problem, longest, self.options.components);
        let mut left_out = LeftOut::new(riders, y, &classes);
        read_sizes(
            p.gram,
            p.products,
            &row_ranks(&problem.x),
            longest,
            arm,
            &mut left_out,
        )
        .map(Some)
    }

    fn fit(&self, problem: &Problem, candidate: &Candidate) -> Result<Fit> {
        let n = problem.n();
        if let Some(m) = self.options.candidates.filter(|&m| m < n) {
            return streaming::fit(problem, candidate, m, &self.options);
        }
        let classes = problem.classes();
        let codes = classes.codes();
        let c = classes.n_classes();
        let y = scored_responses(&classes);
        let k = gram(&candidate.kernel, &problem.x);
        let size = candidate.size.unwrap_or(n).min(n);
        let p = prepare(k.clone(), &y, &classes);

        // The selection, with the training rows along for their error at every size.
        let work = n as f64 * (size as f64).powi(2) / 2.0 + 10.0 * size as f64 * (c as f64).powi(3);
        let follow = work <= MOST_WORK;
        let mut riders = Riders::new(
            &k,
            &p.means,
            problem,
            if follow { size } else { 0 },
            self.options.components,
        );
        let mut path: Vec<PathStep> = Vec::with_capacity(size);
        // |Y_0|^2 less what the offset explains: n c - n.
        let mut rss = classes.total() * (c - 1) as f64;
        let mut failed = None;
        ranked_selection(p.gram, p.products, &row_ranks(&problem.x), size, |step| {
            let (s, u2) = (step.shrinkage, dot(step.responses, step.responses));
            rss -= s * (2.0 - s) * u2;
            let mut train_error = None;
            if follow {
                riders.follow(step);
                match riders.scores() {
                    Ok(p) => {
                        let wrong = (0..n).filter(|&i| argmax(p.row(i)) != codes[i]);
                        train_error =
                            Some(wrong.map(|i| classes.weight(i)).sum::<f64>() / classes.total());
                    }
                    Err(e) => failed = Some(e),
                }
            }
            path.push(PathStep {
                row: Some(step.candidate),
                train_error,
                ..PathStep::new(step.size, rss.max(0.0))
            });
            failed.is_none()
        });
        if let Some(e) = failed {
            return Err(e);
        }
        let chosen: Vec<usize> = path.iter().filter_map(|s| s.row).collect();
        if chosen.is_empty() {
            return Err(Error::Data(
                "no column of the kernel matrix varies: there is nothing to select".into(),
            ));
        }

        // Coefficients from the chosen columns themselves.
        let columns = k.select_columns(&chosen);
        let means = classes.column_means(&columns);
        let y_mean = response_means(&classes);
        let Coefficients { coef, gradient } = coefficients(n, chosen.len(), c, |i, row| {
            let root = classes.weight(i).sqrt();
            row[..chosen.len()]
                .iter_mut()
                .zip(columns.row(i).iter().zip(&means))
                .for_each(|(o, (v, m))| *o = root * (v - m));
            row[chosen.len()..]
                .iter_mut()
                .zip(y.row(i).iter().zip(&y_mean))
                .for_each(|(o, (v, m))| *o = root * (v - m));
        })?;
        let offset: Vec<f64> = (0..c)
            .map(|j| {
                y_mean[j]
                    - means
                        .iter()
                        .enumerate()
                        .map(|(s, m)| m * coef[(s, j)])
                        .sum::<f64>()
            })
            .collect();
        let mut fitted = matmul(columns.view(), coef.view());
        add_to_rows(&mut fitted, &offset);
        let objective = classes.squared_distance(&y, &fitted);
        let residual = relative_residual(&columns, &means, &y, &fitted, &gradient, &classes);
        let cv = canonical(&coef, &offset, &fitted, &classes, self.options.components)?;
        let output = Output::Linear {
            coef: cv.coef,
            offset: cv.offset,
        };
        let support = problem.x.select_rows(&chosen);
        Ok(Fit {
            discriminant: None,
            expansion: KernelExpansion::new(
                candidate.kernel,
                problem.feature_weights.clone(),
                &support,
                output,
            ),
            decision: Decision::Mahalanobis {
                means: cv.means,
                log_priors: problem.log_priors(),
            },
            report: FitReport {
                objective: Some(objective),
                iterations: chosen.len(),
                converged: true,
                residual: Some(residual),
                retained_rows: chosen,
                eigenvalues: cv.eigenvalues,
                path,
                ..FitReport::default()
            },
        })
    }
}

/// How far `P'(Y - fitted)`, for the centred chosen columns, is from what the penalty makes of it
/// (zero but for rounding where columns are longer than 3e-5), relative to the terms it is made of.
fn relative_residual(
    columns: &Matrix,
    means: &[f64],
    y: &Matrix,
    fitted: &Matrix,
    expected: &Matrix,
    classes: &Classes,
) -> f64 {
    let r = Matrix::from_fn(y.rows(), y.cols(), |i, j| {
        classes.weight(i) * (y[(i, j)] - fitted[(i, j)])
    });
    let p = Matrix::from_fn(columns.rows(), columns.cols(), |i, j| {
        columns[(i, j)] - means[j]
    });
    let gradient = matmul(p.view().t(), r.view());
    let gap = gradient.as_slice().iter().zip(expected.as_slice());
    gap.fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
        / (p.max_abs() * y.max_abs() * classes.total()).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Pairs, symmetric_base};
    use crate::testing::{problem, random};

    #[test]
    fn sizes_are_all_small_ones_and_then_sparser() {
        let s = sizes(1000, 3);
        assert_eq!(s[..200], (1..=200).collect::<Vec<_>>());
        assert!(s.len() < 500 && *s.last().expect("some") > 980);
        assert!(s.windows(2).all(|w| w[1] > w[0]));
        assert!(sizes(1000, 300).len() < 60);
    }

    #[test]
    fn riders_see_what_a_fit_of_that_size_says() {
        let train = problem(70, 3, 3, 1);
        let held_out = random(25, 3, 2);
        let kernel = Kernel::Gaussian { bandwidth: 1.2 };
        let base = Pairs::new(Family::Gaussian.base(), train.x.clone()).all(&held_out, |_| ());
        let fold = Fold {
            train_base: Some(symmetric_base(Family::Gaussian, &train.x)),
            held_out_base: Some(base),
            held_out_classes: vec![None; held_out.rows()],
            held_out_weights: vec![1.0; held_out.rows()],
            train,
            held_out,
        };
        let smkda = Smkda::new(&Options::default());
        let arm: Arm = [1, 2, 3, 10, 30]
            .into_iter()
            .map(|s| Candidate::new(kernel).size(s))
            .collect();
        let along = smkda.held_out(&fold, &arm).expect("works");
        for (candidate, scores) in arm.iter().zip(along) {
            let posterior = crate::testing::probabilities(&scores.expect("fitted").scores);
            let fit = smkda.fit(&fold.train, candidate).expect("fits");
            assert_eq!(
                fit.report.retained_rows.len(),
                candidate.size.expect("given")
            );
            let direct = fit
                .decision
                .posterior(&fit.expansion.evaluate(&fold.held_out));
            for (a, b) in posterior.as_slice().iter().zip(direct.as_slice()) {
                assert!((a - b).abs() < 1e-6, "{candidate:?}: {a} {b}");
            }
        }
    }

    #[test]
    fn within_class_covariance_is_the_identity_and_the_path_is_a_prefix() {
        let problem = problem(90, 4, 4, 3);
        let smkda = Smkda::new(&Options::default());
        let kernel = Kernel::Gaussian { bandwidth: 1.5 };
        let fit = |s: usize| {
            smkda
                .fit(&problem, &Candidate::new(kernel).size(s))
                .expect("fits")
        };
        let (small, large) = (fit(8), fit(20));
        assert_eq!(small.report.retained_rows, large.report.retained_rows[..8]);
        let z = large.expansion.evaluate(&problem.x);
        let codes = problem.labels.codes();
        let means = problem.classes().means(&z);
        let r = Matrix::from_fn(90, 3, |i, j| z[(i, j)] - means[(codes[i], j)]);
        let w = matmul(r.view().t(), r.view());
        for i in 0..3 {
            for j in 0..3 {
                assert!((w[(i, j)] / 90.0 - f64::from(i == j)).abs() < 1e-7);
            }
        }
        // The residual sum of squares falls, and the last one is the one of the coefficients.
        let path = &large.report.path;
        assert!(path.windows(2).all(|w| w[1].objective <= w[0].objective));
        let last = path.last().expect("steps").objective;
        assert!((last - large.report.objective.expect("known")).abs() < 1e-7 * last);
    }

    #[test]
    fn leaving_a_row_out_equals_a_regression_without_it() {
        let mut problem = problem(40, 3, 3, 8);
        problem.weights = Some((0..40).map(|i| 1.0 + (i % 3) as f64).collect());
        let classes = problem.classes();
        let y = scored_responses(&classes);
        let k = gram(&Kernel::Gaussian { bandwidth: 1.4 }, &problem.x);
        let p = prepare(k.clone(), &y, &classes);
        let riders = Riders::new(&k, &p.means, &problem, 10, None);
        let mut left_out = LeftOut::new(riders, y.clone(), &classes);
        let mut chosen = Vec::new();
        crate::solver::ols::forward_selection(p.gram, p.products, 10, |step| {
            left_out.follow(step);
            chosen.push(step.candidate);
            true
        });
        let fast = left_out.fitted();
        let y_mean = response_means(&classes);
        for i in 0..40 {
            // [K_S 1] without row i, weighed, by a dense solver.
            let others: Vec<usize> = (0..40).filter(|&j| j != i).collect();
            let design = Matrix::from_fn(39, 11, |r, s| {
                let j = others[r];
                classes.weight(j).sqrt() * if s < 10 { k[(j, chosen[s])] } else { 1.0 }
            });
            let right = Matrix::from_fn(39, 3, |r, c| {
                classes.weight(others[r]).sqrt() * y[(others[r], c)]
            });
            let coef = crate::linalg::least_squares(&design, &right, 0.0)
                .expect("finite")
                .coef;
            for c in 0..3 {
                let direct: f64 = (0..10)
                    .map(|s| k[(i, chosen[s])] * coef[(s, c)])
                    .sum::<f64>()
                    + coef[(10, c)];
                let own = fast[(i, c)] + y_mean[c];
                assert!(
                    (own - direct).abs() < 1e-6 * direct.abs().max(1.0),
                    "{own} {direct}"
                );
            }
        }
    }

    #[test]
    fn permuting_classes_permutes_the_answer() {
        let a = problem(60, 3, 3, 5);
        let recode = [2, 0, 1];
        let mut b = a.clone();
        let codes: Vec<usize> = a.labels.codes().iter().map(|&c| recode[c]).collect();
        b.labels =
            crate::data::Labels::from_codes(codes, a.labels.classes().to_vec()).expect("codes fit");
        let smkda = Smkda::new(&Options::default());
        let candidate = Candidate::new(Kernel::Gaussian { bandwidth: 1.0 }).size(12);
        let (fa, fb) = (
            smkda.fit(&a, &candidate).expect("fits"),
            smkda.fit(&b, &candidate).expect("fits"),
        );
        assert_eq!(fa.report.retained_rows, fb.report.retained_rows);
        let pa = fa.decision.posterior(&fa.expansion.evaluate(&a.x));
        let pb = fb.decision.posterior(&fb.expansion.evaluate(&a.x));
        for i in 0..60 {
            for c in 0..3 {
                assert!((pa[(i, c)] - pb[(i, recode[c])]).abs() < 1e-7);
            }
        }
    }
}
