//! A card of figures in place of a chart's only bar, which would compare nothing.

use crate::labels::Rect;
use crate::layout::{EDGE, FONT};
use crate::scene::{START, Scene};
use crate::spec::Spec;
use crate::text;
use crate::tooltip::Tooltip;

/// Width and height of a figure, px.
const FIGURE: (f64, f64) = (150.0, 44.0);
/// Text sizes of the name and of a value, px.
const NAME: f64 = 14.0;
const VALUE: f64 = 15.0;
/// Height of the name's line, px.
const HEAD: f64 = 30.0;

/// Figures side by side, and lines of them, in a width.
fn flow(figures: usize, width: f64) -> (usize, f64) {
    let inner = (width - 4.0 * EDGE).max(FIGURE.0);
    let columns = ((inner / FIGURE.0) as usize).clamp(1, figures.max(1));
    (columns, figures.div_ceil(columns) as f64)
}

/// Height of the card of a mark, with its margins.
pub(crate) fn height(spec: &Spec, mark: usize, width: f64) -> f64 {
    HEAD + flow(spec.facts(mark).len(), width).1 * FIGURE.1 + 4.0 * EDGE
}

/// Draws the name and all figures of a mark; the card is its hit area.
pub(crate) fn card(scene: &mut Scene, [left, top, width, _]: Rect, spec: &Spec, mark: usize) {
    let (theme, facts) = (scene.theme, spec.facts(mark));
    let (columns, lines) = flow(facts.len(), width);
    let wide = (columns as f64 * FIGURE.0 + 2.0 * EDGE).min(width - 2.0 * EDGE);
    let rect = [left + EDGE, top + EDGE, wide, HEAD + lines * FIGURE.1 + EDGE];
    scene.fill(rect, theme.panel);
    let x = rect[0] + EDGE;
    let name = text::ellipsis(&spec.name(mark), NAME, wide - 2.0 * EDGE);
    scene.bold((x, rect[1] + HEAD / 2.0 + 2.0), name, NAME, theme.text, START);
    for (i, (caption, value)) in facts.into_iter().enumerate() {
        let x = x + FIGURE.0 * (i % columns) as f64;
        let y = rect[1] + HEAD + FIGURE.1 * (i / columns) as f64;
        let room = FIGURE.0 - EDGE;
        scene.text((x, y + 10.0), text::ellipsis(&caption, FONT, room), theme.muted, START);
        let value = text::ellipsis(&value, VALUE, room);
        scene.bold((x, y + 28.0), value, VALUE, theme.text, START);
    }
    scene.hit(spec.groups.get(mark).to_vec(), rect, Tooltip::of(mark));
}
