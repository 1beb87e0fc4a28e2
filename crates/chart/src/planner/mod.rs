//! The planner's charts. Those of a model: its step as bars, its step time over the batch, its GEMMs on the roofline.
//! The tools beside it: tiles, flat GEMM, launch order, fusion, what others have published. Each is a chart that needs
//! no rows, with the figures of what is chosen; measured rows stand beside what is planned.

pub mod device_colors;
mod flat;
mod fusion;
mod grid;
mod order;
pub mod over_batch;
pub mod plan;
pub mod published;
pub mod step_bars;
mod tile;

use crate::charts::{ChartKind, Inputs};
use gemmscope_analysis::planner::PlanState;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::{self, Device, short_name};
use gemmscope_model::tiling::Tile;
use gemmscope_model::units::Bytes;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::field::Field;
use gemmscope_table::view_state::ViewState;

/// The tools, in the order of their tabs.
pub const TOOLS: &[ChartKind] = &[
    ChartKind {
        id: "tile",
        name: "Tile",
        hint: "What a tile takes on the chip, what overflows, and which tile leaves most of the roof",
        open: tile::TileTool::open,
        ..ChartKind::PLAIN
    },
    ChartKind {
        id: "flat",
        name: "Flat GEMM",
        hint: "Decode with few rows: how wide a tile may be before workgroups run out",
        open: flat::FlatTool::open,
        ..ChartKind::PLAIN
    },
    ChartKind {
        id: "order",
        name: "Launch order",
        hint: "Which tiles run together, and how much of A and B they touch",
        open: order::OrderTool::open,
        ..ChartKind::PLAIN
    },
    ChartKind {
        id: "fusion",
        name: "Fusion",
        hint: "What an epilogue inside the GEMM saves in traffic, time and rounding",
        open: fusion::FusionTool::open,
        ..ChartKind::PLAIN
    },
    ChartKind {
        id: published::ID,
        name: "Others reach",
        hint: "What others have published of a device, and what that says of a GEMM; needs no file",
        open: published::PublishedTool::open,
        ..ChartKind::PLAIN
    },
];

/// Sets the tools to a measured GEMM: its shape and types, its device, and its tile, warps and stages as far as known.
pub fn take_shape(
    state: &mut ViewState,
    p: &Problem,
    device: Option<&str>,
    tile: Option<Tile>,
    (warps, stages): (Option<u32>, Option<u32>),
) {
    let mut set = |key: &str, value: String| state.set_param(key, value);
    set("tool.m", p.m.to_string());
    set("tool.n", p.n.to_string());
    set("tool.k", p.k.to_string());
    if TYPES.contains(&p.op.compute) {
        set("tool.type", p.op.compute.id().to_owned());
    }
    if let Some(id) = device {
        set("tool.device", id.to_owned());
    }
    if let Some(tile) = tile {
        set("tool.bm", tile.m.to_string());
        set("tool.bn", tile.n.to_string());
        let depth = tile.k.map_or_else(String::new, |k| k.to_string());
        set("tool.bk", depth);
        let count = |v: Option<u32>| v.map_or_else(String::new, |v| v.to_string());
        set("tool.warps", count(warps));
        set("tool.stages", count(stages));
    }
}

/// Formats that the tools offer.
const TYPES: [DataType; 9] = {
    use DataType::*;
    [Fp16, Bf16, Fp8E4m3, Int8, Tf32, Fp32, Fp64, MxFp8, MxFp4]
};

/// A whole number from 1.
fn count(
    state: &ViewState,
    (key, label, hint): (&str, &str, &str),
    most: u32,
    default: u32,
) -> Control {
    Control::count(state, key, label, hint, (1, most), default)
}

fn whole(control: &Control) -> u32 {
    control.as_number() as u32
}

/// Shape, types and device: the first settings of most tools.
struct Shape {
    problem: Problem,
    device: Device,
}

const LARGEST: u32 = 1 << 24;

/// Device of a tool where neither plan nor data have one.
const USUAL: &str = "h100-sxm";

/// The chosen device, else the planned one, that of the data, or `usual`.
fn device_of(inputs: &Inputs<'_>, usual: &str) -> (Control, Device) {
    let known = hardware::known(inputs.own);
    let options = known.iter().map(|d| Choice::new(d.id.clone(), short_name(&d.name))).collect();
    // The first device of the plan, else the first one of the data, else any: a tool computes from the start.
    let planned = PlanState::read(inputs.state).0.devices.into_iter().next();
    let ran = || inputs.frame.metrics.devices.iter().flatten().next().map(|d| d.id.clone());
    let default = &planned.or_else(ran).unwrap_or_else(|| usual.to_owned());
    let control = Control::choice(inputs.state, "tool.device", "Device", "", options, default);
    // A device of the data also has the best rates measured on it.
    let mut all = inputs.frame.metrics.devices.iter().flatten().chain(&known);
    let device = all.find(|d| d.id == control.current).unwrap_or(&known[0]).clone();
    (control, device)
}

/// M, N and K.
fn sizes(state: &ViewState) -> [Control; 3] {
    let size = |key, label, field: Field| count(state, (key, label, field.hint()), LARGEST, 4096);
    [("tool.m", "M", Field::M), ("tool.n", "N", Field::N), ("tool.k", "K", Field::K)]
        .map(|(key, label, field)| size(key, label, field))
}

impl Shape {
    fn read(inputs: &Inputs<'_>, usual: &str) -> (Self, Vec<Control>) {
        let s = inputs.state;
        let [m, n, k] = sizes(s);
        let default = DataType::Fp16;
        let types = TYPES.iter().map(|d| Choice::new(d.id(), d.name())).collect();
        let dtype = Control::choice(s, "tool.type", "Type", "", types, default.id());
        let (choice, device) = device_of(inputs, usual);
        let compute = DataType::by_id(&dtype.current).unwrap_or(default);
        let problem = Problem::new(whole(&m), whole(&n), whole(&k), compute);
        (Shape { problem, device }, vec![m, n, k, dtype, choice])
    }
}

/// BM and BN, shared by the tools that have a tile.
fn tile_controls(state: &ViewState) -> (Vec<Control>, Tile) {
    let bm = count(state, ("tool.bm", "BM", "Rows of C a workgroup computes"), 4096, 256);
    let bn = count(state, ("tool.bn", "BN", "Columns of C a workgroup computes"), 4096, 128);
    let bk = count(state, ("tool.bk", "BK", "Steps of K at a time"), 4096, 64);
    let tile = Tile { m: whole(&bm), n: whole(&bn), k: Some(whole(&bk)) };
    (vec![bm, bn, bk], tile)
}

/// Caption, value, and a sentence that may be empty.
type Figure = (String, String, String);

fn figure(label: &str, value: impl Into<String>, hint: impl Into<String>) -> Figure {
    (label.to_owned(), value.into(), hint.into())
}

/// Bytes in KiB, MiB and so on.
fn iec(bytes: f64) -> String {
    Bytes(bytes).to_iec()
}

#[cfg(test)]
mod tests;
