//! Lines over a size: a rate or any other figure over M, N, K or batch, a line a library, type, layout or
//! kernel, with the roof as a line of its own.

use crate::aggregate::{Aggregate, Groups, distinct};
use crate::charts::explore::{self, Explore};
use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions, nothing, roof_rate};
use crate::color_scale::Colors;
use crate::columns::Columns;
use crate::labels::{Rect, about};
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::plot::{Around, Marks, Ruler, round, xy};
use crate::scale::{Kind, extent, padded};
use crate::scene::{Item, Scene};
use crate::ticks::{Format, Tick};
use crate::tooltip::Tooltip;
use gemmscope_model::order::InOrder;
use gemmscope_table::column_format;
use gemmscope_table::field::{Field, FieldInfo, Frame};
use gemmscope_table::result_table::Table;
use gemmscope_table::view_state::ViewState;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "lines",
    name: "Lines",
    hint: "How does a rate grow with a size, and which library is ahead where?",
    params: explore::PARAMS,
    open: |inputs| Lines::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// The sizes that lines may run over.
const SIZES: [Field; 4] = [Field::M, Field::N, Field::K, Field::Batch];
/// More values than this are marked as on any axis, not one by one.
const MARKED: usize = 16;

/// A point of a line: its group, its line, the size, the figure.
type Point = (usize, usize, f64, f64);

/// Opened lines.
#[derive(Debug)]
pub(crate) struct Lines {
    frame: Frame,
    x: FieldInfo,
    y: FieldInfo,
    aggregate: Aggregate,
    log: Option<bool>,
    colors: Colors,
    /// The sizes, ascending.
    xs: Vec<f64>,
    /// Rows by line and size: line `l` at size `i` is group `l * xs.len() + i`.
    groups: Groups,
    figures: Vec<f64>,
    /// The roof at every size; none where the figure has no roof.
    roof: Vec<f64>,
}

/// The size with the most values.
fn telling(frame: &Frame) -> Field {
    let values = |field: &Field| {
        let get = frame.numbers(field);
        distinct(frame.rows.iter().map(|r| get(*r as usize) as u64)).len()
    };
    // Of equal ones the first.
    let most = SIZES.iter().rev().max_by_key(|f| values(f));
    most.cloned().unwrap_or(Field::M)
}

impl Lines {
    /// Reads the settings and computes the lines.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let mut e = Explore::new(frame, state);
        let (size, figure) = (e.size(&SIZES, &telling(frame)), e.figure("Y"));
        let colors = Colors::new(frame, e.color());
        let (aggregate, log) = (e.statistic(true), e.log());

        let lines = colors.of(&Theme::LIGHT);
        let get = frame.numbers(&size.field);
        let mut xs: Vec<f64> = frame.rows.iter().map(|r| get(*r as usize)).collect();
        xs.retain(|v| *v > 0.0);
        xs.order_by(f64::total_cmp);
        xs.dedup();
        let n = xs.len();
        let place = |i: usize| {
            let row = frame.rows[i] as usize;
            let at = xs.binary_search_by(|v| v.total_cmp(&get(row))).ok()?;
            Some(usize::from(lines.code(row)) * n + at)
        };
        let groups =
            Groups::of(frame, lines.names.len() * n, |i| place(i).map_or(u32::MAX, |p| p as u32));
        let of_size = Groups::of(frame, n, |i| place(i).map_or(u32::MAX, |p| (p % n) as u32));
        // The median of the roofs of the rows of a size.
        let roof_of = |at: usize| {
            let roofs = of_size.get(at).iter().map(|row| (roof_rate(frame, *row as usize), 1.0));
            Aggregate::Median.of(&mut roofs.collect(), true)
        };
        let roof = match figure.field {
            Field::Efficiency => vec![1.0; n],
            Field::Attained => (0..n).map(roof_of).collect(),
            _ => Vec::new(),
        };
        let figures = groups.figures(frame, &figure, aggregate);
        drop(get);
        let out = Lines {
            frame: frame.clone(),
            x: size,
            y: figure,
            aggregate,
            log,
            colors,
            xs,
            groups,
            figures,
            roof,
        };
        Chart::of(out, e.controls)
    }

    /// The points of all lines: group, line, size, figure.
    fn points(&self) -> impl Iterator<Item = Point> {
        let known = (0..self.figures.len()).filter(|group| self.figures[*group].is_finite());
        known.map(|group| self.point(group))
    }

    fn point(&self, group: usize) -> Point {
        let n = self.xs.len();
        (group, group / n, self.xs[group % n], self.figures[group])
    }

    /// What a line is called.
    fn name(&self, line: usize) -> &str {
        self.colors.of(&Theme::LIGHT).names.get(line).map_or("", String::as_str)
    }

    fn columns(&self) -> Columns<'_, Point> {
        let label = self.colors.of(&Theme::LIGHT).label.as_str();
        let roof =
            move |p: &Point| self.roof.get(p.0 % self.xs.len().max(1)).copied().unwrap_or(f64::NAN);
        Columns::new()
            .text(if label.is_empty() { "Line" } else { label }, |p: &Point| {
                self.name(p.1).to_owned()
            })
            .no_tip()
            .field(&self.x, |p: &Point| p.2)
            .field(&self.y, |p: &Point| p.3)
            .number("Roof", self.y.unit.as_str(), roof)
            .text("GEMMs", |p: &Point| self.groups.get(p.0).len().to_string())
            .no_tip()
    }
}

impl Picture for Lines {
    fn title(&self) -> String {
        format!("{} over {}", self.y.label, self.x.label)
    }

    fn obstacle(&self) -> Option<String> {
        let none = self.figures.iter().all(|v| v.is_nan());
        nothing(&self.frame).or(none.then_some(explore::NO_FIGURE)).map(str::to_owned)
    }

    fn notes(&self) -> Vec<String> {
        let several = self.points().filter(|p| self.groups.get(p.0).len() > 1).count();
        let of = (several, self.points().count());
        let several = explore::of_several(of, "points", self.aggregate);
        let left_out = explore::left_out(&self.frame, &self.groups, Some(&self.y), "");
        several.into_iter().chain(left_out).collect()
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let colors = self.colors.of(theme);
        let codes = self.groups.rows.iter().map(|r| colors.code(*r as usize));
        let mut legend = colors.swatches(&self.frame, codes);
        if self.roof.iter().any(|v| v.is_finite()) {
            legend.push((Swatch::Dashed(theme.roof), "roof".to_owned()));
        }
        legend
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let theme = options.theme;
        let colors = self.colors.of(theme);
        let drawn = || self.points().map(|p| p.3).chain(self.roof.iter().copied());
        let (low, high) = extent(Kind::Log, drawn()).unwrap_or((1.0, 10.0));
        // Rates grow by decades with a size; what does not starts at 0.
        let (kind, domain) = match self.log.unwrap_or(self.y.unit != "%" && high / low > 60.0) {
            true => (Kind::Log, padded(Kind::Log, (low, high), 0.05)),
            false => (Kind::Linear, (0.0, high * 1.08)),
        };
        let suffix = if kind == Kind::Log { " (log)" } else { "" };
        let ends = (self.xs[0], self.xs[self.xs.len() - 1]);
        let one = |v: &f64| Tick { value: *v, label: Some(Format::plain("").write(*v, 5)) };
        let marks: Marks<'_> = match self.xs.len() <= MARKED {
            true => Box::new(|_, _| self.xs.iter().map(one).collect()),
            false => round(Format::plain(""), 80.0, (2, 9)),
        };
        let sizes = (Kind::Log, padded(Kind::Log, ends, 0.04));
        let x = Ruler::new(format!("{} (log)", self.x.label), sizes, marks);
        let marks = round(Format::of(&self.y.unit), 46.0, (2, 9));
        let title = format!("{}{suffix}", column_format::title(&self.y));
        let y = Ruler::new(title, (kind, domain), marks);
        let plot = xy(scene, (room, Around::USUAL), theme, &x, &y);
        let px = |x: f64, y: f64| (plot.x.px(x), plot.y.px(y));
        scene.items.push(Item::Clip { rect: plot.rect });
        let roof = self.xs.iter().zip(&self.roof).filter(|(_, v)| v.is_finite());
        let roof: Vec<_> = roof.map(|(x, v)| px(*x, *v)).collect();
        scene.dashed(roof, theme.roof, 1.5, &[6.0, 4.0]);
        let n = self.xs.len().max(1);
        for (line, figures) in self.figures.chunks(n).enumerate() {
            let known = self.xs.iter().zip(figures).filter(|(_, v)| v.is_finite());
            let points: Vec<_> = known.map(|(x, v)| px(*x, *v)).collect();
            scene.line(points, colors.palette[line], 1.5);
        }
        for (group, line, x, v) in self.points() {
            let at = px(x, v);
            let (symbol, color) = (colors.symbols[line], colors.palette[line]);
            scene.mark(at, 3.0, symbol, color);
            scene.hit(self.groups.get(group).to_vec(), about(at, 6.0), Tooltip::of(group));
        }
        scene.items.push(Item::Unclip);
    }

    fn tooltip(&self, group: usize) -> Tooltip {
        let point = self.point(group);
        self.columns().tooltip(self.name(point.1), &point)
    }

    fn table(&self) -> Table {
        self.columns().table(self.points())
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
        // The roof is that of the device, and no line passes it.
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
