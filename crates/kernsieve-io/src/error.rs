//! The one error of this crate: where, what, and what to do.

use std::fmt;

/// Why a file could not be read. Its text names the file, the line or row, and the column, and says
/// what to do.
///
/// ```text
/// iris.csv, line 12, column 'width': the number is not finite (inf)
/// Correct the cell, write NA if the value is not known, or leave the column out with --drop width.
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}{}{}", Hint(hint.as_deref()), Others(more.as_deref()))]
pub struct ReadError {
    place: Place,
    message: String,
    hint: Option<String>,
    /// Further problems of the same file, boxed so that the error stays small.
    more: Option<Box<More>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct More(Vec<ReadError>);

struct Others<'a>(Option<&'a More>);

impl fmt::Display for Others<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = self.0.map_or(&[][..], |m| &m.0);
        more.iter().try_for_each(|e| write!(f, "\n{e}"))
    }
}

/// The place of a record in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// Line of a text file, counted from 1 as editors do.
    Line(usize),
    /// Data row of a binary file, counted from 0 as everywhere in kernsieve.
    Row(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    name: String,
    spot: Option<Spot>,
    column: Option<String>,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(n) => write!(f, "line {n}"),
            Self::Row(n) => write!(f, "row {n}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(spot) = self.spot {
            write!(f, ", {spot}")?;
        }
        match &self.column {
            Some(column) => write!(f, ", column '{column}'"),
            None => Ok(()),
        }
    }
}

struct Hint<'a>(Option<&'a str>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(hint) => write!(f, "\n{hint}"),
            None => Ok(()),
        }
    }
}

impl ReadError {
    pub(crate) fn new(name: &str, message: impl Into<String>) -> Self {
        Self {
            place: Place {
                name: name.to_string(),
                spot: None,
                column: None,
            },
            message: message.into(),
            hint: None,
            more: None,
        }
    }

    /// All problems of a file as one error.
    pub(crate) fn all(mut problems: Vec<Self>) -> Option<Self> {
        let more = problems.split_off(problems.len().min(1));
        let first = problems.pop()?;
        let more = (!more.is_empty()).then(|| Box::new(More(more)));
        Some(Self { more, ..first })
    }

    pub(crate) fn at(mut self, spot: Spot) -> Self {
        self.place.spot = Some(spot);
        self
    }

    pub(crate) fn line(self, line: usize) -> Self {
        self.at(Spot::Line(line))
    }

    pub(crate) fn column(mut self, column: &str) -> Self {
        self.place.column = Some(column.to_string());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Describes in words what the system reported.
    pub(crate) fn io(name: &str, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::NotFound => Self::new(name, "there is no such file").hint("Check the path."),
            ErrorKind::PermissionDenied => Self::new(name, "permission to read the file is denied"),
            ErrorKind::IsADirectory => {
                Self::new(name, "is a directory, not a file").hint("Name a file in it.")
            }
            _ => Self::new(name, format!("cannot be read: {error}")),
        }
    }

    /// The line of the text file, counted from 1, if the error has one.
    pub fn line_number(&self) -> Option<usize> {
        match self.place.spot {
            Some(Spot::Line(n)) => Some(n),
            _ => None,
        }
    }

    /// The column that the error is about, if there is one.
    pub fn column_name(&self) -> Option<&str> {
        self.place.column.as_deref()
    }
}

/// A cell as shown in a message: in quotes, and cut to at most 40 characters.
pub(crate) fn show(text: &str) -> String {
    let mut shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        shown.push_str("...");
    }
    format!("'{shown}'")
}

/// `1 row`, `2 rows`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// A number of bytes in readable units.
pub(crate) fn bytes(n: u64) -> String {
    let mut value = n as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            return if unit == "bytes" {
                format!("{n} bytes")
            } else {
                format!("{value:.1} {unit}")
            };
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_gives_place_message_and_remedy() {
        let e = ReadError::new("a.csv", "bad")
            .line(3)
            .column("c")
            .hint("Fix it.");
        assert_eq!(e.to_string(), "a.csv, line 3, column 'c': bad\nFix it.");
        assert_eq!((e.line_number(), e.column_name()), (Some(3), Some("c")));
        let all = ReadError::all(vec![e.clone(), ReadError::new("a.csv", "worse")]);
        let all = all.expect("problems").to_string();
        assert_eq!(all, format!("{e}\na.csv: worse"));
        assert_eq!(ReadError::all(vec![]), None);
        let e = ReadError::new("a.pq", "bad").at(Spot::Row(0));
        assert_eq!(e.to_string(), "a.pq, row 0: bad");
    }

    #[test]
    fn long_and_odd_cells_are_shown_briefly() {
        assert_eq!(show("a\nb"), "'a\\nb'");
        assert_eq!(show(&"x".repeat(99)).len(), 45);
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 40), "3.0 TiB");
    }
}
