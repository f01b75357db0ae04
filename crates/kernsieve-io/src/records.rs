//! The common part of CSV and ARFF files: named columns and a stream of records.

use crate::error::ReadError;

/// The type of a column that a file declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// Nothing: the cells decide.
    Nothing,
    /// Every cell is a number.
    Number,
    /// Every cell is text, even if it looks like a number.
    Text,
}

/// A file of records with one cell per column.
pub(crate) trait Records: Send {
    /// Name of the file, for messages.
    fn file(&self) -> &str;
    /// Names of the columns.
    fn names(&self) -> &[String];
    /// The declared type of a column.
    fn declared(&self, column: usize) -> Declared;
    /// Whether a cell stands for a missing value.
    fn missing_rule(&self) -> fn(&[u8]) -> bool;
    /// The next record; its number of cells is that of the names.
    fn next_record(&mut self) -> Result<Option<Record<'_>>, ReadError>;
    /// The target when the user names none.
    fn default_target(&self) -> DefaultTarget;
    /// Notices about the head of the file.
    fn notices(&self) -> &[String];
}

/// The column that holds the labels when the user names none, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DefaultTarget {
    pub(crate) index: usize,
    pub(crate) reason: &'static str,
}

/// The cells of one record: parts of the text, or of a scratch buffer where the text had to be
/// changed.
#[derive(Default)]
pub(crate) struct Fields {
    spans: Vec<Span>,
    scratch: Vec<u8>,
}

struct Span {
    start: usize,
    end: usize,
    in_scratch: bool,
}

impl Fields {
    pub(crate) fn clear(&mut self) {
        self.spans.clear();
        self.scratch.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Adds a cell that is in the text.
    #[inline]
    pub(crate) fn push_span(&mut self, start: usize, end: usize) {
        self.spans.push(Span {
            start,
            end,
            in_scratch: false,
        });
    }

    /// Adds bytes to the cell that is being made.
    pub(crate) fn scratch(&mut self) -> &mut Vec<u8> {
        &mut self.scratch
    }

    /// Ends the cell that is being made, which began when the scratch buffer had length `start`.
    pub(crate) fn push_scratch(&mut self, start: usize) {
        self.spans.push(Span {
            start,
            end: self.scratch.len(),
            in_scratch: true,
        });
    }

    #[inline]
    fn get<'a>(&'a self, text: &'a [u8], i: usize) -> &'a [u8] {
        let span = &self.spans[i];
        let from = if span.in_scratch { &self.scratch } else { text };
        trim(&from[span.start..span.end])
    }
}

#[inline]
fn trim(cell: &[u8]) -> &[u8] {
    match cell {
        [first, .., last] if *first > b' ' && *last > b' ' => cell,
        _ => cell.trim_ascii(),
    }
}

/// One record.
pub(crate) struct Record<'a> {
    /// The line it starts on, counted from 1.
    pub(crate) line: usize,
    pub(crate) fields: &'a Fields,
    pub(crate) text: &'a [u8],
}

impl<'a> Record<'a> {
    /// A cell, without the blanks around it.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> &'a [u8] {
        self.fields.get(self.text, i)
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.fields.len()
    }
}

impl Fields {
    /// Adds text that follows the closing quote of the last cell; blanks do not count.
    pub(crate) fn extend_last(&mut self, tail: &[u8], text: &[u8]) {
        if tail.trim_ascii().is_empty() {
            return;
        }
        if let Some(span) = self.spans.last_mut() {
            if !span.in_scratch {
                let start = self.scratch.len();
                self.scratch.extend_from_slice(&text[span.start..span.end]);
                *span = Span {
                    start,
                    end: self.scratch.len(),
                    in_scratch: true,
                };
            }
            self.scratch.extend_from_slice(tail);
            span.end = self.scratch.len();
        }
    }
}
