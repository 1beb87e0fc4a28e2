//! What a trace report says around its GEMM table: the platform with its measured peaks, where
//! the rest of the time went, who called each operation, and the report's own verdicts.
//!
//! TraceLens spreads this over several small files. Each is read into a [`TraceContext`];
//! [`attach`] unites those that belong to one report and hangs them on the table they came with.

use crate::dataset::{ColumnData, Dataset};
use crate::hardware::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Key of the extra column that holds a row's operation id in its trace.
pub const UID_COLUMN: &str = "uid";

/// One report's surroundings; every part is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceContext {
    /// Files this was read from.
    pub files: Vec<String>,
    /// The tables it belongs to have a format that starts with this; "" is a trace report's.
    pub tables_of: String,
    /// What it says about the device, in a few words each.
    pub facts: Vec<String>,
    /// Platform as the report names it: `MI300X`.
    pub platform: String,
    /// Memory bandwidth that the report judges by, byte/s.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Peaks that the report judges by, FLOP/s, by its own key: `matrix_bf16`.
    pub achievable_flops_per_s: BTreeMap<String, f64>,
    /// Memory, bytes.
    pub memory_bytes: Option<f64>,
    /// The trace that was read.
    pub trace_path: String,
    /// The whole traced time with idle gaps, seconds.
    pub total_s: Option<f64>,
    /// Time in which the device computed, seconds.
    pub compute_s: Option<f64>,
    /// Time in which it only communicated, seconds.
    pub exposed_comm_s: Option<f64>,
    /// Time in which it only copied, seconds.
    pub exposed_memcpy_s: Option<f64>,
    /// Time in which it did nothing, seconds.
    pub idle_s: Option<f64>,
    /// Kernel time of the report's GEMM category, seconds.
    pub gemm_s: Option<f64>,
    /// Time the processor spent in the category's operations, seconds.
    pub cpu_s: Option<f64>,
    /// Time the processor waited for the device, seconds.
    pub sync_s: Option<f64>,
    /// Kernel time by category of operation.
    pub categories: Vec<CategoryTime>,
    /// Who called what, by operation id.
    pub calls: BTreeMap<u64, CallStack>,
    /// The report's own figures by operation, as printed.
    pub reported: Option<ReportedFigures>,
}

/// Kernel time of one category of operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CategoryTime {
    /// Key: `gemm`.
    pub name: String,
    /// Name for people.
    pub display_name: String,
    /// Kernel time, seconds.
    pub kernel_s: f64,
    /// Distinct operations.
    pub operations: u64,
}

/// Callers and callees of one operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallStack {
    /// The operation.
    pub operation: String,
    /// Callers, outermost first, as the report lists them.
    pub parents: Vec<String>,
    /// What runs under it: operations and kernels.
    pub subtree: Vec<String>,
    /// Its time where the report gives one, seconds.
    pub time_s: Option<f64>,
    /// The report marks it as a candidate for fusion.
    pub fusion_opportunity: bool,
    /// Remarks of the report.
    pub notes: String,
}

/// What the report itself computed; shown beside ours, never in its place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportedFigures {
    /// Kernel time of the category, seconds.
    pub total_s: Option<f64>,
    /// What it calls "percent of compute".
    pub percent_of_compute: Option<f64>,
    /// One entry an operation.
    pub operations: Vec<ReportedOperation>,
}

/// One operation of the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportedOperation {
    /// `aten::mm`.
    pub name: String,
    /// Operand shapes as printed.
    pub input_dims: String,
    /// Time, seconds.
    pub time_s: Option<f64>,
    /// Share of the category in percent.
    pub percent_of_category: Option<f64>,
    /// Share of the whole time in percent.
    pub percent_of_total: Option<f64>,
    /// Percentage of its roof.
    pub efficiency_percent: Option<f64>,
    /// Its estimate of what could be won, in percent of the whole time: low, mid, high.
    pub impact_percent: Option<(f64, f64, f64)>,
    /// Callers, from the module chain or call chain.
    pub callers: Vec<String>,
}

impl TraceContext {
    /// Takes over what `other` knows and this one does not.
    pub fn merge(&mut self, other: TraceContext) {
        self.files.extend(other.files);
        self.facts.extend(other.facts);
        take_text(&mut self.platform, other.platform);
        take_text(&mut self.trace_path, other.trace_path);
        for (mine, theirs) in [
            (&mut self.bandwidth_bytes_per_s, other.bandwidth_bytes_per_s),
            (&mut self.memory_bytes, other.memory_bytes),
            (&mut self.total_s, other.total_s),
            (&mut self.compute_s, other.compute_s),
            (&mut self.exposed_comm_s, other.exposed_comm_s),
            (&mut self.exposed_memcpy_s, other.exposed_memcpy_s),
            (&mut self.idle_s, other.idle_s),
            (&mut self.gemm_s, other.gemm_s),
            (&mut self.cpu_s, other.cpu_s),
            (&mut self.sync_s, other.sync_s),
        ] {
            *mine = mine.or(theirs);
        }
        for (key, value) in other.achievable_flops_per_s {
            self.achievable_flops_per_s.entry(key).or_insert(value);
        }
        if self.categories.is_empty() {
            self.categories = other.categories;
        }
        for (uid, stack) in other.calls {
            let mine = self.calls.entry(uid).or_default();
            if mine.parents.is_empty() && mine.subtree.is_empty() {
                *mine = stack;
            }
        }
        if self.reported.is_none() {
            self.reported = other.reported;
        }
    }

    /// The platform as a device with the report's own peaks as the achievable ones: what its
    /// percentages are of. `None` where the report does not say enough.
    pub fn device(&self) -> Option<Device> {
        let bandwidth = self.bandwidth_bytes_per_s?;
        if self.platform.is_empty() || self.achievable_flops_per_s.is_empty() {
            return None;
        }
        let peaks: BTreeMap<&str, f64> = self
            .achievable_flops_per_s
            .iter()
            .map(|(key, rate)| (key.as_str(), rate / 1e12))
            .collect();
        let mut platform = serde_json::json!({
            "name": self.platform,
            "mem_bw_gbps": bandwidth / 1e9,
            "max_achievable_tflops": peaks,
        });
        if let (Some(bytes), Some(object)) = (self.memory_bytes, platform.as_object_mut()) {
            object.insert("memory_gb".to_owned(), (bytes / 1e9).into());
        }
        let mut device = Device::from_json(&platform.to_string()).ok()?;
        // Rows find it by the name that the report uses.
        device.name.clone_from(&self.platform);
        Some(device)
    }

    /// The ceilings that were measured beside a profile (`roofline.csv`) as the device that this
    /// context names, which knows its compute units and caches. `None` where no such device is
    /// among these, or it has a name already.
    pub fn name_measured(&self, devices: &[Device]) -> Option<Device> {
        if self.tables_of.is_empty() || self.platform.is_empty() {
            return None;
        }
        let measured = devices
            .iter()
            .find(|d| d.source.starts_with(MEASURED) && d.name != self.platform)?;
        let known = crate::hardware::match_name(&self.platform).device();
        let named = known.cloned().unwrap_or_else(|| measured.clone());
        // Rows find it by the name that they state.
        Some(Device {
            id: measured.id.clone(),
            name: self.platform.clone(),
            aliases: Vec::new(),
            bandwidth_bytes_per_s: measured.bandwidth_bytes_per_s,
            peaks: measured.peaks.clone(),
            source: measured.source.clone(),
            ..named
        })
    }

    /// What it says, in a few words each.
    pub fn brings(&self) -> Vec<String> {
        let mut out = Vec::new();
        if !self.platform.is_empty() {
            out.push(match self.achievable_flops_per_s.len() {
                0 => self.platform.clone(),
                n => format!("{} with {n} peaks", self.platform),
            });
        }
        out.extend(self.facts.iter().cloned());
        if let Some(total) = self.total_s.or(self.compute_s) {
            out.push(format!("{} traced", crate::units::Seconds(total)));
        }
        for (n, one, many) in [
            (self.calls.len(), "call stack", "call stacks"),
            (self.categories.len(), "category", "categories"),
            (
                self.reported.as_ref().map_or(0, |r| r.operations.len()),
                "operation's own figures",
                "operations' own figures",
            ),
        ] {
            if n > 0 {
                out.push(format!("{n} {}", if n == 1 { one } else { many }));
            }
        }
        out
    }

    /// Time outside the GEMMs, seconds: the whole time where known, else the compute time, less
    /// `gemm_s`. What a what-if keeps as it is.
    pub fn other_s(&self, gemm_s: f64) -> Option<f64> {
        let whole = self.total_s.or(self.compute_s)?;
        Some((whole - gemm_s).max(0.0))
    }
}

fn take_text(mine: &mut String, theirs: String) {
    if mine.is_empty() {
        *mine = theirs;
    }
}

/// How the source of a device begins whose ceilings rocprof-compute measured.
pub const MEASURED: &str = "measured by rocprof-compute";

/// Where [`attach`] put a context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attached {
    /// Index into `Dataset::sources`; `None` where no table of a trace is loaded yet.
    pub source: Option<usize>,
    /// The report's platform with its own peaks, to be added to the user's devices.
    pub device: Option<Device>,
}

/// The folder of a report that a file lies in: the path without its name and without the
/// sub-folders that the tool itself makes. `""` for a file dropped alone.
pub fn report_folder(path: &str) -> &str {
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

/// Tables of one report that list the same operations, the most telling first.
const SAME_OPERATIONS: [&str; 6] = [
    "gemm_ops.csv",
    "unified_perf_summary.csv",
    "GEMM.csv",
    "ops_unique_args.csv",
    "ops_summary.csv",
    "kernel_summary.csv",
];

/// Of files that came together, those that list operations which a better table of the same
/// report lists already: index, and the reason with the other table's path. Read together they
/// would count every GEMM twice.
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
            // Two files of one name are two files: the user means both.
            (rank(path) != rank(paths[better])).then(|| {
                (
                    i,
                    format!("lists the operations of {} again", paths[better]),
                )
            })
        })
        .collect()
}

/// True where the context can belong to a table of this format.
pub fn is_table_of(format: &str, context: &TraceContext) -> bool {
    match context.tables_of.as_str() {
        "" => format.starts_with("tracelens"),
        tool => format.starts_with(tool),
    }
}

/// Hangs a context on the table it belongs to: the one from the same report folder, else the
/// last trace table. Its rows get the platform as their device where they state none.
///
/// Files may come in any order: where no table is loaded yet, `source` is `None` and the caller
/// keeps the context for the next one.
pub fn attach(data: &mut Dataset, context: &TraceContext) -> Attached {
    let device = context.device();
    let folder = context.files.first().map_or("", |f| report_folder(f));
    let tables = || {
        data.sources
            .iter()
            .enumerate()
            .filter(|(_, s)| is_table_of(&s.format, context))
    };
    let targets: Vec<usize> = {
        let same: Vec<usize> = tables()
            .filter(|(_, s)| report_folder(&s.name) == folder)
            .map(|(i, _)| i)
            .collect();
        if !same.is_empty() && !folder.is_empty() {
            same
        } else {
            same.last()
                .copied()
                .or(tables().next_back().map(|(i, _)| i))
                .into_iter()
                .collect()
        }
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

/// Writes the device into rows of one source that state none.
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

/// The call stack of a row: from the report's tree, else from the row's own call-stack column.
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
            operation: data.text(crate::dataset::Role::OpName, row).to_owned(),
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
    use crate::dataset::Source;

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
        // A file from elsewhere goes to the last table.
        assert_eq!(put(&mut data, "gemm_metadata.json"), Some(1));
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
