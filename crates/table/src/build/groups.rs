//! Rows of grouped GEMMs: how their rows are divided, where the file or the user says so.

use super::cell_text::RowError;
use super::{Row, TableBuilder, Values};
use crate::dataset::{Assumption, ColumnMeaning};
use gemmscope_model::gemm::{Groups, Operation, Routing, parse_rows};

/// Key of the assumption about routing that a file does not state.
pub const ROUTING: &str = "routing";

/// Routing where nothing is known: all groups are equally likely.
const UNIFORM: &str = "uniform";

impl TableBuilder {
    /// Takes the user's answer to [`ROUTING`]: rows of each group, for the GEMMs with as many rows and groups.
    pub fn choose_routing(&mut self, answer: &str) {
        match parse_rows(answer) {
            Some(rows) => self.routing = Some(rows),
            None if answer == UNIFORM => {}
            None => self.note(format!(
                "The answer for {ROUTING} is neither \"{UNIFORM}\" nor a list of the rows of each group: {answer}"
            )),
        }
    }

    /// A row whose M are the rows of these groups together: a batch where they are equal, and else a grouped
    /// GEMM, whose list is staged. `None` where no group has rows, or more than M can count.
    pub fn divided(&mut self, row: Row, rows: &[u32]) -> Option<Row> {
        let m = rows.iter().try_fold(0u32, |sum, rows| sum.checked_add(*rows))?;
        let first = *rows.iter().find(|rows| **rows > 0)?;
        let before = row.op.groups;
        let groups = match (Groups::of_rows(rows), before) {
            // A call of two products is no batch.
            (None, Some(Groups { down: 1.., .. })) => {
                Some(Groups::known(u32::try_from(rows.len()).ok()?, m / first))
            }
            (groups, _) => groups,
        };
        let Some(groups) = groups else {
            let op = Operation { groups, ..row.op };
            return Some(Row { m: first, batch: m / first, op, ..row });
        };
        if self.staged_rows().is_none() {
            let text = written(rows);
            self.stage_text(ColumnMeaning::GroupRows, "rows of each group", text.as_bytes());
        }
        let down = before.map_or(0, |groups| groups.down);
        let op = Operation { groups: Some(Groups { down, ..groups }), ..row.op };
        Some(Row { m, batch: 1, op, ..row })
    }

    /// The rows of each group that are staged for the row to come.
    fn staged_rows(&self) -> Option<Vec<u32>> {
        match &self.columns.get(self.group_rows?)?.data {
            Values::Text(rows) if rows.len() > self.len() => parse_rows(rows.last()?),
            _ => None,
        }
    }

    /// A row as it counts: as the rows of each group that are staged for it divide it, and where its routing is not
    /// known, as the user or the assumption has it.
    #[inline]
    pub(super) fn routed(&mut self, row: Row) -> Result<Row, RowError> {
        match row.op.groups.is_none() && self.group_rows.is_none() {
            true => Ok(row),
            false => self.grouped(row),
        }
    }

    #[cold]
    fn grouped(&mut self, row: Row) -> Result<Row, RowError> {
        let Some(rows) = self.staged_rows() else { return Ok(self.assumed(row)) };
        let whole = |known: &Row| u64::from(known.m) * u64::from(known.batch) == u64::from(row.m);
        let known = self.divided(row, &rows).filter(whole);
        known.ok_or_else(|| RowError::new("M is not the sum of the rows of its groups"))
    }

    fn assumed(&mut self, row: Row) -> Row {
        let unknown = |groups: &Groups| matches!(groups.routing, Routing::Uniform(_));
        let Some(groups) = row.op.groups.filter(unknown) else { return row };
        let is_of_row = |rows: &Vec<u32>| {
            let sum: u64 = rows.iter().map(|rows| u64::from(*rows)).sum();
            !groups.along_k && rows.len() == groups.count as usize && sum == u64::from(row.m)
        };
        let given = self.routing.clone().filter(is_of_row);
        match given.as_ref().and_then(|rows| self.divided(row, rows)) {
            Some(known) => {
                self.assume(assumption(&written(given.as_deref().unwrap_or(&[])), true));
                known
            }
            None => {
                self.assume(assumption(UNIFORM, false));
                row
            }
        }
    }
}

/// Rows of groups as a cell and an answer hold them.
fn written(rows: &[u32]) -> String {
    let rows: Vec<String> = rows.iter().map(u32::to_string).collect();
    rows.join(" ")
}

fn assumption(value: &str, by_hand: bool) -> Assumption {
    let text = match by_hand {
        true => "Rows of each group of a grouped GEMM: you gave them.",
        false => {
            "How many rows each group of a grouped GEMM has is not in the file: all groups are taken as equally \
             likely. You can list the rows of each group instead."
        }
    };
    Assumption {
        key: ROUTING.into(),
        text: text.into(),
        value: value.to_owned(),
        choices: Vec::new(),
        by_hand,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;
    use gemmscope_model::dtype::DataType;

    /// One row of 128 rows in 4 groups, with this list of its groups or none, and this answer.
    fn table(staged: Option<&str>, answer: Option<&str>) -> Dataset {
        let mut table = TableBuilder::new();
        answer.into_iter().for_each(|answer| table.choose_routing(answer));
        if let Some(rows) = staged {
            table.stage_text(ColumnMeaning::GroupRows, "group_rows", rows.as_bytes());
        }
        let uniform = Operation::uniform(DataType::Bf16);
        let groups = staged.is_none().then(|| Groups::uniform(4, 1));
        let op = Operation { groups, ..uniform };
        table.commit(2, b"", Ok(Row::new(128, 64, 32, op, 1e-5)));
        table.finish()
    }

    #[test]
    fn a_list_divides_and_an_unknown_one_is_assumed() {
        let d = table(None, None);
        assert_eq!(d.problem(0).op.groups, Some(Groups::uniform(4, 1)));
        let said = &d.sources[0].assumptions[0];
        assert_eq!(
            (said.key.as_str(), said.value.as_str(), said.by_hand),
            (ROUTING, UNIFORM, false)
        );
        for (staged, answer) in [(Some("100, 0, 20, 8"), None), (None, Some("100 0 20 8"))] {
            let d = table(staged, answer);
            assert_eq!(d.problem(0).op.groups, Some(Groups::known(4, 3)));
            assert_eq!(d.group_rows(0), Some(vec![100, 0, 20, 8]));
            assert_eq!(d.sources[0].assumptions.len(), usize::from(answer.is_some()));
        }
        // Equal groups are a batch, and a list of another number of rows is none of this row.
        let d = table(Some("32 32 32 32"), None);
        assert_eq!((d.m[0], d.batch[0], d.problem(0).op.groups), (32, 4, None));
        assert_eq!(table(Some("1 2"), None).sources[0].rejected.total(), 1);
        assert!(table(None, Some("1 2 3 4")).problem(0).op.groups == Some(Groups::uniform(4, 1)));
    }
}
