//! A drawn roofline that handles the pointer itself: a grid does the hit test, since there may be a million points, and
//! the axes zoom.

use super::chart::Contents;
use super::settings::{Ceilings, ceiling, numbers_of};
use super::{
    Extras, Layers, RoofLine, RooflineInput, RooflinePicture, hit_grid, open_grid, overlay,
    roofline, table,
};
use crate::camera::Camera;
use crate::chart::{Canvas, Drawn, Emphasis, RenderOptions, Target};
use crate::clip;
use crate::hit::{Direction, Hit, HitGrid};
use crate::labels::Rect;
use crate::legend::{Click, Legend, LegendEntry, Outside};
use crate::scene::{HitArea, Point, Scene, Symbol};
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_analysis::tile_roof::TileRoofs;
use gemmscope_model::units::{percent, plural};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::{Field, Frame, shape_label};
use gemmscope_table::filter::Range;
use gemmscope_table::metrics::ABOVE_ROOF;
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::charts::roofline as words;
use gemmscope_words::explain;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A drawn roofline.
pub(crate) struct InteractiveRoofline {
    opened: Arc<Contents>,
    extras: Extras,
    /// Size and colours of the picture.
    pub(crate) canvas: Canvas,
    hidden: Vec<bool>,
    picture: RooflinePicture,
    /// The user has zoomed.
    zoomed: bool,
    /// Built at the first hit test: many pictures are only looked at.
    grid: OnceLock<HitGrid>,
    /// Grid of the open marks, for the pointer alone: the keyboard visits each row once.
    open: OnceLock<HitGrid>,
    /// Boxes of the numbers drawn last, each with its row.
    boxes: Mutex<Vec<(Rect, u32)>>,
}

/// Calls `what` with the drawing input; includes the ceilings of single rows if `own`.
fn ask<T>(
    opened: &Contents,
    extras: &Extras,
    (canvas, hidden): (&Canvas, &[bool]),
    own: bool,
    what: impl FnOnce(&RooflineInput<'_>) -> T,
) -> T {
    let (frame, colors) = (&opened.frame, opened.colors.of(&canvas.theme));
    let tiles = TileRoofs::new(&frame.data, &frame.metrics);
    let ceiling = |row: usize| ceiling(tiles.of(row));
    what(&RooflineInput {
        hidden,
        own_ceiling: own.then_some(&ceiling),
        dpr: canvas.dpr,
        measured: opened.settings.measured,
        ai: opened.settings.ai,
        extras,
        roof_types: opened.settings.roofs,
        background: &opened.background,
        links: &opened.baseline.links,
        share: opened.settings.share,
        of_reference: opened.settings.of_reference,
        ..RooflineInput::new(frame, &opened.points, colors, &canvas.theme, canvas.size)
    })
}

impl InteractiveRoofline {
    pub(crate) fn new(opened: Arc<Contents>, extras: Extras, options: &RenderOptions<'_>) -> Self {
        let canvas = options.canvas();
        let names = &opened.colors.of(&canvas.theme).names;
        let hidden: Vec<bool> = names.iter().map(|n| opened.settings.off.contains(n)).collect();
        let own = opened.settings.ceilings == Ceilings::All;
        let picture = ask(&opened, &extras, (&canvas, &hidden), own, |input| {
            roofline(&RooflineInput { zoom: options.zoom, ..*input })
        });
        InteractiveRoofline {
            opened,
            extras,
            canvas,
            hidden,
            picture,
            zoomed: options.zoom.is_some(),
            grid: OnceLock::new(),
            open: OnceLock::new(),
            boxes: Mutex::default(),
        }
    }

    /// What was drawn.
    #[cfg(test)]
    pub(crate) fn picture(&self) -> &RooflinePicture {
        &self.picture
    }

    /// The drawn rows.
    pub(crate) fn frame(&self) -> &Frame {
        &self.opened.frame
    }

    /// Calls `what` with the drawing input, including the ceilings of single rows.
    fn ask<T>(&self, what: impl FnOnce(&RooflineInput<'_>) -> T) -> T {
        let own = self.opened.settings.ceilings != Ceilings::None;
        ask(&self.opened, &self.extras, (&self.canvas, &self.hidden), own, what)
    }

    fn grid(&self) -> &HitGrid {
        let make = || self.ask(|input| hit_grid(input, &self.picture.plot));
        self.grid.get_or_init(make)
    }

    fn open_grid(&self) -> &HitGrid {
        let make = || self.ask(|input| open_grid(input, &self.picture.plot));
        self.open.get_or_init(make)
    }

    /// The picture with numbers, and rings around the selected rows.
    pub(crate) fn marked(&self, what: &Emphasis) -> Scene {
        let mut scene = self.picture.scene.clone();
        scene.items.extend(self.emphasis(what).items);
        scene
    }

    /// The rows that carry a number.
    fn numbered(&self, what: &Emphasis) -> Vec<u32> {
        let by = self.opened.settings.numbers;
        numbers_of(by, what.ranked.as_deref(), || self.opened.costly())
    }

    fn target(&self, hit: Hit) -> Target {
        Target {
            more: self.grid().count_near(hit.at, 3.0).saturating_sub(1),
            categories: self.category(hit.id).into_iter().collect(),
            ..Target::new(vec![hit.id], hit.at, Tooltip::default())
        }
    }

    /// Boxes of the numbers drawn last.
    fn boxes(&self) -> MutexGuard<'_, Vec<(Rect, u32)>> {
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The row whose number is at this place: a number stands for its point.
    fn number_at(&self, at: Point) -> Option<Target> {
        let row = self.boxes().iter().find(|(rect, _)| clip::holds(*rect, at)).map(|b| b.1)?;
        let place = self.opened.points.px(&self.picture.plot, row)?;
        Some(self.target(Hit { id: row, at: place, distance: 0.0 }))
    }

    /// True for a point that is not a row.
    fn is_extra(&self, target: &Target) -> bool {
        self.picture.scene.hit_areas.iter().any(|area| area.tooltip == target.tooltip)
    }

    /// The row whose number or mark is at this place.
    fn row_at(&self, at: Point, radius: f64) -> Option<Target> {
        if let Some(target) = self.number_at(at) {
            return Some(target);
        }
        let filled = self.grid().nearest(at, radius);
        let open = self.open_grid().nearest(at, radius);
        let nearest = match (filled, open) {
            (Some(filled), Some(open)) if open.distance < filled.distance => Some(open),
            (filled, open) => filled.or(open),
        };
        nearest.map(|hit| self.target(hit))
    }

    /// Legend entry of a row's colour; `None` if colours are numeric.
    fn category(&self, row: u32) -> Option<String> {
        let colors = self.opened.colors.of(&self.canvas.theme);
        let name = colors.names.get(usize::from(colors.code(row as usize)))?;
        (colors.gradient.is_none() && !name.is_empty()).then(|| name.clone())
    }

    /// What lies outside the initial part of the axes; `None` after a zoom.
    fn not_in_view(&self) -> Option<String> {
        let picture = &self.picture;
        if self.zoomed || picture.first == picture.home {
            return None;
        }
        let (low, high) = picture.plot.x.domain;
        let ridges = || picture.roofs.iter().map(RoofLine::ridge);
        let [left, right] = [ridges().fold(0.0, f64::max), ridges().fold(f64::INFINITY, f64::min)];
        let ridges = [(left, left < low, "left"), (right, right > high, "right")]
            .into_iter()
            .filter(|(ridge, beside, _)| *beside && *ridge > 0.0 && ridge.is_finite())
            .map(|(ridge, _, side)| (ridge, side));
        words::not_in_view(picture.counts.outside, &ridges.collect::<Vec<_>>())
    }

    /// The roof whose label or ceiling is at this place.
    fn roof_at(&self, at: Point) -> Option<Target> {
        let picture = &self.picture;
        let labelled = picture.roof_labels.iter().find(|(_, rect)| clip::holds(*rect, at));
        let roof = match labelled {
            Some((index, _)) => picture.roofs.get(*index),
            None => picture.roofs.iter().find(|r| r.is_near(&picture.plot, at)),
        }?;
        let by_type = self.opened.settings.color == Some(Field::Dtype);
        Some(Target {
            categories: roof.row_types.clone(),
            field: (!by_type).then_some(Field::Dtype),
            ..Target::new(Vec::new(), at, roof.tooltip())
        })
    }
}

/// The next point after `from` that is not a row, in list order; `None` after the last one.
fn next_of(areas: &[HitArea], from: Option<&Target>, direction: Direction) -> Option<Target> {
    let at = from.and_then(|t| areas.iter().position(|a| a.tooltip == t.tooltip));
    let next = match (at, direction) {
        (None, _) => 0,
        (Some(i), Direction::Right | Direction::Down) => i + 1,
        (Some(i), _) => i.saturating_sub(1),
    };
    areas.get(next).map(Target::of)
}

impl Drawn for InteractiveRoofline {
    fn scene(&self) -> &Scene {
        &self.picture.scene
    }

    fn emphasis(&self, what: &Emphasis) -> Scene {
        let numbered = self.numbered(what);
        self.ask(|input| {
            let input = RooflineInput { numbered: &numbered, ..*input };
            let mut scene = overlay(&input, &self.picture, what);
            let mut labels = Layers::over(&input, &self.picture);
            *self.boxes() = labels.numbers();
            // If the row is hovered here, the tooltip shows it.
            if let (None, [row]) = (what.row(), &what.elsewhere[..]) {
                labels.share_label(*row);
            }
            scene.items.extend(labels.scene.items);
            // A point that is not a row; roofs have no mark of their own.
            let extra = |t: &&Target| t.rows.is_empty() && self.is_extra(t);
            if let Some(point) = what.target.as_ref().filter(extra) {
                scene.mark(point.at, 9.0, Symbol::Ring, self.canvas.theme.text);
            }
            scene
        })
    }

    fn at(&self, at: Point, radius: f64) -> Option<Target> {
        // If a row and another point coincide, the row wins.
        let away = |t: &Target| (t.at.0 - at.0).hypot(t.at.1 - at.1);
        let extra = self.picture.scene.hit_areas.iter().map(Target::of);
        let extra = extra.min_by(|a, b| away(a).total_cmp(&away(b))).filter(|t| away(t) <= radius);
        match (extra, self.row_at(at, radius)) {
            (Some(extra), Some(row)) if away(&extra) < away(&row) => Some(extra),
            (extra, row) => row.or(extra),
        }
        .or_else(|| self.roof_at(at))
    }

    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target> {
        let row = from.and_then(|t| t.rows.first().copied());
        let areas = &self.picture.scene.hit_areas;
        let extra = row.is_none().then(|| next_of(areas, from, direction)).flatten();
        let row = || self.grid().neighbour(row, direction).map(|hit| self.target(hit));
        // After the last point there may be no row to go to.
        extra.or_else(row).or_else(|| from.cloned())
    }

    fn place(&self, row: u32) -> Option<Point> {
        self.ask(|input| input.points.px(&self.picture.plot, row))
    }

    fn within(&self, rect: Rect) -> Vec<u32> {
        self.grid().within(rect)
    }

    fn ranges(&self, [l, t, w, h]: Rect) -> Vec<(Field, Range)> {
        // A box this small is a slip of the hand, not a filter.
        if w < 3.0 || h < 3.0 {
            return Vec::new();
        }
        let (ai, rate) = self.picture.camera().ranges_in([l, t, w, h]);
        let range = |(min, max)| Range { min: Some(min), max: Some(max) };
        let y = match (self.opened.settings.share, self.opened.settings.of_reference) {
            (false, _) => Field::Attained,
            (true, false) => Field::Efficiency,
            (true, true) => Field::OfReference,
        };
        let mut out = vec![(y, range(rate))];
        if self.opened.settings.ai.level().is_none() {
            out.insert(0, (Field::Ai, range(ai)));
        }
        out
    }

    fn tooltip(&self, target: &Target) -> Tooltip {
        let Some(&row) = target.rows.first() else {
            return target.tooltip.clone();
        };
        let (head, rows) = explain::brief(self.frame(), row as usize);
        let time_s = self.frame().data.time_s[row as usize];
        let rival = self.opened.rivals().words(row, time_s);
        let out = Tooltip { head, rows, mark: None };
        let out = rival.into_iter().fold(out, |out, rival| out.row("Rival", rival));
        match target.more {
            0 => out,
            n => out.row("Same place", plural(n as u64, "other row")),
        }
    }

    fn table(&self, most: usize, what: &Emphasis) -> Option<(ResultTable, u64)> {
        let numbered = self.numbered(what);
        let (rows, total) = self.ask(|input| {
            let input = RooflineInput { numbered: &numbered, ..*input };
            table(&input, &self.picture.plot, most)
        });
        let left_out = total - rows.rows.len() as u64;
        Some((rows, left_out))
    }

    fn note(&self) -> Option<String> {
        let shown = |e: &&LegendEntry| e.click == Click::Category && e.shown == Some(true);
        let categories = self.picture.legend.entries.iter().filter(shown).count();
        let density = self.picture.dense.then(|| words::density(categories > 1));
        let notes: Vec<String> = density.into_iter().chain(self.not_in_view()).collect();
        (!notes.is_empty()).then(|| notes.join(" "))
    }

    fn camera(&self) -> Option<Camera> {
        Some(self.picture.camera())
    }

    fn legend(&self) -> Option<Legend> {
        Some(self.picture.legend.clone())
    }

    /// The rows above their roof, farthest first, or those without one, slowest first.
    fn legend_rows(&self, of: Outside) -> Vec<u32> {
        const MOST: usize = 24;
        let frame = self.frame();
        let (data, metrics) = (&*frame.data, &*frame.metrics);
        let rank = |r: usize| match of {
            Outside::Above => Some(metrics.efficiency(data, r)).filter(|e| *e > ABOVE_ROOF),
            Outside::NoRoof => {
                Some(data.time_s[r]).filter(|t| *t > 0.0 && metrics.roof_s[r].is_nan())
            }
        };
        let mut rows: Vec<(f64, u32)> =
            frame.rows.iter().filter_map(|&r| Some((rank(r as usize)?, r))).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        rows.truncate(MOST);
        rows.into_iter().map(|r| r.1).collect()
    }

    fn key(&self, what: &Emphasis) -> Vec<(usize, String)> {
        let (frame, plot) = (self.frame(), &self.picture.plot);
        let drawn = |row: u32| {
            let at = self.opened.points.px(plot, row);
            let light = self.opened.background.binary_search(&row).is_ok();
            let colors = self.opened.colors.of(&self.canvas.theme);
            let code = usize::from(colors.code(row as usize));
            let hidden = self.hidden.get(code) == Some(&true);
            at.is_some_and(|p| plot.holds(p)) && !light && !hidden
        };
        let rows = self.numbered(what).into_iter().enumerate();
        rows.filter(|(_, row)| drawn(*row))
            .map(|(i, row)| (i + 1, point(frame, row as usize)))
            .collect()
    }

    fn saved(&self, what: &Emphasis) -> Scene {
        let scene = self.marked(what);
        self.picture.legend.above(scene)
    }
}

/// A point in short: `4096 × 4096 × 4096 fp16, 512 TFLOP/s, 39.2 % of roof`.
fn point(frame: &Frame, row: usize) -> String {
    let data = &*frame.data;
    let shape = shape_label(&data.problem(row));
    let types = data.ops[usize::from(data.op[row])].types();
    let mut out = format!("{shape} {types}");
    let sides = match frame.kind() {
        DataKind::Sides => frame.counted().sides.as_slice(),
        _ => &[],
    };
    let side = sides.iter().find(|s| s.rows.binary_search(&(row as u32)).is_ok());
    if let Some(side) = side.filter(|s| !s.label.is_empty()) {
        out.push_str(&format!(" {}", side.label));
    }
    let rate = frame.metrics.rate(&frame.data, row);
    if rate.is_finite() {
        out.push_str(&format!(", {}", Format::rate().write(rate, 3)));
    }
    let share = frame.metrics.efficiency(data, row);
    if share.is_finite() {
        out.push_str(&format!(", {} of roof", percent(share)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::Inputs;
    use crate::palette::Theme;
    use crate::scene::Item;
    use gemmscope_model::dtype::DataType;
    use gemmscope_model::gemm::Operation;
    use gemmscope_table::fixture::Rows;
    use gemmscope_table::view_state::ViewState;

    #[test]
    fn labels_of_two_devices_break_no_roof() {
        let mut rows = Rows::new();
        let bf16 = Operation::uniform(DataType::Bf16);
        for device in ["AMD Instinct MI300X", "NVIDIA H100 80GB HBM3"] {
            rows.typed((512, 512, 512), bf16, "", 2e-4, device);
        }
        let (frame, state) = (rows.frame(None), ViewState::default());
        let inputs = Inputs::new(&frame, &state);
        let opened = Contents::new(&inputs, super::super::Settings::read(&inputs).0);
        let options = RenderOptions::new(&Theme::LIGHT, (900.0, 480.0));
        let drawn = InteractiveRoofline::new(opened, Extras::default(), &options);
        let items = || drawn.scene().items.iter();
        let solid = items().filter_map(|item| match item {
            Item::Line { points, width: 1.5, .. } => Some(points.clone()),
            _ => None,
        });
        let solid: Vec<_> = solid.collect();
        assert!(solid.len() >= 4 && drawn.picture().roof_labels.len() >= 2);
        for (_, label) in &drawn.picture().roof_labels {
            let crossed = |l: &&Vec<Point>| crate::clip::segment(l[0], l[1], *label).is_some();
            assert_eq!(solid.iter().find(crossed), None, "{label:?}");
        }
    }

    #[test]
    fn the_label_and_the_line_of_a_roof_stand_for_its_types() {
        let mut rows = Rows::new();
        rows.row((4096, 4096, 4096), "x", 1e-3, "");
        let frame = rows.frame(Some("mi300x"));
        let state = ViewState::default();
        let inputs = Inputs::new(&frame, &state);
        let opened = Contents::new(&inputs, super::super::Settings::read(&inputs).0);
        let options = RenderOptions::new(&Theme::LIGHT, (960.0, 640.0));
        let drawn = InteractiveRoofline::new(opened, Extras::default(), &options);
        let (index, [l, t, w, h]) = drawn.picture.roof_labels[0];
        let roof = &drawn.picture.roofs[index];
        let target = drawn.at((l + w / 2.0, t + h / 2.0), 4.0).unwrap();
        assert_eq!(target.categories, ["fp16"]);
        let [x, y, width, _] = drawn.picture.plot.rect;
        let on_line = (x + width - 5.0, drawn.picture.plot.y.px(roof.peak) + 2.0);
        assert_eq!(drawn.at(on_line, 1.0).map(|t| t.tooltip), Some(target.tooltip));
        assert_eq!(drawn.at((x + 3.0, y + 3.0), 1.0), None);
        let point = drawn.points_at(0);
        assert_eq!(drawn.at(point, 4.0).unwrap().categories, ["fp16"]);
        // A number beside a point stands for it, once drawn.
        let what = Emphasis { ranked: Some(vec![0]), ..Emphasis::default() };
        drawn.emphasis(&what);
        let ([l, t, w, h], row) = drawn.boxes()[0];
        let beside = drawn.at((l + w / 2.0, t + h / 2.0), 1.0).unwrap();
        assert_eq!((row, beside.rows, beside.at), (0, vec![0], point));
        // The share reached by a point hovered in the list is written beside its line to the roof, not over the number.
        let hovered = drawn.emphasis(&Emphasis { elsewhere: vec![0], ..what });
        let share = hovered.dump();
        let share = share.lines().find(|l| l.contains(" % of ")).unwrap();
        let ys: Vec<f64> = share.split([' ', ',']).filter_map(|w| w.parse().ok()).collect();
        assert!(ys[1] < point.1 && !(t..t + h).contains(&ys[1]), "{share}");
        drawn.emphasis(&Emphasis { ranked: Some(Vec::new()), ..Emphasis::default() });
        assert_eq!(drawn.at((l + w / 2.0, t + h / 2.0), 1.0), None);
    }

    impl InteractiveRoofline {
        fn points_at(&self, row: u32) -> Point {
            self.opened.points.px(&self.picture.plot, row).unwrap()
        }
    }
}
