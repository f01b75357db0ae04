//! How a method was chosen, if that was left open.

use super::layout::{field, table};
use crate::failure::Failure;
use crate::view::words::{clean, percent, percent_short, seconds};
use kernsieve::model::{AutoEntry, AutoRecord};
use std::collections::BTreeSet;
use std::io::Write;

/// The methods that were tried, those that were not, and why one was taken.
pub fn print_auto(auto: &AutoRecord, time: f64, out: &mut dyn Write) -> Result<(), Failure> {
    let tried: Vec<&AutoEntry> = auto.entries.iter().filter(|e| e.error.is_some()).collect();
    let names: BTreeSet<&str> = tried.iter().map(|e| e.method.as_str()).collect();
    let words = format!("{} tried in {}", names.len(), seconds(time));
    field("Methods", &words, out)?;
    if names.len() > 1 {
        writeln!(out)?;
        print_tried(&tried, out)?;
        writeln!(out)?;
    }
    field("Why", &clean(&auto.why, usize::MAX), out)?;
    for (k, words) in left_out(auto).iter().enumerate() {
        field(if k == 0 { "Left out" } else { "" }, words, out)?;
    }
    Ok(())
}

fn print_tried(tried: &[&AutoEntry], out: &mut dyn Write) -> Result<(), Failure> {
    let rounds: BTreeSet<usize> = tried.iter().map(|e| e.rows).collect();
    let row = |e: &&AutoEntry| {
        let number = |v: Option<f64>| v.map(percent).unwrap_or_default();
        let mut row = vec![
            e.method.clone(),
            number(e.error),
            number(e.optimism),
            e.standard_error.map(percent_short).unwrap_or_default(),
            e.log_loss.map(|v| format!("{v:.3}")).unwrap_or_default(),
            e.size.map(|s| s.to_string()).unwrap_or_default(),
            e.note.clone().unwrap_or_default(),
        ];
        if rounds.len() > 1 {
            row.insert(1, e.rows.to_string());
        }
        row
    };
    let mut header = vec![
        "method", "CV error", "optimism", "s.e.", "log loss", "numbers", "",
    ];
    if rounds.len() > 1 {
        header.insert(1, "rows");
    }
    table(&header, &tried.iter().map(row).collect::<Vec<_>>(), out)?;
    Ok(())
}

/// Methods without an error, those with the same reason together: `kos, l2qp: no time left`.
fn left_out(auto: &AutoRecord) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for e in auto.entries.iter().filter(|e| e.error.is_none()) {
        let mut why = e.note.as_deref().map(|n| clean(n, 300)).unwrap_or_default();
        // Some reasons begin with the name.
        if let Some(rest) = why.strip_prefix(&format!("{} ", e.method)) {
            why = rest.into();
        }
        if auto
            .entries
            .iter()
            .any(|o| o.method == e.method && o.error.is_some())
        {
            why.push_str(&format!(" (at {} rows)", e.rows));
        }
        match found.iter_mut().find(|(w, _)| *w == why) {
            Some((_, methods)) => methods.push(&e.method),
            None => found.push((why, vec![&e.method])),
        }
    }
    let words = |(why, methods): (String, Vec<&str>)| {
        let why = match why.strip_prefix("does not ") {
            Some(rest) if methods.len() > 1 => format!("do not {rest}"),
            _ => why,
        };
        format!("{}: {why}", methods.join(", "))
    };
    found.into_iter().map(words).collect()
}
