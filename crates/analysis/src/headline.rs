//! The first sentence about a set of GEMMs: what they take, how near their roof they are, and what
//! costs most. Its figures are those of one [`Book`], so they equal the bar and the findings.

use crate::ledger::{Account, Book};
use gemmscope_model::units::{percent, plural, seconds_brief};

/// Causes under this share of the time are not named.
const NAMED: f64 = 0.005;

/// What costs most in a book.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The account that holds it.
    pub account: Account,
    /// `Layout costs 7.04 ms`.
    pub claim: String,
    /// `36 GEMMs are faster stored the other way round`.
    pub why: String,
}

/// `52.5 ms, 54.8 % of roof`; the time alone where nothing has a roof.
pub fn total(book: &Book) -> String {
    let time = seconds_brief(book.time_s);
    match book.share_of_roof() {
        Some(share) => format!("{time}, {} of roof", percent(share)),
        None => time,
    }
}

/// What costs most: the account that [leads](Book::leading). `None` where nothing weighs.
pub fn cost(book: &Book) -> Option<Cost> {
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
        Account::Type => format!("{gemms} {is} faster in a type with the same peak"),
        Account::Size => format!("{gemms} {is} faster padded to a larger size"),
        Account::Library => format!("{gemms} {is} faster elsewhere"),
        Account::Launch => format!("{gemms} {wait} for kernels to start and end"),
        Account::Tile => format!("{gemms} {lose} time to padding and waves"),
        _ => format!("{gemms} {is} below the roof, and no other run is faster"),
    };
    Some(Cost { account, claim, why })
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
        let cost = cost(&book).expect("a cost");
        assert_eq!(cost.claim, "Layout costs 7.04 ms");
        assert_eq!(cost.why, "36 GEMMs are faster stored the other way round");
    }

    #[test]
    fn a_small_measured_cause_gives_way() {
        let book =
            book(&[(Account::Roof, 1.0, 9), (Account::Rest, 0.4, 9), (Account::Type, 0.01, 1)]);
        assert_eq!(cost(&book).expect("a cost").claim, "At most 400 ms to gain");
    }

    #[test]
    fn at_the_roof_nothing_is_named() {
        assert_eq!(cost(&book(&[(Account::Roof, 1.0, 2), (Account::Rest, 0.004, 1)])), None);
        assert_eq!(cost(&book(&[(Account::NoRoof, 1.0, 2)])), None);
        assert_eq!(total(&Book::default()), "0 s");
    }
}
