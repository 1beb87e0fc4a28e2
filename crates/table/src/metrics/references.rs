//! Reference time (what others reach) of each row.

use super::Metrics;
use crate::dataset::Dataset;
use gemmscope_model::gemm::Problem;
use gemmscope_model::hardware::Device;
use gemmscope_model::reference::{ReferenceTime, Standing};
use rustc_hash::FxHashMap;

/// Time in seconds and its error as a factor; NaN if nothing is published.
type Known = (f32, f32);

/// Reference times by row; empty if no device has a table.
#[derive(Clone, Debug, Default)]
pub(super) struct References {
    rows: Vec<Known>,
    /// Cache by device and GEMM, since rows repeat them.
    seen: FxHashMap<(u16, u16, [u32; 4], bool), Known>,
}

impl References {
    /// Looks up the rows added to the dataset since the last call.
    pub(super) fn extend(&mut self, data: &Dataset, devices: &[Option<Device>]) {
        let has_table = |d: &Device| !d.references.tables().is_empty();
        if !devices.iter().flatten().any(has_table) {
            return;
        }
        self.rows.reserve_exact(data.len() - self.rows.len());
        for row in self.rows.len()..data.len() {
            let sizes = [data.m[row], data.n[row], data.k[row], data.batch[row]];
            let key = (data.device[row], data.op[row], sizes, data.is_column_major(row));
            let known = self.seen.entry(key).or_insert_with(|| {
                time(data, devices, row)
                    .map_or((f32::NAN, f32::NAN), |t| (t.time_s as f32, t.error as f32))
            });
            self.rows.push(*known);
        }
    }
}

/// The row's GEMM in row-major terms: a column-major product is the row-major product of the transposed operands in
/// reverse order.
fn row_major(data: &Dataset, row: usize) -> Problem {
    let problem = data.problem(row);
    if !data.is_column_major(row) {
        return problem;
    }
    // A column-major matrix has the bytes of its row-major transpose.
    let mut op = problem.op.with_layout(problem.op.trans_b, problem.op.trans_a);
    (op.a, op.b) = (op.b, op.a);
    Problem { m: problem.n, n: problem.m, op, ..problem }
}

fn time(data: &Dataset, devices: &[Option<Device>], row: usize) -> Option<ReferenceTime> {
    let device = devices.get(usize::from(data.device[row]))?.as_ref()?;
    device.references.time(&row_major(data, row))
}

impl Metrics {
    /// Reference time of a row's GEMM, with source and error; `None` if nothing similar is published or its table is
    /// not loaded.
    pub fn reference(&self, data: &Dataset, row: usize) -> Option<ReferenceTime> {
        time(data, &self.devices, row)
    }

    /// How the time of a row stands beside that; `None` without one of them.
    pub fn standing(&self, data: &Dataset, row: usize) -> Option<Standing> {
        let (published_s, error) = self.references.rows.get(row)?;
        let known = !published_s.is_nan() && !data.time_s[row].is_nan();
        known.then(|| Standing::of(data.time_s[row], f64::from(*published_s), f64::from(*error)))
    }

    /// True where the device of some row has a table.
    pub fn has_references(&self) -> bool {
        !self.references.rows.is_empty()
    }

    /// Seconds of [`reference`](Self::reference); NaN without it.
    pub fn reference_s(&self, row: usize) -> f64 {
        self.references.rows.get(row).map_or(f64::NAN, |known| f64::from(known.0))
    }

    /// Like [`reference_s`](Self::reference_s), at the slow end of the error.
    pub fn reference_slow_s(&self, row: usize) -> f64 {
        self.references.rows.get(row).map_or(f64::NAN, |known| f64::from(known.0 * known.1))
    }
}
