//! The choice of a method: all candidates are tuned on the same folds, and one is taken.
//!
//! For accuracy it is the one of least cross-validated error, corrected for the size of its search,
//! plus half the log loss of held-out rows, which says more of few rows than wrong ones do; for a
//! small model, the one that holds the fewest numbers among those within one standard error of the
//! least error. A method that would take long beside the first choice is left out.
//!
//! If many methods are asked for, there are several rounds with many rows (successive halving): on
//! 400 rows drawn by class, then on four times as many, and so on up to all of them. After every
//! round the better half stays, together with all methods within one standard error of the best.
//! When a time budget runs out, the current method is stopped and no other is started. The first,
//! linear discriminant analysis, always finishes. The result on fewer rows is then the answer, and a
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
use crate::method::{About, Method, Sieve};
use crate::model::{AutoEntry, AutoRecord, Model};
use crate::notice::Notice;
use crate::params::{Prefer, Protocol, Score};
use std::time::{Duration, Instant};

/// Rows of the first round, and the factor from one round to the next.
const FIRST_ROWS: usize = 400;
const GROWTH: usize = 4;

/// Notes of entries.
const TOO_SLOW: &str = "too slow for this many rows, features and classes";
const SLOW_BESIDE: &str = "would take long beside sieve";
const NO_TIME: &str = "no time left";
const BEHIND: &str = "left the race";

/// More candidates than these are tried in rounds.
const FEW_METHODS: usize = 5;
/// Seconds that any method may take in a round of many.
const FEASIBLE: f64 = 10.0;
/// Share of the time of the sieve that another candidate may take, and seconds that it may take in
/// any case.
const BESIDE: (f64, f64) = (0.3, 1.0);

/// What the log loss counts for beside the error.
const LOG_LOSS: f64 = 0.5;

/// A method in the race.
struct Runner {
    /// Position among the methods of the contest.
    place: usize,
    about: &'static About,
    trained: Trained,
    error: f64,
    /// What is compared.
    value: f64,
    /// Whether that is what the user asked for.
    is_asked: bool,
    /// Mean log loss of held-out rows, where methods are compared by errors and any row says so.
    log_loss: Option<f64>,
    /// That of the shares of the classes, which counts in its place.
    by_shares: f64,
    optimism: f64,
    standard_error: f64,
    size: usize,
}

impl Runner {
    /// The value by which methods are compared: the error, or the measure that the user chooses for,
    /// as something to make small. A method with hundreds of settings has some that do
    /// well on these folds by chance, so the estimated gain of the search is added back (Tibshirani
    /// & Tibshirani, "A bias correction for the minimum error rate in cross-validation", 2009).
    fn corrected(&self) -> f64 {
        self.value + self.optimism
    }

    /// The value by which the most accurate one is found.
    fn accuracy(&self) -> f64 {
        let log_loss = match self.is_asked {
            true => 0.0,
            false => self.log_loss.unwrap_or(self.by_shares),
        };
        self.corrected() + LOG_LOSS * log_loss
    }

    /// In words.
    fn words(&self, score: Option<Score>) -> String {
        measure_words(score, self.corrected())
    }

    fn entry(&self, rows: usize, note: Option<&str>) -> AutoEntry {
        AutoEntry {
            method: self.about.name.into(),
            rows,
            error: Some(self.error),
            score: self.is_asked.then_some(self.value),
            log_loss: self.log_loss,
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

impl Contest {
    /// About how many seconds of one core it takes on some data.
    pub fn seconds(&self, data: &Dataset) -> f64 {
        let few = self.methods.len() <= FEW_METHODS;
        let tried = self.methods.iter().enumerate().filter(|(k, m)| match few {
            true => self.is_affordable(*k, data),
            false => m.seconds(data) <= FEASIBLE,
        });
        tried.map(|(_, m)| m.seconds(data)).sum()
    }

    /// Whether a method does not take long beside the sieve, if that is among them.
    fn is_affordable(&self, place: usize, data: &Dataset) -> bool {
        let is_sieve = |m: &dyn AnyMethod| m.about().name == Sieve::ABOUT.name;
        let Some(sieve) = self.methods.iter().find(|m| is_sieve(m.as_ref())) else {
            return true;
        };
        let own = &self.methods[place];
        let allowed = (BESIDE.0 * sieve.seconds(data)).max(BESIDE.1);
        is_sieve(own.as_ref()) || own.seconds(data) <= allowed
    }
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
        // Few methods need no rounds.
        let few = places.len() <= FEW_METHODS;
        if few {
            self.leave_slow_ones(&mut places, &mut entries);
        }
        let mut rows = if few { n } else { first_rows };
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
            // Rounding must not decide between equal errors, and folds that agree by chance are no
            // certainty: one row more or less is always possible.
            let one_row = 1.0 / subset.n_samples() as f64;
            let mark = best.corrected() + best.standard_error.max(one_row) + 1e-12;
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

    /// About how many seconds of one core a method takes.
    fn seconds(&self, place: usize, rows: usize) -> f64 {
        let about = self.contest.methods[place].about();
        let (p, c) = (self.data.n_features(), self.data.labels().n_classes());
        (about.seconds)(rows as f64, p as f64, c as f64)
    }

    /// Leaves out methods that take long beside the sieve.
    fn leave_slow_ones(&self, places: &mut Vec<usize>, entries: &mut Vec<AutoEntry>) {
        let n = self.data.n_samples();
        places.retain(|&k| {
            let stays = self.contest.is_affordable(k, self.data);
            if !stays {
                let name = self.contest.methods[k].about().name;
                entries.push(left_out(name, n, SLOW_BESIDE));
            }
            stays
        });
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
        let size = subset.n_samples();
        let about = |place: usize| self.contest.methods[place].about();
        let few = self.contest.methods.len() <= FEW_METHODS;
        let is_feasible = |place: usize| few || self.seconds(place, size) <= FEASIBLE;
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
        let (place, mut trained) = choose(round.runners, round.mark, entries, self.protocol);
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
        score: None,
        log_loss: None,
        optimism: None,
        standard_error: None,
        size: None,
        note: Some(note.into()),
    }
}

fn runner(place: usize, about: &'static About, trained: Trained) -> Option<Runner> {
    let table = trained.model.record.cv.as_ref()?;
    let best = table.best();
    let error = table.error()?;
    let score = trained.model.record.options.protocol.score;
    let asked = best.score.filter(|_| best.is_scored());
    // The error, where it is asked for, is that of the model.
    let asked = asked.map(|v| {
        if score == Some(Score::Error) {
            error
        } else {
            v
        }
    });
    let assessment = trained.model.record.assessment.as_ref();
    Some(Runner {
        place,
        about,
        error,
        value: asked.unwrap_or(error),
        is_asked: asked.is_some(),
        log_loss: assessment
            .filter(|_| asked.is_none())
            .and_then(|a| a.log_loss),
        by_shares: assessment.map_or(0.0, |a| a.baseline.log_loss),
        optimism: match asked {
            Some(_) => table.score_optimism,
            None => table.optimism,
        },
        standard_error: match asked {
            Some(_) => best.criterion_error(),
            None => table.standard_error(),
        },
        size: model_size(&trained.model),
        trained,
    })
}

/// The best one, or the smallest of those at the mark or below, with the reasons in words.
fn choose(
    mut runners: Vec<Runner>,
    mark: f64,
    mut entries: Vec<AutoEntry>,
    protocol: &Protocol,
) -> (usize, Trained) {
    let within = runners.iter().filter(|r| r.corrected() <= mark).count();
    let chosen = match protocol.prefer {
        Prefer::Small => (0..within).min_by_key(|&k| (runners[k].size, k)),
        Prefer::Accuracy => (0..runners.len()).min_by(|&a, &b| {
            let accuracy = |k: usize| runners[k].accuracy();
            let equal = (accuracy(a) - accuracy(b)).abs() <= 1e-12;
            let order = accuracy(a).total_cmp(&accuracy(b));
            match equal {
                true => runners[a].size.cmp(&runners[b].size).then(a.cmp(&b)),
                false => order,
            }
        }),
    };
    let chosen = chosen.unwrap_or(0);
    let why = reasons(&runners, chosen, within, &entries, protocol);
    // Round by round, what was left out after what was tried.
    entries.sort_by_key(|e| (e.rows, e.error.is_none()));
    let Runner {
        place, mut trained, ..
    } = runners.swap_remove(chosen);
    trained.model.record.auto = Some(AutoRecord { entries, why });
    (place, trained)
}

/// A value of the error, or of a measure.
fn measure_words(score: Option<Score>, value: f64) -> String {
    match score {
        // Below one percent, the second decimal matters.
        None | Some(Score::Error) if value > 0.0 && value < 0.00995 => {
            format!("{:.2} %", 100.0 * value)
        }
        None | Some(Score::Error) => format!("{:.1} %", 100.0 * value),
        Some(score) => format!("{:.3}", score.as_loss(value)),
    }
}

/// Why one of the runners is taken, in words.
fn reasons(
    runners: &[Runner],
    chosen: usize,
    within: usize,
    entries: &[AutoEntry],
    protocol: &Protocol,
) -> String {
    let (best, taken) = (&runners[0], &runners[chosen]);
    let name = |r: &Runner| r.about.name;
    let table = best.trained.model.record.cv.as_ref();
    let folds = table.map_or(protocol.folds, |cv| cv.folds);
    let score = protocol.score.filter(|s| *s != Score::Error);
    let (what, least) = match score {
        None => ("an error of", "the least error".into()),
        Some(s) if s.is_gain() => (s.title(), format!("the largest {}", s.title())),
        Some(s) => (s.title(), format!("the least {}", s.title())),
    };
    let how = format!("in {folds}-fold cross-validation, allowing for the size of its search");
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
        return format!(
            "{} has {what} {} {how}; {alone}",
            name(best),
            best.words(score)
        );
    }
    if protocol.prefer == Prefer::Accuracy && score.is_none() {
        let log_loss = taken
            .log_loss
            .map_or(String::new(), |v| format!(" and log loss {v:.3}"));
        let others = runners.iter().enumerate().filter(|(k, _)| *k != chosen);
        let next = others.min_by(|a, b| a.1.accuracy().total_cmp(&b.1.accuracy()));
        let next = next.map_or(String::new(), |(_, r)| {
            let log_loss = r.log_loss.map_or(String::new(), |v| format!(" and {v:.3}"));
            format!(
                "; the next is {} with {}{log_loss}",
                name(r),
                r.words(score)
            )
        });
        return format!(
            "{} has the least error plus half the log loss {how}: {}{log_loss}{next}",
            name(taken),
            taken.words(score)
        );
    }
    if chosen != 0 && taken.corrected() > best.corrected() + 1e-12 {
        return format!(
            "{} has {what} {} {how}, within one standard error of {least}, {} of {}, and a smaller \
             model: {} numbers in place of {}",
            name(taken),
            taken.words(score),
            best.words(score),
            name(best),
            taken.size,
            best.size
        );
    }
    let others = match within {
        1 => "none of the others is within its standard error".into(),
        _ => format!(
            "{} of {} are within its standard error",
            within - 1,
            runners.len() - 1
        ),
    };
    format!(
        "{} has {least} {how}, {}; {others}",
        name(taken),
        taken.words(score)
    )
}
