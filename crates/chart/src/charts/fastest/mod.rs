//! Map of winners: which side is fastest in each cell of two sizes.

mod draw;

use crate::aggregate::distinct;
use crate::charts::compare::settings::{PUBLISHED, SIDES_HINT, published, threshold};
use crate::charts::{Chart, ChartKind, Heights, Picture, RenderOptions};
use crate::columns::Columns;
use crate::labels::Rect;
use crate::layout::NARROW;
use crate::scene::Scene;
use crate::tooltip::Tooltip;
use gemmscope_analysis::compare::winner::{self, Size, WinnerCell};
use gemmscope_analysis::compare::{Comparison, Setup};
use gemmscope_model::units::{Seconds, plural};
use gemmscope_table::control::{Choice, Control};
use gemmscope_table::field::{Field, Frame};
use gemmscope_table::result_table::ResultTable;
use gemmscope_table::view_state::ViewState;
use gemmscope_words::charts::{self as words, NOTHING_TO_COMPARE};
use gemmscope_words::compare::{join, times};
use std::collections::BTreeMap;

/// This chart's entry in [`CHARTS`](super::CHARTS).
pub(super) const KIND: ChartKind = ChartKind {
    id: "fastest",
    name: "Fastest",
    hint: "Which library or kernel is fastest where?",
    params: &["color", PUBLISHED],
    open: |inputs| WinnerMap::open(inputs.frame, inputs.state),
    ..ChartKind::PLAIN
};

/// Up to this many sides are named in the headline.
const NAMED: usize = 8;
/// Choices of all values together, and of each by itself.
const ALL: &str = "all";
const EACH: &str = "each";

/// An opened map of winners.
#[derive(Debug)]
pub(crate) struct WinnerMap {
    frame: Frame,
    comparison: Comparison,
    x: Size,
    y: Size,
    held: Size,
    /// Value of the size that is held fixed; `None` is all values together.
    at: Option<u32>,
    dtype: Option<String>,
    /// The layout shown, or how many are shown together; `None` if there is only one.
    layout: Option<String>,
    /// Layouts that have rows of their own; empty if a cell is of all that are shown.
    split: Vec<String>,
    cells: Vec<WinnerCell>,
    /// Layout of each cell, as an index into `split`; 0 without a split.
    part: Vec<usize>,
    /// Sizes of the columns, ascending; those of the rows, each with its layout.
    xs: Vec<u32>,
    ys: Vec<(u32, usize)>,
    /// Which side is fastest in how many cells.
    headline: String,
}

const AXES: [(&str, &str, Size, Size, Size); 3] = [
    ("n,m", "M by N", Size::N, Size::M, Size::K),
    ("k,m", "M by K", Size::K, Size::M, Size::N),
    ("k,n", "N by K", Size::K, Size::N, Size::M),
];

impl WinnerMap {
    /// Reads the settings, fills in the defaults, and finds the winners.
    pub(crate) fn open(frame: &Frame, state: &ViewState) -> Chart {
        let candidates = Setup::candidates(frame);
        let Some(found) = Setup::choose(frame, &candidates) else {
            return Chart::without("", NOTHING_TO_COMPARE, Vec::new());
        };
        let default = &found.setup;
        let (hint, usual) = (SIDES_HINT, default.side.to_string());
        let sides = Choice::named(frame, &candidates);
        let side = Control::field(state, "fastest.side", "Sides", hint, sides, &usual);
        let (threshold, lead) = threshold(state, "fastest.threshold");
        let setup = match Field::parse(&side.current) {
            Some(f) if f != found.setup.side => Setup::of(frame, f),
            _ => found.setup.clone(),
        };
        let (published, setup) = published(frame, state, setup);
        let comparison = if setup == found.setup { found } else { Comparison::new(frame, &setup) };
        let axes = AXES.iter().map(|a| Choice::new(a.0, a.1)).collect();
        let axes = Control::choice(state, "fastest.axes", "Map", "", axes, "n,m");
        let &(_, _, x, y, held) = AXES.iter().find(|a| a.0 == axes.current).unwrap_or(&AXES[0]);
        let [dtype, layout] = operations(frame, &comparison, state);
        // A field whose values are the sides is not held fixed.
        let held_too = |field: Field| comparison.setup.side != field;
        let (of_types, of_layouts) = (held_too(Field::Dtype), held_too(Field::Transposes));
        let chosen =
            |of: &Control| Some(of.current.clone()).filter(|v| ![ALL, EACH].contains(&v.as_str()));
        let chosen_dtype = chosen(&dtype).filter(|_| of_types);
        let chosen_layout = chosen(&layout).filter(|_| of_layouts);
        let shown = frame.data.ops.iter().map(|o| {
            chosen_dtype.as_ref().is_none_or(|d| o.types() == *d)
                && chosen_layout.as_ref().is_none_or(|l| o.layout() == *l)
        });
        let shown: Vec<bool> = shown.collect();
        let of_type = |row: usize| shown[frame.data.op[row] as usize];
        let names = layout.options().iter().map(|o| o.value.clone());
        let mut layouts: Vec<String> =
            names.filter(|v| ![ALL, EACH].contains(&v.as_str())).collect();
        layouts.retain(|_| of_layouts);
        let split = if layout.current == EACH { layouts.clone() } else { Vec::new() };
        let hold = held_control(frame, &comparison, state, held, &of_type);
        let at = hold.current.parse::<u32>().ok();
        let of_part = |row: usize, part: usize| {
            let layout = || frame.data.ops[usize::from(frame.data.op[row])].layout();
            split.get(part).is_none_or(|of| of == layout())
        };
        let (mut cells, mut part) = (Vec::new(), Vec::new());
        for i in 0..split.len().max(1) {
            cells.extend(winner::cells(frame, &comparison, (x, y), lead, |row| {
                of_type(row) && of_part(row, i) && at.is_none_or(|v| held.of(frame, row) == v)
            }));
            part.resize(cells.len(), i);
        }
        let mut controls: Vec<Control> = of_types.then_some(dtype).into_iter().collect();
        controls.extend((layouts.len() > 1).then_some(layout));
        controls.extend(std::iter::once(hold).chain(published));
        controls.extend([axes, side, threshold].map(Control::more));
        let mut out = WinnerMap {
            frame: frame.clone(),
            comparison,
            x,
            y,
            held,
            at,
            dtype: chosen_dtype.or_else(|| of_types.then(|| "all types".to_owned())),
            layout: (layouts.len() > 1).then(|| {
                let which = if split.is_empty() { "all" } else { "each of" };
                chosen_layout.unwrap_or_else(|| format!("{which} {} layouts", layouts.len()))
            }),
            xs: distinct(cells.iter().map(|c| c.x)),
            ys: distinct(cells.iter().zip(&part).map(|(c, part)| (c.y, *part))),
            split,
            cells,
            part,
            headline: String::new(),
        };
        out.headline = out.headline();
        Chart::of(out, controls)
    }

    /// Which side is fastest in how many cells.
    fn headline(&self) -> String {
        let (wins, open) = self.score();
        let sides = &self.comparison.names;
        let mut ranked: Vec<(&String, &u64)> = sides.iter().zip(&wins).collect();
        // Few sides are all named; of many, those that win.
        if ranked.len() > NAMED {
            ranked.retain(|(_, n)| **n > 0);
            ranked.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        }
        let more = ranked.len().saturating_sub(NAMED);
        let mut parts: Vec<String> =
            ranked.iter().take(NAMED).map(|(s, n)| format!("{s} in {n}")).collect();
        if more > 0 {
            parts.push(format!("{more} others in the rest"));
        }
        if open > 0 {
            parts.push(format!("tie in {open}"));
        }
        words::fastest_in(&self.where_words(), &parts, wins.iter().sum::<u64>() + open)
    }

    /// `at K = 4096, fp16, all 4 layouts`.
    fn where_words(&self) -> String {
        let held = match self.at {
            Some(v) => format!("at {} = {v}", self.held.name()),
            None => format!("over all {}", self.held.name()),
        };
        let of = [Some(held.as_str()), self.dtype.as_deref(), self.layout.as_deref()];
        of.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Name of a row: its size, and its layout if each has rows.
    fn row_name(&self, (size, part): (u32, usize)) -> String {
        match self.split.get(part) {
            Some(layout) => format!("{size} {layout}"),
            None => size.to_string(),
        }
    }

    /// Number of cells won by each side, and of cells without a clear winner.
    fn score(&self) -> (Vec<u64>, u64) {
        let mut wins = vec![0; self.comparison.setup.sides.len()];
        let mut open = 0;
        for c in self.cells.iter().filter(|c| !c.compared.is_empty()) {
            match c.winner {
                Some(side) => wins[side] += 1,
                None => open += 1,
            }
        }
        (wins, open)
    }
}

/// Selector of one value, all, or `also`; `values` come with the number of configurations that have them. The default is the
/// most frequent value if its share exceeds `share`, else all.
fn one_or_all(
    state: &ViewState,
    [key, label, hint]: [&str; 3],
    values: Vec<(Choice, u64)>,
    (all, share): (&str, f64),
    also: Option<Choice>,
) -> Control {
    let total: u64 = values.iter().map(|v| v.1).sum();
    let most = values.iter().max_by_key(|v| v.1).filter(|v| v.1 as f64 > share * total as f64);
    let default = most.map_or_else(|| ALL.to_owned(), |v| v.0.value.clone());
    let mut options: Vec<Choice> = values.into_iter().map(|v| v.0).collect();
    options.push(Choice::new(ALL, format!("all {all}")));
    options.extend(also);
    Control::choice(state, key, label, hint, options, &default)
}

/// Selectors of type and layout over what was compared; the default is the most frequent type and all layouts.
fn operations(frame: &Frame, comparison: &Comparison, state: &ViewState) -> [Control; 2] {
    let (mut types, mut layouts) = (BTreeMap::new(), BTreeMap::new());
    let mut by_op = vec![0; frame.data.ops.len()];
    (0..comparison.len()).for_each(|i| by_op[usize::from(frame.data.op[comparison.row(i)])] += 1);
    for (op, n) in frame.data.ops.iter().zip(by_op).filter(|(_, n)| *n > 0) {
        *types.entry(op.types()).or_default() += n;
        *layouts.entry(op.layout().to_owned()).or_default() += n;
    }
    let plain = |of: BTreeMap<String, u64>| {
        of.into_iter().map(|(value, n)| (Choice::plain(value), n)).collect()
    };
    [
        one_or_all(state, ["fastest.dtype", "Type", ""], plain(types), ("types", 0.0), None),
        one_or_all(
            state,
            ["fastest.layout", "Layout", ""],
            plain(layouts),
            ("layouts", 1.0),
            Some(Choice::new(EACH, "each layout")),
        ),
    ]
}

/// Selector of the held size. By default the value with most compared cells if others would leave most of them out.
fn held_control(
    frame: &Frame,
    comparison: &Comparison,
    state: &ViewState,
    held: Size,
    keep: &dyn Fn(usize) -> bool,
) -> Control {
    let kept = (0..comparison.len()).filter(|i| keep(comparison.row(*i)));
    let compared = |i: usize| comparison.samples(i).len() > 1;
    // Number of compared cells at each size.
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    for i in kept {
        *sizes.entry(held.of(frame, comparison.row(i))).or_default() += u64::from(compared(i));
    }
    let name = held.name();
    let choice = |v: u32| Choice::new(v.to_string(), format!("{name} = {v}"));
    let values = sizes.into_iter().map(|(v, compared)| (choice(v), compared)).collect();
    let hint = "A cell of several GEMMs goes to the side with most wins";
    one_or_all(state, [&format!("fastest.{}", held.key()), name, hint], values, (name, 0.5), None)
}

impl Picture for WinnerMap {
    fn title(&self) -> String {
        self.headline.clone()
    }

    fn verdict(&self) -> Vec<String> {
        vec![self.headline.clone()]
    }

    fn obstacle(&self) -> Option<String> {
        if self.comparison.pairs_possible() == 0 {
            return Some(words::no_shared_shape(&self.comparison.names));
        }
        self.cells.is_empty().then(|| words::nothing_measured(&self.where_words()))
    }

    fn notes(&self) -> Vec<String> {
        let (all, said) = (self.comparison.pairs_possible(), join(&self.comparison));
        match self.cells.iter().map(|c| c.compared.len()).sum::<usize>() {
            shown if shown == all => vec![said],
            shown => words::part_of_map(shown, all, &said).to_vec(),
        }
    }

    fn draw(&self, scene: &mut Scene, _: Rect, options: &RenderOptions<'_>) {
        draw::map(self, scene, options);
    }

    fn table(&self) -> ResultTable {
        let sides = &self.comparison.names;
        let columns = Columns::new()
            .text(self.y.name(), |(c, _): &(&WinnerCell, usize)| c.y.to_string())
            .text(self.x.name(), |(c, _)| c.x.to_string());
        let columns = match self.split.is_empty() {
            true => columns,
            false => columns.text("Layout", |(_, part)| self.split[*part].clone()),
        };
        let columns = columns
            .text("Fastest", |(c, _)| c.winner.map_or_else(String::new, |s| sides[s].clone()))
            .number("Lead over the next (x)", "", |(c, _)| c.winner.map_or(f64::NAN, |_| c.margin))
            .text("GEMMs", |(c, _)| c.compared.len().to_string());
        let columns = sides.iter().enumerate().fold(columns, |columns, (i, side)| {
            columns.text(format!("{side}: wins"), move |(c, _)| c.wins[i].to_string())
        });
        let cells = self.cells.iter().zip(self.part.iter().copied());
        columns.text("One side only", |(c, _)| c.alone.len().to_string()).table(cells)
    }

    fn tooltip(&self, cell: usize) -> Tooltip {
        let c = &self.cells[cell];
        let sides = &self.comparison.names;
        let row = self.row_name((c.y, self.part[cell]));
        let at = format!("{} {row}, {} {}", self.y.name(), self.x.name(), c.x);
        if c.compared.is_empty() {
            let only: Vec<&str> = (0..sides.len())
                .filter(|i| c.alone.iter().any(|a| a.1 == *i))
                .map(|i| sides[i].as_str())
                .collect();
            return Tooltip::new(at).line(format!("only {}", only.join(" and ")));
        }
        if let [only] = c.compared.as_slice() {
            let verdict = match c.winner {
                Some(s) => format!("{} ahead by {}", sides[s], times(c.margin)),
                None => "tie".to_owned(),
            };
            let out = Tooltip::new(self.comparison.label(&self.frame, *only as usize));
            let mut samples: Vec<_> = self.comparison.samples(*only as usize).iter().collect();
            samples.sort_by(|a, b| a.1.time_s.total_cmp(&b.1.time_s));
            return samples.into_iter().fold(out.line(verdict), |out, (side, sample)| {
                out.row(&sides[usize::from(*side)], Seconds(sample.time_s).to_string())
            });
        }
        let verdict = match c.winner {
            Some(s) => words::wins_most(&sides[s], &times(c.margin)),
            None => "tie".to_owned(),
        };
        let wins: Vec<String> =
            sides.iter().zip(&c.wins).map(|(s, n)| format!("{s} {n}")).collect();
        let of = plural(c.compared.len() as u64, "GEMM");
        Tooltip::new(at).line(verdict).line(format!("wins of {of}: {}", wins.join(", ")))
    }

    /// Heights at which cells are readable, and touchable on a narrow map; cells of a wide map shrink first.
    fn heights(&self, width: f64) -> Heights {
        let (rows, usual) = (self.ys.len() as f64, Heights::filling(width));
        let touched =
            if width < NARROW { draw::FRAME + draw::ROW * rows.min(draw::MOST_ROWS) } else { 0.0 };
        let least = touched.max(260.0);
        let most = (draw::FRAME + draw::CELL_HEIGHT * rows).max(least);
        Heights { own: touched.max(usual.own), least, most }
    }
}

#[cfg(test)]
mod tests;
