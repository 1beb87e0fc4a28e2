//! Which columns a TraceLens table has. Order and number vary with version, device and options,
//! so that every column is found by name.

use crate::columns::header::{Col, Header};
use std::borrow::Cow;

/// Columns of one report in a table; a comparison has two such sets side by side.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Label of the report in a comparison, "" otherwise.
    pub label: String,
    /// Operation: `aten::mm`.
    pub name: Col,
    /// Category: GEMM, elementwise.
    pub category: Option<Col>,
    /// M, N, K, each in a column of its own.
    pub sizes: Option<[Col; 3]>,
    /// Batch.
    pub batch: Option<Col>,
    /// Bias flag.
    pub bias: Option<Col>,
    /// Types of A and B.
    pub types: Option<Col>,
    /// BLAS flags.
    pub transpose: Option<Col>,
    /// Strides of A and B.
    pub strides: Option<[Col; 2]>,
    /// All of the above as one dict.
    pub params: Option<Col>,
    /// Shapes of all inputs.
    pub dims: Option<Col>,
    /// Types of all inputs.
    pub input_types: Option<Col>,
    /// Strides of all inputs.
    pub input_strides: Option<Col>,
    /// Mean, sum, standard deviation, shortest and longest time, each with its unit in seconds.
    pub mean: Option<Timed>,
    /// Sum over all calls.
    pub sum: Option<Timed>,
    /// Standard deviation.
    pub std: Option<Timed>,
    /// Shortest call.
    pub min: Option<Timed>,
    /// Longest call.
    pub max: Option<Timed>,
    /// Calls.
    pub count: Option<Col>,
    /// Kernels with their times, full and shortened names.
    pub kernels: [Option<Col>; 2],
    /// Operation id in the trace.
    pub uid: Option<Col>,
    /// Rate in TFLOP/s.
    pub rate: Option<Col>,
    /// Bandwidth in TB/s.
    pub bandwidth: Option<Col>,
    /// Arithmetic intensity.
    pub intensity: Option<Col>,
    /// Work in GFLOP.
    pub work: Option<Col>,
    /// Bytes in MiB, whatever the header says.
    pub bytes: Option<Col>,
    /// Percentage of the roof.
    pub efficiency: Option<Col>,
    /// Roof time.
    pub roof_time: Option<Timed>,
    /// `matrix_bf16`.
    pub spec: Option<Col>,
    /// `True` where the report has a model of the operation.
    pub modelled: Option<Col>,
    /// Callers.
    pub call_stack: Option<Col>,
    /// Phase of a server: prefill, decode.
    pub entry_point: Option<Col>,
}

/// A time column and the seconds of one of its units.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    /// Its position.
    pub col: Col,
    /// The unit in seconds.
    pub unit_s: f64,
}

/// The micro sign in its other spelling, and both as a plain `u`.
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    if name.contains(['µ', 'μ']) {
        Cow::Owned(name.replace(['µ', 'μ'], "u"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Labels of a comparison, in order of appearance: the part in front of `::` in a column that a
/// report would have.
pub(super) fn labels(header: &Header) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for name in &header.names {
        let plain = plain(name);
        if let Some((label, rest)) = plain.split_once("::")
            && (rest.starts_with("Kernel Time (us)")
                || rest.starts_with("TFLOPS/s")
                || rest == "name_count")
            && !labels.iter().any(|l| l == label)
        {
            labels.push(label.to_owned());
        }
    }
    labels
}

impl Columns {
    /// Finds the columns of one report. `label` is "" for an ordinary table; columns that a
    /// comparison shares carry no label.
    pub(super) fn find(header: &Header, label: &str) -> Option<Columns> {
        let plain_names: Vec<String> =
            header.names.iter().map(|n| plain(n.trim()).into_owned()).collect();
        let one = |wanted: &str| -> Option<Col> {
            let prefixed = format!("{label}::{wanted}");
            plain_names
                .iter()
                .position(|n| !label.is_empty() && *n == prefixed)
                .or_else(|| plain_names.iter().position(|n| n == wanted))
                .map(|index| Col { index, name: header.names[index].trim().to_owned() })
        };
        let any = |wanted: &[&str]| wanted.iter().find_map(|w| one(w));
        let timed = |wanted: &[&str]| {
            wanted.iter().find_map(|w| {
                one(w).map(|col| Timed { col, unit_s: if w.contains("ms") { 1e-3 } else { 1e-6 } })
            })
        };
        let of_kernel = |what: &str| {
            timed(&[
                &format!("Kernel Time (us)_{what}"),
                &format!("total_direct_kernel_time_{what}"),
                &format!("kernel_time_us_{what}"),
                &format!("kernel_time_ms_{what}"),
            ])
        };
        let sizes = match (one("param: M"), one("param: N"), one("param: K")) {
            (Some(m), Some(n), Some(k)) => Some([m, n, k]),
            _ => None,
        };
        let columns = Columns {
            label: label.to_owned(),
            name: any(&["name", "op_name"])?,
            category: any(&["op category", "source_category"]),
            sizes,
            batch: one("param: B"),
            bias: one("param: bias"),
            types: one("param: dtype_A_B"),
            transpose: one("param: transpose"),
            strides: one("param: stride_A").zip(one("param: stride_B")).map(|(a, b)| [a, b]),
            params: any(&["perf_params", "params_json"]),
            dims: any(&["Input Dims_first", "Input Dims", "input_dims"]),
            input_types: any(&["Input type_first", "Input type", "input_type"]),
            input_strides: any(&["Input Strides_first", "Input Strides"]),
            mean: of_kernel("mean"),
            sum: of_kernel("sum"),
            std: of_kernel("std"),
            min: of_kernel("min"),
            max: of_kernel("max"),
            count: any(&["name_count", "operation_count"]),
            kernels: [
                any(&["kernel_details__summarize_kernel_stats", "kernel_details_summary"]),
                one("trunc_kernel_details"),
            ],
            uid: any(&["UID_first", "ex_UID"]),
            rate: any(&["TFLOPS/s_mean", "achieved_tflops_mean"]),
            bandwidth: any(&["TB/s_mean", "achieved_tbps_mean"]),
            intensity: any(&[
                "FLOPS/Byte_first",
                "FLOPS/Byte",
                "arithmetic_intensity_flops_per_byte",
            ]),
            work: any(&["GFLOPS_first", "GFLOPS", "gflops"]),
            bytes: any(&["Data Moved (MB)_first", "Data Moved (MB)", "data_moved_mb"]),
            efficiency: any(&["Pct Roofline_mean", "pct_roofline_mean"]),
            roof_time: timed(&["Roofline Time (us)_first", "roofline_time_us"]),
            spec: any(&["Compute Spec", "compute_spec"]),
            modelled: one("has_perf_model"),
            call_stack: any(&["call_stack_full", "call_stack"]),
            entry_point: one("entry_point"),
        };
        let shaped = columns.sizes.is_some() || columns.params.is_some() || columns.dims.is_some();
        let timed = columns.mean.is_some() || columns.sum.is_some();
        (shaped && timed).then_some(columns)
    }
}
