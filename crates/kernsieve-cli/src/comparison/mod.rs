//! Methods side by side on repeated stratified splits, each tuned on the training part only.

pub mod journal;
pub mod schedule;

use crate::args::MethodChoice;
use crate::failure::Failure;
use crate::view::summary::Summary;
use journal::Outcome;
use kernsieve::catalogue::{self, Among};
use kernsieve::data::{Dataset, Schema};
use kernsieve::metrics::weighted_error_rate;
use kernsieve::model_file;
use kernsieve::params::{Params, Protocol};
use kernsieve::tuning::Control;
use std::time::Instant;

/// What a comparison runs on.
pub struct Comparison<'a> {
    /// The whole data set.
    pub data: &'a Dataset,
    /// Its columns.
    pub schema: &'a Schema,
    /// Parameters of all methods.
    pub given: &'a Params,
    /// How they are trained.
    pub protocol: &'a Protocol,
    /// Fraction held out.
    pub test_fraction: f64,
    /// Memory limit.
    pub memory: Option<u64>,
}

impl Comparison<'_> {
    /// Held-out rows over training rows of the first split; the others have the same ratio, or
    /// about the same with blocks of rows.
    pub fn test_to_train(&self) -> Result<f64, Failure> {
        let parts = self.data.held_out(self.test_fraction, self.protocol.seed)?;
        Ok(parts.test.len() as f64 / parts.train.len().max(1) as f64)
    }

    /// One method on one split. The split's own seed also seeds the folds inside it.
    pub fn run(
        &self,
        method: MethodChoice,
        split: u32,
        control: Control,
    ) -> Result<Outcome, Failure> {
        let seed = self.protocol.seed.wrapping_add(u64::from(split));
        let parts = self.data.held_out(self.test_fraction, seed)?;
        let training = self.data.select(&parts.train)?;
        // As `fit` does: calibration has a say in the classes where there are costs or a threshold,
        // or where the scores know little.
        let protocol = self.protocol.clone().seed(seed);
        // A single block cannot be divided again; a method without settings to choose needs no folds.
        let has_folds = training.folds(protocol.folds, seed).is_ok();
        let protocol = protocol.estimate(has_folds);
        let control = match self.memory {
            Some(bytes) => control.memory_limit(bytes),
            None => control,
        };
        let started = Instant::now();
        let trained = match method {
            MethodChoice::One(name) => {
                let made = catalogue::find(name)?.make(self.given)?;
                made.train(&training, self.schema, &protocol, &control)
            }
            MethodChoice::Auto => {
                let (given, schema) = (self.given, self.schema);
                let among = Among::First;
                catalogue::train_auto(given, &among, &training, schema, &protocol, None, &control)
            }
        }?;
        let fit_seconds = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let rows = self.data.features_by(&trained.model.schema, &parts.test);
        let prediction = trained.model.predict(&rows);
        let predict_seconds = started.elapsed().as_secs_f64();
        let classes = self.data.labels().classes();
        // The model's classes are those of the training part.
        let code: Vec<usize> = trained
            .model
            .classes
            .iter()
            .map(|c| classes.iter().position(|k| k == c).unwrap_or(usize::MAX))
            .collect();
        let predicted: Vec<usize> = prediction.classes.iter().map(|&c| code[c]).collect();
        let truth: Vec<usize> = parts
            .test
            .iter()
            .map(|&i| self.data.labels().codes()[i])
            .collect();
        // An error counts with the weight of its row and its cost.
        let cost = |code: usize| self.protocol.costs.get(code).copied().unwrap_or(1.0);
        let weigh = |(&i, &code): (&usize, &usize)| self.data.weight(i) * cost(code);
        let weights: Vec<f64> = parts.test.iter().zip(&truth).map(weigh).collect();
        let summary = Summary::new(&trained.model);
        Ok(Outcome {
            split,
            method: method.name().into(),
            error: weighted_error_rate(&predicted, &truth, Some(&weights)),
            retained_percent: 100.0 * summary.retained.rows.len() as f64
                / training.n_samples() as f64,
            features: summary.features.used().len(),
            seconds: fit_seconds,
            predict_seconds,
            bandwidth: summary.kernel.bandwidth,
            ridge: summary.ridge,
            sparsity: summary.penalty,
            model_bytes: Some(model_file::to_bytes(&trained.model)?.len() as u64),
            chosen: (method == MethodChoice::Auto).then(|| summary.method.name.into()),
        })
    }
}
