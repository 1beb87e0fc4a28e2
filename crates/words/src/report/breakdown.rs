//! The breakdown by operation, the bottlenecks among them, and what times cannot show.

use super::MAX_OPERATIONS;
use super::bottlenecks::{Bottleneck, bottlenecks, without_model};
use super::operations::{PROFILER, ReportOperation, operation, profiler_of};
use crate::findings::Findings;
use gemmscope_analysis::findings::{Group, Scan};
use gemmscope_analysis::trace_time::TraceTime;
use gemmscope_model::units::{Bytes, percent};

/// Breakdown of the time: outside GEMMs, and by operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breakdown {
    /// Breakdown of the time of each trace.
    pub times: Vec<TraceTime>,
    /// The operations that take most time, in descending order.
    pub operations: Vec<ReportOperation>,
    /// Number of all operations.
    pub total: usize,
    /// The flagged ones, most important first.
    pub bottlenecks: Vec<Bottleneck>,
    /// What times cannot show, the reason, and what to say instead.
    pub cannot_infer: Vec<[String; 3]>,
}

impl Breakdown {
    /// Breaks the checked rows down; `findings` are those of the same scan.
    pub fn new(scan: &Scan<'_>, findings: &Findings) -> Self {
        let (groups, total) = heaviest(scan);
        let mut operations: Vec<_> = groups.iter().map(|g| operation(scan, g)).collect();
        let mut bottlenecks = bottlenecks(scan, &operations, &groups, findings);
        for (o, b) in without_model(scan, operations.len()) {
            operations.push(o);
            bottlenecks.push(b);
        }
        bottlenecks.sort_by(|a, b| {
            (!a.validated)
                .cmp(&!b.validated)
                .then(a.priority.cmp(&b.priority))
                .then(operations[b.operation].time_s.total_cmp(&operations[a.operation].time_s))
        });
        Breakdown {
            times: TraceTime::of(scan),
            cannot_infer: cannot_infer(scan, &operations, &bottlenecks),
            bottlenecks,
            // Those without a model are listed too.
            total: total + operations.len() - groups.len(),
            operations,
        }
    }

    /// The flag of an operation, if it has one.
    pub fn flag(&self, operation: usize) -> Option<&Bottleneck> {
        self.bottlenecks.iter().find(|b| b.operation == operation)
    }
}

/// What times cannot show, the reason, and what to say instead, with the bytes, cache and profiler of the first
/// bottleneck, else of the longest operation.
fn cannot_infer(
    scan: &Scan<'_>,
    operations: &[ReportOperation],
    bottlenecks: &[Bottleneck],
) -> Vec<[String; 3]> {
    let leading = bottlenecks.iter().map(|b| &operations[b.operation]).chain(operations);
    let row = leading.filter_map(|o| o.rows.first()).next().map(|r| *r as usize);
    let device =
        row.and_then(|r| scan.metrics().devices[usize::from(scan.data().device[r])].as_ref());
    let profiler = device.map_or(PROFILER, profiler_of);
    let set = row.map(|r| scan.data().problem(r)).map(|p| (p, p.bytes()));
    let cache = device.and_then(|d| Some((d, Bytes(d.cache_bytes()?))));
    let working = match (set, cache) {
        (Some((p, bytes)), Some((d, cache))) => {
            let fits = if bytes.0 > cache.0 { "exceed" } else { "fit" };
            format!(
                "the operands of {p} ({bytes}) {fits} the largest cache of the {} ({cache})",
                d.name
            )
        }
        (Some((p, bytes)), None) => format!("the operands of {p} ({bytes}) may exceed the cache"),
        _ => "a large working set may exceed the cache".to_owned(),
    };
    let slow = match row.map(|r| scan.metrics().efficiency(scan.data(), r)) {
        Some(e) if e < 1.0 => format!("the kernel runs at {} of its roof", percent(e)),
        _ => "the kernel runs slower than expected".to_owned(),
    };
    [
        (
            "Bank conflicts",
            "only hardware counters see them",
            format!("low efficiency; profile with {profiler} to diagnose"),
        ),
        ("Cache hit rates", "only hardware counters see them", working),
        ("Occupancy", "it depends on registers and shared memory that timings do not show", slow),
        (
            "Root causes",
            "timings show what ran and how long, not why",
            format!(
                "bottleneck identified; generate a reproducer for the kernel team (gemmscope replay) \
                 and profile it with {profiler}"
            ),
        ),
    ]
    .map(|(what, why, instead)| [what.to_owned(), why.to_owned(), instead])
    .to_vec()
}

/// The groups that take most time, in descending order, and the number of all groups.
fn heaviest<'s>(scan: &'s Scan<'_>) -> (Vec<&'s Group>, usize) {
    // The bits of a non-negative float sort like its value. Select the few largest before sorting.
    let mut keys: Vec<(u64, u32, u32)> =
        scan.checked().map(|(i, g)| (!g.time_s.max(0.0).to_bits(), g.row, i)).collect();
    let total = keys.len();
    if total > MAX_OPERATIONS {
        keys.select_nth_unstable(MAX_OPERATIONS);
        keys.truncate(MAX_OPERATIONS);
    }
    keys.sort();
    let groups = keys.iter().map(|k| &scan.groups[k.2 as usize]);
    (groups.collect(), total)
}
