//! Rule: time of a trace outside the GEMMs: gaps, communication, the largest other kernel.

use super::{
    Basis, CRITICAL_SHARE, Category, Fact, FindingFacts, Kind, Need, Rule, Scan, Severity, hits,
};
use gemmscope_model::tiling::kernel_name::communicates;
use gemmscope_table::dataset::{Source, TraceContext};

/// Idle fraction above which it is reported.
const IDLE: f64 = 0.20;
/// Idle fraction from which it is the first thing to look at.
const MOSTLY: f64 = 0.50;
/// Reporting threshold for exposed communication, and for a kernel's fraction of the compute time.
const NOTABLE: f64 = 0.10;

pub(super) const RULE: Rule = Rule {
    id: "timeline",
    kind: Kind::Question,
    category: Category::Timeline,
    needs: &[Need::Time],
    basis: Basis::Arithmetic,
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let mut out = Vec::new();
    let data = scan.data();
    let mut gemm_s = vec![0.0; data.sources.len()];
    for (_, g) in scan.checked() {
        gemm_s[usize::from(data.source[g.row as usize])] += g.time_s;
    }
    for ((number, source), gemm_s) in (0u16..).zip(&data.sources).zip(gemm_s) {
        if gemm_s <= 0.0 {
            continue;
        }
        if let Some(trace) = source.trace.as_deref() {
            out.extend(idle(rule, (scan, number), trace));
            out.extend(communication(rule, (scan, number), trace));
        }
        out.extend(other_kernel(rule, (scan, number), source, gemm_s));
    }
    out
}

/// A finding about a time and the whole it is part of, without rows. Times in seconds.
fn of(
    rule: &Rule,
    (scan, source): (&Scan<'_>, u16),
    [time_s, whole_s]: [f64; 2],
    fact: Fact,
) -> FindingFacts {
    let mut finding = hits::of_file(rule, scan, source, time_s, fact);
    finding.share = time_s / whole_s;
    finding.whole_s = whole_s;
    finding.severity = match finding.share {
        share if share > MOSTLY => Severity::Critical,
        share if share > CRITICAL_SHARE => Severity::High,
        _ => Severity::Medium,
    };
    finding
}

fn idle(rule: &Rule, file: (&Scan<'_>, u16), trace: &TraceContext) -> Option<FindingFacts> {
    let (idle_s, whole_s) = (trace.idle_time_s()?, trace.total_s?);
    (idle_s > IDLE * whole_s).then(|| {
        // If recording slowed the program, the idle time is an upper bound.
        let fact = Fact::Idle { whole_s, at_most: !trace.slowed_by.is_empty() };
        of(rule, file, [idle_s, whole_s], fact)
    })
}

fn communication(
    rule: &Rule,
    file: (&Scan<'_>, u16),
    trace: &TraceContext,
) -> Option<FindingFacts> {
    let (alone_s, whole_s) = (trace.exposed_comm_s?, trace.total_s?);
    (alone_s > NOTABLE * whole_s)
        .then(|| of(rule, file, [alone_s, whole_s], Fact::Communication { whole_s }))
}

fn other_kernel(
    rule: &Rule,
    file: (&Scan<'_>, u16),
    source: &Source,
    gemm_s: f64,
) -> Option<FindingFacts> {
    let trace = source.trace.as_deref();
    // The communication rule covers these kernels if their exposed time is known.
    let told = trace.is_some_and(|t| t.exposed_comm_s.is_some());
    let mut named = source.not_gemm_names.iter().filter(|(name, _)| !(told && communicates(name)));
    let (name, sum) = named.next()?;
    let traced = trace.and_then(|t| t.compute_s);
    let listed = gemm_s + source.without_model.time_s + source.not_gemm.time_s;
    let compute_s = traced.unwrap_or(listed);
    (sum.time_s > NOTABLE * compute_s).then(|| {
        let next = named.take(2).map(|(name, sum)| (name.clone(), sum.time_s)).collect();
        let gemm_s = gemm_s + source.without_model.time_s;
        let fact = Fact::OtherKernel { name: name.clone(), next, compute_s, gemm_s };
        of(rule, file, [sum.time_s, compute_s], fact)
    })
}
