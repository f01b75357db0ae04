//! Why a command could not be done, and with which status the program leaves.

use crate::view::words::in_words;
use std::fmt;

/// A failed command.
pub enum Failure {
    /// The data, a model or memory would not do: status 1.
    CouldNot(String),
    /// The command was not meant like that: status 2.
    Usage(String),
    /// `evaluate --fail-under` was not met: status 3.
    Under(String),
    /// Whoever read our output has gone: nothing to say.
    ReaderGone,
}

impl Failure {
    /// A command that was not meant like that, in the words of the library.
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
