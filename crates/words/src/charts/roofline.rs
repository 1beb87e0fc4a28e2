//! Texts beside a roofline.

use crate::compare::times;
use gemmscope_model::units::{Seconds, format_short, grouped, plural};

/// No row has a time or a roof.
pub const NO_TIME: &str = "No row has a time. Choose a device to see what each could attain.";
/// The zoom shows no row.
pub const OUTSIDE: &str = "All rows are outside this part: zoom out to see them.";
/// The legend hides everything.
pub const HIDDEN: &str = "All categories are hidden: click one in the legend.";

/// The rival of a run: `rocBLAS 41.23 µs, 1.30x faster`.
pub fn rival(name: &str, rival_s: f64, own_s: f64) -> String {
    let (ratio, word) = match own_s / rival_s {
        faster if faster >= 1.0 => (faster, "faster"),
        slower => (1.0 / slower, "slower"),
    };
    format!("{name} {}, {} {word}", Seconds(rival_s), times(ratio))
}

/// How a density image is read; with several categories it is of all together.
pub fn density(several: bool) -> String {
    let one =
        if several { " Click a name in the legend for that one alone, in its colour." } else { "" };
    format!("Too many points to draw each: more contrast means more of them.{one}")
}

/// Quantity on the vertical axis of a roofline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vertical {
    /// Attained rate, FLOP/s.
    Rate,
    /// Share of the roof.
    OfRoof,
    /// Published over measured time.
    OfOthers,
}

/// Name of the shaded band.
pub const BAND: &str = "others reach, p50 to p90";
/// The shaded band as a note.
pub const SHADED: &str = "Shaded: others reach, p50 to p90.";

/// Title: numbers of GEMMs, planned ones and points without sizes, the devices of the roofs, and the vertical axis.
pub fn title(rows: u64, (planned, stated): (u64, u64), devices: &[&str], y: Vertical) -> String {
    let on = match devices {
        [] => " without a known roof".to_owned(),
        [one] => format!(" under the roof of {one}"),
        many => format!(" under the roofs of {}", many.join(", ")),
    };
    let planned = match planned {
        0 => String::new(),
        n => format!(" and {}", plural(n, "planned one")),
    };
    let stated = match stated {
        0 => String::new(),
        n => format!(" and {} without sizes", plural(n, "point")),
    };
    let axes = match y {
        Vertical::OfOthers => {
            "published over measured time, over arithmetic intensity, which is logarithmic"
        }
        Vertical::OfRoof => "share of the roof over arithmetic intensity, which is logarithmic",
        Vertical::Rate => "attained rate over arithmetic intensity, both logarithmic",
    };
    format!("Roofline of {}{planned}{stated}{on}: {axes}", plural(rows, "row"))
}

/// Meaning of the colours.
pub fn colour(label: &str) -> String {
    format!("Colour: {label}.")
}

/// Numbers of GEMMs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointCounts {
    /// Above their roof.
    pub above_roof: u64,
    /// Without a roof.
    pub no_roof: u64,
    /// Without a time, drawn at their roof.
    pub attainable: u64,
    /// Without a time and a roof.
    pub nowhere: u64,
    /// Also drawn at the intensity of their measured bytes.
    pub measured: u64,
    /// Outside the visible part.
    pub outside: u64,
}

/// A sentence for each kind of mark that occurs.
pub fn marks(counts: &PointCounts) -> Vec<String> {
    let all = [
        (counts.above_roof, "above the roof (triangles)"),
        (counts.no_roof, "without a known roof (hollow)"),
        (counts.attainable, "untimed, drawn on the roof (rings): what they could attain"),
        (counts.nowhere, "not shown: no time and no roof"),
        (counts.measured, "also at the AI of their measured bytes (open marks)"),
        (counts.outside, "outside this part"),
    ];
    all.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}.")).collect()
}

/// What the initial view leaves out: GEMMs below, and ridge points to the left or right, FLOP/B. `None` if it shows
/// all.
pub fn not_in_view(below: u64, ridges: &[(f64, &str)]) -> Option<String> {
    let mut out = Vec::new();
    if below > 0 {
        out.push(format!("{} of little time, below", plural(below, "row")));
    }
    out.extend(ridges.iter().map(|(ridge, side)| {
        format!("the ridge, {} FLOP/B, to the {side}", format_short(*ridge, 4))
    }));
    let what = out.join("; ");
    (!out.is_empty()).then(|| format!("Not in view: {what}. Zoom out to see all."))
}

/// `12 of 558 GEMMs make up 80 % of the time`, with the side if there are several.
pub fn heaviest(shown: usize, all: usize, percent: f64, side: Option<&str>) -> String {
    let of = format!("{} of {}", grouped(shown as u64), plural(all as u64, "GEMM"));
    let verb = if shown == 1 { "makes" } else { "make" };
    let whose = side.map_or("the".to_owned(), |side| format!("{side}'s"));
    format!("{of} {verb} up {} % of {whose} time", format_short(percent, 3))
}

/// Arrows of a baseline.
#[derive(Clone, Copy, Debug)]
pub enum Arrows {
    /// No GEMM is shared.
    NothingShared,
    /// No GEMM is shared by all sides, but some are by several.
    SharedBySome,
    /// All points coincide.
    SamePlace,
    /// Too many; drawn only for selected GEMMs.
    TooMany,
    /// Drawn for every shared GEMM.
    FromAll,
    /// Drawn for those whose points differ.
    FromSome,
}

/// Note on a baseline. `to` is the other side, if there is only one.
pub fn baseline(base: &str, to: Option<&str>, shared: u64, arrows: Arrows) -> String {
    let (to, gemms) = (to.unwrap_or("all other sides"), plural(shared, "GEMM"));
    let arrows = match arrows {
        Arrows::NothingShared => format!("No GEMM in common with {to}."),
        Arrows::SharedBySome => {
            format!("No GEMM in common with {to}: arrows lead to those that have it.")
        }
        Arrows::SamePlace => format!("{gemms} in common with {to}, at the same place."),
        Arrows::TooMany => {
            format!("{gemms} in common with {to}: select one or more for their arrows.")
        }
        Arrows::FromAll => format!("Arrows lead to {to}: {gemms} in common."),
        Arrows::FromSome => format!("Arrows lead to {to} where points differ: {gemms} in common."),
    };
    format!("Baseline: {base}. {arrows}")
}
