//! The part of the axes that a roofline shows.

use super::marks::Survey;
use super::{Input, RoofLine};
use crate::camera::Zoom;
use crate::scale::{Kind, padded};

/// Intensities and rates that hold some places.
#[derive(Clone, Copy, Default)]
struct Bounds {
    x: Option<(f64, f64)>,
    y: Option<(f64, f64)>,
}

impl Bounds {
    fn take(&mut self, ai: f64, rate: f64) {
        for (range, v) in [(&mut self.x, ai), (&mut self.y, rate)] {
            if v > 0.0 && v.is_finite() {
                let (low, high) = range.unwrap_or((v, v));
                *range = Some((low.min(v), high.max(v)));
            }
        }
    }
}

/// What holds all passing points, the roofs' ridges and ceilings, and what shows of it at first.
pub(super) fn ranges(input: &Input<'_>, survey: &Survey, roofs: &[RoofLine]) -> (Zoom, Zoom) {
    let mut points = Bounds { x: survey.x, y: survey.y };
    for p in &input.extras.planned {
        points.take(p.ai, p.rate);
    }
    for (ai, rate) in input.extras.arrows.iter().flat_map(|a| [a.from, a.to]) {
        points.take(ai, rate);
    }
    let mut all = points;
    for roof in roofs {
        // Some slope on the left of each ridge, some ceiling on its right.
        for bandwidth in roof.caches.iter().map(|c| c.1).chain([roof.bandwidth]) {
            all.take(roof.peak / bandwidth / 2.5, roof.peak / 2.5);
        }
        all.take(roof.ridge() * 2.5, roof.peak * 1.25);
    }
    let mut x = padded(Kind::Log, all.x.unwrap_or((1.0, 1000.0)), 0.04);
    if input.share {
        let whole = (x, (0.0, all.y.map_or(1.05, |y| (y.1 * 1.04).max(1.05))));
        return (whole, whole);
    }
    let y = padded(Kind::Log, all.y.unwrap_or((1e11, 1e15)), 0.05);
    if !FOCUSED.contains(&input.frame.rows.len()) {
        return ((x, y), (x, y));
    }
    let mut first = (x, (low_rate(input, y.0).unwrap_or(y.0), y.1));
    if let Some(near) = points.x.filter(|p| (p.1 / p.0).ln() < NARROW * (x.1 / x.0).ln()) {
        let middle = (near.0 * near.1).sqrt();
        let around = padded(Kind::Log, near, 0.04);
        first.0 = (around.0.min(middle / DECADE), around.1.max(middle * DECADE));
        let under = |roof: &RoofLine| roof.peak.min(roof.bandwidth * first.0.1) * 1.25;
        let top = roofs.iter().map(under).fold(points.y.map_or(0.0, |y| y.1 * 1.25), f64::max);
        first.1.1 = if top > first.1.0 { top.min(y.1) } else { y.1 };
        x = (x.0.min(first.0.0), x.1.max(first.0.1));
    }
    ((x, y), first)
}

/// Rows from which and up to which the range follows them and their time.
const FOCUSED: std::ops::RangeInclusive<usize> = 30..=200_000;
/// Share of the time that may lie below what shows at first.
const BELOW: f64 = 0.005;
/// Where the points take less than this share of the axis, the ridge may lie beside what shows at first.
const NARROW: f64 = 0.25;
/// What shows then is a decade at least: this factor to both sides of its middle.
const DECADE: f64 = 3.162_277_660_168_379_5;

/// From where rates show at first: those too low to matter may lie below where they would take a decade and
/// more of what begins at `low`; zooming out reaches them.
fn low_rate(input: &Input<'_>, low: f64) -> Option<f64> {
    let all: Vec<(f32, f64)> = input
        .frame
        .rows
        .iter()
        .filter_map(|&row| {
            let (_, y, _) = input.points.get(row)?;
            let r = row as usize;
            let time = input.frame.data.time_s[r] * input.frame.calls(r);
            (time.is_finite() && y.is_finite()).then_some((y, time))
        })
        .collect();
    let from = 10f64.powf(f64::from(reached(all, BELOW)?)) / 2.0;
    (from > 10.0 * low).then_some(from)
}

/// The lowest value at which those up to it have more than this share of all weights. Each turn halves the
/// range that holds it. Values are finite.
fn reached(mut all: Vec<(f32, f64)>, share: f64) -> Option<f32> {
    let mut left = share * all.iter().map(|a| a.1).sum::<f64>();
    loop {
        let nothing = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = all.iter().fold(nothing, |(l, h), a| (l.min(a.0), h.max(a.0)));
        if low >= high {
            return (all.iter().map(|a| a.1).sum::<f64>() > left).then_some(low);
        }
        // Of two neighbours the middle is one of them.
        let middle = Some(low + (high - low) / 2.0).filter(|m| *m < high).unwrap_or(low);
        let lower: f64 = all.iter().filter(|a| a.0 <= middle).map(|a| a.1).sum();
        let is_lower = lower > left;
        if !is_lower {
            left -= lower;
        }
        all.retain(|a| (a.0 <= middle) == is_lower);
    }
}

#[cfg(test)]
mod tests {
    use super::reached;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_value_is_that_of_a_sort(all: Vec<(i8, u8)>, share in 0.0..0.9f64) {
            let mut all: Vec<(f32, f64)> =
                all.iter().map(|(y, w)| (f32::from(*y) / 7.0, f64::from(*w))).collect();
            let found = reached(all.clone(), share);
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut sum, most) = (0.0, share * all.iter().map(|a| a.1).sum::<f64>());
            let sorted = all.iter().find(|a| {
                sum += a.1;
                // Where the sums are equal, either may be told.
                sum > most + 1e-9
            });
            prop_assert_eq!(found, sorted.map(|a| a.0));
        }
    }
}
