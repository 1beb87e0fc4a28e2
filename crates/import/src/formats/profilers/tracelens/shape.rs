//! Derives the GEMM of a traced operation: operand types and layout, and sizes if the report has none.

use super::columns::EXPERTS;
use crate::cell::experts::{self, ExpertPart, Experts};
use crate::cell::operands::Operator;
use crate::cell::py::Py;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Operation;
use gemmscope_table::build::Row;

/// Types of A and B from a tuple of names, and a remark on an assumption made.
///
/// A trace names storage types only: `unsigned char` holds 8-bit floats, or two 4-bit ones if the
/// operation's name says so.
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

/// Types, layout and epilogue as an [`Operation`]. `blas` are the report's transposes, those of the column-major BLAS
/// call, whose A is this GEMM's B.
pub(super) fn operation(
    a: DataType,
    b: DataType,
    bias: bool,
    blas: Option<(bool, bool)>,
) -> Operation {
    // Such kernels write 16 bits for operands of up to 8 bits, otherwise the operand type.
    let c = if a.bits() <= 8 { DataType::Bf16 } else { a };
    let (trans_b, trans_a) = blas.unwrap_or((false, false));
    Operation { bias, ..Operation::mixed(a, b, c).with_layout(trans_a, trans_b) }
}

/// BLAS transposes from the operands' strides: a matrix is stored transposed if its first stride is 1 and its
/// second is at least its height.
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

/// True if an operand has a stride of 0 along a dimension of its matrices, as the gradient of a sum has. It then moves
/// fewer bytes than a GEMM of these sizes, so its time is not comparable.
fn is_expanded(pair: [&Py<'_>; 2], sizes: [u32; 3]) -> bool {
    let zero = |strides: &Py<'_>| {
        let last = strides.items().iter().rev().take(2);
        last.filter_map(Py::number).any(|stride| stride == 0.0)
    };
    sizes.iter().all(|size| *size > 1) && pair.into_iter().any(zero)
}

/// Reason for rejecting a product with such an operand.
pub(super) const EXPANDED: &str = "an operand repeats one value (a stride of 0), so it moves other bytes and runs \
                                   faster than a GEMM of its sizes";

/// A row without a time and a remark on its types, or the reason for rejecting a product of known sizes.
type Found = Result<(Row, Option<&'static str>), &'static str>;

/// The GEMM of an operation from its operands alone, if the report has no model of it.
pub(crate) fn from_operands(
    name: &str,
    dims: &Py<'_>,
    input_types: &Py<'_>,
    strides: &Py<'_>,
) -> Option<Found> {
    let operator = Operator::of(name)?;
    let shapes = dims.shapes();
    let shape = operator.shape(&shapes)?;
    let [_, n, _] = shape.sizes;
    if operator.pair(strides.items()).is_some_and(|pair| is_expanded(pair, shape.sizes)) {
        return Some(Err(EXPANDED));
    }
    let pair = Py::Seq(operator.pair(input_types.items())?.map(Clone::clone).to_vec());
    let (a, b, note) = types(name, &pair)?;
    let blas = match operator.weight {
        true => Some((true, false)),
        false => {
            operator.pair(strides.items()).and_then(|[a, b]| layout_of_strides(a, b, shape.sizes))
        }
    };
    let op = operation(a, b, operator.adds_bias(&shapes, n), blas);
    let op = Operation { c: operator.output.unwrap_or(op.c), ..op };
    Some(Ok((shape.row(op, f64::NAN), note)))
}

/// The expert GEMMs of an operation, with types of tokens and weights, and a remark on these types.
pub(crate) struct FoundExperts {
    experts: Experts,
    op: Operation,
    pub note: Option<&'static str>,
}

impl FoundExperts {
    /// From the printed names, shapes, types and scalars of its inputs; `None` for any other operation.
    pub(crate) fn of(name: &str, dims: &Py<'_>, types: &Py<'_>, numbers: &Py<'_>) -> Option<Self> {
        if !experts::is_named(name) {
            return None;
        }
        let names: Vec<&str> = types.items().iter().map(|t| t.text().unwrap_or("")).collect();
        let is_whole = |at: usize| {
            names.get(at).is_some_and(|name| ["int", "long", "long int"].contains(name))
        };
        let numbers: Vec<Option<u32>> = numbers.items().iter().map(Py::size).collect();
        let experts = Experts::of_inputs(name, &dims.shapes(), is_whole, &numbers)?;
        let [a, b] =
            experts.inputs.map(|at| names.get(at).copied().filter(|name| !name.is_empty()));
        let (a, _) = storage_type(name, a?)?;
        let (b, note) = match (experts.packed, storage_type(name, b?)) {
            (2, _) => {
                (DataType::MxFp4, Some("Byte weights of experts, two a byte: assuming MXFP4."))
            }
            (_, found) => found?,
        };
        let quantised = b.bits() == 8 && a.bits() == 16;
        let (a, note) = match quantised {
            true => (
                b,
                Some(
                    "Experts with 8-bit weights: assuming that the tokens are multiplied in 8 bits too.",
                ),
            ),
            false => (a, note),
        };
        // Weights are stored (N, K).
        let op = Operation::mixed(a, b, DataType::Bf16).with_layout(false, true);
        Some(FoundExperts { experts, op, note })
    }

    /// From the parameters of the report's model.
    pub(crate) fn of_model(name: &str, params: &Py<'_>) -> Option<Self> {
        let size = |key: &str| params.get(key)?.size();
        let [tokens, hidden, inner, experts, per_token] = EXPERTS.map(size);
        let gated = params.get("gated").and_then(Py::truth).unwrap_or(false);
        let experts = Experts::of_sizes([tokens?, hidden?, inner?], [experts?, per_token?], gated)?;
        let dtype = |key: &str| storage_type(name, params.get(key)?.text()?);
        let ((a, _), (b, note)) = (dtype("input_dtype")?, dtype("weight_dtype")?);
        let op = Operation::mixed(a, b, DataType::Bf16).with_layout(false, true);
        Some(FoundExperts { experts, op, note })
    }

    /// The row of one of its GEMMs, without a time.
    pub(crate) fn row(&self, part: ExpertPart) -> Row {
        self.experts.shape(part).row(self.op, f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gemm(name: &str, dims: &str, kinds: &str) -> Option<String> {
        let (g, _) = from_operands(name, &Py::parse(dims), &Py::parse(kinds), &Py::None)?.ok()?;
        Some(format!("{} of {} {} {} {}", g.batch, g.m, g.n, g.k, g.op))
    }

    #[test]
    fn an_operand_of_one_repeated_value_makes_no_gemm() {
        let types = Py::parse("('c10::BFloat16', 'c10::BFloat16')");
        let is_gemm = |name: &str, dims: &str, strides: &str| {
            let found = from_operands(name, &Py::parse(dims), &types, &Py::parse(strides));
            found.is_some_and(|found| found.is_ok())
        };
        let dims = "((4096, 2048), (2048, 14336))";
        assert!(is_gemm("aten::mm", dims, "((1, 4096), (14336, 1))"));
        assert!(!is_gemm("aten::mm", dims, "((0, 0), (14336, 1))"));
        assert!(!is_gemm("aten::mm", dims, "((2048, 1), (0, 1))"));
        // A weight shared by the batch is a valid operand, and so is a vector, whose second stride does not matter.
        let batched = "((8, 64, 32), (8, 32, 16))";
        assert!(is_gemm("aten::bmm", batched, "((2048, 32, 1), (0, 16, 1))"));
        assert!(is_gemm("aten::mm", "((1, 2048), (2048, 64))", "((0, 1), (64, 1))"));
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
            // The weight is stored (N, K).
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
        // Two 4-bit values per byte: K is twice the stored width.
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
        // `None` for mismatched sizes, unknown operations and missing operands.
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
