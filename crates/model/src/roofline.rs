//! The roofline model: the rate a GEMM could attain on a device, and how far it is from it.
//!
//! ```
//! use gemmscope_model::dtype::DataType;
//! use gemmscope_model::gemm::Problem;
//! use gemmscope_model::roofline::Roof;
//! // 4096^3 fp16 in 0.690 ms on 312 TFLOP/s and 1939 GB/s.
//! let roof = Roof { peak_flops_per_s: 312e12, bandwidth_bytes_per_s: 1939e9 };
//! let run = roof.measure(&Problem::new(4096, 4096, 4096, DataType::Fp16), 0.690e-3);
//! assert_eq!(run.flops_per_s.to_string(), "199.2 TFLOP/s");
//! assert!((run.efficiency - 0.638).abs() < 1e-3);
//! ```

use crate::dtype::DataType;
use crate::gemm::Problem;
use crate::hardware::{Device, RoofKind};
use crate::units::{Bytes, BytesPerSec, Flops, FlopsPerSec, Intensity, Seconds, larger, smaller};
use serde::{Deserialize, Serialize};

mod above;

pub use above::{AboveRoofCause, CacheLevel, above_roof_causes};

/// The two limits of one data type on one device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// Compute ceiling in FLOP/s.
    pub peak_flops_per_s: f64,
    /// Memory slope in byte/s.
    pub bandwidth_bytes_per_s: f64,
}

crate::named! {
/// What limits a GEMM at its roof. Within 0.75 to 1.25 of the ridge point neither limit dominates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Intensity below 0.75 of the ridge point.
    Memory = "memory-bound";
    /// Intensity within 25 % of the ridge point.
    NearRidge = "near the ridge";
    /// Intensity above 1.25 of the ridge point.
    Compute = "compute-bound";
    /// The call is so short that its launch takes most of the time.
    Launch = "launch-bound";
}
/// Label: `memory-bound`, `near the ridge`, `compute-bound`, `launch-bound`.
pub fn label -> &'static str;
}

/// True if the launch dominates a call: the device's launch floor exceeds 30 % of its time (a call under 15 µs for a
/// floor of 4.5 µs), and its roof time is under 20 %. Times in seconds; false if one is NaN.
pub fn is_launch_bound(call_s: f64, roof_s: f64, floor_s: f64) -> bool {
    0.3 * call_s < floor_s && roof_s < 0.2 * call_s
}

/// Time, roof time and lost time of a set of calls, which give its share of the roof. Every share of a set is computed
/// here. Independent of order up to rounding.
///
/// ```
/// use gemmscope_model::roofline::LostTime;
/// let mut set = LostTime::default();
/// set.add(1.0, 10e-6, 8e-6);
/// set.add(2.0, 3e-6, 4e-6); // above its roof: loses nothing, and offsets no other loss
/// assert!((set.share_of_roof() - 16.0 / 16.0).abs() < 1e-12);
/// assert!((set.share_kept() - 14.0 / 16.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LostTime {
    /// Sum of calls x time, seconds.
    pub time_s: f64,
    /// Sum of calls x roof time, seconds.
    pub roof_s: f64,
    /// Sum of calls x max(0, time - roof time), seconds.
    pub lost_s: f64,
}

impl LostTime {
    /// Adds calls of one GEMM; ignored if its time or roof time is NaN.
    pub fn add(&mut self, calls: f64, time_s: f64, roof_s: f64) {
        if time_s.is_nan() || roof_s.is_nan() {
            return;
        }
        self.time_s += calls * time_s;
        self.roof_s += calls * roof_s;
        self.lost_s += calls * larger(time_s - roof_s, 0.0);
    }

    /// Roof time / time, above 1 if the set is above its roof; NaN if it is empty.
    pub fn share_of_roof(&self) -> f64 {
        self.roof_s / self.time_s
    }

    /// 1 - lost / time: the share of the roof with every call above its roof counted as at it. NaN if the set is empty.
    pub fn share_kept(&self) -> f64 {
        1.0 - self.lost_s / self.time_s
    }
}

/// One timed GEMM against one roof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// Work of the problem: 2 M N K, plus bias.
    pub work: Flops,
    /// Compulsory bytes: a lower bound of the traffic.
    pub bytes: Bytes,
    /// Arithmetic intensity, work / compulsory bytes: an upper bound of the actual one.
    pub intensity: Intensity,
    /// Work / time.
    pub flops_per_s: FlopsPerSec,
    /// Compulsory bytes / time.
    pub bytes_per_s: BytesPerSec,
    /// Fraction of the roof's bandwidth that the compulsory bytes use.
    pub bandwidth_use: f64,
    /// Attainable rate at this intensity.
    pub roof: FlopsPerSec,
    /// Shortest time that the roof allows.
    pub roofline_time: Seconds,
    /// Roofline time / time: 1 is perfect, above 1 is a finding. Never clamped.
    pub efficiency: f64,
    /// max(0, time - roofline time).
    pub lost_time: Seconds,
    /// What limits the problem at its roof.
    pub bound: Bound,
}

impl Roof {
    /// Ridge point: peak / bandwidth, in FLOP/byte.
    pub fn ridge(&self) -> f64 {
        self.peak_flops_per_s / self.bandwidth_bytes_per_s
    }

    /// Attainable rate in FLOP/s at an arithmetic intensity in FLOP/byte.
    pub fn at(&self, intensity: f64) -> f64 {
        smaller(self.peak_flops_per_s, intensity * self.bandwidth_bytes_per_s)
    }

    /// Roofline time in seconds of `flops` of work and `bytes` of traffic.
    pub fn time_s(&self, flops: f64, bytes: f64) -> f64 {
        larger(flops / self.peak_flops_per_s, bytes / self.bandwidth_bytes_per_s)
    }

    /// Roofline time of a problem, in seconds.
    pub fn problem_time_s(&self, problem: &Problem) -> f64 {
        self.time_s(problem.work().0, problem.bytes().0)
    }

    /// Fraction of the memory bandwidth that good kernels reach, counting compulsory bytes. Of 0.75 to 1 it predicts
    /// the times of 558 measured GEMMs of an MI300X best.
    pub const REACHED_BANDWIDTH: f64 = 0.8;

    /// What limits work of this arithmetic intensity (FLOP/byte), with the neutral band around the ridge.
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

    /// Measures one timed problem against this roof; `time_s` is for the whole batch.
    pub fn measure(&self, problem: &Problem, time_s: f64) -> Measurement {
        let (work, bytes, time) = (problem.work(), problem.bytes(), Seconds(time_s));
        let intensity = work / bytes;
        let roofline_time = Seconds(self.time_s(work.0, bytes.0));
        let bytes_per_s = bytes / time;
        Measurement {
            work,
            bytes,
            intensity,
            flops_per_s: work / time,
            bytes_per_s,
            bandwidth_use: bytes_per_s.0 / self.bandwidth_bytes_per_s,
            roof: FlopsPerSec(self.at(intensity.0)),
            roofline_time,
            efficiency: roofline_time / time,
            lost_time: Seconds(larger(time_s - roofline_time.0, 0.0)),
            bound: self.bound(intensity.0),
        }
    }

    /// Smallest M at which a problem with this N, K and these types reaches the ridge point; for a linear layer, the
    /// number of tokens from which it is compute-bound. `None` if N and K are so small that no M reaches it.
    ///
    /// From AI(M) = ridge, with one batch entry:
    /// `M = r s_b K N / (2 K N - r (s_a K + s_c N))`.
    pub(crate) fn ridge_m(&self, problem: &Problem) -> Option<u32> {
        self.ridge_size(|m| Problem { m, ..*problem })
    }

    /// Smallest size for which the problem `sized(size)` reaches the ridge point; `None` if no size does. Intensity
    /// must increase with size.
    pub fn ridge_size(&self, sized: impl Fn(u32) -> Problem) -> Option<u32> {
        let reaches = |size| sized(size).intensity().0 >= self.ridge();
        if !reaches(u32::MAX) {
            return None;
        }
        // Bisection, because a closed form would repeat the byte counts of bias, beta and scales.
        let (mut low, mut high) = (0u32, u32::MAX);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if reaches(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }
}

impl Device {
    /// Predicted time of a call in seconds: roofline time at the peak and bandwidth that GEMMs reach, plus the launch
    /// floor. `None` without a peak for the type.
    ///
    /// Peak and bandwidth are scaled by [`Device::reached_peak`] (bf16 and fp16) and [`Device::reached_bandwidth`],
    /// fitted to published times: on shapes that the fit did not use the error is a factor of 1.11 on an H100
    /// (geometric mean; [`calibration`](crate::reference::calibration) has every device). Otherwise they are the
    /// achievable rate and [`Roof::REACHED_BANDWIDTH`]: a factor of 1.25 on 558 GEMMs of an MI300X, against 1.89 for
    /// the datasheet's roof alone.
    pub fn expected_s(&self, problem: &Problem) -> Option<f64> {
        let dtype = problem.op.compute;
        let achievable = self.roof(dtype, RoofKind::Achievable)?;
        let fitted = matches!(dtype, DataType::Bf16 | DataType::Fp16);
        let peak_flops_per_s = match (self.reached_peak.filter(|_| fitted), self.peak_for(dtype)) {
            (Some(share), Some(peak)) => share * peak.flops_per_s,
            _ => achievable.peak_flops_per_s,
        };
        let share = self.reached_bandwidth.unwrap_or(Roof::REACHED_BANDWIDTH);
        let bandwidth_bytes_per_s = share * self.bandwidth_bytes_per_s;
        let reached = Roof { peak_flops_per_s, bandwidth_bytes_per_s };
        Some(reached.problem_time_s(problem) + self.launch_floor().0)
    }

    /// Peak and bandwidth for products of this type; the datasheet peak if it has no achievable rate. `None` if the
    /// device has no peak for it.
    pub fn roof(&self, dtype: DataType, kind: RoofKind) -> Option<Roof> {
        let peak = self.peak_for(dtype)?;
        Some(Roof {
            peak_flops_per_s: match kind {
                RoofKind::Datasheet => peak.flops_per_s,
                RoofKind::Achievable => peak.achievable_flops_per_s.unwrap_or(peak.flops_per_s),
            },
            bandwidth_bytes_per_s: self.bandwidth_bytes_per_s,
        })
    }

    /// The kind that [`Device::roof`] actually uses: `Datasheet` for a type without an achievable rate.
    pub fn roof_kind(&self, dtype: DataType, kind: RoofKind) -> RoofKind {
        match self.peak_for(dtype).and_then(|p| p.achievable_flops_per_s) {
            Some(_) => kind,
            None => RoofKind::Datasheet,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::by_id;
    use proptest::prelude::*;

    const A100: Roof = Roof { peak_flops_per_s: 312e12, bandwidth_bytes_per_s: 1939e9 };

    fn close(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() <= within, "{value} is not {expected}");
    }

    #[test]
    fn cube_of_4096_on_the_a100_of_the_report() {
        close(A100.ridge(), 160.9, 0.05);
        let problem = Problem::new(4096, 4096, 4096, DataType::Fp16);
        let run = A100.measure(&problem, 0.690e-3);
        close(run.flops_per_s.0 / 1e12, 199.2, 0.05);
        close(run.bytes_per_s.0 / 1e9, 145.9, 0.05);
        close(run.bandwidth_use, 0.075, 5e-4);
        close(run.efficiency, 0.638, 1e-3);
        assert_eq!(run.roof.0, 312e12);
        assert_eq!(run.bound, Bound::Compute);
        let fused = A100.measure(&problem, 0.671e-3);
        close(fused.efficiency, 0.656, 1e-3);
        // The memory limit at this intensity is 2647 TFLOP/s, above the peak.
        close(1365.333 * 1939e9 / 1e12, 2647.0, 1.0);
    }

    #[test]
    fn mi300x() {
        let roof = by_id("mi300x").unwrap().roof(DataType::Bf16, RoofKind::Datasheet).unwrap();
        close(roof.ridge(), 1307.4 / 5.3, 1e-9);
        let rounded = Roof { peak_flops_per_s: 1307e12, bandwidth_bytes_per_s: 5.3e12 };
        close(rounded.ridge(), 246.60, 5e-3);
        let run = roof.measure(&Problem::new(8944, 2816, 1024, DataType::Bf16), 110.589e-6);
        close(run.flops_per_s.0 / 1e12, 466.4, 0.05);
        let achievable =
            by_id("mi300x").unwrap().roof(DataType::Bf16, RoofKind::Achievable).unwrap();
        assert_eq!(achievable.peak_flops_per_s, 708e12);
        // Without an achievable rate it is the datasheet's, and it says so.
        let l4 = by_id("l4").unwrap();
        let kinds = [RoofKind::Achievable, RoofKind::Datasheet];
        let [a, b] = kinds.map(|kind| l4.roof(DataType::Bf16, kind));
        assert!(a.is_some() && a == b);
        assert_eq!(l4.roof_kind(DataType::Bf16, RoofKind::Achievable), RoofKind::Datasheet);
    }

    #[test]
    fn bounds_have_a_neutral_band() {
        let ridge = A100.ridge();
        assert_eq!(A100.bound(0.74 * ridge), Bound::Memory);
        assert_eq!(A100.bound(0.76 * ridge), Bound::NearRidge);
        assert_eq!(A100.bound(1.24 * ridge), Bound::NearRidge);
        assert_eq!(A100.bound(1.26 * ridge), Bound::Compute);
    }

    #[test]
    fn batch_that_reaches_the_ridge() {
        let roof = by_id("a100-80-sxm").unwrap().roof(DataType::Fp16, RoofKind::Datasheet).unwrap();
        let layer = Problem::new(1, 4096, 4096, DataType::Fp16);
        let m = roof.ridge_m(&layer).unwrap();
        // Closed form, as documented on `ridge_m`.
        let (r, n, k) = (roof.ridge(), 4096.0, 4096.0);
        let exact = r * 2.0 * k * n / (2.0 * k * n - r * (2.0 * k + 2.0 * n));
        assert_eq!(f64::from(m), exact.ceil());
        let thin = Problem::new(1, 64, 64, DataType::Fp16);
        assert_eq!(roof.ridge_m(&thin), None);
    }

    proptest! {
        #[test]
        fn efficiency_is_attained_over_roof(
            m in 1u32..100_000, n in 1u32..100_000, k in 1u32..100_000, time in 1e-7f64..1.0,
        ) {
            let run = A100.measure(&Problem::new(m, n, k, DataType::Bf16), time);
            prop_assert!((run.efficiency / (run.flops_per_s / run.roof) - 1.0).abs() < 1e-9);
            prop_assert!((run.lost_time.0 - (time - run.roofline_time.0).max(0.0)).abs() < 1e-9);
        }

        #[test]
        fn ridge_m_is_the_first(n in 1u32..20_000, k in 1u32..20_000) {
            let layer = Problem::new(1, n, k, DataType::Bf16);
            if let Some(m) = A100.ridge_m(&layer) {
                let ai = |m| Problem { m, ..layer }.intensity().0;
                prop_assert!(ai(m) >= A100.ridge());
                prop_assert!(m == 1 || ai(m - 1) < A100.ridge());
            }
        }
    }
}
