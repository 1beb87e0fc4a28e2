//! The flat GEMM's model as a map of BN and N, and a measured sweep beside it.

use super::grid;
use super::{Figure, LARGEST, USUAL, count, device_of, figure, whole};
use crate::aggregate::distinct;
use crate::cells::{CellMark, Cells};
use crate::chart::{Chart, Heights, Picture, RenderOptions};
use crate::charts::Inputs;
use crate::color_scale::shown;
use crate::columns::Columns;
use crate::labels::Rect;
use crate::legend;
use crate::palette::Theme;
use crate::scale::ScaleKind;
use crate::scene::Scene;
use crate::tile_marks::{Measured, OUTLINE, REGIONS, Tick, limit, region_entries, regions};
use crate::tooltip::Tooltip;
use gemmscope_analysis::tile_sweep::{Cell, Panel, Sweep};
use gemmscope_model::hardware::Device;
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::flat::{self, Region};
use gemmscope_model::units::{expected_in, format_short};
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::result_table::ResultTable;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::charts::tools;

/// The values of K in the paper's figure, a panel for each.
const DEPTHS: &str = "4096, 12288";
/// Values of BN, the columns.
const BLOCKS: &str = "32, 64, 128, 256, 512";
/// Values of N, the rows, growing downwards.
const ROWS: &str = "1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144";
/// Maximum number of panels, columns and rows: more do not fit on a screen.
const MOST: [usize; 3] = [2, 12, 24];

/// A setting that is a list of sizes, and its values, sorted and distinct. If the typed text is invalid, the default is
/// used and the reason is appended to the flaws.
fn sizes(
    state: &ViewState,
    (key, label, hint): (&str, &str, &str),
    (default, most): (&str, usize),
    flaws: &mut Vec<String>,
) -> (Control, Vec<u32>) {
    let mut control = Control::text(state, key, label, hint);
    control.default = default.to_owned();
    if control.current.trim().is_empty() {
        control.current = default.to_owned();
    }
    let values = parse(&control.current, most).unwrap_or_else(|why| {
        flaws.push(tools::shown_for(label, default, &why));
        parse(default, most).unwrap_or_default()
    });
    (control, values)
}

/// Whole numbers between commas or blanks.
fn parse(text: &str, most: usize) -> Result<Vec<u32>, String> {
    let mut values = Vec::new();
    let words = text.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
    for word in words.filter(|w| !w.is_empty()) {
        match word.parse::<u32>() {
            Ok(v) if (1..=LARGEST).contains(&v) => values.push(v),
            _ => return Err(expected_in(true, 1, LARGEST, word)),
        }
    }
    let values = distinct(values.into_iter());
    match values.len() {
        0 => Err("the list is empty".to_owned()),
        n if n > most => Err(format!("at most {most} values have room, not {n}")),
        _ => Ok(values),
    }
}

/// An opened map.
pub(super) struct FlatTool {
    m: u32,
    depths: Vec<u32>,
    blocks: Vec<u32>,
    rows: Vec<u32>,
    flaws: Vec<String>,
    units: u32,
    device: Device,
    by_ratio: bool,
    measured: Vec<Panel>,
}

impl FlatTool {
    pub(super) fn open(inputs: &Inputs<'_>) -> Chart {
        let s = inputs.state;
        let m = ("flat.m", "M", "Rows of A: the batch of a decode step; not tiled");
        let m = count(s, m, 4096, 8);
        let k = ("flat.k", "K", "The summed size: one or two, a map each");
        let mut flaws = Vec::new();
        let (k, depths) = sizes(s, k, (DEPTHS, MOST[0]), &mut flaws);
        let blocks = ("flat.bn", "BN", "Tile widths");
        let (bn, blocks) = sizes(s, blocks, (BLOCKS, MOST[1]), &mut flaws);
        let rows = ("flat.n", "N", "Widths of the result");
        let (n, rows) = sizes(s, rows, (ROWS, MOST[2]), &mut flaws);
        let (device_control, device) = device_of(inputs, USUAL);
        let hint =
            "Workgroups that keep the device busy: as many as its compute units, or twice as many";
        let units = ("flat.units", "Workgroups needed", hint);
        let units = count(s, units, 65536, device.units.unwrap_or(108));
        let by = Choice::list(&[("parallelism", "parallelism"), ("ratio", "FLOP/element")]);
        let hint = "Workgroups fall with BN, FLOP per element rises";
        let by = Control::choice(s, "flat.by", "Colour", hint, by, "parallelism");
        // For each K the measured panel, of this M if there is one; else the first panel.
        let panels = Sweep::new(inputs.frame, Some(Axis::Bn))
            .ok()
            .filter(|sweep| sweep.axis == Axis::Bn)
            .map_or_else(Vec::new, |sweep| sweep.panels);
        let fits = |p: &Panel, k: u32, all: bool| {
            p.lines.iter().any(|l| l.problem.k == k && (!all || l.problem.m == whole(&m)))
        };
        let of = |&k: &u32| {
            let exact = panels.iter().find(|p| fits(p, k, true));
            exact.or_else(|| panels.iter().find(|p| fits(p, k, false)))
        };
        let mut measured: Vec<Panel> = depths.iter().filter_map(of).cloned().collect();
        measured.dedup();
        if measured.is_empty() {
            measured.extend(panels.first().cloned());
        }
        let out = FlatTool {
            m: whole(&m),
            depths,
            blocks,
            rows,
            flaws,
            units: whole(&units),
            device,
            by_ratio: by.current == "ratio",
            measured,
        };
        let controls = vec![m, k, n, bn, device_control, units, by];
        Chart::of(out, controls)
    }

    fn share(&self, k: u32, n: u32, block: u32) -> f64 {
        let ends = |v: &[u32]| Some((*v.first()?, *v.last()?));
        let (Some((narrow, wide)), Some((few, many))) = (ends(&self.blocks), ends(&self.rows))
        else {
            return 0.5;
        };
        if self.by_ratio {
            let of = |block| flat::ratio(self.m, k, block);
            ScaleKind::Linear.part(of(block), (of(narrow), of(wide)))
        } else {
            let of = flat::parallelism;
            ScaleKind::Log.part(of(n, block), (of(few, wide), of(many, narrow)))
        }
    }

    /// Columns of a cell of the model: K, N, BN.
    fn columns(&self) -> Columns<'_, (u32, u32, u32)> {
        Columns::new()
            .text("K", |(k, ..): &(u32, u32, u32)| k.to_string())
            .no_tip()
            .text("N", |(_, n, _)| n.to_string())
            .no_tip()
            .text("BN", |(.., block)| block.to_string())
            .no_tip()
            .text("workgroups N / BN", |(_, n, block)| flat::parallelism(*n, *block).to_string())
            .text("FLOP per element", |(k, _, block)| {
                format!("{:.3}", flat::ratio(self.m, *k, *block))
            })
            .text("limited by", |(_, n, block)| {
                limit(flat::region(*n, *block, self.units)).to_owned()
            })
            .text("model's choice", |(_, n, block)| {
                (flat::model_tick(*n, &self.blocks, self.units) == Some(*block)).to_string()
            })
    }

    /// Bottleneck of a measured cell, by its number of workgroups.
    fn measured_region(&self, panel: &Panel, cell: &Cell) -> Option<Region> {
        match cell.workgroups? < u64::from(self.units) {
            true => Some(Region::Parallelism),
            // With enough workgroups, arithmetic may be the bottleneck, which its device tells.
            false if panel.units.is_some() && cell.region.is_none() => None,
            false => Some(Region::Memory),
        }
    }

    /// Number of maps: those of the model come first.
    fn maps(&self) -> usize {
        self.depths.len() + self.measured.len()
    }

    /// The cell of a mark of the model: K, N, BN.
    fn cell(&self, mark: usize) -> Option<(u32, u32, u32)> {
        let (columns, rows) = (self.blocks.len().max(1), self.rows.len().max(1));
        let (line, map) = (mark / columns % rows, mark / columns / rows);
        Some((*self.depths.get(map)?, *self.rows.get(line)?, *self.blocks.get(mark % columns)?))
    }

    /// Appearance of the measured panels.
    fn measured(&self) -> Measured<'_> {
        Measured {
            panels: &self.measured,
            first: self.depths.len() * self.rows.len() * self.blocks.len(),
            axis: Axis::Bn,
            best: "Measured best",
            low: 0.0,
            region: Box::new(|panel, cell| self.measured_region(panel, cell)),
        }
    }

    /// Draws the map of the model for one K.
    fn model(&self, scene: &mut Scene, area: Rect, at: usize) {
        let k = self.depths[at];
        let what = if self.by_ratio { "FLOP per element" } else { "workgroups N / BN" };
        let title = &format!("Model: {what}, M = {}, K = {k}", self.m);
        let (columns, rows) = (grid::names(&self.blocks), grid::names(&self.rows));
        let theme = scene.theme;
        let first = at * columns.len() * rows.len();
        let cell = |(x, y): (usize, usize), _: (f64, f64)| {
            let mark = first + y * columns.len() + x;
            let (k, n, block) = self.cell(mark)?;
            let figure = match self.by_ratio {
                true => flat::ratio(self.m, k, block),
                false => flat::parallelism(n, block),
            };
            let tick = flat::model_tick(n, &self.blocks, self.units) == Some(block);
            let tooltip = Tooltip::of(mark);
            let fill = shown(self.share(k, n, block), &theme);
            Some(CellMark {
                ticks: tick.then_some(Tick::Model).into_iter().collect(),
                ..CellMark::new(fill, format_short(figure, 4), Vec::new(), tooltip)
            })
        };
        let (x, y) = (("BN", &columns[..]), ("N", &rows[..]));
        let cells = Cells { edge: OUTLINE, ..Cells::fixed(x, y, grid::MOST, &cell) };
        let cells = cells.titled(scene, area, title);
        let region = |mark: usize| {
            let (_, n, block) = self.cell(mark)?;
            Some(flat::region(n, block, self.units))
        };
        let of: Vec<_> = (0..columns.len() * rows.len()).map(region).collect();
        regions(scene, cells, columns.len(), &of);
    }
}

impl Picture for FlatTool {
    fn title(&self) -> String {
        format!(
            "Flat GEMM model for M {}, K {} on {}: BN against N",
            self.m,
            grid::names(&self.depths).join(" and "),
            self.device.name
        )
    }

    fn notes(&self) -> Vec<String> {
        let mut out = vec![tools::FLAT_MODEL.to_owned()];
        if self.measured.is_empty() {
            out.push(tools::NO_WIDTHS.to_owned());
        }
        for p in &self.measured {
            out.push(format!("Measured: {}.", p.title));
        }
        out
    }

    fn verdict(&self) -> Vec<String> {
        let mut out = self.flaws.clone();
        let units = self.device.units.unwrap_or(self.units);
        out.push(tools::parallelism_bound(self.units, units, &self.device.unit_kind));
        out
    }

    fn figures(&self) -> Vec<Figure> {
        let ratio = |k: u32, b: &u32| format!("{:.3} (BN {b})", flat::ratio(self.m, k, *b));
        let each = |k: &u32| {
            let text = match self.blocks.as_slice() {
                [] => return None,
                [one] => ratio(*k, one),
                [first, .., last] => format!("{} to {}", ratio(*k, first), ratio(*k, last)),
            };
            Some(figure(&format!("Ratio, K {k}"), text, "FLOP per element moved."))
        };
        self.depths.iter().filter_map(each).collect()
    }

    fn legend(&self, theme: &Theme) -> Vec<(legend::Swatch, String)> {
        let what = match self.by_ratio {
            true => "FLOP per element",
            false => "workgroups",
        };
        let color = |share| legend::Swatch::Box(shown(share, theme));
        let mut entries = vec![
            (color(0.0), format!("fewest {what}")),
            (color(1.0), format!("most {what}")),
            (Tick::Model.swatch(theme), "model's choice".to_owned()),
        ];
        if !self.measured.is_empty() {
            entries.push((Tick::Best.swatch(theme), "measured best".to_owned()));
        }
        entries.extend(region_entries(theme, &REGIONS));
        entries
    }

    fn draw(&self, scene: &mut Scene, room: Rect, _: &RenderOptions<'_>) {
        let mut places = grid::places(room, self.maps()).into_iter();
        for (at, area) in (0..self.depths.len()).zip(&mut places) {
            self.model(scene, area, at);
        }
        let measured = self.measured();
        for (at, area) in (0..self.measured.len()).zip(places) {
            let title = &format!("Measured: {}, % of each row's best", self.measured[at].title);
            measured.draw(scene, area, (at, title), grid::MOST);
        }
    }

    fn tooltip(&self, mark: usize) -> Tooltip {
        match self.cell(mark) {
            Some(cell @ (k, n, block)) => {
                self.columns().tooltip(format!("K {k}, N {n}, BN {block}"), &cell)
            }
            None => self.measured().tooltip(mark),
        }
    }

    fn table(&self) -> ResultTable {
        self.columns().table((0..).map_while(|mark| self.cell(mark)))
    }

    fn heights(&self, width: f64) -> Heights {
        let all = |line: f64| 40.0 + line * grid::lines(self.maps(), width) as f64;
        Heights::of(width, (all(360.0), all(400.0)))
    }
}
