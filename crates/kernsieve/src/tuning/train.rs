//! From a data set to a model, in seven steps: prepare, plan, tune, ask held-out rows, fit, assemble,
//! assess.

use super::assess::{assess, calibrated, threshold};
use super::calibration::{Calibration, calibrate};
use super::control::Control;
use super::cross_validation::{Validated, cross_validate};
use super::fold::{Prepared, prepare_all};
use super::leave_one_out::leave_one_out;
use super::limits::{check_final_fit, check_time};
use super::notices::{about_data, about_fit, about_quality};
use super::out_of_fold::OutOfFold;
use super::sample::{bandwidth_of_a_sample, held_out_once, tuning_sample};
use crate::data::{Dataset, Labels, Scaling, Schema};
use crate::error::{Error, Result, require};
use crate::method::{Chosen, Fit, Method, Problem, params_of};
use crate::metrics::weighted_error_rate;
use crate::model::{Asked, CvTable, Model, TrainingRecord};
use crate::notice::{Notice, Tuned};
use crate::params::{Protocol, ThresholdRule, Validation};
use std::time::Instant;

/// A model and how it was trained.
pub struct Trained {
    /// The model, which predicts and can be saved.
    pub model: Model,
    /// Things the user should know.
    pub notices: Vec<Notice>,
    /// Seconds of tuning.
    pub tune_seconds: f64,
    /// Seconds of the final fit.
    pub fit_seconds: f64,
    /// Scores of held-out rows at the chosen setting, for the folds that were fitted.
    pub out_of_fold: Option<OutOfFold>,
}

/// Training, for every [`Method`].
///
/// ```
/// use kernsieve::{Control, Kos, Protocol, Train, data::simulate};
///
/// let (data, new) = (simulate::rings(0), simulate::rings(1));
/// let trained = Kos::new().train(&data, &Protocol::default(), &Control::new())?;
/// assert_eq!(trained.model.predict_classes(new.x()).len(), new.n_samples());
/// # Ok::<(), kernsieve::Error>(())
/// ```
pub trait Train: Method {
    /// Tunes what is left open, fits, and estimates the error. All columns are taken as numbers.
    fn train(&self, data: &Dataset, protocol: &Protocol, control: &Control) -> Result<Trained> {
        let schema = Schema::numeric(data.feature_names());
        self.train_with(data, &schema, protocol, control)
    }

    /// The same for data whose columns are described.
    fn train_with(
        &self,
        data: &Dataset,
        schema: &Schema,
        protocol: &Protocol,
        control: &Control,
    ) -> Result<Trained> {
        train(self, data, schema, protocol, control)
    }
}

impl<M: Method> Train for M {}

/// Tunes and fits a method on a data set.
fn train<M: Method>(
    method: &M,
    data: &Dataset,
    schema: &Schema,
    protocol: &Protocol,
    control: &Control,
) -> Result<Trained> {
    let mut job = Job::prepare(method, data, protocol)?;
    let started = Instant::now();
    let plan = job.plan(control)?;
    let mut tuned = job.tune(&plan, control)?;
    let pass = job.ask_held_out(&plan, &mut tuned, control)?;
    let tune_seconds = started.elapsed().as_secs_f64();
    control.checkpoint()?;
    let started = Instant::now();
    let fit = job.method.fit(&job.all.problem, &tuned.setting)?;
    let fit_seconds = started.elapsed().as_secs_f64();
    let afresh = tuned.afresh;
    let (mut model, mut notices) = job.assemble(schema, tuned, fit, pass.as_ref())?;
    let judged = plan.data(data);
    if let Some(pass) = &pass {
        lean(&mut model, pass, judged, afresh);
    }
    notices.extend(judge(&mut model, pass.as_ref(), judged, data, protocol)?);
    Ok(Trained {
        model,
        notices,
        tune_seconds,
        fit_seconds,
        out_of_fold: pass.filter(|_| plan.sample.is_none()),
    })
}

/// The error of probabilities that lean on shares: they decide otherwise than the scores that the
/// table counts.
pub(super) fn lean(model: &mut Model, pass: &OutOfFold, judged: &Dataset, afresh: f64) {
    if model.shifts.is_empty() {
        return;
    }
    let found = calibrated(pass, model, judged);
    let Some((cv, (found, is_constant))) = model.record.cv.as_mut().zip(found) else {
        return;
    };
    cv.calibrated = Some(found);
    // These rows were judged by fits that learn everything afresh. Where all are called the same,
    // the choice of a setting had no say.
    cv.optimism = match is_constant {
        true => 0.0,
        false => (cv.optimism - afresh).max(0.0),
    };
}

/// Step 7: the threshold, what held-out rows say, and the training error.
pub(super) fn judge(
    model: &mut Model,
    pass: Option<&OutOfFold>,
    judged: &Dataset,
    data: &Dataset,
    protocol: &Protocol,
) -> Result<Vec<Notice>> {
    let (found, notice) = threshold(pass, model, judged, protocol)?;
    model.threshold = found;
    let mut notices = Vec::from_iter(notice);
    let labels = data.labels();
    let names = labels.classes().iter();
    let place: Vec<Option<usize>> = names
        .map(|c| model.classes.iter().position(|m| m == c))
        .collect();
    let truth = labels.codes().iter().map(|&c| place[c]);
    let truth: Vec<usize> = truth.map(|t| t.unwrap_or(usize::MAX)).collect();
    let predicted = model.predict(&data.all_features_by(&model.schema)).classes;
    model.record.train_error = weighted_error_rate(&predicted, &truth, data.weights());
    if let Some(pass) = pass {
        let shares = class_shares(data, &model.classes);
        let found = assess(pass, model, judged, protocol, &shares)?;
        notices.extend(found.iter().flat_map(|a| about_quality(a, model)));
        model.record.assessment = found;
    }
    Ok(notices)
}

/// Shares of these classes in the rows.
fn class_shares(data: &Dataset, classes: &[String]) -> Vec<f64> {
    let labels = data.labels();
    let mut sums = vec![0.0; labels.n_classes()];
    for (i, &c) in labels.codes().iter().enumerate() {
        sums[c] += data.weight(i);
    }
    let total: f64 = sums.iter().sum();
    let names = labels.classes();
    let share = |class: &String| {
        let at = names.iter().position(|c| c == class);
        at.map_or(0.0, |c| sums[c] / total)
    };
    classes.iter().map(share).collect()
}

/// Everything that the steps share.
pub(super) struct Job<'a, M> {
    pub(super) method: M,
    pub(super) data: &'a Dataset,
    pub(super) protocol: &'a Protocol,
    pub(super) all: Prepared,
    pub(super) notices: Vec<Notice>,
}

/// What is tuned, and on which rows.
pub(super) struct Plan<M> {
    /// The method, with its bandwidth fixed if a sample has found it.
    method: M,
    /// Rows to tune on and their problem, if they are not all.
    pub(super) sample: Option<(Dataset, Problem)>,
    /// The optimism of choosing a bandwidth on a sample.
    optimism: f64,
}

impl<M> Plan<M> {
    /// The rows to tune on.
    pub(super) fn data<'a>(&'a self, all: &'a Dataset) -> &'a Dataset {
        self.sample.as_ref().map_or(all, |(data, _)| data)
    }
}

/// The setting, the table that it was chosen from, and its log scores of held-out rows if they were
/// kept.
pub(super) struct Tuning<M: Method> {
    pub(super) setting: M::Setting,
    table: Option<CvTable<M::Setting>>,
    out_of_fold: Option<OutOfFold>,
    /// By how much the error grows when folds learn everything themselves.
    pub(super) afresh: f64,
}

impl<'a, M: Method> Job<'a, M> {
    /// Step 1: checks, scaling, the problem of all rows.
    pub(super) fn prepare(method: &M, data: &'a Dataset, protocol: &'a Protocol) -> Result<Self> {
        method.check()?;
        protocol.check()?;
        let all = prepare_all(data, protocol)?;
        let mut notices = about_data(data, &all.scaling, protocol);
        check_decision(protocol, data.labels(), &all.classes)?;
        let mut method = method.clone();
        notices.extend(method.adapt(all.problem.labels.n_classes()));
        if !all.scaling.active.contains(&true) {
            return Err(Error::Data(
                "every feature is constant: there is nothing to tell the classes apart by".into(),
            ));
        }
        if protocol.validation == Validation::LeaveOneOut {
            require(
                "validation",
                "loo",
                method.leaves_one_out(),
                "cv or split, unless the method is smkda without `candidates` and `posterior`, \
                 which has a formula for leave-one-out",
            )?;
            if protocol.score.is_some() {
                return Err(Error::Data(
                    "leaving out one row at a time chooses by squared residuals; a `score` is \
                     measured on folds (`validation=cv`)"
                        .into(),
                ));
            }
            if data.blocks().is_some() {
                return Err(Error::Data(
                    "leaving out one row at a time divides the blocks of rows; validate by folds \
                     (`validation=cv`)"
                        .into(),
                ));
            }
        }
        // Whether there are folds at all is known before the long part.
        if protocol.estimate || method.still_open().is_some() {
            data.folds(protocol.folds, protocol.seed)?;
        }
        Ok(Self {
            method,
            data,
            protocol,
            all,
            notices,
        })
    }

    /// Step 2: which rows to tune on, if there are many; whether everything fits into memory.
    pub(super) fn plan(&mut self, control: &Control) -> Result<Plan<M>> {
        let (n, n_classes) = (self.all.problem.n(), self.all.problem.labels.n_classes());
        if let Some(found) = held_out_once(&self.method, self.data, self.protocol)? {
            check_final_fit::<M>(self.method.final_footprint(n), n, n_classes, control)?;
            self.notices.push(Notice::HeldOutOnce {
                rows: found.held_out,
                fitted: found.data.n_samples() - found.held_out,
                of: n,
            });
            return Ok(Plan {
                method: self.method.clone(),
                sample: Some((found.data, found.problem)),
                optimism: 0.0,
            });
        }
        let sample = tuning_sample(&self.method, self.data, self.protocol)?;
        if let Some(sample) = &sample {
            self.notices.push(Notice::TunedOnSample {
                what: Tuned::Settings,
                rows: sample.n_samples(),
                of: n,
            });
        }
        check_final_fit::<M>(self.method.final_footprint(n), n, n_classes, control)?;
        let found = bandwidth_of_a_sample(&self.method, self.data, self.protocol, control)?;
        let mut method = self.method.clone();
        if let Some(found) = &found {
            self.notices.push(Notice::TunedOnSample {
                what: Tuned::Bandwidth,
                rows: found.rows,
                of: n,
            });
            method = method.at_bandwidth(found.bandwidth).unwrap_or(method);
        }
        let sample = match sample {
            None => None,
            Some(sample) => {
                let problem = prepare_all(&sample, self.protocol)?.problem;
                Some((sample, problem))
            }
        };
        Ok(Plan {
            method,
            sample,
            optimism: found.map_or(0.0, |f| f.optimism),
        })
    }

    /// Step 3: the setting. Cross-validation runs even if there is only one, for its estimate of
    /// the error, unless the protocol turns that off.
    pub(super) fn tune(&self, plan: &Plan<M>, control: &Control) -> Result<Tuning<M>> {
        let (method, protocol) = (&plan.method, self.protocol);
        let (data, problem) = match &plan.sample {
            Some((data, problem)) => (data, problem),
            None => (self.data, &self.all.problem),
        };
        let arms = method.grid(problem, protocol)?;
        check_time::<M>(problem, arms.iter().map(Vec::len).sum())?;
        if !protocol.estimate && arms.iter().flatten().count() == 1 {
            let only = arms.into_iter().flatten().next();
            let setting = only.ok_or_else(|| Error::Data("the grid is empty".into()))?;
            return Ok(Tuning {
                setting,
                table: None,
                out_of_fold: None,
                afresh: 0.0,
            });
        }
        let Validated {
            mut table,
            out_of_fold,
        } = match protocol.validation {
            Validation::Folds | Validation::Split => {
                cross_validate(method, data, problem, arms, protocol, control)?
            }
            Validation::LeaveOneOut => {
                let table = leave_one_out(method, problem, arms, protocol, control)?;
                // PRESS has chosen the setting. Its estimate of the error is too small, since every
                // row took part in the selection.
                let arm = vec![vec![table.best().setting.clone()]];
                let folds = cross_validate(method, data, problem, arm, protocol, control)?;
                Validated {
                    table: table.with_error_of(&folds.table),
                    ..folds
                }
            }
        };
        table.optimism += plan.optimism;
        if table.best().error.is_none() {
            return Err(Error::Data(format!(
                "no setting of {} could be fitted on these data; try a larger `ridge` or another \
                 kernel",
                M::ABOUT.name
            )));
        }
        Ok(Tuning {
            setting: table.best().setting.clone(),
            table: Some(table),
            out_of_fold,
            afresh: 0.0,
        })
    }

    /// Step 4: log scores of held-out rows with the chosen setting; `None` without
    /// cross-validation.
    pub(super) fn ask_held_out(
        &self,
        plan: &Plan<M>,
        tuned: &mut Tuning<M>,
        control: &Control,
    ) -> Result<Option<OutOfFold>> {
        let Some(table) = &mut tuned.table else {
            return Ok(None);
        };
        let (data, protocol) = (plan.data(self.data), self.protocol);
        let mut pass = tuned.out_of_fold.clone().unwrap_or_default();
        let split = protocol.validation == Validation::Split;
        if !split || tuned.out_of_fold.is_none() {
            let (method, setting) = (&plan.method, &tuned.setting);
            pass.complete(method, setting, data, protocol, control)?;
        }
        let (method, setting) = (&plan.method, &tuned.setting);
        let more = pass.learn_afresh(method, setting, data, protocol, control)?;
        tuned.afresh = more.max(0.0);
        table.optimism += tuned.afresh;
        Ok(Some(pass))
    }

    /// The temperature of the probabilities, and what is added to log scores.
    fn calibration(&self, pass: Option<&OutOfFold>, classes: &[String]) -> (f64, Vec<f64>) {
        let Some(pass) = pass.filter(|_| self.protocol.calibrate) else {
            return (1.0, vec![]);
        };
        let all = class_shares(self.data, self.data.labels().classes());
        let Calibration { temperature, blend } =
            calibrate(&pass.scored(), &all, M::ABOUT.calibrated);
        if blend == 0.0 {
            return (temperature, vec![]);
        }
        let shares = class_shares(self.data, classes);
        let logs = shares.iter().map(|s| blend * s.max(1e-300).ln());
        (temperature, logs.collect())
    }

    /// Step 6 (the fit itself is step 5): model, record, training error and notices.
    pub(super) fn assemble(
        mut self,
        schema: &Schema,
        tuned: Tuning<M>,
        mut fit: Fit,
        pass: Option<&OutOfFold>,
    ) -> Result<(Model, Vec<Notice>)> {
        let params = params_of(&self.method);
        self.notices
            .extend(about_fit(&mut fit, &tuned.setting, &params));
        let (data, kept) = (self.data, &self.all.classes);
        let report = fit.report;
        let setting = Chosen::of(&tuned.setting);
        let names = kept.iter().map(|&c| data.labels().classes()[c].clone());
        let classes: Vec<String> = names.collect();
        let (temperature, shifts) = self.calibration(pass, &classes);
        if !shifts.is_empty() {
            self.notices.push(Notice::SharesInBlend);
        }
        // A threshold of least cost takes the place of probabilities that are weighed by costs.
        let costs = costs(self.protocol, data.labels(), kept)?;
        let (costs, kept_costs) = match self.protocol.threshold {
            Some(ThresholdRule::Cost) => (vec![], costs),
            _ => (costs, vec![]),
        };
        let model = Model {
            classes,
            schema: learnt(self.all.schema, schema),
            scaling: Scaling {
                scores: fit.scores.or(self.all.scaling.scores),
                ..self.all.scaling
            },
            discriminant: fit.discriminant,
            expansion: fit.expansion,
            decision: fit.decision,
            temperature,
            shifts,
            costs,
            threshold: None,
            factor: fit.factor,
            record: TrainingRecord {
                version: env!("CARGO_PKG_VERSION").into(),
                method: M::ABOUT.name.into(),
                options: Asked {
                    protocol: self.protocol.clone(),
                    params,
                },
                setting,
                report: report.finite(),
                n_rows: data.n_samples(),
                class_counts: self.all.problem.labels.counts(),
                costs: kept_costs,
                train_error: 0.0,
                cv: tuned.table.map(CvTable::erased),
                assessment: None,
                auto: None,
                importances: vec![],
                added: vec![],
                density: None,
            },
        };
        model.check().map_err(|e| match e {
            Error::ModelFile(what) => Error::Data(format!(
                "the fitted model cannot be used ({what}): numbers overflow; leave the \
                 standardisation on, or rescale the features"
            )),
            other => other,
        })?;
        Ok((model, self.notices))
    }
}

/// The schema of a model: the one that the training rows taught, read as the given one is.
pub(super) fn learnt(own: Option<Schema>, given: &Schema) -> Schema {
    match own {
        None => given.clone(),
        Some(own) => Schema {
            target: given.target.clone(),
            reading: given.reading.clone(),
            ..own
        },
    }
}

/// Whether costs, threshold and positive class fit the classes that are kept.
fn check_decision(protocol: &Protocol, labels: &Labels, kept: &[usize]) -> Result<()> {
    costs(protocol, labels, kept)?;
    let names: Vec<String> = kept.iter().map(|&c| labels.classes()[c].clone()).collect();
    protocol.positive_of(&names)?;
    let n = names.len();
    if n != 2 && protocol.threshold.is_some() {
        return Err(Error::Data(format!(
            "a `threshold` divides two classes, and there are {n}; `costs` weigh the errors of many"
        )));
    }
    if n != 2 && protocol.positive.is_some() {
        return Err(Error::Data(format!(
            "`positive` names one of two classes, and there are {n}; leave it out"
        )));
    }
    Ok(())
}

/// Costs of the classes that are kept.
fn costs(protocol: &Protocol, labels: &Labels, kept: &[usize]) -> Result<Vec<f64>> {
    let (given, all) = (&protocol.costs, labels.n_classes());
    if given.is_empty() || given.len() == all {
        return Ok(kept.iter().filter_map(|&c| given.get(c).copied()).collect());
    }
    Err(Error::Data(format!(
        "{} {} for {all} classes; give one per class, in the order {}",
        given.len(),
        if given.len() == 1 { "cost" } else { "costs" },
        labels.classes().join(", ")
    )))
}
