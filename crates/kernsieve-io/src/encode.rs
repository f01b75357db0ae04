//! Encodes the cells of a file to be scored in the same way as the training data.

use crate::cell;
use crate::error::{ReadError, Spot, count, show};
use crate::options::Missing;
use kernsieve::data::{ColumnKind, Schema};
use std::collections::HashMap;

/// Turns cells into features according to a schema, and counts cells that had no proper value.
pub(crate) struct Encoder {
    file: String,
    columns: Vec<Encoded>,
    width: usize,
    fill: bool,
    filled: usize,
}

struct Encoded {
    name: String,
    offset: usize,
    kind: Kind,
}

enum Kind {
    Number {
        fill: f64,
    },
    Levels {
        index: HashMap<String, usize>,
        unknown: usize,
        /// The first unknown level, and where it is.
        example: Option<(String, Spot)>,
    },
}

impl Encoder {
    pub(crate) fn new(file: &str, schema: &Schema, missing: Missing) -> Self {
        let mut offset = 0;
        let columns = schema.columns.iter().map(|c| {
            let start = offset;
            let kind = match &c.kind {
                ColumnKind::Numeric { fill } => {
                    offset += 1;
                    Kind::Number { fill: *fill }
                }
                ColumnKind::Categorical { levels } => {
                    offset += levels.len();
                    Kind::Levels {
                        index: levels
                            .iter()
                            .enumerate()
                            .map(|(i, l)| (l.clone(), i))
                            .collect(),
                        unknown: 0,
                        example: None,
                    }
                }
            };
            Encoded {
                name: c.name.clone(),
                offset: start,
                kind,
            }
        });
        Self {
            file: file.to_string(),
            columns: columns.collect(),
            width: schema.n_features(),
            fill: missing == Missing::Mean,
            filled: 0,
        }
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Number of features.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number of columns of the schema.
    pub(crate) fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// Whether a column holds categories.
    pub(crate) fn is_categorical(&self, column: usize) -> bool {
        matches!(self.columns[column].kind, Kind::Levels { .. })
    }

    /// Writes a missing cell to a row of features that are still zero.
    pub(crate) fn missing(
        &mut self,
        column: usize,
        out: &mut [f64],
        spot: Spot,
    ) -> Result<(), ReadError> {
        let c = &self.columns[column];
        if !self.fill {
            return Err(ReadError::new(&self.file, "the cell is missing")
                .at(spot)
                .column(&c.name)
                .hint("Use --missing mean to replace missing cells by the training means."));
        }
        self.filled += 1;
        if let Kind::Number { fill } = c.kind {
            out[c.offset] = fill;
        }
        Ok(())
    }

    /// Writes a number to a row of features that are still zero; NaN is missing.
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
        let c = &self.columns[column];
        if let Kind::Levels { .. } = c.kind {
            return self.text(column, value.to_string().as_bytes(), out, spot);
        }
        if value.is_infinite() {
            return Err(
                ReadError::new(&self.file, format!("the number is not finite ({value})"))
                    .at(spot)
                    .column(&c.name)
                    .hint("Correct the cell, or write NA and use --missing mean."),
            );
        }
        out[c.offset] = value;
        Ok(())
    }

    /// Writes a cell that is not missing to a row of features that are still zero.
    pub(crate) fn text(
        &mut self,
        column: usize,
        text: &[u8],
        out: &mut [f64],
        spot: Spot,
    ) -> Result<(), ReadError> {
        let c = &mut self.columns[column];
        match &mut c.kind {
            Kind::Number { .. } => match cell::parse_number(text) {
                Some(value) => self.number(column, value, out, spot),
                None => {
                    let hint = if cell::has_decimal_comma(text) {
                        "Write numbers with a decimal point and without separators \
                         between thousands, such as 1234.5."
                    } else {
                        "The column was numeric in training: correct the cell, \
                         or write NA and use --missing mean."
                    };
                    let message = format!("{} is not a number", show(&cell::decode(text)));
                    Err(ReadError::new(&self.file, message)
                        .at(spot)
                        .column(&c.name)
                        .hint(hint))
                }
            },
            Kind::Levels {
                index,
                unknown,
                example,
            } => {
                let level = cell::decode(text);
                match index.get(level.as_ref()) {
                    Some(i) => out[c.offset + i] = 1.0,
                    None => {
                        *unknown += 1;
                        example.get_or_insert_with(|| (level.into_owned(), spot));
                    }
                }
                Ok(())
            }
        }
    }

    /// What the user should know when everything has been read.
    pub(crate) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.filled > 0 {
            notices.push(format!(
                "{} replaced by the mean of the training data \
                 (none of the 0/1 features is set for a missing category)",
                count(self.filled, "missing cell")
            ));
        }
        for c in &self.columns {
            if let Kind::Levels {
                unknown,
                example: Some((level, spot)),
                ..
            } = &c.kind
            {
                notices.push(format!(
                    "column '{}': {} with a value that was not in the training data \
                     (first: {}, {spot}); none of its 0/1 \
                     features is set",
                    c.name,
                    count(*unknown, "cell"),
                    show(level)
                ));
            }
        }
        notices
    }
}
