//! Any delimited file with M, N, K and a time or a rate: columns by their names, units from the
//! header or the values, every other column kept.

mod assumed;
mod plan;

use crate::columns::by_column::PlannedRows;
use crate::columns::mapping;
use crate::columns::mapping::Sampled;
use crate::columns::plan::{Plan, PlannedSide};
use crate::columns::row::{Given, ValueCaches, failed_time, row, stage};
use crate::{
    Col, Delimited, Detection, ErrorKind, Format, Head, ImportError, ImportOptions, Opened,
    Planned, ReadBy, Record, RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::{ColumnId, Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::*;
use plan::{PlannedTable, plan};

pub(crate) const FORMAT: Format = Format {
    id: "generic",
    name: "Table with M, N, K and a time or a rate",
    produced_by: "any script or spreadsheet",
    example: "M,N,K,dtype,time_us\n4096,4096,4096,fp16,690\n",
    read: ReadBy::Code { detect, open },
};

pub(crate) fn detect(head: &Head) -> Option<Detection> {
    let sampled = mapping::sample(head, &ImportOptions::default())?;
    let m = &sampled.mapping;
    if m.is_complete() {
        let names: Vec<String> = [M, N, K, Mnk, Square, ShapeA, ShapeB, Time, ReportedRate]
            .iter()
            .filter_map(|t| m.position(*t))
            .map(|i| m.columns[i].header.clone())
            .collect();
        Some(Detection::new(30, format!("the header has {}", names.join(", "))))
    } else if m.is_shapes_only() {
        Some(Detection::new(20, "the header has sizes, but no time or rate"))
    } else if m.columns.len() >= 3 && sampled.has_numbers() {
        Some(Detection::new(5, "a table with unrecognised columns"))
    } else {
        None
    }
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
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
            "no column for {} among {}",
            m.missing.join(", "),
            found.join(", ")
        ))
        .at(m.header_line, 0)
        .kind(ErrorKind::NeedsMapping));
    }
    let delimiter = m.delimiter;
    let mut table = TableBuilder::with_room(head.rows);
    let rows = Generic::new(&mut table, sampled, head, options);
    Ok(Delimited::cut_at(delimiter, rows, table))
}

#[derive(Debug)]
struct Generic {
    plan: Plan,
    /// The figures of each library, where a line has several.
    sides: Vec<PlannedSide>,
    /// The side whose figures the plan has.
    taken: Option<usize>,
    /// Columns that repeat one time.
    repeats: Vec<(Col, f64)>,
    ids: Ids,
    caches: ValueCaches,
    /// The header as written, to recognise a repetition.
    header: Vec<u8>,
    repeated: u64,
    comments: u64,
    /// Rows with more cells than the header, and the first of them.
    longer: (u64, u32),
    /// The line of units below the header; 0 where there is none.
    units_line: u32,
    /// Failed variants of a tuning history, and how many of them state a time.
    failed: (u64, u64),
}

/// Columns of tables with several figures a line.
#[derive(Debug, Default)]
struct Ids {
    library: Option<ColumnId>,
    rate: Option<ColumnId>,
    /// Shortest and longest of the repeats.
    spread: Option<[ColumnId; 2]>,
    /// Times of failed variants.
    failed: Option<ColumnId>,
}

impl Generic {
    fn new(
        table: &mut TableBuilder,
        sampled: Sampled,
        head: &Head,
        options: &ImportOptions,
    ) -> Self {
        let PlannedTable { plan, sides, repeats } = plan(table, &sampled, head, options);
        let mut ids = Ids::default();
        if !sides.is_empty() {
            ids.library = Some(table.text_column(Library, "library"));
            let both = |s: &PlannedSide| s.time.is_some() && s.rate.is_some();
            let rated = sides.iter().any(|s| both(s) || s.time.is_none());
            ids.rate = rated.then(|| table.number_column(ReportedRate, "rate"));
        }
        if !repeats.is_empty() && plan.time.is_some() {
            ids.spread = Some([TimeMin, TimeMax].map(|m| table.number_column(m, m.id())));
        }
        if sampled.mapping.header_line == 0 {
            table.note("The file has no header.");
        }
        if sampled.units_line > 0 {
            table.note(format!("Units from line {}.", sampled.units_line));
        }
        let count = sampled.preamble.len();
        if count > 0 {
            table.note(format!("Skipped before the header: {count} line(s)."));
        }
        Generic {
            plan,
            sides,
            taken: None,
            repeats,
            ids,
            caches: ValueCaches::default(),
            header: Vec::new(),
            repeated: 0,
            comments: 0,
            longer: (0, 0),
            units_line: sampled.units_line,
            failed: (0, 0),
        }
    }
}

impl Generic {
    /// Exchanges the figures of the plan with those of a side.
    fn take_side(&mut self, at: usize) {
        let side = &mut self.sides[at];
        std::mem::swap(&mut self.plan.time, &mut side.time);
        std::mem::swap(&mut self.plan.rate, &mut side.rate);
        self.taken = if self.taken.is_none() { Some(at) } else { None };
    }

    /// The record is the header again.
    fn is_header(&self, record: &Record<'_>) -> bool {
        let raw = record.raw();
        raw.len() >= self.header.len() && !self.header.is_empty() && raw.trim_ascii() == self.header
    }

    fn commit(
        &mut self,
        given: &Given,
        rate: Option<f64>,
        table: &mut TableBuilder,
        record: &Record<'_>,
    ) {
        let mut row = row(&self.plan, given, &mut self.caches, table, record);
        if let (Ok(row), Some(rate)) = (&mut row, rate) {
            let Row { m, n, k, batch, op, .. } = *row;
            row.time_s = gemmscope_model::gemm::Problem { m, n, k, batch, op }.work().0 / rate;
        }
        if let Ok(row) = &row {
            if self.plan.history && row.time_s.is_nan() {
                self.failed.0 += 1;
                if let Some(time_s) = failed_time(&self.plan, given, record, row) {
                    self.failed.1 += 1;
                    let id = *self.ids.failed.get_or_insert_with(|| {
                        table.number_column(FailedTime, "time of the failed run")
                    });
                    table.set_number(id, time_s);
                }
            }
            stage(&self.plan.extras, given, table, record);
        }
        table.commit(record.line(), record.raw(), row);
    }
}

/// `#` starts a comment; a line of dashes and bars is a rule in a printed table.
fn is_comment(record: &Record<'_>) -> bool {
    let raw = record.raw();
    raw.starts_with(b"#") || raw.iter().all(|b| b"-=+|: \t".contains(b))
}

/// Shortest, median and longest of several times, seconds; `None` if no cell holds one.
fn spread(repeats: &[(Col, f64)], record: &Record<'_>) -> Option<[f64; 3]> {
    let mut times: Vec<f64> =
        repeats.iter().filter_map(|(c, scale)| c.positive(record, "time", *scale).ok()).collect();
    let median = gemmscope_table::stats::median(&mut times);
    Some([*times.first()?, median, *times.last()?])
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
        if self.is_header(record) {
            self.repeated += 1;
            return Ok(());
        }
        if is_comment(record) {
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
        let mut given = Given::default();
        let mut median_rate = None;
        if !self.repeats.is_empty()
            && let Some([shortest, median, longest]) = spread(&self.repeats, record)
        {
            if self.plan.time.is_some() {
                given.time_s = Some(median);
                if let Some([min, max]) = self.ids.spread {
                    table.set_number(min, shortest);
                    table.set_number(max, longest);
                }
            } else {
                median_rate = Some(median);
            }
        }
        if self.sides.is_empty() {
            self.commit(&given, median_rate, table, record);
        }
        for at in 0..self.sides.len() {
            self.take_side(at);
            let side = &self.sides[at];
            given.dtype = side.dtype;
            if let Some(id) = self.ids.library {
                table.set_text(id, side.name.as_bytes());
            }
            if let (Some(id), Some((c, scale))) = (self.ids.rate, &self.plan.rate) {
                table.set_number(id, c.number(record, *scale));
            }
            self.commit(&given, None, table, record);
            self.take_side(at);
        }
        Ok(())
    }

    fn planned(&mut self, lines: u32) -> Planned<'_> {
        if !self.repeats.is_empty() {
            Planned::Never
        } else if lines < self.plan.header_line.max(self.units_line) {
            Planned::NotYet
        } else {
            Planned::Now(self)
        }
    }

    fn gives_parts(&self) -> bool {
        true
    }

    fn remark(&mut self, t: &mut TableBuilder) {
        let (failed, timed) = self.failed;
        if failed > 0 {
            let but = match timed {
                0 => String::new(),
                n => format!(
                    " {n} of them state a time; it is kept as the time of the failed run and \
                     counts in no total."
                ),
            };
            t.note(format!("Tuning history: {failed} failed variant(s) kept without a time.{but}"));
        }
        if self.repeated > 0 {
            t.note(format!("The header is repeated {}.", times(self.repeated)));
        }
        if self.comments > 0 {
            t.note(format!("Skipped comments and rules: {} line(s).", self.comments));
        }
        if self.longer.0 > 0 {
            t.note(format!(
                "Rows with more cells than the header: {} (first in line {}); extra cells \
                 dropped.",
                self.longer.0, self.longer.1
            ));
        }
        self.caches.note_assumed_types(t);
    }
}

impl PlannedRows for Generic {
    fn plan(&mut self) -> (&Plan, &mut ValueCaches) {
        (&self.plan, &mut self.caches)
    }

    fn is_plain(&self) -> bool {
        true
    }

    fn sides(&self) -> &[PlannedSide] {
        &self.sides
    }

    fn take_side(&mut self, at: usize) {
        Generic::take_side(self, at);
    }

    fn side_columns(&self) -> [Option<ColumnId>; 2] {
        [self.ids.library, self.ids.rate]
    }

    fn dtype(&mut self, _table: &mut TableBuilder) -> Option<DataType> {
        self.sides.get(self.taken?)?.dtype
    }

    fn row(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Option<Row> {
        if self.is_header(record) || is_comment(record) {
            return None;
        }
        let given = Given::default();
        let row = row(&self.plan, &given, &mut self.caches, table, record).ok()?;
        let failed = self.plan.history && row.time_s.is_nan();
        (!failed).then_some(row)
    }

    fn any_record(
        &mut self,
        record: &Record<'_>,
        table: &mut TableBuilder,
    ) -> Result<(), ImportError> {
        self.record(record, table)
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
