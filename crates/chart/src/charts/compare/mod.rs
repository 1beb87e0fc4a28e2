//! The comparison view: two sides as a scatter, a distribution, ranked bars.

mod history;
mod panels;
mod ranked;
pub(super) mod settings;
mod totals;

use crate::charts::{Chart, ChartKind, Heights, Inputs, Picture, RenderOptions};
use crate::color_scale::ColorScale;
use crate::columns::Columns;
use crate::labels::Rect;
use crate::layout::NARROW;
use crate::palette::Theme;
use crate::scene::{Color, Scene};
use crate::tooltip::Tooltip;
use gemmscope_analysis::compare::duel::{Duel, DuelVerdict, Measure, Ratio};
use gemmscope_analysis::compare::{Comparison, Dispatch, Regret, Setup, SideSample, Tally};
use gemmscope_analysis::history::{LEAST_CHANGE, RunHistory, RunSeries};
use gemmscope_table::control::Control;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::charts;
use gemmscope_words::compare::{self as words, lead};
use history::HistoryChart;
use settings::{OVER, Show};

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "compare",
    name: "Compare",
    hint: crate::places::COMPARE.hint,
    params: &["color"],
    open: Compare::open,
    ..ChartKind::PLAIN
};

/// Height of the three panels stacked, where they do not fit side by side.
const STACKED: f64 = 860.0;

/// Height of the bar of one configuration.
const SINGLE: f64 = 110.0;

/// Sentences of the answer above the picture: who is faster, and the time of the best of all sides; with several sides
/// also how often each is fastest.
const ABOVE: usize = 2;

/// An opened comparison.
#[derive(Debug)]
pub(crate) struct Compare {
    frame: Frame,
    show: Show,
    comparison: Comparison,
    duel: Duel,
    /// Indices into the duel's ratios, A furthest ahead first.
    ranked: Vec<usize>,
    /// How often each side is fastest, if there are more than two.
    tally: Option<Tally>,
    /// Which side to use for each GEMM, if all ran on one device.
    best: Option<Dispatch>,
    /// The answer in sentences: with several sides, those that always lose and the wins of each; then the compared pair
    /// and its exception.
    answer: Vec<String>,
}

impl Compare {
    /// The names of both sides.
    fn names(&self) -> (&str, &str) {
        self.duel.names(&self.comparison)
    }

    /// The name of a configuration.
    fn label(&self, of: &Ratio) -> String {
        self.comparison.label(&self.frame, of.configuration as usize)
    }

    /// Name of the side that is ahead, else `tie` or `within noise`.
    fn verdict(&self, of: &Ratio) -> &str {
        match of.verdict {
            DuelVerdict::A => self.names().0,
            DuelVerdict::B => self.names().1,
            DuelVerdict::Even => "tie",
            DuelVerdict::Noise => "within noise",
        }
    }

    /// Number of sentences of the answer above the picture.
    fn above(&self) -> usize {
        ABOVE + usize::from(self.tally.is_some())
    }

    /// The figures of both sides.
    fn columns(&self) -> Columns<'_, Ratio> {
        let (a, b) = self.names();
        let mut columns = Columns::new().text("GEMM", |r: &Ratio| self.label(r)).no_tip();
        type Of = fn(&SideSample) -> f64;
        // A tooltip shows the figures that are compared.
        let figures: [(&str, &str, bool, Of); 7] = [
            ("time, median", "s", true, |s| s.time_s),
            ("repeats", "", true, |s| f64::from(s.n)),
            ("spread", "s", false, |s| s.spread_s),
            ("interquartile range", "s", false, |s| s.iqr_s),
            ("standard deviation", "s", false, |s| s.std_s),
            ("attained", "FLOP/s", true, |s| s.rate),
            ("% of roof", "%", true, |s| s.efficiency),
        ];
        for (name, side) in [(a, self.duel.a), (b, self.duel.b)] {
            for (figure, unit, tip, of) in figures {
                columns = columns.number(format!("{name}: {figure}"), unit, move |r| {
                    self.sample(r, side).map_or(f64::NAN, of)
                });
                columns = if tip { columns } else { columns.no_tip() };
            }
        }
        let measure = match self.duel.measure {
            Measure::Rate => "rate",
            Measure::Roof => "% of roof",
        };
        columns
            .number(format!("{b} over {a} ({measure})"), "", |r| r.ratio)
            .no_tip()
            .number("Log2", "", |r| r.ratio.log2())
            .no_tip()
            .text("Verdict", |r| self.verdict(r).to_owned())
            .no_tip()
    }

    /// Sample of a configuration on a side.
    fn sample(&self, of: &Ratio, side: usize) -> Option<&SideSample> {
        self.comparison.sample(of.configuration as usize, side)
    }

    /// Reads the settings, fills in the defaults, and compares.
    fn open(inputs: &Inputs<'_>) -> Chart {
        let (frame, state) = (inputs.frame, inputs.state);
        let candidates = Setup::candidates(frame);
        let Some(found) = Setup::choose(frame, &candidates) else {
            return Chart::without("", charts::NOTHING_TO_COMPARE, Vec::new());
        };
        let default = found.setup.clone();
        let variants = frame.kind() == DataKind::Sweep && !Setup::is_usual(frame, &default.side);
        let (side, field) = settings::side(frame, state, &candidates, (&default.side, variants));
        let Some(field) = field else {
            return Chart::without("", charts::SWEEP_IS_NO_COMPARISON, vec![side]);
        };
        let runs = RunSeries::of(frame).filter(|r| r.side == field && r.names.len() > 2);
        let (shown, show) = settings::show(state, runs.as_ref());
        if let (Show::History, Some(runs)) = (show, runs) {
            let history = RunHistory::new(frame, runs, LEAST_CHANGE);
            let controls = vec![shown, OVER.control(state), side.more()];
            return HistoryChart::open(frame, history, OVER.get(state), controls);
        }
        let setup = match field == default.side {
            true => default,
            false => Setup::of(frame, field),
        };
        let (published, mut setup) = settings::published(frame, state, setup);
        let keys = settings::keys(frame, state, &setup);
        setup.keys = keys.values().into_iter().filter_map(Field::parse).collect();
        let comparison = if setup == found.setup { found } else { Comparison::new(frame, &setup) };
        let (threshold, least) = settings::threshold(state, "compare.threshold");
        let tally = Tally::new(&comparison, least, true);
        let ([a, b], pair) = settings::pair(frame, state, &comparison, &tally);
        let (measure, by) = settings::measure(frame, state, &comparison, pair);
        let duel = Duel::new(frame, &comparison, pair, by, least);
        let single = duel.ratios.len() == 1;
        let show = if single { Show::Ranked } else { show };
        // Of a link; sides of several devices are no choice call by call.
        let best = Dispatch::new(frame, &comparison, least);
        let show = if best.is_none() && show == Show::BestOfAll { Show::Overview } else { show };
        let mut controls = if single { Vec::new() } else { vec![shown] };
        controls.extend([a, b].into_iter().chain(published));
        controls.extend([side, keys, measure, threshold].map(Control::more));
        if let Some(why) = obstacle(frame, &comparison, &duel) {
            return Chart::without(words::headline(&duel, &comparison), why, controls);
        }
        let tally = Some(tally).filter(|t| t.names.len() > 2 && t.compared > 0);
        let mut answer: Vec<String> = tally.iter().map(words::lead_of_sides).collect();
        answer.push(words::headline(&duel, &comparison));
        answer.extend(best.iter().filter_map(words::best_of_all));
        answer.extend(words::exception(&duel, frame, &comparison));
        answer.extend(best.as_ref().and_then(|_| Some(words::regret(&Regret::of(&comparison)?))));
        let out = Compare {
            frame: frame.clone(),
            show,
            ranked: duel.ranked(),
            tally,
            best,
            answer,
            comparison,
            duel,
        };
        Chart::of(out, controls)
    }
}

/// Why nothing can be compared; `None` if something can.
fn obstacle(frame: &Frame, comparison: &Comparison, duel: &Duel) -> Option<String> {
    let (a, b) = duel.names(comparison);
    if a == b {
        return Some(charts::same_sides(a));
    }
    if !duel.ratios.is_empty() {
        return None;
    }
    Some(match duel.without_roof {
        0 => charts::nothing_shared(frame, comparison),
        shared => charts::no_roof_to_compare((a, b), shared),
    })
}

/// Colours of both sides, as in every view; two other ones if these are equal.
fn colors(m: &Compare, theme: &Theme) -> [Color; 2] {
    let setup = &m.comparison.setup;
    let value = |i: usize| setup.sides.get(i).cloned().unwrap_or_default();
    let values = [m.duel.a, m.duel.b].map(value);
    let colors = ColorScale::of_values(&m.frame, &setup.side, &values, theme);
    match colors[..] {
        [a, b] if a != b => [a, b],
        _ => [theme.categories[1], theme.categories[0]],
    }
}

impl Picture for Compare {
    fn title(&self) -> String {
        self.answer[usize::from(self.tally.is_some())].clone()
    }

    fn verdict(&self) -> Vec<String> {
        self.answer.iter().take(self.above()).cloned().collect()
    }

    /// The rest of the answer comes first.
    fn notes(&self) -> Vec<String> {
        let duel = &self.duel;
        let mut out: Vec<String> = self.answer.iter().skip(self.above()).cloned().collect();
        out.push(words::join_of(duel, &self.comparison));
        out.extend(words::devices(duel, &self.frame, &self.comparison));
        if duel.without_roof > 0 {
            out.push(charts::left_out(duel.without_roof));
        }
        out.push(words::noise(duel));
        out
    }

    fn details(&self) -> Vec<(String, ResultTable)> {
        self.tally.iter().map(words::tally_table).collect()
    }

    /// Draws the selected panels, as far as there is room.
    fn draw(&self, scene: &mut Scene, all: Rect, options: &RenderOptions<'_>) {
        let p = panels::Panels { model: self, options, colors: colors(self, options.theme) };
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
            Show::BestOfAll => totals::draw(self, scene, all, options),
            // A picture of its own: `HistoryChart`.
            Show::History => {}
        }
    }

    fn tooltip(&self, mark: usize) -> Tooltip {
        let r = &self.duel.ratios[mark];
        let verdict = format!("{}, {}", self.verdict(r), lead(r.ratio));
        self.columns().tooltip(self.label(r), r).row("Verdict", verdict)
    }

    fn table(&self) -> ResultTable {
        if let (Show::BestOfAll, Some(best)) = (self.show, &self.best) {
            return words::dispatch_table(&best.lines(&self.frame, &self.comparison));
        }
        self.columns().table(self.ranked.iter().filter_map(|&i| self.duel.ratios.get(i).copied()))
    }

    fn heights(&self, width: f64) -> Heights {
        let usual = Heights::filling(width);
        if self.duel.ratios.len() == 1 {
            return Heights { own: SINGLE, least: SINGLE, most: SINGLE };
        }
        match (self.show, width < NARROW) {
            (Show::Overview, true) => Heights { least: STACKED, most: STACKED, ..usual },
            (_, true) => usual,
            // Three panels need more height than one.
            (_, false) => Heights { least: 400.0, ..usual },
        }
    }
}

#[cfg(test)]
mod tests;
