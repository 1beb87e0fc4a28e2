//! How a search over variants went, in sentences.

use gemmscope_analysis::tuning::{Convergence, SearchHistory};
use gemmscope_model::units::{percent, signed_percent};

/// Most changes from one generation to the next that a sentence names.
const MOST_CHANGES: usize = 12;

/// By how much the best of each generation differs from the one before it; `None` where there is nothing to
/// compare, or there are more generations than somebody reads.
pub fn changes(history: &SearchHistory) -> Option<String> {
    let changes = history.changes().into_iter();
    let each: Vec<String> =
        changes.map(|(order, by)| format!("{order}: {}", signed_percent(by))).collect();
    (1..=MOST_CHANGES).contains(&each.len()).then(|| {
        let label = history.order_label.to_lowercase();
        format!("Best of each {label} against the one before: {}.", each.join(", "))
    })
}

/// Whether the search has come to an end; `None` with fewer than two generations that ran.
pub fn convergence(history: &SearchHistory) -> Option<String> {
    let label = history.order_label.to_lowercase();
    Some(match history.convergence()? {
        Convergence::NoGain => format!("No gain after the first {label}."),
        Convergence::Gaining { gain } => {
            format!("Not converged: the last {label} still gained {}.", percent(gain))
        }
        Convergence::Perhaps { order, gain } => {
            let gain = percent(gain);
            format!("Perhaps converged: {label} {order} gained {gain}, the next nothing.")
        }
        Convergence::Converged { order, gain, quiet } => {
            let gain = percent(gain);
            format!(
                "Converged: last gain in {label} {order} ({gain}), none in the {quiet} after it."
            )
        }
    })
}
