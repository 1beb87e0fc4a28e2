//! The tuning history: every variant by generation, the best so far, failures, references, roof.

mod draw;

use crate::charts::{Chart, ChartKind, Picture, RenderOptions};
use crate::columns::Columns;
use crate::labels::Rect;
use crate::layout::NARROW;
use crate::scale::ScaleKind;
use crate::scene::Scene;
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_analysis::tuning::{self, Outcome, SearchHistory, Suspect, Variant};
use gemmscope_model::gemm::Problem;
use gemmscope_model::units::{Seconds, short_percent};
use gemmscope_table::control::{Choice, Control, Setting};
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::tuning as words;

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "tuning",
    name: "Tuning",
    hint: "Every variant of a tuning run by generation, what failed, and the best so far",
    params: &["color"],
    of_selection: true,
    open: |inputs| Tuning::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

const SCALE: Setting<ScaleKind> =
    Setting { key: "tuning.scale", label: "Scale", hint: "", default: ScaleKind::Linear };

/// Maximum number of shapes in the selector.
const MOST_SHAPES: usize = 200;
/// Maximum number of settings shared by bad variants that are listed.
const MOST_SUSPECTS: usize = 20;

/// An opened tuning history.
#[derive(Debug)]
pub(crate) struct Tuning {
    frame: Frame,
    scale: ScaleKind,
    history: SearchHistory,
}

impl Tuning {
    /// Reads the settings and the history.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let problems = tuning::problems(frame);
        let choice = |(p, n): &(Problem, _)| Choice::new(key(p), format!("{p} ({n} variants)"));
        let shapes = problems.iter().take(MOST_SHAPES).map(choice).collect();
        let first = problems.first().map(|p| key(&p.0)).unwrap_or_default();
        let shape = Control::choice(state, "tuning.shape", "GEMM", "", shapes, &first);
        let hint = "Variants under this share of the best count as slow";
        let (ends, usual) = ((0.0, 100.0, 5.0), 100.0 * tuning::SLOW_BELOW);
        let slow = Control::number(state, "tuning.slow", "Slow limit", hint, ends, "%", usual);
        let history = problems
            .iter()
            .find(|p| key(&p.0) == shape.current)
            .and_then(|p| SearchHistory::new(frame, &p.0, slow.as_number() / 100.0));
        let Some(history) = history else {
            let why = gemmscope_words::charts::NO_HISTORY;
            return Chart::without("", why, Vec::new());
        };
        let mut controls = if problems.len() > 1 { vec![shape] } else { Vec::new() };
        controls.extend([slow, SCALE.control(state).more()]);
        Chart::of(Tuning { frame: frame.clone(), scale: SCALE.get(state), history }, controls)
    }
}

impl Tuning {
    /// Columns of a variant, with the best rate so far.
    fn columns(&self) -> Columns<'_, (&Variant, f64)> {
        let h = &self.history;
        let settings = |v: &Variant| {
            let all = tuning::parameters(&self.frame, v.row as usize).into_iter();
            all.map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")
        };
        Columns::new()
            .number(h.order_label.as_str(), "", |(v, _): &(&Variant, f64)| v.order)
            .no_tip()
            .text("Variant", |(v, _)| v.name.clone())
            .no_tip()
            .text("Status", |(v, _)| match v.outcome {
                Outcome::Slow => "slow".to_owned(),
                _ => v.status.clone(),
            })
            .number("Attained", "FLOP/s", |(v, _)| v.rate)
            .number("Failed run", "s", |(v, _)| v.failed_s)
            .number("% of roof", "%", |(v, _)| v.rate / h.roof)
            .number("Best so far", "FLOP/s", |(_, best)| *best)
            .text("Settings", move |(v, _)| settings(v))
            .no_tip()
    }
}

/// Key of a GEMM in links, which are plain ASCII: `x` between the sizes.
fn key(problem: &Problem) -> String {
    problem.to_string().replace(" × ", " x ")
}

impl Picture for Tuning {
    fn title(&self) -> String {
        let h = &self.history;
        let rate = |i: usize| h.variants.get(i).map_or(f64::NAN, |v| v.rate);
        let best = h.best.map_or(f64::NAN, rate);
        let share = h.roof.is_finite().then(|| short_percent(best / h.roof));
        words::title(h, &Format::rate().write(best, 3), share)
    }

    fn obstacle(&self) -> Option<String> {
        let h = &self.history;
        h.best.is_none().then(|| words::none_ran(h))
    }

    fn notes(&self) -> Vec<String> {
        let (frame, h) = (&self.frame, &self.history);
        let mut out = vec![self.title()];
        let not_read = frame.data.sources.iter().map(|s| s.rejected.total()).sum();
        out.extend(words::notes(h, &short_percent(h.slow_below), not_read));
        out
    }

    /// Tables of the settings behind failed and slow variants, and of those variants.
    fn details(&self) -> Vec<(String, ResultTable)> {
        let (frame, h) = (&self.frame, &self.history);
        let share = |s: &Suspect| short_percent(s.bad as f64 / s.all as f64);
        let suspects = h.suspects(frame).into_iter().map(|s| {
            let (share, bad, all) = (share(&s), s.bad.to_string(), s.all.to_string());
            vec![s.name, s.value, bad, all, share]
        });
        let suspects: Vec<Vec<String>> = suspects.take(MOST_SUSPECTS).collect();
        let bad = h.bad(frame).map(|v| {
            let time = match v.time_s.is_finite() {
                true => Seconds(v.time_s).to_string(),
                false => "not stated".to_owned(),
            };
            vec![v.order.to_string(), v.name, v.outcome, time, v.settings]
        });
        let bad: Vec<Vec<String>> = bad.collect();
        let heads = ["Setting", "Value", "Failed or slow", "Variants", "Share"];
        let variant = [&h.order_label as &str, "Variant", "Outcome", "Time", "Settings"];
        let tables = [
            ("Settings behind failed and slow variants", ResultTable::of(&heads, suspects)),
            ("Failed and slow variants", ResultTable::of(&variant, bad)),
        ];
        let filled = tables.into_iter().filter(|(_, t)| !t.rows.is_empty());
        filled.map(|(name, t)| (name.to_owned(), t)).collect()
    }

    fn draw(&self, scene: &mut Scene, [_, _, w, h]: Rect, options: &RenderOptions<'_>) {
        let card = if w >= NARROW + 200.0 { 250.0 } else { 0.0 };
        self.plot(scene, options, [0.0, 0.0, w - card, h]);
        if card > 0.0 {
            self.card(scene, options, [w - card, 0.0, card, h]);
        }
    }

    /// Marks are the variants, followed by the references.
    fn tooltip(&self, mark: usize) -> Tooltip {
        let h = &self.history;
        let Some(v) = h.variants.iter().chain(&h.references).nth(mark) else {
            return Tooltip::default();
        };
        let head = match v.order.is_finite() {
            true => format!("{} ({} {})", v.name, h.order_label, v.order),
            false => format!("{} (reference)", v.name),
        };
        self.columns().tooltip(head, &(v, f64::NAN))
    }

    fn table(&self) -> ResultTable {
        let h = &self.history;
        let variants = h.generations.iter().flat_map(|g| {
            let best = g.running.map_or(f64::NAN, |i| h.variants[i].rate);
            g.variants.iter().map(move |&i| (&h.variants[i], best))
        });
        self.columns().table(variants.chain(h.references.iter().map(|v| (v, f64::NAN))))
    }
}

#[cfg(test)]
mod tests;
