//! SGLang's and vLLM's GEMM benchmarks as printed by pandas: one column per library.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "sglang",
    name: "SGLang / vLLM GEMM benchmark (printed table)",
    produced_by: "python benchmark/kernels/deepseek/benchmark_deepgemm_fp8_gemm.py --run_correctness (SGLang), benchmarks/kernels/bench_fp8_gemm.py (vLLM)",
    example: "          m        n        k  tp_size     DeepGEMM       SGLang         vLLM\n\
              0       8.0    576.0   7168.0      1.0    61.087999    45.120001    47.231998\n",
    read: ReadBy::Table(&TableFormat {
        claim: |head| is_printed(head).then(|| Claim::signature(3)),
        columns: &[BATCHES],
        figure: Some(|title| {
            let setting = ["tp_size", "tp", "batch_size", "num_groups", "batch"];
            let is_setting = setting.iter().any(|s| title.eq_ignore_ascii_case(s));
            (!is_setting).then_some(Figure::Asked(title))
        }),
        dtype: DataType::Fp8E4m3,
        output: Some(DataType::Bf16),
        transposed: [false, true],
        ..TableFormat::DEFAULT
    }),
};

/// Words in the provider columns of these benchmarks.
const SERVED: [&str; 5] = ["sglang", "sgl", "vllm", "deepgemm", "flashinfer"];

fn is_printed(head: &Head) -> bool {
    head.lines.iter().any(|line| {
        let titles = Head::fields(line);
        let has = |n: &str| titles.iter().any(|w| w.eq_ignore_ascii_case(n));
        let serves = |w: &&str| SERVED.iter().any(|s| w.to_ascii_lowercase().contains(s));
        // An untitled index column shows that pandas printed it.
        let indexed = titles[0].is_empty();
        has("m") && has("n") && has("k") && titles.iter().any(serves) && indexed
    })
}
