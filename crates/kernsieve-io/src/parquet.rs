//! Parquet: flat columns of booleans, integers, floats and text.
//!
//! Files may be damaged, and the decoder trusts them in some places. Therefore page headers are
//! checked before the decoder sees them, and a panic inside it becomes an error.

use crate::columns::{Cells, Numbers, Text};
use crate::error::ReadError;
use crate::names::check_unique;
use crate::pages::CheckedPages;
use crate::quiet::quietly;
use crate::table::Holds as Meaning;
use kernsieve::data::Moment;
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::Type;
use std::fs::File;

/// No file has more rows than this per byte, except one that consists of constants.
const ROWS_PER_BYTE: u64 = 1000;
const BATCH: usize = 8192;

mod training;

pub(crate) use training::{names_of, read_chosen, read_table};

/// A Parquet file whose footer has been read.
pub(crate) struct ParquetFile {
    file: String,
    reader: Box<dyn FileReader>,
    names: Vec<String>,
    columns: Vec<Leaf>,
}

/// What is known about a column before it is read.
enum Leaf {
    /// It can be read: number of the column chunk, and what it holds.
    Flat { chunk: usize, holds: Holds },
    /// It cannot, and why.
    Unusable(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Signed,
    Unsigned,
    Other,
    Boolean,
    Text,
    /// Days since 1970-01-01.
    Days,
    /// Times since 1970-01-01, so many of which are a second.
    Times(i64),
}

impl ParquetFile {
    /// Of bytes in memory.
    pub(crate) fn open(file: &str, content: Vec<u8>) -> Result<Self, ReadError> {
        Self::of(file, bytes::Bytes::from(content))
    }

    /// Of a file, from which pages are read as they are needed.
    pub(crate) fn stream(file: &str, from: File) -> Result<Self, ReadError> {
        Self::of(file, from)
    }

    fn of<R: ChunkReader + 'static>(file: &str, from: R) -> Result<Self, ReadError> {
        let size = from.len();
        if size == 0 {
            return Err(ReadError::new(file, "the file is empty"));
        }
        let reader = guarded(file, || Ok(Box::new(SerializedFileReader::new(from)?)))?;
        let damaged = |what: &str| Err(damage(file, what));
        let mut rows = 0u64;
        for group in reader.metadata().row_groups() {
            let n = group.num_rows();
            if n < 0
                || group
                    .columns()
                    .iter()
                    .any(|c| c.column_descr().max_rep_level() == 0 && c.num_values() != n)
            {
                return damaged("the columns of a row group differ in length");
            }
            rows = rows.saturating_add(n as u64);
        }
        if rows > size.saturating_mul(ROWS_PER_BYTE) {
            return damaged("it claims more rows than a file of its size can hold");
        }
        let (mut names, mut columns) = (Vec::new(), Vec::new());
        let descriptor = reader.metadata().file_metadata().schema_descr();
        let mut chunk = 0;
        for field in descriptor.root_schema().get_fields() {
            names.push(field.name().to_string());
            columns.push(leaf(field, chunk));
            chunk += count_leaves(field);
        }
        if chunk != descriptor.columns().len() {
            return damaged("its schema is not a tree");
        }
        if names.is_empty() {
            return Err(ReadError::new(file, "the file has no columns"));
        }
        check_unique(&names)
            .map_err(|m| ReadError::new(file, m).hint("Give every column a name of its own."))?;
        Ok(Self {
            file: file.to_string(),
            reader,
            names,
            columns,
        })
    }

    /// Name of the file, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.file
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn n_row_groups(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// Whether a column holds text.
    pub(crate) fn is_text(&self, column: usize) -> bool {
        matches!(
            self.columns[column],
            Leaf::Flat {
                holds: Holds::Text,
                ..
            }
        )
    }

    /// What the numbers of a column stand for.
    pub(crate) fn meaning(&self, column: usize) -> Meaning {
        match self.columns[column] {
            Leaf::Flat {
                holds: Holds::Boolean,
                ..
            } => Meaning::Boolean,
            Leaf::Flat {
                holds: Holds::Days | Holds::Times(_),
                ..
            } => Meaning::Date,
            _ => Meaning::Number,
        }
    }

    /// Rows of a row group.
    pub(crate) fn group_rows(&self, group: usize) -> usize {
        usize::try_from(self.reader.metadata().row_group(group).num_rows()).unwrap_or(0)
    }

    /// Begins to read a column of a row group.
    pub(crate) fn begin(&self, group: usize, column: usize) -> Result<ColumnStream, ReadError> {
        let name = &self.names[column];
        let (chunk, holds) = match &self.columns[column] {
            Leaf::Flat { chunk, holds } => (*chunk, *holds),
            Leaf::Unusable(why) => {
                return Err(ReadError::new(&self.file, *why).column(name).hint(format!(
                    "Leave the column out with --drop {name}, or write it as a number or as text."
                )));
            }
        };
        let rows = self.group_rows(group);
        let reader = guarded(&self.file, || {
            let group = self.reader.get_row_group(group)?;
            let pages = CheckedPages::new(group.get_column_page_reader(chunk)?, rows);
            let descriptor = group.metadata().schema_descr().column(chunk);
            Ok(get_column_reader(descriptor, Box::new(pages)))
        });
        Ok(ColumnStream {
            file: self.file.clone(),
            name: name.clone(),
            reader: reader.map_err(|e| e.column(name))?,
            holds,
            rows,
            done: 0,
        })
    }

    /// Reads a column of a row group and appends it to the given cells.
    pub(crate) fn read(
        &self,
        group: usize,
        column: usize,
        into: &mut Cells,
    ) -> Result<(), ReadError> {
        self.begin(group, column)?.read(usize::MAX, into)
    }
}

/// A column of a row group that is being read.
pub(crate) struct ColumnStream {
    file: String,
    name: String,
    reader: ColumnReader,
    holds: Holds,
    rows: usize,
    done: usize,
}

impl ColumnStream {
    /// Reads the next rows, at most so many, and appends them to the given cells. Numbers are
    /// written out where text is wanted.
    pub(crate) fn read(&mut self, most: usize, into: &mut Cells) -> Result<(), ReadError> {
        let until = self.done.saturating_add(most).min(self.rows);
        while self.done < until {
            let wanted = BATCH.min(until - self.done);
            let (reader, holds) = (&mut self.reader, self.holds);
            let read = guarded(&self.file, || read_batch(reader, wanted, holds, into));
            match read.map_err(|e| e.column(&self.name))? {
                0 => {
                    let what = format!("the column ends after {} of {} rows", self.done, self.rows);
                    return Err(damage(&self.file, &what).column(&self.name));
                }
                rows => self.done += rows,
            }
        }
        Ok(())
    }
}

fn damage(file: &str, what: &str) -> ReadError {
    ReadError::new(
        file,
        format!("the Parquet file is damaged or not supported: {what}"),
    )
    .hint("Write it again, or convert it to CSV.")
}

/// Runs the decoder. Its errors and its panics become a [`ReadError`].
fn guarded<T>(file: &str, work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ReadError> {
    match quietly(work) {
        Some(Ok(value)) => Ok(value),
        Some(Err(e)) => Err(damage(file, &e.to_string())),
        None => Err(damage(file, "its content contradicts itself")),
    }
}

fn count_leaves(field: &Type) -> usize {
    if field.is_primitive() {
        1
    } else {
        field.get_fields().iter().map(|f| count_leaves(f)).sum()
    }
}

fn leaf(field: &Type, chunk: usize) -> Leaf {
    let info = field.get_basic_info();
    if !field.is_primitive() || (info.has_repetition() && info.repetition() == Repetition::REPEATED)
    {
        return Leaf::Unusable(
            "the column is nested (a list, map or struct), which cannot be a feature",
        );
    }
    let (physical, converted) = (field.get_physical_type(), info.converted_type());
    let holds = match (physical, info.logical_type_ref(), converted) {
        (_, Some(LogicalType::Decimal(_)), _) | (_, None, ConvertedType::DECIMAL) => {
            return Leaf::Unusable("the column holds decimals, which are not supported");
        }
        (Physical::INT96, ..) => {
            return Leaf::Unusable("the column holds times, which cannot be a feature");
        }
        (Physical::FIXED_LEN_BYTE_ARRAY, ..) => {
            return Leaf::Unusable(
                "the column holds byte arrays of fixed length, which are not supported",
            );
        }
        (Physical::INT32 | Physical::INT64, Some(LogicalType::Integer(int)), _)
            if !int.is_signed =>
        {
            Holds::Unsigned
        }
        (Physical::INT32 | Physical::INT64, Some(LogicalType::Integer(_)), _) => Holds::Signed,
        (
            Physical::INT32 | Physical::INT64,
            None,
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64,
        ) => Holds::Unsigned,
        (
            Physical::INT32 | Physical::INT64,
            None,
            ConvertedType::NONE
            | ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64,
        ) => Holds::Signed,
        (Physical::INT32, Some(LogicalType::Date), _)
        | (Physical::INT32, _, ConvertedType::DATE) => Holds::Days,
        (Physical::INT64, Some(LogicalType::Timestamp(t)), _) => Holds::Times(match t.unit {
            TimeUnit::MILLIS => 1000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        }),
        (Physical::INT64, _, ConvertedType::TIMESTAMP_MILLIS) => Holds::Times(1000),
        (Physical::INT64, _, ConvertedType::TIMESTAMP_MICROS) => Holds::Times(1_000_000),
        (Physical::INT32 | Physical::INT64, ..) => {
            return Leaf::Unusable("the column holds times of the day, which cannot be a feature");
        }
        (Physical::BOOLEAN, ..) => Holds::Boolean,
        (
            Physical::BYTE_ARRAY,
            None | Some(LogicalType::String | LogicalType::Enum | LogicalType::Json),
            ConvertedType::NONE | ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON,
        ) => Holds::Text,
        (Physical::BYTE_ARRAY, ..) => {
            return Leaf::Unusable(
                "the column holds byte arrays that are not text, which are not supported",
            );
        }
        _ => Holds::Other,
    };
    Leaf::Flat { chunk, holds }
}

/// Reads some rows of a column, and says how many.
fn read_batch(
    reader: &mut ColumnReader,
    rows: usize,
    holds: Holds,
    into: &mut Cells,
) -> Result<usize, ParquetError> {
    let mut line = String::new();
    let mut number = |into: &mut Cells, value: f64, text: &dyn std::fmt::Display| match into {
        Cells::Text(cells) if value.is_nan() => cells.push_missing(),
        Cells::Text(cells) => {
            use std::fmt::Write;
            line.clear();
            // Writing to a string cannot fail.
            let _ = write!(line, "{text}");
            cells.push(line.as_bytes());
        }
        Cells::Numbers(cells) => cells.push(value),
        Cells::Sparse(_) => {}
    };
    match reader {
        ColumnReader::BoolColumnReader(r) => each(r, rows, into, |into, v: &bool| {
            number(into, f64::from(u8::from(*v)), &u8::from(*v));
        }),
        ColumnReader::Int32ColumnReader(r) if holds == Holds::Unsigned => {
            each(r, rows, into, |into, v: &i32| {
                number(into, f64::from(*v as u32), &(*v as u32));
            })
        }
        ColumnReader::Int32ColumnReader(r) => each(r, rows, into, |into, v: &i32| {
            number(into, f64::from(*v), v)
        }),
        ColumnReader::Int64ColumnReader(r) if holds == Holds::Unsigned => {
            each(r, rows, into, |into, v: &i64| {
                number(into, *v as u64 as f64, &(*v as u64));
            })
        }
        ColumnReader::Int64ColumnReader(r) => each(r, rows, into, |into, v: &i64| match holds {
            Holds::Times(unit) => {
                let days = days_of(*v, unit);
                number(into, days, &days);
            }
            _ => number(into, *v as f64, v),
        }),
        ColumnReader::FloatColumnReader(r) => each(r, rows, into, |into, v: &f32| {
            number(into, f64::from(*v), v)
        }),
        ColumnReader::DoubleColumnReader(r) => {
            each(r, rows, into, |into, v: &f64| number(into, *v, v))
        }
        ColumnReader::ByteArrayColumnReader(r) => {
            each(r, rows, into, |into, v: &parquet::data_type::ByteArray| {
                if let Cells::Text(cells) = into {
                    match v.data().trim_ascii() {
                        [] => cells.push_missing(),
                        text => cells.push(text),
                    }
                }
            })
        }
        _ => Err(ParquetError::General(
            "a column of a type that is not supported".into(),
        )),
    }
}

/// Days since 1970-01-01 of a time in units of which so many are a second.
fn days_of(time: i64, unit: i64) -> f64 {
    let micros = match unit {
        1000 => time.saturating_mul(1000),
        1_000_000 => time,
        _ => time.div_euclid(1000),
    };
    Moment::from_micros(micros).0
}

/// Passes values of a column to `push`; a null is missing.
fn each<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    into: &mut Cells,
    mut push: impl FnMut(&mut Cells, &T::T),
) -> Result<usize, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (records, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    if levels.is_empty() {
        values.iter().for_each(|v| push(into, v));
        return Ok(records);
    }
    let mut next = values.iter();
    for &level in &levels {
        match (level, next.as_slice()) {
            (1, [_, ..]) => next.next().into_iter().for_each(|v| push(into, v)),
            _ => push_null(into),
        }
    }
    Ok(records)
}

fn push_null(into: &mut Cells) {
    match into {
        Cells::Numbers(cells) => cells.push(f64::NAN),
        Cells::Text(cells) => cells.push_missing(),
        Cells::Sparse(_) => {}
    }
}

/// An empty column of text or of numbers.
pub(crate) fn empty_cells(text: bool) -> Cells {
    if text {
        Cells::Text(Text::default())
    } else {
        Cells::Numbers(Numbers::default())
    }
}
