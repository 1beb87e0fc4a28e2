//! Tables with one group of columns a library, made long: one point a library and line.

use super::{
    Bad, Col, ColumnId, Header, ImportError, Imported, Record, Row, RowReader, TableBuilder, cell,
    shape_text, values,
};
use crate::dataset::Role;
use crate::gemm::Operation;

/// Where one size comes from.
#[derive(Clone, Debug)]
pub enum Size {
    /// A column.
    Col(Col),
    /// Not in the file.
    Fixed(u32),
}

/// Where M, N and K come from.
#[derive(Clone, Debug)]
pub enum Sizes {
    /// Each from its own place.
    Three(Box<[Size; 3]>),
    /// `(4096, 4096, 4096)` in one cell; four numbers are the batch and three sizes.
    Tuple(Col),
}

/// What gives the time of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// Seconds of one unit in the cell.
    Time(f64),
    /// FLOP/s of one unit in the cell.
    Rate(f64),
    /// Byte/s of one unit in the cell.
    Bandwidth(f64),
}

/// The columns of one library.
#[derive(Clone, Debug, Default)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// Time, rate and bandwidth, each with the factor to SI. The first that is there gives the
    /// time; the others are what the file reports.
    pub time: Option<(Col, f64)>,
    /// FLOP/s.
    pub rate: Option<(Col, f64)>,
    /// Byte/s.
    pub bandwidth: Option<(Col, f64)>,
    /// Coefficient of variation as a fraction of the time.
    pub variation: Option<Col>,
    /// Further columns: position, long column they go to.
    pub rest: Vec<(usize, ColumnId)>,
    /// Type of the operands, where the name tells it.
    pub dtype: Option<crate::dtype::DataType>,
}

impl Provider {
    /// Puts a column where its unit belongs.
    pub fn set(&mut self, col: Col, unit: Unit) {
        let place = match unit {
            Unit::Time(s) => (&mut self.time, s),
            Unit::Rate(s) => (&mut self.rate, s),
            Unit::Bandwidth(s) => (&mut self.bandwidth, s),
        };
        *place.0 = Some((col, place.1));
    }
}

/// What a header says.
#[derive(Debug)]
pub struct Plan {
    /// Sizes.
    pub sizes: Sizes,
    /// GEMMs a call.
    pub batch: Option<Col>,
    /// Transposes of A and B.
    pub trans: [Option<Col>; 2],
    /// Factor of the old C.
    pub beta: Option<Col>,
    /// Types and layout where no column says them.
    pub op: Operation,
    /// Code of the device.
    pub device: u16,
    /// One a library.
    pub providers: Vec<Provider>,
    /// Columns that hold for the whole line.
    pub common: Vec<(usize, ColumnId)>,
    /// Sizes may be written `4K`, `1M`.
    pub abbreviated: bool,
}

#[derive(Clone, Copy, Debug)]
struct Ids {
    library: ColumnId,
    rate: ColumnId,
    bandwidth: ColumnId,
    deviation: ColumnId,
}

/// Makes the plan once the header is seen; `None`: this record is not the header.
pub type Planner = Box<dyn FnMut(&Header, &mut TableBuilder) -> Option<Plan>>;

/// Reads records by a [`Plan`].
pub struct Wide {
    table: TableBuilder,
    ids: Ids,
    planner: Planner,
    plan: Option<Plan>,
    width: usize,
    before: u64,
    averages: u64,
    all_from_rates: bool,
}

impl std::fmt::Debug for Wide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wide").field("plan", &self.plan).finish()
    }
}

impl Wide {
    /// A reader whose header is read by `planner`.
    pub fn new(mut table: TableBuilder, planner: Planner) -> Self {
        let ids = Ids {
            library: table.text_column(Role::Library, "provider"),
            rate: table.number_column(Role::ReportedRate, "rate"),
            bandwidth: table.number_column(Role::ReportedBandwidth, "bandwidth"),
            deviation: table.number_column(Role::TimeStd, "standard deviation"),
        };
        Wide {
            table,
            ids,
            planner,
            plan: None,
            width: 0,
            before: 0,
            averages: 0,
            all_from_rates: true,
        }
    }
}

impl RowReader for Wide {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let Some(plan) = &self.plan else {
            let header = Header::new(record);
            self.plan = (self.planner)(&header, &mut self.table);
            match &self.plan {
                Some(p) => {
                    self.width = header.names.len();
                    self.all_from_rates = p.providers.iter().all(|p| p.time.is_none());
                    if self.all_from_rates {
                        self.table.rates_are_not_independent();
                    }
                }
                None => self.before += 1,
            }
            return Ok(());
        };
        // A rule below the header of a printed table.
        if record.raw().iter().all(|b| b"-=+|: \t".contains(b)) {
            return Ok(());
        }
        if record.text(0).eq_ignore_ascii_case("average") {
            self.averages += 1;
            return Ok(());
        }
        let shape = match shape(plan, record) {
            Ok(s) => s,
            // The line names as many points as there are libraries; it is one row set aside.
            Err(bad) => {
                self.table.reject(record.line(), record.raw(), &bad);
                return Ok(());
            }
        };
        let t = &mut self.table;
        for p in &plan.providers {
            let row = point(p, record, shape);
            if let Ok(row) = &row {
                t.set_text(self.ids.library, p.name.as_bytes());
                let scaled = |c: &Option<(Col, f64)>| {
                    c.as_ref()
                        .and_then(|(c, s)| Some(plain(c.cell(record), record)?.0 * s))
                };
                if let Some(v) = scaled(&p.rate) {
                    t.set_number(self.ids.rate, v);
                }
                if let Some(v) = scaled(&p.bandwidth) {
                    t.set_number(self.ids.bandwidth, v);
                }
                if let Some(share) = spread(p, record) {
                    t.set_number(self.ids.deviation, share * row.time_s);
                }
                for &(i, id) in p.rest.iter().chain(&plan.common) {
                    t.set_auto(id, record.get(i), record.number(i));
                }
            }
            t.commit(record, row);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        let t = &mut self.table;
        if self.averages > 0 {
            t.note("The “average” line at the end is no shape.");
        }
        if self.plan.is_none() {
            return Err(ImportError::new("the header was not found"));
        }
        if self.before > 0 {
            t.note(format!(
                "{} lines before the header are no rows.",
                self.before
            ));
        }
        if self.all_from_rates && !t.is_empty() {
            t.note("Times are computed from the file's own rates.");
        }
        Ok(Imported::table(self.table.finish()))
    }

    fn rows(&self) -> u64 {
        self.table.rows_read()
    }
}

fn shape(plan: &Plan, record: &Record<'_>) -> Result<Row, Bad> {
    if let Some(p) = record.problem() {
        return Err(Bad::new(p));
    }
    let size = |c: &Col, what: &str| -> Result<u32, Bad> {
        if plan.abbreviated
            && let Some(v) = abbreviated(c.cell(record))
        {
            return Ok(v);
        }
        c.size(record, what)
    };
    let (m, n, k, mut batch) = match &plan.sizes {
        Sizes::Three(three) => {
            let get = |s: &Size, what: &str| match s {
                Size::Col(c) => size(c, what),
                Size::Fixed(v) => Ok(*v),
            };
            let [m, n, k] = &**three;
            (get(m, "M")?, get(n, "N")?, get(k, "K")?, 1)
        }
        Sizes::Tuple(c) => match shape_text::sizes(&record.text(c.index))[..] {
            [m, n, k] => (m, n, k, 1),
            [b, m, n, k] => (m, n, k, b),
            _ => return Err(c.bad(record, "sizes", super::Flaw::NotSizes)),
        },
    };
    if let Some(c) = &plan.batch {
        batch = size(c, "batch")?;
    }
    let mut op = plan.op;
    let [a, b] = &plan.trans;
    let flag = |c: &Option<Col>, or: bool| -> Result<bool, Bad> {
        let Some(c) = c else { return Ok(or) };
        // CLBlast prints the numbers of cblas.h: 111 is N, 112 is T, 113 is C.
        match c.cell(record) {
            b"111" => Ok(false),
            b"112" | b"113" => Ok(true),
            _ => values::transpose(&record.text(c.index))
                .ok_or_else(|| c.bad(record, "transpose", super::Flaw::NotATranspose)),
        }
    };
    op = op.with_layout(flag(a, op.trans_a)?, flag(b, op.trans_b)?);
    op.beta = match &plan.beta {
        Some(c) => record.number(c.index).is_some_and(|v| v != 0.0),
        None => op.beta,
    };
    let mut row = Row::new(m, n, k, op, f64::NAN);
    row.batch = batch;
    row.device = plan.device;
    Ok(row)
}

/// `4K`, `1M` of 1024s.
fn abbreviated(text: &[u8]) -> Option<u32> {
    let factor: u32 = match text.last()? {
        b'K' | b'k' => 1 << 10,
        b'M' => 1 << 20,
        _ => return None,
    };
    let value = cell::size(&text[..text.len() - 1], false).ok()?;
    value.checked_mul(factor)
}

/// The time of one library's point.
fn point(p: &Provider, record: &Record<'_>, mut row: Row) -> Result<Row, Bad> {
    let positive = |c: &Col, what: &str, scale: f64| -> Result<f64, Bad> {
        let text = c.cell(record);
        let value = match plain(text, record) {
            Some((v, _)) if v > 0.0 && v.is_finite() => return Ok(cell::scaled(v, scale)),
            Some(_) | None => cell::positive(text, record.decimal_comma()),
        };
        match value {
            Ok(v) => Ok(cell::scaled(v, scale)),
            Err(flaw) => Err(c.bad(record, what, flaw)),
        }
    };
    if let Some(t) = p.dtype {
        row.op = Operation {
            beta: row.op.beta,
            ..Operation::uniform(t).with_layout(row.op.trans_a, row.op.trans_b)
        };
    }
    let (work, bytes) =
        row.op
            .cost()
            .of(row.m.into(), row.n.into(), row.k.into(), row.batch.into());
    row.time_s = match (&p.time, &p.rate, &p.bandwidth) {
        (Some((c, s)), ..) => positive(c, "time", *s)?,
        (None, Some((c, s)), _) => work / positive(c, "rate", *s)?,
        (None, None, Some((c, s))) => bytes / positive(c, "bandwidth", *s)?,
        (None, None, None) => return Err(Bad::new("no figure")),
    };
    Ok(row)
}

/// A number, and the share behind it in `0.0063 (±7.07%)`.
fn plain(text: &[u8], record: &Record<'_>) -> Option<(f64, Option<f64>)> {
    if let Some(v) = cell::number(text, record.decimal_comma()) {
        return Some((v, None));
    }
    let open = memchr::memchr(b'(', text)?;
    let value = cell::number(cell::trim(&text[..open]), record.decimal_comma())?;
    let inside = String::from_utf8_lossy(&text[open + 1..]);
    let share = inside
        .trim_start_matches(['±', '+', '-', '/', ' '])
        .split('%')
        .next()
        .and_then(|s| s.trim().parse::<f64>().ok())
        .map(|percent| percent / 100.0);
    Some((value, share))
}

fn spread(p: &Provider, record: &Record<'_>) -> Option<f64> {
    if let Some(c) = &p.variation {
        return record.number(c.index).filter(|v| *v >= 0.0);
    }
    let (c, _) = p.time.as_ref().or(p.rate.as_ref())?;
    plain(c.cell(record), record)?.1
}

/// The header's columns that are in no other use, as long columns under their own names.
pub fn rest(header: &Header, table: &mut TableBuilder, used: &[usize]) -> Vec<(usize, ColumnId)> {
    (0..header.names.len())
        .filter(|i| !used.contains(i) && !header.names[*i].trim().is_empty())
        .map(|i| (i, table.auto_column(&header.names[i])))
        .collect()
}
