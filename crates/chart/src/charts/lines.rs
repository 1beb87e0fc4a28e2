//! Lines over a size: a rate or any other figure over M, N, K or batch; a line per library, type, layout or kernel, and
//! the roof as a line of its own.

use crate::aggregate::{Aggregate, Groups};
use crate::charts::explore::{self, Explore};
use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions, axes, roof_rate};
use crate::color_scale::Colors;
use crate::labels::{Rect, about};
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::plot::{Around, Marks, Ruler, round, xy};
use crate::scale::{ScaleKind, extent, padded};
use crate::scene::{Item, Scene};
use crate::spec::{Figure, Name, Spec};
use crate::ticks::{Format, Tick};
use crate::tooltip::Tooltip;
use gemmscope_table::column_format;
use gemmscope_table::field::{Field, FieldInfo, Frame};
use gemmscope_table::view_state::ViewState;

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "lines",
    name: "Lines",
    hint: "How does a rate grow with a size, and which library is ahead where?",
    params: explore::PARAMS,
    open: |inputs| Lines::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// With more values than this the axis has ordinary ticks, not one for each value.
const MARKED: usize = 16;

/// Opened lines.
pub(crate) struct Lines {
    /// A mark is a point: line `l` at size `i` is group `l * xs.len() + i`.
    spec: Spec,
    x: FieldInfo,
    y: FieldInfo,
    log: Option<bool>,
    /// The sizes, ascending.
    xs: Vec<f64>,
    /// Roof at every size; empty if the figure has no roof.
    roof: Vec<f64>,
}

/// Index of the figure in the list of figures, after the size.
const VALUE: usize = 1;

impl Lines {
    /// Reads the settings and computes the lines.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let mut e = Explore::new(frame, state);
        let (x, y) = (e.size(&axes::SIZES, &axes::size(frame)), e.figure("Y"));
        let colors = Colors::new(frame, e.color());
        let (aggregate, log) = (e.statistic(true), e.log());

        let lines = colors.of(&Theme::LIGHT);
        let get = frame.numbers(&x.field);
        let mut xs: Vec<f64> = frame.rows.iter().map(|r| get(*r as usize)).collect();
        xs.retain(|v| *v > 0.0);
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        let n = xs.len();
        let size = |row: &u32| xs.binary_search_by(|v| v.total_cmp(&get(*row as usize)));
        let mut of: Vec<u32> =
            frame.rows.iter().map(|r| size(r).map_or(u32::MAX, |at| at as u32)).collect();
        let of_size = Groups::of(frame, n, &of);
        for (of, row) in of.iter_mut().zip(frame.rows.iter()) {
            *of = of.saturating_add(u32::from(lines.code(*row as usize)) * n as u32);
        }
        let groups = Groups::of(frame, lines.names.len() * n, &of);
        // Median of the roofs of a size's rows.
        let roof_of = |at: usize| {
            let roofs = of_size.get(at).iter().map(|row| (roof_rate(frame, *row as usize), 1.0));
            Aggregate::Median.of(&mut roofs.collect(), true)
        };
        let roof = match y.field {
            Field::Efficiency => vec![1.0; n],
            Field::Attained => (0..n).map(roof_of).collect(),
            _ => Vec::new(),
        };
        let values = groups.figures(frame, &y, aggregate);
        drop(get);
        let at = |of: &[f64]| -> Vec<f64> {
            (0..groups.len()).map(|g| of.get(g % n).copied().unwrap_or(f64::NAN)).collect()
        };
        let order = (0..groups.len()).filter(|g| values[*g].is_finite()).collect();
        let figures = vec![
            Figure::new(&x.label, &x.unit, at(&xs)),
            Figure::new(&y.label, &y.unit, values),
            Figure::new("Roof", &y.unit, at(&roof)),
        ];
        let names = lines.names.clone();
        let name: Name = Box::new(move |g| names[g / n].clone());
        let label = Some(&lines.label).filter(|label| !label.is_empty());
        let label = label.map_or("Line", String::as_str).to_owned();
        let spec = Spec {
            order,
            colors: Some(colors),
            statistic: Some(aggregate),
            needs: Some(y.clone()),
            ..Spec::new(frame, "points", vec![(label, name)], groups, figures)
        };
        Chart::of(Lines { spec, x, y, log, xs, roof }, e.controls)
    }

    fn values(&self) -> &[f64] {
        &self.spec.figures[VALUE].of
    }
}

impl Picture for Lines {
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        format!("{} over {}", self.y.label, self.x.label)
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let mut legend = self.spec.legend(theme);
        if self.roof.iter().any(|v| v.is_finite()) {
            legend.push((Swatch::Dashed(theme.roof), "roof".to_owned()));
        }
        legend
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let theme = options.theme;
        let Some(colors) = self.spec.colors.as_ref().map(|of| of.of(theme)) else { return };
        let drawn = || self.values().iter().chain(&self.roof).copied();
        let (low, high) = extent(ScaleKind::Log, drawn()).unwrap_or((1.0, 10.0));
        // Rates that grow by decades get a log axis; others start at 0.
        let (kind, domain) = match self.log.unwrap_or(self.y.unit != "%" && high / low > 60.0) {
            true => (ScaleKind::Log, padded(ScaleKind::Log, (low, high), 0.05)),
            false => (ScaleKind::Linear, (0.0, high * 1.08)),
        };
        let suffix = if kind == ScaleKind::Log { " (log)" } else { "" };
        let ends = (self.xs[0], self.xs[self.xs.len() - 1]);
        let one = |v: &f64| Tick { value: *v, label: Some(Format::plain("").write(*v, 5)) };
        let marks: Marks<'_> = match self.xs.len() <= MARKED {
            true => Box::new(|_, _| self.xs.iter().map(one).collect()),
            false => round(Format::plain(""), 80.0, (2, 9)),
        };
        let sizes = (ScaleKind::Log, padded(ScaleKind::Log, ends, 0.04));
        let x = Ruler::new(format!("{} (log)", self.x.label), sizes, marks);
        let marks = round(Format::of(&self.y.unit), 46.0, (2, 9));
        let title = format!("{}{suffix}", column_format::title(&self.y));
        let y = Ruler::new(title, (kind, domain), marks);
        let plot = xy(scene, (room, Around::USUAL), &x, &y);
        let px = |x: f64, y: f64| (plot.x.px(x), plot.y.px(y));
        let line = |of: &[f64]| -> Vec<_> {
            let known = self.xs.iter().zip(of).filter(|(_, v)| v.is_finite());
            known.map(|(x, v)| px(*x, *v)).collect()
        };
        scene.items.push(Item::Clip { rect: plot.rect });
        scene.dashed(line(&self.roof), theme.roof, 1.5, &[6.0, 4.0]);
        let n = self.xs.len().max(1);
        for (of, values) in self.values().chunks(n).enumerate() {
            scene.line(line(values), colors.palette[of], 1.5);
        }
        for &group in &self.spec.order {
            let at = px(self.xs[group % n], self.values()[group]);
            let (symbol, color) = (colors.symbols[group / n], colors.palette[group / n]);
            scene.mark(at, 3.0, symbol, color);
            let rows = self.spec.groups.get(group).to_vec();
            scene.hit(rows, about(at, 6.0), Tooltip::of(group));
        }
        scene.items.push(Item::Unclip);
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::of(width, (360.0, 440.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn a_line_a_library_over_the_size_that_varies() {
        let mut rows = Rows::new();
        for k in 1..9u32 {
            for (library, us) in [("x", 40.0), ("y", 60.0)] {
                rows.row((4096, 4096, 512 * k), library, us * f64::from(k) * 1e-6, "");
            }
        }
        let frame = rows.frame(Some("h100-sxm"));
        let (state, _) = ViewState::decode("view=lines&color=c.library");
        let lines = Lines::open(&frame, &state);
        assert_eq!(lines.said.controls[0].current, "k");
        let look = RenderOptions::new(&Theme::LIGHT, (900.0, 440.0));
        let scene = lines.spoken(&look);
        assert_eq!(scene.hit_areas.len(), 16);
        let tip = &scene.hit_areas[0].tooltip;
        assert!(tip.head == "x" && tip.rows.iter().any(|r| r.0 == "Roof"), "{tip:?}");
        // The roof is the device's, and no line exceeds it.
        let table = lines.table();
        let column = |name: &str| table.header.iter().position(|h| h.starts_with(name)).unwrap();
        let (y, roof) = (column("% of roof"), column("Roof"));
        for row in &table.rows {
            let value = |at: usize| row[at].parse::<f64>().unwrap();
            assert!(value(y) <= value(roof), "{row:?}");
        }
        crate::testing::draw_everywhere("lines", &lines);
    }
}
