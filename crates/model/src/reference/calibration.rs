//! How far expected times are from published ones, and the shares of peak and bandwidth that fit them best.

use super::{Precision, ReferenceTable};
use crate::gemm::Problem;
use crate::hardware::{Device, RoofKind, by_id};
use crate::roofline::Roof;

/// GEMMs narrower than this in N or K are left out: they hold little work.
const NARROW: u32 = 64;
/// GEMMs of this work and more tell what rate is achievable, FLOP.
const LARGE: f64 = 2e12;

/// A device's expected times beside the published ones of its bf16 table.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// The device as the catalogue has it.
    pub device: &'static Device,
    /// Shapes of every second plane of M, which the fit does not see.
    pub shapes: usize,
    /// Geometric mean of the factors by which expected times are off on them.
    pub error: f64,
    /// 90th percentile of the rates of large GEMMs, FLOP/s.
    pub p90_flops_per_s: f64,
}

/// Share of peak, share of bandwidth, launch floor in seconds.
pub type Reached = (f64, f64, f64);

/// The planes of M of a table: those that a fit sees, and those that it does not.
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

/// Geometric mean of the factors by which times are off.
fn error(shapes: &[(Problem, f64)], expected_s: impl Fn(&Problem) -> f64) -> f64 {
    let off = shapes.iter().map(|(p, s)| (expected_s(p) / s).ln().abs());
    (off.sum::<f64>() / shapes.len() as f64).exp()
}

/// How far a device's expected times are off, if it has a bf16 table and shares of its own.
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

/// The shares and the floor whose expected times are least off on the planes of M that a fit sees, in steps of 0.05
/// and 1 µs.
pub fn fit(table: &ReferenceTable) -> Option<Reached> {
    let dtype = table.source().precision.operation().compute;
    let sheet = by_id(&table.source().device)?.roof(dtype, RoofKind::Datasheet)?;
    let [seen, _] = planes(table);
    // Work and bytes are the same for every fit.
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
