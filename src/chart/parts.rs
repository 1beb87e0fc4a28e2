//! Small parts that several charts share: legends, panel titles, arrow heads, check marks.

use super::layout::FONT;
use super::palette::Theme;
use super::scene::{Anchor, Baseline, Color, Glyph, Item, Mark, Point, Scene};
use super::text;

/// Height of a legend line.
pub const LEGEND_LINE: f64 = 18.0;

/// What stands before a legend's text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Swatch {
    /// A mark.
    Mark(Glyph, Color),
    /// A filled box.
    Box(Color),
    /// A dashed line.
    Dashed(Color),
    /// A solid line.
    Solid(Color),
    /// An upright tick.
    Tick(Color),
    /// A check mark.
    Check(Color),
    /// A small hollow triangle: the model's check mark.
    Hollow(Color),
}

/// Draws entries from left to right, in as many lines as they need; returns the height used. With
/// `scene` as `None` nothing is drawn: the height for a layout that has yet to be made.
pub fn legend(
    mut scene: Option<&mut Scene>,
    at: Point,
    width: f64,
    theme: &Theme,
    entries: &[(Swatch, String)],
) -> f64 {
    let (mut x, mut line) = (0.0, 0.0);
    for (swatch, label) in entries {
        let label = text::ellipsis(label, FONT, (width - 20.0).max(20.0));
        let w = 18.0 + text::width(&label, FONT, false);
        if x > 0.0 && x + w > width {
            x = 0.0;
            line += 1.0;
        }
        if let Some(scene) = scene.as_deref_mut() {
            let (cx, cy) = (
                at.0 + x + 6.0,
                at.1 + line * LEGEND_LINE + LEGEND_LINE / 2.0,
            );
            draw(scene, *swatch, (cx, cy));
            scene.text(
                (cx + 10.0, cy),
                label,
                FONT,
                theme.muted,
                (Anchor::Start, Baseline::Middle),
            );
        }
        x += w + 14.0;
    }
    if entries.is_empty() {
        0.0
    } else {
        (line + 1.0) * LEGEND_LINE
    }
}

fn draw(scene: &mut Scene, swatch: Swatch, (x, y): Point) {
    match swatch {
        Swatch::Mark(glyph, color) => scene.items.push(Item::Glyph {
            at: (x, y),
            radius: 4.0,
            glyph,
            color,
        }),
        Swatch::Box(color) => scene.fill([x - 5.0, y - 5.0, 10.0, 10.0], color),
        Swatch::Dashed(color) => {
            scene.dashed(vec![(x - 7.0, y), (x + 7.0, y)], color, 2.0, &[4.0, 2.0]);
        }
        Swatch::Solid(color) => scene.line(vec![(x - 6.0, y), (x + 6.0, y)], color, 2.0),
        Swatch::Tick(color) => scene.line(vec![(x, y - 6.0), (x, y + 6.0)], color, 2.0),
        Swatch::Check(color) => check(scene, (x, y), 5.0, color, 2.0),
        Swatch::Hollow(color) => hollow(scene, (x, y), 4.0, color),
    }
}

/// A check mark: drawn, since not every font has one.
pub fn check(scene: &mut Scene, (x, y): Point, r: f64, color: Color, width: f64) {
    scene.line(
        vec![
            (x - r * 0.85, y + r * 0.05),
            (x - r * 0.25, y + r * 0.7),
            (x + r * 0.95, y - r * 0.75),
        ],
        color,
        width,
    );
}

/// A hollow triangle pointing up.
pub fn hollow(scene: &mut Scene, (x, y): Point, r: f64, color: Color) {
    scene.line(
        vec![
            (x, y - r),
            (x + r * 0.95, y + r * 0.75),
            (x - r * 0.95, y + r * 0.75),
            (x, y - r),
        ],
        color,
        1.5,
    );
}

/// An arrow between two points; the head is left out where it would be longer than the shaft.
pub fn arrow(scene: &mut Scene, from: Point, to: Point, color: Color, width: f64) {
    scene.line(vec![from, to], color, width);
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let head = 3.0 + 1.5 * width;
    if !(length.is_finite() && length > head) {
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let base = (to.0 - ux * head, to.1 - uy * head);
    let half = head * 0.5;
    scene.items.push(Item::Polygon {
        points: vec![
            to,
            (base.0 - uy * half, base.1 + ux * half),
            (base.0 + uy * half, base.1 - ux * half),
        ],
        fill: color,
    });
}

/// The heading of one panel of several, cut to its width.
pub fn heading(scene: &mut Scene, at: Point, width: f64, theme: &Theme, words: &str) {
    scene.bold(
        at,
        text::ellipsis(words, FONT * 1.1, width),
        FONT,
        theme.text,
        (Anchor::Start, Baseline::Middle),
    );
}

/// Secondary text from a point rightwards, cut to a width.
pub fn note(scene: &mut Scene, at: Point, width: f64, theme: &Theme, words: &str) {
    scene.text(
        at,
        text::ellipsis(words, FONT, width),
        FONT,
        theme.muted,
        (Anchor::Start, Baseline::Middle),
    );
}

/// Outlines the marks that stand for a selected row.
pub fn outline_selected(scene: &mut Scene, theme: &Theme, selected: &[u32]) {
    if selected.is_empty() {
        return;
    }
    let rects: Vec<[f64; 4]> = scene
        .marks
        .iter()
        .filter(|m: &&Mark| m.rows.iter().any(|r| selected.contains(r)))
        .map(|m| m.rect)
        .collect();
    for [l, t, w, h] in rects {
        scene.items.push(Item::Rect {
            rect: [l - 1.0, t - 1.0, w + 2.0, h + 2.0],
            fill: None,
            stroke: Some((theme.accent, 2.0)),
        });
    }
}

/// `1 234 567`: digits in groups, for counts in sentences.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}
