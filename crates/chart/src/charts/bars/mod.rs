//! Bars of any figure; of none chosen two side by side: arithmetic intensity, and the attained rate
//! with its roof.

mod draw;

use crate::aggregate::{Aggregate, Groups, by_figure};
use crate::band_scale::{BandScale, Order, natural};
use crate::charts::explore::{self, Axis, Explore};
use crate::charts::grouped::{Figure, Grouped, Name};
use crate::charts::{Chart, ChartKind, roof_rate};
use crate::color_scale::Colors;
use crate::row_names::RowNames;
use crate::scale::{Kind, extent};
use crate::ticks::Format;
use gemmscope_model::order::InOrder;
use gemmscope_table::field::{Field, FieldInfo, Frame};
use gemmscope_table::metrics::ABOVE_ROOF;
use gemmscope_table::view_state::ViewState;
use std::collections::HashMap;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "bars",
    name: "Bars",
    hint: "Which GEMM or kernel is best? Any figure by any column, or AI and rate side by side",
    params: explore::PARAMS,
    open: |inputs| Bars::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// Opened bars, sorted.
pub(crate) struct Bars {
    frame: Frame,
    bars: Grouped,
    panels: Vec<Panel>,
    colors: Colors,
    /// What the panels show, together.
    what: String,
    /// The text that names contain.
    find: String,
    /// The statistic where bars are of several GEMMs.
    statistic: Option<Aggregate>,
}

/// One column of bars: a figure, and where its roof is.
struct Panel {
    /// What it shows, in a wide picture and in a narrow one.
    titles: [String; 2],
    format: Format<'static>,
    /// By group.
    figure: Vec<f64>,
    /// The roof of every group; empty where the figure has none.
    roof: Vec<f64>,
    /// The ends of the positive values.
    ends: (f64, f64),
    /// Its axis is logarithmic, and has dots.
    log: bool,
}

impl Panel {
    fn new(
        info: &FieldInfo,
        (figure, roof): (Vec<f64>, Vec<f64>),
        order: &[usize],
        log: Option<bool>,
    ) -> Self {
        let title = match info.unit.as_str() {
            "" | "%" => info.label.clone(),
            unit => format!("{}, {unit}", info.label),
        };
        let values = order.iter().flat_map(|g| [Some(&figure[*g]), roof.get(*g)]);
        let ends = extent(Kind::Log, values.flatten().copied()).unwrap_or((1.0, 10.0));
        let log = log == Some(true);
        let format = Format::of(&info.unit).bare();
        Panel { titles: [title.clone(), title], format, figure, roof, ends, log }
    }

    fn roof(&self, group: usize) -> f64 {
        self.roof.get(group).copied().unwrap_or(f64::NAN)
    }
}

/// What bars are of, with the names and rows of each.
fn groups(frame: &Frame, x: &Axis) -> (String, Name, Groups) {
    if *x == Axis::One {
        let rows = RowNames::new(frame);
        let groups = Groups::of(frame, frame.rows.len(), |i| i as u32);
        return ("GEMM".to_owned(), Box::new(move |row| rows.get(row)), groups);
    }
    let BandScale { label, names, of, .. } = x.bands(frame, Order::File, None);
    let groups = Groups::of(frame, names.len(), |i| of[i]);
    (label, Box::new(move |group| names[group].clone()), groups)
}

/// The figures that every bar has beside its roof; the first two show where none is chosen.
const USUAL: [Field; 3] = [Field::Ai, Field::Attained, Field::Efficiency];

/// How many figures every bar has, the last of its list: these and the roof.
const KNOWN: usize = USUAL.len() + 1;

impl Bars {
    /// Reads the settings; computes and sorts the bars.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let mut e = Explore::new(frame, state);
        let kernel = e.kernel(frame.data.len() / 2);
        let x = e.x(Some("each GEMM"), kernel.as_deref().unwrap_or("none"));
        let (chosen, color) = (e.figure_or("Y", Some("AI and rate")), e.color());
        let single = x == Axis::One;
        let aggregate = e.statistic(!single);
        let (sort, up) = (e.sort(chosen.is_none(), Order::Value), e.ascending());
        let (log, find) = (e.log(), e.find());
        let (label, name, groups) = groups(frame, &x);
        let of = |field: &Field| {
            let none = || vec![f64::NAN; groups.len()];
            frame.info(field).map_or_else(none, |info| groups.figures(frame, &info, aggregate))
        };
        let [ai, rate, share] = USUAL.each_ref().map(of);
        let roof = (0..groups.len()).map(|i| match groups.get(i) {
            [one] => roof_rate(frame, *one as usize),
            // Of several GEMMs: the roof that goes with the figures shown.
            _ => rate[i] / share[i],
        });
        let roof: Vec<f64> = roof.collect();
        let mut order: Vec<usize> = (0..groups.len()).collect();
        let text = find.trim().to_lowercase();
        if !text.is_empty() {
            order.retain(|group| name(*group).to_lowercase().contains(&text));
        }
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
        let mut panels: Vec<Panel> = shown.iter().map(panel).collect();
        if let [_, last] = &mut panels[..] {
            "FLOP/s".clone_into(&mut last.titles[1]);
        }
        let by = match (sort, panels.last()) {
            (Order::Ai, _) => &ai,
            (Order::Efficiency, _) => &share,
            (_, last) => last.map_or(&rate, |panel| &panel.figure),
        };
        sorted(&mut order, &name, (sort, up), by);
        let other = shown.iter().zip(&panels).find(|(info, _)| !USUAL.contains(&info.field));
        let other = other.map(|(info, p)| Figure::new(&info.label, &info.unit, p.figure.clone()));
        let all: [Figure; KNOWN] = [
            Figure::new("AI", "FLOP/B", ai),
            Figure::new("Attained", "FLOP/s", rate),
            Figure::new("Roof", "FLOP/s", roof),
            Figure::new("% of roof", "%", share),
        ];
        let figures = other.into_iter().chain(all).collect();
        let bars = Grouped { what: label, name, groups, figures, order };
        let what = match &shown[..] {
            [one] => &one.label,
            _ => "Arithmetic intensity and attained rate",
        };
        let out = Bars {
            frame: frame.clone(),
            bars,
            panels,
            colors: Colors::new(frame, color),
            what: what.to_owned(),
            find: find.trim().to_owned(),
            statistic: (!single).then_some(aggregate),
        };
        Chart::of(out, e.controls)
    }

    /// The attained rate of a group and its roof, FLOP/s.
    fn rate_and_roof(&self, group: usize) -> [f64; 2] {
        let known = self.bars.figures.len() - KNOWN;
        [1, 2].map(|at| self.bars.figures[known + at].of[group])
    }

    /// The attained rate of a group is [above](ABOVE_ROOF) its roof.
    fn above(&self, group: usize) -> bool {
        let [rate, roof] = self.rate_and_roof(group);
        rate > roof * ABOVE_ROOF
    }

    /// What a mark of the last panel is, which is the one with the roof: `bar`, or `dot` on a logarithmic
    /// axis.
    fn mark(&self) -> &'static str {
        if self.panels.last().is_some_and(|p| p.log) { "dot" } else { "bar" }
    }
}

/// Sorts groups: orders by file and by name start at the beginning, others with the best one.
fn sorted(order: &mut [usize], name: &Name, (by, up): (Order, bool), figure: &[f64]) {
    match by {
        Order::File => {}
        Order::Name => {
            let names: HashMap<usize, String> = order.iter().map(|g| (*g, name(*g))).collect();
            order.order_by(|a, b| natural(&names[a], &names[b]));
        }
        _ => return order.order_by(|a, b| by_figure(figure[*a], figure[*b], up)),
    }
    if up {
        order.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::RenderOptions;
    use crate::palette::Theme;
    use gemmscope_table::fixture::Rows;

    #[test]
    fn marks_are_called_what_they_are() {
        let said = |link: &str| {
            let mut rows = Rows::new();
            // Far above the roof, within the 2 % that are none, below it.
            for time in [2e-7, 4.65e-7, 1e-3] {
                rows.row((512, 512, 512), "", time, "");
            }
            let bars = Bars::open(&rows.frame(Some("h100-sxm")), &ViewState::decode(link).0);
            let scene = bars.scene(&RenderOptions::new(&Theme::LIGHT, (900.0, 400.0)));
            (scene.title, bars.said.notes.join(" "))
        };
        let (title, notes) = said("view=bars&explore.figure=attained&explore.scale=log");
        assert!(title.ends_with("3 dots"), "{title}");
        assert!(notes.contains("1 dot above the roof") && notes.contains("Dots: "), "{notes}");
        let (title, notes) = said("view=bars&explore.figure=attained&explore.scale=linear");
        assert!(title.ends_with("3 bars") && !notes.contains("Dots"), "{title} {notes}");
        assert!(notes.contains("1 bar above the roof"), "{notes}");
    }
}
