//! The metadata of a file: format, assumptions, rejected rows, time outside the rows.

use super::{Capture, RatePoint, Rejected, TraceContext};
use gemmscope_model::units::plural;
use serde::{Deserialize, Serialize};

/// An assumption of an importer, shown on the file's card. The user can replace `value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assumption {
    /// Subject: `unit:Runtime`, `dtype`, `layout`. It is the key in `ImportOptions::answers`.
    pub key: String,
    /// The sentence for the reader.
    pub text: String,
    /// What was assumed.
    pub value: String,
    /// Other values to choose from (empty: free text).
    pub choices: Vec<String>,
    /// The user chose it for this file.
    #[serde(default)]
    pub by_hand: bool,
}

/// How the file's own rate compares with the recomputed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedCheck {
    /// Rows with a rate in the file.
    pub compared: u64,
    /// Rows among them whose rate is within 1 % of work / time, or within half a unit of the last
    /// decimal place that the file prints.
    pub within_1_percent: u64,
}

/// One imported file (or paste) and what happened to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// File name.
    pub name: String,
    /// Size in bytes as read (after gzip).
    pub bytes: u64,
    /// Key in `import::FORMATS`.
    pub format: String,
    /// Format name for people.
    pub format_name: String,
    /// Why this format was chosen.
    pub format_reason: String,
    /// See [`Source::is_column_major`].
    pub column_major: bool,
    /// Rows in the file: used and rejected ones.
    pub rows_read: u64,
    /// Rows in the dataset.
    pub rows_used: u64,
    /// Rejected rows.
    pub rejected: Rejected,
    /// Measurements without sizes, which are no rows.
    pub points: Vec<RatePoint>,
    /// Assumptions that the user can change.
    pub assumptions: Vec<Assumption>,
    /// Headers of a table whose columns the user said the meaning of: those that may be named.
    pub headers: Vec<String>,
    /// Remarks: device found in a preamble, other kernels skipped, quirks corrected.
    pub notes: Vec<String>,
    /// Agreement of the file's own rates.
    pub reported_rate: ReportedCheck,
    /// GEMMs that are not in the dataset because the producer does not know their shape.
    pub without_model: RowsAndTime,
    /// Names of these, the ones that take most time first.
    pub without_model_names: Vec<(String, RowsAndTime)>,
    /// What would make its rows usable, as an order without a full stop; "" where nothing is known.
    pub remedy: String,
    /// Rows that were left out because another row already has their time.
    pub counted_twice: RowsAndTime,
    /// Other operations of the same trace.
    pub not_gemm: RowsAndTime,
    /// Names of these that take most time, the longest first; at most [`Source::NAMED`].
    pub not_gemm_names: Vec<(String, RowsAndTime)>,
    /// Content of the other files of the same trace report.
    pub trace: Option<Box<TraceContext>>,
    /// Graphs whose capture it recorded; their launches may be in other files.
    pub captures: Vec<Capture>,
    /// Launches of graphs whose kernels have their shape from a capture.
    pub graphs_with_capture: u64,
    /// Launches of graphs whose capture was not known, so that their kernels have no shape.
    pub graphs_without_capture: u64,
}

impl Source {
    /// True where M, N and the letters of the layout are those of a column-major BLAS call: A of N is
    /// contiguous along M, of T along K; B of N along K, of T along N; C along M. Elsewhere they are
    /// row-major, as in PyTorch and Triton: A of N along K, B of N along N, C along N. Known by the format
    /// (rows of our own table have no more than its id), or by what else the file says.
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

    /// True where times are durations of kernels by the timestamps of a profiler: they hold no launch. Known
    /// by the format.
    pub fn times_kernels(&self) -> bool {
        const PROFILERS: [&str; 5] = ["kineto", "tracelens", "ncu", "nsys", "rocprof"];
        PROFILERS.iter().any(|p| self.format.starts_with(p))
    }

    /// Counts a row that was read and rejected, with its text.
    pub fn reject(&mut self, line: u32, reason: &str, raw: &[u8]) {
        self.rows_read += 1;
        self.rejected.push(line, reason, None, raw);
    }

    /// Why no row of the file could be used, and what to do: `5 kernel calls without shapes: record with
    /// record_shapes=True`. `None` where some could, or where it has points without sizes.
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

    /// Other operations of a trace that are kept by name.
    pub const NAMED: usize = 8;

    /// The name of a product that is left out, as an operand repeats one value.
    pub fn expanded(operation: &str) -> String {
        format!("{operation} with a stride of 0")
    }

    /// True where the GEMM time that is left out is of [such](Self::expanded) products alone.
    pub fn lacks_no_shape(&self) -> bool {
        let expanded = Source::expanded("");
        let names = &self.without_model_names;
        !names.is_empty() && names.iter().all(|(name, _)| name.ends_with(&expanded))
    }

    /// Sets the names of the GEMMs whose shape is not known, from the name, the calls and the time of each.
    pub fn name_without_model(&mut self, each: Vec<(String, RowsAndTime)>) {
        self.without_model_names = longest_first(each);
    }

    /// Sets the names of the other operations, from the name, the calls and the time of each.
    pub fn name_not_gemm(&mut self, each: Vec<(String, RowsAndTime)>) {
        self.not_gemm_names = longest_first(each);
        self.not_gemm_names.truncate(Self::NAMED);
    }
}

/// The sum of each name of `each`, the longest first; what has no name is left out.
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

/// A number of rows, of a profile the calls that they stand for, and their total time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowsAndTime {
    /// Number of rows or calls.
    pub rows: u64,
    /// Time of all calls, seconds.
    pub time_s: f64,
}

impl RowsAndTime {
    /// Counts one more row.
    pub fn add(&mut self, time_s: f64) {
        self.add_calls(1, time_s);
    }

    /// Counts so many calls with their time together.
    pub fn add_calls(&mut self, calls: u64, time_s: f64) {
        self.rows += calls;
        if time_s.is_finite() {
            self.time_s += time_s;
        }
    }
}
