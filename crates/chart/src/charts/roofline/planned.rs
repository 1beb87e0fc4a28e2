//! Points that are not rows, planned or measured without sizes, with trails and waymarks; arrows.

use super::Layers;
use crate::labels::{On, Rect, about, plate, plate_size};
use crate::palette::alpha;
use crate::scene::{Color, Item, Point, Scene, Symbol};
use crate::tooltip::Tooltip;

/// A point that is not a row. A planned one is drawn hollow, with its earlier positions as a faint line.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Arithmetic intensity, FLOP/byte.
    pub ai: f64,
    /// Rate, FLOP/s.
    pub rate: f64,
    /// Earlier positions (intensity, rate), oldest first.
    pub trail: Vec<(f64, f64)>,
    /// Short name beside it; "" for none.
    pub label: String,
    /// Its tooltip, whose heading names the point.
    pub tooltip: Tooltip,
    /// Colour.
    pub color: Color,
    /// True if it was measured, at an unknown size: drawn filled.
    pub measured: bool,
}

/// A named position on the trail of planned points: a step of a slider, the batch at the ridge.
#[derive(Clone, Debug, PartialEq)]
pub struct Waymark {
    /// Arithmetic intensity, FLOP/byte.
    pub ai: f64,
    /// Rate, FLOP/s.
    pub rate: f64,
    /// Candidate labels: the first that fits is drawn.
    pub labels: Vec<String>,
    /// Its tooltip; a mark whose tooltip has no heading is not a target.
    pub tooltip: Tooltip,
    /// Colour of the mark.
    pub color: Color,
}

/// Half the size of a named waymark.
const WAYMARK: f64 = 4.5;
/// Radius of the ring of a planned point; the mark of a measured one is smaller.
const PLANNED: f64 = 5.5;
/// Planned points closer than this, px, share a label.
const SAME_PLACE: f64 = 14.0;
/// Maximum number of names in a shared label.
const NAMES: usize = 4;

pub(super) fn planned_box(at: Point) -> Rect {
    about(at, PLANNED)
}

impl Layers<'_> {
    /// Both ends of the arrow, px.
    pub(super) fn arrow(&self) -> Option<[Point; 2]> {
        Some(self.input.extras.arrow?.map(|(ai, rate)| self.px(ai, rate)))
    }

    /// Planned points with their trails, and the arrow.
    pub(super) fn planned(&mut self) {
        if let Some([from, to]) = self.arrow() {
            arrow(&mut self.scene, from, to, self.input.theme.muted);
        }
        for p in &self.input.extras.planned {
            let at = self.px(p.ai, p.rate);
            let mut way: Vec<_> = p.trail.iter().map(|t| self.px(t.0, t.1)).collect();
            let faint = alpha(p.color, 0.55);
            for t in &way {
                self.scene.mark(*t, 2.0, Symbol::Dot, faint);
            }
            if let Some(last) = way.last().copied() {
                // Start at the edge of the first mark, so that a ring stays hollow.
                let away = (at.0 - last.0).hypot(at.1 - last.1);
                let stop =
                    |d: f64| (at.0 + (last.0 - at.0) * d / away, at.1 + (last.1 - at.1) * d / away);
                way.extend((away > PLANNED).then(|| stop(PLANNED)));
                self.scene.line(way, faint, 1.25);
            }
            match p.measured {
                true => self.scene.mark(at, PLANNED - 1.5, Symbol::Dot, p.color),
                false => self.scene.mark(at, PLANNED, Symbol::Ring, p.color),
            }
            if self.plot.holds(at) {
                self.scene.hit(Vec::new(), planned_box(at), p.tooltip.clone());
            }
        }
    }

    /// Marks and labels of the waymarks.
    pub(super) fn waymark_labels(&mut self) {
        let theme = self.input.theme;
        for w in &self.input.extras.waymarks {
            let at = self.px(w.ai, w.rate);
            if !self.plot.holds(at) {
                continue;
            }
            let named = !w.tooltip.head.is_empty();
            if named {
                self.scene.mark(at, WAYMARK, Symbol::Diamond, w.color);
                self.scene.hit(Vec::new(), about(at, WAYMARK), w.tooltip.clone());
            }
            let away = if named { WAYMARK } else { 2.0 } + 2.0;
            let lines = if named { 6 } else { 1 };
            let color = if named { theme.text } else { theme.muted };
            for label in &w.labels {
                let placed = self.placer.label(
                    &mut self.scene,
                    (label, color),
                    On::Lines,
                    |width, height| {
                        // Right of the mark, below the slope, and further down if that is taken: the left side belongs
                        // to the labels of the roof.
                        let down = move |line: i32| {
                            let top = at.1 + away + f64::from(line) * height;
                            [at.0 + away, top, width, height]
                        };
                        let left = [at.0 - width - away, at.1 - height - away, width, height];
                        (0..lines).map(down).chain((!named).then_some(left))
                    },
                );
                if placed.is_some() {
                    break;
                }
            }
        }
    }

    /// Names of planned points, if there is room; points at one position share a label.
    pub(super) fn planned_labels(&mut self) {
        let theme = self.input.theme;
        let mut places: Vec<(Point, Vec<&str>)> = Vec::new();
        for p in self.input.extras.planned.iter().filter(|p| !p.label.is_empty()) {
            let at = self.px(p.ai, p.rate);
            if !self.plot.holds(at) {
                continue;
            }
            let near = |q: &Point| (q.0 - at.0).hypot(q.1 - at.1) < SAME_PLACE;
            match places.iter_mut().find(|(q, _)| near(q)) {
                Some((_, names)) => names.push(&p.label),
                None => places.push((at, vec![&p.label])),
            }
        }
        for (at, names) in places {
            let mut label = names[..names.len().min(NAMES)].join(", ");
            if names.len() > NAMES {
                label.push_str(&format!(" + {}", names.len() - NAMES));
            }
            if let Some(placed) = self.placer.around(at, plate_size(&label), PLANNED + 1.5) {
                if let Some((from, to)) = placed.leader {
                    self.scene.line(vec![from, to], theme.muted, 1.0);
                }
                plate(&mut self.scene, placed.rect, &label, theme.text);
            }
        }
    }
}

/// A line with an arrowhead at `to`.
pub(super) fn arrow(scene: &mut Scene, from: Point, to: Point, color: Color) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if !length.is_finite() || length < 2.0 {
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let head = 7.0f64.min(length * 0.6);
    let base = (to.0 - ux * head, to.1 - uy * head);
    scene.line(vec![from, base], color, 1.2);
    scene.items.push(Item::Polygon {
        points: vec![
            to,
            (base.0 - uy * head * 0.42, base.1 + ux * head * 0.42),
            (base.0 + uy * head * 0.42, base.1 - ux * head * 0.42),
        ],
        fill: color,
    });
}
