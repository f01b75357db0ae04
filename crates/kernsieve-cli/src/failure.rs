//! Why a command failed, and the exit status of the program.

use crate::view::words::in_words;
use std::fmt;

/// A failed command.
pub enum Failure {
    /// The data, a model or the memory do not allow it: status 1.
    CouldNot(String),
    /// Wrong usage: status 2.
    Usage(String),
    /// `evaluate --fail-under` was not met: status 3.
    Under(String),
    /// The reader of the output has gone: nothing to say.
    ReaderGone,
}

impl Failure {
    /// Wrong usage, from an error of the library.
    pub fn usage(e: &kernsieve::Error) -> Self {
        Self::Usage(in_words(&e.to_string()))
    }

    /// Exit status.
    pub fn status(&self) -> u8 {
        match self {
            Self::ReaderGone => 0,
            Self::CouldNot(_) => 1,
            Self::Usage(_) => 2,
            Self::Under(_) => 3,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CouldNot(m) | Self::Usage(m) | Self::Under(m) => f.write_str(m),
            Self::ReaderGone => Ok(()),
        }
    }
}

impl From<kernsieve::Error> for Failure {
    fn from(e: kernsieve::Error) -> Self {
        let words = in_words(&e.to_string());
        match e {
            kernsieve::Error::Parameter { .. } => Self::Usage(words),
            _ => Self::CouldNot(words),
        }
    }
}

impl From<kernsieve_io::ReadError> for Failure {
    fn from(e: kernsieve_io::ReadError) -> Self {
        Self::CouldNot(e.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        if e.kind() == std::io::ErrorKind::BrokenPipe {
            Self::ReaderGone
        } else {
            Self::CouldNot(format!("cannot write: {e}"))
        }
    }
}
