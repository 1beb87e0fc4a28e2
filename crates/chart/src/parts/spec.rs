//! The marks of a chart as groups of rows with names and figures. Obstacle, legend, sentences, table and tooltips
//! follow from it; a chart adds its layout.

use crate::aggregate::{Aggregate, Groups, by_figure};
use crate::band_scale::{Order, natural};
use crate::chart::RenderOptions;
use crate::color_scale::Colors;
use crate::columns::Columns;
use crate::labels::Rect;
use crate::legend::Swatch;
use crate::palette::Theme;
use crate::plot::{Bands, Placed};
use crate::scene::Scene;
use crate::ticks::Format;
use crate::tooltip::Tooltip;
use gemmscope_model::units::capitalized;
use gemmscope_table::control::Keyed;
use gemmscope_table::data_kind::DataKind;
use gemmscope_table::field::{FieldInfo, Frame};
use gemmscope_table::result_table::ResultTable;
use gemmscope_words::charts as words;

/// A figure of every group, in an SI base unit.
pub(crate) struct Figure {
    title: String,
    unit: String,
    /// Value of each group; NaN if unknown.
    pub(crate) of: Vec<f64>,
    /// Also shown in tooltips.
    tip: bool,
}

impl Figure {
    pub(crate) fn new(title: impl Into<String>, unit: impl Into<String>, of: Vec<f64>) -> Self {
        Figure { title: title.into(), unit: unit.into(), of, tip: true }
    }

    /// Shown in the table only.
    pub(crate) fn no_tip(self) -> Self {
        Figure { tip: false, ..self }
    }
}

/// Name of a group.
pub(crate) type Name = Box<dyn Fn(usize) -> String + Send + Sync>;

/// The marks of a chart.
pub(crate) struct Spec {
    /// The rows that the groups are of; `None` if marks stand for none, as those of a plan.
    pub(crate) frame: Option<Frame>,
    /// Plural name of the marks: `cells`.
    pub(crate) marks: &'static str,
    /// Titles and names; a cell has two, one for each axis.
    pub(crate) names: Vec<(String, Name)>,
    pub(crate) groups: Groups,
    pub(crate) figures: Vec<Figure>,
    /// The groups that have a mark, in mark order.
    pub(crate) order: Vec<usize>,
    /// Colours of the marks; `None` if the chart has its own.
    pub(crate) colors: Option<Colors>,
    /// How the rows of a group are aggregated, if they are.
    pub(crate) statistic: Option<Aggregate>,
    /// Search text; empty without a search.
    pub(crate) find: String,
    /// If rows are drawn one by one: the figure without which a row is not drawn.
    pub(crate) needs: Option<FieldInfo>,
}

impl Spec {
    /// One mark per group, without search, colours and statistic.
    pub(crate) fn new(
        frame: &Frame,
        marks: &'static str,
        names: Vec<(String, Name)>,
        groups: Groups,
        figures: Vec<Figure>,
    ) -> Self {
        let order = (0..groups.len()).collect();
        let (frame, find) = (Some(frame.clone()), String::new());
        let (colors, statistic, needs) = (None, None, None);
        Spec { frame, marks, names, groups, figures, order, colors, statistic, find, needs }
    }

    /// Marks that stand for no rows: one for each value of the figures.
    pub(crate) fn without_rows(
        marks: &'static str,
        names: Vec<(String, Name)>,
        figures: Vec<Figure>,
    ) -> Self {
        let n = figures.first().map_or(0, |f| f.of.len());
        let groups = Groups { starts: vec![0; n + 1], rows: Vec::new() };
        let (frame, order, find) = (None, (0..n).collect(), String::new());
        let (colors, statistic, needs) = (None, None, None);
        Spec { frame, marks, names, groups, figures, order, colors, statistic, find, needs }
    }

    /// Full name of a group.
    pub(crate) fn name(&self, group: usize) -> String {
        let names: Vec<String> = self.names.iter().map(|(_, name)| name(group)).collect();
        names.join(", ")
    }

    /// Sorts marks by file order, by name, or by a figure (highest first, NaN last). `up`
    /// reverses.
    pub(crate) fn sort(&mut self, (by, up): (Order, bool), figure: &[f64]) {
        let mut order = std::mem::take(&mut self.order);
        match by {
            Order::File => {}
            Order::Name => {
                let mut named: Vec<_> = order.into_iter().map(|g| (self.name(g), g)).collect();
                named.sort_by(|a, b| natural(&a.0, &b.0));
                order = named.into_iter().map(|n| n.1).collect();
            }
            _ => order.sort_by(|a, b| by_figure(figure[*a], figure[*b], up)),
        }
        if up && matches!(by, Order::File | Order::Name) {
            order.reverse();
        }
        self.order = order;
    }

    /// The rows that have a mark.
    fn rows(&self) -> impl Iterator<Item = &u32> {
        self.order.iter().flat_map(|g| self.groups.get(*g))
    }

    /// Predicate: the row is drawn, where rows are drawn one by one.
    fn drawn(&self) -> Box<dyn Fn(&&u32) -> bool + '_> {
        match self.frame.as_ref().zip(self.needs.as_ref()).map(|(f, of)| f.numbers(&of.field)) {
            Some(get) => Box::new(move |row| get(**row as usize).is_finite()),
            None => Box::new(|_| true),
        }
    }

    /// Colour code shared by all rows of a group; `None` if they differ.
    pub(crate) fn code(&self, group: usize, theme: &Theme) -> Option<u16> {
        let colors = self.colors.as_ref()?.of(theme);
        let mut codes = self.groups.get(group).iter().map(|r| colors.code(*r as usize));
        let first = codes.next()?;
        let known = usize::from(first) < colors.names.len();
        (known && codes.all(|c| c == first)).then_some(first)
    }

    /// The columns; if marks have several rows, the statistic is part of their titles.
    fn columns(&self, of_several: bool) -> Columns<'_, usize> {
        let statistic = self.statistic.filter(|_| of_several);
        let titled = move |title: &str| match statistic {
            Some(statistic) => format!("{title}, {}", statistic.caption()),
            None => title.to_owned(),
        };
        let names = self.names.iter().fold(Columns::new(), |out, (title, name)| {
            out.text(title.as_str(), move |group: &usize| name(*group)).no_tip()
        });
        // The page itself adds the number of GEMMs to tooltips.
        let drawn = self.drawn();
        let count =
            move |group: &usize| self.groups.get(*group).iter().filter(&drawn).count().to_string();
        let counted = match self.frame {
            Some(_) => names.text("Rows", count).no_tip(),
            None => names,
        };
        self.figures.iter().fold(counted, |out, f| {
            let out = out.number(titled(&f.title), f.unit.as_str(), |group| f.of[*group]);
            if f.tip { out } else { out.no_tip() }
        })
    }

    /// Heading of a tooltip; a name without letters gets its title.
    fn head(&self, group: usize) -> String {
        let several = self.names.len() > 1;
        let heads = self.names.iter().map(|(title, name)| match name(group) {
            name if several || !name.contains(char::is_alphabetic) => format!("{title} {name}"),
            name => name,
        });
        heads.collect::<Vec<_>>().join(", ")
    }

    /// The only mark, if there is one.
    pub(crate) fn only(&self) -> Option<usize> {
        match self.order[..] {
            [mark] => Some(mark),
            _ => None,
        }
    }

    /// The known figures of a mark, each with its title.
    pub(crate) fn facts(&self, mark: usize) -> Vec<(String, String)> {
        let known = self.figures.iter().filter(|f| f.of[mark].is_finite());
        known.map(|f| (f.title.clone(), Format::of(&f.unit).figure(f.of[mark]))).collect()
    }

    /// All marks as a table.
    pub(crate) fn table(&self) -> ResultTable {
        self.columns(false).table(self.order.iter().copied())
    }

    /// Tooltip of a group.
    pub(crate) fn tooltip(&self, group: usize) -> Tooltip {
        let several = self.groups.get(group).len() > 1;
        self.columns(several).tooltip(self.head(group), &group)
    }

    /// Why there are no marks, if there are none.
    pub(crate) fn obstacle(&self) -> Option<String> {
        if let Some(why) = self.frame.as_ref().and_then(words::nothing) {
            return Some(why.to_owned());
        }
        let blank = |g: &usize| self.figures.iter().all(|f| f.of[*g].is_nan());
        match (&self.order[..], self.find.as_str()) {
            ([], "") => Some(words::NO_PLACE.to_owned()),
            ([], text) => Some(words::no_name(text)),
            (marks, _) if marks.iter().all(blank) => Some(words::NO_FIGURE.to_owned()),
            _ => None,
        }
    }

    /// Largest number of shapes in a mark, if that is several and the figure is no share, which compares shapes. Only of
    /// variants: there marks are to be compared, whatever the shape.
    fn shapes(&self) -> Option<usize> {
        let frame = self.frame.as_ref().filter(|frame| frame.kind() == DataKind::Sweep)?;
        let data = &frame.data;
        self.figures.iter().any(|f| f.unit != "%").then_some(())?;
        let of_group = |group: &usize| {
            let of = self.groups.get(*group).iter().map(|row| data.sizes_hash(*row as usize));
            let mut shapes: Vec<u64> = of.collect();
            shapes.sort_unstable();
            shapes.dedup();
            shapes.len()
        };
        self.order.iter().map(of_group).max().filter(|most| *most > 1)
    }

    /// Notes on marks with several rows, and on rows without a mark.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        let several = self.order.iter().filter(|g| self.groups.get(**g).len() > 1).count();
        if let Some(statistic) = self.statistic.filter(|_| several > 0) {
            let (all, what) = (self.order.len(), statistic.caption());
            out.push(words::several(several, all, self.marks, what));
            out.extend(self.shapes().map(|most| words::of_shapes(self.marks, most)));
        }
        let shown = self.rows().filter(self.drawn()).count();
        let lost = self.frame.as_ref().map_or(0, |frame| frame.rows.len()) - shown;
        if lost > 0 {
            out.push(words::not_shown(lost, !self.find.is_empty()));
        }
        out
    }

    /// Legend of the rows' colours.
    pub(crate) fn legend(&self, theme: &Theme) -> Vec<(Swatch, String)> {
        self.colors.as_ref().zip(self.frame.as_ref()).map_or_else(Vec::new, |(colors, frame)| {
            let colors = colors.of(theme);
            colors.swatches(frame, self.rows().map(|r| colors.code(*r as usize)))
        })
    }
}

/// Layout of bars below each other.
pub(crate) struct BarRows {
    /// Height of a bar, px.
    pub(crate) row: f64,
    /// Room above and below them, px.
    pub(crate) around: (f64, f64),
}

impl BarRows {
    /// Writes the names of the visible bars and makes each a hit area.
    pub(crate) fn place(
        &self,
        spec: &Spec,
        scene: &mut Scene,
        [left, top, width, height]: Rect,
        options: &RenderOptions<'_>,
    ) -> Placed {
        let bands = Bands {
            n: spec.order.len(),
            what: &capitalized(spec.marks),
            row: self.row,
            most: None,
            name: &|at| spec.name(spec.order[at]),
            mark: &|at| Some((spec.groups.get(spec.order[at]).to_vec(), spec.order[at])),
        };
        let room = [left, top + self.around.0, width, height - self.around.0 - self.around.1];
        bands.place(scene, room, options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gemmscope_table::fixture::Rows as Fixture;

    fn frame() -> Frame {
        let mut rows = Fixture::new();
        for k in [64, 128, 256] {
            rows.row((64, 64, k), "x", 1e-5, "");
        }
        rows.frame(Some("h100-sxm"))
    }

    fn spec(names: &[(&str, &'static str)], figure: Vec<f64>) -> Spec {
        let frame = frame();
        let groups = Groups::of(&frame, 2, &[0, 1, 1]);
        let name = |(title, name): &(&str, &'static str)| -> (String, Name) {
            let name = *name;
            ((*title).to_owned(), Box::new(move |_| name.to_owned()))
        };
        let names = names.iter().map(name).collect();
        Spec::new(&frame, "cells", names, groups, vec![Figure::new("Time", "s", figure)])
    }

    #[test]
    fn a_tooltip_says_of_what_a_number_is() {
        let head = |names: &[(&str, &'static str)]| spec(names, vec![1.0, 2.0]).head(0);
        assert_eq!(head(&[("K", "64")]), "K 64");
        assert_eq!(head(&[("Type", "fp16")]), "fp16");
        assert_eq!(head(&[("K", "64"), ("Type", "fp16")]), "K 64, Type fp16");
    }

    #[test]
    fn what_stands_in_the_way_and_what_is_left_out_follow_from_the_marks() {
        let mut s = spec(&[("K", "64")], vec![f64::NAN; 2]);
        assert!(s.obstacle().unwrap().starts_with("No row has this figure"));
        s.figures[0].of[1] = 1.0;
        assert_eq!(s.obstacle(), None);
        s.statistic = Some(Aggregate::Median);
        assert_eq!(s.notes(), ["1 of 2 cells show the median of several rows."]);
        // Hide the mark that has two rows.
        (s.order, s.find) = (vec![0], "6".to_owned());
        assert_eq!(s.notes(), ["2 rows not shown: no value on an axis, or not searched for."]);
        assert_eq!(s.table().rows.len(), 1);
        s.order.clear();
        assert_eq!(s.obstacle().unwrap(), "No name contains \"6\".");
    }
}
