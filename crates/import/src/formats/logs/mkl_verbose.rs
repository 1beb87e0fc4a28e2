//! Calls of a CPU's BLAS with their times: `MKL_VERBOSE=1`, and the log of AOCL-BLAS (DTL). M, N, K follow
//! the two letters of the layout, column-major.

use super::*;
use crate::cell::values;
use gemmscope_model::dtype::from_blas_letter;

pub(crate) const FORMAT: Format = Format {
    id: "mkl-verbose",
    name: "MKL_VERBOSE",
    produced_by: "MKL_VERBOSE=1 ./app (oneMKL)",
    example: "MKL_VERBOSE SGEMM(N,N,64,512,256,0x7ffd,0x5581,64,0x5582,256,0x7ffe,0x5583,64) 29.10us CNR:OFF Dyn:1 FastMM:1 TID:0  NThr:2\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| head.any(|l| slots(CALL, l).is_some()),
        score: 97,
        reason: "its lines start with MKL_VERBOSE",
        parser: |_, _, _| Box::new(Calls { template: CALL, library: "oneMKL" }),
    }),
};

const CALL: &str = "MKL_VERBOSE {routine}({a},{b},{m},{n},{k},{}) {time} CNR";

pub(crate) const AOCL: Format = Format {
    id: "aocl-dtl",
    name: "AOCL-BLAS log (DTL)",
    produced_by: "AOCL_VERBOSE=1 ./app (AOCL-BLAS built with AOCL_DTL_LOG_ENABLE), which writes P…_aocldtl_log.txt",
    example: "dgemm_ D N T 1024 512 256 1.000000 0.000000 1024 512 0.000000 0.000000 1024 nt=64 0.512 ms 524.288 GFLOPS\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| head.any(|l| slots(DTL, l).is_some()),
        score: 97,
        reason: "its lines are calls of gemm with nt= and ms",
        parser: |_, _, _| Box::new(Calls { template: DTL, library: "AOCL-BLAS" }),
    }),
};

/// Alpha and beta are complex.
const DTL: &str = "^{routine} {} {a} {b} {m} {n} {k} {number} {number} {count} {count} {beta} {} {count} nt={count} {ms} ms{rate}";

struct Calls {
    template: &'static str,
    library: &'static str,
}

fn operation(routine: &str) -> Option<Operation> {
    let name = routine.to_ascii_uppercase();
    let (letter, rest) = name.split_once("GEMM")?;
    Some(match (letter, rest.trim_end_matches("_BLIS_IMPL")) {
        ("", "_BF16BF16F32") => Operation::mixed(DataType::Bf16, DataType::Bf16, DataType::Fp32),
        ("", "_F16F16F32") => Operation::mixed(DataType::Fp16, DataType::Fp16, DataType::Fp32),
        ("", r) if r.starts_with("_S8") => {
            Operation::mixed(DataType::Int8, DataType::Int8, DataType::Int32)
        }
        (letter, "" | "_" | "_64" | "3M" | "3M_") => {
            Operation::uniform(from_blas_letter(letter.chars().next()?.to_ascii_lowercase())?)
        }
        _ => return None,
    })
}

fn row(s: &Slots<'_>, op: Operation) -> Result<Row, RowError> {
    let [m, n, k] = s.sizes()?;
    let letter = |name| values::transpose(s.get(name)).unwrap_or(false);
    let mut op = op.with_layout(letter("a"), letter("b"));
    op.beta = s.number("beta").abs() > 0.0;
    Ok(Row::new(m, n, k, op, s.time()?))
}

impl Parser for Calls {
    fn result(&mut self, line: &str, _: &mut TableBuilder) -> Option<Entry> {
        let s = slots(self.template, line)?;
        let op = operation(s.get("routine"))?;
        let mut e = Entry::new(row(&s, op));
        e.rate = log::rate_in(s.get("rate"));
        e.library = self.library.to_owned();
        e.op_name = s.get("routine").to_owned();
        Some(e)
    }
}
