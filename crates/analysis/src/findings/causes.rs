//! Findings from sums of the ledger: one per cause that weighs.

use super::fact::{CauseFacts, Fact, HeldBy, NAMED, PartFacts};
use super::sums::{Cause, Detail, DetailSum, Sums, is_small};
use super::{Category, FindingFacts, Rule, Scan, Sign, SignCount, hits, priority};
use crate::ledger::{Account, sizes};
use gemmscope_model::roofline::Bound;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::group::ascending;

/// Minimum number of GEMMs for naming one that holds most.
const MANY: u64 = 4;
/// Fractions of a cause above which one GEMM, or one size, is said to hold most of it.
const IN_ONE: f64 = 0.6;
const OF_ONE_SIZE: f64 = 0.75;

/// Findings of one account: its causes that weigh.
pub(super) fn check(rule: &Rule, scan: &Scan<'_>) -> Vec<FindingFacts> {
    let Some(sums) = &scan.sums else {
        return Vec::new();
    };
    let of = |c: &&Cause| c.account.key() == rule.id && !is_small(&sums.ledger, c);
    sums.causes.iter().filter(of).map(|c| of_one(rule, scan, sums, c)).collect()
}

fn of_one(rule: &Rule, scan: &Scan<'_>, sums: &Sums<'_>, cause: &Cause) -> FindingFacts {
    let category = match cause.most.2 {
        Detail::Bound(Bound::Memory) => Category::Memory,
        Detail::Bound(Bound::Launch) => Category::Launches,
        _ => rule.category,
    };
    let facts = facts(scan, sums, cause);
    let (groups, alone_s) = (facts.groups, cause.alone_s);
    let book = &sums.ledger.books[cause.book];
    let part = &scan.parts[book.number];
    let rows = rows_of(scan, cause);
    let total = |of: &[f64]| -> f64 {
        rows.iter().map(|r| of[*r as usize] * scan.frame.calls(*r as usize)).sum()
    };
    let (time_s, roof_s) = (total(&scan.data().time_s), total(&scan.metrics().roof_s));
    let efficiency = Some(roof_s / time_s).filter(|e| e.is_finite());
    let signs = signs(scan, &rows);
    let fact = Fact::Cause(Box::new(facts));
    let out = hits::from_parts(rule, scan, book.number as u16, rows, time_s, fact);
    FindingFacts {
        device: book.device.clone(),
        of: book.name.clone(),
        severity: priority(out.share, part.share(alone_s), efficiency, true),
        basis: book.evidence(cause.account),
        category,
        efficiency,
        split_s: Some(cause.split_s),
        alone_s: Some(alone_s),
        changes: vec![cause.change()],
        groups,
        signs,
        ..out
    }
}

fn facts(scan: &Scan<'_>, sums: &Sums<'_>, cause: &Cause) -> CauseFacts {
    let book = &sums.ledger.books[cause.book];
    let rows = rows_of(scan, cause);
    let groups = scan.gemms(&rows);
    let parts = cause.parts.iter().take(NAMED).map(|part| part_facts(scan, sums, cause, part));
    CauseFacts {
        account: cause.account,
        scatter: book.scatter(cause.account),
        split_s: cause.split_s,
        alone_s: cause.alone_s,
        above_s: cause.above_s,
        time_s: cause.time_s,
        groups,
        of_account: book.of(cause.account),
        parts: (parts.collect(), cause.parts.len()),
        most: cause.most,
        entry: sums.splitter.of(cause.most.0),
        held_by: held_by(scan, sums, cause, (&rows, groups)),
        other_kernels: of_other_kernels(scan, sums, cause, &rows),
    }
}

fn part_facts(scan: &Scan<'_>, sums: &Sums<'_>, cause: &Cause, part: &DetailSum) -> PartFacts {
    let row = part.rows.first().copied().unwrap_or(cause.most.0);
    let faster = sums.splitter.of(row).and_then(|entry| entry.alternative_in(cause.account));
    PartFacts {
        detail: part.detail,
        alone_s: part.alone_s,
        groups: scan.gemms(&part.rows),
        row,
        faster: faster.map(|other| other.row),
    }
}

/// Finds whether one of many GEMMs holds most of a cause, or a size that at most half of them have.
fn held_by(
    scan: &Scan<'_>,
    sums: &Sums<'_>,
    cause: &Cause,
    (rows, groups): (&[u32], u64),
) -> Option<HeldBy> {
    if groups < MANY {
        return None;
    }
    let share = cause.most.1 / cause.alone_s;
    if share > IN_ONE {
        return Some(HeldBy::One(share));
    }
    // A size with a share s > 0.5 ends its vote with a weight of at least 2 s - 1.
    let won = (2.0 * OF_ONE_SIZE - 1.0) * cause.alone_s * 0.999;
    for (i, vote) in cause.sizes.iter().enumerate().filter(|(_, vote)| vote.weight >= won) {
        let (mut own, mut held_s) = (Vec::new(), 0.0);
        for &row in rows {
            if sizes(scan.data(), row as usize)[i] == vote.value {
                let call_s = sums.splitter.of(row).map_or(0.0, |e| e.alone_s(cause.account));
                held_s += call_s * scan.frame.calls(row as usize);
                own.push(row);
            }
        }
        let share = held_s / cause.alone_s;
        if share > OF_ONE_SIZE && scan.gemms(&own) * 2 <= groups {
            return Some(HeldBy::Size { size: i, value: vote.value, share });
        }
    }
    None
}

/// True if most of the faster runs of larger sizes also used another kernel, as far as kernels are known.
fn of_other_kernels(scan: &Scan<'_>, sums: &Sums<'_>, cause: &Cause, rows: &[u32]) -> bool {
    let codes = scan.data().codes(ColumnMeaning::Kernel);
    let Some(codes) = codes.filter(|_| cause.account == Account::Size) else { return false };
    let code = |row: u32| Some(codes[row as usize]).filter(|code| *code > 0);
    let other = |row: &&u32| {
        let faster = sums.splitter.of(**row).and_then(|e| e.alternative_in(Account::Size));
        faster.is_some_and(|a| code(a.row).is_some() && code(a.row) != code(**row))
    };
    rows.iter().filter(other).count() * 2 > rows.len()
}

/// Distinct rows of some causes, ascending.
fn rows_of(scan: &Scan<'_>, cause: &Cause) -> Vec<u32> {
    let rows: Vec<u32> = cause.parts.iter().flat_map(|part| part.rows.iter().copied()).collect();
    ascending(&rows, scan.data().len())
}

/// Signs of some rows, most frequent first.
fn signs(scan: &Scan<'_>, rows: &[u32]) -> Vec<SignCount> {
    let mut out: Vec<SignCount> = Vec::new();
    for (i, sign) in Sign::ALL.into_iter().enumerate() {
        let has = |r: &&u32| scan.marks.get(**r as usize).is_some_and(|m| m >> i & 1 == 1);
        let own: Vec<u32> = rows.iter().filter(has).copied().collect();
        if !own.is_empty() {
            let groups = scan.gemms(&own);
            out.push(SignCount { sign, title: sign.label().to_owned(), groups, rows: own });
        }
    }
    out.sort_by(|a, b| b.groups.cmp(&a.groups).then(a.sign.cmp(&b.sign)));
    out
}
