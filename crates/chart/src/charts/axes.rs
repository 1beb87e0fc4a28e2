//! Default axes of a chart: those that show most of the data.

use crate::aggregate::distinct;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::{Field, Frame};

/// Sizes that can be the X axis of lines.
pub(super) const SIZES: [Field; 4] = [Field::M, Field::N, Field::K, Field::Batch];
/// Candidate default axes of a map (columns, rows), the most informative first.
const AXES: [(&str, &str); 4] = [("k", "mxn"), ("n", "m"), ("k", "m"), ("k", "n")];
/// A map counts as filled if at least this share of its cells has data.
const FILLED: f64 = 0.3;
/// Rows sampled to choose the axes.
const LOOKED_AT: usize = 20_000;

/// The size with the most distinct values; on a tie the first.
pub(super) fn size(frame: &Frame) -> Field {
    let values = |field: &Field| {
        let get = frame.numbers(field);
        distinct(frame.rows.iter().map(|r| get(*r as usize) as u32)).len()
    };
    let most = SIZES.iter().rev().max_by_key(|f| values(f));
    most.cloned().unwrap_or(Field::M)
}

/// Columns and rows of a map. For a sweep that states tiles: the tile, since variants differ in it. Otherwise the axes
/// that fill the map, the kernel field among them.
pub(super) fn map(frame: &Frame, kernel: Option<&str>) -> [String; 2] {
    let key = |meaning| {
        let column = frame.data.column(meaning)?;
        Some(Field::Column(column.key.clone()).to_string())
    };
    match (frame.kind(), key(ColumnMeaning::TileN), key(ColumnMeaning::TileM)) {
        (DataKind::Sweep, Some(n), Some(m)) => [n, m],
        _ => filled(frame, kernel),
    }
}

/// The first axes whose map is filled, else the ones with the fewest blank cells. Kernels are the rows if they fill a
/// map.
fn filled(frame: &Frame, kernel: Option<&str>) -> [String; 2] {
    let data = &*frame.data;
    let kernels = data.codes(ColumnMeaning::Kernel);
    let step = frame.rows.len() / LOOKED_AT + 1;
    let value = |axis: &str, row: usize| {
        let [m, n, k] = [data.m[row], data.n[row], data.k[row]].map(u64::from);
        match axis {
            "m" => m,
            "n" => n,
            "k" => k,
            "mxn" => m << 32 | n,
            _ => kernels.map_or(0, |codes| u64::from(codes[row])),
        }
    };
    let share = |&(x, y): &(&str, &str)| {
        let rows = frame.rows.iter().step_by(step).map(|r| *r as usize);
        let mut cells: Vec<_> = rows.map(|r| (value(x, r), value(y, r))).collect();
        cells.sort();
        cells.dedup();
        let columns = cells.chunk_by(|a, b| a.0 == b.0).count();
        let mut rows: Vec<u64> = cells.iter().map(|c| c.1).collect();
        rows.sort();
        rows.dedup();
        cells.len() as f64 / (columns as f64 * rows.len() as f64)
    };
    if let Some(kernel) = kernel
        && share(&("k", "kernel")) >= FILLED
    {
        return ["k".to_owned(), kernel.to_owned()];
    }
    let shares = AXES.map(|axes| share(&axes));
    let most = shares.iter().copied().fold(0.0, f64::max);
    let enough = most.min(FILLED);
    let found = AXES.iter().zip(shares).find(|(_, s)| *s >= enough);
    let (x, y) = found.map_or(AXES[0], |(axes, _)| *axes);
    [x, y].map(str::to_owned)
}
