//! What was not measured: planned points with their trails and waymarks, and arrows.

use super::{Input, plate, plate_size};
use crate::labels::{Placer, Rect};
use crate::layout::Plot;
use crate::palette::alpha;
use crate::scene::{Color, Item, Scene, Symbol};
use crate::tooltip::Tooltip;

/// A planned point: drawn hollow, with its earlier positions as a faint line.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Arithmetic intensity, FLOP/byte.
    pub ai: f64,
    /// Rate, FLOP/s.
    pub rate: f64,
    /// Earlier positions, oldest first: intensity and rate.
    pub trail: Vec<(f64, f64)>,
    /// Short name beside it; "" for none.
    pub label: String,
    /// Head of its tooltip; it also names the point.
    pub name: String,
    /// Colour.
    pub color: Color,
}

/// A named place on the way of planned points: a step of a slider, the batch at the ridge.
#[derive(Clone, Debug, PartialEq)]
pub struct Waymark {
    /// Arithmetic intensity, FLOP/byte.
    pub ai: f64,
    /// Rate, FLOP/s.
    pub rate: f64,
    /// What is written beside it: the first that there is room for.
    pub labels: Vec<String>,
    /// Name of the mark that the pointer and the keyboard find; "" for none.
    pub name: String,
    /// Colour of the ridge's mark.
    pub color: Color,
}

/// An arrow between two positions (intensity, rate): before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Before.
    pub from: (f64, f64),
    /// After.
    pub to: (f64, f64),
    /// Colour.
    pub color: Color,
}

/// Planned points with their trails, and arrows.
pub(super) fn extras(scene: &mut Scene, input: &Input<'_>, plot: &Plot) {
    let px = |p: (f64, f64)| (plot.x.px(p.0), plot.y.px(p.1));
    for a in input.arrows {
        arrow(scene, px(a.from), px(a.to), a.color);
    }
    for p in input.planned {
        let at = px((p.ai, p.rate));
        let way: Vec<_> = p.trail.iter().map(|t| px(*t)).collect();
        let faint = alpha(p.color, 0.55);
        for t in &way {
            scene.mark(*t, 2.0, Symbol::Dot, faint);
        }
        if let Some(last) = way.last().copied() {
            // From the middle of the first mark's edge, so that a ring stays hollow.
            let away = (at.0 - last.0).hypot(at.1 - last.1);
            let stop =
                |d: f64| (at.0 + (last.0 - at.0) * d / away, at.1 + (last.1 - at.1) * d / away);
            let mut line = way.clone();
            if away > PLANNED {
                line.push(stop(PLANNED));
            }
            scene.line(line, faint, 1.25);
        }
        scene.mark(at, PLANNED, Symbol::Ring, p.color);
        if plot.holds(at) {
            scene.hit(
                Vec::new(),
                [at.0 - PLANNED, at.1 - PLANNED, 2.0 * PLANNED, 2.0 * PLANNED],
                Tooltip::new(&p.name),
            );
        }
    }
}

/// Half the size of a named waymark.
const WAYMARK: f64 = 4.5;

/// Marks and labels of the places on the way.
pub(super) fn waymark_labels(
    scene: &mut Scene,
    placer: &mut Placer,
    input: &Input<'_>,
    plot: &Plot,
) {
    for w in input.waymarks {
        let at = (plot.x.px(w.ai), plot.y.px(w.rate));
        if !plot.holds(at) {
            continue;
        }
        let named = !w.name.is_empty();
        if named {
            let rect = [at.0 - WAYMARK, at.1 - WAYMARK, 2.0 * WAYMARK, 2.0 * WAYMARK];
            scene.mark(at, WAYMARK, Symbol::Diamond, w.color);
            scene.hit(Vec::new(), rect, Tooltip::new(&w.name));
        }
        let away = if named { WAYMARK } else { 2.0 } + 2.0;
        let lines = if named { 6 } else { 1 };
        for label in &w.labels {
            let (width, height) = plate_size(label);
            // Below the slope on its right, further down where that is taken: the other side
            // belongs to the roof's own labels.
            let down = |line: i32| {
                let top = at.1 + away + f64::from(line) * height;
                [at.0 + away, top, width, height]
            };
            let left = [at.0 - width - away, at.1 - height - away, width, height];
            let spots = (0..lines).map(down).chain((!named).then_some(left));
            if let Some(rect) = placer.first(spots) {
                let color = if named { input.theme.text } else { input.theme.muted };
                plate(scene, input.theme, rect, label, color);
                break;
            }
        }
    }
}

/// Radius of a planned point's ring.
const PLANNED: f64 = 5.5;
pub(super) fn planned_box(at: (f64, f64)) -> Rect {
    [at.0 - PLANNED, at.1 - PLANNED, 2.0 * PLANNED, 2.0 * PLANNED]
}

/// Planned points this near, in px, share a label.
const SAME_PLACE: f64 = 14.0;
/// Names in a shared label at most.
const NAMES: usize = 4;

/// Names of planned points, where there is room; those at one place share one.
pub(super) fn planned_labels(
    scene: &mut Scene,
    placer: &mut Placer,
    input: &Input<'_>,
    plot: &Plot,
) {
    let mut places: Vec<((f64, f64), Vec<&str>)> = Vec::new();
    for p in input.planned {
        let at = (plot.x.px(p.ai), plot.y.px(p.rate));
        if !plot.holds(at) {
            continue;
        }
        if p.label.is_empty() {
            continue;
        }
        let near = |q: &(f64, f64)| (q.0 - at.0).hypot(q.1 - at.1) < SAME_PLACE;
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
        if let Some(placed) = placer.around(at, plate_size(&label), PLANNED + 1.5) {
            if let Some((from, to)) = placed.leader {
                scene.line(vec![from, to], input.theme.muted, 1.0);
            }
            plate(scene, input.theme, placed.rect, &label, input.theme.text);
        }
    }
}

/// A line with a head that ends at `to`.
pub(super) fn arrow(scene: &mut Scene, from: (f64, f64), to: (f64, f64), color: Color) {
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
