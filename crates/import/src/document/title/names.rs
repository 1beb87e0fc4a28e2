//! Word lists for titles.

use super::Holds;

/// Words that name a rate without a unit.
pub(super) const RATE_WORDS: &[&str] =
    &["throughput", "perf", "performance", "leistung", "flops", "算力", "compute"];

pub(super) const DERIVED_WORDS: &[&str] = &[
    "vs",
    "relative",
    "rel",
    "gain",
    "err",
    "error",
    "mfu",
    "hfu",
    "cos",
    "allclose",
    "faster",
    "intensity",
];

/// Times of something other than a call, and quantities with units of their own.
pub(super) const ASIDE_WORDS: &[&str] = &[
    "clock", "start", "wait", "watt", "watts", "power", "overhead", "compile", "warmup", "cycles",
];

/// Parameters of a kernel or a call, which have no unit.
pub(super) const PARAMETER_WORDS: &[&str] = &[
    "block", "blocks", "tile", "bm", "bn", "bk", "blk", "lda", "ldb", "ldc", "ldd", "stride",
    "alpha", "beta", "warp", "warps", "stage", "stages", "split", "mem", "memory",
];

/// Names of values that rows depend on but that have no dataset meaning, and names that are too ambiguous for
/// the list of column names.
pub(super) const HOLDS: &[(&str, Holds)] = &[
    ("l seq seq_len seqlen sequence_length seq_length length", Holds::Length),
    (
        "groups group g num_groups e experts num_experts n_expert n_experts n_groups group_count expert num_local_experts local_experts n_routed_experts \
         num_routed_experts",
        Holds::Groups,
    ),
    ("op solver label side version configuration kernel_type", Holds::Library),
    ("input_shape input_shapes gemm", Holds::Shape),
    ("x_val benchmark spec result check", Holds::Open),
];

/// Words of a title that describe the figure rather than a library or kernel.
pub(super) const OF_FIGURE: &[&str] = &[
    "median",
    "med",
    "mean",
    "average",
    "avg",
    "min",
    "max",
    "best",
    "worst",
    "total",
    "of",
    "per",
    "call",
    "kernel",
    "gpu",
    "exec",
    "execution",
    "wall",
    "inference",
    "measured",
    "achieved",
    "attained",
    "device",
    "p50",
    "in",
    "e2e",
    "host",
    "cuda",
    "sum",
    "gesamt",
    "mittel",
];
