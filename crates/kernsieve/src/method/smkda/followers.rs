//! Rows that go along with a selection and can be read at any size.

use super::{Ground, Select, Smkda, SmkdaSetting};
use crate::classes::Classes;
use crate::decision::Decision;
use crate::error::Result;
use crate::linalg::{Matrix, dot, matmul};
use crate::method::{HeldOut, LeftOutRows, Problem};
use crate::solver::ols::Step;
use crate::solver::optimal_scoring::{response_means, scaled_eigenvectors};
use rayon::prelude::*;

/// Rows that follow a selection: their outputs at every size.
pub(super) struct Followers<'a> {
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

impl<'a> Followers<'a> {
    pub(super) fn new(
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
    pub(super) fn follow(&mut self, step: &Step<'_>) {
        let (t, j) = (step.size - 1, step.candidate);
        let width = self.coordinates.cols();
        let c = self.fitted.cols();
        let (k, means) = (self.k, self.means);
        // A chunk of rows. Each row is computed by itself, so the result does not depend on
        // threads.
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
    pub(super) fn scores(&self) -> Result<Matrix> {
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

/// The training rows, each predicted by the regression on all others. With leverages `h_i = w_i
/// (1/n + sum_k s_k v_ik^2)`, `v_ik` the row's coordinate in the orthogonal basis, the residual of
/// row `i` with the row left out is `(y_i - yhat_i) / (1 - h_i)`: the PRESS residual. The samples
/// chosen, the class means and the scaling of the variates stay those of all rows.
pub(super) struct LeftOut<'a> {
    followers: Followers<'a>,
    y: Matrix,
    y_mean: Vec<f64>,
    weights: Vec<f64>,
    leverage: Vec<f64>,
}

impl<'a> LeftOut<'a> {
    pub(super) fn new(followers: Followers<'a>, y: Matrix, classes: &Classes) -> Self {
        let weights: Vec<f64> = (0..classes.n_rows()).map(|i| classes.weight(i)).collect();
        Self {
            followers,
            y,
            y_mean: response_means(classes),
            leverage: weights.iter().map(|w| w / classes.total()).collect(),
            weights,
        }
    }

    pub(super) fn follow(&mut self, step: &Step<'_>) {
        self.followers.follow(step);
        for (i, h) in self.leverage.iter_mut().enumerate() {
            let v = self.followers.coordinates[(i, step.size - 1)];
            *h += self.weights[i] * step.shrinkage * v * v;
        }
    }

    /// Regression of every row on the others, without the offset.
    pub(super) fn fitted(&self) -> Matrix {
        let (y, f) = (&self.y, &self.followers.fitted);
        Matrix::from_fn(y.rows(), y.cols(), |i, j| {
            let gap = y[(i, j)] - self.y_mean[j] - f[(i, j)];
            // A row of leverage 1 determines its own fit, and the others tell nothing about it: its
            // prediction is the mean. The penalty keeps leverages a little below 1, by up to about
            // 1e-9 over the squared length of a column.
            let left = 1.0 - self.leverage[i];
            if left > 1e-6 {
                y[(i, j)] - self.y_mean[j] - gap / left
            } else {
                0.0
            }
        })
    }

    pub(super) fn rows(&self) -> Result<LeftOutRows> {
        let fitted = self.fitted();
        let squared = |i: usize| {
            let gap = |j: usize| self.y[(i, j)] - self.y_mean[j] - fitted[(i, j)];
            (0..fitted.cols()).map(|j| gap(j) * gap(j)).sum()
        };
        Ok(LeftOutRows {
            scores: self.followers.scores_of(&fitted)?,
            squared_residuals: (0..fitted.rows()).map(squared).collect(),
        })
    }
}

/// Rows that go along with a selection and can be read at any size.
pub(super) trait Follower {
    type Answer;
    fn follow(&mut self, step: &Step<'_>);
    fn read(&self) -> Result<Self::Answer>;
}

impl Follower for Followers<'_> {
    type Answer = HeldOut;
    fn follow(&mut self, step: &Step<'_>) {
        Followers::follow(self, step);
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

/// Runs the selection with every ridge of an arm and reads a follower at the size of every setting,
/// or at the ridge and the size of most evidence.
pub(super) fn read_arm<F: Follower>(
    smkda: &Smkda,
    ground: &mut Ground,
    problem: &Problem,
    arm: &[SmkdaSetting],
    longest: usize,
    mut follower: impl FnMut() -> F,
) -> Result<Vec<Option<F::Answer>>> {
    let mut answers: Vec<Option<F::Answer>> = arm.iter().map(|_| None).collect();
    let told = arm.iter().any(|s| s.ridge.is_some());
    let evident = smkda.by_evidence() && !told;
    let mut ridges: Vec<Option<f64>> = Vec::new();
    if let (true, Some(first)) = (evident, arm.first()) {
        let all = smkda.ridges_at(&first.kernel, problem, ground.total);
        ridges.extend(all.into_iter().map(Some));
    }
    for setting in arm.iter().filter(|_| !evident) {
        if !ridges.contains(&setting.ridge) {
            ridges.push(setting.ridge);
        }
    }
    let mut most = f64::NEG_INFINITY;
    for (run, &ridge) in ridges.iter().enumerate() {
        let mut follower = follower();
        let mut failed = None;
        let last = run + 1 == ridges.len();
        ground.walk(smkda, ridge, last, longest, |step, at| {
            follower.follow(step);
            for (setting, out) in arm.iter().zip(&mut answers) {
                let due = match at.evidence.filter(|_| evident) {
                    Some(evidence) => evidence > most,
                    None => setting.size == step.size && setting.ridge == ridge,
                };
                if due {
                    most = at.evidence.unwrap_or(most);
                    match follower.read() {
                        Ok(answer) => *out = Some(answer),
                        Err(e) => failed = Some(e),
                    }
                }
            }
            failed.is_none()
        });
        if let Some(e) = failed {
            return Err(e);
        }
        // If fewer samples are found than asked for, the model is the one with those that were
        // found. So it is for all larger sizes where PRESS has risen, or a lasso path ended.
        let own = arm.iter().zip(&mut answers);
        let mut own: Vec<_> = own.filter(|(s, _)| evident || s.ridge == ridge).collect();
        if own.len() == 1 || smkda.by() != Select::Ols {
            for (_, out) in own.iter_mut().filter(|(_, out)| out.is_none()) {
                **out = Some(follower.read()?);
            }
        }
    }
    Ok(answers)
}
