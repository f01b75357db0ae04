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
}

struct Encoded {
    name: String,
    kind: Kind,
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

    /// Writes a missing cell to a row of features that are still zero.
    pub(crate) fn missing(
        &mut self,
        column: usize,
        out: &mut [f64],
        spot: Spot,
    ) -> Result<(), ReadError> {
        if !self.missing.fills() {
            return Err(ReadError::new(&self.file, "the cell is missing")
                .at(spot)
                .column(&self.columns[column].name)
                .hint(
                    "--missing mean fills missing cells by what the model knows of its training \
                     rows.",
                ));
        }
        self.filled += 1;
        self.encoder.gap(column, out);
        Ok(())
    }

    /// Writes a number to a row of features that are still zero; NaN is missing. In a column of
    /// dates it counts days.
    pub(crate) fn number(
        &mut self,
        column: usize,
        value: f64,
        out: &mut [f64],
        spot: Spot,
    ) -> Result<(), ReadError> {
        if value.is_nan() {
            return self.missing(column, out, spot);
        }
        match self.encoder.number(column, value, out) {
            Ok(Told::Unknown) => self.note(column, value.to_string(), spot),
            Ok(_) => {}
            Err(_) => {
                return Err(ReadError::new(
                    &self.file,
                    format!("the number is not finite ({value})"),
                )
                .at(spot)
                .column(&self.columns[column].name)
                .hint("Correct the cell, or write NA and use --missing mean."));
            }
        }
        Ok(())
    }

    fn note(&mut self, column: usize, level: String, spot: Spot) {
        let c = &mut self.columns[column];
        c.unknown += 1;
        c.example.get_or_insert((level, spot));
    }

    /// Writes a cell that is not missing to a row of features that are still zero.
    pub(crate) fn text(
        &mut self,
        column: usize,
        text: &[u8],
        out: &mut [f64],
        spot: Spot,
    ) -> Result<(), ReadError> {
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
                Ok(Told::Unknown) => {
                    self.note(column, level.into_owned(), spot);
                    return Ok(());
                }
                Ok(_) => return Ok(()),
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
        Err(ReadError::new(&self.file, message)
            .at(spot)
            .column(&self.columns[column].name)
            .hint(hint))
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
