//! Where the lost time is, most first and cumulative; and what reaching a goal would change from
//! end to end.

use crate::charts::{Chart, ChartKind, Inputs, RenderOptions};
use crate::layout;
use crate::layout::{FONT, NARROW};
use crate::legend;
use crate::legend::Swatch;
use crate::palette::{Theme, alpha};
use crate::scene::{Anchor, Baseline, HitArea, Item, Scene, Symbol};
use crate::text;
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_analysis::pareto::{
    Bar, Besides, Goal, Pareto, WhatIf, known_types, other_time_s, pareto, rows_of, usual_goal,
    what_if,
};
use gemmscope_model::hardware;
use gemmscope_model::units::{Seconds, percent, plural};
use gemmscope_table::column_format::cell;
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::dataset::ColumnData;
use gemmscope_table::field::{Field, FieldKind, Frame};
use gemmscope_table::result_table::Table;
use gemmscope_table::view_state::ViewState;

/// This chart in the list of all.
pub(super) const KIND: ChartKind = ChartKind {
    id: "pareto",
    name: "Lost time",
    hint: "Where are the lost milliseconds, and what would reaching a goal change end to end?",
    icon: "M2.5 2v12M2.5 4H14M2.5 8h7M2.5 12h3",
    params: &["color"],
    of_selection: true,
    legend: false,
    open: |inputs| Box::new(LostTime::open(inputs)),
};

/// Bars that have a line of their own.
const LINES: usize = 40;
const ROW: f64 = 24.0;
/// Room of the axis of the cumulative line.
const AXIS: f64 = 20.0;

/// Opened lost time.
#[derive(Debug)]
pub(crate) struct LostTime {
    pareto: Pareto,
    what: String,
    controls: Vec<Control>,
    goal: String,
    /// Which bar the goal is for; `None` for the selection or everything.
    bar: Option<usize>,
    group: String,
    result: WhatIf,
    /// The user typed the time outside the GEMMs.
    typed: bool,
    /// What is wrong with the typed time; "" where nothing is.
    refused: String,
    kind: DataKind,
    measured: bool,
}

impl LostTime {
    /// Reads the settings and computes what they ask for.
    pub(crate) fn open(inputs: &Inputs<'_>) -> Self {
        let Inputs { frame, state, selected, .. } = *inputs;
        let mut options = vec![Choice::new("shape", "shape")];
        options.extend(
            Choice::fields(&frame.fields(), Some(FieldKind::Category))
                .into_iter()
                .filter(|c| c.value != "shape"),
        );
        // Layers that a model names, if it names several; else shapes, which every row has.
        let layers = frame.data.columns.iter().find(|c| c.key == "layer");
        let several = matches!(layers.map(|c| &c.data), Some(ColumnData::Text { values, .. })
            if values.iter().filter(|v| !v.is_empty()).count() > 1);
        let fallback = if several { "c.layer" } else { "shape" };
        let by = Control::field(
            state,
            "pareto.by",
            "Group",
            "What lost time is added up by",
            options,
            fallback,
        );
        let field = Field::parse(&by.current).unwrap_or(Field::Shape);
        let counted = frame.counted();
        let sides = counted.sides.iter().map(|s| Choice::plain(s.label.clone()));
        let side_control = Control::choice(
            state,
            "pareto.side",
            "Side",
            "Sides are never added up",
            sides.collect(),
            counted.sides.first().map_or("", |s| &s.label),
        );
        let side = counted.sides.iter().position(|s| s.label == side_control.current).unwrap_or(0);
        let pareto = pareto(frame, side, &field, LINES);
        let named = pareto.bars.len() - usize::from(pareto.others > 0);
        let mut groups = vec![Choice::new("", "largest bar"), Choice::new("*", "all GEMMs")];
        if !selected.is_empty() {
            groups.push(Choice::new("+", format!("the selection ({})", selected.len())));
        }
        groups.extend(
            pareto.bars[..named]
                .iter()
                .filter(|b| !b.value.is_empty())
                .map(|b| Choice::new(format!("={}", b.value), b.value.clone())),
        );
        let group = Control::choice(
            state,
            "pareto.group",
            "What-if",
            "The GEMMs that get faster",
            groups,
            "",
        );
        let mut devices = vec![Choice::new("", "share of the roof")];
        devices.extend(
            hardware::catalog()
                .iter()
                .filter(|d| known_types(frame, d, frame.metrics.kind) > 0)
                .map(|d| Choice::new(d.id.clone(), d.name.clone())),
        );
        let device = Control::choice(
            state,
            "pareto.device",
            "Goal",
            "A share of this roof, or today's share on another device",
            devices,
            "",
        );
        let target = Control::number(
            state,
            "pareto.efficiency",
            "% of roof",
            "Better GEMMs stay as they are. A call keeps 2 µs for its launch",
            (1.0, 100.0, 1.0),
            "%",
            (100.0 * usual_goal(frame, side)).round(),
        );
        let (rows, bar, name) = match group.current.as_str() {
            "*" => (rows_of(frame, side).to_vec(), None, "all GEMMs".to_owned()),
            "+" => (selected.to_vec(), None, "the selected GEMMs".to_owned()),
            other => {
                let wanted = other.strip_prefix('=');
                let at = wanted
                    .and_then(|w| pareto.bars.iter().position(|b| b.value == w))
                    .or((!pareto.bars.is_empty()).then_some(0));
                match at {
                    Some(i) => {
                        let bar = &pareto.bars[i];
                        (bar.rows.clone(), Some(i), named_value(&bar.value).to_owned())
                    }
                    None => (Vec::new(), None, String::new()),
                }
            }
        };
        let chosen = hardware::by_id(&device.current).filter(|_| !device.current.is_empty());
        let (goal, words) = match chosen {
            Some(d) => (
                Goal::Device(Box::new(d.clone())),
                format!("ran on {} at today's efficiency", d.name),
            ),
            None => (
                Goal::Efficiency(target.as_number() / 100.0),
                format!("reached {} % of the roof", target.current),
            ),
        };
        let mut controls = vec![by, group];
        if counted.compares() {
            controls.insert(0, side_control);
        }
        controls.push(device.more());
        if chosen.is_none() {
            controls.push(target.more());
        }
        let besides = besides(frame, state, &mut controls);
        let (other_s, refused) = match besides.seconds(frame, pareto.time_s) {
            Ok(s) => (s, String::new()),
            Err(why) => (0.0, why),
        };
        let result = what_if(frame, side, &rows, &goal, other_s);
        LostTime {
            what: frame.info(&field).map_or_else(|| "shape".to_owned(), |i| i.label.to_lowercase()),
            measured: pareto.time_s > 0.0,
            typed: besides != Besides::Files,
            refused,
            kind: frame.kind(),
            pareto,
            controls,
            goal: words,
            bar,
            group: name,
            result,
        }
    }

    /// What the goal would change, in a sentence; "" where nothing is measured.
    pub(crate) fn sentence(&self) -> String {
        let w = &self.result;
        if w.group_before_s <= 0.0 {
            return String::new();
        }
        let whole = if w.other_s > 0.0 { "End to end" } else { "All GEMMs together" };
        let time = |s: f64| Format::seconds().write(s, 3);
        let limit = match w.limit() {
            // Only what runs as one program gets faster as a whole.
            l if self.kind == DataKind::Workload && l.is_finite() && l < 1e6 => {
                format!(" (limit {l:.2}x)")
            }
            // Nothing else runs: there is no such limit.
            _ => String::new(),
        };
        format!(
            "If {} {}: {} instead of {}. {whole} {} instead of {}, {:.2}x faster{limit}.",
            self.group,
            self.goal,
            time(w.group_after_s),
            time(w.group_before_s),
            time(w.after_s()),
            time(w.before_s()),
            w.speedup(),
        )
    }
}

/// The time outside the GEMMs, from the files or as typed; adds its settings.
fn besides(frame: &Frame, state: &ViewState, controls: &mut Vec<Control>) -> Besides {
    let known = other_time_s(frame);
    let files =
        if known > 0.0 { format!("{} (file)", Seconds(known)) } else { "not stated".to_owned() };
    let kind = Control::choice(
        state,
        "pareto.besides",
        "Other time",
        "Time of everything else, which stays as it is",
        vec![
            Choice::new("", files),
            Choice::new("other", "other work"),
            Choice::new("whole", "whole step"),
        ],
        "",
    );
    let chosen = kind.current.clone();
    controls.push(kind.more());
    if chosen.is_empty() {
        return Besides::Files;
    }
    let time = Control::number(
        state,
        "pareto.ms",
        "Milliseconds",
        "Your figure: no file states it",
        (0.0, 1e9, 1.0),
        "ms",
        0.0,
    );
    let seconds = time.as_number() * 1e-3;
    controls.push(time.more());
    match chosen.as_str() {
        "other" => Besides::Other(seconds),
        _ if seconds > 0.0 => Besides::Whole(seconds),
        // Not typed yet.
        _ => Besides::Other(0.0),
    }
}

fn named_value(value: &str) -> &str {
    if value.is_empty() { "not stated" } else { value }
}

impl Chart for LostTime {
    fn scene(&self, options: &RenderOptions<'_>) -> Scene {
        let theme = options.theme;
        let mut scene = Scene::new(options.width, options.height, "");
        scene.fill([0.0, 0.0, scene.width, scene.height], theme.background);
        scene.title = format!("Lost time by {}", self.what);
        let bars = &self.pareto.bars;
        if bars.is_empty() || self.pareto.lost_s <= 0.0 {
            let why = if !self.measured {
                "No GEMM here has a time."
            } else if bars.is_empty() {
                "No roof: choose a device."
            } else {
                "No time lost: every GEMM is at its roof."
            };
            let rect = [0.0, 0.0, scene.width, scene.height];
            layout::message(&mut scene, rect, theme, why);
            return scene;
        }
        let narrow = options.width < NARROW;
        let mut entries = vec![
            (Swatch::Box(roof_color(theme)), "time at the roof".to_owned()),
            (Swatch::Box(theme.accent), "lost time".to_owned()),
            (Swatch::Solid(theme.warn), "cumulative lost time, upper axis".to_owned()),
        ];
        if self.bar.is_some() {
            let words = format!("time if it {}", self.goal);
            entries.push((Swatch::Tick(theme.text), words));
        }
        let width = options.width - 20.0;
        legend::legend(Some(&mut scene), (10.0, 6.0), width, theme, &entries);
        let top = 10.0 + legend::legend(None, (10.0, 6.0), width, theme, &entries) + AXIS;
        let left = bars
            .iter()
            .map(|b| text::width(named_value(&b.value), FONT, false))
            .fold(0.0, f64::max)
            .min(options.width * if narrow { 0.36 } else { 0.38 })
            .ceil()
            + 18.0;
        let words = |b: &Bar| match narrow {
            true => format!("{} lost", Seconds(b.lost_s)),
            false => format!("{} lost, {}", Seconds(b.lost_s), percent(b.share)),
        };
        // The bars take what the figures leave.
        let figures = bars.iter().map(|b| text::width(&words(b), FONT, false)).fold(0.0, f64::max);
        let span = (options.width - left - figures - 20.0).max(20.0);
        // Few bars may be thicker than many.
        let row = ((options.height - top - 12.0) / bars.len() as f64).clamp(ROW, 1.5 * ROW);
        // The others together may be far longer than any bar that has a name.
        let named = bars.len() - usize::from(self.pareto.others > 0);
        let scale = if named > 0 { &bars[..named] } else { bars };
        let longest = scale.iter().map(|b| b.time_s).fold(0.0, f64::max);
        let px = |s: f64| s / longest * span;
        let low = top + row * bars.len() as f64;
        let parts: &[f64] = match narrow {
            true => &[0.0, 0.5, 1.0],
            false => &[0.0, 0.25, 0.5, 0.75, 1.0],
        };
        for &part in parts {
            let x = left + span * part;
            scene.line(vec![(x, top - 4.0), (x, low)], theme.grid, 1.0);
            let hang = (Anchor::Middle, Baseline::Bottom);
            scene.text((x, top - 5.0), percent_tick(part), FONT, theme.warn, hang);
        }
        let middle = (Anchor::Start, Baseline::Middle);
        let mut line = Vec::new();
        let names: Vec<&str> = bars.iter().map(|b| named_value(&b.value)).collect();
        let names = text::cut_apart(&names, FONT, left - 18.0);
        for ((i, b), name) in bars.iter().enumerate().zip(names) {
            let y = top + row * i as f64;
            let center = y + row / 2.0;
            let hang = (Anchor::End, Baseline::Middle);
            scene.text((left - 8.0, center), name, FONT, theme.text, hang);
            let rest = px(b.time_s - b.lost_s).min(span);
            let lost = px(b.lost_s).min(span - rest);
            let bar = [left, y + 4.0, rest, row - 8.0];
            scene.fill(bar, roof_color(theme));
            scene.fill([left + rest, y + 4.0, lost, row - 8.0], theme.accent);
            if b.time_s > longest {
                broken(&mut scene, theme, left + span, (y + 2.0, row - 4.0));
            }
            if self.bar == Some(i) {
                let after = left + px(self.result.group_after_s.min(longest));
                scene.line(vec![(after, y + 1.0), (after, y + row - 1.0)], theme.text, 2.0);
            }
            let at = left + span + 10.0;
            scene.text((at, center), words(b), FONT, theme.muted, middle);
            line.push((left + span * b.cumulative, center));
            scene.hit_areas.push(HitArea {
                rows: b.rows.clone(),
                rect: [0.0, y, options.width, row],
                tooltip: Tooltip::new(named_value(&b.value))
                    .row("Lost time", Seconds(b.lost_s).to_string())
                    .row("Time", Seconds(b.time_s).to_string())
                    .row("Of all lost time", percent(b.share))
                    .row("Cumulative", percent(b.cumulative)),
            });
        }
        scene.line(line.clone(), alpha(theme.warn, 0.8), 1.5);
        for at in line {
            scene.items.push(Item::Symbol {
                at,
                radius: 2.5,
                symbol: Symbol::Dot,
                color: theme.warn,
            });
        }
        legend::outline_selected(&mut scene, theme, options.selected);
        scene
    }

    fn table(&self) -> Table {
        let header = [
            &self.what as &str,
            "GEMMs",
            "Time (µs)",
            "Lost time (µs)",
            "Share of lost time (%)",
            "Cumulative (%)",
        ];
        Table {
            header: header.map(str::to_owned).to_vec(),
            rows: self
                .pareto
                .bars
                .iter()
                .map(|b| {
                    vec![
                        b.value.clone(),
                        b.rows.len().to_string(),
                        cell(b.time_s, "s"),
                        cell(b.lost_s, "s"),
                        cell(b.share, "%"),
                        cell(b.cumulative, "%"),
                    ]
                })
                .collect(),
        }
    }

    fn controls(&self) -> Vec<Control> {
        self.controls.clone()
    }

    fn notes(&self) -> Vec<String> {
        let p = &self.pareto;
        let time = |s: f64| Format::seconds().write(s, 3);
        let mut out = Vec::new();
        out.extend(Some(self.sentence()).filter(|s| !s.is_empty()));
        if !self.refused.is_empty() {
            out.push(self.refused.clone());
        } else if self.result.other_s > 0.0 {
            out.push(format!(
                "{}{} outside these GEMMs stays as it is.",
                if self.typed { "Typed: " } else { "" },
                time(self.result.other_s)
            ));
        } else if self.measured {
            out.push("Time outside these GEMMs: not stated. Set it under More.".to_owned());
        }
        if self.result.unknown_rows > 0 {
            let rows = plural(self.result.unknown_rows, "GEMM");
            out.push(format!("{rows} keep their time: no known roof."));
        }
        if p.lost_s > 0.0 && p.bars.len() > 1 {
            let n = p.bars_for(0.8);
            out.push(format!(
                "{n} of {} bars hold 80 % of {} lost.",
                p.bars.len() + p.others.saturating_sub(1),
                time(p.lost_s)
            ));
        }
        if p.without_roof_s > 0.0 {
            let without = time(p.without_roof_s);
            out.push(format!("{without} without a known roof, in no bar."));
        }
        out.push(self.kind.hint().to_owned());
        out
    }

    fn height(&self, width: f64) -> f64 {
        let lines = if width < NARROW { 2.0 } else { 1.0 };
        let legend = legend::LEGEND_LINE * lines;
        (28.0 + AXIS + legend + ROW * self.pareto.bars.len() as f64).max(160.0)
    }

    fn heights(&self, width: f64) -> (f64, f64) {
        (self.height(width), self.height(width))
    }
}

fn percent_tick(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// Two strokes through a bar that is longer than its scale.
fn broken(scene: &mut Scene, theme: &Theme, end: f64, (y, height): (f64, f64)) {
    for x in [end - 16.0, end - 11.0] {
        let stroke = vec![(x, y + height), (x + 5.0, y)];
        scene.line(stroke, theme.background, 2.5);
    }
}

fn roof_color(theme: &Theme) -> crate::scene::Color {
    alpha(theme.other, 0.55)
}

#[cfg(test)]
mod tests;
