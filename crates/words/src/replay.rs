//! Commands and small scripts that run one GEMM alone, with the same shape, layout and types, for profiling or tuning.
//!
//! Shapes are row-major. A BLAS call is column-major, so it computes C^T = B^T A^T, with M and N, and A and B, swapped.
//! Rows of a BLAS library's own benchmark are column-major already.

use gemmscope_model::gemm::{Groups, Operation, Problem};
use gemmscope_model::tiling::Tile;
use gemmscope_table::dataset::Dataset;

pub(crate) mod blas;
pub mod bulk;
mod python;
mod rounding;
pub(crate) mod types;

gemmscope_model::named! {
/// A tool that can run a GEMM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// AMD's hipBLASLt client.
    HipblasltBench = "hipblaslt-bench";
    /// AMD's rocBLAS client.
    RocblasBench = "rocblas-bench";
    /// NVIDIA's CUTLASS profiler.
    CutlassProfiler = "cutlass_profiler";
    /// A Python script on PyTorch.
    Pytorch = "PyTorch";
    /// A Python script with a Triton kernel.
    Triton = "Triton";
}
/// All tools.
pub const ALL;
/// Its name.
pub fn label -> &'static str;
}

impl Tool {
    /// Extension of the file name.
    fn extension(self) -> &'static str {
        match self {
            Tool::Pytorch | Tool::Triton => "py",
            _ => "sh",
        }
    }
}

/// A GEMM to replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Shape, types, layout.
    pub problem: Problem,
    /// True if M, N and the layout are those of a column-major call.
    pub column_major: bool,
    /// Tile to start from, if known.
    pub tile: Option<Tile>,
    /// Rows of each group of a grouped GEMM, if the file lists them.
    pub rows: Option<Vec<u32>>,
}

impl Case {
    /// The GEMM of a row.
    pub fn of(data: &Dataset, row: usize, tile: Option<Tile>) -> Self {
        let problem = data.problem(row);
        let rows = problem.op.groups.and_then(|_| data.group_rows(row));
        Case { problem, column_major: data.is_column_major(row), tile, rows }
    }

    /// Rows of each group: those of the file, else as even as can be over the active ones.
    fn group_rows(&self, groups: Groups) -> Vec<u32> {
        if let Some(rows) = &self.rows {
            return rows.clone();
        }
        let m = self.problem.m;
        let active = (groups.active(f64::from(m)).round() as u32).clamp(1, groups.count);
        let of = |group: u32| match group < active {
            true => m / active + u32::from(group < m % active),
            false => 0,
        };
        (0..groups.count).map(of).collect()
    }

    /// The same product with a column-major or row-major output. In the other order it is the product of the
    /// transposes, B by A, with the same operands in memory.
    fn stored(&self, column_major: bool) -> Case {
        let Problem { m, n, op, .. } = self.problem;
        if self.column_major == column_major {
            return self.clone();
        }
        let turned = Operation { a: op.b, b: op.a, ..op }.with_layout(op.trans_b, op.trans_a);
        Case {
            problem: Problem { m: n, n: m, op: turned, ..self.problem },
            column_major,
            tile: self.tile.map(Tile::swapped),
            rows: self.rows.clone(),
        }
    }
}

/// A file to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Its name.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// Why a script's check passes what it passes, and what the usual tolerance of fp16 means.
pub const TOLERANCE: &str = "The check allows four times the largest error that rounding a sum of K products is expected to make. The usual \
     1e-2 for fp16 is about twenty roundings of a type with 11 significant bits (4.9e-4 each): enough for another \
     order of summation or a fused epilogue, too little for a wrong tile.";

/// Number of timed calls, and of warm-up calls before them.
const CALLS: u32 = 100;
const WARM_UP: u32 = 20;

/// The file for a tool; `Err` is a sentence that says why the tool cannot run this GEMM.
pub fn replay(case: &Case, tool: Tool) -> Result<Replay, String> {
    if case.problem.op.groups.is_some() && tool != Tool::Pytorch {
        return Err(format!(
            "a grouped GEMM is replayed with PyTorch alone, not with {}",
            tool.label()
        ));
    }
    let text = match tool {
        Tool::HipblasltBench => blas::hipblaslt(case)?,
        Tool::RocblasBench => blas::rocblas(case)?,
        Tool::CutlassProfiler => blas::cutlass(case)?,
        Tool::Pytorch => python::pytorch(case)?,
        Tool::Triton => python::triton(case)?,
    };
    let p = &case.problem;
    Ok(Replay {
        file: format!(
            "replay-{}-{}x{}x{}.{}",
            tool.label().to_lowercase().replace('_', "-"),
            p.m,
            p.n,
            p.k,
            tool.extension()
        ),
        text,
    })
}

/// Comment lines with the GEMM and its source.
fn head(case: &Case, start: &str) -> String {
    format!("{start} {}, written by gemmscope\n", case.problem)
}

#[cfg(test)]
mod tests;
