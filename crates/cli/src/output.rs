//! Writes files completely or not at all.
//!
//! A file is written next to its destination under a hidden name, and renamed once it is on disk; an error or a
//! signal removes it (`output/parts.rs`), and the old file stays. A symbolic link is replaced, not followed, so that
//! nobody else chooses which file is overwritten. Devices and FIFOs (`/dev/null`) are written directly.

mod parts;
mod signals;
#[cfg(unix)]
#[cfg(test)]
mod tests;

use crate::Io;
use crate::exit::Stop;
use crate::load::Request;
use parts::{PartFolder, PartialFile};
use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// Writes to a file, or to standard output if there is none or it is `-` or `/dev/stdout`.
pub(super) fn write(
    output: Option<&Path>,
    io: &mut Io<'_>,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> std::result::Result<(), Stop> {
    match output {
        Some(path) if !is_standard_output(path) => {
            write_file(path, fill).or_else(|e| io.err.unwritten(path, &e))
        }
        _ => Ok(fill(io.out)?),
    }
}

/// As [`write()`], for a text.
pub(super) fn write_text(
    output: Option<&Path>,
    text: &str,
    io: &mut Io<'_>,
) -> std::result::Result<(), Stop> {
    write(output, io, |to| to.write_all(text.as_bytes()))
}

/// Writes a file, and creates its folder if needed (`category_findings/gemm_findings.md`).
///
/// # Errors
///
/// Nothing was written then, except to a device or a FIFO.
pub(super) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let there = fs::symlink_metadata(path).ok();
    if there.as_ref().is_some_and(|t| is_written_directly(path, t)) {
        // Somebody may have written to it before.
        let mut to = BufWriter::new(OpenOptions::new().append(true).open(path)?);
        fill(&mut to)?;
        return to.flush();
    }
    let before = there.filter(Metadata::is_file);
    if before.is_some() {
        // A file that may not be written may not be replaced either.
        OpenOptions::new().write(true).open(path)?;
    }
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let mut part = PartialFile::new(folder)?;
    let mut to = BufWriter::new(part.file());
    fill(&mut to)?;
    to.flush()?;
    drop(to);
    if let Some(before) = before {
        part.belong_as(&before)?;
    }
    part.rename(path)
}

/// Writes files (name and text) into a folder: all or none.
///
/// # Errors
///
/// The path that could not be written, and why.
pub(super) fn write_folder(
    folder: &Path,
    files: &[(&str, &str)],
) -> std::result::Result<(), (PathBuf, Error)> {
    let of_folder = |e| (folder.to_owned(), e);
    let is_there = folder.exists();
    for (name, _) in files {
        if folder.join(name).is_dir() {
            return Err((folder.join(name), ErrorKind::IsADirectory.into()));
        }
    }
    let beside = if is_there { folder } else { folder_of(folder) };
    fs::create_dir_all(beside).map_err(of_folder)?;
    let part = PartFolder::new(beside).map_err(of_folder)?;
    for (name, text) in files {
        part.write(name, text).map_err(|e| (folder.join(name), e))?;
    }
    let names = files.iter().map(|(name, _)| *name);
    if is_there { part.move_files(folder, names) } else { part.rename(folder) }.map_err(of_folder)
}

/// Creates a temporary folder that only the user can read. It is removed by a signal until it is kept.
pub(super) fn temporary_folder() -> Result<PartFolder> {
    PartFolder::private(&std::env::temp_dir())
}

/// True for a folder that [`temporary_folder`] created.
pub(super) fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str());
    name.and_then(|n| n.strip_prefix(parts::TEMPORARY))
        .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// True for a device, a FIFO, an open file (`/dev/stderr`, `/dev/fd/3`), and a folder (which then fails).
fn is_written_directly(path: &Path, there: &Metadata) -> bool {
    let own_kind = !there.is_file() && !there.is_symlink();
    own_kind || path.is_dir() || descriptor(path).is_some()
}

/// The file descriptor that a path leads to: 1 for `/dev/stdout`, a link to `/proc/self/fd/1`.
fn descriptor(path: &Path) -> Option<u32> {
    /// Maximum number of links followed, as in the kernel.
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let folder = folder_of(&path).canonicalize().ok()?;
        let of_process = folder.starts_with("/proc") && folder.ends_with("fd");
        if of_process || folder == Path::new("/dev/fd") {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = folder.join(fs::read_link(&path).ok()?);
    }
    None
}

fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || descriptor(path) == Some(1)
}

/// Equal for two paths to the same file.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(there: &Metadata) -> Identity {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let kind = there.file_type();
    match kind.is_block_device() || kind.is_char_device() {
        // Several names in /dev may be one device.
        true => (there.rdev(), u64::MAX),
        false => (there.dev(), there.ino()),
    }
}

#[cfg(unix)]
fn identity_of(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|there| identity(&there))
}

#[cfg(not(unix))]
fn identity_of(path: &Path) -> Option<Identity> {
    path.canonicalize().ok()
}

/// The identity of an open file, if it is a regular one.
#[cfg(unix)]
fn identity_of_open(open: impl std::os::fd::AsFd) -> Option<Identity> {
    let own = open.as_fd().try_clone_to_owned().ok()?;
    let there = fs::File::from(own).metadata().ok()?;
    there.is_file().then(|| identity(&there))
}

#[cfg(unix)]
fn standard_streams() -> [Option<Identity>; 2] {
    [identity_of_open(std::io::stdin()), identity_of_open(std::io::stdout())]
}

#[cfg(not(unix))]
fn standard_streams() -> [Option<Identity>; 2] {
    [None, None]
}

/// Why the output may not be written to its destination: a file that is read, or a link in a folder that is read.
/// `read` are the files found in folders; those named in the request are checked too.
pub(super) fn wrong_place(request: &Request<'_>, read: &[&Path]) -> Option<String> {
    let [stdin, stdout] = standard_streams();
    let files = &request.source.files;
    let named = files.iter().map(OsString::as_os_str).chain(request.beside);
    let reads_stdin = named.clone().any(|f| f == "-");
    let paths = named.filter(|f| *f != "-").map(Path::new);
    let paths: Vec<&Path> = paths.filter(|p| !p.is_dir()).chain(read.iter().copied()).collect();
    let is_read = |target: Option<Identity>| {
        target.is_some()
            && (reads_stdin && stdin == target || paths.iter().any(|p| identity_of(p) == target))
    };
    match request.output.filter(|o| !is_standard_output(o)) {
        Some(path) if is_read(identity_of(path)) => Some(format!(
            "-o {}: this file is read; the result would be written over it",
            path.display()
        )),
        Some(path) => strange_link(path, files).map(|link| {
            format!(
                "-o {}: {} is a link in a folder that is read; it may lead anywhere",
                path.display(),
                link.display()
            )
        }),
        None if is_read(stdout) => Some(
            "standard output is a file that is read; the result would be written into it".into(),
        ),
        None => None,
    }
}

/// A link on the way to `path` that lies in a folder that is read: it was put there by whoever made that folder.
fn strange_link(path: &Path, files: &[OsString]) -> Option<PathBuf> {
    let folders = files.iter().map(Path::new).filter(|f| f.is_dir());
    let folders: Vec<PathBuf> = folders.filter_map(|f| f.canonicalize().ok()).collect();
    let link = |at: &&Path| {
        let lies_in = folder_of(at).canonicalize();
        at.is_symlink() && lies_in.is_ok_and(|at| folders.iter().any(|f| at.starts_with(f)))
    };
    let is_folder = path.is_dir();
    path.ancestors().skip(usize::from(!is_folder)).find(link).map(Path::to_owned)
}
