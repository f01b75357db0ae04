//! The sieve: a learnt kernel on few features and few samples.
//!
//! ```text
//! f_c(x) = b_c + <a_c, w*x> + sum_{i in S} A_ic k(w*x, w*x_i),    p = softmax(f)
//! ```
//! Features are standardised or become normal scores; the kernel is Gaussian, Laplacian or radial
//! Laplacian; the linear part is in or out; the weights `w` are learnt from the slopes of the fitted
//! function (`weights`), and features of small slopes are dropped by halves; the samples `S` are
//! selected by orthogonal least squares with the ridge in (`path`); a softmax refit on them may
//! replace the least squares. All of this is the data's choice: `search` finds preparation, kernel,
//! linear part and rounds by leaving out each row of a sample, and folds in which everything is
//! learnt anew choose numbers of features and samples, and report the error.

mod choose;
mod descent;
mod guide;
mod judge;
mod learn;
mod params;
mod path;
mod refit;
mod sample;
mod search;
#[cfg(test)]
mod tests;
mod weights;

pub use params::{Before, Linear, Shape, Sieve, SieveSetting};

use params::PARAMS;

use super::klr::logits;
use super::{
    About, Candidacy, CvEntry, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Once,
    Outputs, PathStep, Problem, Ranking, Refinement, Sparse, some,
};
use crate::data::{NormalScores, sample_with_rare};
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, cross_gram};
use crate::linalg::{Matrix, View};
use crate::params::{Preparation, Protocol, Rule};
use crate::partial::{Passes, weighted};
use descent::{Descent, levels};
use learn::Learnt;
use path::{Coefficients, Path, sharpened};
use refit::{Rows, refit};
use sample::Sample;
use search::{Plan, Scale, plan, scores_of};

/// Rows on which everything is tuned. Up to this number, every row is a candidate for the samples;
/// beyond, at most as many are drawn by class.
const CANDIDATES: usize = 3000;
/// Products of columns of candidates over all rows: beyond this, there are fewer candidates, but not
/// fewer than a third.
const MOST_PRODUCTS: f64 = 2e12;
/// Candidates when features are dropped.
const FEWER_CANDIDATES: usize = 800;
/// From this many rows on, some are held out once in place of folds of a sample: a fifth of them,
/// but not more than this, of at most so many rows.
const HELD_OUT: usize = 10_000;
const MANY_ROWS: usize = 8000;
const MOST_ROWS: usize = 110_000;
/// Ridge of the softmax relative to that of the least squares: the same penalty near even odds.
const SOFTMAX_RIDGE: f64 = 0.125;
/// Samples of a softmax refit, as shares of the rows, with all features and with fewer.
const SOFTMAX_SHARES: (&[f64], &[f64]) = (
    &[0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0],
    &[0.1, 0.2, 0.4, 0.7, 1.0],
);
/// Tolerance of a softmax refit in folds, with all features and with fewer, and in the model.
const TOLERANCE: ((f64, f64), f64) = ((1e-4, 1e-3), 1e-8);
/// Most samples of a softmax refit, with all features and with fewer, and on many rows.
const MOST_SOFTMAX: (usize, usize) = (600, 300);
const MORE_SOFTMAX: usize = 1200;

/// Values of kernel functions that a softmax refit may hold: beyond, it sees rows drawn by class.
const MOST_VALUES: usize = 30_000_000;

/// Up to this many rows, folds search for a kernel themselves where the error is estimated.
const AFRESH: usize = 600;

/// Candidates for the samples of this many rows.
fn n_candidates(n: usize) -> usize {
    let most = (MOST_PRODUCTS / n.max(1) as f64).sqrt() as usize;
    n.min(most.clamp(CANDIDATES / 3, CANDIDATES))
}

/// Seconds of one core: the search on at most 3000 rows, or on more of many, and the paths of samples.
fn seconds(n: f64, p: f64, c: f64) -> f64 {
    let some = n.min(1000.0);
    let search = 7e-6 * some * some * (1.0 + p.min(2000.0) / 200.0) * (0.9 + 0.05 * c);
    let m = n_candidates(n as usize) as f64;
    let many = match n as usize >= MANY_ROWS {
        true => 30.0 + 8e-11 * n.min(MOST_ROWS as f64) * m * m,
        false => 0.0,
    };
    search + 2e-3 * (n.min(3000.0) - some) + 2e-11 * n * m * m + many
}

/// Sizes along a path: each a quarter larger than the last, and the longest.
fn sizes(longest: usize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut size = 1;
    while size < longest {
        sizes.push(size);
        size += (size / 4).max(1);
    }
    sizes.push(longest);
    sizes
}

/// The rows of a problem as a plan sees them.
struct Seen {
    scores: Option<NormalScores>,
    x: Matrix,
    sample: Sample,
}

impl Seen {
    fn new(problem: &Problem, prepare: Preparation) -> Self {
        let scored = prepare == Preparation::Scores && problem.may_score;
        let scores = scored.then(|| scores_of(problem));
        let mut x = problem.x.clone();
        if let Some(scores) = &scores {
            scores.apply_in_place(&mut x);
        }
        let sample = Sample::new(problem, scores.as_ref(), Scale::of(problem.n()).learn);
        Self { scores, x, sample }
    }
}

impl Sieve {
    /// Numbers of features to try. On many rows every one is a path through all of them: there it
    /// is all features, and those about the best number where rows were left out.
    fn levels(&self, plan: &Plan, active: usize, many: bool) -> Vec<usize> {
        let mut levels = levels(active, self.max_features);
        if !many {
            return levels;
        }
        let most = self.max_features.unwrap_or(active);
        let at = levels.iter().position(|l| Some(*l) == plan.fewer);
        let mut place = 0;
        levels.retain(|&level| {
            place += 1;
            level >= most || at.is_some_and(|at| place == at || place == at + 1 || place == at + 2)
        });
        levels
    }

    /// Settings of a plan: a path of samples with all features, and shorter ones with fewer.
    fn arm(&self, plan: &Plan, problem: &Problem) -> Vec<SieveSetting> {
        let n = problem.n();
        let most = self.max_support.unwrap_or(n).min(n);
        let active = problem.n_active();
        let allowed = self.max_features.unwrap_or(active).min(active);
        let many = n > CANDIDATES;
        let mut arm = Vec::new();
        for level in self.levels(plan, active, many) {
            if level > allowed {
                continue;
            }
            let sizes = sizes(most.min(match many || level == active {
                true => n_candidates(n),
                false => FEWER_CANDIDATES,
            }));
            let (shares, most) = match level == allowed {
                _ if many => (SOFTMAX_SHARES.0, MORE_SOFTMAX),
                true => (SOFTMAX_SHARES.0, MOST_SOFTMAX.0),
                false => (SOFTMAX_SHARES.1, MOST_SOFTMAX.1),
            };
            let mut tried = vec![];
            for share in shares {
                let rows = n.min(CANDIDATES) as f64;
                let goal = ((share * rows) as usize).clamp(1, most);
                if let Some(&size) = sizes.iter().min_by_key(|s| s.abs_diff(goal))
                    && !tried.contains(&size)
                {
                    tried.push(size);
                }
            }
            for own in plan.settings(level) {
                let setting = |size, softmax| SieveSetting {
                    size,
                    softmax,
                    ..own.clone()
                };
                arm.extend(sizes.iter().map(|&s| setting(s, None)));
                arm.extend(tried.iter().map(|&s| setting(s, Some(SOFTMAX_RIDGE))));
            }
        }
        arm
    }

    /// Scores of held-out rows by settings that differ in samples and readout alone.
    fn follow(
        &self,
        seen: &Seen,
        fold: &Fold,
        held_out: &Matrix,
        learnt: &Learnt,
        settings: &[SieveSetting],
    ) -> Result<Vec<HeldOut>> {
        let problem = &fold.train;
        let all = settings.iter().all(|s| s.n_features >= problem.n_active());
        let n = problem.n();
        let (most, tolerance) = match all {
            true => (n_candidates(n), TOLERANCE.0.0),
            false if n > CANDIDATES => (n_candidates(n), TOLERANCE.0.1),
            false => (FEWER_CANDIDATES, TOLERANCE.0.1),
        };
        let candidates = sample_with_rare(&problem.labels, most, problem.seed ^ 2);
        let longest = settings.iter().map(|s| s.size).max().unwrap_or(1);
        let path = Path::new(problem, &seen.x, learnt, &candidates, longest)?;
        let u = weighted(held_out, &learnt.weights);
        let decision = logits(problem);
        let mut out: Vec<Option<HeldOut>> = vec![None; settings.len()];
        for readout in [None, Some(SOFTMAX_RIDGE)] {
            let mut own: Vec<usize> = (0..settings.len())
                .filter(|&i| settings[i].softmax == readout)
                .collect();
            own.sort_by_key(|&i| settings[i].size);
            let sizes: Vec<usize> = own.iter().map(|&i| settings[i].size).collect();
            let outputs: Vec<Matrix> = match readout {
                _ if own.is_empty() => continue,
                None => path.follow(&u, &sizes).into_iter().map(sharpened).collect(),
                Some(ridge) => {
                    let found = refit_some(seen, problem, learnt, &path, &sizes, ridge, tolerance)?;
                    let longest = sizes.last().copied().unwrap_or(0);
                    let k = cross_gram(&learnt.verdict.kernel, &u, &path.centres(longest));
                    let some = |n: usize| View::new(k.as_slice(), k.rows(), n, k.cols());
                    let outputs = found.iter();
                    outputs
                        .map(|(parts, _)| parts.outputs(some(parts.coef.rows()), &u))
                        .collect()
                }
            };
            for (i, outputs) in own.into_iter().zip(outputs) {
                out[i] = Some(HeldOut {
                    scores: decision.scores(&outputs),
                    weights: Some(learnt.weights.clone()),
                });
            }
        }
        Ok(out.into_iter().flatten().collect())
    }
}

/// A softmax refit on as many of the rows as may be held.
fn refit_some(
    seen: &Seen,
    problem: &Problem,
    learnt: &Learnt,
    path: &Path,
    sizes: &[usize],
    ridge: f64,
    tolerance: f64,
) -> Result<Vec<(Coefficients, FitReport)>> {
    let longest = sizes.last().map_or(0, |s| (*s).min(path.len()));
    let most = MOST_VALUES / (longest + 1);
    let (drawn, part) = problem.sample(most, problem.seed ^ 3);
    let rows = Rows {
        problem: &part,
        x: &seen.x.select_rows(&drawn),
    };
    refit(&rows, learnt, path, sizes, ridge, tolerance)
}

impl Method for Sieve {
    type Setting = SieveSetting;

    const ABOUT: About = About {
        name: "sieve",
        class: "SieveClassifier",
        title: "a learnt kernel on few features and few samples",
        plain: "learnt kernel on few features and few samples (sieve)",
        summary: "A kernel whose shape, scale and feature weights are learnt, on selected features \
                  and selected samples, with a linear part where it helps.",
        paper: "kernsieve",
        tuned: "everything",
        decides: "softmax",
        sparse: Sparse::Both,
        outputs: Outputs::Logits,
        calibrated: true,
        shrinks: true,
        params: PARAMS,
        auto: Candidacy::First,
        seconds,
        ..About::BLANK
    };

    fn family(&self) -> Family {
        self.kernel.map_or(Family::Gaussian, Shape::family)
    }

    fn footprint(&self, n: usize) -> Footprint {
        let m = n_candidates(n);
        let many = n > CANDIDATES;
        let longest = if many { MORE_SOFTMAX } else { MOST_SOFTMAX.0 };
        let values = (n * longest).min(MOST_VALUES);
        // Matrices of a softmax refit, or of the judges of three bandwidths.
        let (rows, marks) = Scale::of(n).learn;
        let learning = if many { 11 * rows * marks } else { 0 };
        let tall = learning.max(5 * values);
        Footprint {
            // Twice, since a refit holds the matrices of the fit that it starts from.
            cache: 16 * (4 * m * m + 2 * path::BLOCK.min(n) * m + tall) as u64,
            ..Footprint::NONE
        }
    }

    fn ranking(&self) -> Ranking {
        Ranking::TemperedLogLoss
    }

    fn tuning_rows(&self, _n: usize) -> Option<usize> {
        Some(CANDIDATES)
    }

    fn holds_out(&self, n: usize) -> Option<Once> {
        (n >= MANY_ROWS).then(|| Once {
            rows: n.min(MOST_ROWS),
            held_out: HELD_OUT.min(n / 5),
        })
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<SieveSetting>> {
        if let Some(like) = &self.like {
            let active = problem.n_active();
            let most = |max: Option<usize>, own: usize| max.map_or(own, |m| m.min(own));
            let n_features = most(self.max_features, like.n_features).min(active);
            return Ok(vec![vec![SieveSetting {
                size: most(self.max_support, like.size).min(problem.n()),
                n_features,
                ..like.clone()
            }]]);
        }
        let plan = plan(self, problem)?;
        some(vec![self.arm(&plan, problem)])
    }

    /// All features and samples are the reference; fewer must be better, or for a small model not
    /// clearly worse. Where features are dropped, those stay that most folds keep.
    fn refine(
        &self,
        problem: &Problem,
        protocol: &Protocol,
        grid: &[CvEntry<SieveSetting>],
        simplest: usize,
    ) -> Result<Refinement<SieveSetting>> {
        let chosen = match protocol.rule {
            Rule::OneStandardError => simplest,
            Rule::Min => choose::choose(grid, protocol.prefer).unwrap_or(simplest),
        };
        let entry = &grid[chosen];
        if entry.setting.n_features == problem.n_active() {
            return Ok(Refinement::Entry(chosen));
        }
        let votes = entry.feature_folds.iter().copied().enumerate();
        let setting = SieveSetting {
            votes: votes.filter(|(_, folds)| *folds > 0).collect(),
            ..entry.setting.clone()
        };
        Ok(Refinement::Told(chosen, setting))
    }

    fn held_out(&self, fold: &Fold, arm: &[SieveSetting]) -> Result<Vec<Option<HeldOut>>> {
        let Some(first) = arm.first() else {
            return Ok(vec![]);
        };
        let seen = Seen::new(&fold.train, first.prepare);
        let mut held_out = fold.held_out.clone();
        if let Some(scores) = &seen.scores {
            scores.apply_in_place(&mut held_out);
        }
        let descent = Descent::new(self, &seen.sample, arm, &[])?;
        let mut out: Vec<Option<HeldOut>> = vec![None; arm.len()];
        let mut left: Vec<usize> = (0..arm.len()).collect();
        while let Some(&one) = left.first() {
            let level = |i: &usize| (arm[*i].n_features, arm[*i].before);
            let (places, others) = left.iter().partition(|i| level(i) == level(&one));
            left = others;
            let places: Vec<usize> = places;
            let settings: Vec<SieveSetting> = places.iter().map(|&i| arm[i].clone()).collect();
            let learnt = descent.at(&arm[one])?;
            let answers = self.follow(&seen, fold, &held_out, learnt, &settings)?;
            for (i, answer) in places.into_iter().zip(answers) {
                out[i] = Some(answer);
            }
        }
        Ok(out)
    }

    /// The search for a kernel sees all rows. With few rows this shows in the errors of folds, so
    /// these search, too, where they are asked for the error to expect.
    fn held_out_afresh(&self, fold: &Fold, like: &SieveSetting) -> Result<Option<HeldOut>> {
        if self.like.is_some() || fold.train.n() > AFRESH {
            return Ok(None);
        }
        let own = plan(self, &fold.train)?.settings(like.n_features);
        let turned = own
            .iter()
            .find(|s| s.before.is_some() == like.before.is_some());
        let Some(form) = turned.or(own.first()) else {
            return Ok(None);
        };
        let setting = SieveSetting {
            size: like.size,
            softmax: like.softmax,
            ..form.clone()
        };
        let answers = self.held_out(fold, std::slice::from_ref(&setting))?;
        Ok(answers.into_iter().next().flatten())
    }

    fn fit(&self, problem: &Problem, setting: &SieveSetting) -> Result<Fit> {
        self.fitted(problem, setting, None)
    }

    fn streams(&self) -> bool {
        true
    }

    /// Preparation and weights are learnt from the rows at hand, as in memory they are from some of
    /// many; samples are selected among these by the sums over all rows.
    fn fit_by_passes(
        &self,
        some: &Problem,
        setting: &SieveSetting,
        rows: &mut dyn Passes,
    ) -> Result<Fit> {
        self.fitted(some, setting, Some(rows))
    }
}

impl Sieve {
    /// The fit on the rows of a problem, or on all the rows of which these are some.
    fn fitted(
        &self,
        problem: &Problem,
        setting: &SieveSetting,
        rows: Option<&mut dyn Passes>,
    ) -> Result<Fit> {
        let seen = Seen::new(problem, setting.prepare);
        let one = std::slice::from_ref(setting);
        let descent = Descent::new(self, &seen.sample, one, &setting.votes)?;
        let learnt = descent.at(setting)?;
        let all = rows.as_ref().map(|r| r.rows() as usize);
        let most = n_candidates(all.unwrap_or(problem.n()));
        let candidates = sample_with_rare(&problem.labels, most, problem.seed ^ 2);
        let (size, scores) = (setting.size, seen.scores.as_ref());
        let path = match rows {
            None => Path::new(problem, &seen.x, learnt, &candidates, size)?,
            Some(rows) => Path::by_passes(rows, &seen.x, scores, learnt, &candidates, size)?,
        };
        let (parts, report) = match setting.softmax {
            None => {
                let mut parts = path.coefficients(path.len());
                let report = FitReport {
                    objective: Some(path.objective()),
                    iterations: path.len(),
                    converged: true,
                    residual: all
                        .is_none()
                        .then(|| path.residual(problem, &seen.x, &parts)),
                    ..FitReport::default()
                };
                parts.sharpen();
                (parts, report)
            }
            Some(ridge) => {
                let sizes = [setting.size];
                let found = refit_some(&seen, problem, learnt, &path, &sizes, ridge, TOLERANCE.1)?;
                let found = found.into_iter().next();
                found.ok_or(Error::NoConvergence("the softmax refit"))?
            }
        };
        let samples = path.rows.clone();
        let output = Output::Linear {
            coef: parts.coef,
            offset: parts.offset,
        };
        let rows = seen.x.select_rows(&samples);
        let mut expansion =
            KernelExpansion::new(learnt.verdict.kernel, learnt.weights.clone(), &rows, output);
        if let Some(linear) = parts.linear {
            expansion = expansion.with_linear(linear);
        }
        let steps = path.rows.iter().zip(&path.explained).enumerate();
        let report = FitReport {
            retained_rows: samples.clone(),
            ridge: Some(learnt.verdict.ridge),
            path: steps
                .map(|(k, (&row, share))| PathStep {
                    row: Some(row),
                    ..PathStep::new(k + 1, 1.0 - share)
                })
                .collect(),
            ..report
        };
        let decision: Decision = logits(problem);
        Ok(Fit {
            scores: seen.scores,
            ..Fit::new(expansion, decision, report)
        })
    }
}
