//! Checks a frame: groups, partners, sums, then one rule after another.

use super::sums::Sums;
use super::{Checked, Finding, Findings, RULES, Rule, Scan, need, signs};
use crate::ledger::{Partners, Splitter};
use gemmscope_model::pass;
use gemmscope_table::field::Frame;
use std::sync::Arc;

/// Checks all rules at once.
pub fn check_all(frame: &Frame) -> Findings {
    pass::at_once(check(frame, None, &async |_| ())).0
}

/// Checks all rules over the rows of a frame; gives the findings, ranked, and the grouped rows. `partners` are
/// the faster runs of the table, where they are known. Awaits `pause` every few thousand rows, and says what it
/// looks for.
pub async fn check<'a>(
    frame: &'a Frame,
    partners: Option<Arc<Partners>>,
    pause: &impl AsyncFn(&'static str),
) -> (Findings, Scan<'a>) {
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
    let mut report = Findings {
        parts: scan.parts.clone(),
        roof: scan.roof_name().to_owned(),
        kind: scan.kind.key().to_owned(),
        ledger: sums.ledger.clone(),
        ..Findings::default()
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

/// Adds what one rule finds.
fn check_rule(rule: &'static Rule, scan: &Scan<'_>, report: &mut Findings) {
    let not_checked = need::missing(scan, rule);
    let found = match not_checked {
        None => (rule.check)(rule, scan),
        Some(_) => Vec::new(),
    };
    report.checked.push(Checked {
        rule: rule.id.to_owned(),
        title: rule.title.to_owned(),
        threshold: rule.threshold.to_owned(),
        findings: u32::try_from(found.len()).unwrap_or(u32::MAX),
        not_checked,
    });
    report.findings.extend(found);
}
