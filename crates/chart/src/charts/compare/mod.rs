//! The comparison view: two sides as a scatter, a distribution, ranked bars.

mod panels;
mod ranked;

use crate::charts::{Chart, ChartKind, RenderOptions};
use crate::color_scale::ColorScale;
use crate::labels::Rect;
use crate::layout::NARROW;
use crate::palette::Theme;
use crate::plot::{Page, plot};
use crate::scene::{Color, Scene};
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_analysis::compare::TIE;
use gemmscope_analysis::compare::duel;
use gemmscope_analysis::compare::duel::{Duel, Measure, Verdict, lead};
use gemmscope_analysis::compare::{Comparison, Setup, Tally};
use gemmscope_analysis::ledger::Ledger;
use gemmscope_model::units::{grouped, plural_s};
use gemmscope_table::column_format::cell;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::{Field, FieldKind, Frame};
use gemmscope_table::result_table::Table;
use gemmscope_table::view_state::ViewState;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "compare",
    name: "Compare",
    hint: "Which library, device or version is faster, on which shapes, by how much?",
    icon: "M2 14 14 2M5 5.5h.01M8 4h.01M10.5 10h.01M12.5 7.5h.01",
    params: &["color"],
    of_selection: false,
    legend: false,
    open: |inputs| Box::new(Compare::open(inputs.frame, inputs.state)),
};

/// Which picture of the comparison is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    Overview,
    Scatter,
    Distribution,
    Ranked,
}

impl Show {
    const ALL: [(Show, &'static str, &'static str); 4] = [
        (Show::Overview, "overview", "Overview"),
        (Show::Scatter, "scatter", "Scatter"),
        (Show::Distribution, "distribution", "Distribution"),
        (Show::Ranked, "ranked", "Best and worst"),
    ];
}

/// Height of the three panels below each other, where they have no room side by side.
const STACKED: f64 = 860.0;

/// Sentences of the verdict above the picture: who is faster, and how often.
const ABOVE: usize = 2;

/// No column of sides.
const NONE: &str = "none";

/// An opened comparison.
#[derive(Debug)]
pub(crate) struct Compare {
    frame: Frame,
    controls: Vec<Control>,
    show: Show,
    /// True where the rows are variants of a sweep and nobody chose two of them.
    variants: bool,
    model: Option<Model>,
}

/// What is compared, worked out.
#[derive(Debug)]
struct Model {
    comparison: Comparison,
    duel: Duel,
    verdict: Vec<String>,
    /// Indices into the duel's ratios, A furthest ahead first.
    ranked: Vec<usize>,
}

/// Of several sides who is fastest how often; then the two that are compared, and where it is the
/// other way round.
fn verdict(frame: &Frame, comparison: &Comparison, duel: &Duel, tally: &Tally) -> Vec<String> {
    let mut out = Vec::new();
    let (several, few) = (comparison.names.len() > 2, frame.rows.len() <= MOST_ROWS);
    let own = frame.decision().side.as_ref() == Some(&comparison.setup.side);
    let ledger = (own && few).then(|| Ledger::new(frame));
    if several && tally.compared > 0 {
        out.extend(tally.sentences(None));
    }
    out.push(duel.headline(comparison));
    out.extend(ledger.and_then(|l| l.largest_losses()).map(|s| s + "."));
    out.extend(duel.others_sentence(frame, comparison));
    out.extend(duel.exception_sentence(frame, comparison));
    out
}

impl Compare {
    /// Reads the settings, chooses what is not set, and compares.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Self {
        let mut out = Compare {
            frame: frame.clone(),
            controls: Vec::new(),
            show: Show::Overview,
            variants: false,
            model: None,
        };
        let candidates = Setup::candidates(frame);
        let Some(found) = Setup::choose(frame, &candidates) else {
            return out;
        };
        let default = found.setup.clone();
        let variants = frame.kind() == DataKind::Sweep && !Setup::is_usual(frame, &default.side);
        let mut fields = Choice::named(frame, &candidates);
        let own = default.side.to_string();
        if variants {
            fields.insert(0, Choice::new(NONE, "choose"));
        }
        let side = Control::field(
            state,
            "compare.side",
            "Sides",
            "The column whose values are compared",
            fields,
            if variants { NONE } else { &own },
        );
        if side.current == NONE {
            out.variants = true;
            out.controls = vec![side];
            return out;
        }
        let mut setup = match Field::parse(&side.current) {
            Some(f) if f != default.side => Setup::of(frame, f),
            _ => default,
        };
        let sides: Vec<Choice> = side_choices(frame, &setup);
        let keys = Control::several(
            state,
            "compare.keys",
            "Match by",
            "Two rows are the same GEMM if they agree in these",
            key_choices(frame, &setup),
            &setup.keys.iter().map(Field::to_string).collect::<Vec<_>>(),
        );
        setup.keys = keys.values().into_iter().filter_map(Field::parse).collect();
        let threshold = Control::number(
            state,
            "compare.threshold",
            "Threshold",
            "A smaller lead is a tie",
            (0.0, 100.0, 1.0),
            "%",
            TIE * 100.0,
        );
        let comparison = if setup == found.setup { found } else { Comparison::new(frame, &setup) };
        let tally = Tally::new(&comparison, threshold.as_number() / 100.0, true);
        // A side that was measured on the GEMMs of another one.
        let first = setup.sides.get(comparison.first_matched().unwrap_or(0));
        let a = Control::choice(
            state,
            "compare.a",
            "Baseline",
            "Speedups are over this side",
            sides.clone(),
            &first.cloned().unwrap_or_default(),
        );
        // Of several such sides the nearest rival: the one that is fastest most often.
        let wins = |i: usize| tally.clear.get(i).copied().unwrap_or(0);
        let baseline = setup.sides.iter().position(|s| *s == a.current);
        let shared = comparison.shared_with(baseline.unwrap_or(0));
        let second = (0..setup.sides.len())
            .filter(|&i| Some(i) != baseline)
            .max_by_key(|&i| (shared[i], wins(i), std::cmp::Reverse(i)))
            .and_then(|i| setup.sides.get(i).cloned())
            .unwrap_or_default();
        let b = Control::choice(state, "compare.b", "Other side", "", sides, &second);
        let at = |c: &Control| setup.sides.iter().position(|s| *s == c.current);
        let pair = (at(&a).unwrap_or(0), at(&b).unwrap_or(1));
        let measure = Control::choice(
            state,
            "compare.measure",
            "Measure",
            "The share of the roof leaves the hardware out: fair across devices",
            vec![Choice::new("rate", "attained rate"), Choice::new("roof", "% of own roof")],
            if duel::devices_differ(frame, &comparison, pair) && has_roofs(frame) {
                "roof"
            } else {
                "rate"
            },
        );
        let by = match measure.current.as_str() {
            "roof" => Measure::Roof,
            _ => Measure::Rate,
        };
        let duel = Duel::new(frame, &comparison, pair, by, threshold.as_number() / 100.0);
        let show = Control::choice(
            state,
            "compare.show",
            "View",
            "",
            Show::ALL.iter().map(|(_, v, l)| Choice::new(*v, *l)).collect(),
            "overview",
        );
        out.show =
            Show::ALL.iter().find(|(_, v, _)| *v == show.current).map_or(Show::Overview, |s| s.0);
        out.controls = vec![show, a, b];
        out.controls.extend([side, keys, measure, threshold].map(Control::more));
        let verdict = verdict(frame, &comparison, &duel, &tally);
        out.model = Some(Model { ranked: duel.ranked(), comparison, duel, verdict });
        out
    }

    /// Why nothing can be compared; `None` where something can.
    fn obstacle(&self) -> Option<String> {
        if self.variants {
            return Some(
                "These rows are variants of a sweep, not sides: Sweep shows which is fastest. To compare \
                 two of them, choose the column that names them under Sides."
                    .to_owned(),
            );
        }
        let Some(m) = &self.model else {
            return Some(
                "Nothing to compare: add a second file with the same GEMMs, or open one with a column of \
                 libraries, devices or commits."
                    .to_owned(),
            );
        };
        let (a, b) = m.duel.names(&m.comparison);
        if a == b {
            return Some(format!("Both sides are {a}: choose another."));
        }
        if !m.duel.ratios.is_empty() {
            return None;
        }
        if m.duel.without_roof > 0 {
            return Some(format!(
                "{a} and {b} share {}, but a roof is not known: choose the devices, or measure the \
                 attained rate.",
                counted(m.duel.without_roof)
            ));
        }
        let keys: Vec<String> = m
            .comparison
            .setup
            .keys
            .iter()
            .filter_map(|k| self.frame.info(k))
            .map(|i| i.label.to_lowercase())
            .collect();
        Some(format!(
            "{a} and {b} share no GEMM: no two of their rows agree in {}. Add a file that measures the same \
             GEMMs, choose other sides, or match by less (More, Match by). {}",
            match keys.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
                _ => keys.concat(),
            },
            m.duel.join_sentence(&m.comparison)
        ))
    }
}

/// Up to so many rows the ledger is worked out with the picture.
const MOST_ROWS: usize = 50_000;

/// The sides as choices, under their names.
fn side_choices(frame: &Frame, setup: &Setup) -> Vec<Choice> {
    let own = frame.decision().side.as_ref() == Some(&setup.side);
    let label = |value: &String| {
        let found = frame.counted().sides.iter().find(|s| own && s.value == *value);
        found.map_or_else(|| value.clone(), |s| s.label.clone())
    };
    let choice = |value: &String| Choice::new(value, label(value));
    setup.sides.iter().map(choice).collect()
}

/// The colours of both sides, as in every view; two others where these are one.
fn colors(frame: &Frame, m: &Model, theme: &Theme) -> [Color; 2] {
    let setup = &m.comparison.setup;
    let value = |i: usize| setup.sides.get(i).cloned().unwrap_or_default();
    let values = [m.duel.a, m.duel.b].map(value);
    let colors = ColorScale::of_values(frame, &setup.side, &values, theme);
    match colors[..] {
        [a, b] if a != b => [a, b],
        _ => [theme.categories[1], theme.categories[0]],
    }
}

/// `521 configurations`.
fn counted(n: u64) -> String {
    format!("{} configuration{}", grouped(n), plural_s(n))
}

/// True if rows of every device have a roof.
fn has_roofs(frame: &Frame) -> bool {
    let mut with = vec![None; frame.data.devices.len()];
    for &r in frame.rows.iter() {
        let r = r as usize;
        let known = !frame.metrics.roof_s[r].is_nan();
        let of = &mut with[usize::from(frame.data.device[r])];
        *of = Some(of.unwrap_or(false) || known);
    }
    with.iter().any(Option::is_some) && with.iter().flatten().all(|known| *known)
}

/// The keys that can be matched on: sizes, types, layout, device, file and the text columns, and
/// number columns with few values. Not what is measured.
fn key_choices(frame: &Frame, setup: &Setup) -> Vec<Choice> {
    frame
        .fields()
        .into_iter()
        .filter(|i| i.field != setup.side)
        .filter(|i| match &i.field {
            Field::Shape
            | Field::M
            | Field::N
            | Field::K
            | Field::Batch
            | Field::Dtype
            | Field::Transposes
            | Field::Device
            | Field::Source => true,
            Field::Column(key) => {
                i.kind == FieldKind::Category
                    || frame
                        .data
                        .columns
                        .iter()
                        .any(|c| c.key == *key && panels::is_setting(c.meaning))
            }
            _ => false,
        })
        .map(|i| Choice::new(i.field.to_string(), i.label))
        .collect()
}

impl Compare {
    /// The panels that were asked for, as far as there is room.
    fn parts(&self, m: &Model, scene: &mut Scene, options: &RenderOptions<'_>, all: Rect) {
        let p = panels::Panels {
            frame: &self.frame,
            comparison: &m.comparison,
            duel: &m.duel,
            ranked: &m.ranked,
            theme: options.theme,
            colors: colors(&self.frame, m, options.theme),
        };
        let (w, h) = (scene.width, scene.height);
        match self.show {
            Show::Overview if w >= NARROW && h >= 360.0 => {
                let left = (w * 0.54).round();
                let top = (h * 0.4).round();
                p.scatter(scene, [0.0, 0.0, left, h]);
                p.distribution(scene, [left, 0.0, w - left, top]);
                p.ranked(scene, [left, top, w - left, h - top]);
            }
            Show::Overview if h >= STACKED => {
                let parts = [0.0, 0.44, 0.66, 1.0].map(|part| (part * h).round());
                let rect = |i: usize| [0.0, parts[i], w, parts[i + 1] - parts[i]];
                p.scatter(scene, rect(0));
                p.distribution(scene, rect(1));
                p.ranked(scene, rect(2));
            }
            Show::Overview | Show::Scatter => p.scatter(scene, all),
            Show::Distribution => p.distribution(scene, all),
            Show::Ranked => p.ranked(scene, all),
        }
    }
}

impl Chart for Compare {
    fn scene(&self, options: &RenderOptions<'_>) -> Scene {
        let title = self.model.as_ref().map(|m| m.duel.headline(&m.comparison));
        let page = Page {
            notes: self.sentences(),
            ..Page::new(title.unwrap_or_default(), self.obstacle())
        };
        plot(options, page, |scene, all| {
            if let Some(m) = &self.model {
                self.parts(m, scene, options, all);
            }
        })
    }
    fn table(&self) -> Table {
        let Some(m) = &self.model else {
            return Table::default();
        };
        let (a, b) = m.duel.names(&m.comparison);
        let mut header = vec!["Configuration".to_owned()];
        for side in [a, b] {
            header.extend([
                format!("{side}: time, median (µs)"),
                format!("{side}: repeats"),
                format!("{side}: spread (µs)"),
                format!("{side}: interquartile range (µs)"),
                format!("{side}: standard deviation (µs)"),
                format!("{side}: attained (TFLOP/s)"),
                format!("{side}: % of roof"),
            ]);
        }
        header.extend([
            match m.duel.measure {
                Measure::Rate => format!("{b} over {a} (rate)"),
                Measure::Roof => format!("{b} over {a} (% of roof)"),
            },
            "Log2".to_owned(),
            "Verdict".to_owned(),
        ]);
        let rows = m
            .ranked
            .iter()
            .filter_map(|&i| m.duel.ratios.get(i))
            .map(|r| {
                let mut row = vec![m.comparison.label(&self.frame, r.configuration as usize)];
                for s in [m.duel.a, m.duel.b]
                    .iter()
                    .filter_map(|&side| m.comparison.sample(r.configuration as usize, side))
                {
                    row.extend([
                        cell(s.time_s, "s"),
                        s.n.to_string(),
                        cell(s.spread_s, "s"),
                        cell(s.iqr_s, "s"),
                        cell(s.std_s, "s"),
                        cell(s.rate, "FLOP/s"),
                        cell(s.efficiency, "%"),
                    ]);
                }
                row.extend([
                    cell(r.ratio, ""),
                    cell(r.ratio.log2(), ""),
                    match r.verdict {
                        Verdict::A => a.to_owned(),
                        Verdict::B => b.to_owned(),
                        Verdict::Even => "tie".to_owned(),
                        Verdict::Noise => "within noise".to_owned(),
                    },
                ]);
                row
            })
            .collect();
        Table { header, rows }
    }

    fn controls(&self) -> Vec<Control> {
        self.controls.clone()
    }

    fn notes(&self) -> Vec<String> {
        let Some(m) = self.model.as_ref().filter(|_| self.obstacle().is_none()) else {
            return Vec::new();
        };
        let mut out: Vec<String> = m.verdict.iter().skip(ABOVE).cloned().collect();
        out.push(m.duel.means_sentence(&m.comparison));
        out.push(m.duel.join_sentence(&m.comparison));
        out.extend(m.duel.device_sentence(&self.frame, &m.comparison));
        if m.duel.without_roof > 0 {
            out.push(format!("{} left out: no known roof.", counted(m.duel.without_roof)));
        }
        out.push(m.duel.noise_sentence());
        out
    }

    fn verdict(&self) -> Vec<String> {
        let shown = self.model.iter().filter(|_| self.obstacle().is_none());
        shown.flat_map(|m| m.verdict.iter().take(ABOVE).cloned()).collect()
    }

    fn heights(&self, width: f64) -> (f64, f64) {
        if self.show == Show::Overview && width < NARROW && self.obstacle().is_none() {
            return (STACKED, STACKED);
        }
        // Three panels need more than one.
        let least = if width < NARROW { 340.0 } else { 400.0 };
        (least, f64::INFINITY)
    }
}

/// The tooltip of a matched configuration.
fn tooltip(frame: &Frame, comparison: &Comparison, duel: &Duel, index: usize) -> Tooltip {
    let Some(r) = duel.ratios.get(index) else {
        return Tooltip::default();
    };
    let (a, b) = duel.names(comparison);
    let sample = |side| comparison.sample(r.configuration as usize, side);
    let value = |side: usize| match (sample(side), duel.measure) {
        (Some(s), Measure::Rate) => {
            let n = match s.n {
                0 | 1 => String::new(),
                n => format!(", median of {n}"),
            };
            format!(
                "{}, {}{n}",
                Format::rate().write(s.rate, 4),
                Format::seconds().write(s.time_s, 4)
            )
        }
        (Some(s), Measure::Roof) => Format::percent().write(s.efficiency, 4),
        (None, _) => "not stated".to_owned(),
    };
    let by = lead(r.ratio);
    let result = match r.verdict {
        Verdict::A => format!("{a}, {by}"),
        Verdict::B => format!("{b}, {by}"),
        Verdict::Noise => format!("within noise, {by}"),
        Verdict::Even => format!("tie, {by}"),
    };
    let ahead = match duel.measure {
        Measure::Rate => "Faster",
        Measure::Roof => "Ahead",
    };
    Tooltip::new(comparison.label(frame, r.configuration as usize))
        .row(a, value(duel.a))
        .row(b, value(duel.b))
        .row(ahead, result)
}

#[cfg(test)]
mod tests;
