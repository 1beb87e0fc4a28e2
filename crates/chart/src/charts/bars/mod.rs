//! Bars of any figure; of none chosen two side by side: arithmetic intensity, and the attained rate
//! with its roof.

mod draw;

use crate::aggregate::{Aggregate, Groups, by_figure};
use crate::band_scale::{BandScale, Order, natural};
use crate::charts::explore::{self, Axis, Explore};
use crate::charts::{Chart, ChartKind, Picture, RenderOptions, Said, nothing, roof_rate};
use crate::color_scale::{ColorScale, Colors};
use crate::columns::Columns;
use crate::labels::Rect;
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::row_names::RowNames;
use crate::scene::{Color, Scene};
use gemmscope_model::order::InOrder;
use gemmscope_model::units::{capitalized, plural};
use gemmscope_table::control::Keyed;
use gemmscope_table::field::{Field, FieldInfo, Frame};
use gemmscope_table::result_table::Table;
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

/// What the bars are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SortBy {
    /// As in the file.
    File,
    /// By name.
    Name,
    /// The figure; the attained rate where two are shown.
    #[default]
    Value,
    /// Arithmetic intensity.
    Ai,
    /// Share of the roof.
    Efficiency,
}

impl Keyed for SortBy {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (SortBy::Name, "name", "name"),
        (SortBy::Value, "value", "value"),
        (SortBy::File, "file", "file order"),
        (SortBy::Efficiency, "efficiency", "% of roof"),
        (SortBy::Ai, "ai", "AI"),
    ];
}

impl SortBy {
    /// What the bars can be sorted by, besides what every mark can.
    const ALSO: [SortBy; 2] = [SortBy::Efficiency, SortBy::Ai];
}

/// Opened bars, sorted.
#[derive(Debug)]
pub(crate) struct Bars {
    frame: Frame,
    /// What a bar is of: a value of a field, or a GEMM.
    what: String,
    /// Every GEMM has a bar of its own.
    single: bool,
    /// The figure; `None` is intensity and rate.
    figure: Option<FieldInfo>,
    /// How several GEMMs become one bar.
    aggregate: Aggregate,
    /// Of the axis of each panel: its ends, and whether it is logarithmic, which dots stand for.
    axes: Vec<((f64, f64), bool)>,
    /// Only bars whose name contains this.
    find: String,
    colors: Colors,
    /// Names of the groups; empty where every GEMM is a bar of its own.
    names: Vec<String>,
    rows: RowNames,
    groups: Groups,
    bars: Vec<Bar>,
    /// All bars before the search.
    total: usize,
}

#[derive(Clone, Copy, Debug)]
struct Bar {
    band: u32,
    /// The chosen figure; NaN where none is.
    figure: f64,
    ai: f64,
    rate: f64,
    efficiency: f64,
    roof: f64,
}

const ROW: f64 = 18.0;
/// Room above the bars for titles, and below them for ticks.
const HEAD: f64 = 26.0;
const FOOT: f64 = 34.0;

impl Bars {
    /// Reads the settings; computes and sorts the bars.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let mut e = Explore::new(frame, state);
        let kernel = e.kernel(frame.data.len() / 2);
        let x = e.x(Some("each GEMM"), kernel.as_deref().unwrap_or("none"));
        let (figure, color) = (e.figure_or("Y", "AI and rate"), e.color());
        let single = x == Axis::One;
        let aggregate = e.statistic(!single);
        let also = if figure.is_none() { &SortBy::ALSO[..] } else { &[] };
        let (sort, ascending) = (e.sort(also, SortBy::Value), e.ascending());
        let (log, find) = (e.log(), e.find());
        let bands = match single {
            true => BandScale::default(),
            false => x.bands(frame, Order::File),
        };
        let total = if single { frame.rows.len() } else { bands.len() };
        let groups = Groups::of(frame, total, |i| if single { i as u32 } else { bands.of[i] });
        let mut out = Bars {
            colors: Colors::new(frame, color),
            names: bands.names,
            rows: RowNames::new(frame),
            bars: Vec::new(),
            frame: frame.clone(),
            what: if single { "GEMM".to_owned() } else { bands.label },
            single,
            figure,
            aggregate,
            axes: Vec::new(),
            find,
            groups,
            total,
        };
        let mut bars = out.figures();
        let text = out.find.trim().to_lowercase();
        if !text.is_empty() {
            bars.retain(|b| out.name(b.band).to_lowercase().contains(&text));
        }
        out.sort(&mut bars, sort, ascending);
        out.bars = bars;
        out.axes = out.panels(false).iter().map(|of| out.axis(of, log)).collect();
        let none = || nothing(frame).unwrap_or(explore::NO_NAME);
        let mut said = Said::new(out.title(), out.bars.is_empty().then(none), e.controls);
        if said.obstacle.is_none() {
            said.notes = out.notes();
        }
        Chart::new(said, out)
    }

    fn title(&self) -> String {
        format!(
            "{} by {}, {}",
            self.figure.as_ref().map_or("Arithmetic intensity and attained rate", |f| &f.label),
            self.what,
            plural(self.bars.len() as u64, self.mark())
        )
    }

    fn notes(&self) -> Vec<String> {
        let mark = self.mark();
        let mut out = Vec::new();
        if self.bars.len() < self.total {
            out.push(format!(
                "{} of {} match {:?}.",
                self.bars.len(),
                plural(self.total as u64, mark),
                self.find.trim()
            ));
        }
        if self.bars.iter().any(|b| b.roof.is_finite()) {
            out.push("Tick: roof.".to_owned());
        } else {
            out.push("No roof: choose a device.".to_owned());
        }
        let above = self.bars.iter().filter(|b| above_roof(b)).count();
        if above > 0 {
            out.push(format!("{} above the roof: tick in orange.", plural(above as u64, mark)));
        }
        if !self.single {
            out.push(format!(
                "{}s of several GEMMs show the {}.",
                capitalized(mark),
                self.aggregate.caption()
            ));
        }
        if self.has_dots() {
            out.push(
                "Dots: on a logarithmic axis the length of a bar would mean nothing.".to_owned(),
            );
        }
        out.extend(explore::left_out(&self.frame, &self.groups, None, ""));
        out
    }

    /// The figures of all bands.
    fn figures(&self) -> Vec<Bar> {
        let (frame, groups) = (&self.frame, &self.groups);
        let usual = [Field::Ai, Field::Attained, Field::Efficiency].map(|f| frame.info(&f));
        let of = |info: Option<&FieldInfo>| {
            info.map_or_else(Vec::new, |info| groups.figures(frame, info, self.aggregate))
        };
        let [ai, rate, share] = usual.each_ref().map(|info| of(info.as_ref()));
        let figure = of(self.figure.as_ref());
        let at = |figures: &[f64], i: usize| figures.get(i).copied().unwrap_or(f64::NAN);
        let bar = |i: usize| Bar {
            band: i as u32,
            figure: at(&figure, i),
            ai: at(&ai, i),
            rate: at(&rate, i),
            efficiency: at(&share, i),
            roof: match groups.get(i) {
                [one] => roof_rate(frame, *one as usize),
                // Of several GEMMs: the roof that goes with the figures shown.
                _ => at(&rate, i) / at(&share, i),
            },
        };
        (0..self.total).map(bar).collect()
    }

    fn rows(&self, bar: &Bar) -> &[u32] {
        self.groups.get(bar.band as usize)
    }

    /// The name of a bar: its group, or its GEMM.
    fn name(&self, band: u32) -> String {
        match self.names.get(band as usize) {
            Some(name) => name.clone(),
            None => self.rows.get(band as usize),
        }
    }

    fn sort(&self, all: &mut [Bar], by: SortBy, up: bool) {
        let key = |b: &Bar| match by {
            SortBy::Ai => b.ai,
            SortBy::Efficiency => b.efficiency,
            _ if self.figure.is_some() => b.figure,
            _ => b.rate,
        };
        match by {
            SortBy::File => {}
            SortBy::Name => {
                let names: HashMap<u32, String> =
                    all.iter().map(|b| (b.band, self.name(b.band))).collect();
                let order = |a: &Bar, b: &Bar| natural(&names[&a.band], &names[&b.band]);
                all.order_by(order);
            }
            _ => return all.order_by(|a, b| by_figure(key(a), key(b), up)),
        }
        // Orders by file and by name start at the beginning.
        if up {
            all.reverse();
        }
    }

    fn color(&self, bar: &Bar, theme: &Theme) -> Color {
        let color_scale = self.colors.of(theme);
        let code = self.code(bar, color_scale);
        code.map_or(theme.other, |c| color_scale.palette[usize::from(c)])
    }
}

impl Picture for Bars {
    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let color_scale = self.colors.of(theme);
        let codes = || self.bars.iter().map(|b| self.code(b, color_scale));
        let mut out = color_scale.swatches(&self.frame, codes().flatten());
        if !out.is_empty() && codes().any(|c| c.is_none()) {
            out.push((Swatch::Box(theme.other), "several".to_owned()));
        }
        out
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        self.picture(scene, room, options);
    }

    fn table(&self) -> Table {
        self.columns().table(self.bars.iter().copied())
    }

    fn full_height(&self) -> Option<f64> {
        Some((104.0 + ROW * self.bars.len() as f64).max(160.0))
    }
}

impl Bars {
    /// The figures of a bar, in its table and its tooltip.
    fn columns(&self) -> Columns<'_, Bar> {
        let figure = self.figure.as_ref();
        let usual = [Field::Ai, Field::Attained, Field::Efficiency];
        let other = figure.filter(|i| !usual.contains(&i.field));
        let out = Columns::new()
            .text(self.what.as_str(), |b: &Bar| self.name(b.band))
            .no_tip()
            .text("GEMMs", |b| self.rows(b).len().to_string())
            .no_tip();
        let out = match other {
            Some(info) => out.field(info, |b| b.figure),
            None => out,
        };
        out.number("AI", "FLOP/B", |b| b.ai)
            .number("Attained", "FLOP/s", |b| b.rate)
            .number("Roof", "FLOP/s", |b| b.roof)
            .number("% of roof", "%", |b| b.efficiency)
    }

    /// The colour of a bar: that of all its GEMMs; `None` where they have several.
    fn code(&self, bar: &Bar, colors: &ColorScale) -> Option<u16> {
        let mut codes = self.rows(bar).iter().map(|r| colors.code(*r as usize));
        let first = codes.next()?;
        let known = usize::from(first) < colors.names.len();
        (known && codes.all(|c| c == first)).then_some(first)
    }
}

fn above_roof(bar: &Bar) -> bool {
    bar.rate > bar.roof * (1.0 + 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
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
