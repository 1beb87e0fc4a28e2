//! PyTorch Inductor autotuning, the text that `torch.compile(mode="max-autotune")` prints per GEMM, possibly among
//! other log lines. The heading gives the operand sizes; each candidate below it is a row with its options as tile.

use super::*;
use crate::cell::operands::Operator;
use crate::cell::shape_text::Shape;

pub(crate) const FORMAT: Format = Format {
    id: "inductor",
    name: "PyTorch Inductor autotuning",
    produced_by: "python train.py with torch.compile(mode=\"max-autotune\")",
    example: "AUTOTUNE mm(128x4096, 4096x12288)\n\
              strides: [4096, 1], [1, 4096]\n\
              dtypes: torch.float16, torch.float16\n  \
                mm 0.0476 ms 100.0% \n  \
                triton_mm_6 0.0485 ms 98.2% ALLOW_TF32=False, BLOCK_K=64, BLOCK_M=128, BLOCK_N=128, num_stages=4, num_warps=8\n\
              SingleProcess AUTOTUNE benchmarking takes 1.2345 seconds and 0.5678 seconds precompiling for 2 choices\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| {
            head.any(|l| slots(HEADING, l).is_some_and(|s| s.get("op").chars().all(of_name)))
        },
        others: Others::Operations("autotuning"),
        parser: |head, _, _| {
            let allow_tf32 = head.any(|l| l.contains("ALLOW_TF32=True"));
            Box::new(Inductor { problem: None, allow_tf32 })
        },
        notes: &[
            "Only the fastest choices of each GEMM are in the log: a backend that is missing there was slower or not tried.",
        ],
        ..LogFormat::DEFAULT
    }),
};

const HEADING: &str = "AUTOTUNE {op}({operands})";
const CANDIDATE: &str = "{kernel} {ms} ms {number}%{options}";

/// Candidate options that become columns.
const OPTIONS: [(&str, ColumnMeaning); 6] = [
    ("BLOCK_M", ColumnMeaning::TileM),
    ("BLOCK_N", ColumnMeaning::TileN),
    ("BLOCK_K", ColumnMeaning::TileK),
    ("SPLIT_K", ColumnMeaning::SplitK),
    ("num_stages", ColumnMeaning::Stages),
    ("num_warps", ColumnMeaning::Warps),
];

fn of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The GEMM of the candidates that follow.
#[derive(Clone, Debug)]
struct Problem {
    op: String,
    shape: Result<Shape, RowError>,
    /// Types and strides of A and B.
    types: [Option<DataType>; 2],
    transposed: [bool; 2],
    operator: Operator,
    operands: Vec<Vec<u32>>,
}

struct Inductor {
    problem: Option<Problem>,
    /// fp32 products are computed in TF32. This is a process-wide setting that only Triton
    /// candidates print, not ATen's.
    allow_tf32: bool,
}

impl Problem {
    fn new(op: &str, text: &str) -> Option<Self> {
        let operands: Vec<Vec<u32>> = text.split(',').map(dimensions).collect();
        let operator = Operator::of(op)?;
        let shape = operator.shape(&operands).ok_or_else(|| flaw(UNFIT, text));
        Some(Problem {
            op: op.to_owned(),
            shape,
            types: [None; 2],
            transposed: [false; 2],
            operator,
            operands,
        })
    }

    /// Transposes of A and B from `strides: [4096, 1], [1, 4096]`.
    fn strides(&mut self, text: &str) {
        let all = text.split(']').map(|one| {
            let inner = one.rsplit('[').next().unwrap_or("");
            let strides: Vec<u64> =
                inner.split(',').filter_map(|n| n.trim().parse().ok()).collect();
            // The contiguous dimension has stride 1: the last one, or the one before it.
            matches!(strides[..], [.., 1, last] if last > 1)
        });
        for (t, found) in self.transposed.iter_mut().zip(all.skip(self.operator.first)) {
            *t = found;
        }
    }

    fn row(&self, time_s: f64, allow_tf32: bool, rows: &mut LogRows<'_>) -> Result<Row, RowError> {
        let shape = self.shape.clone()?;
        let [a, b] = self.types;
        let a = rows.dtype(a);
        let types = [a, b.unwrap_or(a)];
        let mut op =
            self.operator.operation(&self.operands, shape.sizes[1], types, self.transposed);
        if allow_tf32 && op.compute == DataType::Fp32 && a == DataType::Fp32 {
            op.compute = DataType::Tf32;
        }
        Ok(shape.row(op, time_s))
    }
}

/// Parses `8x128x64`, sizes as printed in the heading.
fn dimensions(text: &str) -> Vec<u32> {
    text.trim().split('x').filter_map(|p| p.trim().parse().ok()).filter(|v| *v > 0).collect()
}

fn library(kernel: &str) -> &'static str {
    let starts = |p: &str| kernel.starts_with(p);
    match () {
        () if starts("triton") || starts("decompose_k") => "Triton",
        () if starts("cutlass") || starts("cuda_cutlass") => "CUTLASS",
        () if starts("ck") || starts("rocm_ck") => "CK",
        () if starts("cpp") => "C++",
        () if starts("tlx") || starts("nv_universal") || starts("cutedsl") => "CuTe DSL",
        () => "ATen",
    }
}

impl Parser for Inductor {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        if let Some(s) = slots(HEADING, line).filter(|s| s.get("op").chars().all(of_name)) {
            let gemm = Problem::new(s.get("op"), s.get("operands"));
            self.problem = gemm.or_else(|| rows.other());
            return None;
        }
        if line.contains("AUTOTUNE benchmarking takes") {
            self.problem = None;
        }
        let problem = self.problem.as_mut()?;
        if let Some(strides) = log::after(line, "strides:") {
            problem.strides(strides);
            return None;
        }
        if let Some(types) = log::after(line, "dtypes:") {
            let types: Vec<_> = types.split(',').map(|t| DataType::parse(t.trim())).collect();
            for (t, found) in
                problem.types.iter_mut().zip(types.iter().skip(problem.operator.first))
            {
                *t = *found;
            }
            return None;
        }
        // A logger may prefix the candidate.
        let text = line.rsplit("] ").next().unwrap_or(line).trim();
        let s = slots(CANDIDATE, text)?;
        let kernel = s.get("kernel").split_whitespace().next_back().unwrap_or("");
        let problem = problem.clone();
        self.allow_tf32 |= s.get("options").contains("ALLOW_TF32=True");
        let row = s.time().and_then(|t| problem.row(t, self.allow_tf32, rows));
        let mut e = Entry::new(row);
        e.kernel = kernel.to_owned();
        e.library = library(kernel).to_owned();
        e.op_name = problem.op;
        let figure = |(name, value): (&str, &str)| {
            let (_, meaning) = OPTIONS.iter().find(|(n, _)| *n == name)?;
            Some((*meaning, crate::cell::number(value.as_bytes())?))
        };
        e.figures.extend(pairs(s.get("options"), '=').all().filter_map(figure));
        Some(e)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::read;

    /// If fp32 is multiplied in TF32, its roof applies to candidates without options as well.
    #[test]
    fn fp32_in_tf32() {
        use gemmscope_model::dtype::DataType::{Bf16, Fp32, Tf32};
        for (allowed, wanted) in [("True", Tf32), ("False", Fp32)] {
            let block = |n: u32, dtype: &str| {
                format!(
                    "AUTOTUNE mm({n}x{n}, {n}x{n})\nstrides: [{n}, 1], [{n}, 1]\n\
                     dtypes: torch.{dtype}, torch.{dtype}\n  mm 0.0224 ms 100.0% \n  \
                     triton_mm_71 0.0314 ms 71.2% ALLOW_TF32={allowed}, BLOCK_K=32, BLOCK_M=64\n"
                )
            };
            let d = read(block(1000, "float32") + &block(1024, "bfloat16"));
            let types: Vec<_> = (0..d.len()).map(|r| d.problem(r).op.compute).collect();
            assert_eq!(types, [wanted, wanted, Bf16, Bf16], "{allowed}");
        }
    }

    #[test]
    fn groups_of_a_grouped_mm() {
        for (operands, sizes, groups) in [
            ("1024x512, 8x512x256, 8", [1024, 256, 512, 1], "E=8 k=1"),
            ("8x128x512, 512x2048, 8", [2048, 128, 512, 1], "E=8 k=1"),
            ("128x4096, 4096x256, 8", [128, 256, 4096, 1], "E=8 k=1 along=K"),
            ("8x128x512, 8x512x256", [128, 256, 512, 8], ""),
            ("1001x512, 8x512x256, 8", [1001, 256, 512, 1], "E=8 k=1"),
        ] {
            let d = read(format!(
                "AUTOTUNE grouped_mm({operands})\n  grouped_mm 0.0485 ms 100.0%\n  \
                 triton_grouped_mm_3 0.0521 ms 93.1% BLOCK_M=64, BLOCK_N=64, BLOCK_K=64\n"
            ));
            assert_eq!(d.len(), 2, "{operands}");
            assert_eq!([d.m[0], d.n[0], d.k[0], d.batch[0]], sizes, "{operands}");
            let found = d.problem(0).op.groups.map_or_else(String::new, |g| g.to_string());
            assert_eq!(found, groups, "{operands}");
            let routing = d.sources[0].assumptions.iter().any(|a| a.key == "routing");
            assert_eq!(routing, !groups.is_empty(), "{operands}");
        }
    }
}
