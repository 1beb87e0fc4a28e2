//! Several files of one run: which repeat the rows of another, what those that are left out know beyond
//! their rows, and all rows as one table.

use super::{add_context, near, report_folder};
use crate::dataset::{Capture, ColumnMeaning, Dataset, Joiner, Source};
use crate::kernel_target::tell_apart;
use gemmscope_model::units::plural;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Tables of one report that list the same operations, the one with most details first.
const SAME_OPERATIONS: [&str; 6] = [
    "gemm_ops.csv",
    "unified_perf_summary.csv",
    "GEMM.csv",
    "ops_unique_args.csv",
    "ops_summary.csv",
    "kernel_summary.csv",
];

/// Finds tables that repeat the operations of a better table of the same report, which would
/// count every GEMM twice. Returns the index of each, and the reason with the other table's path.
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
            // Two files with the same name are both read.
            (rank(path) != rank(paths[better]))
                .then(|| (i, format!("repeats the operations of {}", paths[better])))
        })
        .collect()
}

/// The captures that give the `i`-th of several tables its shapes: those of the other files, if
/// it launches graphs whose capture it does not hold itself.
pub fn missing_captures(tables: &[&Dataset], i: usize) -> Vec<Capture> {
    let wanted = |d: &Dataset| d.sources.iter().any(|s| s.graphs_without_capture > 0);
    if !tables.get(i).is_some_and(|d| wanted(d)) {
        return Vec::new();
    }
    let others = tables.iter().enumerate().filter(|(at, _)| *at != i);
    others.flat_map(|(_, d)| &d.sources).flat_map(|s| s.captures.iter().cloned()).collect()
}

/// A table that [`repeated_rows`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Its index.
    pub table: usize,
    /// Index of the table that stays.
    pub of: usize,
    /// The sentence about it.
    pub why: String,
}

/// Tables whose rows are those of another one, which would be counted twice: the same operations
/// of one run in a trace and its report, and the shapes of a capture that a run has taken.
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
            // A list of kernels has no rows: its time of GEMMs is that of the trace.
            if let (true, Some(mine), Some(theirs)) = (data.is_empty(), sums[i], sums[j]) {
                return !gone && is_trace(tables[j]) && !is_trace(data) && close(mine, theirs);
            }
            let (Some(mine), Some(theirs)) = (&rows[i], &rows[j]) else {
                return false;
            };
            // Of two that are equal the report goes, then the later one: the trace has device and callers.
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

/// The left-out traces and reports of the table at `of`. They know more than its rows: device and whole time,
/// GEMMs without a shape.
fn left_out<'t>(
    tables: &'t [&Dataset],
    repeated: &'t [Repeated],
    of: usize,
) -> impl Iterator<Item = &'t Source> {
    repeated.iter().filter(move |r| r.of == of).filter_map(|r| tables[r.table].sources.first())
}

/// What left-out files know beyond their rows, and the sources that it is for.
#[derive(Debug, Default)]
pub struct Lent(Vec<(usize, Source)>);

impl Lent {
    /// Gives it to the sources, once the files of their reports are [attached](super::attach): what those state
    /// stands. Where nothing states a device, kernels tell which files are of different ones.
    pub fn to(self, all: &mut Dataset) {
        for (source, from) in &self.0 {
            lend(all, *source, from);
        }
        tell_apart(all);
    }
}

/// Gives a source what a left-out file knows beyond its rows.
fn lend(all: &mut Dataset, source: usize, from: &Source) {
    if let Some(context) = from.trace.as_deref() {
        let mut context = context.clone();
        let own = all.sources.get(source).and_then(|s| s.trace.as_deref());
        if own.is_some_and(|own| own.total_s.is_some() || own.compute_s.is_some()) {
            // A share of times of two origins is of neither.
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

/// All rows of several tables, but those of the repeated ones, and the sources of each table.
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

/// Notes which rows of a report another table holds under another name: it was cut between a wrapper and
/// the operation that it calls, so both count.
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

/// The calls of one row, for telling runs apart.
struct Call<'a> {
    sizes: [u32; 4],
    /// "" where the table does not state it.
    kernel: &'a str,
    calls: f64,
    time_s: f64,
}

impl Call<'_> {
    /// Two runs never take the same time to a hundredth of a percent in every row.
    fn is(&self, other: &Call<'_>) -> bool {
        let kernels = [self.kernel, other.kernel];
        let kernel = kernels.contains(&"") || is_name(self.kernel, other.kernel);
        kernel
            && self.sizes == other.sizes
            && self.calls == other.calls
            && close(self.time_s, other.time_s)
    }
}

/// Times of one run, seconds: as a trace and its report print them.
fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-4 * one
}

/// Two names of one kernel: a report cuts long ones and says so with dots.
fn is_name(one: &str, other: &str) -> bool {
    let begins = |cut: &str, whole: &str| {
        let start = cut.strip_suffix("...").or_else(|| cut.strip_suffix('…'));
        start.is_some_and(|start| whole.starts_with(start))
    };
    one == other || begins(one, other) || begins(other, one)
}

/// Seconds of all GEMM kernels of a table that comes from a trace, with and without a shape.
fn kernel_time(data: &Dataset) -> Option<f64> {
    let without: f64 = data.sources.iter().map(|s| s.without_model.time_s).sum();
    let rows = (0..data.len()).map(|r| data.time_s[r] * data.count(r));
    let all = without + rows.filter(|t| t.is_finite()).sum::<f64>();
    (all > 0.0 && data.sources.iter().all(traced)).then_some(all)
}

/// It is a trace, or a report made from one.
fn traced(source: &Source) -> bool {
    source.format == "kineto" || source.format.starts_with("tracelens")
}

fn is_trace(data: &Dataset) -> bool {
    data.sources.iter().all(|s| s.format == "kineto")
}

/// The calls of a table that comes from a trace; `None` for any other. A trace has a few hundred
/// distinct operations at most.
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
