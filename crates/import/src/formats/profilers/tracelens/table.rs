//! GEMM tables of a TraceLens report: `GEMM.csv`, `unified_perf_summary.csv` and excerpts of it, and
//! comparisons of two reports.
//!
//! Rows are kept until the end of the file, because a wrapper and the operation it calls are both listed with the same
//! time and only one of them must count.

mod twice;

use super::columns::{self, Columns, NUMBERS, TEXTS};
use super::kernels::{self, Kernels};
use super::shape::{self, FoundExperts};
use crate::cell::experts::ExpertPart;
use crate::cell::operands::Operator;
use crate::cell::py::Py;
use crate::cell::shape_text::Shape;
use crate::cell::{CellError, NOT_A_GEMM};
use crate::columns::header::error_at;
use crate::formats::profilers::kernel_kind::as_computed;
use crate::formats::profilers::{Omitted, tell_omitted};
use crate::{Col, Header, ImportError, Imported, Record, RowReader};
use gemmscope_model::units::plural;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::intern::Interner;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::*;
use gemmscope_table::dataset::{RowsAndTime, Source};
use std::borrow::Cow;
use std::collections::HashMap;
use twice::counted_twice;

/// A row not yet added to the table. Texts are codes of [`Table::words`].
struct Pending {
    line: u32,
    raw: Vec<u8>,
    set: usize,
    name: u32,
    kernel: u32,
    kernel_count: u32,
    count: f64,
    total_s: f64,
    uid: f64,
    numbers: [f64; NUMBERS.len()],
    texts: [u32; TEXTS.len()],
    row: Result<Row, RowError>,
}

/// Reads the records of one table.
#[derive(Default)]
pub(super) struct Table {
    sets: Vec<Columns>,
    pending: Vec<Pending>,
    /// Names of operations and kernels, and other texts.
    words: Interner,
    without_model: Omitted,
    not_gemm: Omitted,
    own_model: u64,
    seen_header: bool,
}

impl Table {
    fn read(&mut self, record: &Record<'_>, set: usize, table: &mut TableBuilder) -> Pending {
        let columns = &self.sets[set];
        let number = |col: &Option<Col>, scale: f64| {
            col.as_ref().map_or(f64::NAN, |c| c.number(record, scale))
        };
        let scaled = |col: &Option<(Col, f64)>| {
            col.as_ref().map_or(f64::NAN, |(c, scale)| c.number(record, *scale))
        };
        let count = number(&columns.count, 1.0);
        let (mean, sum) = (scaled(&columns.mean), scaled(&columns.sum));
        let total_s =
            if sum.is_finite() { sum } else { mean * if count.is_finite() { count } else { 1.0 } };
        let name = record.text(columns.name.index);
        let [full, short] = columns.kernels.each_ref().map(|c| text(record, c));
        let kernels = Some(Kernels::parse(&full))
            .filter(|k| !k.main.is_empty())
            .or_else(|| Some(Kernels::parse(&short)).filter(|k| !k.main.is_empty()))
            .unwrap_or_default();
        let row = self.gemm(record, columns, &name).and_then(|(row, note)| {
            let time_s = time_of_call(record, columns, sum, count)?;
            Ok((Row { time_s, ..row }, note))
        });
        let row = match row {
            Ok((row, note)) => {
                if let Some(note) = note {
                    table.note(note);
                }
                if let Some(c) = &columns.modelled
                    && Py::parse(&record.text(c.index)).truth() == Some(false)
                {
                    self.own_model += 1;
                }
                Ok(Row { device: table.device(&self.sets[set].label), ..row })
            }
            Err(bad) => Err(bad),
        };
        let columns = &self.sets[set];
        Pending {
            line: record.line(),
            raw: record.raw().to_vec(),
            set,
            kernel: self.words.code(kernels.main.as_bytes()),
            kernel_count: kernels.distinct,
            count,
            total_s,
            uid: number(&columns.uid, 1.0),
            numbers: columns.numbers.each_ref().map(scaled),
            texts: columns.texts.each_ref().map(|c| self.words.code(text(record, c).as_bytes())),
            name: self.words.code(name.as_bytes()),
            row,
        }
    }

    /// The GEMM of a record, or the reason for rejecting it.
    fn gemm(
        &self,
        record: &Record<'_>,
        columns: &Columns,
        name: &str,
    ) -> Result<(Row, Option<&'static str>), RowError> {
        if let Some(category) = &columns.category {
            let cell = record.text(category.index).trim().to_ascii_lowercase();
            let grouped = ["groupedgemm", "moe_fused", "moe_unfused"];
            if cell != "gemm" && !grouped.iter().any(|word| cell.starts_with(word)) {
                return Err(RowError::new(NOT_A_GEMM));
            }
        }
        let text = |col: &Option<Col>| text(record, col);
        let cells: Vec<_> =
            columns.parts.iter().map(|(part, c)| (*part, c, record.text(c.index))).collect();
        let params = text(&columns.params);
        let mut sizes = [None; 4];
        let params = match &cells[..] {
            [] => Py::parse(&params),
            cells => {
                for (part, c, cell) in cells {
                    match SIZES.iter().position(|s| s == part) {
                        Some(3) if cell.is_empty() => {}
                        Some(3) => sizes[3] = Some(c.size(record, "batch")?),
                        Some(i) => sizes[i] = Some(c.size(record, part)?),
                        None => {}
                    }
                }
                Py::Dict(cells.iter().map(|(n, _, t)| (Cow::Borrowed(*n), Py::parse(t))).collect())
            }
        };
        let none = Py::None;
        let get = |key: &str| params.get(key).unwrap_or(&none);
        if cells.is_empty() {
            sizes = SIZES.map(|size| get(size).size());
        }
        let grouped = Operator::of(name).is_some_and(|operator| operator.grouped);
        if let Some(found) = FoundExperts::of_model(name, &params) {
            let part = ExpertPart::named(name).unwrap_or(ExpertPart::Both);
            return Ok((found.row(part), found.note));
        }
        if let ([Some(m), Some(n), Some(k), batch], false) = (sizes, grouped) {
            let input_types = text(&columns.input_types);
            let input_types = Py::parse(&input_types);
            let types = match get("dtype_A_B") {
                types if types.items().is_empty() => &input_types,
                types => types,
            };
            let of_cell = cells.iter().find(|(part, ..)| *part == "dtype_A_B").map(|(_, c, _)| *c);
            let (a, b, note) = shape::types(name, types)
                .ok_or_else(|| type_unknown(of_cell.or(columns.params.as_ref()), record))?;
            let by_strides =
                || shape::layout_of_strides(get("stride_A"), get("stride_B"), [m, n, k]);
            let blas = flags(get("transpose")).or_else(by_strides);
            let op = shape::operation(a, b, get("bias").truth().unwrap_or(false), blas);
            return Ok((Shape::new([m, n, k], batch).row(op, f64::NAN), note));
        }
        let no_model = || match &columns.dims {
            Some(c) => {
                let text = format!("{name} {}", record.text(c.index));
                RowError { text, ..error_at(c.index, record, NO_MODEL) }
            }
            None => RowError::new(NO_MODEL),
        };
        let [dims, input_types, strides, numbers] = [
            &columns.dims,
            &columns.input_types,
            &columns.input_strides,
            &columns.numbers_of_inputs,
        ]
        .map(text);
        let [dims, input_types, strides, numbers] =
            [&dims, &input_types, &strides, &numbers].map(|text| Py::parse(text));
        if let Some(found) = FoundExperts::of(name, &dims, &input_types, &numbers) {
            let part = ExpertPart::named(name).unwrap_or(ExpertPart::Both);
            return Ok((found.row(part), found.note));
        }
        shape::from_operands(name, &dims, &input_types, &strides)
            .ok_or_else(no_model)?
            .map_err(RowError::new)
    }
}

/// Names of the sizes in the report's model.
const SIZES: [&str; 4] = ["M", "N", "K", "B"];

/// Reason for rejecting GEMMs of unknown shape.
pub(super) const NO_MODEL: &str = "no performance model: shape not known";

/// The cell of a column; "" if there is no such column.
fn text<'r>(record: &Record<'r>, col: &Option<Col>) -> Cow<'r, str> {
    col.as_ref().map_or(Cow::Borrowed(""), |c| record.text(c.index))
}

fn type_unknown(col: Option<&Col>, record: &Record<'_>) -> RowError {
    let flaw = CellError::UnknownType.of("data type");
    match col {
        Some(c) => error_at(c.index, record, flaw.reason),
        None => flaw,
    }
}

/// Parses `(True, False)`; `None` if a flag is missing or unknown.
fn flags(cell: &Py<'_>) -> Option<(bool, bool)> {
    match cell.items() {
        [a, b, ..] => Some((a.truth()?, b.truth()?)),
        _ => None,
    }
}

/// Seconds per call: the sum divided by the calls if both are given, since the mean may be rounded; otherwise the mean.
fn time_of_call(
    record: &Record<'_>,
    columns: &Columns,
    sum: f64,
    count: f64,
) -> Result<f64, RowError> {
    if sum > 0.0 && count >= 1.0 {
        return Ok(sum / count);
    }
    match (&columns.mean, &columns.sum) {
        (Some((c, unit_s)), _) | (None, Some((c, unit_s))) => c.positive(record, "time", *unit_s),
        (None, None) => Err(CellError::Missing.of("time")),
    }
}

impl RowReader for Table {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        if !self.seen_header {
            self.seen_header = true;
            let header = Header::new(record);
            let labels = columns::labels(&header);
            if labels.is_empty() {
                self.sets.extend(Columns::find(&header, ""));
            }
            for label in &labels {
                self.sets.extend(Columns::find(&header, label));
            }
            if self.sets.is_empty() {
                return Err(ImportError::new(
                    "expected the columns of a TraceLens GEMM table: name, M, N, K (or \
                     perf_params, or Input Dims) and Kernel Time",
                )
                .at(record.line(), 0));
            }
            if self.sets.len() > 1 {
                table.note(format!(
                    "Comparison of {} reports ({}): one row per line and report, with the \
                     report's label as device.",
                    self.sets.len(),
                    labels.join(", ")
                ));
            }
            return Ok(());
        }
        if let Some(problem) = record.problem() {
            table.commit(record.line(), record.raw(), Err(RowError::new(problem)));
            return Ok(());
        }
        for set in 0..self.sets.len() {
            let pending = self.read(record, set, table);
            if let Err(bad) = &pending.row {
                let name = self.words.value(pending.name);
                let Pending { count, total_s, .. } = pending;
                match bad.reason.as_str() {
                    NOT_A_GEMM => self.not_gemm.add(name, count, total_s),
                    NO_MODEL => self.without_model.add(name, count, total_s),
                    shape::EXPANDED => {
                        self.without_model.add(&Source::expanded(name), count, total_s);
                    }
                    _ => {}
                }
            }
            self.pending.push(pending);
        }
        Ok(())
    }

    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        let pending = std::mem::take(&mut self.pending);
        let words = std::mem::take(&mut self.words);
        let twice = counted_twice(&pending, &words);
        let mut counted = RowsAndTime::default();
        let mut gemm_s = 0.0;
        let mut libraries: HashMap<u32, &str> = HashMap::default();
        let t = &mut table;
        for (i, p) in pending.iter().enumerate() {
            if let Some(&other) = twice.get(&i) {
                counted.add(p.total_s);
                let name = words.value(pending[other].name);
                let reason = format!("counted in {name} (same shape, count and time)");
                t.reject(p.line, &p.raw, &RowError::new(reason));
                continue;
            }
            if p.row.is_ok() {
                gemm_s += p.total_s;
            }
            let kernel = words.value(p.kernel);
            let library = libraries.entry(p.kernel);
            let library = library.or_insert_with(|| kernels::library(kernel));
            let launched = Some(f64::from(p.kernel_count)).filter(|_| p.kernel_count > 0);
            t.stage_text(OpName, "Operation", words.value(p.name).as_bytes());
            t.stage_text(Kernel, "Kernel", kernel.as_bytes());
            t.stage_text(Library, "Library", library.as_bytes());
            t.stage_number(Count, "Calls", p.count);
            t.stage_extra("Kernels launched per call", "", launched.unwrap_or(f64::NAN));
            t.stage_extra(gemmscope_table::trace::UID_COLUMN, "", p.uid);
            for ((meaning, label, ..), value) in NUMBERS.into_iter().zip(p.numbers) {
                match meaning {
                    Other => t.stage_extra(label, "s", value),
                    _ => t.stage_number(meaning, label, value),
                }
            }
            t.stage_extra("Kernel Time sum", "s", p.total_s);
            for ((label, _), text) in TEXTS.into_iter().zip(p.texts) {
                t.stage_text(Other, label, words.value(text).as_bytes());
            }
            if self.sets.len() > 1 {
                let report = self.sets[p.set].label.as_bytes();
                t.stage_text(Other, "Report", report);
            }
            let computed = |row: Row| Row { op: as_computed(row.op, kernel), ..row };
            t.commit(p.line, &p.raw, p.row.clone().map(computed));
        }
        notes(t, gemm_s, counted, self.without_model.all);
        if self.own_model > 0 {
            t.note(format!(
                "{} without a performance model in the report: shapes from operands, figures \
                 computed here.",
                plural(self.own_model, "GEMM")
            ));
        }
        let mut data = table.finish();
        if let Some(source) = data.sources.first_mut() {
            source.counted_twice = counted;
        }
        tell_omitted(&mut data, self.without_model, self.not_gemm);
        Ok(Imported::table(data))
    }
}

fn notes(t: &mut TableBuilder, gemm_s: f64, counted: RowsAndTime, without: RowsAndTime) {
    if counted.rows > 0 {
        t.note(format!(
            "{} of wrappers around listed operations, counted once: {:.1} µs of GEMM time, \
             where the sheet adds up to {:.1} µs.",
            plural(counted.rows, "row"),
            gemm_s * 1e6,
            (gemm_s + counted.time_s) * 1e6
        ));
    }
    if without.rows > 0 {
        let share = without.time_s / (without.time_s + gemm_s);
        t.note(format!(
            "{} without a performance model or a known shape: {:.1} µs, {:.1} % of the GEMM \
             time, left out.",
            plural(without.rows, "call"),
            without.time_s * 1e6,
            share * 100.0
        ));
    }
}
