//! Logs with one result a line.

pub(crate) mod any_log;
pub(crate) mod benchdnn;
pub(crate) mod blis;
pub(crate) mod ck_profiler;
pub(crate) mod deepbench_log;
pub(crate) mod deepgemm;
pub(crate) mod flag_gems;
pub(crate) mod hipblaslt_bench;
pub(crate) mod llama_cpp;
pub(crate) mod openblas;
pub(crate) mod rocblas_bench;
mod rocm_bench;
pub(crate) mod sgemm_cuda;
pub(crate) mod tinygrad;
