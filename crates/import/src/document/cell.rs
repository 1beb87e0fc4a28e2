//! Parses one cell: a quantity, with the text around its number.

use super::block::bare;
use super::unit_words::{Measure, unit};
use super::words::number_length;
use crate::cell::Quantity;
use std::borrow::Cow;

/// A quantity, or other text without a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub value: Option<f64>,
    /// The unit after the number, with its factor to SI.
    pub unit: Option<(Measure, f64)>,
    /// Text after the number other than the unit.
    pub remark: String,
    /// Without markup.
    pub text: String,
    /// As written in the file.
    pub raw: String,
    /// Relative rounding error: half a unit of the last digit.
    pub loose: f64,
}

impl Cell {
    /// A size stated elsewhere.
    pub(super) fn of_size(value: Option<u32>) -> Cell {
        let text = value.map(|v| v.to_string()).unwrap_or_default();
        Cell { value: value.map(f64::from), text, ..Cell::default() }
    }

    /// Parses a number or a quantity; the value is in SI units if the cell states a unit.
    pub(super) fn plain(text: &str) -> Cell {
        let bytes = text.trim().as_bytes();
        let number = crate::cell::number(bytes);
        let quantity = match number {
            Some(_) => None,
            None => crate::cell::quantity(bytes),
        };
        let unit = quantity.map(|(_, what)| match what {
            Quantity::Time => (Measure::Time, 1.0),
            Quantity::Rate => (Measure::Rate, 1.0),
            Quantity::Bandwidth => (Measure::Bandwidth, 1.0),
        });
        let value = number.or(quantity.map(|q| q.0)).filter(|v| v.is_finite());
        let loose = value.filter(|_| number.is_some()).map_or(0.0, |v| looseness(text.trim(), v));
        Cell { value, unit, loose, text: text.trim().to_owned(), ..Cell::default() }
    }

    pub(super) fn of_text(text: &str) -> Cell {
        Cell { text: text.to_owned(), ..Cell::default() }
    }

    /// The value as a size.
    pub(super) fn whole(&self) -> Option<u32> {
        let v = self.value?;
        (v >= 1.0 && v.fract() == 0.0 && v <= f64::from(u32::MAX)).then_some(v as u32)
    }
}

/// How a column uses commas in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Commas {
    /// `1,852`: thousands separators.
    #[default]
    Thousands,
    /// `1.024,5`: decimal comma.
    Decimal,
}

/// True for text that says nothing was measured.
pub(super) fn is_missing(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "",
        "na",
        "n/a",
        "nan",
        "none",
        "null",
        "inf",
        "oom",
        "fail",
        "failed",
        "fails",
        "failure",
        "error",
        "timeout",
        "skip",
        "skipped",
        "not supported",
        "unsupported",
        "x",
        "✗",
        "❌",
        "cuda oom",
    ];
    let lower = text.trim().to_lowercase();
    let dashes = !lower.is_empty() && lower.chars().all(|c| "-–—".contains(c));
    dashes || WORDS.contains(&lower.as_str()) || lower.contains("out of memory")
}

/// The number at the start of a text.
fn value_of(raw: &str, commas: Commas) -> Option<f64> {
    let plain: String = match commas {
        Commas::Thousands => raw.chars().filter(|c| !",'_".contains(*c)).collect(),
        Commas::Decimal => {
            let (whole, fraction) = raw.split_once(',').unwrap_or((raw, ""));
            let groups = whole.split('.').skip(1).all(|g| g.len() == 3);
            match (raw.contains(','), whole.contains('.') && groups) {
                (true, _) => format!("{}.{fraction}", whole.replace('.', "")),
                (false, true) => whole.replace('.', ""),
                (false, false) => raw.to_owned(),
            }
        }
    };
    plain.parse().ok().filter(|v: &f64| v.is_finite())
}

/// Length of the number at the start of a text.
fn length_of(text: &str, commas: Commas) -> usize {
    if commas == Commas::Thousands {
        return number_length(text);
    }
    let sign = usize::from(text.starts_with(['-', '+']));
    let digits = text[sign..].find(|c: char| !(c.is_ascii_digit() || ".,".contains(c)));
    let len = sign + digits.unwrap_or(text.len() - sign);
    let number = text[..len].trim_end_matches([',', '.']);
    if number.bytes().any(|b| b.is_ascii_digit()) { number.len() } else { 0 }
}

/// True for a space or mark that separates thousands: `4 096` with a narrow, thin or fixed space, or an Arabic mark. A
/// plain space may stand between two numbers.
fn is_thousands_mark(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{66c}')
}

/// The text without marks between groups of three digits.
fn ungrouped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_thousands_mark) {
        return Cow::Borrowed(text);
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let before = out.bytes().rev().take_while(u8::is_ascii_digit).count();
        let between = before > 0 && digits(&text[at + c.len_utf8()..]) == 3;
        if !(is_thousands_mark(c) && between) {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Parses a cell.
pub(super) fn cell(text: &str, commas: Commas) -> Cell {
    let plain = bare(&ungrouped(text));
    let plain = plain.trim_matches(|c: char| "*_ \"'\t".contains(c));
    let raw_text = text.to_owned();
    let words = || Cell {
        remark: plain.to_owned(),
        text: plain.to_owned(),
        raw: raw_text.clone(),
        ..Cell::default()
    };
    // A gap in the file: the text around it may belong to two numbers.
    let hole = plain.contains(['\0', '⟨']);
    if hole || is_missing(plain) {
        return words();
    }
    let number = plain.trim_start_matches(['~', '≈', '<', '>', '±', '$']).trim_start();
    let len = length_of(number, commas);
    let (raw, behind) = number.split_at(len);
    let glued = behind.starts_with(|c: char| c.is_alphanumeric());
    let behind = behind.trim_start();
    let Some(mut value) = (len > 0).then(|| value_of(raw, commas)).flatten() else {
        return words();
    };
    // A date, a time of day or a version.
    let goes_on = number[len..].strip_prefix(['-', ':', '/', '.']);
    if goes_on.is_some_and(|b| b.starts_with(|c: char| c.is_ascii_digit())) {
        return words();
    }
    let of_product = behind.strip_prefix(['x', '×', '*', ',', '@']);
    if of_product.is_some_and(|b| b.trim_start().starts_with(|c: char| c.is_ascii_digit())) {
        return words();
    }
    // Another number: which of them counts is not known.
    let more = behind.trim_start_matches([';', '|', ' ', '\u{66c}']);
    if more.starts_with(|c: char| c.is_ascii_digit()) {
        return words();
    }
    let named_unit = |text: &str| {
        let end = ["±", "+/-", "("].iter().filter_map(|m| text.find(m)).min();
        unit(&text[..end.unwrap_or(text.len())])
    };
    // `12.1 ± 0.4 µs`
    let spread = ["±", "+/-"].iter().find_map(|m| behind.strip_prefix(m)).map(str::trim_start);
    let measured = match spread {
        Some(spread) => named_unit(&spread[length_of(spread, commas)..]),
        None => named_unit(behind),
    };
    let lone = |letters: &[char]| {
        behind.strip_prefix(letters).is_some_and(|b| !b.starts_with(|c: char| c.is_alphanumeric()))
    };
    let named = behind.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let word = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let plain_word = !glued && word.len() > 1 && word.chars().all(|c| c.is_lowercase());
    if measured.is_none() && named && !lone(&['x', 'k', 'K']) && !plain_word {
        return words();
    }
    if lone(&['k', 'K']) {
        value *= if value.fract() == 0.0 && value < 1024.0 { 1024.0 } else { 1000.0 };
    }
    Cell {
        value: Some(value),
        unit: measured.map(|u| (u.measure, u.factor)),
        remark: behind.to_owned(),
        text: plain.to_owned(),
        raw: text.to_owned(),
        loose: match commas {
            Commas::Decimal if raw.contains(',') => {
                looseness(&raw.replace('.', "").replace(',', "."), value)
            }
            _ => looseness(raw, value),
        },
    }
}

fn looseness(raw: &str, value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let (mantissa, exponent) = raw.split_once(['e', 'E']).unwrap_or((raw, "0"));
    let digits = mantissa.split_once('.').map_or(0, |(_, d)| d.len()) as f64;
    let exponent: f64 = exponent.parse().unwrap_or(0.0);
    0.5 * 10f64.powf(exponent - digits) / value.abs()
}

/// Leading numbers with commas in the cells of a column.
fn with_commas<'a>(texts: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    texts.iter().filter_map(|text| {
        let plain = bare(text);
        let plain = plain.trim_matches(|c: char| "*_ \"'~≈<>".contains(c)).to_owned();
        let number = &plain[..number_length(&plain)];
        number.contains(',').then(|| number.to_owned())
    })
}

/// Returns `Thousands` if each comma of a column precedes exactly three digits and no number starts with a
/// zero. `None` without commas.
pub(super) fn commas_of(texts: &[&str]) -> Option<Commas> {
    let mut any = false;
    for number in with_commas(texts) {
        any = true;
        let digits = number.trim_start_matches(['-', '+']);
        let (whole, _) = digits.split_once('.').unwrap_or((digits, ""));
        let mut groups = whole.split(',');
        let first = groups.next().unwrap_or("");
        let of_three = groups.all(|g| g.len() == 3);
        if !of_three || first.is_empty() || first.len() > 3 || first.starts_with('0') {
            return Some(Commas::Decimal);
        }
    }
    any.then_some(Commas::Thousands)
}
