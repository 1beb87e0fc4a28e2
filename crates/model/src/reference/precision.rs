//! Precisions of published GEMMs.

use crate::dtype::{DataType, Family};
use crate::gemm::Operation;
use serde::{Serialize, Serializer};

crate::named! {
/// Types of activations and weights, and how they are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// bf16 throughout.
    Bf16 = "bf16", "bf16";
    /// fp16 throughout.
    Fp16 = "fp16", "fp16";
    /// Activations and weights in fp8, a scale a tensor or row.
    Fp8 = "fp8", "fp8";
    /// The same with a scale for each block of 128.
    Fp8Block = "fp8_block", "fp8, scaled by blocks";
    /// NVFP4 throughout.
    NvFp4 = "nvfp4", "NVFP4";
    /// MXFP4 throughout.
    MxFp4 = "mxfp4", "MXFP4";
    /// int8 throughout.
    Int8 = "int8", "int8";
    /// int8 throughout, as SmoothQuant quantises.
    SmoothQuant = "int8_sq", "int8, SmoothQuant";
    /// Weights in int8, activations in bf16.
    Int8Weights = "int8_wo", "int8 weights";
    /// Weights in int4, activations in bf16.
    Int4Weights = "int4_wo", "int4 weights";
}
/// Every precision.
pub const ALL;
/// Key in file names and on the command line.
pub fn key -> &'static str;
/// Name for people.
pub fn label -> &'static str;
}

impl Serialize for Precision {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.key())
    }
}

impl Precision {
    /// The precision with this key.
    pub fn parse(key: &str) -> Option<Precision> {
        Precision::ALL.into_iter().find(|p| p.key() == key)
    }

    /// The operation of its GEMMs, weights stored N x K.
    pub fn operation(self) -> Operation {
        let op = match self {
            Precision::Bf16 => Operation::uniform(DataType::Bf16),
            Precision::Fp16 => Operation::uniform(DataType::Fp16),
            Precision::Fp8 | Precision::Fp8Block => Operation::uniform(DataType::Fp8E4m3),
            Precision::NvFp4 => Operation::uniform(DataType::NvFp4),
            Precision::MxFp4 => Operation::uniform(DataType::MxFp4),
            Precision::Int8 | Precision::SmoothQuant => {
                Operation { c: DataType::Bf16, ..Operation::uniform(DataType::Int8) }
            }
            Precision::Int8Weights => {
                Operation::mixed(DataType::Bf16, DataType::Int8, DataType::Bf16)
            }
            Precision::Int4Weights => {
                Operation::mixed(DataType::Bf16, DataType::Int4, DataType::Bf16)
            }
        };
        op.with_layout(false, true)
    }

    /// Precisions comparable to an operation, the closest first; usually empty. fp8 with block scales is not listed:
    /// files do not distinguish it from fp8 with tensor scales, and the latter is assumed.
    pub fn of(op: &Operation) -> &'static [Precision] {
        use DataType::{Bf16, Fp16, Int4, Int8, MxFp4, NvFp4};
        // The published ones are single GEMMs.
        if op.groups.is_some() {
            return &[];
        }
        match (op.a, op.b, op.compute) {
            (Bf16, Bf16, Bf16) => &[Precision::Bf16],
            (Fp16, Fp16, Fp16) => &[Precision::Fp16],
            (NvFp4, NvFp4, NvFp4) => &[Precision::NvFp4],
            (MxFp4, MxFp4, MxFp4) => &[Precision::MxFp4],
            (Int8, Int8, Int8) => &[Precision::Int8, Precision::SmoothQuant],
            (Bf16, Int8, Bf16) => &[Precision::Int8Weights],
            (Bf16, Int4, Bf16) => &[Precision::Int4Weights],
            types if [types.0, types.1, types.2].map(is_fp8) == [true; 3] => &[Precision::Fp8],
            _ => &[],
        }
    }
}

/// 8-bit floats without block scales.
fn is_fp8(dtype: DataType) -> bool {
    dtype.family() == Some(Family::Fp8) && dtype != DataType::MxFp8
}
