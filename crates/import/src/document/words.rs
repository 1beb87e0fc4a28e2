//! Recognises words in a text: data types, devices, libraries, numbers.

use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_model::hardware;

/// Part of a run of letters.
pub(super) fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// The runs of letters in a text, with their positions.
pub(super) fn letter_runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let start = at + rest.find(is_letter)?;
        let tail = &text[start..];
        let end = start + tail.find(|c| !is_letter(c)).unwrap_or(tail.len());
        at = end;
        Some((start, &text[start..end]))
    })
}

/// The words of a text: runs of letters, digits and underscores.
pub(super) fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

/// A data type named in a text, with its spelling if ours is only the nearest type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TypeName {
    pub dtype: DataType,
    pub odd: Option<String>,
}

impl From<DataType> for TypeName {
    fn from(dtype: DataType) -> Self {
        TypeName { dtype, odd: None }
    }
}

/// The type that a word names; further parts may follow: `fp8_fast_accum`.
pub(super) fn type_of_word(word: &str) -> Option<TypeName> {
    let lower = word.to_lowercase();
    let lower = lower.strip_prefix("dt_").unwrap_or(&lower);
    let mut end = lower.len();
    loop {
        if let Some(name) = exact_type(&lower[..end]) {
            return Some(name);
        }
        end = lower[..end].rfind('_')?;
    }
}

fn exact_type(word: &str) -> Option<TypeName> {
    if let Some(routine) = word.strip_suffix("gemm")
        && let [letter @ ('s' | 'd' | 'h')] = routine.chars().collect::<Vec<_>>()[..]
    {
        return from_blas_letter(letter).map(TypeName::from);
    }
    match word {
        "half" => return Some(DataType::Fp16.into()),
        "double" => return Some(DataType::Fp64.into()),
        "single" => return Some(DataType::Fp32.into()),
        "w4" | "4bit" => return Some(DataType::Int4.into()),
        "w8" | "8bit" | "uint8_t" => return Some(DataType::Int8.into()),
        "bf16s" => return Some(DataType::Bf16.into()),
        "16f" => return Some(DataType::Fp16.into()),
        _ => {}
    }
    if word.len() < 2 || !word.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    // int32 is the type of counts and indices, not of operands.
    if let Some(dtype) = DataType::parse(word).filter(|t| *t != DataType::Int32) {
        return Some(dtype.into());
    }
    let odd = |dtype| Some(TypeName { dtype, odd: Some(word.to_owned()) });
    // Block floats of Tenstorrent.
    let block = word.strip_prefix("bfloat").or_else(|| word.strip_prefix("bfp"));
    if let Some(rest) = block.and_then(|r| r.strip_suffix("_b").or_else(|| r.strip_suffix('b'))) {
        return match rest {
            "8" => odd(DataType::MxFp8),
            "4" => odd(DataType::MxFp4),
            "2" => odd(DataType::MxFp4),
            _ => None,
        };
    }
    // Quantised weights of llama.cpp.
    let quantized = word.strip_prefix("iq").or_else(|| word.strip_prefix('q'))?;
    let (bits, rest) = quantized.split_at_checked(1)?;
    let named = rest.strip_prefix('_')?;
    let known = !named.is_empty() && named.len() < 4;
    match bits {
        "1" | "2" if known => odd(DataType::Q2K),
        "3" if known => odd(DataType::Q3K),
        "4" if known => odd(DataType::Q4K),
        "5" if known => odd(DataType::Q5K),
        "6" if known => odd(DataType::Q6K),
        "8" if known => odd(DataType::Q8_0),
        _ => None,
    }
}

/// The distinct types that a text names, in order.
pub(super) fn types_in(text: &str) -> Vec<TypeName> {
    let mut out: Vec<TypeName> = Vec::new();
    let mut before = "";
    for word in plain_words(text) {
        // `4-bit`
        let bits =
            (word == "bit" || word == "bits" || word == "Bit") && matches!(before, "4" | "8");
        let found = match bits {
            true => exact_type(&format!("{before}bit")),
            false => type_of_word(word),
        };
        before = word;
        if let Some(name) = found
            && !out.contains(&name)
        {
            out.push(name);
        }
    }
    out
}

/// Replaces each name of a type by a blank.
pub(super) fn without_types(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(start) = rest.find(in_word) {
        out.push_str(&rest[..start]);
        let tail = &rest[start..];
        let end = tail.find(|c| !in_word(c)).unwrap_or(tail.len());
        let word = &tail[..end];
        let bits = matches!(word, "4" | "8") && tail[end..].starts_with("-bit");
        // `FP6-LLM` is a name; `fp8-cutlass` is a library with its type.
        let joined = tail[end..].strip_prefix('-').and_then(|b| b.split(|c| !in_word(c)).next());
        let is_name = joined.is_some_and(|w| {
            w.starts_with(|c: char| c.is_alphabetic()) && w.len() > 1 && !names_library(w)
        });
        match type_of_word(word) {
            Some(_) if is_name => out.push_str(word),
            _ if bits => {
                rest = &tail[end + 4..];
                out.push(' ');
                continue;
            }
            Some(_) if !word.to_lowercase().ends_with("gemm") => out.push(' '),
            _ => out.push_str(word),
        }
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

/// Makers and product lines in front of a model.
const VENDORS: [&str; 12] = [
    "NVIDIA", "AMD", "Tesla", "Instinct", "GeForce", "Google", "Intel", "Quadro", "Apple",
    "Qualcomm", "ARM", "Mali",
];

/// Devices named in a text, as spelled there.
pub(super) fn devices_in(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .map(|w| w.trim_matches('-'))
        .filter(|w| !w.is_empty())
        .collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let vendors = words[i..].iter().take_while(|w| VENDORS.contains(w));
        let vendors = vendors.count();
        let at = device_at(&words[i + vendors..])
            .map(|len| (words[i..i + vendors + len].join(" "), vendors + len));
        match at {
            Some((name, len)) => {
                if !out.contains(&name) {
                    out.push(name);
                }
                i += len;
            }
            None => i += 1,
        }
    }
    out
}

/// Number of leading words that form the name of a device.
fn device_at(words: &[&str]) -> Option<usize> {
    let word = words.first()?;
    let next = words.get(1).copied().unwrap_or("");
    let lower = word.to_lowercase();
    let numbered = |w: &str| w.starts_with(|c: char| c.is_ascii_digit());
    let suffix = |len: usize, names: &[&str]| {
        let more = words.get(len).is_some_and(|w| names.iter().any(|n| n.eq_ignore_ascii_case(w)));
        len + usize::from(more)
    };
    match lower.as_str() {
        "tpu"
            if next.starts_with(['v', 'V'])
                && next[1..].starts_with(|c: char| c.is_ascii_digit()) =>
        {
            return Some(2);
        }
        "tpu7x" | "trillium" | "ironwood" | "wormhole" | "blackhole" | "n150" | "n300"
        | "n150d" | "n300d" => return Some(1),
        "gaudi" | "trainium" | "graviton" if numbered(next) => return Some(2),
        "neoverse" if next.len() == 2 && next.starts_with(['N', 'V']) => return Some(2),
        "epyc" | "ryzen" | "xeon" => {
            let at = words.iter().take(4).position(|w| numbered(w) && w.len() >= 4)?;
            return Some(at + 1);
        }
        "rtx" | "gtx" | "rx" => {
            let at = words.iter().take(3).position(|w| numbered(w) && w.len() >= 4);
            let len = at.map(|at| at + 1).or_else(|| next.starts_with('A').then_some(2))?;
            return Some(suffix(len, &["Ti", "SUPER", "XT", "XTX"]));
        }
        "radeon" => {
            let at = words.iter().take(4).position(|w| numbered(w) && w.len() >= 3)?;
            return Some(suffix(at + 1, &["XT", "XTX", "XTX", "M"]));
        }
        "arc" if next.starts_with(['A', 'B', 'P']) => {
            let at = words.iter().take(3).position(|w| w.get(1..).is_some_and(numbered))?;
            return Some(at + 1);
        }
        "max" if next.len() == 4 && numbered(next) => return Some(2),
        "ascend" if numbered(next) => return Some(2),
        "dgx" if next.eq_ignore_ascii_case("spark") => return Some(2),
        "apple" if chip(next) => return Some(suffix(2, &["Pro", "Max", "Ultra"])),
        _ if chip(word) && suffix(1, &["Pro", "Max", "Ultra"]) == 2 => return Some(2),
        _ => {}
    }
    if lower.len() == 4 && lower.starts_with("910") || lower == "910b" {
        return word.ends_with(['B', 'C']).then_some(1);
    }
    if let Some(target) = lower.strip_prefix("gfx") {
        let hex = target.len() >= 3 && target.len() <= 5 && target.starts_with(['9', '1']);
        return (hex && target.bytes().all(|b| b.is_ascii_hexdigit())).then_some(1);
    }
    let head = word.split('-').next().unwrap_or(word);
    let letters = head.find(|c: char| c.is_ascii_digit())?;
    let (series, model) = head.split_at(letters);
    let digits = model.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    let tail = model.len() - digits;
    let all_digits = model[..digits].bytes().all(|b| b.is_ascii_digit());
    if !all_digits || tail > 1 {
        return None;
    }
    let fits = match series {
        "GB" | "GH" | "H" | "B" | "V" | "A" | "MI" => (2..=3).contains(&digits),
        "L" | "T" => matches!(model, "4" | "40" | "40S" | "20"),
        "P" => model == "100",
        "h" | "b" | "v" | "a" | "mi" | "gb" | "gh" => {
            digits == 3 && !hardware::match_name(head).candidates().is_empty()
        }
        _ => false,
    };
    let len = suffix(1, &["PCIe", "NVL", "SXM", "SXM4", "SXM5"]);
    // `80GB HBM3`
    let memory = words.get(len).is_some_and(|w| w.ends_with("GB") && numbered(w));
    let len = len + usize::from(memory);
    fits.then(|| if memory { suffix(len, &["HBM2", "HBM2e", "HBM3", "HBM3e"]) } else { len })
}

/// Apple's `M3`, not a size.
fn chip(word: &str) -> bool {
    matches!(word, "M1" | "M2" | "M3" | "M4" | "M5")
}

/// Names of libraries.
const LIBRARIES: &[&str] = &[
    "cublas",
    "cublaslt",
    "cutlass",
    "hipblas",
    "hipblaslt",
    "rocblas",
    "triton",
    "deepgemm",
    "flashinfer",
    "onednn",
    "mkl",
    "openblas",
    "blis",
    "ck",
    "mpsgraph",
    "mlx",
    "tensorrt",
    "marlin",
    "machete",
    "thunderkittens",
    "torch",
];

/// The library that a text names, if it is exactly one.
pub(super) fn library_in(text: &str) -> Option<&str> {
    let mut found: Option<&str> = None;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        if !LIBRARIES.contains(&word.to_lowercase().as_str()) {
            continue;
        }
        if found.is_some_and(|f| !f.eq_ignore_ascii_case(word)) {
            return None;
        }
        found = Some(word);
    }
    found
}

/// True if the text names a library.
pub(super) fn names_library(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|w| LIBRARIES.contains(&w.to_lowercase().as_str()))
}

/// Lower-case words and numbers of a text, without separators.
pub(super) fn lower_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Length of the number at the start of a text: sign, digits with separators, fraction, exponent. A comma is
/// included only before a digit.
pub(super) fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut i = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let start = i;
    if digit(i) {
        while digit(i) || matches!(bytes.get(i), Some(b'\'' | b'_' | b',')) && digit(i + 1) {
            i += 1;
        }
        if bytes.get(i) == Some(&b'.') {
            i += 1;
            while digit(i) {
                i += 1;
            }
        }
    } else if bytes.get(i) == Some(&b'.') && digit(i + 1) {
        i += 1;
        while digit(i) {
            i += 1;
        }
    }
    if i == start {
        return 0;
    }
    if matches!(bytes.get(i), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(i + 1), Some(b'-' | b'+')));
        if digit(i + 1 + sign) {
            i += 1 + sign;
            while digit(i) {
                i += 1;
            }
        }
    }
    i
}
