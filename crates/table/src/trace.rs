//! The content of a trace report beside its GEMM table: the platform with its measured peaks, the
//! rest of the time, the callers of each operation, and the report's own figures.
//!
//! TraceLens spreads this over several small files. Each is read into a [`TraceContext`];
//! [`attach`] merges those of one report into the source of its table.

use crate::dataset::{CallStack, ColumnData, Dataset, Source, TraceContext};
use gemmscope_model::hardware::Device;
use std::collections::BTreeMap;

/// Key of the extra column with the operation id of a row in its trace.
pub const UID_COLUMN: &str = "uid";

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
    const OWN: [&str; 4] = [
        "metadata",
        "category_data",
        "perf_report_csvs",
        "category_findings",
    ];
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
            (rank(path) != rank(paths[better])).then(|| {
                (
                    i,
                    format!("lists the operations of {} again", paths[better]),
                )
            })
        })
        .collect()
}

/// True if the context can belong to a table of this format.
pub fn is_table_of(format: &str, context: &TraceContext) -> bool {
    match context.tables_of.as_str() {
        "" => format.starts_with("tracelens"),
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
    let tables = || {
        data.sources
            .iter()
            .enumerate()
            .filter(|(_, s)| is_table_of(&s.format, context))
    };
    let same: Vec<usize> = tables()
        .filter(|(_, s)| report_folder(&s.name) == folder)
        .map(|(i, _)| i)
        .collect();
    let targets: Vec<usize> = if !same.is_empty() && !folder.is_empty() {
        same
    } else {
        // A file from elsewhere: it belongs to the last table, unless the tables have folders of
        // their own and this file another.
        let near = |s: &Source| {
            let theirs = report_folder(&s.name);
            folder.is_empty()
                || theirs.is_empty()
                || within(folder, theirs)
                || within(theirs, folder)
        };
        let last = tables().filter(|(_, s)| near(s)).map(|(i, _)| i).last();
        same.last().copied().or(last).into_iter().collect()
    };
    for &target in &targets {
        let source = &mut data.sources[target];
        match &mut source.trace {
            Some(known) => known.merge(context.clone()),
            none => *none = Some(Box::new(context.clone())),
        }
        if !context.platform.is_empty() {
            state_device(data, target, &context.platform);
        }
    }
    Attached {
        source: targets.first().copied(),
        device,
    }
}

/// True if `inner` is a folder below `outer`.
fn within(inner: &str, outer: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Sets the device of rows of one source that state none.
fn state_device(data: &mut Dataset, source: usize, name: &str) {
    let code = match data.devices.iter().position(|d| d == name) {
        Some(code) => code,
        None => {
            data.devices.push(name.to_owned());
            data.devices.len() - 1
        }
    };
    let (Ok(code), Ok(source)) = (u16::try_from(code), u16::try_from(source)) else {
        return;
    };
    for (device, from) in data.device.iter_mut().zip(&data.source) {
        if *from == source && *device == 0 {
            *device = code;
        }
    }
}

/// The call stack of a row: from the report's tree, else from the row's call-stack column.
pub fn call_stack(data: &Dataset, row: usize) -> Option<CallStack> {
    let source = data.sources.get(usize::from(*data.source.get(row)?))?;
    let uid = text_cell(data, UID_COLUMN, row).and_then(|t| t.parse().ok());
    let known = source
        .trace
        .as_ref()
        .zip(uid)
        .and_then(|(trace, uid)| trace.calls.get(&uid));
    if let Some(stack) = known
        && !(stack.parents.is_empty() && stack.subtree.is_empty())
    {
        return Some(stack.clone());
    }
    let column = text_cell(data, "call_stack", row).filter(|t| !t.is_empty());
    match (column, known) {
        (Some(text), _) => Some(CallStack {
            operation: data
                .text(crate::dataset::ColumnMeaning::OpName, row)
                .to_owned(),
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
        ColumnData::Number(values) => values
            .get(row)
            .filter(|v| v.is_finite())
            .map(|v| format!("{v:.0}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str) -> Source {
        Source {
            name: name.to_owned(),
            format: "tracelens".to_owned(),
            ..Source::default()
        }
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
        assert!(
            repeated_tables(&paths)[0]
                .1
                .contains("r/category_data/gemm_ops.csv")
        );
        assert!(repeated_tables(&["GEMM.csv", "GEMM.csv", "my.csv"]).is_empty());
    }

    #[test]
    fn a_context_finds_its_table_by_folder() {
        let mut data = Dataset::new();
        data.sources = vec![
            source("a/category_data/gemm_ops.csv"),
            source("b/category_data/gemm_ops.csv"),
        ];
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

    #[test]
    fn the_first_word_counts_when_contexts_meet() {
        let mut first = TraceContext {
            total_s: Some(1.0),
            ..TraceContext::default()
        };
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
