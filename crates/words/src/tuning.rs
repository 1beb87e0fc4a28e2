//! Course of a search over variants, in sentences.

use crate::charts::NO_ROOF;
use gemmscope_analysis::tuning::{Convergence, Outcome, SearchHistory};
use gemmscope_model::units::{percent, plural, signed_percent};

/// Maximum number of changes between generations that a sentence names.
const MOST_CHANGES: usize = 12;

/// Change of the best from each generation to the next; `None` if there is nothing to compare, or too many generations
/// to read.
pub fn changes(history: &SearchHistory) -> Option<String> {
    let changes = history.changes().into_iter();
    let each: Vec<String> =
        changes.map(|(order, by)| format!("{order}: {}", signed_percent(by))).collect();
    (1..=MOST_CHANGES).contains(&each.len()).then(|| {
        let label = history.order_label.to_lowercase();
        format!("Best of each {label} against the one before: {}.", each.join(", "))
    })
}

/// Whether the search has converged; `None` with fewer than two generations that ran.
pub fn convergence(history: &SearchHistory) -> Option<String> {
    let label = history.order_label.to_lowercase();
    Some(match history.convergence()? {
        Convergence::NoGain => format!("No gain after the first {label}."),
        Convergence::Gaining { gain } => {
            format!(
                "Not converged: the last {label} still beat the best so far, by {}.",
                percent(gain)
            )
        }
        Convergence::Perhaps { order, gain } => {
            let gain = percent(gain);
            format!(
                "Perhaps converged: {label} {order} beat the best so far by {gain}, the next did not."
            )
        }
        Convergence::Converged { order, gain, quiet } => {
            let gain = percent(gain);
            format!(
                "Converged: {label} {order} was the last to beat the best so far (by {gain}), the {quiet} after it \
                 did not."
            )
        }
    })
}

/// The best variant, its rate, and its share of the roof if known.
pub fn title(h: &SearchHistory, rate: &str, share: Option<String>) -> String {
    let Some(best) = h.best.and_then(|i| h.variants.get(i)) else {
        return "No variant ran.".to_owned();
    };
    let label = h.order_label.to_lowercase();
    let share = share.map_or(String::new(), |share| format!(", {share} of the roof"));
    format!(
        "Best of {} in {} {label}s: {rate} in {label} {}{share} ({}).",
        plural(h.variants.len() as u64, "variant"),
        h.generations.len(),
        best.order,
        best.name
    )
}

/// All variants failed.
pub fn none_ran(h: &SearchHistory) -> String {
    format!("None of {} variants ran: {}.", h.variants.len(), failures(h))
}

/// Failed variants, those slower than `slow_below` of the best, the course of the search, and rows that were not read.
pub fn notes(h: &SearchHistory, slow_below: &str, not_read: u64) -> Vec<String> {
    let mut out = Vec::new();
    let [failed, slow] = [Outcome::Failed, Outcome::Slow].map(|outcome| h.count(outcome));
    if failed > 0 {
        out.push(format!("{failed} failed: {}.", failures(h)));
    }
    if slow > 0 {
        out.push(format!("{slow} slow: under {slow_below} of the best."));
    }
    out.extend(changes(h));
    out.extend(convergence(h));
    if h.roof.is_nan() {
        out.push(NO_ROOF.to_owned());
    }
    if not_read > 0 {
        out.push(format!("{} not read: see the file's card.", plural(not_read, "row")));
    }
    out
}

/// `correctness failed 3, timeout 1`.
fn failures(h: &SearchHistory) -> String {
    match h.failures().as_slice() {
        [(one, _)] => one.to_string(),
        all => all.iter().map(|(s, n)| format!("{s} {n}")).collect::<Vec<_>>().join(", "),
    }
}
