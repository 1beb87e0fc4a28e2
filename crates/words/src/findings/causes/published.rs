//! Texts on GEMMs for which others take less time.

use super::super::story::{self, Story};
use super::name;
use crate::reference::others_reach;
use gemmscope_analysis::figures::figures;
use gemmscope_analysis::findings::{CauseFacts, Scan};
use gemmscope_analysis::formula::number;

pub(super) fn story(scan: &Scan<'_>, cause: &CauseFacts) -> Story {
    let row = cause.most.0 as usize;
    let Some(others) = scan.metrics().reference(scan.data(), row) else {
        return Story::default();
    };
    let x = figures(scan.frame, row);
    let faster = cause.entry.as_ref().and_then(|entry| entry.alternative);
    let (what, least_s) = match faster {
        Some(other) => ("faster run", other.call_s),
        None => ("time", scan.data().time_s[row]),
    };
    let slow = story::brief("published time", others.time_s) * number("error", others.error);
    let most = slow.max(story::brief("roof time", x.roof_s));
    let more = story::brief(what, least_s) - most;
    let held_s = cause.most.1 / scan.frame.calls(row);
    let left = match held_s < more.value().0 * 0.999 {
        true => format!("; the accounts before it leave {} a call", story::time(held_s)),
        false => String::new(),
    };
    Story {
        text: format!(
            " Most in {}: {} here, {}: {}.",
            name(scan, row),
            story::time(scan.data().time_s[row]),
            others_reach(&others, x.work),
            others.source.kind.meaning()
        ),
        formula: format!("{} a call{left}", more.result(|s| story::time(s.0))),
        ..Story::default()
    }
}
