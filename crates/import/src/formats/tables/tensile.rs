//! Tensile's `2_BenchmarkData`: one line a shape, one column a kernel, integer GFLOP/s in the
//! cells. Every cell is a point, so a file of one megabyte gives a hundred thousand.
//!
//! `SizeI` is M, `SizeJ` is N, `SizeK` is the batch and `SizeL` is K. The first header cell is
//! the unit of the cells, over a column of row numbers.

use crate::cell;
use crate::{
    CellError, Col, Delimited, Detection, Format, Head, Header, ImportError, ImportOptions,
    Imported, Opened, ReadBy, Record, RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_model::units::RateUnit;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{ColumnId, Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;

pub(crate) const FORMAT: Format = Format {
    id: "tensile",
    name: "Tensile benchmark data (a column per kernel)",
    produced_by: "Tensile/bin/Tensile config.yaml out (out/2_BenchmarkData/*.csv)",
    example: "GFlops, SizeI, SizeJ, SizeK, SizeL, LDD, LDC, LDA, LDB, TotalFlops, Cijk_Ailk_Bjlk_HBH_MT64x64x8_SE_GSU1\n\
              0, 384, 3072, 1, 4096, 384, 384, 384, 3072, 9663676416, 8102\n",
    read: ReadBy::Code { detect, open },
};

const SIZES: [&str; 4] = ["SizeI", "SizeJ", "SizeK", "SizeL"];

fn detect(head: &Head) -> Option<Detection> {
    head.line_with(&SIZES)?;
    Some(Detection::new(97, "the header has SizeI, SizeJ, SizeK, SizeL and a column per kernel"))
}

fn open(_: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    let kernel = table.text_column(ColumnMeaning::Kernel, "kernel");
    let library = table.text_column(ColumnMeaning::Library, "library");
    let rate = table.number_column(ColumnMeaning::ReportedRate, "rate");
    table.rates_are_not_independent();
    let device = options.answer("device").unwrap_or_default().to_owned();
    let device_code = table.device(&device);
    let rows = Tensile {
        dtype: options.dtype("dtype"),
        device,
        device_code,
        kernel,
        library,
        rate,
        cols: None,
    };
    Ok(Delimited::open(rows, table))
}

#[derive(Debug)]
struct Cols {
    sizes: [Col; 4],
    /// FLOP/s of one unit in the cells.
    unit: f64,
    kernels: Vec<(usize, String, Operation)>,
}

#[derive(Debug)]
struct Tensile {
    dtype: Option<DataType>,
    device: String,
    device_code: u16,
    kernel: ColumnId,
    library: ColumnId,
    rate: ColumnId,
    cols: Option<Cols>,
}

impl Tensile {
    fn header(&self, record: &Record<'_>, table: &mut TableBuilder) -> Option<Cols> {
        let h = Header::new(record);
        let [i, j, k, l] = SIZES.map(|name| h.find(&[name]));
        let sizes = [i?, j?, k?, l?];
        let unit = h.names.first().and_then(|n| RateUnit::parse(n)).unwrap_or(RateUnit::GigaFlops);
        let known = ["LDD", "LDC", "LDA", "LDB", "TotalFlops"];
        let mut kernels = Vec::new();
        for (i, name) in h.names.iter().enumerate().skip(1) {
            let name = name.trim();
            if sizes.iter().any(|c| c.index == i) || known.contains(&name) || name.is_empty() {
                continue;
            }
            let parsed = KernelName::parse(name);
            let dtype = match (self.dtype, parsed.dtype) {
                (Some(t), _) | (None, Some(t)) => t,
                (None, None) => {
                    table.assume_dtype(DataType::Fp16, "No data type in the kernel's name");
                    DataType::Fp16
                }
            };
            let (a, b) = parsed.transposes.unwrap_or((false, false));
            kernels.push((i, name.to_owned(), Operation::uniform(dtype).with_layout(a, b)));
        }
        Some(Cols { sizes, unit: unit.to_si(), kernels })
    }
}

impl RowReader for Tensile {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some(cols) = &self.cols else {
            let cols = self.header(record, table);
            self.cols = cols;
            return Ok(());
        };
        let shape = || -> Result<[u32; 4], RowError> {
            if let Some(p) = record.problem() {
                return Err(RowError::new(p));
            }
            let [i, j, k, l] = &cols.sizes;
            Ok([
                i.size(record, "M")?,
                j.size(record, "N")?,
                k.size(record, "batch")?,
                l.size(record, "K")?,
            ])
        };
        let [m, n, batch, k] = match shape() {
            Ok(s) => s,
            Err(bad) => {
                // The line names as many points as there are kernels; it is one row set aside.
                table.reject(record.line(), record.raw(), &bad);
                return Ok(());
            }
        };
        let t = table;
        for (index, name, op) in &cols.kernels {
            let mut row = Row::new(m, n, k, *op, f64::NAN);
            row.batch = batch;
            row.device = self.device_code;
            let text = record.get(*index);
            let result = match cell::positive(text) {
                Ok(v) => {
                    let rate = v * cols.unit;
                    row.time_s = op.cost().of(m.into(), n.into(), k.into(), batch.into()).0 / rate;
                    t.set_text(self.kernel, name.as_bytes());
                    t.set_text(self.library, b"Tensile");
                    t.set_number(self.rate, rate);
                    Ok(row)
                }
                Err(flaw) => Err(bad_cell(*index, text, flaw)),
            };
            match result {
                Ok(row) => t.commit(record.line(), record.raw(), Ok(row)),
                // The whole line would be thousands of cells: keep the one that is meant.
                Err(bad) => t.commit(record.line(), text, Err(bad)),
            }
        }
        Ok(())
    }

    fn end(self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        let t = &mut table;
        t.note("Times computed from the file's rates, which are whole GFLOP/s.");
        t.note("M, N and layout are column-major (BLAS).");
        t.assume_device(&self.device, "The file names no device.");
        Ok(Imported::table(table.finish()))
    }
}

fn bad_cell(index: usize, text: &[u8], flaw: CellError) -> RowError {
    RowError {
        reason: format!("rate {flaw}"),
        column: u32::try_from(index + 1).unwrap_or(u32::MAX),
        text: String::from_utf8_lossy(text).into_owned(),
    }
}
