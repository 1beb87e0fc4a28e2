//! Rule: so many rows are above the roof, or kernels cannot run on the device, that device, type or unit must be wrong.

use super::above_roof::causes;
use super::hits::{self, Hit};
use super::{Basis, Category, Fact, FindingFacts, Group, Kind, Need, Rule, Scan, Severity};
use crate::names::distinct;
use gemmscope_model::tiling::kernel_name::runs_on;
use gemmscope_table::field::Frame;
use gemmscope_table::kernel_target::kernel_targets;
use gemmscope_table::metrics::ABOVE_ROOF;

/// Fraction of rows above their roof from which the device is in doubt.
pub(super) const SHARE: f64 = 0.20;

pub(super) const RULE: Rule = Rule {
    id: "wrong_device",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::Roof],
    basis: Basis::Arithmetic,
    check,
};

/// Number of GEMMs above their roof, and of GEMMs with a roof.
fn above(scan: &Scan<'_>) -> (u64, u64) {
    let known = || scan.checked().map(|(_, g)| g).filter(|g| g.roof_s.is_finite());
    let above = known().filter(|g| g.efficiency() > ABOVE_ROOF);
    (scan.gemms_of(above), scan.gemms_of(known()))
}

fn in_doubt(scan: &Scan<'_>) -> bool {
    let (above, all) = above(scan);
    above as f64 > SHARE * all as f64 || other_kernels(scan.frame).is_some()
}

/// Code of the first device that cannot run the kernels of its rows, and the kernels' target.
pub fn other_kernels(frame: &Frame) -> Option<(u16, String)> {
    let devices = &frame.metrics.devices;
    let targets = kernel_targets(&frame.data).into_iter().enumerate();
    let mut wrong = targets.filter_map(|(code, target)| {
        let device = devices.get(code)?.as_ref()?;
        target.filter(|t| !runs_on(t, &device.arch_token)).map(|t| (code as u16, t))
    });
    wrong.next()
}

/// Finding: kernels were built for another device than the file names.
fn of_another_device(rule: &Rule, scan: &Scan<'_>, code: u16, target: String) -> Vec<FindingFacts> {
    let of_device = |g: &Group| scan.data().device[g.row as usize] == code;
    let hits: Vec<Hit> =
        scan.checked().filter(|(_, g)| of_device(g)).map(|(i, _)| Hit::of(i)).collect();
    one(rule, scan, hits, &Fact::KernelsOfAnother { device: code, target })
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    if !in_doubt(scan) {
        return Vec::new();
    }
    if let Some((device, target)) = other_kernels(scan.frame) {
        return of_another_device(rule, scan, device, target);
    }
    let (above, all) = above(scan);
    let hits: Vec<Hit> = scan
        .checked()
        .filter(|(_, g)| g.efficiency() > ABOVE_ROOF)
        .map(|(i, _)| Hit::of(i))
        .collect();
    let groups = hits.iter().map(|hit| &scan.groups[hit.group as usize]);
    let devices = groups.clone().filter_map(|g| scan.device(g));
    let of_row = |g: &Group| causes(scan.frame, g.row as usize);
    let fact = Fact::ManyAboveRoof {
        above,
        all,
        devices: distinct(devices.map(|device| device.name.as_str())),
        causes: groups.clone().flat_map(of_row).collect(),
        most: groups.max_by(|a, b| a.efficiency().total_cmp(&b.efficiency())).copied(),
    };
    one(rule, scan, hits, &fact)
}

/// One question over the rows of all sides.
fn one(rule: &Rule, scan: &Scan<'_>, hits: Vec<Hit>, fact: &Fact) -> Vec<FindingFacts> {
    let mut found = hits::joined(rule, scan, vec![hits], |_| Some(fact.clone()));
    let of_others: Vec<u32> = found.iter().skip(1).flat_map(|f| f.evidence.rows.clone()).collect();
    let others_s: f64 = found.iter().skip(1).map(|f| f.time_s).sum();
    found.truncate(1);
    for finding in &mut found {
        finding.severity = Severity::Critical;
        finding.evidence.rows.extend(&of_others);
        finding.evidence.rows.sort_unstable();
        finding.groups = scan.gemms(&finding.evidence.rows);
        finding.time_s += others_s;
    }
    found
}
