//! Visible part of the axes of a roofline.

use super::marks::Survey;
use super::{RoofLine, RooflineInput};
use crate::camera::Zoom;
use crate::scale::{ScaleKind, extent, padded};

/// Ranges of intensity and of rate.
type Ends = (Option<(f64, f64)>, Option<(f64, f64)>);

/// Bounding box of some positions, clamped to other ranges.
fn bounds(places: impl Iterator<Item = (f64, f64)> + Clone, (x, y): Ends) -> Ends {
    let ends = |of: Option<(f64, f64)>| of.into_iter().flat_map(|(low, high)| [low, high]);
    (
        extent(ScaleKind::Log, places.clone().map(|p| p.0).chain(ends(x))),
        extent(ScaleKind::Log, places.map(|p| p.1).chain(ends(y))),
    )
}

/// Widens a range to at least a decade, around the same middle.
fn decade((low, high): (f64, f64)) -> (f64, f64) {
    let (middle, half) = ((low * high).sqrt(), 10f64.sqrt());
    (low.min(middle / half), high.max(middle * half))
}

/// The full extent (points that pass, ridges, ceilings) and the initial view.
pub(super) fn ranges(
    input: &RooflineInput<'_>,
    survey: &Survey,
    roofs: &[RoofLine],
) -> (Zoom, Zoom) {
    let planned = input.extras.planned.iter().map(|p| (p.ai, p.rate));
    let points = bounds(planned, (survey.x, survey.y));
    let corners = roofs.iter().flat_map(|roof| {
        // Include a part of each slope left of its ridge, and of the ceiling right of it.
        let bandwidths = roof.caches.iter().map(|c| c.1).chain([roof.bandwidth]);
        let slopes = bandwidths.map(|b| (roof.peak / b / 2.5, roof.peak / 2.5));
        slopes.chain([(roof.ridge() * 2.5, roof.peak * 1.25)])
    });
    let all = bounds(corners, points);
    // Without a roof nothing else gives the scale.
    let wide = |ends| if roofs.is_empty() { decade(ends) } else { ends };
    let mut x = wide(padded(ScaleKind::Log, all.0.unwrap_or((1.0, 1000.0)), 0.04));
    if input.share {
        let whole = (x, (0.0, all.1.map_or(1.05, |y| (y.1 * 1.04).max(1.05))));
        return (whole, whole);
    }
    let y = wide(padded(ScaleKind::Log, all.1.unwrap_or((1e11, 1e15)), 0.05));
    if !FOCUSED.contains(&input.frame.rows.len()) {
        return ((x, y), (x, y));
    }
    let mut first = (x, (low_rate(input, y.0).unwrap_or(y.0), y.1));
    if let Some(near) = points.0.filter(|p| (p.1 / p.0).ln() < NARROW * (x.1 / x.0).ln()) {
        first.0 = decade(padded(ScaleKind::Log, near, 0.04));
        let under = |roof: &RoofLine| roof.peak.min(roof.bandwidth * first.0.1) * 1.25;
        let top = roofs.iter().map(under).fold(points.1.map_or(0.0, |y| y.1 * 1.25), f64::max);
        first.1.1 = if top > first.1.0 { top.min(y.1) } else { y.1 };
        x = (x.0.min(first.0.0), x.1.max(first.0.1));
    }
    ((x, y), first)
}

/// Number of rows for which the initial range follows them and their time.
const FOCUSED: std::ops::RangeInclusive<usize> = 30..=200_000;
/// Share of the time that may lie below the initial range.
const BELOW: f64 = 0.005;
/// If the points take less than this share of the axis, the ridge may lie outside the initial range.
const NARROW: f64 = 0.25;

/// Start of the initial range of rates, if rows too low to matter would take a decade or more of a range from `low`.
/// Zooming out still reaches them.
fn low_rate(input: &RooflineInput<'_>, low: f64) -> Option<f64> {
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

/// The weighted quantile: the lowest value such that the weights of all values up to it exceed this share of the total.
/// Bisects the range of values, which are finite.
fn reached(mut all: Vec<(f32, f64)>, share: f64) -> Option<f32> {
    let mut left = share * all.iter().map(|a| a.1).sum::<f64>();
    loop {
        let nothing = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = all.iter().fold(nothing, |(l, h), a| (l.min(a.0), h.max(a.0)));
        if low >= high {
            return (all.iter().map(|a| a.1).sum::<f64>() > left).then_some(low);
        }
        // For two neighbouring floats the rounded middle is one of them.
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
                // If the sums are equal, either is right.
                sum > most + 1e-9
            });
            prop_assert_eq!(found, sorted.map(|a| a.0));
        }
    }
}
