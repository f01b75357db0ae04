//! From rows to a density: the bandwidth is found by cross-validation, then the density is
//! estimated on all rows.

use super::control::Control;
use super::memory::for_people;
use super::notices::constant_features;
use super::train::Trained;
use crate::classes::Classes;
use crate::data::{Labels, Rng, Scaling, Schema, stratified_folds};
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg::Matrix;
use crate::method::density::{Criterion, Density, DensityEntry, DensityRecord, Estimate, Sample};
use crate::method::l2_criterion::{EXACT, FOLD, TUNING_ROWS, in_memory, work_bytes};
use crate::method::{Chosen, FitReport, OnlyKernel, density_kernels};
use crate::model::{Asked, Model, TrainingRecord};
use crate::notice::{Notice, Tuned};
use crate::params::{Params, Preparation, Protocol};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering as Memory};
use std::time::Instant;

/// A number that may be far beyond the range of floating point: `value exp(log)`.
#[derive(Clone, Copy, Debug)]
struct Logged {
    value: f64,
    log: f64,
}

impl Logged {
    fn get(self) -> Option<f64> {
        // One factor may overflow where the product does not.
        let half = (0.5 * self.log).exp();
        Some(self.value * half * half).filter(|v| v.is_finite() && (*v != 0.0 || self.value == 0.0))
    }

    /// Both in the unit of the larger one.
    fn together(self, other: Self) -> (f64, f64, f64) {
        let log = match (self.value == 0.0, other.value == 0.0) {
            (true, false) => other.log,
            (false, true) => self.log,
            _ => self.log.max(other.log),
        };
        let of = |v: Self| {
            if v.value == 0.0 {
                0.0
            } else {
                v.value * (v.log - log).exp()
            }
        };
        (of(self), of(other), log)
    }

    fn plus(self, other: Self) -> Self {
        let (a, b, log) = self.together(other);
        Self { value: a + b, log }
    }

    fn compare(self, other: Self) -> Ordering {
        let (a, b, _) = self.together(other);
        a.total_cmp(&b)
    }
}

/// The result of a bandwidth in a fold.
#[derive(Clone, Copy)]
struct FoldScore {
    /// `integral f^2 - 2 mean f(held-out row)`, times the weight of the held-out rows.
    ise: Logged,
    /// Sum of the log densities of the held-out rows.
    log_density: f64,
    /// Rows with a nonzero weight.
    retained: usize,
}

/// Rows whose density is wanted.
pub struct DensityData<'a> {
    /// Features in the units of the data.
    pub x: &'a Matrix,
    /// Weights of the rows, where they differ.
    pub weights: Option<&'a [f64]>,
    /// Their columns.
    pub schema: &'a Schema,
}

/// Tunes the bandwidth by the criterion and estimates the density of the rows. Of the protocol,
/// only the folds, the seed and the standardisation are used.
///
/// ```
/// use kernsieve::data::{Schema, simulate};
/// use kernsieve::method::density::Density;
/// use kernsieve::tuning::{DensityData, train_density};
/// use kernsieve::{Control, Protocol};
///
/// let (rows, new) = (simulate::rings(0), simulate::rings(1));
/// let schema = Schema::numeric(rows.feature_names());
/// let data = DensityData { x: rows.x(), weights: None, schema: &schema };
/// let protocol = Protocol::default();
/// let density = train_density(&Density::new(), &data, &protocol, &Control::new())?.model;
/// assert!(density.record.report.retained_rows.len() < rows.n_samples());
/// let log_density = density.predict(new.x()).outputs;
/// assert!(log_density.as_slice().iter().all(|v| v.is_finite()));
/// # Ok::<(), kernsieve::Error>(())
/// ```
pub fn train_density(
    density: &Density,
    data: &DensityData<'_>,
    protocol: &Protocol,
    control: &Control,
) -> Result<Trained> {
    let started = Instant::now();
    let n = data.x.rows();
    let scaling = prepare(density, data, protocol, control)?;
    let names = data.schema.feature_names();
    let mut notices = Vec::from_iter(constant_features(&names, &scaling));
    let whole = Rows::new(data, &scaling);
    let sample = (!in_memory(n)).then(|| {
        notices.push(Notice::TunedOnSample {
            what: Tuned::Settings,
            rows: TUNING_ROWS,
            of: n,
        });
        let mut rows: Vec<usize> = (0..n).collect();
        Rng::new(protocol.seed).shuffle(&mut rows);
        rows.truncate(TUNING_ROWS);
        whole.select(&rows)
    });
    let tuned_on = sample.as_ref().unwrap_or(&whole);
    let tuning = tune(density, tuned_on, protocol, control)?;
    let last = tuning.chosen + 1 == tuning.grid.len();
    if last && tuning.grid.len() > 2 && density.kernel.bandwidths().is_empty() {
        notices.push(Notice::SmallestBandwidth);
    }
    let tune_seconds = started.elapsed().as_secs_f64();
    control.checkpoint()?;
    let started = Instant::now();
    let kernel = tuning.grid[tuning.chosen].kernel;
    let classes = whole.classes();
    let sample = whole.sample(&classes);
    let base = sample.base(&kernel);
    let estimate = sample.estimate(&kernel, base.as_ref(), EXACT, base.is_some())?;
    estimate.minimum.check()?;
    let model = Model {
        classes: vec!["density".into()],
        schema: data.schema.clone(),
        scaling,
        discriminant: None,
        decision: Decision::LogDensity {
            log_priors: vec![0.0],
        },
        temperature: 1.0,
        costs: vec![],
        shifts: vec![],
        threshold: None,
        factor: None,
        record: record(density, protocol, n, kernel, tuning, &estimate),
        expansion: estimate.expansion,
    };
    model.check()?;
    Ok(Trained {
        model,
        notices,
        tune_seconds,
        fit_seconds: started.elapsed().as_secs_f64(),
        out_of_fold: None,
    })
}

/// Checks parameters, rows and memory; the scaling of the rows.
fn prepare(
    density: &Density,
    data: &DensityData<'_>,
    protocol: &Protocol,
    control: &Control,
) -> Result<Scaling> {
    let n = data.x.rows();
    density.check()?;
    protocol.check()?;
    if protocol.prepare == Some(Preparation::Scores) {
        return Err(Error::Data(
            "a density is that of the features, not of their normal scores; \
             `prepare=scores` is for classifiers"
                .into(),
        ));
    }
    if n < 3 {
        return Err(Error::Data(format!(
            "a density needs at least three rows, got {n}"
        )));
    }
    let all: Vec<usize> = (0..n).collect();
    let scaling = Scaling::fit(data.x, &all, data.weights, protocol.standardize);
    if !scaling.active.contains(&true) {
        return Err(Error::Data(
            "every feature is constant: there is no density to estimate".into(),
        ));
    }
    // Distances once, and a cache per thread.
    let fold = n.min(TUNING_ROWS.max(n * usize::from(in_memory(n)))) as u64;
    let threads = rayon::current_num_threads() as u64;
    let needed = work_bytes(n).max(8 * fold * fold * (1 + threads));
    if needed > control.memory_bytes() {
        return Err(Error::Memory {
            what: format!("a density of {n} rows"),
            needed: for_people(needed),
            limit: for_people(control.memory_bytes()),
            remedy: "raise `memory`, or take a sample of the rows".into(),
        });
    }
    Ok(scaling)
}

/// The cross-validation results of the bandwidths.
struct Tuning {
    folds: usize,
    grid: Vec<DensityEntry>,
    chosen: usize,
}

/// Cross-validates every bandwidth. On a tie the first one, which is the widest, is chosen.
fn tune(density: &Density, rows: &Rows, protocol: &Protocol, control: &Control) -> Result<Tuning> {
    let d = rows.feature_weights.iter().filter(|w| **w != 0.0).count();
    let kernels = density_kernels(&density.kernel, d, 50)?;
    let scores = cross_validate(rows, &kernels, protocol, control)?;
    let folds = scores.len();
    let total: f64 = (0..rows.x.rows()).map(|i| rows.weight(i)).sum();
    let zero = Logged {
        value: 0.0,
        log: 0.0,
    };
    let sums: Vec<(Logged, f64, f64)> = (0..kernels.len())
        .map(|k| {
            scores
                .iter()
                .fold((zero, 0.0, 0.0), |(ise, log, kept), fold| {
                    let s = &fold[k];
                    let kept = kept + s.retained as f64;
                    (ise.plus(s.ise), log + s.log_density, kept)
                })
        })
        .collect();
    let better = |a: usize, b: usize| match density.criterion {
        Criterion::Ise => sums[a].0.compare(sums[b].0) == Ordering::Less,
        Criterion::Likelihood => sums[a].1 > sums[b].1,
    };
    let entry = |(kernel, (ise, log_density, kept)): (&Kernel, &(Logged, f64, f64))| {
        let ise = Logged {
            value: ise.value / total,
            ..*ise
        };
        DensityEntry {
            kernel: *kernel,
            ise: ise.get(),
            log_density: Some(log_density / total).filter(|v| v.is_finite()),
            retained: kept / folds as f64,
        }
    };
    Ok(Tuning {
        folds,
        grid: kernels.iter().zip(&sums).map(entry).collect(),
        chosen: (1..kernels.len()).fold(0, |best, k| if better(k, best) { k } else { best }),
    })
}

/// How a density was found.
fn record(
    density: &Density,
    protocol: &Protocol,
    n: usize,
    kernel: Kernel,
    tuning: Tuning,
    estimate: &Estimate,
) -> TrainingRecord {
    let (solution, log) = (&estimate.minimum.solution, estimate.minimum.log_scale);
    let in_units = |value: f64| Logged { value, log }.get();
    let params = match serde_json::to_value(density) {
        Ok(serde_json::Value::Object(map)) => map,
        _ => Params::new(),
    };
    TrainingRecord {
        version: env!("CARGO_PKG_VERSION").into(),
        method: "density".into(),
        options: Asked {
            protocol: protocol.clone(),
            params,
        },
        setting: Chosen::of(&OnlyKernel { kernel }),
        report: FitReport {
            objective: in_units(solution.objective),
            iterations: solution.iterations,
            converged: solution.converged,
            residual: Some(solution.gap),
            retained_rows: estimate.rows.clone(),
            ..FitReport::default()
        },
        n_rows: n,
        class_counts: vec![n],
        costs: vec![],
        train_error: 0.0,
        cv: None,
        assessment: None,
        auto: None,
        importances: vec![],
        added: vec![],
        density: Some(DensityRecord {
            criterion: density.criterion,
            folds: tuning.folds,
            grid: tuning.grid,
            chosen: tuning.chosen,
            loo_ise: in_units(2.0 * solution.objective),
            equal_loo_ise: estimate.equal.and_then(|value| in_units(2.0 * value)),
        }),
    }
}

/// Standardised rows with everything that a sample needs.
struct Rows {
    x: Matrix,
    weights: Option<Vec<f64>>,
    feature_weights: Vec<f64>,
    log_volume: f64,
}

impl Rows {
    fn new(data: &DensityData<'_>, scaling: &Scaling) -> Self {
        let all: Vec<usize> = (0..data.x.rows()).collect();
        let active = (0..scaling.scale.len()).filter(|&j| scaling.active[j]);
        Self {
            x: scaling.apply(data.x, &all),
            weights: data.weights.map(<[f64]>::to_vec),
            feature_weights: scaling.active.iter().map(|&a| f64::from(a)).collect(),
            log_volume: active.map(|j| scaling.scale[j].ln()).sum(),
        }
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    fn classes(&self) -> Classes {
        Classes::new(&vec![0; self.x.rows()], self.weights.as_deref(), 1)
    }

    fn sample<'a>(&'a self, classes: &'a Classes) -> Sample<'a> {
        Sample {
            x: &self.x,
            classes,
            feature_weights: &self.feature_weights,
            log_volume: self.log_volume,
        }
    }

    fn select(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.select_rows(rows),
            weights: self
                .weights
                .as_ref()
                .map(|w| rows.iter().map(|&i| w[i]).collect()),
            feature_weights: self.feature_weights.clone(),
            log_volume: self.log_volume,
        }
    }
}

/// Scores of every kernel in every fold. The scaling is that of all rows: a held-out row enters it
/// only through means and variances, and folds stay comparable.
fn cross_validate(
    whole: &Rows,
    kernels: &[Kernel],
    protocol: &Protocol,
    control: &Control,
) -> Result<Vec<Vec<FoldScore>>> {
    let n = whole.x.rows();
    let labels = Labels::from_codes(vec![0; n], vec!["density".into()])?;
    let folds = stratified_folds(&labels, protocol.folds.min(n), protocol.seed);
    let (done, total) = (AtomicUsize::new(0), folds.len() * kernels.len());
    control.report(0, total);
    let mut scores = Vec::with_capacity(folds.len());
    for fold in &folds {
        let (train, test) = (whole.select(&fold.train), whole.select(&fold.test));
        let classes = train.classes();
        let sample = train.sample(&classes);
        let base = sample.base(&kernels[0]);
        let score = |kernel: &Kernel| {
            control.checkpoint()?;
            let estimate = sample.estimate(kernel, base.as_ref(), FOLD, false)?;
            let logs = estimate.expansion.evaluate(&test.x);
            if estimate.minimum.check().is_err() {
                // Never the best.
                return Ok(FoldScore {
                    ise: Logged {
                        value: f64::INFINITY,
                        log: 0.0,
                    },
                    log_density: f64::NEG_INFINITY,
                    retained: 0,
                });
            }
            let top = logs
                .as_slice()
                .iter()
                .copied()
                .fold(f64::NEG_INFINITY, f64::max);
            let (mut sum, mut log_density, mut weight) = (0.0, 0.0, 0.0);
            for (i, l) in logs.as_slice().iter().enumerate() {
                sum += test.weight(i) * (l - top).exp();
                log_density += test.weight(i) * l;
                weight += test.weight(i);
            }
            let square = Logged {
                value: weight * estimate.minimum.square,
                log: estimate.minimum.log_scale,
            };
            let held_out = Logged {
                value: -2.0 * sum,
                log: top,
            };
            control.report(done.fetch_add(1, Memory::Relaxed) + 1, total);
            Ok(FoldScore {
                ise: square.plus(held_out),
                log_density,
                retained: estimate.rows.len(),
            })
        };
        scores.push(kernels.par_iter().map(score).collect::<Result<Vec<_>>>()?);
    }
    Ok(scores)
}
