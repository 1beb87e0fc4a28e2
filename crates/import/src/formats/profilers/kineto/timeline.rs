//! Splits the time from the first to the last device event into computing, communicating, copying and idle.

use super::events::Events;
use gemmscope_model::tiling::kernel_name::communicates;
use gemmscope_table::dataset::TraceContext;

/// Kind of a time span, in order of precedence where spans overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Compute,
    Communication,
    Copy,
}

/// Adds the times of a trace to its context. Overlapping time counts once: as computing, else as communicating, else as
/// copying. All devices are taken together, so idle means that none is active.
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

/// Seconds covered by at least one of these spans (start and duration), which must be sorted by start.
fn covered_s<'a>(spans: impl Iterator<Item = &'a (Work, f64, f64)>) -> f64 {
    let (mut covered, mut end) = (0.0, f64::NEG_INFINITY);
    for &(_, start, s) in spans {
        // Timestamps since 1970 leave few digits for fractions, so use the duration rather than
        // a difference if possible.
        let alone = if start >= end { s } else { start + s - end };
        covered += alone.clamp(0.0, s);
        end = end.max(start + s);
    }
    covered
}
