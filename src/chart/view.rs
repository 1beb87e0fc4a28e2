//! What the page needs of any analysis view: a picture, its table, its settings, and sentences.
//!
//! [`VIEWS`] lists them. Opening one works out what it shows from the data and the view state;
//! the picture is then drawn for a size and theme as often as needed. The page keeps the opened
//! view in a memo over (frame, view state) and calls [`View::scene`] when the size, the theme or
//! the selection changes; [`View::table`] only when it is looked at or saved.

use super::control::Control;
use super::palette::Theme;
use super::scene::{Scene, Table};
use crate::field::Frame;
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
    /// The height at which everything is readable at this width, CSS pixels: the page scrolls
    /// where it has less.
    fn height(&self, width: f64) -> f64 {
        if width < super::layout::NARROW {
            420.0
        } else {
            640.0
        }
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
    /// Works out what is shown.
    pub open: fn(&Frame, &ViewState) -> Box<dyn View>,
}

impl std::fmt::Debug for ViewKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ViewKind").field("id", &self.id).finish()
    }
}

/// The analysis views, in the order of their tabs.
pub const VIEWS: &[ViewKind] = &[ViewKind {
    id: "compare",
    name: "Compare",
    hint: "Which library, device or version is faster, on which shapes, by how much?",
    open: |frame, state| Box::new(super::compare::Compare::open(frame, state)),
}];

/// The view of this key.
pub fn by_id(id: &str) -> Option<&'static ViewKind> {
    VIEWS.iter().find(|v| v.id == id)
}
