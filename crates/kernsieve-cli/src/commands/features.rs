//! Which features matter: their weights, how stable they are, and the path along which the others
//! left.

use super::{ClassCoefficients, coefficients};
use crate::failure::Failure;
use crate::output::{clean, coefficient, fitting, padded, percent, short, table, width, wrapped};
use kernsieve::model::Model;
use std::io::Write;

/// How much is shown.
pub struct Limits {
    /// Features with their weights, or imports.
    features: usize,
    /// Classes with their coefficients.
    classes: usize,
    /// Penalties of the path.
    path: usize,
    /// Names in a list.
    names: usize,
}

impl Limits {
    /// What a fit says of itself.
    pub const FIT: Self = Self {
        features: 30,
        classes: 12,
        path: 12,
        names: 20,
    };
    /// What fits on a screen with the rest of a model.
    pub const SCREEN: Self = Self {
        features: 10,
        classes: 6,
        path: 0,
        names: 20,
    };
    /// Everything.
    pub const ALL: Self = Self {
        features: usize::MAX,
        classes: usize::MAX,
        path: usize::MAX,
        names: usize::MAX,
    };
}

/// Features shown along the path.
const ALONG: usize = 6;
const NAME: usize = 24;
const NEXT: usize = 16;

/// Features by weight with the number of folds that kept them, and the dropped ones by name.
/// Nothing for methods that learn no weights.
pub fn print_features(model: &Model, limits: &Limits, out: &mut dyn Write) -> Result<(), Failure> {
    if !model.record.report.imported.is_empty() {
        return print_imports(model, limits, out);
    }
    if let Some(rows) = coefficients(model) {
        return print_coefficients(model, &rows, limits, out);
    }
    if !learns_weights(model) {
        return Ok(());
    }
    let (names, weights) = (model.feature_names(), model.feature_weights());
    let cv = model.record.cv.as_ref();
    let folds: &[usize] = cv
        .map(|cv| cv.best().feature_folds.as_slice())
        .unwrap_or_default();
    let mut kept: Vec<usize> = (0..weights.len()).filter(|&j| weights[j] != 0.0).collect();
    kept.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()));
    let mut header = vec!["feature", "weight"];
    if !folds.is_empty() {
        header.push("kept in folds");
    }
    let rows: Vec<Vec<String>> = kept
        .iter()
        .take(limits.features)
        .map(|&j| {
            let mut row = vec![clean(&names[j], NAME), format!("{:.3}", weights[j])];
            if let (Some(k), Some(cv)) = (folds.get(j), cv) {
                row.push(format!("{k} of {}", cv.folds));
            }
            row
        })
        .collect();
    writeln!(out)?;
    if !rows.is_empty() {
        table(&header, &rows, out)?;
    }
    print_more(kept.len(), limits.features, out)?;
    print_dropped(model, limits, out)
}

/// How many there are beyond those shown, and where to find them.
fn print_more(total: usize, shown: usize, out: &mut dyn Write) -> Result<(), Failure> {
    if total > shown {
        writeln!(out, "  ... {} more (--json has all)", total - shown)?;
    }
    Ok(())
}

/// The names of features without a weight.
fn print_dropped(model: &Model, limits: &Limits, out: &mut dyn Write) -> Result<(), Failure> {
    let (names, weights) = (model.feature_names(), model.feature_weights());
    let dropped: Vec<String> = (0..weights.len())
        .filter(|&j| weights[j] == 0.0)
        .map(|j| clean(&names[j], NAME))
        .collect();
    if !dropped.is_empty() {
        let (shown, room) = if limits.names == usize::MAX {
            (dropped.len(), usize::MAX)
        } else {
            (dropped.len().min(limits.names), 56)
        };
        let words = format!(
            "dropped: {}",
            super::first_of(&dropped[..shown], dropped.len(), room)
        );
        writeln!(out, "{}", wrapped(&words, "  "))?;
    }
    Ok(())
}

/// Coefficients of linear posteriors, class by class: how many are left, and the largest.
fn print_coefficients(
    model: &Model,
    rows: &[ClassCoefficients],
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let names = model.feature_names();
    let longest = rows
        .iter()
        .map(|r| width(&clean(&r.class, NAME)))
        .max()
        .unwrap_or(0);
    // What the other columns and `, ... 12 more` leave.
    let room = 42usize.saturating_sub(longest.max(5) - 5);
    let words = |row: &ClassCoefficients, most: usize| -> Vec<String> {
        let largest = row.coef.iter().take(most);
        let word =
            |(j, w): &(usize, f64)| format!("{} {}", clean(&names[*j], NEXT), coefficient(*w));
        largest.map(word).collect()
    };
    let lines: Vec<Vec<String>> = rows
        .iter()
        .take(limits.classes)
        .map(|row| {
            vec![
                clean(&row.class, NAME),
                row.coef.len().to_string(),
                (names.len() - row.coef.len()).to_string(),
                super::first_of(&words(row, 8), row.coef.len(), room),
            ]
        })
        .collect();
    writeln!(out)?;
    table(&["class", "nonzero", "zeros", "coefficients"], &lines, out)?;
    if limits.features == usize::MAX {
        writeln!(out)?;
        for row in rows.iter().filter(|r| !r.coef.is_empty()) {
            let text = format!(
                "{}: {}",
                clean(&row.class, NAME),
                words(row, usize::MAX).join(", ")
            );
            writeln!(out, "{}", wrapped(&text, "  "))?;
        }
    }
    print_more(rows.len(), limits.classes, out)?;
    let (total, kept) = (
        rows.len() * names.len(),
        rows.iter().map(|r| r.coef.len()).sum::<usize>(),
    );
    writeln!(out, "  {} of {total} coefficients are zero", total - kept)?;
    print_dropped(model, limits, out)?;
    let path = &model.record.report.path;
    if path.len() < 2 || limits.path == 0 {
        return Ok(());
    }
    // From the last penalty that leaves nothing on; about a dozen of them, the chosen one among
    // them.
    let chosen = model.record.candidate.reader().sparsity;
    let at = path.iter().position(|s| s.sparsity == chosen);
    let first = path
        .iter()
        .rposition(|s| s.size == 0)
        .unwrap_or(0)
        .min(at.unwrap_or(usize::MAX));
    let step = (path.len() - first).div_ceil(limits.path);
    let shown = (first..path.len()).filter(|k| (k - first).is_multiple_of(step) || Some(*k) == at);
    let lines: Vec<Vec<String>> = shown
        .map(|k| {
            let penalty = path[k].sparsity.unwrap_or(0.0);
            vec![
                if Some(k) == at {
                    "*".into()
                } else {
                    String::new()
                },
                short(penalty),
                path[k].size.to_string(),
                (total - path[k].size.min(total)).to_string(),
                super::cv_error_at(&model.record, penalty).map_or(String::new(), percent),
            ]
        })
        .collect();
    writeln!(out)?;
    table(
        &["", "penalty", "nonzero", "zeros", "CV error"],
        &lines,
        out,
    )?;
    Ok(())
}

/// Features in order of import: the objective that ranks candidates within a step, by how much the
/// next best one would have been worse, what each import did to the errors, and those that came
/// next but stayed out.
fn print_imports(model: &Model, limits: &Limits, out: &mut dyn Write) -> Result<(), Failure> {
    let (names, report) = (model.feature_names(), &model.record.report);
    let cv = model.record.cv.as_ref();
    let curve = cv.map(|cv| cv.curve.as_slice()).unwrap_or_default();
    let folds: &[usize] = cv
        .map(|cv| cv.best().feature_folds.as_slice())
        .unwrap_or_default();
    let mut header = vec!["", "", "feature", "H", "next best", "worse", "train"];
    if !curve.is_empty() {
        header.extend(["CV", "s.e."]);
    }
    if !folds.is_empty() {
        header.push("folds");
    }
    let steps: Vec<_> = report
        .path
        .iter()
        .filter_map(|s| Some((s, s.feature?)))
        .collect();
    let total = steps.len();
    let rows: Vec<Vec<String>> = steps
        .into_iter()
        .take(limits.features)
        .map(|(step, j)| {
            let kept = step.size <= report.imported.len();
            let mut row = vec![
                if kept { "*".into() } else { String::new() },
                step.size.to_string(),
                clean(&names[j], NAME),
                format!("{:.4}", step.objective),
                step.runner_up
                    .map_or(String::new(), |(next, _)| clean(&names[next], NEXT)),
                step.runner_up.map_or(String::new(), |(_, h)| {
                    format!("{:.4}", (h - step.objective).max(0.0))
                }),
                step.train_error.map(percent).unwrap_or_default(),
            ];
            if !curve.is_empty() {
                let point = curve.iter().find(|p| p.size == step.size);
                row.push(point.map_or(String::new(), |p| percent(p.error)));
                row.push(point.map_or(String::new(), |p| percent(p.standard_error)));
            }
            // Counted among as many features as were chosen: of the others it would say nothing.
            if let (Some(k), Some(cv), true) = (folds.get(j), cv, kept) {
                row.push(format!("{k} of {}", cv.folds));
            }
            row
        })
        .collect();
    writeln!(out)?;
    table(&header, &rows, out)?;
    print_more(total, limits.features, out)?;
    let words = "H: the objective after this import; worse: by how much that of the next best feature is larger; train, CV: errors.";
    writeln!(out, "{}", wrapped(words, "  "))?;
    Ok(())
}

/// Weights against the penalty, for the features that stay longest.
pub fn print_path(model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    let path = &model.record.report.path;
    if !learns_weights(model) || path.len() < 2 {
        return Ok(());
    }
    let names = model.feature_names();
    // By the last step in which a feature has a weight, then by that weight.
    let mut order: Vec<(usize, f64, usize)> = Vec::new();
    for (k, step) in path.iter().enumerate() {
        for &(j, w) in &step.weights {
            order.retain(|o| o.2 != j);
            order.push((k, w, j));
        }
    }
    order.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    let heads: Vec<String> = order
        .iter()
        .take(ALONG)
        .map(|o| padded(&clean(&names[o.2], 9), 5))
        .collect();
    // What penalty, features and error leave.
    let (heads, _) = fitting(&heads, 46);
    let shown: Vec<usize> = order.iter().take(heads.len()).map(|o| o.2).collect();
    let mut header = vec!["penalty", "features", "CV error"];
    header.extend(heads.iter().map(|h| h.trim_end()));
    let rows: Vec<Vec<String>> = path
        .iter()
        .map(|step| {
            let penalty = step.sparsity.unwrap_or(0.0);
            let mut row = vec![
                short(penalty),
                step.size.to_string(),
                super::cv_error_at(&model.record, penalty).map_or(String::new(), percent),
            ];
            row.extend(shown.iter().map(|j| {
                let w = step.weights.iter().find(|(k, _)| k == j);
                w.map_or("0".into(), |(_, w)| format!("{w:.3}"))
            }));
            row
        })
        .collect();
    writeln!(out)?;
    table(&header, &rows, out)?;
    Ok(())
}

fn learns_weights(model: &Model) -> bool {
    model.record.candidate.sparsity.is_some()
}
