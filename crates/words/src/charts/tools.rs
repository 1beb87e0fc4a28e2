//! What the planner's tools say: of a tile, of the order of tiles, of a flat GEMM, of fused steps.

use gemmscope_analysis::planner::fusion::Run;
use gemmscope_model::dtype::DataType;
use gemmscope_model::tiling::explore::Evaluation;
use gemmscope_model::tiling::{OccupancyLimit, Overflow};
use gemmscope_model::units::{Bytes, BytesPerSec, FlopsPerSec, plural, short_percent};
use gemmscope_table::field::Frame;

/// Settings of cells where the chosen ones do not fit.
pub const FITTED: &str =
    "Where the chosen stages or warps do not fit, a cell has fewer stages or other warps.";
/// The flat GEMM's model and where it is from.
pub const FLAT_MODEL: &str = "Model of FlashDecoding++ (Hong et al., MLSys 2024, section 4): ratio 2 M K / (K + M K / BN + M) FLOP per element moved; N / BN independent workgroups. It takes the widest BN up to 128 that still gives the workgroups needed, else the narrowest.";
/// Where no sweep of tile widths is open.
pub const NO_WIDTHS: &str =
    "Open a file with several tile widths a shape to see measurements beside the model.";
/// What a step after a GEMM moves, by itself and fused.
pub const STEP_TRAFFIC: &str = "A separate step reads C and writes D (2 M N × size) and reads its own operand (a residual: M N × size). Fused, only the operand remains.";
/// Devices of several dies.
pub const TILES_PER_DIE: &str = "A kernel that gives each die neighbouring tiles (it maps the workgroup numbers anew) reads less.";

/// What a row measured: `Ran as chosen: 612 TFLOP/s, 62 % of the device's roof (bench.csv:7).`
pub fn ran_as_chosen(frame: &Frame, row: usize) -> String {
    let data = &*frame.data;
    let source = usize::from(data.source[row]);
    let file = data.sources.get(source).map_or("", |s| s.name.as_str());
    let efficiency = frame.metrics.efficiency(data, row);
    let share = match efficiency.is_nan() {
        true => String::new(),
        false => format!(", {} of the device's roof", short_percent(efficiency)),
    };
    format!(
        "Ran as chosen: {}{share} ({file}:{}).",
        FlopsPerSec(frame.metrics.rate(data, row)),
        data.line[row]
    )
}

/// Why a setting does not run. A measured row beats the model.
pub fn does_not_run(overflow: &Overflow, was_measured: bool) -> String {
    let says = match was_measured {
        true => "The model says it does not run",
        false => "Does not run as chosen",
    };
    format!("{says}: {}.", overflow.sentence())
}

/// How many workgroups a unit takes and what tile and waves leave of the roof; nothing where it does not run.
pub fn occupancy(e: &Evaluation, unit_kind: &str) -> Option<String> {
    let o = e.occupancy.filter(|_| e.overflows.is_empty())?;
    let share = e.roof.map_or_else(String::new, |r| {
        let share = r.flops_per_s / r.device_flops_per_s;
        format!("; tile and waves allow {} of the roof", short_percent(share))
    });
    Some(format!(
        "{} per {unit_kind} at most, limited by {}{share}.",
        plural(o.blocks.into(), "workgroup"),
        limit(o.limited_by)
    ))
}

/// What limits how many workgroups a unit takes.
pub fn limit(limit: OccupancyLimit) -> &'static str {
    match limit {
        OccupancyLimit::SharedMemory => "shared memory",
        OccupancyLimit::Registers => "registers",
        OccupancyLimit::Threads => "threads",
    }
}

/// The setting that the map marks.
pub fn best_setting(best: &Evaluation, unit_kind: &str) -> String {
    let s = &best.setting;
    format!(
        "Best: {}, {}, {}, split-K {}: least L2 traffic to the {unit_kind}s among those within 10 % of the highest shape roof.",
        s.tile,
        plural(s.stages.into(), "stage"),
        plural(s.warps.into(), "warp"),
        s.split_k,
    )
}

/// The formula of a map's cells; `l2` is the bandwidth of L2 in byte/s, with its source.
pub fn shape_roof(unit_kind: &str, l2: f64, source: Option<&str>) -> String {
    let source = source.map_or_else(String::new, |of| format!(" ({of})"));
    format!(
        "Shape roof: min(peak × tile efficiency × wave efficiency, AI × bandwidth, work / traffic × {} of L2{source}), one workgroup per {unit_kind}. Registers: accumulator only.",
        BytesPerSec(l2)
    )
}

/// Why there is no map of tiles.
pub fn no_l2(device: &str) -> String {
    format!(
        "No map of tiles: no source states the L2 bandwidth of the {device}, and what a tile takes from L2 is what tells tiles apart. The A100, V100 and MI300 series have one."
    )
}

/// What a loaded tile is, and what the first `programs` workgroups touch.
pub fn loaded_tile(programs: u32, k_blocks: u64) -> String {
    format!(
        "A loaded tile is BM × BK of A or BK × BN of B; the first {programs} workgroups touch whole panels of {k_blocks} tiles."
    )
}

/// Bytes of A and B that the workgroups in flight touch, in an order by groups of so many rows of tiles.
pub struct WorkingSet {
    /// Rows of tiles of a group.
    pub group: u32,
    /// Bytes of A and B.
    pub bytes: f64,
}

/// Working sets against L2 (bytes, over `dies` dies): row by row, in the chosen groups, in the best groups.
pub fn working_sets(l2: f64, dies: u32, [row, own, best]: [&WorkingSet; 3]) -> String {
    let set = |s: &WorkingSet| {
        (Bytes(s.bytes).to_iec(), if s.bytes <= l2 { "fits" } else { "does not fit" })
    };
    let [(row, row_fits), (own_set, own_fits), (least, least_fits)] = [row, own, best].map(set);
    let each = match dies {
        1 => String::new(),
        n => format!(
            " ({} on each of {n} dies, which take the workgroups in turn and read each their own copy)",
            Bytes(l2 / f64::from(n)).to_iec()
        ),
    };
    format!(
        "Working set against the {} of L2{each}: {row} row by row ({row_fits}), {own_set} in groups of {} ({own_fits}), {least} in the best groups, of {} ({least_fits}).",
        Bytes(l2).to_iec(),
        own.group,
        best.group,
    )
}

/// More tiles than are drawn.
pub fn first_tiles((rows, columns): (u32, u32), drawn: u32) -> String {
    format!("{rows} × {columns} tiles, the first {drawn} each way shown; figures are of all.")
}

/// What groups of tiles load against row by row (tiles of A and B), and the group size that touches fewest bytes.
pub fn grouped_loads(
    own: &WorkingSet,
    programs: u32,
    (row, grouped): (u64, u64),
    best: Option<&WorkingSet>,
) -> String {
    let share = 100.0 * (1.0 - grouped as f64 / row.max(1) as f64);
    let change = if grouped < row {
        format!("{share:.0} % fewer tiles of A and B than")
    } else if grouped > row {
        format!("{:.0} % more tiles of A and B than", -share)
    } else {
        "as many tiles of A and B as".to_owned()
    };
    let best = best.map_or_else(String::new, |b| match b.bytes < own.bytes {
        true => format!(
            " Groups of {} touch the fewest bytes of A and B: {}.",
            b.group,
            Bytes(b.bytes).to_iec()
        ),
        false => " No other group size touches fewer bytes of A and B.".to_owned(),
    });
    format!(
        "In groups of {} the first {programs} workgroups load {change} row by row: {grouped} against {row}.{best}",
        own.group
    )
}

/// When a flat GEMM is bound by parallelism: fewer than `needed` workgroups for so many units.
pub fn parallelism_bound(needed: u32, units: u32, unit_kind: &str) -> String {
    format!(
        "Fewer than {needed} workgroups for {units} {unit_kind}s: parallelism-bound. Otherwise memory-bound, where a wider tile reads A less often."
    )
}

/// A list of sizes that cannot be read, in place of which the default is shown.
pub fn shown_for(label: &str, default: &str, why: &str) -> String {
    format!("{label} is shown for {default}: {why}.")
}

/// Traffic, and the time at the roof where there is one, fused against separate.
pub fn fused_saves(separate: &Run, fused: &Run, has_roof: bool) -> String {
    let time = match has_roof {
        true => format!(", and at the roof it takes {} instead of {}", fused.time, separate.time),
        false => String::new(),
    };
    format!("Fused, {} move instead of {}{time}.", fused.bytes, separate.bytes)
}

/// How often C (of type `c`) is rounded, fused against separate.
pub fn roundings(c: DataType, compute: DataType, separate: &Run, fused: &Run) -> String {
    let gone = separate.roundings - fused.roundings;
    format!(
        "Fused, C is rounded to {c} once instead of {} times ({} fewer); the steps see the {} accumulator. Results differ in the last digits and are more exact.",
        separate.roundings,
        plural(gone.into(), "rounding"),
        compute.default_accumulate(),
    )
}
