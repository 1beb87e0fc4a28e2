//! FlagGems performance tests: one table per operator and type, two libraries per line, operand
//! sizes as `torch.Size([…])`.

use super::*;
use crate::cell::operands::Operator;
use crate::cell::py::Py;
use crate::split::dialect::apart;

pub(crate) const FORMAT: Format = Format {
    id: "flaggems",
    name: "FlagGems performance test",
    produced_by: "pytest benchmark/test_blas_perf.py -s --mode kernel (FlagGems)",
    example: "Operator: mm  Performance Test (dtype=torch.float16, mode=kernel,level=comprehensive)\n\
              Status       Torch Latency (ms)    Gems Latency (ms)         Gems Speedup          TFLOPS          Size Detail\n\
              SUCCESS               0.231200            0.250200               0.924             549.3          [torch.Size([4096, 4096]), torch.Size([4096, 4096])]\n",
    read: ReadBy::Log(&LogFormat {
        signature: &["Gems Latency", "Size Detail"],
        parser: |_, _, _| Box::<FlagGems>::default(),
        ..LogFormat::DEFAULT
    }),
};

#[derive(Default)]
struct FlagGems {
    operator: String,
    dtype: Option<DataType>,
    titles: Vec<String>,
}

impl Parser for FlagGems {
    fn line(&mut self, line: &str, rows: &mut LogRows<'_>) -> Vec<Entry> {
        if let Some(rest) = log::after(line, "Operator:") {
            self.operator = rest.split_whitespace().next().unwrap_or("").to_owned();
            self.dtype = log::after(line, "dtype=")
                .and_then(|t| t.split([',', ')']).next())
                .and_then(DataType::parse);
            return Vec::new();
        }
        if line.contains("Size Detail") {
            self.titles = apart(line).into_iter().map(str::to_owned).collect();
            return Vec::new();
        }
        let status = line.split_whitespace().next().unwrap_or("");
        if !matches!(status, "SUCCESS" | "FAILED" | "SKIPPED") || self.titles.is_empty() {
            return Vec::new();
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        let sizes = line.find('[').map_or("", |at| &line[at..]);
        let shape = if status == "SUCCESS" {
            self.shape(sizes, rows)
        } else {
            Err(RowError::new(format!("status is {status}")))
        };
        let at = |title: &str| {
            let i = self.titles.iter().position(|t| t.starts_with(title))?;
            cells.get(i)?.parse::<f64>().ok()
        };
        let mut out = Vec::new();
        for (library, title) in [("PyTorch", "Torch Latency"), ("FlagGems", "Gems Latency")] {
            let row = shape.clone();
            let row = row.and_then(|row| Ok(Row { time_s: log::time(at(title), 1e-3)?, ..row }));
            let mut entry = Entry::new(row);
            entry.library = library.to_owned();
            entry.op_name.clone_from(&self.operator);
            if library == "FlagGems" {
                entry.rate = at("TFLOPS").map_or(f64::NAN, |v| v * 1e12);
            }
            out.push(entry);
            if shape.is_err() {
                break;
            }
        }
        out
    }
}

impl FlagGems {
    fn shape(&self, text: &str, rows: &mut LogRows<'_>) -> Result<Row, RowError> {
        let dims = Py::parse(text).shapes();
        let found = Operator::of(&self.operator).and_then(|o| Some((o, o.shape(&dims)?)));
        let (operator, shape) = found.ok_or_else(|| RowError::new(NOT_A_GEMM))?;
        let dtype = rows.dtype(self.dtype);
        let op = operator.operation(&dims, shape.sizes[1], [dtype; 2], [false; 2]);
        Ok(shape.row(op, f64::NAN))
    }
}
