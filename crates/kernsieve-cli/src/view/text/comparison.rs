//! Methods side by side, and what to conclude.

use super::data::data_words;
use super::files::page_file;
use super::layout::{marked_table, wrapped};
use crate::failure::Failure;
use crate::view::summary::{ComparisonSummary, Ranking, Standing};
use crate::view::words::{P_VALUES, advice, how, percent, seconds_short, short, size, taken};
use std::io::Write;

/// A comparison of methods.
pub fn comparison(c: &ComparisonSummary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let beginning = format!("{}: {} rows", c.data.source, c.data.n_rows);
    writeln!(out, "{}", wrapped(&data_words(&beginning, &c.data), ""))?;
    writeln!(out, "{}\n", how(c))?;
    print_ranking(&c.ranking, out)?;
    if let Some(path) = &c.report {
        writeln!(out)?;
        page_file(path, out)?;
    }
    Ok(())
}

/// The table, and the conclusion under it.
pub fn print_ranking(ranking: &Ranking, out: &mut dyn Write) -> Result<(), Failure> {
    print_table(ranking, out)?;
    for text in taken(ranking) {
        writeln!(out, "{}", wrapped(&text, "  "))?;
    }
    let mut words = advice(ranking);
    if ranking.is_tested() {
        words.push(' ');
        words.push_str(P_VALUES);
    }
    writeln!(out, "\n{}", wrapped(&words, ""))?;
    Ok(())
}

fn print_table(ranking: &Ranking, out: &mut dyn Write) -> Result<(), Failure> {
    let tested = ranking.is_tested();
    // One split has no standard error.
    let repeated = ranking.standings.iter().any(|s| s.errors.len() > 1);
    let mut header = vec!["method", "error"];
    if repeated {
        header.push("s.e.");
    }
    if tested {
        header.push("p");
    }
    header.extend(["rows", "features", "fit", "predict", "model"]);
    let row = |s: &Standing| {
        let mut row = vec![s.method.clone(), percent(s.error.0)];
        if repeated {
            row.push(percent(s.error.1));
        }
        if tested {
            row.push(s.p_value_holm.map(probability).unwrap_or_default());
        }
        row.extend([
            format!("{:.0} %", s.retained_percent),
            short((s.features * 10.0).round() / 10.0),
            seconds_short(s.seconds),
            seconds_short(s.predict_seconds),
            s.model_bytes.map_or("?".into(), |b| size(b as u64)),
        ]);
        row
    };
    let rows: Vec<Vec<String>> = ranking.standings.iter().map(row).collect();
    let pick = ranking.picked().map(|s| &s.method);
    let is_pick = |row: &[String]| pick.is_some() && row.first() == pick;
    marked_table(&header, &rows, is_pick, out)?;
    Ok(())
}

/// A p-value in at most six characters.
fn probability(p: f64) -> String {
    if p < 0.001 {
        "<0.001".into()
    } else {
        format!("{p:.3}")
    }
}
