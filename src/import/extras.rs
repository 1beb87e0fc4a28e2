//! The columns of a known header beyond sizes, types and time: those with a role, and the rest.

use super::{Col, ColumnId, Header, Record, TableBuilder};
use crate::dataset::Role;

/// Where a record's extra cells go. Made once a header, staged once a row.
#[derive(Debug, Default)]
pub struct Extras {
    text: Vec<(usize, ColumnId)>,
    numbers: Vec<(Col, f64, ColumnId)>,
    rest: Vec<(usize, ColumnId)>,
}

impl Extras {
    /// `texts`: header names and their role. `numbers`: header names, role, factor to the role's
    /// SI unit. `used`: positions that the reader takes itself. Every other column is kept under
    /// its own name.
    pub fn new(
        header: &Header,
        table: &mut TableBuilder,
        used: impl IntoIterator<Item = usize>,
        texts: &[(&str, Role)],
        numbers: &[(&str, Role, f64)],
    ) -> Self {
        let mut used: Vec<usize> = used.into_iter().collect();
        let mut out = Extras::default();
        for &(name, role) in texts {
            if let Some(c) = header.find(&[name]).filter(|c| !used.contains(&c.index)) {
                used.push(c.index);
                out.text.push((c.index, table.text_column(role, &c.name)));
            }
        }
        for &(name, role, scale) in numbers {
            if let Some(c) = header.find(&[name]).filter(|c| !used.contains(&c.index)) {
                used.push(c.index);
                let id = table.number_column(role, &c.name);
                out.numbers.push((c, scale, id));
            }
        }
        for (i, name) in header.names.iter().enumerate() {
            if !used.contains(&i) {
                out.rest.push((i, table.auto_column(name)));
            }
        }
        out
    }

    /// Stages the cells of a record; a `commit` follows.
    pub fn stage(&self, table: &mut TableBuilder, record: &Record<'_>) {
        for &(i, id) in &self.text {
            table.set_text(id, record.get(i));
        }
        for (c, scale, id) in &self.numbers {
            table.set_number(*id, c.number(record, *scale));
        }
        for &(i, id) in &self.rest {
            table.set_auto(id, record.get(i), record.number(i));
        }
    }
}
