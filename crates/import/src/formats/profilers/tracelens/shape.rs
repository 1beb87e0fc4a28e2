//! The GEMM behind an operation of a trace: from the sizes the report prints, else from the
//! shapes of its operands, which every operation orders in its own way.

use super::py::Py;
use crate::cell::shape_text::Shape;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::Row;

/// Where the operands lie among the inputs of an operation.
#[derive(Clone, Copy)]
enum Operands {
    /// A (M, K) at this input, B (K, N) at the next.
    At(usize),
    /// A (M, K) and a weight (N, K), as a linear layer keeps it.
    Weight,
    /// A (M, K) and a weight (N, K / 2): two 4-bit values a byte.
    PackedWeight,
    /// Both packed.
    BothPacked,
}

/// How an operation orders its operands; `None` where it is not known.
fn operands(name: &str) -> Option<Operands> {
    let bare = name.rsplit("::").next().unwrap_or(name);
    Some(match bare {
        "mm" | "bmm" | "_scaled_mm" | "cublas_scaled_mm" | "int8_linear_matmul" | "matmul"
        | "_int_mm" => Operands::At(0),
        "addmm" | "baddbmm" | "addmm_" | "_addmm_activation" => Operands::At(1),
        "linear"
        | "rocm_unquantized_gemm"
        | "gemm_a16w16"
        | "gemm_a8w8"
        | "gemm_a8w8_blockscale"
        | "gemm_a8w8_CK" => Operands::Weight,
        "gemm_a4w4" | "gemm_a4w4_blockscale" | "hipblaslt_gemm_fp4" => Operands::BothPacked,
        "batched_gemm_a16wfp4" | "gemm_with_dynamic_quant" => Operands::PackedWeight,
        _ => return None,
    })
}

/// True where the operation adds a vector or matrix.
fn adds_bias(name: &str, operand_count: usize) -> bool {
    let bare = name.rsplit("::").next().unwrap_or(name);
    match bare {
        "addmm" | "baddbmm" | "addmm_" | "_addmm_activation" => true,
        "_scaled_mm" | "cublas_scaled_mm" | "linear" | "rocm_unquantized_gemm" => {
            operand_count == 3
        }
        _ => false,
    }
}

/// Sizes from the operands' shapes: M, N, K and the batch.
pub(crate) fn from_dims(name: &str, dims: &[Vec<u32>]) -> Option<([u32; 3], u32)> {
    let kind = operands(name)?;
    let first = match kind {
        Operands::At(i) => i,
        _ => 0,
    };
    let (a, b) = (dims.get(first)?, dims.get(first + 1)?);
    let (batch_a, a) = split_batch(a)?;
    let (batch_b, b) = split_batch(b)?;
    let batch = batch_a.max(batch_b);
    let (m, k, n, k_of_b) = match kind {
        Operands::At(_) => (a[0], a[1], b[1], b[0]),
        Operands::Weight => (a[0], a[1], b[0], b[1]),
        Operands::PackedWeight => (a[0], a[1], b[0], b[1].checked_mul(2)?),
        Operands::BothPacked => {
            let k = a[1].checked_mul(2)?;
            (a[0], k, b[0], b[1].checked_mul(2)?)
        }
    };
    (k == k_of_b).then_some(([m, n, k], batch))
}

/// Leading dimensions as one batch, and the matrix. A weight has none.
fn split_batch(dims: &[u32]) -> Option<(u32, [u32; 2])> {
    let (matrix, leading) = match dims {
        [leading @ .., rows, columns] => ([*rows, *columns], leading),
        _ => return None,
    };
    let batch = leading.iter().try_fold(1u32, |product, d| product.checked_mul(*d))?;
    Some((batch, matrix))
}

/// Types of A and B from a tuple of names, and the decision that was needed.
///
/// A trace names storage types only: `unsigned char` holds 8-bit floats, or two 4-bit ones where
/// the operation's name says so.
pub(super) fn types(
    name: &str,
    names: &Py<'_>,
) -> Option<(DataType, DataType, Option<&'static str>)> {
    let texts: Vec<&str> = names.items().iter().filter_map(Py::text).collect();
    let at = |i: usize| texts.get(i).copied().filter(|t| !t.is_empty());
    let (a, note_a) = storage_type(name, at(0)?)?;
    let (b, note_b) = match at(1) {
        Some(text) => storage_type(name, text)?,
        None => (a, None),
    };
    Some((a, b, note_a.or(note_b)))
}

fn storage_type(name: &str, text: &str) -> Option<(DataType, Option<&'static str>)> {
    let four_bit = || {
        let lower = name.to_ascii_lowercase();
        let words = ["fp4", "a4w4", "w4", "mxfp4"];
        words.iter().any(|w| lower.contains(w))
    };
    match text {
        "unsigned char" | "uint8" | "c10::Float4_e2m1fn_x2" if four_bit() => {
            Some((DataType::MxFp4, Some("Byte operands of a 4-bit operation: assuming MXFP4.")))
        }
        "unsigned char" | "uint8" => {
            Some((DataType::Fp8E4m3, Some("Byte operands (unsigned char): assuming fp8 E4M3.")))
        }
        "signed char" | "char" => Some((DataType::Int8, None)),
        "long int" | "long" | "int" => None,
        _ => DataType::parse(text).map(|t| (t, None)),
    }
}

/// Types, layout and epilogue as an [`Operation`]. `blas` is the report's layout: the flags of
/// the column-major BLAS call, whose A is this GEMM's B.
pub(super) fn operation(
    a: DataType,
    b: DataType,
    bias: bool,
    blas: Option<(bool, bool)>,
) -> Operation {
    // Such kernels write 16 bits for operands of 8 bits and less, else the operands' type.
    let c = if a.bits() <= 8 { DataType::Bf16 } else { a };
    let (trans_b, trans_a) = blas.unwrap_or((false, false));
    Operation { bias, ..Operation::mixed(a, b, c).with_layout(trans_a, trans_b) }
}

/// BLAS flags from the operands' strides: a matrix is stored transposed where its first stride
/// is 1 and its second at least its height.
pub(super) fn layout_of_strides(
    stride_a: &Py<'_>,
    stride_b: &Py<'_>,
    sizes: [u32; 3],
) -> Option<(bool, bool)> {
    let [m, _, k] = sizes;
    let transposed = |strides: &Py<'_>, rows: u32| -> Option<bool> {
        match strides.items() {
            [.., row, column] => {
                let (row, column) = (row.number()?, column.number()?);
                Some(row == 1.0 && column >= f64::from(rows) && column > 1.0)
            }
            _ => None,
        }
    };
    Some((transposed(stride_b, k)?, transposed(stride_a, m)?))
}

/// The GEMM of an operation from its operands alone, where no model of the report helps, without a time.
pub(crate) fn from_operands(
    name: &str,
    dims: &Py<'_>,
    input_types: &Py<'_>,
    strides: &Py<'_>,
) -> Option<(Row, Option<&'static str>)> {
    let shapes = dims.shapes();
    let (sizes, batch) = from_dims(name, &shapes)?;
    let first = match operands(name)? {
        Operands::At(i) => i,
        _ => 0,
    };
    let pair = Py::Seq(input_types.items().iter().skip(first).take(2).cloned().collect());
    let (a, b, note) = types(name, &pair)?;
    let given = shapes.iter().filter(|s| !s.is_empty()).count();
    let blas = match operands(name)? {
        Operands::At(_) => {
            let at = |i: usize| strides.items().get(i).cloned().unwrap_or(Py::None);
            layout_of_strides(&at(first), &at(first + 1), sizes)
        }
        // The weight is kept (N, K): read transposed.
        _ => Some((true, false)),
    };
    let op = operation(a, b, adds_bias(name, given), blas);
    Some((Shape { sizes, batch: Some(batch) }.row(op, f64::NAN), note))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gemm(name: &str, dims: &str, kinds: &str) -> Option<String> {
        let (g, _) = from_operands(name, &Py::parse(dims), &Py::parse(kinds), &Py::None)?;
        Some(format!("{} of {} {} {} {}", g.batch, g.m, g.n, g.k, g.op))
    }

    #[test]
    fn every_operation_orders_its_operands_in_its_own_way() {
        let bf16 = "('c10::BFloat16', 'c10::BFloat16', 'c10::BFloat16')";
        let cases = [
            ("aten::mm", "((8944, 1024), (1024, 2816))", "1 of 8944 2816 1024 bf16 NN"),
            (
                "aten::addmm",
                "((1024,), (8944, 1024), (1024, 512), (), ())",
                "1 of 8944 512 1024 bf16 NN + bias",
            ),
            ("aten::bmm", "((4, 32, 8), (4, 8, 16))", "4 of 32 16 8 bf16 NN"),
            (
                "aten::baddbmm",
                "((4, 32, 16), (4, 32, 8), (4, 8, 16))",
                "4 of 32 16 8 bf16 NN + bias",
            ),
            // The weight is (N, K) here.
            (
                "vllm::rocm_unquantized_gemm",
                "((32, 2880), (5120, 2880), (5120,))",
                "1 of 32 5120 2880 bf16 NT + bias",
            ),
            ("aiter::gemm_a16w16", "((32, 64), (16, 64))", "1 of 32 16 64 bf16 NT"),
        ];
        for (name, dims, expected) in cases {
            assert_eq!(gemm(name, dims, bf16).as_deref(), Some(expected), "{name}");
        }
        // Two 4-bit values a byte: K is twice the stored width.
        let bytes = "('unsigned char', 'unsigned char')";
        assert_eq!(
            gemm("aiter::gemm_a4w4", "((32, 64), (16, 64))", bytes).as_deref(),
            Some("1 of 32 16 128 MXFP4 NT")
        );
        assert_eq!(
            gemm(
                "aten::_scaled_mm",
                "((32, 64), (64, 16))",
                "('c10::Float8_e4m3fnuz', 'c10::Float8_e4m3fnuz')"
            )
            .as_deref(),
            Some("1 of 32 16 64 fp8 E4M3 fnuz NN")
        );
        // No guess for sizes that do not fit, unknown operations and missing operands.
        for (name, dims) in [
            ("aten::mm", "((32, 64), (63, 16))"),
            ("mine::moe", "((32, 64), (64, 16))"),
            ("aten::mm", "((32, 64),)"),
            ("aten::mm", "((32,), (64, 16))"),
        ] {
            assert_eq!(gemm(name, dims, bf16), None, "{name} {dims}");
        }
    }

    #[test]
    fn layouts() {
        // Y = X W^T: X row-major (M, K), W^T a view of W (N, K).
        let (a, b) = (Py::parse("(1024, 1)"), Py::parse("(1, 1024)"));
        let blas = layout_of_strides(&a, &b, [8944, 2816, 1024]);
        assert_eq!(blas, Some((true, false)));
        let op = operation(DataType::Bf16, DataType::Bf16, false, blas);
        assert_eq!(op.layout(), "NT");
        assert_eq!(layout_of_strides(&Py::None, &b, [1, 1, 1]), None);
    }
}
