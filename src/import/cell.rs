//! What stands in one cell: numbers, sizes, times, verdicts. The common checks live here.

use super::records::Record;
use super::text::cell_text;
use std::fmt;

/// Why a row cannot become a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Bad {
    /// Short, stable sentence that names the column: `time is zero (us)`.
    pub reason: String,
    /// 1-based column, 0 where none applies.
    pub column: u32,
    /// The offending text.
    pub text: String,
}

impl Bad {
    /// A reason without a column.
    pub fn new(reason: impl Into<String>) -> Self {
        Bad {
            reason: reason.into(),
            column: 0,
            text: String::new(),
        }
    }
}

/// Why a cell is not a usable positive quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Empty cell, or the record is shorter.
    Missing,
    /// Text where a number belongs.
    NotANumber,
    /// `NaN`.
    Nan,
    /// Infinite.
    Infinite,
    /// Zero.
    Zero,
    /// Below zero.
    Negative,
    /// The smallest 64-bit integer, which stands for "not known when compiled".
    Sentinel,
    /// A size that is not whole.
    Fractional,
    /// A size over 4294967295.
    TooLarge,
    /// A word that says the measurement failed.
    Failed,
    /// A cell that should hold several sizes.
    NotSizes,
    /// A data type that is not known.
    UnknownType,
    /// Neither N nor T nor a word for them.
    NotATranspose,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flaw::Missing => "is missing",
            Flaw::NotANumber => "is not a number",
            Flaw::Nan => "is NaN",
            Flaw::Infinite => "is infinite",
            Flaw::Zero => "is zero",
            Flaw::Negative => "is negative",
            Flaw::Sentinel => "is a placeholder for a dynamic size",
            Flaw::Fractional => "is not a whole number",
            Flaw::TooLarge => "is too large",
            Flaw::Failed => "says that the run failed",
            Flaw::NotSizes => "are not three numbers",
            Flaw::UnknownType => "is not known",
            Flaw::NotATranspose => "is neither N nor T",
        })
    }
}

/// Without blanks at both ends.
#[inline]
pub fn trim(bytes: &[u8]) -> &[u8] {
    // Hardly any cell has blanks.
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

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// A number as files write it (`12`, `1.5e-3`, `.5`, `1,234.5`; with `decimal_comma` also `1,5`
/// and `1.234,5`). Words (`nan`, `inf`) are none.
#[inline]
pub fn number(cell: &[u8], decimal_comma: bool) -> Option<f64> {
    // Up to 15 digits and one point: exact in f64, no library call.
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    if !digits.is_empty() && digits.len() <= 16 {
        let mut mantissa: u64 = 0;
        let mut point = None;
        let mut plain = true;
        for (i, &b) in digits.iter().enumerate() {
            let d = b.wrapping_sub(b'0');
            if d < 10 {
                mantissa = mantissa * 10 + u64::from(d);
            } else if b == (if decimal_comma { b',' } else { b'.' }) && point.is_none() {
                point = Some(i);
            } else {
                plain = false;
                break;
            }
        }
        let seen = digits.len() - usize::from(point.is_some());
        if plain && seen > 0 && seen <= 15 {
            let decimals = point.map_or(0, |p| digits.len() - p - 1);
            let value = mantissa as f64 / POWERS[decimals];
            return Some(if negative { -value } else { value });
        }
    }
    slow_number(cell, decimal_comma)
}

#[cold]
fn long_number(text: &str) -> Option<f64> {
    // `inf`, `nan` and `infinity` are words here, handled by their own reasons.
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn slow_number(cell: &[u8], decimal_comma: bool) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?;
    if decimal_comma {
        if text.contains(',') {
            let (whole, fraction) = text.split_once(',')?;
            let whole = ungrouped(whole, '.')?;
            return long_number(&format!("{whole}.{fraction}"));
        }
        // Two points can only group thousands.
        if text.matches('.').count() > 1 {
            return long_number(&ungrouped(text, '.')?);
        }
        return long_number(text);
    }
    if text.contains(',') {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let whole = ungrouped(whole, ',')?;
        return long_number(&format!("{whole}.{fraction}0"));
    }
    long_number(text)
}

/// `1,234,567` without its separators; `None` where the groups are not of three digits.
fn ungrouped(whole: &str, separator: char) -> Option<String> {
    if !whole.contains(separator) {
        return Some(whole.to_owned());
    }
    let mut groups = whole.split(separator);
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

/// `value * scale`; the usual small scales divide instead, which gives the decimal's own nearest
/// number: 9.5 us is 9.5e-6 s, not 9.499999999999999e-6.
#[inline]
pub fn scaled(value: f64, scale: f64) -> f64 {
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

/// True for words that stand for "no value" in a cell.
#[inline]
pub fn is_missing(cell: &[u8]) -> bool {
    match cell {
        [] => true,
        [b'0'..=b'9', ..] => false,
        _ => is_missing_word(cell),
    }
}

fn is_missing_word(cell: &[u8]) -> bool {
    matches!(cell, b"-" | b"--")
        || cell.len() <= 4
            && [
                &b"na"[..],
                b"n/a",
                b"null",
                b"none",
                b"nil",
                b"nan",
                b"<na>",
            ]
            .iter()
            .any(|w| cell.eq_ignore_ascii_case(w))
}

/// A size (M, N, K, batch): a whole number from 1 to 4294967295; `4096.0` is accepted.
#[inline]
pub fn size(cell: &[u8], decimal_comma: bool) -> Result<u32, Flaw> {
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
            return if value == 0 {
                Err(Flaw::Zero)
            } else {
                Ok(value)
            };
        }
    }
    if cell == b"-9223372036854775808" {
        return Err(Flaw::Sentinel);
    }
    let value = match grouped(cell).filter(|_| decimal_comma) {
        Some(whole) => whole,
        None => positive(cell, decimal_comma)?,
    };
    if value > f64::from(u32::MAX) {
        return Err(Flaw::TooLarge);
    }
    if value.fract() != 0.0 {
        return Err(Flaw::Fractional);
    }
    Ok(value as u32)
}

/// `1.024` where the comma is the decimal sign: the points group thousands.
#[cold]
fn grouped(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?;
    text.contains('.')
        .then(|| ungrouped(text, '.'))??
        .parse()
        .ok()
}

/// A positive finite number: a time, a rate.
#[inline]
pub fn positive(cell: &[u8], decimal_comma: bool) -> Result<f64, Flaw> {
    let Some(value) = number(cell, decimal_comma) else {
        return Err(word_flaw(cell));
    };
    if value.is_infinite() {
        Err(Flaw::Infinite)
    } else if value == 0.0 {
        Err(Flaw::Zero)
    } else if value < 0.0 {
        Err(Flaw::Negative)
    } else {
        Ok(value)
    }
}

fn word_flaw(cell: &[u8]) -> Flaw {
    if cell.is_empty() {
        return Flaw::Missing;
    }
    let word = cell_text(cell).to_ascii_lowercase();
    match word.trim_start_matches(['+', '-']) {
        "nan" => Flaw::Nan,
        "inf" | "infinity" | "∞" => Flaw::Infinite,
        _ if is_missing(cell) => Flaw::Missing,
        w if failed_word(w) => Flaw::Failed,
        _ => Flaw::NotANumber,
    }
}

/// Lower-case text that says a run gave no usable result.
fn failed_word(word: &str) -> bool {
    const WORDS: [&str; 20] = [
        "fail",
        "error",
        "incorrect",
        "oom",
        "out of memory",
        "not supported",
        "unsupported",
        "not_supported",
        "not run",
        "not_run",
        "invalid",
        "timeout",
        "timed out",
        "crash",
        "skip",
        "abort",
        "mismatch",
        "exception",
        "wrong",
        "n/a",
    ];
    WORDS.iter().any(|w| word.contains(w))
}

/// A verdict column (`ok`, `status`, `correct`, `Disposition`): false where it says that the
/// run failed. Empty and unknown words pass.
pub fn verdict(cell: &[u8]) -> bool {
    if cell.is_empty() || cell.eq_ignore_ascii_case(b"true") || cell == b"1" {
        return true;
    }
    let word = cell_text(cell).to_ascii_lowercase();
    if matches!(
        word.as_str(),
        "false" | "0" | "no" | "f" | "n" | "ko" | "bad" | "nan"
    ) {
        return false;
    }
    // "no error", "0 errors" and "not failed" are good news.
    if word.starts_with("no ") || word.starts_with("0 ") || word.starts_with("not fail") {
        return true;
    }
    !failed_word(&word)
}

/// A column of the file that a reader uses: where it is and what its header says.
#[derive(Clone, Debug, PartialEq)]
pub struct Col {
    /// 0-based position.
    pub index: usize,
    /// Header as the file spells it.
    pub name: String,
}

impl Col {
    /// The cell of a record.
    #[inline]
    pub fn cell<'r>(&self, record: &Record<'r>) -> &'r [u8] {
        record.get(self.index)
    }

    /// A size; `what` is its name in the reason: `M`.
    #[inline]
    pub fn size(&self, record: &Record<'_>, what: &str) -> Result<u32, Bad> {
        size(self.cell(record), record.decimal_comma()).map_err(|f| self.bad(record, what, f))
    }

    /// A positive number times `scale`; `what` is `time` or `rate`.
    #[inline]
    pub fn positive(&self, record: &Record<'_>, what: &str, scale: f64) -> Result<f64, Bad> {
        match positive(self.cell(record), record.decimal_comma()) {
            Ok(v) => Ok(scaled(v, scale)),
            Err(f) => Err(self.bad(record, what, f)),
        }
    }

    /// A number times `scale`, NaN where there is none.
    #[inline]
    pub fn number(&self, record: &Record<'_>, scale: f64) -> f64 {
        record
            .number(self.index)
            .map_or(f64::NAN, |v| scaled(v, scale))
    }

    /// Rejects a row whose verdict column says that it failed.
    #[inline]
    pub fn verdict(&self, record: &Record<'_>) -> Result<(), Bad> {
        if verdict(self.cell(record)) {
            Ok(())
        } else {
            Err(self.bad(record, "row", Flaw::Failed))
        }
    }

    /// A reason that names this column and quotes its cell.
    #[cold]
    pub fn bad(&self, record: &Record<'_>, what: &str, flaw: Flaw) -> Bad {
        Bad {
            reason: if what == self.name {
                format!("{what} {flaw}")
            } else {
                format!("{what} {flaw} ({})", self.name)
            },
            column: u32::try_from(self.index + 1).unwrap_or(u32::MAX),
            text: cell_text(self.cell(record)).into_owned(),
        }
    }
}

/// A header: names as spelled, found without regard to case and blanks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Names as spelled, in file order.
    pub names: Vec<String>,
}

impl Header {
    /// From a record.
    pub fn new(record: &Record<'_>) -> Self {
        Header {
            names: (0..record.len())
                .map(|i| record.text(i).into_owned())
                .collect(),
        }
    }

    /// The first column that has one of these names.
    pub fn find(&self, names: &[&str]) -> Option<Col> {
        names.iter().find_map(|wanted| {
            self.names
                .iter()
                .position(|have| have.trim().eq_ignore_ascii_case(wanted))
                .map(|index| Col {
                    index,
                    name: self.names[index].trim().to_owned(),
                })
        })
    }

    /// True when every name is there.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|n| self.find(&[n]).is_some())
    }
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
            assert_eq!(number(t.as_bytes(), false), t.parse::<f64>().ok(), "{t}");
        }
        for t in [
            "", "-", ".", "nan", "inf", "1.2.3", "abc", "1,5", "1,2345", "0x10",
        ] {
            assert_eq!(number(t.as_bytes(), false), None, "{t}");
        }
        assert_eq!(number(b"1,234,567.5", false), Some(1_234_567.5));
        assert_eq!(number(b"1,5", true), Some(1.5));
        assert_eq!(number(b"1.234,5", true), Some(1234.5));
        assert_eq!(number(b"27.595.520", true), Some(27_595_520.0));
    }

    #[test]
    fn sizes_say_what_is_wrong() {
        assert_eq!(size(b"4096.0", false), Ok(4096));
        assert_eq!(size(b"4294967295", false), Ok(u32::MAX));
        assert_eq!(size(b"4294967296", false), Err(Flaw::TooLarge));
        assert_eq!(size(b"-9223372036854775808", false), Err(Flaw::Sentinel));
        assert_eq!(size(b"0", false), Err(Flaw::Zero));
        assert_eq!(size(b"-3", false), Err(Flaw::Negative));
        assert_eq!(size(b"1.5", false), Err(Flaw::Fractional));
        assert_eq!(size(b"", false), Err(Flaw::Missing));
        assert_eq!(size(b"many", false), Err(Flaw::NotANumber));
    }

    #[test]
    fn times_and_verdicts() {
        assert_eq!(positive(b"NaN", false), Err(Flaw::Nan));
        assert_eq!(positive(b"-inf", false), Err(Flaw::Infinite));
        assert_eq!(positive(b"1e999", false), Err(Flaw::Infinite));
        assert_eq!(positive(b"CUDA OOM", false), Err(Flaw::Failed));
        assert_eq!(positive(b"n/a", false), Err(Flaw::Missing));
        for good in [
            "",
            "True",
            "1",
            "passed",
            "success",
            "no error",
            "not_verified",
            "ok",
        ] {
            assert!(verdict(good.as_bytes()), "{good}");
        }
        for bad in [
            "False",
            "0",
            "failed",
            "incorrect",
            "CUDA OOM",
            "not supported",
            "NaN",
            "not_run",
        ] {
            assert!(!verdict(bad.as_bytes()), "{bad}");
        }
    }
}
