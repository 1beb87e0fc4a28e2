//! The table of formats and the choice among them.

pub(crate) mod devices;
pub(crate) mod logs;
pub(crate) mod plain;
pub(crate) mod profilers;
pub(crate) mod table_format;
pub(crate) mod tables;

use crate::{Detection, ErrorKind, Format, Head, ImportError, ImportOptions, unsupported};
use gemmscope_model::units::expected_one_of;

/// Every format that is read. Of several with the same score, the first wins.
pub static FORMATS: &[Format] = &[
    tables::native_csv::FORMAT,
    // tools, by name
    tables::iree::FORMAT,
    logs::hipblaslt_bench::FORMAT,
    logs::rocblas_bench::FORMAT,
    tables::cutlass::FORMAT,
    tables::tunableop::FORMAT,
    tables::tensile::FORMAT,
    tables::tensile::CLIENT,
    tables::flashinfer::FORMAT,
    tables::aiter::FORMAT,
    tables::aiter_experts::FORMAT,
    tables::triton::FORMAT,
    tables::tritonbench::FORMAT,
    tables::intel::FORMAT,
    logs::tune_gemm::FORMAT,
    logs::xla::FORMAT,
    logs::llama_cpp::FORMAT,
    logs::deepgemm::FORMAT,
    logs::ck_profiler::FORMAT,
    logs::openblas::FORMAT,
    logs::blis::FORMAT,
    logs::magma::FORMAT,
    logs::tinygrad::FORMAT,
    logs::sgemm_cuda::FORMAT,
    logs::libxsmm::FORMAT,
    logs::cublas_bench::FORMAT,
    logs::mamf_finder::FORMAT,
    logs::benchdnn::FORMAT,
    logs::inductor::FORMAT,
    logs::cutlass_report::FORMAT,
    logs::torch_benchmark::FORMAT,
    logs::onednn_verbose::FORMAT,
    logs::mkl_verbose::FORMAT,
    logs::mkl_verbose::AOCL,
    logs::key_averages::FORMAT,
    logs::kernelbot::FORMAT,
    logs::operator_inputs::FORMAT,
    logs::blas_calls::FORMAT,
    logs::json_traces::FLASHINFER,
    logs::json_traces::XPU_PERF,
    logs::json_traces::AUTOTVM,
    logs::json_traces::ONNX_RUNTIME,
    tables::google_benchmark::FORMAT,
    tables::nvbench::FORMAT,
    tables::deepbench::FORMAT,
    logs::deepbench_log::FORMAT,
    tables::clblast::FORMAT,
    tables::sglang::FORMAT,
    tables::mslk::FORMAT,
    logs::flag_gems::FORMAT,
    tables::liger::FORMAT,
    tables::gemm_bench::FORMAT,
    profilers::tracelens::FORMAT,
    profilers::tracelens::KERNELS_FORMAT,
    profilers::tracelens::CONTEXT_FORMAT,
    profilers::kineto::FORMAT,
    // profilers: kernels without shapes
    profilers::ncu::FORMAT,
    profilers::rocprof::FORMAT,
    profilers::nsys::FORMAT,
    devices::device_file::FORMAT,
    devices::device_file::CEILINGS,
    devices::device_table::FORMAT,
    profilers::sysinfo::FORMAT,
    crate::split::json_rows::FORMAT,
    tables::points::FORMAT,
    // anything else: with a header, or with tables and lines as a person reads them
    tables::generic::FORMAT,
    crate::document::FORMAT,
];

/// The chosen format and the reason.
#[derive(Debug)]
pub struct Best {
    /// Entry of [`FORMATS`].
    pub format: &'static Format,
    /// Its score and reason.
    pub detection: Detection,
}

/// Chooses the format of a head: the user's choice, else the highest score.
pub fn sniff(head: &Head, options: &ImportOptions) -> Result<Best, ImportError> {
    if let Some(wanted) = &options.format {
        return match FORMATS.iter().find(|f| f.id == wanted) {
            Some(format) => Ok(Best { format, detection: Detection::chosen() }),
            None => {
                let ids: Vec<_> = FORMATS.iter().map(|f| f.id).collect();
                Err(ImportError::new(expected_one_of(&ids, wanted)))
            }
        };
    }
    if let Some(sentence) = unsupported::own_output(head) {
        return Err(ImportError::new(sentence).kind(ErrorKind::Foreign));
    }
    if let Some(best) = plain::choose(head) {
        return Ok(best);
    }
    let mut best: Option<Best> = None;
    for format in FORMATS {
        if let Some(detection) = format.detect(head)
            && best.as_ref().is_none_or(|b| detection.score > b.detection.score)
            && format.finds_results(head)
        {
            best = Some(Best { format, detection });
        }
    }
    // A file of another kind may still have an M, N, K somewhere: its own sentence says more.
    if best.as_ref().is_none_or(|b| b.detection.score < 50) {
        if let Some(sentence) = unsupported::by_text(head) {
            return Err(ImportError::new(sentence).kind(ErrorKind::Foreign));
        }
        // A trace may begin with other members, longer than the head.
        if head.first().starts_with('{') && !head.complete {
            return Ok(Best {
                format: &crate::formats::profilers::kineto::FORMAT,
                detection: Detection::new(1),
            });
        }
        if crate::split::dialect::is_json(head.first()) {
            return Err(unsupported::unknown_json(&[]).kind(ErrorKind::Foreign));
        }
    }
    best.ok_or_else(|| {
        let first: String = head.first().chars().take(120).collect();
        ImportError::new(format!(
            "no columns for M, N, K and a time or a rate, and not the log of a known benchmark: add a \
             header such as m,n,k,time_us. First line: {first}"
        ))
    })
}
