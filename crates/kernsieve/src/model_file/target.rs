//! What the name of an output stands for.

use std::fs::{self, File, Permissions};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

/// Links that are followed.
const MOST_LINKS: usize = 40;

/// Where output goes.
pub(super) enum Target {
    /// A regular file, there or not, behind all links.
    File {
        path: PathBuf,
        /// What the file that is there permits.
        old: Option<Permissions>,
    },
    /// Something to be written to as it is.
    Stream(Stream),
}

/// A pipe, a device, or a file that is open already.
pub(super) enum Stream {
    /// By its name.
    Named(PathBuf),
    /// By its number among the open files.
    Open(i32),
}

impl Target {
    /// Follows the links of a name.
    pub(super) fn of(name: &Path) -> Result<Self> {
        let mut path = name.to_path_buf();
        for _ in 0..MOST_LINKS {
            if let Some(number) = descriptor(&path) {
                return Ok(Self::Stream(Stream::Open(number)));
            }
            if let Ok(next) = fs::read_link(&path) {
                path = path.parent().unwrap_or(Path::new("")).join(next);
                continue;
            }
            let old = fs::metadata(&path).ok();
            return match old {
                Some(old) if old.is_dir() => Err(Error::other("this is a folder")),
                Some(old) if !old.is_file() => Ok(Self::Stream(Stream::Named(path))),
                _ if path.file_name().is_none() => {
                    Err(Error::other("this is not the name of a file"))
                }
                old => Ok(Self::File {
                    path,
                    old: old.map(|m| m.permissions()),
                }),
            };
        }
        Err(Error::other("its links lead in a circle"))
    }
}

/// The number of an open file, if that is what a name says.
fn descriptor(path: &Path) -> Option<i32> {
    if !cfg!(unix) {
        return None;
    }
    match path.to_str()? {
        "/dev/stdout" => return Some(1),
        "/dev/stderr" => return Some(2),
        _ => {}
    }
    let parent = path.parent()?;
    let own = ["self", "thread-self"].map(|p| Path::new("/proc").join(p).join("fd"));
    let is_open = parent == Path::new("/dev/fd") || own.iter().any(|p| p == parent);
    let number = path.file_name()?.to_str()?.parse().ok()?;
    is_open.then_some(number)
}

impl Stream {
    pub(super) fn open(&self) -> Result<File> {
        match self {
            Self::Named(path) => File::options().write(true).open(path),
            Self::Open(number) => open_again(*number),
        }
    }
}

/// A file that is open already. What was written to it stays: standard streams go on where they
/// are, others at their end.
#[cfg(unix)]
fn open_again(number: i32) -> Result<File> {
    use std::os::fd::AsFd;
    let own = match number {
        1 => std::io::stdout().as_fd().try_clone_to_owned()?,
        2 => std::io::stderr().as_fd().try_clone_to_owned()?,
        _ => {
            let name = Path::new("/dev/fd").join(number.to_string());
            return File::options().append(true).open(name);
        }
    };
    Ok(File::from(own))
}

#[cfg(not(unix))]
fn open_again(_: i32) -> Result<File> {
    Err(Error::other("open files have no names on this system"))
}

/// Whether a path still leads to a file.
#[cfg(unix)]
pub(super) fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |m: fs::Metadata| (m.dev(), m.ino());
    let (own, there) = (file.metadata().map(id), fs::symlink_metadata(path).map(id));
    own.is_ok_and(|own| there.is_ok_and(|there| own == there))
}

#[cfg(not(unix))]
pub(super) fn same_file(_: &File, path: &Path) -> bool {
    path.exists()
}
