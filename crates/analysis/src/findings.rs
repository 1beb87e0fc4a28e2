//! What matters in the measurements, why, and what to try.
//!
//! Lost time is the [ledger](crate::ledger)'s: a [`Finding`] of it is one account of one side and device,
//! the rest split by what limits the GEMM. It has two numbers: its split, which adds up to the lost time of
//! its side, and what it saves alone, by which findings are ranked and which overlap. Causes that alone save
//! under 0.5 % of the time are one line. Its rows are those that it saves time of alone. Besides them stand questions about the data, which hold no seconds, and ideas that change the
//! roof. [`Sign`]s are predicates of a GEMM without seconds. A finding has no sentence: `gemmscope-words` makes
//! it of the [`Fact`].
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
//! [`check`] is the same with pauses, for who has more to do meanwhile.

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

/// What a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A question about the data or about time outside the GEMMs. It holds no lost time.
    Question,
    /// A sum of the ledger. Those of one side add up to its lost time.
    Lost,
    /// An idea that changes the roof. What it would save is no lost time.
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
    /// What a trace's time goes to besides GEMMs.
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
    /// The row that its sentence and formula name, where they name one.
    pub most: Option<u32>,
    /// The faster run that they compare it with.
    pub faster: Option<u32>,
}

/// Something that matters, with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingFacts {
    /// Id of its rule.
    pub rule: String,
    /// What it is.
    pub kind: Kind,
    /// The side that it is about; "" where no sides are compared.
    pub side: String,
    /// The device that it is about; "" where it is about none.
    pub device: String,
    /// What it is about among several: its side, and its device where there are several.
    pub of: String,
    /// What it says.
    pub fact: Fact,
    /// How much it matters.
    pub severity: Severity,
    /// What its seconds rest on.
    pub basis: Basis,
    /// Subject.
    pub category: Category,
    /// Its rows.
    pub evidence: FindingEvidence,
    /// Time of its rows over all calls, seconds.
    pub time_s: f64,
    /// `time_s` as a share of the time of all rows.
    pub share: f64,
    /// Efficiency of its rows, if they have a roof.
    pub efficiency: Option<f64>,
    /// Its split: lost seconds that it holds, which no other finding holds. `None` for what is no lost time.
    pub split_s: Option<f64>,
    /// Seconds that are saved if only this is done, whichever finding holds them; those of several overlap. Of an
    /// idea what it would save at the roof. `None` for a question.
    pub alone_s: Option<f64>,
    /// What is changed in the ledger if it is ticked.
    pub changes: Vec<Change>,
    /// GEMMs that it is about.
    pub groups: u64,
    /// The time to which its shares refer, seconds: that of its side.
    pub whole_s: f64,
    /// The signs of its GEMMs, most frequent first.
    pub signs: Vec<SignCount>,
}

impl FindingFacts {
    /// True where it is about the time outside the GEMMs.
    pub fn is_outside_gemms(&self) -> bool {
        self.category == Category::Timeline
    }

    /// True where it is about time that no account holds: outside the GEMMs, and of GEMMs that are no rows.
    pub fn is_outside(&self) -> bool {
        self.is_outside_gemms() || self.rule == no_model::RULE.id && self.evidence.rows.is_empty()
    }

    /// Where it stands in the list.
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

    /// True where faster runs show it, and it is not little of the time.
    fn is_measured(&self) -> bool {
        let weighs = self.alone_s.is_some_and(|s| s >= MEASURED_SHARE * self.whole_s);
        self.basis == Basis::Measured && weighs && !self.is_rest()
    }

    /// True for what joins small causes.
    pub fn is_rest(&self) -> bool {
        self.rule == rules::OTHERS.id
    }

    /// True for one cause of lost time.
    pub fn is_cause(&self) -> bool {
        self.kind == Kind::Lost && !self.is_rest()
    }

    /// True where most of it may be one row that a question is about.
    pub fn is_of_outlier<'f>(&self, all: impl IntoIterator<Item = &'f FindingFacts>) -> bool {
        let asks = |o: &&FindingFacts| o.rule == outlier::RULE.id && o.side == self.side;
        all.into_iter().filter(asks).any(|o| {
            let row = o.evidence.rows.first();
            let most = self.alone_s.is_some_and(|s| 2.0 * o.time_s > s);
            most && row.is_some_and(|row| self.evidence.rows.binary_search(row).is_ok())
        })
    }

    /// True where it doubts the device, the type or the unit, and with them every other figure.
    fn doubts_all(&self) -> bool {
        self.category == Category::Data && self.severity == Severity::Critical
    }

    /// Its rows: the one that its sentence names, then those that take most time.
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
    /// What its findings are.
    pub kind: Kind,
    /// Subject.
    pub category: Category,
    /// What it needs.
    pub needs: &'static [Need],
    /// What its seconds rest on.
    pub basis: Basis,
    /// The check.
    pub check: fn(&Rule, &Scan<'_>) -> Vec<FindingFacts>,
}

/// All rules: questions about the data, the accounts of the ledger, ideas that change the roof.
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
    rules::OTHERS,
    batching::RULE,
    precision::RULE,
    slower::NARROW,
    slower::PLATFORM,
];

/// Orders rows by the time of all their calls, the longest first, of equal ones by their number. A time as
/// bits: those of times that are not negative are in their order, and none is less than any.
fn by_time(frame: &Frame, row: u32) -> (u64, u32) {
    let r = row as usize;
    let time_s = frame.data.time_s.get(r).map_or(0.0, |t| t * frame.calls(r));
    (!time_s.max(0.0).to_bits(), row)
}

/// Questions that concern over this share of the time come first.
const FIRST: f64 = 0.2;
