//! `kernsieve inspect`: a model in one screen, or all of it.

use super::density::{density_json, print_density};
use super::features::{Limits, print_features, print_path};
use super::{
    class_words, cv_words, first_of, keeps_words, kernel_of, method_words, model_json,
    settings_words,
};
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::output::{Terminal, clean, field, percent, short};
use kernsieve::data::ColumnKind;
use kernsieve::decision::Decision;
use kernsieve::model::Model;
use kernsieve::model_file;
use kernsieve::tuning::for_people;
use serde_json::json;
use std::io::Write;

/// Runs the command.
pub fn run(args: &InspectArgs, terminal: &mut Terminal<'_>) -> Result<(), Failure> {
    let model = model_file::load(&args.model)?;
    let size = std::fs::metadata(&args.model).map(|m| m.len()).unwrap_or(0);
    let rule = match &model.decision {
        Decision::Mahalanobis { .. } => "mahalanobis",
        Decision::NearestCentroid { .. } => "nearest-centroid",
        Decision::LogDensity { .. } => "log-density",
        Decision::Logits { .. } => "logits",
        Decision::OneAgainstRest { .. } => "one-against-rest",
        Decision::Simplex { .. } => "simplex",
    };
    if terminal.json {
        let mut object = if model.is_density() {
            density_json(&model)
        } else {
            model_json(&model)
        };
        object["model"] = json!(args.model.display().to_string());
        object["bytes"] = json!(size);
        object["decision"] = json!(rule);
        object["columns"] = json!(model.schema.columns);
        object["target"] = json!(model.schema.target);
        object["outputs"] = json!(model.expansion.n_outputs());
        return terminal.object(&object);
    }
    let out = &mut *terminal.out;
    let record = &model.record;
    let limits = if args.all {
        &Limits::ALL
    } else {
        &Limits::SCREEN
    };
    field(
        "Model",
        &format!(
            "{} ({}), kernsieve {}",
            clean(&args.model.display().to_string(), usize::MAX),
            for_people(size),
            clean(&record.version, 20)
        ),
        out,
    )?;
    field(
        "Method",
        &format!(
            "{}: {}",
            clean(&record.method, 20),
            method_words(&record.method)
        ),
        out,
    )?;
    if let Some(auto) = &record.auto {
        field("Why", &clean(&auto.why, usize::MAX), out)?;
    }
    if !model.is_density() {
        field(
            "Classes",
            &format!(
                "{} ({}), target '{}'",
                model.classes.len(),
                class_words(
                    &model.classes,
                    &record.class_counts,
                    if args.all { usize::MAX } else { 44 }
                ),
                clean(&model.schema.target, 20)
            ),
            out,
        )?;
    }
    let numeric = model
        .schema
        .columns
        .iter()
        .filter(|c| matches!(c.kind, ColumnKind::Numeric { .. }))
        .count();
    let columns = model.schema.columns.len();
    field(
        "Columns",
        &format!(
            "{columns} ({numeric} numeric, {} categorical): {}",
            columns - numeric,
            first_names(
                &model
                    .schema
                    .columns
                    .iter()
                    .map(|c| c.name.clone())
                    .collect::<Vec<_>>(),
                args.all
            )
        ),
        out,
    )?;
    if model.is_density() {
        print_density(&model, out)?;
        return print_seed(&model, out);
    }
    field("Chosen", &settings_words(&model), out)?;
    field("Keeps", &keeps_words(&model), out)?;
    let dropped: Vec<String> = model
        .feature_names()
        .into_iter()
        .zip(model.feature_weights())
        .filter(|(_, w)| **w == 0.0)
        .map(|(n, _)| n)
        .collect();
    if !dropped.is_empty() && record.candidate.reader().sparsity.is_none() {
        field("Dropped", &first_names(&dropped, args.all), out)?;
    }
    print_features(&model, limits, out)?;
    if args.all {
        print_path(&model, out)?;
    }
    if record.candidate.reader().sparsity.is_some() || !record.report.imported.is_empty() {
        writeln!(out)?;
    }
    field(
        "Output",
        &format!(
            "{} per row, {}, rule {rule}",
            model.expansion.n_outputs(),
            kernel_of(&model)
        ),
        out,
    )?;
    if let Some(words) = cv_words(&model) {
        field("Error", &words, out)?;
    }
    field(
        "",
        &format!(
            "{} on the {} training rows",
            percent(record.train_error),
            record.n_rows
        ),
        out,
    )?;
    if let Some(objective) = record.report.objective {
        let residual = record
            .report
            .residual
            .map(|r| format!(", relative residual {}", short(r)))
            .unwrap_or_default();
        field(
            "Solver",
            &format!("objective {}{residual}", short(objective)),
            out,
        )?;
    }
    print_seed(&model, out)
}

fn print_seed(model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    let o = &model.record.options;
    field(
        "Seed",
        &format!(
            "{}, {} folds, {}",
            o.seed,
            o.folds,
            if o.standardize {
                "standardised"
            } else {
                "raw units"
            }
        ),
        out,
    )?;
    Ok(())
}

/// The first names, or all.
fn first_names(names: &[String], all: bool) -> String {
    let (most, room) = if all {
        (usize::MAX, usize::MAX)
    } else {
        (8, 48)
    };
    let words: Vec<String> = names.iter().take(most).map(|n| clean(n, 24)).collect();
    first_of(&words, names.len(), room)
}
