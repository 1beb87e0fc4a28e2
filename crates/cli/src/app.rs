//! The one-file page that data is put into: the one built into this program, or the file of `--app`.

use flate2::read::GzDecoder;
use std::ffi::OsStr;
use std::io::Read;

/// `gemmscope.html`, compressed; empty in a build without it (see `build.rs`).
static PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.gz"));

/// Refuses a command line without `--app` if no page is built into this program.
pub(super) fn expect(file: Option<&OsStr>) -> Result<(), String> {
    match file.is_some() || !PAGE.is_empty() {
        true => Ok(()),
        false => {
            Err("--app FILE is missing: this build carries no page, so name the one-file page \
                      (gemmscope.html of a release)"
                .into())
        }
    }
}

/// The HTML of this file, else of the page built in ([`expect`] has made sure that there is one).
///
/// # Errors
///
/// A sentence if the page cannot be read.
pub(super) fn template(file: Option<&OsStr>) -> Result<String, String> {
    if let Some(file) = file {
        return std::fs::read_to_string(file)
            .map_err(|e| format!("{}: cannot be read: {e}", file.to_string_lossy()));
    }
    let mut html = String::new();
    GzDecoder::new(PAGE)
        .read_to_string(&mut html)
        .map_err(|e| format!("the page in this program is damaged: {e}"))?;
    Ok(html)
}
