//! A text file as a stream: a buffer that always holds the next record, and line numbers.

use crate::error::ReadError;
use crate::source::Stream;
#[cfg(feature = "parquet")]
use crate::source::read_all;
use std::io::{ErrorKind, Read};

const FIRST_BUFFER: usize = 1 << 18;
/// Size of the head from which the format and the delimiter are detected.
const HEAD: usize = 1 << 16;
/// A record that is longer than this means that a quote was never closed.
const LONGEST_RECORD: usize = 1 << 28;

/// Buffered text. The bytes not yet used are `available()`; a parser takes a record from their
/// front with `advance()`, or asks for more with `fill()`.
pub(crate) struct TextInput<'a> {
    name: String,
    reader: Stream<'a>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    line: usize,
}

impl<'a> TextInput<'a> {
    /// Reads the head of the text, skips a UTF-8 byte order mark and refuses files that are not
    /// text.
    pub(crate) fn new(name: &str, reader: Stream<'a>) -> Result<Self, ReadError> {
        let mut input = Self {
            name: name.to_string(),
            reader,
            buffer: vec![0; FIRST_BUFFER],
            start: 0,
            end: 0,
            ended: false,
            line: 1,
        };
        while input.end < HEAD && !input.ended {
            input.fill()?;
        }
        Ok(input)
    }

    /// Refuses UTF-16, binary and empty files, and skips a UTF-8 byte order mark.
    pub(crate) fn check_text(&mut self) -> Result<(), ReadError> {
        let head = self.available();
        let utf16 = matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        if utf16 || head.contains(&0) {
            let what = if utf16 {
                "the file is UTF-16 text"
            } else {
                "the file is not text (it holds NUL bytes; is it UTF-16, or a binary format?)"
            };
            return Err(
                ReadError::new(&self.name, what).hint("Save it as UTF-8 text and read that.")
            );
        }
        if head.starts_with(b"\xef\xbb\xbf") {
            self.start += 3;
        }
        if self.available().trim_ascii().is_empty() && self.ended {
            return Err(ReadError::new(&self.name, "the file is empty"));
        }
        Ok(())
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The bytes in the buffer that have not been used.
    pub(crate) fn available(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Whether the buffer holds everything that is left.
    pub(crate) fn at_end(&self) -> bool {
        self.ended
    }

    /// Number of the line at the front, counted from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// Marks bytes, which hold this many line ends, as used and returns them.
    pub(crate) fn advance(&mut self, used: usize, lines: usize) -> &[u8] {
        let from = self.start;
        self.start += used;
        self.line += lines;
        &self.buffer[from..self.start]
    }

    /// Reads more and keeps the unused bytes. When a record is longer than the buffer, the larger
    /// buffer is filled before the record is looked at again: otherwise a long record from a slow
    /// pipe would take quadratic time.
    pub(crate) fn fill(&mut self) -> Result<(), ReadError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let grown = self.end == self.buffer.len();
        if grown {
            if self.end >= LONGEST_RECORD {
                return Err(
                    ReadError::new(&self.name, "a single record is longer than 256 MiB")
                        .line(self.line)
                        .hint("Is a quote on this line never closed?"),
                );
            }
            self.buffer.resize(2 * self.end, 0);
        }
        let wanted = if grown {
            self.buffer.len()
        } else {
            self.end + 1
        };
        while self.end < wanted && !self.ended {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    return Err(ReadError::io(&self.name, &e)
                        .line(self.line)
                        .hint("Is the file complete? Fetch or write it again."));
                }
            }
        }
        Ok(())
    }

    /// All unused bytes, up to a limit.
    #[cfg(feature = "parquet")]
    pub(crate) fn into_bytes(self, limit: u64) -> Result<Vec<u8>, ReadError> {
        let begun = std::io::Cursor::new(self.buffer[self.start..self.end].to_vec());
        read_all(&self.name, Box::new(begun.chain(self.reader)), limit)
    }

    /// The next line and its number, without its end (LF, CRLF or CR).
    pub(crate) fn next_line(&mut self) -> Result<Option<(usize, &[u8])>, ReadError> {
        let mut searched = 0;
        loop {
            let text = self.available();
            let found = text[searched..]
                .iter()
                .position(|&b| b == b'\n' || b == b'\r');
            let (length, used) = match found.map(|p| p + searched) {
                // The byte after a CR decides whether the line end is complete.
                Some(p) if text[p] == b'\r' && p + 1 == text.len() && !self.ended => {
                    searched = p;
                    self.fill()?;
                    continue;
                }
                Some(p) => (p, p + 1 + usize::from(text[p..].starts_with(b"\r\n"))),
                None if self.ended && text.is_empty() => return Ok(None),
                None if self.ended => (text.len(), text.len()),
                None => {
                    searched = text.len();
                    self.fill()?;
                    continue;
                }
            };
            let line = self.line;
            return Ok(Some((line, &self.advance(used, 1)[..length])));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, as a slow pipe would.
    struct Drip(Vec<u8>, usize);

    impl Read for Drip {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let n = usize::from(self.1 < self.0.len());
            out[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
            self.1 += n;
            Ok(n)
        }
    }

    fn lines(text: &[u8]) -> Vec<(usize, String)> {
        let mut input = TextInput::new("t", Box::new(Drip(text.to_vec(), 0))).unwrap();
        let mut all = Vec::new();
        while let Some((n, line)) = input.next_line().unwrap() {
            all.push((n, String::from_utf8(line.to_vec()).unwrap()));
        }
        all
    }

    #[test]
    fn three_kinds_of_line_ends() {
        for text in ["a\nb\n\nc", "a\r\nb\r\n\r\nc\r\n", "a\rb\r\rc\r"] {
            let got = lines(text.as_bytes());
            let want: Vec<_> = [(1, "a"), (2, "b"), (3, ""), (4, "c")]
                .map(|(n, s)| (n, s.to_string()))
                .into();
            assert_eq!(got, want, "{text:?}");
        }
    }

    #[test]
    fn lines_longer_than_the_buffer() {
        let long = "x".repeat(3 * FIRST_BUFFER + 1);
        let text = format!("{long}\n{long}\n");
        let mut input = TextInput::new("t", Box::new(text.as_bytes())).unwrap();
        for n in 1..=2 {
            let (line, text) = input.next_line().unwrap().unwrap();
            assert_eq!((line, text.len()), (n, long.len()));
        }
        assert!(input.next_line().unwrap().is_none());
    }

    #[test]
    fn what_is_not_text_is_refused() {
        for (bytes, word) in [
            (&b"\xff\xfea\0"[..], "UTF-16"),
            (b"\xfe\xff\0a", "UTF-16"),
            (b"a\0b\0", "NUL"),
            (b"", "empty"),
            (b" \n\n", "empty"),
            (b"\xef\xbb\xbf", "empty"),
        ] {
            let e = TextInput::new("t", Box::new(bytes))
                .unwrap()
                .check_text()
                .unwrap_err();
            assert!(e.to_string().contains(word), "{e}");
        }
    }
}
