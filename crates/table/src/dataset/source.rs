//! Metadata of a file: format, assumptions, rejected rows, time outside the rows.

use super::{Capture, RatePoint, Rejected, RunInfo, TraceContext};
use gemmscope_model::units::plural;
use serde::{Deserialize, Serialize};

/// An importer's assumption, shown on the file's card. The user can replace `value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assumption {
    /// Subject: `unit:Runtime`, `dtype`, `layout`. It is the key in `ImportOptions::answers`.
    pub key: String,
    /// The assumption as a sentence.
    pub text: String,
    /// The assumed value.
    pub value: String,
    /// Alternative values (empty: free text).
    pub choices: Vec<String>,
    /// True if the user chose it for this file.
    #[serde(default)]
    pub by_hand: bool,
}

/// Agreement of the file's own rates with the recomputed ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedCheck {
    /// Rows with a rate in the file.
    pub compared: u64,
    /// Rows of these whose rate is within 1 % of work / time, or within half a unit of the last decimal place printed.
    pub within_1_percent: u64,
}

/// One imported file (or paste) and what happened to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// File name.
    pub name: String,
    /// Size in bytes as read (after decompression).
    pub bytes: u64,
    /// Key in `import::FORMATS`.
    pub format: String,
    /// Format name for people.
    pub format_name: String,
    /// Why this format was chosen.
    pub format_reason: String,
    /// When, of what and where it was measured, as a list of runs states it.
    pub run: RunInfo,
    /// See [`Source::is_column_major`].
    pub column_major: bool,
    /// Rows in the file: used + rejected.
    pub rows_read: u64,
    /// Rows in the dataset.
    pub rows_used: u64,
    /// Rejected rows.
    pub rejected: Rejected,
    /// Measurements without sizes; not rows.
    pub points: Vec<RatePoint>,
    /// Assumptions that the user can change.
    pub assumptions: Vec<Assumption>,
    /// Headers that a column mapping may name, if the table was read with one.
    pub headers: Vec<String>,
    /// Remarks: device found in a preamble, other kernels skipped, quirks corrected.
    pub notes: Vec<String>,
    /// Agreement of the file's own rates.
    pub reported_rate: ReportedCheck,
    /// GEMMs that are not in the dataset because the producer does not state their shape.
    pub without_model: RowsAndTime,
    /// Their names with calls and time, longest time first.
    pub without_model_names: Vec<(String, RowsAndTime)>,
    /// What to do to make its rows usable, in the imperative without a full stop; "" if unknown.
    pub remedy: String,
    /// Rows dropped because their time is in another row already.
    pub counted_twice: RowsAndTime,
    /// Other operations of the trace.
    pub not_gemm: RowsAndTime,
    /// Names of these with calls and time, longest time first; at most [`Source::NAMED`].
    pub not_gemm_names: Vec<(String, RowsAndTime)>,
    /// Content of the other files of the same trace report.
    pub trace: Option<Box<TraceContext>>,
    /// Captures of graphs that it recorded; their launches may be in other files.
    pub captures: Vec<Capture>,
    /// Graph launches whose kernels got their shapes from a capture.
    pub graphs_with_capture: u64,
    /// Graph launches whose capture is unknown, so that their kernels have no shapes.
    pub graphs_without_capture: u64,
}

impl Source {
    /// True if M, N and the layout letters are those of a column-major BLAS call: A of N is contiguous along M, of T
    /// along K; B of N along K, of T along N; C along M. Otherwise they are row-major, as in PyTorch and Triton: A of N
    /// along K, B of N along N, C along N. Known from the format (rows of our own table have only its id), or from
    /// other content of the file.
    pub fn is_column_major(&self) -> bool {
        const TOOLS: [&str; 14] = [
            "hipblaslt",
            "rocblas",
            "tensile",
            "tunableop",
            "mkl-verbose",
            "aocl-dtl",
            "blas-calls",
            "cublas-bench",
            "libxsmm",
            "deepbench",
            "openblas",
            "magma",
            "blis",
            "cutlass",
        ];
        self.column_major || TOOLS.iter().any(|t| self.format.starts_with(t))
    }

    /// True if times are kernel durations from a profiler's timestamps, which exclude the launch. Known from the
    /// format.
    pub fn times_kernels(&self) -> bool {
        const PROFILERS: [&str; 5] = ["kineto", "tracelens", "ncu", "nsys", "rocprof"];
        PROFILERS.iter().any(|p| self.format.starts_with(p))
    }

    /// Records a row that was read and rejected, with its text.
    pub fn reject(&mut self, line: u32, reason: &str, raw: &[u8]) {
        self.rows_read += 1;
        self.rejected.push(line, reason, None, raw);
    }

    /// Why no row of the file could be used, and what to do: `5 kernel calls without shapes: record with
    /// record_shapes=True`. `None` if some row could, or there are measurements without sizes.
    pub fn why_unusable(&self) -> Option<String> {
        if self.rows_used > 0 || !self.points.is_empty() {
            return None;
        }
        let top = self.rejected.reasons.iter().max_by_key(|r| r.count);
        let what = match (self.without_model.rows, top) {
            (0, None) => "no rows".to_owned(),
            (0, Some(top)) => format!("{} skipped: {}", plural(top.count, "row"), top.text),
            (kernels, _) => format!("{} without shapes", plural(kernels, "kernel call")),
        };
        Some(match self.remedy.as_str() {
            "" => what,
            remedy => format!("{what}: {remedy}"),
        })
    }

    /// Maximum number of other operations of a trace kept by name.
    pub const NAMED: usize = 8;

    /// Name of a product that is not counted because an operand repeats one value (stride 0).
    pub fn expanded(operation: &str) -> String {
        format!("{operation} with a stride of 0")
    }

    /// True if all GEMM time without rows is of [stride-0](Self::expanded) products.
    pub fn lacks_no_shape(&self) -> bool {
        let expanded = Source::expanded("");
        let names = &self.without_model_names;
        !names.is_empty() && names.iter().all(|(name, _)| name.ends_with(&expanded))
    }

    /// Sets the GEMMs without shape, from name, calls and time of each.
    pub fn name_without_model(&mut self, each: Vec<(String, RowsAndTime)>) {
        self.without_model_names = longest_first(each);
    }

    /// Sets the other operations, from name, calls and time of each.
    pub fn name_not_gemm(&mut self, each: Vec<(String, RowsAndTime)>) {
        self.not_gemm_names = longest_first(each);
        self.not_gemm_names.truncate(Self::NAMED);
    }
}

/// Sums `each` by name, longest time first; entries without a name are dropped.
pub fn longest_first(mut each: Vec<(String, RowsAndTime)>) -> Vec<(String, RowsAndTime)> {
    each.retain(|(name, _)| !name.is_empty());
    each.sort_by(|a, b| a.0.cmp(&b.0));
    let sum = |same: &[(String, RowsAndTime)]| {
        let mut sum = RowsAndTime::default();
        same.iter().for_each(|(_, one)| sum.add_calls(one.rows, one.time_s));
        (same[0].0.clone(), sum)
    };
    let mut names: Vec<_> = each.chunk_by(|a, b| a.0 == b.0).map(sum).collect();
    names.sort_by(|a, b| b.1.time_s.total_cmp(&a.1.time_s));
    names
}

/// Number of rows (for a profile, of the calls that they stand for), and their total time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowsAndTime {
    /// Number of rows or calls.
    pub rows: u64,
    /// Time of all calls, seconds.
    pub time_s: f64,
}

impl RowsAndTime {
    /// Adds one row.
    pub fn add(&mut self, time_s: f64) {
        self.add_calls(1, time_s);
    }

    /// Adds `calls` calls with their total time in seconds.
    pub fn add_calls(&mut self, calls: u64, time_s: f64) {
        self.rows += calls;
        if time_s.is_finite() {
            self.time_s += time_s;
        }
    }
}
