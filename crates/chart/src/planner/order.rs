//! Launch order: output tiles coloured by the wave that computes them, row by row and in groups, with the panels of A
//! and B that the first wave reads.

use super::grid;
use super::{Figure, Shape, USUAL, count, figure, iec, tile_controls, whole};
use crate::aggregate::distinct;
use crate::cells::{CellMark, Cells};
use crate::chart::{Chart, Heights, Picture, RenderOptions};
use crate::charts::Inputs;
use crate::color_scale::shown;
use crate::columns::Columns;
use crate::labels::Rect;
use crate::legend;
use crate::palette::{Theme, alpha};
use crate::scene::Scene;
use crate::tooltip::Tooltip;
use gemmscope_model::tiling::{LaunchOrder, Panels, Tile, Tiling, best_group_size};
use gemmscope_model::units::capitalized;
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::charts::tools::{self, WorkingSet};

/// Maximum number of rows and columns of tiles drawn.
const DRAWN: u32 = 96;

/// Group size of the usual order, row by row.
const ROW_BY_ROW: u32 = 1;

/// Name of an order with groups of so many rows.
fn name(group: u32) -> String {
    match group {
        ROW_BY_ROW => "row by row".to_owned(),
        _ => format!("groups of {group}"),
    }
}

/// An opened launch order.
pub(super) struct OrderTool {
    shape: Shape,
    tile: Tile,
    tiles: (u32, u32),
    group: u32,
    programs: u32,
    best: Option<u32>,
    /// Bytes of a row panel of A and of a column panel of B.
    panel_bytes: (f64, f64),
    k_blocks: u64,
}

impl OrderTool {
    pub(super) fn open(inputs: &Inputs<'_>) -> Chart {
        let s = inputs.state;
        let (shape, mut controls) = Shape::read(inputs, USUAL);
        let (tile_controls, tile) = tile_controls(s);
        let p = &shape.problem;
        let tiling = Tiling::of(p, tile, 1);
        let side = |v: Option<u64>| v.and_then(|v| u32::try_from(v).ok()).unwrap_or(0);
        let tiles = (side(tiling.map(|t| t.tiles_m)), side(tiling.map(|t| t.tiles_n)));
        let programs = ("order.programs", "In flight", "Workgroups that run at once");
        let programs = count(s, programs, LARGEST_WAVE, shape.device.units.unwrap_or(108));
        let group = ("order.group", "Group size M", "Rows of tiles walked together (GROUP_SIZE_M)");
        let group = count(s, group, 1024, 8).with_slider(tiles.0.clamp(2, 64));
        let panel_bytes = (
            f64::from(tile.m) * f64::from(p.k) * p.op.a.bytes(),
            f64::from(tile.n) * f64::from(p.k) * p.op.b.bytes(),
        );
        controls.extend(tile_controls.into_iter().chain([group.clone(), programs.clone()]));
        let flight = whole(&programs);
        let dies = shape.device.l2_dies();
        let out = OrderTool {
            best: best_group_size(tiles, flight, dies, panel_bytes.0, panel_bytes.1),
            group: whole(&group),
            programs: flight,
            tile,
            tiles,
            panel_bytes,
            k_blocks: u64::from(p.k.div_ceil(tile.k.unwrap_or(1).max(1))),
            shape,
        };
        Chart::of(out, controls)
    }

    /// Panels that the workgroups in flight read, in groups of so many rows.
    fn panels(&self, group: u32) -> Panels {
        let (rows, columns) = self.tiles;
        let (flight, dies) = (u64::from(self.programs), self.shape.device.l2_dies());
        LaunchOrder::Grouped(group).panels_of_dies(rows, columns, flight, dies)
    }

    /// Number of tiles of A and B that they load.
    fn loads(&self, group: u32) -> u64 {
        self.panels(group).blocks(self.k_blocks)
    }

    /// Bytes of A and B that they read.
    fn set(&self, group: u32) -> f64 {
        self.panels(group).bytes(self.panel_bytes.0, self.panel_bytes.1)
    }

    fn working_set(&self, group: u32) -> WorkingSet {
        WorkingSet { group, bytes: self.set(group) }
    }

    /// Wave of each drawn tile, row by row.
    fn waves(&self, group: u32) -> Vec<u32> {
        let order = LaunchOrder::Grouped(group);
        let (rows, columns) = (self.tiles.0.min(DRAWN), self.tiles.1.min(DRAWN));
        let mut out = vec![u32::MAX; rows as usize * columns as usize];
        // Tiles that are not drawn are skipped.
        let all = u64::from(self.tiles.0) * u64::from(self.tiles.1);
        let end = all.min(1 << 20);
        for program in 0..end {
            if let Some((m, n)) = order.tile(program, self.tiles.0, self.tiles.1)
                && m < rows
                && n < columns
                && let Some(band) = out.get_mut(m as usize * columns as usize + n as usize)
            {
                *band = (program / u64::from(self.programs.max(1))) as u32;
            }
        }
        out
    }

    fn order(&self, scene: &mut Scene, area: [f64; 4], group: u32, title: &str) {
        let (rows, columns) = (self.tiles.0.min(DRAWN) as usize, self.tiles.1.min(DRAWN) as usize);
        let (waves, theme) = (self.waves(group), scene.theme);
        let numbers = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        let (xs, ys) = (numbers(columns), numbers(rows));
        let last = waves.iter().filter(|w| **w != u32::MAX).max().copied().unwrap_or(0);
        let cell = |(x, y): (usize, usize), _| {
            let wave = *waves.get(y * columns + x)?;
            if wave == u32::MAX {
                return None;
            }
            let fill = match wave {
                0 => theme.accent,
                _ => shown(f64::from(wave) / f64::from(last.max(1)), &theme),
            };
            let number = (wave + 1).to_string();
            let label = Tooltip::new(format!("tile ({y}, {x}): wave {number}"));
            Some(CellMark::new(fill, number, Vec::new(), label))
        };
        let (x, y) = (("tile along N", &xs[..]), ("tile along M", &ys[..]));
        let cells = Cells::fixed(x, y, grid::MOST, &cell).titled(scene, area, title);
        // The panels of the first wave, as bars along the sides.
        let side = |n: usize, size: f64| size / n.max(1) as f64;
        let (w, h) = (side(columns, cells[2]), side(rows, cells[3]));
        let bar = alpha(theme.warn, 0.9);
        let first = |i: usize| waves.get(i) == Some(&0);
        for y in 0..rows {
            if (0..columns).any(|x| first(y * columns + x)) {
                scene.fill([cells[0] - 4.0, cells[1] + h * y as f64, 3.0, h.max(1.0)], bar);
            }
        }
        for x in 0..columns {
            if (0..rows).any(|y| first(y * columns + x)) {
                scene.fill([cells[0] + w * x as f64, cells[1] - 4.0, w.max(1.0), 3.0], bar);
            }
        }
    }
}

const LARGEST_WAVE: u32 = 65536;

impl Picture for OrderTool {
    fn title(&self) -> String {
        format!(
            "Launch order of {} × {} tiles, {} at once: row by row and in groups of {}",
            self.tiles.0, self.tiles.1, self.programs, self.group
        )
    }

    fn notes(&self) -> Vec<String> {
        let dies = self.shape.device.l2_dies();
        let mut out = vec![tools::loaded_tile(self.programs, self.k_blocks)];
        if let (Some(l2), Some(best)) = (self.shape.device.l2_bytes, self.best) {
            let [row, own, best] = [ROW_BY_ROW, self.group, best].map(|g| self.working_set(g));
            out.push(tools::working_sets(l2, dies, [&row, &own, &best]));
        }
        if dies > 1 {
            out.push(tools::TILES_PER_DIE.to_owned());
        }
        if self.tiles.0 > DRAWN || self.tiles.1 > DRAWN {
            out.push(tools::first_tiles(self.tiles, DRAWN));
        }
        out
    }

    fn verdict(&self) -> Vec<String> {
        let loads = (self.loads(ROW_BY_ROW), self.loads(self.group));
        let best = self.best.map(|group| self.working_set(group));
        let own = self.working_set(self.group);
        vec![tools::grouped_loads(&own, self.programs, loads, best.as_ref())]
    }

    fn figures(&self) -> Vec<Figure> {
        let loads = |label: &str, group: u32| {
            let panels = self.panels(group);
            let hint = format!("{} panels of A, {} of B.", panels.a, panels.b);
            figure(label, self.loads(group).to_string(), hint)
        };
        let mut out = vec![
            figure(
                "Tiles",
                format!("{} × {}", self.tiles.0, self.tiles.1),
                format!("Of {}.", self.tile),
            ),
            loads("Loads, row by row", ROW_BY_ROW),
            loads("Loads, grouped", self.group),
            figure(
                "Working set, grouped",
                iec(self.set(self.group)),
                "Bytes of A and B that the workgroups in flight touch.",
            ),
        ];
        if let Some(best) = self.best {
            let equal = best != self.group && self.set(best) >= self.set(self.group);
            out.push(figure(
                "Best group size",
                match equal {
                    true => format!("{best}, and {} as good", self.group),
                    false => best.to_string(),
                },
                "The smallest whose workgroups in flight touch fewest bytes.",
            ));
        }
        if let Some(l2) = self.shape.device.l2_bytes {
            out.push(figure("L2", iec(l2), self.shape.device.name.clone()));
        }
        out
    }

    fn legend(&self, theme: &Theme) -> Vec<(legend::Swatch, String)> {
        vec![
            (legend::Swatch::Box(theme.accent), "first wave".to_owned()),
            (legend::Swatch::Box(shown(1.0, theme)), "last waves".to_owned()),
            (
                legend::Swatch::Solid(theme.warn),
                "panels of A and B that the first wave touches".to_owned(),
            ),
        ]
    }

    fn draw(&self, scene: &mut Scene, room: Rect, _: &RenderOptions<'_>) {
        for (area, group) in grid::places(room, 2).into_iter().zip([ROW_BY_ROW, self.group]) {
            let name = capitalized(&name(group));
            let title = format!("{name}: {} tiles of A and B loaded", self.loads(group));
            self.order(scene, area, group, &title);
        }
    }

    fn table(&self) -> ResultTable {
        let groups = [ROW_BY_ROW, 2, 3, 4, 6, 8, 12, 16, 32, self.group].into_iter();
        let groups = distinct(groups.chain(self.best));
        let columns = Columns::new()
            .text("order", |group: &u32| name(*group))
            .text("panels of A", |group| self.panels(*group).a.to_string())
            .text("panels of B", |group| self.panels(*group).b.to_string())
            .text("tiles loaded", |group| self.loads(*group).to_string())
            .text("working set (B)", |group| self.set(*group).to_string());
        columns.table(groups)
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::of(width, (760.0, 480.0))
    }
}
