//! ARFF, the format of Weka: attributes with their types, followed by comma-separated or sparse
//! rows.

use crate::cell;
use crate::error::{ReadError, count, show};
use crate::names::check_unique;
use crate::records::{Declared, DefaultTarget, Fields, Record, Records};
use crate::sniff::starts_with_word;
use crate::text::TextInput;
use std::collections::HashSet;

/// An ARFF file whose header has been read.
pub(crate) struct ArffRecords<'a> {
    input: TextInput<'a>,
    fields: Fields,
    names: Vec<String>,
    kinds: Vec<Kind>,
}

enum Kind {
    Number,
    Text,
    /// The declared values. An entry that a sparse row leaves out has the first one.
    Nominal {
        first: Vec<u8>,
        values: HashSet<Vec<u8>>,
    },
}

impl<'a> ArffRecords<'a> {
    pub(crate) fn open(mut input: TextInput<'a>) -> Result<Self, ReadError> {
        input.check_text()?;
        let file = input.name().to_string();
        let (mut names, mut kinds) = (Vec::new(), Vec::new());
        loop {
            let Some((number, line)) = input.next_line()? else {
                return Err(ReadError::new(&file, "there is no @data line")
                    .hint("Is this an ARFF file, and is it complete?"));
            };
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"%") || starts_with_word(line, b"@relation") {
                continue;
            }
            if line.eq_ignore_ascii_case(b"@data") {
                break;
            }
            if !starts_with_word(line, b"@attribute") {
                if line.eq_ignore_ascii_case(b"@relation") {
                    continue;
                }
                let message = format!(
                    "{} is not a line of an ARFF header",
                    show(&cell::decode(line))
                );
                return Err(ReadError::new(&file, message)
                    .line(number)
                    .hint("Before @data only @relation, @attribute and comments (%) may stand."));
            }
            let (name, kind) =
                attribute(&line[b"@attribute".len()..]).map_err(|(message, hint)| {
                    ReadError::new(&file, message).line(number).hint(hint)
                })?;
            names.push(name);
            kinds.push(kind);
        }
        if names.is_empty() {
            return Err(ReadError::new(
                &file,
                "there is no @attribute line before @data",
            ));
        }
        check_unique(&names).map_err(|m| {
            ReadError::new(&file, m).hint("Give every attribute a name of its own.")
        })?;
        Ok(Self {
            input,
            fields: Fields::default(),
            names,
            kinds,
        })
    }
}

impl Records for ArffRecords<'_> {
    fn file(&self) -> &str {
        self.input.name()
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn declared(&self, column: usize) -> Declared {
        match self.kinds[column] {
            Kind::Number => Declared::Number,
            _ => Declared::Text,
        }
    }

    fn missing_rule(&self) -> fn(&[u8]) -> bool {
        cell::is_empty
    }

    fn next_record(&mut self) -> Result<Option<Record<'_>>, ReadError> {
        let Self {
            input,
            fields,
            names,
            kinds,
        } = self;
        let file = input.name().to_string();
        let number = loop {
            let Some((number, line)) = input.next_line()? else {
                return Ok(None);
            };
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"%") {
                continue;
            }
            fields.clear();
            let read = match line.strip_prefix(b"{") {
                Some(inner) => sparse_row(inner, kinds, fields),
                None => dense_row(line, kinds.len(), fields),
            };
            read.map_err(|message| {
                ReadError::new(&file, message)
                    .line(number)
                    .hint("Rows are values between commas, or {index value, index value, ...}.")
            })?;
            break number;
        };
        let record = Record {
            line: number,
            fields,
            text: &[],
        };
        for (j, kind) in kinds.iter().enumerate() {
            if let Kind::Nominal { values, .. } = kind {
                let value = record.get(j);
                if !value.is_empty() && !values.contains(value) {
                    let message = format!(
                        "{} is not one of the declared values",
                        show(&cell::decode(value))
                    );
                    return Err(ReadError::new(&file, message)
                        .line(number)
                        .column(&names[j])
                        .hint(
                            "Add it to the @attribute line of the column, \
                             or write ? if the value is not known.",
                        ));
                }
            }
        }
        Ok(Some(record))
    }

    fn default_target(&self) -> DefaultTarget {
        match self
            .names
            .iter()
            .position(|n| n.eq_ignore_ascii_case("class"))
        {
            Some(index) => DefaultTarget {
                index,
                reason: "the attribute of this name",
            },
            None => DefaultTarget {
                index: self.names.len() - 1,
                reason: "the last attribute",
            },
        }
    }

    fn notices(&self) -> &[String] {
        &[]
    }
}

type Refusal = (String, &'static str);

/// `name type`, behind `@attribute`.
fn attribute(text: &[u8]) -> Result<(String, Kind), Refusal> {
    let malformed = |what: &str| (what.to_string(), "An attribute is: @attribute name type");
    let text = text.trim_ascii();
    let mut name = Vec::new();
    let rest = if matches!(text.first(), Some(b'\'' | b'"')) {
        quoted(text, &mut name)
            .ok_or_else(|| malformed("the quote of the attribute's name is not closed"))?
    } else {
        let end = text
            .iter()
            .position(|b| b.is_ascii_whitespace() || *b == b'{')
            .unwrap_or(text.len());
        name.extend_from_slice(&text[..end]);
        &text[end..]
    };
    let name = cell::decode(name.trim_ascii()).into_owned();
    let kind = rest.trim_ascii();
    if name.is_empty() || kind.is_empty() {
        return Err(malformed("the attribute has no name or no type"));
    }
    if let Some(inner) = kind.strip_prefix(b"{") {
        let inner = inner
            .strip_suffix(b"}")
            .ok_or_else(|| malformed("the list of values is not closed"))?;
        let mut fields = Fields::default();
        let n = values(inner, &mut fields).map_err(|m| malformed(&m))?;
        let record = Record {
            line: 0,
            fields: &fields,
            text: &[],
        };
        let list: Vec<Vec<u8>> = (0..n).map(|i| record.get(i).to_vec()).collect();
        let first = list.first().cloned().unwrap_or_default();
        let values = list.into_iter().collect();
        return Ok((name, Kind::Nominal { first, values }));
    }
    let word = kind.split(u8::is_ascii_whitespace).next().unwrap_or(kind);
    match word.to_ascii_lowercase().as_slice() {
        b"numeric" | b"real" | b"integer" => Ok((name, Kind::Number)),
        b"string" => Ok((name, Kind::Text)),
        b"date" | b"relational" => Err((
            format!(
                "attribute '{name}' is of type {}, which cannot be a feature",
                cell::decode(word)
            ),
            "Leave the attribute out of the file, or write it as a number.",
        )),
        _ => Err((
            format!(
                "attribute '{name}' has the unknown type {}",
                show(&cell::decode(word))
            ),
            "Types are numeric, real, integer, string and {value, value, ...}.",
        )),
    }
}

/// Reads a quoted word and returns the text after it. A backslash makes the next character an
/// ordinary one.
fn quoted<'t>(text: &'t [u8], out: &mut Vec<u8>) -> Option<&'t [u8]> {
    let quote = *text.first()?;
    let mut i = 1;
    while i < text.len() {
        match text[i] {
            b'\\' if i + 1 < text.len() => {
                out.push(match text[i + 1] {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => other,
                });
                i += 2;
            }
            b if b == quote => return Some(&text[i + 1..]),
            b => {
                out.push(b);
                i += 1;
            }
        }
    }
    None
}

/// Reads one value up to a comma or the end, and returns the text after it. An unquoted `?` becomes
/// an empty cell.
fn value<'t>(text: &'t [u8], fields: &mut Fields) -> Result<&'t [u8], String> {
    let start = fields.scratch().len();
    let text = text.trim_ascii_start();
    let rest = if matches!(text.first(), Some(b'\'' | b'"')) {
        let rest = quoted(text, fields.scratch())
            .ok_or("a quote is not closed")?
            .trim_ascii_start();
        if !rest.is_empty() && rest[0] != b',' {
            return Err("there is text behind a closing quote".into());
        }
        rest
    } else {
        let end = text.iter().position(|&b| b == b',').unwrap_or(text.len());
        let plain = text[..end].trim_ascii();
        if plain != b"?" {
            fields.scratch().extend_from_slice(plain);
        }
        &text[end..]
    };
    fields.push_scratch(start);
    Ok(rest)
}

/// Reads values between commas and checks their number.
fn values(text: &[u8], fields: &mut Fields) -> Result<usize, String> {
    let mut rest = value(text, fields)?;
    while let Some(next) = rest.strip_prefix(b",") {
        rest = value(next, fields)?;
    }
    Ok(fields.len())
}

fn dense_row(line: &[u8], width: usize, fields: &mut Fields) -> Result<(), String> {
    match values(line, fields)? {
        found if found == width => Ok(()),
        found => Err(format!("{} expected, {found} found", count(width, "value"))),
    }
}

/// `index value, index value, ...}`. An entry that is left out is 0, or the first of the declared
/// values.
fn sparse_row(inner: &[u8], kinds: &[Kind], fields: &mut Fields) -> Result<(), String> {
    let mut given: Vec<Option<Vec<u8>>> = vec![None; kinds.len()];
    let inner = inner
        .strip_suffix(b"}")
        .ok_or("the brace of the sparse row is not closed")?;
    let mut rest = inner.trim_ascii();
    while !rest.is_empty() {
        let digits = rest
            .iter()
            .position(|b| !b.is_ascii_digit())
            .unwrap_or(rest.len());
        let index = std::str::from_utf8(&rest[..digits])
            .ok()
            .and_then(|t| t.parse::<usize>().ok());
        let index = index.filter(|&i| i < kinds.len()).ok_or_else(|| {
            format!(
                "the sparse row has an entry without an index from 0 to {}",
                kinds.len() - 1
            )
        })?;
        let mut one = Fields::default();
        let after = value(&rest[digits..], &mut one)?;
        if given[index].replace(one.scratch().clone()).is_some() {
            return Err(format!("index {index} stands twice in the sparse row"));
        }
        rest = after.strip_prefix(b",").unwrap_or(after).trim_ascii_start();
    }
    for (cell, kind) in given.iter().zip(kinds) {
        let start = fields.scratch().len();
        let cell: &[u8] = match (cell, kind) {
            (Some(cell), _) => cell,
            (None, Kind::Number) => b"0",
            (None, Kind::Nominal { first, .. }) => first,
            (None, Kind::Text) => b"",
        };
        fields.scratch().extend_from_slice(cell);
        fields.push_scratch(start);
    }
    Ok(())
}
