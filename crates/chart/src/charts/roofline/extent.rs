//! The part of the axes that a roofline shows.

use super::marks::Survey;
use super::{Input, RoofLine};
use crate::camera::Zoom;
use crate::scale::{Kind, padded};

/// Ranges that hold all passing points, the roofs' ridges and ceilings.
pub(super) fn home(input: &Input<'_>, survey: &Survey, roofs: &[RoofLine]) -> Zoom {
    let mut x = survey.x;
    let mut y = survey.y;
    let mut take = |ai: f64, rate: f64| {
        if ai > 0.0 && ai.is_finite() {
            x = Some(x.map_or((ai, ai), |(a, b)| (a.min(ai), b.max(ai))));
        }
        if rate > 0.0 && rate.is_finite() {
            y = Some(y.map_or((rate, rate), |(a, b)| (a.min(rate), b.max(rate))));
        }
    };
    for p in &input.extras.planned {
        take(p.ai, p.rate);
    }
    for a in &input.extras.arrows {
        take(a.from.0, a.from.1);
        take(a.to.0, a.to.1);
    }
    for roof in roofs {
        // Some slope on the left of each ridge, some ceiling on its right.
        for bandwidth in roof.caches.iter().map(|c| c.1).chain([roof.bandwidth]) {
            take(roof.peak / bandwidth / 2.5, roof.peak / 2.5);
        }
        take(roof.ridge() * 2.5, roof.peak * 1.25);
    }
    let x = padded(Kind::Log, x.unwrap_or((1.0, 1000.0)), 0.04);
    if input.share {
        return (x, (0.0, y.map_or(1.05, |y| (y.1 * 1.04).max(1.05))));
    }
    let y = padded(Kind::Log, y.unwrap_or((1e11, 1e15)), 0.05);
    (x, y)
}

/// Rows from which and up to which the range follows the time.
const FOCUSED: std::ops::RangeInclusive<usize> = 30..=200_000;
/// Share of the time that may lie below what shows at first.
const BELOW: f64 = 0.005;

/// What shows at first: rates too low to matter may lie below where they would take a decade and more;
/// zooming out reaches them.
pub(super) fn focus(input: &Input<'_>, home: Zoom) -> Zoom {
    let rows = &input.frame.rows;
    if input.share || !FOCUSED.contains(&rows.len()) {
        return home;
    }
    let all: Vec<(f32, f64)> = rows
        .iter()
        .filter_map(|&row| {
            let (_, y, _) = input.points.get(row)?;
            let r = row as usize;
            let time = input.frame.data.time_s[r] * input.frame.calls(r);
            (time.is_finite() && y.is_finite()).then_some((y, time))
        })
        .collect();
    match reached(all, BELOW).map(|y| 10f64.powf(f64::from(y)) / 2.0) {
        Some(low) if low > 10.0 * home.1.0 => (home.0, (low, home.1.1)),
        _ => home,
    }
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
