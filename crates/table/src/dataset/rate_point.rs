//! Measurements whose sizes nobody states.

use super::Dataset;
use crate::metrics::Metrics;
use gemmscope_model::dtype::DataType;
use gemmscope_model::roofline::Roof;
use serde::{Deserialize, Serialize};

/// A measurement of which a file states arithmetic intensity and rate, but neither sizes nor a time. It has a place
/// under a roof and a share of it; it is no row, so no total, finding or comparison holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatePoint {
    /// What the file calls it; "" where it has no name.
    pub name: String,
    /// 1-based line in the file.
    pub line: u32,
    /// Arithmetic intensity, FLOP/byte.
    pub intensity: f64,
    /// Attained rate, FLOP/s.
    pub rate: f64,
    /// Type of the operands.
    pub dtype: DataType,
    /// Device as the file states it; "" where it states none.
    pub device: String,
}

impl RatePoint {
    /// Its roof; `None` if the device or its peak for the type is unknown.
    pub fn roof(&self, data: &Dataset, metrics: &Metrics) -> Option<Roof> {
        let code = data.devices.iter().position(|name| *name == self.device)?;
        metrics.devices.get(code)?.as_ref()?.roof(self.dtype, metrics.kind)
    }

    /// Rate over what the roof allows at this intensity; 1 is at the roof.
    pub fn efficiency(&self, data: &Dataset, metrics: &Metrics) -> Option<f64> {
        Some(self.rate / self.roof(data, metrics)?.at(self.intensity))
    }
}
