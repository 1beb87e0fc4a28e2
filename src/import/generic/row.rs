//! One record of a table by its plan: sizes, types, time, device, the other columns.

use super::plan::{Extra, Plan, Sizes};
use crate::dtype::DataType;
use crate::gemm::Operation;
use crate::import::cell::{self, Bad, Col, Flaw, is_missing, scaled};
use crate::import::memo::Memo;
use crate::import::values::{self, Types};
use crate::import::{Record, Row, TableBuilder, shape_text, unsaid};

#[derive(Debug, Default)]
pub(super) struct Memos {
    pub types: Memo<Option<Types>>,
    pub transposes: Memo<Option<bool>>,
    pub layouts: Memo<Option<(bool, bool)>>,
    pub devices: Memo<u16>,
    pub named_types: Memo<Option<DataType>>,
}

fn percent(cell: &[u8]) -> Option<f64> {
    cell::number(cell::trim(cell.strip_suffix(b"%")?), false)
}

#[inline]
pub(super) fn row(
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
            let text = record.text(c.index);
            let found = shape_text::shape(&text, &c.name).or_else(|| shape_text::named(&text));
            let found = found.ok_or_else(|| c.bad(record, "sizes", Flaw::NotSizes))?;
            let [m, n, k] = found.sizes;
            Ok((m, n, k, found.batch.unwrap_or(batch)))
        }
        Sizes::Operands(a, b) => {
            let of = |c: &Col| shape_text::dimensions(&record.text(c.index));
            let found = shape_text::operands(&of(a), &of(b))
                .ok_or_else(|| a.bad(record, "shapes of A and B", Flaw::NotSizes))?;
            let [m, n, k] = found.sizes;
            Ok((m, n, k, found.batch.unwrap_or(batch)))
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
        (None, None) => {
            let named = plan.named_dtype.as_ref().and_then(|c| {
                let cell = c.cell(record);
                *memos.named_types.get(cell, unsaid::dtype_in)
            });
            Operation::uniform(named.unwrap_or(plan.default_dtype))
        }
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

pub(super) fn stage(extras: &[Extra], table: &mut TableBuilder, record: &Record<'_>) {
    for e in extras {
        match e {
            Extra::Text(i, id) => table.set_text(*id, record.get(*i)),
            Extra::Number(i, id, scale) => {
                let v = record.number(*i).or_else(|| percent(record.get(*i)));
                table.set_number(*id, v.map_or(f64::NAN, |v| scaled(v, *scale)));
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
