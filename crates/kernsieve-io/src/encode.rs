//! Encodes the cells of a file to be scored in the same way as the training data.

use crate::cell;
use crate::error::{ReadError, Spot, count, show};
use crate::options::{ScoringOptions, Style};
use kernsieve::data::{ColumnKind, Missing, Schema, Told, Unfit};

/// Turns cells into features according to a schema, and counts cells that had no proper value.
pub(crate) struct Encoder {
    file: String,
    columns: Vec<Encoded>,
    encoder: kernsieve::data::Encoder,
    missing: Missing,
    style: Style,
    filled: usize,
    /// What is wrong with the cells, at most one problem of a column.
    problems: Vec<ReadError>,
}

struct Encoded {
    name: String,
    kind: Kind,
    /// Whether one of its cells is a problem.
    refused: bool,
    unknown: usize,
    /// The first unknown level, and where it is.
    example: Option<(String, Spot)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Boolean,
    Date,
    Levels,
}

impl Encoder {
    pub(crate) fn new(file: &str, schema: &Schema, options: &ScoringOptions) -> Self {
        let columns = schema.columns.iter().map(|c| Encoded {
            name: c.name.clone(),
            kind: match c.kind {
                ColumnKind::Numeric { .. } => Kind::Number,
                ColumnKind::Boolean { .. } => Kind::Boolean,
                ColumnKind::Date { .. } => Kind::Date,
                _ => Kind::Levels,
            },
            refused: false,
            unknown: 0,
            example: None,
        });
        let na = schema.reading.na.iter();
        Self {
            file: file.to_string(),
            columns: columns.collect(),
            encoder: kernsieve::data::Encoder::new(schema),
            missing: options.missing.unwrap_or(schema.reading.missing),
            style: Style {
                na: na.map(|t| t.trim().as_bytes().to_vec()).collect(),
                decimal_comma: schema.reading.decimal_comma,
            },
            filled: 0,
            problems: vec![],
        }
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Number of features.
    pub(crate) fn width(&self) -> usize {
        self.encoder.width()
    }

    /// Number of columns of the schema.
    pub(crate) fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// Whether a column holds categories.
    pub(crate) fn is_categorical(&self, column: usize) -> bool {
        self.columns[column].kind == Kind::Levels
    }

    /// Whether a cell is one of the spellings of missing cells that training named.
    pub(crate) fn is_gap(&self, cell: &[u8]) -> bool {
        self.style.is_gap(cell)
    }

    /// Takes note of a cell that cannot be used. Reading goes on, so that the problems of several
    /// columns are told at once.
    fn refuse(&mut self, column: usize, message: &str, hint: &str, spot: Spot) {
        let own = &mut self.columns[column];
        if !std::mem::replace(&mut own.refused, true) {
            let problem = ReadError::new(&self.file, message);
            let problem = problem.at(spot).column(&own.name).hint(hint);
            self.problems.push(problem);
        }
    }

    /// The problems of the cells so far as one error.
    pub(crate) fn problem(&mut self) -> Option<ReadError> {
        ReadError::all(std::mem::take(&mut self.problems))
    }

    /// The same, and the one that ends the reading.
    pub(crate) fn ended_by(&mut self, last: ReadError) -> ReadError {
        self.problems.push(last.clone());
        self.problem().unwrap_or(last)
    }

    /// Writes a missing cell to a row of features that are still zero.
    pub(crate) fn missing(&mut self, column: usize, out: &mut [f64], spot: Spot) {
        if !self.missing.fills() {
            let hint = "--missing mean fills missing cells by what the model knows of its training \
                        rows.";
            return self.refuse(column, "the cell is missing", hint, spot);
        }
        self.filled += 1;
        self.encoder.gap(column, out);
    }

    /// Writes a number to a row of features that are still zero; NaN is missing. In a column of
    /// dates it counts days.
    pub(crate) fn number(&mut self, column: usize, value: f64, out: &mut [f64], spot: Spot) {
        if value.is_nan() {
            return self.missing(column, out, spot);
        }
        match self.encoder.number(column, value, out) {
            Ok(Told::Unknown) => self.note(column, value.to_string(), spot),
            Ok(_) => {}
            Err(_) => self.refuse(
                column,
                &format!("the number is not finite ({value})"),
                "Correct the cell, or write NA and use --missing mean.",
                spot,
            ),
        }
    }

    fn note(&mut self, column: usize, level: String, spot: Spot) {
        let c = &mut self.columns[column];
        c.unknown += 1;
        c.example.get_or_insert((level, spot));
    }

    /// Writes a cell that is not missing to a row of features that are still zero.
    pub(crate) fn text(&mut self, column: usize, text: &[u8], out: &mut [f64], spot: Spot) {
        let kind = self.columns[column].kind;
        if matches!(kind, Kind::Number | Kind::Boolean)
            && let Some(value) = self.style.number(text)
        {
            return self.number(column, value, out, spot);
        }
        let level = cell::decode(text);
        let unfit = match kind {
            Kind::Number => Unfit::NotANumber,
            _ => match self.encoder.text(column, &level, out) {
                Ok(Told::Unknown) => return self.note(column, level.into_owned(), spot),
                Ok(_) => return,
                Err(unfit) => unfit,
            },
        };
        let hint = match unfit {
            Unfit::NotADate => {
                "The column held dates in training: write them as 2024-05-31, or write NA and use \
                 --missing mean."
            }
            _ if cell::has_decimal_comma(text) => {
                "Write numbers as in the training data, without separators between thousands, \
                 such as 1234.5."
            }
            _ => {
                "The column was numeric in training: correct the cell, or write NA and use \
                 --missing mean."
            }
        };
        let what = match unfit {
            Unfit::NotADate => "date",
            _ => "number",
        };
        let message = format!("{} is not a {what}", show(&level));
        self.refuse(column, &message, hint, spot);
    }

    /// What the user should know when everything has been read.
    pub(crate) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.filled > 0 {
            notices.push(format!(
                "{} filled by what the model knows of its training rows",
                count(self.filled, "missing cell")
            ));
        }
        for c in &self.columns {
            if let Some((level, spot)) = &c.example {
                notices.push(format!(
                    "column '{}': {} with a value that was not in the training data (first: {}, \
                     {spot}); taken for none of the known values",
                    c.name,
                    count(c.unknown, "cell"),
                    show(level)
                ));
            }
        }
        notices
    }
}
