//! Rule: GEMM time without figures, because shape, device or peak is unknown.

use super::{
    Basis, Category, Fact, FindingFacts, HIGH_SHARE, Kind, Need, Rule, Scan, Severity, hits,
};

/// Fraction of the GEMM time from which the severity exceeds Low.
pub(super) const NOTABLE: f64 = 0.05;

pub(super) const RULE: Rule = Rule {
    id: "no_model",
    kind: Kind::Question,
    category: Category::Data,
    needs: &[Need::Time],
    basis: Basis::Arithmetic,
    check,
};

fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let mut out = Vec::new();
    for (number, source) in (0u16..).zip(&scan.data().sources) {
        let without = source.without_model;
        if without.rows == 0 {
            continue;
        }
        let own = scan.checked().filter(|(_, g)| scan.data().source[g.row as usize] == number);
        let all = without.time_s + own.map(|(_, g)| g.time_s).sum::<f64>();
        let trace = source.trace.as_ref();
        let compute = trace.and_then(|t| t.compute_s.or(t.total_s));
        let whole = compute.unwrap_or(all + source.not_gemm.time_s);
        let share = without.time_s / whole;
        let fact = Fact::WithoutShape { source: number, all_s: all };
        let mut finding = hits::of_file(rule, scan, number, 0.0, fact);
        finding.time_s = without.time_s;
        finding.share = share;
        finding.severity = if share > HIGH_SHARE {
            Severity::High
        } else if without.time_s / all > NOTABLE {
            Severity::Medium
        } else {
            Severity::Low
        };
        out.push(finding);
    }
    out.extend(without_roof(rule, scan));
    out
}

/// Measured rows with an unknown device or peak.
fn without_roof(rule: &Rule, scan: &Scan<'_>) -> Option<FindingFacts> {
    let mut rows = Vec::new();
    let mut time_s = 0.0;
    for (_, g) in scan.checked().filter(|(_, g)| g.roof_s.is_nan()) {
        rows.extend_from_slice(scan.rows(g));
        time_s += g.time_s;
    }
    // If no row has a roof, the page says so elsewhere.
    if rows.is_empty() || time_s >= scan.time_s {
        return None;
    }
    rows.sort_unstable();
    let several = rows.windows(2).any(|two| scan.side_of(two[0]) != scan.side_of(two[1]));
    // Share of the named side, or of all.
    let whole_s = match several {
        true => scan.time_s,
        false => scan.parts[usize::from(scan.side_of(rows[0]))].time_s,
    };
    let mut found = hits::of_rows(rule, scan, rows, time_s, Fact::WithoutRoof { whole_s });
    if several {
        found.side.clear();
        found.of.clear();
    }
    Some(found)
}
