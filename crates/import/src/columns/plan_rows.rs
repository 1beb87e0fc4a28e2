//! The one engine of tables: records become rows by the [`Plan`] of their header. A format says what the
//! header means, and what no column of it tells.

mod seen;

use crate::cell;
use crate::cell::NO_SIZES;
use crate::columns::defaults::{self, AssumedType};
use crate::columns::header::{Col, Header, bare, below_other_header, error_at, is_titles};
use crate::columns::plan::{Figures, Plan, Side, SideColumns};
use crate::columns::row::{self, Given, Shape, ValueCaches, failed_time, stage};
use crate::columns::words::{Says, says};
use crate::reader::{CUT, ROW_CUT};
use crate::split::dialect::is_drawn;
use crate::{Delimited, ImportError, Imported, Planned, Reader, Record, RowReader};
use gemmscope_table::build::cell_text::{RowError, cell_text};
use gemmscope_table::build::{ColumnId, Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::{self, Dtype, DtypeA};
use seen::Seen;

/// What a format says of its tables.
pub(crate) trait TableReader {
    /// The plan of a header, with its columns added to the table; `None`: this record is no header.
    fn plan(&mut self, header: &Header, table: &mut TableBuilder) -> Option<Plan>;

    /// Finds what no column of a record tells, or rejects it; `None` where the columns tell all.
    fn hook(&self) -> Option<Hook> {
        None
    }

    /// The file has several headers, or lines between its rows: each record is asked what it is.
    fn has_sections(&self) -> bool {
        false
    }

    /// What a record is. `plan` is that of the last header.
    fn what(&mut self, record: &Record<'_>, plan: Option<&Plan>, table: &mut TableBuilder) -> What {
        let _ = (record, table);
        if plan.is_some() { What::Row } else { What::Header }
    }

    /// Remarks at the end of the file.
    fn remark(&self, table: &mut TableBuilder) {
        let _ = table;
    }
}

/// What a record of a table is.
pub(crate) enum What {
    Row,
    Header,
    /// A text of the row above.
    OfRow(ColumnId, String),
    /// Words around the table.
    Aside,
    /// Nothing that is worth a remark.
    Nothing,
}

/// Runs before the columns of a record are read: rejects it, or finds what no column holds.
pub(crate) type Hook = fn(&mut Cells<'_, '_>) -> Result<Given, RowError>;

/// A record on its way through a [`Hook`].
pub(crate) struct Cells<'a, 'r> {
    /// The record.
    pub record: &'a Record<'r>,
    /// The file's header.
    pub header: &'a Header,
    /// The file's name.
    pub file: &'a str,
    /// For notes and devices.
    pub table: &'a mut TableBuilder,
}

impl<'r> Cells<'_, 'r> {
    /// The column with this name, if the header has it.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.header.position(name)
    }

    /// The cell of the column with this name, "" where there is none.
    pub(crate) fn get(&self, name: &str) -> &'r [u8] {
        self.position(name).map_or(b"", |i| self.record.get(i))
    }

    /// The cell as text.
    pub(crate) fn text(&self, name: &str) -> String {
        cell_text(self.get(name)).into_owned()
    }

    /// An error about the cell of the column with this name.
    #[cold]
    pub(crate) fn error(&self, name: &str, reason: impl Into<String>) -> RowError {
        match self.position(name) {
            Some(i) => error_at(i, self.record, reason),
            None => RowError::new(reason),
        }
    }
}

/// Reads the records of a table.
#[derive(Default)]
pub(crate) struct PlanRows {
    /// `None` where the plan was made from the head of the file.
    reader: Option<Box<dyn TableReader>>,
    hook: Option<Hook>,
    file: String,
    /// The type of rows that name none; `None` where the plan has it.
    types: Option<AssumedType>,
    /// The header as written, to recognise a repetition.
    header: Header,
    plan: Option<Plan>,
    caches: ValueCaches,
    /// Times of failed variants.
    failed_time: Option<ColumnId>,
    /// The last row went into the table.
    kept: bool,
    /// The line of another header, whose rows are set aside: what its columns hold is not known.
    other_header: Option<u32>,
    seen: Seen,
}

impl PlanRows {
    /// Reads the records of a file with this name by what a format says.
    pub(crate) fn open(
        reader: impl TableReader + 'static,
        file: &str,
        types: Option<AssumedType>,
        table: TableBuilder,
    ) -> Box<dyn Reader> {
        let hook = reader.hook();
        let reader: Option<Box<dyn TableReader>> = Some(Box::new(reader));
        let file = file.to_owned();
        Delimited::open(PlanRows { reader, hook, file, types, ..PlanRows::default() }, table)
    }

    /// Reads records by a plan that is known, behind so many lines that are no part of the table.
    pub(crate) fn by(plan: Plan, before: usize, table: TableBuilder) -> Box<dyn Reader> {
        let seen = Seen { before: before as u64, ..Seen::default() };
        Delimited::open(PlanRows { plan: Some(plan), seen, ..PlanRows::default() }, table)
    }

    /// The plan, once there is one, and what is known of its words.
    pub(super) fn plan(&mut self) -> Option<(&Plan, &mut ValueCaches)> {
        Some((self.plan.as_ref()?, &mut self.caches))
    }

    /// The rows to come are those of another header.
    pub(super) fn is_suspended(&self) -> bool {
        self.other_header.is_some()
    }

    /// True if a row follows from its columns and [`of_side`](Self::of_side), without a hook.
    pub(super) fn is_plain(&self) -> bool {
        self.hook.is_none()
    }

    /// Values for the rows of a side (or for all rows) that come from the plan, not from a cell.
    pub(super) fn of_side(&mut self, side: Option<usize>, table: &mut TableBuilder) -> Given {
        let PlanRows { plan: Some(plan), types, .. } = self else { return Given::default() };
        given_of(Given::default(), plan, side, types, table)
    }

    /// Reads a record that is one row and has the plan's width; `None` if it is flawed or no row. Adds the same
    /// types and devices to the table as [`RowReader::record`].
    pub(super) fn row(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Option<Row> {
        if self.header.is_repeated_by(record) || is_comment(record) {
            return None;
        }
        let given = self.given(record, table).ok()?;
        let PlanRows { plan, caches, types, .. } = self;
        let plan = plan.as_ref()?;
        let shape = row::shape(plan, &given, caches, record).ok()?;
        let given = given_of(given, plan, None, types, table);
        let row = row::row(plan, &plan.figures, &given, shape, caches, table, record).ok()?;
        let failed = plan.history && row.time_s.is_nan();
        (!failed).then_some(row)
    }

    fn given(&self, record: &Record<'_>, table: &mut TableBuilder) -> Result<Given, RowError> {
        if let Some(problem) = record.problem() {
            return Err(RowError::new(problem));
        }
        // The tool's closing words, or a line that was cut.
        if self.plan.as_ref().is_some_and(|plan| record.len() < plan.fewest) {
            return Err(RowError::new("fewer fields than the header names"));
        }
        match self.hook {
            None => Ok(Given::default()),
            Some(hook) => {
                hook(&mut Cells { record, header: &self.header, file: &self.file, table })
            }
        }
    }

    /// Sizes and verdict of a record, which all of its sides share.
    fn shape(
        &mut self,
        record: &Record<'_>,
        table: &mut TableBuilder,
    ) -> Result<(Given, Shape), RowError> {
        let mut given = self.given(record, table)?;
        let PlanRows { plan: Some(plan), caches, .. } = self else {
            return Err(RowError::new(NO_SIZES));
        };
        let shape = row::shape(plan, &given, caches, record)?;
        if let Some([shortest, median, longest]) = spread(&plan.repeats, record) {
            match plan.figures.time {
                Some(_) => given.time_s = Some(median),
                None => given.rate = Some(median),
            }
            if let Some([min, max]) = plan.spread {
                table.set_number(min, shortest);
                table.set_number(max, longest);
            }
        }
        Ok((given, shape))
    }

    /// Commits the row of a record or of one of its sides; `raw` is kept if the row is rejected.
    fn commit(
        &mut self,
        side: Option<usize>,
        given: &Given,
        shape: Shape,
        (record, raw): (&Record<'_>, &[u8]),
        table: &mut TableBuilder,
    ) {
        let PlanRows { plan: Some(plan), caches, types, seen, failed_time: id, .. } = self else {
            return;
        };
        let of = side.and_then(|i| plan.sides.get(i));
        let figures = of.map_or(&plan.figures, |s| &s.figures);
        let given = given_of(*given, plan, side, types, table);
        let row = row::row(plan, figures, &given, shape, caches, table, record);
        if let Ok(row) = &row {
            if plan.history && row.time_s.is_nan() {
                seen.failed.0 += 1;
                if let Some(time_s) = failed_time(figures, &given, record, row) {
                    seen.failed.1 += 1;
                    let id = *id.get_or_insert_with(|| {
                        table.number_column(ColumnMeaning::FailedTime, "time of the failed run")
                    });
                    table.set_number(id, time_s);
                }
            }
            if let Some(side) = of {
                let columns = &mut plan.side_columns;
                stage_side(side, columns, row.time_s, record, table);
            }
            stage(&plan.extras, table, record);
        }
        let before = table.len();
        table.commit(record.line(), raw, row);
        self.kept = table.len() > before;
    }

    /// Takes a record that the format calls a header.
    fn take_header(&mut self, record: &Record<'_>, table: &mut TableBuilder) {
        if self.plan.is_some() && self.header.is_repeated_by(record) {
            self.seen.repeated += 1;
            return;
        }
        let header = Header::new(record);
        match self.reader.as_mut().and_then(|r| r.plan(&header, table)) {
            Some(plan) => {
                for (i, name) in header.names.iter().enumerate() {
                    if header
                        .position(bare(name))
                        .is_some_and(|first| first < i && plan.reads(first))
                    {
                        table.note(format!(
                            "The header has “{}” twice: the first counts.",
                            bare(name)
                        ));
                    }
                }
                (self.plan, self.header) = (Some(plan), header);
            }
            None => self.seen.before += 1,
        }
    }
}

/// Adds what the side states, and the assumed type, to what the hook found.
fn given_of(
    given: Given,
    plan: &Plan,
    side: Option<usize>,
    types: &mut Option<AssumedType>,
    table: &mut TableBuilder,
) -> Given {
    let side = side.and_then(|i| plan.sides.get(i));
    let named = given.dtype.or_else(|| side?.dtype);
    let dtype = match types {
        Some(types) if [Dtype, DtypeA].iter().all(|part| plan.col(*part).is_none()) => {
            Some(types.of(named, table))
        }
        _ => named,
    };
    let transposed = given.transposed.or_else(|| side?.transposed);
    Given { dtype, transposed, ..given }
}

/// Stages the side's own cells: name, rate, bandwidth, deviation. A `commit` follows.
fn stage_side(
    side: &Side,
    columns: &mut SideColumns,
    time_s: f64,
    record: &Record<'_>,
    table: &mut TableBuilder,
) {
    if let Some(id) = columns.name {
        table.set_text(id, side.name.as_bytes());
    }
    let Figures { time, rate, bandwidth } = &side.figures;
    for (id, figure) in [(columns.rate, rate), (columns.bandwidth, bandwidth)] {
        if let (Some(id), Some((c, scale))) = (id, figure) {
            table.set_number(id, c.number(record, *scale));
        }
    }
    let share = match (&side.variation, time.as_ref().or(rate.as_ref())) {
        (Some(c), _) => record.number(c.index).filter(|share| *share >= 0.0),
        (None, Some((c, _))) => cell::spread(c.cell(record)).map(|s| s.1),
        (None, None) => None,
    };
    if let Some(share) = share {
        let id = *columns.deviation.get_or_insert_with(|| {
            table.number_column(ColumnMeaning::TimeStd, "standard deviation")
        });
        table.set_number(id, share * time_s);
    }
    for &(i, id) in &side.kept {
        table.set_auto(id, record.get(i), record.number(i));
    }
}

/// The record has the titles of another table.
#[cold]
fn is_header(record: &Record<'_>) -> bool {
    let cells: Vec<_> = (0..record.len()).map(|i| record.text(i)).collect();
    record.problem().is_none() && is_titles(&cells)
}

/// `#` starts a comment; a line of dashes and bars is a rule in a printed table.
fn is_comment(record: &Record<'_>) -> bool {
    let raw = record.raw();
    raw.starts_with(b"#") || is_drawn(raw)
}

/// Shortest, median and longest of several figures in SI units; `None` if no cell holds one.
fn spread(repeats: &[(Col, f64)], record: &Record<'_>) -> Option<[f64; 3]> {
    let mut figures: Vec<f64> =
        repeats.iter().filter_map(|(c, scale)| c.positive(record, "time", *scale).ok()).collect();
    let median = gemmscope_table::stats::median(&mut figures);
    Some([*figures.first()?, median, *figures.last()?])
}

impl RowReader for PlanRows {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let what = self.reader.as_mut().map(|r| r.what(record, self.plan.as_ref(), table));
        match what {
            None | Some(What::Row) => {}
            Some(What::Header) => {
                self.take_header(record, table);
                return Ok(());
            }
            Some(What::OfRow(id, text)) => {
                if self.kept {
                    table.amend_text(id, text.as_bytes());
                }
                return Ok(());
            }
            Some(What::Aside) => {
                self.seen.aside += 1;
                return Ok(());
            }
            Some(What::Nothing) => return Ok(()),
        }
        let Some(plan) = &mut self.plan else { return Ok(()) };
        if record.line() <= plan.header_end {
            if record.line() == plan.header_line {
                self.header = Header::new(record);
            }
            return Ok(());
        }
        if self.header.is_repeated_by(record) {
            self.seen.repeated += 1;
            self.other_header = None;
            return Ok(());
        }
        if let Some(line) = self.other_header.filter(|_| !is_header(record)) {
            table.reject(record.line(), record.raw(), &below_other_header(line));
            return Ok(());
        }
        if is_comment(record) {
            self.seen.comments += 1;
            if plan.device_by_heading
                && let Some(name) = defaults::device_in_heading(&cell_text(record.raw()))
            {
                plan.default_device = table.device(name);
            }
            return Ok(());
        }
        if (plan.width..record.len()).any(|i| !record.get(i).is_empty()) {
            if self.seen.longer.0 == 0 {
                self.seen.longer.1 = record.line();
            }
            self.seen.longer.0 += 1;
        }
        let sides = plan.sides.len();
        let short = record.len() < plan.width && record.problem().is_none();
        let cut = short && record.is_unended();
        // A line of words alone is not a row that was cut off.
        if cut && (record.len() > 1 || record.get(0).first().is_some_and(u8::is_ascii_digit)) {
            table.note(CUT);
        }
        match self.shape(record, table) {
            // Its last cell may be half a number; where other rows are as short it may be whole.
            Ok(_) if cut && !self.seen.shorter => {
                self.kept = false;
                table.reject(record.line(), record.raw(), &RowError::new(ROW_CUT));
            }
            Ok((given, shape)) if sides == 0 => {
                self.commit(None, &given, shape, (record, record.raw()), table);
            }
            Ok((given, shape)) => {
                // The text of a line is kept once, however many of its sides are flawed.
                let mut raw = record.raw();
                for side in 0..sides {
                    self.commit(Some(side), &given, shape, (record, raw), table);
                    raw = if self.kept { raw } else { b"" };
                }
            }
            Err(_) if is_header(record) => {
                self.other_header = Some(record.line());
                if self.seen.others.0 == 0 {
                    self.seen.others.1 = record.line();
                }
                self.seen.others.0 += 1;
            }
            // The mean of the rows above.
            Err(_) if sides > 0 && says(&record.text(0).to_lowercase(), &[Says::Mean]) => {
                self.seen.summaries += 1;
            }
            // A line counts as one rejected row, however many rows it would give.
            Err(bad) => {
                self.kept = false;
                table.reject(record.line(), record.raw(), &bad);
            }
        }
        self.seen.shorter |= short;
        Ok(())
    }

    fn planned(&mut self, lines: u32) -> Planned<'_> {
        match &self.plan {
            _ if self.reader.as_ref().is_some_and(|r| r.has_sections()) => Planned::Never,
            Some(plan) if !plan.repeats.is_empty() => Planned::Never,
            Some(plan) if lines >= plan.header_end => Planned::Now(self),
            _ => Planned::NotYet,
        }
    }

    fn gives_parts(&self) -> bool {
        !self.reader.as_ref().is_some_and(|r| r.has_sections())
    }

    fn remark(&mut self, t: &mut TableBuilder) {
        self.seen.remark(self.plan.is_some(), t);
        if let Some(reader) = &self.reader {
            reader.remark(t);
        }
        self.caches.note_assumed_types(t);
    }

    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        if self.plan.is_none() {
            return Err(ImportError::new("the header was not found"));
        }
        self.remark(&mut table);
        Ok(Imported::table(table.finish()))
    }
}

#[cfg(test)]
mod tests;
