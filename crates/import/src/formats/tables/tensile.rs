//! Tensile. `2_BenchmarkData` has one line per shape, one column per kernel, and integer GFLOP/s in the cells. Every
//! cell is a row, so a file of one megabyte gives about a hundred thousand.
//!
//! `SizeI` is M, `SizeJ` is N, `SizeK` is the batch and `SizeL` is K. The first header cell is the unit of the cells,
//! above a column of row numbers. The benchmark client writes one line per kernel, with the sizes in the same order.

use super::*;
use crate::cell::shape_text;
use crate::columns::defaults::COLUMN_MAJOR;
use gemmscope_model::tiling::kernel_name::KernelName;

pub(crate) const FORMAT: Format = Format {
    id: "tensile",
    name: "Tensile benchmark data (a column per kernel)",
    produced_by: "Tensile/bin/Tensile config.yaml out (out/2_BenchmarkData/*.csv)",
    example: "GFlops, SizeI, SizeJ, SizeK, SizeL, LDD, LDC, LDA, LDB, TotalFlops, Cijk_Ailk_Bjlk_HBH_MT64x64x8_SE_GSU1\n\
              0, 384, 3072, 1, 4096, 384, 384, 384, 3072, 9663676416, 8102\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[&["GFlops", "SizeI", "SizeJ", "SizeK", "SizeL"]],
        sizes: &[column(&["SizeI"], M), column(&["SizeJ"], N), column(&["SizeL"], K)],
        columns: &[column(&["SizeK"], Batch)],
        ignored: &["GFlops", "LDD", "LDC", "LDA", "LDB", "TotalFlops"],
        sides: (Kernel, "kernel"),
        of_name: |kernel| {
            let name = KernelName::parse(kernel);
            (name.dtype, name.transposes.map(|(a, b)| [a, b]))
        },
        library: Some("Tensile"),
        figure: Some(|kernel| Some(Figure::In(kernel, Quantity::Rate, GIGA))),
        notes: &["Rates are whole GFLOP/s.", COLUMN_MAJOR],
        ..TableFormat::DEFAULT
    }),
};

pub(crate) const CLIENT: Format = Format {
    id: "tensile-client",
    name: "Tensile / TensileLite client (a line per kernel)",
    produced_by: "tensilelite-client --config-file ClientParameters.ini (its results-file)",
    example: "run,problem-progress,solution-progress,operation,problem-sizes,solution,validation,time-us,gflops\n\
              0,0/1,0/3,Contraction_l_Alik_Bljk_Cijk_Dijk,\"(4096,8192,1,2048)\",Cijk_Alik_Bljk_HHS_BH_MT256x256x64_MI16x16x1_SN,NO_CHECK,260.5,527600\n",
    read: ReadBy::Table(&TableFormat {
        signatures: &[&["problem-sizes", "solution", "validation", "time-us", "gflops"]],
        columns: &[
            column(&["solution"], Kernel),
            number(&["time-us"], Time, MICRO),
            number(&["gflops"], ReportedRate, GIGA),
            verdict(&["validation"], Status),
            column(&["operation"], OpName),
        ],
        ignored: &["run", "problem-progress", "solution-progress", "problem-sizes"],
        library: Some("Tensile"),
        notes: &[COLUMN_MAJOR],
        hook: Some(contraction),
        ..TableFormat::DEFAULT
    }),
};

/// Parses the sizes M, N, batch, K; type and layout are in the kernel's name.
fn contraction(cells: &mut Cells<'_, '_>) -> Result<Given, RowError> {
    let sizes = shape_text::sizes(&cells.text("problem-sizes"));
    let &[m, n, batch, k, ..] = &sizes[..] else {
        return Err(cells.error("problem-sizes", NO_SIZES));
    };
    let name = KernelName::parse(&cells.text("solution"));
    Ok(Given {
        sizes: Some([m, n, k]),
        batch: Some(batch),
        dtype: name.dtype,
        transposed: name.transposes.map(|(a, b)| [a, b]),
        ..Given::default()
    })
}
