//! Pointer, touch, wheel and keys on a chart: passes DOM events to the [`Gestures`] of the chart crate and performs the
//! resulting acts.

use super::click::{isolate, make_room, select};
use super::picture::Drawn;
use super::stage::Stage;
use crate::app::ui::keep;
use crate::web::dom;
use gemmscope_chart::charts::set_first;
use gemmscope_chart::gesture::{Act, Event, Gestures, Pointed, Pointer};
use gemmscope_chart::scene::Point;
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

/// Attaches the listeners to the stage, for the lifetime of the chart.
pub(super) fn attach(on_stage: Stage) {
    Effect::new(move |_| {
        let Some(element) = on_stage.element.get() else { return };
        let state = Rc::new(RefCell::new(Gestures::default()));
        let put = {
            let (state, element) = (state.clone(), element.clone());
            Rc::new(move |of: Event<'_>, e: &web_sys::Event| on(on_stage, &state, &element, of, e))
        };
        let pointer = |name: &'static str, event: fn(Pointer) -> Event<'static>| {
            let (put, stage) = (put.clone(), element.clone());
            dom::listen(&element, name, move |e: PointerEvent| {
                if name != "pointerdown" || e.button() == 0 {
                    let mouse = e.pointer_type() == "mouse";
                    put(event(pointer_of(&stage, &e, e.pointer_id(), mouse)), &e);
                }
            })
        };
        let (down, moved, up, cancel, leave) = (
            pointer("pointerdown", Event::Down),
            pointer("pointermove", Event::Move),
            pointer("pointerup", Event::Up),
            pointer("pointercancel", |p| Event::Cancel(p.id)),
            pointer("pointerleave", |_| Event::Leave),
        );
        let double = {
            let (put, stage) = (put.clone(), element.clone());
            dom::listen(&element, "dblclick", move |e: MouseEvent| {
                put(Event::Double(pointer_of(&stage, &e, 0, true)), &e);
            })
        };
        let wheel = {
            let (put, stage) = (put.clone(), element.clone());
            // The lists of a plan are below its picture: without Ctrl the wheel scrolls to them.
            let scrolls = element.closest(".plan-body").is_ok_and(|around| around.is_some());
            dom::listen(&element, "wheel", move |e: WheelEvent| {
                if scrolls && !e.ctrl_key() {
                    return;
                }
                // Convert lines and pages to pixels.
                let unit = match e.delta_mode() {
                    1 => 16.0,
                    2 => 400.0,
                    _ => 1.0,
                };
                let by = (e.delta_x() * unit, e.delta_y() * unit);
                put(Event::Wheel { at: place(&stage, &e), by, shift: e.shift_key() }, &e);
            })
        };
        let key = {
            let put = put.clone();
            dom::listen(&element, "keydown", move |e: KeyboardEvent| {
                if !(e.ctrl_key() || e.meta_key() || e.alt_key()) {
                    put(Event::Key { name: &e.key(), shift: e.shift_key() }, &e);
                }
            })
        };
        let blur = dom::listen(&element, "blur", move |_: web_sys::Event| {
            drop(on_stage.pointed.try_set(None))
        });
        keep([down, moved, up, cancel, leave, double, wheel, key, blur]);
    });
}

fn place(stage: &HtmlElement, e: &MouseEvent) -> Point {
    let rect = stage.get_bounding_client_rect();
    (f64::from(e.client_x()) - rect.left(), f64::from(e.client_y()) - rect.top())
}

fn pointer_of(stage: &HtmlElement, e: &MouseEvent, id: i32, mouse: bool) -> Pointer {
    let ctrl = e.ctrl_key() || e.meta_key();
    Pointer { id, at: place(stage, e), mouse, shift: e.shift_key(), ctrl }
}

/// Performs the acts of an event on the current picture.
fn on(
    stage: Stage,
    state: &RefCell<Gestures>,
    element: &HtmlElement,
    event: Event<'_>,
    e: &web_sys::Event,
) {
    let Some(shown) = stage.picture.try_get_untracked().flatten() else { return };
    let acts = stage.target.with_untracked(|target| {
        let seen = Pointed {
            chart: &**shown,
            target: target.as_ref(),
            boxing: stage.boxing.get_untracked(),
            zoomed: stage.zoomed.get_untracked(),
            selected: !stage.bench.selected.with_untracked(Vec::is_empty),
        };
        state.borrow_mut().on(event, seen)
    });
    for act in acts {
        run(stage, &shown, (element, e), act);
    }
}

fn run(stage: Stage, shown: &Drawn, (element, e): (&HtmlElement, &web_sys::Event), act: Act) {
    let bench = stage.bench;
    match act {
        Act::Consume => e.prevent_default(),
        Act::Capture(id) => drop(element.set_pointer_capture(id)),
        Act::Point(at) => {
            if stage.target.with_untracked(|t| *t != at) {
                stage.pointed.set(Some(shown.clone()).zip(at));
            }
        }
        Act::Held(held) => stage.held.set(held),
        Act::Brush(rect) => stage.brush.set(rect),
        Act::Zoom(to) => stage.zoom(to),
        Act::Scroll(first) => bench.edit_without_undo(|v| set_first(v, stage.name, first)),
        Act::Select { rows, add, at } => {
            make_room(stage, element, &[at]);
            select(stage, &rows, add);
        }
        Act::Deselect => bench.deselect(),
        Act::Isolate(target, add) => isolate(stage, shown, &target, add),
        Act::BoxFilter(ranges) => {
            stage.boxing.set(false);
            bench.edit(|v| v.filters.ranges.extend(ranges));
            stage.shell.say_with_undo("Filtered to what the box holds.");
        }
        Act::BoxSelect(rows) => {
            stage.boxing.set(false);
            select(stage, &rows, false);
        }
        Act::Range(field, range) => bench.adjust("range", |v| match range {
            Some(range) => drop(v.filters.ranges.insert(field, range)),
            None => drop(v.filters.ranges.remove(&field)),
        }),
    }
}
