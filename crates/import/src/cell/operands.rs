//! Derives M, N, K and batch from operand shapes. Framework operations order their inputs differently: a table gives
//! the positions of A, B and the bias and their storage order.

use super::shape_text::Shape;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Groups, Operation};

/// A (M, K) times B (K, N). Leading dimensions of both are the batch, with broadcasting; those of A alone are further
/// rows. `None` if the operands do not fit.
pub(crate) fn product(a: &[u32], b: &[u32]) -> Option<Shape> {
    let ([lead_a @ .., m, k], [lead_b @ .., rows, n]) = (a, b) else {
        return None;
    };
    let of_all = |dims: &[u32]| dims.iter().try_fold(1u32, |all, d| all.checked_mul(*d));
    let (m, batch) = match lead_b {
        [] => (m.checked_mul(of_all(lead_a)?)?, 1),
        _ => (*m, of_all(&broadcast(lead_a, lead_b)?)?),
    };
    let shape = Shape::new([m, *n, *k], Some(batch).filter(|b| *b > 1));
    (k == rows).then_some(shape)
}

/// Shape of a grouped GEMM. One operand has a matrix per group; or both have (all groups equal); or neither has, and
/// the groups divide K, with `offsets` as their number. B may be stored (N, K). Group boundaries are data, so any
/// row may belong to any group.
fn grouped(a: &[u32], b: &[u32], offsets: Option<u32>) -> Option<Shape> {
    let (sizes, count, along_k) = match (a, b) {
        ([m, k], [groups, rows, n]) if k == rows => ([*m, *n, *k], *groups, false),
        ([m, k], [groups, n, columns]) if k == columns => ([*m, *n, *k], *groups, false),
        // The columns of B are divided: transpose the product.
        ([groups, m, k], [rows, n]) if k == rows => ([*n, *m, *k], *groups, false),
        ([m, k], [rows, n]) if k == rows => ([*m, *n, *k], offsets?, true),
        ([k, m], [rows, n]) if k == rows => ([*m, *n, *k], offsets?, true),
        _ => return product(a, b),
    };
    let groups = Groups { along_k, ..Groups::uniform(count, 1) };
    (count > 0).then_some(Shape { groups: Some(groups), ..Shape::new(sizes, None) })
}

/// Broadcasts two shapes, aligned at the last dimension. `None` if they are incompatible.
fn broadcast(a: &[u32], b: &[u32]) -> Option<Vec<u32>> {
    let at = |dims: &[u32], from_last: usize| dims.iter().rev().nth(from_last).map_or(1, |d| *d);
    let pairs = (0..a.len().max(b.len())).map(|i| (at(a, i), at(b, i)));
    pairs.map(|(a, b)| (a == b || a == 1 || b == 1).then_some(a.max(b))).collect()
}

/// [`product`] with B as (K, N) or, as linear layers store it, (N, K).
pub(crate) fn operands(a: &[u32], b: &[u32]) -> Option<Shape> {
    product(a, b).or_else(|| product(a, &swapped(b)))
}

/// Swaps the last two dimensions.
pub(crate) fn swapped(dims: &[u32]) -> Vec<u32> {
    let mut out = dims.to_vec();
    if let [.., rows, columns] = &mut out[..] {
        std::mem::swap(rows, columns);
    }
    out
}

/// Input order of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator {
    /// Index of A; B is the next input.
    pub first: usize,
    /// B is stored (N, K), as in a linear layer.
    pub weight: bool,
    /// Values along K per element of A and of B: 2 for 4-bit types packed in bytes.
    packed: [u32; 2],
    bias: Bias,
    /// A or B has a matrix per group, and another input holds the group offsets.
    pub grouped: bool,
    /// Type of C, if the operation fixes it.
    pub output: Option<DataType>,
}

#[derive(Clone, Copy, Debug)]
enum Bias {
    None,
    /// The input before A: a vector or a matrix.
    Before,
    /// An input after B with N elements; scales have other shapes.
    Behind,
}

const PLAIN: Operator = Operator {
    first: 0,
    weight: false,
    packed: [1, 1],
    bias: Bias::None,
    grouped: false,
    output: None,
};
const WEIGHT: Operator = Operator { weight: true, ..PLAIN };

const OPERATORS: &[(&str, Operator)] = &[
    ("mm bmm matmul mixed_mm int8_linear_matmul", PLAIN),
    ("int_mm", Operator { output: Some(DataType::Int32), ..PLAIN }),
    ("scaled_mm cublas_scaled_mm", Operator { bias: Bias::Behind, ..PLAIN }),
    (
        "addmm baddbmm addmm_ addmm_activation bias_addmm",
        Operator { first: 1, bias: Bias::Before, ..PLAIN },
    ),
    ("linear rocm_unquantized_gemm", Operator { bias: Bias::Behind, ..WEIGHT }),
    ("gemm_a16w16 gemm_a8w8 gemm_a8w8_blockscale gemm_a8w8_CK", WEIGHT),
    ("gemm_a4w4 gemm_a4w4_blockscale hipblaslt_gemm_fp4", Operator { packed: [2, 2], ..WEIGHT }),
    (
        "grouped_mm scaled_grouped_mm grouped_gemm grouped_gemm_impl ck_grouped_gemm hipblaslt_grouped_gemm \
         grouped_gemm_variable_k grouped_gemm_variable_k_impl ck_grouped_gemm_variable_k \
         hipblaslt_grouped_gemm_variable_k",
        Operator { grouped: true, ..PLAIN },
    ),
    ("batched_gemm_a16wfp4 gemm_with_dynamic_quant", Operator { packed: [1, 2], ..WEIGHT }),
];

impl Operator {
    /// Looks up an operator by name: `aten::mm`, `aten.mm.default`, `_int_mm`.
    pub(crate) fn of(name: &str) -> Option<Operator> {
        let bare = name.rsplit("::").next().unwrap_or(name).trim_start_matches("aten.");
        let bare = bare.split('.').next().unwrap_or(bare).trim_start_matches('_');
        OPERATORS.iter().find(|(names, _)| names.split(' ').any(|n| n == bare)).map(|(_, o)| *o)
    }

    /// Picks the entries of A and B from a list with one entry per input.
    pub(crate) fn pair<'a, T>(&self, inputs: &'a [T]) -> Option<[&'a T; 2]> {
        Some([inputs.get(self.first)?, inputs.get(self.first + 1)?])
    }

    /// M, N, K and batch from the shapes of all inputs.
    pub(crate) fn shape(&self, inputs: &[Vec<u32>]) -> Option<Shape> {
        let unpacked = |dims: &Vec<u32>, packed: u32| {
            let mut dims = dims.clone();
            let k = dims.last_mut()?;
            *k = k.checked_mul(packed)?;
            Some(dims)
        };
        let [a, b] = self.pair(inputs)?;
        let (a, b) = (unpacked(a, self.packed[0])?, unpacked(b, self.packed[1])?);
        if self.grouped {
            let mut vectors = inputs.iter().skip(self.first + 2).filter(|dims| dims.len() == 1);
            return grouped(&a, &b, vectors.next_back().map(|dims| dims[0]));
        }
        product(&a, &if self.weight { swapped(&b) } else { b })
    }

    /// The operation with these operand types and transposes; `n` tells a bias from scales.
    pub(crate) fn operation(
        &self,
        inputs: &[Vec<u32>],
        n: u32,
        [a, b]: [DataType; 2],
        [trans_a, trans_b]: [bool; 2],
    ) -> Operation {
        let c = self.output.unwrap_or(a.default_output());
        let op = Operation::mixed(a, b, c).with_layout(trans_a, trans_b || self.weight);
        Operation { bias: self.adds_bias(inputs, n), ..op }
    }

    /// True if it adds a vector or a matrix to the product with `n` columns.
    pub(crate) fn adds_bias(&self, inputs: &[Vec<u32>], n: u32) -> bool {
        match self.bias {
            Bias::None => false,
            Bias::Before => true,
            Bias::Behind => inputs.iter().skip(self.first + 2).any(|dims| dims[..] == [n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_dimensions_are_a_batch_or_rows() {
        let of = |a: &[u32], b: &[u32]| product(a, b).map(|s| (s.sizes, s.batch));
        assert_eq!(of(&[4, 8], &[8, 16]), Some(([4, 16, 8], None)));
        assert_eq!(of(&[3, 4, 8], &[3, 8, 16]), Some(([4, 16, 8], Some(3))));
        assert_eq!(of(&[3, 4, 8], &[8, 16]), Some(([12, 16, 8], None)));
        assert_eq!(of(&[2, 3, 4, 8], &[1, 3, 8, 16]), Some(([4, 16, 8], Some(6))));
        assert_eq!(of(&[2, 1, 4, 8], &[5, 8, 16]), Some(([4, 16, 8], Some(10))));
        assert_eq!(of(&[2, 4, 8], &[3, 8, 16]), None);
        assert_eq!(of(&[8], &[8, 16]), None);
    }

    #[test]
    fn groups_divide_the_rows_of_either_operand_or_the_summed_dimension() {
        let of = |name: &str, inputs: &[&[u32]]| {
            let inputs: Vec<Vec<u32>> = inputs.iter().map(|dims| dims.to_vec()).collect();
            let shape = Operator::of(name)?.shape(&inputs)?;
            Some((shape.sizes, shape.batch, shape.groups))
        };
        let eight = Groups::uniform(8, 1);
        for (b, name) in [
            (&[8, 512, 256][..], "aten::_grouped_mm"),
            (&[8, 256, 512], "primus_turbo_cpp_extension::ck_grouped_gemm"),
        ] {
            let found = of(name, &[&[1001, 512], b, &[8]]);
            assert_eq!(found, Some(([1001, 256, 512], None, Some(eight))), "{name}");
        }
        let turned = of("aten::_grouped_mm", &[&[8, 256, 512], &[512, 1001], &[8]]);
        assert_eq!(turned, Some(([1001, 256, 512], None, Some(eight))));
        let gradient = Groups { along_k: true, ..eight };
        let scaled = of(
            "aten::_scaled_grouped_mm",
            &[&[128, 1001], &[1001, 256], &[1024], &[2048], &[8], &[], &[]],
        );
        assert_eq!(scaled, Some(([128, 256, 1001], None, Some(gradient))));
        let equal = of("aten::_grouped_mm", &[&[8, 128, 512], &[8, 512, 256]]);
        assert_eq!(equal, Some(([128, 256, 512], Some(8), None)));
        assert_eq!(of("aten::_grouped_mm", &[&[128, 512], &[512, 256]]), None);
    }

    #[test]
    fn a_bias_is_a_vector_of_n() {
        let adds = |name: &str, inputs: &[Vec<u32>]| {
            let operator = Operator::of(name)?;
            Some(operator.adds_bias(inputs, operator.shape(inputs)?.sizes[1]))
        };
        let (a, b) = (vec![32, 64], vec![64, 16]);
        let scales = [a.clone(), b.clone(), vec![32, 1], vec![1, 16]];
        assert_eq!(adds("aten::_scaled_mm", &scales), Some(false));
        let both = [&scales[..], &[vec![16]]].concat();
        assert_eq!(adds("aten._scaled_mm.default", &both), Some(true));
        assert_eq!(adds("aten::linear", &[a, vec![16, 64], vec![16]]), Some(true));
        assert_eq!(adds("mine::mm_of_experts", &scales), None);
    }
}
