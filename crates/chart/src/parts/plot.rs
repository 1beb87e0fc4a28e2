//! Layouts shared by several pictures: rows of named bands, a value axis below them, a plot with two scales.

use crate::cells::{Below, fit};
use crate::chart::RenderOptions;
use crate::labels::Rect;
use crate::layout::{self, EDGE, FONT, NARROW, Plot};
use crate::palette::{alpha, mix, on};
use crate::scale::{Scale, ScaleKind};
use crate::scene::{BOTTOM, Color, END, START, Scene, Symbol, Window};
use crate::text;
use crate::ticks::{self, Format, Tick};
use crate::tooltip::Tooltip;
use std::ops::Range;

/// Number of names measured to size their column.
const MEASURED: usize = 1000;

/// Dataset rows and mark number of a band; `None` for a remark between bands.
pub(crate) type Mark<'a> = dyn Fn(usize) -> Option<(Vec<u32>, usize)> + 'a;

/// Rows of named bands; they scroll if not all fit.
pub(crate) struct Bands<'a> {
    /// Number of bands.
    pub(crate) n: usize,
    /// What they are called where some do not fit: `Bars`.
    pub(crate) what: &'a str,
    /// Height of a band, px.
    pub(crate) row: f64,
    /// Maximum width of the names, px; `None` for the usual share of the picture.
    pub(crate) most: Option<f64>,
    /// Name of a band.
    pub(crate) name: &'a dyn Fn(usize) -> String,
    /// Rows and mark of a band.
    pub(crate) mark: &'a Mark<'a>,
}

/// The visible bands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Left end of the marks, right of the names.
    pub(crate) left: f64,
    /// Top of the first visible band.
    pub(crate) top: f64,
    /// First visible band, and the number of visible ones.
    pub(crate) first: usize,
    pub(crate) shown: usize,
    /// Height of a band.
    pub(crate) row: f64,
}

impl Placed {
    /// The visible bands, each with its top.
    pub(crate) fn each(self) -> impl Iterator<Item = (usize, f64)> {
        (0..self.shown).map(move |i| (self.first + i, self.top + self.row * i as f64))
    }

    /// Lower edge of the last band.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.row * self.shown as f64
    }
}

impl Bands<'_> {
    /// Writes the names into `room` and makes every band a hit area. If some do not fit, the room scrolls. The width of
    /// the names' column does not depend on the scroll position.
    pub(crate) fn place(&self, scene: &mut Scene, room: Rect, o: &RenderOptions<'_>) -> Placed {
        let [x, top, width, height] = room;
        let shown = ((height / self.row) as usize).clamp(1.min(self.n), self.n);
        let first = o.first.1.min(self.n - shown);
        let share = if scene.width < NARROW { 0.36 } else { 0.34 };
        let most = self.most.unwrap_or(scene.width * share);
        let sample = (0..self.n).step_by(self.n.div_ceil(MEASURED).max(1));
        let widest = text::widest(sample.chain(first..first + shown).map(self.name), FONT);
        let names = widest.min(most).ceil();
        let left = x + names + 14.0;
        let placed = Placed { left, top, first, shown, row: self.row };
        let full: Vec<String> = (first..first + shown).map(self.name).collect();
        let texts: Vec<&str> = full.iter().map(String::as_str).collect();
        let cut = text::cut_apart(&texts, FONT, names);
        for ((i, y), name) in placed.each().zip(cut) {
            let at = (left - 7.0, y + self.row / 2.0);
            let mark = (self.mark)(i);
            scene.text(at, name, if mark.is_some() { o.theme.text } else { o.theme.muted }, END);
            if let Some((rows, mark)) = mark {
                scene.hit(rows, [x, y, width, self.row], Tooltip::of(mark));
            }
        }
        if shown < self.n {
            let (what, last) = (self.what, first + shown);
            let words = format!("{what} {} to {last} of {} shown.", first + 1, self.n);
            let rows = Window { first, shown, total: self.n, step: self.row };
            let part = [x, top, width, placed.bottom() - top];
            scene.scrolls(part, Window::default(), rows, words);
        }
        placed
    }
}

/// The panel behind horizontal bars: its grid, the ticks below it, the title above.
pub(crate) fn value_panel(
    scene: &mut Scene,
    rect: Rect,
    scale: &Scale,
    title: &str,
    format: &Format<'_>,
) {
    scene.fill(rect, scene.theme.panel);
    let bottom = rect[1] + rect[3];
    let ticks = ticks::ticks(scale, ((rect[2] / 52.0) as usize).clamp(2, 8), format);
    let labelled: Vec<_> =
        ticks.into_iter().filter_map(|t| Some((scale.px(t.value), t.label?))).collect();
    for (x, _) in &labelled {
        scene.line(vec![(*x, rect[1]), (*x, bottom)], scene.theme.grid, 1.0);
    }
    layout::labels_below(scene, (rect[0] + rect[2] + 10.0, bottom + 5.0), FONT, labelled);
    scene.line(vec![(rect[0], rect[1]), (rect[0], bottom)], scene.theme.axis, 1.0);
    let title = text::ellipsis(title, FONT, rect[2]);
    scene.text((rect[0], rect[1] - 6.0), title, scene.theme.muted, BOTTOM);
}

/// The bar of a value panel in its band, with its figure: inside if it fits, else beside it and clear of `keep_off`,
/// the position of a tick. On a logarithmic scale, where bar length means nothing, a dot.
pub(crate) fn value_bar(
    scene: &mut Scene,
    [left, top, width, height]: Rect,
    scale: &Scale,
    (value, label): (f64, String),
    color: Color,
    keep_off: f64,
) {
    let (end, middle) = (scale.px(value), top + height / 2.0);
    let w = text::width(&label, FONT, false);
    let taken = |x: f64| keep_off > x - 4.0 && keep_off < x + w + 4.0;
    if !end.is_finite() {
        let x = if taken(left + 5.0) { keep_off + 5.0 } else { left + 5.0 };
        scene.text((x, middle), "–", scene.theme.muted, START);
        return;
    }
    let end = end.clamp(left + 1.0, left + width);
    let fits = |x: f64| x > left && x + w <= left + width;
    if scale.kind == ScaleKind::Log {
        scene.line(vec![(left, middle), (left + width, middle)], scene.theme.grid, 1.0);
        scene.mark((end, middle), 4.5, Symbol::Dot, color);
        let beside = [end + 8.0, end - 8.0 - w, keep_off + 5.0];
        if let Some(x) = beside.into_iter().find(|x| fits(*x) && !taken(*x)) {
            scene.fill([x - 2.0, top + 2.0, w + 4.0, height - 4.0], alpha(scene.theme.panel, 0.86));
            scene.text((x, middle), label, scene.theme.muted, START);
        }
        return;
    }
    scene.fill([left, top + 3.0, end - left, height - 6.0], alpha(color, 0.85));
    if end - left > w + 12.0 && !taken(end - 5.0 - w) {
        let ink = on(mix(scene.theme.panel, color, 0.85));
        scene.text((end - 5.0, middle), label, ink, END);
        return;
    }
    let x = match keep_off {
        k if k > end - 2.0 && k < end + w + 10.0 => k + 5.0,
        _ => end + 6.0,
    };
    if fits(x) {
        scene.text((x, middle), label, scene.theme.muted, START);
    }
}

/// Ticks of an axis, by its scale and its length in px.
pub(crate) type Marks<'a> = Box<dyn Fn(&Scale, f64) -> Vec<Tick> + 'a>;

/// An axis of a plot with two scales.
pub(crate) struct Ruler<'a> {
    pub(crate) title: String,
    pub(crate) kind: ScaleKind,
    pub(crate) domain: (f64, f64),
    pub(crate) marks: Marks<'a>,
    /// Lines across the plot.
    pub(crate) grid: bool,
}

impl<'a> Ruler<'a> {
    /// An axis with a grid.
    pub(crate) fn new(
        title: impl Into<String>,
        (kind, domain): (ScaleKind, (f64, f64)),
        marks: Marks<'a>,
    ) -> Self {
        Ruler { title: title.into(), kind, domain, marks, grid: true }
    }

    /// An axis without ticks and title.
    pub(crate) fn none(domain: (f64, f64)) -> Self {
        Ruler {
            grid: false,
            ..Ruler::new("", (ScaleKind::Linear, domain), Box::new(|_, _| Vec::new()))
        }
    }
}

/// Ticks at round values, one label per `each` px, at least and at most so many.
pub(crate) fn round(format: Format<'_>, each: f64, (least, most): (usize, usize)) -> Marks<'_> {
    Box::new(move |scale, px| {
        ticks::ticks(scale, ((px / each) as usize).clamp(least, most), &format)
    })
}

/// Space around a plot, px, in addition to that of the ticks on its left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
    /// Part of the space below that belongs to the panel.
    pub(crate) lane: f64,
}

impl Around {
    /// For a title line above, and ticks with a title below.
    pub(crate) const USUAL: Around = Around { top: 24.0, right: 12.0, bottom: 40.0, lane: 0.0 };
}

/// Panel, grid, ticks and titles of a plot in `room`.
pub(crate) fn xy(
    scene: &mut Scene,
    ([left, top, width, height], around): (Rect, Around),
    x: &Ruler<'_>,
    y: &Ruler<'_>,
) -> Plot {
    // The y ticks determine the left margin, and thus the plot.
    let draft = Scale::new(y.kind, y.domain, (1.0, 0.0));
    let y_ticks = (y.marks)(&draft, height);
    let labels = y_ticks.iter().filter_map(|t| t.label.as_deref());
    let side = (text::widest(labels, FONT) + 12.0).ceil();
    let rect = [
        left + side,
        top + around.top,
        (width - side - around.right).max(1.0),
        (height - around.top - around.bottom - around.lane).max(1.0),
    ];
    let plot = Plot::new(rect, Scale::new(x.kind, x.domain, (0.0, 1.0)), draft);
    scene.fill([rect[0], rect[1], rect[2], rect[3] + around.lane], scene.theme.panel);
    let x_ticks = (x.marks)(&plot.x, rect[2]);
    axes(scene, (&plot, left, left + width), around.lane, (x, &x_ticks), (y, &y_ticks));
    plot
}

/// Columns of equal width above their names; they scroll if not all fit.
pub(crate) struct Upright<'a> {
    pub(crate) names: &'a [String],
    /// Title of the names, and what the columns are called where some do not fit: `boxes`.
    pub(crate) title: &'a str,
    pub(crate) what: &'a str,
    /// Minimum and maximum width of a column, px.
    pub(crate) widths: (f64, f64),
    /// First visible column.
    pub(crate) first: usize,
}

impl Upright<'_> {
    /// Draws the panel with its Y axis and the names; returns the plot, the width of a column and the visible ones.
    pub(crate) fn plot(
        &self,
        scene: &mut Scene,
        room: Rect,
        y: &Ruler<'_>,
    ) -> (Plot, f64, Range<usize>) {
        // Names that do not fit side by side are turned.
        let (n, widest) = (self.names.len(), text::widest(self.names, FONT));
        let (each, _) = fit(scene.width - 60.0, n, self.widths);
        let turned = widest + 8.0 > each;
        let foot = match turned {
            true => widest.min(scene.height * 0.3).min(150.0) + 12.0,
            false => FONT * text::LINE + 8.0,
        };
        let around = Around { bottom: foot + FONT * text::LINE + 6.0, ..Around::USUAL };
        let plot = xy(scene, (room, around), &Ruler::none((0.0, 1.0)), y);
        let [left, top, width, height] = plot.rect;
        let (each, shown) = fit(width, n, self.widths);
        let first = self.first.min(n - shown);
        Below {
            names: &self.names[first..first + shown],
            title: self.title,
            at: (left, top + height),
            each,
            turned,
            foot,
            room: if turned { foot - 10.0 } else { each },
            lines: 1,
        }
        .draw(scene);
        if shown < n {
            let words = format!("{shown} of {n} {} shown.", self.what);
            let columns = Window { first, shown, total: n, step: each };
            scene.scrolls(plot.rect, columns, Window::default(), words);
        }
        (plot, each, first..first + shown)
    }
}

/// Draws grid lines, ticks, tick labels (none overlapping) and titles of a plot, in a room that extends from `left` to
/// `right`.
fn axes(
    scene: &mut Scene,
    (plot, from, until): (&Plot, f64, f64),
    lane: f64,
    x: (&Ruler<'_>, &[Tick]),
    y: (&Ruler<'_>, &[Tick]),
) {
    let [l, t, w, h] = plot.rect;
    let (r, b) = (l + w, t + h);
    // Minor lines below major ones, so that no major one is interrupted.
    for major in [false, true] {
        let color = if major { scene.theme.grid } else { scene.theme.grid_minor };
        for ((axis, ticks), vertical) in [(x, true), (y, false)] {
            if !axis.grid {
                continue;
            }
            for tick in ticks.iter().filter(|t| t.label.is_some() == major) {
                let px = if vertical { plot.x.px(tick.value) } else { plot.y.px(tick.value) };
                if !px.is_finite() {
                    continue;
                }
                let line = if vertical { vec![(px, t), (px, b)] } else { vec![(l, px), (r, px)] };
                scene.line(line, color, 1.0);
            }
        }
    }
    scene.line(vec![(l, b), (r, b)], scene.theme.axis, 1.0);
    scene.line(vec![(l, t), (l, b)], scene.theme.axis, 1.0);
    layout::x_labels(scene, (plot, until), b + lane, x.1);
    y_labels(scene, plot, y.1);
    layout::x_title(scene, (from, r, b + lane + 22.0), &x.0.title);
    if !y.0.title.is_empty() {
        let title = text::ellipsis(&y.0.title, FONT, r - from - EDGE);
        scene.text((from + EDGE, t - 8.0), title, scene.theme.muted, BOTTOM);
    }
}

fn y_labels(scene: &mut Scene, plot: &Plot, ticks: &[Tick]) {
    let left = plot.rect[0];
    let mut last = f64::INFINITY;
    for tick in ticks {
        let (Some(label), px) = (&tick.label, plot.y.px(tick.value)) else {
            continue;
        };
        if !px.is_finite() {
            continue;
        }
        scene.line(vec![(left - 4.0, px), (left, px)], scene.theme.axis, 1.0);
        if (px - last).abs() < FONT * 1.3 {
            continue;
        }
        last = px;
        scene.text((left - 7.0, px), label.clone(), scene.theme.muted, END);
    }
}
