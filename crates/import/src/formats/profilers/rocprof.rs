//! AMD's profilers: rocprofv3 kernel traces, counters and statistics, rocprof-compute's
//! `pmc_perf.csv`. Times are in ns; grids are in work-items; the files have no shapes.

use super::launch_table::{LaunchColumns, TIMES_ONLY};
use super::profile::{Counters, Launch, Profile};
use crate::{
    Delimited, Detection, Format, Head, Header, ImportError, ImportOptions, Imported, Opened,
    ReadBy, Record, RowReader,
};
use gemmscope_model::dtype::DataType;
use gemmscope_table::build::TableBuilder;
use std::collections::HashMap;

pub(crate) const FORMAT: Format = Format {
    id: "rocprof",
    name: "rocprofv3 and rocprof-compute (CSV)",
    produced_by: "rocprofv3 --kernel-trace --output-format csv -- ./app (*_kernel_trace.csv), \
                  rocprofv3 --pmc SQ_INSTS_VALU_MFMA_MOPS_BF16 -- ./app (*_counter_collection.csv), \
                  rocprof-compute profile -n run -- ./app (pmc_perf.csv)",
    example: "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n\
              \"KERNEL_DISPATCH\",4,1,17,\"Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_MI16x16x1_SN\",1,1000,111000,256,1,1,65536,16,1\n",
    read: ReadBy::Code { detect, open },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A launch a line.
    Trace,
    /// A counter a line.
    Counters,
    /// A launch a line, a column a counter.
    Wide,
    /// A kernel a line.
    Stats,
}

const STATS: LaunchColumns = LaunchColumns {
    kernel: "Name",
    time: &["AverageNs"],
    calls: "Calls",
    spread: [&["MinNs"], &["MaxNs"], &["StdDev"]],
    ..LaunchColumns::NONE
};

fn kind(header: &Header) -> Option<Kind> {
    let kinds: [(Kind, &[&str]); 4] = [
        (Kind::Counters, &["Counter_Name", "Counter_Value", "Kernel_Name"]),
        (Kind::Wide, &["Kernel_Name", "Start_Timestamp", "Dispatch_ID", "Grid_Size"]),
        (Kind::Trace, &["Kernel_Name", "Start_Timestamp", "End_Timestamp"]),
        (Kind::Stats, &["Name", "Calls", "TotalDurationNs", "AverageNs"]),
    ];
    let found = kinds.into_iter().find(|(_, names)| header.has(names));
    found.map(|(kind, _)| kind)
}

fn detect(head: &Head) -> Option<Detection> {
    let why = match kind(&Header::of_line(head.first()))? {
        Kind::Trace => "the header has Kernel_Name, Start_Timestamp, End_Timestamp",
        Kind::Counters => "the header has Kernel_Name, Counter_Name, Counter_Value",
        Kind::Wide => "the header has Dispatch_ID, Kernel_Name and a column per counter",
        Kind::Stats => "the header has Name, Calls, TotalDurationNs",
    };
    Some(Detection::new(96, why))
}

fn open(head: &Head, options: &ImportOptions) -> Opened {
    let mut table = TableBuilder::new();
    let rows = RocProf {
        profile: Profile::new(&mut table, head, options),
        header: None,
        dispatches: Vec::new(),
        places: HashMap::new(),
    };
    Ok(Delimited::open(rows, table))
}

struct RocProf {
    profile: Profile,
    header: Option<(Header, Kind)>,
    /// Launches of a file with a line a counter, and the place of each by its number.
    dispatches: Vec<(Launch, Counters)>,
    places: HashMap<String, usize>,
}

/// The type of the matrix operations that a counter counts, in units of 512.
fn matrix_type(counter: &str) -> Option<DataType> {
    Some(match counter.strip_prefix("SQ_INSTS_VALU_MFMA_MOPS_")? {
        "F16" => DataType::Fp16,
        "BF16" => DataType::Bf16,
        "F8" => DataType::Fp8E4m3,
        "F32" => DataType::Fp32,
        "F64" => DataType::Fp64,
        "I8" => DataType::Int8,
        "F6F4" => DataType::MxFp4,
        _ => return None,
    })
}

/// Adds the counted work and traffic.
fn counted(mut l: Launch, counters: &Counters) -> Launch {
    // A counter of a second pass has a suffix; the first one is kept.
    let ports =
        |what: &str| counters.first(&[&format!("TCC_EA0_{what}"), &format!("TCC_EA_{what}")]);
    // Requests have 32, 64 or 128 bytes; a kind that was not collected counts as 0.
    let some = |v: f64| if v.is_nan() { 0.0 } else { v };
    let bubble = counters.first(&["TCC_BUBBLE_sum"]);
    let (r32, w64) = (some(ports("RDREQ_32B_sum")), some(ports("WRREQ_64B_sum")));
    l.bytes = 128.0 * some(bubble)
        + 32.0 * r32
        + 64.0 * (ports("RDREQ_sum") - some(bubble) - r32)
        + 32.0 * (ports("WRREQ_sum") - w64)
        + 64.0 * w64;
    // Only the gfx94x and later, with longer lines, number their ports to the memory.
    let numbered = |n: &str| (n.starts_with("TCC_EA0_") || n == "TCC_BUBBLE_sum").then_some(());
    let line = if counters.of(numbered).next().is_some() { 128.0 } else { 64.0 };
    let accesses = counters.first(&["TCP_TOTAL_CACHE_ACCESSES_sum"]);
    l.cache_bytes = [128.0 * counters.first(&["TCC_REQ_sum"]), line * accesses];
    let (mut mops, mut most) = (0.0, 0.0);
    for (dtype, v) in counters.of(matrix_type) {
        if v > most {
            l.dtype = Some(dtype);
        }
        mops += v;
        most = mops;
    }
    l.work = if mops == 0.0 { f64::NAN } else { mops * 512.0 };
    l
}

impl RocProf {
    fn launch(h: &Header, record: &Record<'_>, name: &str, table: &mut TableBuilder) -> Launch {
        let number = |n: &str| h.number(record, &[n]).unwrap_or(f64::NAN);
        let ns = number("End_Timestamp") - number("Start_Timestamp");
        let mut l = Launch::new(record.line(), name, if ns > 0.0 { ns / 1e9 } else { f64::NAN });
        let part = |axis: &str| {
            let items = number(&format!("Grid_Size_{axis}"));
            let group = number(&format!("Workgroup_Size_{axis}"));
            (items / group).ceil()
        };
        l.grid = ["X", "Y", "Z"].map(part);
        if l.grid[0].is_nan() {
            // One number for all three axes.
            l.grid = [(number("Grid_Size") / number("Workgroup_Size")).ceil(), 1.0, 1.0];
        }
        let agent = h.text(record, &["GPU_ID", "Agent_Id"]);
        if !agent.is_empty() {
            table.note(format!("Agent {}.", agent.trim_start_matches("Agent ")));
        }
        l
    }
}

impl RowReader for RocProf {
    fn record(&mut self, record: &Record<'_>, table: &mut TableBuilder) -> Result<(), ImportError> {
        let Some((h, kind)) = self.header.take() else {
            let h = Header::new(record);
            self.header = kind(&h).map(|k| (h, k));
            return Ok(());
        };
        let name = h.text(record, &["Kernel_Name", "Name"]);
        let name = name.trim_end_matches(".kd");
        if record.problem().is_none() && !name.is_empty() && *name != *"Kernel_Name" {
            match kind {
                Kind::Trace => {
                    let l = Self::launch(&h, record, name, table);
                    self.profile.push(l);
                }
                Kind::Wide => {
                    let l = Self::launch(&h, record, name, table);
                    let mut counts = Counters::default();
                    for (i, n) in h.names.iter().enumerate() {
                        if let Some(v) = record.number(i) {
                            counts.add(n, v);
                        }
                    }
                    self.profile.push(counted(l, &counts));
                }
                Kind::Counters => {
                    let id = h.text(record, &["Dispatch_Id"]).into_owned();
                    let at = match self.places.get(&id) {
                        Some(at) => *at,
                        None => {
                            let l = Self::launch(&h, record, name, table);
                            self.dispatches.push((l, Counters::default()));
                            self.places.insert(id, self.dispatches.len() - 1);
                            self.dispatches.len() - 1
                        }
                    };
                    let value = h.number(record, &["Counter_Value"]);
                    if let (Some(v), Some((_, counts))) = (value, self.dispatches.get_mut(at)) {
                        counts.add(&h.text(record, &["Counter_Name"]), v);
                    }
                }
                Kind::Stats => {
                    if let Some(mut l) = STATS.launch(&h, &[], record) {
                        name.clone_into(&mut l.kernel);
                        self.profile.push(l);
                    }
                }
            }
        }
        self.header = Some((h, kind));
        Ok(())
    }

    fn end(mut self: Box<Self>, mut table: TableBuilder) -> Result<Imported, ImportError> {
        for (l, counts) in std::mem::take(&mut self.dispatches) {
            self.profile.push(counted(l, &counts));
        }
        match self.header.as_ref().map(|(_, k)| k) {
            Some(Kind::Trace) => self.profile.unite(),
            Some(Kind::Stats) => table.note(TIMES_ONLY),
            _ => {}
        }
        Ok(self.profile.finish(table))
    }
}
