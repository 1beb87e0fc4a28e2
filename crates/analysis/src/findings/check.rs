//! Checks a frame: groups rows, finds partners, sums the ledger, then runs the rules.

use super::sums::Sums;
use super::{FindingFacts, Need, RULES, Rule, Scan, SideTime, need, signs};
use crate::ledger::{Ledger, Partners, Splitter};
use gemmscope_model::pass;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::Frame;
use std::sync::Arc;

/// The result of one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleOutcome {
    /// Rule id.
    pub rule: &'static str,
    /// Number of its findings.
    pub findings: usize,
    /// Data it lacked; if there is any, it was not run.
    pub lacks: Vec<Need>,
}

/// Findings of all rules in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameFacts {
    /// Ordered by [section](super::Section), then by seconds.
    pub findings: Vec<FindingFacts>,
    /// The ledger that they are sums of.
    pub ledger: Ledger,
    /// Outcome of every rule.
    pub checked: Vec<RuleOutcome>,
    /// Sides and their times; a single unnamed one if no sides are compared.
    pub parts: Vec<SideTime>,
    /// Kind of the rows.
    pub kind: DataKind,
}

/// Runs all rules without pauses.
pub fn check_all(frame: &Frame) -> FrameFacts {
    pass::at_once(check(frame, None, &async |_| ())).0
}

/// Runs all rules over the rows of a frame; returns the findings, ranked, and the grouped rows. `partners` are those of
/// the table, if computed already. Awaits `pause` every few thousand rows, passing what is being looked for.
pub async fn check<'a>(
    frame: &'a Frame,
    partners: Option<Arc<Partners>>,
    pause: &impl AsyncFn(&'static str),
) -> (FrameFacts, Scan<'a>) {
    let mut scan = Scan::of(frame, &async || pause("which rows are one GEMM (1 of 5)").await).await;
    let partners = match partners {
        Some(partners) => partners,
        None => {
            let pause = async || pause("which runs of it are faster (2 of 5)").await;
            Partners::find(frame, &pause).await
        }
    };
    scan.tiles.parse(&async || pause("the tiles of its kernels (3 of 5)").await).await;
    let splitter = Splitter::with(frame, partners, scan.tiles.clone());
    let sums =
        Sums::of(splitter, frame, &async || pause("where the time goes (4 of 5)").await).await;
    let mut report = FrameFacts {
        findings: Vec::new(),
        ledger: sums.ledger.clone(),
        checked: Vec::new(),
        parts: scan.parts.clone(),
        kind: scan.kind,
    };
    scan.sums = Some(sums);
    scan.marks = signs::of_rows(&scan, &async || pause("what stands out (5 of 5)").await).await;
    for rule in RULES {
        check_rule(rule, &scan, &mut report);
        pause("what stands out (5 of 5)").await;
    }
    rank(&mut report.findings);
    (report, scan)
}

/// Sorts by section, then seconds; a doubt about the device comes first.
fn rank(findings: &mut [FindingFacts]) {
    let seconds = |f: &FindingFacts| f.alone_s.unwrap_or(f.time_s);
    findings.sort_by(|a, b| {
        a.section()
            .cmp(&b.section())
            .then(b.doubts_all().cmp(&a.doubts_all()))
            .then(seconds(b).total_cmp(&seconds(a)))
            .then(a.severity.cmp(&b.severity))
            .then(b.time_s.total_cmp(&a.time_s))
            .then(a.rule.cmp(&b.rule))
            .then(a.evidence.rows.cmp(&b.evidence.rows))
    });
}

/// Adds the findings of one rule.
fn check_rule(rule: &'static Rule, scan: &Scan<'_>, report: &mut FrameFacts) {
    let lacks = need::missing(scan, rule);
    let found = match lacks.is_empty() {
        true => (rule.check)(rule, scan),
        false => Vec::new(),
    };
    report.checked.push(RuleOutcome { rule: rule.id, findings: found.len(), lacks });
    report.findings.extend(found);
}
