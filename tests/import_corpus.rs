//! A fixed corpus through every reader: all fixtures as every format, and thousands of seeded
//! damages of them. The same checks as the fuzz targets, on a stable toolchain, in seconds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "../fuzz/exercise.rs"]
mod exercise;

use exercise::exercise;
use gemmscope::import::FORMATS;
use std::path::Path;
use std::time::{Duration, Instant};

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
                // One line many times.
                let line: Vec<u8> = out[at..]
                    .iter()
                    .copied()
                    .take_while(|b| *b != b'\n')
                    .collect();
                let mut many = Vec::new();
                for _ in 0..r.below(50) {
                    many.extend_from_slice(&line);
                    many.push(b'\n');
                }
                out.splice(at..at, many);
            }
            _ => {
                // Digits become others: sizes, times, columns that do not fit.
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

fn timed(what: &str, f: impl FnOnce()) {
    let started = Instant::now();
    f();
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "{what} took {took:?}");
}

#[test]
fn every_fixture_as_every_format() {
    for (name, bytes) in fixtures() {
        for f in FORMATS {
            timed(&format!("{name} as {}", f.id), || {
                exercise(Some(f.id), &bytes, 4096)
            });
        }
    }
}

#[test]
fn damaged_fixtures() {
    let all = fixtures();
    let mut r = Seeded(0x9e37_79b9_7f4a_7c15);
    for (i, (name, bytes)) in all.iter().enumerate() {
        for round in 0..12 {
            let other = &all[(i + 1 + r.below(all.len() - 1)) % all.len()].1;
            let bad = damage(&mut r, bytes, other);
            let format = match round % 4 {
                0 => Some(FORMATS[r.below(FORMATS.len())].id),
                _ => None,
            };
            let step = 1 + r.below(300);
            let what = format!("{name}, round {round}, as {format:?}");
            let result = std::panic::catch_unwind(|| timed(&what, || exercise(format, &bad, step)));
            if result.is_err() {
                panic!("{what}:\n{}", String::from_utf8_lossy(&bad));
            }
        }
    }
}
