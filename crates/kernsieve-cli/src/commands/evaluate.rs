//! `kernsieve evaluate`: how good a saved model is on rows whose classes are known.

use super::{load_classifier, open_labelled};
use crate::args::EvaluateArgs;
use crate::failure::Failure;
use crate::view::summary::Evaluation;
use crate::view::terminal::Terminal;
use crate::view::words::{clean, percent};
use crate::view::{json, text};
use kernsieve::linalg::Matrix;
use kernsieve::model::Model;
use kernsieve_io::{Missing, ScoringReader};

/// Further classes than those of the model that are counted one by one.
const MOST_UNKNOWN: usize = 1000;

/// Evaluates a model on the rows of a file, at least one; `see` is called with each block of them.
pub fn evaluate_rows(
    model: &Model,
    reader: &mut ScoringReader,
    terminal: &Terminal<'_>,
    mut see: impl FnMut(&Matrix, &[String]),
) -> Result<Evaluation, Failure> {
    let mut evaluation = Evaluation::new(model);
    for block in reader.by_ref() {
        let block = block?;
        let labels = block.labels.unwrap_or_default();
        see(&block.x, &labels);
        evaluation.add(model, &block.x, &labels);
        if evaluation.unknown_classes().len() > MOST_UNKNOWN {
            return Err(Failure::CouldNot(format!(
                "the data have more than {MOST_UNKNOWN} classes that the model does not know ({}, \
                 ...); is the target column the right one?",
                first_names(evaluation.unknown_classes(), 4)
            )));
        }
    }
    terminal.notices(reader.notices());
    terminal.notices(&Vec::from_iter(evaluation.overflow.notice()));
    if evaluation.is_foreign() {
        return Err(foreign(
            evaluation.unknown_classes(),
            evaluation.known_classes(),
        ));
    }
    let unknown = evaluation.unknown_classes();
    if !unknown.is_empty() {
        terminal.notices(&[format!(
            "the model knows no class {}; rows of it count as wrong",
            first_names(unknown, 8)
        )]);
    }
    Ok(evaluation)
}

/// No row has a class of the model.
pub fn foreign(unknown: &[String], known: &[String]) -> Failure {
    Failure::CouldNot(format!(
        "none of the classes in the data ({}, ...) is one of the model's ({}, ...); is the target \
         column the right one?",
        first_names(unknown, 4),
        first_names(known, 4)
    ))
}

fn first_names(classes: &[String], most: usize) -> String {
    let names = classes.iter().take(most).map(|c| clean(c, 40));
    names.collect::<Vec<_>>().join(", ")
}

/// Runs the command.
pub fn run(args: &EvaluateArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    if args.scoring.missing == Some(Missing::Drop) {
        return Err(Failure::Usage(
            "every row is measured: --missing is error or mean here".into(),
        ));
    }
    let model = load_classifier(&args.scoring.model, Some(&args.scoring.data))?;
    let (source, mut reader) = open_labelled(&args.scoring, args.target.as_ref(), &model)?;
    let e = evaluate_rows(&model, &mut reader, terminal, |_, _| ())?;
    if terminal.json {
        terminal.object(&json::evaluation(&e))?;
    } else {
        text::evaluation(&source.to_string(), &e, terminal.out)?;
    }
    match args.fail_under {
        Some(least) if 1.0 - e.error() < least => Err(Failure::Under(format!(
            "the accuracy is {}, below the {} asked for",
            percent(1.0 - e.error()),
            percent(least)
        ))),
        _ => Ok(()),
    }
}
