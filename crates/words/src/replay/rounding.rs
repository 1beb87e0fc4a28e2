//! Tolerance of a replay's check, from the rounding errors of a sum of K products.
//!
//! Rounding errors have both signs: if they are independent with zero mean, the error of a sum of K terms grows with
//! the square root of K (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput.
//! 41(5), 2019). For A and B of unit normal entries, summed in sequence, the k-th partial sum is about sqrt(k), each
//! addition errs by a uniform fraction of u, and these add up to `u sqrt(K / 6)` of a typical entry sqrt(K) of C.

use gemmscope_model::dtype::{DataType, Family};
use gemmscope_model::gemm::Operation;

/// Unit roundoff: half the distance from 1 to the next number. 0 for integers, which are exact until they overflow;
/// `None` for block formats, which have no single roundoff.
fn unit_roundoff(dtype: DataType) -> Option<f64> {
    use DataType::*;
    // Bits of the significand, the hidden one included.
    let bits = match dtype {
        Fp64 | C64 => 53,
        Fp32 | C32 => 24,
        Fp16 | Tf32 => 11,
        Bf16 => 8,
        Fp8E4m3 | Fp8E4m3Fnuz => 4,
        Fp8E5m2 | Fp8E5m2Fnuz => 3,
        Int8 | Int32 | Int4 => return Some(0.0),
        _ => return None,
    };
    Some(0.5f64.powi(bits))
}

/// Expected errors of C = A B for unit normal A and B.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Errors {
    /// Typical error of the sum, relative to a typical entry.
    sum: f64,
    /// Typical error of rounding the result to its format, relative to the entry.
    output: f64,
    /// Largest expected absolute error among all entries, for an entry near zero.
    worst_absolute: f64,
    /// Largest relative error of rounding the result.
    worst_output: f64,
}

/// Expected maximum of a million normal errors, in standard deviations: `sqrt(2 ln 1e6)`.
const FARTHEST: f64 = 5.26;

/// Errors of a sum of `k` products. `None` if a format has no unit roundoff.
fn errors(k: u32, accumulate: DataType, output: DataType) -> Option<Errors> {
    let (u, out) = (unit_roundoff(accumulate)?, unit_roundoff(output)?);
    let k = f64::from(k.max(1));
    let sum = u * (k / 6.0).sqrt();
    Some(Errors {
        sum,
        // Root mean square of a uniform fraction.
        output: out / 3f64.sqrt(),
        worst_absolute: FARTHEST * sum * k.sqrt(),
        worst_output: out,
    })
}

/// Tolerances are this many times the largest expected error, so that a correct kernel passes.
const ROOM: f64 = 4.0;

/// Tolerance `(atol, rtol)` of a check of C = A B, with unit normal A and B, against an exact reference. `narrow_parts`
/// allows for partial sums kept in the output type, as with split-K or a bias that is added afterwards. `None` if a
/// type has no unit roundoff.
pub(super) fn tolerance(k: u32, op: &Operation, narrow_parts: bool) -> Option<(f64, f64)> {
    let accumulate = op.compute.default_accumulate();
    let e = errors(k, accumulate, op.c)?;
    let root = f64::from(k.max(1)).sqrt();
    // Operands rounded before the multiplication (tf32), and the short accumulators of 8-bit units.
    let inside = match op.compute.family() {
        Some(Family::Tf32) => 2f64.powi(-11) * (2.0 / 3.0f64).sqrt(),
        Some(Family::Fp8) => 2f64.powi(-14),
        _ => 0.0,
    };
    let parts = if narrow_parts { e.output } else { 0.0 };
    let atol = ROOM * (e.worst_absolute + FARTHEST * root * (inside + parts));
    Some((atol, ROOM * e.worst_output))
}

/// A tolerance as Python arguments: `atol=1.234e-2, rtol=1.953e-3`.
pub(super) fn tolerance_text((atol, rtol): (f64, f64)) -> String {
    format!("atol={atol:.3e}, rtol={rtol:.3e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roundoffs() {
        assert_eq!(unit_roundoff(DataType::Fp16), Some(2f64.powi(-11)));
        assert_eq!(unit_roundoff(DataType::Bf16), Some(2f64.powi(-8)));
        assert_eq!(unit_roundoff(DataType::Fp32), Some(f64::from(f32::EPSILON) / 2.0));
        assert_eq!(unit_roundoff(DataType::Fp64), Some(f64::EPSILON / 2.0));
        assert_eq!(unit_roundoff(DataType::Int8), Some(0.0));
        assert_eq!(unit_roundoff(DataType::MxFp4), None);
    }

    #[test]
    fn a_real_sum_errs_as_expected() {
        // 400 sums of 4096 products in fp32 against fp64, from a small linear congruential generator and a sum of
        // twelve uniforms as normal deviate.
        let mut state = 1u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        let mut normal = || ((0..12).map(|_| uniform()).sum::<f64>() - 6.0) as f32;
        let (k, runs) = (4096u32, 400);
        let mut squares = 0.0;
        for _ in 0..runs {
            let (mut single, mut double) = (0f32, 0f64);
            for _ in 0..k {
                let (a, b) = (normal(), normal());
                let product = f64::from(a) * f64::from(b);
                double += product;
                // A fused multiply-add, as in matrix units: the product is not rounded.
                single = (f64::from(single) + product) as f32;
            }
            squares += (f64::from(single) - double).powi(2);
        }
        let measured = (squares / f64::from(runs)).sqrt() / f64::from(k).sqrt();
        let expected = errors(k, DataType::Fp32, DataType::Fp32).unwrap().sum;
        assert!((0.6..1.5).contains(&(measured / expected)), "{measured} {expected}");
    }

    #[test]
    fn a_derived_tolerance_is_fair() {
        for (dtype, k) in [(DataType::Fp16, 4096), (DataType::Bf16, 65_536), (DataType::Fp32, 1024)]
        {
            let op = Operation::uniform(dtype);
            let (atol, rtol) = tolerance(k, &op, false).unwrap();
            let of = errors(k, op.compute.default_accumulate(), op.c).unwrap();
            // Above rounding errors, but tight enough to detect larger ones.
            assert!((1.0..100.0).contains(&(atol / of.worst_absolute)), "{dtype}");
            assert!((1.0..100.0).contains(&(rtol / of.worst_output)), "{dtype}");
            assert!(tolerance(k, &op, true).unwrap().0 > atol);
        }
        // Integers are exact.
        let exact = tolerance(4096, &Operation::uniform(DataType::Int8), false);
        assert_eq!(exact.map(|t| t.0), Some(0.0));
    }
}
