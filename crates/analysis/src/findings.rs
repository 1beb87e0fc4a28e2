//! Rules that find what matters in the measurements, why, and what to try.
//!
//! A [`Rule`] is data: what it needs, its threshold, its texts, how certain it is, and a function
//! over the groups of a [`Scan`]. A [`Finding`] has its evidence: the rows, the formula with its
//! numbers, and the time it could save. Times alone never prove a cause, so every rule names what
//! a profile would have to show.
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
//! Large data can be checked in steps: [`Runner::new`] groups the rows, each
//! [`step`](Runner::step) checks one rule.

use gemmscope_model::order::InOrder;
use gemmscope_model::units::plural;
use gemmscope_table::field::Frame;
use serde::{Deserialize, Serialize};

mod above_roof;
mod advice;
mod base_clock;
mod batching;
mod claims;
mod double_count;
mod far_below;
mod few_workgroups;
mod fp8_gain;
mod larger;
mod launch_bound;
mod layout;
mod library;
mod low_efficiency;
mod memory_bandwidth;
mod need;
mod neighbour;
mod no_model;
mod older_kernel;
mod precision;
mod reported;
mod same_shape;
pub mod scan;
mod sibling;
mod skinny_tile;
mod split_k;
mod story;
mod tail_wave;
mod tile_padding;
mod timeline;
mod unaligned;
mod variance;
mod wrong_device;

pub(crate) use advice::is_quantized;
pub use need::Need;
pub(crate) use scan::short;
pub use scan::{Group, Part, Scan, Whole};
pub(crate) use wrong_device::built_for;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Over 15 % of the time and under 30 % efficiency.
    Critical,
    /// Over 10 % of the time, or under 40 % efficiency.
    High,
    /// Over 5 % of the time, or a notable pattern.
    Medium,
    /// Anything else that was flagged.
    Low,
}

impl Severity {
    /// `Critical`, `High`, `Medium`, `Low`.
    pub fn label(self) -> &'static str {
        match self {
            Severity::Critical => "Critical",
            Severity::High => "High",
            Severity::Medium => "Medium",
            Severity::Low => "Low",
        }
    }
}

/// How certain a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Arithmetic on measured figures.
    Certain,
    /// A model of the hardware: tiles, waves, launches.
    Likely,
    /// A pattern that may be worth checking.
    Hint,
}

impl Confidence {
    /// Name on the page.
    pub fn label(self) -> &'static str {
        match self {
            Confidence::Certain => "the measured times, by arithmetic",
            Confidence::Likely => "a model of tiles, waves and launches",
            Confidence::Hint => "a hint that is worth a look",
        }
    }
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
pub struct Evidence {
    /// Dataset rows, ascending.
    pub rows: Vec<u32>,
    /// The formula with its numbers.
    pub formula: String,
}

/// What another rule saw on the rows of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Also {
    /// Id of the rule.
    pub rule: String,
    /// What it saw.
    pub title: String,
    /// The formula with its numbers, for the first of the rows.
    pub formula: String,
}

/// Something that matters, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Id of its rule.
    pub rule: String,
    /// The side that it is about; "" where no sides are compared.
    pub side: String,
    /// Title, one line.
    pub title: String,
    /// Description, one or two sentences.
    pub text: String,
    /// How much it matters.
    pub severity: Severity,
    /// How certain it is.
    pub confidence: Confidence,
    /// Subject.
    pub category: Category,
    /// Its evidence.
    pub evidence: Evidence,
    /// Time of its rows over all calls, seconds.
    pub time_s: f64,
    /// That time as a share of the whole.
    pub share: f64,
    /// Efficiency of its rows, if they have a roof.
    pub efficiency: Option<f64>,
    /// Seconds that it could save, at least and at most. `None` if times alone cannot tell. No
    /// two findings promise the same time.
    pub gives_back_s: Option<(f64, f64)>,
    /// The time to which its shares refer, seconds: that of its side.
    pub whole_s: f64,
    /// What other rules saw on its rows.
    #[serde(default)]
    pub also: Vec<Also>,
    #[serde(skip)]
    pub(crate) key: Option<u32>,
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

    /// Its rows, those that take most time first.
    pub fn rows_by_time(&self, frame: &Frame) -> Vec<u32> {
        let time = |row: &u32| {
            let r = *row as usize;
            frame.data.time_s.get(r).map_or(f64::NAN, |t| t * frame.calls(r))
        };
        let mut rows = self.evidence.rows.clone();
        rows.order_by(|a, b| time(b).total_cmp(&time(a)).then(a.cmp(b)));
        rows
    }

    /// Its title, with the side that it is about.
    pub fn heading(&self) -> String {
        match self.side.as_str() {
            side if self.title.starts_with(side) => self.title.clone(),
            side => format!("{side}: {}", self.title),
        }
    }
}

/// A rule as data.
pub struct Rule {
    /// Stable key.
    pub id: &'static str,
    /// What it looks for.
    pub title: &'static str,
    /// Subject.
    pub category: Category,
    /// What it needs.
    pub needs: &'static [Need],
    /// Its threshold, as a sentence with numbers.
    pub threshold: &'static str,
    /// How certain it is.
    pub confidence: Confidence,
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

/// All rules, in the order in which they are checked: what is wrong with the data, comparisons of
/// the same GEMM, tiles and waves, distance from the roof, hints. Of two rules that explain the
/// same rows the earlier one makes the finding.
pub static RULES: &[Rule] = &[
    wrong_device::RULE,
    layout::RULE,
    library::RULE,
    fp8_gain::RULE,
    larger::RULE,
    sibling::RULE,
    older_kernel::RULE,
    neighbour::RULE,
    split_k::RULE,
    few_workgroups::RULE,
    tail_wave::RULE,
    skinny_tile::RULE,
    tile_padding::RULE,
    launch_bound::RULE,
    memory_bandwidth::RULE,
    low_efficiency::RULE,
    batching::RULE,
    unaligned::RULE,
    precision::RULE,
    variance::RULE,
    timeline::RULE,
    double_count::RULE,
    no_model::RULE,
    far_below::RULE,
    above_roof::RULE,
    base_clock::RULE,
    reported::RULE,
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
    /// Findings of other rules that explain the GEMMs it would have flagged.
    #[serde(default)]
    pub explained: u32,
    /// `not checked: needs ...`, if the data lacks something.
    pub not_checked: Option<String>,
}

impl Checked {
    /// What came of it, in a few words.
    pub fn outcome(&self) -> String {
        match (&self.not_checked, self.findings, self.explained) {
            (Some(reason), ..) => reason.clone(),
            (None, 0, 0) => "nothing found".to_owned(),
            (None, 0, n) => format!("its GEMMs are in {}", plural(u64::from(n), "other finding")),
            (None, n, _) => plural(u64::from(n), "finding"),
        }
    }
}

/// All findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Findings: doubts about the data, then by the time they could save, by severity, by time.
    pub findings: Vec<Finding>,
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

/// A share above this and an efficiency under [`CRITICAL_EFFICIENCY`]: Critical.
pub(crate) const CRITICAL_SHARE: f64 = 0.15;
/// See [`CRITICAL_SHARE`].
pub(crate) const CRITICAL_EFFICIENCY: f64 = 0.30;
/// A share above this: High.
pub(crate) const HIGH_SHARE: f64 = 0.10;
/// An efficiency under this: High.
pub(crate) const HIGH_EFFICIENCY: f64 = 0.40;
/// A share above this: Medium.
pub(crate) const MEDIUM_SHARE: f64 = 0.05;
/// A share under this: Low, whatever the efficiency.
pub(crate) const TRIFLE_SHARE: f64 = 0.01;
/// An efficiency above this is an anomaly, which is listed but not ranked.
pub(crate) const ANOMALY_EFFICIENCY: f64 = 1.10;

/// Priority by share of the time and efficiency; the first matching rule decides.
pub(crate) fn priority(share: f64, efficiency: Option<f64>, notable: bool) -> Severity {
    let under = |limit: f64| efficiency.is_some_and(|e| e < limit);
    if share > CRITICAL_SHARE && under(CRITICAL_EFFICIENCY) {
        Severity::Critical
    } else if share > HIGH_SHARE || under(HIGH_EFFICIENCY) {
        Severity::High
    } else if share > MEDIUM_SHARE || notable {
        Severity::Medium
    } else {
        Severity::Low
    }
}

/// Like [`priority`], for a finding: Low if it has less than 1 % of the time or cannot save 1 % of
/// it. A GEMM of 27 µs in 30 ms does not matter at any efficiency.
pub(crate) fn finding_severity(share: f64, efficiency: Option<f64>, back: Option<f64>) -> Severity {
    let trifle = share < TRIFLE_SHARE || back.is_some_and(|b| b < TRIFLE_SHARE);
    if trifle { Severity::Low } else { priority(share, efficiency, true) }
}

/// The word for an efficiency.
pub fn band(efficiency: f64) -> &'static str {
    if efficiency > ANOMALY_EFFICIENCY {
        "above its roof"
    } else if efficiency > 0.8 {
        "excellent"
    } else if efficiency >= 0.6 {
        "good"
    } else if efficiency >= 0.4 {
        "acceptable"
    } else {
        "investigate"
    }
}

/// Checks one rule after another, so that a page stays responsive.
pub struct Runner<'a> {
    scan: Scan<'a>,
    next: usize,
    report: Findings,
}

impl<'a> Runner<'a> {
    /// Groups the rows of a frame.
    pub fn new(frame: &'a Frame) -> Self {
        let scan = Scan::new(frame);
        let report = Findings {
            parts: scan.parts.clone(),
            roof: scan.roof_name().to_owned(),
            kind: scan.kind.key().to_owned(),
            ..Findings::default()
        };
        Runner { scan, next: 0, report }
    }

    /// The grouped rows.
    pub fn scan(&self) -> &Scan<'a> {
        &self.scan
    }

    /// Checks one more rule; returns false when all are done.
    pub fn step(&mut self) -> bool {
        if self.scan.groups_alike() {
            return true;
        }
        let Some(rule) = RULES.get(self.next) else {
            return self.step_late();
        };
        self.next += 1;
        let not_checked =
            need::missing(&self.scan, rule).or_else(|| wrong_device::waits(&self.scan, rule));
        let found = match not_checked {
            None => (rule.check)(rule, &self.scan),
            Some(_) => Vec::new(),
        };
        self.report.checked.push(Checked {
            rule: rule.id.to_owned(),
            title: rule.title.to_owned(),
            threshold: rule.threshold.to_owned(),
            findings: u32::try_from(found.len()).unwrap_or(u32::MAX),
            explained: 0,
            not_checked,
        });
        self.report.findings.extend(found);
        true
    }

    /// Checks one of the rules about tiles again, for the GEMMs on which another rule comes first.
    fn step_late(&mut self) -> bool {
        self.scan.claims.borrow_mut().late = true;
        let tiling = RULES.iter().filter(|r| r.category == Category::Tiling);
        let Some(rule) = tiling.into_iter().nth(self.next - RULES.len()) else {
            return false;
        };
        self.next += 1;
        let checked = self.report.checked.iter_mut();
        let line = checked.into_iter().find(|c| c.rule == rule.id);
        if let Some(line) = line.filter(|c| c.not_checked.is_none()) {
            let found = (rule.check)(rule, &self.scan);
            line.findings += u32::try_from(found.len()).unwrap_or(u32::MAX);
            self.report.findings.extend(found);
        }
        true
    }

    /// The findings so far, ranked.
    pub(crate) fn finish(self) -> Findings {
        self.parts().0
    }

    /// The findings so far, ranked, and the grouped rows.
    pub fn parts(mut self) -> (Findings, Scan<'a>) {
        self.scan.claims.borrow_mut().settle(&mut self.report.findings);
        rank(&mut self.report.findings);
        for c in &mut self.report.checked {
            let says = |f: &&Finding| f.also.iter().any(|a| a.rule == c.rule);
            let explained = self.report.findings.iter().filter(says).count();
            c.explained = u32::try_from(explained).unwrap_or(u32::MAX);
        }
        (self.report, self.scan)
    }
}

/// Checks all rules at once.
pub fn check_all(frame: &Frame) -> Findings {
    let mut runner = Runner::new(frame);
    while runner.step() {}
    runner.finish()
}

/// Most important first: doubts about the data, then the time that could be saved, then severity and
/// the time.
fn rank(findings: &mut [Finding]) {
    let back = |f: &Finding| f.gives_back_s.map_or(0.0, |(low, high)| 0.5 * (low + high));
    // What makes all other figures doubtful, or small, comes first, though it saves nothing.
    let sure = |f: &Finding| match f.category {
        Category::Data => f.severity > Severity::High,
        Category::Timeline => f.severity > Severity::High,
        _ => true,
    };
    findings.order_by(|a, b| {
        sure(a)
            .cmp(&sure(b))
            .then(back(b).total_cmp(&back(a)))
            .then(a.severity.cmp(&b.severity))
            .then(b.time_s.total_cmp(&a.time_s))
            .then(a.rule.cmp(&b.rule))
    });
}

/// Seconds that the findings of one side could save together, at least and at most. Findings never
/// promise the same time, so this is their sum.
pub fn gives_back_together(findings: &[Finding], side: &str) -> (f64, f64) {
    findings
        .iter()
        .filter(|f| f.side == side)
        .filter_map(|f| f.gives_back_s)
        .fold((0.0, 0.0), |sum, back| (sum.0 + back.0, sum.1 + back.1))
}

#[cfg(test)]
mod tests;
