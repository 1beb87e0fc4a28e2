//! Content of a trace report beside its GEMM table: the platform with its measured peaks, the rest of the time, the
//! callers of each operation, and the report's own figures.
//!
//! TraceLens spreads this over several small files. Each is read into a [`TraceContext`]; [`attach`] merges those of
//! one report into the source of its table.

mod several;

pub use several::{Lent, Repeated, missing_captures, repeated_rows, repeated_tables, unite};

use crate::dataset::{CallStack, ColumnData, Dataset, TraceContext};
use gemmscope_model::hardware::Device;

/// Key of the extra column with the operation id of a row in its trace.
pub const UID_COLUMN: &str = "uid";

/// Key of the extra column with what a row of a trace is part of, if a reader can tell.
pub const PART_COLUMN: &str = "part_of";
/// Value of [`PART_COLUMN`]: a batched product of attention whose softmax is a separate kernel.
pub const UNFUSED_ATTENTION: &str = "attention, unfused";

/// True for a product of unfused attention. Fusing replaces the product, so advice to pad, narrow or batch it would be
/// wrong.
pub fn is_unfused_attention(data: &Dataset, row: usize) -> bool {
    match data.columns.iter().find(|c| c.key == PART_COLUMN).map(|c| &c.data) {
        Some(ColumnData::Text { codes, values }) => codes
            .get(row)
            .and_then(|c| values.get(*c as usize))
            .is_some_and(|t| t == UNFUSED_ATTENTION),
        _ => false,
    }
}

/// Key of the extra column with the callers of a row, outermost first: `step => Linear`.
pub const CALL_STACK_COLUMN: &str = "call_stack";

/// The result of [`attach`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attached {
    /// Index into `Dataset::sources`; `None` if no table of a trace is loaded yet.
    pub source: Option<usize>,
    /// The report's platform with its own peaks, to be added to the user's devices.
    pub device: Option<Device>,
}

/// Report folder of a file: its path without the file name and without the tool's own sub-folders. `""` for a file
/// without a path.
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

/// True if the context can belong to a table of this format.
pub fn is_table_of(format: &str, context: &TraceContext) -> bool {
    match context.tables_of.as_str() {
        "" => format.starts_with("tracelens") || format == "kineto",
        tool => format.starts_with(tool),
    }
}

/// Attaches a context to its tables: those from the same report folder, else the last trace table. Rows that state no
/// device get the platform as their device.
///
/// Files may come in any order. If no table is loaded yet, `source` is `None` and the caller keeps the context for the
/// next table.
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
        // A file from elsewhere belongs to the last table, unless both have folders and these are unrelated.
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

/// Merges a context into one source. Its rows that state no device get the platform as theirs.
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

/// True if files of these report folders can belong together: one folder contains the other, or there is none.
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

/// A cell of an extra column, by key, as text.
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
    use crate::dataset::{Capture, ColumnMeaning, Source};

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
        // A file without a folder goes to the last table, one of another report to none.
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
        assert_eq!((repeated[0].table, repeated[0].of), (1, 0));
        let (mut all, sources, lent) = unite(&tables, &repeated);
        lent.to(&mut all);
        assert_eq!((all.len(), &sources[0], &sources[1]), (6, &(0..1), &(1..1)));
        assert_eq!(all.sources[0].without_model.time_s, 5e-3);
        // Without a graph's shapes the trace has fewer rows, so the report stays and the trace lends its context.
        let short =
            Dataset { sources: trace.sources.clone(), ..table("r/t.json", "kineto", &[2e-3]) };
        let tables = [&short, &report];
        let repeated = repeated_rows(&tables);
        assert_eq!((repeated[0].table, repeated[0].of), (0, 1));
        let (mut all, _, lent) = unite(&tables, &repeated);
        lent.to(&mut all);
        assert_eq!(all.devices[usize::from(all.device[0])], "MI300X");
        assert_eq!(all.sources[0].without_model.time_s, 5e-3);
    }

    #[test]
    fn a_report_that_cuts_names_or_lists_kernels_alone_is_of_its_trace() {
        let kernel = |mut data: Dataset, name: &str| {
            data.columns.push(crate::dataset::Column {
                key: "kernel".into(),
                label: "kernel".into(),
                meaning: ColumnMeaning::Kernel,
                unit: String::new(),
                data: ColumnData::Text { codes: vec![1], values: vec![String::new(), name.into()] },
            });
            data
        };
        let trace =
            || kernel(table("r/trace.json", "kineto", &[1e-3]), "void gemm_128x64_tn<half>");
        for (name, repeats) in
            [("void gemm_128x64...", 1), ("void gemm_128x64_tn<ha…", 1), ("void gemm_64x64...", 0)]
        {
            let report = kernel(table("r/GEMM.csv", "tracelens", &[1e-3]), name);
            assert_eq!(repeated_rows(&[&report, &trace()]).len(), repeats, "{name}");
        }
        // Kernels with times but without shapes: each counts once.
        let mut trace = trace();
        trace.sources[0].without_model.add(2e-3);
        for (time_s, repeats) in [(3e-3, 1), (2e-3, 0)] {
            let mut kernels = table("r/perf_report.xlsx", "tracelens_kernels", &[]);
            kernels.sources[0].without_model.add_calls(36, time_s);
            let left = repeated_rows(&[&kernels, &trace]);
            assert_eq!(left.len(), repeats, "{time_s}");
            assert!(left.iter().all(|r| (r.table, r.of) == (0, 1)));
        }
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
        // It also launched the graph itself.
        captured.sources[0].graphs_with_capture = 1;
        assert_eq!(repeated_rows(&[&run, &captured])[0].table, 1);
        // Two runs that hold their own captures both count.
        run.sources[0].captures = vec![Capture::default()];
        assert!(repeated_rows(&[&run, &captured]).is_empty());
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
