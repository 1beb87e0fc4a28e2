//! The checks of fuzz targets other than the readers, on the stable toolchain: over fixtures, seeded damage to them,
//! and every input with which a fuzzer found a fault.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "../fuzz/checks.rs"]
mod checks;
#[path = "../fuzz/drawn.rs"]
mod drawn;
#[path = "../fuzz/exercise.rs"]
mod exercise;

use std::path::Path;

type Check = fn(&[u8]);

/// Each has a folder of inputs in `fuzz/seeds`: start inputs of the fuzzer, and every input that has made the check
/// fail.
const CHECKS: [(&str, Check); 17] = [
    ("document", checks::document),
    ("workbook", checks::workbook),
    ("archive", checks::archive),
    ("gzip", checks::gzip),
    ("link", checks::link),
    ("message", checks::message),
    ("description", checks::description),
    ("names", checks::names),
    ("reference", checks::reference),
    ("history", checks::history),
    ("grouped", checks::grouped),
    ("answers", checks::answers),
    ("transfer", checks::transfer),
    ("files", checks::files),
    ("outputs", drawn::outputs),
    ("extremes", drawn::extremes),
    ("plan", drawn::plan),
];

/// Number of damaged inputs per check.
const DAMAGES: usize = 60;

fn seeds(check: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join(check)).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files.iter().map(|f| std::fs::read(f).unwrap()).collect()
}

fn fixtures() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let mut files = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path());
        if let Some(file) = files.find(|f| f.is_file()) {
            out.push(std::fs::read(file).unwrap());
        }
    }
    assert!(out.len() > 20);
    out
}

#[test]
fn checks_hold_for_seeds_and_their_damages() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n.max(1) as u64) as usize
    };
    for (name, check) in CHECKS {
        let seeds = seeds(name);
        for seed in &seeds {
            check(seed);
            for _ in 0..DAMAGES / seeds.len() {
                let mut bad = seed.clone();
                for _ in 0..=below(3) {
                    let at = below(bad.len());
                    match below(3) {
                        0 => bad[at] = below(256) as u8,
                        1 => bad.truncate(at.max(2)),
                        _ => bad.insert(at, b"0,\n\"'-=<&\xff"[below(10)]),
                    }
                }
                check(&bad);
            }
        }
    }
}

#[test]
fn checks_hold_for_fixtures() {
    for file in fixtures() {
        for check in [checks::transfer, drawn::outputs, checks::gzip] {
            check(&[b"\x00\x00", file.as_slice()].concat());
        }
        checks::files(&file);
    }
}
