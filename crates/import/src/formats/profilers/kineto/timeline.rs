//! What the device does from the first event to the last: it computes, communicates, copies, or
//! idles.

use super::events::Events;
use gemmscope_model::tiling::kernel_name::communicates;
use gemmscope_table::dataset::TraceContext;

/// What a span of time is, in the order of who it belongs to where spans overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Compute,
    Communication,
    Copy,
}

/// Adds the times of a trace to its context: a moment in which several things run counts once, as
/// computing, else as communicating, else as copying. Kernels of several devices are as those of
/// one: idle is when none of them works.
pub(super) fn add_times(events: &Events, context: &mut TraceContext) {
    let kernels = events.kernels.iter().map(|k| {
        let work = match communicates(events.names.value(k.name)) {
            true => Work::Communication,
            false => Work::Compute,
        };
        (work, k.start_s, k.time_s)
    });
    let copies = events.copies.iter().map(|&(start, s)| (Work::Copy, start, s));
    let mut spans: Vec<(Work, f64, f64)> = kernels
        .chain(copies)
        .filter(|(_, start, s)| start.is_finite() && s.is_finite() && *s >= 0.0)
        .collect();
    spans.sort_by(|a, b| a.1.total_cmp(&b.1));
    let Some(first) = spans.first().map(|s| s.1) else {
        return;
    };
    let last = spans.iter().map(|s| s.1 + s.2).fold(first, f64::max);
    let until = |work| covered_s(spans.iter().filter(|s| s.0 <= work));
    let computing = until(Work::Compute);
    let working = until(Work::Communication);
    context.total_s = (last > first).then_some(last - first);
    context.compute_s = Some(computing);
    context.exposed_comm_s = Some(working - computing);
    context.exposed_memcpy_s = Some(until(Work::Copy) - working);
}

/// Seconds that at least one of these spans (start and duration) covers, which are in the order of
/// their starts.
fn covered_s<'a>(spans: impl Iterator<Item = &'a (Work, f64, f64)>) -> f64 {
    let (mut covered, mut end) = (0.0, f64::NEG_INFINITY);
    for &(_, start, s) in spans {
        // A clock that counts from 1970 leaves few digits: a duration has more than a difference.
        let alone = if start >= end { s } else { start + s - end };
        covered += alone.clamp(0.0, s);
        end = end.max(start + s);
    }
    covered
}
