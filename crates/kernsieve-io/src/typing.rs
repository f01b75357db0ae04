//! Whether a column can be a feature, and whether the target can be a target.

use crate::cell;
use crate::columns::{Cells, MISSING, Text};
use crate::error::{ReadError, count, show};
use crate::identifiers;
use crate::options::ReadOptions;
use crate::records::Declared;
use crate::table::{Holds, RawColumn, RawTable};
use kernsieve::data::{Encode, Missing, are_measurements, date_of, is_ambiguous_date, truth_of};

/// The most levels of a text column.
const MOST_LEVELS: usize = 1000;
/// The most levels of a column that the user declared categorical.
const MOST_FORCED_LEVELS: usize = 10_000;

/// The most levels of a column of numbers and some text that is taken for categories, and the rows
/// that each of them has at least on average.
const FEW_LEVELS: (usize, usize) = (20, 3);

/// The most rows of which each may have a text of its own by chance.
const ROWS_OF_NAMES: usize = 20;

/// The most other cells of a column that an error names.
const MOST_NAMED: usize = 4;

/// What a column is.
pub(crate) enum Settled {
    /// What it was read as.
    AsItIs,
    /// The same, and what the user should know.
    Noted(String),
    /// Other cells, and what the user should know.
    Becomes(Cells, Holds, Option<String>),
    /// No feature, and why.
    LeftOut(String),
}

/// Settles what a column is. Refuses columns whose cells are probably not what the user meant.
pub(crate) fn settle_column(
    table: &RawTable,
    column: &RawColumn,
    options: &ReadOptions,
) -> Result<Settled, ReadError> {
    let name = &column.name;
    match &column.cells {
        Cells::Numbers(numbers) => {
            if let Some(row) = numbers.not_finite {
                return Err(not_finite(table, name, row, numbers.values[row]));
            }
            if numbers.values.iter().all(|v| v.is_nan()) {
                return Err(all_missing(table, name));
            }
            if column.taken || column.holds != Holds::Number {
                return Ok(Settled::AsItIs);
            }
            if let Some(why) = identifiers::numbers(name, &numbers.values) {
                return Ok(Settled::LeftOut(why));
            }
            let note = identifiers::counter(name, &numbers.values);
            Ok(note.map_or(Settled::AsItIs, Settled::Noted))
        }
        Cells::Sparse(sparse) => {
            if let Some(i) = sparse.values.iter().position(|v| v.is_infinite()) {
                return Err(not_finite(table, name, sparse.rows[i], sparse.values[i]));
            }
            Ok(Settled::AsItIs)
        }
        Cells::Text(text) => {
            if text.levels.is_empty() {
                return Err(all_missing(table, name));
            }
            settle_text(table, column, text, options)
        }
    }
}

fn settle_text(
    table: &RawTable,
    column: &RawColumn,
    text: &Text,
    options: &ReadOptions,
) -> Result<Settled, ReadError> {
    let mut settled = Settled::AsItIs;
    if !column.forced {
        let all = |holds: &dyn Fn(&String) -> bool| text.levels.iter().all(holds);
        if all(&|l| truth_of(l).is_some()) {
            let values = text.numbers(truth_of);
            return Ok(Settled::Becomes(
                Cells::Numbers(values),
                Holds::Boolean,
                None,
            ));
        }
        if all(&|l| date_of(l).is_some()) {
            let values = text.numbers(|l| date_of(l).map(|m| m.0));
            let note = format!(
                "column '{}' holds dates: year, month, weekday and days since the first are features",
                column.name
            );
            return Ok(Settled::Becomes(
                Cells::Numbers(values),
                Holds::Date,
                Some(note),
            ));
        }
        check_dates(table, column, text)?;
        if let Some(note) = check_text(table, column, text, options)? {
            settled = Settled::Noted(note);
        }
        let (n, distinct) = (table.n_rows, text.levels.len());
        let hardly_repeat = n > 100 && 2 * distinct > n;
        let never_repeat = n > ROWS_OF_NAMES && distinct == n;
        if !column.taken && (hardly_repeat || never_repeat) {
            return Ok(Settled::LeftOut(format!(
                "{distinct} different values in {} look like names of rows",
                count(n, "row")
            )));
        }
    }
    check_levels(table, column, text, options)?;
    Ok(settled)
}

/// Dates of which nobody knows the order of day and month.
fn check_dates(table: &RawTable, column: &RawColumn, text: &Text) -> Result<(), ReadError> {
    let date = |l: &&String| is_ambiguous_date(l);
    let found = text.levels.iter().filter(date).count();
    if 2 * found < text.levels.len() || found == 0 {
        return Ok(());
    }
    let Some(level) = text.levels.iter().position(|l| is_ambiguous_date(l)) else {
        return Ok(());
    };
    let row = text
        .codes
        .iter()
        .position(|&c| c as usize == level)
        .unwrap_or(0);
    let name = &column.name;
    Err(table
        .error(format!(
            "{} may be a date, but which part is the day and which the month?",
            show(&text.levels[level])
        ))
        .at(table.spots.of(row))
        .column(name)
        .hint(format!(
            "Write dates as 2024-05-31, leave the column out with --drop {name}, or treat it as \
             categories with --categorical {name}."
        )))
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

/// Some text among numbers is more often a mistake in the file than a category, unless there are
/// few values. Returns what the user should know.
fn check_text(
    table: &RawTable,
    column: &RawColumn,
    text: &Text,
    options: &ReadOptions,
) -> Result<Option<String>, ReadError> {
    if column.declared == Declared::Text {
        return Ok(None);
    }
    let comma: Vec<bool> = text
        .levels
        .iter()
        .map(|l| cell::has_decimal_comma(l.as_bytes()))
        .collect();
    let counts = text.counts();
    let known: usize = counts.iter().sum();
    check_dressed(table, column, text, &counts)?;
    let like_number: usize = (0..counts.len())
        .filter(|&l| text.numeric[l] || comma[l])
        .map(|l| counts[l])
        .sum();
    if column.declared == Declared::Nothing && 2 * like_number < known {
        return Ok(None);
    }
    let is_number = |level: usize| match options.decimal_comma {
        true => cell::parse_decimal_comma(text.levels[level].as_bytes()).is_some(),
        false => text.numeric[level],
    };
    let bad = |&code: &u32| code != MISSING && !is_number(code as usize);
    let Some(row) = text.codes.iter().position(bad) else {
        return Ok(None);
    };
    let level = text.codes[row] as usize;
    let name = &column.name;
    let few = text.levels.len() <= FEW_LEVELS.0 && FEW_LEVELS.1 * text.levels.len() <= known;
    if column.declared == Declared::Nothing && few && !comma.contains(&true) {
        return Ok(Some(format!(
            "column '{name}' holds numbers and {}: its {} are categories",
            show(&text.levels[level]),
            count(text.levels.len(), "value")
        )));
    }
    // Of what else is no number, without commas that `--na` would split at.
    let mut others: Vec<&str> = vec![];
    for (l, other) in text.levels.iter().enumerate() {
        if l != level && !is_number(l) && !comma[l] && !other.contains(',') {
            others.push(other);
        }
    }
    others.truncate(MOST_NAMED);
    let hint = if comma[level] && options.decimal_comma {
        format!(
            "Numbers with a decimal comma are written without separators between thousands, as \
             1234,5. If these are categories, use --categorical {name}."
        )
    } else if comma[level] {
        format!(
            "--decimal , reads numbers with a decimal comma; separators between thousands must \
             go, and numbers with a decimal point are written as 1234.5. If these are \
             categories, use --categorical {name}."
        )
    } else {
        let spelt: Vec<&str> = [text.levels[level].as_str()]
            .into_iter()
            .chain(others.iter().copied())
            .collect();
        format!(
            "Correct the cell, write NA if the value is not known (or say so with --na \"{}\"), \
             leave the column out with --drop {name}, or treat it \
             as categories with --categorical {name}.",
            spelt.join(",")
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
    let message = match (comma[level], others.as_slice()) {
        (true, _) => format!("{} is not a number", show(&text.levels[level])),
        (false, []) => format!("{} is not a number, {among}", show(&text.levels[level])),
        (false, others) => {
            let others: Vec<String> = others.iter().map(|o| show(o)).collect();
            format!(
                "{} is not a number, {among}, and neither is {}",
                show(&text.levels[level]),
                others.join(" or ")
            )
        }
    };
    Err(table
        .error(message)
        .at(table.spots.of(row))
        .column(name)
        .hint(hint))
}

/// Numbers that are written for people.
fn check_dressed(
    table: &RawTable,
    column: &RawColumn,
    text: &Text,
    counts: &[usize],
) -> Result<(), ReadError> {
    let dressed = |l: usize| {
        let cell = text.levels[l].as_bytes();
        cell::is_dressed_number(cell) && !cell::has_decimal_comma(cell)
    };
    let found: usize = (0..counts.len())
        .filter(|&l| dressed(l))
        .map(|l| counts[l])
        .sum();
    let plain: usize = (0..counts.len())
        .filter(|&l| text.numeric[l])
        .map(|l| counts[l])
        .sum();
    let known: usize = counts.iter().sum();
    if found == 0 || 10 * (found + plain) < 9 * known {
        return Ok(());
    }
    let is = |&code: &u32| code != MISSING && dressed(code as usize);
    let Some(row) = text.codes.iter().position(is) else {
        return Ok(());
    };
    let name = &column.name;
    let shown = show(&text.levels[text.codes[row] as usize]);
    Err(table
        .error(format!("{shown} is a number, but not written as one"))
        .at(table.spots.of(row))
        .column(name)
        .hint(format!(
            "Write plain numbers without signs for percent or money, separators between \
             thousands or other bases, such as 1234.5; if these are categories, use \
             --categorical {name}."
        )))
}

fn check_levels(
    table: &RawTable,
    column: &RawColumn,
    text: &Text,
    options: &ReadOptions,
) -> Result<(), ReadError> {
    if options.encode == Encode::Target {
        return Ok(());
    }
    let n = table.n_rows;
    let least = options.recipe().rows_of_a_level(n);
    let levels = text.counts().iter().filter(|c| **c >= least).count();
    let name = &column.name;
    let most = if column.forced {
        MOST_FORCED_LEVELS
    } else {
        MOST_LEVELS
    };
    if levels <= most {
        return Ok(());
    }
    let remedy = if column.forced {
        format!("Leave the column out with --drop {name}, or group its values.")
    } else {
        format!(
            "--encode target makes one feature of them (one per class, of more than two classes); \
             --rare N pools levels of fewer rows; --drop {name} leaves the column out; \
             --categorical {name} allows up to {MOST_FORCED_LEVELS} levels."
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
    // Whatever is done with gaps, there is nothing to fill a label by.
    if let (Some(&row), Missing::Error) = (gone.first(), missing) {
        return Err(table
            .error(format!(
                "the label is missing, the first of {}",
                count(gone.len(), "missing label")
            ))
            .at(table.spots.of(row))
            .column(&table.target_name)
            .hint(
                "Leave out rows without a label with --missing drop, which leaves out rows with \
                 other gaps, too, or with --missing mean, median or indicator, which fill those.",
            ));
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
