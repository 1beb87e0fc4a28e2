//! Fast parser for plain numbers, eight digits at a time; nearly all cells of a large file are plain.
//!
//! A number is read backwards from its end, so that the bytes before it in the text fill the 64-bit word. Returns
//! `None` for anything else (sign, exponent, digit groups, blanks, too many digits), which [`number`](super::number)
//! and [`size`](super::size) handle; for plain numbers they give the same result.

/// Eight `0` characters.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Exclusive limit of decimals in [`quotient`]: an `f64` holds powers of ten exactly up to 10^22.
pub(super) const PLACES: u32 = 23;

const POWERS: [f64; PLACES as usize] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The value of eight digits, each byte less `'0'`, most significant digit in the lowest byte.
#[inline(always)]
fn value(digits: u64) -> u64 {
    const MASK: u64 = 0x0000_00ff_0000_00ff;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (pairs & MASK).wrapping_mul(0x000f_4240_0000_0064);
    let low = ((pairs >> 16) & MASK).wrapping_mul(0x0000_2710_0000_0001);
    high.wrapping_add(low) >> 32
}

/// Sets the top bit of every byte above 9.
#[inline(always)]
fn others(digits: u64) -> u64 {
    (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
}

/// Keeps the last `len` (1 to 8) bytes of a word, less `'0'`, and zeroes those before them.
#[inline(always)]
fn last(word: u64, len: u32) -> u64 {
    (word ^ ZEROS) & (!0 << (64 - 8 * len))
}

#[inline(always)]
fn eight_before(text: &[u8], end: usize) -> Option<u64> {
    let bytes = text.get(end.wrapping_sub(8)..end)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

#[inline(always)]
fn sixteen_before(text: &[u8], end: usize) -> Option<(u64, u64)> {
    let bytes: [u8; 16] = text.get(end.wrapping_sub(16)..end)?.try_into().ok()?;
    let both = u128::from_le_bytes(bytes);
    Some((both as u64, (both >> 64) as u64))
}

/// Parses a whole number of one to eight digits at `from..to`.
#[inline(always)]
pub(crate) fn whole(text: &[u8], from: u32, to: u32) -> Option<u32> {
    let len = to.wrapping_sub(from);
    if len.wrapping_sub(1) >= 8 {
        return None;
    }
    let digits = last(eight_before(text, to as usize)?, len);
    (others(digits) == 0).then(|| value(digits) as u32)
}

/// Parses a number at `from..to`: up to 19 digits with at most one point.
#[inline(always)]
pub(crate) fn decimal(text: &[u8], from: u32, to: u32) -> Option<f64> {
    let (len, end) = (to.wrapping_sub(from), to as usize);
    if len.wrapping_sub(1) < 8 {
        let digits = last(eight_before(text, end)?, len);
        let other = others(digits);
        if other == 0 {
            return Some(value(digits) as i64 as f64);
        }
        let (digits, places) = without_point(digits, other)?;
        // A lone point is not a number.
        return (len > 1).then(|| value(digits) as i64 as f64 / POWERS[places as usize]);
    }
    if (9..=16).contains(&len) {
        let (low, high) = sixteen_before(text, end)?;
        let (whole, places) = sixteen(last(low, len - 8), high ^ ZEROS)?;
        return Some(quotient(whole, places.unwrap_or(0)));
    }
    if (17..=20).contains(&len) {
        return long(text, end, len);
    }
    None
}

/// [`decimal`] for 17 to 20 bytes.
#[inline(never)]
fn long(text: &[u8], end: usize, len: u32) -> Option<f64> {
    const TEN_16: u64 = 10_000_000_000_000_000;
    let (low, high) = sixteen_before(text, end)?;
    let (rest, places) = sixteen(low ^ ZEROS, high ^ ZEROS)?;
    let digits = last(eight_before(text, end - 16)?, len - 16);
    let other = others(digits);
    let (whole, places) = match places {
        // 15 of the 16 bytes are digits.
        Some(places) if other == 0 => (value(digits) * (TEN_16 / 10) + rest, places),
        None if other == 0 => {
            let before = value(digits);
            // More than 19 digits may overflow.
            (before < 1_000).then(|| (before * TEN_16 + rest, 0))?
        }
        None => {
            let (digits, places) = without_point(digits, other)?;
            (value(digits) * TEN_16 + rest, places + 16)
        }
        Some(_) => return None,
    };
    Some(quotient(whole, places))
}

/// Closes the gap at the point. Returns the digits and the number of decimals.
#[inline(always)]
fn without_point(digits: u64, other: u64) -> Option<(u64, u32)> {
    let at = other.trailing_zeros() & !7;
    if (digits >> at) as u8 != b'.' ^ b'0' {
        return None;
    }
    let before = (1 << at) - 1;
    let joined = (digits & before) << 8 | digits & (!before << 8);
    (others(joined) == 0).then_some((joined, 7 - (at >> 3)))
}

/// The value of two words of eight digits with at most one point, and the number of decimals.
#[inline(always)]
fn sixteen(low: u64, high: u64) -> Option<(u64, Option<u32>)> {
    let (other_low, other_high) = (others(low), others(high));
    if other_low | other_high == 0 {
        return Some((value(low) * 100_000_000 + value(high), None));
    }
    let (low, high, places) = if other_low != 0 {
        let (low, places) = without_point(low, other_low)?;
        (low, high, places + 8)
    } else {
        let (joined, places) = without_point(high, other_high)?;
        // The last digit of the low word moves into the freed byte.
        (low << 8, joined | low >> 56, places)
    };
    (others(low) | others(high) == 0)
        .then(|| (value(low) * 100_000_000 + value(high), Some(places)))
}

/// `whole / 10^places`, rounded to the nearest float; `places` is below [`PLACES`].
#[inline(always)]
pub(super) fn quotient(whole: u64, places: u32) -> f64 {
    if whole <= 1 << 53 {
        // Both operands are exact, so the division rounds correctly.
        whole as i64 as f64 / POWERS[places as usize]
    } else {
        eisel_lemire(whole, places)
    }
}

/// 10^-q as a 128-bit mantissa of 5^-q, normalised and rounded up.
const TENTHS: [(u64, u64); PLACES as usize] = {
    let mut out = [(1 << 63, 0); PLACES as usize];
    let mut power: u128 = 1;
    let mut q = 1;
    while q < out.len() {
        power *= 5;
        // Long division: 2^bits / power + 1, 128 bits.
        let bits = 127 + (128 - power.leading_zeros());
        let (mut rest, mut quotient) = (1_u128, 0_u128);
        let mut left = bits;
        while left > 0 {
            rest <<= 1;
            quotient <<= 1;
            if rest >= power {
                rest -= power;
                quotient |= 1;
            }
            left -= 1;
        }
        quotient += 1;
        out[q] = ((quotient >> 64) as u64, quotient as u64);
        q += 1;
    }
    out
};

/// The algorithm of Eisel and Lemire ("Number parsing at a gigabyte per second", 2021) for whole numbers above 2^53
/// with few decimals, where neither overflow nor underflow occurs.
#[inline(never)]
fn eisel_lemire(whole: u64, places: u32) -> f64 {
    let exponent = -(places as i32);
    let zeros = whole.leading_zeros();
    let whole = whole << zeros;
    let (high, low) = TENTHS[places as usize];
    let product = |factor: u64| {
        let p = u128::from(whole) * u128::from(factor);
        (p as u64, (p >> 64) as u64)
    };
    let (mut below, mut above) = product(high);
    // The bits that decide rounding are all ones, so the lower half of the power matters.
    const UNSURE: u64 = u64::MAX >> 55;
    if above & UNSURE == UNSURE {
        let (_, carry) = product(low);
        below = below.wrapping_add(carry);
        above += u64::from(carry > below);
    }
    let top = (above >> 63) as u32;
    let shift = top + 64 - 52 - 3;
    let mut mantissa = above >> shift;
    let power = ((exponent * (152_170 + 65_536)) >> 16) + 63;
    let mut biased = power + top as i32 - zeros as i32 + 1023;
    // Halfway between two floats: round to even.
    if below <= 1 && exponent >= -4 && mantissa & 3 == 1 && mantissa << shift == above {
        mantissa &= !1;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if mantissa >= 2 << 52 {
        mantissa = 1 << 52;
        biased += 1;
    }
    f64::from_bits(mantissa & !(1 << 52) | (biased as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell;
    use proptest::prelude::*;

    /// Text in front of the cell under test.
    const BEFORE: &str = "9,12345,7.8,\"x\",";

    fn at_end(cell: &str) -> (String, u32, u32) {
        let text = format!("{BEFORE}{cell},99");
        (text, BEFORE.len() as u32, (BEFORE.len() + cell.len()) as u32)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// Bit for bit equal to the standard library.
        #[test]
        fn decimals_are_rounded_correctly(digits in "[0-9]{1,19}", places in 0_usize..20) {
            let at = digits.len().saturating_sub(places);
            for text in [digits.clone(), format!("{}.{}", &digits[..at], &digits[at..])] {
                let wanted: f64 = text.parse().unwrap();
                let (line, from, to) = at_end(&text);
                let found = decimal(line.as_bytes(), from, to);
                prop_assert_eq!(found.map(f64::to_bits), Some(wanted.to_bits()), "{}", text);
            }
        }

        #[test]
        fn exponents_are_rounded_correctly(text in "-?[0-9]{1,10}[.]?[0-9]{0,10}[eE][-+]?[0-9]{1,2}") {
            let wanted: f64 = text.parse().unwrap();
            let found = cell::number(text.as_bytes());
            prop_assert_eq!(found.map(f64::to_bits), Some(wanted.to_bits()), "{}", text);
        }

        /// Agrees with the general parser wherever it returns a value.
        #[test]
        fn any_cell_is_read_as_ever(cell in "[0-9.,eE+ \"-]{0,24}|[0-9]{1,9}|[0-9]{0,19}[.][0-9]{0,19}") {
            let (line, from, to) = at_end(&cell);
            if let Some(v) = decimal(line.as_bytes(), from, to) {
                let known = cell::number(cell.as_bytes());
                prop_assert_eq!(known.map(f64::to_bits), Some(v.to_bits()), "{}", cell);
            }
            if let Some(v) = whole(line.as_bytes(), from, to) {
                prop_assert_eq!(cell::size(cell.as_bytes()).unwrap_or(0), v, "{}", cell);
            }
        }
    }

    #[test]
    fn halfway_cases_and_the_ends_of_the_range() {
        for text in [
            "9007199254740993",
            "9007199254740992.5",
            "9007199254740993.5",
            "1801439850948198.5",
            "9999999999999999999",
            "0.000000000000000000",
            "0.9999999999999999999",
            "4503599627370497.5",
            "18014398509481985",
            "0.5000000000000000001",
            "900719925474099.35",
        ] {
            let (line, from, to) = at_end(text);
            let found = decimal(line.as_bytes(), from, to);
            let wanted: f64 = text.parse().unwrap();
            assert_eq!(found.map_or(wanted, |v| v).to_bits(), wanted.to_bits(), "{text}");
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_others() {
        for text in
            ["", ".", "-1", "1e3", "1.2.3", "12a", " 1", "1,234", "+7", "123456789012345678901"]
        {
            let (line, from, to) = at_end(text);
            assert_eq!(decimal(line.as_bytes(), from, to), None, "{text}");
        }
        for text in ["", "123456789", "1.0", "-1", "1 "] {
            let (line, from, to) = at_end(text);
            assert_eq!(whole(line.as_bytes(), from, to), None, "{text}");
        }
        // The first cell of a text has no bytes before it.
        assert_eq!(whole(b"4096,1", 0, 4), None);
        assert_eq!(decimal(b"4096,1", 0, 4), None);
    }
}
