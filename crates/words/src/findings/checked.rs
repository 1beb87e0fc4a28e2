//! Result of a check: all findings, and the outcome of every rule.

use super::finding::Finding;
use super::rules;
use gemmscope_analysis::findings::{Need, RuleOutcome, SideTime};
use gemmscope_analysis::ledger::{Book, Change, Ledger};
use gemmscope_model::units::{plural, seconds_brief};
use gemmscope_table::dataset::ColumnMeaning;
use serde::{Deserialize, Serialize};

/// The result of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Id of its rule.
    pub rule: String,
    /// What the rule looks for.
    pub title: String,
    /// Its threshold.
    pub threshold: String,
    /// Number of its findings.
    pub findings: u32,
    /// `not checked: needs ...`, if the data lacks something.
    pub not_checked: Option<String>,
}

impl Checked {
    pub(super) fn of(outcome: &RuleOutcome) -> Checked {
        let text = rules::rule_text(outcome.rule);
        let lacks: Vec<&str> = outcome.lacks.iter().map(need).collect();
        Checked {
            rule: outcome.rule.to_owned(),
            title: text.map_or("", |text| text.title).to_owned(),
            threshold: text.map_or("", |text| text.threshold).to_owned(),
            findings: u32::try_from(outcome.findings).unwrap_or(u32::MAX),
            not_checked: (!lacks.is_empty())
                .then(|| format!("not checked: needs {}", lacks.join(" and "))),
        }
    }

    /// The outcome in a few words.
    pub fn outcome(&self) -> String {
        match (&self.not_checked, self.findings) {
            (Some(reason), _) => reason.clone(),
            (None, 0) => "nothing found".to_owned(),
            (None, n) => plural(u64::from(n), "finding"),
        }
    }
}

/// What a rule requires, in a few words.
pub fn need(need: &Need) -> &'static str {
    match need {
        Need::Time => "a measured time",
        Need::Roof => "a device with a peak for the data type",
        Need::Tile => "a tile, in columns or in kernel names",
        Need::Units => "the number of SMs or CUs of the device",
        Need::Reference => "published times of such GEMMs on the device",
        Need::Column(ColumnMeaning::MeasuredClock) => "the clock during the measurement",
        Need::Column(ColumnMeaning::Count) => "a number of calls",
        Need::Column(meaning) => meaning.id(),
        Need::AnyColumn(_) => "a rate, bandwidth, intensity, work or traffic of the file's own",
    }
}

/// All findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings {
    /// Ordered by [section](gemmscope_analysis::findings::Section), then by seconds.
    pub findings: Vec<Finding>,
    /// The ledger that the findings are sums of.
    pub ledger: Ledger,
    /// The result of every rule.
    pub checked: Vec<Checked>,
    /// The sides and their times; one without a name if no sides are compared.
    pub parts: Vec<SideTime>,
    /// The roof to which efficiencies refer.
    pub roof: String,
    /// Key of the kind of rows: `workload`.
    pub kind: String,
}

impl Findings {
    /// Id of a finding, stable across reloads of the same data: its rule and its number among the rule's findings. ""
    /// if there is no such finding.
    pub fn id_of(&self, index: usize) -> String {
        let Some(found) = self.findings.get(index) else {
            return String::new();
        };
        let before = &self.findings[..index];
        let nth = before.iter().filter(|f| f.rule == found.rule).count() + 1;
        format!("{}.{nth}", found.rule)
    }

    /// Changes to the ledger if all these findings are fixed.
    pub fn changes(&self, indices: &[usize]) -> Vec<Change> {
        let ticked = indices.iter().filter_map(|i| self.findings.get(*i));
        ticked.flat_map(|f| f.changes.iter().copied()).collect()
    }

    /// New totals of the sides and devices of the ticked findings, given the ledger that is [left](Ledger::left) and
    /// the time outside the GEMMs: `2 findings fixed: at best 43.3 ms instead of 52.5 ms, 1.21x faster`. `None` if no
    /// ticked finding holds lost time.
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

    /// Index of the finding with this id.
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

/// New total of a book once these findings are fixed, given what is left of it; `None` if `own` is empty.
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
