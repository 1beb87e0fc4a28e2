//! Checks a frame in steps: groups, partners, sums, then one rule after another.

use super::scan::{Counting, Grouping};
use super::sums::Summing;
use super::{Checked, Findings, RULES, Rule, Scan, need, rank, signs};
use crate::ledger::{Pairing, Partners, Splitter};
use gemmscope_table::field::Frame;
use std::sync::Arc;

/// Checks a frame in steps, so that a page stays responsive: groups, partners, sums, then one rule after
/// another.
pub struct Runner<'a> {
    frame: &'a Frame,
    /// The grouped rows, once they are.
    scan: Option<Scan<'a>>,
    stage: Stage<'a>,
    report: Findings,
}

/// Names or groups of one step.
const STEP: usize = if cfg!(test) { 3 } else { 1024 };

/// What a [`Runner`] does next.
enum Stage<'a> {
    /// Groups rows; the partners, where they are known.
    Grouping(Box<Grouping<'a>>, Option<Arc<Partners>>),
    /// Works out what the groups cost.
    Counting(Box<Counting<'a>>, Option<Arc<Partners>>),
    Pairing(Box<Pairing<'a>>),
    /// Parses names of kernels, from a code on.
    Naming(usize, Arc<Partners>),
    Summing(Box<Summing<'a>>),
    /// Looks for signs, from a group on.
    Marking(usize),
    Rules(usize),
}

impl<'a> Runner<'a> {
    /// Nothing is done yet. `partners` are the faster runs of the table, where they are known.
    pub fn new(frame: &'a Frame, partners: Option<Arc<Partners>>) -> Self {
        let stage = Stage::Grouping(Box::new(Grouping::new(frame)), partners);
        Runner { frame, scan: None, stage, report: Findings::default() }
    }

    /// Does some more; returns false when all is done.
    pub fn step(&mut self) -> bool {
        let frame = self.frame;
        self.stage = match (std::mem::replace(&mut self.stage, Stage::Rules(0)), &mut self.scan) {
            (Stage::Grouping(mut grouping, partners), _) => match (grouping.step(), partners) {
                (true, partners) => Stage::Grouping(grouping, partners),
                (false, partners) => Stage::Counting(Box::new(grouping.finish()), partners),
            },
            (Stage::Counting(mut counting, partners), _) => match (counting.step(), partners) {
                (true, partners) => Stage::Counting(counting, partners),
                (false, partners) => {
                    let scan = counting.finish();
                    self.report.parts = scan.parts.clone();
                    self.report.roof = scan.roof_name().to_owned();
                    self.report.kind = scan.kind.key().to_owned();
                    self.scan = Some(scan);
                    match partners {
                        Some(partners) => Stage::Naming(0, partners),
                        None => Stage::Pairing(Box::new(Pairing::new(frame))),
                    }
                }
            },
            (Stage::Pairing(mut pairing), _) => match pairing.step() {
                true => Stage::Pairing(pairing),
                false => Stage::Naming(0, pairing.finish()),
            },
            (Stage::Naming(from, partners), Some(scan)) => {
                match scan.tiles.parse(from..from + STEP) {
                    true => Stage::Naming(from + STEP, partners),
                    false => {
                        let splitter = Splitter::with(frame, partners, scan.tiles.clone());
                        Stage::Summing(Box::new(Summing::new(splitter, frame)))
                    }
                }
            }
            (Stage::Summing(mut summing), Some(scan)) => match summing.step() {
                true => Stage::Summing(summing),
                false => {
                    scan.sums = summing.finish();
                    let ledger = scan.sums.as_ref().map(|sums| sums.ledger.clone());
                    self.report.ledger = ledger.unwrap_or_default();
                    Stage::Marking(0)
                }
            },
            (Stage::Marking(from), Some(scan)) => {
                let mut marks = std::mem::take(&mut scan.marks);
                let more = signs::mark(scan, from..from + STEP, &mut marks);
                scan.marks = marks;
                if more { Stage::Marking(from + STEP) } else { Stage::Rules(0) }
            }
            (Stage::Rules(next), Some(scan)) if next < RULES.len() => {
                check(&RULES[next], scan, &mut self.report);
                Stage::Rules(next + 1)
            }
            (done, _) => {
                self.stage = done;
                return false;
            }
        };
        true
    }

    /// What it does now, for who waits.
    pub fn doing(&self) -> &'static str {
        match self.stage {
            Stage::Grouping(..) | Stage::Counting(..) => "which rows are one GEMM (1 of 5)",
            Stage::Pairing(_) => "which runs of it are faster (2 of 5)",
            Stage::Naming(..) => "the tiles of its kernels (3 of 5)",
            Stage::Summing(_) => "where the time goes (4 of 5)",
            Stage::Marking(_) | Stage::Rules(_) => "what stands out (5 of 5)",
        }
    }

    /// The findings so far, ranked.
    pub(crate) fn finish(self) -> Findings {
        self.parts().0
    }

    /// The findings so far, ranked, and the grouped rows.
    pub fn parts(mut self) -> (Findings, Scan<'a>) {
        rank(&mut self.report.findings);
        (self.report, self.scan.unwrap_or_else(|| Scan::new(self.frame)))
    }
}

/// Adds what one rule finds.
fn check(rule: &'static Rule, scan: &Scan<'_>, report: &mut Findings) {
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
