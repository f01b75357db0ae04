//! Where output goes: results to standard output, remarks to standard error.

use super::words::{clean, is_visible};
use crate::colour;
use crate::failure::Failure;
use crate::progress::Progress;
use serde_json::ser::{Formatter, Serializer};
use std::io::Write;

/// What a command writes to.
pub struct Terminal<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Whether standard output is a terminal, not a file or a pipe.
    pub is_seen: bool,
    /// One JSON object instead of text.
    pub json: bool,
    /// No progress and no notices.
    pub quiet: bool,
}

impl Terminal<'_> {
    /// Prints a JSON object.
    pub fn object(&mut self, value: &serde_json::Value) -> Result<(), Failure> {
        let mut serializer = Serializer::with_formatter(&mut *self.out, Escaping);
        serde::Serialize::serialize(value, &mut serializer).map_err(std::io::Error::from)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// Says something the user should know, on standard error.
    pub fn notices<S: AsRef<str>>(&self, notices: &[S]) {
        if !self.quiet {
            let mut err = std::io::stderr().lock();
            for n in notices {
                // A closed standard error is no reason to stop.
                let _ = writeln!(
                    err,
                    "{} {}",
                    colour::note("note:"),
                    clean(n.as_ref(), usize::MAX)
                );
            }
        }
    }

    /// Shows progress on standard error, if that is a terminal.
    pub fn progress(&self, what: &str) -> Progress {
        if self.quiet || self.json {
            Progress::hidden()
        } else {
            Progress::new(what)
        }
    }
}

/// JSON in which characters that a terminal would obey are escaped, not only those that the
/// standard asks for.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> std::io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| !is_visible(*c)) {
            out.write_all(&rest.as_bytes()[..at])?;
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_no_escapes_of_a_terminal() {
        let names = ["a\u{9b}31m", "\u{1b}[0m", "b\u{202e}c\u{7f}", "日本\n\"\\"];
        let mut out = Vec::new();
        let mut terminal = Terminal {
            out: &mut out,
            is_seen: false,
            json: true,
            quiet: true,
        };
        assert!(terminal.object(&serde_json::json!(names)).is_ok());
        let text = String::from_utf8(out).expect("text");
        assert!(text.trim_end().chars().all(is_visible), "{text:?}");
        let back: Vec<String> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, names);
    }
}
