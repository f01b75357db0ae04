//! Writing a file whole or not at all.

use crate::error::{Error, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files being written now, so that an interrupted program can remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes `bytes` beside `path`, makes sure they are on the disk, and renames: readers see the old file or the new one.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let io = |source| Error::Io {
        path: path.display().to_string(),
        source,
    };
    let Some(name) = path.file_name() else {
        return Err(io(std::io::Error::other("this is not the name of a file")));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(hidden);
    remember(&temporary);
    let result = write_and_rename(&temporary, path, bytes);
    if result.is_err() {
        // Best effort: the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    forget(&temporary);
    result.map_err(io)
}

fn write_and_rename(temporary: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = fs::File::create(temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(temporary, path)?;
    // The rename itself lives in the folder; not every system can sync one.
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Removes what an interrupted write left: call it before leaving the program early.
pub fn remove_unfinished() {
    if let Ok(files) = UNFINISHED.lock() {
        for f in files.iter() {
            let _ = fs::remove_file(f);
        }
    }
}

fn remember(path: &Path) {
    if let Ok(mut files) = UNFINISHED.lock() {
        files.push(path.to_path_buf());
    }
}

fn forget(path: &Path) {
    if let Ok(mut files) = UNFINISHED.lock() {
        files.retain(|f| f != path);
    }
}
