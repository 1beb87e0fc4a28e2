//! Labels that never overlap: greedy placement over candidate positions, with leader lines.

use crate::layout::FONT;
use crate::palette::alpha;
use crate::scene::{Color, Point, START, Scene};
use crate::text;

/// A rectangle: left, top, width, height.
pub(crate) type Rect = [f64; 4];

/// True if two rectangles overlap with positive area.
pub fn overlaps(a: Rect, b: Rect) -> bool {
    a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
}

/// True if `inner` lies within `outer`.
pub fn contains(outer: Rect, inner: Rect) -> bool {
    inner[0] >= outer[0] - 1e-9
        && inner[1] >= outer[1] - 1e-9
        && inner[0] + inner[2] <= outer[0] + outer[2] + 1e-9
        && inner[1] + inner[3] <= outer[1] + outer[3] + 1e-9
}

/// A rectangle grown by a margin on each side.
pub(crate) fn grown(r: Rect, by: f64) -> Rect {
    [r[0] - by, r[1] - by, r[2] + 2.0 * by, r[3] + 2.0 * by]
}

/// The square around a point, extending `reach` to each side.
pub(crate) fn about((x, y): Point, reach: f64) -> Rect {
    grown([x, y, 0.0, 0.0], reach)
}

/// A placed label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    /// Box of the text.
    pub rect: Rect,
    /// Leader line from the marked point to the box, if the box is not beside the point.
    pub leader: Option<(Point, Point)>,
}

/// Tracks occupied space and finds room for labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placer {
    bounds: Rect,
    taken: Vec<Rect>,
    lines: Vec<(Point, Point)>,
    /// Centres of marks, and the largest radius.
    points: Vec<Point>,
    radius: f64,
}

/// What a label may cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// Neither lines nor marks.
    Nothing,
    /// Lines only; no label if every box covers marks.
    Lines,
    /// Marks too: the label is required.
    Marks,
}

/// Cost of covering a mark, in crossed lines.
const COVERED: usize = 1000;

impl Placer {
    /// A placer for the area `bounds`.
    pub(crate) fn new(bounds: Rect) -> Self {
        Placer { bounds, taken: Vec::new(), lines: Vec::new(), points: Vec::new(), radius: 0.0 }
    }

    /// Blocks a rectangle: labels never overlap it.
    pub(crate) fn block(&mut self, rect: Rect) {
        self.taken.push(rect);
    }

    /// Adds a line that labels should avoid.
    pub(crate) fn block_line(&mut self, from: Point, to: Point) {
        self.lines.push((from, to));
    }

    /// Adds marks that labels should not cover.
    pub(crate) fn block_points(&mut self, points: Vec<Point>, radius: f64) {
        self.points.extend(points);
        self.radius = self.radius.max(radius);
    }

    /// True if a box is inside the bounds and overlaps nothing blocked (lines and marks not counted).
    pub(crate) fn free(&self, rect: Rect) -> bool {
        contains(self.bounds, rect) && !self.taken.iter().any(|t| overlaps(*t, rect))
    }

    /// Cost of a box: the lines it crosses, and the marks it covers, which weigh far more.
    fn cost(&self, rect: Rect) -> usize {
        let crossed = |(a, b): &&(Point, Point)| crate::clip::segment(*a, *b, rect).is_some();
        let [l, t, w, h] = grown(rect, self.radius);
        let inside = |(x, y): &&Point| *x > l && *x < l + w && *y > t && *y < t + h;
        let covered = self.points.iter().filter(inside).count();
        self.lines.iter().filter(crossed).count() + COVERED * covered
    }

    /// Takes the first free box that covers nothing, else the cheapest one that covers only what `on` allows; `None` if
    /// there is none.
    pub(crate) fn place(
        &mut self,
        candidates: impl IntoIterator<Item = Rect>,
        on: On,
    ) -> Option<Rect> {
        let under = match on {
            On::Nothing => 1,
            On::Lines => COVERED,
            On::Marks => usize::MAX,
        };
        self.take(&mut candidates.into_iter().map(|rect| (0, rect)), under, &|_, _| false)
    }

    /// Draws a label at the first of the spots for its width and height that it [takes](Self::place); `None` if there
    /// is none.
    pub(crate) fn label<S: IntoIterator<Item = Rect>>(
        &mut self,
        scene: &mut Scene,
        (words, color): (&str, Color),
        on: On,
        spots: impl FnOnce(f64, f64) -> S,
    ) -> Option<Rect> {
        let (w, h) = plate_size(words);
        let rect = self.place(spots(w, h), on)?;
        plate(scene, rect, words, color);
        Some(rect)
    }

    /// Takes the free box with the lowest cost below `under`: what it covers, plus its distance, plus one if `crosses`
    /// says so. Candidates come with their distance, in ascending order of it.
    fn take(
        &mut self,
        candidates: &mut dyn Iterator<Item = (usize, Rect)>,
        under: usize,
        crosses: &dyn Fn(&[Rect], Rect) -> bool,
    ) -> Option<Rect> {
        let mut best: Option<(usize, Rect)> = None;
        for (far, rect) in candidates {
            if best.is_some_and(|(least, _)| least <= far) {
                break;
            }
            if self.free(rect) {
                let n = self.cost(rect) + far + usize::from(crosses(&self.taken, rect));
                if n < under && best.is_none_or(|(least, _)| n < least) {
                    best = Some((n, rect));
                }
            }
        }
        let (_, rect) = best?;
        self.taken.push(rect);
        Some(rect)
    }

    /// Finds a box of the given size for a point with a mark of `radius`: beside it, else in growing rings with a
    /// leader line. `None` if every box covers another mark or a label.
    pub(crate) fn around(&mut self, at: Point, (w, h): (f64, f64), radius: f64) -> Option<Placed> {
        // Right and left first, then above and below, then diagonals.
        const WAYS: [(f64, f64); 8] = [
            (1.0, 0.0),
            (0.7, -0.7),
            (0.7, 0.7),
            (-1.0, 0.0),
            (-0.7, -0.7),
            (-0.7, 0.7),
            (0.0, -1.0),
            (0.0, 1.0),
        ];
        let mut rings = (0..9usize).flat_map(|step| {
            let away = step as f64;
            let distance = radius + BESIDE + away * away * 2.2 + away * 5.0;
            WAYS.map(|(dx, dy)| {
                let side = if dx == 0.0 { 0.0 } else { dx.signum() };
                let (cx, cy) = (at.0 + dx * distance, at.1 + dy * distance);
                (step / 3, [cx + (side - 1.0) * w / 2.0, cy + (dy * 0.7 - 0.5) * h, w, h])
            })
        });
        let rect = self.take(&mut rings, COVERED, &|taken, rect| {
            leader(at, rect, radius).is_some_and(|(from, to)| {
                taken.iter().any(|taken| crate::clip::segment(from, to, *taken).is_some())
            })
        })?;
        Some(Placed { rect, leader: leader(at, rect, radius) })
    }
}

/// Size of the plate of a label.
pub(crate) fn plate_size(words: &str) -> (f64, f64) {
    (text::width(words, FONT, false) + 6.0, FONT * text::LINE + 1.0)
}

/// Draws a label on a plate of the panel's colour, so that it is legible over lines and marks.
pub(crate) fn plate(scene: &mut Scene, rect: Rect, words: &str, color: Color) {
    scene.fill(rect, alpha(scene.theme.panel, 0.86));
    scene.text((rect[0] + 3.0, rect[1] + rect[3] / 2.0), words, color, START);
}

/// Space between a mark and the box beside it.
const BESIDE: f64 = 3.0;

/// Leader line from the edge of a mark to a box; `None` if the box is beside the mark.
fn leader(at: Point, [l, t, w, h]: Rect, radius: f64) -> Option<(Point, Point)> {
    let end = (at.0.clamp(l, l + w), at.1.clamp(t, t + h));
    let (dx, dy) = (end.0 - at.0, end.1 - at.1);
    let far = dx.hypot(dy);
    (far > radius + BESIDE + 2.5).then(|| {
        let start = (at.0 + dx / far * radius, at.1 + dy / far * radius);
        (start, end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn placed_labels_never_overlap_or_leave(points in proptest::collection::vec((0.0..400.0f64, 0.0..300.0f64), 0..60)) {
            let bounds = [0.0, 0.0, 400.0, 300.0];
            let mut placer = Placer::new(bounds);
            placer.block_line((0.0, 300.0), (400.0, 0.0));
            let mut got: Vec<Rect> = Vec::new();
            for p in points {
                if let Some(l) = placer.around(p, (40.0, 14.0), 4.0) {
                    prop_assert!(contains(bounds, l.rect));
                    for other in &got {
                        prop_assert!(!overlaps(*other, l.rect));
                    }
                    got.push(l.rect);
                }
            }
        }
    }

    #[test]
    fn a_label_covers_no_mark_while_there_is_room() {
        let mut placer = Placer::new([0.0, 0.0, 400.0, 300.0]);
        // A column of marks right of the point.
        let column = (0..30).map(|i| (112.0, 5.0 + 10.0 * f64::from(i))).collect();
        placer.block_points(column, 4.0);
        let placed = placer.around((100.0, 100.0), (40.0, 14.0), 4.0).unwrap();
        assert!(placed.rect[0] + 40.0 <= 108.0, "{placed:?}");
        let over = [90.0, 50.0, 40.0, 14.0];
        assert_eq!(placer.place([over], On::Lines), None);
        assert_eq!(placer.place([over], On::Marks), Some(over));
    }

    #[test]
    fn a_lone_label_goes_right_of_its_point_without_leader() {
        let mut placer = Placer::new([0.0, 0.0, 400.0, 300.0]);
        let l = placer.around((100.0, 100.0), (40.0, 14.0), 4.0);
        assert_eq!(l, Some(Placed { rect: [107.0, 93.0, 40.0, 14.0], leader: None }));
    }
}
