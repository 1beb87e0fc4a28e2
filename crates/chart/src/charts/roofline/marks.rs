//! Points of the roofline: where they are, which marks they get, and the density image.

use super::settings::levels;
use super::{Counts, Input, SizeBy};
use crate::density::Density;
use crate::labels::Placer;
use crate::layout::Plot;
use crate::palette::alpha;
use crate::scene::{Color, Item, Marks, Scene, Symbol};
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_model::order::InOrder;
use gemmscope_model::units::{larger, smaller};
use gemmscope_table::dataset::{ColumnMeaning, Dataset};
use gemmscope_table::metrics::Metrics;

/// What a row is on the roofline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Measured, at or under its roof, or without a known roof.
    Measured,
    /// Measured above its roof.
    Above,
    /// Not measured: drawn on its roof.
    Attainable,
    /// No place: neither measured nor with a roof.
    Nowhere,
}

/// Decimal logarithms of intensity and rate of every row: computed once per metrics, so that
/// zooming and filtering cost one multiplication and one addition per axis.
#[derive(Clone, Debug, Default)]
pub struct Points {
    x: Vec<f32>,
    y: Vec<f32>,
    place: Vec<Place>,
    /// Logarithms of the intensity at the bytes counted at each of [`MemoryLevel::ALL`]; empty
    /// where no file has such.
    measured: [Vec<f32>; 3],
}

/// A rate this much over the roof is above it, not rounded to it.
const ABOVE: f64 = 1.0 + 1e-6;

/// The decimal logarithm of what can be drawn, else NaN. Right to a millionth (a pixel is more than
/// a thousandth), and several times as fast as the exact one.
fn log(v: f64) -> f32 {
    use std::f32::consts::{LOG10_2, LOG10_E};
    if !(v > 1e-36 && v < 1e38) {
        return f32::NAN;
    }
    // v = m 2^e with m between sqrt(1/2) and sqrt(2), whose bits begin at this number.
    let bits = (v as f32).to_bits() as i32;
    let e = (bits - 0x3f35_04f3) >> 23;
    let m = f32::from_bits((bits - (e << 23)) as u32);
    // ln m = 2 artanh((m - 1) / (m + 1)), as the first terms of its series.
    let t = (m - 1.0) / (m + 1.0);
    let t2 = t * t;
    let series = 1.0 + t2 * (1.0 / 3.0 + t2 * (0.2 + t2 / 7.0));
    e as f32 * LOG10_2 + 2.0 * LOG10_E * t * series
}

impl Points {
    /// Positions of all rows of a dataset, by their compulsory bytes.
    pub fn new(data: &Dataset, metrics: &Metrics) -> Self {
        let mut out = Points::default();
        out.extend(data, metrics);
        let n = out.place.len();
        for level in levels(data) {
            out.measured[level as usize] = (0..n)
                .map(|row| match out.place[row] {
                    Place::Measured | Place::Above => log(metrics.measured_ai(data, row, level)),
                    _ => f32::NAN,
                })
                .collect();
        }
        out
    }

    /// Positions of the rows that were added since the last call, where no bytes were counted: see
    /// [`can_grow`](Self::can_grow).
    pub fn extend(&mut self, data: &Dataset, metrics: &Metrics) {
        let (from, n) = (self.place.len(), data.len().min(metrics.ai.len()));
        let room = data.m.capacity().max(n) - from;
        self.x.reserve_exact(room);
        self.y.reserve_exact(room);
        self.place.reserve_exact(room);
        for row in from..n {
            let (ai, rate, time, roof_s) = (
                metrics.ai[row],
                metrics.rate[row],
                data.time_s[row],
                metrics.roof_s[row],
            );
            let (place, y) = if rate > 0.0 && rate.is_finite() {
                let above = roof_s > time * ABOVE;
                let place = if above { Place::Above } else { Place::Measured };
                (place, rate)
            } else {
                match metrics.roof(data, row) {
                    Some(roof) if time.is_nan() => (Place::Attainable, roof.at(ai)),
                    _ => (Place::Nowhere, f64::NAN),
                }
            };
            self.push(log(ai), log(y), place);
        }
    }

    /// True if the positions in a growing dataset are those in the finished one.
    pub fn can_grow(data: &Dataset) -> bool {
        levels(data).is_empty()
    }

    /// Positions by the bytes that were counted at a level of the memory; rows without such have
    /// no place. Whether a row is above its roof is asked of compulsory bytes alone.
    pub fn at(data: &Dataset, metrics: &Metrics, level: MemoryLevel) -> Self {
        let n = data.len().min(metrics.ai.len());
        let mut out = Points::default();
        for row in 0..n {
            let ai = metrics.measured_ai(data, row, level);
            out.push(log(ai), log(metrics.rate[row]), Place::Measured);
        }
        out
    }

    fn push(&mut self, x: f32, y: f32, place: Place) {
        let known = !x.is_nan() && !y.is_nan();
        self.x.push(if known { x } else { f32::NAN });
        self.y.push(if known { y } else { f32::NAN });
        self.place.push(if known { place } else { Place::Nowhere });
    }

    fn get(&self, row: u32) -> Option<(f32, f32, Place)> {
        let r = row as usize;
        Some((*self.x.get(r)?, *self.y.get(r)?, *self.place.get(r)?))
    }

    /// Pixel of a row on a plot; `None` where it has no place.
    pub(crate) fn px(&self, plot: &Plot, row: u32) -> Option<(f64, f64)> {
        let (x, y, place) = self.get(row)?;
        (place != Place::Nowhere).then(|| {
            (
                plot.x.px_of_position(f64::from(x)),
                plot.y.px_of_position(f64::from(y)),
            )
        })
    }

    /// Pixel of a row at the intensity of the bytes that were counted at a level; `None` where none
    /// were.
    pub(crate) fn measured_px(
        &self,
        plot: &Plot,
        row: u32,
        level: MemoryLevel,
    ) -> Option<(f64, f64)> {
        let (x, (_, y, _)) = (self.measured_of(row, level)?, self.get(row)?);
        Some((
            plot.x.px_of_position(f64::from(x)),
            plot.y.px_of_position(f64::from(y)),
        ))
    }

    fn measured_of(&self, row: u32, level: MemoryLevel) -> Option<f32> {
        self.measured[level as usize]
            .get(row as usize)
            .copied()
            .filter(|x| !x.is_nan())
    }
}

/// One pass over the passing rows: extents, counts, use of roofs.
pub(super) struct Survey {
    pub x: Option<(f64, f64)>,
    pub y: Option<(f64, f64)>,
    pub counts: Counts,
    /// Passing rows by code of the colour scale.
    pub by_code: Vec<u64>,
    /// Passing rows by device code x number of operations + operation code.
    pub usage: Vec<u64>,
}

impl Survey {
    pub(super) fn of(input: &Input<'_>) -> Self {
        let data = &input.frame.data;
        let ops = data.ops.len();
        let mut by_code = vec![0u64; input.color_scale.palette.len()];
        let mut usage = vec![0u64; ops * data.devices.len()];
        let mut counts = Counts {
            passing: input.frame.rows.len() as u64,
            ..Counts::default()
        };
        let (mut x0, mut x1) = (f32::INFINITY, f32::NEG_INFINITY);
        let (mut y0, mut y1) = (f32::INFINITY, f32::NEG_INFINITY);
        for &row in input.frame.rows.iter() {
            let r = row as usize;
            let code = input.color_scale.code(r);
            if let Some(n) = by_code.get_mut(usize::from(code)) {
                *n += 1;
            }
            if let (Some(&d), Some(&o)) = (data.device.get(r), data.op.get(r))
                && let Some(n) = usage.get_mut(usize::from(d) * ops + usize::from(o))
            {
                *n += 1;
            }
            let Some((x, y, place)) = input.points.get(row) else {
                counts.nowhere += 1;
                continue;
            };
            if place == Place::Nowhere {
                counts.nowhere += 1;
                continue;
            }
            (x0, x1) = (smaller(x0, x), larger(x1, x));
            (y0, y1) = (smaller(y0, y), larger(y1, y));
            let shown = !input.is_hidden(code);
            for level in MemoryLevel::ALL {
                if let Some(x) = input.points.measured_of(row, level) {
                    if input.shows(level) {
                        (x0, x1) = (smaller(x0, x), larger(x1, x));
                    }
                    counts.measured[level as usize] += u64::from(shown);
                }
            }
            if shown {
                counts.above_roof += u64::from(place == Place::Above);
                counts.attainable += u64::from(place == Place::Attainable);
            }
        }
        for (x, y, _) in input.background.iter().filter_map(|r| input.points.get(*r)) {
            (x0, x1) = (smaller(x0, x), larger(x1, x));
            (y0, y1) = (smaller(y0, y), larger(y1, y));
        }
        let range =
            |a: f32, b: f32| (a <= b).then(|| (10f64.powf(f64::from(a)), 10f64.powf(f64::from(b))));
        Survey {
            x: range(x0, x1),
            y: range(y0, y1),
            counts,
            by_code,
            usage,
        }
    }
}

/// Calls back with row, pixel and place of every point that is not hidden and inside the plot.
pub(super) fn each_visible(input: &Input<'_>, plot: &Plot, f: impl FnMut(u32, f32, f32, Place)) {
    each_of(&input.frame.rows, input, plot, f);
}

fn each_of(rows: &[u32], input: &Input<'_>, plot: &Plot, mut f: impl FnMut(u32, f32, f32, Place)) {
    let (sx, ox) = plot.x.affine();
    let (sy, oy) = plot.y.affine();
    let [l, t, w, h] = plot.rect;
    let any_hidden = input.hidden.iter().any(|h| *h);
    for &row in rows {
        let Some((x, y, place)) = input.points.get(row) else {
            continue;
        };
        let px = f64::from(x) * sx + ox;
        let py = f64::from(y) * sy + oy;
        // NaN is outside.
        let inside = px >= l && px <= l + w && py >= t && py <= t + h;
        if !inside || (any_hidden && input.is_hidden(input.color_scale.code(row as usize))) {
            continue;
        }
        f(row, px as f32, py as f32, place);
    }
}

/// Counts what is in view and what is outside.
pub(super) fn count_view(input: &Input<'_>, plot: &Plot, counts: &mut Counts) {
    let any_hidden = input.hidden.iter().any(|h| *h);
    let mut n = 0;
    if input.zoom.is_none() && !any_hidden {
        // Everything shows: home holds every point.
        n = counts.passing - counts.nowhere;
    } else {
        each_visible(input, plot, |_, _, _, _| n += 1);
    }
    counts.in_view = n;
    let hidden: u64 = if any_hidden {
        let shown = |row: &&u32| {
            input
                .points
                .get(**row)
                .is_some_and(|p| p.2 != Place::Nowhere)
                && input.is_hidden(input.color_scale.code(**row as usize))
        };
        input.frame.rows.iter().filter(shown).count() as u64
    } else {
        0
    };
    counts.outside = (counts.passing - counts.nowhere - hidden).saturating_sub(n);
}

/// Radius and opacity of marks for a number of points.
pub(super) fn look(n: u64) -> (f64, f64) {
    match n {
        0..=60 => (5.0, 0.92),
        61..=300 => (4.2, 0.85),
        301..=2000 => (3.4, 0.7),
        _ => (2.6, 0.55),
    }
}

/// Radii by a value: the area grows with it.
struct Sizes<'a> {
    input: &'a Input<'a>,
    base: f64,
    most: f64,
}

impl<'a> Sizes<'a> {
    fn of(input: &'a Input<'a>, base: f64) -> Self {
        let mut out = Sizes {
            input,
            base,
            most: 0.0,
        };
        if input.size != SizeBy::Same {
            out.most = input
                .frame
                .rows
                .iter()
                .map(|r| out.value(*r as usize))
                .filter(|v| v.is_finite())
                .fold(0.0, f64::max);
        }
        out
    }

    fn value(&self, row: usize) -> f64 {
        let data = &self.input.frame.data;
        let count = data.number(ColumnMeaning::Count, row);
        let count = if count.is_nan() { 1.0 } else { count };
        match self.input.size {
            SizeBy::Same => 1.0,
            SizeBy::Count => count,
            SizeBy::Time => data.time_s.get(row).map_or(f64::NAN, |t| t * count),
        }
    }

    fn radius(&self, row: usize) -> f64 {
        if self.most <= 0.0 {
            return self.base;
        }
        let share = self.value(row) / self.most;
        let share = if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.base * 0.6 + (self.base + 10.0) * share.sqrt()
    }
}

/// Marks of all points in view: discs and other shapes of categories, rings on the roof,
/// triangles above it.
pub(super) fn marks(scene: &mut Scene, input: &Input<'_>, plot: &Plot, counts: &Counts) {
    let (base, opacity) = look(counts.in_view);
    let sizes = Sizes::of(input, base);
    let colors = &input.color_scale.palette;
    let with = |opacity: f64| colors.iter().map(move |c| alpha(*c, opacity));
    // Each colour once more, for faint marks.
    let palette: Vec<Color> = with(opacity).chain(with(opacity * FAINT)).collect();
    let is_faint = |row: u32| input.faint.binary_search(&row).is_ok();
    const SYMBOLS: [Symbol; 5] = [
        Symbol::Ring,
        Symbol::Dot,
        Symbol::Square,
        Symbol::Diamond,
        Symbol::Triangle,
    ];
    let mut batches = SYMBOLS.map(|g| Marks::new(g, base, palette.clone()));
    let mut ticks: Vec<(f64, f64, f64, Color)> = Vec::new();
    let mut order: Vec<(f32, u32, f32, f32, Place)> = Vec::new();
    each_visible(input, plot, |row, x, y, place| {
        order.push((sizes.radius(row as usize) as f32, row, x, y, place));
    });
    if sizes.most > 0.0 {
        // Large ones first, so that they cover none of the small ones.
        order.order_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    if !input.faint.is_empty() {
        order.order_by_key(|o| !is_faint(o.1));
    }
    for (radius, row, x, y, place) in order {
        let code = input.color_scale.code(row as usize);
        let symbol = match place {
            Place::Above => Symbol::Triangle,
            Place::Attainable => Symbol::Ring,
            _ => input
                .color_scale
                .symbols
                .get(usize::from(code))
                .copied()
                .unwrap_or(Symbol::Dot),
        };
        if let Some(b) = batches.iter_mut().find(|b| b.symbol == symbol) {
            b.xs.push(x);
            b.ys.push(y);
            b.codes.push(match is_faint(row) {
                true => code + colors.len() as u16,
                false => code,
            });
            if sizes.most > 0.0 {
                b.radii.push(radius);
            }
        }
        if let Some(own) = input.own_ceiling {
            let rate = own(row as usize);
            if rate > 0.0 && rate.is_finite() && place != Place::Attainable {
                let color = input.color_scale.color(row as usize);
                ticks.push((f64::from(x), f64::from(y), plot.y.px(rate), color));
            }
        }
    }
    // From a point up (or down) to the roof of its tile.
    for (x, y, top, color) in ticks {
        scene.line(vec![(x, y), (x, top)], alpha(color, 0.35), 1.0);
        scene.items.push(Item::Symbol {
            at: (x, top),
            radius: 5.0,
            symbol: Symbol::Dash,
            color,
        });
    }
    scene.items.extend(
        batches
            .into_iter()
            .filter(|b| !b.is_empty())
            .map(Item::Marks),
    );
}

/// Opacity of faint marks, as a part of that of the others.
const FAINT: f64 = 0.35;

/// Grey dots of the rows in the background, while they are few.
pub(super) fn background(scene: &mut Scene, input: &Input<'_>, plot: &Plot) {
    if input.background.len() > input.density_above {
        return;
    }
    let color = alpha(input.theme.other, 0.35);
    let mut dots = Marks::new(Symbol::Dot, 2.0, vec![color]);
    each_of(input.background, input, plot, |_, x, y, _| {
        dots.xs.push(x);
        dots.ys.push(y);
    });
    if !dots.is_empty() {
        scene.items.push(Item::Marks(dots));
    }
}

/// Up to so many points a line ties each to its place at measured bytes; of more only the selected and
/// the hovered one are.
const TIED: u64 = 60;

/// The mark of a level of the memory.
pub(super) fn symbol(level: MemoryLevel) -> Symbol {
    match level {
        MemoryLevel::Main => Symbol::Open,
        MemoryLevel::L2 => Symbol::Ring,
        MemoryLevel::L1 => Symbol::Cross,
    }
}

/// Open marks of the points at the intensity of their measured bytes, tied to the filled ones
/// while they are few.
pub(super) fn measured(scene: &mut Scene, input: &Input<'_>, plot: &Plot, counts: &Counts) {
    let (base, opacity) = look(counts.in_view);
    for level in MemoryLevel::ALL {
        let palette = input.color_scale.palette.iter();
        let palette = palette.map(|c| alpha(*c, opacity)).collect();
        let mut open = Marks::new(symbol(level), base, palette);
        each_open(input, plot, level, |row, at, to| {
            let code = input.color_scale.code(row as usize);
            if counts.measured[level as usize] <= TIED {
                let color = input.color_scale.color(row as usize);
                tie(scene, at, to, alpha(color, 0.5), base);
            }
            if plot.holds(to) {
                open.xs.push(to.0 as f32);
                open.ys.push(to.1 as f32);
                open.codes.push(code);
            }
        });
        if !open.is_empty() {
            scene.items.push(Item::Marks(open));
        }
    }
}

/// Calls back with row, place and place at the bytes that were counted at a level of every point
/// that has both and is not hidden, in view or not; with nothing where the level does not show.
pub(super) fn each_open(
    input: &Input<'_>,
    plot: &Plot,
    level: MemoryLevel,
    mut f: impl FnMut(u32, (f64, f64), (f64, f64)),
) {
    if input.points.measured[level as usize].is_empty() || !input.shows(level) {
        return;
    }
    for &row in input.frame.rows.iter() {
        let at = input.points.px(plot, row);
        if let (Some(at), Some(to)) = (at, input.points.measured_px(plot, row, level))
            && !input.is_hidden(input.color_scale.code(row as usize))
        {
            f(row, at, to);
        }
    }
}

/// The way from a point to its place at measured bytes, from edge to edge.
pub(super) fn tie(scene: &mut Scene, at: (f64, f64), to: (f64, f64), color: Color, base: f64) {
    let side = (to.0 - at.0).signum();
    let (from, until) = (at.0 + side * base, to.0 - side * base * 1.25);
    if (until - from) * side > 0.0 {
        scene.line(vec![(from, at.1), (until, to.1)], color, 1.0);
    }
}

/// Points above their roof that keep a mark of their own over a density image.
const TRIANGLES: usize = 2000;

/// All points in view as one picture; those above their roof stay marked while they are few.
pub(super) fn density(scene: &mut Scene, input: &Input<'_>, plot: &Plot) {
    let mut picture = Density::new(plot.rect, input.dpr);
    let mut above = Marks::new(Symbol::Triangle, 3.0, Vec::new());
    above.palette = input.color_scale.palette.clone();
    let mut too_many = false;
    each_visible(input, plot, |row, x, y, place| {
        picture.add(x, y, input.color_scale.color(row as usize));
        if place == Place::Above && !too_many {
            too_many = above.len() >= TRIANGLES;
            above.xs.push(x);
            above.ys.push(y);
            above.codes.push(input.color_scale.code(row as usize));
        }
    });
    scene.items.push(picture.image());
    if !too_many && !above.is_empty() {
        scene.items.push(Item::Marks(above));
    }
}

/// Tells the placer where points are, so that labels keep off them; a sample where there are
/// many.
pub(super) fn block(placer: &mut Placer, input: &Input<'_>, plot: &Plot, counts: &Counts) {
    // A sample, by a stride that shares no factor with the usual periods of files.
    let every = (counts.passing / 900).max(1) as usize | 1;
    let sample: Vec<u32> = input.frame.rows.iter().copied().step_by(every).collect();
    each_of(&sample, input, plot, |row, x, y, _| {
        let p = (f64::from(x), f64::from(y));
        placer.block_line(p, p);
        let shown = MemoryLevel::ALL.into_iter().filter(|l| input.shows(*l));
        for p in shown.filter_map(|l| input.points.measured_px(plot, row, l)) {
            placer.block_line(p, p);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::log;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn logarithms_are_right_to_a_millionth(exponent in -35.9f64..37.9) {
            let v = 10f64.powf(exponent);
            // And to what an f32 holds.
            let most = 1e-6 + 2.0 * f64::from(f32::EPSILON) * exponent.abs();
            prop_assert!((f64::from(log(v)) - v.log10()).abs() < most, "{v}");
        }
    }
}
