//! Building blocks of charts: the scene, scales, ticks, text, colours, legends and hit testing.

pub(crate) mod aggregate;
pub(crate) mod band_scale;
pub mod camera;
pub(crate) mod card;
pub(crate) mod cells;
pub(crate) mod clip;
pub mod color_scale;
pub(crate) mod columns;
pub(crate) mod density;
pub(crate) mod fixed;
pub mod hit;
pub mod labels;
pub(crate) mod layout;
pub mod legend;
pub mod palette;
pub(crate) mod plot;
pub(crate) mod row_names;
pub mod scale;
pub mod scene;
pub mod scroll;
pub(crate) mod spec;
pub(crate) mod text;
pub(crate) mod ticks;
pub(crate) mod tile_marks;
pub mod tooltip;
