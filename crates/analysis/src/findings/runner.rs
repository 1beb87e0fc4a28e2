//! Checks a frame in steps: partners, sums, then one rule after another.

use super::sums::Summing;
use super::{Checked, Findings, RULES, Rule, Scan, need, rank, signs};
use crate::ledger::{Pairing, Partners, Splitter};
use gemmscope_table::field::Frame;
use std::sync::Arc;

/// Checks a frame in steps, so that a page stays responsive: partners, sums, then one rule after another.
pub struct Runner<'a> {
    scan: Scan<'a>,
    stage: Stage<'a>,
    report: Findings,
}

/// Names or groups of one step.
const STEP: usize = if cfg!(test) { 3 } else { 4096 };

/// What a [`Runner`] does next.
enum Stage<'a> {
    Pairing(Box<Pairing<'a>>),
    /// Parses names of kernels, from a code on.
    Naming(usize, Arc<Partners>),
    Summing(Box<Summing<'a>>),
    /// Looks for signs, from a group on.
    Marking(usize),
    Rules(usize),
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
        Runner { scan, stage: Stage::Pairing(Box::new(Pairing::new(frame))), report }
    }

    /// As [`Runner::new`], where the partners of the table are known.
    pub fn with(frame: &'a Frame, partners: Arc<Partners>) -> Self {
        let mut runner = Runner::new(frame);
        runner.stage = Stage::Naming(0, partners);
        runner
    }

    /// The grouped rows.
    pub fn scan(&self) -> &Scan<'a> {
        &self.scan
    }

    /// Does some more; returns false when all is done.
    pub fn step(&mut self) -> bool {
        match &mut self.stage {
            Stage::Pairing(pairing) => {
                if !pairing.step()
                    && let Stage::Pairing(done) =
                        std::mem::replace(&mut self.stage, Stage::Marking(0))
                {
                    self.stage = Stage::Naming(0, done.finish());
                }
            }
            Stage::Naming(next, partners) => {
                let (from, tiles) = (*next, &self.scan.tiles);
                *next += STEP;
                if !tiles.parse(from..from + STEP) {
                    let frame = self.scan.frame;
                    let splitter = Splitter::with(frame, partners.clone(), tiles.clone());
                    self.stage = Stage::Summing(Box::new(Summing::new(splitter, frame)));
                }
            }
            Stage::Summing(summing) => {
                if !summing.step()
                    && let Stage::Summing(done) =
                        std::mem::replace(&mut self.stage, Stage::Marking(0))
                {
                    let sums = done.finish();
                    self.report.ledger = sums.ledger.clone();
                    self.scan.sums = Some(sums);
                }
            }
            Stage::Marking(next) => {
                let from = *next;
                *next += STEP;
                let mut marks = std::mem::take(&mut self.scan.marks);
                let more = signs::mark(&self.scan, from..from + STEP, &mut marks);
                self.scan.marks = marks;
                if !more {
                    self.stage = Stage::Rules(0);
                }
            }
            Stage::Rules(next) => {
                let Some(rule) = RULES.get(*next) else {
                    return false;
                };
                *next += 1;
                self.check(rule);
            }
        }
        true
    }

    fn check(&mut self, rule: &'static Rule) {
        let not_checked = need::missing(&self.scan, rule);
        let found = match not_checked {
            None => (rule.check)(rule, &self.scan),
            Some(_) => Vec::new(),
        };
        self.report.checked.push(Checked {
            rule: rule.id.to_owned(),
            title: rule.title.to_owned(),
            threshold: rule.threshold.to_owned(),
            findings: u32::try_from(found.len()).unwrap_or(u32::MAX),
            not_checked,
        });
        self.report.findings.extend(found);
    }

    /// The findings so far, ranked.
    pub(crate) fn finish(self) -> Findings {
        self.parts().0
    }

    /// The findings so far, ranked, and the grouped rows.
    pub fn parts(mut self) -> (Findings, Scan<'a>) {
        rank(&self.report.ledger, &mut self.report.findings);
        (self.report, self.scan)
    }
}
