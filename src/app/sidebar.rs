//! The side panel: the loaded files and the filters.

pub mod facet;
pub mod files;
pub mod filters;
