//! CLBlast's clients: the columns of each library end in its number.

use crate::cell::Quantity;
use crate::formats::table_format::{BATCHES, Figure, GIGA, MILLI, TableFormat, column};
use crate::{Detection, Format, Head, ReadBy};
use gemmscope_model::dtype::{DataType, from_blas_letter};
use gemmscope_table::dataset::ColumnMeaning::*;

pub(crate) const FORMAT: Format = Format {
    id: "clblast",
    name: "CLBlast client",
    produced_by: "./clblast_client_xgemm -precision 32 -m 1024 -n 1024 -k 1024 -num_steps 8 -no_abbrv (CLBlast)",
    example: "m;n;k;layout;transA;transB;lda;ldb;ldc;alpha;beta;ms_1;GFLOPS_1;GBs_1;ms_2;GFLOPS_2;GBs_2\n\
              1K;1K;1K;101;111;111;1K;1K;1K;1.0;0.0;1.2;1789.6;10.5;1.5;1431.7;8.4\n",
    read: ReadBy::Table(&TableFormat {
        detect: |head| {
            head.lines
                .iter()
                .any(|l| l.contains("ms_1") && l.contains("GFLOPS_1"))
                .then(|| Detection::new(97, "the header has ms_1, GFLOPS_1"))
        },
        columns: &[
            column(&["m"], M),
            column(&["n"], N),
            column(&["k"], K),
            BATCHES,
            column(&["transA"], TransA),
            column(&["transB"], TransB),
            column(&["beta"], Beta),
        ],
        figure: Some(figure),
        dtype_of: Some(dtype),
        abbreviated: true,
        ..TableFormat::DEFAULT
    }),
};

/// `GFLOPS_4` is the rate of cuBLAS.
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

/// `sgemm` in the file's name tells the type.
fn dtype(head: &Head) -> DataType {
    let name = head.name.to_ascii_lowercase();
    let letter = name.find("gemm").and_then(|at| name[..at].chars().next_back());
    letter.and_then(from_blas_letter).unwrap_or(DataType::Fp32)
}
