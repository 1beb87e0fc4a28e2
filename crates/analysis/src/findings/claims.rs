//! Which finding speaks for a group, so that no time is promised twice.
//!
//! Rules are checked in the order of [`RULES`](super::RULES): comparisons of the same GEMM first,
//! then tiles and waves, then the distance from the roof. A finding that explains at least half of
//! what a group loses speaks for it: what later rules see on the same group becomes a remark of
//! that finding. A finding that explains less leaves the rest of the loss to later rules.
//!
//! Tiles and waves speak first only where they cost more than the kernel loses below the roof of
//! its tile. The others are checked again at the end, and are then a remark of the finding about
//! the kernel.

use super::story::{Hit, Story};
use super::{Also, Category, Finding, Group, Need, Rule, Scan};
use std::collections::HashMap;

/// The part of a group's lost time from which on a finding speaks for it.
const SPEAKS: f64 = 0.5;

/// What findings have promised, by group.
#[derive(Debug, Default)]
pub(super) struct Claims {
    of_group: HashMap<u32, Claim>,
    remarks: Vec<Remark>,
    next: u32,
    /// The second round of the rules about tiles.
    pub(super) late: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Claim {
    /// Seconds that findings promise so far.
    promised_s: f64,
    /// Key of the finding that speaks for the group.
    speaker: Option<u32>,
}

#[derive(Debug)]
struct Remark {
    finding: u32,
    rule: &'static str,
    title: &'static str,
    count: usize,
    first: Story,
}

/// Seconds that a kernel at the roof would save, or all of them if the roof is not known.
pub(super) fn loses(group: &Group) -> f64 {
    match group.roof_s.is_nan() {
        true => group.time_s,
        false => group.saved_at(1.0),
    }
}

/// Seconds that a rule can promise at most for a group: what it loses; all of them where a faster run
/// was measured, whatever the roof says of it.
pub(super) fn at_most(rule: &Rule, group: &Group) -> f64 {
    let measured = matches!(rule.category, Category::Library | Category::Layout)
        && !rule.needs.contains(&Need::Roof);
    match measured {
        true => group.time_s,
        false => loses(group),
    }
}

/// True for rules whose findings on a group that is explained already are a remark.
fn is_remark(rule: &Rule) -> bool {
    !matches!(rule.category, Category::Data | Category::Precision | Category::Stability)
}

/// True where tile and waves cost more than the kernel loses below the roof of its tile.
fn tile_costs_most(scan: &Scan<'_>, group: &Group) -> bool {
    let tile = scan.tile(group);
    let of = tile.and_then(|t| Some((t.roof?, t.attained_flops_per_s)));
    of.is_none_or(|(roof, attained)| {
        let kernel = attained / roof.flops_per_s;
        let tile = roof.flops_per_s / roof.device_flops_per_s;
        tile <= kernel
    })
}

impl Claims {
    /// The hits that make findings of their own, with no more time than is left; the others become
    /// remarks, whose first one `tell` describes.
    pub(super) fn admit(
        &mut self,
        rule: &Rule,
        scan: &Scan<'_>,
        hits: Vec<Hit>,
        tell: impl Fn(&Hit, &Group) -> Story,
    ) -> Vec<Hit> {
        let mut out = Vec::with_capacity(hits.len());
        for mut hit in hits {
            let group = &scan.groups[hit.group as usize];
            if rule.category == Category::Tiling && tile_costs_most(scan, group) == self.late {
                continue;
            }
            let claim = self.of_group.get(&hit.group).copied().unwrap_or_default();
            if let (Some(finding), true) = (claim.speaker, is_remark(rule)) {
                let mut known = self.remarks.iter_mut();
                match known.find(|r| r.finding == finding && r.rule == rule.id) {
                    Some(remark) => remark.count += 1,
                    None => self.remarks.push(Remark {
                        finding,
                        rule: rule.id,
                        title: rule.title,
                        count: 1,
                        first: tell(&hit, group),
                    }),
                }
                continue;
            }
            // A row that stands for no calls has no time that could be saved.
            let known = hit.back.filter(|(low, high)| low.is_finite() && high.is_finite());
            hit.back = known.map(|(low, high)| {
                let left = (at_most(rule, group) - claim.promised_s).max(0.0);
                let high = high.clamp(0.0, left);
                (low.clamp(0.0, high), high)
            });
            hit.back = hit.back.filter(|(_, high)| *high > 0.0);
            out.push(hit);
        }
        out
    }

    /// Records what a finding promises. Returns its key.
    pub(super) fn record(&mut self, scan: &Scan<'_>, hits: &[Hit]) -> u32 {
        let key = self.next;
        self.next += 1;
        for hit in hits {
            let Some((_, high)) = hit.back else { continue };
            let most = loses(&scan.groups[hit.group as usize]);
            let claim = self.of_group.entry(hit.group).or_default();
            claim.promised_s += high;
            if claim.speaker.is_none() && high > 0.0 && high >= SPEAKS * most {
                claim.speaker = Some(key);
            }
        }
        key
    }

    /// Gives the findings what other rules saw on their groups.
    pub(super) fn settle(&mut self, findings: &mut [Finding]) {
        for finding in findings {
            finding.also = self
                .remarks
                .iter()
                .filter(|r| Some(r.finding) == finding.key)
                .map(|r| Also {
                    rule: r.rule.to_owned(),
                    title: match r.count {
                        1 => r.first.title.clone(),
                        n => format!("{} ({n} GEMMs); {}", r.title, r.first.title),
                    },
                    formula: r.first.formula.clone(),
                })
                .collect();
        }
    }
}
