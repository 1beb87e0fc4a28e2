//! The roofline: what a GEMM could attain on a device, and how far it is from it.

use serde::{Deserialize, Serialize};

/// The two limits of one data type on one device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// Compute ceiling in FLOP/s.
    pub peak_flops_per_s: f64,
    /// Memory slope in byte/s.
    pub bandwidth_bytes_per_s: f64,
}

/// What limits a GEMM at its roof. The neutral band is 0.75 to 1.25 of the ridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// AI below 0.75 of the ridge point.
    Memory,
    /// AI within a quarter of the ridge point.
    NearRidge,
    /// AI above 1.25 of the ridge point.
    Compute,
}

impl Roof {
    /// Ridge point in FLOP/byte: peak over bandwidth.
    pub fn ridge(&self) -> f64 {
        self.peak_flops_per_s / self.bandwidth_bytes_per_s
    }

    /// Attainable rate in FLOP/s at an arithmetic intensity in FLOP/byte.
    pub fn at(&self, intensity: f64) -> f64 {
        self.peak_flops_per_s
            .min(intensity * self.bandwidth_bytes_per_s)
    }

    /// Shortest time in seconds for `flops` of work over `bytes` of traffic.
    pub fn time_s(&self, flops: f64, bytes: f64) -> f64 {
        (flops / self.peak_flops_per_s).max(bytes / self.bandwidth_bytes_per_s)
    }

    /// What limits work of this intensity, with the neutral band.
    pub fn bound(&self, intensity: f64) -> Bound {
        let ridge = self.ridge();
        if intensity < 0.75 * ridge {
            Bound::Memory
        } else if intensity > 1.25 * ridge {
            Bound::Compute
        } else {
            Bound::NearRidge
        }
    }
}
