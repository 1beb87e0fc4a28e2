//! CLBlast's clients. Column names end in the number of the library.

use super::*;
use crate::CellError;
use crate::columns::defaults;

pub(crate) const FORMAT: Format = Format {
    id: "clblast",
    name: "CLBlast client",
    produced_by: "./clblast_client_xgemm -precision 32 -m 1024 -n 1024 -k 1024 -num_steps 8 -no_abbrv (CLBlast)",
    example: "m;n;k;layout;transA;transB;lda;ldb;ldc;alpha;beta;ms_1;GFLOPS_1;GBs_1;ms_2;GFLOPS_2;GBs_2\n\
              1K;1K;1K;101;111;111;1K;1K;1K;1.0;0.0;1.2;1789.6;10.5;1.5;1431.7;8.4\n",
    read: ReadBy::Table(&TableFormat {
        claim: |head| head.headed(&["ms_1", "GFLOPS_1"]),
        columns: &[
            BATCHES,
            column(&["transA"], TransA),
            column(&["transB"], TransB),
            column(&["beta"], Beta),
        ],
        figure: Some(figure),
        dtype_of: Some(|head| defaults::dtype_of_routine(head).unwrap_or(DataType::Fp32)),
        hook: Some(sizes),
        ..TableFormat::DEFAULT
    }),
};

/// Maps `GFLOPS_4` to the rate of cuBLAS.
fn figure(title: &str) -> Option<Figure<'_>> {
    let (what, number) = title.rsplit_once('_')?;
    let library = match number {
        "1" => "CLBlast",
        "2" => "clBLAS",
        "3" => "CPU BLAS",
        "4" => "cuBLAS",
        _ => return None,
    };
    let (quantity, scale) = match what {
        "ms" => (Quantity::Time, MILLI),
        "GFLOPS" => (Quantity::Rate, GIGA),
        "GBs" => (Quantity::Bandwidth, GIGA),
        _ => return None,
    };
    Some(Figure::In(library, quantity, scale))
}

/// Parses sizes in units of 1024 such as `4K` and `1M`, the client's default.
fn sizes(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let size = |what: &str, column: &'static str| {
        let text = cells.get(column);
        let size = match text {
            [digits @ .., b'K'] => cell::size(digits).map(|size| size.checked_mul(1 << 10)),
            [digits @ .., b'M'] => cell::size(digits).map(|size| size.checked_mul(1 << 20)),
            digits => cell::size(digits).map(Some),
        };
        let size = size.and_then(|size| size.ok_or(CellError::TooLarge));
        size.map_err(|flaw| cells.error(column, flaw.said(what, column)))
    };
    let sizes = Some([size("M", "m")?, size("N", "n")?, size("K", "k")?]);
    let batch = cells.position("batch_num").map(|_| size("batch", "batch_num")).transpose()?;
    Ok(Given { sizes, batch, ..Given::default() })
}
