//! The visible part of the axes: zooming and panning it, and its form in links.

use crate::labels::Rect;
use crate::layout::Plot;
use crate::scale::Scale;
use crate::scene::Point;
use gemmscope_table::view_state::ViewState;

/// Visible ranges of x and y.
pub type Zoom = ((f64, f64), (f64, f64));

/// Visible part of a drawn chart's axes, and the limits of moving it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Pixels to values, and back.
    pub plot: Plot,
    /// Ranges that hold everything: the limit of zooming out.
    pub home: Zoom,
    /// Initial ranges: everything, or the part that matters.
    pub first: Zoom,
}

/// Relative difference at the end of a range that may be due to rounding in a link.
const ROUNDED: f64 = 1e-4;

impl Camera {
    /// The zoom after zooming by `factor` about a pixel.
    pub fn zoom_about(&self, at: Point, factor: f64) -> Zoom {
        self.moved(|x, y| (x.zoomed(at.0, factor), y.zoomed(at.1, factor)))
    }

    /// The zoom after a drag, px.
    pub fn pan_by(&self, by: Point) -> Zoom {
        self.moved(|x, y| (x.panned(by.0), y.panned(by.1)))
    }

    /// The ranges of moved scales, kept within limits.
    fn moved(&self, to: impl Fn(Scale, Scale) -> (Scale, Scale)) -> Zoom {
        let (x, y) = to(self.plot.x, self.plot.y);
        (x.clamped(self.home.0).domain, y.clamped(self.home.1).domain)
    }

    /// The zoom that shows everything; `None` if the initial one does.
    pub fn whole(&self) -> Option<Zoom> {
        (self.first != self.home).then_some(self.home)
    }

    /// True if everything is visible.
    pub fn is_whole(&self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= ROUNDED * b.abs();
        let (x, y) = (self.plot.x.domain, self.plot.y.domain);
        [(x, self.home.0), (y, self.home.1)].iter().all(|(a, b)| near(a.0, b.0) && near(a.1, b.1))
    }

    /// Parameter and value that keep what is visible, whatever is drawn; `id` is the chart's key.
    pub fn fixing(&self, id: &str) -> (String, String) {
        (zoom_key(id), text((self.plot.x.domain, self.plot.y.domain)))
    }

    /// Ranges inside a drawn box, rounded outward to three digits, since people read and edit them.
    pub(crate) fn ranges_in(&self, [l, t, w, h]: Rect) -> Zoom {
        let out =
            |(a, b): (f64, f64)| (outward(a.min(b), f64::floor), outward(a.max(b), f64::ceil));
        let (x, y) = (self.plot.x.between(l, l + w), self.plot.y.between(t, t + h));
        (out(x.domain), out(y.domain))
    }
}

/// Rounds a value to three digits with `round`, free of floating-point noise, so that links stay short.
fn outward(v: f64, round: fn(f64) -> f64) -> f64 {
    if v == 0.0 {
        return 0.0;
    }
    let grain = 10f64.powi(v.abs().log10().floor() as i32 - 2);
    let out = round(v / grain) * grain;
    format!("{out:.2e}").parse::<f64>().ok().unwrap_or(out)
}

/// Parameter that holds the zoom of a chart.
pub(crate) fn zoom_key(id: &str) -> String {
    format!("zoom.{id}")
}

/// Zoom of a chart in a view state; `None` if it has none.
pub fn zoom_of(state: &ViewState, id: &str) -> Option<Zoom> {
    state.param(&zoom_key(id)).and_then(parse)
}

/// Sets the zoom of a chart in a view state.
pub fn set_zoom(state: &mut ViewState, id: &str, zoom: Option<Zoom>) {
    state.set_param(&zoom_key(id), zoom.map_or_else(String::new, text));
}

/// `x0..x1,y0..y1`.
fn text(((x0, x1), (y0, y1)): Zoom) -> String {
    format!("{x0:.5e}..{x1:.5e},{y0:.5e}..{y1:.5e}")
}

/// Inverse of [`text`].
fn parse(text: &str) -> Option<Zoom> {
    let (x, y) = text.split_once(',')?;
    let pair = |t: &str| {
        let (a, b) = t.split_once("..")?;
        let (a, b) = (a.parse::<f64>().ok()?, b.parse::<f64>().ok()?);
        (a >= 0.0 && b > a && b.is_finite()).then_some((a, b))
    };
    // Only a share begins at 0.
    Some((pair(x).filter(|x| x.0 > 0.0)?, pair(y)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_a_box_are_rounded_outward() {
        for (v, low, high) in [
            (246.604, 246.0, 247.0),
            (1.23456e14, 1.23e14, 1.24e14),
            (0.99821, 0.998, 0.999),
            (5.0, 5.0, 5.0),
        ] {
            assert_eq!([f64::floor, f64::ceil].map(|to| outward(v, to)), [low, high], "{v}");
        }
    }

    #[test]
    fn a_link_holds_the_zoom() {
        let mut state = ViewState::default();
        assert_eq!(zoom_of(&state, "roofline"), None);
        let zoom = ((0.5, 250.0), (1e12, 2.5e15));
        set_zoom(&mut state, "roofline", Some(zoom));
        assert_eq!(zoom_of(&state, "roofline"), Some(zoom));
        set_zoom(&mut state, "roofline", None);
        assert_eq!(state, ViewState::default());
        for bad in ["", "1..2", "2..1,1..2", "0..1,1..2", "1..2,x..3"] {
            state.set_param("zoom.roofline", bad);
            assert_eq!(zoom_of(&state, "roofline"), None, "{bad}");
        }
    }
}
