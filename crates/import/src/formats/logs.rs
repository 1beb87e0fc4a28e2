//! Logs with one result a line.

pub(crate) mod any_log;
pub(crate) mod benchdnn;
pub(crate) mod blas_calls;
pub(crate) mod blis;
pub(crate) mod ck_profiler;
pub(crate) mod cutlass_report;
pub(crate) mod deepbench_log;
pub(crate) mod deepgemm;
pub(crate) mod flag_gems;
pub(crate) mod hipblaslt_bench;
pub(crate) mod inductor;
pub(crate) mod json_traces;
pub(crate) mod kernelbot;
pub(crate) mod key_averages;
pub(crate) mod llama_cpp;
pub(crate) mod mkl_verbose;
pub(crate) mod onednn_verbose;
pub(crate) mod openblas;
pub(crate) mod operator_inputs;
pub(crate) mod rocblas_bench;
mod rocm_bench;
pub(crate) mod sgemm_cuda;
pub(crate) mod tinygrad;
pub(crate) mod torch_benchmark;
