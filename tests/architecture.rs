//! ARCHITECTURE.md matches the crates, and the chapter on extending matches the code.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeMap;
use std::path::Path;

/// Crate -> gemmscope crates that it depends on, by short name, according to its Cargo.toml, without dev-dependencies.
fn arrows() -> BTreeMap<String, Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut manifests = vec![root.join("Cargo.toml")];
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        manifests.push(entry.unwrap().path().join("Cargo.toml"));
    }
    manifests
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let field = |line: &str| {
                line.strip_prefix("name = \"").map(|n| n.trim_end_matches('"').to_owned())
            };
            let package = text.split("[package]").nth(1).unwrap();
            let name = package.lines().find_map(field).unwrap();
            let section = text.split("\n[dependencies]\n").nth(1).unwrap_or("");
            let section = section.split("\n[").next().unwrap();
            let mut uses: Vec<String> = section
                .lines()
                .filter_map(|line| line.strip_prefix("gemmscope-"))
                .map(|line| line.split(['.', ' ', '=']).next().unwrap().to_owned())
                .collect();
            uses.sort();
            (name, uses)
        })
        .collect()
}

/// The same from the drawing in ARCHITECTURE.md.
fn picture() -> BTreeMap<String, Vec<String>> {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md"))
            .unwrap();
    text.lines()
        .filter_map(|line| line.split_once("->"))
        .filter(|(name, _)| name.starts_with("gemmscope"))
        .map(|(name, uses)| {
            (name.trim().to_owned(), uses.split_whitespace().map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn the_picture_is_what_cargo_sees() {
    let arrows = arrows();
    assert!(arrows.len() >= 8, "{arrows:?}");
    assert_eq!(picture(), arrows);
}

#[test]
fn every_path_in_it_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut checked = 0;
    for path in text.split('`').skip(1).step_by(2) {
        let place = path.starts_with("src/")
            || path.starts_with("crates/")
            || path.starts_with("scripts/")
            || path.starts_with("tests/");
        if place && !path.contains(' ') {
            assert!(root.join(path).exists(), "ARCHITECTURE.md names {path}");
            checked += 1;
        }
    }
    assert!(checked >= 10, "{checked} paths found");
}

#[test]
fn it_is_read_in_some_minutes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let words = text.split_whitespace().filter(|w| w.contains(char::is_alphanumeric)).count();
    assert!(words <= 900, "{words} words: say it where the code is");
}

/// The code shown in the chapter on extending exists in the project, by file and anchor.
#[test]
fn what_the_book_shows_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("docs/src/extend.md")).unwrap();
    let mut shown = 0;
    for what in text.split("{{file:").skip(1).map(|rest| rest.split("}}").next().unwrap()) {
        let (path, part) = what.split_once('#').unwrap_or((what, ""));
        let code =
            std::fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        for mark in ["ANCHOR", "ANCHOR_END"] {
            let marks = code.matches(&format!("{mark}: {part}\n")).count();
            assert_eq!(marks, usize::from(!part.is_empty()), "{what}: {mark}");
        }
        shown += 1;
    }
    assert!(shown >= 5, "{shown} shown");
}
