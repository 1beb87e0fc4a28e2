//! A press of the pointer on a chart: where it began and what it moves.

use gemmscope_chart::scale::Scale;
use gemmscope_chart::scene::Point;
use gemmscope_chart::scroll::Bar;

/// What is pressed, and what it has moved.
#[derive(Default)]
pub(super) struct Drag {
    /// Pressed pointers and where they are.
    pub pointers: Vec<(i32, Point)>,
    pub start: Point,
    pub moved: bool,
    pub boxing: bool,
    /// The colour bar that is being dragged along.
    pub range: Option<([f64; 4], String, Scale)>,
    /// First column and row when a scrolling drag began.
    pub scrolled: Option<(usize, usize)>,
    /// The scroll bar that is held, and how far from its thumb's start, px.
    pub bar: Option<(Bar, f64)>,
    /// Part of a column and of a row that the wheel has moved.
    pub wheel: (f64, f64),
}

impl Drag {
    /// Where a pressed pointer is; `None` where it is not pressed.
    pub(super) fn pressed(&self, id: i32) -> Option<Point> {
        let mut pointers = self.pointers.iter();
        pointers.find(|(other, _)| *other == id).map(|(_, at)| *at)
    }

    pub(super) fn press(&mut self, id: i32, at: Point) {
        self.release(id);
        self.pointers.push((id, at));
    }

    /// False where the pointer was not pressed.
    pub(super) fn release(&mut self, id: i32) -> bool {
        let before = self.pointers.len();
        self.pointers.retain(|(other, _)| *other != id);
        self.pointers.len() < before
    }
}
