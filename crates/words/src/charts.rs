//! Texts beside pictures: obstacles, titles and notes. Names of axes, marks and settings, and titles made of these, are
//! in the chart crate.
//!
//! Rates and shares are passed as text if they must have as many digits as the marks.

pub mod plan;
pub mod roofline;
pub mod tools;

use gemmscope_analysis::compare::Comparison;
use gemmscope_model::units::{grouped, plural, seconds_brief};
use gemmscope_table::field::Frame;

/// No row has a roof.
pub const NO_ROOF: &str = "No roof: choose a device.";
/// No row has a time.
pub const NO_TIME: &str = "No row here has a time.";
/// Every row is at its roof.
pub const NOTHING_LOST: &str = "No time lost: every GEMM is at its roof.";
/// No column orders the rows.
pub const NO_HISTORY: &str =
    "No tuning history: no column is a generation, iteration, step or trial.";
/// The rows do not differ in anything to compare.
pub const NOTHING_TO_COMPARE: &str = "Nothing to compare: add a second file with the same GEMMs, or open \
     one with a column of libraries, devices, kernels or commits.";
/// The rows are a sweep.
pub const SWEEP_IS_NO_COMPARISON: &str = "These rows are variants of a sweep, not sides: Sweep shows which is fastest. To compare \
     two of them, choose the column that names them under Sides.";
/// No mark has a position.
pub const NO_PLACE: &str = "No row has a value on these axes: choose others.";
/// No mark has a figure.
pub const NO_FIGURE: &str = "No row has this figure. % of roof needs a time and a device.";
/// Meaning of a bar's tick.
pub const ROOF_TICK: &str = "The tick marks the roof.";
/// Meaning of the parts of a box.
pub const BOX_PARTS: &str = "Box: middle half. Line: median. Whiskers: 5th to 95th percentile.";
/// Scope of a box whose points are coloured.
pub const BOX_OF_ALL: &str = "A box is of all its points, whatever their colour.";
/// Note on marks whose rows are of several shapes.
pub fn of_shapes(marks: &str, most: usize) -> String {
    format!(
        "Up to {} shapes share one of the {marks}, and their figures differ: filter to one shape to compare {marks}.",
        grouped(most as u64)
    )
}

/// Note on axes of numbers with many values.
pub const BINNED: &str = "Numbers are binned.";

/// Why there is nothing to draw, in any view; `None` if there are rows.
pub fn nothing(frame: &Frame) -> Option<&'static str> {
    if frame.data.is_empty() {
        Some(match frame.data.sources.is_empty() {
            true => "No GEMMs yet: open a file.",
            false => "No usable rows in what is open.",
        })
    } else if frame.rows.is_empty() {
        Some("No row passes the filters.")
    } else {
        None
    }
}

/// A search without a match.
pub fn no_name(text: &str) -> String {
    format!("No name contains {text:?}.")
}

/// Number of marks that aggregate several GEMMs: `3 of 12 cells show the median of several GEMMs.`
pub fn several(several: usize, all: usize, marks: &str, statistic: &str) -> String {
    format!("{several} of {all} {marks} show the {statistic} of several rows.")
}

/// Rows without a mark.
pub fn not_shown(rows: usize, searched: bool) -> String {
    let searched = if searched { ", or not searched for" } else { "" };
    format!("{} not shown: no value on an axis{searched}.", plural(rows as u64, "row"))
}

/// Rows of a side that do not count.
pub fn not_counted(rows: u64, side: &str) -> String {
    let rows = plural(rows, "row");
    format!(
        "{rows} of {side} not shown: of each GEMM its fastest kernel counts, of repeats the middle one."
    )
}

/// Bars that are above their roof.
pub fn bars_above(bars: u64, mark: &str) -> String {
    format!("{} above the roof: tick in orange.", plural(bars, mark))
}

/// Cells above the roof.
pub fn cells_above(cells: u64) -> String {
    format!("{} above the roof: framed.", plural(cells, "cell"))
}

/// A map with too many cells.
pub fn too_many_cells(columns: usize, rows: usize) -> String {
    format!("{columns} × {rows} cells are too many: choose an axis with fewer values, or filter.")
}

/// The lowest and the highest median, each with its name.
pub fn medians(what: &str, [least, most]: [&str; 2]) -> String {
    format!("Median {what}: {least} to {most}.")
}

/// Boxes that show only a part of their points.
pub fn points_a_box(most: usize) -> String {
    format!("At most {most} points a box shown.")
}

/// How few bars hold most of the lost time.
pub fn few_hold_most(few: usize, all: usize, lost_s: f64) -> String {
    format!("{few} of {all} bars hold 80 % of {}.", seconds_brief(lost_s))
}

/// Time of rows without a roof.
pub fn without_roof(time_s: f64) -> String {
    format!("{} without a known roof.", seconds_brief(time_s))
}

/// The same side was chosen twice.
pub fn same_sides(name: &str) -> String {
    format!("Both sides are {name}: choose another.")
}

/// The GEMMs shared by two sides have no roof.
pub fn no_roof_to_compare((a, b): (&str, &str), shared: u64) -> String {
    format!(
        "{a} and {b} share {}, but a roof is not known: choose the devices, or measure the \
         attained rate.",
        plural(shared, "GEMM")
    )
}

/// Two sides without a GEMM in common under the keys of the comparison.
pub fn nothing_shared(frame: &Frame, comparison: &Comparison) -> String {
    let keys = comparison.setup.keys.iter().filter_map(|k| frame.info(k));
    let keys: Vec<String> = keys.map(|i| i.label.to_lowercase()).collect();
    let keys = match keys.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => keys.concat(),
    };
    format!(
        "The two sides share no GEMM: no two of their rows agree in {keys}. Add a file that measures the same \
         GEMMs, choose other sides, or match by less (More, Match by)."
    )
}

/// GEMMs that are not compared by their roof.
pub fn left_out(gemms: u64) -> String {
    format!("{} left out: no known roof.", plural(gemms, "GEMM"))
}

/// Lines of a history that are not drawn.
pub fn left_out_lines(gemms: usize) -> String {
    format!("{} not drawn: those that changed come first.", plural(gemms as u64, "GEMM"))
}

/// No shape has two sides.
pub fn no_shared_shape(sides: &[String]) -> String {
    format!("No shape was run by more than one of {}.", sides.join(", "))
}

/// A map of a type, layout or size without measurements.
pub fn nothing_measured(what: &str) -> String {
    format!("Nothing measured {what}.")
}

/// Number of cells in which each side is fastest: `Fastest at K = 4096: rocBLAS in 3, tie in 1 of 4 cells.`
pub fn fastest_in(what: &str, parts: &[String], cells: u64) -> String {
    format!("Fastest {what}: {} of {}.", parts.join(", "), plural(cells, "cell"))
}

/// The side with most wins of a cell, and its lead where it wins: `x wins most, there by 1.30x`.
pub fn wins_most(side: &str, lead: &str) -> String {
    format!("{side} wins most, there by {lead}")
}

/// GEMMs on a map, and the result of joining all of them.
pub fn part_of_map(shown: usize, all: usize, join: &str) -> [String; 2] {
    let (shown, all) = (grouped(shown as u64), plural(all as u64, "GEMM"));
    [
        format!("{shown} of {all} that two or more sides have are in this map."),
        format!("Of all types, layouts and sizes: {join}"),
    ]
}
