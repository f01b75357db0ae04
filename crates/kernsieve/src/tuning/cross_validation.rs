//! k-fold cross-validation of every candidate of a method.
//!
//! Per fold: scaling on its training rows, one matrix of distances (or inner products) for all
//! candidates, then every arm of candidates as one task. Tasks run in parallel; as each is computed
//! by itself and results are kept by position, the table does not depend on the number of threads.

use super::control::Control;
use super::memory::{for_people, remedy, rows_that_fit};
use super::race::Race;
use super::table::{Score, Scores, count, entries, search, table};
use super::temperature::Scored;
use super::train::prepare;
use crate::data::{Dataset, Split};
use crate::error::{Error, Result};
use crate::kernel::{Pairs, symmetric_base};
use crate::linalg::Matrix;
use crate::method::{Arm, Fold, Method, Options, Problem, Ranking, Refinement, Validation};
use crate::metrics::log_loss_of;
use crate::model::{CvEntry, CvTable};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Cross-validates every candidate of the arms, which are those of [`Method::arms`] on the whole
/// data set. The grid is widened while the best candidate lies at its edge, if the method has more
/// to offer. `problem` is all rows of the data set.
pub fn cross_validate(
    method: &dyn Method,
    data: &Dataset,
    problem: &Problem,
    arms: Vec<Arm>,
    options: &Options,
    control: &Control,
) -> Result<CvTable> {
    let mut folds = data.folds(options.folds, options.seed)?;
    if options.validation == Validation::Split {
        folds.truncate(1);
    }
    let weights: Vec<f64> = folds
        .iter()
        .map(|f| f.test.iter().map(|&i| data.weight(i)).sum())
        .collect();
    let score = |arms: Vec<Arm>| {
        let (scores, race) = score_arms(method, data, &folds, &arms, options, control)?;
        let rows = folds.iter().map(|f| f.test.len()).sum::<usize>() as f64;
        let left = &race.left_after;
        Ok(entries(
            arms,
            &scores,
            &weights,
            left,
            method.ranking(),
            rows,
        ))
    };
    let (mut grid, mut chosen) =
        search(method, arms, data.labels().n_classes(), options.rule, score)?;
    let refinement = method.refine(problem, &grid, chosen)?;
    if let Refinement::Entry(other) = refinement {
        chosen = other;
    } else if let Refinement::Candidate(candidate, bound) = refinement {
        control.checkpoint()?;
        let refined = score(vec![vec![*candidate]])?.pop();
        if let Some(entry) = refined.filter(|e| e.error.is_some_and(|v| v <= bound + 1e-12)) {
            // Its own errors are too good: all folds had a part in the choice. The ones of the
            // candidate it replaces stand.
            let honest = grid[chosen].clone();
            grid.insert(
                chosen,
                CvEntry {
                    candidate: entry.candidate,
                    ..honest
                },
            );
        }
    }
    Ok(table(grid, chosen, folds.len(), options.rule))
}

/// Scores of every candidate in every fold, `[fold][arm][candidate]`, and how the arms fared.
fn score_arms(
    method: &dyn Method,
    data: &Dataset,
    folds: &[Split],
    arms: &[Arm],
    options: &Options,
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
    let mut race = Race::new(arms, unit);
    // A race is run fold by fold, so that what the first ones say can save the others.
    let at_once = if method.races() {
        1
    } else {
        plan.folds_at_once
    };
    for group in folds.chunks(at_once) {
        let prepared: Vec<PreparedFold> = group
            .iter()
            .map(|s| PreparedFold::new(method, data, s, options))
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
                    let score = match race.left_after[a] {
                        Some(_) => Ok(vec![None; arms[a].len()]),
                        None => prepared[f].score(method, &arms[a]),
                    };
                    control.report(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                    score
                })
                .collect();
            results.extend(part?);
        }
        let mut results = results.into_iter();
        for _ in group {
            scores.push(results.by_ref().take(arms.len()).collect::<Vec<_>>());
        }
        if method.races()
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
    fn new(
        method: &dyn Method,
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
        // Responses, coefficients, fitted values and what becomes of them: about eight matrices of
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
                    method.name(),
                    train + test
                ),
                needed: for_people(base + work),
                limit: for_people(limit),
                remedy: remedy(method.name(), fits, footprint.cache),
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
        // With memory for every thread the scheduler may take all tasks as they come.
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

/// One fold, ready for all arms.
pub(super) struct PreparedFold {
    /// `None` when the training part has one class only: then that class is the answer.
    pub(super) fold: Option<Fold>,
    /// Class code in the whole data set of each class of the fold.
    pub(super) classes: Vec<usize>,
    pub(super) truth: Vec<usize>,
    /// Weights of the held-out rows.
    pub(super) weights: Vec<f64>,
}

impl PreparedFold {
    pub(super) fn new(
        method: &dyn Method,
        data: &Dataset,
        split: &Split,
        options: &Options,
    ) -> Result<Self> {
        let (scaling, problem, classes) = prepare(data, &split.train, options)?;
        let truth: Vec<usize> = split
            .test
            .iter()
            .map(|&i| data.labels().codes()[i])
            .collect();
        let weights: Vec<f64> = split.test.iter().map(|&i| data.weight(i)).collect();
        if classes.len() < 2 {
            return Ok(Self {
                fold: None,
                classes,
                truth,
                weights,
            });
        }
        let held_out = scaling.apply(data.x(), &split.test);
        let own = |t: &usize| classes.iter().position(|c| c == t);
        let held_out_classes: Vec<Option<usize>> = truth.iter().map(own).collect();
        let footprint = method.footprint(problem.n());
        let family = method.family();
        let train_base = footprint
            .train_base
            .then(|| symmetric_base(family, &problem.x));
        let held_out_base = footprint
            .held_out_base
            .then(|| Pairs::new(family.base(), problem.x.clone()).all(&held_out, |_| ()));
        Ok(Self {
            fold: Some(Fold {
                train: problem,
                held_out,
                held_out_classes,
                held_out_weights: weights.clone(),
                train_base,
                held_out_base,
            }),
            classes,
            truth,
            weights,
        })
    }

    /// The held-out rows whose class the fold knows and whose scores are finite.
    pub(super) fn scored(&self, fold: &Fold, scores: &Matrix) -> Vec<Scored> {
        let rows = scores
            .iter_rows()
            .zip(&fold.held_out_classes)
            .zip(&self.weights);
        rows.filter(|((row, _), _)| row.iter().all(|s| s.is_finite()))
            .filter_map(|((row, own), &weight)| {
                Some(Scored {
                    scores: row.to_vec(),
                    own: (*own)?,
                    weight,
                })
            })
            .collect()
    }

    fn score(&self, method: &dyn Method, arm: &Arm) -> Result<Vec<Option<Score>>> {
        let Some(fold) = &self.fold else {
            let only = self.classes.first().copied().unwrap_or(0);
            let wrong = self
                .truth
                .iter()
                .zip(&self.weights)
                .filter(|(t, _)| **t != only);
            let wrong: f64 = wrong.map(|(_, w)| w).sum();
            let log_loss = wrong * log_loss_of(0.0);
            let score = Score {
                wrong,
                log_loss,
                kept: None,
                rows: vec![],
            };
            return Ok(vec![Some(score); arm.len()]);
        };
        let scores = method.held_out(fold, arm)?;
        Ok(scores
            .into_iter()
            .map(|h| {
                let h = h?;
                let rows = if method.ranking() == Ranking::TemperedLogLoss {
                    self.scored(fold, &h.scores)
                } else {
                    vec![]
                };
                // A class without a row in the training part has probability 0.
                let mut score = count(h.scores, &fold.held_out_classes, |i| self.weights[i]);
                score.rows = rows;
                score.kept = h.weights.map(|w| w.iter().map(|v| *v != 0.0).collect());
                Some(score)
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;
    use crate::decision::argmax;
    use crate::method::MethodKind;

    #[test]
    fn the_table_equals_fitting_each_fold_by_hand_and_does_not_depend_on_threads() {
        let data = simulate::rings(3);
        for kind in MethodKind::ALL {
            let options = Options {
                bandwidths: vec![0.5, 1.0],
                ridge: Some(1e-3),
                folds: 3,
                ..Options::default()
            };
            let method = kind.build(&options).expect("valid");
            let rows: Vec<usize> = (0..data.n_samples()).collect();
            let (_, problem, _) = prepare(&data, &rows, &options).expect("valid");
            let arms = method.arms(&problem).expect("a grid");
            let run = |threads: usize, memory: u64| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .expect("pool");
                let control = Control::new().memory_limit(memory);
                pool.install(|| {
                    cross_validate(
                        method.as_ref(),
                        &data,
                        &problem,
                        arms.clone(),
                        &options,
                        &control,
                    )
                    .expect("runs")
                })
            };
            let table = run(1, u64::MAX);
            assert_eq!(table, run(3, u64::MAX));
            // Little memory: fewer folds and tasks at once, the same table.
            assert_eq!(table, run(2, 3_000_000));
            for e in &table.grid {
                let mut wrong = 0;
                for split in data.folds(3, 0).expect("folds") {
                    let (scaling, problem, _) =
                        prepare(&data, &split.train, &options).expect("valid");
                    let fit = method.fit(&problem, &e.candidate).expect("fits");
                    let z = fit.outputs(&scaling.apply(data.x(), &split.test));
                    let p = fit.decision.posterior(&z);
                    for (row, &i) in p.iter_rows().zip(&split.test) {
                        wrong += usize::from(argmax(row) != data.labels().codes()[i]);
                    }
                }
                let by_hand = wrong as f64 / data.n_samples() as f64;
                // A final fit of sparse KOS goes on to a tighter tolerance than the folds: a row or
                // two on the border may turn.
                let rows = if kind == MethodKind::SparseKos {
                    2.5
                } else {
                    1e-9
                };
                assert!(
                    (e.error.expect("fitted") - by_hand).abs() * data.n_samples() as f64 <= rows,
                    "{kind:?} {e:?} {by_hand}"
                );
            }
        }
    }

    #[test]
    fn a_data_set_that_does_not_fit_is_refused_with_the_size_that_would() {
        let data = simulate::rings(0);
        let options = Options::default();
        let method = MethodKind::Kos.build(&options).expect("valid");
        let rows: Vec<usize> = (0..data.n_samples()).collect();
        let (_, problem, _) = prepare(&data, &rows, &options).expect("valid");
        let arms = method.arms(&problem).expect("a grid");
        let control = Control::new().memory_limit(100_000);
        let error = cross_validate(
            method.as_ref(),
            &data,
            &problem,
            arms.clone(),
            &options,
            &control,
        )
        .unwrap_err()
        .to_string();
        assert!(error.contains("rows would fit"), "{error}");
    }

    #[test]
    fn a_cancelled_computation_stops() {
        let data = simulate::rings(0);
        let options = Options::default();
        let method = MethodKind::Kos.build(&options).expect("valid");
        let rows: Vec<usize> = (0..data.n_samples()).collect();
        let (_, problem, _) = prepare(&data, &rows, &options).expect("valid");
        let arms = method.arms(&problem).expect("a grid");
        let control = Control::new();
        control.cancel();
        let result = cross_validate(
            method.as_ref(),
            &data,
            &problem,
            arms.clone(),
            &options,
            &control,
        );
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}
