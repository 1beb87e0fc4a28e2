//! A meaning with the unit of a file's numbers, and the text form of both in mappings and links.

use super::{ColumnGroup, ColumnMeaning};
use ColumnMeaning::*;
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use std::fmt;
use std::str::FromStr;

/// Unit of a file's column, for meanings that allow several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnUnit {
    /// Unit of a time.
    Time(TimeUnit),
    /// Unit of a rate; for work only its prefix applies, without "per second".
    Rate(RateUnit),
    /// Unit of a bandwidth.
    Bandwidth(BandwidthUnit),
}

impl ColumnUnit {
    fn parse(meaning: ColumnMeaning, text: &str) -> Option<ColumnUnit> {
        match meaning.units().first()? {
            ColumnUnit::Time(_) => TimeUnit::parse(text).map(ColumnUnit::Time),
            ColumnUnit::Rate(_) => RateUnit::parse(text).map(ColumnUnit::Rate),
            ColumnUnit::Bandwidth(_) => BandwidthUnit::parse(text).map(ColumnUnit::Bandwidth),
        }
    }

    fn label(self) -> &'static str {
        match self {
            ColumnUnit::Time(u) => u.label(),
            ColumnUnit::Rate(u) => u.label(),
            ColumnUnit::Bandwidth(u) => u.label(),
        }
    }
}

impl fmt::Display for ColumnUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.label().to_lowercase();
        f.write_str(&match self {
            ColumnUnit::Time(_) => label.replace('µ', "u"),
            ColumnUnit::Rate(_) => label.replace("op/s", "ops"),
            ColumnUnit::Bandwidth(_) => label,
        })
    }
}

/// A meaning and, for times, rates and bandwidths, the unit of the file's numbers. Without a unit the reader infers it
/// from the values and records that as an assumption.
///
/// Its text form is used by saved mappings, links and `--column`.
///
/// ```
/// use gemmscope_table::dataset::{ColumnMeaning, ColumnSpec};
///
/// let spec: ColumnSpec = "time:us".parse().unwrap();
/// assert_eq!(spec.meaning, ColumnMeaning::Time);
/// assert_eq!(spec.label(), "time in µs");
/// assert_eq!(spec.to_string(), "time:us");
/// assert!("kernel:us".parse::<ColumnSpec>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnSpec {
    /// Meaning of the column.
    pub meaning: ColumnMeaning,
    /// Unit of its numbers, if the file or the user stated it.
    pub unit: Option<ColumnUnit>,
}

impl ColumnSpec {
    /// A time with this meaning in `unit`.
    pub const fn time(meaning: ColumnMeaning, unit: Option<TimeUnit>) -> Self {
        let unit = match unit {
            Some(u) => Some(ColumnUnit::Time(u)),
            None => None,
        };
        ColumnSpec { meaning, unit }
    }

    /// A rate, or work, in `unit`.
    pub const fn rate(meaning: ColumnMeaning, unit: Option<RateUnit>) -> Self {
        let unit = match unit {
            Some(u) => Some(ColumnUnit::Rate(u)),
            None => None,
        };
        ColumnSpec { meaning, unit }
    }

    /// A bandwidth in `unit`.
    pub fn bandwidth(unit: Option<BandwidthUnit>) -> Self {
        ColumnSpec { meaning: ReportedBandwidth, unit: unit.map(ColumnUnit::Bandwidth) }
    }

    /// The unit if it is a unit of time.
    pub fn time_unit(self) -> Option<TimeUnit> {
        match self.unit {
            Some(ColumnUnit::Time(u)) => Some(u),
            _ => None,
        }
    }

    /// The unit if it is a unit of rate or work.
    pub fn rate_unit(self) -> Option<RateUnit> {
        match self.unit {
            Some(ColumnUnit::Rate(u)) => Some(u),
            _ => None,
        }
    }

    /// The unit if it is a unit of bandwidth.
    pub fn bandwidth_unit(self) -> Option<BandwidthUnit> {
        match self.unit {
            Some(ColumnUnit::Bandwidth(u)) => Some(u),
            _ => None,
        }
    }

    /// Every choice of the mapping form, by group.
    pub fn grouped() -> Vec<(ColumnGroup, Vec<ColumnSpec>)> {
        let all = || {
            let row = ColumnMeaning::OF_ROW.iter();
            row.chain(ColumnMeaning::OF_DATASET).chain([&Other])
        };
        let specs = |meaning: ColumnMeaning| match meaning.units().as_slice() {
            [] => vec![meaning.into()],
            units => {
                let units = units.iter().copied().map(Some);
                units.map(|unit| ColumnSpec { meaning, unit }).collect()
            }
        };
        let of = |group: ColumnGroup| {
            let mut meanings: Vec<ColumnMeaning> =
                all().copied().filter(|m| m.group() == group).collect();
            // The most common meanings first.
            meanings.sort_by_key(|m| match m {
                Time | Other => 0,
                ReportedRate | Ignore => 1,
                _ => 2,
            });
            (group, meanings.into_iter().flat_map(specs).collect())
        };
        ColumnGroup::ALL.map(of).into()
    }

    /// Name for people: `time in µs`, `M`, `data type of A`.
    pub fn label(self) -> String {
        let what = self.meaning.label();
        match self.unit {
            Some(u) if self.meaning == ReportedWork => {
                format!("{what} in {}", u.label().trim_end_matches("/s"))
            }
            Some(u) => format!("{what} in {}", u.label()),
            None if self.meaning.units().is_empty() => what,
            None => format!("{what} (unit from the values)"),
        }
    }
}

impl From<ColumnMeaning> for ColumnSpec {
    fn from(meaning: ColumnMeaning) -> Self {
        ColumnSpec { meaning, unit: None }
    }
}

impl fmt::Display for ColumnSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.meaning.short())?;
        match self.unit {
            Some(u) => write!(f, ":{u}"),
            None => Ok(()),
        }
    }
}

/// Error: the text is not a column meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMeaning(pub String);

impl fmt::Display for UnknownMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected a column meaning such as m, n, k, time:us, rate:tflops, dtype or ignore: \
             {}",
            self.0
        )
    }
}

impl std::error::Error for UnknownMeaning {}

impl FromStr for ColumnSpec {
    type Err = UnknownMeaning;

    fn from_str(text: &str) -> Result<Self, UnknownMeaning> {
        let unknown = || UnknownMeaning(text.to_owned());
        let lower = text.trim().to_lowercase();
        let (name, unit) = match lower.split_once(':') {
            Some((name, unit)) => (name.trim(), Some(unit.trim())),
            None => (lower.as_str(), None),
        };
        let meaning = ColumnMeaning::parse(name).ok_or_else(unknown)?;
        let unit = unit.map(|u| ColumnUnit::parse(meaning, u).ok_or_else(unknown)).transpose()?;
        Ok(ColumnSpec { meaning, unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_survives_its_text() {
        let groups = ColumnSpec::grouped();
        assert!(groups.iter().all(|(_, specs)| !specs.is_empty()));
        let all: Vec<ColumnSpec> = groups.into_iter().flat_map(|(_, specs)| specs).collect();
        assert_eq!(all.len(), 89);
        for spec in all {
            assert_eq!(spec.to_string().parse(), Ok(spec), "{spec}");
            let bare = ColumnSpec::from(spec.meaning);
            assert_eq!(bare.to_string().parse(), Ok(bare), "{spec}");
            assert!(!spec.label().is_empty());
        }
        for (text, spec) in [
            ("Time:US", ColumnSpec::time(Time, Some(TimeUnit::Microseconds))),
            ("rate:tflops", ColumnSpec::rate(ReportedRate, Some(RateUnit::TeraFlops))),
            ("work:gflops", ColumnSpec::rate(ReportedWork, Some(RateUnit::GigaFlops))),
            ("bandwidth:gb/s", ColumnSpec::bandwidth(Some(BandwidthUnit::Gigabytes))),
            ("extra", Other.into()),
            ("kernel", Kernel.into()),
            ("ignore", Ignore.into()),
        ] {
            assert_eq!(text.parse(), Ok(spec), "{text}");
        }
        for text in ["", "time:parsec", "m:us", "speed"] {
            assert!(text.parse::<ColumnSpec>().is_err(), "{text}");
        }
    }
}
