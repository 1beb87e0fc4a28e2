//! Clipping of geometry to rectangles, since drawing backends have no clip.

use crate::labels::Rect;
use crate::scene::Point;

/// Intersection of two rectangles; an empty one has no area.
pub(crate) fn intersect(a: Rect, b: Rect) -> Rect {
    let (l, t) = (a[0].max(b[0]), a[1].max(b[1]));
    let r = (a[0] + a[2]).min(b[0] + b[2]);
    let d = (a[1] + a[3]).min(b[1] + b[3]);
    [l, t, (r - l).max(0.0), (d - t).max(0.0)]
}

/// True if a point lies in a rectangle, its edge included.
pub(crate) fn holds(r: Rect, (x, y): Point) -> bool {
    x >= r[0] && x <= r[0] + r[2] && y >= r[1] && y <= r[1] + r[3]
}

/// The part of a segment inside a rectangle.
pub(crate) fn segment(a: Point, b: Point, r: Rect) -> Option<(Point, Point)> {
    if !(a.0.is_finite() && a.1.is_finite() && b.0.is_finite() && b.1.is_finite()) {
        return None;
    }
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut t0, mut t1) = (0.0f64, 1.0f64);
    for (p, q) in
        [(-dx, a.0 - r[0]), (dx, r[0] + r[2] - a.0), (-dy, a.1 - r[1]), (dy, r[1] + r[3] - a.1)]
    {
        if p == 0.0 {
            if q < 0.0 {
                return None;
            }
        } else if p < 0.0 {
            t0 = t0.max(q / p);
        } else {
            t1 = t1.min(q / p);
        }
    }
    (t0 <= t1).then(|| {
        let at = |t: f64| {
            if t == 0.0 {
                a
            } else if t == 1.0 {
                b
            } else {
                (a.0 + t * dx, a.1 + t * dy)
            }
        };
        (at(t0), at(t1))
    })
}

/// The parts of a line inside a rectangle, as connected pieces.
pub(crate) fn polyline(points: &[Point], r: Rect) -> Vec<Vec<Point>> {
    let mut out: Vec<Vec<Point>> = Vec::new();
    for w in points.windows(2) {
        let Some((a, b)) = segment(w[0], w[1], r) else {
            continue;
        };
        match out.last_mut() {
            Some(piece) if piece.last() == Some(&a) => piece.push(b),
            _ => out.push(vec![a, b]),
        }
    }
    out
}

/// The part of a polygon inside a rectangle; fewer than three corners if it is empty.
pub(crate) fn polygon(points: &[Point], r: Rect) -> Vec<Point> {
    if points.iter().any(|p| !(p.0.is_finite() && p.1.is_finite())) {
        return Vec::new();
    }
    let mut out = points.to_vec();
    type Side = fn(Point, Rect) -> f64;
    let sides: [Side; 4] =
        [|p, r| p.0 - r[0], |p, r| r[0] + r[2] - p.0, |p, r| p.1 - r[1], |p, r| r[1] + r[3] - p.1];
    for side in sides {
        let input = std::mem::take(&mut out);
        for (i, &p) in input.iter().enumerate() {
            let q = input[if i == 0 { input.len() - 1 } else { i - 1 }];
            let (dp, dq) = (side(p, r), side(q, r));
            if (dp >= 0.0) != (dq >= 0.0) {
                let t = dq / (dq - dp);
                out.push((q.0 + t * (p.0 - q.0), q.1 + t * (p.1 - q.1)));
            }
            if dp >= 0.0 {
                out.push(p);
            }
        }
    }
    out
}

/// Cuts a line into dashes.
pub(crate) fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let total: f64 = pattern.iter().sum();
    let length: f64 = points.windows(2).map(|w| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1)).sum();
    let usable = pattern.iter().all(|d| d.is_finite() && *d >= 0.0) && total > 0.1;
    if !usable || !length.is_finite() || length / total > 20_000.0 {
        return vec![points.to_vec()];
    }
    let mut out = Vec::new();
    let (mut index, mut left) = (0usize, pattern[0]);
    let mut piece: Vec<Point> = points.first().map(|p| vec![*p]).unwrap_or_default();
    for w in points.windows(2) {
        let (mut a, b) = (w[0], w[1]);
        let mut rest = (b.0 - a.0).hypot(b.1 - a.1);
        while rest > left {
            let t = left / rest;
            let at = (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t);
            if index.is_multiple_of(2) {
                piece.push(at);
                out.push(std::mem::take(&mut piece));
            } else {
                piece = vec![at];
            }
            rest -= left;
            a = at;
            index += 1;
            left = pattern[index % pattern.len()];
            if left == 0.0 {
                left = 1e-6;
            }
        }
        left -= rest;
        if index.is_multiple_of(2) {
            piece.push(b);
        }
    }
    if index.is_multiple_of(2) && piece.len() > 1 {
        out.push(piece);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const R: Rect = [0.0, 0.0, 10.0, 10.0];

    #[test]
    fn lines_are_cut() {
        assert_eq!(segment((-5.0, 5.0), (15.0, 5.0), R), Some(((0.0, 5.0), (10.0, 5.0))));
        assert_eq!(segment((-5.0, -5.0), (-1.0, 20.0), R), None);
        assert_eq!(segment((f64::NAN, 0.0), (1.0, 1.0), R), None);
        let pieces = polyline(&[(5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)], R);
        assert_eq!(pieces.len(), 2);
    }

    #[test]
    fn polygons_are_cut() {
        let p = polygon(&[(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)], R);
        let area: f64 = (0..p.len())
            .map(|i| {
                let (a, b) = (p[i], p[(i + 1) % p.len()]);
                (a.0 * b.1 - b.0 * a.1) / 2.0
            })
            .sum();
        assert!((area.abs() - 25.0).abs() < 1e-9);
    }

    #[test]
    fn dashes_keep_their_length() {
        let d = dashes(&[(0.0, 0.0), (10.0, 0.0)], &[3.0, 2.0]);
        assert_eq!(d, [[(0.0, 0.0), (3.0, 0.0)], [(5.0, 0.0), (8.0, 0.0)]]);
        assert_eq!(dashes(&[(0.0, 0.0), (10.0, 0.0)], &[]).len(), 1);
    }

    proptest! {
        #[test]
        fn nothing_sticks_out(pts in proptest::collection::vec((-30.0..30.0f64, -30.0..30.0f64), 2..9)) {
            for p in polyline(&pts, R).concat().into_iter().chain(polygon(&pts, R)) {
                prop_assert!(holds([-1e-9, -1e-9, 10.0 + 2e-9, 10.0 + 2e-9], p), "{p:?}");
            }
        }
    }
}
