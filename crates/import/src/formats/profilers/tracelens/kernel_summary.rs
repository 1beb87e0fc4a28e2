//! `kernel_summary.csv`: the kernels of a trace by time, without shapes. It is a ranking unless
//! the user states the shapes.

use super::super::launch_table::{LaunchColumns, LaunchTable, TIMES_ONLY};
use crate::{Format, ReadBy};

pub(crate) const FORMAT: Format = Format {
    id: "tracelens_kernels",
    name: "TraceLens kernel summary",
    produced_by: "TraceLens_generate_perf_report_pytorch --output_csvs_dir \
                  (kernel_summary.csv); GEMM.csv beside it has the shapes",
    example: "Parent op category,Parent cpu_op,Kernel name,Kernel stream,Kernel duration (µs)_sum,Kernel duration (µs)_count,Kernel duration (µs)_mean,Kernel duration (µs)_min,Kernel duration (µs)_max,Percent of kernels time (%)\n\
              GEMM,aten::mm,Cijk_Alik_Bljk_BBS_BH_MT128x224x64_MI16x16x1_SN,0,5308.27,48,110.589,109.1,112.5,45.6\n",
    read: ReadBy::Launches(&LaunchTable {
        layouts: &[(
            &["Kernel name", "Kernel duration_sum"],
            LaunchColumns {
                kernel: "Kernel name",
                time: &["Kernel duration_mean"],
                total: &["Kernel duration_sum"],
                calls: "Kernel duration_count",
                spread: [&["Kernel duration_min"], &["Kernel duration_max"], &[]],
                unit_s: 1e-6,
                notes: &[
                    TIMES_ONLY,
                    "Shapes are in GEMM.csv of the same report: drop it here too.",
                ],
                ..LaunchColumns::NONE
            },
        )],
    }),
};
