//! `MKL_VERBOSE=1`: a line a call. M, N, K follow the two letters of the layout, column-major.

use crate::cell::{Quantity, quantity, values};
use crate::split::log;
use crate::split::log::{Entry, Parser};
use crate::split::template::{Slots, slots};
use crate::{Detection, Format, Head, ReadBy};
use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};

pub(crate) const FORMAT: Format = Format {
    id: "mkl-verbose",
    name: "MKL_VERBOSE",
    produced_by: "MKL_VERBOSE=1 ./app (oneMKL)",
    example: "MKL_VERBOSE SGEMM(N,N,64,512,256,0x7ffd,0x5581,64,0x5582,256,0x7ffe,0x5583,64) 29.10us CNR:OFF Dyn:1 FastMM:1 TID:0  NThr:2\n",
    read: ReadBy::Code {
        detect: |head: &Head| {
            head.lines
                .iter()
                .any(|l| slots(CALL, l).is_some())
                .then(|| Detection::new(97, "its lines start with MKL_VERBOSE"))
        },
        open: |head, options| log::open(head, options, |_| Mkl),
    },
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
    fn line(&mut self, line: &str, _: &mut TableBuilder) -> Vec<Entry> {
        let Some(s) = slots(CALL, line) else { return Vec::new() };
        let Some(op) = operation(s.get("routine")) else { return Vec::new() };
        let mut e = Entry::new(row(&s, op));
        e.library = "oneMKL".to_owned();
        e.op_name = s.get("routine").to_owned();
        vec![e]
    }
}
