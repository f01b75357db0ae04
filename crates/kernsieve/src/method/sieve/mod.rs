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

pub use params::{Linear, Prefer, Shape, Sieve, SieveSetting};

use params::PARAMS;

use super::klr::logits;
use super::{
    About, CvEntry, Fit, FitReport, Fold, Footprint, Grid, HeldOut, Method, Outputs, PathStep,
    Problem, Ranking, Refinement, Sparse, some,
};
use crate::data::{NormalScores, stratified_sample};
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::kernel::{Family, cross_gram};
use crate::linalg::{Matrix, View};
use crate::params::{Preparation, Protocol, Rule};
use judge::{Verdict, of_family, weighted};
use learn::{AROUND, Learner, Learnt};
use path::{Path, sharpened};
use refit::{Rows, refit};
use sample::Sample;
use search::{Plan, SECOND, landmarks, plan, scores_of};

/// Rows on which everything is tuned. Up to this number, every row is a candidate for the samples;
/// beyond, at most as many are drawn by class.
const CANDIDATES: usize = 3000;
/// Products of columns of candidates over all rows: beyond this, there are fewer candidates, but not
/// fewer than a third.
const MOST_PRODUCTS: f64 = 1e12;
/// So many features are dropped one at a time.
const FEW_FEATURES: usize = 5;
/// Candidates when features are dropped.
const FEWER_CANDIDATES: usize = 800;
/// Ridge of the softmax relative to that of the least squares: the same penalty near even odds.
const SOFTMAX_RIDGE: f64 = 0.125;
/// Samples of a softmax refit, as shares of the rows, with all features and with fewer.
const SOFTMAX_SHARES: (&[f64], &[f64]) = (
    &[0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0],
    &[0.1, 0.2, 0.4, 0.7, 1.0],
);
/// Most samples of a softmax refit.
const MOST_SOFTMAX: usize = 600;

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

/// Numbers of features to try: all, then half as many each time; few are dropped one at a time.
fn levels(active: usize, max: Option<usize>) -> Vec<usize> {
    let mut levels = vec![active];
    while let Some(&last) = levels.last().filter(|l| **l > 1) {
        levels.push(if last > FEW_FEATURES {
            last.div_ceil(2)
        } else {
            last - 1
        });
    }
    if let Some(max) = max.filter(|m| *m < active)
        && let Err(at) = levels.binary_search_by(|l| max.cmp(l))
    {
        levels.insert(at, max);
    }
    levels
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
        let sample = Sample::new(problem, scores.as_ref(), SECOND, landmarks(problem));
        Self { scores, x, sample }
    }
}

impl SieveSetting {
    fn plan(&self) -> Plan {
        Plan {
            prepare: self.prepare,
            family: self.kernel.family(),
            bandwidth: self.kernel.bandwidth().unwrap_or(1.0),
            ridge: self.ridge,
            linear: self.linear,
            rounds: self.rounds,
        }
    }
}

impl Sieve {
    /// Learns weights as a plan says, then drops features down to each of the numbers wanted, which
    /// are in descending order.
    fn learn(&self, sample: &Sample, plan: &Plan, wanted: &[usize]) -> Result<Vec<Learnt>> {
        let learner = Learner {
            sample,
            family: plan.family,
            ridge: self.ridge,
        };
        let start = Verdict::start(
            of_family(plan.family, plan.bandwidth),
            plan.ridge,
            plan.linear,
        );
        let mut now = learner.judge_around(&sample.active, &start, &AROUND)?;
        for _ in 0..plan.rounds {
            now = learner.round(&now, usize::MAX, true, &AROUND)?;
        }
        let active = sample.n_active();
        let mut out = Vec::with_capacity(wanted.len());
        let mut levels = levels(active, self.max_features).into_iter().peekable();
        for &want in wanted {
            while let Some(level) = levels.next_if(|l| *l >= want.min(active)) {
                if level < active {
                    now = learner.round(&now, level, plan.rounds > 0, &[1.0])?;
                }
            }
            out.push(now.clone());
        }
        Ok(out)
    }

    /// Settings of a plan: a path of samples with all features, and shorter ones with fewer.
    fn arm(&self, plan: &Plan, problem: &Problem) -> Vec<SieveSetting> {
        let n = problem.n();
        let most = self.max_support.unwrap_or(n).min(n);
        let setting = |n_features: usize, size: usize, softmax: Option<f64>| SieveSetting {
            kernel: of_family(plan.family, plan.bandwidth),
            prepare: plan.prepare,
            ridge: plan.ridge,
            linear: plan.linear,
            rounds: plan.rounds,
            n_features,
            size,
            softmax,
        };
        let mut arm = Vec::new();
        let active = problem.n_active();
        let allowed = self.max_features.unwrap_or(active).min(active);
        for level in levels(active, self.max_features) {
            if level > allowed {
                continue;
            }
            let sizes = sizes(most.min(match level == active {
                true => CANDIDATES,
                false => FEWER_CANDIDATES,
            }));
            arm.extend(sizes.iter().map(|&s| setting(level, s, None)));
            let shares = match level == allowed {
                true => SOFTMAX_SHARES.0,
                false => SOFTMAX_SHARES.1,
            };
            let mut tried = vec![];
            for share in shares {
                let goal = ((share * n as f64) as usize).clamp(1, MOST_SOFTMAX);
                let Some(&size) = sizes.iter().min_by_key(|s| s.abs_diff(goal)) else {
                    continue;
                };
                if !tried.contains(&size) {
                    tried.push(size);
                    arm.push(setting(level, size, Some(SOFTMAX_RIDGE)));
                }
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
        let most = if all { CANDIDATES } else { FEWER_CANDIDATES };
        let candidates = stratified_sample(&problem.labels, most, problem.seed ^ 2);
        let longest = settings.iter().map(|s| s.size).max().unwrap_or(1);
        let path = Path::new(problem, &seen.x, learnt, &candidates, longest)?;
        let u = weighted(held_out, &learnt.weights);
        let decision = logits(problem);
        let rows = Rows {
            problem,
            x: &seen.x,
        };
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
                    let found = refit(&rows, learnt, &path, &sizes, ridge, 1e-4)?;
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
        importances: true,
        params: PARAMS,
        auto: false,
        ..About::BLANK
    };

    fn family(&self) -> Family {
        self.kernel.map_or(Family::Gaussian, Shape::family)
    }

    fn footprint(&self, n: usize) -> Footprint {
        let m = n.min(CANDIDATES) as u64;
        Footprint {
            cache: 8 * (4 * m * m + n as u64 * m),
            ..Footprint::NONE
        }
    }

    fn ranking(&self) -> Ranking {
        Ranking::TemperedLogLoss
    }

    fn tuning_rows(&self, _n: usize) -> Option<usize> {
        Some(CANDIDATES)
    }

    fn grid(&self, problem: &Problem, _: &Protocol) -> Result<Grid<SieveSetting>> {
        if let Some(like) = self.like {
            let active = problem.n_active();
            let most = |max: Option<usize>, own: usize| max.map_or(own, |m| m.min(own));
            return Ok(vec![vec![SieveSetting {
                n_features: most(self.max_features, like.n_features).min(active),
                size: most(self.max_support, like.size).min(problem.n()),
                ..like
            }]]);
        }
        let plan = plan(self, problem)?;
        some(vec![self.arm(&plan, problem)])
    }

    /// All features and samples are the reference; fewer must be better, or for a small model not
    /// clearly worse.
    fn refine(
        &self,
        _: &Problem,
        protocol: &Protocol,
        grid: &[CvEntry<SieveSetting>],
        _: usize,
    ) -> Result<Refinement<SieveSetting>> {
        if protocol.rule == Rule::OneStandardError {
            return Ok(Refinement::Keep);
        }
        let chosen = choose::choose(grid, self.prefer);
        Ok(chosen.map_or(Refinement::Keep, Refinement::Entry))
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
        let mut wanted: Vec<usize> = arm.iter().map(|s| s.n_features).collect();
        wanted.sort_by(|a, b| b.cmp(a));
        wanted.dedup();
        let learnt = self.learn(&seen.sample, &first.plan(), &wanted)?;
        let mut out: Vec<Option<HeldOut>> = vec![None; arm.len()];
        for (&level, learnt) in wanted.iter().zip(&learnt) {
            let places: Vec<usize> = (0..arm.len())
                .filter(|&i| arm[i].n_features == level)
                .collect();
            let settings: Vec<SieveSetting> = places.iter().map(|&i| arm[i]).collect();
            let answers = self.follow(&seen, fold, &held_out, learnt, &settings)?;
            for (i, answer) in places.into_iter().zip(answers) {
                out[i] = Some(answer);
            }
        }
        Ok(out)
    }

    fn fit(&self, problem: &Problem, setting: &SieveSetting) -> Result<Fit> {
        let seen = Seen::new(problem, setting.prepare);
        let plan = setting.plan();
        let learnt = self.learn(&seen.sample, &plan, &[setting.n_features])?;
        let learnt = learnt.last().ok_or(Error::NoConvergence("the sieve"))?;
        let most = (MOST_PRODUCTS / problem.n() as f64).sqrt() as usize;
        let most = most.clamp(CANDIDATES / 3, CANDIDATES);
        let candidates = stratified_sample(&problem.labels, most, problem.seed ^ 2);
        let path = Path::new(problem, &seen.x, learnt, &candidates, setting.size)?;
        let (parts, report) = match setting.softmax {
            None => {
                let mut parts = path.coefficients(path.len());
                let report = FitReport {
                    objective: Some(path.objective()),
                    iterations: path.len(),
                    converged: true,
                    residual: Some(path.residual(problem, &seen.x, &parts)),
                    ..FitReport::default()
                };
                parts.sharpen();
                (parts, report)
            }
            Some(ridge) => {
                let rows = Rows {
                    problem,
                    x: &seen.x,
                };
                let found = refit(&rows, learnt, &path, &[setting.size], ridge, 1e-8)?;
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
