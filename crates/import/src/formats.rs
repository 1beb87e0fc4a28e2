//! The list of formats, and the choice of one for a file.

pub(crate) mod devices;
pub(crate) mod logs;
pub(crate) mod profilers;
pub(crate) mod table_format;
pub(crate) mod tables;

use crate::format::Trial;
use crate::split::dialect::is_json;
use crate::{Claim, ErrorKind, Format, Head, ImportError, ImportOptions, ReadBy, unsupported};
use gemmscope_model::units::expected_one_of;
use std::cmp::Reverse;

/// All supported formats. Of several with equal claims, the first wins.
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
    logs::proton::FORMAT,
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
    tables::ascend::FORMAT,
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
    // anything else: tables and lines in any text, or a table with a header
    crate::document::FORMAT,
    tables::generic::FORMAT,
];

/// The chosen format and the reason.
#[derive(Debug)]
pub struct Best {
    /// Entry of [`FORMATS`].
    pub format: &'static Format,
    /// Reason shown next to the format's name on the file's card.
    pub reason: String,
}

/// Chooses the format of a head: the user's choice, else the strongest claim.
pub fn sniff(head: &Head, options: &ImportOptions) -> Result<Best, ImportError> {
    if let Some(wanted) = &options.format {
        return match FORMATS.iter().find(|f| f.id == wanted) {
            Some(format) => Ok(Best { format, reason: "chosen by hand".to_owned() }),
            None => {
                let ids: Vec<_> = FORMATS.iter().map(|f| f.id).collect();
                Err(ImportError::new(expected_one_of(&ids, wanted)))
            }
        };
    }
    let (format, claim) = surest(head, options)?;
    Ok(Best { format, reason: claim.reason() })
}

/// The format with the strongest claim that finds rows in the head. If none does: the format of a signature, else the
/// first that rejects all rows, refuses the file, or finds nothing, in this order, so that its error is shown.
pub(crate) fn surest(
    head: &Head,
    options: &ImportOptions,
) -> Result<(&'static Format, Claim), ImportError> {
    let foreign = |sentence| Err(ImportError::new(sentence).kind(ErrorKind::Foreign));
    if let Some(sentence) = unsupported::own_output(head) {
        return foreign(sentence);
    }
    let mut claims = claims(head, |_| true);
    let signed = |at: &usize| matches!(claims[*at].1, Claim::Signature(..));
    let trials: Vec<Trial> = trials(&claims, head, options);
    let first_with = |trial: Trial| trials.iter().position(|t| *t == trial);
    let with_rows = first_with(Trial::Rows);
    // A file of another kind may contain M, N, K somewhere; its specific error is more helpful.
    // A page with a table that can be read is a document.
    let of_page =
        |at: &usize| claims[*at].0.id == crate::document::FORMAT.id && head.has_html_table();
    if with_rows.filter(|at| signed(at) || of_page(at)).is_none()
        && let Some(sentence) = unsupported::by_text(head)
    {
        return foreign(sentence);
    }
    let unread = Some(0).filter(|_| !claims.is_empty()).filter(signed);
    let says =
        || [Trial::SetAside, Trial::Refused, Trial::Nothing].into_iter().find_map(first_with);
    if let Some(at) = with_rows.or(unread).or_else(says) {
        return Ok(claims.swap_remove(at));
    }
    if is_json(head.first()) {
        return Err(unsupported::unknown_json(&[]).kind(ErrorKind::Foreign));
    }
    let first: String = head.first().chars().take(120).collect();
    Err(ImportError::new(format!(
        "no columns for M, N, K and a time or a rate, and not the log of a known benchmark: add a \
         header such as m,n,k,time_us. First line: {first}"
    )))
}

/// Trials of the claims in order, up to the first that finds rows.
fn trials(claims: &[(&Format, Claim)], head: &Head, options: &ImportOptions) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (format, claim) in claims {
        trials.push(format.trial(head, claim, options));
        if trials.last() == Some(&Trial::Rows) {
            break;
        }
    }
    trials
}

/// The strongest claim on a table within a document, excluding the document format itself and logs.
pub(crate) fn surest_of_cells(head: &Head) -> Option<(&'static Format, Claim)> {
    let of_tables = |format: &Format| {
        format.id != crate::document::FORMAT.id && !matches!(format.read, ReadBy::Log(_))
    };
    claims(head, of_tables).into_iter().next()
}

/// The formats that claim a head, strongest first. Of equal claims, the first in [`FORMATS`] wins.
fn claims(head: &Head, asked: fn(&Format) -> bool) -> Vec<(&'static Format, Claim)> {
    let asked = FORMATS.iter().filter(|format| asked(format));
    let mut claims: Vec<_> =
        asked.filter_map(|format| Some((format, format.claim(head)?))).collect();
    claims.sort_by_key(|(_, claim)| Reverse(claim.strength()));
    claims
}
