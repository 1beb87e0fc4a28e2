//! Rule: so many rows are above the roof that the device, the type or the unit must be another; or the
//! kernels cannot run on the device.

use super::above_roof::causes;
use super::story::{self, Hit, Story};
use super::{Basis, Category, Finding, Group, Kind, Need, Rule, Scan, Severity};
use crate::names::distinct;
use gemmscope_model::hardware::short_name;
use gemmscope_model::tiling::kernel_name::runs_on;
use gemmscope_model::units::{either, percent, plural};
use gemmscope_table::field::Frame;
use gemmscope_table::kernel_target::{devices_for, kernel_targets};
use gemmscope_table::metrics::ABOVE_ROOF;
use std::collections::BTreeMap;

/// With more than this share of the rows above their roof, the device is in doubt.
pub(super) const SHARE: f64 = 0.20;

pub(super) const RULE: Rule = Rule {
    id: "wrong_device",
    title: "Probably another device, type or unit",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time, Need::Roof],
    threshold: "over 20 % of the rows with a roof are more than 2 % above it, or the kernels' names say \
                that they were built for another device",
    basis: Basis::Arithmetic,
    why: "A few rows above the roof can have other causes. This many, or kernels that the device cannot \
          run, mean that the roof is another device's.",
    path_a: "Choose the device that ran, or type its peaks.",
    path_b: "Check the unit of the time and the data type of the rows.",
    profile: "Nothing: ask whoever measured for the device and the unit of the time.",
    check,
};

/// Rows above their roof and rows with a roof.
fn above(scan: &Scan<'_>) -> (usize, usize) {
    let known = scan.checked().filter(|(_, g)| g.roof_s.is_finite());
    known.fold((0, 0), |(above, all), (_, g)| {
        (above + usize::from(g.efficiency() > ABOVE_ROOF), all + 1)
    })
}

fn in_doubt(scan: &Scan<'_>) -> bool {
    let (above, all) = above(scan);
    above as f64 > SHARE * all as f64 || other_kernels(scan.frame).is_some()
}

/// The first device that cannot run the kernels of its rows, by its code, and what they were built for.
pub fn other_kernels(frame: &Frame) -> Option<(u16, String)> {
    let devices = &frame.metrics.devices;
    let targets = kernel_targets(&frame.data).into_iter().enumerate();
    let mut wrong = targets.filter_map(|(code, target)| {
        let device = devices.get(code)?.as_ref()?;
        target.filter(|t| !runs_on(t, &device.arch_token)).map(|t| (code as u16, t))
    });
    wrong.next()
}

/// `The kernels were built for gfx942, which the NVIDIA H100 is not`.
pub fn built_for_another(frame: &Frame, code: u16, target: &str) -> Option<String> {
    let device = frame.metrics.devices.get(usize::from(code))?.as_ref()?;
    Some(format!("The kernels were built for {target}, which the {} is not", device.name))
}

/// The finding that kernels were built for another device than the file names.
fn of_another_device(rule: &Rule, scan: &Scan<'_>, code: u16, target: &str) -> Vec<Finding> {
    let of_device = |g: &Group| scan.data().device[g.row as usize] == code;
    let hits: Vec<Hit> =
        scan.checked().filter(|(_, g)| of_device(g)).map(|(i, _)| Hit::of(i)).collect();
    let Some(title) = built_for_another(scan.frame, code, target) else {
        return Vec::new();
    };
    let Some(device) = &scan.metrics().devices[usize::from(code)] else {
        return Vec::new();
    };
    let fits = match built_for(target) {
        words if words.is_empty() => String::new(),
        words => format!(" Kernels for {target} run on {words}."),
    };
    let story = Story {
        title,
        text: format!(
            "Their names say {target}; the {} is {}.{fits} Until the device is right no finding about \
             efficiency means much.",
            device.name, device.arch_token
        ),
        ..Story::default()
    };
    one(rule, scan, hits, &story)
}

/// The devices of the catalogue that kernels of a target run on, in words; empty where it has none.
pub fn built_for(target: &str) -> String {
    let fits = devices_for(target);
    let names: Vec<String> = fits.iter().map(|d| short_name(&d.name)).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("the {}", either(&names)),
    }
}

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    if !in_doubt(scan) {
        return Vec::new();
    }
    if let Some((device, target)) = other_kernels(scan.frame) {
        return of_another_device(rule, scan, device, &target);
    }
    let (above, all) = above(scan);
    let hits: Vec<Hit> = scan
        .checked()
        .filter(|(_, g)| g.efficiency() > ABOVE_ROOF)
        .map(|(i, _)| Hit::of(i))
        .collect();
    let groups = hits.iter().map(|hit| &scan.groups[hit.group as usize]);
    let devices = groups.clone().filter_map(|g| scan.device(g));
    let names = distinct(devices.map(|device| device.name.as_str()));
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for cause in groups.clone().flat_map(|g| causes(scan.frame, g.row as usize)) {
        *reasons.entry(cause).or_default() += 1;
    }
    let name = match names.as_slice() {
        [one] => format!("the {one}"),
        _ => "the right device".to_owned(),
    };
    let most = groups.max_by(|a, b| a.efficiency().total_cmp(&b.efficiency()));
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let would = reasons
        .first()
        .map_or(String::new(), |(why, n)| format!(" For {n} of them this would explain it: {why}"));
    let rows = plural(all as u64, "GEMM");
    let share = percent(above as f64 / all as f64);
    let highest = percent(most.map_or(f64::NAN, Group::efficiency));
    let story = Story {
        title: format!("Is this really {name}? {above} of {rows} are above its roof"),
        text: format!(
            "{share} of the GEMMs run faster than the {} allows, one of them at {highest} of it. Until \
             that is settled no other finding about efficiency means much.{would}",
            scan.roof_name(),
        ),
        formula: most.map_or(String::new(), |g| story::roof_formula(scan, g)),
        ..Story::default()
    };
    one(rule, scan, hits, &story)
}

/// One question, whatever the sides: it holds the rows of all of them.
fn one(rule: &Rule, scan: &Scan<'_>, hits: Vec<Hit>, story: &Story) -> Vec<Finding> {
    let mut found = story::joined(rule, scan, vec![hits], |_| story.clone());
    let of_others: Vec<u32> = found.iter().skip(1).flat_map(|f| f.evidence.rows.clone()).collect();
    found.truncate(1);
    for finding in &mut found {
        finding.severity = Severity::Critical;
        finding.evidence.rows.extend(&of_others);
        finding.evidence.rows.sort_unstable();
    }
    found
}
