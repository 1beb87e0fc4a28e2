//! Tensile's `2_BenchmarkData`: one line a shape, one column a kernel, integer GFLOP/s in the
//! cells. Every cell is a point, so a file of one megabyte gives a hundred thousand.
//!
//! `SizeI` is M, `SizeJ` is N, `SizeK` is the batch and `SizeL` is K. The first header cell is
//! the unit of the cells, over a column of row numbers.

use crate::cell::Quantity;
use crate::formats::table_format::{Figure, GIGA, Signature, TableFormat, column};
use crate::{Format, ReadBy};
use gemmscope_model::tiling::kernel_name::KernelName;
use gemmscope_table::dataset::ColumnMeaning::*;

pub(crate) const FORMAT: Format = Format {
    id: "tensile",
    name: "Tensile benchmark data (a column per kernel)",
    produced_by: "Tensile/bin/Tensile config.yaml out (out/2_BenchmarkData/*.csv)",
    example: "GFlops, SizeI, SizeJ, SizeK, SizeL, LDD, LDC, LDA, LDB, TotalFlops, Cijk_Ailk_Bjlk_HBH_MT64x64x8_SE_GSU1\n\
              0, 384, 3072, 1, 4096, 384, 384, 384, 3072, 9663676416, 8102\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[Signature {
            names: &["GFlops", "SizeI", "SizeJ", "SizeK", "SizeL"],
            score: 97,
            reason: "the header has SizeI, SizeJ, SizeK, SizeL and a column per kernel",
        }],
        columns: &[
            column(&["SizeI"], M),
            column(&["SizeJ"], N),
            column(&["SizeL"], K),
            column(&["SizeK"], Batch),
        ],
        ignored: &["GFlops", "LDD", "LDC", "LDA", "LDB", "TotalFlops"],
        sides: (Kernel, "kernel"),
        of_name: |kernel| {
            let name = KernelName::parse(kernel);
            (name.dtype, name.transposes.map(|(a, b)| [a, b]))
        },
        library: Some("Tensile"),
        figure: Some(|kernel| Some(Figure::In(kernel, Quantity::Rate, GIGA))),
        notes: &["Rates are whole GFLOP/s.", "M, N and layout are column-major (BLAS)."],
        ..TableFormat::DEFAULT
    }),
};
