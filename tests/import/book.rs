//! The page of the book that lists the formats (`docs/src/formats.md`), generated from the table of formats.

use gemmscope_import::{FORMATS, Format, ImportOptions, Imported, read_all};
use gemmscope_table::dataset::ColumnMeaning;
use gemmscope_table::native_csv::{ABOUT, DERIVED, FIXED, FROM_ROOF};
use std::fmt::Write;

/// Unit and range of each fixed column of gemmscope's own table.
const SCHEMA: [(&str, &str); 18] = [
    ("gemmscope", "version of the table: 1"),
    ("m", "rows of A and C: a whole number from 1 to 4294967295"),
    ("n", "columns of B and C"),
    ("k", "summed dimension"),
    ("batch", "independent GEMMs per call"),
    ("dtype_a", "type of A: fp16, bf16, fp8_e4m3, int4, …"),
    ("dtype_b", "type of B"),
    ("dtype_c", "type of the output"),
    (
        "dtype_compute",
        "type that products are made in, whatever they are summed in; the peak is of it",
    ),
    ("trans_a", "N or T, column-major BLAS words"),
    ("trans_b", "N or T"),
    ("bias", "true where a vector is added"),
    ("beta", "true where the old C is read"),
    ("time_s", "seconds per call; empty for a shape without a measurement"),
    ("device", "name of the device; empty where none is stated"),
    ("file", "file that the row came from"),
    ("format", "how that file was read"),
    ("line", "line in that file, from 1"),
];

/// Why a format's own figures may differ from ours by more than 1 %: format id and reason.
pub(crate) const DIFFERENCES: &[(&str, &str)] = &[
    (
        "aiter",
        "`tflops` has two to four decimals, so small rates are coarse; `bw` counts the output as 2 bytes \
         whatever its type, and batched int8 operands as 2 bytes each",
    ),
    (
        "cutlass",
        "`GFLOPs` counts 2MNK + 2MN, which shows where K is small; `GB/s` is GiB/s; `Flops/Byte` is \
         truncated to a whole number",
    ),
    ("deepgemm", "times are printed in whole microseconds and rates in whole TFLOPS"),
    ("flashinfer", "`tb_per_sec` of `bmm_fp8` leaves out the batch; `tflops` counts it"),
    (
        "generic",
        "a script's own count of operations, rounding, or a unit that its header leaves open: the card \
         says how many rows differ",
    ),
    ("hipblaslt-bench", "`hipblaslt-GB/s` is GiB/s and leaves out C where beta is 0"),
    ("tinygrad", "the rate is of the best run, the bytes of its own count"),
    (
        "tracelens",
        "`TFLOPS/s_mean` is the mean of the calls' rates, not work over the mean time; with a bias MN is \
         added to the work; `Data Moved (MB)` is MiB",
    ),
    (
        "tensile",
        "rates are whole numbers of GFLOPS; times follow from them, so there is nothing to compare",
    ),
];

/// What a file of this format does not state and the user may be asked, found by reading the example.
fn leaves_open(format: &Format) -> String {
    let options = ImportOptions { format: Some(format.id.to_owned()), ..ImportOptions::default() };
    let Ok(Imported::Table(data)) = read_all("", format.example.as_bytes(), &options) else {
        return String::new();
    };
    let mut open: Vec<&str> = Vec::new();
    let mut add = |words: &'static str| {
        if !open.contains(&words) {
            open.push(words);
        }
    };
    for a in data.sources.iter().flat_map(|s| &s.assumptions) {
        match a.key.split(':').next().unwrap_or_default() {
            "dtype" => add("the data type"),
            "unit" => add("a unit"),
            "shape" | "size" | "square" => add("the shapes"),
            _ => {}
        }
    }
    let named = data.device.iter().all(|d| *d != 0) && !data.device.is_empty();
    let guessed = data.implied_devices().contains(&true);
    if !named || guessed {
        add("the device");
    }
    match open.as_slice() {
        [] => "\nSays all that is needed.\n".to_owned(),
        open => format!("\nLeaves open: {}.\n", open.join(", ")),
    }
}

/// The list as a page of the book (`docs/src/formats.md`).
pub(crate) fn markdown() -> String {
    let mut out = String::from(
        "# What is read\n\n\
         Drop a file, or several, or paste text. Files are read in the browser and go nowhere else; gzip, UTF-16, any delimiter and a decimal comma \
         are recognised. Work, bytes and \
         rates are recomputed from shape, type and time; a file's own figures are kept as *reported*, and the file's card says how many agree within 1 %.\n\n\
         What a file does not state (type, unit, device, sometimes a shape) is assumed and shown on its card, where you \
         can change it. Rows without a measurement (a zero time, a failed run, a kernel that is not a GEMM) \
         are skipped with line and reason.\n\n\
         A format is recognised by its content, never by the file's name. If the guess is wrong, choose another under “Read it as” on the file's card, or `--format ID` on the command line.\n",
    );
    for f in FORMATS {
        let _ = write!(
            out,
            "\n## {}\n\nId: `{}`. Produced by: {}\n\n```text\n{}\n```\n{}",
            f.name,
            f.id,
            code(f.produced_by),
            f.example.trim_end(),
            leaves_open(f)
        );
    }
    out.push_str(
        "\n## gemmscope's own table\n\n\
         “Export rows” and `gemmscope convert` write it; every column has its unit, every row its device, \
         file and line. It reads back as the same table. Fixed columns, in this order:\n\n\
         | column | content |\n|---|---|\n",
    );
    for (name, what) in SCHEMA {
        let _ = writeln!(out, "| `{name}` | {what} |");
    }
    let _ = write!(
        out,
        "\n`{}` are computed from the others; `{}` (the roof that these are of, `datasheet` or \
         `achievable`) appear once a device is chosen. These are for \
         people and are not read back. `{ABOUT}` has what is known of a file beside its rows (what was \
         assumed, remarks, what surrounds a trace), as JSON in its first row.\n\n\
         Other columns are titled `MEANING (UNIT): NAME`, with one of these meanings: {}; or \
         `text: NAME` or `number (UNIT): NAME`.\n",
        DERIVED.join("`, `"),
        FROM_ROOF.join("`, `"),
        ColumnMeaning::OF_DATASET
            .iter()
            .map(|r| format!("`{}`", r.id()))
            .collect::<Vec<_>>()
            .join(", ")
    );
    out.push_str(
        "\n## Where a file's own figures differ\n\n\
         Work is 2MNK per GEMM (8MNK for complex types), MB and GB are decimal. A rate within 1 % of work over time \
         agrees. Known differences:\n\n| format | why |\n|---|---|\n",
    );
    for (id, why) in DIFFERENCES {
        let _ = writeln!(out, "| `{id}` | {why} |");
    }
    out.push_str(
        "\nAny other difference is worth a look: another unit (TFLOPS for GFLOPS, ms for µs, GiB for GB), a batch \
         counted once, another count of operations, sparsity, or the rate of the best run with a mean time.\n\
         \n## Profiles without shapes\n\n\
         Nsight Compute, Nsight Systems, rocprofv3 and rocprof-compute time kernels but have no M, N and K. \
         Where counted instructions, grid and tile determine the shape, it is taken from them and noted; \
         otherwise the card asks for it (`4096x4096x1024`, or `BxMxNxK`), and until then the kernels are ranked by \
         time. Counted bytes are kept as *measured bytes* next to the compulsory ones. A recorded clock scales the row's peak.\n\n\
         ## Workbooks\n\n\
         Of an Excel workbook (.xlsx) the best matching sheet is read (of a TraceLens report the sheet \
         `GEMM`, with `gpu_timeline`); the card offers the others.\n\n\
         ## Parquet\n\n\
         Page and command read the flat columns of a Parquet file, as the CSV that they would be saved as: \
         integers, decimals, floats, text, truth values, dates and times, packed with zstd, snappy or gzip or not \
         at all. Nested and binary columns, lists and INT96 are left out by name, in a note. Another codec (brotli, \
         lz4), an encrypted file, a Parquet file inside gzip and the encodings DELTA_BYTE_ARRAY and \
         DELTA_LENGTH_BYTE_ARRAY are refused. The limits of packed files hold (`--memory`). The command reads with \
         the `parquet` crate (Apache-2.0), the page with [hyparquet](https://github.com/hyparam/hyparquet) 1.33.0 \
         and fzstd 0.1.1 (both MIT), gzip by the browser itself, a module of 17 kB after gzip that comes with the \
         first such file and is kept for offline use then. `tests/parquet` holds what both make of the same files. \
         The one-file page has no such reader: there, `gemmscope convert FILE.parquet -o FILE.csv` writes a CSV.\n\n\
         ## Shapes only\n\n\
         A table with M, N, K and no time or rate, with or without a header (M, N, K or M, N, batch, K in this \
         order), shows the roof without measured points.\n\n\
         ## What is refused\n\n\
         Each with a sentence on what to do instead: binary profiler reports (`.ncu-rep`, `.nsys-rep`, \
         SQLite), pictures, PDF, archives, Arrow, HDF5, NumPy and pickle files, web pages, fused-MoE tile tables, \
         attention and convolution benchmarks, lists of kernels.\n",
    );
    out
}

/// Wraps a command in backquotes.
fn code(text: &str) -> String {
    let command = ["./", "python", "ncu ", "nsys ", "rocprof", "PYTORCH_", "pytest", "with torch"]
        .iter()
        .any(|c| text.starts_with(c));
    match (command, text.split_once(" (")) {
        (true, Some((c, rest))) if rest.ends_with(')') && !c.contains(", ") => {
            format!("`{c}` ({rest}")
        }
        (true, _) => format!("`{text}`"),
        (false, _) => text.to_owned(),
    }
}

#[test]
fn the_schema_is_that_of_the_table() {
    let names: Vec<&str> = SCHEMA.iter().map(|s| s.0).collect();
    assert_eq!(names, FIXED);
}
