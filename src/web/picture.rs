//! A scene as a PNG file.

use super::{canvas, dom};
use gemmscope_chart::scene::Scene;
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

/// Downloads the scene as a PNG file with `scale` pixels per CSS pixel.
pub fn save_png(scene: &Scene, scale: f64, name: String) {
    let canvas = dom::document().create_element("canvas").ok();
    let Some(Ok(canvas)) = canvas.map(JsCast::dyn_into::<HtmlCanvasElement>) else {
        return;
    };
    if canvas::paint_canvas(&canvas, scene, scale).is_err() {
        return;
    }
    let done = Closure::once_into_js(move |blob: Option<web_sys::Blob>| {
        if let Some(blob) = blob {
            dom::download_blob(&name, &blob);
        }
    });
    let _ = canvas.to_blob(done.unchecked_ref());
}
