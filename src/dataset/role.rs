//! What a column means.

use serde::{Deserialize, Serialize};

/// What an extra column means, where gemmscope knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Name of the kernel or solution that ran.
    Kernel,
    /// Library or backend: hipBLASLt, cuBLAS, Triton.
    Library,
    /// Model or workload the shape belongs to.
    Model,
    /// Operation name in a trace: `aten::mm`.
    OpName,
    /// The producer's own verdict on the row, kept as text.
    Status,
    /// Calls of this GEMM that the row stands for (1 where absent).
    Count,
    /// Tile height over M (BM).
    TileM,
    /// Tile width over N (BN).
    TileN,
    /// Tile depth over K (BK).
    TileK,
    /// Split-K factor.
    SplitK,
    /// Software pipeline stages.
    Stages,
    /// Warps or waves per workgroup.
    Warps,
    /// Workgroups that were launched.
    Workgroups,
    /// The file's own rate, FLOP/s.
    ReportedRate,
    /// The file's own bandwidth, byte/s.
    ReportedBandwidth,
    /// The file's own arithmetic intensity, FLOP/byte.
    ReportedIntensity,
    /// The file's own work, FLOP.
    ReportedWork,
    /// The file's own bytes moved.
    ReportedBytes,
    /// The file's own percentage of a roof, as a fraction.
    ReportedEfficiency,
    /// Bytes measured by hardware counters.
    MeasuredBytes,
    /// Clock in Hz while the row was measured.
    MeasuredClock,
    /// Standard deviation of the time, seconds.
    TimeStd,
    /// Shortest time, seconds.
    TimeMin,
    /// Longest time, seconds.
    TimeMax,
    /// Position in a tuning history: generation, iteration.
    Order,
    /// Repetition number of one configuration.
    Repeat,
    /// Anything else the file brought.
    Other,
}

impl Role {
    /// Every role but [`Role::Other`].
    pub const ALL: [Role; 26] = [
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
        Role::ReportedRate,
        Role::ReportedBandwidth,
        Role::ReportedIntensity,
        Role::ReportedWork,
        Role::ReportedBytes,
        Role::ReportedEfficiency,
        Role::MeasuredBytes,
        Role::MeasuredClock,
        Role::TimeStd,
        Role::TimeMin,
        Role::TimeMax,
        Role::Order,
        Role::Repeat,
    ];

    /// Key of the column with this role: the variant in snake case.
    pub fn id(self) -> &'static str {
        match self {
            Role::Kernel => "kernel",
            Role::Library => "library",
            Role::Model => "model",
            Role::OpName => "op_name",
            Role::Status => "status",
            Role::Count => "count",
            Role::TileM => "tile_m",
            Role::TileN => "tile_n",
            Role::TileK => "tile_k",
            Role::SplitK => "split_k",
            Role::Stages => "stages",
            Role::Warps => "warps",
            Role::Workgroups => "workgroups",
            Role::ReportedRate => "reported_rate",
            Role::ReportedBandwidth => "reported_bandwidth",
            Role::ReportedIntensity => "reported_intensity",
            Role::ReportedWork => "reported_work",
            Role::ReportedBytes => "reported_bytes",
            Role::ReportedEfficiency => "reported_efficiency",
            Role::MeasuredBytes => "measured_bytes",
            Role::MeasuredClock => "measured_clock",
            Role::TimeStd => "time_std",
            Role::TimeMin => "time_min",
            Role::TimeMax => "time_max",
            Role::Order => "order",
            Role::Repeat => "repeat",
            Role::Other => "other",
        }
    }

    /// SI unit of the numbers of this role, "" where they are pure numbers or text.
    pub fn unit(self) -> &'static str {
        match self {
            Role::ReportedRate => "FLOP/s",
            Role::ReportedBandwidth => "B/s",
            Role::ReportedIntensity => "FLOP/B",
            Role::ReportedWork => "FLOP",
            Role::ReportedBytes | Role::MeasuredBytes => "B",
            Role::MeasuredClock => "Hz",
            Role::TimeStd | Role::TimeMin | Role::TimeMax => "s",
            _ => "",
        }
    }

    /// The values are text.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Role::Kernel | Role::Library | Role::Model | Role::OpName | Role::Status
        )
    }
}
