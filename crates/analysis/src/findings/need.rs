//! Data that rules need, and which of it is missing.

use super::{Rule, Scan};
use gemmscope_table::dataset::ColumnMeaning;

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
    /// A published time of a similar GEMM on the device.
    Reference,
    /// A column.
    Column(ColumnMeaning),
    /// At least one of several columns.
    AnyColumn(&'static [ColumnMeaning]),
}

/// The data that is missing for a rule.
pub(super) fn missing(scan: &Scan<'_>, rule: &Rule) -> Vec<Need> {
    rule.needs.iter().copied().filter(|need| !is_met(scan, *need)).collect()
}

fn is_met(scan: &Scan<'_>, need: Need) -> bool {
    let data = scan.data();
    let has = |meaning: &ColumnMeaning| data.column(*meaning).is_some();
    match need {
        Need::Time => !scan.groups.is_empty(),
        Need::Roof => !scan.groups.iter().all(|g| g.roof_s.is_nan()),
        Need::Tile => scan.tiles.any(),
        Need::Units => scan.metrics().devices.iter().flatten().any(|d| d.units.is_some()),
        Need::Reference => scan.groups.iter().any(|g| {
            let known_s = scan.metrics().reference_s(g.row as usize);
            !known_s.is_nan()
        }),
        Need::Column(meaning) => has(&meaning),
        Need::AnyColumn(meanings) => meanings.iter().any(has),
    }
}
