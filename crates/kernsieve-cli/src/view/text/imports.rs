//! Features in order of import.

use super::features::{Limits, NAME, NEXT, kept_in_folds, print_more};
use super::layout::{table, wrapped};
use crate::failure::Failure;
use crate::view::summary::{Step, Summary};
use crate::view::words::{clean, percent};
use std::io::Write;

/// What the columns are.
const COLUMNS: &str = "H: the objective after this import; worse: by how much that of the next \
                       best feature is larger; train, CV: errors.";

/// Features in order of import: the objective that ranks candidates within a step, by how much the
/// next best one would have been worse, what each import did to the errors, and those that came
/// next but were left out.
pub fn print_imports(
    model: &Summary<'_>,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let features = &model.features;
    let with_curve = model.tuning.as_ref().is_some_and(|cv| !cv.curve.is_empty());
    let mut header = vec!["", "", "feature", "H", "next best", "worse", "train"];
    if with_curve {
        header.extend(["CV", "s.e."]);
    }
    if !features.folds.is_empty() {
        header.push("folds");
    }
    let steps = features.path.iter().filter_map(|s| Some((s, s.feature?)));
    let steps: Vec<(&Step<'_>, usize)> = steps.collect();
    let row = |&(step, j): &(&Step<'_>, usize)| {
        let kept = step.size <= features.imported.len();
        let name = |j: usize, columns| clean(&features.names[j], columns);
        let next = step.runner_up.map(|(next, _)| name(next, NEXT));
        let worse = step.runner_up.map(|(_, h)| (h - step.objective).max(0.0));
        let mut row = vec![
            if kept { "*".into() } else { String::new() },
            step.size.to_string(),
            name(j, NAME),
            format!("{:.4}", step.objective),
            next.unwrap_or_default(),
            worse.map_or(String::new(), |w| format!("{w:.4}")),
            step.train_error.map(percent).unwrap_or_default(),
        ];
        if with_curve {
            let point = step.point;
            row.push(point.map_or(String::new(), |p| percent(p.error)));
            row.push(point.map_or(String::new(), |p| percent(p.standard_error)));
        }
        // Counted among as many features as were chosen: the count means nothing for the others.
        if kept {
            row.extend(kept_in_folds(model, j));
        }
        row
    };
    let rows: Vec<Vec<String>> = steps.iter().take(limits.features).map(row).collect();
    writeln!(out)?;
    table(&header, &rows, out)?;
    print_more(steps.len(), limits.features, out)?;
    writeln!(out, "{}", wrapped(COLUMNS, "  "))?;
    print_groups(&steps, &features.names, limits, out)
}

/// Which features stand for which others.
fn print_groups(
    steps: &[(&Step<'_>, usize)],
    names: &[String],
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let name = |j: usize| clean(&names[j], NAME);
    for (step, j) in steps.iter().take(limits.features) {
        let Some((last, others)) = step.associated.split_last() else {
            continue;
        };
        let mut others: Vec<String> = others.iter().map(|&k| name(k)).collect();
        let rest = others.len().saturating_sub(limits.features);
        others.truncate(limits.features);
        others.push(match rest {
            0 => name(*last),
            more => format!("... {} more", more + 1),
        });
        let words = format!("{} stands for {}", name(*j), others.join(", "));
        writeln!(out, "{}", wrapped(&words, "  "))?;
    }
    Ok(())
}
