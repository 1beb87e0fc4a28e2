//! Tile map, for sweeps with several tiles per shape: which tile is best for which N, and what limits the others.
//! Panels by K, lines by N growing downwards, columns by tile.

mod draw;
mod settings;

use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions};
use crate::labels::Rect;
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::scene::Scene;
use crate::ticks::rate_words;
use crate::tooltip::Tooltip;
use gemmscope_analysis::tile_sweep::{
    Cell, Influence, Panel, Sweep, SweepLine, TileSource, influences,
};
use gemmscope_model::tiling::Axis;
use gemmscope_model::tiling::flat::Region;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::sweep as words;
use settings::Settings;

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "tiles",
    name: "Tiles",
    hint: "Which tile is best for which N, and what limits the others?",
    params: &["color"],
    open: |inputs| TileMap::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// Maximum number of lines drawn, so that the picture stays readable; the others are counted, and are in the table.
const MOST_LINES: usize = 500;
/// Height of a panel's heading and axis, in lines.
const PANEL: usize = 4;

/// An opened tile map.
#[derive(Debug)]
pub(crate) struct TileMap {
    frame: Frame,
    /// Influence of the other settings.
    influences: Vec<Influence>,
    sweep: Sweep,
    /// Its one-sentence summary.
    headline: String,
    /// The part drawn of a sweep with more than [`MOST_LINES`] lines.
    part: Option<Sweep>,
    /// The share at the dark end of the colours, and the limits that occur, in the drawn part.
    low: f64,
    limits: Vec<Region>,
}

impl TileMap {
    /// Reads the settings and the sweep.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let asked =
            state.param("tiles.x").and_then(|k| Axis::ALL.into_iter().find(|a| a.key() == k));
        let mut sweep = match Sweep::new(frame, asked) {
            Ok(sweep) => sweep,
            Err(why) => {
                let varying = influences(frame, Axis::BmBn);
                let why = words::no_sweep(&why);
                if let Some(settings) = Settings::of(varying, why.clone()) {
                    return Chart::of(settings, Vec::new());
                }
                return Chart::without(words::no_map(&why), why, Vec::new());
            }
        };
        // BN is the question of this view; another axis is the default only if BN does not vary.
        let default = sweep.axes.first().copied().unwrap_or(Axis::Bn);
        let axes = sweep.axes.iter().map(|a| Choice::new(a.key(), a.label())).collect();
        let hint = "A cell shows the best of all else";
        let mut controls = vec![Control::choice(state, "tiles.x", "X", hint, axes, default.key())];
        let mut options = vec![Choice::new("all", "all panels")];
        options.extend(sweep.panels.iter().map(|p| Choice::plain(&p.title)));
        let hint = "Shapes of one K, type and device";
        let panel = Control::choice(state, "tiles.panel", "Panel", hint, options, "all");
        if sweep.panels.len() > 1 {
            if panel.current != "all" {
                sweep.panels.retain(|p| p.title == panel.current);
            }
            controls.push(panel);
        }
        let influences = match sweep.source {
            TileSource::BestColumn => Vec::new(),
            _ => influences(frame, sweep.axis),
        };
        let part = part_of(&sweep);
        let (headline, drawn) = (words::headline(&sweep), part.as_ref().unwrap_or(&sweep));
        let (low, limits) = draw::occurring(drawn);
        let frame = frame.clone();
        Chart::of(TileMap { frame, influences, headline, part, low, limits, sweep }, controls)
    }

    /// The part of the sweep that is drawn.
    fn drawn(&self) -> &Sweep {
        self.part.as_ref().unwrap_or(&self.sweep)
    }
}

fn lines(sweep: &Sweep) -> impl Iterator<Item = (&Panel, &SweepLine)> {
    sweep.panels.iter().flat_map(|p| p.lines.iter().map(move |l| (p, l)))
}

fn cells(sweep: &Sweep) -> impl Iterator<Item = Cell> + '_ {
    lines(sweep).flat_map(|(p, l)| p.cells(l))
}

/// The first lines of a sweep that has too many; `None` if all are drawn.
fn part_of(sweep: &Sweep) -> Option<Sweep> {
    let mut room = MOST_LINES;
    if sweep.count() + PANEL * sweep.panels.len() <= room {
        return None;
    }
    let mut panels = Vec::new();
    for p in &sweep.panels {
        let take = p.lines.len().min(room.saturating_sub(PANEL));
        if take == 0 {
            break;
        }
        room -= take + PANEL;
        panels.push(Panel {
            lines: p.lines[..take].to_vec(),
            title: p.title.clone(),
            columns: p.columns.clone(),
            unit_kind: p.unit_kind.clone(),
            device: p.device.clone(),
            ..*p
        });
    }
    Some(Sweep { panels, axes: sweep.axes.clone(), ..*sweep })
}

/// The fastest kernel of each shape, if kernels are named.
fn fastest_kernels(frame: &Frame, sweep: &Sweep) -> Vec<String> {
    let told = lines(sweep).filter_map(|(panel, line)| {
        let cell = panel.cell(line, line.best?);
        let kernel = frame.data.text(ColumnMeaning::Kernel, cell.row? as usize);
        (!kernel.is_empty())
            .then(|| words::fastest_kernel(&line.problem, kernel, &rate_words(cell.rate)))
    });
    told.collect()
}

impl Picture for TileMap {
    fn title(&self) -> String {
        self.headline.clone()
    }

    fn verdict(&self) -> Vec<String> {
        vec![self.title()]
    }

    fn notes(&self) -> Vec<String> {
        let (frame, sweep, mut out) = (&self.frame, &self.sweep, Vec::new());
        if let Some(part) = &self.part {
            out.push(words::part_shown(part, sweep));
        }
        if sweep.source == TileSource::BestColumn {
            out.push(words::STATED_BEST.to_owned());
        }
        if sweep.count() <= words::NAMED {
            out.extend(fastest_kernels(frame, sweep));
        }
        out.extend(words::influences(&self.influences));
        if sweep.single > 0 {
            out.push(words::single_left_out(sweep.single));
        }
        let occurs = |r: Region| self.limits.contains(&r);
        let limits = [Region::Parallelism, Region::Memory].map(occurs);
        out.extend(words::limits(sweep, limits));
        out.extend(words::models(sweep));
        if frame.metrics.devices.first().is_some_and(Option::is_some)
            && frame.data.device.contains(&0)
        {
            out.push(words::DEVICE_ASSUMED.to_owned());
        }
        out
    }

    /// Table of every value of every setting other than the tile.
    fn details(&self) -> Vec<(String, ResultTable)> {
        if self.influences.is_empty() {
            return Vec::new();
        }
        let name = "What the other settings change, all else equal".to_owned();
        vec![(name, settings::table(&self.influences))]
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        self.entries(theme)
    }

    fn draw(&self, scene: &mut Scene, room: Rect, _: &RenderOptions<'_>) {
        self.panels(scene, room);
    }

    // The drawn part is the start of the sweep, so its marks have the same numbers.
    fn tooltip(&self, mark: usize) -> Tooltip {
        self.measured(&self.sweep).tooltip(mark)
    }

    fn table(&self) -> ResultTable {
        self.measured(&self.sweep).table()
    }

    fn heights(&self, width: f64) -> Heights {
        let [own, most] = self.ends(width);
        Heights { own, least: own, most }
    }
}

#[cfg(test)]
mod tests;
