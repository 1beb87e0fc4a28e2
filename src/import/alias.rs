//! What a column holds, guessed from its header: the names that producers use.

mod names;

use super::target::Target;
use crate::dataset::Role;
use crate::units::{BandwidthUnit, RateUnit, TimeUnit};
use names::{NAMES, WORDS};

/// A guess from a header text alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// What the column probably holds.
    pub target: Target,
    /// 0 to 100: of several columns for one target the strongest takes it.
    pub strength: u8,
}

/// Words of a header in lower case: split at anything but letters and digits, and between a
/// small letter and a capital (`kernelName`), and between two scripts (`行数M`). Words of some other
/// languages come as the English ones.
pub fn words(header: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous_small = false;
    // From the first East Asian script on.
    let east = |c: char| c > '\u{2e7f}';
    for c in header.trim().chars() {
        let letter = c.is_alphanumeric();
        let script = word.chars().next_back().is_some_and(|p| east(p) != east(c));
        if (!letter || script || (previous_small && c.is_uppercase())) && !word.is_empty() {
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

/// Guesses from the header text; [`Target::Extra`] where it says nothing.
pub fn guess(header: &str) -> Guess {
    let words = words(header);
    let joined = words.join("_");
    let plain = |target, strength| Guess { target, strength };
    if let Some(&(_, target, strength)) = NAMES.iter().find(|(name, ..)| *name == joined) {
        return plain(target, strength);
    }
    // `MxNxK`, `B*M*K*N`
    let mut letters: Vec<char> = joined.chars().filter(|c| !"x_".contains(*c)).collect();
    letters.sort_unstable();
    if letters == ['k', 'm', 'n'] || letters == ['b', 'k', 'm', 'n'] {
        return plain(Target::Mnk, 90);
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
        if let Some(unit) = rate_unit(header, &words) {
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

/// The unit of work over time that a header names; `words` are its own.
pub fn rate_unit(header: &str, words: &[String]) -> Option<RateUnit> {
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
            ("M (rows)", Target::M),
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
