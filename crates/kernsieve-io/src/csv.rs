//! CSV and TSV: fields between delimiters, quoted where they have to be, one record per line.
//!
//! The format is RFC 4180 plus what occurs in practice: line ends are LF, CRLF or CR; blank lines
//! are skipped; blanks before an opening quote are ignored; text after a closing quote belongs to
//! the field.

use crate::cell;
use crate::error::{ReadError, count};
use crate::names::check_unique;
use crate::records::{Declared, DefaultTarget, Fields, Record, Records};
use crate::sniff;
use crate::text::TextInput;

/// The result of a search for one record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// Found: the number of its bytes and of its line ends, including its own end.
    Found { used: usize, lines: usize },
    /// The text ends before the record does.
    Incomplete,
    /// The last quote is never closed; holds the number of line ends before it.
    OpenQuote { lines: usize },
}

/// Splits the first record into fields. `at_end` tells that no text follows the given one.
pub(crate) fn split_record(text: &[u8], delimiter: u8, at_end: bool, fields: &mut Fields) -> Split {
    fields.clear();
    let (mut i, mut lines) = (0, 0);
    loop {
        let start = i;
        if text.get(skip_spaces(text, i, delimiter)) == Some(&b'"') {
            i = skip_spaces(text, i, delimiter) + 1;
            match quoted(text, i, at_end, fields) {
                Quoted::Closed { next, lines: inner } => {
                    lines += inner;
                    i = next;
                }
                Quoted::Incomplete => return Split::Incomplete,
                Quoted::Open => return Split::OpenQuote { lines },
            }
            let tail = i;
            i = field_end(text, i, delimiter);
            fields.extend_last(&text[tail..i], text);
        } else {
            i = field_end(text, i, delimiter);
            fields.push_span(start, i);
        }
        match text.get(i) {
            Some(&b) if b == delimiter => i += 1,
            Some(b'\n') => {
                return Split::Found {
                    used: i + 1,
                    lines: lines + 1,
                };
            }
            Some(_) if i + 1 == text.len() && !at_end => return Split::Incomplete,
            Some(_) => {
                let used = i + 1 + usize::from(text.get(i + 1) == Some(&b'\n'));
                return Split::Found {
                    used,
                    lines: lines + 1,
                };
            }
            None if at_end => return Split::Found { used: i, lines },
            None => return Split::Incomplete,
        }
    }
}

fn skip_spaces(text: &[u8], mut i: usize, delimiter: u8) -> usize {
    while text.get(i) == Some(&b' ') && delimiter != b' ' {
        i += 1;
    }
    i
}

#[inline]
fn field_end(text: &[u8], start: usize, delimiter: u8) -> usize {
    let ends = |b: &u8| *b == delimiter || *b == b'\n' || *b == b'\r';
    text[start..]
        .iter()
        .position(ends)
        .map_or(text.len(), |p| start + p)
}

enum Quoted {
    Closed { next: usize, lines: usize },
    Incomplete,
    Open,
}

/// Reads from just after an opening quote to just after the closing one.
fn quoted(text: &[u8], start: usize, at_end: bool, fields: &mut Fields) -> Quoted {
    let made = fields.scratch().len();
    let mut segment = start;
    let stop = if at_end {
        Quoted::Open
    } else {
        Quoted::Incomplete
    };
    loop {
        let Some(found) = text[segment..].iter().position(|&b| b == b'"') else {
            return stop;
        };
        let quote = segment + found;
        match text.get(quote + 1) {
            Some(b'"') => {
                fields.scratch().extend_from_slice(&text[segment..=quote]);
                segment = quote + 2;
            }
            None if !at_end => return Quoted::Incomplete,
            _ => {
                if segment == start {
                    fields.push_span(start, quote);
                } else {
                    fields.scratch().extend_from_slice(&text[segment..quote]);
                    fields.push_scratch(made);
                }
                let lines = line_ends(&text[start..quote]);
                return Quoted::Closed {
                    next: quote + 1,
                    lines,
                };
            }
        }
    }
}

fn line_ends(text: &[u8]) -> usize {
    let lone_cr = |(i, b): (usize, &u8)| *b == b'\r' && text.get(i + 1) != Some(&b'\n');
    text.iter().filter(|&&b| b == b'\n').count()
        + text.iter().enumerate().filter(|&p| lone_cr(p)).count()
}

/// A CSV file whose header has been read.
pub(crate) struct CsvRecords<'a> {
    input: TextInput<'a>,
    delimiter: u8,
    fields: Fields,
    names: Vec<String>,
    notices: Vec<String>,
}

impl<'a> CsvRecords<'a> {
    /// Finds the delimiter (unless it is given) and reads the header.
    pub(crate) fn open(
        mut input: TextInput<'a>,
        delimiter: Option<u8>,
        no_header: bool,
    ) -> Result<Self, ReadError> {
        input.check_text()?;
        let delimiter =
            delimiter.unwrap_or_else(|| sniff::delimiter(input.available(), input.at_end()));
        let mut records = Self {
            input,
            delimiter,
            fields: Fields::default(),
            names: Vec::new(),
            notices: Vec::new(),
        };
        let Some(found) = records.find()? else {
            return Err(ReadError::new(records.file(), "the file is empty"));
        };
        if no_header {
            records.names = (0..records.fields.len()).map(|i| format!("x{i}")).collect();
        } else {
            let header = records.take(found);
            let line = header.line;
            let cells: Vec<Vec<u8>> = (0..header.len()).map(|i| header.get(i).to_vec()).collect();
            records.names = header_names(records.input.name(), line, &cells)?;
            if looks_like_data(&cells) {
                records.notices.push(
                    "the first line looks like data, but was read as the header; \
                     use --no-header if it is data"
                        .into(),
                );
            }
        }
        Ok(records)
    }

    /// Splits the next record that is not a blank line into `fields`, and leaves it at the front of
    /// the input.
    fn find(&mut self) -> Result<Option<Found>, ReadError> {
        loop {
            let text = self.input.available();
            if text.is_empty() && self.input.at_end() {
                return Ok(None);
            }
            let line = self.input.line();
            match split_record(text, self.delimiter, self.input.at_end(), &mut self.fields) {
                Split::Found { used, lines }
                    if self.fields.len() == 1 && text[..used].trim_ascii().is_empty() =>
                {
                    self.input.advance(used, lines);
                }
                Split::Found { used, lines } => return Ok(Some(Found { line, used, lines })),
                Split::Incomplete => self.input.fill()?,
                Split::OpenQuote { lines } => {
                    return Err(ReadError::new(
                        self.input.name(),
                        "the quote that opens on this line is never closed",
                    )
                    .line(line + lines)
                    .hint("Close it, or write a quote inside a quoted field twice."));
                }
            }
        }
    }

    /// Takes the record that was found; the input continues after it.
    fn take(&mut self, found: Found) -> Record<'_> {
        Record {
            line: found.line,
            fields: &self.fields,
            text: self.input.advance(found.used, found.lines),
        }
    }
}

struct Found {
    line: usize,
    used: usize,
    lines: usize,
}

impl Records for CsvRecords<'_> {
    fn file(&self) -> &str {
        self.input.name()
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn declared(&self, _: usize) -> Declared {
        Declared::Nothing
    }

    fn missing_rule(&self) -> fn(&[u8]) -> bool {
        cell::is_missing
    }

    fn next_record(&mut self) -> Result<Option<Record<'_>>, ReadError> {
        let Some(found) = self.find()? else {
            return Ok(None);
        };
        let (width, cells) = (self.names.len(), self.fields.len());
        if cells != width {
            return Err(ReadError::new(
                self.file(),
                format!("{} expected, {cells} found", count(width, "field")),
            )
            .line(found.line)
            .hint(format!(
                "Fields are divided by {}; put a field that contains one in quotes, \
                 and leave none out.",
                sniff::delimiter_name(self.delimiter)
            )));
        }
        Ok(Some(self.take(found)))
    }

    fn default_target(&self) -> DefaultTarget {
        DefaultTarget {
            index: self.names.len() - 1,
            reason: "the last column",
        }
    }

    fn notices(&self) -> &[String] {
        &self.notices
    }
}

fn header_names(file: &str, line: usize, cells: &[Vec<u8>]) -> Result<Vec<String>, ReadError> {
    let name = |(i, c): (usize, &Vec<u8>)| {
        if c.is_empty() {
            format!("column_{i}")
        } else {
            cell::decode(c).into_owned()
        }
    };
    let names: Vec<String> = cells.iter().enumerate().map(name).collect();
    check_unique(&names).map_err(|message| {
        let hint = if cells.iter().any(|c| cell::parse_number(c).is_some()) {
            "If the first line is data, use --no-header; \
             otherwise give every column a name of its own."
        } else {
            "Give every column a name of its own."
        };
        ReadError::new(file, message).line(line).hint(hint)
    })?;
    Ok(names)
}

/// Whether the names are numbers, but not the plain count 0, 1, 2, ... that some programs write.
fn looks_like_data(cells: &[Vec<u8>]) -> bool {
    let numbers = cells
        .iter()
        .filter(|c| cell::parse_number(c).is_some())
        .count();
    let counted = cells
        .iter()
        .enumerate()
        .all(|(i, c)| *c == i.to_string().as_bytes());
    let fractions = cells
        .iter()
        .any(|c| c.contains(&b'.') && cell::parse_number(c).is_some());
    // All names are numbers, or all but the label are, and these are not years or pixel numbers.
    (numbers == cells.len() && !counted) || (fractions && numbers + 1 == cells.len())
}
