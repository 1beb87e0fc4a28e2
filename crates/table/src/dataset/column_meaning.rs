//! What a column means: the single vocabulary of files, datasets, exports and saved mappings.

use super::ColumnUnit;
use ColumnMeaning::*;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_model::units::{BandwidthUnit, RateUnit, TimeUnit};
use serde::{Deserialize, Serialize};

/// Declares [`ColumnMeaning`], with the id of each meaning.
macro_rules! meanings {
    (
        row: { $($(#[$row_doc:meta])* $row:ident = $row_id:literal,)* }
        dataset: { $($(#[$doc:meta])* $data:ident = $data_id:literal,)* }
        other: { $(#[$other_doc:meta])* $other:ident = $other_id:literal, }
    ) => {
        /// What a column of a file or of a [`Dataset`](super::Dataset) means.
        ///
        /// Meanings of the first group become part of the row itself, in the order of the mapping form. Those of the
        /// second group stay columns of the dataset, in SI units.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ColumnMeaning {
            $($(#[$row_doc])* $row,)*
            $($(#[$doc])* $data,)*
            $(#[$other_doc])* $other,
        }

        impl ColumnMeaning {
            /// Meanings that become part of the row, in the order of the mapping form.
            pub(super) const OF_ROW: &[ColumnMeaning] = &[$($row),*];

            /// Meanings of dataset columns, without [`Other`].
            pub const OF_DATASET: &[ColumnMeaning] = &[$($data),*];

            /// Key of the dataset's column and name in an export: the variant in snake case.
            pub fn id(self) -> &'static str {
                match self {
                    $($row => $row_id,)*
                    $($data => $data_id,)*
                    $other => $other_id,
                }
            }
        }
    };
}

meanings! {
    row: {
        /// Rows of A and C.
        M = "m",
        /// Columns of B and C.
        N = "n",
        /// The dimension summed over.
        K = "k",
        /// All sizes in one cell: `4096x4096x4096`, `(1, 2, 3)`, `m_n_k`.
        Mnk = "mnk",
        /// M = N = K.
        Square = "square",
        /// Independent GEMMs per call.
        Batch = "batch",
        /// Groups of a grouped GEMM, such as the experts of a layer: M is the rows of all.
        Groups = "groups",
        /// Groups that each token goes to (top k): M is then the number of tokens.
        PerToken = "per_token",
        /// Time of one call.
        Time = "time",
        /// Type of A and B.
        Dtype = "dtype",
        /// Type of A.
        DtypeA = "dtype_a",
        /// Type of B.
        DtypeB = "dtype_b",
        /// Type of the output.
        DtypeC = "dtype_c",
        /// Type of the multiplication, if different (`xf32`).
        Compute = "compute",
        /// A is transposed: `T`, `N`, `True`, `row`, `f16:column`.
        TransA = "trans_a",
        /// B is transposed.
        TransB = "trans_b",
        /// Both transposes in one cell: `NT`.
        Layout = "layout",
        /// A bias is added: `True`, `1`.
        Bias = "bias",
        /// beta, the factor of the old C.
        Beta = "beta",
        /// Name of the device.
        Device = "device",
        /// Compute units of the device, next to its architecture.
        DeviceUnits = "device_units",
        /// Shape of A: `(4096, 1024)`, with that of B in another column.
        ShapeA = "shape_a",
        /// Shape of B.
        ShapeB = "shape_b",
        /// The tile in one cell: `128x256x64`.
        Tile = "tile",
        /// Ignored on purpose.
        Ignore = "ignore",
    }
    dataset: {
        /// Name of the kernel or solution that ran.
        Kernel = "kernel",
        /// Library or backend: hipBLASLt, cuBLAS, Triton.
        Library = "library",
        /// Model or workload the shape belongs to.
        Model = "model",
        /// Operation name in a trace: `aten::mm`.
        OpName = "op_name",
        /// The producer's own verdict on the row, kept as text.
        Status = "status",
        /// Rows of each group of a grouped GEMM: `12 0 7 64`.
        GroupRows = "group_rows",
        /// Calls of this GEMM that the row stands for (1 where absent).
        Count = "count",
        /// BM, the tile's extent along M.
        TileM = "tile_m",
        /// BN, the tile's extent along N.
        TileN = "tile_n",
        /// BK, the tile's step along K.
        TileK = "tile_k",
        /// Split-K factor.
        SplitK = "split_k",
        /// Software pipeline stages.
        Stages = "stages",
        /// Warps or waves per workgroup.
        Warps = "warps",
        /// Number of workgroups launched.
        Workgroups = "workgroups",
        /// The file's own rate, FLOP/s.
        ReportedRate = "reported_rate",
        /// The file's own bandwidth, byte/s.
        ReportedBandwidth = "reported_bandwidth",
        /// The file's own arithmetic intensity, FLOP/byte.
        ReportedIntensity = "reported_intensity",
        /// The file's own work, FLOP.
        ReportedWork = "reported_work",
        /// The file's own bytes moved.
        ReportedBytes = "reported_bytes",
        /// The file's own share of a roof, as a fraction.
        ReportedEfficiency = "reported_efficiency",
        /// Main memory traffic in bytes, measured by hardware counters.
        MeasuredBytes = "measured_bytes",
        /// L2 traffic in bytes, measured by hardware counters.
        MeasuredL2Bytes = "measured_l2_bytes",
        /// L1 traffic in bytes over all L1 caches, measured by hardware counters.
        MeasuredL1Bytes = "measured_l1_bytes",
        /// Clock in Hz while the row was measured.
        MeasuredClock = "measured_clock",
        /// Standard deviation of the time, seconds.
        TimeStd = "time_std",
        /// Shortest time, seconds.
        TimeMin = "time_min",
        /// Longest time, seconds.
        TimeMax = "time_max",
        /// Time of a failed variant, seconds. Not a measurement of the GEMM and not counted: such a row has no time.
        FailedTime = "failed_time",
        /// Position in a tuning history: generation, iteration.
        Order = "order",
        /// Repetition number of one configuration.
        Repeat = "repeat",
    }
    other: {
        /// Anything else in the file, kept under its own name.
        Other = "other",
    }
}

impl ColumnMeaning {
    /// Kernel settings that distinguish variants of a configuration, besides the kernel's name.
    pub const SETTINGS: [ColumnMeaning; 8] =
        [TileM, TileN, TileK, SplitK, Stages, Warps, Workgroups, Order];

    /// Name in a saved mapping: [`id`](Self::id), shortened for four meanings.
    pub(super) fn short(self) -> &'static str {
        match self {
            ReportedRate => "rate",
            ReportedBandwidth => "bandwidth",
            ReportedWork => "work",
            Other => "extra",
            other => other.id(),
        }
    }

    /// The meaning with this [`id`](Self::id) or short name.
    pub(crate) fn parse(text: &str) -> Option<ColumnMeaning> {
        let mut all = Self::OF_ROW.iter().chain(Self::OF_DATASET).chain([&Other]);
        all.find(|m| m.short() == text || m.id() == text).copied()
    }

    /// Name for people: `M`, `data type of A`, `rate`.
    pub(crate) fn label(self) -> String {
        match self {
            Ignore => "leave out".into(),
            Other => "keep as it is".into(),
            M | N | K => self.id().to_uppercase(),
            Mnk => "M, N, K in one cell".into(),
            ShapeA => "shape of A".into(),
            ShapeB => "shape of B".into(),
            Square => "M = N = K".into(),
            Groups => "groups or experts".into(),
            PerToken => "experts a token (top k)".into(),
            GroupRows => "rows of each group".into(),
            Dtype => "data type".into(),
            DtypeA => "data type of A".into(),
            DtypeB => "data type of B".into(),
            DtypeC => "data type of the output".into(),
            Compute => "compute type".into(),
            TransA => "A transposed".into(),
            TransB => "B transposed".into(),
            Layout => "layout (NN, NT, …)".into(),
            Bias => "bias added".into(),
            DeviceUnits => "compute units of the device".into(),
            Tile => "tile (128x256x64)".into(),
            TimeStd => "standard deviation of the time".into(),
            TimeMin => "shortest time".into(),
            TimeMax => "longest time".into(),
            FailedTime => "time of the failed run".into(),
            MeasuredL2Bytes => "measured L2 bytes".into(),
            MeasuredL1Bytes => "measured L1 bytes".into(),
            other => other.short().replace('_', " "),
        }
    }

    /// The traffic that hardware counters measured at a memory level.
    pub fn measured(level: MemoryLevel) -> ColumnMeaning {
        match level {
            MemoryLevel::Main => MeasuredBytes,
            MemoryLevel::L2 => MeasuredL2Bytes,
            MemoryLevel::L1 => MeasuredL1Bytes,
        }
    }

    /// Group in the mapping form.
    pub(super) fn group(self) -> ColumnGroup {
        match self {
            M | N | K | Mnk | Square | Batch | Groups | PerToken | GroupRows | ShapeA | ShapeB => {
                ColumnGroup::Sizes
            }
            Dtype | DtypeA | DtypeB | DtypeC | Compute | TransA | TransB | Layout | Bias | Beta => {
                ColumnGroup::Type
            }
            Time | TimeStd | TimeMin | TimeMax | FailedTime | ReportedRate | ReportedBandwidth
            | ReportedIntensity | ReportedWork | ReportedBytes | ReportedEfficiency
            | MeasuredBytes | MeasuredL2Bytes | MeasuredL1Bytes | MeasuredClock => {
                ColumnGroup::Time
            }
            Kernel | Library | Model | OpName | Device | DeviceUnits | Tile | TileM | TileN
            | TileK | SplitK | Stages | Warps | Workgroups => ColumnGroup::Who,
            Status | Count | Order | Repeat | Ignore | Other => ColumnGroup::Other,
        }
    }

    /// SI unit of the numbers; "" for pure numbers and text.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            ReportedRate => "FLOP/s",
            ReportedBandwidth => "B/s",
            ReportedIntensity => "FLOP/B",
            ReportedWork => "FLOP",
            ReportedBytes | MeasuredBytes | MeasuredL2Bytes | MeasuredL1Bytes => "B",
            MeasuredClock => "Hz",
            Time | TimeStd | TimeMin | TimeMax | FailedTime => "s",
            _ => "",
        }
    }

    /// True if the dataset's column is text.
    pub fn is_text(self) -> bool {
        matches!(self, Kernel | Library | Model | OpName | Status | GroupRows)
    }

    /// Units that a file may use, for meanings that need one.
    pub(super) fn units(self) -> Vec<ColumnUnit> {
        match self {
            Time | TimeStd | TimeMin | TimeMax | FailedTime => {
                TimeUnit::ALL.map(ColumnUnit::Time).to_vec()
            }
            ReportedRate | ReportedWork => RateUnit::ALL.map(ColumnUnit::Rate).to_vec(),
            ReportedBandwidth => BandwidthUnit::ALL.map(ColumnUnit::Bandwidth).to_vec(),
            _ => Vec::new(),
        }
    }
}

gemmscope_model::named! {
/// A group of meanings in the mapping form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnGroup {
    /// M, N, K and cells that combine them.
    Sizes = "Sizes";
    /// Data types, transposes, bias.
    Type = "Type and layout";
    /// Times, rates and other figures.
    Time = "Time and rate";
    /// Library, kernel, model, device, tile.
    Who = "Who ran it";
    /// Everything else.
    Other = "Other";
}
/// All groups, in the order of the form.
pub(super) const ALL;
/// Name for people.
pub fn label -> &'static str;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_saved_name_is_the_id() {
        for &meaning in ColumnMeaning::OF_DATASET {
            let json = serde_json::to_string(&meaning).unwrap();
            assert_eq!(json, format!("\"{}\"", meaning.id()));
        }
    }
}
