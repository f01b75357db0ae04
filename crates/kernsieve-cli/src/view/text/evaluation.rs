//! How good a model is on rows whose classes are known.

use super::layout::{COLUMNS, padded, table, wrapped};
use crate::failure::Failure;
use crate::view::summary::Evaluation;
use crate::view::words::{clean, fitting, percent, short};
use std::io::Write;

/// Shares, losses, and observed against predicted classes.
pub fn evaluation(source: &str, e: &Evaluation, out: &mut dyn Write) -> Result<(), Failure> {
    let words = format!(
        "{}: {} rows, accuracy {}, error {}, balanced accuracy {}, log loss {:.4}",
        clean(source, usize::MAX),
        e.n_rows(),
        percent(1.0 - e.error()),
        percent(e.error()),
        percent(e.balanced()),
        e.mean_log_loss().unwrap_or(f64::NAN)
    );
    writeln!(out, "{}", wrapped(&words, ""))?;
    writeln!(out, "{}", wrapped(&beside(e), ""))?;
    if let Some(words) = cost_words(e) {
        writeln!(out, "{}", wrapped(&words, ""))?;
    }
    writeln!(out)?;
    print_confusion(e, out)
}

/// What always saying the same would have, and how the rows are ordered.
pub fn beside(e: &Evaluation) -> String {
    let mut words = vec![];
    if let Some((class, error, log_loss)) = e.baseline() {
        words.push(format!(
            "{} always saying '{}' (log loss {log_loss:.3} by class shares)",
            percent(error),
            clean(class, 24)
        ));
    }
    if let Some(auc) = e.auc() {
        words.push(format!("AUC {auc:.3}"));
    }
    if let Some(p) = e.positive() {
        let class = clean(p.class, 24);
        words.push(format!(
            "finds {} of {class}",
            p.recall.map_or("-".into(), percent)
        ));
        if let Some(precision) = p.precision {
            words.push(format!("{} of its calls are right", percent(precision)));
        }
    }
    words.join(", ")
}

/// What the costs of errors change, where there are any.
pub fn cost_words(e: &Evaluation) -> Option<String> {
    let (cost, (error, costless)) = (e.mean_cost()?, e.without_costs()?);
    Some(format!(
        "mean cost of a row {}; without the costs it would be {}, with an error of {}",
        short(cost),
        short(costless),
        percent(error)
    ))
}

/// Observed against predicted classes, at most the first dozen and not more than a line can hold.
pub fn print_confusion(e: &Evaluation, out: &mut dyn Write) -> Result<(), Failure> {
    const CORNER: &str = "observed \\ predicted";
    let (classes, confusion) = (e.classes(), e.confusion());
    let names: Vec<String> = classes.iter().take(12).map(|c| clean(c, 14)).collect();
    // A column is as wide as its name or its widest count.
    let largest = confusion.iter().flatten().max();
    let most = largest.map_or(1, |n| n.to_string().len());
    let cells: Vec<String> = names.iter().map(|n| padded(n, most)).collect();
    let shown = fitting(&cells, COLUMNS - 4 - CORNER.len()).0.len();
    let names = &names[..shown];
    let mut header = vec![CORNER];
    header.extend(names.iter().map(String::as_str));
    let row = |i: usize| {
        let mut row = vec![names[i].clone()];
        row.extend(confusion[i][..shown].iter().map(usize::to_string));
        row
    };
    let rows: Vec<Vec<String>> = (0..shown).map(row).collect();
    table(&header, &rows, out)?;
    if classes.len() > shown {
        let (more, all) = (classes.len() - shown, classes.len());
        writeln!(out, "  ({more} more; --json has all {all} classes)")?;
    }
    Ok(())
}
