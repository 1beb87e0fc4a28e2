//! Guesses what a column holds from its header, by the names that tools use.

mod names;

use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::dataset::{ColumnMeaning, ColumnSpec};
use names::{NAMES, WORDS, WORK};

/// A guess from the header alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guess {
    /// What the column probably holds.
    pub spec: ColumnSpec,
    /// 0 to 100: of several columns with one meaning the strongest takes it.
    pub strength: u8,
}

impl Guess {
    /// A guess of this strength.
    pub(crate) fn new<S: Into<ColumnSpec>>(spec: S, strength: u8) -> Self {
        Guess { spec: spec.into(), strength }
    }
}

/// Words of a header in lower case: split at anything but letters and digits, and between a
/// small letter and a capital (`kernelName`), and between two scripts (`行数M`). Words of some other
/// languages are translated to English.
pub(crate) fn words(header: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous_small = false;
    // East Asian scripts start here.
    let east = |c: char| c > '\u{2e7f}';
    for c in header.trim().chars() {
        let letter = c.is_alphanumeric();
        let script = word.chars().next_back().is_some_and(|p| east(p) != east(c));
        if (!letter || script || (previous_small && c.is_uppercase())) && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if letter {
            // Treat the Greek mu and the micro sign alike.
            word.extend(c.to_lowercase().map(|c| if c == 'μ' { 'µ' } else { c }));
        }
        previous_small = c.is_lowercase();
    }
    if !word.is_empty() {
        out.push(word);
    }
    for word in &mut out {
        if let Some((_, english)) = WORDS.iter().find(|(w, _)| w == word) {
            (*english).clone_into(word);
        }
    }
    out
}

fn has(words: &[String], any: &[&str]) -> bool {
    words.iter().any(|w| any.contains(&w.as_str()))
}

/// Guesses from the header's text; an unknown name gives [`ColumnMeaning::Other`].
pub(crate) fn guess(header: &str) -> Guess {
    let words = words(header);
    let joined = words.join("_");
    let plain = Guess::new::<ColumnMeaning>;
    if let Some(&(_, meaning, strength)) = NAMES.iter().find(|(name, ..)| *name == joined) {
        return plain(meaning, strength);
    }
    if let Some(&(_, unit, strength)) = WORK.iter().find(|(name, ..)| *name == joined) {
        let spec = ColumnSpec::rate(ColumnMeaning::ReportedWork, Some(unit));
        return Guess::new(spec, strength);
    }
    // `MxNxK`, `B*M*K*N`
    let mut letters: Vec<char> = joined.chars().filter(|c| !"x_".contains(*c)).collect();
    letters.sort_unstable();
    if letters == ['k', 'm', 'n'] || letters == ['b', 'k', 'm', 'n'] {
        return plain(ColumnMeaning::Mnk, 90);
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
            "spec",
            "nominal",
            "datasheet",
            "target",
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
            &["peak", "roof", "roofline", "efficiency", "utilization", "util", "mfu", "sol"],
        );
        return if of_peak {
            plain(ColumnMeaning::ReportedEfficiency, 70)
        } else {
            plain(ColumnMeaning::Other, 0)
        };
    }
    let spread = has(
        &words,
        &["std", "stddev", "stdev", "dev", "sigma", "variance", "cv", "err", "error", "noise"],
    );
    let statistic = statistic(&words);
    if !reference {
        if let Some(unit) = BandwidthUnit::in_header(header) {
            return if spread {
                plain(ColumnMeaning::Other, 0)
            } else {
                Guess::new(ColumnSpec::bandwidth(Some(unit)), 60 + statistic)
            };
        }
        if has(&words, &["bandwidth", "bw", "gbps", "membw"]) && !spread {
            let unit = has(&words, &["gbps", "gbs"]).then_some(BandwidthUnit::Gigabytes);
            return Guess::new(ColumnSpec::bandwidth(unit), 50 + statistic);
        }
        let rate_words = has(&words, &["perf", "performance", "throughput"]);
        if let Some(unit) = rate_unit(header, &words) {
            return if spread {
                plain(ColumnMeaning::Other, 0)
            } else {
                Guess::new(
                    ColumnSpec::rate(ColumnMeaning::ReportedRate, Some(unit)),
                    60 + statistic,
                )
            };
        }
        if rate_words && !spread {
            return plain(ColumnMeaning::ReportedRate, 40 + statistic);
        }
        if let Some(g) = time(header, &words, spread, statistic) {
            return g;
        }
    }
    // `gemm M`, `M (rows)`, `matrix n`: one lone size letter among neutral words.
    let neutral = [
        "gemm",
        "param",
        "dim",
        "size",
        "problem",
        "matrix",
        "shape",
        "value",
        "input",
        "arg",
        "rows",
        "columns",
        "cols",
        "depth",
        "inner",
        "reduction",
    ];
    let rest: Vec<&str> =
        words.iter().map(String::as_str).filter(|w| !neutral.contains(w)).collect();
    match rest.as_slice() {
        ["m"] => plain(ColumnMeaning::M, 70),
        ["n"] => plain(ColumnMeaning::N, 70),
        ["k"] => plain(ColumnMeaning::K, 70),
        ["m", "n", "k"] => plain(ColumnMeaning::Mnk, 70),
        _ => plain(ColumnMeaning::Other, 0),
    }
}

/// Prefers `median`, then `mean`, then no statistic, then `min` and `max`.
fn statistic(words: &[String]) -> u8 {
    if has(words, &["median", "p50", "50", "q50"]) {
        20
    } else if has(words, &["mean", "avg", "average"]) {
        18
    } else if has(
        words,
        &["min", "max", "best", "worst", "p90", "p95", "p99", "p10", "p20", "p80", "q20", "q80"],
    ) {
        5
    } else {
        15
    }
}

/// The unit of rate that a header names; `words` are those of the header.
pub(crate) fn rate_unit(header: &str, words: &[String]) -> Option<RateUnit> {
    RateUnit::in_header(header)
        .or_else(|| words.iter().rev().find_map(|w| RateUnit::parse(w)))
        .or_else(|| per_second(words))
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
        && words.last().is_some_and(|w| w.len() >= 2 && TimeUnit::parse(w).is_some());
    if !(about || unit_only || bracketed || named) {
        return None;
    }
    if has(words, &["stamp", "date", "start", "end", "begin", "created", "per"])
        || words.iter().any(|w| w == "timestamp")
    {
        return None;
    }
    let guess = |spec, strength| Some(Guess { spec, strength });
    if spread {
        return guess(ColumnSpec::time(ColumnMeaning::TimeStd, unit), 60);
    }
    let min = has(words, &["min", "best", "fastest"]);
    let max = has(words, &["max", "worst", "slowest"]);
    if min || max {
        // `min_ms` is the time if the file has no other.
        let meaning = if min { ColumnMeaning::TimeMin } else { ColumnMeaning::TimeMax };
        return guess(ColumnSpec::time(meaning, unit), 40);
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
    guess(ColumnSpec::time(ColumnMeaning::Time, unit), strength)
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
        .or_else(|| joined.strip_prefix("blk_"))
        .or_else(|| joined.strip_prefix("bt_"))
        .or_else(|| joined.strip_prefix('b').filter(|s| s.len() == 1))
        .or_else(|| joined.strip_prefix("tile").filter(|s| s.len() == 1))
        .or_else(|| joined.strip_prefix("block").filter(|s| s.len() == 1))?;
    let meaning = match stem {
        "m" => ColumnMeaning::TileM,
        "n" => ColumnMeaning::TileN,
        "k" => ColumnMeaning::TileK,
        _ => return None,
    };
    Some(Guess { spec: meaning.into(), strength: 90 })
}

fn clock(words: &[String]) -> Option<Guess> {
    let is = has(words, &["mhz", "ghz", "hz"])
        && has(words, &["clock", "clk", "sclk", "freq", "frequency", "gfxclk", "core", "sm"]);
    is.then_some(Guess { spec: ColumnMeaning::MeasuredClock.into(), strength: 60 })
}

/// The factor to Hz of the unit in a clock's header.
pub(crate) fn clock_scale(header: &str) -> f64 {
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
    use ColumnMeaning::*;
    use TimeUnit::*;

    #[test]
    fn headers_seen_in_real_files() {
        let time = |u| ColumnSpec::time(Time, Some(u));
        let rate = |u| ColumnSpec::rate(ReportedRate, Some(u));
        let bandwidth = |u| ColumnSpec::bandwidth(Some(u));
        for (header, spec) in [
            ("M", M.into()),
            (" m ", M.into()),
            ("param: M", M.into()),
            ("SizeI", M.into()),
            ("M (rows)", M.into()),
            ("gemm M", M.into()),
            ("op_m_n_k", Other.into()),
            ("(M, N, K)", Mnk.into()),
            ("m_n_k", Mnk.into()),
            ("batch_count", Batch.into()),
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
            ("Runtime", Time.into()),
            ("real_time", Time.into()),
            ("duration_us_median", time(Microseconds)),
            ("min_ms", ColumnSpec::time(TimeMin, Some(Milliseconds))),
            ("stddev_ms", ColumnSpec::time(TimeStd, Some(Milliseconds))),
            ("timestamp", Other.into()),
            ("start_us", Other.into()),
            ("Zeit (ms)", time(Milliseconds)),
            ("耗时(us)", time(Microseconds)),
            ("tflops", rate(RateUnit::TeraFlops)),
            ("hipblaslt-Gflops", rate(RateUnit::GigaFlops)),
            ("GFLOPs", rate(RateUnit::GigaFlops)),
            ("TFLOPS/s_mean", rate(RateUnit::TeraFlops)),
            ("TERAFLOPS", rate(RateUnit::TeraFlops)),
            ("tflop_per_s", rate(RateUnit::TeraFlops)),
            ("Performance", ReportedRate.into()),
            ("roofline_tflops", Other.into()),
            ("roofline_percent", ReportedEfficiency.into()),
            ("hipblaslt-GB/s", bandwidth(BandwidthUnit::Gigabytes)),
            ("tb_per_sec", bandwidth(BandwidthUnit::Terabytes)),
            ("bw", ReportedBandwidth.into()),
            ("FLOPS/Byte", ReportedIntensity.into()),
            ("bytes/s", bandwidth(BandwidthUnit::Bytes)),
            ("bytes", ReportedBytes.into()),
            ("dram_bytes", MeasuredBytes.into()),
            ("HBM bytes", MeasuredBytes.into()),
            ("l2_bytes", MeasuredL2Bytes.into()),
            ("workspace_bytes", Other.into()),
            ("kernelName", Kernel.into()),
            ("BLOCK_SIZE_M", TileM.into()),
            ("tileM", TileM.into()),
            ("cta_n", TileN.into()),
            ("BK", TileK.into()),
            ("transA", TransA.into()),
            ("tB", TransB.into()),
            ("a_type", DtypeA.into()),
            ("outdtype", DtypeC.into()),
            ("GPU", Device.into()),
            ("gcnArchName", Device.into()),
            ("cu_num", DeviceUnits.into()),
            ("sclk_mhz", MeasuredClock.into()),
            ("", Other.into()),
            ("errRatio", Other.into()),
            ("stride_a", Other.into()),
            ("alpha", Other.into()),
        ] {
            assert_eq!(guess(header).spec, spec, "{header}");
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
