//! A picture as data: shapes in CSS pixels, what can be hit, and the same content as a table.
//!
//! A chart builds a `Scene` from a frame of data; `paint` is the only code that knows a drawing
//! library. Hover, selection, keyboard focus and the accessible table use `marks` and `table`.

/// Colour with alpha, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color(pub u8, pub u8, pub u8, pub u8);

/// A point in CSS pixels, origin top left.
pub type Point = (f64, f64);

/// Where a text hangs on its point horizontally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text is centred on the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// Where a text hangs on its point vertically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The point is at the text's top.
    Top,
    /// The point is at half height.
    Middle,
    /// The point is at the bottom.
    Bottom,
}

/// Shape of a data mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Glyph {
    /// Filled disc.
    Dot,
    /// Open circle (planned, or excluded from best).
    Ring,
    /// Diagonal cross (failed).
    Cross,
    /// Triangle pointing up (above its roof).
    Triangle,
    /// Square.
    Square,
    /// Diamond.
    Diamond,
}

/// One drawing instruction, in painting order.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Filled and/or stroked rectangle.
    Rect {
        /// Left, top, width, height.
        rect: [f64; 4],
        /// Fill.
        fill: Option<Color>,
        /// Outline.
        stroke: Option<(Color, f64)>,
    },
    /// Line through points.
    Line {
        /// Points.
        points: Vec<Point>,
        /// Colour.
        color: Color,
        /// Width in px.
        width: f64,
        /// Dash and gap lengths in px; empty is solid.
        dash: Vec<f64>,
    },
    /// Filled polygon.
    Polygon {
        /// Corners.
        points: Vec<Point>,
        /// Fill.
        fill: Color,
    },
    /// A data mark.
    Glyph {
        /// Centre.
        at: Point,
        /// Radius in px.
        radius: f64,
        /// Shape.
        glyph: Glyph,
        /// Colour.
        color: Color,
    },
    /// A line of text.
    Text {
        /// Anchor point.
        at: Point,
        /// The text, never markup.
        text: String,
        /// Size in px.
        size: f64,
        /// Bold.
        bold: bool,
        /// Colour.
        color: Color,
        /// Horizontal anchor.
        anchor: Anchor,
        /// Vertical anchor.
        baseline: Baseline,
        /// Quarter turns clockwise: 0, or 3 for an axis title read upwards.
        turns: u8,
    },
    /// Pixels (a density image), stretched to `rect`; RGBA, row-major, not premultiplied.
    Image {
        /// Left, top, width, height.
        rect: [f64; 4],
        /// Pixel columns.
        width: u32,
        /// Pixel rows.
        height: u32,
        /// 4 bytes a pixel.
        rgba: Vec<u8>,
    },
    /// Everything until the matching `Unclip` is cut to the rectangle.
    Clip {
        /// Left, top, width, height.
        rect: [f64; 4],
    },
    /// Ends a `Clip`.
    Unclip,
}

/// Something a pointer or the keyboard can reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What it stands for: dataset rows (one for a point, several for a cell or a bar).
    pub rows: Vec<u32>,
    /// Bounding box: left, top, width, height. A dot's centre is the box's.
    pub rect: [f64; 4],
    /// One line for a tooltip's head and for assistive technology.
    pub label: String,
}

/// The scene's content as a table: header and rows of text, what "CSV of what is drawn" writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Column titles with units.
    pub header: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
}

/// A whole picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// One sentence: what the picture shows (the canvas's accessible name).
    pub title: String,
    /// What is drawn, in order.
    pub items: Vec<Item>,
    /// What can be hit (small numbers of marks; large scatters carry a `hit` grid of their own).
    pub marks: Vec<Mark>,
    /// Why nothing (or not everything) is drawn, for an empty state.
    pub message: Option<String>,
}
