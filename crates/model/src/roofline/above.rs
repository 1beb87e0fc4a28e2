//! Possible explanations of a point above its roof.

use super::Roof;
use crate::dtype::Family;
use crate::gemm::Problem;
use crate::hardware::{Device, RoofKind, catalog};

/// A cache level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheLevel {
    /// The L2 cache.
    L2,
    /// The last-level cache behind L2.
    LastLevel,
}

/// One possible explanation of a point above its roof. Several can apply; none is proved.
#[derive(Clone, Debug, PartialEq)]
pub enum AboveRoofCause {
    /// The run beats the achievable rate on record but not the datasheet's.
    UnderDatasheet {
        /// Efficiency against the datasheet roof.
        efficiency: f64,
    },
    /// The excess is within the jitter of clocks and timers.
    Noise {
        /// Efficiency as measured, 1.02 at most.
        efficiency: f64,
    },
    /// Repeated runs find operands in a cache, so not all bytes come from memory.
    CacheResidency {
        /// Cache that can hold the bytes that memory did not deliver.
        level: CacheLevel,
        /// Its size in bytes.
        cache_bytes: f64,
        /// Compulsory bytes of the problem.
        working_set_bytes: f64,
        /// Bytes that memory at full bandwidth could not deliver in the measured time.
        excess_bytes: f64,
    },
    /// The kernel skipped zeros (2:4), which doubles the peak.
    StructuredSparsity {
        /// Efficiency against twice the peak.
        efficiency: f64,
    },
    /// The run was on another device. The candidates, the nearest first.
    OtherDevice {
        /// Catalogue devices whose roof is above the run.
        devices: Vec<&'static Device>,
    },
    /// The time is too short by a power of a thousand.
    TimeUnit {
        /// The factor that makes the efficiency plausible.
        factor: f64,
        /// Efficiency after correcting by it.
        efficiency: f64,
    },
    /// Binary units were read as decimal or the other way round: a factor of 2^30 / 10^9.
    BinaryUnits {
        /// Efficiency after correcting by it.
        efficiency: f64,
    },
    /// Sizes or batch in the file differ from those that ran. Always possible.
    Shape,
}

const GIB_PER_GB: f64 = 1.073_741_824;

/// Explanations of a run above its roof, the likeliest first. Empty if the run is under its roof or the device has no
/// roof for its type; otherwise the last one is [`AboveRoofCause::Shape`].
///
/// `time_s` is for the whole batch.
pub fn above_roof_causes(
    problem: &Problem,
    time_s: f64,
    device: &Device,
    kind: RoofKind,
) -> Vec<AboveRoofCause> {
    let Some(roof) = device.roof(problem.op.compute, kind) else {
        return Vec::new();
    };
    let run = roof.measure(problem, time_s);
    let mut causes = Vec::new();
    if run.efficiency.is_nan() || run.efficiency <= 1.0 {
        return causes;
    }
    let beats_compute = run.flops_per_s.0 > roof.peak_flops_per_s;
    let beats_memory = run.bytes_per_s.0 > roof.bandwidth_bytes_per_s;

    if kind == RoofKind::Achievable
        && let Some(datasheet) = device.roof(problem.op.compute, RoofKind::Datasheet)
    {
        let efficiency = datasheet.measure(problem, time_s).efficiency;
        if efficiency <= 1.0 {
            causes.push(AboveRoofCause::UnderDatasheet { efficiency });
        }
    }
    if run.efficiency <= 1.02 {
        causes.push(AboveRoofCause::Noise { efficiency: run.efficiency });
    }
    if beats_memory && !beats_compute {
        let excess_bytes = run.bytes.0 - roof.bandwidth_bytes_per_s * time_s;
        let cache = [(CacheLevel::L2, device.l2_bytes), (CacheLevel::LastLevel, device.llc_bytes)]
            .into_iter()
            .filter_map(|(level, size)| Some((level, size?)))
            .find(|(_, size)| *size >= excess_bytes);
        if let Some((level, cache_bytes)) = cache {
            causes.push(AboveRoofCause::CacheResidency {
                level,
                cache_bytes,
                working_set_bytes: run.bytes.0,
                excess_bytes,
            });
        }
    }
    if beats_compute && has_sparsity(problem) {
        let doubled = Roof { peak_flops_per_s: 2.0 * roof.peak_flops_per_s, ..roof };
        let efficiency = doubled.measure(problem, time_s).efficiency;
        if efficiency <= 1.0 {
            causes.push(AboveRoofCause::StructuredSparsity { efficiency });
        }
    }
    let devices = devices_over(problem, time_s, device, kind);
    if !devices.is_empty() {
        causes.push(AboveRoofCause::OtherDevice { devices });
    }
    // A factor that leaves the kernel at a thousandth of its roof explains nothing.
    if let Some((factor, efficiency)) = [1e3, 1e6]
        .into_iter()
        .map(|factor| (factor, run.efficiency / factor))
        .find(|(_, efficiency)| *efficiency <= 1.0 && *efficiency >= 0.01)
    {
        causes.push(AboveRoofCause::TimeUnit { factor, efficiency });
    }
    if run.efficiency <= GIB_PER_GB {
        causes.push(AboveRoofCause::BinaryUnits { efficiency: run.efficiency / GIB_PER_GB });
    }
    causes.push(AboveRoofCause::Shape);
    causes
}

/// True for types that have a 2:4 sparse rate on devices that support it.
fn has_sparsity(problem: &Problem) -> bool {
    matches!(
        problem.op.compute.family(),
        Some(
            Family::Tf32
                | Family::Fp16
                | Family::Bf16
                | Family::Fp8
                | Family::Fp6
                | Family::Fp4
                | Family::Int8
                | Family::Int4
        )
    )
}

fn devices_over(
    problem: &Problem,
    time_s: f64,
    device: &Device,
    kind: RoofKind,
) -> Vec<&'static Device> {
    let mut found: Vec<(f64, &'static Device)> = catalog()
        .iter()
        .filter(|other| other.id != device.id)
        .filter_map(|other| {
            let roof = other.roof(problem.op.compute, kind)?;
            let efficiency = roof.measure(problem, time_s).efficiency;
            (efficiency <= 1.0).then_some((efficiency, other))
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, device)| device).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DataType;
    use crate::hardware::by_id;
    use proptest::prelude::*;

    fn causes(id: &str, problem: &Problem, time_s: f64) -> Vec<AboveRoofCause> {
        above_roof_causes(problem, time_s, by_id(id).unwrap(), RoofKind::Datasheet)
    }

    fn has(causes: &[AboveRoofCause], name: &str) -> bool {
        causes.iter().any(|cause| format!("{cause:?}").starts_with(name))
    }

    #[test]
    fn nothing_to_explain_under_the_roof() {
        let problem = Problem::new(4096, 4096, 4096, DataType::Fp16);
        assert_eq!(causes("a100-80-sxm", &problem, 0.690e-3), []);
        assert_eq!(causes("v100-sxm2", &Problem::new(1, 1, 1, DataType::Bf16), 1e-12), []);
    }

    #[test]
    fn the_one_row_over_five_terabytes() {
        // hipBLASLt on MI300X: (16, 2048, 65536) fp16 in 50.9229 us is 100.3 % of 5.3 TB/s.
        let problem = Problem::new(16, 2048, 65536, DataType::Fp16);
        let found = causes("mi300x", &problem, 50.9229e-6);
        assert!(has(&found, "Noise") && has(&found, "CacheResidency"));
        assert!(!has(&found, "StructuredSparsity"));
        let AboveRoofCause::Noise { efficiency } = found[0] else {
            panic!("{found:?}");
        };
        assert!((efficiency - 1.003).abs() < 5e-4);
        assert_eq!(found.last(), Some(&AboveRoofCause::Shape));
    }

    #[test]
    fn a_sparse_kernel_on_a_dense_roof() {
        // The profiler's spgemm row: 16384^3 at 483.6 TFLOP/s on A100, whose dense peak is 312.
        let problem = Problem::new(16384, 16384, 16384, DataType::Fp16);
        let found = causes("a100-40-sxm", &problem, 18.19e-3);
        assert!(has(&found, "StructuredSparsity") && has(&found, "OtherDevice"));
        assert!(!has(&found, "CacheResidency") && !has(&found, "Noise"));
    }

    #[test]
    fn microseconds_taken_for_milliseconds() {
        let problem = Problem::new(4096, 4096, 4096, DataType::Fp16);
        let found = causes("a100-80-sxm", &problem, 0.690e-6);
        assert!(found.iter().any(|cause| matches!(
            cause,
            AboveRoofCause::TimeUnit { factor, efficiency }
                if *factor == 1e3 && (efficiency - 0.638).abs() < 1e-3
        )));
        assert!(!has(&found, "StructuredSparsity"));
    }

    #[test]
    fn small_operands_stay_in_cache() {
        // 2 MiB of operands at twice the memory bandwidth.
        let problem = Problem::new(16, 512, 2048, DataType::Fp16);
        let time = problem.bytes().0 / (2.0 * 5.3e12);
        let found = causes("mi300x", &problem, time);
        let AboveRoofCause::CacheResidency { level, working_set_bytes, .. } = found[0] else {
            panic!("{found:?}");
        };
        assert_eq!(level, CacheLevel::L2);
        assert_eq!(working_set_bytes, problem.bytes().0);
    }

    #[test]
    fn beating_the_achievable_rate() {
        let problem = Problem::new(8192, 8192, 8192, DataType::Bf16);
        let time = problem.work().0 / 800e12;
        let found =
            above_roof_causes(&problem, time, by_id("mi300x").unwrap(), RoofKind::Achievable);
        assert!(has(&found[..1], "UnderDatasheet"));
    }

    proptest! {
        #[test]
        fn never_empty_above_never_filled_below(
            m in 1u32..10_000, n in 1u32..10_000, k in 1u32..10_000, time in 1e-12f64..1.0,
        ) {
            let device = by_id("mi300x").unwrap();
            let problem = Problem::new(m, n, k, DataType::Bf16);
            let roof = device.roof(DataType::Bf16, RoofKind::Datasheet).unwrap();
            let above = roof.measure(&problem, time).efficiency > 1.0;
            let found = above_roof_causes(&problem, time, device, RoofKind::Datasheet);
            prop_assert_eq!(above, !found.is_empty());
        }
    }
}
