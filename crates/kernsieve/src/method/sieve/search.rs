//! The search: which preparation, kernel, linear part and rounds of weights to take.
//!
//! Everything is judged by leaving out each row of a sample ([`super::judge`]). That is cheap, and
//! good enough to choose; weights learnt on the rows that judge them look better than they are, so
//! what is reported comes from folds.

use super::judge::{RIDGES, Verdict, best};
use super::learn::{AROUND, Learner, Learnt};
use super::sample::Sample;
use super::{Linear, Shape, Sieve};
use crate::data::NormalScores;
use crate::error::{Error, Result};
use crate::kernel::Family;
use crate::method::Problem;
use crate::params::Preparation;
use rayon::prelude::*;

/// Rows and landmarks of the first look.
const FIRST: (usize, usize) = (800, 300);
/// Rows on which weights are learnt.
pub(super) const SECOND: usize = 1500;
/// Rows times squared landmarks there: all rows are landmarks up to 669, 447 of 1500 rows. Narrow
/// kernels need landmarks everywhere.
const PRODUCTS: f64 = 3e8;
/// Rounds of weights tried on few rows, and on many. Weights that are learnt on few rows and judged
/// by them look ever better than they are.
const ROUNDS: (usize, usize) = (1, 2);
/// Pairs of preparation and kernel for which weights are learnt.
const PAIRS: usize = 2;
/// Fewer rows than these are few.
const FEW_ROWS: usize = 1000;
/// Most features of a linear part.
const MOST_LINEAR: usize = 256;

/// What is learnt: preparation and kernel, and how often weights are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub prepare: Preparation,
    pub family: Family,
    /// Bandwidth to start from.
    pub bandwidth: f64,
    /// Ridge to start from.
    pub ridge: f64,
    pub linear: bool,
    pub rounds: usize,
}

impl Shape {
    pub(super) fn family(self) -> Family {
        match self {
            Self::Gaussian => Family::Gaussian,
            Self::Laplacian => Family::Laplacian,
            Self::RadialLaplacian => Family::RadialLaplacian,
        }
    }
}

/// Bandwidths of the first look, in units of the median distance; wide ones first.
fn widths(family: Family) -> &'static [f64] {
    match family {
        Family::Gaussian => &[4.0, 1.7, 1.0, 0.65, 0.4, 0.25, 0.15],
        _ => &[8.0, 3.0, 1.2, 0.6, 0.3, 0.15],
    }
}

/// The best plan.
pub(super) fn plan(method: &Sieve, problem: &Problem) -> Result<Plan> {
    let families: Vec<Family> = match method.kernel {
        Some(shape) => vec![shape.family()],
        None => vec![Family::Gaussian, Family::Laplacian, Family::RadialLaplacian],
    };
    let scores = problem.may_score.then(|| scores_of(problem));
    let mut preparations = vec![(Preparation::Standardize, None)];
    // With two-valued features alone, scores change nothing.
    if let Some(scores) = &scores
        && scores.curves.iter().any(|c| c.knots.len() > 4)
    {
        preparations.push((Preparation::Scores, Some(scores)));
    }
    let pairs: Vec<(Preparation, Option<&NormalScores>, Family)> = preparations
        .iter()
        .flat_map(|(prepare, scores)| families.iter().map(move |f| (*prepare, *scores, *f)))
        .collect();
    let first: Vec<Learnt> = pairs
        .par_iter()
        .map(|(_, scores, family)| {
            let sample = Sample::new(problem, *scores, FIRST.0, FIRST.1);
            look(method, &sample, *family)
        })
        .collect::<Result<_>>()?;
    let order = ranked(first.iter().map(|l| l.verdict).collect());
    let few = problem.n() < FEW_ROWS;
    let rounds = method
        .rounds
        .unwrap_or(if few { ROUNDS.0 } else { ROUNDS.1 });
    // Weights for the best pairs, all on the same rows.
    let mut found: Vec<(Plan, Verdict)> = Vec::new();
    for &k in order.iter().take(PAIRS) {
        let (prepare, scores, family) = pairs[k];
        let sample = Sample::new(problem, scores, SECOND, landmarks(problem));
        let learner = Learner {
            sample: &sample,
            family,
            ridge: method.ridge,
        };
        let mut now = learner.judge_around(&sample.active, &first[k].verdict, &AROUND)?;
        let bandwidth = now.verdict.kernel.bandwidth().unwrap_or(1.0);
        let linear = now.verdict.linear;
        let ridge = now.verdict.ridge;
        for round in 0..=rounds {
            if round > 0 {
                now = learner.round(&now, usize::MAX, true, &AROUND)?;
            }
            let plan = Plan {
                prepare,
                family,
                bandwidth,
                ridge,
                linear,
                rounds: round,
            };
            if method.rounds.is_none_or(|r| r == round) {
                found.push((plan, now.verdict));
            }
        }
    }
    let verdicts: Vec<Verdict> = found.iter().map(|f| f.1).collect();
    let chosen = best(&verdicts).ok_or(Error::NoConvergence("the search for a kernel"))?;
    Ok(found[chosen].0)
}

/// Landmarks for weights that are learnt on the rows of a problem.
pub(super) fn landmarks(problem: &Problem) -> usize {
    let rows = problem.n().min(SECOND);
    rows.min((PRODUCTS / rows as f64).sqrt() as usize)
}

/// The normal scores of a problem's rows.
pub(super) fn scores_of(problem: &Problem) -> NormalScores {
    NormalScores::fit(&problem.x, problem.weights.as_deref())
}

/// All bandwidths without a linear part, then some with one.
fn look(method: &Sieve, sample: &Sample, family: Family) -> Result<Learnt> {
    let learner = Learner {
        sample,
        family,
        ridge: method.ridge,
    };
    let active = sample.n_active();
    let possible = active <= MOST_LINEAR && 3 * active <= sample.n();
    let given = method.linear.map(|l| l == Linear::In);
    if let Some(linear) = given.or((!possible).then_some(false)) {
        return learner.judge(&sample.active, widths(family), linear, &RIDGES);
    }
    let plain = learner.judge(&sample.active, widths(family), false, &RIDGES)?;
    let width = plain.verdict.kernel.bandwidth().unwrap_or(1.0);
    let near: Vec<f64> = [1.0, 0.5].iter().map(|f| f * width).collect();
    let linear = learner.judge(&sample.active, &near, true, &RIDGES)?;
    let chosen = best(&[plain.verdict, linear.verdict]);
    Ok(if chosen == Some(1) { linear } else { plain })
}

/// Positions, best first.
fn ranked(verdicts: Vec<Verdict>) -> Vec<usize> {
    let mut left: Vec<usize> = (0..verdicts.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let own: Vec<Verdict> = left.iter().map(|&i| verdicts[i]).collect();
        let Some(k) = best(&own) else { break };
        order.push(left.remove(k));
    }
    order
}
