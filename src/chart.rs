//! Pictures: data -> [`scene::Scene`] (pure) -> one painter.
//!
//! [`scale`], [`ticks`], [`text`], [`labels`], [`palette`] and [`layout`] are the parts a chart is
//! made of; [`paint`] and [`svg`] put a scene on a drawing backend. [`view`] lists the analysis views
//! and what the page needs of each; their settings are [`control`]s.

pub mod bars;
pub mod card;
pub mod clip;
pub mod coloring;
pub mod combine;
pub mod compare;
pub mod control;
pub mod density;
pub mod heatmap;
pub mod hit;
pub mod labels;
pub mod layout;
pub mod paint;
pub mod palette;
pub mod pareto;
pub mod parts;
pub mod planned;
pub mod planner;
pub mod roofline;
pub mod scale;
pub mod scene;
pub mod scroll;
pub mod slots;
pub mod strip;
pub mod svg;
pub mod text;
pub mod ticks;
pub mod tilemap;
pub mod tuning;
pub mod view;
pub mod winner;
