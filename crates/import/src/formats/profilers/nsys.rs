//! Nsight Systems' kernel summary and kernel trace: times, launches and grids, without shapes or counters. It ranks
//! kernels by time unless the user states their shapes.

use super::launch_table::{LaunchColumns, LaunchTable, TIMES_ONLY};
use crate::{Format, ReadBy};

pub(crate) const FORMAT: Format = Format {
    id: "nsys",
    name: "Nsight Systems kernel summary (CSV)",
    produced_by: "nsys stats --report cuda_gpu_kern_sum --format csv report.nsys-rep (or cuda_gpu_trace)",
    example: "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n\
              61.2,612300,3,204100.0,204000.0,203000,205300,1153.0,nvjet_tst_128x256_64x4_2x1_v_bz_TNT\n",
    read: ReadBy::Launches(&LaunchTable {
        layouts: &[
            (
                &["Instances", "Name", "Total Time"],
                LaunchColumns {
                    kernel: "Name",
                    time: &["Avg", "Average"],
                    calls: "Instances",
                    spread: [&["Min", "Minimum"], &["Max", "Maximum"], &["StdDev"]],
                    notes: &[TIMES_ONLY],
                    ..LaunchColumns::NONE
                },
            ),
            (
                &["GrdX", "Name", "Duration"],
                LaunchColumns {
                    kernel: "Name",
                    time: &["Duration"],
                    grid: ["GrdX", "GrdY", "GrdZ"],
                    is_trace: true,
                    device: "Device",
                    notes: &[TIMES_ONLY],
                    ..LaunchColumns::NONE
                },
            ),
        ],
    }),
};
