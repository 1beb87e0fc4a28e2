//! Columns of the table, their widths, and the sort order of its rows.

use crate::app::state::findings_task::IN_ONE_TASK;
use crate::app::state::{Shared, Workbench};
use gemmscope_analysis::ledger::LARGEST_LOSS;
use gemmscope_table::column_format;
use gemmscope_table::field::{Field, FieldInfo, FieldKind, Frame};
use leptos::prelude::*;
use std::sync::Arc;

/// Up to this many rows the default order is by lost time; sorting more would cause a delay.
const SORTED_UP_TO: usize = 200_000;
/// Default columns.
const DEFAULT: [Field; 10] = [
    Field::Shape,
    Field::Dtype,
    Field::Transposes,
    Field::Time,
    Field::Efficiency,
    Field::Lost,
    Field::Attained,
    Field::Ai,
    Field::Bandwidth,
    Field::Bound,
];
/// Keys in links.
const SORT_KEY: &str = "sort";
const COLUMNS_KEY: &str = "columns";
/// Value for file order.
const AS_FILED: &str = "file";

/// Columns of the table and order of its rows, according to the view state.
#[derive(Clone, Copy)]
pub struct TableColumns {
    bench: Workbench,
    /// All available columns.
    pub all: Memo<Vec<FieldInfo>>,
    /// The visible columns, left to right.
    pub shown: Memo<Vec<FieldInfo>>,
    /// Their widths, CSS pixels.
    pub widths: Memo<Vec<f64>>,
    /// The sort column, and whether it descends; `None` for file order.
    pub sort: Memo<Option<(Field, bool)>>,
    /// The rows in that order.
    pub rows: Memo<Shared<Vec<u32>>>,
}

impl TableColumns {
    /// Follows the view state and the filters.
    pub fn follow(bench: Workbench) -> TableColumns {
        let all = Memo::new(move |_| bench.settled_frame.with(|f| f.fields()));
        let shown = Memo::new(move |_| {
            let chosen = bench.view.with(|v| v.param(COLUMNS_KEY).map(str::to_owned));
            bench.settled_frame.with(|f| columns_of(&all.get(), chosen.as_deref(), f))
        });
        let widths = Memo::new(move |_| {
            let frame = bench.settled_frame.get();
            shown.with(|c| c.iter().map(|c| column_width(&frame, c)).collect::<Vec<f64>>())
        });
        // By default the largest loss comes first.
        let lost = Memo::new(move |_| {
            let short = |f: &Frame| f.rows.len() <= SORTED_UP_TO;
            let roof = |f: &Frame| f.metrics.devices.iter().any(Option::is_some);
            bench.settled_frame.with(|f| short(f) && roof(f))
        });
        let sort = Memo::new(move |_| {
            let unasked = lost.get().then_some((Field::Lost, true));
            bench.view.with(|v| match v.param(SORT_KEY) {
                None => unasked,
                Some(AS_FILED) => None,
                Some(text) => match text.strip_prefix('-') {
                    Some(name) => Some((Field::parse(name)?, true)),
                    None => Some((Field::parse(text)?, false)),
                },
            })
        });
        let rows = Memo::new(move |_| {
            let frame = bench.settled_frame.get();
            let sorted = sort.get().and_then(|(field, descending)| {
                let info = frame.info(&field)?;
                Some(Arc::new(column_format::sorted(&frame, &info, descending)))
            });
            Shared(sorted.unwrap_or_else(|| frame.rows.clone()))
        });
        TableColumns { bench, all, shown, widths, sort, rows }
    }

    /// Sorts by a column, reverses the order, or returns to file order. Numbers start with the largest, texts with A.
    pub fn sort_by(&self, info: &FieldInfo) {
        let (up, down) = (info.field.to_string(), format!("-{}", info.field));
        let down_first = info.kind == FieldKind::Number;
        let (first, second) = if down_first { (down, up) } else { (up, down) };
        self.sort_as(match self.sort.get_untracked() {
            Some((field, descends)) if field == info.field => match descends == down_first {
                true => second,
                false => AS_FILED.to_owned(),
            },
            _ => first,
        });
    }

    /// Sorts by a key of a link.
    pub fn sort_as(&self, key: String) {
        self.bench.edit(|v| v.set_param(SORT_KEY, key));
    }

    /// Adds a column at the end, or removes it.
    pub fn toggle(&self, field: &Field) {
        let mut shown: Vec<Field> =
            self.shown.with_untracked(|c| c.iter().map(|c| c.field.clone()).collect());
        match shown.iter().position(|f| f == field) {
            Some(i) => drop(shown.remove(i)),
            None => shown.push(field.clone()),
        }
        let text: Vec<String> = shown.iter().map(ToString::to_string).collect();
        self.bench.edit(|v| v.set_param(COLUMNS_KEY, text.join("\n")));
    }

    /// Index of a column from the left; 0 for one that is about to be removed.
    pub fn place(&self, field: &Field) -> usize {
        self.shown.with(|c| c.iter().position(|c| c.field == *field)).unwrap_or(0)
    }
}

fn columns_of(all: &[FieldInfo], chosen: Option<&str>, frame: &Frame) -> Vec<FieldInfo> {
    let files = frame.data.sources.len();
    let find = |f: &Field| all.iter().find(|i| i.field == *f).cloned();
    match chosen {
        Some(text) => text.split('\n').filter_map(Field::parse).filter_map(|f| find(&f)).collect(),
        None => {
            // First the file and what ran, then the figures; kernels have long names.
            let file = find(&Field::Source).filter(|_| files > 1);
            // If files are compared, each stands for its library.
            let of_files = frame.decision().side == Some(Field::Source);
            let names = all.iter().filter(|i| match &i.field {
                Field::Column(key) => match key.as_str() {
                    "library" => !of_files,
                    key => matches!(key, "model" | "op_name"),
                },
                _ => false,
            });
            // If rows have several calls, the total time is beside that of a call.
            let calls = all.iter().find(
                |i| matches!(&i.field, Field::Column(k) if matches!(k.as_str(), "count" | "calls")),
            );
            let names = file.into_iter().chain(names.cloned());
            let mut out: Vec<FieldInfo> = names.chain(DEFAULT.iter().filter_map(find)).collect();
            if let Some((calls, time)) = calls.zip(find(&Field::TotalTime)) {
                let at = out.iter().position(|i| i.field == Field::Time);
                let at = at.map_or(out.len(), |at| at + 1);
                out.splice(at..at, [calls.clone(), time]);
            }
            // The account that loses most. With very many rows it is only computed on demand.
            let few = frame.rows.len() <= IN_ONE_TASK;
            let column = |key: &str| find(&Field::Column(key.to_owned()));
            let behind = few.then(|| column(LARGEST_LOSS)).into_iter().chain([column("kernel")]);
            let lost = out.iter().position(|i| i.field == Field::Lost);
            let at = lost.map_or(out.len(), |at| at + 1);
            out.splice(at..at, behind.flatten());
            out
        }
    }
}

/// Widths of a digit, of a letter in a name and in a title, CSS pixels.
const DIGIT: f64 = 7.2;
const LETTER: f64 = 7.8;
const TITLE: f64 = 6.6;

/// Width of a column, CSS pixels: fits the title or the longest text, within limits. Only the first thousand texts are
/// measured.
fn column_width(frame: &Frame, info: &FieldInfo) -> f64 {
    let title = column_format::heading(info).chars().count() + 3;
    let longest = match (&info.kind, &info.field) {
        (_, Field::Shape) => 22.0 * DIGIT,
        // `1307.4 TFLOP/s`, `110.6 µs`, `4096`.
        (FieldKind::Number, _) => match info.unit.as_str() {
            "FLOP/s" => 14.0 * LETTER,
            "" => 8.0 * DIGIT,
            _ => 10.0 * DIGIT,
        },
        (FieldKind::Category, field) => {
            let values = frame.categories(field).values;
            let lengths = values.iter().take(1000).map(|v| v.chars().count());
            lengths.max().unwrap_or(0) as f64 * LETTER
        }
    };
    (longest.max(title as f64 * TITLE) + 25.0).clamp(64.0, 220.0)
}
