//! What a file turned out to hold.

use gemmscope_model::hardware::Device;
use gemmscope_table::dataset::{Dataset, TraceContext};

/// What a file turned out to hold.
#[derive(Debug)]
pub enum Imported {
    /// Rows.
    Table(Box<Dataset>),
    /// Devices (a device JSON of ours or a TraceLens arch file).
    Devices(Vec<Device>),
    /// The surroundings of a trace report's table; [`gemmscope_table::trace::attach`] puts them in place.
    Context(Box<TraceContext>),
}

impl Imported {
    /// Wraps a finished table.
    pub fn table(data: Dataset) -> Self {
        Imported::Table(Box::new(data))
    }
}
