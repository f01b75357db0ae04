//! Some records of one or several files, as if they were one file.

use crate::error::ReadError;
use crate::options::Format;
use crate::records::{Declared, DefaultTarget, Record, Records};
use crate::source::{self, Source};
use crate::text::TextInput;
use crate::training::open_records;

/// The records with given numbers, counted through all files.
pub(super) struct ChosenRecords<'a> {
    sources: &'a [Source],
    /// Numbers of the records at which the files end.
    ends: &'a [u64],
    rows: &'a [u64],
    format: Format,
    no_header: bool,
    current: Box<dyn Records + 'a>,
    file: usize,
    /// Number of the next record of the current file.
    at: u64,
    /// Place of the next record in `rows`.
    next: usize,
    name: String,
}

fn open<'a>(
    source: &'a Source,
    format: Format,
    no_header: bool,
) -> Result<Box<dyn Records + 'a>, ReadError> {
    let input = TextInput::new(&source.to_string(), source::open(source)?)?;
    open_records(input, format, no_header)
}

impl<'a> ChosenRecords<'a> {
    pub(super) fn open(
        sources: &'a [Source],
        ends: &'a [u64],
        rows: &'a [u64],
        format: Format,
        no_header: bool,
    ) -> Result<Self, ReadError> {
        let name = match sources {
            [one] => one.to_string(),
            [first, ..] => format!("{first} and {} more", sources.len() - 1),
            [] => String::new(),
        };
        Ok(Self {
            current: open(&sources[0], format, no_header)?,
            sources,
            ends,
            rows,
            format,
            no_header,
            file: 0,
            at: 0,
            next: 0,
            name,
        })
    }

    fn open_next(&mut self) -> Result<(), ReadError> {
        self.file += 1;
        let source = &self.sources[self.file];
        let next = open(source, self.format, self.no_header)?;
        if next.names() != self.current.names() {
            return Err(ReadError::new(
                &source.to_string(),
                format!("its columns are not those of {}", self.sources[0]),
            )
            .hint("Files that are read as one table have the same columns in the same order."));
        }
        self.current = next;
        Ok(())
    }
}

impl Records for ChosenRecords<'_> {
    fn file(&self) -> &str {
        &self.name
    }

    fn names(&self) -> &[String] {
        self.current.names()
    }

    fn declared(&self, column: usize) -> Declared {
        self.current.declared(column)
    }

    fn missing_rule(&self) -> fn(&[u8]) -> bool {
        self.current.missing_rule()
    }

    fn next_record(&mut self) -> Result<Option<Record<'_>>, ReadError> {
        let Some(&wanted) = self.rows.get(self.next) else {
            return Ok(None);
        };
        self.next += 1;
        while wanted >= self.ends[self.file] {
            self.open_next()?;
            self.at = self.ends[self.file - 1];
        }
        while self.at < wanted {
            self.current.next_record()?;
            self.at += 1;
        }
        self.at += 1;
        self.current.next_record()
    }

    fn default_target(&self) -> DefaultTarget {
        self.current.default_target()
    }

    fn notices(&self) -> &[String] {
        self.current.notices()
    }
}
