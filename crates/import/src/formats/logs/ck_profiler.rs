//! Composable Kernel's ckProfiler: `Perf: 1.19 ms, 107.977 TFlops, 79.08 GB/s, <kernel>`.
//!
//! The sizes come from the command line, from the tensor descriptors (`a_m_k: dim 2, lengths {M, K}`) or from the
//! problem line before the results. Examples of CK Tile state everything in one line.

use super::*;
use crate::cell::shape_text::labelled;

pub(crate) const FORMAT: Format = Format {
    id: "ck-profiler",
    name: "Composable Kernel ckProfiler",
    produced_by: "ckProfiler gemm 1 1 1 1 0 1 4096 4096 4096 4096 4096 4096",
    example: "a_m_k: dim 2, lengths {4096, 4096}, strides {4096, 1}\nb_k_n: dim 2, lengths {4096, 4096}, strides {1, 4096}\n\
              Perf: 1.19 ms, 115.5 TFlops, 84.6 GB/s, DeviceGemm_Xdl_CShuffle<Default, 256, 256, 128, 32>\n",
    read: ReadBy::Log(&LogFormat {
        knows: |_, head| {
            head.any(|l| {
                let l = l.to_ascii_lowercase();
                log::has(&l, &["perf: ", " ms, ", "tflops"]) || slots(TILE, &l).is_some()
            })
        },
        parser: |_, _, _| {
            Box::new(CkProfiler {
                sizes: [None; 3],
                batch: 1,
                layout: (false, false),
                found: None,
                best: 0,
                results: 0,
            })
        },
        ..LogFormat::DEFAULT
    }),
};

/// Result line of CK Tile's examples, in lower case.
const TILE: &str = "kernel with {=} : {ms} ms, {tflops} tflops, {gbps} gb/s";

const OF_TILE: LogFormat = LogFormat { library: "Composable Kernel", ..LogFormat::DEFAULT };

/// Parses `A_Layout =RowMajor B_Layout =ColumnMajor … A Type = fp16`.
fn tile_result(line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
    let lower = line.to_ascii_lowercase();
    let lower = lower.contains("kernel with ").then(|| lower.replace(" type", "_type"))?;
    let s = slots(TILE, &lower)?;
    let [a, b] = ["a_layout", "b_layout"].map(|operand| s.get(operand).starts_with("col"));
    let mut e = SlotValues::new(s).entry(&OF_TILE, rows)?;
    e.amend(|row| Ok(Row { op: row.op.with_layout(a, b), ..row }));
    Some(e)
}

struct CkProfiler {
    /// M, N and K.
    sizes: [Option<u32>; 3],
    batch: u32,
    layout: (bool, bool),
    found: Option<DataType>,
    best: u64,
    /// Number of results of the current problem.
    results: u64,
}

/// The last two lengths of a descriptor, and whether the first of them is contiguous.
fn lengths(text: &str) -> Option<(u32, u32, u32, bool)> {
    let list = |label: &str| -> Option<Vec<u32>> {
        let inside = log::after(text, label)?.strip_prefix('{')?.split('}').next()?;
        inside.split(',').map(|v| v.trim().parse().ok()).collect::<Option<Vec<u32>>>()
    };
    let sizes = list("lengths")?;
    let strides = list("strides").unwrap_or_default();
    let [batch @ .., a, b] = &sizes[..] else {
        return None;
    };
    let column =
        strides.len().checked_sub(2).is_some_and(|i| strides[i] == 1 && strides[i + 1] != 1);
    Some((batch.first().copied().unwrap_or(1), *a, *b, column))
}

impl CkProfiler {
    fn problem(&mut self, line: &str) -> bool {
        let trimmed = line.trim();
        for (label, which) in [("a_", 0), ("b_", 1)] {
            let of_operand = trimmed.strip_prefix(label).is_some_and(|r| r.contains("lengths"));
            if of_operand && let Some((batch, x, y, column)) = lengths(trimmed) {
                if which == 0 {
                    (self.sizes[0], self.sizes[2]) = (Some(x), Some(y));
                    self.layout.0 = column;
                } else {
                    let k = self.sizes[2];
                    self.sizes[1] = Some(if k == Some(x) || k != Some(y) { y } else { x });
                    self.layout.1 = column;
                }
                self.batch = batch.max(1);
                return true;
            }
        }
        // `M = 4096, N = 4096, K = 4096`
        if let Some(shape) = labelled(line) {
            self.sizes = shape.sizes.map(Some);
            self.batch = log::size_after(line, "Batch").unwrap_or(1);
            return true;
        }
        // The command line: `ckProfiler gemm 1 1 1 1 0 1 M N K …`.
        if let Some(rest) = log::after(line, "ckProfiler gemm ") {
            let args: Vec<u32> = rest.split_whitespace().map_while(|a| a.parse().ok()).collect();
            if let [dtype, layout, _, _, _, _, m, n, k, ..] = args[..] {
                self.sizes = [m, n, k].map(Some);
                self.layout = (layout >= 2, layout % 2 == 1);
                self.found = [DataType::Fp32, DataType::Fp16, DataType::Bf16, DataType::Int8]
                    .get(dtype as usize)
                    .copied();
                return true;
            }
        }
        false
    }
}

impl Parser for CkProfiler {
    fn result(&mut self, line: &str, rows: &mut LogRows<'_>) -> Option<Entry> {
        let lower = line.to_ascii_lowercase();
        let Some(at) = lower.find("perf: ") else {
            if let Some(entry) = tile_result(line, rows) {
                return Some(entry);
            }
            self.problem(line);
            return None;
        };
        // The best result is repeated with its sizes after its own line.
        if lower.contains("best perf") {
            self.problem(line);
            if std::mem::take(&mut self.results) > 0 {
                self.best += 1;
                return None;
            }
        } else {
            self.results += 1;
        }
        let result = &line[at + 6..];
        if !lower[at..].contains(" ms") {
            return None;
        }
        let mut pieces = result.splitn(4, ',');
        let ms = pieces.next().and_then(log::leading).map(|v| v.0);
        let row = (|| {
            let [Some(m), Some(n), Some(k)] = self.sizes else {
                return Err(RowError::new(NO_SIZES));
            };
            let op = Operation::uniform(rows.dtype(self.found))
                .with_layout(self.layout.0, self.layout.1);
            Ok(Row { batch: self.batch, ..Row::new(m, n, k, op, log::time(ms, 1e-3)?) })
        })();
        let mut e = Entry::new(row);
        e.rate = pieces.next().map_or(f64::NAN, log::rate_in);
        e.bandwidth = pieces.next().and_then(log::leading).map_or(f64::NAN, |v| v.0 * 1e9);
        e.kernel = pieces.next().unwrap_or("").trim().to_owned();
        e.library = "Composable Kernel".into();
        Some(e)
    }

    fn end(&mut self, table: &mut TableBuilder) {
        if self.best > 0 {
            table.note("“Best Perf” repeats a result above it and is left out.");
        }
    }
}
