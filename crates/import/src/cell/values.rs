//! Recognises a column by its values: transposes, data types, several sizes in one cell.

use super::shape_text;
use crate::cell::{self, Quantity};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::cell_text::is_missing;

/// Statistics over the first values of a column.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    /// The first distinct values.
    pub samples: Vec<String>,
    /// Cells that are not empty.
    pub filled: usize,
    /// Cells that are numbers.
    pub numbers: usize,
    /// The quantity of the first number with a unit, and the number of cells with that quantity.
    quantity: Option<Quantity>,
    pub quantities: usize,
    whole: usize,
    /// Whole numbers from 1 up.
    positive: usize,
    transposes: usize,
    /// At least one transpose word.
    pub any_transpose: bool,
    /// At least one data type.
    pub any_dtype: bool,
    dtypes: usize,
    /// At least one layout such as `NT`.
    pub any_layout: bool,
    /// Cells with three or four sizes.
    pub triples: usize,
    /// Cells with two sizes.
    pub pairs: usize,
    /// Cells with the dimensions of one operand, other than two bare sizes.
    dimensions: usize,
    /// Cells that contain M, N and K.
    named: usize,
    /// At least one of these has a size above [`LARGE`].
    large: bool,
}

/// Sizes in a name up to this may be a tile rather than a GEMM.
const LARGE: u32 = 1024;
/// Bytes of a cell that are searched for sizes.
const LONGEST: usize = 200;

impl Probe {
    pub(crate) fn new<'a>(cells: impl Iterator<Item = &'a String>) -> Self {
        let mut p = Probe::default();
        for text in cells {
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            p.filled += 1;
            if p.samples.len() < 4 && !p.samples.iter().any(|s| s == text) {
                p.samples.push(text.chars().take(60).collect());
            }
            let value = cell::number(text.as_bytes());
            let number = value.is_some();
            if let Some(v) = value {
                p.numbers += 1;
                p.whole += usize::from(v.fract() == 0.0);
                p.positive += usize::from(v.fract() == 0.0 && v >= 1.0);
            } else if is_missing(text.as_bytes()) {
                p.filled -= 1;
                continue;
            }
            if let Some((_, kind)) = cell::quantity(text.as_bytes()).filter(|_| !number) {
                p.quantities += usize::from(kind == *p.quantity.get_or_insert(kind));
            }
            p.transposes += usize::from(matches!(text, "N" | "T" | "C" | "n" | "t" | "c"));
            p.any_transpose |= transpose(text).is_some();
            let is_type = types(text).is_some();
            p.any_dtype |= is_type;
            p.dtypes += usize::from(is_type && text.len() >= 3);
            p.any_layout |= layout(text).is_some();
            if number || text.len() > LONGEST || !text.bytes().any(|b| b.is_ascii_digit()) {
                continue;
            }
            match shape_text::sizes(text).len() {
                2 => p.pairs += 1,
                _ => p.dimensions += usize::from(shape_text::dimensions(text).len() >= 2),
            }
            p.triples += usize::from(shape_text::shape(text, "").is_some());
            if let Some(shape) = shape_text::named(text) {
                p.named += 1;
                p.large |= shape.sizes.iter().any(|s| *s >= LARGE);
            }
        }
        p
    }

    pub(crate) fn all_numbers(&self) -> bool {
        self.filled > 0 && self.numbers == self.filled
    }

    /// The quantity that every cell states with its unit, if it is the same in all.
    pub(crate) fn measured(&self) -> Option<Quantity> {
        self.quantity.filter(|_| self.quantities == self.filled)
    }

    pub(crate) fn all_dtypes(&self) -> bool {
        self.filled > 0 && self.dtypes == self.filled
    }

    /// True if every cell holds the dimensions of an operand.
    pub(crate) fn all_operands(&self) -> bool {
        self.filled > 0 && self.pairs + self.dimensions == self.filled
    }

    /// True if every cell is a name that contains the sizes of a GEMM.
    pub(crate) fn all_named_shapes(&self) -> bool {
        self.filled > 0 && self.named == self.filled && self.large
    }

    /// True if every cell is a whole number and most are at least 1.
    pub(crate) fn counts(&self) -> bool {
        self.all_numbers() && self.whole() && self.positive * 2 > self.filled
    }

    pub(crate) fn whole(&self) -> bool {
        self.whole == self.numbers
    }

    pub(crate) fn all_transposes(&self) -> bool {
        self.filled > 0 && self.transposes == self.filled
    }
}

/// True if the cell holds more than sizes and their labels.
pub(crate) fn is_name(text: &str) -> bool {
    shape_text::sizes(text).is_empty() && text.contains(|c: char| c.is_alphabetic())
}

/// Parses a transpose: `T`, `N`, `True`, `row`. Column-major is BLAS's layout without a transpose.
pub(crate) fn transpose(text: &str) -> Option<bool> {
    Some(match text.trim().to_ascii_lowercase().as_str() {
        // The numbers are the constants of cblas.h.
        "111" | "n" | "0" | "false" | "no" | "notrans" | "no_trans" | "normal" | "col"
        | "column" | "col_major" | "column_major" | "columnmajor" | "colmajor" | "cublas_op_n" => {
            false
        }
        "t" | "1" | "true" | "yes" | "trans" | "transpose" | "transposed" | "row" | "row_major"
        | "rowmajor" | "cublas_op_t" | "c" | "conj" | "112" | "113" => true,
        _ => return None,
    })
}

/// Parses the transposes of A and B: `NT`, `tn`, `tnn`, `N/T`.
pub(crate) fn layout(text: &str) -> Option<(bool, bool)> {
    let letters: Vec<char> = text
        .trim()
        .to_ascii_lowercase()
        .chars()
        .filter(|c| !matches!(c, '/' | '_' | '-' | ',' | ' ' | '(' | ')'))
        .collect();
    let flag = |c: char| match c {
        'n' => Some(false),
        't' => Some(true),
        _ => None,
    };
    match letters.as_slice() {
        [a, b] | [a, b, 'n' | 't'] => flag(*a).zip(flag(*b)),
        // r and c: row-major and column-major operands.
        [a @ ('r' | 'c'), b @ ('r' | 'c'), 'r' | 'c'] => Some((*a == 'r', *b == 'r')),
        _ => None,
    }
}

/// Data types stated by one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Types {
    /// Type of A.
    pub a: DataType,
    /// Type of B.
    pub b: DataType,
    /// Type of the output, if the cell states it.
    pub c: Option<DataType>,
    /// Layout after a colon (`f16:column`).
    pub transposed: Option<bool>,
    /// Assumption made about the spelling.
    pub assumed: Option<&'static str>,
}

/// Parses data types: `fp16`, `bf16xint4->bf16`, `('c10::BFloat16', 'c10::BFloat16')`, `f16:column`.
pub(crate) fn types(text: &str) -> Option<Types> {
    let text = text.trim();
    let both = |name: &str| {
        let p = DataType::parse_noting(name)?;
        Some(Types { a: p.dtype, b: p.dtype, c: None, transposed: None, assumed: p.assumed })
    };
    if let Some(types) = both(text) {
        return Some(types);
    }
    if let Some((name, order)) = text.rsplit_once(':')
        && let Some(t) = transpose(order)
        && let Some(types) = both(name)
    {
        return Some(Types { transposed: Some(t), ..types });
    }
    let (inputs, output) = match text.split_once("->") {
        Some((i, o)) => (i, Some(DataType::parse(o)?)),
        None => (text, None),
    };
    if let Some(types) = both(inputs) {
        return Some(Types { c: output, ..types });
    }
    let inputs = inputs.trim().trim_matches(['(', ')', '[', ']']);
    let pair = inputs
        .split_once(',')
        .or_else(|| inputs.split_once(" x "))
        .or_else(|| inputs.split_once('x'))?;
    let (a, b) = (both(pair.0)?, both(pair.1)?);
    Some(Types { b: b.b, c: output, assumed: a.assumed.or(b.assumed), ..a })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_in_one_cell() {
        let t = types("('c10::BFloat16', 'c10::BFloat16')").unwrap();
        assert_eq!((t.a, t.b), (DataType::Bf16, DataType::Bf16));
        let t = types("bf16xint4->bf16").unwrap();
        assert_eq!((t.a, t.b, t.c), (DataType::Bf16, DataType::Int4, Some(DataType::Bf16)));
        assert_eq!(types("f16:row").unwrap().transposed, Some(true));
        assert_eq!(types("gemm"), None);
    }

    #[test]
    fn layouts() {
        assert_eq!(layout("NT"), Some((false, true)));
        assert_eq!(layout("tnn"), Some((true, false)));
        assert_eq!(layout("rcr"), Some((true, false)));
        assert_eq!(layout("row"), None);
    }
}
