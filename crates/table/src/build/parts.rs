//! Hands over rows of a table that is still being built, and finishes it.

use super::column::take;
use super::{TableBuilder, Values};
use crate::dataset::{Assembly, Dataset, Rest, Source, TablePart, Tail, each_column};

impl TableBuilder {
    /// The rows, operations, devices and texts since the last part, for an [`Assembly`]. `None` if there are no rows,
    /// or values are staged for a row.
    pub fn part(&mut self) -> Option<TablePart> {
        if self.data.m.is_empty() || !self.staged.is_empty() {
            return None;
        }
        Some(self.give())
    }

    fn give(&mut self) -> TablePart {
        let d = &mut self.data;
        let mut rows = Dataset {
            sources: vec![Source { assumptions: self.assumptions.clone(), ..Source::default() }],
            ops: d.ops.get(self.given.ops..).unwrap_or_default().to_vec(),
            devices: d.devices.get(self.given.devices..).unwrap_or_default().to_vec(),
            columns: self
                .columns
                .iter_mut()
                .map(|c| {
                    let data = match &mut c.data {
                        Values::Text(t) => t.take(),
                        Values::Number(v) => v.take(),
                        Values::Auto(a) => a.take(),
                    };
                    c.with(data)
                })
                .collect(),
            ..Dataset::default()
        };
        each_column!(theirs of rows, ours of d => *theirs = take(ours));
        self.given.rows += rows.len();
        self.given.ops = d.ops.len();
        self.given.devices = d.devices.len();
        TablePart { rows }
    }

    /// Everything after the last [`part`](Self::part), and what is known only at the end. The caller fills in name,
    /// size and format of the source.
    pub fn rest(self) -> Rest {
        let len = self.len() as u64;
        let mut rows = self.data;
        rows.ops.drain(..self.given.ops);
        rows.devices.drain(..self.given.devices);
        let mut odd = Vec::with_capacity(self.columns.len());
        for c in self.columns {
            let (c, values) = c.replace(());
            let (data, exceptions) = match values {
                Values::Text(t) => (t.rest(), Vec::new()),
                Values::Number(v) => (v.rest(), Vec::new()),
                Values::Auto(a) => a.rest(),
            };
            odd.push(exceptions);
            rows.columns.push(c.replace(data).0);
        }
        rows.sources = vec![Source {
            rows_read: len + self.rejected.total(),
            rows_used: len,
            rejected: self.rejected,
            assumptions: self.assumptions,
            headers: self.headers,
            notes: self.notes,
            points: self.points,
            ..Source::default()
        }];
        Rest {
            part: TablePart { rows },
            tail: Tail { odd, empty_cells: self.empty_cells, not_compared: self.not_compared },
        }
    }

    /// The finished table, without rows already handed over. The caller fills in name, size and format of the source.
    pub fn finish(self) -> Dataset {
        let Rest { part, tail } = self.rest();
        let mut all = Assembly::default();
        all.join(part);
        all.close(tail)
    }
}
