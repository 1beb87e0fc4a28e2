//! Linear and logarithmic axes: data to pixels and back; zoom and pan as pure functions.

use gemmscope_table::keyed;

keyed! {
    /// Spacing of the values of an axis.
    pub enum ScaleKind {
        /// Equal differences.
        Linear = "linear", "linear";
        /// Equal ratios.
        Log = "log", "logarithmic";
    }
}

impl ScaleKind {
    /// Data value to axis position (the value itself, or its decimal logarithm); NaN if the value is not on the axis.
    pub(crate) fn forward(self, v: f64) -> f64 {
        match self {
            ScaleKind::Linear if v.is_finite() => v,
            ScaleKind::Log if v > 0.0 && v.is_finite() => v.log10(),
            _ => f64::NAN,
        }
    }

    /// Relative position of a value between two ends, 0 to 1; 0.5 if the value is not on the axis.
    pub(crate) fn part(self, v: f64, (low, high): (f64, f64)) -> f64 {
        let (low, high) = (self.forward(low), self.forward(high));
        let part = (self.forward(v) - low) / (high - low);
        if part.is_nan() { 0.5 } else { part.clamp(0.0, 1.0) }
    }

    /// Axis position to data value.
    pub(crate) fn back(self, t: f64) -> f64 {
        match self {
            ScaleKind::Linear => t,
            ScaleKind::Log => 10f64.powf(t),
        }
    }
}

/// Smallest and largest of the values that the axis can show; `None` if there are none.
pub(crate) fn extent(kind: ScaleKind, values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    extent_of(kind, &mut values.into_iter())
}

fn extent_of(kind: ScaleKind, values: &mut dyn Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut out: Option<(f64, f64)> = None;
    for v in values {
        if kind.forward(v).is_finite() {
            out = Some(match out {
                None => (v, v),
                Some((a, b)) => (a.min(v), b.max(v)),
            });
        }
    }
    out
}

/// Widens a domain by a share of its length on both sides; a single value is widened too.
pub(crate) fn padded(kind: ScaleKind, domain: (f64, f64), share: f64) -> (f64, f64) {
    let (a, b) = positions(kind, domain);
    let floor = match kind {
        ScaleKind::Log => 0.25,
        ScaleKind::Linear => (a.abs().max(b.abs()) * 0.05).max(f64::MIN_POSITIVE * 1e10),
    };
    let pad = if b - a < floor * 1e-3 { floor } else { (b - a) * share };
    sane(kind, (kind.back(a - pad), kind.back(b + pad)))
}

/// An axis: a data domain mapped to a pixel range (which may run backwards, as y does).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Spacing.
    pub kind: ScaleKind,
    /// Data values at the two ends, smaller first.
    pub domain: (f64, f64),
    /// Pixels at the two ends.
    pub range: (f64, f64),
}

impl Scale {
    /// A scale; an invalid domain is replaced by a valid one.
    pub(crate) fn new(kind: ScaleKind, domain: (f64, f64), range: (f64, f64)) -> Self {
        Scale { kind, domain: sane(kind, domain), range }
    }

    /// Pixel of a value; NaN if it is not on the axis.
    pub fn px(&self, v: f64) -> f64 {
        self.px_of_position(self.kind.forward(v))
    }

    /// Pixel of an axis position (the logarithm, on a logarithmic axis).
    pub(crate) fn px_of_position(&self, t: f64) -> f64 {
        let (slope, offset) = self.affine();
        slope * t + offset
    }

    /// `pixel = slope * position + offset`.
    pub(crate) fn affine(&self) -> (f64, f64) {
        let (a, b) = positions(self.kind, self.domain);
        let slope = (self.range.1 - self.range.0) / (b - a);
        (slope, self.range.0 - slope * a)
    }

    /// Value at a pixel.
    pub fn value(&self, px: f64) -> f64 {
        let (slope, offset) = self.affine();
        if slope == 0.0 {
            return self.domain.0;
        }
        self.kind.back((px - offset) / slope)
    }

    /// Zooms by `factor` (> 1 shows less), keeping the value under `px` in place.
    pub(crate) fn zoomed(&self, px: f64, factor: f64) -> Scale {
        if !(factor.is_finite() && factor > 0.0 && px.is_finite()) {
            return *self;
        }
        let (slope, offset) = self.affine();
        let at = (px - offset) / slope;
        let (a, b) = positions(self.kind, self.domain);
        self.with_positions((at - (at - a) / factor, at + (b - at) / factor))
    }

    /// Pans by pixels: the content follows the pointer.
    pub(crate) fn panned(&self, dpx: f64) -> Scale {
        let (slope, _) = self.affine();
        let shift = -dpx / slope;
        if !shift.is_finite() {
            return *self;
        }
        let (a, b) = positions(self.kind, self.domain);
        self.with_positions((a + shift, b + shift))
    }

    /// The scale of the range between two pixels (a box zoom).
    pub(crate) fn between(&self, px0: f64, px1: f64) -> Scale {
        let (v0, v1) = (self.value(px0), self.value(px1));
        Scale::new(self.kind, (v0.min(v1), v0.max(v1)), self.range)
    }

    /// Limits the domain relative to `data`: at most four times its span (three decades on either side), always showing
    /// a part of it, and no finer than floats resolve.
    pub(crate) fn clamped(&self, data: (f64, f64)) -> Scale {
        let (da, db) = positions(self.kind, sane(self.kind, data));
        let (mut a, mut b) = positions(self.kind, self.domain);
        let span = (db - da).max(1e-9);
        let most = match self.kind {
            // A little more than everything.
            ScaleKind::Log => span + 1.0,
            ScaleKind::Linear => span * 1.5,
        };
        let least = match self.kind {
            ScaleKind::Log => 1e-3,
            ScaleKind::Linear => span * 1e-5,
        };
        let length = (b - a).clamp(least, most);
        let mid = (a + b) / 2.0;
        (a, b) = (mid - length / 2.0, mid + length / 2.0);
        // An eighth of the view always overlaps the data.
        let keep = (length / 8.0).min(span);
        if a > db - keep {
            (a, b) = (db - keep, db - keep + length);
        } else if b < da + keep {
            (a, b) = (da + keep - length, da + keep);
        }
        self.with_positions((a, b))
    }

    fn with_positions(&self, (a, b): (f64, f64)) -> Scale {
        Scale::new(self.kind, (self.kind.back(a), self.kind.back(b)), self.range)
    }
}

fn positions(kind: ScaleKind, domain: (f64, f64)) -> (f64, f64) {
    let d = sane(kind, domain);
    (kind.forward(d.0), kind.forward(d.1))
}

/// A valid domain: finite, ordered, not empty, positive on a logarithmic axis.
fn sane(kind: ScaleKind, (a, b): (f64, f64)) -> (f64, f64) {
    match kind {
        ScaleKind::Log => {
            let clean = |v: f64| {
                if v.is_nan() { f64::NAN } else { v.clamp(1e-60, 1e60) }
            };
            match (clean(a), clean(b)) {
                (a, b) if a.is_nan() || b.is_nan() => (1.0, 10.0),
                (a, b) if b / a >= 1.0 + 1e-9 => (a, b),
                (a, b) if b < a && a / b >= 1.0 + 1e-9 => (b, a),
                (a, _) => (a / 2.0, a * 2.0),
            }
        }
        ScaleKind::Linear => {
            let clean = |v: f64| {
                if v.is_nan() {
                    f64::NAN
                } else {
                    // Below 1e-60 a slope in pixels would overflow.
                    let v = v.clamp(-1e60, 1e60);
                    if v.abs() < 1e-60 { 0.0 } else { v }
                }
            };
            let (a, b) = (clean(a), clean(b));
            if a.is_nan() || b.is_nan() {
                return (0.0, 1.0);
            }
            let (a, b) = (a.min(b), a.max(b));
            let tiny = a.abs().max(b.abs()) * 1e-12;
            if b - a > tiny {
                (a, b)
            } else if a == 0.0 {
                (0.0, 1.0)
            } else {
                (a - a.abs() * 0.5, b + b.abs() * 0.5)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn log_scale_maps_ends_and_middle() {
        let s = Scale::new(ScaleKind::Log, (1.0, 10000.0), (100.0, 500.0));
        assert_eq!(s.px(1.0), 100.0);
        assert_eq!(s.px(100.0), 300.0);
        assert!((s.value(300.0) - 100.0).abs() < 1e-9);
        assert!(s.px(0.0).is_nan() && s.px(-1.0).is_nan() && s.px(f64::NAN).is_nan());
    }

    #[test]
    fn zoom_keeps_the_value_under_the_pointer() {
        let s = Scale::new(ScaleKind::Log, (1.0, 1e4), (400.0, 0.0));
        let under = s.value(130.0);
        let z = s.zoomed(130.0, 1.7);
        assert!((z.value(130.0) / under - 1.0).abs() < 1e-9);
        let back = z.zoomed(130.0, 1.0 / 1.7);
        assert!((back.domain.0 - 1.0).abs() < 1e-9 && (back.domain.1 / 1e4 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn pan_moves_content_with_the_pointer() {
        let s = Scale::new(ScaleKind::Linear, (0.0, 10.0), (0.0, 100.0));
        assert!((s.panned(20.0).px(5.0) - 70.0).abs() < 1e-9);
    }

    #[test]
    fn single_value_gets_room() {
        let (a, b) = padded(ScaleKind::Log, (100.0, 100.0), 0.05);
        assert!(a < 60.0 && b > 170.0);
        let (a, b) = padded(ScaleKind::Linear, (0.0, 0.0), 0.05);
        assert!(b > a);
    }

    proptest! {
        #[test]
        fn never_a_degenerate_domain(a in proptest::num::f64::ANY, b in proptest::num::f64::ANY,
                                     px in proptest::num::f64::ANY, f in proptest::num::f64::ANY) {
            for kind in [ScaleKind::Linear, ScaleKind::Log] {
                let s = Scale::new(kind, (a, b), (0.0, 640.0));
                for s in [s, s.zoomed(px, f), s.panned(px), s.clamped((1.0, 100.0)), s.between(px, f)] {
                    prop_assert!(s.domain.1 > s.domain.0 && s.domain.0.is_finite() && s.domain.1.is_finite());
                    prop_assert!(s.px(s.domain.0).is_finite());
                }
                let p = padded(kind, (a, b), 0.05);
                prop_assert!(p.1 > p.0);
            }
        }

        #[test]
        fn clamped_view_still_shows_data(factor in 1e-6..1e6f64, pan in -1e5..1e5f64) {
            let data = (3.0, 3000.0);
            for kind in [ScaleKind::Linear, ScaleKind::Log] {
                let s = Scale::new(kind, data, (0.0, 640.0)).zoomed(100.0, factor).panned(pan).clamped(data);
                prop_assert!(s.domain.0 <= data.1 * (1.0 + 1e-9) && s.domain.1 >= data.0 * (1.0 - 1e-9));
            }
        }
    }
}
