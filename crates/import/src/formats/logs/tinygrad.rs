//! tinygrad's `extra/gemm`: `4194304    324.76 us, would be  52899.88 GFLOPS matmul, 154.98 GB/s`.
//!
//! The first number is that of the output elements; the matrices are square.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "tinygrad",
    name: "tinygrad extra/gemm",
    produced_by: "python extra/gemm/triton_nv_matmul.py (tinygrad)",
    example: "   4194304    324.76 us, would be  52899.88 GFLOPS matmul, 154.98 GB/s\n",
    read: ReadBy::Log(&LogFormat {
        signature: &[" us, would be", "FLOPS"],
        parser: |_, _, rows| Box::new(Tinygrad { dtype: rows.dtype(None) }),
        notes: &[
            "The first number is M x N with M = N; K is M, or follows from the rate where that differs.",
        ],
        ..LogFormat::DEFAULT
    }),
};

struct Tinygrad {
    dtype: DataType,
}

impl Parser for Tinygrad {
    fn result(&mut self, line: &str, _: &mut LogRows<'_>) -> Option<Entry> {
        let (left, right) = line.split_once(" us, would be")?;
        let mut words = left.split_whitespace().rev();
        let us = words.next().and_then(|text| text.parse::<f64>().ok());
        let elements = words.next().and_then(|text| text.parse::<f64>().ok());
        let rate = log::rate_in(right);
        let row = (|| -> Result<Row, RowError> {
            let seconds = log::time(us, 1e-6)?;
            let side = elements.unwrap_or(0.0).sqrt();
            let n = log::size(side, "the square root of the first number")?;
            let op = Operation::uniform(self.dtype);
            let square = Problem { m: n, n, k: n, batch: 1, op };
            let k = (rate * seconds / (2.0 * side * side)).round();
            // K equals the side if the rate agrees.
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
        Some(e)
    }
}
