//! Time of a trace outside GEMMs.

use super::story::{self, Story};
use gemmscope_analysis::names::short;
use gemmscope_model::tiling::kernel_name::function;
use gemmscope_model::units::percent;

/// The device is idle for `time_s` of `whole_s` seconds; `at_most` if recording itself takes time.
pub(super) fn idle([time_s, whole_s]: [f64; 2], at_most: bool) -> Story {
    let word = if at_most { "up to" } else { "for" };
    let share = format!("{word} {}", percent(time_s / whole_s));
    Story {
        title: format!("The device is idle {share} of the time"),
        text: format!(
            "{} of the {} from the first to the last kernel run nothing: the processor \
             launches too slowly, or waits.",
            story::time(time_s),
            story::time(whole_s)
        ),
        formula: story::share_formula(("idle", time_s), ("all", whole_s)),
        ..Story::default()
    }
}

/// Communication that no kernel hides takes `time_s` of `whole_s` seconds.
pub(super) fn communication([time_s, whole_s]: [f64; 2]) -> Story {
    let share = percent(time_s / whole_s);
    Story {
        title: format!("Communication alone takes {share} of the time"),
        text: format!(
            "For {} of {} the device only communicates: no kernel computes meanwhile.",
            story::time(time_s),
            story::time(whole_s)
        ),
        formula: story::share_formula(("exposed communication", time_s), ("all", whole_s)),
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
    }
}

/// Words in kernel names, lower case, with advice.
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

/// A kernel that is no GEMM takes `time_s` of `compute_s` seconds; the GEMMs take `gemm_s`.
pub(super) fn other_kernel(
    name: &str,
    next: &[(String, f64)],
    [time_s, compute_s, gemm_s]: [f64; 3],
) -> Story {
    let share = percent(time_s / compute_s);
    let known = name.to_ascii_lowercase();
    let remedy = REMEDIES
        .iter()
        .find(|(words, _)| words.iter().any(|w| known.contains(w)))
        .map_or("See what it is for, and whether it can be fused or left out.", |r| r.1);
    let others: Vec<String> = next
        .iter()
        .map(|(name, time_s)| format!("{} ({})", short(&function(name)), story::time(*time_s)))
        .collect();
    let next = match others.as_slice() {
        [] => String::new(),
        all => format!(" Next: {}.", all.join(", ")),
    };
    Story {
        title: format!(
            "The largest other kernel takes {share} of the compute time: {}",
            short(&function(name))
        ),
        text: format!(
            "{} of {} compute time; the GEMMs take {}.{next}",
            story::time(time_s),
            story::time(compute_s),
            story::time(gemm_s)
        ),
        formula: story::share_formula(("its time", time_s), ("compute time", compute_s)),
        path_a: Some(remedy.to_owned()),
        path_b: Some("This page knows GEMMs only: profile this kernel by itself.".to_owned()),
    }
}
