//! `kernsieve report`: a saved model and rows with known classes as one HTML page.

use super::evaluate::foreign;
use super::{keep_input, load_classifier, open_labelled, this_command};
use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::view::html::{Basis, Rows, Subject, page};
use crate::view::summary::{Overflow, Summary};
use crate::view::terminal::Terminal;
use crate::view::{json, text};
use kernsieve::linalg::Matrix;
use kernsieve::model_file;
use kernsieve_io::Missing;

/// Runs the command.
pub fn run(args: &ReportArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    if args.scoring.missing == Some(Missing::Drop) {
        return Err(Failure::Usage(
            "every row is shown: --missing is error or mean here".into(),
        ));
    }
    keep_input(
        "--output",
        &args.output,
        &[&args.scoring.model, &args.scoring.data],
    )?;
    let model = load_classifier(&args.scoring.model, Some(&args.scoring.data))?;
    let (source, mut reader) = open_labelled(&args.scoring, args.target.as_ref(), &model)?;
    let (mut values, mut labels, mut columns) = (Vec::new(), Vec::new(), 0);
    for block in reader.by_ref() {
        let block = block?;
        columns = block.x.cols();
        values.extend_from_slice(block.x.as_slice());
        labels.extend(block.labels.unwrap_or_default());
        // The page looks at all rows together.
        args.scoring
            .hold(8 * values.len(), "a report", "take fewer rows")?;
    }
    terminal.notices(reader.notices());
    let x = Matrix::from_vec(values, labels.len(), columns);
    if labels.is_empty() {
        return Err(Failure::CouldNot(format!("{source}: no rows to show")));
    }
    if !labels.iter().any(|l| model.classes.contains(l)) {
        let mut unknown = labels.clone();
        unknown.sort();
        unknown.dedup();
        return Err(foreign(&unknown, &model.classes));
    }
    let mut overflow = Overflow::default();
    overflow.add(&model.outputs(&x));
    let notices: Vec<String> = reader
        .notices()
        .iter()
        .cloned()
        .chain(overflow.notice())
        .collect();
    terminal.notices(&Vec::from_iter(overflow.notice()));
    let rows = Rows {
        basis: Basis::Given,
        source: source.to_string(),
        x: &x,
        numbers: (0..labels.len()).collect(),
        labels,
        cross_validated: None,
    };
    let n_rows = rows.labels.len();
    let page = page(Subject {
        model: &model,
        summary: &Summary::new(&model),
        command: &this_command(),
        notices: &notices,
        sets: vec![rows],
    });
    model_file::write_atomic(&args.output, page.as_bytes())?;
    let path = args.output.display().to_string();
    if terminal.json {
        return terminal.object(&json::reported(&path, n_rows));
    }
    text::reported(&path, n_rows, terminal.out)
}
