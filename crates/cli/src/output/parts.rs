//! Files and folders that are still being written. They are removed on an error and on a signal that ends the
//! process; only SIGKILL leaves a hidden file behind.

use super::signals;
use std::fs::{self, File};
use std::io::{ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{NamedTempFile, TempDir};

/// All parts that exist now. Creating, renaming and removing one, and ending the process, hold the lock, so that a
/// rename has either happened or not.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all parts; none can be created or renamed afterwards.
#[cfg(unix)]
pub(super) fn end() {
    let all = parts();
    for path in all.iter() {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    // Never unlocked: the process ends.
    std::mem::forget(all);
}

/// Prefix of the name of a part.
const BEFORE: &str = ".gemmscope-";
/// Prefix of the name of a temporary folder; six letters follow.
pub(super) const TEMPORARY: &str = "gemmscope-";
const AFTER: &str = ".part";

/// Path of a part, registered until it is dropped.
#[derive(Debug)]
struct Registered(PathBuf);

impl Drop for Registered {
    fn drop(&mut self) {
        parts().retain(|p| *p != self.0);
    }
}

/// Creates and registers a part under the lock, so that no signal comes in between.
fn registered<T>(
    make: impl FnOnce() -> Result<T>,
    path: impl FnOnce(&T) -> &Path,
) -> Result<(T, Registered)> {
    signals::watch();
    let mut all = parts();
    let made = make()?;
    let path = path(&made).to_owned();
    all.push(path.clone());
    Ok((made, Registered(path)))
}

/// Waits until the bytes are on disk: a quota or a network disk may refuse them only then.
fn settle(file: &File) -> Result<()> {
    match file.sync_all() {
        // Not supported by this file system.
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        settled => settled,
    }
}

/// A file that is being written.
#[derive(Debug)]
pub(super) struct PartialFile {
    // Dropped in this order: the file is removed, then its entry.
    file: NamedTempFile,
    _registered: Registered,
}

impl PartialFile {
    pub(super) fn new(folder: &Path) -> Result<PartialFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(BEFORE).suffix(AFTER);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (file, _registered) = registered(|| builder.tempfile_in(folder), NamedTempFile::path)?;
        Ok(PartialFile { file, _registered })
    }

    pub(super) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Copies the permissions of the file that it replaces, and the owner if allowed.
    pub(super) fn belong_as(&self, before: &fs::Metadata) -> Result<()> {
        let file = self.file.as_file();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let now = file.metadata()?;
            if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
                // Only root may give a file away; the group may be one of the user's.
                let _ = fchown(file, Some(before.uid()), Some(before.gid()))
                    .or_else(|_| fchown(file, None, Some(before.gid())));
            }
        }
        file.set_permissions(before.permissions())
    }

    /// Renames it to its destination.
    pub(super) fn rename(self, to: &Path) -> Result<()> {
        settle(self.file.as_file())?;
        let all = parts();
        let renamed = self.file.persist(to);
        drop(all);
        renamed.map(drop).map_err(|e| e.error)
    }
}

/// A folder that is being written.
#[derive(Debug)]
pub(crate) struct PartFolder {
    folder: TempDir,
    _registered: Registered,
}

impl PartFolder {
    pub(super) fn new(beside: &Path) -> Result<PartFolder> {
        PartFolder::with_mode(beside, (BEFORE, AFTER), 0o777)
    }

    /// Creates one that only the user can read.
    pub(super) fn private(beside: &Path) -> Result<PartFolder> {
        PartFolder::with_mode(beside, (TEMPORARY, ""), 0o700)
    }

    fn with_mode(beside: &Path, (before, after): (&str, &str), mode: u32) -> Result<PartFolder> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(before).suffix(after);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        #[cfg(not(unix))]
        let _ = mode;
        let (folder, _registered) = registered(|| builder.tempdir_in(beside), TempDir::path)?;
        Ok(PartFolder { folder, _registered })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, name: &str, text: &str) -> Result<()> {
        let mut file = File::create_new(self.path().join(name))?;
        file.write_all(text.as_bytes())?;
        settle(&file)
    }

    /// Renames it to its destination, which must not exist.
    pub(super) fn rename(self, to: &Path) -> Result<()> {
        let all = parts();
        let renamed = fs::rename(self.path(), to);
        if renamed.is_ok() {
            let _ = self.folder.keep();
        }
        drop(all);
        renamed
    }

    /// Moves its files into an existing folder.
    pub(super) fn move_files<'a>(
        self,
        into: &Path,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<()> {
        let all = parts();
        let moved = names.map(|n| fs::rename(self.path().join(n), into.join(n)));
        let moved = moved.collect();
        drop(all);
        moved
    }

    /// Keeps the folder, and returns its path.
    pub(crate) fn keep(self) -> PathBuf {
        let all = parts();
        let path = self.folder.keep();
        drop(all);
        path
    }
}
