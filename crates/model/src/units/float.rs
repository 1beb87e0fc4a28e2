//! Numbers as text. `str::parse` holds a table of powers of ten that weighs 10 kB of the first view, so the page asks the
//! browser.

/// The number that a text is: what `str::parse` gives.
///
/// ```
/// assert_eq!(gemmscope_model::units::float("-1.5e3"), Some(-1500.0));
/// assert_eq!(gemmscope_model::units::float("1.5 ms"), None);
/// ```
pub fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is = |word: &str| unsigned.eq_ignore_ascii_case(word);
    let value = match unsigned.as_bytes() {
        digits if is_decimal(digits) => nearest(unsigned)?,
        _ if is("nan") => f64::NAN,
        _ if is("inf") || is("infinity") => f64::INFINITY,
        _ => return None,
    };
    Some(if text.starts_with('-') { -value } else { value })
}

/// `12`, `1.5e-3`, `.5`, `5.`
fn is_decimal(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(text);
    let (fraction, rest) = match &text[whole..] {
        [b'.', rest @ ..] => {
            let fraction = digits(rest);
            (fraction, &rest[fraction..])
        }
        rest => (0, rest),
    };
    let exponent = match rest {
        [b'e' | b'E', b'-' | b'+', rest @ ..] | [b'e' | b'E', rest @ ..] => rest,
        rest => return whole + fraction > 0 && rest.is_empty(),
    };
    whole + fraction > 0 && !exponent.is_empty() && digits(exponent) == exponent.len()
}

#[cfg(target_arch = "wasm32")]
fn nearest(decimal: &str) -> Option<f64> {
    Some(js_sys::parse_float(decimal))
}

#[cfg(not(target_arch = "wasm32"))]
fn nearest(decimal: &str) -> Option<f64> {
    decimal.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::float;
    use proptest::prelude::*;

    fn same(text: &str) {
        let wanted = text.parse::<f64>().ok().map(f64::to_bits);
        assert_eq!(float(text).map(f64::to_bits), wanted, "{text}");
    }

    #[test]
    fn edges_are_read_as_the_standard_library_does() {
        let edges = "|-|+|.|-.|e5|.e5|1e|1e+|1.|5.e3|.5|-.5e-1|+0|-0|0e999|1E22|1e05|--1|+-1|1_0| 1|1 |1e5.|1e+-5|1.2.3\
            |inf|+INF|-Infinity|nan|-NaN|infinit|infinity1|0x10|1f|1e309|5e-324|1e99999999999999999999|١|1e١|µ";
        edges.split('|').for_each(same);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn numbers_are_read_as_the_standard_library_does(
            text in "[-+]?[0-9]{0,30}[.]?[0-9]{0,30}(e-?[0-9]{1,3})?|[0-9.eE+-]{0,8}",
        ) {
            same(&text);
        }
    }
}
