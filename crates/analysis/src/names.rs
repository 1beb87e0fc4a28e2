//! Names of rows, roofs and kernels.

use gemmscope_model::hardware::RoofKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::Frame;
use std::collections::HashSet;

/// Name of the kernel, else of the operation, else of the library.
pub fn name_of(frame: &Frame, row: usize) -> String {
    let names = [ColumnMeaning::Kernel, ColumnMeaning::OpName, ColumnMeaning::Library];
    frame.data.first_text(&names, row).to_owned()
}

/// Name of a roof: `datasheet roof`.
pub fn roof_name(kind: RoofKind) -> &'static str {
    match kind {
        RoofKind::Datasheet => "datasheet roof",
        RoofKind::Achievable => "achievable roof",
    }
}

/// Distinct names in order of first occurrence.
pub fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    let first = names.filter(|name| seen.insert(*name));
    first.map(str::to_owned).collect()
}

/// Maximum length of a name in a title, in characters.
pub const NAME: usize = 50;

/// Shortens a long name in the middle, keeping start and end.
pub fn short(name: &str) -> std::borrow::Cow<'_, str> {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= NAME {
        return name.into();
    }
    let start: String = letters[..NAME / 2].iter().collect();
    let end: String = letters[letters.len() - NAME / 2..].iter().collect();
    format!("{start}\u{2026}{end}").into()
}
