//! Columns of a TraceLens table. Order and number vary with version, device and options, so
//! every column is found by name.

use crate::columns::header::{Col, Header};
use gemmscope_table::dataset::ColumnMeaning::{
    self, Other, ReportedBandwidth, ReportedBytes, ReportedEfficiency, ReportedIntensity,
    ReportedRate, ReportedWork, TimeMax, TimeMin, TimeStd,
};
use gemmscope_table::trace::CALL_STACK_COLUMN;
use std::borrow::Cow;

/// Columns of one report in a table; a comparison has two such sets.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Label of the report in a comparison, "" otherwise.
    pub label: String,
    /// Operation: `aten::mm`.
    pub name: Col,
    /// Category: GEMM, elementwise.
    pub category: Option<Col>,
    /// Parameters of the report's model of the operation, one per column, see [`PARTS`].
    pub parts: Vec<(&'static str, Col)>,
    /// The same parameters as one dict.
    pub params: Option<Col>,
    /// Shapes of all inputs.
    pub dims: Option<Col>,
    /// Types of all inputs.
    pub input_types: Option<Col>,
    /// Strides of all inputs.
    pub input_strides: Option<Col>,
    /// Scalar inputs.
    pub numbers_of_inputs: Option<Col>,
    /// Mean over all calls, and their sum, each with its unit in seconds.
    pub mean: Option<(Col, f64)>,
    pub sum: Option<(Col, f64)>,
    /// Number of calls.
    pub count: Option<Col>,
    /// Kernels with their times: full and shortened names.
    pub kernels: [Option<Col>; 2],
    /// Id of the operation in the trace.
    pub uid: Option<Col>,
    /// The columns of [`NUMBERS`], each with its factor to SI.
    pub numbers: [Option<(Col, f64)>; NUMBERS.len()],
    /// The columns of [`TEXTS`].
    pub texts: [Option<Col>; TEXTS.len()],
    /// `True` if the report has a performance model of the operation.
    pub modelled: Option<Col>,
}

/// Names of sizes, types and layout in the report's model.
const PARTS: [&str; 17] = [
    "M",
    "N",
    "K",
    "B",
    "bias",
    "dtype_A_B",
    "transpose",
    "stride_A",
    "stride_B",
    "num_tokens",
    "hidden_dim",
    "inter_dim",
    "num_experts",
    "topk",
    "gated",
    "input_dtype",
    "weight_dtype",
];

/// Names of the parameters of experts.
pub(super) const EXPERTS: [&str; 5] =
    ["num_tokens", "hidden_dim", "inter_dim", "num_experts", "topk"];

/// Titles of the mean kernel time of an operation, separated by `|`.
const MEAN: &str =
    "Kernel Time (us)_mean|total_direct_kernel_time_mean|kernel_time_us_mean|kernel_time_ms_mean";
const SUM: &str =
    "Kernel Time (us)_sum|total_direct_kernel_time_sum|kernel_time_us_sum|kernel_time_ms_sum";

/// A number kept in the table: meaning, label, titles separated by `|`, factor to SI. The factor is NaN for a time,
/// whose unit is in the title.
pub(super) type Number = (ColumnMeaning, &'static str, &'static str, f64);

/// The numbers that a report states per operation.
pub(super) const NUMBERS: [Number; 10] = [
    (ReportedRate, "TFLOPS/s_mean", "TFLOPS/s_mean|achieved_tflops_mean", 1e12),
    (ReportedBandwidth, "TB/s_mean", "TB/s_mean|achieved_tbps_mean", 1e12),
    (
        ReportedIntensity,
        "FLOPS/Byte",
        "FLOPS/Byte_first|FLOPS/Byte|arithmetic_intensity_flops_per_byte",
        1.0,
    ),
    (ReportedWork, "GFLOPS", "GFLOPS_first|GFLOPS|gflops", 1e9),
    // MiB, despite the title.
    (
        ReportedBytes,
        "Data Moved (MB)",
        "Data Moved (MB)_first|Data Moved (MB)|data_moved_mb",
        1_048_576.0,
    ),
    (ReportedEfficiency, "Pct Roofline_mean", "Pct Roofline_mean|pct_roofline_mean", 0.01),
    (
        TimeStd,
        "Kernel Time std",
        "Kernel Time (us)_std|total_direct_kernel_time_std|kernel_time_us_std|kernel_time_ms_std",
        f64::NAN,
    ),
    (
        TimeMin,
        "Kernel Time min",
        "Kernel Time (us)_min|total_direct_kernel_time_min|kernel_time_us_min|kernel_time_ms_min",
        f64::NAN,
    ),
    (
        TimeMax,
        "Kernel Time max",
        "Kernel Time (us)_max|total_direct_kernel_time_max|kernel_time_us_max|kernel_time_ms_max",
        f64::NAN,
    ),
    (Other, "Roofline Time", "Roofline Time (us)_first|roofline_time_us", f64::NAN),
];

/// Text columns that are kept, with their titles: the peak in use (`matrix_bf16`), callers, and the phase of a
/// server (prefill, decode).
pub(super) const TEXTS: [(&str, &str); 3] = [
    ("Compute Spec", "Compute Spec|compute_spec"),
    (CALL_STACK_COLUMN, "call_stack_full|call_stack"),
    ("entry_point", "entry_point"),
];

/// Replaces both micro signs by `u`.
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    if name.contains(['µ', 'μ']) {
        Cow::Owned(name.replace(['µ', 'μ'], "u"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Labels of a comparison in order of appearance: the part before `::` in the title of a report's column.
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
    /// Finds the columns of one report. `label` is "" for an ordinary table; shared columns of a
    /// comparison have no label.
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
        let any = |wanted: &str| wanted.split('|').find_map(one);
        let scaled = |wanted: &str, scale: f64| {
            wanted.split('|').find_map(|w| {
                let unit_s = if w.contains("ms") { 1e-3 } else { 1e-6 };
                Some((one(w)?, if scale.is_nan() { unit_s } else { scale }))
            })
        };
        let part = |name| Some((name, one(&format!("param: {name}"))?));
        let parts: Vec<_> = PARTS.into_iter().filter_map(part).collect();
        let has = |names: &[&str]| names.iter().all(|name| parts.iter().any(|(n, _)| n == name));
        let sized = has(&["M", "N", "K"]) || has(&EXPERTS);
        let columns = Columns {
            label: label.to_owned(),
            name: any("name|op_name")?,
            category: any("op category|source_category"),
            parts: if sized { parts } else { Vec::new() },
            params: any("perf_params|params_json"),
            dims: any("Input Dims_first|Input Dims|input_dims"),
            input_types: any("Input type_first|Input type|input_type"),
            input_strides: any("Input Strides_first|Input Strides"),
            numbers_of_inputs: any("Concrete Inputs_first|Concrete Inputs"),
            mean: scaled(MEAN, f64::NAN),
            sum: scaled(SUM, f64::NAN),
            count: any("name_count|operation_count"),
            kernels: [
                any("kernel_details__summarize_kernel_stats|kernel_details_summary"),
                one("trunc_kernel_details"),
            ],
            uid: any("UID_first|ex_UID"),
            numbers: NUMBERS.map(|(_, _, titles, scale)| scaled(titles, scale)),
            texts: TEXTS.map(|(_, titles)| any(titles)),
            modelled: one("has_perf_model"),
        };
        let shaped = sized || columns.params.is_some() || columns.dims.is_some();
        let timed = columns.mean.is_some() || columns.sum.is_some();
        (shaped && timed).then_some(columns)
    }
}
