//! PyTorch TunableOp results: `Validator,…` lines, then `GemmTunableOp_float_TN,tn_M_N_K,solution,ms`.
//!
//! There is no header. Sizes and layout are those of the column-major BLAS call. `Default` means that no better
//! solution than the library's own was found.

use crate::cell;
use crate::cell::{NO_SIZES, NOT_A_GEMM};
use crate::columns::defaults;
use crate::columns::defaults::COLUMN_MAJOR;
use crate::columns::header::error_at;
use crate::{
    CellError, Claim, Delimited, Format, Head, ImportError, ImportOptions, Imported, Opened,
    ReadBy, Record, RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;

pub(crate) const FORMAT: Format = Format {
    id: "tunableop",
    name: "PyTorch TunableOp results",
    produced_by: "PYTORCH_TUNABLEOP_ENABLED=1 PYTORCH_TUNABLEOP_TUNING=1 python model.py (tunableop_results0.csv)",
    example: "Validator,GCN_ARCH_NAME,gfx1100\n\
              GemmTunableOp_float_TN,tn_384_12_384,Gemm_Rocblas_1140853253,0.0118368\n",
    read: ReadBy::Code { claim, open },
};

fn claim(head: &Head) -> Option<Claim> {
    let results = head.lines.iter().filter(|l| l.contains("TunableOp_")).count();
    if head.first().starts_with("Validator,") {
        return Some(Claim::signature(1));
    }
    (results > 0 && results * 2 > head.lines.len()).then(|| Claim::signature(1))
}

fn open(_: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    let device = defaults::chosen_device(&mut table, options);
    Ok(Delimited::open(TunableOp { device }, table))
}

#[derive(Debug)]
struct TunableOp {
    device: u16,
}

impl RowReader for TunableOp {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        if record.get(0) == b"Validator" {
            let (key, value) = (record.text(1), record.text(2));
            if key == "GCN_ARCH_NAME" {
                self.device = table.device(value.split(':').next().unwrap_or(""));
            }
            table.note(format!("{key}: {value}"));
            return Ok(());
        }
        let row = row(record).map(|row| Row { device: self.device, ..row });
        let t = table;
        let solution = record.text(2);
        let library = if solution.contains("Rocblas") {
            "rocBLAS"
        } else if solution.contains("Hipblaslt") {
            "hipBLASLt"
        } else if solution == "Default" {
            "default"
        } else {
            ""
        };
        t.stage_text(ColumnMeaning::OpName, "operation", record.get(0));
        // Keep the parameters as written: operations also differ by strides and scales, which are not sizes.
        t.stage_text(ColumnMeaning::Other, "parameters", record.get(1));
        t.stage_text(ColumnMeaning::Kernel, "solution", record.get(2));
        t.stage_text(ColumnMeaning::Library, "library", library.as_bytes());
        t.commit(record.line(), record.raw(), row);
        Ok(())
    }

    fn end(self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        let t = &mut table;
        t.note(COLUMN_MAJOR);
        if self.device == 0 {
            t.assume_device("", "The file names no device.");
        }
        Ok(Imported::table(table.finish()))
    }
}

fn row(record: &Record<'_>) -> Result<Row, RowError> {
    if let Some(p) = record.problem() {
        return Err(RowError::new(p));
    }
    let bad = |column: usize, reason: &str| error_at(column, record, reason);
    let name = record.text(0);
    let Some((_, rest)) = name.split_once("TunableOp_") else {
        return Err(bad(0, NOT_A_GEMM));
    };
    // `float_TN`, `BFloat16_NT`, `Float8_e4m3fn_BFloat16_TN`
    let type_text = rest.rsplit_once('_').map_or(rest, |(t, _)| t);
    let dtype =
        types(type_text).ok_or_else(|| bad(0, &CellError::UnknownType.of("data type").reason))?;
    let params = record.text(1);
    let mut parts = params.split('_');
    let layout = parts.next().unwrap_or("").as_bytes();
    let [a, b] = layout else {
        return Err(bad(1, "layout is not two of n and t"));
    };
    let mut batch = 1;
    let mut sizes = Vec::new();
    let mut expect_batch = false;
    for part in parts {
        match part {
            "B" => expect_batch = true,
            "ld" | "rw" | "bias" => break,
            _ => {
                let size = cell::size(part.as_bytes()).map_err(|f| bad(1, &f.of("size").reason))?;
                if expect_batch {
                    batch = size;
                    expect_batch = false;
                } else {
                    sizes.push(size);
                }
            }
        }
    }
    let [m, n, k, ..] = sizes[..] else {
        return Err(bad(1, NO_SIZES));
    };
    let ms = cell::positive(record.get(3)).map_err(|f: CellError| bad(3, &f.said("time", "ms")))?;
    let op = dtype.with_layout(a.eq_ignore_ascii_case(&b't'), b.eq_ignore_ascii_case(&b't'));
    Ok(Row { batch, ..Row::new(m, n, k, op, ms * 1e-3) })
}

/// Parses `float`, or `Float8_e4m3fn_BFloat16`: operands, then the output if it differs.
fn types(text: &str) -> Option<Operation> {
    if let Some(t) = DataType::parse(text) {
        return Some(Operation::uniform(t));
    }
    text.rmatch_indices('_').find_map(|(at, _)| {
        let input = DataType::parse(&text[..at])?;
        let rest = &text[at + 1..];
        let output = DataType::parse(rest)
            .or_else(|| rest.rsplit_once('_').and_then(|(_, last)| DataType::parse(last)))?;
        Some(Operation { c: output, ..Operation::uniform(input) })
    })
}
