//! Which features matter: their weights, how stable they are, and the path along which the others
//! were dropped.

use super::coefficients::print_coefficients;
use super::imports::print_imports;
use super::layout::{padded, table, wrapped};
use super::linear::print_linear;
use super::sieved::{SHUFFLED, print_importances, print_sieved, shuffled};
use crate::failure::Failure;
use crate::view::summary::{CoefficientKind, Features, Step, Summary};
use crate::view::words::{clean, first_of, fitting, percent, short};
use std::io::Write;

/// How much is shown.
pub struct Limits {
    /// Features with their weights, or imports.
    pub features: usize,
    /// Classes with their coefficients.
    pub classes: usize,
    /// Penalties of the path.
    pub path: usize,
    /// Features with their importance or their coefficients.
    pub measured: usize,
    /// Names in a list.
    names: usize,
}

impl Limits {
    /// What a fit shows.
    pub const FIT: Self = Self {
        features: 30,
        classes: 12,
        path: 12,
        measured: 12,
        names: 20,
    };
    /// What fits on a screen with the rest of a model.
    pub const SCREEN: Self = Self {
        features: 10,
        classes: 6,
        path: 0,
        measured: 5,
        names: 20,
    };
    /// Everything.
    pub const ALL: Self = Self {
        features: usize::MAX,
        classes: usize::MAX,
        path: usize::MAX,
        measured: usize::MAX,
        names: usize::MAX,
    };
}

/// Columns of the name of a feature or a class.
pub const NAME: usize = 48;

/// The same in a list.
const LISTED_NAME: usize = 24;
/// Columns of a name that stands next to others.
pub const NEXT: usize = 16;

/// Features by the method's own measure, where it has one, and by what each is worth on rows that a
/// fit has not seen, where that was measured.
pub fn print_features(
    model: &Summary<'_>,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let features = &model.features;
    match &features.coefficients {
        _ if features.is_imported() && !features.path.is_empty() => {
            print_imports(model, limits, out)?;
        }
        Some((CoefficientKind::Posteriors, rows)) => print_coefficients(model, rows, limits, out)?,
        _ if model.is_sieved() => print_sieved(model, limits, out)?,
        _ if features.is_weighted => return print_weights(model, limits, out),
        _ => {}
    }
    match &features.coefficients {
        Some((kind, rows)) if *kind != CoefficientKind::Posteriors => {
            print_linear(model, *kind, rows, limits, out)?;
        }
        _ => {}
    }
    match model.is_sieved() {
        true => Ok(()),
        false => print_importances(model, limits, out),
    }
}

/// Features by weight with the number of folds that kept them, and the dropped ones by name.
fn print_weights(model: &Summary<'_>, limits: &Limits, out: &mut dyn Write) -> Result<(), Failure> {
    let features = &model.features;
    let weights = features.weights;
    let mut kept = features.used();
    kept.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()));
    let mut header = vec!["feature", "weight"];
    if !features.folds.is_empty() {
        header.push("kept in folds");
    }
    let measured = !features.importances.is_empty();
    if measured {
        header.push("shuffled");
    }
    let row = |&j: &usize| {
        let mut row = vec![
            clean(&features.names[j], NAME),
            format!("{:.3}", weights[j]),
        ];
        row.extend(kept_in_folds(model, j));
        row.extend(features.importance(j).map(shuffled));
        row
    };
    let rows: Vec<Vec<String>> = kept.iter().take(limits.features).map(row).collect();
    writeln!(out)?;
    if !rows.is_empty() {
        table(&header, &rows, out)?;
    }
    print_more(kept.len(), limits.features, out)?;
    if measured {
        writeln!(out, "{}", wrapped(SHUFFLED, "  "))?;
    }
    print_dropped(features, limits, out)
}

/// `4 of 5` folds that kept a feature, where they were counted.
pub fn kept_in_folds(model: &Summary<'_>, feature: usize) -> Option<String> {
    let kept = model.features.folds.get(feature)?;
    Some(format!("{kept} of {}", model.tuning.as_ref()?.folds))
}

/// How many there are beyond those shown, and where to find them.
pub fn print_more(total: usize, shown: usize, out: &mut dyn Write) -> Result<(), Failure> {
    if total > shown {
        writeln!(out, "  ... {} more (--json has all)", total - shown)?;
    }
    Ok(())
}

/// The names of features without a weight.
pub fn print_dropped(
    features: &Features<'_>,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let dropped = features.dropped().into_iter();
    let dropped: Vec<String> = dropped
        .map(|j| clean(&features.names[j], LISTED_NAME))
        .collect();
    if !dropped.is_empty() {
        let (shown, room) = if limits.names == usize::MAX {
            (dropped.len(), usize::MAX)
        } else {
            (dropped.len().min(limits.names), 56)
        };
        let names = first_of(&dropped[..shown], dropped.len(), room);
        writeln!(out, "{}", wrapped(&format!("dropped: {names}"), "  "))?;
    }
    Ok(())
}

/// Weights against the penalty, for the features that stay longest.
pub fn print_path(model: &Summary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    /// Features shown along the path.
    const ALONG: usize = 6;
    let features = &model.features;
    let path = &features.path;
    if !features.is_weighted || model.is_sieved() || path.len() < 2 {
        return Ok(());
    }
    let order = by_stay(path);
    let heads = order.iter().take(ALONG);
    let heads: Vec<String> = heads
        .map(|&j| padded(&clean(&features.names[j], 9), 5))
        .collect();
    // What penalty, features and error leave.
    let (heads, _) = fitting(&heads, 46);
    let shown = &order[..heads.len()];
    let mut header = vec!["penalty", "features", "CV error"];
    header.extend(heads.iter().map(|h| h.trim_end()));
    let row = |step: &Step<'_>| {
        let mut row = vec![
            short(step.penalty.unwrap_or(0.0)),
            step.size.to_string(),
            step.error_at_penalty.map_or(String::new(), percent),
        ];
        row.extend(shown.iter().map(|j| {
            let w = step.weights.iter().find(|(k, _)| k == j);
            w.map_or("0".into(), |(_, w)| format!("{w:.3}"))
        }));
        row
    };
    writeln!(out)?;
    table(&header, &path.iter().map(row).collect::<Vec<_>>(), out)?;
    Ok(())
}

/// Features by the last step in which they have a weight, then by that weight.
fn by_stay(path: &[Step<'_>]) -> Vec<usize> {
    let mut order: Vec<(usize, f64, usize)> = Vec::new();
    for (k, step) in path.iter().enumerate() {
        for &(j, w) in step.weights {
            order.retain(|o| o.2 != j);
            order.push((k, w, j));
        }
    }
    order.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    order.into_iter().map(|o| o.2).collect()
}
