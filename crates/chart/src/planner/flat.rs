//! The flat GEMM's model as a map of B_N and N, and a measured sweep beside it.

use super::grid::{self, Cell, Names, Tick};
use super::{Context, LARGEST, Tool, device_of, figure, whole};
use crate::charts::{Chart, RenderOptions};
use crate::color_scale::shown;
use crate::layout::NARROW;
use crate::legend;
use crate::palette::{Theme, alpha};
use crate::scene::Scene;
use crate::ticks::Format;
use gemmscope_analysis::tile_sweep::{Panel, Sweep};
use gemmscope_model::hardware::Device;
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::flat;
use gemmscope_model::tiling::flat::Region;
use gemmscope_model::units::format_short;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::result_table::Table;

/// B_N along the columns.
const BLOCKS: [u32; 5] = [32, 64, 128, 256, 512];
/// N along the rows, growing downwards.
const ROWS: [u32; 9] = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144];

/// An opened map.
pub(super) struct FlatTool {
    m: u32,
    k: u32,
    units: u32,
    device: Device,
    by_ratio: bool,
    controls: Vec<Control>,
    measured: Option<Panel>,
}

impl FlatTool {
    pub(super) fn open(context: &Context<'_>) -> Self {
        let s = context.state;
        let m = Control::count(
            s,
            "flat.m",
            "M",
            "Rows of A: the batch of a decode step. It is not tiled.",
            (1, 4096),
            8,
        );
        let k = Control::count(
            s,
            "flat.k",
            "K",
            "The summed size, the same in the whole map.",
            (1, LARGEST),
            4096,
        );
        let (device_control, device) = device_of(context);
        let units = Control::count(
            s,
            "flat.units",
            "Blocks needed",
            "As many independent blocks as this keep the device busy: its unit count, or twice that.",
            (1, 65536),
            device.units.unwrap_or(108),
        );
        let by = Control::choice(
            s,
            "flat.by",
            "Colour",
            "Parallelism N / B_N falls with B_N, the ratio of arithmetic to traffic rises.",
            vec![
                Choice::new("parallelism", "parallelism"),
                Choice::new("ratio", "FLOP/element"),
            ],
            "parallelism",
        );
        // The measured panel of this K, of this M if there is one.
        let panels = Sweep::new(context.frame, Some(Axis::Bn))
            .ok()
            .filter(|sweep| sweep.axis == Axis::Bn)
            .map_or_else(Vec::new, |sweep| sweep.panels);
        let fits = |p: &Panel, all: bool| {
            p.lines
                .iter()
                .any(|l| l.problem.k == whole(&k) && (!all || l.problem.m == whole(&m)))
        };
        let measured = panels
            .iter()
            .find(|p| fits(p, true))
            .or_else(|| panels.iter().find(|p| fits(p, false)))
            .or(panels.first())
            .cloned();
        FlatTool {
            m: whole(&m),
            k: whole(&k),
            units: whole(&units),
            device,
            by_ratio: by.current == "ratio",
            controls: vec![m, k, device_control, units, by],
            measured,
        }
    }

    fn cell(&self, theme: &Theme, x: usize, y: usize) -> Option<Cell> {
        let (block, n) = (*BLOCKS.get(x)?, *ROWS.get(y)?);
        let blocks = flat::parallelism(n, block);
        let ratio = flat::ratio(self.m, self.k, block);
        let region = flat::region(n, block, self.units);
        let tick = flat::model_tick(n, &BLOCKS, self.units) == Some(block);
        let (low, high) = (2f64.log2(), 8192f64.log2());
        let share = if self.by_ratio {
            let widest = flat::ratio(self.m, self.k, BLOCKS[4]);
            let narrowest = flat::ratio(self.m, self.k, BLOCKS[0]);
            (ratio - narrowest) / (widest - narrowest)
        } else {
            (blocks.log2() - low) / (high - low)
        };
        let bound = match region {
            Region::Parallelism => "parallelism-bounded",
            Region::Memory => "memory-bounded",
        };
        Some(Cell {
            fill: shown(share.clamp(0.0, 1.0), theme),
            text: if self.by_ratio {
                format_short(ratio, 4)
            } else {
                format_short(blocks, 4)
            },
            hatched: false,
            frame: None,
            tick: tick.then_some(Tick::Model),
            label: format!(
                "N {n}, B_N {block}: {} blocks for {} {}s ({bound}); {} FLOP per element{}",
                format_short(blocks, 5),
                self.units,
                self.device.unit_kind,
                format_short(ratio, 5),
                if tick { "; the model's choice" } else { "" }
            ),
            rows: Vec::new(),
        })
    }

    fn measured_cell(&self, panel: &Panel, theme: &Theme, x: usize, y: usize) -> Option<Cell> {
        let line = panel.lines.get(y)?;
        let c = line.cells.get(x)?;
        let best = line.best == Some(x);
        let known = c.rate.is_finite() && c.share.is_finite();
        Some(Cell {
            fill: if known {
                shown(c.share.clamp(0.0, 1.0), theme)
            } else {
                alpha(theme.other, 0.2)
            },
            text: if known {
                Format::percent().write(c.share, 3)
            } else {
                String::new()
            },
            hatched: false,
            frame: None,
            tick: if best {
                Some(Tick::Best)
            } else {
                (line.model == Some(x)).then_some(Tick::Model)
            },
            label: format!(
                "N {}, B_N {}: {}{}",
                line.problem.n,
                panel.column_label(x),
                if known {
                    format!(
                        "{}, {} of the line's best",
                        Format::rate().write(c.rate, 4),
                        Format::percent().write(c.share, 3)
                    )
                } else {
                    "not measured".to_owned()
                },
                if best { "; measured best" } else { "" }
            ),
            rows: c.row.into_iter().collect(),
        })
    }

    /// The border between the two regions: below it memory decides.
    fn border(&self, scene: &mut Scene, theme: &Theme, [l, t, w, h]: [f64; 4]) {
        let (cw, ch) = (w / BLOCKS.len() as f64, h / ROWS.len() as f64);
        let first = |block: u32| {
            ROWS.iter()
                .position(|n| flat::region(*n, block, self.units) == Region::Memory)
                .unwrap_or(ROWS.len())
        };
        let mut line = Vec::new();
        for (i, block) in BLOCKS.iter().enumerate() {
            let y = t + ch * first(*block) as f64;
            line.push((l + cw * i as f64, y));
            line.push((l + cw * (i + 1) as f64, y));
        }
        scene.line(line.clone(), theme.panel, 4.0);
        scene.dashed(line, theme.warn, 2.0, &[5.0, 3.0]);
    }
}

impl Chart for FlatTool {
    fn scene(&self, options: &RenderOptions<'_>) -> Scene {
        let theme = options.theme;
        let mut scene = Scene::new(options.width, options.height, "");
        scene.title = format!(
            "Flat GEMM model for M {}, K {} on {}: B_N against N",
            self.m, self.k, self.device.name
        );
        scene.fill([0.0, 0.0, scene.width, scene.height], theme.background);
        let text = |v: &[u32]| v.iter().map(u32::to_string).collect::<Vec<_>>();
        let (columns, rows) = (text(&BLOCKS), text(&ROWS));
        let entries = [
            (
                legend::Swatch::Hollow(theme.text),
                "the model's choice".to_owned(),
            ),
            (
                legend::Swatch::Dashed(theme.warn),
                "above: parallelism-bounded, below: memory-bounded".to_owned(),
            ),
            (
                legend::Swatch::Check(theme.text),
                "measured best".to_owned(),
            ),
        ];
        let foot = legend::legend(
            None,
            (8.0, 0.0),
            options.width - 16.0,
            theme,
            &entries[..if self.measured.is_some() { 3 } else { 2 }],
        );
        let height = options.height - foot - 8.0;
        let [first, second] = match &self.measured {
            None => [[8.0, 4.0, options.width - 16.0, height], [0.0; 4]],
            Some(_) => grid::pair(options.width, height),
        };
        let names = Names {
            title: &format!(
                "Model: {}, M = {}, K = {}",
                if self.by_ratio {
                    "FLOP per element"
                } else {
                    "blocks N / B_N"
                },
                self.m,
                self.k
            ),
            x: "B_N",
            y: "N",
            columns: &columns,
            rows: &rows,
        };
        let cells = grid::draw(&mut scene, theme, first, &names, &|x, y| {
            self.cell(theme, x, y)
        });
        self.border(&mut scene, theme, cells);
        if let Some(panel) = &self.measured {
            let columns: Vec<String> = (0..panel.columns.len())
                .map(|i| panel.column_label(i))
                .collect();
            let rows: Vec<String> = (0..panel.lines.len())
                .map(|i| panel.line_label(i))
                .collect();
            let names = Names {
                title: &format!("Measured: {}, share of each line's best", panel.title),
                x: "B_N",
                y: if panel.one_m { "N" } else { "M × N" },
                columns: &columns,
                rows: &rows,
            };
            grid::draw(&mut scene, theme, second, &names, &|x, y| {
                self.measured_cell(panel, theme, x, y)
            });
        }
        legend::legend(
            Some(&mut scene),
            (8.0, options.height - foot - 2.0),
            options.width - 16.0,
            theme,
            &entries[..if self.measured.is_some() { 3 } else { 2 }],
        );
        legend::outline_selected(&mut scene, theme, options.selected);
        scene
    }

    fn table(&self) -> Table {
        let header = [
            "N",
            "B_N",
            "blocks N / B_N",
            "FLOP per element",
            "limited by",
            "model's choice",
        ];
        let mut rows = Vec::new();
        for n in ROWS {
            for block in BLOCKS {
                rows.push(vec![
                    n.to_string(),
                    block.to_string(),
                    flat::parallelism(n, block).to_string(),
                    format!("{:.3}", flat::ratio(self.m, self.k, block)),
                    match flat::region(n, block, self.units) {
                        Region::Parallelism => "parallelism",
                        Region::Memory => "memory",
                    }
                    .to_owned(),
                    (flat::model_tick(n, &BLOCKS, self.units) == Some(block)).to_string(),
                ]);
            }
        }
        Table::of(&header, rows)
    }

    fn controls(&self) -> Vec<Control> {
        self.controls.clone()
    }

    fn notes(&self) -> Vec<String> {
        let mut out = vec![
            "Model of FlashDecoding++ (Hong et al., MLSys 2024, section 4): ratio 2 M K / (K + M K / B_N + M) FLOP per element moved; N / B_N independent blocks. It takes the widest B_N up to 128 that still gives the blocks needed, else the narrowest.".to_owned(),
        ];
        match &self.measured {
            Some(p) => out.push(format!("Measured beside it: {}. The model is never drawn in place of a measurement.", p.title)),
            None => out.push("Open a file with several tile widths a shape, and the measured map stands beside the model.".to_owned()),
        }
        out
    }

    fn height(&self, width: f64) -> f64 {
        match (&self.measured, width < NARROW) {
            (Some(_), true) => 760.0,
            (None, true) => 400.0,
            _ => 440.0,
        }
    }
}

impl Tool for FlatTool {
    fn verdict(&self) -> Vec<String> {
        vec![format!(
            "Above the dashed line a tile that wide leaves fewer than {} blocks, and some of the {} {}s wait: parallelism-bounded. Below it memory decides, and a wider tile reads A less often.",
            self.units,
            self.device.units.unwrap_or(self.units),
            self.device.unit_kind
        )]
    }

    fn figures(&self) -> Vec<(String, String, String)> {
        BLOCKS
            .iter()
            .map(|b| {
                figure(
                    &format!("Ratio, B_N {b}"),
                    format!("{:.3}", flat::ratio(self.m, self.k, *b)),
                    "FLOP per element moved.",
                )
            })
            .collect()
    }
}
