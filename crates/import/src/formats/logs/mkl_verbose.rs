//! `MKL_VERBOSE=1`: a line a call. M, N, K follow the two letters of the layout, column-major.

use super::*;
use crate::cell::{Quantity, quantity, values};
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
        parser: |_, _, _| Box::new(Mkl),
    }),
};

const CALL: &str = "MKL_VERBOSE {routine}({a},{b},{m},{n},{k},{}) {time} CNR";

struct Mkl;

fn operation(routine: &str) -> Option<Operation> {
    let name = routine.to_ascii_uppercase();
    let (letter, rest) = name.split_once("GEMM")?;
    Some(match (letter, rest) {
        ("", "_BF16BF16F32") => Operation::mixed(DataType::Bf16, DataType::Bf16, DataType::Fp32),
        ("", "_F16F16F32") => Operation::mixed(DataType::Fp16, DataType::Fp16, DataType::Fp32),
        ("", r) if r.starts_with("_S8") => {
            Operation::mixed(DataType::Int8, DataType::Int8, DataType::Int32)
        }
        (letter, "" | "_64" | "3M") => {
            Operation::uniform(from_blas_letter(letter.chars().next()?.to_ascii_lowercase())?)
        }
        _ => return None,
    })
}

fn row(s: &Slots<'_>, op: Operation) -> Result<Row, RowError> {
    let [m, n, k] = s.sizes()?;
    let time = quantity(s.get("time").as_bytes()).filter(|(_, kind)| *kind == Quantity::Time);
    let time = log::time(time.map(|t| t.0), 1.0)?;
    let letter = |name| values::transpose(s.get(name)).unwrap_or(false);
    Ok(Row::new(m, n, k, op.with_layout(letter("a"), letter("b")), time))
}

impl Parser for Mkl {
    fn result(&mut self, line: &str, _: &mut TableBuilder) -> Option<Entry> {
        let s = slots(CALL, line)?;
        let op = operation(s.get("routine"))?;
        let mut e = Entry::new(row(&s, op));
        e.library = "oneMKL".to_owned();
        e.op_name = s.get("routine").to_owned();
        Some(e)
    }
}
