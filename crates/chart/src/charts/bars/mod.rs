//! Two bars a GEMM, side by side: arithmetic intensity, and the attained rate with its roof.

mod draw;

use crate::aggregate::{Aggregate, Groups};
use crate::band_scale::{BandScale, Order, natural};
use crate::charts::{Chart, ChartKind, RenderOptions};
use crate::color_scale::Colors;
use crate::layout::NARROW;
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::scene::{Color, Scene};
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_analysis::explain;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::dataset::{ColumnData, ColumnMeaning};
use gemmscope_table::field::{Field, FieldInfo, Frame, shape_label};
use gemmscope_table::result_table::Table;
use gemmscope_table::view_state::ViewState;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "bars",
    name: "Bars",
    hint: "Arithmetic intensity and attained rate of each kernel side by side, with its roof",
    icon: "M2 3.5h12M2 8h8M2 12.5h5",
    params: &["color"],
    of_selection: false,
    legend: false,
    open: |inputs| Box::new(Bars::open(inputs.frame, inputs.state)),
};

/// What the bars are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SortBy {
    /// As in the file.
    File,
    /// By name.
    Name,
    /// Arithmetic intensity.
    Ai,
    /// Attained rate.
    #[default]
    Rate,
    /// Share of the roof.
    Efficiency,
}

impl SortBy {
    const CHOICES: [(&'static str, &'static str); 5] = [
        ("rate", "attained rate"),
        ("efficiency", "share of the roof"),
        ("ai", "arithmetic intensity"),
        ("name", "name"),
        ("file", "order in the file"),
    ];

    fn parse(text: &str) -> Self {
        match text {
            "efficiency" => SortBy::Efficiency,
            "ai" => SortBy::Ai,
            "name" => SortBy::Name,
            "file" => SortBy::File,
            _ => SortBy::Rate,
        }
    }
}

/// What bars show.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Settings {
    /// One bar per value of this field; `None` is one per GEMM.
    pub(crate) group: Option<FieldInfo>,
    /// How several GEMMs become one bar.
    pub(crate) aggregate: Aggregate,
    /// Order.
    pub(crate) sort: SortBy,
    /// Lowest first (or first name first).
    pub(crate) ascending: bool,
    /// What the colour of a bar shows; `None` is one colour.
    pub(crate) color: Option<FieldInfo>,
    /// Logarithmic lengths; `None` takes what suits the values.
    pub(crate) log: Option<bool>,
    /// Only bars whose name contains this.
    pub(crate) find: String,
}

/// Opened bars, sorted.
#[derive(Debug)]
pub(crate) struct Bars {
    frame: Frame,
    settings: Settings,
    controls: Vec<Control>,
    colors: Colors,
    /// Names of the groups; empty where every GEMM is a bar of its own.
    names: Vec<String>,
    /// A GEMM's kernel is a name of its own.
    named: bool,
    groups: Groups,
    bars: Vec<Bar>,
    /// All bars before the search.
    total: usize,
}

struct Bar {
    band: u32,
    ai: f64,
    rate: f64,
    efficiency: f64,
    roof: f64,
}

impl std::fmt::Debug for Bar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} at {}", self.band, self.rate, self.ai)
    }
}

const ROW: f64 = 18.0;
/// How many names are measured to find the width of their column.
const MEASURED: usize = 1000;

impl Bars {
    /// Reads the settings and computes the bars.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Self {
        let fields = frame.fields();
        let kernel = frame.data.column(ColumnMeaning::Kernel).filter(|c| {
            matches!(&c.data, ColumnData::Text { values, .. } if (2..=frame.data.len() / 2).contains(&values.len()))
        });
        let mut options = vec![Choice::new("none", "each GEMM")];
        options.extend(Choice::fields(&fields, None));
        let group = Control::field(
            state,
            "bars.group",
            "A bar is",
            "One bar per GEMM, or one per value of a column.",
            options,
            &kernel.map_or_else(|| "none".to_owned(), |c| format!("c.{}", c.key)),
        );
        let aggregate = Control::choice(
            state,
            "bars.cell",
            "A bar shows",
            "How the GEMMs of one bar become one figure.",
            Choice::list(&Aggregate::CHOICES),
            "best",
        );
        let sort = Control::choice(
            state,
            "bars.sort",
            "Sort by",
            "",
            Choice::list(&SortBy::CHOICES),
            "rate",
        );
        let ascending = Control::toggle(state, "bars.up", "Lowest first", "", false);
        let color = Control::color(state, "a bar", &fields);
        let scale = Control::scale(state, "bars.scale", "");
        let find = Control::text(
            state,
            "bars.find",
            "Find",
            "Only bars whose name contains this.",
        );
        let info = |c: &Control| Field::parse(&c.current).and_then(|f| frame.info(&f));
        let settings = Settings {
            group: info(&group),
            aggregate: Aggregate::parse(&aggregate.current),
            sort: SortBy::parse(&sort.current),
            ascending: ascending.is_on(),
            color: info(&color),
            log: scale.log(),
            find: find.current.clone(),
        };
        let grouped = settings.group.is_some();
        let mut out = Bars::new(frame, settings);
        out.controls = vec![group];
        if grouped {
            out.controls.push(aggregate);
        }
        out.controls.extend([sort, ascending, color, scale, find]);
        out
    }

    /// Computes and sorts the bars.
    pub(crate) fn new(frame: &Frame, settings: Settings) -> Self {
        let bands = match &settings.group {
            Some(info) => BandScale::of(frame, info, Order::File),
            None => BandScale::default(),
        };
        let n = match settings.group {
            Some(_) => bands.len(),
            None => frame.rows.len(),
        };
        let single = settings.group.is_none();
        let groups = Groups::of(frame, n, |i| if single { i as u32 } else { bands.of[i] });
        let mut out = Bars {
            colors: Colors::new(frame, settings.color.clone()),
            controls: Vec::new(),
            names: bands.names,
            named: own_names(frame),
            bars: figures(frame, &groups, settings.aggregate),
            total: n,
            groups,
            settings,
            frame: frame.clone(),
        };
        let text = out.settings.find.trim().to_lowercase();
        let mut bars = std::mem::take(&mut out.bars);
        if !text.is_empty() {
            bars.retain(|b| out.name(b.band).to_lowercase().contains(&text));
        }
        out.sort(&mut bars);
        out.bars = bars;
        out
    }

    fn rows(&self, bar: &Bar) -> &[u32] {
        self.groups.get(bar.band as usize)
    }

    /// The name of a bar: its group; for a single GEMM its kernel where every kernel differs, else its shape.
    fn name(&self, band: u32) -> String {
        if let Some(name) = self.names.get(band as usize) {
            return name.clone();
        }
        let Some(&row) = self.groups.get(band as usize).first() else {
            return String::new();
        };
        let (d, r) = (&self.frame.data, row as usize);
        if self.named {
            explain::name_of(&self.frame, r)
        } else {
            shape_label(d.m[r], d.n[r], d.k[r], d.batch[r])
        }
    }

    fn what(&self) -> String {
        match &self.settings.group {
            Some(g) => g.label.clone(),
            None => "GEMM".to_owned(),
        }
    }

    fn sort(&self, all: &mut [Bar]) {
        let up = self.settings.ascending;
        let key = |b: &Bar| match self.settings.sort {
            SortBy::Ai => b.ai,
            SortBy::Rate => b.rate,
            _ => b.efficiency,
        };
        match self.settings.sort {
            // Orders by file and by name start at the beginning.
            SortBy::File if up => all.reverse(),
            SortBy::File => {}
            SortBy::Name => {
                all.sort_by_cached_key(|b| Natural(self.name(b.band)));
                if up {
                    all.reverse();
                }
            }
            _ => all.sort_by(|a, b| {
                let (x, y) = (key(a), key(b));
                // Bars without a value come last either way.
                x.is_nan()
                    .cmp(&y.is_nan())
                    .then(if up { x.total_cmp(&y) } else { y.total_cmp(&x) })
            }),
        }
    }

    fn color(&self, bar: &Bar, theme: &Theme) -> Color {
        let color_scale = self.colors.of(theme);
        let rows = self.rows(bar);
        let Some(&first) = rows.first() else {
            return theme.other;
        };
        let code = color_scale.code(first as usize);
        // A bar has a colour only where all its GEMMs have that colour.
        if rows.iter().all(|r| color_scale.code(*r as usize) == code) {
            color_scale.color(first as usize)
        } else {
            theme.other
        }
    }
}

/// Names in natural order.
#[derive(PartialEq, Eq)]
struct Natural(String);

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        natural(&self.0, &other.0)
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// True where each row has a kernel name that no other row has.
fn own_names(frame: &Frame) -> bool {
    match frame.data.column(ColumnMeaning::Kernel).map(|c| &c.data) {
        Some(ColumnData::Text { values, codes }) => {
            let mut seen = vec![false; values.len()];
            codes.iter().all(|&c| {
                !values[c as usize].is_empty() && !std::mem::replace(&mut seen[c as usize], true)
            })
        }
        _ => false,
    }
}

fn figures(frame: &Frame, groups: &Groups, aggregate: Aggregate) -> Vec<Bar> {
    let infos = [Field::Ai, Field::Attained, Field::Efficiency].map(|f| frame.info(&f));
    let figures = infos.map(|info| match info {
        Some(info) => groups.figures(frame, &info, aggregate),
        None => Vec::new(),
    });
    let at = |k: usize, i: usize| figures[k].get(i).copied().unwrap_or(f64::NAN);
    (0..groups.starts.len().saturating_sub(1))
        .map(|i| {
            let roof = match groups.get(i) {
                [one] => frame
                    .metrics
                    .roof(&frame.data, *one as usize)
                    .map_or(f64::NAN, |r| r.at(frame.metrics.ai[*one as usize])),
                // Of several GEMMs: the roof that goes with the figures shown.
                _ => at(1, i) / at(2, i),
            };
            Bar {
                band: i as u32,
                ai: at(0, i),
                rate: at(1, i),
                efficiency: at(2, i),
                roof,
            }
        })
        .collect()
}

impl Chart for Bars {
    fn scene(&self, options: &RenderOptions<'_>) -> Scene {
        self.picture(options)
    }

    fn table(&self) -> Table {
        let number = |v: f64| {
            if v.is_finite() {
                format!("{v}")
            } else {
                String::new()
            }
        };
        let what = self.what();
        Table {
            header: [
                what.as_str(),
                "GEMMs",
                "AI (FLOP/B)",
                "Attained (FLOP/s)",
                "Roof (FLOP/s)",
                "Share of roof",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: self
                .bars
                .iter()
                .map(|b| {
                    vec![
                        self.name(b.band),
                        self.rows(b).len().to_string(),
                        number(b.ai),
                        number(b.rate),
                        number(b.roof),
                        number(b.efficiency),
                    ]
                })
                .collect(),
        }
    }

    fn controls(&self) -> Vec<Control> {
        self.controls.clone()
    }

    fn notes(&self) -> Vec<String> {
        if self.bars.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::new();
        if self.bars.len() < self.total {
            out.push(format!(
                "{} of {} bars have {:?} in their name.",
                self.bars.len(),
                self.total,
                self.settings.find.trim()
            ));
        }
        if self.bars.iter().any(|b| b.roof.is_finite()) {
            out.push(
                "The upright tick on a bar of the right side is the roof at its intensity."
                    .to_owned(),
            );
        } else {
            out.push("No roof is drawn: choose a device.".to_owned());
        }
        let above = self.bars.iter().filter(|b| above_roof(b)).count();
        if above > 0 {
            out.push(format!(
                "{} above the roof; the tick is marked.",
                gemmscope_model::units::plural(above as u64, "bar")
            ));
        }
        if self.settings.group.is_some() {
            out.push(format!(
                "A bar of several GEMMs shows the {} of them.",
                self.settings.aggregate.label()
            ));
        }
        out
    }

    fn height(&self, width: f64) -> f64 {
        let usual = if width < NARROW { 380.0 } else { 440.0 };
        self.full_height().min(usual)
    }

    fn heights(&self, _width: f64) -> (f64, f64) {
        // It scrolls by itself.
        (self.full_height().min(220.0), self.full_height())
    }
}

impl Bars {
    /// Height with all bars in sight.
    fn full_height(&self) -> f64 {
        (104.0 + ROW * self.bars.len() as f64).max(160.0)
    }

    /// What the colours mean, where they are few.
    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let color_scale = self.colors.of(theme);
        let mut seen = vec![false; color_scale.names.len()];
        for bar in &self.bars {
            for &row in self.rows(bar) {
                if let Some(s) = seen.get_mut(usize::from(color_scale.code(row as usize))) {
                    *s = true;
                }
            }
        }
        let used: Vec<usize> = (0..seen.len()).filter(|i| seen[*i]).collect();
        if used.len() < 2 || used.len() > 12 || color_scale.gradient.is_some() {
            return Vec::new();
        }
        used.into_iter()
            .map(|i| {
                (
                    Swatch::Box(color_scale.palette[i]),
                    color_scale.names[i].clone(),
                )
            })
            .collect()
    }
}

fn above_roof(bar: &Bar) -> bool {
    bar.rate > bar.roof * (1.0 + 1e-6)
}

fn tooltip(name: &str, gemms: usize, bar: &Bar) -> Tooltip {
    let several = match gemms {
        1 => String::new(),
        n => format!(" ({n} GEMMs)"),
    };
    let out = Tooltip::new(format!("{name}{several}"))
        .line(format!("AI {}", Format::plain("FLOP/B").write(bar.ai, 4)))
        .line(Format::rate().write(bar.rate, 4));
    match bar.efficiency.is_nan() {
        true => out,
        false => out.line(format!(
            "{} of its roof",
            Format::percent().write(bar.efficiency, 3)
        )),
    }
}
