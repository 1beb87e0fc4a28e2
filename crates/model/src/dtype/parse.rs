//! Parses the spellings of data types that producers use.

use super::DataType;

/// A data type read from a producer's spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedType {
    /// The type.
    pub dtype: DataType,
    /// What was assumed if the spelling is ambiguous, as a sentence to show.
    pub assumed: Option<&'static str>,
}

const ANY_FP8: &str = "fp8 without a variant is read as E4M3";
const F8_R: &str = "f8_r and bf8_r are read as OCP E4M3 and E5M2; on CDNA3 the library means E4M3 fnuz and E5M2 fnuz";
const UNSIGNED: &str =
    "unsigned integers are read as signed ones, which have the same width and peak";
const FP6: &str = "which of the two 6-bit formats it is does not change size or peak";

/// Parses a spelling. Ignores case, spaces and quotes around it, and prefixes such as `torch.`, `c10::`, `at::` and
/// `ck::`.
pub(super) fn parse(text: &str) -> Option<ParsedType> {
    let lower = text
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '(' | ')' | ','))
        .to_lowercase();
    let mut name = lower.as_str();
    while let Some(rest) = [
        "torch.",
        "c10::",
        "at::",
        "ck::",
        "ck_tile::",
        "cutlass::",
        "jnp.",
        "np.",
        "numpy.",
        "tl.",
        "std::",
        "datatype.",
        "dtype.",
        "hip_",
        "cuda_",
    ]
    .iter()
    .find_map(|prefix| name.strip_prefix(prefix))
    {
        name = rest;
    }
    use DataType::*;
    let sure = |dtype| Some(ParsedType { dtype, assumed: None });
    let assume = |dtype, sentence| Some(ParsedType { dtype, assumed: Some(sentence) });
    match name {
        "f64" | "fp64" | "float64" | "double" | "d" | "f64_r" | "r_64f" | "r64f" => sure(Fp64),
        "f32" | "fp32" | "float32" | "float" | "single" | "s" | "f32_r" | "r_32f" | "r32f" => {
            sure(Fp32)
        }
        "tf32" | "xf32" | "xf32_r" | "tensorfloat32" | "tensorfloat-32" | "f32_xf32"
        | "tfloat32" => sure(Tf32),
        "f16" | "fp16" | "float16" | "half" | "h" | "f16_r" | "r_16f" | "r16f" | "half_t"
        | "_float16" | "__half" => sure(Fp16),
        "bf16" | "bfloat16" | "bf16_r" | "r_16bf" | "r16bf" | "bhalf" | "bhalf_t"
        | "bfloat16_t" | "__nv_bfloat16" | "hip_bfloat16" => sure(Bf16),
        "fp8 e4m3" | "e4m3" | "e4m3fn" | "f8e4m3" | "f8e4m3fn" | "fe4m3" | "fp8e4m3"
        | "fp8_e4m3" | "fp8_e4m3fn" | "fp8e4m3fn" | "float8_e4m3" | "float8_e4m3fn"
        | "fp8-e4m3" | "r_8f_e4m3" | "fp8e4nv" | "float8e4m3fn" | "float_e4m3_t" => sure(Fp8E4m3),
        "fp8 e5m2" | "e5m2" | "f8e5m2" | "fe5m2" | "fp8e5m2" | "fp8_e5m2" | "float8_e5m2"
        | "fp8-e5m2" | "r_8f_e5m2" | "fp8e5" | "float8e5m2" | "float_e5m2_t" => sure(Fp8E5m2),
        "fp8 e4m3 fnuz" | "e4m3fnuz" | "e4m3_fnuz" | "f8e4m3fnuz" | "fp8_e4m3fnuz"
        | "fp8e4m3fnuz" | "fp8_e4m3_fnuz" | "float8_e4m3fnuz" | "f8_fnuz_r" | "f8_fnuz_t"
        | "f8_fnuz" | "fp8e4b8" => sure(Fp8E4m3Fnuz),
        "fp8 e5m2 fnuz" | "e5m2fnuz" | "e5m2_fnuz" | "f8e5m2fnuz" | "fp8_e5m2fnuz"
        | "fp8e5m2fnuz" | "fp8_e5m2_fnuz" | "float8_e5m2fnuz" | "bf8_fnuz_r" | "bf8_fnuz_t"
        | "bf8_fnuz" | "fp8e5b16" => sure(Fp8E5m2Fnuz),
        "fp8_fnuz" => assume(Fp8E4m3Fnuz, ANY_FP8),
        "fp8" | "f8" | "float8" => assume(Fp8E4m3, ANY_FP8),
        "f8_r" => assume(Fp8E4m3, F8_R),
        "bf8" | "bf8_r" => assume(Fp8E5m2, F8_R),
        "i8" | "int8" | "int8_t" | "s8" | "signed char" | "i8_r" | "r_8i" | "r8i" => sure(Int8),
        "char" => sure(Int8),
        "u8" | "uint8" | "unsigned char" => assume(Int8, UNSIGNED),
        "i32" | "int32" | "int32_t" | "int" | "s32" | "i32_r" | "r_32i" | "r32i" => sure(Int32),
        "i4" | "int4" | "s4" | "i4_r" => sure(Int4),
        "u4" | "uint4" => assume(Int4, UNSIGNED),
        "fp6" | "f6" | "float6" => assume(Fp6, FP6),
        "e2m3" | "e3m2" | "fp6_e2m3" | "fp6_e3m2" | "float6_e2m3fn" | "float6_e3m2fn" | "f6_r"
        | "bf6_r" => sure(Fp6),
        "fp4" | "f4" | "e2m1" | "float4" | "fp4_e2m1" | "fe2m1" | "float4_e2m1fn"
        | "float4_e2m1fn_x2" | "float4e2m1fn" | "f4_r" | "fp4x2" => sure(Fp4),
        "mxfp8" | "mx_fp8" | "mxf8" | "mxfp8_e4m3" | "mxfp8_e5m2" => sure(MxFp8),
        "mxfp6" | "mx_fp6" | "mxf6" => sure(MxFp6),
        "mxfp4" | "mx_fp4" | "mxf4" => sure(MxFp4),
        "nvfp4" | "nv_fp4" | "nvf4" => sure(NvFp4),
        "complex fp32" | "f32_c" | "c32" | "cf32" | "complex64" | "c" | "r_32c" => sure(C32),
        "complex fp64" | "f64_c" | "c64" | "cf64" | "complex128" | "z" => sure(C64),
        // Blocks of llama.cpp: the id is the only spelling.
        _ => DataType::ALL
            .into_iter()
            .skip_while(|dtype| *dtype != Q8_0)
            .find(|dtype| dtype.id() == name)
            .and_then(sure),
    }
}

/// The type of a BLAS routine's letter: `s` in `sgemm`, `h` in `hgemm`.
pub fn from_blas_letter(letter: char) -> Option<DataType> {
    Some(match letter.to_ascii_lowercase() {
        's' => DataType::Fp32,
        'd' => DataType::Fp64,
        'c' => DataType::C32,
        'z' => DataType::C64,
        'h' => DataType::Fp16,
        'b' => DataType::Bf16,
        _ => return None,
    })
}

/// The operand type at the start of a Tensile problem code, as in `SB`, `HBH`, `BBS_BH`,
/// `I8II_BH`, `F8BS_BH`: the first letters name the type of A and B. `None` for other text.
pub(crate) fn from_tensile_code(code: &str) -> Option<DataType> {
    // Longest codes first, because `B8` is an 8-bit float and `B` alone is bfloat16.
    [
        ("F8B8N", DataType::Fp8E4m3Fnuz),
        ("B8F8N", DataType::Fp8E5m2Fnuz),
        ("F8N", DataType::Fp8E4m3Fnuz),
        ("B8N", DataType::Fp8E5m2Fnuz),
        ("F8", DataType::Fp8E4m3),
        ("B8", DataType::Fp8E5m2),
        ("F6", DataType::Fp6),
        ("F4", DataType::Fp4),
        ("4xi8", DataType::Int8),
        ("I8", DataType::Int8),
        ("X", DataType::Tf32),
        ("S", DataType::Fp32),
        ("D", DataType::Fp64),
        ("C", DataType::C32),
        ("Z", DataType::C64),
        ("H", DataType::Fp16),
        ("B", DataType::Bf16),
    ]
    .into_iter()
    .find(|(prefix, _)| code.starts_with(prefix))
    .map(|(_, dtype)| dtype)
}

/// DeepBench's `Precision` sentence as (operands, accumulator): `16 bit inputs, 16 bit
/// multiplication, 32 bit addition` is fp16 summed in fp32.
pub fn from_deepbench_precision(sentence: &str) -> Option<(DataType, DataType)> {
    let lower = sentence.to_lowercase();
    let integer = lower.contains("int");
    // `Float`, `Int8 multiplication`: no operands are named, so the type itself.
    let part = |word: &str| lower.split(',').find(|part| part.contains(word));
    let operands = part("input").or_else(|| part("multipl")).or_else(|| lower.split(',').next());
    let named = operands.and_then(|text| {
        let letters = |w: &&str| w.starts_with(|c: char| c.is_ascii_alphabetic());
        text.split_whitespace().filter(letters).find_map(DataType::parse)
    });
    let width_before = |word: &str| -> Option<u32> {
        let part = lower.split(',').find(|part| part.contains(word))?;
        let digits: String = part
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    };
    // In DeepBench, 8 bit always means integers, even if the sentence does not mention it.
    let of_width = |bits: u32, integer: bool| {
        Some(match (bits, integer) {
            (8, _) => DataType::Int8,
            (32, true) => DataType::Int32,
            (16, false) => DataType::Fp16,
            (32, false) => DataType::Fp32,
            (64, false) => DataType::Fp64,
            _ => return None,
        })
    };
    let input = match named {
        Some(dtype) => dtype,
        None => {
            let bits = width_before("input").or_else(|| width_before("bit"))?;
            of_width(bits, integer)?
        }
    };
    let accumulate = match width_before("addition").or_else(|| width_before("accumul")) {
        Some(bits) => of_width(bits, input == DataType::Int8)?,
        None => input.default_accumulate(),
    };
    Some((input, accumulate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataType::*;
    use proptest::prelude::*;

    #[test]
    fn producers_spellings() {
        let cases: [(DataType, &[&str]); 18] = [
            (
                Fp16,
                &[
                    "f16",
                    "fp16",
                    "half",
                    "float16",
                    "torch.float16",
                    "c10::Half",
                    "f16_r",
                    "h",
                    "Half",
                    "('c10::Half',",
                ],
            ),
            (Bf16, &["bf16", "bfloat16", "torch.bfloat16", "c10::BFloat16", "bf16_r", "BFloat16"]),
            (Fp32, &["f32", "fp32", "float", "float32", "single", "s", "f32_r", "torch.float32"]),
            (Tf32, &["tf32", "xf32", "TensorFloat32"]),
            (Fp64, &["f64", "fp64", "double", "d", "f64_r"]),
            (C32, &["f32_c"]),
            (C64, &["f64_c"]),
            (Int8, &["i8", "int8", "torch.int8", "signed char", "i8_r"]),
            (Int32, &["int32", "i32_r"]),
            (Int4, &["i4", "int4"]),
            (
                Fp8E4m3,
                &["e4m3", "fp8_e4m3", "torch.float8_e4m3fn", "c10::Float8_e4m3fn", "Float8_e4m3fn"],
            ),
            (Fp8E4m3Fnuz, &["torch.float8_e4m3fnuz", "f8_fnuz_r", "ck::f8_fnuz_t"]),
            (Fp8E5m2, &["e5m2", "float8_e5m2"]),
            (Fp4, &["fp4", "e2m1", "torch.float4_e2m1fn_x2"]),
            (MxFp8, &["mxfp8"]),
            (MxFp6, &["mxfp6"]),
            (MxFp4, &["mxfp4"]),
            (NvFp4, &["nvfp4"]),
        ];
        for (dtype, names) in cases {
            for name in names {
                assert_eq!(parse(name), Some(ParsedType { dtype, assumed: None }), "{name}");
            }
        }
        for name in ["", "n", "t", "fp", "f17", "float9", "column"] {
            assert_eq!(parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_choice_is_said() {
        for (name, dtype) in [
            ("fp8", Fp8E4m3),
            ("f8", Fp8E4m3),
            ("f8_r", Fp8E4m3),
            ("bf8_r", Fp8E5m2),
            ("fp6", Fp6),
            ("unsigned char", Int8),
        ] {
            let parsed = parse(name).unwrap();
            assert_eq!(parsed.dtype, dtype);
            assert!(parsed.assumed.is_some(), "{name}");
        }
    }

    #[test]
    fn tensile_codes() {
        for (code, dtype) in [
            ("SB", Fp32),
            ("HBH", Fp16),
            ("BBS_BH", Bf16),
            ("B_BS_BH", Bf16),
            ("HHS_BH", Fp16),
            ("S_B", Fp32),
            ("I8II_BH", Int8),
            ("F8BS_BH", Fp8E4m3),
            ("F8NBS_BH", Fp8E4m3Fnuz),
        ] {
            assert_eq!(from_tensile_code(code), Some(dtype), "{code}");
        }
        assert_eq!(from_tensile_code("MT64x64"), None);
    }

    #[test]
    fn deepbench_sentences() {
        assert_eq!(
            from_deepbench_precision("16 bit inputs, 16 bit multiplication, 32 bit addition"),
            Some((Fp16, Fp32))
        );
        assert_eq!(
            from_deepbench_precision("32 bit inputs, 32 bit multiplication, 32 bit addition"),
            Some((Fp32, Fp32))
        );
        assert_eq!(
            from_deepbench_precision("8 bit inputs, 8 bit multiplication, 32 bit addition"),
            Some((Int8, Int32))
        );
        for (sentence, types) in [
            ("Int8 multiplication, 32 bit accumulation", (Int8, Int32)),
            ("Int8 inputs 32 bit math", (Int8, Int32)),
            ("Float", (Fp32, Fp32)),
            ("half inputs, 32 bit addition", (Fp16, Fp32)),
        ] {
            assert_eq!(from_deepbench_precision(sentence), Some(types), "{sentence}");
        }
        assert_eq!(from_deepbench_precision("fast"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = parse(&text);
            let _ = from_tensile_code(&text);
            let _ = from_deepbench_precision(&text);
        }
    }
}
