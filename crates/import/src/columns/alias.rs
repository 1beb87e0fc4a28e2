//! Guesses what a column holds from its header, by the names that tools use.

use super::words::{self, Says, any_says, is_extreme, words};
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnMeaning::{self, *};
use gemmscope_table::dataset::ColumnSpec;

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

fn has(words: &[String], any: &[&str]) -> bool {
    words.iter().any(|w| any.contains(&w.as_str()))
}

/// Guesses from the header's text; an unknown name gives [`ColumnMeaning::Other`].
pub(crate) fn guess(header: &str) -> Guess {
    let words = words(header);
    let joined = words.join("_");
    let plain = Guess::new::<ColumnMeaning>;
    if let Some((meaning, strength)) = words::name(&joined) {
        return plain(meaning, strength);
    }
    if let Some((unit, strength)) = words::work(&joined) {
        let spec = ColumnSpec::rate(ReportedWork, Some(unit));
        return Guess::new(spec, strength);
    }
    // `MxNxK`, `B*M*K*N`
    let mut letters: Vec<char> = joined.chars().filter(|c| !"x_".contains(*c)).collect();
    letters.sort();
    if letters == ['k', 'm', 'n'] || letters == ['b', 'k', 'm', 'n'] {
        return plain(Mnk, 90);
    }
    if let Some(g) = tile(&words) {
        return g;
    }
    if let Some(g) = clock(&words) {
        return g;
    }
    let reference = any_says(&words, &[Says::Limit, Says::Reference]);
    if header.contains('%') || any_says(&words, &[Says::Percent]) {
        return if any_says(&words, &[Says::OfRoof]) {
            plain(ReportedEfficiency, 70)
        } else {
            plain(Other, 0)
        };
    }
    let spread = any_says(&words, &[Says::Spread]);
    let statistic = statistic(&words);
    if !reference {
        if let Some(unit) = BandwidthUnit::in_header(header) {
            return if spread {
                plain(Other, 0)
            } else {
                Guess::new(ColumnSpec::bandwidth(Some(unit)), 60 + statistic)
            };
        }
        if any_says(&words, &[Says::Traffic]) && !spread {
            let unit = has(&words, &["gbps", "gbs"]).then_some(BandwidthUnit::Gigabytes);
            return Guess::new(ColumnSpec::bandwidth(unit), 50 + statistic);
        }
        let rate_words = any_says(&words, &[Says::Rate]);
        if let Some(unit) = rate_unit(header, &words) {
            return if spread {
                plain(Other, 0)
            } else {
                Guess::new(ColumnSpec::rate(ReportedRate, Some(unit)), 60 + statistic)
            };
        }
        if rate_words && !spread {
            return plain(ReportedRate, 40 + statistic);
        }
        if let Some(g) = time(header, &words, spread, statistic) {
            return g;
        }
    }
    // `gemm M`, `M (rows)`, `matrix n`: one lone size letter among neutral words.
    let rest: Vec<&str> =
        words.iter().map(String::as_str).filter(|w| !words::says(w, &[Says::OfSize])).collect();
    match rest.as_slice() {
        ["m"] => plain(M, 70),
        ["n"] => plain(N, 70),
        ["k"] => plain(K, 70),
        ["m", "n", "k"] => plain(Mnk, 70),
        _ => plain(Other, 0),
    }
}

/// Prefers `median`, then `mean`, then no statistic, then `min` and `max`.
fn statistic(words: &[String]) -> u8 {
    if any_says(words, &[Says::Middle]) {
        20
    } else if any_says(words, &[Says::Mean]) {
        18
    } else if words.iter().any(|w| is_extreme(w)) {
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
    let unit =
        TimeUnit::in_header(header).or_else(|| words.iter().rev().find_map(|w| TimeUnit::parse(w)));
    let about = any_says(words, &[Says::Duration]);
    let statistics = [Says::Mean, Says::Least, Says::Most, Says::Spread, Says::Gpu];
    let unit_only = unit.is_some()
        && words.iter().all(|w| {
            TimeUnit::parse(w).is_some()
                || words::says(w, &statistics)
                || words::is_percentile(w)
                || w == "total"
                || w.bytes().all(|b| b.is_ascii_digit())
        });
    let bracketed = unit.is_some() && (header.contains('(') || header.contains('['));
    let named = unit.is_some()
        && words.len() >= 2
        && words.last().is_some_and(|w| w.len() >= 2 && TimeUnit::parse(w).is_some());
    if !(about || unit_only || bracketed || named) {
        return None;
    }
    if any_says(words, &[Says::Moment]) || has(words, &["per"]) {
        return None;
    }
    let guess = |spec, strength| Some(Guess { spec, strength });
    if spread {
        return guess(ColumnSpec::time(TimeStd, unit), 60);
    }
    let min = any_says(words, &[Says::Least]);
    let max = any_says(words, &[Says::Most]);
    if min || max {
        // `min_ms` is the time if the file has no other.
        let meaning = if min { TimeMin } else { TimeMax };
        return guess(ColumnSpec::time(meaning, unit), 40);
    }
    let mut strength = 50 + statistic;
    if unit.is_some() {
        strength += 8;
    }
    if any_says(words, &[Says::Gpu]) || has(words, &["gemm"]) {
        strength += 4;
    }
    if any_says(words, &[Says::Host, Says::Once]) {
        strength -= 35;
    }
    if !about && !unit_only {
        strength -= 15;
    }
    guess(ColumnSpec::time(Time, unit), strength)
}

fn tile(words: &[String]) -> Option<Guess> {
    let joined = words.join("_");
    // `block_size_m`, but also `bm` and `B_M`.
    let mut prefixes =
        "block_size_|block_|tile_size_|tile_|cta_|macro_tile_|mt_|blk_|bt_|b_|b|tile|block"
            .split('|');
    let stem = prefixes.find_map(|p| joined.strip_prefix(p).filter(|s| s.len() == 1))?;
    let meaning = match stem {
        "m" => TileM,
        "n" => TileN,
        "k" => TileK,
        _ => return None,
    };
    Some(Guess { spec: meaning.into(), strength: 90 })
}

fn clock(words: &[String]) -> Option<Guess> {
    let is = has(words, &["mhz", "ghz", "hz"]) && any_says(words, &[Says::Clock]);
    is.then_some(Guess { spec: MeasuredClock.into(), strength: 60 })
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
            ("flopCnt", ColumnSpec::rate(ReportedWork, Some(RateUnit::Flops))),
            ("workspace_bytes", Other.into()),
            ("kernelName", Kernel.into()),
            ("BLOCK_SIZE_M", TileM.into()),
            ("tileM", TileM.into()),
            ("cta_n", TileN.into()),
            ("BK", TileK.into()),
            ("B_M", TileM.into()),
            ("B_N", TileN.into()),
            ("b_k", TileK.into()),
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
