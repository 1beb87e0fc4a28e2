//! Content of a finding in numbers, rows and names. `gemmscope-words` makes its sentences.

use super::Group;
use super::sums::Detail;
use crate::ledger::{Account, Entry, Scatter, Sum};
use gemmscope_model::dtype::DataType;
use gemmscope_model::roofline::AboveRoofCause;
use gemmscope_table::dataset::ColumnMeaning;

/// Content of a finding. A [`Group`] is the one that its sentence names.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// Kernels that cannot run on the device of this code.
    KernelsOfAnother {
        /// Code of the device.
        device: u16,
        /// Compiler target of the kernels: `gfx942`.
        target: String,
    },
    /// So many GEMMs are above their roof that they must have run on another device.
    ManyAboveRoof {
        /// GEMMs above their roof.
        above: u64,
        /// GEMMs with a roof.
        all: u64,
        /// Names of the devices of those above.
        devices: Vec<String>,
        /// Possible explanations of each of them.
        causes: Vec<AboveRoofCause>,
        /// The one farthest above.
        most: Option<Group>,
    },
    /// No GEMM of a device and type comes near its roof.
    FarBelow {
        /// Number of GEMMs of the device and type.
        gemms: u64,
        /// The type.
        dtype: &'static str,
        /// The one nearest to its roof.
        best: Group,
    },
    /// GEMMs of a trace without a known shape.
    WithoutShape {
        /// The file.
        source: u16,
        /// Time of all its GEMMs, seconds.
        all_s: f64,
    },
    /// Measured rows without a roof.
    WithoutRoof {
        /// Time that their share refers to, seconds.
        whole_s: f64,
    },
    /// Wrappers listed together with the operations they call.
    Wrappers {
        /// The file.
        source: u16,
        /// GEMM time counted once, seconds.
        once_s: f64,
    },
    /// The same rows in two files.
    InTwoFiles {
        /// The files.
        sources: [u16; 2],
    },
    /// Idle time of the device.
    Idle {
        /// Seconds from the first to the last kernel.
        whole_s: f64,
        /// True if recording slowed the program, so that idle time is an upper bound.
        at_most: bool,
    },
    /// Exposed communication: not overlapped by kernels.
    Communication {
        /// Seconds from the first to the last kernel.
        whole_s: f64,
    },
    /// A kernel that is not a GEMM.
    OtherKernel {
        /// Name of the largest.
        name: String,
        /// The next largest, with their seconds.
        next: Vec<(String, f64)>,
        /// Compute time, seconds.
        compute_s: f64,
        /// Time of the GEMMs, seconds.
        gemm_s: f64,
    },
    /// One GEMM takes most of the time, far from its roof.
    Outlier {
        /// That GEMM.
        one: Group,
        /// Number of GEMMs on its side.
        gemms: u64,
        /// Total time of these, seconds.
        all_s: f64,
        /// Efficiency that 90 % of the others reach.
        usual: f64,
    },
    /// GEMMs above their roof.
    AboveRoof {
        /// The one farthest above: a single row.
        most: Group,
        /// Possible explanations.
        causes: Vec<AboveRoofCause>,
    },
    /// Measured at a low clock.
    LowClock {
        /// The one with most time.
        most: Group,
        /// Its clock, Hz.
        clock_hz: f64,
        /// Its clock / the peak's clock.
        ratio: f64,
        /// Its efficiency at the peak's clock.
        at_full_clock: f64,
    },
    /// Figures of the file that differ from the recomputed ones.
    Reported(Difference),
    /// A cause of lost time.
    Cause(Box<CauseFacts>),
    /// Many calls of one GEMM.
    Repeats {
        /// The one with most time.
        most: Group,
    },
    /// A type that the device multiplies faster.
    FasterType {
        /// The GEMM with most time.
        most: Group,
        /// The faster type.
        to: DataType,
        /// Roof time of a call in its own type and in the faster one, seconds.
        roof_s: [f64; 2],
    },
    /// A narrow type that is slower than a wide one.
    SlowerType {
        /// The slower GEMM and the faster one.
        pair: [Group; 2],
    },
    /// Much slower than on another device, beyond the difference of their roofs.
    SlowerDevice {
        /// The slower GEMM and the faster one.
        pair: [Group; 2],
    },
}

/// Figures of a file that differ from the recomputed ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The file.
    pub source: u16,
    /// Which figure.
    pub meaning: ColumnMeaning,
    /// Rows with both figures.
    pub compared: u64,
    /// The row with the largest difference.
    pub row: u32,
    /// The file's figure there.
    pub theirs: f64,
    /// The recomputed figure there.
    pub ours: f64,
    /// True if all differ by the same factor.
    pub constant: bool,
    /// True if all are of more bytes, by what the scales of quantised operands may take.
    pub scales: bool,
}

/// Number of parts of a cause that are named.
pub const NAMED: usize = 3;

/// One cause of lost time.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseFacts {
    /// Its ledger account.
    pub account: Account,
    /// Evidence that its seconds may be scatter, if there is any.
    pub scatter: Option<Scatter>,
    /// Split: exclusive lost seconds.
    pub split_s: f64,
    /// Seconds saved if only this is changed.
    pub alone_s: f64,
    /// Its seconds between the datasheet roof and the achievable roof.
    pub above_s: f64,
    /// Time of its rows over all calls, seconds.
    pub time_s: f64,
    /// Number of GEMMs.
    pub groups: u64,
    /// Total of its account on its side and device.
    pub of_account: Sum,
    /// Its largest parts, and the number of all parts.
    pub parts: (Vec<PartFacts>, usize),
    /// The row that saves most, the seconds of all its calls, and its part of the cause.
    pub most: (u32, f64, Detail),
    /// Accounts of that row.
    pub entry: Option<Entry>,
    /// Where most of it is concentrated, if anywhere.
    pub held_by: Option<HeldBy>,
    /// True if most of the faster, larger sizes ran another kernel too.
    pub other_kernels: bool,
}

/// A part of a cause.
#[derive(Clone, Debug, PartialEq)]
pub struct PartFacts {
    /// What defines the part.
    pub detail: Detail,
    /// Seconds that it alone saves.
    pub alone_s: f64,
    /// Number of GEMMs.
    pub groups: u64,
    /// Its first row.
    pub row: u32,
    /// The faster run of that row.
    pub faster: Option<u32>,
}

/// Where most of a cause is concentrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeldBy {
    /// In one of many GEMMs, with this fraction.
    One(f64),
    /// In GEMMs that share one size.
    Size {
        /// 0 is M, 1 is N, 2 is K.
        size: usize,
        /// Its value.
        value: u32,
        /// Their fraction.
        share: f64,
    },
}

impl Fact {
    /// The row that the sentence names, and the faster run it is compared with.
    pub fn rows(&self) -> [Option<u32>; 2] {
        match self {
            Fact::Cause(cause) => {
                let faster = cause.entry.and_then(|e| e.alternative_in(cause.account));
                [Some(cause.most.0), faster.map(|other| other.row)]
            }
            Fact::SlowerType { pair: [slow, fast] } | Fact::SlowerDevice { pair: [slow, fast] } => {
                [Some(slow.row), Some(fast.row)]
            }
            _ => [None, None],
        }
    }
}
