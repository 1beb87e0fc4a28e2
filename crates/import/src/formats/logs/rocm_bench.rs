//! Shared reader of `hipblaslt-bench` and `rocblas-bench`: a log with a preamble, repeated headers and
//! `--Solution name:` lines after a result.
//!
//! Sizes and layout are those of the column-major BLAS call; a row-major GEMM has M and N swapped.

use crate::columns::defaults::AssumedType;
use crate::columns::defaults::COLUMN_MAJOR;
use crate::columns::plan::Plan;
use crate::columns::plan_rows::{Hook, PlanRows, TableReader, What};
use crate::formats::table_format::{Formatted, GIBI, GIGA, MICRO, TableFormat, column, number};
use crate::{Head, Header, ImportOptions, Reader, Record};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::{ColumnId, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning::*;

/// Column meanings of both tools.
pub(crate) const TABLE: TableFormat = TableFormat {
    columns: &[
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

/// Opens a log reader with the columns of `format`.
pub(crate) fn open(
    format: &'static TableFormat,
    head: &Head,
    options: &ImportOptions,
) -> Box<dyn Reader> {
    let mut table = TableBuilder::new();
    table.text_column(Library, "library");
    let rows = Bench {
        format,
        columns: format.reader(head, options),
        kernel: table.text_column(Kernel, "kernel"),
        device: None,
        tuning_log: false,
    };
    let types = AssumedType::new(head, options, format.dtype);
    PlanRows::open(rows, &head.name, Some(types), table)
}

struct Bench {
    format: &'static TableFormat,
    columns: Formatted,
    kernel: ColumnId,
    /// The device named in the preamble.
    device: Option<String>,
    tuning_log: bool,
}

/// The text after `label`, if the label is near the start of the line.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let at = text.find(label)?;
    (at <= 4).then(|| text[at + label.len()..].trim())
}

impl TableReader for Bench {
    fn plan(&mut self, header: &Header, table: &mut TableBuilder) -> Option<Plan> {
        let mut plan = self.columns.plan(header, table)?;
        plan.fewest = plan.width;
        if plan.col(Device).is_none()
            && self.columns.options.answer("device").is_none()
            && let Some(device) = &self.device
        {
            table.assumptions.retain(|a| a.key != "device");
            plan.default_device = table.device(device);
        }
        Some(plan)
    }

    fn hook(&self) -> Option<Hook> {
        self.format.hook
    }

    fn has_sections(&self) -> bool {
        true
    }

    fn what(&mut self, record: &Record<'_>, plan: Option<&Plan>, table: &mut TableBuilder) -> What {
        let text = String::from_utf8_lossy(record.raw());
        if text.contains("-Gflops") && self.format.is_header(&Header::new(record)) {
            return What::Header;
        }
        let cells = record.len();
        let as_wide = plan.is_some_and(|plan| cells > 3 && cells + 3 > plan.width);
        if as_wide && !text.trim().starts_with("--") {
            return What::Row;
        }
        let text = text.trim_matches(['"', ' ', '\t']);
        if let Some(name) = after(text, "Solution name:").or_else(|| after(text, "kernel name:")) {
            return What::OfRow(self.kernel, name.to_owned());
        }
        if let Some(rest) = after(text, "Device ID 0") {
            let name = rest.trim_start_matches([' ', ':']).split(':').next().unwrap_or("").trim();
            if !name.is_empty() && self.device.is_none() {
                self.device = Some(name.to_owned());
                table.note(format!("Device from a line of the log: {name}."));
            }
            return What::Nothing;
        }
        if text.starts_with("Git Version:") {
            self.tuning_log = true;
            return What::Nothing;
        }
        What::Aside
    }

    fn remark(&self, table: &mut TableBuilder) {
        if self.tuning_log {
            table.note("This is the tuning log of hipblaslt-bench.");
        }
        table.note(COLUMN_MAJOR);
    }
}
