//! Words with a fixed colour, whatever the file, the sort order and the number of values: layouts, types, bounds and
//! known libraries. A word's index in its list is its index in the palette: eight colours as discs, then as squares,
//! then as diamonds. Accounts have [`Theme::account`](crate::palette::Theme).

use crate::palette::Theme;
use gemmscope_table::dataset::{ColumnMeaning, LIBRARIES};
use gemmscope_table::field::{Field, Frame};

const LAYOUTS: &[&str] = &["NN", "TN", "NT", "TT"];

const TYPES: &[&str] = &[
    "fp16",
    "bf16",
    "fp8 E4M3",
    "int8",
    "fp32",
    "fp64",
    "tf32",
    "fp4",
    "mxfp8",
    "mxfp4",
    "fp8 E5M2",
    "fp8 E4M3 fnuz",
    "fp8 E5M2 fnuz",
    "int4",
    "nvfp4",
    "mxfp6",
];

const BOUNDS: &[&str] = &["memory-bound", "compute-bound", "near the ridge", "launch-bound"];

/// The words of a field with a fixed place in the palette; empty for most fields.
pub(crate) fn words(frame: &Frame, field: &Field) -> &'static [&'static str] {
    match field {
        Field::Transposes => LAYOUTS,
        Field::Dtype => TYPES,
        Field::Bound => BOUNDS,
        Field::Column(key) => {
            let library = frame.data.column(ColumnMeaning::Library);
            if library.is_some_and(|c| c.key == *key) { LIBRARIES } else { &[] }
        }
        _ => &[],
    }
}

/// Palette indices of some values: a word's own index if the value is a word, else the next index that no word has,
/// then those of words that do not occur, then those beyond the palette. If no value is a word, simply 0, 1, 2, …:
/// nothing could be confused.
pub(crate) fn places(words: &[&str], values: &[&str]) -> Vec<usize> {
    let own = |value: &str| words.iter().position(|w| w.eq_ignore_ascii_case(value));
    let known: Vec<Option<usize>> = values.iter().map(|v| own(v)).collect();
    if known.iter().all(Option::is_none) {
        return (0..values.len()).collect();
    }
    let lacking = (0..words.len()).filter(|i| !known.contains(&Some(*i)));
    let mut free = (words.len()..Theme::DISTINCT).chain(lacking).chain(Theme::DISTINCT..);
    known.iter().map(|place: &Option<usize>| place.or_else(|| free.next()).unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_model::dtype::DataType;

    #[test]
    fn every_word_has_a_place_that_looks_different() {
        for list in [LAYOUTS, TYPES, BOUNDS, LIBRARIES] {
            assert!(list.len() < Theme::DISTINCT);
            for (i, word) in list.iter().enumerate() {
                assert_eq!(list.iter().position(|w| w.eq_ignore_ascii_case(word)), Some(i));
            }
        }
        // The types that devices have peaks for, by the name that the type field writes.
        for dtype in [DataType::Fp16, DataType::Bf16, DataType::Fp8E4m3, DataType::Int8] {
            assert!(TYPES.contains(&dtype.name()), "{}", dtype.name());
        }
    }

    #[test]
    fn a_word_keeps_its_place_whatever_stands_beside_it() {
        assert_eq!(places(LIBRARIES, &["mine", "rocblas", "other", "hipBLASLt"]), [16, 1, 17, 0]);
        assert_eq!(places(LIBRARIES, &["rocBLAS"]), [1]);
        assert_eq!(places(&[], &["b", "a"]), [0, 1]);
    }
}
