//! Writing a file whole or not at all.

use super::target::{Target, same_file};
use crate::error::{Error, Result};
use std::fs::{self, File, Permissions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files being written now, so that an interrupted program can remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How the names of files that are being written begin and end.
const PREFIX: &str = ".kernsieve-";
const SUFFIX: &str = ".part";
/// Random names that are tried.
const TRIES: usize = 100;

/// A file that is written next to its target and replaces it when it is finished: readers see the
/// old file or the new one, never a part. Dropped without [`AtomicFile::finish`], it leaves nothing
/// behind, and what a killed program left is removed by the next one that writes to the folder.
///
/// A link stays a link: what it points at is written, also if that is not there yet. The new file
/// has the old one's permissions. A pipe, a device or a stream that is open already (such as
/// `/dev/stdout`) is written to directly, since it must not be replaced. Of several who write the
/// same file, each succeeds, and the last one wins.
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
        let (resolved, old) = match Target::of(target).map_err(io)? {
            Target::Stream(stream) => {
                return Ok(Self {
                    target: target.to_path_buf(),
                    temporary: None,
                    file: Some(BufWriter::new(stream.open().map_err(io)?)),
                });
            }
            Target::File { path, old } => (path, old),
        };
        remove_stale(folder_of(&resolved));
        let (temporary, file) = begin(folder_of(&resolved), old).map_err(io)?;
        Ok(Self {
            target: resolved,
            temporary: Some(temporary),
            file: Some(BufWriter::new(file)),
        })
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
        if let Ok(folder) = File::open(folder_of(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

fn folder_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// A new file in a folder under a name that nobody can guess, locked as long as it is open.
fn begin(folder: &Path, old: Option<Permissions>) -> std::io::Result<(PathBuf, File)> {
    for _ in 0..TRIES {
        // The keys of the hasher are the system's random numbers.
        let name = format!(
            "{PREFIX}{:016x}{SUFFIX}",
            RandomState::new().build_hasher().finish()
        );
        let path = folder.join(name);
        // Never a file or a link that is there already.
        let file = match File::options().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        if let Ok(mut files) = UNFINISHED.lock() {
            files.push(path.clone());
        }
        let begun = permitted(&file, old.as_ref());
        // Who cleans up may have taken the file for one that nobody writes, before it was locked.
        let kept = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if begun.is_ok() && kept && same_file(&file, &path) {
            return Ok((path, file));
        }
        drop(file);
        forget(&path);
        begun?;
    }
    Err(std::io::Error::other(
        "no new file could be begun in its folder",
    ))
}

fn permitted(file: &File, old: Option<&Permissions>) -> std::io::Result<()> {
    match old {
        Some(old) => file.set_permissions(old.clone()),
        None => Ok(()),
    }
}

/// Removes a file that will not be finished.
fn forget(temporary: &Path) {
    let _ = fs::remove_file(temporary);
    if let Ok(mut files) = UNFINISHED.lock() {
        files.retain(|f| f != temporary);
    }
}

/// Removes what killed programs left in a folder: a file that is being written is locked.
fn remove_stale(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = |n: &str| {
            let random = n.strip_prefix(PREFIX).and_then(|n| n.strip_suffix(SUFFIX));
            random.is_some_and(|r| r.len() == 16 && r.bytes().all(|b| b.is_ascii_hexdigit()))
        };
        let is_file = entry.file_type().is_ok_and(|t| t.is_file());
        if is_file
            && name.to_str().is_some_and(is_ours)
            && let Ok(file) = File::options().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file can be written, found out before the long part. A pipe or a device is not
/// touched: its reader would see an end.
pub fn check_writable(target: &Path) -> Result<()> {
    match Target::of(target) {
        Ok(Target::Stream(_)) => Ok(()),
        _ => AtomicFile::create(target).map(drop),
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
            forget(temporary);
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
        // A link whose end is not there yet.
        let (ahead, dangling) = (dir.join("ahead"), dir.join("dangling"));
        std::os::unix::fs::symlink("ahead", &dangling).expect("allowed");
        write_atomic(&dangling, b"there").expect("writes");
        assert_eq!(fs::read(&ahead).expect("readable"), b"there");
        assert!(fs::symlink_metadata(&dangling).expect("there").is_symlink());
        // One that leads nowhere.
        let ring = dir.join("ring");
        std::os::unix::fs::symlink("ring", &ring).expect("allowed");
        assert!(write_atomic(&ring, b"x").is_err());
        fs::remove_dir_all(&dir).expect("removable");
    }

    #[test]
    fn long_names_can_be_written() {
        let dir = folder("long");
        let name = dir.join("n".repeat(255));
        write_atomic(&name, b"x").expect("writes");
        assert_eq!(fs::read(&name).expect("readable"), b"x");
        fs::remove_dir_all(&dir).expect("removable");
    }

    #[test]
    fn what_is_stale_goes_and_what_is_being_written_stays() {
        let dir = folder("stale");
        let stale = dir.join(format!("{PREFIX}0123456789abcdef{SUFFIX}"));
        let other = dir.join(format!("{PREFIX}mine{SUFFIX}"));
        fs::write(&stale, b"half").expect("writable");
        fs::write(&other, b"of somebody").expect("writable");
        let one = AtomicFile::create(&dir.join("a")).expect("writes");
        let two = AtomicFile::create(&dir.join("a")).expect("writes");
        assert!(!stale.exists() && other.exists());
        let files = || fs::read_dir(&dir).expect("readable").count();
        assert_eq!(files(), 3);
        one.finish().expect("writes");
        two.finish().expect("writes");
        assert_eq!(files(), 2);
        fs::remove_dir_all(&dir).expect("removable");
    }

    #[test]
    fn many_writers_of_one_file_all_succeed() {
        let dir = folder("writers");
        let target = dir.join("model");
        std::thread::scope(|scope| {
            for writer in 0..8u8 {
                let target = &target;
                scope.spawn(move || {
                    for _ in 0..50 {
                        write_atomic(target, &[writer; 5000]).expect("writes");
                    }
                });
            }
        });
        let last = fs::read(&target).expect("readable");
        assert!(last.len() == 5000 && last.iter().all(|b| *b == last[0]));
        assert_eq!(fs::read_dir(&dir).expect("readable").count(), 1);
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
