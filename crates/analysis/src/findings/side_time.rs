//! Time of one side, and the whole that shares refer to.

use serde::{Deserialize, Serialize};

/// Kind of the time that shares refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whole {
    /// Compute time of the device, from the trace.
    ComputeTime,
    /// Time of all kernels in the file.
    ListedKernels,
    /// Time of the measured rows.
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

/// Time of one side, or of all rows without sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideTime {
    /// Name of the side; "" without sides.
    pub label: String,
    /// Time of its checked rows, seconds.
    pub time_s: f64,
    /// Time of its GEMMs without a known shape, seconds.
    pub without_s: f64,
    /// The time that shares refer to, seconds.
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
    /// A time as a fraction of the whole.
    pub fn share(&self, time_s: f64) -> f64 {
        if self.whole_s > 0.0 { time_s / self.whole_s } else { 0.0 }
    }

    /// All GEMMs, with and without a known shape, as a fraction of the whole.
    pub fn gemm_share(&self) -> f64 {
        self.share(self.time_s + self.without_s)
    }
}
