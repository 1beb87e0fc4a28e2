//! A GEMM followed by elementwise steps: as separate kernels, or fused into the epilogue.
//!
//! A separate kernel reads C, writes D (`2 M N s` bytes together) and reads its other operands. Fused, only the other
//! operands remain. For one step without other operands that is `(M K + K N + 3 M N) s` against `(M K + K N + M N) s`.

use gemmscope_model::gemm::Problem;
use gemmscope_model::roofline::Roof;
use gemmscope_model::units::{Bytes, Flops, Intensity, Seconds};

gemmscope_model::named! {
/// An elementwise step after a GEMM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusionStep {
    /// Scales of a quantised weight: one fp32 value per output column.
    Dequantise = "dequantise";
    /// A bias: one value per output column.
    Bias = "bias";
    /// ReLU, GELU, SiLU: a function of the element alone.
    Activation = "activation";
    /// Adds another matrix of C's size.
    Residual = "residual";
    /// Conversion to another format, counted with the element size of C.
    Cast = "cast";
}
/// All steps, in their usual order.
pub const ALL;
/// Key in links.
pub fn id -> &'static str;
}

impl FusionStep {
    /// Bytes of its other operands.
    fn own_bytes(self, p: &Problem) -> f64 {
        let (m, n, b) = (f64::from(p.m), f64::from(p.n), f64::from(p.batch));
        match self {
            FusionStep::Dequantise => n * 4.0,
            FusionStep::Bias => n * p.op.c.bytes(),
            FusionStep::Activation | FusionStep::Cast => 0.0,
            FusionStep::Residual => b * m * n * p.op.c.bytes(),
        }
    }
}

/// A chain run one way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Traffic of all kernels.
    pub bytes: Bytes,
    /// Work of the GEMM, 2 M N K. Operations of the steps are not counted: one per element, they are less than a
    /// thousandth of it for K of a thousand.
    pub work: Flops,
    /// Number of kernels.
    pub kernels: u32,
    /// Number of times an element of C is rounded to its format.
    pub roundings: u32,
    /// Sum of the kernels' roofline times; NaN without a roof.
    pub time: Seconds,
}

impl Run {
    /// Arithmetic intensity: work / bytes.
    pub fn intensity(&self) -> Intensity {
        self.work / self.bytes
    }
}

/// A chain run both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fusion {
    /// Each step as a separate kernel.
    pub separate: Run,
    /// All steps in one kernel.
    pub fused: Run,
    /// Traffic of the separate run on matrices of C's size: C itself, and what the steps read and write.
    pub output: Bytes,
}

impl Fusion {
    /// Fraction of the output traffic that fusing saves: two thirds with one activation, whose kernel reads C and
    /// writes D.
    pub fn output_saved(&self) -> f64 {
        (self.separate.bytes.0 - self.fused.bytes.0) / self.output.0
    }
}

/// Computes traffic, work and time of a chain, separate and fused.
///
/// ```
/// use gemmscope_model::dtype::DataType;
/// use gemmscope_model::gemm::Problem;
/// use gemmscope_analysis::planner::fusion::{FusionStep, fuse};
/// let f = fuse(&Problem::new(4096, 4096, 4096, DataType::Fp16), &[FusionStep::Activation], None);
/// assert_eq!(format!("{:.3} {:.3}", f.separate.bytes.0 / 1e9, f.fused.bytes.0 / 1e9), "0.168 0.101");
/// ```
pub fn fuse(problem: &Problem, steps: &[FusionStep], roof: Option<Roof>) -> Fusion {
    let gemm = problem.bytes().0;
    let own: f64 = steps.iter().map(|s| s.own_bytes(problem)).sum();
    let passes = problem.epilogue_bytes().0 * steps.len() as f64;
    let work = problem.work().0;
    // An elementwise kernel is far below any ridge point, so its bytes decide.
    let time = |gemm_work: f64, gemm_bytes: f64, other_bytes: f64| {
        Seconds(roof.map_or(f64::NAN, |r| {
            (gemm_work / r.peak_flops_per_s).max(gemm_bytes / r.bandwidth_bytes_per_s)
                + other_bytes / r.bandwidth_bytes_per_s
        }))
    };
    let kernels = 1 + steps.len() as u32;
    let c = f64::from(problem.m) * f64::from(problem.n) * f64::from(problem.batch);
    let output = c * problem.op.c.bytes() + passes + own;
    Fusion {
        output: Bytes(output),
        separate: Run {
            bytes: Bytes(gemm + passes + own),
            work: Flops(work),
            kernels,
            roundings: kernels,
            time: time(problem.work().0, gemm, passes + own),
        },
        fused: Run {
            bytes: Bytes(gemm + own),
            work: Flops(work),
            kernels: 1,
            roundings: 1,
            time: time(problem.work().0, gemm + own, 0.0),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::hardware::{RoofKind, by_id};
    use proptest::prelude::*;

    #[test]
    fn the_reports_traffic() {
        let p = Problem::new(4096, 4096, 4096, DataType::Fp16);
        let mn = 4096.0 * 4096.0 * 2.0;
        let f = fuse(&p, &[FusionStep::Activation], None);
        assert_eq!((f.separate.bytes.0, f.fused.bytes.0), (5.0 * mn, 3.0 * mn));
        assert_eq!((f.separate.roundings, f.fused.roundings), (2, 1));
        // 3 M N elements become M N: the report rounds 66.7 % down to 66. Fused, the intensity is that of the GEMM
        // alone.
        assert!((f.output_saved() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(format!("{:.2}", f.fused.intensity().0), "1365.33");
        assert_eq!(format!("{:.2}", p.intensity().0), "1365.33");
        assert!(f.separate.time.0.is_nan());
        let f = fuse(&p, &[FusionStep::Residual], None);
        assert_eq!((f.separate.bytes.0, f.fused.bytes.0), (6.0 * mn, 4.0 * mn));
        let f = fuse(&p, &[FusionStep::Bias], None);
        assert_eq!(f.fused.bytes.0, 3.0 * mn + 4096.0 * 2.0);
        let none = fuse(&p, &[], None);
        assert_eq!(none.separate.bytes, none.fused.bytes);
    }

    proptest! {
        #[test]
        fn fusing_never_costs(m in 1u32..9000, n in 1u32..9000, k in 1u32..9000, which in 0usize..32) {
            let steps: Vec<FusionStep> = FusionStep::ALL.into_iter().enumerate().filter(|(i, _)| which >> i & 1 == 1).map(|s| s.1).collect();
            let roof = by_id("a100-80-sxm").unwrap().roof(DataType::Fp16, RoofKind::Datasheet);
            let f = fuse(&Problem::new(m, n, k, DataType::Fp16), &steps, roof);
            prop_assert!(f.fused.bytes.0 <= f.separate.bytes.0);
            prop_assert!(f.fused.time.0 <= f.separate.time.0 * (1.0 + 1e-12));
            prop_assert_eq!(f.separate.work, f.fused.work);
            let saved = f.separate.bytes.0 - f.fused.bytes.0;
            prop_assert!((saved - 2.0 * f64::from(m) * f64::from(n) * 2.0 * steps.len() as f64).abs() < 1.0);
        }
    }
}
