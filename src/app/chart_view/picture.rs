//! The picture of a chart. It follows from its inputs and the canvas one animation frame later, once for any number of
//! changes. The first one is drawn in a task between the frame that lays out the page and the frame that paints it, to
//! keep both short.

use crate::app::state::Shared;
use crate::web::animation::{self, AnimationFrame};
use gemmscope_chart::chart::{Canvas, Drawing, Target};
use leptos::prelude::*;
use std::sync::Arc;

/// A drawn chart.
pub(super) type Drawn = Shared<Drawing>;

/// The drawn picture; `None` before the first drawing.
pub type PictureMemo = Memo<Option<Drawn>>;

/// Draws the current inputs for a canvas.
pub type Draw = Box<dyn Fn(&Canvas) -> Arc<Drawing> + Send + Sync>;

/// The last target with its picture: another picture has other targets.
pub(super) type Pointed = RwSignal<Option<(Drawn, Target)>>;

/// The picture of the inputs on a canvas; `None` until the canvas has a size.
pub(super) fn picture(inputs: Signal<()>, canvas: Memo<Canvas>, draw: Draw) -> PictureMemo {
    let frames = RwSignal::new(0u32);
    let frame = AnimationFrame::default();
    let has_size = |to: &Canvas| to.size.0 >= 1.0 && to.size.1 >= 1.0;
    Effect::new(move |begun: Option<bool>| {
        inputs.get();
        let begun = begun == Some(true);
        if !canvas.with(has_size) {
            return begun;
        }
        let next = move || {
            let _ = frames.try_update(|n| *n = n.wrapping_add(1));
        };
        match begun {
            true => frame.request(next),
            false => animation::soon(next),
        }
        true
    });
    Memo::new(move |old: Option<&Option<Drawn>>| {
        let due = frames.get() > 0;
        let to = canvas.get_untracked();
        match due && has_size(&to) {
            true => Some(Shared(untrack(|| draw(&to)))),
            false => old.cloned().flatten(),
        }
    })
}
