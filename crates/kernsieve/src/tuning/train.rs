//! From a data set to a model.

use super::calibration::calibrate;
use super::control::Control;
use super::cross_validation::cross_validate;
use super::leave_one_out::leave_one_out;
use super::memory::{for_people, remedy, rows_that_fit};
use super::sample::{bandwidth_of_a_sample, tuned_on_words, tuning_sample};
use crate::classes::Classes;
use crate::data::{Dataset, Labels, Scaling, Schema};
use crate::decision::argmax;
use crate::error::{Error, Result};
use crate::method::{Candidate, Method, MethodKind, Options, Problem, Validation};
use crate::metrics::weighted_error_rate;
use crate::model::{CvTable, Model, TrainingRecord};
use std::collections::HashSet;
use std::time::Instant;

/// A model and how it came about.
pub struct Trained {
    /// What predicts and is saved.
    pub model: Model,
    /// Things the user should know.
    pub notices: Vec<String>,
    /// Seconds of tuning.
    pub tune_seconds: f64,
    /// Seconds of the final fit.
    pub fit_seconds: f64,
}

/// Scaling learned from `rows`, the problem they make, and the class code of each class that occurs
/// in them.
pub fn prepare(
    data: &Dataset,
    rows: &[usize],
    options: &Options,
) -> Result<(Scaling, Problem, Vec<usize>)> {
    let scaling = Scaling::fit(data.x(), rows, data.weights(), options.standardize);
    let x = scaling.apply(data.x(), rows);
    let all = data.labels().n_classes();
    let (labels, kept) = data.labels().select(rows).compact();
    let weights: Option<Vec<f64>> = data.weights().map(|w| rows.iter().map(|&i| w[i]).collect());
    let classes = Classes::new(labels.codes(), weights.as_deref(), labels.n_classes());
    let priors = options
        .priors
        .resolve_subset(&labels, &classes, &kept, all)?;
    let feature_weights = scaling.active.iter().map(|&a| f64::from(a)).collect();
    Ok((
        scaling,
        Problem {
            x,
            labels,
            weights,
            priors,
            feature_weights,
        },
        kept,
    ))
}

/// Tunes and fits a method on a data set. Cross-validation runs even when there is one candidate
/// only, for its error estimate; `estimate = false` leaves it out in that case.
pub fn train(
    kind: MethodKind,
    options: &Options,
    data: &Dataset,
    schema: &Schema,
    estimate: bool,
    control: &Control,
) -> Result<Trained> {
    let mut method = kind.build(options)?;
    let rows: Vec<usize> = (0..data.n_samples()).collect();
    let (scaling, problem, kept) = prepare(data, &rows, options)?;
    let mut notices = notices(data, &scaling);
    let mut ignored = options.ignored(kind);
    if options.class_ratio.is_some()
        && problem.labels.n_classes() > 2
        && !ignored.contains(&"--class-ratio")
    {
        ignored.push("--class-ratio");
    }
    if !ignored.is_empty() {
        notices.push(format!(
            "not used by {} with these options: {}",
            kind.name(),
            ignored.join(", ")
        ));
    }
    if !scaling.active.contains(&true) {
        return Err(Error::Data(
            "every feature is constant: there is nothing to tell the classes apart by".into(),
        ));
    }
    if options.validation == Validation::LeaveOneOut && data.blocks().is_some() {
        return Err(Error::Data(
            "leaving out one row at a time divides the classes of rows; validate by folds (--validation cv)".into(),
        ));
    }
    // Many rows and few candidates: settings are tuned on a sample of the rows, by the whole
    // method.
    let sample = tuning_sample(kind, options, data)?;
    let tuned_on = sample.as_ref().unwrap_or(data);
    if let Some(sample) = &sample {
        notices.push(tuned_on_words(
            "settings are",
            sample.n_samples(),
            data.n_samples(),
        ));
    }
    // With landmarks or candidates the final fit forms no matrix of all rows.
    if sample.is_none() || matches!(kind, MethodKind::Fivm | MethodKind::L2qp) {
        check_final_fit(
            method.as_ref(),
            problem.n(),
            problem.labels.n_classes(),
            control,
        )?;
    }
    check_landmarks(kind, options, problem.n(), control)?;
    let started = Instant::now();
    let from_sample = bandwidth_of_a_sample(kind, options, data, control)?;
    if let Some(found) = &from_sample {
        notices.push(tuned_on_words(
            "the bandwidth is",
            found.rows,
            data.n_samples(),
        ));
        method = kind.build(&Options {
            bandwidths: vec![found.bandwidth],
            ..options.clone()
        })?;
    }
    let tuning_problem = match &sample {
        None => None,
        Some(sample) => Some(
            prepare(
                sample,
                &(0..sample.n_samples()).collect::<Vec<_>>(),
                options,
            )?
            .1,
        ),
    };
    let arms = method.arms(tuning_problem.as_ref().unwrap_or(&problem))?;
    let only = arms
        .iter()
        .flatten()
        .next()
        .filter(|_| arms.iter().flatten().count() == 1)
        .cloned();
    let (candidate, cv): (Candidate, Option<CvTable>) = match only {
        Some(candidate) if !estimate => (candidate, None),
        _ => {
            let mut table = match options.validation {
                Validation::Folds | Validation::Split => {
                    let whole = tuning_problem.as_ref().unwrap_or(&problem);
                    cross_validate(method.as_ref(), tuned_on, whole, arms, options, control)?
                }
                Validation::LeaveOneOut => {
                    let table = leave_one_out(method.as_ref(), &problem, arms, options, control)?;
                    // PRESS has chosen; what it says of the error is too good, since every row had
                    // a part in the selection.
                    let arm = vec![vec![table.best().candidate.clone()]];
                    let folds =
                        cross_validate(method.as_ref(), data, &problem, arm, options, control)?;
                    table.with_error_of(&folds)
                }
            };
            table.optimism += from_sample.map_or(0.0, |found| found.optimism);
            let best = table.best();
            if best.error.is_none() {
                return Err(Error::Data(format!(
                    "no setting of {} could be fitted on these data; try --ridge with a larger value or another kernel",
                    method.name()
                )));
            }
            (best.candidate.clone(), Some(table))
        }
    };
    // A kernel that nearly interpolates leaves its discriminant far too sure of itself on new rows.
    // Linear discriminant analysis and densities keep the probabilities of their own model.
    let temperature = match &cv {
        Some(_) if options.calibrate && kind.calibrates() => {
            calibrate(method.as_ref(), tuned_on, &candidate, options, control)?
        }
        _ => 1.0,
    };
    let tune_seconds = started.elapsed().as_secs_f64();
    control.checkpoint()?;
    let started = Instant::now();
    let fit = method.fit(&problem, &candidate)?;
    let fit_seconds = started.elapsed().as_secs_f64();
    let mut record = TrainingRecord {
        version: env!("CARGO_PKG_VERSION").into(),
        method: method.name().into(),
        options: options.clone(),
        candidate,
        report: fit.report,
        n_rows: data.n_samples(),
        class_counts: problem.labels.counts(),
        train_error: f64::NAN,
        cv,
        auto: None,
        density: None,
    };
    record.report.ridge = record.report.ridge.or(record.candidate.ridge);
    // A closed form has always "converged"; whether rounding left anything of it is another matter.
    if record.candidate.reader().sparsity.is_some() && record.report.trace.is_empty() {
        if !record.report.converged {
            notices.push(
                "the regressions behind the posteriors have not quite converged; a larger --sparsity would do".into(),
            );
        }
    } else if record.report.trace.is_empty()
        && let Some(residual) = record.report.residual.filter(|r| r.is_nan() || *r > 1e-6)
    {
        record.report.converged = false;
        notices.push(format!(
            "the solution misses its own equations by {residual:.1e}: the kernel matrix is too ill-conditioned; {} would do",
            if record.report.ridge.is_some() {
                "a larger --ridge"
            } else {
                "a smaller --bandwidth"
            }
        ));
    }
    if let (false, Some(residual)) = (
        record.report.converged || record.report.trace.is_empty(),
        record.report.residual,
    ) {
        notices.push(format!(
            "the weights of the features are not quite stationary: one of them would still move by about {residual:.0e}"
        ));
    }
    if let Some(asked) = record
        .candidate
        .size
        .filter(|&s| s > record.report.retained_rows.len())
    {
        notices.push(format!(
            "{} of the {asked} samples asked for are retained: the others add nothing that these do not say already",
            record.report.retained_rows.len()
        ));
    }
    if let Some((start, starts)) = record.report.start {
        notices.push(match start {
            0 => format!("of {starts} starts the end of the path gave the least objective"),
            1 => format!("of {starts} starts the one from weights of 1 gave the least objective"),
            k => format!(
                "of {starts} starts random start {} gave the least objective",
                k - 1
            ),
        });
    }
    let mut model = Model {
        classes: kept
            .iter()
            .map(|&c| data.labels().classes()[c].clone())
            .collect(),
        schema: schema.clone(),
        scaling,
        discriminant: fit.discriminant,
        expansion: fit.expansion,
        decision: fit.decision,
        temperature,
        costs: costs(options, &data.labels().select(&rows), &kept)?,
        record,
    };
    if model.reader().feature_weights.iter().all(|w| *w == 0.0) {
        notices.push(if options.sparsity.is_some() {
            "no feature is kept: with this penalty nothing beats the class priors; a smaller --sparsity keeps some"
                .into()
        } else {
            "no feature is kept: nothing that was tried beats the class priors in cross-validation".into()
        });
    }
    if !model.reader().kernel.family().is_definite() {
        notices.push(
            "this kernel is not positive definite: the negative part of its matrix is left out"
                .into(),
        );
    }
    model.check().map_err(|e| match e {
        Error::ModelFile(what) => Error::Data(format!(
            "what was fitted cannot be used ({what}): numbers overflow; leave the standardisation on, or rescale the features"
        )),
        other => other,
    })?;
    let predicted: Vec<usize> = model
        .predict(data.x())
        .posterior
        .iter_rows()
        .map(|r| kept[argmax(r)])
        .collect();
    model.record.train_error =
        weighted_error_rate(&predicted, data.labels().codes(), data.weights());
    Ok(Trained {
        model,
        notices,
        tune_seconds,
        fit_seconds,
    })
}

/// What there is to say of features that are constant.
pub(super) fn constant_features(names: &[String], scaling: &Scaling) -> Option<String> {
    let constant = names
        .iter()
        .zip(&scaling.active)
        .filter(|(_, active)| !**active);
    let constant: Vec<&str> = constant.map(|(name, _)| name.as_str()).collect();
    (!constant.is_empty()).then(|| {
        format!(
            "{} constant and left out: {}",
            count(constant.len(), "feature is", "features are"),
            list(&constant)
        )
    })
}

/// Costs of the classes that are kept.
fn costs(options: &Options, labels: &Labels, kept: &[usize]) -> Result<Vec<f64>> {
    let all = labels.n_classes();
    if options.costs.is_empty() || options.costs.len() == all {
        return Ok(kept
            .iter()
            .filter_map(|&c| options.costs.get(c).copied())
            .collect());
    }
    Err(Error::Data(format!(
        "{} for {all} classes; give one per class, in the order {}",
        count(options.costs.len(), "cost", "costs"),
        labels.classes().join(", ")
    )))
}

fn notices(data: &Dataset, scaling: &Scaling) -> Vec<String> {
    let mut notices: Vec<String> = constant_features(data.feature_names(), scaling)
        .into_iter()
        .collect();
    if let Some(weights) = data.weights() {
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        if mean < 0.5 {
            notices.push(format!(
                "the weights have mean {mean:.2e}: a weight of 1 counts as one row, so this is as few rows as they add up to; multiply them if they are shares"
            ));
        }
    }
    let counts = data.labels().counts();
    let single: Vec<&str> = (0..counts.len())
        .filter(|&c| counts[c] == 1)
        .map(|c| data.labels().classes()[c].as_str())
        .collect();
    if !single.is_empty() {
        notices.push(format!(
            "{} one row only, which cross-validation cannot both train on and test: {}",
            count(single.len(), "class has", "classes have"),
            list(&single)
        ));
    }
    let alone: Vec<&str> = match data.blocks() {
        None => vec![],
        Some(classes) => {
            let mut of_class = vec![HashSet::new(); counts.len()];
            for (&class, group) in data.labels().codes().iter().zip(classes) {
                of_class[class].insert(group);
            }
            let alone = (0..counts.len()).filter(|&c| counts[c] > 1 && of_class[c].len() == 1);
            alone.map(|c| data.labels().classes()[c].as_str()).collect()
        }
    };
    if !alone.is_empty() {
        notices.push(format!(
            "{} all rows in one block, which cross-validation cannot both train on and test: {}",
            count(alone.len(), "class has", "classes have"),
            list(&alone)
        ));
    }
    notices
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The first few of a list.
fn list(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(", ... ({} more)", names.len() - SHOWN));
    }
    text
}

/// Kernel values of all rows with the landmarks of sparse KOS, and what becomes of them: five
/// matrices of `n x m`. (The candidates of sMKDA stream through in blocks.)
fn check_landmarks(kind: MethodKind, options: &Options, n: usize, control: &Control) -> Result<()> {
    let Some(m) = options.candidates.filter(|_| kind == MethodKind::SparseKos) else {
        return Ok(());
    };
    let needed = 8 * 5 * n as u64 * m.min(n) as u64;
    let limit = control.memory_bytes();
    if needed <= limit {
        return Ok(());
    }
    Err(Error::Memory {
        what: format!("sparse-kos on {n} rows with {m} landmarks"),
        needed: for_people(needed),
        limit: for_people(limit),
        remedy: format!(
            "--candidates {} would fit, or raise --memory",
            (limit / (40 * n as u64)).max(2)
        ),
    })
}

fn check_final_fit(
    method: &dyn Method,
    n: usize,
    n_classes: usize,
    control: &Control,
) -> Result<()> {
    let footprint = method.footprint(n);
    let (n, matrices) = (
        n as u64,
        u64::from(footprint.train_base) + footprint.copies as u64,
    );
    if matrices == 0 && footprint.cache == 0 {
        return Ok(());
    }
    let needed = 8 * matrices * n * n + footprint.cache + 64 * n_classes as u64 * n;
    let limit = control.memory_bytes();
    if needed <= limit {
        return Ok(());
    }
    let fits = rows_that_fit(limit, 8.0 * matrices as f64, 64.0 * n_classes as f64);
    Err(Error::Memory {
        what: format!("{} on {n} rows", method.name()),
        needed: for_people(needed),
        limit: for_people(limit),
        remedy: remedy(method.name(), fits, footprint.cache),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Labels, simulate};
    use crate::linalg::Matrix;
    use crate::method::PosteriorKind;
    use crate::metrics::error_rate;

    fn schema(data: &Dataset) -> Schema {
        Schema::numeric(data.feature_names())
    }

    #[test]
    fn every_method_learns_the_rings_or_says_why_not() {
        let (data, test) = (simulate::rings(1), simulate::rings(2));
        for kind in MethodKind::ALL {
            let t = train(
                kind,
                &Options::default(),
                &data,
                &schema(&data),
                true,
                &Control::new(),
            )
            .expect("trains");
            let p = t.model.predict(test.x());
            let predicted: Vec<usize> = p.posterior.iter_rows().map(argmax).collect();
            let error = error_rate(&predicted, test.labels().codes());
            // A ring around a disc: a linear rule cannot, kernels must (paper: KOS about 5 %).
            let linear = matches!(kind, MethodKind::Lda | MethodKind::L1Dkf);
            let bound = if linear { 0.3 } else { 0.12 };
            assert!(error < bound, "{kind:?}: {error}");
            assert!(t.model.record.cv.is_some());
        }
        // Nonlinear posteriors make it nonlinear.
        for posterior in [PosteriorKind::Klr, PosteriorKind::Parzen] {
            let options = Options {
                posterior: Some(posterior),
                ..Options::default()
            };
            let t = train(
                MethodKind::L1Dkf,
                &options,
                &data,
                &schema(&data),
                true,
                &Control::new(),
            )
            .expect("trains");
            let predicted = t.model.predict(test.x()).posterior;
            let predicted: Vec<usize> = predicted.iter_rows().map(argmax).collect();
            let error = error_rate(&predicted, test.labels().codes());
            assert!(error < 0.12, "{posterior:?}: {error}");
        }
    }

    #[test]
    fn hard_data_sets_train_or_fail_with_words() {
        let labels = |n: usize, c: usize| {
            Labels::from_codes(
                (0..n).map(|i| i % c).collect(),
                (0..c).map(|k| format!("c{k}")).collect(),
            )
            .expect("fit")
        };
        let names = |p: usize| (0..p).map(|j| format!("f{j}")).collect::<Vec<_>>();
        let value = |i: usize, j: usize| ((i * 37 + j * 101 + i * j * 7) % 29) as f64 / 7.0;
        let cases: Vec<(&str, Matrix, Labels)> = vec![
            ("one feature", Matrix::from_fn(30, 1, value), labels(30, 2)),
            (
                "more features than rows",
                Matrix::from_fn(8, 40, value),
                labels(8, 2),
            ),
            (
                "duplicated rows",
                Matrix::from_fn(30, 2, |i, j| value(i % 3, j)),
                labels(30, 2),
            ),
            (
                "tiny scale",
                Matrix::from_fn(30, 2, |i, j| 1e-300 * value(i, j)),
                labels(30, 3),
            ),
            (
                "huge scale",
                Matrix::from_fn(30, 2, |i, j| 1e300 * value(i, j)),
                labels(30, 3),
            ),
            (
                "constant column",
                Matrix::from_fn(30, 3, |i, j| if j == 1 { 4.0 } else { value(i, j) }),
                labels(30, 2),
            ),
            (
                "every row its own class but one",
                Matrix::from_fn(9, 2, value),
                labels(9, 8),
            ),
            ("two rows", Matrix::from_fn(2, 2, value), labels(2, 2)),
        ];
        for (what, x, l) in cases {
            let p = x.cols();
            let data = Dataset::new(x, l, names(p)).expect("valid");
            for kind in MethodKind::ALL {
                match train(
                    kind,
                    &Options::default(),
                    &data,
                    &schema(&data),
                    true,
                    &Control::new(),
                ) {
                    Ok(t) => {
                        let p = t.model.predict(data.x()).posterior;
                        assert!(
                            p.as_slice().iter().all(|v| v.is_finite()),
                            "{what} {kind:?}"
                        );
                    }
                    Err(e) => assert!(!e.to_string().is_empty(), "{what} {kind:?}"),
                }
            }
        }
        let constant = Dataset::new(Matrix::zeros(6, 2), labels(6, 2), names(2)).expect("valid");
        for kind in MethodKind::ALL {
            let result = train(
                kind,
                &Options::default(),
                &constant,
                &schema(&constant),
                true,
                &Control::new(),
            );
            assert!(result.is_err_and(|e| e.to_string().contains("constant")));
        }
    }

    #[test]
    fn a_thousand_classes() {
        let n = 3000;
        let x = Matrix::from_fn(n, 3, |i, j| {
            (i % 1000) as f64 * (j + 1) as f64 + ((i * 13 + j * 7) % 10) as f64 / 50.0
        });
        let labels = Labels::from_codes(
            (0..n).map(|i| i % 1000).collect(),
            (0..1000).map(|k| k.to_string()).collect(),
        );
        let data = Dataset::new(
            x,
            labels.expect("fit"),
            vec!["a".into(), "b".into(), "c".into()],
        )
        .expect("valid");
        for kind in [MethodKind::Lda, MethodKind::Parzen] {
            let options = Options {
                bandwidths: vec![0.01],
                ..Options::default()
            };
            let t = train(
                kind,
                &options,
                &data,
                &schema(&data),
                false,
                &Control::new(),
            )
            .expect("trains");
            assert!(
                t.model.record.train_error < 0.2,
                "{kind:?} {}",
                t.model.record.train_error
            );
        }
    }
}
