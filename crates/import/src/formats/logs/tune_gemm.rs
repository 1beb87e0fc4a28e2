//! Results of `tune_gemm.py` in ROCm's Triton: a YAML list with the best configuration per size, and its rate and time
//! in a trailing comment. Without those it is a list of shapes.

use super::*;

pub(crate) const FORMAT: Format = Format {
    id: "tune-gemm",
    name: "ROCm Triton tune_gemm results (YAML)",
    produced_by: "./tune_gemm.py --gemm_size_file input.yaml --ngpus 8 --jobs 32 --o output.yaml (ROCm/triton, python/perf-kernels/tools/tune_gemm)",
    example: "- {'M': 4864, 'N': 4096, 'K': 8192, 'rowMajorA': 'T', 'rowMajorB': 'N', 'BLOCK_SIZE_M': 256, 'BLOCK_SIZE_N': 256, 'BLOCK_SIZE_K': 64, 'GROUP_SIZE_M': 4, 'SPLIT_K': 1, 'num_warps': 8, 'num_stages': 2} # TFLOPS: 563.8 time(us): 579.0\n",
    read: ReadBy::Log(&LogFormat {
        signature: &["- {", "'M':", "'N':", "'K':"],
        results: &["^- {:}"],
        also: configuration,
        library: "Triton",
        ..LogFormat::DEFAULT
    }),
};

/// Members that become columns.
const COLUMNS: [(&str, ColumnMeaning); 6] = [
    ("BLOCK_SIZE_M", ColumnMeaning::TileM),
    ("BLOCK_SIZE_N", ColumnMeaning::TileN),
    ("BLOCK_SIZE_K", ColumnMeaning::TileK),
    ("SPLIT_K", ColumnMeaning::SplitK),
    ("num_stages", ColumnMeaning::Stages),
    ("num_warps", ColumnMeaning::Warps),
];

/// Adds tile, rate and time.
fn configuration(s: &SlotValues<'_>, e: &mut Entry, rows: &mut LogRows<'_>) {
    for (name, meaning) in COLUMNS {
        // The script writes 0 stages for "no pipeline".
        let number = Some(s.number(name)).filter(|v| *v > 0.0);
        rows.table.stage_number(meaning, name, number.unwrap_or(f64::NAN));
    }
    e.rate = s.number("TFLOPS") * 1e12;
    let us = ["time(us)", "time_us", "time"].map(|name| s.get(name));
    if let Some(us) = us.iter().find(|text| !text.is_empty()) {
        let us = log::leading(us).map(|v| v.0);
        e.amend(|row| Ok(Row { time_s: log::time(us, 1e-6)?, ..row }));
    }
}
