//! How a tuning history went: what each generation gained, what failed or was slow, and the settings that such
//! variants share.

use crate::tuning as words;
use gemmscope_analysis::tuning::{self, BadVariant, Outcome, SLOW_BELOW, SearchHistory, Suspect};
use gemmscope_table::field::Frame;
use serde::Serialize;

/// Most histories that are listed, those with most rows.
const MOST_HISTORIES: usize = 5;
/// Most variants of one that are listed.
const MOST_VARIANTS: usize = 50;
/// Most settings of one that are listed.
const MOST_SETTINGS: usize = 20;

/// The search over the variants of one GEMM.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuningPart {
    /// The GEMM.
    pub problem: String,
    /// Title of what orders the variants: `generation`.
    pub order: String,
    /// All variants.
    pub variants: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that ran far slower than the best.
    pub slow: usize,
    /// The best of each generation against that of the last one before it that had one.
    pub changes: Vec<GenerationChange>,
    /// The same in a sentence; none where there are too many to read.
    #[serde(skip)]
    pub changed: Option<String>,
    /// Whether the search has come to an end, in a sentence.
    pub convergence: Option<String>,
    /// The settings that failed and slow variants share.
    pub settings: Vec<Suspect>,
    /// The failed and slow variants, in the order of the file.
    pub bad: Vec<BadVariant>,
}

/// What a generation gained over the one before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenerationChange {
    /// Its number.
    pub order: f64,
    /// Rate of its best variant over that of the one before, less 1: negative where it fell.
    pub change: f64,
}

impl TuningPart {
    /// The searches in a frame that have several generations.
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

    /// How the search went, in a sentence or two.
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
