//! `hipblaslt-bench`: its log or CSV. The column `hipblaslt-GB/s` is binary: bytes / 2^30 / s.

use super::rocm_bench;
use crate::formats::table_format::TableFormat;
use crate::{Format, ReadBy};

pub(crate) const FORMAT: Format = Format {
    id: "hipblaslt-bench",
    name: "hipblaslt-bench log or CSV",
    produced_by: "hipblaslt-bench -m 4096 -n 4096 -k 4096 --transA T --precision bf16_r --print_kernel_info",
    example: "[0]:transA,transB,grouped_gemm,batch_count,m,n,k,alpha,a_type,b_type,c_type,d_type,compute_type,hipblaslt-Gflops,hipblaslt-GB/s,us\n\
              \x20   T,N,0,1,4096,4096,4096,1,bf16_r,bf16_r,bf16_r,bf16_r,f32_r,652310,461.1,210.7\n",
    read: ReadBy::Code {
        claim: |head| TABLE.claim(head),
        open: |head, options| Ok(rocm_bench::open(&TABLE, head, options)),
    },
};

const TABLE: TableFormat = TableFormat {
    signatures: &[&["hipblaslt-Gflops", "transA", "transB", "m", "n", "k", "us"]],
    library: Some("hipBLASLt"),
    ..rocm_bench::TABLE
};
