//! Writing a file whole or not at all.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files being written now, so that an interrupted program can remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is written next to its target and replaces it when it is finished: readers see the
/// old file or the new one, never a part. Dropped without [`AtomicFile::finish`], it leaves nothing
/// behind.
///
/// A link stays a link: the file it points at is replaced. The new file has the old one's
/// permissions. A pipe or a device is written to directly, since it must not be replaced.
pub struct AtomicFile {
    target: PathBuf,
    /// `None` if the target is written directly.
    temporary: Option<PathBuf>,
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Starts writing a file that will be `target`.
    pub fn create(target: &Path) -> Result<Self> {
        let io = |source| Error::Io {
            path: target.display().to_string(),
            source,
        };
        // Follow links; a target that does not exist yet is its own name.
        let resolved = fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        let old = fs::metadata(&resolved).ok();
        if old.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
            let file = File::options().write(true).open(&resolved).map_err(io)?;
            return Ok(Self {
                target: resolved,
                temporary: None,
                file: Some(BufWriter::new(file)),
            });
        }
        if old.as_ref().is_some_and(|m| m.is_dir()) {
            return Err(io(std::io::Error::other("this is a folder")));
        }
        let Some(name) = resolved.file_name() else {
            return Err(io(std::io::Error::other("this is not the name of a file")));
        };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let temporary = resolved.with_file_name(hidden);
        if let Ok(mut files) = UNFINISHED.lock() {
            files.push(temporary.clone());
        }
        let mut atomic = Self {
            target: resolved,
            temporary: Some(temporary.clone()),
            file: None,
        };
        let file = File::create(&temporary).map_err(io)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions()).map_err(io)?;
        }
        atomic.file = Some(BufWriter::new(file));
        Ok(atomic)
    }

    /// Makes sure that everything is on the disk, then renames.
    pub fn finish(mut self) -> Result<()> {
        self.sync_and_rename().map_err(|source| Error::Io {
            path: self.target.display().to_string(),
            source,
        })
    }

    fn sync_and_rename(&mut self) -> std::io::Result<()> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let file = file.into_inner().map_err(|e| e.into_error())?;
        let Some(temporary) = &self.temporary else {
            return Ok(());
        };
        file.sync_all()?;
        fs::rename(temporary, &self.target)?;
        // The rename is an entry of the folder, which not every system can sync.
        let folder = self
            .target
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file
            .as_mut()
            .map_or(Ok(bytes.len()), |f| f.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // After a finished rename there is no file of that name any more.
            let _ = fs::remove_file(temporary);
            if let Ok(mut files) = UNFINISHED.lock() {
                files.retain(|f| f != temporary);
            }
        }
    }
}

/// Writes `bytes` to `path`, whole or not at all.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|source| Error::Io {
        path: path.display().to_string(),
        source,
    })?;
    file.finish()
}

/// Removes the files of unfinished writes: call it before the program exits early.
pub fn remove_unfinished() {
    if let Ok(files) = UNFINISHED.lock() {
        for f in files.iter() {
            let _ = fs::remove_file(f);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("kernsieve-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("writable");
        dir
    }

    #[test]
    fn links_and_permissions_stay() {
        let dir = folder("links");
        let (real, link) = (dir.join("real"), dir.join("link"));
        fs::write(&real, b"old").expect("writable");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).expect("allowed");
        std::os::unix::fs::symlink(&real, &link).expect("allowed");
        write_atomic(&link, b"new").expect("writes");
        assert_eq!(fs::read(&real).expect("readable"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(
            fs::metadata(&real).expect("there").permissions().mode() & 0o777,
            0o600
        );
        fs::remove_dir_all(&dir).expect("removable");
    }

    #[test]
    fn devices_are_written_to_and_folders_refused() {
        write_atomic(Path::new("/dev/null"), b"gone").expect("writes");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
        let dir = folder("refused");
        assert!(write_atomic(&dir, b"x").is_err());
        assert!(dir.is_dir());
        fs::remove_dir_all(&dir).expect("removable");
    }
}
