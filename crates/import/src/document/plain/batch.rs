//! Decides how the batch and the experts of a plain table enter its GEMMs.

use super::Plain;
use super::units::Units;
use crate::ImportOptions;
use crate::cell::experts::ExpertRow;
use crate::document::evidence::{Side, choose, measured};
use crate::document::experts::{self, EXPERTS};
use crate::document::readings::{APART, BATCH, IN_M, Question, Reading, counts_groups};
use crate::document::title::Holds;
use crate::document::units::work_scale;
use gemmscope_table::dataset::Assumption;
use gemmscope_table::dataset::ColumnMeaning::{
    Batch, Groups, K, N, PerToken, ReportedRate, ReportedWork, Time,
};

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

/// What the rows of a table of experts are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExpertRole {
    pub row: ExpertRow,
    /// `None` where rate and time show it.
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
        let by_time = || self.by_time(ways, answer);
        let proved = by_work.is_some();
        let way = by_work.filter(|_| answer.is_none()).or_else(by_time)?;
        let in_m = way.sizes.iter().flatten().all(|s| s[3] == 1);
        let (whole, each) = match counts_groups(name) {
            true => (
                format!("M holds the rows of all “{name}”: one grouped GEMM"),
                format!("“{name}” counts GEMMs of M × N × K each"),
            ),
            false => (
                format!("“{name}” is part of M already: one GEMM takes the whole batch"),
                format!("“{name}” counts independent GEMMs of M × N × K each"),
            ),
        };
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
    /// The way on which time and rate agree, or the first that is possible.
    fn by_time(&self, ways: &[Reading], answer: Option<&str>) -> Option<Reading> {
        let figures = [Time, ReportedRate].into_iter().filter_map(|m| self.position(m)).collect();
        let units = Units::of(self, ways.to_vec(), figures);
        let of = |holds: Holds| {
            let columns = &units.on.columns;
            units.figures.iter().copied().find(|i| columns[*i].title.holds == holds)
        };
        let calls = vec![1.0; self.rows.len()];
        let side = Side { time: of(Holds::Time), rate: of(Holds::Rate), calls, ..Side::default() };
        let figures = measured(&side, &units.on.columns);
        choose(ways.to_vec(), figures.as_ref(), units.on.limits, answer, &mut Vec::new())
    }

    /// The ways to take rows of experts, from M, N, K, batch and operations of the first rows; `None` where the
    /// table has none.
    pub(super) fn expert_ways(&self, found: &[Option<([u32; 4], f64)>]) -> Option<Vec<Reading>> {
        let column = |meaning| self.position(meaning).map(|i| &self.columns[i]);
        let counts = [column(Groups)?, column(PerToken)?];
        let base: Vec<_> = found
            .iter()
            .enumerate()
            .map(|(row, found)| {
                let ([m, n, k, _], _) = (*found)?;
                Some(([m, n, k], experts::of_row(counts, row)?))
            })
            .collect();
        let widths = [N, K].into_iter().filter_map(column);
        Some(experts::ways(&base, experts::names_layer(widths)))
    }

    /// What rows of experts are; `None` where there are none.
    pub(super) fn expert_role(&self, ways: &[Reading]) -> Option<ExpertRole> {
        ways.first()?.experts?;
        let answer = self.options.answer(EXPERTS);
        let way = self.by_time(ways, answer)?;
        let is_open = answer.is_none();
        let question = way.question.map(|q| if is_open { q } else { q.chosen() });
        let assumption = question.map(|q| q.assumption(&ImportOptions::default()));
        Some(ExpertRole { row: way.experts?, assumption })
    }
}
