//! Fits shares of peak and bandwidth to published times, and measures the error of expected times.

use super::{Precision, ReferenceTable};
use crate::gemm::Problem;
use crate::hardware::{Device, RoofKind, by_id};
use crate::roofline::Roof;

/// Minimum N and K: narrower GEMMs hold little work and are left out.
const NARROW: u32 = 64;
/// Minimum work in FLOP of the GEMMs that tell the achievable rate.
const LARGE: f64 = 2e12;

/// Expected times of a device compared with the published ones of its bf16 table.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// The device, from the catalogue.
    pub device: &'static Device,
    /// Number of validation shapes: every second value of M, which the fit does not use.
    pub shapes: usize,
    /// Error of expected times on the validation shapes, as a factor (geometric mean).
    pub error: f64,
    /// 90th percentile of the rates of large GEMMs, FLOP/s.
    pub p90_flops_per_s: f64,
}

/// Share of peak, share of bandwidth, launch floor in seconds.
pub type Reached = (f64, f64, f64);

/// Splits a table by M: shapes to fit (every other value of M) and shapes to validate with.
fn planes(table: &ReferenceTable) -> [Vec<(Problem, f64)>; 2] {
    let all = table.each().filter(|(p, _)| p.n.min(p.k) >= NARROW);
    let all: Vec<(Problem, f64)> = all.collect();
    let mut sizes: Vec<u32> = all.iter().map(|(p, _)| p.m).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let (even, odd) = all.into_iter().partition(|(p, _)| {
        let place = sizes.binary_search(&p.m).unwrap_or(0);
        place % 2 == 0
    });
    [even, odd]
}

/// Geometric mean of the factors by which expected and published times differ.
fn error(shapes: &[(Problem, f64)], expected_s: impl Fn(&Problem) -> f64) -> f64 {
    let off = shapes.iter().map(|(p, s)| (expected_s(p) / s).ln().abs());
    (off.sum::<f64>() / shapes.len() as f64).exp()
}

/// Error of a device's expected times; `None` without fitted shares or if the table is not bf16.
pub fn calibration(table: &ReferenceTable) -> Option<Calibration> {
    let source = table.source();
    let device = by_id(&source.device).filter(|d| d.reached_peak.is_some())?;
    if source.precision != Precision::Bf16 {
        return None;
    }
    let [_, unseen] = planes(table);
    let large = table.each().filter(|(p, _)| p.work().0 >= LARGE);
    let mut rates: Vec<f64> = large.map(|(p, s)| p.work().0 / s).collect();
    rates.sort_by(f64::total_cmp);
    Some(Calibration {
        device,
        shapes: unseen.len(),
        error: error(&unseen, |p| device.expected_s(p).unwrap_or(f64::NAN)),
        p90_flops_per_s: rates.get(rates.len() * 9 / 10).copied().unwrap_or(f64::NAN),
    })
}

/// The shares (in steps of 0.05) and the launch floor (in steps of 1 µs) with the least error on the fitted half of the
/// table; `None` if the device has no datasheet roof for the type.
pub fn fit(table: &ReferenceTable) -> Option<Reached> {
    let dtype = table.source().precision.operation().compute;
    let sheet = by_id(&table.source().device)?.roof(dtype, RoofKind::Datasheet)?;
    let [seen, _] = planes(table);
    // Work and bytes are the same for every candidate.
    let shapes: Vec<(f64, f64, f64)> =
        seen.iter().map(|(p, s)| (p.work().0, p.bytes().0, *s)).collect();
    let shares = || (10..20).map(|step| f64::from(step) * 0.05);
    let mut best = (f64::INFINITY, (0.0, 0.0, 0.0));
    for (peak, bandwidth) in shares().flat_map(|peak| shares().map(move |b| (peak, b))) {
        let reached = Roof {
            peak_flops_per_s: peak * sheet.peak_flops_per_s,
            bandwidth_bytes_per_s: bandwidth * sheet.bandwidth_bytes_per_s,
        };
        for floor_s in (1..9).map(|us| f64::from(us) * 1e-6) {
            let off = shapes
                .iter()
                .map(|(work, bytes, s)| ((reached.time_s(*work, *bytes) + floor_s) / s).ln().abs());
            let off: f64 = off.sum();
            if off < best.0 {
                best = (off, (peak, bandwidth, floor_s));
            }
        }
    }
    Some(best.1)
}
