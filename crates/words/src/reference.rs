//! Texts on published times.

use gemmscope_model::reference::{ReferenceSource, ReferenceTime};
use gemmscope_model::units::{FlopsPerSec, grouped, percent, seconds_brief};

/// Where nothing is published near a GEMM.
pub const NOTHING_NEAR: &str = "no public measurement near";

/// Where a table is listed and not here.
pub const NOT_AT_HAND: &str = "These published times are not here: the site's page fetches them from its own host unless Devices leaves them \
     out, and the one-file page has those that it was made with.";

/// What a table is of and where it comes from.
pub fn table_line(s: &ReferenceSource) -> String {
    format!(
        "{}: {} shapes, ± {}, each {}; {}; {} ({}), copy of {}",
        s.precision.label(),
        grouped(u64::from(s.rows)),
        error(s.error),
        s.kind.meaning(),
        s.by.join(", "),
        s.source,
        s.licence,
        s.date
    )
}

/// `others reach 166 µs (828 TFLOP/s, vLLM 0.24.0, ± 5 %)`. `work` is that of a call, FLOP.
pub fn others_reach(time: &ReferenceTime, work: f64) -> String {
    format!(
        "others reach {} ({}, {}, ± {})",
        seconds_brief(time.time_s),
        FlopsPerSec(work / time.time_s),
        time.by(),
        error(time.error)
    )
}

/// What is published of a GEMM on a device, of this work in FLOP, and the share of the roof that this is.
pub fn said_of(
    (shape, device): (String, &str),
    time: Option<&ReferenceTime>,
    work: f64,
    share: Option<f64>,
) -> String {
    let said = time.map_or_else(|| NOTHING_NEAR.to_owned(), |time| others_reach(time, work));
    let share = share.map_or_else(String::new, |share| format!(", {} of the roof", percent(share)));
    format!("{shape} on {device}: {said}{share}.")
}

/// The best published rate, which is above the achievable one of the catalogue; both in FLOP/s.
pub fn best_published((best, achievable): (f64, f64)) -> String {
    format!(
        "Best published rate {}, above the achievable {}.",
        FlopsPerSec(best),
        FlopsPerSec(achievable)
    )
}

/// An error as people read it: `5 %` of the factor 1.047.
pub fn error(factor: f64) -> String {
    format!("{:.0} %", 100.0 * (factor - 1.0))
}
