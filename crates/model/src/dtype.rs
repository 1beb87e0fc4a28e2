//! Data types of GEMM operands, and the names that producers give them.

use serde::{Deserialize, Serialize};
use std::fmt;

mod parse;

pub(crate) use parse::from_tensile_code;
pub use parse::{ParsedType, from_blas_letter, from_deepbench_precision};

crate::named! {
/// Number format of an operand, accumulator or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataType {
    /// IEEE binary64.
    Fp64 = "fp64", "fp64", 64;
    /// IEEE binary32.
    Fp32 = "fp32", "fp32", 32;
    /// TF32: stored in 32 bits, multiplied with a 10-bit mantissa.
    Tf32 = "tf32", "tf32", 32;
    /// IEEE binary16.
    Fp16 = "fp16", "fp16", 16;
    /// bfloat16.
    Bf16 = "bf16", "bf16", 16;
    /// OCP E4M3 (finite, "fn").
    Fp8E4m3 = "fp8_e4m3", "fp8 E4M3", 8;
    /// OCP E5M2.
    Fp8E5m2 = "fp8_e5m2", "fp8 E5M2", 8;
    /// E4M3 FNUZ: exponent bias 8, no negative zero, no infinities (AMD CDNA3).
    Fp8E4m3Fnuz = "fp8_e4m3_fnuz", "fp8 E4M3 fnuz", 8;
    /// E5M2 FNUZ: exponent bias 16, no negative zero, no infinities (AMD CDNA3).
    Fp8E5m2Fnuz = "fp8_e5m2_fnuz", "fp8 E5M2 fnuz", 8;
    /// Signed 8-bit integer.
    Int8 = "int8", "int8", 8;
    /// Signed 32-bit integer (accumulator or output).
    Int32 = "int32", "int32", 32;
    /// Signed 4-bit integer.
    Int4 = "int4", "int4", 4;
    /// 6-bit float without a block scale.
    Fp6 = "fp6", "fp6", 6;
    /// 4-bit float (E2M1) without a block scale.
    Fp4 = "fp4", "fp4", 4;
    /// OCP MXFP8: 8-bit elements, one 8-bit scale per 32.
    MxFp8 = "mx_fp8", "MXFP8", 8;
    /// OCP MXFP6: 6-bit elements, one 8-bit scale per 32.
    MxFp6 = "mx_fp6", "MXFP6", 6;
    /// OCP MXFP4: 4-bit elements, one 8-bit scale per 32.
    MxFp4 = "mx_fp4", "MXFP4", 4;
    /// NVFP4: 4-bit elements, one 8-bit scale per 16.
    NvFp4 = "nv_fp4", "NVFP4", 4;
    /// Complex of two binary32.
    C32 = "c32", "complex fp32", 64;
    /// Complex of two binary64.
    C64 = "c64", "complex fp64", 128;
    /// llama.cpp Q2_K weights: 84 bytes per block of 256.
    Q2K = "q2_k", "Q2_K", 2;
    /// llama.cpp Q3_K weights: 110 bytes per block of 256.
    Q3K = "q3_k", "Q3_K", 3;
    /// llama.cpp Q4_0 weights: 18 bytes per block of 32.
    #[allow(non_camel_case_types)]
    Q4_0 = "q4_0", "Q4_0", 4;
    /// llama.cpp Q4_1 weights: 20 bytes per block of 32.
    #[allow(non_camel_case_types)]
    Q4_1 = "q4_1", "Q4_1", 4;
    /// llama.cpp Q4_K weights: 144 bytes per block of 256.
    Q4K = "q4_k", "Q4_K", 4;
    /// llama.cpp Q5_0 weights: 22 bytes per block of 32.
    #[allow(non_camel_case_types)]
    Q5_0 = "q5_0", "Q5_0", 5;
    /// llama.cpp Q5_1 weights: 24 bytes per block of 32.
    #[allow(non_camel_case_types)]
    Q5_1 = "q5_1", "Q5_1", 5;
    /// llama.cpp Q5_K weights: 176 bytes per block of 256.
    Q5K = "q5_k", "Q5_K", 5;
    /// llama.cpp Q6_K weights: 210 bytes per block of 256.
    Q6K = "q6_k", "Q6_K", 6;
    /// llama.cpp Q8_0 weights: 34 bytes per block of 32.
    #[allow(non_camel_case_types)]
    Q8_0 = "q8_0", "Q8_0", 8;
    /// llama.cpp IQ1_S weights: 50 bytes per block of 256.
    Iq1S = "iq1_s", "IQ1_S", 1;
    /// llama.cpp IQ1_M weights: 56 bytes per block of 256.
    Iq1M = "iq1_m", "IQ1_M", 1;
    /// llama.cpp IQ2_XXS weights: 66 bytes per block of 256.
    Iq2Xxs = "iq2_xxs", "IQ2_XXS", 2;
    /// llama.cpp IQ2_XS weights: 74 bytes per block of 256.
    Iq2Xs = "iq2_xs", "IQ2_XS", 2;
    /// llama.cpp IQ2_S weights: 82 bytes per block of 256.
    Iq2S = "iq2_s", "IQ2_S", 2;
    /// llama.cpp IQ3_XXS weights: 98 bytes per block of 256.
    Iq3Xxs = "iq3_xxs", "IQ3_XXS", 3;
    /// llama.cpp IQ3_S weights: 110 bytes per block of 256.
    Iq3S = "iq3_s", "IQ3_S", 3;
    /// llama.cpp IQ4_NL weights: 18 bytes per block of 32.
    Iq4Nl = "iq4_nl", "IQ4_NL", 4;
    /// llama.cpp IQ4_XS weights: 136 bytes per block of 256.
    Iq4Xs = "iq4_xs", "IQ4_XS", 4;
}
/// Key for links and exports: letters, digits and underscores only. Equal to the serde name.
pub fn id -> &'static str;
/// Short name as the page writes it: `bf16`, `fp8 E4M3`.
pub fn name -> &'static str;
/// Bits of one stored element, block scales not included.
pub fn bits -> u32;
}

/// Types that share one peak rate of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Double precision, real or complex.
    Fp64,
    /// Single precision, real or complex.
    Fp32,
    /// TF32: 32-bit storage, 10-bit mantissa.
    Tf32,
    /// Half precision.
    Fp16,
    /// bfloat16.
    Bf16,
    /// Every 8-bit float.
    Fp8,
    /// 6-bit floats.
    Fp6,
    /// 4-bit floats.
    Fp4,
    /// 8-bit integers.
    Int8,
    /// 4-bit integers.
    Int4,
}

impl DataType {
    /// Every type, widest first.
    pub const ALL: [Self; 39] = [
        Self::C64,
        Self::Fp64,
        Self::C32,
        Self::Fp32,
        Self::Tf32,
        Self::Int32,
        Self::Fp16,
        Self::Bf16,
        Self::Fp8E4m3,
        Self::Fp8E5m2,
        Self::Fp8E4m3Fnuz,
        Self::Fp8E5m2Fnuz,
        Self::MxFp8,
        Self::Int8,
        Self::Fp6,
        Self::MxFp6,
        Self::Fp4,
        Self::MxFp4,
        Self::NvFp4,
        Self::Int4,
        Self::Q8_0,
        Self::Q6K,
        Self::Q5K,
        Self::Q5_1,
        Self::Q5_0,
        Self::Q4K,
        Self::Q4_1,
        Self::Q4_0,
        Self::Q3K,
        Self::Q2K,
        Self::Iq4Nl,
        Self::Iq4Xs,
        Self::Iq3S,
        Self::Iq3Xxs,
        Self::Iq2S,
        Self::Iq2Xs,
        Self::Iq2Xxs,
        Self::Iq1M,
        Self::Iq1S,
    ];

    /// Bytes of one stored element, block scales not included.
    pub fn bytes(self) -> f64 {
        f64::from(self.bits()) / 8.0
    }

    /// Bytes of block scale per element: 1/32 for OCP MX formats, 1/16 for NVFP4 (OCP Microscaling Formats 1.0: one
    /// E8M0 scale per 32; NVFP4: one E4M3 scale per 16). For llama.cpp blocks, everything beyond the elements, so that
    /// `Q4_0` is 4.5 bits in all (block layouts of ggml-common.h).
    pub fn scale_bytes_per_element(self) -> f64 {
        match self {
            Self::Q4_0 | Self::Q5_0 | Self::Q8_0 | Self::Iq4Nl => 2.0 / 32.0,
            Self::Q4_1 | Self::Q5_1 => 4.0 / 32.0,
            Self::Q2K => 20.0 / 256.0,
            Self::Q3K | Self::Iq3S => 14.0 / 256.0,
            Self::Iq1M => 24.0 / 256.0,
            Self::Iq1S | Self::Iq2S => 18.0 / 256.0,
            Self::Iq2Xs => 10.0 / 256.0,
            Self::Iq2Xxs | Self::Iq3Xxs => 2.0 / 256.0,
            Self::Iq4Xs => 8.0 / 256.0,
            Self::Q4K | Self::Q5K => 16.0 / 256.0,
            Self::Q6K => 18.0 / 256.0,
            Self::MxFp8 | Self::MxFp6 | Self::MxFp4 => 1.0 / 32.0,
            Self::NvFp4 => 1.0 / 16.0,
            _ => 0.0,
        }
    }

    /// The family whose peak rate applies to this type. `None` for int32 and llama.cpp blocks, which no matrix unit
    /// multiplies.
    pub fn family(self) -> Option<Family> {
        use DataType::*;
        Some(match self {
            Fp64 | C64 => Family::Fp64,
            Fp32 | C32 => Family::Fp32,
            Tf32 => Family::Tf32,
            Fp16 => Family::Fp16,
            Bf16 => Family::Bf16,
            Fp8E4m3 | Fp8E5m2 | Fp8E4m3Fnuz | Fp8E5m2Fnuz | MxFp8 => Family::Fp8,
            Fp6 | MxFp6 => Family::Fp6,
            Fp4 | MxFp4 | NvFp4 => Family::Fp4,
            Int8 => Family::Int8,
            Int4 => Family::Int4,
            // Blocks of llama.cpp are weights only: kernels unpack them to the activation's type before they multiply.
            Int32 | Q2K | Q3K | Q4_0 | Q4_1 | Q4K | Q5_0 | Q5_1 | Q5K | Q6K | Q8_0 => return None,
            Iq1S | Iq1M | Iq2Xxs | Iq2Xs | Iq2S | Iq3Xxs | Iq3S | Iq4Nl | Iq4Xs => return None,
        })
    }

    /// Output type that libraries use by default: the input type if it can hold a sum, bf16 for narrow floats, int32
    /// for integers.
    pub fn default_output(self) -> Self {
        match self.family() {
            Some(Family::Fp8 | Family::Fp6 | Family::Fp4) => Self::Bf16,
            Some(Family::Int8 | Family::Int4) => Self::Int32,
            Some(Family::Tf32) => Self::Fp32,
            None if self != Self::Int32 => Self::Fp32,
            _ => self,
        }
    }

    /// Default accumulator type for products of this type.
    pub fn default_accumulate(self) -> Self {
        match self {
            Self::Fp64 | Self::C64 | Self::C32 => self,
            Self::Int8 | Self::Int4 | Self::Int32 => Self::Int32,
            _ => Self::Fp32,
        }
    }

    /// True for complex types, whose multiply-add is 8 real operations.
    pub fn is_complex(self) -> bool {
        matches!(self, Self::C32 | Self::C64)
    }

    /// The type with this [`id`](Self::id).
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.id() == id)
    }

    /// Parses a producer's spelling of a type. Ignores case, and spaces and quotes around the name.
    /// [`DataType::parse_noting`] also returns the assumption made.
    ///
    /// ```
    /// use gemmscope_model::dtype::DataType;
    /// assert_eq!(DataType::parse("torch.bfloat16"), Some(DataType::Bf16));
    /// assert_eq!(DataType::parse("'c10::Half'"), Some(DataType::Fp16));
    /// assert_eq!(DataType::parse("quux"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_noting(text).map(|parsed| parsed.dtype)
    }

    /// Like [`DataType::parse`], with a note if the spelling is ambiguous (such as `fp8`) and one type was chosen.
    pub fn parse_noting(text: &str) -> Option<ParsedType> {
        parse::parse(text)
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_listed_once_and_has_one_id() {
        for (index, dtype) in DataType::ALL.into_iter().enumerate() {
            assert!(!DataType::ALL[..index].contains(&dtype));
            assert_eq!(DataType::by_id(dtype.id()), Some(dtype));
            assert_eq!(serde_json::to_string(&dtype).unwrap(), format!("\"{}\"", dtype.id()));
            assert_eq!(DataType::parse(dtype.id()), Some(dtype), "{}", dtype.id());
            assert_eq!(DataType::parse(dtype.name()), Some(dtype), "{dtype}");
        }
    }

    #[test]
    fn sizes_and_scales() {
        assert_eq!(DataType::Fp6.bytes(), 0.75);
        assert_eq!(DataType::MxFp4.bytes(), 0.5);
        assert_eq!(DataType::MxFp4.scale_bytes_per_element(), 0.03125);
        assert_eq!(DataType::NvFp4.scale_bytes_per_element(), 0.0625);
        assert_eq!(DataType::Fp4.scale_bytes_per_element(), 0.0);
        // Bits per weight, scales included, as llama.cpp lists them.
        for (dtype, bits) in [
            (DataType::Q4_0, 4.5),
            (DataType::Q4K, 4.5),
            (DataType::Q5_1, 6.0),
            (DataType::Q6K, 6.5625),
            (DataType::Q3K, 3.4375),
            (DataType::Q2K, 2.625),
            (DataType::Q8_0, 8.5),
            (DataType::Iq1S, 1.5625),
            (DataType::Iq1M, 1.75),
            (DataType::Iq2Xxs, 2.0625),
            (DataType::Iq2Xs, 2.3125),
            (DataType::Iq2S, 2.5625),
            (DataType::Iq3Xxs, 3.0625),
            (DataType::Iq3S, 3.4375),
            (DataType::Iq4Nl, 4.5),
            (DataType::Iq4Xs, 4.25),
        ] {
            let stored = dtype.bytes() + dtype.scale_bytes_per_element();
            assert_eq!(stored * 8.0, bits, "{dtype}");
        }
    }

    #[test]
    fn the_fp8_variants_share_a_peak_and_int32_has_none() {
        for dtype in [
            DataType::Fp8E4m3,
            DataType::Fp8E5m2,
            DataType::Fp8E4m3Fnuz,
            DataType::Fp8E5m2Fnuz,
            DataType::MxFp8,
        ] {
            assert_eq!(dtype.family(), Some(Family::Fp8));
            assert_eq!(dtype.default_output(), DataType::Bf16);
        }
        assert_eq!(DataType::Int32.family(), None);
        assert_eq!(DataType::Int8.default_output(), DataType::Int32);
        assert_eq!(DataType::Bf16.default_accumulate(), DataType::Fp32);
    }
}
