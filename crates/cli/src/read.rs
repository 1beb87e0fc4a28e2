//! Reads one file, in slices.

use crate::files::InputFile;
use crate::parquet::{self, Parquet};
use crate::progress;
use gemmscope_import::{ImportError, ImportOptions, Imported, Session};
use gemmscope_share::run_list::NOT_THE_LISTED;
use std::io::Read;
use std::path::Path;

fn failed(e: &std::io::Error) -> ImportError {
    ImportError::new(format!("cannot be read: {e}"))
}

/// Reads a file: Parquet whole, anything else in slices.
fn import(
    name: &str,
    options: &ImportOptions,
    source: &mut dyn Read,
) -> Result<Imported, ImportError> {
    let mut session = Session::new(name, options.clone());
    let mut start = Vec::new();
    let found = source.take(parquet::MAGIC.len() as u64).read_to_end(&mut start);
    found.map_err(|e| failed(&e))?;
    if start == parquet::MAGIC {
        return import_parquet(session, options.packed_memory(), start, source);
    }
    let mut source = start.as_slice().chain(source);
    let mut buffer = vec![0; 1 << 18];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return session.finish(),
            Ok(n) => {
                progress::bytes(n);
                session.feed(&buffer[..n])?;
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(&e)),
        }
    }
}

/// Reads a Parquet file; `start` are the bytes already read.
fn import_parquet(
    mut session: Session,
    limit: u64,
    mut start: Vec<u8>,
    source: &mut dyn Read,
) -> Result<Imported, ImportError> {
    let more = source.take(limit).read_to_end(&mut start).map_err(|e| failed(&e))?;
    if more as u64 == limit {
        return Err(parquet::too_large(limit));
    }
    progress::bytes(start.len());
    let file = Parquet::open(start, limit)?;
    session.made_of(file.note());
    file.csv(&mut |text| session.feed(text))?;
    session.finish()
}

/// The bytes of a run, at most `limit`. A list can name anything: a device or a pipe would have no end.
fn listed(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file; a run of a list only if it is the file that the list names.
pub(super) fn read(
    file: &InputFile,
    options: &ImportOptions,
    stdin: &mut dyn Read,
) -> Result<Imported, ImportError> {
    match (&file.path, &file.run) {
        (None, _) => import(&file.name, options, stdin),
        (Some(path), Some(run)) => {
            let limit = options.packed_memory();
            let bytes = listed(path, limit).map_err(|e| failed(&e))?;
            if !run.is(&bytes) {
                return Err(ImportError::new(NOT_THE_LISTED));
            }
            let options = ImportOptions { run: run.info.clone(), ..options.clone() };
            import(&file.name, &options, &mut bytes.as_slice())
        }
        (Some(path), None) => {
            let mut source = std::fs::File::open(path).map_err(|e| failed(&e))?;
            import(&file.name, options, &mut source)
        }
    }
}
