//! Which features matter: their weights, how stable they are, and the path along which the others left.

use super::{ClassCoefficients, coefficients};
use crate::failure::Failure;
use crate::output::{clean, coefficient, percent, short, table};
use kernsieve::model::Model;
use std::io::Write;

/// Features shown with their weights.
const SHOWN: usize = 15;
/// Features shown along the path.
const ALONG: usize = 6;
const NAME: usize = 24;
const NEXT: usize = 16;
/// Classes shown with their coefficients.
const CLASSES: usize = 12;

/// Features by weight with the number of folds that kept them, and the dropped ones by name. Nothing for methods that learn no
/// weights.
pub fn print_features(model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    if !model.record.report.imported.is_empty() {
        return print_imports(model, out);
    }
    if let Some(rows) = coefficients(model) {
        return print_coefficients(model, &rows, out);
    }
    if !learns_weights(model) {
        return Ok(());
    }
    let (names, weights) = (model.feature_names(), model.feature_weights());
    let cv = model.record.cv.as_ref();
    let folds: &[usize] = cv.map(|cv| cv.best().feature_folds.as_slice()).unwrap_or_default();
    let mut kept: Vec<usize> = (0..weights.len()).filter(|&j| weights[j] != 0.0).collect();
    kept.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()));
    let mut header = vec!["feature", "weight"];
    if !folds.is_empty() {
        header.push("kept in folds");
    }
    let rows: Vec<Vec<String>> = kept
        .iter()
        .take(SHOWN)
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
    if kept.len() > SHOWN {
        writeln!(out, "  ... {} more (--json has all)", kept.len() - SHOWN)?;
    }
    print_dropped(model, out)
}

/// The names of features without a weight.
fn print_dropped(model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    let (names, weights) = (model.feature_names(), model.feature_weights());
    let dropped: Vec<String> = (0..weights.len())
        .filter(|&j| weights[j] == 0.0)
        .map(|j| clean(&names[j], NAME))
        .collect();
    if !dropped.is_empty() {
        writeln!(
            out,
            "  dropped: {}",
            super::first_of(&dropped[..dropped.len().min(20)], dropped.len(), 60)
        )?;
    }
    Ok(())
}

/// Coefficients of linear posteriors, class by class: how many are left, and the largest.
fn print_coefficients(model: &Model, rows: &[ClassCoefficients], out: &mut dyn Write) -> Result<(), Failure> {
    let names = model.feature_names();
    let longest = rows
        .iter()
        .map(|r| clean(&r.class, NAME).chars().count())
        .max()
        .unwrap_or(0);
    let room = 70usize.saturating_sub(longest);
    let lines: Vec<Vec<String>> = rows
        .iter()
        .take(CLASSES)
        .map(|row| {
            let largest = row.coef.iter().take(8);
            let words: Vec<String> = largest
                .map(|(j, w)| format!("{} {}", clean(&names[*j], NEXT), coefficient(*w)))
                .collect();
            vec![
                clean(&row.class, NAME),
                row.coef.len().to_string(),
                (names.len() - row.coef.len()).to_string(),
                super::first_of(&words, row.coef.len(), room),
            ]
        })
        .collect();
    writeln!(out)?;
    table(&["class", "nonzero", "zeros", "coefficients"], &lines, out)?;
    if rows.len() > CLASSES {
        writeln!(out, "  ... {} more (--json has all)", rows.len() - CLASSES)?;
    }
    let (total, kept) = (
        rows.len() * names.len(),
        rows.iter().map(|r| r.coef.len()).sum::<usize>(),
    );
    writeln!(out, "  {} of {total} coefficients are zero", total - kept)?;
    print_dropped(model, out)?;
    let path = &model.record.report.path;
    if path.len() < 2 {
        return Ok(());
    }
    // From the last penalty that leaves nothing on; about a dozen of them, the chosen one among them.
    let chosen = model.record.candidate.reader().sparsity;
    let at = path.iter().position(|s| s.sparsity == chosen);
    let first = path
        .iter()
        .rposition(|s| s.size == 0)
        .unwrap_or(0)
        .min(at.unwrap_or(usize::MAX));
    let step = (path.len() - first).div_ceil(12);
    let shown = (first..path.len()).filter(|k| (k - first).is_multiple_of(step) || Some(*k) == at);
    let lines: Vec<Vec<String>> = shown
        .map(|k| {
            let penalty = path[k].sparsity.unwrap_or(0.0);
            vec![
                if Some(k) == at { "*".into() } else { String::new() },
                short(penalty),
                path[k].size.to_string(),
                (total - path[k].size.min(total)).to_string(),
                super::cv_error_at(&model.record, penalty).map_or(String::new(), percent),
            ]
        })
        .collect();
    writeln!(out)?;
    table(&["", "penalty", "nonzero", "zeros", "CV error"], &lines, out)?;
    Ok(())
}

/// Features in order of import: the objective that ranks candidates within a step, by how much the next best one would have been worse, what
/// each import did to the errors, and those that
/// came next but stayed out.
fn print_imports(model: &Model, out: &mut dyn Write) -> Result<(), Failure> {
    let (names, report) = (model.feature_names(), &model.record.report);
    let cv = model.record.cv.as_ref();
    let curve = cv.map(|cv| cv.curve.as_slice()).unwrap_or_default();
    let folds: &[usize] = cv.map(|cv| cv.best().feature_folds.as_slice()).unwrap_or_default();
    let mut header = vec!["", "import", "feature", "H", "next best", "worse by", "training error"];
    if !curve.is_empty() {
        header.extend(["CV error", "s.e."]);
    }
    if !folds.is_empty() {
        header.push("in folds");
    }
    let steps = report.path.iter().filter_map(|s| Some((s, s.feature?)));
    let rows: Vec<Vec<String>> = steps
        .map(|(step, j)| {
            let kept = step.size <= report.imported.len();
            let mut row = vec![
                if kept { "*".into() } else { String::new() },
                step.size.to_string(),
                clean(&names[j], NAME),
                format!("{:.5}", step.objective),
                step.runner_up
                    .map_or(String::new(), |(next, _)| clean(&names[next], NEXT)),
                step.runner_up
                    .map_or(String::new(), |(_, h)| format!("{:.5}", (h - step.objective).max(0.0))),
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
    let shown: Vec<usize> = order.iter().take(ALONG).map(|o| o.2).collect();
    let heads: Vec<String> = shown.iter().map(|&j| clean(&names[j], 9)).collect();
    let mut header = vec!["penalty", "features", "CV error"];
    header.extend(heads.iter().map(String::as_str));
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
