//! Reads one file, in slices.

use crate::files::Given;
use crate::progress;
use gemmscope_import::{ImportError, ImportOptions, Imported, Session};
use std::io::Read;

fn failed(e: &std::io::Error) -> ImportError {
    ImportError::new(format!("cannot be read: {e}"))
}

/// Reads a file in slices.
fn import(
    name: &str,
    options: &ImportOptions,
    source: &mut dyn Read,
) -> Result<Imported, ImportError> {
    let mut session = Session::new(name, options.clone());
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

/// Reads a file.
pub(super) fn read(
    file: &Given,
    options: &ImportOptions,
    stdin: &mut dyn Read,
) -> Result<Imported, ImportError> {
    match &file.path {
        None => import(&file.name, options, stdin),
        Some(path) => {
            let mut source = std::fs::File::open(path).map_err(|e| failed(&e))?;
            import(&file.name, options, &mut source)
        }
    }
}
