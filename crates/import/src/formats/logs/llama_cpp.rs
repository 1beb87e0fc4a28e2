//! llama.cpp's `test-backend-ops perf`: `MUL_MAT(type_a=q4_0,…): … us/run - … GFLOP/run - … TFLOPS`.
//!
//! `m` counts the rows of the weight, which is A here as there; it is stored K-major, so A counts
//! as transposed. Weights come in blocks with scales. The unit word changes from line to line.

use super::*;
use gemmscope_model::units::float;

pub(crate) const FORMAT: Format = Format {
    id: "llama-cpp",
    name: "llama.cpp test-backend-ops perf",
    produced_by: "test-backend-ops perf -o MUL_MAT",
    example: "  MUL_MAT(type_a=q4_0,type_b=f32,m=4096,n=1,k=14336,bs=[1,1],nr=[1,1],per=[0,1,2,3]):  22152 runs -    45.22 us/run - 117.44 MFLOP/run -   2.60 TFLOPS\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| head.any(|l| log::has(l, &["MUL_MAT", "type_a=", "type_b="])),
        score: 97,
        reason: "its lines start with MUL_MAT(type_a=",
        parser: |_, _, _| Box::<LlamaCpp>::default(),
        notes: &[
            "A is the weight with m rows, stored K-major and dequantised to the other operand's type.",
        ],
        ..LogFormat::DEFAULT
    }),
};

#[derive(Debug, Default)]
struct LlamaCpp {
    backend: String,
    device: u16,
    experts: bool,
}

impl Parser for LlamaCpp {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        if let Some(name) = log::after(line, "Device description:") {
            self.device = rows.table.device(name);
            return None;
        }
        // `Backend 1/2: CUDA0`
        if let Some((_, name)) = line
            .trim_start()
            .strip_prefix("Backend ")
            .and_then(|r| r.split_once(':'))
            .filter(|(count, _)| count.contains('/'))
        {
            self.backend = name.trim().to_owned();
            self.device = 0;
            return None;
        }
        let (name, rest) = line.trim_start().split_once('(')?;
        if !name.starts_with("MUL_MAT") || !rest.starts_with("type_a=") {
            return None;
        }
        let (args, result) = rest.split_once(')')?;
        let row = if name == "MUL_MAT" {
            self.row(args, result)
        } else {
            self.experts = true;
            Err(RowError::new("rows are routed to experts (MUL_MAT_ID): not a single GEMM"))
        };
        let mut e = Entry::new(row);
        let pieces: Vec<&str> = result.split(" - ").collect();
        let piece = |unit: &str| pieces.iter().find(|p| p.contains(unit)).copied();
        if let Some(p) = piece("FLOPS") {
            e.rate = log::rate_in(p);
        }
        if let Some(p) = piece("FLOP/run") {
            e.work = log::rate_in(&p.replace("FLOP/run", "FLOPS"));
        }
        e.op_name = name.to_owned();
        e.library = self.backend.clone();
        Some(e)
    }
}

impl LlamaCpp {
    fn row(&self, args: &str, result: &str) -> Result<Row, RowError> {
        if result.contains("not supported") {
            return Err(RowError::new("not supported by the backend"));
        }
        let field =
            |key: &str| args.split(',').find_map(|a| a.trim().strip_prefix(key)).unwrap_or("");
        let dtype = |key: &str| {
            DataType::parse(field(key))
                .ok_or_else(|| flaw("data type is not recognised", field(key)))
        };
        let (a, b) = (dtype("type_a=")?, dtype("type_b=")?);
        let (m, n, k) = (
            log::size_after(&format!(",{args}"), ",m=")?,
            log::size_after(args, ",n=")?,
            log::size_after(args, ",k=")?,
        );
        let us =
            result.split(" - ").find(|p| p.contains("us/run")).and_then(log::leading).map(|n| n.0);
        let mut op = Operation::mixed(a, b, DataType::Fp32).with_layout(true, false);
        // The test's inputs are fp32; the kernels unpack the weight and round them to 16 or 8 bits.
        if op.compute == DataType::Fp32 && a != DataType::Fp32 {
            op.compute = if a == DataType::Bf16 { DataType::Bf16 } else { DataType::Fp16 };
        }
        let mut row = Row::new(m, n, k, op, log::time(us, 1e-6)?);
        row.device = self.device;
        // `bs=[2,3],nr=[1,4]`: the batch of A, and how often B repeats it.
        let mut batch = 1.0;
        for key in ["bs=[", "nr=["] {
            if let Some(list) = log::after(args, key).and_then(|t| t.split(']').next()) {
                batch *= list.split(',').filter_map(|v| float(v.trim())).product::<f64>();
            }
        }
        row.batch = log::size(batch, "batch")?;
        Ok(row)
    }
}
