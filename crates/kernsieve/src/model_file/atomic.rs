//! Writing a file whole or not at all.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files being written now, so that an interrupted program can remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is written beside its target and takes the target's place when it is finished: readers see the old file or
/// the new one, never a part. Dropped without [`AtomicFile::finish`], it leaves nothing behind.
pub struct AtomicFile {
    target: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Starts writing a file that will be `target`.
    pub fn create(target: &Path) -> Result<Self> {
        let io = |source| Error::Io {
            path: target.display().to_string(),
            source,
        };
        let Some(name) = target.file_name() else {
            return Err(io(std::io::Error::other("this is not the name of a file")));
        };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let temporary = target.with_file_name(hidden);
        if let Ok(mut files) = UNFINISHED.lock() {
            files.push(temporary.clone());
        }
        let mut atomic = Self {
            target: target.to_path_buf(),
            temporary,
            file: None,
        };
        atomic.file = Some(BufWriter::new(File::create(&atomic.temporary).map_err(io)?));
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
        let Some(file) = self.file.take() else { return Ok(()) };
        file.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        // The rename itself lives in the folder; not every system can sync one.
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
        self.file.as_mut().map_or(Ok(bytes.len()), |f| f.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After a finished rename there is nothing of that name any more.
        let _ = fs::remove_file(&self.temporary);
        if let Ok(mut files) = UNFINISHED.lock() {
            files.retain(|f| *f != self.temporary);
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

/// Removes what unfinished writes have left so far: call it before leaving the program early.
pub fn remove_unfinished() {
    if let Ok(files) = UNFINISHED.lock() {
        for f in files.iter() {
            let _ = fs::remove_file(f);
        }
    }
}
