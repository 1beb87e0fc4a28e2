//! Several times or rates in one line: a column per library (`cublas_ms, triton_ms`) or type (`FP8
//! TFLOPS, BF16 TFLOPS`), or repeats of one figure (`time_1, time_2`).

use super::alias;
use super::words::{self, Says, any_says, is_extreme, is_percentile, says};
use gemmscope_model::dtype::DataType;
use gemmscope_model::units::{RateUnit, TimeUnit};
use gemmscope_table::dataset::ColumnMeaning::*;
use gemmscope_table::dataset::ColumnSpec;

/// What one column of figures is called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// The header without words for time, rate and unit: `cublas` of `cublas_time_ms`.
    pub label: Vec<String>,
    /// A time or a rate, with its unit where the header has one.
    pub spec: ColumnSpec,
    /// Not a shortest, longest or other extreme run.
    pub central: bool,
}

/// Words of figures that are no run of the GEMM itself, or only a part or a multiple of one.
const NO_RUN: [Says; 7] =
    [Says::Limit, Says::Spread, Says::Once, Says::Host, Says::Gpu, Says::Pass, Says::Moment];

/// Words of a figure that do not tell whose it is.
const PLAIN: [Says; 6] =
    [Says::Duration, Says::Rate, Says::Mean, Says::Least, Says::Most, Says::Plain];

/// A column that is named after what is no run: `speedup`, `peak TFLOPS`.
pub(crate) fn is_no_run(header: &str) -> bool {
    any_says(&words::words(header), &NO_RUN)
}

/// Reads a header as the figure of somebody; `None` for anything else.
pub(crate) fn figure(header: &str) -> Option<Figure> {
    let is_plain = |word: &str| {
        let word = word.to_lowercase();
        says(&word, &PLAIN)
            || is_percentile(&word)
            || TimeUnit::parse(&word).is_some()
            || RateUnit::parse(&word).is_some()
    };
    // `timeCublas` is two words, `cuBLAS` is one.
    let tokens = header.split(|c: char| !c.is_alphanumeric() && c != 'µ').filter(|t| !t.is_empty());
    let mut words: Vec<String> = Vec::new();
    for token in tokens {
        // Translated where it is a word of another language.
        let parts = words::words(token);
        let stem = token.trim_end_matches(|c: char| c.is_ascii_digit());
        if parts.iter().any(|p| is_plain(p)) {
            words.extend(parts);
        } else if stem.len() < token.len() && stem.len() > 1 && is_plain(stem) {
            // `GFLOPS1`
            words.extend([stem.to_owned(), token[stem.len()..].to_owned()]);
        } else {
            words.push(token.to_owned());
        }
    }
    // `GFLOPS_ref`, `ms_ref`: what the figure is measured against, not whose it is.
    let against = words.len() > 1
        && words.last().is_some_and(|w| says(&w.to_lowercase(), &[Says::Reference]));
    let other = |w: &String| says(&w.to_lowercase(), &NO_RUN);
    if words.iter().any(other) || header.contains('%') || against {
        return None;
    }
    let (plain, label): (Vec<String>, Vec<String>) = words.into_iter().partition(|w| is_plain(w));
    if plain.is_empty() {
        return None;
    }
    let known = |spec: ColumnSpec| {
        [Time, TimeMin, TimeMax, ReportedRate, ReportedWork].contains(&spec.meaning)
    };
    let spec = alias::guess(header).spec;
    // `flopCnt`: the work of a call, whatever stands beside it.
    if spec.meaning == ReportedWork {
        return None;
    }
    // A word such as `ref` hides what the others say.
    let mut spec = if known(spec) { spec } else { alias::guess(&plain.join("_")).spec };
    let lower = |w: &String| w.to_lowercase();
    let extreme = plain.iter().map(lower).any(|w| is_extreme(&w));
    spec.meaning = match spec.meaning {
        Time | TimeMin | TimeMax => Time,
        ReportedRate => ReportedRate,
        // `GFLOPS` beside somebody's name is a rate, never a number of operations.
        ReportedWork if !label.is_empty() => {
            let unit = plain.iter().rev().find_map(|w| RateUnit::parse(w));
            return Some(Figure {
                label,
                spec: ColumnSpec::rate(ReportedRate, unit),
                central: !extreme,
            });
        }
        _ => return None,
    };
    Some(Figure { label, spec, central: !extreme })
}

/// How the figures of one line belong together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Lines {
    /// One figure, as in most tables.
    One,
    /// A row for each of these.
    Sides(Vec<Side>),
    /// The columns repeat one time: their median is the time.
    Repeats(Vec<usize>),
}

/// Whose figures a row holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    /// `cublas`; "" where the header names only a type.
    pub name: String,
    pub dtype: Option<DataType>,
    /// Position and unit of its time and of its rate.
    pub time: Option<(usize, ColumnSpec)>,
    pub rate: Option<(usize, ColumnSpec)>,
}

/// Tells sides and repeats among the figures of a table, by their positions.
pub(crate) fn lines(figures: &[(usize, Figure)]) -> Lines {
    let is_time = |f: &Figure| f.spec.meaning == Time;
    let timed = figures.iter().any(|(_, f)| is_time(f));
    let of_repeat = |(_, f): &&(usize, Figure)| f.is_repeat() && is_time(f) == timed;
    let repeats: Vec<usize> = figures.iter().filter(of_repeat).map(|(i, _)| *i).collect();
    let one = |(_, f): &(usize, Figure)| {
        let own = if timed { is_time(f) && !f.is_repeat() } else { f.label.is_empty() };
        f.central && own
    };
    if repeats.len() >= 2 && !figures.iter().any(one) {
        return Lines::Repeats(repeats);
    }
    // Where the table has their mean too, the repeats are columns beside it.
    let repeated = |i: &usize| repeats.len() >= 2 && repeats.contains(i);
    let mut sides: Vec<(Vec<String>, Side)> = Vec::new();
    for (i, figure) in figures.iter().filter(|(i, f)| f.central && !repeated(i)) {
        let key: Vec<String> = figure.label.iter().map(|w| w.to_lowercase()).collect();
        let at = sides.iter().position(|(k, _)| *k == key);
        let at = at.unwrap_or_else(|| {
            sides.push((key, side(&figure.label)));
            sides.len() - 1
        });
        let place = match figure.spec.meaning {
            Time => &mut sides[at].1.time,
            _ => &mut sides[at].1.rate,
        };
        // The first of several is the mean or the median; the others stay columns.
        place.get_or_insert((*i, figure.spec));
    }
    let of = |has: &dyn Fn(&Side) -> bool| sides.iter().filter(|(_, s)| has(s)).count();
    if of(&|s| s.time.is_some()) < 2 && of(&|s| s.rate.is_some()) < 2 {
        return Lines::One;
    }
    let mut sides: Vec<Side> = sides.into_iter().map(|(_, s)| s).collect();
    for s in &mut sides {
        if s.name.is_empty() && s.dtype.is_none() {
            s.name = "this".to_owned();
        }
    }
    Lines::Sides(sides)
}

fn side(label: &[String]) -> Side {
    let is_type = |w: &String| w.len() >= 3 && w.bytes().any(|b| b.is_ascii_digit());
    let dtype = label.iter().filter(|w| is_type(w)).find_map(|w| DataType::parse(w));
    let words: Vec<&str> = label
        .iter()
        .filter(|w| !(is_type(w) && DataType::parse(w).is_some()))
        .map(String::as_str)
        .collect();
    Side { name: words.join(" "), dtype, time: None, rate: None }
}

impl Figure {
    /// One run of several: `time_1`, `Run 2 (ms)`. A library may end in a number too (`v2`), but a
    /// run hardly ever has another name than these.
    fn is_repeat(&self) -> bool {
        let label = self.label.concat().to_lowercase();
        let name = label.trim_end_matches(|c: char| c.is_ascii_digit());
        self.central && label.len() > name.len() && (name.is_empty() || says(name, &[Says::Run]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[&str]) -> Lines {
        let figures: Vec<_> =
            headers.iter().enumerate().filter_map(|(i, h)| Some((i, figure(h)?))).collect();
        lines(&figures)
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
            &["tflops_mean", "tflops_min", "tflops_max", "tflops_std", "tflops_p99"],
        ] {
            assert_eq!(of(headers), Lines::One, "{headers:?}");
        }
    }

    #[test]
    fn numbered_repeats_are_one_time() {
        assert_eq!(of(&["M", "time_1", "time_2", "time_3"]), Lines::Repeats(vec![1, 2, 3]));
        assert_eq!(of(&["Run 1 (ms)", "Run 2 (ms)"]), Lines::Repeats(vec![0, 1]));
        assert_eq!(of(&["M", "GFLOPS1", "GFLOPS2", "GFLOPS3"]), Lines::Repeats(vec![1, 2, 3]));
    }
}
