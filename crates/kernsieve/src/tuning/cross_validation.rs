//! k-fold cross-validation of every setting of a method.
//!
//! Per fold: scaling on its training rows, one matrix of distances (or inner products) for all
//! settings, then every arm of settings as one task. Tasks run in parallel; each is computed
//! independently and results are kept by position, so the table does not depend on the number of
//! threads.

use super::control::Control;
use super::fold::PreparedFold;
use super::measure::{HeldOutRows, Measure};
use super::memory::{for_people, remedy, rows_that_fit};
use super::out_of_fold::{FoldRows, OutOfFold};
use super::race::Race;
use super::table::{Judging, Score, Scores, count, entries, search, table};
use crate::data::{Dataset, Split};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::method::{CvEntry, Grid, Method, Problem, Ranking, Refinement};
use crate::metrics::log_loss_of;
use crate::model::CvTable;
use crate::params::{Protocol, Score as Asked, Validation};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of log scores that are kept for later; beyond, the chosen setting is asked again.
const KEPT_BYTES: usize = 256 << 20;

/// A table, and the log scores of the chosen setting where they were kept.
pub(super) struct Validated<S> {
    pub(super) table: CvTable<S>,
    pub(super) out_of_fold: Option<OutOfFold>,
}

/// Cross-validates every setting of the arms, which are those of [`Method::grid`] on the whole data
/// set. The grid is widened while the best setting lies at its edge, if the method has more
/// settings to offer. `problem` is all rows of the data set.
pub(super) fn cross_validate<M: Method>(
    method: &M,
    data: &Dataset,
    problem: &Problem,
    arms: Grid<M::Setting>,
    protocol: &Protocol,
    control: &Control,
) -> Result<Validated<M::Setting>> {
    let mut folds = data.folds(protocol.folds, protocol.seed)?;
    if protocol.validation == Validation::Split {
        folds.truncate(1);
    }
    let weights: Vec<f64> = folds
        .iter()
        .map(|f| f.test.iter().map(|&i| data.weight(i)).sum())
        .collect();
    let held_out: Vec<FoldRows> = folds.iter().map(|f| FoldRows::new(data, f)).collect();
    let measure = measure::<M>(data, protocol)?;
    let mut kept: Vec<(M::Setting, Vec<Option<Matrix>>)> = Vec::new();
    let mut score = |arms: Grid<M::Setting>| {
        let keep = keeps_scores(method, data, &arms, kept.len());
        let asked = Asking { measure, keep };
        let (mut scores, race) =
            score_arms(method, data, &folds, &arms, protocol, &asked, control)?;
        let judging = Judging {
            folds: &held_out,
            weights: &weights,
            rows: folds.iter().map(|f| f.test.len()).sum::<usize>() as f64,
            ranking: method.ranking(),
            measure,
        };
        let settings = arms.clone();
        let found = entries(arms, &scores, &race.left_after, &judging);
        if keep {
            for (a, arm) in settings.into_iter().enumerate() {
                for (c, setting) in arm.into_iter().enumerate() {
                    let of_folds = scores.iter_mut().map(|fold| fold[a][c].as_mut());
                    kept.push((setting, of_folds.map(|s| s?.scores.take()).collect()));
                }
            }
        }
        Ok(found)
    };
    let rule = protocol.picking_rule();
    let (mut grid, mut chosen) = search(method, arms, data.labels().n_classes(), rule, &mut score)?;
    let refinement = method.refine(problem, protocol, &grid, chosen)?;
    if let Refinement::Entry(other) = refinement {
        chosen = other;
    }
    // What was measured is this setting; a refinement may tell it more than the folds knew.
    let mut measured = grid[chosen].setting.clone();
    if let Refinement::Told(other, setting) = refinement {
        chosen = other;
        measured = std::mem::replace(&mut grid[chosen].setting, setting);
    } else if let Refinement::Setting(setting, bound) = refinement {
        control.checkpoint()?;
        let refined = score(vec![vec![setting]])?.pop();
        if let Some(entry) = refined.filter(|e| e.error.is_some_and(|v| v <= bound + 1e-12)) {
            // Its own errors are too small, since all folds took part in the choice. The errors of
            // the setting it replaces are kept.
            let honest = grid[chosen].clone();
            grid.insert(
                chosen,
                CvEntry {
                    setting: entry.setting,
                    ..honest
                },
            );
        }
    }
    let scores = kept.into_iter().find(|(s, _)| *s == measured);
    let out_of_fold = scores.and_then(|(_, scores)| OutOfFold::known(held_out, scores));
    Ok(Validated {
        table: table(grid, chosen, folds.len(), rule),
        out_of_fold,
    })
}

/// What the user chooses settings for, if not for what the method ranks by.
fn measure<M: Method>(data: &Dataset, protocol: &Protocol) -> Result<Option<Measure>> {
    let labels = data.labels();
    let positive = protocol.positive_of(labels.classes())?;
    Ok(protocol.score.map(|score| Measure {
        score,
        n_classes: labels.n_classes(),
        positive,
        tempered: M::ABOUT.calibrated && protocol.calibrate,
    }))
}

/// Whether the log scores of all settings may be kept. A ranking at a temperature needs them.
fn keeps_scores<M: Method>(
    method: &M,
    data: &Dataset,
    arms: &[Vec<M::Setting>],
    already: usize,
) -> bool {
    let settings = already + arms.iter().map(Vec::len).sum::<usize>();
    let values = settings * data.n_samples() * data.labels().n_classes();
    method.ranking() == Ranking::TemperedLogLoss || 8 * values <= KEPT_BYTES
}

/// What is wanted of every setting.
struct Asking {
    /// What settings are chosen for, if the user said.
    measure: Option<Measure>,
    /// Whether log scores are kept.
    keep: bool,
}

/// Scores of every setting in every fold, `[fold][arm][setting]`, and how the arms fared.
fn score_arms<M: Method>(
    method: &M,
    data: &Dataset,
    folds: &[Split],
    arms: &[Vec<M::Setting>],
    protocol: &Protocol,
    asked: &Asking,
    control: &Control,
) -> Result<(Scores, Race)> {
    let plan = Plan::new(
        method,
        folds,
        data.labels().n_classes(),
        arms.len(),
        control,
    )?;
    let mut scores = Vec::with_capacity(folds.len());
    let (done, total) = (AtomicUsize::new(0), folds.len() * arms.len());
    control.report(0, total);
    let unit = (0..data.n_samples()).map(|i| data.weight(i)).sum::<f64>() / data.n_samples() as f64;
    let mut race = Race::new(arms, unit, method.shortens());
    // A race runs fold by fold, so that the first folds can spare work in the others. It is a race
    // for few wrong rows.
    let races = method.races() && matches!(protocol.score, None | Some(Asked::Error));
    let at_once = if races { 1 } else { plan.folds_at_once };
    for group in folds.chunks(at_once) {
        let prepared: Vec<PreparedFold> = group
            .iter()
            .map(|s| PreparedFold::new(method, data, s, protocol))
            .collect::<Result<_>>()?;
        let tasks: Vec<(usize, usize)> = (0..group.len())
            .flat_map(|f| (0..arms.len()).map(move |a| (f, a)))
            .collect();
        let mut results: Vec<Vec<Option<Score>>> = Vec::with_capacity(tasks.len());
        for batch in tasks.chunks(plan.tasks_at_once) {
            let part: Result<Vec<_>> = batch
                .par_iter()
                .map(|&(f, a)| {
                    control.checkpoint()?;
                    let running = race.running(a);
                    let mut score = match running {
                        0 => vec![],
                        _ => score(&prepared[f], method, &arms[a][..running], asked)?,
                    };
                    score.resize_with(arms[a].len(), || None);
                    control.report(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                    Ok(score)
                })
                .collect();
            results.extend(part?);
        }
        let mut results = results.into_iter();
        for _ in group {
            scores.push(results.by_ref().take(arms.len()).collect::<Vec<_>>());
        }
        if races
            && scores.len() < folds.len()
            && let Some(last) = scores.last()
        {
            race.after_fold(last);
        }
    }
    Ok((scores, race))
}

/// How much may run at once.
struct Plan {
    folds_at_once: usize,
    tasks_at_once: usize,
}

impl Plan {
    fn new<M: Method>(
        method: &M,
        folds: &[Split],
        n_classes: usize,
        n_arms: usize,
        control: &Control,
    ) -> Result<Self> {
        let limit = control.memory_bytes();
        let largest = folds
            .iter()
            .map(|f| (f.train.len() as u64, f.test.len() as u64))
            .max()
            .unwrap_or((0, 0));
        let (train, test) = largest;
        let footprint = method.footprint(train as usize);
        let base = 8
            * (u64::from(footprint.train_base) * train * train
                + u64::from(footprint.held_out_base) * test * train);
        // Responses, coefficients, fitted values and intermediate results: about eight matrices of
        // rows x classes.
        let by_class = 8 * 8 * n_classes as u64 * (train + test);
        let work = 8 * footprint.copies as u64 * train * train
            + 8 * u64::from(footprint.held_out_base) * test * train
            + footprint.cache
            + by_class;
        if base + work > limit {
            let n = (train + test) as f64;
            let fits = rows_that_fit(
                limit,
                (base + work - by_class - footprint.cache) as f64 / (n * n),
                by_class as f64 / n,
            );
            return Err(Error::Memory {
                what: format!(
                    "cross-validation of {} on {} rows",
                    M::ABOUT.name,
                    train + test
                ),
                needed: for_people(base + work),
                limit: for_people(limit),
                remedy: remedy(&M::ABOUT, fits, footprint.cache),
            });
        }
        let threads = rayon::current_num_threads();
        let tasks = (limit - base)
            .checked_div(work)
            .map_or(usize::MAX, |t| t.max(1) as usize);
        let threads_used = threads.min(tasks);
        let left = limit - work * threads_used as u64;
        let folds_at_once = left
            .checked_div(base)
            .unwrap_or(u64::MAX)
            .clamp(1, folds.len() as u64) as usize;
        // With enough memory for every thread, all tasks go to the scheduler at once.
        let tasks_at_once = if tasks >= threads {
            (folds_at_once * n_arms).max(1)
        } else {
            tasks
        };
        Ok(Self {
            folds_at_once,
            tasks_at_once,
        })
    }
}

/// Scores of every setting of an arm in a fold; `None` where it could not be fitted.
fn score<M: Method>(
    prepared: &PreparedFold,
    method: &M,
    arm: &[M::Setting],
    asked: &Asking,
) -> Result<Vec<Option<Score>>> {
    let rows = HeldOutRows {
        classes: &prepared.classes,
        truth: &prepared.truth,
        weights: &prepared.weights,
    };
    let Some(fold) = &prepared.fold else {
        let only = prepared.classes.first().copied().unwrap_or(0);
        let wrong = prepared.truth.iter().zip(&prepared.weights);
        let wrong: f64 = wrong.filter(|(t, _)| **t != only).map(|(_, w)| w).sum();
        let score = Score {
            wrong,
            log_loss: wrong * log_loss_of(0.0),
            kept: None,
            measured: asked.measure.map(|m| m.of_one_class(only, &rows)),
            scores: asked.keep.then(|| Matrix::zeros(prepared.truth.len(), 1)),
        };
        return Ok(vec![Some(score); arm.len()]);
    };
    let answers = method.held_out(fold, arm)?;
    Ok(answers
        .into_iter()
        .map(|h| {
            let h = h?;
            let measured = asked.measure.map(|m| m.of(&h.scores, &rows));
            let scores = asked.keep.then(|| h.scores.clone());
            // A class without a row in the training part has probability 0.
            let mut score = count(h.scores, &fold.held_out_classes, |i| prepared.weights[i]);
            score.measured = measured;
            score.scores = scores;
            score.kept = h.weights.map(|w| w.iter().map(|v| *v != 0.0).collect());
            Some(score)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;
    use crate::decision::argmax;
    use crate::kernel::Kernel;
    use crate::method::{Fivm, Klr, Kos, L1Dkf, L2le, L2qp, Lda, Mkda, Parzen, Smkda, SparseKos};
    use crate::params::KernelChoice;
    use crate::tuning::fold::{prepare, prepare_all};

    /// Checks that a table equals separate fits, whatever the number of threads and the memory. A
    /// final fit may have a tighter tolerance than the folds, so up to `rows` rows near the border
    /// may change.
    fn check<M: Method>(method: M, rows: f64) {
        let (data, name) = (simulate::rings(3), M::ABOUT.name);
        let protocol = Protocol::default().folds(3);
        let problem = prepare_all(&data, &protocol).expect("valid").problem;
        let arms = method.grid(&problem, &protocol).expect("a grid");
        let run = |threads: usize, memory: u64| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("pool");
            let control = Control::new().memory_limit(memory);
            pool.install(|| {
                cross_validate(&method, &data, &problem, arms.clone(), &protocol, &control)
                    .expect("runs")
                    .table
            })
        };
        let table = run(1, u64::MAX);
        assert_eq!(table, run(3, u64::MAX));
        // Little memory: fewer folds and tasks at once, the same table.
        assert_eq!(table, run(2, 3_000_000));
        let stay = |e: &&CvEntry<M::Setting>| e.left_after.is_none();
        assert!(table.grid.iter().any(|e| stay(&e)));
        for e in table.grid.iter().filter(stay) {
            let mut wrong = 0;
            for split in data.folds(3, 0).expect("folds") {
                let prepared = prepare(&data, &split.train, &protocol).expect("valid");
                let fit = method.fit(&prepared.problem, &e.setting).expect("fits");
                let z = fit.outputs(&prepared.apply(&data, &split.test));
                let p = fit.decision.posterior(&z);
                for (row, &i) in p.iter_rows().zip(&split.test) {
                    wrong += usize::from(argmax(row) != data.labels().codes()[i]);
                }
            }
            let by_hand = wrong as f64 / data.n_samples() as f64;
            let gap = (e.error.expect("fitted") - by_hand).abs() * data.n_samples() as f64;
            assert!(gap <= rows, "{name} {e:?} {by_hand}");
        }
    }

    #[test]
    fn the_table_equals_fitting_each_fold_by_hand_and_does_not_depend_on_threads() {
        let kernel = || KernelChoice::default().with_bandwidths([0.5, 1.0]);
        check(Lda::new(), 1e-9);
        check(Mkda::new().kernel(kernel()).ridge(1e-3), 1e-9);
        check(Smkda::new().kernel(kernel()), 1e-9);
        check(Kos::new().kernel(kernel()).ridge(1e-3), 1e-9);
        check(Klr::new().kernel(kernel()).ridges([1e-3]), 1e-9);
        check(Fivm::new().kernel(kernel()).ridges([1e-3]), 1e-9);
        check(Parzen::new().kernel(kernel()), 1e-9);
        check(L2le::new().kernel(kernel()).ridges([1e-3]), 1e-9);
        check(L2qp::new().kernel(kernel()), 1e-9);
        check(L1Dkf::new(), 1e-9);
        let kos = Kos::new().kernel(kernel()).ridge(1e-3);
        check(SparseKos::new().scoring(kos), 2.5);
    }

    fn of_rings(control: &Control) -> Result<CvTable<crate::method::kos::KosSetting>> {
        let (data, protocol, kos) = (simulate::rings(0), Protocol::default(), Kos::new());
        let problem = prepare_all(&data, &protocol).expect("valid").problem;
        let arms = kos.grid(&problem, &protocol).expect("a grid");
        cross_validate(&kos, &data, &problem, arms, &protocol, control).map(|v| v.table)
    }

    #[test]
    fn a_data_set_that_does_not_fit_is_refused_with_the_size_that_would() {
        let control = Control::new().memory_limit(100_000);
        let error = of_rings(&control).unwrap_err().to_string();
        assert!(error.contains("rows would fit"), "{error}");
    }

    #[test]
    fn a_cancelled_computation_stops() {
        let control = Control::new();
        control.cancel();
        assert!(matches!(of_rings(&control), Err(Error::Cancelled)));
        assert!(matches!(
            of_rings(&Control::new())
                .expect("runs")
                .best()
                .setting
                .kernel,
            Kernel::Gaussian { .. }
        ));
    }
}
