//! Traces and profiles.

pub(crate) mod kernel_kind;
pub(crate) mod kineto;
pub(crate) mod ncu;
pub(crate) mod nsys;
pub(crate) mod profile;
pub(crate) mod rocprof;
pub(crate) mod sysinfo;
pub(crate) mod tracelens;
