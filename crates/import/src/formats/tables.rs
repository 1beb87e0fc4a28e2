//! Tables of benchmark results.

pub(crate) mod aiter;
pub(crate) mod aiter_experts;
pub(crate) mod ascend;
pub(crate) mod clblast;
pub(crate) mod cutlass;
pub(crate) mod deepbench;
pub(crate) mod flashinfer;
pub(crate) mod gemm_bench;
pub(crate) mod generic;
pub(crate) mod google_benchmark;
pub(crate) mod intel;
pub(crate) mod iree;
pub(crate) mod liger;
pub(crate) mod mslk;
pub(crate) mod native_csv;
pub(crate) mod nvbench;
pub(crate) mod points;
pub(crate) mod sglang;
pub(crate) mod tensile;
pub(crate) mod triton;
pub(crate) mod tritonbench;
pub(crate) mod tunableop;

// Shared imports of the table formats.
use crate::cell::{self, NO_SIZES, NOT_A_GEMM, Quantity};
use crate::columns::plan_rows::Cells;
use crate::columns::row::Given;
use crate::formats::table_format::*;
use crate::{Claim, Format, Head, ReadBy};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::cell_text::RowError;
use gemmscope_table::dataset::ColumnMeaning::*;
