//! The words by which titles are known.

use super::Holds;

/// Statistics with their ranks.
pub(super) const STATISTICS: &[(&str, u8)] = &[
    ("median", 0),
    ("med", 0),
    ("p50", 0),
    ("mean", 1),
    ("average", 1),
    ("avg", 1),
    ("mittel", 1),
    ("min", 4),
    ("best", 4),
    ("max", 5),
    ("worst", 5),
];

pub(super) const TIME_WORDS: &[&str] =
    &["time", "latency", "duration", "elapsed", "runtime", "laufzeit", "zeit", "dauer", "耗时"];
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

/// Times of something else than a call, and what has a unit of its own.
pub(super) const ASIDE_WORDS: &[&str] = &[
    "clock", "start", "wait", "watt", "watts", "power", "overhead", "compile", "warmup", "cycles",
];

/// Parameters of a kernel or a call, which have no unit.
pub(super) const PARAMETER_WORDS: &[&str] = &[
    "block", "blocks", "tile", "bm", "bn", "bk", "blk", "lda", "ldb", "ldc", "ldd", "stride",
    "alpha", "beta", "warp", "warps", "stage", "stages", "split", "mem", "memory",
];

pub(super) const NAMES: &[(&str, Holds)] = &[
    (
        "n_tokens tokens num_tokens batch_tokens total_tokens token_count size_m matm m_size rows m/group m_per_group tokens/expert \
      m_per_expert zeilenm 行数m dim_m m",
        Holds::M,
    ),
    (
        "n size_n matn n_size cols out out_features output_features d_ff n_out outfeatures dim_n 列数n \
      spaltenn output_size intermediate",
        Holds::N,
    ),
    (
        "k size_k matk k_size in in_features input_features d_model k_in infeatures dim_k tiefek \
      input_size hidden hidden_size",
        Holds::K,
    ),
    ("b batch batch_size bs batchsize batch_count batches bsz", Holds::Batch),
    ("l seq seq_len seqlen sequence_length seq_length length", Holds::Length),
    (
        "groups group g num_groups e experts num_experts n_expert n_experts n_groups group_count expert",
        Holds::Groups,
    ),
    (
        "m=n=k n=m=k n=k=m m=k=n mnk_size matrix_size matrixsize size dim dimension square matrix_dim \
      matrix_dimension",
        Holds::Square,
    ),
    ("device gpu gpu_name device_name hardware platform arch chip accelerator gfx", Holds::Device),
    (
        "library lib backend provider impl implementation kernel kernel_name framework method engine \
      solver variant label name op side version algo algorithm config configuration kernel_type",
        Holds::Library,
    ),
    (
        "shape shapes problem problem_size gemm_shape matrix_shape sizes gemm mnk nmk input_shape \
      input_shapes dims gemm_size problem_shape",
        Holds::Shape,
    ),
];

/// Words of a title that tell the figure, not whose it is.
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
