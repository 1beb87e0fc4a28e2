//! Bars of any figure; of none chosen two side by side: arithmetic intensity, and the attained rate
//! with its roof.

mod draw;

use crate::aggregate::{Aggregate, Groups, by_figure};
use crate::band_scale::{BandScale, Order, natural};
use crate::charts::explore::{self, Axis, Explore};
use crate::charts::grouped::{Figure, Grouped, Name};
use crate::charts::{Chart, ChartKind, Said, nothing, roof_rate};
use crate::color_scale::Colors;
use crate::row_names::RowNames;
use crate::scale::{Kind, extent};
use crate::ticks::Format;
use gemmscope_model::order::InOrder;
use gemmscope_model::units::{capitalized, plural};
use gemmscope_table::control::Keyed;
use gemmscope_table::field::{Field, FieldInfo, Frame};
use gemmscope_table::view_state::ViewState;
use std::collections::HashMap;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "bars",
    name: "Bars",
    hint: "Which GEMM or kernel is best? Any figure by any column, or AI and rate side by side",
    icon: "M2 3.5h12M2 8h8M2 12.5h5",
    params: explore::PARAMS,
    of_selection: false,
    legend: false,
    open: |inputs| Bars::open(inputs.frame, inputs.state),
};

/// Opened bars, sorted.
pub(crate) struct Bars {
    frame: Frame,
    bars: Grouped,
    panels: Vec<Panel>,
    colors: Colors,
    /// By group: the attained rate passes the roof.
    above: Vec<bool>,
}

/// One column of bars: a figure, and where its roof is.
struct Panel {
    /// What it shows, in a wide picture and in a narrow one.
    titles: [String; 2],
    format: Format<'static>,
    /// Which of the figures.
    figure: usize,
    /// The roof of every group; empty where the figure has none.
    roof: Vec<f64>,
    /// The ends of the positive values.
    ends: (f64, f64),
    /// Its axis is logarithmic, and has dots.
    log: bool,
}

impl Panel {
    fn roof(&self, group: usize) -> f64 {
        self.roof.get(group).copied().unwrap_or(f64::NAN)
    }
}

/// The figures that every bar has, and its roof.
const USUAL: [Field; 3] = [Field::Ai, Field::Attained, Field::Efficiency];

impl Bars {
    /// Reads the settings; computes and sorts the bars.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let mut e = Explore::new(frame, state);
        let kernel = e.kernel(frame.data.len() / 2);
        let x = e.x(Some("each GEMM"), kernel.as_deref().unwrap_or("none"));
        let (figure, color) = (e.figure_or("Y", "AI and rate"), e.color());
        let single = x == Axis::One;
        let aggregate = e.statistic(!single);
        let (sort, up) = (e.sort(figure.is_none(), Order::Value), e.ascending());
        let (log, find) = (e.log(), e.find());
        let BandScale { label, names, of, .. } = match single {
            true => BandScale { label: "GEMM".to_owned(), ..BandScale::default() },
            false => x.bands(frame, Order::File),
        };
        let total = if single { frame.rows.len() } else { names.len() };
        let groups = Groups::of(frame, total, |i| if single { i as u32 } else { of[i] });
        let name: Name = match single {
            true => {
                let rows = RowNames::new(frame);
                Box::new(move |row| rows.get(row))
            }
            false => Box::new(move |group| names[group].clone()),
        };
        let figures = figures(frame, &groups, aggregate, figure.as_ref());
        let [ai, rate, roof, share] = [4, 3, 2, 1].map(|back| figures.len() - back);
        let shown = figure.as_ref().map(|info| match info.field {
            Field::Ai => ai,
            Field::Attained => rate,
            Field::Efficiency => share,
            _ => 0,
        });
        let mut order: Vec<usize> = (0..total).collect();
        let text = find.trim().to_lowercase();
        if !text.is_empty() {
            order.retain(|group| name(*group).to_lowercase().contains(&text));
        }
        let by = match sort {
            Order::Ai => ai,
            Order::Efficiency => share,
            Order::Name | Order::Value | Order::File => shown.unwrap_or(rate),
        };
        sorted(&mut order, &name, (sort, up), &figures[by].of);

        let none = || nothing(frame).unwrap_or(explore::NO_NAME);
        let obstacle = order.is_empty().then(none);
        let above = figures[rate].of.iter().zip(&figures[roof].of);
        let mut out = Bars {
            above: above.map(|(rate, roof)| *rate > roof * (1.0 + 1e-6)).collect(),
            frame: frame.clone(),
            bars: Grouped { what: label, name, groups, figures, order },
            panels: Vec::new(),
            colors: Colors::new(frame, color),
        };
        let of_roof = || out.bars.figures[roof].of.clone();
        out.panels = match (&figure, shown) {
            (Some(info), Some(shown)) => {
                let title = match info.unit.as_str() {
                    "" | "%" => info.label.clone(),
                    unit => format!("{}, {unit}", info.label),
                };
                let roof = match info.field {
                    Field::Attained => of_roof(),
                    Field::Efficiency => {
                        of_roof().into_iter().map(|v| if v.is_nan() { v } else { 1.0 }).collect()
                    }
                    _ => Vec::new(),
                };
                vec![out.panel([&title, &title], &info.unit, shown, roof, log)]
            }
            _ => vec![
                out.panel(["AI, FLOP/B"; 2], "FLOP/B", ai, Vec::new(), log),
                out.panel(["Attained, FLOP/s", "FLOP/s"], "FLOP/s", rate, of_roof(), log),
            ],
        };
        let what = figure.map_or("Arithmetic intensity and attained rate".to_owned(), |f| f.label);
        let n = plural(out.bars.order.len() as u64, out.mark());
        let mut said = Said::new(format!("{what} by {}, {n}", out.bars.what), obstacle, e.controls);
        if said.obstacle.is_none() {
            said.notes = out.notes((find.trim(), total), (!single).then_some(aggregate), roof);
        }
        Chart::new(said, out)
    }

    /// A panel whose bars start at zero unless the small ones would vanish.
    fn panel(
        &self,
        titles: [&str; 2],
        unit: &str,
        figure: usize,
        roof: Vec<f64>,
        log: Option<bool>,
    ) -> Panel {
        let (titles, format) = (titles.map(str::to_owned), Format::of(unit).bare());
        let mut out = Panel { titles, format, figure, roof, ends: (1.0, 10.0), log: false };
        let value = |group: usize| self.bars.figures[figure].of[group];
        let values = self.bars.order.iter().flat_map(|g| [value(*g), out.roof(*g)]);
        out.ends = extent(Kind::Log, values).unwrap_or(out.ends);
        out.log = log.unwrap_or(out.ends.1 / out.ends.0 > 60.0);
        out
    }

    /// What a mark of the last panel is, which is the one with the roof: `bar`, or `dot` on a logarithmic
    /// axis.
    fn mark(&self) -> &'static str {
        if self.panels.last().is_some_and(|p| p.log) { "dot" } else { "bar" }
    }

    /// `of` is the statistic where bars are of several GEMMs.
    fn notes(
        &self,
        (find, total): (&str, usize),
        of: Option<Aggregate>,
        roof: usize,
    ) -> Vec<String> {
        let (mark, order) = (self.mark(), &self.bars.order);
        let mut out = Vec::new();
        if order.len() < total {
            let all = plural(total as u64, mark);
            out.push(format!("{} of {all} match {find:?}.", order.len()));
        }
        out.push(match order.iter().any(|g| self.bars.figures[roof].of[*g].is_finite()) {
            true => "Tick: roof.".to_owned(),
            false => "No roof: choose a device.".to_owned(),
        });
        let above = order.iter().filter(|g| self.above[**g]).count();
        if above > 0 {
            out.push(format!("{} above the roof: tick in orange.", plural(above as u64, mark)));
        }
        out.extend(of.map(|of| {
            format!("{}s of several GEMMs show the {}.", capitalized(mark), of.caption())
        }));
        if self.panels.iter().any(|p| p.log) {
            let why = "Dots: on a logarithmic axis the length of a bar would mean nothing.";
            out.push(why.to_owned());
        }
        out.extend(explore::left_out(&self.frame, &self.bars.groups, None, ""));
        out
    }
}

/// The figures of all groups: the chosen one, where it is not among those that every bar has, which follow.
fn figures(
    frame: &Frame,
    groups: &Groups,
    aggregate: Aggregate,
    chosen: Option<&FieldInfo>,
) -> Vec<Figure> {
    let n = groups.len();
    let of = |info: &FieldInfo| groups.figures(frame, info, aggregate);
    let [ai, rate, share] =
        USUAL.map(|f| frame.info(&f).map_or_else(|| vec![f64::NAN; n], |info| of(&info)));
    let roof = (0..n).map(|i| match groups.get(i) {
        [one] => roof_rate(frame, *one as usize),
        // Of several GEMMs: the roof that goes with the figures shown.
        _ => rate[i] / share[i],
    });
    let roof = roof.collect();
    let other = chosen.filter(|info| !USUAL.contains(&info.field));
    let other = other.map(|info| Figure::new(&info.label, &info.unit, of(info)));
    other
        .into_iter()
        .chain([
            Figure::new("AI", "FLOP/B", ai),
            Figure::new("Attained", "FLOP/s", rate),
            Figure::new("Roof", "FLOP/s", roof),
            Figure::new("% of roof", "%", share),
        ])
        .collect()
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
            for time in [2e-7, 1e-3] {
                rows.row((512, 512, 512), "", time, "");
            }
            let bars = Bars::open(&rows.frame(Some("h100-sxm")), &ViewState::decode(link).0);
            let scene = bars.scene(&RenderOptions::new(&Theme::LIGHT, (900.0, 400.0)));
            (scene.title, bars.said.notes.clone().join(" "))
        };
        let (title, notes) = said("view=bars&explore.figure=attained&explore.scale=log");
        assert!(title.ends_with("2 dots"), "{title}");
        assert!(notes.contains("1 dot above the roof") && notes.contains("Dots: "), "{notes}");
        let (title, notes) = said("view=bars&explore.figure=attained&explore.scale=linear");
        assert!(title.ends_with("2 bars") && !notes.contains("Dots"), "{title} {notes}");
        assert!(notes.contains("1 bar above the roof"), "{notes}");
    }
}
