//! Pointer, touch, wheel and keys on a chart.
//!
//! Moving hovers, a click selects, a drag moves the picture, Shift and a drag draw a box that
//! filters (or selects, where a chart has no ranges), the wheel and two fingers zoom, arrow keys
//! walk from point to point. In a picture that holds more than fits, a drag and the wheel scroll;
//! along a bar of colours a drag filters.

use super::click::{isolate, make_room, on_double, select};
use super::drag::Drag;
use super::picture::{Drawn, Picture, Pointed};
use crate::app::state::{Shell, Workbench};
use crate::web::dom;
use gemmscope_chart::camera::{Camera, Zoom};
use gemmscope_chart::charts::set_first;
use gemmscope_chart::hit::Direction;
use gemmscope_chart::interactive::Target;
use gemmscope_chart::scale::Scale;
use gemmscope_chart::scene::{DragArea, Point, Window};
use gemmscope_chart::scroll::{self, Bar};
use gemmscope_table::field::Field;
use gemmscope_table::filter::Range;
use leptos::html::Div;
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// What the gestures work on.
pub(super) struct Parts {
    pub shell: Shell,
    pub bench: Workbench,
    pub stage: NodeRef<Div>,
    pub picture: Picture,
    pub pointed: Pointed,
    pub target: Memo<Option<Target>>,
    pub brush: RwSignal<Option<[f64; 4]>>,
    /// A drag draws a box without Shift.
    pub boxing: RwSignal<bool>,
    /// A scroll bar is pointed at or held.
    pub held: RwSignal<bool>,
    pub zoomed: Memo<bool>,
    /// Key of the chart, for its scrolling.
    pub name: &'static str,
    /// Shows a part of the axes; `None` shows everything.
    pub zoom: Rc<dyn Fn(Option<Zoom>)>,
}

impl Parts {
    /// Points at a target of the picture, or at nothing.
    fn point(&self, at: Option<Target>) {
        if self.target.with_untracked(|t| *t != at) {
            self.pointed.set(picture(self).zip(at));
        }
    }
}

/// How near the pointer must come, CSS pixels. A finger is wider.
pub(super) const REACH: f64 = 14.0;
const FINGER_REACH: f64 = 24.0;
/// A press that moves less than this is a click.
const SLACK: f64 = 4.0;

/// How far beside a colour or scroll bar a press still counts as on it. A finger is wider.
const BAR_SLACK: f64 = 6.0;
const FINGER_SLACK: f64 = 12.0;

fn range_at(shown: &Drawn, (x, y): Point) -> Option<([f64; 4], String, Scale)> {
    shown.scene().drag_areas.iter().find_map(|h| match h {
        DragArea::Range { rect, field, scale } => {
            let [l, t, w, h] = *rect;
            let on = x >= l - BAR_SLACK
                && x <= l + w + BAR_SLACK
                && y >= t - BAR_SLACK
                && y <= t + h + BAR_SLACK;
            on.then(|| (*rect, field.clone(), *scale))
        }
        DragArea::Scroll { .. } => None,
    })
}

/// Shows another part of the axes, where the chart can be zoomed.
fn zoom_to(parts: &Parts, shown: &Drawn, to: impl FnOnce(&Camera) -> Zoom) {
    if let Some(camera) = shown.camera() {
        (parts.zoom)(Some(to(&camera)));
    }
}

/// Shows another first column and row.
fn scroll_to(parts: &Parts, first: (usize, usize)) {
    let name = parts.name;
    parts.bench.edit_without_undo(|v| set_first(v, name, first));
}

/// Moves a scrolled picture by columns and rows; false where it cannot.
fn scroll_by(parts: &Parts, shown: &Drawn, (dx, dy): (f64, f64)) -> bool {
    let Some((_, columns, rows)) = shown.scene().scroll() else {
        return false;
    };
    let to = (columns.moved(dx), rows.moved(dy));
    let moves = to != (columns.first, rows.first);
    if moves {
        scroll_to(parts, to);
    }
    moves
}

/// Moves what a held scroll bar scrolls.
fn scroll_bar(parts: &Parts, shown: &Drawn, (bar, offset): (Bar, f64), at: Point) {
    let Some((_, columns, rows)) = shown.scene().scroll() else {
        return;
    };
    let first = bar.first_at(bar.along(at) - offset);
    let to = match bar.vertical {
        true => (columns.first, first),
        false => (first, rows.first),
    };
    if to != (columns.first, rows.first) {
        scroll_to(parts, to);
    }
}

/// Filters by the part of a colour bar between two places; a click lets all through.
fn filter_range(bench: Workbench, field: &str, scale: &Scale, ends: Option<(f64, f64)>) {
    let Some(field) = Field::parse(field) else {
        return;
    };
    bench.edit("range", |v| match ends {
        Some((a, b)) => {
            let (lo, hi) = (scale.value(a), scale.value(b));
            // An end of the bar is no limit: what lies past it keeps its place.
            let end = |v: f64, edge: f64| (v != edge).then_some(v);
            let at = |px: f64, edge: f64| (px - scale.px(edge)).abs() < 1.0;
            let (d0, d1) = scale.domain;
            let range = Range {
                min: end(if at(a, d0) { d0 } else { lo }, d0),
                max: end(if at(b, d1) { d1 } else { hi }, d1),
            };
            if range == Range::default() {
                v.filters.ranges.remove(&field);
            } else {
                v.filters.ranges.insert(field, range);
            }
        }
        None => drop(v.filters.ranges.remove(&field)),
    });
}

/// Puts the listeners on the stage, for as long as the chart lives.
pub(super) fn attach(parts: Parts) {
    let parts = Rc::new(parts);
    let kept = StoredValue::new_local(Vec::<dom::Listener>::new());
    on_cleanup(move || kept.dispose());
    let stage = parts.stage;
    Effect::new(move |_| {
        let Some(element) = stage.get() else { return };
        let drag = Rc::new(RefCell::new(Drag::default()));
        let on = |event: &'static str,
                  handler: fn(
            &Parts,
            &RefCell<Drag>,
            &web_sys::HtmlElement,
            &web_sys::PointerEvent,
        )| {
            let (parts, drag, at) = (parts.clone(), drag.clone(), element.clone());
            dom::listen(&element, event, move |e: web_sys::PointerEvent| {
                handler(&parts, &drag, &at, &e)
            })
        };
        let wheel = {
            let (parts, drag, at) = (parts.clone(), drag.clone(), element.clone());
            dom::listen_active(&element, "wheel", move |e: web_sys::WheelEvent| {
                on_wheel(&parts, &drag, &at, &e);
            })
        };
        let key = {
            let parts = parts.clone();
            dom::listen(&element, "keydown", move |e: web_sys::KeyboardEvent| on_key(&parts, &e))
        };
        let double = {
            let (parts, at) = (parts.clone(), element.clone());
            dom::listen(&element, "dblclick", move |e: web_sys::MouseEvent| {
                on_double(&parts, &at, &e)
            })
        };
        let blur = {
            let parts = parts.clone();
            dom::listen(&element, "blur", move |_: web_sys::Event| {
                drop(parts.pointed.try_set(None))
            })
        };
        kept.set_value(vec![
            on("pointerdown", on_down),
            on("pointermove", on_move),
            on("pointerup", on_up),
            on("pointercancel", on_cancel),
            on("pointerleave", on_leave),
            wheel,
            key,
            double,
            blur,
        ]);
    });
}

pub(super) fn place(stage: &web_sys::HtmlElement, e: &web_sys::MouseEvent) -> Point {
    let rect = stage.get_bounding_client_rect();
    (f64::from(e.client_x()) - rect.left(), f64::from(e.client_y()) - rect.top())
}

pub(super) fn picture(parts: &Parts) -> Option<Drawn> {
    parts.picture.try_get_untracked().flatten()
}

fn hover(parts: &Parts, at: Point, reach: f64) {
    let shown = picture(parts);
    let held = shown.as_ref().is_some_and(|p| scroll::bar_at(p.scene(), at, BAR_SLACK).is_some());
    if parts.held.get_untracked() != held {
        parts.held.set(held);
    }
    let found = shown.filter(|_| !held).and_then(|p| p.at(at, reach));
    parts.point(found);
}

fn on_down(
    parts: &Parts,
    drag: &RefCell<Drag>,
    stage: &web_sys::HtmlElement,
    e: &web_sys::PointerEvent,
) {
    if e.button() != 0 {
        return;
    }
    let at = place(stage, e);
    let mut drag = drag.borrow_mut();
    drag.press(e.pointer_id(), at);
    if drag.pointers.len() == 1 {
        drag.start = at;
        drag.moved = false;
        drag.boxing = e.shift_key() || parts.boxing.get_untracked();
        let shown = picture(parts);
        let slack = if e.pointer_type() == "mouse" { BAR_SLACK } else { FINGER_SLACK };
        drag.bar = shown.as_ref().and_then(|p| scroll::bar_at(p.scene(), at, slack)).map(|bar| {
            let on = bar.along(at) - bar.thumb.0;
            // Beside the thumb a press fetches its middle.
            let offset = if (0.0..=bar.thumb.1).contains(&on) { on } else { bar.thumb.1 / 2.0 };
            (bar, offset)
        });
        if let (Some(held), Some(p)) = (drag.bar, &shown) {
            drag.moved = true;
            parts.held.set(true);
            parts.point(None);
            let _ = stage.set_pointer_capture(e.pointer_id());
            scroll_bar(parts, p, held, at);
            return;
        }
        drag.range = shown.as_ref().and_then(|p| range_at(p, at));
        drag.scrolled = shown
            .and_then(|p| p.scene().scroll())
            .map(|(_, columns, rows)| (columns.first, rows.first));
    } else {
        drag.moved = true;
        parts.point(None);
    }
}

fn on_move(
    parts: &Parts,
    drag: &RefCell<Drag>,
    stage: &web_sys::HtmlElement,
    e: &web_sys::PointerEvent,
) {
    let at = place(stage, e);
    let mut drag = drag.borrow_mut();
    let Some(before) = drag.pressed(e.pointer_id()) else {
        hover(parts, at, REACH);
        return;
    };
    let far = (at.0 - drag.start.0).hypot(at.1 - drag.start.1) > SLACK;
    if far && !drag.moved {
        drag.moved = true;
        // Only now: a captured press would take the click away from what is under it.
        let _ = stage.set_pointer_capture(e.pointer_id());
        parts.point(None);
    }
    if !drag.moved {
        return;
    }
    let others: Vec<Point> =
        drag.pointers.iter().filter(|(id, _)| *id != e.pointer_id()).map(|(_, p)| *p).collect();
    drag.press(e.pointer_id(), at);
    let Some(shown) = picture(parts) else { return };
    if let Some(held) = drag.bar {
        scroll_bar(parts, &shown, held, at);
    } else if let Some(([l, t, w, h], ..)) = drag.range {
        let end = |x: f64| x.clamp(l, l + w);
        let (a, b) = (end(drag.start.0), end(at.0));
        parts.brush.set(Some([a.min(b), t, (a - b).abs(), h]));
    } else if let [other] = others[..] {
        let span = |p: Point| (p.0 - other.0).hypot(p.1 - other.1).max(1.0);
        let middle = ((at.0 + other.0) / 2.0, (at.1 + other.1) / 2.0);
        zoom_to(parts, &shown, |c| c.zoom_about(middle, span(at) / span(before)));
    } else if drag.boxing {
        let (x0, x1) = (at.0.min(drag.start.0), at.0.max(drag.start.0));
        let (y0, y1) = (at.1.min(drag.start.1), at.1.max(drag.start.1));
        parts.brush.set(Some([x0, y0, x1 - x0, y1 - y0]));
    } else if let (Some(first), Some((_, columns, rows))) = (drag.scrolled, shown.scene().scroll())
    {
        let by = |from: usize, px: f64, w: &Window| {
            let moved = Window { first: from, ..*w };
            moved.moved(if w.step > 0.0 { -px / w.step } else { 0.0 })
        };
        let to =
            (by(first.0, at.0 - drag.start.0, &columns), by(first.1, at.1 - drag.start.1, &rows));
        if to != (columns.first, rows.first) {
            scroll_to(parts, to);
        }
    } else if e.pointer_type() == "mouse" || parts.zoomed.get_untracked() {
        zoom_to(parts, &shown, |c| c.pan_by((at.0 - before.0, at.1 - before.1)));
    }
}

fn on_up(
    parts: &Parts,
    drag: &RefCell<Drag>,
    stage: &web_sys::HtmlElement,
    e: &web_sys::PointerEvent,
) {
    let at = place(stage, e);
    let mut drag = drag.borrow_mut();
    if !drag.release(e.pointer_id()) {
        return;
    }
    let brush = parts.brush.try_update(Option::take).flatten();
    let Some(shown) = picture(parts) else { return };
    let add = e.shift_key() || e.ctrl_key() || e.meta_key();
    if drag.bar.take().is_some() {
        parts.held.set(false);
    } else if let Some((_, field, scale)) = drag.range.take() {
        let ends = brush.filter(|b| b[2] > 2.0).map(|b| (b[0], b[0] + b[2]));
        filter_range(parts.bench, &field, &scale, ends);
    } else if let Some(rect) = brush {
        parts.boxing.set(false);
        let ranges = shown.ranges(rect);
        if !ranges.is_empty() {
            parts.bench.edit("box", |v| v.filters.ranges.extend(ranges));
            parts.shell.say(
                "Filtered to what the box holds: take it back with Ctrl Z or in the list of filters.",
            );
            return;
        }
        select(parts, &shown.within(rect), false);
    } else if !drag.moved {
        let reach = if e.pointer_type() == "mouse" { REACH } else { FINGER_REACH };
        match shown.at(at, reach) {
            // What stands for no row, such as a roof, isolates its categories like the legend.
            Some(found) if found.rows.is_empty() => {
                isolate(parts, &shown, &found, e.ctrl_key() || e.meta_key());
            }
            Some(found) => {
                make_room(parts, stage, found.at);
                select(parts, &found.rows, add);
                parts.point(Some(found));
            }
            None if !add => parts.bench.deselect(),
            None => {}
        }
    }
}

fn on_cancel(
    parts: &Parts,
    drag: &RefCell<Drag>,
    _: &web_sys::HtmlElement,
    e: &web_sys::PointerEvent,
) {
    let mut drag = drag.borrow_mut();
    drag.release(e.pointer_id());
    drag.bar = None;
    drag.range = None;
    parts.held.set(false);
    parts.brush.set(None);
}

fn on_leave(
    parts: &Parts,
    drag: &RefCell<Drag>,
    _: &web_sys::HtmlElement,
    _: &web_sys::PointerEvent,
) {
    if drag.borrow().pointers.is_empty() {
        parts.point(None);
        parts.held.set(false);
    }
}

fn on_wheel(
    parts: &Parts,
    drag: &RefCell<Drag>,
    stage: &web_sys::HtmlElement,
    e: &web_sys::WheelEvent,
) {
    let Some(shown) = picture(parts) else { return };
    // Lines and pages as pixels.
    let unit = match e.delta_mode() {
        1 => 16.0,
        2 => 400.0,
        _ => 1.0,
    };
    if let Some((_, columns, rows)) = shown.scene().scroll() {
        let (mut dx, mut dy) = (e.delta_x() * unit, e.delta_y() * unit);
        // One wheel moves what scrolls; with Shift, or where only columns do, sideways.
        if e.shift_key() || !rows.scrolls() {
            (dx, dy) = (dx + dy, 0.0);
        }
        let mut drag = drag.borrow_mut();
        let steps = |by: f64, w: &Window| if w.step > 0.0 { by / w.step } else { 0.0 };
        let by = (drag.wheel.0 + steps(dx, &columns), drag.wheel.1 + steps(dy, &rows));
        let whole = (by.0.trunc(), by.1.trunc());
        drag.wheel = (by.0 - whole.0, by.1 - whole.1);
        let still = whole == (0.0, 0.0);
        // At its end the page scrolls on.
        if scroll_by(parts, &shown, whole) || still {
            e.prevent_default();
        }
        return;
    }
    if shown.camera().is_none() {
        return;
    }
    e.prevent_default();
    // One notch is a factor of about 1.2.
    let factor = (-e.delta_y() * unit / 550.0).clamp(-0.5, 0.5).exp();
    zoom_to(parts, &shown, |c| c.zoom_about(place(stage, e), factor));
}

fn on_key(parts: &Parts, e: &web_sys::KeyboardEvent) {
    if e.ctrl_key() || e.meta_key() || e.alt_key() {
        return;
    }
    let Some(shown) = picture(parts) else { return };
    let middle = (shown.scene().width / 2.0, shown.scene().height / 2.0);
    let direction = match e.key().as_str() {
        "ArrowLeft" => Some(Direction::Left),
        "ArrowRight" => Some(Direction::Right),
        "ArrowUp" => Some(Direction::Up),
        "ArrowDown" => Some(Direction::Down),
        _ => None,
    };
    if let Some(direction) = direction {
        e.prevent_default();
        if e.shift_key() {
            let by = match direction {
                Direction::Left => (60.0, 0.0),
                Direction::Right => (-60.0, 0.0),
                Direction::Up => (0.0, 60.0),
                Direction::Down => (0.0, -60.0),
            };
            zoom_to(parts, &shown, |c| c.pan_by(by));
        } else {
            let from = parts.target.get_untracked();
            match shown.neighbour(from.as_ref(), direction) {
                Some(next) => parts.point(Some(next)),
                // At the edge of a scrolled picture the walk goes on.
                None => {
                    let by = match direction {
                        Direction::Left => (-1.0, 0.0),
                        Direction::Right => (1.0, 0.0),
                        Direction::Up => (0.0, -1.0),
                        Direction::Down => (0.0, 1.0),
                    };
                    scroll_by(parts, &shown, by);
                }
            }
        }
        return;
    }
    let page = shown.scene().scroll().map(|(_, columns, rows)| {
        let size = |w: &Window| if w.scrolls() { w.shown as f64 } else { 0.0 };
        // With Shift, as the wheel, sideways.
        match rows.scrolls() && !e.shift_key() {
            true => (0.0, size(&rows)),
            false => (size(&columns), 0.0),
        }
    });
    match e.key().as_str() {
        key @ ("PageDown" | "PageUp" | "Home" | "End") => {
            if let Some((dx, dy)) = page {
                e.prevent_default();
                let times = match key {
                    "PageDown" => 1.0,
                    "PageUp" => -1.0,
                    "Home" => f64::MIN,
                    _ => f64::MAX,
                };
                let by = |d: f64| if d > 0.0 { d * times } else { 0.0 };
                scroll_by(parts, &shown, (by(dx), by(dy)));
            } else if matches!(key, "Home" | "End") {
                // The first and the last mark of the walk.
                e.prevent_default();
                let from_end = match key {
                    "Home" => Direction::Right,
                    _ => Direction::Left,
                };
                parts.point(shown.neighbour(None, from_end));
            }
        }
        "Enter" | " " => {
            if let Some(t) = parts.target.get_untracked() {
                e.prevent_default();
                if let Some(stage) = parts.stage.get_untracked() {
                    make_room(parts, &stage, t.at);
                }
                select(parts, &t.rows, e.shift_key());
            }
        }
        "+" | "=" => {
            e.prevent_default();
            zoom_to(parts, &shown, |c| c.zoom_about(middle, 1.5));
        }
        "-" | "−" => {
            e.prevent_default();
            zoom_to(parts, &shown, |c| c.zoom_about(middle, 1.0 / 1.5));
        }
        "0" => {
            e.prevent_default();
            (parts.zoom)(None);
        }
        "Escape" if parts.target.with_untracked(Option::is_some) => {
            // The same press closes the details.
            if parts.bench.selected.with_untracked(Vec::is_empty) {
                e.prevent_default();
            }
            parts.point(None);
        }
        _ => {}
    }
}
