//! Share of the roof (or any other figure) against any column: a box and its points per value.

use crate::aggregate::{Aggregate, Groups};
use crate::band_scale::{BandScale, Order};
use crate::cells::{Below, fit};
use crate::charts::explore::{self, Explore};
use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions, nothing};
use crate::color_scale::Colors;
use crate::columns::Columns;
use crate::labels::Rect;
use crate::layout::{FONT, Plot};
use crate::legend::Swatch;
use crate::palette::{Theme, alpha};
use crate::plot::{Around, Ruler, round, xy};
use crate::scale::{Kind, extent, padded};
use crate::scene::{Item, Marks, Scene, Symbol, Window};
use crate::text;
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_model::order::InOrder;
use gemmscope_table::column_format;
use gemmscope_table::field::{FieldInfo, Frame};
use gemmscope_table::result_table::Table;
use gemmscope_table::stats::quantile;
use gemmscope_table::view_state::ViewState;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "boxes",
    name: "Boxes",
    hint: "Which parameter costs efficiency? Any figure by any column",
    params: explore::PARAMS,
    open: |inputs| Boxes::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// Opened boxes.
#[derive(Debug)]
pub(crate) struct Boxes {
    frame: Frame,
    /// The figure.
    value: FieldInfo,
    /// Only boxes whose name contains this.
    find: String,
    /// Of the points.
    colors: Colors,
    bands: BandScale,
    groups: Groups,
    boxes: Vec<Option<Five>>,
    kind: Kind,
    domain: (f64, f64),
}

/// The figures of a box, as shares of its values, with their names.
const QUANTILES: [(f64, &str); 5] = [
    (0.05, "5th percentile"),
    (0.25, "25th percentile"),
    (0.5, "median"),
    (0.75, "75th percentile"),
    (0.95, "95th percentile"),
];

/// The figures of a box, and how many values it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Five {
    at: [f64; 5],
    n: usize,
}

impl Five {
    /// The five figures; `None` without values. Sorts the values and drops NaN.
    fn of(values: &mut Vec<f64>) -> Option<Five> {
        values.retain(|v| !v.is_nan());
        values.order_by(f64::total_cmp);
        let at = || QUANTILES.map(|(q, _)| quantile(values, q));
        (!values.is_empty()).then(|| Five { at: at(), n: values.len() })
    }

    fn median(&self) -> f64 {
        self.at[2]
    }
}

/// Narrowest band of a box, px.
const NARROWEST: f64 = 16.0;

/// Least and most width of each of some boxes. A few take more room.
fn box_widths(boxes: usize) -> (f64, f64) {
    (NARROWEST, if boxes <= 4 { 240.0 } else { 120.0 })
}

/// Points of a box that are drawn one by one; more would be a block of colour.
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
        let groups = Groups::of(frame, bands.len(), |i| bands.of[i]);
        let get = frame.numbers(&value.field);
        let mut values = Vec::new();
        let boxes = (0..bands.len()).map(|s| {
            values.clear();
            values.extend(groups.get(s).iter().map(|r| get(*r as usize)));
            Five::of(&mut values)
        });
        let boxes = boxes.collect();
        let all = || frame.rows.iter().map(|r| get(*r as usize));
        let kind = explore::spacing(log, &value, all());
        let found = extent(kind, all()).unwrap_or((1.0, 10.0));
        let domain = if value.unit == "%" && kind == Kind::Linear && found.0 >= 0.0 {
            (0.0, (found.1 * 1.04).max(1.05))
        } else {
            padded(kind, found, 0.05)
        };
        drop(get);
        let out = Boxes {
            colors: Colors::new(frame, color),
            frame: frame.clone(),
            value,
            find,
            bands,
            groups,
            boxes,
            kind,
            domain,
        };
        Chart::of(out, e.controls)
    }

    /// Points, boxes, and what each stands for.
    fn marks(
        &self,
        scene: &mut Scene,
        theme: &Theme,
        plot: &Plot,
        width: f64,
        shown: std::ops::Range<usize>,
    ) {
        let [left, top, _, height] = plot.rect;
        let value = &self.value;
        let colors = self.colors.of(theme);
        let center = |i: usize| left + width * ((i - shown.start) as f64 + 0.5);
        scene.items.push(Item::Clip { rect: plot.rect });
        if value.unit == "%" {
            let y = plot.y.px(1.0);
            scene.line(vec![(left, y), (left + plot.rect[2], y)], theme.roof, 1.5);
        }
        let get = self.frame.numbers(&value.field);
        let mut points = Marks::new(Symbol::Dot, 2.2, Vec::new());
        points.palette = colors.palette.iter().map(|c| alpha(*c, 0.5)).collect();
        for i in shown.clone() {
            let rows = self.groups.get(i);
            let every = rows.len().div_ceil(POINTS).max(1);
            for (k, &row) in rows.iter().enumerate().step_by(every) {
                let y = plot.y.px(get(row as usize));
                if y.is_finite() {
                    // Multiples of the golden ratio spread evenly whatever their number.
                    let t = (k as f64 * 0.618_033_988_75).fract() - 0.5;
                    let at = ((center(i) + t * width * 0.6) as f32, y as f32);
                    points.add(at, colors.code(row as usize));
                }
            }
        }
        scene.items.push(Item::Marks(points));
        let half = (width * 0.3).clamp(4.0, 18.0);
        for i in shown.clone() {
            let Some(five) = &self.boxes[i] else { continue };
            let (x, ink, bottom) = (center(i), theme.text, top + height);
            let [low, q1, median, q3, high] =
                five.at.map(|v| Some(plot.y.px(v)).filter(|y| y.is_finite()).unwrap_or(bottom));
            for (a, b) in [(low, q1), (q3, high)] {
                scene.line(vec![(x, a), (x, b)], alpha(ink, 0.7), 1.0);
            }
            scene.items.push(Item::Rect {
                rect: [x - half, q3, 2.0 * half, (q1 - q3).max(1.0)],
                fill: Some(alpha(theme.panel, 0.55)),
                stroke: Some((alpha(ink, 0.8), 1.0)),
            });
            scene.line(vec![(x - half, median), (x + half, median)], ink, 2.0);
        }
        scene.items.push(Item::Unclip);
        for i in shown.clone() {
            let area = [center(i) - width / 2.0, top, width, height];
            scene.hit(self.groups.get(i).to_vec(), area, Tooltip::of(i));
        }
    }

    /// The figures of a box.
    fn columns(&self) -> Columns<'_, usize> {
        let five = move |i: &usize| self.boxes[*i];
        let columns = Columns::new()
            .text(self.bands.label.as_str(), |i: &usize| self.bands.names[*i].clone())
            .no_tip()
            .text("GEMMs", move |i| five(i).map_or(0, |f| f.n).to_string())
            .no_tip();
        let title = column_format::title(&self.value);
        (0..QUANTILES.len()).fold(columns, |columns, k| {
            columns.text(format!("{title}, {}", QUANTILES[k].1), move |i| {
                five(i).map_or_else(String::new, |f| column_format::number(&self.value, f.at[k]))
            })
        })
    }
}

impl Picture for Boxes {
    fn title(&self) -> String {
        format!("{} by {}, {} boxes", self.value.label, self.bands.label, self.bands.len())
    }

    fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        let medians: Vec<(f64, &str)> = self
            .boxes
            .iter()
            .zip(&self.bands.names)
            .filter_map(|(b, n)| b.map(|b| (b.median(), n.as_str())))
            .collect();
        let least = medians.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let most = medians.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        if let (true, Some(least), Some(most)) = (medians.len() > 1, least, most) {
            let at = |(median, name): &(f64, &str)| {
                let median = Format::of(&self.value.unit).write(*median, 3);
                format!("{median} at {} {name}", self.bands.label)
            };
            let what = self.value.label.to_lowercase();
            out.push(format!("Median {what}: {} to {}.", at(least), at(most)));
        }
        out.push("Box: middle half. Line: median. Whiskers: 5th to 95th percentile.".to_owned());
        let colors = self.colors.of(&Theme::LIGHT);
        let mut codes = self.groups.rows.iter().map(|r| colors.code(*r as usize));
        if codes.next().is_some_and(|first| codes.any(|code| code != first)) {
            out.push("A box is of all its points, whatever their colour.".to_owned());
        }
        let (value, find) = (Some(&self.value), &self.find);
        out.extend(explore::left_out(&self.frame, &self.groups, value, find));
        if self.groups.rows.len() > POINTS * self.bands.len() {
            out.push(format!("At most {POINTS} points a box shown."));
        }
        out
    }

    fn obstacle(&self) -> Option<String> {
        let found = !self.bands.is_empty() || self.find.trim().is_empty();
        let none = self.boxes.iter().all(Option::is_none);
        let why = nothing(&self.frame).or((!found).then_some(explore::NO_NAME));
        why.or(none.then_some(explore::NO_FIGURE)).map(str::to_owned)
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let colors = self.colors.of(theme);
        colors.swatches(&self.frame, self.groups.rows.iter().map(|r| colors.code(*r as usize)))
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let theme = options.theme;
        let (value, bands) = (&self.value, &self.bands);
        // Names that do not fit beside each other read upwards.
        let widest = text::widest(&bands.names, FONT);
        let (each, _) = fit(scene.width - 60.0, bands.len(), box_widths(bands.len()));
        let (turned, foot) = match widest + 8.0 > each {
            true => (true, widest.min(scene.height * 0.3).min(150.0) + 12.0),
            false => (false, FONT * text::LINE + 8.0),
        };
        let marks = round(Format::of(&value.unit), 60.0, (2, 8));
        let y = Ruler::new(column_format::title(value), (self.kind, self.domain), marks);
        let around = Around { bottom: foot + FONT * text::LINE + 6.0, ..Around::USUAL };
        let plot = xy(scene, (room, around), theme, &Ruler::none((0.0, 1.0)), &y);
        let rect = plot.rect;
        let (width, visible) = fit(rect[2], bands.len(), box_widths(bands.len()));
        let first = options.first.0.min(bands.len() - visible);
        self.marks(scene, theme, &plot, width, first..first + visible);
        Below {
            names: &bands.names[first..first + visible],
            title: &bands.label,
            at: (rect[0], rect[1] + rect[3]),
            each: width,
            turned,
            foot,
            room: if turned { foot - 10.0 } else { width },
            lines: 1,
        }
        .draw(scene, theme);
        if visible < bands.len() {
            let words = format!("{visible} of {} boxes shown.", bands.len());
            let columns = Window { first, shown: visible, total: bands.len(), step: width };
            scene.scrolls(rect, columns, Window::default(), words);
        }
    }

    fn tooltip(&self, i: usize) -> Tooltip {
        let head = format!("{} {}", self.bands.label, self.bands.names[i]);
        self.columns().tooltip(head, &i)
    }

    fn table(&self) -> Table {
        self.columns().table(0..self.bands.len())
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
        let f = Five::of(&mut v);
        assert_eq!(f.map(|f| (f.at[1..4].to_vec(), f.n)), Some((vec![2.0, 3.0, 4.0], 5)));
        assert_eq!(Five::of(&mut Vec::new()), None);
        assert_eq!(Five::of(&mut vec![7.0]).map(|f| f.at[4]), Some(7.0));
    }
}
