//! One matrix multiply: C (M x N) = A (M x K) B (K x N), a batch of them.

use crate::dtype::DataType;
use crate::units::{Bytes, Flops, Intensity};
use serde::{Deserialize, Serialize};

/// Everything about a GEMM that is not its size: the types of its operands, their layout and
/// what is added. Few distinct values occur in one file, so datasets store a code per row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operation {
    /// Type of A as stored in memory.
    pub a: DataType,
    /// Type of B as stored in memory.
    pub b: DataType,
    /// Type of the output.
    pub c: DataType,
    /// Type the products are multiplied in: decides which peak is the roof.
    pub compute: DataType,
    /// A is stored transposed (K x M).
    pub trans_a: bool,
    /// B is stored transposed (N x K).
    pub trans_b: bool,
    /// A bias of N elements of type `c` is added.
    pub bias: bool,
    /// C is read as well as written (beta != 0).
    pub beta: bool,
}

/// A batched GEMM of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B: the summed dimension.
    pub k: u32,
    /// Number of independent GEMMs of this shape.
    pub batch: u32,
    /// Types, layout, epilogue.
    pub op: Operation,
}

impl Problem {
    /// Work `b (2 M N K) [+ b M N with bias]`; complex types count 8 M N K.
    pub fn work(&self) -> Flops {
        let (m, n, k, b) = (
            f64::from(self.m),
            f64::from(self.n),
            f64::from(self.k),
            f64::from(self.batch),
        );
        let per_mac = match self.op.compute {
            DataType::C32 | DataType::C64 => 8.0,
            _ => 2.0,
        };
        let bias = if self.op.bias { m * n } else { 0.0 };
        Flops(b * (per_mac * m * n * k + bias))
    }

    /// Compulsory traffic: every operand crosses the memory bus once (a lower bound).
    pub fn bytes(&self) -> Bytes {
        let (m, n, k, b) = (
            f64::from(self.m),
            f64::from(self.n),
            f64::from(self.k),
            f64::from(self.batch),
        );
        let c_passes = if self.op.beta { 2.0 } else { 1.0 };
        let bias = if self.op.bias {
            n * self.op.c.bytes()
        } else {
            0.0
        };
        Bytes(
            b * (m * k * self.op.a.bytes()
                + k * n * self.op.b.bytes()
                + c_passes * m * n * self.op.c.bytes()
                + bias),
        )
    }

    /// Arithmetic intensity: work over compulsory bytes, an upper bound of the real one.
    pub fn intensity(&self) -> Intensity {
        Intensity(self.work().0 / self.bytes().0)
    }
}
