//! Pointer, wheel and keys on a drawn chart, as a state machine: events in, acts out.
//!
//! Moving hovers, a click selects, a drag pans, Shift and a drag draw a box that filters (or selects, in a chart
//! without ranges), the wheel and two fingers zoom, arrow keys walk from point to point. In a picture that holds more
//! than fits, a drag and the wheel scroll; along a colour bar a drag filters. Duration does not matter: a long press
//! without movement is a click.

use crate::camera::{Camera, Zoom};
use crate::chart::{Drawn, Target};
use crate::hit::Direction;
use crate::labels::Rect;
use crate::scale::Scale;
use crate::scene::{Point, Scene, Window};
use crate::scroll::{self, ScrollBar};
use gemmscope_table::field::Field;
use gemmscope_table::filter::Range;

/// Hit radius around the pointer, CSS pixels. Wider for a finger.
pub const REACH: f64 = 14.0;
const FINGER_REACH: f64 = 24.0;
/// A press that moves less than this is a click, px.
const SLACK: f64 = 4.0;
/// Distance beside a scroll bar at which a press still hits it, px. Wider for a finger.
const BAR_SLACK: f64 = 6.0;
const FINGER_SLACK: f64 = 12.0;
/// Wheel distance that zooms by a factor of e, px: a usual notch zooms by about 1.2.
const NOTCH: f64 = 550.0;
/// Zoom factor of a key press.
const KEY_ZOOM: f64 = 1.5;
/// Pan distance of a key press, px.
const KEY_PAN: f64 = 60.0;

/// A pointer on the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer {
    /// Distinguishes fingers.
    pub id: i32,
    /// CSS pixels from the upper left corner of the picture.
    pub at: Point,
    /// True for a mouse, false for a finger or pen.
    pub mouse: bool,
    /// Shift is held.
    pub shift: bool,
    /// Ctrl or Meta is held.
    pub ctrl: bool,
}

/// An input event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// The main button or a finger went down.
    Down(Pointer),
    /// A pointer moved, pressed or not.
    Move(Pointer),
    /// A pointer went up.
    Up(Pointer),
    /// A double click.
    Double(Pointer),
    /// The browser took over this pointer, to scroll the page.
    Cancel(i32),
    /// The pointer left the picture.
    Leave,
    /// The wheel turned.
    Wheel {
        /// Position of the pointer.
        at: Point,
        /// Distance to the right and down, px.
        by: (f64, f64),
        /// Shift is held.
        shift: bool,
    },
    /// A key without Ctrl, Alt or Meta, by its DOM name.
    Key {
        /// `ArrowLeft`, `+`.
        name: &'a str,
        /// Shift is held.
        shift: bool,
    },
}

/// The context of an event.
#[derive(Clone, Copy)]
pub struct Pointed<'a> {
    /// The picture.
    pub chart: &'a dyn Drawn,
    /// The target under the pointer.
    pub target: Option<&'a Target>,
    /// A drag draws a box without Shift.
    pub boxing: bool,
    /// The picture is zoomed in.
    pub zoomed: bool,
    /// Rows are selected.
    pub selected: bool,
}

/// A command to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// The picture handles the event: prevent the browser's default.
    Consume,
    /// Capture this pointer: all its further events go to the picture.
    Capture(i32),
    /// Sets the hovered target; `None` for none.
    Point(Option<Target>),
    /// A scroll bar is hovered or dragged, or no longer.
    Held(bool),
    /// The box that is being drawn: left, top, width, height.
    Brush(Option<Rect>),
    /// Sets the visible part of the axes; `None` for everything.
    Zoom(Option<Zoom>),
    /// Sets the first visible column and row.
    Scroll((usize, usize)),
    /// A click or a key selects.
    Select {
        /// The rows.
        rows: Vec<u32>,
        /// True if they are added to the selection.
        add: bool,
        /// Their position.
        at: Point,
    },
    /// Clears the selection.
    Deselect,
    /// Shows only the categories of this target; with `true` toggles them instead.
    Isolate(Target, bool),
    /// A box was drawn: filter by these ranges.
    BoxFilter(Vec<(Field, Range)>),
    /// A box was drawn: select these rows.
    BoxSelect(Vec<u32>),
    /// Filters a figure by the range chosen on its colour bar; `None` removes the filter.
    Range(Field, Option<Range>),
}

/// Target of a drag.
#[derive(Clone, Debug, Default, PartialEq)]
enum Hold {
    /// The axes.
    #[default]
    Pan,
    /// The edge of a box.
    Box,
    /// Columns and rows, starting from this first one.
    Scroll((usize, usize)),
    /// The end of a range along a colour bar.
    Range(Rect, String, Scale),
    /// A scroll bar, with the distance of the pointer from the start of its thumb, px.
    Bar(ScrollBar, f64),
}

/// Gesture state of a picture, and of its redraws while a press lasts.
#[derive(Clone, Debug, Default)]
pub struct Gestures {
    /// Pressed pointers and their positions.
    pointers: Vec<(i32, Point)>,
    /// Position at which the first of them went down.
    start: Point,
    /// The press is no longer a click.
    moved: bool,
    hold: Hold,
    brush: Option<Rect>,
    /// A scroll bar is hovered or dragged.
    held: bool,
    /// Fraction of a column and row that the wheel has accumulated.
    wheel: (f64, f64),
}

impl Gestures {
    /// The acts for an event, in order.
    pub fn on(&mut self, event: Event<'_>, seen: Pointed<'_>) -> Vec<Act> {
        match event {
            Event::Down(p) => self.down(p, seen),
            Event::Move(p) => self.moved(p, seen),
            Event::Up(p) => self.up(p, seen),
            Event::Double(p) => match seen.chart.at(p.at, REACH) {
                Some(found) if !found.rows.is_empty() => vec![Act::Isolate(found, p.ctrl)],
                _ => vec![whole(seen)],
            },
            Event::Cancel(id) => {
                self.release(id);
                self.hold = Hold::Pan;
                let mut acts = self.hold_bar(false);
                acts.extend(self.brush.take().map(|_| Act::Brush(None)));
                acts
            }
            Event::Leave if self.pointers.is_empty() => {
                let mut acts = self.hold_bar(false);
                acts.push(Act::Point(None));
                acts
            }
            Event::Leave => Vec::new(),
            Event::Wheel { at, by, shift } => self.wheel(at, by, shift, seen),
            Event::Key { name, shift } => key(name, shift, seen),
        }
    }

    /// Position of a pressed pointer; `None` if it is not pressed.
    fn pressed(&self, id: i32) -> Option<Point> {
        self.pointers.iter().find(|(other, _)| *other == id).map(|(_, at)| *at)
    }

    fn press(&mut self, id: i32, at: Point) {
        self.release(id);
        self.pointers.push((id, at));
    }

    /// Releases a pointer; false if it was not pressed.
    fn release(&mut self, id: i32) -> bool {
        let before = self.pointers.len();
        self.pointers.retain(|(other, _)| *other != id);
        self.pointers.len() < before
    }

    fn hold_bar(&mut self, held: bool) -> Vec<Act> {
        let changes = std::mem::replace(&mut self.held, held) != held;
        changes.then_some(Act::Held(held)).into_iter().collect()
    }

    fn down(&mut self, p: Pointer, seen: Pointed<'_>) -> Vec<Act> {
        self.press(p.id, p.at);
        if self.pointers.len() > 1 {
            self.moved = true;
            return vec![Act::Point(None)];
        }
        let scene = seen.chart.scene();
        self.start = p.at;
        self.moved = false;
        let slack = if p.mouse { BAR_SLACK } else { FINGER_SLACK };
        if let Some(bar) = scroll::bar_at(scene, p.at, slack) {
            let on = bar.along(p.at) - bar.thumb.0;
            // A press beside the thumb moves its middle to the pointer.
            let offset = if (0.0..=bar.thumb.1).contains(&on) { on } else { bar.thumb.1 / 2.0 };
            self.moved = true;
            self.hold = Hold::Bar(bar, offset);
            let mut acts = self.hold_bar(true);
            acts.extend([Act::Point(None), Act::Capture(p.id)]);
            acts.extend(scroll_bar(scene, (&bar, offset), p.at));
            return acts;
        }
        self.hold = match (scene.range_at(p.at), scene.scroll()) {
            (Some((rect, field, scale)), _) => Hold::Range(rect, field.to_owned(), scale),
            _ if p.shift || seen.boxing => Hold::Box,
            (_, Some((_, columns, rows))) => Hold::Scroll((columns.first, rows.first)),
            _ => Hold::Pan,
        };
        Vec::new()
    }

    fn hover(&mut self, at: Point, seen: Pointed<'_>) -> Vec<Act> {
        let on_bar = scroll::bar_at(seen.chart.scene(), at, BAR_SLACK).is_some();
        let mut acts = self.hold_bar(on_bar);
        acts.push(Act::Point(if on_bar { None } else { seen.chart.at(at, REACH) }));
        acts
    }

    fn moved(&mut self, p: Pointer, seen: Pointed<'_>) -> Vec<Act> {
        let Some(before) = self.pressed(p.id) else {
            return self.hover(p.at, seen);
        };
        let (at, start) = (p.at, self.start);
        let mut acts = Vec::new();
        if !self.moved {
            if (at.0 - start.0).hypot(at.1 - start.1) <= SLACK {
                return acts;
            }
            self.moved = true;
            // Capture only now: earlier it would take the click away from the element under the pointer.
            acts.extend([Act::Capture(p.id), Act::Point(None)]);
        }
        self.press(p.id, at);
        let others = self.pointers.iter().filter(|(id, _)| *id != p.id);
        let others: Vec<Point> = others.map(|(_, at)| *at).collect();
        let (scene, zoom) = (seen.chart.scene(), zoom(seen));
        match (&self.hold, &others[..]) {
            (Hold::Bar(bar, offset), _) => acts.extend(scroll_bar(scene, (bar, *offset), at)),
            (Hold::Range([l, t, w, h], ..), _) => {
                let [a, b] = [start.0, at.0].map(|x| x.clamp(*l, l + w));
                self.brush = Some([a.min(b), *t, (a - b).abs(), *h]);
                acts.push(Act::Brush(self.brush));
            }
            (_, [other]) => {
                let span = |p: Point| (p.0 - other.0).hypot(p.1 - other.1).max(1.0);
                let middle = ((at.0 + other.0) / 2.0, (at.1 + other.1) / 2.0);
                acts.extend(zoom(&|c| c.zoom_about(middle, span(at) / span(before))));
            }
            (Hold::Box, _) => {
                let corner = (at.0.min(start.0), at.1.min(start.1));
                let size = ((at.0 - start.0).abs(), (at.1 - start.1).abs());
                self.brush = Some([corner.0, corner.1, size.0, size.1]);
                acts.push(Act::Brush(self.brush));
            }
            (Hold::Scroll(first), _) => acts.extend(drag_bands(scene, *first, (start, at))),
            (Hold::Pan, _) if p.mouse || seen.zoomed => {
                acts.extend(zoom(&|c| c.pan_by((at.0 - before.0, at.1 - before.1))));
            }
            // A finger scrolls the page.
            (Hold::Pan, _) => {}
        }
        acts
    }

    fn up(&mut self, p: Pointer, seen: Pointed<'_>) -> Vec<Act> {
        if !self.release(p.id) {
            return Vec::new();
        }
        let brush = self.brush.take();
        let mut acts: Vec<Act> = brush.map(|_| Act::Brush(None)).into_iter().collect();
        match (&self.hold, brush) {
            (Hold::Bar(..), _) => {
                self.hold = Hold::Pan;
                acts.extend(self.hold_bar(false));
            }
            (Hold::Range(_, field, scale), brush) => {
                let ends = brush.filter(|b| b[2] > 2.0).map(|b| (b[0], b[0] + b[2]));
                let field = Field::parse(field);
                acts.extend(field.map(|f| Act::Range(f, ends.and_then(|e| along(scale, e)))));
                self.hold = Hold::Pan;
            }
            (_, Some(rect)) => acts.push(match seen.chart.ranges(rect) {
                none if none.is_empty() => Act::BoxSelect(seen.chart.within(rect)),
                ranges => Act::BoxFilter(ranges),
            }),
            (_, None) if !self.moved => acts.extend(click(p, seen)),
            (_, None) => {}
        }
        acts
    }

    fn wheel(
        &mut self,
        at: Point,
        (dx, dy): (f64, f64),
        shift: bool,
        seen: Pointed<'_>,
    ) -> Vec<Act> {
        let Some((_, columns, rows)) = seen.chart.scene().scroll() else {
            let factor = (-dy / NOTCH).clamp(-0.5, 0.5).exp();
            let zoomed = zoom(seen)(&|c| c.zoom_about(at, factor));
            return zoomed.map_or_else(Vec::new, |zoom| vec![Act::Consume, zoom]);
        };
        // The wheel moves whatever scrolls; sideways with Shift, or if only columns scroll.
        let (dx, dy) = if shift || !rows.scrolls() { (dx + dy, 0.0) } else { (dx, dy) };
        let steps = |by: f64, w: &Window| if w.step > 0.0 { by / w.step } else { 0.0 };
        let by = (self.wheel.0 + steps(dx, &columns), self.wheel.1 + steps(dy, &rows));
        let whole = (by.0.trunc(), by.1.trunc());
        self.wheel = (by.0 - whole.0, by.1 - whole.1);
        let scrolled = scroll_by(seen, whole);
        // At the end of the picture the page scrolls on.
        let own = scrolled.is_some() || whole == (0.0, 0.0);
        own.then_some(Act::Consume).into_iter().chain(scrolled).collect()
    }
}

/// Act that changes the visible part of the axes; `None` if the chart does not zoom.
fn zoom(seen: Pointed<'_>) -> impl Fn(&dyn Fn(&Camera) -> Zoom) -> Option<Act> {
    let camera = seen.chart.camera();
    move |to| camera.as_ref().map(|c| Act::Zoom(Some(to(c))))
}

/// Shows everything.
fn whole(seen: Pointed<'_>) -> Act {
    Act::Zoom(seen.chart.camera().and_then(|c| c.whole()))
}

/// Scrolls by columns and rows; `None` if nothing would move.
fn scroll_by(seen: Pointed<'_>, (dx, dy): (f64, f64)) -> Option<Act> {
    let (_, columns, rows) = seen.chart.scene().scroll()?;
    scroll_to((columns.moved(dx), rows.moved(dy)), &columns, &rows)
}

/// Scrolls to this first column and row; `None` if that is the current one.
fn scroll_to(to: (usize, usize), columns: &Window, rows: &Window) -> Option<Act> {
    (to != (columns.first, rows.first)).then_some(Act::Scroll(to))
}

/// Scrolls according to a dragged scroll bar.
fn scroll_bar(scene: &Scene, (bar, offset): (&ScrollBar, f64), at: Point) -> Option<Act> {
    let (_, columns, rows) = scene.scroll()?;
    let first = bar.first_at(bar.along(at) - offset);
    let to = if bar.vertical { (columns.first, first) } else { (first, rows.first) };
    scroll_to(to, &columns, &rows)
}

/// Moves the bands of a scrolled picture with the pointer.
fn drag_bands(scene: &Scene, first: (usize, usize), (from, to): (Point, Point)) -> Option<Act> {
    let (_, columns, rows) = scene.scroll()?;
    let by = |first: usize, px: f64, w: &Window| {
        Window { first, ..*w }.moved(if w.step > 0.0 { -px / w.step } else { 0.0 })
    };
    let to = (by(first.0, to.0 - from.0, &columns), by(first.1, to.1 - from.1, &rows));
    scroll_to(to, &columns, &rows)
}

/// The range between two positions on a colour bar; `None` for all of it.
fn along(scale: &Scale, (a, b): (f64, f64)) -> Option<Range> {
    // An end of the bar sets no limit, so values beyond it stay.
    let end = |at: f64, edge: f64| ((at - scale.px(edge)).abs() >= 1.0).then(|| scale.value(at));
    let (d0, d1) = scale.domain;
    let range = Range { min: end(a, d0), max: end(b, d1) };
    (range != Range::default()).then_some(range)
}

fn click(p: Pointer, seen: Pointed<'_>) -> Vec<Act> {
    let add = p.shift || p.ctrl;
    match seen.chart.at(p.at, if p.mouse { REACH } else { FINGER_REACH }) {
        // A mark without rows, such as a roof, isolates its categories like the legend.
        Some(found) if found.rows.is_empty() => vec![Act::Isolate(found, p.ctrl)],
        Some(found) => vec![
            Act::Select { rows: found.rows.clone(), add, at: found.at },
            Act::Point(Some(found)),
        ],
        None if add => Vec::new(),
        None => vec![Act::Deselect],
    }
}

fn key(name: &str, shift: bool, seen: Pointed<'_>) -> Vec<Act> {
    let (scene, zoom) = (seen.chart.scene(), zoom(seen));
    let middle = (scene.width / 2.0, scene.height / 2.0);
    let of_scroll = scene.scroll();
    // Width and height of a page, in bands.
    let page = of_scroll.map(|(_, columns, rows)| {
        let size = |w: &Window| if w.scrolls() { w.shown as f64 } else { 0.0 };
        // With Shift, sideways, like the wheel.
        match rows.scrolls() && !shift {
            true => (0.0, size(&rows)),
            false => (size(&columns), 0.0),
        }
    });
    let direction = match name {
        "ArrowLeft" => Some((Direction::Left, (-1.0, 0.0))),
        "ArrowRight" => Some((Direction::Right, (1.0, 0.0))),
        "ArrowUp" => Some((Direction::Up, (0.0, -1.0))),
        "ArrowDown" => Some((Direction::Down, (0.0, 1.0))),
        _ => None,
    };
    let act = match (name, direction, page) {
        (_, Some((_, (dx, dy))), _) if shift => zoom(&|c| c.pan_by((-KEY_PAN * dx, -KEY_PAN * dy))),
        (_, Some((direction, by)), _) => match seen.chart.neighbour(seen.target, direction) {
            Some(next) => Some(Act::Point(Some(next))),
            // At the edge of a scrolled picture the walk scrolls it.
            None => scroll_by(seen, by),
        },
        ("PageDown" | "PageUp" | "Home" | "End", _, Some((dx, dy))) => {
            let times = match name {
                "PageDown" => 1.0,
                "PageUp" => -1.0,
                "Home" => f64::MIN,
                _ => f64::MAX,
            };
            let by = |d: f64| if d > 0.0 { d * times } else { 0.0 };
            scroll_by(seen, (by(dx), by(dy)))
        }
        // First and last mark of the walk.
        ("Home", ..) => Some(Act::Point(seen.chart.neighbour(None, Direction::Right))),
        ("End", ..) => Some(Act::Point(seen.chart.neighbour(None, Direction::Left))),
        ("Enter" | " ", ..) => match seen.target {
            Some(t) => Some(Act::Select { rows: t.rows.clone(), add: shift, at: t.at }),
            None => return Vec::new(),
        },
        ("+" | "=", ..) => zoom(&|c| c.zoom_about(middle, KEY_ZOOM)),
        ("-" | "\u{2212}", ..) => zoom(&|c| c.zoom_about(middle, 1.0 / KEY_ZOOM)),
        ("0", ..) => Some(whole(seen)),
        // The same press closes the details.
        ("Escape", ..) if seen.target.is_some() && seen.selected => return vec![Act::Point(None)],
        ("Escape", ..) if seen.target.is_some() => Some(Act::Point(None)),
        _ => return Vec::new(),
    };
    std::iter::once(Act::Consume).chain(act).collect()
}

#[cfg(test)]
mod tests;
