//! Several times or rates per line: a column per library (`cublas_ms, triton_ms`) or type (`FP8 TFLOPS, BF16 TFLOPS`),
//! or repeats of one figure (`time_1, time_2`).

use super::{Plain, undoubled};
use crate::document::columns::Column;
use crate::document::evidence::{REPEATED, Side, sides};
use crate::document::title::{Holds, title};
use crate::document::words::type_of_word;
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::ColumnMeaning::*;

/// How the figures of a line combine; columns by position.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lines {
    /// One figure, as in most tables.
    One,
    /// One row per side.
    Sides(Vec<PlainSide>),
    /// Repeats of one figure; their median is used.
    Repeats(Vec<usize>),
}

/// Library or type of a row, and its figures.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlainSide {
    /// `cublas`; "" if the header names only a type.
    pub name: String,
    pub dtype: Option<DataType>,
    pub time: Option<usize>,
    pub rate: Option<usize>,
}

impl Plain<'_> {
    /// How the figures of a line combine; `One` if the user chose the figure.
    pub(super) fn lines(&self) -> Lines {
        let chosen = |c: &Column| c.by_hand && matches!(c.title.spec.meaning, Time | ReportedRate);
        if self.columns.iter().any(chosen) || self.position(Library).is_some() {
            return Lines::One;
        }
        let kinds = [Time, ReportedRate, TimeMin, TimeMax, ReportedWork, Other];
        let free = |i: &usize| {
            let column = &self.columns[*i];
            kinds.contains(&column.title.spec.meaning) && !column.by_hand && self.is_numeric(*i)
        };
        let figures: Vec<usize> = (0..self.columns.len()).filter(free).collect();
        let names: Vec<String> = self.columns.iter().map(|c| c.name.clone()).collect();
        let titled = |i: &usize| {
            let Column { name, title: of_name, at, .. } = &self.columns[*i];
            let mut of_name = of_name.clone();
            // The second of two columns with the same title is another side.
            if undoubled(name, &names) != name {
                of_name.label = title(name).label;
            }
            Column::new(name, of_name, Vec::new(), *at)
        };
        lines(figures.iter().map(titled).collect())
    }
}

/// Groups numeric columns into sides or repeats by their titles.
fn lines(mut columns: Vec<Column>) -> Lines {
    let before: Vec<bool> = columns.iter().map(|c| c.title.is_figure()).collect();
    let mut notes = Vec::new();
    let sides = sides(&mut columns, &mut notes);
    let at = |i: usize| columns[i].at.unwrap_or(i);
    // Only the first repeated column still counts as a figure.
    let repeats = notes.iter().any(|n| n.ends_with(REPEATED));
    if let (true, [side]) = (repeats, &sides[..]) {
        let first = side.time.or(side.rate);
        let again = (0..columns.len())
            .filter(|i| Some(*i) == first || before[*i] && columns[*i].title.holds == Holds::Other);
        return Lines::Repeats(again.map(at).collect());
    }
    let several =
        |of: fn(&Side) -> Option<usize>| sides.iter().filter(|s| of(s).is_some()).count() > 1;
    if !several(|s| s.time) && !several(|s| s.rate) {
        return Lines::One;
    }
    let named = |side: &Side| {
        let (name, dtype) = name_and_type(&side.name);
        PlainSide { name, dtype, time: side.time.map(at), rate: side.rate.map(at) }
    };
    Lines::Sides(sides.iter().map(named).collect())
}

/// Splits the label of a side into name and type: `bf16_cublas`.
fn name_and_type(label: &str) -> (String, Option<DataType>) {
    let words = || label.split([' ', '_']).filter(|w| !w.is_empty());
    let dtype = words().find_map(type_of_word).map(|t| t.dtype);
    let bare: Vec<&str> = words().filter(|w| type_of_word(w).is_none()).collect();
    match dtype {
        Some(_) => (bare.join(" "), dtype),
        None if label.is_empty() => ("this".to_owned(), None),
        None => (label.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[&str]) -> Lines {
        let column =
            |(i, name): (usize, &&str)| Column::new(name, title(name), Vec::new(), Some(i));
        lines(headers.iter().enumerate().map(column).collect())
    }

    fn names(headers: &[&str]) -> Vec<String> {
        match of(headers) {
            Lines::Sides(sides) => sides.into_iter().map(|s| s.name).collect(),
            other => panic!("{headers:?}: {other:?}"),
        }
    }

    #[test]
    fn a_column_per_library_whatever_it_is_called() {
        for (headers, wanted) in [
            (&["M", "N", "K", "cuBLAS_TFLOPS", "Triton_TFLOPS"][..], &["cuBLAS", "Triton"][..]),
            (&["torch_time_ms", "mykernel_time_ms"], &["torch", "mykernel"]),
            (&["time_cublas (ms)", "time_ours (ms)"], &["cublas", "ours"]),
            (&["ref_ms", "ms", "speedup"], &["ref", "this"]),
            (&["naive_gflops", "tiled_gflops", "cublas_gflops"], &["naive", "tiled", "cublas"]),
            (&["v1_us", "v2_us"], &["v1", "v2"]),
            (&["cublasTimeMs", "oursTimeMs"], &["cublas", "ours"]),
            (
                &["cublas_ms", "cublas_min_ms", "cublas_tflops", "cutlass_ms", "cutlass_tflops"],
                &["cublas", "cutlass"],
            ),
        ] {
            assert_eq!(names(headers), wanted, "{headers:?}");
        }
        let Lines::Sides(sides) = of(&["FP8 TFLOPS", "bf16_cublas TFLOPS"]) else {
            panic!("no sides")
        };
        assert_eq!(sides[0].dtype, Some(DataType::Fp8E4m3));
        assert_eq!((sides[1].dtype, sides[1].name.as_str()), (Some(DataType::Bf16), "cublas"));
    }

    #[test]
    fn one_figure_and_parts_of_it_are_no_sides() {
        for headers in [
            &["M", "N", "K", "time_us", "tflops"][..],
            &["min_ms", "mean_ms", "max_ms", "p50 (ms)"],
            &["CPU Time (ms)", "GPU Time (ms)"],
            &["kernel_us", "total_us", "h2d_us"],
            &["time_ms", "roofline_ms", "peak_tflops", "tflops"],
            &["fwd_ms", "bwd_ms"],
            &["Run 1 (ms)", "Run 2 (ms)", "Avg (ms)"],
            &["median_us", "p10_us", "p90_us", "std_us", "best_us", "worst_us"],
            &["M", "GFLOPS", "GFLOPS_ref", "ms", "ms_ref"],
            &["flopCnt", "GFLOPs", "timeMs"],
            &["GFLOPS_first", "FLOPS/Byte_first", "TFLOPS/s_median", "Kernel Time (µs)_median"],
            &["tflops_mean", "tflops_min", "tflops_max", "tflops_std", "tflops_p99"],
        ] {
            assert_eq!(of(headers), Lines::One, "{headers:?}");
        }
    }

    #[test]
    fn numbered_repeats_are_one_time() {
        for (headers, columns) in [
            (&["M", "time_1", "time_2", "time_3"][..], &[1, 2, 3][..]),
            (&["Run 1 (ms)", "Run 2 (ms)"], &[0, 1]),
            (&["M", "GFLOPS1", "GFLOPS2", "GFLOPS3"], &[1, 2, 3]),
        ] {
            let Lines::Repeats(found) = of(headers) else { panic!("{headers:?}") };
            assert_eq!(found, columns);
        }
    }
}
