//! Tile explorer: resources of the chosen setting as bars, and a map over two of its numbers.

use super::grid;
use super::{Figure, Shape, count, figure, iec, tile_controls, whole};
use crate::cells::{CellMark, Cells, hatching};
use crate::chart::{Chart, Heights, Picture, RenderOptions};
use crate::charts::Inputs;
use crate::color_scale::shown;
use crate::columns::Columns;
use crate::labels::Rect;
use crate::layout::{FONT, NARROW};
use crate::legend;
use crate::palette::{Theme, alpha};
use crate::scene::{START, Scene};
use crate::tile_marks::Tick;
use crate::tooltip::Tooltip;
use gemmscope_analysis::tile_sweep::TileRuns;
use gemmscope_model::hardware::short_name;
use gemmscope_model::roofline::Roof;
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::explore::{
    AXES, Evaluation, Map, TileSetting, evaluate, fitted, map, without_doubt,
};
use gemmscope_model::tiling::{Caution, Overflow};
use gemmscope_model::units::{Bytes, FlopsPerSec, format_short, short_percent};
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::charts::tools;
use gemmscope_words::tile_roof::{TILE_EFFICIENCY, WAVE_EFFICIENCY};

/// Device where neither plan nor data have one: its vendor states the bandwidth of L2.
const WITH_L2: &str = "a100-80-sxm";

/// An opened explorer.
pub(super) struct TileTool {
    shape: Shape,
    roof: Option<Roof>,
    setting: TileSetting,
    chosen: Option<Evaluation>,
    /// What tiles take from L2 tells them apart: without its bandwidth there is no map.
    map: Option<Map>,
    /// For each cell of the map: the fastest row that ran with it, and its rate.
    ran: Vec<Option<(u32, f64)>>,
    /// Measurement with the chosen setting, in words.
    measured: Option<String>,
}

impl TileTool {
    pub(super) fn open(inputs: &Inputs<'_>) -> Chart {
        let s = inputs.state;
        let (shape, mut controls) = Shape::read(inputs, WITH_L2);
        let (mut more, tile) = tile_controls(s);
        // Default warps and stages that the tile can run with.
        let usual = TileSetting { tile, warps: 16, stages: 4, split_k: 1 };
        let usual = fitted(&shape.problem, &shape.device, usual, &[]);
        let usual = without_doubt(&shape.problem, &shape.device, usual);
        let warps = ("tool.warps", "Warps", "Warps (wavefronts) of a workgroup");
        let stages = ("tool.stages", "Stages", "Stages of A and B in shared memory");
        let split = ("tool.split", "Split-K", "Workgroups that share a tile, each a part of K");
        more.push(count(s, warps, 64, usual.warps));
        more.push(count(s, stages, 16, usual.stages));
        more.push(count(s, split, 1024, 1));
        let setting = TileSetting {
            tile,
            warps: whole(&more[3]),
            stages: whole(&more[4]),
            split_k: whole(&more[5]),
        };
        let axis = |key: &str, label: &str, default: Axis| {
            let options = AXES.iter().map(|a| Choice::new(a.0.key(), axis_name(a.0))).collect();
            let control = Control::choice(s, key, label, "", options, default.key());
            let axis =
                AXES.iter().map(|a| a.0).find(|a| a.key() == control.current).unwrap_or(default);
            (control, axis)
        };
        let (x_control, x) = axis("tool.x", "X", Axis::Bn);
        let (y_control, y) = axis("tool.y", "Y", Axis::Bm);
        let p = &shape.problem;
        let roof = shape.device.roof(p.op.compute, s.roof);
        controls.extend(more);
        let runs = TileRuns::of(inputs.frame, p, &shape.device.id);
        let mut ran = Vec::new();
        let map = shape.device.l2_bandwidth().map(|_| {
            controls.extend([x_control, y_control]);
            let mut map = map(p, &shape.device, roof, setting, (x, y));
            ran.extend(map.asked.iter().map(|asked| {
                let row = runs.fastest(asked)?;
                Some((row as u32, inputs.frame.metrics.rate(&inputs.frame.data, row)))
            }));
            // A setting that was measured needs no other stages.
            for (i, _) in ran.iter().enumerate().filter(|(_, ran)| ran.is_some()) {
                map.cells[i] = evaluate(p, &shape.device, roof, map.asked[i]);
            }
            map
        });
        let out = TileTool {
            measured: runs.fastest(&setting).map(|row| tools::ran_as_chosen(inputs.frame, row)),
            chosen: evaluate(p, &shape.device, roof, setting),
            ran,
            map,
            setting,
            roof,
            shape,
        };
        Chart::of(out, controls)
    }

    fn cell(&self, map: &Map, theme: &Theme, (x, y): (usize, usize)) -> Option<CellMark> {
        let i = y * map.xs.len() + x;
        let e = map.cells.get(i)?.as_ref()?;
        let share = e.roof.map_or(f64::NAN, |r| r.flops_per_s / r.device_flops_per_s);
        let ran = self.ran.get(i).copied().flatten();
        // A measured row outweighs the model.
        let hatched = !e.overflows.is_empty() && ran.is_none();
        let of_axes = |s: &TileSetting| [map.axes.0, map.axes.1].map(|a| s.get(a));
        let chosen = of_axes(&self.setting) == of_axes(&e.setting);
        let fill = match (hatched, share.is_nan()) {
            (true, _) => theme.grid,
            (_, true) => alpha(theme.other, 0.35),
            _ => shown(share.clamp(0.0, 1.0), theme),
        };
        let rate = e.roof.filter(|_| !hatched);
        let text = rate.map_or_else(String::new, |r| format_short(r.flops_per_s / 1e12, 4));
        let best = map.best == Some(i);
        let rows = ran.iter().map(|r| r.0).collect();
        Some(CellMark {
            also: Bytes(e.traffic.0).to_string(),
            hatched,
            frame: chosen.then_some(theme.accent),
            ticks: best.then_some(Tick::Best).into_iter().collect(),
            ..CellMark::new(fill, text, rows, Tooltip::of(i))
        })
    }

    /// Columns of a cell: its index and its evaluation.
    fn columns(&self, (x, y): (Axis, Axis)) -> Columns<'_, (usize, &Evaluation)> {
        let count = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        Columns::new()
            .text(axis_name(y), move |(_, e): &(usize, &Evaluation)| e.setting.get(y).to_string())
            .no_tip()
            .text(axis_name(x), move |(_, e)| e.setting.get(x).to_string())
            .no_tip()
            .number("Shape roof", "FLOP/s", |(_, e)| e.roof.map_or(f64::NAN, |r| r.flops_per_s))
            .number("Measured", "FLOP/s", |(i, _)| self.ran[*i].map_or(f64::NAN, |r| r.1))
            .number("Tile efficiency", "%", |(_, e)| e.tiling.tile_efficiency)
            .number("Wave efficiency", "%", |(_, e)| {
                e.waves.map_or(f64::NAN, |w| w.wave_efficiency)
            })
            .text("Waves", move |(_, e)| count(e.waves.map(|w| w.waves)))
            .number("L2 to compute units", "B", |(_, e)| e.traffic.0)
            .number("What L2 feeds", "FLOP/s", |(_, e)| e.l2_flops_per_s.unwrap_or(f64::NAN))
            .text("Workgroups per unit", move |(_, e)| count(e.occupancy.map(|o| o.blocks.into())))
            .text("Stages", |(_, e)| e.setting.stages.to_string())
            .text("Warps", |(_, e)| e.setting.warps.to_string())
            .text("Cannot run, by the model", |(_, e)| {
                e.overflows.iter().map(Overflow::sentence).collect::<Vec<_>>().join("; ")
            })
    }

    /// For each resource: name, used share, and both amounts in words.
    fn resources(&self) -> Vec<(&'static str, f64, String)> {
        let Some(e) = &self.chosen else {
            return Vec::new();
        };
        let (d, f) = (&self.shape.device, &e.footprint);
        let mut out = Vec::new();
        if let Some(have) = d.shared_bytes_per_block.or(d.shared_bytes_per_unit) {
            let one_less = e.cautions.iter().find_map(|c| match c {
                Caution::OneBufferLess { less, .. } => Some(*less),
                Caution::FewRegistersLeft { .. } => None,
            });
            let (bytes, how) =
                one_less.map_or((f.shared_bytes, ""), |less| (less, ", a buffer less"));
            let words = format!("{} of {}{how}", iec(bytes), iec(have));
            out.push(("Shared memory", bytes / have, words));
        }
        let most = f64::from(f.registers_limit(d));
        let registers = f.accumulator_registers_per_thread;
        let words = format!("{registers:.0} of {most:.0}");
        out.push(("Registers per thread", registers / most, words));
        if let Some(have) = d.registers_bytes_per_unit {
            let bytes = f.accumulator_bytes;
            let words = format!("{} of {}", iec(bytes), iec(have));
            out.push(("Register file", bytes / have, words));
        }
        out.push(("Threads", f64::from(f.threads) / 1024.0, format!("{} of 1024", f.threads)));
        out
    }

    /// Figures of a setting's workgroups, their waves and the resulting roof.
    fn rounds(&self, e: &Evaluation) -> Vec<Figure> {
        let mut out = Vec::new();
        if let Some(o) = e.occupancy {
            let by = tools::limit(o.limited_by);
            out.push(figure(
                &format!("Workgroups per {}", self.shape.device.unit_kind),
                o.blocks.to_string(),
                format!("At most at once, limited by {by}."),
            ));
        }
        out.push(figure(
            "Tiles",
            format!("{} × {}", e.tiling.tiles_m, e.tiling.tiles_n),
            "ceil(M / BM) × ceil(N / BN).",
        ));
        if let Some(w) = e.waves {
            let units = self.shape.device.units.unwrap_or(0);
            out.push(figure("Workgroups", w.workgroups.to_string(), "Tiles × batch × split-K."));
            out.push(figure(
                "Waves",
                w.waves.to_string(),
                format!("Rounds over {units} {}s.", self.shape.device.unit_kind),
            ));
            out.push(figure("Tile efficiency", short_percent(w.tile_efficiency), TILE_EFFICIENCY));
            out.push(figure("Wave efficiency", short_percent(w.wave_efficiency), WAVE_EFFICIENCY));
        }
        out.push(figure(
            "Tile traffic",
            e.traffic.to_string(),
            "Between L2 and the compute units: M N K (1/BM + 1/BN) × size.",
        ));
        if let Some(r) = e.roof {
            out.push(figure(
                "Shape roof",
                FlopsPerSec(r.flops_per_s).to_string(),
                "What tile, waves and L2 leave of the roof.",
            ));
            out.push(figure(
                "Roof at this intensity",
                FlopsPerSec(r.device_flops_per_s).to_string(),
                "",
            ));
        }
        out
    }

    fn bars(&self, scene: &mut Scene, (top, width): (f64, f64)) -> f64 {
        let narrow = width < NARROW;
        let label = if narrow { 108.0 } else { 130.0 };
        let value = if narrow { 172.0 } else { 200.0 };
        let room = (width - label - value - 24.0).max(20.0);
        for (i, (name, share, words)) in self.resources().into_iter().enumerate() {
            let y = top + 12.0 + 22.0 * i as f64;
            legend::note(scene, (8.0, y), label, name);
            let bar = [8.0 + label, y - 6.0, room, 12.0];
            scene.fill(bar, scene.theme.grid);
            let over = share > 1.0;
            let color = if over { scene.theme.warn } else { scene.theme.accent };
            scene.fill([bar[0], bar[1], room * share.min(1.0), 12.0], color);
            let words = if over { format!("{words}: too much") } else { words };
            scene.text(
                (bar[0] + room + 8.0, y),
                crate::text::ellipsis(&words, FONT, value),
                if over { scene.theme.warn } else { scene.theme.text },
                START,
            );
        }
        top + 22.0 * self.resources().len() as f64 + 12.0
    }
}

/// Name of an axis as the settings beside the map write it.
fn axis_name(axis: Axis) -> String {
    axis.label().replace('_', "")
}

impl Picture for TileTool {
    fn title(&self) -> String {
        let over = self.map.as_ref().map(|map| {
            let (x, y) = map.axes;
            format!(": shape roof over {} and {}", axis_name(x), axis_name(y))
        });
        let (problem, device) = (&self.shape.problem, &self.shape.device.name);
        format!("Tile explorer of {problem} on {device}{}", over.unwrap_or_default())
    }

    fn notes(&self) -> Vec<String> {
        let device = &self.shape.device;
        let Some(map) = &self.map else {
            return vec![tools::no_l2(&short_name(&device.name))];
        };
        let mut out = Vec::new();
        if let Some(best) = map.best.and_then(|i| map.cells[i].as_ref()) {
            out.push(tools::best_setting(best, &device.unit_kind));
        }
        out.push(tools::FITTED.to_owned());
        let l2 = device.l2_bandwidth().unwrap_or(f64::NAN);
        out.push(tools::shape_roof(&device.unit_kind, l2, device.l2_source.as_deref()));
        out
    }

    fn verdict(&self) -> Vec<String> {
        let Some(e) = &self.chosen else {
            return Vec::new();
        };
        let device = &self.shape.device;
        let mut out: Vec<String> = Vec::new();
        out.extend(self.measured.clone());
        let was_measured = self.measured.is_some();
        out.extend(e.overflows.iter().map(|o| tools::does_not_run(o, was_measured)));
        if self.roof.is_none() {
            out.push(device.explain_peak(self.shape.problem.op.compute));
        }
        out.extend(tools::occupancy(e, &device.unit_kind));
        out.extend(e.cautions.iter().map(|c| format!("Caution: {}.", c.sentence())));
        out
    }

    fn figures(&self) -> Vec<Figure> {
        let Some(e) = &self.chosen else {
            return Vec::new();
        };
        let f = &e.footprint;
        let mut out = vec![
            figure("A tile", iec(f.a_bytes), "One stage: BM × BK × size of an element."),
            figure("B tile", iec(f.b_bytes), "One stage: BK × BN × size of an element."),
            figure("Accumulator", iec(f.accumulator_bytes), "BM × BN × 4 bytes, in registers."),
            figure("One stage", iec(f.a_bytes + f.b_bytes), "A tile and B tile, in shared memory."),
            figure(
                "Shared memory",
                iec(f.shared_bytes),
                format!("{} stages of A and B, each kept whole.", f.stages),
            ),
            figure(
                "Registers per thread",
                format!("{:.0}", f.accumulator_registers_per_thread),
                "For the accumulator alone: BM × BN / (warps × lanes).",
            ),
        ];
        out.extend(self.rounds(e));
        out
    }

    fn legend(&self, theme: &Theme) -> Vec<(legend::Swatch, String)> {
        if self.map.is_none() {
            return Vec::new();
        }
        vec![
            (legend::Swatch::Box(shown(1.0, theme)), "the device's roof".to_owned()),
            (legend::Swatch::Box(shown(0.0, theme)), "far below".to_owned()),
            (
                legend::Swatch::Hatched(theme.grid, hatching(theme)),
                "hatched: cannot run".to_owned(),
            ),
            (Tick::Best.swatch(theme), "least traffic within 10 % of the highest".to_owned()),
            (legend::Swatch::Solid(theme.accent), "chosen".to_owned()),
        ]
    }

    fn draw(&self, scene: &mut Scene, [_, top, width, height]: Rect, options: &RenderOptions<'_>) {
        let theme = options.theme;
        let used = self.bars(scene, (top, width)) + 8.0;
        let Some(map) = &self.map else { return };
        let (columns, rows) = (grid::names(&map.xs), grid::names(&map.ys));
        let heading = format!(
            "Shape roof in TFLOP/s, and traffic from L2 to the {}s",
            self.shape.device.unit_kind
        );
        let area = [8.0, used, width - 16.0, top + height - used];
        let (x, y) = (axis_name(map.axes.0), axis_name(map.axes.1));
        let cell = |at: (usize, usize), _: (f64, f64)| self.cell(map, theme, at);
        let (x, y) = ((x.as_str(), &columns[..]), (y.as_str(), &rows[..]));
        Cells::fixed(x, y, grid::MOST, &cell).titled(scene, area, &heading);
    }

    fn tooltip(&self, cell: usize) -> Tooltip {
        let Some((map, e)) =
            self.map.as_ref().and_then(|m| Some((m, m.cells.get(cell)?.as_ref()?)))
        else {
            return Tooltip::default();
        };
        let [x, y] =
            [map.axes.0, map.axes.1].map(|a| format!("{} {}", axis_name(a), e.setting.get(a)));
        self.columns(map.axes).tooltip(format!("{y}, {x}"), &(cell, e))
    }

    fn table(&self) -> ResultTable {
        let Some(map) = &self.map else { return ResultTable::default() };
        let cells = map.cells.iter().enumerate();
        self.columns(map.axes).table(cells.filter_map(|(i, e)| Some((i, e.as_ref()?))))
    }

    fn heights(&self, width: f64) -> Heights {
        match self.map {
            Some(_) => Heights::of(width, (480.0, 500.0)),
            None => Heights::of(width, (120.0, 120.0)),
        }
    }
}
