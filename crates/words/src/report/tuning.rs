//! Tuning histories: the gain of each generation, variants that failed or were slow, and the settings that these share.

use crate::tuning as words;
use gemmscope_analysis::tuning::{self, BadVariant, Outcome, SLOW_BELOW, SearchHistory, Suspect};
use gemmscope_table::field::Frame;
use serde::Serialize;

/// Maximum number of histories listed, those with most rows.
const MOST_HISTORIES: usize = 5;
/// Maximum number of variants listed for each.
const MOST_VARIANTS: usize = 50;
/// Maximum number of settings listed for each.
const MOST_SETTINGS: usize = 20;

/// The search over the variants of one GEMM.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuningPart {
    /// The GEMM.
    pub problem: String,
    /// Title of the column that orders the variants: `generation`.
    pub order: String,
    /// Number of variants.
    pub variants: usize,
    /// Number of failed variants.
    pub failed: usize,
    /// Number of variants far slower than the best.
    pub slow: usize,
    /// The best of each generation relative to the best of the last generation before it that had one.
    pub changes: Vec<GenerationChange>,
    /// The changes in a sentence; `None` if there are too many to read.
    #[serde(skip)]
    pub changed: Option<String>,
    /// Whether the search has converged, in a sentence.
    pub convergence: Option<String>,
    /// The settings that failed and slow variants share.
    pub settings: Vec<Suspect>,
    /// The failed and slow variants, in file order.
    pub bad: Vec<BadVariant>,
}

/// Gain of a generation over the previous one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenerationChange {
    /// Its number.
    pub order: f64,
    /// Rate of its best variant over that of the previous one, less 1: negative for a decline.
    pub change: f64,
}

impl TuningPart {
    /// Searches in a frame with several generations.
    pub(super) fn of(frame: &Frame) -> Vec<TuningPart> {
        tuning::problems(frame)
            .iter()
            .filter_map(|(problem, _)| {
                Self::new(frame, &SearchHistory::new(frame, problem, SLOW_BELOW)?)
            })
            .take(MOST_HISTORIES)
            .collect()
    }

    fn new(frame: &Frame, h: &SearchHistory) -> Option<TuningPart> {
        let (failed, slow) = (h.count(Outcome::Failed), h.count(Outcome::Slow));
        if h.generations.len() < 2 {
            return None;
        }
        let changes = h.changes().into_iter();
        Some(TuningPart {
            problem: h.problem.to_string(),
            order: h.order_label.to_lowercase(),
            variants: h.variants.len(),
            failed,
            slow,
            changes: changes.map(|(order, change)| GenerationChange { order, change }).collect(),
            changed: words::changes(h),
            convergence: words::convergence(h),
            settings: h.suspects(frame).into_iter().take(MOST_SETTINGS).collect(),
            bad: h.bad(frame).take(MOST_VARIANTS).collect(),
        })
    }

    /// Course of the search in a sentence or two.
    pub(super) fn words(&self) -> String {
        let mut out = format!(
            "Of {} variants {} failed and {} ran under {:.0} % of the best rate.",
            self.variants,
            self.failed,
            self.slow,
            SLOW_BELOW * 100.0,
        );
        for words in self.changed.iter().chain(&self.convergence) {
            out.push(' ');
            out.push_str(words);
        }
        out
    }

    /// Number of failed and slow variants that are not listed.
    pub(super) fn more(&self) -> usize {
        self.failed + self.slow - self.bad.len()
    }
}
