//! Parquet files of every kind, each with the CSV that it becomes or the reason why there is none (`tests/parquet`).

use super::{Folder, command};
use crate::parquet::Parquet;
use std::path::{Path, PathBuf};

/// The bombs among the files are small.
const LIMIT: u64 = 1 << 20;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/parquet")
}

fn files() -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder()).unwrap().map(|e| e.unwrap().path());
    let mut found: Vec<_> =
        found.filter(|p| p.extension().is_some_and(|e| e == "parquet")).collect();
    found.sort();
    assert!(found.len() > 10);
    found
}

/// The note and the CSV, or the error.
fn said(bytes: Vec<u8>, limit: u64) -> Result<String, String> {
    let file = Parquet::open(bytes, limit).map_err(|e| e.message)?;
    let mut text = file.note().into_bytes();
    text.push(b'\n');
    let mut left = limit;
    // The caller refuses too much text.
    file.csv(&mut |more| {
        let length = more.len() as u64;
        left = left.checked_sub(length).ok_or_else(|| {
            gemmscope_import::ImportError::new(
                "the file unpacks to more than 1.00 MiB: write fewer rows, or allow more with --memory of the \
                 gemmscope command",
            )
        })?;
        text.extend_from_slice(more);
        Ok(())
    })
    .map_err(|e| e.message)?;
    Ok(String::from_utf8(text).unwrap())
}

#[test]
fn a_file_is_the_csv_that_it_would_be_saved_as() {
    for path in files() {
        let text = said(std::fs::read(&path).unwrap(), LIMIT);
        let text = text.unwrap_or_else(|why| format!("not read: {why}\n"));
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&golden, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&golden).unwrap(), "{}", path.display());
    }
}

#[test]
fn a_cut_or_changed_file_is_refused_or_read_without_a_panic() {
    let mut panicked = Vec::new();
    for path in files() {
        let whole = std::fs::read(&path).unwrap();
        for cut in (0..whole.len()).step_by(37) {
            let why = said(whole[..cut].to_vec(), LIMIT).unwrap_err();
            assert!(why.contains("ends early"), "{why}");
        }
        // Positions throughout each file.
        let step = if whole.len() < 1000 { 2 } else { 23 };
        for at in (4..whole.len() - 4).step_by(step) {
            for flip in [0x01, 0xff] {
                let mut changed = whole.clone();
                changed[at] ^= flip;
                let read = std::panic::catch_unwind(|| drop(said(changed, 16 << 10)));
                if read.is_err() {
                    panicked.push(format!("{}: byte {at} changed by {flip:#x}", path.display()));
                }
            }
        }
    }
    assert!(panicked.is_empty(), "{panicked:?}");
}

#[test]
fn the_command_reads_it_under_its_own_name_and_says_what_was_left_out() {
    let at = |name: &str| folder().join(name).to_string_lossy().into_owned();
    let (code, out, err) = command(&["summary", "--json", &at("nested.parquet")], "");
    assert_eq!((code, err.as_str()), (0, ""));
    let v: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&v["rows_used"], &v["file"]), (&2.into(), &"nested.parquet".into()), "{out}");
    let notes = v["notes"].to_string();
    assert!(
        notes.contains("Parquet: 2 rows, 4 columns; left out: shape (nested), run (nested)"),
        "{notes}"
    );
    let limited = |name: &str| command(&["summary", "--memory", "1MiB", &at(name)], "");
    for (name, why) in [
        ("many-rows.parquet", "whose text takes more than 1.00 MiB"),
        ("long-text.parquet", "the file unpacks to more than 1.00 MiB: write fewer rows"),
        ("large-page.parquet", "the Parquet file takes more than 1.00 MiB"),
    ] {
        let (code, _, err) = limited(name);
        assert!(code == 1 && err.contains(why), "{err}");
    }
    let folder = Folder::new("parquet");
    let csv = folder.0.join("gemms.csv").to_string_lossy().into_owned();
    assert_eq!(command(&["convert", &at("gemms.parquet"), "-o", &csv], "").0, 0);
    let (code, out, _) = command(&["summary", "--json", &csv], "");
    let v: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &v["rows_used"]), (0, &12.into()));
}
