//! Physical quantities in SI base units, how they are written and how files spell their units.
//!
//! ```
//! use gemmscope::units::{Bytes, Flops, Seconds};
//! let rate = Flops(51.581_550_592e9) / Seconds(110.589e-6);
//! assert_eq!(rate.to_string(), "466.4 TFLOP/s");
//! assert_eq!(Bytes(74_457_088.0).to_string(), "74.5 MB");
//! assert_eq!(Bytes(74_457_088.0).to_iec(), "71.0 MiB");
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

mod parse;

pub use parse::{BandwidthUnit, RateUnit, TimeUnit};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $write:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub f64);

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }

        /// The ratio of two like quantities has no unit.
        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
                Self(values.map(|value| value.0).sum())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let write: fn(f64) -> String = $write;
                f.pad(&write(self.0))
            }
        }
    };
}

quantity!(/// Work in floating-point (or integer) operations; a multiply-add counts two.
    Flops, |v| format_si_from_one(v, "FLOP", 4));
quantity!(/// Memory traffic in bytes.
    Bytes, |v| format_si_from_one(v, "B", 3));
quantity!(/// Time in seconds.
    Seconds, |v| format_si(v, "s", 4));
quantity!(/// Rate of work in FLOP/s; written up to `TFLOP/s`, as data sheets do, never `PFLOP/s`.
    FlopsPerSec, |v| format_scaled(v, "FLOP/s", 4, &SI[4..9]));
quantity!(/// Bandwidth in byte/s.
    BytesPerSec, |v| format_si_from_one(v, "B/s", 3));
quantity!(/// Arithmetic intensity in FLOP per byte.
    Intensity, |v| format!("{} FLOP/B", format_significant(v, 4)));

macro_rules! ratio {
    ($left:ident $op:ident $method:ident $right:ident = $out:ident, $apply:expr) => {
        impl $op<$right> for $left {
            type Output = $out;
            fn $method(self, other: $right) -> $out {
                let apply: fn(f64, f64) -> f64 = $apply;
                $out(apply(self.0, other.0))
            }
        }
    };
}

ratio!(Flops Div div Seconds = FlopsPerSec, |a, b| a / b);
ratio!(Flops Div div Bytes = Intensity, |a, b| a / b);
ratio!(Flops Div div FlopsPerSec = Seconds, |a, b| a / b);
ratio!(Bytes Div div Seconds = BytesPerSec, |a, b| a / b);
ratio!(Bytes Div div BytesPerSec = Seconds, |a, b| a / b);
ratio!(FlopsPerSec Div div BytesPerSec = Intensity, |a, b| a / b);
ratio!(Intensity Mul mul BytesPerSec = FlopsPerSec, |a, b| a * b);
ratio!(FlopsPerSec Mul mul Seconds = Flops, |a, b| a * b);
ratio!(BytesPerSec Mul mul Seconds = Bytes, |a, b| a * b);

impl Bytes {
    /// The same amount in binary units, three significant digits: `71.0 MiB`.
    pub fn to_iec(self) -> String {
        format_iec(self.0, "B", 3)
    }
}

impl BytesPerSec {
    /// The same bandwidth in binary units, three significant digits: `4.82 TiB/s`.
    pub fn to_iec(self) -> String {
        format_iec(self.0, "B/s", 3)
    }
}

const SI: [(f64, &str); 11] = [
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

const IEC: [(f64, &str); 7] = [
    (1.0, ""),
    (1024.0, "Ki"),
    (1048576.0, "Mi"),
    (1073741824.0, "Gi"),
    (1099511627776.0, "Ti"),
    (1125899906842624.0, "Pi"),
    (1152921504606846976.0, "Ei"),
];

/// The larger one; `a` where `b` is NaN. In wasm `f64::max` is a call, which loops over a million
/// rows feel.
#[inline]
pub fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// The smaller one; `a` where `b` is NaN. See [`larger`].
#[inline]
pub fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// A value with its SI prefix and `digits` significant digits: `format_si(110.589e-6, "s", 4)`
/// is `110.6 µs`. Zero is `0 s`; infinities and NaN say so.
pub fn format_si(value: f64, unit: &str, digits: usize) -> String {
    format_scaled(value, unit, digits, &SI)
}

/// As [`format_si`] for things that are counted, which have no milli or micro: `0.5 FLOP`.
pub fn format_si_from_one(value: f64, unit: &str, digits: usize) -> String {
    format_scaled(value, unit, digits, &SI[4..])
}

/// A value with its binary (IEC) prefix: `format_iec(74457088.0, "B", 3)` is `71.0 MiB`.
pub fn format_iec(value: f64, unit: &str, digits: usize) -> String {
    format_scaled(value, unit, digits, &IEC)
}

/// A plain number with `digits` significant digits and no exponent in the usual range:
/// `1365`, `692.8`, `0.02600`. Digits before the point are never rounded away.
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
    let exponent: i32 = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    if !(-7..=17).contains(&exponent) {
        return scientific;
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

fn format_scaled(value: f64, unit: &str, digits: usize, prefixes: &[(f64, &str)]) -> String {
    if !value.is_finite() || value == 0.0 {
        return format!("{} {unit}", format_significant(value, digits));
    }
    let magnitude = value.abs();
    let mut chosen = 0;
    for (index, (factor, _)) in prefixes.iter().enumerate() {
        if magnitude >= *factor {
            chosen = index;
        }
    }
    // Rounding may reach the next prefix: 999.97 kB at three digits is 1.00 MB.
    let mut text = format_significant(value / prefixes[chosen].0, digits);
    if let Some((next, _)) = prefixes.get(chosen + 1) {
        let step = next / prefixes[chosen].0;
        if text.parse::<f64>().is_ok_and(|shown| shown.abs() >= step) {
            chosen += 1;
            text = format_significant(value / next, digits);
        }
    }
    format!("{text} {}{unit}", prefixes[chosen].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_are_written_with_sensible_digits() {
        let cases = [
            (FlopsPerSec(428.8267e12).to_string(), "428.8 TFLOP/s"),
            (FlopsPerSec(1307.4e12).to_string(), "1307 TFLOP/s"),
            (BytesPerSec(5.3e12).to_string(), "5.30 TB/s"),
            (Seconds(110.589e-6).to_string(), "110.6 µs"),
            (Seconds(0.690e-3).to_string(), "690.0 µs"),
            (Seconds(2.5).to_string(), "2.500 s"),
            (Flops(51.581_550_592e9).to_string(), "51.58 GFLOP"),
            (Bytes(74_457_088.0).to_iec(), "71.0 MiB"),
            (Bytes(74_457_088.0).to_string(), "74.5 MB"),
            (Intensity(1365.333).to_string(), "1365 FLOP/B"),
            (Intensity(0.9998).to_string(), "0.9998 FLOP/B"),
            (BytesPerSec(999.97e9).to_string(), "1.00 TB/s"),
            (Bytes(0.0).to_string(), "0 B"),
            (Flops(0.5).to_string(), "0.5000 FLOP"),
            (FlopsPerSec(f64::NAN).to_string(), "NaN FLOP/s"),
            (FlopsPerSec(f64::INFINITY).to_string(), "∞ FLOP/s"),
            (Seconds(-2e-3).to_string(), "-2.000 ms"),
            (Bytes(1023.99).to_iec(), "1.00 KiB"),
            (format_si(12_345.0, "Hz", 2), "12 kHz"),
            (format_si(428.8, "W", 2), "429 W"),
            (format_significant(999.96, 4), "1000"),
            (format_significant(1e-12, 3), "1.00e-12"),
        ];
        for (written, expected) in cases {
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn arithmetic_keeps_units() {
        // 4096^3 fp16 in 0.690 ms: 199.2 TFLOP/s and 145.9 GB/s.
        let work = Flops(2.0 * 4096f64.powi(3));
        let bytes = Bytes(3.0 * 4096.0 * 4096.0 * 2.0);
        let time = Seconds(0.690e-3);
        assert_eq!((work / time).to_string(), "199.2 TFLOP/s");
        assert_eq!((bytes / time).to_string(), "146 GB/s");
        assert!(((work / bytes).0 - 1365.333).abs() < 1e-3);
        let ridge = FlopsPerSec(1307e12) / BytesPerSec(5.3e12);
        assert!((ridge.0 - 246.60).abs() < 0.005);
        assert_eq!(
            [Flops(1.0), Flops(2.0)].into_iter().sum::<Flops>(),
            Flops(3.0)
        );
        assert_eq!(Seconds(3.0) / Seconds(2.0), 1.5);
    }

    proptest! {
        #[test]
        fn formatting_never_panics(value in proptest::num::f64::ANY, digits in 0usize..20) {
            let _ = format_si(value, "s", digits);
            let _ = format_si_from_one(value, "B", digits);
            let _ = format_iec(value, "B", digits);
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
