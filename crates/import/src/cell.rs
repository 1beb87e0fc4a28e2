//! Parses single cells: numbers, sizes, times, verdicts, and the checks that all formats share.

pub(crate) mod digits;
pub(crate) mod experts;
pub(crate) mod operands;
pub(crate) mod py;
pub(crate) mod shape_text;
pub(crate) mod value_cache;
pub(crate) mod values;

use digits::{PLACES, quotient};
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::cell_text::cell_text;
use gemmscope_table::build::cell_text::is_missing;
use std::fmt;

gemmscope_model::named! {
/// Why a cell is not a usable positive quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellError {
    /// Empty cell, or no such cell in the record.
    Missing = "is missing";
    /// Text in place of a number.
    NotANumber = "is not a number";
    /// `NaN`.
    Nan = "is NaN";
    /// Infinite.
    Infinite = "is infinite";
    /// Zero.
    Zero = "is zero";
    /// Below zero.
    Negative = "is negative";
    /// `i64::MIN`, which stands for a dimension unknown at compile time.
    Sentinel = "is a placeholder for a dynamic size";
    /// A size that is not whole.
    Fractional = "is not a whole number";
    /// A size over 4294967295.
    TooLarge = "is too large";
    /// A word that says the measurement failed.
    Failed = "reports a failed run";
    /// A cell that should hold several sizes.
    NotSizes = "are not three numbers";
    /// Unknown data type.
    UnknownType = "is not recognised";
    /// Neither N nor T, nor a synonym.
    NotATranspose = "is neither N nor T";
}
/// The predicate that follows the name of the quantity, as in "M is missing".
fn words -> &'static str;
}

impl fmt::Display for CellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl CellError {
    /// Rejection of the row: "`what` is missing".
    #[cold]
    pub(crate) fn of(self, what: &str) -> RowError {
        RowError::new(format!("{what} {self}"))
    }

    /// The same as text, followed by the name of the column or field unless `what` is that name.
    #[cold]
    pub(crate) fn said(self, what: &str, name: &str) -> String {
        if what == name { self.of(what).reason } else { format!("{what} {self} ({name})") }
    }
}

/// Reason for rejecting a grouped GEMM if the file prints only its first problem.
pub(crate) const ONE_OF_GROUPS: &str = "a grouped GEMM of which only the first problem is printed";

/// Reason for rejecting a row of another operation.
pub(crate) const NOT_A_GEMM: &str = "not a GEMM";
/// The same, for rows that lack M, N and K.
pub(crate) const NO_SIZES: &str = "not a GEMM: no M, N, K";
/// Reason for operands whose shared dimensions differ.
pub(crate) const UNFIT: &str = "the operands do not fit together";

/// Strips blanks at both ends.
#[inline]
pub(crate) fn trim(bytes: &[u8]) -> &[u8] {
    // Fast path: few cells have blanks.
    match bytes {
        [first, .., last] if *first > b' ' && *last > b' ' => bytes,
        [one] if *one > b' ' => bytes,
        _ => trim_blanks(bytes),
    }
}

fn trim_blanks(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t' | b'\r' | b'\n'] = bytes {
        bytes = rest;
    }
    bytes
}

/// Parses a number such as `12`, `1.5e-3`, `.5` or `1,234.5`. `None` for words such as `nan` and `inf`.
#[inline]
pub(crate) fn number(cell: &[u8]) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    match plain(digits).or_else(|| scientific(digits)) {
        Some((whole, places)) => {
            let value = quotient(whole, places);
            Some(if negative { -value } else { value })
        }
        None => slow_number(cell),
    }
}

/// Up to 19 digits with at most one point, parsed without a library call: the digits and the number of decimals.
#[inline(always)]
fn plain(digits: &[u8]) -> Option<(u64, u32)> {
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    let mut whole: u64 = 0;
    let mut point = None;
    for (i, &b) in digits.iter().enumerate() {
        let d = b.wrapping_sub(b'0');
        if d < 10 {
            whole = whole.wrapping_mul(10).wrapping_add(u64::from(d));
        } else if b == b'.' && point.is_none() {
            point = Some(i);
        } else {
            return None;
        }
    }
    let seen = digits.len() - usize::from(point.is_some());
    (1..=19).contains(&seen).then(|| (whole, point.map_or(0, |p| (digits.len() - p - 1) as u32)))
}

#[cold]
fn long_number(text: &str) -> Option<f64> {
    // `inf`, `nan` and `infinity` count as words: they have error reasons of their own.
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse::<f64>().ok()
}

/// `1.5e-3` as digits and decimals, if [`quotient`] knows the power of ten.
#[cold]
fn scientific(digits: &[u8]) -> Option<(u64, u32)> {
    let at = memchr::memchr2(b'e', b'E', digits)?;
    let (whole, places) = plain(&digits[..at])?;
    let power: i32 = std::str::from_utf8(&digits[at + 1..]).ok()?.parse().ok()?;
    let places = places.checked_add_signed(power.checked_neg()?)?;
    (places < PLACES).then_some((whole, places))
}

fn slow_number(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?;
    if text.contains(',') {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let whole = ungrouped(whole)?;
        return long_number(&format!("{whole}.{fraction}0"));
    }
    long_number(text)
}

/// `1,234,567` without its separators; `None` unless all groups have three digits.
fn ungrouped(whole: &str) -> Option<String> {
    if !whole.contains(',') {
        return Some(whole.to_owned());
    }
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let digits = first.strip_prefix('-').unwrap_or(first);
    if digits.is_empty() || digits.len() > 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut out = first.to_owned();
    for g in groups {
        if g.len() != 3 || !g.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        out.push_str(g);
    }
    Some(out)
}

/// `value * scale`. The usual small scales divide instead, which rounds correctly: 9.5 us becomes
/// 9.5e-6 s, not 9.499999999999999e-6.
#[inline]
pub(crate) fn scaled(value: f64, scale: f64) -> f64 {
    if scale == 1e-6 {
        value / 1e6
    } else if scale == 1e-3 {
        value / 1e3
    } else if scale == 1e-9 {
        value / 1e9
    } else {
        value * scale
    }
}

/// [`scaled`] for optional figures: NaN if the result is not finite.
#[inline]
pub(crate) fn figure(value: f64, scale: f64) -> f64 {
    let figure = scaled(value, scale);
    if figure.is_finite() { figure } else { f64::NAN }
}

/// Parses a size (M, N, K, batch): a whole number from 1 to 4294967295; `4096.0` is accepted.
#[inline]
pub(crate) fn size(cell: &[u8]) -> Result<u32, CellError> {
    if !cell.is_empty() && cell.len() <= 9 {
        let mut value = 0u32;
        let mut digits = true;
        for &b in cell {
            let d = b.wrapping_sub(b'0');
            if d > 9 {
                digits = false;
                break;
            }
            value = value * 10 + u32::from(d);
        }
        if digits {
            return if value == 0 { Err(CellError::Zero) } else { Ok(value) };
        }
    }
    if cell == b"-9223372036854775808" {
        return Err(CellError::Sentinel);
    }
    let value = positive(cell)?;
    if value > f64::from(u32::MAX) {
        return Err(CellError::TooLarge);
    }
    if value.fract() != 0.0 {
        return Err(CellError::Fractional);
    }
    Ok(value as u32)
}

/// Parses a positive finite number, such as a time or a rate.
#[inline]
pub(crate) fn positive(cell: &[u8]) -> Result<f64, CellError> {
    number(cell).map_or_else(|| Err(word_flaw(cell)), checked)
}

/// Returns `value` if it is positive and finite.
#[inline]
pub(crate) fn checked(value: f64) -> Result<f64, CellError> {
    if value.is_infinite() {
        Err(CellError::Infinite)
    } else if value == 0.0 {
        Err(CellError::Zero)
    } else if value < 0.0 {
        Err(CellError::Negative)
    } else if value.is_nan() {
        Err(CellError::Nan)
    } else {
        Ok(value)
    }
}

gemmscope_model::named! {
/// Quantity that a unit measures; values are in SI units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Seconds.
    Time = "time", "ms";
    /// FLOP/s.
    Rate = "rate", "TFLOPS";
    /// Byte/s.
    Bandwidth = "bandwidth", "GB/s";
}
/// The word for it in reasons for rejected rows.
pub(crate) fn word -> &'static str;
/// A common unit.
pub(crate) fn unit -> &'static str;
}

impl Quantity {
    /// Parses the name of a unit. Returns the quantity it measures and its factor to SI.
    pub(crate) fn parse(unit: &str) -> Option<(Quantity, f64)> {
        let unit = unit.trim();
        let time = TimeUnit::parse(unit).map(|u| (Quantity::Time, u.to_si()));
        let rate = || RateUnit::parse(unit).map(|u| (Quantity::Rate, u.to_si()));
        let bandwidth = || BandwidthUnit::parse(unit).map(|u| (Quantity::Bandwidth, u.to_si()));
        time.or_else(rate).or_else(bandwidth)
    }
}

/// Parses a number with its unit; the result is in SI units: `12.3 us`, `549.7TFLOPS`, `1.2 TB/s`, `188 ± 0.3 µs`.
pub(crate) fn quantity(cell: &[u8]) -> Option<(f64, Quantity)> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || ".,+-eE".contains(c)))?;
    let (value, unit) = text.split_at(digits);
    // `1e3` ends in a digit, `1.5E` would not.
    let (value, unit) = (value.trim_end_matches(['e', 'E']), unit.trim());
    let unit = unit.strip_prefix('±').map_or(unit, |spread| {
        spread.trim_start_matches(|c: char| c.is_ascii_digit() || ". ".contains(c))
    });
    let value = number(value.as_bytes())?;
    let (kind, scale) = Quantity::parse(unit)?;
    Some((scaled(value, scale), kind))
}

/// A number and its relative spread, a fraction, as in `0.0063 (±7.07%)`.
pub(crate) fn spread(cell: &[u8]) -> Option<(f64, f64)> {
    let (value, inside) = std::str::from_utf8(cell).ok()?.split_once('(')?;
    let percent = inside.trim_start_matches(['±', '+', '-', '/', ' ']).split_once('%')?.0;
    let percent = percent.trim().parse::<f64>().ok()?;
    Some((number(value.trim().as_bytes())?, percent / 100.0))
}

fn word_flaw(cell: &[u8]) -> CellError {
    if cell.is_empty() {
        return CellError::Missing;
    }
    let word = cell_text(cell).to_ascii_lowercase();
    match word.trim_start_matches(['+', '-']) {
        "nan" => CellError::Nan,
        "inf" | "infinity" | "∞" => CellError::Infinite,
        _ if is_missing(cell) => CellError::Missing,
        w if failed_word(w) => CellError::Failed,
        _ => CellError::NotANumber,
    }
}

/// True if lower-case text says that a run failed.
fn failed_word(word: &str) -> bool {
    const WORDS: &str = "fail|error|incorrect|oom|out of memory|not supported|unsupported|not_supported|\
        not run|not_run|invalid|timeout|timed out|crash|skip|abort|mismatch|exception|wrong|\
        n/a";
    WORDS.split('|').any(|w| word.contains(w))
}

/// Reads a verdict column (`ok`, `status`, `correct`, `Disposition`): false if the run failed.
/// Empty and unknown words pass.
pub(crate) fn verdict(cell: &[u8]) -> bool {
    if cell.is_empty() || cell.eq_ignore_ascii_case(b"true") || cell == b"1" {
        return true;
    }
    let word = cell_text(cell).to_ascii_lowercase();
    if matches!(word.as_str(), "false" | "0" | "no" | "f" | "n" | "ko" | "bad" | "nan") {
        return false;
    }
    // "no error", "0 errors" and "not failed" mean success.
    if word.starts_with("no ") || word.starts_with("0 ") || word.starts_with("not fail") {
        return true;
    }
    !failed_word(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_std() {
        for t in [
            "0",
            "7",
            "-7",
            "13.582600000000001",
            "0.1316",
            "4096.0",
            ".5",
            "5.",
            "1e-3",
            "2.1000000000000001E-2",
            "9007199254740993",
            "123456789012345",
            "-0.25",
            "1.30708e+06",
        ] {
            assert_eq!(number(t.as_bytes()), t.parse::<f64>().ok(), "{t}");
        }
        for t in ["", "-", ".", "nan", "inf", "1.2.3", "abc", "1,5", "1,2345", "0x10"] {
            assert_eq!(number(t.as_bytes()), None, "{t}");
        }
        assert_eq!(number(b"1,234,567.5"), Some(1_234_567.5));
    }

    #[test]
    fn sizes_say_what_is_wrong() {
        assert_eq!(size(b"4096.0"), Ok(4096));
        assert_eq!(size(b"4294967295"), Ok(u32::MAX));
        assert_eq!(size(b"4294967296"), Err(CellError::TooLarge));
        assert_eq!(size(b"-9223372036854775808"), Err(CellError::Sentinel));
        assert_eq!(size(b"0"), Err(CellError::Zero));
        assert_eq!(size(b"-3"), Err(CellError::Negative));
        assert_eq!(size(b"1.5"), Err(CellError::Fractional));
        assert_eq!(size(b""), Err(CellError::Missing));
        assert_eq!(size(b"many"), Err(CellError::NotANumber));
    }

    #[test]
    fn times_and_verdicts() {
        assert_eq!(positive(b"NaN"), Err(CellError::Nan));
        assert_eq!(positive(b"-inf"), Err(CellError::Infinite));
        assert_eq!(positive(b"1e999"), Err(CellError::Infinite));
        assert_eq!(positive(b"CUDA OOM"), Err(CellError::Failed));
        assert_eq!(positive(b"n/a"), Err(CellError::Missing));
        for good in ["", "True", "1", "passed", "success", "no error", "not_verified", "ok"] {
            assert!(verdict(good.as_bytes()), "{good}");
        }
        for bad in
            ["False", "0", "failed", "incorrect", "CUDA OOM", "not supported", "NaN", "not_run"]
        {
            assert!(!verdict(bad.as_bytes()), "{bad}");
        }
    }
}
