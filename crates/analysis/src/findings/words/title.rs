//! What a cause is called: its claim, what holds most of it, and its parts.

use super::{NAMED, evidence, groups_of};
use crate::findings::sums::{Cause, Detail, Part, Sums, TileCause};
use crate::findings::{Basis, Scan, Sign, rule, story};
use crate::ledger::{Account, sizes};
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::{capitalized, plural, rounded_percent};
use gemmscope_table::dataset::ColumnMeaning;

/// Of so many GEMMs it is said that one holds most.
const MANY: u64 = 4;
/// Over these shares of a cause is most of it: in one GEMM, and in those of one size.
const IN_ONE: f64 = 0.6;
const OF_ONE_SIZE: f64 = 0.75;
/// Names of the sizes.
pub(super) const SIZES: [&str; 3] = ["M", "N", "K"];

/// `, 66 % of it in one`, `, 92 % of it at N = 50257`: where one of many GEMMs holds most of a cause, or a size
/// that at most half of them have.
pub(super) fn held_by(
    scan: &Scan<'_>,
    sums: &Sums<'_>,
    cause: &Cause,
    (rows, groups): (&[u32], u64),
) -> String {
    if groups < MANY {
        return String::new();
    }
    let share = cause.most.1 / cause.alone_s;
    if share > IN_ONE {
        return format!(", {} of it in one", rounded_percent(share));
    }
    // A size with this share wins its vote by at least what that is above a half, twice.
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
        if share > OF_ONE_SIZE && groups_of(sums, &own) * 2 <= groups {
            return format!(", {} of it at {} = {}", rounded_percent(share), SIZES[i], vote.value);
        }
    }
    String::new()
}

/// What a cause is, in a few words: of several parts what they have in common. `kernels` where most of the larger
/// sizes ran another kernel.
pub(super) fn claim(scan: &Scan<'_>, sums: &Sums<'_>, cause: &Cause, kernels: bool) -> String {
    if evidence(sums, cause) == Basis::Scatter {
        let what = match cause.account {
            Account::Layout => "layout",
            Account::Type => "type",
            _ => return "Padding helps some sizes and hurts others".to_owned(),
        };
        return format!("Neither {what} is always faster");
    }
    if kernels {
        return "A larger size with another kernel is faster".to_owned();
    }
    if let [one] = cause.parts.as_slice() {
        return part_claim(scan, sums, one);
    }
    rule(cause.account.key()).map_or_else(String::new, |rule| rule.title.to_owned())
}

fn part_claim(scan: &Scan<'_>, sums: &Sums<'_>, part: &Part) -> String {
    match part.detail {
        Detail::Layouts(slow, fast) => format!("Layout {slow} is slower than {fast}"),
        Detail::Types(slow, fast) => {
            let [slow, fast] = [slow, fast].map(|i| &sums.types[i as usize]);
            format!("{slow} is slower than {fast}")
        }
        Detail::Place(..) => {
            let entry = part.rows.first().and_then(|row| sums.splitter.of(*row));
            let other = entry.and_then(|entry| entry.alternative_in(Account::Library));
            format!(
                "{} is faster",
                other.map_or_else(String::new, |a| scan.frame.maker(a.row as usize))
            )
        }
        Detail::Size(size) => format!("Padding {} is faster", SIZES[usize::from(size)]),
        Detail::Kernels(..) => "Another kernel is faster".to_owned(),
        Detail::Tile(TileCause::Padding) => "Tiles reach past the output".to_owned(),
        Detail::Tile(TileCause::Waves) => "The last wave is not full".to_owned(),
        Detail::Tile(TileCause::FewWorkgroups) => capitalized(Sign::FewWorkgroups.label()),
        Detail::Bound(Bound::Launch) => {
            // Times of a profiler hold no launch: what these are bound by is something else.
            let row = part.rows.first().map_or(0, |row| *row as usize);
            let bound = scan.metrics().bound(scan.data(), row);
            let what = match bound == Some(Bound::Launch) {
                true => "Launch-bound",
                false => "Too short to fill the device",
            };
            format!("{what}, unexplained")
        }
        Detail::Bound(bound) => {
            let bound = match bound {
                Bound::Memory => "Memory-bound",
                Bound::Compute => "Compute-bound",
                _ => "Near the ridge",
            };
            format!("{bound}, unexplained")
        }
        Detail::All => "Launches".to_owned(),
    }
}

/// The largest parts of a cause that has several.
pub(super) fn parts(scan: &Scan<'_>, sums: &Sums<'_>, cause: &Cause) -> String {
    if cause.parts.len() < 2 || cause.account == Account::Kernel {
        return String::new();
    }
    let word = |part: &Part| {
        let gemms = plural(groups_of(sums, &part.rows), "GEMM");
        format!("{}: {gemms}, {}", part_claim(scan, sums, part), story::time(part.alone_s))
    };
    let named: Vec<String> = cause.parts.iter().take(NAMED).map(word).collect();
    format!(" {}{}.", named.join("; "), more(cause.parts.len() - named.len()))
}

/// `; 3 more causes`, "" of none.
pub(super) fn more(causes: usize) -> String {
    match causes {
        0 => String::new(),
        n => format!("; {}", plural(n as u64, "more cause")),
    }
}

/// True where most of the faster runs of larger sizes are of another kernel too, as far as kernels are known.
pub(super) fn of_other_kernels(
    scan: &Scan<'_>,
    sums: &Sums<'_>,
    cause: &Cause,
    rows: &[u32],
) -> bool {
    let codes = scan.data().codes(ColumnMeaning::Kernel);
    let Some(codes) = codes.filter(|_| cause.account == Account::Size) else { return false };
    let code = |row: u32| Some(codes[row as usize]).filter(|code| *code > 0);
    let other = |row: &&u32| {
        let faster = sums.splitter.of(**row).and_then(|e| e.alternative_in(Account::Size));
        faster.is_some_and(|a| code(a.row).is_some() && code(a.row) != code(**row))
    };
    rows.iter().filter(other).count() * 2 > rows.len()
}
