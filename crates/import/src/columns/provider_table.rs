//! Tables with a group of columns per library: each line gives one point per library.

use crate::cell::{self, shape_text, values};
use crate::columns::defaults;
use crate::{
    Col, Delimited, Detection, Head, Header, ImportError, ImportOptions, Imported, Reader, Record,
    RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::units::plural;
use gemmscope_model::units::{RateUnit, TimeUnit};
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{ColumnId, Row, TableBuilder};
use gemmscope_table::dataset::{Assumption, ColumnMeaning};

/// Where one size comes from.
#[derive(Clone, Debug)]
pub(crate) enum Size {
    /// A column.
    Col(Col),
    /// Not in the file.
    Fixed(u32),
}

/// Where M, N and K come from.
#[derive(Clone, Debug)]
pub(crate) enum Sizes {
    /// Each from its own place.
    Three(Box<[Size; 3]>),
    /// `(4096, 4096, 4096)` in one cell; four numbers are the batch and three sizes.
    Tuple(Col),
}

/// What gives the time of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unit {
    /// Seconds of one unit in the cell.
    Time(f64),
    /// FLOP/s of one unit in the cell.
    Rate(f64),
    /// Byte/s of one unit in the cell.
    Bandwidth(f64),
}

/// The columns of one library.
#[derive(Clone, Debug, Default)]
pub(crate) struct Provider {
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
    pub dtype: Option<DataType>,
}

impl Provider {
    /// Puts a column where its unit belongs.
    pub(crate) fn set(&mut self, col: Col, unit: Unit) {
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
pub(crate) struct Plan {
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

/// What a column of a [`ProviderFormat`] holds.
pub(crate) enum Figure<'a> {
    /// A figure of this provider in this unit.
    In(&'a str, Unit),
    /// The only figure of this provider, in a unit that the file does not name.
    Asked(&'a str),
    /// A metric of this provider that is kept under its own name.
    Kept(&'a str, &'a str),
}

/// A table format with columns per provider, as data.
pub(crate) struct ProviderFormat {
    /// As [`Format::detect`](crate::Format::detect).
    pub detect: fn(&Head) -> Option<Detection>,
    /// The first column holds `(M, N, K)`; else M, N and K have a column each.
    pub tuple: bool,
    /// The file names no unit: the user is asked.
    pub asks_unit: bool,
    /// Provider and figure by a column's title; `None`: a column for the whole line.
    pub figure: fn(&str) -> Option<Figure<'_>>,
    /// Type of the operands if neither the file, its name nor the user names one.
    pub dtype: fn(&Head) -> DataType,
    /// Type of the output; `None`: the usual one of the operands.
    pub output: Option<DataType>,
    /// The provider's name may tell its type.
    pub typed_names: bool,
    /// Transposes of A and B where no column holds them.
    pub transposed: [bool; 2],
    /// Sizes may be written `4K`, `1M`.
    pub abbreviated: bool,
}

impl ProviderFormat {
    /// Defaults for the fields that a format may omit.
    pub(crate) const DEFAULT: ProviderFormat = ProviderFormat {
        detect: |_| None,
        tuple: false,
        asks_unit: false,
        figure: |_| None,
        dtype: |_| DataType::Fp16,
        output: None,
        typed_names: false,
        transposed: [false, false],
        abbreviated: false,
    };

    /// A reader of a file with this head.
    pub(crate) fn open(&'static self, head: &Head, options: &ImportOptions) -> Box<dyn Reader> {
        let mut table = TableBuilder::new();
        let (dtype, why) = defaults::guess_dtype(head, options, (self.dtype)(head));
        if !self.typed_names {
            table.assume_dtype(dtype, why);
        }
        let device = defaults::device(&mut table, head, options);
        let chosen = options.dtype("dtype");
        let asked = self.asks_unit.then(|| asked_unit(&mut table, options));
        let planner: Planner = Box::new(move |header, table| {
            let mut plan = self.plan(header, table, dtype, asked)?;
            plan.device = device;
            if self.typed_names {
                for p in &mut plan.providers {
                    p.dtype = chosen.or_else(|| type_in_name(&p.name));
                }
                if plan.providers.iter().any(|p| p.dtype.is_none()) || chosen.is_some() {
                    table.assume_dtype(dtype, why);
                }
            }
            Some(plan)
        });
        ProviderRows::open(planner, table)
    }

    fn plan(
        &self,
        header: &Header,
        table: &mut TableBuilder,
        dtype: DataType,
        asked: Option<Unit>,
    ) -> Option<Plan> {
        let col = |index: usize| Col { index, name: header.names[index].trim().to_owned() };
        if header.names.is_empty() {
            return None;
        }
        let (sizes, mut used) = if self.tuple {
            (Sizes::Tuple(col(0)), vec![0])
        } else {
            let three = ["m", "n", "k"].map(|n| header.position(n));
            let [m, n, k] = [three[0]?, three[1]?, three[2]?];
            let sizes = [m, n, k].map(|i| Size::Col(col(i)));
            (Sizes::Three(Box::new(sizes)), vec![m, n, k])
        };
        let trans = [header.find(&["transA"]), header.find(&["transB"])];
        let beta = header.find(&["beta"]);
        used.extend(trans.iter().flatten().chain(&beta).map(|c| c.index));
        let mut providers: Vec<Provider> = Vec::new();
        let mut kept: Vec<(&str, ColumnId)> = Vec::new();
        for (i, title) in header.names.iter().enumerate() {
            let title = title.trim();
            if title.is_empty() || used.contains(&i) {
                continue;
            }
            let Some(figure) = (self.figure)(title) else {
                continue;
            };
            used.push(i);
            let (Figure::In(name, _) | Figure::Asked(name) | Figure::Kept(name, _)) = figure;
            let at = providers.iter().position(|p| p.name == name);
            let at = at.unwrap_or_else(|| {
                providers.push(Provider { name: name.to_owned(), ..Provider::default() });
                providers.len() - 1
            });
            match figure {
                Figure::In(_, unit) => providers[at].set(col(i), unit),
                Figure::Asked(_) => providers[at].set(col(i), asked.unwrap_or(Unit::Time(1e-6))),
                // One long column a metric, whichever provider it is of.
                Figure::Kept(_, metric) => {
                    let known = kept.iter().find(|(m, _)| *m == metric);
                    let id = known.map_or_else(|| table.auto_column(metric), |(_, id)| *id);
                    kept.push((metric, id));
                    providers[at].rest.push((i, id));
                }
            }
        }
        providers.retain(|p| p.time.is_some() || p.rate.is_some() || p.bandwidth.is_some());
        if providers.is_empty() {
            return None;
        }
        let mut op = Operation::uniform(dtype);
        op.c = self.output.unwrap_or(op.c);
        let [trans_a, trans_b] = self.transposed;
        Some(Plan {
            sizes,
            batch: header.find(&[
                "batch_num",
                "batchcount",
                "B",
                "groups",
                "num_groups",
                "batch",
                "batch_size",
            ]),
            trans,
            beta,
            op: op.with_layout(trans_a, trans_b),
            device: 0,
            providers,
            common: rest(header, table, &used),
            abbreviated: self.abbreviated,
        })
    }
}

/// The unit of figures that a printed table does not name: the user's answer, else µs.
fn asked_unit(table: &mut TableBuilder, options: &ImportOptions) -> Unit {
    let answer = options.answer("unit:value");
    table.assume(Assumption {
        by_hand: false,
        key: "unit:value".into(),
        text: "No unit in the table; these benchmarks print times in µs.".into(),
        value: answer.unwrap_or("µs").to_owned(),
        choices: ["µs", "ms", "TFLOP/s"].map(str::to_owned).to_vec(),
    });
    let time = answer.and_then(TimeUnit::parse).map(|u| Unit::Time(u.to_si()));
    let rate = answer.and_then(RateUnit::parse).map(|u| Unit::Rate(u.to_si()));
    time.or(rate).unwrap_or(Unit::Time(1e-6))
}

/// `fp8` of `fp8_rowwise`.
fn type_in_name(name: &str) -> Option<DataType> {
    name.split(['_', '-', '.'])
        .filter(|w| w.bytes().any(|b| b.is_ascii_digit()))
        .find_map(DataType::parse)
}

/// Makes the plan once the header is seen; `None`: this record is not the header.
pub(crate) type Planner = Box<dyn FnMut(&Header, &mut TableBuilder) -> Option<Plan>>;

/// Reads records by a [`Plan`].
pub(crate) struct ProviderRows {
    ids: Ids,
    planner: Planner,
    plan: Option<Plan>,
    width: usize,
    before: u64,
    averages: u64,
    all_from_rates: bool,
}

impl std::fmt::Debug for ProviderRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderRows").field("plan", &self.plan).finish()
    }
}

impl ProviderRows {
    /// A reader whose header is read by `planner`.
    pub(crate) fn open(planner: Planner, mut table: TableBuilder) -> Box<dyn Reader> {
        let ids = Ids {
            library: table.text_column(ColumnMeaning::Library, "provider"),
            rate: table.number_column(ColumnMeaning::ReportedRate, "rate"),
            bandwidth: table.number_column(ColumnMeaning::ReportedBandwidth, "bandwidth"),
            deviation: table.number_column(ColumnMeaning::TimeStd, "standard deviation"),
        };
        let rows = ProviderRows {
            ids,
            planner,
            plan: None,
            width: 0,
            before: 0,
            averages: 0,
            all_from_rates: true,
        };
        Delimited::open(rows, table)
    }
}

impl RowReader for ProviderRows {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(plan) = &self.plan else {
            let header = Header::new(record);
            self.plan = (self.planner)(&header, table);
            match &self.plan {
                Some(p) => {
                    self.width = header.names.len();
                    self.all_from_rates = p.providers.iter().all(|p| p.time.is_none());
                    if self.all_from_rates {
                        table.rates_are_not_independent();
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
                table.reject(record.line(), record.raw(), &bad);
                return Ok(());
            }
        };
        let t = table;
        for p in &plan.providers {
            let row = point(p, record, shape);
            if let Ok(row) = &row {
                t.set_text(self.ids.library, p.name.as_bytes());
                let figure = |c: &Option<(Col, f64)>| {
                    let (c, scale) = c.as_ref()?;
                    Some(cell::figure(plain(c.cell(record))?.0, *scale))
                };
                if let Some(v) = figure(&p.rate) {
                    t.set_number(self.ids.rate, v);
                }
                if let Some(v) = figure(&p.bandwidth) {
                    t.set_number(self.ids.bandwidth, v);
                }
                if let Some(share) = spread(p, record) {
                    t.set_number(self.ids.deviation, share * row.time_s);
                }
                for &(i, id) in p.rest.iter().chain(&plan.common) {
                    t.set_auto(id, record.get(i), record.number(i));
                }
            }
            t.commit(record.line(), record.raw(), row);
        }
        Ok(())
    }

    fn end(self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        let t = &mut table;
        if self.averages > 0 {
            t.note("The “average” line at the end is left out.");
        }
        if self.plan.is_none() {
            return Err(ImportError::new("the header was not found"));
        }
        if self.before > 0 {
            t.note(format!("Skipped {} before the header.", plural(self.before, "line")));
        }
        if self.all_from_rates && !t.is_empty() {
            t.note("Times computed from the file's rates.");
        }
        Ok(Imported::table(table.finish()))
    }
}

fn shape(plan: &Plan, record: &Record<'_>) -> Result<Row, RowError> {
    if let Some(p) = record.problem() {
        return Err(RowError::new(p));
    }
    let size = |c: &Col, what: &str| -> Result<u32, RowError> {
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
            _ => return Err(c.bad(record, "sizes", crate::CellError::NotSizes)),
        },
    };
    if let Some(c) = &plan.batch {
        batch = size(c, "batch")?;
    }
    let mut op = plan.op;
    let [a, b] = &plan.trans;
    let flag = |c: &Option<Col>, or: bool| -> Result<bool, RowError> {
        let Some(c) = c else { return Ok(or) };
        // CLBlast prints the numbers of cblas.h: 111 is N, 112 is T, 113 is C.
        match c.cell(record) {
            b"111" => Ok(false),
            b"112" | b"113" => Ok(true),
            _ => values::transpose(&record.text(c.index))
                .ok_or_else(|| c.bad(record, "transpose", crate::CellError::NotATranspose)),
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
    let value = cell::size(&text[..text.len() - 1]).ok()?;
    value.checked_mul(factor)
}

/// The time of one library's point.
fn point(p: &Provider, record: &Record<'_>, mut row: Row) -> Result<Row, RowError> {
    let positive = |c: &Col, what: &str, scale: f64| -> Result<f64, RowError> {
        let text = c.cell(record);
        let value = match plain(text) {
            Some((v, _)) if v > 0.0 && v.is_finite() => return Ok(cell::scaled(v, scale)),
            Some(_) | None => cell::positive(text),
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
        row.op.cost().of(row.m.into(), row.n.into(), row.k.into(), row.batch.into());
    row.time_s = match (&p.time, &p.rate, &p.bandwidth) {
        (Some((c, s)), ..) => positive(c, "time", *s)?,
        (None, Some((c, s)), _) => work / positive(c, "rate", *s)?,
        (None, None, Some((c, s))) => bytes / positive(c, "bandwidth", *s)?,
        (None, None, None) => return Err(RowError::new("no value")),
    };
    Ok(row)
}

/// A number, and the share behind it in `0.0063 (±7.07%)`.
fn plain(text: &[u8]) -> Option<(f64, Option<f64>)> {
    if let Some(v) = cell::number(text) {
        return Some((v, None));
    }
    let open = memchr::memchr(b'(', text)?;
    let value = cell::number(cell::trim(&text[..open]))?;
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
    plain(c.cell(record))?.1
}

/// The header's columns that are in no other use, as long columns under their own names.
pub(crate) fn rest(
    header: &Header,
    table: &mut TableBuilder,
    used: &[usize],
) -> Vec<(usize, ColumnId)> {
    (0..header.names.len())
        .filter(|i| !used.contains(i) && !header.names[*i].trim().is_empty())
        .map(|i| (i, table.auto_column(&header.names[i])))
        .collect()
}
