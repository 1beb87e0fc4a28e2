//! A fixed corpus through every reader: all fixtures as every format, and thousands of seeded damaged copies. The same
//! checks as the fuzz targets, with their memory limits, on the stable toolchain, in seconds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "../fuzz/exercise.rs"]
mod exercise;
#[path = "../fuzz/held.rs"]
mod held;

use exercise::exercise;
use gemmscope_import::FORMATS;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            for file in std::fs::read_dir(&folder).unwrap() {
                let path = file.unwrap().path();
                if path.is_file() {
                    out.push((path.display().to_string(), std::fs::read(&path).unwrap()));
                }
            }
        }
    }
    out.sort();
    out
}

const SPLINTERS: [&[u8]; 24] = [
    b"-9223372036854775808",
    b"1e999",
    b"NaN",
    b"inf",
    b"-0.0",
    b"18446744073709551616",
    b"\"",
    b"\"\"\"",
    b"\n",
    b"\r\n",
    b"\0",
    b",,,,,,,,",
    b";",
    b"\t",
    b"{",
    b"}",
    b"[[[[[[[[",
    b"]",
    b"\\",
    b"\xff\xfe",
    "µ".as_bytes(),
    b"()",
    b"1,234,567.8",
    b":",
];

fn damage(r: &mut Seeded, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=r.below(3) {
        let at = r.below(out.len());
        let end = (at + r.below(40)).min(out.len());
        match r.below(8) {
            0 => out.truncate(at),
            1 => {
                out.drain(at..end);
            }
            2 => {
                let piece = SPLINTERS[r.below(SPLINTERS.len())];
                out.splice(at..end, piece.iter().copied());
            }
            3 => {
                let piece = SPLINTERS[r.below(SPLINTERS.len())];
                out.splice(at..at, piece.iter().copied());
            }
            4 => {
                if let Some(b) = out.get_mut(at) {
                    *b = r.next() as u8;
                }
            }
            5 => {
                let from = r.below(other.len());
                let to = (from + r.below(200)).min(other.len());
                out.splice(at..at, other[from..to].iter().copied());
            }
            6 => {
                // Repeat a line many times.
                let line: Vec<u8> = out[at..].iter().copied().take_while(|b| *b != b'\n').collect();
                let mut many = Vec::new();
                for _ in 0..r.below(50) {
                    many.extend_from_slice(&line);
                    many.push(b'\n');
                }
                out.splice(at..at, many);
            }
            _ => {
                // Replace digits: sizes, times, columns that do not fit.
                for b in &mut out[at..end] {
                    if b.is_ascii_digit() {
                        *b = b'0' + (r.next() % 10) as u8;
                    }
                }
            }
        }
        if out.is_empty() {
            return out;
        }
    }
    out
}

/// A zip of these parts, stored, as in a workbook.
fn workbook(sheet: &str) -> Vec<u8> {
    let rels =
        "<Relationships><Relationship Id=\"r1\" Target=\"worksheets/s.xml\"/></Relationships>";
    let book = "<workbook><sheets><sheet name=\"GEMM\" r:id=\"r1\"/></sheets></workbook>";
    let rows: String = sheet
        .lines()
        .map(|l| {
            let cells = l.split(',').map(|c| format!("<c t=\"inlineStr\"><is><t>{c}</t></is></c>"));
            format!("<row>{}</row>", cells.collect::<String>())
        })
        .collect();
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let (mut out, mut directory, mut n) = (Vec::new(), Vec::new(), 0u16);
    for (name, text) in [
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", rels),
        ("xl/worksheets/s.xml", &sheet),
    ] {
        let sizes = [(text.len() as u32).to_le_bytes(), (text.len() as u32).to_le_bytes()].concat();
        let name_size = (name.len() as u16).to_le_bytes();
        let at = (out.len() as u32).to_le_bytes();
        out.extend([b"PK\x03\x04".as_slice(), &[0; 14], &sizes, &name_size, &[0; 2]].concat());
        out.extend([name.as_bytes(), text.as_bytes()].concat());
        directory.extend(
            [b"PK\x01\x02".as_slice(), &[0; 16], &sizes, &name_size, &[0; 12], &at].concat(),
        );
        directory.extend(name.as_bytes());
        n += 1;
    }
    let (start, size) = (out.len() as u32, directory.len() as u32);
    out.extend(directory);
    out.extend([b"PK\x05\x06".as_slice(), &[0; 4], &n.to_le_bytes(), &n.to_le_bytes()].concat());
    out.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
    out.extend([0; 2]);
    out
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    e.write_all(bytes).unwrap();
    e.finish().unwrap()
}

#[test]
fn every_fixture_as_every_format() {
    for (name, bytes) in fixtures() {
        for f in FORMATS {
            held::bounded(&format!("{name} as {}", f.id), bytes.len(), || {
                drop(exercise::outcome(Some(f.id), "", &bytes, 4096))
            });
        }
    }
}

/// Bytes of a fixture that are damaged: more rows would not make a difference.
const DAMAGED: usize = 4096;

#[test]
fn damaged_fixtures() {
    let mut all = fixtures();
    let report = "M,N,K,dtype,time_us\n64,128,256,fp16,12\n64,128,512,bf16,20\n";
    all.push(("workbook.xlsx".to_owned(), workbook(report)));
    all.push(("packed.csv.gz".to_owned(), gzip(report.as_bytes())));
    for (_, bytes) in &mut all {
        bytes.truncate(DAMAGED);
    }
    // Each fixture has its own dice, so that any thread may take it.
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= all.len() {
                        return;
                    }
                    damage_in_rounds(&all, at);
                }
            });
        }
    });
}

fn damage_in_rounds(all: &[(String, Vec<u8>)], at: usize) {
    let (name, bytes) = &all[at];
    let mut r = Seeded(0x9e37_79b9_7f4a_7c15 ^ (at as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    for round in 0..12 {
        let other = &all[(at + 1 + r.below(all.len() - 1)) % all.len()].1;
        let bad = damage(&mut r, bytes, other);
        let format = match round % 4 {
            0 => Some(FORMATS[r.below(FORMATS.len())].id),
            _ => None,
        };
        let step = 1 + r.below(300);
        let what = format!("{name}, round {round}, as {format:?}");
        let result = std::panic::catch_unwind(|| {
            held::bounded(&what, bad.len(), || match round % 6 {
                3 => {
                    exercise::records(&bad, step);
                    exercise::json(&bad, step);
                    exercise::head(&bad);
                }
                _ => exercise(format, &bad, step),
            });
        });
        if result.is_err() {
            panic!("{what}:\n{}", String::from_utf8_lossy(&bad));
        }
    }
}
