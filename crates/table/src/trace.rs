//! The content of a trace report beside its GEMM table: the platform with its measured peaks, the
//! rest of the time, the callers of each operation, and the report's own figures.
//!
//! TraceLens spreads this over several small files. Each is read into a [`TraceContext`];
//! [`attach`] merges those of one report into the source of its table.

use crate::dataset::{
    CallStack, Capture, ColumnData, ColumnMeaning, Dataset, Joiner, Source, TraceContext,
};
use crate::kernel_target::tell_apart;
use gemmscope_model::hardware::Device;
use gemmscope_model::units::plural;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// Key of the extra column with the operation id of a row in its trace.
pub const UID_COLUMN: &str = "uid";

/// Key of the extra column with what a row of a trace is a part of, where a reader can tell.
pub const PART_COLUMN: &str = "part_of";
/// In [`PART_COLUMN`]: a batched product of attention whose softmax is a kernel of its own.
pub const UNFUSED_ATTENTION: &str = "attention, unfused";

/// True for a product of attention that is not fused. Fusing it replaces the product, so nobody
/// pads, narrows or batches it.
pub fn is_unfused_attention(data: &Dataset, row: usize) -> bool {
    match data.columns.iter().find(|c| c.key == PART_COLUMN).map(|c| &c.data) {
        Some(ColumnData::Text { codes, values }) => codes
            .get(row)
            .and_then(|c| values.get(*c as usize))
            .is_some_and(|t| t == UNFUSED_ATTENTION),
        _ => false,
    }
}

/// Key of the extra column with what called a row, the outermost first: `step => Linear`.
pub const CALL_STACK_COLUMN: &str = "call_stack";

/// The result of [`attach`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attached {
    /// Index into `Dataset::sources`; `None` if no table of a trace is loaded yet.
    pub source: Option<usize>,
    /// The report's platform with its own peaks, to be added to the user's devices.
    pub device: Option<Device>,
}

/// The folder of the report that a file belongs to: the path without the file name and without
/// the tool's own sub-folders. `""` for a file without a path.
pub(crate) fn report_folder(path: &str) -> &str {
    const OWN: [&str; 4] = ["metadata", "category_data", "perf_report_csvs", "category_findings"];
    let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    loop {
        let (up, last) = folder.rsplit_once('/').unwrap_or(("", folder));
        if !OWN.contains(&last) {
            return folder;
        }
        folder = up;
    }
}

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
    let mut best: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, path) in paths.iter().enumerate() {
        let Some(mine) = rank(path) else { continue };
        let holder = best.entry(report_folder(path)).or_insert(i);
        if rank(paths[*holder]).is_some_and(|theirs| mine < theirs) {
            *holder = i;
        }
    }
    paths
        .iter()
        .enumerate()
        .filter(|(_, path)| rank(path).is_some())
        .filter_map(|(i, path)| {
            let &better = best.get(report_folder(path))?;
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
    let name = |i: usize| tables[i].sources.first().map_or("", |s| s.name.as_str());
    let mut left: Vec<Repeated> = Vec::new();
    for (i, data) in tables.iter().enumerate() {
        // A capture lends shapes alone; the eager work around it is that of the run.
        let captured = data.sources.iter().any(|s| !s.captures.is_empty())
            && data.sources.iter().all(|s| s.graphs_with_capture + s.graphs_without_capture == 0);
        let holder = (0..tables.len()).filter(|j| *j != i).find(|&j| {
            if captured {
                return tables[j].sources.iter().any(|s| s.graphs_with_capture > 0);
            }
            let (Some(mine), Some(theirs)) = (&rows[i], &rows[j]) else {
                return false;
            };
            if !near(report_folder(name(i)), report_folder(name(j))) {
                return false;
            }
            let gone = left.iter().any(|r| r.table == j);
            // Of two that are equal, the trace goes, then the later one.
            let first = |at: usize| (is_trace(tables[at]), at);
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

/// The left-out traces of the table at `of`. They know more than its rows: device and whole time,
/// GEMMs without a shape.
fn left_out<'t>(
    tables: &'t [&Dataset],
    repeated: &'t [Repeated],
    of: usize,
) -> impl Iterator<Item = &'t Source> {
    repeated.iter().filter(move |r| r.of == of).filter_map(|r| tables[r.table].sources.first())
}

/// What left-out traces know beyond their rows, and the sources that it is for.
#[derive(Debug, Default)]
pub struct Lent(Vec<(usize, Source)>);

impl Lent {
    /// Gives it to the sources, once the files of their reports are [attached](attach): what those state
    /// stands. Where nothing states a device, kernels tell which files are of different ones.
    pub fn to(self, all: &mut Dataset) {
        for (source, from) in &self.0 {
            lend(all, *source, from);
        }
        tell_apart(all);
    }
}

/// Gives a source what a left-out trace knows beyond its rows.
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
        let kernel = kernels.contains(&"") || self.kernel == other.kernel;
        kernel
            && self.sizes == other.sizes
            && self.calls == other.calls
            && (self.time_s - other.time_s).abs() <= 1e-4 * self.time_s
    }
}

fn is_trace(data: &Dataset) -> bool {
    data.sources.iter().all(|s| s.format == "kineto")
}

/// The calls of a table that comes from a trace; `None` for any other. A trace has a few hundred
/// distinct operations at most.
fn calls_of(data: &Dataset) -> Option<Vec<Call<'_>>> {
    let traced = |s: &Source| s.format == "kineto" || s.format.starts_with("tracelens");
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

/// True if the context can belong to a table of this format.
pub fn is_table_of(format: &str, context: &TraceContext) -> bool {
    match context.tables_of.as_str() {
        "" => format.starts_with("tracelens") || format == "kineto",
        tool => format.starts_with(tool),
    }
}

/// Attaches a context to its table: the one from the same report folder, else the last trace
/// table. Rows that state no device get the platform as their device.
///
/// Files may come in any order. If no table is loaded yet, `source` is `None` and the caller keeps
/// the context for the next table.
pub fn attach(data: &mut Dataset, context: &TraceContext) -> Attached {
    let device = context.device();
    let folder = context.files.first().map_or("", |f| report_folder(f));
    let tables =
        || data.sources.iter().enumerate().filter(|(_, s)| is_table_of(&s.format, context));
    let same: Vec<usize> =
        tables().filter(|(_, s)| report_folder(&s.name) == folder).map(|(i, _)| i).collect();
    let targets: Vec<usize> = if !same.is_empty() && !folder.is_empty() {
        same
    } else {
        // A file from elsewhere: it belongs to the last table, unless the tables have folders of
        // their own and this file another.
        let last = tables()
            .filter(|(_, s)| near(folder, report_folder(&s.name)))
            .map(|(i, _)| i)
            .next_back();
        same.last().copied().or(last).into_iter().collect()
    };
    for &target in &targets {
        add_context(data, target, context);
    }
    Attached { source: targets.first().copied(), device }
}

/// Gives a context to one source. Its rows that state no device get the platform as theirs.
fn add_context(data: &mut Dataset, source: usize, context: &TraceContext) {
    let Some(s) = data.sources.get_mut(source) else {
        return;
    };
    match &mut s.trace {
        Some(known) => known.merge(context.clone()),
        none => *none = Some(Box::new(context.clone())),
    }
    if !context.platform.is_empty() {
        data.state_device(source, &context.platform);
    }
}

/// True if files of these report folders can belong together: a folder below the other, or none.
fn near(a: &str, b: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || outer.is_empty() || rest.starts_with('/'))
    };
    within(a, b) || within(b, a)
}

/// The call stack of a row: from the report's tree, else from the row's call-stack column.
pub fn call_stack(data: &Dataset, row: usize) -> Option<CallStack> {
    let source = data.sources.get(usize::from(*data.source.get(row)?))?;
    let uid = text_cell(data, UID_COLUMN, row).and_then(|t| t.parse().ok());
    let known = source.trace.as_ref().zip(uid).and_then(|(trace, uid)| trace.calls.get(&uid));
    if let Some(stack) = known
        && !(stack.parents.is_empty() && stack.subtree.is_empty())
    {
        return Some(stack.clone());
    }
    let column = text_cell(data, CALL_STACK_COLUMN, row).filter(|t| !t.is_empty());
    match (column, known) {
        (Some(text), _) => Some(CallStack {
            operation: data.text(crate::dataset::ColumnMeaning::OpName, row).to_owned(),
            parents: text
                .split([';', '\n'])
                .flat_map(|part| part.split("=>"))
                .map(|part| part.trim().to_owned())
                .filter(|part| !part.is_empty())
                .collect(),
            ..CallStack::default()
        }),
        (None, Some(stack)) => Some(stack.clone()),
        (None, None) => None,
    }
}

/// A cell of an extra column by key, as text.
fn text_cell(data: &Dataset, key: &str, row: usize) -> Option<String> {
    let column = data.columns.iter().find(|c| c.key == key)?;
    match &column.data {
        ColumnData::Text { codes, values } => values.get(*codes.get(row)? as usize).cloned(),
        ColumnData::Number(values) => {
            values.get(row).filter(|v| v.is_finite()).map(|v| format!("{v:.0}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str) -> Source {
        Source { name: name.to_owned(), format: "tracelens".to_owned(), ..Source::default() }
    }

    #[test]
    fn folders_of_a_report() {
        for (path, folder) in [
            ("gemm_ops.csv", ""),
            ("run/category_data/gemm_ops.csv", "run"),
            ("run/metadata/gemm_metadata.json", "run"),
            ("metadata/gemm_metadata.json", ""),
            ("a/b/GEMM.csv", "a/b"),
            ("a/perf_report_csvs/GEMM.csv", "a"),
        ] {
            assert_eq!(report_folder(path), folder, "{path}");
        }
    }

    #[test]
    fn one_table_of_a_report_is_read() {
        let paths = [
            "r/GEMM.csv",
            "r/category_data/gemm_ops.csv",
            "r/gpu_timeline.csv",
            "other/GEMM.csv",
            "r/perf_report_csvs/unified_perf_summary.csv",
        ];
        let left: Vec<usize> = repeated_tables(&paths).iter().map(|(i, _)| *i).collect();
        assert_eq!(left, [0, 4]);
        assert!(repeated_tables(&paths)[0].1.contains("r/category_data/gemm_ops.csv"));
        assert!(repeated_tables(&["GEMM.csv", "GEMM.csv", "my.csv"]).is_empty());
    }

    #[test]
    fn a_context_finds_its_table_by_folder() {
        let mut data = Dataset::new();
        data.sources =
            vec![source("a/category_data/gemm_ops.csv"), source("b/category_data/gemm_ops.csv")];
        let context = |file: &str| TraceContext {
            files: vec![file.to_owned()],
            platform: "MI300X".to_owned(),
            total_s: Some(1.0),
            ..TraceContext::default()
        };
        let put = |data: &mut Dataset, file: &str| attach(data, &context(file)).source;
        assert_eq!(put(&mut data, "a/metadata/gemm_metadata.json"), Some(0));
        // A loose file goes to the last table, one of another report to none.
        assert_eq!(put(&mut data, "gemm_metadata.json"), Some(1));
        assert_eq!(put(&mut data, "c/metadata/gemm_metadata.json"), None);
        assert_eq!(put(&mut data, "b/run/gemm_metadata.json"), Some(1));
        assert_eq!(data.devices, ["", "MI300X"]);
        assert_eq!(put(&mut Dataset::new(), "gemm_metadata.json"), None);
    }

    fn table(name: &str, format: &str, times: &[f64]) -> Dataset {
        let mut t = crate::build::TableBuilder::new();
        for time in times {
            let op =
                gemmscope_model::gemm::Operation::uniform(gemmscope_model::dtype::DataType::Bf16);
            t.commit(2, b"", Ok(crate::build::Row::new(64, 64, 64, op, *time)));
        }
        let mut data = t.finish();
        data.sources = vec![Source { format: format.to_owned(), ..source(name) }];
        data
    }

    #[test]
    fn a_trace_beside_its_report_is_counted_once_and_lends_its_device() {
        let report = table("r/GEMM.csv", "tracelens", &[1e-3, 2e-3]);
        let mut trace = table("r/trace.json", "kineto", &[2e-3, 1.00001e-3]);
        trace.sources[0].trace = Some(Box::new(TraceContext {
            platform: "MI300X".to_owned(),
            ..TraceContext::default()
        }));
        trace.sources[0].without_model.add(5e-3);
        let other = table("other/trace.json", "kineto", &[1e-3, 2e-3]);
        let slower = table("r/run2.json", "kineto", &[1.1e-3, 2e-3]);
        let tables = [&trace, &report, &other, &slower];
        let repeated = repeated_rows(&tables);
        assert_eq!(repeated.len(), 1);
        assert_eq!((repeated[0].table, repeated[0].of), (0, 1));
        let (mut all, sources, lent) = unite(&tables, &repeated);
        lent.to(&mut all);
        assert_eq!((all.len(), &sources[0], &sources[1]), (6, &(0..0), &(0..1)));
        assert_eq!(all.devices[usize::from(all.device[0])], "MI300X");
        assert_eq!(all.sources[0].without_model.time_s, 5e-3);
    }

    #[test]
    fn a_report_cut_between_wrapper_and_operation_is_said() {
        let named = |name: &str, op_name: &str, kernel: &str| {
            let mut data = table(name, "tracelens", &[1e-3]);
            for (meaning, word) in
                [(ColumnMeaning::OpName, op_name), (ColumnMeaning::Kernel, kernel)]
            {
                data.columns.push(crate::dataset::Column {
                    key: meaning.id().into(),
                    label: meaning.id().into(),
                    meaning,
                    unit: String::new(),
                    data: crate::dataset::ColumnData::Text {
                        codes: vec![1],
                        values: vec![String::new(), word.into()],
                    },
                });
            }
            data
        };
        let first = named("a/1.csv", "aten::linear", "gemm_kernel");
        for (op_name, kernel, said) in [
            ("vllm::gemm", "gemm_kernel", 1),
            ("aten::linear", "gemm_kernel", 0),
            ("vllm::gemm", "other", 0),
        ] {
            let second = named("a/2.csv", op_name, kernel);
            let (all, ..) = unite(&[&first, &second], &[]);
            assert_eq!((all.len(), all.sources[1].notes.len()), (2, said), "{op_name} {kernel}");
        }
    }

    #[test]
    fn a_capture_gives_its_shapes_to_the_run_beside_it() {
        let mut run = table("run.json", "kineto", &[1e-3]);
        let mut captured = table("capture.json", "kineto", &[f64::NAN]);
        captured.sources[0].captures = vec![Capture::default()];
        run.sources[0].graphs_without_capture = 1;
        assert_eq!(missing_captures(&[&run, &captured], 0).len(), 1);
        assert!(missing_captures(&[&run, &captured], 1).is_empty());
        assert!(repeated_rows(&[&run, &captured]).is_empty());
        run.sources[0].graphs_without_capture = 0;
        run.sources[0].graphs_with_capture = 1;
        assert_eq!(repeated_rows(&[&run, &captured])[0].table, 1);
    }

    #[test]
    fn the_first_word_counts_when_contexts_meet() {
        let mut first = TraceContext { total_s: Some(1.0), ..TraceContext::default() };
        first.merge(TraceContext {
            total_s: Some(2.0),
            compute_s: Some(0.5),
            platform: "X".to_owned(),
            ..TraceContext::default()
        });
        assert_eq!((first.total_s, first.compute_s), (Some(1.0), Some(0.5)));
        assert_eq!(first.platform, "X");
        assert_eq!(first.other_s(0.25), Some(0.75));
        assert_eq!(first.device(), None);
    }
}
