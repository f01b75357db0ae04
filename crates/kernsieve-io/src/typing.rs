//! Whether a column can be a feature, and whether the target can be a target.

use crate::cell;
use crate::columns::{Cells, MISSING, Text};
use crate::error::{ReadError, count, show};
use crate::options::Missing;
use crate::records::Declared;
use crate::table::{RawColumn, RawTable};
use kernsieve::data::are_measurements;

/// The most levels of a text column.
const MOST_LEVELS: usize = 1000;
/// The most levels of a column that the user declared categorical.
const MOST_FORCED_LEVELS: usize = 10_000;

/// Refuses columns whose cells are probably not what the user meant.
pub(crate) fn check_column(table: &RawTable, column: &RawColumn) -> Result<(), ReadError> {
    let name = &column.name;
    match &column.cells {
        Cells::Numbers(numbers) => {
            if let Some(row) = numbers.not_finite {
                return Err(not_finite(table, name, row, numbers.values[row]));
            }
            if numbers.values.iter().all(|v| v.is_nan()) {
                return Err(all_missing(table, name));
            }
        }
        Cells::Sparse(sparse) => {
            if let Some(i) = sparse.values.iter().position(|v| v.is_infinite()) {
                return Err(not_finite(table, name, sparse.rows[i], sparse.values[i]));
            }
        }
        Cells::Text(text) => {
            if text.levels.is_empty() {
                return Err(all_missing(table, name));
            }
            if !column.forced {
                check_text(table, column, text)?;
            }
            check_levels(table, column, text)?;
        }
    }
    Ok(())
}

fn not_finite(table: &RawTable, name: &str, row: usize, value: f64) -> ReadError {
    table
        .error(format!("the number is not finite ({value})"))
        .at(table.spots.of(row))
        .column(name)
        .hint(format!(
            "Correct the cell, write NA if the value is not known, \
             or leave the column out with --drop {name}."
        ))
}

fn all_missing(table: &RawTable, name: &str) -> ReadError {
    table
        .error("every cell is missing")
        .column(name)
        .hint(format!("Leave the column out with --drop {name}."))
}

/// Some text among numbers is more often a mistake in the file than a category.
fn check_text(table: &RawTable, column: &RawColumn, text: &Text) -> Result<(), ReadError> {
    if column.declared == Declared::Text {
        return Ok(());
    }
    let comma: Vec<bool> = text
        .levels
        .iter()
        .map(|l| cell::has_decimal_comma(l.as_bytes()))
        .collect();
    let counts = text.counts();
    let known: usize = counts.iter().sum();
    let like_number: usize = (0..counts.len())
        .filter(|&l| text.numeric[l] || comma[l])
        .map(|l| counts[l])
        .sum();
    if column.declared == Declared::Nothing && 2 * like_number < known {
        return Ok(());
    }
    let bad = |&code: &u32| code != MISSING && !text.numeric[code as usize];
    let Some(row) = text.codes.iter().position(bad) else {
        return Ok(());
    };
    let level = text.codes[row] as usize;
    let name = &column.name;
    let hint = if comma[level] {
        format!(
            "Write numbers with a decimal point and without separators between thousands, \
             such as 1234.5; if these are \
             categories, use --categorical {name}."
        )
    } else {
        format!(
            "Correct the cell, write NA if the value is not known, \
             leave the column out with --drop {name}, or treat it \
             as categories with --categorical {name}."
        )
    };
    let among = if column.declared == Declared::Number {
        "and the column is declared numeric".to_string()
    } else {
        format!(
            "as {} of the {} in the column are",
            known
                - counts
                    .iter()
                    .zip(&text.numeric)
                    .filter(|(_, n)| !**n)
                    .map(|(c, _)| c)
                    .sum::<usize>(),
            count(known, "cell")
        )
    };
    let message = if comma[level] {
        format!("{} is not a number", show(&text.levels[level]))
    } else {
        format!("{} is not a number, {among}", show(&text.levels[level]))
    };
    Err(table
        .error(message)
        .at(table.spots.of(row))
        .column(name)
        .hint(hint))
}

fn check_levels(table: &RawTable, column: &RawColumn, text: &Text) -> Result<(), ReadError> {
    let (levels, n) = (text.levels.len(), table.n_rows);
    let name = &column.name;
    let most = if column.forced {
        MOST_FORCED_LEVELS
    } else {
        MOST_LEVELS
    };
    let nearly_unique = !column.forced && n > 100 && 2 * levels > n;
    if levels <= most && !nearly_unique {
        return Ok(());
    }
    let remedy = if column.forced {
        format!("Leave the column out with --drop {name}, or group its values.")
    } else {
        format!(
            "Leave the column out with --drop {name}; \
             if its values are categories, --categorical {name} allows up to \
             {MOST_FORCED_LEVELS} of them."
        )
    };
    let message = format!(
        "{levels} different values in {} are too many for the categories of a text column",
        count(n, "row")
    );
    Err(table.error(message).column(name).hint(remedy))
}

/// Refuses a target with missing labels, or with labels that are measurements or names of rows.
pub(crate) fn check_target(table: &RawTable, missing: Missing) -> Result<(), ReadError> {
    let target = &table.target;
    if target.levels.is_empty() {
        return Err(table
            .error("every label is missing")
            .column(&table.target_name)
            .hint("Name the column that holds the classes with --target."));
    }
    let gone: Vec<usize> = (0..table.n_rows)
        .filter(|&r| target.codes[r] == MISSING)
        .collect();
    if let (Some(&row), true) = (gone.first(), missing != Missing::Drop) {
        return Err(table
            .error(format!(
                "the label is missing, the first of {}",
                count(gone.len(), "missing label")
            ))
            .at(table.spots.of(row))
            .column(&table.target_name)
            .hint("Leave out rows without a label with --missing drop."));
    }
    let (distinct, n) = (target.levels.len(), table.n_rows);
    if are_measurements(&target.levels, n) {
        let what = "looks like a measurement, not a class";
        let hint = "kernsieve predicts classes, not numbers: name the column that holds the \
                    classes with --target, or group the values into classes, such as low and high.";
        return Err(unlike_classes(table, what, hint));
    }
    if target.numeric.iter().any(|&n| !n) && distinct > MOST_LEVELS && 2 * distinct > n {
        let what = "looks like the names of the rows, not a class";
        let hint = "Name the column that holds the classes with --target, or group the values \
                    into classes.";
        return Err(unlike_classes(table, what, hint));
    }
    Ok(())
}

fn unlike_classes(table: &RawTable, what: &str, hint: &str) -> ReadError {
    table
        .error(format!(
            "the target {what}: {} different values in {}",
            table.target.levels.len(),
            count(table.n_rows, "row")
        ))
        .column(&table.target_name)
        .hint(hint)
}
