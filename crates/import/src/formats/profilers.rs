//! Traces and profiles, from profilers of kernels and frameworks.

pub(crate) mod kernel_kind;
pub(crate) mod kineto;
pub(crate) mod launch_table;
pub(crate) mod ncu;
pub(crate) mod nsys;
pub(crate) mod profile;
pub(crate) mod rocprof;
pub(crate) mod sysinfo;
pub(crate) mod tracelens;

use gemmscope_table::dataset::{Dataset, RowsAndTime};

/// Statistics over the calls merged into one row; times in seconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    calls: f64,
    sum: f64,
    squares: f64,
    /// NaN until the first call; `f64::min` ignores it.
    min: f64,
    max: f64,
}

impl Times {
    const NONE: Times = Times { calls: 0.0, sum: 0.0, squares: 0.0, min: f64::NAN, max: f64::NAN };

    fn add(&mut self, time_s: f64) {
        self.calls += 1.0;
        self.sum += time_s;
        self.squares += time_s * time_s;
        self.min = self.min.min(time_s);
        self.max = self.max.max(time_s);
    }

    fn mean(&self) -> f64 {
        self.sum / self.calls
    }

    /// Minimum, maximum and sample standard deviation in seconds; NaN for fewer than two calls.
    fn spread(&self) -> [f64; 3] {
        if !(self.calls > 1.0 && self.sum.is_finite()) {
            return [f64::NAN; 3];
        }
        let variance = (self.squares - self.sum * self.sum / self.calls) / (self.calls - 1.0);
        [self.min, self.max, variance.max(0.0).sqrt()]
    }
}

/// Calls of a profile that give no row: count, total time, names.
#[derive(Default)]
struct Omitted {
    all: RowsAndTime,
    names: Vec<(String, RowsAndTime)>,
}

impl Omitted {
    /// Adds calls with their total time in seconds. A missing number of calls counts as one.
    fn add(&mut self, name: &str, calls: f64, time_s: f64) {
        let calls = if calls >= 1.0 { calls as u64 } else { 1 };
        let mut of_name = RowsAndTime::default();
        of_name.add_calls(calls, time_s);
        self.all.add_calls(calls, time_s);
        self.names.push((name.to_owned(), of_name));
    }
}

/// Records on the source of one file what has no row: GEMMs without a shape, and other kernels.
fn tell_omitted(data: &mut Dataset, without_model: Omitted, not_gemm: Omitted) {
    if let Some(s) = data.sources.first_mut() {
        (s.without_model, s.not_gemm) = (without_model.all, not_gemm.all);
        s.name_without_model(without_model.names);
        s.name_not_gemm(not_gemm.names);
    }
}
