//! A fit: the data, the choice, the errors, and where the model is.

use super::auto::print_auto;
use super::data::data_words;
use super::errors::print_errors;
use super::evaluation::{beside, cost_words, print_confusion};
use super::features::{Limits, print_features, print_path};
use super::files::{model_file, page_file};
use super::keeps::{keeps, retained};
use super::layout::field;
use super::learning_curve::print_learning_curve;
use super::tuning::print_tuning;
use crate::failure::Failure;
use crate::view::summary::{DataFacts, Measured, Summary};
use crate::view::words::{chosen, clean, percent, plural, short};
use std::io::Write;

/// A fit that was just done.
pub fn fit(model: &Summary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(run) = &model.run else {
        return Ok(());
    };
    print_data(&run.data, out)?;
    print_fit(model, run.seconds.tune, out)?;
    match &run.measured {
        Some(measured) => print_measured(measured, out)?,
        None if model.tuning.is_none() => {
            field("", "not estimated; --holdout or --test measures it", out)?
        }
        None => {}
    }
    if let Some(curve) = run.learning_curve {
        print_learning_curve(curve, out)?;
    }
    model_file(run.model.as_ref(), out)?;
    match &run.report {
        Some(path) => page_file(path, out),
        None => Ok(()),
    }
}

fn print_data(data: &DataFacts, out: &mut dyn Write) -> Result<(), Failure> {
    let mut beginning = format!("{}: {} rows", data.source, data.n_rows);
    if data.is_part {
        beginning.push_str(" to train on");
    }
    if let Some(weight) = data.weight {
        beginning.push_str(&format!(" with weights adding up to {}", short(weight)));
    }
    if let Some(blocks) = data.blocks {
        beginning.push_str(&format!(" in {}", plural(blocks, "block")));
    }
    field("Data", &data_words(&beginning, data), out)?;
    Ok(())
}

fn print_measured(measured: &Measured<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let e = measured.evaluation;
    let words = format!(
        "{} on {} ({} of {} wrong)",
        percent(e.error()),
        clean(
            measured.file.as_deref().unwrap_or("the held-out rows"),
            usize::MAX
        ),
        e.wrong(),
        e.n_rows()
    );
    field("", &words, out)?;
    field("", &beside(e), out)?;
    if let Some(words) = cost_words(e) {
        field("", &words, out)?;
    }
    writeln!(out)?;
    print_confusion(e, out)
}

/// Method, tuning table, choice, error and size of a fit: what `fit` and `demo` have in common.
pub fn print_fit(
    model: &Summary<'_>,
    tune_seconds: f64,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if let Some(auto) = &model.auto {
        print_auto(auto, tune_seconds, out)?;
    }
    let method = &model.method;
    field("Method", &format!("{}: {}", method.name, method.title), out)?;
    print_tuning(model, tune_seconds, out)?;
    field("Chosen", &chosen(model), out)?;
    field("Keeps", &keeps(model), out)?;
    if let Some(rows) = retained(model) {
        field("", &rows, out)?;
    }
    print_features(model, &Limits::FIT, out)?;
    print_path(model, out)?;
    if model.has_feature_table() {
        writeln!(out)?;
    }
    print_errors(model, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::words::width;
    use kernsieve::data::simulate;
    use kernsieve::{Control, Kos, Protocol, Train};

    #[test]
    fn a_fit_prints_its_choice_and_its_error() {
        let data = simulate::rings(0);
        let trained = Kos::new()
            .train(&data, &Protocol::default(), &Control::new())
            .expect("trains");
        let mut out = Vec::new();
        assert!(print_fit(&Summary::new(&trained.model), 0.0, &mut out).is_ok());
        let text = String::from_utf8(out).expect("text");
        let chosen = text.lines().filter(|l| l.trim_start().starts_with("* "));
        assert_eq!(chosen.filter(|l| l.contains("width")).count(), 1, "{text}");
        assert!(text.lines().all(|l| width(l) <= 80), "{text}");
    }
}
