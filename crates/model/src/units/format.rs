//! Formatting of figures: one function per kind, for every text, table, axis and report.

use std::fmt::Display;
/// A factor and the prefix that stands for it.
pub type Prefix = (f64, &'static str);

/// SI prefixes, smallest first.
pub const SI: [Prefix; 11] = [
    (1e-12, "p"),
    (1e-9, "n"),
    (1e-6, "µ"),
    (1e-3, "m"),
    (1.0, ""),
    (1e3, "k"),
    (1e6, "M"),
    (1e9, "G"),
    (1e12, "T"),
    (1e15, "P"),
    (1e18, "E"),
];

/// [`SI`] from one up, for counted things.
pub const SI_FROM_ONE: &[Prefix] = SI.split_at(4).1;

/// [`SI_FROM_ONE`] up to T: datasheets write rates as `1307 TFLOP/s`, never in `PFLOP/s`.
pub const SI_OF_RATES: &[Prefix] = SI_FROM_ONE.split_at(5).0;

const IEC: [Prefix; 7] = [
    (1.0, ""),
    (1024.0, "Ki"),
    (1048576.0, "Mi"),
    (1073741824.0, "Gi"),
    (1099511627776.0, "Ti"),
    (1125899906842624.0, "Pi"),
    (1152921504606846976.0, "Ei"),
];

/// A value with its SI prefix and `digits` significant digits: `format_si(110.589e-6, "s", 4)`
/// is `110.6 µs`, and zero is `0 s`.
pub(crate) fn format_si(value: f64, unit: &str, digits: usize) -> String {
    with_prefix(value, unit, digits, &SI)
}

/// A duration: with SI prefixes up to 100 s, then in minutes, from three hours on in hours: `110.6 µs`, `72.38 min`.
pub(crate) fn seconds(value: f64, digits: usize) -> String {
    let (scaled, unit) = match value.abs() {
        v if !v.is_finite() || v < 100.0 => return format_si(value, "s", digits),
        v if v < 10_800.0 => (value / 60.0, "min"),
        _ => (value / 3600.0, "h"),
    };
    format!("{} {unit}", format_significant(scaled, digits))
}

/// A duration in a sentence, with three digits: `52.5 ms`.
pub fn seconds_brief(value: f64) -> String {
    seconds(value, 3)
}

/// Ratio of high to low end from which [`seconds_range`] gives only the high end.
pub const WIDE: f64 = 10.0;

/// A range of estimated durations, two digits each: `2.5 to 3.1 ms`; only one if both read alike; `up to 3.1 ms` if the
/// low end is 0 or the range is [`WIDE`].
pub fn seconds_range((low, high): (f64, f64)) -> String {
    let (least, most) = (seconds(low, 2), seconds(high, 2));
    if least == most {
        return most;
    }
    if low * WIDE < high {
        return format!("up to {most}");
    }
    match (least.split_once(' '), most.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {most}"),
        _ => format!("{least} to {most}"),
    }
}

/// Like [`format_si`], for counted things, which have no milli or micro: `0.5 FLOP`.
pub(crate) fn format_si_from_one(value: f64, unit: &str, digits: usize) -> String {
    with_prefix(value, unit, digits, SI_FROM_ONE)
}

/// A value with its binary (IEC) prefix: `format_iec(74457088.0, "B", 3)` is `71.0 MiB`.
pub(crate) fn format_iec(value: f64, unit: &str, digits: usize) -> String {
    with_prefix(value, unit, digits, &IEC)
}

pub(super) fn with_prefix(value: f64, unit: &str, digits: usize, prefixes: &[Prefix]) -> String {
    let (scaled, prefix) = under_prefix(value, digits, prefixes);
    format!("{} {prefix}{unit}", format_significant(scaled, digits))
}

/// The value scaled to the prefix that suits it, and that prefix. Takes the next prefix if rounding to `digits`
/// significant digits reaches it: 999.97 kB at three digits is 1.00 MB. Zero and non-finite values have no prefix.
pub fn under_prefix(value: f64, digits: usize, prefixes: &[Prefix]) -> (f64, &'static str) {
    if !value.is_finite() || value == 0.0 {
        return (value, "");
    }
    let fits = |p: &Prefix| value.abs() >= p.0;
    let mut chosen = prefixes.iter().rposition(fits).unwrap_or(0);
    let Some(mut prefix) = prefixes.get(chosen) else {
        return (value, "");
    };
    if let Some(next) = prefixes.get(chosen + 1) {
        let text = format_significant(value / prefix.0, digits);
        if text.parse::<f64>().is_ok_and(|v| v.abs() >= next.0 / prefix.0) {
            chosen += 1;
            prefix = &prefixes[chosen];
        }
    }
    (value / prefix.0, prefix.1)
}

/// A number with `digits` significant digits and no exponent in the usual range: `1365`, `692.8`, `0.02600`. Digits
/// before the point are never rounded away.
pub fn format_significant(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = digits.max(1);
    // The exponent after rounding, so that 999.96 at four digits becomes 1000 and not 1000.0.
    let scientific = format!("{:.*e}", digits - 1, value);
    let exponent: i32 =
        scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    if !(-7..=17).contains(&exponent) {
        return scientific;
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// A number with at most `digits` significant digits and no trailing zeros, as on an axis: `0.0012`, `100`. Digits
/// before the point are rounded too: 123456 at three is `123000`.
pub fn format_short(value: f64, digits: usize) -> String {
    let digits = digits.clamp(1, 15);
    let magnitude = value.abs();
    let value = if magnitude.is_finite() && magnitude >= 10f64.powi(digits as i32) {
        let step = 10f64.powi(magnitude.log10().floor() as i32 + 1 - digits as i32);
        (value / step).round() * step
    } else {
        value
    };
    trim_zeros(format_significant(value, digits))
}

/// Removes trailing zeros of the decimals: `2.50` becomes `2.5`.
pub fn trim_zeros(mut number: String) -> String {
    if number.contains('.') && !number.contains('e') {
        let kept = number.trim_end_matches('0').trim_end_matches('.').len();
        number.truncate(kept);
    }
    number
}

/// A number with a fixed count of decimals, for columns; with an exponent from 1e15 on, where decimals mean nothing:
/// `14.400`, `1.00e300`.
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.is_finite() && value.abs() >= 1e15 {
        format!("{value:.2e}")
    } else {
        format!("{value:.decimals$}")
    }
}

/// A fraction as a percentage: `63.8 %`. Two decimals under 1 %; `unknown` if it is not finite.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        "unknown".to_owned()
    } else if share > 0.0 && share < 5e-5 {
        "under 0.01 %".to_owned()
    } else if share.abs() < 0.01 && share != 0.0 {
        format!("{:.2} %", share * 100.0)
    } else {
        format!("{} %", fixed(share * 100.0, 1))
    }
}

/// A relative change as a percentage with its sign and at most one decimal: `+15 %`, `+8.4 %`, `−11.8 %`.
pub fn signed_percent(change: f64) -> String {
    if !change.is_finite() {
        return "unknown".to_owned();
    }
    let number = trim_zeros(fixed(change.abs() * 100.0, 1));
    let sign = if number == "0" {
        ""
    } else if change < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{number} %")
}

/// A fraction as a percentage of at most three significant digits: `63.3 %`, `50 %`; `n/a` for NaN.
pub fn short_percent(share: f64) -> String {
    if share.is_nan() { "n/a".to_owned() } else { format!("{} %", format_short(share * 100.0, 3)) }
}

/// An estimated fraction as a percentage: `91 %`. One decimal under 10 %.
pub fn rounded_percent(share: f64) -> String {
    if share.is_finite() && share >= 0.0995 {
        format!("{} %", fixed(share * 100.0, 0))
    } else {
        percent(share)
    }
}

/// A count with narrow spaces between thousands, from five digits on: `1234`, `12 345`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::with_capacity(2 * digits.len());
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// A count with its noun, an s added in the plural: `1 row`, `2 rows`.
pub fn plural(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// A part of a count, as the subject of a sentence: `1 of 1 GEMM is`, `2 of 5 GEMMs are`.
pub fn some_are(n: u64, of: u64, noun: &str) -> String {
    let verb = if n == 1 { "is" } else { "are" };
    format!("{} of {} {verb}", grouped(n), plural(of, noun))
}

/// `and 12 more`.
pub fn and_more(n: usize) -> String {
    format!("and {} more", grouped(n as u64))
}

/// `a, b or c`; empty for no names.
pub fn either(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [some @ .., last] => format!("{} or {last}", some.join(", ")),
    }
}

/// Error message for a number that should be above zero.
pub(crate) fn above_zero(found: impl Display) -> String {
    format!("expected a number above zero, found {found}")
}

/// Error message for a text that is not one of the known ones.
pub fn expected_one_of(known: &[impl AsRef<str>], text: &str) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    format!("expected one of {}: {text}", known.join(", "))
}

/// Error message for a text that is not a (`whole`) number in this range.
pub fn expected_in(whole: bool, least: impl Display, most: impl Display, text: &str) -> String {
    let kind = if whole { "a whole number" } else { "a number" };
    format!("expected {kind} from {least} to {most}: {text}")
}

/// The text with its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// The text with its first letter in lower case, to continue a sentence. A word with a second capital letter (`GEMM`)
/// keeps its first.
pub fn decapitalized(text: &str) -> String {
    let mut chars = text.chars();
    let (first, second) = (chars.next(), chars.clone().next());
    match (first, second) {
        (Some(a), Some(b)) if b.is_lowercase() || text.starts_with("A ") => {
            a.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        assert_eq!(seconds(99.94, 4), "99.94 s");
        assert_eq!(seconds(999.4, 4), "16.66 min");
        assert_eq!(seconds(4343.0, 4), "72.38 min");
        assert_eq!(seconds(11_160.0, 3), "3.10 h");
        assert_eq!(seconds(f64::INFINITY, 4), "∞ s");
        assert_eq!(seconds_range((2.478e-3, 3.051e-3)), "2.5 to 3.1 ms");
        assert_eq!(seconds_range((565.2e-6, 1.2e-3)), "565 µs to 1.2 ms");
        assert_eq!(seconds_range((0.0, 3e-3)), "up to 3.0 ms");
        assert_eq!(seconds_range((4.4e-6, 164e-6)), "up to 164 µs");
        assert_eq!(seconds_range((3e-3, 3.001e-3)), "3.0 ms");
    }
    use proptest::prelude::*;

    #[test]
    fn numbers_are_written_with_their_digits() {
        for (written, expected) in [
            (format_si(12_345.0, "Hz", 2), "12 kHz"),
            (format_si(428.8, "W", 2), "429 W"),
            (format_significant(999.96, 4), "1000"),
            (format_significant(1e-12, 3), "1.00e-12"),
            (fixed(14.4, 3), "14.400"),
            (fixed(1e300, 3), "1.00e300"),
            (percent(1e300), "1.00e302 %"),
            (format_short(1307.4, 5), "1307.4"),
            (format_short(0.001234, 2), "0.0012"),
            (format_short(123456.0, 3), "123000"),
            (format_short(999.96, 4), "1000"),
            (format_short(9.995, 3), "9.99"),
            (format_short(-0.0, 3), "0"),
            (format_short(100.0, 1), "100"),
            (format_short(1e-20, 3), "1.00e-20"),
            (trim_zeros("2.50".to_owned()), "2.5"),
            (trim_zeros("100".to_owned()), "100"),
        ] {
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn shares_and_counts() {
        for (written, expected) in [
            (percent(0.638), "63.8 %"),
            (percent(0.004_56), "0.46 %"),
            (percent(0.000_049), "under 0.01 %"),
            (percent(0.0), "0.0 %"),
            (percent(f64::NAN), "unknown"),
            (rounded_percent(0.912), "91 %"),
            (rounded_percent(0.0991), "9.9 %"),
            (grouped(1234), "1234"),
            (grouped(1_234_567), "1\u{202f}234\u{202f}567"),
            (plural(1, "row"), "1 row"),
            (plural(0, "row"), "0 rows"),
        ] {
            assert_eq!(written, expected);
        }
    }

    proptest! {
        #[test]
        fn formatting_never_panics(value in proptest::num::f64::ANY, digits in 0usize..20) {
            let _ = format_si(value, "s", digits);
            let _ = format_si_from_one(value, "B", digits);
            let _ = format_iec(value, "B", digits);
            let _ = format_short(value, digits);
            let _ = under_prefix(value, digits, &[]);
            let _ = percent(value);
            let _ = rounded_percent(value);
        }

        #[test]
        fn what_is_written_is_the_value(value in 1e-11f64..1e19) {
            let text = format_si(value, "s", 6);
            let (number, unit) = text.split_once(' ').unwrap();
            let prefix = unit.strip_suffix('s').unwrap();
            let factor = SI.iter().find(|(_, p)| *p == prefix).unwrap().0;
            let read: f64 = number.parse().unwrap();
            prop_assert!((read * factor / value - 1.0).abs() < 1e-5, "{text} for {value}");
        }
    }
}
