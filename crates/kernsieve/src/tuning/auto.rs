//! The choice of a method: all of them tuned on the same folds, hopeless ones dropped early, the smallest model within one standard error of the best.
//!
//! Many rows are approached in rounds (successive halving): on 400 rows drawn by class, then on four times as many, and so on to all of them; after every round the better half stays, and with it
//! whatever is within one standard error of the best. In the last round the method of least cross-validated error, corrected for the size of its search, sets the mark; of those within its standard error the one whose model holds the
//! fewest numbers is taken. With a budget of time the method at work is given up when it ends, and no other is begun; the first, linear discriminant analysis, is always finished.

use super::control::Control;
use super::train::{Trained, train};
use crate::data::{Dataset, Schema, stratified_sample};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::method::{MethodKind, Options};
use crate::model::{AutoEntry, AutoRecord, Model};
use std::time::{Duration, Instant};

/// Rows of the first round, and how many times as many the next one has.
const FIRST_ROWS: usize = 400;
const GROWTH: usize = 4;

/// Methods in the order in which they are tried: cheap ones first.
const METHODS: [MethodKind; 10] = [
    MethodKind::Lda,
    MethodKind::Parzen,
    MethodKind::L1Dkf,
    MethodKind::Kos,
    MethodKind::L2qp,
    MethodKind::Mkda,
    MethodKind::Klr,
    MethodKind::Smkda,
    MethodKind::Fivm,
    MethodKind::SparseKos,
];

/// Whether a method's tuning ends in some ten seconds on so many rows, features and classes.
fn is_feasible(kind: MethodKind, n: usize, p: usize, classes: usize) -> bool {
    let work = n as f64 * n as f64 * p as f64;
    match kind {
        MethodKind::SparseKos => work <= 1e6,
        MethodKind::Fivm => work * classes as f64 <= 8e6,
        _ => true,
    }
}

/// A method in the race.
struct Runner {
    kind: MethodKind,
    trained: Trained,
    error: f64,
    optimism: f64,
    standard_error: f64,
    size: usize,
}

impl Runner {
    /// The error by which methods are compared. A method with hundreds of settings has some that do well on these folds by chance, so what the search has gained is given back
    /// (Tibshirani & Tibshirani, "A bias correction for the minimum error rate in cross-validation", 2009).
    fn corrected(&self) -> f64 {
        self.error + self.optimism
    }

    fn entry(&self, rows: usize, dropped: bool) -> AutoEntry {
        AutoEntry {
            method: self.kind.name().into(),
            rows,
            error: Some(self.error),
            optimism: Some(self.optimism),
            standard_error: Some(self.standard_error),
            size: Some(self.size),
            note: dropped.then(|| "left the race".into()),
        }
    }
}

/// Numbers that a model holds: support rows and coefficients.
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

/// Why a method is not tried with some options, if it is not.
fn objection(kind: MethodKind, options: &Options) -> Option<String> {
    let ignored = options.ignored(kind);
    match options.check(kind) {
        Err(e) => Some(e.to_string()),
        // What is asked for is meant.
        Ok(()) if !ignored.is_empty() => Some(format!("does not use {}", ignored.join(", "))),
        Ok(()) => None,
    }
}

/// Fails when no method takes all of the options, with the first reason.
pub fn check_auto(options: &Options) -> Result<()> {
    if METHODS.iter().any(|&kind| objection(kind, options).is_none()) {
        return Ok(());
    }
    for kind in METHODS {
        options.check(kind)?;
    }
    Err(Error::Data(
        "no method uses all of these options; choose one with --method, and see which it does not use".into(),
    ))
}

/// Tunes every method that takes the options, and returns the model of the chosen one; `model.record.auto` tells of the others.
pub fn train_auto(
    options: &Options,
    data: &Dataset,
    schema: &Schema,
    budget: Option<Duration>,
    control: &Control,
) -> Result<Trained> {
    race(options, data, schema, budget, control, FIRST_ROWS)
}

/// The same with so many rows in the first round.
fn race(
    options: &Options,
    data: &Dataset,
    schema: &Schema,
    budget: Option<Duration>,
    control: &Control,
    first_rows: usize,
) -> Result<Trained> {
    check_auto(options)?;
    let started = Instant::now();
    let (n, p, classes) = (data.n_samples(), data.n_features(), data.labels().n_classes());
    let mut entries = Vec::new();
    let mut kinds: Vec<MethodKind> = Vec::new();
    for kind in METHODS {
        let note = match objection(kind, options) {
            None if !is_feasible(kind, n.min(first_rows), p, classes) => {
                Some("too slow for so many rows, features and classes".into())
            }
            other => other,
        };
        match note {
            None => kinds.push(kind),
            Some(note) => entries.push(left_out(kind, n, note)),
        }
    }
    let mut first: Option<Error> = None;
    let mut rows = first_rows;
    loop {
        let part = if rows < n {
            Some(data.select(&stratified_sample(data.labels(), rows, options.seed))?)
        } else {
            None
        };
        let subset = part.as_ref().unwrap_or(data);
        let size = subset.n_samples();
        let mut runners: Vec<Runner> = Vec::new();
        for &kind in &kinds {
            if !is_feasible(kind, size, p, classes) {
                entries.push(left_out(
                    kind,
                    size,
                    "too slow for so many rows, features and classes".into(),
                ));
                continue;
            }
            let spent = budget.is_some_and(|b| started.elapsed() >= b);
            if spent && !runners.is_empty() {
                entries.push(left_out(kind, size, "no time left".into()));
                continue;
            }
            // Whatever happens, one method is finished.
            control.set_deadline(budget.filter(|_| !runners.is_empty()).map(|b| started + b));
            control.set_stage(Some(kind.name()));
            let result = train(kind, options, subset, schema, true, control);
            control.set_stage(None);
            control.set_deadline(None);
            match result {
                Ok(trained) => runners.extend(runner(kind, trained)),
                Err(Error::Cancelled) if !control.is_cancelled() => {
                    entries.push(left_out(kind, size, "no time left".into()));
                }
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(e) => {
                    entries.push(left_out(kind, size, e.to_string()));
                    first = first.or(Some(e));
                }
            }
        }
        runners.sort_by(|a, b| a.corrected().total_cmp(&b.corrected()));
        let Some(best) = runners.first() else {
            return Err(first.unwrap_or_else(|| Error::Data("no method takes these options".into())));
        };
        // Rounding must not decide between equals.
        let mark = best.corrected() + best.standard_error + 1e-12;
        let out_of_time = budget.is_some_and(|b| started.elapsed() >= b);
        if part.is_none() {
            return Ok(choose(runners, mark, entries, size, options));
        }
        let stay = runners.len().div_ceil(2).max(2);
        kinds.clear();
        for (place, r) in runners.iter().enumerate() {
            let stays = place < stay || r.corrected() <= mark;
            entries.push(r.entry(size, !stays));
            if stays && !(out_of_time && place > 0) {
                kinds.push(r.kind);
            }
        }
        rows = rows.saturating_mul(GROWTH).min(n);
    }
}

fn left_out(kind: MethodKind, rows: usize, note: String) -> AutoEntry {
    AutoEntry {
        method: kind.name().into(),
        rows,
        error: None,
        optimism: None,
        standard_error: None,
        size: None,
        note: Some(note),
    }
}

fn runner(kind: MethodKind, trained: Trained) -> Option<Runner> {
    let table = trained.model.record.cv.as_ref()?;
    let best = table.best();
    Some(Runner {
        kind,
        error: best.error?,
        optimism: table.optimism,
        standard_error: best.standard_error,
        size: model_size(&trained.model),
        trained,
    })
}

/// The smallest of those at the mark or below, with the reasons in words. `runners` are sorted by error.
fn choose(mut runners: Vec<Runner>, mark: f64, mut entries: Vec<AutoEntry>, rows: usize, options: &Options) -> Trained {
    let percent = |v: f64| format!("{:.1} %", 100.0 * v);
    let within = runners.iter().filter(|r| r.corrected() <= mark).count();
    let chosen = (0..within).min_by_key(|&k| (runners[k].size, k)).unwrap_or(0);
    let (best, taken) = (&runners[0], &runners[chosen]);
    let name = |r: &Runner| r.kind.name();
    let folds = best
        .trained
        .model
        .record
        .cv
        .as_ref()
        .map_or(options.folds, |cv| cv.folds);
    let least = format!(
        "{} has the least error in {folds}-fold cross-validation with the optimism of its search, {}",
        name(best),
        percent(best.corrected())
    );
    let se = percent(best.standard_error);
    let why = if chosen == 0 && within == 1 {
        format!("{least}; no other method is within its standard error, {se}")
    } else if chosen == 0 {
        format!("{least}, and the smallest model of the {within} methods within its standard error, {se}")
    } else {
        format!(
            "{least}; {} has {}, within one standard error ({se}) of that, and a smaller model: {} numbers in place of {}",
            name(taken),
            percent(taken.corrected()),
            taken.size,
            best.size
        )
    };
    entries.extend(runners.iter().map(|r| r.entry(rows, false)));
    let tune_seconds = runners.iter().map(|r| r.trained.tune_seconds).sum();
    let mut trained = runners.swap_remove(chosen).trained;
    trained.tune_seconds = tune_seconds;
    trained.model.record.auto = Some(AutoRecord { entries, why });
    trained
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;

    fn run(data: &Dataset, options: &Options, budget: Option<Duration>) -> Trained {
        let schema = Schema::numeric(data.feature_names());
        train_auto(options, data, &schema, budget, &Control::new()).expect("trains")
    }

    #[test]
    fn the_smallest_model_within_one_standard_error_is_taken() {
        let data = simulate::rings(3);
        let trained = run(&data, &Options::default(), None);
        let auto = trained.model.record.auto.as_ref().expect("told");
        let last: Vec<&AutoEntry> = auto.entries.iter().filter(|e| e.error.is_some()).collect();
        let corrected = |e: &AutoEntry| e.error.expect("fitted") + e.optimism.expect("fitted");
        let best = last
            .iter()
            .min_by(|a, b| corrected(a).total_cmp(&corrected(b)))
            .expect("some");
        let mark = corrected(best) + best.standard_error.expect("fitted") + 1e-12;
        let within = last.iter().filter(|e| corrected(e) <= mark);
        let smallest = within.min_by_key(|e| e.size).expect("some");
        assert_eq!(trained.model.record.method, smallest.method);
        assert!(auto.why.contains(&smallest.method), "{}", auto.why);
        // A ring around a disc is no task for a linear rule.
        assert!(!["lda", "l1-dkf"].contains(&trained.model.record.method.as_str()));
    }

    #[test]
    fn many_rows_are_approached_in_rounds_and_the_hopeless_leave() {
        let data = simulate::rings(5);
        let schema = Schema::numeric(data.feature_names());
        let control = Control::new();
        let trained = race(&Options::default(), &data, &schema, None, &control, 60).expect("trains");
        let auto = trained.model.record.auto.as_ref().expect("told");
        let rounds: std::collections::BTreeSet<usize> = auto
            .entries
            .iter()
            .filter(|e| e.error.is_some())
            .map(|e| e.rows)
            .collect();
        assert!(rounds.len() > 1 && rounds.contains(&data.n_samples()), "{rounds:?}");
        let of = |rows: usize| {
            auto.entries
                .iter()
                .filter(|e| e.rows == rows && e.error.is_some())
                .count()
        };
        let sizes: Vec<usize> = rounds.iter().copied().collect();
        assert!(of(sizes[0]) > of(data.n_samples()));
        assert_eq!(trained.model.record.n_rows, data.n_samples());
    }

    #[test]
    fn a_budget_leaves_at_least_one_method() {
        let data = simulate::rings(4);
        let trained = run(&data, &Options::default(), Some(Duration::ZERO));
        assert_eq!(trained.model.record.method, "lda");
        let auto = trained.model.record.auto.as_ref().expect("told");
        assert!(auto.entries.iter().any(|e| e.note.as_deref() == Some("no time left")));
    }
}
