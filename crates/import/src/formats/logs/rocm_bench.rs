//! What `hipblaslt-bench` and `rocblas-bench` share: a log with a preamble, repeated headers and
//! `--Solution name:` lines that follow a result.
//!
//! Sizes and layout are those of the column-major BLAS call; a row-major GEMM shows M and N
//! swapped.

use crate::columns::defaults::AssumedType;
use crate::columns::plan::Plan;
use crate::columns::row::{Given, ValueCaches, line, stage};
use crate::formats::table_format::{GIBI, GIGA, MICRO, TableFormat, column, number};
use crate::{
    Delimited, Head, Header, ImportError, ImportOptions, Imported, Reader, Record, RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::units::plural;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{ColumnId, Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::*;

/// What the columns of both tools mean.
pub(crate) const TABLE: TableFormat = TableFormat {
    columns: &[
        column(&["m"], M),
        column(&["n"], N),
        column(&["k"], K),
        number(&["us"], Time, MICRO),
        column(&["batch_count"], Batch),
        column(&["transA", "transposeA"], TransA),
        column(&["transB", "transposeB"], TransB),
        column(&["a_type"], DtypeA),
        column(&["b_type"], DtypeB),
        column(&["d_type", "c_type"], DtypeC),
        column(&["c_type"], Ignore),
        column(&["compute_type"], Compute),
        number(&["hipblaslt-Gflops", "rocblas-Gflops"], ReportedRate, GIGA),
        number(&["hipblaslt-GB/s"], ReportedBandwidth, GIBI),
        number(&["rocblas-GB/s"], ReportedBandwidth, GIGA),
        column(&["bias_vector"], Bias).kept(),
        column(&["beta"], Beta).kept(),
        column(&["gcnArchName"], Device).kept(),
        column(&["CUs"], DeviceUnits).kept(),
    ],
    dtype: DataType::Fp32,
    ..TableFormat::DEFAULT
};

/// A reader of a log with the columns of `format`.
pub(crate) fn open(
    format: &'static TableFormat,
    library: &'static str,
    head: &Head,
    options: &ImportOptions,
) -> Box<dyn Reader> {
    let mut table = TableBuilder::new();
    let rows = Bench {
        format,
        library,
        types: AssumedType::new(head, options, format.dtype),
        stated_device: options.answer("device").map(str::to_owned),
        device: 0,
        library_id: table.text_column(Library, "library"),
        kernel_id: table.text_column(Kernel, "kernel"),
        header: Header::default(),
        plan: None,
        caches: ValueCaches::default(),
        pending: None,
        headers: 0,
        other_lines: 0,
        tuning_log: false,
    };
    Delimited::open(rows, table)
}

/// A result whose kernel name may still follow on the next lines. Its cells are staged.
struct Pending {
    line: u32,
    raw: Vec<u8>,
    row: Result<Row, RowError>,
    named: bool,
}

struct Bench {
    format: &'static TableFormat,
    library: &'static str,
    types: AssumedType,
    stated_device: Option<String>,
    /// Code of the device that the preamble names.
    device: u16,
    library_id: ColumnId,
    kernel_id: ColumnId,
    header: Header,
    plan: Option<Plan>,
    caches: ValueCaches,
    pending: Option<Pending>,
    headers: u64,
    other_lines: u64,
    tuning_log: bool,
}

impl Bench {
    fn take_header(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> bool {
        let header = Header::new(record);
        if !self.format.is_header(&header) {
            return false;
        }
        self.headers += 1;
        if self.header != header {
            // The columns of a result that is still pending are staged: it goes first.
            self.flush(table);
            self.plan = Some(self.format.plan(&header, table));
            self.header = header;
        }
        true
    }

    /// Takes a line that is neither header nor result: the preamble names the device, `--Solution
    /// name:` the kernel of the result above.
    fn take_remark(&mut self, text: &str, table: &mut TableBuilder) {
        let text = text.trim_matches(['"', ' ', '\t']);
        if let Some(name) = after(text, "Solution name:").or_else(|| after(text, "kernel name:")) {
            if let Some(p) = &mut self.pending
                && !p.named
            {
                p.named = true;
                table.set_text(self.kernel_id, name.as_bytes());
            }
        } else if let Some(rest) = after(text, "Device ID 0") {
            let arch = rest.trim_start_matches([' ', ':']).split(':').next();
            let arch = arch.unwrap_or_default().trim();
            if !arch.is_empty() && self.device == 0 {
                self.device = table.device(arch);
                table.note(format!("Device from the log's preamble: {arch}."));
            }
        } else if text.starts_with("Git Version:") {
            self.tuning_log = true;
        } else {
            self.other_lines += 1;
        }
    }

    fn flush(&mut self, table: &mut TableBuilder) {
        if let Some(p) = self.pending.take() {
            table.commit(p.line, &p.raw, p.row);
        }
    }

    fn row(&mut self, record: &Record<'_>, t: &mut TableBuilder) -> Result<Row, RowError> {
        let Some(plan) = &self.plan else {
            return Err(RowError::new("result before any header"));
        };
        if record.len() < plan.width {
            return Err(RowError::new("fewer fields than the header names"));
        }
        let mut given = Given::default();
        if plan.dtype_a.is_none() {
            given.dtype = Some(self.types.of(None, t));
        }
        if plan.device.is_none() {
            let stated = self.stated_device.as_deref().map(|name| t.device(name));
            given.device = Some(stated.unwrap_or(self.device));
        }
        let row = line(plan, &given, &mut self.caches, t, record)?;
        t.set_text(self.library_id, self.library.as_bytes());
        stage(&plan.extras, &given, t, record);
        Ok(row)
    }
}

/// What follows `label` in a line that holds it near its start.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let at = text.find(label)?;
    (at <= 4).then(|| text[at + label.len()..].trim())
}

impl RowReader for Bench {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let joined = String::from_utf8_lossy(record.raw()).into_owned();
        if joined.contains("-Gflops") && self.take_header(record, table) {
            self.flush(table);
            return Ok(());
        }
        let is_result = self.plan.as_ref().is_some_and(|plan| {
            let text = joined.trim();
            !text.starts_with("--") && record.len() > 3 && record.len() + 3 > plan.width
        });
        if !is_result {
            self.take_remark(&joined, table);
            return Ok(());
        }
        self.flush(table);
        let row = self.row(record, table);
        self.pending =
            Some(Pending { line: record.line(), raw: record.raw().to_vec(), row, named: false });
        Ok(())
    }

    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        self.flush(&mut table);
        let t = &mut table;
        if self.headers > 1 {
            t.note(format!("Skipped {} repeated header lines.", self.headers - 1));
        }
        if self.other_lines > 0 {
            t.note(format!("{} without a result.", plural(self.other_lines, "line")));
        }
        if self.tuning_log {
            t.note("This is the tuning log of hipblaslt-bench.");
        }
        t.note("M, N and layout are column-major (BLAS): a row-major GEMM has M and N swapped.");
        if self.device == 0 && self.plan.as_ref().is_some_and(|p| p.device.is_none()) {
            let stated = self.stated_device.clone().unwrap_or_default();
            t.assume_device(&stated, "The file names no device.");
        }
        Ok(Imported::table(table.finish()))
    }
}
