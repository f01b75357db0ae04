//! Coefficients of linear posteriors.

use super::features::{Limits, NAME, NEXT, print_dropped, print_more};
use super::layout::{table, wrapped};
use crate::failure::Failure;
use crate::view::summary::{ClassCoefficients, Summary};
use crate::view::words::{clean, coefficient, first_of, percent, short, width};
use std::io::Write;

/// Coefficients class by class: how many are left, and the largest; then how many are left along
/// the path of penalties.
pub fn print_coefficients(
    model: &Summary<'_>,
    rows: &[ClassCoefficients],
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let names = &model.features.names;
    print_classes(rows, names, limits, out)?;
    let total = rows.len() * names.len();
    let kept: usize = rows.iter().map(|r| r.coef.len()).sum();
    writeln!(out, "  {} of {total} coefficients are zero", total - kept)?;
    print_dropped(&model.features, limits, out)?;
    print_penalties(model, total, limits, out)
}

/// Coefficients class by class.
pub fn print_classes(
    rows: &[ClassCoefficients],
    names: &[String],
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let longest = rows.iter().map(|r| width(&clean(&r.class, NAME))).max();
    // The width that the other columns and `, ... 12 more` leave.
    let room = 42usize.saturating_sub(longest.unwrap_or(0).max(5) - 5);
    let words = |row: &ClassCoefficients, most: usize| -> Vec<String> {
        let largest = row.coef.iter().take(most);
        let word =
            |(j, w): &(usize, f64)| format!("{} {}", clean(&names[*j], NEXT), coefficient(*w));
        largest.map(word).collect()
    };
    let line = |row: &ClassCoefficients| {
        vec![
            clean(&row.class, NAME),
            row.coef.len().to_string(),
            (names.len() - row.coef.len()).to_string(),
            first_of(&words(row, 8), row.coef.len(), room),
        ]
    };
    let lines: Vec<Vec<String>> = rows.iter().take(limits.classes).map(line).collect();
    writeln!(out)?;
    table(&["class", "nonzero", "zeros", "coefficients"], &lines, out)?;
    if limits.features == usize::MAX {
        writeln!(out)?;
        for row in rows.iter().filter(|r| !r.coef.is_empty()) {
            let all = words(row, usize::MAX).join(", ");
            let text = format!("{}: {all}", clean(&row.class, NAME));
            writeln!(out, "{}", wrapped(&text, "  "))?;
        }
    }
    print_more(rows.len(), limits.classes, out)
}

/// Penalties with the number of `total` coefficients that they leave: about a dozen, starting at
/// the last one that leaves none, and including the chosen one.
fn print_penalties(
    model: &Summary<'_>,
    total: usize,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let path = &model.features.path;
    if path.len() < 2 || limits.path == 0 {
        return Ok(());
    }
    let at = path.iter().position(|s| s.penalty == model.penalty);
    let empty = path.iter().rposition(|s| s.size == 0).unwrap_or(0);
    let first = empty.min(at.unwrap_or(usize::MAX));
    let step = (path.len() - first).div_ceil(limits.path);
    let shown = (first..path.len()).filter(|k| (k - first).is_multiple_of(step) || Some(*k) == at);
    let line = |k: usize| {
        let mark = if Some(k) == at { "*" } else { "" };
        vec![
            mark.into(),
            short(path[k].penalty.unwrap_or(0.0)),
            path[k].size.to_string(),
            (total - path[k].size.min(total)).to_string(),
            path[k].error_at_penalty.map_or(String::new(), percent),
        ]
    };
    let header = ["", "penalty", "nonzero", "zeros", "CV error"];
    writeln!(out)?;
    table(&header, &shown.map(line).collect::<Vec<_>>(), out)?;
    Ok(())
}
