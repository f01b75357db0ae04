//! What each feature is worth, and what a model that keeps few features and few rows keeps.

use super::features::{Limits, NAME, kept_in_folds, print_dropped, print_more};
use super::layout::{table, wrapped};
use crate::failure::Failure;
use crate::view::summary::{Explained, Summary};
use crate::view::words::{clean, percent};
use kernsieve::model::Importance;
use std::io::Write;

/// Features with their importance, unless all are asked for.
const FEATURES: usize = 10;
/// Rows in order of selection, unless all are asked for.
const ROWS: usize = 8;
/// What a column is.
const WEIGHT: &str = "weight: relative to the largest;";
/// What the other is.
pub const SHUFFLED: &str = "shuffled: by how much the error of rows that a fit has not seen grows \
                            when the feature is shuffled, +- its standard error.";
/// The order of tables by importance.
const ORDER: &str = "First comes what costs the log loss most.";

/// Features, most important first, and rows in order of selection.
pub fn print_sieved(
    model: &Summary<'_>,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let all = limits.features == usize::MAX;
    writeln!(out)?;
    print_ranked(model, if all { usize::MAX } else { FEATURES }, out)?;
    print_dropped(&model.features, limits, out)?;
    print_selection(model, if all { usize::MAX } else { ROWS }, out)
}

/// Features, most important first, where that was measured.
pub fn print_importances(
    model: &Summary<'_>,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let features = &model.features;
    if features.importances.is_empty() {
        return Ok(());
    }
    let most = limits.measured;
    let row = |i: &Importance| vec![clean(&features.names[i.feature], NAME), shuffled(i)];
    let rows: Vec<Vec<String>> = features.importances.iter().take(most).map(row).collect();
    writeln!(out)?;
    table(&["feature", "shuffled"], &rows, out)?;
    print_more(features.used().len(), rows.len(), out)?;
    writeln!(out, "{}", wrapped(&format!("{SHUFFLED} {ORDER}"), "  "))?;
    Ok(())
}

/// By how much the error grows.
pub fn shuffled(i: &Importance) -> String {
    let sign = if i.error < 0.0 { "" } else { "+" };
    let (error, se) = (percent(i.error), percent(i.error_se));
    format!("{sign}{error} error +- {se}")
}

fn print_ranked(model: &Summary<'_>, most: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let features = &model.features;
    let ranked = features.ranked();
    if ranked.is_empty() {
        return Ok(());
    }
    let measured = !features.importances.is_empty();
    let mut header = vec!["feature", "weight"];
    if !features.folds.is_empty() {
        header.push("kept in folds");
    }
    if measured {
        header.push("shuffled");
    }
    let row = |&j: &usize| {
        let mut row = vec![
            clean(&features.names[j], NAME),
            format!("{:.3}", features.relative_weight(j)),
        ];
        row.extend(kept_in_folds(model, j));
        row.extend(features.importance(j).map(shuffled));
        row
    };
    let rows: Vec<Vec<String>> = ranked.iter().take(most).map(row).collect();
    table(&header, &rows, out)?;
    print_more(ranked.len(), most, out)?;
    if measured {
        writeln!(
            out,
            "{}",
            wrapped(&format!("{WEIGHT} {SHUFFLED} {ORDER}"), "  ")
        )?;
    }
    Ok(())
}

/// The first rows in order of selection, with the share of the variance of the class indicators
/// that each explains.
fn print_selection(model: &Summary<'_>, most: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let steps = model.features.explained();
    if steps.is_empty() {
        return Ok(());
    }
    let row = |(k, step): (usize, &Explained)| {
        vec![
            (k + 1).to_string(),
            step.row.to_string(),
            step.own
                .map_or(String::new(), |v| format!("+{}", percent(v.max(0.0)))),
            percent(step.so_far),
        ]
    };
    let rows: Vec<Vec<String>> = steps.iter().enumerate().take(most).map(row).collect();
    writeln!(out)?;
    table(&["", "row", "explains", "so far"], &rows, out)?;
    print_more(steps.len(), most, out)
}
