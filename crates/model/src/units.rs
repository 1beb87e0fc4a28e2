//! Physical quantities in SI base units, their formatting, and parsing of units in files.
//!
//! ```
//! use gemmscope_model::units::{Bytes, Flops, Seconds};
//! let rate = Flops(51.581_550_592e9) / Seconds(110.589e-6);
//! assert_eq!(rate.to_string(), "466.4 TFLOP/s");
//! assert_eq!(Bytes(74_457_088.0).to_string(), "74.5 MB");
//! assert_eq!(Bytes(74_457_088.0).to_iec(), "71.0 MiB");
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Div, Mul, Sub};

mod date;
mod format;
mod parse;

pub use date::{date, instant};
pub(crate) use format::above_zero;
pub use format::{
    Prefix, SI, SI_FROM_ONE, SI_OF_RATES, WIDE, and_more, capitalized, decapitalized, either,
    expected_in, expected_one_of, fixed, format_short, format_significant, grouped, percent,
    plural, rounded_percent, seconds_brief, seconds_range, short_percent, signed_percent, some_are,
    trim_zeros, under_prefix,
};
use format::{format_iec, format_si_from_one, seconds, with_prefix};
pub use parse::{BandwidthUnit, RateUnit, TimeUnit};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $write:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub f64);

        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
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
    Seconds, |v| seconds(v, 4));
quantity!(/// Rate of work in FLOP/s; written up to `TFLOP/s`, as data sheets do, never `PFLOP/s`.
    FlopsPerSec, |v| with_prefix(v, "FLOP/s", 4, SI_OF_RATES));
impl FlopsPerSec {
    /// Formatted with the digits of a datasheet, at most five: `1307.4 TFLOP/s`. With fewer, the ridge computed from
    /// the text would differ: at 5.3 TB/s it is 246.7 FLOP/B for 1307.4.
    pub fn peak(self) -> String {
        let text = with_prefix(self.0, "FLOP/s", 5, SI_OF_RATES);
        match text.split_once(' ') {
            Some((number, unit)) => format!("{} {unit}", trim_zeros(number.to_owned())),
            None => text,
        }
    }
}

quantity!(/// Bandwidth in byte/s.
    BytesPerSec, |v| format_si_from_one(v, "B/s", 3));
quantity!(/// Arithmetic intensity in FLOP per byte.
    Intensity, |v| format!("{} FLOP/B", format_significant(v, 4)));

macro_rules! ratio {
    ($left:ident / $right:ident = $out:ident) => {
        impl Div<$right> for $left {
            type Output = $out;
            fn div(self, other: $right) -> $out {
                $out(self.0 / other.0)
            }
        }
    };
}

ratio!(Flops / Seconds = FlopsPerSec);
ratio!(Flops / FlopsPerSec = Seconds);
ratio!(Flops / Bytes = Intensity);
ratio!(Bytes / Seconds = BytesPerSec);
ratio!(Bytes / BytesPerSec = Seconds);
ratio!(FlopsPerSec / BytesPerSec = Intensity);

impl Mul<BytesPerSec> for Intensity {
    type Output = FlopsPerSec;
    fn mul(self, bandwidth: BytesPerSec) -> FlopsPerSec {
        FlopsPerSec(self.0 * bandwidth.0)
    }
}

impl Bytes {
    /// The same amount in binary units, three significant digits: `71.0 MiB`.
    pub fn to_iec(self) -> String {
        format_iec(self.0, "B", 3)
    }
}

/// The larger value; `a` if `b` is NaN. Faster than `f64::max`, which is a call in wasm.
#[inline]
pub fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// The smaller value; `a` if `b` is NaN. See [`larger`].
#[inline]
pub fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_written_with_sensible_digits() {
        let cases = [
            (FlopsPerSec(428.8267e12).to_string(), "428.8 TFLOP/s"),
            (FlopsPerSec(1307.4e12).to_string(), "1307 TFLOP/s"),
            (FlopsPerSec(1307.4e12).peak(), "1307.4 TFLOP/s"),
            (FlopsPerSec(19.5e12).peak(), "19.5 TFLOP/s"),
            (FlopsPerSec(312e12).peak(), "312 TFLOP/s"),
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
        assert_eq!([Flops(1.0), Flops(2.0)].into_iter().sum::<Flops>(), Flops(3.0));
        assert_eq!(Seconds(3.0) / Seconds(2.0), 1.5);
        assert_eq!(Seconds(3.0) - Seconds(1.0) + Seconds(0.5), Seconds(2.5));
        assert_eq!(work / FlopsPerSec(2e12), Seconds(4096f64.powi(3) / 1e12));
        assert_eq!(FlopsPerSec(6.0) / BytesPerSec(2.0) * BytesPerSec(3.0), FlopsPerSec(9.0));
    }
}
