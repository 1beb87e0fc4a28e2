//! Any delimited file with M, N, K and a time or a rate: columns by their names, units from the
//! header or the values, every other column kept.

use super::cell::{Bad, Col, Flaw, is_missing, scaled};
use super::mapping::{self, Sampled};
use super::memo::Memo;
use super::target::Target;
use super::values::{self, Types};
use super::{
    ColumnId, Delimited, Detection, ErrorKind, Format, Head, ImportError, ImportOptions, Imported,
    Reader, Record, Row, RowReader, TableBuilder, alias, unsaid,
};
use crate::dataset::{Assumption, Role};
use crate::dtype::DataType;
use crate::gemm::Operation;
use crate::units::{BandwidthUnit, FlopsPerSec, RateUnit, TimeUnit};

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
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
        let names: Vec<String> = [Target::M, Target::N, Target::K, Target::Mnk, Target::Square]
            .iter()
            .chain(&[Target::Time(None), Target::Rate(None)])
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
    Ok(Box::new(Delimited::new(
        dialect,
        Generic::new(sampled, head, options),
    )))
}

/// Where M, N and K come from.
#[derive(Debug)]
enum Sizes {
    Three(Col, Col, Col),
    One(Col),
    Square(Col),
}

#[derive(Debug)]
enum Extra {
    Text(usize, ColumnId),
    Number(usize, ColumnId, f64),
    Auto(usize, ColumnId),
    Tile(usize, [ColumnId; 3]),
}

#[derive(Debug)]
struct Plan {
    header_line: u32,
    width: usize,
    sizes: Sizes,
    batch: Option<Col>,
    time: Option<(Col, f64)>,
    rate: Option<(Col, f64)>,
    dtype: Option<Col>,
    dtype_a: Option<Col>,
    dtype_b: Option<Col>,
    dtype_c: Option<Col>,
    compute: Option<Col>,
    trans: [Option<Col>; 2],
    layout: Option<Col>,
    bias: Option<Col>,
    beta: Option<Col>,
    device: Option<Col>,
    units: Option<Col>,
    status: Option<Col>,
    /// The rows are a tuning history: they have an order and a status. Its failures are kept.
    history: bool,
    extras: Vec<Extra>,
    default_dtype: DataType,
    default_device: u16,
}

#[derive(Debug, Default)]
struct Memos {
    types: Memo<Option<Types>>,
    transposes: Memo<Option<bool>>,
    layouts: Memo<Option<(bool, bool)>>,
    devices: Memo<u16>,
}

#[derive(Debug)]
struct Generic {
    table: TableBuilder,
    plan: Plan,
    memos: Memos,
    /// The header as it stands, to know it again.
    header: Vec<u8>,
    repeated: u64,
    comments: u64,
    /// Rows with more cells than the header, and the first of them.
    longer: (u64, u32),
    /// Failed variants of a tuning history, kept without a time.
    failed: u64,
}

impl Generic {
    fn new(sampled: Sampled, head: &Head, options: &ImportOptions) -> Self {
        let mut table = TableBuilder::new();
        let plan = plan(&mut table, &sampled, head, options);
        if sampled.mapping.is_shapes_only() {
            table.note(
                "Shapes only: the file has no times, so it shows what the roof allows and no \
                 measured points.",
            );
        }
        if sampled.mapping.header_line == 0 {
            table.note("The file has no header.");
        }
        let count = sampled.preamble.len();
        if count > 0 {
            table.note(format!(
                "Before the header: {count} line(s) that are no rows."
            ));
        }
        Generic {
            table,
            plan,
            memos: Memos::default(),
            header: Vec::new(),
            repeated: 0,
            comments: 0,
            longer: (0, 0),
            failed: 0,
        }
    }
}

fn plan(table: &mut TableBuilder, sampled: &Sampled, head: &Head, options: &ImportOptions) -> Plan {
    let m = &sampled.mapping;
    let col = |t: Target| {
        m.position(t).map(|index| Col {
            index,
            name: m.columns[index].header.clone(),
        })
    };
    let time = col(Target::Time(None)).map(|c| {
        let unit = time_unit(table, sampled, options, &c);
        (c, unit)
    });
    let time_place = time.as_ref().map(|(c, u)| (c.index, *u));
    let rate = col(Target::Rate(None)).map(|c| {
        let unit = rate_unit(table, sampled, options, &c, time_place);
        (c, unit.to_si())
    });
    let sizes = match (col(Target::M), col(Target::N), col(Target::K)) {
        (Some(m), Some(n), Some(k)) => Sizes::Three(m, n, k),
        _ => match (col(Target::Mnk), col(Target::Square)) {
            (Some(c), _) => Sizes::One(c),
            (None, square) => {
                let c = square.unwrap_or(Col {
                    index: 0,
                    name: String::new(),
                });
                table.assume(Assumption {
                    key: "square".into(),
                    text: format!("“{}” is the only size: M = N = K.", c.name),
                    value: "square".into(),
                    choices: Vec::new(),
                });
                Sizes::Square(c)
            }
        },
    };
    let dtype = col(Target::Dtype);
    let dtype_a = col(Target::DtypeA);
    let default_dtype = default_dtype(table, head, options, dtype.is_none() && dtype_a.is_none());
    let device = col(Target::Device);
    let default_device = if device.is_some() {
        0
    } else {
        default_device(table, sampled, head, options)
    };
    let mut plan = Plan {
        header_line: m.header_line,
        width: m.columns.len(),
        sizes,
        batch: col(Target::Batch),
        rate: rate.clone(),
        time: time.map(|(c, u)| (c, u.to_si())),
        dtype,
        dtype_a,
        dtype_b: col(Target::DtypeB),
        dtype_c: col(Target::DtypeC),
        compute: col(Target::Compute),
        trans: [col(Target::TransA), col(Target::TransB)],
        layout: col(Target::Layout),
        bias: col(Target::Bias),
        beta: col(Target::Beta),
        units: device.as_ref().and(col(Target::DeviceUnits)),
        device,
        status: col(Target::Role(Role::Status)),
        history: m.position(Target::Role(Role::Order)).is_some()
            && m.position(Target::Role(Role::Status)).is_some(),
        extras: Vec::new(),
        default_dtype,
        default_device,
    };
    if plan.time.is_none()
        && let Some((c, _)) = &plan.rate
    {
        table.rates_are_not_independent();
        table.note(format!(
            "Times are computed from the rates in “{}”, with 2MNK operations a call.",
            c.name
        ));
    }
    for (i, c) in m.columns.iter().enumerate() {
        if let Some(extra) = extra(table, sampled, i, c.guess, &plan, time_place) {
            plan.extras.push(extra);
        }
    }
    plan
}

/// What a column beyond the canonical ones becomes.
fn extra(
    table: &mut TableBuilder,
    sampled: &Sampled,
    i: usize,
    guess: Target,
    plan: &Plan,
    time: Option<(usize, TimeUnit)>,
) -> Option<Extra> {
    let m = &sampled.mapping;
    let name = m.columns[i].header.as_str();
    let number = |table: &mut TableBuilder, role: Role, scale: f64| {
        Some(Extra::Number(i, table.number_column(role, name), scale))
    };
    let scale_like_time = |unit: Option<TimeUnit>| {
        unit.or(time.map(|t| t.1))
            .unwrap_or(TimeUnit::Microseconds)
            .to_si()
    };
    match guess {
        Target::Extra => {
            // A printed table's index says nothing.
            if sampled.shifted && i == 0 {
                return None;
            }
            Some(Extra::Auto(i, table.auto_column(name)))
        }
        // The type is in the operation already; what else stands there is kept.
        Target::Compute => Some(Extra::Text(i, table.auto_column(name))),
        Target::DeviceUnits => Some(Extra::Auto(i, table.auto_column(name))),
        Target::Rate(_) => match (&plan.time, &plan.rate) {
            (Some(_), Some((_, scale))) => number(table, Role::ReportedRate, *scale),
            _ => None,
        },
        Target::Bandwidth(unit) => {
            let unit = unit.unwrap_or_else(|| {
                let u = values::infer_bandwidth(m, &sampled.rows, i, time);
                table.assume(Assumption {
                    key: format!("unit:{name}"),
                    text: format!("“{name}” does not say its unit: taken as {}.", u.label()),
                    value: u.label().into(),
                    choices: BandwidthUnit::ALL.map(|u| u.label().to_owned()).to_vec(),
                });
                u
            });
            number(table, Role::ReportedBandwidth, unit.to_si())
        }
        Target::Work(unit) => number(
            table,
            Role::ReportedWork,
            unit.unwrap_or(RateUnit::Flops).to_si(),
        ),
        Target::TimeStd(u) => number(table, Role::TimeStd, scale_like_time(u)),
        Target::TimeMin(u) => number(table, Role::TimeMin, scale_like_time(u)),
        Target::TimeMax(u) => number(table, Role::TimeMax, scale_like_time(u)),
        Target::Tile => Some(Extra::Tile(
            i,
            [
                table.number_column(Role::TileM, &format!("{name} M")),
                table.number_column(Role::TileN, &format!("{name} N")),
                table.number_column(Role::TileK, &format!("{name} K")),
            ],
        )),
        Target::Role(role) if role.is_text() => Some(Extra::Text(i, table.text_column(role, name))),
        Target::Role(Role::ReportedEfficiency) => {
            let most = m.columns[i]
                .samples
                .iter()
                .filter_map(|s| s.trim_end_matches('%').trim().parse::<f64>().ok())
                .fold(0.0, f64::max);
            let percent = name.contains('%') || most > 1.5;
            number(
                table,
                Role::ReportedEfficiency,
                if percent { 0.01 } else { 1.0 },
            )
        }
        Target::Role(Role::MeasuredClock) => {
            number(table, Role::MeasuredClock, alias::clock_scale(name))
        }
        Target::Role(role) => number(table, role, 1.0),
        _ => None,
    }
}

fn time_unit(
    table: &mut TableBuilder,
    sampled: &Sampled,
    options: &ImportOptions,
    c: &Col,
) -> TimeUnit {
    let m = &sampled.mapping;
    if let Some(unit) = mapping::time_unit(m.columns[c.index].guess) {
        return unit;
    }
    let key = format!("unit:{}", c.name);
    let choices = TimeUnit::ALL.map(|u| u.label().to_owned()).to_vec();
    let found = values::infer_time(m, &sampled.rows, c.index);
    let answered = options.answer(&key).and_then(TimeUnit::parse);
    let unit = answered.unwrap_or(found.unit);
    let text = if answered.is_some() {
        format!(
            "“{}” does not say its unit: {} as chosen.",
            c.name,
            unit.label()
        )
    } else if found.confirmed {
        format!(
            "“{}” does not say its unit: {}, which agrees with the rates in the file.",
            c.name,
            unit.label()
        )
    } else {
        format!(
            "“{}” does not say its unit: taken as {}, the shortest that a device can reach \
             (up to {} in the first rows).",
            c.name,
            unit.label(),
            FlopsPerSec(found.highest)
        )
    };
    table.assume(Assumption {
        key,
        text,
        value: unit.label().into(),
        choices,
    });
    unit
}

fn rate_unit(
    table: &mut TableBuilder,
    sampled: &Sampled,
    options: &ImportOptions,
    c: &Col,
    time: Option<(usize, TimeUnit)>,
) -> RateUnit {
    let m = &sampled.mapping;
    if let Some(unit) = mapping::rate_unit(m.columns[c.index].guess) {
        return unit;
    }
    let key = format!("unit:{}", c.name);
    let found = values::infer_rate(m, &sampled.rows, c.index, time);
    let answered = options.answer(&key).and_then(RateUnit::parse);
    let unit = answered.unwrap_or(found.unit);
    let why = if answered.is_some() {
        "as chosen".to_owned()
    } else if found.confirmed {
        "which agrees with the times in the file".to_owned()
    } else {
        format!(
            "the highest that a device can reach (up to {} in the first rows)",
            FlopsPerSec(found.highest)
        )
    };
    table.assume(Assumption {
        key,
        text: format!(
            "“{}” does not say its unit: {}, {why}.",
            c.name,
            unit.label()
        ),
        value: unit.label().into(),
        choices: RateUnit::ALL.map(|u| u.label().to_owned()).to_vec(),
    });
    unit
}

/// Data type where no column says one: the user's word, the file name, fp16.
fn default_dtype(
    table: &mut TableBuilder,
    head: &Head,
    options: &ImportOptions,
    needed: bool,
) -> DataType {
    let (dtype, why) = unsaid::guess_dtype(head, options, DataType::Fp16);
    if needed {
        table.assume_dtype(dtype, why);
    }
    dtype
}

/// Device where no column says one: the user's word, the lines before the header, the file name.
fn default_device(
    table: &mut TableBuilder,
    sampled: &Sampled,
    head: &Head,
    options: &ImportOptions,
) -> u16 {
    if let Some(answer) = options.answer("device") {
        table.assume_device(answer, "The file does not name its device: chosen by hand.");
        return table.device(answer);
    }
    for line in &sampled.preamble {
        let line = line.trim_start_matches(['#', '/', ' ']);
        if let Some((key, value)) = line.split_once([':', '='])
            && alias::guess(key).target == Target::Device
            && !value.trim().is_empty()
        {
            table.note(format!(
                "Device from a line before the header: {}.",
                value.trim()
            ));
            return table.device(value);
        }
    }
    if let Some(name) = unsaid::named_device(&head.name) {
        table.assume_device(
            &name,
            &format!("The file does not name its device, its name does: {name}."),
        );
        return table.device(&name);
    }
    0
}

impl RowReader for Generic {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
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
        let row = row(&self.plan, &mut self.memos, &mut self.table, record);
        if let Ok(row) = &row {
            self.failed += u64::from(self.plan.history && row.time_s.is_nan());
            stage(&self.plan.extras, &mut self.table, record);
        }
        self.table.commit(record, row);
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        let t = &mut self.table;
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
        for sentence in self.memos.types.values().iter().flatten() {
            if let Some(assumed) = sentence.assumed {
                t.note(format!("{assumed}."));
            }
        }
        Ok(Imported::table(self.table.finish()))
    }

    fn rows(&self) -> u64 {
        self.table.rows_read()
    }
}

fn stage(extras: &[Extra], table: &mut TableBuilder, record: &Record<'_>) {
    for e in extras {
        match e {
            Extra::Text(i, id) => table.set_text(*id, record.get(*i)),
            Extra::Number(i, id, scale) => {
                let v = record.number(*i).or_else(|| percent(record.get(*i)));
                table.set_number(*id, v.map_or(f64::NAN, |v| scaled(v, *scale)));
            }
            Extra::Auto(i, id) => table.set_auto(*id, record.get(*i), record.number(*i)),
            Extra::Tile(i, ids) => {
                let sizes = values::sizes(&record.text(*i));
                for (id, v) in ids.iter().zip(sizes) {
                    table.set_number(*id, f64::from(v));
                }
            }
        }
    }
}

pub(super) fn times(n: u64) -> String {
    match n {
        1 => "once".into(),
        n => format!("{n} times"),
    }
}

fn percent(cell: &[u8]) -> Option<f64> {
    super::cell::number(super::cell::trim(cell.strip_suffix(b"%")?), false)
}

#[inline]
fn row(
    plan: &Plan,
    memos: &mut Memos,
    table: &mut TableBuilder,
    record: &Record<'_>,
) -> Result<Row, Bad> {
    if let Some(problem) = record.problem() {
        return Err(Bad::new(problem));
    }
    let (m, n, k, batch) = sizes(plan, record)?;
    let verdict = plan.status.as_ref().map_or(Ok(()), |c| c.verdict(record));
    // A failed variant is part of a tuning history: a row without a time, with its status. It is
    // no point of any other picture.
    let failed = plan.history && verdict.is_err();
    if !failed {
        verdict?;
    }
    let has = |c: &Option<(Col, f64)>| c.as_ref().is_some_and(|(c, _)| !is_missing(c.cell(record)));
    // A row may state only one of the two.
    let by_rate = plan.time.is_none() || (!has(&plan.time) && has(&plan.rate));
    let mut time_s = f64::NAN;
    if let Some((c, scale)) = &plan.time
        && !by_rate
        && !failed
    {
        time_s = c.positive(record, "time", *scale)?;
    }
    let op = operation(plan, memos, record)?;
    let mut row = Row {
        m,
        n,
        k,
        batch,
        op,
        device: plan.default_device,
        time_s,
    };
    if let Some(c) = &plan.device {
        row.device = device(plan, memos, table, record, c);
    }
    if by_rate
        && !failed
        && let Some((c, scale)) = &plan.rate
    {
        let rate = c.positive(record, "rate", *scale)?;
        let problem = crate::gemm::Problem { m, n, k, batch, op };
        row.time_s = problem.work().0 / rate;
    }
    Ok(row)
}

#[inline]
fn sizes(plan: &Plan, record: &Record<'_>) -> Result<(u32, u32, u32, u32), Bad> {
    let batch = match &plan.batch {
        Some(c) if !is_missing(c.cell(record)) => c.size(record, "batch")?,
        _ => 1,
    };
    match &plan.sizes {
        Sizes::Three(m, n, k) => Ok((
            m.size(record, "M")?,
            n.size(record, "N")?,
            k.size(record, "K")?,
            batch,
        )),
        Sizes::Square(c) => {
            let s = c.size(record, "size")?;
            Ok((s, s, s, batch))
        }
        Sizes::One(c) => {
            let v = values::sizes(&record.text(c.index));
            let order = values::size_order(&c.name, v.len());
            let get = |p: Option<usize>| p.and_then(|p| v.get(p)).copied();
            match (get(order[0]), get(order[1]), get(order[2])) {
                (Some(m), Some(n), Some(k)) => Ok((m, n, k, get(order[3]).unwrap_or(batch))),
                _ => Err(c.bad(record, "sizes", Flaw::NotSizes)),
            }
        }
    }
}

#[inline]
fn operation(plan: &Plan, memos: &mut Memos, record: &Record<'_>) -> Result<Operation, Bad> {
    let mut transposed = [false, false];
    let mut read = |c: &Col, what: &str| -> Result<Types, Bad> {
        let cell = c.cell(record);
        match memos.types.get(cell, values::types) {
            Some(t) => Ok(*t),
            None if cell.is_empty() => Err(c.bad(record, what, Flaw::Missing)),
            None => Err(c.bad(record, what, Flaw::UnknownType)),
        }
    };
    let mut op = match (&plan.dtype, &plan.dtype_a) {
        (None, None) => Operation::uniform(plan.default_dtype),
        (both, a) => {
            let both = both.as_ref().map(|c| read(c, "data type")).transpose()?;
            let a = a.as_ref().map(|c| read(c, "data type of A")).transpose()?;
            let b = match &plan.dtype_b {
                Some(c) => Some(read(c, "data type of B")?),
                None => None,
            };
            transposed[0] = a.and_then(|t| t.transposed).unwrap_or(false);
            transposed[1] = b.and_then(|t| t.transposed).unwrap_or(false);
            // One of the two is there.
            let type_a = a.or(both).map_or(plan.default_dtype, |t| t.a);
            let type_b = b.map(|t| t.b).or(both.map(|t| t.b)).unwrap_or(type_a);
            let mut op = Operation::uniform(type_a);
            if type_b != type_a {
                op = Operation::mixed(type_a, type_b, op.c);
                op.c = op.compute.default_output();
            }
            if let Some(c) = both.and_then(|t| t.c) {
                op.c = c;
            }
            op
        }
    };
    if let Some(c) = &plan.dtype_c {
        op.c = read(c, "data type of the output")?.a;
    }
    if let Some(c) = &plan.compute
        && op.a == DataType::Fp32
        && let Ok(t) = read(c, "compute type")
        && t.a == DataType::Tf32
    {
        op.compute = DataType::Tf32;
    }
    for (flag, c) in transposed.iter_mut().zip(&plan.trans) {
        if let Some(c) = c {
            let cell = c.cell(record);
            match memos.transposes.get(cell, values::transpose) {
                Some(t) => *flag = *t,
                None if cell.is_empty() => {}
                None => return Err(c.bad(record, "transpose", Flaw::NotATranspose)),
            }
        }
    }
    if let Some(c) = &plan.layout {
        let cell = c.cell(record);
        match memos.layouts.get(cell, values::layout) {
            Some((a, b)) => transposed = [*a, *b],
            None if cell.is_empty() => {}
            None => return Err(c.bad(record, "layout", Flaw::NotATranspose)),
        }
    }
    if let Some(c) = &plan.bias {
        let cell = c.cell(record);
        op.bias = [&b"true"[..], b"1", b"yes"]
            .iter()
            .any(|w| cell.eq_ignore_ascii_case(w));
    }
    if let Some(c) = &plan.beta {
        op.beta = record.number(c.index).is_some_and(|b| b != 0.0);
    }
    Ok(op.with_layout(transposed[0], transposed[1]))
}

fn device(
    plan: &Plan,
    memos: &mut Memos,
    table: &mut TableBuilder,
    record: &Record<'_>,
    c: &Col,
) -> u16 {
    let cell = c.cell(record);
    if is_missing(cell) {
        return 0;
    }
    match &plan.units {
        None => *memos.devices.get(cell, |name| table.device(name)),
        Some(units) => {
            let count = record.text(units.index);
            let name = record.text(c.index);
            table.device_target(&name, &count)
        }
    }
}

#[cfg(test)]
mod tests;
