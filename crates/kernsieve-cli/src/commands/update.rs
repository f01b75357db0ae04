//! `kernsieve update`: further rows for a saved model.

use super::{keep_input, load_classifier, open_labelled};
use crate::args::UpdateArgs;
use crate::failure::Failure;
use crate::view::terminal::Terminal;
use crate::view::words::clean;
use crate::view::{json, text};
use kernsieve_io::Missing;

/// Runs the command.
pub fn run(args: &UpdateArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    if args.scoring.missing == Some(Missing::Drop) {
        return Err(Failure::Usage(
            "every row is taken in: --missing is error or mean here".into(),
        ));
    }
    let output = args.output.as_ref().unwrap_or(&args.scoring.model);
    keep_input("--model", output, &[&args.scoring.data])?;
    super::check_writable(output)?;
    let mut model = load_classifier(&args.scoring.model, Some(&args.scoring.data))?;
    if model.factor.is_none() {
        return Err(Failure::CouldNot(format!(
            "{} keeps nothing of its training rows that others could be added to; fit it anew with \
             --method smkda --updatable",
            args.scoring.model.display()
        )));
    }
    let (before, updates) = (model.record.n_rows, model.record.added.len());
    let (_, mut reader) = open_labelled(&args.scoring, args.target.as_ref(), &model)?;
    // Block after block into a copy, which is saved when all rows are in it.
    for block in reader.by_ref() {
        let block = block?;
        let labels = block.labels.unwrap_or_default();
        let mut codes = Vec::with_capacity(labels.len());
        for label in &labels {
            match model.classes.iter().position(|class| class == label) {
                Some(code) => codes.push(code),
                None => {
                    return Err(Failure::CouldNot(format!(
                        "the model knows no class {}; a class that is new needs a new fit (is the \
                         target column the right one?)",
                        clean(label, 40)
                    )));
                }
            }
        }
        model.update(&block.x, &codes, None)?;
    }
    terminal.notices(reader.notices());
    // What came in blocks is one update.
    let rows = model.record.n_rows - before;
    model.record.added.truncate(updates);
    model.record.added.push(rows);
    model.save(output)?;
    let path = output.display().to_string();
    if terminal.json {
        return terminal.object(&json::updated(&path, rows, &model));
    }
    text::updated(&path, rows, &model, terminal.out)
}
