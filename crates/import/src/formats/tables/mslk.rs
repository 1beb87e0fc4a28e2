//! MSLK's `gemm_bench`: time, rate and bandwidth of each kernel in columns prefixed with its name.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "mslk",
    name: "MSLK gemm_bench",
    produced_by: "python bench/gemm/gemm_bench.py --kernels bf16_baseline,fp8_rowwise --export_csv (MSLK)",
    example: "M,N,K,bf16_baseline_ms,bf16_baseline_tflops,bf16_baseline_gb/s,fp8_rowwise_ms,fp8_rowwise_tflops,fp8_rowwise_gb/s\n\
              4096,8192,8192,0.9,610.8,298.3,0.5,1099.5,335.5\n",
    read: ReadBy::Table(&TableFormat {
        claim,
        columns: &[BATCHES],
        figure: Some(|title| {
            let (kernel, quantity, scale) = [
                ("_ms", Quantity::Time, MILLI),
                ("_tflops", Quantity::Rate, TERA),
                ("_gb/s", Quantity::Bandwidth, GIGA),
                ("_gbps", Quantity::Bandwidth, GIGA),
            ]
            .into_iter()
            .find_map(|(suffix, quantity, s)| Some((title.strip_suffix(suffix)?, quantity, s)))?;
            (!kernel.is_empty()).then_some(Figure::In(kernel, quantity, scale))
        }),
        dtype: DataType::Bf16,
        of_name: |name| (type_in_name(name), None),
        transposed: [false, true],
        ..TableFormat::DEFAULT
    }),
};

/// Finds `fp8` in `fp8_rowwise`.
fn type_in_name(name: &str) -> Option<DataType> {
    name.split(['_', '-', '.'])
        .filter(|w| w.bytes().any(|b| b.is_ascii_digit()))
        .find_map(DataType::parse)
}

fn claim(head: &Head) -> Option<Claim> {
    let fields = Head::fields(head.first());
    let has = |n: &str| fields.iter().any(|f| f.eq_ignore_ascii_case(n));
    if !(has("m") && has("n") && has("k")) {
        return None;
    }
    let of = |kernel: &str, suffix: &str| {
        let mut titles = fields.iter().filter_map(|f| f.strip_suffix(suffix));
        titles.any(|k| k == kernel)
    };
    // Other scripts write the first two as well.
    let kernels = fields
        .iter()
        .filter_map(|f| f.strip_suffix("_tflops"))
        .filter(|k| of(k, "_ms") && (of(k, "_gb/s") || of(k, "_gbps")))
        .count();
    // A single prefix is a plain table (`avg_ms`, `avg_tflops`).
    (kernels > 1).then(|| Claim::signature(3))
}
