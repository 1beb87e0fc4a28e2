//! Logs of BLAS calls: hipBLASLt (`HIPBLASLT_LOG_MASK=32`) and rocBLAS (`ROCBLAS_LAYER=2` and `4`) write a command line
//! of their benchmark or a YAML item per call; cuBLASLt (`CUBLASLT_LOG_LEVEL=5`) writes a line of descriptors.
//! Column-major shapes with numbers of calls, without times.

use super::*;
use gemmscope_model::dtype::from_blas_letter;

pub(crate) const FORMAT: Format = Format {
    id: "blas-calls",
    name: "hipBLASLt, rocBLAS and cuBLASLt call logs",
    produced_by: "HIPBLASLT_LOG_MASK=32 ./app (hipBLASLt), ROCBLAS_LAYER=4 ./app (rocBLAS), or CUBLASLT_LOG_LEVEL=5 ./app (cuBLASLt)",
    example: "hipblaslt-bench --api_method c -m 10240 -n 1 -k 8192 --lda 8192 --ldb 8192 --ldc 10240 --transA T --transB N --a_type bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r --compute_type f32_r\n\
              - { rocblas_function: \"rocblas_gemm_ex\", transA: \"T\", transB: \"N\", M: 12288, N: 4547, K: 4608, a_type: f16_r, b_type: f16_r, c_type: f16_r, compute_type: f32_r, call_count: 12 }\n",
    read: ReadBy::Log(&CALLS),
};

const CALLS: LogFormat = LogFormat {
    knows: |_, head| head.any(|l| call(l).is_some_and(|(_, call)| !call.get("m").is_empty())),
    parser: |_, _, _| Box::new(Calls),
    ..LogFormat::DEFAULT
};

struct Calls;

/// Library and parameters of a call.
fn call(line: &str) -> Option<(&'static str, Slots<'_>)> {
    if line.contains("{ rocblas_function:") || line.contains("{rocblas_function:") {
        return Some(("rocBLAS", pairs(line, ':')));
    }
    if let Some((_, call)) = line.split_once("[cublasLtMatmul]") {
        return Some(("cuBLASLt", descriptors(call)));
    }
    let command = |(name, library): (&str, _)| Some((library, options(&line[line.find(name)?..])));
    [("hipblaslt-bench -", "hipBLASLt"), ("rocblas-bench -", "rocBLAS")]
        .into_iter()
        .find_map(command)
}

/// Parses `Adesc=[type=R_16BF rows=4096 cols=1024 ld=4096] … computeDesc=[… transa=OP_T]`.
fn descriptors(call: &str) -> Slots<'_> {
    let all = pairs(call, '=');
    let of = |descriptor: &str, name: &str| pairs(all.get(descriptor), '=').get(name);
    let op = |name| match of("computeDesc", name) {
        "" => "N",
        op => op.trim_start_matches("OP_"),
    };
    let k = if op("transa") == "N" { "cols" } else { "rows" };
    let known = [
        ("m", of("Ddesc", "rows")),
        ("n", of("Ddesc", "cols")),
        ("k", of("Adesc", k)),
        ("batch", of("Adesc", "batchCount")),
        ("a", op("transa")),
        ("b", op("transb")),
        ("dtype_a", of("Adesc", "type")),
        ("dtype_b", of("Bdesc", "type")),
        ("dtype_d", of("Ddesc", "type")),
    ];
    known.into_iter().fold(Slots::default(), |slots, (name, text)| slots.with(name, text))
}

impl Parser for Calls {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        let (library, call) = call(line)?;
        let function = Some(call.get("op_name")).filter(|f| !f.is_empty()).unwrap_or("gemm");
        if !(function.contains("gemm") || function == "matmul") {
            return None;
        }
        let bias = call.all().any(|(name, value)| name == "bias_vector" && value != "0");
        let letter = function.trim_start_matches("rocblas_").get(..1).unwrap_or("");
        let typed = ["dtype", "dtype_a"].iter().any(|name| !call.get(name).is_empty());
        if !typed && letter.chars().all(|l| from_blas_letter(l).is_none()) {
            return Some(Entry::new(Err(CellError::Missing.of("data type"))));
        }
        let known =
            [("letter", letter), ("op_name", function), ("library", library), ("count", "1")];
        let said = SlotValues::new(
            known.into_iter().fold(call, |call, (name, text)| call.with(name, text)),
        );
        let mut e = said.entry(&CALLS, rows)?;
        e.amend(|row| Ok(Row { op: Operation { bias, ..row.op }, ..row }));
        Some(e)
    }
}
