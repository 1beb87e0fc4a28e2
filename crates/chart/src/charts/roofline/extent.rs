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
    for p in input.planned {
        take(p.ai, p.rate);
    }
    for a in input.arrows {
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
            time.is_finite().then_some((y, time))
        })
        .collect();
    match reached(all, BELOW).map(|y| 10f64.powf(f64::from(y)) / 2.0) {
        Some(low) if low > 10.0 * home.1.0 => (home.0, (low, home.1.1)),
        _ => home,
    }
}

/// The lowest value at which those up to it have more than this share of all weights. Each turn leaves half
/// of the values, so the time is linear in them.
fn reached(mut all: Vec<(f32, f64)>, share: f64) -> Option<f32> {
    let mut left = share * all.iter().map(|a| a.1).sum::<f64>();
    while all.len() > 1 {
        let half = (all.len() - 1) / 2;
        all.select_nth_unstable_by(half, |a, b| a.0.total_cmp(&b.0));
        let lower: f64 = all[..=half].iter().map(|a| a.1).sum();
        if lower > left {
            all.truncate(half + 1);
        } else {
            left -= lower;
            all.drain(..=half);
        }
    }
    all.first().filter(|a| a.1 > left).map(|a| a.0)
}
