//! Rule: points above their roof.

use super::story::{self, Hit, Story};
use super::{Basis, Category, Group, Kind, Need, Rule, Scan};
use crate::figures::figures;
use crate::trust::NOISE;
use gemmscope_model::hardware::Device;
use gemmscope_model::roofline::{AboveRoofCause, CacheLevel, above_roof_causes};
use gemmscope_model::units::{Bytes, percent};
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::ABOVE_ROOF;

pub(super) const RULE: Rule = Rule {
    id: "above_roof",
    title: "Above the roof",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::Roof],
    threshold: "more than 102 % of the roof; over 110 % is left out of every ranking",
    basis: Basis::Arithmetic,
    why: "Nothing runs above its roof: the device, the unit, the shape or the reference is not what \
          is assumed.",
    path_a: "Check what was run: sizes, batch, sparsity, and whether operands stay in a cache \
             between repeated calls.",
    path_b: "Check device, unit of the time and clock; measure again with cold caches.",
    profile: "Profile the bytes from memory (cache residency), the instructions (sparsity) and \
              the clock.",
    check,
};

fn words_of(cause: &AboveRoofCause) -> String {
    match cause {
        AboveRoofCause::Noise { .. } => format!("{NOISE}."),
        AboveRoofCause::CacheResidency { level, cache_bytes, excess_bytes, .. } => format!(
            "{} more than memory could deliver in this time may have come from the {} of {}.",
            Bytes(*excess_bytes).to_iec(),
            match level {
                CacheLevel::L2 => "L2 cache",
                CacheLevel::LastLevel => "last-level cache",
            },
            Bytes(*cache_bytes).to_iec()
        ),
        AboveRoofCause::StructuredSparsity { efficiency } => {
            format!("with 2:4 sparsity the peak is twice as high: {} of it.", percent(*efficiency))
        }
        AboveRoofCause::OtherDevice { devices } => format!(
            "another device: it would be under the roof of {}.",
            devices.iter().take(3).map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ")
        ),
        AboveRoofCause::TimeUnit { factor, efficiency } => format!(
            "a unit: with {factor:.0} times the time it is {} of the roof.",
            percent(*efficiency)
        ),
        AboveRoofCause::BinaryUnits { efficiency } => format!(
            "binary units read as decimal ones: {} of the roof after a factor of 1.074.",
            percent(*efficiency)
        ),
        _ => "sizes, batch or type are not what was run.".to_owned(),
    }
}

/// What would bring a row that is above its roof under it, a sentence each.
pub fn causes(frame: &Frame, row: usize) -> Vec<String> {
    let x = figures(frame, row);
    let of = |d: &Device| above_roof_causes(&x.problem, x.time_s, d, frame.metrics.kind);
    let causes = x.device.map_or_else(Vec::new, of);
    // At the clock of the row it may be above a roof that it is under at the clock of the peak.
    let none = causes.is_empty().then_some(AboveRoofCause::Shape);
    causes.iter().chain(&none).map(words_of).collect()
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<super::Finding> {
    let above = |row: &u32| scan.metrics().efficiency(scan.data(), *row as usize) > ABOVE_ROOF;
    let has = |g: &Group| scan.rows(g).iter().any(above);
    let hits =
        (0u32..).zip(&scan.groups).filter(|(_, g)| has(g)).map(|(i, _)| Hit::of(i)).collect();
    // Of a GEMM's repeats the farthest above.
    let farthest = |g: &Group| {
        let (data, metrics) = (scan.data(), scan.metrics());
        let share = |row: &u32| metrics.efficiency(data, *row as usize);
        let mut one = *g;
        if let Some(row) = scan.rows(g).iter().max_by(|a, b| share(a).total_cmp(&share(b))) {
            let r = *row as usize;
            (one.row, one.calls) = (*row, 1.0);
            (one.time_s, one.roof_s) = (data.time_s[r], metrics.roof_s[r]);
        }
        one
    };
    let tell = |g: &Group| {
        let g = &farthest(g);
        let would = match causes(scan.frame, g.row as usize).join(" ") {
            words if words.is_empty() => String::new(),
            words => format!(" What would bring it under: {words}"),
        };
        let (share, roof) = (percent(g.efficiency()), scan.roof_name());
        Story {
            title: format!("{share} of the {roof}: {}", scan.title(g)),
            text: format!("{}.{would}", story::opening(scan, g)),
            formula: story::roof_formula(scan, g),
            ..Story::default()
        }
    };
    let many = |n| format!("{n} GEMMs above their roof");
    let mut found = story::standing_out(rule, scan, hits, Group::efficiency, tell, many);
    for finding in &mut found {
        finding.severity = super::Severity::Medium;
        // Of a GEMM's repeats those that are above.
        finding.evidence.rows.retain(above);
        let rows = finding.evidence.rows.len();
        if rows > 1 {
            finding.title = format!("{rows} rows above the {}", scan.roof_name());
        }
    }
    found
}
