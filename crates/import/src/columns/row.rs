//! Reads one record of a table by its [`Plan`]: sizes, types, time, device, the other columns.

use crate::Record;
use crate::cell;
use crate::cell::NO_SIZES;
use crate::cell::value_cache::ValueCache;
use crate::cell::values;
use crate::cell::values::Types;
use crate::cell::{CellError, Quantity, figure};
use crate::cell::{operands, shape_text};
use crate::columns::defaults;
use crate::columns::header::Col;
use crate::columns::plan::{Extra, Figures, Plan, Size, Sizes};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{self, Operation, Problem};
use gemmscope_table::build::cell_text::{RowError, is_missing};
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::*;

/// Values that a format's hook already determined; the columns give the rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    /// M, N and K.
    pub sizes: Option<[u32; 3]>,
    pub batch: Option<u32>,
    /// Type of A and B.
    pub dtype: Option<DataType>,
    /// Transposes of A and B.
    pub transposed: Option<[bool; 2]>,
    pub device: Option<u16>,
    /// Time in seconds or rate in FLOP/s, per call.
    pub time_s: Option<f64>,
    pub rate: Option<f64>,
    /// fp32 operands are multiplied as tf32.
    pub tf32: bool,
}

/// Caches for cells with few distinct texts.
#[derive(Debug, Default)]
pub(crate) struct ValueCaches {
    pub types: ValueCache<Option<Types>>,
    pub transposes: ValueCache<Option<bool>>,
    pub layouts: ValueCache<Option<(bool, bool)>>,
    pub devices: ValueCache<u16>,
    pub named_types: ValueCache<Option<DataType>>,
    /// Whether a word means that the run succeeded.
    pub verdicts: ValueCache<bool>,
    /// The last cells of device and number of units, and the code of that device.
    last_device: (Vec<u8>, Vec<u8>, u16),
}

impl ValueCaches {
    /// Adds a note for each type name with an ambiguous spelling. Called last and in alphabetical order, so that
    /// parallel readers of one file can merge their notes.
    pub(crate) fn note_assumed_types(&self, table: &mut TableBuilder) {
        let types = self.types.values().iter().flatten();
        let mut assumed: Vec<_> = types.filter_map(|t| t.assumed).collect();
        assumed.sort_by_key(|a| *a);
        for assumed in assumed {
            table.note(format!("{assumed}."));
        }
    }
}

/// Value of a cell that states its unit, in SI units; NaN for any other cell.
#[cold]
pub(super) fn own_unit(cell: &[u8]) -> f64 {
    cell::quantity(cell).map_or(f64::NAN, |(v, _)| v)
}

/// A cell such as `85%`, in percent.
pub(crate) fn percent(cell: &[u8]) -> Option<f64> {
    cell::number(cell::trim(cell.strip_suffix(b"%")?))
}

/// M, N, K and batch of a line, and whether the row is a kept failure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    sizes: [u32; 4],
    /// A tuning history keeps a failed variant as a row without a time, along with its status, see [`failed_time`].
    failed: bool,
}

/// Reads what all sides of a line share: sizes and verdicts.
#[inline]
pub(crate) fn shape(
    plan: &Plan,
    given: &Given,
    caches: &mut ValueCaches,
    record: &Record<'_>,
) -> Result<Shape, RowError> {
    if let Some(problem) = record.problem() {
        return Err(RowError::new(problem));
    }
    let sizes = sizes(plan, given, record)?;
    let verdict = plan.verdicts.iter().try_for_each(|c| {
        let passed = |text: &str| cell::verdict(text.as_bytes());
        match caches.verdicts.get(c.cell(record), passed) {
            true => Ok(()),
            false => Err(c.bad(record, "row", CellError::Failed)),
        }
    });
    match verdict {
        Err(_) if plan.history => Ok(Shape { sizes, failed: true }),
        verdict => verdict.map(|()| Shape { sizes, failed: false }),
    }
}

/// The row of a shape, with the figures of the line or of one of its sides.
#[inline]
pub(crate) fn row(
    plan: &Plan,
    figures: &Figures,
    given: &Given,
    shape: Shape,
    caches: &mut ValueCaches,
    table: &mut TableBuilder,
    record: &Record<'_>,
) -> Result<Row, RowError> {
    let Shape { sizes: [m, n, k, batch], failed } = shape;
    // The first figure that this row has.
    let source = figures.all().find(|(_, c, _)| !is_missing(c.cell(record)));
    let source = source.or_else(|| figures.all().next());
    let source = source.filter(|_| given.time_s.is_none() && given.rate.is_none() && !failed);
    let mut time_s = given.time_s.filter(|_| !failed).unwrap_or(f64::NAN);
    if let Some((Quantity::Time, c, scale)) = source {
        time_s = c.positive(record, Quantity::Time.word(), scale)?;
        if let Some(calls) = &plan.calls {
            time_s /= calls.positive(record, "number of calls", 1.0)?;
        }
    }
    let mut op = operation(plan, given, caches, record)?;
    let [m, n, k] = match plan.col(Groups).filter(|c| !is_missing(c.cell(record))) {
        None => [m, n, k],
        Some(c) => {
            let shape = grouped(plan, record, [m, n, k], c.size(record, "groups")?)?;
            op.groups = shape.groups;
            shape.sizes
        }
    };
    let device = match plan.col(Device) {
        _ if given.device.is_some() => given.device.unwrap_or(plan.default_device),
        Some(c) => device(plan, caches, table, record, c),
        None => plan.default_device,
    };
    let problem = Problem { m, n, k, batch, op };
    if let Some(rate) = given.rate.filter(|_| !failed) {
        time_s = time_of(Quantity::Rate, rate, &problem);
    }
    if let Some((quantity @ (Quantity::Rate | Quantity::Bandwidth), c, scale)) = source {
        time_s = time_of(quantity, c.positive(record, quantity.word(), scale)?, &problem);
    }
    Ok(Row { m, n, k, batch, op, device, time_s })
}

/// The shape of a grouped GEMM. Without the experts a token, M counts the rows of all groups.
#[cold]
fn grouped(
    plan: &Plan,
    record: &Record<'_>,
    sizes: [u32; 3],
    count: u32,
) -> Result<shape_text::Shape, RowError> {
    let Some(c) = plan.col(PerToken).filter(|c| !is_missing(c.cell(record))) else {
        let groups = Some(gemm::Groups::uniform(count, 1));
        return Ok(shape_text::Shape { groups, ..shape_text::Shape::new(sizes, None) });
    };
    let per_token = c.size(record, "experts a token")?;
    let shape = plan.experts.shape(sizes, [count, per_token]);
    shape.ok_or_else(|| c.bad(record, "experts a token", CellError::TooLarge))
}

/// The time in seconds that the file states for a failed variant. It does not count as a measured time.
#[cold]
pub(crate) fn failed_time(
    figures: &Figures,
    given: &Given,
    record: &Record<'_>,
    row: &Row,
) -> Option<f64> {
    let problem = row.problem();
    given.time_s.or_else(|| {
        figures.all().find_map(|(quantity, c, scale)| {
            let value = c.positive(record, quantity.word(), scale).ok()?;
            Some(time_of(quantity, value, &problem))
        })
    })
}

#[inline(always)]
pub(crate) fn sizes(plan: &Plan, given: &Given, record: &Record<'_>) -> Result<[u32; 4], RowError> {
    let size = |c: &Col, what: &str| c.size(record, what);
    let batch = match plan.col(Batch) {
        _ if given.batch.is_some() => given.batch.unwrap_or(1),
        Some(c) if !is_missing(c.cell(record)) => size(c, "batch")?,
        _ => 1,
    };
    if let Some([m, n, k]) = given.sizes {
        return Ok([m, n, k, batch]);
    }
    let named = |found: Option<shape_text::Shape>, c: &Col, what| {
        let found = found.ok_or_else(|| c.bad(record, what, CellError::NotSizes))?;
        let [m, n, k] = found.sizes;
        Ok([m, n, k, found.batch.unwrap_or(batch)])
    };
    match &plan.sizes {
        Sizes::Hook => Err(RowError::new(NO_SIZES)),
        Sizes::Three([m, n, k]) => {
            let of = |s: &Size, what| match s {
                Size::Column(c) => size(c, what),
                Size::Fixed(size) => Ok(*size),
            };
            Ok([of(m, "M")?, of(n, "N")?, of(k, "K")?, batch])
        }
        Sizes::Square(c) => {
            let s = size(c, "size")?;
            Ok([s, s, s, batch])
        }
        Sizes::One(c) => {
            let text = record.text(c.index);
            let found = shape_text::shape(&text, &c.name).or_else(|| shape_text::named(&text));
            named(found, c, "sizes")
        }
        Sizes::Operands(a, b) => {
            let of = |c: &Col| shape_text::dimensions(&record.text(c.index));
            named(operands::operands(&of(a), &of(b)), a, "shapes of A and B")
        }
    }
}

/// The time in seconds that a problem takes at this time, rate or bandwidth.
#[inline]
pub(super) fn time_of(quantity: Quantity, value: f64, problem: &Problem) -> f64 {
    match quantity {
        Quantity::Time => value,
        Quantity::Rate => problem.work().0 / value,
        Quantity::Bandwidth => problem.bytes().0 / value,
    }
}

/// Types, layout and epilogue of a row. Reads only cells of the corresponding columns in the plan, on which
/// callers base their caches.
#[inline]
pub(crate) fn operation(
    plan: &Plan,
    given: &Given,
    caches: &mut ValueCaches,
    record: &Record<'_>,
) -> Result<Operation, RowError> {
    let mut transposed = given.transposed.unwrap_or(plan.default_trans);
    let mut op = types(plan, given, caches, &mut transposed, record)?;
    letters(plan, caches, &mut transposed, record)?;
    if let Some(c) = plan.col(Bias) {
        let cell = c.cell(record);
        op.bias = [&b"true"[..], b"1", b"yes"].iter().any(|w| cell.eq_ignore_ascii_case(w));
    }
    if let Some(c) = plan.col(Beta) {
        let cell = c.cell(record);
        // BLAS tools print a complex factor as `(1,0)`.
        op.beta = match record.number(c.index) {
            Some(beta) => beta != 0.0,
            None => cell.starts_with(b"(") && !cell.starts_with(b"(0"),
        };
    }
    Ok(op.with_layout(transposed[0], transposed[1]))
}

/// Types of the operands, the output and the multiplication. The cell of a type may state a transpose too.
#[inline]
fn types(
    plan: &Plan,
    given: &Given,
    caches: &mut ValueCaches,
    transposed: &mut [bool; 2],
    record: &Record<'_>,
) -> Result<Operation, RowError> {
    let mut read = |c: &Col, what: &str| -> Result<Types, RowError> {
        let cell = c.cell(record);
        match caches.types.get(cell, values::types) {
            Some(t) => Ok(*t),
            None if cell.is_empty() => Err(c.bad(record, what, CellError::Missing)),
            None => Err(c.bad(record, what, CellError::UnknownType)),
        }
    };
    let mut op = match (plan.col(Dtype), plan.col(DtypeA)) {
        _ if given.dtype.is_some() => Operation::uniform(given.dtype.unwrap_or(plan.usual_dtype())),
        (None, None) => {
            let named = plan.named_dtype.as_ref().and_then(|c| {
                let cell = c.cell(record);
                *caches.named_types.get(cell, defaults::dtype_in_kernel)
            });
            Operation::uniform(named.unwrap_or(plan.usual_dtype()))
        }
        (both, a) => {
            let both = both.map(|c| read(c, "data type")).transpose()?;
            let a = a.map(|c| read(c, "data type of A")).transpose()?;
            let b = plan.col(DtypeB).map(|c| read(c, "data type of B")).transpose()?;
            for (flag, t) in transposed.iter_mut().zip([a, b]) {
                *flag = t.and_then(|t| t.transposed).unwrap_or(*flag);
            }
            // At least one of the two exists.
            let type_a = a.or(both).map_or(plan.usual_dtype(), |t| t.a);
            let type_b = b.map(|t| t.b).or(both.map(|t| t.b)).unwrap_or(type_a);
            let mut op = Operation::uniform(type_a);
            if type_b != type_a {
                op = Operation::mixed(type_a, type_b, op.c);
                op.c = op.compute.default_output();
            }
            op.c = both.and_then(|t| t.c).unwrap_or(op.c);
            op
        }
    };
    match plan.col(DtypeC) {
        Some(c) if !is_missing(c.cell(record)) => op.c = read(c, "data type of the output")?.a,
        _ => op.c = plan.default_output.unwrap_or(op.c),
    }
    let multiplied = plan.col(Compute).filter(|_| op.a == DataType::Fp32);
    let as_tf32 = |t: Types| t.a == DataType::Tf32;
    if given.tf32 && op.compute == DataType::Fp32
        || multiplied.is_some_and(|c| read(c, "compute type").is_ok_and(as_tf32))
    {
        op.compute = DataType::Tf32;
    }
    Ok(op)
}

/// Transposes of A and B, from a column each or from one for both.
#[inline]
fn letters(
    plan: &Plan,
    caches: &mut ValueCaches,
    transposed: &mut [bool; 2],
    record: &Record<'_>,
) -> Result<(), RowError> {
    for (flag, part) in transposed.iter_mut().zip([TransA, TransB]) {
        if let Some(c) = plan.col(part) {
            let cell = c.cell(record);
            match caches.transposes.get(cell, values::transpose) {
                Some(t) => *flag = *t,
                None if cell.is_empty() => {}
                None => return Err(c.bad(record, "transpose", CellError::NotATranspose)),
            }
        }
    }
    if let Some(c) = plan.col(Layout) {
        let cell = c.cell(record);
        match caches.layouts.get(cell, values::layout) {
            Some((a, b)) => *transposed = [*a, *b],
            None if cell.is_empty() => {}
            None => return Err(c.bad(record, "layout", CellError::NotATranspose)),
        }
    }
    Ok(())
}

/// Code of the device that a row names in column `c`.
pub(super) fn device(
    plan: &Plan,
    caches: &mut ValueCaches,
    table: &mut TableBuilder,
    record: &Record<'_>,
    c: &Col,
) -> u16 {
    let cell = c.cell(record);
    if is_missing(cell) {
        return 0;
    }
    match plan.col(DeviceUnits) {
        None => *caches.devices.get(cell, |name| table.device(name)),
        Some(units) => {
            let count = units.cell(record);
            let (last, last_count, code) = &mut caches.last_device;
            if last != cell || last_count != count {
                *code = table.device_target(&record.text(c.index), &record.text(units.index));
                cell.clone_into(last);
                count.clone_into(last_count);
            }
            *code
        }
    }
}

/// Stages the cells of kept columns; a `commit` must follow.
pub(crate) fn stage(extras: &[Extra], table: &mut TableBuilder, record: &Record<'_>) {
    for e in extras.iter().take_while(|e| e.index() < record.len()) {
        match e {
            Extra::Fixed(text, id) => table.set_text(*id, text.as_bytes()),
            Extra::Text(i, id) => table.set_text(*id, record.get(*i)),
            Extra::Number(i, id, scale) => {
                let plain = record.number(*i).or_else(|| percent(record.get(*i)));
                let v = match plain {
                    Some(v) => figure(v, *scale),
                    None => own_unit(record.get(*i)),
                };
                table.set_number(*id, v);
            }
            Extra::Auto(i, id) => table.set_auto(*id, record.get(*i), record.number(*i)),
            Extra::Tile(i, ids) => {
                let sizes = shape_text::sizes(&record.text(*i));
                for (id, v) in ids.iter().zip(sizes) {
                    table.set_number(*id, f64::from(v));
                }
            }
        }
    }
}
