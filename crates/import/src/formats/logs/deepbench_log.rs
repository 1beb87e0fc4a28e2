//! DeepBench on processors: `SGEMM(N,N,512,32,512) 24.6 usec 682.47 GFlop/sec` a line.

use super::*;
use crate::cell::values;
use gemmscope_model::dtype::from_blas_letter;
use gemmscope_model::units::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    id: "deepbench-log",
    name: "DeepBench log (CPU)",
    produced_by: "./run_mkl_sgemm_ia.sh | tee sgemm.txt (DeepBench/code/intel/sgemm)",
    example: "SGEMM(N,N,512,32,512) 24.6 usec 682.47345 GFlop/sec\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| head.any(|l| call(l).is_some()),
        score: 96,
        reason: "its lines are SGEMM(N,N,M,N,K) with a time",
        parser: |_, _, _| Box::new(DeepBench),
    }),
};

struct DeepBench;

const CALL: &str = "{routine}GEMM({a},{b},{m},{n},{k}) {number} {rest}";

/// A call with its type and the unit of its time, seconds.
fn call(line: &str) -> Option<(Slots<'_>, DataType, TimeUnit)> {
    let s = slots(CALL, line)?;
    let dtype = s.get("routine").chars().next_back().and_then(from_blas_letter)?;
    let unit = s.get("rest").split_whitespace().next().and_then(TimeUnit::parse)?;
    Some((s, dtype, unit))
}

impl Parser for DeepBench {
    fn result(&mut self, line: &str, _: &mut TableBuilder) -> Option<Entry> {
        let (s, dtype, unit) = call(line)?;
        let row = s.sizes().and_then(|[m, n, k]| {
            let flag = |name| {
                values::transpose(s.get(name))
                    .ok_or_else(|| RowError::new("transpose is not N or T"))
            };
            let op = Operation::uniform(dtype).with_layout(flag("a")?, flag("b")?);
            Ok(Row::new(m, n, k, op, log::time(Some(s.number("number")), unit.to_si())?))
        });
        let mut e = Entry::new(row);
        let rate = s.get("rest").split_once(char::is_whitespace).and_then(|r| log::leading(r.1));
        let in_gigaflops = rate.filter(|(_, unit)| unit.trim_start().starts_with("GFlop"));
        e.rate = in_gigaflops.map_or(f64::NAN, |(v, _)| v * 1e9);
        Some(e)
    }
}
