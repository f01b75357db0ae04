//! Coefficients of log scores that are linear in the features, or of their linear part.

use super::coefficients::print_classes;
use super::features::{Limits, NAME, print_more};
use super::layout::{table, wrapped};
use crate::failure::Failure;
use crate::view::summary::{ClassCoefficients, CoefficientKind, Summary};
use crate::view::words::{clean, coefficient};
use std::io::Write;

/// Classes that fit beside each other.
const CLASSES: usize = 5;
/// Columns of the name of a class.
const CLASS: usize = 9;

/// Features by their largest coefficient, one column per class; class by class if there are many.
pub fn print_linear(
    model: &Summary<'_>,
    kind: CoefficientKind,
    rows: &[ClassCoefficients],
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let names = &model.features.names;
    if rows.len() > CLASSES {
        print_classes(rows, names, limits, out)?;
    } else {
        let (order, most) = (by_size(rows), limits.measured);
        let line = |&j: &usize| {
            let mut line = vec![clean(&names[j], NAME)];
            line.extend(rows.iter().map(|r| coefficient(of(r, j))));
            line
        };
        let classes: Vec<String> = rows.iter().map(|r| clean(&r.class, CLASS)).collect();
        let mut header = vec!["feature"];
        header.extend(classes.iter().map(String::as_str));
        let lines: Vec<Vec<String>> = order.iter().take(most).map(line).collect();
        writeln!(out)?;
        table(&header, &lines, out)?;
        print_more(order.len(), most, out)?;
    }
    writeln!(out, "{}", wrapped(&words(model, kind, rows), "  "))?;
    Ok(())
}

fn words(model: &Summary<'_>, kind: CoefficientKind, rows: &[ClassCoefficients]) -> String {
    let what = match (rows.len(), kind) {
        (1, CoefficientKind::Part) => "the linear part of the log odds",
        (1, _) => "the log odds",
        (_, CoefficientKind::Part) => "the linear part of the log scores",
        _ => "the log scores",
    };
    let units = model.plan.units();
    format!("coefficients of {what}, in {units}; above 0 speaks for the class.")
}

/// The coefficient of a feature.
fn of(row: &ClassCoefficients, feature: usize) -> f64 {
    let found = row.coef.iter().find(|(j, _)| *j == feature);
    found.map_or(0.0, |(_, w)| *w)
}

/// Features with a coefficient, by the largest of any class.
fn by_size(rows: &[ClassCoefficients]) -> Vec<usize> {
    let mut all: Vec<(usize, f64)> = rows.iter().flat_map(|r| r.coef.iter().copied()).collect();
    all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    let mut order: Vec<usize> = Vec::new();
    for (j, _) in all {
        if !order.contains(&j) {
            order.push(j);
        }
    }
    order
}
