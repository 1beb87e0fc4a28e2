//! Rows in groups, each of which is a bar: its name, its figures, the rows that it stands for. Table and
//! tooltips follow from the list of figures.

use crate::aggregate::Groups;
use crate::chart::RenderOptions;
use crate::columns::Columns;
use crate::labels::Rect;
use crate::plot::{Bands, Placed};
use crate::scene::Scene;
use crate::tooltip::Tooltip;
use gemmscope_table::result_table::Table;

/// A figure of every group, of an SI base unit.
pub(super) struct Figure {
    title: String,
    unit: String,
    /// By group; NaN where it is not known.
    pub(super) of: Vec<f64>,
    /// Tooltips say it too.
    tip: bool,
}

impl Figure {
    pub(super) fn new(title: impl Into<String>, unit: impl Into<String>, of: Vec<f64>) -> Self {
        Figure { title: title.into(), unit: unit.into(), of, tip: true }
    }

    /// It stands in the table alone.
    pub(super) fn no_tip(self) -> Self {
        Figure { tip: false, ..self }
    }
}

/// The name of a group.
pub(super) type Name = Box<dyn Fn(usize) -> String + Send + Sync>;

/// Groups with their names and figures.
pub(super) struct Grouped {
    /// What the groups are of: `Type`.
    pub(super) what: String,
    pub(super) name: Name,
    pub(super) groups: Groups,
    pub(super) figures: Vec<Figure>,
    /// The groups that have a bar, in the order of the bars.
    pub(super) order: Vec<usize>,
}

/// How bars lie below each other.
pub(super) struct Rows<'a> {
    /// What they are, where some do not fit: `Bars`.
    pub(super) what: &'a str,
    /// Height of one, px.
    pub(super) row: f64,
    /// Room above them and below them, px.
    pub(super) around: (f64, f64),
}

impl Grouped {
    fn columns(&self) -> Columns<'_, usize> {
        let names = Columns::new()
            .text(self.what.as_str(), |group: &usize| (self.name)(*group))
            .no_tip()
            .text("GEMMs", |group| self.groups.get(*group).len().to_string())
            .no_tip();
        self.figures.iter().fold(names, |out, f| {
            let out = out.number(f.title.as_str(), f.unit.as_str(), |group| f.of[*group]);
            if f.tip { out } else { out.no_tip() }
        })
    }

    /// All bars.
    pub(super) fn table(&self) -> Table {
        self.columns().table(self.order.iter().copied())
    }

    /// What is said of a group; of a bar of `several` GEMMs how many they are.
    pub(super) fn tooltip(&self, group: usize, several: bool) -> Tooltip {
        let head = match (several, self.groups.get(group).len()) {
            (true, n) if n != 1 => format!("{} ({n} GEMMs)", (self.name)(group)),
            _ => (self.name)(group),
        };
        self.columns().tooltip(head, &group)
    }

    /// Names the bars that show and makes them hit areas.
    pub(super) fn place(
        &self,
        scene: &mut Scene,
        [left, top, width, height]: Rect,
        options: &RenderOptions<'_>,
        Rows { what, row, around }: Rows<'_>,
    ) -> Placed {
        let bands = Bands {
            n: self.order.len(),
            what,
            row,
            most: None,
            name: &|at| (self.name)(self.order[at]),
            mark: &|at| Some((self.groups.get(self.order[at]).to_vec(), self.order[at])),
        };
        let room = [left, top + around.0, width, height - around.0 - around.1];
        bands.place(scene, room, options)
    }
}
