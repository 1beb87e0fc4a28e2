//! Rule: even the best large GEMM of a device and type is so far below its roof that the device, the type or the unit
//! may be wrong.

use super::{Basis, Category, Fact, FindingFacts, Group, Kind, Need, Rule, Scan, Severity, hits};
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::Device;
use std::collections::BTreeMap;

/// Efficiency below which it is suspicious: libraries reach a multiple of this with large GEMMs on any device.
const FAR: f64 = 0.05;
/// A GEMM is large if its roof time per call is at least this, about a launch, in seconds, and its output has enough
/// small tiles for half of the compute units.
const LARGE_S: f64 = 5e-6;
/// Width and height of a small tile.
const TILE: u32 = 64;

pub(super) const RULE: Rule = Rule {
    id: "far_below",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::Roof],
    basis: Basis::Arithmetic,
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let mut all: BTreeMap<_, Vec<&Group>> = BTreeMap::new();
    for (_, g) in scan.checked().filter(|(_, g)| g.roof_s.is_finite()) {
        let row = g.row as usize;
        let place = (scan.data().device[row], scan.problem(g).op.compute.name());
        all.entry(place).or_default().push(g);
    }
    all.into_iter().filter_map(|((_, dtype), groups)| of(rule, scan, dtype, &groups)).collect()
}

/// Best efficiency among the GEMMs of one device and type.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reach {
    best: f64,
    large: bool,
}

impl Reach {
    /// Adds a GEMM with efficiency `share` and a roof time of `roof_s` seconds per call.
    pub(crate) fn add(&mut self, p: &Problem, device: &Device, share: f64, roof_s: f64) {
        let [rows, columns] = [p.m, p.n].map(|size| f64::from(size.div_ceil(TILE)));
        let tiles = rows * columns * f64::from(p.batch);
        let units = device.units.map_or(0.0, f64::from);
        self.large |= 2.0 * tiles >= units && roof_s >= LARGE_S;
        self.best = self.best.max(share);
    }

    /// Best efficiency.
    pub(crate) fn best(&self) -> f64 {
        self.best
    }

    /// True if a GEMM is large and none comes near its roof.
    pub(crate) fn is_far(&self) -> bool {
        self.large && self.best < FAR
    }
}

/// The finding of one device and type.
fn of(
    rule: &Rule,
    scan: &Scan<'_>,
    dtype: &'static str,
    groups: &[&Group],
) -> Option<FindingFacts> {
    let best = groups.iter().max_by(|a, b| a.efficiency().total_cmp(&b.efficiency()))?;
    let device = scan.device(best)?;
    let mut reach = Reach::default();
    for g in groups {
        reach.add(&scan.problem(g), device, g.efficiency(), g.roof_s / g.calls);
    }
    if !reach.is_far() {
        return None;
    }
    let mut rows: Vec<u32> = groups.iter().flat_map(|g| scan.rows(g)).copied().collect();
    rows.sort_unstable();
    let time_s = groups.iter().map(|g| g.time_s).sum();
    let fact = Fact::FarBelow { gemms: scan.gemms(&rows), dtype, best: **best };
    let mut found = hits::of_rows(rule, scan, rows, time_s, fact);
    found.severity = Severity::Critical;
    Some(found)
}
