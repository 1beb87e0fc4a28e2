//! Logs with one result per line.

pub(crate) mod benchdnn;
pub(crate) mod blas_calls;
pub(crate) mod blis;
pub(crate) mod ck_profiler;
pub(crate) mod cublas_bench;
pub(crate) mod cutlass_report;
pub(crate) mod deepbench_log;
pub(crate) mod deepgemm;
pub(crate) mod flag_gems;
pub(crate) mod hipblaslt_bench;
pub(crate) mod inductor;
pub(crate) mod json_traces;
pub(crate) mod kernelbot;
pub(crate) mod key_averages;
pub(crate) mod libxsmm;
pub(crate) mod llama_cpp;
pub(crate) mod magma;
pub(crate) mod mamf_finder;
pub(crate) mod mkl_verbose;
pub(crate) mod onednn_verbose;
pub(crate) mod openblas;
pub(crate) mod operator_inputs;
pub(crate) mod proton;
pub(crate) mod rocblas_bench;
mod rocm_bench;
pub(crate) mod sgemm_cuda;
pub(crate) mod tinygrad;
pub(crate) mod torch_benchmark;
pub(crate) mod tune_gemm;
pub(crate) mod xla;

// Shared imports of the log readers.
use crate::cell::{CellError, NO_SIZES, NOT_A_GEMM, UNFIT};
use crate::columns::header::flaw;
use crate::split::log::{self, Entry, LogFormat, LogRows, Others, Parser};
use crate::split::slot_values::SlotValues;
use crate::split::template::{Slots, options, pairs, slots};
use crate::{Format, ReadBy};
use gemmscope_model::dtype::DataType;
use gemmscope_model::gemm::{Operation, Problem};
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::build::{Row, TableBuilder};
use gemmscope_table::dataset::ColumnMeaning;
