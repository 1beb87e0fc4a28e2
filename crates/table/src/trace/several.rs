//! Several files of one run: finds files whose rows repeat another's, keeps their metadata, and joins the rest into one
//! table.

use super::{add_context, near, report_folder};
use crate::dataset::{Capture, ColumnMeaning, Dataset, Joiner, Source};
use crate::kernel_target::tell_apart;
use gemmscope_model::units::plural;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Tables of one report that list the same operations, the most detailed first.
const SAME_OPERATIONS: [&str; 6] = [
    "gemm_ops.csv",
    "unified_perf_summary.csv",
    "GEMM.csv",
    "ops_unique_args.csv",
    "ops_summary.csv",
    "kernel_summary.csv",
];

/// Finds tables that repeat the operations of a more detailed table of the same report, which would count every GEMM
/// twice. Returns the index of each, and a reason that names the other table.
pub fn repeated_tables(paths: &[&str]) -> Vec<(usize, String)> {
    let rank = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        SAME_OPERATIONS.iter().position(|n| *n == name)
    };
    let best = |folder: &str| {
        let own = paths.iter().enumerate().filter(|(_, p)| report_folder(p) == folder);
        own.filter_map(|(i, p)| Some((rank(p)?, i))).min().map(|(_, i)| i)
    };
    paths
        .iter()
        .enumerate()
        .filter(|(_, path)| rank(path).is_some())
        .filter_map(|(i, path)| {
            let better = best(report_folder(path))?;
            // Files with the same name are all read.
            (rank(path) != rank(paths[better]))
                .then(|| (i, format!("repeats the operations of {}", paths[better])))
        })
        .collect()
}

/// Captures in the other files, if table `i` launches graphs whose capture it does not hold itself; else none.
pub fn missing_captures(tables: &[&Dataset], i: usize) -> Vec<Capture> {
    let wanted = |d: &Dataset| d.sources.iter().any(|s| s.graphs_without_capture > 0);
    if !tables.get(i).is_some_and(|d| wanted(d)) {
        return Vec::new();
    }
    let others = tables.iter().enumerate().filter(|(at, _)| *at != i);
    others.flat_map(|(_, d)| &d.sources).flat_map(|s| s.captures.iter().cloned()).collect()
}

/// A table found by [`repeated_rows`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Index of the repeated table.
    pub table: usize,
    /// Index of the table that is kept.
    pub of: usize,
    /// The reason, in words.
    pub why: String,
}

/// Finds tables whose rows repeat another table's and would count twice: a trace and its report with the same
/// operations, or a capture whose shapes another file's run has used.
pub fn repeated_rows(tables: &[&Dataset]) -> Vec<Repeated> {
    let rows: Vec<Option<Vec<Call<'_>>>> = tables.iter().map(|d| calls_of(d)).collect();
    let sums: Vec<Option<f64>> = tables.iter().map(|d| kernel_time(d)).collect();
    let name = |i: usize| tables[i].sources.first().map_or("", |s| s.name.as_str());
    let mut left: Vec<Repeated> = Vec::new();
    for (i, data) in tables.iter().enumerate() {
        // A capture lends shapes alone; the eager work around it, and its first launches, are those of the run.
        let captured = data.sources.iter().any(|s| !s.captures.is_empty());
        let replays = data.sources.iter().any(|s| s.graphs_with_capture > 0);
        let holder = (0..tables.len()).filter(|j| *j != i).find(|&j| {
            let own = |s: &Source| replays && !s.captures.is_empty();
            let borrows = tables[j].sources.iter().any(|s| s.graphs_with_capture > 0 && !own(s));
            if captured && (borrows || !replays) {
                return borrows;
            }
            if !near(report_folder(name(i)), report_folder(name(j))) {
                return false;
            }
            let gone = left.iter().any(|r| r.table == j);
            // A list of kernels has no rows: it is the same run if its GEMM time equals the trace's.
            if let (true, Some(mine), Some(theirs)) = (data.is_empty(), sums[i], sums[j]) {
                return !gone && is_trace(tables[j]) && !is_trace(data) && close(mine, theirs);
            }
            let (Some(mine), Some(theirs)) = (&rows[i], &rows[j]) else {
                return false;
            };
            // Of two equal tables the report is dropped before the trace, which has device and callers, and the later
            // before the earlier.
            let first = |at: usize| (!is_trace(tables[at]), at);
            let smaller =
                mine.len() < theirs.len() || mine.len() == theirs.len() && first(i) > first(j);
            !gone && smaller && mine.iter().all(|c| theirs.iter().any(|t| c.is(t)))
        });
        if let Some(j) = holder {
            let what = if captured { "its shapes are in" } else { "repeats operations of" };
            left.push(Repeated { table: i, of: j, why: format!("{what} {}", name(j)) });
        }
    }
    left
}

/// Sources of the tables dropped in favour of table `of`. They know more than their rows: device, total time, GEMMs
/// without a shape.
fn left_out<'t>(
    tables: &'t [&Dataset],
    repeated: &'t [Repeated],
    of: usize,
) -> impl Iterator<Item = &'t Source> {
    repeated.iter().filter(move |r| r.of == of).filter_map(|r| tables[r.table].sources.first())
}

/// Metadata of dropped files, with the index of the source that receives it.
#[derive(Debug, Default)]
pub struct Lent(Vec<(usize, Source)>);

impl Lent {
    /// Merges it into the sources. Call this after the report files are [attached](super::attach), whose statements
    /// win. If nothing states a device, kernels tell which files ran on different ones.
    pub fn to(self, all: &mut Dataset) {
        for (source, from) in &self.0 {
            lend(all, *source, from);
        }
        tell_apart(all);
    }
}

/// Merges the metadata of a dropped file into a source.
fn lend(all: &mut Dataset, source: usize, from: &Source) {
    if let Some(context) = from.trace.as_deref() {
        let mut context = context.clone();
        let own = all.sources.get(source).and_then(|s| s.trace.as_deref());
        if own.is_some_and(|own| own.total_s.is_some() || own.compute_s.is_some()) {
            // Times of two origins must not be mixed in one share.
            context.forget_times();
        }
        add_context(all, source, &context);
    }
    let Some(s) = all.sources.get_mut(source) else {
        return;
    };
    if s.without_model.rows == 0 {
        s.without_model = from.without_model;
        s.without_model_names.clone_from(&from.without_model_names);
    }
    if s.not_gemm.rows == 0 {
        s.not_gemm = from.not_gemm;
        s.not_gemm_names.clone_from(&from.not_gemm_names);
    }
}

/// Joins all tables except the repeated ones; returns the dataset, the sources of each table, and the metadata of the
/// dropped files.
pub fn unite(tables: &[&Dataset], repeated: &[Repeated]) -> (Dataset, Vec<Range<usize>>, Lent) {
    let mut joiner = Joiner::default();
    let mut sources = Vec::with_capacity(tables.len());
    let mut count = 0;
    for (i, table) in tables.iter().enumerate() {
        let first = count;
        if !repeated.iter().any(|r| r.table == i) {
            joiner.add((*table).clone());
            count += table.sources.len();
        }
        sources.push(first..count);
    }
    let mut lent = Lent::default();
    for (i, of) in sources.iter().enumerate().filter(|(_, of)| !of.is_empty()) {
        lent.0.extend(left_out(tables, repeated, i).map(|from| (of.start, from.clone())));
    }
    let mut all = joiner.finish();
    note_cut(&mut all);
    (all, sources, lent)
}

/// Adds a note if rows of a report are in another table under another name: the report was cut between a wrapper and
/// the operation it calls, so both count.
fn note_cut(all: &mut Dataset) {
    let of_report: Vec<bool> = all.sources.iter().map(|s| s.format == "tracelens").collect();
    let mut twice = vec![0; of_report.len()];
    let codes = [ColumnMeaning::OpName, ColumnMeaning::Kernel].map(|m| all.codes(m));
    if let [Some(names), Some(kernels)] = codes {
        let mut seen: FxHashMap<(u64, u64, u64, u32), usize> = FxHashMap::default();
        for r in 0..all.len() {
            let source = usize::from(all.source[r]);
            if of_report[source] && kernels[r] != 0 {
                let figures = (all.time_s[r].to_bits(), all.count(r).to_bits());
                let key = (all.sizes_hash(r), figures.0, figures.1, kernels[r]);
                let first = *seen.entry(key).or_insert(r);
                let elsewhere = all.source[first] != all.source[r] && names[first] != names[r];
                twice[source] += u64::from(elsewhere);
            }
        }
    }
    for (source, rows) in all.sources.iter_mut().zip(twice).filter(|(_, rows)| *rows > 0) {
        source.notes.push(format!(
            "{} with the shape, calls, time and kernel of a row of another table under another \
             name: where a report was cut between a wrapper and its operation, both count.",
            plural(rows, "row")
        ));
    }
}

/// One row's calls, to recognise the same run in two files.
struct Call<'a> {
    sizes: [u32; 4],
    /// Kernel name; "" if the table does not state it.
    kernel: &'a str,
    calls: f64,
    time_s: f64,
}

impl Call<'_> {
    /// True if both are the same calls of one run: two runs never agree to 0.01 % in the time of every row.
    fn is(&self, other: &Call<'_>) -> bool {
        let kernels = [self.kernel, other.kernel];
        let kernel = kernels.contains(&"") || is_name(self.kernel, other.kernel);
        kernel
            && self.sizes == other.sizes
            && self.calls == other.calls
            && close(self.time_s, other.time_s)
    }
}

/// True if two times (seconds) agree as those of a trace and its report do.
fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-4 * one
}

/// True if both name the same kernel: reports cut long names and end them with dots.
fn is_name(one: &str, other: &str) -> bool {
    let begins = |cut: &str, whole: &str| {
        let start = cut.strip_suffix("...").or_else(|| cut.strip_suffix('…'));
        start.is_some_and(|start| whole.starts_with(start))
    };
    one == other || begins(one, other) || begins(other, one)
}

/// Total GEMM kernel time in seconds of a table from a trace, with and without shapes; `None` for other tables.
fn kernel_time(data: &Dataset) -> Option<f64> {
    let without: f64 = data.sources.iter().map(|s| s.without_model.time_s).sum();
    let rows = (0..data.len()).map(|r| data.time_s[r] * data.count(r));
    let all = without + rows.filter(|t| t.is_finite()).sum::<f64>();
    (all > 0.0 && data.sources.iter().all(traced)).then_some(all)
}

/// True for a trace, or a report made from one.
fn traced(source: &Source) -> bool {
    source.format == "kineto" || source.format.starts_with("tracelens")
}

fn is_trace(data: &Dataset) -> bool {
    data.sources.iter().all(|s| s.format == "kineto")
}

/// The calls of a table from a trace; `None` for other tables and for more than 2000 rows (a trace has a few hundred
/// distinct operations).
fn calls_of(data: &Dataset) -> Option<Vec<Call<'_>>> {
    if data.is_empty() || data.len() > 2_000 || !data.sources.iter().all(traced) {
        return None;
    }
    let call = |r: usize| Call {
        sizes: [data.m[r], data.n[r], data.k[r], data.batch[r]],
        kernel: data.text(ColumnMeaning::Kernel, r),
        calls: data.count(r),
        time_s: data.time_s[r] * data.count(r),
    };
    Some((0..data.len()).map(call).collect())
}
