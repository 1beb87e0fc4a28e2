//! BLIS's `test/3`: Matlab lines `data_st_sgemm_asm_blis( 1, 1:4 ) = [ m k n gflops ];`. The
//! order is m, k, n.

use crate::split::log;
use crate::split::log::{Entry, Parser};
use crate::{Detection, Format, Head, ReadBy};
use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_model::gemm::{Operation, Problem};
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};

pub(crate) const FORMAT: Format = Format {
    id: "blis",
    name: "BLIS test/3",
    produced_by: "./runme.sh (blis/test/3), the *.m files it writes",
    example: "data_st_sgemm_blis( 1, 1:4 ) = [   400   300   200   61.23 ];\n",
    read: ReadBy::Code {
        detect: |head: &Head| {
            let lines = log::lines_with(head, &["data_", "gemm", "1:4", "= ["]);
            (lines > 0).then(|| {
                Detection::new(95, "its lines are data_…gemm…( i, 1:4 ) = [ m k n gflops ];")
            })
        },
        open: |head, options| log::open(head, options, |_| Blis),
    },
};

#[derive(Debug)]
struct Blis;

impl Parser for Blis {
    fn line(&mut self, line: &str, table: &mut TableBuilder) -> Vec<Entry> {
        let Some((name, rest)) = line.trim_start().split_once('(') else {
            return Vec::new();
        };
        let Some(at) = name.find("gemm").filter(|_| name.starts_with("data_")) else {
            return Vec::new();
        };
        let Some(values) = log::after(rest, "[").and_then(|v| v.split(']').next()) else {
            return Vec::new();
        };
        let dtype =
            name[..at].chars().next_back().and_then(from_blas_letter).unwrap_or(DataType::Fp64);
        let numbers: Vec<f64> = values.split_whitespace().filter_map(|v| v.parse().ok()).collect();
        let mut rate = f64::NAN;
        let row = (|| -> Result<Row, RowError> {
            let [m, k, n, gflops] = numbers[..] else {
                return Err(RowError::new("not the four numbers m, k, n and GFLOP/s"));
            };
            if gflops.is_nan() || gflops <= 0.0 {
                return Err(RowError::new("rate is zero"));
            }
            rate = gflops * 1e9;
            let (m, n, k) = (log::size(m, "m")?, log::size(n, "n")?, log::size(k, "k")?);
            let op = Operation::uniform(dtype);
            let problem = Problem { m, n, k, batch: 1, op };
            Ok(Row::new(m, n, k, op, problem.work().0 / rate))
        })();
        table.rates_are_not_independent();
        let mut e = Entry::new(row);
        e.rate = rate;
        // `data_st_sgemm_asm_blis`: the implementation follows the routine.
        e.library = name[at + 4..].trim_matches(['_', ' ']).to_owned();
        e.op_name = name.trim().trim_start_matches("data_").to_owned();
        vec![e]
    }

    fn end(&mut self, table: &mut TableBuilder) {
        table.note(
            "Times computed from the file's rates, at 2MNK operations per call (8MNK \
                    for complex types).",
        );
    }
}
