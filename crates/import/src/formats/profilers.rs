//! Traces and profiles.

pub(crate) mod kernel_kind;
pub(crate) mod kineto;
pub(crate) mod ncu;
pub(crate) mod nsys;
pub(crate) mod profile;
pub(crate) mod rocprof;
pub(crate) mod sysinfo;
pub(crate) mod tracelens;

use gemmscope_table::dataset::{Dataset, RowsAndTime};

/// Rows of a profile that are no GEMM of known shape: how many, their time, their names.
#[derive(Default)]
struct Omitted {
    rows: RowsAndTime,
    names: Vec<(String, f64)>,
}

impl Omitted {
    /// Counts one with its time, seconds.
    fn add(&mut self, name: &str, time_s: f64) {
        self.rows.add(time_s);
        self.names.push((name.to_owned(), time_s));
    }
}

/// Tells the table of one file what it lacks: GEMMs without a model, and rows that are no GEMM.
fn tell_omitted(data: &mut Dataset, without_model: Omitted, not_gemm: Omitted) {
    if let Some(s) = data.sources.first_mut() {
        (s.without_model, s.not_gemm) = (without_model.rows, not_gemm.rows);
        s.name_without_model(without_model.names);
        s.name_not_gemm(not_gemm.names);
    }
}
