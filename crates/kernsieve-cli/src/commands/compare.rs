//! `kernsieve compare`: methods side by side, and which one to pick.

use super::{check_writable, keep_input, this_command};
use crate::args::{CompareArgs, MethodChoice, parse_choice};
use crate::comparison::Comparison;
use crate::comparison::journal::{Journal, Outcome, fingerprint};
use crate::comparison::schedule::Schedule;
use crate::failure::Failure;
use crate::view::html::comparison_page;
use crate::view::summary::{ComparisonSummary, DataFacts, Ranking};
use crate::view::terminal::Terminal;
use crate::view::words::{in_words, plural};
use crate::view::{json, text};
use kernsieve::catalogue::{self, Among};
use kernsieve::model_file;
use kernsieve::params::Params;
use kernsieve_io::{Source, read_training};
use std::path::Path;

/// Runs the command.
pub fn run(args: &CompareArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let given = &args.options.given;
    let (choices, notice) = methods(&args.methods, given)?;
    check_files(args)?;
    // What was not done as asked, for the page.
    let mut notices: Vec<String> = notice.into_iter().chain(unused(&choices, given)).collect();
    terminal.notices(&notices);
    let source = Source::from_arg(&args.data.file.data);
    let mut input = read_training(&source, &args.data.read_options())?;
    let classes = input.dataset.labels().n_classes();
    input.notices.extend(adaptations(&choices, given, classes));
    terminal.notices(&input.notices);
    notices.append(&mut input.notices);
    let comparison = Comparison {
        data: &input.dataset,
        schema: &input.schema,
        given,
        protocol: &args.options.protocol,
        test_fraction: args.test_fraction,
        memory: args.data.file.memory,
    };
    let (mut journal, mut outcomes) = open_journal(args, &comparison)?;
    outcomes.retain(|o| o.split < args.repeats && choices.iter().any(|k| k.name() == o.method));
    tell_of_journal(&outcomes, terminal);
    let failed = run_splits(
        args,
        &comparison,
        &choices,
        &mut journal,
        &mut outcomes,
        terminal,
    )?;
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
    let summary = ComparisonSummary {
        data: DataFacts::new(&source, &input.dataset),
        target: &input.schema.target,
        splits: args.repeats,
        test_fraction: args.test_fraction,
        test_to_train,
        ranking: Ranking::new(&outcomes, test_to_train),
        outcomes: &outcomes,
        notices: &notices,
        seed: args.options.protocol.seed,
        report: args.report.as_ref().map(|p| p.display().to_string()),
    };
    if let Some(path) = &args.report {
        let page = comparison_page(&summary, &this_command());
        model_file::write_atomic(path, page.as_bytes())?;
    }
    if terminal.json {
        return terminal.object(&json::comparison(&summary));
    }
    text::comparison(&summary, terminal.out)
}

/// Checks before the long part that the page can be written and overwrites no input.
fn check_files(args: &CompareArgs) -> Result<(), Failure> {
    let Some(path) = &args.report else {
        return Ok(());
    };
    if args.journal.as_ref() == Some(path) {
        return Err(Failure::Usage(
            "--report and --journal name the same file; each needs its own".into(),
        ));
    }
    let journal = args.journal.as_deref().unwrap_or(Path::new("-"));
    let inputs = [args.data.file.data.as_path(), journal];
    keep_input("--report", path, &inputs)?;
    check_writable(path)
}

/// The journal, if one is kept, and the results in it.
fn open_journal(
    args: &CompareArgs,
    comparison: &Comparison<'_>,
) -> Result<(Option<Journal>, Vec<Outcome>), Failure> {
    let Some(path) = &args.journal else {
        return Ok((None, vec![]));
    };
    // The number of repeats is not part of it: a journal can be continued with more of them.
    // Results of versions that left the calibration out are those of other models.
    let settings = format!(
        "calibrated|{}|{}|{}",
        args.test_fraction,
        serde_json::to_string(comparison.given).unwrap_or_default(),
        serde_json::to_string(comparison.protocol).unwrap_or_default()
    );
    let (journal, seen) = Journal::open(path, &fingerprint(comparison.data, &settings))?;
    Ok((Some(journal), seen))
}

fn tell_of_journal(outcomes: &[Outcome], terminal: &Terminal<'_>) {
    if !outcomes.is_empty() {
        terminal.notices(&[format!(
            "{} taken from the journal",
            plural(outcomes.len(), "result")
        )]);
    }
    let unmeasured = outcomes.iter().filter(|o| o.model_bytes.is_none()).count();
    if unmeasured > 0 {
        terminal.notices(&[format!(
            "{} of the journal come from a version that did not measure models; sizes are means \
             over the others",
            plural(unmeasured, "result")
        )]);
    }
}

/// Runs what is not among the outcomes yet. A method that fails on one split leaves the comparison
/// and is returned with the reason; the others go on.
fn run_splits(
    args: &CompareArgs,
    comparison: &Comparison<'_>,
    choices: &[MethodChoice],
    journal: &mut Option<Journal>,
    outcomes: &mut Vec<Outcome>,
    terminal: &Terminal<'_>,
) -> Result<Vec<(MethodChoice, String)>, Failure> {
    let mut failed: Vec<(MethodChoice, String)> = Vec::new();
    let mut schedule = Schedule::new(terminal.progress("comparing"), choices, args.repeats);
    outcomes.iter().for_each(|o| schedule.done(o));
    for split in 0..args.repeats {
        for &choice in choices {
            let done = outcomes
                .iter()
                .any(|o| o.split == split && o.method == choice.name());
            if done || failed.iter().any(|(k, _)| *k == choice) {
                continue;
            }
            match comparison.run(choice, split, schedule.begin(choice)) {
                Ok(outcome) => {
                    if let Some(j) = journal {
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
    Ok(failed)
}

/// The methods asked for; with `all`, those that accept the options, with a notice about the
/// others.
fn methods(
    names: &[String],
    given: &Params,
) -> Result<(Vec<MethodChoice>, Option<String>), Failure> {
    let check = |name: &str| -> Result<(), Failure> {
        let made = catalogue::find(name)?.make(given);
        made.map(drop).map_err(|e| Failure::usage(&e))
    };
    let (mut choices, mut notice) = (Vec::new(), None);
    for name in names {
        let choice = match name.as_str() {
            "all" => continue,
            name => parse_choice(name).map_err(Failure::Usage)?,
        };
        match choice {
            MethodChoice::One(name) => check(name)?,
            MethodChoice::Auto => {
                drop(catalogue::contest(given, &Among::First).map_err(|e| Failure::usage(&e))?)
            }
        }
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    if names.iter().any(|n| n == "all") {
        let mut refused = Vec::new();
        for name in catalogue::names() {
            match check(name) {
                Err(e) => refused.push((name, e)),
                Ok(()) if choices.contains(&MethodChoice::One(name)) => (),
                Ok(()) => choices.push(MethodChoice::One(name)),
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

/// Notices about options that are too large for this many classes, each once.
fn adaptations(choices: &[MethodChoice], given: &Params, classes: usize) -> Vec<String> {
    let made = choices.iter().filter_map(|choice| match choice {
        MethodChoice::One(name) => catalogue::find(name).and_then(|e| e.make(given)).ok(),
        MethodChoice::Auto => None,
    });
    let mut told: Vec<String> = Vec::new();
    for notice in made.flat_map(|m| m.method.adaptations(classes)) {
        let words = in_words(&notice.to_string());
        if !told.contains(&words) {
            told.push(words);
        }
    }
    told
}

/// For every set of options that some methods do not use, the names of these methods.
fn unused(choices: &[MethodChoice], given: &Params) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for choice in choices {
        let MethodChoice::One(name) = choice else {
            continue;
        };
        let made = catalogue::find(name).and_then(|e| e.make(given));
        let unused = made.map(|m| m.unused).unwrap_or_default();
        let words: Vec<String> = unused
            .iter()
            .map(|id| in_words(&format!("`{id}`")))
            .collect();
        let words = words.join(", ");
        match found.iter_mut().find(|(w, _)| *w == words) {
            _ if words.is_empty() => (),
            Some((_, methods)) => methods.push(name),
            None => found.push((words, vec![name])),
        }
    }
    let line = |(words, methods): (String, Vec<&str>)| {
        format!("{words}: not used by {}", methods.join(", "))
    };
    found.into_iter().map(line).collect()
}
