//! Pointer, touch, wheel and keys on a chart.
//!
//! Moving hovers, a click selects, a drag moves the picture, Shift and a drag draw a box that
//! filters (or selects, where a chart has no ranges), the wheel and two fingers zoom, arrow keys walk from point to point.

use super::{Picture, Target};
use crate::app::state::App;
use crate::chart::hit::Direction;
use crate::chart::scene::Point;
use crate::web::dom;
use leptos::html::Div;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the gestures work on.
pub struct Parts {
    pub app: App,
    pub stage: NodeRef<Div>,
    pub picture: RwSignal<Option<Rc<dyn Picture>>, LocalStorage>,
    pub target: RwSignal<Option<Target>>,
    pub brush: RwSignal<Option<[f64; 4]>>,
    /// A drag draws a box without Shift.
    pub boxing: RwSignal<bool>,
    pub zoomed: Memo<bool>,
    pub zoom: Rc<dyn Fn(Option<String>)>,
    pub whole: Rc<dyn Fn()>,
}

/// How near the pointer must come, CSS pixels. A finger is wider.
const REACH: f64 = 14.0;
const FINGER_REACH: f64 = 24.0;
/// A press that moves less than this is a click.
const SLACK: f64 = 4.0;
/// Rows that a box selects at most: every one is a number in the link.
const MOST_SELECTED: usize = 200;

#[derive(Default)]
struct Drag {
    /// Pressed pointers and where they are.
    pointers: BTreeMap<i32, Point>,
    start: Point,
    moved: bool,
    boxing: bool,
}

/// Puts the listeners on the stage, for as long as the chart lives.
pub fn attach(parts: Parts) {
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
            let (parts, at) = (parts.clone(), element.clone());
            dom::listen_active(&element, "wheel", move |e: web_sys::WheelEvent| {
                on_wheel(&parts, &at, &e);
            })
        };
        let key = {
            let parts = parts.clone();
            dom::listen(&element, "keydown", move |e: web_sys::KeyboardEvent| {
                on_key(&parts, &e)
            })
        };
        let double = {
            let parts = parts.clone();
            dom::listen(&element, "dblclick", move |_: web_sys::Event| {
                (parts.whole)()
            })
        };
        let blur = {
            let parts = parts.clone();
            dom::listen(&element, "blur", move |_: web_sys::Event| {
                drop(parts.target.try_set(None))
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

fn place(stage: &web_sys::HtmlElement, e: &web_sys::MouseEvent) -> Point {
    let rect = stage.get_bounding_client_rect();
    (
        f64::from(e.client_x()) - rect.left(),
        f64::from(e.client_y()) - rect.top(),
    )
}

fn picture(parts: &Parts) -> Option<Rc<dyn Picture>> {
    parts.picture.try_get_untracked().flatten()
}

fn hover(parts: &Parts, at: Point, reach: f64) {
    let found = picture(parts).and_then(|p| p.at(at, reach));
    if parts.target.with_untracked(|t| *t != found) {
        parts.target.set(found);
    }
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
    drag.pointers.insert(e.pointer_id(), at);
    if drag.pointers.len() == 1 {
        drag.start = at;
        drag.moved = false;
        drag.boxing = e.shift_key() || parts.boxing.get_untracked();
    } else {
        drag.moved = true;
        parts.target.set(None);
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
    let Some(&before) = drag.pointers.get(&e.pointer_id()) else {
        hover(parts, at, REACH);
        return;
    };
    let far = (at.0 - drag.start.0).hypot(at.1 - drag.start.1) > SLACK;
    if far && !drag.moved {
        drag.moved = true;
        // Only now: a captured press would take the click away from what is under it.
        let _ = stage.set_pointer_capture(e.pointer_id());
        parts.target.set(None);
    }
    if !drag.moved {
        return;
    }
    let others: Vec<Point> = drag
        .pointers
        .iter()
        .filter(|(id, _)| **id != e.pointer_id())
        .map(|(_, p)| *p)
        .collect();
    drag.pointers.insert(e.pointer_id(), at);
    let Some(shown) = picture(parts) else { return };
    if let [other] = others[..] {
        let span = |p: Point| (p.0 - other.0).hypot(p.1 - other.1).max(1.0);
        let middle = ((at.0 + other.0) / 2.0, (at.1 + other.1) / 2.0);
        (parts.zoom)(shown.zoom_about(middle, span(at) / span(before)));
    } else if drag.boxing {
        let (x0, x1) = (at.0.min(drag.start.0), at.0.max(drag.start.0));
        let (y0, y1) = (at.1.min(drag.start.1), at.1.max(drag.start.1));
        parts.brush.set(Some([x0, y0, x1 - x0, y1 - y0]));
    } else if e.pointer_type() == "mouse" || parts.zoomed.get_untracked() {
        (parts.zoom)(shown.pan_by((at.0 - before.0, at.1 - before.1)));
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
    if drag.pointers.remove(&e.pointer_id()).is_none() {
        return;
    }
    let brush = parts.brush.try_update(Option::take).flatten();
    let Some(shown) = picture(parts) else { return };
    let add = e.shift_key() || e.ctrl_key() || e.meta_key();
    if let Some(rect) = brush {
        parts.boxing.set(false);
        let ranges = shown.ranges(rect);
        if !ranges.is_empty() {
            parts.app.edit("box", |v| v.filters.ranges.extend(ranges));
            parts.app.status.set(
                "Filtered to what the box holds: take it back with Ctrl Z or in the list of filters."
                    .into(),
            );
            return;
        }
        let mut rows = shown.within(rect);
        let found = rows.len();
        rows.truncate(MOST_SELECTED);
        if found > MOST_SELECTED {
            parts.app.status.set(format!(
                "{found} points in the box; the first {MOST_SELECTED} are selected"
            ));
        }
        parts.app.select(&rows, false);
    } else if !drag.moved {
        let reach = if e.pointer_type() == "mouse" {
            REACH
        } else {
            FINGER_REACH
        };
        match shown.at(at, reach) {
            Some(found) => {
                parts
                    .app
                    .select(&found.rows[..found.rows.len().min(MOST_SELECTED)], add);
                parts.target.set(Some(found));
            }
            None if !add => parts.app.deselect(),
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
    drag.borrow_mut().pointers.remove(&e.pointer_id());
    parts.brush.set(None);
}

fn on_leave(
    parts: &Parts,
    drag: &RefCell<Drag>,
    _: &web_sys::HtmlElement,
    _: &web_sys::PointerEvent,
) {
    if drag.borrow().pointers.is_empty() {
        parts.target.set(None);
    }
}

fn on_wheel(parts: &Parts, stage: &web_sys::HtmlElement, e: &web_sys::WheelEvent) {
    let Some(shown) = picture(parts) else { return };
    if shown.zoom_key().is_none() {
        return;
    }
    e.prevent_default();
    // Lines and pages as pixels; one notch is a factor of about 1.2.
    let unit = match e.delta_mode() {
        1 => 16.0,
        2 => 400.0,
        _ => 1.0,
    };
    let factor = (-e.delta_y() * unit / 550.0).clamp(-0.5, 0.5).exp();
    (parts.zoom)(shown.zoom_about(place(stage, e), factor));
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
            (parts.zoom)(shown.pan_by(by));
        } else {
            let from = parts.target.get_untracked();
            if let Some(next) = shown.neighbour(from.as_ref(), direction) {
                parts.target.set(Some(next));
            }
        }
        return;
    }
    match e.key().as_str() {
        "Enter" | " " => {
            if let Some(t) = parts.target.get_untracked() {
                e.prevent_default();
                parts
                    .app
                    .select(&t.rows[..t.rows.len().min(MOST_SELECTED)], e.shift_key());
            }
        }
        "+" | "=" => {
            e.prevent_default();
            (parts.zoom)(shown.zoom_about(middle, 1.5));
        }
        "-" | "−" => {
            e.prevent_default();
            (parts.zoom)(shown.zoom_about(middle, 1.0 / 1.5));
        }
        "0" => {
            e.prevent_default();
            (parts.whole)();
        }
        "Escape" if parts.target.with_untracked(Option::is_some) => {
            e.prevent_default();
            parts.target.set(None);
        }
        _ => {}
    }
}
