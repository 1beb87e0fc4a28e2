//! The first sentence about a set of GEMMs: their time, their share of the roof, and what costs most. All figures come
//! from one [`Book`], so they equal those of the bar and the findings.

use crate::findings::Finding;
use crate::trust::Trust;
use gemmscope_analysis::findings::{Kind, Section};
use gemmscope_analysis::ledger::{Account, Book, Evidence, Ledger, Runs, Sum};
use gemmscope_analysis::trust::Verdict;
use gemmscope_model::units::{capitalized, grouped, percent, plural, seconds_brief};
use gemmscope_table::metrics::{ABOVE_ROOF, Typical};

/// Parts below this share of the time are not named.
const NAMED: f64 = 0.005;

/// The largest cost of a side on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadlineCost {
    /// Key of its account, or of the rule for time outside the accounts.
    pub key: String,
    /// Index of its finding.
    pub finding: usize,
    /// Saving alone, seconds; for time outside the accounts all of it.
    pub seconds: f64,
    /// `Saves 7.74 ms alone`.
    pub claim: String,
    /// `rocBLAS is faster, 176 GEMMs`.
    pub why: String,
}

/// Spread over GEMMs that count once each: ` (geometric mean; p10 12.0 %, p90 78.1 %)`; "" for a single one.
pub fn spread(typical: &Typical) -> String {
    match typical.gemms {
        1 => String::new(),
        _ => {
            format!(" (geometric mean; p10 {}, p90 {})", percent(typical.p10), percent(typical.p90))
        }
    }
}

/// Words after a share of the roof that covers the part `roofed` of the time: `of roof`, `of roof for 37.0 % of the
/// time`, and for a share above the roof `of roof: above it`.
pub fn of_roof(share: f64, roofed: &str) -> String {
    let above = if share > ABOVE_ROOF { ": above it" } else { "" };
    format!("of roof{roofed}{above}")
}

/// `52.5 ms, 54.8 % of roof`; only the time if nothing has a roof. If GEMMs count once each, the share of the roof
/// comes first: `41.3 % of roof (geometric mean; p10 12.0 %, p90 78.1 %), 52.5 ms in all`. States which part of the
/// rows and of the GEMM time the figures cover, each beside its own figure.
pub fn total(book: &Book) -> String {
    let time = seconds_brief(book.time_s);
    let runs = runs(book);
    let (roofed, left_out) = (roofed(book), left_out(book));
    let of_roof = |share: f64| format!("{} {}", percent(share), of_roof(share, &roofed));
    if let Some(typical) = &book.typical {
        let (share, spread) = (of_roof(typical.geometric_mean), spread(typical));
        let in_all = if book.groups > 1 && runs.is_empty() { " in all" } else { "" };
        return format!("{share}{spread}, {time}{in_all}{runs}{left_out}");
    }
    match book.share_of_roof() {
        Some(share) => format!("{time}{runs}, {}{left_out}", of_roof(share)),
        None if book.time_s > 0.0 => format!("{time}{runs}, roof unknown{left_out}"),
        None => time,
    }
}

/// The figures of a side beside its bar: `52.9 % of roof (geometric mean), 52.5 ms`. [`total`] says what they cover.
pub fn brief(book: &Book) -> String {
    let time = seconds_brief(book.time_s);
    let typical = book.typical.as_ref().map(|t| (t.geometric_mean, mean(t)));
    match typical.or(book.share_of_roof().map(|share| (share, ""))) {
        Some((share, mean)) => format!("{} {}, {time}", percent(share), of_roof(share, mean)),
        None => time,
    }
}

/// Stands beside a share of the roof of GEMMs that count once each, which is not that of their times: ` (geometric
/// mean)`; "" for a single one, where both agree.
pub fn mean(typical: &Typical) -> &'static str {
    if typical.gemms == 1 { "" } else { " (geometric mean)" }
}

/// Which runs a time covers: ` for the fastest run of each of 231 GEMMs` if other rows are left out; ` on 119 GEMMs`
/// for one of several sides, which need not have the same GEMMs; else "".
pub fn runs(book: &Book) -> String {
    let (run, gemms) = match book.runs {
        Runs::All if book.name.is_empty() => return String::new(),
        Runs::All => return format!(" on {}", plural(book.groups, "GEMM")),
        Runs::Fastest(gemms) => ("the fastest run", gemms),
        Runs::Middle(gemms) => ("the middle run (of two the faster)", gemms),
    };
    match gemms {
        1 => format!(" for {run} of one GEMM"),
        n => format!(" for {run} of each of {} GEMMs", grouped(n)),
    }
}

/// Part of the time that the share of the roof covers, if not all of it: ` for 37.0 % of the time`.
pub fn roofed(book: &Book) -> String {
    match book.known_s / book.time_s {
        part if part > 0.0 && 1.0 - part > NAMED => format!(" for {} of the time", percent(part)),
        _ => String::new(),
    }
}

/// Part of the GEMM time that no figure covers: `, 86.9 % of the GEMM time left out`.
pub fn left_out(book: &Book) -> String {
    let all = book.time_s + book.without_s;
    match book.without_s > NAMED * all {
        true => format!(", {} of the GEMM time left out", percent(book.without_s / all)),
        false => String::new(),
    }
}

/// Lost time by account: `23.8 ms lost = 13.5 ms below the roof + 7.04 ms layout`. Accounts under 0.5 % of the time are
/// joined.
pub fn lost(book: &Book) -> Option<String> {
    let lost = book.ranked().into_iter().filter(|(a, _)| a.is_lost());
    let (large, small): (Vec<_>, Vec<_>) =
        lost.partition(|(_, s)| s.seconds >= NAMED * book.time_s);
    let word = |(a, s): &(Account, Sum)| format!("{} {}", seconds_brief(s.seconds), a.label());
    let mut parts: Vec<String> = large.iter().map(word).collect();
    match small.as_slice() {
        [] => {}
        [one] => parts.push(word(one)),
        several => {
            let rest: f64 = several.iter().map(|(_, s)| s.seconds).sum();
            parts.push(format!("{} others", seconds_brief(rest)));
        }
    }
    match parts.as_slice() {
        [] => None,
        _ => Some(format!("{} lost = {}", seconds_brief(book.lost_s()), parts.join(" + "))),
    }
}

/// Savings of each change alone, as faster runs show, largest first: `alone library saves 7.74 ms, layout 7.04 ms`.
/// Leaves out those under 0.5 % of the time and possible scatter.
pub fn alone(book: &Book) -> Option<String> {
    let shown = |a: &Account| {
        book.evidence(*a) == Evidence::Measured && book.alone(*a).seconds >= NAMED * book.time_s
    };
    let mut shown: Vec<Account> = Account::MEASURED.into_iter().filter(shown).collect();
    shown.sort_by(|a, b| book.alone(*b).seconds.total_cmp(&book.alone(*a).seconds));
    let word = |a: &Account| {
        let saves = if *a == shown[0] { "saves " } else { "" };
        format!("{} {saves}{}", a.label(), seconds_brief(book.alone(*a).seconds))
    };
    let words: Vec<String> = shown.iter().map(word).collect();
    (!words.is_empty()).then(|| format!("alone {}", words.join(", ")))
}

/// A line for each side and device, shared by all forms of output: time, share of the roof, lost time by account, and
/// the largest savings. `hipBLASLt: 52.5 ms, 54.8 % of roof; 23.8 ms lost = 13.5 ms unexplained + ...; alone library
/// saves 7.74 ms, ...` No saving is claimed of doubtful figures.
pub fn lines(ledger: &Ledger, trust: &Trust) -> Vec<String> {
    let doubtful = trust.verdict == Verdict::Doubtful;
    let line = |b: &Book| {
        let mut parts = vec![total(b)];
        parts.extend(lost(b));
        parts.extend(alone(b).filter(|_| !doubtful));
        b.named(&parts.join("; "))
    };
    ledger.books.iter().map(line).collect()
}

/// Length of a bar, characters.
const BAR: usize = 24;
/// What the characters of a bar stand for.
pub const BAR_KEY: &str = "Where the time goes (█ the roof, ▓ a faster run, ▒ launch, tile and what others reach, \
                           ░ unexplained, · no roof)";

/// The time of a side as a line of characters, in the order of [`BAR_KEY`]: `██████████████▓▓▓▒░░░░░░░`; "" where it has
/// no time.
pub fn bar(book: &Book) -> String {
    let shade = |account: Account| match account {
        Account::Roof => 0,
        Account::Launch | Account::Tile | Account::Published => 2,
        Account::Rest => 3,
        Account::NoRoof => 4,
        _ => 1,
    };
    let mut seconds = [0.0; 5];
    book.each().for_each(|(account, sum)| seconds[shade(account)] += sum.seconds);
    let all: f64 = seconds.iter().sum();
    let (mut line, mut sum, mut drawn) = (String::new(), 0.0, 0);
    for (seconds, character) in seconds.into_iter().zip(['█', '▓', '▒', '░', '·']) {
        sum += seconds;
        // Ends are rounded, not lengths, so that all bars are of one length.
        let end = if all > 0.0 { (BAR as f64 * sum / all).round() as usize } else { 0 };
        line.extend(std::iter::repeat_n(character, end.saturating_sub(drawn)));
        drawn = drawn.max(end);
    }
    line
}

/// The finding of lost time that sentences name: the first of a side and device that weighs and is neither scatter
/// nor one row in question.
pub fn leading<'f>(findings: &'f [Finding], book: &Book) -> Option<&'f Finding> {
    let own = |f: &&Finding| {
        let weighs = f.alone_s.is_some_and(|s| s >= NAMED * book.time_s);
        let known =
            f.basis != Evidence::Scatter && !f.is_of_outlier(findings.iter().map(|f| &f.facts));
        f.side == book.side && f.device == book.device && f.kind == Kind::Lost && weighs && known
    };
    findings.iter().find(own)
}

/// The largest cost: time outside these GEMMs if that exceeds their loss, else the [`leading`] finding. `None` if
/// nothing is large enough. `findings` belong to the ledger that holds the book.
pub fn cost(findings: &[Finding], book: &Book) -> Option<HeadlineCost> {
    let own = |f: &&Finding| f.is_outside() && f.section() == Section::First && f.side == book.side;
    if let Some(finding) = findings.iter().find(own).filter(|f| f.time_s > book.lost_s()) {
        return Some(of_program(finding, position(findings, finding)));
    }
    let finding = leading(findings, book)?;
    Some(HeadlineCost {
        key: finding.rule.clone(),
        finding: position(findings, finding),
        seconds: finding.alone_s?,
        claim: capitalized(&finding.saves()?),
        why: finding.inside().replacen(": ", ", ", 1),
    })
}

/// A finding about time outside the accounts: `The device is idle for 92.1 % of the time`, `3.60 ms`.
fn of_program(finding: &Finding, position: usize) -> HeadlineCost {
    let seconds = seconds_brief(finding.time_s);
    let (claim, why) = match finding.title.split_once(": ") {
        Some((claim, what)) => (claim, format!("{seconds}, {what}")),
        None => (finding.title.as_str(), seconds),
    };
    let (key, seconds) = (finding.rule.clone(), finding.time_s);
    HeadlineCost { key, finding: position, seconds, claim: claim.to_owned(), why }
}

fn position(all: &[Finding], one: &Finding) -> usize {
    all.iter().position(|f| std::ptr::eq(f, one)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_says_what_it_covers() {
        assert_eq!(total(&Book::default()), "0 s");
        let mut book = Book {
            time_s: 10e-3,
            known_s: 10e-3,
            roof_s: 6e-3,
            below_s: 4e-3,
            groups: 9,
            ..Book::default()
        };
        assert_eq!(total(&book), "10.0 ms, 60.0 % of roof");
        let typical = Typical { geometric_mean: 0.4, p10: 0.1, p90: 0.8, gemms: 9 };
        let of = |typical| total(&Book { typical: Some(typical), ..book.clone() });
        assert_eq!(
            of(typical),
            "40.0 % of roof (geometric mean; p10 10.0 %, p90 80.0 %), 10.0 ms in all"
        );
        let one = Book { groups: 1, ..book.clone() };
        let of_one = Book { typical: Some(Typical { gemms: 1, ..typical }), ..one };
        assert_eq!(total(&of_one), "40.0 % of roof, 10.0 ms");
        assert_eq!(brief(&book), "60.0 % of roof, 10.0 ms");
        assert_eq!(brief(&Book::default()), "0 s");
        let once = |gemms| Book { typical: Some(Typical { gemms, ..typical }), ..book.clone() };
        assert_eq!(brief(&once(9)), "40.0 % of roof (geometric mean), 10.0 ms");
        assert_eq!(brief(&once(1)), "40.0 % of roof, 10.0 ms");
        book.runs = Runs::Fastest(231);
        book.time_s = 20e-3;
        assert_eq!(
            total(&book),
            "20.0 ms for the fastest run of each of 231 GEMMs, 60.0 % of roof for 50.0 % of the time"
        );
        // The time is that of all GEMMs; the share is of those with a roof.
        (book.without_s, book.runs) = (5e-3, Runs::All);
        assert_eq!(
            total(&Book { typical: Some(typical), ..book.clone() }),
            "40.0 % of roof for 50.0 % of the time (geometric mean; p10 10.0 %, p90 80.0 %), 20.0 ms in all, \
             20.0 % of the GEMM time left out"
        );
        (book.known_s, book.without_s) = (0.0, 0.0);
        assert_eq!(total(&book), "20.0 ms, roof unknown");
        (book.name, book.groups) = ("oneDNN".to_owned(), 168);
        assert_eq!(total(&book), "20.0 ms on 168 GEMMs, roof unknown");
    }

    #[test]
    fn a_total_above_its_roof_says_so() {
        let mut book = Book { time_s: 280e-6, known_s: 280e-6, roof_s: 1302e-6, ..Book::default() };
        assert_eq!(total(&book), "280 µs, 465.0 % of roof: above it");
        assert_eq!(brief(&book), "465.0 % of roof: above it, 280 µs");
        book.time_s = 560e-6;
        assert_eq!(total(&book), "560 µs, 465.0 % of roof for 50.0 % of the time: above it");
        // Less is within the jitter of clocks and timers.
        (book.time_s, book.roof_s) = (280e-6, 282e-6);
        assert_eq!(total(&book), "280 µs, 100.7 % of roof");
    }

    #[test]
    fn a_bar_has_one_length_and_its_parts_are_those_of_the_time() {
        let mut book = Book { time_s: 1.0, ..Book::default() };
        assert_eq!(bar(&book), "");
        for (account, seconds) in [
            (Account::Roof, 0.5),
            (Account::Layout, 0.125),
            (Account::Library, 0.125),
            (Account::Launch, 0.01),
            (Account::Rest, 0.24),
        ] {
            book.accounts[account as usize] = Sum { seconds, groups: 1 };
        }
        assert_eq!(bar(&book), "████████████▓▓▓▓▓▓░░░░░░");
        book.accounts[Account::NoRoof as usize] = Sum { seconds: 1.0, groups: 1 };
        assert_eq!(bar(&book), "██████▓▓▓░░░············");
    }

    #[test]
    fn what_saves_most_alone_comes_first() {
        let mut book = Book { time_s: 650e-6, ..Book::default() };
        for (account, seconds) in [(Account::Library, 90e-6), (Account::Layout, 100e-6)] {
            book.alone[account as usize] = Sum { seconds, groups: 1 };
        }
        let words = "alone layout saves 100 µs, library 90.0 µs";
        assert_eq!(alone(&book).as_deref(), Some(words));
    }
}
