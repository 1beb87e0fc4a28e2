//! `hipblaslt-bench` logs and CSV. The column `hipblaslt-GB/s` uses binary units: bytes / 2^30 / s.

use super::rocm_bench;
use crate::cell::{self, ONE_OF_GROUPS};
use crate::columns::plan_rows::Cells;
use crate::columns::row::Given;
use crate::formats::table_format::TableFormat;
use crate::{Format, ReadBy};
use gemmscope_table::build::cell_text::RowError;

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
    hook: Some(of_groups),
    ..rocm_bench::TABLE
};

/// A line of a grouped GEMM states only the sizes of its first problem. If the rate counts that many equal problems, it
/// is a batch; otherwise the row is rejected.
fn of_groups(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let number = |name: &str| cell::number(cells.get(name)).unwrap_or(f64::NAN);
    let groups = number("grouped_gemm");
    if groups.is_nan() || groups <= 1.0 {
        return Ok(Given::default());
    }
    let one = ["m", "n", "k"].map(number).iter().product::<f64>() * 2.0;
    let of_all = number("hipblaslt-Gflops") * 1e9 * number("us") * 1e-6 / one;
    if (of_all / groups - 1.0).abs() < 0.05 {
        return Ok(Given { batch: Some(groups as u32), ..Given::default() });
    }
    Err(cells.error("grouped_gemm", ONE_OF_GROUPS))
}

#[cfg(test)]
mod tests {
    use crate::testing::read;

    #[test]
    fn equal_groups_are_a_batch() {
        let log = |gflops: &str| {
            format!(
                "[0]:transA,transB,grouped_gemm,batch_count,m,n,k,alpha,a_type,b_type,c_type,d_type,compute_type,\
                 hipblaslt-Gflops,hipblaslt-GB/s,us\n    \
                 T,N,4,1,1024,512,2048,1,bf16_r,bf16_r,bf16_r,bf16_r,f32_r,{gflops},461.1,100.0\n"
            )
        };
        // 2 x 4 x 1024 x 512 x 2048 FLOP in 100 us.
        let d = read(log("85899.3"));
        assert_eq!((d.len(), d.batch[0]), (1, 4));
        let d = read(log("60000"));
        assert_eq!((d.len(), d.sources[0].rejected.total()), (0, 1));
    }
}
