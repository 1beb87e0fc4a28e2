//! Paints a scene on a canvas with `dpr` device pixels per CSS pixel. The canvas takes the size of the scene and is
//! cleared first, so a scene without a background is transparent.

use gemmscope_chart::paint::{Options, Painter};
use gemmscope_chart::scene::{Item, Marks, Scene, Symbol};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Paints a scene on a canvas with `dpr` device pixels per CSS pixel. The backing store is resized to the scene and
/// cleared, so a scene without a background is a transparent overlay.
pub fn paint_canvas(canvas: &HtmlCanvasElement, scene: &Scene, dpr: f64) -> Result<(), JsValue> {
    let options = Options::canvas(dpr);
    let dpr = options.scale / options.snap;
    let (width, height) = (pixels(scene.width, dpr), pixels(scene.height, dpr));
    if scene.items.is_empty() {
        // Setting the size clears the canvas; one that is never drawn on takes no memory.
        canvas.set_width(width);
        canvas.set_height(height);
        return Ok(());
    }
    if canvas.width() != width {
        canvas.set_width(width);
    }
    if canvas.height() != height {
        canvas.set_height(height);
    }
    let context = context(canvas)?;
    context.reset_transform()?;
    context.clear_rect(0.0, 0.0, f64::from(width), f64::from(height));
    let Some(mut backend) = CanvasBackend::with_canvas_object(canvas.clone()) else {
        return Err(JsValue::from_str("this canvas has no 2d context"));
    };
    let mut painter = Painter::new(scene, options);
    // The painter's unit is a fraction of a device pixel.
    let unit = 1.0 / options.snap;
    let in_units = |c: &CanvasRenderingContext2d| c.set_transform(unit, 0.0, 0.0, unit, 0.0, 0.0);
    in_units(&context)?;
    for item in &scene.items {
        match item {
            Item::Image { rect, width, height, rgba } => {
                let picture = picture(*width, *height, rgba)?;
                clipped(&context, painter.clip(), dpr, |c| {
                    c.set_image_smoothing_enabled(false);
                    let [l, t, w, h] = *rect;
                    c.draw_image_with_html_canvas_element_and_dw_and_dh(&picture, l, t, w, h)
                })?;
                in_units(&context)?;
            }
            Item::Marks(marks) if marks.symbol == Symbol::Dot => {
                clipped(&context, painter.clip(), dpr, |c| discs(c, marks))?;
                in_units(&context)?;
            }
            item => painter.draw(item, &mut backend).map_err(|why| JsValue::from_str(&why))?,
        }
    }
    context.reset_transform()
}

fn pixels(css: f64, dpr: f64) -> u32 {
    (css * dpr).round().clamp(1.0, 16384.0) as u32
}

fn context(canvas: &HtmlCanvasElement) -> Result<CanvasRenderingContext2d, JsValue> {
    let context = canvas
        .get_context("2d")?
        .ok_or_else(|| JsValue::from_str("this canvas has no 2d context"))?;
    Ok(context.unchecked_into())
}

fn new_canvas(width: u32, height: u32) -> Result<HtmlCanvasElement, JsValue> {
    let document = web_sys::window()
        .and_then(|w| w.document())
        .ok_or_else(|| JsValue::from_str("no document"))?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
    canvas.set_width(width);
    canvas.set_height(height);
    Ok(canvas)
}

/// Runs `draw` in CSS pixels, clipped to a rectangle.
fn clipped(
    context: &CanvasRenderingContext2d,
    clip: [f64; 4],
    dpr: f64,
    draw: impl FnOnce(&CanvasRenderingContext2d) -> Result<(), JsValue>,
) -> Result<(), JsValue> {
    context.save();
    context.set_transform(dpr, 0.0, 0.0, dpr, 0.0, 0.0)?;
    context.begin_path();
    context.rect(clip[0], clip[1], clip[2], clip[3]);
    context.clip();
    let done = draw(context);
    context.restore();
    done
}

/// Puts pixels on a separate canvas, because `put_image_data` replaces what is below, while drawing a canvas blends.
fn picture(width: u32, height: u32, rgba: &[u8]) -> Result<HtmlCanvasElement, JsValue> {
    let canvas = new_canvas(width, height)?;
    let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(rgba), width, height)?;
    context(&canvas)?.put_image_data(&data, 0.0, 0.0)?;
    Ok(canvas)
}

/// Draws discs, each filled separately so that they blend; the fill style is set only when the colour changes.
fn discs(context: &CanvasRenderingContext2d, marks: &Marks) -> Result<(), JsValue> {
    let styles: Vec<String> = marks.palette.iter().map(|c| c.css()).collect();
    let mut current = None;
    for i in 0..marks.len() {
        let code = marks.codes.get(i).map_or(0, |c| usize::from(*c));
        let Some(style) = styles.get(code) else {
            continue;
        };
        if current != Some(code) {
            context.set_fill_style_str(style);
            current = Some(code);
        }
        let ((x, y), radius) = (marks.at(i), marks.radius);
        if x.is_finite() && y.is_finite() && radius > 0.0 && radius < 1e6 {
            context.begin_path();
            context.arc(x, y, radius, 0.0, std::f64::consts::TAU)?;
            context.fill();
        }
    }
    Ok(())
}
