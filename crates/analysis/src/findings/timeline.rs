//! Rule: what a trace's time goes to besides GEMMs: gaps, communication, the largest other kernel.

use super::story::{self, Story};
use super::{Basis, CRITICAL_SHARE, Category, Finding, Kind, Need, Rule, Scan, Severity};
use crate::names::short;
use gemmscope_model::tiling::kernel_name::{communicates, function};
use gemmscope_model::units::percent;
use gemmscope_table::dataset::{Source, TraceContext};

/// A device that is idle for more than this share of the time is worth a word.
const IDLE: f64 = 0.20;
/// From this share on it is what to look at first.
const MOSTLY: f64 = 0.50;
/// The same for communication that nothing hides, and for a kernel's share of the compute time.
const NOTABLE: f64 = 0.10;

pub(super) const RULE: Rule = Rule {
    id: "timeline",
    title: "Time outside GEMMs",
    kind: Kind::Question,
    category: Category::Timeline,
    needs: &[Need::Time],
    threshold: "a trace whose device is idle for over 20 % of the time, communicates alone for over \
                10 %, or spends over 10 % of its compute time in one other kernel",
    basis: Basis::Arithmetic,
    why: "Faster GEMMs don't shorten this time.",
    path_a: "Launch less and earlier: capture the step in a CUDA or HIP graph, compile the model, \
             use larger batches, and take out what waits for the device (.item(), copies to the \
             host). Check that the trace holds whole steps and no warm-up.",
    path_b: "A faster kernel does not help here: the device would only wait longer.",
    profile: "Open the trace in a timeline viewer and look at what the processor does meanwhile.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
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

/// A finding about a time and the whole that it is a part of, each with its name, without rows.
/// Times in seconds.
fn of(
    rule: &Rule,
    (scan, source): (&Scan<'_>, u16),
    (part, time_s): (&str, f64),
    (whole, whole_s): (&str, f64),
    story: Story,
) -> Finding {
    let story = Story { formula: story::share_formula((part, time_s), (whole, whole_s)), ..story };
    let mut finding = story::of_file(rule, scan, source, time_s, story);
    finding.share = time_s / whole_s;
    finding.whole_s = whole_s;
    finding.severity = match finding.share {
        share if share > MOSTLY => Severity::Critical,
        share if share > CRITICAL_SHARE => Severity::High,
        _ => Severity::Medium,
    };
    finding
}

fn idle(rule: &Rule, file: (&Scan<'_>, u16), trace: &TraceContext) -> Option<Finding> {
    let (idle, total) = (trace.idle_time_s()?, trace.total_s?);
    (idle > IDLE * total).then(|| {
        // Recording takes time itself.
        let word = if trace.slowed_by.is_empty() { "for" } else { "up to" };
        let share = format!("{word} {}", percent(idle / total));
        of(
            rule,
            file,
            ("idle", idle),
            ("all", total),
            Story {
                title: format!("The device is idle {share} of the time"),
                text: format!(
                    "{} of the {} from the first to the last kernel run nothing: the processor \
                     launches too slowly, or waits.",
                    story::time(idle),
                    story::time(total)
                ),
                ..Story::default()
            },
        )
    })
}

fn communication(rule: &Rule, file: (&Scan<'_>, u16), trace: &TraceContext) -> Option<Finding> {
    let (alone, total) = (trace.exposed_comm_s?, trace.total_s?);
    (alone > NOTABLE * total).then(|| {
        let share = percent(alone / total);
        of(
            rule,
            file,
            ("exposed communication", alone),
            ("all", total),
            Story {
                title: format!("Communication alone takes {share} of the time"),
                text: format!(
                    "For {} of {} the device only communicates: no kernel computes meanwhile.",
                    story::time(alone),
                    story::time(total)
                ),
                path_a: Some(
                    "Overlap it with GEMMs (split the batch or the layer in two halves), or shard \
                     along another dimension that moves less."
                        .to_owned(),
                ),
                path_b: Some(
                    "Try kernels that compute and communicate at once (fused all-gather or \
                     reduce-scatter GEMMs), and one-shot or quantised all-reduce for small sizes."
                        .to_owned(),
                ),
                ..Story::default()
            },
        )
    })
}

/// Words in the names of kernels, lower case, and what to try.
const REMEDIES: [(&[&str], &str); 3] = [
    (
        &["nccl", "rccl", "all_reduce", "allreduce", "all_gather", "reduce_scatter"],
        "Overlap it with GEMMs, or use an all-reduce of one kernel for small sizes.",
    ),
    (
        &["attn", "attention", "fmha", "flash"],
        "Try another attention backend; for long contexts, one that splits the keys.",
    ),
    (
        &[
            "elementwise",
            "aten::add",
            "aten::mul",
            "gelu",
            "silu",
            "triton_poi",
            "triton_red",
            "triton_per",
            "norm",
            "softmax",
            "copy",
            "cat",
        ],
        "Fuse it with its neighbours or into a GEMM's epilogue: it moves bytes and computes little.",
    ),
];

fn other_kernel(
    rule: &Rule,
    file: (&Scan<'_>, u16),
    source: &Source,
    gemm_s: f64,
) -> Option<Finding> {
    let trace = source.trace.as_deref();
    // The rule about communication tells of its kernels where their time is known.
    let told = trace.is_some_and(|t| t.exposed_comm_s.is_some());
    let mut named = source.not_gemm_names.iter().filter(|(name, _)| !(told && communicates(name)));
    let (name, sum) = named.next()?;
    let traced = trace.and_then(|t| t.compute_s);
    let listed = gemm_s + source.without_model.time_s + source.not_gemm.time_s;
    let compute = traced.unwrap_or(listed);
    (sum.time_s > NOTABLE * compute).then(|| {
        let share = percent(sum.time_s / compute);
        let known = name.to_ascii_lowercase();
        let remedy = REMEDIES
            .iter()
            .find(|(words, _)| words.iter().any(|w| known.contains(w)))
            .map_or("See what it is for, and whether it can be fused or left out.", |r| r.1);
        let others: Vec<String> = named
            .take(2)
            .map(|(name, sum)| format!("{} ({})", short(&function(name)), story::time(sum.time_s)))
            .collect();
        let next = match others.as_slice() {
            [] => String::new(),
            all => format!(" Next: {}.", all.join(", ")),
        };
        of(
            rule,
            file,
            ("its time", sum.time_s),
            ("compute time", compute),
            Story {
                title: format!(
                    "The largest other kernel takes {share} of the compute time: {}",
                    short(&function(name))
                ),
                text: format!(
                    "{} of {} compute time; the GEMMs take {}.{next}",
                    story::time(sum.time_s),
                    story::time(compute),
                    story::time(gemm_s + source.without_model.time_s)
                ),
                path_a: Some(remedy.to_owned()),
                path_b: Some(
                    "This page knows GEMMs only: profile this kernel by itself.".to_owned(),
                ),
                ..Story::default()
            },
        )
    })
}
