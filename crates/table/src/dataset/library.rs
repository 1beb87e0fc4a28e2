//! Known libraries, spelled as their makers do, whatever the capitals in a file.

use super::ColumnData;
use std::collections::HashMap;

/// Names of libraries; the index of a name selects its colour.
pub const LIBRARIES: &[&str] = &[
    "hipBLASLt",
    "rocBLAS",
    "Triton",
    "IREE",
    "cuBLASLt",
    "CUTLASS",
    "cuBLAS",
    "AITER",
    "CK",
    "Tensile",
    "hipBLAS",
    "oneDNN",
    "oneMKL",
    "OpenBLAS",
    "DeepGEMM",
    "BLIS",
];

/// A library's name in its makers' spelling; `None` if it is unknown.
pub fn library_name(text: &str) -> Option<&'static str> {
    LIBRARIES.iter().copied().find(|n| n.eq_ignore_ascii_case(text))
}

/// A column of libraries in their makers' spelling; names that differ only in capitals become one.
pub(super) fn spelled(data: ColumnData) -> ColumnData {
    let ColumnData::Text { codes, values } = data else {
        return data;
    };
    if !values.iter().any(|v| library_name(v).is_some_and(|name| name != v)) {
        return ColumnData::Text { codes, values };
    }
    let (mut kept, mut places) = (Vec::new(), HashMap::new());
    let place = |value: String| {
        let name = library_name(&value).map_or(value, str::to_owned);
        *places.entry(name).or_insert_with_key(|name| {
            kept.push(name.clone());
            kept.len() as u32 - 1
        })
    };
    let place: Vec<u32> = values.into_iter().map(place).collect();
    let codes = codes.into_iter().map(|code| place[code as usize]).collect();
    ColumnData::Text { codes, values: kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_capitals_are_one_library() {
        let values = ["", "ours", "CUBLAS", "Ours", "cublas"].map(str::to_owned).to_vec();
        let column = spelled(ColumnData::Text { codes: vec![0, 1, 2, 3, 4, 2], values });
        let values = ["", "ours", "cuBLAS", "Ours"].map(str::to_owned).to_vec();
        assert_eq!(column, ColumnData::Text { codes: vec![0, 1, 2, 3, 2, 2], values });
    }
}
