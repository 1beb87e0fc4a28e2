//! What a column holds, guessed from its header: the names that producers use.

use super::target::Target;
use crate::dataset::Role;
use crate::units::{BandwidthUnit, RateUnit, TimeUnit};

/// A guess from a header text alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// What the column probably holds.
    pub target: Target,
    /// 0 to 100: of several columns for one target the strongest takes it.
    pub strength: u8,
}

/// Names that mean one thing, in lower case, words joined by `_`.
const NAMES: &[(&str, Target, u8)] = &[
    // sizes
    ("m", Target::M, 100),
    ("size_m", Target::M, 95),
    ("m_size", Target::M, 95),
    ("dim_m", Target::M, 95),
    ("m_dim", Target::M, 95),
    ("gemm_m", Target::M, 95),
    ("problem_m", Target::M, 95),
    ("shape_m", Target::M, 95),
    ("param_m", Target::M, 95),
    ("size_i", Target::M, 80),
    ("num_tokens", Target::M, 50),
    ("tokens", Target::M, 50),
    ("token", Target::M, 50),
    ("seq_len", Target::M, 30),
    ("rows", Target::M, 40),
    ("num_rows", Target::M, 40),
    ("rows_a", Target::M, 60),
    ("a_rows", Target::M, 60),
    ("n", Target::N, 100),
    ("size_n", Target::N, 95),
    ("n_size", Target::N, 95),
    ("dim_n", Target::N, 95),
    ("n_dim", Target::N, 95),
    ("gemm_n", Target::N, 95),
    ("problem_n", Target::N, 95),
    ("shape_n", Target::N, 95),
    ("param_n", Target::N, 95),
    ("size_j", Target::N, 80),
    ("out_features", Target::N, 50),
    ("output_features", Target::N, 50),
    ("output_size", Target::N, 40),
    ("cols", Target::N, 40),
    ("columns", Target::N, 40),
    ("num_cols", Target::N, 40),
    ("cols_b", Target::N, 60),
    ("b_cols", Target::N, 60),
    ("k", Target::K, 100),
    ("size_k", Target::K, 95),
    ("k_size", Target::K, 95),
    ("dim_k", Target::K, 95),
    ("k_dim", Target::K, 95),
    ("gemm_k", Target::K, 95),
    ("problem_k", Target::K, 95),
    ("shape_k", Target::K, 95),
    ("param_k", Target::K, 95),
    ("in_features", Target::K, 50),
    ("input_features", Target::K, 50),
    ("input_size", Target::K, 40),
    ("inner", Target::K, 50),
    ("inner_dim", Target::K, 60),
    ("cols_a", Target::K, 60),
    ("a_cols", Target::K, 60),
    ("reduction", Target::K, 40),
    ("mnk", Target::Mnk, 90),
    ("bmnk", Target::Mnk, 90),
    ("m_n_k", Target::Mnk, 95),
    ("m_k_n", Target::Mnk, 95),
    ("b_m_n_k", Target::Mnk, 95),
    ("mkn", Target::Mnk, 90),
    ("shape", Target::Mnk, 70),
    ("shapes", Target::Mnk, 70),
    ("gemm_shape", Target::Mnk, 75),
    ("problem_size", Target::Mnk, 75),
    ("problem", Target::Mnk, 50),
    ("problem_shape", Target::Mnk, 75),
    ("gemm_size", Target::Mnk, 70),
    ("matrix_size", Target::Mnk, 60),
    ("matrix_dim", Target::Mnk, 60),
    ("matrix_shape", Target::Mnk, 60),
    ("size", Target::Mnk, 60),
    ("sizes", Target::Mnk, 60),
    ("dims", Target::Mnk, 60),
    ("dimensions", Target::Mnk, 60),
    ("dim", Target::Mnk, 50),
    ("dimension", Target::Mnk, 50),
    ("x_val", Target::Mnk, 40),
    ("batch", Target::Batch, 100),
    ("b", Target::Batch, 60),
    ("batch_size", Target::Batch, 95),
    ("batch_count", Target::Batch, 98),
    ("batchsize", Target::Batch, 95),
    ("batchcount", Target::Batch, 98),
    ("num_batches", Target::Batch, 90),
    ("batches", Target::Batch, 90),
    ("n_batch", Target::Batch, 90),
    ("nbatch", Target::Batch, 90),
    ("param_b", Target::Batch, 95),
    ("bs", Target::Batch, 50),
    // types
    ("dtype", Target::Dtype, 100),
    ("datatype", Target::Dtype, 95),
    ("data_type", Target::Dtype, 95),
    ("precision", Target::Dtype, 90),
    ("prec", Target::Dtype, 85),
    ("type", Target::Dtype, 60),
    ("dt", Target::Dtype, 50),
    ("numeric_type", Target::Dtype, 80),
    ("input_dtype", Target::Dtype, 92),
    ("in_dtype", Target::Dtype, 92),
    ("input_type", Target::Dtype, 90),
    ("in_type", Target::Dtype, 90),
    ("ab_dtype", Target::Dtype, 92),
    ("dtype_ab", Target::Dtype, 92),
    ("dtype_a", Target::DtypeA, 98),
    ("a_dtype", Target::DtypeA, 98),
    ("type_a", Target::DtypeA, 95),
    ("a_type", Target::DtypeA, 95),
    ("dtype_b", Target::DtypeB, 98),
    ("b_dtype", Target::DtypeB, 98),
    ("type_b", Target::DtypeB, 95),
    ("b_type", Target::DtypeB, 95),
    ("weight_dtype", Target::DtypeB, 70),
    ("w_dtype", Target::DtypeB, 70),
    ("dtype_c", Target::DtypeC, 90),
    ("c_dtype", Target::DtypeC, 90),
    ("type_c", Target::DtypeC, 88),
    ("c_type", Target::DtypeC, 88),
    ("dtype_d", Target::DtypeC, 95),
    ("d_dtype", Target::DtypeC, 95),
    ("d_type", Target::DtypeC, 94),
    ("type_d", Target::DtypeC, 94),
    ("out_dtype", Target::DtypeC, 96),
    ("output_dtype", Target::DtypeC, 96),
    ("outdtype", Target::DtypeC, 96),
    ("out_type", Target::DtypeC, 94),
    ("output_type", Target::DtypeC, 94),
    ("dtype_out", Target::DtypeC, 96),
    ("compute_type", Target::Compute, 90),
    ("compute_dtype", Target::Compute, 90),
    ("dtype_compute", Target::Compute, 90),
    ("math_type", Target::Compute, 80),
    // layout
    ("trans_a", Target::TransA, 98),
    ("transa", Target::TransA, 98),
    ("a_trans", Target::TransA, 95),
    ("t_a", Target::TransA, 90),
    ("ta", Target::TransA, 90),
    ("transpose_a", Target::TransA, 95),
    ("a_transpose", Target::TransA, 95),
    ("a_transposed", Target::TransA, 95),
    ("op_a", Target::TransA, 80),
    ("layout_a", Target::TransA, 85),
    ("a_layout", Target::TransA, 85),
    ("trans_b", Target::TransB, 98),
    ("transb", Target::TransB, 98),
    ("b_trans", Target::TransB, 95),
    ("t_b", Target::TransB, 90),
    ("tb", Target::TransB, 90),
    ("transpose_b", Target::TransB, 95),
    ("b_transpose", Target::TransB, 95),
    ("b_transposed", Target::TransB, 95),
    ("op_b", Target::TransB, 80),
    ("layout_b", Target::TransB, 85),
    ("b_layout", Target::TransB, 85),
    ("layout", Target::Layout, 90),
    ("trans", Target::Layout, 80),
    ("transpose", Target::Layout, 80),
    ("transposes", Target::Layout, 80),
    ("bias", Target::Bias, 90),
    ("has_bias", Target::Bias, 95),
    ("use_bias", Target::Bias, 95),
    ("beta", Target::Beta, 90),
    // device
    ("gpu_name", Target::Device, 100),
    ("gpu", Target::Device, 95),
    ("device_name", Target::Device, 98),
    ("device", Target::Device, 90),
    ("gpu_model", Target::Device, 95),
    ("gpu_type", Target::Device, 95),
    ("hardware", Target::Device, 80),
    ("accelerator", Target::Device, 85),
    ("hw", Target::Device, 60),
    ("gcn_arch_name", Target::Device, 85),
    ("gcn_arch", Target::Device, 84),
    ("gfx", Target::Device, 82),
    ("arch", Target::Device, 50),
    ("cu_num", Target::DeviceUnits, 90),
    ("cus", Target::DeviceUnits, 85),
    ("num_cus", Target::DeviceUnits, 85),
    ("cu_count", Target::DeviceUnits, 85),
    ("num_sms", Target::DeviceUnits, 80),
    ("sm_count", Target::DeviceUnits, 85),
    // what ran
    ("kernel", Target::Role(Role::Kernel), 90),
    ("kernel_name", Target::Role(Role::Kernel), 100),
    ("kernelname", Target::Role(Role::Kernel), 100),
    ("knl_name", Target::Role(Role::Kernel), 95),
    ("solution", Target::Role(Role::Kernel), 70),
    ("solution_name", Target::Role(Role::Kernel), 90),
    ("algorithm", Target::Role(Role::Kernel), 60),
    ("algo", Target::Role(Role::Kernel), 60),
    ("config", Target::Role(Role::Kernel), 45),
    ("variant", Target::Role(Role::Kernel), 50),
    ("method", Target::Role(Role::Kernel), 45),
    ("name", Target::Role(Role::Kernel), 40),
    ("library", Target::Role(Role::Library), 100),
    ("lib", Target::Role(Role::Library), 95),
    ("libtype", Target::Role(Role::Library), 95),
    ("lib_type", Target::Role(Role::Library), 95),
    ("backend", Target::Role(Role::Library), 90),
    ("provider", Target::Role(Role::Library), 90),
    ("kernel_provider", Target::Role(Role::Library), 90),
    ("framework", Target::Role(Role::Library), 80),
    ("implementation", Target::Role(Role::Library), 75),
    ("impl", Target::Role(Role::Library), 75),
    ("engine", Target::Role(Role::Library), 60),
    ("compiler", Target::Role(Role::Library), 50),
    ("model", Target::Role(Role::Model), 100),
    ("model_name", Target::Role(Role::Model), 100),
    ("workload", Target::Role(Role::Model), 85),
    ("network", Target::Role(Role::Model), 80),
    ("application", Target::Role(Role::Model), 70),
    ("tag", Target::Role(Role::Model), 60),
    ("case_tag", Target::Role(Role::Model), 60),
    ("model_tag", Target::Role(Role::Model), 95),
    ("op", Target::Role(Role::OpName), 60),
    ("op_name", Target::Role(Role::OpName), 90),
    ("operation", Target::Role(Role::OpName), 60),
    ("operator", Target::Role(Role::OpName), 70),
    ("function", Target::Role(Role::OpName), 60),
    ("routine", Target::Role(Role::OpName), 70),
    ("ok", Target::Role(Role::Status), 95),
    ("status", Target::Role(Role::Status), 90),
    ("passed", Target::Role(Role::Status), 85),
    ("pass", Target::Role(Role::Status), 80),
    ("valid", Target::Role(Role::Status), 85),
    ("correct", Target::Role(Role::Status), 85),
    ("correctness", Target::Role(Role::Status), 80),
    ("verified", Target::Role(Role::Status), 60),
    ("validation_ok", Target::Role(Role::Status), 90),
    ("disposition", Target::Role(Role::Status), 95),
    ("success", Target::Role(Role::Status), 85),
    ("count", Target::Role(Role::Count), 90),
    ("calls", Target::Role(Role::Count), 95),
    ("num_calls", Target::Role(Role::Count), 98),
    ("call_count", Target::Role(Role::Count), 98),
    ("n_calls", Target::Role(Role::Count), 98),
    ("occurrences", Target::Role(Role::Count), 90),
    ("operation_count", Target::Role(Role::Count), 90),
    ("invocations", Target::Role(Role::Count), 90),
    ("instances", Target::Role(Role::Count), 70),
    // tiles
    ("tile", Target::Tile, 90),
    ("tile_size", Target::Tile, 85),
    ("tile_shape", Target::Tile, 90),
    ("macro_tile", Target::Tile, 90),
    ("block_tile", Target::Tile, 85),
    ("block_shape", Target::Tile, 80),
    ("cta_shape", Target::Tile, 85),
    ("cta_tile", Target::Tile, 85),
    ("split_k", Target::Role(Role::SplitK), 95),
    ("splitk", Target::Role(Role::SplitK), 95),
    ("k_split", Target::Role(Role::SplitK), 90),
    ("ksplit", Target::Role(Role::SplitK), 90),
    ("split_k_slices", Target::Role(Role::SplitK), 98),
    ("gsu", Target::Role(Role::SplitK), 85),
    ("stages", Target::Role(Role::Stages), 95),
    ("num_stages", Target::Role(Role::Stages), 98),
    ("pipeline_stages", Target::Role(Role::Stages), 90),
    ("warps", Target::Role(Role::Warps), 90),
    ("num_warps", Target::Role(Role::Warps), 98),
    ("num_waves", Target::Role(Role::Warps), 60),
    ("workgroups", Target::Role(Role::Workgroups), 95),
    ("num_workgroups", Target::Role(Role::Workgroups), 95),
    ("grid_size", Target::Role(Role::Workgroups), 70),
    ("num_blocks", Target::Role(Role::Workgroups), 70),
    // figures of the producer
    (
        "arithmetic_intensity",
        Target::Role(Role::ReportedIntensity),
        100,
    ),
    ("intensity", Target::Role(Role::ReportedIntensity), 90),
    (
        "operational_intensity",
        Target::Role(Role::ReportedIntensity),
        95,
    ),
    ("ai", Target::Role(Role::ReportedIntensity), 80),
    ("oi", Target::Role(Role::ReportedIntensity), 60),
    ("flops_byte", Target::Role(Role::ReportedIntensity), 95),
    ("flop_byte", Target::Role(Role::ReportedIntensity), 95),
    ("flops_per_byte", Target::Role(Role::ReportedIntensity), 95),
    ("flop_per_byte", Target::Role(Role::ReportedIntensity), 95),
    ("flop", Target::Work(Some(RateUnit::Flops)), 80),
    ("total_flop", Target::Work(Some(RateUnit::Flops)), 85),
    ("total_flops", Target::Work(Some(RateUnit::Flops)), 85),
    ("num_flops", Target::Work(Some(RateUnit::Flops)), 85),
    ("gflop", Target::Work(Some(RateUnit::GigaFlops)), 85),
    ("tflop", Target::Work(Some(RateUnit::TeraFlops)), 85),
    ("mflop", Target::Work(Some(RateUnit::MegaFlops)), 85),
    ("gflops_first", Target::Work(Some(RateUnit::GigaFlops)), 95),
    ("bytes", Target::Role(Role::ReportedBytes), 80),
    ("total_bytes", Target::Role(Role::ReportedBytes), 85),
    ("bytes_moved", Target::Role(Role::ReportedBytes), 85),
    ("num_bytes", Target::Role(Role::ReportedBytes), 80),
    ("mfu", Target::Role(Role::ReportedEfficiency), 80),
    ("efficiency", Target::Role(Role::ReportedEfficiency), 80),
    (
        "roofline_percent",
        Target::Role(Role::ReportedEfficiency),
        90,
    ),
    (
        "percent_of_peak",
        Target::Role(Role::ReportedEfficiency),
        85,
    ),
    ("pct_of_peak", Target::Role(Role::ReportedEfficiency), 85),
    ("pct_peak", Target::Role(Role::ReportedEfficiency), 85),
    ("peak_percent", Target::Role(Role::ReportedEfficiency), 85),
    ("repeat", Target::Role(Role::Repeat), 85),
    ("rep", Target::Role(Role::Repeat), 70),
    ("trial", Target::Role(Role::Repeat), 80),
    ("repetition", Target::Role(Role::Repeat), 85),
    ("generation", Target::Role(Role::Order), 80),
    ("iteration", Target::Role(Role::Order), 60),
    ("iter", Target::Role(Role::Order), 50),
    ("step", Target::Role(Role::Order), 50),
];

/// Words of a header in lower case: split at anything but letters and digits, and between a
/// small letter and a capital (`kernelName`).
pub fn words(header: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous_small = false;
    for c in header.trim().chars() {
        let letter = c.is_alphanumeric();
        if (!letter || (previous_small && c.is_uppercase())) && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if letter {
            // Lower case of the Greek mu and the micro sign is one letter here.
            word.extend(c.to_lowercase().map(|c| if c == 'μ' { 'µ' } else { c }));
        }
        previous_small = c.is_lowercase();
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

fn has(words: &[String], any: &[&str]) -> bool {
    words.iter().any(|w| any.contains(&w.as_str()))
}

/// Guesses from the header text; [`Target::Extra`] where it says nothing.
pub fn guess(header: &str) -> Guess {
    let words = words(header);
    let joined = words.join("_");
    let plain = |target, strength| Guess { target, strength };
    if let Some(&(_, target, strength)) = NAMES.iter().find(|(name, ..)| *name == joined) {
        return plain(target, strength);
    }
    if let Some(g) = tile(&words) {
        return g;
    }
    if let Some(g) = clock(&words) {
        return g;
    }
    let reference = has(
        &words,
        &[
            "roofline",
            "roof",
            "peak",
            "theoretical",
            "ideal",
            "bound",
            "ref",
            "reference",
            "expected",
            "speedup",
            "ratio",
            "diff",
            "delta",
            "limit",
            "max_achievable",
        ],
    );
    let percent = header.contains('%') || has(&words, &["percent", "percentage", "pct"]);
    if percent {
        let of_peak = has(
            &words,
            &[
                "peak",
                "roof",
                "roofline",
                "efficiency",
                "utilization",
                "util",
                "mfu",
                "sol",
            ],
        );
        return if of_peak {
            plain(Target::Role(Role::ReportedEfficiency), 70)
        } else {
            plain(Target::Extra, 0)
        };
    }
    let spread = has(
        &words,
        &[
            "std", "stddev", "stdev", "dev", "sigma", "variance", "cv", "err", "error", "noise",
        ],
    );
    let statistic = statistic(&words);
    if !reference {
        if let Some(unit) = BandwidthUnit::in_header(header) {
            return if spread {
                plain(Target::Extra, 0)
            } else {
                plain(Target::Bandwidth(Some(unit)), 60 + statistic)
            };
        }
        if has(&words, &["bandwidth", "bw", "gbps", "membw"]) && !spread {
            let unit = has(&words, &["gbps", "gbs"]).then_some(BandwidthUnit::Gigabytes);
            return plain(Target::Bandwidth(unit), 50 + statistic);
        }
        let rate_words = has(&words, &["perf", "performance", "throughput"]);
        if let Some(unit) = RateUnit::in_header(header)
            .or_else(|| words.iter().rev().find_map(|w| RateUnit::parse(w)))
            .or_else(|| per_second(&words))
        {
            return if spread {
                plain(Target::Extra, 0)
            } else {
                plain(Target::Rate(Some(unit)), 60 + statistic)
            };
        }
        if rate_words && !spread {
            return plain(Target::Rate(None), 40 + statistic);
        }
        if let Some(g) = time(header, &words, spread, statistic) {
            return g;
        }
    }
    // `gemm M`, `M (rows)`, `matrix n`: one lone size letter among neutral words.
    let neutral = [
        "gemm", "param", "dim", "size", "problem", "matrix", "shape", "value", "input", "arg",
    ];
    let rest: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|w| !neutral.contains(w))
        .collect();
    match rest.as_slice() {
        ["m"] => plain(Target::M, 70),
        ["n"] => plain(Target::N, 70),
        ["k"] => plain(Target::K, 70),
        ["m", "n", "k"] => plain(Target::Mnk, 70),
        _ => plain(Target::Extra, 0),
    }
}

/// `median` beats `mean` beats nothing said beats `min` and `max`.
fn statistic(words: &[String]) -> u8 {
    if has(words, &["median", "p50", "50", "q50"]) {
        20
    } else if has(words, &["mean", "avg", "average"]) {
        18
    } else if has(
        words,
        &[
            "min", "max", "best", "worst", "p90", "p95", "p99", "p10", "p20", "p80", "q20", "q80",
        ],
    ) {
        5
    } else {
        15
    }
}

fn per_second(words: &[String]) -> Option<RateUnit> {
    // `flops_per_second`, `tflop_per_s`
    let at = words.iter().position(|w| w == "per")?;
    let unit = words.get(at.checked_sub(1)?)?;
    let second = words.get(at + 1)?;
    matches!(second.as_str(), "s" | "sec" | "second")
        .then(|| RateUnit::parse(&format!("{}s", unit.trim_end_matches('s'))))?
}

fn time(header: &str, words: &[String], spread: bool, statistic: u8) -> Option<Guess> {
    const ABOUT_TIME: [&str; 14] = [
        "time",
        "latency",
        "duration",
        "elapsed",
        "runtime",
        "microseconds",
        "milliseconds",
        "nanoseconds",
        "seconds",
        "dur",
        "walltime",
        "exectime",
        "kerneltime",
        "times",
    ];
    const STATISTIC: [&str; 16] = [
        "mean", "median", "avg", "average", "min", "max", "std", "stddev", "p50", "p90", "p99",
        "gpu", "kernel", "best", "worst", "total",
    ];
    let unit =
        TimeUnit::in_header(header).or_else(|| words.iter().rev().find_map(|w| TimeUnit::parse(w)));
    let about = has(words, &ABOUT_TIME);
    let unit_only = unit.is_some()
        && words.iter().all(|w| {
            TimeUnit::parse(w).is_some()
                || STATISTIC.contains(&w.as_str())
                || w.bytes().all(|b| b.is_ascii_digit())
        });
    let bracketed = unit.is_some() && (header.contains('(') || header.contains('['));
    let named = unit.is_some()
        && words.len() >= 2
        && words
            .last()
            .is_some_and(|w| w.len() >= 2 && TimeUnit::parse(w).is_some());
    if !(about || unit_only || bracketed || named) {
        return None;
    }
    if has(
        words,
        &["stamp", "date", "start", "end", "begin", "created", "per"],
    ) || words.iter().any(|w| w == "timestamp")
    {
        return None;
    }
    let guess = |target, strength| Some(Guess { target, strength });
    if spread {
        return guess(Target::TimeStd(unit), 60);
    }
    let min = has(words, &["min", "best", "fastest"]);
    let max = has(words, &["max", "worst", "slowest"]);
    if min || max {
        // Still the time where the file has no other: `min_ms`.
        let target = if min {
            Target::TimeMin(unit)
        } else {
            Target::TimeMax(unit)
        };
        return guess(target, 40);
    }
    let mut strength = 50 + statistic;
    if unit.is_some() {
        strength += 8;
    }
    if has(words, &["gpu", "kernel", "device", "gemm"]) {
        strength += 4;
    }
    if has(
        words,
        &[
            "cpu",
            "host",
            "compile",
            "compilation",
            "tune",
            "tuning",
            "setup",
            "warmup",
            "overhead",
            "total",
            "wall",
            "sum",
            "copy",
            "transfer",
            "h2d",
            "d2h",
        ],
    ) {
        strength -= 35;
    }
    if !about && !unit_only {
        strength -= 15;
    }
    guess(Target::Time(unit), strength)
}

fn tile(words: &[String]) -> Option<Guess> {
    let joined = words.join("_");
    let stem = joined
        .strip_prefix("block_size_")
        .or_else(|| joined.strip_prefix("block_"))
        .or_else(|| joined.strip_prefix("tile_size_"))
        .or_else(|| joined.strip_prefix("tile_"))
        .or_else(|| joined.strip_prefix("cta_"))
        .or_else(|| joined.strip_prefix("macro_tile_"))
        .or_else(|| joined.strip_prefix("mt_"))
        .or_else(|| joined.strip_prefix("bt_"))
        .or_else(|| joined.strip_prefix('b').filter(|s| s.len() == 1))
        .or_else(|| joined.strip_prefix("tile").filter(|s| s.len() == 1))
        .or_else(|| joined.strip_prefix("block").filter(|s| s.len() == 1))?;
    let role = match stem {
        "m" => Role::TileM,
        "n" => Role::TileN,
        "k" => Role::TileK,
        _ => return None,
    };
    Some(Guess {
        target: Target::Role(role),
        strength: 90,
    })
}

fn clock(words: &[String]) -> Option<Guess> {
    let is = has(words, &["mhz", "ghz", "hz"])
        && has(
            words,
            &[
                "clock",
                "clk",
                "sclk",
                "freq",
                "frequency",
                "gfxclk",
                "core",
                "sm",
            ],
        );
    is.then_some(Guess {
        target: Target::Role(Role::MeasuredClock),
        strength: 60,
    })
}

/// Hertz that a unit word in the header stands for.
pub fn clock_scale(header: &str) -> f64 {
    let words = words(header);
    if has(&words, &["ghz"]) {
        1e9
    } else if has(&words, &["mhz"]) {
        1e6
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TimeUnit::*;

    #[test]
    fn headers_seen_in_real_files() {
        let time = |u| Target::Time(Some(u));
        for (header, target) in [
            ("M", Target::M),
            (" m ", Target::M),
            ("param: M", Target::M),
            ("SizeI", Target::M),
            ("M (rows)", Target::Extra),
            ("gemm M", Target::M),
            ("op_m_n_k", Target::Extra),
            ("(M, N, K)", Target::Mnk),
            ("m_n_k", Target::Mnk),
            ("batch_count", Target::Batch),
            ("mean_microseconds", time(Microseconds)),
            ("us", time(Microseconds)),
            ("time_us", time(Microseconds)),
            ("timeUs", time(Microseconds)),
            ("time (ms)", time(Milliseconds)),
            ("latency[ns]", time(Nanoseconds)),
            ("Kernel Time (µs)_mean", time(Microseconds)),
            ("Kernel Time (μs)_mean", time(Microseconds)),
            ("Time (msec)", time(Milliseconds)),
            ("GPU Time (sec)", time(Seconds)),
            ("elapsed_ms", time(Milliseconds)),
            ("Runtime", Target::Time(None)),
            ("real_time", Target::Time(None)),
            ("duration_us_median", time(Microseconds)),
            ("min_ms", Target::TimeMin(Some(Milliseconds))),
            ("stddev_ms", Target::TimeStd(Some(Milliseconds))),
            ("timestamp", Target::Extra),
            ("start_us", Target::Extra),
            ("Zeit (ms)", time(Milliseconds)),
            ("耗时(us)", time(Microseconds)),
            ("tflops", Target::Rate(Some(RateUnit::TeraFlops))),
            ("hipblaslt-Gflops", Target::Rate(Some(RateUnit::GigaFlops))),
            ("GFLOPs", Target::Rate(Some(RateUnit::GigaFlops))),
            ("TFLOPS/s_mean", Target::Rate(Some(RateUnit::TeraFlops))),
            ("TERAFLOPS", Target::Rate(Some(RateUnit::TeraFlops))),
            ("tflop_per_s", Target::Rate(Some(RateUnit::TeraFlops))),
            ("Performance", Target::Rate(None)),
            ("roofline_tflops", Target::Extra),
            ("roofline_percent", Target::Role(Role::ReportedEfficiency)),
            (
                "hipblaslt-GB/s",
                Target::Bandwidth(Some(BandwidthUnit::Gigabytes)),
            ),
            (
                "tb_per_sec",
                Target::Bandwidth(Some(BandwidthUnit::Terabytes)),
            ),
            ("bw", Target::Bandwidth(None)),
            ("FLOPS/Byte", Target::Role(Role::ReportedIntensity)),
            ("kernelName", Target::Role(Role::Kernel)),
            ("BLOCK_SIZE_M", Target::Role(Role::TileM)),
            ("tileM", Target::Role(Role::TileM)),
            ("cta_n", Target::Role(Role::TileN)),
            ("BK", Target::Role(Role::TileK)),
            ("transA", Target::TransA),
            ("tB", Target::TransB),
            ("a_type", Target::DtypeA),
            ("outdtype", Target::DtypeC),
            ("GPU", Target::Device),
            ("gcnArchName", Target::Device),
            ("cu_num", Target::DeviceUnits),
            ("sclk_mhz", Target::Role(Role::MeasuredClock)),
            ("", Target::Extra),
            ("errRatio", Target::Extra),
            ("stride_a", Target::Extra),
            ("alpha", Target::Extra),
        ] {
            assert_eq!(guess(header).target, target, "{header}");
        }
    }

    #[test]
    fn the_better_time_is_stronger() {
        let strength = |h| guess(h).strength;
        assert!(strength("median_ms") > strength("mean_ms"));
        assert!(strength("mean_ms") > strength("total_ms"));
        assert!(strength("gpu_time_us") > strength("cpu_time_us"));
        assert!(strength("time_us") > strength("time"));
        assert!(strength("kernel_time_ms") > strength("compile_time_ms"));
    }
}
