//! The table of formats and the choice among them.

use super::{Detection, ErrorKind, Format, Head, ImportError, ImportOptions, foreign};

/// Every format that is read. Order decides ties only: the first wins.
pub static FORMATS: &[Format] = &[
    super::own::FORMAT,
    // tools, by name
    super::iree::FORMAT,
    super::rocm_bench::HIPBLASLT,
    super::rocm_bench::ROCBLAS,
    super::cutlass::FORMAT,
    super::tunableop::FORMAT,
    super::tensile::FORMAT,
    super::flashinfer::FORMAT,
    super::aiter::FORMAT,
    super::triton::FORMAT,
    super::tritonbench::FORMAT,
    super::intel::FORMAT,
    super::tune_gemm::FORMAT,
    super::xla::FORMAT,
    super::llama_cpp::FORMAT,
    super::deepgemm::FORMAT,
    super::ck_profiler::FORMAT,
    super::openblas::FORMAT,
    super::blis::FORMAT,
    super::tinygrad::FORMAT,
    super::sgemm_cuda::FORMAT,
    super::benchdnn::FORMAT,
    super::google_benchmark::FORMAT,
    super::nvbench::FORMAT,
    super::deepbench::FORMAT,
    super::deepbench_log::FORMAT,
    super::tables::CLBLAST,
    super::tables::SGLANG,
    super::tables::MSLK,
    super::flag_gems::FORMAT,
    super::liger::FORMAT,
    super::tracelens::FORMAT,
    super::tracelens::KERNELS_FORMAT,
    super::tracelens::CONTEXT_FORMAT,
    super::kineto::FORMAT,
    // profilers: kernels without shapes
    super::ncu::FORMAT,
    super::rocprof::FORMAT,
    super::nsys::FORMAT,
    super::devices::FORMAT,
    super::devices::CEILINGS,
    super::device_table::FORMAT,
    super::sysinfo::FORMAT,
    super::json_rows::FORMAT,
    // anything else with a header
    super::generic::FORMAT,
];

/// Ids and names of [`FORMATS`], for a page that lists them and needs none of their readers.
pub static FORMAT_NAMES: [(&str, &str); FORMATS.len()] = {
    let mut names = [("", ""); FORMATS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = (FORMATS[i].id, FORMATS[i].name);
        i += 1;
    }
    names
};

/// The format that a head was given to, and why.
#[derive(Debug)]
pub struct Best {
    /// Entry of [`FORMATS`].
    pub format: &'static Format,
    /// Its grade and reason.
    pub detection: Detection,
}

/// Chooses the format of a head: the user's choice, else the highest score.
pub fn sniff(head: &Head, options: &ImportOptions) -> Result<Best, ImportError> {
    if let Some(wanted) = &options.format {
        return match FORMATS.iter().find(|f| f.id == wanted) {
            Some(format) => Ok(Best {
                format,
                detection: Detection::new(100, "chosen by hand"),
            }),
            None => Err(ImportError::new(format!(
                "no such format; expected one of {}: {wanted}",
                FORMATS.iter().map(|f| f.id).collect::<Vec<_>>().join(", ")
            ))),
        };
    }
    let mut best: Option<Best> = None;
    for format in FORMATS {
        if let Some(detection) = (format.detect)(head)
            && best
                .as_ref()
                .is_none_or(|b| detection.score > b.detection.score)
        {
            best = Some(Best { format, detection });
        }
    }
    // A file of another kind may still have an M, N, K somewhere: its own sentence says more.
    if best.as_ref().is_none_or(|b| b.detection.score < 50)
        && let Some(sentence) = foreign::by_text(head)
    {
        return Err(ImportError::new(sentence).kind(ErrorKind::Foreign));
    }
    best.ok_or_else(|| {
        let first: String = head.first().chars().take(120).collect();
        ImportError::new(format!(
            "not a file that can be read here: expected a table with a header that has M, N, K \
             and a time or a rate, or the log of a known benchmark; it starts with: {first}"
        ))
    })
}
