//! Turns the records of tables into rows by the [`Plan`] of their header. A format supplies the plan and
//! whatever the columns lack.

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

/// How a format reads its tables.
pub(crate) trait TableReader {
    /// The plan of a header, with its columns added to the table; `None` if this record is not a header.
    fn plan(&mut self, header: &Header, table: &mut TableBuilder) -> Option<Plan>;

    /// A function that supplies values missing from the columns of a record, or rejects it; `None` if not needed.
    fn hook(&self) -> Option<Hook> {
        None
    }

    /// True if the file has several headers or lines between its rows, so that [`Self::what`]
    /// is called for each record.
    fn has_sections(&self) -> bool {
        false
    }

    /// Classifies a record. `plan` is that of the last header.
    fn what(&mut self, record: &Record<'_>, plan: Option<&Plan>, table: &mut TableBuilder) -> What {
        let _ = (record, table);
        if plan.is_some() { What::Row } else { What::Header }
    }

    /// Adds remarks at the end of the file.
    fn remark(&self, table: &mut TableBuilder) {
        let _ = table;
    }
}

/// Kind of a record in a table.
pub(crate) enum What {
    Row,
    Header,
    /// Text that belongs to the row above.
    OfRow(ColumnId, String),
    /// A line without a result, counted on the card.
    Aside,
    /// A line to skip without a remark.
    Nothing,
}

/// Runs before the columns of a record are read: rejects it, or supplies values that no column holds.
pub(crate) type Hook = fn(&mut Cells<'_, '_>) -> Result<Given, RowError>;

/// Arguments of a [`Hook`].
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
    /// Position of the column with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.header.position(name)
    }

    /// The cell of the column with this name; "" if there is no such column.
    pub(crate) fn get(&self, name: &str) -> &'r [u8] {
        self.position(name).map_or(b"", |i| self.record.get(i))
    }

    /// The same as text.
    pub(crate) fn text(&self, name: &str) -> String {
        cell_text(self.get(name)).into_owned()
    }

    /// Rejection that quotes the cell of the column with this name.
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
    /// `None` if the plan was made from the head of the file.
    reader: Option<Box<dyn TableReader>>,
    hook: Option<Hook>,
    file: String,
    /// The type for rows without one; `None` if the plan has it.
    types: Option<AssumedType>,
    /// The header as written, to recognise repetitions.
    header: Header,
    plan: Option<Plan>,
    caches: ValueCaches,
    /// Times of failed variants.
    failed_time: Option<ColumnId>,
    /// The last row was added to the table.
    kept: bool,
    /// Line of a different header; rows below it are rejected because their columns are unknown.
    other_header: Option<u32>,
    seen: Seen,
}

impl PlanRows {
    /// Opens a reader for a file with this name that finds headers by the format's rules.
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

    /// Opens a reader with a known plan; `before` lines in front are not part of the table.
    pub(crate) fn by(plan: Plan, before: usize, table: TableBuilder) -> Box<dyn Reader> {
        let seen = Seen { before: before as u64, ..Seen::default() };
        Delimited::open(PlanRows { plan: Some(plan), seen, ..PlanRows::default() }, table)
    }

    /// The plan, once known, and its value caches.
    pub(super) fn plan(&mut self) -> Option<(&Plan, &mut ValueCaches)> {
        Some((self.plan.as_ref()?, &mut self.caches))
    }

    /// True if the next rows belong to a different header.
    pub(super) fn is_suspended(&self) -> bool {
        self.other_header.is_some()
    }

    /// True if there is no hook: columns and [`of_side`](Self::of_side) determine the row.
    pub(super) fn is_plain(&self) -> bool {
        self.hook.is_none()
    }

    /// Values of the plan for the rows of a side, or for all rows.
    pub(super) fn of_side(&mut self, side: Option<usize>, table: &mut TableBuilder) -> Given {
        let PlanRows { plan: Some(plan), types, .. } = self else { return Given::default() };
        given_of(Given::default(), plan, side, types, table)
    }

    /// Reads a record of the plan's width that is one row; `None` if it is flawed or not a row. Registers the same
    /// types and devices in the table as [`RowReader::record`].
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
        // Closing words of the tool, or a truncated line.
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

    /// Sizes and verdict of a record, shared by all its sides.
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

    /// Commits the row of a record or of one of its sides; a rejected row keeps `raw`.
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

    /// Handles a record that the format classifies as a header.
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

/// Adds the side's values and the assumed type to the hook's result.
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

/// Stages the side's own cells: name, rate, bandwidth, variation. A `commit` must follow.
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

/// True if the record is the header of another table.
#[cold]
fn is_header(record: &Record<'_>) -> bool {
    let cells: Vec<_> = (0..record.len()).map(|i| record.text(i)).collect();
    record.problem().is_none() && is_titles(&cells)
}

/// True for `#` comments and for lines of dashes and bars, which are rules of printed tables.
fn is_comment(record: &Record<'_>) -> bool {
    let raw = record.raw();
    raw.starts_with(b"#") || is_drawn(raw)
}

/// Minimum, median and maximum of repeated figures in SI units; `None` if no cell holds one.
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
        // A line of words only is not a truncated row.
        if cut && (record.len() > 1 || record.get(0).first().is_some_and(u8::is_ascii_digit)) {
            table.note(CUT);
        }
        match self.shape(record, table) {
            // The last number may be truncated, unless earlier rows were as short.
            Ok(_) if cut && !self.seen.shorter => {
                self.kept = false;
                table.reject(record.line(), record.raw(), &RowError::new(ROW_CUT));
            }
            Ok((given, shape)) if sides == 0 => {
                self.commit(None, &given, shape, (record, record.raw()), table);
            }
            Ok((given, shape)) => {
                // Keep the raw line once, however many of its sides are rejected.
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
            // A line with the mean of the rows above.
            Err(_) if sides > 0 && says(&record.text(0).to_lowercase(), &[Says::Mean]) => {
                self.seen.summaries += 1;
            }
            // One rejected row per line, however many rows it would give.
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
