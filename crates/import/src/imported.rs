//! Result of reading a file.

use gemmscope_model::hardware::Device;
use gemmscope_table::dataset::{Dataset, TraceContext};

/// Contents of a file.
#[derive(Debug)]
pub enum Imported {
    /// Rows.
    Table(Box<Dataset>),
    /// Devices (gemmscope device JSON or TraceLens arch file).
    Devices(Vec<Device>),
    /// Context of a trace report's table; [`gemmscope_table::trace::attach`] attaches it.
    Context(Box<TraceContext>),
}

impl Imported {
    /// Wraps a finished table.
    pub fn table(data: Dataset) -> Self {
        Imported::Table(Box::new(data))
    }
}
