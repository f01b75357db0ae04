//! `kernsieve compare`: methods side by side on repeated stratified splits, each tuned on the training part only.

use super::data_words;
use super::journal::{Journal, Outcome, fingerprint};
use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output::{Terminal, percent, seconds, short, table};
use kernsieve::data::{Dataset, Schema, stratified_split};
use kernsieve::decision::argmax;
use kernsieve::method::{MethodKind, Options};
use kernsieve::metrics::{mean_and_standard_error, weighted_error_rate};
use kernsieve::tuning::{Control, train};
use kernsieve_io::{Source, read_training};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Instant;

/// What a comparison runs on.
pub struct Comparison<'a> {
    /// The whole data set.
    pub data: &'a Dataset,
    /// Its columns.
    pub schema: &'a Schema,
    /// Options of all methods.
    pub options: &'a Options,
    /// Fraction held out.
    pub test_fraction: f64,
    /// Memory limit.
    pub memory: Option<u64>,
}

impl Comparison<'_> {
    /// One method on one split. The split's own seed also seeds the folds inside it.
    pub fn run(&self, method: MethodKind, split: u32) -> Result<Outcome, Failure> {
        let seed = self.options.seed.wrapping_add(u64::from(split));
        let parts = stratified_split(self.data.labels(), self.test_fraction, seed);
        let training = self.data.select(&parts.train)?;
        // Only predicted classes count here, and calibration changes none.
        let options = Options {
            seed,
            calibrate: false,
            ..self.options.clone()
        };
        let control = self
            .memory
            .map_or_else(Control::new, |m| Control::new().memory_limit(m));
        let started = Instant::now();
        let trained = train(method, &options, &training, self.schema, false, &control)?;
        let fit_seconds = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let posterior = trained.model.predict(&self.data.x().select_rows(&parts.test)).posterior;
        let predict_seconds = started.elapsed().as_secs_f64();
        let classes = self.data.labels().classes();
        // The model's classes are those of the training part.
        let code: Vec<usize> = trained
            .model
            .classes
            .iter()
            .map(|c| classes.iter().position(|k| k == c).unwrap_or(usize::MAX))
            .collect();
        let predicted: Vec<usize> = posterior.iter_rows().map(|r| code[argmax(r)]).collect();
        let truth: Vec<usize> = parts.test.iter().map(|&i| self.data.labels().codes()[i]).collect();
        // An error counts by the weight of its row, and by what it costs.
        let cost = |code: usize| options.costs.get(code).copied().unwrap_or(1.0);
        let weigh = |(&i, &code): (&usize, &usize)| self.data.weight(i) * cost(code);
        let weights: Vec<f64> = parts.test.iter().zip(&truth).map(weigh).collect();
        let model = &trained.model;
        Ok(Outcome {
            split,
            method: method.name().into(),
            error: weighted_error_rate(&predicted, &truth, Some(&weights)),
            retained_percent: 100.0 * model.record.report.retained_rows.len() as f64 / training.n_samples() as f64,
            features: model.feature_weights().iter().filter(|w| **w != 0.0).count(),
            seconds: fit_seconds,
            predict_seconds,
            bandwidth: model.reader().kernel.bandwidth(),
            ridge: model.record.report.ridge,
            sparsity: model.record.candidate.reader().sparsity,
        })
    }
}

/// A method's results over the splits.
pub struct Summary {
    method: String,
    splits: usize,
    error: (f64, f64),
    retained_percent: f64,
    features: f64,
    seconds: f64,
    predict_seconds: f64,
    bandwidth: Option<f64>,
    ridge: Option<f64>,
    sparsity: Option<f64>,
}

impl Summary {
    /// The method.
    pub fn name(&self) -> &str {
        &self.method
    }

    /// Mean error over the splits.
    pub fn error_mean(&self) -> f64 {
        self.error.0
    }
}

/// Means over splits, best method first.
pub fn summarize(outcomes: &[Outcome]) -> Vec<Summary> {
    let mut names: Vec<&str> = outcomes.iter().map(|o| o.method.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut summaries: Vec<Summary> = names
        .into_iter()
        .map(|name| {
            let own: Vec<&Outcome> = outcomes.iter().filter(|o| o.method == name).collect();
            let values = |f: fn(&Outcome) -> f64| own.iter().map(|o| f(o)).collect::<Vec<_>>();
            let mean = |f: fn(&Outcome) -> f64| mean_and_standard_error(&values(f)).0;
            Summary {
                method: name.into(),
                splits: own.len(),
                error: mean_and_standard_error(&values(|o| o.error)),
                retained_percent: mean(|o| o.retained_percent),
                features: mean(|o| o.features as f64),
                seconds: mean(|o| o.seconds),
                predict_seconds: mean(|o| o.predict_seconds),
                bandwidth: median(own.iter().filter_map(|o| o.bandwidth).collect()),
                ridge: median(own.iter().filter_map(|o| o.ridge).collect()),
                sparsity: median(own.iter().filter_map(|o| o.sparsity).collect()),
            }
        })
        .collect();
    summaries.sort_by(|a, b| a.error.0.total_cmp(&b.error.0).then_with(|| a.method.cmp(&b.method)));
    summaries
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// The table of a comparison.
pub fn print_summaries(summaries: &[Summary], out: &mut dyn Write) -> Result<(), Failure> {
    let rows: Vec<Vec<String>> = summaries
        .iter()
        .map(|s| {
            vec![
                s.method.clone(),
                percent(s.error.0),
                percent(s.error.1),
                format!("{:.0} %", s.retained_percent),
                short((s.features * 10.0).round() / 10.0),
                s.bandwidth.map(short).unwrap_or_default(),
                s.ridge.map(short).unwrap_or_default(),
                seconds(s.seconds),
            ]
        })
        .collect();
    let header = [
        "method",
        "error",
        "s.e.",
        "rows kept",
        "features",
        "width",
        "ridge",
        "tune+fit",
    ];
    table(&header, &rows, out)?;
    Ok(())
}

fn to_json(s: &Summary) -> Value {
    json!({
        "method": s.method,
        "splits": s.splits,
        "error_mean": s.error.0,
        "error_se": s.error.1,
        "retained_percent_mean": s.retained_percent,
        "features_mean": s.features,
        "seconds_mean": s.seconds,
        "predict_seconds_mean": s.predict_seconds,
        "params": { "bandwidth_median": s.bandwidth, "ridge_median": s.ridge, "sparsity_median": s.sparsity },
    })
}

/// The methods asked for; of `all`, those that the options suit, with a notice about the others.
fn methods(names: &[String], options: &Options, terminal: &Terminal<'_>) -> Result<Vec<MethodKind>, Failure> {
    let check = |kind: MethodKind| options.check(kind).map_err(|e| Failure::Usage(e.to_string()));
    if names.iter().any(|n| n == "all") {
        let mut kinds = MethodKind::ALL.to_vec();
        let mut refused = Vec::new();
        kinds.retain(|&k| check(k).map_err(|e| refused.push((k.name(), e))).is_ok());
        let names: Vec<&str> = refused.iter().map(|(name, _)| *name).collect();
        return match refused.pop() {
            Some((_, refusal)) if kinds.is_empty() => Err(refusal),
            Some((_, refusal)) => {
                terminal.notices(&[format!("left out: {} ({refusal})", names.join(", "))]);
                Ok(kinds)
            }
            None => Ok(kinds),
        };
    }
    let mut kinds = Vec::new();
    for name in names {
        let kind: MethodKind = name
            .parse()
            .map_err(|e: kernsieve::Error| Failure::Usage(e.to_string()))?;
        check(kind)?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

/// Runs the command.
pub fn run(args: &CompareArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let options = args.options.options();
    let kinds = methods(&args.methods, &options, terminal)?;
    let source = Source::from_arg(&args.data.file.data);
    let input = read_training(&source, &args.data.read_options())?;
    terminal.notices(&input.notices);
    let comparison = Comparison {
        data: &input.dataset,
        schema: &input.schema,
        options: &options,
        test_fraction: args.test_fraction,
        memory: args.data.file.memory,
    };
    // The number of repeats is not part of it: a journal can be continued with more of them.
    let settings = format!(
        "{}|{}",
        args.test_fraction,
        serde_json::to_string(&options).unwrap_or_default()
    );
    let (mut journal, mut outcomes) = match &args.journal {
        None => (None, vec![]),
        Some(path) => {
            let (journal, seen) = Journal::open(path, &fingerprint(&input.dataset, &settings))?;
            (Some(journal), seen)
        }
    };
    outcomes.retain(|o| o.split < args.repeats && kinds.iter().any(|k| k.name() == o.method));
    if !outcomes.is_empty() {
        terminal.notices(&[format!("{} results taken from the journal", outcomes.len())]);
    }
    let bar = terminal.progress("comparing");
    bar.set_length(u64::from(args.repeats) * kinds.len() as u64);
    // A method that cannot do one split leaves the comparison; the others go on.
    let mut failed: Vec<(MethodKind, String)> = Vec::new();
    for split in 0..args.repeats {
        for &kind in &kinds {
            let done = outcomes.iter().any(|o| o.split == split && o.method == kind.name());
            if !done && failed.iter().all(|(k, _)| *k != kind) {
                match comparison.run(kind, split) {
                    Ok(outcome) => {
                        if let Some(j) = &mut journal {
                            j.add(&outcome)?;
                        }
                        outcomes.push(outcome);
                    }
                    Err(e) if kinds.len() == 1 => return Err(e),
                    Err(e) => failed.push((kind, format!("split {split}: {e}"))),
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    for (kind, why) in &failed {
        terminal.notices(&[format!("{} is left out: {why}", kind.name())]);
        outcomes.retain(|o| o.method != kind.name());
    }
    if outcomes.is_empty() {
        return Err(Failure::CouldNot(
            "none of the methods could be run on these data".into(),
        ));
    }
    let summaries = summarize(&outcomes);
    if terminal.json {
        return terminal.object(&json!({
            "splits": args.repeats,
            "test_fraction": args.test_fraction,
            "n_rows": input.dataset.n_samples(),
            "n_features": input.dataset.n_features(),
            "classes": input.dataset.labels().classes(),
            "methods": summaries.iter().map(to_json).collect::<Vec<_>>(),
            "outcomes": outcomes,
        }));
    }
    writeln!(
        terminal.out,
        "{}",
        data_words(&format!("{source}: {} rows", input.dataset.n_samples()), &input.dataset)
    )?;
    writeln!(
        terminal.out,
        "{} splits, {:.0} % of the rows held out, everything tuned on the others\n",
        args.repeats,
        100.0 * args.test_fraction
    )?;
    print_summaries(&summaries, terminal.out)
}
