//! What each feature is worth on rows that a fit has not seen; of models that keep few rows, the rows
//! in order of selection.

use super::Analysis;
use super::features::{SHOWN, folds, more};
use super::frame::{Section, bar, name, table};
use crate::view::words::{coefficient, percent};
use std::fmt::Write;

/// Rows in order of selection that are listed.
const ROWS: usize = 30;

/// Features, most important first, with standard errors.
pub fn importances(a: &Analysis<'_>, body: &mut String) {
    let features = &a.summary.features;
    let folds = folds(a);
    let strongest = a.strength.features.iter().map(|f| f.1);
    let largest = strongest.fold(f64::MIN_POSITIVE, f64::max);
    let mut head = vec![("feature", false)];
    if features.is_weighted {
        head.push(("weight", true));
    }
    if folds.is_some() {
        head.push(("kept in folds", true));
    }
    head.extend([
        ("growth of the error", true),
        ("growth of the log loss", true),
        ("", false),
    ]);
    let row = |&(j, log_loss): &(usize, f64)| {
        let mut row = vec![name(&features.names[j])];
        if features.is_weighted {
            row.push(format!("{:.3}", features.relative_weight(j)));
        }
        if let Some((folds, of)) = folds {
            row.push(format!("{} of {of}", folds.get(j).copied().unwrap_or(0)));
        }
        let (error, error_se, se) = match features.importance(j) {
            Some(i) => (i.error, i.error_se, i.log_loss_se),
            None => (0.0, 0.0, 0.0),
        };
        row.push(format!("{} ± {}", percent(error), percent(error_se)));
        row.push(format!("{} ± {}", coefficient(log_loss), coefficient(se)));
        row.push(bar_with_error(log_loss / largest, se / largest));
        row
    };
    let shown = a.strength.features.iter().take(SHOWN);
    let rows: Vec<Vec<String>> = shown.map(row).collect();
    let _ = writeln!(
        body,
        "<p>Features by {}, with standard errors over the folds; the bars show the log loss, and \
         the thin lines one standard error to either side. Features that say the same thing share \
         their strength, and each of them then looks weak.{}</p>\n{}",
        a.strength.words(&a.summary.plan),
        match features.is_weighted {
            true => " Weights are those inside the kernel, relative to the largest.",
            false => "",
        },
        table(&head, &rows, "bars")
    );
    more(features.used().len(), body);
}

/// A bar with a line from one standard error below its end to one above it.
fn bar_with_error(share: f64, error: f64) -> String {
    let ends = [share - error, share + error].map(|v| 100.0 * v.clamp(0.0, 1.0));
    let line = format!(
        "<i style=\"left:{:.1}%;width:{:.1}%\"></i></span>",
        ends[0],
        ends[1] - ends[0]
    );
    let bar = bar(share).replacen("class=\"bar", "class=\"bar ranged", 1);
    bar.strip_suffix("</span>").unwrap_or(&bar).to_string() + &line
}

/// Rows in order of selection, with what each explains.
pub fn section(a: &Analysis<'_>) -> Option<Section> {
    let steps = a.summary.features.explained();
    if !a.summary.is_sieved() || steps.is_empty() {
        return None;
    }
    let rows: Vec<Vec<String>> = steps
        .iter()
        .enumerate()
        .take(ROWS)
        .map(|(k, step)| {
            let own = step.own.map(|v| percent(v.max(0.0)));
            vec![
                (k + 1).to_string(),
                step.row.to_string(),
                own.unwrap_or_default(),
                percent(step.so_far),
                bar(step.so_far),
            ]
        })
        .collect();
    let head = [
        ("step", true),
        ("row", true),
        ("explains", true),
        ("so far", true),
        ("", false),
    ];
    let mut body = format!(
        "<p>The rows that the model keeps, in order of selection, counted from 0. Each is the one \
         that explains most beyond those before it: shares of the variance of the class \
         indicators, on the training rows.</p>\n{}",
        table(&head, &rows, "bars")
    );
    if steps.len() > ROWS {
        let _ = writeln!(
            body,
            "<p class=\"note\">{} more rows; <code>kernsieve inspect --json</code> lists \
             all.</p>",
            steps.len() - ROWS
        );
    }
    Some(Section {
        id: "selection",
        title: "Rows in order of selection".into(),
        body,
    })
}
