//! Title of a cause: its claim, what holds most of it, and its parts.

use super::{rules, story};
use gemmscope_analysis::findings::{CauseFacts, Detail, HeldBy, PartFacts, Scan, Sign, TileCause};
use gemmscope_analysis::ledger::Account;
use gemmscope_model::roofline::Bound;
use gemmscope_model::units::{capitalized, plural, rounded_percent};

/// Names of the sizes, by index.
pub(super) const SIZES: [&str; 3] = ["M", "N", "K"];

/// Title of the finding of a cause.
pub(super) fn of(scan: &Scan<'_>, cause: &CauseFacts) -> String {
    format!("{}: {}{}", claim(scan, cause), plural(cause.groups, "GEMM"), held_by(cause))
}

/// `, 66 % of it in one`, `, 92 % of it at N = 50257`: what holds most of a cause.
fn held_by(cause: &CauseFacts) -> String {
    match cause.held_by {
        None => String::new(),
        Some(HeldBy::One(share)) => format!(", {} of it in one", rounded_percent(share)),
        Some(HeldBy::Size { size, value, share }) => {
            format!(", {} of it at {} = {value}", rounded_percent(share), SIZES[size])
        }
    }
}

/// What a cause is, in a few words; with several parts what they have in common.
fn claim(scan: &Scan<'_>, cause: &CauseFacts) -> String {
    if cause.scatter.is_some() {
        let what = match cause.account {
            Account::Layout => "layout",
            Account::Type => "type",
            _ => return "Padding helps some sizes and hurts others".to_owned(),
        };
        return format!("Neither {what} is always faster");
    }
    if cause.other_kernels {
        return "A larger size with another kernel is faster".to_owned();
    }
    if let (1, [one, ..]) = (cause.parts.1, cause.parts.0.as_slice())
        && one.detail != Detail::All
    {
        return part_claim(scan, one);
    }
    rules::rule_text(cause.account.key()).map_or_else(String::new, |rule| rule.title.to_owned())
}

fn part_claim(scan: &Scan<'_>, part: &PartFacts) -> String {
    match part.detail {
        Detail::Layouts(slow, fast) => format!("Layout {slow} is slower than {fast}"),
        Detail::Types(slow, fast) => {
            let [slow, fast] = [slow, fast].map(|i| scan.type_name(i));
            format!("{slow} is slower than {fast}")
        }
        Detail::Place(..) => {
            let maker = part.faster.map_or_else(String::new, |row| scan.frame.maker(row as usize));
            format!("{maker} is faster")
        }
        Detail::Size(size) => format!("Padding {} is faster", SIZES[usize::from(size)]),
        Detail::Kernels(..) => "Another kernel is faster".to_owned(),
        Detail::Tile(TileCause::Padding) => "Tiles reach past the output".to_owned(),
        Detail::Tile(TileCause::Waves) => "The last wave is not full".to_owned(),
        Detail::Tile(TileCause::FewWorkgroups) => capitalized(Sign::FewWorkgroups.label()),
        Detail::Bound(Bound::Launch) => {
            // Profiler times exclude the launch, so something else bounds these.
            let bound = scan.metrics().bound(scan.data(), part.row as usize);
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
        Detail::All => "Others".to_owned(),
    }
}

/// The largest parts of a cause with several; else "".
pub(super) fn parts(scan: &Scan<'_>, cause: &CauseFacts) -> String {
    let (named, all) = &cause.parts;
    if *all < 2 || cause.account == Account::Kernel {
        return String::new();
    }
    let word = |part: &PartFacts| {
        let gemms = plural(part.groups, "GEMM");
        format!("{}: {gemms}, {}", part_claim(scan, part), story::time(part.alone_s))
    };
    let words: Vec<String> = named.iter().map(word).collect();
    format!(" {}{}.", words.join("; "), more(all - named.len()))
}

/// `; 3 more causes`, "" for none.
pub(super) fn more(causes: usize) -> String {
    match causes {
        0 => String::new(),
        n => format!("; {}", plural(n as u64, "more cause")),
    }
}
