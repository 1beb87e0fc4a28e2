//! AMD profilers: rocprofv3 kernel traces, counters and statistics, and rocprof-compute's `pmc_perf.csv`. Times are in
//! ns, grids in work-items; there are no shapes.

use super::launch_table::{CountedIn, LaunchColumns, LaunchTable, TIMES_ONLY};
use super::profile::{Counters, Launch};
use crate::{Format, Header, ReadBy, Record};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::TableBuilder;

pub(crate) const FORMAT: Format = Format {
    id: "rocprof",
    name: "rocprofv3 and rocprof-compute (CSV)",
    produced_by: "rocprofv3 --kernel-trace --output-format csv -- ./app (*_kernel_trace.csv), \
                  rocprofv3 --pmc SQ_INSTS_VALU_MFMA_MOPS_BF16 -- ./app (*_counter_collection.csv), \
                  rocprof-compute profile -n run -- ./app (pmc_perf.csv)",
    example: "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n\
              \"KERNEL_DISPATCH\",4,1,17,\"Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_MI16x16x1_SN\",1,1000,111000,256,1,1,65536,16,1\n",
    read: ReadBy::Launches(&LaunchTable {
        layouts: &[
            (
                &["Kernel_Name", "Counter_Name", "Counter_Value"],
                LaunchColumns {
                    counters: CountedIn::Lines(
                        ["Counter_Name", "", "Counter_Value"],
                        &["Dispatch_Id"],
                    ),
                    ..DISPATCHES
                },
            ),
            (
                &["Kernel_Name", "Start_Timestamp", "Dispatch_ID", "Grid_Size"],
                LaunchColumns { counters: CountedIn::Columns(|_| true), ..DISPATCHES },
            ),
            (
                &["Kernel_Name", "Start_Timestamp", "End_Timestamp"],
                LaunchColumns { is_trace: true, counted: |_, _, _| {}, ..DISPATCHES },
            ),
            (
                &["TotalDurationNs", "Name", "Calls", "AverageNs"],
                LaunchColumns {
                    kernel: "Name",
                    time: &["AverageNs"],
                    calls: "Calls",
                    spread: [&["MinNs"], &["MaxNs"], &["StdDev"]],
                    notes: &[TIMES_ONLY],
                    ..LaunchColumns::NONE
                },
            ),
        ],
    }),
};

const DISPATCHES: LaunchColumns =
    LaunchColumns { kernel: "Kernel_Name", also, counted, ..LaunchColumns::NONE };

/// Type of the matrix operations counted by a counter, whose unit is 512 operations.
fn matrix_type(counter: &str) -> Option<DataType> {
    match counter.strip_prefix("SQ_INSTS_VALU_MFMA_MOPS_")? {
        "F6F4" => Some(DataType::MxFp4),
        code => DataType::parse(code),
    }
}

/// Evaluates counted work and traffic.
fn counted(l: &mut Launch, counters: &Counters, _: &mut TableBuilder) {
    // Counters of a second pass have a suffix; use those of the first.
    let ports =
        |what: &str| counters.first(&[&format!("TCC_EA0_{what}"), &format!("TCC_EA_{what}")]);
    // Requests are 32, 64 or 128 bytes; a size that was not collected counts as 0.
    let some = |v: f64| if v.is_nan() { 0.0 } else { v };
    let bubble = counters.first(&["TCC_BUBBLE_sum"]);
    let (r32, w64) = (some(ports("RDREQ_32B_sum")), some(ports("WRREQ_64B_sum")));
    l.bytes = 128.0 * some(bubble)
        + 32.0 * r32
        + 64.0 * (ports("RDREQ_sum") - some(bubble) - r32)
        + 32.0 * (ports("WRREQ_sum") - w64)
        + 64.0 * w64;
    // Only gfx94x and later, with 128-byte lines, number their memory ports.
    let numbered = |n: &str| (n.starts_with("TCC_EA0_") || n == "TCC_BUBBLE_sum").then_some(());
    let line = if counters.of(numbered).next().is_some() { 128.0 } else { 64.0 };
    let accesses = counters.first(&["TCP_TOTAL_CACHE_ACCESSES_sum"]);
    l.cache_bytes = [128.0 * counters.first(&["TCC_REQ_sum"]), line * accesses];
    let (mut mops, mut most) = (0.0, 0.0);
    for (dtype, v) in counters.of(matrix_type) {
        if v > most {
            (most, l.dtype) = (v, Some(dtype));
        }
        mops += v;
    }
    l.work = if mops == 0.0 { f64::NAN } else { mops * 512.0 };
}

/// Time, workgroups and device index from the first line of a launch.
fn also(
    l: &mut Launch,
    _: &mut Counters,
    h: &Header,
    record: &Record<'_>,
    table: &mut TableBuilder,
) {
    let number = |n: &str| h.number(record, &[n]).unwrap_or(f64::NAN);
    let ns = number("End_Timestamp") - number("Start_Timestamp");
    l.time_s = if ns > 0.0 { ns / 1e9 } else { f64::NAN };
    let part = |axis: &str| {
        let items = number(&format!("Grid_Size_{axis}"));
        (items / number(&format!("Workgroup_Size_{axis}"))).ceil()
    };
    l.grid = ["X", "Y", "Z"].map(part);
    if l.grid[0].is_nan() {
        // A single number covers all three axes.
        l.grid = [(number("Grid_Size") / number("Workgroup_Size")).ceil(), 1.0, 1.0];
    }
    let agent = h.text(record, &["GPU_ID", "Agent_Id"]);
    if !agent.is_empty() {
        table.note(format!("Agent {}.", agent.trim_start_matches("Agent ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_that_of_most_matrix_operations() {
        let mut counters = Counters::default();
        for (code, mops) in [("F32", 10.0), ("F16", 15.0), ("BF16", 20.0)] {
            counters.add(&format!("SQ_INSTS_VALU_MFMA_MOPS_{code}"), "", Some(mops));
        }
        let mut launch = Launch::new(1, "kernel", 1e-3);
        counted(&mut launch, &counters, &mut TableBuilder::new());
        assert_eq!((launch.dtype, launch.work), (Some(DataType::Bf16), 45.0 * 512.0));
    }
}
