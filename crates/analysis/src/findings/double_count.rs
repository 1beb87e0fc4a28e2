//! Rule: time that is counted twice in the data.

use super::{Basis, Category, Fact, FindingFacts, Kind, Need, Rule, Scan, Severity, hits};
use std::collections::HashMap;

/// Minimum fraction of the time counted twice for the sheet's sum to be misleading.
pub(super) const NOTABLE: f64 = 0.05;

pub(super) const RULE: Rule = Rule {
    id: "double_count",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time],
    basis: Basis::Arithmetic,
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let data = scan.data();
    let mut out = Vec::new();
    for (number, source) in (0u16..).zip(&data.sources) {
        let twice = source.counted_twice;
        if twice.rows == 0 {
            continue;
        }
        // Time of the whole sheet, ignoring filters.
        let own: f64 = (0..data.len())
            .filter(|&r| data.source[r] == number)
            .map(|r| data.time_s[r] * data.count(r))
            .filter(|t| t.is_finite())
            .sum();
        let fact = Fact::Wrappers { source: number, once_s: own };
        let mut finding = hits::of_file(rule, scan, number, 0.0, fact);
        if twice.time_s > NOTABLE * own {
            finding.severity = Severity::Medium;
        }
        out.push(finding);
    }
    out.extend(in_two_files(rule, scan));
    out
}

/// Rows that are in two files: same GEMM and device, same calls, and exactly the same time. Files that are sides have
/// separate totals, so nothing is counted twice there.
fn in_two_files(rule: &Rule, scan: &Scan<'_>) -> Option<FindingFacts> {
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
    rows.sort_unstable();
    let fact = Fact::InTwoFiles { sources: [a, b] };
    let mut finding = hits::of_rows(rule, scan, rows, time_s, fact);
    finding.severity = Severity::Medium;
    Some(finding)
}
