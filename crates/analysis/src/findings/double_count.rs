//! Rule: time that is in the data twice.

use super::story::{self, Story};
use super::{Basis, Category, Finding, Kind, Need, Rule, Scan};
use gemmscope_model::units::plural;
use std::collections::HashMap;

/// If more than this share of the time is counted twice, the sheet's sum is misleading.
pub(super) const NOTABLE: f64 = 0.05;

pub(super) const RULE: Rule = Rule {
    id: "double_count",
    title: "Time counted twice",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time],
    threshold: "a wrapper and the operation it calls with the same shape, count and time; or the \
                same row in two files",
    basis: Basis::Arithmetic,
    why: "Totals and shares that count one kernel twice are wrong.",
    path_a: "Nothing to change: the totals here count each kernel once, a sum over the file does not.",
    path_b: "Leave the wrappers out of any sum of your own.",
    profile: "There is nothing to profile: the file lists a kernel twice.",
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<Finding> {
    let data = scan.data();
    let mut out = Vec::new();
    for (number, source) in (0u16..).zip(&data.sources) {
        let twice = source.counted_twice;
        if twice.rows == 0 {
            continue;
        }
        // The time of the whole sheet, whatever the filters.
        let own: f64 = (0..data.len())
            .filter(|&r| data.source[r] == number)
            .map(|r| data.time_s[r] * data.count(r))
            .filter(|t| t.is_finite())
            .sum();
        let mut finding = story::of_file(
            rule,
            scan,
            number,
            0.0,
            Story {
                title: format!("{} wrapper rows of {} are skipped", twice.rows, source.name),
                text: format!(
                    "Wrappers and the operations they call are both listed. Counted once the GEMM \
                     time is {}; the sheet adds up to {}.",
                    story::time(own),
                    story::time(own + twice.time_s)
                ),
                formula: (story::brief("sheet", own + twice.time_s)
                    / story::brief("counted once", own))
                .result(|ratio| format!("{ratio:.2}")),
                ..Story::default()
            },
        );
        if twice.time_s > NOTABLE * own {
            finding.severity = super::Severity::Medium;
        }
        out.push(finding);
    }
    out.extend(in_two_files(rule, scan));
    out
}

/// Rows that are in two files: same GEMM on the same device, same calls and the same time to the last
/// digit. Files that are sides have totals of their own, so nothing counts twice there.
fn in_two_files(rule: &Rule, scan: &Scan<'_>) -> Option<Finding> {
    let data = scan.data();
    if data.sources.len() < 2 {
        return None;
    }
    let mut known: HashMap<([u32; 4], [u16; 3], u64, u64), u32> = HashMap::new();
    let (mut rows, mut time_s) = (Vec::new(), 0.0);
    let mut pair = None;
    for g in &scan.groups {
        let r = g.row as usize;
        let key = (
            [data.m[r], data.n[r], data.k[r], data.batch[r]],
            [data.op[r], scan.frame.device(r), g.side],
            g.calls.to_bits(),
            g.time_s.to_bits(),
        );
        match known.get(&key) {
            Some(&first) if data.source[first as usize] != data.source[r] => {
                rows.extend_from_slice(scan.rows(g));
                time_s += g.time_s;
                pair.get_or_insert((data.source[first as usize], data.source[r]));
            }
            Some(_) => {}
            None => {
                known.insert(key, g.row);
            }
        }
    }
    let (a, b) = pair?;
    let name = |s: u16| &data.sources[usize::from(s)].name;
    rows.sort_unstable();
    let count = rows.len();
    let mut finding = story::of_rows(
        rule,
        scan,
        rows,
        time_s,
        Story {
            title: format!("{} in two files", plural(count as u64, "row")),
            text: format!(
                "{} and {} hold the same GEMMs with the same times to the last digit: {} is \
                 counted twice in every total.",
                name(a),
                name(b),
                story::time(time_s)
            ),
            path_a: Some("Remove one of the two files, or filter by file.".to_owned()),
            path_b: Some(String::new()),
            ..Story::default()
        },
    );
    finding.severity = super::Severity::Medium;
    Some(finding)
}
