//! Settings in kernel names besides the tile, and what else differs between names.

use gemmscope_model::tiling::Axis;
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};
use gemmscope_table::field::Frame;
use gemmscope_table::group::mix;
use std::collections::BTreeMap;

/// The axis that a setting's title means in any tool's spelling: `BLOCK_SIZE_K`, `num_warps`.
pub(super) fn axis_of(title: &str) -> Option<Axis> {
    let plain: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
    Some(match &*plain.to_ascii_lowercase() {
        "tilem" | "blockm" | "blocksizem" | "bm" => Axis::Bm,
        "tilen" | "blockn" | "blocksizen" | "bn" => Axis::Bn,
        "tilek" | "blockk" | "blocksizek" | "bk" => Axis::Bk,
        "splitk" | "sk" => Axis::SplitK,
        "stages" | "numstages" => Axis::Stages,
        "warps" | "numwarps" => Axis::Warps,
        _ => return None,
    })
}

/// A setting in a kernel's name: its letters, their axis, and its value.
pub(super) type NamedSetting = (String, Option<Axis>, String);

/// Varying parts of kernel names that are built alike: `GRVW4` is 4 for `GRVW`.
pub(super) struct NameParts<'a> {
    codes: &'a [u32],
    /// By name: its settings; empty for names that are built differently.
    settings: Vec<Vec<NamedSetting>>,
    /// By name: hash of the varying parts that are not settings; for a name that is built differently, of all parts.
    others: Vec<u64>,
}

impl<'a> NameParts<'a> {
    pub(super) fn of(frame: &'a Frame) -> Self {
        let column = frame.data.column(ColumnMeaning::Kernel);
        let Some(ColumnData::Text { codes, values }) = column.map(|c| &c.data) else {
            return NameParts { codes: &[], settings: Vec::new(), others: Vec::new() };
        };
        let parts: Vec<Vec<String>> = values.iter().map(|v| parts_of(v)).collect();
        let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
        for p in &parts {
            *lengths.entry(p.len()).or_default() += 1;
        }
        let usual = lengths.into_iter().max_by_key(|l| l.1).map_or(0, |l| l.0);
        let alike = || parts.iter().filter(|p| p.len() == usual);
        let titles: Vec<Option<String>> = (0..usual)
            .map(|i| {
                let first = alike().next()?.get(i)?;
                let title = letters(first);
                let varies = alike().any(|p| p[i] != *first);
                let titled = alike().all(|p| letters(&p[i]) == title);
                // Numbers joined by an x are the tile.
                let tile = first[title.len()..].contains('x');
                (varies && titled && !tile && !title.is_empty()).then(|| title.to_owned())
            })
            .collect();
        let hashed = |h: u64, text: &String| text.bytes().fold(mix(h, 1), |h, b| mix(h, b.into()));
        let other = |p: &Vec<String>| match p.len() == usual {
            false => p.iter().fold(1, hashed),
            true => {
                let untitled = titles.iter().zip(p).filter(|(title, _)| title.is_none());
                untitled.fold(0, |h, (_, part)| hashed(h, part))
            }
        };
        let others = parts.iter().map(other).collect();
        let settings = parts
            .iter()
            .map(|p| match p.len() == usual {
                false => Vec::new(),
                true => titles
                    .iter()
                    .zip(p)
                    .filter_map(|(title, part)| {
                        let title = title.as_ref()?;
                        Some((title.clone(), axis_of(title), part[title.len()..].to_owned()))
                    })
                    .collect(),
            })
            .collect();
        NameParts { codes, settings, others }
    }

    /// Code of a row's name, and its settings.
    pub(super) fn at(&self, row: usize) -> (u32, &[NamedSetting]) {
        let code = self.codes.get(row).copied().unwrap_or(u32::MAX);
        (code, self.settings.get(code as usize).map_or(&[], Vec::as_slice))
    }

    /// Hash of the other parts of the name with this code.
    pub(super) fn other(&self, code: u32) -> u64 {
        self.others.get(code as usize).copied().unwrap_or(0)
    }
}

/// Splits a name at underscores; a bare number stays with the part before it (`TT4_4`).
fn parts_of(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for part in name.split('_') {
        match out.last_mut() {
            Some(last) if part.starts_with(|c: char| c.is_ascii_digit()) => {
                last.push('_');
                last.push_str(part);
            }
            _ => out.push(part.to_owned()),
        }
    }
    out
}

/// Leading letters of a part.
fn letters(part: &str) -> &str {
    let end = part.find(|c: char| !c.is_ascii_alphabetic());
    &part[..end.unwrap_or(part.len())]
}
