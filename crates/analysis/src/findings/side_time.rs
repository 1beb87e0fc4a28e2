//! The time of one side, and the whole to which shares refer.

use serde::{Deserialize, Serialize};

/// The time to which shares refer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whole {
    /// The time in which the device computed, from the trace.
    ComputeTime,
    /// The time of all kernels in the file.
    ListedKernels,
    /// The time of the measured rows.
    MeasuredRows,
}

impl Whole {
    /// Name, for use after "of".
    pub fn label(self) -> &'static str {
        match self {
            Whole::ComputeTime => "compute time",
            Whole::ListedKernels => "kernel time",
            Whole::MeasuredRows => "measured time",
        }
    }
}

/// The time of one side, or of all rows where there are no sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideTime {
    /// Name of the side; "" where there are none.
    pub label: String,
    /// Time of its checked rows, seconds.
    pub time_s: f64,
    /// Time of its GEMMs whose shape is not known, seconds.
    pub without_s: f64,
    /// The time to which shares refer, seconds.
    pub whole_s: f64,
    /// Kind of that time.
    pub whole: Whole,
}

impl Default for SideTime {
    fn default() -> Self {
        SideTime {
            label: String::new(),
            time_s: 0.0,
            without_s: 0.0,
            whole_s: 0.0,
            whole: Whole::MeasuredRows,
        }
    }
}

impl SideTime {
    /// Share of the whole.
    pub fn share(&self, time_s: f64) -> f64 {
        if self.whole_s > 0.0 { time_s / self.whole_s } else { 0.0 }
    }

    /// Share of all GEMMs, with and without a known shape, in the whole.
    pub fn gemm_share(&self) -> f64 {
        self.share(self.time_s + self.without_s)
    }
}
