//! Table formats as data: a signature, columns with their meaning and factor to SI, defaults, and
//! at most one hook. One reader reads them all.

use crate::columns::by_column::PlannedRows;
use crate::columns::defaults::{self, AssumedType};
use crate::columns::header::{Col, Header};
use crate::columns::plan::{Extra, Plan};
use crate::columns::row::{Given, ValueCaches, row, stage};
use crate::{
    Delimited, Detection, Head, ImportError, ImportOptions, Planned, Reader, Record, RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::order::InOrder;
use gemmscope_table::build::cell_text::{RowError, cell_text};
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
use std::collections::HashMap;

/// Factors to SI.
pub(crate) const MILLI: f64 = 1e-3;
pub(crate) const MICRO: f64 = 1e-6;
pub(crate) const GIGA: f64 = 1e9;
pub(crate) const TERA: f64 = 1e12;
pub(crate) const GIBI: f64 = 1_073_741_824.0;
/// Each row names its unit: the hook gives it as [`Given::unit_s`].
pub(crate) const PER_ROW: f64 = f64::NAN;

/// Names of one header line that only this tool writes.
pub(crate) struct Signature {
    /// The header has all of these, in any case and order.
    pub names: &'static [&'static str],
    /// As in [`Detection::score`].
    pub score: u8,
    /// As in [`Detection::reason`].
    pub reason: &'static str,
}

/// One column of a format.
pub(crate) struct Column {
    /// Names in use; the first that the header has is taken.
    names: &'static [&'static str],
    meaning: ColumnMeaning,
    scale: f64,
    verdict: bool,
    beside: &'static str,
    kept: bool,
}

impl Column {
    /// The same, and kept under its own name beside what it means for the row.
    pub(crate) const fn kept(self) -> Self {
        Column { kept: true, ..self }
    }

    /// The same, only where the header has this other column too.
    pub(crate) const fn beside(self, other: &'static str) -> Self {
        Column { beside: other, ..self }
    }
}

/// A column with one of these names.
pub(crate) const fn column(names: &'static [&'static str], meaning: ColumnMeaning) -> Column {
    number(names, meaning, 1.0)
}

/// A column of numbers with their factor to SI.
pub(crate) const fn number(
    names: &'static [&'static str],
    meaning: ColumnMeaning,
    scale: f64,
) -> Column {
    Column { names, meaning, scale, verdict: false, beside: "", kept: false }
}

/// A column that says whether the run succeeded; `meaning` says whether it is kept.
pub(crate) const fn verdict(names: &'static [&'static str], meaning: ColumnMeaning) -> Column {
    Column { names, meaning, scale: 1.0, verdict: true, beside: "", kept: false }
}

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
        RowError {
            reason: reason.into(),
            column: self.position(name).map_or(0, |i| i as u32 + 1),
            text: self.text(name),
        }
    }
}

/// Runs before the columns of a record are read: rejects it, or finds what no column holds.
pub(crate) type Hook = fn(&mut Cells<'_, '_>) -> Result<Given, RowError>;

/// A format that one table describes.
pub(crate) struct TableFormat {
    /// The header has the names of one of these.
    pub signatures: &'static [Signature],
    /// What the columns mean. A column of the file that is not here is kept under its own name.
    pub columns: &'static [Column],
    /// Columns that are left out.
    pub ignored: &'static [&'static str],
    /// Type of A and B if neither the file, its name nor the user names one.
    pub dtype: DataType,
    /// Type of the output where no column holds it; `None`: the usual one of the operands.
    pub output: Option<DataType>,
    /// Transposes of A and B where no column holds them.
    pub transposed: [bool; 2],
    /// Id of the device that the tool is always run on, and the sentence that says so.
    pub device: Option<(&'static str, &'static str)>,
    /// Remarks for the file's card.
    pub notes: &'static [&'static str],
    pub hook: Option<Hook>,
}

impl TableFormat {
    /// Defaults for the fields that a format may omit.
    pub(crate) const DEFAULT: TableFormat = TableFormat {
        signatures: &[],
        columns: &[],
        ignored: &[],
        dtype: DataType::Fp16,
        output: None,
        transposed: [false, false],
        device: None,
        notes: &[],
        hook: None,
    };

    /// Scores a head by the signatures.
    pub(crate) fn detect(&self, head: &Head) -> Option<Detection> {
        let found = self.signatures.iter().find(|s| head.line_with(s.names).is_some())?;
        Some(Detection::new(found.score, found.reason))
    }

    /// A reader of a file with this head.
    pub(crate) fn open(&'static self, head: &Head, options: &ImportOptions) -> Box<dyn Reader> {
        let rows = TableRows {
            format: self,
            head: Head { name: head.name.clone(), ..Head::default() },
            options: options.clone(),
            dtype: AssumedType::new(head, options, self.dtype),
            header: Header::default(),
            plan: None,
            caches: ValueCaches::default(),
            before: 0,
            repeated: 0,
        };
        Delimited::open(rows, TableBuilder::with_room(head.rows))
    }

    /// The plan of a header, with its columns added to the table.
    pub(crate) fn plan(&self, header: &Header, table: &mut TableBuilder) -> Plan {
        let mut plan = Plan {
            width: header.names.len(),
            default_output: self.output,
            default_trans: self.transposed,
            ..Plan::default()
        };
        let mut used: Vec<usize> = Vec::new();
        used.extend(self.ignored.iter().filter_map(|n| header.position(n)));
        // A second header of the same file goes on with the columns of the first.
        let mut made: HashMap<(&'static str, String), usize> = HashMap::new();
        let mut keep = |meaning: ColumnMeaning, name: &str| {
            let nth = made.entry((meaning.id(), name.to_owned())).or_default();
            let known = table.known_column(meaning, name, *nth);
            *nth += 1;
            known.unwrap_or_else(|| match meaning {
                ColumnMeaning::Other => table.auto_column(name),
                text if text.is_text() => table.text_column(text, name),
                number => table.number_column(number, name),
            })
        };
        for c in self.columns {
            if !c.beside.is_empty() && header.position(c.beside).is_none() {
                continue;
            }
            let free = |col: &Col| !used.contains(&col.index);
            let Some(col) = header.find(c.names).filter(free) else {
                continue;
            };
            let i = col.index;
            used.push(i);
            if c.verdict {
                plan.verdicts.push(col.clone());
            }
            if c.kept || c.meaning == ColumnMeaning::Other {
                let id = keep(ColumnMeaning::Other, &col.name);
                plan.extras.push(Extra::Auto(i, id));
            } else if ColumnMeaning::OF_DATASET.contains(&c.meaning) {
                let id = keep(c.meaning, &col.name);
                plan.extras.push(if c.meaning.is_text() {
                    Extra::Text(i, id)
                } else {
                    Extra::Number(i, id, c.scale)
                });
            }
            plan.set(c.meaning, col, c.scale);
        }
        for (i, name) in header.names.iter().enumerate() {
            if !used.contains(&i) {
                plan.extras.push(Extra::Auto(i, keep(ColumnMeaning::Other, name)));
            }
        }
        plan.extras.order_by_key(Extra::index);
        plan
    }

    /// The header has the names of a signature.
    pub(crate) fn is_header(&self, header: &Header) -> bool {
        self.signatures.iter().any(|s| header.has(s.names))
    }
}

/// Reads the records of a [`TableFormat`].
struct TableRows {
    format: &'static TableFormat,
    /// The name of the file, without its lines.
    head: Head,
    options: ImportOptions,
    dtype: AssumedType,
    header: Header,
    plan: Option<Plan>,
    caches: ValueCaches,
    before: u64,
    repeated: u64,
}

impl TableRows {
    fn start(&mut self, header: Header, t: &mut TableBuilder) {
        let mut plan = self.format.plan(&header, t);
        let answer = self.options.answer("device");
        if plan.device.is_none() || answer.is_some() {
            plan.device = None;
            plan.default_device = match (self.format.device, answer) {
                (Some((id, why)), None) => {
                    let known = gemmscope_model::hardware::by_id(id);
                    let name = known.map_or(id, |d| d.name.as_str());
                    t.assume_device(name, why);
                    t.device(name)
                }
                _ => defaults::device(t, &self.head, &self.options),
            };
        }
        plan.note_times(t);
        for note in self.format.notes {
            t.note(*note);
        }
        self.header = header;
        self.plan = Some(plan);
    }

    /// The row of a record, and what the hook knows of it.
    fn read(
        &mut self,
        record: &Record<'_>,
        table: &mut TableBuilder,
    ) -> Result<(Row, Given), RowError> {
        let Some(plan) = &self.plan else {
            return Err(RowError::new("not a GEMM: no M, N, K"));
        };
        let mut given = match (record.problem(), self.format.hook) {
            (Some(problem), _) => return Err(RowError::new(problem)),
            // The tool's closing words, or a line that was cut.
            (None, _) if record.len() + 4 < plan.width => {
                return Err(RowError::new("fewer fields than the header names"));
            }
            (None, None) => Given::default(),
            (None, Some(hook)) => {
                hook(&mut Cells { record, header: &self.header, file: &self.head.name, table })?
            }
        };
        if plan.dtype.is_none() && plan.dtype_a.is_none() {
            given.dtype = Some(self.dtype.of(given.dtype, table));
        }
        let row = row(plan, &given, &mut self.caches, table, record)?;
        Ok((row, given))
    }
}

impl RowReader for TableRows {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        if self.plan.is_none() {
            let header = Header::new(record);
            if self.format.is_header(&header) {
                self.start(header, table);
            } else {
                self.before += 1;
            }
            return Ok(());
        }
        if self.header.is_repeated_by(record) {
            self.repeated += 1;
            return Ok(());
        }
        let row = self.read(record, table).map(|(row, given)| {
            let extras = self.plan.as_ref().map(|p| p.extras.as_slice());
            stage(extras.unwrap_or_default(), &given, table, record);
            row
        });
        table.commit(record.line(), record.raw(), row);
        Ok(())
    }

    fn planned(&mut self, _lines: u32) -> Planned<'_> {
        match self.plan {
            Some(_) => Planned::Now(self),
            None => Planned::NotYet,
        }
    }

    fn gives_parts(&self) -> bool {
        true
    }

    fn remark(&mut self, t: &mut TableBuilder) {
        if self.before > 0 && self.plan.is_some() {
            t.note(format!("Skipped before the header: {} line(s).", self.before));
        }
        if self.repeated > 0 {
            t.note(format!(
                "The header is repeated {}.",
                super::tables::generic::times(self.repeated)
            ));
        }
        self.caches.note_assumed_types(t);
    }
}

impl PlannedRows for TableRows {
    fn plan(&mut self) -> (&Plan, &mut ValueCaches) {
        let plan = self.plan.get_or_insert_default();
        (plan, &mut self.caches)
    }

    fn is_plain(&self) -> bool {
        self.format.hook.is_none()
    }

    fn dtype(&mut self, table: &mut TableBuilder) -> Option<DataType> {
        let plan = self.plan.as_ref()?;
        let unsaid = plan.dtype.is_none() && plan.dtype_a.is_none();
        unsaid.then(|| self.dtype.of(None, table))
    }

    fn row(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Option<Row> {
        if self.header.is_repeated_by(record) {
            return None;
        }
        self.read(record, table).ok().map(|(row, _)| row)
    }

    fn any_record(
        &mut self,
        record: &Record<'_>,
        table: &mut TableBuilder,
    ) -> Result<(), ImportError> {
        self.record(record, table)
    }
}
