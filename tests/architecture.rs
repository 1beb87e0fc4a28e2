//! ARCHITECTURE.md shows the crates as they are.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Crate -> the gemmscope crates it depends on, by short name, as its Cargo.toml says. Test-only dependencies are left out.
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

/// The same from the picture in ARCHITECTURE.md.
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

/// The chapter says which commit did what; where the whole history is there, it is asked.
#[test]
fn the_commits_of_the_book_touched_what_it_lists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let git = |args: &[&str]| {
        let asked = Command::new("git").arg("-C").arg(root).args(args).output();
        asked.ok().filter(|answer| answer.status.success())
    };
    let said = |answer: std::process::Output| String::from_utf8(answer.stdout).unwrap();
    let whole = git(&["rev-parse", "--is-shallow-repository"]).map(said);
    let whole = whole.is_some_and(|shallow| shallow.trim() == "false");
    let text = std::fs::read_to_string(root.join("docs/src/extend.md")).unwrap();
    let mut commit = None;
    let (mut commits, mut files) = (0, 0);
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("ommit `") {
            let hash = rest.split('`').next().unwrap();
            assert!(hash.len() >= 7, "{line}");
            commit = Some(hash.to_owned());
            commits += 1;
        } else if let Some(row) = line.strip_prefix("| `") {
            let path = row.split('`').next().unwrap();
            let hash = commit.as_ref().unwrap();
            files += 1;
            if whole {
                let touched = git(&["show", "--format=", "--name-only", hash]).map(said);
                let touched = touched.unwrap_or_else(|| panic!("there is no commit {hash}"));
                assert!(touched.lines().any(|name| name == path), "{hash}: {path}");
            }
        }
    }
    assert!(commits >= 4 && files > 12, "{commits} commits, {files} files");
}
