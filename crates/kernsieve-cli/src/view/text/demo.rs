//! A demonstration, step by step.

use super::comparison::print_ranking;
use super::data::data_words;
use super::evaluation::print_confusion;
use super::fit::print_fit;
use super::layout::{field, table, wrapped};
use crate::failure::Failure;
use crate::view::summary::DemoSummary;
use crate::view::words::{clean, percent};
use kernsieve::decision::argmax;
use std::io::Write;

/// A demonstration.
pub fn demo(d: &DemoSummary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    field("Demo", d.name, out)?;
    field("", d.about, out)?;
    let beginning = format!("{} rows", d.data.n_rows);
    field("Data", &data_words(&beginning, &d.data), out)?;
    let question = format!(
        "1. Which method? {} splits, a third held out, everything tuned on the other rows:",
        d.splits
    );
    writeln!(out, "\n{}\n", wrapped(&question, ""))?;
    print_ranking(&d.ranking, out)?;
    let (method, rows) = (d.model.method.name, d.model.n_rows);
    writeln!(out, "\n2. Fit {method} on {rows} rows:\n")?;
    print_fit(&d.model, d.tune_seconds, out)?;
    let e = d.evaluation;
    let words = format!(
        "{} on the {} rows held out ({} wrong)",
        percent(e.error()),
        e.n_rows(),
        e.wrong()
    );
    field("", &words, out)?;
    writeln!(out)?;
    print_confusion(e, out)?;
    let same = if d.is_identical {
        "the same to the bit"
    } else {
        "NOT the same"
    };
    let again = format!(
        "3. Saved, loaded again ({} bytes), predicted: {same}. The first rows held out:",
        d.bytes
    );
    writeln!(out, "\n{}\n", wrapped(&again, ""))?;
    print_predictions(d, out)?;
    print_commands(d, out)
}

fn print_predictions(d: &DemoSummary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let classes = d.model.classes;
    let rows = d.posterior.iter_rows().zip(d.rows.iter().zip(d.truth));
    let shown: Vec<Vec<String>> = rows
        .take(5)
        .map(|(p, (row, truth))| {
            let mut cells = vec![
                row.to_string(),
                clean(truth, 16),
                clean(&classes[argmax(p)], 16),
            ];
            cells.extend(p.iter().map(|v| format!("{v:.3}")));
            cells
        })
        .collect();
    let names = classes.iter().map(|c| format!("p_{}", clean(c, 14)));
    let names: Vec<String> = names.collect();
    let mut header = vec!["row", "observed", "predicted"];
    header.extend(names.iter().map(String::as_str));
    table(&header, &shown, out)?;
    Ok(())
}

/// The commands that do the same with a file.
fn print_commands(d: &DemoSummary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let (name, method) = (d.name, d.model.method.name);
    let (file, hint) = match &d.saved {
        Some(path) => (path.clone(), ""),
        None => (format!("{name}.csv"), " (--save DIR writes the file)"),
    };
    writeln!(out, "\nThe same with a file of your own{hint}:\n")?;
    writeln!(out, "  kernsieve compare {file} --target class")?;
    writeln!(
        out,
        "  kernsieve fit {file} --target class --method {method} --model {name}.ks"
    )?;
    writeln!(out, "  kernsieve predict {name}.ks {file} --proba")?;
    Ok(())
}
