//! Reads the units that benchmark files use.

use serde::{Deserialize, Serialize};

crate::named! {
/// The unit of a column of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Second.
    Seconds = 1.0, "s";
    /// Millisecond.
    Milliseconds = 1e-3, "ms";
    /// Microsecond.
    Microseconds = 1e-6, "µs";
    /// Nanosecond.
    Nanoseconds = 1e-9, "ns";
}
/// Every unit, largest first.
pub const ALL;
/// Seconds per unit.
pub fn to_si -> f64;
/// Symbol on the page: `µs`.
pub fn label -> &'static str;
}

impl TimeUnit {
    /// Parses a text that is a unit and nothing else: `us`, `msec`, `(sec)`. Accepts the micro sign and the Greek mu,
    /// and ignores case.
    ///
    /// ```
    /// use gemmscope_model::units::TimeUnit;
    /// assert_eq!(TimeUnit::parse("usec"), Some(TimeUnit::Microseconds));
    /// assert_eq!(TimeUnit::parse("furlong"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        Some(match bare(text).as_str() {
            "s" | "sec" | "secs" | "second" | "seconds" => Self::Seconds,
            "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => Self::Milliseconds,
            "us" | "µs" | "usec" | "usecs" | "µsec" | "microsecond" | "microseconds" => {
                Self::Microseconds
            }
            "ns" | "nsec" | "nsecs" | "nanosecond" | "nanoseconds" => Self::Nanoseconds,
            _ => return None,
        })
    }
}

crate::named! {
/// The unit of a column of compute rates. FLOP and integer operations count the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateUnit {
    /// FLOP/s.
    Flops = 1.0, "FLOP/s";
    /// 1e3 FLOP/s.
    KiloFlops = 1e3, "kFLOP/s";
    /// 1e6 FLOP/s.
    MegaFlops = 1e6, "MFLOP/s";
    /// 1e9 FLOP/s.
    GigaFlops = 1e9, "GFLOP/s";
    /// 1e12 FLOP/s.
    TeraFlops = 1e12, "TFLOP/s";
    /// 1e15 FLOP/s.
    PetaFlops = 1e15, "PFLOP/s";
}
/// Every unit, smallest first.
pub const ALL;
/// FLOP/s per unit.
pub fn to_si -> f64;
/// Symbol on the page: `TFLOP/s`.
pub fn label -> &'static str;
}

impl RateUnit {
    /// Parses a text that is a unit: `TFLOPS`, `Gflops`, `TFLOPS/s`, `TERAFLOPS`, `tops`.
    ///
    /// A bare `GFLOP` is an amount of work and not a rate: `None`.
    ///
    /// ```
    /// use gemmscope_model::units::RateUnit;
    /// assert_eq!(RateUnit::parse("TFLOPS/s"), Some(RateUnit::TeraFlops));
    /// assert_eq!(RateUnit::parse("GFLOP"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let text = bare(text);
        let (prefix, rest) = [
            ("tera", Self::TeraFlops),
            ("giga", Self::GigaFlops),
            ("mega", Self::MegaFlops),
            ("kilo", Self::KiloFlops),
            ("peta", Self::PetaFlops),
            ("t", Self::TeraFlops),
            ("g", Self::GigaFlops),
            ("m", Self::MegaFlops),
            ("k", Self::KiloFlops),
            ("p", Self::PetaFlops),
            ("", Self::Flops),
        ]
        .into_iter()
        .find_map(|(prefix, unit)| {
            let rest = text.strip_prefix(prefix)?;
            (rest.starts_with("flop") || rest.starts_with("op")).then_some((unit, rest))
        })?;
        let rest = rest.strip_prefix("fl").unwrap_or(rest);
        matches!(rest, "ops" | "op/s" | "ops/s" | "op/sec" | "ops/sec" | "opps" | "ops/second")
            .then_some(prefix)
    }
}

crate::named! {
/// The unit of a column of bandwidths. Decimal and binary units are distinct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BandwidthUnit {
    /// B/s.
    #[serde(rename = "B/s")]
    Bytes = 1.0, "B/s";
    /// 1e3 B/s.
    #[serde(rename = "kB/s")]
    Kilobytes = 1e3, "kB/s";
    /// 1e6 B/s.
    #[serde(rename = "MB/s")]
    Megabytes = 1e6, "MB/s";
    /// 1e9 B/s.
    #[serde(rename = "GB/s")]
    Gigabytes = 1e9, "GB/s";
    /// 1e12 B/s.
    #[serde(rename = "TB/s")]
    Terabytes = 1e12, "TB/s";
    /// 2^10 B/s.
    #[serde(rename = "KiB/s")]
    Kibibytes = 1024.0, "KiB/s";
    /// 2^20 B/s.
    #[serde(rename = "MiB/s")]
    Mebibytes = 1048576.0, "MiB/s";
    /// 2^30 B/s.
    #[serde(rename = "GiB/s")]
    Gibibytes = 1073741824.0, "GiB/s";
    /// 2^40 B/s.
    #[serde(rename = "TiB/s")]
    Tebibytes = 1099511627776.0, "TiB/s";
}
/// Every unit, decimal before binary, smallest first.
pub const ALL;
/// B/s per unit.
pub fn to_si -> f64;
/// Symbol on the page: `GiB/s`.
pub fn label -> &'static str;
}

impl BandwidthUnit {
    /// Parses a text that is a unit: `GB/s`, `GiB/s`, `TB/s`, `bytes/sec`, `tb_per_sec`.
    ///
    /// The spelling decides between decimal and binary units; importers correct producers that write GB/s over binary
    /// numbers. `gbps` means bytes, as in benchmark files.
    pub fn parse(text: &str) -> Option<Self> {
        let text = bare(text).replace("_per_", "/").replace(" per ", "/");
        let amount = match text.split_once('/') {
            Some((amount, "s" | "sec" | "second")) => amount,
            Some(_) => return None,
            None => text.strip_suffix("ps").or_else(|| {
                // CLBlast writes `GBs`; a bare `bs` is not a unit, and `bytes` is an amount.
                let rest = text.strip_suffix('s');
                rest.filter(|rest| rest.len() >= 2 && *rest != "byte")
            })?,
        };
        Some(match amount.trim() {
            "b" | "byte" | "bytes" => Self::Bytes,
            "kb" => Self::Kilobytes,
            "mb" => Self::Megabytes,
            "gb" => Self::Gigabytes,
            "tb" => Self::Terabytes,
            "kib" => Self::Kibibytes,
            "mib" => Self::Mebibytes,
            "gib" => Self::Gibibytes,
            "tib" => Self::Tebibytes,
            _ => return None,
        })
    }
}

/// Lower case, one spelling of micro, no surrounding spaces or brackets.
fn bare(text: &str) -> String {
    let text = text.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']).trim();
    // U+03BC is the Greek letter, U+00B5 the micro sign; lower-casing U+039C gives the former.
    text.to_lowercase().replace('\u{3bc}', "\u{b5}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_in_every_spelling() {
        use TimeUnit::*;
        for (text, unit) in [
            ("s", Seconds),
            ("sec", Seconds),
            ("ms", Milliseconds),
            ("msec", Milliseconds),
            ("(msec)", Milliseconds),
            ("us", Microseconds),
            ("\u{b5}s", Microseconds),
            ("\u{3bc}s", Microseconds),
            ("usec", Microseconds),
            ("microseconds", Microseconds),
            (" NS ", Nanoseconds),
        ] {
            assert_eq!(TimeUnit::parse(text), Some(unit), "{text}");
        }
    }

    #[test]
    fn rates_in_every_spelling() {
        use RateUnit::*;
        for (text, unit) in [
            ("FLOP/s", Flops),
            ("KFLOPS", KiloFlops),
            ("MFLOPS", MegaFlops),
            ("GFLOPS", GigaFlops),
            ("GFLOP/s", GigaFlops),
            ("Gflops", GigaFlops),
            ("GFlop/sec", GigaFlops),
            ("TFLOPS", TeraFlops),
            ("TFLOPs", TeraFlops),
            ("TFLOPS/s", TeraFlops),
            ("TERAFLOPS", TeraFlops),
            ("PFLOPS", PetaFlops),
            ("gops", GigaFlops),
            ("tops", TeraFlops),
        ] {
            assert_eq!(RateUnit::parse(text), Some(unit), "{text}");
        }
        for text in ["GFLOP", "GB/s", "FLOPS/Byte", "shops", "", "op"] {
            assert_eq!(RateUnit::parse(text), None, "{text}");
        }
    }

    #[test]
    fn bandwidths_in_every_spelling() {
        use BandwidthUnit::*;
        for (text, unit) in [
            ("GB/s", Gigabytes),
            ("GiB/s", Gibibytes),
            ("TB/s", Terabytes),
            ("MB/s", Megabytes),
            ("B/s", Bytes),
            ("bytes/sec", Bytes),
            ("tb_per_sec", Terabytes),
            ("GBs", Gigabytes),
            ("gbps", Gigabytes),
        ] {
            assert_eq!(BandwidthUnit::parse(text), Some(unit), "{text}");
        }
        for text in ["GB", "bs", "FLOPS/Byte", "us", "bytes/clk", ""] {
            assert_eq!(BandwidthUnit::parse(text), None, "{text}");
        }
    }

    #[test]
    fn every_label_is_read_back() {
        for unit in TimeUnit::ALL {
            assert_eq!(TimeUnit::parse(unit.label()), Some(unit));
        }
        for unit in RateUnit::ALL {
            assert_eq!(RateUnit::parse(unit.label()), Some(unit));
        }
        for unit in BandwidthUnit::ALL {
            assert_eq!(BandwidthUnit::parse(unit.label()), Some(unit));
            let json = serde_json::to_string(&unit).unwrap();
            assert_eq!(serde_json::from_str::<BandwidthUnit>(&json).unwrap(), unit);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = TimeUnit::parse(&text);
            let _ = RateUnit::parse(&text);
            let _ = BandwidthUnit::parse(&text);
        }
    }
}
