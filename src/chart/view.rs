//! What the page needs of any analysis view: a picture, its table, its settings, and sentences.
//!
//! [`VIEWS`] lists them. Opening one works out what it shows from the data and the view state;
//! the picture is then drawn for a size and theme as often as needed. The page keeps the opened
//! view in a memo over (frame, view state) and calls [`View::scene`] when the size, the theme or
//! the selection changes; [`View::table`] only when it is looked at or saved.

use super::control::Control;
use super::palette::Theme;
use super::scene::{Scene, Table};
use crate::field::{Field, FieldInfo, FieldKind, Frame};
use crate::view_state::ViewState;

/// How a picture is to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// Selected dataset rows: what stands for one of them is outlined.
    pub selected: &'a [u32],
    /// First column and row that show, where a picture holds more than fit.
    pub first: (usize, usize),
}

/// An opened view.
pub trait View {
    /// The picture.
    fn scene(&self, look: &Look<'_>) -> Scene;
    /// What the picture shows, as a table: all of it, and nothing else.
    fn table(&self) -> Table;
    /// What can be set.
    fn controls(&self) -> Vec<Control>;
    /// Sentences below the picture: what was matched, left out, assumed, and by which rule.
    fn notes(&self) -> Vec<String>;
    /// The height at which everything is readable at this width, CSS pixels: of a picture of its own.
    fn height(&self, width: f64) -> f64 {
        if width < super::layout::NARROW {
            420.0
        } else {
            640.0
        }
    }
    /// Least and most height in a page: with less room the page scrolls, with more the picture
    /// leaves the rest empty.
    fn heights(&self, width: f64) -> (f64, f64) {
        let least: f64 = if width < super::layout::NARROW {
            340.0
        } else {
            260.0
        };
        (least, f64::INFINITY)
    }
}

/// Why there is nothing to draw, whatever the view; `None` where there are rows.
pub fn nothing(frame: &Frame) -> Option<&'static str> {
    if frame.data.is_empty() {
        Some("No GEMMs yet: open a file.")
    } else if frame.rows.is_empty() {
        Some("No GEMM passes the filters.")
    } else {
        None
    }
}

/// A kind of view.
#[derive(Clone, Copy)]
pub struct ViewKind {
    /// Key in links: `compare`.
    pub id: &'static str,
    /// Tab caption.
    pub name: &'static str,
    /// One sentence: which question it answers.
    pub hint: &'static str,
    /// The picture itself, not only its outlines, depends on the selection.
    pub of_selection: bool,
    /// Works out what is shown.
    pub open: fn(&Frame, &ViewState) -> Box<dyn View>,
}

impl std::fmt::Debug for ViewKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ViewKind").field("id", &self.id).finish()
    }
}

/// The analysis views, in the order of their tabs.
pub const VIEWS: &[ViewKind] = &[
    ViewKind {
        id: "pareto",
        name: "Lost time",
        hint: "Where are the lost milliseconds, and what would reaching a goal change end to end?",
        of_selection: true,
        open: |frame, state| Box::new(super::pareto::ParetoView::open(frame, state)),
    },
    ViewKind {
        id: "heat",
        name: "Heatmap",
        hint: "Where is performance good and where is it lost? Any two columns, any figure as colour",
        of_selection: false,
        open: |frame, state| Box::new(super::heatmap::Heatmap::open(frame, state)),
    },
    ViewKind {
        id: "bars",
        name: "Bars",
        hint: "Arithmetic intensity and attained rate of each kernel side by side, with its roof",
        of_selection: false,
        open: |frame, state| Box::new(super::bars::Bars::open(frame, state)),
    },
    ViewKind {
        id: "strip",
        name: "Spread",
        hint: "Which parameter costs efficiency? Share of the roof against any column",
        of_selection: false,
        open: |frame, state| Box::new(super::strip::Strip::open(frame, state)),
    },
    ViewKind {
        id: "tiles",
        name: "Tiles",
        hint: "Which tile is best for which N, and what limits the others?",
        of_selection: false,
        open: |frame, state| Box::new(super::tilemap::TileMap::open(frame, state)),
    },
    ViewKind {
        id: "compare",
        name: "Compare",
        hint: "Which library, device or version is faster, on which shapes, by how much?",
        of_selection: false,
        open: |frame, state| Box::new(super::compare::Compare::open(frame, state)),
    },
    ViewKind {
        id: "winner",
        name: "Winners",
        hint: "Which library or kernel is fastest where, and from which size on?",
        of_selection: false,
        open: |frame, state| Box::new(super::winner::Winner::open(frame, state)),
    },
    ViewKind {
        id: "history",
        name: "Tuning",
        hint: "Every variant of a tuning run by generation, what failed, and the best so far",
        of_selection: true,
        open: |frame, state| Box::new(super::tuning::Tuning::open(frame, state)),
    },
    ViewKind {
        id: "card",
        name: "Analysis",
        hint: "The selected GEMMs side by side: what limits each, and why",
        of_selection: true,
        open: |frame, state| Box::new(super::card::CardView::open(frame, state)),
    },
];

/// The view of this key.
pub fn by_id(id: &str) -> Option<&'static ViewKind> {
    VIEWS.iter().find(|v| v.id == id)
}

/// Key of a view's scroll position.
pub fn first_key(id: &str) -> String {
    format!("at.{id}")
}

/// First column and row that the state shows of a view; the beginning where it names none.
pub fn first_of(state: &ViewState, id: &str) -> (usize, usize) {
    state
        .param(&first_key(id))
        .and_then(|t| {
            let (x, y) = t.split_once(',')?;
            Some((x.parse().ok()?, y.parse().ok()?))
        })
        .unwrap_or((0, 0))
}

/// Scrolls a view of the state.
pub fn set_first(state: &mut ViewState, id: &str, (x, y): (usize, usize)) {
    let text = match (x, y) {
        (0, 0) => String::new(),
        _ => format!("{x},{y}"),
    };
    state.set_param(&first_key(id), text);
}

/// The field that a setting names, else another.
pub(super) fn field_of(frame: &Frame, control: &Control, default: &Field) -> FieldInfo {
    Field::parse(&control.current)
        .and_then(|f| frame.info(&f))
        .or_else(|| frame.info(default))
        .unwrap_or_else(|| FieldInfo {
            field: default.clone(),
            label: default.to_string(),
            unit: String::new(),
            kind: FieldKind::Number,
            log: false,
            higher_is_better: None,
            hint: "",
        })
}
