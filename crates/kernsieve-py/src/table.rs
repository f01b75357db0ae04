//! Columns of a data frame as the library has them.

use kernsieve::data::{
    Cells, ColumnKind, GAP, Moment, Schema, Table, TableColumn, date_of, truth_of,
};
use kernsieve::linalg::Matrix;
use kernsieve::{Error, Result};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Rows as Python gives them.
pub enum Rows {
    /// A matrix of features.
    Matrix(Matrix),
    /// Columns of their own kinds.
    Table(Table),
}

/// Name, kind, numbers, codes or microseconds, and levels.
type Parts<'py> = (
    String,
    String,
    Option<PyReadonlyArray1<'py, f64>>,
    Option<PyReadonlyArray1<'py, i64>>,
    Option<Vec<String>>,
);

impl Rows {
    /// A matrix, or a list of columns.
    pub fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(x) = given.extract::<PyReadonlyArray2<'_, f64>>() {
            let shape = x.shape();
            let matrix = Matrix::from_vec(x.as_slice()?.to_vec(), shape[0], shape[1]);
            return Ok(Self::Matrix(matrix));
        }
        let mut columns = vec![];
        let mut n_rows = None;
        for part in given.try_iter()? {
            let (name, kind, numbers, codes, levels): Parts<'_> = part?.extract()?;
            let numbers = numbers
                .map(|v| v.as_slice().map(<[f64]>::to_vec))
                .transpose()?;
            let codes = codes
                .map(|v| v.as_slice().map(<[i64]>::to_vec))
                .transpose()?;
            let cells = cells(&kind, numbers, codes, levels)
                .ok_or_else(|| PyValueError::new_err(format!("column '{name}': kind '{kind}'")))?;
            n_rows.get_or_insert(cells.len());
            columns.push(TableColumn { name, cells });
        }
        Table::new(columns, n_rows.unwrap_or(0))
            .map(Self::Table)
            .map_err(crate::errors::exception)
    }
}

fn cells(
    kind: &str,
    numbers: Option<Vec<f64>>,
    codes: Option<Vec<i64>>,
    levels: Option<Vec<String>>,
) -> Option<Cells> {
    match kind {
        "numbers" => numbers.map(Cells::Numbers),
        "booleans" => numbers.map(Cells::Booleans),
        "dates" => codes.map(|micros| {
            let day = |m: &i64| match *m {
                i64::MIN => f64::NAN,
                micros => Moment::from_micros(micros).0,
            };
            Cells::Dates(micros.iter().map(day).collect())
        }),
        "levels" | "text" => Some(text(&codes?, &levels?, kind == "text")),
        _ => None,
    }
}

/// Text without the blanks around it; empty text is missing. Unless it was declared to be
/// categories, it holds truth values or dates if all of its levels are.
fn text(codes: &[i64], levels: &[String], may_be_other: bool) -> Cells {
    let trimmed: Vec<&str> = levels.iter().map(|l| l.trim_ascii()).collect();
    let known = || trimmed.iter().filter(|l| !l.is_empty());
    let numbers = |of: &dyn Fn(&str) -> Option<f64>| -> Vec<f64> {
        let values: Vec<f64> = trimmed.iter().map(|l| of(l).unwrap_or(f64::NAN)).collect();
        let value = |c: &i64| usize::try_from(*c).map_or(f64::NAN, |c| values[c]);
        codes.iter().map(value).collect()
    };
    if may_be_other && known().count() > 0 {
        if known().all(|l| truth_of(l).is_some()) {
            return Cells::Booleans(numbers(&truth_of));
        }
        if known().all(|l| date_of(l).is_some()) {
            return Cells::Dates(numbers(&|l| date_of(l).map(|m| m.0)));
        }
    }
    // Levels may be the same without their blanks.
    let mut distinct: Vec<String> = vec![];
    let mut index = std::collections::HashMap::new();
    let place: Vec<u32> = trimmed
        .iter()
        .map(|l| match l.is_empty() {
            true => GAP,
            false => *index.entry(*l).or_insert_with(|| {
                distinct.push(l.to_string());
                distinct.len() as u32 - 1
            }),
        })
        .collect();
    let code = |c: &i64| usize::try_from(*c).map_or(GAP, |c| place[c]);
    Cells::categories(&codes.iter().map(code).collect::<Vec<u32>>(), &distinct)
}

/// Words that stand for a missing number in files.
const NO_NUMBER: [&str; 8] = ["?", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "None"];

/// Rows as the files were read that a model was trained on: with its spellings of missing cells and
/// its decimal commas.
fn as_read(schema: &Schema, table: Table) -> Result<Table> {
    let reading = &schema.reading;
    let is_text = |c: &TableColumn| matches!(c.cells, Cells::Levels { .. });
    if reading.na.is_empty() && !reading.decimal_comma && !table.columns().iter().any(is_text) {
        return Ok(table);
    }
    let words: Vec<&str> = reading.na.iter().map(|t| t.trim()).collect();
    let missing: Vec<f64> = words.iter().filter_map(|t| t.parse().ok()).collect();
    let number = |text: &str| -> Option<f64> {
        match reading.decimal_comma {
            true if text.contains('.') => None,
            true => text.replacen(',', ".", 1).parse().ok(),
            false => text.parse().ok(),
        }
    };
    let read = |column: &TableColumn| {
        let own = schema.columns.iter().find(|c| c.name == column.name);
        let is_numeric = own.is_some_and(|c| matches!(c.kind, ColumnKind::Numeric { .. }));
        match &column.cells {
            Cells::Numbers(values) if is_numeric && !missing.is_empty() => {
                let value = |v: &f64| if missing.contains(v) { f64::NAN } else { *v };
                Cells::Numbers(values.iter().map(value).collect())
            }
            Cells::Levels { codes, levels } if own.is_some() => {
                let is_gap = |l: &String| {
                    words.contains(&l.as_str()) || (is_numeric && NO_NUMBER.contains(&l.as_str()))
                };
                let gaps: Vec<bool> = levels.iter().map(is_gap).collect();
                let value = |(l, gap): (&String, &bool)| match gap {
                    true => Some(f64::NAN),
                    false => number(l).filter(|v| v.is_finite()),
                };
                let values: Option<Vec<f64>> = levels.iter().zip(&gaps).map(value).collect();
                match values.filter(|_| is_numeric) {
                    Some(values) => {
                        let cell = |&c: &u32| match c {
                            GAP => f64::NAN,
                            c => values[c as usize],
                        };
                        Cells::Numbers(codes.iter().map(cell).collect())
                    }
                    None => {
                        let code = |&c: &u32| match c {
                            GAP => GAP,
                            c if gaps[c as usize] => GAP,
                            c => c,
                        };
                        Cells::categories(&codes.iter().map(code).collect::<Vec<u32>>(), levels)
                    }
                }
            }
            cells => cells.clone(),
        }
    };
    let columns = table.columns().iter().map(|c| TableColumn {
        name: c.name.clone(),
        cells: read(c),
    });
    Table::new(columns.collect(), table.n_rows())
}

/// The features of rows by the schema of a model.
pub fn features(schema: &Schema, rows: Rows) -> Result<Matrix> {
    let table = match rows {
        Rows::Matrix(x) => return Ok(x),
        Rows::Table(table) => as_read(schema, table)?,
    };
    if !schema.reading.missing.fills()
        && let (gaps @ 1.., Some((column, row))) = table.gaps()
    {
        return Err(Error::Data(format!(
            "Input X contains NaN: {gaps} missing cells, the first in column '{}', row {row}; the \
             model was trained to refuse them",
            table.columns()[column].name
        )));
    }
    let all: Vec<usize> = (0..table.n_rows()).collect();
    Ok(schema.encode(&table, &all)?.x)
}
