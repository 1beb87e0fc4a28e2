//! Position of every row on the roofline.

use super::RooflineInput;
use super::settings::levels;
use crate::layout::Plot;
use gemmscope_model::hardware::MemoryLevel;
use gemmscope_model::units::{larger, smaller};
use gemmscope_table::dataset::Dataset;
use gemmscope_table::metrics::{ABOVE_ROOF, Metrics};

/// How a row is drawn on the roofline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Measured, at or under its roof.
    Measured,
    /// Measured, without a known roof.
    NoRoof,
    /// Measured above its roof.
    Above,
    /// Not measured: drawn on its roof.
    Attainable,
    /// No position: neither measured nor with a roof.
    Nowhere,
}

impl Place {
    pub(super) const ALL: [Place; 5] =
        [Place::Measured, Place::Above, Place::NoRoof, Place::Attainable, Place::Nowhere];
}

/// Decimal logarithms of intensity and rate of every row. Computed once per metrics, so that zooming and filtering cost
/// one multiplication and one addition per axis.
#[derive(Clone, Debug, Default)]
pub struct Points {
    x: Vec<f32>,
    y: Vec<f32>,
    place: Vec<Place>,
    /// Their extent.
    all: Extent,
    /// Logarithms of the intensity at the bytes counted at each of [`MemoryLevel::ALL`]; empty if no file counted any.
    measured: [Vec<f32>; 3],
}

/// Up to this many rows, points are treated one by one: arrows lead between sides, and colours may show the largest
/// loss.
pub(super) const SINGLE_UP_TO: usize = 20_000;

/// Extent and counts of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub x: (f32, f32),
    pub y: (f32, f32),
    /// Number of points for each [`Place`].
    counts: [u64; 5],
}

impl Default for Extent {
    fn default() -> Self {
        let nothing = (f32::INFINITY, f32::NEG_INFINITY);
        Extent { x: nothing, y: nothing, counts: [0; 5] }
    }
}

impl Extent {
    pub(super) fn add_x(&mut self, x: f32) {
        self.x = (smaller(self.x.0, x), larger(self.x.1, x));
    }

    pub(super) fn add(&mut self, x: f32, y: f32) {
        self.add_x(x);
        self.y = (smaller(self.y.0, y), larger(self.y.1, y));
    }

    pub(super) fn count(&mut self, place: Place) {
        self.counts[place as usize] += 1;
    }

    /// Number of points with this place.
    pub(super) fn of(&self, place: Place) -> u64 {
        self.counts[place as usize]
    }
}

/// Decimal logarithm; NaN if the value cannot be drawn. Accurate to a millionth (a pixel is more than a thousandth),
/// and several times as fast as the exact one.
fn log(v: f64) -> f32 {
    log_inline(v)
}

/// As [`log`], inlined for loops over rows.
#[inline(always)]
fn log_inline(v: f64) -> f32 {
    use std::f32::consts::{LOG10_2, LOG10_E};
    if !(v > 1e-36 && v < 1e38) {
        return f32::NAN;
    }
    // v = m 2^e with m in [sqrt(1/2), sqrt(2)); the constant is the bits of sqrt(1/2).
    let bits = (v as f32).to_bits() as i32;
    let e = (bits - 0x3f35_04f3) >> 23;
    let m = f32::from_bits((bits - (e << 23)) as u32);
    // ln m = 2 artanh((m - 1) / (m + 1)), by the first terms of its series.
    let t = (m - 1.0) / (m + 1.0);
    let t2 = t * t;
    let series = 1.0 + t2 * (1.0 / 3.0 + t2 * (0.2 + t2 / 7.0));
    e as f32 * LOG10_2 + 2.0 * LOG10_E * t * series
}

/// What the two coordinates mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Intensity by the compulsory bytes, and rate.
    Compulsory,
    /// Intensity by the bytes counted at a memory level, and rate; rows without such bytes have no position. Whether a
    /// row is above its roof is still decided by compulsory bytes.
    Bytes(MemoryLevel),
    /// Intensity by the compulsory bytes, and the share of the roof (linear, not a logarithm).
    Share,
    /// As `Share`, of what others reach; rows without published figures have no position.
    Reference,
}

/// Position and place of a row by its compulsory bytes.
#[inline(always)]
fn compulsory(data: &Dataset, metrics: &Metrics, row: usize) -> (f32, f32, Place) {
    let (ai, roof_s, time_s) = (metrics.ai[row], metrics.roof_s[row], data.time_s[row]);
    let rate = metrics.rate_inline(data, row);
    let (y, place) = match rate > 0.0 && rate.is_finite() {
        true if roof_s.is_nan() => (rate, Place::NoRoof),
        true if roof_s > time_s * ABOVE_ROOF => (rate, Place::Above),
        true => (rate, Place::Measured),
        false => match metrics.roof(data, row).filter(|_| time_s.is_nan()) {
            Some(roof) => (roof.at(ai), Place::Attainable),
            None => (f64::NAN, Place::Nowhere),
        },
    };
    (log_inline(ai), log_inline(y), place)
}

/// Position and place of a row by the share of its roof.
fn share(data: &Dataset, metrics: &Metrics, row: usize) -> (f32, f32, Place) {
    let (share, x) = (metrics.efficiency(data, row), log(metrics.ai[row]));
    match metrics.roof_s[row].is_nan() {
        true => (x, f32::NAN, Place::Nowhere),
        false if share > ABOVE_ROOF => (x, share as f32, Place::Above),
        false if share.is_nan() => (x, 1.0, Place::Attainable),
        false => (x, share as f32, Place::Measured),
    }
}

impl Points {
    /// Positions of all rows of a dataset, by their compulsory bytes.
    pub fn new(data: &Dataset, metrics: &Metrics) -> Self {
        Points::by(data, metrics, By::Compulsory)
    }

    /// Positions of all rows in other coordinates.
    pub fn by(data: &Dataset, metrics: &Metrics, by: By) -> Self {
        let mut out = Points::default();
        let rows = 0..data.len().min(metrics.ai.len());
        match by {
            By::Compulsory => out.extend(data, metrics),
            By::Share => {
                rows.for_each(|row| out.push(share(data, metrics, row)));
                return out;
            }
            By::Reference => {
                rows.for_each(|row| {
                    let share = metrics.reference_s(row) / data.time_s[row];
                    let place = if share.is_nan() { Place::Nowhere } else { Place::Measured };
                    out.push((log(metrics.ai[row]), share as f32, place));
                });
                return out;
            }
            By::Bytes(level) => {
                for row in rows {
                    let roof = metrics.roof_s[row];
                    let place = if roof.is_nan() { Place::NoRoof } else { Place::Measured };
                    let x = log(metrics.measured_ai(data, row, level));
                    out.push((x, log(metrics.rate(data, row)), place));
                }
                return out;
            }
        }
        for level in levels(data) {
            let ai = |row: usize| match out.place[row] {
                Place::Measured | Place::Above | Place::NoRoof => {
                    log(metrics.measured_ai(data, row, level))
                }
                Place::Attainable | Place::Nowhere => f32::NAN,
            };
            out.measured[level as usize] = (0..out.place.len()).map(ai).collect();
        }
        out
    }

    /// Appends the positions of the rows added since the last call. Only valid without counted bytes: see
    /// [`can_grow`](Self::can_grow).
    pub fn extend(&mut self, data: &Dataset, metrics: &Metrics) {
        let (from, n) = (self.place.len(), data.len().min(metrics.ai.len()));
        let room = data.m.capacity().max(n) - from;
        self.x.reserve_exact(room);
        self.y.reserve_exact(room);
        self.place.reserve_exact(room);
        for row in from..n {
            self.push(compulsory(data, metrics, row));
        }
    }

    /// True if positions computed while a dataset grows equal those of the finished one.
    pub fn can_grow(data: &Dataset) -> bool {
        levels(data).is_empty()
    }

    #[inline(always)]
    fn push(&mut self, (x, y, place): (f32, f32, Place)) {
        let known = !x.is_nan() && !y.is_nan();
        let place = if known { place } else { Place::Nowhere };
        self.x.push(if known { x } else { f32::NAN });
        self.y.push(if known { y } else { f32::NAN });
        self.place.push(place);
        self.all.count(place);
        if place != Place::Nowhere {
            self.all.add(x, y);
        }
    }

    /// The extent of all points, if all pass, none is hidden and none has a second position.
    pub(super) fn known(&self, input: &RooflineInput<'_>) -> Option<Extent> {
        let whole = input.frame.rows.len() == self.place.len()
            && !input.hidden.contains(&true)
            && !self.any_measured();
        whole.then_some(self.all)
    }

    /// Position and place of a row; `None` if it has no position.
    #[inline(always)]
    pub(super) fn get(&self, row: u32) -> Option<(f32, f32, Place)> {
        let r = row as usize;
        match (self.x.get(r), self.y.get(r), self.place.get(r)) {
            (Some(x), Some(y), Some(place)) if *place != Place::Nowhere => Some((*x, *y, *place)),
            _ => None,
        }
    }

    /// Pixel of a row on a plot; `None` if it has no position.
    pub(crate) fn px(&self, plot: &Plot, row: u32) -> Option<(f64, f64)> {
        let (x, y, _) = self.get(row)?;
        Some((plot.x.px_of_position(f64::from(x)), plot.y.px_of_position(f64::from(y))))
    }

    /// Pixel of a row at the intensity of the bytes counted at a level; `None` if none were.
    pub(crate) fn measured_px(
        &self,
        plot: &Plot,
        row: u32,
        level: MemoryLevel,
    ) -> Option<(f64, f64)> {
        let (x, (_, y, _)) = (self.measured_of(row, level)?, self.get(row)?);
        Some((plot.x.px_of_position(f64::from(x)), plot.y.px_of_position(f64::from(y))))
    }

    /// True if bytes were counted at some level.
    pub(super) fn any_measured(&self) -> bool {
        MemoryLevel::ALL.into_iter().any(|level| self.has_measured(level))
    }

    /// True if bytes were counted at this level.
    pub(super) fn has_measured(&self, level: MemoryLevel) -> bool {
        !self.measured[level as usize].is_empty()
    }

    pub(super) fn measured_of(&self, row: u32, level: MemoryLevel) -> Option<f32> {
        self.measured[level as usize].get(row as usize).copied().filter(|x| !x.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::log;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn logarithms_are_right_to_a_millionth(exponent in -35.9f64..37.9) {
            let v = 10f64.powf(exponent);
            // And within the precision of an f32.
            let most = 1e-6 + 2.0 * f64::from(f32::EPSILON) * exponent.abs();
            prop_assert!((f64::from(log(v)) - v.log10()).abs() < most, "{v}");
        }
    }
}
