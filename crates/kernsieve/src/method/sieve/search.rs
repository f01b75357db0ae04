//! The search: which preparation, kernel, linear part and rounds of weights to take.
//!
//! Everything is judged by leaving out each row of a sample ([`super::judge`]). That is cheap, and
//! good enough to choose; weights learnt on the rows that judge them look better than they are, so
//! what is reported comes from folds.

use super::judge::{RIDGES, Verdict, best};
use super::learn::{AROUND, Learner, Learnt};
use super::sample::Sample;
use super::{Before, CANDIDATES, Linear, Shape, Sieve, SieveSetting, levels};
use crate::data::NormalScores;
use crate::error::{Error, Result};
use crate::expansion::nonzero;
use crate::kernel::{Family, Kernel};
use crate::method::Problem;
use crate::params::Preparation;
use rayon::prelude::*;

/// How much of the rows a search looks at: rows and landmarks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// Of the first look.
    first: (usize, usize),
    /// Where weights are tried.
    second: (usize, usize),
    /// Where weights are learnt in folds and in the final fit.
    pub learn: (usize, usize),
    /// Rounds of weights. Weights that are learnt on few rows and judged by them look ever better
    /// than they are.
    rounds: usize,
    /// Whether the slopes of a quadratic function are tried as a start.
    guides: bool,
}

/// Rows times squared landmarks where weights are learnt: all rows are landmarks up to 669, 447 of
/// 1500 rows. Narrow kernels need landmarks everywhere.
const PRODUCTS: f64 = 3e8;

impl Scale {
    /// For a problem of this many rows. What a sample of few rows cannot show, such as two features
    /// that matter only together among many others, one of many rows can.
    pub fn of(n: usize) -> Self {
        let rows = n.min(1500);
        let marks = rows.min((PRODUCTS / rows as f64).sqrt() as usize);
        if n <= CANDIDATES {
            return Self {
                first: (800, 300),
                second: (rows, marks),
                learn: (rows, marks),
                rounds: if n < FEW_ROWS { 1 } else { 2 },
                guides: false,
            };
        }
        Self {
            first: (2000, 450),
            second: (n.min(4000), 600),
            learn: (n.min(8000), (n / 6).clamp(500, 800)),
            rounds: 4,
            guides: true,
        }
    }
}

/// Pairs of preparation and kernel (and start) for which weights are learnt.
const PAIRS: usize = 2;
/// Features are worth dropping if the squared residual falls at least to this share.
const WORTH_DROPPING: f64 = 0.95;
/// Bandwidths that differ by less than this factor are about the same.
const SAME_WIDTH: f64 = 1.6;
/// Fewer rows than these are few.
const FEW_ROWS: usize = 1000;
/// Most features of a linear part.
const MOST_LINEAR: usize = 256;

/// Kernel, ridge and linear part; bandwidth and ridge are where a search begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    pub kernel: Kernel,
    pub ridge: f64,
    pub linear: bool,
}

/// Another form, from a number of features down.
pub(super) type Turn = Option<(usize, Form)>;

/// What is learnt: preparation and kernel, and how often weights are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub prepare: Preparation,
    pub rounds: usize,
    pub form: Form,
    /// Another form, from this number of features down.
    pub later: Turn,
    /// The best number of features below all of them, where rows are left out.
    pub fewer: Option<usize>,
    /// Whether weights begin with the slopes of a quadratic function.
    pub guided: bool,
}

impl Form {
    /// Whether a search that begins here ends about where one does that begins there.
    fn is_about(&self, other: &Self) -> bool {
        let width = |f: &Self| f.kernel.bandwidth().unwrap_or(1.0).ln();
        self.kernel.family() == other.kernel.family()
            && self.linear == other.linear
            && (width(self) - width(other)).abs() < SAME_WIDTH.ln()
    }
}

impl Plan {
    /// Settings with this number of features, one for each form.
    pub fn settings(&self, n_features: usize) -> Vec<SieveSetting> {
        let setting = |form: &Form, before: Option<Before>| SieveSetting {
            kernel: form.kernel,
            prepare: self.prepare,
            ridge: form.ridge,
            linear: form.linear,
            rounds: self.rounds,
            n_features,
            size: 1,
            softmax: None,
            before,
            guided: self.guided,
            votes: vec![],
        };
        let mut settings = vec![setting(&self.form, None)];
        if let Some((until, later)) = self.later.filter(|(until, _)| n_features <= *until) {
            let before = Before {
                kernel: self.form.kernel,
                ridge: self.form.ridge,
                linear: self.form.linear,
                until,
            };
            settings.push(setting(&later, Some(before)));
        }
        settings
    }
}

impl From<&Verdict> for Form {
    fn from(v: &Verdict) -> Self {
        Self {
            kernel: v.kernel,
            ridge: v.ridge,
            linear: v.linear,
        }
    }
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

/// The kernels that may be chosen.
fn families(method: &Sieve) -> Vec<Family> {
    match method.kernel {
        Some(shape) => vec![shape.family()],
        None => vec![Family::Gaussian, Family::Laplacian, Family::RadialLaplacian],
    }
}

/// Preparation, the scores if it is theirs, kernel, and whether weights begin with a quadratic
/// function.
type Pair<'a> = (Preparation, Option<&'a NormalScores>, Family, bool);

/// The best plan.
pub(super) fn plan(method: &Sieve, problem: &Problem) -> Result<Plan> {
    let families = families(method);
    let scale = Scale::of(problem.n());
    let scores = problem.may_score.then(|| scores_of(problem));
    let mut preparations = vec![(Preparation::Standardize, None)];
    // With two-valued features alone, scores change nothing.
    if let Some(scores) = &scores
        && scores.curves.iter().any(|c| c.knots.len() > 4)
    {
        preparations.push((Preparation::Scores, Some(scores)));
    }
    let starts: &[bool] = match scale.guides && method.rounds != Some(0) {
        true => &[false, true],
        false => &[false],
    };
    let mut pairs: Vec<Pair<'_>> = vec![];
    for (prepare, scores) in &preparations {
        let own = starts
            .iter()
            .flat_map(|g| families.iter().map(move |f| (*f, *g)));
        pairs.extend(own.map(|(family, guided)| (*prepare, *scores, family, guided)));
    }
    let first: Vec<Learnt> = pairs
        .par_iter()
        .map(|&(_, scores, family, guided)| {
            let sample = Sample::new(problem, scores, scale.first);
            let learner = Learner {
                sample: &sample,
                family,
                ridge: method.ridge,
                votes: &[],
            };
            look(method, &sample, &learner.start(guided)?, family)
        })
        .collect::<Result<_>>()?;
    let order = ranked(first.iter().map(|l| l.verdict).collect());
    let rounds = method.rounds.unwrap_or(scale.rounds);
    // Weights for the best pairs, all on the same rows.
    let mut found: Vec<(Plan, Learnt)> = Vec::new();
    for &k in order.iter().take(PAIRS) {
        let (prepare, scores, family, guided) = pairs[k];
        let sample = Sample::new(problem, scores, scale.second);
        let learner = Learner {
            sample: &sample,
            family,
            ridge: method.ridge,
            votes: &[],
        };
        let mut now = learner.judge_around(&learner.start(guided)?, &first[k].verdict, &AROUND)?;
        let form = Form::from(&now.verdict);
        for round in 0..=rounds {
            if round > 0 {
                now = learner.round(&now, usize::MAX, true, &AROUND)?;
            }
            let plan = Plan {
                prepare,
                rounds: round,
                form,
                later: None,
                fewer: None,
                guided,
            };
            let learns = round > 0 || !guided;
            if learns && method.rounds.is_none_or(|r| r == round) {
                found.push((plan, now.clone()));
            }
        }
    }
    let verdicts: Vec<Verdict> = found.iter().map(|f| f.1.verdict).collect();
    let chosen = best(&verdicts).ok_or(Error::NoConvergence("the search for a kernel"))?;
    let (plan, learnt) = found.swap_remove(chosen);
    let scores = scores.filter(|_| plan.prepare == Preparation::Scores);
    let (fewer, later) = later(method, problem, scores.as_ref(), &plan, &learnt)?;
    Ok(Plan {
        later,
        fewer,
        ..plan
    })
}

/// The best number of features below all of them, and another form for few features, if dropping features helps: where leaving out rows finds the best
/// number of them, all kernels are looked at anew. The kernel that bears much noise need not be the
/// best one without it.
fn later(
    method: &Sieve,
    problem: &Problem,
    scores: Option<&NormalScores>,
    plan: &Plan,
    all: &Learnt,
) -> Result<(Option<usize>, Turn)> {
    let weigh = plan.rounds > 0 || plan.guided;
    let scale = Scale::of(problem.n());
    let sample = Sample::new(problem, scores, scale.second);
    let mut learner = Learner {
        sample: &sample,
        family: plan.form.kernel.family(),
        ridge: method.ridge,
        votes: &[],
    };
    let levels = levels(sample.n_active(), method.max_features);
    let mut found: Vec<Learnt> = Vec::with_capacity(levels.len());
    for &level in &levels[1..] {
        let last = found.last().unwrap_or(all);
        found.push(learner.round(last, level, weigh, &[1.0])?);
    }
    let verdicts: Vec<Verdict> = found.iter().map(|l| l.verdict).collect();
    let worth = |v: &Verdict| v.brier <= WORTH_DROPPING * all.verdict.brier;
    let fewer = best(&verdicts).map(|k| levels[k + 1]);
    let Some(chosen) = best(&verdicts).filter(|k| worth(&verdicts[*k])) else {
        return Ok((fewer, None));
    };
    let level = levels[chosen + 1];
    let slopes = learner.slopes(&found[chosen]);
    let sample = Sample::new(problem, scores, scale.first);
    let mut looks = vec![];
    for family in families(method) {
        learner.family = family;
        let weights = learner.weights_of(&slopes, level, weigh);
        looks.push(look(method, &sample, &weights, family)?.verdict);
    }
    let form = best(&looks).map(|k| Form::from(&looks[k]));
    let form = form.filter(|f| !f.is_about(&plan.form));
    Ok((fewer, form.map(|form| (level, form))))
}

/// The normal scores of a problem's rows.
pub(super) fn scores_of(problem: &Problem) -> NormalScores {
    NormalScores::fit(&problem.x, problem.weights.as_deref())
}

/// All bandwidths without a linear part, then some with one.
fn look(method: &Sieve, sample: &Sample, weights: &[f64], family: Family) -> Result<Learnt> {
    let learner = Learner {
        sample,
        family,
        ridge: method.ridge,
        votes: &[],
    };
    let used = nonzero(weights).len();
    let possible = used <= MOST_LINEAR && 3 * used <= sample.n();
    let given = method.linear.map(|l| l == Linear::In);
    if let Some(linear) = given.or((!possible).then_some(false)) {
        return learner.judge(weights, widths(family), linear, &RIDGES);
    }
    let plain = learner.judge(weights, widths(family), false, &RIDGES)?;
    let width = plain.verdict.kernel.bandwidth().unwrap_or(1.0);
    let near: Vec<f64> = [1.0, 0.5].iter().map(|f| f * width).collect();
    let linear = learner.judge(weights, &near, true, &RIDGES)?;
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
