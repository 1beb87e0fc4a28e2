//! Liger-Kernel's benchmark data: a long table whose rows name their metric, unit and GPU. The
//! x value and a JSON cell hold the sizes; the middle of three quantiles is the time.

use super::{
    Bad, Col, ColumnId, Delimited, Detection, Dialect, Flaw, Format, Head, Header, ImportError,
    ImportOptions, Imported, Reader, Record, Row, RowReader, TableBuilder, unsaid::UnsaidType,
};
use crate::dataset::Role;
use crate::dtype::DataType;
use crate::gemm::Operation;
use crate::units::TimeUnit;
use serde_json::Value;

/// Entry of the table of formats.
pub const FORMAT: Format = Format {
    id: "liger",
    name: "Liger-Kernel benchmark data",
    produced_by: "python benchmark/scripts/benchmark_*.py (Liger-Kernel: benchmark/data/all_benchmark_data.csv)",
    example: "kernel_name,kernel_provider,kernel_operation_mode,metric_name,metric_unit,x_name,x_label,x_value,y_value_50,y_value_20,y_value_80,extra_benchmark_config_str,gpu_name,timestamp,liger_version\n\
              matmul,liger,forward,speed,ms,M,M,4096,0.25,0.24,0.26,\"{\"\"N\"\": 4096, \"\"K\"\": 4096, \"\"dtype\"\": \"\"torch.bfloat16\"\"}\",NVIDIA H100 80GB HBM3,2026-01-01 00:00:00,0.5\n",
    detect,
    open,
};

const COLUMNS: [&str; 6] = [
    "kernel_name",
    "metric_name",
    "metric_unit",
    "x_name",
    "x_value",
    "y_value_50",
];

fn detect(head: &Head) -> Option<Detection> {
    head.line_with(&COLUMNS)?;
    Some(Detection::new(
        97,
        "the header has kernel_name, metric_unit, x_name, y_value_50",
    ))
}

fn open(head: &Head, options: &ImportOptions) -> Result<Box<dyn Reader>, ImportError> {
    let mut table = TableBuilder::new();
    let ids = Ids {
        op: table.text_column(Role::OpName, "kernel_name"),
        library: table.text_column(Role::Library, "kernel_provider"),
        mode: table.text_column(Role::Other, "kernel_operation_mode"),
        min: table.number_column(Role::TimeMin, "y_value_20"),
        max: table.number_column(Role::TimeMax, "y_value_80"),
    };
    Ok(Box::new(Delimited::new(
        Dialect::COMMA,
        Liger {
            table,
            ids,
            dtype: UnsaidType::new(head, options, DataType::Bf16),
            device: options.answer("device").map(str::to_owned),
            cols: None,
        },
    )))
}

struct Ids {
    op: ColumnId,
    library: ColumnId,
    mode: ColumnId,
    min: ColumnId,
    max: ColumnId,
}

struct Liger {
    table: TableBuilder,
    ids: Ids,
    dtype: UnsaidType,
    device: Option<String>,
    cols: Option<Header>,
}

impl Liger {
    fn row(&mut self, h: &Header, record: &Record<'_>) -> Result<(Row, f64), Bad> {
        if let Some(p) = record.problem() {
            return Err(Bad::new(p));
        }
        let col = |n: &str| {
            h.find(&[n]).unwrap_or(Col {
                index: usize::MAX,
                name: n.to_owned(),
            })
        };
        let metric = record.text(col("metric_name").index);
        if metric != "speed" {
            return Err(Bad::new("not a time (metric_name)"));
        }
        let config: Value =
            serde_json::from_str(&record.text(col("extra_benchmark_config_str").index))
                .unwrap_or(Value::Null);
        let x_name = record.text(col("x_name").index);
        let x = col("x_value");
        let size = |name: &str| -> Result<Option<u32>, Bad> {
            if x_name.eq_ignore_ascii_case(name) {
                return x.size(record, name).map(Some);
            }
            Ok([name, &name.to_ascii_lowercase()]
                .iter()
                .find_map(|k| config.get(*k)?.as_u64())
                .and_then(|v| u32::try_from(v).ok()))
        };
        let (Some(m), Some(n), Some(k)) = (size("M")?, size("N")?, size("K")?) else {
            return Err(Bad::new(
                "not a GEMM: no M, N, K (extra_benchmark_config_str)",
            ));
        };
        let unit_col = col("metric_unit");
        let Some(unit) = TimeUnit::parse(&record.text(unit_col.index)) else {
            return Err(unit_col.bad(record, "unit", Flaw::NotANumber));
        };
        let time_s = col("y_value_50").positive(record, "time", unit.to_si())?;
        let named = config
            .get("dtype")
            .and_then(Value::as_str)
            .and_then(DataType::parse);
        let dtype = self.dtype.of(named, &mut self.table);
        let mut row = Row::new(m, n, k, Operation::uniform(dtype), time_s);
        row.batch = size("B")?.unwrap_or(1);
        let gpu = match &self.device {
            Some(d) => d.clone(),
            None => record.text(col("gpu_name").index).into_owned(),
        };
        row.device = self.table.device(&gpu);
        Ok((row, unit.to_si()))
    }
}

impl RowReader for Liger {
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let Some(h) = self.cols.take() else {
            self.cols = Some(Header::new(record));
            return Ok(());
        };
        let row = self.row(&h, record);
        let t = &mut self.table;
        let cell = |n: &str| h.find(&[n]).map_or(&[][..], |c| record.get(c.index));
        t.set_text(self.ids.op, cell("kernel_name"));
        t.set_text(self.ids.library, cell("kernel_provider"));
        t.set_text(self.ids.mode, cell("kernel_operation_mode"));
        if let Ok((_, unit)) = &row {
            for (id, n) in [(self.ids.min, "y_value_20"), (self.ids.max, "y_value_80")] {
                let v = h.find(&[n]).map_or(f64::NAN, |c| c.number(record, *unit));
                t.set_number(id, v);
            }
        }
        t.commit(record, row.map(|r| r.0));
        self.cols = Some(h);
        Ok(())
    }

    fn finish(self) -> Result<Imported, ImportError> {
        Ok(Imported::table(self.table.finish()))
    }

    fn rows(&self) -> u64 {
        self.table.rows_read()
    }
}
