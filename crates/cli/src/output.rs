//! What a command writes is whole or not there.
//!
//! A file is written beside its place, under a hidden name, and renamed once all of it is on the
//! disk; a fault or a signal removes it (`output/parts.rs`). Until then what was there before is
//! there still. A link is replaced rather than followed: whoever put it there does not choose which
//! file is overwritten. What is no regular file (`/dev/null`, a FIFO) is written directly.

mod parts;
mod signals;
#[cfg(unix)]
#[cfg(test)]
mod tests;

use crate::Io;
use crate::load::{Request, Stop};
use parts::{Part, PartFolder};
use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// Writes to `-o FILE`, or to standard output if that is `-`, a name of it, or missing.
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

/// Writes a text as [`write`] does.
pub(super) fn write_text(
    output: Option<&Path>,
    text: &str,
    io: &mut Io<'_>,
) -> std::result::Result<(), Stop> {
    write(output, io, |to| to.write_all(text.as_bytes()))
}

/// Writes a file, and makes its folder where there is none: `category_findings/gemm_findings.md`,
/// as trace analysts exchange it, has one.
///
/// # Errors
///
/// Nothing was written then, but into what is no regular file.
pub(super) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let there = fs::symlink_metadata(path).ok();
    if there.as_ref().is_some_and(|t| is_written_directly(path, t)) {
        // What is open already may have a beginning.
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
    let mut part = Part::new(folder)?;
    let mut to = BufWriter::new(part.file());
    fill(&mut to)?;
    to.flush()?;
    drop(to);
    if let Some(before) = before {
        part.belong_as(&before)?;
    }
    part.rename(path)
}

/// Writes files of these names into a folder: all of them or none.
///
/// # Errors
///
/// What could not be written, and why.
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

/// A new folder for temporary files that only the user can read; a signal removes it until it is kept.
pub(super) fn temporary_folder() -> Result<PartFolder> {
    PartFolder::private(&std::env::temp_dir())
}

/// True if the name is one that [`temporary_folder`] gives.
pub(super) fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str());
    name.and_then(|n| n.strip_prefix(parts::TEMPORARY))
        .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// True for a device, a FIFO or a file that is open already (`/dev/stderr`, `/dev/fd/3`), and for a
/// folder, which refuses it.
fn is_written_directly(path: &Path, there: &Metadata) -> bool {
    let own_kind = !there.is_file() && !there.is_symlink();
    own_kind || path.is_dir() || descriptor(path).is_some()
}

/// Number of the open file that the path names: 1 for `/dev/stdout`, which is a link to
/// `/proc/self/fd/1`.
fn descriptor(path: &Path) -> Option<u32> {
    /// Links to links, as the system follows them at most.
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

/// What makes two paths the same file, however they are spelled.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(there: &Metadata) -> Identity {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let kind = there.file_type();
    match kind.is_block_device() || kind.is_char_device() {
        // Two names in /dev may be one device.
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

/// The regular file behind an open one.
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

/// Why the result may not be written where the command line says, `None` if it may. `read` are the files
/// of folders whose rows are used; those that the command line names count by themselves.
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

/// A folder on the way to the path that is a link, and lies in a folder that is read: that came from
/// elsewhere with all that is in it.
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
