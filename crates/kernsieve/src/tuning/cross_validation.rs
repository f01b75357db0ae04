//! k-fold cross-validation of every candidate of a method.
//!
//! Per fold: scaling on its training rows, one matrix of distances (or inner products) for all candidates, then every arm
//! of candidates as one task. Tasks run in parallel; as each is computed by itself and results are kept by position, the
//! table does not depend on the number of threads.

use super::control::Control;
use super::memory::{for_people, rows_that_fit};
use super::train::prepare;
use crate::data::{Dataset, Split, stratified_folds};
use crate::decision::{argmax, softmax_in_place};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Pairs, symmetric_base};
use crate::linalg::Matrix;
use crate::method::{Arm, Candidate, Fold, Method, Options, Rule};
use crate::metrics::{log_loss_of, mean_and_standard_error};
use crate::model::{CurvePoint, CvEntry, CvTable, optimism};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts of one candidate in one fold.
#[derive(Clone, Copy, Debug)]
struct Score {
    wrong: usize,
    log_loss: f64,
}

/// How often a grid may be widened because the best candidate lies at its edge.
const WIDENINGS: usize = 4;

/// Cross-validates every candidate of the arms, which are those of [`Method::arms`] on the whole data set. The grid is widened
/// while the best candidate lies at its edge, if the method has more to offer.
pub fn cross_validate(
    method: &dyn Method,
    data: &Dataset,
    mut arms: Vec<Arm>,
    options: &Options,
    control: &Control,
) -> Result<CvTable> {
    let folds = stratified_folds(data.labels(), options.folds, options.seed);
    let mut tried: Vec<Kernel> = Vec::new();
    let mut grid: Vec<CvEntry> = Vec::new();
    let mut chosen = 0;
    for _ in 0..=WIDENINGS {
        tried.extend(arms.iter().filter_map(|arm| arm.first()).map(|c| c.kernel));
        let scores = score_arms(method, data, &folds, &arms, options, control)?;
        grid.extend(entries(arms, &folds, &scores, data.n_samples()));
        // Stable: where the method has no preference, candidates stay in the order in which they were listed.
        grid.sort_by(|a, b| method.compare(&a.candidate, &b.candidate));
        chosen = choose(&grid, options.rule);
        arms = method.widen(&tried, &grid[chosen].candidate, data.labels().n_classes());
        if arms.is_empty() {
            break;
        }
    }
    Ok(table(grid, chosen, folds.len(), options.rule))
}

/// Scores of every candidate in every fold: `[fold][arm][candidate]`.
fn score_arms(
    method: &dyn Method,
    data: &Dataset,
    folds: &[Split],
    arms: &[Arm],
    options: &Options,
    control: &Control,
) -> Result<Vec<Vec<Vec<Option<Score>>>>> {
    let plan = Plan::new(method, folds, data.labels().n_classes(), arms.len(), control)?;
    let mut scores = Vec::with_capacity(folds.len());
    let (done, total) = (AtomicUsize::new(0), folds.len() * arms.len());
    control.report(0, total);
    for group in folds.chunks(plan.folds_at_once) {
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
                    let score = prepared[f].score(method, &arms[a]);
                    control.report(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                    score
                })
                .collect();
            results.extend(part?);
        }
        let mut results = results.into_iter();
        for _ in group {
            scores.push(results.by_ref().take(arms.len()).collect());
        }
    }
    Ok(scores)
}

/// How much may run at once.
struct Plan {
    folds_at_once: usize,
    tasks_at_once: usize,
}

impl Plan {
    fn new(method: &dyn Method, folds: &[Split], n_classes: usize, n_arms: usize, control: &Control) -> Result<Self> {
        let limit = control.memory_bytes();
        let footprint = method.footprint();
        let largest = folds
            .iter()
            .map(|f| (f.train.len() as u64, f.test.len() as u64))
            .max()
            .unwrap_or((0, 0));
        let (train, test) = largest;
        let base =
            8 * (u64::from(footprint.train_base) * train * train + u64::from(footprint.held_out_base) * test * train);
        // Responses, coefficients, fitted values and what becomes of them: about eight matrices of rows x classes.
        let by_class = 8 * 8 * n_classes as u64 * (train + test);
        let work = 8 * footprint.copies as u64 * train * train
            + 8 * u64::from(footprint.held_out_base) * test * train
            + by_class;
        if base + work > limit {
            let n = (train + test) as f64;
            let fits = rows_that_fit(limit, (base + work - by_class) as f64 / (n * n), by_class as f64 / n);
            return Err(Error::Memory {
                what: format!("cross-validation of {} on {} rows", method.name(), train + test),
                needed: for_people(base + work),
                limit: for_people(limit),
                remedy: format!(
                    "about {fits} rows would fit; take a sample of the rows, raise --memory, or use --method lda"
                ),
            });
        }
        let threads = rayon::current_num_threads();
        let tasks = (limit - base)
            .checked_div(work)
            .map_or(usize::MAX, |t| t.max(1) as usize);
        let threads_used = threads.min(tasks);
        let left = limit - work * threads_used as u64;
        let folds_at_once = left.checked_div(base).unwrap_or(u64::MAX).clamp(1, folds.len() as u64) as usize;
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
struct PreparedFold {
    /// `None` when the training part has one class only: then that class is the answer.
    fold: Option<Fold>,
    /// Class code in the whole data set of each class of the fold.
    classes: Vec<usize>,
    truth: Vec<usize>,
}

impl PreparedFold {
    fn new(method: &dyn Method, data: &Dataset, split: &Split, options: &Options) -> Result<Self> {
        let (scaling, problem, classes) = prepare(data, &split.train, options)?;
        let truth = split.test.iter().map(|&i| data.labels().codes()[i]).collect();
        if classes.len() < 2 {
            return Ok(Self {
                fold: None,
                classes,
                truth,
            });
        }
        let held_out = scaling.apply(data.x(), &split.test);
        let footprint = method.footprint();
        let family = method.family();
        let train_base = footprint.train_base.then(|| symmetric_base(family, &problem.x));
        let held_out_base = footprint
            .held_out_base
            .then(|| Pairs::new(family.base(), problem.x.clone()).all(&held_out, |_| ()));
        Ok(Self {
            fold: Some(Fold {
                train: problem,
                held_out,
                train_base,
                held_out_base,
            }),
            classes,
            truth,
        })
    }

    fn score(&self, method: &dyn Method, arm: &Arm) -> Result<Vec<Option<Score>>> {
        let Some(fold) = &self.fold else {
            let only = self.classes.first().copied().unwrap_or(0);
            let wrong = self.truth.iter().filter(|&&t| t != only).count();
            let log_loss = wrong as f64 * log_loss_of(0.0);
            return Ok(vec![Some(Score { wrong, log_loss }); arm.len()]);
        };
        let scores = method.held_out(fold, arm)?;
        Ok(scores.into_iter().map(|s| s.map(|s| self.count(s))).collect())
    }

    fn count(&self, mut scores: Matrix) -> Score {
        let mut score = Score {
            wrong: 0,
            log_loss: 0.0,
        };
        let c = scores.cols();
        for (row, &truth) in scores.as_mut_slice().chunks_exact_mut(c).zip(&self.truth) {
            softmax_in_place(row);
            score.wrong += usize::from(self.classes[argmax(row)] != truth);
            // A class without a row in the training part has probability 0.
            score.log_loss += log_loss_of(self.own(truth).map_or(0.0, |c| row[c]));
        }
        score
    }

    /// Position of a class among those of the fold.
    fn own(&self, truth: usize) -> Option<usize> {
        self.classes.iter().position(|&c| c == truth)
    }
}

/// The temperature that makes the held-out probabilities of a candidate best in log loss: log scores are divided by it, which
/// changes no predicted class. 1 when the candidate cannot be fitted in any fold.
pub fn calibrate(
    method: &dyn Method,
    data: &Dataset,
    candidate: &Candidate,
    options: &Options,
    control: &Control,
) -> Result<f64> {
    let arm = vec![candidate.clone()];
    let mut rows: Vec<(Vec<f64>, usize)> = Vec::new();
    for split in stratified_folds(data.labels(), options.folds, options.seed) {
        control.checkpoint()?;
        let prepared = PreparedFold::new(method, data, &split, options)?;
        let Some(fold) = &prepared.fold else { continue };
        if let Some(Some(scores)) = method.held_out(fold, &arm)?.into_iter().next() {
            for (row, &truth) in scores.iter_rows().zip(&prepared.truth) {
                if let (Some(own), true) = (prepared.own(truth), row.iter().all(|s| s.is_finite())) {
                    rows.push((row.to_vec(), own));
                }
            }
        }
    }
    Ok(best_temperature(&rows))
}

/// Minimises the mean log loss over the temperature. It is convex in the inverse temperature, so a golden section search on a
/// logarithmic scale finds the minimum.
fn best_temperature(rows: &[(Vec<f64>, usize)]) -> f64 {
    if rows.is_empty() {
        return 1.0;
    }
    let loss = |log_t: f64| -> f64 {
        let inverse = (-log_t).exp();
        rows.par_chunks(1024)
            .map(|chunk| {
                let one = |(s, own): &(Vec<f64>, usize)| {
                    let top = s.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let total: f64 = s.iter().map(|v| ((v - top) * inverse).exp()).sum();
                    total.ln() - (s[*own] - top) * inverse
                };
                chunk.iter().map(one).sum::<f64>()
            })
            .collect::<Vec<f64>>()
            .iter()
            .sum()
    };
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    // From a quarter (underconfident) to a thousand.
    let (mut low, mut high) = (0.25f64.ln(), 1000f64.ln());
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut fa, mut fb) = (loss(a), loss(b));
    while high - low > 1e-3 {
        if fa <= fb {
            (high, b, fb) = (b, a, fa);
            a = high - ratio * (high - low);
            fa = loss(a);
        } else {
            (low, a, fa) = (a, b, fb);
            b = low + ratio * (high - low);
            fb = loss(b);
        }
    }
    (0.5 * (low + high)).exp()
}

/// The entries of some arms.
fn entries(arms: Vec<Arm>, folds: &[Split], scores: &[Vec<Vec<Option<Score>>>], n: usize) -> Vec<CvEntry> {
    let mut entries = Vec::new();
    for (a, arm) in arms.into_iter().enumerate() {
        for (c, candidate) in arm.into_iter().enumerate() {
            let own: Option<Vec<Score>> = scores.iter().map(|fold| fold[a][c]).collect();
            let Some(own) = own else {
                entries.push(CvEntry {
                    candidate,
                    error: None,
                    standard_error: 0.0,
                    log_loss: None,
                    fold_errors: vec![],
                });
                continue;
            };
            let fold_errors: Vec<f64> = own
                .iter()
                .zip(folds)
                .map(|(s, f)| s.wrong as f64 / f.test.len().max(1) as f64)
                .collect();
            entries.push(CvEntry {
                candidate,
                error: Some(own.iter().map(|s| s.wrong).sum::<usize>() as f64 / n as f64),
                standard_error: mean_and_standard_error(&fold_errors).1,
                log_loss: Some(own.iter().map(|s| s.log_loss).sum::<f64>() / n as f64),
                fold_errors,
            });
        }
    }
    entries
}

/// The table that is kept. Where sizes were tried there can be thousands of entries: the curve of the chosen kernel stays
/// whole, and of every kernel its best size.
fn table(grid: Vec<CvEntry>, chosen: usize, folds: usize, rule: Rule) -> CvTable {
    let optimism = optimism(&grid, chosen);
    if grid[chosen].candidate.size.is_none() {
        return CvTable {
            folds,
            grid,
            chosen,
            rule,
            optimism,
            curve: vec![],
        };
    }
    let best = grid[chosen].clone();
    let mut curve: Vec<CurvePoint> = grid
        .iter()
        .filter(|e| e.candidate.kernel == best.candidate.kernel)
        .filter_map(|e| {
            Some(CurvePoint {
                size: e.candidate.size?,
                error: e.error?,
                standard_error: e.standard_error,
                log_loss: e.log_loss?,
            })
        })
        .collect();
    curve.sort_by_key(|p| p.size);
    let mut kept: Vec<CvEntry> = Vec::new();
    for e in grid {
        match kept.iter_mut().find(|k| k.candidate.kernel == e.candidate.kernel) {
            None => kept.push(e),
            Some(k) => {
                let error = |e: &CvEntry| e.error.unwrap_or(f64::INFINITY);
                if e == best || (*k != best && error(&e) < error(k)) {
                    *k = e;
                }
            }
        }
    }
    let chosen = kept.iter().position(|e| *e == best).unwrap_or(0);
    CvTable {
        folds,
        grid: kept,
        chosen,
        rule,
        optimism,
        curve,
    }
}

/// The first candidate of least error, or the simplest within one standard error of it.
fn choose(grid: &[CvEntry], rule: Rule) -> usize {
    let error = |e: &CvEntry| e.error.unwrap_or(f64::INFINITY);
    let mut least = 0;
    for (i, e) in grid.iter().enumerate() {
        if error(e) < error(&grid[least]) {
            least = i;
        }
    }
    match rule {
        Rule::Min => least,
        Rule::OneStandardError => {
            let bound = error(&grid[least]) + grid[least].standard_error;
            let within = (0..grid.len()).filter(|&i| error(&grid[i]) <= bound);
            within
                .min_by(|&a, &b| simplicity(&grid[a].candidate, &grid[b].candidate).then(a.cmp(&b)))
                .unwrap_or(least)
        }
    }
}

/// The sparser candidate first, then the smoother one: larger bandwidth, larger ridge.
fn simplicity(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    let width = |c: &Candidate| c.kernel.bandwidth().unwrap_or(0.0);
    let ridge = |c: &Candidate| c.ridge.unwrap_or(0.0);
    a.size
        .cmp(&b.size)
        .then_with(|| width(b).total_cmp(&width(a)))
        .then_with(|| ridge(b).total_cmp(&ridge(a)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::simulate;
    use crate::method::MethodKind;

    fn entry(error: f64, standard_error: f64) -> CvEntry {
        CvEntry {
            candidate: Candidate::new(Kernel::Linear),
            error: Some(error),
            standard_error,
            log_loss: None,
            fold_errors: vec![error, error],
        }
    }

    #[test]
    fn ties_go_to_the_first_and_one_standard_error_to_the_simplest() {
        let grid = [
            entry(0.30, 0.01),
            entry(0.11, 0.01),
            entry(0.10, 0.02),
            entry(0.10, 0.02),
        ];
        assert_eq!(choose(&grid, Rule::Min), 2);
        assert_eq!(choose(&grid, Rule::OneStandardError), 1);
        // Within one standard error the smoothest wins, wherever it stands.
        let mut smooth = grid.to_vec();
        smooth[1].candidate.kernel = Kernel::Gaussian { bandwidth: 1.0 };
        smooth[2].candidate.kernel = Kernel::Gaussian { bandwidth: 2.0 };
        smooth[3].candidate.kernel = Kernel::Gaussian { bandwidth: 3.0 };
        assert_eq!(choose(&smooth, Rule::OneStandardError), 3);
        let mut failed = grid.to_vec();
        failed[2].error = None;
        assert_eq!(choose(&failed, Rule::Min), 3);
    }

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
                pool.install(|| cross_validate(method.as_ref(), &data, arms.clone(), &options, &control).expect("runs"))
            };
            let table = run(1, u64::MAX);
            assert_eq!(table, run(3, u64::MAX));
            // Little memory: fewer folds and tasks at once, the same table.
            assert_eq!(table, run(2, 3_000_000));
            for e in &table.grid {
                let mut wrong = 0;
                for split in stratified_folds(data.labels(), 3, 0) {
                    let (scaling, problem, _) = prepare(&data, &split.train, &options).expect("valid");
                    let fit = method.fit(&problem, &e.candidate).expect("fits");
                    let z = fit.expansion.evaluate(&scaling.apply(data.x(), &split.test));
                    let p = fit.decision.posterior(&z);
                    for (row, &i) in p.iter_rows().zip(&split.test) {
                        wrong += usize::from(argmax(row) != data.labels().codes()[i]);
                    }
                }
                let by_hand = wrong as f64 / data.n_samples() as f64;
                assert!(
                    (e.error.expect("fitted") - by_hand).abs() < 1e-12,
                    "{kind:?} {e:?} {by_hand}"
                );
            }
        }
    }

    #[test]
    fn the_temperature_is_the_one_of_least_loss() {
        // Scores three times too sure of themselves: true log odds are a third of those claimed.
        let mut rng = crate::data::Rng::new(3);
        let rows: Vec<(Vec<f64>, usize)> = (0..20_000)
            .map(|_| {
                let odds = 2.0 * rng.normal();
                let p = 1.0 / (1.0 + (-odds).exp());
                (vec![3.0 * odds, 0.0], usize::from(rng.uniform() >= p))
            })
            .collect();
        let t = best_temperature(&rows);
        assert!((t - 3.0).abs() < 0.15, "{t}");
        assert_eq!(best_temperature(&[]), 1.0);
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
        let error = cross_validate(method.as_ref(), &data, arms.clone(), &options, &control)
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
        let result = cross_validate(method.as_ref(), &data, arms.clone(), &options, &control);
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}
