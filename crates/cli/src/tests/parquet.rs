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

/// Files that no tool writes. A field of their Thrift has a type, a number and bytes.
mod made {
    pub(super) fn varint(mut n: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while n >= 0x80 {
            bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        bytes.push(n as u8);
        bytes
    }

    fn zigzag(n: i64) -> Vec<u8> {
        varint((n << 1 ^ n >> 63).cast_unsigned())
    }

    pub(super) fn field(kind: u8, id: i64, bytes: &[u8]) -> Vec<u8> {
        [&[kind], zigzag(id).as_slice(), bytes].concat()
    }

    pub(super) fn int(id: i64, n: i64) -> Vec<u8> {
        field(5, id, &zigzag(n))
    }

    pub(super) fn long(id: i64, n: i64) -> Vec<u8> {
        field(6, id, &zigzag(n))
    }

    pub(super) fn text(id: i64, text: &str) -> Vec<u8> {
        field(8, id, &[&[text.len() as u8], text.as_bytes()].concat())
    }

    pub(super) fn list(id: i64, kind: u8, items: &[Vec<u8>]) -> Vec<u8> {
        let head = [&[0xf0 | kind], varint(items.len() as u64).as_slice()].concat();
        field(9, id, &[head, items.concat()].concat())
    }

    pub(super) fn record(id: i64, fields: &[Vec<u8>]) -> Vec<u8> {
        field(12, id, &ended(fields))
    }

    pub(super) fn ended(fields: &[Vec<u8>]) -> Vec<u8> {
        [fields.concat(), vec![0]].concat()
    }

    /// A group of a schema.
    pub(super) fn group(children: i64) -> Vec<u8> {
        ended(&[int(3, 0), text(4, "g"), int(5, children)])
    }

    /// A column of integers of 64 bits.
    pub(super) fn column(noted: &[Vec<u8>]) -> Vec<u8> {
        ended(&[int(1, 2), int(3, 0), text(4, "M"), noted.concat()])
    }

    /// A file of a column of four rows, with this schema. The column has this page, and claims this size.
    pub(super) fn file(schema: &[Vec<u8>], page: &[u8], size: i64) -> Vec<u8> {
        let about = [
            int(1, 2),
            list(2, 5, &[zigzag(0)]),
            list(3, 8, &[b"\x01M".to_vec()]),
            int(4, 0),
            long(5, 4),
            long(6, size),
            long(7, size),
            long(9, 4),
        ];
        let chunk = ended(&[long(2, 4), record(3, &about)]);
        let group = ended(&[list(1, 12, &[chunk]), long(2, 0), long(3, 4)]);
        let footer = [int(1, 2), list(2, 12, schema), long(3, 4), list(4, 12, &[group])];
        let footer = ended(&footer);
        let length = (footer.len() as u32).to_le_bytes();
        [b"PAR1", page, &footer, &length, b"PAR1"].concat()
    }
}

/// Four integers as a page, of the older kind, or of the newer one with levels that claim so many bytes.
fn page(levels: Option<i64>) -> Vec<u8> {
    use made::{ended, int, record};
    let about = match levels {
        None => vec![int(1, 0), record(5, &[int(1, 4), int(2, 0), int(3, 3), int(4, 3)])],
        Some(levels) => {
            let about =
                [int(1, 4), int(2, 0), int(3, 4), int(4, 0), int(5, levels), int(6, levels)];
            vec![int(1, 3), record(8, &about)]
        }
    };
    let header = ended(&[about[0].clone(), int(2, 32), int(3, 32), about[1].clone()]);
    [header, [64i64; 4].map(i64::to_le_bytes).concat()].concat()
}

#[test]
fn what_a_file_claims_is_checked_before_the_library_believes_it() {
    use made::{column, file, group, int};
    let page_1 = page(None);
    let size = page_1.len() as i64;
    let with = |schema: &[Vec<u8>]| said(file(schema, &page_1, size), LIMIT);
    let read = "Parquet: 4 rows, 1 column.\nM\n64\n64\n64\n64\n".to_owned();
    assert_eq!(with(&[group(1), column(&[])]), Ok(read.clone()));
    assert_eq!(
        with(&[group(2), group(0), column(&[])]),
        Ok(read.clone()),
        "an empty group is no column"
    );
    let damaged = |why: &str| Err(format!("the Parquet file is damaged: {why}; copy it again"));
    for children in [2, i64::from(i32::MAX), -1] {
        assert_eq!(with(&[group(children), column(&[])]), damaged("its schema makes no sense"));
    }
    // Decimals of 20 levels that are called numbers: the crate would read them as what they should be.
    let odd = made::record(10, &[made::record(5, &[made::long(1, 2), made::int(2, 18)])]);
    assert_eq!(with(&[group(1), column(&[odd])]), damaged("its schema makes no sense"));
    let deep =
        |levels: usize| with(&[vec![group(1); levels], vec![column(&[])]].concat()).unwrap_err();
    assert!(deep(99).contains("left out: g (nested)"), "{}", deep(99));
    for levels in [100, 100_000] {
        assert!(
            deep(levels).contains("columns in more than 100 levels of groups: write"),
            "{}",
            deep(levels)
        );
    }
    // What every tool writes of a column.
    let nanoseconds = made::record(2, &[made::record(3, &[])]);
    let timestamp = made::record(8, &[vec![1, 2], nanoseconds]);
    let text = with(&[group(1), column(&[made::record(10, &[timestamp])])]);
    assert!(
        text.clone().is_ok_and(|text| text.contains("1970-01-01T00:00:00.000000064Z")),
        "{text:?}"
    );
    let decimal = with(&[group(1), column(&[int(6, 5), int(7, 1), int(8, 18)])]);
    assert!(decimal.is_ok_and(|text| text.ends_with("\n6.4\n")));
    // A column that claims more than there is, or ends behind the file.
    let sized = |size: i64| said(file(&[group(1), column(&[])], &page_1, size), LIMIT);
    for size in [10_000, i64::MAX, -1] {
        assert_eq!(sized(size), damaged("its columns take more bytes than it has"));
    }
    let whole = file(&[group(1), column(&[])], &page_1, size).len() as i64;
    assert_eq!(sized(whole), damaged("a column does not fit its rows"));
    // Levels of a page whose sum is more than a number of 32 bits holds.
    let long = page(Some(i64::from(i32::MAX)));
    let why = said(file(&[group(1), column(&[])], &long, long.len() as i64), LIMIT).unwrap_err();
    assert!(why.starts_with("the Parquet file is damaged: "), "{why}");
}
