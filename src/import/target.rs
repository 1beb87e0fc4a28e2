//! What a column of a table can hold, as code and as the text of the mapping form.

use crate::dataset::Role;
use crate::units::{BandwidthUnit, RateUnit, TimeUnit};
use std::fmt;
use std::str::FromStr;

/// What a column holds. Its text form (`m`, `time:us`, `rate:tflops`, `kernel`, `ignore`) is
/// what [`ImportOptions::columns`](super::ImportOptions::columns) carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Left out on purpose.
    Ignore,
    /// Kept as an extra column under its own name.
    Extra,
    /// Rows of A and C.
    M,
    /// Columns of B and C.
    N,
    /// Summed dimension.
    K,
    /// All sizes in one cell: `4096x4096x4096`, `(1, 2, 3)`, `m_n_k`.
    Mnk,
    /// Shape of A: `(4096, 1024)`, with that of B in another column.
    DimsA,
    /// Shape of B.
    DimsB,
    /// M = N = K.
    Square,
    /// Independent GEMMs a call.
    Batch,
    /// Time of one call; without a unit it is inferred and said.
    Time(Option<TimeUnit>),
    /// Rate of work.
    Rate(Option<RateUnit>),
    /// Bandwidth.
    Bandwidth(Option<BandwidthUnit>),
    /// Type of A and B.
    Dtype,
    /// Type of A.
    DtypeA,
    /// Type of B.
    DtypeB,
    /// Type of the output.
    DtypeC,
    /// Type the products are multiplied in, where it is another (`xf32`).
    Compute,
    /// A is transposed: `T`, `N`, `True`, `row`, `f16:column`.
    TransA,
    /// B is transposed.
    TransB,
    /// Both at once: `NT`.
    Layout,
    /// A bias is added: `True`, `1`.
    Bias,
    /// Factor of the old C: beta.
    Beta,
    /// Name of the device.
    Device,
    /// Compute units of the device, beside its architecture.
    DeviceUnits,
    /// The tile in one cell: `128x256x64`.
    Tile,
    /// Any of the roles without a unit of its own choice.
    Role(Role),
    /// Standard deviation of the time.
    TimeStd(Option<TimeUnit>),
    /// Shortest time.
    TimeMin(Option<TimeUnit>),
    /// Longest time.
    TimeMax(Option<TimeUnit>),
    /// Work of one call; the unit's prefix counts, not its "per second".
    Work(Option<RateUnit>),
}

/// Roles that a column can have directly.
const ROLES: [Role; 20] = [
    Role::Kernel,
    Role::Library,
    Role::Model,
    Role::OpName,
    Role::Status,
    Role::Count,
    Role::TileM,
    Role::TileN,
    Role::TileK,
    Role::SplitK,
    Role::Stages,
    Role::Warps,
    Role::Workgroups,
    Role::ReportedIntensity,
    Role::ReportedBytes,
    Role::ReportedEfficiency,
    Role::MeasuredBytes,
    Role::MeasuredClock,
    Role::Order,
    Role::Repeat,
];

const PLAIN: [(Target, &str); 22] = [
    (Target::Ignore, "ignore"),
    (Target::Extra, "extra"),
    (Target::M, "m"),
    (Target::N, "n"),
    (Target::K, "k"),
    (Target::Mnk, "mnk"),
    (Target::Square, "square"),
    (Target::Batch, "batch"),
    (Target::Dtype, "dtype"),
    (Target::DtypeA, "dtype_a"),
    (Target::DtypeB, "dtype_b"),
    (Target::DtypeC, "dtype_c"),
    (Target::Compute, "compute"),
    (Target::TransA, "trans_a"),
    (Target::TransB, "trans_b"),
    (Target::Layout, "layout"),
    (Target::Bias, "bias"),
    (Target::Beta, "beta"),
    (Target::Device, "device"),
    (Target::DeviceUnits, "device_units"),
    (Target::DimsA, "shape_a"),
    (Target::DimsB, "shape_b"),
];

fn time_name(u: TimeUnit) -> &'static str {
    match u {
        TimeUnit::Seconds => "s",
        TimeUnit::Milliseconds => "ms",
        TimeUnit::Microseconds => "us",
        TimeUnit::Nanoseconds => "ns",
    }
}

fn rate_name(u: RateUnit) -> &'static str {
    match u {
        RateUnit::Flops => "flops",
        RateUnit::KiloFlops => "kflops",
        RateUnit::MegaFlops => "mflops",
        RateUnit::GigaFlops => "gflops",
        RateUnit::TeraFlops => "tflops",
        RateUnit::PetaFlops => "pflops",
    }
}

impl Target {
    /// Every target for the mapping form, the common ones first.
    pub fn all() -> Vec<Target> {
        let mut out: Vec<Target> = PLAIN[..8].iter().map(|p| p.0).collect();
        out.extend(TimeUnit::ALL.map(|u| Target::Time(Some(u))));
        out.extend(RateUnit::ALL.map(|u| Target::Rate(Some(u))));
        out.extend(PLAIN[8..].iter().map(|p| p.0));
        out.push(Target::Tile);
        out.extend(ROLES.map(Target::Role));
        out.extend(BandwidthUnit::ALL.map(|u| Target::Bandwidth(Some(u))));
        for kind in [Target::TimeStd, Target::TimeMin, Target::TimeMax] {
            out.extend(TimeUnit::ALL.map(|u| kind(Some(u))));
        }
        out.extend(RateUnit::ALL.map(|u| Target::Work(Some(u))));
        out
    }

    /// Words for people: `time in µs`, `M`, `data type of A`.
    pub fn label(self) -> String {
        fn unit(what: &str, unit: Option<&str>) -> String {
            match unit {
                Some(u) => format!("{what} in {u}"),
                None => format!("{what} (unit from the values)"),
            }
        }
        match self {
            Target::Ignore => "leave out".into(),
            Target::Extra => "keep as it is".into(),
            Target::M => "M".into(),
            Target::N => "N".into(),
            Target::K => "K".into(),
            Target::Mnk => "M, N, K in one cell".into(),
            Target::DimsA => "shape of A".into(),
            Target::DimsB => "shape of B".into(),
            Target::Square => "M = N = K".into(),
            Target::Batch => "batch".into(),
            Target::Time(u) => unit("time", u.map(TimeUnit::label)),
            Target::Rate(u) => unit("rate", u.map(RateUnit::label)),
            Target::Bandwidth(u) => unit("bandwidth", u.map(BandwidthUnit::label)),
            Target::Dtype => "data type".into(),
            Target::DtypeA => "data type of A".into(),
            Target::DtypeB => "data type of B".into(),
            Target::DtypeC => "data type of the output".into(),
            Target::Compute => "compute type".into(),
            Target::TransA => "A transposed".into(),
            Target::TransB => "B transposed".into(),
            Target::Layout => "layout (NN, NT, …)".into(),
            Target::Bias => "bias added".into(),
            Target::Beta => "beta".into(),
            Target::Device => "device".into(),
            Target::DeviceUnits => "compute units of the device".into(),
            Target::Tile => "tile (128x256x64)".into(),
            Target::Role(role) => role.id().replace('_', " "),
            Target::TimeStd(u) => unit("standard deviation of the time", u.map(TimeUnit::label)),
            Target::TimeMin(u) => unit("shortest time", u.map(TimeUnit::label)),
            Target::TimeMax(u) => unit("longest time", u.map(TimeUnit::label)),
            Target::Work(u) => unit("work", u.map(|u| u.label().trim_end_matches("/s"))),
        }
    }

    /// Without its unit: two columns may not hold the same.
    pub fn kind(self) -> Target {
        match self {
            Target::Time(_) => Target::Time(None),
            Target::Rate(_) => Target::Rate(None),
            Target::Bandwidth(_) => Target::Bandwidth(None),
            Target::TimeStd(_) => Target::TimeStd(None),
            Target::TimeMin(_) => Target::TimeMin(None),
            Target::TimeMax(_) => Target::TimeMax(None),
            Target::Work(_) => Target::Work(None),
            t => t,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut with = |name: &str, unit: Option<&str>| match unit {
            Some(u) => write!(f, "{name}:{}", u.to_lowercase()),
            None => f.write_str(name),
        };
        match *self {
            Target::Time(u) => with("time", u.map(time_name)),
            Target::Rate(u) => with("rate", u.map(rate_name)),
            Target::Bandwidth(u) => with("bandwidth", u.map(BandwidthUnit::label)),
            Target::TimeStd(u) => with("time_std", u.map(time_name)),
            Target::TimeMin(u) => with("time_min", u.map(time_name)),
            Target::TimeMax(u) => with("time_max", u.map(time_name)),
            Target::Work(u) => with("work", u.map(rate_name)),
            Target::Tile => f.write_str("tile"),
            Target::Role(role) => f.write_str(role.id()),
            plain => f.write_str(PLAIN.iter().find(|p| p.0 == plain).map_or("extra", |p| p.1)),
        }
    }
}

/// The text names no target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTarget(pub String);

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected what the column holds, such as m, n, k, time:us, rate:tflops, dtype or \
             ignore: {}",
            self.0
        )
    }
}

impl std::error::Error for UnknownTarget {}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(text: &str) -> Result<Self, UnknownTarget> {
        let unknown = || UnknownTarget(text.to_owned());
        let lower = text.trim().to_lowercase();
        let (name, unit) = match lower.split_once(':') {
            Some((name, unit)) => (name.trim(), Some(unit.trim())),
            None => (lower.as_str(), None),
        };
        let time = || {
            unit.map(|u| TimeUnit::parse(u).ok_or_else(unknown))
                .transpose()
        };
        let rate = || {
            unit.map(|u| RateUnit::parse(u).ok_or_else(unknown))
                .transpose()
        };
        let target = match name {
            "time" => Target::Time(time()?),
            "time_std" => Target::TimeStd(time()?),
            "time_min" => Target::TimeMin(time()?),
            "time_max" => Target::TimeMax(time()?),
            "rate" => Target::Rate(rate()?),
            "work" => Target::Work(rate()?),
            "bandwidth" => Target::Bandwidth(
                unit.map(|u| BandwidthUnit::parse(u).ok_or_else(unknown))
                    .transpose()?,
            ),
            _ if unit.is_some() => return Err(unknown()),
            "tile" => Target::Tile,
            _ => match PLAIN.iter().find(|p| p.1 == name) {
                Some(p) => p.0,
                None => match ROLES.iter().find(|r| r.id() == name) {
                    Some(&r) => Target::Role(r),
                    None => return Err(unknown()),
                },
            },
        };
        Ok(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_survives_its_text() {
        for t in Target::all() {
            assert_eq!(t.to_string().parse(), Ok(t), "{t}");
            assert_eq!(t.kind().to_string().parse(), Ok(t.kind()), "{t}");
            assert!(!t.label().is_empty());
        }
        assert_eq!(
            "Time:US".parse(),
            Ok(Target::Time(Some(TimeUnit::Microseconds)))
        );
        for bad in ["", "time:parsec", "m:us", "speed"] {
            assert!(bad.parse::<Target>().is_err(), "{bad}");
        }
    }
}
