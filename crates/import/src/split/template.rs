//! Line templates: literal text with named slots, `MKL_VERBOSE {routine}({a},{b},{m},{n},{k},`.
//!
//! A blank in the template matches any blanks. The first literal may occur anywhere in the line, unless `^` anchors it
//! at the start. `{m}`, `{n}`, `{k}`, `{batch}`, `{count}`, `{whole}` match a whole number, `{us}`, `{ms}`, `{s}`,
//! `{ns}`, `{mflops}`, `{gflops}`, `{tflops}`, `{gbps}` and `{number}` a number, any other slot the text up to the next
//! literal, and `{}` the same without keeping it. `{time}` is a time with its unit. `{=}` matches pairs such as
//! `m=4096, layout=NT` or `--m=4096 --A=f16:column`, and `{:}` pairs such as `'M': 4096`: their names become slots, in
//! any spelling of [`slot`]; `{=args}` also keeps their text.

use super::log;
use crate::cell::CellError;
use crate::cell::{self, Quantity};
use gemmscope_table::build::cell_text::RowError;

/// Canonical slot of a name in pairs and options.
fn slot(name: &str) -> &str {
    match name {
        "M" | "sizem" | "m_per_group" | "expected_m_per_group" => "m",
        "N" | "sizen" => "n",
        "K" | "sizek" => "k",
        "batch_count" => "batch",
        "transA" | "transposeA" | "rowMajorA" => "a",
        "transB" | "transposeB" | "rowMajorB" => "b",
        "a_type" | "type_a" | "A" => "dtype_a",
        "b_type" | "type_b" | "B" => "dtype_b",
        "c_type" | "C" => "dtype_c",
        "d_type" | "D" => "dtype_d",
        "precision" | "r" | "kind" => "dtype",
        "rocblas_function" | "function" | "f" => "op_name",
        "call_count" => "count",
        name => name,
    }
}

/// Slots of a template with their texts in one line.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Slots<'a>(Vec<(&'a str, &'a str)>);

/// Matches a line; `None` if it does not fit the template.
pub(crate) fn slots<'a>(template: &'static str, line: &'a str) -> Option<Slots<'a>> {
    let (anchored, template) = match template.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, template),
    };
    let cut = |text: &'static str, at: u8| {
        let end = text.bytes().position(|b| b == at);
        end.map_or((text, ""), |end| (&text[..end], &text[end + 1..]))
    };
    let (first, mut pieces) = cut(template, b'{');
    let mut rest = if anchored { literal(line.trim_start(), first)? } else { find(line, first)?.1 };
    let mut found = Vec::new();
    while !pieces.is_empty() {
        let (name, behind) = cut(pieces, b'}');
        let (behind, more) = cut(behind, b'{');
        pieces = more;
        let number = match name {
            "m" | "n" | "k" | "batch" | "count" | "whole" | "square" | "blocks" => {
                rest = rest.trim_start();
                Some(rest.bytes().take_while(u8::is_ascii_digit).count())
            }
            "us" | "ms" | "s" | "ns" | "number" | "mflops" | "gflops" | "tflops" | "gbps" => {
                rest = rest.trim_start();
                let number = log::leading(rest).map(|(_, behind)| rest.len() - behind.len());
                Some(number.unwrap_or_else(|| word_length(rest)))
            }
            _ => None,
        };
        let (value, after) = match number {
            Some(0) => return None,
            Some(len) => (&rest[..len], literal(&rest[len..], behind)?),
            None if behind.is_empty() => (rest, ""),
            None => find(rest, behind)?,
        };
        let sign = name.chars().next().filter(|c| "=:".contains(*c));
        let name = name.trim_start_matches(['=', ':']);
        found.extend(sign.into_iter().flat_map(|sign| pairs(value, sign).0));
        found.extend((!name.is_empty()).then_some((name, value.trim())));
        rest = after;
    }
    Some(Slots(found))
}

/// Parses pairs with `sign` between name and value: `m= 64, bs=[1,2]`, `'M': 64`.
pub(crate) fn pairs(text: &str, sign: char) -> Slots<'_> {
    let ends = |c: char| c.is_whitespace() || ",;}])".contains(c);
    let before_name = |c: char| c.is_whitespace() || ",;{}[]'\"=:".contains(c);
    let (mut rest, mut out) = (text, Vec::new());
    while let Some((before, behind)) = rest.split_once(sign) {
        let name = before.trim_end_matches([' ', '\'', '"']);
        let name = name.rsplit(before_name).next().unwrap_or("");
        let value = behind.trim_start();
        // A quoted or bracketed value ends with its closing character.
        let (inner, end) = match value.chars().next() {
            Some(quote @ ('\'' | '"')) => (1, value[1..].find(quote).map(|i| i + 1)),
            Some('[') => (1, value.find(']')),
            _ => (0, value.find(ends)),
        };
        let end = end.unwrap_or(value.len());
        out.push((slot(name.trim_start_matches(['(', '-'])), &value[inner.min(end)..end]));
        rest = &value[end..];
    }
    Slots(out)
}

/// Parses the options of a command line: `-m 64 --transA T --flag`.
pub(crate) fn options(text: &str) -> Slots<'_> {
    let is_value =
        |w: &&str| !w.starts_with('-') || w[1..].starts_with(|c: char| c.is_ascii_digit());
    let mut words = text.split_whitespace().peekable();
    let mut out = Vec::new();
    while let Some(word) = words.next() {
        let value = words.next_if(is_value).unwrap_or("").trim_matches(['"', '\'']);
        out.push((slot(word.trim_start_matches('-')), value));
    }
    Slots(out)
}

/// Length of `inf` or `nan` at the start of a text.
fn word_length(text: &str) -> usize {
    let word = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let known = ["inf", "nan"].iter().any(|w| text[..word].eq_ignore_ascii_case(w));
    if known { word } else { 0 }
}

/// The text after a literal at the start of `text`.
fn literal<'a>(text: &'a str, wanted: &str) -> Option<&'a str> {
    let mut at = 0;
    for b in wanted.bytes() {
        if b == b' ' {
            at = text.len() - text[at..].trim_start().len();
        } else if text.as_bytes().get(at) == Some(&b) {
            at += 1;
        } else {
            return None;
        }
    }
    Some(&text[at..])
}

/// The text before and after the first occurrence of a literal.
fn find<'a>(text: &'a str, wanted: &str) -> Option<(&'a str, &'a str)> {
    let bare = wanted.trim_start_matches(' ');
    let blank = bare.len() < wanted.len();
    let Some(&first) = bare.as_bytes().first() else {
        let at = if blank { text.find(char::is_whitespace)? } else { 0 };
        return Some((&text[..at], literal(&text[at..], wanted)?));
    };
    memchr::memchr_iter(first, text.as_bytes()).find_map(|at| {
        let before = &text[..at];
        let apart = !blank || before.ends_with(char::is_whitespace);
        Some((before, literal(&text[at..], bare)?)).filter(|_| apart)
    })
}

impl<'a> Slots<'a> {
    /// The text of a slot; "" if the template has no such slot.
    pub(crate) fn get(&self, name: &str) -> &'a str {
        // Names are so short that a call to compare them would take longer.
        let is = |n: &str| n.len() == name.len() && n.bytes().eq(name.bytes());
        self.0.iter().find(|(n, _)| is(n)).map_or("", |(_, text)| text)
    }

    /// All slots with their texts, in line order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().copied()
    }

    /// Adds a slot with this text.
    pub(crate) fn with(mut self, name: &'a str, text: &'a str) -> Self {
        self.0.push((name, text));
        self
    }

    /// True if there is a slot for the time.
    pub(crate) fn has_time(&self) -> bool {
        self.0.iter().any(|(name, _)| ["time", "us", "ms", "s", "ns"].contains(name))
    }

    /// The number in a slot; NaN if there is none.
    pub(crate) fn number(&self, name: &str) -> f64 {
        cell::number(self.get(name).as_bytes()).unwrap_or(f64::NAN)
    }

    /// Seconds, from the slot named after its unit or from `{time}`, whose text includes the unit.
    pub(crate) fn time(&self) -> Result<f64, RowError> {
        if let Some((s, Quantity::Time)) = cell::quantity(self.get("time").as_bytes()) {
            return log::time(Some(s), 1.0);
        }
        let units = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("ns", 1e-9)];
        let held = units.iter().find(|(unit, _)| self.0.iter().any(|(n, _)| n == unit));
        let (unit, scale) = held.ok_or_else(|| CellError::Missing.of("time"))?;
        match cell::number(self.get(unit).as_bytes()) {
            None if self.get(unit).eq_ignore_ascii_case("inf") => {
                log::time(Some(f64::INFINITY), *scale)
            }
            v => log::time(v, *scale),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_lines() {
        let mkl = "MKL_VERBOSE {routine}({a},{b},{m},{n},{k},{}) {time} CNR";
        let s = slots(mkl, "MKL_VERBOSE SGEMM(N,T,64,32,16,0x7f,64) 2.91ms CNR:OFF").unwrap();
        assert_eq!((s.get("routine"), s.get("b"), s.get("time")), ("SGEMM", "T", "2.91ms"));
        assert_eq!(["m", "n", "k"].map(|size| s.get(size)), ["64", "32", "16"]);
        let s = slots("^{kernel} {ms} ms {number}%{options}", "  mm 0.0485 ms 98.2% BLOCK_K=64")
            .unwrap();
        assert_eq!(
            (s.get("kernel"), s.time(), s.get("options")),
            ("mm", Ok(48.5e-6), "BLOCK_K=64")
        );
        let s = slots("M={m}, N={n}, K={k} :", " M=  64, N= 512, K=1024 : ").unwrap();
        assert_eq!(["m", "n", "k"].map(|size| s.get(size)), ["64", "512", "1024"]);
        let s = slots("^{kernel} {ms} ms", "triton_mm_3 inf ms 0.0%").unwrap();
        assert_eq!(s.time().unwrap_err().reason, "time is infinite");
        assert_eq!(slots("cnt: {count},", "cnt: many, x"), None);
        assert_eq!(slots("^cnt: {count},", "a cnt: 1, x"), None);
    }

    #[test]
    fn pairs_and_options() {
        let s = pairs("(m= 64, n=2112,bs=[2,3], A_Layout =Row)", '=');
        let got = ["m", "n", "bs", "A_Layout"].map(|name| s.get(name));
        assert_eq!(got, ["64", "2112", "2,3", "Row"]);
        let s = pairs("- {'M': 64, 'rowMajorA': 'T'} # TFLOPS: 1.5 time(us): 3", ':');
        let got = ["m", "a", "TFLOPS", "time(us)"].map(|name| s.get(name));
        assert_eq!(got, ["64", "T", "1.5", "3"]);
        let s = options("hipblaslt-bench -m 64 --a_type f16_r --flag --beta -1 --transB T");
        let got = ["m", "dtype_a", "flag", "beta", "b"].map(|name| s.get(name));
        assert_eq!(got, ["64", "f16_r", "", "-1", "T"]);
        let s = slots("^Arguments: {=args}", "Arguments: --m=64 --A=f16:column").unwrap();
        assert_eq!([s.get("m"), s.get("dtype_a")], ["64", "f16:column"]);
        assert_eq!(s.get("args"), "--m=64 --A=f16:column");
        assert_eq!(pairs("==, 'é'=", '=').get("x"), "");
    }
}
