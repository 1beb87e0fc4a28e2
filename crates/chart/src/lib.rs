//! Charts of GEMM benchmarks: rows in, a picture out, on a canvas or as SVG.
//!
//! A chart is opened with a [`Frame`](gemmscope_table::field::Frame) (rows, metrics, filters) and a
//! [`ViewState`](gemmscope_table::view_state::ViewState) (settings), and then drawn for a size and a theme. The result
//! is a [`Scene`](scene::Scene): shapes in CSS pixels, hit areas, and text for screen readers. A scene is plain data,
//! so one source serves the canvas of the page, SVG files, the accessible table and the tests. Only [`paint`] knows the
//! drawing library.
//!
//! ```
//! use gemmscope_chart::{palette::Theme, picture, svg::svg};
//! use gemmscope_table::{study::Study, view_state::ViewState};
//! use std::sync::Arc;
//!
//! // What a link holds: cells of everything that was measured in bf16.
//! let (state, _) = ViewState::decode("view=cells&f.dtype=bf16");
//! // Rows come from the import crate; here there are none.
//! let (frame, _) = Study::default().frame(&Arc::default(), &state, &[], || None);
//! let scene = picture::saved(&frame, &state, (800.0, None), &Theme::LIGHT).unwrap();
//! assert_eq!(scene.message.as_deref(), Some("No GEMMs yet: open a file."));
//! assert!(svg(&scene).starts_with("<svg"));
//! ```
//!
//! # Where things are
//!
//! | module | what it holds |
//! |---|---|
//! | [`caption`] | title, facts and key around a saved picture |
//! | [`chart`] | what a chart is, opened and drawn |
//! | [`charts`] | the list of charts, a folder each |
//! | [`gesture`] | state machine of pointer, wheel and keys on a drawn chart |
//! | [`interactive`] | a drawn chart that responds to pointer and keyboard |
//! | [`link_keys`] | the settings that a link can hold |
//! | [`picture`] | any chart without a page around it: for the command, reports, saved pages |
//! | [`planner`] | the charts of the planner, which need no file |
//! | `parts` | what charts are made of: [`scene`], [`scale`], ticks, text, [`labels`], [`palette`], [`legend`], layout, [`color_scale`], band scale, [`hit`] grid, [`scroll`] bars, [`camera`], [`tooltip`] |
//! | `testing` | helpers of tests (feature `testing`): a picture as text, and faults of its labels |
//! | [`paint`], [`svg`] | a scene on any backend of plotters, and as a file |
//!
//! This crate never reads files and never touches a browser.
//!
//! # To add a chart
//!
//! 1. Make a file `src/charts/<name>.rs` with a `Picture`: title, obstacle, sentences, `draw` and `table`
//!    (`columns::Columns` makes table and tooltips from one list). If marks are groups of rows, compute a `Spec`
//!    (groups, their names and figures, colours): everything but title and `draw` follows from it;
//!    `examples/time_by_type.rs` is a small example. `Chart::of` makes a [`Chart`](chart::Chart) of the picture, its
//!    settings and its [texts](chart::Statement). `Chart::scene` draws what all pictures share, `plot::Bands` names
//!    with bars, `plot::Upright` columns above names, `cells::Cells` a grid, `plot::xy` two axes. Add each mark with
//!    its number to [`Scene::hit_areas`](scene::Scene::hit_areas); `Picture::tooltip` describes it by that number.
//!    Hovering, selecting, the keyboard, saving and the accessible table then work.
//! 2. Give it a `KIND`: its key in links, its name, its question.
//! 3. Add that to [`CHARTS`](charts::CHARTS), its key to one of [`places::PLACES`], and its settings to
//!    [`link_keys::KEYS`]. The page then shows it there, the command renders it, and the tests that go through all
//!    charts draw it with every setting.
//!
//! A chart with axes that zoom, or with a clickable legend, also implements [`drawn`](chart::Chart::drawn); see the
//! roofline.

pub mod caption;
pub mod chart;
pub mod charts;
pub mod gesture;
pub mod interactive;
pub mod link_keys;
pub mod paint;
mod parts;
pub mod picture;
pub mod places;
pub mod planner;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
#[path = "examples/time_by_type.rs"]
mod time_by_type;

pub use charts::roofline;
pub use paint::svg;
pub use parts::layout::Plot;
use parts::{
    aggregate, band_scale, card, cells, clip, columns, density, fixed, layout, plot, row_names,
    spec, text, ticks, tile_marks,
};
pub use parts::{camera, color_scale, hit, labels, legend, palette, scale, scene, scroll, tooltip};
