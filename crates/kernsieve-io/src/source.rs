//! Where bytes come from: a path, standard input, or memory; unpacked if they are gzip.

use crate::error::{ReadError, bytes as show_bytes};
use flate2::read::MultiGzDecoder;
use std::fmt;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// Where to read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes in memory.
    Bytes {
        /// Its name in messages. As for a file, the extension tells the format.
        name: String,
        /// The content of the file.
        bytes: Vec<u8>,
    },
}

impl Source {
    /// The source that a command line argument stands for: `-` is standard input, everything else
    /// is a path.
    pub fn from_arg(argument: impl AsRef<Path>) -> Self {
        let path = argument.as_ref();
        if path == Path::new("-") {
            Self::Stdin
        } else {
            Self::Path(path.to_path_buf())
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Stdin => f.write_str("<stdin>"),
            Self::Bytes { name, .. } => f.write_str(name),
        }
    }
}

/// A stream of unpacked bytes.
pub(crate) type Stream<'a> = Box<dyn Read + Send + 'a>;

/// Opens a source and unpacks gzip, whatever the name says.
pub(crate) fn open(source: &Source) -> Result<Stream<'_>, ReadError> {
    let name = source.to_string();
    let raw: Stream<'_> = match source {
        Source::Path(_) => Box::new(open_file(source)?),
        Source::Stdin => Box::new(std::io::stdin()),
        Source::Bytes { bytes, .. } => Box::new(bytes.as_slice()),
    };
    unpack(raw).map_err(|e| ReadError::io(&name, &e))
}

/// Opens a source for reading that may outlive its borrow.
pub(crate) fn open_owned(source: &Source) -> Result<Stream<'static>, ReadError> {
    match source {
        Source::Bytes { name, bytes } => {
            unpack(Box::new(Cursor::new(bytes.clone()))).map_err(|e| ReadError::io(name, &e))
        }
        Source::Path(_) => {
            let file = open_file(source)?;
            unpack(Box::new(file)).map_err(|e| ReadError::io(&source.to_string(), &e))
        }
        Source::Stdin => {
            unpack(Box::new(std::io::stdin())).map_err(|e| ReadError::io("<stdin>", &e))
        }
    }
}

fn open_file(source: &Source) -> Result<File, ReadError> {
    let Source::Path(path) = source else {
        return Err(ReadError::new(&source.to_string(), "is not a file"));
    };
    let name = source.to_string();
    let file = File::open(path).map_err(|e| ReadError::io(&name, &e))?;
    // Opening a directory succeeds on some systems; only reading it fails.
    let meta = file.metadata().map_err(|e| ReadError::io(&name, &e))?;
    if meta.is_dir() {
        return Err(ReadError::io(
            &name,
            &std::io::ErrorKind::IsADirectory.into(),
        ));
    }
    Ok(file)
}

/// A regular file whose own first bytes are what is looked for, so that it is not packed.
#[cfg(feature = "parquet")]
pub(crate) fn plain_file(
    source: &Source,
    wanted: fn(&[u8]) -> bool,
) -> Result<Option<File>, ReadError> {
    let Source::Path(_) = source else {
        return Ok(None);
    };
    let name = source.to_string();
    let mut file = open_file(source)?;
    if !file.metadata().is_ok_and(|m| m.is_file()) {
        return Ok(None);
    }
    let mut head = Vec::new();
    let read = file.by_ref().take(8).read_to_end(&mut head);
    read.map_err(|e| ReadError::io(&name, &e))?;
    Ok(wanted(&head).then_some(file))
}

fn unpack<'a>(mut raw: Stream<'a>) -> std::io::Result<Stream<'a>> {
    let mut magic = Vec::with_capacity(2);
    raw.by_ref().take(2).read_to_end(&mut magic)?;
    let packed = magic == [0x1f, 0x8b];
    let whole = Cursor::new(magic).chain(raw);
    Ok(if packed {
        Box::new(MultiGzDecoder::new(std::io::BufReader::with_capacity(
            1 << 16,
            whole,
        )))
    } else {
        Box::new(whole)
    })
}

/// Reads everything, up to a limit.
pub(crate) fn read_all(
    name: &str,
    mut stream: Stream<'_>,
    limit: u64,
) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = stream
        .by_ref()
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes);
    read.map_err(|e| ReadError::io(name, &e))?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::new(
            name,
            format!(
                "the file is larger than the memory limit of {} when it is read",
                show_bytes(limit)
            ),
        )
        .hint("Raise the limit with --memory, or use fewer rows."));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_messages() {
        assert_eq!(Source::from_arg("-"), Source::Stdin);
        assert_eq!(Source::Stdin.to_string(), "<stdin>");
        assert_eq!(Source::from_arg("a/b.csv").to_string(), "a/b.csv");
    }

    #[test]
    fn what_the_system_says_is_said_with_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("none.csv");
        let e = open(&Source::Path(path.clone())).err().unwrap().to_string();
        assert!(
            e.contains(&path.display().to_string()) && e.contains("no such file"),
            "{e}"
        );
        let e = open(&Source::Path(dir.path().to_path_buf()))
            .err()
            .unwrap()
            .to_string();
        assert!(e.contains("is a directory"), "{e}");
    }

    #[test]
    fn a_limit_stops_the_reading() {
        let source = Source::Bytes {
            name: "b".into(),
            bytes: vec![b'x'; 100],
        };
        assert_eq!(
            read_all("b", open(&source).unwrap(), 100).unwrap().len(),
            100
        );
        let e = read_all("b", open(&source).unwrap(), 99).unwrap_err();
        assert!(e.to_string().contains("--memory"), "{e}");
    }
}
