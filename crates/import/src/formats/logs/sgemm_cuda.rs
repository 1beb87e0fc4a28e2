//! SGEMM_CUDA and its descendants: `Average elapsed time: (0.005661) s, performance: (24277.4)
//! GFLOPS. size: (4096).`

use super::*;
use crate::columns::defaults;

pub(crate) const FORMAT: Format = Format {
    id: "sgemm-cuda",
    name: "SGEMM_CUDA",
    produced_by: "./sgemm 6 | tee 6_output.txt (SGEMM_CUDA)",
    example: "Running kernel 6 on device 0.\ndimensions(m=n=k) 4096, alpha: 0.5, beta: 3\nAverage elapsed time: (0.005661) s, performance: (24277.4) GFLOPS. size: (4096).\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| head.any(|l| slots(RESULT, l).is_some()),
        score: 96,
        reason: "its lines say elapsed time: (…) s, performance: (…) GFLOPS",
        parser: |head, options, table| {
            Box::new(SgemmCuda {
                dtype: defaults::dtype(table, head, options, DataType::Fp32),
                kernel: String::new(),
                beta: false,
            })
        },
    }),
};

const RESULT: &str = "elapsed time: ({s}) {} performance: ({rate}) GFLOPS {} size: ({n})";

struct SgemmCuda {
    dtype: DataType,
    kernel: String,
    beta: bool,
}

impl Parser for SgemmCuda {
    fn result(&mut self, line: &str, _: &mut TableBuilder) -> Option<Entry> {
        if let Some(rest) = log::after(line, "Running kernel") {
            self.kernel = format!("kernel {}", rest.split_whitespace().next().unwrap_or(""));
        }
        if let Some(beta) = log::number_after(line, "beta:") {
            self.beta = beta != 0.0;
        }
        let s = slots(RESULT, line)?;
        let row = s.time().and_then(|time_s| {
            let n = s.size("n")?;
            let op = Operation { beta: self.beta, ..Operation::uniform(self.dtype) };
            Ok(Row::new(n, n, n, op, time_s))
        });
        let mut e = Entry::new(row);
        e.rate = s.number("rate") * 1e9;
        e.kernel = self.kernel.clone();
        Some(e)
    }

    fn end(&mut self, table: &mut TableBuilder) {
        table.note("Seconds have six decimals: the rates of short calls differ by more than 1 %.");
    }
}
