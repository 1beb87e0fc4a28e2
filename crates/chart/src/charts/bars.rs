//! Bars of any figure. By default two panels: arithmetic intensity, and the attained rate with its roof.

use crate::band_scale::Order;
use crate::card::{self, card};
use crate::charts::explore::{self, Axis, Explore};
use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions, roof_rate};
use crate::color_scale::Colors;
use crate::labels::Rect;
use crate::layout::NARROW;
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::places::FEW;
use crate::plot::{value_bar, value_panel};
use crate::scale::{Scale, ScaleKind, extent};
use crate::scene::Scene;
use crate::spec::{BarRows, Figure, Spec};
use crate::ticks::Format;
use gemmscope_table::field::{Field, FieldInfo, Frame};
use gemmscope_table::metrics::ABOVE_ROOF;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::charts as words;

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "bars",
    name: "Bars",
    hint: "Which GEMM or kernel is best? Any figure by any column, or AI and rate side by side",
    params: explore::PARAMS,
    open: |inputs| Bars::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

const ROW: f64 = 18.0;
/// Room above the bars for titles, and below them for ticks.
const AROUND: (f64, f64) = (26.0, 34.0);

/// Opened bars, sorted.
pub(crate) struct Bars {
    spec: Spec,
    panels: Vec<Panel>,
    /// Name of what the panels show together.
    what: String,
}

/// One column of bars: a figure, and its roof where it has one.
struct Panel {
    title: String,
    format: Format<'static>,
    /// Figure of each group.
    figure: Vec<f64>,
    /// Roof of each group; empty if the figure has no roof.
    roof: Vec<f64>,
    /// Its axis. A logarithmic one has dots, as bar length would mean nothing.
    axis: (ScaleKind, (f64, f64)),
}

impl Panel {
    fn new(
        info: &FieldInfo,
        (figure, roof): (Vec<f64>, Vec<f64>),
        order: &[usize],
        log: bool,
    ) -> Self {
        let unit = if info.unit == "%" { "" } else { info.unit.as_str() };
        let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
        let title = format!("{}{unit}{}", info.label, if log { " (log)" } else { "" });
        let values = order.iter().flat_map(|g| [Some(&figure[*g]), roof.get(*g)]);
        let (lo, hi) = extent(ScaleKind::Log, values.flatten().copied()).unwrap_or((1.0, 10.0));
        let axis = match log {
            true => (ScaleKind::Log, (lo / 1.6, hi * 1.15)),
            false => (ScaleKind::Linear, (0.0, hi * 1.08)),
        };
        let format = Format::of(&info.unit).bare();
        Panel { title, format, figure, roof, axis }
    }
}

/// Figures that every bar has, besides its roof, in order; the first two are shown by default.
const USUAL: [Field; 3] = [Field::Ai, Field::Attained, Field::Efficiency];
const RATE: usize = 1;
const ROOF: usize = 2;

impl Bars {
    /// Reads the settings; computes and sorts the bars.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let mut e = Explore::new(frame, state);
        let rows = frame.data.len();
        let kernel = e.kernel(if rows > FEW { rows / 2 } else { 0 });
        let x = e.x(Some("each GEMM"), kernel.as_deref().unwrap_or("none"));
        let (chosen, color) = (e.figure_or("Y", Some("AI and rate")), e.color());
        let single = x == Axis::One;
        let aggregate = e.statistic(!single);
        let sort = (e.sort(chosen.is_none(), Order::Value), e.ascending());
        let (log, find) = (e.log() == Some(true), e.find());
        let (label, name, groups) = x.groups(frame);
        let of = |field: &Field| {
            let none = || vec![f64::NAN; groups.len()];
            frame.info(field).map_or_else(none, |info| groups.figures(frame, &info, aggregate))
        };
        let [ai, rate, share] = USUAL.each_ref().map(of);
        let roof = (0..groups.len()).map(|i| match groups.get(i) {
            [one] => roof_rate(frame, *one as usize),
            // Several GEMMs in a group: the roof consistent with the figures shown.
            _ => rate[i] / share[i],
        });
        let roof: Vec<f64> = roof.collect();
        let mut order: Vec<usize> = (0..groups.len()).collect();
        let text = find.to_lowercase();
        order.retain(|g| text.is_empty() || name(*g).to_lowercase().contains(&text));
        let usual = || USUAL[..2].iter().filter_map(|f| frame.info(f)).collect();
        let shown: Vec<FieldInfo> = chosen.map_or_else(usual, |info| vec![info]);
        let one = |roof: &f64| if roof.is_nan() { f64::NAN } else { 1.0 };
        let panel = |info: &FieldInfo| {
            let figures = match info.field {
                Field::Ai => (ai.clone(), Vec::new()),
                Field::Attained => (rate.clone(), roof.clone()),
                Field::Efficiency => (share.clone(), roof.iter().map(one).collect()),
                _ => (of(&info.field), Vec::new()),
            };
            Panel::new(info, figures, &order, log)
        };
        let panels: Vec<Panel> = shown.iter().map(panel).collect();
        let what = match &shown[..] {
            [one] => one.label.clone(),
            _ => "Arithmetic intensity and attained rate".to_owned(),
        };
        let by = match (sort.0, panels.last()) {
            (Order::Ai, _) => ai.clone(),
            (Order::Efficiency, _) => share.clone(),
            (_, last) => last.map_or(&rate, |panel| &panel.figure).clone(),
        };
        let mut figures = vec![
            Figure::new("AI", "FLOP/B", ai),
            Figure::new("Attained", "FLOP/s", rate),
            Figure::new("Roof", "FLOP/s", roof),
            Figure::new("% of roof", "%", share),
        ];
        let other = shown.iter().zip(&panels).find(|(info, _)| !USUAL.contains(&info.field));
        figures.extend(other.map(|(i, p)| Figure::new(&i.label, &i.unit, p.figure.clone())));
        let mut spec = Spec {
            order,
            colors: Some(Colors::new(frame, color)),
            statistic: (!single).then_some(aggregate),
            find,
            ..Spec::new(
                frame,
                if log { "dots" } else { "bars" },
                vec![(label, name)],
                groups,
                figures,
            )
        };
        spec.sort(sort, &by);
        Chart::of(Bars { spec, panels, what }, e.controls)
    }

    /// True if the attained rate of a group is [above](ABOVE_ROOF) its roof.
    fn above(&self, group: usize) -> bool {
        let [rate, roof] = [RATE, ROOF].map(|at| self.spec.figures[at].of[group]);
        rate > roof * ABOVE_ROOF
    }
}

impl Picture for Bars {
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        let spec = &self.spec;
        format!("{} by {}, {} {}", self.what, spec.names[0].0, spec.order.len(), spec.marks)
    }

    fn notes(&self) -> Vec<String> {
        let order = &self.spec.order;
        let has_roof = order.iter().any(|g| self.spec.figures[ROOF].of[*g].is_finite());
        let mut out = Vec::new();
        match (has_roof, self.spec.only()) {
            (false, _) => out.push(words::NO_ROOF.to_owned()),
            (true, None) => out.push(words::ROOF_TICK.to_owned()),
            (true, Some(_)) => {}
        }
        let above = order.iter().filter(|g| self.above(**g)).count() as u64;
        if above > 0 {
            out.push(words::bars_above(above, self.spec.marks.trim_end_matches('s')));
        }
        out.extend(self.spec.notes());
        out
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let mut out = self.spec.legend(theme);
        if !out.is_empty() && self.spec.order.iter().any(|g| self.spec.code(*g, theme).is_none()) {
            out.push((Swatch::Box(theme.other), "several".to_owned()));
        }
        out
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let (spec, theme) = (&self.spec, options.theme);
        if let Some(mark) = spec.only() {
            return card(scene, room, spec, mark);
        }
        let placed = BarRows { row: ROW, around: AROUND }.place(spec, scene, room, options);
        // Scales cover all bars, so that scrolling moves only the bars.
        let gap = if room[2] < NARROW { 14.0 } else { 28.0 };
        let n = self.panels.len() as f64;
        let each = ((room[2] - placed.left - gap * (n - 1.0) - 12.0) / n).max(10.0);
        for (i, panel) in self.panels.iter().enumerate() {
            let x = placed.left + (each + gap) * i as f64;
            let rect = [x, placed.top, each, placed.bottom() - placed.top];
            let scale = Scale::new(panel.axis.0, panel.axis.1, (x, x + each));
            value_panel(scene, rect, &scale, &panel.title, &panel.format);
            for (at, y) in placed.each() {
                let group = spec.order[at];
                let roof = scale.px(panel.roof.get(group).copied().unwrap_or(f64::NAN));
                let code = spec.code(group, theme).zip(spec.colors.as_ref());
                let color =
                    code.map_or(theme.other, |(c, of)| of.of(theme).palette[usize::from(c)]);
                let value = (panel.figure[group], panel.format.write(panel.figure[group], 4));
                let band = [rect[0], y, each, ROW];
                value_bar(scene, band, &scale, value, color, roof);
                // An upright tick, in the warning colour if the bar exceeds it.
                if roof.is_finite() {
                    let color = if self.above(group) { theme.warn } else { theme.roof };
                    scene.line(vec![(roof, y + 1.5), (roof, y + ROW - 1.5)], color, 2.0);
                }
            }
        }
    }

    fn heights(&self, width: f64) -> Heights {
        let full = 104.0 + ROW * self.spec.order.len() as f64;
        let card = self.spec.only().map_or(160.0, |mark| card::height(&self.spec, mark, width));
        Heights::scrolling(width, full.max(card))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn marks_are_called_what_they_are() {
        let said = |link: &str| {
            let mut rows = Rows::new();
            // Far above the roof, within the 2 % tolerance, below it.
            for time in [2e-7, 4.65e-7, 1e-3] {
                rows.row((512, 512, 512), "", time, "");
            }
            let bars = Bars::open(&rows.frame(Some("h100-sxm")), &ViewState::decode(link).0);
            let scene = bars.scene(&RenderOptions::new(&Theme::LIGHT, (900.0, 400.0)));
            (scene.title, bars.said.notes.join(" "))
        };
        let (title, notes) = said("view=bars&explore.figure=attained&explore.scale=log");
        assert!(title.ends_with("3 dots"), "{title}");
        assert!(notes.contains("1 dot above the roof"), "{notes}");
        let (title, notes) = said("view=bars&explore.figure=attained&explore.scale=linear");
        assert!(title.ends_with("3 bars"), "{title}");
        assert!(notes.contains("1 bar above the roof"), "{notes}");
    }
}
