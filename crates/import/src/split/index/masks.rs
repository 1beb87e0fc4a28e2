//! Bit masks of line ends, delimiters and quotes in 64 bytes: one bit per byte, the first byte lowest.

/// Bytes examined per step.
pub(super) const STEP: usize = 64;

/// One bit per byte of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Masks {
    pub line_ends: u64,
    pub delimiters: u64,
    pub quotes: u64,
}

/// The masks of a step, with WebAssembly SIMD.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
pub(super) fn masks(step: &[u8; STEP], delimiter: u8) -> Masks {
    wide::masks(step, delimiter)
}

/// The masks of a step, with SSE2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn masks(step: &[u8; STEP], delimiter: u8) -> Masks {
    #[expect(
        unsafe_code,
        reason = "the compiler asks for it where a function uses SSE2, which every x86_64 has"
    )]
    // SAFETY: SSE2 is part of x86_64. The function loads through references only.
    unsafe {
        wide::masks(step, delimiter)
    }
}

/// The masks of a step, without SIMD.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
#[inline(always)]
pub(super) fn masks(step: &[u8; STEP], delimiter: u8) -> Masks {
    portable(step, delimiter)
}

/// Portable implementation, eight bytes at a time.
#[cfg_attr(
    any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")),
    allow(dead_code, reason = "the tests compare the two")
)]
#[inline(always)]
pub(super) fn portable(step: &[u8; STEP], delimiter: u8) -> Masks {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let all = |b: u8| u64::from_ne_bytes([b; 8]);
    // One bit per zero byte: the top bits, gathered by a multiplication.
    let zeros = |x: u64| {
        let tops = !(((x & LOW) + LOW) | x | LOW);
        (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    let mut found = Masks::default();
    for (i, word) in step.as_chunks().0.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        found.line_ends |= zeros(word ^ all(b'\n')) << (8 * i);
        found.delimiters |= zeros(word ^ all(delimiter)) << (8 * i);
        found.quotes |= zeros(word ^ all(b'"')) << (8 * i);
    }
    found
}

/// 16 bytes of a step as two words, the first bytes lowest.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn halves(quarter: &[u8; 16]) -> (u64, u64) {
    let whole = u128::from_le_bytes(*quarter);
    (whole as u64, (whole >> 64) as u64)
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Masks, STEP, halves};
    use core::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8,
    };

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn masks(step: &[u8; STEP], delimiter: u8) -> Masks {
        let all = |b: u8| _mm_set1_epi8(b as i8);
        let same = |v: __m128i, b: __m128i| {
            u64::from(_mm_movemask_epi8(_mm_cmpeq_epi8(v, b)) as u32 & 0xffff)
        };
        let (line_end, delimiter, quote) = (all(b'\n'), all(delimiter), all(b'"'));
        let mut found = Masks::default();
        for (i, quarter) in step.as_chunks().0.iter().enumerate() {
            let (low, high) = halves(quarter);
            let v = _mm_set_epi64x(high as i64, low as i64);
            found.line_ends |= same(v, line_end) << (16 * i);
            found.delimiters |= same(v, delimiter) << (16 * i);
            found.quotes |= same(v, quote) << (16 * i);
        }
        found
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wide {
    use super::{Masks, STEP, halves};
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128};

    #[inline]
    pub(super) fn masks(step: &[u8; STEP], delimiter: u8) -> Masks {
        let same = |v: v128, b: v128| u64::from(u8x16_bitmask(u8x16_eq(v, b)));
        let (line_end, delimiter, quote) =
            (u8x16_splat(b'\n'), u8x16_splat(delimiter), u8x16_splat(b'"'));
        let mut found = Masks::default();
        for (i, quarter) in step.as_chunks().0.iter().enumerate() {
            let (low, high) = halves(quarter);
            let v = u64x2(low, high);
            found.line_ends |= same(v, line_end) << (16 * i);
            found.delimiters |= same(v, delimiter) << (16 * i);
            found.quotes |= same(v, quote) << (16 * i);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The searched bytes, their neighbours in value, and some others.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            Just(b'\n'),
            Just(b'"'),
            Just(b','),
            Just(b';'),
            Just(b'\x0b'),
            Just(b'\x8a'),
            Just(b'\xac'),
            any::<u8>()
        ];
        proptest::collection::vec(byte, STEP)
    }

    fn one_by_one(step: &[u8; STEP], delimiter: u8) -> Masks {
        let of = |wanted: u8| {
            let bits = step.iter().enumerate();
            bits.map(|(i, b)| u64::from(*b == wanted) << i).sum()
        };
        Masks { line_ends: of(b'\n'), delimiters: of(delimiter), quotes: of(b'"') }
    }

    proptest! {
        #[test]
        fn every_way_finds_the_same(bytes in bytes(), delimiter in any::<u8>()) {
            let step: &[u8; STEP] = bytes.as_slice().try_into().unwrap();
            for delimiter in [delimiter, b',', b';', b'\t'] {
                let wanted = one_by_one(step, delimiter);
                prop_assert_eq!(portable(step, delimiter), wanted);
                prop_assert_eq!(masks(step, delimiter), wanted);
            }
        }
    }
}
