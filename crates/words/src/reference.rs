//! Texts on published times.

use gemmscope_model::reference::ReferenceTime;
use gemmscope_model::units::{FlopsPerSec, seconds_brief};

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

/// An error factor as a percentage: `5 %` for 1.047.
pub fn error(factor: f64) -> String {
    format!("{:.0} %", 100.0 * (factor - 1.0))
}
