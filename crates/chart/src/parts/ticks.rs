//! Ticks of an axis, and number formats.

use crate::scale::{Scale, ScaleKind};
use gemmscope_model::units::{self, Prefix, format_short, format_significant, trim_zeros};

/// One mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    /// Data value.
    pub(crate) value: f64,
    /// Label; `None` for minor ticks.
    pub(crate) label: Option<String>,
}

/// Number format of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Format<'a> {
    /// Unit after the prefix: `FLOP/s`. Empty for plain numbers.
    unit: &'a str,
    /// Prefixes to choose from; none for plain numbers.
    prefixes: &'static [Prefix],
    /// Fractions, written as percentages.
    percent: bool,
}

impl<'a> Format<'a> {
    /// SI prefixes above one, `100 GFLOP/s`; smaller numbers plain, `0.1 FLOP/B`.
    pub(crate) fn si(unit: &'a str) -> Self {
        Format { prefixes: units::SI_FROM_ONE, ..Format::plain(unit) }
    }

    /// Rates in FLOP/s: up to `TFLOP/s`, never `PFLOP/s`, as in datasheets.
    pub(crate) fn rate() -> Format<'static> {
        Format { prefixes: units::SI_OF_RATES, ..Format::plain("FLOP/s") }
    }

    /// SI prefixes above and below one: `20 µs`.
    pub(crate) fn seconds() -> Format<'static> {
        Format { prefixes: &units::SI, ..Format::plain("s") }
    }

    /// The format of a unit: `s`, `FLOP/s`, `%` (for fractions), others with SI prefixes above one; plain numbers
    /// without a unit and for intensities.
    pub(crate) fn of(unit: &'a str) -> Self {
        match unit {
            "s" => Format::seconds(),
            "FLOP/s" => Format::rate(),
            "%" => Format::percent(),
            "" | "FLOP/B" | "FLOP/byte" => Format::plain(unit),
            _ => Format::si(unit),
        }
    }

    /// The same format without the unit, for ticks under a title that states it.
    pub(crate) fn bare(&self) -> Format<'static> {
        Format { unit: if self.percent { "%" } else { "" }, ..*self }
    }

    /// Fractions as percentages: 0.25 is `25 %`.
    pub(crate) fn percent() -> Format<'static> {
        Format { percent: true, ..Format::plain("%") }
    }

    /// Plain numbers with a unit.
    pub(crate) fn plain(unit: &'a str) -> Self {
        Format { unit, prefixes: &[], percent: false }
    }

    /// The number with its unit, in at most `digits` significant digits; `n/a` for NaN.
    pub(crate) fn write(&self, v: f64, digits: usize) -> String {
        self.with(v, digits, format_short)
    }

    /// The format of tooltips: quantities in four significant digits, `9.700 µs`, as in labels and details; percentages
    /// in three; plain numbers without trailing zeros.
    pub(crate) fn figure(&self, v: f64) -> String {
        match self.unit {
            "" => trim_zeros(format_significant(v, 4)),
            "%" => self.with(v, 3, format_significant),
            _ => self.with(v, 4, format_significant),
        }
    }

    fn with(&self, v: f64, digits: usize, number: fn(f64, usize) -> String) -> String {
        if v.is_nan() {
            return "n/a".to_owned();
        }
        let v = if self.percent { v * 100.0 } else { v };
        let (scaled, prefix) = units::under_prefix(v, digits, self.prefixes);
        let number = number(scaled, digits);
        match (prefix, self.unit) {
            (p, "") => format!("{number}{p}"),
            (p, u) => format!("{number} {p}{u}"),
        }
    }
}

/// A rate in FLOP/s, for labels and sentences: `1234 TFLOP/s`.
pub(crate) fn rate_words(v: f64) -> String {
    Format::rate().write(v, 4)
}

/// Ticks of a scale, with at most about `room` labels.
pub(crate) fn ticks(scale: &Scale, room: usize, format: &Format<'_>) -> Vec<Tick> {
    match scale.kind {
        ScaleKind::Linear => linear(scale.domain, room, format),
        ScaleKind::Log => log(scale.domain, room, format),
    }
}

/// Ticks at 1, 2 or 5 times a power of ten, with one level of minor ticks.
pub(crate) fn linear(domain: (f64, f64), room: usize, format: &Format<'_>) -> Vec<Tick> {
    let (a, b) = domain;
    let span = b - a;
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let raw = span / room.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let (factor, parts) = match raw / power {
        r if r <= 1.0 + 1e-9 => (1.0, 5),
        r if r <= 2.0 + 1e-9 => (2.0, 4),
        r if r <= 5.0 + 1e-9 => (5.0, 5),
        _ => (10.0, 5),
    };
    let step = power * factor;
    let minor = step / f64::from(parts);
    if !(minor > 0.0 && span / minor < 10_000.0) {
        return Vec::new();
    }
    let first = (a / minor - 1e-6).ceil();
    let last = (b / minor + 1e-6).floor();
    let count = (last - first).clamp(0.0, 10_000.0) as usize;
    (0..=count)
        .map(|i| {
            let index = first + i as f64;
            let value = index * minor;
            let major = (index / f64::from(parts)).fract().abs() < 1e-9;
            Tick {
                value,
                label: major.then(|| format.write(value, 12.min(digits_for(value, step)))),
            }
        })
        .filter(|t| t.value.is_finite())
        .collect()
}

fn digits_for(value: f64, step: f64) -> usize {
    if value == 0.0 {
        return 1;
    }
    ((value.abs() / step).log10().floor() + 2.0).clamp(1.0, 12.0) as usize
}

/// Ticks at decades. Labels also at 2 and 5 if under about two decades are shown, at every tick within one, and at
/// equal steps below a factor of three. If room is short, every second, third, … decade is labelled.
pub(crate) fn log(domain: (f64, f64), room: usize, format: &Format<'_>) -> Vec<Tick> {
    let (a, b) = domain;
    if !(a > 0.0 && b > a && b.is_finite()) {
        return Vec::new();
    }
    let decades = (b / a).log10();
    if decades < 0.48 {
        return linear(domain, room, format);
    }
    let room = room.max(1);
    let (lo, hi) = (a.log10().floor() as i32, b.log10().ceil() as i32);
    let every = ((decades / room as f64).ceil() as i32).max(1);
    // The ticks of a set of mantissas: mantissa, exponent, value.
    let marks = |set: &[f64]| -> Vec<(f64, i32, f64)> {
        let all = (lo..=hi).flat_map(|e| set.iter().map(move |&m| (m, e, m * 10f64.powi(e))));
        all.filter(|mark| inside(mark.2, domain)).collect()
    };
    let would = |set: &[f64]| marks(set).len();
    let fits = |set: &[f64]| (3..=room).contains(&would(set));
    const ALL: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    // All mantissas only within one decade: across decades their spacing would jump.
    let one_decade = hi - lo <= 1;
    let labelled: &[f64] = if every > 1 || decades > 3.2 {
        &[1.0]
    } else if one_decade && fits(&ALL) {
        &ALL
    } else if fits(&[1.0, 2.0, 5.0]) {
        &[1.0, 2.0, 5.0]
    } else if decades < 1.2 && fits(&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0]) {
        &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0]
    } else if would(&[1.0]) >= 2 {
        &[1.0]
    } else if would(&[1.0, 2.0, 5.0]) >= 2 {
        &[1.0, 2.0, 5.0]
    } else {
        &ALL
    };
    let minor = every == 1 && decades < 8.0;
    let mut mantissas: Vec<f64> = match minor {
        true => ALL.to_vec(),
        false => Vec::new(),
    };
    mantissas.extend(labelled);
    mantissas.sort_by(f64::total_cmp);
    mantissas.dedup();
    let tick = |(m, e, value): (f64, i32, f64)| {
        let label = labelled.contains(&m) && (m > 1.0 || e.rem_euclid(every) == 0);
        Tick { value, label: label.then(|| format.write(value, 6)) }
    };
    marks(&mantissas).into_iter().map(tick).collect()
}

fn inside(v: f64, (a, b): (f64, f64)) -> bool {
    v >= a * (1.0 - 1e-9) && v <= b * (1.0 + 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(t: &[Tick]) -> Vec<String> {
        t.iter().filter_map(|t| t.label.clone()).collect()
    }

    #[test]
    fn rates_and_intensities_are_written_with_si_prefixes() {
        let f = Format::si("FLOP/s");
        assert_eq!(f.write(1e11, 4), "100 GFLOP/s");
        assert_eq!(f.write(1e12, 4), "1 TFLOP/s");
        assert_eq!(f.write(1.3074e15, 5), "1.3074 PFLOP/s");
        assert_eq!(Format::rate().write(1.3074e15, 5), "1307.4 TFLOP/s");
        assert_eq!(f.write(999.96e9, 4), "1 TFLOP/s");
        assert_eq!(Format::si("FLOP/B").write(0.1, 4), "0.1 FLOP/B");
        assert_eq!(Format::seconds().write(2.5e-5, 4), "25 µs");
        assert_eq!(Format::percent().write(0.633, 3), "63.3 %");
        assert_eq!(Format::plain("").write(f64::NAN, 3), "n/a");
    }

    #[test]
    fn log_ticks() {
        let f = Format::si("");
        assert_eq!(labels(&log((1.0, 1e4), 8, &f)), ["1", "10", "100", "1k", "10k"]);
        assert_eq!(labels(&log((1.0, 100.0), 8, &f)), ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!(labels(&log((0.1, 1e9), 4, &f)).len(), 4);
        // Cases that plotters gets wrong: 2..8 has no label there, 30..1200 a duplicate.
        assert_eq!(labels(&log((2.0, 8.0), 8, &f)), ["2", "3", "4", "5", "6", "7", "8"]);
        let l = labels(&log((30.0, 1200.0), 8, &f));
        assert_eq!(l, ["50", "100", "200", "500", "1k"]);
        // No 60, 70, 80, 90 beside 200.
        assert_eq!(labels(&log((60.0, 220.0), 8, &f)), ["70", "100", "150", "200"]);
        assert!(labels(&log((101.0, 104.0), 4, &f)).len() >= 2);
    }

    #[test]
    fn linear_ticks() {
        let f = Format::plain("");
        assert_eq!(labels(&linear((0.0, 1.0), 5, &f)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(&linear((0.0, 97.0), 4, &f)), ["0", "50"]);
        assert_eq!(labels(&linear((0.0, 1.0), 4, &Format::percent())), ["0 %", "50 %", "100 %"]);
    }

    proptest! {
        #[test]
        fn ticks_are_inside_sorted_distinct_and_bounded(a in -30.0..30.0f64, w in 0.001..30.0f64, room in 1usize..12) {
            let f = Format::si("FLOP/s");
            let domain = (10f64.powf(a), 10f64.powf(a + w));
            for t in [log(domain, room, &f), linear(domain, room, &f)] {
                prop_assert!(t.len() < 400, "{}", t.len());
                for p in t.windows(2) {
                    prop_assert!(p[0].value < p[1].value);
                }
                let span = domain.1 - domain.0;
                for t in &t {
                    prop_assert!(t.value >= domain.0 - span * 1e-6 && t.value <= domain.1 + span * 1e-6);
                }
                let labels = labels(&t);
                prop_assert!(labels.len() <= 2 * room + 9);
            }
        }
    }
}
