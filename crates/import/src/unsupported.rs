//! Known files that are not GEMM benchmarks: one sentence each, with what to do instead.

use crate::{Head, ImportError};

/// Error for an archive whose files are not read.
pub(crate) const ARCHIVE: &str =
    "this is a tar, 7z, RAR or zip archive: unpack it and drop the files in it";

/// Pairs of magic bytes, one or several, and the sentence for such a file.
macro_rules! signatures {
    ($($($magic:literal)+: $says:expr)*) => { &[$((&[$($magic),+], $says)),*] };
}

const SIGNATURES: &[(&[&[u8]], &str)] = signatures! {
    b"\x89PNG" b"\xff\xd8\xff" b"GIF8" b"RIFF":
        "this is a picture or a recording, not a benchmark: drop the CSV that it was made from"
    b"%PDF": "this is a PDF: copy its table into a spreadsheet and save that as CSV"
    b"\xd0\xcf\x11\xe0": "this is an old Excel workbook (.xls): open it and save the sheet as CSV"
    b"SQLite format 3\0": "this is an SQLite database: of Nsight Systems (.sqlite), run `nsys stats --report \
        cuda_gpu_kern_sum --format csv FILE` and drop what it prints; of rocprofv3 (rocpd, .db), run \
        `rocpd convert -i FILE --output-format csv`, or profile with `--output-format csv`, and drop \
        its kernel_trace.csv"
    b"NVR\0": "this is a binary Nsight Compute report (.ncu-rep): run `ncu --import FILE --csv --page \
        raw` and drop what it prints"
    b"\x7fELF" b"MZ" b"\xca\xfe\xba\xbe" b"\0asm":
        "this is a program, not its output: run it and drop what it prints"
    b"7z\xbc\xaf" b"Rar!": ARCHIVE
    b"\xfd7zXZ\0" b"\x28\xb5\x2f\xfd" b"BZh":
        "this is compressed with xz, zstd or bzip2: unpack it first (only gzip is read compressed)"
    // The command and a hosted page convert it to CSV before it gets here.
    b"PAR1":
        "this is a Parquet file, which the page of a site and the gemmscope command read where nothing else is around it, \
        and the one-file page does not: write it as CSV (`gemmscope convert FILE.parquet -o FILE.csv`)"
    b"PARE": "this is an encrypted Parquet file: write the table as CSV"
    b"ARROW1" b"FEA1" b"\x89HDF":
        "this is an Arrow, Feather or HDF5 file: write the table as CSV or Parquet (pandas: read_feather or \
        read_hdf, then to_csv)"
    b"\x93NUMPY": "this is a NumPy array: write it as CSV with a header that names M, N, K and the time"
    b"\x80\x04\x95" b"\x80\x05\x95": "a Python pickle can run code and is not read: write the table as CSV"
    b"\xef\xbb\xbf<!":
        "this is a web page (HTML): download the file that it shows (on GitHub: the “Raw” button)"
};

/// The sentence for a binary file with these first bytes.
pub(crate) fn by_magic(bytes: &[u8]) -> Option<&'static str> {
    if bytes.get(257..262) == Some(b"ustar") {
        return Some(ARCHIVE);
    }
    let begins = |magics: &[&[u8]]| magics.iter().any(|magic| bytes.starts_with(magic));
    SIGNATURES.iter().find(|(magics, _)| begins(magics)).map(|(_, sentence)| *sentence)
}

/// The sentence for a file known to be binary, by its name.
pub(crate) fn binary(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    if name.ends_with(".nsys-rep") || name.ends_with(".qdrep") {
        "this is a binary Nsight Systems report: run `nsys stats --report cuda_gpu_kern_sum \
         --format csv` on it and drop what it prints, with the shapes beside it"
    } else if name.ends_with(".ncu-rep") {
        "this is a binary Nsight Compute report (.ncu-rep): run `ncu --import FILE --csv --page \
         raw` and drop what it prints"
    } else {
        "this is a binary file, not text: expected a CSV, a workbook, a log or a JSON file of GEMM benchmarks"
    }
}

/// The sentence for gemmscope's own output other than its table of rows, so that importing a folder with a saved report
/// does not change the figures.
pub(crate) fn own_output(head: &Head) -> Option<&'static str> {
    let start = || head.lines.iter().take(20);
    let first = head.first();
    let titled = first.starts_with("# GEMM report")
        || first.starts_with("# ") && first.trim_end().ends_with("Analysis Summary");
    let of_folder = head.name.split(['/', '\\']).any(|part| part == "category_findings");
    let written = ["report", "check", "summary", "message"];
    let by_schema = |l: &String| written.iter().any(|w| l.contains(&format!("\"gemmscope/{w}/")));
    if titled
        || of_folder
        || start().any(|l| l.contains("<title>GEMM report</title>"))
        || first.starts_with('{') && start().any(by_schema)
    {
        return Some("these are findings about a measurement, not the measurement: left out");
    }
    (start().any(|l| l.contains(", written by gemmscope"))
        && start().all(|l| !l.contains("Gflops,")))
    .then_some(
        "this is a program that gemmscope wrote to measure one GEMM again: run it and drop what it \
             prints",
    )
}

/// Conditions that identify a text that is not a benchmark; all of a list must hold.
///
/// | condition | holds if |
/// |---|---|
/// | `json` | the text is JSON; without this condition it must not be |
/// | `name` | the file's name starts with the first and contains the second |
/// | `first` | the first line starts with one of these, ignoring case |
/// | `words` | the first lines contain all of these |
/// | `header` | one line has all of these columns |
/// | `without` | the first lines do not contain all of these |
/// | `whole` | nothing follows the first lines |
type Known = &'static [(&'static str, &'static [&'static str])];

macro_rules! texts {
    ($($([$($key:ident $($value:literal)*),+])+: $says:literal)*) => {
        &[$((&[$(&[$((stringify!($key), &[$($value),*])),+]),+], $says)),*]
    };
}

/// The first match is used.
const TEXTS: &[(&[Known], &str)] = texts! {
    [first "<!doctype html" "<html"]:
        "this is a web page (HTML): download the file that it shows (on GitHub: the “Raw” button)"
    [first "version https://git-lfs"]:
        "this is a Git LFS pointer, not the file: fetch the file itself with `git lfs pull`"
    [first "<?xml" "<svg"]:
        "this is an XML file, not a table: export the data as CSV"
    [json, words "rocprofiler-sdk-tool"]:
        "rocprofv3's JSON is not read: run `rocprofv3 --kernel-trace --stats --output-format csv` and drop its \
        CSV"
    // The file name distinguishes two tables of vLLM and SGLang: `N=…,K=…` and `E=8,N=…`.
    [json, name "N=" ",K=", words "BLOCK_SIZE_M" "BLOCK_SIZE_N"]:
        "this is a table of vLLM or SGLang with the tiles of a dense block-scaled fp8 GEMM, by M; it has no \
        times: run `benchmark_w8a8_block_fp8.py` (vLLM) or the tuning script (SGLang) and drop what it prints"
    [json, words "BLOCK_SIZE_M" "BLOCK_SIZE_N"]:
        "this is a fused-MoE tuning table, with tiles but no times: drop the benchmark's own output"
    [words "token" "model_dim" "inter_dim" "expert"] [header "knl_name" "co_name"]:
        "this is aiter's fused-MoE list of experts to tune, or of kernels, without times; drop the tuned_fmoe.csv or \
        the *_tuned_gemm.csv beside it"
    [header "K1" "K2" "mean_microseconds"] [header "H" "W" "C" "P" "Q" "F"]:
        "this is an IREE benchmark of fused attention or convolution, not of GEMMs; drop the gemm CSV beside it"
    [words "function," "rocblas-Gflops" "\ngemv,"]:
        "this is rocblas-bench output of gemv, not GEMM: drop the output of gemm"
    [without "Input Dims" "operation_count", header "total_direct_kernel_time_ms" "Percentage (%)"]:
        "this is a summary of a TraceLens report: times by operation or category, without shapes; open \
        GEMM.csv or unified_perf_summary.csv of the same report, or the whole folder"
    [header "param: N_Q" "param: H_Q"]:
        "this is TraceLens's table of attention, not of GEMMs: open GEMM.csv of the same report, or the whole folder"
    [header "param: input_shape" "param: filter_shape"]:
        "this is TraceLens's table of convolutions, not of GEMMs: open GEMM.csv of the same report, or the whole \
        folder"
    [header "collective name" "dur"] [header "rank" "dur" "size"]:
        "this is a list of collectives (communication between devices), not of GEMMs; of a TraceLens report, \
        open GEMM.csv"
    [words "algo={ Id=" "tileIdx=" "splitK="]:
        "this is a list of cuBLASLt's algorithms, with tiles but without M, N and K, and with times of no \
        stated unit: run the program with `CUBLASLT_LOG_LEVEL=5` and drop that log, or print M, N, K and the \
        time of a call"
    [words "T/V" "NB" "Gflops"]:
        "this is a result of HPL (LINPACK), which solves a system of equations: it is not a GEMM; drop the log \
        of the BLAS calls in it"
    [words "ERR_NVGPUCTRPERM"]:
        "Nsight Compute was not allowed to read the counters (ERR_NVGPUCTRPERM), so nothing was profiled: run \
        it as root, or let all users profile (NVIDIA's page on ERR_NVGPUCTRPERM says how), then profile again"
    [words "==PROF==" "No kernels were profiled"] [words "==ERROR==" "==PROF=="]:
        "Nsight Compute profiled no kernel: check the program's own output and the filter (`--kernel-name`, \
        `--launch-count`), then run `ncu --csv --page raw` again"
    [first "==prof==", without "\"ID\"", whole]:
        "this is Nsight Compute's progress without a table: run it with `--csv --page raw`, and drop what it \
        prints"
    [words "HloModule" "ENTRY"]:
        "this is a program of XLA, without times: profile it, and drop the trace"
    [words "Time(ms)" "Avg.(ms)" "Layer"] [json, words "\"averageMs\"" "\"percentage\""]:
        "these are TensorRT's times by layer, without M, N and K: write the sizes of each layer beside them"
    [words "RDTSC" "Group 1"]:
        "these are likwid's counters of a region, without M, N and K: write the sizes and the time of a call \
        beside them"
    [words "*** " " tm " " GFLOPS " " arg "]:
        "these are tinygrad's kernels (DEBUG=2), without M, N and K: print the sizes and the time of each GEMM \
        beside them"
    [json, words "{\"i\":" "\"r\":" "\"SP\""]:
        "these are records of TVM's auto-scheduler, whose numbers are arguments of a function that only its \
        author knows: write M, N, K and the times as CSV"
    [header "kernel_type" "percentage"] [header "kernel_type" "sum (us)"]:
        "this is a table of Holistic Trace Analysis: times by kernel without shapes; drop the trace that it \
        was made from"
};

/// The sentence for a text file with this head.
pub(crate) fn by_text(head: &Head) -> Option<&'static str> {
    let first = head.first().to_ascii_lowercase();
    let json = crate::split::dialect::is_json(head.first());
    let name = head.name.rsplit(['/', '\\']).next().unwrap_or("");
    let start: String =
        head.lines.iter().take(80).flat_map(|l| l.chars().take(4000).chain(['\n'])).collect();
    let holds = |words: &[&str]| words.iter().all(|w| start.contains(w));
    let fits = |known: &Known| {
        json == known.iter().any(|(key, _)| *key == "json")
            && known.iter().all(|(key, values)| match *key {
                "name" => name.starts_with(values[0]) && name.contains(values[1]),
                "first" => values.iter().any(|f| first.starts_with(f)),
                "words" => holds(values),
                "header" => head.line_with(values).is_some(),
                "without" => !holds(values),
                "whole" => head.complete,
                _ => true,
            })
    };
    TEXTS.iter().find(|(known, _)| known.iter().any(fits)).map(|(_, says)| *says)
}

/// The error for JSON of unknown kind, with the names of its members.
pub(crate) fn unknown_json(members: &[String]) -> ImportError {
    if members.iter().any(|m| m == "gemmscope_history") {
        return ImportError::new(
            "this is a list of runs over time: a link with #src= and its address opens it with its runs; of files on this \
             machine, drop those of its folder `runs`",
        );
    }
    let known = members.iter().find_map(|m| match m.as_str() {
        "benchmarks" => Some("google-benchmark"),
        _ => None,
    });
    ImportError::new(match (known, members) {
        (Some(id), _) => {
            format!("this JSON file may be a `{id}` file: choose that format to read it")
        }
        (None, members) => {
            let keys = members.join(", ");
            let keys = if keys.is_empty() { keys } else { format!("; its keys are {keys}") };
            format!(
                "this JSON file is not recognised: write the rows as CSV with M, N, K and a time{keys}"
            )
        }
    })
}

/// True if the text has control characters that do not occur in text.
pub(crate) fn looks_binary(text: &[u8]) -> bool {
    let odd = text
        .iter()
        .filter(|&&b| b < 32 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
        .count();
    odd * 50 > text.len()
}

#[cfg(test)]
mod tests;
