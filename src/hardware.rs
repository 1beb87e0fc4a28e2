//! Devices: peak rates per data type, memory bandwidth, counts and caches, each with its source.

use crate::dtype::DataType;
use serde::{Deserialize, Serialize};

/// A peak rate for one data type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Which products run at this rate.
    pub dtype: DataType,
    /// Datasheet peak in FLOP/s, dense (never the structured-sparsity figure).
    pub flops_per_s: f64,
    /// Best rate anyone measured with large GEMMs (max-achievable), in FLOP/s, where known.
    pub achievable_flops_per_s: Option<f64>,
    /// Where the numbers come from.
    pub source: String,
}

/// One accelerator as a single process sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Stable key, as used in links: `mi300x`.
    pub id: String,
    /// Name as the driver prints it.
    pub name: String,
    /// NVIDIA, AMD, ...
    pub vendor: String,
    /// Architecture: Hopper, CDNA3.
    pub arch: String,
    /// Compiler target: sm_90, gfx942.
    pub arch_token: String,
    /// Peak rates by data type.
    pub peaks: Vec<Peak>,
    /// Main memory bandwidth in byte/s (datasheet).
    pub bandwidth_bytes_per_s: f64,
    /// SM or CU count.
    pub units: Option<u32>,
    /// What the vendor calls one of `units`: SM, CU, Xe-core.
    pub unit_kind: String,
    /// Clock in Hz that the peaks imply.
    pub clock_hz: Option<f64>,
    /// Main memory in bytes.
    pub memory_bytes: Option<f64>,
    /// L2 cache in bytes.
    pub l2_bytes: Option<f64>,
    /// Last-level cache in bytes, where it is another than L2.
    pub llc_bytes: Option<f64>,
    /// Shared memory or LDS per unit, in bytes.
    pub shared_bytes_per_unit: Option<f64>,
    /// Register file per unit, in bytes.
    pub registers_bytes_per_unit: Option<f64>,
    /// A vendor-published, B secondary, C derived.
    pub confidence: char,
    /// What a reader must know about these numbers.
    pub notes: String,
    /// Where the device's row comes from.
    pub source: String,
}

/// Which roof percentages are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoofKind {
    /// The vendor's dense peak and bandwidth.
    #[default]
    Datasheet,
    /// The best rate anyone measured with large GEMMs, and the datasheet's bandwidth.
    Achievable,
}

/// What a device name found in a file refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum NameMatch {
    /// The name is a catalogue entry's.
    Exact(&'static Device),
    /// The name is known to mean this entry.
    Alias(&'static Device),
    /// Several entries could be meant.
    Ambiguous(Vec<&'static Device>),
    /// Nothing in the catalogue.
    Unknown,
}

/// Device of the catalogue by its id.
pub fn by_id(_id: &str) -> Option<&'static Device> {
    None
}

/// What a device name refers to.
pub fn match_name(_name: &str) -> NameMatch {
    NameMatch::Unknown
}

impl Device {
    /// Peak and bandwidth for products of this type; `None` where the device has no such peak.
    pub fn roof(&self, dtype: DataType, kind: RoofKind) -> Option<crate::roofline::Roof> {
        let peak = self.peaks.iter().find(|p| p.dtype == dtype)?;
        Some(crate::roofline::Roof {
            peak_flops_per_s: match kind {
                RoofKind::Datasheet => peak.flops_per_s,
                RoofKind::Achievable => peak.achievable_flops_per_s?,
            },
            bandwidth_bytes_per_s: self.bandwidth_bytes_per_s,
        })
    }
}
