//! The list of a link's settings matches the code.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use gemmscope_chart::link_keys::{KEYS, is_known};
use std::collections::BTreeSet;
use std::path::Path;

/// Adds the string literals of the sources in a folder, without tests.
fn literals(folder: &Path, all: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            literals(&path, all);
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "link_keys.rs" {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            all.extend(text.split('"').skip(1).map(str::to_owned));
        }
    }
}

#[test]
fn every_setting_of_a_chart_or_a_tool_is_in_the_list_and_none_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    for folder in ["crates/chart/src", "crates/analysis/src/planner", "crates/share/src", "src"] {
        literals(&root.join(folder), &mut found);
    }
    // These are composed in the code from the key of a figure.
    found.extend(["fastest.m", "fastest.n", "fastest.k"].map(str::to_owned));
    let gone: Vec<_> = KEYS.iter().filter(|key| !found.contains(**key)).collect();
    assert!(gone.is_empty(), "nothing reads {gone:?}");
    let is_key = |text: &&String| {
        text.split_once('.').is_some_and(|(group, name)| {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            let is_file = ["csv", "html", "json", "md", "org", "svg", "tar"].contains(&name);
            // Keys of a column, and of the browser's storage.
            let other = ["c", "gemmscope"].contains(&group);
            let is_plain = |part: &str| !part.is_empty() && part.chars().all(plain);
            is_plain(group) && is_plain(name) && !is_file && !other
        })
    };
    let new: Vec<_> = found.iter().filter(is_key).filter(|key| !is_known(key)).collect();
    assert!(new.is_empty(), "crates/chart/src/link_keys.rs lacks {new:?}");
}
