//! Box plots: share of the roof (or any other figure) by any column, a box with its points per value.

use crate::aggregate::{Aggregate, Groups};
use crate::band_scale::Order;
use crate::charts::explore::{self, Explore};
use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions};
use crate::color_scale::Colors;
use crate::labels::Rect;
use crate::layout::Plot;
use crate::palette::{Theme, alpha};
use crate::plot::{Ruler, Upright, round};
use crate::scale::{ScaleKind, extent, padded};
use crate::scene::{Item, Marks, Scene, Symbol};
use crate::spec::{Figure, Name, Spec};
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_table::column_format;
use gemmscope_table::field::{FieldInfo, Frame};
use gemmscope_table::stats::quantile;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::charts as words;
use std::ops::Range;

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "boxes",
    name: "Boxes",
    hint: "Which parameter costs efficiency? Any figure by any column",
    params: explore::PARAMS,
    open: |inputs| Boxes::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// Opened box plots.
pub(crate) struct Boxes {
    /// Its figures are the [`QUANTILES`].
    spec: Spec,
    names: Vec<String>,
    value: FieldInfo,
    kind: ScaleKind,
    domain: (f64, f64),
}

/// The quantiles of a box, with their names.
const QUANTILES: [(f64, &str); 5] = [
    (0.05, "5th percentile"),
    (0.25, "25th percentile"),
    (0.5, "median"),
    (0.75, "75th percentile"),
    (0.95, "95th percentile"),
];
const MEDIAN: usize = 2;

/// The [`QUANTILES`] of `values`; NaN if there are none. Sorts `values` and drops NaN.
fn quantiles(values: &mut Vec<f64>) -> [f64; 5] {
    values.retain(|v| !v.is_nan());
    values.sort_by(f64::total_cmp);
    QUANTILES.map(|(q, _)| quantile(values, q))
}

/// Points of a box that are drawn one by one; more would merge into a block of colour.
const POINTS: usize = 400;

impl Boxes {
    /// Reads the settings and computes the boxes.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let mut e = Explore::new(frame, state);
        let m = |r: &u32| frame.data.m[*r as usize];
        let one_m = frame.rows.windows(2).all(|w| m(&w[0]) == m(&w[1]));
        let (x, value) = (e.x(None, if one_m { "shape" } else { "m" }), e.figure("Y"));
        let (color, order) = (e.color(), e.sort(false, Order::Name));
        let (log, find) = (e.log(), e.find());
        let mut bands = x.bands(frame, order, Some((&value, Aggregate::Median)));
        bands.find(&find);
        let groups = Groups::of(frame, bands.len(), &bands.of);
        let get = frame.numbers(&value.field);
        let mut values = Vec::new();
        let boxes = (0..bands.len()).map(|s| {
            values.clear();
            values.extend(groups.get(s).iter().map(|r| get(*r as usize)));
            quantiles(&mut values)
        });
        let boxes: Vec<[f64; 5]> = boxes.collect();
        let all = || frame.rows.iter().map(|r| get(*r as usize));
        let kind = explore::spacing(log, &value, all());
        let found = extent(kind, all()).unwrap_or((1.0, 10.0));
        let domain = if value.unit == "%" && kind == ScaleKind::Linear && found.0 >= 0.0 {
            (0.0, (found.1 * 1.04).max(1.05))
        } else {
            padded(kind, found, 0.05)
        };
        let figures = QUANTILES.iter().enumerate().map(|(at, (_, name))| {
            let of = boxes.iter().map(|b| b[at]).collect();
            Figure::new(format!("{}, {name}", value.label), &value.unit, of)
        });
        let figures = figures.collect();
        drop(get);
        let names = bands.names.clone();
        let name: Name = Box::new(move |s| bands.names[s].clone());
        let spec = Spec {
            colors: Some(Colors::new(frame, color)),
            find,
            needs: Some(value.clone()),
            ..Spec::new(frame, "boxes", vec![(bands.label, name)], groups, figures)
        };
        Chart::of(Boxes { spec, names, value, kind, domain }, e.controls)
    }

    fn quantile(&self, at: usize, group: usize) -> f64 {
        self.spec.figures[at].of[group]
    }

    /// The points below the boxes, jittered within their columns.
    fn points(&self, scene: &mut Scene, (plot, width): (&Plot, f64), shown: Range<usize>) {
        let Some((colors, frame)) = self.spec.colors.as_ref().zip(self.spec.frame.as_ref()) else {
            return;
        };
        let (colors, get) = (colors.of(&scene.theme), frame.numbers(&self.value.field));
        let mut points = Marks::new(Symbol::Dot, 2.2, Vec::new());
        points.palette = colors.palette.iter().map(|c| alpha(*c, 0.5)).collect();
        for (i, group) in shown.enumerate() {
            let rows = self.spec.groups.get(group);
            let every = rows.len().div_ceil(POINTS).max(1);
            for (k, &row) in rows.iter().enumerate().step_by(every) {
                let y = plot.y.px(get(row as usize));
                if y.is_finite() {
                    // Multiples of the golden ratio spread evenly, whatever their number.
                    let t = (k as f64 * 0.618_033_988_75).fract() - 0.5;
                    let x = plot.rect[0] + width * (i as f64 + 0.5 + t * 0.6);
                    points.add((x as f32, y as f32), colors.code(row as usize));
                }
            }
        }
        scene.marks(points);
    }
}

impl Picture for Boxes {
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        let (what, by) = (&self.value.label, &self.spec.names[0].0);
        format!("{what} by {by}, {} boxes", self.names.len())
    }

    fn notes(&self) -> Vec<String> {
        let (mut out, by) = (Vec::new(), &self.spec.names[0].0);
        let medians = self.spec.figures[MEDIAN].of.iter().zip(&self.names);
        let medians: Vec<_> = medians.filter(|(median, _)| !median.is_nan()).collect();
        let least = medians.iter().min_by(|a, b| a.0.total_cmp(b.0));
        let most = medians.iter().max_by(|a, b| a.0.total_cmp(b.0));
        if let (true, Some(least), Some(most)) = (medians.len() > 1, least, most) {
            let [least, most] = [least, most].map(|(median, name)| {
                format!("{} at {by} {name}", Format::of(&self.value.unit).write(**median, 3))
            });
            let what = self.value.label.to_lowercase();
            out.push(words::medians(&what, [&least, &most]));
        }
        out.push(words::BOX_PARTS.to_owned());
        let theme = &Theme::LIGHT;
        if !self.spec.legend(theme).is_empty() {
            out.push(words::BOX_OF_ALL.to_owned());
        }
        if self.spec.groups.rows.len() > POINTS * self.names.len() {
            out.push(words::points_a_box(POINTS));
        }
        out.extend(self.spec.notes());
        out
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let (theme, value) = (options.theme, &self.value);
        let title = column_format::title(value);
        let marks = round(Format::of(&value.unit), 60.0, (2, 8));
        let y = Ruler::new(title, (self.kind, self.domain), marks);
        // A few boxes take more room.
        let widths = (16.0, if self.names.len() <= 4 { 240.0 } else { 120.0 });
        let (first, names) = (options.first.0, &self.names[..]);
        let columns =
            Upright { names, title: &self.spec.names[0].0, what: self.spec.marks, widths, first };
        let (plot, width, shown) = columns.plot(scene, room, &y);
        let [left, top, full, height] = plot.rect;
        scene.items.push(Item::Clip { rect: plot.rect });
        if value.unit == "%" {
            let y = plot.y.px(1.0);
            scene.line(vec![(left, y), (left + full, y)], theme.roof, 1.5);
        }
        self.points(scene, (&plot, width), shown.clone());
        let (half, ink) = ((width * 0.3).clamp(4.0, 18.0), theme.text);
        for (i, group) in shown.clone().enumerate() {
            if self.quantile(MEDIAN, group).is_nan() {
                continue;
            }
            let x = left + width * (i as f64 + 0.5);
            let px = |at| plot.y.px(self.quantile(at, group));
            // Values without a logarithm sort lowest.
            let [low, q1, median, q3, high] = [0, 1, 2, 3, 4]
                .map(|at| Some(px(at)).filter(|y| y.is_finite()).unwrap_or(top + height));
            for (a, b) in [(low, q1), (q3, high)] {
                scene.line(vec![(x, a), (x, b)], alpha(ink, 0.7), 1.0);
            }
            let middle = [x - half, q3, 2.0 * half, (q1 - q3).max(1.0)];
            scene.boxed(middle, alpha(theme.panel, 0.55), (alpha(ink, 0.8), 1.0));
            scene.line(vec![(x - half, median), (x + half, median)], ink, 2.0);
        }
        scene.items.push(Item::Unclip);
        for (i, group) in shown.enumerate() {
            let area = [left + width * i as f64, top, width, height];
            scene.hit(self.spec.groups.get(group).to_vec(), area, Tooltip::of(group));
        }
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::of(width, (360.0, 420.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        let mut v = vec![4.0, f64::NAN, 1.0, 2.0, 3.0, 5.0];
        assert_eq!(quantiles(&mut v)[1..4], [2.0, 3.0, 4.0]);
        assert!(quantiles(&mut Vec::new())[0].is_nan());
        assert_eq!(quantiles(&mut vec![7.0])[4], 7.0);
    }
}
