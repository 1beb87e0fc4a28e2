//! SGEMM_CUDA and its descendants: `Average elapsed time: (0.005661) s, performance: (24277.4)
//! GFLOPS. size: (4096).`

use crate::columns::defaults;
use crate::split::log;
use crate::split::log::{Entry, Parser};
use crate::{Detection, Format, Head, ReadBy};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};

pub(crate) const FORMAT: Format = Format {
    id: "sgemm-cuda",
    name: "SGEMM_CUDA",
    produced_by: "./sgemm 6 | tee 6_output.txt (SGEMM_CUDA)",
    example: "Running kernel 6 on device 0.\ndimensions(m=n=k) 4096, alpha: 0.5, beta: 3\nAverage elapsed time: (0.005661) s, performance: (24277.4) GFLOPS. size: (4096).\n",
    read: ReadBy::Code {
        detect: |head: &Head| {
            let lines = log::lines_with(head, &["elapsed time: (", "performance: (", "size: ("]);
            (lines > 0).then(|| {
                Detection::new(96, "its lines say elapsed time: (…) s, performance: (…) GFLOPS")
            })
        },
        open: |head, options| {
            log::open(head, options, |table| SgemmCuda {
                dtype: defaults::dtype(table, head, options, DataType::Fp32),
                kernel: String::new(),
                beta: false,
            })
        },
    },
};

#[derive(Debug)]
struct SgemmCuda {
    dtype: DataType,
    kernel: String,
    beta: bool,
}

impl Parser for SgemmCuda {
    fn line(&mut self, line: &str, _: &mut TableBuilder) -> Vec<Entry> {
        if let Some(rest) = log::after(line, "Running kernel") {
            self.kernel = format!("kernel {}", rest.split_whitespace().next().unwrap_or(""));
        }
        if let Some(beta) = log::number_after(line, "beta:") {
            self.beta = beta != 0.0;
        }
        if !(line.contains("elapsed time: (") && line.contains("performance: (")) {
            return Vec::new();
        }
        let row = (|| -> Result<Row, RowError> {
            let seconds = log::time(log::number_after(line, "elapsed time: ("), 1.0)?;
            let n = log::size_after(line, "size: (")?;
            let mut op = Operation::uniform(self.dtype);
            op.beta = self.beta;
            Ok(Row::new(n, n, n, op, seconds))
        })();
        let mut e = Entry::new(row);
        e.rate = log::after(line, "performance: (").map_or(f64::NAN, log::rate_in);
        e.kernel = self.kernel.clone();
        vec![e]
    }

    fn end(&mut self, table: &mut TableBuilder) {
        table.note("Seconds have six decimals: the rates of short calls differ by more than 1 %.");
    }
}
