//! Data types of GEMM operands.

use serde::{Deserialize, Serialize};

/// An operand's or accumulator's number format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DataType {
    /// IEEE binary64.
    Fp64,
    /// IEEE binary32.
    Fp32,
    /// Stored as 32 bit, multiplied with a 10-bit mantissa.
    Tf32,
    /// IEEE binary16.
    Fp16,
    /// bfloat16.
    Bf16,
    /// OCP E4M3 (finite, "fn").
    Fp8E4m3,
    /// OCP E5M2.
    Fp8E5m2,
    /// E4M3 with another bias and one zero (AMD CDNA3).
    Fp8E4m3Fnuz,
    /// E5M2 with another bias and one zero (AMD CDNA3).
    Fp8E5m2Fnuz,
    /// Signed 8-bit integer.
    Int8,
    /// Signed 32-bit integer (accumulator or output).
    Int32,
    /// Signed 4-bit integer.
    Int4,
    /// 6-bit float without a block scale.
    Fp6,
    /// 4-bit float (E2M1) without a block scale.
    Fp4,
    /// OCP MXFP8: 8-bit elements, one 8-bit scale per 32.
    MxFp8,
    /// OCP MXFP6: 6-bit elements, one 8-bit scale per 32.
    MxFp6,
    /// OCP MXFP4: 4-bit elements, one 8-bit scale per 32.
    MxFp4,
    /// NVFP4: 4-bit elements, one 8-bit scale per 16.
    NvFp4,
    /// Complex of two binary32.
    C32,
    /// Complex of two binary64.
    C64,
}

impl DataType {
    /// Bits of one stored element, block scales not included.
    pub fn bits(self) -> u32 {
        use DataType::*;
        match self {
            C64 => 128,
            Fp64 | C32 => 64,
            Fp32 | Tf32 | Int32 => 32,
            Fp16 | Bf16 => 16,
            Fp8E4m3 | Fp8E5m2 | Fp8E4m3Fnuz | Fp8E5m2Fnuz | Int8 | MxFp8 => 8,
            Fp6 | MxFp6 => 6,
            Int4 | Fp4 | MxFp4 | NvFp4 => 4,
        }
    }

    /// Bytes of one stored element, block scales not included.
    pub fn bytes(self) -> f64 {
        f64::from(self.bits()) / 8.0
    }
}
