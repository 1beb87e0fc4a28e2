//! Parses units of time, rate and bandwidth as written in texts.

use super::words::{is_letter, letter_runs};

/// Quantity that a figure measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Time,
    Rate,
    Bandwidth,
}

/// A unit with its factor to seconds, FLOP/s or byte/s, and its range in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub measure: Measure,
    pub factor: f64,
    pub from: usize,
    pub to: usize,
}

/// Length of `/s`, `/sec`, `per second` at the start of a text, with blanks around the slash.
fn per_second(text: &str) -> Option<usize> {
    let blank = |c: char| c == ' ' || c == '_';
    let rest = text.trim_start_matches(blank);
    let rest = rest
        .strip_prefix('/')
        .or_else(|| rest.strip_prefix("per").filter(|r| r.starts_with(blank)))?;
    let rest = rest.trim_start_matches(blank);
    let word = rest.find(|c| !is_letter(c)).map_or(rest, |end| &rest[..end]);
    let is_second = ["s", "sec", "second"].iter().any(|s| word.eq_ignore_ascii_case(s));
    is_second.then(|| text.len() - rest.len() + word.len())
}

fn prefix(letter: char) -> Option<f64> {
    Some(match letter {
        'p' => 1e15,
        't' => 1e12,
        'g' => 1e9,
        'm' => 1e6,
        'k' => 1e3,
        _ => return None,
    })
}

fn bandwidth(word: &str, per: bool) -> Option<f64> {
    if per && matches!(word, "b" | "byte" | "bytes") {
        return Some(1.0);
    }
    let mut letters = word.chars();
    let scale = prefix(letters.next()?)?;
    let rest = letters.as_str();
    let (binary, rest) = rest.strip_prefix('i').map_or((false, rest), |r| (true, r));
    let fits = match rest {
        "b" | "byte" | "bytes" => per,
        "bps" | "bs" => true,
        _ => false,
    };
    let power = scale.log10() / 3.0;
    fits.then(|| if binary { 1024f64.powf(power) } else { scale })
}

/// Factor of a rate unit to FLOP/s. `alone`: no letter or digit follows the word.
fn rate(word: &str, per: bool, alone: bool) -> Option<f64> {
    match word {
        "flops" | "flopps" => return Some(1.0),
        "flop" | "ops" | "op" if per => return Some(1.0),
        _ => {}
    }
    let long = [("tera", 1e12), ("giga", 1e9), ("mega", 1e6), ("kilo", 1e3), ("peta", 1e15)];
    let long = long.iter().find_map(|(p, scale)| Some((*scale, word.strip_prefix(p)?)));
    let (scale, rest) = match long {
        Some(long) => long,
        None => {
            let mut letters = word.chars();
            let scale = prefix(letters.next()?)?;
            (scale, letters.as_str())
        }
    };
    if scale < 1e6 && rest != "flops" {
        return None;
    }
    let fits = match rest {
        "flop" | "flops" | "flopps" | "flopsps" | "ops" => true,
        "op" => per,
        "f" => per || alone && scale >= 1e9,
        _ => false,
    };
    fits.then_some(scale)
}

/// Factor of a time unit to seconds.
pub(super) fn seconds(word: &str) -> Option<f64> {
    Some(match word {
        "ns" | "nsec" | "nsecs" | "nanosecond" | "nanoseconds" => 1e-9,
        "us" | "µs" | "μs" | "usec" | "usecs" | "µsec" | "μsec" | "microsecond"
        | "microseconds" => 1e-6,
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => 1e-3,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        _ => return None,
    })
}

/// The first unit in a text: of bandwidth, else of rate, else of time.
pub(super) fn unit(text: &str) -> Option<Unit> {
    let mut found: [Option<Unit>; 3] = [None, None, None];
    for (from, run) in letter_runs(text) {
        let to = from + run.len();
        let word = run.to_lowercase();
        let behind = &text[to..];
        // `tflop16/s`
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let per = per_second(&behind[digits..]).map(|len| to + digits + len);
        let end = per.unwrap_or(to);
        let mut put = |place: usize, measure, factor| {
            found[place].get_or_insert(Unit { measure, factor, from, to: end });
        };
        // `bandwidth_gb_s`
        let beside = behind.strip_prefix([' ', '_']).and_then(|b| b.strip_prefix('s'));
        let beside = word.len() > 1 && beside.is_some_and(|b| !b.starts_with(is_letter));
        if let Some(factor) = bandwidth(&word, per.is_some() || beside) {
            put(0, Measure::Bandwidth, factor);
        } else if let Some(factor) = rate(&word, per.is_some(), digits == 0) {
            put(1, Measure::Rate, factor);
        } else if let Some(factor) = seconds(&word) {
            let before = text[..from].chars().next_back();
            let open = before.is_none_or(|c| "([_ ,/".contains(c));
            // The `s` in `tokens / s` belongs to another unit.
            let of_other = text[..from].trim_end().ends_with('/') && word == "s";
            if word != "s" || open && !of_other {
                put(2, Measure::Time, factor);
            }
        }
    }
    found.into_iter().flatten().next()
}

/// Usual spelling of a unit.
pub(super) fn unit_word(measure: Measure, factor: f64) -> &'static str {
    let near = |to: f64| (factor / to - 1.0).abs() < 1e-9;
    match measure {
        Measure::Time if near(1e-9) => "ns",
        Measure::Time if near(1e-6) => "µs",
        Measure::Time if near(1e-3) => "ms",
        Measure::Time => "s",
        Measure::Rate if near(1e15) => "PFLOP/s",
        Measure::Rate if near(1e12) => "TFLOP/s",
        Measure::Rate if near(1e9) => "GFLOP/s",
        Measure::Rate if near(1e6) => "MFLOP/s",
        Measure::Rate => "FLOP/s",
        Measure::Bandwidth => "GB/s",
    }
}
