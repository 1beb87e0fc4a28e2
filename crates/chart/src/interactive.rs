//! A drawn chart that answers to a pointer and a keyboard: what is under them, what lies over the
//! picture while they move, what a box selects, what is saved.
//!
//! Most charts answer by the hit areas of their scene (`SceneChart`). A chart with a million
//! points, or with axes that can be zoomed, brings answers of its own
//! ([`Chart::interactive`]).

use crate::camera::{Camera, Zoom};
use crate::charts::{Chart, RenderOptions};
use crate::hit::Direction;
use crate::labels::Rect;
use crate::legend::{Legend, Outside};
use crate::palette::{Theme, alpha};
use crate::scene::{DragArea, HitArea, Item, Point, Scene};
use crate::scroll;
use crate::tooltip::Tooltip;
use gemmscope_analysis::explain;
use gemmscope_model::units::{FlopsPerSec, Seconds, grouped, percent};
use gemmscope_table::control::Control;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::filter::Range;
use gemmscope_table::metrics::Totals;
use gemmscope_table::result_table::Table;
use std::sync::Arc;

/// What is under the pointer, or has the focus of the keyboard.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Rows it stands for.
    pub rows: Vec<u32>,
    /// Where it is, CSS pixels.
    pub at: Point,
    /// Other points at the same place.
    pub more: usize,
    /// What the chart says of it; empty where the row speaks for itself.
    pub tooltip: Tooltip,
    /// The categories of the legend that it stands for: what [`Legend::click`] takes.
    pub categories: Vec<String>,
    /// The field whose values the categories are, where the legend shows another one: a roof
    /// stands for types whatever the colours show.
    pub field: Option<Field>,
}

impl Target {
    /// The target of a hit area.
    pub(crate) fn of(area: &HitArea) -> Self {
        Target {
            rows: area.rows.clone(),
            at: area.center(),
            more: 0,
            tooltip: area.tooltip.clone(),
            categories: Vec::new(),
            field: None,
        }
    }

    /// True where it stands for this hit area.
    fn is(&self, area: &HitArea) -> bool {
        self.tooltip == area.tooltip && self.rows == area.rows
    }
}

/// What changes over a drawn chart while the pointer moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emphasis {
    /// Under the pointer or focused.
    pub target: Option<Target>,
    /// Selected rows.
    pub selected: Vec<u32>,
    /// Rows under the pointer in another chart, ascending.
    pub elsewhere: Vec<u32>,
    /// By finding, the row that carries its number; `None` where nothing looked for findings.
    pub ranked: Option<Vec<u32>>,
    /// The box that is being drawn: left, top, width, height.
    pub brush: Option<Rect>,
    /// A scroll bar is pointed at or held.
    pub held: bool,
}

/// Size and colours that a chart was drawn for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// Width and height, CSS pixels.
    pub size: (f64, f64),
    /// Device pixels per CSS pixel.
    pub dpr: f64,
    /// Colours.
    pub theme: Theme,
}

impl Canvas {
    /// How to draw for it, with nothing selected, scrolled or zoomed.
    pub fn options(&self) -> RenderOptions<'_> {
        RenderOptions { dpr: self.dpr, ..RenderOptions::new(&self.theme, self.size) }
    }
}

/// A drawn chart and what may be asked of it.
pub trait InteractiveChart: Send + Sync {
    /// What was drawn.
    fn scene(&self) -> &Scene;
    /// A transparent picture that lies over it.
    fn emphasis(&self, what: &Emphasis) -> Scene;
    /// What is at a place, or near it.
    fn at(&self, at: Point, radius: f64) -> Option<Target>;
    /// The next target for the keyboard.
    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target>;
    /// Rows inside a box.
    fn within(&self, rect: Rect) -> Vec<u32>;
    /// What a box means as a filter; nothing where it can only select.
    fn ranges(&self, _rect: Rect) -> Vec<(Field, Range)> {
        Vec::new()
    }
    /// What a tooltip says of a target: the chart's words, then the figures of its rows.
    fn tooltip(&self, target: &Target) -> Tooltip;
    /// The content as a table of at most so many rows, and how many were left out. `what` gives the
    /// numbers of rows.
    fn table(&self, most: usize, what: &Emphasis) -> (Table, u64);
    /// What can be set.
    fn controls(&self) -> Vec<Control>;
    /// Sentences below the picture.
    fn notes(&self) -> Vec<String>;
    /// How many of the first notes are the verdict.
    fn verdict_notes(&self) -> usize {
        0
    }
    /// Tables below the picture, each under its heading.
    fn details(&self) -> Vec<(String, Table)> {
        Vec::new()
    }
    /// The numbered marks of the picture: number, name.
    fn key(&self, _what: &Emphasis) -> Vec<(usize, String)> {
        Vec::new()
    }
    /// Least and most height in a page.
    fn heights(&self) -> (f64, f64);
    /// The part of the axes that shows, where it can be zoomed and moved.
    fn camera(&self) -> Option<Camera> {
        None
    }
    /// The legend, where it stands beside the picture and can be clicked.
    fn legend(&self) -> Option<Legend> {
        None
    }
    /// The rows that an entry of the legend selects.
    fn legend_rows(&self, _of: Outside) -> Vec<u32> {
        Vec::new()
    }
    /// The picture as it is saved: with its legend, with selected rows marked and with numbers.
    fn saved(&self, what: &Emphasis) -> Scene;
    /// The same with nothing scrolled out of sight; its size where that is too large to draw.
    fn whole(&self, what: &Emphasis) -> Result<Scene, (f64, f64)> {
        Ok(self.saved(what))
    }
}

/// Draws an opened chart for a page. `frame` is what it was opened with: the figures of tooltips.
pub fn draw(
    chart: &Arc<dyn Chart>,
    frame: Option<&Frame>,
    options: &RenderOptions<'_>,
) -> Arc<dyn InteractiveChart> {
    match chart.interactive(options) {
        Some(own) => own.into(),
        None => Arc::new(SceneChart::new(chart.clone(), frame, options)),
    }
}

/// A chart that answers by the hit areas of its scene.
struct SceneChart {
    chart: Arc<dyn Chart>,
    frame: Option<Frame>,
    scene: Scene,
    canvas: Canvas,
    first: (usize, usize),
    zoom: Option<Zoom>,
}

/// How far beside a colour bar a press still counts as on it, px.
const SLACK: f64 = 6.0;

impl SceneChart {
    fn new(chart: Arc<dyn Chart>, frame: Option<&Frame>, options: &RenderOptions<'_>) -> Self {
        SceneChart {
            scene: chart.scene(options),
            frame: frame.cloned(),
            canvas: options.canvas(),
            first: options.first,
            zoom: options.zoom,
            chart,
        }
    }

    fn options<'a>(&'a self, selected: &'a [u32]) -> RenderOptions<'a> {
        RenderOptions { selected, first: self.first, zoom: self.zoom, ..self.canvas.options() }
    }

    fn outline(&self, scene: &mut Scene, rect: Rect, width: f64) {
        let [l, t, w, h] = rect;
        scene.items.push(Item::Rect {
            rect: [l - 1.0, t - 1.0, w + 2.0, h + 2.0],
            fill: None,
            stroke: Some((self.canvas.theme.accent, width)),
        });
    }
}

impl InteractiveChart for SceneChart {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn emphasis(&self, what: &Emphasis) -> Scene {
        let mut over = Scene::new(self.scene.width, self.scene.height, "");
        scroll::draw(&mut over, &self.scene, &self.canvas.theme, what.held);
        let mut chosen = what.selected.clone();
        chosen.sort_unstable();
        let one_of =
            |rows: &[u32], area: &HitArea| area.rows.iter().any(|r| rows.binary_search(r).is_ok());
        for area in &self.scene.hit_areas {
            let under = what.target.as_ref().is_some_and(|t| t.is(area));
            if under || (!what.elsewhere.is_empty() && one_of(&what.elsewhere, area)) {
                self.outline(&mut over, area.rect, 2.0);
            } else if !chosen.is_empty() && one_of(&chosen, area) {
                self.outline(&mut over, area.rect, 1.5);
            }
        }
        if let Some(rect) = what.brush {
            over.fill(rect, alpha(self.canvas.theme.accent, 0.15));
            self.outline(&mut over, rect, 1.0);
        }
        over
    }

    fn at(&self, (x, y): Point, _radius: f64) -> Option<Target> {
        let over = |[l, t, w, h]: Rect| {
            x >= l - SLACK && x <= l + w + SLACK && y >= t - SLACK && y <= t + h + SLACK
        };
        let bar = self.scene.drag_areas.iter().find_map(|h| match h {
            DragArea::Range { rect, .. } if over(*rect) => Some(*rect),
            _ => None,
        });
        if let Some([l, t, w, h]) = bar {
            return Some(Target {
                rows: Vec::new(),
                at: (l + w / 2.0, t + h),
                more: 0,
                tooltip: Tooltip::new("Drag along the colours to filter, click to show all"),
                categories: Vec::new(),
                field: None,
            });
        }
        self.scene.mark_at((x, y)).map(|i| Target::of(&self.scene.hit_areas[i]))
    }

    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target> {
        let areas = &self.scene.hit_areas;
        // A colour bar is a target without a hit area.
        let Some(from) = from.filter(|t| areas.iter().any(|a| t.is(a))) else {
            return areas.first().map(Target::of);
        };
        let along = |(x, y): Point| match direction {
            Direction::Left => (from.at.0 - x, (from.at.1 - y).abs()),
            Direction::Right => (x - from.at.0, (from.at.1 - y).abs()),
            Direction::Up => (from.at.1 - y, (from.at.0 - x).abs()),
            Direction::Down => (y - from.at.1, (from.at.0 - x).abs()),
        };
        let cost = |area: &HitArea| {
            let (ahead, aside) = along(area.center());
            // Straight ahead before aside.
            (ahead > 0.5).then_some(ahead + 3.0 * aside)
        };
        areas
            .iter()
            .filter_map(|a| Some((cost(a)?, a)))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, a)| Target::of(a))
    }

    fn within(&self, [l, t, w, h]: Rect) -> Vec<u32> {
        let mut rows: Vec<u32> = self
            .scene
            .hit_areas
            .iter()
            .filter(|a| {
                let [al, at, aw, ah] = a.rect;
                al < l + w && al + aw > l && at < t + h && at + ah > t
            })
            .flat_map(|a| a.rows.iter().copied())
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn tooltip(&self, target: &Target) -> Tooltip {
        match &self.frame {
            Some(frame) if !target.rows.is_empty() => with_figures(frame, target),
            _ => target.tooltip.clone(),
        }
    }

    fn table(&self, most: usize, _what: &Emphasis) -> (Table, u64) {
        let mut table = self.chart.table();
        let more = table.rows.len().saturating_sub(most);
        table.rows.truncate(most);
        (table, more as u64)
    }

    fn controls(&self) -> Vec<Control> {
        self.chart.controls()
    }

    fn notes(&self) -> Vec<String> {
        self.chart.notes()
    }

    fn verdict_notes(&self) -> usize {
        self.chart.verdict_notes()
    }

    fn details(&self) -> Vec<(String, Table)> {
        self.chart.details()
    }

    fn heights(&self) -> (f64, f64) {
        self.chart.heights(self.canvas.size.0)
    }

    fn saved(&self, what: &Emphasis) -> Scene {
        self.chart.scene(&self.options(&what.selected))
    }

    fn whole(&self, what: &Emphasis) -> Result<Scene, (f64, f64)> {
        scroll::whole(&*self.chart, &self.options(&what.selected))
    }
}

/// True if rows are of different sides, which are never added up.
fn of_several_sides(frame: &Frame, rows: &[u32]) -> bool {
    if frame.kind() != DataKind::Sides {
        return false;
    }
    let counted = frame.counted();
    let mut sides = rows.iter().map(|r| counted.side_of(*r));
    let first = sides.next();
    sides.any(|s| Some(s) != first)
}

/// What the chart says of a target, then the figures of its row, or of its rows together.
fn with_figures(frame: &Frame, target: &Target) -> Tooltip {
    let out = target.tooltip.clone();
    if let [row] = target.rows[..] {
        let (_, figures) = explain::brief(frame, row as usize);
        return figures.into_iter().fold(out, |out, (caption, value)| out.row(caption, value));
    }
    if of_several_sides(frame, &target.rows) {
        return out;
    }
    let totals = Totals::over(frame, &target.rows);
    let mut out = out.row("GEMMs", grouped(totals.rows));
    if totals.measured > 0 {
        let rate = FlopsPerSec(totals.attained_flops_per_s);
        out = out.row("Time", Seconds(totals.time_s).to_string()).row("Attained", rate.to_string());
    }
    match totals.weighted_efficiency {
        Some(e) => out.row("% of roof", percent(e)),
        None => out,
    }
}
