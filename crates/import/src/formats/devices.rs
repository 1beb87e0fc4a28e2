//! Files that describe devices.

pub(crate) mod device_file;
pub(crate) mod device_table;
