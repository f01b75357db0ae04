//! `kernsieve inspect`: a model in one screen.

use super::density::{density_json, print_density};
use super::features::print_features;
use super::{class_words, cv_words, first_of, keeps_words, kernel_of, method_words, model_json, settings_words};
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::output::{Terminal, clean, percent, short};
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
    writeln!(
        out,
        "Model    {} ({}), kernsieve {}",
        clean(&args.model.display().to_string(), usize::MAX),
        for_people(size),
        clean(&record.version, 20)
    )?;
    writeln!(
        out,
        "Method   {}: {}",
        clean(&record.method, 20),
        method_words(&record.method)
    )?;
    if let Some(auto) = &record.auto {
        writeln!(out, "Why      {}", clean(&auto.why, usize::MAX))?;
    }
    if !model.is_density() {
        writeln!(
            out,
            "Classes  {} ({}), target '{}'",
            model.classes.len(),
            class_words(&model.classes, &record.class_counts, 44),
            clean(&model.schema.target, 20)
        )?;
    }
    let numeric = model
        .schema
        .columns
        .iter()
        .filter(|c| matches!(c.kind, ColumnKind::Numeric { .. }))
        .count();
    let columns = model.schema.columns.len();
    writeln!(
        out,
        "Columns  {columns} ({numeric} numeric, {} categorical): {}",
        columns - numeric,
        first_names(&model.schema.columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>())
    )?;
    if model.is_density() {
        print_density(&model, out)?;
        return print_seed(&model, out);
    }
    writeln!(out, "Chosen   {}", settings_words(&model))?;
    writeln!(out, "Keeps    {}", keeps_words(&model))?;
    let dropped: Vec<String> = model
        .feature_names()
        .into_iter()
        .zip(model.feature_weights())
        .filter(|(_, w)| **w == 0.0)
        .map(|(n, _)| n)
        .collect();
    if !dropped.is_empty() && record.candidate.reader().sparsity.is_none() {
        writeln!(out, "Dropped  {}", first_names(&dropped))?;
    }
    print_features(&model, out)?;
    if record.candidate.reader().sparsity.is_some() {
        writeln!(out)?;
    }
    writeln!(
        out,
        "Output   {} per row, {}, rule {rule}",
        model.expansion.n_outputs(),
        kernel_of(&model)
    )?;
    if let Some(words) = cv_words(&model) {
        writeln!(out, "Error    {words}")?;
    }
    writeln!(
        out,
        "         {} on the {} training rows",
        percent(record.train_error),
        record.n_rows
    )?;
    if let Some(objective) = record.report.objective {
        let residual = record
            .report
            .residual
            .map(|r| format!(", relative residual {}", short(r)))
            .unwrap_or_default();
        writeln!(out, "Solver   objective {}{residual}", short(objective))?;
    }
    print_seed(&model, out)
}

fn print_seed(model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    let o = &model.record.options;
    writeln!(
        out,
        "Seed     {}, {} folds, {}",
        o.seed,
        o.folds,
        if o.standardize { "standardised" } else { "raw units" }
    )?;
    Ok(())
}

fn first_names(names: &[String]) -> String {
    let words: Vec<String> = names.iter().take(8).map(|n| clean(n, 24)).collect();
    first_of(&words, names.len(), 48)
}
