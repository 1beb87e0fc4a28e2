//! A chart. Once opened, it has settings, sentences and a picture of any size; once drawn, it responds to pointer and
//! keyboard.

use crate::camera::{Camera, Zoom};
use crate::hit::Direction;
use crate::labels::{Rect, grown};
use crate::layout::{self, EDGE, NARROW};
use crate::legend::{self, Legend, Outside, Swatch};
use crate::palette::Theme;
use crate::scene::{HitArea, Item, Point, Scene};
use crate::spec::Spec;
use crate::tooltip::Tooltip;
use gemmscope_table::control::Control;
use gemmscope_table::field::Field;
use gemmscope_table::filter::Range;
use gemmscope_table::result_table::ResultTable;
use std::ops::Deref;
use std::sync::Arc;

/// Options for drawing a chart.
#[derive(Clone, Copy, Debug)]
pub struct RenderOptions<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Device pixels per CSS pixel, for raster parts.
    pub dpr: f64,
    /// Selected dataset rows: marks that contain one are highlighted.
    pub selected: &'a [u32],
    /// First column and row shown, in a chart that scrolls.
    pub first: (usize, usize),
    /// Visible part of the axes, if they can be zoomed; `None` shows everything.
    pub zoom: Option<Zoom>,
}

impl<'a> RenderOptions<'a> {
    /// Options with this size and theme, and nothing selected, scrolled or zoomed.
    pub fn new(theme: &'a Theme, (width, height): (f64, f64)) -> Self {
        RenderOptions { theme, width, height, dpr: 1.0, selected: &[], first: (0, 0), zoom: None }
    }

    pub(crate) fn canvas(&self) -> Canvas {
        Canvas { size: (self.width, self.height), dpr: self.dpr, theme: *self.theme }
    }
}

/// An opened chart: its texts and settings, and a picture that can be drawn at any size.
pub struct Chart {
    /// Its texts and settings.
    pub said: Statement,
    /// `None` if there is nothing to draw.
    picture: Option<Box<dyn Picture>>,
}

impl Chart {
    /// A chart of `picture`, which supplies its own texts; `controls` are its settings.
    pub(crate) fn of(picture: impl Picture + 'static, controls: Vec<Control>) -> Self {
        Chart::of_any(Box::new(picture), controls)
    }

    fn of_any(picture: Box<dyn Picture>, controls: Vec<Control>) -> Self {
        let (title, obstacle) = (picture.title(), picture.obstacle());
        let mut said = Statement { title, obstacle, controls, ..Statement::default() };
        if said.obstacle.is_none() {
            (said.verdict, said.notes) = (picture.verdict(), picture.notes());
            (said.details, said.figures) = (picture.details(), picture.figures());
            said.axes = picture.axes();
        }
        Chart { said, picture: Some(picture) }
    }

    /// A chart that shows a reason instead of a picture.
    pub(crate) fn without(
        title: impl Into<String>,
        why: impl Into<String>,
        controls: Vec<Control>,
    ) -> Self {
        let (title, obstacle) = (title.into(), Some(why.into()));
        Chart {
            said: Statement { title, obstacle, controls, ..Statement::default() },
            picture: None,
        }
    }

    /// Draws the picture: background and title, then the obstacle, or the legend with the marks below it. Marks of
    /// selected rows are outlined last.
    pub fn scene(&self, options: &RenderOptions<'_>) -> Scene {
        let said = &self.said;
        if let Some(mut scene) = self.picture.as_ref().and_then(|p| p.scene(options)) {
            if !said.title.is_empty() {
                scene.title.clone_from(&said.title);
            }
            return scene;
        }
        let mut scene =
            Scene::new(options.theme, (options.width, options.height), said.title.as_str());
        let whole = [0.0, 0.0, scene.width, scene.height];
        scene.fill(whole, options.theme.background);
        let (None, Some(picture)) = (&said.obstacle, &self.picture) else {
            let why = said.obstacle.as_deref().unwrap_or_default();
            if scene.title.is_empty() {
                why.clone_into(&mut scene.title);
            }
            layout::message(&mut scene, whole, why);
            return scene;
        };
        let entries = picture.legend(options.theme);
        let width = scene.width - 2.0 * EDGE;
        let used = legend::legend(Some(&mut scene), (EDGE, 4.0), width, &entries);
        let top = if used > 0.0 { used + 8.0 } else { 0.0 };
        let room = [0.0, top, scene.width, (scene.height - top).max(1.0)];
        picture.draw(&mut scene, room, options);
        // The layout's note on scrolling comes first.
        let scrolled = [std::mem::take(&mut scene.description)];
        let words = scrolled.into_iter().chain(said.sentences()).filter(|s| !s.is_empty());
        scene.description = words.collect::<Vec<_>>().join(" ");
        for area in &scene.hit_areas {
            if area.rows.iter().any(|row| options.selected.contains(row)) {
                let accent = options.theme.accent;
                let [x, y, w, h] = area.rect;
                // A ring around a wide list row would be as heavy as its content, so it gets a bar on its left edge.
                let (rect, fill, stroke) = match w > LIST * h {
                    true => ([x, y, 3.0, h], Some(accent), None),
                    false => (grown(area.rect, 1.0), None, Some((accent, 2.0))),
                };
                scene.items.push(Item::Rect { rect, fill, stroke });
            }
        }
        scene
    }

    /// The content of the picture as a table: all of it, and nothing else.
    pub fn table(&self) -> ResultTable {
        self.picture.as_ref().map_or_else(ResultTable::default, |p| p.table())
    }

    /// The tooltip with its text filled in, if it only refers to a mark of the picture.
    pub fn tooltip(&self, of: &Tooltip) -> Tooltip {
        let written = of.mark.zip(self.picture.as_ref()).map(|(mark, p)| p.tooltip(mark));
        written.unwrap_or_else(|| of.clone())
    }

    /// Height at which everything is readable at this width, in a picture without a page around it, CSS pixels.
    pub fn height(&self, width: f64) -> f64 {
        self.sizes(width).own
    }

    /// Minimum and maximum height in a page, CSS pixels: with less room the page scrolls, with more the rest stays
    /// empty.
    pub fn heights(&self, width: f64) -> (f64, f64) {
        if self.said.obstacle.is_some() {
            return OBSTACLE;
        }
        let Heights { least, most, .. } = self.sizes(width);
        (least, most)
    }

    fn sizes(&self, width: f64) -> Heights {
        self.picture.as_ref().map_or_else(|| Heights::filling(width), |p| p.heights(width))
    }

    /// The chart drawn for a page, if it handles the pointer itself: with a hit-test grid instead of hit areas, axes
    /// that zoom, or a clickable legend. `None` if the hit areas of its scene suffice.
    pub fn drawn(&self, options: &RenderOptions<'_>) -> Option<Box<dyn Drawn>> {
        self.picture.as_ref()?.drawn(options)
    }
}

/// A mark wider than this many times its height is a list row.
const LIST: f64 = 12.0;
/// Minimum and maximum height of a message in place of a picture, CSS pixels.
const OBSTACLE: (f64, f64) = (64.0, 140.0);

/// Heights of a picture at a given width, CSS pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heights {
    /// Without a page around it.
    pub(crate) own: f64,
    /// Minimum and maximum in a page.
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Heights {
    /// Heights of a picture that fills the room it gets.
    pub(crate) fn filling(width: f64) -> Self {
        Heights::of(width, (420.0, 640.0))
    }

    /// As [`filling`](Self::filling), with the heights that a narrow and a wide picture have without a page.
    pub(crate) fn of(width: f64, (narrow, wide): (f64, f64)) -> Self {
        let (own, least) = if width < NARROW { (narrow, 340.0) } else { (wide, 260.0) };
        Heights { own, least, most: f64::INFINITY }
    }

    /// Heights of a picture that scrolls; `full` is the height with everything in sight.
    pub(crate) fn scrolling(width: f64, full: f64) -> Self {
        let most = if width < NARROW { 380.0 } else { 440.0 };
        Heights { own: full.min(most), least: full.min(220.0), most: full }
    }
}

/// The picture of a chart; the methods correspond to those of [`Chart`] and the fields of [`Statement`].
pub(crate) trait Picture: Send + Sync {
    fn title(&self) -> String {
        String::new()
    }
    /// Its marks that stand for groups of rows; the other methods default to what follows from them.
    fn spec(&self) -> Option<&Spec> {
        None
    }
    fn obstacle(&self) -> Option<String> {
        self.spec().and_then(Spec::obstacle)
    }
    fn verdict(&self) -> Vec<String> {
        Vec::new()
    }
    fn notes(&self) -> Vec<String> {
        self.spec().map_or_else(Vec::new, Spec::notes)
    }
    fn details(&self) -> Vec<(String, ResultTable)> {
        Vec::new()
    }
    fn figures(&self) -> Vec<(String, String, String)> {
        Vec::new()
    }
    fn axes(&self) -> Option<(String, String)> {
        None
    }
    /// The legend of colours and marks, shown above the marks.
    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        self.spec().map_or_else(Vec::new, |spec| spec.legend(theme))
    }
    /// Draws the marks into the room that title and legend leave.
    fn draw(&self, _scene: &mut Scene, _room: Rect, _options: &RenderOptions<'_>) {}
    /// Tooltip of a [mark](Tooltip::of) that was drawn without one.
    fn tooltip(&self, mark: usize) -> Tooltip {
        self.spec().map_or_else(Tooltip::default, |spec| spec.tooltip(mark))
    }
    fn table(&self) -> ResultTable {
        self.spec().map_or_else(ResultTable::default, Spec::table)
    }
    /// Draws the whole picture, if it is not the usual background, legend and marks.
    fn scene(&self, _options: &RenderOptions<'_>) -> Option<Scene> {
        None
    }
    fn heights(&self, width: f64) -> Heights {
        Heights::filling(width)
    }
    fn drawn(&self, _options: &RenderOptions<'_>) -> Option<Box<dyn Drawn>> {
        None
    }
}

/// Texts and settings of an opened chart, computed once.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// One sentence: what the picture shows. If it is empty, the obstacle stands in.
    pub title: String,
    /// Why there is nothing to draw. If set, there are settings but no sentences.
    pub obstacle: Option<String>,
    /// Settings.
    pub controls: Vec<Control>,
    /// One or two sentences above the picture.
    pub verdict: Vec<String>,
    /// Sentences below the picture: what was matched, left out and assumed, and by which rule.
    pub notes: Vec<String>,
    /// Tables below the picture, each with its heading: content the picture has no room for.
    pub details: Vec<(String, ResultTable)>,
    /// Parameter and value that keep its axes whatever is drawn, if it has such axes but none that zoom: see
    /// [`Camera::fixing`].
    pub axes: Option<(String, String)>,
    /// Key figures of the current choice: caption, value, and a sentence that may be empty.
    pub figures: Vec<(String, String, String)>,
}

impl Statement {
    /// All sentences.
    pub fn sentences(&self) -> Vec<String> {
        [&self.verdict[..], &self.notes].concat()
    }
}

/// The mark under the pointer or with the keyboard focus.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Dataset rows of the mark.
    pub rows: Vec<u32>,
    /// Position, CSS pixels.
    pub at: Point,
    /// Number of other points at the same position.
    pub more: usize,
    /// The chart's own text; empty where the figures of the row suffice.
    pub tooltip: Tooltip,
    /// Legend categories of the mark: what [`Legend::click`] takes.
    pub categories: Vec<String>,
    /// Field of `categories`, if it is not the one that the legend shows: a roof stands for types whatever the colours
    /// show.
    pub field: Option<Field>,
}

impl Target {
    /// A mark with its rows, position and tooltip.
    pub(crate) fn new(rows: Vec<u32>, at: Point, tooltip: Tooltip) -> Self {
        Target { rows, at, more: 0, tooltip, categories: Vec::new(), field: None }
    }

    /// The target of a hit area.
    pub(crate) fn of(area: &HitArea) -> Self {
        Target::new(area.rows.clone(), area.center(), area.tooltip.clone())
    }

    /// True if this is the target of `area`.
    pub(crate) fn is(&self, area: &HitArea) -> bool {
        self.tooltip == area.tooltip && self.rows == area.rows
    }
}

/// Highlights over a drawn chart that change with the pointer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emphasis {
    /// Under the pointer or focused.
    pub target: Option<Target>,
    /// Selected dataset rows.
    pub selected: Vec<u32>,
    /// Rows hovered in another chart, ascending.
    pub elsewhere: Vec<u32>,
    /// Row that carries the number of each finding, in order of findings; `None` if findings were not computed.
    pub ranked: Option<Vec<u32>>,
    /// The box being drawn: left, top, width, height.
    pub brush: Option<Rect>,
    /// A scroll bar is hovered or dragged.
    pub held: bool,
}

impl Emphasis {
    /// The hovered or focused row.
    pub(crate) fn row(&self) -> Option<u32> {
        self.target.as_ref()?.rows.first().copied()
    }
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
    /// Options for this canvas, with nothing selected, scrolled or zoomed.
    pub fn options(&self) -> RenderOptions<'_> {
        RenderOptions { dpr: self.dpr, ..RenderOptions::new(&self.theme, self.size) }
    }
}

/// A drawn chart that can be queried.
pub trait Drawn: Send + Sync {
    /// The drawn scene.
    fn scene(&self) -> &Scene;
    /// Transparent overlay with the highlights.
    fn emphasis(&self, what: &Emphasis) -> Scene;
    /// Target nearest to `at` within `radius`, CSS pixels.
    fn at(&self, at: Point, radius: f64) -> Option<Target>;
    /// The next target for the keyboard.
    fn neighbour(&self, from: Option<&Target>, direction: Direction) -> Option<Target>;
    /// Position of a row in the picture.
    fn place(&self, _row: u32) -> Option<Point> {
        None
    }
    /// Rows inside a box.
    fn within(&self, rect: Rect) -> Vec<u32>;
    /// The drawn box as filters; empty if it can only select.
    fn ranges(&self, _rect: Rect) -> Vec<(Field, Range)> {
        Vec::new()
    }
    /// The tooltip of a target: the chart's text, then the figures of its rows.
    fn tooltip(&self, target: &Target) -> Tooltip;
    /// The content as a table of at most `_most` rows, and the number of rows left out; `None` if it does not depend on
    /// what was drawn. `_what` gives the numbers of rows.
    fn table(&self, _most: usize, _what: &Emphasis) -> Option<(ResultTable, u64)> {
        None
    }
    /// A sentence about what was drawn.
    fn note(&self) -> Option<String> {
        None
    }
    /// The numbered marks of the picture: number and name.
    fn key(&self, _what: &Emphasis) -> Vec<(usize, String)> {
        Vec::new()
    }
    /// Visible part of the axes, if they zoom and pan.
    fn camera(&self) -> Option<Camera> {
        None
    }
    /// The legend, if it stands beside the picture and is clickable.
    fn legend(&self) -> Option<Legend> {
        None
    }
    /// The rows that an entry of the legend selects.
    fn legend_rows(&self, _of: Outside) -> Vec<u32> {
        Vec::new()
    }
    /// The picture as saved: with legend, numbers and highlighted selection.
    fn saved(&self, what: &Emphasis) -> Scene;
    /// As [`saved`](Self::saved), with nothing scrolled out of sight; `Err` with its size if that is too large to draw.
    fn whole(&self, what: &Emphasis) -> Result<Scene, (f64, f64)> {
        Ok(self.saved(what))
    }
}

/// A chart drawn for a page.
pub struct Drawing {
    /// What was drawn.
    pub opened: Arc<Chart>,
    /// The sentences below it.
    pub notes: Vec<String>,
    /// Minimum and maximum height in a page, CSS pixels.
    pub heights: (f64, f64),
    pub(crate) drawn: Box<dyn Drawn>,
}

impl Drawing {
    /// The content as a table of at most `most` rows, and the number of rows left out. `what` gives the numbers of
    /// rows.
    pub fn table(&self, most: usize, what: &Emphasis) -> (ResultTable, u64) {
        self.drawn.table(most, what).unwrap_or_else(|| {
            let mut table = self.opened.table();
            let more = table.rows.len().saturating_sub(most);
            table.rows.truncate(most);
            (table, more as u64)
        })
    }
}

impl Deref for Drawing {
    type Target = dyn Drawn;

    fn deref(&self) -> &Self::Target {
        &*self.drawn
    }
}
