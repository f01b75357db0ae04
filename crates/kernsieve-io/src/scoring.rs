//! Reads data to be scored, block by block, and encodes them like the training data.

use crate::encode::Encoder;
use crate::error::{ReadError, Spot};
use crate::matching::Matching;
use crate::options::{Format, ScoringOptions, TargetColumn};
#[cfg(feature = "parquet")]
use crate::parquet::ParquetFile;
use crate::records::Records;
use crate::score_libsvm::SparseSource;
#[cfg(feature = "parquet")]
use crate::score_parquet::GroupSource;
#[cfg(feature = "parquet")]
use crate::sniff;
use crate::source::{self, Source};
use crate::text::TextInput;
use crate::training::{choose_format, open_records};
use kernsieve::data::{Missing, Schema};
use kernsieve::linalg::Matrix;

/// Consecutive rows of a file to be scored.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoringBlock {
    /// The 0-based data row of the file that the first row is.
    pub first_row: usize,
    /// Features, as many as the schema gives.
    pub x: Matrix,
    /// Labels as they are written, if they were wanted and the file has them.
    pub labels: Option<Vec<String>>,
    /// For every row the cells of [`ScoringReader::kept_columns`], missing ones as they are written
    /// (Parquet: empty).
    pub kept: Vec<Vec<String>>,
}

/// Reads a file to be scored, block by block.
///
/// Columns are matched to those of the training data by name, in any order. Text formats are read
/// as a stream, and so are Parquet files, in memory that does not depend on their size. A Parquet
/// file that is packed or comes from a pipe is held as it is. The iterator ends after an error.
pub struct ScoringReader {
    rows: Box<dyn RowSource>,
    encoder: Encoder,
    block_rows: usize,
    next_row: usize,
    with_labels: bool,
    missing_label_is_error: bool,
    target: String,
    ended: bool,
    notices: Vec<String>,
    options: ScoringOptions,
}

/// A source of rows.
pub(crate) trait RowSource: Send {
    /// Encodes the next row into `out`, which is all zeros. `None` at the end.
    fn next(&mut self, encoder: &mut Encoder, out: &mut [f64]) -> Result<Option<Place>, ReadError>;
    /// Notices about the file.
    fn notices(&self) -> Vec<String>;
    /// Names of the columns that are passed on as they are.
    fn kept(&self) -> Vec<String>;
}

/// Where a row was, and its label if the file has labels and this one is not missing.
pub(crate) struct Place {
    pub(crate) spot: Spot,
    pub(crate) label: Option<String>,
    pub(crate) kept: Vec<String>,
}

impl ScoringReader {
    /// Opens a file and matches its columns to those of a schema.
    pub fn open(
        source: &Source,
        schema: &Schema,
        options: &ScoringOptions,
    ) -> Result<Self, ReadError> {
        let name = source.to_string();
        if options.missing == Some(Missing::Drop) {
            return Err(ReadError::new(
                &name,
                "rows cannot be left out here: every row gets an answer",
            )
            .hint("Use --missing mean, or --missing error."));
        }
        let encoder = Encoder::new(&name, schema, options);
        let input = TextInput::new(&name, source::open_owned(source)?)?;
        let format = choose_format(options.format, &name, input.available());
        let mut with_labels = false;
        let rows: Box<dyn RowSource> = match format {
            Format::Parquet => open_parquet(source, input, schema, options, &mut with_labels)?,
            Format::Libsvm => {
                let source = SparseSource::open(input, schema, options)?;
                with_labels = source.with_labels();
                Box::new(source)
            }
            Format::Csv | Format::Tsv | Format::Arff => {
                let records = open_records(input, format, options.no_header)?;
                let matching = if options.no_header && format != Format::Arff {
                    Matching::by_position(&name, records.names(), schema, options)?
                } else {
                    Matching::by_name(&name, records.names(), schema, options)?
                };
                with_labels = matching.target.is_some();
                Box::new(RecordSource { records, matching })
            }
        };
        Ok(Self {
            rows,
            block_rows: options.rows_of(encoder.width()),
            encoder,
            next_row: 0,
            with_labels,
            missing_label_is_error: options.target == TargetColumn::Required,
            target: options
                .target_name
                .clone()
                .unwrap_or_else(|| schema.target.clone()),
            ended: false,
            notices: Vec::new(),
            options: options.clone(),
        })
    }

    /// Names of the columns that are passed on as they are.
    pub fn kept_columns(&self) -> Vec<String> {
        self.rows.kept()
    }

    /// Notices for the user: unused columns, values that were not in the training data, and the
    /// like. They are complete when the iterator has ended.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Encodes by another schema of the same columns, such as that of a model that has been trained
    /// since the file was opened. No row may have been read.
    pub fn encode_by(&mut self, schema: &Schema) {
        let file = self.encoder.file().to_string();
        self.encoder = Encoder::new(&file, schema, &self.options);
        self.block_rows = self.options.rows_of(self.encoder.width());
    }

    fn read_block(&mut self) -> Result<Option<ScoringBlock>, ReadError> {
        let width = self.encoder.width();
        let (mut x, mut labels, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut n = 0;
        while n < self.block_rows {
            x.resize((n + 1) * width, 0.0);
            let next = self.rows.next(&mut self.encoder, &mut x[n * width..]);
            let next = next.map_err(|e| self.encoder.ended_by(e))?;
            let Some(place) = next else {
                x.truncate(n * width);
                self.ended = true;
                break;
            };
            n += 1;
            if !self.options.keep.is_empty() {
                kept.push(place.kept);
            }
            if self.with_labels {
                if place.label.is_none() && self.missing_label_is_error {
                    let problem = ReadError::new(self.encoder.file(), "the label is missing")
                        .at(place.spot)
                        .column(&self.target)
                        .hint("Leave out rows without a label.");
                    return Err(self.encoder.ended_by(problem));
                }
                labels.push(place.label.unwrap_or_default());
            }
        }
        if let Some(problem) = self.encoder.problem() {
            return Err(problem);
        }
        let first_row = self.next_row;
        self.next_row += n;
        if self.ended {
            self.notices = self.rows.notices();
            self.notices.extend(self.encoder.notices());
            if self.next_row == 0 && !self.options.may_be_empty {
                return Err(ReadError::new(
                    self.encoder.file(),
                    "there are no data rows",
                ));
            }
        }
        Ok((n > 0).then(|| ScoringBlock {
            first_row,
            x: Matrix::from_vec(x, n, width),
            labels: self.with_labels.then_some(labels),
            kept,
        }))
    }
}

impl std::fmt::Debug for ScoringReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScoringReader")
            .field("file", &self.encoder.file())
            .field("next_row", &self.next_row)
            .finish_non_exhaustive()
    }
}

impl Iterator for ScoringReader {
    type Item = Result<ScoringBlock, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let block = self.read_block();
        self.ended |= block.is_err();
        block.transpose()
    }
}

/// A plain file is read piece by piece; what is packed or comes from a pipe has to be held.
#[cfg(feature = "parquet")]
fn open_parquet(
    source: &Source,
    input: TextInput<'static>,
    schema: &Schema,
    options: &ScoringOptions,
    with_labels: &mut bool,
) -> Result<Box<dyn RowSource>, ReadError> {
    let name = input.name().to_string();
    let file = match source::plain_file(source, sniff::is_parquet)? {
        Some(file) => ParquetFile::stream(&name, file)?,
        None => ParquetFile::open(&name, input.into_bytes(options.limit())?)?,
    };
    let source = GroupSource::open(&name, file, schema, options)?;
    *with_labels = source.with_labels();
    Ok(Box::new(source))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(
    _: &Source,
    input: TextInput<'static>,
    _: &Schema,
    _: &ScoringOptions,
    _: &mut bool,
) -> Result<Box<dyn RowSource>, ReadError> {
    Err(crate::parquet::refusal(input.name()))
}

/// Rows of CSV, TSV and ARFF files.
struct RecordSource {
    records: Box<dyn Records>,
    matching: Matching,
}

impl RowSource for RecordSource {
    fn next(&mut self, encoder: &mut Encoder, out: &mut [f64]) -> Result<Option<Place>, ReadError> {
        let is_missing = self.records.missing_rule();
        let Some(record) = self.records.next_record()? else {
            return Ok(None);
        };
        let spot = Spot::Line(record.line);
        for (j, place) in self.matching.columns.iter().enumerate() {
            let Some(place) = *place else { continue };
            let cell = record.get(place);
            if is_missing(cell) || encoder.is_gap(cell) {
                encoder.missing(j, out, spot);
            } else {
                encoder.text(j, cell, out, spot);
            }
        }
        let label = self
            .matching
            .target
            .map(|t| record.get(t))
            .filter(|c| !is_missing(c));
        Ok(Some(Place {
            spot,
            label: label.map(|c| crate::cell::decode(c).into_owned()),
            kept: self
                .matching
                .keep
                .iter()
                .map(|&i| crate::cell::decode(record.get(i)).into_owned())
                .collect(),
        }))
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = self.records.notices().to_vec();
        notices.extend_from_slice(&self.matching.notices);
        notices
    }

    fn kept(&self) -> Vec<String> {
        let names = self.records.names();
        self.matching
            .keep
            .iter()
            .map(|&i| names[i].clone())
            .collect()
    }
}
