//! Drawn charts. Most are hit-tested by the hit areas of their scene (`SceneChart`); one with a million points, or with
//! axes that zoom, has its own implementation ([`Chart::drawn`]).
//!
//! [`Chart::drawn`]: crate::chart::Chart::drawn

use crate::aggregate::distinct;
use crate::camera::Zoom;
use crate::chart::{Canvas, Chart, Drawing, Drawn, Emphasis, RenderOptions, Target};
use crate::clip;
use crate::hit::Direction;
use crate::labels::{Rect, grown, overlaps};
use crate::scene::{HitArea, Point, Scene};
use crate::scroll;
use crate::tooltip::Tooltip;
use gemmscope_model::units::{FlopsPerSec, Seconds, grouped, percent, plural};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::Frame;
use gemmscope_table::metrics::Totals;
use gemmscope_words::explain;
use std::sync::Arc;

/// Draws an opened chart for a page. `frame` is the one it was opened with; it supplies the figures of tooltips.
pub fn draw(
    opened: &Arc<Chart>,
    frame: Option<&Frame>,
    options: &RenderOptions<'_>,
) -> Arc<Drawing> {
    let by_areas = || Box::new(SceneChart::new(opened.clone(), frame, options)) as Box<dyn Drawn>;
    let drawn = opened.drawn(options).unwrap_or_else(by_areas);
    Arc::new(Drawing {
        opened: opened.clone(),
        notes: opened.said.notes.iter().cloned().chain(drawn.note()).collect(),
        heights: opened.heights(options.width),
        drawn,
    })
}

/// A chart that is hit-tested by the hit areas of its scene.
struct SceneChart {
    opened: Arc<Chart>,
    frame: Option<Frame>,
    scene: Scene,
    canvas: Canvas,
    first: (usize, usize),
    zoom: Option<Zoom>,
}

impl SceneChart {
    fn new(opened: Arc<Chart>, frame: Option<&Frame>, options: &RenderOptions<'_>) -> Self {
        SceneChart {
            scene: opened.scene(options),
            frame: frame.cloned(),
            canvas: options.canvas(),
            first: options.first,
            zoom: options.zoom,
            opened,
        }
    }

    fn options<'a>(&'a self, selected: &'a [u32]) -> RenderOptions<'a> {
        RenderOptions { selected, first: self.first, zoom: self.zoom, ..self.canvas.options() }
    }

    fn outline(&self, scene: &mut Scene, rect: Rect, width: f64) {
        scene.outline(grown(rect, 1.0), self.canvas.theme.accent, width);
    }
}

impl Drawn for SceneChart {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn emphasis(&self, what: &Emphasis) -> Scene {
        let mut over = Scene::new(&self.canvas.theme, (self.scene.width, self.scene.height), "");
        scroll::draw(&mut over, &self.scene, what.held);
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
            over.brush(rect);
        }
        over
    }

    fn at(&self, at: Point, _radius: f64) -> Option<Target> {
        if let Some(([l, t, w, h], ..)) = self.scene.range_at(at) {
            let words = "Drag along the colours to filter, click to show all";
            return Some(Target::new(Vec::new(), (l + w / 2.0, t + h), Tooltip::new(words)));
        }
        // The last one is on top.
        self.scene.hit_areas.iter().rfind(|a| clip::holds(a.rect, at)).map(Target::of)
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
            // Prefer straight ahead over sideways.
            (ahead > 0.5).then_some(ahead + 3.0 * aside)
        };
        areas
            .iter()
            .filter_map(|a| Some((cost(a)?, a)))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, a)| Target::of(a))
    }

    fn place(&self, row: u32) -> Option<Point> {
        let area = self.scene.hit_areas.iter().find(|a| a.rows.contains(&row))?;
        Some((area.rect[0] + area.rect[2] / 2.0, area.rect[1] + area.rect[3] / 2.0))
    }

    fn within(&self, rect: Rect) -> Vec<u32> {
        let touched = self.scene.hit_areas.iter().filter(|a| overlaps(a.rect, rect));
        distinct(touched.flat_map(|a| a.rows.iter().copied()))
    }

    fn tooltip(&self, target: &Target) -> Tooltip {
        let said = self.opened.tooltip(&target.tooltip);
        match &self.frame {
            Some(frame) if !target.rows.is_empty() => with_figures(frame, &target.rows, said),
            _ => said,
        }
    }

    fn saved(&self, what: &Emphasis) -> Scene {
        self.opened.scene(&self.options(&what.selected))
    }

    fn whole(&self, what: &Emphasis) -> Result<Scene, (f64, f64)> {
        scroll::whole(&self.opened, &self.options(&what.selected))
    }
}

/// The chart's text on some rows, then their figures: of the single row, or totals per device.
fn with_figures(frame: &Frame, rows: &[u32], out: Tooltip) -> Tooltip {
    if let [row] = *rows {
        let (_, figures) = explain::brief(frame, row as usize);
        return figures.into_iter().fold(out, |out, (caption, value)| out.row(caption, value));
    }
    // Sides are never added up.
    let side = |row: &u32| frame.counted().side_of(*row);
    if frame.kind() == DataKind::Sides && rows.iter().any(|r| side(r) != side(&rows[0])) {
        return out;
    }
    let device = |row: &u32| frame.data.device[*row as usize];
    let mut rows = rows.to_vec();
    rows.sort_by_key(device);
    let sets: Vec<&[u32]> = rows.chunk_by(|a, b| device(a) == device(b)).collect();
    sets.iter().fold(out, |out, set| {
        let totals = Totals::over(frame, set);
        let mut out = match (sets.len(), frame.device_name(device(&set[0]))) {
            (1, _) => out.row("Rows", grouped(totals.rows)),
            (_, "") => out.row("Device not stated", plural(totals.rows, "row")),
            (_, name) => out.row(name, plural(totals.rows, "row")),
        };
        if totals.measured > 0 {
            let rate = FlopsPerSec(totals.attained_flops_per_s);
            out = out.row("Time", Seconds(totals.time_s).to_string());
            out = out.row("Attained", rate.to_string());
        }
        match totals.weighted_efficiency {
            Some(e) => out.row("% of roof", percent(e)),
            None => out,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn devices_are_never_added_up() {
        let mut rows = Rows::new();
        for device in ["MI300X", "H100 SXM", "MI300X"] {
            rows.row((4096, 4096, 4096), "", 1e-3, device);
        }
        let frame = rows.frame(None).as_kind(Some(DataKind::Benchmark));
        let says = |rows: &[u32]| {
            let said = with_figures(&frame, rows, Tooltip::new("mark")).rows.into_iter();
            let time = said.filter(|r| r.0 == "Time" || r.1.contains(" row") || r.0 == "Rows");
            time.map(|(caption, value)| format!("{caption}: {value}")).collect::<Vec<_>>()
        };
        assert_eq!(says(&[0, 2]), ["Rows: 2", "Time: 2.000 ms"]);
        let both = says(&[0, 1, 2]);
        assert_eq!(both.iter().filter(|said| said.starts_with("Time")).count(), 2, "{both:?}");
        assert!(
            both.contains(&"Time: 2.000 ms".to_owned())
                && both.contains(&"Time: 1.000 ms".to_owned())
        );
        assert!(both.iter().any(|said| said.ends_with("MI300X: 2 rows")), "{both:?}");
    }
}
