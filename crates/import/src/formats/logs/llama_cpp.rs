//! llama.cpp's `test-backend-ops perf`: `MUL_MAT(type_a=q4_0,…): … us/run - … GFLOP/run - … TFLOPS`.
//!
//! `m` counts the rows of the weight, which is A both here and there; it is stored K-major, so A is transposed. Weights
//! come in blocks with scales. Units differ between lines.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "llama-cpp",
    name: "llama.cpp test-backend-ops perf",
    produced_by: "test-backend-ops perf -o MUL_MAT",
    example: "  MUL_MAT(type_a=q4_0,type_b=f32,m=4096,n=1,k=14336,bs=[1,1],nr=[1,1],per=[0,1,2,3]):  22152 runs -    45.22 us/run - 117.44 MFLOP/run -   2.60 TFLOPS\n",
    read: ReadBy::Log(&LogFormat {
        signature: &["MUL_MAT", "type_a=", "type_b="],
        above: &["!^Backend {}/{}: {library}", "^Device description: {device}"],
        results: &[
            "^MUL_MAT({=}): {} runs - {us} us/run - {work}/run - {rate}",
            "^MUL_MAT({=}): {failed}",
            "^MUL_MAT_ID({=}): {routed}",
        ],
        also: weight,
        output: Some(DataType::Fp32),
        transposed: [true, false],
        notes: &[
            "A is the weight with m rows, stored K-major and dequantised to the other operand's type.",
        ],
        ..LogFormat::DEFAULT
    }),
};

/// Applies compute type and batch; rejects lines that are not a GEMM.
fn weight(s: &SlotValues<'_>, e: &mut Entry, _: &mut LogRows<'_>) {
    let routed = !s.get("routed").is_empty();
    e.op_name = if routed { "MUL_MAT_ID" } else { "MUL_MAT" }.to_owned();
    e.work = log::rate_in(&format!("{}S", s.get("work")));
    if routed || !s.get("failed").is_empty() {
        e.row = Err(match s.get("failed").contains("not supported") {
            _ if routed => {
                RowError::new("rows are routed to experts (MUL_MAT_ID): not a single GEMM")
            }
            true => RowError::new("not supported by the backend"),
            false => CellError::Missing.of("time"),
        });
    }
    e.amend(|mut row| {
        // The test's inputs are fp32; the kernels dequantise the weight and round both to 16 or 8 bits.
        row.op.compute = match (row.op.a, row.op.compute) {
            (DataType::Bf16, DataType::Fp32) => DataType::Bf16,
            (a, DataType::Fp32) if a != DataType::Fp32 => DataType::Fp16,
            (_, compute) => compute,
        };
        // `bs=[2,3],nr=[1,4]`: the batch of A, and how often B repeats it.
        let factors = ["bs", "nr"].map(|name| s.get(name)).into_iter().flat_map(|t| t.split(','));
        let batch = factors.filter_map(|v| v.trim().parse::<f64>().ok()).product();
        Ok(Row { batch: log::size(batch, "batch")?, ..row })
    });
}
