//! `rocblas-bench` logs and CSV. Some versions repeat the header before every result.

use super::rocm_bench;
use crate::formats::table_format::TableFormat;
use crate::{Format, ReadBy};

pub(crate) const FORMAT: Format = Format {
    id: "rocblas-bench",
    name: "rocblas-bench log or CSV",
    produced_by: "rocblas-bench -f gemm -r f32_r -m 512 -n 512 -k 512 --transposeB T",
    example: "function,a_type,b_type,c_type,d_type,compute_type,transA,transB,M,N,K,alpha,lda,beta,ldb,ldc,rocblas-Gflops,us\n\
              gemm,f32_r,f32_r,f32_r,f32_r,f32_r,N,T,512,512,512,1,512,1,512,512, 11983.7, 22.4\n",
    read: ReadBy::Code {
        claim: |head| TABLE.claim(head),
        open: |head, options| Ok(rocm_bench::open(&TABLE, head, options)),
    },
};

const TABLE: TableFormat = TableFormat {
    signatures: &[&["rocblas-Gflops", "m", "n", "k", "us"]],
    library: Some("rocBLAS"),
    ..rocm_bench::TABLE
};
