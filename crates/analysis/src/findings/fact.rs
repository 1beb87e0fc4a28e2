//! What a finding says, in numbers, rows and names. `gemmscope-words` makes its sentences.

use super::Group;
use super::sums::Detail;
use crate::ledger::{Account, Entry, Scatter, Sum};
use gemmscope_model::dtype::DataType;
use gemmscope_model::roofline::AboveRoofCause;
use gemmscope_table::dataset::ColumnMeaning;

/// What a finding says. A [`Group`] is the one that its sentence names.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// Kernels that cannot run on the device of this code.
    KernelsOfAnother {
        /// Code of the device.
        device: u16,
        /// What the kernels were built for: `gfx942`.
        target: String,
    },
    /// So many GEMMs are above their roof that it must be another device's.
    ManyAboveRoof {
        /// GEMMs above their roof.
        above: usize,
        /// GEMMs with a roof.
        all: usize,
        /// Names of the devices of those above.
        devices: Vec<String>,
        /// What would explain each of them.
        causes: Vec<AboveRoofCause>,
        /// The farthest above.
        most: Option<Group>,
    },
    /// No GEMM of a device and type comes near its roof.
    FarBelow {
        /// GEMMs of the device and type.
        gemms: usize,
        /// The type.
        dtype: &'static str,
        /// The one that is nearest.
        best: Group,
    },
    /// GEMMs of a trace whose shape is not known.
    WithoutShape {
        /// The file.
        source: u16,
        /// Time of all its GEMMs, seconds.
        all_s: f64,
    },
    /// Measured rows without a roof.
    WithoutRoof {
        /// The time that theirs is a part of, seconds.
        whole_s: f64,
    },
    /// Wrappers that are listed beside what they call.
    Wrappers {
        /// The file.
        source: u16,
        /// Its GEMM time counted once, seconds.
        once_s: f64,
    },
    /// The same rows in two files.
    InTwoFiles {
        /// The files.
        sources: [u16; 2],
    },
    /// The device waits.
    Idle {
        /// Seconds from the first to the last kernel.
        whole_s: f64,
        /// The tool that recorded it takes time itself.
        at_most: bool,
    },
    /// Communication that no kernel hides.
    Communication {
        /// Seconds from the first to the last kernel.
        whole_s: f64,
    },
    /// A kernel that is no GEMM.
    OtherKernel {
        /// Its name, and those of the next ones with their seconds.
        name: String,
        /// See `name`.
        next: Vec<(String, f64)>,
        /// Compute time, seconds.
        compute_s: f64,
        /// Time of the GEMMs, seconds.
        gemm_s: f64,
    },
    /// One GEMM takes most of the time, far from its roof.
    Outlier {
        /// It.
        one: Group,
        /// GEMMs of its side.
        gemms: usize,
        /// Their time, seconds.
        all_s: f64,
        /// The share of its roof that nine of ten others reach.
        usual: f64,
    },
    /// GEMMs above their roof.
    AboveRoof {
        /// The farthest above: its one row.
        most: Group,
        /// What would explain it.
        causes: Vec<AboveRoofCause>,
    },
    /// Measured at a low clock.
    LowClock {
        /// The one with most time.
        most: Group,
        /// Its clock, Hz.
        clock_hz: f64,
        /// That clock over the peak's.
        ratio: f64,
        /// Its share of the roof at the peak's clock.
        at_full_clock: f64,
    },
    /// Figures of the file that are not the recomputed ones.
    Reported(Difference),
    /// A cause of lost time.
    Cause(Box<CauseFacts>),
    /// Causes that do not weigh.
    SmallCauses {
        /// The largest of them.
        named: Vec<CauseFacts>,
        /// All of them.
        count: usize,
    },
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
        /// Roof time of a call, seconds, in its own type and in the faster one.
        roof_s: [f64; 2],
    },
    /// A narrow type that is slower than a wide one.
    SlowerType {
        /// The slower GEMM and the faster one.
        pair: [Group; 2],
    },
    /// Much slower than on another device.
    SlowerDevice {
        /// The slower GEMM and the faster one.
        pair: [Group; 2],
    },
}

/// Figures of a file that are not the recomputed ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The file.
    pub source: u16,
    /// Which figure.
    pub meaning: ColumnMeaning,
    /// Rows with both figures.
    pub compared: u64,
    /// The row that is farthest off.
    pub row: u32,
    /// The file's figure there.
    pub theirs: f64,
    /// The recomputed one.
    pub ours: f64,
    /// All are off by one factor.
    pub constant: bool,
}

/// Number of small causes, and of parts of a cause, that are told one by one.
pub const NAMED: usize = 3;

/// One cause of lost time.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseFacts {
    /// Its account.
    pub account: Account,
    /// What its seconds rest on, where they may be scatter.
    pub scatter: Option<Scatter>,
    /// Lost seconds that no other cause holds.
    pub split_s: f64,
    /// Seconds that are saved if only this is changed.
    pub alone_s: f64,
    /// Seconds of them between the datasheet's roof and the achievable one.
    pub above_s: f64,
    /// Time of its rows over all calls, seconds.
    pub time_s: f64,
    /// GEMMs that it is of.
    pub groups: u64,
    /// What its account holds on its side and device.
    pub of_account: Sum,
    /// The largest of what it is made of, and how many there are.
    pub parts: (Vec<PartFacts>, usize),
    /// The row that saves most, the seconds of all its calls, and what it is a part of.
    pub most: (u32, f64, Detail),
    /// How the time of that row is split.
    pub entry: Option<Entry>,
    /// Where most of it is.
    pub held_by: Option<HeldBy>,
    /// Most of the larger sizes ran another kernel too.
    pub other_kernels: bool,
}

/// A part of a cause.
#[derive(Clone, Debug, PartialEq)]
pub struct PartFacts {
    /// What makes it one.
    pub detail: Detail,
    /// Seconds that it saves alone.
    pub alone_s: f64,
    /// GEMMs that it is of.
    pub groups: u64,
    /// Its first row.
    pub row: u32,
    /// The faster run of that row.
    pub faster: Option<u32>,
}

/// Where most of a cause is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeldBy {
    /// In one of many GEMMs: this share.
    One(f64),
    /// In GEMMs of one size.
    Size {
        /// 0 is M, 1 is N, 2 is K.
        size: usize,
        /// Its value.
        value: u32,
        /// Their share.
        share: f64,
    },
}

impl Fact {
    /// The row that the sentence names, and the faster run that it compares it with.
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
