//! The first sentence about a set of GEMMs: what they take, how near their roof they are, and what
//! costs most. Its figures are those of one [`Book`], so they equal the bar and the findings.

use crate::findings::{Finding, Section};
use crate::ledger::{Account, Book, Runs};
use gemmscope_model::units::{grouped, percent, plural, seconds_brief};

/// Causes under this share of the time are not named.
const NAMED: f64 = 0.005;

/// What costs most of a side on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Key of the account that holds it, or of the rule where it is time outside the accounts.
    pub key: String,
    /// Its seconds.
    pub seconds: f64,
    /// `Layout costs 7.04 ms`.
    pub claim: String,
    /// `36 GEMMs are faster stored the other way round`.
    pub why: String,
}

/// `52.5 ms, 54.8 % of roof`; the time alone where nothing has a roof. Says which part of the rows and of
/// the GEMM time its figures cover.
pub fn total(book: &Book) -> String {
    let time = seconds_brief(book.time_s);
    let runs = runs(book);
    let scope = scope(book);
    match book.share_of_roof() {
        Some(share) => format!("{time}{runs}, {} of roof{scope}", percent(share)),
        None => format!("{time}{runs}{scope}"),
    }
}

/// ` for the fastest run of each of 231 GEMMs` where other rows are left out of the time, else "".
pub fn runs(book: &Book) -> String {
    let (run, gemms) = match book.runs {
        Runs::All => return String::new(),
        Runs::Fastest(gemms) => ("the fastest run", gemms),
        Runs::One(gemms) => ("one run", gemms),
    };
    match gemms {
        1 => format!(" for {run} of one GEMM"),
        n => format!(" for {run} of each of {} GEMMs", grouped(n)),
    }
}

/// The part of the GEMM time that the share of the roof covers, where that is not all of it: ` for 37.0 %
/// of the time`, ` without a known roof`, `, of the 13.1 % of the GEMM time with known shapes`.
pub fn scope(book: &Book) -> String {
    let (roofed, all) = (book.known_s / book.time_s, book.time_s + book.without_s);
    let mut out = match roofed {
        0.0 => " without a known roof".to_owned(),
        part if 1.0 - part > NAMED => format!(" for {} of the time", percent(part)),
        _ => String::new(),
    };
    if book.without_s > NAMED * all {
        let shaped = percent(book.time_s / all);
        out.push_str(&format!(", of the {shaped} of the GEMM time with known shapes"));
    }
    out
}

/// What costs most: what the program loses outside of these GEMMs, where that is more than they lose, else
/// the account that [leads](Book::leading). `None` where nothing weighs. `findings` are those of the
/// ledger that holds the book.
pub fn cost(findings: &[Finding], book: &Book) -> Option<Cost> {
    let own = |f: &&Finding| f.is_outside() && f.section() == Section::First && f.side == book.side;
    match findings.iter().find(own).filter(|f| f.time_s > book.lost_s()) {
        Some(finding) => Some(of_program(finding)),
        None => of_account(book),
    }
}

/// A finding about time outside the accounts: `The device is idle for 92.1 % of the time`, `3.60 ms`.
fn of_program(finding: &Finding) -> Cost {
    let seconds = seconds_brief(finding.time_s);
    let (claim, why) = match finding.title.split_once(": ") {
        Some((claim, what)) => (claim, format!("{seconds}, {what}")),
        None => (finding.title.as_str(), seconds),
    };
    Cost { key: finding.rule.clone(), seconds: finding.time_s, claim: claim.to_owned(), why }
}

fn of_account(book: &Book) -> Option<Cost> {
    let (account, sum) = book.leading()?;
    if sum.seconds < NAMED * book.time_s {
        return None;
    }
    let seconds = seconds_brief(sum.seconds);
    let claim = match account {
        Account::Kernel => format!("The kernel costs {seconds}"),
        Account::Tile => format!("Tiles cost {seconds}"),
        Account::Rest => format!("At most {seconds} to gain"),
        Account::Launch => format!("Launches cost {seconds}"),
        Account::Size => format!("Sizes cost {seconds}"),
        other => format!("{} costs {seconds}", gemmscope_model::units::capitalized(other.label())),
    };
    let gemms = plural(sum.groups, "GEMM");
    let (is, lose, wait) = match sum.groups {
        1 => ("is", "loses", "waits"),
        _ => ("are", "lose", "wait"),
    };
    let why = match account {
        Account::Kernel => format!("{gemms} {is} faster with another kernel or tile"),
        Account::Layout => format!("{gemms} {is} faster stored the other way round"),
        Account::Type => format!("{gemms} {is} faster in another type of the same peak"),
        Account::Size => format!("{gemms} {is} faster padded to a larger size"),
        Account::Library => format!("{gemms} {is} faster in another library or file"),
        Account::Launch => format!("{gemms} {wait} for kernels to start and end"),
        Account::Tile => format!("{gemms} {lose} time to padding and waves"),
        _ => format!("{gemms} {is} below the roof, and no run here is faster"),
    };
    Some(Cost { key: account.key().to_owned(), seconds: sum.seconds, claim, why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Sum;

    fn book(held: &[(Account, f64, u64)]) -> Book {
        let mut book = Book::default();
        for &(account, seconds, groups) in held {
            book.accounts[account as usize] = Sum { seconds, groups };
            book.time_s += seconds;
            book.known_s += seconds;
            book.below_s += if account.is_lost() { seconds } else { 0.0 };
        }
        book
    }

    #[test]
    fn a_measured_cause_is_named_before_a_larger_one_that_is_not() {
        let book = book(&[
            (Account::Roof, 28.8e-3, 558),
            (Account::Rest, 14.1e-3, 405),
            (Account::Layout, 7.04e-3, 36),
        ]);
        assert_eq!(total(&book), "49.9 ms, 57.7 % of roof");
        let cost = of_account(&book).expect("a cost");
        assert_eq!(cost.claim, "Layout costs 7.04 ms");
        assert_eq!(cost.why, "36 GEMMs are faster stored the other way round");
    }

    #[test]
    fn a_small_measured_cause_gives_way() {
        let book =
            book(&[(Account::Roof, 1.0, 9), (Account::Rest, 0.4, 9), (Account::Type, 0.01, 1)]);
        assert_eq!(of_account(&book).expect("a cost").claim, "At most 400 ms to gain");
    }

    #[test]
    fn a_total_says_what_it_covers() {
        let mut book = book(&[(Account::Roof, 6e-3, 9), (Account::Rest, 4e-3, 9)]);
        assert_eq!(total(&book), "10.0 ms, 60.0 % of roof");
        book.runs = Runs::Fastest(231);
        book.time_s = 20e-3;
        assert_eq!(
            total(&book),
            "20.0 ms for the fastest run of each of 231 GEMMs, 60.0 % of roof for 50.0 % of the time"
        );
        book.known_s = 0.0;
        book.runs = Runs::All;
        assert_eq!(total(&book), "20.0 ms without a known roof");
    }

    #[test]
    fn at_the_roof_nothing_is_named() {
        assert_eq!(of_account(&book(&[(Account::Roof, 1.0, 2), (Account::Rest, 0.004, 1)])), None);
        assert_eq!(of_account(&book(&[(Account::NoRoof, 1.0, 2)])), None);
        assert_eq!(total(&Book::default()), "0 s");
    }
}
