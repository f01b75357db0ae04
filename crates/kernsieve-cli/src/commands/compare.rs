//! `kernsieve compare`: methods side by side on repeated stratified splits, each tuned on the
//! training part only.

use super::fit::check_writable;
use super::journal::{Journal, Outcome, fingerprint};
use super::ranking::Ranking;
use super::schedule::Schedule;
use super::{data_words, keep_input, limit_components, this_command};
use crate::args::{CompareArgs, MethodChoice, parse_choice};
use crate::failure::Failure;
use crate::output::{Terminal, clean, plural, wrapped};
use crate::report::compare as report;
use kernsieve::data::{Dataset, Schema};
use kernsieve::decision::argmax;
use kernsieve::method::{MethodKind, Options};
use kernsieve::metrics::weighted_error_rate;
use kernsieve::model_file;
use kernsieve::tuning::{Control, auto_methods, train, train_auto};
use kernsieve_io::{Source, read_training};
use serde_json::json;
use std::path::Path;
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
    /// Held-out rows over training rows of the first split; the others have the same, or with
    /// blocks of rows about that.
    pub fn test_to_train(&self) -> Result<f64, Failure> {
        let parts = self.data.held_out(self.test_fraction, self.options.seed)?;
        Ok(parts.test.len() as f64 / parts.train.len().max(1) as f64)
    }

    /// One method on one split. The split's own seed also seeds the folds inside it.
    pub fn run(
        &self,
        method: MethodChoice,
        split: u32,
        control: Control,
    ) -> Result<Outcome, Failure> {
        let seed = self.options.seed.wrapping_add(u64::from(split));
        let parts = self.data.held_out(self.test_fraction, seed)?;
        let training = self.data.select(&parts.train)?;
        // Only predicted classes count here, and calibration changes none.
        let options = Options {
            seed,
            calibrate: false,
            ..self.options.clone()
        };
        let control = match self.memory {
            Some(bytes) => control.memory_limit(bytes),
            None => control,
        };
        let started = Instant::now();
        let trained = match method {
            MethodChoice::One(kind) => {
                train(kind, &options, &training, self.schema, false, &control)
            }
            MethodChoice::Auto => train_auto(&options, &training, self.schema, None, &control),
        }?;
        let fit_seconds = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let posterior = trained
            .model
            .predict(&self.data.x().select_rows(&parts.test))
            .posterior;
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
        let truth: Vec<usize> = parts
            .test
            .iter()
            .map(|&i| self.data.labels().codes()[i])
            .collect();
        // An error counts by the weight of its row, and by what it costs.
        let cost = |code: usize| options.costs.get(code).copied().unwrap_or(1.0);
        let weigh = |(&i, &code): (&usize, &usize)| self.data.weight(i) * cost(code);
        let weights: Vec<f64> = parts.test.iter().zip(&truth).map(weigh).collect();
        let model = &trained.model;
        Ok(Outcome {
            split,
            method: method.name().into(),
            error: weighted_error_rate(&predicted, &truth, Some(&weights)),
            retained_percent: 100.0 * model.record.report.retained_rows.len() as f64
                / training.n_samples() as f64,
            features: model
                .feature_weights()
                .iter()
                .filter(|w| **w != 0.0)
                .count(),
            seconds: fit_seconds,
            predict_seconds,
            bandwidth: model.reader().kernel.bandwidth(),
            ridge: model.record.report.ridge,
            sparsity: model.record.candidate.reader().sparsity,
            model_bytes: Some(model_file::to_bytes(model)?.len() as u64),
            chosen: (method == MethodChoice::Auto).then(|| model.record.method.clone()),
        })
    }
}

/// The methods asked for; of `all`, those that the options suit, with a notice about the others.
fn methods(
    names: &[String],
    options: &Options,
) -> Result<(Vec<MethodChoice>, Option<String>), Failure> {
    let check = |kind: MethodKind| {
        options
            .check(kind)
            .map_err(|e| Failure::Usage(e.to_string()))
    };
    let (mut choices, mut notice) = (Vec::new(), None);
    for name in names {
        let choice = match name.as_str() {
            "all" => continue,
            name => parse_choice(name).map_err(Failure::Usage)?,
        };
        match choice {
            MethodChoice::One(kind) => check(kind)?,
            MethodChoice::Auto => {
                drop(auto_methods(options).map_err(|e| Failure::Usage(e.to_string()))?)
            }
        }
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    if names.iter().any(|n| n == "all") {
        let mut refused = Vec::new();
        for kind in MethodKind::ALL {
            match check(kind) {
                Err(e) => refused.push((kind.name(), e)),
                Ok(()) if choices.contains(&MethodChoice::One(kind)) => (),
                Ok(()) => choices.push(MethodChoice::One(kind)),
            }
        }
        let names: Vec<&str> = refused.iter().map(|(name, _)| *name).collect();
        match refused.pop() {
            Some((_, refusal)) if choices.is_empty() => return Err(refusal),
            Some((_, refusal)) => {
                notice = Some(format!("left out: {} ({refusal})", names.join(", ")))
            }
            None => (),
        }
    }
    Ok((choices, notice))
}

/// For every set of options that some methods do not use, which methods these are.
fn unused(choices: &[MethodChoice], options: &Options) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for choice in choices {
        let MethodChoice::One(kind) = choice else {
            continue;
        };
        let words = options.ignored(*kind).join(", ");
        match found.iter_mut().find(|(w, _)| *w == words) {
            _ if words.is_empty() => (),
            Some((_, methods)) => methods.push(kind.name()),
            None => found.push((words, vec![kind.name()])),
        }
    }
    let line = |(words, methods): (String, Vec<&str>)| {
        format!("{words}: not used by {}", methods.join(", "))
    };
    found.into_iter().map(line).collect()
}

/// Runs the command.
pub fn run(args: &CompareArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let mut options = args.options.options();
    let (choices, notice) = methods(&args.methods, &options)?;
    if let Some(path) = &args.report {
        if args.journal.as_ref() == Some(path) {
            return Err(Failure::Usage(
                "--report and --journal name the same file; each needs one of its own".into(),
            ));
        }
        let journal = args.journal.as_deref().unwrap_or(Path::new("-"));
        keep_input(
            "--report",
            path,
            &[Path::new(&args.data.file.data), journal],
        )?;
        check_writable(path)?;
    }
    // What went otherwise than was asked, for the page.
    let mut notices: Vec<String> = notice
        .into_iter()
        .chain(unused(&choices, &options))
        .collect();
    terminal.notices(&notices);
    let source = Source::from_arg(&args.data.file.data);
    let mut input = read_training(&source, &args.data.read_options())?;
    let classes = input.dataset.labels().n_classes();
    input
        .notices
        .extend(limit_components(&mut options, classes));
    terminal.notices(&input.notices);
    notices.append(&mut input.notices);
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
    outcomes.retain(|o| o.split < args.repeats && choices.iter().any(|k| k.name() == o.method));
    if !outcomes.is_empty() {
        terminal.notices(&[format!(
            "{} taken from the journal",
            plural(outcomes.len(), "result")
        )]);
    }
    let unsized_ = outcomes.iter().filter(|o| o.model_bytes.is_none()).count();
    if unsized_ > 0 {
        terminal.notices(&[format!(
            "{} of the journal come from a version that did not measure models; sizes are means over the others",
            plural(unsized_, "result")
        )]);
    }
    // A method that cannot do one split leaves the comparison; the others go on.
    let mut failed: Vec<(MethodChoice, String)> = Vec::new();
    let mut schedule = Schedule::new(terminal.progress("comparing"), &choices, args.repeats);
    outcomes.iter().for_each(|o| schedule.done(o));
    for split in 0..args.repeats {
        for &choice in &choices {
            let done = outcomes
                .iter()
                .any(|o| o.split == split && o.method == choice.name());
            if done || failed.iter().any(|(k, _)| *k == choice) {
                continue;
            }
            match comparison.run(choice, split, schedule.begin(choice)) {
                Ok(outcome) => {
                    if let Some(j) = &mut journal {
                        j.add(&outcome)?;
                    }
                    schedule.done(&outcome);
                    outcomes.push(outcome);
                }
                Err(e) if choices.len() == 1 => return Err(e),
                Err(e) => {
                    schedule.leave(choice);
                    failed.push((choice, format!("split {split}: {e}")));
                }
            }
        }
    }
    schedule.finish();
    for (choice, why) in &failed {
        notices.push(format!("{} is left out: {why}", choice.name()));
        terminal.notices(&notices[notices.len() - 1..]);
        outcomes.retain(|o| o.method != choice.name());
    }
    if outcomes.is_empty() {
        return Err(Failure::CouldNot(
            "none of the methods could be run on these data".into(),
        ));
    }
    let test_to_train = comparison.test_to_train()?;
    let ranking = Ranking::new(&outcomes, test_to_train);
    // Groups may not allow for the fraction that was asked for.
    let (held_out, blocks) = match input.dataset.n_blocks() {
        None => (args.test_fraction, String::new()),
        Some(n) => (
            test_to_train / (1.0 + test_to_train),
            format!(", in {}", plural(n, "block")),
        ),
    };
    let how = format!(
        "{}, {:.0} % of the rows held out{blocks}, everything tuned on the others",
        plural(args.repeats as usize, "split"),
        100.0 * held_out
    );
    let labels = input.dataset.labels();
    if let Some(path) = &args.report {
        let classes = labels.classes().iter().map(String::as_str);
        let text = report::page(&report::Comparison {
            source: &source.to_string(),
            n_rows: input.dataset.n_samples(),
            n_features: input.dataset.n_features(),
            target: &input.schema.target,
            classes: classes.zip(labels.counts()).collect(),
            how: &how,
            advice: &ranking.advice(),
            pick: ranking.pick(),
            remarks: &ranking.remarks(),
            notices: &notices,
            seed: options.seed,
            command: &this_command(),
            methods: &ranking.contestants(),
        });
        model_file::write_atomic(path, text.as_bytes())?;
    }
    if terminal.json {
        let mut object = ranking.to_json();
        object["splits"] = json!(args.repeats);
        object["test_fraction"] = json!(args.test_fraction);
        object["test_to_train"] = json!(test_to_train);
        object["n_rows"] = json!(input.dataset.n_samples());
        object["n_features"] = json!(input.dataset.n_features());
        object["classes"] = json!(labels.classes());
        object["outcomes"] = json!(outcomes);
        object["report"] = json!(args.report.as_ref().map(|p| p.display().to_string()));
        return terminal.object(&object);
    }
    writeln!(
        terminal.out,
        "{}",
        wrapped(
            &data_words(
                &format!("{source}: {} rows", input.dataset.n_samples()),
                &input.dataset
            ),
            ""
        )
    )?;
    writeln!(terminal.out, "{how}\n")?;
    ranking.print(terminal)?;
    if let Some(path) = &args.report {
        writeln!(
            terminal.out,
            "\nReport   {}",
            clean(&path.display().to_string(), usize::MAX)
        )?;
    }
    Ok(())
}
