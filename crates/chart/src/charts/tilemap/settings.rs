//! For a sweep in which only settings other than the tile vary: every value of every setting, and how near it comes to
//! the best, as bars and as a table.

use super::Influence;
use crate::charts::{Heights, Picture, RenderOptions};
use crate::columns::Columns;
use crate::labels::Rect;
use crate::palette::alpha;
use crate::plot::{Bands, value_bar, value_panel};
use crate::scale::{Scale, ScaleKind};
use crate::scene::Scene;
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_model::units::short_percent;
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::sweep as words;

const ROW: f64 = 22.0;
/// Room above the bars for their title, and below them for ticks.
const AROUND: (f64, f64) = (26.0, 34.0);

/// Settings that vary, most influential first.
pub(super) struct Settings {
    influences: Vec<Influence>,
    /// Why there is no tile map.
    why: String,
    /// Content of each band: a setting and one of its values; without a value it is a heading.
    bands: Vec<(usize, Option<usize>)>,
}

impl Settings {
    /// `None` if only the tile varies.
    pub(super) fn of(influences: Vec<Influence>, why: String) -> Option<Settings> {
        let of_setting = |(at, i): (usize, &Influence)| {
            let values = (0..i.values.len()).map(move |value| (at, Some(value)));
            std::iter::once((at, None)).chain(values).collect::<Vec<_>>()
        };
        let bands: Vec<_> = influences.iter().enumerate().flat_map(of_setting).collect();
        (!bands.is_empty()).then_some(Settings { influences, why, bands })
    }

    fn name(&self, band: usize) -> String {
        let (setting, value) = self.bands[band];
        let influence = &self.influences[setting];
        value.map_or_else(|| influence.name.clone(), |value| influence.values[value].value.clone())
    }
}

/// Table of every value of every setting.
pub(super) fn table(influences: &[Influence]) -> ResultTable {
    let of = |i: &Influence| {
        let values = i.values.iter().map(|v| {
            vec![i.name.clone(), v.value.clone(), i.sets.to_string(), short_percent(v.best)]
        });
        values.collect::<Vec<_>>()
    };
    let heads = ["Setting", "Value", "Compared", "Geometric mean, % of the best value"];
    ResultTable::of(&heads, influences.iter().flat_map(of).collect())
}

impl Picture for Settings {
    /// Sentence on the best and the worst value of the most influential setting.
    fn title(&self) -> String {
        let Some(first) = self.influences.first() else { return String::new() };
        words::largest_influence(first)
    }

    fn verdict(&self) -> Vec<String> {
        vec![self.title()]
    }

    fn notes(&self) -> Vec<String> {
        vec![words::ALL_ELSE_EQUAL.to_owned(), words::no_map(&self.why)]
    }

    fn draw(&self, scene: &mut Scene, room: Rect, options: &RenderOptions<'_>) {
        let [left, top, width, height] = room;
        let bands = Bands {
            n: self.bands.len(),
            what: "Values",
            row: ROW,
            most: None,
            name: &|at| self.name(at),
            mark: &|at| self.bands[at].1.map(|_| (Vec::new(), at)),
        };
        let inner = [left, top + AROUND.0, width, height - AROUND.0 - AROUND.1];
        let placed = bands.place(scene, inner, options);
        let across = (width - placed.left - 12.0).max(10.0);
        let scale = Scale::new(ScaleKind::Linear, (0.0, 1.0), (placed.left, placed.left + across));
        let rect = [placed.left, placed.top, across, placed.bottom() - placed.top];
        value_panel(scene, rect, &scale, "% of the best value", &Format::percent());
        for (at, y) in placed.each() {
            let (setting, Some(value)) = self.bands[at] else { continue };
            let share = self.influences[setting].values[value].best;
            // Highlight the best one.
            let color = options.theme.categories[0];
            let color = if value == 0 { color } else { alpha(color, 0.6) };
            let band = [placed.left, y, across, ROW];
            value_bar(scene, band, &scale, (share, short_percent(share)), color, f64::NAN);
        }
    }

    fn tooltip(&self, mark: usize) -> Tooltip {
        let Some((setting, Some(value))) = self.bands.get(mark) else {
            return Tooltip::default();
        };
        let influence = &self.influences[*setting];
        let value = &influence.values[*value];
        let columns = Columns::new()
            .text("Of the best value", |share: &f64| short_percent(*share))
            .text("Compared", |_| influence.sets.to_string());
        columns.tooltip(format!("{} {}", influence.name, value.value), &value.best)
    }

    fn table(&self) -> ResultTable {
        table(&self.influences)
    }

    fn heights(&self, width: f64) -> Heights {
        Heights::scrolling(width, AROUND.0 + AROUND.1 + ROW * self.bands.len() as f64)
    }
}
