//! What matters in the measurements, why, and what to try.
//!
//! Lost time comes from the [ledger](crate::ledger): a finding about it is one account of one side and device; the rest
//! account is split by what limits the GEMM. It has two numbers: its split, and splits add up to the lost time of its
//! side; and what it saves alone, by which findings are ranked and which overlap. Its rows are those for which it saves
//! time alone. Causes that alone save under 0.5 % of the time are no findings. Other findings are questions
//! about the data, which hold no seconds, and ideas that change the roof. [`Sign`]s are predicates of a GEMM without
//! seconds. A finding contains no sentences: `gemmscope-words` makes them from its [`Fact`].
//!
//! ```no_run
//! # use gemmscope_table::field::Frame;
//! # use gemmscope_analysis::findings;
//! # fn show(frame: &Frame) {
//! let report = findings::check_all(frame);
//! for finding in &report.findings {
//!     println!("{} {:?}: {:?}", finding.rule, finding.alone_s, finding.fact);
//! }
//! # }
//! ```
//!
//! [`check`] does the same with pauses, for callers that must not block.

use crate::ledger::{Change, Evidence as Basis};
use gemmscope_table::field::Frame;
use serde::{Deserialize, Serialize};

mod above_roof;
mod base_clock;
mod batching;
mod causes;
mod check;
mod double_count;
mod fact;
mod far_below;
mod hits;
mod need;
mod no_model;
mod outlier;
mod precision;
mod reported;
mod rules;
pub mod scan;
mod section;
mod severity;
mod side_time;
mod signs;
mod slower;
mod sums;
mod timeline;
mod wrong_device;

pub use above_roof::causes as above_roof_causes;
pub use check::{FrameFacts, RuleOutcome, check, check_all};
pub use fact::{CauseFacts, Difference, Fact, HeldBy, NAMED, PartFacts};
pub(crate) use far_below::Reach;
pub use need::Need;
pub(crate) use reported::GAP as REPORTED_GAP;
pub use scan::{Group, Scan};
pub use section::Section;
pub use severity::{
    ANOMALY_EFFICIENCY, CRITICAL_SHARE, HIGH_SHARE, MEASURED_SHARE, MEDIUM_SHARE, Severity,
    TRIFLE_SHARE, band, priority,
};
pub use side_time::{SideTime, Whole};
pub use signs::{ROW_BYTES, Sign, SignCount, is_fallback, is_quantized, unaligned};
pub use sums::{Detail, TileCause, tile_cause};
pub use wrong_device::other_kernels;

/// Kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A question about the data or about time outside the GEMMs. Holds no lost time.
    Question,
    /// A sum of the ledger. Those of one side add up to its lost time.
    Lost,
    /// An idea that changes the roof. Its saving is not lost time.
    Idea,
}

/// The subject of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Distance from the roof.
    Efficiency,
    /// Memory traffic.
    Memory,
    /// Launches and small problems.
    Launches,
    /// Tiles, waves, split-K.
    Tiling,
    /// Data types.
    Precision,
    /// Storage order and alignment.
    Layout,
    /// Choice of library or kernel.
    Library,
    /// Spread of the times.
    Stability,
    /// A trace's time outside the GEMMs.
    Timeline,
    /// The measurements themselves.
    Data,
}

impl Category {
    /// Name on the page.
    pub fn label(self) -> &'static str {
        match self {
            Category::Efficiency => "Efficiency",
            Category::Memory => "Memory",
            Category::Launches => "Launches",
            Category::Tiling => "Tiles and waves",
            Category::Precision => "Data types",
            Category::Layout => "Layout and alignment",
            Category::Library => "Library",
            Category::Stability => "Stability",
            Category::Timeline => "Timeline",
            Category::Data => "Data",
        }
    }
}

/// The rows of a finding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindingEvidence {
    /// Dataset rows, ascending.
    pub rows: Vec<u32>,
    /// The row that sentence and formula name, if any.
    pub most: Option<u32>,
    /// The faster run that it is compared with.
    pub faster: Option<u32>,
}

/// A finding, with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingFacts {
    /// Rule id.
    pub rule: String,
    /// Kind.
    pub kind: Kind,
    /// Its side; "" if no sides are compared.
    pub side: String,
    /// Its device; "" if it is not about one.
    pub device: String,
    /// Distinguishes it among several: its side, and its device if there are several.
    pub of: String,
    /// Content, in numbers, rows and names.
    pub fact: Fact,
    /// How much it matters.
    pub severity: Severity,
    /// Evidence for its seconds.
    pub basis: Basis,
    /// Subject.
    pub category: Category,
    /// Its rows.
    pub evidence: FindingEvidence,
    /// Time of its rows over all calls, seconds.
    pub time_s: f64,
    /// `time_s` / time of all rows.
    pub share: f64,
    /// Efficiency of its rows, if they have a roof.
    pub efficiency: Option<f64>,
    /// Its split: exclusive lost seconds, which no other finding holds. `None` if it is not lost time.
    pub split_s: Option<f64>,
    /// Seconds saved if only this is done, whichever finding holds them; several overlap. For an idea, what it would
    /// save at the roof. `None` for a question.
    pub alone_s: Option<f64>,
    /// Changes to the ledger if the user ticks it.
    pub changes: Vec<Change>,
    /// Number of GEMMs.
    pub groups: u64,
    /// Time that its shares refer to, seconds: that of its side.
    pub whole_s: f64,
    /// Signs of its GEMMs, most frequent first.
    pub signs: Vec<SignCount>,
}

impl FindingFacts {
    /// True if it is about time outside the GEMMs.
    pub fn is_outside_gemms(&self) -> bool {
        self.category == Category::Timeline
    }

    /// True if it is about time in no account: outside the GEMMs, or of GEMMs without rows.
    pub fn is_outside(&self) -> bool {
        self.is_outside_gemms() || self.rule == no_model::RULE.id && self.evidence.rows.is_empty()
    }

    /// Its section of the list.
    pub fn section(&self) -> Section {
        match self.kind {
            Kind::Question if self.share > FIRST || self.severity == Severity::Critical => {
                Section::First
            }
            Kind::Question if self.is_outside_gemms() => Section::Program,
            Kind::Question => Section::Data,
            Kind::Lost if self.is_measured() => Section::Measured,
            Kind::Lost => Section::Lost,
            Kind::Idea => Section::Ideas,
        }
    }

    /// True if measured by faster runs and at least [`MEASURED_SHARE`] of the time.
    fn is_measured(&self) -> bool {
        let weighs = self.alone_s.is_some_and(|s| s >= MEASURED_SHARE * self.whole_s);
        self.basis == Basis::Measured && weighs
    }

    /// True if most of it may come from a single row that an outlier question is about.
    pub fn is_of_outlier<'f>(&self, all: impl IntoIterator<Item = &'f FindingFacts>) -> bool {
        let asks = |o: &&FindingFacts| o.rule == outlier::RULE.id && o.side == self.side;
        all.into_iter().filter(asks).any(|o| {
            let row = o.evidence.rows.first();
            let most = self.alone_s.is_some_and(|s| 2.0 * o.time_s > s);
            most && row.is_some_and(|row| self.evidence.rows.binary_search(row).is_ok())
        })
    }

    /// True if it questions the device, the type or the unit, and with them every other figure.
    fn doubts_all(&self) -> bool {
        self.category == Category::Data && self.severity == Severity::Critical
    }

    /// Its rows: the one named in its sentence, then by time, longest first.
    pub fn rows_by_time(&self, frame: &Frame) -> Vec<u32> {
        let mut rows: Vec<_> = self.evidence.rows.iter().map(|r| by_time(frame, *r)).collect();
        rows.sort_unstable();
        let most = rows.iter().position(|(_, row)| self.evidence.most == Some(*row));
        if let Some(at) = most {
            rows[..=at].rotate_right(1);
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

/// A rule as data.
pub struct Rule {
    /// Stable key.
    pub id: &'static str,
    /// Kind of its findings.
    pub kind: Kind,
    /// Subject.
    pub category: Category,
    /// Data that it needs.
    pub needs: &'static [Need],
    /// Evidence for its seconds.
    pub basis: Basis,
    /// Finds.
    pub check: fn(&Rule, &Scan<'_>) -> Vec<FindingFacts>,
}

/// All rules: questions about the data, accounts of the ledger, ideas that change the roof.
pub static RULES: &[Rule] = &[
    wrong_device::RULE,
    far_below::RULE,
    no_model::RULE,
    double_count::RULE,
    timeline::RULE,
    outlier::RULE,
    above_roof::RULE,
    base_clock::RULE,
    reported::RULE,
    rules::KERNEL,
    rules::LAYOUT,
    rules::TYPE,
    rules::SIZE,
    rules::LIBRARY,
    rules::LAUNCH,
    rules::TILE,
    rules::PUBLISHED,
    rules::REST,
    batching::RULE,
    precision::RULE,
    slower::NARROW,
    slower::PLATFORM,
];

/// Sort key of a row: time of all its calls, longest first, then row number. Non-negative times order as their bits do;
/// a missing time comes last.
fn by_time(frame: &Frame, row: u32) -> (u64, u32) {
    let r = row as usize;
    let time_s = frame.data.time_s.get(r).map_or(0.0, |t| t * frame.calls(r));
    (!time_s.max(0.0).to_bits(), row)
}

/// Questions about more than this fraction of the time come first.
const FIRST: f64 = 0.2;
