//! From cells to features, by a schema.

use super::dates::{Moment, date_of};
use super::schema::{Column, ColumnKind, Schema};
use super::table::{Cells, GAP, Table};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use std::collections::HashMap;

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It says something.
    Known,
    /// It was missing, and was filled.
    Filled,
    /// It is a level that the training rows did not have.
    Unknown,
}

/// Why a column cannot hold a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// A number is wanted.
    NotANumber,
    /// A date is wanted.
    NotADate,
    /// An infinite number.
    NotFinite,
}

/// A cell to be encoded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Input<'a> {
    Number(f64),
    Text(&'a str),
}

/// Turns cells into features by a schema.
#[derive(Clone, Debug)]
pub struct Encoder {
    columns: Vec<Coder>,
    width: usize,
}

#[derive(Clone, Debug)]
struct Coder {
    offset: usize,
    width: usize,
    indicator: Option<usize>,
    coded: Coded,
}

#[derive(Clone, Debug)]
enum Coded {
    Number { fill: f64 },
    Boolean { fill: f64 },
    Date { first: f64, fill: f64, hour: bool },
    Levels(Levels),
}

#[derive(Clone, Debug)]
struct Levels {
    index: HashMap<String, Place>,
    /// Numbers as they are written by this library, where a level is written in another way.
    numbers: HashMap<String, Place>,
    /// Values of unknown levels and missing cells; none where all features are 0.
    unknown: Vec<f64>,
}

/// What a level is.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    /// Known, but without a feature of its own.
    Rare,
    /// This feature is 1.
    Feature(usize),
    /// Values of all features.
    Values(Vec<f64>),
}

impl Levels {
    fn new(kind: &ColumnKind) -> Self {
        let (index, unknown): (HashMap<String, Place>, Vec<f64>) = match kind {
            ColumnKind::Binary { levels, fill } => {
                let value = |(i, l): (usize, &String)| (l.clone(), Place::Values(vec![i as f64]));
                (levels.iter().enumerate().map(value).collect(), vec![*fill])
            }
            ColumnKind::Categorical { levels, rare } => {
                let own = levels.iter().enumerate();
                let mut index: HashMap<_, _> =
                    own.map(|(i, l)| (l.clone(), Place::Feature(i))).collect();
                index.extend(rare.iter().map(|l| (l.clone(), Place::Rare)));
                (index, vec![])
            }
            ColumnKind::Target {
                levels,
                values,
                fill,
                ..
            } => {
                let own = levels.iter().zip(values);
                let index = own.map(|(l, v)| (l.clone(), Place::Values(v.clone())));
                (index.collect(), fill.clone())
            }
            _ => (HashMap::new(), vec![]),
        };
        let mut numbers = HashMap::new();
        let mut sorted: Vec<&String> = index.keys().collect();
        sorted.sort_unstable();
        for level in sorted {
            if let Some(usual) = usual_number(level).filter(|u| !index.contains_key(u)) {
                numbers.entry(usual).or_insert_with(|| index[level].clone());
            }
        }
        Self {
            index,
            numbers,
            unknown,
        }
    }

    /// What a level is: as it is written or, if it is a number, however it is written.
    fn place(&self, level: &str) -> Option<&Place> {
        let own = self.index.get(level);
        own.or_else(|| {
            let usual = usual_number(level)?;
            self.index.get(&usual).or_else(|| self.numbers.get(&usual))
        })
    }

    fn write(&self, place: Option<&Place>, out: &mut [f64]) -> Told {
        match place {
            Some(Place::Rare) => Told::Known,
            Some(Place::Feature(i)) => {
                out[*i] = 1.0;
                Told::Known
            }
            Some(Place::Values(values)) => {
                out[..values.len()].copy_from_slice(values);
                Told::Known
            }
            None => {
                out[..self.unknown.len()].copy_from_slice(&self.unknown);
                Told::Unknown
            }
        }
    }
}

/// A number as this library writes it, if a text is one.
fn usual_number(text: &str) -> Option<String> {
    let begins = text.bytes().next()?;
    let is = begins.is_ascii_digit() || matches!(begins, b'-' | b'+' | b'.');
    let value: f64 = is.then(|| text.parse().ok()).flatten()?;
    value.is_finite().then(|| value.to_string())
}

/// The truth value that a word stands for.
pub fn truth_of(text: &str) -> Option<f64> {
    if text.eq_ignore_ascii_case("true") {
        Some(1.0)
    } else if text.eq_ignore_ascii_case("false") {
        Some(0.0)
    } else {
        None
    }
}

impl Encoder {
    /// The encoder of a schema.
    pub fn new(schema: &Schema) -> Self {
        let mut offset = 0;
        let coder = |c: &Column| {
            let width = c.kind.width();
            let start = offset;
            offset += c.width();
            Coder {
                offset: start,
                width,
                indicator: c.indicator.then_some(start + width),
                coded: match &c.kind {
                    ColumnKind::Numeric { fill } => Coded::Number { fill: *fill },
                    ColumnKind::Boolean { fill } => Coded::Boolean { fill: *fill },
                    ColumnKind::Date { first, fill, hour } => Coded::Date {
                        first: *first,
                        fill: *fill,
                        hour: *hour,
                    },
                    kind => Coded::Levels(Levels::new(kind)),
                },
            }
        };
        let columns = schema.columns.iter().map(coder).collect();
        Self {
            columns,
            width: offset,
        }
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Writes a missing cell of a column to a row of features that are still zero.
    pub fn gap(&self, column: usize, out: &mut [f64]) -> Told {
        let c = &self.columns[column];
        let own = &mut out[c.offset..c.offset + c.width];
        match &c.coded {
            Coded::Number { fill } | Coded::Boolean { fill } => own[0] = *fill,
            Coded::Date { first, fill, hour } => write_date(*fill, *first, *hour, own),
            Coded::Levels(levels) => {
                levels.write(None, own);
            }
        }
        if let Some(place) = c.indicator {
            out[place] = 1.0;
        }
        Told::Filled
    }

    /// Writes a number; NaN is missing. In a column of dates it counts days since 1970-01-01.
    pub fn number(&self, column: usize, value: f64, out: &mut [f64]) -> Result<Told, Unfit> {
        self.write(column, Input::Number(value), out)
    }

    /// Writes a text that is not missing.
    pub fn text(&self, column: usize, text: &str, out: &mut [f64]) -> Result<Told, Unfit> {
        self.write(column, Input::Text(text), out)
    }

    fn write(&self, column: usize, input: Input<'_>, out: &mut [f64]) -> Result<Told, Unfit> {
        let c = &self.columns[column];
        if let Input::Number(value) = input {
            if value.is_nan() {
                return Ok(self.gap(column, out));
            }
            if value.is_infinite() {
                return Err(Unfit::NotFinite);
            }
        }
        let own = &mut out[c.offset..c.offset + c.width];
        match (&c.coded, input) {
            (Coded::Number { .. } | Coded::Boolean { .. }, Input::Number(value)) => own[0] = value,
            (Coded::Number { .. } | Coded::Boolean { .. }, Input::Text(text)) => {
                let value = match text.parse::<f64>() {
                    Ok(value) => value,
                    Err(_) => match (&c.coded, truth_of(text)) {
                        (Coded::Boolean { .. }, Some(value)) => value,
                        _ => return Err(Unfit::NotANumber),
                    },
                };
                return self.write(column, Input::Number(value), out);
            }
            (Coded::Date { first, hour, .. }, Input::Number(days)) => {
                write_date(days, *first, *hour, own);
            }
            (Coded::Date { first, hour, .. }, Input::Text(text)) => {
                let Moment(days) = date_of(text).ok_or(Unfit::NotADate)?;
                write_date(days, *first, *hour, own);
            }
            (Coded::Levels(levels), Input::Text(text)) => {
                return Ok(levels.write(levels.place(text), own));
            }
            (Coded::Levels(levels), Input::Number(value)) => {
                return Ok(levels.write(levels.place(&value.to_string()), own));
            }
        }
        Ok(Told::Known)
    }
}

fn write_date(days: f64, first: f64, hour: bool, out: &mut [f64]) {
    let [year, month, weekday, clock] = Moment(days).parts();
    out[..4].copy_from_slice(&[year, month, weekday, days - first]);
    if hour {
        out[4] = clock;
    }
}

/// Features of rows, and what was noticed on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// The features.
    pub x: Matrix,
    /// Cells that were missing.
    pub filled: usize,
    /// Columns with levels that the training rows did not have: how many cells, and the first one.
    pub unknown: Vec<(String, usize, String)>,
}

impl Schema {
    /// The features of some rows of a table, whose columns are found by name.
    pub fn encode(&self, table: &Table, rows: &[usize]) -> Result<Encoded> {
        let encoder = Encoder::new(self);
        let width = encoder.width();
        let mut x = vec![0.0; rows.len() * width];
        let (mut filled, mut unknown) = (0, vec![]);
        let place: HashMap<&str, usize> = table
            .columns()
            .iter()
            .enumerate()
            .map(|(i, c)| (c.name.as_str(), i))
            .collect();
        let absent = self
            .columns
            .iter()
            .filter(|c| !place.contains_key(c.name.as_str()));
        let absent: Vec<String> = absent.map(|c| format!("'{}'", c.name)).collect();
        if !absent.is_empty() {
            return Err(Error::Data(format!(
                "the model needs columns that are not there: {}",
                absent.join(", ")
            )));
        }
        for (j, column) in self.columns.iter().enumerate() {
            let cells = &table.columns()[place[column.name.as_str()]].cells;
            let mut seen: Option<(usize, String)> = None;
            let mut note = |told: Told, text: &dyn Fn() -> String| match told {
                Told::Known => {}
                Told::Filled => filled += 1,
                Told::Unknown => seen.get_or_insert_with(|| (0, text())).0 += 1,
            };
            let refuse = |row: usize, what: String, unfit: Unfit| {
                let wanted = match unfit {
                    Unfit::NotANumber => "is not a number",
                    Unfit::NotADate => "is not a date such as 2024-05-31",
                    Unfit::NotFinite => "is not finite",
                };
                let (name, at) = (&column.name, rows[row]);
                Error::Data(format!("column '{name}', row {at}: {what} {wanted}"))
            };
            let out = x.chunks_exact_mut(width.max(1)).enumerate();
            match cells {
                Cells::Numbers(v) | Cells::Booleans(v) | Cells::Dates(v) => {
                    for (i, out) in out {
                        let value = v[rows[i]];
                        let told = encoder
                            .number(j, value, out)
                            .map_err(|e| refuse(i, value.to_string(), e))?;
                        note(told, &|| value.to_string());
                    }
                }
                Cells::Levels { codes, levels } => {
                    let coder = &encoder.columns[j];
                    // Every level is looked up once.
                    let places: Option<Vec<Option<&Place>>> = match &coder.coded {
                        Coded::Levels(own) => Some(levels.iter().map(|l| own.place(l)).collect()),
                        _ => None,
                    };
                    for (i, out) in out {
                        let code = codes[rows[i]];
                        if code == GAP {
                            note(encoder.gap(j, out), &String::new);
                            continue;
                        }
                        let level = &levels[code as usize];
                        let told = match (&places, &coder.coded) {
                            (Some(places), Coded::Levels(own)) => {
                                let out = &mut out[coder.offset..coder.offset + coder.width];
                                own.write(places[code as usize], out)
                            }
                            _ => encoder
                                .text(j, level, out)
                                .map_err(|e| refuse(i, format!("'{level}'"), e))?,
                        };
                        note(told, &|| level.clone());
                    }
                }
            }
            if let Some((count, first)) = seen {
                unknown.push((column.name.clone(), count, first));
            }
        }
        Ok(Encoded {
            x: Matrix::from_vec(x, rows.len(), width),
            filled,
            unknown,
        })
    }
}
