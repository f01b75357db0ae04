//! A density of rows.

use super::data::feature_count;
use super::files::model_file;
use super::keeps::{all_retained, keeps, retained};
use super::layout::{field, table};
use super::tuning::print_rest;
use crate::failure::Failure;
use crate::view::summary::{Summary, kernel_cell};
use crate::view::words::{clean, seconds, short};
use kernsieve::method::density::DensityRecord;
use std::io::Write;

/// A density that was just estimated.
pub fn density(model: &Summary<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(run) = &model.run else {
        return Ok(());
    };
    let features = feature_count(run.data.n_features);
    let words = format!("{}: {} rows, {features}", run.data.source, run.data.n_rows);
    field("Data", &clean(&words, usize::MAX), out)?;
    if let Some(density) = model.density.filter(|d| d.grid.len() > 1) {
        let words = format!(
            "{} bandwidths x {} folds in {}",
            density.grid.len(),
            density.folds,
            seconds(run.seconds.tune)
        );
        field("Tuning", &words, out)?;
        writeln!(out)?;
        print_bandwidths(density, out)?;
        writeln!(out)?;
    }
    print_density(model, false, out)?;
    if let Some(new) = &run.new_rows {
        let name = clean(&new.file, usize::MAX);
        let words = format!("{} on {name} ({} rows)", short(new.mean), new.rows);
        field("", &words, out)?;
        if let Some(path) = &run.output {
            field("Written", &clean(path, usize::MAX), out)?;
        }
    }
    model_file(run.model.as_ref(), out)
}

/// The best bandwidths of the table, widest first.
fn print_bandwidths(density: &DensityRecord, out: &mut dyn Write) -> Result<(), Failure> {
    const SHOWN: usize = 8;
    // Those next to the chosen one.
    let first = density
        .chosen
        .saturating_sub(SHOWN / 2)
        .min(density.grid.len().saturating_sub(SHOWN));
    let row = |i: usize| {
        let e = &density.grid[i];
        let mark = if i == density.chosen { "*" } else { "" };
        let number = |v: Option<f64>| v.map(short).unwrap_or_default();
        vec![
            mark.into(),
            kernel_cell(&e.kernel, false),
            number(e.ise),
            number(e.log_density),
            format!("{:.1}", e.retained),
        ]
    };
    let last = density.grid.len().min(first + SHOWN);
    let rows: Vec<Vec<String>> = (first..last).map(row).collect();
    let header = ["", "kernel", "CV ISE", "log density", "rows kept"];
    table(&header, &rows, out)?;
    print_rest(density.grid.len(), rows.len(), out)
}

/// What a density is and how good, in a few lines, with some or all of the rows it keeps.
pub fn print_density(model: &Summary<'_>, all: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(density) = model.density else {
        return Ok(());
    };
    let chosen = &density.grid[density.chosen];
    field("Chosen", &model.kernel.words, out)?;
    field("Keeps", &keeps(model), out)?;
    let rows = if all {
        all_retained(model)
    } else {
        retained(model)
    };
    if let Some(rows) = rows {
        field("", &rows, out)?;
    }
    let number = |v: Option<f64>| v.map_or_else(|| "beyond floating point".into(), short);
    writeln!(
        out,
        "ISE      {} leave-one-out, {} in {}-fold cross-validation",
        number(density.loo_ise),
        number(chosen.ise),
        density.folds
    )?;
    if let Some(equal) = density.equal_loo_ise {
        let equal = short(equal);
        let words = format!("{equal} leave-one-out with equal weights on all rows");
        field("", &words, out)?;
    }
    field(
        "",
        "(up to a constant, the integral of the squared true density; lower is better)",
        out,
    )?;
    let log_density = number(chosen.log_density);
    let words = format!("mean log density {log_density} in cross-validation");
    field("Density", &words, out)?;
    Ok(())
}
