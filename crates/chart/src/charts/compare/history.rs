//! The comparison over time: a line a GEMM over the runs, the geometric mean of all, and where they changed.

use super::settings::Over;
use crate::aggregate::Groups;
use crate::charts::{Chart, Heights, Picture, RenderOptions};
use crate::labels::{Rect, about};
use crate::legend::Swatch;
use crate::palette::{Theme, alpha};
use crate::plot::{Around, Marks, Ruler, round, xy};
use crate::scale::{ScaleKind, extent, padded};
use crate::scene::{Item, Scene, Symbol};
use crate::spec::{Figure, Name, Spec};
use crate::ticks::{Format, Tick};
use crate::tooltip::Tooltip;
use gemmscope_analysis::history::{HistoryLine, RunHistory};
use gemmscope_table::control::Control;
use gemmscope_table::field::Frame;
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::history as words;

/// Maximum number of GEMMs with a colour and a name in the legend: those that changed most.
const NAMED: usize = 5;
/// Maximum number of GEMMs drawn, those that changed first.
const DRAWN: usize = 200;
/// Maximum number of GEMMs in the table of changes.
const LISTED: usize = 50;

/// An opened history.
pub(super) struct HistoryChart {
    /// A mark is a point: line `l` in run `r` is group `l * runs + r`.
    spec: Spec,
    history: RunHistory,
    over: Over,
    /// Indices into the history's lines, those that changed first.
    lines: Vec<usize>,
    /// Number of `lines` that changed.
    changed: usize,
}

/// Index of the drawn figure among the figures.
const VALUE: usize = 1;

impl HistoryChart {
    /// Computes the picture of a history.
    pub(super) fn open(
        frame: &Frame,
        history: RunHistory,
        over: Over,
        controls: Vec<Control>,
    ) -> Chart {
        let place = |line: &HistoryLine| history.lines.iter().position(|l| std::ptr::eq(l, line));
        let mut lines: Vec<usize> = history.movers().into_iter().filter_map(place).collect();
        let changed = lines.len();
        let rest = (0..history.lines.len()).filter(|at| history.lines[*at].real().next().is_none());
        lines.extend(rest);
        lines.truncate(DRAWN);
        let runs = history.runs.names.len();
        let n = lines.len() * runs;
        let [mut time, mut spread, mut value] = [(); 3].map(|()| vec![f64::NAN; n]);
        let mut of_row = vec![u32::MAX; frame.data.len()];
        for (at, line) in lines.iter().map(|at| &history.lines[*at]).enumerate() {
            let first = line.points[0].time_s;
            for p in &line.points {
                let group = at * runs + p.run;
                (time[group], spread[group]) = (p.time_s, p.spread_s);
                let sample = line.configuration.and_then(|c| history.comparison.sample(c, p.run));
                value[group] = match over {
                    Over::Change => p.time_s / first,
                    Over::Time => p.time_s,
                    Over::Roof => sample.map_or(f64::NAN, |s| s.efficiency),
                };
                for row in sample.map_or(&[][..], |s| history.comparison.rows_of(s)) {
                    of_row[*row as usize] = group as u32;
                }
            }
        }
        let of: Vec<u32> = frame.rows.iter().map(|r| of_row[*r as usize]).collect();
        let groups = Groups::of(frame, n, &of);
        let order = (0..n).filter(|g| value[*g].is_finite()).collect();
        let unit = match over {
            Over::Change => "",
            Over::Time => "s",
            Over::Roof => "%",
        };
        let figures = vec![
            Figure::new("Time", "s", time),
            Figure::new(over.title(), unit, value),
            Figure::new("Spread", "s", spread),
        ];
        let labels: Vec<String> =
            lines.iter().map(|at| history.label(frame, &history.lines[*at])).collect();
        let names = history.runs.names.clone();
        let gemm: Name = Box::new(move |g| labels[g / runs].clone());
        let run: Name = Box::new(move |g| names[g % runs].clone());
        let names = vec![("GEMM".to_owned(), gemm), ("Run".to_owned(), run)];
        let spec = Spec { order, ..Spec::new(frame, "points", names, groups, figures) };
        Chart::of(HistoryChart { spec, history, over, lines, changed }, controls)
    }

    fn runs(&self) -> usize {
        self.history.runs.names.len()
    }

    /// Colour of the line at an index of `lines`: the first that changed have one each.
    fn color(&self, line: usize, theme: &Theme) -> crate::scene::Color {
        match line < self.changed.min(NAMED) {
            true => theme.category(line + 1).0,
            false => alpha(theme.muted, 0.45),
        }
    }
}

impl Picture for HistoryChart {
    fn spec(&self) -> Option<&Spec> {
        Some(&self.spec)
    }

    fn title(&self) -> String {
        words::headline(&self.history)
    }

    fn verdict(&self) -> Vec<String> {
        words::sentences(&self.history).into_iter().take(2).collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut out: Vec<String> = words::sentences(&self.history).into_iter().skip(2).collect();
        let left = self.history.lines.len() - self.lines.len();
        if left > 0 {
            out.push(gemmscope_words::charts::left_out_lines(left));
        }
        out
    }

    fn details(&self) -> Vec<(String, ResultTable)> {
        let Some(frame) = &self.spec.frame else { return Vec::new() };
        let movers = words::movers(&self.history, frame, LISTED);
        let table = ("What changed, most lost or saved time first".to_owned(), movers);
        Some(table).filter(|(_, t)| !t.rows.is_empty()).into_iter().collect()
    }

    fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        let mut out = Vec::new();
        if self.over == Over::Change {
            out.push((Swatch::Solid(theme.accent), "all GEMMs, geometric mean".to_owned()));
        }
        let named = 0..self.changed.min(NAMED);
        out.extend(named.map(|line| {
            let name = self.spec.names[0].1(line * self.runs());
            (Swatch::Solid(self.color(line, theme)), name)
        }));
        out
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let (theme, runs) = (options.theme, self.runs());
        let [times, values, spreads] = [0, VALUE, 2].map(|at| &self.spec.figures[at].of);
        let all: Vec<f64> = self.history.all.points.iter().map(|p| p.time_s).collect();
        let usual = all.first().copied().unwrap_or(1.0);
        let mean = || {
            let points = self.history.all.points.iter().filter(|_| self.over == Over::Change);
            points.map(|p| (p.run, p.time_s / usual))
        };
        let drawn = values.iter().copied().chain(mean().map(|(_, v)| v));
        let (low, high) = extent(ScaleKind::Log, drawn).unwrap_or((0.9, 1.1));
        let scale = match self.over {
            Over::Change => {
                (ScaleKind::Log, padded(ScaleKind::Log, (low.min(0.98), high.max(1.02)), 0.06))
            }
            Over::Time => (ScaleKind::Log, padded(ScaleKind::Log, (low, high), 0.06)),
            Over::Roof => (ScaleKind::Linear, (0.0, high * 1.08)),
        };
        let name = |run: &usize| self.history.runs.names.get(*run).cloned();
        let marks: Marks<'_> = Box::new(move |_, width| {
            let each = (runs as f64 * 78.0 / width).ceil().max(1.0) as usize;
            // From the newest, so that it has a name.
            let mut named: Vec<usize> = (0..runs).rev().step_by(each).collect();
            named.reverse();
            named.iter().map(|run| Tick { value: *run as f64, label: name(run) }).collect()
        });
        let ends = (-0.4, runs.max(2) as f64 - 0.6);
        let x = Ruler { grid: false, ..Ruler::new("Run", (ScaleKind::Linear, ends), marks) };
        let format = match self.over {
            Over::Change => Format::plain(""),
            Over::Time => Format::of("s"),
            Over::Roof => Format::of("%"),
        };
        let y = Ruler::new(self.over.title(), scale, round(format, 46.0, (2, 9)));
        let plot = xy(scene, (room, Around::USUAL), &x, &y);
        let px = |run: usize, v: f64| (plot.x.px(run as f64), plot.y.px(v));
        scene.items.push(Item::Clip { rect: plot.rect });
        // Those that changed lie on top.
        for line in (0..self.lines.len()).rev() {
            let color = self.color(line, theme);
            let of = |run: &usize| {
                (values[line * runs + run], spreads[line * runs + run] / times[line * runs + run])
            };
            let known: Vec<usize> = (0..runs).filter(|run| of(run).0.is_finite()).collect();
            let band = |sign: f64| {
                known.iter().map(move |run| (*run, sign)).filter_map(|(run, sign)| {
                    let (value, spread) = of(&run);
                    spread.is_finite().then(|| px(run, value * (1.0 + sign * spread)))
                })
            };
            if line < self.changed.min(NAMED) {
                let lower: Vec<_> = band(-1.0).collect();
                let points = band(1.0).chain(lower.into_iter().rev()).collect();
                scene.items.push(Item::Polygon { points, fill: alpha(color, 0.15) });
            }
            scene.line(known.iter().map(|run| px(*run, of(run).0)).collect(), color, 1.5);
        }
        let mean: Vec<_> = mean().map(|(run, v)| px(run, v)).collect();
        scene.line(mean, theme.accent, 2.5);
        for &group in &self.spec.order {
            let (line, run) = (group / runs, group % runs);
            let at = px(run, values[group]);
            let changes = self.history.lines[self.lines[line]].real().any(|c| c.run == run);
            let (radius, symbol) = if changes { (5.0, Symbol::Ring) } else { (2.5, Symbol::Dot) };
            scene.mark(at, radius, symbol, self.color(line, theme));
            scene.hit(self.spec.groups.get(group).to_vec(), about(at, 6.0), Tooltip::of(group));
        }
        scene.items.push(Item::Unclip);
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::of(width, (360.0, 440.0))
    }
}
