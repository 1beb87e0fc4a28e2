//! tinygrad's `extra/gemm`: `4194304    324.76 us, would be  52899.88 GFLOPS matmul, 154.98 GB/s`.
//!
//! The first number is that of the output's elements; the matrices are square.

use crate::columns::defaults;
use crate::split::log;
use crate::split::log::{Entry, Parser};
use crate::{Detection, Format, Head, ReadBy};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Operation, Problem};
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};

pub(crate) const FORMAT: Format = Format {
    id: "tinygrad",
    name: "tinygrad extra/gemm",
    produced_by: "python extra/gemm/triton_nv_matmul.py (tinygrad)",
    example: "   4194304    324.76 us, would be  52899.88 GFLOPS matmul, 154.98 GB/s\n",
    read: ReadBy::Code {
        detect: |head: &Head| {
            let lines = log::lines_with(head, &[" us, would be", "FLOPS"]);
            (lines > 0).then(|| Detection::new(96, "its lines say … us, would be … GFLOPS"))
        },
        open: |head, options| {
            log::open(head, options, |table| Tinygrad {
                dtype: defaults::dtype(table, head, options, DataType::Fp16),
            })
        },
    },
};

#[derive(Debug)]
struct Tinygrad {
    dtype: DataType,
}

impl Parser for Tinygrad {
    fn line(&mut self, line: &str, _: &mut TableBuilder) -> Vec<Entry> {
        let Some((left, right)) = line.split_once(" us, would be") else {
            return Vec::new();
        };
        let mut words = left.split_whitespace().rev();
        let us = words.next().and_then(|w| w.parse::<f64>().ok());
        let elements = words.next().and_then(|w| w.parse::<f64>().ok());
        let rate = log::rate_in(right);
        let row = (|| -> Result<Row, RowError> {
            let seconds = log::time(us, 1e-6)?;
            let side = elements.unwrap_or(0.0).sqrt();
            let n = log::size(side, "the square root of the first number")?;
            let op = Operation::uniform(self.dtype);
            let square = Problem { m: n, n, k: n, batch: 1, op };
            let k = (rate * seconds / (2.0 * side * side)).round();
            // The rate shows whether K equals the side too.
            let k = if (square.work().0 / seconds / rate - 1.0).abs() < 0.01 || !rate.is_finite() {
                n
            } else {
                log::size(k, "K from the rate")?
            };
            Ok(Row::new(n, n, k, op, seconds))
        })();
        let mut e = Entry::new(row);
        e.rate = rate;
        e.library = "tinygrad".into();
        if let Some((_, bandwidth)) = right.split_once("matmul,") {
            e.bandwidth = log::leading(bandwidth).map_or(f64::NAN, |v| v.0 * 1e9);
        }
        vec![e]
    }

    fn end(&mut self, table: &mut TableBuilder) {
        table.note(
            "The first number is M x N with M = N; K is M, or follows from the rate \
                    where that differs.",
        );
    }
}
