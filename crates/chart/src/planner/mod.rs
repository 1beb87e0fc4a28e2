//! The planner's tools beside the model: tiles, flat GEMM, launch order, fusion. Each is
//! a [`Chart`] that needs no rows, with the figures of what is chosen.

mod flat;
mod fusion;
mod grid;
mod order;
pub mod plan;
mod tile;

use crate::chart::{Chart, Picture, Said};
use gemmscope_analysis::planner::PlanState;
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware;
use gemmscope_model::hardware::{Device, short_name};
use gemmscope_model::tiling::Tile;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::field::Frame;
use gemmscope_table::view_state::ViewState;

/// What a tool is opened with.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Measured rows, to stand beside what is planned.
    pub frame: &'a Frame,
    /// The settings.
    pub state: &'a ViewState,
    /// The user's own devices.
    pub own: &'a [Device],
}

/// A kind of tool.
#[derive(Clone, Copy)]
pub struct ToolKind {
    /// Key in links.
    pub id: &'static str,
    /// Tab caption.
    pub name: &'static str,
    /// One sentence: which question it answers.
    pub hint: &'static str,
    /// Works out what is shown.
    pub open: fn(&Context<'_>) -> Chart,
}

impl std::fmt::Debug for ToolKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolKind").field("id", &self.id).finish()
    }
}

/// What a tool says of its settings.
trait Tool: Picture + Sized + 'static {
    fn title(&self) -> String;
    fn verdict(&self) -> Vec<String>;
    fn notes(&self) -> Vec<String>;
    fn figures(&self) -> Vec<(String, String, String)>;
    /// All of it, below the settings.
    fn all(self, controls: Vec<Control>) -> Chart {
        let said = Said {
            verdict: self.verdict(),
            notes: self.notes(),
            figures: self.figures(),
            ..Said::new(self.title(), None::<&str>, controls)
        };
        Chart::new(said, self)
    }
}

/// The tools, in the order of their tabs.
pub const TOOLS: &[ToolKind] = &[
    ToolKind {
        id: "tile",
        name: "Tile",
        hint: "What a tile takes on the chip, what overflows, and which tile leaves most of the roof",
        open: |c| tile::TileTool::open(c),
    },
    ToolKind {
        id: "flat",
        name: "Flat GEMM",
        hint: "Decode with few rows: how wide a tile may be before workgroups run out",
        open: |c| flat::FlatTool::open(c),
    },
    ToolKind {
        id: "order",
        name: "Launch order",
        hint: "Which tiles run together, and how much of A and B they touch",
        open: |c| order::OrderTool::open(c),
    },
    ToolKind {
        id: "fusion",
        name: "Fusion",
        hint: "What an epilogue inside the GEMM saves in traffic, time and rounding",
        open: |c| fusion::FusionTool::open(c),
    },
];

/// Opens the tools' sizes on a measured GEMM: its shape and format, the device it ran on, the tile
/// it used, and its warps and stages, as far as they are known.
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

fn types(state: &ViewState, key: &str, label: &str, hint: &str, default: DataType) -> Control {
    let options = TYPES.iter().map(|d| Choice::new(d.id(), d.name())).collect();
    Control::choice(state, key, label, hint, options, default.id())
}

fn whole(control: &Control) -> u32 {
    control.as_number() as u32
}

/// A shape, its format and a device: what most tools begin with.
struct Shape {
    controls: Vec<Control>,
    problem: Problem,
    device: Device,
}

const LARGEST: u32 = 1 << 24;

fn device_of(context: &Context<'_>) -> (Control, Device) {
    let known = hardware::known(context.own);
    let options = known.iter().map(|d| Choice::new(d.id.clone(), short_name(&d.name))).collect();
    // The first one of the plan, else the device that ran, else any: a tool computes for one from the start.
    let planned = PlanState::read(context.state).0.devices.into_iter().next();
    let ran = || context.frame.metrics.devices.iter().flatten().next().map(|d| d.id.clone());
    let default = &planned.or_else(ran).unwrap_or_else(|| "h100-sxm".to_owned());
    let control = Control::choice(context.state, "tool.device", "Device", "", options, default);
    let device = known.iter().find(|d| d.id == control.current).unwrap_or(&known[0]).clone();
    (control, device)
}

impl Shape {
    fn read(context: &Context<'_>) -> Self {
        let s = context.state;
        let size = |key, label, hint| Control::count(s, key, label, hint, (1, LARGEST), 4096);
        let m = size("tool.m", "M", "Rows of A and C: tokens.");
        let n = size("tool.n", "N", "Columns of B and C: outputs.");
        let k = size("tool.k", "K", "The summed size: inputs.");
        let dtype = types(s, "tool.type", "Type", "Format of A and B.", DataType::Fp16);
        let (choice, device) = device_of(context);
        let compute = DataType::by_id(&dtype.current).unwrap_or(DataType::Fp16);
        Shape {
            problem: Problem::new(whole(&m), whole(&n), whole(&k), compute),
            controls: vec![m, n, k, dtype, choice],
            device,
        }
    }
}

/// BM and BN, shared by the tools that have a tile.
fn tile_controls(state: &ViewState) -> (Vec<Control>, Tile) {
    let bm =
        Control::count(state, "tool.bm", "BM", "Rows of C a workgroup computes", (1, 4096), 256);
    let bn =
        Control::count(state, "tool.bn", "BN", "Columns of C a workgroup computes", (1, 4096), 128);
    let bk = Control::count(state, "tool.bk", "BK", "Steps of K at a time", (1, 4096), 64);
    let tile = Tile { m: whole(&bm), n: whole(&bn), k: Some(whole(&bk)) };
    (vec![bm, bn, bk], tile)
}

fn figure(
    label: &str,
    value: impl Into<String>,
    hint: impl Into<String>,
) -> (String, String, String) {
    (label.to_owned(), value.into(), hint.into())
}

#[cfg(test)]
mod tests;
