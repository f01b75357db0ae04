//! The choice of a method: all of them tuned on the same folds, hopeless ones dropped early, the
//! smallest model within one standard error of the best.
//!
//! Many rows are approached in rounds (successive halving): on 400 rows drawn by class, then on
//! four times as many, and so on to all of them; after every round the better half stays, and with
//! it whatever is within one standard error of the best. In the last round the method of least
//! cross-validated error, corrected for the size of its search, sets the mark; of those within its
//! standard error the one whose model holds the fewest numbers is taken. With a budget of time the
//! method at work is given up when it ends, and no other is begun; the first, linear discriminant
//! analysis, is always finished; what was found on fewer rows is then the answer, and a notice says
//! so.

use super::control::Control;
use super::sample::drawn;
use super::train::{Trained, train};
use crate::data::{Dataset, Schema};
use crate::error::{Error, Result};
use crate::expansion::{KernelExpansion, Output};
use crate::method::{MethodKind, Options};
use crate::model::{AutoEntry, AutoRecord, Model};
use std::time::{Duration, Instant};

/// Rows of the first round, and how many times as many the next one has.
const FIRST_ROWS: usize = 400;
const GROWTH: usize = 4;

/// Notes of entries.
const TOO_SLOW: &str = "too slow for so many rows, features and classes";
const NO_TIME: &str = "no time left";
const BEHIND: &str = "left the race";

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
    /// The error by which methods are compared. A method with hundreds of settings has some that do
    /// well on these folds by chance, so what the search has gained is given back (Tibshirani &
    /// Tibshirani, "A bias correction for the minimum error rate in cross-validation", 2009).
    fn corrected(&self) -> f64 {
        self.error + self.optimism
    }

    fn entry(&self, rows: usize, note: Option<&str>) -> AutoEntry {
        AutoEntry {
            method: self.kind.name().into(),
            rows,
            error: Some(self.error),
            optimism: Some(self.optimism),
            standard_error: Some(self.standard_error),
            size: Some(self.size),
            note: note.map(Into::into),
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

/// The methods among which [`train_auto`] chooses: those that take the options and use all that are
/// given. An error where there is none.
pub fn auto_methods(options: &Options) -> Result<Vec<MethodKind>> {
    let mut refusal = None;
    let (mut found, mut unused) = (Vec::new(), Vec::new());
    for kind in METHODS {
        match options.check(kind) {
            Err(e) => refusal = refusal.or(Some(e)),
            Ok(()) if options.ignored(kind).is_empty() => found.push(kind),
            Ok(()) => unused.extend(options.ignored(kind)),
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    unused.sort_unstable();
    unused.dedup();
    match refusal {
        Some(e) if unused.is_empty() => Err(e),
        _ => Err(Error::Data(format!(
            "no method of auto uses all options given ({}); leave some out, or name a method",
            unused.join(", ")
        ))),
    }
}

/// Tunes every method that takes the options, and returns the model of the chosen one;
/// `model.record.auto` tells of the others.
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
    let started = Instant::now();
    let (n, p, classes) = (
        data.n_samples(),
        data.n_features(),
        data.labels().n_classes(),
    );
    let mut kinds = auto_methods(options)?;
    let mut entries = Vec::new();
    for kind in METHODS.into_iter().filter(|k| !kinds.contains(k)) {
        let note = match options.check(kind) {
            Err(e) => e.to_string(),
            // What is asked for is meant.
            Ok(()) => format!("does not use {}", options.ignored(kind).join(", ")),
        };
        entries.push(left_out(kind, n, note));
    }
    let mut first: Option<Error> = None;
    // A method without rivals has no race to run.
    let mut rows = if kinds.len() == 1 { n } else { first_rows };
    // What the round before has found: all there is when the time is up, or nothing can be had on
    // more rows.
    let mut before: Option<Round> = None;
    let answer = |round: Round, entries: Vec<AutoEntry>| {
        let mut trained = choose(round.runners, round.mark, entries, options);
        if let Some(rows) = round.rows {
            trained = settle(trained, &rows, options, data, schema, control)?;
        }
        trained.tune_seconds = (started.elapsed().as_secs_f64() - trained.fit_seconds).max(0.0);
        Ok(trained)
    };
    loop {
        let part = drawn(data, rows, options.seed)?;
        let subset = part.as_ref().map_or(data, |(_, sample)| sample);
        let size = subset.n_samples();
        // Where all are slow, the first is run all the same.
        let all_slow = !kinds.iter().any(|&k| is_feasible(k, size, p, classes));
        let mut runners: Vec<Runner> = Vec::new();
        for (place, &kind) in kinds.iter().enumerate() {
            let is_run = is_feasible(kind, size, p, classes) || (all_slow && place == 0);
            if !is_run {
                entries.push(left_out(kind, size, TOO_SLOW.into()));
                continue;
            }
            // Whatever happens, one method is finished on some rows.
            let may_stop = before.is_some() || !runners.is_empty();
            if may_stop && budget.is_some_and(|b| started.elapsed() >= b) {
                entries.push(left_out(kind, size, NO_TIME.into()));
                continue;
            }
            control.set_deadline(budget.filter(|_| may_stop).map(|b| started + b));
            control.set_stage(Some(kind.name()));
            let result = train(kind, options, subset, schema, true, control);
            control.set_stage(None);
            control.set_deadline(None);
            match result {
                Ok(trained) => runners.extend(runner(kind, trained)),
                Err(Error::Cancelled) if !control.is_cancelled() => {
                    entries.push(left_out(kind, size, NO_TIME.into()));
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
            let Some(round) = before else {
                return Err(
                    first.unwrap_or_else(|| Error::Data("no method takes these options".into()))
                );
            };
            return answer(round, entries);
        };
        // Rounding must not decide between equals.
        let mark = best.corrected() + best.standard_error + 1e-12;
        let out_of_time = budget.is_some_and(|b| started.elapsed() >= b);
        let last = part.is_none();
        let stay = runners.len().div_ceil(2).max(2);
        kinds.clear();
        for (place, r) in runners.iter().enumerate() {
            let stays = last || place < stay || r.corrected() <= mark;
            entries.push(r.entry(size, (!stays).then_some(BEHIND)));
            if stays {
                kinds.push(r.kind);
            }
        }
        let round = Round {
            runners,
            mark,
            rows: part.map(|(rows, _)| rows),
        };
        if last || out_of_time {
            return answer(round, entries);
        }
        before = Some(round);
        rows = rows.saturating_mul(GROWTH).min(n);
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

/// The smallest of those at the mark or below, with the reasons in words.
fn choose(
    mut runners: Vec<Runner>,
    mark: f64,
    mut entries: Vec<AutoEntry>,
    options: &Options,
) -> Trained {
    let percent = |v: f64| format!("{:.1} %", 100.0 * v);
    let within = runners.iter().filter(|r| r.corrected() <= mark).count();
    let chosen = (0..within)
        .min_by_key(|&k| (runners[k].size, k))
        .unwrap_or(0);
    let (best, taken) = (&runners[0], &runners[chosen]);
    let name = |r: &Runner| r.kind.name();
    let folds = best
        .trained
        .model
        .record
        .cv
        .as_ref()
        .map_or(options.folds, |cv| cv.folds);
    let least = percent(best.corrected());
    let spread = percent(best.standard_error);
    let why = if runners.len() == 1 {
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
            "{} has an error of {least} in {folds}-fold cross-validation with the optimism of its search; {alone}",
            name(best)
        )
    } else if within == 1 {
        format!(
            "{} has the least error in {folds}-fold cross-validation with the optimism of its search, {least}; none of the other {} is within its standard error, {spread}",
            name(best),
            runners.len() - 1
        )
    } else if taken.corrected() <= best.corrected() + 1e-12 {
        format!(
            "{} has the least error in {folds}-fold cross-validation with the optimism of its search, {least}, and the smallest model of the {within} methods within one standard error, {spread}",
            name(taken)
        )
    } else {
        format!(
            "{} has {} in {folds}-fold cross-validation with the optimism of its search, within one standard error ({spread}) of the least, {least} of {}, and a smaller model: {} numbers in place of {}",
            name(taken),
            percent(taken.corrected()),
            name(best),
            taken.size,
            best.size
        )
    };
    // Round by round, what was left out after what was tried.
    entries.sort_by_key(|e| (e.rows, e.error.is_none()));
    let mut trained = runners.swap_remove(chosen).trained;
    trained.model.record.auto = Some(AutoRecord { entries, why });
    trained
}

/// The answer of a round on some of the rows, where there is no time for more: in terms of all
/// rows, and with a word about it. A linear rule takes hardly any time, so it is fitted on all of
/// them.
fn settle(
    mut trained: Trained,
    rows: &[usize],
    options: &Options,
    data: &Dataset,
    schema: &Schema,
    control: &Control,
) -> Result<Trained> {
    if trained.model.record.method == MethodKind::Lda.name() {
        let mut whole = train(MethodKind::Lda, options, data, schema, true, control)?;
        whole.model.record.auto = trained.model.record.auto;
        return Ok(whole);
    }
    let words = format!(
        "there was no time, or no room, for all rows: the model is fitted on {} of {}",
        rows.len(),
        data.n_samples()
    );
    if let Some(auto) = &mut trained.model.record.auto {
        auto.why = format!("{}; {words}", auto.why);
    }
    trained.notices.push(words);
    trained.model.record.report.rename_rows(rows);
    Ok(trained)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Labels, simulate};
    use crate::linalg::Matrix;

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
        let trained =
            race(&Options::default(), &data, &schema, None, &control, 60).expect("trains");
        let auto = trained.model.record.auto.as_ref().expect("told");
        let rounds: std::collections::BTreeSet<usize> = auto
            .entries
            .iter()
            .filter(|e| e.error.is_some())
            .map(|e| e.rows)
            .collect();
        assert!(
            rounds.len() > 1 && rounds.contains(&data.n_samples()),
            "{rounds:?}"
        );
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
    fn a_method_without_rivals_runs_whatever_it_takes() {
        // Too many rows for this method beside others: it would be left out of the race.
        let (n, p) = (330, 20);
        assert!(!is_feasible(MethodKind::SparseKos, n, p, 2));
        let value = |i: usize, j: usize| {
            (((i * 7919 + j * 104_729) % 1000) as f64 / 500.0 - 1.0) + (i % 2) as f64
        };
        let x = Matrix::from_fn(n, p, value);
        let codes: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let labels = Labels::from_codes(codes, vec!["a".into(), "b".into()]).expect("labels");
        let names = (0..p).map(|j| format!("x{j}")).collect();
        let data = Dataset::new(x, labels, names).expect("data");
        let options = Options {
            bandwidths: vec![2.0],
            ridge: Some(0.1),
            sparsity: Some(0.05),
            folds: 2,
            ..Options::default()
        };
        assert_eq!(
            auto_methods(&options).expect("one"),
            [MethodKind::SparseKos]
        );
        let trained = run(&data, &options, None);
        assert_eq!(
            (
                trained.model.record.method.as_str(),
                trained.model.record.n_rows
            ),
            ("sparse-kos", n)
        );
        let auto = trained.model.record.auto.as_ref().expect("told");
        assert!(
            auto.why.ends_with("the others are left out"),
            "{}",
            auto.why
        );
    }

    #[test]
    fn options_that_no_method_uses_together_are_refused() {
        let options = Options {
            max_features: Some(2),
            balances: vec![2.0],
            ..Options::default()
        };
        let words = auto_methods(&options).expect_err("none").to_string();
        assert!(
            words.contains("--balance") && words.contains("--max-features"),
            "{words}"
        );
        let folds = Options {
            folds: 1,
            ..Options::default()
        };
        assert!(
            auto_methods(&folds)
                .expect_err("none")
                .to_string()
                .contains("folds")
        );
        assert_eq!(auto_methods(&Options::default()).expect("all"), METHODS);
    }

    #[test]
    fn when_the_time_is_up_the_answer_is_that_of_fewer_rows() {
        let data = simulate::rings(5);
        let schema = Schema::numeric(data.feature_names());
        let late = Some(Duration::ZERO);
        // Nothing but the linear rule is finished on 60 rows, and that is quick on all of them.
        let linear = race(
            &Options::default(),
            &data,
            &schema,
            late,
            &Control::new(),
            60,
        )
        .expect("trains");
        let record = linear.model.record;
        assert_eq!(
            (record.method.as_str(), record.n_rows),
            ("lda", data.n_samples())
        );
        assert!(record.auto.is_some());
        // Rows are named as the caller knows them: those of a model of the sample, in the sample.
        let options = Options {
            bandwidths: vec![1.0],
            ridge: Some(0.1),
            ..Options::default()
        };
        let trained = race(
            &options,
            &data,
            &schema,
            Some(Duration::ZERO),
            &Control::new(),
            60,
        )
        .expect("trains");
        let (sample, _) = drawn(&data, 60, options.seed)
            .expect("two classes")
            .expect("fewer");
        let words = format!("fitted on 60 of {}", data.n_samples());
        assert!(
            trained.notices.iter().any(|n| n.contains(&words)),
            "{:?}",
            trained.notices
        );
        assert_eq!(trained.model.record.n_rows, 60);
        let rows = &trained.model.record.report.retained_rows;
        assert!(
            !rows.is_empty() && rows.iter().all(|r| sample.contains(r)),
            "{rows:?}"
        );
        assert!(rows.iter().any(|&r| r >= 60));
    }

    #[test]
    fn a_budget_leaves_at_least_one_method() {
        let data = simulate::rings(4);
        let trained = run(&data, &Options::default(), Some(Duration::ZERO));
        assert_eq!(trained.model.record.method, "lda");
        let auto = trained.model.record.auto.as_ref().expect("told");
        assert!(
            auto.entries
                .iter()
                .any(|e| e.note.as_deref() == Some("no time left"))
        );
        assert!(auto.why.contains("no time"), "{}", auto.why);
    }
}
