//! Parses titles of figures: quantity, unit, number of calls, statistic, and library or kernel.

use super::names::{ASIDE_WORDS, DERIVED_WORDS, OF_FIGURE, PARAMETER_WORDS, RATE_WORDS};
use super::{Holds, RANK, Title};
use crate::columns::words::{self as known, Says, any_says, is_extreme, is_percentile, says};
use crate::document::unit_words::{Measure, unit};
use crate::document::words::{lower_words, names_library};
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnMeaning as C;
use gemmscope_table::dataset::ColumnSpec;

/// Rank of a total, used only without a figure per call.
const TOTAL: u8 = 6;
/// Rank of a statistic that does not describe a typical call.
const SPREAD: u8 = 9;

/// Number of calls that a value covers, as in `time of 100 iterations`; 0 if not stated.
fn calls_in(low: &str) -> u32 {
    let words: Vec<&str> = low.split(|c: char| !(c.is_alphanumeric() || c == ',')).collect();
    let is_calls = |w: &str| {
        ["iter", "iters", "iterations", "calls", "runs", "launches", "reps", "repeats"].contains(&w)
    };
    if words.iter().any(|w| *w == "med" || says(w, &[Says::Mean]) || is_extreme(w)) {
        return 0;
    }
    words
        .windows(2)
        .filter(|pair| is_calls(pair[1]))
        .find_map(|pair| {
            let digits = pair[0].replace(',', "");
            let (digits, times) = digits.strip_suffix('k').map_or((&*digits, 1), |d| (d, 1000));
            Some(digits.parse::<u32>().ok()?.saturating_mul(times))
        })
        .unwrap_or(0)
}

/// Removes remarks such as `(larger is better)`.
fn without_advice(text: &str) -> String {
    let lower = text.to_lowercase();
    for advice in [
        "higher is better",
        "lower is better",
        "larger is better",
        "smaller is better",
        "bigger is better",
        "more is better",
        "less is better",
        "lower=better",
        "higher=better",
    ] {
        if let Some(at) = lower.find(advice)
            && lower.len() == text.len()
        {
            return format!("{}{}", &text[..at], &text[at + advice.len()..]);
        }
    }
    text.to_owned()
}

fn is_count(low: &str) -> bool {
    const COUNTS: &[&str] = &[
        "count",
        "calls",
        "iters",
        "iterations",
        "instances",
        "launches",
        "reps",
        "repeats",
        "invocations",
        "samples",
        "occurrences",
        "runs",
    ];
    let words = lower_words(low);
    match &words[..] {
        [last] => COUNTS.contains(&last.as_str()),
        [first, last] => {
            ["num", "n", "hot", "total", "number"].contains(&first.as_str())
                && COUNTS.contains(&last.as_str())
        }
        [first, of, last] => first == "number" && of == "of" && COUNTS.contains(&last.as_str()),
        _ => false,
    }
}

/// True for a comparison, an error or a limit.
pub(super) fn names_quotient(words: &[String]) -> bool {
    any_says(words, &[Says::Limit]) || words.iter().any(|w| DERIVED_WORDS.contains(&w.as_str()))
}

/// True for a percentile other than the median.
fn is_quantile(word: &str) -> bool {
    is_percentile(word) && !matches!(word, "p50" | "q50")
}

fn says_total(word: &str) -> bool {
    matches!(word, "total" | "sum" | "cumulative")
}

/// True for `pct_peak`, `% of peak`: a share of the device's peak.
pub(in crate::document) fn is_share_of_peak(name: &str) -> bool {
    let low = name.to_lowercase();
    let words = lower_words(&low);
    let share = low.contains('%') || any_says(&words, &[Says::Percent]);
    share && words.iter().any(|w| w == "peak")
}

/// `% of peak`: a fraction of the device's peak.
pub(super) fn of_roof(low: &str, words: &[String]) -> Title {
    let percent = low.contains('%') || any_says(words, &[Says::Percent]);
    match percent && any_says(words, &[Says::OfRoof]) {
        true => Title::meaning(C::ReportedEfficiency, 70),
        false => Title::of(Holds::Derived),
    }
}

pub(super) fn figure(text: &str, low: &str, words: &[String]) -> Title {
    let plain = without_advice(low);
    let found = unit(&plain);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let begins = |stems: &[&str]| words.iter().any(|w| stems.iter().any(|s| w.starts_with(s)));
    let is_time = match &found {
        Some(unit) => unit.measure == Measure::Time,
        None => is_duration(words),
    };
    // `time_err_us`
    if is_time && any_says(words, &[Says::Spread]) {
        let unit =
            found.as_ref().and_then(|u| TimeUnit::ALL.into_iter().find(|t| t.to_si() == u.factor));
        return Title::meaning(ColumnSpec::time(C::TimeStd, unit), 60);
    }
    let quotient =
        plain.contains(" / ") || plain.contains("speed-up") || plain.contains(['δ', 'Δ']);
    // In `GFLOPS_ref` the last word names a baseline, not a library.
    let against = words.last().is_some_and(|w| says(w, &[Says::Reference]));
    let against = against && found.as_ref().is_some_and(|u| u.from == 0);
    if names_quotient(words)
        || begins(&["improve", "efficien", "util"])
        || plain.contains("max abs")
        || plain.contains("/byte")
        || plain.contains('δ')
        || quotient && (found.is_none() || plain.contains("speed-up"))
    {
        return of_roof(&plain, words);
    }
    if found.is_none() && (plain.contains('%') || has(&["percent", "pct", "share"])) {
        return Title { holds: Holds::Share, ..of_roof(&plain, words) };
    }
    if found.is_none() && is_count(&plain) {
        return Title::of(Holds::Count);
    }
    let aside = has(ASIDE_WORDS)
        || against
        || any_says(words, &[Says::Moment])
        || words.iter().any(|w| says(w, &[Says::Once]) && !says_total(w))
        || found.is_none() && has(PARAMETER_WORDS);
    let of_bandwidth = match &found {
        Some(unit) => unit.measure == Measure::Bandwidth,
        None => any_says(words, &[Says::Traffic]),
    };
    let rank = rank(words);
    let holds = match found.as_ref().map(|u| u.measure) {
        _ if any_says(words, &[Says::Spread]) => return Title::of(Holds::Spread),
        _ if rank == SPREAD => Holds::Spread,
        _ if aside && !of_bandwidth => return Title::of(Holds::Other),
        _ if of_bandwidth => Holds::Bandwidth,
        Some(Measure::Time) => Holds::Time,
        Some(_) => Holds::Rate,
        None if is_time => Holds::Time,
        None if has(RATE_WORDS) || any_says(words, &[Says::Rate]) => Holds::Rate,
        None => Holds::Open,
    };
    let total = words.iter().any(|w| says_total(w) || w == "all" || w == "gesamt");
    // A total is used only if nothing else is there.
    let rank = if total && rank == RANK { TOTAL } else { rank };
    let factor = found.as_ref().map(|u| u.factor);
    let label = label_of(text);
    let measure = match holds {
        Holds::Bandwidth => Some(Measure::Bandwidth),
        Holds::Rate => Some(Measure::Rate),
        Holds::Time => Some(Measure::Time),
        _ => found.map(|u| u.measure),
    };
    let spec = measure.map(|measure| spec_of(measure, factor, words));
    let strength =
        if spec.is_some() { strength(rank, &label, words) + u8::from(factor.is_some()) } else { 0 };
    let spec = spec.unwrap_or(C::Other.into());
    let calls = if of_bandwidth { 0 } else { calls_in(&plain) };
    Title { holds, spec, strength, factor, label, calls, rank, order: Vec::new(), total }
}

fn is_duration(words: &[String]) -> bool {
    let time = |w: &String| w.starts_with("time") && !w.starts_with("timeout");
    any_says(words, &[Says::Duration]) || words.iter().any(time)
}

/// Rank of the statistic that a title names: the smaller, the better it represents a call.
fn rank(words: &[String]) -> u8 {
    let any = |is: &dyn Fn(&str) -> bool| words.iter().any(|w| is(w));
    match () {
        () if any(&|w| matches!(w, "median" | "med" | "p50" | "q50")) => 0,
        () if any(&|w| says(w, &[Says::Mean])) => 1,
        () if any(&|w| says(w, &[Says::Least])) => 4,
        () if any(&|w| says(w, &[Says::Most])) => 5,
        () if any(&is_quantile) => SPREAD,
        () => RANK,
    }
}

/// Meaning of a figure as a column of a dataset.
pub(super) fn spec_of(measure: Measure, factor: Option<f64>, words: &[String]) -> ColumnSpec {
    let is = |si: f64| factor == Some(si);
    match measure {
        Measure::Bandwidth => {
            ColumnSpec::bandwidth(BandwidthUnit::ALL.into_iter().find(|u| is(u.to_si())))
        }
        Measure::Rate => {
            ColumnSpec::rate(C::ReportedRate, RateUnit::ALL.into_iter().find(|u| is(u.to_si())))
        }
        Measure::Time => {
            let meaning = match () {
                () if any_says(words, &[Says::Least]) => C::TimeMin,
                () if any_says(words, &[Says::Most]) => C::TimeMax,
                () => C::Time,
            };
            ColumnSpec::time(meaning, TimeUnit::ALL.into_iter().find(|u| is(u.to_si())))
        }
    }
}

/// Strength of a figure as the one of a row: higher for a better statistic, lower for a figure of one
/// part or of the host's clock.
pub(super) fn strength(rank: u8, label: &str, words: &[String]) -> u8 {
    let host = any_says(words, &[Says::Host]);
    80 - 4 * rank - if label.is_empty() { 0 } else { 5 } - if host { 15 } else { 0 }
}

/// Library or kernel that a figure belongs to: the title without units, statistics and brackets.
pub(in crate::document) fn label_of(text: &str) -> String {
    let mut plain = without_advice(text);
    // Treat underscores as word separators when looking for units; the name keeps them.
    while let Some(found) = unit(&plain.replace('_', " ")) {
        plain.replace_range(found.from..found.to, &" ".repeat(found.to - found.from));
    }
    let count = calls_in(&plain.to_lowercase()) > 0;
    let of_calls = |w: &str| {
        count
            && (w.starts_with(|c: char| c.is_ascii_digit())
                || ["iter", "iters", "iterations", "calls", "runs", "launches"].contains(&w))
    };
    let of_figure = |part: &&str| {
        let lower = part.to_lowercase();
        let lower = lower.trim_matches(['/', '-', '.']);
        lower.is_empty()
            || OF_FIGURE.contains(&lower)
            || is_extreme(lower)
            || is_time_word(lower)
            || RATE_WORDS.contains(&lower)
            || of_calls(lower)
    };
    let is_sign = |c: char| "()[],;:|".contains(c);
    let is_kernel = |part: &&str| part.eq_ignore_ascii_case("kernel");
    let name = |word: &str| {
        let parts = word.split('_').filter(|p| is_kernel(p) || !of_figure(p));
        let parts: Vec<&str> = parts.collect();
        let others: Vec<&str> = parts.iter().copied().filter(|p| !is_kernel(p)).collect();
        // `my_kernel` is a name; `kernel_time` and `cublas_kernel` are not more without the word.
        let whole = !others.is_empty() && !names_library(&others.join("_"));
        if whole { parts } else { others }.join("_")
    };
    let words = plain.split(|c: char| c.is_whitespace() || is_sign(c)).filter(|w| !w.is_empty());
    let kept: Vec<String> = words.map(name).filter(|w| !w.is_empty()).collect();
    let label = kept.join(" ");
    let label = label.trim_matches([' ', '-', '_', '.', '/']).to_owned();
    // `kernel a time` is the time of kernel a.
    if label.chars().count() == 1 {
        let named = format!("kernel {}", label.to_lowercase());
        if text.to_lowercase().replace('_', " ").contains(&named) {
            return format!("kernel {label}");
        }
    }
    if label.eq_ignore_ascii_case("t") { String::new() } else { label }
}

/// True for a time of something other than a call, such as `compile time`; false for the side `torch.compile`.
pub(in crate::document) fn is_aside(text: &str) -> bool {
    let words = lower_words(text);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let compiled = words.iter().any(|w| w == "compile");
    has(ASIDE_WORDS) && (!compiled || words.iter().any(|w| is_time_word(w)))
}

/// True for a word that means time, in the languages of common spreadsheets.
fn is_time_word(word: &str) -> bool {
    const TIMES: &[&str] = &["time", "latency", "duration", "elapsed", "runtime"];
    known::words(word).first().is_some_and(|w| TIMES.contains(&w.as_str()))
}

/// True if the title names a measurement by unit or word.
pub(in crate::document) fn measures(text: &str) -> bool {
    unit(&text.replace('_', " "))
        .is_some_and(|u| matches!(u.measure, Measure::Time | Measure::Rate))
}

/// Factor to SI of the first unit in a title, if it is of this measure.
fn factor_of(measure: Measure, text: &str) -> Option<f64> {
    let unit = unit(&text.to_lowercase().replace('_', " "))?;
    (unit.measure == measure).then_some(unit.factor)
}

/// Factor to FLOP/s of the rate unit in a title.
pub(crate) fn rate_factor(text: &str) -> Option<f64> {
    factor_of(Measure::Rate, text)
}

/// Factor to byte/s of the bandwidth unit in a title.
pub(crate) fn bandwidth_factor(text: &str) -> Option<f64> {
    factor_of(Measure::Bandwidth, text)
}
