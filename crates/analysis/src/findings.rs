//! What matters in the measurements, why, and what to try.
//!
//! Lost time is the [ledger](crate::ledger)'s: a [`Finding`] of it is one account of one side and device,
//! the rest split by what limits the GEMM. It has two numbers: its split, which adds up to the lost time of
//! its side, and what it saves alone, by which findings are ranked and which overlap. Causes that alone save
//! under 0.5 % of the time are one line. Its rows are those that it saves time of alone. Besides them stand questions about the data, which hold no seconds, and ideas that change the
//! roof. [`Sign`]s are predicates of a GEMM without seconds. Times alone never prove a cause, so every
//! [`Rule`] names what a profile would have to show.
//!
//! ```no_run
//! # use gemmscope_table::field::Frame;
//! # use gemmscope_analysis::findings;
//! # fn show(frame: &Frame) {
//! let report = findings::check_all(frame);
//! for finding in &report.findings {
//!     println!("{}: {}", finding.severity.label(), finding.title);
//! }
//! # }
//! ```
//!
//! [`check`] is the same with pauses, for who has more to do meanwhile.

use crate::ledger::{Book, Change, Evidence as Basis, Ledger};
use gemmscope_model::pass;
use gemmscope_model::units::{decapitalized, plural, seconds_brief};
use gemmscope_table::field::Frame;
use serde::{Deserialize, Serialize};

mod above_roof;
mod advice;
mod base_clock;
mod batching;
mod check;
mod double_count;
mod far_below;
mod need;
mod no_model;
mod outlier;
mod part;
mod precision;
mod reported;
mod rules;
pub mod scan;
mod section;
mod severity;
mod signs;
mod slower;
mod story;
mod sums;
mod timeline;
mod words;
mod wrong_device;

pub(crate) use above_roof::causes as above_roof_causes;
pub(crate) use advice::is_quantized;
pub use check::check;
pub(crate) use far_below::{Reach, question as far_below_question};
pub use need::Need;
pub use part::{Part, Whole};
pub(crate) use reported::GAP as REPORTED_GAP;
pub use scan::{Group, Scan};
pub(crate) use scan::{NAME, short};
pub use section::Section;
pub(crate) use severity::{
    ANOMALY_EFFICIENCY, CRITICAL_SHARE, HIGH_SHARE, MEASURED_SHARE, MEDIUM_SHARE, TRIFLE_SHARE,
    priority,
};
pub use severity::{Severity, band};
pub(crate) use signs::is_fallback;
pub use signs::{Seen, Sign};
pub(crate) use words::own_paths;
pub(crate) use wrong_device::{built_for, built_for_another, other_kernels};

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

/// The evidence of a finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FindingEvidence {
    /// Dataset rows, ascending.
    pub rows: Vec<u32>,
    /// The formula with its numbers.
    pub formula: String,
    /// The row that its sentence and formula name, where they name one.
    #[serde(skip)]
    pub most: Option<u32>,
    /// The faster run that they compare it with.
    #[serde(skip)]
    pub faster: Option<u32>,
}

/// Something that matters, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Id of its rule.
    pub rule: String,
    /// What it is.
    pub kind: Kind,
    /// The side that it is about; "" where no sides are compared.
    pub side: String,
    /// The device that it is about; "" where it is about none.
    pub device: String,
    /// What it is about among several: its side, and its device where there are several.
    #[serde(skip)]
    pub of: String,
    /// Title, one line.
    pub title: String,
    /// Description, one or two sentences.
    pub text: String,
    /// How much it matters.
    pub severity: Severity,
    /// What its seconds rest on.
    pub basis: Basis,
    /// Subject.
    pub category: Category,
    /// Its evidence.
    pub evidence: FindingEvidence,
    /// Time of its rows over all calls, seconds.
    pub time_s: f64,
    /// That time as a share of the whole.
    pub share: f64,
    /// Efficiency of its rows, if they have a roof.
    pub efficiency: Option<f64>,
    /// Its split: lost seconds that it holds, which no other finding holds. `None` for what is no lost time.
    pub split_s: Option<f64>,
    /// Seconds that are saved if only this is done, whichever finding holds them; those of several overlap. Of an
    /// idea what it would save at the roof. `None` for a question.
    pub alone_s: Option<f64>,
    /// What is changed in the ledger if it is ticked.
    #[serde(skip)]
    pub changes: Vec<Change>,
    /// GEMMs that it is about.
    pub groups: u64,
    /// The time to which its shares refer, seconds: that of its side.
    pub whole_s: f64,
    /// The signs of its GEMMs, most frequent first.
    pub signs: Vec<Seen>,
    /// What to try in the algorithm or the model: fusion, batching, quantisation.
    pub path_a: String,
    /// What to try with the kernel: tuning, tile, replay.
    pub path_b: String,
    /// What a profile must show to prove the cause.
    pub profile: String,
}

impl Finding {
    /// True where it is about the time outside the GEMMs.
    pub(crate) fn is_outside_gemms(&self) -> bool {
        self.category == Category::Timeline
    }

    /// True where it is about time that no account holds: outside the GEMMs, and of GEMMs that are no rows.
    pub(crate) fn is_outside(&self) -> bool {
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
    fn is_rest(&self) -> bool {
        self.rule == rules::OTHERS.id
    }

    /// True for one cause of lost time.
    pub(crate) fn is_cause(&self) -> bool {
        self.kind == Kind::Lost && !self.is_rest()
    }

    /// True where most of it may be one row that a question is about.
    pub(crate) fn is_of_outlier(&self, all: &[Finding]) -> bool {
        let asks = |o: &&Finding| o.rule == outlier::RULE.id && o.side == self.side;
        all.iter().filter(asks).any(|o| {
            let row = o.evidence.rows.first();
            let most = self.alone_s.is_some_and(|s| 2.0 * o.time_s > s);
            most && row.is_some_and(|row| self.evidence.rows.binary_search(row).is_ok())
        })
    }

    /// True where it doubts the device, the type or the unit, and with them every other figure.
    fn doubts_all(&self) -> bool {
        self.category == Category::Data && self.severity == Severity::Critical
    }

    /// What it saves: `saves 7.74 ms alone`, `saves at most 13.5 ms alone` where no run shows that; of an idea
    /// `at the roof 2.00 ms less`. `None` for a question.
    pub fn saves(&self) -> Option<String> {
        let seconds = seconds_brief(self.alone_s?);
        Some(match self.kind {
            Kind::Lost if self.basis.is_bound() => format!("saves at most {seconds} alone"),
            Kind::Lost => format!("saves {seconds} alone"),
            _ => format!("at the roof {seconds} less"),
        })
    }

    /// What it saves and what that rests on: `saves 7.74 ms alone, measured`. `None` for a question.
    pub(crate) fn saved(&self) -> Option<String> {
        let saves = self.saves()?;
        Some(match (self.kind, self.basis) {
            // It says so.
            (Kind::Lost, Basis::AtMost) => saves,
            (Kind::Lost, basis) => format!("{saves}, {}", basis.label()),
            _ => saves,
        })
    }

    /// Its two numbers: `saves 7.74 ms alone, measured; split 1.66 ms`. `None` for a question.
    pub fn worth(&self) -> Option<String> {
        let saved = self.saved()?;
        Some(match self.split_s {
            Some(split_s) => format!("{saved}; split {}", seconds_brief(split_s)),
            None => saved,
        })
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

    /// What to try first: in the model where the cause lies there, else in the kernel.
    pub fn path(&self) -> &str {
        match self.category {
            _ if self.path_a.starts_with("Nothing") => &self.path_b,
            Category::Launches
            | Category::Precision
            | Category::Layout
            | Category::Library
            | Category::Timeline
            | Category::Data => &self.path_a,
            _ => &self.path_b,
        }
    }

    /// Its title inside a sentence. A name that it begins with keeps its letters.
    pub(crate) fn inside(&self) -> String {
        match self.rule == rules::LIBRARY.id && !self.title.starts_with("Another") {
            true => self.title.clone(),
            false => decapitalized(&self.title),
        }
    }

    /// Its title, with the side and device that it is about.
    pub fn heading(&self) -> String {
        self.named(&self.title)
    }

    /// A text about it, with the side and device that it is about.
    pub(crate) fn named(&self, text: &str) -> String {
        match self.of.as_str() {
            of if text.starts_with(of) => text.to_owned(),
            of => format!("{of}: {text}"),
        }
    }
}

/// A rule as data.
pub struct Rule {
    /// Stable key.
    pub id: &'static str,
    /// What it looks for.
    pub title: &'static str,
    /// What its findings are.
    pub kind: Kind,
    /// Subject.
    pub category: Category,
    /// What it needs.
    pub needs: &'static [Need],
    /// Its threshold, as a sentence with numbers.
    pub threshold: &'static str,
    /// What its seconds rest on.
    pub basis: Basis,
    /// Why it matters.
    pub why: &'static str,
    /// What to try in the algorithm or the model.
    pub path_a: &'static str,
    /// What to try with the kernel.
    pub path_b: &'static str,
    /// What a profile must show to prove the cause.
    pub profile: &'static str,
    /// The check.
    pub check: fn(&Rule, &Scan<'_>) -> Vec<Finding>,
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
    rules::REST,
    rules::OTHERS,
    batching::RULE,
    precision::RULE,
    slower::NARROW,
    slower::PLATFORM,
];

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|r| r.id == id)
}

/// The result of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Id of its rule.
    pub rule: String,
    /// What it looks for.
    pub title: String,
    /// Its threshold.
    pub threshold: String,
    /// Number of its findings.
    pub findings: u32,
    /// `not checked: needs ...`, if the data lacks something.
    pub not_checked: Option<String>,
}

impl Checked {
    /// What came of it, in a few words.
    pub fn outcome(&self) -> String {
        match (&self.not_checked, self.findings) {
            (Some(reason), _) => reason.clone(),
            (None, 0) => "nothing found".to_owned(),
            (None, n) => plural(u64::from(n), "finding"),
        }
    }
}

/// All findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings {
    /// By [section](Section), each by its seconds.
    pub findings: Vec<Finding>,
    /// The ledger whose sums they are.
    pub ledger: Ledger,
    /// The result of every rule.
    pub checked: Vec<Checked>,
    /// The sides and their times; one without a name where no sides are compared.
    pub parts: Vec<Part>,
    /// The roof to which efficiencies refer.
    pub roof: String,
    /// Key of what the rows are: `workload`.
    pub kind: String,
}

impl Findings {
    /// Id of a finding that survives a reload of the same data: its rule and its number among the
    /// rule's findings. "" if there is no such finding.
    pub fn id_of(&self, index: usize) -> String {
        let Some(found) = self.findings.get(index) else {
            return String::new();
        };
        let before = &self.findings[..index];
        let nth = before.iter().filter(|f| f.rule == found.rule).count() + 1;
        format!("{}.{nth}", found.rule)
    }

    /// What is changed in the ledger if these findings are ticked, together.
    pub fn changes(&self, indices: &[usize]) -> Vec<Change> {
        let ticked = indices.iter().filter_map(|i| self.findings.get(*i));
        ticked.flat_map(|f| f.changes.iter().copied()).collect()
    }

    /// The total of each side and device of which findings are ticked, given what they [leave](Ledger::left), beside
    /// time outside the GEMMs: `2 findings fixed: at best 43.3 ms instead of 52.5 ms, 1.21x faster`. `None` where
    /// none of them holds lost time.
    pub fn fixed(&self, indices: &[usize], left: &Ledger, other_s: f64) -> Option<String> {
        let books = self.ledger.books.iter().zip(&left.books).enumerate();
        let totals = books.filter_map(|(at, (book, left))| {
            let all = indices.iter().filter_map(|i| self.findings.get(*i));
            let own: Vec<&Finding> =
                all.filter(|f| f.changes.iter().any(|change| change.book == at)).collect();
            fixed_of(&own, [book, left], other_s)
        });
        let totals: Vec<String> = totals.collect();
        (!totals.is_empty()).then(|| totals.join("; "))
    }

    /// The position of the finding with this id.
    pub fn position(&self, id: &str) -> Option<usize> {
        let (rule, nth) = id.rsplit_once('.')?;
        let nth: usize = nth.parse().ok()?;
        self.findings
            .iter()
            .enumerate()
            .filter(|(_, f)| f.rule == rule)
            .nth(nth.checked_sub(1)?)
            .map(|(i, _)| i)
    }
}

/// The total of a book once these findings of it are fixed, given what they leave of it.
fn fixed_of(own: &[&Finding], [book, left]: [&Book; 2], other_s: f64) -> Option<String> {
    let [before, after] = [book, left].map(|b| b.time_s + other_s);
    let of = if book.name.is_empty() { String::new() } else { format!(" of {}", book.name) };
    (!own.is_empty()).then(|| {
        format!(
            "{}{of} fixed: {}{} instead of {}{}, {:.2}x faster",
            plural(own.len() as u64, "finding"),
            if own.iter().any(|f| f.basis.is_bound()) { "at best " } else { "" },
            seconds_brief(after),
            seconds_brief(before),
            if other_s > 0.0 { " end to end" } else { "" },
            before / after
        )
    })
}

/// Orders rows by the time of all their calls, the longest first, of equal ones by their number. A time as
/// bits: those of times that are not negative are in their order, and none is less than any.
fn by_time(frame: &Frame, row: u32) -> (u64, u32) {
    let r = row as usize;
    let time_s = frame.data.time_s.get(r).map_or(0.0, |t| t * frame.calls(r));
    (!time_s.max(0.0).to_bits(), row)
}

/// Checks all rules at once.
pub fn check_all(frame: &Frame) -> Findings {
    pass::at_once(check(frame, None, &async |_| ())).0
}

/// Questions that concern over this share of the time come first.
const FIRST: f64 = 0.2;

/// Section by section, each by its seconds; a doubt about the device comes before all.
fn rank(findings: &mut [Finding]) {
    let seconds = |f: &Finding| f.alone_s.unwrap_or(f.time_s);
    findings.sort_by(|a, b| {
        a.section()
            .cmp(&b.section())
            .then(a.is_rest().cmp(&b.is_rest()))
            .then(b.doubts_all().cmp(&a.doubts_all()))
            .then(seconds(b).total_cmp(&seconds(a)))
            .then(a.severity.cmp(&b.severity))
            .then(b.time_s.total_cmp(&a.time_s))
            .then(a.rule.cmp(&b.rule))
            .then(a.evidence.rows.cmp(&b.evidence.rows))
    });
}

#[cfg(test)]
mod tests;
