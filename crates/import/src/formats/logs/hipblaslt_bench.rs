//! `hipblaslt-bench`: its log or CSV. The column `hipblaslt-GB/s` is binary: bytes / 2^30 / s.

use super::rocm_bench;
use crate::formats::table_format::{GIBI, GIGA, MICRO, Signature, TableFormat, column, number};
use crate::{Format, ReadBy};
use gemmscope_model::dtype::DataType;
use gemmscope_table::dataset::ColumnMeaning::*;

pub(crate) const FORMAT: Format = Format {
    id: "hipblaslt-bench",
    name: "hipblaslt-bench log or CSV",
    produced_by: "hipblaslt-bench -m 4096 -n 4096 -k 4096 --transA T --precision bf16_r --print_kernel_info",
    example: "[0]:transA,transB,grouped_gemm,batch_count,m,n,k,alpha,a_type,b_type,c_type,d_type,compute_type,hipblaslt-Gflops,hipblaslt-GB/s,us\n\
              \x20   T,N,0,1,4096,4096,4096,1,bf16_r,bf16_r,bf16_r,bf16_r,f32_r,652310,461.1,210.7\n",
    read: ReadBy::Code {
        detect: |head| rocm_bench::detect(&TABLE, head),
        open: |head, options| Ok(rocm_bench::open(&TABLE, "hipBLASLt", head, options)),
    },
};

const TABLE: TableFormat = TableFormat {
    signatures: &[Signature {
        names: &["hipblaslt-Gflops", "transA", "transB", "m", "n", "k", "us"],
        score: 98,
        reason: "a header line has hipblaslt-Gflops",
    }],
    columns: &[
        column(&["m"], M),
        column(&["n"], N),
        column(&["k"], K),
        number(&["us"], Time, MICRO),
        column(&["batch_count"], Batch),
        column(&["transA", "transposeA"], TransA),
        column(&["transB", "transposeB"], TransB),
        column(&["a_type"], DtypeA),
        column(&["b_type"], DtypeB),
        column(&["d_type", "c_type"], DtypeC),
        column(&["c_type"], Ignore),
        column(&["compute_type"], Compute),
        number(&["hipblaslt-Gflops"], ReportedRate, GIGA),
        number(&["hipblaslt-GB/s"], ReportedBandwidth, GIBI),
        column(&["bias_vector"], Bias).kept(),
        column(&["beta"], Beta).kept(),
        column(&["gcnArchName"], Device).kept(),
        column(&["CUs"], DeviceUnits).kept(),
    ],
    dtype: DataType::Fp32,
    ..TableFormat::DEFAULT
};
