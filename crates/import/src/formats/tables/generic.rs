//! Any delimited file with M, N, K and a time or a rate: columns by their names, units from the
//! header or the values, every other column kept.

mod plan;

use crate::columns::mapping;
use crate::columns::mapping::Sampled;
use crate::columns::plan::Plan;
use crate::columns::row::{Given, ValueCaches, row, stage};
use crate::{
    Delimited, Detection, ErrorKind, Format, Head, ImportError, ImportOptions, Imported, Reader,
    Record, RowReader,
};
use gemmscope_table::build::TableBuilder;
use gemmscope_table::dataset::ColumnMeaning::*;
use plan::plan;

pub(crate) const FORMAT: Format = Format {
    id: "generic",
    name: "Table with M, N, K and a time or a rate",
    produced_by: "any script or spreadsheet",
    example: "M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n",
    detect,
    open,
};

fn detect(head: &Head) -> Option<Detection> {
    let sampled = mapping::sample(head, &ImportOptions::default())?;
    let m = &sampled.mapping;
    if m.is_complete() {
        let names: Vec<String> = [M, N, K, Mnk, Square, ShapeA, ShapeB, Time, ReportedRate]
            .iter()
            .filter_map(|t| m.position(*t))
            .map(|i| m.columns[i].header.clone())
            .collect();
        Some(Detection::new(
            30,
            format!("the header has {}", names.join(", ")),
        ))
    } else if m.is_shapes_only() {
        Some(Detection::new(
            20,
            "the header has sizes, but no time or rate",
        ))
    } else if m.columns.len() >= 3 && sampled.has_numbers() {
        Some(Detection::new(5, "a table whose columns are not known"))
    } else {
        None
    }
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let Some(sampled) = mapping::sample(head, options) else {
        return Err(ImportError::new(format!(
            "expected a table with a header: {}",
            head.first().chars().take(120).collect::<String>()
        )));
    };
    let m = &sampled.mapping;
    if !m.is_complete() && !m.is_shapes_only() {
        let found: Vec<&str> = m.columns.iter().map(|c| c.header.as_str()).collect();
        return Err(ImportError::new(format!(
            "no column for {}: say what each column holds; found {}",
            m.missing.join(", "),
            found.join(", ")
        ))
        .at(m.header_line, 0)
        .kind(ErrorKind::NeedsMapping));
    }
    let dialect = m.dialect;
    let mut table = TableBuilder::with_room(head.rows);
    let rows = Generic::new(&mut table, sampled, head, options);
    Ok(Delimited::open(dialect, rows, table))
}

#[derive(Debug)]
struct Generic {
    plan: Plan,
    caches: ValueCaches,
    /// The header as written, to recognise a repetition.
    header: Vec<u8>,
    repeated: u64,
    comments: u64,
    /// Rows with more cells than the header, and the first of them.
    longer: (u64, u32),
    /// The line of units below the header; 0 where there is none.
    units_line: u32,
    /// Failed variants of a tuning history, kept without a time.
    failed: u64,
}

impl Generic {
    fn new(
        table: &mut TableBuilder,
        sampled: Sampled,
        head: &Head,
        options: &ImportOptions,
    ) -> Self {
        let plan = plan(table, &sampled, head, options);
        if sampled.mapping.header_line == 0 {
            table.note("The file has no header.");
        }
        if sampled.units_line > 0 {
            table.note(format!(
                "Line {} holds the units of the columns.",
                sampled.units_line
            ));
        }
        let count = sampled.preamble.len();
        if count > 0 {
            table.note(format!(
                "Before the header: {count} line(s) that are no rows."
            ));
        }
        Generic {
            plan,
            caches: ValueCaches::default(),
            header: Vec::new(),
            repeated: 0,
            comments: 0,
            longer: (0, 0),
            units_line: sampled.units_line,
            failed: 0,
        }
    }
}

impl RowReader for Generic {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        if record.line() == self.units_line {
            return Ok(());
        }
        if record.line() <= self.plan.header_line {
            if record.line() == self.plan.header_line {
                self.header = record.raw().trim_ascii().to_vec();
            }
            return Ok(());
        }
        let raw = record.raw();
        if raw.len() >= self.header.len()
            && !self.header.is_empty()
            && raw.trim_ascii() == self.header
        {
            self.repeated += 1;
            return Ok(());
        }
        // `#` starts a comment; a line of dashes and bars is a rule in a printed table.
        let rule = || raw.iter().all(|b| b"-=+|: \t".contains(b));
        if raw.starts_with(b"#") || rule() {
            self.comments += 1;
            return Ok(());
        }
        if record.len() > self.plan.width
            && (self.plan.width..record.len()).any(|i| !record.get(i).is_empty())
        {
            if self.longer.0 == 0 {
                self.longer.1 = record.line();
            }
            self.longer.0 += 1;
        }
        let given = Given::default();
        let row = row(&self.plan, &given, &mut self.caches, table, record);
        if let Ok(row) = &row {
            self.failed += u64::from(self.plan.history && row.time_s.is_nan());
            stage(&self.plan.extras, &given, table, record);
        }
        table.commit(record.line(), record.raw(), row);
        Ok(())
    }

    fn end(self, mut table: TableBuilder) -> Result<Imported, ImportError> {
        let t = &mut table;
        if self.failed > 0 {
            t.note(format!(
                "A tuning history: {} variant(s) that failed are kept without a time.",
                self.failed
            ));
        }
        if self.repeated > 0 {
            t.note(format!("The header is repeated {}.", times(self.repeated)));
        }
        if self.comments > 0 {
            t.note(format!(
                "Comments and rules passed over: {} line(s).",
                self.comments
            ));
        }
        if self.longer.0 > 0 {
            t.note(format!(
                "Rows with more cells than the header: {} (first in line {}); the further cells are \
                 not kept.",
                self.longer.0, self.longer.1
            ));
        }
        self.caches.note_assumed_types(t);
        Ok(Imported::table(table.finish()))
    }
}

pub(crate) fn times(n: u64) -> String {
    match n {
        1 => "once".into(),
        n => format!("{n} times"),
    }
}

#[cfg(test)]
mod tests;
