//! Files that describe devices rather than measurements.

pub(crate) mod device_file;
pub(crate) mod device_table;

use gemmscope_model::dtype::DataType;
use gemmscope_model::hardware::{Engine, Peak};

/// A dense peak from `rate` in FLOP/s. With `achievable` it was measured with large GEMMs and is stored as that too.
fn peak(engine: Engine, dtype: DataType, rate: f64, achievable: bool, source: &str) -> Peak {
    Peak {
        dtype,
        engine,
        accumulate: Some(dtype.default_accumulate()),
        flops_per_s: rate,
        dense: true,
        achievable_flops_per_s: achievable.then_some(rate),
        achievable_source: achievable.then(|| source.to_owned()),
        source: source.to_owned(),
    }
}
