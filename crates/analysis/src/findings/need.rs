//! What rules need of the data, and what of it is missing.

use super::{Rule, Scan};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};

/// Data that a rule needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Need {
    /// A measured time.
    Time,
    /// A device with a peak for the type.
    Roof,
    /// A tile, from columns or kernel names.
    Tile,
    /// The number of SMs or CUs.
    Units,
    /// A column.
    Column(ColumnMeaning, &'static str),
    /// One of several columns.
    AnyColumn(&'static [ColumnMeaning], &'static str),
    /// Two libraries, or two files.
    Makers,
}

impl Need {
    /// The need in a few words.
    pub fn words(&self) -> &'static str {
        match self {
            Need::Time => "a measured time",
            Need::Roof => "a device with a peak for the data type",
            Need::Tile => "a tile, in columns or in kernel names",
            Need::Units => "the number of SMs or CUs of the device",
            Need::Column(_, what) | Need::AnyColumn(_, what) => what,
            Need::Makers => "two libraries or two files",
        }
    }
}

/// The data that a rule lacks, as the sentence on the page.
pub(super) fn missing(scan: &Scan<'_>, rule: &Rule) -> Option<String> {
    let data = scan.data();
    let absent: Vec<&str> = rule
        .needs
        .iter()
        .filter_map(|need| match need {
            Need::Time => scan.groups.is_empty().then_some(need.words()),
            Need::Roof => scan.groups.iter().all(|g| g.roof_s.is_nan()).then_some(need.words()),
            Need::Tile => (!scan.tiles.any()).then_some(need.words()),
            Need::Units => scan
                .metrics()
                .devices
                .iter()
                .flatten()
                .all(|d| d.units.is_none())
                .then_some(need.words()),
            Need::Makers => {
                let libraries = match data.column(ColumnMeaning::Library).map(|c| &c.data) {
                    // One of the values is "".
                    Some(ColumnData::Text { values, .. }) => values.len().saturating_sub(1),
                    _ => 0,
                };
                (libraries < 2 && data.sources.len() < 2).then_some(need.words())
            }
            Need::Column(meaning, what) => data.column(*meaning).is_none().then_some(*what),
            Need::AnyColumn(meanings, what) => {
                meanings.iter().all(|meaning| data.column(*meaning).is_none()).then_some(*what)
            }
        })
        .collect();
    (!absent.is_empty()).then(|| format!("not checked: needs {}", absent.join(" and ")))
}
