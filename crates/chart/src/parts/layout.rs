//! Layout of a chart: its plot, grid, ticks and titles.

use crate::labels::Rect;
use crate::scale::Scale;
use crate::scene::{BELOW, CENTER, Scene, TOP_END};
use crate::text;
use crate::ticks::Tick;

/// Text size of ticks, titles and labels in px.
pub(crate) const FONT: f64 = 11.0;
/// Text size of messages.
pub(crate) const FONT_MESSAGE: f64 = 13.0;
/// Left margin of texts, px; the page has the same.
pub(crate) const EDGE: f64 = 8.0;
/// Plots narrower than this are laid out for a phone.
pub(crate) const NARROW: f64 = 560.0;

/// A plot: its rectangle and its two scales, in CSS pixels. This is the view transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    /// Left, top, width, height.
    pub rect: Rect,
    /// Horizontal scale.
    pub x: Scale,
    /// Vertical scale; its range runs upwards.
    pub y: Scale,
}

impl Plot {
    /// A plot with domains laid over a rectangle.
    pub(crate) fn new(rect: Rect, x: Scale, y: Scale) -> Self {
        Plot {
            rect,
            x: Scale { range: (rect[0], rect[0] + rect[2]), ..x },
            y: Scale { range: (rect[1] + rect[3], rect[1]), ..y },
        }
    }

    /// True if a point is inside the plot.
    pub(crate) fn holds(&self, at: (f64, f64)) -> bool {
        crate::clip::holds(self.rect, at)
    }
}

/// Title of the X axis, right-aligned below its ticks or names, between `from` and `right`.
pub(crate) fn x_title(scene: &mut Scene, (from, right, top): (f64, f64, f64), title: &str) {
    if !title.is_empty() {
        let title = text::ellipsis(title, FONT, right - from - 8.0);
        scene.text((right, top), title, scene.theme.muted, TOP_END);
    }
}

/// Tick marks and their labels along X below `bottom`.
pub(crate) fn x_labels(
    scene: &mut Scene,
    (plot, until): (&Plot, f64),
    bottom: f64,
    ticks: &[Tick],
) {
    let [left, _, width, _] = plot.rect;
    let right = left + width;
    let labelled = ticks.iter().filter_map(|t| Some((plot.x.px(t.value), t.label.clone()?)));
    let inside = left - 0.5..=right + 0.5;
    let labelled: Vec<_> = labelled.filter(|(px, _)| inside.contains(px)).collect();
    for (px, _) in &labelled {
        scene.line(vec![(*px, bottom), (*px, bottom + 4.0)], scene.theme.axis, 1.0);
    }
    labels_below(scene, (until - 2.0, bottom + 6.0), FONT, labelled);
}

/// Tick labels along an axis, from left to right up to `most`. Labels at the ends move inwards instead of being cut or
/// covering what is beside the axis; those without room are left out.
pub(crate) fn labels_below(
    scene: &mut Scene,
    (most, top): (f64, f64),
    size: f64,
    labels: impl IntoIterator<Item = (f64, String)>,
) {
    let most = most.min(scene.width - 2.0);
    let mut free = f64::NEG_INFINITY;
    for (px, label) in labels {
        let half = text::width(&label, size, false) / 2.0;
        let least = half + 2.0;
        let at = px.clamp(least, (most - half).max(least));
        if (at - px).abs() <= half * 0.8 && at - half >= free {
            free = at + half + 4.0;
            scene.sized((at, top), label, size, scene.theme.muted, BELOW);
        }
    }
}

/// A centred sentence in a rectangle, wrapped.
pub(crate) fn message(scene: &mut Scene, rect: Rect, sentence: &str) {
    let lines = text::wrap(sentence, FONT_MESSAGE, (rect[2] - 24.0).clamp(40.0, 420.0));
    let step = FONT_MESSAGE * 1.45;
    let top = rect[1] + rect[3] / 2.0 - step * (lines.len() as f64 - 1.0) / 2.0;
    for (i, line) in lines.into_iter().enumerate() {
        scene.sized(
            (rect[0] + rect[2] / 2.0, top + step * i as f64),
            line,
            FONT_MESSAGE,
            scene.theme.muted,
            CENTER,
        );
    }
    scene.message = Some(sentence.to_owned());
}
