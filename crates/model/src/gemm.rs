//! One matrix multiply, C (M x N) = A (M x K) B (K x N), or a batch of them.

use crate::dtype::DataType;
use crate::units::{Bytes, Flops, Intensity};
use serde::{Deserialize, Serialize};
use std::fmt;

mod groups;

pub use groups::{Groups, Routing, parse_rows, tiles_of_rows};

/// Everything about a GEMM but its size: the types and layout of its operands, bias and beta.
/// A file has few distinct ones, so a dataset stores a code for each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operation {
    /// Type of A as stored in memory.
    pub a: DataType,
    /// Type of B as stored in memory.
    pub b: DataType,
    /// Type of the output.
    pub c: DataType,
    /// Type of the multiplication; selects the peak that is the roof.
    pub compute: DataType,
    /// A is stored transposed (K x M).
    pub trans_a: bool,
    /// B is stored transposed (N x K).
    pub trans_b: bool,
    /// A bias of N elements of type `c` is added.
    pub bias: bool,
    /// C is read as well as written (beta != 0).
    pub beta: bool,
    /// How M is divided where each group of rows has a B of its own; `None` for one product or a batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Groups>,
}

impl Operation {
    /// Both operands of one type, multiplied in it, with the default output type ([`DataType::default_output`]);
    /// nothing transposed, no bias, beta = 0.
    ///
    /// ```
    /// use gemmscope_model::dtype::DataType;
    /// use gemmscope_model::gemm::Operation;
    /// let op = Operation::uniform(DataType::Fp8E4m3);
    /// assert_eq!((op.b, op.c), (DataType::Fp8E4m3, DataType::Bf16));
    /// ```
    pub fn uniform(dtype: DataType) -> Self {
        Self {
            a: dtype,
            b: dtype,
            c: dtype.default_output(),
            compute: dtype,
            trans_a: false,
            trans_b: false,
            bias: false,
            beta: false,
            groups: None,
        }
    }

    /// Operands of different types, multiplied in the wider one: a 4-bit weight is unpacked to the activation's type
    /// first. If no matrix unit multiplies one of the types, the other is used.
    pub fn mixed(a: DataType, b: DataType, c: DataType) -> Self {
        let rank = |dtype: DataType| (dtype.family().is_some(), dtype.bits());
        let compute = if rank(b) > rank(a) { b } else { a };
        Self { a, b, c, compute, ..Self::uniform(compute) }
    }

    /// The same operation with this layout.
    pub fn with_layout(self, trans_a: bool, trans_b: bool) -> Self {
        Self { trans_a, trans_b, ..self }
    }

    /// A number unique to this operation and never 0; cheaper to compare and hash than the fields.
    #[inline]
    pub fn key(&self) -> u128 {
        let flags = [self.trans_a, self.trans_b, self.bias, self.beta];
        let types = [self.a, self.b, self.c, self.compute];
        let flags = flags.iter().fold(1, |k, &f| k << 1 | u64::from(f));
        // 29 bits, as there are fewer than 64 types; groups take 98.
        let own = u128::from(types.iter().fold(flags, |k, &t| k << 6 | t as u64));
        match self.groups {
            None => own,
            Some(Groups { count, routing, down, along_k }) => {
                let (known, number) = match routing {
                    Routing::Known(active) => (1, active),
                    Routing::Uniform(per_token) => (0, per_token),
                };
                let numbers = [count, number, down].into_iter();
                let groups = numbers.fold(own, |key, n| key << 32 | u128::from(n));
                groups << 2 | known << 1 | u128::from(along_k)
            }
        }
    }

    /// Per-element constants of this operation's work and traffic.
    pub fn cost(&self) -> Cost {
        let size = |dtype: DataType| dtype.bytes() + dtype.scale_bytes_per_element();
        Cost {
            flops_per_mac: if self.compute.is_complex() { 8.0 } else { 2.0 },
            flops_per_output: if self.bias { 1.0 } else { 0.0 },
            bytes_a: size(self.a),
            bytes_b: size(self.b),
            bytes_c: size(self.c) * if self.beta { 2.0 } else { 1.0 },
            bytes_bias: if self.bias { self.c.bytes() } else { 0.0 },
            groups: self.groups,
        }
    }

    /// Layout in BLAS letters, A then B: `NN`, `NT`, `TN`, `TT`.
    pub fn layout(&self) -> &'static str {
        match (self.trans_a, self.trans_b) {
            (false, false) => "NN",
            (false, true) => "NT",
            (true, false) => "TN",
            (true, true) => "TT",
        }
    }

    /// The possible epilogues, as written after the layout.
    pub const EPILOGUES: [&str; 4] = ["", " + bias", " + C", " + bias + C"];

    /// The entry of [`Operation::EPILOGUES`] that applies.
    pub fn epilogue(&self) -> &'static str {
        Self::EPILOGUES[usize::from(self.bias) + 2 * usize::from(self.beta)]
    }

    /// Short name of the types: `bf16`, or `bf16 x int4 -> bf16` if they differ.
    pub fn types(&self) -> String {
        if self.a == self.b && self.c == self.a.default_output() && self.compute == self.a {
            self.a.name().to_owned()
        } else if self.a == self.b && self.compute == self.a {
            format!("{} -> {}", self.a, self.c)
        } else {
            let mut text = format!("{} x {} -> {}", self.a, self.b, self.c);
            if self.compute != self.a && self.compute != self.b {
                text.push_str(&format!(" in {}", self.compute));
            }
            text
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.types(), self.layout(), self.epilogue())
    }
}

/// Work and bytes per element of one [`Operation`], computed once so that each row of a long table costs only a dozen
/// multiplications.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Real operations of one multiply-add: 8 for complex, else 2.
    pub flops_per_mac: f64,
    /// Operations per output element on top of the products: 1 with a bias, else 0.
    pub flops_per_output: f64,
    /// Bytes per element of A, block scales included.
    pub bytes_a: f64,
    /// Bytes per element of B, block scales included.
    pub bytes_b: f64,
    /// Bytes per element of C, doubled if it is also read (beta != 0).
    pub bytes_c: f64,
    /// Bytes of bias per column of C.
    pub bytes_bias: f64,
    /// Groups of rows, each with a B and a bias of its own.
    pub groups: Option<Groups>,
}

impl Cost {
    /// Work (FLOP) and compulsory traffic (bytes) of `batch` GEMMs of one shape, each operand crossing the memory bus
    /// once.
    ///
    /// `b (2 M N K) [+ b M N with bias]` and `b (M K s_a + K N s_b + M N s_c)`, `+ M N s_c` if C is read, `+ N s_c`
    /// with bias.
    #[inline]
    pub fn of(&self, m: f64, n: f64, k: f64, batch: f64) -> (f64, f64) {
        // Each group has a B, or a C, of its own.
        let product = |n: f64, k: f64, bs: f64, cs: f64| {
            let mn = m * n;
            (
                batch * (self.flops_per_mac * mn * k + self.flops_per_output * mn),
                batch
                    * (m * k * self.bytes_a
                        + bs * (k * n * self.bytes_b)
                        + cs * (mn * self.bytes_c)
                        + bs * (n * self.bytes_bias)),
            )
        };
        let Some(groups) = self.groups else { return product(n, k, 1.0, 1.0) };
        if groups.along_k {
            // The gradient of a B without rows is written too, as zeros.
            return product(n, k, 1.0, f64::from(groups.count));
        }
        let active = groups.active(m);
        let up = product(n, k, active, 1.0);
        // The second product goes back from I to K columns.
        let down = match groups.down {
            0 => (0.0, 0.0),
            inner => product(k, f64::from(inner), active, 1.0),
        };
        (up.0 + down.0, up.1 + down.1)
    }
}

/// A batched GEMM of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B: the dimension summed over.
    pub k: u32,
    /// Number of independent GEMMs of this shape.
    pub batch: u32,
    /// Types, layout, epilogue.
    pub op: Operation,
}

/// The two GEMMs of the backward pass of one forward GEMM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backward {
    /// Gradient of the input, (M, K, N).
    pub dx: Problem,
    /// Gradient of the weight, (N, K, M).
    pub dw: Problem,
}

impl Problem {
    /// One GEMM of uniform type: `Problem::new(4096, 4096, 4096, DataType::Fp16)`.
    pub fn new(m: u32, n: u32, k: u32, dtype: DataType) -> Self {
        Self { m, n, k, batch: 1, op: Operation::uniform(dtype) }
    }

    fn sizes(&self) -> (f64, f64, f64, f64) {
        (f64::from(self.m), f64::from(self.n), f64::from(self.k), f64::from(self.batch))
    }

    /// Work `b (2 M N K) [+ b M N with bias]`; complex types count 8 M N K.
    pub fn work(&self) -> Flops {
        let (m, n, k, b) = self.sizes();
        Flops(self.op.cost().of(m, n, k, b).0)
    }

    /// Compulsory traffic: each operand crosses the memory bus once (a lower bound).
    ///
    /// `b (M K s_a + K N s_b + M N s_c)`, `+ M N s_c` if C is read, `+ N s_c` with bias, plus the block scales of the
    /// operands ([`DataType::scale_bytes_per_element`]).
    pub fn bytes(&self) -> Bytes {
        let (m, n, k, b) = self.sizes();
        Bytes(self.op.cost().of(m, n, k, b).1)
    }

    /// Bytes moved by a separate elementwise kernel that reads C and writes D of the same type: `2 b M N s_c`. Fusing
    /// it into the GEMM saves them.
    pub fn epilogue_bytes(&self) -> Bytes {
        let (m, n, _, b) = self.sizes();
        Bytes(2.0 * b * m * n * self.op.c.bytes())
    }

    /// Groups of a grouped GEMM that have rows: see [`Groups::active`].
    pub fn active(&self) -> Option<f64> {
        let groups = self.op.groups?;
        Some(groups.active(f64::from(if groups.along_k { self.k } else { self.m })))
    }

    /// The batch of equal products that is nearest to a grouped GEMM: its active groups, with the mean of their rows.
    pub fn as_batch(&self) -> Self {
        let (Some(groups), Some(active)) = (self.op.groups, self.active()) else { return *self };
        let batch = (active.round() as u32).max(1);
        let op = Operation { groups: None, ..self.op };
        match groups.along_k {
            true => Self { k: self.k.div_ceil(batch), batch, op, ..*self },
            false => Self { m: self.m.div_ceil(batch), batch, op, ..*self },
        }
    }

    /// Arithmetic intensity: work over compulsory bytes, an upper bound of the real one.
    pub fn intensity(&self) -> Intensity {
        self.work() / self.bytes()
    }

    /// The same call in the other storage order: C^T = B^T A^T. Swaps M and N, the operands and their transpose flags.
    /// A row-major Y = X W^T (`NT`) is a column-major BLAS `TN`.
    pub fn other_storage_order(&self) -> Self {
        Self {
            m: self.n,
            n: self.m,
            op: Operation {
                a: self.op.b,
                b: self.op.a,
                trans_a: self.op.trans_b,
                trans_b: self.op.trans_a,
                ..self.op
            },
            ..*self
        }
    }

    /// The two GEMMs of the backward pass of Y = X W^T: dX = dY W is (M, K, N) and dW = dY^T X is
    /// (N, K, M). Each does as much work as the forward GEMM. dY, dX and dW have the type of C.
    pub(crate) fn backward(&self) -> Backward {
        let op = Operation { bias: false, beta: false, ..self.op };
        Backward {
            dx: Self {
                m: self.m,
                n: self.k,
                k: self.n,
                batch: self.batch,
                op: Operation {
                    a: self.op.c,
                    b: self.op.b,
                    trans_a: false,
                    trans_b: !self.op.trans_b,
                    ..op
                },
            },
            dw: Self {
                m: self.n,
                n: self.k,
                k: self.m,
                batch: self.batch,
                op: Operation {
                    a: self.op.c,
                    b: self.op.a,
                    trans_a: true,
                    trans_b: self.op.trans_a,
                    groups: op.groups.map(|groups| Groups { along_k: true, ..groups }),
                    ..op
                },
            },
        }
    }
}

/// `4096 x 4096 x 1024 bf16 NT`, with `64 of` in front of a batch and ` in 64 groups` behind a grouped GEMM.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.batch != 1 {
            write!(f, "{} of ", self.batch)?;
        }
        write!(f, "{} × {} × {} {}", self.m, self.n, self.k, self.op)?;
        self.op.groups.map_or(Ok(()), |groups| write!(f, " in {} groups", groups.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(value: f64, expected: f64, relative: f64) {
        assert!((value / expected - 1.0).abs() <= relative, "{value} is not {expected}");
    }

    #[test]
    fn cube_of_4096() {
        let problem = Problem::new(4096, 4096, 4096, DataType::Fp16);
        close(problem.intensity().0, 1365.333, 1e-6);
        // Fused 0.101 GB, unfused (MK + KN + 3MN) s = 0.168 GB.
        close(problem.bytes().0, 0.101e9, 5e-3);
        close(problem.bytes().0 + problem.epilogue_bytes().0, 0.168e9, 5e-3);
    }

    #[test]
    fn tracelens_row() {
        let problem = Problem::new(8944, 2816, 1024, DataType::Bf16);
        close(problem.work().0, 51.581_550_592e9, 1e-12);
        close(problem.bytes().0 / 1048576.0, 71.007_812_5, 1e-12);
        close(problem.intensity().0, 692.768_841_456_705_9, 1e-12);
        // aten::addmm with bias: 18.766086144 GFLOP, 36.939453125 MiB, 484.488...
        let mut biased = Problem::new(8944, 1024, 1024, DataType::Bf16);
        biased.op.bias = true;
        close(biased.work().0, 18.766_086_144e9, 1e-12);
        close(biased.bytes().0 / 1048576.0, 36.939_453_125, 1e-12);
        close(biased.intensity().0, 484.488_341_352_508_9, 1e-12);
    }

    #[test]
    fn named_flop_counts() {
        let cube = Problem::new(16384, 16384, 16384, DataType::Fp32);
        assert_eq!(cube.bytes(), Bytes(3_221_225_472.0));
        // rocBLAS: 512^3 f32_c in 54.7 us is 19629.6 GFLOP/s.
        let complex = Problem::new(512, 512, 512, DataType::C32);
        close(complex.work().0 / 54.7e-6, 19629.6e9, 1e-4);
    }

    #[test]
    fn block_scales_are_counted() {
        let mut problem = Problem::new(128, 256, 512, DataType::MxFp4);
        assert_eq!(problem.op.c, DataType::Bf16);
        let operands = 128.0 * 512.0 + 256.0 * 512.0;
        let output = 128.0 * 256.0 * 2.0;
        assert_eq!(problem.bytes(), Bytes(operands * 0.5 + operands / 32.0 + output));
        problem.op = Operation::uniform(DataType::NvFp4);
        assert_eq!(problem.bytes(), Bytes(operands * 0.5 + operands / 16.0 + output));
    }

    #[test]
    fn mixed_types_compute_in_the_wider() {
        let op = Operation::mixed(DataType::Bf16, DataType::Int4, DataType::Bf16);
        assert_eq!(op.compute, DataType::Bf16);
        assert_eq!(op.to_string(), "bf16 x int4 -> bf16 NN");
        let blocks = Operation::mixed(DataType::Q8_0, DataType::Fp32, DataType::Fp32);
        assert_eq!(blocks.compute, DataType::Fp32);
        assert_eq!(
            Operation::uniform(DataType::Bf16).with_layout(true, false).to_string(),
            "bf16 TN"
        );
    }

    #[test]
    fn backward_shapes() {
        let forward = Problem {
            op: Operation::uniform(DataType::Bf16).with_layout(false, true),
            ..Problem::new(8, 16, 32, DataType::Bf16)
        };
        let Backward { dx, dw } = forward.backward();
        assert_eq!((dx.m, dx.n, dx.k, dx.op.layout()), (8, 32, 16, "NN"));
        assert_eq!((dw.m, dw.n, dw.k, dw.op.layout()), (16, 32, 8, "TN"));
        assert_eq!(forward.to_string(), "8 × 16 × 32 bf16 NT");
        // A row-major framework's linear layer as column-major BLAS sees it.
        let blas = |problem: Problem| problem.other_storage_order().op.layout();
        assert_eq!((blas(forward), blas(dx), blas(dw)), ("TN", "NN", "NT"));
    }

    fn problems() -> impl Strategy<Value = Problem> {
        (
            (1u32.., 1u32.., 1u32.., 1u32..4096),
            0..DataType::ALL.len(),
            0..DataType::ALL.len(),
            any::<[bool; 4]>(),
        )
            .prop_map(|((m, n, k, batch), a, b, [ta, tb, bias, beta])| Problem {
                m,
                n,
                k,
                batch,
                op: Operation {
                    bias,
                    beta,
                    ..Operation::mixed(DataType::ALL[a], DataType::ALL[b], DataType::Fp32)
                        .with_layout(ta, tb)
                },
            })
    }

    proptest! {
        #[test]
        fn work_and_bytes_are_positive(problem in problems()) {
            for value in [problem.work().0, problem.bytes().0, problem.intensity().0] {
                prop_assert!(value.is_finite() && value > 0.0);
            }
        }

        #[test]
        fn a_larger_problem_moves_more(problem in problems(), axis in 0..4) {
            let mut larger = problem;
            let size = match axis {
                0 => &mut larger.m,
                1 => &mut larger.n,
                2 => &mut larger.k,
                _ => &mut larger.batch,
            };
            *size = size.saturating_add(1 + *size / 2);
            prop_assert!(larger.bytes().0 >= problem.bytes().0);
            prop_assert!(larger.work().0 >= problem.work().0);
        }

        #[test]
        fn seeing_it_from_the_other_order_twice_changes_nothing(problem in problems()) {
            prop_assert_eq!(problem.other_storage_order().other_storage_order(), problem);
            let plain = Problem { op: Operation { bias: false, ..problem.op }, ..problem };
            let (there, here) = (plain.other_storage_order().bytes().0, plain.bytes().0);
            prop_assert!((there / here - 1.0).abs() < 1e-12);
        }

        #[test]
        fn backward_does_twice_the_work(problem in problems()) {
            let problem = Problem { op: Operation { bias: false, ..problem.op }, ..problem };
            let Backward { dx, dw } = problem.backward();
            let ratio = (dx.work().0 + dw.work().0) / problem.work().0;
            prop_assert!((ratio - 2.0).abs() < 1e-12);
        }

        #[test]
        fn json_round_trip(problem in problems()) {
            let json = serde_json::to_string(&problem).unwrap();
            prop_assert_eq!(serde_json::from_str::<Problem>(&json).unwrap(), problem);
        }
    }
}
