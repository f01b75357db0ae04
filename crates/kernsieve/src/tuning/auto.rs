//! The choice of a method: all methods are tuned on the same folds, hopeless ones are dropped
//! early, and the smallest model within one standard error of the best is taken.
//!
//! With many rows there are several rounds (successive halving): on 400 rows drawn by class, then
//! on four times as many, and so on up to all of them. After every round the better half stays,
//! together with all methods within one standard error of the best. In the last round the method of
//! least cross-validated error, corrected for the size of its search, sets the mark. Among those
//! within its standard error, the one whose model holds the fewest numbers is taken. When a time
//! budget runs out, the current method is stopped and no other is started. The first, linear
//! discriminant analysis, always finishes. The result on fewer rows is then the answer, and a
//! notice says so.

#[cfg(test)]
mod tests;

use super::any::AnyMethod;
use super::control::Control;
use super::sample::drawn;
use super::train::Trained;
use crate::data::{Dataset, Schema};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::method::About;
use crate::model::{AutoEntry, AutoRecord, Model};
use crate::notice::Notice;
use crate::params::Protocol;
use std::time::{Duration, Instant};

/// Rows of the first round, and the factor from one round to the next.
const FIRST_ROWS: usize = 400;
const GROWTH: usize = 4;

/// Notes of entries.
const TOO_SLOW: &str = "too slow for this many rows, features and classes";
const NO_TIME: &str = "no time left";
const BEHIND: &str = "left the race";

/// A method in the race.
struct Runner {
    /// Position among the methods of the contest.
    place: usize,
    about: &'static About,
    trained: Trained,
    error: f64,
    optimism: f64,
    standard_error: f64,
    size: usize,
}

impl Runner {
    /// The error by which methods are compared. A method with hundreds of settings has some that do
    /// well on these folds by chance, so the estimated gain of the search is added back (Tibshirani
    /// & Tibshirani, "A bias correction for the minimum error rate in cross-validation", 2009).
    fn corrected(&self) -> f64 {
        self.error + self.optimism
    }

    fn entry(&self, rows: usize, note: Option<&str>) -> AutoEntry {
        AutoEntry {
            method: self.about.name.into(),
            rows,
            error: Some(self.error),
            optimism: Some(self.optimism),
            standard_error: Some(self.standard_error),
            size: Some(self.size),
            note: note.map(Into::into),
        }
    }
}

/// How many numbers a model holds: support rows and coefficients.
pub fn model_size(model: &Model) -> usize {
    let of = |e: &KernelExpansion| {
        let coefficients = match &e.output {
            Output::Linear { coef, .. } => coef.rows() * coef.cols(),
            Output::LogDensity { weights, .. } => weights.len(),
        };
        e.support.rows() * e.support.cols() + coefficients
    };
    of(&model.expansion) + model.discriminant.as_ref().map_or(0, |k| of(&k.expansion))
}

/// The methods of a contest in the order in which they are tried, and the methods that are left
/// out, with the reasons.
#[derive(Default)]
pub struct Contest {
    /// The methods.
    pub methods: Vec<Box<dyn AnyMethod>>,
    /// Names of the others, and the reasons.
    pub left_out: Vec<(&'static str, String)>,
}

/// Tunes every method of a contest, and returns the model of the chosen one; `model.record.auto`
/// lists the others.
pub fn run_contest(
    contest: &Contest,
    data: &Dataset,
    schema: &Schema,
    protocol: &Protocol,
    budget: Option<Duration>,
    control: &Control,
) -> Result<Trained> {
    let job = Job {
        contest,
        data,
        schema,
        protocol,
        budget,
        control,
        started: Instant::now(),
    };
    job.run(FIRST_ROWS)
}

/// Everything that the rounds share.
struct Job<'a> {
    contest: &'a Contest,
    data: &'a Dataset,
    schema: &'a Schema,
    protocol: &'a Protocol,
    budget: Option<Duration>,
    control: &'a Control,
    started: Instant,
}

impl Job<'_> {
    /// All rounds, with this many rows in the first.
    fn run(&self, first_rows: usize) -> Result<Trained> {
        let n = self.data.n_samples();
        let mut places: Vec<usize> = (0..self.contest.methods.len()).collect();
        let others = self.contest.left_out.iter();
        let mut entries: Vec<AutoEntry> =
            others.map(|(name, why)| left_out(name, n, why)).collect();
        // A single method needs no rounds.
        let mut rows = if places.len() == 1 { n } else { first_rows };
        // The result of the previous round: the answer if the time is up, or if no method succeeds
        // on more rows.
        let mut before: Option<Round> = None;
        let mut first: Option<Error> = None;
        loop {
            let part = drawn(self.data, rows, self.protocol.seed)?;
            let subset = part.as_ref().map_or(self.data, |(_, sample)| sample);
            let mut runners =
                self.round(&places, subset, before.is_some(), &mut entries, &mut first)?;
            runners.sort_by(|a, b| a.corrected().total_cmp(&b.corrected()));
            let Some(best) = runners.first() else {
                let Some(round) = before else {
                    return Err(first
                        .unwrap_or_else(|| Error::Data("no method takes these options".into())));
                };
                return self.answer(round, entries);
            };
            // Rounding must not decide between equal errors.
            let mark = best.corrected() + best.standard_error + 1e-12;
            let last = part.is_none();
            let stay = runners.len().div_ceil(2).max(2);
            places.clear();
            for (rank, r) in runners.iter().enumerate() {
                let stays = last || rank < stay || r.corrected() <= mark;
                entries.push(r.entry(subset.n_samples(), (!stays).then_some(BEHIND)));
                if stays {
                    places.push(r.place);
                }
            }
            let round = Round {
                runners,
                mark,
                rows: part.map(|(rows, _)| rows),
            };
            if last || self.is_late() {
                return self.answer(round, entries);
            }
            before = Some(round);
            rows = rows.saturating_mul(GROWTH).min(n);
        }
    }

    fn is_late(&self) -> bool {
        self.budget.is_some_and(|b| self.started.elapsed() >= b)
    }

    /// Trains the methods that are still in the race on some rows.
    fn round(
        &self,
        places: &[usize],
        subset: &Dataset,
        has_answer: bool,
        entries: &mut Vec<AutoEntry>,
        first: &mut Option<Error>,
    ) -> Result<Vec<Runner>> {
        let (p, classes) = (self.data.n_features(), self.data.labels().n_classes());
        let size = subset.n_samples();
        let about = |place: usize| self.contest.methods[place].about();
        let is_feasible = |place: usize| (about(place).feasible)(size, p, classes);
        // If all are slow, the first is run anyway.
        let all_slow = !places.iter().any(|&k| is_feasible(k));
        let mut runners: Vec<Runner> = Vec::new();
        for (rank, &place) in places.iter().enumerate() {
            let name = about(place).name;
            let is_run = is_feasible(place) || all_slow && rank == 0;
            if !is_run {
                entries.push(left_out(name, size, TOO_SLOW));
                continue;
            }
            // Whatever happens, one method is finished on some rows.
            let may_stop = has_answer || !runners.is_empty();
            if may_stop && self.is_late() {
                entries.push(left_out(name, size, NO_TIME));
                continue;
            }
            let control = self.control;
            control.set_deadline(self.budget.filter(|_| may_stop).map(|b| self.started + b));
            control.set_stage(Some(name));
            let method = &self.contest.methods[place];
            let result = method.train(subset, self.schema, self.protocol, control);
            control.set_stage(None);
            control.set_deadline(None);
            match result {
                Ok(trained) => runners.extend(runner(place, about(place), trained)),
                Err(Error::Cancelled) if !control.is_cancelled() => {
                    entries.push(left_out(name, size, NO_TIME));
                }
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(e) => {
                    entries.push(left_out(name, size, &e.to_string()));
                    *first = first.take().or(Some(e));
                }
            }
        }
        Ok(runners)
    }

    /// The model of a round.
    fn answer(&self, round: Round, entries: Vec<AutoEntry>) -> Result<Trained> {
        let (place, mut trained) = choose(round.runners, round.mark, entries, self.protocol.folds);
        if let Some(rows) = round.rows {
            trained = self.settle(place, trained, &rows)?;
        }
        let total = self.started.elapsed().as_secs_f64();
        trained.tune_seconds = (total - trained.fit_seconds).max(0.0);
        Ok(trained)
    }

    /// The answer of a round on some of the rows, if there is no time for more. Rows are renumbered
    /// as in the whole data set, and a notice is added. A method that takes hardly any time is
    /// fitted on all rows.
    fn settle(&self, place: usize, mut trained: Trained, rows: &[usize]) -> Result<Trained> {
        let method = &self.contest.methods[place];
        if method.about().quick {
            let mut whole = method.train(self.data, self.schema, self.protocol, self.control)?;
            whole.model.record.auto = trained.model.record.auto;
            return Ok(whole);
        }
        let notice = Notice::FittedOnSample {
            rows: rows.len(),
            of: self.data.n_samples(),
        };
        if let Some(auto) = &mut trained.model.record.auto {
            auto.why = format!("{}; {notice}", auto.why);
        }
        trained.notices.push(notice);
        trained.out_of_fold = None;
        trained.model.record.report.rename_rows(rows);
        Ok(trained)
    }
}

/// The methods that finished on some rows, or on all.
struct Round {
    /// Sorted by error.
    runners: Vec<Runner>,
    /// One standard error above the least.
    mark: f64,
    /// The rows, where they are not all.
    rows: Option<Vec<usize>>,
}

fn left_out(name: &str, rows: usize, note: &str) -> AutoEntry {
    AutoEntry {
        method: name.into(),
        rows,
        error: None,
        optimism: None,
        standard_error: None,
        size: None,
        note: Some(note.into()),
    }
}

fn runner(place: usize, about: &'static About, trained: Trained) -> Option<Runner> {
    let table = trained.model.record.cv.as_ref()?;
    let best = table.best();
    Some(Runner {
        place,
        about,
        error: best.error?,
        optimism: table.optimism,
        standard_error: best.standard_error,
        size: model_size(&trained.model),
        trained,
    })
}

/// The smallest of those at the mark or below, with the reasons in words.
fn choose(
    mut runners: Vec<Runner>,
    mark: f64,
    mut entries: Vec<AutoEntry>,
    folds: usize,
) -> (usize, Trained) {
    let within = runners.iter().filter(|r| r.corrected() <= mark).count();
    let chosen = (0..within)
        .min_by_key(|&k| (runners[k].size, k))
        .unwrap_or(0);
    let why = reasons(&runners, chosen, within, &entries, folds);
    // Round by round, what was left out after what was tried.
    entries.sort_by_key(|e| (e.rows, e.error.is_none()));
    let Runner {
        place, mut trained, ..
    } = runners.swap_remove(chosen);
    trained.model.record.auto = Some(AutoRecord { entries, why });
    (place, trained)
}

/// Why one of the runners is taken, in words.
fn reasons(
    runners: &[Runner],
    chosen: usize,
    within: usize,
    entries: &[AutoEntry],
    folds: usize,
) -> String {
    let percent = |v: f64| format!("{:.1} %", 100.0 * v);
    let (best, taken) = (&runners[0], &runners[chosen]);
    let name = |r: &Runner| r.about.name;
    let folds = best
        .trained
        .model
        .record
        .cv
        .as_ref()
        .map_or(folds, |cv| cv.folds);
    let least = percent(best.corrected());
    let spread = percent(best.standard_error);
    if runners.len() == 1 {
        let tried_before = entries
            .iter()
            .any(|e| e.error.is_some() && e.method != name(best));
        let is_late = |e: &AutoEntry| e.note.as_deref() == Some(NO_TIME);
        let alone = if entries.iter().any(is_late) {
            "there was no time to try others"
        } else if tried_before {
            "the others were left behind on fewer rows"
        } else {
            "the others are left out"
        };
        format!(
            "{} has an error of {least} in {folds}-fold cross-validation with the optimism of its \
             search; {alone}",
            name(best)
        )
    } else if within == 1 {
        format!(
            "{} has the least error in {folds}-fold cross-validation with the optimism of its \
             search, {least}; none of the other {} is within its standard error, {spread}",
            name(best),
            runners.len() - 1
        )
    } else if taken.corrected() <= best.corrected() + 1e-12 {
        format!(
            "{} has the least error in {folds}-fold cross-validation with the optimism of its \
             search, {least}, and the smallest model of the {within} methods within one standard \
             error, {spread}",
            name(taken)
        )
    } else {
        format!(
            "{} has {} in {folds}-fold cross-validation with the optimism of its search, within \
             one standard error ({spread}) of the least, {least} of {}, and a smaller model: {} \
             numbers in place of {}",
            name(taken),
            percent(taken.corrected()),
            name(best),
            taken.size,
            best.size
        )
    }
}
