//! Combines several files into one table.

use super::{LoadedFile, Shared};
use gemmscope_model::hardware::short_name;
use gemmscope_table::dataset::{Dataset, TraceContext};
use gemmscope_table::kernel_target::kernel_targets;
use gemmscope_table::trace;

/// Gives a file a name that none of the others has: of two files with the same name, the second one gets its device,
/// `trace.json (MI300X)`, else a number.
pub fn tell_apart(data: &mut Dataset, others: &[LoadedFile]) {
    let taken =
        |name: &str| others.iter().flat_map(|f| &f.data.sources).any(|other| other.name == name);
    if !data.sources.iter().any(|s| taken(&s.name)) {
        return;
    }
    let used = data.devices_used();
    let device = match (used.iter().filter(|u| **u).count(), used.iter().position(|u| *u)) {
        (1, Some(0)) => kernel_targets(data).swap_remove(0),
        (1, Some(named)) => Some(short_name(&data.devices[named])),
        _ => None,
    };
    for source in &mut data.sources {
        let name = source.name.clone();
        let marks = device.clone().into_iter().chain((2..).map(|n: u32| n.to_string()));
        let marked = marks.map(|mark| format!("{name} ({mark})"));
        let mut names = std::iter::once(name.clone()).chain(marked);
        source.name = names.find(|name| !taken(name)).unwrap_or_default();
    }
}

/// Files whose rows repeat those of another one, by index.
pub(super) fn repeated(files: &[LoadedFile]) -> Vec<trace::Repeated> {
    match files {
        [] | [_] => Vec::new(),
        files => trace::repeated_rows(&files.iter().map(|f| &*f.data.0).collect::<Vec<_>>()),
    }
}

/// All rows of all files, except those that repeat another file. A single file is shared as it is; several are copied
/// into one table, and the contexts of trace reports are attached to their tables.
pub(super) fn unite(
    files: &[LoadedFile],
    repeated: &[trace::Repeated],
    contexts: &[TraceContext],
) -> Shared<Dataset> {
    let traced = files
        .iter()
        .flat_map(|f| &f.data.sources)
        .any(|s| contexts.iter().any(|c| trace::is_table_of(&s.format, c)));
    match files {
        [] => Shared::from(Dataset::new()),
        [one] if !traced => one.data.clone(),
        files => {
            let tables: Vec<&Dataset> = files.iter().map(|f| &*f.data.0).collect();
            let (mut all, _, lent) = trace::unite(&tables, repeated);
            for context in contexts.iter().filter(|_| traced) {
                trace::attach(&mut all, context);
            }
            lent.to(&mut all);
            Shared::from(all)
        }
    }
}
