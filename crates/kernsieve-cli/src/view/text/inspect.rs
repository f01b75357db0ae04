//! A saved model in one screen, or all of it.

use super::data::class_words;
use super::density::print_density;
use super::errors::print_errors;
use super::features::{Limits, print_features, print_path};
use super::keeps::{all_retained, keeps};
use super::layout::field;
use super::tuning::print_curves;
use crate::failure::Failure;
use crate::view::summary::Summary;
use crate::view::words::{chosen, clean, first_of, short};
use kernsieve::tuning::for_people;
use std::io::Write;

/// A saved model; `all` shows what would not fit on a screen.
pub fn inspect(
    model: &Summary<'_>,
    path: &str,
    bytes: u64,
    all: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let words = format!(
        "{} ({}), kernsieve {}",
        clean(path, usize::MAX),
        for_people(bytes),
        clean(model.version, 20)
    );
    field("Model", &words, out)?;
    let method = &model.method;
    let words = format!("{}: {}", clean(method.name, 20), method.title);
    field("Method", &words, out)?;
    if let Some(auto) = &model.auto {
        field("Why", &clean(&auto.why, usize::MAX), out)?;
    }
    print_columns(model, all, out)?;
    if model.is_density() {
        print_density(model, all, out)?;
    } else {
        print_classifier(model, all, out)?;
    }
    print_seed(model, out)
}

fn print_columns(model: &Summary<'_>, all: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let schema = model.columns.schema;
    if !model.is_density() {
        let counts = model.class_counts.iter().copied();
        let classes = model.classes.iter().zip(counts);
        let words = format!(
            "{} ({}), target '{}'",
            model.classes.len(),
            class_words(classes, if all { usize::MAX } else { 84 }),
            clean(&schema.target, 20)
        );
        field("Classes", &words, out)?;
    }
    let names: Vec<&str> = schema.columns.iter().map(|c| c.name.as_str()).collect();
    let words = format!(
        "{} ({} numeric, {} categorical): {}",
        names.len(),
        model.columns.numeric,
        model.columns.categorical,
        first_names(&names, all)
    );
    field("Columns", &words, out)?;
    Ok(())
}

fn print_classifier(model: &Summary<'_>, all: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let has_curve = model.tuning.as_ref().is_some_and(|cv| cv.curve.len() > 1);
    if model.is_sieved() && has_curve {
        writeln!(out)?;
        print_curves(model, out)?;
    }
    field("Chosen", &chosen(model), out)?;
    field("Keeps", &keeps(model), out)?;
    if let (Some(rows), true) = (all_retained(model), all) {
        field("", &rows, out)?;
    }
    let features = &model.features;
    let dropped = features.dropped().into_iter();
    let dropped: Vec<&str> = dropped.map(|j| features.names[j].as_str()).collect();
    if !dropped.is_empty() && model.penalty.is_none() && !model.is_sieved() {
        field("Dropped", &first_names(&dropped, all), out)?;
    }
    let limits = if all { &Limits::ALL } else { &Limits::SCREEN };
    print_features(model, limits, out)?;
    if all {
        print_path(model, out)?;
    }
    if model.has_feature_table() {
        writeln!(out)?;
    }
    let words = format!(
        "{} per row, {}, rule {}",
        model.n_outputs, model.kernel.words, model.decision
    );
    field("Output", &words, out)?;
    print_errors(model, out)?;
    if let Some(objective) = model.solver.objective {
        let residual = model.solver.residual;
        let residual = residual.map(|r| format!(", relative residual {}", short(r)));
        let residual = residual.unwrap_or_default();
        let words = format!("objective {}{residual}", short(objective));
        field("Solver", &words, out)?;
    }
    Ok(())
}

fn print_seed(model: &Summary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let plan = model.plan;
    let units = match plan.units() {
        "standardised units" => "standardised",
        other => other,
    };
    let words = format!("{}, {} folds, {units}", plan.seed, plan.folds);
    field("Seed", &words, out)?;
    Ok(())
}

/// The first names, or all.
fn first_names(names: &[&str], all: bool) -> String {
    let (most, room) = if all {
        (usize::MAX, usize::MAX)
    } else {
        (8, 48)
    };
    let words: Vec<String> = names.iter().take(most).map(|n| clean(n, 24)).collect();
    first_of(&words, names.len(), room)
}
