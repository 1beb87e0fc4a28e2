//! Decides how the batch of a plain table enters its GEMMs.

use super::Plain;
use super::units::Units;
use crate::ImportOptions;
use crate::document::evidence::{Side, choose, measured};
use crate::document::readings::{APART, BATCH, IN_M, Question, Reading};
use crate::document::title::Holds;
use crate::document::units::work_scale;
use gemmscope_table::dataset::Assumption;
use gemmscope_table::dataset::ColumnMeaning::{Batch, ReportedRate, ReportedWork, Time};

/// How the batch of a table enters its GEMMs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BatchRole {
    /// Position of its column.
    pub column: usize,
    /// M already contains the batch: one GEMM takes all of it.
    pub in_m: bool,
    /// Assumption to show on the card; `None` if rate and time confirm that the batch counts separate GEMMs.
    pub assumption: Option<Assumption>,
}

impl Plain<'_> {
    /// Decides whether the batch multiplies the work; `None` without a batch column or if it is always 1.
    pub(super) fn batch_role(&self, ways: &[Reading]) -> Option<BatchRole> {
        let column = self.position(Batch).filter(|i| !self.columns[*i].by_hand)?;
        let answer = self.options.answer(BATCH);
        let is_one = self.columns[column].cells.iter().all(|c| c.whole().is_none_or(|b| b == 1));
        if is_one && answer.is_none() {
            return None;
        }
        let name = &self.columns[column].name;
        let by_work = self.position(ReportedWork).and_then(|i| {
            let mut fitting = ways.iter().filter(|way| work_scale(&self.columns[i], way).is_some());
            fitting.next().filter(|_| fitting.next().is_none()).cloned()
        });
        let by_time = || {
            let figures =
                [Time, ReportedRate].into_iter().filter_map(|m| self.position(m)).collect();
            let units = Units::of(self, ways.to_vec(), figures);
            let of = |holds: Holds| {
                let columns = &units.on.columns;
                units.figures.iter().copied().find(|i| columns[*i].title.holds == holds)
            };
            let calls = vec![1.0; self.rows.len()];
            let side =
                Side { time: of(Holds::Time), rate: of(Holds::Rate), calls, ..Side::default() };
            let figures = measured(&side, &units.on.columns);
            choose(ways.to_vec(), figures.as_ref(), units.on.limits, answer, &mut Vec::new())
        };
        let proved = by_work.is_some();
        let way = by_work.filter(|_| answer.is_none()).or_else(by_time)?;
        let in_m = way.sizes.iter().flatten().all(|s| s[3] == 1);
        let whole = format!("“{name}” is part of M already: one GEMM takes the whole batch");
        let each = format!("“{name}” counts independent GEMMs of M × N × K each");
        let chosen = answer == Some(IN_M) || answer == Some(APART);
        let text = match (in_m, way.agree) {
            (true, _) if chosen => format!("{whole}, as chosen."),
            (false, _) if chosen => format!("{each}, as chosen."),
            (false, _) if proved || way.question.is_none() => {
                return Some(BatchRole { column, in_m, assumption: None });
            }
            (true, Some((agree, of))) => {
                format!("{whole}, as rate and time say in {agree} of {of} rows.")
            }
            (true, None) => format!("{whole}."),
            (false, _) => way.question.map_or(each, |q| q.text),
        };
        let value = if in_m { IN_M } else { APART };
        let question = Question::new(BATCH, text, value, &[IN_M, APART]);
        let assumption = Some(question.assumption(&ImportOptions::default()));
        Some(BatchRole { column, in_m, assumption })
    }
}
