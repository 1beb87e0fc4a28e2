//! DeepBench on processors: `SGEMM(N,N,512,32,512) 24.6 usec 682.47 GFlop/sec` a line.

use crate::cell::{self, values};
use crate::split::log;
use crate::split::log::{Entry, Parser};
use crate::{Detection, Format, Head, ReadBy};
use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};

pub(crate) const FORMAT: Format = Format {
    id: "deepbench-log",
    name: "DeepBench log (CPU)",
    produced_by: "./run_mkl_sgemm_ia.sh | tee sgemm.txt (DeepBench/code/intel/sgemm)",
    example: "SGEMM(N,N,512,32,512) 24.6 usec 682.47345 GFlop/sec\n",
    read: ReadBy::Code {
        detect: |head: &Head| {
            let lines = log::lines_with(head, &["GEMM(", ") ", "sec"]);
            (lines > 0 && head.lines.iter().any(|l| call(l).is_some()))
                .then(|| Detection::new(96, "its lines are SGEMM(N,N,M,N,K) with a time"))
        },
        open: |head, options| log::open(head, options, |_| DeepBench),
    },
};

#[derive(Debug)]
struct DeepBench;

/// Type, arguments and rest of a call.
fn call(line: &str) -> Option<(DataType, Vec<&str>, &str)> {
    let at = line.find("GEMM(")?;
    let dtype = line[..at].chars().next_back().and_then(from_blas_letter)?;
    let (arguments, rest) = line[at + 5..].split_once(')')?;
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
    (arguments.len() == 5).then_some((dtype, arguments, rest))
}

impl Parser for DeepBench {
    fn line(&mut self, line: &str, _: &mut TableBuilder) -> Vec<Entry> {
        let Some((dtype, arguments, rest)) = call(line) else {
            return Vec::new();
        };
        let row = || {
            let flag = |i: usize| {
                values::transpose(arguments[i])
                    .ok_or_else(|| RowError::new("transpose is not N or T"))
            };
            let size = |i: usize, name: &str| {
                cell::size(arguments[i].as_bytes())
                    .map_err(|flaw| RowError::new(format!("{name} {flaw}")))
            };
            let (value, unit) =
                log::leading(rest).ok_or_else(|| RowError::new("time is missing"))?;
            let scale = match unit.split_whitespace().next() {
                Some("usec" | "us") => 1e-6,
                Some("msec" | "ms") => 1e-3,
                Some("sec" | "s") => 1.0,
                _ => return Err(RowError::new("time has no unit (usec, msec, sec)")),
            };
            let op = Operation::uniform(dtype).with_layout(flag(0)?, flag(1)?);
            let time = log::time(Some(value), scale)?;
            Ok(Row::new(size(2, "M")?, size(3, "N")?, size(4, "K")?, op, time))
        };
        let mut e = Entry::new(row());
        let rate = log::leading(rest).and_then(|(_, r)| {
            let r = r.trim_start();
            r.split_once(char::is_whitespace).map(|(_, rate)| rate)
        });
        e.rate = rate
            .and_then(log::leading)
            .filter(|(_, unit)| unit.trim_start().starts_with("GFlop"))
            .map_or(f64::NAN, |(v, _)| v * 1e9);
        vec![e]
    }
}
