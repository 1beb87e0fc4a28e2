//! Results of `tune_gemm.py` in ROCm's Triton: a YAML list with the best configuration of a size
//! a line, its rate and time in a comment behind it. The list without those is a list of shapes.

use super::*;
use crate::cell::values;
use gemmscope_model::units::float;

pub(crate) const FORMAT: Format = Format {
    id: "tune-gemm",
    name: "ROCm Triton tune_gemm results (YAML)",
    produced_by: "./tune_gemm.py --gemm_size_file input.yaml --ngpus 8 --jobs 32 --o output.yaml (ROCm/triton, python/perf-kernels/tools/tune_gemm)",
    example: "- {'M': 4864, 'N': 4096, 'K': 8192, 'rowMajorA': 'T', 'rowMajorB': 'N', 'BLOCK_SIZE_M': 256, 'BLOCK_SIZE_N': 256, 'BLOCK_SIZE_K': 64, 'GROUP_SIZE_M': 4, 'SPLIT_K': 1, 'num_warps': 8, 'num_stages': 2} # TFLOPS: 563.8 time(us): 579.0\n",
    read: ReadBy::Log(&LogFormat {
        knows: |head| head.any(|l| log::has(l, &["- {", "'M':", "'N':", "'K':"])),
        score: 94,
        reason: "its lines are - {'M': …, 'N': …, 'K': …}",
        parser: |_, _, rows| Box::new(TuneGemm { dtype: rows.dtype(None) }),
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

struct TuneGemm {
    dtype: DataType,
}

/// The text of a member of the printed dictionary.
fn member<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = log::after(line, &format!("'{name}':"))?;
    let end = rest.find([',', '}']).unwrap_or(rest.len());
    Some(rest[..end].trim().trim_matches('\''))
}

impl Parser for TuneGemm {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        let body = line.trim().strip_prefix("- {")?;
        let (config, comment) = body.split_once('}').unwrap_or((body, ""));
        let rate =
            log::after(comment, "TFLOPS:").and_then(log::leading).map_or(f64::NAN, |n| n.0 * 1e12);
        let mut e = Entry::new(self.row(config, comment));
        e.rate = rate;
        e.library = "Triton".to_owned();
        for (name, meaning) in COLUMNS {
            let number = member(config, name).and_then(float);
            // Stages of 0 is how this script says "no pipeline".
            let number = number.filter(|v| *v > 0.0).unwrap_or(f64::NAN);
            rows.table.stage_number(meaning, name, number);
        }
        Some(e)
    }
}

impl TuneGemm {
    fn row(&self, config: &str, comment: &str) -> Result<Row, RowError> {
        let size = |name: &str| log::size_of(member(config, name), name);
        let (m, n, k) = (size("M")?, size("N")?, size("K")?);
        let us = ["time(us):", "time_us:", "time:"]
            .iter()
            .find_map(|label| log::number_after(comment, label));
        let time = us.map_or(Ok(f64::NAN), |us| log::time(Some(us), 1e-6))?;
        // `rowMajorA: T` is a transposed operand in the words of a column-major BLAS.
        let flag = |name: &str| member(config, name).and_then(values::transpose);
        let op = Operation::uniform(self.dtype)
            .with_layout(flag("rowMajorA").unwrap_or(false), flag("rowMajorB").unwrap_or(false));
        Ok(Row::new(m, n, k, op, time))
    }
}
