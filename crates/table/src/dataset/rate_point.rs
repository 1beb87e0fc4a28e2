//! Measurements without sizes.

use super::Dataset;
use crate::metrics::Metrics;
use gemmscope_model::dtype::DataType;
use gemmscope_model::roofline::Roof;
use serde::{Deserialize, Serialize};

/// A measurement for which a file states arithmetic intensity and rate, but neither sizes nor a time. It can be placed
/// under a roof, but it is not a row and in no total, finding or comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatePoint {
    /// Name in the file; "" if it has none.
    pub name: String,
    /// 1-based line in the file.
    pub line: u32,
    /// Arithmetic intensity, FLOP/byte.
    pub intensity: f64,
    /// Attained rate, FLOP/s.
    pub rate: f64,
    /// Type of the operands.
    pub dtype: DataType,
    /// Device as the file states it; "" if it states none.
    pub device: String,
}

impl RatePoint {
    /// Roof of its device and type; `None` if either is unknown.
    pub fn roof(&self, data: &Dataset, metrics: &Metrics) -> Option<Roof> {
        let code = data.devices.iter().position(|name| *name == self.device)?;
        metrics.devices.get(code)?.as_ref()?.roof(self.dtype, metrics.kind)
    }

    /// Rate / attainable rate at this intensity; 1 is at the roof. `None` without a roof.
    pub fn efficiency(&self, data: &Dataset, metrics: &Metrics) -> Option<f64> {
        Some(self.rate / self.roof(data, metrics)?.at(self.intensity))
    }
}
