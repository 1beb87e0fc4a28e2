//! Hit test for many points: a grid of small cells, filled by counting sort.

use crate::labels::{Rect, about};
use crate::scene::Point;

/// Side of a cell in px.
const CELL: f64 = 8.0;

/// Direction of a keyboard step from a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The next point to the left.
    Left,
    /// The next point to the right.
    Right,
    /// The next point up.
    Up,
    /// The next point down.
    Down,
}

/// A point found by a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its id (the dataset row).
    pub id: u32,
    /// Its position.
    pub at: Point,
    /// Distance from the queried position, px.
    pub distance: f64,
}

/// Receives id and position of a point.
type Found<'a> = dyn FnMut(u32, f32, f32) + 'a;

/// Points by cell. Building takes two passes; a query looks at a few cells.
#[derive(Clone, Debug, Default)]
pub struct HitGrid {
    origin: Point,
    columns: usize,
    rows: usize,
    starts: Vec<u32>,
    ids: Vec<u32>,
    xs: Vec<f32>,
    ys: Vec<f32>,
}

impl HitGrid {
    /// A grid over a rectangle. `each` is called twice and must report id and position of every point in the same order
    /// both times; points outside are left out.
    pub(crate) fn build(rect: Rect, each: &mut dyn FnMut(&mut Found<'_>)) -> Self {
        let usable = rect.iter().all(|v| v.is_finite()) && rect[2] > 0.0 && rect[3] > 0.0;
        if !usable {
            return HitGrid::default();
        }
        let columns = ((rect[2] / CELL).ceil() as usize).clamp(1, 4096);
        let rows = ((rect[3] / CELL).ceil() as usize).clamp(1, 4096);
        let mut grid = HitGrid { origin: (rect[0], rect[1]), columns, rows, ..HitGrid::default() };
        let (l, t) = (rect[0] as f32, rect[1] as f32);
        let (r, b) = ((rect[0] + rect[2]) as f32, (rect[1] + rect[3]) as f32);
        let inside = |x: f32, y: f32| x >= l && x <= r && y >= t && y <= b;
        let mut starts = vec![0u32; columns * rows + 1];
        each(&mut |_, x, y| {
            if inside(x, y) {
                starts[grid.cell(x, y) + 1] += 1;
            }
        });
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let n = starts.last().copied().unwrap_or(0) as usize;
        let (mut ids, mut xs, mut ys) = (vec![0; n], vec![0.0; n], vec![0.0; n]);
        let mut next = starts.clone();
        each(&mut |id, x, y| {
            if inside(x, y) {
                let band = &mut next[grid.cell(x, y)];
                let i = *band as usize;
                if i < n {
                    (ids[i], xs[i], ys[i]) = (id, x, y);
                    *band += 1;
                }
            }
        });
        (grid.ids, grid.xs, grid.ys, grid.starts) = (ids, xs, ys, starts);
        grid
    }

    fn cell(&self, x: f32, y: f32) -> usize {
        self.row_of(f64::from(y)) * self.columns + self.column_of(f64::from(x))
    }

    fn column_of(&self, x: f64) -> usize {
        (((x - self.origin.0) / CELL).max(0.0) as usize).min(self.columns - 1)
    }

    fn row_of(&self, y: f64) -> usize {
        (((y - self.origin.1) / CELL).max(0.0) as usize).min(self.rows - 1)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there are no points.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Calls back with the bands of the points in the cells that touch a rectangle.
    fn bands(&self, rect: Rect, mut f: impl FnMut(usize)) {
        if self.is_empty() || rect.iter().any(|v| v.is_nan()) {
            return;
        }
        let (c0, c1) = (self.column_of(rect[0]), self.column_of(rect[0] + rect[2]));
        for row in self.row_of(rect[1])..=self.row_of(rect[1] + rect[3]) {
            let base = row * self.columns;
            let (from, to) = (self.starts[base + c0], self.starts[base + c1 + 1]);
            (from as usize..to as usize).for_each(&mut f);
        }
    }

    fn at(&self, band: usize) -> Point {
        (f64::from(self.xs[band]), f64::from(self.ys[band]))
    }

    /// The point nearest to a position, within `radius`; on a tie the first row.
    pub fn nearest(&self, (x, y): Point, radius: f64) -> Option<Hit> {
        // Compares squared distances: square roots for a pile of points would cost more than the search.
        let mut best: Option<(f64, u32, usize)> = None;
        self.bands(about((x, y), radius), |band| {
            let d = self.squared(band, (x, y));
            let id = self.ids[band];
            if d <= radius * radius && best.is_none_or(|(b, i, _)| (d, id) < (b, i)) {
                best = Some((d, id, band));
            }
        });
        let (squared, id, band) = best?;
        Some(Hit { id, at: self.at(band), distance: squared.sqrt() })
    }

    fn squared(&self, band: usize, (x, y): Point) -> f64 {
        let at = self.at(band);
        (at.0 - x) * (at.0 - x) + (at.1 - y) * (at.1 - y)
    }

    /// Number of points within `radius`: "and 41 more here".
    pub(crate) fn count_near(&self, (x, y): Point, radius: f64) -> usize {
        let mut n = 0;
        self.bands(about((x, y), radius), |band| {
            n += usize::from(self.squared(band, (x, y)) <= radius * radius);
        });
        n
    }

    /// Ids inside a rectangle (its edge included), ascending.
    pub(crate) fn within(&self, rect: Rect) -> Vec<u32> {
        let mut out = Vec::new();
        self.bands(rect, |band| {
            if crate::clip::holds(rect, self.at(band)) {
                out.push(self.ids[band]);
            }
        });
        out.sort_unstable();
        out
    }

    /// Next point for the keyboard. Left and right walk all points by x (then y, then row), up and down by y (then x,
    /// then row), so that every point is reached. Without `from`, the first one of the walk.
    pub(crate) fn neighbour(&self, from: Option<u32>, direction: Direction) -> Option<Hit> {
        let key = |band: usize| -> (f32, f32, u32) {
            let (x, y, id) = (self.xs[band], self.ys[band], self.ids[band]);
            match direction {
                Direction::Right => (x, y, id),
                Direction::Left => (-x, -y, u32::MAX - id),
                Direction::Up => (-y, x, id),
                Direction::Down => (y, -x, u32::MAX - id),
            }
        };
        let start = match from {
            Some(id) => Some(key(self.ids.iter().position(|&i| i == id)?)),
            None => None,
        };
        let order = |a: &(f32, f32, u32), b: &(f32, f32, u32)| {
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
        };
        let ahead = (0..self.len())
            .map(|band| (band, key(band)))
            .filter(|(_, k)| start.as_ref().is_none_or(|s| order(s, k).is_lt()));
        let (band, _) = ahead.min_by(|a, b| order(&a.1, &b.1))?;
        Some(Hit { id: self.ids[band], at: self.at(band), distance: 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RECT: Rect = [10.0, 20.0, 200.0, 100.0];

    fn grid(points: &[(f32, f32)]) -> HitGrid {
        HitGrid::build(RECT, &mut |f| {
            for (i, p) in points.iter().enumerate() {
                f(i as u32, p.0, p.1);
            }
        })
    }

    fn visible(points: &[(f32, f32)]) -> Vec<(u32, Point)> {
        let of = |p: &(f32, f32)| (f64::from(p.0), f64::from(p.1));
        (0u32..).zip(points.iter().map(of)).filter(|(_, p)| crate::clip::holds(RECT, *p)).collect()
    }

    fn squared(p: Point, q: Point) -> f64 {
        (p.0 - q.0) * (p.0 - q.0) + (p.1 - q.1) * (p.1 - q.1)
    }

    fn points() -> impl Strategy<Value = Vec<(f32, f32)>> {
        let any = prop_oneof![
            20 => 0.0..230.0f32,
            3 => (0i32..28).prop_map(|i| i as f32 * 8.0 + 2.0),
            1 => Just(f32::NAN),
            1 => Just(f32::INFINITY),
        ];
        proptest::collection::vec((any.clone(), any), 0..80)
    }

    proptest! {
        #[test]
        fn finds_what_a_full_scan_finds(points in points(), x in 0.0..230.0f64, y in 0.0..140.0f64, r in 0.0..60.0f64, w in 0.0..100.0f64) {
            let g = grid(&points);
            let all = visible(&points);
            prop_assert_eq!(g.len(), all.len());
            let best = all
                .iter()
                .map(|(i, p)| (squared(*p, (x, y)), *i))
                .filter(|(d, _)| *d <= r * r)
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            prop_assert_eq!(g.nearest((x, y), r).map(|h| (h.distance, h.id)), best.map(|(d, i)| (d.sqrt(), i)));
            prop_assert_eq!(g.count_near((x, y), r), all.iter().filter(|(_, p)| squared(*p, (x, y)) <= r * r).count());
            let rect = [x, y, w, r];
            let inside: Vec<u32> = all.iter().filter(|(_, p)| crate::clip::holds(rect, *p)).map(|(i, _)| *i).collect();
            prop_assert_eq!(g.within(rect), inside);
        }

        #[test]
        fn the_keyboard_reaches_every_point_once(points in points()) {
            let g = grid(&points);
            let all = visible(&points);
            for (there, back) in [(Direction::Right, Direction::Left), (Direction::Up, Direction::Down)] {
                let mut at = g.neighbour(None, there);
                let mut seen = Vec::new();
                while let Some(h) = at {
                    seen.push(h.id);
                    at = g.neighbour(Some(h.id), there);
                    if let Some(next) = at {
                        prop_assert_eq!(g.neighbour(Some(next.id), back).map(|h| h.id), Some(h.id));
                    }
                }
                seen.sort_unstable();
                prop_assert_eq!(&seen, &all.iter().map(|(i, _)| *i).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn degenerate_grids_answer() {
        let g = HitGrid::build([0.0, 0.0, 0.0, f64::NAN], &mut |_| {});
        assert_eq!(g.nearest((0.0, 0.0), 10.0), None);
        assert!(g.within([0.0, 0.0, 1.0, 1.0]).is_empty());
        assert_eq!(g.neighbour(None, Direction::Right), None);
    }
}
